/* Mooney-Rivlin material with fading memory: finite linear viscoelasticity, given by a Prony
 * series.
 *
 * With the second Piola-Kirchhoff stress S = S_volume + S_shape of the law for a sudden load,
 * S_shape that of bulk = 0,
 *
 *   S = S_volume + (1 - sum g_i) S_shape + sum H_i       dH_i/dt + H_i / tau_i = g_i dS_shape/dt
 *
 * (Simo 1987, "On a fully three-dimensional finite-strain viscoelastic damage model"). The law is
 * linear in its moduli, so that prony_point.h with e = S_shape / (2 mu) makes of it the law with a
 * mu in place of mu, and a prestress in Green's strain. Rotations do not count. At large strain the
 * H_i are not without pressure: that is part of the model, and programs differ here.
 *
 * S = F^-1 P does not exist where F is flat: below J = PL_LEAST_RATIO, where the law itself is only
 * continued, it is taken smaller, G^T P / PL_LEAST_RATIO. */
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/mooney_rivlin.h"
#include "material/prony_point.h"

enum { SERIES = PL_MOONEY_RIVLIN_PARAM_COUNT, PARAM_COUNT = SERIES + PL_PRONY_PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    PL_MOONEY_RIVLIN_PARAMS,
    PL_PRONY_PARAMS(SERIES),
};

/* The law of a sudden load. */
static const pl_law_ops *const sudden = &PL_VARIANT(pl_law_mooney_rivlin);

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  // the law of a sudden load has other moduli where this one has its series
  double own[SERIES + PL_MODULUS_COUNT];
  for (int i = 0; i < SERIES + PL_MODULUS_COUNT; i++) own[i] = i < SERIES ? values[i] : NAN;
  pl_status status = sudden->lame(own, lambda, mu, error);
  return status ? status : pl_prony_instant(values + SERIES, lambda, mu, error);
}

/* The series, then those of the law of a sudden load. */
static void numbers(const double *values, double *out)
{
  pl_prony_numbers(values + SERIES, out);
  sudden->numbers(values, out + PL_PRONY_NUMBERS);
}

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  pl_prony_freeze(point, h, history, count, frozen);
}

static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  pl_point shape = *point;
  pl_lanes P[9], G[9], S[9], e[6];
  shape.lambda = (-2.0 / 3) * point->mu;
  shape.numbers = point->numbers + PL_PRONY_NUMBERS;
  shape.prestress = shape.pressure = NULL;
  shape.viscous = 0;
  sudden->points.stress(&shape, P, NULL);
  pl_lanes J = pl_lanes_mat3_cofactors(point->F, G);
  pl_lanes scale = pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO)) * 2.0 * point->mu;
  pl_lanes_mat3_multiply_tn(G, P, S);
  pl_lanes_mat3_symmetric(S, S);
  pl_lanes_mat3_pack(S, e);
  // rigid elements have no moduli
  for (int k = 0; k < 6; k++) e[k] = pl_lanes_pick(scale > 0.0, e[k] / scale, pl_lanes_all(0));
  pl_prony_advance(point, h, e, count, history);
}

PL_INLINE pl_point fading(const pl_point *point)
{
  pl_point at = pl_prony_point(point);
  at.numbers = point->numbers + PL_PRONY_NUMBERS;
  return at;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_point at = fading(point);
  sudden->points.stress(&at, P, W);
  if (W) *W += point->frozen[PL_PRONY_ENERGY];
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_point at = fading(point);
  sudden->points.tangent(&at, kq, kv, semidefinite, P, H);
}

static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                 pl_tangent_form *out)
{
  pl_point at = fading(point);
  sudden->points.form(&at, kq, kv, semidefinite, P, out);
}

static void decays(const pl_lanes *numbers, double h, int count, pl_lanes *out)
{
  pl_prony_decays(numbers, h, count, out);
}

const pl_law_ops PL_VARIANT(pl_law_mooney_rivlin_prony) = {
    .info = PL_INFO("mooney-rivlin-prony",
                    "rubber whose resistance to a change of shape fades in time (finite linear "
                    "viscoelasticity); makes no use of strain",
                    "Simo 1987; Taylor, Pister, Goudreau 1970; Hauth 2004, 5.2", params),
    .has_wall = 1,
    .volume = PL_VOLUME_BULK,
    .lame = lame,
    .number_count = PL_PRONY_NUMBERS + 1,
    .numbers = numbers,
    .points = {.stress = stress, .tangent = tangent, .shape = pl_second_shape, .form = form},
    .memory = {.count = pl_prony_history,
               .frozen = PL_PRONY_FROZEN,
               .freeze = freeze,
               .advance = advance,
               .decays = decays},
};
