/* From checked items to a world: the world itself, then each kind of item by its own file. */
#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "core/memory.h"
#include "io/recording.h"
#include "pliant/world.h"
#include "scene/planet.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>

/* Calls build for every item of a kind in the root. */
static void each(pl_reader *reader, pl_scene *scene, const char *kind,
                 void (*build)(pl_reader *reader, pl_scene *scene, int item))
{
  for (int i = 1; i < reader->items[0].end && !reader->stopped; i = reader->items[i].end) {
    if (pl_item_is(&reader->items[i], kind)) build(reader, scene, i);
  }
}

/* The only item of a kind, NULL if there is none or it has an error. */
static const pl_item *only(const pl_reader *reader, const char *kind)
{
  for (int i = 1; i < reader->items[0].end; i = reader->items[i].end) {
    const pl_item *item = &reader->items[i];
    if (!item->bad && pl_item_is(item, kind)) return item;
  }
  return NULL;
}

static void build_world(pl_reader *reader, pl_scene *scene)
{
  pl_world_def def = pl_world_def_default();
  def.allocator = reader->def->allocator;
  def.log = reader->def->log;
  def.threads = reader->def->threads;
  def.cache = reader->def->cache;
  def.ranks = reader->def->ranks;

  // what has an error keeps its presets, so that the rest can be checked
  const pl_item *world = only(reader, "world");
  const pl_item *integrator = only(reader, "integrator"), *solver = only(reader, "solver");
  if (world) {
    int auto_step = strcmp(pl_item_text(world, "dt"), "auto") == 0;
    def.dt = auto_step ? 1.0 / 60 : pl_item_number(world, "dt");
    def.substeps = !auto_step && strcmp(pl_item_text(world, "substeps"), "auto") != 0;
    def.allow_unstable = strcmp(pl_item_text(world, "unstable"), "warn") == 0;
    scene->duration = pl_item_number(world, "duration");
    if (!pl_planet_gravity(pl_item_text(world, "gravity"), def.gravity))
      pl_item_numbers(world, "gravity", def.gravity);
    def.halvings = (int)pl_item_number(world, "halvings");
    def.budget = (int)pl_item_number(world, "budget");
    def.time_budget = 1e-3 * pl_item_number(world, "budget-ms");
    scene->real_time = strcmp(pl_item_text(world, "real-time"), "yes") == 0;
    def.tolerance = pl_item_number(world, "tolerance");
    pl_error too_long;
    if (scene->duration > 0 && def.dt > scene->duration * (1 + 1e-9))
      pl_reader_failed(reader, (int)(world - reader->items),
                       pl_fail(&too_long, PL_E_ARGUMENT,
                               "dt = %g must not be longer than the duration of %g s", def.dt,
                               scene->duration),
                       &too_long);
  }
  if (integrator) def.integrator = pl_item_choice(reader, integrator, 0);
  if (solver) {
    def.solver = pl_item_choice(reader, solver, 0);
    // without a name the world may take another
    if (!pl_item_text(solver, "method")) def.solver.name = NULL;
    def.preconditioner = pl_item_choice(reader, solver, 1);
  }
  pl_error error;
  if (reader->stopped) return;
  if (pl_world_create(&def, &scene->world, &error))
    pl_reader_report_at(reader, world ? (int)(world - reader->items) : 0, &error);
}

/* The view where the scene has none: the table's presets. */
static void preset_view(pl_view *view)
{
  const pl_element *element = pl_element_child(&pl_scene_root, "view");
  const pl_attribute *direction = pl_attribute_find(element, "direction");
  const pl_attribute *up = pl_attribute_find(element, "up");
  pl_param_parse(&direction->param, direction->preset, view->direction, NULL);
  pl_param_parse(&up->param, up->preset, view->up, NULL);
  view->colour = pl_attribute_find(element, "colour")->preset;
  view->glyphs = pl_attribute_find(element, "glyphs")->preset;
}

/* Texts and outputs that outlive the document. */
static void build_rest(pl_reader *reader, pl_scene *scene)
{
  const pl_allocator *allocator = &scene->allocator;
  const char *title = pl_item_text(&reader->items[0], "title");
  preset_view(&scene->view);
  each(reader, scene, "view", pl_reader_build_view);
  scene->title = pl_strdup(allocator, title ? title : pl_path_name(reader->def->path));
  scene->colour = pl_strdup(allocator, scene->view.colour);
  scene->outputs = pl_alloc(allocator, (size_t)reader->item_count, sizeof *scene->outputs);
  scene->glyphs = pl_strdup(allocator, scene->view.glyphs);
  scene->view.colour = scene->colour;
  scene->view.glyphs = scene->glyphs;
  if (!scene->title || !scene->colour || !scene->glyphs || !scene->outputs) {
    pl_reader_report_memory(reader);
    return;
  }
  each(reader, scene, "output", pl_reader_build_output);
}

/* Puts the finished world into the state that it is to begin with. */
static void build_start(pl_reader *reader, pl_scene *scene)
{
  const pl_item *world = only(reader, "world");
  const char *file = world && !world->bad ? pl_item_text(world, "start") : NULL;
  if (!file || reader->error_count || reader->stopped) return;
  char path[PATH_MAX];
  pl_error error;
  pl_recording *recording = NULL;
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, &error);
  if (!status) status = pl_recording_open(path, &scene->allocator, &recording, &error);
  if (!status)
    status = pl_recording_load(recording, pl_recording_count(recording) - 1, scene->world, &error);
  if (status) pl_reader_report_at(reader, (int)(world - reader->items), &error);
  pl_recording_close(recording);
}

void pl_reader_build(pl_reader *reader, pl_scene *scene)
{
  reader->only_body = -1;
  build_world(reader, scene);
  if (!scene->world) return;
  each(reader, scene, "mesh", pl_reader_build_mesh);
  each(reader, scene, "material", pl_reader_check_material);
  each(reader, scene, "body", pl_reader_build_body);
  each(reader, scene, "obstacle", pl_reader_build_obstacle);
  each(reader, scene, "body", pl_reader_build_attachments);
  each(reader, scene, "contact", pl_reader_build_contact);
  each(reader, scene, "hand", pl_reader_build_hand);
  each(reader, scene, "guide", pl_reader_build_guide);
  each(reader, scene, "probe", pl_reader_build_probe);
  build_rest(reader, scene);
  build_start(reader, scene);
}
