/* Vectors of three doubles. */
#ifndef PL_MATH_VEC3_H
#define PL_MATH_VEC3_H

#include <math.h>

static inline void pl_vec3_set(double out[3], double x, double y, double z)
{
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

static inline void pl_vec3_copy(const double a[3], double out[3])
{
  pl_vec3_set(out, a[0], a[1], a[2]);
}

static inline void pl_vec3_add(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] + b[i];
}

static inline void pl_vec3_sub(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static inline void pl_vec3_scale(double factor, const double a[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = factor * a[i];
}

/* out += factor a */
static inline void pl_vec3_add_scaled(double factor, const double a[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] += factor * a[i];
}

static inline double pl_vec3_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out may be a or b. */
static inline void pl_vec3_cross(const double a[3], const double b[3], double out[3])
{
  pl_vec3_set(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

static inline double pl_vec3_norm(const double a[3]) { return sqrt(pl_vec3_dot(a, a)); }

static inline double pl_vec3_distance(const double a[3], const double b[3])
{
  double d[3];
  pl_vec3_sub(a, b, d);
  return pl_vec3_norm(d);
}

/* a . (b x c): the volume of the box that the three span, positive if they are right-handed. */
static inline double pl_triple(const double a[3], const double b[3], const double c[3])
{
  double normal[3];
  pl_vec3_cross(b, c, normal);
  return pl_vec3_dot(a, normal);
}

#endif
