/* Recursive coordinate bisection: points in compact parts of equal size.
 *
 * A set of points is cut across the longest side of its box, so that the parts on both sides get
 * their share, and so on (Berger & Bokhari 1987). Every time the same parts come out. */
#ifndef PL_SPARSE_BISECT_H
#define PL_SPARSE_BISECT_H

#include "pliant/base.h"

/* The part of each point, 3 numbers each; sizes differ by one point at most. */
pl_status pl_bisect(const pl_allocator *allocator, const double *points, int count, int parts,
                    int *part_of, pl_error *error);

#endif
