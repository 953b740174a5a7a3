/* The forest of refined tetrahedra. */
#include "mesh/refine.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/element.h"

#include <math.h>

/* The eight children by the middles of edges: 0-3 corners, 4-9 the middle of pl_tet_edges[i - 4].
 * The inner diagonal joins the middles of 02 and 13 (Bey 1995). */
enum { A = 0, B, C, D, AB, AC, AD, BC, BD, CD };
static const int children[8][4] = {{A, AB, AC, AD},  {AB, B, BC, BD},  {AC, BC, C, CD},
                                   {AD, BD, CD, D},  {AB, AC, AD, BD}, {AB, AC, BC, BD},
                                   {AC, AD, BD, CD}, {AC, BC, BD, CD}};

/* ---- edges ---- */

static uint64_t edge_hash(int low, int high)
{
  uint64_t h = ((uint64_t)low << 32 | (uint64_t)high) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

static pl_status grow_table(pl_forest *f)
{
  uint64_t room = f->table ? 2 * (f->mask + 1) : 1024;
  int *table = pl_alloc(&f->allocator, (size_t)room, sizeof *table);
  if (!table) return PL_E_MEMORY;
  pl_free(&f->allocator, f->table);
  f->table = table;
  f->mask = room - 1;
  for (size_t i = 0; i < room; i++) table[i] = -1;
  for (size_t e = 0; e < f->edge_count; e++) {
    int *head = &table[edge_hash(f->edges[e].ends[0], f->edges[e].ends[1]) & f->mask];
    f->edges[e].next = *head;
    *head = (int)e;
  }
  return PL_OK;
}

static int find_edge(const pl_forest *f, int a, int b)
{
  int low = a < b ? a : b, high = a < b ? b : a;
  int e = f->table[edge_hash(low, high) & f->mask];
  while (e >= 0 && (f->edges[e].ends[0] != low || f->edges[e].ends[1] != high))
    e = f->edges[e].next;
  return e;
}

/* The edge between two nodes, made if need be; -1 for want of memory. */
static int edge_of(pl_forest *f, int a, int b)
{
  int known = find_edge(f, a, b);
  if (known >= 0) return known;
  void *edges = f->edges;
  if (pl_reserve(&f->allocator, &edges, &f->edge_room, f->edge_count + 1, sizeof *f->edges))
    return -1;
  f->edges = edges;
  if (f->edge_count > f->mask && grow_table(f)) return -1;
  int low = a < b ? a : b, high = a < b ? b : a;
  int *head = &f->table[edge_hash(low, high) & f->mask];
  f->edges[f->edge_count] = (pl_forest_edge){{low, high}, -1, -1, *head};
  return *head = (int)f->edge_count++;
}

/* ---- leaves at edges ---- */

static void enter_leaf(pl_forest *f, int tet)
{
  for (int i = 0; i < 6; i++) {
    pl_forest_edge *edge = &f->edges[f->tets[tet].edges[i]];
    f->tets[tet].next[i] = edge->leaves;
    edge->leaves = 6 * tet + i;
  }
}

static void remove_leaf(pl_forest *f, int tet)
{
  for (int i = 0; i < 6; i++) {
    int *link = &f->edges[f->tets[tet].edges[i]].leaves;
    while (*link != 6 * tet + i) link = &f->tets[*link / 6].next[*link % 6];
    *link = f->tets[tet].next[i];
  }
}

/* ---- making ---- */

/* Adds a tetrahedron that is not entered anywhere yet; -1 for want of memory. */
static int add_tet(pl_forest *f, const int nodes[4], int parent)
{
  void *tets = f->tets;
  if (f->tet_count >= PL_MOST_ELEMENTS ||
      pl_reserve(&f->allocator, &tets, &f->tet_room, f->tet_count + 1, sizeof *f->tets))
    return -1;
  f->tets = tets;
  pl_forest_tet *tet = &f->tets[f->tet_count];
  *tet = (pl_forest_tet){.parent = parent, .child = -1, .element = (int)f->tet_count};
  if (parent >= 0) {
    tet->level = (signed char)(f->tets[parent].level + 1);
    tet->element = f->tets[parent].element;
  }
  for (int i = 0; i < 4; i++) tet->nodes[i] = nodes[i];
  for (int i = 0; i < 6; i++) {
    tet->edges[i] = edge_of(f, nodes[pl_tet_edges[i][0]], nodes[pl_tet_edges[i][1]]);
    if (tet->edges[i] < 0) return -1;
  }
  return (int)f->tet_count++;
}

/* The corners in the order that makes the shortest of the three inner diagonals the one used. */
static void order_corners(const pl_mesh *mesh, const int *from, int to[4])
{
  static const int orders[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}};
  double min = INFINITY;
  for (int o = 0; o < 3; o++) {
    double across[3] = {0};
    for (int i = 0; i < 4; i++)
      pl_vec3_add_scaled(i % 2 ? -0.5 : 0.5, mesh->nodes + 3 * (size_t)from[orders[o][i]], across);
    double length = pl_vec3_norm(across);
    if (length >= min * (1 - 1e-12)) continue;
    min = length;
    for (int i = 0; i < 4; i++) to[i] = from[orders[o][i]];
  }
}

