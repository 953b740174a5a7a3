/* Repairing a mesh before it is made: nodes in one place are joined, then elements that are of no
 * use are left out. pl_mesh_create turns inverted elements and drops unused nodes. */
#include "mesh/repair.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/axes.h"
#include "mesh/element.h"
#include "mesh/quads.h"
#include "mesh/weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element below this share of its longest edge is flat; ten times what pl_mesh_create asks. */
static const double FLAT = 1e-11;

typedef struct repair {
  const pl_mesh_def *def;
  pl_mesh_repairs *done;
  pl_allocator allocator;
  int *number;   /* of the joined nodes */
  double *nodes; /* those that were kept */
  int *elements; /* of the kept ones, with new numbers */
  int *quads;    /* of the kept ones, with new numbers */
  int *place;    /* old element -> new one, -1: dropped */
  int *keys;     /* sorted corners, to find double elements */
  pl_set *sets;
  int *ids;
  int element_count, node_count, quad_count;
} repair;

static int has_twice(const int *nodes, int count)
{
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      if (nodes[i] == nodes[j]) return 1;
    }
  }
  return 0;
}

static double shape_of(const repair *r, const int *nodes)
{
  int n = r->def->nodes_per_element, corner;
  double corners[8][3];
  pl_element_corners(r->nodes, nodes, n, corners);
  return fabs(pl_corners_shape(corners, n, &corner));
}

/* Is the element sound, or sound if its nodes are listed around instead of row by row? */
static int is_sound(repair *r, int *nodes)
{
  int n = r->def->nodes_per_element;
  if (has_twice(nodes, n)) return 0;
  if (shape_of(r, nodes) > FLAT) return 1;
  if (n != 8) return 0;
  int other[8] = {nodes[0], nodes[1], nodes[3], nodes[2], nodes[4], nodes[5], nodes[7], nodes[6]};
  if (!(shape_of(r, other) > FLAT)) return 0;
  memcpy(nodes, other, sizeof other);
  r->done->rewound_elements++;
  return 1;
}

static int compare_ints(const void *a, const void *b)
{
  int s = *(const int *)a, t = *(const int *)b;
  return (s > t) - (s < t);
}

/* Sorted corners with the element's number behind them. */
static int compare_keys(const void *a, const void *b)
{
  const int *s = a, *t = b;
  for (int i = 0; i < 9; i++) {
    if (s[i] != t[i]) return s[i] < t[i] ? -1 : 1;
  }
  return 0;
}

/* Marks, by place -1, elements that have the nodes of one before them. */
static void mark_doubles(repair *r)
{
  int n = r->def->nodes_per_element, count = 0;
  for (int e = 0; e < r->def->element_count; e++) {
    if (r->place[e] < 0) continue;
    int *key = r->keys + 9 * (size_t)count++;
    memset(key, 0, 9 * sizeof *key);
    memcpy(key, r->elements + (size_t)n * (size_t)e, (size_t)n * sizeof *key);
    qsort(key, (size_t)n, sizeof *key, compare_ints);
    key[8] = e;
  }
  qsort(r->keys, (size_t)count, 9 * sizeof *r->keys, compare_keys);
  for (int i = 1; i < count; i++) {
    const int *key = r->keys + 9 * (size_t)i;
    if (memcmp(key, key - 9, 8 * sizeof *key) != 0) continue;
    r->place[key[8]] = -1;
    r->done->double_elements++;
  }
}

/* Elements with joined nodes; the sound and single ones move to the front. */
static void keep_elements(repair *r)
{
  size_t n = (size_t)r->def->nodes_per_element;
  for (int e = 0; e < r->def->element_count; e++) {
    int *to = r->elements + n * (size_t)e;
    const int *from = r->def->elements + n * (size_t)e;
    for (size_t k = 0; k < n; k++) to[k] = r->number[from[k]];
    if (is_sound(r, to)) continue;
    r->place[e] = -1;
    r->done->flat_elements++;
  }
  mark_doubles(r);
  for (int e = 0; e < r->def->element_count; e++) {
    if (r->place[e] < 0) continue;
    r->place[e] = r->element_count++;
    memmove(r->elements + n * (size_t)r->place[e], r->elements + n * (size_t)e, n * sizeof(int));
  }
}

