/* Sweeps over relations: what relax.c and its kernel share. */
#ifndef PL_ODE_RELAX_H
#define PL_ODE_RELAX_H

#include "ode/relation.h"
#include "ode/system.h"

typedef struct pl_sweep {
  const pl_system *system;
  const pl_relation_list *relations;
  double h;
  int rigid;  /* counts all as rigid */
  int sums;   /* several sweeps: lambda has to be kept */
  int damped; /* before is filled */
  int first;  /* of the batches of the present colour */
  int last;
} pl_sweep;

/* Satisfies relation after relation, where constraints leave some directions only. */
void pl_relax_one(const pl_sweep *now, int index);

/* The batches in [first, last), all of one colour. */
typedef void pl_relax_pass(const pl_sweep *now, int first, int last);
pl_relax_pass pl_relax_batches_base, pl_relax_batches_avx2;

#endif
