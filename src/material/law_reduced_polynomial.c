/* Reduced polynomial of the first invariant, with three terms the law of Yeoh:
 *
 *   W = sum_i c_i (Ib1 - 3)^i + K/2 (J - 1)^2 + sum_i>1 (J - 1)^(2i) / D_i,    Ib1 = J^(-2/3) I1
 *
 * (Yeoh 1993, "Some forms of the strain energy function for rubber"; K = 2 / D_1.) At rest mu = 2
 * c_1. A negative c_2 is usual: it makes the softening between small strain and the upturn.
 * Incompressible, the nominal stress in uniaxial tension by s is 2 (s - 1/s^2) f'(s^2 + 2/s - 3),
 * in equibiaxial tension 2 (s - 1/s^5) f', in planar tension 2 (s - 1/s^3) f'. A point's own
 * numbers are c_2 ... c_6 and 1 / D_2, 1 / D_3, as parts of mu. */
#include "material/isochoric_point.h"
#include "material/material.h"
#include "material/native.h"

enum { TERMS = 6, VOLUMES = 2, D2 = TERMS, NATIVE = D2 + VOLUMES };
enum { PARAM_COUNT = NATIVE + PL_NATIVE_COUNT, NUMBERS = TERMS - 1 + VOLUMES };

#define COEFFICIENT(i, number, text)                                                               \
  [i] = {.name = "c" #number,                                                                      \
         .unit = "Pa",                                                                             \
         .summary = text,                                                                          \
         .preset = (i) ? 0 : NAN,                                                                  \
         .min = -1e13,                                                                             \
         .max = 1e13}
#define VOLUME(i, number)                                                                          \
  [D2 + (i)] = {.name = "d" #number,                                                               \
                .unit = "1/Pa",                                                                    \
                .summary = "compressibility of order " #number ": (J - 1)^(2 " #number             \
                           ") / d" #number "; none: no such term",                                 \
                .preset = NAN,                                                                     \
                .min = 1e-15,                                                                      \
                .max = 1e9}

static const pl_param params[PARAM_COUNT] = {
    COEFFICIENT(0, 1, "modulus of Ib1 - 3; mu = 2 c1"),
    COEFFICIENT(1, 2, "modulus of its square; may be negative"),
    COEFFICIENT(2, 3, "modulus of its third power"),
    COEFFICIENT(3, 4, "modulus of its fourth power"),
    COEFFICIENT(4, 5, "modulus of its fifth power"),
    COEFFICIENT(5, 6, "modulus of its sixth power"),
    VOLUME(0, 2),
    VOLUME(1, 3),
    PL_NATIVE_PARAMS(NATIVE),
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  int any = !isnan(values[0]);
  for (int i = 1; i < TERMS; i++) any |= values[i] != 0;
  return pl_native_lame("reduced-polynomial", "c1", values + NATIVE, 2 * values[0], any, lambda, mu,
                        error);
}

static void numbers(const double *values, double *out)
{
  double mu = isnan(values[0]) ? 1 : 2 * values[0];
  for (int i = 1; i < TERMS; i++) out[i - 1] = values[i] / mu;
  for (int i = 0; i < VOLUMES; i++) {
    double d = values[D2 + i];
    out[TERMS - 1 + i] = isnan(d) || isnan(values[0]) ? 0 : 1 / (d * mu);
  }
}

/* sum_i c_i x^i, highest first. */
PL_INLINE pl_lanes_curve shape_energy(const pl_point *point, pl_lanes x)
{
  pl_lanes_curve f = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  for (int i = TERMS; i >= 0; i--) {
    f.bend = f.bend * x + 2.0 * f.slope;
    f.slope = f.slope * x + f.value;
    f.value = f.value * x;
    if (i > 1) f.value += point->mu * point->numbers[i - 2];
    if (i == 1) f.value += 0.5 * point->mu;
  }
  return f;
}

PL_INLINE pl_lanes_curve volume_energy(const pl_point *point, pl_lanes J)
{
  pl_lanes_curve U = pl_bulk_energy(point, J);
  const pl_lanes x = J - 1.0, square = x * x;
  pl_lanes power = square;
  for (int i = 2; i < 2 + VOLUMES; i++) {
    const pl_lanes k = point->mu * point->numbers[TERMS - 3 + i];
    U.bend += (2.0 * i * (2.0 * i - 1)) * k * power;
    U.slope += (2.0 * i) * k * power * x;
    power *= square;
    U.value += k * power;
  }
  return U;
}

PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  pl_lanes_curve c = pl_isochoric_factor(I[2]);
  pl_lanes_curve f = shape_energy(point, c.value * I[0] - 3.0);
  pl_isochoric_potential(I, &c, f, volume_energy(point, I[2]), out);
}

PL_INVARIANT_POINTS(potential, 0)

const pl_law_ops PL_VARIANT(pl_law_reduced_polynomial) = {
    .info = PL_INFO("reduced-polynomial",
                    "rubber by up to six moduli of the first invariant (Yeoh: c1, c2, c3), with "
                    "an upturn at large stretch; volumes down to 0.1; makes no use of strain",
                    "Yeoh 1993; Hauth 2004, 2.5.4", params),
    .has_wall = 1,
    .volume = PL_VOLUME_BULK,
    .lame = lame,
    .number_count = NUMBERS,
    .numbers = numbers,
    .points = PL_INVARIANT_LAW(pl_invariant_shape),
};
