/* A Prony series at a batch of points: what laws with fading memory share.
 *
 * A point has a measure e of its shape (six numbers), so that its stress is 2 mu e as far as that
 * fades, and remembers e and the e_i of each term: de_i/dt + e_i / tau_i = de/dt. Over a substep of
 * length h in which e changes evenly from the e_n at its beginning (z = h / tau, b = (1 - exp(-z))
 * / z),
 *
 *   e_i = exp(-z_i) e_i,n + b_i (e - e_n)
 *
 * exactly (Taylor, Pister, Goudreau 1970). What the substep does not change is frozen:
 *
 *   a = 1 - sum g_i + sum g_i b_i,      T = 2 mu sum g_i (exp(-z_i) e_i,n - b_i e_n),
 *   W_n = mu sum g_i |e_n - e_i,n|^2. */
#ifndef PL_MATERIAL_PRONY_POINT_H
#define PL_MATERIAL_PRONY_POINT_H

#include "material/point.h"
#include "material/prony.h"
#include "math/lanes_curves.h"
#include "math/lanes_mat3.h"

/* What freeze fills: T, a and W_n. */
enum { PL_PRONY_ALPHA = 6, PL_PRONY_ENERGY, PL_PRONY_FROZEN };

/* Factors of a term over a substep: exp(-z) and its mean b. */
typedef struct pl_decay {
  pl_lanes decay, mean;
} pl_decay;

PL_INLINE pl_decay pl_decay_of(double h, pl_lanes tau)
{
  const pl_lanes z = h / tau, decay = pl_lanes_decay(z);
  return (pl_decay){decay, pl_lanes_mean_decay(z, decay)};
}

/* The same times 2 mu g, which make a stress of history. */
PL_INLINE pl_decay pl_decay_stress(pl_decay by, pl_lanes g, pl_lanes mu)
{
  const pl_lanes modulus = 2.0 * mu * g;
  return (pl_decay){modulus * by.decay, modulus * by.mean};
}

/* h, then both factors of each term. */
PL_INLINE void pl_prony_decays(const pl_lanes *numbers, double h, int count, pl_lanes *out)
{
  out[0] = pl_lanes_all(h);
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    const pl_decay by = pl_decay_of(h, numbers[PL_PRONY_TERMS + i]);
    out[1 + 2 * i] = by.decay;
    out[2 + 2 * i] = by.mean;
  }
}

/* Those that are there, if they are of h. */
PL_INLINE const pl_lanes *pl_known_decays(const pl_point *point, double h)
{
  return point->decays && point->decays[0][0] == h ? point->decays + 1 : NULL;
}

/* ---- what fades ---- */

/* Lame's constants of which a part fades, with this part times a. */
PL_INLINE void pl_fade_moduli(pl_fading_part of, pl_lanes a, pl_lanes *lambda, pl_lanes *mu)
{
  const pl_lanes bulk = *lambda + (2.0 / 3) * *mu;
  *mu = of == PL_FADING_VOLUME ? *mu : a * *mu;
  *lambda = (of == PL_FADING_SHAPE ? bulk : a * bulk) - (2.0 / 3) * *mu;
}

/* Those of the part that fades alone. */
PL_INLINE void pl_only_fading(pl_fading_part of, pl_lanes *lambda, pl_lanes *mu)
{
  const pl_lanes bulk = *lambda + (2.0 / 3) * *mu, none = pl_lanes_all(0);
  if (of == PL_FADING_VOLUME) *mu = none;
  *lambda = (of == PL_FADING_SHAPE ? none : bulk) - (2.0 / 3) * *mu;
}

/* Of a stress that fades to e = S' / (2 mu); rigid elements have no moduli. */
PL_INLINE void pl_fading_part_of_stress(pl_lanes mu, pl_lanes *e)
{
  const pl_lanes factor = pl_lanes_pick(mu > 0.0, 0.5 / mu, pl_lanes_all(0));
  for (int k = 0; k < 6; k++) e[k] *= factor;
}

