/* The 3x3-block product and the fused passes of conjugate gradients.
 *
 * A block's column is three neighbours in memory: y += column_c * x_c. A row keeps one sum per
 * column c over its blocks in order, and ends with (sum_0 + sum_1) + sum_2. Scalar products keep
 * one sum per component over the rows in order, and end with (sum_x + sum_y) + sum_z. Only + and *
 * occur, so the bits are the same for every width of the machine. A row's stores touch its own
 * three doubles only, and so do its loads of vectors: the neighbours may belong to another thread.
 */
#include "sparse/sparse_kernel.h"

#include "sparse/triple.h"

PL_INLINE triple row_product(const pl_bsr *A, int row, const double *x)
{
  triple sum0 = triple_make(0, 0, 0), sum1 = sum0, sum2 = sum0;
  const int *column = A->columns + A->start[row], *end = A->columns + A->start[row + 1];
  const double *block = A->values + 9 * (size_t)A->start[row];
  for (; column < end; column++, block += 9) {
    const double *xj = x + 3 * *column;
    triple_fetch(block);
    sum0 = triple_add(sum0, triple_scale(triple_load_wide(block), xj[0]));
    sum1 = triple_add(sum1, triple_scale(triple_load_wide(block + 3), xj[1]));
    sum2 = triple_add(sum2, triple_scale(triple_load_wide(block + 6), xj[2]));
  }
  return triple_add(triple_add(sum0, sum1), sum2);
}

static void multiply(const pl_bsr *A, int chunk, const double *x, double *y)
{
  for (int row = A->chunk_rows[chunk]; row < A->chunk_rows[chunk + 1]; row++)
    triple_store(y + 3 * row, row_product(A, row, x));
}

static double multiply_dot(const pl_bsr *A, int chunk, const double *x, double *y)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = A->chunk_rows[chunk]; row < A->chunk_rows[chunk + 1]; row++) {
    triple product = row_product(A, row, x);
    triple_store(y + 3 * row, product);
    dot = triple_add(dot, triple_times(triple_load(x + 3 * row), product));
  }
  return triple_sum(dot);
}

/* Block times vector, columns one by one. */
PL_INLINE triple block_times(const double *block, triple x)
{
  triple y = triple_add(triple_scale(triple_load(block), triple_x(x)),
                        triple_scale(triple_load(block + 3), triple_y(x)));
  return triple_add(y, triple_scale(triple_load(block + 6), triple_z(x)));
}

static void precondition(const double *blocks, int first, int last, const double *r, double *z)
{
  for (int row = first; row < last; row++)
    triple_store(z + 3 * row, block_times(blocks + 9 * row, triple_load(r + 3 * row)));
}

/* x += alpha p and r -= alpha q in one row; returns the new r. */
PL_INLINE triple move(const pl_advance *step, int row)
{
  double *x = step->x + 3 * row, *r = step->r + 3 * row;
  triple way = triple_scale(triple_load(step->p + 3 * row), step->alpha);
  triple change = triple_scale(triple_load(step->q + 3 * row), -step->alpha);
  triple residual = triple_add(triple_load(r), change);
  triple_store(x, triple_add(triple_load(x), way));
  triple_store(r, residual);
  return residual;
}

static void advance(const pl_advance *step, int first, int last, double *parts)
{
  triple rr = triple_make(0, 0, 0), rz = rr;
  for (int row = first; row < last; row++) {
    triple r = move(step, row);
    rr = triple_add(rr, triple_times(r, r));
    if (!step->blocks) continue;
    triple z = block_times(step->blocks + 9 * row, r);
    triple_store(step->z + 3 * row, z);
    rz = triple_add(rz, triple_times(r, z));
  }
  parts[0] = triple_sum(rr);
  parts[1] = triple_sum(rz);
}

/* a + f b */
PL_INLINE triple combine(const double *a, double f, const double *b)
{
  return triple_add(triple_load(a), triple_scale(triple_load(b), f));
}

static void dots(const double *a, const double *b, const double *c, int first, int last,
                 double *parts)
{
  triple ab = triple_make(0, 0, 0), ac = ab;
  for (int i = 3 * first; i < 3 * last; i += 3) {
    triple own = triple_load(a + i);
    ab = triple_add(ab, triple_times(own, triple_load(b + i)));
    ac = triple_add(ac, triple_times(own, triple_load(c + i)));
  }
  parts[0] = triple_sum(ab);
  parts[1] = triple_sum(ac);
}

static void halve(const pl_bi_step *step, int first, int last, double *parts)
{
  triple ss = triple_make(0, 0, 0);
  for (int row = first, i = 3 * first; row < last; row++, i += 3) {
    triple s = combine(step->r + i, -step->alpha, step->v + i);
    triple_store(step->s + i, s);
    if (step->blocks) triple_store(step->z + i, block_times(step->blocks + 9 * row, s));
    ss = triple_add(ss, triple_times(s, s));
  }
  parts[0] = triple_sum(ss);
}

static void stabilise(const pl_bi_step *step, int first, int last, double *parts)
{
  triple rr = triple_make(0, 0, 0), fr = rr;
  for (int i = 3 * first; i < 3 * last; i += 3) {
    triple r = combine(step->s + i, -step->omega, step->t + i);
    triple way = triple_add(triple_scale(triple_load(step->y + i), step->alpha),
                            triple_scale(triple_load(step->z + i), step->omega));
    triple_store(step->x + i, triple_add(triple_load(step->x + i), way));
    triple_store(step->r + i, r);
    rr = triple_add(rr, triple_times(r, r));
    fr = triple_add(fr, triple_times(r, triple_load(step->first + i)));
  }
  parts[0] = triple_sum(rr);
  parts[1] = triple_sum(fr);
}

static void redirect(const pl_bi_step *step, int first, int last)
{
  for (int row = first, i = 3 * first; row < last; row++, i += 3) {
    triple old = combine(step->p + i, -step->omega, step->v + i);
    triple p = triple_add(triple_load(step->r + i), triple_scale(old, step->beta));
    triple_store(step->p + i, p);
    if (step->blocks) triple_store(step->y + i, block_times(step->blocks + 9 * row, p));
  }
}

const pl_sparse_kernel PL_VARIANT(pl_sparse_kernel) = {
    .multiply = multiply,
    .multiply_dot = multiply_dot,
    .precondition = precondition,
    .advance = advance,
    .dots = dots,
    .halve = halve,
    .stabilise = stabilise,
    .redirect = redirect,
};
