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

PL_INLINE void pl_prony_freeze(const pl_point *point, double h, const pl_lanes *history, int count,
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
  frozen[PL_PRONY_ALPHA] = alpha;
  frozen[PL_PRONY_ENERGY] = point->mu * energy;
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
  for (int i = 0; i < pl_prony_terms_in(count); i++) {
    pl_lanes *spring = history + 6 * (i + 1), z = h / tau[i];
    pl_lanes decay = pl_lanes_decay(z), mean = pl_lanes_mean_decay(z, decay);
    for (int k = 0; k < 6; k++) spring[k] = decay * spring[k] + mean * change[k];
  }
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
