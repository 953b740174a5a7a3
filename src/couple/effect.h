/* Effects: couplings that act on one body and that their parameters describe completely.
 *
 * Whatever a coupling may do, an effect may do as well (forces, rows, memory); what it has not to
 * bring is a door: the element <NAME> of a body, pl_world_add_effect, the list, the reference and
 * the generic tests come from the list PL_EFFECTS (couple/coupling.h). Its presets must do
 * something, since the tests take them. */
#ifndef PL_COUPLE_EFFECT_H
#define PL_COUPLE_EFFECT_H

#include "core/family.h"
#include "couple/coupling.h"

extern const pl_family pl_effect_family;

/* What an effect's functions are handed as their pl_coupling; .size = sizeof(pl_effect). */
typedef struct pl_effect {
  pl_coupling base;
  double values[PL_MOST_VALUES]; /* of the member's parameters */
} pl_effect;

static inline const double *pl_effect_values(const pl_coupling *self)
{
  return ((const pl_effect *)self)->values;
}

static inline const pl_body *pl_effect_body(const pl_coupling *self)
{
  return &self->bodies->list[self->acts_on[0]];
}

#endif
