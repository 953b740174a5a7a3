/* A rectangular sheet of triangles, flat or bent to a part of a cylinder.
 *
 * A cell is cut along one diagonal, along diagonals that alternate like a chequerboard's colours,
 * or along both; staggered rows are shifted by half a cell, with half cells at their ends: all but
 * the outer triangles are equilateral if a row is as high as sqrt(3)/2 of a cell's length. */
#include "mesh/generator.h"

#include "core/error.h"
#include "math/functions.h"

enum { LENGTH, WIDTH, ALONG, ACROSS, ORIGIN, AXIS = 7, PATTERN, ARC };
enum { DIAGONAL, ALTERNATING, CROSSED, STAGGERED };
enum { START = 1, END = 2, LEFT = 4, RIGHT = 8, CORNERS = 16 };

static const pl_param params[] = {
    {"length", "m", "along x, or the first direction behind the axis", 1, 1e-9, 1e9, NULL, 0},
    {"width", "m", "along y, or the second direction behind the axis", 1, 1e-9, 1e9, NULL, 0},
    {"along", "count", "cells along its length", 10, 1, 16384, NULL, 0},
    {"across", "count", "cells along its width", 10, 1, 16384, NULL, 0},
    {"origin", "m", "the corner where it starts, on its left", 0, -1e9, 1e9, NULL, 3},
    {"axis", "1", "the normal of the sheet: length and width follow as z, x, y do", 2, 0, 2,
     "x|y|z", 0},
    {"pattern", "1",
     "how cells are cut into triangles: along one diagonal, alternating ones or both; or rows "
     "shifted by half a cell",
     ALTERNATING, 0, 3, "diagonal|alternating|crossed|staggered", 0},
    {"arc", "degrees",
     "the angle that its length is bent to, about its width, its middle upwards; 360: a tube that "
     "is closed",
     0, 0, 360, NULL, 0},
};

static const char *const set_names[] = {"start", "end", "left", "right", "corners"};

typedef struct sheet {
  int along, across, pattern, closed;
  const double *values;
} sheet;

static sheet sheet_from(const double *values)
{
  return (sheet){(int)values[ALONG], (int)values[ACROSS], (int)values[PATTERN], values[ARC] >= 360,
                 values};
}

/* Places of a row: staggered odd rows have half cells at both ends. */
static int row_length(const sheet *s, int j)
{
  if (s->closed) return s->along;
  return s->along + 1 + (s->pattern == STAGGERED && j % 2);
}

static int row_start(const sheet *s, int j)
{
  int odd = s->pattern == STAGGERED && !s->closed ? j / 2 : 0;
  return row_length(s, 0) * j + odd;
}

static int node_at(const sheet *s, int i, int j)
{
  return row_start(s, j) + (s->closed ? i % s->along : i);
}

/* How far along its length the i-th place of a row is, 0 to 1. */
static double place_of(const sheet *s, int i, int j)
{
  double at = i;
  if (s->pattern == STAGGERED && j % 2) {
    at = s->closed ? i + 0.5 : i - 0.5;
    if (!s->closed && i == 0) at = 0;
    if (!s->closed && i > s->along) at = s->along;
  }
  return at / s->along;
}

static void add_node(pl_builder *builder, const sheet *s, double u, double w, unsigned sets)
{
  const double *values = s->values;
  double position[3], local[3] = {values[LENGTH] * u, values[WIDTH] * w, 0};
  double arc = values[ARC] * (3.14159265358979323846 / 180);
  if (arc > 0) {
    double radius = values[LENGTH] / arc, half = pl_sin(arc / 2);
    local[0] = radius * ((arc < 3.14159265358979 ? half : 1) + pl_sin(arc * (u - 0.5)));
    local[2] = radius * (pl_cos(arc * (u - 0.5)) - pl_cos(arc / 2));
  }
  pl_along_axis((int)values[AXIS], values + ORIGIN, local, position);
  pl_builder_node(builder, position, sets);
}

