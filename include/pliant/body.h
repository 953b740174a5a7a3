/* Bodies: a mesh, what it is made of and how it moves; points of it; frames that come and go. */
#ifndef PLIANT_BODY_H
#define PLIANT_BODY_H

#include "pliant/base.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of a body; zero is none. One that was removed is never another's: its number may be given
 * again, with another generation. */
typedef struct pl_body_id {
  int32_t index1;
  uint32_t generation;
} pl_body_id;

/* ---- materials ---- */

/* Fading memory around any law without one of its own: a Prony series of up to 6 terms. A share g
 * of the moduli of a sudden load fades with the time tau: those of shape (shear), of volume, or
 * both (laws with directions and fung: both only). If all of it fades (Maxwell: shares add up to 1)
 * the body has no rest shape. */
enum { PL_MAX_TERMS = 6 };
typedef enum pl_memory_of { PL_MEMORY_SHAPE, PL_MEMORY_VOLUME, PL_MEMORY_BOTH } pl_memory_of;
/* How stress changes within a step: evenly, of second order in the step and with an energy; or by
 * its rates at both ends, of fourth order (model fem only). */
typedef enum pl_memory_rule { PL_MEMORY_LINEAR, PL_MEMORY_HERMITE } pl_memory_rule;
typedef struct pl_memory_def {
  int count;                                        /* terms; 0: no memory */
  double shares[PL_MAX_TERMS], times[PL_MAX_TERMS]; /* 1, their sum at most 1; s */
  pl_memory_of of;
  int is_long;  /* the law's moduli are those that last, of which shares fade beside: any sum */
  double voigt; /* s: a dashpot beside the law, modulus times this (Kelvin, Voigt); 0: none */
  pl_memory_rule rule;
} pl_memory_def;

/* Fills shares and times of 1 to 6 terms so that the quality factor (storage over loss modulus) is
 * about q from band[0] to band[1] Hz. Five decades need 6 terms to stay within 4.4 % of q. */
PL_API pl_status pl_memory_constant_q(const pl_allocator *allocator, double q, const double band[2],
                                      int terms, pl_memory_def *memory, pl_error *error);

/* A family of fibres in a material (Holzapfel, Gasser, Ogden): W = k1 / (2 k2) (exp(k2 e^2) - 1).
 */
typedef struct pl_fibres {
  double k1, k2;       /* Pa, 1: stiffness, and how it grows; both above 0       */
  double kappa;        /* dispersion: 0 all along the direction, 1/3 in all ones */
  double direction[3]; /* in the axes of the material; of any length             */
} pl_fibres;

/* Stretches that the material resists by factor times Young's modulus beyond. */
typedef struct pl_stretch_limit {
  double max, min; /* above 1, below 1; max 0: no limit at all, min 0: no lower one */
  double factor;   /* above 1 */
} pl_stretch_limit;

/* How the axes of a material lie in the rest shape; laws and fibres with directions use them. */
typedef enum pl_orientation_kind {
  PL_ORIENTATION_WORLD,       /* x, y and z                                          */
  PL_ORIENTATION_AXES,        /* the first, and a second in their plane               */
  PL_ORIENTATION_CYLINDRICAL, /* away from a line, around it, and along it            */
  PL_ORIENTATION_MESH         /* as the mesh says for each element (pl_mesh_def.axes) */
} pl_orientation_kind;

typedef struct pl_orientation {
  pl_orientation_kind kind;
  double first[3], second[3]; /* of AXES: directions, not parallel                */
  double point[3], axis[3];   /* of CYLINDRICAL: a point of the line, its direction */
} pl_orientation;

enum { PL_MAX_FIBRES = 4 };

/* A law of a program's own. evaluate gives the energy density W in J/m^3 at the deformation
 * gradient F (3 x 3, row after row: F[3 i + j] = dx_i/dX_j), the stress P = dW/dF in Pa (9 numbers,
 * Piola's first) and the tangent H = dP/dF in Pa (81 numbers, H[9 a + b] = dP_a/dF_b, symmetric);
 * each may be NULL: not asked for. It must give the same for the same, and not see rotations; where
 * the world has several threads it is called in all of them at once. What is not finite fails the
 * step. Models of points (fem, frames, rigid-frames) ask it; others go by the moduli of the law
 * alone. */
typedef struct pl_own_law {
  void (*evaluate)(void *context, const double F[9], double *W, double *P, double *H);
  void *context; /* kept */
} pl_own_law;

