/* The family of maps, and their means over elements: Gauss's rule with 3 x 3 x 3 points in a
 * hexahedron, and the same in a cube that is folded together to a tetrahedron,
 *   X = u X1 + (1-u) v X2 + (1-u) (1-v) w X3 + (1-u) (1-v) (1-w) X0,   weight (1-u)^2 (1-v),
 * so that the mean of a polynomial of degree 3 is exact in a tetrahedron and in a box. */
#include "body/map.h"

#include "core/error.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <math.h>

#define X(name) static const pl_map_ops map_##name;
PL_MAPS(X)
#undef X

#define X(name) &map_##name.info,
PL_FAMILY(map, "factors of density and stiffness through a body", PL_MAPS(X));
#undef X

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define FAR          1e30
#define LEAST        1e-9
#define MOST         1e9

/* ---- ramp ---- */

enum { FROM, TO = 3, FIRST = 6, LAST };

static const pl_param ramp_params[] = {
    {"from", "m", "where the factor is the first", NAN, -FAR, FAR, NULL, 3},
    {"to", "m", "where it is the last", NAN, -FAR, FAR, NULL, 3},
    {"first", "1", "the factor at the beginning and before it", 1, LEAST, MOST, NULL, 0},
    {"last", "1", "the factor at the end and beyond it", 1, LEAST, MOST, NULL, 0},
};

static pl_status ramp_check(const double *values, pl_error *error)
{
  if (isnan(values[FROM]) || isnan(values[TO]))
    return pl_fail(error, PL_E_ARGUMENT, "a ramp needs from and to");
  if (pl_vec3_distance(values + FROM, values + TO) > 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "from and to must be two points, not one");
}

static double between(double first, double last, double s)
{
  return first + (last - first) * fmin(fmax(s, 0), 1);
}

static double ramp_at(const double *values, const pl_voxels *image, const double point[3])
{
  (void)image;
  double way[3], whole[3];
  pl_vec3_sub(point, values + FROM, way);
  pl_vec3_sub(values + TO, values + FROM, whole);
  return between(values[FIRST], values[LAST], pl_vec3_dot(way, whole) / pl_vec3_dot(whole, whole));
}

static const pl_map_ops map_ramp = {
    .info = {"ramp", "linear between two planes, constant beyond them", "", ramp_params,
             COUNT(ramp_params), NULL},
    .check = ramp_check,
    .at = ramp_at,
};

/* ---- radial ---- */

enum { CENTRE, AXIS = 3, INNER = 6, OUTER, INSIDE, OUTSIDE };

static const pl_param radial_params[] = {
    {"centre", "m", "the middle, or a point of the axis", 0, -FAR, FAR, NULL, 3},
    {"axis", "1", "distances are counted from this axis; 0 0 0: from the middle", 0, -FAR, FAR,
     NULL, 3},
    {"inner", "m", "the distance up to which the factor is that of the inside", 0, 0, FAR, NULL, 0},
    {"outer", "m", "the distance from which it is that of the outside", NAN, 0, FAR, NULL, 0},
    {"inside", "1", "the factor near the middle", 1, LEAST, MOST, NULL, 0},
    {"outside", "1", "the factor far from it", 1, LEAST, MOST, NULL, 0},
};

static pl_status radial_check(const double *values, pl_error *error)
{
  if (isnan(values[OUTER])) return pl_fail(error, PL_E_ARGUMENT, "outer is missing");
  if (values[OUTER] > values[INNER]) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "outer = %g must be above inner = %g m", values[OUTER],
                 values[INNER]);
}

static double radial_at(const double *values, const pl_voxels *image, const double point[3])
{
  (void)image;
  double way[3], length = pl_vec3_norm(values + AXIS);
  pl_vec3_sub(point, values + CENTRE, way);
  if (length > 0)
    pl_vec3_add_scaled(-pl_vec3_dot(way, values + AXIS) / (length * length), values + AXIS, way);
  double s = (pl_vec3_norm(way) - values[INNER]) / (values[OUTER] - values[INNER]);
  return between(values[INSIDE], values[OUTSIDE], s);
}

