/* The pliant command: one file per sub-command, one line here. */
#ifndef PL_CLI_H
#define PL_CLI_H

#include "pliant/base.h"

#define CLI_COMMANDS(X)                                                                            \
  X(run, "simulate a scene and write frames, probes, plots and a summary")                         \
  X(view, "show a scene in the browser and pull at it")                                            \
  X(check, "find all errors of scenes without running them")                                       \
  X(list, "what there is to choose from: models, integrators, formats ...")                        \
  X(study, "vary values of a scene, compare the results, make tables and plots")                   \
  X(mesh, "generate, convert and inspect meshes")                                                  \
  X(fit, "find the constants of a material from measurements")                                     \
  X(bench, "measure speed on this machine")

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* Each gets the words behind its name and returns the exit code. */
#define X(name, summary) int cli_##name(int count, char **words);
CLI_COMMANDS(X)
#undef X

enum { CLI_MOST_WORDS = 256 };

/* Words that an option collects, each time it is given. */
typedef struct cli_words {
  const char *words[CLI_MOST_WORDS];
  int count;
} cli_words;

/* One option; exactly one of flag, value and list is set. */
typedef struct cli_option {
  const char *name;     /* "output" for --output                 */
  char letter;          /* 'o' for -o, 0 for none                */
  const char *argument; /* "DIR" in the help, NULL for a flag    */
  const char *summary;
  int *flag;
  const char **value;
  cli_words *list;
} cli_option;

/* The option -o FILE. */
#define CLI_OUTPUT(SUMMARY, VALUE)                                                                 \
  {                                                                                                \
    .name = "output", .letter = 'o', .argument = "FILE", .summary = SUMMARY, .value = VALUE        \
  }

/* A parameter of a member as an option, and the options that were given, in whose places values
 * stand, as settings; returns how many. */
cli_option cli_param_option(const pl_param *param, const char **value);
int cli_given_settings(const cli_option *options, const char *const *values, int count,
                       pl_setting *settings);

/* Takes options out of words. The rest goes to plain. Returns CLI_OK, or CLI_USAGE after a message
 * on stderr, or -1 after --help was printed. usage is the line behind "usage: pliant". */
int cli_parse(int count, char **words, const cli_option *options, int option_count,
              const char *usage, const char *summary, cli_words *plain);

/* What --help=man and --help=options print: a page for man(1); name, letter, argument and summary
 * of every option, separated by tabs. */
void cli_print_man(const cli_option *options, int count, const char *usage, const char *summary);
void cli_print_options(const cli_option *options, int count);

/* What makes the word behind it coloured on stderr, where that is a terminal and NO_COLOR is not
 * set (https://no-color.org), and what ends it; "" elsewhere. */
typedef enum cli_tone { CLI_PLAIN, CLI_RED, CLI_YELLOW } cli_tone;
const char *cli_paint(cli_tone tone);

/* Prints "pliant: message" to stderr and returns the code. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail_error(const pl_error *error);

/* Prints nothing any more: another process speaks. */
void cli_be_silent(void);

/* A file to be read: "-" is the standard input. */
const char *cli_input(const char *word);

/* Prints a line of the results: "  title    pliant VERB PATH", to be copied into a shell. */
void cli_print_command(const char *title, const char *verb, const char *path);

/* Parses a whole number or a number for an option; prints a message where it is none. */
int cli_int(const char *name, const char *text, int min, int max, int *value);
int cli_number(const char *name, const char *text, double *value);

#endif
