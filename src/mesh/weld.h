/* Points that lie in one place become one. */
#ifndef PL_MESH_WELD_H
#define PL_MESH_WELD_H

#include "pliant/base.h"

/* Fills number[old] = new, new numbers in the order of first appearance, and returns how many there
 * are in kept. Points within share times the extent of all points are one; a negative share joins
 * none. Coordinates must be finite. */
pl_status pl_weld(const double *points, int count, double share, const pl_allocator *allocator,
                  int *number, int *kept, pl_error *error);

#endif
