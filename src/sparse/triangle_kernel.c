/* Triangular sweeps. Every sum runs in a fixed order with + and * only. */
#include "sparse/triangle_kernel.h"

#include "sparse/triple.h"

/* The sum of blocks times x over the places [from, to). */
PL_INLINE triple part_product(const pl_triangles *M, int from, int to, const double *x)
{
  triple sum0 = triple_make(0, 0, 0), sum1 = sum0, sum2 = sum0;
  const double *block = M->values + 9 * from;
  for (int k = from; k < to; k++, block += 9) {
    const double *xj = x + 3 * M->A->columns[k];
    sum0 = triple_add(sum0, triple_scale(triple_load_wide(block), xj[0]));
    sum1 = triple_add(sum1, triple_scale(triple_load_wide(block + 3), xj[1]));
    sum2 = triple_add(sum2, triple_scale(triple_load_wide(block + 6), xj[2]));
  }
  return triple_add(triple_add(sum0, sum1), sum2);
}

PL_INLINE triple lower(const pl_triangles *M, int row, const double *x)
{
  return part_product(M, M->A->start[row], M->A->diagonal[row], x);
}

PL_INLINE triple upper(const pl_triangles *M, int row, const double *x)
{
  return part_product(M, M->A->diagonal[row] + 1, M->A->start[row + 1], x);
}

/* Block times vector, columns one by one. */
PL_INLINE triple block_times(const double *block, triple x)
{
  triple y = triple_add(triple_scale(triple_load(block), triple_x(x)),
                        triple_scale(triple_load(block + 3), triple_y(x)));
  return triple_add(y, triple_scale(triple_load(block + 6), triple_z(x)));
}

PL_INLINE triple inverse_times(const pl_triangles *M, int row, triple x)
{
  return block_times(M->blocks + 9 * row, x);
}

PL_INLINE triple minus(triple a, triple b) { return triple_add(a, triple_scale(b, -1)); }

static void forward(const pl_triangles *M, const double *r, double *y)
{
  for (int row = 0; row < M->A->rows; row++)
    triple_store(y + 3 * row,
                 inverse_times(M, row, minus(triple_load(r + 3 * row), lower(M, row, y))));
}

static void backward(const pl_triangles *M, const double *y, double *z)
{
  for (int row = M->A->rows - 1; row >= 0; row--)
    triple_store(z + 3 * row,
                 minus(triple_load(y + 3 * row), inverse_times(M, row, upper(M, row, z))));
}

static void ascend(const pl_triangles *M, double beta, const double *z, double *p, double *t,
                   double *u)
{
  for (int row = M->A->rows - 1; row >= 0; row--) {
    triple way = triple_add(triple_load(z + 3 * row), triple_scale(triple_load(p + 3 * row), beta));
    triple sum = upper(M, row, t);
    triple_store(p + 3 * row, way);
    triple_store(t + 3 * row, inverse_times(M, row, minus(way, sum)));
    triple_store(u + 3 * row, sum);
  }
}

static double descend(const pl_triangles *M, const double *p, const double *t, const double *u,
                      double *y, double *q)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = 0; row < M->A->rows; row++) {
    triple part = inverse_times(M, row, minus(triple_load(u + 3 * row), lower(M, row, y)));
    triple sum = triple_add(triple_load(t + 3 * row), part);
    triple_store(y + 3 * row, part);
    triple_store(q + 3 * row, sum);
    dot = triple_add(dot, triple_times(triple_load(p + 3 * row), sum));
  }
  return triple_sum(dot);
}

static double advance(const pl_triangles *M, int first, int last, const pl_triangle_step *step)
{
  triple dot = triple_make(0, 0, 0);
  for (int row = first; row < last; row++) {
    double *x = step->x + 3 * row, *r = step->r + 3 * row;
    triple way = triple_scale(triple_load(step->t + 3 * row), step->alpha);
    triple change = triple_scale(triple_load(step->q + 3 * row), -step->alpha);
    triple residual = triple_add(triple_load(r), change);
    triple z = block_times(M->values + 9 * M->A->diagonal[row], residual);
    triple_store(x, triple_add(triple_load(x), way));
    triple_store(r, residual);
    triple_store(step->z + 3 * row, z);
    dot = triple_add(dot, triple_times(residual, z));
  }
  return triple_sum(dot);
}

const pl_triangle_kernel PL_VARIANT(pl_triangle_kernel) = {forward, backward, ascend, descend,
                                                           advance};
