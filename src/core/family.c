/* Families: members by name, parameters by name and range. */
#include "core/family.h"

#include "core/error.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 64, WORD_ROOM = 64 };

const pl_member *pl_member_find(const pl_family *family, const char *name)
{
  for (int i = 0; family && name && family->members[i]; i++) {
    if (strcmp(family->members[i]->name, name) == 0) return family->members[i];
  }
  return NULL;
}

int pl_param_find(const pl_member *member, const char *name)
{
  for (int i = 0; i < member->param_count; i++) {
    if (strcmp(member->params[i].name, name) == 0) return i;
  }
  return -1;
}

pl_status pl_fail_unknown(pl_error *error, const char *what, const char *name,
                          const char *const *words)
{
  const char *near = pl_nearest_word(name, words);
  if (near)
    return pl_fail(error, PL_E_ARGUMENT, "unknown %s \"%.80s\"; did you mean \"%s\"?", what, name,
                   near);
  char list[320] = "";
  size_t used = 0;
  for (; *words; words++) {
    size_t length = strlen(*words);
    if (used + length + 8 > sizeof list) break;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *words);
  }
  return pl_fail(error, PL_E_ARGUMENT, "unknown %s \"%.80s\"; there is: %s%s", what, name,
                 used ? list : "nothing", *words ? ", ..." : "");
}

static pl_status unknown_member(const pl_family *family, const char *name, pl_error *error)
{
  const char *words[MOST_WORDS + 1] = {0};
  for (int i = 0; i < MOST_WORDS && family->members[i]; i++) words[i] = family->members[i]->name;
  return pl_fail_unknown(error, family->name, name, words);
}

static pl_status unknown_param(const pl_member *member, const char *name, pl_error *error)
{
  const char *words[MOST_WORDS + 1] = {0};
  for (int i = 0; i < MOST_WORDS && i < member->param_count; i++) words[i] = member->params[i].name;
  char what[WORD_ROOM + 16];
  snprintf(what, sizeof what, "parameter of %s", member->name);
  return pl_fail_unknown(error, what, name, words);
}

int pl_param_width(const pl_param *param) { return param->width > 1 ? param->width : 1; }

int pl_param_place(const pl_member *member, int index)
{
  int place = 0;
  for (int i = 0; i < index; i++) place += pl_param_width(&member->params[i]);
  return place;
}

void pl_param_presets(const pl_member *member, double *values)
{
  for (int i = 0; i < member->param_count; i++) {
    for (int k = 0; k < pl_param_width(&member->params[i]); k++)
      *values++ = member->params[i].preset;
  }
}

static pl_status out_of_range(const pl_param *param, double number, pl_error *error)
{
  char given[32], min[32], max[32];
  pl_print(given, sizeof given, "%g", number);
  pl_print(min, sizeof min, "%g", param->min);
  pl_print(max, sizeof max, "%g", param->max);
  const char *unit = strcmp(param->unit, "1") && strcmp(param->unit, "count") ? param->unit : "";
  return pl_fail(error, PL_E_ARGUMENT, "%s = %s must lie between %s and %s%s%s", param->name, given,
                 min, max, *unit ? " " : "", unit);
}

pl_status pl_param_check(const pl_param *param, const double *numbers, double *value,
                         pl_error *error)
{
  int whole = strcmp(param->unit, "count") == 0;
  for (int k = 0; k < pl_param_width(param); k++) {
    double number = numbers[k];
    if (!isfinite(number) || number < param->min || number > param->max)
      return out_of_range(param, number, error);
    if (whole && number != floor(number))
      return pl_fail(error, PL_E_ARGUMENT, "%s = %g must be a whole number", param->name, number);
  }
  memcpy(value, numbers, (size_t)pl_param_width(param) * sizeof *value);
  return PL_OK;
}

/* Finds word in param->words ("a|b|c"). */
static pl_status parse_word(const pl_param *param, const char *text, double *value, pl_error *error)
{
  char copy[MOST_WORDS * 8];
  const char *words[MOST_WORDS + 1] = {0};
  snprintf(copy, sizeof copy, "%s", param->words);
  int count = 0;
  for (char *word = copy; word && count < MOST_WORDS;) {
    char *bar = strchr(word, '|');
    if (bar) *bar++ = 0;
    words[count] = word;
    if (strcmp(word, text) == 0) {
      *value = count;
      return PL_OK;
    }
    count++;
    word = bar;
  }
  return pl_fail_unknown(error, param->name, text, words);
}

pl_status pl_param_parse(const pl_param *param, const char *text, double *value, pl_error *error)
{
  if (param->words) return parse_word(param, text, value, error);
  int width = pl_param_width(param), count = 0;
  double numbers[PL_MOST_VALUES];
  const char *rest = text;
  for (; count < width; count++) {
    const char *end = pl_read_double(rest, &numbers[count]);
    if (end == rest) break;
    rest = end;
  }
  rest += strspn(rest, " \t\r\n");
  if (count < width || *rest)
    return pl_fail(error, PL_E_ARGUMENT, "%s = \"%.80s\" must be %s", param->name, text,
                   width == 1 ? "a number" : "three numbers separated by blanks");
  return pl_param_check(param, numbers, value, error);
}

pl_status pl_choice_resolve(const pl_family *family, const pl_choice *choice, const pl_member **out,
                            double *values, pl_error *error)
{
  if (!choice)
    return pl_fail(error, PL_E_ARGUMENT, "no %s is chosen: its pl_choice is NULL", family->name);
  if (choice->setting_count < 0 || (choice->setting_count && !choice->settings))
    return pl_fail(error, PL_E_ARGUMENT, "the %s has %d settings, but no list of them",
                   family->name, choice->setting_count);
  const char *name = choice->name ? choice->name : family->members[0]->name;
  const pl_member *member = pl_member_find(family, name);
  if (!member) return unknown_member(family, name, error);
  if (member->missing)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "%s \"%s\" needs %s, which this build lacks; install it and build again",
                   family->name, name, member->missing);
  pl_param_presets(member, values);
  for (int i = 0; i < choice->setting_count; i++) {
    const pl_setting *setting = &choice->settings[i];
    int index = setting->name ? pl_param_find(member, setting->name) : -1;
    if (index < 0) return unknown_param(member, setting->name ? setting->name : "", error);
    const pl_param *param = &member->params[index];
    double *value = values + pl_param_place(member, index);
    pl_status status = PL_OK;
    if (setting->word)
      status = pl_param_parse(param, setting->word, value, error);
    else if (param->words)
      status =
          pl_fail(error, PL_E_ARGUMENT, "%s needs one of the words %s", param->name, param->words);
    else
      status = pl_param_check(param, setting->value, value, error);
    if (status) return status;
  }
  *out = member;
  return PL_OK;
}
