/* Minimum degree over sets of bits, and a right-looking factorisation by blocks, part by part. */
#include "sparse/small_factor.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/cholesky.h"
#include "sparse/small_factor_kernel.h"

#include <limits.h>
#include <string.h>

void pl_small_factor_destroy(pl_small_factor *factor)
{
  void *arrays[] = {factor->order,    factor->place,      factor->start, factor->rows,
                    factor->W,        factor->inverse,    factor->work,  factor->bits,
                    factor->degree,   factor->label,      factor->low,   factor->high,
                    factor->labelled, factor->part_start, factor->cost,  factor->status,
                    factor->least};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    pl_free(&factor->allocator, arrays[i]);
}

/* ---- the order ---- */

/* Sets are over labels: blocks numbered by their distance from the first one, so that neighbours
 * have labels near each other, and a set only some words that are not zero. */

static uint64_t *set_of(const pl_small_factor *factor, int label)
{
  return factor->bits + (size_t)label * (((size_t)factor->count + 63) / 64);
}

static void set_bit(uint64_t *set, int label)
{
  set[label / 64] |= UINT64_C(1) << (unsigned)(label % 64);
}

static void clear_bit(uint64_t *set, int label)
{
  set[label / 64] &= ~(UINT64_C(1) << (unsigned)(label % 64));
}

enum { SMALL_PART = 48 }; /* blocks, below which a part is joined with the next one */

static void end_part(pl_small_factor *factor, int count)
{
  int is_last = count == factor->count, first = factor->part_start[factor->parts];
  if (count > first && (is_last || count - first >= SMALL_PART))
    factor->part_start[++factor->parts] = count;
}

/* Numbers all blocks breadth-first, one connected part after the other. order is the list. */
static void label_blocks(pl_small_factor *factor, const pl_bsr *M)
{
  int *list = factor->order, *label = factor->label, count = 0;
  factor->parts = factor->part_start[0] = 0;
  for (int i = 0; i < factor->count; i++) label[i] = -1;
  for (int seed = 0; seed < factor->count; seed++) {
    if (label[seed] >= 0) continue;
    int next = count;
    label[seed] = count;
    list[count++] = seed;
    for (; next < count; next++) {
      for (int k = M->start[list[next]]; k < M->start[list[next] + 1]; k++) {
        int other = M->columns[k];
        if (label[other] >= 0) continue;
        label[other] = count;
        list[count++] = other;
      }
    }
    end_part(factor, count);
  }
  memcpy(factor->labelled, list, (size_t)count * sizeof *list);
}

/* ---- the label with the fewest neighbours ---- */

enum { GROUP = 64 }; /* labels of a part with a common minimum of degrees */

/* Labels and places in the order of a part. */
typedef struct range {
  int first, last;
  int *least; /* of its groups */
} range;

static range range_of(const pl_small_factor *factor, int part)
{
  int first = factor->part_start[part];
  return (range){first, factor->part_start[part + 1], factor->least + first / GROUP + part};
}

static int group_count(const range *in) { return (in->last - in->first + GROUP - 1) / GROUP; }

static void find_least(const pl_small_factor *factor, const range *in, int group)
{
  int first = in->first + group * GROUP, end = first + GROUP, min = INT_MAX;
  if (end > in->last) end = in->last;
  for (int i = first; i < end; i++) min = factor->degree[i] < min ? factor->degree[i] : min;
  in->least[group] = min;
}

static void set_degree(pl_small_factor *factor, const range *in, int label, int degree)
{
  int group = (label - in->first) / GROUP, before = factor->degree[label];
  factor->degree[label] = degree;
  if (degree < in->least[group])
    in->least[group] = degree;
  else if (before == in->least[group] && degree > before)
    find_least(factor, in, group);
}

/* The first of several among those that are left. What has gone has a degree of INT_MAX. */
static int pick_min(const pl_small_factor *factor, const range *in)
{
  int group = 0, label = 0;
  for (int i = 1; i < group_count(in); i++) {
    if (in->least[i] < in->least[group]) group = i;
  }
  for (label = in->first + group * GROUP; factor->degree[label] != in->least[group]; label++)
    continue;
  return label;
}