static pl_status plant(pl_forest *f)
{
  const pl_mesh *mesh = f->mesh;
  void *nodes = NULL;
  if (grow_table(f) ||
      pl_reserve(&f->allocator, &nodes, &f->node_room, (size_t)mesh->node_count, sizeof *f->nodes))
    return PL_E_MEMORY;
  f->nodes = nodes;
  f->node_count = (size_t)mesh->node_count;
  for (int i = 0; i < mesh->node_count; i++) {
    f->nodes[i] = (pl_forest_node){.parents = {-1, -1}, .edge = -1, .uses = 1};
    pl_vec3_copy(mesh->nodes + 3 * (size_t)i, f->nodes[i].place);
  }
  for (int e = 0; e < mesh->element_count; e++) {
    int corners[4];
    order_corners(mesh, mesh->elements + 4 * (size_t)e, corners);
    if (add_tet(f, corners, -1) < 0) return PL_E_MEMORY;
    enter_leaf(f, e);
  }
  return PL_OK;
}

pl_status pl_forest_create(const pl_mesh *mesh, const pl_allocator *allocator, pl_forest **forest,
                           pl_error *error)
{
  *forest = NULL;
  if (mesh->nodes_per_element != 4)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "only tetrahedra can be refined, and the mesh has hexahedra");
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_forest *f = pl_alloc(&own, 1, sizeof *f);
  if (!f) return pl_fail_memory(error);
  f->allocator = own;
  f->mesh = mesh;
  if (plant(f)) {
    pl_forest_destroy(f);
    return pl_fail_memory(error);
  }
  *forest = f;
  return PL_OK;
}

void pl_forest_destroy(pl_forest *f)
{
  if (!f) return;
  pl_allocator allocator = f->allocator;
  pl_free(&allocator, f->nodes);
  pl_free(&allocator, f->edges);
  pl_free(&allocator, f->tets);
  pl_free(&allocator, f->table);
  pl_free(&allocator, f);
}

/* ---- questions ---- */

int pl_forest_is_leaf(const pl_forest *f, int tet)
{
  int parent = f->tets[tet].parent;
  return !f->tets[tet].refined && (parent < 0 || f->tets[parent].refined);
}

int pl_forest_is_active(const pl_forest *f, int node) { return f->nodes[node].uses > 0; }

int pl_forest_is_hanging(const pl_forest *f, int node)
{
  const pl_forest_node *n = &f->nodes[node];
  return n->uses > 0 && n->edge >= 0 && f->edges[n->edge].leaves >= 0;
}

/* ---- refining ---- */

