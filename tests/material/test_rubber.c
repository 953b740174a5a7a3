/* Laws of large strain against closed forms and each other: uniaxial, equibiaxial, planar and
 * simple shear of nearly incompressible points, volume change, special cases that are another law,
 * and the semidefinite tangent against a clamped eigendecomposition. */
#include "core/family.h"
#include "math/lanes_mat3.h"
#include "points.h"

/* ---- points of a law by its parameters ---- */

typedef struct sample {
  const pl_law_ops *law;
  pl_lanes numbers[PL_MOST_NUMBERS], frozen[PL_MOST_FROZEN];
  double lambda, mu;
} sample;

static sample sample_of(const char *law, const pl_setting *settings, int count)
{
  sample out = {0};
  double values[PL_MOST_VALUES], numbers[PL_MOST_NUMBERS] = {0};
  const pl_member *member = NULL;
  const pl_choice choice = {law, settings, count};
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  out.law = pl_law_of(member);
  CHECK_OK(out.law->lame(values, &out.lambda, &out.mu, error));
  if (out.law->numbers) out.law->numbers(values, numbers);
  for (int k = 0; k < PL_MOST_NUMBERS; k++) out.numbers[k] = pl_lanes_all(numbers[k]);
  return out;
}

static pl_point at(const sample *of, const double F[9])
{
  pl_point point = {.lambda = pl_lanes_all(of->lambda),
                    .mu = pl_lanes_all(of->mu),
                    .numbers = of->numbers,
                    .frozen = of->frozen,
                    .strain = &pl_strain_at(PL_STRAIN_green)->points};
  for (int i = 0; i < 9; i++) point.F[i] = pl_lanes_all(F[i]);
  return point;
}

static double stress_of(const sample *of, const double F[9], double P[9])
{
  pl_lanes lanes[9], W;
  pl_point point = at(of, F);
  of->law->points.stress(&point, lanes, &W);
  for (int i = 0; i < 9; i++) P[i] = lanes[i][0];
  return W[0];
}

#define SET(NAME, VALUE)                                                                           \
  {                                                                                                \
    .name = NAME, .value = { VALUE }                                                               \
  }

/* ---- closed forms of incompressible rubber ---- */

enum { UNIAXIAL, EQUIBIAXIAL, PLANAR, MODES };

/* Stretches of a mode at constant volume; the last direction is free of stress. */
static void stretches(int mode, double l, double s[3])
{
  const double modes[MODES][3] = {
      {l, 1 / sqrt(l), 1 / sqrt(l)}, {l, l, 1 / (l * l)}, {l, 1, 1 / l}};
  memcpy(s, modes[mode], 3 * sizeof *s);
}

/* Nominal stress along the first direction, less the pressure that frees the last: P1 - P3 s3 / s1,
 * which no volume term changes. */
static double nominal(const sample *of, int mode, double l)
{
  double s[3], F[9] = {0}, P[9];
  stretches(mode, l, s);
  for (int i = 0; i < 3; i++) F[4 * i] = s[i];
  stress_of(of, F, P);
  return P[0] - P[8] * s[2] / s[0];
}

static const double tested[5] = {0.5, 0.8, 1.3, 2, 3};

/* W by the first invariant: 2 (s1 - s3^2 / s1) f'. */
static double by_invariant(int mode, double l, double (*slope)(double))
{
  double s[3];
  stretches(mode, l, s);
  double I1 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  return 2 * (s[0] - s[2] * s[2] / s[0]) * slope(I1);
}

static double yeoh_slope(double I1)
{
  double x = I1 - 3;
  return 0.181003e6 + 2 * -1.21695e3 * x + 3 * 3.70023e1 * x * x;
}

static double chain_slope(double I1)
{
  const double k[5] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
  double sum = 0;
  for (int i = 0; i < 5; i++) sum += k[i] * (i + 1) * pow(I1, i) / pow(4.68174 * 4.68174, i);
  return 0.27696e6 * sum;
}

