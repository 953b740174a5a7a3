/* What both kernels of frames do with a batch of samples beside its deformation gradient: its
 * moduli, and what is told of it. */
#ifndef PL_MODEL_FRAMES_POINT_H
#define PL_MODEL_FRAMES_POINT_H

#include "model/frames.h"
#include "model/lanes_stress.h"

/* A point of the body's material. */
PL_INLINE pl_point pl_sample_point(const pl_frame_field *field, int viscous)
{
  pl_point point;
  point.lambda = pl_lanes_all(field->material.lambda);
  point.mu = pl_lanes_all(field->material.mu);
  point.ratio = pl_lanes_all(field->material.ratio);
  point.strain = field->strain;
  point.viscous = viscous;
  point.viscous_lambda = pl_lanes_all(field->material.viscous_lambda);
  point.viscous_mu = pl_lanes_all(field->material.viscous_mu);
  return point;
}

/* The batch's moduli into a point. */
PL_INLINE void pl_sample_moduli(const pl_frame_field *field, int batch, pl_point *point)
{
  if (!field->moduli) return;
  const pl_lanes *from = field->moduli + PL_SAMPLE_MODULI * (size_t)batch;
  point->lambda = from[0];
  point->mu = from[1];
  point->ratio = from[2];
  point->viscous_lambda = from[3];
  point->viscous_mu = from[4];
}

/* Writes down det F, and the von Mises stress if wanted; or strain and energy density instead. */
PL_INLINE void pl_sample_tell(const pl_frame_field *field, int batch, int stressed, int strained,
                              pl_point *point)
{
  pl_lanes P[9], stress = pl_lanes_all(0);
  pl_sample_moduli(field, batch, point);
  pl_lanes J = pl_lanes_det(point->F);
  if (stressed) {
    field->law->stress(point, P, NULL);
    stress = pl_lanes_von_mises(point->F, P, J);
  }
  if (strained) {
    stress = pl_lanes_equivalent_strain(point->F);
    field->law->stress(point, NULL, &J);
  }
  for (int lane = 0; lane < PL_LANES && PL_LANES * batch + lane < field->samples; lane++) {
    field->sample_stress[PL_LANES * batch + lane] = stress[lane];
    field->sample_ratio[PL_LANES * batch + lane] = J[lane];
  }
}

#endif
