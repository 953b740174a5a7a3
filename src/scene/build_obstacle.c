/* The obstacles of a scene: their shapes, surfaces, parts and motions. */
#include "core/error.h"
#include "core/memory.h"
#include "io/voxels.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>

static int is_named(const pl_item *item, const char *name)
{
  return !item->element->family && strcmp(item->element->name, name) == 0;
}

/* The mesh that an item names; 0: it is bad. */
static int mesh_of(const pl_reader *reader, const pl_item *item, const pl_mesh **mesh)
{
  const char *name = pl_item_text(item, "mesh");
  int found = name ? pl_reader_find(reader, "mesh", name) : -1;
  *mesh = found >= 0 ? reader->items[found].mesh : NULL;
  return !name || *mesh;
}

/* The shape's own settings and those of the surface. */
static pl_choice choice_of(pl_reader *reader, const pl_item *item)
{
  static const char *const surface[] = {"friction", "static-friction", "restitution", "margin"};
  pl_choice own = pl_item_choice(reader, item, 0);
  pl_setting *all = pl_reader_alloc(reader, (size_t)own.setting_count + 4, sizeof *all);
  if (reader->stopped) return own;
  if (own.setting_count) memcpy(all, own.settings, (size_t)own.setting_count * sizeof *all);
  for (int i = 0; i < 4; i++) {
    const char *text = pl_item_text(item, surface[i]);
    if (text) all[own.setting_count++] = (pl_setting){.name = surface[i], .word = text};
  }
  own.settings = all;
  return own;
}

/* Grey values over their white as heights; a picture's first row is the farthest along y. */
static pl_status read_heights(pl_reader *reader, const char *file, pl_obstacle_def *def,
                              pl_error *error)
{
  char path[PATH_MAX];
  pl_voxels image = {0};
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, error);
  if (!status) status = pl_voxels_read(path, &reader->def->allocator, &image, error);
  if (!status && image.size[2] != 1)
    status = pl_fail(error, PL_E_ARGUMENT, "%.200s has %d slices; heights are one picture", file,
                     image.size[2]);
  size_t columns = (size_t)image.size[0], rows = (size_t)image.size[1];
  double *heights = status ? NULL : pl_reader_alloc(reader, columns * rows, sizeof *heights);
  for (size_t i = 0; heights && i < columns * rows; i++)
    heights[i] = image.values[(rows - 1 - i / columns) * columns + i % columns] / image.full;
  pl_voxels_release(&reader->def->allocator, &image);
  def->columns = (int)columns;
  def->rows = (int)rows;
  def->heights = heights;
  return status;
}

int pl_reader_parts(pl_reader *reader, int index, const pl_part_def **parts, int *part_count)
{
  const pl_item *items = reader->items;
  int first = index + 1, count = items[index].end - first;
  pl_part_def *list = pl_reader_alloc(reader, (size_t)count, sizeof *list);
  int *depth = pl_reader_alloc(reader, (size_t)count, sizeof *depth);
  *part_count = 0;
  for (int i = 0; i < count && !reader->stopped; i++) {
    const pl_item *item = &items[first + i];
    if (item->bad) return 0;
    if (!item->element->family) continue; // a motion or its keys
    pl_part_def *to = &list[(*part_count)++];
    depth[i] = item->parent == index ? 1 : depth[item->parent - first] + 1;
    *to = (pl_part_def){.shape = pl_item_choice(reader, item, 0), .depth = depth[i]};
    if (!mesh_of(reader, item, &to->mesh)) return 0;
  }
  *parts = list;
  return !reader->stopped;
}

static int key_count(const pl_reader *reader, int motion)
{
  return reader->items[motion].end - motion - 1;
}

static void keys_of(pl_reader *reader, int index, pl_motion_def *to)
{
  int count = key_count(reader, index);
  pl_motion_key *keys = pl_reader_alloc(reader, (size_t)count, sizeof *keys);
  for (int i = 0; i < count && !reader->stopped; i++) {
    const pl_item *item = &reader->items[index + 1 + i];
    keys[i].time = pl_item_number(item, "time");
    pl_item_numbers(item, "translation", keys[i].translation);
    pl_item_numbers(item, "rotation", keys[i].rotation);
  }
  to->keys = keys;
  to->key_count = count;
}

static void motions_of(pl_reader *reader, int index, pl_obstacle_def *def)
{
  const pl_item *items = reader->items;
  pl_motion_def *motions =
      pl_reader_alloc(reader, (size_t)(items[index].end - index), sizeof *motions);
  for (int i = index + 1; i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!is_named(&items[i], "motion")) continue;
    pl_motion_def *to = &motions[def->motion_count++];
    *to = (pl_motion_def){.motion = pl_item_choice(reader, &items[i], 0)};
    keys_of(reader, i, to);
  }
  def->motions = motions;
}

void pl_reader_build_obstacle(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_obstacle_def def = pl_obstacle_def_default();
  pl_error error;
  def.name = pl_item_name(item);
  def.shape = choice_of(reader, item);
  if (!mesh_of(reader, item, &def.mesh) ||
      !pl_reader_parts(reader, index, &def.parts, &def.part_count))
    return;
  motions_of(reader, index, &def);
  const char *file = pl_item_text(item, "file");
  pl_obstacle_id obstacle = {0};
  pl_status status = file ? read_heights(reader, file, &def, &error) : PL_OK;
  if (reader->stopped) return;
  if (!status) status = pl_world_add_obstacle(scene->world, &def, &obstacle, &error);
  if (status) pl_reader_report_at(reader, index, &error);
  reader->items[index].obstacle = obstacle;
}
