/* Strain measures and material laws. */
#ifndef PL_MATERIAL_MATERIAL_H
#define PL_MATERIAL_MATERIAL_H

#include "core/cpu.h"
#include "material/point.h"
#include "pliant/base.h"

/* ---- strain measures: one file, one line ---- */

#define PL_STRAINS(X)                                                                              \
  X(corotated)                                                                                     \
  X(linear)                                                                                        \
  X(green)

/* Their places in the family, and the parameter by which a model chooses one; most: the last place
 * that it can do with, words: "|NAME" of each. */
#define PL_STRAIN_PLACE(name) PL_STRAIN_##name,
enum { PL_STRAINS(PL_STRAIN_PLACE) PL_STRAIN_COUNT };
#define PL_STRAIN_WORD(name) "|" #name
#define PL_STRAIN_WORDS      PL_STRAINS(PL_STRAIN_WORD)
#define PL_STRAIN_PARAM(most, words)                                                               \
  {                                                                                                \
    "strain", "1", "how strain follows from the deformation", 0, 0, most, &(words)[1], 1           \
  }

typedef struct pl_strain_ops {
  pl_member info;
  int rotation_invariant; /* a rigid rotation gives no stress */
  pl_point_ops points;    /* NULLs in the last member, "warped", which is not one of points */
} pl_strain_ops;

/* Each strain file is compiled per instruction set and defines PL_VARIANT(pl_strain_NAME). */
#define X(name) extern const pl_strain_ops pl_strain_##name##_base, pl_strain_##name##_avx2;
PL_STRAINS(X)
#undef X

extern const pl_family pl_strain_family; /* the baseline's members */

/* The measure at a place of the family, for this processor. */
const pl_strain_ops *pl_strain_at(int index);

/* ---- laws ---- */

#define PL_LAWS(X)                                                                                 \
  X(hooke)                                                                                         \
  X(hooke_volume)                                                                                  \
  X(neo_hooke)                                                                                     \
  X(mooney_rivlin)

typedef struct pl_law_ops {
  pl_member info;
  /* Lame's constants at rest in Pa from the law's parameters. */
  pl_status (*lame)(const double *values, double *lambda, double *mu, pl_error *error);
  double (*ratio)(const double *values); /* pl_point.ratio from checked values; NULL: 0        */
  int uses_strain;                       /* its points ask the strain measure for a part       */
  int has_wall;                          /* its energy grows without bound as det F goes to 0  */
  pl_point_ops
      points; /* a law of F of its own; NULLs: the strain measure's with Lame's constants */
} pl_law_ops;

/* Each law file is compiled per instruction set and defines PL_VARIANT(pl_law_NAME). */
#define X(name) extern const pl_law_ops pl_law_##name##_base, pl_law_##name##_avx2;
PL_LAWS(X)
#undef X

extern const pl_family pl_law_family; /* the baseline's members */

/* The law at a place of the family, and that of a member, for this processor. */
const pl_law_ops *pl_law_at(int index);
const pl_law_ops *pl_law_of(const pl_member *member);

/* A law with its values and what does not depend on the law: all a model needs to know. */
typedef struct pl_material {
  const pl_law_ops *law;             /* NULL: Hooke's */
  double density;                    /* kg/m^3 */
  double lambda, mu;                 /* Pa     */
  double ratio;                      /* the law's third number */
  double viscous_lambda, viscous_mu; /* Pa s   */
  double mass_damping;               /* 1/s    */
} pl_material;

/* How a point of the material answers, with this strain measure where the law leaves it that. */
static inline const pl_point_ops *pl_material_points(const pl_material *material,
                                                     const pl_strain_ops *strain)
{
  const pl_law_ops *law = material->law;
  return law && law->points.stress ? &law->points : &strain->points;
}

#endif
