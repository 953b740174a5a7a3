/* Shape functions of an element at its quadrature points: one of a tetrahedron, four of a
 * quadratic one, eight (or 27) of a hexahedron. */
#ifndef PL_MODEL_QUADRATURE_H
#define PL_MODEL_QUADRATURE_H

enum { PL_ELEMENT_NODES = 10, PL_ELEMENT_POINTS = 27 };

/* Values and derivatives by the element's own coordinates (r, s, t). */
typedef struct pl_quadrature {
  double weight; /* of the point, in own coordinates */
  double N[PL_ELEMENT_NODES], dN[PL_ELEMENT_NODES][3];
} pl_quadrature;

/* Quadrature points of an element with so many nodes. */
static inline int pl_quadrature_points(int nodes_per_element)
{
  return nodes_per_element == 4 ? 1 : nodes_per_element == 10 ? 4 : 8;
}

pl_quadrature pl_quadrature_at(int nodes_per_element, int point);

/* At one of the 3x3x3 Gauss points of a hexahedron, exact for Green's strain of boxes. */
pl_quadrature pl_quadrature_at27(int point);

/* dX/dr at a point of an element at rest: J[i][j] = dX_i/dr_j. Returns its determinant. */
double pl_quadrature_jacobian(const pl_quadrature *at, const double *positions, const int *nodes,
                              int count, double J[3][3]);

/* Gradients in rest coordinates, b_a = J^-T dN_a, and the point's weight in m^3. */
double pl_quadrature_gradients(const pl_quadrature *at, const double *positions, const int *nodes,
                               int count, double b[PL_ELEMENT_NODES][3]);

/* Corrects the gradients of a point of a quadratic tetrahedron with curved edges so that it passes
 * the patch test; returns the weight to be taken in place of this one. */
double pl_quadrature_curved(const double *positions, const int *nodes, double weight,
                            double b[PL_ELEMENT_NODES][3]);

#endif
