/* Polar decomposition, singular values and eigenvalues of a million matrices: random, rotations,
 * flat, line-like, zero, inverted, nearly so, and from 1e-300 to 1e150 in size. */
#include "core/cpu.h"
#include "math/decompose.h"
#include "math/lanes_jacobi.h"
#include "math/lanes_polar.h"
#include "math/lanes_stretches.h"
#include "math/mat3.h"
#include "test.h"

enum { BATCH = 1000, BATCHES = 1000, KINDS = 12 };

/* Orthogonality and reconstruction; what is reached is about ten times better. */
static const double tolerance = 1e-13;

static double largest(const double *values, int count)
{
  double max = 0;
  for (int i = 0; i < count; i++) max = fmax(max, fabs(values[i]));
  return max;
}

static void random_matrix(double out[9])
{
  for (int i = 0; i < 9; i++) out[i] = test_uniform();
}

/* A rotation from a random quaternion, so that no tested code makes the test's matrices. */
static void random_rotation(double out[9])
{
  double q[4], norm = 0;
  for (int i = 0; i < 4; i++) {
    q[i] = test_uniform();
    norm += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++) q[i] /= sqrt(norm);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(out, R, sizeof R);
}

static void matrix_of(const double sigma[3], double out[9])
{
  double U[9], V[9];
  random_rotation(U);
  random_rotation(V);
  for (int i = 0; i < 9; i++) U[i] *= sigma[i % 3];
  pl_mat3_multiply_nt(U, V, out);
}

/* Matrices with small whole entries: exact zeros, ties, signed zeros and permutations. */
static void whole_matrix(double out[9])
{
  for (int i = 0; i < 9; i++) out[i] = (double)(int)(2.5 * test_uniform());
}

static void matrix_of_kind(int kind, double out[9])
{
  double a = test_uniform(), b = test_uniform(), tiny = pow(10, -16 * fabs(test_uniform()));
  double sigma[3] = {a, b, test_uniform()};
  switch (kind) {
  case 0:
    random_matrix(out);
    return;
  case 1:
    random_rotation(out);
    return;
  case 2:
    whole_matrix(out);
    return;
  case 3: // a deformed element
    random_matrix(out);
    for (int i = 0; i < 9; i++) out[i] = 0.3 * out[i] + (i % 4 == 0);
    return;
  case 4:
    sigma[2] = 0;
    break;
  case 5:
    sigma[1] = sigma[2] = 0;
    break;
  case 6:
    sigma[0] = sigma[1] = sigma[2] = 0;
    break;
  case 7:
    sigma[2] = -b;
    break;
  case 8:
    sigma[2] = -b * (1 + tiny);
    break;
  case 9:
    sigma[1] *= tiny, sigma[2] *= tiny * tiny;
    break;
  case 10:
    sigma[0] = sigma[1] = 1, sigma[2] = -1;
    break;
  default:
    sigma[1] = a * (1 + tiny), sigma[2] = a * (1 - tiny);
    break;
  }
  matrix_of(sigma, out);
}

static void fill_batch(int batch, double *F)
{
  static const double scales[5] = {1, 1e-300, 1e150, 1e-30, 1e12};
  for (int i = 0; i < BATCH; i++) {
    matrix_of_kind(i % KINDS, F + 9 * i);
    double scale = batch % 2 ? 1 : scales[batch / 2 % 5];
    for (int k = 0; k < 9; k++) F[9 * i + k] *= scale;
  }
}

/* How far Q is from a rotation. */
static double rotation_error(const double Q[9])
{
  double QtQ[9];
  pl_mat3_multiply_tn(Q, Q, QtQ);
  for (int i = 0; i < 9; i += 4) QtQ[i] -= 1;
  return fmax(largest(QtQ, 9), fabs(pl_mat3_det(Q) - 1));
}

/* |A diag(d) B^T - F| / |F| */
static double product_error(const double *A, const double *d, const double *B, const double *F)
{
  double scaled[9], product[9];
  for (int i = 0; i < 9; i++) scaled[i] = A[i] * d[i % 3];
  pl_mat3_multiply_nt(scaled, B, product);
  for (int i = 0; i < 9; i++) product[i] -= F[i];
  double size = largest(F, 9);
  return size > 0 ? largest(product, 9) / size : largest(product, 9);
}

