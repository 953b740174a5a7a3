/* The loops of multigrid. Every sum runs in a fixed order, lane by lane, with + and * only, so the
 * bits are the same for every width of the machine. */
#include "sparse/multigrid_kernel.h"

#include "math/lanes.h"

#include <stdint.h>
#include <string.h>

enum { COARSE = PL_GRID_COARSE };

/* A pivot this much below its diagonal entry is what rounding left. */
#define LEAST_PIVOT 1e-11

typedef float quartet __attribute__((vector_size(16)));
typedef float octet __attribute__((vector_size(32)));

PL_INLINE octet octet_load(const float *from)
{
  octet lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/* a a a b b b c c */
PL_INLINE octet spread_out(quartet x)
{
  return __builtin_shufflevector(x, x, 0, 0, 0, 1, 1, 1, 2, 2);
}

PL_INLINE quartet quartet_load(const float *from)
{
  quartet lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/* How many bytes ahead of their use blocks are asked for; see sparse_kernel.c. */
enum { AHEAD = 2048, LINE = 64 };

/* Asks for so many bytes from a place on, AHEAD of it. */
PL_INLINE void prefetch(const float *place, size_t bytes)
{
#if defined(__GNUC__)
  for (size_t i = 0; i < bytes; i += LINE)
    __builtin_prefetch((const void *)((uintptr_t)place + AHEAD + i), 0, 2);
#else
  (void)place;
  (void)bytes;
#endif
}

/* ---- products ---- */

/* A row of A x with 3x3 blocks. Eight of a block's nine entries are multiplied at once; even and
 * odd blocks are summed apart, so that no sum waits for the one before. */
PL_INLINE quartet row_product_3(const pl_grid_level *level, int row, const float *x)
{
  const int *column = level->columns + level->start[row];
  int count = level->start[row + 1] - level->start[row];
  const float *block = level->values + 9 * (size_t)level->start[row];
  octet even = {0}, odd = {0};
  float even_last = 0, odd_last = 0;
  int k = 0;
  for (; k + 2 <= count; k += 2, block += 18) {
    const float *a = x + 4 * (size_t)column[k], *b = x + 4 * (size_t)column[k + 1];
    prefetch(block, 18 * sizeof *block);
    even += octet_load(block) * spread_out(quartet_load(a));
    odd += octet_load(block + 9) * spread_out(quartet_load(b));
    even_last += block[8] * a[2];
    odd_last += block[17] * b[2];
  }
  if (k < count) {
    const float *a = x + 4 * (size_t)column[k];
    even += octet_load(block) * spread_out(quartet_load(a));
    even_last += block[8] * a[2];
  }
  octet sum = even + odd;
  quartet first = __builtin_shufflevector(sum, sum, 0, 1, 2, 2);
  quartet second = __builtin_shufflevector(sum, sum, 3, 4, 5, 5);
  quartet third = __builtin_shufflevector(sum, sum, 6, 7, 7, 7);
  third[2] = even_last + odd_last;
  return (first + second) + third;
}

/* A row of A x with 6x6 blocks, column by column. */
PL_INLINE octet row_product_6(const pl_grid_level *level, int row, const float *x)
{
  const int *column = level->columns + level->start[row];
  const int *end = level->columns + level->start[row + 1];
  const float *block = level->values + 36 * (size_t)level->start[row];
  octet sums[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
  for (; column < end; column++, block += 36) {
    const float *from = x + 8 * (size_t)*column;
    prefetch(block, 36 * sizeof *block);
    for (int c = 0; c < 6; c++) sums[c] += octet_load(block + 6 * c) * from[c];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (sums[4] + sums[5]);
}

/* Six doubles. */
typedef double pair __attribute__((vector_size(16)));
typedef struct six {
  pl_lanes low;
  pair high;
} six;

PL_INLINE six six_zero(void) { return (six){{0, 0, 0, 0}, {0, 0}}; }

PL_INLINE six six_load(const double *from)
{
  six a;
  memcpy(&a.low, from, sizeof a.low);
  memcpy(&a.high, from + 4, sizeof a.high);
  return a;
}

PL_INLINE void six_store(double *to, six a)
{
  memcpy(to, &a.low, sizeof a.low);
  memcpy(to + 4, &a.high, sizeof a.high);
}

PL_INLINE six six_load_single(const float *from)
{
  return (six){{(double)from[0], (double)from[1], (double)from[2], (double)from[3]},
               {(double)from[4], (double)from[5]}};
}

PL_INLINE void six_store_single(float *to, six a)
{
  for (int i = 0; i < 4; i++) to[i] = (float)a.low[i];
  for (int i = 0; i < 2; i++) to[4 + i] = (float)a.high[i];
}

PL_INLINE six six_add(six a, six b) { return (six){a.low + b.low, a.high + b.high}; }
PL_INLINE six six_scale(six a, double s) { return (six){a.low * s, a.high * s}; }

#define PASTE_AGAIN(name, size) name##_##size
#define PASTE(name, size)       PASTE_AGAIN(name, size)
#define NAME(name)              PASTE(name, SIZE)
#define VARIANT(name)           PL_VARIANT(name)

#define SIZE        3
#define WIDE        quartet
#define ROW_PRODUCT row_product_3
#include "sparse/multigrid_rows.h"
#undef SIZE
#undef WIDE
#undef ROW_PRODUCT

#define SIZE        6
#define WIDE        octet
#define ROW_PRODUCT row_product_6
#include "sparse/multigrid_rows.h"

/* ---- conjugate gradients on the finest level ---- */

PL_INLINE pl_lanes widen(quartet x) { return __builtin_convertvector(x, pl_lanes); }

/* Of the first three lanes. */
PL_INLINE double sum_of(pl_lanes sums) { return (sums[0] + sums[1]) + sums[2]; }

static double product(const pl_grid_level *level, int first, int last, const float *p, float *q)
{
  pl_lanes sums = pl_lanes_all(0);
  for (int row = first; row < last; row++) {
    quartet to = row_product_3(level, row, p);
    wide_store_3(q + 4 * (size_t)row, to);
    sums += widen(quartet_load(p + 4 * (size_t)row)) * widen(to);
  }
  return sum_of(sums);
}

static double advance(int first, int last, float alpha, const float *p, const float *q, float *x,
                      float *r)
{
  pl_lanes sums = pl_lanes_all(0);
  for (size_t i = 4 * (size_t)first; i < 4 * (size_t)last; i += 4) {
    quartet rest = quartet_load(r + i) - alpha * quartet_load(q + i);
    wide_store_3(x + i, quartet_load(x + i) + alpha * quartet_load(p + i));
    wide_store_3(r + i, rest);
    sums += widen(rest) * widen(rest);
  }
  return sum_of(sums);
}

static double scalar_product(int first, int last, const float *a, const float *b)
{
  pl_lanes sums = pl_lanes_all(0);
  for (size_t i = 4 * (size_t)first; i < 4 * (size_t)last; i += 4)
    sums += widen(quartet_load(a + i)) * widen(quartet_load(b + i));
  return sum_of(sums);
}

static void turn(int first, int last, float beta, const float *z, float *p)
{
  for (size_t i = 4 * (size_t)first; i < 4 * (size_t)last; i += 4)
    wide_store_3(p + i, quartet_load(z + i) + beta * quartet_load(p + i));
}

const pl_grid_vectors PL_VARIANT(pl_grid_vectors) = {product, advance, scalar_product, turn};

/* ---- the last level ---- */

/* The sum of the products of four interleaved parts. */
PL_INLINE double dot(const double *a, const double *b, int count)
{
  pl_lanes sums = pl_lanes_all(0);
  int i = 0;
  for (; i + PL_LANES <= count; i += PL_LANES) sums += pl_lanes_load(a + i) * pl_lanes_load(b + i);
  for (int k = 0; i + k < count; k++) sums[k] += a[i + k] * b[i + k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void factorise(pl_grid_dense *dense)
{
  int count = dense->count;
  for (int i = 0; i < count; i++) {
    double *row = dense->factor + (size_t)i * (size_t)count, diagonal = row[i];
    for (int j = 0; j < i; j++) {
      const double *other = dense->factor + (size_t)j * (size_t)count;
      row[j] = other[j] > 0 ? (row[j] - dot(row, other, j)) / other[j] : 0;
    }
    double pivot = diagonal - dot(row, row, i);
    if (!(pivot > LEAST_PIVOT * diagonal)) {
      // nothing of its own is left of this unknown
      memset(row, 0, (size_t)i * sizeof *row);
      pivot = diagonal > 0 ? diagonal : 0;
    }
    row[i] = __builtin_sqrt(pivot);
  }
}

static void invert(pl_grid_dense *dense)
{
  factorise(dense);
  int count = dense->count;
  for (int i = 0; i < count; i++) {
    double *row = dense->factor + (size_t)i * (size_t)count, *sum = dense->row;
    float *out = dense->values + (size_t)i * (size_t)count;
    double scale = row[i] > 0 ? 1 / row[i] : 0;
    memset(sum, 0, (size_t)i * sizeof *sum);
    for (int k = 0; k < i; k++) {
      const double *other = dense->factor + (size_t)k * (size_t)count;
      for (int j = 0; j <= k; j++) sum[j] += row[k] * other[j];
    }
    for (int j = 0; j < i; j++) row[j] = -scale * sum[j];
    row[i] = scale;
    for (int j = 0; j <= i; j++) out[j] = (float)row[j];
  }
}

static void apply(const pl_grid_dense *dense)
{
  int count = dense->count;
  memset(dense->out, 0, (size_t)count * sizeof *dense->out);
  for (int i = 0; i < count; i++) {
    const float *row = dense->values + (size_t)i * (size_t)count;
    octet sums = {0};
    int j = 0;
    for (; j + 8 <= i + 1; j += 8) sums += octet_load(row + j) * octet_load(dense->in + j);
    for (int k = 0; j + k <= i; k++) sums[k] += row[j + k] * dense->in[j + k];
    float y =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (j = 0; j <= i; j++) dense->out[j] += y * row[j];
  }
}

const pl_grid_triangle PL_VARIANT(pl_grid_triangle) = {invert, apply};
