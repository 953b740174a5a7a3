/* Metal that yields and creeps: J2 plasticity in logarithmic strains with linear hardening and
 * Perzyna's viscosity, as an isotropic law of the trial state.
 *
 * A point remembers its plastic deformation as Cp^-1 and the plastic strain a. The substep starts
 * from the trial Fe = F L with L L^T = Cp^-1, which has the stretches s, the logarithmic strains
 * e_i = ln s_i and their deviator d. Over a substep of h s the stress is the derivative of
 *
 *   w = K/2 (sum e)^2 + mu |d|^2 - <2 mu |d| - Y>^2 / (2 (2 mu + 2/3 Hh + eta/h)) + Hh/2 a^2
 *   Y = sqrt(2/3) (yield + Hh a),     P = dw/dFe L^T,     <x> = x where positive, else 0
 *
 * (Simo 1992, "Algorithms for static and dynamic multiplicative plasticity that preserve the
 * classical return mapping schemes of the infinitesimal theory"; Ortiz, Stainier 1999.) Its slope
 * is the radial return; it is convex in the e_i, so line searches work. eta = 0: the flow does not
 * depend on time; eta > 0: an excess of stress relaxes as exp(-2 mu t / eta). When the substep is
 * accepted, with n = d / |d|, g = <2 mu |d| - Y> / (2 mu + 2/3 Hh + eta/h) and F L = U s V^T,
 *
 *   Cp^-1 = L V diag(exp(-2 g n_i)) V^T L^T,     a += sqrt(2/3) g,
 *
 * so that plastic flow keeps the volume. Below s = 0.1 ln s goes on as a parabola, and a point
 * squeezed or inverted beyond that does not flow. The numbers are yield, Hh and eta as parts of mu.
 */
#include "material/isochoric_point.h"
#include "material/material.h"
#include "material/moduli.h"
#include "material/stretch_point.h"

enum { YIELD = PL_MODULUS_COUNT, HARDENING, VISCOSITY, PARAM_COUNT };
enum { REMEMBERED = 7, STRAIN = 6 };
/* What freeze fills: L by rows (lower triangle), Y, the divisor and the energy of hardening. */
enum { YIELDS = 6, DIVISOR, HARDENED, FROZEN };

#define LEAST_STRETCH 0.1
#define ROOT_2_3      0.81649658092772603273

static const pl_param params[PARAM_COUNT] = {
    PL_MODULI_PARAMS,
    [YIELD] = {.name = "yield",
               .unit = "Pa",
               .summary = "stress at which a rod yields; 0: it creeps under any load",
               .preset = 1e30,
               .min = 0,
               .max = 1e30},
    [HARDENING] = {.name = "hardening",
                   .unit = "Pa",
                   .summary = "growth of the yield stress per plastic strain",
                   .preset = 0,
                   .min = 0,
                   .max = 1e15},
    [VISCOSITY] = {.name = "plastic-viscosity",
                   .unit = "Pa s",
                   .summary = "resistance to flow (Perzyna); the stress beyond the yield stress "
                              "fades in this over 2 mu; 0: at once",
                   .preset = 0,
                   .min = 0,
                   .max = 1e20},
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("plastic", values, lambda, mu, error);
}

static void numbers(const double *values, double *out)
{
  double lambda, mu;
  if (pl_moduli_lame("plastic", values, &lambda, &mu, NULL)) mu = 1;
  for (int i = 0; i < 3; i++) out[i] = values[YIELD + i] / mu;
}

static int remembered(const double *values)
{
  (void)values;
  return REMEMBERED;
}

/* L[6] = 00 10 11 20 21 22 of L L^T = Cp^-1 (Cholesky). */
PL_INLINE void square_root(const pl_lanes *history, pl_lanes *L)
{
  const pl_lanes min = pl_lanes_all(1e-12);
  pl_lanes xx = 1.0 + history[0], yy = 1.0 + history[1], zz = 1.0 + history[2];
  L[0] = pl_lanes_sqrt(pl_lanes_max(xx, min));
  L[1] = history[3] / L[0];
  L[2] = pl_lanes_sqrt(pl_lanes_max(yy - L[1] * L[1], min));
  L[3] = history[4] / L[0];
  L[4] = (history[5] - L[3] * L[1]) / L[2];
  L[5] = pl_lanes_sqrt(pl_lanes_max(zz - L[3] * L[3] - L[4] * L[4], min));
}

