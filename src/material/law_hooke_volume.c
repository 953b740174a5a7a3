/* Hooke's law in any strain measure, and a stiffness of volume beside it:
 *
 *   W = W_hooke(E) + volume/2 (J - 1)^2
 *
 * (Gilles, Bousquet, Faure, Pai 2011, appendix B.) Keeps volumes where Poisson's ratio alone would
 * not, and inverted points have energy in Green's strain, too. At rest lambda is larger by volume.
 * The point's lambda has that sum, its own number is volume / mu. */
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/moduli.h"

enum { VOLUME = PL_MODULUS_COUNT, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    PL_MODULI_PARAMS,
    [VOLUME] = {.name = "volume",
                .unit = "Pa",
                .summary = "stiffness of the volume, beside what the other moduli say of it",
                .preset = 0,
                .min = 0,
                .max = 1e15},
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  pl_status status = pl_moduli_lame("hooke-volume", values, lambda, mu, error);
  if (!status) *lambda += values[VOLUME];
  return status;
}

static void numbers(const double *values, double *out)
{
  double lambda, mu;
  pl_status status = pl_moduli_lame("hooke-volume", values, &lambda, &mu, NULL);
  out[0] = status ? 0 : values[VOLUME] / mu;
}

PL_INLINE pl_lanes stiffness(const pl_point *point) { return point->numbers[0] * point->mu; }

/* The term of volume alone. */
PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes change = I[2] - 1.0, k = stiffness(point);
  *out = (pl_potential){
      .W = 0.5 * k * change * change,
      .first = {zero, zero, k * change},
      .second = {zero, zero, zero, zero, zero, k},
  };
}

/* The point without the term of volume. */
PL_INLINE pl_point plain(const pl_point *point)
{
  pl_point out = *point;
  out.lambda -= stiffness(point);
  return out;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes more[9], energy;
  pl_point hooke = plain(point), elastic = *point;
  elastic.viscous = 0;
  elastic.prestress = elastic.pressure = NULL;
  hooke.strain->stress(&hooke, P, W);
  pl_invariant_stress_at(potential, &elastic, P ? more : NULL, &energy);
  for (int e = 0; P && e < 9; e++) P[e] += more[e];
  if (W) *W += energy;
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_lanes more[9], more_H[81];
  pl_point hooke = plain(point), elastic = *point;
  elastic.viscous = 0;
  elastic.prestress = elastic.pressure = NULL;
  hooke.strain->tangent(&hooke, kq, kv, semidefinite, P, H);
  pl_invariant_tangent_at(potential, &elastic, kq, 0, semidefinite, more, H ? more_H : NULL);
  for (int e = 0; P && e < 9; e++) P[e] += more[e];
  for (int e = 0; H && e < 81; e++) H[e] += more_H[e];
}

const pl_law_ops PL_VARIANT(pl_law_hooke_volume) = {
    .info = PL_INFO("hooke-volume",
                    "Hooke's law and a stiffness of the volume beside it, which keeps volumes "
                    "and resists inversion in any strain measure",
                    "Gilles, Bousquet, Faure, Pai 2011, appendix B", params),
    .lame = lame,
    .number_count = 1,
    .numbers = numbers,
    .uses_strain = 1,
    .points = {.stress = stress, .tangent = tangent, .shape = pl_whole_shape},
};
