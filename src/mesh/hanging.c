/* Hanging nodes of a mesh: the list, checked and renumbered. That each lies where its parents say
 * is checked by who makes it depend on them (model/dependent_resolve.c). */
#include "mesh/mesh.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>

static pl_status check_node(const pl_mesh_def *def, const int *number, int node, pl_error *error)
{
  if (node >= 0 && node < def->node_count && number[node] >= 0) return PL_OK;
  return pl_fail_entity(error, PL_E_MESH, node,
                        "a hanging node names node %d, which no element has; the nodes are 0 to %d",
                        node, def->node_count - 1);
}

static pl_status check_hanging(const pl_mesh_def *def, const int *number,
                               const pl_hanging_node *hanging, pl_error *error)
{
  pl_status status = check_node(def, number, hanging->node, error);
  if (status) return status;
  if (hanging->count < 1 || !hanging->parents || !hanging->weights)
    return pl_fail_entity(error, PL_E_MESH, hanging->node,
                          "hanging node %d has %d parents; it needs parents and weights",
                          hanging->node, hanging->count);
  for (int j = 0; j < hanging->count && !status; j++) {
    status = check_node(def, number, hanging->parents[j], error);
    if (!status && !isfinite(hanging->weights[j]))
      status = pl_fail_entity(error, PL_E_MESH, hanging->node, "hanging node %d has a weight of %g",
                              hanging->node, hanging->weights[j]);
  }
  return status;
}

static pl_status take_room(pl_mesh *mesh, const pl_mesh_def *def, pl_error *error)
{
  size_t parents = 0, count = (size_t)def->hanging_count;
  for (size_t h = 0; h < count; h++) parents += (size_t)def->hanging[h].count;
  mesh->hanging = pl_alloc(&mesh->allocator, count, sizeof *mesh->hanging);
  mesh->hanging_parents = pl_alloc(&mesh->allocator, parents, sizeof *mesh->hanging_parents);
  mesh->hanging_weights = pl_alloc(&mesh->allocator, parents, sizeof *mesh->hanging_weights);
  int ok = mesh->hanging && mesh->hanging_parents && mesh->hanging_weights;
  return ok ? PL_OK : pl_fail_memory(error);
}

pl_status pl_mesh_copy_hanging(pl_mesh *mesh, const pl_mesh_def *def, const int *number,
                               pl_error *error)
{
  if (def->hanging_count == 0) return PL_OK;
  if (def->hanging_count < 0 || !def->hanging)
    return pl_fail(error, PL_E_ARGUMENT, "a mesh has %d hanging nodes, but no list of them",
                   def->hanging_count);
  for (int h = 0; h < def->hanging_count; h++) {
    pl_status status = check_hanging(def, number, &def->hanging[h], error);
    if (status) return status;
  }
  pl_status status = take_room(mesh, def, error);
  if (status) return status;
  int *parents = mesh->hanging_parents;
  double *weights = mesh->hanging_weights;
  for (int h = 0; h < def->hanging_count; h++) {
    const pl_hanging_node *from = &def->hanging[h];
    mesh->hanging[h] = (pl_hanging_node){number[from->node], from->count, parents, weights};
    for (int j = 0; j < from->count; j++) {
      *parents++ = number[from->parents[j]];
      *weights++ = from->weights[j];
    }
  }
  mesh->hanging_count = def->hanging_count;
  return PL_OK;
}

void pl_mesh_free_hanging(pl_mesh *mesh)
{
  pl_free(&mesh->allocator, mesh->hanging);
  pl_free(&mesh->allocator, mesh->hanging_parents);
  pl_free(&mesh->allocator, mesh->hanging_weights);
  mesh->hanging = NULL;
  mesh->hanging_parents = NULL;
  mesh->hanging_weights = NULL;
}

int pl_mesh_hanging_count(const pl_mesh *mesh) { return mesh->hanging_count; }

const pl_hanging_node *pl_mesh_hanging(const pl_mesh *mesh, int index)
{
  return index >= 0 && index < mesh->hanging_count ? &mesh->hanging[index] : NULL;
}
