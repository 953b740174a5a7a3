/* Integrators: one step of any system. */
#ifndef PL_ODE_INTEGRATOR_H
#define PL_ODE_INTEGRATOR_H

#include "core/family.h"
#include "ode/system.h"

#include <stdint.h>

typedef struct pl_integrator pl_integrator;

#define PL_INTEGRATORS(X)                                                                          \
  X(implicit_euler)                                                                                \
  X(explicit_euler)                                                                                \
  X(explicit_midpoint)                                                                             \
  X(rk4)                                                                                           \
  X(rk38)                                                                                          \
  X(dopri853)                                                                                      \
  X(verlet)                                                                                        \
  X(local_verlet)                                                                                  \
  X(explicit_newmark)                                                                              \
  X(rkc2)                                                                                          \
  X(rock2)                                                                                         \
  X(implicit_midpoint)                                                                             \
  X(sdirk2)                                                                                        \
  X(sdirk4)                                                                                        \
  X(tr_bdf2)                                                                                       \
  X(bdf2)                                                                                          \
  X(bdf3)                                                                                          \
  X(bdf4)                                                                                          \
  X(bdf5)                                                                                          \
  X(bdf6)                                                                                          \
  X(newmark)                                                                                       \
  X(generalised_alpha)                                                                             \
  X(ros2w)                                                                                         \
  X(ros3w)                                                                                         \
  X(rosenbrock4)                                                                                   \
  X(semi_implicit)                                                                                 \
  X(imex_euler)                                                                                    \
  X(imex_midpoint)                                                                                 \
  X(dormand_prince)                                                                                \
  X(fehlberg8)                                                                                     \
  X(cvode)                                                                                         \
  X(sticks)                                                                                        \
  X(xpbd)                                                                                          \
  X(static)                                                                                        \
  X(relaxation)

typedef struct pl_integrator_ops {
  pl_member info;
  int is_implicit;   /* needs system->A and system->solver */
  int freezes_time;  /* asks for forces at the end's q at the beginning's time */
  int ends_on_stage; /* the end of the step is the q of its last stage, as Newton has left it */
  int strikes;       /* bits of pl_system.h: where it lets impulses change velocities */
  int is_static;     /* looks for equilibrium; velocities stay zero */
  int relaxes;       /* takes system->relations in place of the forces of models that have them */
  const char
      *over_ranks;  /* what to take over several processes, if it works in one only; or NULL */
  int order;        /* of accuracy, 0 where that means nothing */
  int damped_order; /* of accuracy where forces depend on velocity; 0: the same */
  /* The largest stable step, s, for a mode q'' + d q' + w^2 q = 0 of this frequency w and damping
   * d, 1/s; 0: none is. NULL: the step has no such limit, or the member keeps to it by itself. */
  double (*critical)(double frequency, double damping);
  int drag_is_implicit; /* mass damping does not count in critical */
  int needs_damping;    /* motion that nothing damps grows at any step */
  int error_power;   /* a step's estimate of its own error falls with this power of it; 0: none */
  double max_growth; /* of a step over the one before without loss; 0: no limit */
  int defers;        /* passes before and after its forces are deferred where the pool gathers */
  int history;       /* vectors that it remembers */
  size_t state_size; /* of the member's own state */
  const void *table; /* coefficients, of members that share their functions */
  pl_status (*create)(pl_integrator *self, pl_error *error);
  void (*destroy)(pl_integrator *self); /* what create took beside vectors; NULL: nothing */
  /* Its memory has become zero, or is about to become another: whatever else it knows of earlier
   * steps is forgotten as well. NULL: there is nothing else. */
  void (*begin)(pl_integrator *self);
  /* From (q, v) at t to t + h, in place. On failure q and v may hold anything. */
  pl_status (*step)(pl_integrator *self, pl_system *system, double t, double h, double *q,
                    double *v, pl_step_report *report, pl_error *error);
} pl_integrator_ops;

/* A member's workspace: vectors of the system's size, all taken at creation. */
enum { PL_MOST_VECTORS = 32, PL_MOST_HISTORY = 10, PL_MOST_PAST = 5, PL_OWN_NUMBERS = 2 };

/* How far back a member remembers, and what else it takes from step to step: numbers only, since
 * they lie in the state. */
typedef struct pl_past {
  double steps;               /* that the history holds; 0: nothing is known */
  double h[PL_MOST_PAST];     /* their lengths in s, the latest first */
  double next;                /* the length that step control wants next, s; 0: not known */
  double own[PL_OWN_NUMBERS]; /* the member's */
} pl_past;

struct pl_integrator {
  const pl_integrator_ops *ops;
  pl_allocator allocator;
  const double *values; /* the part's */
  int blocks;
  void *state;
  double *vectors[PL_MOST_VECTORS];
  int vector_count;
  int estimates; /* steps are asked for report->error */
  // what is remembered from step to step beside q and v: a part of the state
  pl_past *past;
  double *history[PL_MOST_HISTORY];
  int history_count;
  double *own_memory; /* where the caller gave none */
};

#define X(name) extern const pl_integrator_ops pl_integrator_##name;
PL_INTEGRATORS(X)
#undef X

extern const pl_family pl_integrator_family;

/* Resolves a choice; a member that this build lacks a library for is an error. */
pl_status pl_integrator_resolve(const pl_choice *choice, pl_selection *part, pl_error *error);

/* How many numbers a member remembers from step to step. */
size_t pl_integrator_memory(const pl_integrator_ops *ops, int blocks);

/* memory: room for those numbers, which the caller saves, copies and restores as it does q and v;
 * all zeros: nothing is known of earlier steps. NULL: the integrator has its own. */
pl_status pl_integrator_create(const pl_allocator *allocator, const pl_selection *part, int blocks,
                               double *memory, pl_integrator **out, pl_error *error);
void pl_integrator_destroy(pl_integrator *integrator);

/* For members' create functions: the next free vector of the workspace. */
pl_status pl_integrator_vector(pl_integrator *self, double **vector, pl_error *error);
/* The same for a vector that is part of the history. */
pl_status pl_integrator_history(pl_integrator *self, double **vector, pl_error *error);

/* A step of length h was made: it becomes the latest of the history. */
void pl_integrator_remember(pl_integrator *self, double h);

/* To be called when the memory was zeroed, before other numbers are put into it. */
void pl_integrator_begin(pl_integrator *integrator);

/* Who changes q or v lets what was remembered be forgotten. */
void pl_integrator_forget(pl_integrator *integrator);

/* The RMS length over all blocks of scale P (a - b) with the filter P; b NULL: zero. For estimates
 * of errors. */
double pl_rms(const pl_system *system, double scale, const double *a, const double *b);

#endif
