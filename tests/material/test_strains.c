/* What every strain measure and every law of its own F must keep. Runs over both families: a member
 * is tested the moment it is listed. All moduli are of order 1, so tolerances are relative to 1
 * where not said. With PLIANT_LONG=1 a million points of each are looked at (some minutes). */
#include "points.h"

#include <stdlib.h>

/* h = 1e-5: the difference's own error is near 1e-10. */
TEST(stress_is_the_slope_of_the_energy)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    const double h = 1e-5;
    double worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], P[9], unused[9];
      random_gradient(F);
      stress_at(ops, F, NULL, P);
      for (int i = 0; i < 9; i++) {
        double centre = F[i];
        F[i] = centre + h;
        double above = stress_at(ops, F, NULL, unused);
        F[i] = centre - h;
        double below = stress_at(ops, F, NULL, unused);
        F[i] = centre;
        worst = fmax(worst, fabs((above - below) / (2 * h) - P[i]) / largest(P, 9));
      }
    }
    CHECK_NEAR(worst, 0, 1e-6);
  }
}

TEST(exact_tangent_is_the_slope_of_the_stress)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0, skew = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], exact[81], slope[81];
      random_gradient(F);
      tangent_at(ops, F, NULL, 1, 0, 0, exact);
      differences(ops, F, NULL, 0, slope);
      worst = fmax(worst, distance(exact, slope, 81) / largest(exact, 81));
      skew = fmax(skew, asymmetry(exact, 9));
    }
    CHECK_NEAR(worst, 0, 1e-5);
    CHECK(skew == 0);
  }
}

/* Inverted points have an exact tangent too, as long as no two stretches cancel. */
TEST(exact_tangent_of_inverted_points)
{
  const double sigma[3] = {1.2, 0.8, -0.3};
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double F[9], exact[81], slope[81];
    gradient_of(sigma, F);
    tangent_at(ops, F, NULL, 1, 0, 0, exact);
    differences(ops, F, NULL, 0, slope);
    CHECK_NEAR(distance(exact, slope, 81), 0, 1e-5 * largest(exact, 81));
  }
}

/* The viscous stress is linear in the rate, so differences are exact to rounding over h. */
TEST(viscous_tangent_is_the_slope_by_the_rate)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0, skew = 0, min = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], rate[9], exact[81], slope[81];
      random_gradient(F);
      random_matrix(1, rate);
      tangent_at(ops, F, rate, 0, 1, trial % 2, exact);
      differences(ops, F, rate, 1, slope);
      worst = fmax(worst, distance(exact, slope, 81));
      skew = fmax(skew, asymmetry(exact, 9));
      min = fmin(min, min_eigenvalue(exact) / largest(exact, 81));
    }
    CHECK_NEAR(worst, 0, 1e-8);
    CHECK(skew == 0);
    CHECK(min > -1e-13);
  }
}

/* Where two stretches cancel R is held, and the stress must still be the derivative by the rate. */
TEST(viscous_tangent_where_the_rotation_is_held)
{
  const double sigmas[3][3] = {{1, 0.5, -0.5}, {1, 0, 0}, {1e-6, 1e-6, 1e-6}};
  for (int m = 0; m < measure_count(); m++) {
    for (int i = 0; i < 3; i++) {
      double F[9], P[9], rate[9], exact[81], slope[81];
      gradient_of(sigmas[i], F);
      random_matrix(1, rate);
      stress_at(measure_at(m), F, NULL, P);
      tangent_at(measure_at(m), F, rate, 0, 1, 0, exact);
      differences(measure_at(m), F, rate, 1, slope);
      // differences lose what rounding takes of the elastic stress
      CHECK_NEAR(distance(exact, slope, 81), 0, 1e-8 + 1e-10 * largest(P, 9));
      CHECK(min_eigenvalue(exact) > -1e-13);
    }
  }
}

