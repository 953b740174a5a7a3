/* Three-vectors as the mesh room uses them: plain arrays of three doubles. */
#ifndef PL_MESH_GEOMETRY_H
#define PL_MESH_GEOMETRY_H

#include <math.h>

static inline void pl_subtract(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static inline double pl_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double pl_length(const double a[3]) { return sqrt(pl_dot(a, a)); }

/* out must not be a or b. */
static inline void pl_cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* a . (b x c): the volume of the box that the three span, positive if they are right-handed. */
static inline double pl_triple(const double a[3], const double b[3], const double c[3])
{
  double normal[3];
  pl_cross(b, c, normal);
  return pl_dot(a, normal);
}

#endif
