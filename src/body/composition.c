/* From parts and maps to a material for each element, and to the model. */
#include "body/composition.h"

#include "body/body.h"
#include "body/map.h"
#include "core/error.h"
#include "core/memory.h"
#include "mesh/select.h"
#include "model/divided.h"

#include <string.h>

void pl_composition_release(const pl_allocator *allocator, pl_composition *composition)
{
  pl_free(allocator, composition->parts);
  pl_free(allocator, composition->part_of);
  pl_free(allocator, composition->stiffer);
  pl_free(allocator, composition->denser);
  *composition = (pl_composition){0};
}

static pl_status make_parts(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                            pl_error *error)
{
  pl_composition *to = &body->composition;
  size_t elements = (size_t)body->mesh->element_count;
  unsigned char *chosen = pl_alloc(allocator, elements, 1);
  to->parts = pl_alloc(allocator, (size_t)def->part_count, sizeof *to->parts);
  to->part_of = pl_alloc(allocator, elements, sizeof *to->part_of);
  pl_status status = chosen && to->parts && to->part_of ? PL_OK : pl_fail_memory(error);
  for (int p = 0; p < def->part_count && !status; p++) {
    const pl_body_part *part = &def->parts[p];
    pl_material material;
    int count = 0;
    status = pl_material_check(&part->material, &to->parts[p].law, &material, error);
    to->parts[p].def = part->material;
    to->parts[p].def.law = (pl_choice){0};
    if (!status)
      status = pl_mesh_select_elements(body->mesh, part->where, part->where_count, chosen, &count,
                                       error);
    if (!status && count == 0)
      status = pl_fail(error, PL_E_ARGUMENT,
                       "part %d of the body holds no element; its regions must hold the middle of "
                       "one",
                       p + 1);
    for (size_t e = 0; e < elements && !status; e++) {
      if (chosen[e]) to->part_of[e] = p + 1;
    }
  }
  pl_free(allocator, chosen);
  return status;
}

/* The product of all maps of one kind; *to stays NULL if there is none. */
static pl_status make_factors(const pl_allocator *allocator, const pl_body_def *def,
                              const pl_mesh *mesh, pl_mapped other, double **to, pl_error *error)
{
  pl_status status = PL_OK;
  for (int m = 0; m < def->map_count && !status; m++) {
    if (def->maps[m].of == other) continue;
    if (!*to) {
      *to = pl_alloc(allocator, (size_t)mesh->element_count, sizeof **to);
      if (!*to) return pl_fail_memory(error);
      for (int e = 0; e < mesh->element_count; e++) (*to)[e] = 1;
    }
    status = pl_map_apply(&def->maps[m], mesh, *to, error);
  }
  return status;
}

pl_status pl_composition_make(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                              pl_error *error)
{
  if (def->part_count < 0 || def->map_count < 0 || (def->part_count && !def->parts) ||
      (def->map_count && !def->maps))
    return pl_fail(error, PL_E_ARGUMENT, "a body has %d parts and %d maps, but no list of them",
                   def->part_count, def->map_count);
  pl_status status = def->part_count ? make_parts(allocator, def, body, error) : PL_OK;
  if (!status)
    status = make_factors(allocator, def, body->mesh, PL_MAPPED_DENSITY, &body->composition.stiffer,
                          error);
  if (!status)
    status = make_factors(allocator, def, body->mesh, PL_MAPPED_STIFFNESS,
                          &body->composition.denser, error);
  return status;
}

/* Are a material's axes not the same in all elements? */
static int varies(const pl_orientation *orientation)
{
  return orientation->kind == PL_ORIENTATION_CYLINDRICAL ||
         orientation->kind == PL_ORIENTATION_MESH;
}

/* Density and moduli times the element's factors; viscosity that comes from the stiffness follows
 * it. */
static void multiply(const pl_composition *composition, int element, double damping,
                     pl_material *material)
{
  double stiffer = composition->stiffer ? composition->stiffer[element] : 1;
  material->viscous_lambda += damping * (stiffer - 1) * material->lambda;
  material->viscous_mu += damping * (stiffer - 1) * material->mu;
  material->lambda *= stiffer;
  material->mu *= stiffer;
  if (composition->denser) material->density *= composition->denser[element];
}

