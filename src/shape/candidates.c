/* Descent of the trees.
 *
 * Pairs of nodes are expanded breadth first to some hundred tasks, which threads then descend each
 * on its own. Two triangles whose boxes meet are tested along the six diagonals (1, +-1, 0) of the
 * axes too (with the axes: a polytope of 18 sides), then each pair of features that belongs to
 * them, and last the distance itself in double precision.
 *
 * Tasks write keys into blocks that they take from a common array in any order: keys are unique,
 * and sorted afterwards. How many blocks a task needs does not depend on the others; where the
 * array was too small the descent is repeated with more room. */
#include "shape/candidates.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/quad.h"
#include "math/vec3.h"
#include "shape/finder_parts.h"
#include "shape/radix.h"

#include <stdatomic.h>
#include <string.h>

enum { TASKS = 256, BLOCK = 64, STACK = 256, LARGE = 9 };

static const uint64_t NONE = UINT64_MAX; /* unused place in a block */

/* One descent. */
typedef struct descent {
  const pl_search *search;
  pl_candidates *candidates;
  _Atomic size_t next; /* the first place that no block has */
} descent;

/* What one task works with. */
typedef struct worker {
  descent *all;
  uint64_t *block;       /* where it writes */
  int used;              /* of the block */
  uint64_t waste[BLOCK]; /* in place of a block that there was no room for */
  // by kind of pair; negative: there are none
  float pad[2], diagonal[2]; /* m: range along the axes, and along diagonals of length sqrt 2 */
  double squared[2];         /* of the range */
} worker;

/* ---- output ---- */

static void close_block(worker *w)
{
  for (int i = w->used; i < BLOCK && w->block; i++) w->block[i] = NONE;
}

static void open_block(worker *w)
{
  const pl_candidates *c = w->all->candidates;
  size_t first = atomic_fetch_add_explicit(&w->all->next, BLOCK, memory_order_relaxed);
  w->block = first + BLOCK <= c->room / 2 ? c->keys + first : w->waste;
  w->used = 0;
}

static void emit(worker *w, int kind, int first, int second)
{
  if (!w->block || w->used == BLOCK) open_block(w);
  w->block[w->used++] = pl_contact_key(kind, first, second);
}

/* ---- polytopes of 18 sides ---- */

/* Extent along x y z, x+y y+z z+x, x-y y-z z-x. */
typedef struct slabs {
  pl_quad low[3], high[3];
} slabs;

PL_INLINE void project(pl_quad p, pl_quad out[3])
{
  pl_quad turned = pl_quad_turn(p);
  out[0] = p;
  out[1] = p + turned;
  out[2] = p - turned;
}

/* Grows by the range along axes and diagonals. */
PL_INLINE void slabs_grow(const slabs *s, pl_quad axes, pl_quad diagonals, slabs *out)
{
  for (int g = 0; g < 3; g++) {
    pl_quad by = g ? diagonals : axes;
    out->low[g] = s->low[g] - by;
    out->high[g] = s->high[g] + by;
  }
}

/* Is something apart from something that has grown, in some direction? */
PL_INLINE int slabs_apart(const pl_quad low[3], const pl_quad high[3], const slabs *grown)
{
  pl_quad_mask apart = (low[0] > grown->high[0]) | (high[0] < grown->low[0]);
  for (int g = 1; g < 3; g++) apart |= (low[g] > grown->high[g]) | (high[g] < grown->low[g]);
  return pl_quad_bits(apart);
}

/* ---- pairs of triangles ---- */

/* A triangle with the extents of its corners. Those of points that do not move are one number. */
typedef struct corners {
  const pl_tree_slot *slot;
  pl_quad low[3][3], high[3][3];
  slabs all;
  float scale;
} corners;

PL_INLINE const pl_quad *corner_high(const corners *c, int i, int moving)
{
  return moving ? c->high[i] : c->low[i];
}

PL_INLINE void corner_set(const pl_trees *forest, int i, int moving, corners *out)
{
  size_t point = (size_t)out->slot->points[i];
  project(pl_quad_load(forest->at[point]), out->low[i]);
  if (!moving) return;
  pl_quad end[3];
  project(pl_quad_load(forest->at[(size_t)forest->features->point_count + point]), end);
  for (int g = 0; g < 3; g++) {
    out->high[i][g] = pl_quad_max(out->low[i][g], end[g]);
    out->low[i][g] = pl_quad_min(out->low[i][g], end[g]);
  }
}

