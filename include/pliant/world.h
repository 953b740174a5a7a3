/* The world: bodies, what holds and loads them, and the step that moves them.
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

#include "pliant/base.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world pl_world;

/* Numbers of a body and a probe; zero is none. */
typedef struct pl_body_id {
  int32_t index1;
} pl_body_id;

typedef struct pl_probe_id {
  int32_t index1;
} pl_probe_id;

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

typedef struct pl_attachment_id {
  int32_t index1;
  uint32_t generation;
} pl_attachment_id;

typedef struct pl_obstacle_id {
  int32_t index1;
  uint32_t generation;
} pl_obstacle_id;

/* ---- the world ---- */

typedef struct pl_world_def {
  double dt;         /* time step, s */
  double gravity[3]; /* m/s^2 */
  int budget;   /* most iterations of the linear solver in a step, for hard real time: then what it
                   has counts, and its residual is told by pl_world_measure; steps are not made
                   again. 0: no limit */
  int halvings; /* a step that fails is made again with half the step, so often at most; 0: never,
                   for real time, and what Newton's method has after its last iteration counts */
  double tolerance; /* m; steps are divided so that each part's estimated RMS error of positions
                       stays below this; 0: they are not divided */
  pl_choice integrator, solver, preconditioner;
  int threads;       /* 0: one per processor; the results do not depend on it */
  const char *cache; /* folder that keeps frames' weights for the next time, made where it is not
                        there; what cannot be used there is made anew; NULL: none */
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

/* ---- bodies ---- */

typedef struct pl_material_def {
  pl_choice law;
  double density;           /* kg/m^3                                                             */
  double viscous_lambda;    /* Pa s, moduli of the strain rate (Kelvin-Voigt); a rigid motion is  */
  double viscous_mu;        /*       never damped by them                                         */
  double stiffness_damping; /* s, adds this times lambda and mu to the viscous moduli             */
  double mass_damping;      /* 1/s, drags every node back: damps rigid motion as well             */
  uint32_t cookie;
} pl_material_def;

/* Hooke's law without its moduli, 1000 kg/m^3, no damping. */
PL_API pl_material_def pl_material_def_default(void);

/* A part of a body; count may be 0. */
typedef struct pl_site_region {
  const pl_selector *where;
  int count;
} pl_site_region;

/* Elements of a body that are made of something else, of any law; later parts win. */
typedef struct pl_body_part {
  const pl_selector *where; /* elements whose middle lies in the union of these */
  int where_count;
  pl_material_def material;
} pl_body_part;

/* Grey values in space, such as a stack of slices: size[0] x size[1] x size[2] cuboids with x
 * running first, the first with its least corner at the origin. */
typedef struct pl_stack {
  int size[3];
  const double *values;
  double full;                /* the value that counts as 1 */
  double origin[3], voxel[3]; /* m: the least corner; sizes of a cuboid */
} pl_stack;

/* Density or stiffness that changes through a body: what the material says times a factor. Every
 * element takes the factor's mean over its volume at rest. */
typedef enum pl_mapped { PL_MAPPED_STIFFNESS, PL_MAPPED_DENSITY, PL_MAPPED_BOTH } pl_mapped;

typedef struct pl_map_def {
  pl_mapped of;
  pl_choice map;         /* "ramp", "radial" or "image" with its values */
  const pl_stack *image; /* for the last */
  double (*at)(void *context, const double point[3]); /* used in their place if not NULL: the factor
                                                         at a point of the rest shape */
  void *context;
} pl_map_def;

/* A node that hangs on others, as where small elements meet large ones: it moves as the sum of its
 * parents' positions times their weights, and what pulls at it pulls at them. At rest it must be
 * there (to 1e-6 of the distance to its parents). Parents may hang themselves, but not in a circle;
 * in the end a node may depend on at most 80 others. Its mass goes to its parents. */
typedef struct pl_hanging_node {
  int node, count;       /* in the mesh; of its parents, at least 1 */
  const int *parents;    /* nodes of the mesh */
  const double *weights; /* one for each, summing to 1 (to 1e-9) */
} pl_hanging_node;

typedef struct pl_body_def {
  const char *name;    /* NULL: "body" */
  const pl_mesh *mesh; /* copied */
  pl_material_def material;
  const pl_body_part *parts; /* where it is made of something else */
  int part_count;
  const pl_map_def *maps; /* factors of density and stiffness; several are multiplied */
  int map_count;
  pl_choice model;    /* "fem" with its strain measure and mass */
  double velocity[3]; /* at the start, m/s */
  double spin[3];     /* angular velocity about the mass centre at the start, rad/s */
  int keep_momentum;  /* after each step, a body that nothing holds gets the momenta that external
                         forces give it: mends vertex warping's ghost forces and the spin that
                         integrators lose */
  const double
      *sites; /* 3 per place, copied: where the model shall put its frames; NULL: it chooses */
  int site_count;
  const pl_site_region *site_regions; /* site_count of them: what each frame moves alone, so that it
                                         stays rigid; NULL: nothing in particular */
  double insert_reach; /* m; > 0: frames are put in where the body touches obstacles, acting so far,
                          and taken out when no longer needed */
  const pl_mesh *surface; /* finer triangles (or the boundary of finer elements) that follow the
                             body and are shown in its place; copied; NULL: none */
  const pl_hanging_node *hanging; /* copied; not for models of frames */
  int hanging_count;
  uint32_t cookie;
} pl_body_def;

PL_API pl_body_def pl_body_def_default(void);

PL_API pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *body,
                                   pl_error *error);
