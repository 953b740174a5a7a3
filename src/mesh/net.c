/* A rectangular net: two families of parallel threads that are tied where they cross, each mesh
 * side of several segments. */
#include "mesh/generator.h"

enum { LENGTH, WIDTH, ALONG, ACROSS, SEGMENTS, ORIGIN, AXIS = 8 };
enum { START = 1, END = 2, LEFT = 4, RIGHT = 8, CORNERS = 16, BORDER = 32, KNOTS = 64 };

static const pl_param params[] = {
    {"length", "m", "along x, or the first direction behind the axis", 1, 1e-9, 1e9, NULL, 0},
    {"width", "m", "along y, or the second direction behind the axis", 1, 1e-9, 1e9, NULL, 0},
    {"along", "count", "meshes along its length", 10, 1, 4096, NULL, 0},
    {"across", "count", "meshes along its width", 10, 1, 4096, NULL, 0},
    {"segments", "count", "of each side of a mesh", 1, 1, 256, NULL, 0},
    {"origin", "m", "the corner where it starts, on its left", 0, -1e9, 1e9, NULL, 3},
    {"axis", "1", "the normal of the net: length and width follow as z, x, y do", 2, 0, 2, "x|y|z",
     0},
};

static const char *const set_names[] = {"start",   "end",    "left", "right",
                                        "corners", "border", "knots"};

static unsigned sets_of(int i, int j, int columns, int rows, int step)
{
  unsigned ends = (i == 0 ? START : 0u) | (i == columns ? END : 0u);
  unsigned sides = (j == 0 ? LEFT : 0u) | (j == rows ? RIGHT : 0u);
  unsigned sets = ends | sides | (ends && sides ? CORNERS : 0u) | (ends || sides ? BORDER : 0u);
  return sets | (i % step == 0 && j % step == 0 ? KNOTS : 0u);
}

static void add_segment(pl_builder *builder, int a, int b)
{
  int *nodes = builder->elements + 2 * (size_t)builder->element_count++;
  nodes[0] = a;
  nodes[1] = b;
}

/* Nodes stand where a thread is, row after row; rows between threads have only those of the threads
 * that cross them. */
static void fill(pl_builder *builder, const double *values)
{
  int step = (int)values[SEGMENTS], columns = (int)values[ALONG] * step;
  int rows = (int)values[ACROSS] * step, before = -1;
  for (int j = 0; j <= rows; j++) {
    int first = builder->node_count, full = j % step == 0, every = full ? 1 : step;
    for (int i = 0; i <= columns; i += every) {
      double local[3] = {values[LENGTH] * i / columns, values[WIDTH] * j / rows, 0}, position[3];
      pl_along_axis((int)values[AXIS], values + ORIGIN, local, position);
      int node = pl_builder_node(builder, position, sets_of(i, j, columns, rows, step));
      if (full && i > 0) add_segment(builder, node - 1, node);
      int was_full = (j + step - 1) % step == 0;
      if (before >= 0 && i % step == 0)
        add_segment(builder, before + i / (was_full ? 1 : step), node);
    }
    before = first;
  }
}

static pl_status generate(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                          pl_error *error)
{
  int64_t step = (int64_t)values[SEGMENTS], columns = (int64_t)values[ALONG] * step;
  int64_t rows = (int64_t)values[ACROSS] * step;
  int64_t along = columns * ((int64_t)values[ACROSS] + 1);
  int64_t across = rows * ((int64_t)values[ALONG] + 1);
  const pl_build_plan plan = {.node_count = along + across + columns + rows + 1,
                              .cell_count = along + across,
                              .elements_per_cell = 1,
                              .nodes_per_element = 2,
                              .set_count = 7,
                              .set_names = set_names,
                              .fill = fill};
  return pl_build(&plan, values, allocator, mesh, error);
}

const pl_generator_ops pl_generator_net = {
    .info = {"net", "a rectangular net of segments, for the model \"rod\"", "", params,
             sizeof params / sizeof *params, NULL},
    .generate = generate,
};