/* Corotated points whose rotation is not defined: the exact tangent is the one with R held. */
TEST(corotated_tangent_where_the_rotation_is_held)
{
  const double sigmas[5][3] = {
      {1, 0.5, -0.5}, {1, 0, 0}, {1e4, 1e-7, 0}, {1e-4, 1e-4, 1e-4}, {1e-105, 1e-105, 1e-105}};
  const pl_strain_ops *corotated = pl_strain_at(0);
  for (int i = 0; i < 5; i++) {
    double F[9], exact[81], held[81];
    gradient_of(sigmas[i], F);
    tangent_at(corotated, F, NULL, 1, 0, 0, exact);
    tangent_at(corotated, F, NULL, 1, 0, 1, held);
    CHECK(distance(exact, held, 81) == 0);
  }
}

TEST(rest_has_no_stress)
{
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int m = 0; m < measure_count(); m++) {
    double P[9], W = stress_at(measure_at(m), identity, NULL, P);
    CHECK(W == 0 && largest(P, 9) <= 1e-15);
  }
}

/* All measures and laws agree on small strains: Hooke's tangent with the point's moduli. */
TEST(tangent_at_rest_is_hookes)
{
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double hooke[81], other[81];
  CHECK(strcmp(pl_strain_at(1)->info.name, "linear") == 0);
  tangent_at(pl_strain_at(1), identity, NULL, 1, 0, 0, hooke);
  for (int m = 0; m < measure_count(); m++) {
    if (!is_isotropic(measure_at(m))) continue;
    tangent_at(measure_at(m), identity, NULL, 1, 0, 0, other);
    CHECK_NEAR(distance(hooke, other, 81), 0, 1e-14);
  }
}

TEST(rotations_carry_the_stress_along)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    if (!ops->rotation_invariant) continue;
    double worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], rate[9], Q[9], QF[9], Qrate[9], P[9], QP[9], turned[9];
      random_gradient(F);
      random_matrix(1, rate);
      random_rotation(Q);
      pl_mat3_multiply(Q, F, QF);
      pl_mat3_multiply(Q, rate, Qrate);
      double W = stress_at(ops, F, rate, P), turned_W = stress_at(ops, QF, Qrate, turned);
      pl_mat3_multiply(Q, P, QP);
      worst = fmax(worst, fmax(fabs(W - turned_W), distance(QP, turned, 9)));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

/* P F^T, the Cauchy stress times the volume, is symmetric with and without viscosity. */
TEST(stress_has_no_torque)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    if (!ops->rotation_invariant) continue;
    double worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], rate[9], P[9], PFt[9];
      random_gradient(F);
      random_matrix(1, rate);
      stress_at(ops, F, trial % 2 ? rate : NULL, P);
      pl_mat3_multiply_nt(P, F, PFt);
      worst = fmax(worst, asymmetry(PFt, 3));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

TEST(spinning_is_not_damped)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    if (!ops->rotation_invariant) continue;
    double worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], rate[9], P[9], with_rate[9], a = test_uniform(), b = test_uniform();
      const double W[9] = {0, -1, a, 1, 0, -b, -a, b, 0};
      random_gradient(F);
      pl_mat3_multiply(W, F, rate);
      stress_at(ops, F, NULL, P);
      stress_at(ops, F, rate, with_rate);
      worst = fmax(worst, distance(P, with_rate, 9));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

/* Strongly compressed, flat and inverted points included; negative lambda too. */
TEST(semidefinite_tangent_has_no_negative_eigenvalue)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0, skew = 0;
    for (int trial = 0; trial < 2 * TRIALS; trial++) {
      double F[9], H[81],
          sigma[3] = {2 * fabs(test_uniform()), test_uniform(), trial % 5 ? test_uniform() : 0};
      gradient_of(sigma, F);
      pl_point point = point_at(ops, F, NULL);
      if (trial % 3 == 0) point.lambda = pl_lanes_all(-0.3);
      pl_lanes tangent[81];
      ops->points.tangent(&point, 1, 0, 1, NULL, tangent);
      for (int i = 0; i < 81; i++) H[i] = tangent[i][0];
      worst = fmin(worst, min_eigenvalue(H) / largest(H, 81));
      skew = fmax(skew, asymmetry(H, 9));
    }
    CHECK(worst > -1e-13);
    CHECK(skew <= 1e-15);
  }
}

