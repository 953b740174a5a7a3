/* Pictures on bodies: read when a scene is described, and left out with a notice where that fails.
 */
#include "core/error.h"
#include "core/memory.h"
#include "io/texture.h"
#include "scene/scene.h"
#include "view/session_parts.h"

enum { MOST_TEXTURES = 8 };

/* The picture of one part of the surface, added to the message. */
static pl_status add_picture(pl_session *session, const pl_scene_texture *texture, pl_text *out,
                             pl_error *error)
{
  const pl_surface *surface = &session->surface;
  const pl_surface_part *part = &surface->parts[texture->body.index1 - 1];
  const double *rest = pl_mesh_nodes(pl_surface_mesh(session->world, texture->body));
  size_t corners = 3 * (size_t)part->triangles;
  int *triangles = pl_alloc(&session->allocator, corners, sizeof *triangles);
  float *spots = pl_alloc(&session->allocator, 2 * corners, sizeof *spots);
  pl_bytes image = {0};
  pl_status status = triangles && spots ? PL_OK : pl_fail_memory(error);
  for (size_t i = 0; !status && i < corners; i++)
    triangles[i] = surface->nodes[surface->triangles[3 * (size_t)part->first_triangle + i]];
  if (!status)
    status = pl_texture_find(texture->surface, rest, triangles, part->triangles,
                             &session->allocator, spots, error);
  if (!status) status = pl_image_file_read(&session->allocator, texture->image, &image, error);
  if (!status) {
    pl_write_texture(out, texture->body.index1 - 1, part->triangles, spots, image.data, image.size);
    pl_bytes_free(&session->allocator, &image);
  }
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
