/* Views: a body's numbers where the library keeps them. The state's numbers have holders, the world
 * and the views: where the world gives the state other room, what views hold stays. */
#include "core/error.h"
#include "core/memory.h"
#include "world/world.h"

#include <string.h>

struct pl_view {
  pl_allocator allocator;
  pl_shared *shared; /* NULL: the numbers are the view's own */
  pl_body_id body;
  pl_view_arrays arrays;
  double *own; /* stress, and what else is not the state's */
  int *order;
};

void pl_shared_release(pl_shared *shared)
{
  if (!shared || atomic_fetch_sub(&shared->holders, 1) > 1) return;
  const pl_allocator allocator = shared->allocator;
  pl_free(&allocator, shared->numbers);
  pl_free(&allocator, shared);
}

void pl_world_free_numbers(pl_world *world)
{
  if (world->state.shared)
    pl_shared_release(world->state.shared);
  else
    pl_free(&world->allocator, world->state.numbers);
  world->state.shared = NULL;
  world->state.numbers = NULL;
}

/* One more holder of the state's numbers. */
static pl_status share(pl_world *world, pl_view *view, pl_error *error)
{
  if (!world->state.shared) {
    world->state.shared = pl_alloc(&world->allocator, 1, sizeof *world->state.shared);
    if (!world->state.shared) return pl_fail_memory(error);
    world->state.shared->allocator = world->allocator;
    world->state.shared->numbers = world->state.numbers;
    atomic_init(&world->state.shared->holders, 1);
  }
  atomic_fetch_add(&world->state.shared->holders, 1);
  view->shared = world->state.shared;
  return PL_OK;
}

/* The arrays of its own: stress, then forces, or positions and velocities. */
static pl_status make_arrays(pl_world *world, const pl_body *body, pl_view *view, pl_error *error)
{
  const size_t nodes = (size_t)body->mesh->node_count, elements = (size_t)body->mesh->element_count;
  const int live = !body->model->ops->nodes;
  const size_t more_count = live ? 3 * (size_t)body->blocks : 6 * nodes;
  view->own = pl_alloc(&world->allocator, 9 * elements + more_count, sizeof(double));
  view->order = pl_alloc(&world->allocator, nodes, sizeof(int));
  if (!view->own || !view->order) return pl_fail_memory(error);
  memcpy(view->order, body->order, nodes * sizeof(int));
  const double *more = view->own + 9 * elements;
  view->arrays = (pl_view_arrays){
      .node_count = (int)nodes,
      .element_count = (int)elements,
      .positions = live ? world->state.q + 3 * body->offset : more,
      .velocities = live ? world->state.v + 3 * body->offset : more + 3 * nodes,
      .forces = live ? more : NULL,
      .stress = view->own,
      .order = view->order,
      .is_live = live,
  };
  return live ? share(world, view, error) : PL_OK;
}

pl_status pl_world_view_body(pl_world *world, pl_body_id id, pl_view **out, pl_error *error)
{
  const pl_body *body;
  if (!out) return pl_fail(error, PL_E_ARGUMENT, "pl_world_view_body needs a place for the view");
  *out = NULL;
  pl_status status = pl_world_find_body(world, id, &body, error);
  // what preparing adds to the state is there from now on
  if (!status) status = pl_world_prepare(world, error);
  if (status) return status;
  pl_view *view = pl_alloc(&world->allocator, 1, sizeof *view);
  if (!view) return pl_fail_memory(error);
  view->allocator = world->allocator;
  view->body = id;
  status = make_arrays(world, body, view, error);
  if (!status) status = pl_world_refresh_view(world, view, error);
  if (status)
    pl_view_destroy(view);
  else
    *out = view;
  return status;
}

void pl_view_read(const pl_view *view, pl_view_arrays *arrays)
{
  if (arrays) *arrays = view ? view->arrays : (pl_view_arrays){0};
}

int pl_view_holds(const pl_view *view, const pl_world *world)
{
  const pl_body *body = view ? pl_world_body(world, view->body) : NULL;
  if (!body || body->mesh->node_count != view->arrays.node_count) return 0;
  if (view->arrays.is_live != !body->model->ops->nodes) return 0;
  return !view->arrays.is_live ||
         (world->state.q && view->arrays.positions == world->state.q + 3 * body->offset &&
          view->arrays.velocities == world->state.v + 3 * body->offset);
}

static void refresh_nodes(const pl_world *world, const pl_body *body, pl_view *view)
{
  const size_t nodes = (size_t)body->mesh->node_count, size = 3 * nodes * sizeof(double);
  const double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  double *more = view->own + 9 * (size_t)body->mesh->element_count;
  if (view->arrays.is_live) {
    const pl_moment at = {.t = world->state.time, .q = q, .v = v};
    body->model->ops->evaluate(body->model, &at, more, NULL, world->pool);
    return;
  }
  memcpy(more, pl_body_nodes(body, q, NULL), size);
  memcpy(more + 3 * nodes, pl_body_nodes(body, q, v), size);
}

pl_status pl_world_refresh_view(pl_world *world, pl_view *view, pl_error *error)
{
  const pl_body *body;
  if (!view) return pl_fail(error, PL_E_ARGUMENT, "the view is NULL; make one of a body");
  pl_status status = pl_world_find_body(world, view->body, &body, error);
  if (!status) status = pl_world_prepare(world, error);
  if (status) return status;
  if (!pl_view_holds(view, world))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the world has changed since the view of body \"%.80s\" was made; make it again",
                   body->name);
  refresh_nodes(world, body, view);
  return pl_world_get_tensors(world, view->body, NULL, view->own, error);
}

void pl_view_destroy(pl_view *view)
{
  if (!view) return;
  const pl_allocator allocator = view->allocator;
  pl_shared_release(view->shared);
  pl_free(&allocator, view->own);
  pl_free(&allocator, view->order);
  pl_free(&allocator, view);
}
