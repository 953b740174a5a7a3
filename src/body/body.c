/* Making a body: its meshes and numberings, materials, sites and model. */
#include "body/body.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

pl_status pl_check_cookie(uint32_t cookie, const char *what, pl_error *error)
{
  if (cookie == PL_COOKIE) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s_def is NULL or was not made by %s_def_default()", what,
                 what);
}

void pl_body_release(const pl_allocator *allocator, pl_body *body)
{
  pl_model_destroy(body->model);
  pl_mesh_destroy(body->mesh);
  pl_mesh_destroy(body->inside);
  pl_mesh_destroy(body->surface);
  pl_embed_destroy(body->embed);
  pl_composition_release(allocator, &body->composition);
  pl_ties_release(allocator, &body->ties);
  void *arrays[] = {body->name,  body->order, body->place, body->element_order,
                    body->rest,  body->nodal, body->sites, body->site_owner,
                    body->reach, body->idle,  body->rigid, body->penalty};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

pl_status pl_material_check(const pl_material_def *def, pl_part *law, pl_material *material,
                            pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_material", error);
  if (status) return status;
  const struct {
    const char *name;
    double value, least;
  } numbers[] = {{"density", def->density, 1e-6},
                 {"viscous-lambda", def->viscous_lambda, 0},
                 {"viscous-mu", def->viscous_mu, 0},
                 {"stiffness-damping", def->stiffness_damping, 0},
                 {"mass-damping", def->mass_damping, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= numbers[i].least && numbers[i].value <= 1e15))
      return pl_fail(error, PL_E_ARGUMENT, "%s = %g must lie between %g and 1e+15", numbers[i].name,
                     numbers[i].value, numbers[i].least);
  }
  status = pl_choice_resolve(&pl_law_family, &def->law, &law->member, law->values, error);
  return status ? status : pl_material_make(def, law, material, error);
}

pl_status pl_material_make(const pl_material_def *def, const pl_part *law, pl_material *material,
                           pl_error *error)
{
  *material = (pl_material){.density = def->density, .mass_damping = def->mass_damping};
  pl_status status =
      ((const pl_law_ops *)law->member)->lame(law->values, &material->lambda, &material->mu, error);
  if (status) return status;
  material->law = pl_law_of(law->member);
  if (material->law->numbers) material->law->numbers(law->values, material->numbers);
  material->viscous_lambda = def->viscous_lambda + def->stiffness_damping * material->lambda;
  material->viscous_mu = def->viscous_mu + def->stiffness_damping * material->mu;
  return PL_OK;
}

void pl_body_remember(pl_body *body, const pl_material_def *def, const pl_part *law)
{
  body->material = *def;
  body->material.law = (pl_choice){law->member->name, NULL, 0};
  body->law = *law;
  body->mass_damping = def->mass_damping;
}

/* The mesh as given and the renumbered one, and the ways between their numberings. */
static pl_status copy_mesh(const pl_allocator *allocator, const pl_mesh *mesh, pl_body *body,
                           pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count, elements = (size_t)mesh->element_count;
  body->order = pl_alloc(allocator, nodes, sizeof(int));
  body->place = pl_alloc(allocator, nodes, sizeof(int));
  body->element_order = pl_alloc(allocator, elements, sizeof(int));
  body->rest = pl_alloc(allocator, nodes * 3, sizeof(double));
  if (!body->order || !body->place || !body->element_order || !body->rest)
    return pl_fail_memory(error);
  pl_mesh_def def = {.node_count = mesh->node_count,
                     .nodes = mesh->nodes,
                     .element_count = mesh->element_count,
                     .nodes_per_element = mesh->nodes_per_element,
                     .elements = mesh->elements,
                     .set_count = mesh->set_count,
                     .sets = mesh->sets,
                     .allocator = allocator};
  pl_status status = pl_mesh_create(&def, &body->mesh, error);
  if (!status) status = pl_mesh_order(body->mesh, body->order, error);
  if (!status)
    status = pl_mesh_reorder(body->mesh, body->order, body->element_order, allocator, &body->inside,
                             error);
  if (status) return status;
  for (int i = 0; i < mesh->node_count; i++) body->place[body->order[i]] = i;
  memcpy(body->rest, body->inside->nodes, nodes * 3 * sizeof(double));
  return PL_OK;
}

static int are_finite(const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i])) return 0;
  }
  return 1;
}

void pl_body_start(const pl_body *body, const double velocity[3], const double spin[3], double *q,
                   double *v)
{
  double centre[3] = {0}, mass = 0;
  memcpy(q, body->model->rest, (size_t)body->blocks * 3 * sizeof *q);
  for (int i = 0; i < body->blocks; i++) {
    double m = body->model->lumped_mass[i];
    for (int k = 0; k < 3; k++) centre[k] += m * q[3 * i + k];
    mass += m;
  }
  for (int k = 0; k < 3; k++) centre[k] /= mass;
  for (int i = 0; i < body->blocks; i++) {
    double r[3] = {q[3 * i] - centre[0], q[3 * i + 1] - centre[1], q[3 * i + 2] - centre[2]};
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      v[3 * i + k] = velocity[k] + spin[a] * r[b] - spin[b] * r[a];
    }
    if (pl_model_is_rotation(body->model, i)) memcpy(v + 3 * i, spin, 3 * sizeof *v);
  }
}