static void load_row(pl_small_factor *factor, const range *in, const pl_bsr *M, int own)
{
  int row = factor->labelled[own], low = own, high = own, first = in->first / 64;
  uint64_t *set = set_of(factor, own);
  memset(set + first, 0, (size_t)((in->last - 1) / 64 - first + 1) * sizeof *set);
  for (int k = M->start[row]; k < M->start[row + 1]; k++) {
    int other = factor->label[M->columns[k]];
    set_bit(set, other);
    if (other < low) low = other;
    if (other > high) high = other;
  }
  clear_bit(set, own);
  factor->low[own] = low / 64;
  factor->high[own] = high / 64;
  factor->degree[own] = M->start[row + 1] - M->start[row] - 1;
}

static void load_pattern(pl_small_factor *factor, const range *in, const pl_bsr *M)
{
  for (int own = in->first; own < in->last; own++) load_row(factor, in, M, own);
  for (int group = 0; group < group_count(in); group++) find_least(factor, in, group);
}

/* other's neighbours become those of own too; own goes. */
static void join(pl_small_factor *factor, const range *in, int own, int other)
{
  const uint64_t *from = set_of(factor, own);
  uint64_t *to = set_of(factor, other);
  int low = factor->low[own], high = factor->high[own], size = 0;
  for (int i = low; i <= high; i++) to[i] |= from[i];
  clear_bit(to, own);
  clear_bit(to, other);
  if (low < factor->low[other]) factor->low[other] = low;
  if (high > factor->high[other]) factor->high[other] = high;
  for (int i = factor->low[other]; i <= factor->high[other]; i++)
    size += __builtin_popcountll(to[i]);
  set_degree(factor, in, other, size);
}

/* Joins the neighbours of a label with each other. They stay in its own set. */
static void eliminate(pl_small_factor *factor, const range *in, int own)
{
  const uint64_t *set = set_of(factor, own);
  for (int word = factor->low[own]; word <= factor->high[own]; word++) {
    for (uint64_t rest = set[word]; rest; rest &= rest - 1)
      join(factor, in, own, 64 * word + __builtin_ctzll(rest));
  }
  set_degree(factor, in, own, INT_MAX);
}

static void sort(int *list, int count)
{
  for (int gap = count / 2; gap > 0; gap /= 2) {
    for (int i = gap; i < count; i++) {
      int value = list[i], k = i;
      for (; k >= gap && list[k - gap] > value; k -= gap) list[k] = list[k - gap];
      list[k] = value;
    }
  }
}

static pl_status make_room(pl_small_factor *factor, int count, pl_error *error)
{
  const pl_allocator *allocator = &factor->allocator;
  size_t words = ((size_t)count + 63) / 64, needed = (size_t)count + 1;
  if (pl_reserve(allocator, (void **)&factor->bits, &factor->bit_room, (size_t)count * words,
                 sizeof *factor->bits))
    return pl_fail_memory(error);
  if (needed <= factor->room) return PL_OK;
  needed *= 2;
  struct {
    void **at;
    size_t size;
  } all[] = {
      {(void **)&factor->order, sizeof(int)},       {(void **)&factor->place, sizeof(int)},
      {(void **)&factor->start, sizeof(int)},       {(void **)&factor->degree, sizeof(int)},
      {(void **)&factor->least, sizeof(int)},       {(void **)&factor->label, sizeof(int)},
      {(void **)&factor->labelled, sizeof(int)},    {(void **)&factor->low, sizeof(int)},
      {(void **)&factor->high, sizeof(int)},        {(void **)&factor->inverse, 9 * sizeof(double)},
      {(void **)&factor->work, 3 * sizeof(double)}, {(void **)&factor->part_start, sizeof(int)},
      {(void **)&factor->cost, sizeof(double)},     {(void **)&factor->status, sizeof(pl_status)}};
  factor->room = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    pl_free(allocator, *all[i].at);
    *all[i].at = pl_alloc(allocator, needed, all[i].size);
    if (!*all[i].at) return pl_fail_memory(error);
  }
  factor->room = needed;
  return PL_OK;
}

typedef struct analysis {
  pl_small_factor *factor;
  const pl_bsr *M;
  double max;
} analysis;

/* The order of a part; start[k] is how many blocks a column has. */
static void order_part(void *context, int part)
{
  const analysis *job = context;
  pl_small_factor *factor = job->factor;
  const range in = range_of(factor, part);
  double cost = 0;
  load_pattern(factor, &in, job->M);
  for (int k = in.first; k < in.last && cost <= job->max; k++) {
    int own = pick_min(factor, &in);
    double size = factor->degree[own];
    cost += 27 * (1 + size + size * (size + 1) / 2);
    factor->order[k] = factor->labelled[own];
    factor->place[factor->order[k]] = k;
    factor->start[k] = factor->degree[own];
    eliminate(factor, &in, own);
  }
  factor->cost[part] = cost;
}