TEST(polar_of_a_million_matrices)
{
  static double F[9 * BATCH], R[9 * BATCH], S[9 * BATCH];
  const double ones[3] = {1, 1, 1};
  double rotation = 0, product = 0;
  int skew = 0;
  for (int batch = 0; batch < BATCHES; batch++) {
    fill_batch(batch, F);
    pl_polar_many(F, BATCH, R, S);
    for (int i = 0; i < 9 * BATCH; i += 9) {
      double *s = S + i;
      rotation = fmax(rotation, rotation_error(R + i));
      product = fmax(product, product_error(R + i, ones, s, F + i));
      skew += s[1] != s[3] || s[2] != s[6] || s[5] != s[7];
    }
  }
  CHECK_NEAR(rotation, 0, tolerance);
  CHECK_NEAR(product, 0, tolerance);
  CHECK(skew == 0);
}

/* The eigenvalues of S: as the rule of signs of the closest rotation has them. */
TEST(polar_stretch_has_the_right_signs)
{
  for (int i = 0; i < 20000; i++) {
    double F[9], R[9], S[9], values[3], Q[9];
    matrix_of_kind(i % KINDS, F);
    pl_polar(F, R, S);
    pl_eigen(S, values, Q);
    CHECK(values[1] >= -tolerance && values[1] + values[2] >= -tolerance);
  }
}

TEST(no_rotation_is_closer)
{
  for (int i = 0; i < 3000; i++) {
    double F[9], R[9], S[9], Q[9];
    matrix_of_kind(i % KINDS, F);
    pl_polar(F, R, S);
    for (int k = 0; k < 50; k++) {
      // far away, and near R where a wrong R would lose
      random_rotation(Q);
      if (k % 2) {
        double A[9], turned[9], unused[9];
        for (int n = 0; n < 9; n++) A[n] = (n % 4 == 0) + 1e-3 * test_uniform();
        pl_polar(A, turned, unused);
        pl_mat3_multiply(R, turned, Q);
      }
      CHECK(pl_mat3_dot(R, F) >= pl_mat3_dot(Q, F) - tolerance);
    }
  }
}

TEST(polar_of_what_is_known)
{
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9] = {0};
  double R[9], S[9];
  pl_polar(identity, R, S);
  CHECK(memcmp(R, identity, sizeof R) == 0 && memcmp(S, identity, sizeof S) == 0);
  pl_polar(zero, R, S);
  CHECK(memcmp(R, identity, sizeof R) == 0 && largest(S, 9) == 0);

  // a quarter turn about z of a body pressed flat in z, and pushed through
  for (int i = 0; i < 3; i++) {
    double depth = 0.3 * (1 - i);
    const double F[9] = {0, -1.5, 0, 2, 0, 0, 0, 0, depth};
    const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    pl_polar(F, R, S);
    for (int k = 0; k < 9; k++) CHECK_NEAR(R[k], turn[k], 1e-15);
    CHECK_NEAR(S[0], 2, 1e-15);
    CHECK_NEAR(S[4], 1.5, 1e-15);
    CHECK_NEAR(S[8], depth, 1e-15);
  }

  // a point that is not a number stays one
  const double broken[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1};
  pl_polar(broken, R, S);
  CHECK(isnan(S[0]));
}

/* Between the two ways to find R there is no jump. */
TEST(polar_is_continuous_where_the_method_changes)
{
  double U[9], V[9], before[9] = {0};
  random_rotation(U);
  random_rotation(V);
  for (int i = 0; i <= 2000; i++) {
    const double sigma[3] = {1, 0.3, -0.3 + 0.3 * i / 2000 + 1e-4};
    double A[9], F[9], R[9], S[9];
    for (int k = 0; k < 9; k++) A[k] = U[k] * sigma[k % 3];
    pl_mat3_multiply_nt(A, V, F);
    pl_polar(F, R, S);
    if (i > 0) {
      for (int k = 0; k < 9; k++) CHECK_NEAR(R[k], before[k], 1e-11);
    }
    memcpy(before, R, sizeof R);
  }
}

