/* The family of integrators and their workspace. */
#include "ode/integrator.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

#define X(name) &pl_integrator_##name.info,
static const pl_member *const members[] = {PL_INTEGRATORS(X) NULL};
#undef X

const pl_family pl_integrator_family = {"integrator", "how a step in time is made", members};

pl_status pl_integrator_create(const pl_allocator *allocator, const pl_part *part, int blocks,
                               pl_integrator **out, pl_error *error)
{
  *out = NULL;
  pl_integrator *self = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->ops = (const pl_integrator_ops *)part->member;
  self->values = part->values;
  self->blocks = blocks;
  self->state = pl_alloc(allocator, 1, self->ops->state_size);
  pl_status status = self->state ? self->ops->create(self, error) : pl_fail_memory(error);
  if (status)
    pl_integrator_destroy(self);
  else
    *out = self;
  return status;
}

void pl_integrator_destroy(pl_integrator *self)
{
  if (!self) return;
  pl_allocator allocator = self->allocator;
  for (int i = 0; i < self->vector_count; i++) pl_free(&allocator, self->vectors[i]);
  for (int i = 0; i < PL_MOST_HISTORY; i++) {
    pl_free(&allocator, self->history[i]);
    pl_free(&allocator, self->saved_history[i]);
  }
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
  if (self->history_count == PL_MOST_HISTORY)
    return pl_fail(error, PL_E_LIMIT, "an integrator may remember %d vectors at most",
                   PL_MOST_HISTORY);
  int i = self->history_count++;
  self->history[i] = pl_alloc(&self->allocator, (size_t)self->blocks * 3, sizeof **vector);
  self->saved_history[i] = pl_alloc(&self->allocator, (size_t)self->blocks * 3, sizeof **vector);
  *vector = self->history[i];
  return self->history[i] && self->saved_history[i] ? PL_OK : pl_fail_memory(error);
}

void pl_integrator_remember(pl_integrator *self, double h)
{
  pl_past *past = &self->past;
  memmove(past->h + 1, past->h, (PL_MOST_PAST - 1) * sizeof *past->h);
  past->h[0] = h;
  if (past->steps < PL_MOST_PAST) past->steps++;
}

void pl_integrator_save(pl_integrator *self)
{
  self->saved_past = self->past;
  for (int i = 0; i < self->history_count; i++)
    memcpy(self->saved_history[i], self->history[i], (size_t)self->blocks * 3 * sizeof(double));
}

void pl_integrator_restore(pl_integrator *self)
{
  self->past = self->saved_past;
  for (int i = 0; i < self->history_count; i++)
    memcpy(self->history[i], self->saved_history[i], (size_t)self->blocks * 3 * sizeof(double));
}

void pl_integrator_forget(pl_integrator *self)
{
  if (self) self->past = (pl_past){0};
}
