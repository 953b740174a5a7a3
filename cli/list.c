/* pliant list: every family, member and parameter of this build. */
#include "cli.h"
#include "core/family.h"
#include "core/text.h"
#include "json.h"
#include "ode/integrator.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_param(const pl_param *param)
{
  char preset[32] = "none", range[80];
  if (param->words) {
    const char *word = param->words;
    for (int i = 0; i < (int)param->preset; i++) word += strcspn(word, "|") + 1;
    size_t length = strcspn(word, "|");
    snprintf(preset, sizeof preset, "%.*s", (int)length, word);
    snprintf(range, sizeof range, "%s", param->words);
  } else {
    if (!isnan(param->preset)) pl_print(preset, sizeof preset, "%g", param->preset);
    pl_print(range, sizeof range, "%g to %g", param->min, param->max);
  }
  const char *unit = strcmp(param->unit, "1") && strcmp(param->unit, "count") ? param->unit : "";
  printf("      %-18s %s [%s%s%s; default %s; %s]\n", param->name, param->summary,
         pl_param_width(param) == 3 ? "three numbers, " : "", unit, *unit ? "" : "-", preset,
         range);
}

static void print_family(const pl_family *family, int with_params)
{
  printf("%s: %s\n", family->name, family->summary);
  for (int i = 0; family->members[i]; i++) {
    const pl_member *member = family->members[i];
    printf("  %-18s %s\n", member->name, member->summary);
    if (member->missing) printf("      not in this build: needs %s\n", member->missing);
    if (!with_params) continue;
    if (member->source && member->source[0]) printf("      from %s\n", member->source);
    for (int k = 0; k < member->param_count; k++) print_param(&member->params[k]);
  }
  printf("\n");
}

static void add_param(pl_text *json, const pl_param *param)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", param->name);
  cli_json_text(json, "summary", param->summary);
  if (param->words) {
    const char *word = param->words;
    cli_json_open(json, "words", '[');
    for (int i = 0; *word; i++) {
      size_t length = strcspn(word, "|");
      char text[64];
      snprintf(text, sizeof text, "%.*s", (int)length, word);
      cli_json_text(json, NULL, text);
      word += length + (word[length] == '|');
    }
    cli_json_close(json, ']');
    cli_json_number(json, "preset", param->preset); // its place among the words
  } else {
    cli_json_text(json, "unit", param->unit);
    cli_json_number(json, "width", pl_param_width(param));
    cli_json_number(json, "preset", param->preset);
    cli_json_number(json, "min", param->min);
    cli_json_number(json, "max", param->max);
  }
  cli_json_close(json, '}');
}

static void add_family(pl_text *json, const pl_family *family)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "family", family->name);
  cli_json_text(json, "summary", family->summary);
  cli_json_open(json, "members", '[');
  for (int i = 0; family->members[i]; i++) {
    const pl_member *member = family->members[i];
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", member->name);
    cli_json_text(json, "summary", member->summary);
    cli_json_text(json, "source", member->source);
    cli_json_text(json, "missing", member->missing);
    cli_json_open(json, "params", '[');
    for (int k = 0; k < member->param_count; k++) add_param(json, &member->params[k]);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

/* The families of these names, or all. */
static int print_json(const cli_words *names)
{
  pl_text json = pl_text_make(NULL);
  cli_json_open(&json, NULL, '[');
  for (int i = 0; i < names->count; i++) add_family(&json, pl_family_find(names->words[i]));
  for (int k = 0; names->count == 0 && pl_families()[k]; k++) add_family(&json, pl_families()[k]);
  cli_json_close(&json, ']');
  return cli_json_print(&json, CLI_OK);
}

/* CLI_USAGE after a message if one of the names is no family's. */
static int check_names(const cli_words *names)
{
  for (int i = 0; i < names->count; i++) {
    if (pl_family_find(names->words[i])) continue;
    const char *known[CLI_MOST_WORDS + 1] = {0};
    for (int k = 0; pl_families()[k] && k < CLI_MOST_WORDS; k++) known[k] = pl_families()[k]->name;
    pl_error error;
    pl_fail_unknown(&error, "family", names->words[i], known);
    return cli_fail(CLI_USAGE, "%s", error.message);
  }
  return CLI_OK;
}

static int print_markdown(void)
{
  pl_text text = pl_text_make(NULL);
  pl_error error = {0};
  pl_scene_reference(&text);
  int failed = pl_text_ok(&text, &error) != PL_OK;
  if (!failed) fwrite(text.data, 1, text.size, stdout);
  pl_text_release(&text);
  return failed ? cli_fail_error(&error) : CLI_OK;
}

int cli_list(int count, char **words)
{
  static cli_words names;
  int markdown = 0, json = 0;
  const cli_option options[] = {
      {.name = "markdown", .summary = "the whole scene reference as Markdown", .flag = &markdown},
      {.name = "json", .summary = "for other programs", .flag = &json}};
  int code =
      cli_parse(count, words, options, 2, "list [--markdown | --json] [FAMILY...]",
                "Lists the members of all families, or one family with all parameters.", &names);
  if (code) return code < 0 ? CLI_OK : code;
  if (markdown) return print_markdown();
  if (check_names(&names)) return CLI_USAGE;
  if (json) return print_json(&names);
  for (int i = 0; i < names.count; i++) print_family(pl_family_find(names.words[i]), 1);
  for (int k = 0; names.count == 0 && pl_families()[k]; k++) print_family(pl_families()[k], 0);
  if (names.count == 0) printf("'pliant list FAMILY' shows the parameters.\n");
  return CLI_OK;
}
