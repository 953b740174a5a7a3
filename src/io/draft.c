/* From what a file says to a mesh. The memory is a fixed number of bytes per node, element and
 * group member that the file really holds; lists of members are bounded by the size of the file,
 * since one line of some formats puts a whole block into many groups. */
#include "core/memory.h"
#include "io/draft_inside.h"
#include "math/vec3.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const pl_shape_facts pl_shapes[PL_SHAPE_COUNT] = {
#define X(id, name, dimension, corners) [id] = {name, dimension, corners},
    PL_SHAPES(X)
#undef X
};

pl_status pl_draft_create(const pl_source *source, size_t bytes, pl_draft **out, pl_error *error)
{
  pl_draft *draft = pl_alloc(source->allocator, 1, sizeof *draft);
  *out = draft;
  if (!draft) return pl_fail_memory(error);
  draft->source = source;
  draft->allocator = *source->allocator;
  draft->bytes = bytes;
  for (int i = 0; i < 4; i++) draft->prefixes[i] = "group";
  return PL_OK;
}

static void free_index(const pl_allocator *allocator, tag_index *index)
{
  pl_free(allocator, index->table);
  pl_free(allocator, index->sorted);
}

void pl_draft_destroy(pl_draft *draft)
{
  if (!draft) return;
  pl_allocator allocator = draft->allocator;
  title *titles = draft->titles.data;
  for (size_t i = 0; i < draft->titles.count; i++) pl_free(&allocator, titles[i].name);
  pl_free(&allocator, draft->titles.data);
  pl_free(&allocator, draft->runs.data);
  pl_free(&allocator, draft->hanging.nodes.data);
  pl_free(&allocator, draft->hanging.parents.data);
  pl_free(&allocator, draft->hanging.weights.data);
  pl_free(&allocator, draft->members.data);
  pl_free(&allocator, draft->axes.data);
  pl_free(&allocator, draft->cells.data);
  pl_free(&allocator, draft->faces.data);
  pl_free(&allocator, draft->quads.data);
  pl_free(&allocator, draft->edges.ends.data);
  pl_free(&allocator, draft->edges.nodes.data);
  pl_free(&allocator, draft->lines.data);
  free_index(&allocator, &draft->by_tag);
  free_index(&allocator, &draft->numbers.index);
  pl_free(&allocator, draft->numbers.all.data);
  pl_free(&allocator, draft->numbers.places.data);
  pl_free(&allocator, draft->numbers.flats.data);
  pl_free(&allocator, draft->tags);
  pl_free(&allocator, draft->nodes);
  pl_free(&allocator, draft);
}

/* Room for more items of size bytes behind the list's last; NULL if there is no memory. */
static void *extend(pl_draft *draft, list *items, size_t more, size_t size)
{
  if (pl_reserve(&draft->allocator, &items->data, &items->capacity, items->count + more, size))
    return NULL;
  void *place = (char *)items->data + items->count * size;
  items->count += more;
  return place;
}

/* ---- nodes ---- */

pl_status pl_draft_nodes(pl_draft *draft, const pl_scan *scan, int64_t count, int tagged_nodes,
                         pl_error *error)
{
  if (count > PL_MOST_NODES - draft->node_room)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "there are more than %d nodes", PL_MOST_NODES);
  size_t room = (size_t)draft->node_room + (size_t)count;
  void *nodes = draft->nodes, *tags = draft->tags;
  pl_status status =
      pl_reserve(&draft->allocator, &nodes, &draft->node_capacity, room, 3 * sizeof *draft->nodes);
  draft->nodes = nodes;
  if (!status && tagged_nodes)
    status = pl_reserve(&draft->allocator, &tags, &draft->tag_capacity, room, sizeof *draft->tags);
  draft->tags = tags;
  if (status) return pl_fail_memory(error);
  draft->node_room = (int)room;
  return PL_OK;
}

pl_status pl_draft_node(pl_draft *draft, const pl_scan *scan, int64_t tag, const double *position,
                        pl_error *error)
{
  if (draft->node_count >= draft->node_room)
    return pl_scan_fail(scan, error, PL_E_PARSE, "more than the announced %d nodes follow",
                        draft->node_room);
  if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "node %lld has the coordinates (%g, %g, %g); they must be finite",
                        (long long)tag, position[0], position[1], position[2]);
  memcpy(draft->nodes + 3 * (size_t)draft->node_count, position, 3 * sizeof *position);
  if (draft->tags) draft->tags[draft->node_count] = tag;
  draft->node_count++;
  return PL_OK;
}

