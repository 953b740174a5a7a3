/* The hand of a scene, and the trace that its device repeats. */
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

/* Time, x, y, z at the beginning of a line; 0: it has no four numbers. */
static int read_row(const char *line, pl_haptic_sample *sample)
{
  double *numbers[] = {&sample->time, &sample->position[0], &sample->position[1],
                       &sample->position[2]};
  for (int k = 0; k < 4; k++) {
    const char *end = pl_read_double(line, numbers[k]);
    if (!end || end == line) return 0;
    line = end + strspn(end, ",; \t");
  }
  return 1;
}

/* Rows of numbers, below a first line that may name them. */
static pl_status read_rows(pl_reader *reader, const char *path, const char *text,
                           pl_haptic_def *def, pl_error *error)
{
  size_t lines = 1;
  for (const char *at = text; *at; at++) lines += *at == '\n';
  pl_haptic_sample *samples = pl_reader_alloc(reader, lines, sizeof *samples);
  int line = 0;
  for (const char *at = text; samples && *at; at += strcspn(at, "\n"), at += *at == '\n') {
    line++;
    if (strspn(at, " \t\r") == strcspn(at, "\n")) continue;
    if (read_row(at, &samples[def->sample_count]))
      def->sample_count++;
    else if (line > 1)
      return pl_fail_at(error, PL_E_PARSE, path, line, "a row needs time, x, y and z in numbers");
  }
  def->samples = samples;
  return PL_OK;
}

static pl_status read_trace(pl_reader *reader, const char *file, pl_haptic_def *def,
                            pl_error *error)
{
  char path[PATH_MAX];
  pl_bytes bytes = {0};
  const pl_allocator *allocator = &reader->def->allocator;
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, error);
  if (!status) status = pl_file_read(allocator, path, MOST_BYTES, &bytes, error);
  if (status) return status;
  status = read_rows(reader, path, bytes.data, def, error);
  pl_bytes_free(allocator, &bytes);
  return status;
}

void pl_reader_build_hand(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_haptic_def def = pl_haptic_def_default();
  pl_error error;
  const char *file = pl_item_text(item, "file"), *plane = pl_item_text(item, "plane");
  def.device = pl_item_choice(reader, item, 0);
  def.stiffness = pl_item_number(item, "stiffness");
  def.damping = pl_item_number(item, "damping");
  def.friction = pl_item_number(item, "friction");
  def.radius = pl_item_number(item, "radius");
  def.max_force = pl_item_number(item, "max-force");
  def.spin = pl_item_number(item, "spin");
  def.plane = *plane == 'm' ? PL_HAPTIC_MOVES : *plane == 's' ? PL_HAPTIC_STANDS : PL_HAPTIC_AUTO;
  if (!pl_reader_parts(reader, index, &def.tool, &def.tool_count)) return;
  pl_status status = file ? read_trace(reader, file, &def, &error) : PL_OK;
  if (reader->stopped) return;
  if (!status) status = pl_haptic_create(scene->world, &def, &scene->hand, &error);
  if (status) pl_reader_report_at(reader, index, &error);
}
