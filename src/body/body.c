/* Making a body: its meshes and numberings, materials, sites and model. */
#include "body/body.h"
#include "body/tailoring.h"

#include "core/error.h"
#include "core/memory.h"
#include "material/prony_fit.h"
#include "math/functions.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "mesh/axes.h"
#include "mesh/copy.h"
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
  pl_refinement_destroy(allocator, body->refinement);
  pl_ties_release(allocator, &body->ties);
  void *arrays[] = {body->name,       body->order,    body->place,       body->element_order,
                    body->nodal,      body->sites.at, body->sites.owner, body->sites.reach,
                    body->sites.idle, body->rigid,    body->penalty,     body->particles.list};
  pl_tailoring_release(allocator, &body->tailoring);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

static pl_status check_memory(const pl_memory_def *memory, pl_error *error)
{
  double sum = 0;
  if (memory->count < 0 || memory->count > PL_MAX_TERMS)
    return pl_fail(error, PL_E_ARGUMENT, "a memory of %d terms is too long; there may be %d",
                   memory->count, PL_MAX_TERMS);
  for (int i = 0; i < memory->count; i++) {
    double g = memory->shares[i], tau = memory->times[i];
    if (!(g >= 0) || !(tau >= 1e-9 && tau <= 1e12))
      return pl_fail(error, PL_E_ARGUMENT,
                     "term %d of the memory has the share %g and the time %g s; shares must not be "
                     "negative, and times lie between 1e-9 and 1e12 s",
                     i + 1, g, tau);
    sum += g;
  }
  if (!(memory->voigt >= 0 && memory->voigt <= 1e12))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the dashpot of the memory has the time %g s; give 0 to 1e12 s", memory->voigt);
  if (memory->is_long || sum <= 1) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the shares of the memory add up to %g; below 1 something lasts, at 1 nothing "
                 "(maxwell): give smaller ones, or shares of the moduli that last with "
                 "moduli=\"long\"",
                 sum);
}

/* Can the law say which part of its stress this is, and has it no memory of its own? */
static pl_status check_fading(const pl_memory_def *memory, const pl_law_ops *law, pl_error *error)
{
  int is_linear = law->uses_strain && law->points.conjugate;
  if (law->memory.count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "law=\"%s\" has a memory of its own; remove <memory> or take the law without",
                   law->info.name);
  if (law->volume == PL_VOLUME_OWN && law->uses_strain && !is_linear)
    return pl_fail(error, PL_E_ARGUMENT, "law=\"%s\" cannot have a <memory>; take hooke",
                   law->info.name);
  if (law->volume == PL_VOLUME_OWN && memory->of != PL_MEMORY_BOTH)
    return pl_fail(error, PL_E_ARGUMENT,
                   "law=\"%s\" does not separate shape from volume; take <memory of=\"both\">",
                   law->info.name);
  if (is_linear && memory->rule == PL_MEMORY_HERMITE)
    return pl_fail(error, PL_E_ARGUMENT,
                   "law=\"%s\" has no <memory rule=\"hermite\">; take rule=\"linear\"",
                   law->info.name);
  return PL_OK;
}

/* Multiplies the moduli of shape, volume or both. */
static void scale_moduli(pl_memory_of of, double factor, double *lambda, double *mu)
{
  double bulk = (*lambda + 2.0 / 3 * *mu) * (of == PL_MEMORY_SHAPE ? 1 : factor);
  if (of != PL_MEMORY_VOLUME) *mu *= factor;
  *lambda = bulk - 2.0 / 3 * *mu;
}

/* Adds the dashpot beside the law: the moduli of shape, volume or both times voigt. */
static void add_dashpot(const pl_memory_def *memory, pl_material *material)
{
  double bulk = material->lambda + 2.0 / 3 * material->mu;
  double shear = memory->of == PL_MEMORY_VOLUME ? 0 : memory->voigt * material->mu;
  double volume = memory->of == PL_MEMORY_SHAPE ? 0 : memory->voigt * bulk;
  material->viscous_mu += shear;
  material->viscous_lambda += volume - 2.0 / 3 * shear;
}

