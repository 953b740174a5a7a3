#include "launch.h"

#include "cli.h"
#include "dist/dist.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check(int ranks)
{
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (!pl_dist_is_first()) cli_be_silent();
  if (pl_dist_launched() > 1)
    return cli_fail(CLI_USAGE, "--ranks starts processes, and mpirun or srun has done so; leave "
                               "one of them out");
  if (!pl_dist_exists())
    return cli_fail(
        CLI_FAILED,
        "--ranks %d needs a build with PETSc (-DPLIANT_WITH_PETSC=ON); \"--threads %d\" "
        "uses as many processors, and is faster on one machine",
        ranks, ranks);
  if (ranks > processors)
    return cli_fail(CLI_USAGE,
                    "--ranks %d: this machine has %ld processors, and processes beyond that would "
                    "wait for each other; mpirun --oversubscribe insists",
                    ranks, processors);
  return CLI_OK;
}

/* The words without --ranks N, behind what is there; returns how many there are. */
static int add_words(char **all, int used, int count, char **words)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i], "--ranks") == 0)
      i++;
    else if (strncmp(words[i], "--ranks=", 8) != 0)
      all[used++] = words[i];
  }
  return used;
}

int cli_launch(const char *word, const char *verb, int count, char **words)
{
  int ranks = 0;
  int code = cli_int("ranks", word, 1, 100000, &ranks) ? CLI_USAGE : check(ranks);
  if (code) return code;
  char program[4096] = "", number[16];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return cli_fail(CLI_FAILED, "this program does not find its own file");
  snprintf(number, sizeof number, "%d", ranks);
  // threads of a rank may run on any of its processors
  char *head[] = {"mpirun", "--bind-to", "none", "-n", number, program, (char *)(uintptr_t)verb};
  int used = sizeof head / sizeof *head;
  char **all = calloc((size_t)used + (size_t)count + 1, sizeof *all);
  if (!all) return cli_fail(CLI_FAILED, "there is no memory");
  memcpy(all, head, sizeof head);
  add_words(all, used, count, words);
  execvp(all[0], all);
  free(all);
  return cli_fail(CLI_FAILED, "mpirun cannot be started: %s; it comes with MPI (openmpi-bin)",
                  strerror(errno));
}
