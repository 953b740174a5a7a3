/* What an integrator sees of the world: M(q) v' = f(t, q, v), q' = v, some of v prescribed.
 *
 * Vectors hold 3 doubles per block. An integrator never learns what the blocks are. */
#ifndef PL_ODE_SYSTEM_H
#define PL_ODE_SYSTEM_H

#include "core/thread.h"
#include "sparse/moment.h"
#include "sparse/mpc.h"
#include "sparse/solver.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct pl_system pl_system;

/* When an explicit method has velocities that impulses can change (pl_system_ops.strike). */
enum { PL_STRIKES_HALF = 1, PL_STRIKES_END = 2 };

typedef struct pl_system_ops {
  /* f = all forces at (t, q, v), and the matrix that is asked for (sparse/moment.h). Either may be
   * NULL. Settles a pool that gathers; what is deferred then are passes over f. */
  void (*evaluate)(pl_system *system, double t, const double *q, const double *v, double *f,
                   const pl_tangent *tangent);
  /* f = the forces that do not come from inside: gravity, loads. */
  void (*external)(pl_system *system, double t, const double *q, const double *v, double *f);
  /* y += a M x. */
  void (*mass_add)(pl_system *system, double a, const double *x, double *y);
  /* x = M^-1 y with the lumped mass. */
  void (*mass_inverse)(pl_system *system, const double *y, double *x);
  /* out = q moved by dq (q + dq unless blocks rotate); out may be q. */
  void (*retract)(pl_system *system, const double *q, const double *dq, double *out);
  /* Puts into v the constant velocity that carries constrained nodes from q to where they must be
   * at time t + h. */
  void (*prescribe)(pl_system *system, double t, double h, const double *q, double *v);
  /* Forces r and matrix A at q moved by dq, as functions of the numbers in dq: they differ where
   * blocks rotate, for turns do not add up. A may be NULL. NULL: no block rotates. */
  void (*chart)(pl_system *system, const double *dq, double *r, pl_bsr *A);
  /* 1 + a block where q has turned something inside out whose energy is infinite on the way there,
   * so that q is no state of it, whatever evaluate says; 0: there is none. NULL: there never is. */
  int (*folded1)(pl_system *system, const double *q);
  /* Only asked where `safe` is not NULL. How much of the increment from q to q + dq can be made
   * without anything passing through anything else, in [0, 1]; t is that of the stage, and what
   * moves by itself is on its way there. worst1: 1 + a block that limits it, or 0. */
  pl_status (*limit)(pl_system *system, double t, const double *q, const double *dq, double *part,
                     int *worst1, pl_error *error);
  /* So much of the last such increment is about to be looked at. */
  void (*go)(pl_system *system, double part);
  /* Only asked where `strikes` is set: impulses of contact. At the half step, before the blocks
   * travel from q at time t for h with the velocities v; or at the end of the step, at q and v of
   * time t + h. Changes v. */
  void (*strike)(pl_system *system, int at_end, double t, double h, const double *q, double *v);
  /* For methods with smaller steps by region (ode/local.h); NULL: no part is faster than others.
   * Marks the blocks of elements with frequencies above `frequency`, 1/s, at rest with
   * PL_FAST_BLOCK; the largest of all frequencies and of all damping, 1/s. */
  pl_status (*mark_fast)(pl_system *system, double h, double frequency, unsigned char *marks,
                         double largest[2], pl_error *error);
  /* Selects the elements with fast blocks, and marks their other blocks with PL_NEAR_BLOCK. */
  pl_status (*select)(pl_system *system, unsigned char *marks, pl_error *error);
  /* f += the forces of the selected elements. */
  void (*evaluate_selected)(pl_system *system, double t, const double *q, const double *v,
                            double *f);
} pl_system_ops;

/* The passes over one step. The first one need not be solved as far as the last, since friction
 * will ask for others; whoever made use of that says so, and another one follows. */
typedef struct pl_repetition {
  int is_trial, is_cut;
  int patched;            /* couplings that ask for another pass and have corrected A for it */
  int is_same;            /* all of them: A can be used */
  const double *expected; /* v at the end, as an earlier try found it; NULL: this is the first */
  int stage;              /* that is solved, and its weight in the mean of the step: pl_moment */
  double share;
} pl_repetition;

