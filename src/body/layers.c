/* What a material has beside its law: fibres, a limit of stretches, and the axes that both and laws
 * with directions refer to. */
#include "body/body.h"
#include "core/cpu.h"
#include "core/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* Directions shorter than this have none; two are parallel whose cross product is shorter. */
static const double min_length = 1e-12, min_angle = 1e-6;

static double normalize(double a[3])
{
  double length = sqrt(pl_vec3_dot(a, a));
  for (int i = 0; i < 3 && length > 0; i++) a[i] /= length;
  return length;
}

/* Columns a, b and a x b, where b is taken at a right angle to a. */
static void set_axes(double a[3], double b[3], double axes[9])
{
  double c[3];
  normalize(a);
  pl_vec3_add_scaled(-pl_vec3_dot(a, b), a, b);
  normalize(b);
  pl_vec3_cross(a, b, c);
  for (int i = 0; i < 3; i++) {
    axes[3 * i] = a[i];
    axes[3 * i + 1] = b[i];
    axes[3 * i + 2] = c[i];
  }
}

static int has_direction(const double a[3])
{
  double length = sqrt(pl_vec3_dot(a, a));
  return length > min_length && isfinite(length);
}

/* A direction across another one. */
static void find_across(const double a[3], double across[3])
{
  int k = fabs(a[0]) < 0.7 * pl_vec3_norm(a) ? 0 : 1;
  for (int i = 0; i < 3; i++) across[i] = i == k;
}

/* Away from the line, around it and along it; on the line any direction is away. */
static void set_cylindrical(const pl_orientation *from, const double at[3], double axes[9])
{
  double axis[3], away[3], around[3];
  memcpy(axis, from->axis, sizeof axis);
  normalize(axis);
  for (int i = 0; i < 3; i++) away[i] = at[i] - from->point[i];
  double far = sqrt(pl_vec3_dot(away, away));
  pl_vec3_add_scaled(-pl_vec3_dot(axis, away), axis, away);
  if (!(sqrt(pl_vec3_dot(away, away)) > min_length * (1 + far))) {
    find_across(axis, away);
    pl_vec3_add_scaled(-pl_vec3_dot(axis, away), axis, away);
  }
  normalize(away);
  pl_vec3_cross(axis, away, around);
  set_axes(away, around, axes);
}

void pl_orientation_axes(const pl_orientation *from, const double at[3], double axes[9])
{
  double first[3], second[3];
  memcpy(first, from->first, sizeof first);
  memcpy(second, from->second, sizeof second);
  memset(axes, 0, 9 * sizeof *axes);
  for (int i = 0; i < 9; i += 4) axes[i] = 1;
  if (from->kind == PL_ORIENTATION_AXES) set_axes(first, second, axes);
  if (from->kind == PL_ORIENTATION_CYLINDRICAL) set_cylindrical(from, at, axes);
}

/* The axes that the mesh gives, with any second one where it gives none. */
static void set_given(const double given[6], double axes[9])
{
  double first[3], second[3], normal[3];
  memcpy(first, given, sizeof first);
  memcpy(second, given + 3, sizeof second);
  pl_vec3_cross(first, second, normal);
  if (pl_vec3_norm(normal) <= min_angle * pl_vec3_norm(first) * pl_vec3_norm(second))
    find_across(first, second);
  set_axes(first, second, axes);
}

pl_status pl_orientation_in(const pl_orientation *from, const pl_mesh *mesh, int element,
                            double axes[9], pl_error *error)
{
  int n = mesh->nodes_per_element;
  double middle[3] = {0};
  for (int a = 0; a < n; a++)
    pl_vec3_add_scaled(1.0 / n, mesh->nodes + 3 * (size_t)mesh->elements[n * element + a], middle);
  pl_orientation_axes(from, middle, axes);
  if (from->kind != PL_ORIENTATION_MESH) return PL_OK;
  if (!mesh->axes)
    return pl_fail(error, PL_E_ARGUMENT,
                   "the mesh has no axes of the material; take one from a .vtu, .vtk, .msh or .inp "
                   "file that has them, or another kind of orientation");
  if (!has_direction(mesh->axes + 6 * (size_t)element))
    return pl_fail_entity(error, PL_E_ARGUMENT, element,
                          "element %d of the mesh has no axes of the material; give it a first "
                          "axis, or another material",
                          element);
  set_given(mesh->axes + 6 * (size_t)element, axes);
  return PL_OK;
}