/* A column's rows: the places of its last neighbours, ascending. */
static void list_part(void *context, int part)
{
  const analysis *job = context;
  const pl_small_factor *factor = job->factor;
  for (int k = factor->part_start[part]; k < factor->part_start[part + 1]; k++) {
    int own = factor->label[factor->order[k]], *to = factor->rows + factor->start[k];
    const uint64_t *set = set_of(factor, own);
    for (int word = factor->low[own]; word <= factor->high[own]; word++) {
      for (uint64_t rest = set[word]; rest; rest &= rest - 1)
        *to++ = factor->place[factor->labelled[64 * word + __builtin_ctzll(rest)]];
    }
    sort(factor->rows + factor->start[k], factor->start[k + 1] - factor->start[k]);
  }
}

/* From how many blocks columns have to where they begin; returns the end. */
static int place_columns(pl_small_factor *factor)
{
  int at = 0;
  for (int k = 0; k < factor->count; k++) {
    int size = factor->start[k];
    factor->start[k] = at;
    at += size;
  }
  return factor->start[factor->count] = at;
}

pl_status pl_small_factor_analyse(pl_small_factor *factor, const pl_bsr *M, double max,
                                  pl_pool *pool, pl_error *error)
{
  factor->count = 0;
  pl_status status = make_room(factor, M->rows, error);
  if (status) return status;
  factor->count = M->rows;
  label_blocks(factor, M);
  analysis job = {factor, M, max};
  pl_parallel(pool, factor->parts, order_part, &job);
  double cost = 0;
  for (int part = 0; part < factor->parts; part++) cost += factor->cost[part];
  if (cost > max) {
    factor->count = 0;
    return PL_OK;
  }
  size_t blocks = (size_t)place_columns(factor);
  // one double more may be read
  if (pl_reserve(&factor->allocator, (void **)&factor->rows, &factor->rows_room, blocks,
                 sizeof *factor->rows) ||
      pl_reserve(&factor->allocator, (void **)&factor->W, &factor->W_room, blocks + 1,
                 9 * sizeof *factor->W))
    return pl_fail_memory(error);
  pl_parallel(pool, factor->parts, list_part, &job);
  return PL_OK;
}

/* ---- the numbers ---- */

/* Where the block (row, column) of W stands, both in the order, row > column. */
static size_t find(const pl_small_factor *factor, int row, int column)
{
  int low = factor->start[column], high = factor->start[column + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (factor->rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return (size_t)low;
}

/* Half of the off-diagonal blocks of M's row, which has the place k; D as a whole. */
static void load_values(pl_small_factor *factor, const pl_bsr *M, int k, double shift)
{
  int row = factor->order[k];
  for (int b = M->start[row]; b < M->start[row + 1]; b++) {
    int other = factor->place[M->columns[b]];
    const double *from = M->values + 9 * (size_t)b;
    double *D = factor->inverse + 9 * (size_t)k;
    for (int i = 0; other == k && i < 9; i++) D[i] = (1 + shift) * from[i];
    if (other == k) continue;
    double *to = factor->W + 9 * find(factor, k > other ? k : other, k > other ? other : k);
    for (int i = 0; i < 9; i++) to[i] += 0.5 * from[k > other ? i : 3 * (i % 3) + i / 3];
  }
}

/* C -= X Y, column by column. */
static inline void subtract_product(const double *restrict X, const double *restrict Y,
                                    double *restrict C)
{
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      C[3 * c + r] -= X[r] * Y[3 * c] + X[3 + r] * Y[3 * c + 1] + X[6 + r] * Y[3 * c + 2];
  }
}

/* T = B W^T for a symmetric B. */
static inline void turn_over(const double *B, const double *W, double *T)
{
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      T[3 * c + r] = B[r] * W[c] + B[3 + r] * W[3 + c] + B[6 + r] * W[6 + c];
  }
}

/* Takes column k, whose D^-1 is known, out of the columns behind it. The rows of k below j are
 * among those of j: that is what fill means. */
