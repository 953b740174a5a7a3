/* What can be read of a world: fields of a body, what a ray meets, probes, what steps took. */
#ifndef PLIANT_QUERY_H
#define PLIANT_QUERY_H

#include "pliant/coupling.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fields of a body ---- */

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

/* For a renderer: positions in m, and normals of length 1 that point outwards (means over the faces
 * around, weighted by area; 0 0 0 where there is none), as 3 floats for each point of the body's
 * surface, or for each node where it has none; either may be NULL. stride: so many floats from one
 * vertex to the next; 0: 3. Triangles are those of pl_world_body_surface, or the mesh's faces. */
PL_API pl_status pl_world_get_vertices(const pl_world *world, pl_body_id body, int stride,
                                       float *positions, float *normals, pl_error *error);

/* ---- views ---- */

/* A body's numbers where the library keeps them, without a copy. Positions and velocities of bodies
 * whose unknowns are the nodes (those of models fem, springs, cloth and rod without rigid parts and
 * hanging nodes) are the state itself and change with every step; forces and stress, and all
 * numbers of other bodies, are those of the last pl_world_refresh_view. Nodes stand in the
 * library's order. The memory stays until the view is destroyed, even if the world is: but what
 * stands in it is of use only as long as pl_view_holds, that is until bodies or what constrains
 * them come or go, or another integrator. A view may be destroyed by any thread. */
typedef struct pl_view pl_view;

typedef struct pl_view_arrays {
  int node_count, element_count;
  const double *positions, *velocities; /* m, m/s; 3 per node */
  const double *forces; /* N, 3 per node: elastic and viscous ones; NULL: not known, see above */
  const double *stress; /* Pa, 9 per element in the mesh's order: Cauchy's */
  const int *order;     /* the mesh's number of each node */
  int is_live;          /* positions and velocities are the state itself */
} pl_view_arrays;

PL_API pl_status pl_world_view_body(pl_world *world, pl_body_id body, pl_view **view,
                                    pl_error *error);
PL_API void pl_view_read(const pl_view *view, pl_view_arrays *arrays);
/* 1: the arrays are those of the world as it is. */
PL_API int pl_view_holds(const pl_view *view, const pl_world *world);
PL_API pl_status pl_world_refresh_view(pl_world *world, pl_view *view, pl_error *error);
PL_API void pl_view_destroy(pl_view *view); /* NULL is fine */

/* ---- fields of elements and forces ---- */

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

/* Per node, 3 numbers each, N: what fixes exert on it, and what contact does (normal forces and
 * friction of obstacles and of other bodies), in the last step. Either may be NULL. Not for models
 * whose unknowns are not the nodes. */
PL_API pl_status pl_world_get_reactions(pl_world *world, pl_body_id body, double *fix,
                                        double *contact, pl_error *error);

/* Per node of the mesh: bits 1, 2, 4 where it is held along x, y, z, or partly so. */
PL_API pl_status pl_world_get_held(const pl_world *world, pl_body_id body, unsigned char *held,
                                   pl_error *error);

/* ---- contacts ---- */

/* Where a body touches an obstacle, another body or itself. */
typedef struct pl_contact_point {
  pl_body_id body;         /* on which the force acts                                 */
  pl_body_id other;        /* the body that exerts it; zero: an obstacle does         */
  pl_obstacle_id obstacle; /* zero: a body does                                       */
  double point[3];         /* m, half-way between both surfaces                       */
  double normal[3];        /* of length 1, from the other to the body                 */
  double gap;              /* m, between the surfaces; negative: inside               */
  double force[3];         /* N, normal force and friction; the other feels -force    */
  double slip[3];          /* m/s, velocity against the other along the surface       */
} pl_contact_point;

/* All contacts with a force in the last substep: *count is how many there are, of which the first
 * `room` are filled in; contacts may be NULL where room is 0. Their order does not depend on the
 * number of threads. There are none before the first step, and none after a state was loaded or the
 * world was changed, until the next step. */
PL_API pl_status pl_world_contacts(pl_world *world, int room, pl_contact_point *contacts,
                                   int *count, pl_error *error);

/* What happened between a body and what it touches. */
typedef enum pl_contact_phase {
  PL_CONTACT_BEGINS, /* they touch, and did not when it was asked last */
  PL_CONTACT_LASTS,  /* they still touch                               */
  PL_CONTACT_ENDS    /* they touch no longer                           */
} pl_contact_phase;