/* The nodes that go with one site alone. */
static pl_status find_owners(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                             pl_error *error)
{
  size_t nodes = (size_t)body->mesh->node_count;
  unsigned char *chosen = pl_alloc(allocator, nodes, 1);
  body->site_owner = pl_alloc(allocator, nodes, sizeof(int));
  pl_status status = chosen && body->site_owner ? PL_OK : pl_fail_memory(error);
  for (int i = 0; i < def->site_count && !status; i++) {
    const pl_site_region *region = &def->site_regions[i];
    int count = 0;
    if (region->count == 0) continue;
    status = pl_mesh_select_nodes(body->mesh, region->where, region->count, chosen, &count, error);
    if (!status && count == 0)
      status =
          pl_fail(error, PL_E_ARGUMENT, "the region of frame %d holds no node of the body", i + 1);
    for (size_t n = 0; n < nodes && !status; n++) {
      int *owner = &body->site_owner[body->place[n]];
      if (!chosen[n]) continue;
      if (*owner)
        status = pl_fail_entity(error, PL_E_ARGUMENT, (int)n,
                                "node %d is in the regions of frames %d and %d; only one can move "
                                "it alone",
                                (int)n, *owner, i + 1);
      *owner = i + 1;
    }
  }
  pl_free(allocator, chosen);
  return status;
}

static pl_status copy_sites(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                            pl_error *error)
{
  if (def->site_count < 0 || (def->site_count && !def->sites))
    return pl_fail(error, PL_E_ARGUMENT, "a body has %d sites without places", def->site_count);
  if (!are_finite(def->sites, 3 * def->site_count))
    return pl_fail(error, PL_E_ARGUMENT, "the sites of a body must be finite");
  body->site_count = def->site_count;
  body->sites = pl_alloc(allocator, (size_t)def->site_count * 3, sizeof(double));
  if (!body->sites) return pl_fail_memory(error);
  if (def->site_count)
    memcpy(body->sites, def->sites, (size_t)def->site_count * 3 * sizeof(double));
  return def->site_regions ? find_owners(allocator, def, body, error) : PL_OK;
}

static pl_status embed_surface(const pl_allocator *allocator, const pl_mesh *surface, pl_body *body,
                               pl_error *error)
{
  if (!surface) return PL_OK;
  pl_status status = pl_mesh_boundary(surface, allocator, &body->surface, error);
  if (status) return status;
  return pl_embed_surface(body->mesh, body->surface, allocator, &body->embed, error);
}

pl_sites pl_body_sites(const pl_bodies *bodies, const pl_body *body)
{
  return (pl_sites){.pool = bodies->pool,
                    .store = bodies->store,
                    .count = body->site_count,
                    .at = body->sites,
                    .owner = body->site_owner,
                    .inserted = body->inserted,
                    .reach = body->reach,
                    .rigid = body->rigid};
}

pl_status pl_body_make(const pl_bodies *bodies, const pl_body_def *def, pl_body *body,
                       pl_error *error)
{
  const pl_allocator *allocator = bodies->allocator;
  pl_material material;
  pl_part law;
  pl_status status = pl_material_check(&def->material, &law, &material, error);
  if (!status)
    status = pl_choice_resolve(&pl_model_family, &def->model, &body->model_part.member,
                               body->model_part.values, error);
  if (status) return status;
  body->name = pl_strdup(allocator, def->name ? def->name : "body");
  if (!body->name) return pl_fail_memory(error);
  status = copy_mesh(allocator, def->mesh, body, error);
  if (!status) status = copy_sites(allocator, def, body, error);
  if (!status) status = embed_surface(allocator, def->surface, body, error);
  if (!status) status = pl_composition_make(allocator, def, body, error);
  if (!status) status = pl_ties_hang(allocator, def, body, error);
  if (status) return status;
  const pl_sites sites = pl_body_sites(bodies, body);
  status = pl_body_build(allocator, body, &def->material, &material, &sites, &body->model, error);
  if (!status && body->site_count && !body->model->frame_count)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "model=\"%s\" has no frames; take model=\"frames\" or remove them",
                     body->model_part.member->name);
  if (!status && body->model->ops->nodes) {
    body->nodal = pl_alloc(allocator, (size_t)body->mesh->node_count * 9, sizeof(double));
    if (!body->nodal) status = pl_fail_memory(error);
  }
  if (status) return status;
  pl_body_remember(body, &def->material, &law);
  body->insert_reach = def->insert_reach;
  body->blocks = body->model->blocks;
  return PL_OK;
}
