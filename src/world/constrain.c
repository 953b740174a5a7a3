/* Constraints: the rows of all couplings as the integrator's filter, and the velocities that they
 * prescribe. */
#include "math/vec3.h"
#include "world/world.h"

/* What models hold themselves, such as the hinges of rigid parts. */
static void constrain_models(pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->model->hold_count; i++) {
      const pl_block_hold *hold = &body->model->holds[i];
      pl_row row = {.block = body->offset + hold->block, .source = PL_ROW_OF_MODEL};
      for (row.tag = 0; row.tag < hold->count; row.tag++) {
        pl_vec3_copy(hold->directions[row.tag], row.direction);
        pl_rows_add(&world->rows, &row);
      }
    }
  }
}

void pl_world_constrain(pl_world *world)
{
  pl_rows_clear(&world->rows);
  constrain_models(world);
  for (size_t i = world->couplings.count; i-- > 0;) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->constrain) coupling->ops->constrain(coupling, (int)i, &world->rows);
  }
  pl_rows_finish(&world->rows, &world->system.filter);
}

void pl_world_prescribe(const pl_world *world, double t, double h, const double *q, double *v)
{
  const pl_moment at = {.t = t, .h = h, .q = q, .v = v, .load_scale = world->system.load_scale};
  for (int i = 0; i < world->rows.held_count; i++) {
    double products[3];
    pl_span span;
    pl_rows_span(&world->rows, world->rows.held[i], &span);
    for (int m = 0; m < span.count; m++) {
      int source = span.row[m]->source;
      const pl_coupling *coupling =
          source == PL_ROW_OF_MODEL ? NULL : world->couplings.list[source];
      products[m] = coupling ? coupling->ops->velocity(coupling, &at, span.row[m]) : 0;
    }
    double *speed = v + 3 * (size_t)world->rows.held[i];
    pl_span_free(&span, speed);
    pl_span_fill(&span, products, speed);
  }
}
