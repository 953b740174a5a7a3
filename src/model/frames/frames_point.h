/* Fields of a batch of samples, for both kernels of frames. */
#ifndef PL_MODEL_FRAMES_POINT_H
#define PL_MODEL_FRAMES_POINT_H

#include "model/frames/frames.h"
#include "model/lanes_stress.h"

/* Writes down det F, and the von Mises stress if wanted; or strain and energy density instead; or
 * the component of F and of the Cauchy stress whose number is component - 1. */
PL_INLINE void pl_sample_tell(const pl_frame_field *field, const pl_group *group, int batch,
                              int stressed, int strained, int component, pl_point *point)
{
  pl_lanes P[9], stress = pl_lanes_all(0);
  pl_point_take(group, batch, point);
  pl_point_recall(group, 1, batch, 0, point);
  pl_lanes J = pl_lanes_det(point->F);
  if (stressed) {
    group->points->stress(point, P, NULL);
    stress = pl_lanes_von_mises(point->F, P, J);
  }
  if (strained) {
    stress = pl_lanes_equivalent_strain(point->F);
    group->points->stress(point, NULL, &J);
  }
  if (component) {
    pl_lanes sigma[9];
    group->points->stress(point, P, NULL);
    pl_lanes_cauchy(point->F, P, sigma);
    stress = sigma[component - 1];
    J = point->F[component - 1];
  }
  for (int lane = 0; lane < PL_LANES; lane++) {
    field->sample_stress[PL_LANES * batch + lane] = stress[lane];
    field->sample_ratio[PL_LANES * batch + lane] = J[lane];
  }
}

#endif
