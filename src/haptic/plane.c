/* The plane that a servo loop feels; see plane.h. */
#include "haptic/plane.h"

#include "math/mat3.h"
#include "math/vec3.h"

static const double MOST_TURN = 0.5; /* of the normal between two steps */

/* Adds friction: the tangential part of a spring to the anchor, cut to limit. */
static void hold(const pl_plane_spring *spring, const double n[3], const double at[3], double limit,
                 pl_plane_grip *grip, double force[3])
{
  double way[3];
  if (!grip->holds) pl_vec3_copy(at, grip->anchor);
  grip->holds = 1;
  pl_vec3_sub(grip->anchor, at, way);
  pl_vec3_add_scaled(-pl_vec3_dot(way, n), n, way);
  double length = pl_vec3_norm(way), pull = spring->stiffness * length;
  if (pull > limit) {
    pl_vec3_scale(limit / pull, way, way);
    pl_vec3_add(at, way, grip->anchor);
  }
  pl_vec3_add_scaled(spring->stiffness, way, force);
}

/* The tool holds the point; away and rate are seen from it. */
static void pull(const pl_plane_spring *spring, const double away[3], const double rate[3],
                 double force[3])
{
  pl_vec3_scale(-spring->stiffness, away, force);
  pl_vec3_add_scaled(-spring->damping, rate, force);
  double size = pl_vec3_norm(force);
  if (size > spring->max_force) pl_vec3_scale(spring->max_force / size, force, force);
}

/* The normal at x, and how much nearer the surface is there than its plane. */
static double turn(const pl_plane *plane, const double x[3], double late, double n[3])
{
  double way[3], change[3];
  pl_vec3_sub(x, plane->place, way);
  pl_vec3_add_scaled(-late, plane->velocity, way);
  pl_mat3_apply(plane->turn, way, change);
  double size = pl_vec3_norm(change);
  if (size > MOST_TURN) pl_vec3_scale(MOST_TURN / size, change, change);
  pl_vec3_add(plane->normal, change, n);
  pl_vec3_scale(1 / pl_vec3_norm(n), n, n);
  return -0.5 * pl_vec3_dot(way, change);
}

void pl_plane_force(const pl_plane *plane, const pl_plane_spring *spring, int is_moving, double t,
                    double dt, const double x[3], const double v[3], pl_plane_grip *grip,
                    double force[3])
{
  double away[3], rate[3], n[3], late = is_moving ? t - plane->time : 0;
  pl_vec3_set(force, 0, 0, 0);
  pl_vec3_sub(x, plane->point, away);
  pl_vec3_copy(v, rate);
  if (late > plane->lasts) {
    late = plane->lasts; // and it has come to rest
  } else if (is_moving) {
    pl_vec3_sub(v, plane->velocity, rate);
    pl_vec3_add_scaled(dt, plane->velocity, grip->anchor);
  }
  pl_vec3_add_scaled(-late, plane->velocity, away);
  if (plane->is_there && plane->is_gripped) {
    grip->holds = 0;
    pull(spring, away, rate, force);
    return;
  }
  double nearer = turn(plane, x, late, n);
  double depth = spring->radius - pl_vec3_dot(away, plane->normal) + nearer;
  double push = spring->stiffness * depth - spring->damping * pl_vec3_dot(rate, n);
  if (!plane->is_there || !(depth > 0) || !(push > 0)) {
    grip->holds = 0;
    return;
  }
  if (push > spring->max_force) push = spring->max_force;
  pl_vec3_scale(push, n, force);
  if (spring->friction > 0) hold(spring, n, x, spring->friction * push, grip, force);
}
