/* Fading memory on any law: finite linear viscoelasticity, given by a Prony series.
 *
 * With the second Piola-Kirchhoff stress S of a law for a sudden load and the part S' of it that
 * fades,
 *
 *   S = S - sum g_i S' + sum H_i       dH_i/dt + H_i / tau_i = g_i dS'/dt
 *
 * (Simo 1987; Taylor, Pister, Goudreau 1970; Hauth 2004, 5.2). S' is the stress of shape (that of
 * the law with the bulk modulus 0), of volume (the rest), or both. Laws are linear in their moduli,
 * so that with prony_point.h and e = S' / (2 mu) a substep has the law with the fading moduli times
 * a, and a prestress T in Green's strain; whatever the number of terms. Hooke's law in a strain
 * measure has that measure in place of Green's, and e of its strain.
 *
 * Where rates at both ends of a substep count (pl_fading.hermite), b dS'/dt is a part of the stress
 * beside (prony_point.h). Hooke's law has it by viscous moduli; laws of F by dS' = F^-1 (dP - dF
 * S'), and in their matrix as Hooke's law does, which Newton's method makes up for.
 *
 * S = F^-1 P does not exist where F is flat: below J = PL_LEAST_RATIO, where laws are only
 * continued, it is taken smaller, G^T P / PL_LEAST_RATIO. The numbers of a point are the series,
 * then those of the law. */
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/prony_point.h"

PL_INLINE pl_lanes bulk_of(const pl_point *point) { return point->lambda + (2.0 / 3) * point->mu; }

/* A point as it is, but for a rate that nobody reads. Number by number: compilers copy the whole
 * more slowly than the law takes to compute. */
PL_INLINE void copy_point(const pl_point *point, pl_point *out)
{
  for (int i = 0; i < 9; i++) out->F[i] = point->F[i];
  for (int i = 0; i < 9 && point->viscous; i++) out->rate[i] = point->rate[i];
  out->lambda = point->lambda;
  out->mu = point->mu;
  out->viscous_lambda = point->viscous_lambda;
  out->viscous_mu = point->viscous_mu;
  out->numbers = point->numbers;
  out->frozen = point->frozen;
  out->prestress = point->prestress;
  out->pressure = point->pressure;
  out->strain = point->strain;
  out->fading = point->fading;
  out->decays = point->decays;
  out->axes = point->axes;
  out->layers = point->layers;
  out->layer_numbers = point->layer_numbers;
  out->move = NULL;
  out->viscous = point->viscous;
}

/* The point with the moduli that fade times a. */
PL_INLINE void scale(const pl_point *point, pl_lanes a, pl_point *out)
{
  copy_point(point, out);
  pl_fade_moduli(point->fading->of, a, &out->lambda, &out->mu);
  out->numbers = point->numbers + PL_PRONY_NUMBERS;
}

/* The point with the moduli that fade alone. */
PL_INLINE void only_fading(const pl_point *point, pl_point *out)
{
  copy_point(point, out);
  pl_only_fading(point->fading->of, &out->lambda, &out->mu);
  out->numbers = point->numbers + PL_PRONY_NUMBERS;
  out->prestress = out->pressure = NULL;
  out->viscous = 0;
}

/* The viscous moduli by which Hooke's law has the stress b dS'/dt. */
PL_INLINE void add_viscosity(const pl_point *point, pl_point *out)
{
  const pl_lanes b = point->frozen[PL_HERMITE_RATE];
  pl_lanes lambda = point->lambda, mu = point->mu;
  pl_only_fading(point->fading->of, &lambda, &mu);
  out->viscous_mu += b * mu;
  out->viscous_lambda += b * lambda;
}

PL_INLINE int has_rates(const pl_point *point) { return point->fading->hermite && point->viscous; }

/* The point whose law has the stress, but for the rates of a law of F. */
PL_INLINE void fade(const pl_point *point, pl_point *out)
{
  scale(point, point->frozen[PL_PRONY_ALPHA], out);
  out->prestress = point->frozen;
  if (has_rates(point) && point->fading->by_strain) add_viscosity(point, out);
}

