/* Distances to shapes of revolution. With g(rho, z) the distance in the section and g_r, g_z, g_rr,
 * ... its derivatives,
 *
 *   n = g_r e_rho + g_z e_z
 *   H = g_rr e_rho e_rho^T + g_rz (e_rho e_z^T + e_z e_rho^T) + g_zz e_z e_z^T
 *       + (g_r / rho) e_phi e_phi^T       (on the axis g_r / rho becomes g_rr).
 *
 * In the section the second derivatives are 0 beside a segment and (I - m m^T) / l at a distance l
 * from a corner, m the direction from it. Inside a convex section the distance is the largest of
 * the signed distances to the segments' lines. */
#include "shape/profile.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>

enum { ARC = 12, MOST_OUTLINE = 8 * (2 * ARC + 2) };

/* The distance in the section, and its derivatives. */
typedef struct section {
  double gap, slope[2], curve; /* second derivatives: curve (I - slope slope^T) */
} section;

/* The unit normal to the right of the segment: outside, where the chain goes around. */
static double right_of(const double a[2], const double b[2], double n[2])
{
  double along[2] = {b[0] - a[0], b[1] - a[1]};
  double length = pl_hypot(along[0], along[1]);
  n[0] = length > 0 ? along[1] / length : 1;
  n[1] = length > 0 ? -along[0] / length : 0;
  return length;
}

/* The nearer of what is known and a segment, by distance without sign. */
static void try_segment(const double a[2], const double b[2], const double p[2], section *best)
{
  double n[2], to[2] = {p[0] - a[0], p[1] - a[1]};
  double length = right_of(a, b, n);
  double along = -n[1] * to[0] + n[0] * to[1];
  if (along > 0 && along < length) {
    double side = n[0] * to[0] + n[1] * to[1];
    if (fabs(side) >= best->gap) return;
    *best = (section){.gap = fabs(side)};
    for (int k = 0; k < 2; k++) best->slope[k] = side < 0 ? -n[k] : n[k];
    return;
  }
  const double *end = along > 0 ? b : a;
  double away[2] = {p[0] - end[0], p[1] - end[1]}, distance = pl_hypot(away[0], away[1]);
  if (distance >= best->gap) return;
  *best = (section){.gap = distance, .slope = {1, 0}};
  if (!(distance > 0)) return;
  best->curve = 1 / distance;
  for (int k = 0; k < 2; k++) best->slope[k] = away[k] / distance;
}

/* Inside a solid section: the line that is nearest to be crossed; 0: the point is outside. */
static int look_inside(const pl_profile *profile, const double p[2], section *to)
{
  *to = (section){.gap = -INFINITY};
  for (int i = 0; i + 1 < profile->count; i++) {
    const double *a = profile->points[i];
    double n[2];
    if (!(right_of(a, profile->points[i + 1], n) > 0)) continue;
    double side = n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]);
    if (side > 0) return 0;
    if (side <= to->gap) continue;
    *to = (section){.gap = side, .slope = {n[0], n[1]}};
  }
  return 1;
}

static section look(const pl_profile *profile, const double p[2])
{
  section found;
  if (profile->is_solid && look_inside(profile, p, &found)) return found;
  found = (section){.gap = INFINITY, .slope = {1, 0}};
  if (profile->count == 1) try_segment(profile->points[0], profile->points[0], p, &found);
  for (int i = 0; i + 1 < profile->count; i++)
    try_segment(profile->points[i], profile->points[i + 1], p, &found);
  return found;
}

double pl_profile_gap(const pl_profile *profile, const double x[3], double normal[3],
                      double *hessian)
{
  double rho = pl_hypot(x[0], x[1]);
  const double cosine = rho > 0 ? x[0] / rho : 1, sine = rho > 0 ? x[1] / rho : 0;
  const double p[2] = {rho, x[2]};
  section at = look(profile, p);
  const double e[3] = {cosine, sine, 0}, phi[3] = {-sine, cosine, 0};
  pl_vec3_set(normal, at.slope[0] * cosine, at.slope[0] * sine, at.slope[1]);
  double g_rr = at.curve * (1 - at.slope[0] * at.slope[0]);
  double g_rz = -at.curve * at.slope[0] * at.slope[1];
  double g_zz = at.curve * (1 - at.slope[1] * at.slope[1]);
  double around = rho > 0 ? at.slope[0] / rho : g_rr;
  for (int k = 0; hessian && k < 9; k++) {
    int i = k / 3, j = k % 3;
    hessian[k] = g_rr * e[i] * e[j] + around * phi[i] * phi[j] + (k == 8 ? g_zz : 0) +
                 g_rz * (e[i] * (j == 2) + (i == 2) * e[j]);
  }
  return at.gap - profile->radius;
}

