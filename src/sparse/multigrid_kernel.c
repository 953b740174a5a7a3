/* The loops of multigrid. Every sum runs in a fixed order, lane by lane, with + and * only, so the
 * bits are the same for every width of the machine. */
#include "sparse/multigrid_kernel.h"

#include "math/lanes.h"
#include "sparse/octet.h"
#include "sparse/triple.h"

#include <stdint.h>
#include <string.h>

enum { COARSE = PL_MULTIGRID_COARSE };

/* A pivot this much below its diagonal entry is what rounding left. */
#define LEAST_PIVOT 1e-11

/* How many bytes ahead of their use blocks are asked for; see sparse_kernel.c. */
enum { AHEAD = 2048, LINE = 64 };

/* Asks for so many bytes from a place on. */
PL_INLINE void fetch(uintptr_t place, size_t bytes)
{
#if defined(__GNUC__)
  for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch((const void *)(place + i), 0, 2);
#else
  (void)place;
  (void)bytes;
#endif
}

/* The same, AHEAD of the place. */
PL_INLINE void prefetch(const float *place, size_t bytes)
{
  fetch((uintptr_t)place + AHEAD, bytes);
}

/* ---- products ---- */

PL_INLINE void quartet_add(float *to, quartet a) { quartet_store(to, quartet_load(to) + a); }

/* The sums of the first three lanes of three. */
PL_INLINE quartet sums_of_3(quartet a, quartet b, quartet c)
{
  quartet low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  quartet high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  return (__builtin_shufflevector(low, c, 0, 1, 4, 4) +
          __builtin_shufflevector(low, c, 2, 3, 5, 5)) +
         __builtin_shufflevector(high, c, 0, 1, 6, 6);
}

/* Two blocks of a row of 3, whose lines of three lie side by side, at two places of x: the lines
 * times x are added lane by lane; returns the transposed blocks times from. */
PL_INLINE octet upper_pair_3(const float *block, const float *a, const float *b,
                             const octet from[3], octet sums[3])
{
  octet at = octet_join_3(quartet_load(a), quartet_load(b)), to[3];
  prefetch(block, LINE);
  PL_UNROLL
  for (int i = 0; i < 3; i++) {
    octet lines = octet_load_3(block + 6 * i);
    octet_add(&sums[i], lines, at);
    to[i] = octet_times(lines, from[i]);
  }
  return octet_plus(octet_plus(to[0], to[1]), to[2]);
}

/* One block, likewise, which leaves its chunk. */
PL_INLINE quartet upper_block_3(const float *block, const float *a, const octet from[3],
                                quartet sums[3])
{
  quartet at = quartet_load(a), to[3];
  for (int i = 0; i < 3; i++) {
    quartet line = quartet_load(block + 3 * i);
    sums[i] += line * at;
    to[i] = line * octet_low(from[i]);
  }
  return (to[0] + to[1]) + to[2];
}

/* A row of the upper triangle with 3x3 blocks, two blocks at once; the first is the diagonal, which
 * is alone if the number is odd. */
PL_INLINE quartet upper_row_3(const pl_multigrid_half *half, int rows, int row, const float *x)
{
  const int *columns = half->columns;
  float *y = half->sums;
  int k = half->start[row], leaving = half->leaving[row], end = half->start[row + 1];
  const float *block = half->values + 9 * (size_t)k, *own = x + 4 * (size_t)row;
  octet from[3], pairs[3] = {octet_all(0), octet_all(0), octet_all(0)};
  quartet sums[3];
  for (int i = 0; i < 3; i++) from[i] = octet_all(own[i]);
  if ((leaving - k) % 2 == 0) {
    size_t b = 4 * (size_t)columns[k + 1];
    quartet_add(y + b, octet_second_3(upper_pair_3(block, own, x + b, from, pairs)));
    k += 2, block += 18;
  } else {
    for (int i = 0; i < 3; i++)
      pairs[i] = octet_join_3(quartet_load(block + 3 * i) * quartet_load(own), (quartet){0});
    k++, block += 9;
  }
  for (; k < leaving; k += 2, block += 18) {
    size_t a = 4 * (size_t)columns[k], b = 4 * (size_t)columns[k + 1];
    octet to = upper_pair_3(block, x + a, x + b, from, pairs);
    quartet_add(y + a, octet_low(to));
    quartet_add(y + b, octet_second_3(to));
  }
  for (int i = 0; i < 3; i++) sums[i] = octet_low(pairs[i]) + octet_second_3(pairs[i]);
  for (; k < end; k++, block += 9) {
    const float *at = x + 4 * (size_t)half->slot_row[columns[k] - rows];
    quartet_add(y + 4 * (size_t)columns[k], upper_block_3(block, at, from, sums));
  }
  return sums_of_3(sums[0], sums[1], sums[2]);
}

