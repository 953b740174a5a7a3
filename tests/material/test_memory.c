/* Laws that remember. Generic tests run over every law; the last ones hold the Prony series to
 * closed forms. What carries them within a substep, a prestress, is in test_prestress.c. */
#include "slopes.h"

#include "material/prony_point.h"
#include "math/lanes_curves.h"

#define SHARES 0.75 /* the sum of the shares in test_numbers */

/* ---- functions ---- */

/* Relative to the C library's: a few roundings. */
TEST(decay_and_its_mean_are_exact)
{
  double worst = 0;
  for (int trial = 0; trial < (TEST_SANITIZED ? 2000 : 20000); trial++) {
    double x = trial == 0 ? 0 : exp(40 * test_uniform() - 15);
    pl_lanes z = pl_lanes_all(x), decay = pl_lanes_decay(z), mean = pl_lanes_mean_decay(z, decay);
    if (x < 700) worst = fmax(worst, fabs(decay[1] / exp(-x) - 1));
    if (x > 0) worst = fmax(worst, fabs(mean[2] / (-expm1(-x) / x) - 1));
  }
  CHECK_NEAR(worst, 0, 1e-15);
  pl_lanes ends = {0, 709, 1e300, INFINITY}, decay = pl_lanes_decay(ends);
  pl_lanes mean = pl_lanes_mean_decay(ends, decay);
  CHECK(decay[0] == 1 && decay[1] == 0 && decay[2] == 0 && decay[3] == 0);
  CHECK(mean[0] == 1 && mean[2] == 1e-300 && mean[3] == 0);
}

/* ---- memory ---- */

static pl_lanes history[PL_MOST_MEMORY];
static double since;
static const pl_point_ops *measured; /* the strain measure of the points below */

static pl_point remembering(const pl_strain_ops *ops, const double F[9])
{
  pl_point point = point_at(ops, F, NULL);
  point.strain = measured;
  freeze_point(ops, since, history, &point);
  return point;
}

static double remembered(const pl_strain_ops *ops, const double F[9], double *P)
{
  pl_point point = remembering(ops, F);
  pl_lanes stress[9], W;
  ops->points.stress(&point, stress, &W);
  for (int i = 0; P && i < 9; i++) P[i] = stress[i][0];
  return W[0];
}

static void advance(const pl_strain_ops *ops, const double F[9], double h)
{
  pl_point point = remembering(ops, F);
  law_with(ops)->memory.advance(&point, h, history_of(ops), history);
}

/* A few moves of a point through random states and times. */
static void live(const pl_strain_ops *ops, const double *Q)
{
  static const double times[] = {0.01, 0.3, 2, 1e-3};
  memset(history, 0, sizeof history);
  test_seed = 4711;
  for (int k = 0; k < 4; k++) {
    double F[9], QF[9];
    random_gradient(F);
    pl_mat3_multiply(Q, F, QF);
    advance(ops, QF, times[k]);
  }
}

static const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Calls check for every law that remembers, in every strain measure. */
static void every_memory(void (*check)(const pl_strain_ops *ops, const pl_strain_ops *strain))
{
  int count = 0;
  for (int m = strain_count(); m < measure_count(); m++) {
    for (int s = 0; s < strain_count() && has_memory(measure_at(m)); s++, count++) {
      if (pl_strain_at(s)->is_mixed) continue;
      measured = &pl_strain_at(s)->points;
      live(measure_at(m), unturned);
      int before = test_failures;
      check(measure_at(m), pl_strain_at(s));
      if (test_failures > before)
        printf("    %s, %s\n", measure_at(m)->info.name, pl_strain_at(s)->info.name);
    }
  }
  CHECK(count > 0);
}

static const double times[] = {0, 1e-4, 0.03, 0.7, 1e4, INFINITY};
enum { TIMES = sizeof times / sizeof *times };