static pl_status fill_elements(const pl_body *body, const pl_material_def *def,
                               const pl_material *own, pl_material *each, pl_error *error)
{
  const pl_composition *composition = &body->composition;
  for (int e = 0; e < body->inside->element_count; e++) {
    int from_mesh = body->element_order[e],
        part = composition->part_of ? composition->part_of[from_mesh] : 0;
    each[e] = *own;
    double damping = def->stiffness_damping;
    const pl_orientation *orientation = &def->orientation;
    if (part) {
      const pl_composition_part *from = &composition->parts[part - 1];
      pl_status status = pl_material_make(&from->def, &from->law, &each[e], error);
      if (status) return status;
      damping = from->def.stiffness_damping;
      orientation = &from->def.orientation;
    }
    pl_status status = varies(orientation) ? pl_orientation_in(orientation, body->mesh, from_mesh,
                                                               each[e].axes, error)
                                           : PL_OK;
    if (status) return status;
    multiply(composition, from_mesh, damping, &each[e]);
  }
  return PL_OK;
}

/* Of nodes, before ties make some of them dependent. */
static pl_status build_nodes(const pl_allocator *allocator, const pl_body *body,
                             const pl_material_def *def, const pl_material *material,
                             const pl_model_def *sites, pl_model **model, pl_error *error)
{
  const pl_composition *composition = &body->composition;
  if (!composition->part_of && !composition->stiffer && !composition->denser &&
      !varies(&def->orientation))
    return pl_divided_build(allocator, &body->model_part, body->inside, material, sites, model,
                            error);
  pl_material *each = pl_alloc(allocator, (size_t)body->inside->element_count, sizeof *each);
  if (!each) return pl_fail_memory(error);
  pl_model_def with = *sites;
  with.materials = each;
  pl_status status = fill_elements(body, def, material, each, error);
  if (!status)
    status =
        pl_divided_build(allocator, &body->model_part, body->inside, material, &with, model, error);
  if (!status) (*model)->sites.materials = NULL;
  pl_free(allocator, each);
  return status;
}

/* Of the leaves of a refined mesh, whose nodes that are none of theirs hang as well. */
static pl_status build_leaves(const pl_allocator *allocator, const pl_body *body,
                              const pl_material_def *def, const pl_material *material,
                              const pl_model_def *sites, pl_model **model, pl_error *error)
{
  pl_leaves leaves;
  pl_status status = pl_refinement_leaves(allocator, body, &leaves, error);
  if (status) return status;
  pl_body of_leaves = *body;
  of_leaves.inside = leaves.mesh;
  of_leaves.element_order = leaves.from;
  status = build_nodes(allocator, &of_leaves, def, material, sites, model, error);
  if (!status)
    status = pl_dependent_create(allocator, *model, body->mesh->node_count, &leaves.ties,
                                 body->order, model, error);
  if (!status) {
    status = pl_dependent_take_leaves(*model, leaves.mesh, leaves.element_of,
                                      body->inside->element_count, error);
    leaves.mesh = NULL;
    leaves.element_of = NULL;
  }
  pl_leaves_release(allocator, &leaves);
  return status;
}

pl_status pl_body_build(const pl_allocator *allocator, const pl_body *body,
                        const pl_material_def *def, const pl_material *material,
                        const pl_model_def *sites, pl_model **model, pl_error *error)
{
  // what depends on other nodes is computed whole by every rank
  pl_model_def whole = *sites;
  whole.ranks = NULL;
  if (body->refinement) return build_leaves(allocator, body, def, material, &whole, model, error);
  int is_tied = body->ties.part_count || body->ties.hanging_count;
  pl_status status = pl_body_recall_elements(body, error);
  if (!status)
    status = build_nodes(allocator, body, def, material, is_tied ? &whole : sites, model, error);
  if (!status && pl_model_owners(*model)) pl_body_drop_elements(body);
  if (status || !is_tied) return status;
  if ((*model)->has_scalars)
    return pl_fail(error, PL_E_ARGUMENT,
                   "model=\"%s\" with unknowns at its edges has no rigid parts and no hanging "
                   "nodes; take bending=\"hinge\"",
                   body->model_part.member->name);
  return pl_dependent_create(allocator, *model, body->mesh->node_count, &body->ties, body->order,
                             model, error);
}