typedef struct pl_material_def {
  pl_choice law;
  pl_own_law own; /* with a function: takes the law's place, whose moduli should be those of the own
                     one at rest: contact, damping by stiffness and critical steps go by them */
  double density; /* kg/m^3                                                             */
  double viscous_lambda;    /* Pa s, moduli of the strain rate (Kelvin-Voigt); a rigid motion is  */
  double viscous_mu;        /*       never damped by them                                         */
  double stiffness_damping; /* s, adds this times lambda and mu to the viscous moduli             */
  double mass_damping;      /* 1/s, drags every node back: damps rigid motion as well             */
  int spares_rigid_motion;  /* mass damping acts on what is left without the body's rigid motion  */
  pl_memory_def memory;
  int fibre_count; /* beside the law */
  pl_fibres fibres[PL_MAX_FIBRES];
  pl_stretch_limit limit;
  pl_orientation orientation;
  uint32_t cookie;
} pl_material_def;

/* Hooke's law without its moduli, 1000 kg/m^3, no damping. */
PL_API pl_material_def pl_material_def_default(void);

/* ---- a body ---- */

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
typedef struct pl_voxels {
  int size[3];
  const double *values;
  double full;                /* the value that counts as 1 */
  double origin[3], voxel[3]; /* m: the least corner; sizes of a cuboid */
} pl_voxels;

/* Density or stiffness that changes through a body: what the material says times a factor. Every
 * element takes the factor's mean over its volume at rest. */
typedef enum pl_mapped { PL_MAPPED_STIFFNESS, PL_MAPPED_DENSITY, PL_MAPPED_BOTH } pl_mapped;

typedef struct pl_map_def {
  pl_mapped of;
  pl_choice map;          /* "ramp", "radial" or "image" with its values */
  const pl_voxels *image; /* for the last */
  double (*at)(void *context, const double point[3]); /* used in their place if not NULL: the factor
                                                         at a point of the rest shape */
  void *context;
} pl_map_def;

/* A particle of a body of model "grid" that differs from the others; NAN: as they. Tensors as in
 * the model's parameters: of tension 11, 22, 33, 12, 13, 23, of rigidity 11, 22, 12. */
typedef struct pl_particle {
  int node;                       /* of the mesh */
  double mass, damping;           /* kg, kg/s */
  double tension[6], rigidity[3]; /* N/m^3, N/m; used where the model has a tension */
} pl_particle;

typedef struct pl_particles_def {
  const pl_particle *list; /* later ones win */
  int count;
} pl_particles_def;

/* A line of a sheet (model "cloth") that is folded at rest: the edges whose ends are both in the
 * union of the regions. */
typedef struct pl_crease {
  const pl_selector *where;
  int where_count;
  double angle; /* degrees, -179 to 179; 0: flat; above: the sheet's upper side is outside */
} pl_crease;

/* Measured force per width over strain, or moment per width over curvature, in place of a sheet's
 * moduli: along warp and weft (the stretch minus 1), in shear (the sine of the yarns' angle), or in
 * bending. Linear between its points and beyond the last; odd if there are no negative strains. */
typedef enum pl_curve_of {
  PL_CURVE_WARP,
  PL_CURVE_WEFT,
  PL_CURVE_SHEAR,
  PL_CURVE_BENDING,
  PL_CURVE_KINDS
} pl_curve_of;
typedef struct pl_curve_def {
  pl_curve_of of;
  int count;                      /* points, at least 2 */
  const double *strains, *forces; /* ascending, 1 (bending: 1/m); not falling, N/m (N) */
  double friction, turn;          /* N/m (N): force of hysteresis at most, 0: none; and the strain
                                     within which it is reached (Dahl's law) */
} pl_curve_def;

/* What is sewn into a sheet. */
typedef struct pl_tailoring_def {
  const pl_crease *creases; /* later ones win */
  int crease_count;
  const pl_curve_def *curves;
  int curve_count;
  const double *warp; /* 3 per element of the mesh: the direction of its warp, as far as it lies in
                         the element; NULL: by the material's axes */
} pl_tailoring_def;

/* Refinement while the body moves. The body's mesh is then the finest one, everywhere: that is what
 * is drawn, touched, fixed and loaded, and what node numbers mean; how many of its nodes are free
 * changes. Linear tetrahedra of model "fem", without memory. */
typedef struct pl_refine_def {
  int levels;          /* each cuts a tetrahedron into eight; 0: not refined */
  int start;           /* the level that all of the body starts with */
  int wait;            /* steps between changes */
  pl_choice indicator; /* where it is refined; "none": by pl_world_refine and pl_world_coarsen */
} pl_refine_def;

