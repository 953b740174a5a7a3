/* A batch of material points: what every element and every law agree on.
 *
 * From the deformation gradient F and its rate follow the first Piola-Kirchhoff stress P (positive
 * in tension; a node with shape gradient b and weight V feels the force -V P b), the energy density
 * W, and the derivatives dP/dF and dP/d(dF/dt). 3x3 matrices are row-major: F[3*i+j] = dx_i/dX_j.
 */
#ifndef PL_MATERIAL_POINT_H
#define PL_MATERIAL_POINT_H

#include "math/lanes.h"

typedef struct pl_point {
  pl_lanes F[9];
  pl_lanes rate[9];                    /* dF/dt in 1/s; read only where viscous is set  */
  pl_lanes lambda, mu;                 /* elastic moduli, Pa                            */
  pl_lanes viscous_lambda, viscous_mu; /* moduli of the strain rate, Pa s               */
  int viscous;
} pl_point;

/* What a strain measure computes with Hooke's law; later laws of F alone fill in the same table.
 * Every output pointer may be NULL. */
typedef struct pl_point_ops {
  /* P[9] and W of the batch. */
  void (*stress)(const pl_point *point, pl_lanes *P, pl_lanes *W);
  /* H[81], H[9*(3*i+j) + 3*k+l] = kq dP_ij/dF_kl + kv dP_ij/d(dF/dt)_kl, and P[9].
   * With semidefinite set, the elastic part is replaced by a near one without negative
   * eigenvalues; otherwise it is the exact derivative (at rate 0). The derivative of the viscous
   * stress with respect to F is left out: it is not symmetric. */
  void (*tangent)(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                  pl_lanes *H);
} pl_point_ops;

#endif