static const pl_map_ops map_radial = {
    .info = {"radial", "by the distance from a point or an axis, linear between two distances", "",
             radial_params, COUNT(radial_params), NULL},
    .check = radial_check,
    .at = radial_at,
};

/* ---- image ---- */

static const pl_param image_params[] = {
    {"origin", "m", "the image's corner with the least coordinates; the file's if not given", NAN,
     -FAR, FAR, NULL, 3},
    {"voxel", "m", "the sizes of a voxel; the file's if not given", NAN, 1e-12, FAR, NULL, 3},
    {"full", "1", "the grey value that counts as white; the file's if not given", NAN, -1e300,
     1e300, NULL, 0},
    {"black", "1", "the factor where the image is 0", 1e-3, LEAST, MOST, NULL, 0},
    {"white", "1", "the factor where it is full", 1, LEAST, MOST, NULL, 0},
};

enum { ORIGIN = 0, VOXEL = 3, FULL = 6, BLACK_AT, WHITE_AT };

/* A grey value; the image goes on beyond its borders as it ends there. */
static double grey(const pl_voxels *image, const int at[3])
{
  size_t index = 0;
  for (int k = 2; k >= 0; k--) {
    int i = at[k] < 0 ? 0 : at[k] >= image->size[k] ? image->size[k] - 1 : at[k];
    index = index * (size_t)image->size[k] + (size_t)i;
  }
  return image->values[index];
}

/* Linear between the middles of the voxels. */
static double image_at(const double *values, const pl_voxels *image, const double point[3])
{
  int low[3];
  double s[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    double origin = isnan(values[ORIGIN]) ? image->origin[k] : values[ORIGIN + k];
    double voxel = isnan(values[VOXEL]) ? image->voxel[k] : values[VOXEL + k];
    double place = (point[k] - origin) / voxel - 0.5;
    place = fmin(fmax(place, -1), image->size[k]);
    low[k] = (int)floor(place);
    s[k] = place - low[k];
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int at[3];
    for (int k = 0; k < 3; k++) {
      int high = corner >> k & 1;
      at[k] = low[k] + high;
      weight *= high ? s[k] : 1 - s[k];
    }
    sum += weight * grey(image, at);
  }
  double full = isnan(values[FULL]) ? image->full : values[FULL];
  return values[BLACK_AT] + (values[WHITE_AT] - values[BLACK_AT]) * sum / full;
}

static const pl_map_ops map_image = {
    .info = {"image", "the grey values of a stack of slices, linear between their voxels", "",
             image_params, COUNT(image_params), NULL},
    .needs_image = 1,
    .at = image_at,
};

static pl_status check_image(const pl_voxels *image, const double *values, pl_error *error)
{
  if (!image || !image->values)
    return pl_fail(error, PL_E_ARGUMENT, "by=\"image\" needs an image; name its file");
  for (int k = 0; k < 3; k++) {
    double voxel = isnan(values[VOXEL]) ? image->voxel[k] : values[VOXEL + k];
    if (image->size[k] < 1)
      return pl_fail(error, PL_E_ARGUMENT, "the image has no voxels along %c", "xyz"[k]);
    if (!(voxel > 0) || !isfinite(voxel))
      return pl_fail(error, PL_E_ARGUMENT,
                     "the file does not say how large a voxel is; add voxel=\"x y z\" in m");
  }
  double full = isnan(values[FULL]) ? image->full : values[FULL];
  if (full != 0 && isfinite(full)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "full = %g must be a grey value other than 0", full);
}

/* ---- means over elements ---- */

/* Shape functions at a point of the unit cube, and what it weighs. */
static double shape_at(int count, const double u[3], double *N)
{
  if (count == 4) {
    double left = 1 - u[0], rest = left * (1 - u[1]);
    N[1] = u[0];
    N[2] = left * u[1];
    N[3] = rest * u[2];
    N[0] = rest * (1 - u[2]);
    return left * rest;
  }
  for (int a = 0; a < 8; a++) {
    double x = a % 4 == 1 || a % 4 == 2 ? u[0] : 1 - u[0], y = a % 4 > 1 ? u[1] : 1 - u[1];
    N[a] = x * y * (a > 3 ? u[2] : 1 - u[2]);
  }
  return 1;
}