/* Of a strain (or its rate) to the part that answers for S' / (2 mu). */
PL_INLINE void pl_fading_strain(const pl_point *point, pl_lanes *e)
{
  const pl_fading_part of = point->fading->of;
  const pl_lanes trace = e[0] + e[1] + e[2], mean = trace * (1.0 / 3);
  if (of == PL_FADING_SHAPE) {
    for (int k = 0; k < 3; k++) e[k] -= mean;
    return;
  }
  const pl_lanes bulk = point->lambda + (2.0 / 3) * point->mu;
  const pl_lanes ratio = pl_lanes_pick(point->mu > 0.0, 0.5 * bulk / point->mu, pl_lanes_all(0));
  for (int k = 0; k < 6; k++) {
    if (of == PL_FADING_VOLUME) e[k] = pl_lanes_all(0);
    if (k < 3) e[k] += (of == PL_FADING_VOLUME ? ratio * trace : ratio * trace - mean);
  }
}

/* ---- histories ---- */

/* The sums of W_n: g_i |e_n - e_i,n|^2, and g_i times the square of the mean of its diagonal. */
typedef struct pl_prony_slip {
  pl_lanes all, mean;
} pl_prony_slip;

PL_INLINE void pl_add_slip(pl_lanes g, const pl_lanes *now, const pl_lanes *spring,
                           pl_prony_slip *to)
{
  pl_lanes slip[6];
  for (int k = 0; k < 6; k++) slip[k] = now[k] - spring[k];
  const pl_lanes mean = (slip[0] + slip[1] + slip[2]) * (1.0 / 3);
  to->all += g * pl_lanes_dot6(slip, slip);
  to->mean += g * (mean * mean);
}

PL_INLINE pl_prony_slip pl_prony_freeze(const pl_point *point, double h, const pl_lanes *history,
                                        int count, pl_lanes *frozen)
{
  const pl_lanes *now = history, *g = point->numbers, *tau = g + PL_PRONY_TERMS;
  pl_prony_slip sums = {pl_lanes_all(0), pl_lanes_all(0)};
  pl_lanes alpha = pl_lanes_all(1);
  const pl_lanes *known = pl_known_decays(point, h);
  for (int k = 0; k < 6; k++) frozen[k] = pl_lanes_all(0);
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    const pl_lanes *spring = history + 6 * (i + 1);
    const pl_decay by = known ? (pl_decay){known[2 * i], known[2 * i + 1]} : pl_decay_of(h, tau[i]);
    const pl_decay to = pl_decay_stress(by, g[i], point->mu);
    for (int k = 0; k < 6; k++) {
      const pl_lanes T = to.decay * spring[k] - to.mean * now[k];
      frozen[k] = i ? frozen[k] + T : T;
    }
    alpha -= g[i] * (1.0 - by.mean);
    pl_add_slip(g[i], now, spring, &sums);
  }
  frozen[PL_PRONY_ALPHA] = alpha;
  frozen[PL_PRONY_ENERGY] = point->mu * sums.all;
  return sums;
}

/* Moves the history on to e. */
PL_INLINE void pl_prony_advance(const pl_point *point, double h, const pl_lanes *e, int count,
                                pl_lanes *history)
{
  const pl_lanes *tau = point->numbers + PL_PRONY_TERMS;
  pl_lanes change[6];
  for (int k = 0; k < 6; k++) {
    change[k] = e[k] - history[k];
    history[k] = e[k];
  }
  const pl_lanes *known = pl_known_decays(point, h);
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    pl_lanes *spring = history + 6 * (i + 1);
    const pl_decay by = known ? (pl_decay){known[2 * i], known[2 * i + 1]} : pl_decay_of(h, tau[i]);
    for (int k = 0; k < 6; k++) spring[k] = by.decay * spring[k] + by.mean * change[k];
  }
}

