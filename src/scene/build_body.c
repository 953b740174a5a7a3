/* Bodies of a scene: mesh, material and model, frames, parts, maps. */
#include "body/map.h"
#include "io/voxels.h"
#include "mesh/mesh.h"
#include "model/frames/frames.h"
#include "pliant/world.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>

/* Reports what is wrong with a body's frames at the frame itself; 1 if nothing is. */
static int check_frames(pl_reader *reader, int index, const pl_body_def *def)
{
  const pl_item *items = reader->items;
  pl_error error;
  int wrong;
  // a body that is moved says by itself what is wrong
  for (int k = 0; k < 3; k++) {
    if (def->translation[k] != 0 || def->rotation[k] != 0) return 1;
  }
  if (!pl_frames_check(def->mesh, def->site_count, def->sites, 1, &wrong, &error)) return 1;
  int at = index + 1;
  for (; !pl_item_is(&items[at], "frame") || wrong-- > 0; at = items[at].end) continue;
  pl_reader_report_at(reader, at, &error);
  return 0;
}

/* The places of the body's frames; 1 if all can be used. */
static int frames_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  double *at = pl_reader_alloc(reader, (size_t)room, 3 * sizeof *at);
  pl_site_region *alone = pl_reader_alloc(reader, (size_t)room, sizeof *alone);
  for (int i = index + 1; at && alone && i < items[index].end; i = items[i].end) {
    if (!pl_item_is(&items[i], "frame")) continue;
    bad |= items[i].bad;
    if (items[i].bad) continue;
    pl_site_region *region = &alone[def->site_count];
    pl_item_numbers(&items[i], "at", at + (size_t)(3 * def->site_count++));
    if (items[i].end == i + 1) continue;
    region->where = pl_reader_regions(reader, i, &region->count);
    bad |= !region->where;
    def->site_regions = alone;
  }
  def->sites = at;
  return at && alone && !bad && check_frames(reader, index, def);
}

/* Whether its mesh is refined while it moves; 1 if that can be used. */
static int refinement_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  for (int i = index + 1; i < items[index].end; i = items[i].end) {
    if (!pl_item_is(&items[i], "refine")) continue;
    double levels, start, wait;
    if (items[i].bad) return 0;
    pl_item_numbers(&items[i], "levels", &levels);
    pl_item_numbers(&items[i], "start", &start);
    pl_item_numbers(&items[i], "wait", &wait);
    def->refine = (pl_refine_def){.levels = (int)levels, .start = (int)start, .wait = (int)wait};
    def->refine.indicator = pl_item_choice(reader, &items[i], 0);
  }
  return 1;
}

/* Where the body is made of something else; 1 if all can be used. */
static int parts_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  pl_body_part *parts = pl_reader_alloc(reader, (size_t)room, sizeof *parts);
  for (int i = index + 1; parts && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!pl_item_is(&items[i], "part")) continue;
    const char *name = pl_item_text(&items[i], "material");
    int material = name ? pl_reader_find(reader, "material", name) : -1;
    pl_body_part *part = &parts[def->part_count];
    part->where = pl_reader_regions(reader, i, &part->where_count);
    if (!part->where || material < 0 || items[material].bad) {
      bad = 1;
      continue;
    }
    part->material = pl_reader_material(reader, &items[material]);
    def->part_count++;
  }
  def->parts = parts;
  return parts && !bad;
}

/* The factors of its density and stiffness; 1 if all can be used. images are room for as many
 * images as there are items. */
static int maps_of(pl_reader *reader, int index, pl_body_def *def, pl_voxels *images)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  pl_map_def *maps = pl_reader_alloc(reader, (size_t)room, sizeof *maps);
  for (int i = index + 1; maps && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!pl_item_is(&items[i], "map")) continue;
    bad |= items[i].bad;
    if (items[i].bad) continue;
    const char *of = pl_item_text(&items[i], "of"), *file = pl_item_text(&items[i], "file");
    pl_map_def *map = &maps[def->map_count];
    pl_voxels *image = &images[def->map_count];
    map->of = strcmp(of, "density") == 0 ? PL_MAPPED_DENSITY
              : strcmp(of, "both") == 0  ? PL_MAPPED_BOTH
                                         : PL_MAPPED_STIFFNESS;
    map->map = pl_item_choice(reader, &items[i], 0);
    if (reader->stopped) break;
    pl_error error;
    pl_status status = PL_OK;
    if (file) {
      char path[PATH_MAX];
      status = pl_scene_path(reader->def, file, path, sizeof path, &error);
      if (!status) status = pl_voxels_read(path, &reader->def->allocator, image, &error);
      map->image = image;
    }
    if (!status) status = pl_map_check(map, &error);
    bad |= pl_reader_failed(reader, i, status, &error);
    def->map_count++;
  }
  def->maps = maps;
  return maps && !bad;
}

