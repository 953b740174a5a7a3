/* Sweeps of Eisenstat's iteration. Every sum runs in a fixed order with + and * only.
 *
 * A row waits for the one before it, which is often its neighbour: that block comes last where a
 * column is summed up, and first where it is taken out. */
#include "sparse/eisenstat_kernel.h"

#include "sparse/triple.h"

/* V^T times a column, V given by its rows. */
PL_INLINE triple turn(const triple *rows, triple column)
{
  return triple_add(
      triple_add(triple_scale(rows[0], triple_x(column)), triple_scale(rows[1], triple_y(column))),
      triple_scale(rows[2], triple_z(column)));
}

static void scale(const double *values, const int *source, const int *rows, int count,
                  const double *W, int column, double *C)
{
  const double *w = W + 9 * (size_t)column;
  for (int i = 0; i < count; i++, C += 9) {
    const double *block = values + 9 * (size_t)source[i], *V = W + 9 * (size_t)rows[i];
    const triple v[3] = {triple_load_wide(V), triple_load_wide(V + 3), triple_load_wide(V + 6)};
    triple a0 = triple_load_wide(block), a1 = triple_load_wide(block + 3);
    triple a2 = triple_load_wide(block + 6);
    triple first = triple_add(triple_scale(a0, w[0]), triple_scale(a1, w[3]));
    triple second = triple_add(triple_scale(a1, w[4]), triple_scale(a2, w[7]));
    triple_store_wide(C, turn(v, triple_add(first, triple_scale(a2, w[6]))));
    triple_store_wide(C + 3, turn(v, second));
    // the next block may be another thread's
    triple_store(C + 6, turn(v, triple_scale(a2, w[8])));
  }
}

/* The products of a block's columns with a vector: its transpose times that. */
PL_INLINE triple dots(const triple *columns, triple w)
{
  return triple_sums(triple_times(columns[0], w), triple_times(columns[1], w),
                     triple_times(columns[2], w));
}

static void scale_turned(const double *values, const int *source, const int *rows, int count,
                         const double *W, int column, double *C)
{
  const double *w = W + 9 * (size_t)column;
  const triple w0 = triple_make(w[0], w[3], w[6]), w1 = triple_make(0, w[4], w[7]);
  for (int i = 0; i < count; i++, C += 9) {
    const double *block = values + 9 * (size_t)source[i], *V = W + 9 * (size_t)rows[i];
    const triple v[3] = {triple_load_wide(V), triple_load_wide(V + 3), triple_load_wide(V + 6)};
    const triple b[3] = {triple_load_wide(block), triple_load_wide(block + 3),
                         triple_load_wide(block + 6)};
    triple last = triple_make(triple_z(b[0]), triple_z(b[1]), triple_z(b[2]));
    triple_store_wide(C, turn(v, dots(b, w0)));
    triple_store_wide(C + 3, turn(v, dots(b, w1)));
    // the next block may be another thread's
    triple_store(C + 6, turn(v, triple_scale(last, w[8])));
  }
}

static void ascend(const pl_half *L, const pl_split *v, int first, int last)
{
  for (int row = last - 1; row >= first; row--) {
    triple way = triple_add(triple_load_wide(v->r + PL_WIDE * row),
                            triple_scale(triple_load_wide(v->p + PL_WIDE * row), v->beta));
    triple sum0 = triple_make(0, 0, 0), sum1 = sum0, sum2 = sum0;
    for (int e = L->start[row + 1] - 1; e >= L->start[row]; e--) {
      const double *block = L->upper + 9 * (size_t)e;
      triple t = triple_load_wide(v->t + PL_WIDE * L->rows[e]);
      sum0 = triple_add(sum0, triple_times(triple_load_wide(block), t));
      sum1 = triple_add(sum1, triple_times(triple_load_wide(block + 3), t));
      sum2 = triple_add(sum2, triple_times(triple_load_wide(block + 6), t));
    }
    triple sum = triple_sums(sum0, sum1, sum2);
    triple_store_wide(v->p + PL_WIDE * row, way);
    triple_store_wide(v->t + PL_WIDE * row, triple_minus(way, sum));
    triple_store_wide(v->q + PL_WIDE * row, sum);
  }
}

static double descend(const pl_half *L, const double *p, const double *t, double *q, int first,
                      int last)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = first; row < last; row++) {
    triple y = triple_load_wide(q + PL_WIDE * row);
    double y0 = triple_x(y), y1 = triple_y(y), y2 = triple_z(y);
    for (int e = L->start[row]; e < L->start[row + 1]; e++) {
      const double *block = L->values + 9 * (size_t)e;
      double *to = q + PL_WIDE * L->rows[e];
      triple part = triple_add(triple_scale(triple_load_wide(block), y0),
                               triple_scale(triple_load_wide(block + 3), y1));
      part = triple_add(part, triple_scale(triple_load_wide(block + 6), y2));
      triple_store_wide(to, triple_minus(triple_load_wide(to), part));
    }
    y = triple_add(y, triple_load_wide(t + PL_WIDE * row));
    triple_store_wide(q + PL_WIDE * row, y);
    dot = triple_add(dot, triple_times(triple_load_wide(p + PL_WIDE * row), y));
  }
  return triple_sum(dot);
}

static void multiply(const pl_half *L, const double *x, double *y, int first, int last)
{
  for (int row = first; row < last; row++) {
    const double *from = x + PL_WIDE * row;
    for (int e = L->start[row]; e < L->start[row + 1]; e++) {
      const double *block = L->values + 9 * (size_t)e;
      double *to = y + PL_WIDE * L->rows[e];
      triple part = triple_add(triple_scale(triple_load_wide(block), from[0]),
                               triple_scale(triple_load_wide(block + 3), from[1]));
      part = triple_add(part, triple_scale(triple_load_wide(block + 6), from[2]));
      triple_store_wide(to, triple_add(triple_load_wide(to), part));
    }
  }
}

static double advance(const pl_split_step *step, int first, int last)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = first; row < last; row++) {
    double *x = step->x + PL_WIDE * row, *r = step->r + PL_WIDE * row;
    triple t = triple_load_wide(step->t + PL_WIDE * row);
    triple q = triple_load_wide(step->q + PL_WIDE * row);
    // what the sweeps leave in the fourth place ends here
    triple residual = triple_three(triple_add(triple_load_wide(r), triple_scale(q, -step->alpha)));
    triple_store_wide(x, triple_add(triple_load_wide(x), triple_scale(t, step->alpha)));
    triple_store_wide(r, residual);
    dot = triple_add(dot, triple_times(residual, residual));
  }
  return triple_sum(dot);
}

const pl_eisenstat_kernel PL_VARIANT(pl_eisenstat_kernel) = {scale,   scale_turned, ascend,
                                                             descend, multiply,     advance};
