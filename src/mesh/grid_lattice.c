/* The generator "lattice": grids of particles on lines, rings and helices, on planes, arcs, tubes
 * and ellipsoids, and in boxes and balls.
 *
 * A curve has the axis m, a surface m and n, a solid l, m and n; with s, t, u from 0 to 1 along
 * them,
 *
 *   plane      (s - 1/2, t - 1/2, 0) * size; bent to an arc about y where arc is not 0, whose
 *              length along m stays size x, with its middle at the origin and its ends above
 *   tube       (cos(2 pi s) / 2, sin(2 pi s) / 2, t - 1/2) * size, s goes around
 *   ellipsoid  (cos(a) sin(b), sin(a) sin(b), cos(b)) * size / 2, a = 2 pi s goes around and b =
 *              pi t; the particles at a pole stand in one place and are not joined, as in the
 *              report, so that the body is open there
 *   box        (s - 1/2, t - 1/2, u - 1/2) * size
 *   ball       the ellipsoid's formula with a radius from a tenth at l = 0 to 1; since cells of no
 *              volume are no cells, b runs from half a cell to half a cell before pi, which
 *              leaves narrow channels at the poles
 *   line       the plane's middle line, bent as it
 *   ring       (cos(2 pi s) / 2, sin(2 pi s) / 2, 0) * size, s goes around
 *   helix      (cos(a) / 2, sin(a) / 2, s - 1/2) * size, a = 2 pi turns s
 *
 * "Implementation of Deformable Objects", 4.4.5 and 4.5.1. */
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "mesh/generator.h"
#include "mesh/grid.h"

#include <math.h>

enum { SHAPE, L, M, N, SIZE, ORIGIN = 7, ARC = 10, TURNS };
enum { PLANE, TUBE, ELLIPSOID, BOX, BALL, LINE, RING, HELIX };

static const double PI = 3.14159265358979323846;

static const pl_param params[] = {
    {"shape", "1",
     "of the grid: a surface of axes m and n, a solid of axes l, m and n, or a curve of the axis m",
     PLANE, 0, HELIX, "plane|tube|ellipsoid|box|ball|line|ring|helix", 0},
    {"l", "count", "particles along the first axis of a solid", 5, 2, PL_MOST_ALONG, NULL, 0},
    {"m", "count", "particles along the axis m, which goes around tubes, ellipsoids and balls", 9,
     2, PL_MOST_ALONG, NULL, 0},
    {"n", "count", "particles along the axis n", 9, 2, PL_MOST_ALONG, NULL, 0},
    {"size", "m", "of a box around it; of a plane along x and y, before it is bent", 1, 1e-9, 1e9,
     NULL, 3},
    {"origin", "m", "the middle of the body", 0, -1e9, 1e9, NULL, 3},
    {"arc", "degrees", "by which a plane or line is bent about y; negative ones bend it down", 0,
     -350, 350, NULL, 0},
    {"turns", "1", "of a helix", 3, 1e-3, 1e3, NULL, 0},
};

/* How far along an axis a particle stands, from 0 to 1. */
static double along(const pl_grid *grid, int axis, int i)
{
  int cells = grid->wraps[axis] ? grid->size[axis] : grid->size[axis] - 1;
  return (double)i / cells;
}

static void place_plane(const double *values, double s, double t, double x[3])
{
  double angle = values[ARC] * PI / 180, width = values[SIZE];
  pl_vec3_set(x, (s - 0.5) * width, (t - 0.5) * values[SIZE + 1], 0);
  if (angle == 0) return;
  double radius = width / angle, turn = angle * (s - 0.5);
  x[0] = radius * pl_sin(turn);
  x[2] = radius * (1 - pl_cos(turn));
}

static void place_round(const double *size, double radius, double s, double b, double x[3])
{
  double a = 2 * PI * s, reach = radius / 2 * pl_sin(b);
  pl_vec3_set(x, reach * pl_cos(a) * size[0], reach * pl_sin(a) * size[1],
              radius / 2 * pl_cos(b) * size[2]);
}

static void place(const pl_grid *grid, const double *values, const int at[3], double x[3])
{
  const double *size = values + SIZE;
  double s[3];
  for (int k = 0; k < 3; k++) s[k] = k < grid->axes ? along(grid, k, at[k]) : 0;
  switch ((int)values[SHAPE]) {
  case PLANE:
    place_plane(values, s[0], s[1], x);
    break;
  case TUBE:
    pl_vec3_set(x, pl_cos(2 * PI * s[0]) / 2 * size[0], pl_sin(2 * PI * s[0]) / 2 * size[1],
                (s[1] - 0.5) * size[2]);
    break;
  case ELLIPSOID:
    place_round(size, 1, s[0], PI * s[1], x);
    // sin(pi) is not quite 0
    if (at[1] == grid->size[1] - 1) x[0] = x[1] = 0;
    break;
  case BOX:
    for (int k = 0; k < 3; k++) x[k] = (s[k] - 0.5) * size[k];
    break;
  case LINE:
    place_plane(values, s[0], 0.5, x);
    break;
  case RING:
  case HELIX: {
    double a = 2 * PI * s[0] * ((int)values[SHAPE] == HELIX ? values[TURNS] : 1);
    pl_vec3_set(x, pl_cos(a) / 2 * size[0], pl_sin(a) / 2 * size[1],
                (int)values[SHAPE] == HELIX ? (s[0] - 0.5) * size[2] : 0);
    break;
  }
  default:
    place_round(size, 0.1 + 0.9 * s[0], s[1], PI * (at[2] + 0.5) / grid->size[2], x);
  }
  pl_vec3_add(x, values + ORIGIN, x);
}

static pl_grid array(const double *values)
{
  int shape = (int)values[SHAPE], is_solid = shape == BOX || shape == BALL;
  int l = (int)values[L], m = (int)values[M], n = (int)values[N];
  if (shape >= LINE) return (pl_grid){1, {m, 1, 1}, {shape == RING, 0, 0}, NULL};
  if (is_solid) return (pl_grid){3, {l, m, n}, {0, shape == BALL, 0}, NULL};
  return (pl_grid){2, {m, n, 1}, {shape != PLANE, 0, 0}, NULL};
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  pl_grid grid = array(values);
  pl_status status = pl_grid_check(&grid, error);
  if (status) return status;
  int count = pl_grid_count(&grid), at[3];
  double *positions = pl_alloc(allocator, (size_t)count, 3 * sizeof *positions);
  if (!positions) return pl_fail_memory(error);
  for (int i = 0; i < count; i++) {
    pl_grid_place(&grid, i, at);
    place(&grid, values, at, positions + 3 * (size_t)i);
  }
  status = pl_grid_mesh(&grid, positions, allocator, mesh, error);
  pl_free(allocator, positions);
  return status;
}

const pl_generator_ops pl_generator_lattice = {
    .info = {"lattice", "a grid of particles, for the model \"grid\"", "", params,
             sizeof params / sizeof *params, NULL},
    .generate = generate,
};
