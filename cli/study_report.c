/* What is made of a study's results: results.md with the tables, and an SVG per plot. */
#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "core/memory.h"
#include "picture/plot.h"
#include "study.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

enum { MOST_WORDS = 128, MOST_SERIES = 64, NAME_ROOM = 160 };

/* ---- checks ---- */

static pl_status check_column(const study_table *table, const pl_study_plot *plot, const char *name,
                              pl_error *error)
{
  const char *words[MOST_WORDS + 1] = {0};
  if (!name || study_column(table, name) >= 0) return PL_OK;
  study_column_words(table, words, MOST_WORDS);
  pl_error unknown;
  pl_fail_unknown(&unknown, "column", name, words);
  return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line, "%s: %s",
                    plot->is_table ? "table" : "plot", unknown.message);
}

static int is_over_time(const pl_study_plot *plot)
{
  return !plot->is_table && strcmp(plot->x, "time") == 0;
}

/* A plot over time shows a probe of cases that are run once each. */
static pl_status check_series(const study_table *table, const pl_study_plot *plot, pl_error *error)
{
  if (table->study->bisect.path)
    return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                      "plot: a bisection has no time series");
  if (study_probe_column(table, plot->y) < 0)
    return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                      "plot: y = \"%.80s\" must be a probe of the scene where x is the time",
                      plot->y);
  return PL_OK;
}

/* The column of a table that a published one stands beside; -1: all or none. */
static int given_column(const study_table *table, const pl_study_plot *plot, int given)
{
  int columns = plot->y ? study_column(table, plot->y) : -1;
  if (columns < 0 || table->study->axes[columns].option_count == 1) return 0;
  const pl_study_axis *across = &table->study->axes[columns];
  for (int b = 0; b < across->option_count && plot->given[given].beside; b++) {
    if (strcmp(across->options[b].label, plot->given[given].beside) == 0) return b;
  }
  return -1;
}

static pl_status check_given(const study_table *table, const pl_study_plot *plot, pl_error *error)
{
  int rows = table->study->axes[study_column(table, plot->x)].option_count;
  for (int i = 0; i < plot->given_count; i++) {
    int count = 0;
    for (const char *c = plot->given[i].values; *c;) {
      c += strspn(c, BLANKS);
      count += *c != 0;
      c += strcspn(c, BLANKS);
    }
    if (count != rows)
      return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                        "table: \"%.80s\" gives %d values for %d rows", plot->given[i].title, count,
                        rows);
    if (plot->given[i].beside && given_column(table, plot, i) < 0)
      return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                        "table: beside = \"%.80s\" is no column", plot->given[i].beside);
  }
  return PL_OK;
}

pl_status study_report_check(const study_table *table, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < table->study->plot_count && !status; i++) {
    const pl_study_plot *plot = &table->study->plots[i];
    int over_time = is_over_time(plot);
    if (!over_time) status = check_column(table, plot, plot->x, error);
    if (!status) status = check_column(table, plot, plot->y, error);
    if (!status && over_time) status = check_series(table, plot, error);
    if (!status) status = check_column(table, plot, plot->by, error);
    int grouped = plot->is_table ? study_column(table, plot->x) : 0;
    if (!status && plot->by && !plot->is_table) grouped = study_column(table, plot->by);
    if (!status && (grouped >= PL_MOST_AXES ||
                    (plot->is_table && plot->y && study_column(table, plot->y) >= PL_MOST_AXES)))
      status = pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                          "rows, columns and by must name something that is varied");
    if (!status && plot->is_table) status = check_given(table, plot, error);
    int fits = 0;
    for (int k = 0; k < table->case_count && !fits; k++) fits = study_fits(table, k, plot->where);
    if (!status && !fits)
      status = pl_fail_at(error, PL_E_ARGUMENT, table->study->path, plot->line,
                          "where = \"%.80s\" fits no case", plot->where);
  }
  return status;
}

