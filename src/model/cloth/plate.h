/* Bending "edge": a plate of true stiffness on any mesh, with one more unknown per edge.
 *
 * The normal in the middle of an edge is an unknown: it is turned by phi against the mean of those
 * of both triangles. Seen from a triangle, its sides are bent by a_e = (psi_e - psi_e0)/2 + phi_e
 * or, for the second triangle of the edge, - phi_e (on the border by phi_e alone), which makes
 *
 *   kappa = sum_e a_e |e|/A nu_e nu_e^T,   W = A/2 kappa : D : kappa = 1/2 sum Q_ef a_e a_f
 *
 * with nu_e at right angles to the side and D that of plane stress times t^2/12. For small
 * deflections this is Morley's plate: it converges on any mesh, for any Poisson's ratio, and a
 * border that nothing holds is free. The unknowns are s_e = L phi_e, three to a block, with L the
 * mean length of edges, so that they are lengths; they carry the plate's rotary inertia, rho t^2/12
 * per area. Morley 1968; Grinspun, Gingold, Reisman, Zorin 2006. */
#ifndef PL_MODEL_CLOTH_PLATE_H
#define PL_MODEL_CLOTH_PLATE_H

#include "model/cloth/cloth.h"
#include "model/cloth/sheet.h"

enum { PL_PLATE_BLOCKS = 9 }; /* of a triangle: its nodes, those beyond its sides, its scalars */

typedef struct pl_plate_triangle {
  int edges[3], items[3]; /* of its sides; items: among the hinges, -1 on the border */
  double signs[3];        /* of phi */
  int slots[3][4];        /* which of its blocks a side's hinge has */
  double Q[3][3], viscous;
} pl_plate_triangle;

typedef struct pl_plate {
  const pl_sheet *sheet;
  int first;     /* block of the first scalars */
  int blocks;    /* of scalars */
  double length; /* L, m */
  int triangle_count;
  pl_plate_triangle *triangles;
  int *stencil, *places; /* 9 blocks and 81 places of each triangle */
  pl_cloth_items hinges;
  double *looks;   /* PL_HINGE_LOOK numbers per hinge */
  double *moments; /* dW/dpsi per hinge */
  double *inertia; /* kg per block of scalars */
  int *starts;
  double *sums;
  pl_colours colours;
} pl_plate;

/* To be destroyed even if it fails. */
pl_status pl_plate_create(const pl_allocator *allocator, const pl_sheet *sheet, const pl_mesh *mesh,
                          const unsigned char *rigid, pl_plate *plate, pl_error *error);
void pl_plate_destroy(const pl_allocator *allocator, pl_plate *plate);
pl_status pl_plate_bind(pl_plate *plate, const pl_bsr *A, int offset, pl_error *error);

/* Forces and matrix as the job wants; returns the energy if that is wanted. */
double pl_plate_run(pl_plate *plate, pl_cloth_job *job, pl_pool *pool);

#endif
