/* Elimination tree, column counts, supernodes and panels. */
#include "sparse/elimination.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

/* ---- the tree ---- */

typedef struct etree {
  int *place, *parent, *count; /* count: blocks of L below the diagonal of each column */
  int *work, *link;
} etree;

static void tree_destroy(const pl_allocator *allocator, etree *self)
{
  int *arrays[] = {self->place, self->parent, self->count, self->work, self->link};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

static pl_status tree_create(const pl_allocator *allocator, int count, etree *self, pl_error *error)
{
  int **arrays[] = {&self->place, &self->parent, &self->count, &self->work, &self->link};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = pl_alloc(allocator, (size_t)count + 1, sizeof(int));
    if (!*arrays[i]) status = pl_fail_memory(error);
  }
  return status;
}

static void find_places(const etree *self, const int *order, int count)
{
  for (int k = 0; k < count; k++) self->place[order[k]] = k;
}

/* parent[j]: the first row below the diagonal of column j of L. */
static void find_parents(const etree *self, const pl_graph *graph, const int *order)
{
  int *ancestor = self->work;
  for (int j = 0; j < graph->count; j++) {
    self->parent[j] = ancestor[j] = -1;
    for (int e = graph->start[order[j]]; e < graph->start[order[j] + 1]; e++) {
      int i = self->place[graph->neighbours[e]], next;
      for (; i >= 0 && i < j; i = next) {
        next = ancestor[i];
        ancestor[i] = j;
        if (next < 0) self->parent[i] = j;
      }
    }
  }
}

/* Changes the order so that every subtree stands together, children before parents. */
static void put_in_postorder(const etree *self, int count, int *order)
{
  int *head = self->work, *next = self->count, *stack = self->link, at = 0, *sorted = self->place;
  for (int j = 0; j <= count; j++) head[j] = -1;
  for (int j = count - 1; j >= 0; j--) {
    int up = self->parent[j] < 0 ? count : self->parent[j];
    next[j] = head[up];
    head[up] = j;
  }
  for (int root = head[count]; root >= 0; root = next[root]) {
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
      int j = stack[depth - 1], child = head[j];
      if (child >= 0) {
        head[j] = next[child];
        stack[depth++] = child;
      } else {
        sorted[at++] = order[j];
        depth--;
      }
    }
  }
  memcpy(order, sorted, (size_t)count * sizeof *order);
}

/* Row i of L reaches from its entries in A up the tree to i. */
static void count_blocks(const etree *self, const pl_graph *graph, const int *order)
{
  int *seen = self->work;
  for (int i = 0; i < graph->count; i++) {
    self->count[i] = 0;
    seen[i] = i;
    for (int e = graph->start[order[i]]; e < graph->start[order[i] + 1]; e++) {
      for (int j = self->place[graph->neighbours[e]]; j < i && seen[j] != i; j = self->parent[j]) {
        seen[j] = i;
        self->count[j]++;
      }
    }
  }
}

static pl_status tree_make(const pl_allocator *allocator, const pl_graph *graph, int *order,
                           etree *self, pl_error *error)
{
  pl_status status = tree_create(allocator, graph->count, self, error);
  if (status) return status;
  find_places(self, order, graph->count);
  find_parents(self, graph, order);
  put_in_postorder(self, graph->count, order);
  find_places(self, order, graph->count);
  find_parents(self, graph, order);
  count_blocks(self, graph, order);
  return PL_OK;
}

/* A column of blocks is three of numbers, with 3 count + 3, + 2 and + 1 of them. */
static void add_up(const etree *self, int count, double *fill, double *flops)
{
  *fill = *flops = 0;
  for (int j = 0; j < count; j++) {
    for (int c = 1; c <= 3; c++) {
      double numbers = 3.0 * self->count[j] + c;
      *fill += numbers;
      *flops += numbers * numbers;
    }
  }
}

pl_status pl_elimination_count(const pl_allocator *allocator, const pl_graph *graph, int *order,
                               double *fill, double *flops, pl_error *error)
{
  etree tree = {0};
  pl_status status = tree_make(allocator, graph, order, &tree, error);
  if (!status) add_up(&tree, graph->count, fill, flops);
  tree_destroy(allocator, &tree);
  return status;
}

/* ---- supernodes ---- */

