/* Couplings: whatever acts on bodies from outside or between them.
 *
 * A coupling is a struct that begins with a pl_coupling, and the functions of its kind; the world
 * calls those that are there (NULL: nothing to do) and knows no kind by name. In one substep from
 * t to t + h:
 *
 *   find       look for what may come near
 *   begin      find what acts now: contacts, targets
 *   constrain  give the constraint rows d . v = u, or over several blocks, that hold during the
 *              substep
 *   velocity   u of one of them, whenever the integrator asks
 *   evaluate   forces and their derivatives at any moment the integrator looks at
 *   revise     look at the result and at the constraint forces: is the substep to be repeated?
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
#include "core/slots.h"
#include "ode/system.h"
#include "pliant/query.h"
#include "sparse/moment.h"
#include "sparse/rows.h"

/* Those that act on one body and that their parameters describe completely; see effect.h. */
#define PL_EFFECTS(X) X(attraction)

#define PL_COUPLINGS(X)                                                                            \
  X(gravity)                                                                                       \
  X(drag)                                                                                          \
  X(load)                                                                                          \
  PL_EFFECTS(X)                                                                                    \
  X(own_force)                                                                                     \
  X(pull)                                                                                          \
  X(tool)                                                                                          \
  X(mooring)                                                                                       \
  X(contact)                                                                                       \
  X(placement)                                                                                     \
  X(collision)                                                                                     \
  X(barrier)                                                                                       \
  X(impulse)                                                                                       \
  X(zhuang_canny)                                                                                  \
  X(attachment)                                                                                    \
  X(tie)                                                                                           \
  X(link)                                                                                          \
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
  int *moved;             /* finish sets it where it changes q or v itself */
} pl_substep;

/* The factor on tolerances of a pass: what solves one linear system per step, with an error of the
 * first order anyway, is content with four times as much after every further pass. */
static inline double pl_substep_leniency(const pl_substep *step)
{
  double factor = 1;
  for (int pass = 1; step->system->is_linear && pass < step->pass; pass++) factor *= 4;
  return factor;
}

/* A moment at which impulses may change velocities; see pl_system_ops. */
typedef struct pl_strike {
  pl_system *system;
  int at_end; /* v are those at the end of the step, at q; else those with which q is left */
  double t, h;
  const double *q;
  double *v;
} pl_strike;

/* Bodies that have got other blocks, or are gone. */
typedef struct pl_renumbering {
  int body;  /* whose blocks have changed */
  int shift; /* by how many blocks those of later bodies have moved */
  int gone;  /* the body is gone: later ones have moved up by one */
  const pl_body *before,
      *after; /* the body with its old model and its new one; NULL if it is gone */
} pl_renumbering;

/* A contact as the coupling knows it: indices in place of ids, which the world fills in. */
typedef struct pl_meeting {
  int body, other, obstacle; /* the last two: -1 for none */
  pl_contact_point at;
} pl_meeting;

/* Who is handed contacts, one after the other. */
typedef struct pl_meeting_sink {
  void (*take)(void *context, const pl_meeting *meeting);
  void *context;
} pl_meeting_sink;

/* What guards Newton's increments. */
typedef struct pl_guard_ops {
  /* The integrator begins the substep, at time t; again in every pass. */
  void (*start)(pl_coupling *self, double t);
  /* How much of a straight motion of all blocks from q to `to` is free of contact, at most *part;
   * what it moves itself goes on towards where it is at time t. worst1: 1 + a block that limits
   * it. */
  pl_status (*limit)(pl_coupling *self, double t, const double *q, const double *to, double *part,
                     int *worst1, pl_error *error);
  /* So much of that motion is looked at from now on. */
  void (*go)(pl_coupling *self, double part);
  /* Into how many equal parts a substep is to be divided, that begins now. */
  int (*parts)(pl_coupling *self, const pl_substep *step);
} pl_guard_ops;

typedef struct pl_coupling_ops {
  pl_member info;
  int is_internal; /* acts between bodies: no load that IMEX methods could treat explicitly */
  int is_ground;   /* holds bodies[0] in space */
  int is_contact;  /* what it exerts is a contact force */
  struct {
    int per_block;    /* so many numbers belong to each block; 0: memory says */
    size_t per_point; /* the same for points of surfaces, of couplings between bodies */
  } remembers;
  int by_ranges;   /* its forces are passes over blocks, or it settles the pool itself */
  int makes_pairs; /* couples blocks that the pattern does not: substeps may have to be repeated */
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
  /* How many rows it may give at most, over one block and over several (with how many entries), and
   * how many numbers it remembers in the state. */
  int (*row_count)(const pl_coupling *self);
  void (*mpc_room)(pl_coupling *self, const double *q, int64_t *rows, int64_t *entries);
  size_t (*memory)(const pl_coupling *self);
  /* Looks for what may touch in the substep; memory is taken only where it is more than ever. */
  pl_status (*find)(pl_coupling *self, const pl_substep *step, pl_error *error);
  void (*begin)(pl_coupling *self, const pl_substep *step);
  /* q: where the world's blocks are. */
  void (*constrain)(pl_coupling *self, int source, const double *q, pl_rows *rows);
  /* u of a row so that it is met at t + h, where at->t is t and at->h is h. */
  double (*velocity)(const pl_coupling *self, const pl_moment *at, const pl_row *row);
  /* The same of blocks whose three axes are its rows 0 to 2, as their velocities in v, which has
   * those of all blocks; NULL: row by row. */
  void (*block_velocities)(const pl_coupling *self, const pl_moment *at, const int *blocks,
                           int count, double *v);
  /* f += forces (NULL: not asked for), and the matrix += what it is asked for (NULL: nothing). */
  void (*evaluate)(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent);
  /* Is its part of the matrix another one in every substep now? Then no earlier matrix serves. */
  int (*is_changing)(const pl_coupling *self);
  const pl_guard_ops *guard; /* it lets nothing pass through anything; NULL: it may */
  /* Exerts impulses, where the integrator has a moment for them. */
  void (*strike)(pl_coupling *self, const pl_strike *at);
  int (*revise)(pl_coupling *self, const pl_substep *step);
  void (*finish)(pl_coupling *self, const pl_substep *step);
  /* The part of its potential energy that is the body's, J. */
  double (*energy)(pl_coupling *self, const double *q, int body);
  /* Hands over what touches with which forces, after a substep that was accepted and ended now. */
  void (*contacts)(pl_coupling *self, const pl_moment *at, const pl_meeting_sink *to);
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
  pl_slots slots;
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
int pl_couplings_are_changing(const pl_couplings *all);

#endif