TEST(svd_of_a_million_matrices)
{
  static double F[9 * BATCH], U[9 * BATCH], sigma[3 * BATCH], V[9 * BATCH];
  double rotation = 0, product = 0;
  int disorder = 0;
  for (int batch = 0; batch < BATCHES; batch++) {
    fill_batch(batch, F);
    pl_svd_many(F, BATCH, U, sigma, V);
    for (int i = 0; i < BATCH; i++) {
      const double *s = sigma + 3 * i;
      rotation = fmax(rotation, fmax(rotation_error(U + 9 * i), rotation_error(V + 9 * i)));
      product = fmax(product, product_error(U + 9 * i, s, V + 9 * i, F + 9 * i));
      double slack = tolerance * s[0];
      disorder += !(s[0] + slack >= s[1] && s[1] + slack >= fabs(s[2]) && s[1] >= 0);
    }
  }
  CHECK_NEAR(rotation, 0, tolerance);
  CHECK_NEAR(product, 0, tolerance);
  CHECK(disorder == 0);
}

/* Stretches without an iteration, in lanes; those far from 1 in size have no squares. */
TEST(stretches_of_many_matrices)
{
  static double F[9 * BATCH];
  double rotation = 0, product = 0;
  int tried = 0, disorder = 0;
  for (int batch = 0; batch < BATCHES / 10; batch++) {
    fill_batch(batch, F);
    for (int i = 0; i < 9 * BATCH; i += 9) {
      pl_lanes A[9], U[9], s[3], V[9];
      double u[9], v[9], sigma[3], size = largest(F + i, 9);
      if (size > 0 && !(size > 1e-100 && size < 1e60)) continue;
      for (int k = 0; k < 9; k++) A[k] = pl_lanes_all(F[i + k]);
      pl_lanes_stretches(A, U, s, V);
      for (int k = 0; k < 9; k++) u[k] = U[k][0], v[k] = V[k][0];
      for (int k = 0; k < 3; k++) sigma[k] = s[k][0];
      rotation = fmax(rotation, fmax(rotation_error(u), rotation_error(v)));
      product = fmax(product, product_error(u, sigma, v, F + i));
      // only the least may be negative
      for (int k = 0; k < 3; k++)
        disorder += sigma[k] < -fabs(sigma[(k + 1) % 3]) - tolerance * size;
      tried++;
    }
  }
  CHECK(tried > BATCHES * BATCH / 20);
  CHECK_NEAR(rotation, 0, tolerance);
  CHECK_NEAR(product, 0, tolerance);
  CHECK(disorder == 0);
}

/* One-sided rotations keep the digits of small singular values of graded columns. */
TEST(svd_keeps_small_values)
{
  double F[9], U[9], V[9], sigma[3];
  random_rotation(F);
  const double sizes[3] = {1, 1e-12, -1e-20};
  for (int i = 0; i < 9; i++) F[i] *= sizes[i % 3];
  pl_svd(F, U, sigma, V);
  for (int i = 0; i < 3; i++) CHECK_NEAR(sigma[i] / sizes[i], 1, 1e-14);
}

TEST(eigen_of_a_million_matrices)
{
  static double A[9 * BATCH], values[3 * BATCH], Q[9 * BATCH];
  double rotation = 0, product = 0;
  int disorder = 0;
  for (int batch = 0; batch < BATCHES; batch++) {
    fill_batch(batch, A);
    for (int i = 0; i < 9 * BATCH; i += 9) pl_mat3_symmetric(A + i, A + i);
    pl_eigen_many(A, BATCH, values, Q);
    for (int i = 0; i < BATCH; i++) {
      const double *w = values + 3 * i, *q = Q + 9 * i;
      rotation = fmax(rotation, rotation_error(q));
      product = fmax(product, product_error(q, w, q, A + 9 * i));
      disorder += !(w[0] >= w[1] && w[1] >= w[2]);
    }
  }
  CHECK_NEAR(rotation, 0, tolerance);
  CHECK_NEAR(product, 0, tolerance);
  CHECK(disorder == 0);
}

/* All three decompositions of a batch, bit for bit comparable. */
typedef struct results {
  double R[9 * BATCH], S[9 * BATCH], U[9 * BATCH], sigma[3 * BATCH], V[9 * BATCH];
  double values[3 * BATCH], Q[9 * BATCH];
} results;

static results first, second;