static double neo_slope(double I1)
{
  (void)I1;
  return 0.25e6;
}

TEST(laws_of_the_first_invariant_have_the_closed_forms)
{
  const pl_setting yeoh[] = {SET("c1", 0.181003e6), SET("c2", -1.21695e3), SET("c3", 3.70023e1),
                             SET("bulk", 1e9)};
  const pl_setting chains[] = {SET("mu-a", 0.27696e6), SET("locking-stretch", 4.68174),
                               SET("bulk", 1e9)};
  const pl_setting neo[] = {SET("lambda", 1e9), SET("mu", 0.5e6)};
  const sample samples[] = {sample_of("reduced-polynomial", yeoh, 4),
                            sample_of("arruda-boyce", chains, 3), sample_of("neo-hooke", neo, 2)};
  double (*const slopes[])(double) = {yeoh_slope, chain_slope, neo_slope};
  for (int law = 0; law < 3; law++) {
    for (int mode = 0; mode < MODES; mode++) {
      for (int i = 0; i < 5; i++) {
        double want = by_invariant(mode, tested[i], slopes[law]);
        CHECK_NEAR(nominal(&samples[law], mode, tested[i]), want, 1e-9 * fabs(want));
      }
    }
  }
  CHECK_NEAR(samples[0].mu, 2 * 0.181003e6, 1e-6);
}

/* sum mu_p (s1^(al-1) - s3^al / s1); Ogden's constants of 1972 in Pa. */
TEST(ogden_has_the_closed_forms)
{
  const double mu[3] = {0.63e6, 0.0012e6, -0.01e6}, alpha[3] = {1.3, 5, -2};
  const pl_setting own[] = {SET("mu1", mu[0]), SET("alpha1", 1.3), SET("mu2", mu[1]),
                            SET("alpha2", 5),  SET("mu3", mu[2]),  SET("alpha3", -2),
                            SET("bulk", 1e9)};
  pl_setting abaqus[] = {SET("mu1", mu[0] * 1.3 / 2),
                         SET("alpha1", 1.3),
                         SET("mu2", mu[1] * 5 / 2),
                         SET("alpha2", 5),
                         SET("mu3", mu[2] * -2 / 2),
                         SET("alpha3", -2),
                         SET("bulk", 1e9),
                         {.name = "convention", .word = "abaqus"}};
  const sample samples[] = {sample_of("ogden", own, 7), sample_of("ogden", abaqus, 8)};
  for (int law = 0; law < 2; law++) {
    CHECK_NEAR(samples[law].mu, 0.5 * (0.63e6 * 1.3 + 0.0012e6 * 5 + 0.01e6 * 2), 1e-6);
    for (int mode = 0; mode < MODES; mode++) {
      for (int i = 0; i < 5; i++) {
        double s[3], want = 0;
        stretches(mode, tested[i], s);
        for (int p = 0; p < 3; p++)
          want += mu[p] * (pow(s[0], alpha[p] - 1) - pow(s[2], alpha[p]) / s[0]);
        CHECK_NEAR(nominal(&samples[law], mode, tested[i]), want, 1e-9 * fabs(want));
      }
    }
  }
}

/* A sphere that swells: P = U'(J) s^2 for laws of shape and volume, U' = K (J - 1). */
TEST(volume_change_has_the_closed_form)
{
  const pl_setting yeoh[] = {SET("c1", 1e5), SET("bulk", 3e6), SET("d2", 1e-6)};
  const sample rubber = sample_of("reduced-polynomial", yeoh, 3);
  const double ratios[5] = {0.5, 0.8, 1.1, 1.5, 3};
  for (int i = 0; i < 5; i++) {
    double J = ratios[i], s = cbrt(J), F[9] = {s, 0, 0, 0, s, 0, 0, 0, s}, P[9];
    stress_of(&rubber, F, P);
    double want = (3e6 * (J - 1) + 4e6 * pow(J - 1, 3)) * s * s;
    CHECK_NEAR(P[0], want, 1e-8 * fabs(want));
  }
}