/* The node in the middle of an edge, made if need be; -1 for want of memory. */
static int middle_of(pl_forest *f, int edge)
{
  if (f->edges[edge].middle >= 0) return f->edges[edge].middle;
  void *nodes = f->nodes;
  if (f->node_count >= PL_MOST_NODES ||
      pl_reserve(&f->allocator, &nodes, &f->node_room, f->node_count + 1, sizeof *f->nodes))
    return -1;
  f->nodes = nodes;
  const int *ends = f->edges[edge].ends;
  pl_forest_node *node = &f->nodes[f->node_count];
  *node = (pl_forest_node){.parents = {ends[0], ends[1]}, .edge = edge};
  for (int k = 0; k < 3; k++)
    node->place[k] = 0.5 * (f->nodes[ends[0]].place[k] + f->nodes[ends[1]].place[k]);
  return f->edges[edge].middle = (int)f->node_count++;
}

/* Makes the middles and children of a tetrahedron, if that was never done. */
static pl_status bear(pl_forest *f, int tet)
{
  if (f->tets[tet].child >= 0) return PL_OK;
  int points[10];
  for (int i = 0; i < 4; i++) points[i] = f->tets[tet].nodes[i];
  for (int i = 0; i < 6; i++) {
    points[4 + i] = middle_of(f, f->tets[tet].edges[i]);
    if (points[4 + i] < 0) return PL_E_MEMORY;
  }
  int first = (int)f->tet_count;
  for (int c = 0; c < 8; c++) {
    int nodes[4];
    for (int i = 0; i < 4; i++) nodes[i] = points[children[c][i]];
    if (add_tet(f, nodes, tet) < 0) {
      f->tet_count = (size_t)first;
      return PL_E_MEMORY;
    }
  }
  f->tets[tet].child = first;
  return PL_OK;
}

/* Counts the use of a middle, one up or down. */
static void use_middle(pl_forest *f, int edge, int by)
{
  pl_forest_node *node = &f->nodes[f->edges[edge].middle];
  int was = node->uses;
  node->uses += by;
  if (was > 0 && node->uses > 0) return;
  for (int i = 0; i < 2; i++) f->nodes[node->parents[i]].dependents += by;
}

static pl_status refine(pl_forest *f, int tet, pl_error *error)
{
  if (!pl_forest_is_leaf(f, tet)) return PL_OK;
  if (f->tets[tet].level >= PL_MOST_REFINEMENTS)
    return pl_fail(error, PL_E_LIMIT, "a tetrahedron can be refined %d times at most",
                   PL_MOST_REFINEMENTS);
  // first the coarser ones that a corner hangs on
  for (int i = 0; i < 4; i++) {
    int node = f->tets[tet].nodes[i];
    while (pl_forest_is_hanging(f, node)) {
      pl_status status = refine(f, f->edges[f->nodes[node].edge].leaves / 6, error);
      if (status) return status;
    }
  }
  if (bear(f, tet)) return pl_fail_memory(error);
  remove_leaf(f, tet);
  f->tets[tet].refined = 1;
  for (int i = 0; i < 6; i++) use_middle(f, f->tets[tet].edges[i], 1);
  for (int c = 0; c < 8; c++) enter_leaf(f, f->tets[tet].child + c);
  return PL_OK;
}

pl_status pl_forest_refine(pl_forest *f, int tet, pl_error *error)
{
  if (tet < 0 || (size_t)tet >= f->tet_count)
    return pl_fail(error, PL_E_ARGUMENT, "there is no tetrahedron %d; they are 0 to %d", tet,
                   (int)f->tet_count - 1);
  return refine(f, tet, error);
}

pl_status pl_forest_refine_all(pl_forest *f, pl_error *error)
{
  // the leaves of now; refining makes others
  int *leaves = pl_alloc(&f->allocator, f->tet_count, sizeof *leaves), count = 0;
  if (!leaves) return pl_fail_memory(error);
  for (int t = 0; t < (int)f->tet_count; t++) {
    if (pl_forest_is_leaf(f, t)) leaves[count++] = t;
  }
  pl_status status = PL_OK;
  for (int i = 0; !status && i < count; i++) status = refine(f, leaves[i], error);
  pl_free(&f->allocator, leaves);
  return status;
}

