/* Products of blocks; every sum runs in a fixed order with + and * only. */
#include "sparse/small_factor_kernel.h"

#include "sparse/triple.h"

/* A column of X T. */
PL_INLINE triple times(const triple X[3], const double *T)
{
  return triple_add(triple_add(triple_scale(X[0], T[0]), triple_scale(X[1], T[1])),
                    triple_scale(X[2], T[2]));
}

static void take_out(const int *rows, const double *X, int count, const double *T, const int *to,
                     double *C)
{
  for (int b = 0; b < count; b++, X += 9) {
    for (; *to < rows[b]; to++) C += 9;
    const triple x[3] = {triple_load_wide(X), triple_load_wide(X + 3), triple_load_wide(X + 6)};
    triple c0 = triple_load_wide(C), c1 = triple_load_wide(C + 3), c2 = triple_load_wide(C + 6);
    triple_store_wide(C, triple_minus(c0, times(x, T)));
    triple_store_wide(C + 3, triple_minus(c1, times(x, T + 3)));
    triple_store(C + 6, triple_minus(c2, times(x, T + 6)));
  }
}

const pl_small_factor_kernel PL_VARIANT(pl_small_factor_kernel) = {take_out};