static pl_status take_memory(const pl_memory_def *memory, pl_material *material, pl_error *error)
{
  double whole = 1;
  if (memory->voigt > 0) add_dashpot(memory, material);
  if (memory->count == 0) return PL_OK;
  pl_status status = check_fading(memory, material->law, error);
  if (status) return status;
  for (int i = 0; i < memory->count && memory->is_long; i++) whole += memory->shares[i];
  if (memory->is_long) scale_moduli(memory->of, whole, &material->lambda, &material->mu);
  material->fades = 1;
  material->fading = (pl_fading_part)memory->of;
  material->hermite = memory->rule == PL_MEMORY_HERMITE;
  for (int i = 0; i < PL_PRONY_TERMS; i++) {
    material->series[i] = i < memory->count ? memory->shares[i] / whole : 0;
    material->series[PL_PRONY_TERMS + i] = i < memory->count ? memory->times[i] : 1;
  }
  return PL_OK;
}

pl_status pl_memory_constant_q(const pl_allocator *allocator, double q, const double band[2],
                               int terms, pl_memory_def *memory, pl_error *error)
{
  if (!memory || !band || !(q >= 0.5 && q <= 1e6) || !(band[0] >= 1e-9 && band[1] <= 1e9) ||
      !(band[0] * 1.001 < band[1]) || terms < 1 || terms > PL_MAX_TERMS)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a constant Q needs q from 0.5 to 1e6, a band of two ascending frequencies in "
                   "Hz and 1 to %d terms",
                   PL_MAX_TERMS);
  pl_allocator own = pl_allocator_or_default(allocator);
  const pl_constant_q of = {
      .q = q, .band = {band[0], band[1]}, .terms = terms, .aim = PL_MAXWELL_MINIMAX};
  pl_maxwell series;
  pl_status status = pl_maxwell_constant_q(&own, &of, &series, error);
  if (status) return status;
  double sum = series.lasting;
  for (int i = 0; i < series.terms; i++) sum += series.moduli[i];
  memory->count = series.terms;
  for (int i = 0; i < series.terms; i++) {
    memory->shares[i] = series.moduli[i] / (memory->is_long ? series.lasting : sum);
    memory->times[i] = series.times[i];
  }
  return PL_OK;
}

pl_status pl_material_check(const pl_material_def *def, pl_selection *law, pl_material *material,
                            pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_material", error);
  if (status) return status;
  const struct {
    const char *name;
    double value, min;
  } numbers[] = {{"density", def->density, 1e-6},
                 {"viscous-lambda", def->viscous_lambda, 0},
                 {"viscous-mu", def->viscous_mu, 0},
                 {"stiffness-damping", def->stiffness_damping, 0},
                 {"mass-damping", def->mass_damping, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= numbers[i].min && numbers[i].value <= 1e15))
      return pl_fail(error, PL_E_ARGUMENT, "%s = %g must lie between %g and 1e+15", numbers[i].name,
                     numbers[i].value, numbers[i].min);
  }
  status = check_memory(&def->memory, error);
  if (!status)
    status = pl_choice_resolve(&pl_law_family, &def->law, &law->member, law->values, error);
  return status ? status : pl_material_make(def, law, material, error);
}

pl_status pl_material_make(const pl_material_def *def, const pl_selection *law,
                           pl_material *material, pl_error *error)
{
  *material = (pl_material){.density = def->density, .mass_damping = def->mass_damping};
  pl_status status =
      ((const pl_law_ops *)law->member)->lame(law->values, &material->lambda, &material->mu, error);
  if (status) return status;
  material->law = pl_law_of(law->member);
  if (material->law->numbers) material->law->numbers(law->values, material->numbers);
  if (def->own.evaluate) {
    material->law = PL_PICK_VARIANT(&pl_law_own);
    material->own = def->own;
    material->numbers[0] = 1 / material->mu;
  }
  material->viscous_lambda = def->viscous_lambda + def->stiffness_damping * material->lambda;
  material->viscous_mu = def->viscous_mu + def->stiffness_damping * material->mu;
  status = take_memory(&def->memory, material, error);
  return status ? status : pl_material_add_layers(def, material, error);
}

