/* Triangular sweeps. Every sum runs in a fixed order with + and * only. */
#include "sparse/triangle_kernel.h"

#include "sparse/triple.h"

/* The sum of blocks times x over the places from, from + way, ... before to. What was computed last
 * should be asked for last, so that the processor need not wait for it. */
PL_INLINE triple part_product(const pl_triangles *M, int from, int to, int way, const double *x)
{
  triple sum0 = triple_make(0, 0, 0), sum1 = sum0, sum2 = sum0;
  for (int k = from; k != to; k += way) {
    const double *block = M->values + 9 * (size_t)k, *xj = x + 3 * M->A->columns[k];
    sum0 = triple_add(sum0, triple_scale(triple_load_wide(block), xj[0]));
    sum1 = triple_add(sum1, triple_scale(triple_load_wide(block + 3), xj[1]));
    sum2 = triple_add(sum2, triple_scale(triple_load_wide(block + 6), xj[2]));
  }
  return triple_add(triple_add(sum0, sum1), sum2);
}

/* How many rows ahead of their use blocks are asked for: half of each row is passed over, which the
 * machine does not foresee. */
enum { AHEAD = 4, LINE = 8 /* doubles */ };

PL_INLINE void fetch(const pl_triangles *M, int from, int to)
{
#if defined(__GNUC__)
  const double *end = M->values + 9 * (size_t)to;
  for (const double *place = M->values + 9 * (size_t)from; place < end; place += LINE)
    __builtin_prefetch(place, 0, 0);
#else
  (void)M, (void)from, (void)to;
#endif
}

PL_INLINE triple lower(const pl_triangles *M, int row, const double *x)
{
  int next = row + AHEAD;
  if (next < M->A->rows) fetch(M, M->A->start[next], M->A->diagonal[next]);
  return part_product(M, M->A->start[row], M->A->diagonal[row], 1, x);
}

PL_INLINE triple upper(const pl_triangles *M, int row, const double *x)
{
  int next = row - AHEAD;
  if (next >= 0) fetch(M, M->A->diagonal[next] + 1, M->A->start[next + 1]);
  return part_product(M, M->A->start[row + 1] - 1, M->A->diagonal[row], -1, x);
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

static void forward(const pl_triangles *M, const double *r, double *y)
{
  for (int row = 0; row < M->A->rows; row++)
    triple_store(y + 3 * row,
                 inverse_times(M, row, triple_minus(triple_load(r + 3 * row), lower(M, row, y))));
}

static void backward(const pl_triangles *M, const double *y, double *z)
{
  for (int row = M->A->rows - 1; row >= 0; row--)
    triple_store(z + 3 * row,
                 triple_minus(triple_load(y + 3 * row), inverse_times(M, row, upper(M, row, z))));
}

const pl_triangle_kernel PL_VARIANT(pl_triangle_kernel) = {forward, backward};