static pl_status check_orientation(const pl_orientation *from, pl_error *error)
{
  double across[3], *b = across;
  const double *first = from->first, *second = from->second, *axis = from->axis;
  if (from->kind == PL_ORIENTATION_CYLINDRICAL && !has_direction(axis))
    return pl_fail(error, PL_E_ARGUMENT,
                   "axis = %g %g %g of the orientation has no direction; take 0 0 1, say", axis[0],
                   axis[1], axis[2]);
  if (from->kind != PL_ORIENTATION_AXES) return PL_OK;
  pl_vec3_cross(first, second, b);
  double lengths = sqrt(pl_vec3_dot(first, first) * pl_vec3_dot(second, second));
  if (has_direction(first) && has_direction(second) &&
      sqrt(pl_vec3_dot(b, b)) > min_angle * lengths)
    return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "first = %g %g %g and second = %g %g %g span no plane; give two directions that "
                 "are not parallel",
                 first[0], first[1], first[2], second[0], second[1], second[2]);
}

/* Appends a modifier; returns its numbers. */
static double *append(pl_material *material, const pl_modifier_ops *modifier)
{
  double *numbers = material->modifier_numbers + material->modifier_count * PL_MODIFIER_NUMBERS;
  material->modifiers[material->modifier_count++] = modifier;
  return numbers;
}

static pl_status add_fibres(const pl_fibres *from, pl_material *material, pl_error *error)
{
  const double *a = from->direction;
  if (!(from->k1 >= 0 && from->k1 <= 1e15 && from->k2 > 0 && from->k2 <= 1e6))
    return pl_fail(error, PL_E_ARGUMENT,
                   "fibres with k1 = %g, k2 = %g: k1 must not be negative and k2 must be above 0",
                   from->k1, from->k2);
  if (!(from->kappa >= 0 && from->kappa <= 1.0 / 3 + 1e-12))
    return pl_fail(error, PL_E_ARGUMENT,
                   "kappa = %g of the fibres must lie between 0 (all along) and 1/3 (all around)",
                   from->kappa);
  if (!has_direction(a))
    return pl_fail(
        error, PL_E_ARGUMENT,
        "direction = %g %g %g of the fibres has no direction; give a vector other than 0", a[0],
        a[1], a[2]);
  double *numbers = append(material, PL_PICK_VARIANT(&pl_modifier_fibres));
  double length = sqrt(pl_vec3_dot(a, a));
  const double values[PL_MODIFIER_NUMBERS] = {
      from->k1 / material->mu, from->k2,      from->kappa < 1.0 / 3 ? from->kappa : 1.0 / 3,
      a[0] / length,           a[1] / length, a[2] / length};
  memcpy(numbers, values, sizeof values);
  return PL_OK;
}

static pl_status add_limit(const pl_stretch_limit *from, pl_material *material, pl_error *error)
{
  if (!(from->max > 1 && from->max <= 1e3 && from->min >= 0 && from->min < 1))
    return pl_fail(error, PL_E_ARGUMENT,
                   "limit with most = %g, least = %g: most must lie between 1 and 1000, least "
                   "between 0 and 1",
                   from->max, from->min);
  if (!(from->factor > 1 && from->factor <= 1e6))
    return pl_fail(error, PL_E_ARGUMENT,
                   "factor = %g of the limit must lie between 1 and 1e+06; 20 is usual",
                   from->factor);
  double *numbers = append(material, PL_PICK_VARIANT(&pl_modifier_limit));
  numbers[0] = from->max;
  numbers[1] = from->min;
  numbers[2] = from->factor;
  numbers[3] = (3 * material->lambda + 2 * material->mu) / (material->lambda + material->mu);
  return PL_OK;
}

pl_status pl_material_add_layers(const pl_material_def *def, pl_material *material, pl_error *error)
{
  const double origin[3] = {0};
  if (def->fibre_count < 0 || def->fibre_count > PL_MAX_FIBRES)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a material has %d families of fibres; at most %d are known", def->fibre_count,
                   PL_MAX_FIBRES);
  pl_status status = check_orientation(&def->orientation, error);
  for (int i = 0; i < def->fibre_count && !status; i++)
    status = add_fibres(&def->fibres[i], material, error);
  if (!status && def->limit.max != 0) status = add_limit(&def->limit, material, error);
  if (status) return status;
  material->has_axes = def->orientation.kind != PL_ORIENTATION_WORLD;
  pl_orientation_axes(&def->orientation, origin, material->axes);
  return PL_OK;
}
