/* A box whose eight corners may be moved, cut into cells as a box is: the trilinear map of a grid.
 * Panels that taper and bars that are skewed, such as Cook's membrane. */
#include "mesh/generator.h"

enum { SIZE, CELLS = 3, ORIGIN = 6, SHIFTS = 9, ELEMENT = 33 };
enum { TET, HEX };

#define SHIFT(place, at)                                                                           \
  {                                                                                                \
    "shift" #place, "m", "how far the corner " at " is from where a box has it", 0, -1e9, 1e9,     \
        NULL, 3                                                                                    \
  }

static const pl_param params[] = {
    {"size", "m", "length of the edges along x, y and z before corners are moved", 1, 1e-9, 1e9,
     NULL, 3},
    {"cells", "count", "cells along x, y and z", 1, 1, 4096, NULL, 3},
    {"origin", "m", "the corner with the least coordinates before it is moved", 0, -1e9, 1e9, NULL,
     3},
    SHIFT(0, "x-min y-min z-min"),
    SHIFT(1, "x-max y-min z-min"),
    SHIFT(2, "x-max y-max z-min"),
    SHIFT(3, "x-min y-max z-min"),
    SHIFT(4, "x-min y-min z-max"),
    SHIFT(5, "x-max y-min z-max"),
    SHIFT(6, "x-max y-max z-max"),
    SHIFT(7, "x-min y-max z-max"),
    {"element", "1", "six tetrahedra or one hexahedron per cell", 0, 0, 1, "tet|hex", 0},
};

static const char *const set_names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};

/* The place of a grid point, each coordinate from 0 to 1. */
static void place(const double *values, const double at[3], double position[3])
{
  static const int ends[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int i = 0; i < 3; i++) position[i] = values[ORIGIN + i] + values[SIZE + i] * at[i];
  for (int c = 0; c < 8; c++) {
    double weight = 1;
    for (int k = 0; k < 3; k++) weight *= ends[c][k] ? at[k] : 1 - at[k];
    for (int i = 0; i < 3; i++) position[i] += weight * values[SHIFTS + 3 * c + i];
  }
}

/* The grid index of a node. */
static void index_of(const double *values, int node, int index[3])
{
  for (int k = 0; k < 3; k++) {
    index[k] = node % ((int)values[CELLS + k] + 1);
    node /= (int)values[CELLS + k] + 1;
  }
}

static void middle(const double *values, const int ends[2], double position[3])
{
  int from[3], to[3];
  double at[3];
  index_of(values, ends[0], from);
  index_of(values, ends[1], to);
  for (int k = 0; k < 3; k++) at[k] = 0.5 * (from[k] + to[k]) / values[CELLS + k];
  place(values, at, position);
}

static void add_nodes(pl_builder *builder, const double *values, const int cells[3])
{
  int count = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
  for (int n = 0; n < count; n++) {
    int index[3];
    double at[3], position[3];
    unsigned sets = 0;
    index_of(values, n, index);
    for (int k = 0; k < 3; k++) {
      at[k] = (double)index[k] / cells[k];
      if (index[k] == 0) sets |= 1u << 2 * k;
      if (index[k] == cells[k]) sets |= 2u << 2 * k;
    }
    place(values, at, position);
    pl_builder_node(builder, position, sets);
  }
}

static void fill(pl_builder *builder, const double *values)
{
  int cells[3];
  for (int k = 0; k < 3; k++) cells[k] = (int)values[CELLS + k];
  add_nodes(builder, values, cells);
  int row = cells[0] + 1, layer = row * (cells[1] + 1);
  for (int c = 0; c < cells[0] * cells[1] * cells[2]; c++) {
    int low = c % cells[0] + row * (c / cells[0] % cells[1]) + layer * (c / cells[0] / cells[1]);
    int high = low + layer;
    const int nodes[8] = {low,  low + 1,  low + 1 + row,  low + row,
                          high, high + 1, high + 1 + row, high + row};
    pl_builder_cell(builder, nodes);
  }
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  pl_build_plan plan = {.elements_per_cell = (int)values[ELEMENT] == TET ? 6 : 1,
                        .set_count = 6,
                        .set_names = set_names,
                        .fill = fill};
  pl_build_count(&plan, values + CELLS);
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_block = {
    .info = {"block", "a box whose corners are moved: tapered, skewed or twisted", "Cook 1974",
             params, sizeof params / sizeof *params, NULL},
    .generate = generate,
    .middle = middle,
};