/* The nodes of the mesh that the body starts as; 0 if it cannot be that. */
static int start_of(pl_reader *reader, int index, pl_body_def *def)
{
  const char *name = pl_item_text(&reader->items[index], "start");
  int mesh = name ? pl_reader_find(reader, "mesh", name) : -1;
  if (!name) return 1;
  if (mesh < 0 || !reader->items[mesh].mesh) return 0;
  const pl_mesh *start = reader->items[mesh].mesh, *rest = def->mesh;
  size_t count = (size_t)rest->element_count * (size_t)rest->nodes_per_element;
  int same = start->node_count == rest->node_count && start->element_count == rest->element_count &&
             start->nodes_per_element == rest->nodes_per_element &&
             memcmp(start->elements, rest->elements, count * sizeof *rest->elements) == 0;
  if (same) {
    def->start = start->nodes;
    return 1;
  }
  pl_error error;
  pl_status status =
      pl_fail(&error, PL_E_ARGUMENT,
              "mesh \"%.80s\" has other elements than the body's own, so the body cannot start as "
              "it; give one that differs in its nodes' positions only",
              name);
  pl_reader_failed(reader, index, status, &error);
  return 0;
}

void pl_reader_build_body(pl_reader *reader, pl_scene *scene, int index)
{
  reader->only_body = reader->body_count++ ? -1 : index;
  pl_item *item = &reader->items[index];
  const char *mesh_name = pl_item_text(item, "mesh"),
             *material_name = pl_item_text(item, "material");
  int mesh = mesh_name ? pl_reader_find(reader, "mesh", mesh_name) : -1;
  int material = material_name ? pl_reader_find(reader, "material", material_name) : -1;
  const char *surface_name = pl_item_text(item, "surface");
  int surface = surface_name ? pl_reader_find(reader, "mesh", surface_name) : -1;
  if (mesh < 0 || !reader->items[mesh].mesh) return;
  if (surface >= 0 && !reader->items[surface].mesh) item->bad = 1;

  if (!item->bad && material >= 0 && !reader->items[material].bad) {
    pl_body_def def = pl_body_def_default();
    def.name = pl_item_name(item);
    def.mesh = reader->items[mesh].mesh;
    def.material = pl_reader_material(reader, &reader->items[material]);
    def.model = pl_item_choice(reader, item, 0);
    def.surface = surface >= 0 ? reader->items[surface].mesh : NULL;
    pl_item_numbers(item, "translation", def.translation);
    pl_item_numbers(item, "rotation", def.rotation);
    pl_item_numbers(item, "stretch", def.stretch);
    pl_item_numbers(item, "velocity", def.velocity);
    pl_item_numbers(item, "spin", def.spin);
    pl_item_numbers(item, "insert", &def.insert_reach);
    def.average_hanging = strcmp(pl_item_text(item, "hanging"), "averaged") == 0;
    def.self_contact = strcmp(pl_item_text(item, "self-contact"), "yes") == 0;
    def.keep_momentum = strcmp(pl_item_text(item, "momentum"), "kept") == 0;
    pl_error error;
    size_t room = (size_t)(item->end - index);
    pl_voxels *images = pl_reader_alloc(reader, room, sizeof *images);
    int ok = images && frames_of(reader, index, &def) && parts_of(reader, index, &def) &&
             start_of(reader, index, &def);
    ok = ok && pl_reader_particles(reader, index, &def) && refinement_of(reader, index, &def);
    ok = ok && pl_reader_tailoring(reader, index, mesh, &def);
    if (ok && maps_of(reader, index, &def, images) && !reader->stopped)
      pl_reader_failed(reader, index, pl_world_add_body(scene->world, &def, &item->body, &error),
                       &error);
    for (size_t i = 0; images && i < room; i++)
      pl_voxels_release(&reader->def->allocator, &images[i]);
    if (reader->stopped) return;
    pl_reader_build_texture(reader, scene, index, surface >= 0 ? surface : mesh);
  }
  const pl_mesh *placed = item->bad ? NULL : pl_world_body_mesh(scene->world, item->body);
  pl_reader_build_acts(reader, scene->world, index, item->body,
                       placed ? placed : reader->items[mesh].mesh);
}
