/* Lanes as registers hold them: one register of four numbers (AVX2), or two of two, which are then
 * worked on one after the other, so that twice as many values stay in registers. Numbers of the
 * same part are PL_PARTS apart. */
#ifndef PL_MATH_LANES_PARTS_H
#define PL_MATH_LANES_PARTS_H

#include "math/lanes.h"

#if defined PL_USE_AVX2 || defined __AVX__
enum { PL_PARTS = 1 };
typedef pl_lanes pl_part;
#else
enum { PL_PARTS = 2 };
typedef double pl_part __attribute__((vector_size(16), may_alias));
#endif

#endif
