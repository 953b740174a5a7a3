/* The world's inside: bodies side by side in one q, one v and one matrix, what acts on them, and
 * the state.
 *
 * Inside, every body's nodes are renumbered for locality; node numbers at the border of the library
 * are the mesh's. */
#ifndef PL_WORLD_WORLD_H
#define PL_WORLD_WORLD_H

#include "body/body.h"
#include "body/store.h"
#include "couple/coupling.h"
#include "mesh/locate.h"
#include "ode/integrator.h"
#include "pliant/touch.h"
#include "pliant/world.h"
#include "world/quantity.h"
#include "world/state.h"

typedef struct pl_probe {
  char *name;
  const pl_quantity_ops *ops;
  int body; /* -1: the whole world */
  pl_anchor anchor;
} pl_probe;

/* What the user chose. */
typedef struct pl_settings {
  double dt;
  double tolerance; /* of step control, m; 0: the step is not divided */
  int budget;       /* most iterations of the linear solver in a step; 0: no limit */
  int halvings;     /* how often a failing step is halved */
  pl_part integrator, solver, preconditioner;
  int solver_given; /* the user named it: it is not to be replaced by a more general one */
} pl_settings;

/* What all steps so far took. */
typedef struct pl_tally {
  pl_step_report last; /* what the last step took */
  int64_t newton_iterations, linear_iterations, halved_steps, unconverged_steps;
  int64_t parts, rejected_parts;
  int64_t matrices, unfinished_solves;
  double worst_residual; /* relative, of all linear solves */
  double seconds, seconds_evaluate, seconds_solve;
  int warned_unfinished;
} pl_tally;

struct pl_world {
  pl_allocator allocator;
  pl_log log;
  pl_settings set;
  double gravity[3];
  pl_pool *pool;
  char *cache;    /* folder of the store; NULL: none */
  pl_store store; /* of what takes long to compute */

  pl_bodies bodies;
  pl_couplings couplings;
  pl_probe *probes;
  size_t probe_count, probe_room;

  pl_layout layout;
  pl_state state, saved, before; /* now; at the beginning of the step, and of the substep */
  double substep_start;          /* s, of the substep in hand */

  // made by prepare() when bodies or couplings have changed
  int ready;
  pl_system system;
  pl_integrator *integrator;
  pl_rows rows;
  double *scratch, *work; /* vectors */
  double *drag;           /* the system's */

  pl_tally tally;
};

/* The body, or NULL; and with an error where there is none. */
const pl_body *pl_world_body(const pl_world *world, pl_body_id id);
pl_status pl_world_find_body(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error);

/* Makes room for one more element at the end of the growing array that *array points to. */
pl_status pl_world_one_more(pl_world *world, void *array, size_t count, size_t *room, size_t size,
                            pl_error *error);

/* What every world has, and what a body that keeps its momentum has. */
pl_status pl_world_add_own(pl_world *world, pl_error *error);
pl_status pl_world_keep_momentum(pl_world *world, int body, pl_error *error);

/* The coupling that keeps bodies out of obstacles; NULL: there are none. */
struct pl_contact;
struct pl_contact *pl_world_contact(const pl_world *world);

/* Sees to it that the solver can do with the body's matrix: takes a more general one where the user
 * named none. */
pl_status pl_world_fit_solver(pl_world *world, const pl_body *body, pl_error *error);

/* The constraint filter from all couplings' rows as they are now; what v must be at constrained
 * blocks so that they are where they must be at t + h: the rest of v stays. */
void pl_world_constrain(pl_world *world);
void pl_world_prescribe(const pl_world *world, double t, double h, const double *q, double *v);

/* Before a step: puts frames in where bodies touch something, and takes them out again. */
pl_status pl_world_adapt(pl_world *world, pl_error *error);

/* Builds matrix, solver, integrator and filter if something has changed since. */
pl_status pl_world_prepare(pl_world *world, pl_error *error);
/* What the integrator sees of the world; turns: some blocks are rotations. */
const pl_system_ops *pl_world_system_ops(const pl_world *world);
/* With a budget a step that is made again would take more than its share. */
int pl_world_most_halvings(const pl_world *world);
/* Steps of the integrator from the saved state to dt later, that many equal ones unless step
 * control divides the step. On failure the state may be anything. */
pl_status pl_world_advance(pl_world *world, int parts, pl_step_report *report, pl_error *error);
/* Would smaller steps help? */
int pl_world_can_retry(const pl_world *world, pl_status status);
/* Are these in their ranges, and can the integrator keep the tolerance? */
pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_part *integrator, pl_error *error);
/* Drops what prepare made. */
void pl_world_unprepare(pl_world *world);

#endif
