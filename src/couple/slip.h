/* Coulomb's friction with an elastic limit, as a force law of one contact.
 *
 * With s the displacement of two points against each other along the surface since they stuck, and
 * u its rate, t = -k s - c u is turned into
 *
 *   mu N (2 y - y^2) t / |t|  with y = |t| / (2 mu N) below 1,  mu N t / |t| above,
 *
 * which is smooth, and whose derivative is never indefinite. s is remembered, and cut where it
 * would exceed y = 1: so what sticks comes to rest and does not creep. */
#ifndef PL_COUPLE_SLIP_H
#define PL_COUPLE_SLIP_H

#define PL_STICK                                                                                   \
  0.82 /* k / k_n: Mindlin's ratio of tangential and normal stiffness at nu = 0.3                  \
        */

/* Friction at one s and u: its force, and its tangent (P - along along^T) left + along along^T
 * radial, to be multiplied by k for s and c for u. */
typedef struct pl_slip {
  double k, c, left, radial, force[3], along[3];
} pl_slip;

/* stiffness: k_n, N/m; mass that moves, kg; bound: mu N, above 0. */
pl_slip pl_slip_at(double stiffness, double mass, double bound, const double s[3],
                   const double u[3]);

/* T = scale (left (P - along along^T) + radial along along^T), row-major. */
void pl_slip_tangent(const pl_slip *at, const double normal[3], double scale, double T[9]);

/* The force at rest at s from where it stuck, N. */
double pl_slip_at_rest(double stiffness, double bound, double s);

/* s as it is remembered: not longer than where the force no longer grows. */
void pl_slip_keep(double stiffness, double bound, const double s[3], double kept[3]);

#endif
