/* Reading tables of measurements. */
#include "fit_table.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  double scale;
} units[] = {{"Pa", 1},       {"kPa", 1e3}, {"MPa", 1e6},    {"GPa", 1e9},    {"N/mm2", 1e6},
             {"N/mm^2", 1e6}, {"1/Pa", 1},  {"1/kPa", 1e-3}, {"1/MPa", 1e-6}, {"s", 1},
             {"ms", 1e-3},    {"min", 60},  {"h", 3600},     {"Hz", 1},       {"kHz", 1e3},
             {"m", 1},        {"mm", 1e-3}, {"um", 1e-6},    {"N", 1},        {"mN", 1e-3},
             {"kN", 1e3},     {"%", 0.01},  {"1", 1},        {"-", 1},        {"", 1}};

static int unit_of(const char *text, size_t length, double *scale)
{
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) != length || strncmp(units[i].name, text, length) != 0) continue;
    *scale = units[i].scale;
    return 1;
  }
  return 0;
}

/* The next field of a line, without blanks around it; *rest moves behind its separator, or to NULL
 * at the end of the line. */
static void next_field(const char **rest, char field[FIT_NAME])
{
  const char *from = *rest + strspn(*rest, " \t\"");
  size_t length = strcspn(from, ",;\n\r");
  const char *end = from + length;
  while (length > 0 && strchr(" \t\"", from[length - 1])) length--;
  if (length > FIT_NAME - 1) length = FIT_NAME - 1;
  memcpy(field, from, length);
  field[length] = 0;
  *rest = *end == ',' || *end == ';' ? end + 1 : NULL;
}

/* "stress [MPa]" or "stress_MPa" into name and scale. */
static pl_status read_title(fit_table *table, char *field, int column, pl_error *error)
{
  char *open = strchr(field, '['), *bar = strrchr(field, '_'), *name = table->names[column];
  table->scale[column] = 1;
  if (open) {
    size_t length = strcspn(open + 1, "]");
    if (!unit_of(open + 1, length, &table->scale[column]))
      return pl_fail_at(error, PL_E_PARSE, table->path, 0,
                        "the unit %.40s is not known; take Pa, kPa, MPa, s, ms, Hz, m, mm, N or %%",
                        open);
    *open = 0;
  } else if (bar && unit_of(bar + 1, strlen(bar + 1), &table->scale[column])) {
    *bar = 0;
  }
  size_t length = strlen(field);
  while (length > 0 && field[length - 1] == ' ') length--;
  memcpy(name, field, length);
  name[length] = 0;
  return PL_OK;
}

static pl_status read_header(fit_table *table, const char *line, int number, pl_error *error)
{
  int column = 0, is_second = table->rows > 0;
  for (const char *rest = line; rest; column++) {
    char field[FIT_NAME], before[FIT_NAME];
    if (column == FIT_COLUMNS)
      return pl_fail_at(error, PL_E_LIMIT, table->path, number, "more than %d columns",
                        FIT_COLUMNS);
    next_field(&rest, field);
    memcpy(before, table->names[column], sizeof before);
    pl_status status = read_title(table, field, column, error);
    if (status) return status;
    if (is_second && strcmp(before, table->names[column]) != 0)
      return pl_fail_at(error, PL_E_PARSE, table->path, number,
                        "column \"%s\" stands where other files have \"%s\"; give files of the "
                        "same columns",
                        table->names[column], before);
  }
  table->columns = column;
  return PL_OK;
}

