/* The results of a study: one row per case, kept in results.csv from which an interrupted study
 * goes on. results.key holds the hash of the study and scene that the rows belong to. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "study.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *unit;
} metrics[] = {
#define X(name, word, unit) {word, unit},
    STUDY_METRICS(X)
#undef X
};

/* ---- columns ---- */

static int find_measured(const study_table *table, const char *name)
{
  for (int i = 0; i < STUDY_METRIC_COUNT; i++) {
    if (strcmp(metrics[i].name, name) == 0) return i;
  }
  for (int i = 0; i < table->probe_count; i++) {
    if (strcmp(table->probe_names[i], name) == 0) return STUDY_METRIC_COUNT + i;
  }
  return -1;
}

int study_column(const study_table *table, const char *name)
{
  const pl_study *study = table->study;
  for (int i = 0; i < study->axis_count; i++) {
    if (strcmp(study->axes[i].name, name) == 0) return i;
  }
  int measured = find_measured(table, name);
  return measured < 0 ? -1 : PL_MOST_AXES + measured;
}

int study_probe_column(const study_table *table, const char *name)
{
  for (int i = 0; i < table->probe_count; i++) {
    if (strcmp(table->probe_names[i], name) == 0) return PL_MOST_AXES + STUDY_METRIC_COUNT + i;
  }
  return -1;
}

int study_is_measured(const study_table *table, const char *name)
{
  return find_measured(table, name) >= 0;
}

int study_column_words(const study_table *table, const char **words, int max)
{
  int count = 0;
  for (int i = 0; i < table->study->axis_count && count < max; i++)
    words[count++] = table->study->axes[i].name;
  for (int i = 0; i < STUDY_METRIC_COUNT && count < max; i++) words[count++] = metrics[i].name;
  for (int i = 0; i < table->probe_count && count < max; i++)
    words[count++] = table->probe_names[i];
  return count;
}

const char *study_column_unit(const study_table *table, int column)
{
  if (column < PL_MOST_AXES) return table->study->axes[column].unit;
  column -= PL_MOST_AXES;
  if (column == STUDY_found && table->study->bisect.path) return table->study->bisect.unit;
  return column < STUDY_METRIC_COUNT ? metrics[column].unit
                                     : table->probe_units[column - STUDY_METRIC_COUNT];
}

double study_value(const study_table *table, int number, int column)
{
  int options[PL_MOST_AXES];
  if (column >= PL_MOST_AXES) return table->rows[number].values[column - PL_MOST_AXES];
  pl_study_case(table->study, number, options);
  return table->study->axes[column].options[options[column]].number;
}

void study_word(const study_table *table, int number, int column, char *text, size_t size)
{
  int options[PL_MOST_AXES];
  pl_study_case(table->study, number, options);
  if (column < PL_MOST_AXES)
    snprintf(text, size, "%s", table->study->axes[column].options[options[column]].label);
  else if (table->rows[number].failure[0])
    snprintf(text, size, "failed");
  else
    pl_print(text, size, "%.4g", study_value(table, number, column));
}

void study_case_label(const pl_study *study, int number, char *text, size_t size)
{
  int options[PL_MOST_AXES];
  size_t used = 0;
  pl_study_case(study, number, options);
  if (size) *text = 0;
  for (int i = 0; i < study->axis_count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? ", " : "",
                             study->axes[i].name, study->axes[i].options[options[i]].label);
}

int study_fits(const study_table *table, int number, const char *where)
{
  char word[256];
  while (where && *where) {
    where += strspn(where, ", ");
    size_t name = strcspn(where, "="), value = where[name] ? strcspn(where + name + 1, ",") : 0;
    if (!where[name] || name >= sizeof word) return 0;
    memcpy(word, where, name);
    word[name] = 0;
    int column = study_column(table, word);
    if (column < 0 || column >= PL_MOST_AXES) return 0;
    study_word(table, number, column, word, sizeof word);
    if (strlen(word) != value || strncmp(word, where + name + 1, value) != 0) return 0;
    where += name + 1 + value;
  }
  return 1;
}

/* ---- results.csv ---- */

