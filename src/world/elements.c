/* What elements are warned of while a world steps: some that are turned inside out, and meshes
 * whose energy is mostly that of hourglass control.
 *
 * Looked at after every so many steps, which costs a small share of them, and said once each. In
 * bending, elements with one point and n of them across have 1 / n^2 of the energy in hourglass
 * modes; above a fifth, the mesh is too coarse for what it does, or a load on single nodes excites
 * the modes. */
#include "core/error.h"
#include "core/memory.h"
#include "model/divided.h"
#include "world/world.h"

enum { STEPS_BETWEEN = 32 };

static const double max_hourglass = 0.2;

/* Does the law act in the body's elements, with a deformation gradient in each? */
static int has_elements(const pl_body *body)
{
  return !body->model->frame_count && body->model->ops->fields && body->model->ops->strains;
}

static int elements_here(const pl_body *body)
{
  const int *list;
  const pl_mesh *share = pl_model_share(body->model, &list);
  return share ? share->element_count : body->mesh->element_count;
}

pl_status pl_world_watch_create(pl_world *world, pl_error *error)
{
  size_t max = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    size_t own = (size_t)elements_here(&world->bodies.list[b]);
    if (has_elements(&world->bodies.list[b]) && own > max) max = own;
  }
  world->proportion.dets = pl_alloc(&world->allocator, max, sizeof(double));
  return world->proportion.dets ? PL_OK : pl_fail_memory(error);
}

static pl_inverted find_inverted(const pl_world *world, const pl_body *body)
{
  const double *q = world->state.q + 3 * body->offset;
  double *det = world->proportion.dets;
  if (pl_model_owners(body->model)) return pl_divided_inverted(body->model, q, det, world->pool);
  pl_inverted found = {0};
  body->model->ops->fields(body->model, q, NULL, det, world->pool);
  for (int e = 0; e < body->mesh->element_count; e++) {
    if (det[e] < det[found.worst]) found.worst = e;
    found.count += !(det[e] > 0);
  }
  found.least = det[found.worst];
  return found;
}

static void warn_inverted(pl_world *world, const pl_body *body)
{
  pl_inverted found = find_inverted(world, body);
  if (!found.count) return;
  world->proportion.warned_inverted = 1;
  pl_log_write(&world->log, PL_WARNING,
               "inverted elements: %d of body \"%.80s\" at t = %g s, the worst is element %d with "
               "det F = %.3g; take smaller loads, or a law that resists it such as "
               "stable-neo-hooke",
               found.count, body->name, world->state.time, body->element_order[found.worst],
               found.least);
}

static void warn_hourglass(pl_world *world, const pl_body *body)
{
  pl_model *model = body->model;
  const double *q = world->state.q + 3 * body->offset;
  double control = model->ops->hourglass(model, q, world->pool);
  if (!(control > 0)) return;
  double all = model->ops->energy(model, q, world->pool), mass = 0;
  for (int i = 0; i < body->blocks; i++) mass += model->lumped_mass[i];
  // strains of a thousandth and less say nothing
  double wave = world->proportion.wave, slight = 1e-6 * mass * wave * wave;
  if (!(control > max_hourglass * all) || !(all > slight)) return;
  world->proportion.warned_hourglass = 1;
  pl_log_write(&world->log, PL_WARNING,
               "hourglassing: %.0f %% of the elastic energy of body \"%.80s\" at t = %g s is in "
               "hourglass modes; take finer cells, spread the loads, or quadrature=\"full\"",
               100 * control / all, body->name, world->state.time);
}

void pl_world_watch_elements(pl_world *world)
{
  const pl_proportion *proportion = &world->proportion;
  if (world->state.steps % STEPS_BETWEEN && !world->integrator->ops->is_static) return;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (!has_elements(body)) continue;
    if (!proportion->warned_inverted) warn_inverted(world, body);
    if (!proportion->warned_hourglass && body->model->ops->hourglass && body->model->ops->energy)
      warn_hourglass(world, body);
  }
}
