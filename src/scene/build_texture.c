/* How a body looks: its colour, or a picture: an image, and the file of its surface, which has its
 * texture coordinates.
 * Both are checked here; what shows bodies reads them. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "io/bitmap.h"
#include "io/texture.h"
#include "mesh/mesh.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>

static pl_status check_image(const pl_reader *reader, const char *path, pl_error *error)
{
  pl_bytes bytes;
  pl_bitmap bitmap;
  if (pl_bitmap_is(path)) {
    pl_status status = pl_bitmap_read(&reader->def->allocator, path, &bitmap, error);
    pl_bitmap_release(&reader->def->allocator, &bitmap);
    return status;
  }
  pl_status status = pl_image_file_read(&reader->def->allocator, path, &bytes, error);
  if (!status) pl_bytes_free(&reader->def->allocator, &bytes);
  return status;
}

/* surface: the file; NULL where the body is a grid. */
static pl_status add_texture(const pl_reader *reader, pl_scene *scene, pl_body_id body,
                             const char *image, const char *surface, pl_error *error)
{
  void *textures = scene->textures;
  char paths[2][PATH_MAX];
  pl_status status = pl_scene_path(reader->def, image, paths[0], sizeof paths[0], error);
  if (!status && surface)
    status = pl_scene_path(reader->def, surface, paths[1], sizeof paths[1], error);
  if (!status) status = check_image(reader, paths[0], error);
  if (!status && surface) status = pl_texture_check(paths[1], error);
  if (!status && surface && pl_bitmap_is(image))
    status = pl_fail(error, PL_E_UNSUPPORTED,
                     "surfaces from files take PNG and JPEG images; convert the texture");
  if (status) return status;
  size_t count = (size_t)scene->texture_count;
  if (pl_reserve(&scene->allocator, &textures, &scene->texture_room, count + 1,
                 sizeof *scene->textures))
    return pl_fail_memory(error);
  scene->textures = textures;
  pl_scene_texture *to = &scene->textures[scene->texture_count++];
  *to = (pl_scene_texture){body, pl_strdup(&scene->allocator, paths[0]),
                           surface ? pl_strdup(&scene->allocator, paths[1]) : NULL};
  return to->image && (to->surface || !surface) ? PL_OK : pl_fail_memory(error);
}

static pl_status add_colour(pl_scene *scene, const pl_item *item, pl_error *error)
{
  void *colours = scene->colours;
  if (pl_reserve(&scene->allocator, &colours, &scene->colour_room, scene->colour_count + 1,
                 sizeof *scene->colours))
    return pl_fail_memory(error);
  scene->colours = colours;
  pl_scene_colour *to = &scene->colours[scene->colour_count++];
  to->body = item->body;
  pl_item_numbers(item, "colour", to->rgb);
  return PL_OK;
}

void pl_reader_build_texture(pl_reader *reader, pl_scene *scene, int index, int shown)
{
  const pl_item *item = &reader->items[index];
  const char *image = pl_item_text(item, "texture");
  pl_error failed;
  if (item->body.index1 && pl_item_text(item, "colour") && add_colour(scene, item, &failed))
    pl_reader_report_at(reader, index, &failed);
  if (!image || !item->body.index1) return;
  const pl_item *mesh = &reader->items[shown];
  int is_surface = mesh->mesh && mesh->mesh->nodes_per_element == 3;
  const char *file = is_surface ? pl_item_text(mesh, "file") : NULL;
  int ok = file || (mesh->mesh && mesh->mesh->grid);
  pl_error error;
  if (!ok)
    pl_fail(&error, PL_E_ARGUMENT,
            "a texture needs a grid, or a surface from an .obj or .glb file; name its mesh by "
            "surface");
  if (!ok || add_texture(reader, scene, item->body, image, file, &error))
    pl_reader_report_at(reader, index, &error);
}
