/* A box with rounded edges. With b half its size without the rounding r, q_k = |x_k| - b_k and
 * p_k = max(q_k, 0):
 *
 *   outside  d = |p| - r,      n_k = sign(x_k) p_k / |p|,  H = (diag(q_k > 0) - n n^T) / |p|
 *   inside   d = max_k q_k - r,  n along that k,           H = 0 */
#include "core/error.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "shape/obstacle.h"

#include <math.h>
#include <string.h>

enum { SIZE_AT = PL_OWN_AT, ROUND_AT = PL_OWN_AT + 3, PARAM_COUNT = 5 };
enum { ARC = 6, COLUMNS = 4 * (ARC + 1), ROWS = 2 * (ARC + 1) }; /* points of the drawing */

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_ROTATION_PARAM,
    {"size", "m", "along its three edges", 1, 1e-9, PL_FAR, NULL, 3},
    PL_LENGTH_PARAM("rounding", "radius of its edges and corners, inside the size", 0, 0),
};

static pl_status finish_values(double *values, pl_error *error)
{
  const double *size = values + SIZE_AT;
  double max = 0.5 * fmin(size[0], fmin(size[1], size[2]));
  if (values[ROUND_AT] <= max) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "rounding = %g m must be at most half the shortest edge, %g m", values[ROUND_AT],
                 max);
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  const double *values = self->part.values, round = values[ROUND_AT];
  double q[3], p[3];
  int max = 0;
  for (int k = 0; k < 3; k++) {
    q[k] = fabs(x[k]) - (0.5 * values[SIZE_AT + k] - round);
    p[k] = q[k] > 0 ? copysign(q[k], x[k]) : 0;
    if (q[k] > q[max]) max = k;
  }
  double length = pl_vec3_norm(p);
  if (hessian) memset(hessian, 0, 9 * sizeof *hessian);
  if (!(length > 0)) {
    pl_vec3_set(normal, 0, 0, 0);
    normal[max] = copysign(1, x[max]);
    return q[max] - round;
  }
  pl_vec3_scale(1 / length, p, normal);
  for (int k = 0; hessian && k < 9; k++)
    hessian[k] = ((k % 4 == 0 && q[k / 3] > 0) - normal[k / 3] * normal[k % 3]) / length;
  return length - round;
}

static void bounds(const pl_shape *self, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    high[k] = 0.5 * self->part.values[SIZE_AT + k];
    low[k] = -high[k];
  }
}

/* The point of the rounded box with the outward normal at these angles, in the octant of these
 * signs. */
static void draw_point(const double *values, double latitude, double longitude,
                       const double signs[3], pl_drawing *drawing)
{
  double round = values[ROUND_AT], x[3];
  const double n[3] = {pl_cos(latitude) * pl_cos(longitude), pl_cos(latitude) * pl_sin(longitude),
                       pl_sin(latitude)};
  for (int k = 0; k < 3; k++) x[k] = signs[k] * (0.5 * values[SIZE_AT + k] - round) + round * n[k];
  pl_drawing_point(drawing, x);
}

static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  int first = (int)drawing->point_count;
  (void)view, (void)error;
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    int row = i / COLUMNS, column = i % COLUMNS, quarter = column / (ARC + 1);
    int upper = row > ARC;
    double latitude = 0.5 * PL_PI * ((row % (ARC + 1)) - (upper ? 0 : ARC)) / ARC;
    double longitude = 0.5 * PL_PI * (quarter + (double)(column % (ARC + 1)) / ARC);
    const double signs[3] = {quarter == 0 || quarter == 3 ? 1 : -1, quarter < 2 ? 1 : -1,
                             upper ? 1 : -1};
    draw_point(self->part.values, latitude, longitude, signs, drawing);
  }
  for (int i = 0; i < (ROWS - 1) * COLUMNS; i++) {
    int row = i / COLUMNS, a = i % COLUMNS, b = (a + 1) % COLUMNS, low = first + row * COLUMNS;
    pl_drawing_quad(drawing, low + a, low + b, low + COLUMNS + b, low + COLUMNS + a);
  }
  // the faces at both poles, from the corners' points
  const int q = ARC + 1, top = first + (ROWS - 1) * COLUMNS;
  pl_drawing_quad(drawing, top, top + q, top + 2 * q, top + 3 * q);
  pl_drawing_quad(drawing, first + 3 * q, first + 2 * q, first + q, first);
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_box = {
    .info = {"box", "a box, its edges rounded if wanted", "", params, PARAM_COUNT, NULL},
    .has_sides = 1,
    .finish_values = finish_values,
    .place = pl_shape_place_rotation,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