/* Simple shear by g: the Cauchy stress xy is 2 (W1 + W2) g; with Ogden's exponents it has the
 * stretches l and 1/l, l - 1/l = g, and the direction of the first. */
TEST(simple_shear_has_the_closed_form)
{
  const pl_setting ogden[] = {SET("mu1", 2e5), SET("alpha1", 3.5), SET("bulk", 1e9)};
  const pl_setting yeoh[] = {SET("c1", 1e5), SET("c2", 2e4), SET("bulk", 1e9)};
  const sample powers = sample_of("ogden", ogden, 3);
  const sample polynomial = sample_of("reduced-polynomial", yeoh, 3);
  for (int i = 0; i < 5; i++) {
    double g = tested[i] - 0.3, F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, P[9];
    stress_of(&polynomial, F, P);
    double want = 2 * (1e5 + 4e4 * g * g) * g;
    // sigma = P F^T
    CHECK_NEAR(P[1], want, 1e-8 * want);
    stress_of(&powers, F, P);
    double l = 0.5 * (g + sqrt(g * g + 4));
    double tau = 2e5 * (pow(l, 3.5) - pow(l, -3.5)), sine = l / (1 + l * l);
    CHECK_NEAR(P[1], tau * sine, 1e-8 * tau);
  }
}

static double apart(const sample *a, const sample *b, const double F[9])
{
  double P[9], Q[9];
  double W = stress_of(a, F, P), V = stress_of(b, F, Q);
  return fmax(fabs(W - V) / fmax(1, fabs(W)), distance(P, Q, 9) / fmax(1, largest(P, 9)));
}

TEST(special_cases_are_other_laws)
{
  const pl_setting squares[] = {SET("mu1", 1.8), SET("alpha1", 2), SET("bulk", 4)};
  const pl_setting both[] = {SET("mu1", 1.2), SET("alpha1", 2), SET("mu2", -0.6), SET("alpha2", -2),
                             SET("bulk", 4)};
  const pl_setting first[] = {SET("c1", 0.9), SET("bulk", 4)};
  const pl_setting mooney[] = {SET("c10", 0.9), SET("c01", 0), SET("bulk", 4)};
  const pl_setting rivlin[] = {SET("c10", 0.6), SET("c01", 0.3), SET("bulk", 4)};
  const sample a = sample_of("ogden", squares, 3), b = sample_of("ogden", both, 5);
  const sample c = sample_of("reduced-polynomial", first, 2);
  const sample d = sample_of("mooney-rivlin", mooney, 3), e = sample_of("mooney-rivlin", rivlin, 3);
  for (int trial = 0; trial < TRIALS; trial++) {
    double F[9];
    const double s[3] = {1 + 0.4 * test_uniform(), 1 + 0.4 * test_uniform(),
                         1 + 0.4 * test_uniform()};
    gradient_of(s, F);
    CHECK(apart(&a, &d, F) < 1e-10 && apart(&b, &e, F) < 1e-10 && apart(&c, &d, F) < 1e-12);
  }
}

