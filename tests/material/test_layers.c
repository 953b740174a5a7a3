/* Fibres and limits beside any law, axes of the material, and plastic flow: derivatives by
 * differences, special cases and closed forms. */
#include "core/family.h"
#include "points.h"

/* ---- a point of neo-hooke with modifiers ---- */

static pl_lanes layer_numbers[2 * PL_MODIFIER_NUMBERS], axes[9];
static pl_layers layers;

/* E / mu of the points. */
#define YOUNG ((3 * 1.7 + 2 * 0.9) / (1.7 + 0.9))

static void set_modifier(int which, const pl_modifier_ops *modifier,
                         const double numbers[PL_MODIFIER_NUMBERS])
{
  layers.law = &pl_law_at(PL_LAW_neo_hooke)->points;
  layers.modifiers[which] = modifier;
  layers.count = which + 1;
  for (int k = 0; k < PL_MODIFIER_NUMBERS; k++)
    layer_numbers[which * PL_MODIFIER_NUMBERS + k] = pl_lanes_all(numbers[k]);
}

static const pl_modifier_ops *fibres(void) { return PL_PICK_VARIANT(&pl_modifier_fibres); }
static const pl_modifier_ops *limit(void) { return PL_PICK_VARIANT(&pl_modifier_limit); }

static pl_point layered(const double F[9])
{
  const pl_strain_ops ops = {.points = pl_law_at(PL_LAW_neo_hooke)->points};
  pl_point point = point_at(&ops, F, NULL);
  point.layers = &layers;
  point.layer_numbers = layer_numbers;
  point.axes = axes;
  return point;
}

static double layered_stress(const double F[9], double P[9])
{
  pl_lanes lanes[9], W;
  pl_point point = layered(F);
  PL_PICK_VARIANT(&pl_layered_points)->stress(&point, lanes, &W);
  for (int i = 0; i < 9; i++) P[i] = lanes[i][0];
  return W[0];
}

static void layered_tangent(const double F[9], int semidefinite, double H[81])
{
  pl_lanes lanes[81];
  pl_point point = layered(F);
  PL_PICK_VARIANT(&pl_layered_points)->tangent(&point, 1, 0, semidefinite, NULL, lanes);
  for (int i = 0; i < 81; i++) H[i] = lanes[i][0];
}

/* Worst errors of stress and tangent against differences, relative. */
static void check_differences(const double F[9], double *worst_P, double *worst_H)
{
  const double h = 1e-6;
  double f[9], P[9], H[81], above[9], below[9];
  memcpy(f, F, sizeof f);
  layered_stress(F, P);
  layered_tangent(F, 0, H);
  for (int k = 0; k < 9; k++) {
    f[k] = F[k] + h;
    double high = layered_stress(f, above);
    f[k] = F[k] - h;
    double low = layered_stress(f, below);
    f[k] = F[k];
    *worst_P = fmax(*worst_P, fabs((high - low) / (2 * h) - P[k]) / fmax(1, largest(P, 9)));
    for (int i = 0; i < 9; i++)
      *worst_H = fmax(*worst_H, fabs((above[i] - below[i]) / (2 * h) - H[9 * i + k]) /
                                    fmax(1, largest(H, 81)));
  }
}

static void random_axes(void)
{
  double Q[9];
  random_rotation(Q);
  for (int i = 0; i < 9; i++) axes[i] = pl_lanes_all(Q[i]);
}

TEST(modifiers_have_an_energy_and_an_exact_tangent)
{
  const double straight[] = {0.7, 1.3, 0, 1, 0, 0}, spread[] = {0.5, 0.8, 0.2, 0, 0.6, 0.8};
  const double knee[] = {1.2, 0.8, 20, YOUNG, 0, 0};
  for (int which = 0; which < 3; which++) {
    double P = 0, H = 0, min = 0;
    if (which < 2) set_modifier(0, fibres(), straight);
    if (which == 1) set_modifier(1, fibres(), spread);
    if (which == 2) set_modifier(0, limit(), knee);
    for (int trial = 0; trial < 200; trial++) {
      double F[9], held[81];
      random_axes();
      random_gradient(F);
      check_differences(F, &P, &H);
      layered_tangent(F, 1, held);
      min = fmin(min, min_eigenvalue(held) / largest(held, 81));
    }
    CHECK_NEAR(P, 0, 1e-6);
    CHECK_NEAR(H, 0, which == 2 ? 2e-5 : 1e-5);
    CHECK(min > -1e-13);
  }
}

