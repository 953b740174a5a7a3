/* Sweeps of Eisenstat's iteration. Every sum runs in a fixed order with + and * only.
 *
 * A row waits for the one before it, which is often its neighbour: that block comes last, and what
 * remains to be done with it is one product and two sums. */
#include "sparse/eisenstat_kernel.h"

#include "sparse/triple.h"

typedef struct place {
  const int *column;
  const double *block;
} place;

PL_INLINE triple column_times(const double *column, double x)
{
  return triple_scale(triple_load_wide(column), x);
}

/* b - the sum of a row's blocks times x; goes on to the next row. */
PL_INLINE triple subtract_row(place *at, int count, const double *x, triple b)
{
  if (count == 0) return b;
  const int *column = at->column, *last = column + count - 1;
  const double *block = at->block;
  triple sum0 = triple_make(0, 0, 0), sum1 = sum0, sum2 = sum0;
  for (; column < last; column++, block += 9) {
    const double *xj = x + PL_WIDE * *column;
    triple_fetch(block);
    sum0 = triple_add(sum0, column_times(block, xj[0]));
    sum1 = triple_add(sum1, column_times(block + 3, xj[1]));
    sum2 = triple_add(sum2, column_times(block + 6, xj[2]));
  }
  const double *xj = x + PL_WIDE * *column;
  triple_fetch(block);
  b = triple_minus(b, triple_add(triple_add(sum0, sum1), sum2));
  at->column = column + 1;
  at->block = block + 9;
  return triple_minus(triple_minus(b, column_times(block, xj[0])),
                      triple_add(column_times(block + 3, xj[1]), column_times(block + 6, xj[2])));
}

/* V^T times a column, V given by its rows. */
PL_INLINE triple turn(const triple *rows, triple column)
{
  return triple_add(
      triple_add(triple_scale(rows[0], triple_x(column)), triple_scale(rows[1], triple_y(column))),
      triple_scale(rows[2], triple_z(column)));
}

static void scale(const pl_bsr *A, int row, const int *blocks, int count, const double *W,
                  double *C)
{
  const double *V = W + 9 * (size_t)row;
  const triple rows[3] = {triple_make(V[0], 0, 0), triple_make(V[1], V[4], 0),
                          triple_make(V[2], V[5], V[8])};
  for (int i = 0; i < count; i++, C += 9) {
    size_t k = (size_t)blocks[i];
    const double *block = A->values + 9 * k, *w = W + 9 * (size_t)A->columns[k];
    triple a1 = triple_load_wide(block + 3), a2 = triple_load_wide(block + 6);
    triple first = triple_add(column_times(block, w[0]), triple_scale(a1, w[1]));
    triple second = triple_add(triple_scale(a1, w[4]), triple_scale(a2, w[5]));
    triple_store_wide(C, turn(rows, triple_add(first, triple_scale(a2, w[2]))));
    triple_store_wide(C + 3, turn(rows, second));
    // the next block may be another thread's
    triple_store(C + 6, turn(rows, triple_scale(a2, w[8])));
  }
}

static void ascend(const pl_half *U, double beta, const double *r, double *p, double *t)
{
  place at = {U->columns, U->values};
  for (int row = U->rows - 1; row >= 0; row--) {
    triple way = triple_add(triple_load_wide(r + PL_WIDE * row),
                            triple_scale(triple_load_wide(p + PL_WIDE * row), beta));
    triple_store_wide(p + PL_WIDE * row, way);
    triple_store_wide(t + PL_WIDE * row, subtract_row(&at, U->counts[row], t, way));
  }
}

static double descend(const pl_half *L, const double *p, const double *t, double *y)
{
  place at = {L->columns, L->values};
  triple dot = triple_make(0, 0, 0);
  for (int row = 0; row < L->rows; row++) {
    triple way = triple_load_wide(p + PL_WIDE * row), half = triple_load_wide(t + PL_WIDE * row);
    triple part = subtract_row(&at, L->counts[row], y, triple_minus(way, half));
    triple_store_wide(y + PL_WIDE * row, part);
    dot = triple_add(dot, triple_times(way, triple_add(half, part)));
  }
  return triple_sum(dot);
}

static double advance(const pl_split_step *step, int first, int last)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = first; row < last; row++) {
    double *x = step->x + PL_WIDE * row, *r = step->r + PL_WIDE * row;
    triple t = triple_load_wide(step->t + PL_WIDE * row);
    triple q = triple_add(t, triple_load_wide(step->y + PL_WIDE * row));
    // what the sweeps leave in the fourth place ends here
    triple residual = triple_three(triple_add(triple_load_wide(r), triple_scale(q, -step->alpha)));
    triple_store_wide(x, triple_add(triple_load_wide(x), triple_scale(t, step->alpha)));
    triple_store_wide(r, residual);
    dot = triple_add(dot, triple_times(residual, residual));
  }
  return triple_sum(dot);
}

const pl_eisenstat_kernel PL_VARIANT(pl_eisenstat_kernel) = {scale, ascend, descend, advance};
