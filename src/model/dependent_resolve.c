/* From ties to what carries each node. Hanging nodes are replaced by what their parents hang on,
 * parents first (Kahn 1962, "Topological sorting of large networks"); entries of the same block are
 * added up. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/dependent.h"

#include <math.h>
#include <string.h>

#define SUM_TO_ONE 1e-9 /* by how much weights may miss */
#define IN_PLACE   1e-6 /* of the distance to its parents: by how much a hanging node may be off */

typedef struct entry {
  int block;
  double weight, arm[3];
} entry;

typedef struct finder {
  const pl_allocator *allocator;
  const pl_ties *ties;
  const double *rest; /* of the nodes */
  const int *names;
  int nodes, first_part;  /* the block of the first rotation */
  int *part_of, *hang_of; /* per node 1 + number; 0: none */
  int *order;             /* hanging nodes, parents first */
  int *first, *count;     /* per hanging node: its entries */
  entry *entries;
  size_t used, room;
  int *node_block;
} finder;

static int name_of(const finder *at, int node) { return at->names ? at->names[node] : node; }

/* ---- the ties ---- */

static pl_status mark_parts(finder *at, pl_error *error)
{
  for (int p = 0; p < at->ties->part_count; p++) {
    const pl_rigid_part *part = &at->ties->parts[p];
    for (int i = 0; i < part->count; i++) {
      int node = part->nodes[i];
      if (at->part_of[node])
        return pl_fail_entity(error, PL_E_ARGUMENT, name_of(at, node),
                              "two rigid parts share node %d; unite them", name_of(at, node));
      at->part_of[node] = p + 1;
    }
  }
  return PL_OK;
}

static pl_status check_place(const finder *at, const pl_hanging *hanging, pl_error *error)
{
  const double *X = at->rest + 3 * hanging->node;
  double mean[3] = {0}, far = 0;
  for (int j = 0; j < hanging->count; j++) {
    const double *parent = at->rest + 3 * hanging->parents[j];
    double way[3];
    pl_vec3_sub(parent, X, way);
    pl_vec3_add_scaled(hanging->weights[j], way, mean);
    far = fmax(far, pl_vec3_norm(way));
  }
  double off = pl_vec3_norm(mean);
  if (off <= IN_PLACE * far) return PL_OK;
  return pl_fail_entity(error, PL_E_ARGUMENT, name_of(at, hanging->node),
                        "hanging node %d lies %.3g m from the mean of its parents; move it there, "
                        "or correct its weights",
                        name_of(at, hanging->node), off);
}

static pl_status check_weights(const finder *at, const pl_hanging *hanging, pl_error *error)
{
  double sum = 0;
  int node = name_of(at, hanging->node);
  if (hanging->count < 1)
    return pl_fail_entity(error, PL_E_ARGUMENT, node,
                          "hanging node %d has no parents; give it some, or leave it free", node);
  for (int j = 0; j < hanging->count; j++) {
    sum += hanging->weights[j];
    if (hanging->parents[j] == hanging->node)
      return pl_fail_entity(error, PL_E_ARGUMENT, node,
                            "hanging node %d hangs on itself; name other parents", node);
  }
  if (!(fabs(sum - 1) <= SUM_TO_ONE))
    return pl_fail_entity(error, PL_E_ARGUMENT, node,
                          "the weights of hanging node %d sum to %.12g; they must sum to 1", node,
                          sum);
  return check_place(at, hanging, error);
}

/* A hanging node of a rigid part moves with it anyway, if its parents do as well. */
static pl_status check_rigid(const finder *at, const pl_hanging *hanging, pl_error *error)
{
  for (int j = 0; j < hanging->count; j++) {
    int parent = hanging->parents[j], node = hanging->node;
    if (at->part_of[parent] == at->part_of[node]) continue;
    return pl_fail_entity(error, PL_E_ARGUMENT, name_of(at, node),
                          "node %d is part of something rigid and hangs on node %d, which is not; "
                          "make the rigid region larger or smaller",
                          name_of(at, node), name_of(at, parent));
  }
  return PL_OK;
}

static pl_status mark_hanging(finder *at, pl_error *error)
{
  for (int h = 0; h < at->ties->hanging_count; h++) {
    const pl_hanging *hanging = &at->ties->hanging[h];
    pl_status status = check_weights(at, hanging, error);
    if (status) return status;
    if (at->hang_of[hanging->node])
      return pl_fail_entity(error, PL_E_ARGUMENT, name_of(at, hanging->node),
                            "node %d is named as a hanging node twice; name it once",
                            name_of(at, hanging->node));
    at->hang_of[hanging->node] = h + 1;
  }
  for (int h = 0; h < at->ties->hanging_count; h++) {
    const pl_hanging *hanging = &at->ties->hanging[h];
    if (!at->part_of[hanging->node]) continue;
    pl_status status = check_rigid(at, hanging, error);
    if (status) return status;
    at->hang_of[hanging->node] = 0;
  }
  return PL_OK;
}

