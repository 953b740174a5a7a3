/* Reading a study. Everything is checked here that does not need the scene. */
#include "scene/study.h"

#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/text.h"
#include "math/functions.h"
#include "scene/folder.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_OPTIONS = 1000, MOST_CHANGES = 64, MESSAGE_ROOM = 400 };

/* ---- memory and errors ---- */

static void *own(pl_study *study, size_t count, size_t size)
{
  void *list = study->owned, *memory = NULL;
  if (!pl_reserve(&study->allocator, &list, &study->owned_room, study->owned_count + 1,
                  sizeof *study->owned)) {
    study->owned = list;
    memory = pl_alloc(&study->allocator, count, size);
  }
  if (memory) study->owned[study->owned_count++] = memory;
  return memory;
}

static pl_status fail(const pl_study *study, const pl_xml_node *node, pl_error *error,
                      const char *format, ...) PL_PRINTF(4, 5);
static pl_status fail(const pl_study *study, const pl_xml_node *node, pl_error *error,
                      const char *format, ...)
{
  char text[MESSAGE_ROOM];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return pl_fail_at(error, PL_E_ARGUMENT, study->path, pl_xml_line(node), "%s: %s",
                    pl_xml_name(node), text);
}

/* Every attribute must be one of words, every child one of children; both end with NULL. */
static pl_status check_words(const pl_study *study, const pl_xml_node *node,
                             const char *const *words, const char *const *children, pl_error *error)
{
  for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair)) {
    const char *const *word = words;
    while (*word && strcmp(*word, pl_xml_pair_name(pair)) != 0) word++;
    if (*word) continue;
    pl_error unknown;
    pl_fail_unknown(&unknown, "attribute", pl_xml_pair_name(pair), words);
    return fail(study, node, error, "%s", unknown.message);
  }
  for (const pl_xml_node *child = pl_xml_child(node, NULL); child;
       child = pl_xml_next(child, NULL)) {
    const char *const *word = children;
    while (*word && strcmp(*word, pl_xml_name(child)) != 0) word++;
    if (*word) continue;
    pl_error unknown;
    if (!*children) return fail(study, child, error, "cannot stand inside <%s>", pl_xml_name(node));
    pl_fail_unknown(&unknown, "element", pl_xml_name(child), children);
    return pl_fail_at(error, PL_E_ARGUMENT, study->path, pl_xml_line(child), "%s", unknown.message);
  }
  return PL_OK;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS   ((const char *const[]){NULL})

/* ---- values ---- */

static const char *need(const pl_study *study, const pl_xml_node *node, const char *name,
                        pl_status *status, pl_error *error)
{
  const char *text = pl_xml_attribute(node, name);
  if (text && *text) return text;
  if (!*status) *status = fail(study, node, error, "%s is missing; add %s=\"...\"", name, name);
  return "";
}

/* A number, or the preset where the attribute is missing; NaN as preset: it must be there. */
static double number(const pl_study *study, const pl_xml_node *node, const char *name,
                     double preset, pl_status *status, pl_error *error)
{
  const char *text = pl_xml_attribute(node, name);
  double value = preset;
  if (*status || (!text && !isnan(preset))) return preset;
  if (!text)
    need(study, node, name, status, error);
  else if (!pl_parse_double(text, &value))
    *status = fail(study, node, error, "%s = \"%.80s\" must be a number", name, text);
  return value;
}

