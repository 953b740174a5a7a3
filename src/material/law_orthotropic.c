/* Linear material in axes of its own and any strain measure:
 *
 *   W = 1/2 E : C : E,      C the inverse of the compliance
 *
 * With three planes of symmetry it has nine constants: E1 E2 E3, nu12 nu13 nu23, G12 G13 G23
 * (orthotropic.h). Material that is alike in all directions across its first axis (transverse
 * isotropy), such as a tendon or a bundle, has five: E3 = E2, nu13 = nu12, G13 = G12 and
 * G23 = E2 / (2 (1 + nu23)). A point's own numbers are the nine entries of C as parts of mu, which
 * is the shear modulus of the mean over directions. */
#include "material/axes_point.h"
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/orthotropic.h"

#define MODULUS(id, text)                                                                          \
  {                                                                                                \
    .name = id, .unit = "Pa", .summary = text, .preset = 1e5, .min = 1e-3, .max = 1e13             \
  }
#define RATIO(id, text, bound)                                                                     \
  {                                                                                                \
    .name = id, .unit = "1", .summary = text, .preset = 0, .min = -(bound), .max = bound           \
  }
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* The nine entries of C from the values of a law's parameters. */
typedef pl_status stiffness_of(const double *v, double nine[9], pl_error *error);

static pl_status mean_of(stiffness_of *stiffness, const double *values, double *lambda, double *mu,
                         pl_error *error)
{
  double nine[9];
  pl_status status = stiffness(values, nine, error);
  if (!status) pl_orthotropic_mean(nine, lambda, mu);
  return status;
}

static void parts_of(stiffness_of *stiffness, const double *values, double *out)
{
  double lambda, mu;
  if (stiffness(values, out, NULL)) return;
  pl_orthotropic_mean(out, &lambda, &mu);
  for (int k = 0; k < 9; k++) out[k] /= mu;
}

static const pl_param orthotropic_params[] = {
    MODULUS("e1", "Young's modulus along the first axis"),
    MODULUS("e2", "Young's modulus along the second axis"),
    MODULUS("e3", "Young's modulus along the third axis"),
    RATIO("nu12", "thinning along the second axis when pulled along the first", 10),
    RATIO("nu13", "thinning along the third axis when pulled along the first", 10),
    RATIO("nu23", "thinning along the third axis when pulled along the second", 10),
    MODULUS("g12", "shear modulus between the first and the second axis"),
    MODULUS("g13", "shear modulus between the first and the third axis"),
    MODULUS("g23", "shear modulus between the second and the third axis"),
};

static pl_status orthotropic_stiffness(const double *v, double nine[9], pl_error *error)
{
  enum { E1, E2, E3, NU12, NU13, NU23, G12, G13, G23 };
  const pl_orthotropic from = {
      {v[E1], v[E2], v[E3]}, v[NU12], v[NU13], v[NU23], v[G12], v[G13], v[G23]};
  return pl_orthotropic_stiffness("orthotropic", &from, nine, error);
}

static pl_status orthotropic_lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return mean_of(orthotropic_stiffness, values, lambda, mu, error);
}

static void orthotropic_numbers(const double *values, double *out)
{
  parts_of(orthotropic_stiffness, values, out);
}

static const pl_param transverse_params[] = {
    MODULUS("e1", "Young's modulus along the first axis"),
    MODULUS("e2", "Young's modulus across it"),
    RATIO("nu12", "thinning across the first axis when pulled along it", 10),
    RATIO("nu23", "thinning across the first axis when pulled across it", 0.99),
    MODULUS("g12", "shear modulus between the first axis and those across"),
};

static pl_status transverse_stiffness(const double *v, double nine[9], pl_error *error)
{
  enum { E1, E2, NU12, NU23, G12 };
  const double across = v[E2] / (2 * (1 + v[NU23]));
  const pl_orthotropic from = {
      {v[E1], v[E2], v[E2]}, v[NU12], v[NU12], v[NU23], v[G12], v[G12], across};
  return pl_orthotropic_stiffness("transverse", &from, nine, error);
}

static pl_status transverse_lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return mean_of(transverse_stiffness, values, lambda, mu, error);
}

static void transverse_numbers(const double *values, double *out)
{
  parts_of(transverse_stiffness, values, out);
}

PL_INLINE void state(const pl_point *point, const pl_lanes *E, pl_axes_state *out)
{
  pl_axes_stiffness(point->numbers, point->mu, out->C);
  pl_axes_apply(out->C, E, out->S);
  out->w = 0.5 * pl_lanes_dot6(out->S, E);
}

PL_AXES_POINTS(state)

#define LAW(id, text)                                                                              \
  const pl_law_ops PL_VARIANT(pl_law_##id) = {                                                     \
      .info = {.name = #id,                                                                        \
               .summary = text,                                                                    \
               .source = "Lekhnitskii 1963",                                                       \
               .params = id##_params,                                                              \
               .param_count = COUNT(id##_params)},                                                 \
      .lame = id##_lame,                                                                           \
      .number_count = 9,                                                                           \
      .numbers = id##_numbers,                                                                     \
      .uses_strain = 1,                                                                            \
      .uses_axes = 1,                                                                              \
      .points = {.stress = stress,                                                                 \
                 .tangent = tangent,                                                               \
                 .shape = pl_whole_shape,                                                          \
                 .conjugate = conjugate},                                                          \
  }

LAW(orthotropic, "linear, with moduli of its own along three axes, such as wood or laminates "
                 "(<orientation>); in any strain measure but warped");
LAW(transverse, "linear, with moduli of its own along and across its first axis, such as tendon "
                "(<orientation>); in any strain measure but warped");
