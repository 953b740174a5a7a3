/* Attributes that are neither numbers nor words: names, members of a family, axes and ramps. */
#include "scene/value.h"

#include "core/error.h"
#include "core/family.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

enum { MOST_NAME = 80, MOST_WORDS = 64 };

pl_status pl_check_text(const pl_attribute *self, const char *text, pl_error *error)
{
  if (text[strspn(text, " \t\r\n")]) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s is empty", self->param.name);
}

/* Names become columns of tables, and stand in brackets where a value is changed. */
pl_status pl_check_name(const pl_attribute *self, const char *text, pl_error *error)
{
  if (!*text) return pl_fail(error, PL_E_ARGUMENT, "%s is empty", self->param.name);
  if (strlen(text) > MOST_NAME)
    return pl_fail(error, PL_E_ARGUMENT, "%s = \"%.20s...\" has more than %d letters",
                   self->param.name, text, MOST_NAME);
  for (const char *c = text; *c; c++) {
    if ((unsigned char)*c < 32 || strchr("[]\",", *c))
      return pl_fail(error, PL_E_ARGUMENT,
                     "%s = \"%s\" must do without brackets, quotes, commas and line ends",
                     self->param.name, text);
  }
  return PL_OK;
}

pl_status pl_check_member(const pl_attribute *self, const char *text, pl_error *error)
{
  if (pl_attribute_member(self, text) || (self->also && strcmp(text, self->also) == 0))
    return PL_OK;
  const char *words[MOST_WORDS + 2] = {0};
  int count = 0;
  for (int i = 0; self->family->members[i] && count < MOST_WORDS; i++) {
    const pl_member *member = self->family->members[i];
    if (!self->accepts || self->accepts(member)) words[count++] = member->name;
  }
  if (self->also) words[count] = self->also;
  return pl_fail_unknown(error, self->param.name, text, words);
}

pl_status pl_parse_axes(const char *text, int held[3], pl_error *error)
{
  held[0] = held[1] = held[2] = 0;
  int good = *text != 0;
  for (const char *c = text; *c && good; c++) {
    good = *c >= 'x' && *c <= 'z' && !held[*c - 'x'];
    if (good) held[*c - 'x'] = 1;
  }
  if (good) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "axes = \"%.40s\" must be some of the letters xyz, each at most once", text);
}

pl_status pl_check_axes(const pl_attribute *self, const char *text, pl_error *error)
{
  (void)self;
  int held[3];
  return pl_parse_axes(text, held, error);
}

static const char *read_finite(const char *text, double *value)
{
  const char *end = pl_read_double(text, value);
  return end != text && isfinite(*value) ? end : NULL;
}

pl_status pl_parse_ramp(const char *text, int room, double *times, double *factors, int *count,
                        pl_error *error)
{
  *count = 0;
  double before = -INFINITY;
  for (const char *rest = text;; rest++) {
    double time, factor;
    rest = read_finite(rest, &time);
    if (rest) rest = read_finite(rest, &factor);
    if (rest) rest += strspn(rest, " \t\r\n");
    if (!rest || (*rest && *rest != ','))
      return pl_fail(error, PL_E_ARGUMENT,
                     "ramp = \"%.80s\" must be pairs of time and factor, separated by commas, "
                     "for example \"0 0, 0.5 1\"",
                     text);
    if (time <= before)
      return pl_fail(error, PL_E_ARGUMENT, "ramp: time %g must be later than %g before it", time,
                     before);
    before = time;
    if (*count < room) times[*count] = time, factors[*count] = factor;
    ++*count;
    if (!*rest) return PL_OK;
  }
}

pl_status pl_parse_prony(const char *text, int room, double *shares, double *times, int *count,
                         pl_error *error)
{
  *count = 0;
  for (const char *rest = text;;) {
    double share, time;
    rest = read_finite(rest, &share);
    if (rest) rest = read_finite(rest, &time);
    if (rest) rest += strspn(rest, " \t\r\n,");
    if (!rest)
      return pl_fail(error, PL_E_ARGUMENT,
                     "prony = \"%.80s\" must be pairs of a share and a time in s, for example "
                     "\"0.3 0.05, 0.2 1\"",
                     text);
    if (*count < room) shares[*count] = share, times[*count] = time;
    ++*count;
    if (!*rest) return PL_OK;
  }
}

pl_status pl_check_prony(const pl_attribute *self, const char *text, pl_error *error)
{
  (void)self;
  int count;
  return pl_parse_prony(text, 0, NULL, NULL, &count, error);
}

pl_status pl_check_ramp(const pl_attribute *self, const char *text, pl_error *error)
{
  (void)self;
  int count;
  return pl_parse_ramp(text, 0, NULL, NULL, &count, error);
}

static int is_zero(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

pl_status pl_check_direction(const pl_attribute *self, const char *text, pl_error *error)
{
  double value[3];
  pl_status status = pl_param_parse(&self->param, text, value, error);
  if (status) return status;
  if (!is_zero(value)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "%s = \"%.40s\" has no direction", self->param.name, text);
}
