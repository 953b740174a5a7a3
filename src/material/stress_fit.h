/* Laws of rubber from measured stresses: tension, biaxial tension, planar tension, shear and
 * compression, of a material that keeps its volume where it can. */
#ifndef PL_MATERIAL_STRESS_FIT_H
#define PL_MATERIAL_STRESS_FIT_H

#include "pliant/base.h"

/* How a specimen is deformed: stretches (l, l^-1/2, l^-1/2), (l, l, l^-2), (l, 1, 1/l); a shear
 * strain l - 1; (l, l, l), (l, 1, 1). */
typedef enum pl_test_mode {
  PL_TEST_UNIAXIAL,
  PL_TEST_EQUIBIAXIAL,
  PL_TEST_PLANAR,
  PL_TEST_SHEAR,
  PL_TEST_VOLUMETRIC,
  PL_TEST_CONFINED,
  PL_TEST_MODES
} pl_test_mode;

/* Their names: "uniaxial", "equibiaxial", "planar", "simple-shear", "volumetric", "confined". */
const char *pl_test_mode_name(pl_test_mode mode);

typedef struct pl_test_row {
  pl_test_mode mode;
  double stretch; /* l; 1 + shear strain */
  double stress;  /* Pa, nominal: force per area at rest */
  double weight;  /* of its square in the sum */
} pl_test_row;

typedef enum pl_rubber_kind {
  PL_RUBBER_NEO_HOOKE,  /* c: c10            */
  PL_RUBBER_MOONEY,     /* c10, c01          */
  PL_RUBBER_POLYNOMIAL, /* c1 ...            */
  PL_RUBBER_OGDEN,      /* mu_p, all alpha_p */
  PL_RUBBER_ARRUDA      /* mu_a, locking stretch */
} pl_rubber_kind;

enum { PL_RUBBER_TERMS = 6 };

typedef struct pl_rubber {
  pl_rubber_kind kind;
  int terms;
  double c[2 * PL_RUBBER_TERMS];
  double bulk; /* Pa */
} pl_rubber;

/* Constants of the shape that a kind with so many terms has. */
int pl_rubber_constants(pl_rubber_kind kind, int terms);
/* The shear modulus at rest. */
double pl_rubber_shear(const pl_rubber *rubber);
/* The nominal stress of a test; of tests but volumetric and confined at constant volume. */
double pl_rubber_stress(const pl_rubber *rubber, pl_test_mode mode, double stretch);
/* Is every small strain at constant volume answered by a stress that does work on it (Drucker)? */
int pl_rubber_is_stable(const pl_rubber *rubber, pl_test_mode mode, double stretch);

typedef struct pl_rubber_quality {
  double condition;                       /* of the slopes at the end                 */
  double deviations[2 * PL_RUBBER_TERMS]; /* standard ones of c; 0 where not known    */
  int has_bulk;                           /* volumetric or confined tests were there  */
} pl_rubber_quality;

/* The constants nearest to the rows. The bulk modulus comes from volumetric and confined rows, and
 * is left as it is without such. */
pl_status pl_rubber_fit(const pl_allocator *allocator, const pl_test_row *rows, int count,
                        pl_rubber *rubber, pl_rubber_quality *quality, pl_error *error);

#endif
