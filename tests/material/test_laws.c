/* Material laws: moduli from parameters, and what is refused. */
#include "core/family.h"
#include "material/material.h"
#include "material/orthotropic.h"
#include "test.h"

/* Lame's constants of the law "hooke" with these settings. */
static pl_status hooke(const pl_setting *settings, int count, double *lambda, double *mu,
                       pl_error *error)
{
  double values[PL_MOST_VALUES];
  const pl_member *member;
  pl_choice choice = {.name = "hooke", .settings = settings, .setting_count = count};
  pl_status status = pl_choice_resolve(&pl_law_family, &choice, &member, values, error);
  if (status) return status;
  return pl_law_at(0)->lame(values, lambda, mu, error);
}

TEST(young_and_poisson_give_lame)
{
  const double youngs[] = {1e-3, 1e5, 2.1e11}, poissons[] = {-0.99, -0.3, 0, 0.33, 0.4999};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 5; k++) {
      double lambda, mu;
      pl_setting settings[] = {{.name = "young", .value = {youngs[i]}},
                               {.name = "poisson", .value = {poissons[k]}}};
      CHECK_OK(hooke(settings, 2, &lambda, &mu, error));
      // back again; 1 - 2 poisson loses up to four digits near 0.5
      CHECK_NEAR(mu * (3 * lambda + 2 * mu) / (lambda + mu), youngs[i], 1e-11 * youngs[i]);
      CHECK_NEAR(lambda / (2 * (lambda + mu)), poissons[k], 1e-12);
    }
  }
}

TEST(lame_constants_pass_through)
{
  double lambda, mu;
  pl_setting settings[] = {{.name = "lambda", .value = {-3}}, {.name = "mu", .value = {5}}};
  CHECK_OK(hooke(settings, 2, &lambda, &mu, error));
  CHECK(lambda == -3 && mu == 5);
}

TEST(incomplete_and_double_moduli_are_refused)
{
  double lambda, mu;
  pl_setting all[] = {{.name = "young", .value = {1e5}},
                      {.name = "poisson", .value = {0.3}},
                      {.name = "lambda", .value = {1e5}},
                      {.name = "mu", .value = {1e5}}};
  // every subset but the two pairs
  for (int subset = 0; subset < 16; subset++) {
    pl_setting some[4];
    int count = 0;
    for (int i = 0; i < 4; i++) {
      if (subset >> i & 1) some[count++] = all[i];
    }
    if (subset == 3 || subset == 12)
      CHECK_OK(hooke(some, count, &lambda, &mu, error));
    else
      CHECK_FAILS(hooke(some, count, &lambda, &mu, error), PL_E_ARGUMENT,
                  "give young and poisson, or lambda and mu");
  }
  CHECK_FAILS(hooke(NULL, 0, &lambda, &mu, error), PL_E_ARGUMENT, "hooke has no modulus;");
  CHECK_FAILS(hooke(all, 1, &lambda, &mu, error), PL_E_ARGUMENT, "hooke has young only;");
  CHECK_FAILS(hooke(all, 3, &lambda, &mu, error), PL_E_ARGUMENT, "young, poisson and lambda;");
}

TEST(values_out_of_range_are_refused)
{
  double lambda, mu;
  pl_setting rubber[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.7}}};
  CHECK_FAILS(hooke(rubber, 2, &lambda, &mu, error), PL_E_ARGUMENT,
              "poisson = 0.7 must lie between -0.99 and 0.5");
  rubber[1].value[0] = 0.5;
  CHECK_FAILS(hooke(rubber, 2, &lambda, &mu, error), PL_E_ARGUMENT,
              "poisson = 0.5 leaves no finite bulk modulus; take at most 0.4999 with elements that "
              "do not lock");
  pl_setting soft[] = {{.name = "young", .value = {0}}, {.name = "poisson", .value = {0.3}}};
  CHECK_FAILS(hooke(soft, 2, &lambda, &mu, error), PL_E_ARGUMENT, "young = 0 must lie");
  pl_setting swelling[] = {{.name = "lambda", .value = {-6}}, {.name = "mu", .value = {8}}};
  CHECK_FAILS(hooke(swelling, 2, &lambda, &mu, error), PL_E_ARGUMENT,
              "lambda = -6 must be above -2/3 mu = -5.33");
  pl_setting fluid[] = {{.name = "lambda", .value = {1}}, {.name = "mu", .value = {0}}};
  CHECK_FAILS(hooke(fluid, 2, &lambda, &mu, error), PL_E_ARGUMENT, "mu = 0 must lie");
  const double direct[4] = {NAN, NAN, 1, 0};
  CHECK_FAILS(pl_law_at(0)->lame(direct, &lambda, &mu, error), PL_E_ARGUMENT,
              "mu = 0 must be above 0 Pa");
}

