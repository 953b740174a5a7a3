/* Numberings that keep neighbours near.
 *
 * Reverse Cuthill-McKee: nodes in the order of a breadth-first walk that visits neighbours of low
 * degree first, turned round (Cuthill and McKee 1969; George 1971). The walk starts at a node far
 * from all others, found as in George and Liu, "An implementation of a pseudoperipheral node
 * finder", ACM TOMS 5 (1979): walk from the last node of a walk until walks grow no longer. */
#include "mesh/grid.h"
#include "mesh/mesh.h"
#include "mesh/quads.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/surface.h"

#include <string.h>

/* Who is neighbour of whom, lowest degree first. */
typedef struct graph {
  const pl_mesh *mesh;
  size_t *at_starts, *starts, *fill; /* where each node's lists start; where the next entry goes */
  int *at, *neighbours;              /* elements at each node; its neighbours */
  int *degrees, *stamps, *sequence, *buckets;
} graph;

static void release_graph(graph *g)
{
  const pl_allocator *allocator = &g->mesh->allocator;
  pl_free(allocator, g->at_starts);
  pl_free(allocator, g->starts);
  pl_free(allocator, g->fill);
  pl_free(allocator, g->at);
  pl_free(allocator, g->neighbours);
  pl_free(allocator, g->degrees);
  pl_free(allocator, g->stamps);
  pl_free(allocator, g->sequence);
  pl_free(allocator, g->buckets);
}

/* Lists the elements at each node. */
static void list_elements(graph *g)
{
  int n = g->mesh->nodes_per_element;
  size_t total = (size_t)n * (size_t)g->mesh->element_count;
  for (size_t i = 0; i < total; i++) g->at_starts[g->mesh->elements[i] + 1]++;
  for (int i = 0; i < g->mesh->node_count; i++) g->at_starts[i + 1] += g->at_starts[i];
  memcpy(g->fill, g->at_starts, (size_t)g->mesh->node_count * sizeof *g->fill);
  for (size_t i = 0; i < total; i++) g->at[g->fill[g->mesh->elements[i]]++] = (int)(i / (size_t)n);
}

/* Visits every neighbour of a node once: counts them, or enters the node in their lists. The stamp
 * must be new. */
static int visit(graph *g, int node, int stamp, int enter)
{
  int n = g->mesh->nodes_per_element, count = 0;
  g->stamps[node] = stamp;
  for (size_t i = g->at_starts[node]; i < g->at_starts[node + 1]; i++) {
    const int *nodes = g->mesh->elements + (size_t)n * (size_t)g->at[i];
    for (int k = 0; k < n; k++) {
      if (g->stamps[nodes[k]] == stamp) continue;
      g->stamps[nodes[k]] = stamp;
      count++;
      if (enter) g->neighbours[g->fill[nodes[k]]++] = node;
    }
  }
  return count;
}

static pl_status build_graph(graph *g, pl_error *error)
{
  const pl_allocator *allocator = &g->mesh->allocator;
  int count = g->mesh->node_count;
  size_t nodes = (size_t)count;
  size_t corners = (size_t)g->mesh->element_count * (size_t)g->mesh->nodes_per_element;
  g->at_starts = pl_alloc(allocator, nodes + 1, sizeof *g->at_starts);
  g->starts = pl_alloc(allocator, nodes + 1, sizeof *g->starts);
  g->fill = pl_alloc(allocator, nodes, sizeof *g->fill);
  g->at = pl_alloc(allocator, corners, sizeof *g->at);
  g->degrees = pl_alloc(allocator, nodes, sizeof *g->degrees);
  g->stamps = pl_alloc(allocator, nodes, sizeof *g->stamps);
  g->sequence = pl_alloc(allocator, 2 * nodes, sizeof *g->sequence);
  g->buckets = pl_alloc(allocator, nodes + 1, sizeof *g->buckets);
  if (!g->at_starts || !g->starts || !g->fill || !g->at || !g->degrees || !g->stamps ||
      !g->sequence || !g->buckets)
    return pl_fail_memory(error);

  list_elements(g);
  for (int i = 0; i < count; i++) {
    g->degrees[i] = visit(g, i, i + 1, 0);
    g->starts[i + 1] = g->starts[i] + (size_t)g->degrees[i];
  }
  g->neighbours = pl_alloc(allocator, g->starts[count], sizeof *g->neighbours);
  if (!g->neighbours) return pl_fail_memory(error);

  // nodes of low degree enter themselves first, so that every list is sorted by degree
  int *sorted = g->sequence + nodes;
  for (int i = 0; i < count; i++) g->sequence[i] = i;
  pl_sort_pass(count, g->degrees, 1, count, g->buckets, g->sequence, sorted);
  memcpy(g->fill, g->starts, nodes * sizeof *g->fill);
  memset(g->stamps, 0, nodes * sizeof *g->stamps);
  for (int i = 0; i < count; i++) visit(g, sorted[i], i + 1, 1);
  memset(g->stamps, 0, nodes * sizeof *g->stamps);
  return PL_OK;
}