static void take_out(pl_small_factor *factor, int k)
{
  const pl_small_factor_kernel *kernel = pl_small_factor_kernel_pick();
  const double *B = factor->inverse + 9 * (size_t)k;
  int end = factor->start[k + 1];
  for (int a = factor->start[k]; a < end; a++) {
    int column = factor->rows[a], to = factor->start[column];
    double T[9];
    turn_over(B, factor->W + 9 * (size_t)a, T);
    subtract_product(factor->W + 9 * (size_t)a, T, factor->inverse + 9 * (size_t)column);
    kernel->take_out(factor->rows + a + 1, factor->W + 9 * ((size_t)a + 1), end - a - 1, T,
                     factor->rows + to, factor->W + 9 * (size_t)to);
  }
}

typedef struct computation {
  pl_small_factor *factor;
  const pl_bsr *M;
  const double *const *projections;
  double shift;
} computation;

/* The symmetric part of M, of which each pair of blocks gives a half of both, and its factor. */
static void compute_part(void *context, int part)
{
  const computation *job = context;
  pl_small_factor *factor = job->factor;
  int first = factor->part_start[part], last = factor->part_start[part + 1];
  size_t from = 9 * (size_t)factor->start[first], to = 9 * (size_t)factor->start[last];
  pl_status status = PL_OK;
  memset(factor->W + from, 0, (to - from) * sizeof *factor->W);
  for (int k = first; k < last; k++) load_values(factor, job->M, k, job->shift);
  for (int k = first; k < last && !status; k++) {
    double D[9], *inverse = factor->inverse + 9 * (size_t)k;
    memcpy(D, inverse, sizeof D);
    status = pl_cholesky_invert(D, job->projections[factor->order[k]], inverse);
    if (!status) take_out(factor, k);
  }
  factor->status[part] = status;
}

pl_status pl_small_factor_compute(pl_small_factor *factor, const pl_bsr *M,
                                  const double *const *projections, double shift, pl_pool *pool)
{
  computation job = {factor, M, projections, shift};
  pl_parallel(pool, factor->parts, compute_part, &job);
  for (int part = 0; part < factor->parts; part++) {
    if (factor->status[part]) return factor->status[part];
  }
  return PL_OK;
}

typedef struct solution {
  const pl_small_factor *factor;
  const double *b;
  double *x;
} solution;

static void solve_part(void *context, int part)
{
  const solution *job = context;
  const pl_small_factor *factor = job->factor;
  int first = factor->part_start[part], last = factor->part_start[part + 1];
  double *y = factor->work;
  for (int k = first; k < last; k++)
    memcpy(y + 3 * (size_t)k, job->b + 3 * (size_t)factor->order[k], 3 * sizeof *y);
  for (int k = first; k < last; k++) {
    const double *B = factor->inverse + 9 * (size_t)k;
    double *at = y + 3 * (size_t)k, z[3];
    for (int i = 0; i < 3; i++) z[i] = B[i] * at[0] + B[3 + i] * at[1] + B[6 + i] * at[2];
    memcpy(at, z, sizeof z);
    for (int e = factor->start[k]; e < factor->start[k + 1]; e++) {
      const double *W = factor->W + 9 * (size_t)e;
      double *to = y + 3 * (size_t)factor->rows[e];
      for (int i = 0; i < 3; i++) to[i] -= W[i] * z[0] + W[3 + i] * z[1] + W[6 + i] * z[2];
    }
  }
  for (int k = last - 1; k >= first; k--) {
    const double *B = factor->inverse + 9 * (size_t)k;
    double sum[3] = {0}, *at = y + 3 * (size_t)k;
    for (int e = factor->start[k]; e < factor->start[k + 1]; e++) {
      const double *W = factor->W + 9 * (size_t)e, *z = y + 3 * (size_t)factor->rows[e];
      for (int i = 0; i < 3; i++)
        sum[i] += W[3 * i] * z[0] + W[3 * i + 1] * z[1] + W[3 * i + 2] * z[2];
    }
    for (int i = 0; i < 3; i++) at[i] -= B[i] * sum[0] + B[3 + i] * sum[1] + B[6 + i] * sum[2];
    memcpy(job->x + 3 * (size_t)factor->order[k], at, 3 * sizeof *at);
  }
}

void pl_small_factor_solve(const pl_small_factor *factor, const double *b, double *x, pl_pool *pool)
{
  solution job = {factor, b, x};
  pl_parallel(pool, factor->parts, solve_part, &job);
}
