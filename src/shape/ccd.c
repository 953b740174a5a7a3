/* Separating-plane advancement.
 *
 * At time t take a direction n. The features are apart along n by
 *
 *   g(t) = min_i n . a_i(t) - max_j n . b_j(t) - sigma
 *
 * and so their distance is at least g. For ways that are straight g is concave and piecewise linear
 * in t for fixed n: the time when it falls to a threshold is the least over pairs (i, j) of points
 * that approach each other. Any n is valid, a bad one only costs passes: it is the direction of the
 * nearest points, accurate to rounding even for gaps that are tiny against the edges (along the
 * common normal for interiors, made orthogonal to the edge for a point and an edge).
 *
 *   tau1 = xi + s/2 (g(0) - xi),  tau2 = xi + s (g(0) - xi):
 *   advance t to where g with the present n falls to tau1; stop with t when g(t) <= tau2
 *
 * Each pass gains at least s/2 (g(0) - xi) / speed. sigma = 64 eps max |coordinate| bounds the
 * rounding of differences, interpolation, products and of |n|. Coordinates are relative to point 0
 * on its way, so that common motion and distance from the origin cost nothing, and scaled by a
 * power of two so that nothing overflows. Compare: conservative advancement by norms of
 * displacements (M. Li et al., "Codimensional incremental potential contact", 2021), which needs
 * speed/gap passes where features slide past each other. */
#include "shape/ccd.h"

#include "math/vec3.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

enum { PASSES = 1000 };

static const double SIGMA = 64 * DBL_EPSILON;

/* Four points, relative to the first on its way. */
typedef struct course {
  double x[4][3], v[4][3];
  double separation, sigma;
} course;

/* The largest coordinate; infinite where one is not finite. */
static double largest(double a[4][3])
{
  double max = 0;
  for (int i = 1; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      double size = fabs(a[i][k]);
      max = size > max ? size : size <= max ? max : HUGE_VAL;
    }
  }
  return max;
}

/* A power of two that brings a positive number to [1/2, 2). */
static double scale_for(double max)
{
  uint64_t bits;
  double power;
  memcpy(&bits, &max, sizeof bits);
  uint64_t exponent = bits >> 52;
  bits = (exponent > 2045 ? 1 : exponent < 2 ? 2045 : 2046 - exponent) << 52;
  memcpy(&power, &bits, sizeof power);
  return power;
}

/* 0: nothing can be said. */
static int set_course(const double x[4][3], const double to[4][3], double separation, course *out)
{
  double end[4][3];
  memset(out, 0, sizeof *out);
  for (int i = 1; i < 4; i++) {
    pl_vec3_sub(x[i], x[0], out->x[i]);
    pl_vec3_sub(to[i], to[0], end[i]);
  }
  double max = fmax(largest(out->x), largest(end));
  if (!(max > 0) || !isfinite(max)) return 0;
  double scale = scale_for(max);
  for (int i = 1; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      out->x[i][k] *= scale;
      out->v[i][k] = end[i][k] * scale - out->x[i][k];
    }
  }
  out->separation = separation * scale;
  out->sigma = SIGMA * max * scale;
  return isfinite(out->separation);
}

/* The direction of the nearest points at some positions; 0: they touch. */
static int separating(pl_contact_kind kind, const double x[4][3], double n[3])
{
  pl_closest at;
  pl_closest_points(kind, x, &at);
  pl_vec3_copy(at.r, n);
  if (at.params == 1) {
    // along the edge r is rounding only
    double e[3] = {0};
    for (int i = 1; i < 4; i++) pl_vec3_add_scaled(at.slopes[0][i], x[i], e);
    double ee = pl_vec3_dot(e, e);
    if (ee > 0) pl_vec3_add_scaled(-pl_vec3_dot(e, n) / ee, e, n);
  }
  double max = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
  if (!(max > 0)) return 0;
  // squares of tiny numbers vanish
  if (max < 1e-100) pl_vec3_scale(1 / max, n, n);
  pl_vec3_scale(1 / pl_vec3_norm(n), n, n);
  return isfinite(n[0] + n[1] + n[2]);
}

/* A direction at one time: gaps between pairs of points across, and how they change. */
typedef struct view {
  double gaps[4], rates[4];
} view;

static void pair_up(pl_contact_kind kind, const double along[4], double out[4])
{
  for (int p = 0; p < 4; p++) {
    if (kind == PL_EDGE_EDGE)
      out[p] = along[p & 1] - along[2 + (p >> 1)];
    else
      out[p] = along[0] - along[p < 3 ? 1 + p : 1];
  }
}

/* 0: the features touch. */
static int look(pl_contact_kind kind, const course *c, double t, view *out)
{
  double at[4][3], n[3], heights[4], speeds[4];
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) at[i][k] = c->x[i][k] + t * c->v[i][k];
  }
  if (!separating(kind, (const double(*)[3])at, n)) return 0;
  for (int i = 0; i < 4; i++) {
    heights[i] = pl_vec3_dot(n, at[i]);
    speeds[i] = pl_vec3_dot(n, c->v[i]);
  }
  pair_up(kind, heights, out->gaps);
  pair_up(kind, speeds, out->rates);
  return 1;
}

static double min_gap(const view *v)
{
  double min = v->gaps[0];
  for (int p = 1; p < 4; p++) min = v->gaps[p] < min ? v->gaps[p] : min;
  return min;
}

/* How long all gaps stay above a threshold. */
static double time_above(const view *v, double threshold)
{
  double min = HUGE_VAL;
  for (int p = 0; p < 4; p++) {
    if (!(v->rates[p] < 0)) continue;
    double time = (v->gaps[p] - threshold) / -v->rates[p];
    min = time < min ? time : min;
  }
  return min;
}

double pl_ccd(pl_contact_kind kind, const double x[4][3], const double to[4][3], double separation,
              double share)
{
  course c;
  view v;
  if (!set_course(x, to, separation, &c) || !look(kind, &c, 0, &v)) return 0;
  double gap = min_gap(&v) - c.sigma - c.separation, t = 0;
  double tau1 = c.separation + 0.5 * share * gap, tau2 = c.separation + share * gap;
  if (!(gap > 0)) return 0;
  for (int pass = 0; pass < PASSES; pass++) {
    double next = t + time_above(&v, tau1 + c.sigma);
    if (next >= 1) return 1;
    if (!(next > t)) return t;
    t = next;
    if (!look(kind, &c, t, &v) || !(min_gap(&v) - c.sigma > tau2)) return t;
  }
  return t;
}
