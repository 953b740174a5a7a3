/* A box of equal cells: hexahedra, the Kuhn split into six tetrahedra (every cell cut along the
 * same diagonal), or the split into five with mirrored neighbours. */
#include "mesh/generator.h"
#include "mesh/grid.h"

enum { SIZE, CELLS = 3, ORIGIN = 6, ELEMENT = 9 };
enum { TET, TET5, HEX };

static const pl_param params[] = {
    {"size", "m", "length of the edges along x, y and z", 1, 1e-9, 1e9, NULL, 3},
    {"cells", "count", "cells along x, y and z", 1, 1, 4096, NULL, 3},
    {"origin", "m", "the corner with the least coordinates", 0, -1e9, 1e9, NULL, 3},
    {"element", "1", "six or five tetrahedra, or one hexahedron per cell", 0, 0, 2, "tet|tet5|hex",
     0},
};

static const char *const set_names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};

static void add_nodes(pl_builder *builder, const double *values, const int cells[3])
{
  int at[3];
  for (at[2] = 0; at[2] <= cells[2]; at[2]++) {
    for (at[1] = 0; at[1] <= cells[1]; at[1]++) {
      for (at[0] = 0; at[0] <= cells[0]; at[0]++) {
        double position[3];
        unsigned sets = 0;
        for (int k = 0; k < 3; k++) {
          position[k] = values[ORIGIN + k] + values[SIZE + k] * ((double)at[k] / cells[k]);
          if (at[k] == 0) sets |= 1u << 2 * k;
          if (at[k] == cells[k]) sets |= 2u << 2 * k;
        }
        pl_builder_node(builder, position, sets);
      }
    }
  }
}

/* One tetrahedron in the middle and four at corners; odd cells are mirrored, so that neighbours cut
 * their common face along the same diagonal. */
static void add_five(pl_builder *builder, const int n[8], int odd)
{
  static const int corners[2][5][4] = {
      {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}, {1, 3, 4, 6}},
      {{1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}, {0, 2, 7, 5}},
  };
  for (int i = 0; i < 5; i++) {
    const int *c = corners[odd][i];
    pl_builder_tet(builder, n[c[0]], n[c[1]], n[c[2]], n[c[3]]);
  }
}

static void add_cells(pl_builder *builder, const int cells[3], int element)
{
  int row = cells[0] + 1, layer = row * (cells[1] + 1);
  for (int k = 0; k < cells[2]; k++) {
    for (int j = 0; j < cells[1]; j++) {
      for (int i = 0; i < cells[0]; i++) {
        int low = i + row * j + layer * k, high = low + layer;
        int nodes[8] = {low,  low + 1,  low + 1 + row,  low + row,
                        high, high + 1, high + 1 + row, high + row};
        if (element == TET5)
          add_five(builder, nodes, (i + j + k) & 1);
        else
          pl_builder_cell(builder, nodes);
      }
    }
  }
}

static void fill(pl_builder *builder, const double *values)
{
  int cells[3];
  for (int k = 0; k < 3; k++) cells[k] = (int)values[CELLS + k];
  add_nodes(builder, values, cells);
  add_cells(builder, cells, (int)values[ELEMENT]);
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  static const int elements_per_cell[] = {[TET] = 6, [TET5] = 5, [HEX] = 1};
  pl_build_plan plan = {.elements_per_cell = elements_per_cell[(int)values[ELEMENT]],
                        .set_count = 6,
                        .set_names = set_names,
                        .fill = fill};
  pl_build_count(&plan, values + CELLS);
  pl_status status = pl_build(&plan, values, allocator, mesh, error);
  if (status) return status;
  pl_grid grid = {.axes = 3};
  for (int k = 0; k < 3; k++) grid.size[k] = (int)values[CELLS + k] + 1;
  status = pl_mesh_set_grid(*mesh, &grid, error);
  if (!status) return PL_OK;
  pl_mesh_destroy(*mesh);
  *mesh = NULL;
  return status;
}

const pl_generator_ops pl_generator_box = {
    .info = {"box", "a box of equal cells", "Freudenthal 1942; Kuhn 1960", params,
             sizeof params / sizeof *params, NULL},
    .generate = generate,
};
