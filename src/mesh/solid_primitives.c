/* Leaves of the tree of solids: distances to simple bodies. */
#include "core/error.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "mesh/solid.h"

#include <math.h>

#define FAR           1e9
#define COUNT(params) sizeof params / sizeof *params
#define CENTRE                                                                                     \
  {                                                                                                \
    "centre", "m", "the middle", 0, -FAR, FAR, NULL, 3                                             \
  }
#define ENDS                                                                                       \
  {"from", "m", "one end of the axis", 0, -FAR, FAR, NULL, 3},                                     \
  {                                                                                                \
    "to", "m", "the other end of the axis", 0, -FAR, FAR, NULL, 3                                  \
  }
#define RADIUS                                                                                     \
  {                                                                                                \
    "radius", "m", "radius", 0.5, 1e-9, FAR, NULL, 0                                               \
  }
#define ROUND                                                                                      \
  {                                                                                                \
    "round", "m", "radius of the rounded edges", 0, 0, FAR, NULL, 0                                \
  }

/* The box around a point. */
static void grow(const double centre[3], const double by[3], double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = centre[k] - by[k];
    high[k] = centre[k] + by[k];
  }
}

/* The box around two balls. */
static void grow_ends(const double a[3], double ra, const double b[3], double rb, double low[3],
                      double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = fmin(a[k] - ra, b[k] - rb);
    high[k] = fmax(a[k] + ra, b[k] + rb);
  }
}

static pl_status check_ends(double *values, pl_error *error)
{
  if (pl_vec3_distance(values, values + 3) > 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "from and to are the same point; move one of them");
}

/* Along the axis from values to values + 3, and away from it; returns the axis' length. */
static double axial(const double *values, const double point[3], double *along, double *away)
{
  double axis[3], to[3];
  pl_vec3_sub(values + 3, values, axis);
  pl_vec3_sub(point, values, to);
  double length = pl_vec3_norm(axis);
  *along = pl_vec3_dot(to, axis) / length;
  *away = sqrt(fmax(pl_vec3_dot(to, to) - *along * *along, 0));
  return length;
}

/* The distance to a rectangle in the plane, from how far outside of its sides the point lies. */
static double outside(double x, double y)
{
  return fmin(fmax(x, y), 0) + pl_hypot(fmax(x, 0), fmax(y, 0));
}

/* ---- sphere ---- */

static const pl_param sphere_params[] = {RADIUS, CENTRE};

static double sphere_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  return pl_vec3_distance(point, v + 1) - v[0];
}

static void sphere_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  grow(v + 1, (double[]){v[0], v[0], v[0]}, low, high);
}

const pl_solid_ops pl_solid_sphere = {
    .info = {"sphere", "a ball", "", sphere_params, COUNT(sphere_params), NULL},
    .value = sphere_value,
    .bounds = sphere_bounds,
};

/* ---- box ---- */

static const pl_param box_params[] = {
    {"size", "m", "edge lengths", 1, 1e-9, FAR, NULL, 3}, CENTRE, ROUND};

static double box_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double away = 0, max = -INFINITY;
  for (int k = 0; k < 3; k++) {
    double d = fabs(point[k] - v[3 + k]) - 0.5 * v[k] + v[6];
    max = fmax(max, d);
    away += fmax(d, 0) * fmax(d, 0);
  }
  return sqrt(away) + fmin(max, 0) - v[6];
}

static pl_status box_prepare(double *v, pl_error *error)
{
  double min = fmin(v[0], fmin(v[1], v[2]));
  if (v[6] <= 0.5 * min) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "round = %g m must be at most half the least edge, %g m",
                 v[6], 0.5 * min);
}

static void box_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  grow(v + 3, (double[]){0.5 * v[0], 0.5 * v[1], 0.5 * v[2]}, low, high);
}

const pl_solid_ops pl_solid_box = {
    .info = {"box", "a box, with round edges if wanted", "", box_params, COUNT(box_params), NULL},
    .prepare = box_prepare,
    .value = box_value,
    .bounds = box_bounds,
};

/* ---- ellipsoid ---- */

static const pl_param ellipsoid_params[] = {
    {"radii", "m", "half axes along x, y and z", 0.5, 1e-9, FAR, NULL, 3}, CENTRE};

/* Not the distance, but a bound of it. */
static double ellipsoid_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double share = (point[k] - v[3 + k]) / v[k];
    sum += share * share;
  }
  return (sqrt(sum) - 1) * fmin(v[0], fmin(v[1], v[2]));
}

static void ellipsoid_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  grow(nodes[index].values + 3, nodes[index].values, low, high);
}

const pl_solid_ops pl_solid_ellipsoid = {
    .info = {"ellipsoid", "an ellipsoid", "", ellipsoid_params, COUNT(ellipsoid_params), NULL},
    .value = ellipsoid_value,
    .bounds = ellipsoid_bounds,
};

/* ---- capsule ---- */

static const pl_param capsule_params[] = {
    ENDS,
    {"radius", "m", "radius at from", 0.5, 1e-9, FAR, NULL, 0},
    {"end-radius", "m", "radius at to; without it the same", NAN, 1e-9, FAR, NULL, 0}};

static pl_status capsule_prepare(double *v, pl_error *error)
{
  if (isnan(v[7])) v[7] = v[6];
  return check_ends(v, error);
}

