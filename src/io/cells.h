/* The cells of a snapshot as files hold them: its elements, but quadrilaterals in place of their
 * two halves, unless these do not follow all other elements (as in a surface file of both), or
 * something stands beside single elements: fields, or sets of them. */
#ifndef PL_IO_CELLS_H
#define PL_IO_CELLS_H

#include "io/format.h"

typedef struct pl_cells {
  const pl_mesh *mesh;
  int plain, quads; /* elements that are none of the halves come first */
} pl_cells;

typedef struct pl_cell {
  int corners;
  const int *nodes;
  int is_quad;
} pl_cell;

static inline pl_cells pl_cells_of_mesh(const pl_mesh *mesh)
{
  pl_cells cells = {mesh, pl_mesh_element_count(mesh), 0};
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    if (pl_mesh_set(mesh, i)->of_elements) return cells;
  }
  int quads = pl_mesh_quad_count(mesh), plain = cells.plain - 2 * quads;
  if (!quads || pl_mesh_quad_elements(mesh)[0] != plain) return cells;
  return (pl_cells){mesh, plain, quads};
}

static inline pl_cells pl_cells_of(const pl_snapshot *snapshot)
{
  for (int i = 0; i < snapshot->field_count; i++) {
    if (snapshot->fields[i].of_elements)
      return (pl_cells){snapshot->mesh, pl_mesh_element_count(snapshot->mesh), 0};
  }
  return pl_cells_of_mesh(snapshot->mesh);
}

static inline pl_cell pl_cell_at(const pl_cells *cells, int index)
{
  int corners = pl_mesh_nodes_per_element(cells->mesh);
  if (index < cells->plain)
    return (pl_cell){corners, pl_mesh_elements(cells->mesh) + (size_t)corners * (size_t)index, 0};
  return (pl_cell){4, pl_mesh_quads(cells->mesh) + 4 * (size_t)(index - cells->plain), 1};
}

/* How many numbers their nodes are together. */
static inline int64_t pl_cells_corners(const pl_cells *cells)
{
  return (int64_t)cells->plain * pl_mesh_nodes_per_element(cells->mesh) + 4 * (int64_t)cells->quads;
}

#endif
