/* Making a world: bodies, fixes, loads and probes. A failing call leaves the world as it was. */
#include "world/world.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

pl_world_def pl_world_def_default(void)
{
  return (pl_world_def){.dt = 0.01,
                        .gravity = {0, 0, -9.81},
                        .halvings = 6,
                        .allocator = pl_allocator_default(),
                        .cookie = PL_COOKIE};
}

pl_material_def pl_material_def_default(void)
{
  return (pl_material_def){.density = 1000, .cookie = PL_COOKIE};
}

pl_body_def pl_body_def_default(void)
{
  return (pl_body_def){.name = "body", .material = pl_material_def_default(), .cookie = PL_COOKIE};
}

pl_fix_def pl_fix_def_default(void) { return (pl_fix_def){.axis = {0, 0, 1}, .cookie = PL_COOKIE}; }

pl_load_def pl_load_def_default(void) { return (pl_load_def){.cookie = PL_COOKIE}; }

pl_probe_def pl_probe_def_default(void)
{
  return (pl_probe_def){.name = "probe", .quantity = "displacement", .cookie = PL_COOKIE};
}

pl_status pl_check_cookie(uint32_t cookie, const char *what, pl_error *error)
{
  if (cookie == PL_COOKIE) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s_def is NULL or was not made by %s_def_default()", what,
                 what);
}

static int all_finite(const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i])) return 0;
  }
  return 1;
}

/* ---- the world ---- */

static pl_status resolve(const pl_family *family, const pl_choice *choice, pl_part *part,
                         pl_error *error)
{
  return pl_choice_resolve(family, choice, &part->member, part->values, error);
}

pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_part *integrator, pl_error *error)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)integrator->member;
  if (budget < 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "budget = %d must be 0 (no limit) or a count of iterations", budget);
  if (halvings < 0 || halvings > 20)
    return pl_fail(error, PL_E_ARGUMENT, "halvings = %d must lie between 0 and 20", halvings);
  if (!(tolerance >= 0) || !isfinite(tolerance))
    return pl_fail(error, PL_E_ARGUMENT, "tolerance = %g must be a length in m, or 0", tolerance);
  if (tolerance == 0 || ops->error_power) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "integrator \"%s\" does not estimate its error in a way that step control could "
                 "use; set the world's tolerance to 0",
                 ops->info.name);
}

pl_status pl_world_create(const pl_world_def *def, pl_world **out, pl_error *error)
{
  if (!out) return pl_fail(error, PL_E_ARGUMENT, "pl_world_create needs a place for the world");
  *out = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_world", error);
  if (status) return status;
  if (!(def->dt > 0) || !isfinite(def->dt))
    return pl_fail(error, PL_E_ARGUMENT, "dt = %g must be a positive time in s", def->dt);
  if (!all_finite(def->gravity, 3))
    return pl_fail(error, PL_E_ARGUMENT, "gravity must be three finite numbers");
  pl_allocator allocator = pl_allocator_or_default(&def->allocator);
  pl_world *world = pl_alloc(&allocator, 1, sizeof *world);
  if (!world) return pl_fail_memory(error);
  world->allocator = allocator;
  world->log = def->log;
  world->dt = def->dt;
  world->budget = def->budget;
  world->halvings = def->halvings;
  world->tolerance = def->tolerance;
  memcpy(world->gravity, def->gravity, sizeof world->gravity);
  status = pl_integrator_resolve(&def->integrator, &world->integrator_part, error);
  if (!status)
    status = pl_world_check_control(def->budget, def->halvings, def->tolerance,
                                    &world->integrator_part, error);
  world->solver_given = def->solver.name != NULL;
  if (!status) status = resolve(&pl_solver_family, &def->solver, &world->solver_part, error);
  if (!status)
    status = resolve(&pl_preconditioner_family, &def->preconditioner, &world->preconditioner_part,
                     error);
  if (!status) status = pl_pool_create(&allocator, def->threads, &world->pool, error);
  if (!status && def->cache) {
    world->cache = pl_strdup(&allocator, def->cache);
    if (!world->cache) status = pl_fail_memory(error);
    world->store = pl_store_make(&world->allocator, world->cache);
  }
  if (status)
    pl_world_destroy(world);
  else
    *out = world;
  return status;
}

