/* Shapes of revolution about z by their section: in the half-plane (rho, z), a chain of segments,
 * either the border of what lies between it and the axis (convex, counter-clockwise from the axis
 * back to it), or by itself, thickened by a radius. */
#ifndef PL_SHAPE_PROFILE_H
#define PL_SHAPE_PROFILE_H

#include "shape/drawing.h"
#include "shape/obstacle.h"

enum { PL_MOST_PROFILE = 4 };

typedef struct pl_profile {
  int count; /* of points; 1: a circle around it */
  double points[PL_MOST_PROFILE][2];
  int is_solid;  /* it is filled to the axis */
  double radius; /* by which it is thickened all around */
} pl_profile;

double pl_profile_gap(const pl_profile *profile, const double x[3], double normal[3],
                      double *hessian);
void pl_profile_bounds(const pl_profile *profile, double low[3], double high[3]);
void pl_profile_draw(const pl_profile *profile, pl_drawing *drawing);

/* The same for shapes whose kind has a profile. */
double pl_revolved_gap(const pl_shape *self, const double x[3], double normal[3], double *hessian);
void pl_revolved_bounds(const pl_shape *self, double low[3], double high[3]);
pl_status pl_revolved_draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                           pl_error *error);

/* Defines such a kind: finish checks its values, params and profile_of are those of its file. */
#define PL_REVOLVED_SHAPE(NAME, SUMMARY, FINISH)                                                   \
  const pl_obstacle_ops pl_obstacle_##NAME = {                                                     \
      .info = PL_INFO(#NAME, SUMMARY, "", params),                                                 \
      .has_sides = 1,                                                                              \
      .finish_values = FINISH,                                                                     \
      .place = pl_shape_place_axis,                                                                \
      .profile = profile_of,                                                                       \
      .gap = pl_revolved_gap,                                                                      \
      .bounds = pl_revolved_bounds,                                                                \
      .draw = pl_revolved_draw,                                                                    \
  }

#endif
