/* What acts on bodies: fixes, rigid parts, loads, attachments, obstacles, pulls and the tool. All
 * that can be added can be removed while the world runs; an id that was removed is refused from
 * then on.
 *
 *   pl_pull_def def = pl_pull_def_default();
 *   def.at = hit.spot;
 *   pl_world_add_pull(world, &def, &pull, &error);
 *   pl_world_move_pull(world, pull, target, &error);
 *   pl_world_step(world, &error);
 *
 * A function that fails leaves the world as it was. */
#ifndef PLIANT_COUPLING_H
#define PLIANT_COUPLING_H

#include "pliant/body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of what acts on bodies; zero is none. One that was removed is never another's: its number
 * may be given again, with another generation. */
typedef struct pl_fix_id {
  int32_t index1;
  uint32_t generation;
} pl_fix_id;

typedef struct pl_load_id {
  int32_t index1;
  uint32_t generation;
} pl_load_id;

typedef struct pl_effect_id {
  int32_t index1;
  uint32_t generation;
} pl_effect_id;

typedef struct pl_rigid_id {
  int32_t index1;
  uint32_t generation;
} pl_rigid_id;

typedef struct pl_attachment_id {
  int32_t index1;
  uint32_t generation;
} pl_attachment_id;

typedef struct pl_obstacle_id {
  int32_t index1;
  uint32_t generation;
} pl_obstacle_id;

typedef struct pl_pull_id {
  int32_t index1;
  uint32_t generation;
} pl_pull_id;

/* A factor over time: linear between the given times, constant outside; no times: always 1. */
typedef struct pl_ramp {
  int count;
  const double *times, *factors; /* s, 1 */
} pl_ramp;

/* ---- fixes ---- */

/* Nodes that are held, or moved along a path: by the factor s(t) of the ramp, and that of the
 * offset's own ramp, a node at rest position X is carried to centre + turn(axis, s angle) (X + s2
 * offset - centre) + s translation. */
typedef struct pl_fix_def {
  const pl_selector *where; /* which nodes: the union of these */
  int where_count;
  int free_axis[3]; /* 1: the node may move along x, y, z */
  double
      normal[3];   /* not zero: it is held along this direction only, so that it stays in a plane */
  double along[3]; /* not zero: it may move along this direction only, on a straight rail */
  double translation[3], centre[3], axis[3], angle; /* m, m, direction, degrees */
  double offset[3];                                 /* m, turned with the node */
  pl_ramp ramp, offset_ramp;
  uint32_t cookie;
} pl_fix_def;

PL_API pl_fix_def pl_fix_def_default(void);
/* Selecting no node is an error. Of several fixes of a node, the later takes over the directions
 * that it holds. fix may be NULL. */
PL_API pl_status pl_world_add_fix(pl_world *world, pl_body_id body, const pl_fix_def *def,
                                  pl_fix_id *fix, pl_error *error);
PL_API pl_status pl_world_remove_fix(pl_world *world, pl_fix_id fix, pl_error *error);

typedef struct pl_fix_facts {
  int nodes;       /* nodes, or frames, that it holds */
  double force[3]; /* N, that it exerted on the body in the last step: the integrator's own */
} pl_fix_facts;

PL_API pl_status pl_world_read_fix(const pl_world *world, pl_fix_id fix, pl_fix_facts *facts,
                                   pl_error *error);

/* Holds a node where it is now. */
PL_API pl_status pl_world_pin_node(pl_world *world, pl_body_id body, int node, pl_error *error);
/* Frees a node from everything that holds or moves it; released (may be NULL) says whether
 * something did. */
PL_API pl_status pl_world_release_node(pl_world *world, pl_body_id body, int node, int *released,
                                       pl_error *error);

/* ---- rigid parts ---- */

/* Elements that move as one rigid body: freely, about a point or about an axis that stays where it
 * is in space. (What shall move along a path is moved by a fix.) A rigid part has six unknowns,
 * those of a rotation and a point, with every integrator and in statics; it exerts no elastic
 * force, and what is attached to it pulls at it. Added to a body in motion, it takes over the
 * momenta of its nodes. Its nodes can be pulled and loaded, but not fixed. */
typedef enum pl_hinge { PL_HINGE_NONE, PL_HINGE_POINT, PL_HINGE_AXIS } pl_hinge;

