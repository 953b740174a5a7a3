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
  // of Open MPI; of MPICH, Intel and others
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  int count = number_of(names, 2, 1);
  return count > 0 ? count : 1;
}

int pl_dist_is_first(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  return number_of(names, 2, 0) == 0;
}