PL_API int pl_world_body_count(const pl_world *world);
PL_API pl_body_id pl_world_body_at(const pl_world *world, int index);
PL_API const char *pl_world_body_name(const pl_world *world, pl_body_id body);
PL_API const pl_mesh *pl_world_body_mesh(const pl_world *world, pl_body_id body);

/* The triangles that follow a body, at rest; NULL: it has none. */
PL_API const pl_mesh *pl_world_body_surface(const pl_world *world, pl_body_id body);

/* ---- what holds and loads a body ---- */

/* A factor over time: linear between the given times, constant outside; no times: always 1. */
typedef struct pl_ramp {
  int count;
  const double *times, *factors; /* s, 1 */
} pl_ramp;

/* Nodes that are held, or moved as told: by the factor s(t) of the ramp, and that of the offset's
 * own ramp, a node at rest position X is carried to
 * centre + turn(axis, s angle) (X + s2 offset - centre) + s translation. */
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

/* Elements that move as one rigid body: freely, about a point or about an axis that stays where it
 * is in space. (What shall move as told is moved by a fix.) A rigid part has six unknowns, those of
 * a rotation and a point, with every integrator and in statics; it exerts no elastic force, and
 * what is attached to it pulls at it. Added to a body in motion, it takes over the momenta of its
 * nodes. Its nodes can be pulled and loaded, but not fixed. */
typedef enum pl_hinge { PL_HINGE_NONE, PL_HINGE_POINT, PL_HINGE_AXIS } pl_hinge;

typedef struct pl_rigid_def {
  const pl_selector *where; /* elements with all nodes in the union of these */
  int where_count;
  pl_hinge hinge;
  double centre[3], axis[3]; /* m, a point on the axis; direction */
  uint32_t cookie;
} pl_rigid_def;

PL_API pl_rigid_def pl_rigid_def_default(void);
/* elements (may be NULL) receives the number of elements; selecting none is an error. */
PL_API pl_status pl_world_add_rigid(pl_world *world, pl_body_id body, const pl_rigid_def *def,
                                    int *elements, pl_error *error);

/* What of a body is attached to another: nodes, or one of its frames as a whole. Springs of length
 * 0 join these to the points of the other body that lie there at rest, or to what one of the
 * other's frames carries to there; they are part of the step's equations, and exert no force or
 * torque on the two together (dampers a torque where a gap is open and turns). */
