/* Quaternions and dual quaternions of any type of number: included for double and for four at once.
 * A quaternion is [x y z w], a dual one the real part and then the dual part, with the product
 * (p0, pe) (r0, re) = (p0 r0, p0 re + pe r0).
 *
 * Before including, define PL_NUMBER as the type and PL_NAME(name) as the function's full name. out
 * may not be one of the operands. */

PL_INLINE void PL_NAME(multiply)(const PL_NUMBER *a, const PL_NUMBER *b, PL_NUMBER *out)
{
  out[0] = a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1];
  out[1] = a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2];
  out[2] = a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0];
  out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

PL_INLINE void PL_NAME(dual_multiply)(const PL_NUMBER *a, const PL_NUMBER *b, PL_NUMBER *out)
{
  PL_NUMBER other[4];
  PL_NAME(multiply)(a, b, out);
  PL_NAME(multiply)(a, b + 4, out + 4);
  PL_NAME(multiply)(a + 4, b, other);
  for (int k = 0; k < 4; k++) out[4 + k] += other[k];
}

/* The inverse as a dual number: that of the norm n2 + eps m2 is 1/n2 - eps m2/n2^2. */
PL_INLINE void PL_NAME(dual_inverse)(const PL_NUMBER *b, PL_NUMBER *out)
{
  PL_NUMBER n2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3], r = 1.0 / n2;
  PL_NUMBER m2 = 2.0 * (b[0] * b[4] + b[1] * b[5] + b[2] * b[6] + b[3] * b[7]) * r;
  for (int k = 0; k < 4; k++) {
    out[k] = b[k] * r;
    out[4 + k] = b[4 + k] * r - m2 * out[k];
    if (k == 3) continue;
    out[k] = -out[k];
    out[4 + k] = -out[4 + k];
  }
}

/* The motion x -> R x + t of a dual quaternion of any length. */
PL_INLINE void PL_NAME(dual_motion)(const PL_NUMBER *b, PL_NUMBER *R, PL_NUMBER *t)
{
  PL_NUMBER n2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3], r = 2.0 / n2;
  PL_NUMBER x = r * b[0], y = r * b[1], z = r * b[2], w = r * b[3];
  R[0] = 1.0 - (y * b[1] + z * b[2]);
  R[1] = x * b[1] - z * b[3];
  R[2] = x * b[2] + y * b[3];
  R[3] = x * b[1] + z * b[3];
  R[4] = 1.0 - (x * b[0] + z * b[2]);
  R[5] = y * b[2] - x * b[3];
  R[6] = x * b[2] - y * b[3];
  R[7] = y * b[2] + x * b[3];
  R[8] = 1.0 - (x * b[0] + y * b[1]);
  t[0] = w * b[4] - b[7] * x + y * b[6] - z * b[5];
  t[1] = w * b[5] - b[7] * y + z * b[4] - x * b[6];
  t[2] = w * b[6] - b[7] * z + x * b[5] - y * b[4];
}

#undef PL_NUMBER
#undef PL_NAME
