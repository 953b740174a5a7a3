/* Sets as numbers. */
#include "io/numbered.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

void pl_numbered_prefixes(pl_draft *draft)
{
  pl_draft_prefix(draft, 0, "marker");
  pl_draft_prefix(draft, 3, "region");
}

/* Is the set's name "PREFIX-NUMBER", with the number as it would be read back? */
static int numbered_set(const pl_set *set, const char *prefix, int *number)
{
  size_t length = strlen(prefix);
  int64_t value;
  char again[32];
  if (strncmp(set->name, prefix, length) != 0 || !pl_parse_int(set->name + length, &value))
    return 0;
  if (value < -INT32_MAX || value > INT32_MAX) return 0;
  *number = (int)value;
  snprintf(again, sizeof again, "%d", *number);
  return strcmp(again, set->name + length) == 0;
}

int pl_numbered_keeps(const pl_set *set)
{
  int number;
  return numbered_set(set, set->of_elements ? "region-" : "marker-", &number);
}

pl_status pl_numbered_items(const pl_mesh *mesh, const pl_allocator *allocator, int of_elements,
                            int **numbers, pl_error *error)
{
  int count = of_elements ? pl_mesh_element_count(mesh) : pl_mesh_node_count(mesh), number;
  *numbers = NULL;
  for (int s = pl_mesh_set_count(mesh) - 1; s >= 0; s--) {
    const pl_set *set = pl_mesh_set(mesh, s);
    if (set->of_elements != of_elements) continue;
    if (!numbered_set(set, of_elements ? "region-" : "marker-", &number)) continue;
    if (!*numbers) *numbers = pl_alloc(allocator, (size_t)count, sizeof **numbers);
    if (!*numbers) return pl_fail_memory(error);
    for (int i = 0; i < set->count; i++) (*numbers)[set->ids[i]] = number;
  }
  return PL_OK;
}
