/* From a forest to the leaves that a body's model is made of. */
#include "body/refinement.h"

#include "body/body.h"
#include "core/error.h"
#include "core/memory.h"
#include "mesh/copy.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

void pl_refinement_destroy(const pl_allocator *allocator, pl_refinement *it)
{
  if (!it) return;
  pl_forest_destroy(it->forest);
  pl_mesh_destroy(it->coarse);
  pl_free(allocator, it->node);
  pl_free(allocator, it->tet_of);
  pl_free(allocator, it->finest);
  pl_free(allocator, it);
}

/* ---- checks ---- */

static pl_status check_def(const pl_body_def *def, pl_error *error)
{
  const pl_refine_def *refine = &def->refine;
  double finest = def->mesh->element_count;
  if (refine->levels < 1 || refine->levels > PL_MOST_REFINE_LEVELS)
    return pl_fail(error, PL_E_ARGUMENT, "a body refined %d times: give 1 to %d levels",
                   refine->levels, PL_MOST_REFINE_LEVELS);
  if (refine->start < 0 || refine->start > refine->levels)
    return pl_fail(error, PL_E_ARGUMENT, "a refined body starts at level %d, of levels 0 to %d",
                   refine->start, refine->levels);
  if (refine->wait < 1)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a refined body waits %d steps between changes; give 1 "
                   "or more",
                   refine->wait);
  if (def->mesh->nodes_per_element != 4 || def->mesh->quadratic)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "only linear tetrahedra are refined, and the mesh has "
                   "%s",
                   pl_mesh_shape_name(def->mesh));
  if (def->mesh->hanging_count || def->hanging_count)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "a mesh with hanging nodes of its own cannot be "
                   "refined; take one without");
  if (def->start)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "a refined body cannot start in the shape of another "
                   "mesh; start it at rest, or stretched");
  for (int i = 0; i < refine->levels; i++) finest *= 8;
  return pl_mesh_check_limits(1, (int64_t)finest, error);
}

/* The value of a word among the model's parameters, 0 where it has no such. */
static double model_value(const pl_selection *part, const char *name)
{
  int index = pl_param_find(part->member, name);
  return index < 0 ? 0 : part->values[pl_param_place(part->member, index)];
}

pl_status pl_refinement_check(const pl_body *body, pl_error *error)
{
  const pl_selection *part = &body->model_part;
  if (strcmp(part->member->name, "fem") != 0)
    return pl_fail(error, PL_E_UNSUPPORTED, "model=\"%s\" cannot be refined; take model=\"fem\"",
                   part->member->name);
  if (body->model->unbalanced || model_value(part, "volume") != 0)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "warped nodes and volumes averaged over neighbours do "
                   "not know nodes that come and go; take strain=\"corotated\" and leave out "
                   "volume");
  if (pl_model_memory(body->model))
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "the law of body \"%.80s\" remembers what happened to "
                   "each element, and elements that come and go have no past; take a law without "
                   "memory, or refine the mesh before",
                   body->name);
  return PL_OK;
}

/* ---- making ---- */

static pl_status copy_coarse(const pl_allocator *allocator, const pl_mesh *mesh, pl_mesh **out,
                             pl_error *error)
{
  pl_mesh_def def = pl_mesh_def_of(mesh, allocator);
  def.hanging_count = 0;
  return pl_mesh_create(&def, out, error);
}

static pl_status plant(const pl_allocator *allocator, const pl_body_def *def, pl_refinement *it,
                       pl_mesh **finest, pl_error *error)
{
  pl_status status = copy_coarse(allocator, def->mesh, &it->coarse, error);
  if (!status) status = pl_forest_create(it->coarse, allocator, &it->forest, error);
  for (int i = 0; i < def->refine.levels && !status; i++)
    status = pl_forest_refine_all(it->forest, error);
  if (status) return status;
  it->node = pl_alloc(allocator, it->forest->node_count, sizeof(int));
  it->finest = pl_alloc(allocator, it->forest->tet_count, sizeof(int));
  if (!it->node || !it->finest) return pl_fail_memory(error);
  return pl_forest_mesh(it->forest, 0, it->node, allocator, finest, error);
}

pl_status pl_refinement_make(const pl_allocator *allocator, const pl_body_def *def,
                             pl_refinement **out, pl_mesh **finest, pl_error *error)
{
  pl_status status = check_def(def, error);
  *finest = NULL;
  if (status) return status;
  pl_refinement *it = *out = pl_alloc(allocator, 1, sizeof *it);
  if (!it) return pl_fail_memory(error);
  it->levels = def->refine.levels;
  it->wait = def->refine.wait;
  return plant(allocator, def, it, finest, error);
}

/* Takes every refinement of that level and of finer ones back. */
static void lower_to(pl_forest *forest, int level)
{
  for (int finer = PL_MOST_REFINE_LEVELS; finer >= level; finer--) {
    for (int t = 0; t < (int)forest->tet_count; t++) {
      if (forest->tets[t].level == finer) pl_forest_coarsen(forest, t);
    }
  }
}

