/* Products and vectors of bands, eight rows at once. Every sum runs in a fixed order, lane by lane,
 * with + and * only, so the bits are the same for every width of the machine. */
#include "sparse/bands_kernel.h"

#include "math/lanes.h"
#include "sparse/octet.h"

#include <stdint.h>

enum { LANES = PL_BANDS_LANES, AHEAD = 256 };

/* ---- loading ---- */

PL_INLINE int is_multiple(const double *block)
{
  int is_zero = 1;
  for (int i = 1; i < 8; i++) is_zero &= i == 4 || block[i] == 0;
  return is_zero & (block[0] == block[4]) & (block[0] == block[8]);
}

/* Sixteen places, a line of the cache, at once: so few of the many arrays are written at a time. */
enum { LINE = 16 };
typedef const double *blocks[LINE];

static const double none[9];

/* Where the blocks of places are, band by band. */
PL_INLINE void find_blocks(const pl_bands *bands, const pl_bsr *A, int first, int last,
                           blocks found[PL_BANDS_MOST])
{
  for (int b = 0; b < bands->count; b++) {
    for (int i = 0; i < LINE; i++) found[b][i] = none;
  }
  for (int place = first; place < last; place++) {
    const int row = bands->row_of[place];
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const int distance = bands->place_of[A->columns[k]] - place;
      int b = 0;
      if (distance < 0) continue;
      while (bands->band[b].distance != distance) b++;
      found[b][place - first] = A->values + 9 * (size_t)k;
    }
  }
}

PL_INLINE void put_entry(const pl_band *band, size_t at, const double *const *from, size_t entry,
                         double factor)
{
  for (size_t i = 0; i < LINE; i++) band->precise[at + i] = from[i][entry];
  for (size_t i = 0; i < LINE; i++) band->values[at + i] = (float)(factor * band->precise[at + i]);
}

/* The six entries of a symmetric block: 11 22 33 12 13 23; and all nine, line by line. Blocks of A
 * are stored by columns. */
static const size_t entries[6] = {0, 4, 8, 3, 6, 7};
static const size_t all_entries[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};

static unsigned load(pl_bands *bands, const pl_bsr *A, int first, int last, double factor)
{
  const size_t stride = bands->stride;
  unsigned full = 0;
  for (int place = first; place < last; place += LINE) {
    blocks found[PL_BANDS_MOST];
    find_blocks(bands, A, place, last - place < LINE ? last : place + LINE, found);
    for (size_t k = 0; k < 6; k++)
      put_entry(&bands->band[0], k * stride + (size_t)place, found[0], entries[k], factor);
    for (int b = 1; b < bands->count; b++) {
      const pl_band *band = &bands->band[b];
      for (int i = 0; i < LINE && !band->is_full; i++)
        full |= (unsigned)!is_multiple(found[b][i]) << b;
      for (size_t k = 0; k < (band->is_full ? 9 : 1); k++)
        put_entry(band, k * stride + (size_t)place, found[b], all_entries[k], factor);
    }
  }
  return full;
}

static void load_inverse(pl_bands *bands, const double *inverse, int first, int last, double factor)
{
  for (int place = first; place < last; place++) {
    const double *from = inverse + 9 * (size_t)bands->row_of[place];
    for (size_t k = 0; k < 6; k++)
      bands->inverse[k * bands->stride + (size_t)place] = (float)(factor * from[entries[k]]);
  }
}

/* ---- eight rows, which are places ---- */

typedef struct rows {
  octet of[3];
} rows;

PL_INLINE rows rows_load(const float *from, size_t stride)
{
  return (rows){{octet_load(from), octet_load(from + stride), octet_load(from + 2 * stride)}};
}

PL_INLINE void rows_store(float *to, size_t stride, rows a)
{
  for (size_t c = 0; c < 3; c++) octet_store(to + c * stride, a.of[c]);
}

/* A symmetric block's six arrays times x. */
PL_INLINE rows symmetric_times(const float *from, size_t stride, rows x)
{
  octet a[6];
  PL_UNROLL
  for (size_t k = 0; k < 6; k++) a[k] = octet_load(from + k * stride);
  rows y = {{octet_times(a[0], x.of[0]), octet_times(a[1], x.of[1]), octet_times(a[2], x.of[2])}};
  octet_add(&y.of[0], a[3], x.of[1]);
  octet_add(&y.of[1], a[3], x.of[0]);
  octet_add(&y.of[2], a[4], x.of[0]);
  octet_add(&y.of[0], a[4], x.of[2]);
  octet_add(&y.of[1], a[5], x.of[2]);
  octet_add(&y.of[2], a[5], x.of[1]);
  return y;
}

/* Asks for the line of the cache that comes so many bytes AHEAD of a place. */
PL_INLINE void prefetch(const void *place)
{
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)place + AHEAD), 0, 2);
#else
  (void)place;
#endif
}