typedef struct pl_rigid_def {
  const pl_selector *where; /* elements with all nodes in the union of these */
  int where_count;
  pl_hinge hinge;
  double centre[3], axis[3]; /* m, a point on the axis; direction */
  uint32_t cookie;
} pl_rigid_def;

PL_API pl_rigid_def pl_rigid_def_default(void);
/* Selecting no element is an error. part may be NULL. */
PL_API pl_status pl_world_add_rigid(pl_world *world, pl_body_id body, const pl_rigid_def *def,
                                    pl_rigid_id *part, pl_error *error);
/* Its elements become soft again; its nodes keep their places and velocities. */
PL_API pl_status pl_world_remove_rigid(pl_world *world, pl_rigid_id part, pl_error *error);

typedef struct pl_rigid_facts {
  int nodes, elements;
} pl_rigid_facts;

PL_API pl_status pl_world_read_rigid(const pl_world *world, pl_rigid_id part, pl_rigid_facts *facts,
                                     pl_error *error);

/* ---- attachments ---- */

/* What of a body is attached to another: nodes, or one of its frames as a whole. Springs of length
 * 0 join these to the points of the other body that lie there at rest, or to what one of the
 * other's frames carries to there; they are part of the step's equations, and exert no force or
 * torque on the two together (dampers a torque where a gap is open and turns). */
typedef struct pl_attachment_def {
  pl_body_id to;
  pl_obstacle_id obstacle; /* not zero: to this instead of a body, by springs at nodes */
  int slides; /* 1: the nodes slide along the obstacle's surface, at their distance at rest */
  const pl_selector *where; /* which nodes: the union of these; none where a frame is attached */
  int where_count;
  int frame;    /* the body's frame that is attached, counted from 0; -1: nodes are */
  int to_frame; /* the other's frame that holds; -1: its nodes do */
  double arm;   /* m, how far from its place a frame is held at six points, which resist a turn by
                   2/3 stiffness arm^2; 0: at its place only, so that it may turn; -1: a tenth of
                   the body's size */
  double stiffness; /* N/m, of all springs together; 0: stiff against the body */
  double damping;   /* N s/m, of all together, on the rate at which the points part */
  int exact;       /* 1: a tie in place of springs. The points stay together exactly, by constraints
                      that work with every integrator; then there is no stiffness or damping. The
                      body with the finer mesh should be the one that is attached */
  double breaking; /* N, of all points together: a point is released for good after a step in which
                      its spring pulled by more than its share; 0: never. Not of ties */
  uint32_t cookie;
} pl_attachment_def;

/* What an attachment does now. */
typedef struct pl_attachment_facts {
  int points;
  double force[3]; /* N, on the body that is attached; of ties the mean over the last step, without
                      what fixes or other ties hold already */
  double gap;      /* m, the largest between two points that belong together */
  int broken;      /* points that were released, and count in nothing above */
} pl_attachment_facts;

PL_API pl_attachment_def pl_attachment_def_default(void);
/* attachment may be NULL. */
PL_API pl_status pl_world_add_attachment(pl_world *world, pl_body_id body,
                                         const pl_attachment_def *def, pl_attachment_id *attachment,
                                         pl_error *error);
PL_API pl_status pl_world_remove_attachment(pl_world *world, pl_attachment_id attachment,
                                            pl_error *error);
PL_API pl_status pl_world_read_attachment(const pl_world *world, pl_attachment_id attachment,
                                          pl_attachment_facts *facts, pl_error *error);

/* ---- loads ---- */

typedef struct pl_load_def {
  pl_choice load; /* "force", "traction", "pressure", "shear", "wind" */
  const pl_selector *where;
  int where_count;
  pl_ramp ramp;
  uint32_t cookie;
} pl_load_def;

PL_API pl_load_def pl_load_def_default(void);
/* load may be NULL. */
PL_API pl_status pl_world_add_load(pl_world *world, pl_body_id body, const pl_load_def *def,
                                   pl_load_id *load, pl_error *error);
PL_API pl_status pl_world_remove_load(pl_world *world, pl_load_id load, pl_error *error);

/* ---- effects ---- */

/* What acts on a whole body and is described by its parameters alone: a member of the family
 * "effect", as "attraction". Its numbers may be changed while the world runs. effect may be NULL.
 */
PL_API pl_status pl_world_add_effect(pl_world *world, pl_body_id body, const pl_choice *choice,
                                     pl_effect_id *effect, pl_error *error);
