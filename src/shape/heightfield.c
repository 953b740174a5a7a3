/* Ground by its heights over a rectangular grid, z = f(x, y), solid below.
 *
 * f is interpolated by cubic splines through the heights whose slopes are central differences (E.
 * Catmull, R. Rom, 1974), in x and in y: its slope is continuous. The nearest point (u, v, f) of x
 * solves (u - x) + (f - z) f_u = 0 = (v - y) + (f - z) f_v by Newton's method from below x; with
 * J its derivative, n the unit normal (-f_u, -f_v, 1) there,
 *
 *   H = n_u (du/dx)^T + n_v (dv/dx)^T,   J [du/dx; dv/dx] = [(1, 0, f_u); (0, 1, f_v)].
 *
 * Where the iteration fails (as beyond a centre of curvature) the surface is replaced by its
 * tangent plane below x. Beside the grid there is nothing. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "shape/obstacle.h"

#include <math.h>
#include <string.h>

enum { CENTRE_AT = 0, ROTATION_AT = 3, SIZE_AT = 6, PARAM_COUNT = 3 };
enum { MOST_STEPS = 12, MOST_SIDE = 1 << 15 };

static const pl_param params[PARAM_COUNT] = {
    PL_CENTRE_PARAM,
    PL_ROTATION_PARAM,
    {"size", "m", "of the grid along x and y, and of the height 1", 1, 1e-9, PL_FAR, NULL, 3},
};

typedef struct ground {
  int columns, rows;
  double size[2], low, high;
  double *heights; /* m */
} ground;

static void destroy(pl_shape *self, const pl_allocator *allocator)
{
  ground *data = self->data;
  if (data) pl_free(allocator, data->heights);
  pl_free(allocator, data);
  self->data = NULL;
}

static void place(const double *values, pl_place *place)
{
  // the same places as after a side
  double shifted[PL_OWN_AT];
  memcpy(shifted + PL_CENTRE_AT, values, (PL_OWN_AT - PL_CENTRE_AT) * sizeof *values);
  pl_shape_place_rotation(shifted, place);
}

static pl_status check(const pl_shape_source *source, pl_error *error)
{
  if (!source->heights || source->columns < 2 || source->rows < 2)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a heightfield of %d x %d heights needs at least 2 x 2; give it a picture by "
                   "file=\"...\"",
                   source->columns, source->rows);
  if (source->columns > MOST_SIDE || source->rows > MOST_SIDE)
    return pl_fail(error, PL_E_LIMIT, "a heightfield of %d x %d heights has more than %d on a side",
                   source->columns, source->rows, MOST_SIDE);
  for (size_t i = 0; i < (size_t)source->columns * (size_t)source->rows; i++) {
    if (!(fabs(source->heights[i]) <= PL_FAR))
      return pl_fail(error, PL_E_ARGUMENT, "height %zu = %g must be a finite number", i,
                     source->heights[i]);
  }
  return PL_OK;
}

static pl_status build(pl_shape *self, const pl_shape_source *source, const pl_allocator *allocator,
                       pl_error *error)
{
  const double *size = self->part.values + SIZE_AT;
  pl_status status = check(source, error);
  if (status) return status;
  size_t count = (size_t)source->columns * (size_t)source->rows;
  ground *data = self->data = pl_alloc(allocator, 1, sizeof *data);
  if (!data) return pl_fail_memory(error);
  *data = (ground){.columns = source->columns,
                   .rows = source->rows,
                   .size = {size[0], size[1]},
                   .low = INFINITY,
                   .high = -INFINITY,
                   .heights = pl_alloc(allocator, count, sizeof(double))};
  if (!data->heights) return pl_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    data->heights[i] = size[2] * source->heights[i];
    data->low = fmin(data->low, data->heights[i]);
    data->high = fmax(data->high, data->heights[i]);
  }
  return PL_OK;
}

/* ---- the surface ---- */

