/* Shapes of obstacles: rigid things that bodies may touch but not enter.
 *
 * A shape is a signed distance d(x), negative inside, with its gradient n (of length 1, pointing
 * away from the shape) and its Hessian H, the curvature of the surface of equal distance through x:
 * H n = 0, and along a principal direction H is 1 / (rho + d) with rho the radius of curvature,
 * positive where the shape is convex. Unions are made of other shapes, so a shape is a small tree.
 *
 * Formulas of the primitives: J. C. Hart, "Sphere tracing", The Visual Computer 12 (1996), and its
 * successors. Members work in their own axes; pl_place leads from there to the axes of the
 * obstacle. */
#ifndef PL_SHAPE_OBSTACLE_H
#define PL_SHAPE_OBSTACLE_H

#include "core/family.h"
#include "mesh/mesh.h"
#include "shape/drawing.h"

#define PL_OBSTACLES(X)                                                                            \
  X(plane)                                                                                         \
  X(sphere)                                                                                        \
  X(box)                                                                                           \
  X(capsule)                                                                                       \
  X(cylinder)                                                                                      \
  X(cone)                                                                                          \
  X(torus)                                                                                         \
  X(disc)                                                                                          \
  X(heightfield)                                                                                   \
  X(mesh)                                                                                          \
  X(union)                                                                                         \
  X(rounded_union)

/* A rigid change of axes: x = origin + R X. */
typedef struct pl_place {
  double origin[3], R[9];
} pl_place;

/* The box around a box that stands in a place. */
void pl_place_box(const pl_place *place, double low[3], double high[3]);

/* What a shape is made from beside its parameters. */
struct pl_profile;
typedef struct pl_shape_source {
  const pl_mesh *mesh; /* of triangles, or the boundary of elements */
  int columns, rows;   /* of heights, row after row along x; 0: there are none */
  const double *heights;
} pl_shape_source;

typedef struct pl_shape pl_shape;

typedef struct pl_obstacle_ops {
  pl_member info;
  int is_flat;   /* the gap is linear in x */
  int has_sides; /* the first parameter is PL_SIDE_PARAM */
  int min_parts; /* it is made of at least so many shapes; 0: of none */
  /* Checks the values together and brings them into the form that the others expect. */
  pl_status (*finish_values)(double *values, pl_error *error);
  /* Its own axes; NULL: those of the obstacle. */
  void (*place)(const double *values, pl_place *place);
  /* Keeps what it needs of the source in self->data; NULL: it needs none. */
  pl_status (*build)(pl_shape *self, const pl_shape_source *source, const pl_allocator *allocator,
                     pl_error *error);
  void (*destroy)(pl_shape *self, const pl_allocator *allocator);
  /* The section of a shape of revolution (profile.h has the next three for it); NULL: it is none.
   */
  struct pl_profile (*profile)(const double *values);
  /* Signed distance, gradient and, unless it is NULL, Hessian. */
  double (*gap)(const pl_shape *self, const double x[3], double normal[3], double *hessian);
  /* A box around all that is inside. */
  void (*bounds)(const pl_shape *self, double low[3], double high[3]);
  /* The surface as triangles; what is unbounded is drawn around the centre of the view. */
  pl_status (*draw)(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                    pl_error *error);
} pl_obstacle_ops;

/* One shape; its parts follow it. */
struct pl_shape {
  const pl_obstacle_ops *ops;
  int span;          /* it and everything inside it */
  pl_selection part; /* the member and its values */
  pl_place place;
  double margin; /* m, by which gaps are less than the distance; of the outermost only */
  void *data;
};

#define X(name) extern const pl_obstacle_ops pl_obstacle_##name;
PL_OBSTACLES(X)
#undef X

extern const pl_family pl_obstacle_family;

/* One row of a description: a member of the family, what it is made from, and how deep it stands,
 * 0 for the outermost. */
typedef struct pl_shape_row {
  pl_choice shape;
  pl_shape_source source;
  int depth;
} pl_shape_row;

enum { PL_MOST_SHAPES = 4096, PL_MOST_SHAPE_DEPTH = 16 };

/* The first row is the outermost; an error names its row as the entity. Free with destroy. */
pl_status pl_shape_create(const pl_shape_row *rows, int count, const pl_allocator *allocator,
                          pl_shape **shape, pl_error *error);
void pl_shape_destroy(const pl_allocator *allocator, pl_shape *shape); /* NULL is fine */

/* In the axes of the obstacle. */
double pl_shape_gap(const pl_shape *shape, const double x[3], double normal[3], double *hessian);
void pl_shape_bounds(const pl_shape *shape, double low[3], double high[3]);
pl_status pl_shape_draw(const pl_shape *shape, const pl_drawing_view *view, pl_drawing *drawing,
                        pl_error *error);

/* ---- what members share ---- */

#define PL_FAR 1e9

#define PL_SIDE_PARAM                                                                              \
  {                                                                                                \
    "side", "1", "where bodies may be", 0, 0, 1, "outside|inside", 1                               \
  }
#define PL_CENTRE_PARAM                                                                            \
  {                                                                                                \
    "centre", "m", "where its middle is", 0, -PL_FAR, PL_FAR, NULL, 3                              \
  }
#define PL_AXIS_PARAM(SUMMARY)                                                                     \
  {                                                                                                \
    "axis", "1", SUMMARY, NAN, -PL_FAR, PL_FAR, NULL, 3                                            \
  }
#define PL_ROTATION_PARAM                                                                          \
  {                                                                                                \
    "rotation", "degrees", "turned about this vector by its length", 0, -1e6, 1e6, NULL, 3         \
  }
#define PL_LENGTH_PARAM(NAME, SUMMARY, PRESET, LEAST)                                              \
  {                                                                                                \
    NAME, "m", SUMMARY, PRESET, LEAST, PL_FAR, NULL, 1                                             \
  }

/* Places of the values that most members begin with: side, centre, then axis or rotation. */
enum { PL_SIDE_AT = 0, PL_CENTRE_AT = 1, PL_AXIS_AT = 4, PL_OWN_AT = 7 };

/* Makes an axis a unit vector; one that is not given becomes z. */
pl_status pl_shape_finish_axis(double *values, pl_error *error);
/* With z along the axis; turned by the rotation. */
void pl_shape_place_axis(const double *values, pl_place *place);
void pl_shape_place_rotation(const double *values, pl_place *place);

/* hessian = scale (I - n n^T) */
void pl_shape_round(double scale, const double n[3], double *hessian);

#endif