/* ---- tables ---- */

/* The first case that fits, with these options on two axes; -1: none. */
static int find_case(const study_table *table, const pl_study_plot *plot, int axis_a, int a,
                     int axis_b, int b)
{
  int options[PL_MOST_AXES];
  for (int i = 0; i < table->case_count; i++) {
    pl_study_case(table->study, i, options);
    if (options[axis_a] != a || (axis_b >= 0 && options[axis_b] != b)) continue;
    if (table->rows[i].done && study_fits(table, i, plot->where)) return i;
  }
  return -1;
}

/* The n-th word of a list. */
static void nth_word(const char *words, int n, char *word, size_t size)
{
  words += strspn(words, BLANKS);
  for (int i = 0; i < n; i++) {
    words += strcspn(words, BLANKS);
    words += strspn(words, BLANKS);
  }
  snprintf(word, size, "%.*s", (int)strcspn(words, BLANKS), words);
}

/* A table with its columns in order: each of ours, and behind it what was published of it. */
typedef struct pivot {
  const study_table *table;
  const pl_study_plot *plot;
  const pl_study_axis *down, *across;
  int rows, columns, value, width;
} pivot;

static void add_heads(const pivot *p, int column, pl_text *text)
{
  for (int g = 0; g < p->plot->given_count; g++) {
    if (given_column(p->table, p->plot, g) == column)
      pl_text_add(text, " *%s* |", p->plot->given[g].title);
  }
}

/* Published words of a row; for a case that has not failed, what ours is of theirs. */
static void add_given(const pivot *p, int row, int column, int number, pl_text *text)
{
  int is_known = number >= 0 && !p->table->rows[number].failure[0];
  double ours = is_known ? study_value(p->table, number, p->value) : NAN;
  for (int g = 0; g < p->plot->given_count; g++) {
    char word[NAME_ROOM];
    double theirs = 0;
    if (given_column(p->table, p->plot, g) != column) continue;
    nth_word(p->plot->given[g].values, row, word, sizeof word);
    int has_ratio = pl_parse_double(word, &theirs) && theirs != 0 && isfinite(ours);
    pl_text_add(text, " %s", word);
    if (has_ratio) pl_text_add(text, " (x %.3g)", ours / theirs);
    pl_text_add(text, " |");
  }
}

static void add_header(const pivot *p, pl_text *text)
{
  const char *unit = study_column_unit(p->table, p->value), *by = p->plot->by;
  int has_unit = unit && strcmp(unit, "1") != 0;
  pl_text_add(text, "\n## %s\n\n%s%s%s\n\n| %s |", p->plot->title ? p->plot->title : by, by,
              has_unit ? " in " : "", has_unit ? unit : "", p->down->name);
  for (int b = 0; b < p->width; b++) {
    pl_text_add(text, p->across ? " %s = %s |" : " %s%s |", p->across ? p->across->name : by,
                p->across ? p->across->options[b].label : "");
    add_heads(p, b, text);
  }
  add_heads(p, -1, text);
  pl_text_add(text, "\n|---|");
  for (int b = 0; b < p->width + p->plot->given_count; b++) pl_text_add(text, "---:|");
}

static void add_pivot(const study_table *table, const pl_study_plot *plot, pl_text *text)
{
  pivot p = {table, plot, .rows = study_column(table, plot->x), .columns = -1, .width = 1};
  if (plot->y) p.columns = study_column(table, plot->y);
  p.value = study_column(table, plot->by);
  p.down = &table->study->axes[p.rows];
  if (p.columns >= 0) p.across = &table->study->axes[p.columns];
  if (p.across) p.width = p.across->option_count;
  add_header(&p, text);
  for (int a = 0; a < p.down->option_count; a++) {
    if (find_case(table, plot, p.rows, a, -1, 0) < 0) continue;
    pl_text_add(text, "\n| %s |", p.down->options[a].label);
    for (int b = 0; b < p.width; b++) {
      char word[NAME_ROOM] = "";
      int number = find_case(table, plot, p.rows, a, p.columns, b);
      if (number >= 0) study_word(table, number, p.value, word, sizeof word);
      pl_text_add(text, " %s |", word);
      add_given(&p, a, b, number, text);
    }
    add_given(&p, a, -1, -1, text);
  }
  pl_text_add(text, "\n");
  if (plot->note) pl_text_add(text, "\n%s\n", plot->note);
}

