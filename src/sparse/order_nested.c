/* Nested dissection by distances with refined vertex separators (see ordering.h). */
#include "sparse/ordering.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

/* Parts up to this size are ordered by degree. */
enum { SMALL_PART = 100 };
/* Searches for a vertex at the end of a part; passes of refinement, and moves without a gain that
 * end one. */
enum { MOST_SEARCHES = 4, PASSES = 6, HOPELESS = 60 };
/* The larger half may have this many times half of the part. */
static const double uneven = 1.2;

enum { FIRST, SECOND, SEPARATOR, OUTSIDE };

typedef struct dissection {
  const pl_allocator *allocator;
  const pl_graph *graph;
  int *order;           /* parts are ranges of it */
  int *label, *level;   /* label: the side within the part in hand, else OUTSIDE */
  int *key;             /* what the part is split by */
  int *queue, *members; /* members: the separator */
  int *best;            /* labels of the best state, in the order of the part */
  int *locked;          /* pass in which a vertex was moved */
  int *stack;           /* ranges that wait: pairs */
  int waiting, pass;
  int sizes[3];
} dissection;

/* A breadth-first search in the part; returns how many vertices it reached. They stand in queue. */
static int search(dissection *self, int from)
{
  int *queue = self->queue, count = 1;
  queue[0] = from;
  self->level[from] = 0;
  for (int k = 0; k < count; k++) {
    int v = queue[k];
    for (int e = self->graph->start[v]; e < self->graph->start[v + 1]; e++) {
      int u = self->graph->neighbours[e];
      if (self->label[u] == OUTSIDE || self->level[u] >= 0) continue;
      self->level[u] = self->level[v] + 1;
      queue[count++] = u;
    }
  }
  return count;
}

static void forget_levels(dissection *self, const int *part, int size)
{
  for (int k = 0; k < size; k++) self->level[part[k]] = -1;
}

/* Distances of the part from one end in level, and less those from the other end in key. Returns
 * how many vertices are connected with the first; both ends are as far apart as a few searches
 * find. */
static int measure(dissection *self, const int *part, int size)
{
  int from = part[0], depth = -1, reached = 0;
  for (int i = 0; i < MOST_SEARCHES; i++) {
    forget_levels(self, part, size);
    reached = search(self, from);
    int last = self->queue[reached - 1];
    for (int k = 0; k < size; k++) self->key[part[k]] = self->level[part[k]];
    if (self->level[last] <= depth) break;
    depth = self->level[last];
    from = last;
  }
  if (reached < size) return reached;
  forget_levels(self, part, size);
  search(self, self->queue[reached - 1]);
  for (int k = 0; k < size; k++) self->key[part[k]] -= self->level[part[k]];
  return reached;
}

static void put(dissection *self, int v, int side)
{
  self->sizes[self->label[v]]--;
  self->sizes[side]++;
  self->label[v] = side;
}

/* How many neighbours of v in the part are on the side. */
static int neighbours_at(const dissection *self, int v, int side)
{
  int count = 0;
  for (int e = self->graph->start[v]; e < self->graph->start[v + 1]; e++)
    count += self->label[self->graph->neighbours[e]] == side;
  return count;
}

/* The key that as many vertices are below as above. */
static int middle_key(dissection *self, const int *part, int size)
{
  int *counts = self->queue, below = 0, key = -size;
  memset(counts, 0, (2 * (size_t)size + 1) * sizeof *counts);
  for (int k = 0; k < size; k++) counts[self->key[part[k]] + size]++;
  for (; key < size && below + counts[key + size] <= size / 2; key++) below += counts[key + size];
  return key;
}

/* Vertices nearer to one end and those nearer to the other are the sides; the separator is what of
 * the second touches the first. What is not connected is a side of its own. */
static void split(dissection *self, const int *part, int size)
{
  int reached = measure(self, part, size);
  self->sizes[FIRST] = size;
  self->sizes[SECOND] = self->sizes[SEPARATOR] = 0;
  for (int k = 0; k < size; k++) self->label[part[k]] = FIRST;
  if (reached < size) {
    for (int k = 0; k < reached; k++) put(self, self->queue[k], SECOND);
    return;
  }
  int middle = middle_key(self, part, size);
  for (int k = 0; k < size; k++) {
    if (self->key[part[k]] >= middle) put(self, part[k], SECOND);
  }
  for (int k = 0; k < size; k++) {
    if (self->label[part[k]] == SECOND && neighbours_at(self, part[k], FIRST))
      put(self, part[k], SEPARATOR);
  }
}

