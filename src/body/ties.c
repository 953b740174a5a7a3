/* What makes nodes of a body dependent: hanging nodes as given, and rigid parts from regions. */
#include "body/body.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hanging nodes ---- */

static pl_status check_node(const pl_body *body, int node, pl_error *error)
{
  int count = body->mesh->node_count;
  if (node >= 0 && node < count) return PL_OK;
  return pl_fail_entity(error, PL_E_ARGUMENT, node,
                        "a hanging node names node %d; the body has nodes 0 to %d", node,
                        count - 1);
}

static pl_status copy_hanging(const pl_hanging_node *from, const pl_body *body, pl_ties *ties,
                              pl_error *error)
{
  pl_status status = check_node(body, from->node, error);
  if (status) return status;
  if (from->count < 1 || !from->parents || !from->weights)
    return pl_fail_entity(error, PL_E_ARGUMENT, from->node,
                          "hanging node %d has %d parents; it needs parents and weights",
                          from->node, from->count);
  const pl_hanging *to = pl_ties_append(ties, body->place[from->node], from->count);
  memcpy(to->weights, from->weights, (size_t)from->count * sizeof(double));
  for (int j = 0; j < from->count && !status; j++) {
    status = check_node(body, from->parents[j], error);
    if (!status) to->parents[j] = body->place[from->parents[j]];
  }
  return status;
}

pl_status pl_ties_hang(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                       pl_error *error)
{
  if (def->hanging_count < 0 || (def->hanging_count && !def->hanging))
    return pl_fail(error, PL_E_ARGUMENT, "a body has %d hanging nodes, but no list of them",
                   def->hanging_count);
  // the body's own list, or that of the mesh
  const pl_hanging_node *list = def->hanging_count ? def->hanging : body->mesh->hanging;
  int count = def->hanging_count ? def->hanging_count : body->mesh->hanging_count;
  const pl_model_ops *model = (const pl_model_ops *)(const void *)body->model_part.member;
  if (model->is_rigid) return PL_OK; // what hangs moves along
  if (count && model->nodes)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "the nodes of model=\"%s\" follow its frames and cannot hang on others; use "
                   "model=\"fem\"",
                   model->info.name);
  size_t parents = 0;
  for (int h = 0; h < count; h++) parents += list[h].count > 0 ? (size_t)list[h].count : 0;
  body->ties.averaged = def->average_hanging != 0;
  pl_status status = pl_ties_reserve(allocator, &body->ties, count, parents, error);
  for (int h = 0; h < count && !status; h++)
    status = copy_hanging(&list[h], body, &body->ties, error);
  return status;
}

/* ---- rigid parts ---- */

static pl_status check_part(const pl_rigid_def *def, const pl_body *body, pl_error *error)
{
  double length = pl_vec3_norm(def->axis), centre = pl_vec3_norm(def->centre);
  if (body->model->frame_count)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "body \"%.80s\" has frames, which cannot be rigid in part; use model=\"fem\"",
                   body->name);
  if (body->refinement)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "body \"%.80s\" is refined while it moves and cannot have rigid parts; remove "
                   "<refine>, or give the parts a stiff material",
                   body->name);
  if (body->model->ops->is_rigid)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "body \"%.80s\" is rigid as a whole; hinge it by its model, or take "
                   "model=\"fem\" and make a part of it rigid",
                   body->name);
  if ((int)def->hinge < PL_HINGE_NONE || def->hinge > PL_HINGE_AXIS || !isfinite(centre))
    return pl_fail(error, PL_E_ARGUMENT, "a rigid part needs a known hinge and a finite centre");
  if (def->hinge == PL_HINGE_AXIS && (!(length > 0) || !isfinite(length + 1 / length)))
    return pl_fail(error, PL_E_ARGUMENT, "axis = %g %g %g has no direction", def->axis[0],
                   def->axis[1], def->axis[2]);
  return PL_OK;
}