static int compare_tags(const void *a, const void *b)
{
  int64_t s = ((const tagged *)a)->tag, t = ((const tagged *)b)->tag;
  return (s > t) - (s < t);
}

static pl_status repeated_tag(const pl_scan *scan, const char *what, int64_t tag, pl_error *error)
{
  return pl_scan_fail(scan, error, PL_E_PARSE,
                      "%s %lld is defined twice; give every %s its own number", what,
                      (long long)tag, what);
}

static pl_status fill_table(tag_index *index, const pl_scan *scan, const char *what,
                            const int64_t *tags, pl_error *error)
{
  for (int i = 0; i < index->count; i++) {
    int *place = &index->table[(uint64_t)tags[i] - (uint64_t)index->low];
    if (*place) return repeated_tag(scan, what, tags[i], error);
    *place = i + 1;
  }
  return PL_OK;
}

static pl_status sort_tags(tag_index *index, const pl_scan *scan, const char *what,
                           const int64_t *tags, pl_error *error)
{
  for (int i = 0; i < index->count; i++) index->sorted[i] = (tagged){tags[i], i};
  qsort(index->sorted, (size_t)index->count, sizeof *index->sorted, compare_tags);
  for (int i = 1; i < index->count; i++) {
    if (index->sorted[i].tag == index->sorted[i - 1].tag)
      return repeated_tag(scan, what, index->sorted[i].tag, error);
  }
  return PL_OK;
}

/* A table where the tags are dense enough, a sorted list where they are sparse. */
static pl_status make_index(const pl_draft *draft, tag_index *index, const pl_scan *scan,
                            const char *what, const int64_t *tags, int count, pl_error *error)
{
  index->count = count;
  if (!count) return PL_OK;
  int64_t low = tags[0], high = low;
  for (int i = 1; i < count; i++) {
    if (tags[i] < low) low = tags[i];
    if (tags[i] > high) high = tags[i];
  }
  uint64_t span = (uint64_t)high - (uint64_t)low;
  index->low = low;
  if (span < 4 * (uint64_t)count) {
    index->size = (size_t)span + 1;
    index->table = pl_alloc(&draft->allocator, index->size, sizeof *index->table);
    return index->table ? fill_table(index, scan, what, tags, error) : pl_fail_memory(error);
  }
  index->sorted = pl_alloc(&draft->allocator, (size_t)count, sizeof *index->sorted);
  return index->sorted ? sort_tags(index, scan, what, tags, error) : pl_fail_memory(error);
}

/* The place of this tag, -1 if there is none. */
static int find_tag(const tag_index *index, int64_t tag)
{
  if (index->table) {
    uint64_t place = (uint64_t)tag - (uint64_t)index->low;
    return place < index->size ? index->table[place] - 1 : -1;
  }
  tagged key = {.tag = tag};
  const tagged *found =
      index->sorted ? bsearch(&key, index->sorted, (size_t)index->count, sizeof key, compare_tags)
                    : NULL;
  return found ? found->index : -1;
}

pl_status pl_draft_nodes_end(pl_draft *draft, const pl_scan *scan, pl_error *error)
{
  if (draft->node_count < draft->node_room)
    return pl_scan_fail(scan, error, PL_E_PARSE, "%d nodes were announced but %d follow",
                        draft->node_room, draft->node_count);
  draft->indexed = 1;
  if (!draft->tags) return PL_OK;
  return make_index(draft, &draft->by_tag, scan, "node", draft->tags, draft->node_count, error);
}

int pl_draft_has_nodes(const pl_draft *draft) { return draft->indexed; }
int pl_draft_node_count(const pl_draft *draft) { return draft->node_count; }

/* The node with this tag, -1 if there is none. */
static int find_node(const pl_draft *draft, int64_t tag)
{
  if (!draft->tags) return tag >= 0 && tag < draft->node_count ? (int)tag : -1;
  return find_tag(&draft->by_tag, tag);
}

/* ---- elements ---- */

/* Is it the cell before once more? Then it only joins another group (Gmsh 2.2 writes it so). */
static int is_copy(const pl_draft *draft)
{
  if (draft->cell_count == 0 || draft->cell_shape != draft->last) return 0;
  size_t corners = (size_t)pl_shapes[draft->last].corners;
  const int *before = (const int *)draft->cells.data + draft->cells.count - corners;
  return memcmp(before, draft->last_nodes, corners * sizeof *before) == 0;
}

