/* Constraint forces: what integrators report of their own schemes. */
#include "ode/system.h"

#include <string.h>

void pl_system_react(pl_system *system, double scale, const double *x)
{
  for (int i = 0; system->reaction && i < system->filter.count; i++) {
    size_t at = 3 * (size_t)system->filter.nodes[i];
    for (size_t k = at; k < at + 3; k++) system->reaction[k] += scale * x[k];
  }
}

void pl_system_clear_reaction(pl_system *system)
{
  if (system->reaction)
    memset(system->reaction, 0, 3 * (size_t)system->blocks * sizeof *system->reaction);
}

void pl_system_keep_residual(pl_system *system, const double *r)
{
  for (int i = 0; system->unfiltered && i < system->filter.count; i++) {
    size_t at = 3 * (size_t)system->filter.nodes[i];
    memcpy(system->unfiltered + at, r + at, 3 * sizeof *r);
  }
}

void pl_system_prescribe(pl_system *system, double t, double h, const double *q, double *v,
                         double *work)
{
  const pl_filter *filter = &system->filter;
  if (!system->reaction || !filter->count) {
    system->ops->prescribe(system, t, h, q, v);
    return;
  }
  memset(work, 0, 3 * (size_t)system->blocks * sizeof *work);
  for (int i = 0; i < filter->count; i++) {
    size_t at = 3 * (size_t)filter->nodes[i];
    for (size_t k = at; k < at + 3; k++) work[k] = -v[k] / h;
  }
  system->ops->prescribe(system, t, h, q, v);
  for (int i = 0; i < filter->count; i++) {
    size_t at = 3 * (size_t)filter->nodes[i];
    for (size_t k = at; k < at + 3; k++) work[k] += v[k] / h;
  }
  system->ops->mass_add(system, 1, work, system->reaction);
}