int pl_forest_coarsen(pl_forest *f, int tet)
{
  if (tet < 0 || (size_t)tet >= f->tet_count || !f->tets[tet].refined) return 0;
  const pl_forest_tet *t = &f->tets[tet];
  for (int c = 0; c < 8; c++) {
    if (f->tets[t->child + c].refined) return 0;
  }
  for (int i = 0; i < 6; i++) {
    if (f->nodes[f->edges[t->edges[i]].middle].dependents) return 0;
  }
  for (int c = 0; c < 8; c++) remove_leaf(f, t->child + c);
  for (int i = 0; i < 6; i++) use_middle(f, t->edges[i], -1);
  f->tets[tet].refined = 0;
  enter_leaf(f, tet);
  return 1;
}

/* ---- the whole tree ---- */

void pl_forest_get(const pl_forest *f, unsigned char *refined)
{
  for (size_t t = 0; t < f->tet_count; t++) refined[t] = f->tets[t].refined != 0;
}

pl_status pl_forest_set(pl_forest *f, const unsigned char *refined, pl_error *error)
{
  // the finest first, so that nothing depends on what is taken back
  for (int level = PL_MOST_REFINEMENTS; level >= 0; level--) {
    for (int t = 0; t < (int)f->tet_count; t++) {
      if (f->tets[t].level == level && f->tets[t].refined && !refined[t]) pl_forest_coarsen(f, t);
    }
  }
  size_t known = f->tet_count, right = 0;
  pl_status status = PL_OK;
  for (size_t t = 0; t < known && !status; t++) {
    if (refined[t]) status = refine(f, (int)t, error);
  }
  for (size_t t = 0; t < known && !status; t++) right += f->tets[t].refined == (refined[t] != 0);
  if (status || right == known) return status;
  return pl_fail(error, PL_E_ARGUMENT, "no refinement of this mesh is like that");
}

/* ---- hanging nodes as constraints ---- */

void pl_forest_follow(const pl_forest *f, int width, double *values)
{
  size_t w = (size_t)width;
  for (size_t i = 0; i < f->node_count; i++) {
    if (!pl_forest_is_hanging(f, (int)i)) continue;
    const double *a = values + w * (size_t)f->nodes[i].parents[0];
    const double *b = values + w * (size_t)f->nodes[i].parents[1];
    for (size_t k = 0; k < w; k++) values[w * i + k] = 0.5 * (a[k] + b[k]);
  }
}

void pl_forest_push(const pl_forest *f, int width, double *forces)
{
  size_t w = (size_t)width;
  for (size_t i = 0; i < f->node_count; i++) {
    if (!pl_forest_is_hanging(f, (int)i)) continue;
    for (size_t k = 0; k < w; k++) {
      for (int p = 0; p < 2; p++)
        forces[w * (size_t)f->nodes[i].parents[p] + k] += 0.5 * forces[w * i + k];
      forces[w * i + k] = 0;
    }
  }
}

/* ---- the hierarchical basis ---- */

/* Adds share times the mean of a new node's parents to it. */
static void add_mean(const pl_forest *f, size_t node, double share, int width, double *x)
{
  const pl_forest_node *n = &f->nodes[node];
  if (n->edge < 0 || !n->uses) return;
  size_t w = (size_t)width, first = w * (size_t)n->parents[0], second = w * (size_t)n->parents[1];
  for (size_t k = 0; k < w; k++) x[w * node + k] += share * 0.5 * (x[first + k] + x[second + k]);
}

void pl_forest_to_nodal(const pl_forest *f, int width, double *x)
{
  for (size_t i = 0; i < f->node_count; i++) add_mean(f, i, 1, width, x);
}

void pl_forest_to_hierarchical(const pl_forest *f, int width, double *x)
{
  for (size_t i = f->node_count; i-- > 0;) add_mean(f, i, -1, width, x);
}

void pl_forest_transpose(const pl_forest *f, int width, double *x)
{
  size_t w = (size_t)width;
  for (size_t i = f->node_count; i-- > 0;) {
    const pl_forest_node *n = &f->nodes[i];
    if (n->edge < 0 || !n->uses) continue;
    for (size_t k = 0; k < 2 * w; k++)
      x[w * (size_t)n->parents[k / w] + k % w] += 0.5 * x[w * i + k % w];
  }
}