/* May a supernode and its parent be joined, where that makes so many columns and so large a part of
 * zeros in them? */
static int is_worth_joining(int columns, double zeros)
{
  return columns <= 2 || (columns <= 5 && zeros < 0.5) || (columns <= 16 && zeros < 0.15) ||
         zeros < 0.05;
}

/* Blocks of so many columns with so many rows below. */
static double area(double columns, double below)
{
  return columns * (columns + 1) / 2 + columns * below;
}

/* The first columns of supernodes into first; returns how many there are. A supernode may join with
 * its parent where that begins right behind it. */
static int find_supernodes(const etree *self, int count, int *first)
{
  int supernodes = 0;
  for (int j = 0; j < count; j++) {
    int joins = j > 0 && self->parent[j - 1] == j && self->count[j - 1] == self->count[j] + 1;
    if (!joins) first[supernodes++] = j;
  }
  first[supernodes] = count;
  int *wasted = self->work; /* zeros that are stored in a supernode */
  int kept = 0, end = 0;
  for (int s = 0; s < supernodes; s++) {
    int start = first[s], extra = 0;
    end = first[s + 1];
    double below = self->count[end - 1];
    while (kept > 0) {
      int before = first[kept - 1], last = start - 1;
      if (self->parent[last] < start || self->parent[last] >= end) break;
      int more = (start - before) * (end - start + (int)below - self->count[last]);
      double all = extra + wasted[kept - 1] + (double)more;
      if (!is_worth_joining(end - before, all / area(end - before, below))) break;
      extra = (int)all;
      start = before;
      kept--;
    }
    first[kept] = start;
    wasted[kept++] = extra;
  }
  first[kept] = end;
  return kept;
}

/* ---- rows ---- */

/* Rows of supernodes: own columns, then what is below. */
typedef struct supernodes {
  int count, *first, *of; /* of: the supernode of each column */
  size_t *start;          /* of its rows; count + 1 */
  int *rows;
} supernodes;

static void supernodes_destroy(const pl_allocator *allocator, supernodes *self)
{
  void *arrays[] = {self->first, self->of, self->start};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

static pl_status supernodes_create(const pl_allocator *allocator, const etree *tree, int count,
                                   supernodes *self, pl_error *error)
{
  size_t room = (size_t)count + 1;
  self->first = pl_alloc(allocator, room, sizeof(int));
  self->of = pl_alloc(allocator, room, sizeof(int));
  self->start = pl_alloc(allocator, room, sizeof(size_t));
  if (!self->first || !self->of || !self->start) return pl_fail_memory(error);
  self->count = find_supernodes(tree, count, self->first);
  for (int s = 0; s < self->count; s++) {
    int last = self->first[s + 1] - 1;
    for (int j = self->first[s]; j <= last; j++) self->of[j] = s;
    self->start[s + 1] = self->start[s] + (size_t)(last + 1 - self->first[s] + tree->count[last]);
  }
  self->rows = pl_alloc(allocator, self->start[self->count], sizeof(int));
  return self->rows ? PL_OK : pl_fail_memory(error);
}

/* Sorts ascending by halves; other is room of the same size. */
static void sort_rows(int *rows, int *other, size_t count)
{
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = low + width < count ? low + width : count;
      size_t high = middle + width < count ? middle + width : count, a = low, b = middle;
      for (size_t k = low; k < high; k++)
        other[k] = a < middle && (b >= high || rows[a] <= rows[b]) ? rows[a++] : rows[b++];
    }
    memcpy(rows, other, count * sizeof *rows);
  }
}

/* The rows below supernode s: those of A's columns and of the supernodes whose parent it is. */
static void find_rows(supernodes *self, const etree *tree, const pl_graph *graph, const int *order,
                      int s, const int *head, const int *next, int *seen)
{
  int end = self->first[s + 1], *rows = self->rows + self->start[s], *at = rows;
  for (int j = self->first[s]; j < end; j++) *at++ = j;
  int *below = at;
  for (int j = self->first[s]; j < end; j++) {
    for (int e = graph->start[order[j]]; e < graph->start[order[j] + 1]; e++) {
      int i = tree->place[graph->neighbours[e]];
      if (i < end || seen[i] == s + 1) continue;
      seen[i] = s + 1;
      *at++ = i;
    }
  }
  for (int child = head[s]; child >= 0; child = next[child]) {
    size_t from = self->start[child] + (size_t)(self->first[child + 1] - self->first[child]);
    for (size_t k = from; k < self->start[child + 1]; k++) {
      int i = self->rows[k];
      if (i < end || seen[i] == s + 1) continue;
      seen[i] = s + 1;
      *at++ = i;
    }
  }
  sort_rows(below, tree->link, (size_t)(at - below));
}

