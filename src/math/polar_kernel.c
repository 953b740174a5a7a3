/* Decompositions of many 3x3 matrices, four at a time, and the polar factor of the few that
 * lanes_polar.h leaves over. */
#include "math/decompose.h"
#include "math/lanes_jacobi.h"
#include "math/lanes_polar.h"

void PL_VARIANT(pl_polar_rescue)(const pl_lanes *F, const pl_mask *fine, pl_lanes *R)
{
  pl_lanes U[9], sigma[3], V[9], UVt[9];
  pl_lanes_svd(F, U, sigma, V);
  pl_lanes_mat3_multiply_nt(U, V, UVt);
  for (int i = 0; i < 9; i++) R[i] = pl_lanes_pick(*fine, R[i], UVt[i]);
}

/* Four matrices from the first one on; the last of all fills the lanes past the end. */
static void gather(const double *from, int first, int count, pl_lanes *to)
{
  const double *matrices[PL_LANES];
  for (int lane = 0; lane < PL_LANES; lane++)
    matrices[lane] = from + 9 * (size_t)(first + lane < count ? first + lane : count - 1);
  for (int i = 0; i < 9; i++)
    to[i] = (pl_lanes){matrices[0][i], matrices[1][i], matrices[2][i], matrices[3][i]};
}

/* The inverse, for items of size numbers each; lanes past the end go nowhere. */
static void scatter(const pl_lanes *from, int size, int first, int count, double *to)
{
  for (int lane = 0; lane < PL_LANES && first + lane < count; lane++) {
    for (int i = 0; i < size; i++)
      to[(size_t)(first + lane) * (size_t)size + (size_t)i] = from[i][lane];
  }
}

void PL_VARIANT(pl_polar_many)(const double *F, int count, double *R, double *S)
{
  for (int i = 0; i < count; i += PL_LANES) {
    pl_lanes f[9], r[9], s[9];
    gather(F, i, count, f);
    pl_lanes_polar(f, r);
    pl_lanes_stretch(f, r, s);
    scatter(r, 9, i, count, R);
    scatter(s, 9, i, count, S);
  }
}

void PL_VARIANT(pl_svd_many)(const double *F, int count, double *U, double *sigma, double *V)
{
  for (int i = 0; i < count; i += PL_LANES) {
    pl_lanes f[9], u[9], s[3], v[9];
    gather(F, i, count, f);
    pl_lanes_svd(f, u, s, v);
    scatter(u, 9, i, count, U);
    scatter(s, 3, i, count, sigma);
    scatter(v, 9, i, count, V);
  }
}

void PL_VARIANT(pl_eigen_many)(const double *A, int count, double *values, double *Q)
{
  for (int i = 0; i < count; i += PL_LANES) {
    pl_lanes a[9], w[3], q[9];
    gather(A, i, count, a);
    pl_lanes_eigen(a, w, q);
    scatter(w, 3, i, count, values);
    scatter(q, 9, i, count, Q);
  }
}
