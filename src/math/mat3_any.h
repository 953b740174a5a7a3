/* 3x3 matrices, row-major, of any type of number: included by mat3.h for double and by lanes_mat3.h
 * for four matrices at once, so that both make the same operations in the same order.
 *
 * Before including, define PL_NUMBER as the type and PL_NAME(name) as the function's full name.
 * Unless said otherwise, out may not be one of the operands. */

/* out = A B */
PL_INLINE void PL_NAME(multiply)(const PL_NUMBER *A, const PL_NUMBER *B, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
}

/* out = A^T B */
PL_INLINE void PL_NAME(multiply_tn)(const PL_NUMBER *A, const PL_NUMBER *B, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
  }
}

/* out = A B^T */
PL_INLINE void PL_NAME(multiply_nt)(const PL_NUMBER *A, const PL_NUMBER *B, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      out[3 * i + j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
  }
}

/* out = A a */
PL_INLINE void PL_NAME(apply)(const PL_NUMBER *A, const PL_NUMBER *a, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) out[i] = A[3 * i] * a[0] + A[3 * i + 1] * a[1] + A[3 * i + 2] * a[2];
}

/* out = A^T a */
PL_INLINE void PL_NAME(apply_t)(const PL_NUMBER *A, const PL_NUMBER *a, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) out[i] = A[i] * a[0] + A[3 + i] * a[1] + A[6 + i] * a[2];
}

/* out = (A + A^T) / 2; out may be A. */
PL_INLINE void PL_NAME(symmetric)(const PL_NUMBER *A, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) {
    out[4 * i] = A[4 * i];
    for (int j = i + 1; j < 3; j++)
      out[3 * i + j] = out[3 * j + i] = 0.5 * (A[3 * i + j] + A[3 * j + i]);
  }
}

/* The vector a of the skew matrix A - A^T: (A - A^T) b = a x b. */
PL_INLINE void PL_NAME(axial)(const PL_NUMBER *A, PL_NUMBER *out)
{
  out[0] = A[7] - A[5];
  out[1] = A[2] - A[6];
  out[2] = A[3] - A[1];
}

/* A : B, the sum of the products of entries. */
PL_INLINE PL_NUMBER PL_NAME(dot)(const PL_NUMBER *A, const PL_NUMBER *B)
{
  PL_NUMBER rows[3];
  for (int i = 0; i < 3; i++)
    rows[i] = A[3 * i] * B[3 * i] + A[3 * i + 1] * B[3 * i + 1] + A[3 * i + 2] * B[3 * i + 2];
  return rows[0] + rows[1] + rows[2];
}

/* The matrix of cofactors, det(A) A^-T; returns det(A). */
PL_INLINE PL_NUMBER PL_NAME(cofactors)(const PL_NUMBER *A, PL_NUMBER *out)
{
  for (int i = 0; i < 3; i++) {
    const PL_NUMBER *a = A + 3 * ((i + 1) % 3), *b = A + 3 * ((i + 2) % 3);
    out[3 * i] = a[1] * b[2] - a[2] * b[1];
    out[3 * i + 1] = a[2] * b[0] - a[0] * b[2];
    out[3 * i + 2] = a[0] * b[1] - a[1] * b[0];
  }
  return A[0] * out[0] + A[1] * out[1] + A[2] * out[2];
}

#undef PL_NUMBER
#undef PL_NAME
