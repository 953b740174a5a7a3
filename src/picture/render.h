/* Pictures of deforming bodies: surfaces lit by a soft lamp and the sky, standing on a ground that
 * catches their shadow. The same input gives the same picture. */
#ifndef PL_PICTURE_RENDER_H
#define PL_PICTURE_RENDER_H

#include "picture/png.h"

/* A surface of triangles or quadrilaterals. A face is left out if one of its nodes has a position
 * that is not finite; a scalar that is not finite is drawn grey. */
typedef struct pl_render_body {
  int node_count, face_count, nodes_per_face; /* 3 or 4 nodes, seen from either side */
  const double *positions;                    /* 3 per node, m */
  const int *faces;
  float colour[3];         /* red, green, blue in 0..1 as on the screen; all 0: chosen */
  const double *scalars;   /* what the colour shows, NULL: the body's own colour */
  const pl_image *picture; /* on the body in place of a colour; NULL: none */
  const float *spots;      /* two numbers for each corner of each face: right and up in it */
  int of_faces;            /* scalars belong to faces instead of nodes */
  int open;                /* faces turned to the eye are left out, so that one looks into it */
} pl_render_body;

/* For amounts; for what deviates from a middle to both sides. */
typedef enum pl_colours { PL_COLOURS_AMOUNT, PL_COLOURS_AROUND } pl_colours;

typedef struct pl_render {
  int width, height; /* px */
  int body_count;
  const pl_render_body *bodies;
  int up;                /* the axis that points up: 0, 1 or 2 */
  double direction[3];   /* from the scene towards the eye; all 0: chosen */
  double min[3], max[3]; /* the box that fills the picture; NaN: whatever shows all bodies */
  double ground;         /* height of the ground, NaN: the lowest point, infinite: none */
  int edges;             /* draw the edges of the faces */
  double scalar_min, scalar_max; /* ends of the colours, NaN: those of the scalars */
  pl_colours colours;
  const char *title;                /* NULL: none */
  const char *bar_label, *bar_unit; /* of the colour bar */
} pl_render;

/* 1280 x 800 px, z up, everything chosen, no bodies. */
pl_render pl_render_default(void);

/* Draws the scene into a new picture of three channels. */
pl_status pl_render_image(const pl_render *scene, const pl_allocator *allocator, pl_image *image,
                          pl_error *error);

/* Draws the scene and appends it as a PNG file; out is left as it was on failure. */
pl_status pl_render_png(const pl_render *scene, pl_text *out, pl_error *error);

/* The colour (as on the screen) of a number between 0 and 1. */
void pl_colour_map(pl_colours colours, double t, float colour[3]);

#endif
