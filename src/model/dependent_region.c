/* Smaller steps by region where nodes depend on others: a block is fast when it carries a node of a
 * fast element, and then all that it carries is. */
#include "core/error.h"
#include "core/memory.h"
#include "model/dependent.h"

/* Marks of nodes from those of the blocks that carry them, the fastest counts; and back. */
static void to_nodes(const pl_carried *by, int nodes, const unsigned char *blocks,
                     unsigned char *marks)
{
  for (int n = 0; n < nodes; n++) {
    for (int k = by->start[n]; k < by->start[n + 1]; k++) {
      if (blocks[by->blocks[k]] > marks[n]) marks[n] = blocks[by->blocks[k]];
    }
  }
}

static void to_blocks(const pl_carried *by, int nodes, const unsigned char *marks,
                      unsigned char *blocks)
{
  for (int n = 0; n < nodes; n++) {
    for (int k = by->start[n]; k < by->start[n + 1]; k++) {
      if (marks[n] > blocks[by->blocks[k]]) blocks[by->blocks[k]] = marks[n];
    }
  }
}

pl_status pl_dependent_mark_fast(pl_model *self, double h, double square, unsigned char *marks,
                                 double bounds[2], pl_error *error)
{
  const pl_dependent *at = self->state;
  unsigned char *nodes = pl_alloc(&self->allocator, (size_t)at->nodes, 1);
  if (!nodes) return pl_fail_memory(error);
  pl_status status =
      at->inner->ops->stability.mark_fast(at->inner, h, square, nodes, bounds, error);
  if (!status) to_blocks(&at->carried, at->nodes, nodes, marks);
  pl_free(&self->allocator, nodes);
  return status;
}

pl_status pl_dependent_select(pl_model *self, unsigned char *marks, pl_error *error)
{
  const pl_dependent *at = self->state;
  unsigned char *nodes = pl_alloc(&self->allocator, (size_t)at->nodes, 1);
  if (!nodes) return pl_fail_memory(error);
  to_nodes(&at->carried, at->nodes, marks, nodes);
  pl_status status = at->inner->ops->stability.select(at->inner, nodes, error);
  // a fast node may have carriers that are not: these are near
  for (int n = 0; n < at->nodes; n++) {
    if (nodes[n]) nodes[n] = PL_NEAR_BLOCK;
  }
  if (!status) to_blocks(&at->carried, at->nodes, nodes, marks);
  pl_free(&self->allocator, nodes);
  return status;
}
