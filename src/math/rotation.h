/* Rotations as vectors: along the axis, as long as the angle in radians, from 0 to 2 pi.
 *
 * Angles beyond pi keep apart the two unit quaternions of one rotation, q and -q, which blend
 * differently: a rotation that is moved on step by step keeps the sign of its quaternion.
 * Quaternions are [x y z w]. Turns are in world axes: they multiply from the left. */
#ifndef PL_MATH_ROTATION_H
#define PL_MATH_ROTATION_H

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>

/* out = a b; out may be neither. */
static inline void pl_quat_multiply(const double a[4], const double b[4], double out[4])
{
  pl_vec3_cross(a, b, out);
  for (int k = 0; k < 3; k++) out[k] += a[3] * b[k] + b[3] * a[k];
  out[3] = a[3] * b[3] - pl_vec3_dot(a, b);
}

static inline void pl_quat_of_vector(const double r[3], double q[4])
{
  double angle = pl_vec3_norm(r), small = angle * angle;
  double factor = small < 1e-8 ? 0.5 - small / 48 : pl_sin(0.5 * angle) / angle;
  pl_vec3_scale(factor, r, q);
  q[3] = pl_cos(0.5 * angle);
}

/* The vector of a quaternion of any length but 0. */
static inline void pl_vector_of_quat(const double q[4], double r[3])
{
  double sine = pl_vec3_norm(q), angle = 2 * pl_atan2(sine, q[3]);
  if (sine > 1e-9 * fabs(q[3]))
    pl_vec3_scale(angle / sine, q, r);
  else if (q[3] > 0)
    pl_vec3_scale(2 / q[3], q, r);
  else
    pl_vec3_set(r, angle, 0, 0);
}

/* out = r turned on by the vector by; out may be r. */
static inline void pl_rotation_turn(const double r[3], const double by[3], double out[3])
{
  double a[4], b[4], product[4];
  pl_quat_of_vector(r, a);
  pl_quat_of_vector(by, b);
  pl_quat_multiply(b, a, product);
  pl_vector_of_quat(product, out);
}

/* The turn that leads from one rotation to another, signs of quaternions included. */
static inline void pl_rotation_between(const double from[3], const double to[3], double turn[3])
{
  double a[4], b[4], product[4];
  pl_quat_of_vector(from, a);
  pl_quat_of_vector(to, b);
  pl_vec3_scale(-1, a, a);
  pl_quat_multiply(b, a, product);
  pl_vector_of_quat(product, turn);
}

static inline void pl_quat_matrix(const double q[4], double R[9])
{
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  for (int k = 0; k < 9; k++) R[k] = out[k];
}

/* A unit quaternion of a rotation, by the largest of its four numbers (Shepperd 1978). */
static inline void pl_quat_of_matrix(const double R[9], double q[4])
{
  double trace = R[0] + R[4] + R[8], square[4];
  int max = 3;
  for (int k = 0; k < 3; k++) square[k] = 1 + 2 * R[4 * k] - trace;
  square[3] = 1 + trace;
  for (int k = 0; k < 3; k++) {
    if (square[k] > square[max]) max = k;
  }
  double twice = sqrt(square[max]); // of the largest number
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    double spin = R[3 * b + a] - R[3 * a + b];                   // 4 q_k w
    double both = max < 3 ? R[3 * k + max] + R[3 * max + k] : 0; // 4 q_k q_most
    q[k] = (max == 3 ? spin : both) / (2 * twice);
  }
  q[3] = 0.5 * twice;
  if (max == 3) return;
  int a = (max + 1) % 3, b = (max + 2) % 3;
  q[max] = 0.5 * twice;
  q[3] = (R[3 * b + a] - R[3 * a + b]) / (2 * twice);
}

/* How a turn changes with its vector: vector r + dr is the turn r followed by J dr. */
static inline void pl_rotation_jacobian(const double r[3], double J[9])
{
  double angle = pl_vec3_norm(r), square = angle * angle;
  double a = 0.5 - square / 24, b = 1.0 / 6 - square / 120;
  if (angle > 1e-3) {
    a = (1 - pl_cos(angle)) / square;
    b = (angle - pl_sin(angle)) / (square * angle);
  }
  for (int k = 0; k < 9; k++) J[k] = (k % 4 == 0 ? 1 - b * square : 0) + b * r[k / 3] * r[k % 3];
  J[1] -= a * r[2], J[2] += a * r[1];
  J[3] += a * r[2], J[5] -= a * r[0];
  J[6] -= a * r[1], J[7] += a * r[0];
}

#endif
