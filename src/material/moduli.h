/* Lame's constants of isotropic material at rest, from the engineer's constants or themselves:
 *
 *   lambda = young poisson / ((1 + poisson) (1 - 2 poisson))      mu = young / (2 (1 + poisson))
 *
 * Laws that are given so begin their table of parameters with PL_MODULI_PARAMS. */
#ifndef PL_MATERIAL_MODULI_H
#define PL_MATERIAL_MODULI_H

#include "pliant/base.h"

#include <math.h>

enum { PL_YOUNG, PL_POISSON, PL_LAMBDA, PL_MU, PL_MODULUS_COUNT };

#define PL_MODULI_PARAMS_AT(first)                                                                 \
  [(first) +                                                                                       \
      PL_YOUNG] = {.name = "young",                                                                \
                   .unit = "Pa",                                                                   \
                   .summary =                                                                      \
                       "Young's modulus: stress per stretch of a rod; give it with poisson",       \
                   .preset = NAN,                                                                  \
                   .min = 1e-3,                                                                    \
                   .max = 1e13},                                                                   \
      [(first) + PL_POISSON] =                                                                     \
          {.name = "poisson",                                                                      \
           .unit = "1",                                                                            \
           .summary =                                                                              \
               "Poisson's ratio: how much a stretched rod thins; below 0.5, which would keep "     \
               "its volume",                                                                       \
           .preset = NAN,                                                                          \
           .min = -0.99,                                                                           \
           .max = 0.5},                                                                            \
      [(first) +                                                                                   \
          PL_LAMBDA] = {.name = "lambda",                                                          \
                        .unit = "Pa",                                                              \
                        .summary =                                                                 \
                            "Lame's first constant; give it with mu instead of young and poisson", \
                        .preset = NAN,                                                             \
                        .min = -1e15,                                                              \
                        .max = 1e17},                                                              \
      [(first) + PL_MU] = {.name = "mu",                                                           \
                           .unit = "Pa",                                                           \
                           .summary = "Lame's second constant, the shear modulus",                 \
                           .preset = NAN,                                                          \
                           .min = 1e-4,                                                            \
                           .max = 1e15}
#define PL_MODULI_PARAMS PL_MODULI_PARAMS_AT(0)

/* Exactly one of the two pairs must be given. law: its name, for errors. */
pl_status pl_moduli_lame(const char *law, const double *values, double *lambda, double *mu,
                         pl_error *error);

#endif
