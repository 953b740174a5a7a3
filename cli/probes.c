#include "probes.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SERIES = 64 };

/* One write per row: a killed run leaves whole rows only. A failed one is cut off again. */
static pl_status write_row(cli_record *record, const pl_text *text, pl_error *error)
{
  pl_status status = pl_text_ok(text, error);
  if (status) return status;
  off_t end = lseek(record->file, 0, SEEK_END);
  ssize_t written = write(record->file, text->data, text->size);
  if (written == (ssize_t)text->size) return PL_OK;
  int reason = written < 0 ? errno : ENOSPC;
  if (ftruncate(record->file, end)) reason = errno;
  return pl_fail_at(error, PL_E_IO, record->path, 0, "cannot be written: %s", strerror(reason));
}

/* CSV words stand in quotes where they hold a comma or a quote. */
static void add_name(pl_text *text, const char *name, const char *suffix)
{
  int quoted = strpbrk(name, ",\"\n") != NULL;
  pl_text_add(text, ",%s", quoted ? "\"" : "");
  for (; *name; name++) {
    if (*name == '"') pl_text_bytes(text, name, 1);
    pl_text_bytes(text, name, 1);
  }
  pl_text_add(text, "%s%s", suffix, quoted ? "\"" : "");
}

static pl_status write_header(cli_record *record, pl_world *world, pl_error *error)
{
  static const char *const axes[] = {".x", ".y", ".z"};
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "time");
  record->columns = 1;
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    pl_probe_id id = pl_world_probe_at(world, i);
    int width = pl_world_probe_width(world, id);
    for (int k = 0; k < width; k++)
      add_name(&text, pl_world_probe_name(world, id), width == 3 ? axes[k] : "");
    record->columns += width;
  }
  pl_text_add(&text, "\n");
  pl_status status = write_row(record, &text, error);
  pl_text_release(&text);
  return status;
}

pl_status cli_record_open(cli_record *record, pl_world *world, const char *folder, pl_error *error)
{
  *record = (cli_record){.file = -1};
  if (pl_world_probe_count(world) == 0) return PL_OK;
  pl_status status = pl_path_join(record->path, sizeof record->path, folder, "probes.csv", error);
  if (status) return status;
  record->file = open(record->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (record->file < 0)
    return pl_fail_at(error, PL_E_IO, record->path, 0, "cannot be written: %s", strerror(errno));
  return write_header(record, world, error);
}

/* A table with such values would look like a result. */
static pl_status fail_number(const pl_world *world, pl_probe_id id, double value, pl_error *error)
{
  return pl_fail(error, PL_E_DIVERGED,
                 "probe \"%.80s\" is %g: the motion has left what can be computed; take a smaller "
                 "dt or more damping",
                 pl_world_probe_name(world, id), value);
}

pl_status cli_record_add(cli_record *record, pl_world *world, pl_error *error)
{
  if (record->file < 0) return PL_OK;
  pl_allocator allocator = pl_allocator_default();
  size_t columns = (size_t)record->columns;
  void *rows = record->rows;
  if (pl_reserve(&allocator, &rows, &record->room, (record->count + 1) * columns, sizeof(double)))
    return pl_fail_memory(error);
  record->rows = rows;
  double *row = record->rows + record->count * columns;
  int column = 0;
  row[column++] = pl_world_time(world);
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    pl_probe_id id = pl_world_probe_at(world, i);
    double value[3];
    pl_status status = pl_world_read_probe(world, id, value, error);
    if (status) return status;
    for (int k = 0; k < pl_world_probe_width(world, id); k++) {
      row[column++] = value[k];
      if (!isfinite(value[k])) return fail_number(world, id, value[k], error);
    }
  }
  pl_text text = pl_text_make(NULL);
  for (int i = 0; i < record->columns; i++) {
    if (i) pl_text_add(&text, ",");
    pl_text_number(&text, row[i]);
  }
  pl_text_add(&text, "\n");
  pl_status status = write_row(record, &text, error);
  pl_text_release(&text);
  if (!status) record->count++;
  return status;
}

pl_status cli_plot_curves(const cli_curves *of, const char *path, pl_error *error)
{
  pl_plot plot = pl_plot_default();
  plot.title = of->title;
  plot.x.label = "time";
  plot.x.unit = "s";
  plot.y.label = of->label;
  plot.y.unit = of->unit;
  plot.series = of->series;
  plot.series_count = of->count;
  pl_text text = pl_text_make(NULL);
  pl_status status = pl_plot_svg(&plot, &text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

/* All probes of one unit in one plot. */
static pl_status plot_unit(const cli_record *record, pl_world *world, const char *unit,
                           const char *path, const char *title, pl_error *error)
{
  static const char *const axes[] = {".x", ".y", ".z"};
  pl_plot_series series[MOST_SERIES];
  char names[MOST_SERIES][80];
  const char *quantity = NULL;
  int used = 0, column = 1, mixed = 0;
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    pl_probe_id id = pl_world_probe_at(world, i);
    int width = pl_world_probe_width(world, id);
    for (int k = 0; k < width; k++, column++) {
      if (strcmp(pl_world_probe_unit(world, id), unit) || used == MOST_SERIES) continue;
      mixed |= quantity && strcmp(quantity, pl_world_probe_quantity(world, id));
      quantity = pl_world_probe_quantity(world, id);
      snprintf(names[used], sizeof names[0], "%.70s%s", pl_world_probe_name(world, id),
               width == 3 ? axes[k] : "");
      series[used] = (pl_plot_series){.name = names[used],
                                      .count = record->count,
                                      .x = record->rows,
                                      .y = record->rows + column,
                                      .x_stride = (size_t)record->columns,
                                      .y_stride = (size_t)record->columns};
      used++;
    }
  }
  const cli_curves all = {series, used, mixed ? "probes" : quantity, unit, title};
  return cli_plot_curves(&all, path, error);
}

/* Is this the first probe with its unit? */
static int first_of_unit(pl_world *world, int index)
{
  const char *unit = pl_world_probe_unit(world, pl_world_probe_at(world, index));
  for (int i = 0; i < index; i++) {
    if (strcmp(pl_world_probe_unit(world, pl_world_probe_at(world, i)), unit) == 0) return 0;
  }
  return 1;
}

pl_status cli_record_plot(cli_record *record, pl_world *world, const char *folder,
                          const char *title, pl_error *error)
{
  int units = 0;
  for (int i = 0; i < pl_world_probe_count(world); i++) units += first_of_unit(world, i);
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    if (!first_of_unit(world, i)) continue;
    const char *unit = pl_world_probe_unit(world, pl_world_probe_at(world, i));
    char name[64] = "probes.svg", path[4096];
    if (units > 1) snprintf(name, sizeof name, "probes-%.40s.svg", unit);
    for (char *letter = name; *letter; letter++) {
      if (!isalnum((unsigned char)*letter) && !strchr(".-", *letter)) *letter = '_';
    }
    pl_status status = pl_path_join(path, sizeof path, folder, name, error);
    if (!status) status = plot_unit(record, world, unit, path, title, error);
    if (status) return status;
  }
  return PL_OK;
}

void cli_record_close(cli_record *record)
{
  pl_allocator allocator = pl_allocator_default();
  if (record->file >= 0) close(record->file);
  pl_free(&allocator, record->rows);
  *record = (cli_record){.file = -1};
}
