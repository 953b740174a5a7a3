/* Copying meshes. */
#include "mesh/copy.h"

#include "mesh/grid.h"
#include "mesh/quads.h"

pl_mesh_def pl_mesh_def_of(const pl_mesh *mesh, const pl_allocator *allocator)
{
  return (pl_mesh_def){.node_count = mesh->node_count,
                       .nodes = mesh->nodes,
                       .element_count = mesh->element_count,
                       .nodes_per_element = mesh->nodes_per_element,
                       .elements = mesh->elements,
                       .set_count = mesh->set_count,
                       .sets = mesh->sets,
                       .hanging_count = mesh->hanging_count,
                       .hanging = mesh->hanging,
                       .axes = mesh->axes,
                       .allocator = allocator};
}

pl_status pl_mesh_copy(const pl_mesh *mesh, const pl_allocator *allocator, pl_mesh **out,
                       pl_error *error)
{
  pl_mesh_def def = pl_mesh_def_of(mesh, allocator);
  pl_status status = pl_mesh_create(&def, out, error);
  if (!status) status = pl_mesh_take_octets(*out, mesh, NULL, NULL, error);
  if (!status) status = pl_mesh_take_quads(*out, mesh, NULL, NULL, error);
  if (!status) status = pl_mesh_take_grid(*out, mesh, NULL, error);
  if (!status) return PL_OK;
  pl_mesh_destroy(*out);
  *out = NULL;
  return status;
}
