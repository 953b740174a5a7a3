/* What is watched and written of a scene: probes, outputs, the view. */
#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "math/functions.h"
#include "pliant/world.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "world/quantity.h"

#include <string.h>

void pl_reader_build_probe(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_probe_def def = pl_probe_def_default();
  def.name = pl_item_name(item);
  def.quantity = pl_item_text(item, "quantity");
  pl_item_numbers(item, "at", def.at);
  const pl_quantity_ops *quantity = (const void *)pl_member_find(&pl_quantity_family, def.quantity);

  // what is not measured at a point can be that of the whole world
  pl_error error;
  pl_status status = PL_OK;
  const char *name = pl_item_text(item, "body");
  int body = name ? pl_reader_find(reader, "body", name) : reader->only_body;
  if (quantity->of_point && !pl_item_text(item, "at"))
    status = pl_fail(&error, PL_E_ARGUMENT,
                     "at is missing; add at=\"x y z\", a point of the body at rest");
  else if (quantity->of_point && body < 0 && reader->body_count > 1)
    status = pl_fail(&error, PL_E_ARGUMENT, "body is missing; there are %d bodies to choose from",
                     reader->body_count);
  if (pl_reader_failed(reader, index, status, &error)) return;
  if (body >= 0) def.body = reader->items[body].body;
  if ((body >= 0 || quantity->of_point) && !def.body.index1) return;
  pl_probe_id probe;
  pl_reader_failed(reader, index, pl_world_add_probe(scene->world, &def, &probe, &error), &error);
}

/* The format's settings, in one piece of memory with their words behind them: they outlive the
 * document. */
static void copy_settings(pl_reader *reader, pl_scene *scene, const pl_item *item,
                          const pl_member *format, pl_output *output)
{
  pl_choice choice = pl_item_choice(reader, item, 0);
  size_t count = (size_t)choice.setting_count, bytes = count * sizeof(pl_setting);
  for (size_t i = 0; i < count; i++) bytes += strlen(choice.settings[i].word) + 1;
  if (reader->stopped) return;
  pl_setting *settings = pl_alloc(&scene->allocator, bytes, 1);
  if (!settings) {
    pl_reader_report_memory(reader);
    return;
  }
  char *words = (char *)(settings + count);
  for (size_t i = 0; i < count; i++) {
    int param = pl_param_find(format, choice.settings[i].name);
    settings[i] = (pl_setting){.name = format->params[param].name, .word = words};
    words = strcpy(words, choice.settings[i].word) + strlen(choice.settings[i].word) + 1;
  }
  output->settings = settings;
  output->setting_count = (int)count;
}

void pl_reader_build_output(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  const pl_attribute *row = pl_attribute_find(item->element, "format");
  const pl_member *format = pl_attribute_member(row, pl_item_text(item, "format"));
  pl_output *output = &scene->outputs[scene->output_count++];
  const char *of = pl_item_text(item, "of");
  *output = (pl_output){.every = pl_item_number(item, "every"),
                        .format = format ? format->name : "",
                        .leaves_elements = strcmp(of, "surface") == 0,
                        .leaves_surface = strcmp(of, "elements") == 0,
                        .has_tensors = strcmp(pl_item_text(item, "fields"), "all") == 0};
  if (format) copy_settings(reader, scene, item, format, output);
}

static int are_parallel(const double a[3], const double b[3])
{
  double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double lengths = pl_hypot(pl_hypot(a[0], a[1]), a[2]) * pl_hypot(pl_hypot(b[0], b[1]), b[2]);
  return pl_hypot(pl_hypot(c[0], c[1]), c[2]) < 1e-6 * lengths;
}

void pl_reader_build_view(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_item_numbers(item, "direction", scene->view.direction);
  pl_item_numbers(item, "up", scene->view.up);
  scene->view.colour = pl_item_text(item, "colour");
  scene->view.glyphs = pl_item_text(item, "glyphs");
  if (!are_parallel(scene->view.direction, scene->view.up)) return;
  pl_error error;
  pl_fail(&error, PL_E_ARGUMENT, "direction and up are parallel; turn one of them");
  pl_reader_report_at(reader, index, &error);
}