static char *copy_part(pl_study *study, const char *from, size_t length)
{
  char *text = own(study, length + 1, 1);
  if (text) memcpy(text, from, length);
  return text;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Takes "a=1; b=2" apart. */
static pl_status read_changes(pl_study *study, const pl_xml_node *node, const char *text,
                              pl_changes *out, pl_error *error)
{
  *out = (pl_changes){0};
  if (!text) return PL_OK;
  out->texts = own(study, MOST_CHANGES, sizeof *out->texts);
  if (!out->texts) return pl_fail_memory(error);
  while (*text) {
    size_t length = strcspn(text, ";");
    const char *begin = text, *end = text + length;
    text = end + (*end == ';');
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    if (begin == end) continue;
    if (out->count == MOST_CHANGES)
      return fail(study, node, error, "more than %d changes are too many", MOST_CHANGES);
    char *change = copy_part(study, begin, (size_t)(end - begin));
    if (!change) return pl_fail_memory(error);
    if (!strchr(change, '='))
      return fail(study, node, error, "the change \"%.80s\" must read element.attribute=value",
                  change);
    out->texts[out->count++] = change;
  }
  return PL_OK;
}

/* ---- what is varied ---- */

static pl_study_option *next_option(pl_study *study, pl_study_axis *axis)
{
  if (!axis->options) axis->options = own(study, MOST_OPTIONS, sizeof *axis->options);
  if (!axis->options || axis->option_count == MOST_OPTIONS) return NULL;
  return &axis->options[axis->option_count++];
}

/* The option "path=label". */
static pl_status add_value(pl_study *study, const pl_xml_node *node, pl_study_axis *axis,
                           const char *path, const char *label, size_t length, pl_error *error)
{
  if (axis->option_count == MOST_OPTIONS)
    return fail(study, node, error, "more than %d values are too many", MOST_OPTIONS);
  pl_study_option *option = next_option(study, axis);
  char *word = copy_part(study, label, length);
  char *change = own(study, strlen(path) + length + 2, 1);
  const char **texts = own(study, 1, sizeof *texts);
  if (!option || !word || !change || !texts) return pl_fail_memory(error);
  pl_print(change, strlen(path) + length + 2, "%s=%s", path, word);
  texts[0] = change;
  *option = (pl_study_option){.label = word, .number = NAN, .changes = {1, texts}};
  pl_parse_double(word, &option->number);
  return PL_OK;
}

static pl_status read_values(pl_study *study, const pl_xml_node *node, pl_study_axis *axis,
                             const char *path, const char *values, pl_error *error)
{
  pl_status status = PL_OK;
  while (!status) {
    while (is_blank(*values)) values++;
    size_t length = strcspn(values, " \t\r\n");
    if (!length) break;
    status = add_value(study, node, axis, path, values, length, error);
    values += length;
  }
  return status;
}

static pl_status read_range(pl_study *study, const pl_xml_node *node, pl_study_axis *axis,
                            const char *path, pl_error *error)
{
  pl_status status = PL_OK;
  double from = number(study, node, "from", NAN, &status, error);
  double to = number(study, node, "to", NAN, &status, error);
  double count = number(study, node, "count", NAN, &status, error);
  const char *scale = pl_xml_attribute(node, "scale");
  int is_log = !scale || strcmp(scale, "log") == 0;
  if (status) return status;
  if (!is_log && strcmp(scale, "linear") != 0)
    return fail(study, node, error, "scale = \"%.40s\" must be log or linear", scale);
  if (!(count >= 2 && count <= MOST_OPTIONS) || count != floor(count))
    return fail(study, node, error, "count = %g must be a whole number from 2 to %d", count,
                MOST_OPTIONS);
  if (is_log && !(from > 0 && to > 0))
    return fail(study, node, error, "from and to of a logarithmic range must be positive");
  for (int i = 0; i < (int)count && !status; i++) {
    double part = i / (count - 1);
    double value = is_log ? from * pl_pow(to / from, part) : from + part * (to - from);
    char word[40];
    int length = pl_print(word, sizeof word, "%.6g", value);
    status = add_value(study, node, axis, path, word, (size_t)length, error);
  }
  return status;
}

static pl_status read_option(pl_study *study, const pl_xml_node *node, pl_study_axis *axis,
                             pl_error *error)
{
  pl_status status = check_words(study, node, WORDS("name", "set"), NO_WORDS, error);
  const char *label = need(study, node, "name", &status, error);
  const char *set = need(study, node, "set", &status, error);
  if (status) return status;
  if (axis->option_count == MOST_OPTIONS)
    return fail(study, node, error, "more than %d options are too many", MOST_OPTIONS);
  for (int i = 0; i < axis->option_count; i++) {
    if (strcmp(axis->options[i].label, label) == 0)
      return fail(study, node, error, "there are two options of the name \"%.80s\"", label);
  }
  pl_study_option *option = next_option(study, axis);
  if (!option) return pl_fail_memory(error);
  *option = (pl_study_option){.label = label, .number = NAN};
  pl_parse_double(label, &option->number);
  return read_changes(study, node, set, &option->changes, error);
}

static pl_status read_vary(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  pl_status status = check_words(
      study, node, WORDS("name", "unit", "path", "values", "from", "to", "count", "scale"),
      WORDS("option"), error);
  if (status) return status;
  if (study->axis_count == PL_MOST_AXES)
    return fail(study, node, error, "more than %d things to vary are too many", PL_MOST_AXES);
  pl_study_axis *axis = &study->axes[study->axis_count++];
  axis->line = pl_xml_line(node);
  axis->name = need(study, node, "name", &status, error);
  axis->unit = pl_xml_attribute(node, "unit");
  const char *path = pl_xml_attribute(node, "path"), *values = pl_xml_attribute(node, "values");
  const pl_xml_node *option = pl_xml_child(node, "option");
  if (status) return status;
  if (!path == !option)
    return fail(study, node, error, "needs either path= with values, or <option>s");
  for (; option && !status; option = pl_xml_next(option, "option"))
    status = read_option(study, option, axis, error);
  if (path && values) status = read_values(study, node, axis, path, values, error);
  if (path && !values) status = read_range(study, node, axis, path, error);
  if (!status && !axis->option_count) status = fail(study, node, error, "has no values");
  return status;
}

/* ---- what is compared ---- */

/* A method and a tolerance as changes. */
static pl_status read_method(pl_study *study, const pl_xml_node *node, const char *method,
                             pl_error *error)
{
  pl_status status = PL_OK;
  char text[400];
  double tolerance = number(study, node, "tolerance", NAN, &status, error);
  if (status) return status;
  pl_print(text, sizeof text,
           "integrator.method=%.100s; integrator.rtol=%.9g; integrator.atol=%.9g", method,
           tolerance, tolerance);
  study->reference_is_long = 1;
  return read_changes(study, node, text, &study->reference, error);
}

/* That the reference's file may be read, before anything runs. */
static pl_status check_file(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  char path[PATH_MAX];
  pl_status status = pl_study_path(study, study->reference_file, path, sizeof path, error);
  return status ? pl_error_locate(error, status, study->path, pl_xml_line(node)) : PL_OK;
}

static pl_status read_reference(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  pl_status status =
      check_words(study, node, WORDS("set", "file", "method", "tolerance"), NO_WORDS, error);
  const char *set = pl_xml_attribute(node, "set"), *method = pl_xml_attribute(node, "method");
  study->reference_file = pl_xml_attribute(node, "file");
  if (!status && study->has_reference++) status = fail(study, node, error, "there can be only one");
  if (!status && !!set + !!study->reference_file + !!method != 1)
    status = fail(study, node, error, "needs either method= and tolerance=, set= or file=");
  if (status) return status;
  if (study->reference_file) return check_file(study, node, error);
  if (method) return read_method(study, node, method, error);
  return read_changes(study, node, set, &study->reference, error);
}

static pl_status read_measure(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  static const char *const kinds[] = {"positions", "probe", "energy", NULL};
  pl_status status = check_words(study, node, WORDS("error", "probe", "repeat"), NO_WORDS, error);
  const char *kind = pl_xml_attribute(node, "error");
  study->probe = pl_xml_attribute(node, "probe");
  double repeat = number(study, node, "repeat", 1, &status, error);
  if (status) return status;
  if (!(repeat >= 1 && repeat <= 1000) || repeat != floor(repeat))
    return fail(study, node, error, "repeat = %g must be a whole number from 1 to 1000", repeat);
  study->repeat = (int)repeat;
  int found = 0;
  while (kind && kinds[found] && strcmp(kinds[found], kind) != 0) found++;
  if (!kinds[found]) {
    pl_error unknown;
    pl_fail_unknown(&unknown, "error", kind, kinds);
    return fail(study, node, error, "%s", unknown.message);
  }
  study->error = (pl_study_error)found;
  if (study->error == PL_ERROR_PROBE && !study->probe)
    return fail(study, node, error, "probe is missing; add probe=\"...\", the name of a probe");
  return PL_OK;
}

static pl_status read_bisect(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  pl_status status = check_words(
      study, node, WORDS("path", "unit", "from", "to", "accept", "below", "ratio", "search"),
      NO_WORDS, error);
  if (!status && study->bisect.path) status = fail(study, node, error, "there can be only one");
  study->bisect.path = need(study, node, "path", &status, error);
  study->bisect.unit = pl_xml_attribute(node, "unit");
  study->bisect.accept = pl_xml_attribute(node, "accept");
  study->bisect.from = number(study, node, "from", NAN, &status, error);
  study->bisect.to = number(study, node, "to", NAN, &status, error);
  study->bisect.below = number(study, node, "below", INFINITY, &status, error);
  study->bisect.ratio = number(study, node, "ratio", 1.05, &status, error);
  const char *search = pl_xml_attribute(node, "search");
  if (status) return status;
  study->bisect.upwards = search && strcmp(search, "up") == 0;
  if (search && !study->bisect.upwards && strcmp(search, "down") != 0)
    return fail(study, node, error, "search = \"%.40s\" must be up or down", search);
  if (!(study->bisect.from > 0 && study->bisect.to > study->bisect.from))
    return fail(study, node, error, "from = %g must be positive and less than to = %g",
                study->bisect.from, study->bisect.to);
  if (!(study->bisect.ratio > 1.0001))
    return fail(study, node, error, "ratio = %g must be above 1", study->bisect.ratio);
  return PL_OK;
}

/* ---- tables and plots ---- */

static pl_status read_mark(pl_study *study, const pl_xml_node *node, pl_study_plot *plot,
                           pl_error *error)
{
  pl_status status =
      check_words(study, node, WORDS("axis", "from", "to", "label"), NO_WORDS, error);
  const char *axis = need(study, node, "axis", &status, error);
  pl_study_mark mark = {.label = pl_xml_attribute(node, "label")};
  // one number alone is a line; without from the band begins where the plot does
  int is_open = !pl_xml_attribute(node, "from") && pl_xml_attribute(node, "to");
  mark.from = number(study, node, "from", is_open ? -INFINITY : NAN, &status, error);
  mark.to = number(study, node, "to", mark.from, &status, error);
  if (status) return status;
  mark.across_x = strcmp(axis, "x") == 0;
  if (!mark.across_x && strcmp(axis, "y") != 0)
    return fail(study, node, error, "axis = \"%.40s\" must be x or y", axis);
  if (plot->mark_count == PL_MOST_MARKS)
    return fail(study, node, error, "a plot has at most %d marks", PL_MOST_MARKS);
  plot->marks[plot->mark_count++] = mark;
  return PL_OK;
}

/* A name becomes a file's name. */
static int is_plain(const char *name)
{
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
  return length > 0 && !name[length] && length < 100;
}

static pl_status read_plot(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  pl_status status = check_words(
      study, node, WORDS("name", "title", "x", "y", "by", "scale", "fit", "where", "note"),
      WORDS("mark"), error);
  pl_study_plot plot = {.line = pl_xml_line(node)};
  plot.name = need(study, node, "name", &status, error);
  plot.title = pl_xml_attribute(node, "title");
  plot.x = need(study, node, "x", &status, error);
  plot.y = need(study, node, "y", &status, error);
  plot.by = pl_xml_attribute(node, "by");
  plot.where = pl_xml_attribute(node, "where");
  plot.note = pl_xml_attribute(node, "note");
  const char *scale = pl_xml_attribute(node, "scale"), *fit = pl_xml_attribute(node, "fit");
  if (status) return status;
  if (!is_plain(plot.name))
    return fail(study, node, error, "name = \"%.80s\" must be letters, digits, - and _", plot.name);
  plot.log_x = scale && (strcmp(scale, "log") == 0 || strcmp(scale, "log-x") == 0);
  plot.log_y = scale && (strcmp(scale, "log") == 0 || strcmp(scale, "log-y") == 0);
  plot.fit = fit && strcmp(fit, "order") == 0;
  if (scale && !plot.log_x && !plot.log_y && strcmp(scale, "linear") != 0)
    return fail(study, node, error, "scale = \"%.40s\" must be linear, log, log-x or log-y", scale);
  if (fit && !plot.fit) return fail(study, node, error, "fit = \"%.40s\" can only be order", fit);
  for (const pl_xml_node *mark = pl_xml_child(node, "mark"); mark && !status;
       mark = pl_xml_next(mark, "mark"))
    status = read_mark(study, mark, &plot, error);
  if (!status) study->plots[study->plot_count++] = plot;
  return status;
}

static pl_status read_given(pl_study *study, const pl_xml_node *node, pl_study_plot *table,
                            pl_error *error)
{
  pl_status status = check_words(study, node, WORDS("title", "values", "beside"), NO_WORDS, error);
  pl_study_given given = {need(study, node, "title", &status, error),
                          need(study, node, "values", &status, error),
                          pl_xml_attribute(node, "beside")};
  if (!status && table->given_count == PL_MOST_GIVEN)
    status = fail(study, node, error, "a table has at most %d given columns", PL_MOST_GIVEN);
  if (!status) table->given[table->given_count++] = given;
  return status;
}

static pl_status read_table(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  pl_status status =
      check_words(study, node, WORDS("title", "rows", "columns", "value", "where", "note"),
                  WORDS("given"), error);
  pl_study_plot table = {.is_table = 1, .line = pl_xml_line(node)};
  table.title = pl_xml_attribute(node, "title");
  table.x = need(study, node, "rows", &status, error);
  table.y = pl_xml_attribute(node, "columns");
  table.by = need(study, node, "value", &status, error);
  table.where = pl_xml_attribute(node, "where");
  table.note = pl_xml_attribute(node, "note");
  for (const pl_xml_node *given = pl_xml_child(node, "given"); given && !status;
       given = pl_xml_next(given, "given"))
    status = read_given(study, given, &table, error);
  if (!status) study->plots[study->plot_count++] = table;
  return status;
}

/* ---- the whole ---- */

static pl_status read_child(pl_study *study, const pl_xml_node *node, pl_error *error)
{
  const char *name = pl_xml_name(node);
  if (study->plot_count == PL_MOST_PLOTS)
    return fail(study, node, error, "more than %d tables and plots are too many", PL_MOST_PLOTS);
  if (strcmp(name, "vary") == 0) return read_vary(study, node, error);
  if (strcmp(name, "reference") == 0) return read_reference(study, node, error);
  if (strcmp(name, "measure") == 0) return read_measure(study, node, error);
  if (strcmp(name, "bisect") == 0) return read_bisect(study, node, error);
  if (strcmp(name, "table") == 0) return read_table(study, node, error);
  return read_plot(study, node, error);
}

static pl_status read_root(pl_study *study, pl_error *error)
{
  const pl_xml_node *root = pl_xml_root(study->document);
  if (strcmp(pl_xml_name(root), "study") != 0)
    return fail(study, root, error, "a study begins with <study>");
  pl_status status =
      check_words(study, root, WORDS("title", "scene", "set", "smallest", "smallest-set"),
                  WORDS("vary", "reference", "measure", "bisect", "table", "plot"), error);
  const char *scene = need(study, root, "scene", &status, error);
  study->title = pl_xml_attribute(root, "title");
  if (!study->title) study->title = pl_path_name(study->path);
  study->smallest = pl_xml_attribute(root, "smallest");
  if (!status) status = pl_study_path(study, scene, study->scene, sizeof study->scene, error);
  if (status) return pl_error_locate(error, status, study->path, pl_xml_line(root));
  status = read_changes(study, root, pl_xml_attribute(root, "set"), &study->changes, error);
  if (!status)
    status = read_changes(study, root, pl_xml_attribute(root, "smallest-set"), &study->smallest_set,
                          error);
  for (const pl_xml_node *node = pl_xml_child(root, NULL); node && !status;
       node = pl_xml_next(node, NULL))
    status = read_child(study, node, error);
  if (!status && pl_study_cases(study) > PL_MOST_CASES)
    status = fail(study, root, error, "more than %d cases are too many", PL_MOST_CASES);
  return status;
}

/* ---- what the results depend on ---- */

static uint64_t hash_bytes(uint64_t hash, const char *data, size_t size)
{
  uint64_t last = size;
  hash = pl_hash_words(hash, data, size / 8);
  for (size_t i = size / 8 * 8; i < size; i++) last = last * 257 + (unsigned char)data[i];
  return pl_hash_words(hash, &last, 1);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
  return hash_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t hash_changes(uint64_t hash, const pl_changes *changes)
{
  for (int i = 0; i < changes->count; i++) hash = hash_text(hash, changes->texts[i]);
  return hash_text(hash, NULL);
}

/* Everything but tables and plots: these can be changed and rewritten from the same results. */
static uint64_t hash_study(const pl_study *study, const pl_bytes *scene)
{
  const double numbers[] = {study->has_reference, study->error,         study->repeat,
                            study->bisect.from,   study->bisect.to,     study->bisect.below,
                            study->bisect.ratio,  study->bisect.upwards};
  uint64_t hash = hash_bytes(PL_HASH_START, scene->data, scene->size);
  hash = hash_changes(hash, &study->changes);
  for (int i = 0; i < study->axis_count; i++) {
    const pl_study_axis *axis = &study->axes[i];
    hash = hash_text(hash, axis->name);
    for (int k = 0; k < axis->option_count; k++) {
      hash = hash_text(hash, axis->options[k].label);
      hash = hash_changes(hash, &axis->options[k].changes);
    }
  }
  hash = hash_text(hash_changes(hash, &study->reference), study->reference_file);
  hash = hash_text(hash_text(hash, study->probe), study->bisect.path);
  hash = hash_text(hash, study->bisect.accept);
  return pl_hash_words(hash, numbers, sizeof numbers / sizeof *numbers);
}

pl_status pl_study_path(const pl_study *study, const char *file, char *path, size_t size,
                        pl_error *error)
{
  static const char beside[] = "../scenes/";
  char folder[PATH_MAX], scenes[PATH_MAX];
  pl_status status = pl_path_folder(folder, sizeof folder, study->path, error);
  if (!status) status = pl_path_join(path, size, folder, file, error);
  if (status || study->allow_any_path) return status;
  if (strncmp(file, beside, sizeof beside - 1) != 0)
    return pl_path_confine(folder, path, "study's", file, error);
  status = pl_path_join(scenes, sizeof scenes, folder, "../scenes", error);
  return status ? status : pl_path_confine(scenes, path, "scenes", file, error);
}

pl_status pl_study_load(const pl_allocator *allocator, const char *path, int allow_any_path,
                        pl_study **out, pl_error *error)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_bytes bytes = {0}, scene = {0};
  *out = NULL;
  pl_study *study = pl_alloc(&memory, 1, sizeof *study);
  if (!study) return pl_fail_memory(error);
  study->allocator = memory;
  study->repeat = 1;
  study->allow_any_path = allow_any_path;
  char *name = own(study, strlen(path) + 1, 1);
  pl_status status = name ? PL_OK : pl_fail_memory(error);
  if (name) study->path = strcpy(name, path);
  if (!status) status = pl_file_read(&memory, path, MOST_BYTES, &bytes, error);
  if (!status)
    status = pl_xml_parse(bytes.data, bytes.size, path, &memory, &study->document, error);
  if (!status) status = read_root(study, error);
  if (!status) status = pl_file_read(&memory, study->scene, 0, &scene, error);
  if (!status) study->hash = hash_study(study, &scene);
  pl_bytes_free(&memory, &scene);
  pl_bytes_free(&memory, &bytes);
  if (status) {
    pl_error_locate(error, status, path, 0);
    pl_study_destroy(study);
    return status;
  }
  *out = study;
  return PL_OK;
}

void pl_study_destroy(pl_study *study)
{
  if (!study) return;
  pl_allocator allocator = study->allocator;
  pl_xml_destroy(study->document);
  for (size_t i = 0; i < study->owned_count; i++) pl_free(&allocator, study->owned[i]);
  pl_free(&allocator, study->owned);
  pl_free(&allocator, study);
}

int pl_study_cases(const pl_study *study)
{
  int count = 1;
  for (int i = 0; i < study->axis_count; i++) {
    if (study->axes[i].option_count > (PL_MOST_CASES + 1) / count) return PL_MOST_CASES + 1;
    count *= study->axes[i].option_count;
  }
  return count;
}

void pl_study_case(const pl_study *study, int case_number, int options[PL_MOST_AXES])
{
  for (int i = study->axis_count - 1; i >= 0; i--) {
    options[i] = case_number % study->axes[i].option_count;
    case_number /= study->axes[i].option_count;
  }
}