void pl_body_remember(pl_body *body, const pl_material_def *def, const pl_selection *law)
{
  body->material = *def;
  body->material.law = (pl_choice){law->member->name, NULL, 0};
  body->law = *law;
  body->mass_damping = def->mass_damping;
}

/* Hanging nodes behind all others, so that the blocks of a body are its first nodes. */
static pl_status put_hanging_last(const pl_allocator *allocator, const pl_mesh *mesh, int *order,
                                  pl_error *error)
{
  if (!mesh->hanging_count) return PL_OK;
  size_t nodes = (size_t)mesh->node_count, kept = 0, last = 0;
  unsigned char *hangs = pl_alloc(allocator, nodes, 1);
  int *behind = pl_alloc(allocator, (size_t)mesh->hanging_count, sizeof *behind);
  int ok = hangs && behind;
  for (int h = 0; ok && h < mesh->hanging_count; h++) hangs[mesh->hanging[h].node] = 1;
  for (size_t i = 0; ok && i < nodes; i++) {
    if (hangs[order[i]])
      behind[last++] = order[i];
    else
      order[kept++] = order[i];
  }
  if (ok) memcpy(order + kept, behind, last * sizeof *behind);
  pl_free(allocator, hangs);
  pl_free(allocator, behind);
  return ok ? PL_OK : pl_fail_memory(error);
}

/* The mesh as given and the renumbered one, and the ways between their numberings. */
static pl_status copy_mesh(const pl_allocator *allocator, const pl_mesh *mesh, pl_body *body,
                           pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count, elements = (size_t)mesh->element_count;
  body->order = pl_alloc(allocator, nodes, sizeof(int));
  body->place = pl_alloc(allocator, nodes, sizeof(int));
  body->element_order = pl_alloc(allocator, elements, sizeof(int));
  if (!body->order || !body->place || !body->element_order) return pl_fail_memory(error);
  pl_status status = pl_mesh_copy(mesh, allocator, &body->mesh, error);
  if (!status) status = pl_mesh_order(body->mesh, body->order, error);
  if (!status) status = put_hanging_last(allocator, body->mesh, body->order, error);
  if (!status)
    status = pl_mesh_reorder(body->mesh, body->order, body->element_order, allocator, &body->inside,
                             error);
  if (status) return status;
  for (int i = 0; i < mesh->node_count; i++) body->place[body->order[i]] = i;
  body->rest = body->inside->nodes;
  return PL_OK;
}

const int *pl_body_element(const pl_body *body, int element, int room[8])
{
  int n = body->mesh->nodes_per_element;
  if (body->inside->elements) return body->inside->elements + (size_t)n * (size_t)element;
  const int *nodes = body->mesh->elements + (size_t)n * (size_t)body->element_order[element];
  for (int a = 0; a < n; a++) room[a] = body->place[nodes[a]];
  return room;
}

void pl_body_drop_elements(const pl_body *body)
{
  pl_free(&body->inside->allocator, body->inside->elements);
  body->inside->elements = NULL;
}

pl_status pl_body_recall_elements(const pl_body *body, pl_error *error)
{
  pl_mesh *inside = body->inside;
  size_t n = (size_t)inside->nodes_per_element, size = n * sizeof(int);
  if (inside->elements) return PL_OK;
  int *elements = pl_alloc(&inside->allocator, (size_t)inside->element_count, size);
  if (!elements) return pl_fail_memory(error);
  for (int e = 0, room[8]; e < inside->element_count; e++)
    memcpy(elements + n * (size_t)e, pl_body_element(body, e, room), size);
  inside->elements = elements;
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
  memcpy(q, body->model->rest, (size_t)body->blocks * 3 * sizeof *q);
  pl_body_spin(body, velocity, spin, q, v);
}

void pl_body_spin(const pl_body *body, const double velocity[3], const double spin[3],
                  const double *q, double *v)
{
  double centre[3] = {0}, mass = 0;
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
    if (pl_model_is_rotation(body->model, i))
      memcpy(v + 3 * i, spin, 3 * sizeof *v);
    else if (!pl_model_is_point(body->model, i))
      memset(v + 3 * i, 0, 3 * sizeof *v);
  }
}