/* Lists the nodes reached from start in the order of their distance, sets how many there are and
 * where the farthest start, and returns the distance of those. */
static int walk(graph *g, int start, int stamp, int *list, int *count, int *farthest)
{
  int level = -1, end = 1;
  list[0] = start;
  g->stamps[start] = stamp;
  *count = 1;
  for (int i = 0; i < *count; level++) {
    *farthest = i;
    for (; i < end; i++) {
      for (size_t k = g->starts[list[i]]; k < g->starts[list[i] + 1]; k++) {
        int node = g->neighbours[k];
        if (g->stamps[node] == stamp) continue;
        g->stamps[node] = stamp;
        list[(*count)++] = node;
      }
    }
    end = *count;
  }
  return level;
}

/* Numbers the piece that start belongs to, in the order of the longest walk found. */
static int number_piece(graph *g, int start, int *stamp, int *list)
{
  int count, farthest, reach = walk(g, start, ++*stamp, list, &count, &farthest);
  for (int longer = 1; longer;) {
    int far = list[farthest];
    for (int i = farthest; i < count; i++) {
      if (g->degrees[list[i]] < g->degrees[far]) far = list[i];
    }
    int next = walk(g, far, ++*stamp, list, &count, &farthest);
    longer = next > reach;
    reach = next;
  }
  for (int i = 0; i < count / 2; i++) {
    int other = list[count - 1 - i];
    list[count - 1 - i] = list[i];
    list[i] = other;
  }
  return count;
}

pl_status pl_mesh_order(const pl_mesh *mesh, int *order, pl_error *error)
{
  graph g = {.mesh = mesh};
  pl_status status = build_graph(&g, error);
  int stamp = 0, done = 0;
  for (int i = 0; !status && i < mesh->node_count; i++) {
    if (!g.stamps[i]) done += number_piece(&g, i, &stamp, order + done);
  }
  release_graph(&g);
  return status;
}

/* The arrays of the reordered mesh before it is made. */
typedef struct draft {
  int *number;         /* number[old node] = new node */
  double *nodes;       /* in the new order */
  int *elements, *old; /* in the new order; old[new element] */
  int *renamed, *keys; /* elements in the old order with new nodes; least and greatest of them */
  int *spare, *starts; /* work of the sort */
  pl_set *sets;
  int *ids, *element_number;
} draft;

static void release_draft(draft *d, const pl_allocator *allocator)
{
  pl_free(allocator, d->number);
  pl_free(allocator, d->nodes);
  pl_free(allocator, d->elements);
  pl_free(allocator, d->old);
  pl_free(allocator, d->renamed);
  pl_free(allocator, d->keys);
  pl_free(allocator, d->spare);
  pl_free(allocator, d->starts);
  pl_free(allocator, d->sets);
  pl_free(allocator, d->ids);
  pl_free(allocator, d->element_number);
}

/* Frees an array before its time. */
static void drop(const pl_allocator *allocator, int **array)
{
  pl_free(allocator, *array);
  *array = NULL;
}

static size_t count_ids(const pl_mesh *mesh)
{
  size_t total = 0;
  for (int i = 0; i < mesh->set_count; i++) total += (size_t)mesh->sets[i].count;
  return total;
}

static pl_status make_draft(draft *d, const pl_mesh *mesh, const pl_allocator *allocator,
                            pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count, elements = (size_t)mesh->element_count;
  size_t corners = elements * (size_t)mesh->nodes_per_element;
  d->number = pl_alloc(allocator, nodes, sizeof *d->number);
  d->nodes = pl_alloc(allocator, 3 * nodes, sizeof *d->nodes);
  d->elements = pl_alloc(allocator, corners, sizeof *d->elements);
  d->old = pl_alloc(allocator, elements, sizeof *d->old);
  d->renamed = pl_alloc(allocator, corners, sizeof *d->renamed);
  d->keys = pl_alloc(allocator, 2 * elements, sizeof *d->keys);
  d->spare = pl_alloc(allocator, elements, sizeof *d->spare);
  d->starts = pl_alloc(allocator, nodes + 1, sizeof *d->starts);
  d->sets = pl_alloc(allocator, (size_t)mesh->set_count, sizeof *d->sets);
  d->ids = pl_alloc(allocator, count_ids(mesh), sizeof *d->ids);
  d->element_number = pl_alloc(allocator, elements, sizeof *d->element_number);
  int ok = d->number && d->nodes && d->elements && d->old && d->renamed && d->keys && d->spare &&
           d->starts && d->sets && d->ids && d->element_number;
  return ok ? PL_OK : pl_fail_memory(error);
}

