/* Rubber of eight chains per cell:
 *
 *   W = mu_a sum_i k_i / lm^(2i-2) (Ib1^i - 3^i) + K/2 (J - 1)^2      i = 1 ... 5, Ib1 = J^(-2/3)
 * I1 k = 1/2, 1/20, 11/1050, 19/7000, 519/673750
 *
 * (Arruda, Boyce 1993, "A three-dimensional constitutive model for the large stretch behavior of
 * rubber elastic materials", the series of the inverse Langevin function to its fifth term.) lm is
 * the stretch at which chains are straight. At rest
 *   mu = mu_a (1 + 3/(5 lm^2) + 99/(175 lm^4) + 513/(875 lm^6) + 42039/(67375 lm^8)),
 * which is the sum 2 k_i i (3 / lm^2)^(i-1). A point's own numbers are mu_a / mu and 1 / lm^2. */
#include "material/isochoric_point.h"
#include "material/material.h"
#include "material/native.h"

enum { MU_A, LOCKING, NATIVE, PARAM_COUNT = NATIVE + PL_NATIVE_COUNT };
enum { TERMS = 5 };

static const double k[TERMS] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};

static const pl_param params[PARAM_COUNT] = {
    [MU_A] = {.name = "mu-a",
              .unit = "Pa",
              .summary = "modulus of the chains, a little below the shear modulus at rest",
              .preset = NAN,
              .min = 1e-4,
              .max = 1e13},
    [LOCKING] = {.name = "locking-stretch",
                 .unit = "1",
                 .summary = "stretch at which the chains are straight, above 1",
                 .preset = 5,
                 .min = 1.01,
                 .max = 1e6},
    PL_NATIVE_PARAMS(NATIVE),
};

/* mu / mu_a */
static double stiffer(const double *values)
{
  double y = 3 / (values[LOCKING] * values[LOCKING]), power = 1, sum = 0;
  for (int i = 0; i < TERMS; i++, power *= y) sum += 2 * k[i] * (i + 1) * power;
  return sum;
}

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_native_lame("arruda-boyce", "mu-a", values + NATIVE, values[MU_A] * stiffer(values),
                        !isnan(values[MU_A]), lambda, mu, error);
}

static void numbers(const double *values, double *out)
{
  out[0] = 1 / stiffer(values);
  out[1] = 1 / (values[LOCKING] * values[LOCKING]);
}

/* By x = Ib1 - 3: the sum over i of a_i ((x + 3)^i - 3^i), each factor of x taken out. */
PL_INLINE pl_lanes_curve shape_energy(const pl_point *point, pl_lanes x)
{
  const pl_lanes zero = pl_lanes_all(0), y = x + 3.0;
  pl_lanes_curve f = {zero, zero, zero};
  pl_lanes a = point->mu * point->numbers[0], power = pl_lanes_all(1), less = zero, sum = zero;
  for (int i = 0; i < TERMS; i++) {
    // power = y^i, less = y^(i-1), sum = (y^(i+1) - 3^(i+1)) / (y - 3)
    sum = sum * 3.0 + power;
    f.value += (k[i] * a) * (sum * x);
    f.slope += (k[i] * (i + 1) * a) * power;
    f.bend += (k[i] * (i + 1) * i * a) * less;
    less = power;
    power *= y;
    a *= point->numbers[1];
  }
  return f;
}

PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  pl_lanes_curve c = pl_isochoric_factor(I[2]);
  pl_lanes_curve f = shape_energy(point, c.value * I[0] - 3.0);
  pl_isochoric_potential(I, &c, f, pl_bulk_energy(point, I[2]), out);
}

PL_INVARIANT_POINTS(potential, 0)

const pl_law_ops PL_VARIANT(pl_law_arruda_boyce) = {
    .info = PL_INFO("arruda-boyce",
                    "rubber of chains that become straight at the locking stretch: two numbers "
                    "for all modes; volumes down to 0.1; makes no use of strain",
                    "Arruda, Boyce 1993", params),
    .has_wall = 1,
    .volume = PL_VOLUME_BULK,
    .lame = lame,
    .number_count = 2,
    .numbers = numbers,
    .points = PL_INVARIANT_LAW(pl_invariant_shape),
};