/* The extent of two corners. */
PL_INLINE void side_set(const corners *c, int i, int j, int moving, slabs *out)
{
  for (int g = 0; g < 3; g++) {
    out->low[g] = pl_quad_min(c->low[i][g], c->low[j][g]);
    out->high[g] = pl_quad_max(corner_high(c, i, moving)[g], corner_high(c, j, moving)[g]);
  }
}

PL_INLINE void corners_set(const pl_trees *forest, size_t slot, int moving, corners *out)
{
  out->slot = &forest->slots[slot];
  out->scale = forest->leaves[slot / PL_LEAF].scale[slot % PL_LEAF];
  for (int c = 0; c < 3; c++) corner_set(forest, c, moving, out);
  side_set(out, 0, 1, moving, &out->all);
  for (int g = 0; g < 3; g++) {
    out->all.low[g] = pl_quad_min(out->all.low[g], out->low[2][g]);
    out->all.high[g] = pl_quad_max(out->all.high[g], corner_high(out, 2, moving)[g]);
  }
}

static int is_near(const worker *w, pl_contact_kind kind, const int points[4])
{
  const double *x = w->all->search->x;
  if (!x) return 1;
  double corner[4][3];
  pl_closest at;
  for (int i = 0; i < 4; i++) pl_vec3_copy(x + 3 * (size_t)points[i], corner[i]);
  pl_closest_points(kind, (const double(*)[3])corner, &at);
  return at.squared < w->squared[kind];
}

/* The points that belong to a, against triangle b, grown. */
PL_INLINE void test_points(worker *w, const corners *a, const corners *b, const slabs *grown,
                           int moving)
{
  for (int i = 0; i < 3; i++) {
    if (!(a->slot->owned >> i & 1)) continue;
    if (slabs_apart(a->low[i], corner_high(a, i, moving), grown)) continue;
    const int *t = b->slot->points;
    int p = a->slot->points[i], points[4] = {p, t[0], t[1], t[2]};
    if (p == t[0] || p == t[1] || p == t[2]) continue;
    if (is_near(w, PL_POINT_TRIANGLE, points)) emit(w, PL_POINT_TRIANGLE, p, b->slot->triangle);
  }
}

static void try_edges(worker *w, const corners *a, int i, const corners *b, int j)
{
  int one = a->slot->edges[i], two = b->slot->edges[j];
  const int *edges = w->all->search->finder->features.edges;
  const int *first = edges + 2 * (size_t)(one < two ? one : two);
  const int *second = edges + 2 * (size_t)(one < two ? two : one);
  int points[4] = {first[0], first[1], second[0], second[1]};
  if (!is_near(w, PL_EDGE_EDGE, points)) return;
  emit(w, PL_EDGE_EDGE, one < two ? one : two, one < two ? two : one);
}

/* An edge of a, grown, against those of b. */
PL_INLINE void test_edge(worker *w, const corners *a, int i, const slabs *grown, const corners *b,
                         int moving)
{
  int p = a->slot->points[i], q = a->slot->points[i == 2 ? 0 : i + 1];
  for (int j = 0; j < 3; j++) {
    if (b->slot->edges[j] < 0) continue;
    int next = j == 2 ? 0 : j + 1, r = b->slot->points[j], s = b->slot->points[next];
    if (p == r || p == s || q == r || q == s) continue;
    slabs other;
    side_set(b, j, next, moving, &other);
    if (!slabs_apart(other.low, other.high, grown)) try_edges(w, a, i, b, j);
  }
}

/* The edges that belong to both. */
PL_INLINE void test_edges(worker *w, const corners *a, const corners *b, pl_quad axes,
                          pl_quad diagonals, int moving)
{
  if ((b->slot->edges[0] & b->slot->edges[1] & b->slot->edges[2]) < 0) return; // none is b's
  for (int i = 0; i < 3; i++) {
    if (a->slot->edges[i] < 0) continue;
    slabs side, grown;
    side_set(a, i, i == 2 ? 0 : i + 1, moving, &side);
    slabs_grow(&side, axes, diagonals, &grown);
    if (!slabs_apart(b->all.low, b->all.high, &grown)) test_edge(w, a, i, &grown, b, moving);
  }
}

