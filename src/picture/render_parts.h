/* What the files of the renderer share. Inside, the scene is moved and scaled so that all bodies
 * fit into the unit sphere around the origin; colours are linear light. */
#ifndef PL_PICTURE_RENDER_PARTS_H
#define PL_PICTURE_RENDER_PARTS_H

#include "picture/axis.h"
#include "picture/render.h"

#include <math.h>

typedef struct pl_v3 {
  float x, y, z;
} pl_v3;

static inline pl_v3 pl_v3_add(pl_v3 a, pl_v3 b) { return (pl_v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline pl_v3 pl_v3_sub(pl_v3 a, pl_v3 b) { return (pl_v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline pl_v3 pl_v3_scale(float s, pl_v3 a) { return (pl_v3){s * a.x, s * a.y, s * a.z}; }
static inline pl_v3 pl_v3_times(pl_v3 a, pl_v3 b)
{
  return (pl_v3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline float pl_v3_dot(pl_v3 a, pl_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline pl_v3 pl_v3_cross(pl_v3 a, pl_v3 b)
{
  return (pl_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* Of length 1; zero stays zero. */
static inline pl_v3 pl_v3_unit(pl_v3 a)
{
  float length = sqrtf(pl_v3_dot(a, a));
  return length > 0 ? pl_v3_scale(1 / length, a) : a;
}

/* As fminf and fmaxf, but a single instruction; the second number wins if one is not a number. */
static inline float pl_min(float a, float b) { return a < b ? a : b; }
static inline float pl_max(float a, float b) { return a > b ? a : b; }

enum { PL_SAMPLES = 3 }; /* per pixel, in each direction */

typedef struct pl_render_triangle {
  int nodes[3];
  int body;
  pl_v3 normals[3];  /* smoothed, one per corner */
  float scalars[3];  /* NaN: none */
  float spots[3][2]; /* in the body's picture */
  int edges;         /* bit i: the side opposite to corner i is an edge of a face */
} pl_render_triangle;

/* A direction that light comes from, and how far it gets: the depth of the first surface over a
 * plane across the direction. */
typedef struct pl_render_lamp {
  pl_v3 towards, right, up;
  float strength;
  float reach; /* surfaces further off than this cast no shadow */
  int size;    /* depths in a row and in a column */
  uint16_t *depths;
} pl_render_lamp;

/* A piece of surface that waits for light. */
typedef struct pl_fragment {
  pl_v3 point, normal;   /* normal: unit, towards the eye */
  float lamp, sky, seen; /* light from both, and the part of the lamp in sight */
  pl_v3 paint;
  float gloss;
  float edge;   /* cover by the line of an edge */
  float weight; /* part of its pixel */
  int pixel;
} pl_fragment;

typedef struct pl_render_stage {
  const pl_render *scene;
  pl_allocator allocator;

  // bodies, scaled: position = centre + radius * node
  double centre[3], radius;
  int node_count, triangle_count;
  pl_v3 *nodes;
  pl_render_triangle *triangles;
  pl_axis scale; /* of the scalars */
  int has_scalars;

  // camera: the eye looks along forward; a point at distance 1 is seen focal px large
  pl_v3 eye, right, up, forward, sky; /* sky: the scene's up */
  float focal, middle_x, middle_y;    /* px */
  pl_v3 *screen;                      /* per node: px and 1 / distance, which is 0 if unseen */

  // light
  int lamp_count;
  pl_render_lamp *lamps;
  pl_v3 key; /* the lamp's middle */
  int has_ground;
  float ground;     /* height */
  float *lit;       /* how much light reaches the ground, on a grid of points */
  double grid_step; /* m between the lines on the ground */
} pl_render_stage;

/* Bodies to scaled nodes and triangles with smooth normals that keep creases sharp. */
pl_status pl_stage_build(pl_render_stage *stage, pl_error *error);

/* The camera that shows all (or the given box) inside this part of the picture. */
typedef struct pl_window {
  float left, top, width, height;
} pl_window;
void pl_stage_aim(pl_render_stage *stage, pl_window window);

/* Sets up lamp and sky, and finds out where their light gets. */
pl_status pl_stage_light(pl_render_stage *stage, pl_error *error);

/* Adds up the lamp's and the sky's light on fragments, which start without any. */
void pl_stage_illuminate(const pl_render_stage *stage, pl_fragment *fragments, int count);
/* What is left of the light on the ground at point: 1 in the open, less in the shadow. */
float pl_stage_ground_light(const pl_render_stage *stage, pl_v3 point);

/* Fills the picture, without any text. */
pl_status pl_stage_draw(const pl_render_stage *stage, pl_image *image, pl_error *error);

float pl_linear_from_screen(float value);

#endif
