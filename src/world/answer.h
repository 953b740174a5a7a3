/* The last answer of all bodies' models to evaluate, kept.
 *
 * A linearly implicit method linearises where the substep begins, so every pass over its contacts
 * asks the bodies' models for the same forces and the same matrix; only contact has changed. The
 * answer is kept beside the matrix, and copied where the question is the same to the last bit. It
 * is kept only while bodies meet: then substeps are repeated. */
#ifndef PL_WORLD_ANSWER_H
#define PL_WORLD_ANSWER_H

#include "sparse/moment.h"

typedef struct pl_answer {
  int is_there;
  size_t blocks, entries; /* there is room for these: of vectors, numbers of the matrix */
  double t, km, kq, kv;
  int semidefinite;
  double *q, *v, *f, *A;
} pl_answer;

void pl_answer_release(const pl_allocator *allocator, pl_answer *answer);

/* Copies f and the matrix if they are the answer to this question; 0: they are not. */
int pl_answer_give(const pl_answer *answer, const pl_moment *at, int blocks, double *f,
                   const pl_tangent *tangent, pl_pool *pool);

/* Keeps an answer; where there is no memory it keeps none. */
void pl_answer_keep(const pl_allocator *allocator, pl_answer *answer, const pl_moment *at,
                    int blocks, const double *f, const pl_tangent *tangent, pl_pool *pool);

#endif