typedef struct pl_attachment_def {
  pl_body_id to;
  const pl_selector *where; /* which nodes: the union of these; none where a frame is attached */
  int where_count;
  int frame;    /* the body's frame that is attached, counted from 0; -1: nodes are */
  int to_frame; /* the other's frame that holds; -1: its nodes do */
  double arm;   /* m, how far from its place a frame is held at six points, which resist a turn by
                   2/3 stiffness arm^2; 0: at its place only, so that it may turn; -1: a tenth of
                   the body's size */
  double stiffness; /* N/m, of all springs together; 0: stiff against the body */
  double damping;   /* N s/m, of all together, on the rate at which the points part */
  uint32_t cookie;
} pl_attachment_def;

PL_API pl_attachment_def pl_attachment_def_default(void);
/* attachment may be NULL. */
PL_API pl_status pl_world_add_attachment(pl_world *world, pl_body_id body,
                                         const pl_attachment_def *def, pl_attachment_id *attachment,
                                         pl_error *error);
PL_API pl_status pl_world_remove_attachment(pl_world *world, pl_attachment_id attachment,
                                            pl_error *error);

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

/* Something rigid that all bodies' nodes may touch but not enter. Held nodes are not asked. */
typedef struct pl_obstacle_def {
  const char *name; /* NULL: "obstacle" */
  pl_choice shape;  /* "plane" with its point, normal and friction */
  uint32_t cookie;
} pl_obstacle_def;

PL_API pl_obstacle_def pl_obstacle_def_default(void);
/* obstacle may be NULL. */
PL_API pl_status pl_world_add_obstacle(pl_world *world, const pl_obstacle_def *def,
                                       pl_obstacle_id *obstacle, pl_error *error);
PL_API pl_status pl_world_remove_obstacle(pl_world *world, pl_obstacle_id obstacle,
                                          pl_error *error);

/* ---- stepping ---- */

/* Advances by dt. On failure positions, velocities and time are what they were before. */
PL_API pl_status pl_world_step(pl_world *world, pl_error *error);
/* Who is asked during steps from now on; NULL: nobody. A step that is cancelled ends with
 * PL_E_CANCELLED, and the world is what it was before. */
PL_API void pl_world_set_watcher(pl_world *world, const pl_watcher *watcher);
PL_API double pl_world_time(const pl_world *world);
PL_API double pl_world_dt(const pl_world *world);

/* ---- looking ---- */

/* Positions and velocities, 3 per node in the mesh's order; m, m/s. Where they are set rigid parts
 * take the place and the motion nearest to those of their nodes (with their momenta), and hanging
 * nodes follow others; bodies of frames refuse. */
PL_API pl_status pl_world_get_positions(const pl_world *world, pl_body_id body, double *positions,
                                        pl_error *error);
PL_API pl_status pl_world_get_velocities(const pl_world *world, pl_body_id body, double *velocities,
                                         pl_error *error);
PL_API pl_status pl_world_set_positions(pl_world *world, pl_body_id body, const double *positions,
                                        pl_error *error);
PL_API pl_status pl_world_set_velocities(pl_world *world, pl_body_id body, const double *velocities,
                                         pl_error *error);

/* What the points of the body's surface have of a field of its nodes, of so many numbers each: of
 * positions, where they are. A single number each stays between the least and the largest of the
 * nodes. */
PL_API pl_status pl_world_follow(const pl_world *world, pl_body_id body, int numbers,
                                 const double *nodal, double *points, pl_error *error);

/* Per element: von Mises stress in Pa and the local volume ratio det F; either may be NULL. */
PL_API pl_status pl_world_get_stress(pl_world *world, pl_body_id body, double *von_mises,
                                     double *volume_ratio, pl_error *error);

/* Per element: equivalent strain (of Green's strain, without unit) and elastic energy density in
 * J/m^3; either may be NULL. Zeros for models that know no strain in a point, such as springs. */