/* Keeps the current element if it is of the shape that came first. */
static pl_status add_cell(pl_draft *draft, const pl_scan *scan, pl_error *error)
{
  size_t corners = (size_t)pl_shapes[draft->last].corners;
  if (draft->cell_count == 0) draft->cell_shape = draft->last;
  if (draft->cell_shape != draft->last) return PL_OK;
  if (draft->cell_count >= PL_MOST_ELEMENTS)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "there are more than %d elements",
                        PL_MOST_ELEMENTS);
  int *place = extend(draft, &draft->cells, corners, sizeof *place);
  if (!place) return pl_fail_memory(error);
  memcpy(place, draft->last_nodes, corners * sizeof *place);
  draft->cell_count++;
  return PL_OK;
}

/* Keeps the current element, which is flat, unless it is the one before once more. */
static pl_status add_flat(pl_draft *draft, const pl_scan *scan, pl_error *error)
{
  const int *nodes = draft->last_nodes;
  size_t count = (size_t)pl_shapes[draft->last].corners;
  list *to = draft->last == PL_LINE       ? &draft->lines
             : draft->last == PL_TRIANGLE ? &draft->faces
                                          : &draft->quads;
  const int *end = (const int *)to->data + to->count;
  if (to->count >= count && memcmp(end - count, nodes, count * sizeof *nodes) == 0) return PL_OK;
  if (to->count >= 2 * (size_t)PL_MOST_ELEMENTS)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "there are more than %d elements",
                        PL_MOST_ELEMENTS);
  int *place = extend(draft, to, count, sizeof *place);
  if (!place) return pl_fail_memory(error);
  memcpy(place, nodes, count * sizeof *place);
  return PL_OK;
}

/* Remembers the number of the current element. */
static pl_status add_number(pl_draft *draft, int64_t number, pl_error *error)
{
  if (draft->numbers.all.count >= INT_MAX) return pl_fail_memory(error);
  int64_t *place = extend(draft, &draft->numbers.all, 1, sizeof *place);
  int *to = extend(draft, &draft->numbers.places, 1, sizeof *to);
  if (!place || !to) return pl_fail_memory(error);
  *place = number;
  *to = pl_draft_cell(draft);
  if (*to >= 0) return PL_OK;
  flat *nodes = extend(draft, &draft->numbers.flats, 1, sizeof *nodes);
  if (!nodes) return pl_fail_memory(error);
  *to = -(int)draft->numbers.flats.count;
  nodes->count = pl_shapes[draft->last].corners;
  memcpy(nodes->nodes, draft->last_nodes, sizeof nodes->nodes);
  return PL_OK;
}

pl_status pl_draft_element(pl_draft *draft, const pl_scan *scan, pl_cell_shape shape,
                           int64_t number, const int64_t *tags, int reduced, pl_error *error)
{
  draft->last = shape;
  for (int i = 0; i < pl_shapes[shape].corners; i++) {
    draft->last_nodes[i] = find_node(draft, tags[i]);
    if (draft->last_nodes[i] < 0)
      return pl_scan_fail(scan, error, PL_E_PARSE,
                          "element %lld uses node %lld, which the file does not define",
                          (long long)number, (long long)tags[i]);
  }
  draft->copies.is_current = !draft->numbers.wanted && is_copy(draft);
  draft->copies.count += draft->copies.is_current;
  if (draft->copies.is_current) return PL_OK;
  // shapes that no mesh is made of are counted, and refused at the end if they fill space
  draft->shape_counts[shape]++;
  if (reduced && pl_shapes[shape].dimension == 3) draft->reduced++;
  pl_status status = PL_OK;
  if (shape == PL_TET || shape == PL_HEX) status = add_cell(draft, scan, error);
  if (shape == PL_LINE || shape == PL_TRIANGLE || shape == PL_QUAD)
    status = add_flat(draft, scan, error);
  return status || !draft->numbers.wanted ? status : add_number(draft, number, error);
}

const int pl_vtk_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
const int pl_gmsh_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};

pl_status pl_draft_middles(pl_draft *draft, const int64_t *tags, const int edges[6][2],
                           pl_error *error)
{
  if (draft->last != PL_TET || draft->copies.is_current) return PL_OK;
  for (int i = 0; i < 6; i++) {
    int node = find_node(draft, tags[i]);
    int a = draft->last_nodes[edges[i][0]], b = draft->last_nodes[edges[i][1]];
    if (node < 0) continue;
    int *ends = extend(draft, &draft->edges.ends, 2, sizeof *ends);
    int *to = extend(draft, &draft->edges.nodes, 1, sizeof *to);
    if (!ends || !to) return pl_fail_memory(error);
    ends[0] = a < b ? a : b;
    ends[1] = a < b ? b : a;
    *to = node;
  }
  return PL_OK;
}

