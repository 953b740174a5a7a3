/* The tool as the step sees it. */
#ifndef PL_WORLD_TOOL_H
#define PL_WORLD_TOOL_H

#include "pliant/touch.h"
#include "sparse/bsr.h"

/* f += scale times its forces at q. */
void pl_tool_force(const pl_world *world, double scale, const double *q, double *f);

/* A += scale kq times the stiffness of its springs. */
void pl_tool_stiffness(const pl_world *world, double scale, const double *q, double kq, pl_bsr *A);

#endif
