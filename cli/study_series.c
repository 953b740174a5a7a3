/* Time series of a study's cases: series/case-N.csv with a line "# key", a header and the probes. A
 * file whose key is not the study's is as good as none. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int study_wants_series(const pl_study *study)
{
  for (int i = 0; i < study->plot_count; i++) {
    if (!study->plots[i].is_table && strcmp(study->plots[i].x, "time") == 0) return 1;
  }
  return 0;
}

static pl_status path_of(const study_table *table, int number, char *path, size_t size,
                         pl_error *error)
{
  char folder[4200], name[40];
  snprintf(name, sizeof name, "case-%d.csv", number + 1);
  pl_status status = pl_path_join(folder, sizeof folder, table->folder, "series", error);
  if (!status) status = pl_folder_make(folder, error);
  return status ? status : pl_path_join(path, size, folder, name, error);
}

void study_series_begin(const study_table *table, pl_text *text)
{
  pl_text_add(text, "# %s\ntime", table->key);
  for (int i = 0; i < table->probe_count; i++) pl_text_add(text, ",%s", table->probe_names[i]);
  pl_text_add(text, "\n");
}

pl_status study_series_add(const study_table *table, pl_world *world, pl_text *text,
                           pl_error *error)
{
  int place = 0;
  pl_text_number(text, pl_world_time(world));
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    double value[3];
    pl_probe_id id = pl_world_probe_at(world, i);
    pl_status status = pl_world_read_probe(world, id, value, error);
    if (status) return status;
    for (int k = 0; k < pl_world_probe_width(world, id) && place < table->probe_count; k++) {
      pl_text_add(text, ",");
      pl_text_number(text, value[k]);
      place++;
    }
  }
  pl_text_add(text, "\n");
  return PL_OK;
}

pl_status study_series_save(const study_table *table, int number, pl_text *text, pl_error *error)
{
  char path[4300];
  pl_status status = pl_text_ok(text, error);
  if (!status) status = path_of(table, number, path, sizeof path, error);
  return status ? status : pl_file_write(path, text->data, text->size, error);
}

/* The file, behind the line with its key. */
static pl_status open_series(const study_table *table, int number, pl_bytes *bytes,
                             const char **lines, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  char path[4300];
  size_t key = strlen(table->key);
  pl_status status = path_of(table, number, path, sizeof path, error);
  if (!status) status = pl_file_read(&allocator, path, 0, bytes, error);
  if (status) return status;
  if (bytes->size > key + 3 && strncmp(bytes->data, "# ", 2) == 0 &&
      strncmp(bytes->data + 2, table->key, key) == 0 && bytes->data[key + 2] == '\n') {
    *lines = bytes->data + key + 3;
    return PL_OK;
  }
  pl_bytes_free(&allocator, bytes);
  return pl_fail_at(error, PL_E_PARSE, path, 1, "is not a time series of this study");
}

int study_series_exists(const study_table *table, int number)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes = {0};
  const char *lines;
  if (open_series(table, number, &bytes, &lines, NULL)) return 0;
  pl_bytes_free(&allocator, &bytes);
  return 1;
}

/* The number in that place of a line; NaN where there is none. */
static double field(const char *line, int place)
{
  double value;
  for (int i = 0; i < place; i++) {
    line += strcspn(line, ",\n");
    if (*line != ',') return NAN;
    line++;
  }
  return pl_read_double(line, &value) == line ? NAN : value;
}

pl_status study_series_read(const study_table *table, int number, int column, double **times,
                            size_t *count, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes = {0};
  const char *lines;
  size_t rows = 0, used = 0;
  pl_status status = open_series(table, number, &bytes, &lines, error);
  if (status) return status;
  for (const char *c = lines; *c; c++) rows += *c == '\n';
  *times = pl_alloc(&allocator, 2 * rows + 2, sizeof **times);
  if (!*times) status = pl_fail_memory(error);
  // behind the header
  lines += strcspn(lines, "\n");
  for (lines += *lines == '\n'; !status && *lines && used < rows; used++) {
    (*times)[used] = field(lines, 0);
    (*times)[rows + used] = field(lines, column - PL_MOST_AXES - STUDY_METRIC_COUNT + 1);
    lines += strcspn(lines, "\n");
    lines += *lines == '\n';
  }
  if (!status) memmove(*times + used, *times + rows, used * sizeof **times);
  *count = used;
  pl_bytes_free(&allocator, &bytes);
  return status;
}
