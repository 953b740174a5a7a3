/* Decompositions with the instruction set of this processor. */
#include "math/decompose.h"

#include "core/cpu.h"

void pl_polar_many(const double *F, int count, double *R, double *S)
{
  PL_PICK_VARIANT(pl_polar_many)(F, count, R, S);
}

void pl_svd_many(const double *F, int count, double *U, double *sigma, double *V)
{
  PL_PICK_VARIANT(pl_svd_many)(F, count, U, sigma, V);
}

void pl_eigen_many(const double *A, int count, double *values, double *Q)
{
  PL_PICK_VARIANT(pl_eigen_many)(A, count, values, Q);
}

void pl_polar(const double F[9], double R[9], double S[9]) { pl_polar_many(F, 1, R, S); }

void pl_svd(const double F[9], double U[9], double sigma[3], double V[9])
{
  pl_svd_many(F, 1, U, sigma, V);
}

void pl_eigen(const double A[9], double values[3], double Q[9]) { pl_eigen_many(A, 1, values, Q); }
