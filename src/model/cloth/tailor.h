/* What is sewn into a sheet: creases, measured curves in place of moduli, directions of the warp.
 *
 * A curve is piecewise linear: force per width over strain (warp, weft: the stretch minus 1; shear:
 * the sine of the angle by which the yarns are sheared), moment per width over curvature. Beyond
 * its ends it goes on with the last slope; without negative strains it is odd. With friction F_c
 * reached within strains of about L, Dahl's law adds a force that remembers: in a substep from
 * (e_0, F_0) to e, with s = sgn(e - e_0) and x = |e - e_0|,
 *
 *   F = s F_c + (F_0 - s F_c) exp(-x/L),
 *
 * the exact solution of dF/de = (F_c/L) (1 - s F/F_c). Its slope is never negative, and its
 * integral over e is the substep's energy. P. Dahl 1968, "A solid friction model". */
#ifndef PL_MODEL_CLOTH_TAILOR_H
#define PL_MODEL_CLOTH_TAILOR_H

#include "pliant/body.h"

/* Edges whose ends are both marked rest at this 2 tan(angle/2). */
typedef struct pl_fold {
  unsigned char *nodes; /* 1 for each that is marked, in the model's numbers */
  double bend;
} pl_fold;

typedef struct pl_curve {
  int count, is_odd; /* points; count 0: there is none */
  const double *strains, *forces;
  double friction, turn; /* F_c, N/m or N, and L, 1 or 1/m; friction 0: none */
} pl_curve;

typedef struct pl_tailoring {
  int fold_count;
  pl_fold *folds;
  pl_curve curves[PL_CURVE_KINDS];
  double *points; /* of all curves */
  double *warp;   /* 3 per element of the model's mesh, of any length; NULL: by the material */
} pl_tailoring;

/* What a curve remembers: the force of its friction, and the strain where that was. */
enum { PL_CURVE_MEMORY = 2 };

/* Energy per area of the substep, force and slope at a strain. past NULL: nothing has happened. */
typedef struct pl_curve_point {
  double energy, force, slope;
} pl_curve_point;
pl_curve_point pl_curve_at(const pl_curve *curve, const double *past, double strain);

/* Moves what is remembered on to a strain. */
void pl_curve_advance(const pl_curve *curve, double strain, double *past);

static inline int pl_tailoring_has_curves(const pl_tailoring *of)
{
  for (int i = 0; of && i < PL_CURVE_KINDS; i++) {
    if (of->curves[i].count) return 1;
  }
  return 0;
}

#endif
