/* A rod of segments of equal length: straight, a helix, a closed ring, or an open knot.
 *
 * Curves are measured as fine polylines, and nodes stand at equal distances along them. The knot is
 * the overhand knot (t^3 - 3 t, t^4 - 4 t^2, (t^5 - 10 t)/5) of Shastri (1992), the trefoil without
 * its closure, with straight ends. */
#include "mesh/generator.h"

#include "core/error.h"
#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>

enum { SHAPE, LENGTH, SEGMENTS, RADIUS, TURNS, ORIGIN, AXIS = 8 };
enum { STRAIGHT, HELIX, RING, KNOT };
enum { START = 1, END = 2, FIRST = 4, LAST = 8 };
enum { FINE = 4096 }; /* pieces of the knot's curve */

static const double KNOT_END = 2.3; /* of t, where its straight ends begin */

static const pl_param params[] = {
    {"shape", "1",
     "a straight line, a helix about the axis, a ring around it, or a line with a knot in its "
     "middle",
     STRAIGHT, 0, KNOT, "straight|helix|ring|knot", 0},
    {"length", "m", "of the rod along itself", 1, 1e-9, 1e9, NULL, 0},
    {"segments", "count", "of equal length", 32, 1, 1000000, NULL, 0},
    {"radius", "m",
     "of a helix, or about that of a knot, whose strands are a tenth of it apart; a ring's follows "
     "from its length",
     0.1, 1e-9, 1e9, NULL, 0},
    {"turns", "1", "of a helix", 4, 1e-3, 1e6, NULL, 0},
    {"origin", "m", "where a line or a helix's axis starts; the middle of a ring or a knot", 0,
     -1e9, 1e9, NULL, 3},
    {"axis", "1", "along which a line or a helix runs, and about which a ring turns", 2, 0, 2,
     "x|y|z", 0},
};

static const char *const set_names[] = {"start", "end", "first", "last"};

/* ---- the knot ---- */

static void knot_at(double size, double t, double x[3])
{
  double t2 = t * t;
  x[0] = size * t * (t2 - 3);
  x[1] = size * t2 * (t2 - 4);
  x[2] = size * t * (t2 * t2 - 10) / 5;
}

static double knot_length(double size)
{
  double sum = 0, a[3], b[3];
  knot_at(size, -KNOT_END, a);
  for (int i = 1; i <= FINE; i++) {
    knot_at(size, KNOT_END * (2.0 * i / FINE - 1), b);
    sum += pl_vec3_distance(a, b);
    pl_vec3_copy(b, a);
  }
  return sum;
}

/* The point s m behind the beginning of the curve; before and behind it on the straight ends. */
static void place_on_knot(double size, double whole, double s, double x[3])
{
  double sum = 0, a[3], b[3], way[3];
  int back = s > whole / 2; // seen from its other end it is the same, but for the signs of x and z
  double rest = back ? whole - s : s;
  knot_at(size, -KNOT_END, a);
  for (int i = 1; i <= FINE; i++) {
    knot_at(size, KNOT_END * (2.0 * i / FINE - 1), b);
    // before its beginning the first piece goes on
    double step = pl_vec3_distance(a, b);
    if (rest < sum + step) {
      pl_vec3_sub(b, a, way);
      pl_vec3_copy(a, x);
      pl_vec3_add_scaled((rest - sum) / step, way, x);
      break;
    }
    sum += step;
    pl_vec3_copy(b, a);
  }
  if (back) x[0] = -x[0], x[2] = -x[2];
}

/* ---- places ---- */

static void place(const double *values, double knot, int i, double x[3])
{
  double length = values[LENGTH], s = i / values[SEGMENTS], radius = values[RADIUS];
  switch ((int)values[SHAPE]) {
  case STRAIGHT:
    pl_vec3_set(x, 0, 0, length * s);
    break;
  case HELIX: {
    double around = 2 * PL_PI * values[TURNS] * radius, angle = 2 * PL_PI * values[TURNS] * s;
    pl_vec3_set(x, radius * pl_cos(angle), radius * pl_sin(angle),
                s * sqrt(length * length - around * around));
    break;
  }
  case RING:
    radius = length / (2 * PL_PI);
    pl_vec3_set(x, radius * pl_cos(2 * PL_PI * s), radius * pl_sin(2 * PL_PI * s), 0);
    break;
  default:
    place_on_knot(radius / 4, knot, length * (s - 0.5) + knot / 2, x);
  }
}

static void fill(pl_builder *builder, const double *values)
{
  int segments = (int)values[SEGMENTS], closed = (int)values[SHAPE] == RING;
  double knot = (int)values[SHAPE] == KNOT ? knot_length(values[RADIUS] / 4) : 0;
  for (int i = 0; i < segments + !closed; i++) {
    double local[3], position[3];
    unsigned sets = (i == 0 ? START | FIRST : 0u) | (i == 1 ? FIRST : 0u);
    sets |= (i == segments ? END | LAST : 0u) | (i == segments - 1 ? LAST : 0u);
    place(values, knot, i, local);
    pl_along_axis((int)values[AXIS], values + ORIGIN, local, position);
    pl_builder_node(builder, position, closed ? sets & FIRST : sets);
  }
  for (int i = 0; i < segments; i++) {
    int *nodes = builder->elements + 2 * (size_t)builder->element_count++;
    nodes[0] = i;
    nodes[1] = closed ? (i + 1) % segments : i + 1;
  }
}

static pl_status check(const double *values, pl_error *error)
{
  double length = values[LENGTH], radius = values[RADIUS];
  int shape = (int)values[SHAPE];
  if (shape == RING && values[SEGMENTS] < 3)
    return pl_fail(error, PL_E_ARGUMENT, "a ring of segments = %g has no inside; take at least 3",
                   values[SEGMENTS]);
  if (shape == HELIX && !(length > 2 * PL_PI * values[TURNS] * radius))
    return pl_fail(
        error, PL_E_ARGUMENT,
        "a rod of length = %g m is too short for turns = %g of radius = %g m, which take "
        "%g m",
        length, values[TURNS], radius, 2 * PL_PI * values[TURNS] * radius);
  double knot = shape == KNOT ? knot_length(radius / 4) : 0;
  if (length < knot)
    return pl_fail(
        error, PL_E_ARGUMENT,
        "a rod of length = %g m is too short for a knot of radius = %g m, which takes %g "
        "m",
        length, radius, knot);
  return PL_OK;
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  pl_status status = check(values, error);
  if (status) return status;
  int64_t segments = (int64_t)values[SEGMENTS];
  const pl_build_plan plan = {.node_count = segments + 1,
                              .cell_count = segments,
                              .elements_per_cell = 1,
                              .nodes_per_element = 2,
                              .set_count = (int)values[SHAPE] == RING ? 0 : 4,
                              .set_names = set_names,
                              .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_rod = {
    .info = {"rod", "a line of segments: straight, a helix, a ring or a knot", "", params,
             sizeof params / sizeof *params, NULL},
    .generate = generate,
};
