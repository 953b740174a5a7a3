/* The coarse world goes first, and its rotations become the frames of fine elements. */
#include "world/guide.h"

#include "core/error.h"
#include "core/memory.h"
#include "ode/newton.h"

#include <math.h>
#include <string.h>

void pl_guide_destroy(const pl_allocator *allocator, pl_guide *guide)
{
  if (!guide) return;
  for (int i = 0; i < guide->count; i++) {
    pl_embed_destroy(guide->list[i].embed);
    pl_embed_destroy(guide->list[i].back);
  }
  pl_world_destroy(guide->world);
  pl_free(allocator, guide->list);
  pl_free(allocator, guide->room);
  pl_free(allocator, guide);
}

/* ---- who leads whom ---- */

/* Do its laws take frames, and nothing else? */
static int takes_frames(const pl_body *body)
{
  const pl_groups *groups = body->model->groups;
  int lags = 0;
  if (body->model->ops->nodes) return 0;
  for (int g = 0; groups && g < groups->count; g++) {
    const pl_memory_ops *memory = groups->list[g].memory;
    if (memory && !memory->lags) return 0;
    lags |= memory != NULL;
  }
  return lags;
}

static const pl_body *named(const pl_world *world, const char *name)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (strcmp(world->bodies.list[b].name, name) == 0) return &world->bodies.list[b];
  }
  return NULL;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static pl_status lead(const pl_world *world, const pl_body *body, pl_guide *guide, pl_error *error)
{
  const pl_body *leader = named(guide->world, body->name);
  pl_led *to = &guide->list[guide->count];
  if (!leader)
    return pl_fail(error, PL_E_ARGUMENT,
                   "the guide has no body \"%.80s\" that could lead the one of this name",
                   body->name);
  if (leader->mesh->nodes_per_element < 4)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" of the guide has no solid elements, so it has no rotations to "
                   "lend",
                   body->name);
  *to = (pl_led){.body = pl_world_id_of(body), .leader = pl_world_id_of(leader)};
  guide->leader_room = larger(guide->leader_room, 3 * (size_t)leader->mesh->node_count);
  guide->body_room = larger(guide->body_room, 3 * (size_t)body->mesh->node_count);
  guide->count++;
  pl_status status = pl_embed_create(leader->mesh, body->mesh->node_count, body->mesh->nodes,
                                     &world->allocator, &to->embed, error);
  if (status) return status;
  return pl_embed_create(body->mesh, leader->mesh->node_count, leader->mesh->nodes,
                         &world->allocator, &to->back, error);
}

static pl_status lead_all(const pl_world *world, pl_guide *guide, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    if (takes_frames(&world->bodies.list[b]))
      status = lead(world, &world->bodies.list[b], guide, error);
  }
  if (!status && !guide->count)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "no body takes its frames from a guide; give one law=\"hooke-lagged\", "
                     "model=\"fem\" and no <refine>, rigid parts or hanging nodes");
  if (status) return status;
  guide->room =
      pl_alloc(&world->allocator, guide->leader_room + 2 * guide->body_room, sizeof(double));
  return guide->room ? PL_OK : pl_fail_memory(error);
}

pl_status pl_world_set_guide(pl_world *world, pl_world *guide, double update, int alone,
                             pl_error *error)
{
  pl_guide *made = NULL;
  pl_status status = PL_OK;
  if (guide == world)
    return pl_fail(error, PL_E_ARGUMENT, "a world cannot be its own guide; make another one");
  if (guide && guide->set.guide)
    return pl_fail(error, PL_E_ARGUMENT, "a guide has no guide of its own; take that away first");
  if (guide && !(update > 0 && isfinite(update)))
    return pl_fail(error, PL_E_ARGUMENT,
                   "frames are taken from a guide every %g s: give more than 0", update);
  if (guide) {
    made = pl_alloc(&world->allocator, 1, sizeof *made);
    if (!made) return pl_fail_memory(error);
    *made = (pl_guide){.world = guide, .update = update, .alone = alone};
    made->list = pl_alloc(&world->allocator, world->bodies.count, sizeof *made->list);
    status = made->list ? lead_all(world, made, error) : pl_fail_memory(error);
    // on failure it stays the caller's
    if (status) made->world = NULL;
  }
  if (status) {
    pl_guide_destroy(&world->allocator, made);
    return status;
  }
  pl_guide_destroy(&world->allocator, world->set.guide);
  world->set.guide = made;
  return PL_OK;
}

/* ---- in a step ---- */

/* Puts the leader where the body has its points, moving as they do. */
static pl_status return_to(const pl_world *world, const pl_guide *guide, const pl_led *led,
                           pl_error *error)
{
  const pl_body *body = pl_world_body(world, led->body);
  if (!body || !pl_world_body(guide->world, led->leader)) return PL_OK;
  double *leading = guide->room, *nodes = leading + guide->leader_room;
  pl_status status = pl_world_get_positions(world, led->body, nodes, error);
  if (status) return status;
  pl_embed_follow(led->back, nodes, leading);
  status = pl_world_set_positions(guide->world, led->leader, leading, error);
  if (!status) status = pl_world_get_velocities(world, led->body, nodes, error);
  if (status) return status;
  pl_embed_follow(led->back, nodes, leading);
  return pl_world_set_velocities(guide->world, led->leader, leading, error);
}

/* The frames of a body become those of the shape that its leader carries it to. */
static pl_status take_frames(pl_world *world, const pl_guide *guide, const pl_led *led,
                             pl_error *error)
{
  pl_body *body = NULL;
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (pl_world_body(world, led->body) == &world->bodies.list[b]) body = &world->bodies.list[b];
  }
  if (!body || !pl_world_body(guide->world, led->leader) || !body->memory) return PL_OK;
  double *leading = guide->room, *nodes = leading + guide->leader_room,
         *q = nodes + guide->body_room;
  pl_status status = pl_world_get_positions(guide->world, led->leader, leading, error);
  if (status) return status;
  pl_embed_follow(led->embed, leading, nodes);
  for (int n = 0; n < body->mesh->node_count; n++)
    memcpy(q + 3 * (size_t)body->place[n], nodes + 3 * (size_t)n, 3 * sizeof *q);
  const pl_moment there = {.h = 0, .q = q};
  pl_model_begin(body->model, body->memory);
  pl_model_commit(body->model, &there, body->memory, world->pool);
  return PL_OK;
}

pl_status pl_world_follow_guide(pl_world *world, pl_error *error)
{
  pl_guide *guide = world->set.guide;
  if (!guide || !guide->world->bodies.count) return PL_OK;
  double dt = world->set.dt, end = world->state.time + dt;
  int64_t every = (int64_t)fmax(1, floor(guide->update / dt + 0.5));
  pl_status status = PL_OK;
  int ahead = guide->world->state.time > end - 1e-6 * dt;
  pl_world_set_watcher(guide->world, &world->watch.by);
  for (int i = 0; i < guide->count && !status && !guide->alone && !ahead; i++)
    status = return_to(world, guide, &guide->list[i], error);
  while (!status && guide->world->state.time < end - 1e-6 * dt)
    status = pl_world_step(guide->world, error);
  if (status || world->state.steps % every) return status;
  for (int i = 0; i < guide->count && !status; i++)
    status = take_frames(world, guide, &guide->list[i], error);
  // a kept matrix is that of the old frames
  if (pl_newton_keeps(world->integrator)) pl_integrator_begin(world->integrator);
  return status;
}