/* What a state is worth: the separator, and more where the halves are uneven. Less is better. */
static double price(const dissection *self)
{
  int a = self->sizes[FIRST], b = self->sizes[SECOND], size = a + b + self->sizes[SEPARATOR];
  int larger = a > b ? a : b;
  double excess = 2.0 * larger / size - uneven;
  return self->sizes[SEPARATOR] * (1 + 0.1 * (2.0 * larger / size - 1)) +
         (excess > 0 ? excess * size : 0);
}

/* Moves v out of the separator; its neighbours on the other side enter it. */
static int move_vertex(dissection *self, int v, int side, int count)
{
  put(self, v, side);
  self->locked[v] = self->pass;
  for (int e = self->graph->start[v]; e < self->graph->start[v + 1]; e++) {
    int u = self->graph->neighbours[e];
    if (self->label[u] != 1 - side) continue;
    put(self, u, SEPARATOR);
    self->members[count++] = u;
  }
  return count;
}

/* The move that enlarges the separator least, to the smaller side where both are as good; members
 * that have left are dropped from the list. Returns its place, -1: none. */
static int best_move(const dissection *self, int *count, int *side)
{
  int place = -1, min = 0, kept = 0, *members = self->members;
  int smaller = self->sizes[SECOND] < self->sizes[FIRST];
  for (int k = 0; k < *count; k++) {
    int v = members[k];
    if (self->label[v] != SEPARATOR) continue;
    members[kept++] = v;
    if (self->locked[v] == self->pass) continue;
    for (int to = 0; to < 2; to++) {
      int growth = 2 * neighbours_at(self, v, 1 - to) + (to != smaller);
      if (self->sizes[to] > self->sizes[1 - to] + self->sizes[SEPARATOR]) continue;
      if (place >= 0 && growth >= min) continue;
      min = growth;
      place = kept - 1;
      *side = to;
    }
  }
  *count = kept;
  return place;
}

static void copy_labels(const dissection *self, const int *part, int size, int *to)
{
  for (int k = 0; k < size; k++) to[k] = self->label[part[k]];
}

/* One pass: moves until none is left or hope is; then the best state is restored. Returns whether
 * it is better than at the beginning. */
static int refine(dissection *self, const int *part, int size)
{
  int count = 0, idle = 0, side = 0, better = 0;
  double min = price(self);
  self->pass++;
  copy_labels(self, part, size, self->best);
  for (int k = 0; k < size; k++) {
    if (self->label[part[k]] == SEPARATOR) self->members[count++] = part[k];
  }
  while (idle++ < HOPELESS) {
    int place = best_move(self, &count, &side);
    if (place < 0) break;
    count = move_vertex(self, self->members[place], side, count);
    double now = price(self);
    if (now >= min) continue;
    min = now;
    better = 1;
    idle = 0;
    copy_labels(self, part, size, self->best);
  }
  for (int k = 0; k < size; k++) put(self, part[k], self->best[k]);
  return better;
}

/* Sorts the part into first, second, separator. */
static void arrange(dissection *self, int *part, int size)
{
  int *sorted = self->queue, at = 0;
  for (int side = FIRST; side <= SEPARATOR; side++) {
    for (int k = 0; k < size; k++) {
      if (self->label[part[k]] == side) sorted[at++] = part[k];
    }
  }
  memcpy(part, sorted, (size_t)size * sizeof *part);
}

