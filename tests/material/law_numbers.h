/* Constants with which tests run over all laws: parts of the shear modulus, exponents, shares and
 * times, whatever the law calls its own (pl_law_ops.numbers). Laws that the table does not name
 * take those for every law. */
#ifndef PL_TEST_LAW_NUMBERS_H
#define PL_TEST_LAW_NUMBERS_H

#include "material/material.h"

#include <string.h>

typedef struct test_law_numbers {
  const char *law;
  double numbers[PL_MOST_NUMBERS];
} test_law_numbers;

/* mu / mu_a of arruda-boyce with 1 / lm^2 = y. */
#define TEST_CHAINS(y)                                                                             \
  (1 + 3.0 / 5 * (y) + 99.0 / 175 * (y) * (y) + 513.0 / 875 * (y) * (y) * (y) +                    \
   42039.0 / 67375 * (y) * (y) * (y) * (y))

static const test_law_numbers test_laws[] = {
    {"reduced-polynomial", {-0.03, 0.02, 0.004, 0.001, 0.0005, 0.3, 0.1}},
    {"ogden", {1.0, 0.1, -0.29, 0, 0, 0, 1.3, 4.1, -1.0, 1, 1, 1}},
    {"arruda-boyce", {1 / TEST_CHAINS(0.15), 0.15}},
    {"orthotropic", {4.1, 3.2, 2.7, 1.2, 0.9, 1.1, 1.3, 0.8, 1.0}},
    {"transverse", {6.1, 3.2, 3.2, 1.2, 1.2, 1.1, 1.3, 1.3, 1.05}},
    {"fung", {0.9, 0.7, 0.5, 0.2, 0.1, 0.15, 0.4, 0.3, 0.35, 1.1, 0.8}},
    {"plastic", {0.3, 0.2, 0}},
};

/* Those of a law (NULL: Hooke's), or others if the table does not name it. */
static inline const double *test_numbers_of(const pl_law_ops *law, const double *others)
{
  for (size_t i = 0; law && i < sizeof test_laws / sizeof *test_laws; i++) {
    if (!strcmp(test_laws[i].law, law->info.name)) return test_laws[i].numbers;
  }
  return others;
}

#endif