static void check_memory_slopes(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  (void)strain;
  for (int t = 0; t < TIMES; t++) {
    slopes worst = {0};
    double min = 0;
    since = times[t];
    for (int trial = 0; trial < (TEST_SANITIZED ? 6 : 60); trial++) {
      double F[9], H[81], held[81];
      pl_lanes tangent[81];
      random_gradient(F);
      pl_point point = remembering(ops, F);
      ops->points.tangent(&point, 1, 0, 0, NULL, tangent);
      for (int i = 0; i < 81; i++) H[i] = tangent[i][0];
      slopes found = check_slopes(ops, remembered, F, H);
      worst.P = fmax(worst.P, found.P);
      worst.H = fmax(worst.H, found.H);
      point = remembering(ops, F);
      ops->points.tangent(&point, 1, 0, 1, NULL, tangent);
      for (int i = 0; i < 81; i++) held[i] = tangent[i][0];
      min = fmin(min, min_eigenvalue(held) / largest(held, 81));
    }
    CHECK_NEAR(worst.P, 0, 1e-6);
    CHECK_NEAR(worst.H, 0, 1e-5);
    CHECK(min > -1e-13);
  }
}

TEST(laws_with_memory_have_an_energy_and_an_exact_tangent) { every_memory(check_memory_slopes); }

/* What is committed is what was evaluated: the stress at the end of a substep is that at the
 * beginning of the next. */
static void check_continuity(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  (void)strain;
  for (int t = 0; t < TIMES && !law_with(ops)->memory.lags; t++) {
    double F[9], before[9], after[9];
    random_gradient(F);
    since = times[t];
    remembered(ops, F, before);
    advance(ops, F, since);
    since = 0;
    remembered(ops, F, after);
    CHECK_NEAR(distance(before, after, 9), 0, 1e-13);
  }
}

TEST(stress_goes_on_where_the_substep_ended) { every_memory(check_continuity); }

/* Two substeps in which nothing moves are one. */
static void check_halves(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  (void)strain;
  if (law_with(ops)->memory.lags) return;
  double F[9], whole[9], halves[9];
  pl_lanes copy[PL_MOST_MEMORY];
  since = 0;
  random_gradient(F);
  advance(ops, F, 0.2);
  memcpy(copy, history, sizeof copy);
  since = 0.5;
  remembered(ops, F, whole);
  since = 0;
  advance(ops, F, 0.15);
  advance(ops, F, 0.25);
  since = 0.1;
  remembered(ops, F, halves);
  CHECK_NEAR(distance(whole, halves, 9), 0, 1e-13);
  // and a substep that is not accepted leaves nothing behind
  memcpy(history, copy, sizeof copy);
  since = 0.5;
  remembered(ops, F, halves);
  CHECK(distance(whole, halves, 9) == 0);
}

TEST(a_substep_at_rest_can_be_divided) { every_memory(check_halves); }

/* A turned body remembers the same, and a body that relaxes while it spins has no torque. */
static void check_turned(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  if (!strain->rotation_invariant || law_with(ops)->memory.lags) return;
  double Q[9], F[9], QF[9], P[9], QP[9], turned[9], PFt[9];
  pl_lanes copy[PL_MOST_MEMORY];
  random_rotation(Q);
  memcpy(copy, history, sizeof copy);
  live(ops, Q);
  double apart = distance((const double *)copy, (const double *)history, 4 * PL_MOST_MEMORY);
  CHECK_NEAR(apart, 0, 1e-13);
  since = 0.03;
  random_gradient(F);
  remembered(ops, F, P);
  pl_mat3_multiply(Q, F, QF);
  pl_mat3_multiply(Q, P, QP);
  remembered(ops, QF, turned);
  CHECK_NEAR(distance(QP, turned, 9), 0, 1e-12);
  pl_mat3_multiply_nt(P, F, PFt);
  CHECK_NEAR(asymmetry(PFt, 3), 0, 1e-12);
}

TEST(memory_does_not_see_rotations) { every_memory(check_turned); }

