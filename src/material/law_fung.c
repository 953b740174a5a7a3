/* Soft tissue whose stiffness grows with its stress, in the axes of the material:
 *
 *   W = c/2 (exp(Q) - 1) + bulk/2 (J - 1)^2,      Q = E : A : E,      E Green's strain
 *   S = c exp(Q) A : E,      dS/dE = c exp(Q) (A + 2 (A : E) (A : E))
 *
 * (Fung, Fronek, Patitucci 1979, "Pseudoelasticity of arteries and the choice of its mathematical
 * expression".) A has three planes of symmetry and must be positive. Where Q > 300 the exponential
 * goes on as a parabola, so that nothing overflows; no tissue is there. A point's own numbers are
 * the nine entries of A, then c / mu and bulk / mu; mu is that of the mean over directions. */
#include "core/error.h"
#include "material/axes_point.h"
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/orthotropic.h"

enum { C, A11, BULK = A11 + 9, PARAM_COUNT };
enum { SCALE = 9, VOLUME, NUMBERS };

#define STIFFNESS(i, id, first, text)                                                              \
  [A11 + (i)] = {.name = id, .unit = "1", .summary = text, .preset = first, .min = -1e4, .max = 1e4}

static const pl_param params[PARAM_COUNT] = {
    [C] = {.name = "c",
           .unit = "Pa",
           .summary = "modulus in front of the exponential",
           .preset = 1e4,
           .min = 1e-4,
           .max = 1e13},
    STIFFNESS(0, "a11", 1, "growth with the stretch along the first axis"),
    STIFFNESS(1, "a22", 1, "growth with the stretch along the second axis"),
    STIFFNESS(2, "a33", 1, "growth with the stretch along the third axis"),
    STIFFNESS(3, "a12", 0, "growth with both the first and the second stretch"),
    STIFFNESS(4, "a13", 0, "growth with both the first and the third stretch"),
    STIFFNESS(5, "a23", 0, "growth with both the second and the third stretch"),
    STIFFNESS(6, "a1212", 0.5, "growth with the shear between the first and the second axis"),
    STIFFNESS(7, "a1313", 0.5, "growth with the shear between the first and the third axis"),
    STIFFNESS(8, "a2323", 0.5, "growth with the shear between the second and the third axis"),
    [BULK] = {.name = "bulk",
              .unit = "Pa",
              .summary = "stiffness of the volume beside",
              .preset = 0,
              .min = 0,
              .max = 1e15},
};

static void mean(const double *values, double *lambda, double *mu)
{
  double nine[9];
  for (int k = 0; k < 9; k++) nine[k] = values[C] * values[A11 + k];
  pl_orthotropic_mean(nine, lambda, mu);
  *lambda += values[BULK];
}

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  const double *a = values + A11;
  double minor = a[0] * a[1] - a[3] * a[3];
  double det =
      a[2] * minor - a[5] * (a[0] * a[5] - a[3] * a[4]) + a[4] * (a[3] * a[5] - a[1] * a[4]);
  if (!(a[0] > 0 && minor > 0 && det > 0 && a[6] > 0 && a[7] > 0 && a[8] > 0))
    return pl_fail(
        error, PL_E_ARGUMENT,
        "fung with a11 = %g, a22 = %g, a33 = %g has a matrix a that is not positive; take "
        "a12, a13, a23 smaller and the others above 0",
        a[0], a[1], a[2]);
  mean(values, lambda, mu);
  return PL_OK;
}

static void numbers(const double *values, double *out)
{
  double lambda, mu;
  mean(values, &lambda, &mu);
  for (int k = 0; k < 9; k++) out[k] = values[A11 + k];
  out[SCALE] = values[C] / mu;
  out[VOLUME] = values[BULK] / mu;
}

PL_INLINE void state(const pl_point *point, const pl_lanes *E, pl_axes_state *out)
{
  const pl_lanes c = point->mu * point->numbers[SCALE];
  pl_axes_stiffness(point->numbers, pl_lanes_all(1), out->C);
  pl_axes_apply(out->C, E, out->S);
  const pl_lanes_curve x = pl_lanes_exp_curve(pl_lanes_dot6(out->S, E), 300);
  out->w = 0.5 * c * (x.value - 1.0);
  for (int m = 0; m < 6; m++) {
    for (int n = m; n < 6; n++) {
      const pl_lanes twice = 2.0 * x.bend * out->S[m] * out->S[n];
      out->C[6 * m + n] = out->C[6 * n + m] = c * (x.slope * out->C[6 * m + n] + twice);
    }
  }
  for (int m = 0; m < 6; m++) out->S[m] *= c * x.slope;
}

/* The term of volume alone. */
PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  const pl_lanes change = I[2] - 1.0, k = point->mu * point->numbers[VOLUME];
  *out = (pl_potential){
      .W = 0.5 * k * change * change,
      .first = {zero, zero, k * change},
      .second = {zero, zero, zero, zero, zero, k},
  };
}

/* The point in Green's strain, and the same with nothing but the volume. */
PL_INLINE pl_point in_green(const pl_point *point)
{
  pl_point out = *point;
  out.strain = &PL_VARIANT(pl_strain_green).points;
  return out;
}

PL_INLINE pl_point bare(const pl_point *point)
{
  pl_point out = *point;
  out.viscous = 0;
  out.prestress = out.pressure = NULL;
  return out;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes more[9], energy;
  const pl_point tissue = in_green(point), volume = bare(point);
  pl_axes_stress_at(state, &tissue, P, W);
  pl_invariant_stress_at(potential, &volume, P ? more : NULL, &energy);
  for (int e = 0; P && e < 9; e++) P[e] += more[e];
  if (W) *W += energy;
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_lanes more[9], more_H[81];
  const pl_point tissue = in_green(point), volume = bare(point);
  pl_axes_tangent_at(state, &tissue, kq, kv, semidefinite, P, H);
  pl_invariant_tangent_at(potential, &volume, kq, 0, semidefinite, more, H ? more_H : NULL);
  for (int e = 0; P && e < 9; e++) P[e] += more[e];
  for (int e = 0; H && e < 81; e++) H[e] += more_H[e];
}

const pl_law_ops PL_VARIANT(pl_law_fung) = {
    .info = PL_INFO("fung",
                    "soft tissue that stiffens exponentially, differently along its three axes "
                    "(<orientation>); makes no use of strain",
                    "Fung, Fronek, Patitucci 1979", params),
    .lame = lame,
    .number_count = NUMBERS,
    .numbers = numbers,
    .uses_axes = 1,
    .points = {.stress = stress, .tangent = tangent, .shape = pl_whole_shape},
};
