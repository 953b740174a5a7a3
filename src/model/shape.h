/* Shape functions of an element at its quadrature points: one of a tetrahedron, eight of a
 * hexahedron. */
#ifndef PL_MODEL_SHAPE_H
#define PL_MODEL_SHAPE_H

enum { PL_ELEMENT_NODES = 8 };

/* Values and derivatives by the element's own coordinates (r, s, t). */
typedef struct pl_shape {
  double weight; /* of the point, in own coordinates */
  double N[PL_ELEMENT_NODES], dN[PL_ELEMENT_NODES][3];
} pl_shape;

pl_shape pl_shape_at(int nodes_per_element, int point);

/* dX/dr at a point of an element at rest: J[i][j] = dX_i/dr_j. Returns its determinant. */
double pl_shape_jacobian(const pl_shape *at, const double *positions, const int *nodes, int count,
                         double J[3][3]);

/* Gradients in rest coordinates, b_a = J^-T dN_a, and the point's weight in m^3. */
double pl_shape_gradients(const pl_shape *at, const double *positions, const int *nodes, int count,
                          double b[PL_ELEMENT_NODES][3]);

#endif