/* Moduli of the other laws, and what is said where one is missing. */
TEST(moduli_of_rubber)
{
  double lambda, mu, values[PL_MOST_VALUES], numbers[PL_MOST_NUMBERS];
  const pl_member *member;
  pl_setting moduli[] = {{.name = "c10", .value = {30}},
                         {.name = "c01", .value = {10}},
                         {.name = "bulk", .value = {500}}};
  pl_choice choice = {"mooney-rivlin", moduli, 3};
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_OK(pl_law_of(member)->lame(values, &lambda, &mu, error));
  CHECK(mu == 80);
  CHECK_NEAR(lambda, 500 - 160.0 / 3, 1e-12);
  pl_law_of(member)->numbers(values, numbers);
  CHECK(pl_law_of(member)->number_count == 1 && numbers[0] == 0.25);
  choice.setting_count = 2;
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_FAILS(pl_law_of(member)->lame(values, &lambda, &mu, error), PL_E_ARGUMENT,
              "mooney-rivlin has no bulk; give c10, c01 and bulk");
  moduli[0].value[0] = moduli[1].value[0] = 0;
  choice.setting_count = 3;
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_FAILS(pl_law_of(member)->lame(values, &lambda, &mu, error), PL_E_ARGUMENT,
              "c10 + c01 = 0 must be above 0 Pa");

  pl_setting volume[] = {{.name = "lambda", .value = {100}},
                         {.name = "mu", .value = {40}},
                         {.name = "volume", .value = {60}}};
  choice = (pl_choice){"hooke-volume", volume, 3};
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_OK(pl_law_of(member)->lame(values, &lambda, &mu, error));
  pl_law_of(member)->numbers(values, numbers);
  CHECK(lambda == 160 && mu == 40 && numbers[0] == 1.5);
  choice = (pl_choice){"neo-hooke", volume, 1};
  CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
  CHECK_FAILS(pl_law_of(member)->lame(values, &lambda, &mu, error), PL_E_ARGUMENT,
              "neo-hooke has lambda only;");
  CHECK(pl_law_at(-1) == NULL && pl_law_at(99) == NULL);
}

/* The law "hooke-prony" with young 1e5, poisson 0.25 and these settings: Lame's constants of a
 * sudden load, and shares and times. */
static pl_status fading(const pl_setting *more, int count, double *lambda, double *mu,
                        double *numbers, pl_error *error)
{
  double values[PL_MOST_VALUES];
  const pl_member *member;
  pl_setting settings[8] = {{.name = "young", .value = {1e5}},
                            {.name = "poisson", .value = {0.25}}};
  for (int i = 0; i < count; i++) settings[2 + i] = more[i];
  pl_choice choice = {"hooke-prony", settings, 2 + count};
  pl_status status = pl_choice_resolve(&pl_law_family, &choice, &member, values, error);
  if (status) return status;
  pl_law_of(member)->numbers(values, numbers);
  return pl_law_of(member)->lame(values, lambda, mu, error);
}

TEST(moduli_that_fade)
{
  double lambda, mu, n[PL_MOST_NUMBERS];
  pl_setting terms[] = {{.name = "g1", .value = {0.2}},
                        {.name = "tau1", .value = {0.5}},
                        {.name = "g3", .value = {0.3}},
                        {.name = "tau3", .value = {4}},
                        {.name = "moduli", .word = "long"}};
  const int law = PL_LAW_hooke_prony;
  // given for a sudden load
  CHECK_OK(fading(terms, 4, &lambda, &mu, n, error));
  CHECK(mu == 4e4 && lambda == 4e4);
  CHECK(n[0] == 0.2 && n[1] == 0 && n[2] == 0.3 && n[6] == 0.5 && n[8] == 4);
  CHECK(pl_law_at(law)->memory.count(n) == 6 * 4);
  // given for what lasts: the bulk modulus is the same, the shares are of the sum
  CHECK_OK(fading(terms, 5, &lambda, &mu, n, error));
  CHECK_NEAR(mu, 6e4, 1e-9);
  CHECK_NEAR(lambda + 2 * mu / 3, 4e4 + 2 * 4e4 / 3, 1e-9);
  CHECK_NEAR(n[0], 0.2 / 1.5, 1e-15);
  CHECK_NEAR(n[2], 0.3 / 1.5, 1e-15);
  // none at all: Hooke's
  CHECK_OK(fading(NULL, 0, &lambda, &mu, n, error));
  CHECK(mu == 4e4 && pl_law_at(law)->memory.count(n) == 6);
}