PL_INLINE void unpack(const pl_lanes *L, pl_lanes *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  const pl_lanes full[9] = {L[0], zero, zero, L[1], L[2], zero, L[3], L[4], L[5]};
  memcpy(out, full, sizeof full);
}

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  (void)count;
  const pl_lanes *n = point->numbers, a = history[STRAIN], zero = pl_lanes_all(0);
  square_root(history, frozen);
  pl_lanes viscous = pl_lanes_pick(n[2] > 0.0, n[2] / h, zero);
  frozen[YIELDS] = ROOT_2_3 * point->mu * (n[0] + n[1] * a);
  frozen[DIVISOR] = point->mu * (2.0 + (2.0 / 3) * n[1] + viscous);
  frozen[HARDENED] = 0.5 * point->mu * n[1] * a * a;
}

PL_INLINE pl_lanes_curve log_stretch(pl_lanes s)
{
  pl_lanes x = pl_lanes_max(s, pl_lanes_all(LEAST_STRETCH));
  const pl_lanes_curve curve = {pl_lanes_log(x), 1.0 / x, -1.0 / (x * x)};
  return pl_lanes_continue(curve, s - x);
}

/* The flow direction n[3] from strains e[3], and how much flows: <2 mu |d| - Y> / divisor. */
PL_INLINE pl_lanes flow(const pl_point *point, const pl_lanes *e, pl_lanes *n, pl_lanes *length)
{
  const pl_lanes zero = pl_lanes_all(0), mean = (e[0] + e[1] + e[2]) / 3.0;
  for (int i = 0; i < 3; i++) n[i] = e[i] - mean;
  *length = pl_lanes_sqrt(pl_lanes_dot3(n, n));
  const pl_lanes inverse = pl_lanes_pick(*length > 0.0, 1.0 / *length, zero);
  for (int i = 0; i < 3; i++) n[i] *= inverse;
  const pl_lanes excess = 2.0 * point->mu * *length - point->frozen[YIELDS];
  return pl_lanes_pick(excess > 0.0, excess / point->frozen[DIVISOR], zero);
}

PL_INLINE void stretches(const pl_point *point, const pl_lanes *s, pl_stretches *out)
{
  const pl_lanes twice = 2.0 * point->mu, bulk = point->lambda + point->mu * (2.0 / 3);
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes_curve curve[3];
  pl_lanes e[3], n[3], b[3], length;
  for (int i = 0; i < 3; i++) {
    curve[i] = log_stretch(s[i]);
    e[i] = curve[i].value;
  }
  const pl_lanes gamma = flow(point, e, n, &length), trace = e[0] + e[1] + e[2];
  const pl_lanes elastic = 0.5 * twice * length * length;
  out->w = 0.5 * bulk * trace * trace + elastic -
           0.5 * gamma * gamma * pl_lanes_pick(gamma > 0.0, point->frozen[DIVISOR], zero) +
           point->frozen[HARDENED];
  // the shear modulus left, and what the direction of flow takes
  const pl_lanes part = pl_lanes_pick(gamma > 0.0, gamma / length, zero);
  const pl_lanes across = twice * (1.0 - part);
  const pl_lanes slope = pl_lanes_pick(gamma > 0.0, twice * twice / point->frozen[DIVISOR], zero);
  const pl_lanes along = twice * part - slope;
  for (int i = 0; i < 3; i++) b[i] = bulk * trace + twice * (length - gamma) * n[i];
  for (int i = 0; i < 3; i++) {
    out->g[i] = b[i] * curve[i].slope;
    for (int j = 0; j < 3; j++) {
      pl_lanes B = bulk - across / 3.0 + along * n[i] * n[j];
      if (i == j) B += across;
      out->A[3 * i + j] = B * curve[i].slope * curve[j].slope;
    }
    out->A[4 * i] += b[i] * curve[i].bend;
  }
}

