/* The step: all bodies as one system, handed to the integrator. */
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "sparse/vector.h"
#include "world/world.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- what the integrator sees ---- */

static pl_world *world_of(pl_system *system)
{
  return (pl_world *)((char *)system - offsetof(pl_world, system));
}

/* f += a load, which acts on nodes. */
static void add_load(const pl_world *world, const pl_load *load, double factor, const double *q,
                     double *f)
{
  const pl_body *body = &world->bodies.list[load->body];
  q += 3 * body->offset;
  f += 3 * body->offset;
  if (!body->model->ops->nodes) {
    load->ops->add(load->values, &load->shape, factor, q, f);
    return;
  }
  size_t numbers = (size_t)body->mesh->node_count * 3;
  double *nodal = body->nodal + numbers;
  memset(nodal, 0, numbers * sizeof *nodal);
  load->ops->add(load->values, &load->shape, factor, pl_body_nodes(body, q, NULL), nodal);
  body->model->ops->spread(body->model, q, nodal, f);
}

/* f += gravity, drag, loads, pulls and the tool. */
static void add_external(pl_world *world, double t, const double *q, const double *v, double *f)
{
  double scale = world->system.load_scale;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *mass = body->model->lumped_mass;
    double *part = f + 3 * body->offset;
    for (int i = 0; i < body->blocks; i++)
      pl_vec3_add_scaled(scale * mass[i], world->gravity, part + 3 * i);
    if (body->mass_damping > 0) {
      pl_body_settle(body, q + 3 * body->offset);
      body->model->ops->mass_add(body->model, -body->mass_damping, v + 3 * body->offset, part,
                                 world->pool);
    }
  }
  for (size_t i = 0; i < world->load_count; i++) {
    const pl_load *load = &world->loads[i];
    double factor = scale * pl_ramp_at(&load->ramp, t);
    if (factor != 0) add_load(world, load, factor, q, f);
  }
  pl_pulls_force(world, scale, t, q, v, f);
  pl_tool_force(world, scale, q, f);
  pl_contacts_friction(world, f);
  pl_skins_force(world, q, v, f);
}

static void evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                     double km, double kq, double kv, int semidefinite, pl_bsr *A)
{
  pl_world *world = world_of(system);
  if (f) memset(f, 0, (size_t)system->blocks * 3 * sizeof *f);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    int offset = 3 * body->offset;
    double mass = km + kv * body->mass_damping;
    body->model->ops->evaluate(body->model, q + offset, v + offset, f ? f + offset : NULL, kq, kv,
                               semidefinite, A, system->pool);
    if (A && mass != 0) body->model->ops->mass_matrix(body->model, mass, A, system->pool);
  }
  if (A) {
    pl_pulls_stiffness(world, system->load_scale, t, q, kq, kv, A);
    pl_tool_stiffness(world, system->load_scale, q, kq, A);
    pl_skins_stiffness(world, q, v, kq, kv, A);
    pl_attachments_stiffness(world, q, kq, kv, semidefinite, A);
  }
  if (f) add_external(world, t, q, v, f);
  if (f) pl_attachments_force(world, q, v, f);
}

static void external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  memset(f, 0, (size_t)system->blocks * 3 * sizeof *f);
  add_external(world_of(system), t, q, v, f);
}

static void mass_add(pl_system *system, double a, const double *x, double *y)
{
  pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    int offset = 3 * body->offset;
    body->model->ops->mass_add(body->model, a, x + offset, y + offset, system->pool);
  }
}

static void mass_inverse(pl_system *system, const double *y, double *x)
{
  pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *from = y + 3 * body->offset;
    double *to = x + 3 * body->offset;
    if (body->model->ops->mass_inverse) {
      body->model->ops->mass_inverse(body->model, from, to);
      continue;
    }
    for (int i = 0; i < 3 * body->blocks; i++) to[i] = from[i] / body->model->lumped_mass[i / 3];
  }
}

static void retract(pl_system *system, const double *q, const double *dq, double *out)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    int offset = 3 * world->bodies.list[b].offset;
    pl_model_retract(world->bodies.list[b].model, q + offset, dq + offset, out + offset);
  }
}

/* r = J^T r and A = J^T A J for the rotations of one body; J is the jacobian of dq. */
static void chart_body(const pl_body *body, const double *dq, double *r, pl_bsr *A, pl_pairs *pairs)
{
  for (int i = 0; i < body->blocks; i += 2) {
    int row = body->offset + i;
    double J[9], product[9], turned[3];
    pl_rotation_jacobian(dq + 3 * row, J);
    pl_mat3_apply_t(J, r + 3 * row, turned);
    pl_vec3_copy(turned, r + 3 * row);
    if (A && pl_pairs_exist(pairs)) pl_pairs_turn(pairs, row, J);
    for (int k = A ? A->start[row] : 0; A && k < A->start[row + 1]; k++) {
      double *block = A->values + 9 * (size_t)k;
      // blocks are stored by columns: J^T A is block times J
      pl_mat3_multiply(block, J, product);
      memcpy(block, product, sizeof product);
      // and the block across the diagonal, from the other side
      block = A->values + 9 * (size_t)pl_bsr_find(A, A->columns[k], row);
      pl_mat3_multiply_tn(J, block, product);
      memcpy(block, product, sizeof product);
    }
  }
}