/* Isotropic laws do not see a rotation before the deformation. */
TEST(isotropic_laws_are_isotropic)
{
  for (int m = strain_count(); m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0;
    for (int trial = 0; trial < 100 && is_isotropic(ops); trial++) {
      double F[9], Q[9], FQ[9], P[9], R[9];
      random_gradient(F);
      random_rotation(Q);
      pl_mat3_multiply(F, Q, FQ);
      double W = stress_at(ops, F, NULL, P), V = stress_at(ops, FQ, NULL, R);
      worst = fmax(worst, fabs(W - V) / fmax(1, fabs(W)));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

/* S = F^-1 P of laws of F that have it without P, with the least ratio of volumes in place of a
 * smaller one. */
TEST(conjugate_stresses_belong_to_those_of_F)
{
  int found = 0;
  for (int m = strain_count(); m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    double worst = 0;
    if (!ops->points.conjugate || law_with(ops)->uses_strain) continue;
    found++;
    for (int trial = 0; trial < 300; trial++) {
      double F[9], P[9], G[9], want[9], got[9];
      pl_lanes S[6], whole[9];
      random_gradient(F);
      const double J = pl_mat3_cofactors(F, G);
      const pl_point point = point_at(ops, F, NULL);
      stress_at(ops, F, NULL, P);
      ops->points.conjugate(&point, S);
      pl_lanes_mat3_unpack(S, whole);
      pl_mat3_multiply_tn(G, P, want);
      for (int i = 0; i < 9; i++) {
        want[i] /= fmax(J, 0.1);
        got[i] = whole[i][3];
      }
      worst = fmax(worst, distance(got, want, 9) / fmax(1, largest(want, 9)));
    }
    CHECK_NEAR(worst, 0, 1e-12);
  }
  CHECK(found >= 5);
}

/* ---- the semidefinite tangent ---- */

/* Of isotropic laws of F it is the exact one with its eigenvalues projected: inverted points,
 * repeated stretches and gaps down to rounding included. */
TEST(semidefinite_tangents_are_the_projected_exact_ones)
{
  const double gaps[4] = {0, 1e-12, 1e-9, 1e-6};
  for (int m = strain_count(); m < measure_count(); m++) {
    const pl_strain_ops *ops = measure_at(m);
    if (!is_projected(ops)) continue;
    double worst = 0;
    for (int trial = 0; trial < 150; trial++) {
      double F[9], exact[81], near[81], want[81];
      double a = 0.3 + fabs(test_uniform()), b = a + gaps[trial % 4];
      const double s[3] = {trial % 3 ? 1.5 : b, a, trial % 3 == 1 ? -0.2 : trial % 3 ? b : 0.9};
      gradient_of(s, F);
      tangent_at(ops, F, NULL, 1, 0, PL_TANGENT_EXACT, exact);
      for (int absolute = 0; absolute < 2; absolute++) {
        tangent_at(ops, F, NULL, 1, 0, PL_TANGENT_CLAMPED + absolute, near);
        project(exact, absolute, want);
        worst = fmax(worst, distance(near, want, 81) / fmax(1, largest(exact, 81)));
      }
    }
    CHECK_NEAR(worst, 0, 1e-8);
    if (!(worst < 1e-8)) printf("    %s\n", ops->info.name);
  }
}

/* Moduli instead of a law's own constants give the same small strains. */
TEST(young_and_poisson_serve_every_isotropic_law)
{
  const pl_setting moduli[] = {SET("young", 1e5), SET("poisson", 0.3)};
  for (int l = 0; pl_law_at(l); l++) {
    const pl_law_ops *law = pl_law_at(l);
    if (law->uses_axes || l == PL_LAW_mooney_rivlin_prony) continue;
    sample found = sample_of(law->info.name, moduli, 2);
    CHECK_NEAR(found.mu, 1e5 / 2.6, 1e-9);
    CHECK_NEAR(found.lambda, 0.3e5 / (1.3 * 0.4), 1e-9);
    if (law->memory.count || !law->points.stress) continue;
    const double e = 1e-7, F[9] = {1 + e, 0, 0, 0, 1, 0, 0, 0, 1};
    double P[9];
    stress_of(&found, F, P);
    CHECK_NEAR(P[0], (found.lambda + 2 * found.mu) * e, 1e-5 * found.mu * e);
  }
}

TESTS(X(laws_of_the_first_invariant_have_the_closed_forms) X(ogden_has_the_closed_forms)
          X(volume_change_has_the_closed_form) X(simple_shear_has_the_closed_form)
              X(special_cases_are_other_laws) X(isotropic_laws_are_isotropic)
                  X(conjugate_stresses_belong_to_those_of_F)
                      X(semidefinite_tangents_are_the_projected_exact_ones)
                          X(young_and_poisson_serve_every_isotropic_law))
