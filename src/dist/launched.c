#include "dist/dist.h"

#include <stdlib.h>

/* The first of these variables that is set, or preset. */
static int number_of(const char *const *names, int count, int preset)
{
  for (int i = 0; i < count; i++) {
    const char *text = getenv(names[i]);
    if (text) return atoi(text);
  }
  return preset;
}

int pl_dist_launched(void)
{
  // of Open MPI; of MPICH, Intel and srun with PMI2; of srun with PMIx, which itself says no size.
  // A task of srun without either is a program alone
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  int count = number_of(names, getenv("PMIX_RANK") ? 3 : 2, 1);
  return count > 0 ? count : 1;
}

int pl_dist_is_first(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  return number_of(names, 3, 0) == 0;
}
