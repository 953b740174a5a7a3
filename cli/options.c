/* Options: --name value, --name=value, -n value, -- ends them. */
#include "cli.h"
#include "core/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_paint(cli_tone tone)
{
  static const char *const codes[] = {"\033[0m", "\033[1;31m", "\033[1;33m"};
  const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
  int dumb = !terminal || strcmp(terminal, "dumb") == 0;
  return (refused && *refused) || dumb || !isatty(STDERR_FILENO) ? "" : codes[tone];
}

int cli_fail(int code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%spliant:%s ", cli_paint(CLI_RED), cli_paint(CLI_PLAIN));
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  return code;
}

int cli_fail_error(const pl_error *error)
{
  char text[1024];
  return cli_fail(CLI_FAILED, "%s", pl_error_text(error, text, sizeof text));
}

void cli_be_silent(void)
{
  int file = open("/dev/null", O_WRONLY);
  if (file < 0) return;
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);
}

const char *cli_input(const char *word) { return strcmp(word, "-") == 0 ? "/dev/stdin" : word; }

/* Quoted where a shell would take a letter for something else. */
void cli_print_command(const char *title, const char *verb, const char *path)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,";
  printf("  %-8s pliant %s ", title, verb);
  if (path[strspn(path, plain)] == 0) {
    printf("%s\n", path);
    return;
  }
  putchar('\'');
  for (const char *at = path; *at; at++) printf(*at == '\'' ? "'\\''" : "%c", *at);
  printf("'\n");
}

int cli_int(const char *name, const char *text, int min, int max, int *value)
{
  int64_t number;
  if (!pl_parse_int(text, &number) || number < min || number > max)
    return cli_fail(CLI_USAGE, "--%s %s: a whole number from %d to %d is needed", name, text, min,
                    max);
  *value = (int)number;
  return CLI_OK;
}

cli_option cli_param_option(const pl_param *param, const char **value)
{
  return (cli_option){
      .name = param->name, .argument = "VALUE", .summary = param->summary, .value = value};
}

int cli_given_settings(const cli_option *options, const char *const *values, int count,
                       pl_setting *settings)
{
  int given = 0;
  for (int i = 0; i < count; i++) {
    if (values[i]) settings[given++] = (pl_setting){.name = options[i].name, .word = values[i]};
  }
  return given;
}

int cli_number(const char *name, const char *text, double *value)
{
  if (!pl_parse_double(text, value))
    return cli_fail(CLI_USAGE, "--%s %s: a number is needed", name, text);
  return CLI_OK;
}

static void print_help(const cli_option *options, int count, const char *usage, const char *summary)
{
  printf("usage: pliant %s\n\n%s\n", usage, summary);
  if (count) printf("\n");
  for (int i = 0; i < count; i++) {
    char left[80], letter[8] = "    ";
    if (options[i].letter) snprintf(letter, sizeof letter, "-%c, ", options[i].letter);
    snprintf(left, sizeof left, "%s--%s %s", letter, options[i].name,
             options[i].argument ? options[i].argument : "");
    printf("  %-26s %s\n", left, options[i].summary);
  }
}

/* Prints the help if the word asks for it, in the form that it names. */
static int is_help(const char *word, const cli_option *options, int count, const char *usage,
                   const char *summary)
{
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    print_help(options, count, usage, summary);
  else if (strcmp(word, "--help=man") == 0)
    cli_print_man(options, count, usage, summary);
  else if (strcmp(word, "--help=options") == 0)
    cli_print_options(options, count);
  else
    return 0;
  return 1;
}

/* The option that word names ("--name", "--name=value", "-n"); *value is set behind '='. */
static const cli_option *find(const char *word, const cli_option *options, int count,
                              const char **value)
{
  *value = NULL;
  for (int i = 0; i < count; i++) {
    if (word[1] != '-') {
      if (options[i].letter && word[1] == options[i].letter && !word[2]) return &options[i];
      continue;
    }
    size_t length = strlen(options[i].name);
    if (strncmp(word + 2, options[i].name, length) != 0) continue;
    if (word[2 + length] == '=') *value = word + 3 + length;
    if (!word[2 + length] || *value) return &options[i];
  }
  return NULL;
}

static int unknown(const char *word, const cli_option *options, int count)
{
  const char *names[CLI_MOST_WORDS + 1] = {0};
  for (int i = 0; i < count && i < CLI_MOST_WORDS; i++) names[i] = options[i].name;
  const char *near = word[1] == '-' ? pl_nearest_word(word + 2, names) : NULL;
  if (near) return cli_fail(CLI_USAGE, "unknown option %s; did you mean --%s?", word, near);
  return cli_fail(CLI_USAGE, "unknown option %s; --help lists them", word);
}

static int add_word(cli_words *list, const char *word)
{
  if (list->count == CLI_MOST_WORDS)
    return cli_fail(CLI_USAGE, "more than %d words are too many", CLI_MOST_WORDS);
  list->words[list->count++] = word;
  return CLI_OK;
}

int cli_parse(int count, char **words, const cli_option *options, int option_count,
              const char *usage, const char *summary, cli_words *plain)
{
  int options_end = 0;
  plain->count = 0;
  for (int i = 0; i < count; i++) {
    const char *word = words[i], *value;
    if (options_end || word[0] != '-' || !word[1]) {
      if (add_word(plain, word)) return CLI_USAGE;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      options_end = 1;
      continue;
    }
    if (is_help(word, options, option_count, usage, summary)) return -1;
    const cli_option *option = find(word, options, option_count, &value);
    if (!option) return unknown(word, options, option_count);
    if (option->flag) {
      if (value) return cli_fail(CLI_USAGE, "--%s takes no value", option->name);
      *option->flag = 1;
      continue;
    }
    if (!value && i + 1 < count) value = words[++i];
    if (!value) return cli_fail(CLI_USAGE, "--%s needs %s", option->name, option->argument);
    if (option->value)
      *option->value = value;
    else if (add_word(option->list, value))
      return CLI_USAGE;
  }
  return CLI_OK;
}