static void chart(pl_system *system, const double *dq, double *r, pl_bsr *A)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (world->bodies.list[b].model->turns)
      chart_body(&world->bodies.list[b], dq, r, A, system->pairs);
  }
}

/* Elements of laws that have no state inside out; of a hexahedron by its volume as a whole. */
static int folded1(pl_system *system, const double *q)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const pl_mesh *mesh = body->inside;
    int n = mesh->nodes_per_element;
    // the law acts in the elements only where these are what is deformed, and have strain
    const pl_model_ops *model = body->model->ops;
    if (!pl_law_of(body->law.member)->has_wall || model->nodes || !model->strains) continue;
    for (int e = 0; e < mesh->element_count; e++) {
      const int *corners = mesh->elements + n * e;
      if (pl_element_volume(q + 3 * body->offset, corners, n) <= 0)
        return 1 + body->offset + corners[0];
    }
  }
  return 0;
}

static void prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  pl_world_prescribe(world_of(system), t, h, q, v);
}

/* Where no block rotates there is nothing to chart. */
static const pl_system_ops plain_ops = {evaluate, external,  mass_add, mass_inverse,
                                        retract,  prescribe, NULL,     folded1};
static const pl_system_ops turning_ops = {evaluate, external,  mass_add, mass_inverse,
                                          retract,  prescribe, chart,    folded1};

static const pl_system_ops *ops_for(const pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (world->bodies.list[b].model->turns) return &turning_ops;
  }
  return &plain_ops;
}

/* ---- preparation ---- */

void pl_world_unprepare(pl_world *world)
{
  pl_integrator_destroy(world->integrator);
  pl_solver_destroy(world->system.solver);
  pl_condense_destroy(world->system.condense);
  pl_bsr_destroy(world->system.A);
  void *arrays[] = {world->held,     world->projections, world->holders, world->passing,
                    world->contacts, world->before_v,    world->scratch, world->drag,
                    world->work,     world->before,      world->rigids,  world->in_core};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&world->allocator, arrays[i]);
  world->integrator = NULL;
  world->system = (pl_system){0};
  world->held = world->holders = NULL;
  world->passing = NULL;
  world->contacts = NULL;
  world->rigids = NULL;
  world->in_core = NULL;
  world->projections = world->scratch = world->drag = NULL;
  world->work = world->before = world->before_v = NULL;
  world->ready = 0;
}

/* The general solver with the tolerance and the iterations that were set for the other. */
static pl_status take_general_solver(pl_world *world, pl_error *error)
{
  const double *values = world->solver_part.values;
  int at = pl_param_find(world->solver_part.member, "iterations");
  pl_setting settings[] = {{.name = "tolerance", .value = {values[0]}},
                           {.name = "iterations", .value = {at >= 0 ? values[at] : 0}}};
  pl_choice choice = {"nearly-symmetric", settings, at >= 0 ? 2 : 1};
  return pl_choice_resolve(&pl_solver_family, &choice, &world->solver_part.member,
                           world->solver_part.values, error);
}

pl_status pl_world_fit_solver(pl_world *world, const pl_body *body, pl_error *error)
{
  const pl_integrator_ops *integrator = (const pl_integrator_ops *)world->integrator_part.member;
  const pl_solver_ops *solver = (const pl_solver_ops *)world->solver_part.member;
  if (!integrator->is_implicit || !body->model->unsymmetric || solver->unsymmetric) return PL_OK;
  if (!world->solver_given || solver == &pl_solver_auto) return take_general_solver(world, error);
  return pl_fail(error, PL_E_ARGUMENT,
                 "body \"%.80s\" has a matrix that is not symmetric, on which solver \"%s\" "
                 "may diverge; use \"nearly-symmetric\" or \"bicgstab\"",
                 body->name, solver->info.name);
}

/* The solver, which is to know that no solve has more iterations than the step. */
static pl_part budgeted_solver(const pl_world *world)
{
  pl_part solver = world->solver_part;
  int at = pl_param_find(solver.member, "iterations");
  if (!world->budget || at < 0) return solver;
  double *most = &solver.values[pl_param_place(solver.member, at)];
  *most = fmin(*most, world->budget);
  return solver;
}

