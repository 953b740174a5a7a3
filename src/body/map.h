/* Factors of density and stiffness as functions of the place in a body at rest. */
#ifndef PL_BODY_MAP_H
#define PL_BODY_MAP_H

#include "core/family.h"
#include "mesh/mesh.h"
#include "pliant/world.h"

#define PL_MAPS(X) X(ramp) X(radial) X(image)

typedef struct pl_map_ops {
  pl_member info;
  int needs_image;
  pl_status (*check)(const double *values, pl_error *error); /* may be NULL */
  double (*at)(const double *values, const pl_voxels *image, const double point[3]);
} pl_map_ops;

extern const pl_family pl_map_family;

/* Can it be used at all? */
pl_status pl_map_check(const pl_map_def *def, pl_error *error);

/* factors[element] *= the mean of the map over each element. Factors must be positive. */
pl_status pl_map_apply(const pl_map_def *def, const pl_mesh *mesh, double *factors,
                       pl_error *error);

#endif
