/* A tube: rings of cells between two round surfaces, drawn out along the axis. */
#include "math/functions.h"
#include "mesh/generator.h"

#include "core/error.h"

#include <math.h>

enum { INNER, OUTER, LENGTH, RADIAL, AROUND, ALONG, ORIGIN, AXIS = 9, ELEMENT };
enum { BOTTOM = 1, TOP = 2, INSIDE = 4, OUTSIDE = 8 };

static const pl_param params[] = {
    {"inner", "m", "inner radius", 0.25, 1e-9, 1e9, NULL, 0},
    {"outer", "m", "outer radius", 0.5, 1e-9, 1e9, NULL, 0},
    {"length", "m", "length along the axis", 1, 1e-9, 1e9, NULL, 0},
    {"radial", "count", "cells through the wall", 2, 1, 4096, NULL, 0},
    {"around", "count", "cells around the axis", 16, 3, 65536, NULL, 0},
    {"along", "count", "cells along the axis", 4, 1, 65536, NULL, 0},
    {"origin", "m", "the middle of the bottom ring", 0, -1e9, 1e9, NULL, 3},
    {"axis", "1", "direction from bottom to top", 2, 0, 2, "x|y|z", 0},
    {"element", "1", "six tetrahedra or one hexahedron per cell", 0, 0, 1, "tet|hex", 0},
};

static const char *const set_names[] = {"bottom", "top", "inner", "outer"};

static const double TURN = 6.28318530717958647693; /* 2 pi */

typedef struct ring {
  int radial, around, along;
} ring;

static ring ring_from(const double *values)
{
  return (ring){(int)values[RADIAL], (int)values[AROUND], (int)values[ALONG]};
}

static int node_at(const ring *r, int i, int j, int k)
{
  return i + (r->radial + 1) * (j % r->around + r->around * k);
}

static void add_nodes(pl_builder *builder, const ring *r, const double *values)
{
  int axis = (int)values[AXIS];
  for (int k = 0; k <= r->along; k++) {
    for (int j = 0; j < r->around; j++) {
      double angle = TURN * j / r->around;
      for (int i = 0; i <= r->radial; i++) {
        double part = (double)i / r->radial;
        double radius = (1 - part) * values[INNER] + part * values[OUTER];
        double local[3] = {radius * pl_cos(angle), radius * pl_sin(angle),
                           values[LENGTH] * ((double)k / r->along)};
        double position[3];
        pl_along_axis(axis, values + ORIGIN, local, position);
        unsigned sets = (k == 0 ? BOTTOM : 0u) | (k == r->along ? TOP : 0u) |
                        (i == 0 ? INSIDE : 0u) | (i == r->radial ? OUTSIDE : 0u);
        pl_builder_node(builder, position, sets);
      }
    }
  }
}

static void add_cells(pl_builder *builder, const ring *r)
{
  for (int k = 0; k < r->along; k++) {
    for (int j = 0; j < r->around; j++) {
      for (int i = 0; i < r->radial; i++) {
        int nodes[8];
        for (int c = 0; c < 8; c++) {
          int right = c % 4 == 1 || c % 4 == 2, back = c % 4 >= 2, up = c / 4;
          nodes[c] = node_at(r, i + right, j + back, k + up);
        }
        pl_builder_cell(builder, nodes);
      }
    }
  }
}

static void fill(pl_builder *builder, const double *values)
{
  ring r = ring_from(values);
  add_nodes(builder, &r, values);
  add_cells(builder, &r);
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  if (!(values[INNER] < values[OUTER]))
    return pl_fail(error, PL_E_ARGUMENT, "inner = %g must be less than outer = %g", values[INNER],
                   values[OUTER]);
  ring r = ring_from(values);
  pl_build_plan plan = {.node_count = (int64_t)(r.radial + 1) * r.around * (r.along + 1),
                        .cell_count = (int64_t)r.radial * r.around * r.along,
                        .elements_per_cell = values[ELEMENT] > 0 ? 1 : 6,
                        .set_count = 4,
                        .set_names = set_names,
                        .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_tube = {
    .info = {"tube", "a round tube", "", params, sizeof params / sizeof *params, NULL},
    .generate = generate,
};
