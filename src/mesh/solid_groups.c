/* Inner nodes of the tree of solids: what unites, cuts, moves, hollows and roughens. Where only one
 * solid is expected, several are united. */
#include "core/error.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "mesh/solid.h"

#include <math.h>
#include <stdint.h>

#define FAR           1e9
#define COUNT(params) sizeof params / sizeof *params

static const pl_param smooth_params[] = {
    {"smooth", "m", "how far apart solids begin to flow into each other", 0, 0, FAR, NULL, 0}};

/* The lesser of two, rounded where they differ by less than the width. */
static double smooth_min(double a, double b, double width)
{
  double min = fmin(a, b), overlap = width - fabs(a - b);
  return overlap > 0 ? min - 0.25 * overlap * overlap / width : min;
}

/* The union of the children from first on. */
static double unite(const pl_solid_node *nodes, int index, int first, double width,
                    const double point[3])
{
  double value = INFINITY;
  for (int i = first; i < nodes[index].end; i = nodes[i].end) {
    double other = pl_solid_value(nodes, i, point);
    value = isinf(value) ? other : smooth_min(value, other, width);
  }
  return value;
}

static void unite_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (int i = index + 1; i < nodes[index].end; i = nodes[i].end) {
    double other_low[3], other_high[3];
    pl_solid_bounds(nodes, i, other_low, other_high);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], other_low[k]);
      high[k] = fmax(high[k], other_high[k]);
    }
  }
}

static void widen(double by, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] -= by;
    high[k] += by;
  }
}

/* ---- union ---- */

static double union_value(const pl_solid_node *nodes, int index, const double point[3])
{
  return unite(nodes, index, index + 1, nodes[index].values[0], point);
}

/* Each step of a smooth union adds at most a quarter of the width, and only between neighbours. */
static void union_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  unite_bounds(nodes, index, low, high);
  widen(0.5 * nodes[index].values[0], low, high);
}

const pl_solid_ops pl_solid_union = {
    .info = {"union", "all of what stands inside", "", smooth_params, COUNT(smooth_params), NULL},
    .min = 1,
    .max = -1,
    .value = union_value,
    .bounds = union_bounds,
};

/* ---- intersection ---- */

static double intersection_value(const pl_solid_node *nodes, int index, const double point[3])
{
  double value = -INFINITY;
  for (int i = index + 1; i < nodes[index].end; i = nodes[i].end) {
    double other = pl_solid_value(nodes, i, point);
    value = isinf(value) ? other : -smooth_min(-value, -other, nodes[index].values[0]);
  }
  return value;
}

static void intersection_bounds(const pl_solid_node *nodes, int index, double low[3],
                                double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = -INFINITY;
    high[k] = INFINITY;
  }
  for (int i = index + 1; i < nodes[index].end; i = nodes[i].end) {
    double other_low[3], other_high[3];
    pl_solid_bounds(nodes, i, other_low, other_high);
    for (int k = 0; k < 3; k++) {
      low[k] = fmax(low[k], other_low[k]);
      high[k] = fmin(high[k], other_high[k]);
    }
  }
}

const pl_solid_ops pl_solid_intersection = {
    .info = {"intersection", "what all inside have in common", "", smooth_params,
             COUNT(smooth_params), NULL},
    .min = 1,
    .max = -1,
    .value = intersection_value,
    .bounds = intersection_bounds,
};

/* ---- difference ---- */

static double difference_value(const pl_solid_node *nodes, int index, const double point[3])
{
  double whole = pl_solid_value(nodes, index + 1, point);
  double rest = unite(nodes, index, nodes[index + 1].end, 0, point);
  return isinf(rest) ? whole : -smooth_min(-whole, rest, nodes[index].values[0]);
}

static void difference_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  pl_solid_bounds(nodes, index + 1, low, high);
}

const pl_solid_ops pl_solid_difference = {
    .info = {"difference", "the first without the others", "", smooth_params, COUNT(smooth_params),
             NULL},
    .min = 1,
    .max = -1,
    .value = difference_value,
    .bounds = difference_bounds,
};

/* ---- move ---- */

enum { TRANSLATION = 0, AXIS = 3, ANGLE = 6, SCALE = 7, CENTRE = 8, TURN = 11 };

static const pl_param move_params[] = {
    {"translation", "m", "where to, after the turn", 0, -FAR, FAR, NULL, 3},
    {"axis", "1", "of the turn, through the centre; without it z", NAN, -FAR, FAR, NULL, 3},
    {"angle", "degrees", "of the turn", 0, -1e6, 1e6, NULL, 0},
    {"scale", "1", "enlarges about the centre", 1, 1e-9, FAR, NULL, 0},
    {"centre", "m", "of the turn and the scale", 0, -FAR, FAR, NULL, 3}};

/* The matrix of the turn (Rodrigues) goes behind the values. */
static pl_status move_prepare(double *v, pl_error *error)
{
  double axis[3] = {0, 0, 1};
  if (!isnan(v[AXIS])) pl_vec3_copy(v + AXIS, axis);
  double length = pl_vec3_norm(axis), angle = v[ANGLE] * (PL_PI / 180);
  if (!(length > 0)) return pl_fail(error, PL_E_ARGUMENT, "axis = 0 0 0 has no direction");
  pl_vec3_scale(1 / length, axis, axis);
  double c = pl_cos(angle), s = pl_sin(angle);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) v[TURN + 3 * i + k] = (1 - c) * axis[i] * axis[k];
    int next = (i + 1) % 3, last = (i + 2) % 3;
    v[TURN + 4 * i] += c;
    v[TURN + 3 * i + next] -= s * axis[last];
    v[TURN + 3 * i + last] += s * axis[next];
  }
  return PL_OK;
}

