/* The help of a command in other forms: a page for man(1), and a list of options from which
 * scripts/manuals.sh makes completions for shells. */
#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text of a man page: a hyphen is one to be typed, and no line begins with a request. */
static void put_escaped(const char *text)
{
  int starts_line = 1;
  for (; *text; text++) {
    if (starts_line && (*text == '.' || *text == '\'')) printf("\\&");
    if (*text == '-')
      printf("\\-");
    else if (*text == '\\')
      printf("\\e");
    else
      putchar(*text);
    starts_line = *text == '\n';
  }
}

/* "run" of "run [OPTIONS] SCENE", "mesh\-generate" of "mesh generate SHAPE": the words in lower
 * case at the beginning. */
static size_t command_length(const char *usage)
{
  size_t length = 0, end = 0;
  while (usage[length] && (islower((unsigned char)usage[length]) || usage[length] == ' ')) {
    length++;
    if (usage[length] == ' ' || !usage[length]) end = length;
  }
  return end;
}

static void put_option(const cli_option *option)
{
  printf(".TP\n");
  if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
  printf("\\fB\\-\\-");
  put_escaped(option->name);
  printf("\\fR");
  if (option->argument) {
    printf(" \\fI");
    put_escaped(option->argument);
    printf("\\fR");
  }
  printf("\n");
  put_escaped(option->summary);
  printf("\n");
}

void cli_print_man(const cli_option *options, int count, const char *usage, const char *summary)
{
  char name[80];
  snprintf(name, sizeof name, "pliant %.*s", (int)command_length(usage), usage);
  for (char *at = name; *at; at++) *at = *at == ' ' ? '-' : *at;
  printf(".TH ");
  for (const char *at = name; *at; at++) putchar(toupper((unsigned char)*at));
  printf(" 1 \"\" \"pliant %s\" \"Pliant\"\n.SH NAME\n", pl_version());
  put_escaped(name);
  printf(" \\- ");
  size_t sentence = strcspn(summary, ".\n");
  for (size_t i = 0; i < sentence; i++)
    putchar(i ? summary[i] : tolower((unsigned char)summary[i]));
  printf("\n.SH SYNOPSIS\n.B pliant\n");
  put_escaped(usage);
  printf("\n.SH DESCRIPTION\n");
  put_escaped(summary);
  printf("\n");
  if (count) printf(".SH OPTIONS\n");
  for (int i = 0; i < count; i++) put_option(&options[i]);
  printf(
      ".SH EXIT STATUS\n0 for success, 1 for an error (one sentence on the standard error), 2 for "
      "wrong options, 130 after an interrupt.\n.SH SEE ALSO\n.BR pliant (1)\n");
}

void cli_print_options(const cli_option *options, int count)
{
  for (int i = 0; i < count; i++) {
    char letter[2] = {options[i].letter, 0};
    printf("%s\t%s\t%s\t%s\n", options[i].name, letter,
           options[i].argument ? options[i].argument : "", options[i].summary);
  }
  printf("help\th\t\tshow what there is to say\n");
}
