/* Elements that take smaller steps than others (ode/local.h): which are faster, and the forces of
 * those batches alone. Points that share their volume with other elements are not divided: then all
 * elements are selected as soon as one is. */
#include "model/fem/fem.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static const int *nodes_of(const pl_fem *fem, int element)
{
  return fem->element_nodes + (size_t)element * (size_t)fem->nodes_per_element;
}

pl_status pl_fem_mark_fast(pl_model *self, double h, double square, unsigned char *marks,
                           double bounds[2], pl_error *error)
{
  pl_fem *fem = self->state;
  double *squares = pl_alloc(&self->allocator, (size_t)fem->elements, sizeof *squares);
  double *rest = pl_alloc(&self->allocator, 3 * (size_t)self->blocks, sizeof *rest);
  if (squares && rest) {
    pl_fem_job job = {.fem = fem, .q = self->rest, .v = rest, .squares = squares};
    pl_model_settle(self, NULL);
    pl_fem_bound_all(fem, &job, h, bounds, NULL);
    for (int e = 0; e < fem->elements; e++) {
      if (!(squares[e] > square)) continue;
      for (int a = 0; a < fem->nodes_per_element; a++) marks[nodes_of(fem, e)[a]] = PL_FAST_BLOCK;
    }
  }
  pl_status status = squares && rest ? PL_OK : pl_fail_memory(error);
  pl_free(&self->allocator, squares);
  pl_free(&self->allocator, rest);
  return status;
}

/* Has one of the lanes a node that is marked as fast? */
static int is_fast(const pl_fem *fem, int batch, const unsigned char *marks)
{
  int count = fem->nodes_per_element * PL_LANES;
  const int *nodes = fem->nodes + (size_t)batch * (size_t)count;
  for (int i = 0; i < count; i++) {
    if (marks[nodes[i] / 3] == PL_FAST_BLOCK) return 1;
  }
  return 0;
}

pl_status pl_fem_select(pl_model *self, unsigned char *marks, pl_error *error)
{
  pl_fem *fem = self->state;
  int count = fem->nodes_per_element * PL_LANES;
  if (!fem->selected)
    fem->selected = pl_alloc(&self->allocator, (size_t)fem->groups.batches, sizeof *fem->selected);
  if (!fem->selected) return pl_fail_memory(error);
  int shares =
      fem->volume.kind != PL_VOLUME_POINT && memchr(marks, PL_FAST_BLOCK, (size_t)self->blocks);
  for (int batch = 0; batch < fem->groups.batches; batch++)
    fem->selected[batch] = (unsigned char)(shares || is_fast(fem, batch, marks));
  for (int batch = 0; batch < fem->groups.batches; batch++) {
    const int *nodes = fem->nodes + (size_t)batch * (size_t)count;
    for (int i = 0; fem->selected[batch] && i < count; i++) {
      if (!marks[nodes[i] / 3]) marks[nodes[i] / 3] = PL_NEAR_BLOCK;
    }
  }
  return PL_OK;
}

/* Runs of selected batches. */
static void evaluate_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const unsigned char *selected = job->fem->selected;
  int last = job->fem->starts[chunk + 1];
  for (int batch = job->fem->starts[chunk], end; batch < last; batch = end) {
    for (end = batch + 1; end < last && selected[end] == selected[batch];) end++;
    if (selected[batch]) pl_fem_evaluate_batches(job, batch, end);
  }
}

void pl_fem_evaluate_selected(pl_model *self, const pl_moment *at, double *f, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = at->q, .v = at->v, .f = f};
  pl_model_settle(self, pool);
  pl_groups_freeze(&fem->groups, at->h, pool);
  pl_volume_share(fem, &job, pool);
  pl_colours_run(&fem->chunks, pool, evaluate_chunk, &job);
}
