/* Continuous collision detection: how far two features may go along straight ways before they come
 * too near, certified against rounding. */
#ifndef PL_SHAPE_CCD_H
#define PL_SHAPE_CCD_H

#include "shape/distance.h"

/* The points go from x to `to` in unit time. Returns 1 if the distance stays above the separation
 * all the time, else a time before it falls to that, in [0, 1): at most `share` of the gap that
 * there is at the beginning (distance less separation) is left then, at least half of that. 0: it
 * is not above the separation at the beginning, or something is not finite.
 *
 * Never later than the true time; share in (0, 1), 0.2 for line searches; what is free by less than
 * `share` of the gap may be given a time as well. */
double pl_ccd(pl_contact_kind kind, const double x[4][3], const double to[4][3], double separation,
              double share);

/* How far an arc of this radius, m, and angle, radians, departs from its chord at most, with the
 * angle bounded by PL_ARC_MOST: for points on arcs, add that of both features to the separation. */
#define PL_ARC_MOST 0.3
static inline double pl_arc_height(double radius, double angle)
{
  return radius * angle * angle / 8;
}

#endif