/* 2 mu dS'/dt / (2 mu) of a law of F. */
PL_INLINE void stress_rate(const pl_point *point, pl_lanes *r)
{
  pl_lanes P[9], H[81], S[9], G[9], dP[9], dS[9];
  pl_point only;
  only_fading(point, &only);
  point->fading->law->tangent(&only, 1, 0, 0, P, H);
  const pl_lanes J = pl_lanes_mat3_cofactors(point->F, G);
  const pl_lanes volume = pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO));
  pl_lanes_mat3_multiply_tn(G, P, S);
  for (int i = 0; i < 9; i++) S[i] /= volume;
  pl_lanes_mat3_multiply(point->rate, S, dP);
  for (int i = 0; i < 9; i++) {
    dP[i] = -dP[i];
    for (int k = 0; k < 9; k++) dP[i] += H[9 * i + k] * point->rate[k];
  }
  pl_lanes_mat3_multiply_tn(G, dP, dS);
  pl_lanes_mat3_symmetric(dS, dS);
  pl_lanes_mat3_pack(dS, r);
  const pl_lanes scale = volume * 2.0 * point->mu;
  for (int k = 0; k < 6; k++) r[k] = pl_lanes_pick(scale > 0.0, r[k] / scale, pl_lanes_all(0));
}

/* The rate of the strain measure: T : dE/dt is the power P : dF/dt of a prestress T. */
PL_INLINE void strain_rate(const pl_point *point, pl_lanes *rate)
{
  pl_lanes P[9], unit[6];
  pl_point bare = *point;
  bare.lambda = bare.mu = pl_lanes_all(0);
  bare.pressure = NULL;
  bare.viscous = 0;
  bare.prestress = unit;
  for (int m = 0; m < 6; m++) {
    for (int k = 0; k < 6; k++) unit[k] = pl_lanes_all(k == m);
    point->strain->stress(&bare, P, NULL);
    rate[m] = pl_lanes_mat3_dot(P, point->rate) * (m < 3 ? 1.0 : 0.5);
  }
}

/* S of a law of F, from P. */
PL_INLINE void conjugate(const pl_point *point, pl_lanes *six)
{
  pl_lanes P[9], G[9], S[9];
  point->fading->law->stress(point, P, NULL);
  const pl_lanes J = pl_lanes_mat3_cofactors(point->F, G);
  const pl_lanes factor = 1.0 / pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO));
  pl_lanes_mat3_multiply_tn(G, P, S);
  pl_lanes_mat3_symmetric(S, S);
  pl_lanes_mat3_pack(S, six);
  for (int k = 0; k < 6; k++) six[k] *= factor;
}

/* S' of a law of F: that of the moduli that fade. */
PL_INLINE void fading_stress(const pl_point *point, pl_lanes *S)
{
  pl_point only;
  only_fading(point, &only);
  if (only.fading->law->conjugate)
    only.fading->law->conjugate(&only, S);
  else
    conjugate(&only, S);
}

/* W_n: what is stored in the springs, a mean stress by the bulk modulus. */
PL_INLINE pl_lanes stored(const pl_point *point, const pl_prony_slip *sums)
{
  const pl_lanes mu = point->mu;
  pl_lanes volume = 3.0 * mu;
  if (point->fading->of != PL_FADING_SHAPE) volume = 2.0 * mu * mu / bulk_of(point);
  const pl_lanes energy = mu * (sums->all - 3.0 * sums->mean) + volume * sums->mean;
  return pl_lanes_pick(mu > 0.0, energy, pl_lanes_all(0));
}

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  const pl_prony_slip sums = point->fading->hermite
                                 ? pl_hermite_freeze(point, h, history, count, frozen)
                                 : pl_prony_freeze(point, h, history, count, frozen);
  frozen[PL_PRONY_ENERGY] = stored(point, &sums);
}

/* S' of a law that is linear in a measure: all of its stress. */
PL_INLINE void linear_stress(const pl_point *point, pl_lanes *S)
{
  pl_point whole;
  scale(point, pl_lanes_all(1), &whole);
  point->fading->law->conjugate(&whole, S);
}

/* The rate of S' / (2 mu). */
PL_INLINE void rate_part(const pl_point *point, pl_lanes *r)
{
  for (int k = 0; k < 6; k++) r[k] = pl_lanes_all(0);
  if (!point->viscous) return;
  if (!point->fading->by_strain) {
    stress_rate(point, r);
    return;
  }
  strain_rate(point, r);
  pl_fading_strain(point, r);
}