/* pl_prony_advance and then pl_prony_freeze, but for W_n: the same operations in the same order.
 * One of the six numbers of a term: moves it on and returns what T has of it. */
PL_INLINE pl_lanes pl_move_number(pl_decay by, pl_decay stress, pl_lanes e, pl_lanes change,
                                  const double *from, double *to)
{
  const pl_lanes spring = by.decay * pl_lanes_load(from) + by.mean * change;
  pl_lanes_store(to, spring);
  return stress.decay * spring - stress.mean * e;
}

PL_INLINE pl_decay pl_move_decay(const pl_move *move, const int i)
{
  return (pl_decay){move->decays[2 * i], move->decays[2 * i + 1]};
}

/* What a term leaves of a. */
PL_INLINE pl_lanes pl_move_alpha(const pl_move *move, const int i, pl_lanes alpha)
{
  return alpha - move->shares[i] * (1.0 - move->decays[2 * i + 1]);
}

/* The same of any number of terms (memory_kernel.c). */
void PL_VARIANT(pl_move_terms)(const pl_point *point, const pl_lanes *e);

/* Moves the point's memory on to e = S' / (2 mu). */
PL_INLINE void pl_move_on(const pl_point *point, const pl_lanes *e)
{
  const pl_move *move = point->move;
  if (move->terms != 1) {
    PL_VARIANT(pl_move_terms)(point, e);
    return;
  }
  const pl_decay by = pl_move_decay(move, 0);
  const pl_decay stress = pl_decay_stress(by, move->shares[0], point->mu);
  const double *from = move->from;
  double *to = move->to;
  for (int k = 0; k < 6; k++, from += PL_LANES, to += PL_LANES) {
    const pl_lanes change = e[k] - pl_lanes_load(from);
    pl_lanes_store(to, e[k]);
    move->frozen[k] =
        pl_move_number(by, stress, e[k], change, from + 6 * PL_LANES, to + 6 * PL_LANES);
  }
  move->frozen[PL_PRONY_ALPHA] = pl_move_alpha(move, 0, pl_lanes_all(1));
}

/* The same for laws that go on with the moduli of the next substep. */
PL_INLINE void pl_move_and_fade(pl_point *point, const pl_lanes *e)
{
  pl_move_on(point, e);
  pl_fade_moduli(point->fading->of, point->move->frozen[PL_PRONY_ALPHA], &point->lambda,
                 &point->mu);
}

/* ---- rates at both ends ----
 *
 * With the rates r_n and r of e at the beginning and the end of a substep its rate is taken as the
 * parabola through both whose mean is (e - e_n) / h, and
 *
 *   e_i = exp(-z) e_i,n + h r_n (I0 - 4 I1 + 3 I2) + h r (3 I2 - 2 I1) + 6 (I1 - I2) (e - e_n)
 *
 * with I_k the integral of s^k exp(-z (1 - s)) over 0 <= s <= 1. Exact for e of third degree in
 * time, and stable whatever h / tau is. */

typedef struct pl_hermite {
  pl_lanes decay, before, after, mean; /* factors of e_i,n, r_n, r and e - e_n */
} pl_hermite;

/* I2 = 2 sum (-z)^n / (n + 3)! up to z = 1, from where I1 = (1 - z I2) / 2 and I0 = 1 - z I1;
 * beyond I0 = (1 - exp(-z)) / z, I1 = (1 - I0) / z, I2 = (1 - 2 I1) / z, where h I_k = tau (z I_k).
 */
