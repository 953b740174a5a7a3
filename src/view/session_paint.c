/* Pictures on bodies: read when a scene is described, and left out with a notice where that fails.
 */
#include "core/error.h"
#include "core/memory.h"
#include "io/bitmap.h"
#include "io/texture.h"
#include "mesh/grid.h"
#include "picture/png.h"
#include "scene/scene.h"
#include "view/session_parts.h"

enum { MOST_TEXTURES = 8 };

/* An image as browsers know it. */
static pl_status read_image(const pl_allocator *allocator, const char *path, pl_text *out,
                            pl_error *error)
{
  pl_bytes bytes;
  pl_bitmap bitmap;
  if (!pl_bitmap_is(path)) {
    pl_status status = pl_image_file_read(allocator, path, &bytes, error);
    if (status) return status;
    pl_text_bytes(out, bytes.data, bytes.size);
    pl_bytes_free(allocator, &bytes);
    return pl_text_ok(out, error);
  }
  pl_status status = pl_bitmap_read(allocator, path, &bitmap, error);
  const pl_image image = {bitmap.width, bitmap.height, 3, bitmap.pixels};
  if (!status) status = pl_png_write(&image, out, error);
  pl_bitmap_release(allocator, &bitmap);
  return status;
}

/* The picture of one part of the surface, added to the message. */
static pl_status add_picture(pl_session *session, const pl_scene_texture *texture, pl_text *out,
                             pl_error *error)
{
  const pl_surface *surface = &session->surface;
  const pl_surface_part *part = &surface->parts[texture->body.index1 - 1];
  const pl_mesh *mesh = pl_surface_mesh(session->world, texture->body);
  size_t corners = 3 * (size_t)part->triangles;
  int *triangles = pl_alloc(&session->allocator, corners, sizeof *triangles);
  float *spots = pl_alloc(&session->allocator, 2 * corners, sizeof *spots);
  pl_text image = pl_text_make(&session->allocator);
  pl_status status = triangles && spots ? PL_OK : pl_fail_memory(error);
  for (size_t i = 0; !status && i < corners; i++)
    triangles[i] = surface->nodes[surface->triangles[3 * (size_t)part->first_triangle + i]];
  if (!status && texture->surface)
    status = pl_texture_find(texture->surface, pl_mesh_nodes(mesh), triangles, part->triangles,
                             &session->allocator, spots, error);
  else if (!status)
    status = pl_grid_spots(mesh, triangles, 3, part->triangles, &session->allocator, spots, error);
  if (!status) status = read_image(&session->allocator, texture->image, &image, error);
  if (!status)
    pl_write_texture(out, texture->body.index1 - 1, part->triangles, spots, image.data, image.size);
  pl_text_release(&image);
  pl_free(&session->allocator, triangles);
  pl_free(&session->allocator, spots);
  return status;
}

void pl_session_tell_textures(pl_session *session)
{
  pl_text pictures = pl_text_make(&session->allocator), message = pl_text_make(&session->allocator);
  int count = 0;
  for (int i = 0; i < session->scene->texture_count; i++) {
    pl_error error;
    if (count == MOST_TEXTURES) {
      pl_session_notice(session, 0, "only the first %d textures are shown", MOST_TEXTURES);
      break;
    }
    if (add_picture(session, &session->scene->textures[i], &pictures, &error))
      pl_session_notice_error(session, &error);
    else
      count++;
  }
  pl_write_textures(&message, session->scene_number, count);
  if (count) pl_text_bytes(&message, pictures.data, pictures.size);
  if (!message.failed && !pictures.failed)
    pl_board_post(session->board, PL_SLOT_TEXTURES, message.data, message.size);
  pl_text_release(&pictures);
  pl_text_release(&message);
}
