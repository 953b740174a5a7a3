/* Vectors, 3x3 matrices, tensors and dual quaternions: every entry beside sums that are written out
 * by index, and the laws that they obey. */
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/tensor.h"

#include "math/lanes_mat3.h"
#include "test.h"

#define PL_NUMBER     double
#define PL_NAME(name) quat_##name
#include "math/dual_any.h"

enum { ROUNDS = 200 };

static void fill(double *values, int count)
{
  for (int i = 0; i < count; i++) values[i] = test_uniform();
}

static void check_same(const double *found, const double *wanted, int count, double tolerance)
{
  for (int i = 0; i < count; i++) CHECK_NEAR(found[i], wanted[i], tolerance);
}

TEST(vectors_add_up)
{
  double a[3], b[3], out[3], epsilon[3] = {0, 0, 0};
  fill(a, 3);
  fill(b, 3);
  pl_vec3_set(out, 1, 2, 3);
  CHECK(out[0] == 1 && out[1] == 2 && out[2] == 3);
  pl_vec3_add(a, b, out);
  check_same(out, (double[]){a[0] + b[0], a[1] + b[1], a[2] + b[2]}, 3, 0);
  pl_vec3_sub(a, b, out);
  check_same(out, (double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]}, 3, 0);
  pl_vec3_add_scaled(2, b, out);
  check_same(out, (double[]){a[0] + b[0], a[1] + b[1], a[2] + b[2]}, 3, 1e-15);
  CHECK_NEAR(pl_vec3_distance(a, b) * pl_vec3_distance(a, b),
             pl_vec3_dot(a, a) - 2 * pl_vec3_dot(a, b) + pl_vec3_dot(b, b), 1e-14);
  // by the permutation symbol; out may be an operand
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    epsilon[i] = a[j] * b[k] - a[k] * b[j];
  }
  pl_vec3_cross(a, b, a);
  check_same(a, epsilon, 3, 0);
}

/* A, B and their transposes by index. */
TEST(products_of_matrices)
{
  for (int round = 0; round < ROUNDS; round++) {
    double A[9], B[9], a[3], out[9], nn[9] = {0}, tn[9] = {0}, nt[9] = {0}, n[3] = {0}, t[3] = {0};
    double dot = 0;
    fill(A, 9);
    fill(B, 9);
    fill(a, 3);
    for (int i = 0; i < 27; i++) {
      int r = i / 9, c = i / 3 % 3, k = i % 3;
      nn[3 * r + c] += A[3 * r + k] * B[3 * k + c];
      tn[3 * r + c] += A[3 * k + r] * B[3 * k + c];
      nt[3 * r + c] += A[3 * r + k] * B[3 * c + k];
    }
    for (int i = 0; i < 9; i++) {
      n[i / 3] += A[i] * a[i % 3];
      t[i % 3] += A[i] * a[i / 3];
      dot += A[i] * B[i];
    }
    pl_mat3_multiply(A, B, out);
    check_same(out, nn, 9, 1e-15);
    pl_mat3_multiply_tn(A, B, out);
    check_same(out, tn, 9, 1e-15);
    pl_mat3_multiply_nt(A, B, out);
    check_same(out, nt, 9, 1e-15);
    pl_mat3_apply(A, a, out);
    check_same(out, n, 3, 1e-15);
    pl_mat3_apply_t(A, a, out);
    check_same(out, t, 3, 1e-15);
    CHECK_NEAR(pl_mat3_dot(A, B), dot, 2e-15);
  }
}

TEST(parts_and_inverse_of_a_matrix)
{
  for (int round = 0; round < ROUNDS; round++) {
    double A[9], S[9], axial[3], b[3], turned[3], cross[3], inverse[9], one[9], C[9];
    fill(A, 9);
    fill(b, 3);
    pl_mat3_symmetric(A, S);
    for (int i = 0; i < 9; i++) CHECK_NEAR(S[i], 0.5 * (A[i] + A[3 * (i % 3) + i / 3]), 1e-16);
    pl_mat3_axial(A, axial);
    for (int i = 0; i < 9; i++) S[i] = A[i] - A[3 * (i % 3) + i / 3];
    pl_mat3_apply(S, b, turned);
    pl_vec3_cross(axial, b, cross);
    check_same(turned, cross, 3, 1e-15);
    double det = pl_mat3_inverse(A, inverse);
    pl_mat3_multiply(A, inverse, one);
    for (int i = 0; i < 9; i++) CHECK_NEAR(one[i], i % 4 == 0, 1e-13 / fabs(det));
    CHECK_NEAR(pl_mat3_det(A), det, 0);
    CHECK_NEAR(pl_mat3_cofactors(A, C), det, 0);
    for (int i = 0; i < 9; i++)
      CHECK_NEAR(C[i], det * inverse[3 * (i % 3) + i / 3], 1e-14 * (1 + fabs(det)));
  }
  const double flat[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1}, huge[9] = {1e200, 0, 0, 0, 1e200, 0, 0, 0, 1};
  double kept[9] = {7};
  CHECK(pl_mat3_inverse(flat, kept) == 0 && kept[0] == 7);
  CHECK(!isfinite(pl_mat3_inverse(huge, kept)) && kept[0] == 7);
}