void pl_draft_number_elements(pl_draft *draft) { draft->numbers.wanted = 1; }

pl_status pl_draft_elements_end(pl_draft *draft, const pl_scan *scan, pl_error *error)
{
  return make_index(draft, &draft->numbers.index, scan, "element", draft->numbers.all.data,
                    (int)draft->numbers.all.count, error);
}

/* ---- groups ---- */

static uint64_t group_code(int dimension, int32_t group)
{
  return (uint64_t)dimension << 32 | (uint32_t)group;
}

/* Room for count more members of the group, continuing the last run where it can. */
static pl_status add_members(pl_draft *draft, const pl_scan *scan, uint64_t code, size_t count,
                             int **place, pl_error *error)
{
  size_t max_members = 2 * draft->bytes + 1024, max_runs = draft->bytes / 4 + 1024;
  run *last = draft->runs.count ? (run *)draft->runs.data + (draft->runs.count - 1) : NULL;
  size_t more_runs = last && last->code == code ? 0 : 1;
  if (draft->members.count + count > max_members || draft->runs.count + more_runs > max_runs)
    return pl_scan_fail(scan, error, PL_E_LIMIT,
                        "the groups have too many members for a file of this size; put each entity "
                        "into fewer groups");
  size_t first = draft->members.count;
  *place = extend(draft, &draft->members, count, sizeof **place);
  if (*place && more_runs) {
    last = extend(draft, &draft->runs, 1, sizeof *last);
    if (last) *last = (run){.code = code, .first = first};
  }
  if (!*place || !last) return pl_fail_memory(error);
  last->count += count;
  return PL_OK;
}

int pl_draft_member(const pl_draft *draft, size_t mark, size_t index)
{
  return ((const int *)draft->members.data)[mark + index];
}

pl_status pl_draft_axis(pl_draft *draft, int cell, int which, const double *axis, pl_error *error)
{
  if (cell < 0) return PL_OK;
  size_t wanted = 6 * (size_t)(cell + 1), there = draft->axes.count;
  if (wanted > there) {
    double *more = extend(draft, &draft->axes, wanted - there, sizeof *more);
    if (!more) return pl_fail_memory(error);
    memset(more, 0, (wanted - there) * sizeof *more);
  }
  memcpy((double *)draft->axes.data + 6 * (size_t)cell + 3 * which, axis, 3 * sizeof *axis);
  return PL_OK;
}

pl_status pl_draft_axis_number(pl_draft *draft, const pl_scan *scan, int64_t number, int which,
                               const double *axis, pl_error *error)
{
  int place = find_tag(&draft->numbers.index, number);
  if (place < 0)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "there are axes for element %lld, which the file does not define",
                        (long long)number);
  return pl_draft_axis(draft, ((int *)draft->numbers.places.data)[place], which, axis, error);
}

void pl_draft_middle(const pl_draft *draft, int cell, double middle[3])
{
  int corners = pl_shapes[draft->cell_shape].corners;
  const int *nodes = (const int *)draft->cells.data + (size_t)corners * (size_t)cell;
  middle[0] = middle[1] = middle[2] = 0;
  for (int i = 0; i < corners; i++) {
    for (int k = 0; k < 3; k++)
      middle[k] += draft->nodes[3 * (size_t)nodes[i] + (size_t)k] / corners;
  }
}

int pl_draft_axis_named(pl_word name)
{
  static const char *const names[2][8] = {
      {"first_axis", "axis1", "fibre", "fiber", "fibres", "fibers", "fibre_direction",
       "fiber_direction"},
      {"second_axis", "axis2", "sheet", "sheets", "sheet_direction"}};
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < 8 && names[which][i]; i++) {
      if (pl_word_like(name, names[which][i])) return which;
    }
  }
  return -1;
}

int pl_draft_cell(const pl_draft *draft)
{
  return draft->cell_count && draft->last == draft->cell_shape ? draft->cell_count - 1 : -1;
}

static pl_status join_one(pl_draft *draft, const pl_scan *scan, uint64_t code, int id,
                          pl_error *error)
{
  int *place = NULL;
  if (id < 0) return PL_OK;
  pl_status status = add_members(draft, scan, code, 1, &place, error);
  if (!status) *place = id;
  return status;
}

pl_status pl_draft_join_cell(pl_draft *draft, const pl_scan *scan, int32_t group, int cell,
                             pl_error *error)
{
  return join_one(draft, scan, group_code(3, group), cell, error);
}