/* The nodes that go with one site alone. */
static pl_status find_owners(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                             pl_error *error)
{
  size_t nodes = (size_t)body->mesh->node_count;
  unsigned char *chosen = pl_alloc(allocator, nodes, 1);
  body->sites.owner = pl_alloc(allocator, nodes, sizeof(int));
  pl_status status = chosen && body->sites.owner ? PL_OK : pl_fail_memory(error);
  for (int i = 0; i < def->site_count && !status; i++) {
    const pl_site_region *region = &def->site_regions[i];
    int count = 0;
    if (region->count == 0) continue;
    status = pl_mesh_select_nodes(body->mesh, region->where, region->count, chosen, &count, error);
    if (!status && count == 0)
      status =
          pl_fail(error, PL_E_ARGUMENT, "the region of frame %d holds no node of the body", i + 1);
    for (size_t n = 0; n < nodes && !status; n++) {
      int *owner = &body->sites.owner[body->place[n]];
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
  body->sites.count = def->site_count;
  body->sites.at = pl_alloc(allocator, (size_t)def->site_count * 3, sizeof(double));
  if (!body->sites.at) return pl_fail_memory(error);
  if (def->site_count)
    memcpy(body->sites.at, def->sites, (size_t)def->site_count * 3 * sizeof(double));
  return def->site_regions ? find_owners(allocator, def, body, error) : PL_OK;
}

static void find_rotation(const pl_body_def *def, double R[9])
{
  double turn[3], quat[4];
  pl_vec3_scale(PL_PI / 180, def->rotation, turn);
  pl_quat_of_vector(turn, quat);
  pl_quat_matrix(quat, R);
}

/* Turns and moves what the def says, before anything is made of it. */
void pl_body_place_nodes(const pl_body_def *def, int count, double *nodes)
{
  double R[9], x[3];
  find_rotation(def, R);
  for (int i = 0; i < count; i++) {
    double *to = nodes + 3 * (size_t)i;
    pl_mat3_apply(R, to, x);
    pl_vec3_add(x, def->translation, to);
  }
}

static int are_zero(const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    if (fabs(x[i]) > 0) return 0;
  }
  return 1;
}

static pl_status place_body(const pl_body_def *def, pl_body *body, pl_error *error)
{
  if (!are_finite(def->translation, 3) || !are_finite(def->rotation, 3))
    return pl_fail(error, PL_E_ARGUMENT, "translation and rotation of a body must be finite");
  if (are_zero(def->translation, 3) && are_zero(def->rotation, 3)) return PL_OK;
  int count = body->mesh->node_count;
  double R[9];
  find_rotation(def, R);
  pl_mesh_turn_axes(body->mesh, R);
  pl_body_place_nodes(def, count, body->mesh->nodes);
  pl_body_place_nodes(def, count, body->inside->nodes);
  if (body->surface) pl_body_place_nodes(def, body->surface->node_count, body->surface->nodes);
  return PL_OK;
}

static pl_status embed_surface(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                               pl_error *error)
{
  pl_status status = PL_OK;
  if (def->surface) status = pl_mesh_boundary(def->surface, allocator, &body->surface, error);
  if (!status) status = place_body(def, body, error);
  if (status || !def->surface) return status;
  return pl_embed_surface(body->mesh, body->surface, allocator, &body->embed, error);
}

/* Points outside are carried on as their element is strained: where neighbours follow elements that
 * are strained differently, thin parts are torn. Models that carry nodes smoothly do not mind. */
static void check_surface(const pl_bodies *bodies, const pl_body *body)
{
  pl_mesh_facts facts;
  if (!body->embed || body->model->ops->nodes || pl_mesh_measure(body->mesh, &facts, NULL)) return;
  pl_embed_outside found = pl_embed_measure(body->embed, facts.mean_edge);
  if (pl_embed_holds(&found, facts.mean_edge)) return;
  pl_log_write(bodies->log, PL_WARNING,
               "body \"%.80s\": %.1f %% of its surface lie outside of the elements by more than "
               "an edge of %.3g m, up to %.3g m; thin parts may be torn: make the elements "
               "smaller, or fill the shape with method=\"cage\"",
               body->name, 100 * found.share, facts.mean_edge, found.max);
}

pl_model_def pl_body_sites(const pl_bodies *bodies, const pl_body *body)
{
  return (pl_model_def){.pool = bodies->pool,
                        .store = bodies->store,
                        .count = body->sites.count,
                        .at = body->sites.at,
                        .owner = body->sites.owner,
                        .inserted = body->sites.inserted,
                        .reach = body->sites.reach,
                        .rigid = body->rigid,
                        .ranks = bodies->ranks,
                        .particles = body->particles.list,
                        .particle_count = body->particles.count,
                        .tailoring = &body->tailoring};
}

/* Single particles of a grid, in inside numbers. */
static pl_status copy_particles(const pl_allocator *allocator, const pl_body_def *def,
                                pl_body *body, pl_error *error)
{
  if (!def->particles.count) return PL_OK;
  if (!(((const pl_model_ops *)(const void *)body->model_part.member)->meshes & PL_ON_GRIDS))
    return pl_fail(error, PL_E_ARGUMENT, "model=\"%s\" has no particles; take model=\"grid\"",
                   body->model_part.member->name);
  pl_particle *list = pl_alloc(allocator, (size_t)def->particles.count, sizeof *list);
  if (!list) return pl_fail_memory(error);
  body->particles.list = list;
  body->particles.count = def->particles.count;
  for (int i = 0; i < def->particles.count; i++) {
    const pl_particle *from = &def->particles.list[i];
    if (from->node < 0 || from->node >= body->mesh->node_count)
      return pl_fail(error, PL_E_ARGUMENT, "particle %d is node %d, but the nodes are 0 to %d", i,
                     from->node, body->mesh->node_count - 1);
    list[i] = *from;
    list[i].node = body->place[from->node];
  }
  return PL_OK;
}

/* The mesh as given, or the finest one where it will be refined. */
static pl_status make_mesh(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                           pl_error *error)
{
  if (!def->refine.levels) return copy_mesh(allocator, def->mesh, body, error);
  pl_mesh *finest;
  pl_status status = pl_refinement_make(allocator, def, &body->refinement, &finest, error);
  if (!status) status = copy_mesh(allocator, finest, body, error);
  if (!status) status = pl_refinement_number(allocator, def, body, error);
  pl_mesh_destroy(finest);
  return status;
}

pl_status pl_body_make(const pl_bodies *bodies, const pl_body_def *def, pl_body *body,
                       pl_error *error)
{
  const pl_allocator *allocator = bodies->allocator;
  pl_material material;
  pl_selection law;
  pl_status status = pl_material_check(&def->material, &law, &material, error);
  if (!status)
    status = pl_choice_resolve(&pl_model_family, &def->model, &body->model_part.member,
                               body->model_part.values, error);
  if (status) return status;
  body->name = pl_strdup(allocator, def->name ? def->name : "body");
  if (!body->name) return pl_fail_memory(error);
  status = make_mesh(allocator, def, body, error);
  if (!status) status = embed_surface(allocator, def, body, error);
  if (!status) status = copy_sites(allocator, def, body, error);
  if (!status) status = pl_composition_make(allocator, def, body, error);
  if (!status) status = pl_ties_hang(allocator, def, body, error);
  if (!status) status = copy_particles(allocator, def, body, error);
  if (!status) status = pl_tailoring_make(allocator, def, body, error);
  if (status) return status;
  const pl_model_def sites = pl_body_sites(bodies, body);
  status = pl_body_build(allocator, body, &def->material, &material, &sites, &body->model, error);
  if (!status && body->sites.count && !body->model->frame_count)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "model=\"%s\" has no frames; take model=\"frames\" or remove them",
                     body->model_part.member->name);
  if (!status && body->refinement) status = pl_refinement_check(body, error);
  if (!status && body->model->ops->nodes) {
    body->nodal = pl_alloc(allocator, (size_t)body->mesh->node_count * 9, sizeof(double));
    if (!body->nodal) status = pl_fail_memory(error);
  }
  if (status) return status;
  check_surface(bodies, body);
  pl_body_remember(body, &def->material, &law);
  body->sites.insert_reach = def->insert_reach;
  body->contact.groups = def->groups;
  body->contact.meets = def->meets;
  body->contact.itself = def->self_contact;
  body->blocks = body->model->blocks;
  return PL_OK;
}