static int compare(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Marks elements whose nodes are all chosen, and those nodes (2); returns how many elements. */
static int mark(const pl_body *body, unsigned char *chosen, unsigned char *rigid)
{
  int n = body->mesh->nodes_per_element, count = 0, room[8];
  for (int e = 0; e < body->mesh->element_count; e++) {
    const int *nodes = pl_body_element(body, e, room);
    int all = 1;
    for (int a = 0; a < n; a++) all &= chosen[body->order[nodes[a]]] != 0;
    if (!all) continue;
    count++;
    rigid[e] = 1;
    for (int a = 0; a < n; a++) chosen[body->order[nodes[a]]] = 2;
  }
  return count;
}

/* Puts a part of the marked nodes behind the others. */
static pl_status append_part(const pl_allocator *allocator, const pl_body *body,
                             const unsigned char *chosen, const pl_rigid_def *def, pl_ties *ties,
                             pl_error *error)
{
  pl_rigid_part part = {.hinged = def->hinge != PL_HINGE_NONE};
  pl_vec3_copy(def->centre, part.centre);
  if (def->hinge == PL_HINGE_AXIS) pl_vec3_scale(1 / pl_vec3_norm(def->axis), def->axis, part.axis);
  for (int i = 0; i < body->mesh->node_count; i++) part.count += chosen[i] == 2;
  pl_rigid_part *parts = pl_alloc(allocator, (size_t)ties->part_count + 1, sizeof *parts);
  part.nodes = pl_alloc(allocator, (size_t)part.count, sizeof(int));
  if (!parts || !part.nodes) {
    pl_free(allocator, parts);
    pl_free(allocator, part.nodes);
    return pl_fail_memory(error);
  }
  for (int i = 0, k = 0; i < body->mesh->node_count; i++) {
    if (chosen[body->order[i]] == 2) part.nodes[k++] = i;
  }
  memcpy(parts, ties->parts, (size_t)ties->part_count * sizeof *parts);
  parts[ties->part_count++] = part;
  pl_free(allocator, ties->parts);
  ties->parts = parts;
  return PL_OK;
}

static pl_status select_part(const pl_allocator *allocator, const pl_body *body,
                             const pl_rigid_def *def, pl_ties *ties, unsigned char *rigid,
                             pl_error *error)
{
  unsigned char *chosen = pl_alloc(allocator, (size_t)body->mesh->node_count, 1);
  pl_status status = chosen ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_nodes(body->mesh, def->where, def->where_count, chosen, NULL, error);
  if (!status && mark(body, chosen, rigid) == 0)
    status = pl_body_refuse_region(body, "whole element", def->where_count, error);
  if (!status) status = append_part(allocator, body, chosen, def, ties, error);
  pl_free(allocator, chosen);
  return status;
}

/* Copies of the body's ties, and room for marks per element. */
static pl_status copy_ties(const pl_allocator *allocator, const pl_body *body, pl_ties *ties,
                           unsigned char **rigid, pl_error *error)
{
  pl_status status = pl_ties_copy(allocator, &body->ties, ties, error);
  *rigid = NULL;
  if (status) return status;
  *rigid = pl_alloc(allocator, (size_t)body->mesh->element_count, 1);
  if (*rigid) return PL_OK;
  pl_ties_release(allocator, ties);
  return pl_fail_memory(error);
}

pl_status pl_ties_add_part(const pl_allocator *allocator, const pl_body *body,
                           const pl_rigid_def *def, pl_ties *ties, unsigned char **rigid,
                           pl_error *error)
{
  pl_status status = check_part(def, body, error);
  if (!status) status = copy_ties(allocator, body, ties, rigid, error);
  if (status) return status;
  if (body->rigid) memcpy(*rigid, body->rigid, (size_t)body->mesh->element_count);
  status = select_part(allocator, body, def, ties, *rigid, error);
  if (!status) return PL_OK;
  pl_ties_release(allocator, ties);
  pl_free(allocator, *rigid);
  *rigid = NULL;
  return status;
}

int pl_ties_mark_part(const pl_body *body, const pl_rigid_part *part, unsigned char *rigid)
{
  int count = 0, room[8];
  for (int e = 0; e < body->mesh->element_count; e++) {
    const int *nodes = pl_body_element(body, e, room);
    int all = 1;
    for (int a = 0; a < body->mesh->nodes_per_element && all; a++)
      all = bsearch(&nodes[a], part->nodes, (size_t)part->count, sizeof(int), compare) != NULL;
    count += all;
    if (all && rigid) rigid[e] = 1;
  }
  return count;
}

pl_status pl_ties_remove_part(const pl_allocator *allocator, const pl_body *body, int part,
                              pl_ties *ties, unsigned char **rigid, pl_error *error)
{
  pl_status status = copy_ties(allocator, body, ties, rigid, error);
  if (status) return status;
  pl_rigid_part *gone = ties->parts + part;
  pl_free(allocator, gone->nodes);
  memmove(gone, gone + 1, (size_t)(--ties->part_count - part) * sizeof *gone);
  for (int p = 0; p < ties->part_count; p++) pl_ties_mark_part(body, &ties->parts[p], *rigid);
  return PL_OK;
}
