/* Distance between a point and a triangle, and between two edges, with first and second
 * derivatives by the four points.
 *
 * Points 0 | 1 2 3 are a point and a triangle, points 0 1 | 2 3 two edges. The vector from the
 * nearest point of the second to the nearest point of the first is
 *
 *   r = sum_i c_i x_i,   D = |r|^2,   sum_i c_i = 0
 *
 * with weights c that depend linearly on m <= 2 parameters p (barycentric coordinates): which of
 * them are free is the region of the nearest points. Degenerate triangles and edges of length zero
 * are allowed everywhere. */
#ifndef PL_SHAPE_DISTANCE_H
#define PL_SHAPE_DISTANCE_H

typedef enum pl_contact_kind {
  PL_POINT_TRIANGLE,
  PL_EDGE_EDGE,
} pl_contact_kind;

/* Nearest points of two features. */
typedef struct pl_closest {
  int params;        /* m: 0 two points, 1 a point and an edge, 2 interior of both features */
  double weights[4]; /* c; their sum is exactly zero */
  double r[3];       /* m */
  double squared;    /* D, m^2 */
  signed char slopes[2][4]; /* dc_i/dp_a */
} pl_closest;

void pl_closest_points(pl_contact_kind kind, const double x[4][3], pl_closest *out);

/* The direction of r for any pair of features: unit, and where r has no direction of its own (they
 * touch) the normal of the features, or z where they have none. */
void pl_closest_normal(pl_contact_kind kind, const double x[4][3], const pl_closest *at,
                       double normal[3]);

/* T = sum_i x_i g_i^T, how r moves with each parameter, and S = (T^T T)^-1; both zero for others
 * than the first m. */
void pl_closest_metric(const double x[4][3], const pl_closest *at, double T[2][3], double S[2][2]);

/* The second derivatives of D by x, 12 x 12, row-major; the first are 2 c_i r. */
void pl_closest_hessian(const double x[4][3], const pl_closest *at, double hessian[144]);

/* The basis that spans the second derivatives of any function of the distance: 3 + m vectors of
 * length 12, c (x) e_k and g_a (x) n. Returns how many. */
int pl_closest_basis(const pl_closest *at, const double normal[3], double basis[5][12]);

#endif