static void release_body(const pl_allocator *allocator, pl_body *body)
{
  pl_model_destroy(body->model);
  pl_mesh_destroy(body->mesh);
  pl_mesh_destroy(body->inside);
  pl_mesh_destroy(body->surface);
  pl_embed_destroy(body->embed);
  pl_filling_release(allocator, &body->filling);
  void *arrays[] = {body->name, body->order, body->place, body->element_order,
                    body->rest, body->nodal, body->sites, body->site_owner,
                    body->skin, body->reach, body->idle,  body->rigid};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

void pl_fix_release(const pl_allocator *allocator, pl_fix *fix)
{
  pl_free(allocator, fix->nodes);
  pl_ramp_release(allocator, &fix->ramp);
  pl_ramp_release(allocator, &fix->offset_ramp);
}

void pl_world_destroy(pl_world *world)
{
  if (!world) return;
  pl_allocator allocator = world->allocator;
  pl_world_unprepare(world);
  for (size_t i = 0; i < world->body_count; i++) release_body(&allocator, &world->bodies[i]);
  for (size_t i = 0; i < world->fix_count; i++) pl_fix_release(&allocator, &world->fixes[i]);
  for (size_t i = 0; i < world->load_count; i++) pl_load_release(&allocator, &world->loads[i]);
  for (size_t i = 0; i < world->probe_count; i++) pl_free(&allocator, world->probes[i].name);
  for (size_t i = 0; i < world->obstacle_count; i++) pl_free(&allocator, world->obstacles[i].name);
  for (size_t i = 0; i < world->pull_count; i++) pl_pull_release(&allocator, &world->pulls[i]);
  for (size_t i = 0; i < world->attachment_count; i++)
    pl_attachment_release(&allocator, &world->attachments[i]);
  for (size_t i = 0; i < world->core_count; i++) {
    pl_free(&allocator, world->cores[i].nodes);
    pl_free(&allocator, world->cores[i].basis);
  }
  void *arrays[] = {world->bodies,      world->fixes,     world->loads,   world->probes,
                    world->pulls,       world->obstacles, world->state.q, world->state.v,
                    world->saved.q,     world->saved.v,   world->cores,   world->cache,
                    world->attachments, world->coupling};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_pool_destroy(world->pool);
  pl_free(&allocator, world);
}

pl_status pl_world_one_more(pl_world *world, void *array, size_t count, size_t *room, size_t size,
                            pl_error *error)
{
  void *memory;
  memcpy(&memory, array, sizeof memory);
  if (pl_reserve(&world->allocator, &memory, room, count + 1, size)) return pl_fail_memory(error);
  memcpy(array, &memory, sizeof memory);
  return PL_OK;
}

/* ---- bodies ---- */

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
  status = resolve(&pl_law_family, &def->law, law, error);
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
  if (material->law->ratio) material->ratio = material->law->ratio(law->values);
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
static pl_status copy_mesh(pl_world *world, const pl_mesh *mesh, pl_body *body, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
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

/* Room for more blocks at the end of the state's vectors. */
static pl_status grow_state(pl_world *world, int blocks, pl_error *error)
{
  if (world->blocks > INT32_MAX / 3 - blocks)
    return pl_fail(error, PL_E_LIMIT, "the world would have more than %d nodes", INT32_MAX / 3);
  size_t needed = (size_t)(world->blocks + blocks) * 3;
  double **vectors[] = {&world->state.q, &world->state.v, &world->saved.q, &world->saved.v};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    void *memory = *vectors[i];
    size_t room = (size_t)world->blocks * 3;
    if (pl_reserve(&world->allocator, &memory, &room, needed, sizeof(double)))
      return pl_fail_memory(error);
    *vectors[i] = memory;
  }
  return PL_OK;
}

/* Rest positions, and the velocity of a rigid motion about the mass centre. */
static void start_body(pl_world *world, const pl_body *body, const pl_body_def *def)
{
  double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
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
      v[3 * i + k] = def->velocity[k] + def->spin[a] * r[b] - def->spin[b] * r[a];
    }
    if (pl_model_is_rotation(body->model, i)) memcpy(v + 3 * i, def->spin, 3 * sizeof *v);
  }
}

/* The nodes that go with one site alone. */
static pl_status find_owners(pl_world *world, const pl_body_def *def, pl_body *body,
                             pl_error *error)
{
  size_t nodes = (size_t)body->mesh->node_count;
  unsigned char *chosen = pl_alloc(&world->allocator, nodes, 1);
  body->site_owner = pl_alloc(&world->allocator, nodes, sizeof(int));
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
  pl_free(&world->allocator, chosen);
  return status;
}

