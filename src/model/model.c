/* The family of deformable models. */
#include "model/model.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/rotation.h"
#include "mesh/element.h"
#include "model/mass.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_model_##name.info,
PL_FAMILY(model, "what a body is made of: force, stiffness and mass", PL_MODELS(X));
#undef X

pl_status pl_model_create(const pl_allocator *allocator, const pl_choice *choice,
                          const pl_mesh *mesh, const pl_material *material, pl_model **out,
                          pl_error *error)
{
  *out = NULL;
  pl_selection part;
  pl_status status = pl_choice_resolve(&pl_model_family, choice, &part.member, part.values, error);
  if (status) return status;
  return pl_model_build(allocator, &part, mesh, material, NULL, out, error);
}

/* Rates of memories are known in elements only. */
static pl_status check_rates(const pl_model *model, const pl_mesh *mesh,
                             const pl_material *material, pl_error *error)
{
  for (int e = 0; e < mesh->element_count && model->ops != &pl_model_fem; e++) {
    const pl_material *of = pl_model_def_material(&model->sites, material, e);
    if (of->fades && of->hermite)
      return pl_fail(error, PL_E_ARGUMENT,
                     "<memory rule=\"hermite\"> needs model=\"fem\"; take rule=\"linear\"");
    if (!model->sites.materials) break;
  }
  return PL_OK;
}

/* Laws that remember or have axes, and modifiers, need a model with points. */
static pl_status check_points(const pl_model *model, const pl_mesh *mesh,
                              const pl_material *material, pl_error *error)
{
  for (int e = 0; e < mesh->element_count && !model->groups; e++) {
    const pl_material *of = pl_model_def_material(&model->sites, material, e);
    if (pl_material_history(of) > 0)
      return pl_fail(
          error, PL_E_ARGUMENT,
          "%s\"%s\" has a memory, which needs the strain in points: model=\"fem\" "
          "(but not strain=\"warped\"), model=\"frames\", or model=\"rigid-frames\" with "
          "forces=\"integrated\"",
          of->fades ? "<memory> of law=" : "law=", of->law ? of->law->info.name : "hooke");
    int has_axes = of->law && of->law->uses_axes && !model->takes_axes;
    if (of->modifier_count > 0 || has_axes)
      return pl_fail(error, PL_E_ARGUMENT,
                     "%s needs the strain in points, which this model has not: take model=\"fem\" "
                     "with strain=\"corotated\"",
                     of->modifier_count > 0 ? of->modifiers[0]->name : of->law->info.name);
    if (!model->sites.materials) break;
  }
  return PL_OK;
}

/* Is it one of the kinds that the model can do with? */
static pl_status check_mesh(const pl_member *member, const pl_mesh *mesh, pl_error *error)
{
  unsigned can = ((const pl_model_ops *)(const void *)member)->meshes;
  int size = mesh->nodes_per_element;
  if (can & (size == 2 ? PL_ON_SEGMENTS : size == 3 ? PL_ON_TRIANGLES : PL_ON_SOLIDS)) return PL_OK;
  if (can == PL_ON_TRIANGLES)
    return pl_fail(error, PL_E_ARGUMENT,
                   "model=\"%s\" is for triangles, and the mesh has %s; take <sheet .../>, or "
                   "kind=\"surface\" of the mesh",
                   member->name, pl_mesh_shape_name(mesh));
  if (size == 2 || can == PL_ON_SEGMENTS)
    return pl_fail(error, PL_E_ARGUMENT, "model=\"%s\" is not for a mesh of %s; %s", member->name,
                   pl_mesh_shape_name(mesh),
                   size == 2 ? "take model=\"rod\"" : "take <rod .../> or <net .../>");
  return pl_fail(error, PL_E_ARGUMENT,
                 "model=\"%s\" needs elements with a volume, and the mesh has triangles; use "
                 "model=\"cloth\", \"springs\" or \"rigid\", or fill the surface",
                 member->name);
}

pl_status pl_model_build(const pl_allocator *allocator, const pl_selection *part,
                         const pl_mesh *mesh, const pl_material *material,
                         const pl_model_def *sites, pl_model **out, pl_error *error)
{
  *out = NULL;
  pl_status fits = check_mesh(part->member, mesh, error);
  if (fits) return fits;
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_model *model = pl_alloc(&memory, 1, sizeof *model);
  if (!model) return pl_fail_memory(error);

  // the member's description is the first part of its table
  model->ops = (const pl_model_ops *)(const void *)part->member;
  model->allocator = memory;
  model->blocks = mesh->node_count;
  model->rest = mesh->nodes;
  if (sites) model->sites = *sites;
  pl_status status = model->ops->create(model, mesh, material, part->values, error);
  if (!status) status = check_points(model, mesh, material, error);
  if (!status) status = check_rates(model, mesh, material, error);
  if (!status && model->ops->memory.postpones && pl_model_memory(model)) {
    model->postponed.q = pl_alloc(&memory, 3 * (size_t)model->blocks, sizeof(double));
    if (!model->postponed.q) status = pl_fail_memory(error);
  }
  if (status) {
    pl_model_destroy(model);
    return status;
  }
  *out = model;
  return PL_OK;
}

