/* Several shapes with fillets of width k between them. Two of them with distances d1, d2 and
 * s = d1 - d2 blend where |s| < k to
 *
 *   d = min(d1, d2) - (k - |s|)^3 / (6 k^2),   g = n1 + b' (n1 - n2),
 *   H = H1 + b' (H1 - H2) + b'' (n1 - n2) (n1 - n2)^T
 *
 *   s < 0: b' = -(k + s)^2 / (2 k^2),      b'' = -(k + s) / k^2
 *   s > 0: b' = -1 + (k - s)^2 / (2 k^2),  b'' = -(k - s) / k^2
 *
 * (twice continuously differentiable). g is shorter than 1 between normals that face each other,
 * so d is no distance there; the gap is d / |g|, the normal g / |g|, and the curvature
 * P H P / |g| with P = I - n n^T: exact on the surface. Further parts are blended in one by one. */
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/contour.h"
#include "shape/union.h"

#include <math.h>
#include <string.h>

enum { CELLS = 48 }; /* of the drawing, along the longest side */

static const pl_param params[] = {
    PL_LENGTH_PARAM("width", "difference of distances up to which two shapes blend", 0.1, 1e-9),
};

typedef struct blend {
  double d, g[3], H[9];
} blend;

/* to = the blend of to and another. */
static void mix(double k, const blend *with, blend *to)
{
  double s = to->d - with->d, rest = k - fabs(s);
  if (!isfinite(s) || rest <= 0) {
    if (with->d < to->d) *to = *with;
    return;
  }
  double slope = rest * rest / (2 * k * k), bend = -rest / (k * k), across[3];
  slope = s < 0 ? -slope : slope - 1;
  pl_vec3_sub(to->g, with->g, across);
  for (int i = 0; i < 9; i++)
    to->H[i] += slope * (to->H[i] - with->H[i]) + bend * across[i / 3] * across[i % 3];
  pl_vec3_add_scaled(slope, across, to->g);
  to->d = fmin(to->d, with->d) - rest * rest * rest / (6 * k * k);
}

/* hessian = P H P / length */
static void project(const double H[9], const double n[3], double length, double *hessian)
{
  double P[9], half[9];
  pl_shape_round(1 / length, n, P);
  pl_mat3_multiply(P, H, half);
  pl_shape_round(1, n, P);
  pl_mat3_multiply(half, P, hessian);
}

static blend combine(const pl_shape *self, const double x[3])
{
  blend all = {.d = INFINITY, .g = {0, 0, 1}};
  for (int i = 1; i < self->span; i += self[i].span) {
    blend one;
    one.d = pl_shape_gap(&self[i], x, one.g, one.H);
    mix(self->part.values[0], &one, &all);
  }
  return all;
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  blend all = combine(self, x);
  double length = pl_vec3_norm(all.g);
  pl_vec3_set(normal, 0, 0, 1);
  if (hessian) memset(hessian, 0, 9 * sizeof *hessian);
  if (!(length > 1e-9)) return all.d;
  pl_vec3_scale(1 / length, all.g, normal);
  if (hessian) project(all.H, normal, length, hessian);
  return all.d / length;
}

/* Fillets lie between the parts, at most k / 6 outside them. */
static void bounds(const pl_shape *self, double low[3], double high[3])
{
  pl_union_bounds(self, low, high);
  for (int k = 0; k < 3; k++) {
    low[k] -= self->part.values[0];
    high[k] += self->part.values[0];
  }
}

/* At most the distance, as contours need it. */
static double value(const void *context, const double point[3])
{
  return combine(context, point).d;
}

static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  pl_volume volume = {.value = value, .context = self};
  pl_skin *skin;
  double longest = 0;
  bounds(self, volume.low, volume.high);
  for (int k = 0; k < 3; k++) {
    volume.low[k] = fmax(volume.low[k], view->centre[k] - view->reach);
    volume.high[k] = fmin(volume.high[k], view->centre[k] + view->reach);
    longest = fmax(longest, volume.high[k] - volume.low[k]);
    if (!(volume.high[k] > volume.low[k])) return PL_OK; // out of sight
  }
  pl_status status = pl_contour(&volume, longest / CELLS, &drawing->allocator, &skin, error);
  if (status) return status;
  int first = (int)drawing->point_count;
  for (int i = 0; i < skin->point_count; i++)
    pl_drawing_point(drawing, skin->points + 3 * (size_t)i);
  for (int i = 0; i < skin->triangle_count; i++) {
    const int *t = skin->triangles + 3 * (size_t)i;
    pl_drawing_triangle(drawing, first + t[0], first + t[1], first + t[2]);
  }
  pl_skin_destroy(skin);
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_rounded_union = {
    .info = {"rounded-union", "the shapes inside as one, with fillets between them", "", params, 1,
             NULL},
    .min_parts = 1,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