/* A body and another body (or itself), or a body and an obstacle. */
typedef struct pl_contact_event {
  pl_contact_phase phase;
  pl_body_id body;         /* of two bodies the one that was added first     */
  pl_body_id other;        /* zero: an obstacle is touched                   */
  pl_obstacle_id obstacle; /* zero: a body is touched                        */
  int points;              /* that touch; 0 where contact ends               */
  double force[3];         /* N on the body, of all points; 0 0 0 at the end */
} pl_contact_event;

/* What touches now, what has begun to touch and what has ceased to since the last call (or since
 * the world was made): call it after every step, or after some. *count is how many events there
 * are, of which the first `room` are filled in; the world takes note of all of them. What is gone
 * from the world ends without an event. Their order does not depend on the number of threads. */
PL_API pl_status pl_world_contact_events(pl_world *world, int room, pl_contact_event *events,
                                         int *count, pl_error *error);

/* ---- what a ray meets, and what is nearest ---- */

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
/* The point of all surfaces that is nearest to a point in space; the distance is negative where
 * that is inside. */
PL_API pl_status pl_world_nearest(const pl_world *world, const double to[3], pl_hit *hit,
                                  pl_error *error);

/* ---- probes ---- */

/* Number of a probe; zero is none. */
typedef struct pl_probe_id {
  int32_t index1;
  uint32_t generation;
} pl_probe_id;

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
PL_API pl_status pl_world_remove_probe(pl_world *world, pl_probe_id probe, pl_error *error);
PL_API int pl_world_probe_count(const pl_world *world);
PL_API pl_probe_id pl_world_probe_at(const pl_world *world, int index);
PL_API const char *pl_world_probe_name(const pl_world *world, pl_probe_id probe);
PL_API const char *pl_world_probe_quantity(const pl_world *world, pl_probe_id probe);
PL_API const char *pl_world_probe_unit(const pl_world *world, pl_probe_id probe);
PL_API int pl_world_probe_width(const pl_world *world, pl_probe_id probe); /* 1 or 3 */
PL_API pl_status pl_world_read_probe(pl_world *world, pl_probe_id probe, double value[3],
                                     pl_error *error);

/* ---- the whole world ---- */

/* What a direct solver did. */
typedef struct pl_direct_facts {
  int64_t factorisations;    /* complete ones */
  int64_t constraint_solves; /* back-substitutions for constraints that came */
} pl_direct_facts;

/* What budgets of iterations and of time did. */
typedef struct pl_budget_facts {
  int64_t late_steps;        /* cut short by their time budget, or longer than it */
  int64_t lagging_steps;     /* that kept matrices or refined less, to save time */
  int64_t fallback_substeps; /* cut short, and made by implicit Euler instead */
} pl_budget_facts;

/* What contact took. */
typedef struct pl_contact_facts {
  int64_t passes;              /* over all substeps: each is repeated until contacts are right */
  int64_t unresolved_substeps; /* whose contacts were still not right after all passes */
} pl_contact_facts;

/* What all steps so far took and where the world stands. */
typedef struct pl_world_facts {
  int64_t steps, newton_iterations, linear_iterations;
  int64_t matrices; /* that were assembled */
  pl_direct_facts direct;
  int64_t unfinished_solves;    /* linear solves that used up their iterations */
  double worst_linear_residual; /* relative, of all linear solves that were used */
  int64_t halved_steps;         /* that failed and were retried with smaller ones */
  pl_budget_facts budget;
  pl_contact_facts contact;
  int64_t unconverged_steps;           /* that counted though Newton's method had not converged */
  int64_t substeps, rejected_substeps; /* steps of the integrator; those that step control undid */
  double time;                         /* simulated, s                                     */
  double seconds, seconds_evaluate;    /* wall time of all steps; of forces and matrices   */
  double seconds_solve;                /* of linear solves                                 */
  double kinetic_energy, elastic_energy, gravity_energy; /* J; the last is zero at the origin */
  double min_volume_ratio; /* least det F over all elements now                */
  double critical_dt;      /* s, largest stable step of an explicit method, about; 0: no limit */
  double linear_residual;  /* relative, of the last solve                      */
  double newton_residual;  /* N, at the end of the last step                   */
  int nodes, elements, held_nodes, threads;
  int64_t matrix_blocks;
} pl_world_facts;

PL_API pl_status pl_world_measure(pl_world *world, pl_world_facts *facts, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
