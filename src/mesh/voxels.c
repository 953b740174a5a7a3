/* Voxels: all cells of a cubic grid whose middle lies inside, one hexahedron each. It is what the
 * cage does, asked about a volume that is smaller by what the cage adds around it. */
#include "mesh/fill.h"

#include <math.h>

static const pl_param params[] = {
    {"size", "m", "edge of the cells; without it, as follows from elements", NAN, 1e-12, 1e9, NULL,
     0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
};

extern const pl_filler_ops pl_filler_cage;

typedef struct smaller {
  const pl_volume *volume;
  double margin;
} smaller;

static double value(const void *context, const double point[3])
{
  const smaller *of = context;
  return of->volume->value(of->volume->context, point) + of->margin;
}

static pl_status fill(const pl_volume *volume, double size, const double *values,
                      const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  const double hexes[] = {values[0], values[1], 1};
  smaller of = {volume, 0.5 * sqrt(3) * size};
  pl_volume inside = *volume;
  inside.value = value;
  inside.context = &of;
  return pl_filler_cage.fill(&inside, size, hexes, allocator, mesh, error);
}

const pl_filler_ops pl_filler_voxels = {
    .info = {"voxels",
             "cells of a cubic grid whose middle is inside, as hexahedra: samples for frames",
             "Gilles, Bousquet, Faure, Pai 2011, 4.2", params, sizeof params / sizeof *params},
    .elements_per_cell = 1,
    .fill = fill,
};