/* After long nothing of the past is left, and a point that was never moved has none. */
static void check_relaxed(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  (void)strain;
  if (law_with(ops)->memory.lasting) return;
  double F[9], P[9], other[9];
  random_gradient(F);
  advance(ops, F, INFINITY);
  since = 0;
  remembered(ops, F, P);
  memset(history, 0, sizeof history);
  since = INFINITY;
  remembered(ops, F, other);
  CHECK_NEAR(distance(P, other, 9), 0, 1e-14);
  advance(ops, unturned, 0.1);
  for (int k = 0; k < PL_MOST_MEMORY; k++) CHECK(history[k][0] == 0);
}

TEST(long_rest_forgets_everything) { every_memory(check_relaxed); }

static void check_lanes(const pl_strain_ops *ops, const pl_strain_ops *strain)
{
  (void)strain;
  double F[9];
  pl_lanes mixed[PL_MOST_MEMORY], frozen[PL_MOST_FROZEN], alone[PL_MOST_FROZEN];
  const pl_memory_ops *memory = &law_with(ops)->memory;
  since = 0.3;
  for (int k = 0; k < PL_MOST_MEMORY; k++) {
    mixed[k] = history[k];
    for (int lane = 0; lane < 3; lane++) mixed[k][lane] *= lane - 1.5;
  }
  random_gradient(F);
  pl_point point = remembering(ops, F);
  memory->freeze(&point, since, mixed, history_of(ops), frozen);
  memory->freeze(&point, since, history, history_of(ops), alone);
  for (int k = 0; k < memory->frozen; k++) CHECK(frozen[k][3] == alone[k][3]);
  memory->advance(&point, since, history_of(ops), mixed);
  memory->advance(&point, since, history_of(ops), history);
  for (int k = 0; k < history_of(ops); k++) CHECK(mixed[k][3] == history[k][3]);
  for (int k = history_of(ops); k < PL_MOST_MEMORY; k++) CHECK(mixed[k][0] == 0);
}

TEST(memories_do_not_see_their_neighbours) { every_memory(check_lanes); }

TEST(variants_remember_the_same_bits)
{
#if PL_HAS_AVX2_VARIANT
  if (!pl_cpu_has_avx2()) return;
#define LAWS(name) {&pl_law_##name##_base, &pl_law_##name##_avx2},
  const pl_law_ops *const laws[][2] = {PL_LAWS(LAWS)};
  for (int l = 0; pl_law_at(l); l++) {
    const pl_strain_ops ops = {.points = pl_law_at(l)->points};
    for (int trial = 0; trial < (TEST_SANITIZED ? 100 : 1000) && laws[l][0]->memory.count;
         trial++) {
      double F[9];
      pl_lanes kept[2][PL_MOST_MEMORY], frozen[2][PL_MOST_FROZEN];
      measured = &pl_strain_at(trial % strain_count())->points;
      since = exp(3 * test_uniform());
      random_gradient(F);
      pl_point point = remembering(&ops, F);
      for (int side = 0; side < 2; side++) {
        for (int k = 0; k < PL_MOST_MEMORY; k++) kept[side][k] = pl_lanes_all(sin(trial + k));
        laws[l][side]->memory.advance(&point, since, history_of(&ops), kept[side]);
        laws[l][side]->memory.freeze(&point, since, kept[side], history_of(&ops), frozen[side]);
      }
      CHECK(!memcmp(kept[0], kept[1], sizeof kept[0]));
      CHECK(!memcmp(frozen[0], frozen[1], (size_t)laws[l][0]->memory.frozen * sizeof(pl_lanes)));
    }
  }
#endif
}