/* The tangent of fibres alone has no negative eigenvalue, nor has that of an upper limit. */
TEST(fibres_and_upper_limits_are_semidefinite_by_themselves)
{
  const double spread[] = {0.5, 0.8, 0.2, 0, 0.6, 0.8}, knee[] = {1.1, 0, 20, YOUNG, 0, 0};
  double min = 0;
  for (int trial = 0; trial < 1000; trial++) {
    double F[9], H[81];
    pl_lanes lanes[81] = {0};
    const double s[3] = {1 + fabs(test_uniform()), test_uniform() + 1, test_uniform()};
    set_modifier(0, trial % 2 ? fibres() : limit(), trial % 2 ? spread : knee);
    random_axes();
    gradient_of(s, F);
    pl_point point = layered(F);
    layers.modifiers[0]->add(&point, layer_numbers, 1, 0, NULL, NULL, lanes);
    for (int i = 0; i < 81; i++) H[i] = lanes[i][0];
    if (largest(H, 81) > 0) min = fmin(min, min_eigenvalue(H) / largest(H, 81));
  }
  CHECK(min > -1e-13);
}

/* k1 = 0 and shortened fibres add nothing; pulled along by s they add 2 k1 e exp(k2 e^2) s. */
TEST(fibres_have_the_closed_form)
{
  const double none[] = {0, 1, 0, 1, 0, 0}, some[] = {0.7, 1.3, 0, 1, 0, 0};
  for (int i = 0; i < 9; i++) axes[i] = pl_lanes_all(i % 4 == 0);
  for (int k = 0; k < 5; k++) {
    const double s = 0.6 + 0.3 * k, F[9] = {s, 0, 0, 0, 1, 0, 0, 0, 1};
    double plain[9], with[9];
    set_modifier(0, fibres(), none);
    double W = layered_stress(F, plain);
    set_modifier(0, fibres(), some);
    double V = layered_stress(F, with), e = fmax(s * s - 1, 0), k1 = 0.7 * 0.9;
    CHECK_NEAR(with[0] - plain[0], 2 * k1 * e * exp(1.3 * e * e) * s, 1e-12 * (1 + fabs(with[0])));
    CHECK_NEAR(V - W, k1 / 2.6 * (exp(1.3 * e * e) - 1), 1e-12 * (1 + V));
  }
}

/* Beyond the rounded knee the slope of a stretch grows by (factor - 1) E. */
TEST(a_limit_has_two_slopes)
{
  const double knee[] = {1.2, 0, 20, YOUNG, 0, 0};
  const double young = 0.9 * (3 * 1.7 + 2 * 0.9) / (1.7 + 0.9);
  set_modifier(0, limit(), knee);
  for (int k = 0; k < 4; k++) {
    const double s = 1.1 + 0.08 * k, F[9] = {s, 0, 0, 0, 1, 0, 0, 0, 1};
    double plain[9], with[9];
    const pl_strain_ops neo = {.points = pl_law_at(PL_LAW_neo_hooke)->points};
    stress_at(&neo, F, NULL, plain);
    layered_stress(F, with);
    CHECK_NEAR(with[0] - plain[0], 19 * young * fmax(s - 1.2, 0), 1e-12);
  }
}

/* ---- axes ---- */