struct pl_system {
  const pl_system_ops *ops;
  int blocks;
  pl_pool *pool;
  pl_bsr *A;         /* room for the matrix; its pattern covers evaluate's */
  pl_pairs *pairs;   /* what evaluate adds beside it; NULL: nothing */
  pl_solver *solver; /* for matrices of that pattern */
  /* Where things may not pass through each other, not even between iterations: the last q that is
   * known to be free of that. Newton starts there and keeps it up to date. NULL: they may. */
  double *safe;
  /* Of models whose forces evaluate leaves out, for integrators that relax; NULL: none. */
  struct pl_relation_list *relations;
  pl_filter filter;
  pl_repetition pass;
  struct pl_drag {
    const double *each; /* 1/s per block: the part -drag m v of the forces; NULL: there is none */
    int is_equal;       /* for all blocks */
  } drag;
  pl_watch *watch;   /* asked in every iteration and substep; NULL: nobody */
  double load_scale; /* factor on all loads; 1 except while statics ramps them up */
  int is_static;     /* the integrator looks for equilibrium */
  int is_linear;     /* it solves one linear system per stage and iterates nothing */
  int order;         /* of accuracy, of the integrator */
  int predicts;     /* A is not the slope at q alone: full increments converge, shorter ones less */
  int remembers;    /* laws remember: inner forces change in time at constant q and v, too */
  int freezes_time; /* the integrator asks for forces at the end's q at the beginning's time */
  /* The mean forces of constraints over the step, N: an integrator adds those of its own scheme at
   * constrained blocks; and room for a residual there before it is filtered. Both may be NULL. */
  double *reaction, *unfiltered;
  int lags;          /* time is short: a matrix may serve several steps */
  int is_changing;   /* contact puts another part into the matrix in every step: none may */
  int budget;        /* most iterations of the linear solver in one step; 0: no limit */
  int never_rejects; /* what Newton has after its last iteration counts, converged or not */
  int strikes;       /* bits PL_STRIKES_HALF and _END: when contact exerts impulses; 0: never */
  int missing; /* blocks that the matrix had no room for when it was folded: the step is void */
  struct pl_system_clock {
    double evaluate, solve; /* s, added up by Newton */
    double solved_at;       /* by pl_now(), s: the end of the last linear solve */
  } clock;
  struct pl_share *share; /* vectors hold a rank's blocks and copies (ode/share.h); NULL: all */
};

/* reaction += scale x at constrained blocks. */
void pl_system_react(pl_system *system, double scale, const double *x);
/* Forgets what was added. */
void pl_system_clear_reaction(pl_system *system);
/* Keeps r, a residual, as it is at constrained blocks before it is filtered. */
void pl_system_keep_residual(pl_system *system, const double *r);

/* For explicit methods: ops->prescribe on v, and the force M (v1 - v0) / h that this takes. work: a
 * vector. */
void pl_system_prescribe(pl_system *system, double t, double h, const double *q, double *v,
                         double *work);
/* The same in two parts, where the pool gathers: the velocities, and, when the pool has settled and
 * before anything else is added to the reaction, the force, once. */
typedef struct pl_prescribed {
  double *work; /* a vector; not to be changed in between */
  atomic_int changes;
} pl_prescribed;
void pl_system_defer_prescribe(pl_system *system, double t, double h, const double *q, double *v,
                               pl_prescribed *to);
void pl_system_finish_prescribe(pl_system *system, pl_prescribed *from);

/* ---- for accelerations from forces: a = M^-1 (f + what constraints exert) ---- */

/* Adds share times what rows over one block exert against the forces f. */
void pl_system_oppose(pl_system *system, double share, const double *f);
/* a = M^-1 f becomes the acceleration under the constraints. Where these are rows J over several
 * blocks, a += P M^-1 P J^T lambda with J a = 0, P being what rows over one block leave free, and
 * share times the force is added to the reaction. */
void pl_system_free(pl_system *system, double share, double *a);
/* v += P M^-1 P J^T lambda with J v = u, one number for each row over several blocks; NULL: 0. */
void pl_system_meet(pl_system *system, const double *u, double *v);
/* v is reflected at the plane J v = 0: it keeps its kinetic energy. The rows' force becomes share
 * times the impulse, and rows over one block bear it as well. */
void pl_system_reflect(pl_system *system, double share, double *v);

/* ---- the matrix where blocks depend on others (sparse/links.h) ---- */

/* y = (A + pairs) x, of A as it was before it was folded. */
void pl_system_multiply(const pl_system *system, const double *x, double *y);
/* The same for two vectors, by reading the matrix once, which is that of the last prepare. */
void pl_system_multiply_two(const pl_system *system, const double *x, double *y,
                            const double *other_x, double *other_y);
/* Folds A, which was just evaluated; counts what its pattern has no room for. */
void pl_system_fold(pl_system *system);
/* unfiltered -= A x at constrained blocks: what a linear step leaves of the residual there. */
void pl_system_leave(pl_system *system, const double *x);

/* What one step took. */
typedef struct pl_step_report {
  int newton_iterations, linear_iterations;
  double newton_residual;     /* |P G| at the end, N           */
  double linear_residual;     /* of the last solve, relative   */
  double worst_residual;      /* of the solves that were used  */
  int matrices;               /* that were made                */
  int unfinished_solves;      /* linear solves that used up their iterations */
  int semidefinite_fallbacks; /* exact tangent was indefinite and replaced */
  double error;               /* estimate of the RMS error of positions, m, where asked for */
  int64_t inner_steps;        /* of methods that divide steps themselves */
  int unstable;     /* from here on equilibria are found only with an indefinite tangent */
  int unconverged;  /* Newton loops that ended before they had converged */
  int worst_block1; /* 1 + the block where a failed iteration left most; 0: not known */
} pl_step_report;

#endif
