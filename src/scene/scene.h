/* The scene as the library sees it: loading from memory and the reference that is made from the
 * same tables as the reader. */
#ifndef PL_SCENE_SCENE_H
#define PL_SCENE_SCENE_H

#include "core/file.h"
#include "core/text.h"
#include "pliant/scene.h"

/* What is to be seen on a body; both files were found good. */
typedef struct pl_scene_texture {
  pl_body_id body;
  char *image, *surface; /* PNG, JPEG, BMP or TGA; what has the texture coordinates, or NULL: the
                            body is a grid */
} pl_scene_texture;

typedef struct pl_scene_colour {
  pl_body_id body;
  double rgb[3];
} pl_scene_colour;

struct pl_scene {
  pl_allocator allocator;
  pl_bytes text; /* of the file as it was read; none of a scene from memory */
  pl_world *world;
  pl_haptic *hand; /* NULL: none */
  char *title, *colour, *glyphs;
  double duration;
  int real_time;
  pl_output *outputs;
  int output_count;
  pl_view view;
  pl_scene_texture *textures;
  int texture_count;
  size_t texture_room;
  pl_scene_colour *colours; /* of bodies that have one */
  size_t colour_count, colour_room;
};

/* The colour of a body, red, green and blue from 0 to 1; NULL: it has none of its own. */
const double *pl_scene_colour_of(const pl_scene *scene, pl_body_id body);
const pl_scene_texture *pl_scene_texture_of(const pl_scene *scene, pl_body_id body);

/* The scene of a text in memory; def->path serves messages and names the folder of its files. */
pl_status pl_scene_load_memory(const pl_scene_def *def, const char *text, size_t size,
                               pl_scene **scene, pl_error *error);

/* A scene in another format (EDMConfig) as a text of ours, without changes. A scene of ours is
 * refused. */
pl_status pl_scene_convert(const pl_scene_def *def, const char *text, size_t size, pl_text *out,
                           pl_error *error);

/* Markdown: every element and family member with attributes, units, presets and ranges. */
void pl_scene_reference(pl_text *out);

#endif