static void find_all_rows(supernodes *self, const etree *tree, const pl_graph *graph,
                          const int *order)
{
  int *head = tree->count, *next = tree->parent, *seen = tree->work;
  for (int s = 0; s < self->count; s++) head[s] = next[s] = -1;
  memset(seen, 0, (size_t)graph->count * sizeof *seen);
  for (int s = 0; s < self->count; s++) {
    find_rows(self, tree, graph, order, s, head, next, seen);
    size_t below = self->start[s] + (size_t)(self->first[s + 1] - self->first[s]);
    if (below == self->start[s + 1]) continue;
    int parent = self->of[self->rows[below]];
    next[s] = head[parent];
    head[parent] = s;
  }
}

/* ---- panels ---- */

void pl_elimination_destroy(pl_elimination *self)
{
  void *arrays[] = {self->order,   self->place, self->first,       self->row_start,
                    self->row_end, self->rows,  self->value_start, self->update_start,
                    self->at,      self->from,  self->is_top};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

static pl_status panels_create(pl_elimination *self, const supernodes *nodes, pl_error *error)
{
  for (int s = 0; s < nodes->count; s++)
    self->count += (nodes->first[s + 1] - nodes->first[s] + PL_PANEL_BLOCKS - 1) / PL_PANEL_BLOCKS;
  size_t room = (size_t)self->count + 1;
  self->first = pl_alloc(&self->allocator, room, sizeof(int));
  self->row_start = pl_alloc(&self->allocator, room, sizeof(size_t));
  self->row_end = pl_alloc(&self->allocator, room, sizeof(size_t));
  self->value_start = pl_alloc(&self->allocator, room, sizeof(size_t));
  self->update_start = pl_alloc(&self->allocator, room + 1, sizeof(size_t));
  self->is_top = pl_alloc(&self->allocator, room, 1);
  if (!self->first || !self->row_start || !self->row_end || !self->value_start ||
      !self->update_start || !self->is_top)
    return pl_fail_memory(error);
  return PL_OK;
}

/* Supernodes are cut evenly. */
static void cut_panels(pl_elimination *self, const supernodes *nodes)
{
  int p = 0;
  for (int s = 0; s < nodes->count; s++) {
    int start = nodes->first[s], width = nodes->first[s + 1] - start;
    int parts = (width + PL_PANEL_BLOCKS - 1) / PL_PANEL_BLOCKS;
    for (int k = 0; k < parts; k++, p++) {
      int end = (int)((long long)width * (k + 1) / parts);
      self->first[p] = start + (int)((long long)width * k / parts);
      self->first[p + 1] = start + end;
      self->row_start[p] = nodes->start[s] + (size_t)end;
      self->row_end[p] = nodes->start[s + 1];
      // kernels read up to a stride of lanes behind the last number
      size_t numbers = (size_t)pl_panel_stride(self, p) * (size_t)pl_panel_width(self, p);
      self->value_start[p + 1] = self->value_start[p] + numbers + 8;
    }
  }
}

/* Calls of the panels that panel d has rows in: with NULL they are only counted. */
static void list_updates(pl_elimination *self, const int *panel_of, int d, size_t *fill)
{
  for (size_t k = self->row_start[d]; k < self->row_end[d];) {
    int to = panel_of[self->rows[k]];
    if (fill) {
      self->from[fill[to]] = d;
      self->at[fill[to]++] = k;
    } else
      self->update_start[to + 2]++;
    while (k < self->row_end[d] && self->rows[k] < self->first[to + 1]) k++;
  }
}

static pl_status find_updates(pl_elimination *self, int *panel_of, pl_error *error)
{
  for (int p = 0; p < self->count; p++) {
    for (int j = self->first[p]; j < self->first[p + 1]; j++) panel_of[j] = p;
  }
  for (int p = 0; p < self->count; p++) list_updates(self, panel_of, p, NULL);
  size_t *fill = self->update_start + 1;
  for (int p = 1; p <= self->count; p++) fill[p] += fill[p - 1];
  size_t all = fill[self->count];
  self->from = pl_alloc(&self->allocator, all, sizeof(int));
  self->at = pl_alloc(&self->allocator, all, sizeof(size_t));
  if (!self->from || !self->at) return pl_fail_memory(error);
  // each start moves to the next one's while the lists fill
  for (int p = 0; p < self->count; p++) list_updates(self, panel_of, p, fill);
  return PL_OK;
}

/* ---- work for threads ---- */

/* Multiplications that panel s takes. */
static double work_of(const pl_elimination *self, int s)
{
  double height = pl_panel_height(self, s), width = pl_panel_width(self, s);
  double work = height * width * width;
  for (size_t u = self->update_start[s]; u < self->update_start[s + 1]; u++) {
    int d = self->from[u];
    double rows = 3.0 * (double)(self->row_end[d] - self->at[u]);
    work += rows * width * pl_panel_width(self, d);
  }
  return work;
}

/* Panels whose subtree is more than a 24th of all work are the top; the rest is cut into ranges of
 * whole subtrees. */
static void share_out(pl_elimination *self, const int *panel_of, double *tree_work)
{
  double all = 0;
  for (int s = 0; s < self->count; s++) tree_work[s] = 0;
  for (int s = 0; s < self->count; s++) {
    double own = work_of(self, s);
    all += own;
    tree_work[s] += own;
    if (self->row_start[s] < self->row_end[s])
      tree_work[panel_of[self->rows[self->row_start[s]]]] += tree_work[s];
  }
  double part = 0;
  self->ranges = 0;
  for (int s = 0; s < self->count; s++) {
    self->is_top[s] = tree_work[s] > all / 24;
    int root = self->row_start[s] == self->row_end[s];
    int up = root ? s : panel_of[self->rows[self->row_start[s]]];
    int ends = self->is_top[s] || root || tree_work[up] > all / 24;
    if (!self->is_top[s] && ends) part += tree_work[s];
    if (!ends || part < all / 24 || self->ranges == PL_MOST_RANGES - 1) continue;
    self->range[++self->ranges] = s + 1;
    part = 0;
  }
  if (self->range[self->ranges] < self->count) self->range[++self->ranges] = self->count;
}

/* ---- all of it ---- */

static pl_status make_panels(pl_elimination *self, const supernodes *nodes, pl_error *error)
{
  pl_status status = panels_create(self, nodes, error);
  if (status) return status;
  cut_panels(self, nodes);
  int *panel_of = pl_alloc(&self->allocator, (size_t)self->blocks + 1, sizeof(int));
  double *work = pl_alloc(&self->allocator, (size_t)self->count, sizeof(double));
  if (!panel_of || !work) status = pl_fail_memory(error);
  if (!status) status = find_updates(self, panel_of, error);
  if (!status) share_out(self, panel_of, work);
  pl_free(&self->allocator, panel_of);
  pl_free(&self->allocator, work);
  return status;
}

pl_status pl_elimination_create(const pl_allocator *allocator, const pl_graph *graph, int *order,
                                pl_elimination *self, pl_error *error)
{
  etree tree = {0};
  supernodes nodes = {0};
  *self = (pl_elimination){.allocator = *allocator, .blocks = graph->count};
  pl_status status = tree_make(allocator, graph, order, &tree, error);
  if (!status) add_up(&tree, graph->count, &self->fill, &self->flops);
  if (!status) status = supernodes_create(allocator, &tree, graph->count, &nodes, error);
  self->rows = nodes.rows;
  if (!status) {
    find_all_rows(&nodes, &tree, graph, order);
    status = make_panels(self, &nodes, error);
  }
  size_t room = (size_t)graph->count + 1;
  self->order = pl_alloc(allocator, room, sizeof(int));
  if (!status && !self->order) status = pl_fail_memory(error);
  if (!status) {
    memcpy(self->order, order, (size_t)graph->count * sizeof *order);
    self->place = tree.place;
    tree.place = NULL;
  }
  supernodes_destroy(allocator, &nodes);
  tree_destroy(allocator, &tree);
  return status;
}