/* Two balls and the cone that touches both. */
static double capsule_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double along, away, length = axial(v, point, &along, &away);
  double slope = (v[6] - v[7]) / length;
  if (fabs(slope) >= 1) { // one ball holds the other
    int first = slope > 0;
    return pl_vec3_distance(point, first ? v : v + 3) - (first ? v[6] : v[7]);
  }
  // the ball that the point is nearest to sits where the cone's normal through the point meets
  double at = along - away * slope / sqrt(1 - slope * slope);
  at = fmin(fmax(at, 0), length);
  return pl_hypot(along - at, away) - (v[6] - slope * at);
}

static void capsule_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  grow_ends(v, v[6], v + 3, v[7], low, high);
}

const pl_solid_ops pl_solid_capsule = {
    .info = {"capsule", "a rod with round ends, tapered if wanted", "", capsule_params,
             COUNT(capsule_params), NULL},
    .prepare = capsule_prepare,
    .value = capsule_value,
    .bounds = capsule_bounds,
};

/* ---- cylinder ---- */

static const pl_param cylinder_params[] = {ENDS, RADIUS, ROUND};

static pl_status cylinder_prepare(double *v, pl_error *error)
{
  double max = fmin(v[6], 0.5 * pl_vec3_distance(v, v + 3));
  if (v[7] > max)
    return pl_fail(error, PL_E_ARGUMENT, "round = %g m must be at most %g m here", v[7], max);
  return check_ends(v, error);
}

static double cylinder_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double along, away, length = axial(v, point, &along, &away);
  return outside(away - v[6] + v[7], fabs(along - 0.5 * length) - 0.5 * length + v[7]) - v[7];
}

static void cylinder_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  grow_ends(v, v[6], v + 3, v[6], low, high);
}

const pl_solid_ops pl_solid_cylinder = {
    .info = {"cylinder", "a cylinder with flat ends", "", cylinder_params, COUNT(cylinder_params),
             NULL},
    .prepare = cylinder_prepare,
    .value = cylinder_value,
    .bounds = cylinder_bounds,
};

/* ---- cone ---- */

static const pl_param cone_params[] = {ENDS,
                                       {"radius", "m", "radius at from", 0.5, 0, FAR, NULL, 0},
                                       {"end-radius", "m", "radius at to", 0, 0, FAR, NULL, 0}};

static pl_status cone_prepare(double *v, pl_error *error)
{
  if (v[6] + v[7] <= 0) return pl_fail(error, PL_E_ARGUMENT, "both radii of the cone are 0");
  return check_ends(v, error);
}

/* The larger of the distances to the mantle's cone and to the two planes: exact inside, a bound
 * outside. */
static double cone_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double along, away, length = axial(v, point, &along, &away);
  double slope = (v[7] - v[6]) / length;
  double mantle = (away - v[6] - slope * along) / sqrt(1 + slope * slope);
  return fmax(mantle, fabs(along - 0.5 * length) - 0.5 * length);
}

static void cone_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  grow_ends(v, v[6], v + 3, v[7], low, high);
}

const pl_solid_ops pl_solid_cone = {
    .info = {"cone", "a cone, cut off if wanted", "", cone_params, COUNT(cone_params), NULL},
    .prepare = cone_prepare,
    .value = cone_value,
    .bounds = cone_bounds,
};

/* ---- torus ---- */

static const pl_param torus_params[] = {
    {"radius", "m", "of the circle in its middle", 0.5, 1e-9, FAR, NULL, 0},
    {"tube", "m", "radius of the tube", 0.2, 1e-9, FAR, NULL, 0},
    CENTRE,
    {"axis", "1", "through the hole; x, y or z", 2, 0, 2, "x|y|z", 0}};

static double torus_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double to[3];
  pl_vec3_sub(point, v + 2, to);
  int axis = (int)v[5];
  double away = pl_hypot(to[(axis + 1) % 3], to[(axis + 2) % 3]);
  return pl_hypot(away - v[0], to[axis]) - v[1];
}

static void torus_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  double by[3] = {v[0] + v[1], v[0] + v[1], v[0] + v[1]};
  by[(int)v[5]] = v[1];
  grow(v + 2, by, low, high);
}

const pl_solid_ops pl_solid_torus = {
    .info = {"torus", "a ring", "", torus_params, COUNT(torus_params), NULL},
    .value = torus_value,
    .bounds = torus_bounds,
};

/* ---- half-space ---- */

static const pl_param half_space_params[] = {
    {"point", "m", "a point of the plane", 0, -FAR, FAR, NULL, 3},
    {"normal", "1", "points out of the solid", NAN, -FAR, FAR, NULL, 3}};

static pl_status half_space_prepare(double *v, pl_error *error)
{
  if (isnan(v[3])) pl_vec3_set(v + 3, 0, 0, 1);
  double length = pl_vec3_norm(v + 3);
  if (!(length > 0)) return pl_fail(error, PL_E_ARGUMENT, "normal = 0 0 0 has no direction");
  pl_vec3_scale(1 / length, v + 3, v + 3);
  return PL_OK;
}

static double half_space_value(const pl_solid_node *nodes, int index, const double point[3])
{
  const double *v = nodes[index].values;
  double to[3];
  pl_vec3_sub(point, v, to);
  return pl_vec3_dot(to, v + 3);
}

/* It ends only across a plane along the axes. */
static void half_space_bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  const double *v = nodes[index].values;
  for (int k = 0; k < 3; k++) {
    low[k] = v[3 + k] == -1 ? v[k] : -INFINITY;
    high[k] = v[3 + k] == 1 ? v[k] : INFINITY;
  }
}

const pl_solid_ops pl_solid_half_space = {
    .info = {"half-space", "all on one side of a plane, to cut other solids", "", half_space_params,
             COUNT(half_space_params), NULL},
    .prepare = half_space_prepare,
    .value = half_space_value,
    .bounds = half_space_bounds,
};
