/* Three doubles worked on at once: four AVX2 lanes of which the last is idle, or else a pair and a
 * single (which compilers turn into better baseline code than half-used vectors of four). Each
 * component sees the same operations in both. */
#ifndef PL_SPARSE_TRIPLE_H
#define PL_SPARSE_TRIPLE_H

#include "math/lanes.h"

#include <stdint.h>

#ifdef PL_USE_AVX2

typedef pl_lanes triple;

PL_INLINE triple triple_make(double x, double y, double z) { return (triple){x, y, z, 0}; }
/* Reads a fourth double, too. */
PL_INLINE triple triple_load_wide(const double *from) { return pl_lanes_load(from); }
/* Writes a fourth double, too. */
PL_INLINE void triple_store_wide(double *to, triple a) { pl_lanes_store(to, a); }
/* With nothing in the fourth lane. */
PL_INLINE triple triple_three(triple a)
{
  return pl_lanes_pick((pl_mask){-1, -1, -1, 0}, a, pl_lanes_all(0));
}
PL_INLINE triple triple_add(triple a, triple b) { return a + b; }
PL_INLINE triple triple_minus(triple a, triple b) { return a - b; }
PL_INLINE triple triple_times(triple a, triple b) { return a * b; }
PL_INLINE triple triple_scale(triple a, double s) { return a * pl_lanes_all(s); }
PL_INLINE double triple_x(triple a) { return a[0]; }
PL_INLINE double triple_y(triple a) { return a[1]; }
PL_INLINE double triple_z(triple a) { return a[2]; }
/* The sums of three, in the order of triple_sum, with nothing in the fourth lane. */
PL_INLINE triple triple_sums(triple a, triple b, triple c)
{
  const pl_lanes even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const pl_lanes odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const pl_lanes low = __builtin_shufflevector(c, pl_lanes_all(0), 0, 4, 2, 4);
  const pl_lanes high = __builtin_shufflevector(c, pl_lanes_all(0), 1, 4, 3, 4);
  return (__builtin_shufflevector(even, low, 0, 1, 4, 5) +
          __builtin_shufflevector(odd, high, 0, 1, 4, 5)) +
         __builtin_shufflevector(even, low, 2, 3, 6, 7);
}

#else

typedef double triple_pair __attribute__((vector_size(16)));
typedef struct triple {
  triple_pair xy;
  double z;
} triple;

PL_INLINE triple triple_make(double x, double y, double z) { return (triple){{x, y}, z}; }
PL_INLINE triple triple_load_wide(const double *from)
{
  triple a = {.z = from[2]};
  memcpy(&a.xy, from, sizeof a.xy);
  return a;
}
PL_INLINE void triple_store_wide(double *to, triple a)
{
  memcpy(to, &a.xy, sizeof a.xy);
  to[2] = a.z;
}
PL_INLINE triple triple_three(triple a) { return a; }
PL_INLINE triple triple_add(triple a, triple b) { return (triple){a.xy + b.xy, a.z + b.z}; }
PL_INLINE triple triple_minus(triple a, triple b) { return (triple){a.xy - b.xy, a.z - b.z}; }
PL_INLINE triple triple_times(triple a, triple b) { return (triple){a.xy * b.xy, a.z * b.z}; }
PL_INLINE triple triple_scale(triple a, double s)
{
  return (triple){a.xy * (triple_pair){s, s}, a.z * s};
}
PL_INLINE double triple_x(triple a) { return a.xy[0]; }
PL_INLINE double triple_y(triple a) { return a.xy[1]; }
PL_INLINE double triple_z(triple a) { return a.z; }
PL_INLINE triple triple_sums(triple a, triple b, triple c)
{
  return triple_make((a.xy[0] + a.xy[1]) + a.z, (b.xy[0] + b.xy[1]) + b.z,
                     (c.xy[0] + c.xy[1]) + c.z);
}

#endif

PL_INLINE triple triple_load(const double *from) { return triple_make(from[0], from[1], from[2]); }

PL_INLINE void triple_store(double *to, triple a)
{
  to[0] = triple_x(a);
  to[1] = triple_y(a);
  to[2] = triple_z(a);
}

PL_INLINE double triple_sum(triple a) { return (triple_x(a) + triple_y(a)) + triple_z(a); }

/* Asks for what stands some way behind a place in a stream of blocks: the hardware follows a stream
 * to the end of its page only, and this bridges the gap. */
PL_INLINE void triple_fetch(const double *place)
{
  enum { AHEAD = 2048 /* bytes */ };
  __builtin_prefetch((const void *)((uintptr_t)place + AHEAD), 0, 0);
}

#endif
