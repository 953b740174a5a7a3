/* Constraints: the rows of all couplings as the integrator's filter, and the velocities that they
 * prescribe. */
#include "math/vec3.h"
#include "world/world.h"

#include <string.h>

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

pl_status pl_world_constrain(pl_world *world, pl_error *error)
{
  return pl_world_constrain_at(world, world->state.q, error);
}

pl_status pl_world_constrain_at(pl_world *world, const double *q, pl_error *error)
{
  pl_rows_clear(&world->rows);
  constrain_models(world);
  for (size_t i = world->couplings.count; i-- > 0;) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->constrain) coupling->ops->constrain(coupling, (int)i, q, &world->rows);
  }
  pl_status status = pl_rows_finish(&world->rows, &world->system.filter, error);
  if (world->system.pairs) world->system.pairs->links = world->system.filter.links;
  return status;
}

/* Are these the three axes in their order, as fixes of all directions give them? Then products are
 * velocities. */
static int are_axes(const pl_rows *rows, int block)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int first = rows->start[block];
  if (rows->start[block + 1] - first < 3) return 0;
  for (int m = 0; m < 3; m++) {
    const double *d = rows->list[rows->order[first + m]].direction;
    if (memcmp(d, axes[m], sizeof axes[m]) != 0) return 0;
  }
  return 1;
}

static double product_of(const pl_world *world, const pl_moment *at, const pl_row *row)
{
  const pl_coupling *coupling =
      row->source == PL_ROW_OF_MODEL ? NULL : world->couplings.list[row->source];
  return coupling ? coupling->ops->velocity(coupling, at, row) : 0;
}

/* What v must be under rows over several blocks. */
static void prescribe_mpcs(pl_world *world, const pl_moment *at, double *v)
{
  pl_mpcs *mpcs = world->rows.mpcs;
  for (int i = 0; i < mpcs->count; i++) {
    const pl_mpc *mpc = &mpcs->list[i];
    const pl_coupling *coupling = world->couplings.list[mpc->source];
    const pl_row row = {.block = -1, .source = mpc->source, .tag = mpc->tag};
    mpcs->u[i] = mpc->is_active ? coupling->ops->velocity(coupling, at, &row) : 0;
  }
  pl_system_meet(&world->system, mpcs->u, v);
}

void pl_world_prescribe(pl_world *world, double t, double h, const double *q, double *v)
{
  const pl_moment at = {.t = t, .h = h, .q = q, .v = v, .load_scale = world->system.load_scale};
  const pl_rows *rows = &world->rows;
  for (int i = 0; i < rows->held_count; i++) {
    int block = rows->held[i];
    double products[3], *speed = v + 3 * (size_t)block;
    pl_span span;
    if (are_axes(rows, block)) {
      const int *order = rows->order + rows->start[block];
      for (int m = 0; m < 3; m++) products[m] = product_of(world, &at, &rows->list[order[m]]);
      for (int m = 0; m < 3; m++) speed[m] = 0 + products[m];
      continue;
    }
    pl_rows_span(rows, block, &span);
    for (int m = 0; m < span.count; m++) products[m] = product_of(world, &at, span.row[m]);
    pl_span_free(&span, speed);
    pl_span_fill(&span, products, speed);
  }
  if (world->system.filter.mpcs) prescribe_mpcs(world, &at, v);
}
