/* pliant: finds the sub-command and hands over. */
#include "cli.h"
#include "core/text.h"
#include "dist/dist.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_help(FILE *out)
{
  fprintf(out, "usage: pliant COMMAND ...\n\nPliant simulates deformable bodies.\n\n");
#define X(name, summary) fprintf(out, "  %-8s %s\n", #name, summary);
  CLI_COMMANDS(X)
#undef X
  fprintf(out, "\n'pliant COMMAND --help' says more. 'pliant --version' prints the version.\n");
}

/* A standard file that is closed would be the next one that is opened, and messages would go into
 * results. */
static void open_standard_files(void)
{
  int file;
  do file = open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
}

static int dispatch(int count, char **words)
{
  if (count < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  const char *word = words[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    print_help(stdout);
    return CLI_OK;
  }
  if (strcmp(word, "--version") == 0) {
    printf("pliant %s\n", pl_version());
    return CLI_OK;
  }
  if (pl_dist_launched() > 1 && strcmp(word, "run") != 0) {
    if (!pl_dist_is_first()) cli_be_silent();
    return cli_fail(CLI_USAGE, "mpirun and srun are for \"pliant run\"; start \"pliant %s\" once",
                    word);
  }
#define X(name, summary)                                                                           \
  if (strcmp(word, #name) == 0) return cli_##name(count - 2, words + 2);
  CLI_COMMANDS(X)
#undef X

#define X(name, summary) #name,
  static const char *const names[] = {CLI_COMMANDS(X) NULL};
#undef X
  const char *near = pl_nearest_word(word, names);
  return cli_fail(CLI_USAGE, "unknown command \"%s\"; %s%s%s", word,
                  near ? "did you mean \"" : "'pliant --help' lists them", near ? near : "",
                  near ? "\"?" : "");
}

int main(int count, char **words)
{
  open_standard_files();
  signal(SIGXFSZ, SIG_IGN); // a file beyond the user's limit is an error to be reported
  int code = dispatch(count, words);
  if (fflush(stdout) && code == CLI_OK)
    code = cli_fail(CLI_FAILED, "the standard output cannot be written: %s", strerror(errno));
  return code;
}
