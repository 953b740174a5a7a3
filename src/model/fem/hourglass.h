/* Hexahedra with one point and hourglass control.
 *
 * Modes. With the signs of the corners (r, s, t = -1, 1) the eight values of anything at the
 * corners are a mean, three linear modes r, s, t and four hourglass modes h = st, rt, rs, rst:
 * x_k = sum_a h_ka x_a. The gradients are those of the mean over the volume,
 * b_a = 1/V integral dN_a/dX dV = sum_k h_ka b_k, so that F = sum_k x_k b_k^T passes the patch test
 * on any hexahedron (Flanagan & Belytschko 1981, "A uniform strain hexahedron and quadrilateral
 * with orthogonal hourglass control").
 *
 * What one point does not see of the deformation, the hourglass vectors
 *
 *   q_m = sum_a g_ma x_a = (x_m - F s_m) / 8,   s_m = sum_a h_ma X_a,    m = 1 .. 4
 *
 * (g_m annihilates linear fields), gets the energy of assumed strains in an orthonormal frame e_i
 * of the element at rest, along its edges of the half lengths a_i: c_im = (F e_i) . q_m and
 *
 *   eps_11 = (c_12 t + c_13 s + c_14 s t) / a_1     and 22, 33 alike: bending without shear
 *   gamma_12 = (c_11 / a_2 + c_22 / a_1) t          and 23, 13 alike: torsion
 *   W = V/6 ( E sum eps^2 + mu sum gamma^2 ),       e.g. V E / 6 (c_12^2 + c_13^2 + c_14^2/3) /
 * a_1^2
 *
 * after Belytschko & Bindeman 1993, "Assumed strain stabilization of the eight node hexahedral
 * element": no shear locking and no volumetric locking, and F instead of their rotation makes force
 * and stiffness exact derivatives of an energy that no rigid motion changes. A twentieth of the
 * least stiffness acts on q itself, so that control is left where F collapses. Linear strain takes
 * F = I here. Viscosity acts alike on the rate of c. */
#ifndef PL_MODEL_FEM_HOURGLASS_H
#define PL_MODEL_FEM_HOURGLASS_H

#include "math/lanes.h"
#include "mesh/mesh.h"

struct pl_fem_job;
struct pl_fem;

/* Where the lanes of rest data of a batch begin: volume, linear gradients b_k (3 each), 1 / a_i,
 * the frame e_i (3 each), and what boxes need not: gradients of the hourglass modes, s_m. */
enum {
  PL_HEX_VOLUME,
  PL_HEX_LINEAR = 1,
  PL_HEX_LENGTHS = 10,
  PL_HEX_FRAME = 13,
  PL_HEX_SKEW = 22,
  PL_HEX_OFFSETS = 34,
  PL_HEX_REST = 46
};

typedef struct pl_hourglass_kernel {
  /* All internal forces of the batches [first, last); what control adds to the stiffness and, as a
   * sum, to the energy; and to the energy density of each element. */
  void (*forces)(const struct pl_fem_job *job, int first, int last);
  void (*stiffness)(const struct pl_fem_job *job, int first, int last);
  double (*energy)(const struct pl_fem_job *job, int first, int last);
  void (*densities)(const struct pl_fem_job *job, int first, int last);
} pl_hourglass_kernel;

extern const pl_hourglass_kernel pl_hourglass_kernel_base, pl_hourglass_kernel_avx2;
extern const pl_hourglass_kernel pl_hourglass_kernel_avx512;

typedef struct pl_hourglass {
  const pl_hourglass_kernel *kernel; /* NULL: elements have points enough */
  double factor;                     /* of all of the energy above */
  int linear;                        /* F = I */
  int *nodes;             /* 3 times their numbers per batch [corner][lane], in the mesh's order */
  unsigned char *corners; /* per batch [node][lane]: which corner the node of pl_fem.nodes is */
  unsigned char *is_skew; /* per batch: some element is no box along the axes */
  pl_lanes *rest;         /* PL_HEX_REST per batch */
} pl_hourglass;

/* The modes' signs at the corners: r s t, then the four hourglass modes. */
extern const double pl_hex_modes[7][8];

/* Room for so many batches. To be released even if it fails. */
pl_status pl_hourglass_create(const pl_allocator *allocator, int batches, double factor,
                              pl_hourglass *to, pl_error *error);
void pl_hourglass_release(const pl_allocator *allocator, pl_hourglass *hourglass);

/* Fills a lane of a batch from an element; order: which corner stands where in pl_fem.nodes. A copy
 * weighs nothing. b gets the mean gradients. Returns the volume, or what is not positive at a Gauss
 * point. */
double pl_hourglass_fill(pl_hourglass *to, const pl_mesh *mesh, int element, const int *order,
                         int place, int is_copy, double b[8][3]);

#endif