/* S' / (2 mu) */
PL_INLINE void fading_part(const pl_point *point, pl_lanes *e)
{
  if (point->fading->by_strain && !point->fading->law->conjugate) {
    point->strain->measure(point->F, e);
    pl_fading_strain(point, e);
    return;
  }
  if (point->fading->by_strain)
    linear_stress(point, e);
  else
    fading_stress(point, e);
  pl_fading_part_of_stress(point->mu, e);
}

static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  pl_lanes e[6], r[6];
  fading_part(point, e);
  if (!point->fading->hermite) {
    pl_prony_advance(point, h, e, count, history);
    return;
  }
  rate_part(point, r);
  pl_hermite_advance(point, h, e, r, count, history);
}

static __attribute__((noinline)) void decays(const pl_lanes *numbers, double h, int count,
                                             pl_lanes *out)
{
  pl_prony_decays(numbers, h, count, out);
}

void PL_VARIANT(pl_move_terms)(const pl_point *point, const pl_lanes *e)
{
  const pl_move *move = point->move;
  const double *from = move->from;
  double *to = move->to;
  pl_lanes change[6], T[6], alpha = pl_lanes_all(1);
  for (int k = 0; k < 6; k++, from += PL_LANES, to += PL_LANES) {
    change[k] = e[k] - pl_lanes_load(from);
    pl_lanes_store(to, e[k]);
    T[k] = pl_lanes_all(0);
  }
  for (int i = 0; i < move->terms; i++) {
    const pl_decay by = pl_move_decay(move, i);
    const pl_decay stress = pl_decay_stress(by, move->shares[i], point->mu);
    for (int k = 0; k < 6; k++, from += PL_LANES, to += PL_LANES) {
      const pl_lanes more = pl_move_number(by, stress, e[k], change[k], from, to);
      T[k] = i ? T[k] + more : more;
    }
    alpha = pl_move_alpha(move, i, alpha);
  }
  for (int k = 0; k < 6; k++) move->frozen[k] = T[k];
  move->frozen[PL_PRONY_ALPHA] = alpha;
}

/* For the linear rule alone; histories with rates are advanced and frozen one after the other. */
static void move(const pl_point *point)
{
  pl_lanes e[6];
  fading_part(point, e);
  pl_move_on(point, e);
}

/* T += 2 mu b r of a law of F. */
PL_INLINE void add_rates(const pl_point *point, pl_point *at, pl_lanes *T)
{
  pl_lanes r[6];
  stress_rate(point, r);
  for (int k = 0; k < 6; k++)
    T[k] = point->frozen[k] + 2.0 * point->mu * point->frozen[PL_HERMITE_RATE] * r[k];
  at->prestress = T;
}

PL_INLINE int has_stress_rates(const pl_point *point)
{
  return has_rates(point) && !point->fading->by_strain;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes T[6];
  pl_point at;
  fade(point, &at);
  if (has_stress_rates(point)) add_rates(point, &at, T);
  at.fading->law->stress(&at, P, W);
  if (W) *W += point->frozen[PL_PRONY_ENERGY];
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_lanes T[6];
  pl_point at;
  fade(point, &at);
  if (!has_stress_rates(point)) {
    at.fading->law->tangent(&at, kq, kv, semidefinite, P, H);
    return;
  }
  if (P) stress(point, P, NULL);
  add_rates(point, &at, T);
  add_viscosity(point, &at);
  at.fading->law->tangent(&at, kq, kv, semidefinite, NULL, H);
}

static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  return point->fading->law->shape(point, semidefinite);
}

static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                 pl_tangent_form *out)
{
  pl_point at;
  fade(point, &at);
  at.fading->law->form(&at, kq, kv, semidefinite, P, out);
}

const pl_fading_ops PL_VARIANT(pl_fading) = {
    .points = {.stress = stress, .tangent = tangent, .shape = shape, .form = form},
    .memory = {.count = pl_prony_history,
               .frozen = PL_HERMITE_FROZEN,
               .freeze = freeze,
               .advance = advance,
               .move = move,
               .decays = decays},
};
