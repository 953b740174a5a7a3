/* Choosing a member of a family and giving values to its parameters. */
#ifndef PL_CORE_FAMILY_H
#define PL_CORE_FAMILY_H

#include "pliant/base.h"

enum { PL_MOST_VALUES = 64 };

/* Defines the family pl_KIND_family. Behind the summary stand the addresses of its members' infos,
 * each with a comma behind it: its list with an X that writes them.
 *
 *   #define X(name) &pl_load_##name.info,
 *   PL_FAMILY(load, "what pushes a body", PL_LOADS(X));
 *   #undef X */
#define PL_FAMILY(kind, text, ...)                                                                 \
  const pl_family pl_##kind##_family = {#kind, text, (const pl_member *const[]){__VA_ARGS__ NULL}}

/* The description of a member, with all the parameters of an array. */
#define PL_INFO(NAME, SUMMARY, SOURCE, PARAMS)                                                     \
  {                                                                                                \
    .name = NAME, .summary = SUMMARY, .source = SOURCE, .params = PARAMS,                          \
    .param_count = sizeof(PARAMS) / sizeof *(PARAMS)                                               \
  }

/* The same with so many of the parameters. */
#define PL_INFO_SOME(NAME, SUMMARY, SOURCE, PARAMS, COUNT)                                         \
  {                                                                                                \
    .name = NAME, .summary = SUMMARY, .source = SOURCE, .params = PARAMS, .param_count = COUNT     \
  }

/* Finds the chosen member and fills values[PL_MOST_VALUES] from the presets and the settings. An
 * unknown name, an unknown setting or a value out of range is an error that says what is allowed;
 * a member that this build lacks something for is an error that says what. A NULL name takes the
 * family's first member. */
pl_status pl_choice_resolve(const pl_family *family, const pl_choice *choice,
                            const pl_member **member, double *values, pl_error *error);

/* A member with a value for each of its parameters: what is left of a choice once it is checked. */
typedef struct pl_selection {
  const pl_member *member;
  double values[PL_MOST_VALUES];
} pl_selection;

/* The index of the parameter, -1 if there is none of that name; the place of its first value; how
 * many values it has. */
int pl_param_find(const pl_member *member, const char *name);
int pl_param_place(const pl_member *member, int index);
int pl_param_width(const pl_param *param);

/* Fills values[PL_MOST_VALUES] with the member's presets. */
void pl_param_presets(const pl_member *member, double *values);

/* Checks the value of one parameter, given as numbers or as text, and fills value[width]. */
pl_status pl_param_check(const pl_param *param, const double *numbers, double *value,
                         pl_error *error);
pl_status pl_param_parse(const pl_param *param, const char *text, double *value, pl_error *error);

/* "unknown WHAT "NAME"; did you mean ...?" or the list of what there is. */
pl_status pl_fail_unknown(pl_error *error, const char *what, const char *name,
                          const char *const *words);

#endif