static void add_field(pl_text *text, const char *word)
{
  int quoted = strpbrk(word, ",\"\n") != NULL;
  if (quoted) pl_text_add(text, "\"");
  for (; *word; word++) {
    if (*word == '"') pl_text_add(text, "\"");
    pl_text_bytes(text, *word == '\n' ? " " : word, 1);
  }
  if (quoted) pl_text_add(text, "\"");
}

/* The next field of a line into word; returns what is behind it. */
static const char *take_field(const char *line, char *word, size_t size)
{
  size_t used = 0;
  int quoted = *line == '"';
  if (quoted) line++;
  for (; *line && *line != '\n'; line++) {
    if (quoted && *line == '"' && line[1] == '"')
      line++;
    else if (quoted && *line == '"')
      quoted = 0;
    else if (!quoted && *line == ',')
      break;
    if (*line != '"' || quoted) {
      if (used + 1 < size) word[used++] = *line;
    }
  }
  word[used] = 0;
  return *line == ',' ? line + 1 : line;
}

static void add_header(const study_table *table, pl_text *text)
{
  for (int i = 0; i < table->study->axis_count; i++) {
    add_field(text, table->study->axes[i].name);
    pl_text_add(text, ",");
  }
  pl_text_add(text, "failure");
  for (int i = 0; i < STUDY_METRIC_COUNT; i++) pl_text_add(text, ",%s", metrics[i].name);
  for (int i = 0; i < table->probe_count; i++) {
    pl_text_add(text, ",");
    add_field(text, table->probe_names[i]);
  }
  pl_text_add(text, "\n");
}

static void add_row(const study_table *table, int number, pl_text *text)
{
  char word[256];
  const study_row *row = &table->rows[number];
  for (int i = 0; i < table->study->axis_count; i++) {
    study_word(table, number, i, word, sizeof word);
    add_field(text, word);
    pl_text_add(text, ",");
  }
  add_field(text, row->failure);
  for (int i = 0; i < STUDY_METRIC_COUNT + table->probe_count; i++) {
    pl_text_add(text, ",");
    if (isfinite(row->values[i])) pl_text_number(text, row->values[i]);
  }
  pl_text_add(text, "\n");
}

static pl_status write_text(const study_table *table, const char *name, pl_text *text,
                            pl_error *error)
{
  char path[4200];
  pl_status status = pl_text_ok(text, error);
  if (!status) status = pl_path_join(path, sizeof path, table->folder, name, error);
  if (!status) status = pl_file_write(path, text->data, text->size, error);
  pl_text_release(text);
  return status;
}

/* A shard's file begins with the key, as nothing else says what it belongs to. */
static pl_status save_shard(const study_table *table, pl_error *error)
{
  char path[4200], name[64];
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "# %s\n", table->key);
  add_header(table, &text);
  for (int i = 0; i < table->case_count; i++) {
    if (table->rows[i].done && study_is_ours(table, i)) add_row(table, i, &text);
  }
  pl_print(name, sizeof name, "results.d/%d-of-%d.csv", table->shard, table->shards);
  pl_status status = pl_path_join(path, sizeof path, table->folder, "results.d", error);
  if (!status) status = pl_folder_make(path, error);
  if (!status) return write_text(table, name, &text, error);
  pl_text_release(&text);
  return status;
}

pl_status study_table_save(const study_table *table, pl_error *error)
{
  if (table->shards) return save_shard(table, error);
  pl_text text = pl_text_make(NULL);
  add_header(table, &text);
  for (int i = 0; i < table->case_count; i++) {
    if (table->rows[i].done) add_row(table, i, &text);
  }
  return write_text(table, "results.csv", &text, error);
}

