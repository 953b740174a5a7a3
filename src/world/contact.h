/* Nodes against obstacles, as constraints on velocity.
 *
 * A node that would be inside an obstacle at the end of the step gets the normal velocity that
 * carries it to the surface, -gap / h, through the filter: so contact works with every integrator
 * and solver, however large the step. Which nodes those are is found by repeating the step: nodes
 * that end inside join, nodes that would have to be pulled are let go (an active set). Friction
 * is Coulomb's: a touching node stands still along the surface as long as that takes no more than
 * friction times the normal force; else it slides against a force of that size, which is the one
 * found in the pass before. After some passes whatever joins or stops does so for good: the search
 * ends, and no node is left that friction drives backwards, which would feed energy. */
#ifndef PL_WORLD_CONTACT_H
#define PL_WORLD_CONTACT_H

#include "core/family.h"
#include "pliant/world.h"
#include "shape/obstacle.h"

typedef struct pl_obstacle {
  char *name;
  pl_part part;
} pl_obstacle;

typedef enum pl_touch { PL_APART, PL_SLIDES, PL_STICKS } pl_touch;

/* What a block of the world has to do with obstacles in the step in hand. */
typedef struct pl_contact {
  pl_touch touch;
  int obstacle;
  double gap, normal[3]; /* before the step */
  double force;          /* normal, from the last pass, N */
  double slip[3];        /* where it slides to: a unit vector, or zero */
  int settled;           /* it touches, or stands still, until the end of the step */
} pl_contact;

/* Can these bodies touch obstacles? */
pl_status pl_contacts_check(pl_world *world, pl_error *error);

/* Before a step of h: takes the nodes that would end inside if they went on. */
void pl_contacts_begin(pl_world *world, double t, double h);

/* After a pass (the first is 1): corrects the set of contacts by what came out. Returns whether it
 * has changed, so that the step should be made again. */
int pl_contacts_revise(pl_world *world, double t, double h, int pass);

/* f += friction of sliding nodes. */
void pl_contacts_friction(const pl_world *world, double *f);

#endif