TEST(series_that_do_not_fade_are_refused)
{
  double lambda, mu, n[PL_MOST_NUMBERS];
  pl_setting terms[] = {{.name = "g1", .value = {0.6}},
                        {.name = "tau1", .value = {0.5}},
                        {.name = "g2", .value = {0.4}},
                        {.name = "tau2", .value = {4}}};
  CHECK_FAILS(fading(terms, 4, &lambda, &mu, n, error), PL_E_ARGUMENT, "the sum of all g is 1;");
  CHECK_FAILS(fading(terms, 1, &lambda, &mu, n, error), PL_E_ARGUMENT, "g1 = 0.6 has no tau1;");
  terms[1].value[0] = 0;
  CHECK_FAILS(fading(terms, 2, &lambda, &mu, n, error), PL_E_ARGUMENT, "tau1 = 0 must lie between");
  terms[0].value[0] = -0.1;
  CHECK_FAILS(fading(terms, 1, &lambda, &mu, n, error), PL_E_ARGUMENT,
              "g1 = -0.1 must lie between");
}

/* Is the symmetric matrix a11 a22 a33 a12 a13 a23 positive? By its Cholesky factor. */
static int is_positive(const double *a)
{
  double d1 = a[0], l21 = a[3] / d1, l31 = a[4] / d1;
  double d2 = a[1] - l21 * l21 * d1, l32 = (a[5] - l31 * l21 * d1) / d2;
  double d3 = a[2] - l31 * l31 * d1 - l32 * l32 * d2;
  return d1 > 0 && d2 > 0 && d3 > 0;
}

/* fung takes what is positive and nothing else; of both there are many near the border. */
TEST(matrices_of_fung_are_positive)
{
  static const char *const names[9] = {"a11", "a22",   "a33",   "a12",  "a13",
                                       "a23", "a1212", "a1313", "a2323"};
  int counts[2] = {0};
  test_seed = 5;
  for (int trial = 0; trial < 2000; trial++) {
    pl_setting settings[9];
    double a[9], values[PL_MOST_VALUES], lambda, mu;
    const pl_member *member;
    for (int k = 0; k < 9; k++) {
      a[k] = k < 3 ? 1 + 0.5 * test_uniform() : k < 6 ? 0.9 * test_uniform() : 0.5;
      if (trial % 50 == 7 && k == 6 + trial / 50 % 3) a[k] = -0.1;
      settings[k] = (pl_setting){.name = names[k], .value = {a[k]}};
    }
    pl_choice choice = {.name = "fung", .settings = settings, .setting_count = 9};
    CHECK_OK(pl_choice_resolve(&pl_law_family, &choice, &member, values, error));
    int wanted = is_positive(a) && trial % 50 != 7;
    CHECK((pl_law_of(member)->lame(values, &lambda, &mu, NULL) == PL_OK) == wanted);
    counts[wanted]++;
  }
  CHECK(counts[0] > 200 && counts[1] > 200);
}

/* Voigt's mean keeps both invariants of the stiffness: C_iijj = 9 lambda + 6 mu and C_ijij = 3
 * lambda + 12 mu. */
TEST(the_mean_of_orthotropic_stiffness_keeps_its_invariants)
{
  for (int trial = 0; trial < 20; trial++) {
    double nine[9], lambda, mu, volume = 0, all = 0;
    for (int i = 0; i < 9; i++) nine[i] = 2 + test_uniform();
    for (int i = 0; i < 3; i++) {
      volume += nine[i] + 2 * nine[3 + i];
      all += nine[i] + 2 * nine[6 + i];
    }
    pl_orthotropic_mean(nine, &lambda, &mu);
    CHECK_NEAR(9 * lambda + 6 * mu, volume, 1e-13 * volume);
    CHECK_NEAR(3 * lambda + 12 * mu, all, 1e-13 * all);
  }
}

TESTS(X(matrices_of_fung_are_positive) X(moduli_that_fade) X(series_that_do_not_fade_are_refused)
          X(young_and_poisson_give_lame) X(lame_constants_pass_through)
              X(incomplete_and_double_moduli_are_refused) X(values_out_of_range_are_refused)
                  X(moduli_of_rubber) X(the_mean_of_orthotropic_stiffness_keeps_its_invariants))
