/* Eight floats worked on at once: one AVX register, or else two quartets. GCC keeps a vector that
 * is wider than the machine's registers in memory where a loop carries it, which made the sums of
 * the baseline four times slower than two halves. Each lane sees the same operations in both. */
#ifndef PL_SPARSE_OCTET_H
#define PL_SPARSE_OCTET_H

#include "math/lanes.h"

/* In front of a short loop over octets that are to stay in registers. */
#ifdef __clang__
#define PL_UNROLL _Pragma("unroll")
#else
#define PL_UNROLL _Pragma("GCC unroll 8")
#endif

typedef float quartet __attribute__((vector_size(16)));

PL_INLINE quartet quartet_load(const float *from)
{
  quartet lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

PL_INLINE void quartet_store(float *to, quartet a) { memcpy(to, &a, sizeof a); }
PL_INLINE quartet quartet_all(float a) { return (quartet){a, a, a, a}; }
PL_INLINE quartet quartet_plus(quartet a, quartet b) { return a + b; }
PL_INLINE quartet quartet_minus(quartet a, quartet b) { return a - b; }
PL_INLINE quartet quartet_times(quartet a, quartet b) { return a * b; }
PL_INLINE float quartet_lane(quartet a, int lane) { return a[lane]; }

#ifdef __AVX__

typedef float octet __attribute__((vector_size(32)));

PL_INLINE octet octet_of(quartet low, quartet high)
{
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* The first three lanes of both, as octet_load_3 places them; of the other two nothing is said. */
PL_INLINE octet octet_join_3(quartet a, quartet b)
{
  return __builtin_shufflevector(a, b, 0, 1, 2, 4, 5, 6, 7, 7);
}

/* What was joined second. */
PL_INLINE quartet octet_second_3(octet a) { return __builtin_shufflevector(a, a, 3, 4, 5, 6); }
PL_INLINE quartet octet_low(octet a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
PL_INLINE quartet octet_high(octet a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7); }
PL_INLINE octet octet_all(float a) { return (octet){a, a, a, a, a, a, a, a}; }

PL_INLINE octet octet_load(const float *from)
{
  octet lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/* Two threes that lie side by side. */
PL_INLINE octet octet_load_3(const float *from) { return octet_load(from); }

PL_INLINE void octet_store(float *to, octet a) { memcpy(to, &a, sizeof a); }
PL_INLINE octet octet_plus(octet a, octet b) { return a + b; }
PL_INLINE octet octet_minus(octet a, octet b) { return a - b; }
PL_INLINE octet octet_times(octet a, octet b) { return a * b; }
PL_INLINE float octet_lane(octet a, int lane) { return a[lane]; }

#else

typedef struct octet {
  quartet low, high;
} octet;

PL_INLINE octet octet_of(quartet low, quartet high) { return (octet){low, high}; }

PL_INLINE octet octet_join_3(quartet a, quartet b) { return (octet){a, b}; }
PL_INLINE quartet octet_second_3(octet a) { return a.high; }
PL_INLINE quartet octet_low(octet a) { return a.low; }
PL_INLINE quartet octet_high(octet a) { return a.high; }
PL_INLINE octet octet_all(float a) { return (octet){quartet_all(a), quartet_all(a)}; }

PL_INLINE octet octet_load(const float *from)
{
  return octet_of(quartet_load(from), quartet_load(from + 4));
}

PL_INLINE octet octet_load_3(const float *from)
{
  return octet_of(quartet_load(from), quartet_load(from + 3));
}

PL_INLINE void octet_store(float *to, octet a)
{
  quartet_store(to, octet_low(a));
  quartet_store(to + 4, octet_high(a));
}

PL_INLINE octet octet_plus(octet a, octet b) { return (octet){a.low + b.low, a.high + b.high}; }
PL_INLINE octet octet_minus(octet a, octet b) { return (octet){a.low - b.low, a.high - b.high}; }
PL_INLINE octet octet_times(octet a, octet b) { return (octet){a.low * b.low, a.high * b.high}; }
PL_INLINE float octet_lane(octet a, int lane) { return lane < 4 ? a.low[lane] : a.high[lane - 4]; }

#endif

/* sum += a b */
PL_INLINE void octet_add(octet *sum, octet a, octet b)
{
  *sum = octet_plus(*sum, octet_times(a, b));
}

/* The first six lanes. */
PL_INLINE void octet_store_6(float *to, octet a)
{
  quartet high = octet_high(a);
  quartet_store(to, octet_low(a));
  memcpy(to + 4, &high, 2 * sizeof *to);
}

/* The sums of the first six lanes of four. */
PL_INLINE quartet octet_sums(octet a, octet b, octet c, octet d)
{
  const octet rows[2][2] = {{a, b}, {c, d}};
  quartet low[2], high[2], back[2];
  for (int i = 0; i < 2; i++) {
    quartet first = octet_low(rows[i][0]), second = octet_low(rows[i][1]);
    low[i] = __builtin_shufflevector(first, second, 0, 4, 1, 5);
    high[i] = __builtin_shufflevector(first, second, 2, 6, 3, 7);
    back[i] = __builtin_shufflevector(octet_high(rows[i][0]), octet_high(rows[i][1]), 0, 4, 1, 5);
  }
  return ((__builtin_shufflevector(low[0], low[1], 0, 1, 4, 5) +
           __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7)) +
          (__builtin_shufflevector(high[0], high[1], 0, 1, 4, 5) +
           __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7))) +
         (__builtin_shufflevector(back[0], back[1], 0, 1, 4, 5) +
          __builtin_shufflevector(back[0], back[1], 2, 3, 6, 7));
}

#endif
