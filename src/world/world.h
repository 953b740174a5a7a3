/* The world's inside: bodies side by side in one q, one v and one matrix.
 *
 * Inside, every body's nodes are renumbered for locality; node numbers at the border of the library
 * are the mesh's. State (time, q, v) is separate from everything else, so that saving and restoring
 * are copies. */
#ifndef PL_WORLD_WORLD_H
#define PL_WORLD_WORLD_H

#include "body/body.h"
#include "body/store.h"
#include "ode/integrator.h"
#include "pliant/world.h"
#include "world/attach.h"
#include "world/contact.h"
#include "world/load.h"
#include "world/momentum.h"
#include "world/pull.h"
#include "world/quantity.h"
#include "world/skin.h"
#include "world/tool.h"

/* Held blocks and how they move. */
typedef struct pl_fix {
  int body;
  int count, *nodes; /* inside numbers, ascending */
  int hold_count;    /* directions of length 1, at right angles, along which it holds them */
  double hold[3][3];
  double translation[3], centre[3], axis[3], angle, offset[3];
  pl_own_ramp ramp, offset_ramp;
} pl_fix;

/* Elements that move as one. */
typedef struct pl_core {
  int body;
  pl_hinge hinge;
  double centre[3], axis[3]; /* axis of length 1 */
  int count, *nodes;         /* blocks of the world, ascending */
  double *basis;             /* as in pl_rigid, at the beginning of the step */
} pl_core;

struct pl_load {
  const pl_load_ops *ops;
  double values[PL_MOST_VALUES];
  int body;
  pl_load_shape shape;
  pl_own_ramp ramp;
};

struct pl_probe {
  char *name;
  const pl_quantity_ops *ops;
  int body; /* -1: the whole world */
  pl_anchor anchor;
};

typedef struct pl_state {
  double time;
  int64_t steps;
  double *q, *v;
} pl_state;

struct pl_world {
  pl_allocator allocator;
  pl_log log;
  double dt, gravity[3];
  int budget;       /* most iterations of the linear solver in a step; 0: no limit */
  int halvings;     /* how often a failing step is halved */
  double tolerance; /* of step control, m; 0: the step is not divided */
  pl_part integrator_part, solver_part, preconditioner_part;
  int solver_given; /* the user named it: it is not to be replaced by a more general one */
  pl_pool *pool;
  char *cache;    /* folder of the store; NULL: none */
  pl_store store; /* of what takes long to compute */

  pl_bodies bodies;
  pl_fix *fixes;
  pl_load *loads;
  pl_probe *probes;
  pl_core *cores;
  size_t core_count, core_room;
  pl_obstacle *obstacles;
  size_t obstacle_count, obstacle_room;
  double contact_slack; /* how deep a node may be inside, m: far below the size of an element */
  pl_pull *pulls;
  size_t pull_count, pull_room;
  pl_attachment *attachments;
  size_t attachment_count, attachment_room;
  pl_coupling *coupling; /* room for one pair of points; NULL where nothing is attached */
  pl_tool_def tool;
  int has_tool;
  size_t fix_count, fix_room, load_count, load_room, probe_count, probe_room;

  size_t state_room; /* numbers that q and v have room for */
  pl_state state, saved;
  double epoch; /* the time at step epoch_steps, since when dt has been as it is */
  int64_t epoch_steps;

  // made by prepare() when bodies or fixes have changed
  int ready;
  pl_system system;
  pl_integrator *integrator;
  double *scratch;        /* a vector */
  pl_rigid *rigids;       /* the filter's, one for each core */
  unsigned char *in_core; /* per block; NULL where there are no cores */
  // the next three if a body keeps its momentum, there are rigid parts, or a part may be made again
  double *work, *before, *before_v; /* a vector; the state at the beginning of the part */
  double *drag;                     /* the system's */
  int *held;                        /* the filter's nodes */
  char *passing;                    /* which of them only touch something */
  double *projections;              /* the filter's projections */
  int *holders; /* 3 per block: 1 + 3 fix + number of its direction, newest first; 0: no more */
  pl_contact *contacts; /* per block; NULL where there are no obstacles */

  pl_step_report last; /* what the last step took */
  int64_t newton_iterations, linear_iterations, halved_steps, unconverged_steps;
  int64_t parts, rejected_parts;
  int64_t matrices, unfinished_solves;
  double worst_residual; /* relative, of all linear solves */
  double seconds, seconds_evaluate, seconds_solve;
  int warned_unfinished, warned_indefinite;
};

/* The body, or NULL; and with an error where there is none. */
const pl_body *pl_world_body(const pl_world *world, pl_body_id id);
pl_status pl_world_find_body(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error);

/* The distance of a point to the nearest obstacle, negative inside, its friction and direction. */
double pl_obstacles_nearest(const pl_world *world, const double x[3], double *friction,
                            double normal[3]);

/* Makes room for one more element at the end of the growing array that *array points to. */
pl_status pl_world_one_more(pl_world *world, void *array, size_t count, size_t *room, size_t size,
                            pl_error *error);

/* Where a fix carries the node with rest position X at time t. */
void pl_fix_target(const pl_fix *fix, const double X[3], double t, double target[3]);

/* The rotation vector by which it has turned them. */
void pl_fix_turn(const pl_fix *fix, double t, double turn[3]);

void pl_fix_release(const pl_allocator *allocator, pl_fix *fix);
void pl_load_release(const pl_allocator *allocator, pl_load *load);

/* Sees to it that the solver can do with the body's matrix: takes a more general one where the user
 * named none. */
pl_status pl_world_fit_solver(pl_world *world, const pl_body *body, pl_error *error);

/* The filter's arrays; the filter itself from fixes and contacts as they are now; what v must be
 * there to carry them to where they must be at t + h. */
pl_status pl_world_make_filter(pl_world *world, pl_error *error);
void pl_world_fill_filter(pl_world *world);
void pl_world_prescribe(const pl_world *world, double t, double h, const double *q, double *v);

/* After the blocks of a body have become others: finds those that its pulls act on again, and moves
 * those of later bodies by shift. */
void pl_pulls_follow(pl_world *world, int body, int shift);

/* Before a step: puts frames in where bodies touch something, and takes them out again. */
pl_status pl_world_adapt(pl_world *world, pl_error *error);

/* Rigid parts: what prepare() makes for them, their bases at the beginning of a step, and the turn
 * that they have made at its end. */
pl_status pl_cores_prepare(pl_world *world, pl_error *error);
void pl_cores_begin(pl_world *world);
void pl_cores_finish(pl_world *world);

/* Makes a saved state one whose integrator remembers nothing: for those that leave the program or
 * come from outside. */
void pl_state_forget(void *memory, size_t size);

/* Builds matrix, solver, integrator and filter if something has changed since. */
pl_status pl_world_prepare(pl_world *world, pl_error *error);
/* Steps of the integrator from the saved state to dt later, that many equal ones unless step
 * control divides the step. On failure the state may be anything. */
pl_status pl_world_advance(pl_world *world, int parts, pl_step_report *report, pl_error *error);
/* Would smaller steps help? */
int pl_world_can_retry(const pl_world *world, pl_status status);
/* Are these in their ranges, and can the integrator keep the tolerance? */
pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_part *integrator, pl_error *error);
/* Drops them. */
void pl_world_unprepare(pl_world *world);

#endif
