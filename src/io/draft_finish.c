/* The mesh of a draft: groups become sets, and what cannot be used is said. */
#include "core/memory.h"
#include "io/draft_inside.h"
#include "mesh/repair.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sets in the making; ids of all sets lie one behind the other. */
typedef struct set_list {
  int count;
  pl_set *sets;
  char (*names)[24]; /* for those without a title */
  int *ids;
} set_list;

static void release_sets(pl_draft *draft, set_list *made)
{
  pl_free(&draft->allocator, made->ids);
  pl_free(&draft->allocator, made->names);
  pl_free(&draft->allocator, made->sets);
}

static int compare_runs(const void *a, const void *b)
{
  const run *s = a, *t = b;
  if (s->code != t->code) return s->code < t->code ? -1 : 1;
  return (s->first > t->first) - (s->first < t->first);
}

static int compare_ids(const void *a, const void *b)
{
  int s = *(const int *)a, t = *(const int *)b;
  return (s > t) - (s < t);
}

/* Writes the name of a group into buffer unless the file gives one. */
static const char *group_name(const pl_draft *draft, uint64_t code, char buffer[24])
{
  const title *titles = draft->titles.data;
  for (size_t i = 0; i < draft->titles.count; i++) {
    if (titles[i].code == code && titles[i].name[0]) return titles[i].name;
  }
  snprintf(buffer, 24, "%.11s-%d", draft->prefixes[code >> 32], (int)(int32_t)(uint32_t)code);
  return buffer;
}

/* The set of that name and kind, a new one if there is none: groups of one name become one set. */
static int set_named(set_list *made, const char *name, int of_elements)
{
  for (int i = 0; i < made->count; i++) {
    if (made->sets[i].of_elements == of_elements && strcmp(made->sets[i].name, name) == 0) return i;
  }
  made->sets[made->count] = (pl_set){.name = name, .of_elements = of_elements};
  return made->count++;
}

/* Counts groups, makes the sets, and gives every run its set. */
static pl_status name_sets(pl_draft *draft, set_list *made, pl_error *error)
{
  run *runs = draft->runs.data;
  size_t count = draft->runs.count, groups = 0;
  if (count) qsort(runs, count, sizeof *runs, compare_runs);
  for (size_t i = 0; i < count; i++) groups += i == 0 || runs[i].code != runs[i - 1].code;
  if (groups > PL_MOST_SETS)
    return pl_fail_at(error, PL_E_LIMIT, draft->source->path, 0,
                      "has %zu groups; at most %d can be sets, merge some", groups, PL_MOST_SETS);
  made->sets = pl_alloc(&draft->allocator, groups, sizeof *made->sets);
  made->names = pl_alloc(&draft->allocator, groups, sizeof *made->names);
  made->ids = pl_alloc(&draft->allocator, draft->members.count, sizeof *made->ids);
  if (!made->sets || !made->names || !made->ids) return pl_fail_memory(error);
  size_t group = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && runs[i].code == runs[i - 1].code) {
      runs[i].set = runs[i - 1].set;
      continue;
    }
    const char *name = group_name(draft, runs[i].code, made->names[group++]);
    runs[i].set = set_named(made, name, runs[i].code >> 32 == 3);
  }
  return PL_OK;
}

/* Sorts the ids of a set and drops repeated ones; returns how many remain. */
static int tidy(int *ids, size_t count)
{
  size_t kept = 0;
  int ordered = 1;
  for (size_t i = 1; i < count && ordered; i++) ordered = ids[i - 1] <= ids[i];
  if (!ordered) qsort(ids, count, sizeof *ids, compare_ids);
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || ids[kept - 1] != ids[i]) ids[kept++] = ids[i];
  }
  return (int)kept;
}

/* Copies the members to their sets: places by counting, so that the time stays linear. */
static pl_status gather_sets(pl_draft *draft, set_list *made, pl_error *error)
{
  const run *runs = draft->runs.data;
  size_t *starts = pl_alloc(&draft->allocator, (size_t)made->count + 2, sizeof *starts);
  if (!starts) return pl_fail_memory(error);
  for (size_t i = 0; i < draft->runs.count; i++) starts[runs[i].set + 2] += runs[i].count;
  for (int i = 1; i <= made->count; i++) starts[i + 1] += starts[i];
  for (size_t i = 0; i < draft->runs.count; i++) {
    memcpy(made->ids + starts[runs[i].set + 1], (int *)draft->members.data + runs[i].first,
           runs[i].count * sizeof(int));
    starts[runs[i].set + 1] += runs[i].count;
  }
  for (int i = 0; i < made->count; i++) {
    made->sets[i].ids = made->ids + starts[i];
    made->sets[i].count = tidy(made->ids + starts[i], starts[i + 1] - starts[i]);
  }
  pl_free(&draft->allocator, starts);
  return PL_OK;
}

