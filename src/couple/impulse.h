/* Impulses: what keeps bodies apart, and out of obstacles, with explicit methods.
 *
 * Between the forces of a step and its motion (the half step of leapfrog methods) the blocks have
 * the velocities u with which they travel for h. A pair of features with gap g and normal n that
 * would come nearer than it may gets an impulse along n:
 *
 *   n . u >= -g / h,   J = max(0, (-g / h - n . u) / (sum_i c_i^2 / m_i)),   u_i += c_i J n / m_i,
 *
 * so it lands on the surface at the end of the step, and parts by itself since J does not pull.
 * Weights c_i add up to zero: the bodies together keep both momenta. Friction is Coulomb's, an
 * impulse along the surface that stops the slip as far as mu J allows. All impulses of a step are
 * found together by projected Gauss-Seidel sweeps. What starts inside comes out at 1 m/s at most.
 *
 * The second kind is Zhuang & Canny's (2000, section 4): features that are inside at the end of a
 * step get the velocity v1 = v0 - (v0 . n) n there (the printed plus sign of (11) doubles the speed
 * instead: sign="printed"), and the acceleration that Newmark's (8) then has, (12). So u_{n+2} =
 * u_n along n after two equal steps: the node is reflected. It is applied to what comes in. */
#ifndef PL_COUPLE_IMPULSE_H
#define PL_COUPLE_IMPULSE_H

#include "couple/collision.h"

/* Place of the response's parameter: 0 corrected, 1 printed. */
enum { PL_ZHUANG_CANNY_SIGN };

/* One pair of features, or a point and an obstacle. */
typedef struct pl_impact {
  int first, count;          /* its entries */
  int surfaces[2], obstacle; /* bodies, the second -1 for an obstacle; obstacle or -1 */
  int is_bound;              /* the target is met exactly: J may pull */
  double normal[3], point[3], gap;
  double target;              /* n . u is at least this, m/s */
  double mobility[2];         /* speed by an impulse along n, and along the surface, 1/kg */
  double friction, sticking;  /* coefficients, kinetic and static */
  double carried[3];          /* velocity of the obstacle there, m/s */
  double impulse, rubbing[3]; /* N s */
} pl_impact;

/* A block that takes part, with its weight and what constraints leave it. */
typedef struct pl_impact_entry {
  int block, held1; /* 1 + its place in the filter; 0: it is free */
  double weight, mass;
} pl_impact_entry;

typedef struct pl_impulses {
  pl_collision is;
  pl_impact *list;
  pl_impact_entry *entries;
  size_t count, room, entry_count, entry_room;
  double *before; /* velocities, where ties have to be met again */
  double h;       /* s, of the last strike */
  int is_at_end;  /* it was one at the end of a step */
  const double *v0;
} pl_impulses;

#endif