PL_API pl_status pl_world_set_effect(pl_world *world, pl_effect_id effect,
                                     const pl_setting *setting, pl_error *error);
PL_API pl_status pl_world_remove_effect(pl_world *world, pl_effect_id effect, pl_error *error);
/* Its member, and the value of one of its parameters in value[3] (value NULL: not asked for). */
PL_API pl_status pl_world_read_effect(const pl_world *world, pl_effect_id effect,
                                      const pl_member **member, const char *parameter,
                                      double value[3], pl_error *error);

/* ---- links ---- */

/* A force along the line between a point of a body and a point of another, by a law of the family
 * "link": "spring", "magnet". The points are its parameters "at" and "to-at", places in the bodies
 * at rest. A link is read, changed and removed as an effect, whose id it has. link may be NULL. */
PL_API pl_status pl_world_add_link(pl_world *world, pl_body_id body, pl_body_id to,
                                   const pl_choice *choice, pl_effect_id *link, pl_error *error);

typedef struct pl_link_facts {
  pl_body_id bodies[2];
  double ends[2][3]; /* where its points are now, m */
  double length;     /* of the way between them, m */
  double rate;       /* at which it grows, m/s */
  double tension;    /* N, positive: it draws them together */
} pl_link_facts;

/* link_at: the index-th of all links, from 0 on; an id of 0 where there are not so many. */
PL_API pl_effect_id pl_world_link_at(const pl_world *world, int index);
PL_API pl_status pl_world_read_link(const pl_world *world, pl_effect_id link, pl_link_facts *facts,
                                    pl_error *error);

/* ---- a program's own forces ---- */

/* Forces on the nodes of a body, N, 3 for each in the mesh's order: they act from now on until they
 * are set again. They are copied, and no part of a saved state. NULL: none any more. */
PL_API pl_status pl_world_set_forces(pl_world *world, pl_body_id body, const double *forces,
                                     pl_error *error);

/* Forces that depend on where the nodes of a body are, on how they move and on time. evaluate adds
 * them to forces, N, 3 per node in the mesh's order as all arrays; slopes is NULL or gets for each
 * node the derivative of its force by its position, N/m, 9 numbers row after row (its symmetric
 * part counts): left at 0, the forces are treated explicitly. It is called for every evaluation of
 * the integrator, in the thread that steps, and must give the same for the same. What is not finite
 * fails the step. Not called after the body is gone. */
typedef struct pl_force_field {
  void (*evaluate)(void *context, double time, const double *positions, const double *velocities,
                   double *forces, double *slopes);
  void *context;
} pl_force_field;

/* Beside what pl_world_set_forces says; NULL: none any more. Copied; context is kept. */
PL_API pl_status pl_world_set_force_field(pl_world *world, pl_body_id body,
                                          const pl_force_field *field, pl_error *error);

/* ---- obstacles ---- */

/* A part of an obstacle that is a union: another shape, that deep inside it; 1: directly. */
typedef struct pl_part_def {
  pl_choice shape;
  const pl_mesh *mesh; /* of a "mesh"; copied */
  int depth;
} pl_part_def;

/* Where an obstacle is to be at a time, against where it was made. */
typedef struct pl_motion_key {
  double time;                        /* s */
  double translation[3], rotation[3]; /* m; degrees: about this vector by its length */
} pl_motion_key;

/* One motion of an obstacle. */
typedef struct pl_motion_def {
  pl_choice motion;          /* "velocity", "rotation", "oscillation", "keyframes" */
  const pl_motion_key *keys; /* of keyframes, in ascending order of time; copied */
  int key_count;
} pl_motion_def;

/* Something rigid that all bodies' nodes may touch but not enter. Held nodes are not asked. */
typedef struct pl_obstacle_def {
  const char *name; /* NULL: "obstacle" */
  /* "plane", "sphere", ... with its settings; beside them those of its surface: "friction" and
   * "static-friction", Coulomb's coefficients while a node slides and while it sticks (the same if
   * not given), and "restitution", the part of its normal velocity with which a node bounces,
   * and "margin", the distance that nodes keep from it, m. */
  pl_choice shape;
  const pl_mesh *mesh; /* of shape "mesh": triangles, or the boundary of elements; copied */
  int columns, rows;   /* of shape "heightfield": heights row after row along x; copied */
  const double *heights;
  const pl_part_def *parts; /* of a union, each after the one that it is inside of */
  int part_count;
  const pl_motion_def *motions; /* one after the other; none: it stays until it is moved */
  int motion_count;
  uint32_t cookie;
} pl_obstacle_def;