TEST(semidefinite_tangent_is_exact_at_rest)
{
  for (int m = 0; m < measure_count(); m++) {
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, exact[81], near[81];
    if (measure_at(m)->rotation_invariant) random_rotation(F);
    tangent_at(measure_at(m), F, NULL, 1, 0, 0, exact);
    tangent_at(measure_at(m), F, NULL, 1, 0, 1, near);
    CHECK_NEAR(distance(exact, near, 81), 0, 1e-13);
  }
}

TEST(tangent_adds_its_parts_and_gives_the_stress)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double F[9], rate[9], whole[81], elastic[81], viscous[81];
    random_gradient(F);
    random_matrix(1, rate);
    tangent_at(ops, F, rate, 2, 3, 0, whole);
    tangent_at(ops, F, rate, 1, 0, 0, elastic);
    tangent_at(ops, F, rate, 0, 1, 0, viscous);
    for (int i = 0; i < 81; i++) CHECK_NEAR(whole[i], 2 * elastic[i] + 3 * viscous[i], 1e-13);

    pl_point point = point_at(ops, F, rate);
    pl_lanes P[9], alone[9], W, only_W, H[81];
    ops->points.stress(&point, P, &W);
    ops->points.tangent(&point, 1, 1, 0, alone, H);
    CHECK(memcmp(P, alone, sizeof P) == 0);
    ops->points.stress(&point, NULL, &only_W);
    CHECK(memcmp(&W, &only_W, sizeof W) == 0);
    ops->points.tangent(&point, 1, 1, 1, alone, NULL);
    CHECK(memcmp(P, alone, sizeof P) == 0);
  }
}

/* The permutation symbol. */
static double symbol(int i, int j, int k) { return 0.5 * (i - j) * (j - k) * (k - i); }

static double invariant_entry(const pl_tangent_form *form, int row, int column)
{
  int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
  double f = form->B[row][0], g = form->A[row][0], F = form->B[column][0], G = form->A[column][0];
  double sum = form->ff[0] * f * F + form->fg[0] * (f * G + g * F) + form->lambda[0] * g * G;
  for (int m = 0; m < 3; m++) {
    for (int n = 0; n < 3; n++)
      sum += form->spin[0] * symbol(i, k, m) * symbol(j, l, n) * form->B[3 * m + n][0];
  }
  return sum + (row == column ? form->mu[0] : 0);
}

/* By singular values: sum of U_ia V_jb h_abcd U_kc V_ld. */
static double stretched_entry(const pl_tangent_form *form, int row, int column)
{
  int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
  double sum = 0;
  for (int n = 0; n < 81; n++) {
    int a = n / 27, b = n / 9 % 3, c = n / 3 % 3, d = n % 3;
    double h = 0;
    if (a == b && c == d) h = form->B[3 * a + c][0];
    if (a != b && a == c && b == d) h = form->own[3 - a - b][0];
    if (a != b && a == d && b == c) h = form->cross[3 - a - b][0];
    sum += form->N[3 * i + a][0] * form->A[3 * j + b][0] * h * form->N[3 * k + c][0] *
           form->A[3 * l + d][0];
  }
  return sum;
}

/* H[9*(3*i+j) + 3*k+l] by its definition. */
static double form_entry(const pl_tangent_form *form, pl_tangent_shape shape, int row, int column)
{
  int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
  double sum = form->lambda[0] * form->A[row][0] * form->A[column][0] +
               form->mu[0] * form->A[3 * i + l][0] * form->A[3 * k + j][0];
  if (shape == PL_TANGENT_STRETCHED) return stretched_entry(form, row, column);
  if (shape == PL_TANGENT_INVARIANT) return invariant_entry(form, row, column);
  if (shape == PL_TANGENT_TURNED) return sum + (j == l && i == k ? form->mu[0] : 0);
  return sum + (j == l ? form->N[3 * i + k][0] : 0) + (i == k ? form->S[3 * j + l][0] : 0);
}

/* The form stands for the same tangent and comes with the same bits of the stress. All entries are
 * of order 10, so 1e-14 is a few roundings. */