pl_status pl_draft_join_node(pl_draft *draft, const pl_scan *scan, int32_t group, int node,
                             pl_error *error)
{
  return join_one(draft, scan, group_code(0, group), node, error);
}

pl_status pl_draft_join_node_tag(pl_draft *draft, const pl_scan *scan, int32_t group, int64_t tag,
                                 pl_error *error)
{
  int node = find_node(draft, tag);
  if (node < 0)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "a set holds node %lld, which the file does not define", (long long)tag);
  return pl_draft_join_node(draft, scan, group, node, error);
}

pl_status pl_draft_join_number(pl_draft *draft, const pl_scan *scan, int dimension, int32_t group,
                               int64_t number, pl_error *error)
{
  int place = find_tag(&draft->numbers.index, number);
  if (place < 0)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "a set holds element %lld, which the file does not define",
                        (long long)number);
  int to = ((int *)draft->numbers.places.data)[place], *members = NULL;
  if (dimension == 3) return pl_draft_join_cell(draft, scan, group, to, error);
  if (to >= 0) return PL_OK;
  const flat *nodes = (const flat *)draft->numbers.flats.data + (-1 - to);
  size_t count = (size_t)nodes->count;
  pl_status status = add_members(draft, scan, group_code(2, group), count, &members, error);
  if (!status) memcpy(members, nodes->nodes, count * sizeof *members);
  return status;
}

pl_status pl_draft_join(pl_draft *draft, const pl_scan *scan, int32_t group, pl_error *error)
{
  draft->copies.count -= draft->copies.is_current;
  draft->copies.is_current = 0;
  const pl_shape_facts *shape = &pl_shapes[draft->last];
  if (shape->dimension == 3)
    return pl_draft_join_cell(draft, scan, group, pl_draft_cell(draft), error);
  int *place = NULL;
  size_t count = (size_t)shape->corners;
  pl_status status =
      add_members(draft, scan, group_code(shape->dimension, group), count, &place, error);
  if (!status) memcpy(place, draft->last_nodes, count * sizeof *place);
  return status;
}

size_t pl_draft_mark(const pl_draft *draft) { return draft->members.count; }

pl_status pl_draft_join_copy(pl_draft *draft, const pl_scan *scan, size_t mark, size_t count,
                             int dimension, int32_t group, pl_error *error)
{
  int *place = NULL;
  if (!count) return PL_OK;
  pl_status status = add_members(draft, scan, group_code(dimension, group), count, &place, error);
  if (!status) memcpy(place, (int *)draft->members.data + mark, count * sizeof *place);
  return status;
}

pl_status pl_draft_name(pl_draft *draft, const pl_scan *scan, int dimension, int32_t group,
                        pl_word name, pl_error *error)
{
  if (draft->titles.count >= PL_MOST_SETS)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "there are more than %d groups; merge some",
                        PL_MOST_SETS);
  char *copy = pl_alloc(&draft->allocator, name.size + 1, 1);
  title *place = copy ? extend(draft, &draft->titles, 1, sizeof *place) : NULL;
  if (!place) {
    pl_free(&draft->allocator, copy);
    return pl_fail_memory(error);
  }
  memcpy(copy, name.at, name.size);
  *place = (title){group_code(dimension, group), copy};
  return PL_OK;
}

void pl_draft_prefix(pl_draft *draft, int dimension, const char *prefix)
{
  draft->prefixes[dimension] = prefix;
}

pl_status pl_draft_hang(pl_draft *draft, const pl_scan *scan, int64_t node, int64_t parent,
                        double weight, pl_error *error)
{
  pl_hanging_node *last = draft->hanging.nodes.data;
  if (node < 0 || parent < 0 || node >= draft->node_count || parent >= draft->node_count)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "node %lld hangs on node %lld; the nodes are 0 to %d", (long long)node,
                        (long long)parent, draft->node_count - 1);
  if (!draft->hanging.nodes.count || last[draft->hanging.nodes.count - 1].node != node) {
    last = extend(draft, &draft->hanging.nodes, 1, sizeof *last);
    if (!last) return pl_fail_memory(error);
    *last = (pl_hanging_node){.node = (int)node};
  } else {
    last += draft->hanging.nodes.count - 1;
  }
  int *to = extend(draft, &draft->hanging.parents, 1, sizeof *to);
  double *share = extend(draft, &draft->hanging.weights, 1, sizeof *share);
  if (!to || !share) return pl_fail_memory(error);
  *to = (int)parent;
  *share = weight;
  last->count++;
  return PL_OK;
}
