/* Surfaces of triangles, as they come from files: welded, turned outwards, small holes closed; and
 * whether a point lies inside, which needs no perfect surface. */
#ifndef PL_MESH_SKIN_H
#define PL_MESH_SKIN_H

#include "mesh/fill.h"
#include "mesh/mesh.h"

/* What was found and repaired when a skin was made. */
typedef struct pl_skin_facts {
  int welded_points;     /* were within the tolerance of another                */
  int dropped_triangles; /* of no extent, or double                             */
  int turned_triangles;  /* now their normals point outwards                    */
  int closed_holes;      /* small ones                                          */
  int open_edges;        /* of one triangle, that were left                     */
  int crowded_edges;     /* of more than two triangles                          */
  int pieces;            /* parts that share no edge                            */
} pl_skin_facts;

typedef struct pl_skin {
  pl_allocator allocator;
  int point_count, triangle_count;
  double *points;               /* 3 per point */
  int *triangles;               /* counter-clockwise seen from outside */
  int *polygons, polygon_count; /* of the first triangles, as in the pl_skin_def; NULL: unknown */
  double low[3], high[3];
  pl_skin_facts facts;
  struct pl_skin_tree *tree;
} pl_skin;

typedef struct pl_skin_def {
  int point_count, triangle_count;
  const double *points;
  const int *triangles;
  const int *polygons; /* of each triangle, what it was cut from, from 1 on; NULL: unknown */
  double weld;  /* points this near are one, as a share of the extent; 0: 1e-7, below 0: none */
  int max_hole; /* edges around a hole that is closed; 0: 64, below 0: none */
  const pl_allocator *allocator;
} pl_skin_def;

/* Refuses non-finite coordinates, numbers out of range, and surfaces without any triangle. */
pl_status pl_skin_create(const pl_skin_def *def, pl_skin **skin, pl_error *error);
void pl_skin_destroy(pl_skin *skin);

/* The generalised winding number: 1 inside a closed surface, 0 outside, in between where it has
 * holes. A. Jacobson, L. Kavan, O. Sorkine-Hornung, 2013; far groups of triangles as dipoles: G.
 * Barill et al., "Fast winding numbers for soups and clouds", 2018. */
double pl_skin_winding(const pl_skin *skin, const double point[3]);

/* The distance to the nearest triangle, and where it is (may be NULL). */
double pl_skin_distance(const pl_skin *skin, const double point[3], double nearest[3]);

/* The nearest point of the surface: on a triangle's inside, one of its edges or one of its corners.
 */
typedef struct pl_skin_place {
  double point[3], distance;
  int triangle;
  int feature; /* 0: inside; 1 + k: the edge from corner k to the next; 4 + k: corner k */
} pl_skin_place;

void pl_skin_nearest(const pl_skin *skin, const double point[3], pl_skin_place *place);

/* How many triangles are pierced by an edge of another one that shares no point with it. Stops
 * after much work, with what it found so far. */
int pl_skin_crossings(const pl_skin *skin);

/* What the skin encloses. */
pl_volume pl_skin_volume(const pl_skin *skin);

/* The distance, negative inside: with the sign, and where the surface has holes also the size, of
 * the winding number. */
double pl_skin_value(const void *skin, const double point[3]);

/* A surface to be filled. */
typedef struct pl_fill_job {
  const pl_skin *skin;
  pl_choice filler;              /* without name and size: the one that covers the surface */
  const char *name;              /* of the surface, for messages */
  const pl_log *log;             /* hears what was chosen, and what may be torn; may be NULL */
  const pl_allocator *allocator; /* of the mesh */
} pl_fill_job;

/* Fills a surface. Refuses at once what encloses nothing; see fill_skin.c for what is chosen. */
pl_status pl_fill_skin(const pl_fill_job *job, pl_mesh **mesh, pl_error *error);

/* The skin as a mesh of triangles and of those quadrilaterals that they were cut from. */
pl_status pl_skin_mesh(const pl_skin *skin, const pl_allocator *allocator, pl_mesh **mesh,
                       pl_error *error);

pl_status pl_skin_grow_tree(pl_skin *skin, pl_error *error);

#endif
