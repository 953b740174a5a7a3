/* Friction of nodes that touch obstacles; contact.h says how. */
#ifndef PL_COUPLE_FRICTION_H
#define PL_COUPLE_FRICTION_H

#include "couple/contact.h"

/* The mode in which a touch begins the substep: as it was left in memory, or for a new one whether
 * friction could stop it within the substep. way: how far the node would go by itself. */
void pl_friction_begin(const pl_contact *contact, pl_touch *touch, const pl_substep *step,
                       const double *memory, const double way[3]);

/* f += its friction. */
void pl_friction_evaluate(const pl_touch *touch, double *f);

/* Corrects modes by the forces and velocities that a pass has found; how many of the changes ask
 * for another pass. */
int pl_friction_revise(pl_contact *contact, const pl_substep *step);

/* Before another pass: bounds become those that were found. */
void pl_friction_adopt(pl_contact *contact);

#endif
