/* Ties: attachments without springs. Points of two bodies that coincide at rest stay together, by
 * three constraint rows over several blocks for each pair (sparse/mpc.h).
 *
 * With the gap g = x - y of a pair and dg = J dq (attachment.c), the rows are J v = -g / h: they
 * close the gap within the substep, and keep it closed. Where J is constant (nodes and points in
 * elements) that is exact. Where blocks turn, the world takes J about the middle of the substep
 * (world/turn.c), and what the end still leaves of the gap is closed by repeating the substep with
 * J v = -g / h + shift, shift -= g(end) / h: Newton's method on the gaps.
 *
 * The node of the first body is what is made dependent: the finer mesh should be the one that is
 * attached. The force of a pair is the rows' lambda, readable by pl_world_read_attachment. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "math/vec3.h"

#include <math.h>

static const double closed = 1e-11; /* of the first body's size: gaps below this count as closed */
enum { MOST_REPEATS = 6 };

static pl_status prepare(pl_coupling *self, pl_error *error)
{
  pl_attachment *tie = (pl_attachment *)self;
  const pl_allocator *allocator = self->bodies->allocator;
  pl_free(allocator, tie->shift);
  pl_free(allocator, tie->row);
  tie->shift = pl_alloc(allocator, 3 * (size_t)tie->count, sizeof *tie->shift);
  tie->row = pl_alloc(allocator, (size_t)tie->jacobian.room, sizeof *tie->row);
  return tie->shift && tie->row ? PL_OK : pl_fail_memory(error);
}

static void mpc_room(pl_coupling *self, const double *q, int64_t *rows, int64_t *entries)
{
  pl_attachment *tie = (pl_attachment *)self;
  double gap[3];
  for (int p = 0; p < tie->count; p++) {
    pl_attachment_gap(tie, p, q, gap);
    *entries += 3 * (int64_t)tie->jacobian.count;
  }
  *rows += 3 * (int64_t)tie->count;
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_attachment *tie = (pl_attachment *)self;
  for (int i = 0; i < 3 * tie->count; i++) tie->shift[i] = 0;
  (void)step;
}

/* One row of the pair in the jacobian. */
static void add_row(pl_attachment *tie, int source, int tag, pl_rows *rows)
{
  const pl_jacobian *from = &tie->jacobian;
  for (int b = 0; b < from->count; b++) {
    tie->row[b].block = from->blocks[b];
    pl_vec3_copy(from->J + 9 * b + 3 * (tag % 3), tie->row[b].c);
  }
  pl_mpcs_add(rows->mpcs, source, tag, from->count, tie->row);
}

static void constrain(pl_coupling *self, int source, const double *q, pl_rows *rows)
{
  pl_attachment *tie = (pl_attachment *)self;
  for (int p = 0; p < tie->count; p++) {
    double gap[3];
    pl_attachment_gap(tie, p, q, gap);
    for (int k = 0; k < 3; k++) add_row(tie, source, 3 * p + k, rows);
  }
}

/* The gap's jacobian is scratch. */
static double velocity(const pl_coupling *self, const pl_moment *at, const pl_row *row)
{
  pl_attachment *tie = (pl_attachment *)(uintptr_t)self;
  double gap[3];
  pl_attachment_gap(tie, row->tag / 3, at->q, gap);
  return -gap[row->tag % 3] / at->h + tie->shift[row->tag];
}

static int revise(pl_coupling *self, const pl_substep *step)
{
  pl_attachment *tie = (pl_attachment *)self;
  double max = 0, size = pl_body_size(&self->bodies->list[self->acts_on[0]]);
  if (step->pass >= MOST_REPEATS) return 0;
  for (int p = 0; p < tie->count; p++) {
    double gap[3];
    pl_attachment_gap(tie, p, step->q, gap);
    for (int k = 0; k < 3; k++) {
      max = fmax(max, fabs(gap[k]));
      tie->shift[3 * p + k] -= gap[k] / step->h;
    }
  }
  if (!(max > closed * size)) return 0;
  return 1;
}

const pl_coupling_ops pl_coupling_tie = {
    .info = {"tie", "holds two bodies together exactly at points, by constraint rows", "", NULL, 0,
             NULL},
    .is_internal = 1,
    .size = sizeof(pl_attachment),
    .destroy = pl_attachment_destroy,
    .cliques = pl_attachment_cliques,
    .prepare = prepare,
    .mpc_room = mpc_room,
    .begin = begin,
    .constrain = constrain,
    .velocity = velocity,
    .revise = revise,
    .grips = pl_attachment_grips,
};