void pl_profile_bounds(const pl_profile *profile, double low[3], double high[3])
{
  double rho = 0;
  low[2] = INFINITY;
  high[2] = -INFINITY;
  for (int i = 0; i < profile->count; i++) {
    rho = fmax(rho, profile->points[i][0] + profile->radius);
    low[2] = fmin(low[2], profile->points[i][1] - profile->radius);
    high[2] = fmax(high[2], profile->points[i][1] + profile->radius);
  }
  low[0] = low[1] = -rho;
  high[0] = high[1] = rho;
}

/* ---- drawing ---- */

typedef struct outline {
  double points[2 * MOST_OUTLINE];
  int count;
} outline;

/* On the axis or right of it. */
static void add(outline *to, double rho, double z, double size)
{
  if (rho < -1e-9 * size || to->count == MOST_OUTLINE) return;
  if (rho < 1e-9 * size) rho = 0;
  to->points[2 * to->count] = rho;
  to->points[2 * to->count++ + 1] = z;
}

/* Does the outline end there? */
static int is_last(const outline *to, const double at[2], double radius, double angle, double size)
{
  const double *last = to->points + 2 * (to->count - 1);
  return fabs(last[0] - at[0] - radius * pl_cos(angle)) +
             fabs(last[1] - at[1] - radius * pl_sin(angle)) <
         1e-12 * size;
}

/* The arc around a corner from one normal to the next, counter-clockwise. A sharp corner stands
 * there twice, so that no light is spread over it. */
static void add_arc(outline *to, const double at[2], double radius, double from, double turn,
                    double size)
{
  int steps = radius > 0 ? ARC : 1;
  for (int i = 0; i <= steps; i++) {
    double angle = from + turn * i / steps;
    if (i == 0 && radius > 0 && to->count && is_last(to, at, radius, angle, size)) continue;
    add(to, at[0] + radius * pl_cos(angle), at[1] + radius * pl_sin(angle), size);
  }
}

static double angle_of(const pl_profile *profile, int from, int to)
{
  double n[2];
  right_of(profile->points[from], profile->points[to], n);
  return pl_atan2(n[1], n[0]);
}

/* The turn between two angles, from 0 to 2 pi; one that only rounding makes negative is 0. */
static double turn_between(double from, double to)
{
  double turn = to - from;
  while (turn < -1e-9) turn += 2 * PL_PI;
  return turn;
}

/* There and back along a chain by itself, in two half-turns around its ends. */
static void outline_chain(const pl_profile *profile, double size, outline *to)
{
  int last = profile->count - 1;
  double out = last ? angle_of(profile, 0, last) : 0;
  add_arc(to, profile->points[0], profile->radius, out - PL_PI, PL_PI, size);
  add_arc(to, profile->points[last], profile->radius, out, PL_PI, size);
}

static void outline_solid(const pl_profile *profile, double size, outline *to)
{
  for (int i = 1; i + 1 < profile->count; i++) {
    double from = angle_of(profile, i - 1, i), next = angle_of(profile, i, i + 1);
    // from the axis to the first corner
    if (i == 1)
      add(to, profile->points[0][0], profile->points[0][1] + profile->radius * pl_sin(from), size);
    add_arc(to, profile->points[i], profile->radius, from, turn_between(from, next), size);
    if (i + 2 == profile->count)
      add(to, profile->points[i + 1][0], profile->points[i + 1][1] + profile->radius * pl_sin(next),
          size);
  }
}

void pl_profile_draw(const pl_profile *profile, pl_drawing *drawing)
{
  outline to = {.count = 0};
  double low[3], high[3];
  pl_profile_bounds(profile, low, high);
  double size = high[0] + high[2] - low[2];
  if (profile->is_solid)
    outline_solid(profile, size, &to);
  else
    outline_chain(profile, size, &to);
  int on_axis = to.count && !(to.points[0] > 0);
  const double *last = to.points + 2 * (to.count - 1);
  if (!on_axis && fabs(last[0] - to.points[0]) + fabs(last[1] - to.points[1]) < 1e-12 * size)
    to.count--;
  pl_drawing_revolve(drawing, to.points, to.count, !on_axis);
}

/* ---- shapes ---- */

double pl_revolved_gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  const pl_profile profile = self->ops->profile(self->part.values);
  return pl_profile_gap(&profile, x, normal, hessian);
}

void pl_revolved_bounds(const pl_shape *self, double low[3], double high[3])
{
  const pl_profile profile = self->ops->profile(self->part.values);
  pl_profile_bounds(&profile, low, high);
}

pl_status pl_revolved_draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                           pl_error *error)
{
  const pl_profile profile = self->ops->profile(self->part.values);
  (void)view, (void)error;
  pl_profile_draw(&profile, drawing);
  return PL_OK;
}
