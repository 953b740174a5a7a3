/* Nodes against obstacles, as constraints on velocity.
 *
 * A node that would be inside an obstacle at the end of the substep gets the normal velocity that
 * carries it to the surface, -gap / h, as a constraint row: so contact works with every integrator
 * and solver, however large the step. A node may touch up to three obstacles at once (an edge, a
 * corner). Which nodes those are is found by making the substep again: nodes that end inside join,
 * nodes whose constraint would have to pull are let go (an active set).
 *
 * Friction is Coulomb's, with an elastic limit: friction.h. The constraint forces that it needs are
 * the integrator's own. What it remembers lies in the state. Nodes that are carried by other blocks
 * (frames) touch by a penalty force instead: penalty.h. */
#ifndef PL_COUPLE_CONTACT_H
#define PL_COUPLE_CONTACT_H

#include "core/family.h"
#include "couple/coupling.h"
#include "shape/obstacle.h"

typedef struct pl_obstacle {
  char *name;
  pl_part part;
  uint32_t generation; /* of its id */
  int slot;
} pl_obstacle;

/* The friction of one block: see friction.h. */
typedef struct pl_friction {
  double bound, next_bound;  /* mu N in use, and as the last pass found it, N */
  double force[3];           /* at the beginning, N */
  double stiffness, damping; /* below the bound, N/m and N s/m */
  double x0[3];              /* where the block began */
  int is_linear;             /* the law is replaced by its linearisation about the next two */
  double way[3], rate[3];    /* displacement and velocity along the surface */
  double seen[2][3];         /* those at which the integrator asked last */
  int is_cut, flips;         /* is the force cut there, and how often that has changed */
  double direction[3];       /* of the cut force */
} pl_friction;

enum { PL_MOST_TOUCHED = 3 };

/* A block that touches obstacles in the substep in hand. */
typedef struct pl_touch {
  int block, count;
  struct pl_touched {
    int obstacle;
    double gap, normal[3]; /* at the beginning */
    double force;          /* normal, from the last pass, N */
  } at[PL_MOST_TOUCHED];
  int joined_late; /* it touches until the end of the substep */
  pl_friction friction;
} pl_touch;

typedef struct pl_contact {
  pl_coupling base;
  pl_obstacle *obstacles;
  size_t count, room;
  uint32_t *generations; /* of obstacle slots */
  size_t slot_count, slot_room;
  double slack; /* how deep a node may be inside, m: far below the size of an element */
  int source;   /* its place among the couplings, as rows know it */
  // of the world as it was prepared
  int blocks, touch_count;
  pl_touch *touches;
  int *touch_of1;          /* per block: 1 + its touch; 0: apart */
  unsigned char *is_point; /* per block: a node of its own */
  unsigned char *touched;  /* per body: something of it touches */
} pl_contact;

/* Adds an obstacle; its place is the last one. */
pl_status pl_contact_add(pl_contact *contact, const pl_obstacle_def *def, pl_error *error);
void pl_contact_remove(pl_contact *contact, size_t obstacle);

/* The distance of a point to an obstacle, negative inside, and the direction away from it. */
double pl_obstacle_gap(const pl_obstacle *obstacle, const double x[3], double normal[3]);
double pl_obstacle_friction(const pl_obstacle *obstacle);

/* The same for the nearest of all; infinite where there is none. */
double pl_contact_nearest(const pl_contact *contact, const double x[3], double normal[3]);

#endif
