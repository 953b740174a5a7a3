/* The world: bodies, what acts on them, and the step that moves them. This header brings the
 * others: body.h, coupling.h, query.h and state.h.
 *
 *   pl_world_def def = pl_world_def_default();
 *   pl_world *world;
 *   pl_world_create(&def, &world, &error);
 *   pl_world_add_body(world, &body_def, &body, &error);
 *   pl_world_add_fix(world, body, &fix_def, NULL, &error);
 *   pl_world_step(world, &error);
 *
 * Units are SI. A function that fails leaves the world as it was. A world is used by one thread at
 * a time; worlds are independent of each other. */
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include "pliant/body.h"
#include "pliant/coupling.h"
#include "pliant/query.h"
#include "pliant/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world_def {
  double dt;         /* time step, s */
  double gravity[3]; /* m/s^2 */
  int budget; /* largest number of iterations of the linear solver in a step, for hard real time:
                 when it runs out, the current iterate is accepted and its residual reported by
                 pl_world_measure; steps are not retried. 0: no limit */
  double time_budget; /* s; wall time that a step may take: solver, Newton's method and contact stop
                         improving in time and the current iterate is accepted, as with budget. At
                         least one iteration of each is made; results then depend on the machine's
                         speed. Direct solvers and explicit methods have nothing to cut short. 0: no
                         limit */
  int halvings;       /* how many times a failing step may be halved and retried; 0: never,
                         for real time, and what Newton's method has after its last iteration counts */
  double tolerance;   /* m; steps are divided so that each part's estimated RMS error of positions
                         stays below this; 0: they are not divided */
  int substeps; /* 1: steps are made as a whole; 0: explicit methods divide each into as many equal
                   parts as their critical step in the present state asks for */
  int allow_unstable; /* of a dt above the critical step of an explicit method: 0: an error before
                         the step; 1: a warning, and it is taken nevertheless */
  pl_choice integrator, solver, preconditioner;
  int threads;            /* 0: one per processor; the results do not depend on it */
  struct pl_ranks *ranks; /* processes that compute it together (pliant run under mpirun); NULL:
                             this one alone */
  const char *cache; /* folder that keeps frames' weights for the next time, made where it is not
                        there; what cannot be used there is recomputed; NULL: none */
  pl_allocator allocator;
  pl_log log;
  uint32_t cookie; /* set by pl_world_def_default */
} pl_world_def;

/* dt 10 ms, gravity -9.81 along z, 6 halvings, implicit Euler, conjugate gradients, all processors.
 */
PL_API pl_world_def pl_world_def_default(void);

PL_API pl_status pl_world_create(const pl_world_def *def, pl_world **world, pl_error *error);
PL_API void pl_world_destroy(pl_world *world); /* NULL is fine */

/* The names of the chosen members. */
PL_API const char *pl_world_integrator_name(const pl_world *world);
PL_API const char *pl_world_solver_name(const pl_world *world);
/* The solver in use now, and why it was chosen ("" where the user did; reason may be NULL). */
PL_API const char *pl_world_solver_choice(const pl_world *world, const char **reason);
PL_API const char *pl_world_preconditioner_name(const pl_world *world);
/* Which preconditioner is in use where the chosen one (auto) chooses itself, and why, as a sentence
 * (reason may be NULL) that holds until the next step. The chosen one's name and an empty reason
 * otherwise. */
PL_API const char *pl_world_preconditioner_choice(const pl_world *world, const char **reason);

/* ---- stepping ---- */

/* Advances by dt. On failure positions, velocities and time are what they were before. */
PL_API pl_status pl_world_step(pl_world *world, pl_error *error);
/* Who is asked during steps from now on; NULL: nobody. A step that is cancelled ends with
 * PL_E_CANCELLED, and the world is what it was before. */
PL_API void pl_world_set_watcher(pl_world *world, const pl_watcher *watcher);
PL_API double pl_world_time(const pl_world *world);
PL_API double pl_world_dt(const pl_world *world);

/* Advances many worlds by so many steps each, over so many threads (0: one per processor). A world
 * is stepped by one thread at a time; make them with threads = 1. Every world is tried: the status
 * is that of the first that failed, in the order of the list, and statuses and errors (NULL: not
 * asked for) get one for each. A world whose step failed stays as before that step. Watchers, logs
 * and callbacks of the worlds are called in these threads. */
PL_API pl_status pl_worlds_step(pl_world *const *worlds, int count, int steps, int threads,
                                pl_status *statuses, pl_error *errors, pl_error *error);

/* Hierarchical corotation: from now on the world takes the frames of its bodies with a law that
 * lags (hooke-lagged) from the bodies of the same names in a guide, every `update` s. The guide is
 * a world of coarser meshes, mostly of Green's strain, which is stepped with this one, ahead of it,
 * from where the fine bodies are, or by itself (alone = 1); what acts on its bodies is its own. It
 * belongs to this world from now on and goes with it; on failure it stays the caller's. NULL takes
 * the guide away. */
PL_API pl_status pl_world_set_guide(pl_world *world, pl_world *guide, double update, int alone,
                                    pl_error *error);

/* ---- changing values between two steps ---- */

PL_API pl_status pl_world_set_dt(pl_world *world, double dt, pl_error *error);
PL_API pl_status pl_world_set_gravity(pl_world *world, const double gravity[3], pl_error *error);
/* What a step may cost, and what is done about steps that fail and about their errors: as in
 * pl_world_def. */
PL_API pl_status pl_world_set_control(pl_world *world, int budget, int halvings, double tolerance,
                                      pl_error *error);
PL_API pl_status pl_world_set_time_budget(pl_world *world, double seconds, pl_error *error);
PL_API pl_status pl_world_set_integrator(pl_world *world, const pl_choice *integrator,
                                         pl_error *error);
PL_API pl_status pl_world_set_solver(pl_world *world, const pl_choice *solver,
                                     const pl_choice *preconditioner, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
