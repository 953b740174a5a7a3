/* The picture on a body: an image, and the file of its surface, which has its texture coordinates.
 * Both are checked here; what shows bodies reads them. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "io/texture.h"
#include "mesh/mesh.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>

static pl_status check_image(const pl_reader *reader, const char *path, pl_error *error)
{
  pl_bytes bytes;
  pl_status status = pl_image_file_read(&reader->def->allocator, path, &bytes, error);
  if (!status) pl_bytes_free(&reader->def->allocator, &bytes);
  return status;
}

static pl_status add_texture(const pl_reader *reader, pl_scene *scene, pl_body_id body,
                             const char *image, const char *surface, pl_error *error)
{
  void *textures = scene->textures;
  char paths[2][PATH_MAX];
  if (!surface)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a texture needs a surface from an .obj or .glb file; name its mesh by surface");
  pl_status status = pl_scene_path(reader->def, image, paths[0], sizeof paths[0], error);
  if (!status) status = pl_scene_path(reader->def, surface, paths[1], sizeof paths[1], error);
  if (!status) status = check_image(reader, paths[0], error);
  if (!status) status = pl_texture_check(paths[1], error);
  if (status) return status;
  size_t count = (size_t)scene->texture_count;
  if (pl_reserve(&scene->allocator, &textures, &scene->texture_room, count + 1,
                 sizeof *scene->textures))
    return pl_fail_memory(error);
  scene->textures = textures;
  pl_scene_texture *to = &scene->textures[scene->texture_count++];
  *to = (pl_scene_texture){body, pl_strdup(&scene->allocator, paths[0]),
                           pl_strdup(&scene->allocator, paths[1])};
  return to->image && to->surface ? PL_OK : pl_fail_memory(error);
}

void pl_reader_build_texture(pl_reader *reader, pl_scene *scene, int index, int shown)
{
  const pl_item *item = &reader->items[index];
  const char *image = pl_item_text(item, "texture");
  if (!image || !item->body.index1) return;
  const pl_item *mesh = &reader->items[shown];
  int is_surface = mesh->mesh && mesh->mesh->nodes_per_element == 3;
  pl_error error;
  if (add_texture(reader, scene, item->body, image, is_surface ? pl_item_text(mesh, "file") : NULL,
                  &error))
    pl_reader_report_at(reader, index, &error);
}