/* The edges that belong to a, against triangle b, grown. */
static void test_crossings(worker *w, const corners *a, const corners *b, const slabs *grown)
{
  const int *t = b->slot->points;
  for (int i = 0; i < 3; i++) {
    int p = a->slot->points[i], q = a->slot->points[i == 2 ? 0 : i + 1];
    if (a->slot->edges[i] < 0 || p == t[0] || p == t[1] || p == t[2]) continue;
    if (q == t[0] || q == t[1] || q == t[2]) continue;
    slabs side;
    side_set(a, i, i == 2 ? 0 : i + 1, 0, &side);
    if (slabs_apart(side.low, side.high, grown)) continue;
    emit(w, PL_EDGE_TRIANGLE, a->slot->edges[i], b->slot->triangle);
  }
}

/* By how much something grows along axes and diagonals; scale is that of its coordinates. */
PL_INLINE void set_growth(const worker *w, int kind, float scale, pl_quad *axes, pl_quad *diagonals)
{
  float error = PL_SINGLE_ERROR * scale;
  *axes = pl_quad_all(w->pad[kind] + error);
  *diagonals = pl_quad_all(w->diagonal[kind] + 2 * error);
}

PL_INLINE void test_pair(worker *w, const corners *a, const corners *b, int moving)
{
  pl_quad axes, diagonals;
  slabs grown;
  set_growth(w, PL_POINT_TRIANGLE, a->scale + b->scale, &axes, &diagonals);
  slabs_grow(&b->all, axes, diagonals, &grown);
  if (slabs_apart(a->all.low, a->all.high, &grown)) return;
  if (w->all->search->crossings) {
    test_crossings(w, a, b, &grown);
    slabs_grow(&a->all, axes, diagonals, &grown);
    test_crossings(w, b, a, &grown);
    return;
  }
  if (a->slot->owned) test_points(w, a, b, &grown, moving);
  if (b->slot->owned) {
    slabs_grow(&a->all, axes, diagonals, &grown);
    test_points(w, b, a, &grown, moving);
  }
  if (w->pad[PL_EDGE_EDGE] < 0) return;
  set_growth(w, PL_EDGE_EDGE, a->scale + b->scale, &axes, &diagonals);
  test_edges(w, a, b, axes, diagonals, moving);
}

/* ---- leaves ---- */

/* Which triangles of a leaf meet the box of triangle k of another. */
PL_INLINE int row_bits(const pl_tree_leaf *a, int k, const pl_tree_leaf *b)
{
  pl_quad_mask meets = {-1, -1, -1, -1};
  for (int axis = 0; axis < 3; axis++) {
    meets &= pl_quad_all(a->low[axis][k]) <= pl_quad_load(b->high[axis]);
    meets &= pl_quad_all(a->high[axis][k]) >= pl_quad_load(b->low[axis]);
  }
  return pl_quad_bits(meets);
}

PL_INLINE void test_leaves(worker *w, size_t a, size_t b, int moving)
{
  const pl_trees *forest = w->all->search->forest;
  corners first, seconds[PL_LEAF];
  int made = 0;
  for (int k = 0; k < PL_LEAF; k++) {
    int bits = row_bits(&forest->leaves[a], k, &forest->leaves[b]);
    if (a == b) bits &= ~((2 << k) - 1); // each pair once, and none with itself
    if (!bits) continue;
    corners_set(forest, PL_LEAF * a + (size_t)k, moving, &first);
    for (int j = 0; j < PL_LEAF; j++) {
      if (!(bits >> j & 1)) continue;
      if (!(made >> j & 1)) corners_set(forest, PL_LEAF * b + (size_t)j, moving, &seconds[j]);
      made |= 1 << j;
      test_pair(w, &first, &seconds[j], moving);
    }
  }
}

static void test_still(worker *w, size_t a, size_t b) { test_leaves(w, a, b, 0); }
static void test_moving(worker *w, size_t a, size_t b) { test_leaves(w, a, b, 1); }

/* ---- nodes ---- */

static int boxes_meet(const pl_tree_box *a, const pl_tree_box *b)
{
  pl_quad_mask apart = (pl_quad_load(a->low) > pl_quad_load(b->high)) |
                       (pl_quad_load(b->low) > pl_quad_load(a->high));
  return !pl_quad_bits(apart);
}

static const pl_tree_box *box_at(const pl_trees *forest, int tree, uint32_t node)
{
  return &forest->nodes[forest->trees[tree].node + node];
}

