/* What a sheet is at rest: triangles with their moduli, edges with their angles. */
#ifndef PL_MODEL_CLOTH_SHEET_H
#define PL_MODEL_CLOTH_SHEET_H

#include "model/cloth/edges.h"
#include "model/model.h"

typedef struct pl_sheet_triangle {
  int nodes[3];
  double b[6];          /* gradients of the shape functions along warp and weft, 1/m */
  double area;          /* m^2 */
  double C[4], viscous; /* plane stress 11 12 22 shear, N/m; s: part of it that resists rates */
  double density;       /* kg/m^2 */
  double warp[3];       /* unit vector at rest */
  double bending;       /* D = bending * C, m^2; negative: minus D itself, N m */
} pl_sheet_triangle;

typedef struct pl_sheet {
  int triangle_count, edge_count;
  double thickness;
  pl_sheet_triangle *triangles;
  pl_cloth_edge *edges;
  double *bend;        /* 2 tan(theta/2) of each edge at rest; 0 on the border */
  double (*across)[3]; /* per edge: the unit vector across it in its first triangle */
} pl_sheet;

typedef struct pl_sheet_def {
  const pl_mesh *mesh;
  const pl_material *material;
  const pl_model_def *model;
  double thickness;               /* m */
  double area_density, stiffness; /* kg/m^2, N m; NaN: by material and thickness */
  int is_flat;                    /* rest angles are 0 */
  int is_limited;                 /* warp and weft matter whatever the law */
} pl_sheet_def;

/* To be destroyed even if it fails. */
pl_status pl_sheet_create(const pl_allocator *allocator, const pl_sheet_def *def, pl_sheet *sheet,
                          pl_error *error);
void pl_sheet_destroy(const pl_allocator *allocator, pl_sheet *sheet);

/* Has the material warp and weft of its own, by a law that sheets know? */
int pl_sheet_is_orthotropic(const pl_material *material);

/* Stiffness against bending about an edge, N m: the mean of both triangles' across it; and the part
 * of it that resists rates, s. */
double pl_sheet_bending(const pl_sheet *sheet, int edge, double *viscous);

/* Per triangle: von Mises stress of the membrane in Pa, ratio of areas; either may be NULL. */
void pl_sheet_fields(const pl_sheet *sheet, int membrane, const double *q, double *von_mises,
                     double *det_f);

/* 2 tan(theta/2) at an edge x0 x1 between triangles with x2 and x3; infinite where they lie on each
 * other. */
double pl_sheet_bend(const double *x0, const double *x1, const double *x2, const double *x3);

#endif
