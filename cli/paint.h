/* How bodies of a picture are painted: in the scene's colours and with its textures. */
#ifndef CLI_PAINT_H
#define CLI_PAINT_H

#include "io/bitmap.h"
#include "picture/render.h"
#include "scene/scene.h"

/* What a painted body needs while the picture is drawn; to be released even if it fails. */
typedef struct cli_paint {
  pl_bitmap bitmap;
  pl_image image;
  float *spots;
} cli_paint;

/* A texture that pictures cannot read (PNG and JPEG files, surfaces from files) leaves the colour.
 */
pl_status cli_paint_body(const pl_scene *scene, pl_body_id id, pl_render_body *body,
                         cli_paint *paint, pl_error *error);
void cli_paint_release(cli_paint *paint);

#endif