TEST(laws_declare_what_they_need)
{
  for (int l = 0; pl_law_at(l); l++) {
    const pl_law_ops *law = pl_law_at(l);
    CHECK(law->number_count >= 0 && law->number_count <= PL_MOST_NUMBERS);
    CHECK((law->number_count > 0) == (law->numbers != NULL));
    if (!law->memory.count) continue;
    CHECK(law->points.stress && law->memory.freeze && law->memory.advance);
    CHECK(law->memory.count(test_numbers_of(law, test_numbers)) <= PL_MOST_MEMORY);
    CHECK(law->memory.frozen > 0 && law->memory.frozen <= PL_MOST_FROZEN);
  }
  CHECK(pl_law_at(PL_LAW_COUNT) == NULL && pl_law_at(PL_LAW_COUNT - 1) != NULL);
}

/* ---- the Prony series against closed forms, in small strains of every measure ---- */

static const pl_strain_ops *prony(void)
{
  for (int m = 0; m < measure_count(); m++) {
    if (!strcmp(measure_at(m)->info.name, "hooke-prony")) return measure_at(m);
  }
  return NULL;
}

/* Shear by strain; returns the shear stress over 2 mu strain. All of it is deviator, and linear
 * strain takes shears of any size. */
static double shear(double strain, double unit)
{
  const double F[9] = {1, strain, 0, strain, 1, 0, 0, 0, 1};
  double P[9];
  remembered(prony(), F, P);
  return P[1] / (2 * 0.9 * unit);
}

static void accept(double strain, double h)
{
  const double F[9] = {1, strain, 0, strain, 1, 0, 0, 0, 1};
  advance(prony(), F, h);
}

static void begin_linear(void)
{
  measured = &pl_strain_at(PL_STRAIN_linear)->points;
  memset(history, 0, sizeof history);
  since = 0;
}

/* A jump at once, then steps of any length: the recursion is exact. */
TEST(relaxation_has_the_closed_form)
{
  const double *g = test_numbers, *tau = test_numbers + 6;
  double t = 0, worst = 0;
  begin_linear();
  accept(0.1, 0);
  CHECK_NEAR(shear(0.1, 0.1), 1, 1e-15);
  for (int step = 0; step < 60; step++) {
    double h = 1e-3 * pow(1.2, step), exact = 1 - SHARES;
    t += h;
    since = h;
    for (int i = 0; i < 6; i++) exact += g[i] * exp(-t / tau[i]);
    worst = fmax(worst, fabs(shear(0.1, 0.1) - exact));
    accept(0.1, h);
  }
  CHECK_NEAR(worst, 0, 1e-14);
  since = INFINITY;
  CHECK_NEAR(shear(0.1, 0.1), 1 - SHARES, 1e-15);
}

/* A ramp over t0 in uneven steps, then a hold: E_i (tau/t0) (e^(t0/tau) - 1) e^(-t/tau). */
TEST(ramp_and_hold_has_the_closed_form)
{
  const double *g = test_numbers, *tau = test_numbers + 6, t0 = 0.5;
  double t = 0, worst = 0;
  begin_linear();
  for (int step = 0; step < 40; step++) {
    double h = step < 10 ? t0 / 10 : 0.07, exact = 1 - SHARES;
    t += h;
    double strain = 0.1 * fmin(1, t / t0);
    since = h;
    double found = shear(strain, 0.1);
    accept(strain, h);
    if (step < 10) continue;
    for (int i = 0; i < 6; i++)
      exact += g[i] * tau[i] / t0 * (exp(-(t - t0) / tau[i]) - exp(-t / tau[i]));
    worst = fmax(worst, fabs(found - exact));
  }
  CHECK_NEAR(worst, 0, 1e-14);
}

/* ---- cycles, by the series around Hooke's law in linear strain ---- */

