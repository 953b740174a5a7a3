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
#include "pliant/world.h"
#include "world/answer.h"
#include "world/fallback.h"
#include "world/proportion.h"
#include "world/quantity.h"
#include "world/state.h"

typedef struct pl_probe {
  char *name;
  uint32_t generation; /* of its id */
  int slot;
  const pl_quantity_ops *ops;
  int body; /* -1: the whole world */
  pl_anchor anchor;
  double sum; /* of quantities that are summed up from step to step */
} pl_probe;

enum { PL_MOST_PASSES = 24 }; /* over the contacts of one substep */

/* What the user chose. */
typedef struct pl_settings {
  double dt;
  double tolerance;   /* of step control, m; 0: the step is not divided */
  int budget;         /* most iterations of the linear solver in a step; 0: no limit */
  double time_budget; /* s, for the computation of one step; 0: no limit */
  int halvings;       /* how often a failing step is halved */
  int substeps;       /* 0: as the critical step asks for */
  int allow_unstable; /* a step above the critical one is a warning */
  pl_selection integrator, solver, preconditioner;
  int solver_given;       /* the user named it: it is not to be replaced by a more general one */
  struct pl_guide *guide; /* lends its rotations (guide.h); NULL: none */
} pl_settings;

/* What steps give up to keep a time budget, in this order. Iterations are cut by the deadline of
 * every step; what is below changes when several steps in succession were cut or late, and back
 * when many were not. */
typedef enum pl_effort_level {
  PL_EFFORT_FULL,
  PL_EFFORT_LAG,   /* matrices serve several steps */
  PL_EFFORT_COARSE /* and fewer elements are refined */
} pl_effort_level;

typedef struct pl_effort {
  pl_effort_level level;
  int late, in_time; /* steps in succession */
} pl_effort;

/* What all steps so far took. */
typedef struct pl_tally {
  pl_step_report last; /* what the last step took */
  int64_t newton_iterations, linear_iterations, halved_steps, unconverged_steps;
  int64_t substeps, rejected_substeps;
  int64_t matrices, unfinished_solves;
  double worst_residual; /* relative, of all linear solves */
  double seconds, seconds_evaluate, seconds_solve;
  int64_t flights;    /* steps that were divided since something flew far */
  int64_t passes;     /* over all substeps */
  int64_t unresolved; /* substeps that ended though a coupling wanted another pass */
  int warned_unfinished;
  int knows_contacts;    /* what couplings hold of contacts belongs to the state as it is */
  int64_t late_steps;    /* cut short by the time budget, or longer than it */
  int64_t lagging_steps; /* made with less than full effort */
  pl_effort effort;      /* of the next one */
  double tail;           /* s, what recent steps took after their last linear solve */
} pl_tally;

/* Who touched whom when events were asked for last. */
typedef struct pl_touching {
  pl_contact_event *list; /* none of them ends */
  size_t count, room;
} pl_touching;

struct pl_world {
  pl_allocator allocator;
  pl_log log;
  pl_watch watch;
  pl_settings set;
  double gravity[3];
  pl_contact_def contact; /* between bodies; without its response */
  pl_selection response;
  pl_pool *pool;
  char *cache;    /* folder of the store; NULL: none */
  pl_store store; /* of what takes long to compute */

  pl_bodies bodies;
  pl_couplings couplings;
  struct pl_world_ids {
    pl_slots bodies, probes, obstacles, rigid_parts;
  } ids;
  struct pl_probes {
    pl_probe *list;
    size_t count, room;
  } probes;

  pl_layout layout;
  pl_state state, saved, before; /* now; at the beginning of the step, and of the substep */
  struct pl_substep_now {        /* in hand */
    double start, length;        /* s */
    int pass;                    /* how often it is made, from 1 on */
    int is_last;                 /* of its step */
    int is_deferred;             /* the pool gathers passes over blocks */
    pl_fallback fallback;        /* who makes it where a budget cuts it short */
  } substep;

  // made by prepare() when bodies or couplings have changed
  int ready;
  pl_system system;
  pl_integrator *integrator;
  pl_rows rows;
  struct pl_world_vectors {
    double *scratch, *work;
    double *expected;       /* v as an earlier pass found it; NULL: there is one pass */
    double *drag;           /* the system's */
    struct pl_share *share; /* vectors.h; NULL: integrators have vectors of all blocks */
  } vectors;
  pl_answer answer;
  struct pl_partition *partition; /* of the rows over ranks; NULL: all are here */
  pl_block_pairs widened;         /* what the matrix's pattern has for the sake of links */

  pl_tally tally;
  pl_proportion proportion;
  pl_touching touching;
};

/* The body, or NULL; and with an error where there is none. */
const pl_body *pl_world_body(const pl_world *world, pl_body_id id);
pl_body_id pl_world_id_of(const pl_body *body);
pl_status pl_world_find_body(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error);

/* Adds to the error of a failed step, which has been undone, where it failed: the node where most
 * was left, and the element that is crushed most or inside out. */
void pl_world_name_fault(pl_world *world, pl_status status, const pl_step_report *report,
                         pl_error *error);

/* Takes a probe out of the list. */
void pl_world_drop_probe(pl_world *world, size_t index);

/* Takes over a coupling that was made with this status. Where it constrains something, remembers
 * something or couples blocks, the world must be prepared again. */
pl_status pl_world_take(pl_world *world, pl_status status, pl_coupling *coupling, pl_error *error);

/* Lets a pull resist what its nodes do other than when a substep began, by so many N s/m, until it
 * is changed (couple/pull.c). */
