/* The list of regions. */
#ifndef PL_MESH_REGION_H
#define PL_MESH_REGION_H

#include "mesh/mesh.h"

#define PL_REGIONS(X) X(box) X(sphere) X(half_space) X(cylinder) X(normal) X(surface) X(all)

#define X(name) extern const pl_region_ops pl_region_##name;
PL_REGIONS(X)
#undef X

#endif
