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
  X(mooney_rivlin)                                                                                 \
  X(hooke_prony)                                                                                   \
  X(mooney_rivlin_prony)

#define PL_LAW_PLACE(name) PL_LAW_##name,
enum { PL_LAWS(PL_LAW_PLACE) PL_LAW_COUNT };

enum { PL_MOST_NUMBERS = 16, PL_MOST_MEMORY = 64, PL_MOST_FROZEN = 16 };

/* What a law remembers of a point: some doubles of history, all zero where nothing has happened.
 * They do not change while a substep is tried: freeze makes of them, once for all evaluations that
 * lie h s behind its beginning, what stress and tangent find as pl_point.frozen; advance moves them
 * on when the substep has been accepted. h = 0: there has been no time to relax, h = infinity: time
 * enough. */
typedef struct pl_memory_ops {
  int (*count)(const double *numbers); /* how many a point has; NULL: the law has no memory */
  int frozen;                          /* how many lanes freeze fills */
  /* Of the point both see moduli, numbers and strain, advance also F. count: at least as many as
   * the point has; those beyond are zero and stay so. */
  void (*freeze)(const pl_point *point, double h, const pl_lanes *history, int count,
                 pl_lanes *frozen);
  void (*advance)(const pl_point *point, double h, int count, pl_lanes *history);
} pl_memory_ops;

typedef struct pl_law_ops {
  pl_member info;
  /* Lame's constants in Pa that a point at rest answers a sudden deformation with, from the law's
   * parameters. */
  pl_status (*lame)(const double *values, double *lambda, double *mu, pl_error *error);
  /* The law's other constants from checked values, number_count of them: pl_point.numbers. Maps of
   * stiffness multiply Lame's constants only, so moduli are told as parts of mu. */
  int number_count;
  void (*numbers)(const double *values, double *numbers);
  int uses_strain; /* its points ask the strain measure for a part      */
  int has_wall;    /* its energy grows without bound as det F goes to 0 */
  pl_point_ops
      points; /* a law of F of its own; NULLs: the strain measure's with Lame's constants */
  pl_memory_ops memory;
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
  double numbers[PL_MOST_NUMBERS];   /* the law's own */
  double viscous_lambda, viscous_mu; /* Pa s   */
  double mass_damping;               /* 1/s    */
} pl_material;

/* How many doubles a point of the material remembers. */
static inline int pl_material_history(const pl_material *material)
{
  const pl_law_ops *law = material->law;
  return law && law->memory.count ? law->memory.count(material->numbers) : 0;
}

/* How a point of the material answers, with this strain measure where the law leaves it that. */
static inline const pl_point_ops *pl_material_points(const pl_material *material,
                                                     const pl_strain_ops *strain)
{
  const pl_law_ops *law = material->law;
  return law && law->points.stress ? &law->points : &strain->points;
}

#endif
