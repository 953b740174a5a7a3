/* Smaller steps where elements are small: local time steps for leapfrog (Diaz & Grote 2009, SIAM J.
 * Sci. Comput. 31, 1985-2014), stabilised by Chebyshev polynomials (Grote, Michel & Sauter 2021,
 * Math. Comp. 90, 2603-2643).
 *
 * A step of Stoermer-Verlet is q(t + h) - 2 q(t) + q(t - h) = h^2 a(q). In place of h^2 a(q) / 2
 * stands z_p, the end of p smaller steps from z_0 = 0 on,
 *
 *   z_{k+1} = z_k + c_k (z_k - z_{k-1}) + 2 b_k (h^2 / w) a_k,     a_k = M^-1 f(q + P z_k),
 *   b_k = T_k(n) / T_{k+1}(n),  c_k = T_{k-1}(n) / T_{k+1}(n),  w = 2 T_p'(n) / T_p(n),
 *
 * where T_k is Chebyshev's polynomial, z_1 has half the factor of a_0, and P leaves the *fast*
 * blocks free and holds all others where they are at the beginning of the step. With n = 1 these
 * are the steps of leapfrog with h / p; n = 1 + 0.05 / p^2 takes it away from the edge of
 * stability, where there are steps of resonance (a block with random velocities gained energy up to
 * 200 times within 700 steps at some step lengths; not any more).
 *
 * a_k differs from a_0 only in elements that have fast blocks, so only these are evaluated. All of
 * it is a mean of forces, sum_k m_k f_k with sum m_k = 1, each of which adds up to zero on a free
 * body: linear momentum is kept to rounding. Order 2. For linear forces the mean is a symmetric
 * matrix times q, so an energy near the true one is kept. The fast region has one layer of slow
 * elements around it, without which the step of these would be shorter.
 *
 * An element is fast where its largest frequency at rest (Irons & Treharne's bound) exceeds 2 s / h
 * with s = 0.9. Forces are split by elements of models that can do so; all other forces, loads,
 * contact and what depends on velocity are those of the whole step, so damping d limits this to
 * h d <= 2 (1 - s^2). */
#ifndef PL_ODE_LOCAL_H
#define PL_ODE_LOCAL_H

#include "ode/integrator.h"

typedef struct pl_local_steps {
  double h;  /* the step that regions were chosen for, s; 0: for none yet */
  int parts; /* smaller steps in it; 1: there are no fast elements */
  // fast blocks, and the others that their elements have: lists
  unsigned char *marks;
  int *fast, *near, fast_count, near_count;
  double *x, *z, *before;             /* positions, z and the z before */
  double *first, *forces, *a, *start; /* of the selected elements at the beginning, now */
  double *inverse;                    /* of the mass */
  double *numbers;                    /* per smaller step: c_k, 2 b_k h^2 / w and m_k */
} pl_local_steps;

/* most: smaller steps that are allowed in one. */
pl_status pl_local_steps_create(pl_integrator *self, pl_local_steps *local, int most,
                                pl_error *error);
void pl_local_steps_destroy(pl_integrator *self, pl_local_steps *local);

/* Chooses the regions for steps of length h. */
pl_status pl_local_steps_choose(pl_integrator *self, pl_local_steps *local, pl_system *system,
                                double h, int most, pl_error *error);

/* f, all forces at (t, q, v), becomes the mean. */
void pl_local_steps_mean(pl_local_steps *local, pl_system *system, double t, const double *q,
                         const double *v, double *f);

#endif
