/* Scenes: a file is read whole, checked against the tables and built into a world. */
#include "scene/scene.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "scene/reader.h"

#define COOKIE 0x5363656eu /* in def structs made by pl_scene_def_default */

enum { MOST_BYTES = 64 << 20 };

pl_scene_def pl_scene_def_default(void)
{
  return (pl_scene_def){.allocator = pl_allocator_default(), .cookie = COOKIE};
}

void pl_scene_destroy(pl_scene *scene)
{
  if (!scene) return;
  pl_allocator allocator = scene->allocator;
  pl_haptic_destroy(scene->hand);
  pl_world_destroy(scene->world);
  pl_bytes_free(&allocator, &scene->text);
  pl_free(&allocator, scene->title);
  pl_free(&allocator, scene->colour);
  pl_free(&allocator, scene->glyphs);
  for (int i = 0; i < scene->output_count; i++)
    pl_free(&allocator, (void *)scene->outputs[i].settings);
  pl_free(&allocator, scene->outputs);
  for (int i = 0; i < scene->texture_count; i++) {
    pl_free(&allocator, scene->textures[i].image);
    pl_free(&allocator, scene->textures[i].surface);
  }
  pl_free(&allocator, scene->textures);
  pl_free(&allocator, scene->colours);
  pl_free(&allocator, scene);
}

/* A def that is not one is refused. */
static pl_status check_def(const pl_scene_def *def, pl_error *error)
{
  if (!def || def->cookie != COOKIE)
    return pl_fail(error, PL_E_ARGUMENT,
                   "pl_scene_def is NULL or was not made by pl_scene_def_default()");
  if (!def->path) return pl_fail(error, PL_E_ARGUMENT, "pl_scene_def has no path");
  if (def->change_count < 0 || (def->change_count && !def->changes))
    return pl_fail(error, PL_E_ARGUMENT, "pl_scene_def has change_count = %d, but no changes",
                   def->change_count);
  for (int i = 0; i < def->change_count; i++) {
    if (!def->changes[i])
      return pl_fail(error, PL_E_ARGUMENT, "change %d of pl_scene_def is NULL", i);
  }
  return PL_OK;
}

pl_status pl_scene_load_memory(const pl_scene_def *given, const char *text, size_t size,
                               pl_scene **out, pl_error *error)
{
  *out = NULL;
  pl_status status = check_def(given, error);
  if (status) return status;
  pl_scene_def def = *given;
  def.allocator = pl_allocator_or_default(&given->allocator);
  pl_reader reader;
  pl_reader_open(&reader, &def, text, size);

  // what was refused is left out, so that the rest can be tried
  pl_scene *scene = pl_alloc(&def.allocator, 1, sizeof *scene);
  if (scene) scene->allocator = def.allocator;
  if (!scene)
    pl_reader_report_memory(&reader);
  else if (reader.item_count && !reader.stopped)
    pl_reader_build(&reader, scene);
  pl_reader_close(&reader);
  if (!reader.error_count) {
    *out = scene;
    return PL_OK;
  }
  pl_scene_destroy(scene);
  if (error) *error = reader.first;
  return reader.first.code;
}

pl_status pl_scene_convert(const pl_scene_def *def, const char *text, size_t size, pl_text *out,
                           pl_error *error)
{
  pl_status status = check_def(def, error);
  pl_reader reader = {.def = def};
  pl_error first;
  if (status) return status;
  if (pl_xml_parse(text, size, def->path, &def->allocator, &reader.document, &first)) {
    pl_reader_report(&reader, &first);
  } else {
    int found = pl_reader_convert(&reader, text, size, out);
    pl_fail_at(&first, PL_E_PARSE, def->path, 0,
               "has no <EDMConfig> and no <FEMesh>; there is nothing to convert");
    if (!found) pl_reader_report(&reader, &first);
  }
  pl_reader_close(&reader);
  if (!reader.error_count) return pl_text_ok(out, error);
  if (error) *error = reader.first;
  return reader.first.code;
}

pl_status pl_scene_load(const pl_scene_def *def, pl_scene **scene, pl_error *error)
{
  if (!scene) return pl_fail(error, PL_E_ARGUMENT, "pl_scene_load needs a place for the scene");
  *scene = NULL;
  pl_status status = check_def(def, error);
  if (status) return status;
  pl_allocator allocator = pl_allocator_or_default(&def->allocator);
  pl_bytes bytes;
  pl_error refused;
  status = pl_file_read(&allocator, def->path, MOST_BYTES, &bytes, &refused);
  if (status) {
    pl_error_locate(&refused, status, def->path, 0);
    if (def->report) def->report(def->report_context, &refused);
    if (error) *error = refused;
    return status;
  }
  status = pl_scene_load_memory(def, bytes.data, bytes.size, scene, error);
  if (!status)
    (*scene)->text = bytes;
  else
    pl_bytes_free(&allocator, &bytes);
  return status;
}

pl_world *pl_scene_world(pl_scene *scene) { return scene->world; }
const char *pl_scene_title(const pl_scene *scene) { return scene->title; }
double pl_scene_duration(const pl_scene *scene) { return scene->duration; }

int pl_scene_is_real_time(const pl_scene *scene) { return scene && scene->real_time; }
int pl_scene_output_count(const pl_scene *scene) { return scene->output_count; }

const pl_output *pl_scene_output(const pl_scene *scene, int index)
{
  return index >= 0 && index < scene->output_count ? &scene->outputs[index] : NULL;
}

const pl_view *pl_scene_view(const pl_scene *scene) { return &scene->view; }

const double *pl_scene_colour_of(const pl_scene *scene, pl_body_id body)
{
  for (size_t i = 0; i < scene->colour_count; i++)
    if (scene->colours[i].body.index1 == body.index1) return scene->colours[i].rgb;
  return NULL;
}

const pl_scene_texture *pl_scene_texture_of(const pl_scene *scene, pl_body_id body)
{
  for (int i = 0; i < scene->texture_count; i++)
    if (scene->textures[i].body.index1 == body.index1) return &scene->textures[i];
  return NULL;
}

pl_haptic *pl_scene_hand(pl_scene *scene) { return scene ? scene->hand : NULL; }

pl_status pl_scene_step(pl_scene *scene, pl_error *error)
{
  if (!scene) return pl_fail(error, PL_E_ARGUMENT, "pl_scene_step needs a scene");
  return scene->hand ? pl_haptic_step(scene->hand, error) : pl_world_step(scene->world, error);
}
