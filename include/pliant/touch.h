/* Touching a world while it runs: what lies under a ray, springs that pull at a surface, pins,
 * values that change between two steps, and going back to an earlier state.
 *
 *   pl_world_pick(world, eye, direction, &hit, &error);
 *   pl_pull_def def = pl_pull_def_default();
 *   def.at = hit.spot;
 *   pl_world_add_pull(world, &def, &pull, &error);
 *   pl_world_move_pull(world, pull, target, &error);
 *   pl_world_step(world, &error);
 *
 * A function that fails leaves the world as it was. */
#ifndef PLIANT_TOUCH_H
#define PLIANT_TOUCH_H

#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- points of a body ---- */

/* A point that moves with a body: a weighted sum of nodes of one element (weights add up to 1). */
typedef struct pl_spot {
  pl_body_id body;
  int count; /* 1 to 8 */
  int nodes[8];
  double weights[8];
} pl_spot;

/* The point of a body that lies at a place of the rest shape, or nearest to it. */
PL_API pl_status pl_world_find_spot(const pl_world *world, pl_body_id body, const double at[3],
                                    pl_spot *spot, pl_error *error);

/* What a ray meets first. */
typedef struct pl_hit {
  pl_spot spot;     /* body zero: the ray meets nothing     */
  int face;         /* number of the face in the body's mesh */
  double distance;  /* m from the origin                     */
  double point[3];  /* m                                     */
  double normal[3]; /* outwards, of length 1                 */
} pl_hit;

/* Looks along the ray for the nearest surface as it is now. The direction's length does not matter.
 */
PL_API pl_status pl_world_pick(const pl_world *world, const double origin[3],
                               const double direction[3], pl_hit *hit, pl_error *error);

/* ---- pulls ---- */

typedef struct pl_pull_id {
  int32_t index1;
  uint32_t generation;
} pl_pull_id;

/* A spring between a point of a body and a target in space. It is part of the step's equations, so
 * that an implicit integrator stays stable however stiff it is. */
typedef struct pl_pull_def {
  pl_spot at;
  double target[3];      /* m                                                  */
  double translation[3]; /* m, of the target by the factor of the ramp; all 0: it stays */
  pl_ramp ramp;          /* copied                                              */
  double until;          /* s, when it lets go                                  */
  double stiffness;      /* N/m                                                */
  double damping;        /* N s/m, on the point's velocity                     */
  double most_force;     /* N, the spring pulls no harder; 0: there is no limit */
  uint32_t cookie;
} pl_pull_def;

/* 1000 N/m without damping, limit, motion or end. */
PL_API pl_pull_def pl_pull_def_default(void);

PL_API pl_status pl_world_add_pull(pl_world *world, const pl_pull_def *def, pl_pull_id *pull,
                                   pl_error *error);
PL_API pl_status pl_world_move_pull(pl_world *world, pl_pull_id pull, const double target[3],
                                    pl_error *error);
PL_API pl_status pl_world_remove_pull(pl_world *world, pl_pull_id pull, pl_error *error);

/* Where the pulled point is now, and the force on it (spring and damping), N. */
typedef struct pl_pull_facts {
  double position[3], target[3], force[3];
} pl_pull_facts;

PL_API pl_status pl_world_read_pull(const pl_world *world, pl_pull_id pull, pl_pull_facts *facts,
                                    pl_error *error);

/* ---- the tool ---- */

/* A sphere that pushes away the nodes inside it, each by a spring along its normal: part of the
 * step's equations, as pulls are. A world has one or none. */
typedef struct pl_tool_def {
  double centre[3], radius; /* m */
  double stiffness;         /* N/m, of each node's spring */
  uint32_t cookie;
} pl_tool_def;

/* At the origin, 0.1 m, 1000 N/m. */
PL_API pl_tool_def pl_tool_def_default(void);

/* Brings, moves or changes the tool; NULL takes it away. */
PL_API pl_status pl_world_set_tool(pl_world *world, const pl_tool_def *def, pl_error *error);
/* The force that it exerts on the bodies, N, and the number of nodes that it touches; either may be
 * NULL. */
PL_API void pl_world_read_tool(const pl_world *world, double force[3], int *touched);

/* Gives a body that nothing holds this mean velocity, m/s; how it spins and vibrates stays as it
 * is. Nothing happens to a body that is held somewhere. */
PL_API pl_status pl_world_throw(pl_world *world, pl_body_id body, const double velocity[3],
                                pl_error *error);

/* ---- pins ---- */

/* Holds a node where it is now. */
PL_API pl_status pl_world_pin_node(pl_world *world, pl_body_id body, int node, pl_error *error);
/* Frees a node from everything that holds or moves it; released (may be NULL) tells whether
 * something did. */
PL_API pl_status pl_world_release_node(pl_world *world, pl_body_id body, int node, int *released,
                                       pl_error *error);
/* Per node of the mesh: bits 1, 2, 4 where it is held along x, y, z, or partly so. */
PL_API pl_status pl_world_get_held(const pl_world *world, pl_body_id body, unsigned char *held,
                                   pl_error *error);

/* ---- changing values between two steps ---- */

PL_API pl_status pl_world_set_dt(pl_world *world, double dt, pl_error *error);
PL_API pl_status pl_world_set_gravity(pl_world *world, const double gravity[3], pl_error *error);
/* What a step may cost, and what is done about steps that fail and about their errors: as in
 * pl_world_def. */
PL_API pl_status pl_world_set_control(pl_world *world, int budget, int halvings, double tolerance,
                                      pl_error *error);
PL_API pl_status pl_world_set_integrator(pl_world *world, const pl_choice *integrator,
                                         pl_error *error);
PL_API pl_status pl_world_set_solver(pl_world *world, const pl_choice *solver,
                                     const pl_choice *preconditioner, pl_error *error);
/* The body keeps its shape and velocity; its mass follows the density. */
PL_API pl_status pl_world_set_material(pl_world *world, pl_body_id body, const pl_material_def *def,
                                       pl_error *error);

/* ---- going back ---- */

/* Bytes that the state takes (they depend on the integrator and on what acts on the bodies), and
 * the state itself: time, positions, velocities, and what integrator and couplings remember, so
 * that a run goes on with the same bits, in another process as well. It fits the world it was taken
 * from, or one made alike; another integrator than then starts without a memory, and so do
 * couplings where they are others. Where an integrator keeps its matrix over steps
 * (matrix = "kept") a new one is made after loading, and such a run goes on to within Newton's
 * tolerance. It carries a checksum: damaged bytes are refused. */
PL_API size_t pl_world_state_size(const pl_world *world);
PL_API pl_status pl_world_save_state(const pl_world *world, void *memory, size_t size,
                                     pl_error *error);
PL_API pl_status pl_world_load_state(pl_world *world, const void *memory, size_t size,
                                     pl_error *error);

/* ---- frames that come and go ---- */

/* How many frames the body has; 0: it is not made of frames. */
PL_API int pl_world_frame_count(const pl_world *world, pl_body_id body);

/* Puts a frame in at a point of the deformed body. It moves what is within reach (m, as a way
 * through the body), and starts where that changes the shape least. Its number comes after all
 * others. */
PL_API pl_status pl_world_insert_frame(pl_world *world, pl_body_id body, const double point[3],
                                       double reach, int *frame, pl_error *error);

/* Takes out a frame that was put in. jump (may be NULL): how far this moved any node, m. */
PL_API pl_status pl_world_remove_frame(pl_world *world, pl_body_id body, int frame, double *jump,
                                       pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