TEST(form_is_the_tangent)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_point_ops *points = &measure_at(m)->points;
    int forms = 0;
    for (int trial = 0; trial < 4 * TRIALS; trial++) {
      int viscous = trial % 2, semidefinite = trial / 2 % 2;
      double F[9], rate[9], H[81], worst = 0;
      random_gradient(F);
      random_matrix(1, rate);
      pl_point point = point_at(measure_at(m), F, viscous ? rate : NULL);
      pl_tangent_shape shape = points->shape(&point, semidefinite);
      if (shape == PL_TANGENT_WHOLE) continue;
      forms++;
      tangent_at(measure_at(m), F, viscous ? rate : NULL, 1.5, 0.5, semidefinite, H);
      point = point_at(measure_at(m), F, viscous ? rate : NULL);
      pl_tangent_form form;
      pl_lanes P[9], by_form[9];
      points->stress(&point, P, NULL);
      points->form(&point, 1.5, 0.5, semidefinite, by_form, &form);
      for (int i = 0; i < 81; i++)
        worst = fmax(worst, fabs(H[i] - form_entry(&form, shape, i / 9, i % 9)));
      CHECK_NEAR(worst, 0, 2e-14 * fmax(1, largest(H, 81)));
      CHECK(memcmp(P, by_form, sizeof P) == 0);
    }
    CHECK(forms > 0 || m >= PL_STRAIN_hybrid);
  }
}

/* A zero, flat, line-like, inverted or ordinary F, sometimes tiny. */
static void degenerate_gradient(int trial, double F[9])
{
  double a = test_uniform(), sigma[3] = {a, 0, 0};
  switch (trial % 8) {
  case 0:
    sigma[0] = 0;
    break;
  case 1:
    sigma[1] = test_uniform();
    break;
  case 2:
    break;
  case 3:
    sigma[1] = a, sigma[2] = -a;
    break;
  case 4:
    sigma[0] = sigma[1] = 1, sigma[2] = -1;
    break;
  case 5:
    sigma[1] = 0.5, sigma[2] = -0.5 * (1 + 1e-9 * test_uniform());
    break;
  case 6:
    sigma[1] = 1e-8 * a, sigma[2] = 1e-8 * a;
    break;
  default:
    sigma[1] = test_uniform(), sigma[2] = test_uniform();
    break;
  }
  // plain diagonal matrices hit exact zeros that turned ones miss
  if (trial % 3)
    gradient_of(sigma, F);
  else
    for (int i = 0; i < 9; i++) F[i] = i % 4 ? 0 : sigma[i / 4];
  double scale = trial % 11 == 0 ? 1e-300 : trial % 13 == 0 ? 1e-105 : trial % 17 == 0 ? 1e-9 : 1;
  for (int i = 0; i < 9; i++) F[i] *= scale;
}

static void degenerate_batch(const pl_strain_ops *ops, int trial, pl_point *point)
{
  double rate[9], F[9];
  random_matrix(1, rate);
  *point = point_at(ops, rate, rate);
  for (int lane = 0; lane < PL_LANES; lane++) {
    degenerate_gradient(4 * trial + lane, F);
    for (int i = 0; i < 9; i++) point->F[i][lane] = F[i];
  }
}

static int all_finite(const pl_lanes *lanes, int count)
{
  for (int i = 0; i < count; i++) {
    for (int lane = 0; lane < PL_LANES; lane++) {
      if (!isfinite(lanes[i][lane])) return 0;
    }
  }
  return 1;
}

TEST(degenerate_points_stay_finite)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    int bad = 0;
    for (int trial = 0; trial < (TEST_SANITIZED ? 500 : 8000); trial++) {
      pl_point point;
      pl_lanes P[9], W, H[81];
      degenerate_batch(ops, trial, &point);
      ops->points.stress(&point, P, &W);
      bad += !all_finite(P, 9) || !all_finite(&W, 1);
      ops->points.tangent(&point, 1, 1, trial % 2, P, H);
      bad += !all_finite(P, 9) || !all_finite(H, 81);
    }
    CHECK(bad == 0);
  }
}

/* ---- points in great number ---- */

static int batches(int usual) { return getenv("PLIANT_LONG") ? 1000000 / PL_LANES : usual; }

/* A third of all inverted, one in a hundred of each rank below 3, and 16 with stretches that are
 * the same but for a gap. */
