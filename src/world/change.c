/* Changing a world between two steps: pins, the values of its parts, and going back to an earlier
 * state. What the step has prepared is dropped where it no longer fits. */
#include "core/error.h"
#include "core/memory.h"
#include "pliant/touch.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- pins ---- */

static pl_status find_node(const pl_world *world, pl_body_id id, int node, const pl_body **body,
                           pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (status || (node >= 0 && node < (*body)->mesh->node_count)) return status;
  return pl_fail_entity(error, PL_E_ARGUMENT, node, "body \"%.80s\" has no node %d", (*body)->name,
                        node);
}

/* A fix that carries the node from its rest position to where it is now. */
pl_status pl_world_pin_node(pl_world *world, pl_body_id id, int node, pl_error *error)
{
  const pl_body *body;
  pl_fix fix = {.count = 1, .hold_count = 3, .hold = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  pl_status status = find_node(world, id, node, &body, error);
  if (!status && body->model->anchors)
    status =
        pl_fail(error, PL_E_ARGUMENT,
                "no node of body \"%.80s\" can be pinned: its nodes follow its frames; pull it, "
                "or fix a region that holds a frame",
                body->name);
  if (!status)
    status = pl_world_one_more(world, &world->fixes, world->fix_count, &world->fix_room,
                               sizeof(pl_fix), error);
  if (status) return status;
  fix.nodes = pl_alloc(&world->allocator, 1, sizeof(int));
  if (!fix.nodes) return pl_fail_memory(error);
  int place = body->place[node];
  const double *x = world->state.q + 3 * (body->offset + place);
  fix.body = id.index1 - 1;
  fix.nodes[0] = place;
  for (int k = 0; k < 3; k++) fix.translation[k] = x[k] - body->rest[3 * place + k];
  pl_world_unprepare(world);
  world->fixes[world->fix_count++] = fix;
  return PL_OK;
}

/* Takes the node out of the fix; 1 if it was there. */
static int take_out(pl_fix *fix, int node)
{
  for (int i = 0; i < fix->count; i++) {
    if (fix->nodes[i] != node) continue;
    fix->count--;
    memmove(fix->nodes + i, fix->nodes + i + 1, (size_t)(fix->count - i) * sizeof(int));
    return 1;
  }
  return 0;
}

pl_status pl_world_release_node(pl_world *world, pl_body_id id, int node, int *released,
                                pl_error *error)
{
  const pl_body *body;
  int found = 0;
  size_t kept = 0;
  pl_status status = find_node(world, id, node, &body, error);
  if (status) return status;
  for (size_t f = 0; f < world->fix_count; f++) {
    pl_fix *fix = &world->fixes[f];
    if (fix->body == id.index1 - 1 && !body->model->anchors)
      found |= take_out(fix, body->place[node]);
    if (fix->count)
      world->fixes[kept++] = *fix;
    else
      pl_fix_release(&world->allocator, fix);
  }
  world->fix_count = kept;
  if (found) pl_world_unprepare(world);
  if (released) *released = found;
  return PL_OK;
}

pl_status pl_world_get_held(const pl_world *world, pl_body_id id, unsigned char *held,
                            pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && !held)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_get_held needs a place for %d bytes",
                     body->mesh->node_count);
  if (status) return status;
  memset(held, 0, (size_t)body->mesh->node_count);
  for (size_t f = 0; f < world->fix_count; f++) {
    const pl_fix *fix = &world->fixes[f];
    for (int i = 0; i < fix->count && fix->body == id.index1 - 1; i++) {
      for (int k = 0; k < 3 * fix->hold_count; k++)
        held[body->order[pl_body_anchor(body, fix->nodes[i])]] |=
            (unsigned char)(fix->hold[k / 3][k % 3] == 0 ? 0 : 1 << k % 3);
    }
  }
  return PL_OK;
}

/* ---- values ---- */

pl_status pl_world_set_dt(pl_world *world, double dt, pl_error *error)
{
  if (!(dt > 0) || !isfinite(dt))
    return pl_fail(error, PL_E_ARGUMENT, "dt = %g must be a positive time in s", dt);
  // from here on, time is counted anew
  world->epoch = world->state.time;
  world->epoch_steps = world->state.steps;
  world->dt = dt;
  return PL_OK;
}

