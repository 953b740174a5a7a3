/* Prony series from measurements: relaxation, creep, storage and loss moduli, or a quality factor
 * that is the same over a band of frequencies. */
#ifndef PL_MATERIAL_PRONY_FIT_H
#define PL_MATERIAL_PRONY_FIT_H

#include "pliant/base.h"

enum { PL_MAXWELL_TERMS = 12 };

/* The relaxation modulus lasting + sum moduli_i exp(-t / times_i), times ascending. */
typedef struct pl_maxwell {
  int terms;
  double lasting; /* Pa, or 1 */
  double moduli[PL_MAXWELL_TERMS], times[PL_MAXWELL_TERMS];
} pl_maxwell;

/* Of a series: the stress that is left after a sudden unit strain, the strain after a sudden unit
 * stress, the complex modulus (storage, loss) at a frequency in Hz. */
double pl_maxwell_relaxation(const pl_maxwell *series, double t);
double pl_maxwell_creep(const pl_maxwell *series, double t);
void pl_maxwell_modulus(const pl_maxwell *series, double frequency, double modulus[2]);
/* Storage over loss. */
double pl_maxwell_quality(const pl_maxwell *series, double frequency);

typedef enum pl_maxwell_kind {
  PL_MAXWELL_RELAXATION, /* modulus over time  */
  PL_MAXWELL_CREEP,      /* strain per stress over time */
  PL_MAXWELL_MODULUS,    /* storage and loss over frequency */
} pl_maxwell_kind;

/* What is least: squares of relative errors of what was measured; of the relative error of the
 * complex compliance; of ln Q and, less, ln |M|; or the largest error of ln Q. The last three for
 * PL_MAXWELL_MODULUS only. */
typedef enum pl_maxwell_aim {
  PL_MAXWELL_RELATIVE,
  PL_MAXWELL_COMPLIANCE,
  PL_MAXWELL_QUALITY,
  PL_MAXWELL_MINIMAX,
} pl_maxwell_aim;

typedef struct pl_maxwell_data {
  pl_maxwell_kind kind;
  pl_maxwell_aim aim;
  int rows;
  const double *at;              /* s, or Hz; ascending */
  const double *values, *losses; /* losses: of PL_MAXWELL_MODULUS only */
} pl_maxwell_data;

/* The series of so many terms that is nearest to the data. Terms with less than 1e-4 of the sum of
 * all moduli are left out. Has no random start: the same data give the same bits. */
pl_status pl_maxwell_fit(const pl_allocator *allocator, const pl_maxwell_data *data, int terms,
                         pl_maxwell *series, pl_error *error);

/* Q = const from least to most Hz (Kjartansson 1979, "Constant Q-wave propagation and
 * attenuation"): M = (i f / reference)^(2 atan(1/Q) / pi) at 201 frequencies. */
typedef struct pl_constant_q {
  double q, band[2], reference; /* 1, Hz, Hz: where |M| = 1; 0: in the middle of the band */
  int terms;
  pl_maxwell_aim aim;
} pl_constant_q;
pl_status pl_maxwell_constant_q(const pl_allocator *allocator, const pl_constant_q *of,
                                pl_maxwell *series, pl_error *error);

#endif