/* The graph inside a part, its vertices numbered as they stand there. */
static pl_status inner_graph(dissection *self, const int *part, int size, pl_graph *inner,
                             pl_error *error)
{
  size_t max = 0;
  for (int k = 0; k < size; k++) {
    self->level[part[k]] = k;
    max += (size_t)(self->graph->start[part[k] + 1] - self->graph->start[part[k]]);
  }
  *inner = (pl_graph){size, pl_alloc(self->allocator, (size_t)size + 1, sizeof(int)),
                      pl_alloc(self->allocator, max, sizeof(int)), self->graph->watch};
  if (!inner->start || !inner->neighbours) return pl_fail_memory(error);
  int at = 0;
  for (int k = 0; k < size; k++) {
    for (int e = self->graph->start[part[k]]; e < self->graph->start[part[k] + 1]; e++) {
      int u = self->graph->neighbours[e];
      if (self->label[u] != OUTSIDE) inner->neighbours[at++] = self->level[u];
    }
    inner->start[k + 1] = at;
  }
  return PL_OK;
}

static pl_status order_part(dissection *self, int *part, int size, pl_error *error)
{
  pl_graph inner;
  int *order = self->queue, *vertices = self->members;
  pl_status status = inner_graph(self, part, size, &inner, error);
  if (!status) status = pl_order_degree(self->allocator, &inner, order, error);
  memcpy(vertices, part, (size_t)size * sizeof *part);
  for (int k = 0; !status && k < size; k++) part[k] = vertices[order[k]];
  pl_graph_destroy(self->allocator, &inner);
  return status;
}

static void push(dissection *self, int first, int last)
{
  if (last <= first) return;
  self->stack[2 * self->waiting] = first;
  self->stack[2 * self->waiting++ + 1] = last;
}

/* Splits the range [first, last) and lets its halves wait; the separator stays at its end. */
static pl_status dissect(dissection *self, int first, int last, pl_error *error)
{
  int *part = self->order + first, size = last - first;
  pl_status status = PL_OK;
  for (int k = 0; k < size; k++) self->label[part[k]] = FIRST;
  int whole = size <= SMALL_PART;
  if (!whole) {
    split(self, part, size);
    for (int i = 0; self->sizes[SEPARATOR] && i < PASSES; i++) {
      if (pl_watch_ended(self->graph->watch) || !refine(self, part, size)) break;
    }
    // levels that cannot be split: a clique
    whole = !self->sizes[FIRST] || !self->sizes[SECOND];
  }
  if (whole) status = order_part(self, part, size, error);
  if (!whole) {
    int a = self->sizes[FIRST], b = self->sizes[SECOND];
    arrange(self, part, size);
    push(self, first, first + a);
    push(self, first + a, first + a + b);
  }
  for (int k = 0; k < size; k++) self->label[part[k]] = OUTSIDE;
  return status;
}

pl_status pl_order_nested(const pl_allocator *allocator, const pl_graph *graph, int *order,
                          pl_error *error)
{
  size_t n = (size_t)graph->count;
  dissection self = {.allocator = allocator, .graph = graph, .order = order};
  int **arrays[] = {&self.label,   &self.level, &self.key,    &self.queue,
                    &self.members, &self.best,  &self.locked, &self.stack};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = pl_alloc(allocator, 2 * n + 2, sizeof(int));
    if (!*arrays[i]) status = pl_fail_memory(error);
  }
  for (int i = 0; !status && i < graph->count; i++) {
    order[i] = i;
    self.label[i] = OUTSIDE;
  }
  if (!status) push(&self, 0, graph->count);
  while (!status && self.waiting > 0) {
    self.waiting--;
    status = dissect(&self, self.stack[2 * self.waiting], self.stack[2 * self.waiting + 1], error);
    if (!status) status = pl_watch_check(graph->watch, error);
  }
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, *arrays[i]);
  return status;
}

pl_status pl_graph_create(const pl_allocator *allocator, const pl_bsr *A, pl_graph *graph,
                          pl_error *error)
{
  size_t rows = (size_t)A->rows, blocks = (size_t)A->start[A->rows];
  *graph = (pl_graph){A->rows, pl_alloc(allocator, rows + 1, sizeof(int)),
                      pl_alloc(allocator, blocks - rows, sizeof(int)), A->watch};
  if (!graph->start || !graph->neighbours) return pl_fail_memory(error);
  int at = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      if (A->columns[k] != row) graph->neighbours[at++] = A->columns[k];
    }
    graph->start[row + 1] = at;
  }
  return PL_OK;
}

void pl_graph_destroy(const pl_allocator *allocator, pl_graph *graph)
{
  pl_free(allocator, graph->start);
  pl_free(allocator, graph->neighbours);
}