void pl_model_destroy(pl_model *model)
{
  if (!model) return;
  pl_allocator memory = model->allocator;
  model->ops->destroy(model);
  pl_free(&memory, model->postponed.q);
  pl_free(&memory, model);
}

pl_status pl_model_bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  if (offset < 0 || offset > A->rows - model->blocks)
    return pl_fail(error, PL_E_ARGUMENT, "rows %d to %d are not in a matrix of %d rows", offset,
                   offset + model->blocks - 1, A->rows);
  return model->ops->bind(model, A, offset, error);
}

size_t pl_model_memory(const pl_model *model)
{
  return model->groups ? pl_groups_memory(model->groups) : model->memory;
}

void pl_model_begin(pl_model *model, const double *memory)
{
  pl_model_settle(model, NULL);
  if (model->groups) pl_groups_begin(model->groups, memory);
  if (model->ops->memory.begin) model->ops->memory.begin(model, memory);
}

static void move_now(pl_model *model, const pl_moment *at, const double *from, double *to,
                     pl_pool *pool)
{
  size_t count = pl_model_memory(model);
  if (model->groups)
    pl_groups_move(model->groups, from, at->h);
  else if (from != to)
    memcpy(to, from, count * sizeof *to);
  model->ops->memory.advance(model, at, to, pool);
  if (model->groups) pl_groups_moved(model->groups, to);
  if (model->ops->memory.begin) model->ops->memory.begin(model, to);
}

void pl_model_settle(pl_model *model, pl_pool *pool)
{
  pl_postponed *move = &model->postponed;
  const pl_moment at = {.h = move->h, .q = move->q};
  double *to = move->to;
  if (!to) return;
  move->to = NULL;
  move_now(model, &at, move->from, to, pool);
}

void pl_model_move(pl_model *model, const pl_moment *at, const double *from, double *to,
                   pl_pool *pool)
{
  pl_postponed *move = &model->postponed;
  if (pl_model_memory(model) == 0) return;
  pl_model_settle(model, pool);
  if (!move->q || !model->ops->memory.postpones(model, at)) {
    move_now(model, at, from, to, pool);
    return;
  }
  memcpy(move->q, at->q, 3 * (size_t)model->blocks * sizeof *move->q);
  move->h = at->h;
  move->from = from;
  move->to = to;
}

int pl_model_is_postponed(const pl_model *model, const pl_moment *at)
{
  const pl_postponed *move = &model->postponed;
  return move->to && move->h == at->h &&
         !memcmp(move->q, at->q, 3 * (size_t)model->blocks * sizeof *move->q);
}

void pl_model_commit(pl_model *model, const pl_moment *at, double *memory, pl_pool *pool)
{
  pl_model_move(model, at, memory, memory, pool);
  pl_model_settle(model, pool);
}

void pl_model_relax(pl_model *model, const double *q, double *memory, pl_pool *pool)
{
  const pl_moment at = {.q = q, .h = INFINITY};
  pl_model_commit(model, &at, memory, pool);
}

void pl_model_retract(const pl_model *model, const double *q, const double *dq, double *out)
{
  for (int i = 0; i < model->blocks; i++) {
    if (pl_model_is_rotation(model, i))
      pl_rotation_turn(q + 3 * i, dq + 3 * i, out + 3 * i);
    else
      pl_vec3_add(q + 3 * i, dq + 3 * i, out + 3 * i);
  }
}

void pl_model_mass_add(pl_model *model, double a, const double *x, double *f, pl_pool *pool)
{
  pl_mass_add(model->mass, a, x, f, pool);
}

void pl_model_mass_matrix(pl_model *model, double a, pl_bsr *A, pl_pool *pool)
{
  pl_mass_matrix(model->mass, a, A, pool);
}

void pl_model_ratios(const pl_mesh *mesh, const double *q, double *von_mises, double *det_f)
{
  int n = mesh->nodes_per_element;
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)n * (size_t)e;
    if (von_mises) von_mises[e] = 0;
    if (det_f) det_f[e] = pl_element_volume(q, nodes, n) / pl_element_volume(mesh->nodes, nodes, n);
  }
}

double pl_model_sum(pl_pool *pool, int chunks, void (*work)(void *context, int chunk),
                    void *context, const double *sums)
{
  double sum = 0;
  pl_parallel(pool, chunks, work, context);
  for (int chunk = 0; chunk < chunks; chunk++) sum += sums[chunk];
  return sum;
}
