/* Laws of rubber fitted to stresses: against the laws themselves, Treloar's data, and made ones. */
#include "core/family.h"
#include "core/memory.h"
#include "core/text.h"
#include "material/material.h"
#include "material/stress_fit.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"neo-hooke", "mooney-rivlin", "reduced-polynomial", "ogden",
                                    "arruda-boyce"};
static const pl_rubber rubbers[] = {
    {.kind = PL_RUBBER_NEO_HOOKE, .terms = 1, .c = {0.4}, .bulk = 9},
    {.kind = PL_RUBBER_MOONEY, .terms = 1, .c = {0.3, 0.1}, .bulk = 9},
    {.kind = PL_RUBBER_POLYNOMIAL, .terms = 3, .c = {0.4, -0.02, 0.003}, .bulk = 9},
    {.kind = PL_RUBBER_OGDEN, .terms = 2, .c = {0.5, -0.1, 1.7, -2.2}, .bulk = 9},
    {.kind = PL_RUBBER_ARRUDA, .terms = 1, .c = {0.7, 2.5}, .bulk = 9},
};
enum { RUBBERS = sizeof rubbers / sizeof *rubbers };

/* The law itself with these constants. */
static pl_point law_point(const pl_rubber *rubber, const pl_law_ops **law, pl_lanes *numbers)
{
  static const char *const words[][6] = {{"lambda", "mu"},
                                         {"c10", "c01", "bulk"},
                                         {"c1", "c2", "c3", "bulk"},
                                         {"mu1", "mu2", "alpha1", "alpha2", "bulk"},
                                         {"mu-a", "locking-stretch", "bulk"}};
  int count = pl_rubber_constants(rubber->kind, rubber->terms), k = (int)rubber->kind;
  pl_setting settings[6] = {{0}};
  double mu = pl_rubber_shear(rubber), values[64], own[PL_MOST_NUMBERS] = {0};
  for (int i = 0; i <= count; i++)
    settings[i] =
        (pl_setting){.name = words[k][i], .value = {i < count ? rubber->c[i] : rubber->bulk}};
  if (k == 0) settings[0].value[0] = rubber->bulk - 2.0 / 3 * mu, settings[1].value[0] = mu;
  const pl_member *member = NULL;
  CHECK_OK(pl_choice_resolve(&pl_law_family, &(pl_choice){names[k], settings, count + 1}, &member,
                             values, error));
  *law = pl_law_of(member);
  pl_point point = {.numbers = numbers};
  double lambda = 0, shear = 0;
  CHECK_OK((*law)->lame(values, &lambda, &shear, error));
  CHECK_NEAR(shear, mu, 1e-9 * mu);
  point.lambda = pl_lanes_all(lambda);
  point.mu = pl_lanes_all(shear);
  if ((*law)->numbers) (*law)->numbers(values, own);
  for (int i = 0; i < PL_MOST_NUMBERS; i++) numbers[i] = pl_lanes_all(own[i]);
  return point;
}

/* P_11 with the pressure that leaves P_33 without stress; of confined and volumetric tests as it
 * is. */
static double law_stress(const pl_rubber *rubber, pl_test_mode mode, double l)
{
  const pl_law_ops *law;
  pl_lanes numbers[PL_MOST_NUMBERS], P[9];
  pl_point point = law_point(rubber, &law, numbers);
  double s[3] = {l, 1, 1};
  if (mode == PL_TEST_UNIAXIAL) s[1] = s[2] = 1 / sqrt(l);
  if (mode == PL_TEST_EQUIBIAXIAL) s[1] = l, s[2] = 1 / (l * l);
  if (mode == PL_TEST_PLANAR) s[2] = 1 / l;
  if (mode == PL_TEST_VOLUMETRIC) s[1] = s[2] = l;
  for (int i = 0; i < 9; i++) point.F[i] = pl_lanes_all(i % 4 ? 0 : s[i / 4]);
  if (mode == PL_TEST_SHEAR) point.F[1] = pl_lanes_all(l - 1), point.F[0] = pl_lanes_all(1);
  law->points.stress(&point, P, NULL);
  if (mode == PL_TEST_SHEAR) return P[1][0];
  return mode < PL_TEST_SHEAR ? P[0][0] - s[2] / s[0] * P[8][0] : P[0][0];
}

/* Neo-Hooke's law here has ln J in its shape, so that its confined tests differ. */
TEST(stresses_of_tests_are_those_of_the_laws)
{
  static const double stretches[] = {0.6, 0.9, 1.3, 2, 2.8};
  for (int k = 0; k < RUBBERS; k++) {
    for (int m = 0; m < PL_TEST_MODES; m++) {
      for (int i = 0; i < 5; i++) {
        double l = stretches[i];
        if (k == 0 && m >= PL_TEST_VOLUMETRIC) continue;
        double P = pl_rubber_stress(&rubbers[k], (pl_test_mode)m, l);
        CHECK_NEAR(P, law_stress(&rubbers[k], (pl_test_mode)m, l), 1e-10 * fmax(1, fabs(P)));
      }
    }
  }
}

