/* Fixes: blocks that are held, or moved along a given path. */
#ifndef PL_COUPLE_FIX_H
#define PL_COUPLE_FIX_H

#include "couple/coupling.h"
#include "couple/ramp.h"

typedef struct pl_fix {
  pl_coupling base;
  int count, *nodes;          /* the body's blocks, ascending */
  int scalar_count, *scalars; /* numbers of the body's q that go with them, see pl_model_ops */
  int hold_count; /* directions of length 1, at right angles, along which it holds them */
  double hold[3][3];
  double translation[3], centre[3], axis[3], angle, offset[3];
  pl_own_ramp ramp, offset_ramp;
} pl_fix;

/* Fills a fix that was made by pl_coupling_create and acts on a body that exists. */
pl_status pl_fix_make(pl_fix *fix, const pl_fix_def *def, pl_error *error);
/* The same for one block that is held at x. */
pl_status pl_fix_pin(pl_fix *fix, int block, const double x[3], pl_error *error);

/* Takes the block out of the fix; 1 if it was there. */
int pl_fix_take_out(pl_fix *fix, int block);

/* Where the node with rest position X is carried to at time t. */
void pl_fix_target(const pl_fix *fix, const double X[3], double t, double target[3]);
/* The rotation vector by which it has turned them. */
void pl_fix_turn(const pl_fix *fix, double t, double turn[3]);

#endif