/* The pattern: what couples the blocks of each body, and of bodies that hold each other. */
static pl_status make_pattern(pl_world *world, pl_error *error)
{
  size_t bodies = world->bodies.count, sets = bodies + (size_t)pl_attachments_pairs(world);
  int *memory = NULL;
  pl_cliques *cliques = pl_alloc(&world->allocator, sets, sizeof *cliques);
  if (!cliques) return pl_fail_memory(error);
  for (size_t b = 0; b < bodies; b++) {
    const pl_body *body = &world->bodies.list[b];
    cliques[b] = body->model->ops->cliques(body->model);
    cliques[b].offset = body->offset;
  }
  pl_status status = pl_attachments_cliques(world, cliques + bodies, &memory, error);
  if (!status)
    status = pl_bsr_create(&world->allocator, world->bodies.blocks, cliques, (int)sets,
                           &world->system.A, error);
  pl_free(&world->allocator, memory);
  pl_free(&world->allocator, cliques);
  return status;
}

static pl_status make_matrix(pl_world *world, pl_error *error)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_status fits = pl_world_fit_solver(world, &world->bodies.list[b], error);
    if (fits) return fits;
  }
  pl_status status = make_pattern(world, error);
  // rotations are no places
  if (!status && world->system.ops == &plain_ops) world->system.A->points = world->state.q;
  for (size_t b = 0; !status && b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    status = pl_model_bind(body->model, world->system.A, body->offset, error);
  }
  if (!status && world->core_count)
    status = pl_condense_create(&world->allocator, world->system.A, world->rigids,
                                (int)world->core_count, &world->system.condense, error);
  const pl_condense *small = world->system.condense;
  pl_part solver = budgeted_solver(world);
  if (!status)
    status = pl_solver_create(&world->allocator, &solver, &world->preconditioner_part,
                              small ? small->A : world->system.A, &world->system.solver, error);
  return status;
}

/* Every block's share of the mass damping. */
static pl_status make_drag(pl_world *world, pl_error *error)
{
  world->drag = pl_alloc(&world->allocator, (size_t)world->bodies.blocks, sizeof(double));
  if (!world->drag) return pl_fail_memory(error);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) world->drag[body->offset + i] = body->mass_damping;
  }
  world->system.drag = world->drag;
  return PL_OK;
}

/* Marks the bodies that are held, and those that are attached to them, and so on. */
static void mark_held(const pl_world *world, unsigned char *held)
{
  for (size_t f = 0; f < world->fix_count; f++) held[world->fixes[f].body] = 1;
  for (int more = 1; more;) {
    more = 0;
    for (size_t i = 0; i < world->attachment_count; i++) {
      const int *ends = world->attachments[i].bodies;
      if (held[ends[0]] == held[ends[1]]) continue;
      held[ends[0]] = held[ends[1]] = 1;
      more = 1;
    }
  }
}

/* In statics a body that nothing holds has no equilibrium, or infinitely many. */
static pl_status check_held(const pl_world *world, pl_error *error)
{
  unsigned char *held = pl_alloc(&world->allocator, world->bodies.count, 1);
  if (!held) return pl_fail_memory(error);
  mark_held(world, held);
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    if (!held[b])
      status =
          pl_fail(error, PL_E_SINGULAR,
                  "body \"%.80s\" is not held anywhere, so it has no static equilibrium; fix some "
                  "of its nodes, attach it to a body that is held, or use a dynamic integrator",
                  world->bodies.list[b].name);
  }
  pl_free(&world->allocator, held);
  return status;
}

