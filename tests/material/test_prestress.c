/* A constant stress beside the law, which is what memory is within a substep. */
#include "slopes.h"

static pl_lanes prestress[6];

static void random_prestress(void)
{
  for (int k = 0; k < 6; k++) prestress[k] = pl_lanes_all(test_uniform());
}

/* Every measure, and every law that does not use the prestress itself. */
static int takes_prestress(int m) { return !has_memory(measure_at(m)); }

static double stressed(const pl_strain_ops *ops, const double F[9], double *P)
{
  pl_point point = point_at(ops, F, NULL);
  pl_lanes stress[9], W;
  point.prestress = prestress;
  ops->points.stress(&point, stress, &W);
  for (int i = 0; P && i < 9; i++) P[i] = stress[i][0];
  return W[0];
}

TEST(prestress_has_an_energy_and_an_exact_tangent)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    slopes worst = {0};
    double skew = 0;
    for (int trial = 0; trial < TRIALS && takes_prestress(m); trial++) {
      const double inverted[3] = {1.2, 0.8, -0.3};
      double F[9], H[81];
      pl_lanes tangent[81];
      random_prestress();
      if (trial % 10)
        random_gradient(F);
      else
        gradient_of(inverted, F);
      pl_point point = point_at(ops, F, NULL);
      point.prestress = prestress;
      ops->points.tangent(&point, 1, 0, 0, NULL, tangent);
      for (int i = 0; i < 81; i++) H[i] = tangent[i][0];
      slopes found = check_slopes(ops, stressed, F, H);
      worst.P = fmax(worst.P, found.P);
      worst.H = fmax(worst.H, found.H);
      skew = fmax(skew, asymmetry(H, 9));
    }
    CHECK_NEAR(worst.P, 0, 1e-6);
    CHECK_NEAR(worst.H, 0, 1e-5);
    CHECK(skew <= 1e-15);
  }
}

/* The energy of the prestress is T : E of the measure; laws of F have Green's. */
TEST(prestress_acts_in_the_strain_of_the_measure)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    if (!takes_prestress(m)) continue;
    void (*measure)(const pl_lanes *, pl_lanes *) = ops->points.measure;
    if (!measure) measure = pl_strain_at(PL_STRAIN_green)->points.measure;
    for (int trial = 0; trial < TRIALS; trial++) {
      double F[9], P[9], sum = 0;
      pl_lanes E[6];
      random_prestress();
      random_gradient(F);
      pl_point point = point_at(ops, F, NULL);
      measure(point.F, E);
      for (int k = 0; k < 6; k++) sum += (k < 3 ? 1 : 2) * prestress[k][0] * E[k][0];
      CHECK_NEAR(stressed(ops, F, P) - stress_at(ops, F, NULL, P), sum, 1e-13);
    }
  }
}

/* P F^T stays symmetric, and a rotation carries P along. */
TEST(prestress_has_no_torque)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double torque = 0, worst = 0;
    for (int trial = 0; trial < TRIALS && takes_prestress(m) && ops->rotation_invariant; trial++) {
      double F[9], P[9], PFt[9], Q[9], QF[9], QP[9], turned[9];
      random_prestress();
      random_gradient(F);
      random_rotation(Q);
      stressed(ops, F, P);
      pl_mat3_multiply_nt(P, F, PFt);
      torque = fmax(torque, asymmetry(PFt, 3));
      pl_mat3_multiply(Q, F, QF);
      pl_mat3_multiply(Q, P, QP);
      stressed(ops, QF, turned);
      worst = fmax(worst, distance(QP, turned, 9));
    }
    CHECK_NEAR(torque, 0, 1e-12);
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

/* Crushed and inverted points under any prestress; where there is a form it is the tangent. */
TEST(prestress_leaves_the_semidefinite_tangent_semidefinite)
{
  for (int m = 0; m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0, apart = 0;
    for (int trial = 0; trial < TRIALS && takes_prestress(m); trial++) {
      double F[9], H[81],
          sigma[3] = {2 * fabs(test_uniform()), test_uniform(), trial % 5 ? test_uniform() : 0};
      pl_lanes tangent[81], P[9], form_P[9];
      random_prestress();
      gradient_of(sigma, F);
      pl_point point = point_at(ops, F, NULL);
      point.prestress = prestress;
      ops->points.tangent(&point, 1, 0, 1, P, tangent);
      for (int i = 0; i < 81; i++) H[i] = tangent[i][0];
      worst = fmin(worst, min_eigenvalue(H) / largest(H, 81));
      if (ops->points.shape(&point, 1) == PL_TANGENT_WHOLE) continue;
      pl_tangent_form form;
      ops->points.form(&point, 1, 0, 1, form_P, &form);
      for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(P[i][0] - form_P[i][0]));
    }
    CHECK(worst > -1e-13);
    CHECK(apart == 0);
  }
}

/* Below whose negative no eigenvalue of the prestress lies. */
static double floor_of_prestress(void)
{
  double T[6], mean = 0, square = 0;
  for (int k = 0; k < 6; k++) T[k] = prestress[k][0];
  for (int k = 0; k < 3; k++) mean += T[k] / 3;
  for (int k = 0; k < 6; k++) square += k < 3 ? (T[k] - mean) * (T[k] - mean) : 2 * T[k] * T[k];
  return fmax(sqrt(square * 2 / 3) - mean, 0);
}

/* Laws of F raise what is too small and leave the rest: the semidefinite tangent is the exact one
 * where the law alone has no eigenvalue below the bound, and never below it elsewhere. */
TEST(prestress_changes_the_tangent_only_where_the_law_is_too_soft)
{
  int exact = 0, raised = 0;
  for (int m = strain_count(); m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double apart = 0, lowered = 0;
    for (int trial = 0; trial < TRIALS && takes_prestress(m); trial++) {
      double F[9], alone[81], H[81], rise[81];
      pl_lanes tangent[3][81];
      random_prestress();
      for (int k = 0; k < 6; k++) prestress[k] *= trial % 2 ? 0.1 : 1;
      random_gradient(F);
      pl_point point = point_at(ops, F, NULL);
      if (ops->points.shape(&point, 1) == PL_TANGENT_WHOLE) break;
      ops->points.tangent(&point, 1, 0, 0, NULL, tangent[0]);
      point.prestress = prestress;
      ops->points.tangent(&point, 1, 0, 0, NULL, tangent[1]);
      ops->points.tangent(&point, 1, 0, 1, NULL, tangent[2]);
      for (int i = 0; i < 81; i++) {
        alone[i] = tangent[0][i][0];
        H[i] = tangent[1][i][0];
        rise[i] = tangent[2][i][0] - H[i];
      }
      if (min_eigenvalue(alone) > 1.001 * floor_of_prestress()) {
        apart = fmax(apart, largest(rise, 81) / largest(H, 81));
        exact++;
      } else {
        lowered = fmin(lowered, min_eigenvalue(rise) / largest(H, 81));
        raised++;
      }
    }
    CHECK_NEAR(apart, 0, 1e-11);
    CHECK(lowered > -1e-11);
    if (apart > 1e-11 || lowered < -1e-11)
      printf("    %s: %g %g\n", ops->info.name, apart, lowered);
  }
  CHECK(exact > 20 && raised > 20);
}

TESTS(X(prestress_has_an_energy_and_an_exact_tangent) X(prestress_acts_in_the_strain_of_the_measure)
          X(prestress_has_no_torque) X(prestress_leaves_the_semidefinite_tangent_semidefinite)
              X(prestress_changes_the_tangent_only_where_the_law_is_too_soft))