pl_status pl_world_steady_pull(pl_world *world, pl_pull_id id, double damping, pl_error *error);

/* Makes room for one more element at the end of the growing array that *array points to. */
pl_status pl_world_one_more(pl_world *world, void *array, size_t count, size_t *room, size_t size,
                            pl_error *error);

/* What every world has, and what a body that keeps its momentum has. */
pl_status pl_world_add_own(pl_world *world, pl_error *error);
/* The response that acts with the integrator, and its coupling where there is something to meet. */
pl_status pl_world_add_response(pl_world *world, pl_error *error);
pl_status pl_world_keep_momentum(pl_world *world, int body, pl_error *error);

/* Hands out all contacts of the last substep, if they are known. */
void pl_world_meetings(pl_world *world, const struct pl_meeting_sink *to);
/* Adds what a step has brought to the probes that sum up. */
void pl_world_sum_probes(pl_world *world);

/* The coupling that keeps bodies out of obstacles; NULL: there are none. */
struct pl_contact;
struct pl_contact *pl_world_contact(const pl_world *world);

/* Sees to it that the solver can do with the body's matrix: takes a more general one where the user
 * named none. */
pl_status pl_world_fit_solver(pl_world *world, const pl_body *body, pl_error *error);

/* The same where several processes compute the world together. */
pl_status pl_world_fit_ranks(pl_world *world, pl_error *error);

/* The constraint filter from all couplings' rows as they are now; what v must be at constrained
 * blocks so that they are where they must be at t + h: the rest of v stays. */
pl_status pl_world_constrain(pl_world *world, pl_error *error);
/* The same with rows over several blocks as they are where q is. */
pl_status pl_world_constrain_at(pl_world *world, const double *q, pl_error *error);
/* Where rows over several blocks change with turning blocks: puts v at the beginning of a substep
 * onto what the rows in its middle allow and constrains the world by these; and v at its end onto
 * what those at the end allow. Nothing elsewhere. */
pl_status pl_world_turn_in(pl_world *world, double h, pl_error *error);
pl_status pl_world_turn_out(pl_world *world, double h, pl_error *error);
void pl_world_prescribe(pl_world *world, double t, double h, const double *q, double *v);

/* The surface point that is nearest to a shape at a place, or deepest in it: negative distance; the
 * normal leads from the surface to the shape. */
struct pl_shape;
pl_status pl_world_nearest_to_shape(const pl_world *world, const struct pl_shape *shape,
                                    const double at[3], pl_hit *hit, pl_error *error);

/* Before a step: puts frames in where bodies touch something, and takes them out again; refines
 * meshes and coarsens them. */
pl_status pl_world_update_models(pl_world *world, pl_error *error);

/* Of a body whose mesh is refined while it moves: another mesh where its indicator asks for one;
 * another model for its forest as it is now (coarser: nodes have gone); and its indicator. */
pl_status pl_world_refine_by_indicator(pl_world *world, int body, pl_error *error);
pl_status pl_world_remesh(pl_world *world, int body, int coarser, pl_error *error);
pl_status pl_world_take_indicator(const pl_refine_def *def, pl_body *body, pl_error *error);
/* The forests as words of 8 bytes, behind a saved state; taking them changes the bodies' blocks. */
size_t pl_world_tree_words(const pl_world *world);
void pl_world_put_trees(const pl_world *world, char *to);
pl_status pl_world_take_trees(pl_world *world, const char *from, pl_error *error);

/* Gives the matrix room for what folding it under the present constraints adds. */
pl_status pl_world_widen(pl_world *world, pl_error *error);

/* Builds matrix, solver, integrator and filter if something has changed since. */
pl_status pl_world_prepare(pl_world *world, pl_error *error);

/* The state without a matrix that is kept over steps: its size does not change with the first
 * step. */
size_t pl_world_bare_size(const pl_world *world);
/* How many bytes a bare state takes that begins with these, of a world with so many tree words; 0:
 * it is none. */
enum { PL_STATE_HEAD = 128 };
size_t pl_world_saved_size(const char first[PL_STATE_HEAD], size_t tree_words);
pl_status pl_world_save_bare(const pl_world *world, void *memory, size_t size, pl_error *error);
/* What the integrator sees of the world; turns: some blocks are rotations. */
const pl_system_ops *pl_world_system_ops(const pl_world *world);
/* With a budget a step that is repeated would take more than its share. */
int pl_world_max_halvings(const pl_world *world);
/* Steps of the integrator from the saved state to dt later, that many equal ones unless step
 * control divides the step. On failure the state may be anything. */
pl_status pl_world_advance(pl_world *world, int parts, pl_step_report *report, pl_error *error);
/* Is the state read and changed in a substep by passes over blocks alone, which the pool may gather
 * (core/thread.h)? */
int pl_world_can_defer(const pl_world *world);
/* Can a coupling ask for another pass, with other constraints than before? */
int pl_world_revises(const pl_world *world);
/* Would smaller steps help? */
int pl_world_can_retry(const pl_world *world, pl_status status);
/* Are these in their ranges, and can the integrator keep the tolerance? */
pl_status pl_world_check_time_budget(double seconds, double tolerance, pl_error *error);
pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_selection *integrator, pl_error *error);
/* Room for looking at elements, and the look after a step, which warns once each of inverted
 * elements and of hourglassing (elements.c). */
pl_status pl_world_watch_create(pl_world *world, pl_error *error);
void pl_world_watch_elements(pl_world *world);
/* Drops what prepare made. */
void pl_world_unprepare(pl_world *world);

#endif
