/* Cloth: what its files share. Triangles resist stretching and shearing in their plane (the
 * membrane), pairs of triangles with a common edge resist bending (hinges).
 *
 * Membrane. With the rest triangle in its plane, gradients b_a of its shape functions along warp
 * and weft, F = sum x_a b_a^T (3x2) and Green's strain E = (F^T F - I)/2,
 *
 *   f_a = -A F S b_a,   K_ab = A (B_a^T D B_b + (b_a . S b_b) I),   S = dW/dE, D = dS/dE,
 *
 * with W = E : C : E / 2 for "green", and for "corotated" W = e : C : e / 2 of e = U - I, where
 * U = sqrt(F^T F) = (C + J I) / sqrt(tr C + 2 J), J = sqrt(det C), is a function of E as well. C is
 * that of plane stress, times the thickness: N/m.
 *
 * A limit L of the stretches l = sqrt(C_11), sqrt(C_22) along warp and weft adds k/2 (l - L)^2
 * above it, with k a hundred times C: S_11 += k (l - L)/l, D_1111 += k L/l^3.
 *
 * Bending. Of an edge x0 x1 with the opposite nodes x2, x3 and the angle theta between its two
 * triangles, psi = 2 tan(theta/2), which needs no arc tangent, is theta (1 + theta^2/12 ...) and
 * grows without bound where cloth is folded onto itself:
 *
 *   hinge      W = c/2 (psi - psi_0)^2,  c = D |e|^2 / (A_1 + A_2)
 *   quadratic  W = c/2 |sum k_i x_i|^2,  c = D / (A_1 + A_2), k from the cotangents at rest: for
 *              flat rest shapes, and right as long as triangles keep their shape
 *
 *
 *   edge       a plate with one more unknown per edge: plate.h
 *
 * Measured curves (tailor.h) w of the stretches minus 1, of F_1 . F_2 (the sine of the shear where
 * yarns are not stretched) and of the curvature kappa = (psi - psi_0) |e| / (A_1 + A_2) stand in
 * place of moduli: W = A w.
 *
 * with the bending stiffness D = E t^3 / (12 (1 - nu^2)), N m. c is not three times that, as is
 * often read: that would be three times too stiff (Navier's plate on equilateral triangles).
 * Grinspun et al. 2003; Bergou et al. 2006; Tamstorf, Grinspun 2013. */
#ifndef PL_MODEL_CLOTH_CLOTH_H
#define PL_MODEL_CLOTH_CLOTH_H

#include "math/lanes.h"
#include "model/cloth/edges.h"
#include "model/cloth/tailor.h"
#include "model/colour.h"
#include "model/mass.h"
#include "model/model.h"
#include "sparse/upper.h"

enum { PL_CLOTH_GREEN, PL_CLOTH_COROTATED };
enum { PL_CLOTH_HINGE, PL_CLOTH_QUADRATIC, PL_CLOTH_EDGE, PL_CLOTH_NONE };

/* What stands per batch of four triangles: gradients b_a (warp, weft) of the three nodes, the area,
 * C and its viscous counterpart as 11 12 22 and shear. */
enum { PL_MEMBRANE_AREA = 6, PL_MEMBRANE_C, PL_MEMBRANE_VISCOUS = 11, PL_MEMBRANE_LANES = 15 };
/* Of four hinges: c, its viscous counterpart, what a measured curve acts on (the area A_1 + A_2, 0:
 * there is none), psi_0, and k_i; with a curve, k_0 is |e| / (A_1 + A_2). */
enum {
  PL_HINGE_C,
  PL_HINGE_VISCOUS,
  PL_HINGE_AREA,
  PL_HINGE_REST,
  PL_HINGE_K,
  PL_HINGE_LANES = PL_HINGE_K + 4
};

/* What hinges show of themselves: psi - psi_0, its rate, and its gradient at the four nodes. */
enum { PL_LOOK_OFF, PL_LOOK_RATE, PL_LOOK_G, PL_HINGE_LOOK = PL_LOOK_G + 12 };

/* Triangles or hinges in batches of four; the last batch is filled up with copies of the last item
 * that have no stiffness. */
typedef struct pl_cloth_items {
  int count, size, batches; /* items; nodes of each */
  int *list;                /* size nodes per item */
  int whole;                /* places of all size^2 blocks, or of those of pairs of nodes a < b,
                               right of the diagonal: minus 1 minus a place of the transposed one */
  int *nodes, *places;      /* per batch, by lanes */
  int lanes;                /* of data, per batch */
  pl_lanes *data;
  int *starts; /* batches of chunk c: starts[c] to starts[c + 1] - 1 */
  double *sums;
  pl_colours colours;
} pl_cloth_items;

/* One evaluation. */
typedef struct pl_cloth_job {
  const pl_cloth_items *items;
  const double *q, *v; /* v NULL: nothing moves */
  double *f, *values;  /* values: of the matrix; either may be NULL */
  double kq, kv;
  int semidefinite, strain;
  int wants_energy;
  const pl_tailoring *measured; /* NULL: no curves */
  const double *memory;         /* of curves, PL_CURVE_MEMORY each; NULL: nothing has happened */
  double limit;                 /* L of stretches along warp and weft; 0: none */
  double *looks;                /* of hinges, PL_HINGE_LOOK for each: for pl_cloth_look */
  const double *moments;        /* dW/dpsi of hinges: for pl_cloth_moments */
} pl_cloth_job;

/* Works on the batches first to last - 1; returns their energy if it is wanted. */
typedef double pl_cloth_pass(const pl_cloth_job *job, int first, int last);

pl_cloth_pass pl_cloth_membrane_base, pl_cloth_membrane_avx2;
pl_cloth_pass pl_cloth_hinge_base, pl_cloth_hinge_avx2;
pl_cloth_pass pl_cloth_quadratic_base, pl_cloth_quadratic_avx2;
/* Looks at hinges; adds their moments times second derivatives of psi to the matrix. */
pl_cloth_pass pl_cloth_look_base, pl_cloth_look_avx2;
pl_cloth_pass pl_cloth_moments_base, pl_cloth_moments_avx2;

#endif
