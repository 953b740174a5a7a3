/* The family of integrators and their workspace. */
#include "ode/integrator.h"

#include "core/error.h"
#include "core/memory.h"

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