PL_INLINE pl_hermite pl_hermite_of(double h, pl_lanes tau)
{
  const pl_lanes z = h / tau, near = pl_lanes_min(z, pl_lanes_all(1));
  const pl_lanes decay = pl_lanes_decay(z), far = pl_lanes_max(z, pl_lanes_all(1));
  pl_lanes sum = pl_lanes_all(1);
  for (int n = 18; n > 0; n--) sum = 1.0 - near * sum / (double)(n + 3);
  const pl_lanes i2 = sum / 3.0, i1 = 0.5 * (1.0 - near * i2), i0 = 1.0 - near * i1;
  const pl_lanes j0 = 1.0 - decay, j1 = 1.0 - j0 / far, j2 = 1.0 - 2.0 * (j1 / far);
  const pl_mask is_near = z < 1.0;
  const pl_lanes span = pl_lanes_all(h < 1e300 ? h : 1e300);
  return (pl_hermite){
      .decay = decay,
      .before = pl_lanes_pick(is_near, span * (i0 - 4.0 * i1 + 3.0 * i2),
                              tau * (j0 - 4.0 * j1 + 3.0 * j2)),
      .after = pl_lanes_pick(is_near, span * (3.0 * i2 - 2.0 * i1), tau * (3.0 * j2 - 2.0 * j1)),
      .mean = pl_lanes_pick(is_near, 6.0 * (i1 - i2), 6.0 * (j1 - j2) / far)};
}

/* What freeze fills besides: the factor b with which 2 mu b r is a stress. The rate at the
 * beginning is the last six of the history. */
enum { PL_HERMITE_RATE = PL_PRONY_FROZEN, PL_HERMITE_FROZEN };

PL_INLINE pl_prony_slip pl_hermite_freeze(const pl_point *point, double h, const pl_lanes *history,
                                          int count, pl_lanes *frozen)
{
  pl_prony_slip sums = {pl_lanes_all(0), pl_lanes_all(0)};
  const pl_lanes *now = history, *rate = history + count - 6;
  const pl_lanes *g = point->numbers, *tau = g + PL_PRONY_TERMS;
  pl_lanes T[6], alpha = pl_lanes_all(1), after = pl_lanes_all(0);
  for (int k = 0; k < 6; k++) T[k] = pl_lanes_all(0);
  for (int i = 0; i < pl_prony_terms_in(count - 6); i++) {
    const pl_lanes *spring = history + 6 * (i + 1);
    const pl_hermite by = pl_hermite_of(h, tau[i]);
    for (int k = 0; k < 6; k++)
      T[k] += g[i] * (by.decay * spring[k] + by.before * rate[k] - by.mean * now[k]);
    alpha -= g[i] * (1.0 - by.mean);
    after += g[i] * by.after;
    pl_add_slip(g[i], now, spring, &sums);
  }
  for (int k = 0; k < 6; k++) frozen[k] = 2.0 * point->mu * T[k];
  frozen[PL_PRONY_ALPHA] = alpha;
  frozen[PL_HERMITE_RATE] = after;
  return sums;
}

PL_INLINE void pl_hermite_advance(const pl_point *point, double h, const pl_lanes *e,
                                  const pl_lanes *r, int count, pl_lanes *history)
{
  const pl_lanes *tau = point->numbers + PL_PRONY_TERMS;
  pl_lanes *rate = history + count - 6;
  for (int i = 0; i < pl_prony_terms_in(count - 6); i++) {
    pl_lanes *spring = history + 6 * (i + 1);
    const pl_hermite by = pl_hermite_of(h, tau[i]);
    for (int k = 0; k < 6; k++)
      spring[k] = by.decay * spring[k] + by.before * rate[k] + by.after * r[k] +
                  by.mean * (e[k] - history[k]);
  }
  for (int k = 0; k < 6; k++) history[k] = e[k], rate[k] = r[k];
}

/* The point whose law without memory has the stress and, but for W_n, the energy: a mu in place of
 * mu at the same bulk modulus, and the prestress T. */
PL_INLINE pl_point pl_prony_point(const pl_point *point)
{
  pl_point out = *point;
  out.mu = point->frozen[PL_PRONY_ALPHA] * point->mu;
  out.lambda = point->lambda + (2.0 / 3) * (point->mu - out.mu);
  out.prestress = point->frozen;
  return out;
}

#endif
