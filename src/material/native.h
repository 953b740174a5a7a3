/* Constants of rubber: either a law's own, or the engineer's moduli, never both.
 *
 * Such laws have PL_NATIVE_PARAMS(first) in their tables: the bulk modulus beside their own
 * constants, and behind it young, poisson, lambda, mu. */
#ifndef PL_MATERIAL_NATIVE_H
#define PL_MATERIAL_NATIVE_H

#include "material/moduli.h"

enum { PL_NATIVE_BULK, PL_NATIVE_MODULI, PL_NATIVE_COUNT = PL_NATIVE_MODULI + PL_MODULUS_COUNT };

#define PL_NATIVE_PARAMS(first)                                                                    \
  [(first) + PL_NATIVE_BULK] = {.name = "bulk",                                                    \
                                .unit = "Pa",                                                      \
                                .summary = "bulk modulus: resistance to a change of volume",       \
                                .preset = NAN,                                                     \
                                .min = 1e-3,                                                       \
                                .max = 1e15},                                                      \
             PL_MODULI_PARAMS_AT((first) + PL_NATIVE_MODULI)

/* Which constants are given: the law's own (named by native, for errors; bulk with them), or the
 * moduli. shear: the shear modulus at rest by the law's own constants, NAN if they are not all
 * given; any: 1 if any of them is. values: those of PL_NATIVE_PARAMS. */
pl_status pl_native_lame(const char *law, const char *native, const double *values, double shear,
                         int any, double *lambda, double *mu, pl_error *error);

/* Are young and poisson, or lambda and mu, what is given? */
int pl_native_by_moduli(const double *values);

#endif
