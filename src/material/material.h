/* Strain measures and material laws. */
#ifndef PL_MATERIAL_MATERIAL_H
#define PL_MATERIAL_MATERIAL_H

#include "core/cpu.h"
#include "core/family.h"
#include "material/point.h"
#include "material/prony.h"
#include "pliant/body.h"

/* ---- strain measures: one file, one line ---- */

#define PL_STRAINS(X)                                                                              \
  X(corotated)                                                                                     \
  X(linear)                                                                                        \
  X(green)                                                                                         \
  X(hybrid)

/* Their places in the family, and the parameter by which a model chooses one; most: the last place
 * that it can do with, words: "|NAME" of each. */
#define PL_STRAIN_PLACE(name) PL_STRAIN_##name,
enum { PL_STRAINS(PL_STRAIN_PLACE) PL_STRAIN_COUNT };
#define PL_STRAIN_WORD(name) "|" #name
#define PL_STRAIN_WORDS      PL_STRAINS(PL_STRAIN_WORD)
#define PL_STRAIN_PARAM(max, words)                                                                \
  {                                                                                                \
    "strain", "1", "how strain follows from the deformation", 0, 0, max, &(words)[1], 1            \
  }

typedef struct pl_strain_ops {
  pl_member info;
  int rotation_invariant; /* a rigid rotation gives no stress */
  int is_mixed;           /* its volume is not the trace of its measure: no memory of its shape */
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
  X(mooney_rivlin_prony)                                                                           \
  X(stable_neo_hooke)                                                                              \
  X(fixed_corotated)                                                                               \
  X(reduced_polynomial)                                                                            \
  X(ogden)                                                                                         \
  X(arruda_boyce)                                                                                  \
  X(orthotropic)                                                                                   \
  X(transverse)                                                                                    \
  X(fung)                                                                                          \
  X(plastic)                                                                                       \
  X(hooke_lagged)

#define PL_LAW_PLACE(name) PL_LAW_##name,
enum { PL_LAWS(PL_LAW_PLACE) PL_LAW_COUNT };

enum { PL_MOST_NUMBERS = 16, PL_MOST_MEMORY = 64, PL_MOST_FROZEN = 16, PL_MOST_DECAYS = 13 };

/* What a law remembers of a point: some doubles of history, all zero where nothing has happened.
 * They do not change while a substep is tried: freeze makes of them, once for all evaluations that
 * lie h s behind its beginning, what stress and tangent find as pl_point.frozen; advance moves them
 * on when the substep has been accepted. h = 0: there has been no time to relax, h = infinity: time
 * enough. */
typedef struct pl_memory_ops {
  int (*count)(const double *numbers); /* how many a point has; NULL: the law has no memory */
  int frozen;                          /* how many lanes freeze fills */
  int lags;    /* what is remembered jumps at times, and sees rotations until it does        */
  int lasting; /* some of it never fades: plastic strain                                   */
  /* Of the point both see moduli, numbers and strain, advance also F. count: at least as many as
   * the point has; those beyond are zero and stay so. */
  void (*freeze)(const pl_point *point, double h, const pl_lanes *history, int count,
                 pl_lanes *frozen);
  void (*advance)(const pl_point *point, double h, int count, pl_lanes *history);
  /* Both at once, as pl_point.move says. NULL: one after the other. */
  void (*move)(const pl_point *point);
  /* What both need of h and the numbers alone, PL_MOST_DECAYS at most, the first being h: for many
   * points with the same numbers (pl_point.decays). NULL: nothing. */
  void (*decays)(const pl_lanes *numbers, double h, int count, pl_lanes *out);
} pl_memory_ops;

/* How a law depends on lambda, as far as points may share their volume (model fem): not in a form
 * that can be distinguished, or by a term lambda/2 theta^2 or (lambda + 2/3 mu)/2 theta^2 of the
 * energy beside what mu says (theta: pl_point_ops.volume). */
typedef enum pl_volume_term { PL_VOLUME_OWN, PL_VOLUME_LAMBDA, PL_VOLUME_BULK } pl_volume_term;

typedef struct pl_law_ops {
  pl_member info;
  /* Lame's constants in Pa that a point at rest answers a sudden deformation with, from the law's
   * parameters. */
  pl_status (*lame)(const double *values, double *lambda, double *mu, pl_error *error);
  /* The law's other constants from checked values, number_count of them: pl_point.numbers. Maps of
   * stiffness multiply Lame's constants only, so moduli are given as parts of mu. */
  int number_count;
  void (*numbers)(const double *values, double *numbers);
  int uses_strain; /* its points ask the strain measure for a part      */
  int uses_axes;   /* it has directions of its own (pl_point.axes)      */
  int has_wall;    /* its energy grows without bound as det F goes to 0 */
  pl_volume_term volume;
  pl_point_ops
      points; /* a law of F of its own; NULLs: the strain measure's with Lame's constants */
  pl_memory_ops memory;
} pl_law_ops;

/* Each law file is compiled per instruction set and defines PL_VARIANT(pl_law_NAME). */
#define X(name) extern const pl_law_ops pl_law_##name##_base, pl_law_##name##_avx2;
PL_LAWS(X)
#undef X

extern const pl_family pl_law_family; /* the baseline's members */

/* The law that asks a function of a program; no member of the family. Its number is 1 / mu, so that
 * maps of stiffness multiply what the function says. */
extern const pl_law_ops pl_law_own_base, pl_law_own_avx2;

/* The law at a place of the family, and that of a member, for this processor. */
const pl_law_ops *pl_law_at(int index);
const pl_law_ops *pl_law_of(const pl_member *member);

/* Fading memory around any law: its points and what they remember, for this processor. Numbers of a
 * point are the series (all shares, then all times), then the law's. */
typedef struct pl_fading_ops {
  pl_point_ops points;
  pl_memory_ops memory;
} pl_fading_ops;
extern const pl_fading_ops pl_fading_base, pl_fading_avx2;
const pl_fading_ops *pl_fading_of(void);

/* ---- modifiers: terms of the energy beside any law, one file and one line each ---- */

#define PL_MODIFIERS(X)                                                                            \
  X(fibres)                                                                                        \
  X(limit)

enum { PL_MOST_MODIFIERS = 5, PL_MODIFIER_NUMBERS = 6 };

typedef struct pl_modifier_ops {
  const char *name;
  /* Adds its part to P[9], W and H[81]; each may be NULL. numbers: its own, PL_MODIFIER_NUMBERS. It
   * makes no use of viscosity, prestress and memory. */
  void (*add)(const pl_point *point, const pl_lanes *numbers, double kq, int semidefinite,
              pl_lanes *P, pl_lanes *W, pl_lanes *H);
} pl_modifier_ops;

/* A law and what is added to it, as points find them. */
typedef struct pl_layers {
  const pl_point_ops *law;
  int count;
  const pl_modifier_ops *modifiers[PL_MOST_MODIFIERS];
  pl_own_law own; /* what pl_law_own asks */
} pl_layers;

#define X(name) extern const pl_modifier_ops pl_modifier_##name##_base, pl_modifier_##name##_avx2;
PL_MODIFIERS(X)
#undef X

/* The points of laws with modifiers: those of pl_point.layers, one after the other. */
extern const pl_point_ops pl_layered_points_base, pl_layered_points_avx2;

/* A law with its values and what does not depend on the law: all a model needs to know. */
typedef struct pl_material {
  const pl_law_ops *law;             /* NULL: Hooke's */
  double density;                    /* kg/m^3 */
  double lambda, mu;                 /* Pa     */
  double numbers[PL_MOST_NUMBERS];   /* the law's own */
  pl_own_law own;                    /* of pl_law_own */
  double viscous_lambda, viscous_mu; /* Pa s   */
  double mass_damping;               /* 1/s    */
  int fades;                         /* there is a series */
  pl_fading_part fading;             /* what fades by it */
  int hermite;                       /* by rates at both ends of a substep */
  double series[PL_PRONY_NUMBERS];
  int modifier_count;
  const pl_modifier_ops *modifiers[PL_MOST_MODIFIERS];
  double modifier_numbers[PL_MOST_MODIFIERS * PL_MODIFIER_NUMBERS]; /* moduli as parts of mu */
  int has_axes;
  double axes[9]; /* its columns are the material's axes in the rest shape */
} pl_material;

/* How many doubles a point of the material remembers. */
static inline int pl_material_history(const pl_material *material)
{
  const pl_law_ops *law = material->law;
  if (material->fades) return pl_prony_history(material->series) + (material->hermite ? 6 : 0);
  return law && law->memory.count ? law->memory.count(material->numbers) : 0;
}

/* The modulus of the material's term of volume, Pa; 0 where it has none that points can share. */
static inline double pl_material_volume(const pl_material *material)
{
  if (material->fades && material->fading != PL_FADING_SHAPE) return 0;
  pl_volume_term term = material->law ? material->law->volume : PL_VOLUME_LAMBDA;
  if (term == PL_VOLUME_BULK) return material->lambda + 2 * material->mu / 3;
  return term == PL_VOLUME_LAMBDA ? material->lambda : 0;
}

/* Poisson's ratio at rest. */
static inline double pl_material_poisson(const pl_material *material)
{
  double sum = material->lambda + material->mu;
  return sum > 0 ? material->lambda / (2 * sum) : 0;
}

/* How a point of the material answers, with this strain measure where the law leaves it that. */
static inline const pl_point_ops *pl_material_points(const pl_material *material,
                                                     const pl_strain_ops *strain)
{
  const pl_law_ops *law = material->law;
  return law && law->points.stress ? &law->points : &strain->points;
}

#endif