/* The trial state as a point of its own, without what belongs to F. */
PL_INLINE pl_point trial(const pl_point *point, pl_lanes *L)
{
  pl_point out = *point;
  unpack(point->frozen, L);
  pl_lanes_mat3_multiply(point->F, L, out.F);
  out.viscous = 0;
  out.prestress = out.pressure = NULL;
  return out;
}

PL_INLINE void add_rest(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  if (point->prestress) pl_add_green_prestress(point, P, W);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes L[9], Pe[9];
  const pl_point elastic = trial(point, L);
  pl_stretch_stress_at(stretches, &elastic, P ? Pe : NULL, W);
  if (P) pl_lanes_mat3_multiply_nt(Pe, L, P);
  add_rest(point, P, W);
}

/* H_ijkl = He_iakb L_ja L_lb */
PL_INLINE void pull_back(const pl_lanes *He, const pl_lanes *L, pl_lanes *H)
{
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) {
      pl_lanes block[9], half[9], whole[9];
      for (int e = 0; e < 9; e++) block[e] = He[9 * (3 * i + e / 3) + 3 * k + e % 3];
      pl_lanes_mat3_multiply(L, block, half);
      pl_lanes_mat3_multiply_nt(half, L, whole);
      for (int e = 0; e < 9; e++) {
        const int row = 3 * i + e / 3, column = 3 * k + e % 3;
        if (i == k && column < row) continue;
        H[9 * row + column] = H[9 * column + row] = whole[e];
      }
    }
  }
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_lanes L[9], Pe[9], He[81];
  const pl_point elastic = trial(point, L);
  pl_stretch_tangent_at(stretches, &elastic, kq, 0, semidefinite, Pe, H ? He : NULL);
  if (P) pl_lanes_mat3_multiply_nt(Pe, L, P);
  add_rest(point, P, NULL);
  if (!H) return;
  pull_back(He, L, H);
  if (point->prestress) pl_add_green_bend(point, kq, H);
  if (point->viscous) pl_add_green_damping(point, kv, H);
}

static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  pl_lanes frozen[FROZEN], L[9], U[9], V[9], s[3], e[3], n[3], length;
  pl_point at = *point;
  freeze(point, h, history, count, frozen);
  at.frozen = frozen;
  at = trial(&at, L);
  pl_lanes_svd(at.F, U, s, V);
  for (int i = 0; i < 3; i++) e[i] = log_stretch(s[i]).value;
  pl_lanes gamma = flow(&at, e, n, &length);
  gamma = pl_lanes_pick(s[2] > LEAST_STRETCH, gamma, pl_lanes_all(0));
  if (!pl_lanes_any(gamma > 0.0)) return;

  pl_lanes LV[9], scaled[9], C[9], six[6];
  pl_lanes_mat3_multiply(L, V, LV);
  for (int i = 0; i < 3; i++) {
    const pl_lanes factor = pl_lanes_exp(-2.0 * gamma * n[i]);
    for (int row = 0; row < 9; row += 3) scaled[row + i] = LV[row + i] * factor;
  }
  pl_lanes_mat3_multiply_nt(scaled, LV, C);
  pl_lanes_mat3_symmetric(C, C);
  for (int i = 0; i < 9; i += 4) C[i] -= 1.0;
  pl_lanes_mat3_pack(C, six);
  for (int k = 0; k < 6; k++) history[k] = pl_lanes_pick(gamma > 0.0, six[k], history[k]);
  history[STRAIN] += ROOT_2_3 * gamma;
}

const pl_law_ops PL_VARIANT(pl_law_plastic) = {
    .info = PL_INFO("plastic",
                    "metal: Hooke's law in logarithmic strain that yields by J2 plasticity, "
                    "hardens, creeps, and keeps what has flown; makes no use of strain",
                    "Simo 1992; Ortiz, Stainier 1999; Perzyna 1966", params),
    .lame = lame,
    .number_count = 3,
    .numbers = numbers,
    .points = {.stress = stress, .tangent = tangent, .shape = pl_whole_shape},
    .memory =
        {.count = remembered, .lasting = 1, .frozen = FROZEN, .freeze = freeze, .advance = advance},
};