/* Rows made by a law give its constants back. */
TEST(constants_come_back_from_their_own_stresses)
{
  pl_allocator allocator = pl_allocator_default();
  for (int k = 0; k < RUBBERS; k++) {
    pl_test_row rows[60];
    pl_rubber found = {.kind = rubbers[k].kind, .terms = rubbers[k].terms};
    pl_rubber_quality quality;
    for (int i = 0; i < 60; i++) {
      pl_test_mode mode = (pl_test_mode)(i % PL_TEST_MODES);
      double l = 0.7 + 0.03 * i;
      rows[i] = (pl_test_row){mode, l, pl_rubber_stress(&rubbers[k], mode, l), 1};
    }
    CHECK_OK(pl_rubber_fit(&allocator, rows, 60, &found, &quality, error));
    for (int i = 0; i < 60; i++)
      CHECK_NEAR(pl_rubber_stress(&found, rows[i].mode, rows[i].stretch), rows[i].stress,
                 1e-4 * fmax(1, fabs(rows[i].stress)));
    CHECK_NEAR(found.bulk, 9, 1e-3);
    CHECK(quality.has_bulk);
  }
}

static int read_treloar(pl_test_row *rows, int relative)
{
  char path[4096], line[256], mode[32];
  int count = 0, in_mode[PL_TEST_MODES] = {0};
  snprintf(path, sizeof path, "%s/examples/fit/treloar.csv", getenv("PLIANT_SOURCE"));
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  while (file && fgets(line, sizeof line, file) && count < 100) {
    double l, P;
    if (sscanf(line, "%31[a-z],%lf,%lf", mode, &l, &P) != 3 || l == 1) continue;
    int m = mode[0] == 'u' ? 0 : mode[0] == 'e' ? 1 : 2;
    rows[count++] = (pl_test_row){(pl_test_mode)m, l, P, 1};
    in_mode[m]++;
  }
  if (file) fclose(file);
  for (int i = 0; i < count; i++)
    rows[i].weight = 1.0 / in_mode[rows[i].mode] / (relative ? rows[i].stress * rows[i].stress : 1);
  return count;
}

static void rms_of(const pl_rubber *rubber, const pl_test_row *rows, int count, int relative,
                   double rms[3])
{
  int in_mode[3] = {0};
  for (int m = 0; m < 3; m++) rms[m] = 0;
  for (int i = 0; i < count; i++) {
    double off = pl_rubber_stress(rubber, rows[i].mode, rows[i].stretch) - rows[i].stress;
    if (relative) off /= rows[i].stress;
    rms[rows[i].mode] += off * off;
    in_mode[rows[i].mode]++;
  }
  for (int m = 0; m < 3; m++) rms[m] = sqrt(rms[m] / in_mode[m]);
}

/* Residuals of the prototype for Treloar's rubber: rms in MPa, or relative. */
TEST(treloar_has_the_residuals_of_the_table)
{
  static const double given[2][RUBBERS][3] = {{{.865, .161, .488},
                                               {.856, .167, .497},
                                               {.158, .180, .034},
                                               {.0849, .0400, .0307},
                                               {.173, .177, .063}},
                                              {{.310, .148, .121},
                                               {.314, .081, .099},
                                               {.164, .132, .066},
                                               {.137, .037, .068},
                                               {.196, .144, .113}}};
  pl_allocator allocator = pl_allocator_default();
  for (int relative = 0; relative < 2; relative++) {
    pl_test_row rows[100];
    int count = read_treloar(rows, relative);
    CHECK(count == 53);
    for (int k = 0; k < RUBBERS; k++) {
      pl_rubber found = {.kind = (pl_rubber_kind)k, .terms = 3};
      pl_rubber_quality quality;
      double rms[3];
      CHECK_OK(pl_rubber_fit(&allocator, rows, count, &found, &quality, error));
      rms_of(&found, rows, count, relative, rms);
      for (int m = 0; m < 3; m++) CHECK_NEAR(rms[m], given[relative][k][m], 6e-4);
    }
  }
}

/* A polynomial whose stress falls is not stable there. */
TEST(stability_is_seen)
{
  const pl_rubber soft = {.kind = PL_RUBBER_POLYNOMIAL, .terms = 2, .c = {1, -0.2}};
  CHECK(pl_rubber_is_stable(&soft, PL_TEST_UNIAXIAL, 1.1));
  CHECK(!pl_rubber_is_stable(&soft, PL_TEST_UNIAXIAL, 2.5));
  for (int m = 0; m < 3; m++) CHECK(pl_rubber_is_stable(&rubbers[1], (pl_test_mode)m, 3));
}

TESTS(X(stresses_of_tests_are_those_of_the_laws) X(constants_come_back_from_their_own_stresses)
          X(treloar_has_the_residuals_of_the_table) X(stability_is_seen))
