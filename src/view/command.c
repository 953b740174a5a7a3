#include "view/command.h"

#include "core/error.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

typedef struct row {
  const char *name, *arguments;
  double min, max;
} row;

#define X(name, arguments, min, max, summary) {#name, arguments, min, max},
static const row rows[] = {PL_COMMANDS(X)};
#undef X

/* Takes the next word off the line into out; 0 where there is none or it does not fit. */
static int take_word(const char **line, char *out, size_t room)
{
  *line += strspn(*line, " ");
  size_t length = strcspn(*line, " ");
  if (!length || length >= room) return 0;
  memcpy(out, *line, length);
  out[length] = 0;
  *line += length;
  return 1;
}

static pl_status take_number(const row *of, char kind, const char **line, double *number,
                             pl_error *error)
{
  char word[PL_COMMAND_WORD];
  if (!take_word(line, word, sizeof word) || !pl_parse_double(word, number))
    return pl_fail(error, PL_E_PARSE, "%s: a number is missing", of->name);
  if (*number < of->min || *number > of->max)
    return pl_fail(error, PL_E_ARGUMENT, "%s: %g must lie between %g and %g", of->name, *number,
                   of->min, of->max);
  if (kind == 'i' && *number != floor(*number))
    return pl_fail(error, PL_E_ARGUMENT, "%s: %g must be a whole number", of->name, *number);
  return PL_OK;
}

static pl_status take_arguments(const row *of, const char *line, pl_command *command,
                                pl_error *error)
{
  int numbers = 0, words = 0;
  for (const char *kind = of->arguments; *kind; kind++) {
    pl_status status = PL_OK;
    if (*kind == 'w') {
      if (!take_word(&line, command->words[words++], PL_COMMAND_WORD))
        status = pl_fail(error, PL_E_PARSE, "%s: a word is missing", of->name);
    } else if (*kind == 't') {
      line += strspn(line, " ");
      size_t length = strlen(line);
      if (!length || length >= sizeof command->rest)
        return pl_fail(error, PL_E_PARSE, "%s: the value is missing or too long", of->name);
      memcpy(command->rest, line, length + 1);
      line += length;
    } else {
      status = take_number(of, *kind, &line, &command->numbers[numbers++], error);
    }
    if (status) return status;
  }
  if (line[strspn(line, " ")])
    return pl_fail(error, PL_E_PARSE, "%s: there is more than it takes", of->name);
  return PL_OK;
}

pl_status pl_command_parse(const char *text, size_t size, pl_command *command, pl_error *error)
{
  char line[PL_COMMAND_LINE], name[PL_COMMAND_WORD];
  *command = (pl_command){0};
  if (size >= sizeof line) return pl_fail(error, PL_E_LIMIT, "a command of %zu bytes", size);
  for (size_t i = 0; i < size; i++) {
    if (text[i] < 32 || text[i] > 126)
      return pl_fail(error, PL_E_PARSE, "a command must be one line of ASCII letters");
    line[i] = text[i];
  }
  line[size] = 0;
  const char *rest = line;
  if (!take_word(&rest, name, sizeof name))
    return pl_fail(error, PL_E_PARSE, "the command is missing");
  for (size_t i = 0; i < PL_COMMAND_COUNT; i++) {
    if (strcmp(rows[i].name, name) != 0) continue;
    command->kind = (pl_command_kind)i;
    return take_arguments(&rows[i], rest, command, error);
  }
  return pl_fail(error, PL_E_PARSE, "unknown command \"%.60s\"", name);
}