/* Sixteen rows, a line of the cache. */
enum { HALVES = 2 };

/* y += A x of an entry (r, c): to the right, and from the left, transposed. */
PL_INLINE void add_entry(const float *at, int distance, const size_t r, const size_t c,
                         const rows *after, const rows *before, rows *y)
{
  PL_UNROLL
  for (size_t h = 0; h < HALVES; h++) {
    octet_add(&y[h].of[r], octet_load(at + h * LANES), after[h].of[c]);
    octet_add(&y[h].of[c], octet_load(at + h * LANES - distance), before[h].of[r]);
  }
}

/* The same of a band. */
PL_INLINE void add_band(const pl_band *band, size_t stride, int row, const float *p, rows *y)
{
  const int distance = band->distance;
  const float *at = band->values + row;
  rows after[HALVES], before[HALVES];
  PL_UNROLL
  for (int h = 0; h < HALVES; h++) {
    after[h] = rows_load(p + row + h * LANES + distance, stride);
    before[h] = rows_load(p + row + h * LANES - distance, stride);
  }
  if (!band->is_full) {
    prefetch(at);
    PL_UNROLL
    for (size_t c = 0; c < 3; c++) add_entry(at, distance, c, c, after, before, y);
    return;
  }
  PL_UNROLL
  for (size_t r = 0; r < 3; r++) {
    PL_UNROLL
    for (size_t c = 0; c < 3; c++, at += stride) {
      prefetch(at);
      add_entry(at, distance, r, c, after, before, y);
    }
  }
}

/* sums += a b, lane by lane: the lower four, then the upper four. */
PL_INLINE pl_lanes widen(quartet x) { return __builtin_convertvector(x, pl_lanes); }

PL_INLINE void add_dot(rows a, rows b, pl_lanes sums[2])
{
  PL_UNROLL
  for (size_t c = 0; c < 3; c++) {
    sums[0] += widen(octet_low(a.of[c])) * widen(octet_low(b.of[c]));
    sums[1] += widen(octet_high(a.of[c])) * widen(octet_high(b.of[c]));
  }
}

PL_INLINE double total(const pl_lanes sums[2]) { return pl_lanes_sum(sums[0] + sums[1]); }

/* ---- passes; behind the last row all is zero ---- */

/* r = factor b, and zero behind the last place. */
PL_INLINE void take(const pl_bands *bands, const double *b, int first, int last, int end,
                    double factor)
{
  const size_t stride = bands->stride;
  for (int place = first; place < last; place++) {
    const double *from = b + 3 * (size_t)bands->row_of[place];
    for (size_t c = 0; c < 3; c++) bands->r[c * stride + (size_t)place] = (float)(factor * from[c]);
  }
  for (int place = last; place < end; place++) {
    for (size_t c = 0; c < 3; c++) bands->r[c * stride + (size_t)place] = 0;
  }
}

static double start(const pl_bands *bands, const double *b, int first, int last, double factor)
{
  const size_t stride = bands->stride;
  const int end = first + LANES * ((last - first + LANES - 1) / LANES);
  const rows zero = {{octet_all(0), octet_all(0), octet_all(0)}};
  pl_lanes sums[2] = {pl_lanes_all(0), pl_lanes_all(0)};
  take(bands, b, first, last, end, factor);
  for (int row = first; row < last; row += LANES) {
    rows r = rows_load(bands->r + row, stride);
    rows z = symmetric_times(bands->inverse + row, stride, r);
    rows_store(bands->x + row, stride, zero);
    rows_store(bands->p + row, stride, zero);
    rows_store(bands->q + row, stride, z);
    add_dot(r, z, sums);
  }
  return total(sums);
}

static double multiply(const pl_bands *bands, int first, int last)
{
  const size_t stride = bands->stride;
  const int count = bands->count;
  const float *p = bands->p;
  pl_lanes sums[2] = {pl_lanes_all(0), pl_lanes_all(0)};
  for (int row = first; row < last; row += HALVES * LANES) {
    rows own[HALVES], y[HALVES];
    PL_UNROLL
    for (int h = 0; h < HALVES; h++) {
      own[h] = rows_load(p + row + h * LANES, stride);
      y[h] = symmetric_times(bands->band[0].values + row + h * LANES, stride, own[h]);
    }
    for (int b = 1; b < count; b++) add_band(&bands->band[b], stride, row, p, y);
    PL_UNROLL
    for (int h = 0; h < HALVES; h++) {
      rows_store(bands->q + row + h * LANES, stride, y[h]);
      add_dot(rows_load(p + row + h * LANES, stride), y[h], sums);
    }
  }
  return total(sums);
}

