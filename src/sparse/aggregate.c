/* Aggregation after Vanek, Mandel & Brezina 1996, algorithm 5.1, without a measure of strength: the
 * couplings of an elastic body are alike in all directions. */
#include "sparse/aggregate.h"

#include "core/memory.h"

enum { NONE = -1 };

/* Is there a neighbourhood, and all of it still without a group? */
static int is_untouched(const int *start, const int *columns, const int *group, int node)
{
  if (start[node + 1] - start[node] == 1) return 0;
  for (int k = start[node]; k < start[node + 1]; k++) {
    if (group[columns[k]] != NONE) return 0;
  }
  return 1;
}

/* The group that most neighbours belong to, the first of them in case of a tie. */
static int favourite(const int *start, const int *columns, const int *group, int node)
{
  int best = NONE, votes = 0;
  for (int k = start[node]; k < start[node + 1]; k++) {
    int candidate = group[columns[k]], count = 0;
    if (candidate == NONE || candidate == best) continue;
    for (int m = start[node]; m < start[node + 1]; m++) count += group[columns[m]] == candidate;
    if (count > votes) {
      votes = count;
      best = candidate;
    }
  }
  return best;
}

int pl_aggregate(const pl_allocator *allocator, int nodes, const int *start, const int *columns,
                 int *group)
{
  int *joined = pl_alloc(allocator, (size_t)nodes, sizeof *joined);
  if (!joined) return -1;
  int groups = 0;
  for (int i = 0; i < nodes; i++) group[i] = NONE;

  // whole neighbourhoods first
  for (int i = 0; i < nodes; i++) {
    if (!is_untouched(start, columns, group, i)) continue;
    for (int k = start[i]; k < start[i + 1]; k++) group[columns[k]] = groups;
    groups++;
  }

  // what lies between joins a neighbour; groups do not grow while they are looked at
  for (int i = 0; i < nodes; i++)
    joined[i] = group[i] == NONE ? favourite(start, columns, group, i) : NONE;
  for (int i = 0; i < nodes; i++) {
    if (joined[i] != NONE) group[i] = joined[i];
  }

  // the rest makes groups of its own, but a node without neighbours has nothing to share
  for (int i = 0; i < nodes; i++) {
    if (group[i] != NONE || start[i + 1] - start[i] == 1) continue;
    for (int k = start[i]; k < start[i + 1]; k++) {
      if (group[columns[k]] == NONE) group[columns[k]] = groups;
    }
    groups++;
  }
  pl_free(allocator, joined);
  return groups;
}