PL_API pl_obstacle_def pl_obstacle_def_default(void);
/* obstacle may be NULL. */
PL_API pl_status pl_world_add_obstacle(pl_world *world, const pl_obstacle_def *def,
                                       pl_obstacle_id *obstacle, pl_error *error);
PL_API pl_status pl_world_remove_obstacle(pl_world *world, pl_obstacle_id obstacle,
                                          pl_error *error);

/* The next step carries the obstacle to this place, at constant velocity, and what lies on it with
 * it: m and degrees (about the vector, by its length) against where it was made. It stays there
 * until it is moved on. Where it is belongs to the state. An obstacle with motions of its own is
 * refused. */
PL_API pl_status pl_world_move_obstacle(pl_world *world, pl_obstacle_id obstacle,
                                        const double translation[3], const double rotation[3],
                                        pl_error *error);

/* The obstacle's surface from now on: Coulomb's coefficients while a node slides and while it
 * sticks (at least as large), and the part of its normal velocity with which a node bounces. */
PL_API pl_status pl_world_set_friction(pl_world *world, pl_obstacle_id obstacle, double friction,
                                       double static_friction, double restitution, pl_error *error);

typedef struct pl_obstacle_facts {
  double translation[3], rotation[3]; /* m, degrees: against where it was made, at this time */
  double velocity[3], spin[3];        /* m/s at its origin, rad/s */
  double force[3];                    /* N, that it exerted on all bodies in the last substep */
  int nodes;                          /* that touched it then */
} pl_obstacle_facts;

PL_API pl_status pl_world_read_obstacle(const pl_world *world, pl_obstacle_id obstacle,
                                        pl_obstacle_facts *facts, pl_error *error);

/* ---- contact between bodies ---- */

/* Bodies keep out of obstacles and apart from each other, and from themselves where that is asked
 * for (pl_body_def.self_contact). Bodies that are attached to each other do not touch each other.
 */
typedef struct pl_contact_def {
  int between_bodies; /* 0: they pass through each other, and through themselves */
  double friction;    /* coefficient between bodies; obstacles have their own */
  double range;       /* m, at which the force begins; 0: 1/1000 of the scene's size or a quarter of
                         the surfaces' mean edge, whichever is less */
  double stiffness;   /* factor on that of the force, which is chosen by moduli and masses */
  double passes;      /* most passes over the contacts of a substep, a count: few are quick, and
                         friction and who touches may lag; 0: until they are right */
  pl_choice response; /* what keeps them apart: a member of the family "response" */
  uint32_t cookie;
} pl_contact_def;

/* Between all bodies, friction 0.3, range and stiffness as chosen, response "auto". */
PL_API pl_contact_def pl_contact_def_default(void);
PL_API pl_status pl_world_set_contact(pl_world *world, const pl_contact_def *def, pl_error *error);

/* ---- pulls ---- */

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
  double max_force;      /* N, the spring pulls no harder; 0: there is no limit */
  double force[3];       /* N, on the point beside the spring's, until it lets go       */
  uint32_t cookie;
} pl_pull_def;

/* 1000 N/m without damping, limit, force, motion or end. */
PL_API pl_pull_def pl_pull_def_default(void);

PL_API pl_status pl_world_add_pull(pl_world *world, const pl_pull_def *def, pl_pull_id *pull,
                                   pl_error *error);
PL_API pl_status pl_world_move_pull(pl_world *world, pl_pull_id pull, const double target[3],
                                    pl_error *error);
/* Gives it other numbers, another point or another body; on error it is as before. */
PL_API pl_status pl_world_change_pull(pl_world *world, pl_pull_id pull, const pl_pull_def *def,
                                      pl_error *error);
PL_API pl_status pl_world_remove_pull(pl_world *world, pl_pull_id pull, pl_error *error);

/* Where the pulled point is now, its velocity, and the force on it (spring, damping, own), N. */
typedef struct pl_pull_facts {
  double position[3], target[3], force[3], velocity[3];
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

#ifdef __cplusplus
}
#endif
#endif