static double advance(const pl_bands *bands, int first, int last, float alpha, double *rz)
{
  const size_t stride = bands->stride;
  const octet a = octet_all(alpha), minus = octet_all(-alpha);
  pl_lanes rr[2] = {pl_lanes_all(0), pl_lanes_all(0)}, sums[2] = {pl_lanes_all(0), pl_lanes_all(0)};
  for (int row = first; row < last; row += LANES) {
    rows x = rows_load(bands->x + row, stride), r = rows_load(bands->r + row, stride);
    rows p = rows_load(bands->p + row, stride), q = rows_load(bands->q + row, stride);
    PL_UNROLL
    for (size_t c = 0; c < 3; c++) {
      octet_add(&x.of[c], a, p.of[c]);
      octet_add(&r.of[c], minus, q.of[c]);
    }
    rows z = symmetric_times(bands->inverse + row, stride, r);
    rows_store(bands->x + row, stride, x);
    rows_store(bands->r + row, stride, r);
    rows_store(bands->q + row, stride, z);
    add_dot(r, r, rr);
    add_dot(r, z, sums);
  }
  *rz = total(sums);
  return total(rr);
}

static void turn(const pl_bands *bands, int first, int last, float beta)
{
  const size_t stride = bands->stride;
  for (int row = first; row < last; row += LANES) {
    rows z = rows_load(bands->q + row, stride), p = rows_load(bands->p + row, stride);
    PL_UNROLL
    for (size_t c = 0; c < 3; c++) octet_add(&z.of[c], octet_all(beta), p.of[c]);
    rows_store(bands->p + row, stride, z);
  }
}

/* ---- in double precision, four rows of one or two vectors at once ---- */

typedef struct four {
  pl_lanes of[3];
} four;

PL_INLINE four four_load(const double *from, size_t stride)
{
  return (four){
      {pl_lanes_load(from), pl_lanes_load(from + stride), pl_lanes_load(from + 2 * stride)}};
}

PL_INLINE void add_own(const pl_bands *bands, int row, const int vectors, four *y)
{
  static const int entry[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  PL_UNROLL
  for (int v = 0; v < vectors; v++) {
    four x = four_load(bands->wide[v] + row, bands->stride);
    PL_UNROLL
    for (size_t k = 0; k < 9; k++) {
      const double *at = bands->band[0].precise + (size_t)entry[k] * bands->stride + row;
      y[v].of[k / 3] += pl_lanes_load(at) * x.of[k % 3];
    }
  }
}

/* y += A x of an entry (r, c), as above. */
PL_INLINE void add_precise_entry(const double *at, int distance, const int vectors, const size_t r,
                                 const size_t c, const four *after, const four *before, four *y)
{
  prefetch(at);
  const pl_lanes right = pl_lanes_load(at), left = pl_lanes_load(at - distance);
  PL_UNROLL
  for (int v = 0; v < vectors; v++) {
    y[v].of[r] += right * after[v].of[c];
    y[v].of[c] += left * before[v].of[r];
  }
}

PL_INLINE void add_precise_band(const pl_bands *bands, const pl_band *band, int row,
                                const int vectors, four *y)
{
  const size_t stride = bands->stride;
  const double *at = band->precise + row;
  four after[2], before[2];
  PL_UNROLL
  for (int v = 0; v < vectors; v++) {
    after[v] = four_load(bands->wide[v] + row + band->distance, stride);
    before[v] = four_load(bands->wide[v] + row - band->distance, stride);
  }
  if (!band->is_full) {
    PL_UNROLL
    for (size_t c = 0; c < 3; c++)
      add_precise_entry(at, band->distance, vectors, c, c, after, before, y);
    return;
  }
  PL_UNROLL
  for (size_t r = 0; r < 3; r++) {
    PL_UNROLL
    for (size_t c = 0; c < 3; c++, at += stride)
      add_precise_entry(at, band->distance, vectors, r, c, after, before, y);
  }
}

PL_INLINE void four_store(double *y, const int *row_of, int count, const four *a)
{
  for (int lane = 0; lane < PL_LANES && lane < count; lane++) {
    for (size_t c = 0; c < 3; c++) y[3 * (size_t)row_of[lane] + c] = a->of[c][lane];
  }
}

PL_INLINE void multiply_all(const pl_bands *bands, int first, int last, const int vectors,
                            double *const *to)
{
  for (int row = first; row < last; row += PL_LANES) {
    four y[2] = {{{{0}}}};
    add_own(bands, row, vectors, y);
    for (int b = 1; b < bands->count; b++) {
      const pl_band band = bands->band[b];
      add_precise_band(bands, &band, row, vectors, y);
    }
    for (int v = 0; v < vectors; v++) four_store(to[v], bands->row_of + row, last - row, &y[v]);
  }
}

static void multiply_precise(const pl_bands *bands, int first, int last, double *y, double *other_y)
{
  double *const to[2] = {y, other_y};
  if (other_y)
    multiply_all(bands, first, last, 2, to);
  else
    multiply_all(bands, first, last, 1, to);
}

const pl_bands_kernel PL_VARIANT(pl_bands_kernel) = {
    load, load_inverse, start, multiply, advance, turn, multiply_precise};
