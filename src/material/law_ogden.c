/* Ogden's material of up to six terms:
 *
 *   W = sum_p mu_p / al_p (sum_i sb_i^al_p - 3) + K/2 (J - 1)^2,      sb_i = J^(-1/3) s_i
 *
 * (Ogden 1972, "Large deformation isotropic elasticity".) At rest mu = sum mu_p al_p / 2. With
 * convention="abaqus" the given moduli are 2 mu_p / al_p^2, so that they add up to mu. Each mu_p
 * al_p > 0 is enough for stability. Incompressible, the nominal stress in uniaxial tension by s is
 * sum mu_p (s^(al-1) - s^(-al/2-1)), in equibiaxial tension sum mu_p (s^(al-1) - s^(-2al-1)), in
 * planar tension sum mu_p (s^(al-1) - s^(-al-1)).
 *
 * For flat and inverted points the functions are continued, not the energy: b^al below b = 0.1 and
 * c(J) = J^(-1/3) below J = 0.1 by their parabolas; so w = sum mu_p/al_p (sum phi_p(c s_i) - 3) + U
 * is a potential there as well. With k = dJ/ds, phi' and phi'' at b_i = c s_i and t = sum phi'_i
 * s_i,
 *   g_j  = c phi'_j + c' t k_j
 *   A_jl = sum_i D_ij phi''_i D_il + c' (phi'_j k_l + k_j phi'_l) + (c'' k_j k_l + c' J_jl) t
 *   D_ij = c delta_ij + c' s_i k_j.
 * A point's own numbers are mu_p / mu, then al_p. */
#include "core/error.h"
#include "material/isochoric_point.h"
#include "material/material.h"
#include "material/native.h"
#include "material/stretch_point.h"

enum { TERMS = 6, CONVENTION = 2 * TERMS, NATIVE, PARAM_COUNT = NATIVE + PL_NATIVE_COUNT };

#define LEAST_STRETCH 0.1

#define TERM(i, number)                                                                            \
  [2 * (i)] = {.name = "mu" #number,                                                               \
               .unit = "Pa",                                                                       \
               .summary = "modulus of term " #number ", of the sign of alpha" #number,             \
               .preset = NAN,                                                                      \
               .min = -1e13,                                                                       \
               .max = 1e13},                                                                       \
       [2 * (i) + 1] = {.name = "alpha" #number,                                                   \
                        .unit = "1",                                                               \
                        .summary = "exponent of term " #number ", not 0",                          \
                        .preset = (i) ? NAN : 2,                                                   \
                        .min = -50,                                                                \
                        .max = 50}

static const pl_param params[PARAM_COUNT] = {
    TERM(0, 1),
    TERM(1, 2),
    TERM(2, 3),
    TERM(3, 4),
    TERM(4, 5),
    TERM(5, 6),
    [CONVENTION] = {.name = "convention",
                    .unit = "1",
                    .summary = "ogden: mu_p / alpha_p before each sum of powers; abaqus: 2 mu_p / "
                               "alpha_p^2, so that the moduli add up to the shear modulus",
                    .preset = 0,
                    .min = 0,
                    .max = 1,
                    .words = "ogden|abaqus"},
    PL_NATIVE_PARAMS(NATIVE),
};

/* mu_p as Ogden writes it, 0 for a term that is not given. */
static double modulus(const double *values, int p)
{
  double mu = values[2 * p], alpha = values[2 * p + 1];
  if (isnan(mu)) return 0;
  return values[CONVENTION] == 1 ? 2 * mu / alpha : mu;
}

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  double sum = 0;
  int any = 0;
  for (int p = 0; p < TERMS; p++) {
    double m = values[2 * p], alpha = values[2 * p + 1];
    any |= !isnan(m);
    if (isnan(m)) continue;
    if (isnan(alpha) || alpha == 0)
      return pl_fail(error, PL_E_ARGUMENT,
                     "alpha%d of ogden is %s; give an exponent other than 0 with mu%d = %g", p + 1,
                     isnan(alpha) ? "missing" : "0", p + 1, m);
    sum += modulus(values, p) * alpha / 2;
  }
  return pl_native_lame("ogden", "mu1, alpha1", values + NATIVE, any ? sum : NAN, any, lambda, mu,
                        error);
}

