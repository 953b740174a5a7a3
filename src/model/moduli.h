/* The moduli that a law finds at four points: those of one material, or of a batch where elements
 * or samples have materials of their own. */
#ifndef PL_MODEL_MODULI_H
#define PL_MODEL_MODULI_H

#include "material/material.h"

/* Lanes per batch: lambda, mu, ratio, viscous lambda and mu. */
enum { PL_MODULI = 5 };

/* One lane of the batches' moduli: that of an element or a sample. */
static inline void pl_moduli_set(pl_lanes *moduli, int place, const pl_material *m)
{
  const double from[PL_MODULI] = {m->lambda, m->mu, m->ratio, m->viscous_lambda, m->viscous_mu};
  pl_lanes *to = moduli + PL_MODULI * (size_t)(place / PL_LANES);
  for (int k = 0; k < PL_MODULI; k++) to[k][place % PL_LANES] = from[k];
}

/* Points of one material. */
PL_INLINE pl_point pl_point_of(const pl_material *material, const pl_point_ops *strain, int viscous)
{
  pl_point point;
  point.lambda = pl_lanes_all(material->lambda);
  point.mu = pl_lanes_all(material->mu);
  point.ratio = pl_lanes_all(material->ratio);
  point.viscous_lambda = pl_lanes_all(material->viscous_lambda);
  point.viscous_mu = pl_lanes_all(material->viscous_mu);
  point.strain = strain;
  point.viscous = viscous;
  return point;
}

/* A batch's moduli into a point; moduli may be NULL: it keeps those of the material. */
PL_INLINE void pl_point_take(const pl_lanes *moduli, int batch, pl_point *point)
{
  if (!moduli) return;
  const pl_lanes *from = moduli + PL_MODULI * (size_t)batch;
  point->lambda = from[0];
  point->mu = from[1];
  point->ratio = from[2];
  point->viscous_lambda = from[3];
  point->viscous_mu = from[4];
}

#endif