/* A point sheared by strain at a rate, in a memory by the rule of rates at both ends or not. */
static pl_point cycling(const pl_fading *fading, double strain, double rate)
{
  static pl_lanes numbers[PL_PRONY_NUMBERS];
  pl_point point = {.lambda = pl_lanes_all(1.7),
                    .mu = pl_lanes_all(0.9),
                    .numbers = numbers,
                    .strain = &pl_strain_at(PL_STRAIN_linear)->points,
                    .fading = fading,
                    .viscous = fading->hermite};
  for (int k = 0; k < PL_PRONY_NUMBERS; k++) numbers[k] = pl_lanes_all(test_numbers[k]);
  for (int i = 0; i < 9; i++) {
    point.F[i] = pl_lanes_all(i % 4 == 0 ? 1 : i == 1 || i == 3 ? strain : 0);
    point.rate[i] = pl_lanes_all(i == 1 || i == 3 ? rate : 0);
  }
  return point;
}

/* Under the strain sin w t, after transients, the loop has the area pi Im M with M = sum g i w tau
 * / (1 + i w tau) (per 2 mu). It is the sum of stress times strain rate over the steps of a period,
 * which is exact for waves. Returns the relative error. */
static double loop_error(int hermite, int steps, int periods)
{
  const pl_fading fading = {
      .law = &pl_strain_at(PL_STRAIN_linear)->points, .by_strain = 1, .hermite = hermite};
  const pl_memory_ops *memory = &pl_fading_of()->memory;
  const double *g = test_numbers, *tau = test_numbers + 6, w = 3;
  const int count = pl_prony_history(test_numbers) + (hermite ? 6 : 0);
  double h = 2 * acos(-1) / w / steps, area = 0, loss = 0;
  pl_lanes frozen[PL_MOST_FROZEN], P[9];
  memset(history, 0, sizeof history);
  for (int step = 1; step <= periods * steps; step++) {
    double turn = 2 * acos(-1) * (step % steps) / steps;
    pl_point point = cycling(&fading, sin(turn), w * cos(turn));
    memory->freeze(&point, h, history, count, frozen);
    point.frozen = frozen;
    pl_fading_of()->points.stress(&point, P, NULL);
    if (step > (periods - 1) * steps) area += P[1][0] / (2 * 0.9) * w * cos(turn) * h;
    memory->advance(&point, h, count, history);
  }
  for (int i = 0; i < 6; i++) loss += g[i] * w * tau[i] / (1 + w * w * tau[i] * tau[i]);
  return fabs(area / (acos(-1) * loss) - 1);
}

/* (w h)^2 / 12 by the linear rule and (w h)^4 / 720 by rates at both ends: 1e-6 from some 1800 and
 * 40 steps in a period on. The slowest term needs 100 periods to forget how it began. */
TEST(a_cycle_loses_the_energy_of_the_closed_form)
{
  static const int steps[2][3] = {{60, 120, 1840}, {20, 40, 41}};
  for (int hermite = 0; hermite < 2; hermite++) {
    const int *n = steps[hermite];
    double coarse = loop_error(hermite, n[0], 100), fine = loop_error(hermite, n[1], 100);
    double finest = loop_error(hermite, n[2], 100), wh = 2 * acos(-1) / n[2];
    printf("  %s: %.2e, %.2e, %.2e with %d, %d, %d steps in a period\n",
           hermite ? "hermite" : "linear", coarse, fine, finest, n[0], n[1], n[2]);
    CHECK_NEAR(log2(coarse / fine), hermite ? 4 : 2, 0.06);
    CHECK_NEAR(finest / (hermite ? pow(wh, 4) / 720 : wh * wh / 12), 1, 0.05);
    CHECK(finest < 1e-6);
  }
}

/* To move on and freeze at once gives the bits of one after the other but for energies, in both
 * variants, from one room to another and in the same, and whether decays are at hand or not. */