static pl_status renumber_nodes(draft *d, const pl_mesh *mesh, const int *order, pl_error *error)
{
  for (int i = 0; i < mesh->node_count; i++) d->number[i] = -1;
  for (int i = 0; i < mesh->node_count; i++) {
    int old = order[i];
    if (old < 0 || old >= mesh->node_count || d->number[old] >= 0)
      return pl_fail(error, PL_E_ARGUMENT,
                     "order[%d] = %d: an order must name each of the %d nodes once", i, old,
                     mesh->node_count);
    d->number[old] = i;
    memcpy(d->nodes + 3 * (size_t)i, mesh->nodes + 3 * (size_t)old, 3 * sizeof *d->nodes);
  }
  return PL_OK;
}

/* Within each window of the sorted elements, neighbours are dealt to lines of four that are worked
 * on together: elements that share an edge are then apart, and what one adds to the matrix need not
 * wait for the other. */
static void deal_elements(draft *d, int count)
{
  enum { LINE = 4, LINES = 16, WINDOW = LINE * LINES };
  for (int first = 0; first + WINDOW <= count; first += WINDOW) {
    int sorted[WINDOW];
    memcpy(sorted, d->old + first, sizeof sorted);
    for (int i = 0; i < WINDOW; i++) d->old[first + i % LINES * LINE + i / LINES] = sorted[i];
  }
}

/* Sorts the elements by their least node, then by their greatest. */
static void sort_elements(draft *d, const pl_mesh *mesh)
{
  size_t n = (size_t)mesh->nodes_per_element;
  for (int e = 0; e < mesh->element_count; e++) {
    int min = mesh->node_count, max = 0;
    for (size_t i = n * (size_t)e; i < n * (size_t)(e + 1); i++) {
      int node = d->renamed[i] = d->number[mesh->elements[i]];
      min = node < min ? node : min;
      max = node > max ? node : max;
    }
    d->keys[2 * (size_t)e] = min;
    d->keys[2 * (size_t)e + 1] = max;
    d->old[e] = e;
  }
  int nodes = mesh->node_count, count = mesh->element_count;
  pl_sort_pass(count, d->keys + 1, 2, nodes, d->starts, d->old, d->spare);
  pl_sort_pass(count, d->keys, 2, nodes, d->starts, d->spare, d->old);
  deal_elements(d, count);
  for (int e = 0; e < count; e++) {
    d->element_number[d->old[e]] = e;
    memcpy(d->elements + n * (size_t)e, d->renamed + n * (size_t)d->old[e],
           n * sizeof *d->elements);
  }
}

static void renumber_sets(draft *d, const pl_mesh *mesh)
{
  int *ids = d->ids;
  for (int s = 0; s < mesh->set_count; s++) {
    d->sets[s] = mesh->sets[s];
    d->sets[s].ids = ids;
    const int *number = mesh->sets[s].of_elements ? d->element_number : d->number;
    for (int i = 0; i < mesh->sets[s].count; i++) *ids++ = number[mesh->sets[s].ids[i]];
  }
}

pl_status pl_mesh_reorder(const pl_mesh *mesh, const int *order, int *element_order,
                          const pl_allocator *allocator, pl_mesh **out, pl_error *error)
{
  *out = NULL;
  pl_allocator chosen = pl_allocator_or_default(allocator);
  draft d = {0};
  pl_mesh renamed = {.allocator = chosen};
  const pl_mesh_def given = {.node_count = mesh->node_count,
                             .hanging = mesh->hanging,
                             .hanging_count = mesh->hanging_count};
  pl_status status = make_draft(&d, mesh, &chosen, error);
  if (!status) status = renumber_nodes(&d, mesh, order, error);
  if (!status) status = pl_mesh_copy_hanging(&renamed, &given, d.number, error);
  if (!status) {
    sort_elements(&d, mesh);
    renumber_sets(&d, mesh);
    // work of the sort has no place beside two meshes
    drop(&chosen, &d.renamed);
    drop(&chosen, &d.keys);
    drop(&chosen, &d.spare);
    status = pl_mesh_create(&(pl_mesh_def){.node_count = mesh->node_count,
                                           .nodes = d.nodes,
                                           .element_count = mesh->element_count,
                                           .nodes_per_element = mesh->nodes_per_element,
                                           .elements = d.elements,
                                           .set_count = mesh->set_count,
                                           .sets = d.sets,
                                           .hanging_count = renamed.hanging_count,
                                           .hanging = renamed.hanging,
                                           .allocator = &chosen},
                            out, error);
  }
  if (!status) status = pl_mesh_take_octets(*out, mesh, d.number, d.element_number, error);
  if (!status) status = pl_mesh_take_quads(*out, mesh, d.number, d.element_number, error);
  if (!status) status = pl_mesh_take_grid(*out, mesh, d.number, error);
  if (status) {
    pl_mesh_destroy(*out);
    *out = NULL;
  }
  if (!status) {
    (*out)->flipped_elements = mesh->flipped_elements;
    (*out)->dropped_nodes = mesh->dropped_nodes;
    if (element_order)
      memcpy(element_order, d.old, (size_t)mesh->element_count * sizeof *element_order);
  }
  pl_mesh_free_hanging(&renamed);
  release_draft(&d, &chosen);
  return status;
}
