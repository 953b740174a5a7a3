/* The binary messages from the server to a page. All numbers are little-endian; floats are IEEE
 * single precision. docs/viewer.md describes every field. */
#ifndef PL_VIEW_PROTOCOL_H
#define PL_VIEW_PROTOCOL_H

#include "core/text.h"
#include "view/local.h"
#include "view/surface.h"

enum { PL_MOST_PULLS = 64, PL_MOST_GAUGES = 128, PL_AXES_FLOATS = 12 };
enum { PL_MOST_CONTACTS = 500, PL_CONTACT_FLOATS = 6 };

enum pl_frame_flags {
  PL_FRAME_PLAYING = 1,
  PL_FRAME_BEHIND = 2,  /* the steps take longer than the speed allows      */
  PL_FRAME_STEPPED = 4, /* a new state, not one that was gone back to       */
  PL_FRAME_GAUGED = 8,  /* the gauges belong to this very state             */
  PL_FRAME_HELD = 16    /* the first pull is the pointer's; others are links */
};

/* What changes from moment to moment. */
typedef struct pl_view_frame {
  uint32_t scene, number, flags;
  double time; /* s */
  int vertex_count;
  const float *positions; /* 3 per vertex, m */
  pl_tint tint;
  const float *values; /* 1 per vertex; not read for PL_TINT_none */
  pl_arrows arrows;
  const float *vectors; /* 3 per vertex; not read for PL_ARROWS_none */
  int local_count;
  const float *locals;    /* PL_LOCAL_FLOATS each */
  int obstacle_count;     /* 0: none of them moves */
  const float *obstacles; /* PL_AXES_FLOATS each: origin, rotation matrix row by row */
  int contact_count;
  const float *contacts; /* PL_CONTACT_FLOATS each: point, force */
  int has_tool;
  double tool_radius, tool_centre[3], tool_force[3];
  int pull_count;
  pl_pull_facts pulls[PL_MOST_PULLS];
  int gauge_count;
  float gauges[PL_MOST_GAUGES];
  int history_place, history_count;
  float real_time_factor, step_seconds;
} pl_view_frame;

void pl_write_frame(pl_text *out, const pl_view_frame *frame);
/* Rest positions (3 per vertex), triangles and edges; nodes and elements by number. */
void pl_write_geometry(pl_text *out, uint32_t scene, const pl_surface *surface, const float *rest);
/* Pictures on bodies: the head with their number, then each one's body, triangles of it with 6
 * numbers each, and image. */
void pl_write_textures(pl_text *out, uint32_t scene, int count);
void pl_write_texture(pl_text *out, int body, int triangles, const float *spots, const void *image,
                      size_t size);
void pl_write_held(pl_text *out, uint32_t scene, const pl_surface *surface,
                   const unsigned char *held);
/* Two files: a scene and the state that it begins with. */
void pl_write_saved(pl_text *out, uint32_t scene, const pl_text *xml, const pl_text *state);
/* A PNG picture of the gallery's scene of that number. */
void pl_write_thumb(pl_text *out, uint32_t index, const void *png, size_t size);

#endif
