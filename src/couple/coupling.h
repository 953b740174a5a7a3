/* Couplings: whatever acts on bodies from outside or between them.
 *
 * A coupling is a struct that begins with a pl_coupling, and the functions of its kind; the world
 * calls those that are there (NULL: nothing to do) and knows no kind by name. In one substep from
 * t to t + h:
 *
 *   begin      find what acts now: contacts, targets
 *   constrain  give the constraint rows d . v = u that hold during the substep
 *   velocity   u of one of them, whenever the integrator asks
 *   evaluate   forces and their derivatives at any moment the integrator looks at
 *   revise     look at the result and at the constraint forces: is the substep to be made again?
 *   finish     the result is accepted
 *
 * Couplings are kept in the order of the list below and, within a kind, of their creation; that is
 * the order in which their forces are summed. Rows are collected in the opposite order: of rows
 * that depend on each other the first count, so later fixes take over from earlier ones, and fixes
 * from contact.
 *
 * What a coupling remembers from step to step lies in the world's state (memory), so that a saved
 * state, a rejected step and a checkpoint carry it without the coupling's help. */
#ifndef PL_COUPLE_COUPLING_H
#define PL_COUPLE_COUPLING_H

#include "body/body.h"
#include "ode/system.h"
#include "sparse/moment.h"
#include "sparse/rows.h"

#define PL_COUPLINGS(X)                                                                            \
  X(gravity)                                                                                       \
  X(drag)                                                                                          \
  X(load)                                                                                          \
  X(pull)                                                                                          \
  X(tool)                                                                                          \
  X(contact)                                                                                       \
  X(attachment)                                                                                    \
  X(momentum)                                                                                      \
  X(fix)

enum { PL_ROW_OF_MODEL = -1 }; /* the source of rows that models give themselves */

typedef struct pl_coupling pl_coupling;
typedef struct pl_couplings pl_couplings;

/* One substep of the world, as begin, revise and finish see it. */
typedef struct pl_substep {
  pl_system *system;
  const pl_couplings *couplings;
  double t, h;
  const double *q0, *v0;  /* at its beginning */
  double *q, *v;          /* now; at its end once it was made */
  const double *reaction; /* mean constraint force over the substep, N per block */
  const pl_rows *rows;    /* what was constrained */
  int pass;               /* how often it was made: 0 in begin, then from 1 on */
  double *work[2];        /* vectors to use */
} pl_substep;

/* Bodies that have got other blocks, or are gone. */
typedef struct pl_renumbering {
  int body;  /* whose blocks have changed */
  int shift; /* by how many blocks those of later bodies have moved */
  int gone;  /* the body is gone: later ones have moved up by one */
  const pl_body *before,
      *after; /* the body with its old model and its new one; NULL if it is gone */
} pl_renumbering;

typedef struct pl_coupling_ops {
  pl_member info;
  int is_internal; /* acts between bodies: no load that IMEX methods could treat explicitly */
  int is_ground;   /* holds bodies[0] in space */
  size_t size;     /* of the kind's struct */
  void (*destroy)(pl_coupling *self);
  /* Could it follow that change? Asked before anything is changed. */
  pl_status (*can_follow)(const pl_coupling *self, const pl_renumbering *change, pl_error *error);
  void (*follow)(pl_coupling *self, const pl_renumbering *change);
  /* The groups of blocks that it couples, for the matrix's pattern: *sets of them, in memory that
   * the caller frees in one piece. */
  pl_status (*cliques)(pl_coupling *self, const double *q, pl_cliques **sets, int *count,
                       pl_error *error);
  /* Called when the world is made ready for stepping; all bodies have their final blocks. */
  pl_status (*prepare)(pl_coupling *self, pl_error *error);
  /* How many rows it may give at most, and how many numbers it remembers in the state. */
  int (*row_count)(const pl_coupling *self);
  size_t (*memory)(const pl_coupling *self);
  void (*begin)(pl_coupling *self, const pl_substep *step);
  void (*constrain)(pl_coupling *self, int source, pl_rows *rows);
  /* u of a row so that it is met at t + h, where at->t is t and at->h is h. */
  double (*velocity)(const pl_coupling *self, const pl_moment *at, const pl_row *row);
  /* f += forces (NULL: not asked for), and the matrix += what it is asked for (NULL: nothing). */
  void (*evaluate)(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent);
  int (*revise)(pl_coupling *self, const pl_substep *step);
  void (*finish)(pl_coupling *self, const pl_substep *step);
  /* The part of its potential energy that is the body's, J. */
  double (*energy)(pl_coupling *self, const double *q, int body);
  /* Does it hold, link or touch the body now? */
  int (*grips)(const pl_coupling *self, int body);
} pl_coupling_ops;

struct pl_coupling {
  const pl_coupling_ops *ops;
  pl_bodies *bodies;   /* those of the world */
  int acts_on[2];      /* indices of the bodies; -1: none in particular */
  uint32_t generation; /* of its id */
  int slot;
  double *memory;      /* its numbers in the state */
  size_t memory_count; /* as many as ops->memory said */
};

/* All couplings of a world, and what their ids mean. */
struct pl_couplings {
  pl_bodies *bodies;
  pl_coupling **list; /* in order */
  size_t count, room;
  struct pl_coupling_slot {
    pl_coupling *coupling; /* NULL: none has this number now */
    uint32_t generation;
  } * slots;
  size_t slot_count, slot_room;
};

#define X(name) extern const pl_coupling_ops pl_coupling_##name;
PL_COUPLINGS(X)
#undef X

extern const pl_family pl_coupling_family;

/* A zeroed struct of this kind, which pl_couplings_add takes over. */
pl_status pl_coupling_create(pl_bodies *bodies, const pl_coupling_ops *ops, pl_coupling **out,
                             pl_error *error);
void pl_coupling_destroy(pl_coupling *self); /* NULL is fine */

/* On failure the coupling is destroyed. */
pl_status pl_couplings_add(pl_couplings *all, pl_coupling *coupling, pl_error *error);
/* Takes it out of the list and destroys it. */
void pl_couplings_remove(pl_couplings *all, pl_coupling *coupling);
void pl_couplings_release(pl_couplings *all);

/* The coupling of this kind with this id; "there is no fix 3" otherwise. */
pl_status pl_couplings_find(const pl_couplings *all, const pl_coupling_ops *ops, int32_t index1,
                            uint32_t generation, pl_coupling **out, pl_error *error);
/* The next one of a kind after `after` (NULL: the first); NULL: there are no more. */
pl_coupling *pl_couplings_next(const pl_couplings *all, const pl_coupling_ops *ops,
                               const pl_coupling *after);
/* The newest of a kind; NULL: there is none. */
pl_coupling *pl_couplings_last(const pl_couplings *all, const pl_coupling_ops *ops);
size_t pl_couplings_count(const pl_couplings *all, const pl_coupling_ops *ops);

/* The world's loops over all of them. */
void pl_couplings_evaluate(const pl_couplings *all, const pl_moment *at, int internal, double *f,
                           const pl_tangent *tangent);
pl_status pl_couplings_can_follow(const pl_couplings *all, const pl_renumbering *change,
                                  pl_error *error);
void pl_couplings_follow(const pl_couplings *all, const pl_renumbering *change);
int pl_couplings_grip(const pl_couplings *all, int body);

#endif