/* ---- parents first ---- */

/* Lists for each hanging node those that hang on it: [start[h], start[h + 1]) of list. waits: on
 * how many others each of them does. */
static void list_children(const finder *at, int *start, int *list, int *waits)
{
  const pl_ties *ties = at->ties;
  for (int fill = 0; fill < 2; fill++) {
    for (int h = 0; h < ties->hanging_count; h++) {
      const pl_hanging *hanging = &ties->hanging[h];
      for (int j = 0; j < hanging->count && at->hang_of[hanging->node]; j++) {
        int parent = at->hang_of[hanging->parents[j]] - 1;
        if (parent < 0) continue;
        if (fill)
          list[start[parent]++] = h;
        else
          start[parent + 1]++, waits[h]++;
      }
    }
    // counts become starts, and after the second pass starts are those of the next one
    for (int h = 0; h < ties->hanging_count && !fill; h++) start[h + 1] += start[h];
  }
  for (int h = ties->hanging_count; h > 0; h--) start[h] = start[h - 1];
  start[0] = 0;
}

static pl_status sort(finder *at, int *start, int *list, int *waits, pl_error *error)
{
  int count = at->ties->hanging_count, sorted = 0, wanted = 0;
  list_children(at, start, list, waits);
  for (int h = 0; h < count; h++) {
    if (!at->hang_of[at->ties->hanging[h].node]) continue;
    wanted++;
    if (!waits[h]) at->order[sorted++] = h;
  }
  for (int i = 0; i < sorted; i++) {
    int h = at->order[i];
    for (int c = start[h]; c < start[h + 1]; c++) {
      if (--waits[list[c]] == 0) at->order[sorted++] = list[c];
    }
  }
  for (int h = 0; h < count && sorted < wanted; h++) {
    int node = name_of(at, at->ties->hanging[h].node);
    if (waits[h] > 0)
      return pl_fail_entity(error, PL_E_ARGUMENT, node,
                            "hanging node %d hangs on itself by way of others; break the circle",
                            node);
  }
  for (int i = sorted; i < count; i++) at->order[i] = -1;
  return PL_OK;
}

static pl_status find_order(finder *at, pl_error *error)
{
  size_t count = (size_t)at->ties->hanging_count, parents = 0;
  for (size_t h = 0; h < count; h++) parents += (size_t)at->ties->hanging[h].count;
  at->order = pl_alloc(at->allocator, count, sizeof(int));
  int *start = pl_alloc(at->allocator, count + 1, sizeof(int));
  int *list = pl_alloc(at->allocator, parents, sizeof(int));
  int *waits = pl_alloc(at->allocator, count, sizeof(int));
  pl_status status = at->order && start && list && waits ? sort(at, start, list, waits, error)
                                                         : pl_fail_memory(error);
  pl_free(at->allocator, start);
  pl_free(at->allocator, list);
  pl_free(at->allocator, waits);
  return status;
}

/* ---- entries ---- */

/* Adds to the last list, which begins at first. */
static pl_status add_entry(finder *at, size_t first, const entry *what, double weight,
                           pl_error *error)
{
  size_t k = first;
  while (k < at->used && at->entries[k].block != what->block) k++;
  if (k == at->used) {
    void *memory = at->entries;
    if (pl_reserve(at->allocator, &memory, &at->room, at->used + 1, sizeof(entry)))
      return pl_fail_memory(error);
    at->entries = memory;
    at->entries[at->used++] = (entry){.block = what->block};
  }
  at->entries[k].weight += weight * what->weight;
  pl_vec3_add_scaled(weight, what->arm, at->entries[k].arm);
  return PL_OK;
}

/* The entries of a node that does not hang: one, or two for a rotation and its point. Arms are
 * counted from the part's first node. */
static int own_entries(const finder *at, int node, entry out[2])
{
  int part = at->part_of[node] - 1;
  memset(out, 0, 2 * sizeof *out);
  if (part < 0) {
    out[0] = (entry){.block = at->node_block[node], .weight = 1};
    return 1;
  }
  out[0].block = at->first_part + 2 * part;
  pl_vec3_sub(at->rest + 3 * node, at->rest + 3 * at->ties->parts[part].nodes[0], out[0].arm);
  out[1] = (entry){.block = out[0].block + 1, .weight = 1};
  return 2;
}

static pl_status add_parent(finder *at, size_t first, int parent, double weight, pl_error *error)
{
  entry own[2], copy;
  int hang = at->hang_of[parent] - 1;
  int count = hang < 0 ? own_entries(at, parent, own) : at->count[hang];
  pl_status status = PL_OK;
  for (int k = 0; k < count && !status; k++) {
    // what is added to may move in memory
    copy = hang < 0 ? own[k] : at->entries[at->first[hang] + k];
    status = add_entry(at, first, &copy, weight, error);
  }
  return status;
}