/* A block of a row of 6: its rows times x are added lane by lane, and to y the transposed block
 * times from. */
PL_INLINE void upper_block_6(const float *block, const float *x, float *y, const octet from[6],
                             octet sums[6])
{
  octet at = octet_load(x), to = octet_load(y);
  prefetch(block, 36 * sizeof *block);
  PL_UNROLL
  for (int i = 0; i < 6; i++) {
    octet line = octet_load(block + 6 * i);
    octet_add(&sums[i], line, at);
    octet_add(&to, line, from[i]);
  }
  octet_store(y, to);
}

PL_INLINE octet upper_row_6(const pl_multigrid_half *half, int rows, int row, const float *x)
{
  const int *columns = half->columns, *slot_row = half->slot_row;
  float *y = half->sums;
  int k = half->start[row], leaving = half->leaving[row], end = half->start[row + 1];
  const float *block = half->values + 36 * (size_t)k;
  octet own = octet_load(x + 8 * (size_t)row), from[6], sums[6];
  PL_UNROLL
  for (int i = 0; i < 6; i++) {
    from[i] = octet_all(octet_lane(own, i));
    sums[i] = octet_times(octet_load(block + 6 * i), own);
  }
  for (k++, block += 36; k < leaving; k++, block += 36) {
    size_t a = 8 * (size_t)columns[k];
    upper_block_6(block, x + a, y + a, from, sums);
  }
  for (; k < end; k++, block += 36)
    upper_block_6(block, x + 8 * (size_t)slot_row[columns[k] - rows], y + 8 * (size_t)columns[k],
                  from, sums);
  return octet_of(octet_sums(sums[0], sums[1], sums[2], sums[3]),
                  octet_sums(sums[4], sums[5], sums[4], sums[5]));
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

PL_INLINE void six_store_6(float *to, six a)
{
  for (int i = 0; i < 4; i++) to[i] = (float)a.low[i];
  for (int i = 0; i < 2; i++) to[4 + i] = (float)a.high[i];
}

PL_INLINE octet octet_zero(void) { return octet_all(0); }

PL_INLINE six six_add(six a, six b) { return (six){a.low + b.low, a.high + b.high}; }
PL_INLINE six six_scale(six a, double s) { return (six){a.low * s, a.high * s}; }

/* ---- rigid motions of groups ---- */

PL_INLINE pl_lanes widen(quartet x) { return __builtin_convertvector(x, pl_lanes); }

/* Three numbers, and no more: behind them may stand another thread's. */
PL_INLINE pl_lanes load_3(const float *from)
{
  return (pl_lanes){(double)from[0], (double)from[1], (double)from[2], 0};
}

PL_INLINE void store_3(float *to, pl_lanes a)
{
  quartet lanes = __builtin_convertvector(a, quartet);
  memcpy(to, &lanes, 3 * sizeof *to);
}

/* a x b in the first three lanes. */
PL_INLINE pl_lanes cross(pl_lanes a, pl_lanes b)
{
  pl_lanes c =
      a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - b * __builtin_shufflevector(a, a, 1, 2, 0, 3);
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

/* (L L^T)^-1 y; what L leaves out stays zero. */
PL_INLINE pl_lanes solve_3(const double L[3][3], pl_lanes y)
{
  double x[3] = {y[0], y[1], y[2]};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] = L[i][i] > 0 ? x[i] / L[i][i] : 0;
  }
  for (int i = 2; i >= 0; i--) {
    for (int j = i + 1; j < 3; j++) x[i] -= L[j][i] * x[j];
    x[i] = L[i][i] > 0 ? x[i] / L[i][i] : 0;
  }
  return (pl_lanes){x[0], x[1], x[2], 0};
}

/* A line of X becomes X - X B (B^T B)^-1 B^T, where B has, of a group, the translation t + w x d
 * and the rotation radius w. About the mean place B^T B falls into two parts. */