static pl_status write_tables(const study_table *table, pl_error *error)
{
  char path[4200];
  pl_text text = pl_text_make(NULL);
  int done = 0, failed = 0;
  for (int i = 0; i < table->case_count; i++) {
    done += table->rows[i].done;
    failed += table->rows[i].failure[0] != 0;
  }
  pl_text_add(&text, "# %s\n\n%d cases of `%s`", table->study->title, done,
              pl_path_name(table->study->scene));
  if (failed) pl_text_add(&text, ", %d of them failed", failed);
  pl_text_add(&text, ". All numbers are in `results.csv`.\n");
  for (int i = 0; i < table->study->plot_count; i++) {
    if (table->study->plots[i].is_table) add_pivot(table, &table->study->plots[i], &text);
  }
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_path_join(path, sizeof path, table->folder, "results.md", error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

/* ---- plots ---- */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The middle one of the slopes between neighbours in a doubly logarithmic plot: the observed order.
 * NaN where there are less than two points. */
static double middle_slope(const double *x, const double *y, size_t count, double *slopes)
{
  size_t used = 0;
  for (size_t i = 0; i + 1 < count; i++) {
    double slope = log(y[i + 1] / y[i]) / log(x[i + 1] / x[i]);
    if (isfinite(slope)) slopes[used++] = slope;
  }
  qsort(slopes, used, sizeof *slopes, ascending);
  return used ? slopes[used / 2] : NAN;
}

typedef struct curves {
  int count;
  pl_plot_series series[MOST_SERIES];
  char names[MOST_SERIES][NAME_ROOM];
  double *room; /* x and y of all series, and as much scratch */
} curves;

/* The points of one curve: the cases that fit, with the option of the axis `by`. */
static size_t gather(const study_table *table, const pl_study_plot *plot, int by, int option,
                     double *x, double *y)
{
  int options[PL_MOST_AXES], cx = study_column(table, plot->x), cy = study_column(table, plot->y);
  size_t count = 0;
  for (int i = 0; i < table->case_count; i++) {
    pl_study_case(table->study, i, options);
    if (!table->rows[i].done || table->rows[i].failure[0]) continue;
    if ((by >= 0 && options[by] != option) || !study_fits(table, i, plot->where)) continue;
    x[count] = study_value(table, i, cx);
    y[count++] = study_value(table, i, cy);
  }
  return count;
}

static void make_curves(const study_table *table, const pl_study_plot *plot, curves *all)
{
  int by = plot->by ? study_column(table, plot->by) : -1;
  int groups = by >= 0 ? table->study->axes[by].option_count : 1;
  double *next = all->room, *scratch = all->room + 2 * (size_t)table->case_count;
  for (int g = 0; g < groups && all->count < MOST_SERIES; g++) {
    double *x = next, *y = next + table->case_count;
    size_t count = gather(table, plot, by, g, x, y);
    if (!count) continue;
    // x and y of a curve lie one behind the other
    memmove(x + count, y, count * sizeof *y);
    y = x + count;
    next += 2 * count;
    char *name = all->names[all->count];
    double order = plot->fit ? middle_slope(x, y, count, scratch) : NAN;
    snprintf(name, NAME_ROOM, "%.120s",
             by >= 0 ? table->study->axes[by].options[g].label : plot->y);
    if (isfinite(order))
      snprintf(name + strlen(name), NAME_ROOM - strlen(name), " (order %.2f)", order);
    all->series[all->count++] = (pl_plot_series){
        .name = name, .count = count, .x = x, .y = y, .style = PL_PLOT_LINE_AND_POINTS};
  }
}

/* A curve over time per option of the axis `by`, of the first case that fits; without it a curve
 * per case. Their numbers are freed one by one. */
static pl_status make_series(const study_table *table, const pl_study_plot *plot, curves *all,
                             pl_error *error)
{
  int by = plot->by ? study_column(table, plot->by) : -1, options[PL_MOST_AXES];
  int column = study_probe_column(table, plot->y), shown[MOST_SERIES] = {0};
  for (int i = 0; i < table->case_count && all->count < MOST_SERIES; i++) {
    pl_study_case(table->study, i, options);
    int place = by >= 0 && options[by] < MOST_SERIES ? options[by] : 0;
    if (!table->rows[i].done || !study_fits(table, i, plot->where) || (by >= 0 && shown[place]))
      continue;
    size_t count = 0;
    double *times = NULL;
    pl_status status = study_series_read(table, i, column, &times, &count, error);
    if (status) return status;
    shown[place] = 1;
    char *name = all->names[all->count];
    if (by >= 0)
      snprintf(name, NAME_ROOM, "%.120s", table->study->axes[by].options[options[by]].label);
    else
      study_case_label(table->study, i, name, NAME_ROOM);
    all->series[all->count++] = (pl_plot_series){
        .name = name, .count = count, .x = times, .y = times + count, .style = PL_PLOT_LINE};
  }
  return PL_OK;
}

static void release_curves(curves *all, int one_by_one)
{
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < all->count && one_by_one; i++)
    pl_free(&allocator, (void *)(uintptr_t)all->series[i].x);
  pl_free(&allocator, all->room);
}

static pl_status write_plot(const study_table *table, const pl_study_plot *from, pl_error *error)
{
  static curves all;
  char path[4200], name[128];
  pl_allocator allocator = pl_allocator_default();
  int over_time = is_over_time(from);
  all.count = 0;
  all.room = pl_alloc(&allocator, 6 * (size_t)table->case_count, sizeof *all.room);
  if (!all.room) return pl_fail_memory(error);
  pl_status status = PL_OK;
  if (over_time)
    status = make_series(table, from, &all, error);
  else
    make_curves(table, from, &all);
  if (status) {
    release_curves(&all, over_time);
    return status;
  }
  pl_plot_mark marks[PL_MOST_MARKS];
  for (int i = 0; i < from->mark_count; i++)
    marks[i] = (pl_plot_mark){.label = from->marks[i].label,
                              .across_x = from->marks[i].across_x,
                              .from = from->marks[i].from,
                              .to = from->marks[i].to};
  pl_plot plot = pl_plot_default();
  plot.title = from->title ? from->title : table->study->title;
  plot.x.label = from->x;
  plot.y.label = from->y;
  plot.x.unit = over_time ? "s" : study_column_unit(table, study_column(table, from->x));
  plot.y.unit = study_column_unit(table, over_time ? study_probe_column(table, from->y)
                                                   : study_column(table, from->y));
  plot.x.log = from->log_x;
  plot.y.log = from->log_y;
  plot.series = all.series;
  plot.series_count = all.count;
  plot.marks = marks;
  plot.mark_count = from->mark_count;
  pl_text text = pl_text_make(NULL);
  snprintf(name, sizeof name, "%.100s.svg", from->name);
  status = pl_path_join(path, sizeof path, table->folder, name, error);
  if (!status) status = pl_plot_svg(&plot, &text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  release_curves(&all, over_time);
  return status;
}

pl_status study_report_write(const study_table *table, pl_error *error)
{
  pl_status status = write_tables(table, error);
  for (int i = 0; i < table->study->plot_count && !status; i++) {
    if (!table->study->plots[i].is_table)
      status = write_plot(table, &table->study->plots[i], error);
  }
  return status;
}
