/* Constants of material with three planes of symmetry, from the engineer's. */
#ifndef PL_MATERIAL_ORTHOTROPIC_H
#define PL_MATERIAL_ORTHOTROPIC_H

#include "pliant/base.h"

/* Young's moduli along the axes, Poisson's ratios nu_ij (pull along i, thinning along j; nu_ij /
 * E_i = nu_ji / E_j) and shear moduli. */
typedef struct pl_orthotropic {
  double E[3], nu12, nu13, nu23, G12, G13, G23;
} pl_orthotropic;

/* The stiffness, inverse of the compliance: 11 22 33 12 13 23 of stretches, and the shear moduli 12
 * 13 23; fails where the compliance is not positive. law: its name, for errors. */
pl_status pl_orthotropic_stiffness(const char *law, const pl_orthotropic *from, double nine[9],
                                   pl_error *error);

/* Lame's constants of the mean over all directions (Voigt's) of such a stiffness. */
void pl_orthotropic_mean(const double nine[9], double *lambda, double *mu);

#endif
