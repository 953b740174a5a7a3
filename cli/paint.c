#include "paint.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/grid.h"
#include "pliant/world.h"

pl_status cli_paint_body(const pl_scene *scene, pl_body_id id, pl_render_body *body,
                         cli_paint *paint, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  const double *colour = pl_scene_colour_of(scene, id);
  const pl_scene_texture *texture = pl_scene_texture_of(scene, id);
  *paint = (cli_paint){0};
  // pure black would mean "chosen"
  for (int k = 0; k < 3 && colour; k++)
    body->colour[k] = (float)(colour[k] > 0.01 ? colour[k] : 0.01);
  if (!texture || texture->surface || !pl_bitmap_is(texture->image)) return PL_OK;
  size_t corners = (size_t)body->face_count * (size_t)body->nodes_per_face;
  const pl_mesh *mesh = pl_world_body_mesh(scene->world, id);
  paint->spots = pl_alloc(&allocator, 2 * corners, sizeof *paint->spots);
  if (!paint->spots) return pl_fail_memory(error);
  pl_status status = pl_bitmap_read(&allocator, texture->image, &paint->bitmap, error);
  if (!status)
    status = pl_grid_spots(mesh, body->faces, body->nodes_per_face, body->face_count, &allocator,
                           paint->spots, error);
  if (status) return status;
  paint->image = (pl_image){paint->bitmap.width, paint->bitmap.height, 3, paint->bitmap.pixels};
  body->picture = &paint->image;
  body->spots = paint->spots;
  return PL_OK;
}

void cli_paint_release(cli_paint *paint)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bitmap_release(&allocator, &paint->bitmap);
  pl_free(&allocator, paint->spots);
}