/* Where nothing fills space, triangles and quadrilaterals are the mesh, or segments if there is
 * nothing else. */
static void take_flats(pl_draft *draft)
{
  int is_surface = draft->faces.count || draft->quads.count;
  list *from = is_surface ? &draft->faces : &draft->lines;
  if (draft->cell_count) draft->quads.count = 0;
  if (draft->cell_count || (from->count == 0 && !is_surface)) return;
  pl_free(&draft->allocator, draft->cells.data);
  draft->cell_shape = is_surface ? PL_TRIANGLE : PL_LINE;
  draft->cell_count = (int)(from->count / (size_t)pl_shapes[draft->cell_shape].corners);
  draft->cells = *from;
  *from = (list){0};
}

/* A mesh is all tetrahedra or all hexahedra. */
static pl_status check_shapes(const pl_draft *draft, pl_error *error)
{
  const char *path = draft->source->path;
  const int64_t *counts = draft->shape_counts;
  for (int shape = PL_PRISM; shape <= PL_PYRAMID; shape++) {
    if (counts[shape])
      return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                        "holds %lld %s; only tetrahedra or hexahedra can be simulated, split them",
                        (long long)counts[shape], pl_shapes[shape].name);
  }
  if (counts[PL_TET] && counts[PL_HEX])
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                      "mixes %lld tetrahedra and %lld hexahedra; a mesh must be all of one kind",
                      (long long)counts[PL_TET], (long long)counts[PL_HEX]);
  if (draft->cell_count == 0 && draft->quads.count == 0)
    return pl_fail_at(error, PL_E_MESH, path, 0,
                      "holds no tetrahedra or hexahedra (%d nodes), nor triangles, quadrilaterals "
                      "or lines",
                      draft->node_count);
  return PL_OK;
}

/* Where nodes have tags, nobody finds the element or node of a message by counting from 0. */
static void tell_tags(const pl_draft *draft, pl_error *error)
{
  int64_t entity = error ? error->entity : -1;
  char words[160];
  if (!draft->tags || entity < 0) return;
  int used = 0, is_quad = strncmp(error->message, "quadrilateral ", 14) == 0;
  int corners = is_quad ? 4 : pl_shapes[draft->cell_shape].corners;
  if (strncmp(error->message, "node ", 5) == 0 && entity < draft->node_count) {
    used = snprintf(words, sizeof words, "; in the file it is node %lld",
                    (long long)draft->tags[entity]);
  } else if (is_quad ||
             (strncmp(error->message, "element ", 8) == 0 && entity < draft->cell_count)) {
    const list *from = is_quad ? &draft->quads : &draft->cells;
    const int *nodes = (const int *)from->data + corners * entity;
    used = snprintf(words, sizeof words, "; in the file its nodes are");
    for (int i = 0; i < corners && used < (int)sizeof words - 24; i++)
      used += snprintf(words + used, sizeof words - (size_t)used, "%s %lld", i ? "," : "",
                       (long long)draft->tags[nodes[i]]);
  }
  size_t length = strlen(error->message);
  if (used) snprintf(error->message + length, sizeof error->message - length, "%s", words);
}

/* Shows hanging nodes their parents and weights, which have their last places now. */
static const pl_hanging_node *place_parents(pl_draft *draft)
{
  pl_hanging_node *hanging = draft->hanging.nodes.data;
  int *parents = draft->hanging.parents.data;
  double *weights = draft->hanging.weights.data;
  for (size_t h = 0; h < draft->hanging.nodes.count; h++) {
    hanging[h].parents = parents;
    hanging[h].weights = weights;
    parents += hanging[h].count;
    weights += hanging[h].count;
  }
  return hanging;
}

/* ---- nodes on edges ---- */

static const double straight = 1e-6; /* of an edge: what is nearer to its middle lies there */

/* Puts edges into the mesh's numbering, which leaves out unused nodes, and their nodes' places one
 * behind the other; are any off the straight edge? */