static void check_move(const pl_fading_ops *ops, const pl_fading *fading, int known, int terms)
{
  const int count = 6 * (1 + terms);
  double from[PL_LANES * PL_MOST_MEMORY], to[PL_LANES * PL_MOST_MEMORY];
  pl_lanes apart[PL_MOST_FROZEN], both[PL_MOST_FROZEN], decays[PL_MOST_DECAYS];
  const size_t size = (size_t)(count * PL_LANES) * sizeof *from;
  const size_t frozen = PL_PRONY_ENERGY * sizeof *both;
  for (int k = 0; k < count; k++) {
    history[k] = pl_lanes_all(0.1 * test_uniform());
    pl_lanes_store(from + PL_LANES * k, history[k]);
  }
  pl_point point = cycling(fading, 0.2, 0);
  pl_move move = {point.numbers, decays + 1, terms, from, to, both};
  ops->memory.decays(point.numbers, 0.3, count, decays);
  point.decays = known ? decays : NULL;
  point.move = &move;
  ops->memory.advance(&point, 0.3, count, history);
  ops->memory.freeze(&point, 0.3, history, count, apart);
  ops->memory.move(&point);
  CHECK(!memcmp(history, to, size) && !memcmp(apart, both, frozen));
  move.to = from;
  ops->memory.move(&point);
  CHECK(!memcmp(history, from, size) && !memcmp(apart, both, frozen));
}

TEST(moving_on_freezes_the_same_bits)
{
  for (int k = 0; k < 12; k++) {
    const pl_point_ops *law =
        k % 2 ? &pl_law_at(PL_LAW_neo_hooke)->points : &pl_strain_at(PL_STRAIN_linear)->points;
    const pl_fading fading = {
        .law = law, .by_strain = k % 2 == 0, .of = (pl_fading_part)(k / 2 % 3)};
    check_move(&pl_fading_base, &fading, k >= 6, k % 4);
#if PL_HAS_AVX2_VARIANT
    if (pl_cpu_has_avx2()) check_move(&pl_fading_avx2, &fading, k >= 6, k % 4);
#endif
  }
}

/* The energy that W tells at h = 0 is that of the springs: work done less what the dashpots took,
 * integral of 2 mu g_i |e_i|^2 / tau_i. */
TEST(work_is_stored_or_lost)
{
  const double *g = test_numbers, *tau = test_numbers + 6, mu = 0.9, h = 2e-4;
  double work = 0, lost = 0, before = 0, rate[6] = {0};
  begin_linear();
  double at_rest = remembered(prony(), unturned, NULL);
  for (int step = 1; step <= 10000; step++) {
    double last = 0.1 * sin(2 * h * (step - 1)), strain = 0.1 * sin(2 * h * step);
    since = h;
    double stress = 4 * mu * shear(strain, 1);
    work += 0.5 * (stress + before) * (strain - last);
    before = stress;
    accept(strain, h);
    for (int i = 0; i < 6; i++) {
      double spring = history[6 * (i + 1) + 3][0], power = 4 * mu * g[i] * spring * spring / tau[i];
      lost += 0.5 * h * (power + rate[i]);
      rate[i] = power;
    }
  }
  since = 0;
  const double strain = 0.1 * sin(2 * h * 10000), F[9] = {1, strain, 0, strain, 1, 0, 0, 0, 1};
  double stored = remembered(prony(), F, NULL);
  printf("  work %.6e, stored %.6e, lost %.6e\n", work, stored, lost);
  CHECK(at_rest == 0 && lost > 0.1 * work);
  CHECK_NEAR(work - stored - lost, 0, 1e-8);
}

TESTS(X(decay_and_its_mean_are_exact) X(laws_with_memory_have_an_energy_and_an_exact_tangent)
          X(stress_goes_on_where_the_substep_ended) X(a_substep_at_rest_can_be_divided)
              X(memory_does_not_see_rotations) X(long_rest_forgets_everything)
                  X(memories_do_not_see_their_neighbours) X(variants_remember_the_same_bits)
                      X(laws_declare_what_they_need) X(relaxation_has_the_closed_form)
                          X(ramp_and_hold_has_the_closed_form)
                              X(a_cycle_loses_the_energy_of_the_closed_form)
                                  X(moving_on_freezes_the_same_bits) X(work_is_stored_or_lost))