static unsigned sets_of(const sheet *s, int i, int j)
{
  unsigned sets = 0;
  if (!s->closed && i == 0) sets |= START;
  if (!s->closed && i == row_length(s, j) - 1) sets |= END;
  unsigned sides = (j == 0 ? LEFT : 0u) | (j == s->across ? RIGHT : 0u);
  return sets | sides | (sets && sides ? CORNERS : 0u);
}

static void add_triangle(pl_builder *builder, int a, int b, int c)
{
  int *nodes = builder->elements + 3 * (size_t)builder->element_count++;
  nodes[0] = a;
  nodes[1] = b;
  nodes[2] = c;
}

/* A cell; middle: the node in it, for crossed ones. */
static void add_cell(pl_builder *builder, const sheet *s, int i, int j, int middle)
{
  int a = node_at(s, i, j), b = node_at(s, i + 1, j);
  int c = node_at(s, i + 1, j + 1), d = node_at(s, i, j + 1);
  if (s->pattern == CROSSED) {
    add_triangle(builder, a, b, middle);
    add_triangle(builder, b, c, middle);
    add_triangle(builder, c, d, middle);
    add_triangle(builder, d, a, middle);
  } else if (s->pattern == ALTERNATING && (i + j) % 2) {
    add_triangle(builder, a, b, d);
    add_triangle(builder, b, c, d);
  } else {
    add_triangle(builder, a, b, c);
    add_triangle(builder, a, c, d);
  }
}

/* Twice a place's way along a staggered row, in cells. */
static int way_of(const sheet *s, int i, int j) { return 2 * i + j % 2 * (s->closed ? 1 : -1); }

/* The triangles between two staggered rows: the row whose next place comes first goes on. */
static void add_staggered(pl_builder *builder, const sheet *s, int j)
{
  int low = 0, high = 0;
  int lows = row_length(s, j) - !s->closed, highs = row_length(s, j + 1) - !s->closed;
  while (low < lows || high < highs) {
    int first = way_of(s, low + 1, j) < way_of(s, high + 1, j + 1);
    int below = high == highs || (low < lows && first);
    int a = node_at(s, low, j), d = node_at(s, high, j + 1);
    int next = below ? node_at(s, ++low, j) : node_at(s, ++high, j + 1);
    add_triangle(builder, a, next, d);
  }
}

static void fill(pl_builder *builder, const double *values)
{
  sheet s = sheet_from(values);
  for (int j = 0; j <= s.across; j++) {
    for (int i = 0; i < row_length(&s, j); i++)
      add_node(builder, &s, place_of(&s, i, j), (double)j / s.across, sets_of(&s, i, j));
  }
  int middle = builder->node_count;
  for (int j = 0; j < s.across && s.pattern == CROSSED; j++) {
    for (int i = 0; i < s.along; i++)
      add_node(builder, &s, (i + 0.5) / s.along, (j + 0.5) / s.across, 0);
  }
  for (int j = 0; j < s.across; j++) {
    for (int i = 0; i < s.along && s.pattern != STAGGERED; i++)
      add_cell(builder, &s, i, j, middle + i + s.along * j);
    if (s.pattern == STAGGERED) add_staggered(builder, &s, j);
  }
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  sheet s = sheet_from(values);
  int64_t cells = (int64_t)s.along * s.across, rows = s.across + 1;
  if (s.closed && (s.along < 3 || (s.pattern == ALTERNATING && s.along % 2)))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a closed sheet cannot have along = %d cells around; take at least 3, and an "
                   "even number where diagonals alternate",
                   s.along);
  const pl_build_plan plan = {.node_count = (s.along + 2) * rows + cells,
                              .cell_count = 4 * cells + rows,
                              .elements_per_cell = 1,
                              .nodes_per_element = 3,
                              .set_count = s.closed ? 4 : 5,
                              .set_names = set_names,
                              .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_sheet = {
    .info = {"sheet", "a rectangular sheet of triangles, flat or bent", "", params,
             sizeof params / sizeof *params, NULL},
    .generate = generate,
};