static int number_middles(const pl_draft *draft, const pl_mesh *mesh, int *number, double *places)
{
  const int *cells = draft->cells.data, *nodes = draft->edges.nodes.data;
  int *ends = draft->edges.ends.data, used = 0, is_curved = 0;
  for (int i = 0; i < 4 * draft->cell_count; i++) number[cells[i]] = 1;
  for (int n = 0; n < draft->node_count; n++) number[n] = number[n] ? used++ : -1;
  for (size_t i = 0; i < draft->edges.nodes.count; i++) {
    double off = 0, length = 0;
    for (int k = 0; k < 2; k++) ends[2 * i + (size_t)k] = number[ends[2 * i + (size_t)k]];
    for (int k = 0; k < 3; k++) {
      double a = mesh->nodes[3 * (size_t)ends[2 * i] + (size_t)k];
      double b = mesh->nodes[3 * (size_t)ends[2 * i + 1] + (size_t)k];
      double x = draft->nodes[3 * (size_t)nodes[i] + (size_t)k];
      places[3 * i + (size_t)k] = x;
      off += (x - 0.5 * (a + b)) * (x - 0.5 * (a + b));
      length += (b - a) * (b - a);
    }
    is_curved |= off > straight * straight * length;
  }
  return is_curved;
}

/* Lets the mesh know its edges' nodes where some edge is curved. */
static pl_status keep_middles(const pl_draft *draft, pl_mesh *mesh, pl_error *error)
{
  size_t count = draft->edges.nodes.count;
  if (count == 0 || count > INT_MAX || draft->cell_shape != PL_TET) return PL_OK;
  int *number = pl_alloc(&draft->allocator, (size_t)draft->node_count, sizeof *number);
  double *places = pl_alloc(&draft->allocator, 3 * count, sizeof *places);
  pl_status status = number && places ? PL_OK : pl_fail_memory(error);
  if (!status && number_middles(draft, mesh, number, places))
    status = pl_mesh_keep_middles(mesh, (int)count, draft->edges.ends.data, places, error);
  pl_free(&draft->allocator, number);
  pl_free(&draft->allocator, places);
  return status;
}

/* Cells behind the last that has axes have none. */
static pl_status give_axes(pl_draft *draft, pl_mesh_def *def, pl_error *error)
{
  static const double none[3] = {0};
  pl_status status = PL_OK;
  if (!draft->axes.count) return PL_OK;
  if ((size_t)def->element_count * 6 > draft->axes.count)
    status = pl_draft_axis(draft, def->element_count - 1, 0, none, error);
  def->axes = draft->axes.data;
  return status;
}

static pl_status make_mesh(pl_draft *draft, const set_list *made, pl_mesh **mesh, pl_error *error)
{
  pl_mesh_def def = {
      .node_count = draft->node_count,
      .nodes = draft->nodes,
      .element_count = draft->cell_count,
      .nodes_per_element = pl_shapes[draft->cell_shape].corners,
      .elements = draft->cells.data,
      .quad_count = (int)(draft->quads.count / 4),
      .quads = draft->quads.data,
      .set_count = made->count,
      .sets = made->sets,
      .hanging_count = (int)draft->hanging.nodes.count,
      .hanging = place_parents(draft),
      .allocator = draft->source->allocator,
  };
  pl_mesh_repairs *repairs = draft->source->repairs;
  pl_status status = give_axes(draft, &def, error);
  if (status) return status;
  status = repairs ? pl_mesh_repair(&def, repairs, mesh, error) : pl_mesh_create(&def, mesh, error);
  if (status) {
    if (!repairs) tell_tags(draft, error); // repaired meshes count otherwise
    return pl_error_locate(error, status, draft->source->path, 0);
  }
  if (draft->copies.count)
    pl_log_write(draft->source->log, PL_NOTE,
                 "%s: %lld elements stand in the file twice and were taken once",
                 draft->source->path, (long long)draft->copies.count);
  status = repairs ? PL_OK : keep_middles(draft, *mesh, error);
  if (status) {
    pl_mesh_destroy(*mesh);
    *mesh = NULL;
    return status;
  }
  if (draft->reduced)
    pl_log_write(draft->source->log, PL_NOTE,
                 "%s: %lld elements of higher order were reduced to their corner nodes%s",
                 draft->source->path, (long long)draft->reduced,
                 (*mesh)->middles.count ? "; element=\"tet10\" brings curved edges back" : "");
  return PL_OK;
}

pl_status pl_draft_finish(pl_draft *draft, pl_mesh **mesh, pl_error *error)
{
  set_list made = {0};
  take_flats(draft);
  pl_status status = check_shapes(draft, error);
  if (!status) status = name_sets(draft, &made, error);
  if (!status) status = gather_sets(draft, &made, error);
  if (!status) status = make_mesh(draft, &made, mesh, error);
  release_sets(draft, &made);
  pl_draft_destroy(draft);
  return status;
}
