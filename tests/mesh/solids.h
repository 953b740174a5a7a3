/* Ready-made solids for tests. */
#ifndef PL_TEST_SOLIDS_H
#define PL_TEST_SOLIDS_H

#include "mesh/solid.h"

#include "test.h"

/* One solid as it comes. */
static inline pl_solid *one_solid(const char *name)
{
  pl_solid *solid = NULL;
  CHECK_OK(pl_solid_create(&(pl_solid_row){{name, NULL, 0}, 0}, 1, NULL, &solid, error));
  return solid;
}

/* The next ready-made solid from this place of the family on; NULL: none is left. */
static inline pl_solid *next_solid(int *place)
{
  while (pl_solid_family.members[*place]) {
    const pl_member *member = pl_solid_family.members[(*place)++];
    if (((const pl_solid_ops *)(const void *)member)->lines) return one_solid(member->name);
  }
  return NULL;
}

#endif