PL_INLINE void keep_motions(const pl_multigrid_motions *motions, float *line, size_t apart)
{
  pl_lanes t = pl_lanes_all(0), w = t;
  for (int k = 0; k < motions->count; k++) {
    const float *x = line + apart * (size_t)k;
    const pl_lanes a = load_3(x), b = load_3(x + 3);
    t += a;
    w += cross(pl_lanes_load(motions->d[k]), a) + motions->radius[k] * b;
  }
  t = t / (double)motions->count;
  w = solve_3(motions->L, w);
  for (int k = 0; k < motions->count; k++) {
    float *x = line + apart * (size_t)k;
    const pl_lanes a = load_3(x), b = load_3(x + 3);
    store_3(x, a - t - cross(w, pl_lanes_load(motions->d[k])));
    store_3(x + 3, b - motions->radius[k] * w);
  }
}

#define PASTE_AGAIN(name, size) name##_##size
#define PASTE(name, size)       PASTE_AGAIN(name, size)
#define NAME(name)              PASTE(name, SIZE)
#define VARIANT(name)           PL_VARIANT(name)

#define SIZE       3
#define WIDE       quartet
#define UPPER_ROW  upper_row_3
#define ENTRY      float
#define SUM        octet
#define ADD_TO_SUM add_octet
#include "sparse/multigrid_rows.h"
#undef SIZE
#undef WIDE
#undef UPPER_ROW
#undef ENTRY
#undef SUM
#undef ADD_TO_SUM

#define SIZE       6
#define WIDE       octet
#define UPPER_ROW  upper_row_6
#define ENTRY      double
#define SUM        six
#define ADD_TO_SUM add_six
#include "sparse/multigrid_rows.h"

/* ---- conjugate gradients on the finest level ---- */

/* Of the first three lanes. */
PL_INLINE double sum_of(pl_lanes sums) { return (sums[0] + sums[1]) + sums[2]; }

/* q = A p, and the sum of p q so far. */
typedef struct multiplication {
  const float *p;
  float *q;
  pl_lanes sums;
} multiplication;

PL_INLINE void multiply_row(const pl_multigrid_level *level, int row, quartet product,
                            void *context)
{
  multiplication *job = context;
  (void)level;
  quartet_store(job->q + 4 * (size_t)row, product);
  job->sums += widen(quartet_load(job->p + 4 * (size_t)row)) * widen(product);
}

static double product(const pl_multigrid_level *level, int chunk, int late, const float *p,
                      float *q)
{
  multiplication job = {p, q, pl_lanes_all(0)};
  if (late)
    late_rows_3(level, chunk, multiply_row, &job);
  else
    product_rows_3(level, chunk, p, multiply_row, &job);
  return sum_of(job.sums);
}

/* The lines of a 3x3 block in single precision, of its columns in double precision. */
PL_INLINE void lines_of(const double *from, double factor, quartet lines[3])
{
  quartet a = __builtin_convertvector(pl_lanes_load(from) * factor, quartet);
  quartet b = __builtin_convertvector(pl_lanes_load(from + 3) * factor, quartet);
  quartet c = __builtin_convertvector(pl_lanes_load(from + 5) * factor, quartet);
  quartet low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  quartet high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  lines[0] = __builtin_shufflevector(low, c, 0, 1, 5, 5);
  lines[1] = __builtin_shufflevector(low, c, 2, 3, 6, 6);
  lines[2] = __builtin_shufflevector(high, c, 0, 1, 7, 7);
}

PL_INLINE void load_block(const double *from, double factor, float *to)
{
  quartet lines[3];
  lines_of(from, factor, lines);
  quartet_store(to, lines[0]);
  quartet_store(to + 3, lines[1]);
  quartet_store(to + 5, __builtin_shufflevector(lines[1], lines[2], 2, 4, 5, 6));
}

/* Two blocks side by side, for upper_pair_3. */
PL_INLINE void load_pair(const double *from, double factor, float *to)
{
  quartet a[3], b[3];
  lines_of(from, factor, a);
  lines_of(from + 9, factor, b);
  quartet_store(to, a[0]);
  quartet_store(to + 3, b[0]);
  quartet_store(to + 6, a[1]);
  quartet_store(to + 9, b[1]);
  quartet_store(to + 12, a[2]);
  quartet_store(to + 14, __builtin_shufflevector(a[2], b[2], 2, 4, 5, 6));
}

