/* A pass over a level's rows in chunks: what multigrid.c and multigrid_load.c share. */
#ifndef PL_SPARSE_MULTIGRID_PASS_H
#define PL_SPARSE_MULTIGRID_PASS_H

#include "sparse/multigrid_kernel.h"

/* What a pass needs, as far as it needs it. */
typedef struct pl_multigrid_pass {
  const pl_multigrid_kernel *kernel;
  pl_multigrid_level *level, *coarse;
  const pl_filter *filter;
  const pl_multigrid_turns *turns; /* NULL: none, or not on this level */
  const pl_bsr *A;                 /* to be loaded, and the inverse blocks of its diagonal */
  const double *inverse;
  double factor, caution, spread;
  pl_multigrid_sweep sweep;
  float *spare; /* a vector that a pass may use */
} pl_multigrid_pass;

static inline void pl_multigrid_sweep_chunk(void *context, int chunk)
{
  const pl_multigrid_pass *job = context;
  job->kernel->sweep(job->level, chunk, 0, &job->sweep);
}

#endif