pl_status pl_world_set_gravity(pl_world *world, const double gravity[3], pl_error *error)
{
  if (!gravity || !isfinite(gravity[0]) || !isfinite(gravity[1]) || !isfinite(gravity[2]))
    return pl_fail(error, PL_E_ARGUMENT, "gravity must be three finite numbers");
  memcpy(world->gravity, gravity, sizeof world->gravity);
  return PL_OK;
}

pl_status pl_world_set_control(pl_world *world, int budget, int halvings, double tolerance,
                               pl_error *error)
{
  pl_status status =
      pl_world_check_control(budget, halvings, tolerance, &world->integrator_part, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->budget = budget;
  world->halvings = halvings;
  world->tolerance = tolerance;
  return PL_OK;
}

pl_status pl_world_set_integrator(pl_world *world, const pl_choice *integrator, pl_error *error)
{
  pl_part part;
  pl_status status = pl_integrator_resolve(integrator, &part, error);
  if (!status)
    status = pl_world_check_control(world->budget, world->halvings, world->tolerance, &part, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->integrator_part = part;
  return PL_OK;
}

pl_status pl_world_set_solver(pl_world *world, const pl_choice *solver,
                              const pl_choice *preconditioner, pl_error *error)
{
  pl_part part, before;
  pl_status status = pl_choice_resolve(&pl_solver_family, solver, &part.member, part.values, error);
  if (!status)
    status = pl_choice_resolve(&pl_preconditioner_family, preconditioner, &before.member,
                               before.values, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->solver_part = part;
  world->solver_given = solver->name != NULL;
  world->preconditioner_part = before;
  return PL_OK;
}

pl_status pl_world_set_material(pl_world *world, pl_body_id id, const pl_material_def *def,
                                pl_error *error)
{
  const pl_body *found;
  pl_model *model;
  pl_material material;
  pl_part law;
  pl_status status = pl_world_find_body(world, id, &found, error);
  if (!status) status = pl_material_check(def, &law, &material, error);
  if (status) return status;
  const pl_sites sites = pl_body_sites(&world->bodies, found);
  status = pl_body_build(&world->allocator, found, def, &material, &sites, &model, error);
  if (status) return status;
  pl_body *body = &world->bodies.list[id.index1 - 1];
  pl_world_unprepare(world);
  pl_model_destroy(body->model);
  body->model = model;
  pl_body_remember(body, def, &law);
  return PL_OK;
}

/* ---- states ---- */

/* What stands before q, v and the integrator's history in a saved state. */
typedef struct head {
  uint64_t cookie;
  int64_t blocks, history, steps, epoch_steps;
  double time, epoch, dt;
  const pl_integrator_ops *integrator;
  pl_past past;
} head;

static const uint64_t head_cookie = UINT64_C(0x506c69616e745332);

static size_t vector_size(const pl_world *world)
{
  return (size_t)world->bodies.blocks * 3 * sizeof(double);
}

static const pl_integrator_ops *integrator_of(const pl_world *world)
{
  return (const pl_integrator_ops *)world->integrator_part.member;
}

size_t pl_world_state_size(const pl_world *world)
{
  return sizeof(head) + (2 + (size_t)integrator_of(world)->history) * vector_size(world);
}

pl_status pl_world_save_state(const pl_world *world, void *memory, size_t size, pl_error *error)
{
  if (!memory || size != pl_world_state_size(world))
    return pl_fail(error, PL_E_ARGUMENT, "the state of this world takes %zu bytes, not %zu%s",
                   pl_world_state_size(world), size, memory ? "" : " at NULL");
  const pl_integrator *integrator = world->integrator;
  head first = {.cookie = head_cookie,
                .blocks = world->bodies.blocks,
                .history = integrator_of(world)->history,
                .steps = world->state.steps,
                .epoch_steps = world->epoch_steps,
                .time = world->state.time,
                .epoch = world->epoch,
                .dt = world->dt,
                .integrator = integrator_of(world)};
  if (integrator) first.past = integrator->past;
  char *to = memory;
  size_t vector = vector_size(world);
  memcpy(to, &first, sizeof first);
  to += sizeof first;
  memcpy(to, world->state.q, vector);
  memcpy(to + vector, world->state.v, vector);
  for (int i = 0; i < first.history; i++) {
    to += i ? vector : 2 * vector;
    if (integrator)
      memcpy(to, integrator->history[i], vector);
    else
      memset(to, 0, vector);
  }
  return PL_OK;
}

void pl_state_forget(void *memory, size_t size)
{
  head first;
  if (size < sizeof first) return;
  memcpy(&first, memory, sizeof first);
  first.integrator = NULL;
  first.past = (pl_past){0};
  memcpy(memory, &first, sizeof first);
}

/* An integrator without memory of what came before. */
static pl_status fresh_integrator(pl_world *world, pl_error *error)
{
  pl_integrator *fresh;
  if (!world->ready) return PL_OK;
  pl_status status = pl_integrator_create(&world->allocator, &world->integrator_part,
                                          world->bodies.blocks, &fresh, error);
  if (status) return status;
  fresh->estimates = world->integrator->estimates;
  pl_integrator_destroy(world->integrator);
  world->integrator = fresh;
  return PL_OK;
}

/* Of doubles that may stand anywhere. */
static int are_finite(const char *from, int64_t count)
{
  for (int64_t i = 0; i < count; i++) {
    double value;
    memcpy(&value, from + (size_t)i * sizeof value, sizeof value);
    if (!isfinite(value)) return 0;
  }
  return 1;
}

static pl_status check_head(const pl_world *world, const head *first, size_t size, pl_error *error)
{
  if (first->cookie != head_cookie || first->blocks != world->bodies.blocks ||
      !isfinite(first->time + first->epoch) || first->history < 0 ||
      first->history > PL_MOST_HISTORY)
    return pl_fail(error, PL_E_ARGUMENT, "these bytes are not a state of this world");
  size_t right = sizeof *first + (2 + (size_t)first->history) * vector_size(world);
  if (size == right) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "this state takes %zu bytes, not %zu", right, size);
}

pl_status pl_world_load_state(pl_world *world, const void *memory, size_t size, pl_error *error)
{
  head first;
  const char *from = memory;
  if (!memory || size < sizeof first)
    return pl_fail(error, PL_E_ARGUMENT, "a state of this world takes %zu bytes, not %zu%s",
                   pl_world_state_size(world), size, memory ? "" : " at NULL");
  memcpy(&first, from, sizeof first);
  pl_status status = check_head(world, &first, size, error);
  if (!status && !are_finite(from + sizeof first, (2 + first.history) * 3 * world->bodies.blocks))
    status = pl_fail(error, PL_E_ARGUMENT, "these bytes are not a state of this world");
  // what was remembered means something to the same integrator only
  int remembers = first.integrator == integrator_of(world) &&
                  (first.past.steps > 0 || first.past.next > 0 || first.past.own[0] > 0);
  if (!status && remembers) status = pl_world_prepare(world, error);
  if (!status) status = fresh_integrator(world, error);
  if (!status && remembers && first.history > world->integrator->history_count)
    status = pl_fail(error, PL_E_ARGUMENT, "these bytes are not a state of this world");
  if (status) return status;

  // with another dt than then, time is counted from here
  int same = first.dt == world->dt;
  world->state.time = first.time;
  world->state.steps = first.steps;
  world->epoch = same ? first.epoch : first.time;
  world->epoch_steps = same ? first.epoch_steps : first.steps;
  size_t vector = vector_size(world);
  from += sizeof first;
  memcpy(world->state.q, from, vector);
  memcpy(world->state.v, from + vector, vector);
  if (!remembers) return PL_OK;
  world->integrator->past = first.past;
  for (int i = 0; i < first.history; i++)
    memcpy(world->integrator->history[i], from + (2 + (size_t)i) * vector, vector);
  return PL_OK;
}