static pl_status copy_sites(pl_world *world, const pl_body_def *def, pl_body *body, pl_error *error)
{
  if (def->site_count < 0 || (def->site_count && !def->sites))
    return pl_fail(error, PL_E_ARGUMENT, "a body has %d sites without places", def->site_count);
  if (!all_finite(def->sites, 3 * def->site_count))
    return pl_fail(error, PL_E_ARGUMENT, "the sites of a body must be finite");
  body->site_count = def->site_count;
  body->sites = pl_alloc(&world->allocator, (size_t)def->site_count * 3, sizeof(double));
  if (!body->sites) return pl_fail_memory(error);
  if (def->site_count)
    memcpy(body->sites, def->sites, (size_t)def->site_count * 3 * sizeof(double));
  return def->site_regions ? find_owners(world, def, body, error) : PL_OK;
}

static pl_status embed_surface(pl_world *world, const pl_mesh *surface, pl_body *body,
                               pl_error *error)
{
  if (!surface) return PL_OK;
  pl_status status = pl_mesh_boundary(surface, &world->allocator, &body->surface, error);
  if (status) return status;
  return pl_embed_surface(body->mesh, body->surface, &world->allocator, &body->embed, error);
}

const double *pl_body_nodes(const pl_body *body, const double *q, const double *v)
{
  if (!body->model->ops->nodes) return v ? v : q;
  body->model->ops->nodes(body->model, q, v, body->nodal);
  return body->nodal;
}

int pl_body_jacobian(const pl_body *body, const double *q, const int *node, const int **blocks,
                     double *x, double *J)
{
  static const double whole = 1;
  const pl_model *model = body->model;
  const double *weights = &whole;
  double place[3] = {0};
  int count = 1;
  *blocks = node;
  if (model->ops->carriers) count = model->ops->carriers(model, *node, blocks, &weights);
  if (model->ops->jacobian) {
    model->ops->jacobian(model, q, *node, place, J);
  } else {
    for (int b = 0; b < count; b++) pl_vec3_add_scaled(weights[b], q + 3 * (*blocks)[b], place);
    for (int k = 0; k < 9 * count; k++) J[k] = k % 9 % 4 == 0 ? weights[k / 9] : 0;
  }
  if (x) pl_vec3_copy(place, x);
  return count;
}

void pl_add_carried(pl_bsr *A, int offset, int count, const int *blocks, const double *J,
                    const double D[9])
{
  for (int b = 0; b < count; b++) {
    double half[9], block[9];
    pl_mat3_multiply(D, J + 9 * b, half);
    for (int a = 0; a < count; a++) {
      int row = offset + blocks[a], place = pl_bsr_find(A, row, offset + blocks[b]);
      if (place < 0) place = A->diagonal[row];
      pl_mat3_multiply_tn(J + 9 * a, half, block);
      double *to = A->values + 9 * (size_t)place;
      for (int k = 0; k < 9; k++) to[3 * (k % 3) + k / 3] += block[k];
    }
  }
}

pl_sites pl_body_sites(const pl_world *world, const pl_body *body)
{
  return (pl_sites){.pool = world->pool,
                    .store = world->cache ? &world->store : NULL,
                    .count = body->site_count,
                    .at = body->sites,
                    .owner = body->site_owner,
                    .inserted = body->inserted,
                    .reach = body->reach,
                    .rigid = body->rigid};
}

static pl_status build_body(pl_world *world, const pl_body_def *def, pl_body *body, pl_error *error)
{
  pl_material material;
  pl_part law;
  pl_status status = pl_material_check(&def->material, &law, &material, error);
  if (!status) status = resolve(&pl_model_family, &def->model, &body->model_part, error);
  if (status) return status;
  body->name = pl_strdup(&world->allocator, def->name ? def->name : "body");
  if (!body->name) return pl_fail_memory(error);
  status = copy_mesh(world, def->mesh, body, error);
  if (!status) status = copy_sites(world, def, body, error);
  if (!status) status = embed_surface(world, def->surface, body, error);
  if (!status) status = pl_filling_make(&world->allocator, def, body, error);
  if (status) return status;
  const pl_sites sites = pl_body_sites(world, body);
  status = pl_body_build(&world->allocator, body, &def->material, &material, &sites, &body->model,
                         error);
  if (!status && body->site_count && !body->model->anchors)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "model=\"%s\" has no frames; take model=\"frames\" or remove them",
                     body->model_part.member->name);
  if (!status && body->model->ops->nodes) {
    body->nodal = pl_alloc(&world->allocator, (size_t)body->mesh->node_count * 6, sizeof(double));
    if (!body->nodal) status = pl_fail_memory(error);
  }
  if (status) return status;
  pl_body_remember(body, &def->material, &law);
  body->keeps_momentum = def->keep_momentum;
  body->insert_reach = def->insert_reach;
  body->offset = world->blocks;
  body->blocks = body->model->blocks;
  status = pl_world_fit_solver(world, body, error);
  if (status) return status;
  return grow_state(world, body->blocks, error);
}

pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *id,
                            pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_body", error);
  if (status) return status;
  if (!def->mesh) return pl_fail(error, PL_E_ARGUMENT, "a body needs a mesh");
  if (!(def->insert_reach >= 0) || !isfinite(def->insert_reach))
    return pl_fail(error, PL_E_ARGUMENT, "insert_reach = %g must be a length in m, or 0",
                   def->insert_reach);
  if (!all_finite(def->velocity, 3) || !all_finite(def->spin, 3))
    return pl_fail(error, PL_E_ARGUMENT, "velocity and spin must be finite");
  status = pl_world_one_more(world, &world->bodies, world->body_count, &world->body_room,
                             sizeof(pl_body), error);
  if (status) return status;
  pl_body *body = &world->bodies[world->body_count];
  memset(body, 0, sizeof *body);
  status = build_body(world, def, body, error);
  if (status) {
    release_body(&world->allocator, body);
    return status;
  }
  start_body(world, body, def);
  pl_world_unprepare(world);
  world->blocks += body->blocks;
  world->body_count++;
  if (id) id->index1 = (int32_t)world->body_count;
  return PL_OK;
}

int pl_world_body_count(const pl_world *world) { return (int)world->body_count; }

pl_body_id pl_world_body_at(const pl_world *world, int index)
{
  return (pl_body_id){index >= 0 && index < (int)world->body_count ? index + 1 : 0};
}

const pl_body *pl_world_body(const pl_world *world, pl_body_id id)
{
  if (id.index1 < 1 || (size_t)id.index1 > world->body_count) return NULL;
  return &world->bodies[id.index1 - 1];
}

const char *pl_world_body_name(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->name : NULL;
}

const pl_mesh *pl_world_body_mesh(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->mesh : NULL;
}

const pl_mesh *pl_world_body_surface(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->surface : NULL;
}

pl_status pl_world_find_body(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error)
{
  *body = pl_world_body(world, id);
  if (*body) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "there is no body number %d", (int)id.index1);
}

/* ---- ramps ---- */

pl_status pl_ramp_copy(const pl_allocator *allocator, const pl_ramp *from, pl_own_ramp *to,
                       pl_error *error)
{
  *to = (pl_own_ramp){0};
  if (from->count < 0 || (from->count > 0 && (!from->times || !from->factors)))
    return pl_fail(error, PL_E_ARGUMENT, "a ramp needs as many factors as times");
  for (int i = 0; i < from->count; i++) {
    if (!isfinite(from->times[i]) || !isfinite(from->factors[i]) ||
        (i > 0 && !(from->times[i] > from->times[i - 1])))
      return pl_fail(error, PL_E_ARGUMENT, "a ramp's times must be finite and ascending");
  }
  if (from->count == 0) return PL_OK;
  size_t count = (size_t)from->count;
  to->times = pl_alloc(allocator, count, sizeof(double));
  to->factors = pl_alloc(allocator, count, sizeof(double));
  if (!to->times || !to->factors) {
    pl_ramp_release(allocator, to);
    return pl_fail_memory(error);
  }
  memcpy(to->times, from->times, count * sizeof(double));
  memcpy(to->factors, from->factors, count * sizeof(double));
  to->count = from->count;
  return PL_OK;
}

void pl_ramp_release(const pl_allocator *allocator, pl_own_ramp *ramp)
{
  pl_free(allocator, ramp->times);
  pl_free(allocator, ramp->factors);
  *ramp = (pl_own_ramp){0};
}

double pl_ramp_at(const pl_own_ramp *ramp, double t)
{
  int n = ramp->count;
  if (n == 0) return 1;
  if (t <= ramp->times[0]) return ramp->factors[0];
  for (int i = 1; i < n; i++) {
    if (t >= ramp->times[i]) continue;
    double s = (t - ramp->times[i - 1]) / (ramp->times[i] - ramp->times[i - 1]);
    return ramp->factors[i - 1] + s * (ramp->factors[i] - ramp->factors[i - 1]);
  }
  return ramp->factors[n - 1];
}
