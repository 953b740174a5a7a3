/* A solid cylinder: a disc of cells (a rounded square and a shell around it), drawn out along the
 * axis. The nodes of the side lie on the round surface. */
#include "mesh/generator.h"

enum { RADIUS, LENGTH, ACROSS, ALONG, ORIGIN, AXIS = 7, ELEMENT };
enum { BOTTOM = 1, TOP = 2, SIDE = 4 };

static const pl_param params[] = {
    {"radius", "m", "radius", 0.5, 1e-9, 1e9, NULL, 0},
    {"length", "m", "length along the axis", 1, 1e-9, 1e9, NULL, 0},
    {"across", "count", "cells along a diameter, about", 4, 1, 4096, NULL, 0},
    {"along", "count", "cells along the axis", 4, 1, 65536, NULL, 0},
    {"origin", "m", "the middle of the bottom disc", 0, -1e9, 1e9, NULL, 3},
    {"axis", "1", "direction from bottom to top", 2, 0, 2, "x|y|z", 0},
    {"element", "1", "six tetrahedra or one hexahedron per cell", 0, 0, 1, "tet|hex", 0},
};

static const char *const set_names[] = {"bottom", "top", "side"};

/* The disc: nodes with their place, cells as four node numbers each. */
typedef struct disc {
  pl_round round;
  int node_count, cell_count, core_count; /* nodes of the core come first */
  int rim_count;                          /* nodes around the core, and in each layer */
} disc;

static disc disc_make(int across)
{
  disc d = {.round = pl_round_make(2, across)};
  int side = d.round.side;
  d.core_count = (side + 1) * (side + 1);
  d.rim_count = 4 * side;
  d.node_count = d.core_count + d.round.layers * d.rim_count;
  d.cell_count = side * side + d.round.layers * d.rim_count;
  return d;
}

/* The lattice point at place i around the core. */
static void rim_point(const disc *d, int i, int at[3])
{
  int side = d->round.side, step = i % side;
  at[2] = 0;
  switch (i / side) {
  case 0:
    at[0] = step, at[1] = 0;
    break;
  case 1:
    at[0] = side, at[1] = step;
    break;
  case 2:
    at[0] = side - step, at[1] = side;
    break;
  default:
    at[0] = 0, at[1] = side - step;
    break;
  }
}

/* The number of a node of the disc: at place i around, layers outside the core. */
static int rim_node(const disc *d, int i, int layer)
{
  int at[3];
  i %= d->rim_count;
  if (layer > 0) return d->core_count + (layer - 1) * d->rim_count + i;
  rim_point(d, i, at);
  return at[0] + (d->round.side + 1) * at[1];
}

/* The place of a node of the unit disc; returns whether it lies on the circle. */
static int disc_place(const disc *d, int node, double position[3])
{
  int at[3] = {0}, layer = 0;
  if (node < d->core_count) {
    at[0] = node % (d->round.side + 1);
    at[1] = node / (d->round.side + 1);
  } else {
    layer = (node - d->core_count) / d->rim_count + 1;
    rim_point(d, (node - d->core_count) % d->rim_count, at);
  }
  pl_round_place(&d->round, at, layer, position);
  return layer == d->round.layers && pl_round_outer(&d->round, at);
}

static void add_nodes(pl_builder *builder, const disc *d, const double *values)
{
  int along = (int)values[ALONG], axis = (int)values[AXIS];
  for (int k = 0; k <= along; k++) {
    for (int i = 0; i < d->node_count; i++) {
      double local[3], position[3];
      unsigned sets = (k == 0 ? BOTTOM : 0u) | (k == along ? TOP : 0u);
      if (disc_place(d, i, local)) sets |= SIDE;
      local[0] *= values[RADIUS];
      local[1] *= values[RADIUS];
      local[2] = values[LENGTH] * ((double)k / along);
      pl_along_axis(axis, values + ORIGIN, local, position);
      pl_builder_node(builder, position, sets);
    }
  }
}

/* Draws a cell of the disc out into cells along the axis. */
static void add_column(pl_builder *builder, const disc *d, const int cell[4], int along)
{
  for (int k = 0; k < along; k++) {
    int nodes[8];
    for (int i = 0; i < 4; i++) {
      nodes[i] = cell[i] + k * d->node_count;
      nodes[i + 4] = nodes[i] + d->node_count;
    }
    pl_builder_cell(builder, nodes);
  }
}

static void add_cells(pl_builder *builder, const disc *d, int along)
{
  int side = d->round.side, row = side + 1;
  for (int j = 0; j < side; j++) {
    for (int i = 0; i < side; i++) {
      int low = i + row * j;
      add_column(builder, d, (int[]){low, low + 1, low + 1 + row, low + row}, along);
    }
  }
  for (int layer = 0; layer < d->round.layers; layer++) {
    for (int i = 0; i < d->rim_count; i++) {
      int cell[4] = {rim_node(d, i, layer), rim_node(d, i, layer + 1),
                     rim_node(d, i + 1, layer + 1), rim_node(d, i + 1, layer)};
      add_column(builder, d, cell, along);
    }
  }
}

static void fill(pl_builder *builder, const double *values)
{
  disc d = disc_make((int)values[ACROSS]);
  add_nodes(builder, &d, values);
  add_cells(builder, &d, (int)values[ALONG]);
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  disc d = disc_make((int)values[ACROSS]);
  int64_t along = (int64_t)values[ALONG];
  pl_build_plan plan = {.node_count = d.node_count * (along + 1),
                        .cell_count = d.cell_count * along,
                        .elements_per_cell = values[ELEMENT] > 0 ? 1 : 6,
                        .set_count = 3,
                        .set_names = set_names,
                        .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_cylinder = {
    .info = {"cylinder", "a solid round cylinder", "", params, sizeof params / sizeof *params,
             NULL},
    .generate = generate,
};
