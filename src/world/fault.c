/* Where a step failed: the node that is worst off, and the element that has been crushed most. */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Elements above this volume ratio are not the reason. */
static const double crushed = 0.3;

static void name_node(const pl_world *world, const pl_step_report *report, pl_error *error)
{
  if (error->entity >= 0 || !report->worst_block1) return;
  const pl_body *body = pl_bodies_owner(&world->bodies, report->worst_block1 - 1);
  int node = body->order[pl_body_anchor(body, report->worst_block1 - 1 - body->offset)];
  pl_error cause = *error;
  pl_fail_entity(error, cause.code, node, "body \"%.80s\", near node %d: %.300s", body->name, node,
                 cause.message);
}

/* The element of a body with the least det F; where memory is short, none below *least. */
static int worst_element(pl_world *world, const pl_body *body, double *min)
{
  int worst = -1;
  double *ratio = pl_alloc(&world->allocator, (size_t)body->mesh->element_count, sizeof *ratio);
  if (!ratio) return -1;
  body->model->ops->fields(body->model, world->state.q + 3 * body->offset, NULL, ratio,
                           world->pool);
  for (int e = 0; e < body->mesh->element_count; e++) {
    if (!(ratio[e] < *min)) continue;
    *min = ratio[e];
    worst = body->element_order[e];
  }
  pl_free(&world->allocator, ratio);
  return worst;
}

static void name_element(pl_world *world, pl_error *error)
{
  double min = crushed;
  int worst = -1;
  const pl_body *where = NULL;
  for (size_t b = 0; b < world->bodies.count; b++) {
    int found = worst_element(world, &world->bodies.list[b], &min);
    if (found < 0) continue;
    worst = found;
    where = &world->bodies.list[b];
  }
  if (!where) return;
  size_t used = strlen(error->message);
  pl_print(error->message + used, sizeof error->message - used,
           "; element %d of body \"%.80s\" is %s when the step begins (det F = %.3g)", worst,
           where->name, min <= 0 ? "inside out" : "crushed", min);
}

void pl_world_name_fault(pl_world *world, pl_status status, const pl_step_report *report,
                         pl_error *error)
{
  name_node(world, report, error);
  if (pl_world_can_retry(world, status) || status == PL_E_CONVERGENCE) name_element(world, error);
}
