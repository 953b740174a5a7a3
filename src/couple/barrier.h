/* The barrier: a potential of the gap between two features that grows beyond all bounds before they
 * touch, with its derivatives by the four points. The contact response that never intersects, as
 * far as steps are limited by continuous detection (pl_finder_advance). */
#ifndef PL_COUPLE_BARRIER_H
#define PL_COUPLE_BARRIER_H

#include "shape/distance.h"

typedef enum pl_barrier_law {
  PL_BARRIER_RATIONAL, /* 1/y - 3 + 3 y - y^2 */
  PL_BARRIER_LOG,      /* -(y^2 - 1)^2 ln y^2 (Li et al., "Incremental potential contact", 2020) */
} pl_barrier_law;

/* How second derivatives are wanted. */
typedef enum pl_barrier_hessian {
  PL_BARRIER_EXACT,        /* may be indefinite */
  PL_BARRIER_PROJECTED,    /* the nearest semidefinite matrix */
  PL_BARRIER_GAUSS_NEWTON, /* along the normal only: semidefinite and cheap */
} pl_barrier_hessian;

typedef struct pl_barrier {
  pl_barrier_law law;
  double stiffness;  /* N/m */
  double range;      /* m: nothing is felt at larger gaps */
  double separation; /* m: what counts as touching; thickness of sheets */
  /* Two edges: |a|^2 |b|^2 of their rest lengths, m^4; the potential vanishes smoothly where they
   * become parallel, since the nearest points then jump. 0: it does not. */
  double rest;
} pl_barrier;

/* W(gap) and its first and second derivative: J, N, N/m. Infinite for gaps of 0 and less. */
void pl_barrier_law_at(const pl_barrier *barrier, double gap, double out[3]);

/* The potential of four points, J, its gradient and its second derivatives, 12 x 12, row-major;
 * both may be NULL. Returns infinity where the features are not apart; nothing is filled then. */
double pl_barrier_at(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3],
                     pl_barrier_hessian which, double gradient[12], double hessian[144]);

/* A part C^T D C of the second derivatives: C (3 x 3 for each point) gives a motion of the points,
 * which D resists. Row-major. */
typedef struct pl_barrier_part {
  double C[4][9], D[9];
} pl_barrier_part;
enum { PL_BARRIER_PARTS = 4 }; /* at most */

/* The exact second derivatives as a sum of such parts; returns how many. */
int pl_barrier_split(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3],
                     pl_barrier_part parts[PL_BARRIER_PARTS]);

/* A tenth of the harmonic mean of both moduli, Pa, over a share of the surface, m^2, and the
 * range; but at least m/(10 h^2) with the mass that the contact moves, 1/m = sum_i c_i^2/m_i. */
double pl_barrier_stiffness(const double young[2], double area, double range, double mass,
                            double h);

#endif