/* Fills the row of the case whose labels stand at the start of the line; 0 if there is none. */
static int read_row(study_table *table, const char *line)
{
  char word[256], label[256];
  const char *rest;
  for (int number = 0; number < table->case_count; number++) {
    int same = 1;
    rest = line;
    for (int i = 0; i < table->study->axis_count && same; i++) {
      rest = take_field(rest, word, sizeof word);
      study_word(table, number, i, label, sizeof label);
      same = strcmp(word, label) == 0;
    }
    if (!same || table->rows[number].done) continue;
    study_row *row = &table->rows[number];
    rest = take_field(rest, row->failure, sizeof row->failure);
    for (int i = 0; i < STUDY_METRIC_COUNT + table->probe_count; i++) {
      rest = take_field(rest, word, sizeof word);
      if (!pl_parse_double(word, &row->values[i])) row->values[i] = NAN;
    }
    row->done = 1;
    return 1;
  }
  return 0;
}

/* Takes over the rows of a table whose header is the same. */
static int read_rows(study_table *table, const char *text)
{
  int count = 0;
  pl_text header = pl_text_make(NULL);
  add_header(table, &header);
  if (!header.failed && strncmp(text, header.data, header.size) == 0) {
    for (const char *line = text + header.size; *line;) {
      count += read_row(table, line);
      line += strcspn(line, "\n");
      line += *line == '\n';
    }
  }
  pl_text_release(&header);
  return count;
}

/* Is this the key, alone on its line? Returns what is behind it, else NULL. */
static const char *behind_key(const study_table *table, const char *text)
{
  size_t length = strlen(table->key);
  return strncmp(text, table->key, length) == 0 && text[length] == '\n' ? text + length + 1 : NULL;
}

/* Takes over the rows of an earlier run whose key and header are the same. */
static int read_results(study_table *table)
{
  pl_allocator allocator = pl_allocator_default();
  char path[4200];
  pl_bytes bytes = {0};
  const char *rest = NULL;
  if (!pl_path_join(path, sizeof path, table->folder, "results.key", NULL) &&
      !pl_file_read(&allocator, path, 1000, &bytes, NULL))
    rest = behind_key(table, bytes.data);
  int same = rest && !*rest;
  pl_bytes_free(&allocator, &bytes);
  if (!same || pl_path_join(path, sizeof path, table->folder, "results.csv", NULL) ||
      pl_file_read(&allocator, path, 0, &bytes, NULL))
    return 0;
  int count = read_rows(table, bytes.data);
  pl_bytes_free(&allocator, &bytes);
  return count;
}

static int read_shard(study_table *table, const char *folder, const char *name)
{
  pl_allocator allocator = pl_allocator_default();
  char path[4400];
  pl_bytes bytes = {0};
  const char *dot = strrchr(name, '.');
  if (!dot || strcmp(dot, ".csv") != 0 || pl_path_join(path, sizeof path, folder, name, NULL) ||
      pl_file_read(&allocator, path, 0, &bytes, NULL))
    return 0;
  const char *rows = strncmp(bytes.data, "# ", 2) == 0 ? behind_key(table, bytes.data + 2) : NULL;
  int count = rows ? read_rows(table, rows) : 0;
  pl_bytes_free(&allocator, &bytes);
  return count;
}

/* What shards have done. Each case is in one file at most. */
static int read_shards(study_table *table)
{
  char folder[4200];
  int count = 0;
  if (pl_path_join(folder, sizeof folder, table->folder, "results.d", NULL)) return 0;
  DIR *list = opendir(folder);
  for (const struct dirent *entry; list && (entry = readdir(list)) != NULL;)
    count += read_shard(table, folder, entry->d_name);
  if (list) closedir(list);
  return count;
}

pl_status study_table_open(study_table *table, int *done, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  table->rows = pl_alloc(&allocator, (size_t)table->case_count, sizeof *table->rows);
  if (!table->rows) return pl_fail_memory(error);
  snprintf(table->key, sizeof table->key, "%016" PRIx64 " %.50s", table->study->hash, pl_version());
  if (!table->fresh) *done = read_results(table) + read_shards(table);
  if (table->shards) return PL_OK;
  if (*done) return study_table_save(table, error);
  pl_text key = pl_text_make(NULL);
  pl_text_add(&key, "%s\n", table->key);
  pl_status status = study_table_save(table, error);
  if (!status) return write_text(table, "results.key", &key, error);
  pl_text_release(&key);
  return status;
}

void study_table_close(study_table *table)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, table->rows);
  table->rows = NULL;
}
