/* Constraints: the rows of all couplings as the integrator's filter, and the velocities that they
 * prescribe. */
#include "math/vec3.h"
#include "sparse/passes.h"
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
static int are_axes(const pl_rows *rows, const int *order, int count)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int m = 0; m < 3 && count >= 3; m++) {
    if (memcmp(rows->list[order[m]].direction, axes[m], sizeof axes[m]) != 0) return 0;
  }
  return count >= 3;
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

static void prescribe_block(const pl_world *world, const pl_moment *at, int block, double speed[3])
{
  const pl_rows *rows = &world->rows;
  const int *order = rows->order + rows->start[block];
  double products[3];
  if (are_axes(rows, order, rows->start[block + 1] - rows->start[block])) {
    for (int m = 0; m < 3; m++) products[m] = product_of(world, at, &rows->list[order[m]]);
    for (int m = 0; m < 3; m++) speed[m] = 0 + products[m];
    return;
  }
  pl_span span;
  pl_rows_span(rows, block, &span);
  for (int m = 0; m < span.count; m++) products[m] = product_of(world, at, span.row[m]);
  pl_span_free(&span, speed);
  pl_span_fill(&span, products, speed);
}

typedef struct prescription {
  const pl_world *world;
  pl_moment at;
  double *v;
} prescription;

/* Held blocks from i on, all below last, that one coupling prescribes at once; their number. */
static int prescribe_run(const prescription *p, int i, int last)
{
  const pl_rows *rows = &p->world->rows;
  int giver = rows->giver[i], end = i;
  const pl_coupling *coupling = giver < 0 ? NULL : p->world->couplings.list[giver];
  if (!coupling || !coupling->ops->block_velocities) return 0;
  while (end < rows->held_count && rows->held[end] < last && rows->giver[end] == giver) end++;
  coupling->ops->block_velocities(coupling, &p->at, rows->held + i, end - i, p->v);
  return end - i;
}

/* By blocks, as all passes of explicit steps, so that each thread has its own. */
static void prescribe_range(void *context, int first, int last)
{
  const prescription *p = context;
  const pl_filter held = {.count = p->world->rows.held_count, .nodes = p->world->rows.held};
  for (int i = pl_filter_from(&held, first); i < held.count && held.nodes[i] < last;) {
    int run = prescribe_run(p, i, last);
    if (!run) prescribe_block(p->world, &p->at, held.nodes[i], p->v + 3 * (size_t)held.nodes[i]);
    i += run ? run : 1;
  }
}

void pl_world_prescribe(pl_world *world, double t, double h, const double *q, double *v)
{
  prescription p = {
      world, {.t = t, .h = h, .q = q, .v = v, .load_scale = world->system.load_scale}, v};
  if (world->rows.held_count)
    pl_defer_range(world->bodies.blocks, prescribe_range, &p, sizeof p, world->pool);
  if (!world->system.filter.mpcs) return;
  pl_settle(world->pool);
  prescribe_mpcs(world, &p.at, v);
}
