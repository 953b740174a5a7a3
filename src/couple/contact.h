/* Nodes against obstacles, as constraints on velocity.
 *
 * A node that would be inside an obstacle at the end of the substep gets the normal velocity that
 * carries it to the surface as a constraint row: so contact works with every integrator and solver,
 * however large the step, and obstacles may move. A node may touch up to three things at once (an
 * edge, a corner). Which nodes those are is found by making the substep again: nodes that end
 * inside join, nodes whose constraint would have to pull are let go (an active set).
 *
 * With the foot p on the surface (as it is at the end of the substep) and the normal n there the
 * row is n . v = n . (p - x) / h: the node ends in the tangent plane. On a curved surface it ends
 * off the surface by the square of how far from p it got over twice the radius; after a pass with
 * an error above the slack p and n are updated from where the node came to, which is Newton's
 * method for the landing point, and the pass is repeated. A node that was apart and comes in
 * faster than twice what outer forces give it in a substep bounces instead, where the obstacle has
 * a restitution e: n . (v - w) = e |n . (v0 - w)| with w the obstacle's velocity. What is deep
 * inside at the beginning comes out at no more than 1 m/s.
 *
 * Friction is Coulomb's, with an elastic limit: friction.h. The constraint forces that it needs are
 * the integrator's own. What it remembers lies in the state. Nodes that are carried by other blocks
 * (frames) touch by a penalty force instead: penalty.h. So do bodies that a finer surface follows,
 * by the points of that surface: collision.h. */
#ifndef PL_COUPLE_CONTACT_H
#define PL_COUPLE_CONTACT_H

#include "couple/coupling.h"
#include "couple/obstacle.h"

/* The friction of one block: see friction.h. */
typedef struct pl_friction {
  double bound, next_bound;  /* mu N in use, and as the last pass found it, N */
  double force[3];           /* at the beginning, N */
  double stiffness, damping; /* below the bound, N/m and N s/m */
  double x0[3];              /* where the block began */
  double t0, h;              /* when the obstacle begins to move, and for how long */
  double carried[3];         /* how far the obstacle there moves in it */
  int slides;                /* the bound is that of what slides, not of what sticks */
  int is_linear;             /* the law is replaced by its linearisation */
  double about[3];           /* about this force of spring and damper, N */
  double seen[2][3];         /* displacement and velocity at which the integrator asked last */
  int stage;                 /* of that, and its share in the mean; pl_moment */
  double share, sum[2][3];   /* of earlier stages */
} pl_friction;

enum { PL_MOST_TOUCHED = 3 };
/* Numbers per block: does it touch (1) and slide (2), the bound of friction, its force, and the
 * mean velocity against the obstacle in the last substep. */
enum { PL_CONTACT_MEMORY = 8 };

/* A block that touches obstacles in the substep in hand. */
typedef struct pl_touch {
  int block, count;
  struct pl_touched {
    int obstacle;
    double gap, normal[3]; /* of where it begins, against the surface at the end */
    double foot[3];        /* where it lands; not of flat obstacles */
    double excess;         /* how much deeper it begins than it may come out, m */
    double rebound;        /* the speed at which it bounces, m/s; 0: it lands */
    double force;          /* normal, from the last pass, N */
  } at[PL_MOST_TOUCHED];
  int joined_late; /* it touches until the end of the substep */
  double put[9];   /* what its friction has put into the matrix */
  pl_friction friction;
} pl_touch;

/* What it does at obstacles; it owns them in any case. */
typedef enum pl_contact_mode {
  PL_CONTACT_ROWS,  /* constraints, as above */
  PL_CONTACT_LAYER, /* the penalty force for all nodes */
  PL_CONTACT_NONE,  /* nothing: another coupling keeps bodies out (couple/response.h) */
  PL_CONTACT_MOVED, /* nodes that end a substep inside are moved: pl_contact_rule.move */
  PL_CONTACT_HELD,  /* the same, and rows hold those that lie on the surface */
} pl_contact_mode;