/* With the constants of isotropic material axes do not matter, in any strain measure. */
TEST(orthotropic_with_isotropic_constants_is_hooke)
{
  const double lambda = 1.7, mu = 0.9, along = (lambda + 2 * mu) / mu, across = lambda / mu;
  pl_lanes numbers[9];
  for (int k = 0; k < 9; k++) numbers[k] = pl_lanes_all(k < 3 ? along : k < 6 ? across : 1);
  for (int s = 0; s < PL_STRAIN_hybrid; s++) {
    double worst = 0;
    for (int trial = 0; trial < 100; trial++) {
      double F[9];
      pl_lanes P[9], Q[9], W, V, H[81], K[81];
      random_gradient(F);
      random_axes();
      pl_point point = point_at(pl_strain_at(s), F, NULL);
      point.strain = &pl_strain_at(s)->points;
      pl_strain_at(s)->points.stress(&point, P, &W);
      pl_strain_at(s)->points.tangent(&point, 1, 0, 0, NULL, H);
      point.numbers = numbers;
      point.axes = axes;
      pl_law_at(PL_LAW_orthotropic)->points.stress(&point, Q, &V);
      pl_law_at(PL_LAW_orthotropic)->points.tangent(&point, 1, 0, 0, NULL, K);
      worst = fmax(worst, fabs(W[0] - V[0]));
      for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(P[i][0] - Q[i][0]));
      for (int i = 0; i < 81; i++) worst = fmax(worst, fabs(H[i][0] - K[i][0]));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

/* A rod along the first axis has E1, and turned axes turn the answer. */
TEST(axes_turn_the_stiffness)
{
  double values[PL_MOST_VALUES], numbers[PL_MOST_NUMBERS], lambda, mu;
  const pl_setting wood[] = {{.name = "e1", .value = {1e4}},   {.name = "e2", .value = {1e3}},
                             {.name = "e3", .value = {500}},   {.name = "nu12", .value = {0.3}},
                             {.name = "nu13", .value = {0.4}}, {.name = "nu23", .value = {0.25}},
                             {.name = "g12", .value = {700}},  {.name = "g13", .value = {600}},
                             {.name = "g23", .value = {100}}};
  const pl_choice choice = {"orthotropic", wood, 9};
  const pl_member *member = NULL;
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_OK(pl_law_of(member)->lame(values, &lambda, &mu, error));
  pl_law_of(member)->numbers(values, numbers);
  pl_lanes lanes[9], P[9];
  for (int k = 0; k < 9; k++) lanes[k] = pl_lanes_all(numbers[k]);
  // small strains of a rod along x, y or z whose first axis lies there
  for (int along = 0; along < 3; along++) {
    const double e = 1e-3, strains[3] = {e, -0.3 * e, -0.4 * e};
    double F[9] = {0};
    for (int k = 0; k < 3; k++) {
      F[4 * ((along + k) % 3)] = 1 + strains[k];
      for (int i = 0; i < 3; i++) axes[3 * i + k] = pl_lanes_all(i == (along + k) % 3);
    }
    pl_point point = point_at(pl_strain_at(PL_STRAIN_linear), F, NULL);
    point.mu = pl_lanes_all(mu);
    point.lambda = pl_lanes_all(lambda);
    point.strain = &pl_strain_at(PL_STRAIN_linear)->points;
    point.numbers = lanes;
    point.axes = axes;
    pl_law_of(member)->points.stress(&point, P, NULL);
    for (int i = 0; i < 9; i++) CHECK_NEAR(P[i][0], i == 4 * along ? 1e4 * e : 0, 1e-9);
  }
}

/* ---- plastic flow ---- */

typedef struct metal {
  double lambda, mu, numbers[3];
  pl_lanes history[7];
} metal;

/* The Cauchy stress times J after a substep of h to F. */
static void flow(metal *of, const double F[9], double h, double tau[9])
{
  const pl_law_ops *law = pl_law_at(PL_LAW_plastic);
  pl_lanes numbers[3], frozen[PL_MOST_FROZEN], lanes[9];
  pl_point point = {.lambda = pl_lanes_all(of->lambda), .mu = pl_lanes_all(of->mu)};
  double P[9];
  for (int k = 0; k < 3; k++) numbers[k] = pl_lanes_all(of->numbers[k] / of->mu);
  point.numbers = numbers;
  for (int i = 0; i < 9; i++) point.F[i] = pl_lanes_all(F[i]);
  law->memory.freeze(&point, h, of->history, 7, frozen);
  point.frozen = frozen;
  law->points.stress(&point, lanes, NULL);
  for (int i = 0; i < 9; i++) P[i] = lanes[i][0];
  pl_mat3_multiply_nt(P, F, tau);
  law->memory.advance(&point, h, 7, of->history);
}

static double mises(const double s[9])
{
  double a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[1] * s[1] + s[2] * s[2] + s[5] * s[5]));
}

/* mu = 1e3, K = 5e3, yield 10. */
static metal soft_metal(double hardening, double viscosity)
{
  return (metal){.lambda = 5e3 - 2e3 / 3, .mu = 1e3, .numbers = {10, hardening, viscosity}};
}

/* Simple shear by 2 in 200 steps: the stress stays on the yield surface, the volume of the plastic
 * part at 1, and the shear stress is that of the specification. */