static void numbers(const double *values, double *out)
{
  double sum = 0;
  for (int p = 0; p < TERMS; p++)
    sum += isnan(values[2 * p]) ? 0 : modulus(values, p) * values[2 * p + 1] / 2;
  int by_moduli = pl_native_by_moduli(values + NATIVE);
  for (int p = 0; p < TERMS; p++) {
    int given = !isnan(values[2 * p]);
    out[p] = given ? modulus(values, p) / sum : 0;
    out[TERMS + p] = given ? values[2 * p + 1] : 1;
  }
  if (!by_moduli) return;
  // one term with the first exponent
  out[0] = 2 / values[1];
  out[TERMS] = values[1];
}

/* b^alpha and its first two derivatives. */
PL_INLINE pl_lanes_curve power(pl_lanes b, pl_lanes alpha)
{
  pl_lanes x = pl_lanes_max(b, pl_lanes_all(LEAST_STRETCH));
  pl_lanes value = pl_lanes_exp(alpha * pl_lanes_log(x)), slope = alpha * value / x;
  const pl_lanes_curve curve = {value, slope, (alpha - 1.0) * slope / x};
  return pl_lanes_continue(curve, b - x);
}

/* J^(-1/3) */
PL_INLINE pl_lanes_curve factor(pl_lanes J)
{
  pl_lanes j = pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO)), c = pl_lanes_inverse_root3(j);
  const pl_lanes_curve curve = {c, c / (-3.0 * j), c * (4.0 / 9) / (j * j)};
  return pl_lanes_continue(curve, J - j);
}

/* Adds the derivatives of one term, phi being times mu_p / al_p. */
PL_INLINE void add_term(const pl_lanes *s, const pl_lanes *k, const pl_lanes_curve *c,
                        const pl_lanes_curve *phi, pl_stretches *out)
{
  pl_lanes t = phi[0].slope * s[0] + phi[1].slope * s[1] + phi[2].slope * s[2];
  for (int j = 0; j < 3; j++) {
    out->g[j] += c->value * phi[j].slope + c->slope * t * k[j];
    for (int l = j; l < 3; l++) {
      pl_lanes sum = c->slope * (phi[j].slope * k[l] + k[j] * phi[l].slope);
      sum += c->bend * k[j] * k[l] * t;
      if (j != l) sum += c->slope * s[3 - j - l] * t;
      for (int i = 0; i < 3; i++) {
        pl_lanes Dj = c->slope * s[i] * k[j], Dl = c->slope * s[i] * k[l];
        if (i == j) Dj += c->value;
        if (i == l) Dl += c->value;
        sum += Dj * phi[i].bend * Dl;
      }
      out->A[3 * j + l] += sum;
      if (j != l) out->A[3 * l + j] += sum;
    }
  }
}

PL_INLINE void stretches(const pl_point *point, const pl_lanes *s, pl_stretches *out)
{
  const pl_lanes J = s[0] * s[1] * s[2];
  const pl_lanes_curve c = factor(J);
  pl_lanes k[3];
  pl_stretch_volume(s, k);
  memset(out, 0, sizeof *out);
  for (int p = 0; p < TERMS; p++) {
    pl_lanes m = point->mu * point->numbers[p], alpha = point->numbers[TERMS + p];
    if (!pl_lanes_any(m != 0.0)) continue;
    pl_lanes_curve phi[3];
    for (int i = 0; i < 3; i++) {
      phi[i] = power(c.value * s[i], alpha);
      out->w += m / alpha * (phi[i].value - 1.0);
      phi[i].slope *= m / alpha;
      phi[i].bend *= m / alpha;
    }
    add_term(s, k, &c, phi, out);
  }
  pl_stretch_add_volume(s, pl_bulk_energy(point, J), out);
}

PL_STRETCH_POINTS(stretches)

const pl_law_ops PL_VARIANT(pl_law_ogden) = {
    .info = PL_INFO("ogden",
                    "rubber by powers of its stretches, up to six terms; stretches and volumes "
                    "down to 0.1; makes no use of strain",
                    "Ogden 1972", params),
    .has_wall = 1,
    .volume = PL_VOLUME_BULK,
    .lame = lame,
    .number_count = 2 * TERMS,
    .numbers = numbers,
    .points = PL_STRETCH_FORM_POINTS,
};
