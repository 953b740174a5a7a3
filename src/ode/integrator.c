/* The family of integrators and their workspace. */
#include "ode/integrator.h"

#include "core/error.h"
#include "core/memory.h"
#include "ode/share.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_integrator_##name.info,
PL_FAMILY(integrator, "how a step in time is made", PL_INTEGRATORS(X));
#undef X

pl_status pl_integrator_resolve(const pl_choice *choice, pl_selection *part, pl_error *error)
{
  return pl_choice_resolve(&pl_integrator_family, choice, &part->member, part->values, error);
}

enum { PAST_NUMBERS = sizeof(pl_past) / sizeof(double) };

size_t pl_integrator_memory(const pl_integrator_ops *ops, int blocks)
{
  return PAST_NUMBERS + (size_t)ops->history * (size_t)blocks * 3;
}

/* Where it remembers things. */
static pl_status take_memory(pl_integrator *self, double *memory, pl_error *error)
{
  size_t numbers = pl_integrator_memory(self->ops, self->blocks);
  if (!memory) memory = self->own_memory = pl_alloc(&self->allocator, numbers, sizeof *memory);
  if (!memory) return pl_fail_memory(error);
  self->past = (pl_past *)memory;
  for (int i = 0; i < self->ops->history; i++)
    self->history[i] = memory + PAST_NUMBERS + 3 * (size_t)i * (size_t)self->blocks;
  return PL_OK;
}

pl_status pl_integrator_create(const pl_allocator *allocator, const pl_selection *part, int blocks,
                               double *memory, pl_integrator **out, pl_error *error)
{
  *out = NULL;
  pl_integrator *self = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->ops = (const pl_integrator_ops *)part->member;
  self->values = part->values;
  self->blocks = blocks;
  self->state = pl_alloc(allocator, 1, self->ops->state_size);
  pl_status status = self->state ? take_memory(self, memory, error) : pl_fail_memory(error);
  if (!status) status = self->ops->create(self, error);
  if (status) {
    pl_integrator_destroy(self);
    return status;
  }
  pl_integrator_begin(self);
  *out = self;
  return PL_OK;
}

void pl_integrator_destroy(pl_integrator *self)
{
  if (!self) return;
  pl_allocator allocator = self->allocator;
  if (self->ops->destroy && self->past) self->ops->destroy(self);
  for (int i = 0; i < self->vector_count; i++) pl_free(&allocator, self->vectors[i]);
  pl_free(&allocator, self->own_memory);
  pl_free(&allocator, self->state);
  pl_free(&allocator, self);
}

pl_status pl_integrator_vector(pl_integrator *self, double **vector, pl_error *error)
{
  if (self->vector_count == PL_MOST_VECTORS)
    return pl_fail(error, PL_E_LIMIT, "an integrator may use %d vectors at most", PL_MOST_VECTORS);
  *vector = pl_alloc(&self->allocator, (size_t)self->blocks * 3, sizeof **vector);
  if (!*vector) return pl_fail_memory(error);
  self->vectors[self->vector_count++] = *vector;
  return PL_OK;
}

pl_status pl_integrator_history(pl_integrator *self, double **vector, pl_error *error)
{
  if (self->history_count == self->ops->history)
    return pl_fail(error, PL_E_LIMIT, "integrator \"%s\" may remember %d vectors at most",
                   self->ops->info.name, self->ops->history);
  *vector = self->history[self->history_count++];
  return PL_OK;
}

void pl_integrator_remember(pl_integrator *self, double h)
{
  pl_past *past = self->past;
  memmove(past->h + 1, past->h, (PL_MOST_PAST - 1) * sizeof *past->h);
  past->h[0] = h;
  if (past->steps < PL_MOST_PAST) past->steps++;
}

void pl_integrator_begin(pl_integrator *self)
{
  if (self->ops->begin) self->ops->begin(self);
}

void pl_integrator_forget(pl_integrator *self)
{
  if (self) *self->past = (pl_past){0};
}

double pl_rms(const pl_system *system, double scale, const double *a, const double *b)
{
  const pl_block_layout *layout = system->share ? system->share->layout : NULL;
  double sum = 0;
  pl_settle(system->pool);
  for (int i = 0; i < (layout ? layout->own : system->blocks); i++) {
    size_t at = 3 * (size_t)(layout ? layout->own_at[i] : i);
    for (size_t k = at; k < at + 3; k++) {
      double d = a[k] - (b ? b[k] : 0);
      sum += d * d;
    }
  }
  // what the filter takes away of held blocks does not count
  for (int i = 0; i < system->filter.count; i++) {
    if (layout && !pl_layout_is_own(layout, system->filter.nodes[i])) continue;
    const double *P = system->filter.projections + 9 * i;
    int k = 3 * system->filter.nodes[i];
    double d[3] = {a[k] - (b ? b[k] : 0), a[k + 1] - (b ? b[k + 1] : 0),
                   a[k + 2] - (b ? b[k + 2] : 0)};
    for (int j = 0; j < 3; j++)
      sum -= d[j] * (d[j] - P[j] * d[0] - P[3 + j] * d[1] - P[6 + j] * d[2]);
  }
  sum = pl_system_sum(system, sum);
  return fabs(scale) * sqrt(fmax(sum, 0) / pl_system_all_blocks(system));
}