typedef struct pl_body_def {
  const char *name;    /* NULL: "body" */
  const pl_mesh *mesh; /* copied */
  pl_material_def material;
  const pl_body_part *parts; /* where it is made of something else */
  int part_count;
  const pl_map_def *maps; /* factors of density and stiffness; several are multiplied */
  int map_count;
  pl_choice model;                    /* "fem" with its strain measure and mass */
  double translation[3], rotation[3]; /* m, degrees (about this vector, by its length): the mesh is
                                         turned about the origin and moved before anything else;
                                         regions and places mean the body there */
  const double *start; /* 3 per node in the mesh's order, m: where the nodes are at the start if not
                          at rest, moved and turned like the mesh. Laws that remember take it as
                          suddenly deformed. NULL: at rest */
  double stretch[3];  /* factors along x, y, z by which it is stretched at the start, about its mass
                         centre; 1: not */
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
                             body, are shown in its place and touch what it meets; copied;
                             NULL: none */
  uint32_t groups, meets; /* bits: the groups that it belongs to, and those whose bodies it may
                             touch; 0: all. Two bodies meet if each meets the other; obstacles
                             are met by all */
  int self_contact;       /* 1: parts of the surface keep apart from each other */
  const pl_hanging_node *hanging; /* copied; not for models of frames; none: those of the mesh */
  int hanging_count;
  pl_refine_def refine;
  pl_particles_def particles; /* copied; of the model "grid" only */
  pl_tailoring_def tailoring; /* copied; of the model "cloth" only */
  int average_hanging; /* 1: hanging nodes only follow, and what pulls at them and their mass are
                          lost, as printed in Zhuang & Canny 2000, section 5; a baseline that is
                          wrong: momentum and energy are not kept */
  uint32_t cookie;
} pl_body_def;

PL_API pl_body_def pl_body_def_default(void);

/* Refines the elements of a body with a middle in the regions by one level, and coarser neighbours
 * before them; or takes them back by one level where nothing finer depends on them. No regions: all
 * elements. Positions and velocities do not change where nodes come; where they go, the remaining
 * ones keep their positions and the body its momentum. */
PL_API pl_status pl_world_refine(pl_world *world, pl_body_id body, const pl_selector *where,
                                 int where_count, pl_error *error);
PL_API pl_status pl_world_coarsen(pl_world *world, pl_body_id body, const pl_selector *where,
                                  int where_count, pl_error *error);

/* Of a mesh that is refined while the body moves. */
typedef struct pl_refinement_facts {
  int elements, free_nodes, hanging_nodes; /* elements: those of the model now */
  int finest;                              /* level in use; 0: the mesh as given */
  int64_t refined, coarsened;              /* so many elements since the start */
  double kinetic_loss;                     /* J, of all changes since the start */
} pl_refinement_facts;

/* Per element of the body's mesh: how often the element of the model that it is in was cut. 0 for a
 * body that is not refined. */
PL_API pl_status pl_world_get_levels(const pl_world *world, pl_body_id body, double *levels,
                                     pl_error *error);

PL_API pl_status pl_world_read_refinement(const pl_world *world, pl_body_id body,
                                          pl_refinement_facts *facts, pl_error *error);

PL_API pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *body,
                                   pl_error *error);
/* Takes a body out of the world, with all that acts on it alone or ties it to another: fixes,
 * loads, pulls, attachments, rigid parts, and probes at it. Their ids are refused from then on.
 * Positions, velocities and friction of all other bodies stay as they are, and so do the other ids.
 */
PL_API pl_status pl_world_remove_body(pl_world *world, pl_body_id body, pl_error *error);
/* Bodies in the order in which they were added; those behind a removed one move up. */
PL_API int pl_world_body_count(const pl_world *world);
PL_API pl_body_id pl_world_body_at(const pl_world *world, int index);
PL_API const char *pl_world_body_name(const pl_world *world, pl_body_id body);
PL_API const pl_mesh *pl_world_body_mesh(const pl_world *world, pl_body_id body);

/* The triangles that follow a body, at rest; NULL: it has none. */
PL_API const pl_mesh *pl_world_body_surface(const pl_world *world, pl_body_id body);

/* The body keeps its shape and velocity; its mass follows the density. */
PL_API pl_status pl_world_set_material(pl_world *world, pl_body_id body, const pl_material_def *def,
                                       pl_error *error);
/* Another model, or the same one with other settings; the body keeps its shape and velocity. Only
 * between models whose unknowns are the nodes (fem, springs); others are refused. */
PL_API pl_status pl_world_set_model(pl_world *world, pl_body_id body, const pl_choice *model,
                                    pl_error *error);
/* Gives a body that nothing holds this mean velocity, m/s; how it spins and vibrates stays as it
 * is. Nothing happens to a body that is held somewhere. */
PL_API pl_status pl_world_throw(pl_world *world, pl_body_id body, const double velocity[3],
                                pl_error *error);

/* ---- points of a body ---- */

/* A point that moves with a body: a weighted sum of its nodes (weights add up to 1). Those of one
 * element, or more of them where a force is spread over a part of the surface. */
typedef struct pl_spot {
  pl_body_id body;
  int count; /* 1 to 32 */
  int nodes[32];
  double weights[32];
} pl_spot;

/* The point of a body that lies at a place of the rest shape, or nearest to it. */
PL_API pl_status pl_world_find_spot(const pl_world *world, pl_body_id body, const double at[3],
                                    pl_spot *spot, pl_error *error);

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
