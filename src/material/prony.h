/* The parameters of a Prony series, which laws with fading memory have behind their moduli: terms
 * of a share g_i of the shear modulus that fades with the time constant tau_i. */
#ifndef PL_MATERIAL_PRONY_H
#define PL_MATERIAL_PRONY_H

#include "material/moduli.h"

/* Terms; constants of a point: all shares, then all times. */
enum { PL_PRONY_TERMS = 6, PL_PRONY_NUMBERS = 2 * PL_PRONY_TERMS };

/* Behind the moduli: what these are, then a share and a time of each term. */
enum { PL_PRONY_GIVEN, PL_PRONY_FIRST, PL_PRONY_PARAM_COUNT = PL_PRONY_FIRST + PL_PRONY_NUMBERS };
enum { PL_PRONY_INSTANT, PL_PRONY_LONG };

#define PL_PRONY_TERM(first, i, number)                                                            \
  [(first) + PL_PRONY_FIRST +                                                                      \
      2 * (i)] = {.name = "g" #number,                                                             \
                  .unit = "1",                                                                     \
                  .summary = "share of the given shear modulus that fades with tau" #number,       \
                  .preset = 0,                                                                     \
                  .min = 0,                                                                        \
                  .max = 1e9},                                                                     \
          [(first) + PL_PRONY_FIRST + 2 * (i) +                                                    \
              1] = {.name = "tau" #number,                                                         \
                    .unit = "s",                                                                   \
                    .summary = "time in which the share g" #number " fades to 1/e",                \
                    .preset = NAN,                                                                 \
                    .min = 1e-9,                                                                   \
                    .max = 1e12}

#define PL_PRONY_PARAMS(first)                                                                     \
  [(first) + PL_PRONY_GIVEN] = {.name = "moduli",                                                  \
                                .unit = "1",                                                       \
                                .summary = "the moduli are those of a sudden load, of which the "  \
                                           "shares fade, or those that last, beside the shares",   \
                                .preset = PL_PRONY_INSTANT,                                        \
                                .min = 0,                                                          \
                                .max = 1,                                                          \
                                .words = "instant|long"},                                          \
             PL_PRONY_TERM(first, 0, 1), PL_PRONY_TERM(first, 1, 2), PL_PRONY_TERM(first, 2, 3),   \
             PL_PRONY_TERM(first, 3, 4), PL_PRONY_TERM(first, 4, 5), PL_PRONY_TERM(first, 5, 6)

/* From the given Lame's constants to those of a sudden load; values: those of PL_PRONY_PARAMS. */
pl_status pl_prony_instant(const double *values, double *lambda, double *mu, pl_error *error);

/* Shares of the modulus of a sudden load, and times; unused terms have a share of 0. */
void pl_prony_numbers(const double *values, double *numbers);

/* Doubles that a point remembers: six of now, six of each term up to the last with a share. */
int pl_prony_history(const double *numbers);

/* How many terms so many doubles hold. */
static inline int pl_prony_terms_in(int count) { return count / 6 - 1; }

#endif
