/* Cells of a cubic grid, as they are.
 *
 * The cage is the unfailing way: all cells that the volume may touch. A cell is left out only if
 * the value at its middle says that the surface is farther away than its corners, so that every
 * point of the volume lies in some cell, however broken the surface is. Voxels are the cells whose
 * middles lie inside; they stand for the volume, so they are not thicker than it. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/fill.h"

#include <math.h>

static const pl_param params[] = {
    {"size", "m", "edge of the cells; without it, as follows from elements", NAN, 1e-12, 1e9, NULL,
     0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
    {"cell", "1", "six tetrahedra or one hexahedron per cell", 0, 0, 1, "tet|hex", 0},
};

static const pl_param voxel_params[] = {
    {"size", "m", "edge of the cells; without it, as follows from elements", NAN, 1e-12, 1e9, NULL,
     0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
};

enum { ELEMENT = 2 };

/* Voxels may be so much thicker than the shape: sizes that follow from elements are not exact. */
static const double THICKER = 1.001;

/* Along the diagonal from corner 0 to corner 6; six paths over the edges. */
static const int kuhn[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                               {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

typedef struct grid {
  double origin[3], size;
  int cells[3];
  int *nodes; /* number of the node at each grid point plus 1, 0: none */
} grid;

static void corner_place(int c, int at[3])
{
  at[0] = c % 4 == 1 || c % 4 == 2;
  at[1] = c % 4 >= 2;
  at[2] = c / 4;
}

static int node_at(grid *g, pl_heap *heap, const int cell[3], int c)
{
  int at[3];
  double position[3];
  corner_place(c, at);
  for (int k = 0; k < 3; k++) {
    at[k] += cell[k];
    position[k] = g->origin[k] + g->size * at[k];
  }
  size_t row = (size_t)g->cells[0] + 1, layer = row * ((size_t)g->cells[1] + 1);
  int *node = &g->nodes[(size_t)at[0] + row * (size_t)at[1] + layer * (size_t)at[2]];
  if (!*node) *node = pl_heap_node(heap, position) + 1;
  return *node - 1;
}

static void add_cell(grid *g, pl_heap *heap, const int cell[3])
{
  int nodes[8];
  for (int c = 0; c < 8; c++) nodes[c] = node_at(g, heap, cell, c);
  if (heap->nodes_per_element == 8) {
    pl_heap_element(heap, nodes);
    return;
  }
  for (int t = 0; t < 6; t++) {
    int tet[4];
    for (int i = 0; i < 4; i++) tet[i] = nodes[kuhn[t][i]];
    pl_heap_element(heap, tet);
  }
}

/* All cells whose value in the middle is below reach times their size. */
static pl_status fill_cells(const pl_volume *volume, double size, double reach, int width,
                            const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  grid g = {.size = size};
  double points = 1;
  for (int k = 0; k < 3; k++) {
    // the grid stands in the middle of the box
    double extent = volume->high[k] - volume->low[k];
    g.cells[k] = (int)ceil(extent / size * (1 - 1e-9));
    if (g.cells[k] < 1) g.cells[k] = 1;
    g.origin[k] = volume->low[k] + 0.5 * (extent - size * g.cells[k]);
    points *= g.cells[k] + 1;
  }
  if (points > 4e8)
    return pl_fail(error, PL_E_LIMIT, "a size of %g m makes a grid of %.2g points; enlarge it",
                   size, points);
  g.nodes = pl_alloc(allocator, (size_t)points, sizeof *g.nodes);
  if (!g.nodes) return pl_fail_memory(error);
  pl_heap heap = {.allocator = *allocator, .nodes_per_element = width};
  int at[3];
  for (at[2] = 0; at[2] < g.cells[2]; at[2]++) {
    for (at[1] = 0; at[1] < g.cells[1]; at[1]++) {
      for (at[0] = 0; at[0] < g.cells[0]; at[0]++) {
        double middle[3];
        for (int k = 0; k < 3; k++) middle[k] = g.origin[k] + size * (at[k] + 0.5);
        if (volume->value(volume->context, middle) < reach * size) add_cell(&g, &heap, at);
      }
    }
  }
  pl_free(allocator, g.nodes);
  return pl_heap_finish(&heap, size, mesh, error);
}

static pl_status fill_cage(const pl_volume *volume, double size, const double *values,
                           const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  return fill_cells(volume, size, 0.5 * sqrt(3) * (1 - 1e-9), values[ELEMENT] > 0 ? 8 : 4,
                    allocator, mesh, error);
}

static pl_status fill_voxels(const pl_volume *volume, double size, const double *values,
                             const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  int thin = 0;
  double extent[3];
  for (int k = 0; k < 3; k++) {
    extent[k] = volume->high[k] - volume->low[k];
    if (extent[k] < extent[thin]) thin = k;
  }
  if (size > THICKER * extent[thin])
    return pl_fail(error, PL_E_ARGUMENT,
                   "voxels of %g m are thicker than the shape, %g m along %c; %s", size,
                   extent[thin], "xyz"[thin],
                   isnan(values[0]) ? "ask for more elements, or for a size" : "make them smaller");
  return fill_cells(volume, size, 0, 8, allocator, mesh, error);
}

const pl_filler_ops pl_filler_cage = {
    .info = {"cage", "all cells of a cubic grid that the shape touches: crude, but never fails", "",
             params, sizeof params / sizeof *params, NULL},
    .elements_per_cell = 6,
    .fill = fill_cage,
};

const pl_filler_ops pl_filler_voxels = {
    .info = {"voxels", "hexahedra: the cells of a cubic grid whose middles lie inside", "",
             voxel_params, sizeof voxel_params / sizeof *voxel_params, NULL},
    .elements_per_cell = 1,
    .fill = fill_voxels,
};
