/* Constraints: the rows of all couplings as the integrator's filter, and the velocities that they
 * prescribe. */
#include "math/vec3.h"
#include "world/world.h"

void pl_world_constrain(pl_world *world)
{
  pl_rows_clear(&world->rows);
  for (size_t i = world->couplings.count; i-- > 0;) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->constrain) coupling->ops->constrain(coupling, (int)i, &world->rows);
  }
  world->system.filter.rigid_count = (int)world->core_count;
  world->system.filter.rigids = world->rigids;
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
      const pl_coupling *coupling = world->couplings.list[span.row[m]->source];
      products[m] = coupling->ops->velocity(coupling, &at, span.row[m]);
    }
    double *speed = v + 3 * (size_t)world->rows.held[i];
    pl_span_free(&span, speed);
    pl_span_fill(&span, products, speed);
  }
}