/* The keys have done their work: they hold the elements that were kept. */
static pl_status keep_axes(const repair *r, pl_mesh **mesh, pl_error *error)
{
  for (int e = 0; e < r->def->element_count; e++) {
    if (r->place[e] >= 0) r->keys[r->place[e]] = e;
  }
  return r->def->quad_count ? PL_OK : pl_mesh_add_axes(mesh, r->def->axes, r->keys, error);
}

/* Copies the corners of a quadrilateral with joined nodes, each once; returns how many remain. */
static int join_corners(const repair *r, const int *from, int to[4])
{
  int count = 0;
  for (int i = 0; i < 4; i++) {
    int node = r->number[from[i]];
    if (count && (to[count - 1] == node || to[0] == node)) continue;
    to[count++] = node;
  }
  return count;
}

/* Is it sound, or sound if its nodes are listed around instead of row by row? */
static int is_sound_quad(repair *r, int quad[4])
{
  int halves[6];
  if (has_twice(quad, 4)) return 0;
  if (pl_quad_cut(r->nodes, quad, halves)) return 1;
  int other[4] = {quad[0], quad[1], quad[3], quad[2]};
  if (!pl_quad_cut(r->nodes, other, halves)) return 0;
  memcpy(quad, other, sizeof other);
  r->done->rewound_elements++;
  return 1;
}

/* Sound quadrilaterals stay; one with two corners in one place becomes a triangle. Their halves
 * stand behind all triangles. */
static void keep_quads(repair *r)
{
  const pl_mesh_def *def = r->def;
  int *place = r->place + def->element_count, quad[4];
  for (int j = 0; j < def->quad_count; j++) {
    int corners = join_corners(r, def->quads + 4 * (size_t)j, quad);
    place[2 * j] = place[2 * j + 1] = -1;
    if (corners == 3 && is_sound(r, quad)) {
      memcpy(r->elements + 3 * (size_t)r->element_count, quad, 3 * sizeof *quad);
      place[2 * j] = r->element_count++;
    } else if (corners == 4 && is_sound_quad(r, quad)) {
      memcpy(r->quads + 4 * (size_t)r->quad_count, quad, sizeof quad);
      place[2 * j + 1] = r->quad_count++;
    } else {
      r->done->flat_elements++;
    }
  }
  for (int j = 0; j < def->quad_count; j++) {
    if (place[2 * j + 1] < 0) continue;
    place[2 * j] = r->element_count + 2 * place[2 * j + 1];
    place[2 * j + 1] = place[2 * j] + 1;
  }
}

static void keep_sets(repair *r)
{
  int *ids = r->ids;
  for (int s = 0; s < r->def->set_count; s++) {
    const pl_set *from = &r->def->sets[s];
    r->sets[s] = (pl_set){.name = from->name, .of_elements = from->of_elements, .ids = ids};
    for (int i = 0; i < from->count; i++) {
      int id = from->of_elements ? r->place[from->ids[i]] : r->number[from->ids[i]];
      if (id >= 0) *ids++ = id, r->sets[s].count++;
    }
  }
}

