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

TESTS(X(a_quaternion_is_found_from_its_matrix) X(the_identity_is_exact))
