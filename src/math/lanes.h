/* Four doubles worked on at once, by the compiler's vector types: the same source gives SSE2, AVX2
 * or NEON code, and the same bits in each lane as scalar code would.
 *
 * Everything here is inlined; lanes are handed between files through pointers only. Hot files are
 * compiled once for the baseline and once for AVX2 (see PL_VARIANT) and chosen at run time. */
#ifndef PL_MATH_LANES_H
#define PL_MATH_LANES_H

#include <string.h>

enum { PL_LANES = 4 };

typedef double pl_lanes __attribute__((vector_size(32)));
typedef long long pl_mask __attribute__((vector_size(32)));

#define PL_INLINE static inline __attribute__((always_inline))

/* What hot functions rarely need stands apart from them, so that it costs them no registers. */
#define PL_RARE static __attribute__((noinline, cold, unused))

/* A hot file is compiled twice; PL_VARIANT(name) is name_base in one and name_avx2 in the other. */
#ifdef PL_USE_AVX2
#define PL_VARIANT(name) name##_avx2
#else
#define PL_VARIANT(name) name##_base
#endif

/* How many of the nine entries of a block are summed at once: with what they are made of they have
 * to fit into the processor's registers, 16 of four numbers (AVX2), 32 of two (aarch64) or 16 of
 * two. */
#if defined PL_USE_AVX2 || defined __AVX__ || defined __aarch64__
enum { PL_LANES_SUMS = 9 };
#else
enum { PL_LANES_SUMS = 3 };
#endif

PL_INLINE pl_lanes pl_lanes_all(double value) { return (pl_lanes){value, value, value, value}; }

/* Loads and stores of four neighbours in memory, of any alignment. */
PL_INLINE pl_lanes pl_lanes_load(const double *from)
{
  pl_lanes lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

PL_INLINE void pl_lanes_store(double *to, pl_lanes lanes) { memcpy(to, &lanes, sizeof lanes); }

/* mask ? a : b, lane by lane; a mask comes from a comparison. */
PL_INLINE pl_lanes pl_lanes_pick(pl_mask mask, pl_lanes a, pl_lanes b)
{
  return (pl_lanes)(((pl_mask)a & mask) | ((pl_mask)b & ~mask));
}

PL_INLINE pl_lanes pl_lanes_sqrt(pl_lanes a)
{
  for (int i = 0; i < PL_LANES; i++) a[i] = __builtin_sqrt(a[i]);
  return a;
}

PL_INLINE pl_lanes pl_lanes_abs(pl_lanes a)
{
  return (pl_lanes)((pl_mask)a & (pl_mask){0x7fffffffffffffff, 0x7fffffffffffffff,
                                           0x7fffffffffffffff, 0x7fffffffffffffff});
}

PL_INLINE pl_lanes pl_lanes_max(pl_lanes a, pl_lanes b) { return pl_lanes_pick(a > b, a, b); }
PL_INLINE pl_lanes pl_lanes_min(pl_lanes a, pl_lanes b) { return pl_lanes_pick(a < b, a, b); }

/* Does the mask hold in any lane? */
PL_INLINE int pl_lanes_any(pl_mask mask)
{
  mask |= __builtin_shufflevector(mask, mask, 2, 3, 0, 1);
  return (mask[0] | mask[1]) != 0;
}

/* Four lanes of four vectors to four vectors of one lane each. */
PL_INLINE void pl_lanes_transpose(const pl_lanes *in, pl_lanes *out)
{
  pl_lanes low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
  pl_lanes high01 = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
  pl_lanes low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
  pl_lanes high23 = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

PL_INLINE double pl_lanes_sum(pl_lanes a) { return (a[0] + a[1]) + (a[2] + a[3]); }

/* to += the sums over the lanes of count numbers. */
PL_INLINE void pl_lanes_add_sums(const pl_lanes *from, const int count, double *to)
{
  int i = 0;
  for (; i + PL_LANES <= count; i += PL_LANES) {
    pl_lanes turned[PL_LANES];
    pl_lanes_transpose(from + i, turned);
    pl_lanes sum = (turned[0] + turned[1]) + (turned[2] + turned[3]);
    pl_lanes_store(to + i, pl_lanes_load(to + i) + sum);
  }
  for (; i < count; i++) to[i] += pl_lanes_sum(from[i]);
}

#endif
