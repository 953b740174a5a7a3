/* A ball: a rounded cube of cells in the middle, and layers of cells from its boundary to the
 * sphere. The nodes of the surface lie on the sphere. */
#include "mesh/generator.h"

enum { RADIUS, CELLS, CENTRE, ELEMENT = 5 };

static const pl_param params[] = {
    {"radius", "m", "radius", 0.5, 1e-9, 1e9, NULL, 0},
    {"cells", "count", "cells along a diameter, about", 6, 1, 4096, NULL, 0},
    {"centre", "m", "the middle", 0, -1e9, 1e9, NULL, 3},
    {"element", "1", "six tetrahedra or one hexahedron per cell", 0, 0, 1, "tet|hex", 0},
};

static const char *const set_names[] = {"surface"};

/* Nodes on the boundary of the core, and so in each layer. */
static int64_t layer_size(const pl_round *round)
{
  int64_t side = round->side;
  return 6 * side * side + 2;
}

/* The number of a lattice point among those on the boundary of the core, x fastest, z slowest. */
static int boundary_number(int side, const int at[3])
{
  int row = side + 1, face = row * row, loop = 4 * side;
  if (at[2] == 0) return at[0] + row * at[1];
  if (at[2] == side) return face + loop * (side - 1) + at[0] + row * at[1];
  int start = face + loop * (at[2] - 1);
  if (at[1] == 0) return start + at[0];
  if (at[1] == side) return start + row + 2 * (side - 1) + at[0];
  return start + row + 2 * (at[1] - 1) + (at[0] == side);
}

/* The number of a node at a lattice point, layer layers outside the core. */
static int node_at(const pl_round *round, const int at[3], int layer)
{
  int row = round->side + 1;
  if (layer == 0) return at[0] + row * (at[1] + row * at[2]);
  return row * row * row + (layer - 1) * (int)layer_size(round) + boundary_number(round->side, at);
}

static void add_nodes(pl_builder *builder, const pl_round *round, const double *values)
{
  // the core, then each layer, all in the order of the lattice
  for (int layer = 0; layer <= round->layers; layer++) {
    int at[3];
    for (at[2] = 0; at[2] <= round->side; at[2]++) {
      for (at[1] = 0; at[1] <= round->side; at[1]++) {
        for (at[0] = 0; at[0] <= round->side; at[0]++) {
          int outer = pl_round_outer(round, at);
          if (layer > 0 && !outer) continue;
          double position[3];
          pl_round_place(round, at, layer, position);
          for (int k = 0; k < 3; k++)
            position[k] = values[CENTRE + k] + values[RADIUS] * position[k];
          pl_builder_node(builder, position, outer && layer == round->layers);
        }
      }
    }
  }
}

static void add_core(pl_builder *builder, const pl_round *round)
{
  int at[3];
  for (at[2] = 0; at[2] < round->side; at[2]++) {
    for (at[1] = 0; at[1] < round->side; at[1]++) {
      for (at[0] = 0; at[0] < round->side; at[0]++) {
        int nodes[8];
        for (int c = 0; c < 8; c++) {
          int right = c % 4 == 1 || c % 4 == 2, back = c % 4 >= 2, up = c / 4;
          nodes[c] = node_at(round, (int[]){at[0] + right, at[1] + back, at[2] + up}, 0);
        }
        pl_builder_cell(builder, nodes);
      }
    }
  }
}

/* The cells that stand on one square of the core's boundary: the square at (u, v) of the low or
 * high face across axis, seen counter-clockwise from outside. */
static void add_stack(pl_builder *builder, const pl_round *round, int axis, int high, int u, int v)
{
  int corners[4][3];
  for (int c = 0; c < 4; c++) {
    int right = c == 1 || c == 2, back = c >= 2;
    corners[c][axis] = high ? round->side : 0;
    corners[c][(axis + 1) % 3] = u + (high ? right : back);
    corners[c][(axis + 2) % 3] = v + (high ? back : right);
  }
  for (int layer = 0; layer < round->layers; layer++) {
    int nodes[8];
    for (int c = 0; c < 8; c++) nodes[c] = node_at(round, corners[c % 4], layer + c / 4);
    pl_builder_cell(builder, nodes);
  }
}

static void fill(pl_builder *builder, const double *values)
{
  pl_round round = pl_round_make(3, (int)values[CELLS]);
  add_nodes(builder, &round, values);
  add_core(builder, &round);
  for (int side = 0; side < 6; side++) {
    for (int v = 0; v < round.side; v++) {
      for (int u = 0; u < round.side; u++) add_stack(builder, &round, side / 2, side % 2, u, v);
    }
  }
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  pl_round round = pl_round_make(3, (int)values[CELLS]);
  int64_t side = round.side, layers = round.layers;
  pl_build_plan plan = {.node_count =
                            (side + 1) * (side + 1) * (side + 1) + layers * layer_size(&round),
                        .cell_count = side * side * side + layers * 6 * side * side,
                        .elements_per_cell = values[ELEMENT] > 0 ? 1 : 6,
                        .set_count = 1,
                        .set_names = set_names,
                        .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_sphere = {
    .info = {"sphere", "a ball", "", params, sizeof params / sizeof *params, NULL},
    .generate = generate,
};