static pl_status resolve_hanging(finder *at, pl_error *error)
{
  for (int i = 0; i < at->ties->hanging_count && at->order[i] >= 0; i++) {
    int h = at->order[i];
    const pl_hanging *hanging = &at->ties->hanging[h];
    size_t first = at->used;
    for (int j = 0; j < hanging->count; j++) {
      pl_status status = add_parent(at, first, hanging->parents[j], hanging->weights[j], error);
      if (status) return status;
    }
    at->first[h] = (int)first;
    at->count[h] = (int)(at->used - first);
    if (at->count[h] > PL_MOST_DEPENDENT_CARRIERS || at->used > INT32_MAX / 2)
      return pl_fail_entity(error, PL_E_LIMIT, name_of(at, hanging->node),
                            "hanging node %d depends on %d blocks in the end, and at most %d are "
                            "allowed; let it hang on fewer nodes",
                            name_of(at, hanging->node), at->count[h], PL_MOST_DEPENDENT_CARRIERS);
  }
  return PL_OK;
}

/* ---- the result ---- */

/* Free nodes are blocks in their order; the others none. */
static void number_blocks(finder *at, pl_dependent *to)
{
  to->free = to->others.count = 0;
  for (int n = 0; n < at->nodes; n++) {
    int is_free = !at->part_of[n] && !at->hang_of[n];
    to->node_block[n] = is_free ? to->free++ : -1;
    if (!is_free) to->others.list[to->others.count++] = n;
  }
  at->first_part = to->free;
}

/* Writes the entries of all nodes; without carried->blocks it counts them. */
static int write_entries(const finder *at, pl_carried *carried)
{
  int used = 0;
  for (int n = 0; n < at->nodes; n++) {
    entry own[2];
    int hang = at->hang_of[n] - 1;
    int count = hang < 0 ? own_entries(at, n, own) : at->count[hang];
    const entry *from = hang < 0 ? own : at->entries + at->first[hang];
    for (int k = 0; k < count && carried->blocks; k++) {
      carried->blocks[used + k] = from[k].block;
      carried->weights[used + k] = from[k].weight;
      pl_vec3_copy(from[k].arm, carried->arms + 3 * (size_t)(used + k));
    }
    used += count;
    carried->start[n + 1] = used;
  }
  return used;
}

static pl_status make_carried(pl_model *self, const finder *at, pl_dependent *to, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  pl_carried *carried = &to->carried;
  carried->start = pl_alloc(allocator, (size_t)at->nodes + 1, sizeof(int));
  if (!carried->start) return pl_fail_memory(error);
  size_t count = (size_t)write_entries(at, carried);
  carried->weights = pl_alloc(allocator, count, sizeof(double));
  carried->arms = pl_alloc(allocator, 3 * count, sizeof(double));
  to->arms = pl_alloc(allocator, 3 * count, sizeof(double));
  to->arms_now = pl_alloc(allocator, 3 * count, sizeof(double));
  carried->blocks = pl_alloc(allocator, count, sizeof(int));
  if (!carried->weights || !carried->arms || !to->arms || !to->arms_now || !carried->blocks)
    return pl_fail_memory(error);
  write_entries(at, carried);
  return PL_OK;
}

static pl_status make_room(finder *at, pl_error *error)
{
  size_t nodes = (size_t)at->nodes, hanging = (size_t)at->ties->hanging_count;
  at->part_of = pl_alloc(at->allocator, nodes, sizeof(int));
  at->hang_of = pl_alloc(at->allocator, nodes, sizeof(int));
  at->first = pl_alloc(at->allocator, hanging, sizeof(int));
  at->count = pl_alloc(at->allocator, hanging, sizeof(int));
  return at->part_of && at->hang_of && at->first && at->count ? PL_OK : pl_fail_memory(error);
}

pl_status pl_dependent_resolve(pl_model *self, pl_dependent *to, const int *names, pl_error *error)
{
  finder at = {.allocator = &self->allocator,
               .ties = &to->ties,
               .rest = to->inner->rest,
               .names = names,
               .nodes = to->nodes};
  to->node_block = pl_alloc(&self->allocator, (size_t)to->nodes, sizeof(int));
  to->others.list = pl_alloc(&self->allocator, (size_t)to->nodes, sizeof(int));
  at.node_block = to->node_block;
  pl_status status =
      to->node_block && to->others.list ? make_room(&at, error) : pl_fail_memory(error);
  if (!status) status = mark_parts(&at, error);
  if (!status) status = mark_hanging(&at, error);
  if (!status) status = find_order(&at, error);
  if (!status) number_blocks(&at, to);
  if (!status) status = resolve_hanging(&at, error);
  if (!status) status = make_carried(self, &at, to, error);
  void *arrays[] = {at.part_of, at.hang_of, at.order, at.first, at.count, at.entries};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
  return status;
}
