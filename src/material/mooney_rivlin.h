/* The parameters of a Mooney-Rivlin material; laws that are given so begin their table with them.
 */
#ifndef PL_MATERIAL_MOONEY_RIVLIN_H
#define PL_MATERIAL_MOONEY_RIVLIN_H

#include "pliant/base.h"

#include <math.h>

enum { PL_C10, PL_C01, PL_BULK, PL_MOONEY_RIVLIN_PARAM_COUNT };

#define PL_MOONEY_RIVLIN_PARAMS                                                                    \
  [PL_C10] = {.name = "c10",                                                                       \
              .unit = "Pa",                                                                        \
              .summary = "modulus of the first invariant",                                         \
              .preset = NAN,                                                                       \
              .min = 0,                                                                            \
              .max = 1e13},                                                                        \
  [PL_C01] = {.name = "c01",                                                                       \
              .unit = "Pa",                                                                        \
              .summary = "modulus of the second invariant; mu = 2 (c10 + c01); fits may have it "  \
                         "below 0: then the law gives way at large strain",                        \
              .preset = 0,                                                                         \
              .min = -1e13,                                                                        \
              .max = 1e13},                                                                        \
  [PL_BULK] = {.name = "bulk",                                                                     \
               .unit = "Pa",                                                                       \
               .summary = "bulk modulus: resistance to a change of volume",                        \
               .preset = NAN,                                                                      \
               .min = 1e-3,                                                                        \
               .max = 1e15}

#endif