/* A node of the layer, or one that has ended inside. */
typedef struct pl_contact_node {
  double gap, rate; /* m, negative inside; m/s at which the gap grows */
  double stiffness; /* of the linear layer there, N/m */
  double size;      /* of its body, m */
  int leaves;       /* the gap grew when the substep began */
} pl_contact_node;

/* What responses say of nodes at obstacles. */
typedef struct pl_contact_rule {
  /* Layers: the force and its slope -dF/dgap, never negative; NULL: linear, k times the depth. */
  double (*push)(const double *values, const pl_contact_node *at, double *slope);
  /* Layers: the gap below which there is a force, of a body of this size; NULL: 0. */
  double (*reach)(const double *values, double size);
  /* MOVED and HELD: how far out along the normal, m, and what that adds to the velocity, m/s. */
  double (*move)(const double *values, const pl_contact_node *at, double h, double *speed);
} pl_contact_rule;

typedef struct pl_contact {
  pl_coupling base;
  pl_tangent made; /* the matrix that has friction's part in it; A is NULL: there is none */
  pl_contact_mode mode;
  const pl_contact_rule *rule; /* the response's; NULL: the mode's own */
  const double *values;        /* of the response's parameters */
  pl_obstacle *obstacles;
  size_t count, room;
  double slack; /* how deep a node may be inside, m: far below the size of an element */
  double slow;  /* nodes that come in below this speed do not bounce, m/s */
  int source;   /* its place among the couplings, as rows know it */
  // of the world as it was prepared
  pl_contact_mode prepared; /* for this mode */
  int blocks, touch_count;
  pl_touch *touches;
  int *touch_of1;          /* per block: 1 + its touch; 0: apart */
  unsigned char *is_point; /* per block: a node of its own */
  unsigned char *touched;  /* per body: something of it touches */
  unsigned char *leaves;   /* per node of all bodies: see pl_contact_node */
  unsigned char *entered;  /* per block: it ended inside something that it does not touch */
} pl_contact;

/* Does the body meet obstacles by the surface that follows it, through couple/collision.h? Bodies
 * that get frames where they touch do so by the depth of their nodes. */
static inline int pl_contact_follows(const pl_contact *contact, const pl_body *body)
{
  int is_own = contact->mode == PL_CONTACT_ROWS || contact->mode == PL_CONTACT_LAYER;
  return body->surface && is_own && !contact->rule && !(body->sites.insert_reach > 0);
}

/* Adds an obstacle; its place is the last one. */
pl_status pl_contact_add(pl_contact *contact, const pl_obstacle_def *def, pl_error *error);
void pl_contact_remove(pl_contact *contact, size_t obstacle);

/* Sets the obstacles' poses: from one time to another. */
void pl_contact_begin(pl_contact *contact, double t, double end);

/* Parts of the coupling. A new touch of a block; its contacts for those who ask: the normal force
 * and its share of friction at one of the obstacles; nodes that are moved when a substep ends. */
pl_touch *pl_contact_touch(pl_contact *contact, int block);
void pl_contact_list(const pl_contact *contact, const pl_touch *touch, int c, const pl_moment *at,
                     const pl_meeting_sink *to);
void pl_contact_move(pl_contact *contact, const pl_substep *step);

/* Lists what would touch if it went on as it does, with the accelerations rate by outer forces;
 * adds what has entered an obstacle that it did not touch, and returns how many blocks those are.
 */
void pl_contact_search(pl_contact *contact, const pl_substep *step, const double *rate);
int pl_contact_catch(pl_contact *contact, const pl_substep *step);

/* The tangent plane of the foot, in which a node that begins at x0 is to end. */
void pl_contact_foot(const double x0[3], const double foot[3], const double normal[3],
                     struct pl_touched *at);

/* Point and slip of a meeting with an obstacle, whose normal and gap are known, from place and
 * velocity of the node. */
void pl_meeting_place(pl_meeting *meeting, const double x[3], const double v[3],
                      const pl_axes *obstacle);

/* The distance of a point to the nearest obstacle, negative inside, and the direction away from it;
 * infinite where there is none. */
double pl_contact_nearest(const pl_contact *contact, const double x[3], double normal[3]);

#endif
