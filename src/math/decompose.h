/* Decompositions of 3x3 matrices (row-major), one or many; lanes_polar.h and lanes_jacobi.h say
 * how. A matrix gives the same bits alone, among many, and inside a batch of lanes. */
#ifndef PL_MATH_DECOMPOSE_H
#define PL_MATH_DECOMPOSE_H

/* F = R S: R the rotation closest to F, S symmetric. */
void pl_polar(const double F[9], double R[9], double S[9]);

/* F = U diag(sigma) V^T: U and V rotations, |sigma| descending, only sigma[2] may be negative. */
void pl_svd(const double F[9], double U[9], double sigma[3], double V[9]);

/* A = Q diag(values) Q^T: Q a rotation, values descending. Reads the upper triangle of A. */
void pl_eigen(const double A[9], double values[3], double Q[9]);

/* The same for count matrices, one after the other in memory. */
void pl_polar_many(const double *F, int count, double *R, double *S);
void pl_svd_many(const double *F, int count, double *U, double *sigma, double *V);
void pl_eigen_many(const double *A, int count, double *values, double *Q);

/* The variants behind them, for this and that instruction set. */
#define PL_DECOMPOSITIONS(variant)                                                                 \
  void pl_polar_many_##variant(const double *F, int count, double *R, double *S);                  \
  void pl_svd_many_##variant(const double *F, int count, double *U, double *sigma, double *V);     \
  void pl_eigen_many_##variant(const double *A, int count, double *values, double *Q);
PL_DECOMPOSITIONS(base)
PL_DECOMPOSITIONS(avx2)

#endif
