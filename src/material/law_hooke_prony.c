/* Hooke's law with fading memory: a generalised Maxwell material, given by a Prony series.
 *
 * In any strain measure, with K = lambda + 2/3 mu, the deviator e of the strain E and the moduli of
 * a sudden load,
 *
 *   S = K tr(E) I + 2 mu (1 - sum g_i) e + 2 mu sum g_i e_i       de_i/dt + e_i / tau_i = de/dt
 *
 * (Simo 1987, "On a fully three-dimensional finite-strain viscoelastic damage model"; Taylor,
 * Pister, Goudreau 1970; Hauth 2004, 5.2.) Each term is a spring and a dashpot in series beside the
 * spring that stays; the volume does not creep. e_i is the strain of the i-th spring.
 *
 * Over a substep of length h in which e changes evenly from the e_n at its beginning (z = h / tau,
 * b = (1 - exp(-z)) / z),
 *
 *   e_i = exp(-z_i) e_i,n + b_i (e - e_n)
 *
 * exactly. So S is the derivative by E of the potential
 *
 *   W = K/2 tr(E)^2 + a mu e:e + T:E + W_n,      a = 1 - sum g_i + sum g_i b_i,
 *   T = 2 mu sum g_i (exp(-z_i) e_i,n - b_i e_n),      W_n = mu sum g_i |e_n - e_i,n|^2
 *
 * which is Hooke's law with a mu in place of mu and a prestress, whatever the number of terms. W_n
 * makes W at h = 0 the energy in the springs. A point remembers e_n and the e_i,n. */
#include "material/hooke_point.h"
#include "material/material.h"
#include "material/prony.h"
#include "math/lanes_curves.h"

enum { PARAM_COUNT = PL_MODULI + PL_PRONY_PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    PL_MODULI_PARAMS,
    PL_PRONY_PARAMS(PL_MODULI),
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  pl_status status = pl_moduli_lame("hooke-prony", values, lambda, mu, error);
  return status ? status : pl_prony_instant(values + PL_MODULI, lambda, mu, error);
}

static void numbers(const double *values, double *out)
{
  pl_prony_numbers(values + PL_MODULI, out);
}

/* The six numbers of a deviator. */
PL_INLINE void deviator(pl_lanes *E)
{
  pl_lanes mean = (E[0] + E[1] + E[2]) / 3.0;
  for (int i = 0; i < 3; i++) E[i] -= mean;
}

/* What freeze fills: T, a and W_n. */
enum { ALPHA = 6, ENERGY, FROZEN };

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  const pl_lanes *now = history, *g = point->numbers, *tau = g + PL_PRONY_TERMS;
  pl_lanes T[6], alpha = pl_lanes_all(1), energy = pl_lanes_all(0);
  for (int k = 0; k < 6; k++) T[k] = pl_lanes_all(0);
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    const pl_lanes *spring = history + 6 * (i + 1);
    pl_lanes z = h / tau[i], decay = pl_lanes_decay(z), mean = pl_lanes_mean_decay(z, decay);
    pl_lanes slip[6];
    for (int k = 0; k < 6; k++) {
      T[k] += g[i] * (decay * spring[k] - mean * now[k]);
      slip[k] = now[k] - spring[k];
    }
    alpha -= g[i] * (1.0 - mean);
    energy += g[i] * pl_lanes_dot6(slip, slip);
  }
  for (int k = 0; k < 6; k++) frozen[k] = 2.0 * point->mu * T[k];
  frozen[ALPHA] = alpha;
  frozen[ENERGY] = point->mu * energy;
}

static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  const pl_lanes *tau = point->numbers + PL_PRONY_TERMS;
  pl_lanes now[6], change[6];
  point->strain->measure(point->F, now);
  deviator(now);
  for (int k = 0; k < 6; k++) {
    change[k] = now[k] - history[k];
    history[k] = now[k];
  }
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    pl_lanes *spring = history + 6 * (i + 1), z = h / tau[i];
    pl_lanes decay = pl_lanes_decay(z), mean = pl_lanes_mean_decay(z, decay);
    for (int k = 0; k < 6; k++) spring[k] = decay * spring[k] + mean * change[k];
  }
}

/* The point of the potential. */
PL_INLINE pl_point potential(const pl_point *point)
{
  pl_point out = *point;
  out.mu = point->frozen[ALPHA] * point->mu;
  out.lambda = point->lambda + (2.0 / 3) * (point->mu - out.mu);
  out.prestress = point->frozen;
  return out;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_point at = potential(point);
  at.strain->stress(&at, P, W);
  if (W) *W += point->frozen[ENERGY];
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_point at = potential(point);
  at.strain->tangent(&at, kq, kv, semidefinite, P, H);
}

static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  return point->strain->shape(point, semidefinite);
}

static void form(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                 pl_tangent_form *out)
{
  pl_point at = potential(point);
  at.strain->form(&at, kq, kv, semidefinite, P, out);
}

const pl_law_ops PL_VARIANT(pl_law_hooke_prony) = {
    .info =
        {
            .name = "hooke-prony",
            .summary = "Hooke's law whose resistance to shear fades in time: springs and dashpots "
                       "in series beside a spring (generalised Maxwell), in any strain measure",
            .source = "Simo 1987; Taylor, Pister, Goudreau 1970; Hauth 2004, 5.2",
            .params = params,
            .param_count = PARAM_COUNT,
        },
    .lame = lame,
    .number_count = PL_PRONY_NUMBERS,
    .numbers = numbers,
    .uses_strain = 1,
    .points = {.stress = stress, .tangent = tangent, .shape = shape, .form = form},
    .memory = {.count = pl_prony_history, .frozen = FROZEN, .freeze = freeze, .advance = advance},
};