static double move_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values, *turn = v + TURN;
  double to[3], back[3];
  for (int k = 0; k < 3; k++) to[k] = (point[k] - v[CENTRE + k] - v[TRANSLATION + k]) / v[SCALE];
  for (int k = 0; k < 3; k++)
    back[k] = v[CENTRE + k] + turn[k] * to[0] + turn[3 + k] * to[1] + turn[6 + k] * to[2];
  return v[SCALE] * unite(nodes, index, index + 1, 0, back);
}

static void move_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values, *turn = v + TURN;
  double inner[2][3];
  unite_bounds(nodes, index, inner[0], inner[1]);
  for (int i = 0; i < 3; i++) {
    low[i] = high[i] = v[CENTRE + i] + v[TRANSLATION + i];
    for (int k = 0; k < 3; k++) {
      // a factor of 0 must not meet an infinite end
      double factor = v[SCALE] * turn[3 * i + k];
      if (fabs(factor) < 1e-15 * v[SCALE]) continue;
      double a = factor * (inner[0][k] - v[CENTRE + k]), b = factor * (inner[1][k] - v[CENTRE + k]);
      low[i] += fmin(a, b);
      high[i] += fmax(a, b);
    }
  }
}

const pl_solid_ops pl_solid_move = {
    .info = {"move", "turns, enlarges and moves what stands inside", "", move_params,
             COUNT(move_params), NULL},
    .min = 1,
    .max = -1,
    .prepare = move_prepare,
    .value = move_value,
    .bounds = move_bounds,
};

/* ---- mirror ---- */

static const pl_param mirror_params[] = {
    {"axis", "1", "across which it is mirrored", 1, 0, 2, "x|y|z", 0},
    {"at", "m", "place of the mirror on that axis", 0, -FAR, FAR, NULL, 0}};

/* What lies on the upper side is seen on both. */
static double mirror_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double seen[3] = {point[0], point[1], point[2]};
  int axis = (int)v[0];
  seen[axis] = v[1] + fabs(point[axis] - v[1]);
  return unite(nodes, index, index + 1, 0, seen);
}

static void mirror_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  unite_bounds(nodes, index, low, high);
  low[(int)v[0]] = 2 * v[1] - high[(int)v[0]];
}

const pl_solid_ops pl_solid_mirror = {
    .info = {"mirror", "what stands above the mirror, on both sides of it", "", mirror_params,
             COUNT(mirror_params), NULL},
    .min = 1,
    .max = -1,
    .value = mirror_value,
    .bounds = mirror_bounds,
};

/* ---- shell ---- */

static const pl_param shell_params[] = {
    {"thickness", "m", "of the wall, inwards", 0.05, 1e-9, FAR, NULL, 0}};

static double shell_value(const pl_solid_node *nodes, int index, const double point[3])
{
  double value = unite(nodes, index, index + 1, 0, point);
  return fmax(value, -value - nodes[index].values[0]);
}

const pl_solid_ops pl_solid_shell = {
    .info = {"shell", "hollows what stands inside", "", shell_params, COUNT(shell_params), NULL},
    .min = 1,
    .max = -1,
    .value = shell_value,
    .bounds = unite_bounds,
};

/* ---- noise ---- */

static const pl_param noise_params[] = {
    {"amplitude", "m", "how far the surface moves at most", 0.05, 0, FAR, NULL, 0},
    {"wavelength", "m", "between bumps", 0.3, 1e-9, FAR, NULL, 0},
    {"seed", "count", "another one, other bumps", 1, 0, 1e6, NULL, 0}};

/* A number in [-1, 1] for each point of the integer grid. */
static double grid_noise(int64_t x, int64_t y, int64_t z, uint64_t seed)
{
  uint64_t h = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)x * UINT64_C(0xbf58476d1ce4e5b9) +
               (uint64_t)y * UINT64_C(0x94d049bb133111eb) +
               (uint64_t)z * UINT64_C(0xd6e8feb86659fd93);
  h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
  h ^= h >> 31;
  return (double)(h >> 11) * 0x1p-52 - 1;
}

/* Between the grid's points by polynomials with two continuous derivatives. */
static double noise_at(const double place[3], uint64_t seed)
{
  int64_t base[3];
  double share[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    double whole = floor(place[k]), t = place[k] - whole;
    base[k] = (int64_t)fmin(fmax(whole, -1e15), 1e15);
    share[k] = t * t * t * (t * (6 * t - 15) + 10);
  }
  for (int c = 0; c < 8; c++) {
    double weight = 1;
    for (int k = 0; k < 3; k++) weight *= c >> k & 1 ? share[k] : 1 - share[k];
    sum += weight *
           grid_noise(base[0] + (c & 1), base[1] + (c >> 1 & 1), base[2] + (c >> 2 & 1), seed);
  }
  return sum;
}

/* The noise is no steeper than 2 * 15/8 along each axis; the division keeps the value a bound of
 * the distance. */
static double noise_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double value = unite(nodes, index, index + 1, 0, point);
  double slope = 1 + sqrt(3) * 3.75 * v[0] / v[1];
  double place[3];
  pl_vec3_scale(1 / v[1], point, place);
  return (value - v[0] * noise_at(place, (uint64_t)v[2])) / slope;
}

static void noise_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  unite_bounds(nodes, index, low, high);
  // where the value is only a bound of the distance, the surface moves farther
  widen(3 * v[0], low, high);
}

const pl_solid_ops pl_solid_noise = {
    .info = {"noise", "roughens the surface of what stands inside", "", noise_params,
             COUNT(noise_params), NULL},
    .min = 1,
    .max = -1,
    .value = noise_value,
    .bounds = noise_bounds,
};
