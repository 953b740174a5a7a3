/* Factors over time, as couplings keep them. */
#ifndef PL_COUPLE_RAMP_H
#define PL_COUPLE_RAMP_H

#include "pliant/world.h"

/* A pl_ramp with its own memory. */
typedef struct pl_own_ramp {
  int count;
  double *times, *factors;
} pl_own_ramp;

/* The factor at time t. */
double pl_ramp_at(const pl_own_ramp *ramp, double t);
pl_status pl_ramp_copy(const pl_allocator *allocator, const pl_ramp *from, pl_own_ramp *to,
                       pl_error *error);
void pl_ramp_release(const pl_allocator *allocator, pl_own_ramp *ramp);

#endif
