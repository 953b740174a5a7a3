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

/* What is listed: a family, or one member of it. */
typedef struct part {
  const pl_family *family;
  const pl_member *member; /* NULL: all */
} part;

typedef struct part_list {
  part parts[CLI_MOST_WORDS];
  int count;
} part_list;

/* NULL behind the last one. */
static const pl_member *member_at(const part *of, int i)
{
  if (!of->member) return of->family->members[i];
  return i ? NULL : of->member;
}

static void print_part(const part *of, int with_params)
{
  const pl_member *member;
  printf("%s: %s\n", of->family->name, of->family->summary);
  for (int i = 0; (member = member_at(of, i)); i++) {
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

static void add_member(pl_text *json, const pl_member *member)
{
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

static void add_part(pl_text *json, const part *of)
{
  const pl_member *member;
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "family", of->family->name);
  cli_json_text(json, "summary", of->family->summary);
  cli_json_open(json, "members", '[');
  for (int i = 0; (member = member_at(of, i)); i++) add_member(json, member);
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

static int print_json(const part_list *list)
{
  pl_text json = pl_text_make(NULL);
  cli_json_open(&json, NULL, '[');
  for (int i = 0; i < list->count; i++) add_part(&json, &list->parts[i]);
  cli_json_close(&json, ']');
  return cli_json_print(&json, CLI_OK);
}

/* The sentence about a word that is neither a family nor a member of the family before it. */
static int fail_word(const pl_family *before, const char *word)
{
  const char *known[CLI_MOST_WORDS + 1] = {0};
  pl_error error;
  for (int k = 0; pl_families()[k]; k++) {
    if (!pl_member_find(pl_families()[k], word)) continue;
    return cli_fail(CLI_USAGE, "\"%s\" is of the family %s: pliant list %s %s", word,
                    pl_families()[k]->name, pl_families()[k]->name, word);
  }
  for (int k = 0; before && before->members[k] && k < CLI_MOST_WORDS; k++)
    known[k] = before->members[k]->name;
  for (int k = 0; !before && pl_families()[k] && k < CLI_MOST_WORDS; k++)
    known[k] = pl_families()[k]->name;
  pl_fail_unknown(&error, before ? before->name : "family", word, known);
  return cli_fail(CLI_USAGE, "%s", error.message);
}

/* Each word is a member of the family that was named last, or else a family. Without words: all. */
static int find_parts(const cli_words *words, part_list *list)
{
  const pl_family *family = NULL;
  int is_whole = 0;
  list->count = 0;
  for (int k = 0; words->count == 0 && pl_families()[k]; k++)
    list->parts[list->count++] = (part){pl_families()[k], NULL};
  for (int i = 0; i < words->count; i++) {
    const pl_member *member = family ? pl_member_find(family, words->words[i]) : NULL;
    const pl_family *next = member ? family : pl_family_find(words->words[i]);
    if (!next) return fail_word(family, words->words[i]);
    if (member && is_whole) list->count--; // in place of the family itself
    list->parts[list->count++] = (part){next, member};
    is_whole = !member;
    family = next;
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
  static part_list list;
  int markdown = 0, json = 0;
  const cli_option options[] = {
      {.name = "markdown", .summary = "the whole scene reference as Markdown", .flag = &markdown},
      {.name = "json", .summary = "for other programs", .flag = &json}};
  int code =
      cli_parse(count, words, options, 2, "list [--markdown | --json] [FAMILY [MEMBER...]]...",
                "Lists the members of all families, one family with all parameters, or "
                "single members of it.",
                &names);
  if (code) return code < 0 ? CLI_OK : code;
  if (markdown) return print_markdown();
  if (find_parts(&names, &list)) return CLI_USAGE;
  if (json) return print_json(&list);
  for (int i = 0; i < list.count; i++) print_part(&list.parts[i], names.count > 0);
  if (names.count == 0) printf("'pliant list FAMILY [MEMBER]' shows the parameters.\n");
  return CLI_OK;
}
