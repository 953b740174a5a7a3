/* The rigid motion that is nearest to that of points.
 *
 * The nearest rotation is the polar factor of sum m (x - c) (X - C)^T (Horn, Hilden, Negahdaripour
 * 1988); about an axis n it is the angle whose tangent is
 * sum m n . (A x a) / sum m (A . a - (n . A)(n . a)) with arms A at rest and a now. The nearest
 * motion has the same momenta: w = I^-1 sum m r x v. */
#include "model/nearest.h"

#include "math/decompose.h"
#include "math/functions.h"
#include "math/mat3.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

/* Sums over the nodes. */
typedef struct sums {
  int at_rest;                   /* no node has moved */
  double m, c[3], C[3];          /* mass, and means of arms now and at rest */
  double S[9], V[3], L[3], I[9]; /* sum m a A^T, m v, m a x v, inertia */
} sums;

/* With arms a = x - origin and A = X - rest_origin; the inertia is that at rest. */
static void add_up(const pl_cloud *from, const double origin[3], const double rest_origin[3],
                   sums *to)
{
  const double *x = from->x, *speed = from->speed, *rest = from->rest;
  memset(to, 0, sizeof *to);
  to->at_rest = 1;
  for (int i = 0; i < from->count; i++) {
    int n = from->nodes ? from->nodes[i] : i;
    double m = from->mass ? from->mass[n] : 1, a[3], A[3], spin[3];
    pl_vec3_sub(x + 3 * n, origin, a);
    pl_vec3_sub(rest + 3 * n, rest_origin, A);
    pl_vec3_cross(a, speed + 3 * n, spin);
    to->at_rest &= !memcmp(x + 3 * n, rest + 3 * n, 3 * sizeof *x);
    to->m += m;
    pl_vec3_add_scaled(m, a, to->c);
    pl_vec3_add_scaled(m, A, to->C);
    pl_vec3_add_scaled(m, speed + 3 * n, to->V);
    pl_vec3_add_scaled(m, spin, to->L);
    for (int k = 0; k < 9; k++) {
      to->S[k] += m * a[k / 3] * A[k % 3];
      to->I[k] += m * ((k % 4 == 0 ? pl_vec3_dot(A, A) : 0) - A[k / 3] * A[k % 3]);
    }
  }
  pl_vec3_scale(1 / to->m, to->c, to->c);
  pl_vec3_scale(1 / to->m, to->C, to->C);
}

/* The rotation vector of the nearest turn. */
static void nearest_turn(pl_part_hinge hinge, const double n[3], const sums *from, double turn[3])
{
  const double *S = from->S;
  pl_vec3_set(turn, 0, 0, 0);
  if (from->at_rest) return;
  if (hinge == PL_PART_AXIS) {
    // A x a and what is not along the axis, from sum m a A^T
    const double cross[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
    double sine = pl_vec3_dot(n, cross), Sn[3];
    pl_mat3_apply(S, n, Sn);
    double cosine = S[0] + S[4] + S[8] - pl_vec3_dot(n, Sn);
    pl_vec3_scale(pl_atan2(sine, cosine), n, turn);
    return;
  }
  double F[9], R[9], stretch[9], quat[4];
  for (int k = 0; k < 9; k++)
    F[k] = S[k] - (hinge == PL_PART_FREE ? from->m * from->c[k / 3] * from->C[k % 3] : 0);
  pl_polar(F, R, stretch);
  pl_quat_of_matrix(R, quat);
  pl_vector_of_quat(quat, turn);
}

/* w = R I^-1 R^T L, or about the axis. */
static void nearest_spin(pl_part_hinge hinge, const double axis[3], const sums *from,
                         const double R[9], double spin[3])
{
  double inverse[9] = {0}, inside[3], turned[3];
  if (hinge == PL_PART_AXIS) {
    pl_mat3_apply(from->I, axis, turned);
    double about = pl_vec3_dot(turned, axis);
    pl_vec3_scale(pl_vec3_dot(from->L, axis) / about, axis, spin);
    return;
  }
  pl_mat3_inverse(from->I, inverse);
  pl_mat3_apply_t(R, from->L, inside);
  pl_mat3_apply(inverse, inside, turned);
  pl_mat3_apply(R, turned, spin);
}

void pl_nearest_motion(pl_part_hinge hinge, const double P[3], const double axis[3],
                       const pl_cloud *from, double q[6], double v[6])
{
  double *turn = q, *point = q + 3, *spin = v, *velocity = v + 3;
  double R[9], quat[4], arm[3], centre[3], rest_centre[3], turning[3];
  sums to;
  add_up(from, P, P, &to);
  nearest_turn(hinge, axis, &to, turn);
  pl_quat_of_vector(turn, quat);
  pl_quat_matrix(quat, R);
  pl_vec3_copy(P, point);
  pl_vec3_set(velocity, 0, 0, 0);
  if (hinge != PL_PART_FREE) {
    nearest_spin(hinge, axis, &to, R, spin);
    return;
  }
  // the mass centre stays where it is and moves on, and the part turns about it
  pl_mat3_apply(R, to.C, arm);
  pl_vec3_add(P, to.c, centre);
  pl_vec3_add(P, to.C, rest_centre);
  if (!to.at_rest) pl_vec3_sub(centre, arm, point);
  add_up(from, centre, rest_centre, &to);
  nearest_spin(hinge, axis, &to, R, spin);
  pl_vec3_cross(spin, arm, turning);
  pl_vec3_scale(1 / to.m, to.V, velocity);
  pl_vec3_sub(velocity, turning, velocity);
}

/* Beginning with the axis that lies least along it. */
void pl_hold_turns(const double axis[3], pl_block_hold *to)
{
  double e[3] = {0};
  int min = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(axis[k]) < fabs(axis[min])) min = k;
  }
  e[min] = 1;
  to->count = 2;
  pl_vec3_cross(axis, e, to->directions[0]);
  pl_vec3_scale(1 / pl_vec3_norm(to->directions[0]), to->directions[0], to->directions[0]);
  pl_vec3_cross(axis, to->directions[0], to->directions[1]);
}
