/* Obstacles: rigid things that nodes may touch but not enter. */
#ifndef PL_SHAPE_OBSTACLE_H
#define PL_SHAPE_OBSTACLE_H

#include "pliant/base.h"

#define PL_OBSTACLES(X) X(plane)

typedef struct pl_obstacle_ops {
  pl_member info; /* the first parameter is the friction coefficient */
  /* Checks values together and brings them into the form that gap expects. */
  pl_status (*settle)(double *values, pl_error *error);
  /* The signed distance of a point, negative inside, and the unit normal that points away. */
  double (*gap)(const double *values, const double x[3], double normal[3]);
} pl_obstacle_ops;

#define X(name) extern const pl_obstacle_ops pl_obstacle_##name;
PL_OBSTACLES(X)
#undef X

extern const pl_family pl_obstacle_family;

#define PL_FRICTION_PARAM                                                                          \
  {                                                                                                \
    "friction", "1", "Coulomb's coefficient: what the tangential force may be of the normal one",  \
        0, 0, 100, NULL, 1                                                                         \
  }

#endif