/* f and its derivatives at a point: u, v, uu, uv, vv. */
typedef struct height {
  double f, u, v, uu, uv, vv;
} height;

/* Weights of four neighbours at s in 0..1 between the middle two, and their two derivatives by s.
 */
static void spline(double s, double w[3][4])
{
  const double s2 = s * s, s3 = s2 * s;
  const double value[4] = {-s3 + 2 * s2 - s, 3 * s3 - 5 * s2 + 2, -3 * s3 + 4 * s2 + s, s3 - s2};
  const double slope[4] = {-3 * s2 + 4 * s - 1, 9 * s2 - 10 * s, -9 * s2 + 8 * s + 1,
                           3 * s2 - 2 * s};
  const double curve[4] = {-6 * s + 4, 18 * s - 10, -18 * s + 8, 6 * s - 2};
  for (int k = 0; k < 4; k++) {
    w[0][k] = 0.5 * value[k];
    w[1][k] = 0.5 * slope[k];
    w[2][k] = 0.5 * curve[k];
  }
}

/* The cell of a coordinate, where in it, and the weights; beyond the grid the last cell's. */
static int cell_of(double x, double size, int count, double w[3][4])
{
  double at = (x / size + 0.5) * (count - 1);
  at = fmin(fmax(at, 0), count - 1);
  int cell = (int)fmin(floor(at), count - 2);
  spline(at - cell, w);
  return cell;
}

/* Heights one beyond the border go on straight. */
static double height_at(const ground *data, int column, int row)
{
  int c = column < 0 ? 0 : column >= data->columns ? data->columns - 1 : column;
  int r = row < 0 ? 0 : row >= data->rows ? data->rows - 1 : row;
  if (c != column) return 2 * height_at(data, c, row) - height_at(data, 2 * c - column, row);
  if (r != row) return 2 * height_at(data, column, r) - height_at(data, column, 2 * r - row);
  return data->heights[(size_t)r * (size_t)data->columns + (size_t)c];
}

static height surface(const ground *data, double x, double y)
{
  double wx[3][4], wy[3][4], sums[3][3] = {{0}};
  int column = cell_of(x, data->size[0], data->columns, wx);
  int row = cell_of(y, data->size[1], data->rows, wy);
  for (int i = 0; i < 16; i++) {
    double h = height_at(data, column - 1 + i % 4, row - 1 + i / 4);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; a + b < 3; b++) sums[a][b] += wx[a][i % 4] * wy[b][i / 4] * h;
    }
  }
  double px = (data->columns - 1) / data->size[0], py = (data->rows - 1) / data->size[1];
  return (height){sums[0][0],           sums[1][0] * px,      sums[0][1] * py,
                  sums[2][0] * px * px, sums[1][1] * px * py, sums[0][2] * py * py};
}

/* ---- the nearest point ---- */

typedef struct foot {
  double u, v;
  height at;
  double J[3]; /* uu, uv, vv */
} foot;

static void derive(const double x[3], foot *to)
{
  const height *at = &to->at;
  double above = at->f - x[2];
  to->J[0] = 1 + at->u * at->u + above * at->uu;
  to->J[1] = at->u * at->v + above * at->uv;
  to->J[2] = 1 + at->v * at->v + above * at->vv;
}

/* 0: the iteration failed. */
static int find_foot(const ground *data, const double x[3], foot *to)
{
  to->u = x[0];
  to->v = x[1];
  for (int i = 0; i < MOST_STEPS; i++) {
    to->at = surface(data, to->u, to->v);
    derive(x, to);
    double above = to->at.f - x[2], det = to->J[0] * to->J[2] - to->J[1] * to->J[1];
    double g = to->u - x[0] + above * to->at.u, h = to->v - x[1] + above * to->at.v;
    if (!(to->J[0] > 0) || !(det > 0)) return 0;
    double du = (to->J[1] * h - to->J[2] * g) / det, dv = (to->J[1] * g - to->J[0] * h) / det;
    if (fabs(g) + fabs(h) <= 1e-13 * (data->size[0] + data->size[1])) return 1;
    to->u += du;
    to->v += dv;
    if (fabs(to->u) > 0.5 * data->size[0] || fabs(to->v) > 0.5 * data->size[1]) return 0;
  }
  return 0;
}

