/* Regions of space: boxes, balls, half-spaces, cylinders; and of the surface: by the direction of
 * its normal, or all of it.
 *
 * A point counts as inside if it is so within TOLERANCE of the region's own size, so that nodes
 * that are meant to lie on a face are not lost to rounding. */
#include "mesh/region.h"

#include "core/error.h"
#include "core/family.h"
#include "math/functions.h"
#include "math/vec3.h"

static const double DEGREE = 0.01745329251994329577; /* pi / 180 */

#define X(name) &pl_region_##name.info,
PL_FAMILY(region, "which nodes or faces are meant", PL_REGIONS(X));
#undef X

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define FAR          1e30

static pl_status check_direction(const char *name, const double *direction, pl_error *error)
{
  if (pl_vec3_norm(direction) > 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s = %g %g %g must not be zero: it is a direction", name,
                 direction[0], direction[1], direction[2]);
}

static pl_status check_given(const char *name, double value, pl_error *error)
{
  if (!isnan(value)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s is missing", name);
}

/* ---- box ---- */

enum { MIN, MAX = 3 };

static const pl_param box_params[] = {
    {"min", "m", "the corner with the least coordinates", -FAR, -FAR, FAR, NULL, 3},
    {"max", "m", "the corner with the greatest coordinates", FAR, -FAR, FAR, NULL, 3},
};

static pl_status box_check(const double *values, pl_error *error)
{
  for (int k = 0; k < 3; k++) {
    if (values[MIN + k] > values[MAX + k])
      return pl_fail(error, PL_E_ARGUMENT, "min = %g must not exceed max = %g along %c",
                     values[MIN + k], values[MAX + k], "xyz"[k]);
  }
  return PL_OK;
}

static int box_holds(const double *values, const double point[3], const double normal[3],
                     double tolerance)
{
  (void)normal;
  for (int k = 0; k < 3; k++) {
    if (point[k] < values[MIN + k] - tolerance || point[k] > values[MAX + k] + tolerance) return 0;
  }
  return 1;
}

const pl_region_ops pl_region_box = {
    .info = {"box", "the points between two corners; a corner not given is far away", "",
             box_params, COUNT(box_params), NULL},
    .check = box_check,
    .holds = box_holds,
};

/* ---- sphere ---- */

enum { CENTRE, BALL_RADIUS = 3 };

static const pl_param sphere_params[] = {
    {"centre", "m", "the middle", 0, -FAR, FAR, NULL, 3},
    {"radius", "m", "radius", NAN, 0, FAR, NULL, 0},
};

static pl_status sphere_check(const double *values, pl_error *error)
{
  return check_given("radius", values[BALL_RADIUS], error);
}

static int sphere_holds(const double *values, const double point[3], const double normal[3],
                        double tolerance)
{
  (void)normal;
  double way[3];
  pl_vec3_sub(point, values + CENTRE, way);
  return pl_vec3_norm(way) <= values[BALL_RADIUS] + tolerance;
}

const pl_region_ops pl_region_sphere = {
    .info = {"sphere", "the points of a ball", "", sphere_params, COUNT(sphere_params), NULL},
    .check = sphere_check,
    .holds = sphere_holds,
};

/* ---- half-space ---- */

enum { POINT, NORMAL = 3 };

static const pl_param half_space_params[] = {
    {"point", "m", "a point of the plane", 0, -FAR, FAR, NULL, 3},
    {"normal", "1", "points out of the half-space", NAN, -FAR, FAR, NULL, 3},
};

static pl_status half_space_check(const double *values, pl_error *error)
{
  pl_status status = check_given("normal", values[NORMAL], error);
  return status ? status : check_direction("normal", values + NORMAL, error);
}

static int half_space_holds(const double *values, const double point[3], const double normal[3],
                            double tolerance)
{
  (void)normal;
  double way[3];
  pl_vec3_sub(point, values + POINT, way);
  return pl_vec3_dot(way, values + NORMAL) <= tolerance * pl_vec3_norm(values + NORMAL);
}

const pl_region_ops pl_region_half_space = {
    .info = {"half-space", "the points behind a plane, on the side its normal points away from", "",
             half_space_params, COUNT(half_space_params), NULL},
    .check = half_space_check,
    .holds = half_space_holds,
};

/* ---- cylinder ---- */

enum { ON_AXIS, AXIS = 3, RADIUS = 6 };

static const pl_param cylinder_params[] = {
    {"point", "m", "a point of the axis", 0, -FAR, FAR, NULL, 3},
    {"axis", "1", "direction of the axis", NAN, -FAR, FAR, NULL, 3},
    {"radius", "m", "radius", NAN, 0, FAR, NULL, 0},
};

static pl_status cylinder_check(const double *values, pl_error *error)
{
  pl_status status = check_given("radius", values[RADIUS], error);
  if (!status) status = check_given("axis", values[AXIS], error);
  return status ? status : check_direction("axis", values + AXIS, error);
}

static int cylinder_holds(const double *values, const double point[3], const double normal[3],
                          double tolerance)
{
  (void)normal;
  double way[3], across[3];
  pl_vec3_sub(point, values + ON_AXIS, way);
  pl_vec3_cross(way, values + AXIS, across);
  return pl_vec3_norm(across) <= (values[RADIUS] + tolerance) * pl_vec3_norm(values + AXIS);
}

const pl_region_ops pl_region_cylinder = {
    .info = {"cylinder", "the points near a line, however far along it", "", cylinder_params,
             COUNT(cylinder_params), NULL},
    .check = cylinder_check,
    .holds = cylinder_holds,
};

/* ---- normal ---- */

enum { DIRECTION, ANGLE = 3 };

static const pl_param normal_params[] = {
    {"direction", "1", "where the surface faces", NAN, -FAR, FAR, NULL, 3},
    {"angle", "degree", "greatest angle between the normal and the direction", 30, 0, 180, NULL, 0},
};

static pl_status normal_check(const double *values, pl_error *error)
{
  pl_status status = check_given("direction", values[DIRECTION], error);
  return status ? status : check_direction("direction", values + DIRECTION, error);
}

static int normal_holds(const double *values, const double point[3], const double normal[3],
                        double tolerance)
{
  (void)point, (void)tolerance;
  double across[3];
  pl_vec3_cross(normal, values + DIRECTION, across);
  double angle = pl_atan2(pl_vec3_norm(across), pl_vec3_dot(normal, values + DIRECTION));
  return pl_vec3_norm(normal) > 0 && angle <= DEGREE * values[ANGLE] + 1e-9;
}

const pl_region_ops pl_region_normal = {
    .info = {"normal", "the part of the surface that faces a direction", "", normal_params,
             COUNT(normal_params), NULL},
    .needs_normal = 1,
    .check = normal_check,
    .holds = normal_holds,
};

/* ---- surface and all ---- */

static int holds_any(const double *values, const double point[3], const double normal[3],
                     double tolerance)
{
  (void)values, (void)point, (void)normal, (void)tolerance;
  return 1;
}

const pl_region_ops pl_region_surface = {
    .info = {"surface", "the whole surface", "", NULL, 0, NULL},
    .needs_normal = 1,
    .holds = holds_any,
};

const pl_region_ops pl_region_all = {
    .info = {"all", "everything", "", NULL, 0, NULL},
    .holds = holds_any,
};