static void any_gradient(int trial, double F[9])
{
  const double gaps[4] = {0, 1e-12, 1e-9, 1e-6};
  const int kind = trial % 100;
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = 1e-3 + 2.5 * fabs(test_uniform());
  if (kind < 3) s[2] = 0;
  if (kind < 2) s[1] = 0;
  if (kind < 1) s[0] = 0;
  if (kind >= 3 && kind < 19) s[1] = s[0] + gaps[kind % 4];
  if (kind >= 11 && kind < 19) s[2] = s[1] + gaps[kind % 4];
  if (trial % 3 == 0) s[2] = -s[2];
  gradient_of(s, F);
}

/* How far the projected tangent is from the clamped one, and the least eigenvalue. */
typedef struct extremes {
  double projection, eigenvalue;
  int bad; /* numbers that are not finite */
} extremes;

static void look_at_lane(const pl_lanes *exact, const pl_lanes *near, int lane, int is_projected,
                         extremes *worst)
{
  double H[81], want[81], found[81];
  for (int i = 0; i < 81; i++) H[i] = exact[i][lane], found[i] = near[i][lane];
  const double size = fmax(1, largest(H, 81));
  worst->eigenvalue = fmin(worst->eigenvalue, min_eigenvalue(found) / fmax(1, largest(found, 81)));
  if (!is_projected) return;
  project(H, 0, want);
  worst->projection = fmax(worst->projection, distance(found, want, 81) / size);
}

static extremes look_at_many(const pl_strain_ops *ops, int count)
{
  extremes worst = {0};
  for (int trial = 0; trial < count; trial++) {
    double F[9];
    pl_lanes P[9], W, exact[81], near[81];
    random_matrix(1, F);
    pl_point point = point_at(ops, F, NULL);
    for (int lane = 0; lane < PL_LANES; lane++) {
      any_gradient(PL_LANES * trial + lane, F);
      for (int i = 0; i < 9; i++) point.F[i][lane] = F[i];
    }
    ops->points.stress(&point, P, &W);
    ops->points.tangent(&point, 1, 0, PL_TANGENT_EXACT, NULL, exact);
    ops->points.tangent(&point, 1, 0, PL_TANGENT_CLAMPED, NULL, near);
    worst.bad += !all_finite(P, 9) || !all_finite(&W, 1) || !all_finite(exact, 81);
    for (int lane = 0; lane < PL_LANES; lane++)
      look_at_lane(exact, near, lane, is_projected(ops), &worst);
  }
  return worst;
}

TEST(any_point_has_a_projected_tangent)
{
  for (int m = 0; m < measure_count(); m++) {
    extremes worst = look_at_many(measure_at(m), batches(TEST_SANITIZED ? 50 : 1000));
    printf("  %-20s least eigenvalue %.1e, projection off by %.1e\n", measure_at(m)->info.name,
           worst.eigenvalue, worst.projection);
    CHECK(worst.bad == 0);
    CHECK(worst.eigenvalue >= -1e-12);
    CHECK(worst.projection <= 1e-8);
  }
}

/* The bits of everything that a measure gives at a batch of points. */
typedef struct outputs {
  pl_lanes P[9], W, held[81], exact[81], tangent_P[9], form_P[9];
  pl_tangent_form form;
} outputs;

static void evaluate(const pl_point_ops *points, const pl_point *point, outputs *out)
{
  pl_point own = *point;
  points->stress(point, out->P, &out->W);
  points->tangent(point, 1.5, 0.5, 1, NULL, out->held);
  points->tangent(point, 1.5, 0.5, 0, out->tangent_P, out->exact);
  memset(out->form_P, 0, sizeof out->form_P);
  memset(&out->form, 0, sizeof out->form);
  if (points->shape(point, 1) != PL_TANGENT_WHOLE)
    points->form(&own, 1.5, 0.5, 1, out->form_P, &out->form);
}

