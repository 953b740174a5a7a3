/* Four floats worked on at once, for tests of boxes: comparisons, least and largest. Where an
 * operand is not a number, least and largest give the second one. */
#ifndef PL_MATH_QUAD_H
#define PL_MATH_QUAD_H

#include "math/lanes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float pl_quad __attribute__((vector_size(16)));
typedef int pl_quad_mask __attribute__((vector_size(16)));

PL_INLINE pl_quad pl_quad_all(float value) { return (pl_quad){value, value, value, value}; }

PL_INLINE pl_quad pl_quad_load(const float *from)
{
  pl_quad quad;
  memcpy(&quad, from, sizeof quad);
  return quad;
}

PL_INLINE void pl_quad_store(float *to, pl_quad quad) { memcpy(to, &quad, sizeof quad); }

/* (y, z, x) of (x, y, z); the fourth stays. */
PL_INLINE pl_quad pl_quad_turn(pl_quad a) { return (pl_quad){a[1], a[2], a[0], a[3]}; }

#if defined(__SSE2__)
PL_INLINE pl_quad pl_quad_min(pl_quad a, pl_quad b)
{
  return (pl_quad)_mm_min_ps((__m128)a, (__m128)b);
}

PL_INLINE pl_quad pl_quad_max(pl_quad a, pl_quad b)
{
  return (pl_quad)_mm_max_ps((__m128)a, (__m128)b);
}

/* Bit k is set where lane k of a comparison is true. */
PL_INLINE int pl_quad_bits(pl_quad_mask mask) { return _mm_movemask_ps((__m128)mask); }
#else
PL_INLINE pl_quad pl_quad_pick(pl_quad_mask mask, pl_quad a, pl_quad b)
{
  return (pl_quad)(((pl_quad_mask)a & mask) | ((pl_quad_mask)b & ~mask));
}

PL_INLINE pl_quad pl_quad_min(pl_quad a, pl_quad b) { return pl_quad_pick(a < b, a, b); }
PL_INLINE pl_quad pl_quad_max(pl_quad a, pl_quad b) { return pl_quad_pick(a > b, a, b); }

PL_INLINE int pl_quad_bits(pl_quad_mask mask)
{
  return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
}
#endif

#endif
