/* Relations: equations C(q) = 0 between few blocks, each with a compliance, so that C^2 / (2
 * compliance) is an energy. Models may hand out their forces in this form; integrators that relax
 * (xpbd, sticks) satisfy them one after the other in place of evaluating those forces. */
#ifndef PL_ODE_RELATION_H
#define PL_ODE_RELATION_H

#include "math/lanes.h"
#include "pliant/base.h"

/* |x_a - x_b| = rest. */
typedef struct pl_relation {
  int blocks[2];
  double rest;       /* m */
  double compliance; /* m/N: the inverse of a stiffness; 0: rigid */
  double damping;    /* N s/m along it */
} pl_relation;

enum { PL_RELATION_COLOURS = 32 };

/* Four of them: the blocks of the first ends, then those of the others. */
typedef struct pl_relation_batch {
  int ends[2][PL_LANES];
  pl_lanes rest, compliance, damping;
} pl_relation_batch;

/* Relations sorted by colours, in each in the order given: those of a colour share no block, so
 * that they can be worked on at the same time, with the same bits for any number of threads. What
 * finds no colour stands behind all others and is worked on in order. Every colour is filled up to
 * whole batches by relations of the block behind the last with itself. */
typedef struct pl_relation_list {
  int given, count, colours, blocks; /* given: without what fills up */
  int start[PL_RELATION_COLOURS + 2];
  pl_relation *list;
  pl_relation_batch *batches; /* the same by fours */
  int *natural;               /* places of those given */
  int damped;                 /* has any damping? */
  /* room for the integrator */
  double *force;      /* of each, times the square of the substep (lambda) */
  double *x, *before; /* per block x y z w: its place and inverse mass; at the beginning */
  double *free;       /* per block w P, three rows of 4, where anything is constrained */
} pl_relation_list;

/* Colours and sorts a copy of them; blocks are below block_count. */
pl_status pl_relations_create(const pl_allocator *allocator, int block_count,
                              const pl_relation *list, int count, pl_relation_list **out,
                              pl_error *error);
void pl_relations_destroy(const pl_allocator *allocator, pl_relation_list *relations);

#endif