/* Simple tension, pure shear and pressure by hand; S by E's work: sigma : d = S : dE / J. */
TEST(tensors_of_a_deformation)
{
  const double pull[9] = {5, 0, 0, 0, 0, 0, 0, 0, 0}, shear[9] = {0, 2, 0, 2, 0, 0, 0, 0, 0};
  const double all[9] = {-3, 0, 0, 0, -3, 0, 0, 0, -3},
               out_of_plane[9] = {0, 0, 1, 0, 0, 2, 1, 2, 0};
  CHECK_NEAR(pl_von_mises(pull), 5, 1e-15);
  CHECK_NEAR(pl_von_mises(shear), 2 * sqrt(3), 1e-15);
  CHECK_NEAR(pl_von_mises(out_of_plane), sqrt(15), 1e-15);
  CHECK_NEAR(pl_von_mises(all), 0, 0);
  CHECK_NEAR(pl_pressure(all), 3, 0);
  CHECK_NEAR(pl_pressure(pull), -5.0 / 3, 1e-15);
  for (int round = 0; round < ROUNDS; round++) {
    double F[9], G[9], H[9], sigma[9], S[9], E[2][9], inverse[9], L[9], small = 1e-6;
    fill(F, 9);
    fill(H, 9);
    fill(sigma, 9);
    for (int i = 0; i < 9; i++) F[i] = 0.3 * F[i] + (i % 4 == 0);
    pl_mat3_symmetric(sigma, sigma);
    pl_second_piola(F, sigma, S);
    for (int i = 0; i < 9; i++) G[i] = F[i] + small * H[i];
    pl_green(G, E[1]);
    for (int i = 0; i < 9; i++) G[i] = F[i] - small * H[i];
    pl_green(G, E[0]);
    for (int i = 0; i < 9; i++) E[1][i] = (E[1][i] - E[0][i]) / (2 * small);
    double J = pl_mat3_inverse(F, inverse);
    pl_mat3_multiply(H, inverse, L); // the velocity's gradient
    CHECK_NEAR(J * pl_mat3_dot(sigma, L), pl_mat3_dot(S, E[1]), 1e-8);
  }
  const double flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
  double S[9] = {1};
  pl_second_piola(flat, pull, S);
  check_same(S, (double[9]){0}, 9, 0);
}

TEST(symmetric_matrices_in_six_numbers)
{
  pl_lanes A[9], B[9], six[6], other[6], back[9];
  for (int i = 0; i < 9; i++) {
    A[i] = pl_lanes_all(test_uniform());
    B[i] = pl_lanes_all(test_uniform());
  }
  pl_lanes_mat3_symmetric(A, A);
  pl_lanes_mat3_symmetric(B, B);
  pl_lanes_mat3_pack(A, six);
  pl_lanes_mat3_pack(B, other);
  pl_lanes_mat3_unpack(six, back);
  for (int i = 0; i < 9; i++) CHECK(back[i][2] == A[i][2]);
  CHECK_NEAR(pl_lanes_dot6(six, other)[1], pl_lanes_mat3_dot(A, B)[1], 1e-15);
  pl_lanes a[3], b[3], cross[3];
  double wanted[3], x[3], y[3];
  for (int i = 0; i < 3; i++) {
    a[i] = A[i], b[i] = B[3 + i];
    x[i] = A[i][0], y[i] = B[3 + i][0];
  }
  pl_lanes_cross3(a, b, cross);
  pl_vec3_cross(x, y, wanted);
  for (int i = 0; i < 3; i++) CHECK(cross[i][3] == wanted[i]);
  CHECK_NEAR(pl_lanes_dot3(a, b)[0], pl_vec3_dot(x, y), 0);
}

/* A dual quaternion of the motion x -> R x + t, times any length: (q, t q / 2). */
static void dual_of_motion(const double q[4], const double t[3], double length, double out[8])
{
  const double half[4] = {0.5 * t[0], 0.5 * t[1], 0.5 * t[2], 0};
  double dual[4];
  pl_quat_multiply(half, q, dual);
  for (int k = 0; k < 4; k++) out[k] = length * q[k], out[4 + k] = length * dual[k];
}

TEST(dual_quaternions_are_motions)
{
  for (int round = 0; round < ROUNDS; round++) {
    double r[2][3], q[2][4], t[2][3], d[2][8], R[2][9], found[9], shift[3], x[3], y[3], z[3];
    double product[8], inverse[8], one[8], plain[4], again[4];
    for (int k = 0; k < 2; k++) {
      fill(r[k], 3);
      fill(t[k], 3);
      pl_quat_of_vector(r[k], q[k]);
      pl_quat_matrix(q[k], R[k]);
      dual_of_motion(q[k], t[k], k ? 1.7 : 0.4, d[k]);
      quat_dual_motion(d[k], found, shift);
      check_same(found, R[k], 9, 2e-15);
      check_same(shift, t[k], 3, 4e-15);
    }
    quat_multiply(q[0], q[1], plain);
    pl_quat_multiply(q[0], q[1], again);
    check_same(plain, again, 4, 1e-15);
    // one motion after the other
    quat_dual_multiply(d[0], d[1], product);
    quat_dual_motion(product, found, shift);
    fill(x, 3);
    pl_mat3_apply(R[1], x, y);
    pl_vec3_add(y, t[1], y);
    pl_mat3_apply(R[0], y, z);
    pl_vec3_add(z, t[0], z);
    pl_mat3_apply(found, x, y);
    pl_vec3_add(y, shift, y);
    check_same(y, z, 3, 1e-14);
    // a dual number of any length, not a motion only
    fill(d[0] + 4, 4);
    quat_dual_inverse(d[0], inverse);
    quat_dual_multiply(d[0], inverse, one);
    check_same(one, (double[8]){0, 0, 0, 1}, 8, 1e-14);
  }
}

TESTS(X(vectors_add_up) X(products_of_matrices) X(parts_and_inverse_of_a_matrix)
          X(tensors_of_a_deformation) X(symmetric_matrices_in_six_numbers)
              X(dual_quaternions_are_motions))