/* The element's volume per volume of the unit cube: 1 in a tetrahedron, where it does not change.
 */
static double volume_at(const pl_mesh *mesh, const int *nodes, const double u[3])
{
  if (mesh->nodes_per_element == 4) return 1;
  const double h = 1e-5;
  double columns[3][3], across[3];
  for (int k = 0; k < 3; k++) {
    double sides[2][3] = {{0}};
    for (int side = 0; side < 2; side++) {
      double at[3] = {u[0], u[1], u[2]}, N[8];
      at[k] += side ? h : -h;
      shape_at(8, at, N);
      for (int a = 0; a < 8; a++)
        pl_vec3_add_scaled(N[a], mesh->nodes + 3 * (size_t)nodes[a], sides[side]);
    }
    pl_vec3_sub(sides[1], sides[0], columns[k]);
  }
  pl_vec3_cross(columns[0], columns[1], across);
  return fabs(pl_vec3_dot(across, columns[2])) / (8 * h * h * h);
}

typedef struct source {
  const pl_map_def *def;
  const pl_map_ops *ops;
  double values[PL_MOST_VALUES];
} source;

static double value_at(const source *from, const double point[3])
{
  if (from->def->at) return from->def->at(from->def->context, point);
  return from->ops->at(from->values, from->def->image, point);
}

static pl_status mean_of(const source *from, const pl_mesh *mesh, int element, double *mean,
                         pl_error *error)
{
  static const double places[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
  static const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  int count = mesh->nodes_per_element;
  const int *nodes = mesh->elements + (size_t)count * (size_t)element;
  double sum = 0, whole = 0;
  for (int p = 0; p < 27; p++) {
    const double u[3] = {places[p % 3], places[p / 3 % 3], places[p / 9]};
    double N[8], X[3] = {0}, weight = weights[p % 3] * weights[p / 3 % 3] * weights[p / 9];
    weight *= shape_at(count, u, N) * volume_at(mesh, nodes, u);
    for (int a = 0; a < count; a++) pl_vec3_add_scaled(N[a], mesh->nodes + 3 * (size_t)nodes[a], X);
    double value = value_at(from, X);
    if (!(value > 0) || !isfinite(value))
      return pl_fail_entity(error, PL_E_ARGUMENT, element,
                            "the map is %g at (%g, %g, %g) in element %d; factors must be positive",
                            value, X[0], X[1], X[2], element);
    sum += weight * value;
    whole += weight;
  }
  *mean = sum / whole;
  return PL_OK;
}

static pl_status prepare(const pl_map_def *def, source *from, pl_error *error)
{
  *from = (source){.def = def};
  if ((int)def->of < PL_MAPPED_STIFFNESS || def->of > PL_MAPPED_BOTH)
    return pl_fail(error, PL_E_ARGUMENT, "a map of %d; it is of stiffness, density or both",
                   (int)def->of);
  if (def->at) return PL_OK;
  const pl_member *member;
  pl_status status = pl_choice_resolve(&pl_map_family, &def->map, &member, from->values, error);
  if (status) return status;
  from->ops = (const pl_map_ops *)(const void *)member;
  if (from->ops->check) status = from->ops->check(from->values, error);
  if (status || !from->ops->needs_image) return status;
  return check_image(def->image, from->values, error);
}

pl_status pl_map_check(const pl_map_def *def, pl_error *error)
{
  source from;
  return prepare(def, &from, error);
}

pl_status pl_map_apply(const pl_map_def *def, const pl_mesh *mesh, double *factors, pl_error *error)
{
  source from;
  if (mesh->nodes_per_element <= 3)
    return pl_fail(error, PL_E_ARGUMENT, "a map needs elements with a volume; fill the surface");
  pl_status status = prepare(def, &from, error);
  for (int e = 0; e < mesh->element_count && !status; e++) {
    double mean = 1;
    status = mean_of(&from, mesh, e, &mean, error);
    factors[e] *= mean;
  }
  return status;
}