/* Room for the state before a part of the step, if it will be asked for. */
static pl_status make_room(pl_world *world, pl_error *error)
{
  int needed = world->obstacle_count > 0 || world->core_count > 0 || world->tolerance > 0;
  for (size_t b = 0; b < world->bodies.count; b++) needed |= world->bodies.list[b].keeps_momentum;
  if (!needed) return PL_OK;
  double **vectors[] = {&world->work, &world->before, &world->before_v};
  for (int i = 0; i < 3; i++) {
    *vectors[i] = pl_alloc(&world->allocator, (size_t)world->bodies.blocks * 3, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  return PL_OK;
}

/* With a budget a step that is made again would take more than its share. */
static int most_halvings(const pl_world *world) { return world->budget ? 0 : world->halvings; }

pl_status pl_world_prepare(pl_world *world, pl_error *error)
{
  if (world->ready) return PL_OK;
  if (world->bodies.count == 0)
    return pl_fail(error, PL_E_ARGUMENT, "there is nothing to simulate: the world has no body");
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->integrator_part.member;
  pl_status status = ops->is_static ? check_held(world, error) : PL_OK;
  if (status) return status;
  world->system = (pl_system){.ops = ops_for(world),
                              .blocks = world->bodies.blocks,
                              .pool = world->pool,
                              .load_scale = 1,
                              .budget = world->budget,
                              .never_rejects = most_halvings(world) == 0};
  world->scratch = pl_alloc(&world->allocator, (size_t)world->bodies.blocks * 3, sizeof(double));
  if (!world->scratch) status = pl_fail_memory(error);
  if (!status) status = make_room(world, error);
  if (!status) status = make_drag(world, error);
  if (!status) status = pl_cores_prepare(world, error);
  if (!status) status = pl_world_make_filter(world, error);
  if (!status && ops->is_implicit) status = make_matrix(world, error);
  if (!status)
    status = pl_integrator_create(&world->allocator, &world->integrator_part, world->bodies.blocks,
                                  &world->integrator, error);
  if (!status) world->integrator->estimates = world->tolerance > 0;
  if (status)
    pl_world_unprepare(world);
  else
    world->ready = 1;
  return status;
}

/* ---- the step ---- */

static void copy_state(const pl_world *world, const pl_state *from, pl_state *to)
{
  size_t size = (size_t)world->bodies.blocks * 3 * sizeof(double);
  to->time = from->time;
  to->steps = from->steps;
  memcpy(to->q, from->q, size);
  memcpy(to->v, from->v, size);
}

/* Says where an iteration failed, if it is known. */
static void name_place(const pl_world *world, const pl_step_report *report, pl_error *error)
{
  if (!error || error->entity >= 0 || !report->worst_block1) return;
  const pl_body *body = pl_bodies_owner(&world->bodies, report->worst_block1 - 1);
  int node = body->order[pl_body_anchor(body, report->worst_block1 - 1 - body->offset)];
  pl_error cause = *error;
  pl_fail_entity(error, cause.code, node, "body \"%.80s\", near node %d: %.300s", body->name, node,
                 cause.message);
}

static void warn_unconverged(pl_world *world, const pl_step_report *report)
{
  if (!report->unconverged || world->unconverged_steps++) return;
  pl_log_write(&world->log, PL_WARNING,
               "at t = %g s Newton's method was cut short with a residual of %.3g N, which is "
               "accepted; allow more iterations or take smaller steps",
               world->state.time, report->newton_residual);
}

static void warn(pl_world *world, const pl_step_report *report)
{
  if (report->unfinished_solves && !world->budget && !world->warned_unfinished++)
    pl_log_write(&world->log, PL_WARNING,
                 "at t = %g s the linear solver used up its iterations with a relative residual of "
                 "%.2g; allow more iterations or a larger tolerance",
                 world->state.time, report->linear_residual);
  warn_unconverged(world, report);
}

static void count(pl_world *world, const pl_step_report *report, double seconds)
{
  world->last = *report;
  world->newton_iterations += report->newton_iterations;
  world->linear_iterations += report->linear_iterations;
  world->matrices += report->matrices;
  world->unfinished_solves += report->unfinished_solves;
  if (report->worst_residual > world->worst_residual)
    world->worst_residual = report->worst_residual;
  world->seconds += seconds;
  world->seconds_evaluate += world->system.seconds_evaluate;
  world->seconds_solve += world->system.seconds_solve;
  world->system.seconds_evaluate = world->system.seconds_solve = 0;
}

static void warn_halved(pl_world *world, int halvings, const pl_error *reason)
{
  if (world->halved_steps++) return;
  pl_log_write(&world->log, PL_WARNING,
               "the step at t = %g s failed and was made again in %d parts (%.200s)",
               world->saved.time, 1 << halvings, reason->message);
}

pl_status pl_world_step(pl_world *world, pl_error *error)
{
  pl_status status = pl_world_adapt(world, error);
  if (!status) status = pl_world_prepare(world, error);
  if (status) return status;
  double start = pl_now();
  pl_step_report report = {0};
  pl_error reason = {0}, ignored;
  if (!error) error = &ignored;
  copy_state(world, &world->state, &world->saved);
  pl_integrator_save(world->integrator, PL_SAVED_STEP);

  // a step that fails starts again from the same bits, in twice as many parts
  int halvings = 0;
  while ((status = pl_world_advance(world, 1 << halvings, &report, error)) != PL_OK) {
    copy_state(world, &world->saved, &world->state);
    pl_integrator_restore(world->integrator, PL_SAVED_STEP);
    if (halvings == 0) reason = *error;
    if (halvings == most_halvings(world) || world->tolerance > 0 ||
        !pl_world_can_retry(world, status))
      break;
    halvings++;
    report.worst_block1 = 0;
  }
  if (status) {
    name_place(world, &report, error);
    error->time = world->saved.time + world->dt;
    return status;
  }
  if (halvings) warn_halved(world, halvings, &reason);

  // time is counted in steps, so that it does not drift
  world->state.steps++;
  world->state.time = world->epoch + (double)(world->state.steps - world->epoch_steps) * world->dt;
  count(world, &report, pl_now() - start);
  warn(world, &report);
  return PL_OK;
}
