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
  out->parts = point->parts;
  out->viscous = point->viscous;
}

/* The point with the moduli that fade times a. */
PL_INLINE void scale(const pl_point *point, pl_lanes a, pl_point *out)
{
  copy_point(point, out);
  pl_fade_moduli(point->fading->of, a, &out->lambda, &out->mu);
  out->numbers = point->numbers + PL_PRONY_NUMBERS;
}

/* The point with the moduli that fade alone, times a. */
PL_INLINE void only_fading(const pl_point *point, pl_lanes a, pl_point *out)
{
  const int of = (int)point->fading->of;
  const pl_lanes none = pl_lanes_all(0);
  copy_point(point, out);
  out->mu = of == PL_FADING_VOLUME ? none : a * point->mu;
  out->lambda = (of == PL_FADING_SHAPE ? none : a * bulk_of(point)) - (2.0 / 3) * out->mu;
  out->numbers = point->numbers + PL_PRONY_NUMBERS;
  out->prestress = out->pressure = NULL;
  out->viscous = 0;
}

/* The viscous moduli by which Hooke's law has the stress b dS'/dt. */
PL_INLINE void add_viscosity(const pl_point *point, pl_point *out)
{
  pl_point more;
  only_fading(point, point->frozen[PL_HERMITE_RATE], &more);
  out->viscous_mu += more.mu;
  out->viscous_lambda += more.lambda;
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
  only_fading(point, pl_lanes_all(1), &only);
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

/* Of a strain (or its rate) the part that answers for S' / (2 mu). */
PL_INLINE void strain_part(const pl_point *point, pl_lanes *e)
{
  const int of = (int)point->fading->of;
  const pl_lanes trace = e[0] + e[1] + e[2], mean = trace * (1.0 / 3);
  if (of == PL_FADING_SHAPE) {
    for (int k = 0; k < 3; k++) e[k] -= mean;
    return;
  }
  const pl_lanes ratio =
      pl_lanes_pick(point->mu > 0.0, 0.5 * bulk_of(point) / point->mu, pl_lanes_all(0));
  for (int k = 0; k < 6; k++) {
    if (of == PL_FADING_VOLUME) e[k] = pl_lanes_all(0);
    if (k < 3) e[k] += (of == PL_FADING_VOLUME ? ratio * trace : ratio * trace - mean);
  }
}

/* S' / (2 mu) of a law of F: that of the moduli that fade. */
PL_INLINE void stress_part(const pl_point *point, pl_lanes *e)
{
  pl_lanes P[9], G[9], S[9];
  pl_point only;
  only_fading(point, pl_lanes_all(1), &only);
  point->fading->law->stress(&only, P, NULL);
  pl_lanes J = pl_lanes_mat3_cofactors(point->F, G);
  pl_lanes scale = pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO)) * 2.0 * point->mu;
  // rigid elements have no moduli
  const pl_lanes factor = pl_lanes_pick(scale > 0.0, 1.0 / scale, pl_lanes_all(0));
  pl_lanes_mat3_multiply_tn(G, P, S);
  pl_lanes_mat3_symmetric(S, S);
  pl_lanes_mat3_pack(S, e);
  for (int k = 0; k < 6; k++) e[k] *= factor;
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

/* S' / (2 mu) of a law that is linear in a measure: all of its stress. */
PL_INLINE void linear_part(const pl_point *point, pl_lanes *e)
{
  pl_point whole;
  scale(point, pl_lanes_all(1), &whole);
  point->fading->law->conjugate(&whole, e);
  for (int k = 0; k < 6; k++)
    e[k] = pl_lanes_pick(point->mu > 0.0, 0.5 * e[k] / point->mu, pl_lanes_all(0));
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
  strain_part(point, r);
}

/* S' / (2 mu) */
PL_INLINE void fading_part(const pl_point *point, pl_lanes *e)
{
  if (point->fading->law->conjugate) {
    linear_part(point, e);
  } else if (point->fading->by_strain) {
    if (point->parts)
      point->strain->resolve(point->F, e, point->parts);
    else
      point->strain->measure(point->F, e);
    strain_part(point, e);
  } else {
    stress_part(point, e);
  }
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

/* What pl_prony_advance and then pl_prony_freeze do, but for W_n: the same operations in the same
 * order. by: both factors of each term. A number of the first term is in registers for both. */
PL_INLINE void move_first(const pl_point *point, const pl_lanes *by, const pl_lanes *e,
                          const double *from, double *to, pl_lanes *change, pl_lanes *T)
{
  for (int k = 0; k < 6; k++, from += PL_LANES, to += PL_LANES) {
    change[k] = e[k] - pl_lanes_load(from);
    pl_lanes_store(to, e[k]);
    const pl_lanes spring = by[0] * pl_lanes_load(from + 6 * PL_LANES) + by[1] * change[k];
    pl_lanes_store(to + 6 * PL_LANES, spring);
    T[k] = pl_lanes_all(0) + point->numbers[0] * (by[0] * spring - by[1] * e[k]);
  }
}

PL_INLINE void move_term(pl_decay by, pl_lanes g, const pl_lanes *e, const pl_lanes *change,
                         const double *from, double *to, pl_lanes *T)
{
  for (int k = 0; k < 6; k++, from += PL_LANES, to += PL_LANES) {
    const pl_lanes spring = by.decay * pl_lanes_load(from) + by.mean * change[k];
    pl_lanes_store(to, spring);
    T[k] += g * (by.decay * spring - by.mean * e[k]);
  }
}

/* For the linear rule alone; histories with rates are advanced and frozen one after the other. */
static void move(const pl_point *point, double h, int count, const double *from, double *to,
                 pl_lanes *frozen)
{
  pl_lanes e[6], change[6], own[1 + 2 * PL_PRONY_TERMS], alpha = pl_lanes_all(1);
  const pl_lanes *by = pl_known_decays(point, h), *g = point->numbers;
  fading_part(point, e);
  if (!by) {
    decays(point->numbers, h, count, own);
    by = own + 1;
  }
  const int terms = pl_prony_terms_in(count);
  for (int k = 0; k < 6 && terms < 1; k++) {
    pl_lanes_store(to + k * PL_LANES, e[k]);
    frozen[k] = pl_lanes_all(0);
  }
  if (terms > 0) move_first(point, by, e, from, to, change, frozen);
  if (terms > 0) alpha -= g[0] * (1.0 - by[1]);
  for (int i = 1; i < terms; i++) {
    const int place = 6 * (i + 1) * PL_LANES;
    const pl_decay of = {by[2 * i], by[2 * i + 1]};
    move_term(of, g[i], e, change, from + place, to + place, frozen);
    alpha -= g[i] * (1.0 - of.mean);
  }
  for (int k = 0; k < 6; k++) frozen[k] = 2.0 * point->mu * frozen[k];
  frozen[PL_PRONY_ALPHA] = alpha;
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

static void form(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
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
