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
 * Over a substep in which e changes evenly (prony_point.h), S is the derivative by E of
 *
 *   W = K/2 tr(E)^2 + a mu e:e + T:E + W_n
 *
 * which is Hooke's law with a mu in place of mu and a prestress, whatever the number of terms. W_n
 * makes W at h = 0 the energy in the springs. A point remembers e_n and the e_i,n. */
#include "material/material.h"
#include "material/prony_point.h"

enum { PARAM_COUNT = PL_MODULUS_COUNT + PL_PRONY_PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    PL_MODULI_PARAMS,
    PL_PRONY_PARAMS(PL_MODULUS_COUNT),
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  pl_status status = pl_moduli_lame("hooke-prony", values, lambda, mu, error);
  return status ? status : pl_prony_instant(values + PL_MODULUS_COUNT, lambda, mu, error);
}

static void numbers(const double *values, double *out)
{
  pl_prony_numbers(values + PL_MODULUS_COUNT, out);
}

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  pl_prony_freeze(point, h, history, count, frozen);
}

static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  pl_lanes E[6];
  point->strain->measure(point->F, E);
  pl_lanes mean = (E[0] + E[1] + E[2]) / 3.0;
  for (int i = 0; i < 3; i++) E[i] -= mean;
  pl_prony_advance(point, h, E, count, history);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_point at = pl_prony_point(point);
  at.strain->stress(&at, P, W);
  if (W) *W += point->frozen[PL_PRONY_ENERGY];
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_point at = pl_prony_point(point);
  at.strain->tangent(&at, kq, kv, semidefinite, P, H);
}

static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  return point->strain->shape(point, semidefinite);
}

static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                 pl_tangent_form *out)
{
  pl_point at = pl_prony_point(point);
  at.strain->form(&at, kq, kv, semidefinite, P, out);
}

static void decays(const pl_lanes *numbers, double h, int count, pl_lanes *out)
{
  pl_prony_decays(numbers, h, count, out);
}

const pl_law_ops PL_VARIANT(pl_law_hooke_prony) = {
    .info = PL_INFO("hooke-prony",
                    "Hooke's law whose resistance to shear fades in time: springs and dashpots "
                    "in series beside a spring (generalised Maxwell), in any strain measure",
                    "Simo 1987; Taylor, Pister, Goudreau 1970; Hauth 2004, 5.2", params),
    .volume = PL_VOLUME_LAMBDA,
    .lame = lame,
    .number_count = PL_PRONY_NUMBERS,
    .numbers = numbers,
    .uses_strain = 1,
    .points = {.stress = stress, .tangent = tangent, .shape = shape, .form = form},
    .memory = {.count = pl_prony_history,
               .frozen = PL_PRONY_FROZEN,
               .freeze = freeze,
               .advance = advance,
               .decays = decays},
};