/* Have both nodes departed alike? */
static int are_alike(const pl_search *s, const pl_node_pair *p)
{
  const pl_trees *forest = s->forest;
  const pl_tree_box *a = &forest->departures[forest->trees[p->trees[0]].node + p->nodes[0]];
  const pl_tree_box *b = &forest->departures[forest->trees[p->trees[1]].node + p->nodes[1]];
  pl_quad side = pl_quad_max(pl_quad_load(a->high), pl_quad_load(b->high)) -
                 pl_quad_min(pl_quad_load(a->low), pl_quad_load(b->low));
  side *= side;
  return (double)side[0] + (double)side[1] + (double)side[2] <= s->alike * s->alike;
}

static int is_leaf(const pl_trees *forest, int tree, uint32_t node)
{
  return node >> forest->trees[tree].levels != 0;
}

static float extent(const pl_tree_box *box)
{
  return box->high[0] - box->low[0] + (box->high[1] - box->low[1]) + (box->high[2] - box->low[2]);
}

/* Which of two nodes are to be divided: bit 0 the first, bit 1 the second, 0: both are leaves. Of
 * boxes of very different size only the larger. */
static int which_divide(const pl_trees *forest, const pl_node_pair *p)
{
  int first = !is_leaf(forest, p->trees[0], p->nodes[0]);
  int second = !is_leaf(forest, p->trees[1], p->nodes[1]);
  if (p->trees[0] == p->trees[1] || !first || !second) return first | second << 1;
  float one = extent(box_at(forest, p->trees[0], p->nodes[0]));
  float two = extent(box_at(forest, p->trees[1], p->nodes[1]));
  return one > 2 * two ? 1 : two > 2 * one ? 2 : 3;
}

/* The pairs of children whose boxes meet; returns how many. */
static int divide(const pl_search *s, const pl_node_pair *p, int which, pl_node_pair out[4])
{
  const pl_trees *forest = s->forest;
  int same = p->trees[0] == p->trees[1] && p->nodes[0] == p->nodes[1], count = 0;
  for (uint32_t i = 0; i <= (uint32_t)(which & 1); i++) {
    for (uint32_t j = same ? i : 0; j <= (uint32_t)(which >> 1); j++) {
      pl_node_pair child = *p;
      if (which & 1) child.nodes[0] = 2 * p->nodes[0] + i;
      if (which >> 1) child.nodes[1] = 2 * p->nodes[1] + j;
      if (boxes_meet(box_at(forest, child.trees[0], child.nodes[0]),
                     box_at(forest, child.trees[1], child.nodes[1])) &&
          !(s->alike > 0 && are_alike(s, &child)))
        out[count++] = child;
    }
  }
  return count;
}

static size_t leaf_of(const pl_trees *forest, int tree, uint32_t node)
{
  return forest->trees[tree].leaf + (node - ((size_t)1 << forest->trees[tree].levels));
}

static void set_range(worker *w, const pl_node_pair *p)
{
  const pl_search *s = w->all->search;
  double thickness = 0.5 * (s->finder->surfaces[p->trees[0]].thickness +
                            s->finder->surfaces[p->trees[1]].thickness);
  for (int kind = 0; kind < 2; kind++) {
    double range = (s->reach[kind] + (s->crossings ? 0 : thickness)) * (1 + 1e-6);
    if (s->reach[kind] < 0) range = -1;
    w->pad[kind] = (float)range;
    w->diagonal[kind] = (float)(1.4142136 * range);
    w->squared[kind] = range * range;
  }
}

static void run_task(void *context, int number)
{
  descent *all = context;
  const pl_trees *forest = all->search->forest;
  pl_node_pair stack[STACK];
  worker w = {.all = all};
  int depth = 1;
  stack[0] = all->candidates->tasks[number];
  set_range(&w, &stack[0]);
  while (depth) {
    pl_node_pair pair = stack[--depth];
    int which = which_divide(forest, &pair);
    if (which)
      depth += divide(all->search, &pair, which, stack + depth);
    else
      (forest->is_moving ? test_moving : test_still)(&w,
                                                     leaf_of(forest, pair.trees[0], pair.nodes[0]),
                                                     leaf_of(forest, pair.trees[1], pair.nodes[1]));
  }
  close_block(&w);
}

/* ---- tasks ---- */

static pl_status add_task(pl_candidates *c, const pl_node_pair *pair, pl_error *error)
{
  void *tasks = c->tasks;
  pl_status status =
      pl_reserve(&c->allocator, &tasks, &c->task_room, c->task_count + 1, sizeof *c->tasks);
  c->tasks = tasks;
  if (status) return pl_fail_memory(error);
  c->tasks[c->task_count++] = *pair;
  return PL_OK;
}