static pl_status check_def(const pl_mesh_def *def, pl_error *error)
{
  for (size_t i = 0; i < (size_t)def->element_count * (size_t)def->nodes_per_element; i++) {
    if (def->elements[i] < 0 || def->elements[i] >= def->node_count)
      return pl_fail(error, PL_E_MESH, "an element refers to node %d, but the nodes are 0 to %d",
                     def->elements[i], def->node_count - 1);
  }
  for (size_t i = 0; i < 4 * (size_t)def->quad_count; i++) {
    if (def->quads[i] < 0 || def->quads[i] >= def->node_count)
      return pl_fail(error, PL_E_MESH,
                     "a quadrilateral refers to node %d, but the nodes are 0 to %d", def->quads[i],
                     def->node_count - 1);
  }
  for (size_t i = 0; i < 3 * (size_t)def->node_count; i++) {
    if (!(fabs(def->nodes[i]) < 1e100))
      return pl_fail(error, PL_E_MESH, "node %zu has a coordinate of %g", i / 3, def->nodes[i]);
  }
  return PL_OK;
}

static pl_status take_memory(repair *r, pl_error *error)
{
  const pl_mesh_def *def = r->def;
  const pl_allocator *allocator = &r->allocator;
  size_t nodes = (size_t)def->node_count, quads = (size_t)def->quad_count, ids = 0;
  size_t elements = (size_t)def->element_count + 2 * quads;
  for (int s = 0; s < def->set_count; s++) ids += (size_t)def->sets[s].count;
  r->number = pl_alloc(allocator, nodes, sizeof *r->number);
  r->nodes = pl_alloc(allocator, 3 * nodes, sizeof *r->nodes);
  r->place = pl_alloc(allocator, elements, sizeof *r->place);
  r->keys = pl_alloc(allocator, 9 * elements, sizeof *r->keys);
  r->elements = pl_alloc(allocator, elements * (size_t)def->nodes_per_element, sizeof *r->elements);
  r->quads = pl_alloc(allocator, 4 * quads, sizeof *r->quads);
  r->sets = pl_alloc(allocator, (size_t)def->set_count, sizeof *r->sets);
  r->ids = pl_alloc(allocator, ids, sizeof *r->ids);
  int ok =
      r->number && r->nodes && r->place && r->keys && r->elements && r->quads && r->sets && r->ids;
  return ok ? PL_OK : pl_fail_memory(error);
}

pl_status pl_mesh_repair(const pl_mesh_def *def, pl_mesh_repairs *repairs, pl_mesh **mesh,
                         pl_error *error)
{
  repair r = {.def = def, .done = repairs, .allocator = pl_allocator_or_default(def->allocator)};
  *mesh = NULL;
  pl_status status = check_def(def, error);
  if (!status) status = take_memory(&r, error);
  if (!status)
    status = pl_weld(def->nodes, def->node_count, repairs->weld != 0 ? repairs->weld : 1e-9,
                     &r.allocator, r.number, &r.node_count, error);
  if (!status) {
    for (int i = def->node_count - 1; i >= 0; i--)
      pl_vec3_copy(def->nodes + 3 * (size_t)i, r.nodes + 3 * (size_t)r.number[i]);
    repairs->merged_nodes = def->node_count - r.node_count;
    keep_elements(&r);
    keep_quads(&r);
    keep_sets(&r);
    pl_mesh_def sound = *def;
    sound.node_count = r.node_count;
    sound.nodes = r.nodes;
    sound.element_count = r.element_count;
    sound.elements = r.elements;
    sound.quad_count = r.quad_count;
    sound.quads = r.quads;
    sound.sets = r.sets;
    sound.axes = NULL;
    status = pl_mesh_create(&sound, mesh, error);
    if (!status) status = keep_axes(&r, mesh, error);
  }
  if (!status) {
    repairs->turned_elements = (*mesh)->flipped_elements;
    repairs->unused_nodes = (*mesh)->dropped_nodes;
  }
  pl_free(&r.allocator, r.number);
  pl_free(&r.allocator, r.nodes);
  pl_free(&r.allocator, r.place);
  pl_free(&r.allocator, r.keys);
  pl_free(&r.allocator, r.elements);
  pl_free(&r.allocator, r.quads);
  pl_free(&r.allocator, r.sets);
  pl_free(&r.allocator, r.ids);
  return status;
}
