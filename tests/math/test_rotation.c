/* Rotations as vectors, quaternions and matrices. */
#include "math/rotation.h"

#include "test.h"

/* From a vector by its quaternion and matrix back, half turns and whole ones included. */
TEST(a_quaternion_is_found_from_its_matrix)
{
  static const double pi = 3.14159265358979323846;
  test_seed = 99;
  for (int k = 0; k < 2000; k++) {
    double r[3] = {test_uniform(), test_uniform(), test_uniform()}, q[4], R[9], found[4], again[9];
    double length = pl_vec3_norm(r), angle = k % 4 ? 2 * pi * fabs(test_uniform()) : pi;
    pl_vec3_scale(angle / length, r, r);
    pl_quat_of_vector(r, q);
    pl_quat_matrix(q, R);
    pl_quat_of_matrix(R, found);
    pl_quat_matrix(found, again);
    double dot = 0, worst = 0;
    for (int i = 0; i < 4; i++) dot += q[i] * found[i];
    for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(R[i] - again[i]));
    CHECK_NEAR(fabs(dot), 1, 1e-14);
    CHECK_NEAR(worst, 0, 1e-14);
  }
}

/* No turn at all is found without rounding. */
TEST(the_identity_is_exact)
{
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double q[4], r[3];
  pl_quat_of_matrix(one, q);
  pl_vector_of_quat(q, r);
  CHECK(q[3] == 1 && r[0] == 0 && r[1] == 0 && r[2] == 0);
}

/* A matrix is that of Rodrigues' formula, I + sin [n] + (1 - cos) [n]^2, and the vector comes back
 * with angles up to a whole turn. */
TEST(a_vector_turns_by_its_length)
{
  for (int k = 0; k < 500; k++) {
    double n[3] = {test_uniform(), test_uniform(), test_uniform()}, r[3], q[4], R[9], x[3], y[3];
    double angle = 6.28 * (k + 0.5) / 500, cross[3], again[3];
    pl_vec3_scale(1 / pl_vec3_norm(n), n, n);
    pl_vec3_scale(angle, n, r);
    pl_quat_of_vector(r, q);
    pl_quat_matrix(q, R);
    for (int i = 0; i < 3; i++) x[i] = test_uniform();
    pl_vec3_cross(n, x, cross);
    for (int i = 0; i < 3; i++) {
      y[i] =
          cos(angle) * x[i] + sin(angle) * cross[i] + (1 - cos(angle)) * pl_vec3_dot(n, x) * n[i];
      CHECK_NEAR(R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2], y[i], 2e-15);
    }
    pl_vector_of_quat(q, again);
    for (int i = 0; i < 3; i++) CHECK_NEAR(again[i], r[i], 2e-14);
    pl_vec3_scale(3, q, q), q[3] *= 3; // of any length
    pl_vector_of_quat(q, again);
    for (int i = 0; i < 3; i++) CHECK_NEAR(again[i], r[i], 2e-14);
  }
}

/* Where series stand in for quotients; a whole turn has an axis, though any would do. */
TEST(small_turns_and_a_whole_one)
{
  for (double angle = 1e-12; angle < 1e-2; angle *= 3) {
    const double r[3] = {angle, -2 * angle, 0.5 * angle};
    double q[4], back[3], half = 0.5 * pl_vec3_norm(r);
    pl_quat_of_vector(r, q);
    CHECK_NEAR(pl_vec3_norm(q) / sin(half), 1, 1e-13);
    CHECK_NEAR(q[3], cos(half), 1e-16);
    pl_vector_of_quat(q, back);
    for (int i = 0; i < 3; i++) CHECK_NEAR(back[i] / r[i], 1, 1e-13);
  }
  const double whole[4] = {0, 0, 0, -1};
  double r[3];
  pl_vector_of_quat(whole, r);
  CHECK_NEAR(pl_vec3_norm(r), 2 * 3.14159265358979323846, 1e-15);
}

/* Turning on and the turn between; the jacobian by differences of both. */
TEST(turns_follow_each_other)
{
  for (int k = 0; k < 500; k++) {
    double r[3], by[3], on[3], between[3], J[9], small = 1e-6;
    double size = k % 3 ? 1 : 2e-4; // also below where the jacobian takes series
    for (int i = 0; i < 3; i++) r[i] = size * test_uniform(), by[i] = test_uniform();
    pl_rotation_turn(r, by, on);
    pl_rotation_between(r, on, between);
    for (int i = 0; i < 3; i++) CHECK_NEAR(between[i], by[i], 4e-14);
    pl_rotation_jacobian(r, J);
    for (int c = 0; c < 3; c++) {
      double plus[3], minus[3], turn[2][3];
      pl_vec3_copy(r, plus);
      pl_vec3_copy(r, minus);
      plus[c] += small;
      minus[c] -= small;
      pl_rotation_between(r, plus, turn[1]);
      pl_rotation_between(r, minus, turn[0]);
      for (int i = 0; i < 3; i++)
        CHECK_NEAR((turn[1][i] - turn[0][i]) / (2 * small), J[3 * i + c], 1e-9);
    }
  }
}

/* About x the jacobian turns by the angle's mean: sin t / t and (1 - cos t) / t; its series too. */
TEST(the_jacobian_of_one_axis_has_a_closed_form)
{
  for (double t = 1e-4; t < 3; t *= 1.3) {
    double J[9], half = sin(t / 2);
    pl_rotation_jacobian((double[3]){t, 0, 0}, J);
    CHECK(J[0] == 1);
    CHECK_NEAR(J[4], sin(t) / t, 1e-15);
    CHECK_NEAR(fabs(J[7]), 2 * half * half / t, 1e-12);
  }
}

TESTS(X(a_quaternion_is_found_from_its_matrix) X(the_identity_is_exact)
          X(a_vector_turns_by_its_length) X(small_turns_and_a_whole_one) X(turns_follow_each_other)
              X(the_jacobian_of_one_axis_has_a_closed_form))