TEST(variants_give_the_same_bits)
{
#if PL_HAS_AVX2_VARIANT
  if (!pl_cpu_has_avx2()) return;
#define VARIANTS(name) {&pl_strain_##name##_base, &pl_strain_##name##_avx2},
#define LAWS(name)     {&pl_law_##name##_base, &pl_law_##name##_avx2},
  const pl_strain_ops *const variants[][2] = {PL_STRAINS(VARIANTS)};
  const pl_law_ops *const laws[][2] = {PL_LAWS(LAWS)};
  for (int m = 0; m < strain_count(); m++) {
    int different = 0;
    CHECK(pl_strain_at(m) == variants[m][1]);
    for (int trial = 0; trial < batches(TEST_SANITIZED ? 100 : 3000); trial++) {
      pl_point point;
      outputs base, avx2;
      degenerate_batch(pl_strain_at(m), trial, &point);
      point.viscous = trial % 2;
      evaluate(&variants[m][0]->points, &point, &base);
      evaluate(&variants[m][1]->points, &point, &avx2);
      different += memcmp(&base, &avx2, sizeof base) != 0;
    }
    CHECK(different == 0);
  }
  for (int l = 0; pl_law_at(l); l++) {
    int different = 0;
    CHECK(pl_law_at(l) == laws[l][1]);
    for (int trial = 0; trial < batches(TEST_SANITIZED ? 100 : 3000) && pl_law_at(l)->points.stress;
         trial++) {
      pl_point point;
      outputs base, avx2;
      const pl_strain_ops law = {.points = laws[l][1]->points};
      degenerate_batch(&law, trial, &point);
      point.viscous = trial % 2;
      evaluate(&laws[l][0]->points, &point, &base);
      evaluate(&laws[l][1]->points, &point, &avx2);
      different += memcmp(&base, &avx2, sizeof base) != 0;
    }
    CHECK(different == 0);
  }
#endif
}

TEST(lanes_do_not_see_their_neighbours)
{
  for (int m = 0; m < measure_count(); m++) {
    int different = 0;
    for (int trial = 0; trial < 2000; trial++) {
      pl_point mixed;
      outputs among, alone;
      degenerate_batch(measure_at(m), trial, &mixed);
      evaluate(&measure_at(m)->points, &mixed, &among);
      pl_point same = mixed;
      int lane = trial % PL_LANES;
      for (int i = 0; i < 9; i++) same.F[i] = pl_lanes_all(mixed.F[i][lane]);
      evaluate(&measure_at(m)->points, &same, &alone);
      const pl_lanes *a = (const pl_lanes *)&among, *b = (const pl_lanes *)&alone;
      for (size_t i = 0; i < sizeof among / sizeof *a; i++) {
        double left = a[i][lane], right = b[i][0];
        different += memcmp(&left, &right, sizeof left) != 0;
      }
    }
    CHECK(different == 0);
  }
}

TEST(family_lists_every_measure)
{
  CHECK(strain_count() == 4);
  for (int m = 0; m < strain_count(); m++) {
    const pl_member *info = &pl_strain_at(m)->info;
    CHECK(strcmp(info->name, pl_strain_family.members[m]->name) == 0);
    CHECK(info->summary && info->source);
  }
  CHECK(strcmp(pl_strain_family.members[0]->name, "corotated") == 0);
  // behind them stands the one that is not of points
  CHECK(strcmp(pl_strain_at(strain_count())->info.name, "warped") == 0);
  CHECK(pl_strain_at(-1) == NULL && pl_strain_at(strain_count() + 1) == NULL);
}

TESTS(X(stress_is_the_slope_of_the_energy) X(exact_tangent_is_the_slope_of_the_stress)
          X(exact_tangent_of_inverted_points) X(viscous_tangent_is_the_slope_by_the_rate)
              X(viscous_tangent_where_the_rotation_is_held)
                  X(corotated_tangent_where_the_rotation_is_held) X(rest_has_no_stress)
                      X(tangent_at_rest_is_hookes) X(rotations_carry_the_stress_along)
                          X(stress_has_no_torque) X(spinning_is_not_damped)
                              X(semidefinite_tangent_has_no_negative_eigenvalue)
                                  X(semidefinite_tangent_is_exact_at_rest)
                                      X(tangent_adds_its_parts_and_gives_the_stress)
                                          X(form_is_the_tangent) X(degenerate_points_stay_finite)
                                              X(any_point_has_a_projected_tangent)
                                                  X(variants_give_the_same_bits)
                                                      X(lanes_do_not_see_their_neighbours)
                                                          X(family_lists_every_measure))