PL_API pl_status pl_world_get_strain(pl_world *world, pl_body_id body, double *strain,
                                     double *energy_density, pl_error *error);

/* Per element 9 numbers each, row after row, means over its points: the deformation gradient dx/dX
 * and the Cauchy stress in Pa, symmetric and positive in tension; either may be NULL. Zeros for
 * models that know no strain in a point. */
PL_API pl_status pl_world_get_tensors(pl_world *world, pl_body_id body, double *gradient,
                                      double *stress, pl_error *error);

/* Per node, 3 numbers each, N: the elastic and viscous forces that it feels, and the forces from
 * outside without weight: loads, pulls, attachments, the tool, drag, friction, and where it is held
 * the force that holds it (as if it did not accelerate). Either may be NULL. Not for models whose
 * unknowns are not the nodes. */
PL_API pl_status pl_world_get_forces(pl_world *world, pl_body_id body, double *inner, double *outer,
                                     pl_error *error);

typedef struct pl_probe_def {
  const char *name;     /* NULL: "probe" */
  pl_body_id body;      /* zero: the whole world, where the quantity is not one of a point */
  double at[3];         /* a point of the body at rest, m; where the quantity is one of a point */
  const char *quantity; /* a member of the quantity family, for example "displacement"          */
  uint32_t cookie;
} pl_probe_def;

PL_API pl_probe_def pl_probe_def_default(void);
PL_API pl_status pl_world_add_probe(pl_world *world, const pl_probe_def *def, pl_probe_id *probe,
                                    pl_error *error);
PL_API int pl_world_probe_count(const pl_world *world);
PL_API pl_probe_id pl_world_probe_at(const pl_world *world, int index);
PL_API const char *pl_world_probe_name(const pl_world *world, pl_probe_id probe);
PL_API const char *pl_world_probe_quantity(const pl_world *world, pl_probe_id probe);
PL_API const char *pl_world_probe_unit(const pl_world *world, pl_probe_id probe);
PL_API int pl_world_probe_width(const pl_world *world, pl_probe_id probe); /* 1 or 3 */
PL_API pl_status pl_world_read_probe(pl_world *world, pl_probe_id probe, double value[3],
                                     pl_error *error);

/* What all steps so far took and where the world stands. */
typedef struct pl_world_facts {
  int64_t steps, newton_iterations, linear_iterations;
  int64_t matrices;                 /* that were assembled */
  int64_t factorisations;           /* complete ones, by a direct solver */
  int64_t border_solves;            /* its back-substitutions for constraints that came */
  int64_t unfinished_solves;        /* linear solves that used up their iterations */
  double worst_linear_residual;     /* relative, of all linear solves that were used */
  int64_t halved_steps;             /* that failed and were made again with smaller ones */
  int64_t unconverged_steps;        /* that counted though Newton's method had not converged */
  int64_t parts, rejected_parts;    /* steps of the integrator; those that step control undid */
  double time;                      /* simulated, s                                     */
  double seconds, seconds_evaluate; /* wall time of all steps; of forces and matrices   */
  double seconds_solve;             /* of linear solves                                 */
  double kinetic_energy, elastic_energy, gravity_energy; /* J; the last is zero at the origin */
  double least_volume_ratio; /* least det F over all elements now                */
  double critical_dt;        /* s, largest stable step of an explicit method, about; 0: no limit */
  double linear_residual;    /* relative, of the last solve                      */
  double newton_residual;    /* N, at the end of the last step                   */
  int nodes, elements, held_nodes, threads;
  int64_t matrix_blocks;
} pl_world_facts;

PL_API pl_status pl_world_measure(pl_world *world, pl_world_facts *facts, pl_error *error);

/* Equal hash: the same time, positions and velocities, bit for bit. */
PL_API uint64_t pl_world_state_hash(const pl_world *world);

#ifdef __cplusplus
}
#endif
#endif