/* A row of the upper triangle, in the order of upper_row_3. */
PL_INLINE void load_row(const pl_multigrid_half *half, int row, const double *from, double factor)
{
  int k = half->start[row], leaving = half->leaving[row], end = half->start[row + 1];
  float *to = half->values + 9 * (size_t)k;
  if ((leaving - k) % 2 != 0) {
    load_block(from, factor, to);
    k++, from += 9, to += 9;
  }
  for (; k < leaving; k += 2, from += 18, to += 18) load_pair(from, factor, to);
  for (; k < end; k++, from += 9, to += 9) load_block(from, factor, to);
}

/* Upper triangles lie in pieces: the row so many ahead is asked for. */
static void load(const pl_multigrid_level *level, int first, int last, const double *blocks,
                 double factor)
{
  enum { ROWS_AHEAD = 4 };
  for (int row = first; row < last; row++) {
    int ahead = row + ROWS_AHEAD < last ? row + ROWS_AHEAD : row;
    const double *next = blocks + 9 * (size_t)level->diagonal[ahead];
    fetch((uintptr_t)next,
          (size_t)(blocks + 9 * (size_t)level->start[ahead + 1] - next) * sizeof *next);
    load_row(&level->half, row, blocks + 9 * (size_t)level->diagonal[row], factor);
  }
}

static double advance(int first, int last, float alpha, const float *p, const float *q, float *x,
                      float *r)
{
  pl_lanes sums = pl_lanes_all(0);
  for (size_t i = 4 * (size_t)first; i < 4 * (size_t)last; i += 4) {
    quartet rest = quartet_load(r + i) - alpha * quartet_load(q + i);
    quartet_store(x + i, quartet_load(x + i) + alpha * quartet_load(p + i));
    quartet_store(r + i, rest);
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
    quartet_store(p + i, quartet_load(z + i) + beta * quartet_load(p + i));
}

const pl_multigrid_vectors PL_VARIANT(pl_multigrid_vectors) = {load, product, advance,
                                                               scalar_product, turn};

/* ---- nodes of sheets that turn ---- */

static void moments(const pl_bsr *A, const double *former, int row, double H[3][3])
{
  const triple x = triple_load(A->points + 3 * (size_t)row);
  const double *X = former + 3 * (size_t)row;
  triple sums[3];
  for (int k = 0; k < 3; k++) sums[k] = triple_make(0, 0, 0);
  for (int m = A->start[row]; m < A->start[row + 1]; m++) {
    const size_t at = 3 * (size_t)A->columns[m];
    const triple now = triple_minus(triple_load(A->points + at), x);
    PL_UNROLL
    for (size_t k = 0; k < 3; k++)
      sums[k] = triple_add(sums[k], triple_scale(now, former[at + k] - X[k]));
  }
  for (int k = 0; k < 3; k++) triple_store(H[k], sums[k]);
}

static void turn_back(int first, int last, const float *R, float *t)
{
  for (int row = first; row < last; row++) {
    const float *columns = R + 9 * (size_t)row;
    const quartet at = quartet_load(t + 4 * (size_t)row);
    quartet_store(t + 4 * (size_t)row,
                  sums_of_3(quartet_load(columns) * at, quartet_load(columns + 3) * at,
                            quartet_load(columns + 6) * at));
  }
}

static void add_turned(int first, int last, const float *R, const float *y, float *x)
{
  for (int row = first; row < last; row++) {
    const float *columns = R + 9 * (size_t)row, *at = y + 4 * (size_t)row;
    quartet_add(x + 4 * (size_t)row,
                (quartet_load(columns) * at[0] + quartet_load(columns + 3) * at[1]) +
                    quartet_load(columns + 6) * at[2]);
  }
}

const pl_multigrid_turning PL_VARIANT(pl_multigrid_turning) = {moments, turn_back, add_turned};

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

static void factorise(pl_multigrid_dense *dense)
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

static void invert(pl_multigrid_dense *dense)
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

static void apply(const pl_multigrid_dense *dense)
{
  int count = dense->count;
  memset(dense->out, 0, (size_t)count * sizeof *dense->out);
  for (int i = 0; i < count; i++) {
    const float *row = dense->values + (size_t)i * (size_t)count;
    octet wide = octet_all(0);
    int j = 0;
    for (; j + 8 <= i + 1; j += 8) octet_add(&wide, octet_load(row + j), octet_load(dense->in + j));
    float sums[8];
    octet_store(sums, wide);
    for (int k = 0; j + k <= i; k++) sums[k] += row[j + k] * dense->in[j + k];
    float y =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (j = 0; j <= i; j++) dense->out[j] += y * row[j];
  }
}

const pl_multigrid_triangle PL_VARIANT(pl_multigrid_triangle) = {invert, apply};
