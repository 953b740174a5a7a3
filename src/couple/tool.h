/* The push tool: a sphere that repels the nodes inside it. */
#ifndef PL_COUPLE_TOOL_H
#define PL_COUPLE_TOOL_H

#include "couple/coupling.h"
#include "pliant/world.h"

typedef struct pl_tool {
  pl_coupling base;
  pl_tool_def def;
} pl_tool;

pl_status pl_tool_check(const pl_tool_def *def, pl_error *error);

/* The force that it exerts on all bodies at q, and the number of nodes that it touches. */
void pl_tool_read(const pl_tool *tool, const double *q, double force[3], int *touched);

#endif