TEST(sheared_metal_stays_on_the_yield_surface)
{
  metal steel = soft_metal(0, 0);
  double tau[9], C[9];
  for (int k = 1; k <= 200; k++) {
    const double F[9] = {1, 0.01 * k, 0, 0, 1, 0, 0, 0, 1};
    flow(&steel, F, 1, tau);
  }
  CHECK_NEAR(mises(tau), 10, 1e-9);
  CHECK_NEAR(tau[1], 5.773168, 1e-6);
  const pl_lanes *h = steel.history;
  const double inverse[9] = {1 + h[0][0], h[3][0], h[4][0], h[3][0],    1 + h[1][0],
                             h[5][0],     h[4][0], h[5][0], 1 + h[2][0]};
  memcpy(C, inverse, sizeof C);
  CHECK_NEAR(pl_mat3_det(C), 1, 1e-12);
}

/* A rod pulled to the logarithmic strain .3 with hardening 50, its sides free: (yield + Hh eps) /
 * (1
 * + Hh / E). The lateral stretch is found by secants in every step. */
TEST(a_hardening_rod_has_the_closed_form)
{
  metal steel = soft_metal(50, 0);
  const double young = 9 * 5e3 * 1e3 / (3 * 5e3 + 1e3);
  double tau[9], t = 1;
  for (int k = 1; k <= 60; k++) {
    double s = exp(0.005 * k), before = t, r0 = 0;
    t *= 0.999;
    for (int round = 0; round < 30; round++) {
      const metal start = steel;
      const double F[9] = {s, 0, 0, 0, t, 0, 0, 0, t};
      if (round == 0) {
        const double G[9] = {s, 0, 0, 0, before, 0, 0, 0, before};
        metal copy = steel;
        flow(&copy, G, 1, tau);
        r0 = tau[4];
      }
      flow(&steel, F, 1, tau);
      double r = tau[4];
      if (fabs(r) < 1e-11 || fabs(r - r0) < 1e-300) break;
      steel = start;
      double next = t - r * (t - before) / (r - r0);
      before = t;
      r0 = r;
      t = next;
    }
  }
  double eps = 0.3;
  CHECK_NEAR(tau[0], (10 + 50 * eps) / (1 + 50 / young), 1e-8);
  CHECK_NEAR(tau[0], 24.563318777, 1e-8);
}

/* Held at a strain beyond the yield stress, the excess fades as exp(-2 mu t / eta); first order. */
TEST(excess_stress_fades_by_its_viscosity)
{
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    const int steps = fine ? 2000 : 1000;
    metal lead = soft_metal(0, 2e3);
    const double e = 0.02, F[9] = {exp(e), 0, 0, 0, exp(-e / 2), 0, 0, 0, exp(-e / 2)};
    double tau[9], start = 2 * 1e3 * 1.5 * e, excess = start - 10;
    for (int k = 0; k < steps; k++) flow(&lead, F, 1.0 / steps, tau);
    error[fine] = mises(tau) - (10 + excess * exp(-2 * 1e3 / 2e3));
  }
  CHECK(fabs(error[1]) < 0.02);
  CHECK_NEAR(error[0] / error[1], 2, 0.05);
}

/* What has flown stays: unloaded, the rod is longer; a cycle inside the yield surface leaves
 * nothing. */
TEST(plastic_strain_stays)
{
  metal steel = soft_metal(50, 0);
  const double small[9] = {1.001, 0, 0, 0, 1, 0, 0, 0, 1}, rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double large[9] = {1.1, 0, 0, 0, 0.96, 0, 0, 0, 0.96};
  double tau[9];
  flow(&steel, small, 1, tau);
  flow(&steel, rest, 1, tau);
  CHECK(largest(tau, 9) == 0 && steel.history[6][0] == 0);
  flow(&steel, large, 1, tau);
  CHECK(steel.history[6][0] > 0.05);
  flow(&steel, rest, 1, tau);
  CHECK(tau[0] < -9);
}

TESTS(X(modifiers_have_an_energy_and_an_exact_tangent)
          X(fibres_and_upper_limits_are_semidefinite_by_themselves) X(fibres_have_the_closed_form)
              X(a_limit_has_two_slopes) X(orthotropic_with_isotropic_constants_is_hooke)
                  X(axes_turn_the_stiffness) X(sheared_metal_stays_on_the_yield_surface)
                      X(a_hardening_rod_has_the_closed_form) X(excess_stress_fades_by_its_viscosity)
                          X(plastic_strain_stays))