static void bend(const foot *at, const double n[3], double hessian[9])
{
  double length = sqrt(1 + at->at.u * at->at.u + at->at.v * at->at.v);
  double det = at->J[0] * at->J[2] - at->J[1] * at->J[1];
  const double rows[2][3] = {{1, 0, at->at.u}, {0, 1, at->at.v}};
  const double raw[2][3] = {{-at->at.uu, -at->at.uv, 0}, {-at->at.uv, -at->at.vv, 0}};
  double turn[2][3], way[2][3];
  for (int a = 0; a < 2; a++) {
    // the normal's change, along the surface only
    double along = pl_vec3_dot(raw[a], n);
    for (int k = 0; k < 3; k++) turn[a][k] = (raw[a][k] - along * n[k]) / length;
  }
  for (int k = 0; k < 3; k++) {
    way[0][k] = (at->J[2] * rows[0][k] - at->J[1] * rows[1][k]) / det;
    way[1][k] = (at->J[0] * rows[1][k] - at->J[1] * rows[0][k]) / det;
  }
  for (int k = 0; k < 9; k++)
    hessian[k] = turn[0][k / 3] * way[0][k % 3] + turn[1][k / 3] * way[1][k % 3];
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  const ground *data = self->data;
  pl_vec3_set(normal, 0, 0, 1);
  if (hessian) memset(hessian, 0, 9 * sizeof *hessian);
  if (fabs(x[0]) > 0.5 * data->size[0] || fabs(x[1]) > 0.5 * data->size[1]) return INFINITY;
  foot at;
  int found = find_foot(data, x, &at);
  if (!found) {
    at.u = x[0];
    at.v = x[1];
    at.at = surface(data, x[0], x[1]);
  }
  double length = sqrt(1 + at.at.u * at.at.u + at.at.v * at.at.v);
  pl_vec3_set(normal, -at.at.u / length, -at.at.v / length, 1 / length);
  if (found && hessian) bend(&at, normal, hessian);
  const double away[3] = {x[0] - at.u, x[1] - at.v, x[2] - at.at.f};
  return pl_vec3_dot(away, normal);
}

/* Splines swing beyond the heights by at most an eighth of their range in each direction. */
static void bounds(const pl_shape *self, double low[3], double high[3])
{
  const ground *data = self->data;
  for (int k = 0; k < 2; k++) {
    high[k] = 0.5 * data->size[k];
    low[k] = -high[k];
  }
  low[2] = -INFINITY;
  high[2] = data->high + 0.5 * (data->high - data->low);
}

static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  const ground *data = self->data;
  int first = (int)drawing->point_count, fine = data->columns * data->rows < 10000 ? 4 : 1;
  int columns = fine * (data->columns - 1), rows = fine * (data->rows - 1);
  (void)view, (void)error;
  for (int i = 0; i < (columns + 1) * (rows + 1); i++) {
    double x = data->size[0] * ((double)(i % (columns + 1)) / columns - 0.5);
    double y = data->size[1] * ((double)(i / (columns + 1)) / rows - 0.5);
    pl_drawing_point(drawing, (double[]){x, y, surface(data, x, y).f});
  }
  for (int i = 0; i < columns * rows; i++) {
    int a = first + i / columns * (columns + 1) + i % columns;
    pl_drawing_quad(drawing, a, a + 1, a + columns + 2, a + columns + 1);
  }
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_heightfield = {
    .info = {"heightfield", "ground by its heights over a grid; beside the grid there is none",
             "Catmull & Rom 1974 (interpolation)", params, PARAM_COUNT, NULL},
    .place = place,
    .build = build,
    .destroy = destroy,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