static pl_status grow(fit_table *table, pl_error *error)
{
  if (table->rows < table->room) return PL_OK;
  pl_allocator allocator = pl_allocator_default();
  size_t room = table->room ? 2 * (size_t)table->room : 256, count = (size_t)table->rows;
  double *values = pl_alloc(&allocator, room * FIT_COLUMNS, sizeof *values);
  char(*words)[FIT_NAME] = pl_alloc(&allocator, room * FIT_COLUMNS, sizeof *words);
  int *lines = pl_alloc(&allocator, room, sizeof *lines);
  if (!values || !words || !lines || room > 1000000) {
    pl_free(&allocator, values);
    pl_free(&allocator, words);
    pl_free(&allocator, lines);
    return pl_fail_memory(error);
  }
  if (count) {
    memcpy(values, table->values, count * FIT_COLUMNS * sizeof *values);
    memcpy(words, table->words, count * FIT_COLUMNS * sizeof *words);
    memcpy(lines, table->lines, count * sizeof *lines);
  }
  pl_free(&allocator, table->values);
  pl_free(&allocator, table->words);
  pl_free(&allocator, table->lines);
  table->values = values;
  table->words = words;
  table->lines = lines;
  table->room = (int)room;
  return PL_OK;
}

/* Does the row say what "column=word" wants? -1: there is no such column. */
static int is_wanted(const fit_table *table, const char *where)
{
  const char *equals = where ? strchr(where, '=') : NULL;
  char name[FIT_NAME];
  if (!where) return 1;
  if (!equals || equals - where >= FIT_NAME) return -1;
  memcpy(name, where, (size_t)(equals - where));
  name[equals - where] = 0;
  int column = fit_table_column(table, name);
  return column < 0 ? -1 : strcmp(fit_table_word(table, table->rows, column), equals + 1) == 0;
}

static pl_status read_row(fit_table *table, const char *line, int number, const char *where,
                          pl_error *error)
{
  int column = 0;
  pl_status status = grow(table, error);
  if (status) return status;
  for (const char *rest = line; rest && column < FIT_COLUMNS; column++) {
    char *word = table->words[table->rows * FIT_COLUMNS + column];
    double *value = &table->values[table->rows * FIT_COLUMNS + column];
    next_field(&rest, word);
    *value = pl_parse_double(word, value) ? *value * table->scale[column] : NAN;
  }
  if (column != table->columns)
    return pl_fail_at(error, PL_E_PARSE, table->path, number,
                      "%d values in a row of a table of %d columns", column, table->columns);
  int wanted = is_wanted(table, where);
  if (wanted < 0)
    return pl_fail_at(error, PL_E_ARGUMENT, table->path, number,
                      "--where %.60s: COLUMN=WORD is needed, and the column must be there", where);
  table->lines[table->rows] = number;
  table->rows += wanted;
  return PL_OK;
}

pl_status fit_table_read(fit_table *table, const char *path, const char *where, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  pl_status status = pl_file_read(&allocator, path, 64 << 20, &bytes, error);
  if (status) return status;
  int number = 1, has_header = 0;
  table->path = path;
  for (const char *line = bytes.data; *line && !status; number++) {
    const char *next = line + strcspn(line, "\n"), *first = line + strspn(line, " \t\r");
    if (*first != '#' && *first != '\n' && *first) {
      status = has_header ? read_row(table, line, number, where, error)
                          : read_header(table, line, number, error);
      has_header = 1;
    }
    line = *next ? next + 1 : next;
  }
  pl_bytes_free(&allocator, &bytes);
  if (!status && table->rows == 0)
    status = pl_fail_at(error, PL_E_PARSE, path, 0, "there is no row of measurements");
  return status;
}

void fit_table_release(fit_table *table)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, table->values);
  pl_free(&allocator, table->words);
  pl_free(&allocator, table->lines);
}

int fit_table_column(const fit_table *table, const char *name)
{
  for (int i = 0; i < table->columns; i++) {
    if (strcmp(table->names[i], name) == 0) return i;
  }
  return -1;
}

pl_status fit_table_numbers(const fit_table *table, int column, pl_error *error)
{
  for (int row = 0; row < table->rows; row++) {
    if (isfinite(fit_table_at(table, row, column))) continue;
    return pl_fail_at(error, PL_E_PARSE, table->path, table->lines[row],
                      "%s = \"%.40s\" is not a finite number", table->names[column],
                      fit_table_word(table, row, column));
  }
  return PL_OK;
}