pl_status pl_refinement_number(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                               pl_error *error)
{
  pl_refinement *it = body->refinement;
  const pl_forest *forest = it->forest;
  int elements = body->mesh->element_count, leaf = 0;
  int *place = pl_alloc(allocator, (size_t)elements, sizeof *place);
  it->tet_of = pl_alloc(allocator, (size_t)elements, sizeof(int));
  if (!place || !it->tet_of) {
    pl_free(allocator, place);
    return pl_fail_memory(error);
  }
  for (int e = 0; e < elements; e++) place[body->element_order[e]] = e;
  for (size_t i = 0; i < forest->node_count; i++) it->node[i] = body->place[it->node[i]];
  // the mesh has the leaves in their order, and parents come before their children
  for (int t = (int)forest->tet_count - 1; t >= 0; t--) {
    const pl_forest_tet *tet = &forest->tets[t];
    if (pl_forest_is_leaf(forest, t))
      it->finest[t] = place[elements - ++leaf];
    else
      it->finest[t] = it->finest[tet->child];
    if (pl_forest_is_leaf(forest, t)) it->tet_of[it->finest[t]] = t;
  }
  pl_free(allocator, place);
  lower_to(it->forest, def->refine.start);
  return PL_OK;
}

/* ---- leaves ---- */

int pl_refinement_leaf(const pl_refinement *it, int element)
{
  int tet = it->tet_of[element];
  while (!pl_forest_is_leaf(it->forest, tet)) tet = it->forest->tets[tet].parent;
  return tet;
}

void pl_leaves_release(const pl_allocator *allocator, pl_leaves *leaves)
{
  pl_mesh_destroy(leaves->mesh);
  pl_free(allocator, leaves->element_of);
  pl_free(allocator, leaves->from);
  pl_ties_release(allocator, &leaves->ties);
}

/* The nodes that are no blocks hang half-way between their parents. */
static pl_status tie_nodes(const pl_allocator *allocator, const pl_refinement *it, pl_ties *ties,
                           pl_error *error)
{
  const pl_forest *forest = it->forest;
  pl_status status =
      pl_ties_reserve(allocator, ties, (int)forest->node_count, 2 * forest->node_count, error);
  ties->parts = pl_alloc(allocator, 0, sizeof *ties->parts);
  if (status || !ties->parts) return pl_fail_memory(error);
  for (size_t i = 0; i < forest->node_count; i++) {
    int n = (int)i;
    if (pl_forest_is_active(forest, n) && !pl_forest_is_hanging(forest, n)) continue;
    const pl_hanging *to = pl_ties_append(ties, it->node[i], 2);
    for (int p = 0; p < 2; p++) {
      to->parents[p] = it->node[forest->nodes[i].parents[p]];
      to->weights[p] = 0.5;
    }
  }
  return PL_OK;
}

/* Numbers the leaves in the order of the body's elements; number has room for all tetrahedra. */
static int number_leaves(const pl_body *body, int *number, pl_leaves *to)
{
  const pl_refinement *it = body->refinement;
  int count = 0;
  memset(number, 0, it->forest->tet_count * sizeof *number);
  for (int e = 0; e < body->inside->element_count; e++) {
    int tet = pl_refinement_leaf(it, e);
    if (!number[tet]) {
      to->from[count] = body->element_order[e];
      number[tet] = ++count;
    }
    to->element_of[e] = number[tet] - 1;
  }
  return count;
}

/* A mesh of all the body's nodes, many of which have no element. */
static pl_status make_mesh(const pl_allocator *allocator, const pl_body *body, const int *number,
                           int count, pl_mesh **out, pl_error *error)
{
  const pl_refinement *it = body->refinement;
  size_t nodes = 3 * (size_t)body->inside->node_count;
  pl_mesh *mesh = *out = pl_alloc(allocator, 1, sizeof *mesh);
  if (!mesh) return pl_fail_memory(error);
  *mesh = (pl_mesh){.allocator = *allocator,
                    .node_count = body->inside->node_count,
                    .element_count = count,
                    .nodes_per_element = 4,
                    .nodes_per_face = 3};
  mesh->nodes = pl_alloc(allocator, nodes, sizeof(double));
  mesh->elements = pl_alloc(allocator, 4 * (size_t)count, sizeof(int));
  if (!mesh->nodes || !mesh->elements) return pl_fail_memory(error);
  memcpy(mesh->nodes, body->rest, nodes * sizeof(double));
  for (size_t t = 0; t < it->forest->tet_count; t++) {
    int *to = mesh->elements + 4 * (size_t)(number[t] - 1);
    if (!number[t]) continue;
    for (int i = 0; i < 4; i++) to[i] = it->node[it->forest->tets[t].nodes[i]];
    if (pl_element_volume(mesh->nodes, to, 4) > 0) continue;
    int last = to[3];
    to[3] = to[2];
    to[2] = last;
  }
  return PL_OK;
}

pl_status pl_refinement_leaves(const pl_allocator *allocator, const pl_body *body, pl_leaves *to,
                               pl_error *error)
{
  size_t elements = (size_t)body->inside->element_count;
  *to = (pl_leaves){0};
  int *number = pl_alloc(allocator, body->refinement->forest->tet_count, sizeof *number);
  to->element_of = pl_alloc(allocator, elements, sizeof(int));
  to->from = pl_alloc(allocator, elements, sizeof(int));
  pl_status status = number && to->element_of && to->from ? PL_OK : pl_fail_memory(error);
  if (!status) {
    int count = number_leaves(body, number, to);
    status = make_mesh(allocator, body, number, count, &to->mesh, error);
  }
  if (!status) status = tie_nodes(allocator, body->refinement, &to->ties, error);
  pl_free(allocator, number);
  if (status) pl_leaves_release(allocator, to);
  return status;
}