/* The roots of surfaces that may meet. */
static pl_status add_roots(pl_candidates *c, const pl_search *s, pl_error *error)
{
  int count = s->finder->features.surface_count;
  pl_status status = PL_OK;
  c->task_count = 0;
  for (int a = 0; a < count; a++) {
    const pl_tree_box *box = pl_tree_root(s->forest, a);
    int first = s->pairs == PL_SEARCH_OTHERS ? a + 1 : a;
    int last = s->pairs == PL_SEARCH_SELF ? a + 1 : count;
    for (int b = first; b < last && !status; b++) {
      if (!boxes_meet(box, pl_tree_root(s->forest, b)) || !pl_finder_meets(s->finder, a, b))
        continue;
      status = add_task(c, &(pl_node_pair){{a, b}, {1, 1}}, error);
    }
  }
  return status;
}

/* Is a task worth dividing whatever the number of tasks? */
static int is_large(const pl_trees *forest, const pl_node_pair *p)
{
  int levels = 0;
  for (int k = 0; k < 2; k++) {
    const pl_tree *tree = &forest->trees[p->trees[k]];
    int below = tree->levels;
    for (uint32_t node = p->nodes[k]; node > 1; node >>= 1) below--;
    levels = levels > below ? levels : below;
  }
  return levels > LARGE;
}

/* Divides every task once if that is worth it; returns whether any was. */
static int divide_tasks(pl_candidates *c, const pl_search *s, pl_status *status, pl_error *error)
{
  size_t end = c->task_count, to = 0;
  int divided = 0;
  for (size_t i = 0; i < end && !*status; i++) {
    pl_node_pair children[4] = {c->tasks[i]};
    int which = which_divide(s->forest, &children[0]), count = 1;
    if (end >= TASKS && !is_large(s->forest, &children[0])) which = 0;
    if (which) count = divide(s, &c->tasks[i], which, children);
    if (which) divided = 1;
    c->tasks[i].nodes[0] = 0; // done with
    for (int k = 0; k < count && !*status; k++) {
      if (k == 0)
        c->tasks[i] = children[k];
      else
        *status = add_task(c, &children[k], error);
    }
  }
  for (size_t i = 0; i < c->task_count; i++) {
    if (c->tasks[i].nodes[0]) c->tasks[to++] = c->tasks[i];
  }
  c->task_count = to;
  return divided;
}

static pl_status expand(pl_candidates *c, const pl_search *s, pl_error *error)
{
  pl_status status = add_roots(c, s, error);
  while (!status && divide_tasks(c, s, &status, error)) {
  }
  return status;
}

/* ---- the whole ---- */

static pl_status make_room(pl_candidates *c, size_t keys, pl_error *error)
{
  void *memory = c->keys;
  pl_status status = pl_reserve(&c->allocator, &memory, &c->room, 2 * keys, sizeof *c->keys);
  c->keys = memory;
  return status ? pl_fail_memory(error) : PL_OK;
}

/* Closes up unused places. */
static void pack(pl_candidates *c, size_t first, size_t end)
{
  size_t to = first;
  for (size_t i = first; i < end; i++) {
    c->keys[to] = c->keys[i];
    to += c->keys[i] != NONE;
  }
  c->count = to;
}

/* Closes up keys that are there twice, side by side. */
static void unite(pl_candidates *c)
{
  size_t to = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (to && c->keys[to - 1] == c->keys[i]) continue;
    c->keys[to++] = c->keys[i];
  }
  c->count = to;
}

pl_status pl_candidates_find(pl_candidates *c, const pl_search *search, pl_pool *pool,
                             pl_error *error)
{
  descent all = {.search = search, .candidates = c};
  pl_status status = expand(c, search, error);
  size_t first = search->append ? c->count : 0;
  c->count = 0;
  for (int again = 1; again && !status;) {
    atomic_store(&all.next, first);
    status = pl_parallel_watched(pool, (int)c->task_count, run_task, &all, search->watch, error);
    if (status) return status;
    size_t needed = atomic_load(&all.next);
    again = needed > c->room / 2;
    if (again) {
      status = make_room(c, needed, error);
      continue;
    }
    pack(c, first, needed);
    pl_radix_sort(c->keys, NULL, c->keys + c->count, NULL, c->count);
    if (search->alike > 0) unite(c);
  }
  return status;
}

void pl_candidates_release(pl_candidates *c)
{
  if (!c->allocator.alloc) return;
  pl_free(&c->allocator, c->keys);
  pl_free(&c->allocator, c->tasks);
}