TEST(one_by_one_gives_the_same_bits_as_many)
{
  static double F[9 * BATCH];
  for (int batch = 0; batch < 20; batch++) {
    fill_batch(batch, F);
    // an odd count leaves lanes empty at the end
    int count = BATCH - batch % 4;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    pl_polar_many(F, count, first.R, first.S);
    pl_svd_many(F, count, first.U, first.sigma, first.V);
    pl_eigen_many(F, count, first.values, first.Q);
    for (int i = 0; i < count; i++) {
      pl_polar(F + 9 * i, second.R + 9 * i, second.S + 9 * i);
      pl_svd(F + 9 * i, second.U + 9 * i, second.sigma + 3 * i, second.V + 9 * i);
      pl_eigen(F + 9 * i, second.values + 3 * i, second.Q + 9 * i);
    }
    CHECK(memcmp(&first, &second, sizeof first) == 0);
  }
}

/* The inlined kernels, compiled into this program, against the library's. */
TEST(inlined_kernels_give_the_same_bits)
{
  int different = 0;
  for (int i = 0; i < 20000; i++) {
    double F[PL_LANES][9], R[9], S[9];
    pl_lanes f[9], r[9], s[9];
    for (int lane = 0; lane < PL_LANES; lane++) {
      matrix_of_kind((int)(test_random() % KINDS), F[lane]);
      for (int k = 0; k < 9; k++) f[k] = lane ? f[k] : pl_lanes_all(0);
      for (int k = 0; k < 9; k++) f[k][lane] = F[lane][k];
    }
    pl_lanes_polar(f, r);
    pl_lanes_stretch(f, r, s);
    for (int lane = 0; lane < PL_LANES; lane++) {
      pl_polar(F[lane], R, S);
      for (int k = 0; k < 9; k++) {
        double inlined[2] = {r[k][lane], s[k][lane]}, called[2] = {R[k], S[k]};
        different += memcmp(inlined, called, sizeof called) != 0;
      }
    }
  }
  CHECK(different == 0);
}

TEST(variants_give_the_same_bits)
{
#if PL_HAS_AVX2_VARIANT
  static double F[9 * BATCH];
  if (!pl_cpu_has_avx2()) return;
  for (int batch = 0; batch < 100; batch++) {
    fill_batch(batch, F);
    pl_polar_many_base(F, BATCH, first.R, first.S);
    pl_svd_many_base(F, BATCH, first.U, first.sigma, first.V);
    pl_eigen_many_base(F, BATCH, first.values, first.Q);
    pl_polar_many_avx2(F, BATCH, second.R, second.S);
    pl_svd_many_avx2(F, BATCH, second.U, second.sigma, second.V);
    pl_eigen_many_avx2(F, BATCH, second.values, second.Q);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
  }
#endif
}

TEST(scalar_matrices)
{
  double A[9], inverse[9], product[9], a[3], b[3], c[3];
  random_matrix(A);
  CHECK_NEAR(pl_mat3_inverse(A, inverse), pl_mat3_det(A), 0);
  pl_mat3_multiply(A, inverse, product);
  for (int i = 0; i < 9; i++) CHECK_NEAR(product[i], i % 4 == 0, 1e-12);

  // axial: (A - A^T) b = a x b
  for (int i = 0; i < 3; i++) b[i] = test_uniform();
  pl_mat3_axial(A, a);
  pl_mat3_apply(A, b, c);
  pl_mat3_apply_t(A, b, product);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    CHECK_NEAR(c[i] - product[i], a[j] * b[k] - a[k] * b[j], 1e-15);
  }

  // a singular matrix has no inverse and says so
  const double flat[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  inverse[0] = 7;
  CHECK(pl_mat3_inverse(flat, inverse) == 0 && inverse[0] == 7);
}

TESTS(X(polar_of_a_million_matrices) X(polar_stretch_has_the_right_signs) X(no_rotation_is_closer)
          X(polar_of_what_is_known) X(polar_is_continuous_where_the_method_changes)
              X(svd_of_a_million_matrices) X(svd_keeps_small_values) X(stretches_of_many_matrices)
                  X(eigen_of_a_million_matrices) X(one_by_one_gives_the_same_bits_as_many)
                      X(inlined_kernels_give_the_same_bits) X(variants_give_the_same_bits)
                          X(scalar_matrices))
