/* Octets: every tetrahedron is divided into eight by the midpoints of its edges.
 *
 * Four of the eight are at the corners; the octahedron between them is cut along the shortest of
 * its three diagonals, which makes the best tetrahedra (Zhang 1995, "Successive subdivisions of
 * tetrahedra"). Where others are as short, which they are in cubes, the rule is that of Bey 1995,
 * "Tetrahedral grid refinement", but for an exchange: of corners 0123 in the order of their node
 * numbers, the last two exchanged where the tetrahedron's volume is positive, the diagonal from the
 * midpoint of 02 to that of 13. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/axes.h"
#include "mesh/element.h"
#include "mesh/surface.h"

#include <string.h>

typedef struct division {
  const pl_mesh *mesh;
  pl_middle_of *middle; /* NULL: edges are straight */
  const double *values;
  pl_allocator allocator;
  int edge_count;
  int *keys;            /* both ends of each element's edges, ascending */
  int *sorted, *spare;  /* edges in the order of their ends */
  int *starts;          /* work of the sort */
  int *middles;         /* the midpoint of each element's edges */
  int *ends;            /* of each midpoint */
  unsigned char *outer; /* per midpoint: is its edge on the boundary? */
  double *nodes;
  int *elements, *octets, *ids;
  pl_set *sets;
} division;

enum { EDGES = 6 };

static pl_status allocate(division *d, pl_error *error)
{
  const pl_mesh *mesh = d->mesh;
  const pl_allocator *allocator = &d->allocator;
  size_t elements = (size_t)mesh->element_count, edges = EDGES * elements;
  d->keys = pl_alloc(allocator, 2 * edges, sizeof *d->keys);
  d->sorted = pl_alloc(allocator, edges, sizeof *d->sorted);
  d->spare = pl_alloc(allocator, edges, sizeof *d->spare);
  d->starts = pl_alloc(allocator, (size_t)mesh->node_count + 1, sizeof *d->starts);
  d->middles = pl_alloc(allocator, edges, sizeof *d->middles);
  d->elements = pl_alloc(allocator, 4 * PL_OCTET_TETS * elements, sizeof *d->elements);
  d->octets = pl_alloc(allocator, PL_OCTET_NODES * elements, sizeof *d->octets);
  d->sets = pl_alloc(allocator, (size_t)mesh->set_count, sizeof *d->sets);
  int ok = d->keys && d->sorted && d->spare && d->starts && d->middles && d->elements &&
           d->octets && d->sets;
  return ok ? PL_OK : pl_fail_memory(error);
}

static void release(division *d)
{
  void *all[] = {d->keys,  d->sorted, d->spare,    d->starts, d->middles, d->ends,
                 d->outer, d->nodes,  d->elements, d->octets, d->ids,     d->sets};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(&d->allocator, all[i]);
}

/* Sorts the edges of all elements by their ends. */
static void sort_edges(division *d)
{
  const pl_mesh *mesh = d->mesh;
  int edges = EDGES * mesh->element_count;
  for (int i = 0; i < edges; i++) {
    const int *nodes = mesh->elements + 4 * (i / EDGES), *edge = pl_tet_edges[i % EDGES];
    int a = nodes[edge[0]], b = nodes[edge[1]];
    d->keys[2 * i] = a < b ? a : b;
    d->keys[2 * i + 1] = a < b ? b : a;
    d->spare[i] = i;
  }
  pl_sort_pass(edges, d->keys + 1, 2, mesh->node_count, d->starts, d->spare, d->sorted);
  pl_sort_pass(edges, d->keys, 2, mesh->node_count, d->starts, d->sorted, d->spare);
}

/* Numbers the midpoints behind the nodes, equal edges alike. */
static pl_status number_middles(division *d, pl_error *error)
{
  const pl_mesh *mesh = d->mesh;
  int edges = EDGES * mesh->element_count;
  for (int i = 0; i < edges; i++) {
    const int *key = d->keys + 2 * d->spare[i], *before = i ? d->keys + 2 * d->spare[i - 1] : NULL;
    d->edge_count += !before || key[0] != before[0] || key[1] != before[1];
    d->middles[d->spare[i]] = mesh->node_count + d->edge_count - 1;
  }
  int64_t nodes = (int64_t)mesh->node_count + d->edge_count;
  pl_status status =
      pl_mesh_check_limits(nodes, (int64_t)PL_OCTET_TETS * mesh->element_count, error);
  if (status) return status;
  d->ends = pl_alloc(&d->allocator, 2 * (size_t)d->edge_count, sizeof *d->ends);
  d->outer = pl_alloc(&d->allocator, (size_t)d->edge_count, 1);
  d->nodes = pl_alloc(&d->allocator, 3 * (size_t)nodes, sizeof *d->nodes);
  if (!d->ends || !d->outer || !d->nodes) return pl_fail_memory(error);
  for (int i = 0; i < edges; i++)
    memcpy(d->ends + 2 * (d->middles[i] - mesh->node_count), d->keys + 2 * i, 2 * sizeof(int));
  return PL_OK;
}

static void place_nodes(division *d)
{
  size_t count = 3 * (size_t)d->mesh->node_count;
  memcpy(d->nodes, d->mesh->nodes, count * sizeof *d->nodes);
  for (int i = 0; i < d->edge_count; i++) {
    const double *a = d->mesh->nodes + 3 * d->ends[2 * i];
    const double *b = d->mesh->nodes + 3 * d->ends[2 * i + 1];
    double *middle = d->nodes + count + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (a[k] + b[k]);
    const double *known = pl_mesh_find_middle(d->mesh, d->ends + 2 * i);
    if (known) memcpy(middle, known, 3 * sizeof *middle);
    if (d->middle) d->middle(d->values, d->ends + 2 * i, middle);
  }
}

/* Appends a tetrahedron, turned to positive volume. */
static int *add_tet(const division *d, int *to, int a, int b, int c, int e)
{
  const int given[4] = {a, b, c, e};
  memcpy(to, given, sizeof given);
  if (pl_element_volume(d->nodes, to, 4) < 0) {
    to[2] = e;
    to[3] = c;
  }
  return to + 4;
}

/* The midpoint between two local corners of an octet. */
static int middle_of(const int *octet, int a, int b)
{
  int edge = 0;
  while (!((pl_tet_edges[edge][0] == a && pl_tet_edges[edge][1] == b) ||
           (pl_tet_edges[edge][0] == b && pl_tet_edges[edge][1] == a)))
    edge++;
  return octet[4 + edge];
}

static double diagonal_square(const division *d, const int *octet, const int *s)
{
  const double *a = d->nodes + 3 * (size_t)middle_of(octet, s[0], s[2]);
  const double *b = d->nodes + 3 * (size_t)middle_of(octet, s[1], s[3]);
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* Orders the corners so that the diagonal goes from the midpoint of 02 to that of 13. */
static void choose_diagonal(const division *d, const int *octet, int *s)
{
  const int sorted[4] = {octet[s[0]], octet[s[1]], octet[s[2]], octet[s[3]]};
  int swap = pl_element_volume(d->nodes, sorted, 4) > 0;
  const int order[3][4] = {{s[0], s[1], s[swap ? 3 : 2], s[swap ? 2 : 3]},
                           {s[0], s[swap ? 3 : 2], s[1], s[swap ? 2 : 3]},
                           {s[0], s[1], s[swap ? 2 : 3], s[swap ? 3 : 2]}};
  int best = 0;
  for (int i = 1; i < 3; i++) {
    // as short but for rounding: the first
    double limit = (1 - 1e-6) * diagonal_square(d, octet, order[best]);
    if (diagonal_square(d, octet, order[i]) < limit) best = i;
  }
  memcpy(s, order[best], sizeof order[best]);
}

static void divide_one(division *d, int element)
{
  int *octet = d->octets + PL_OCTET_NODES * (size_t)element, s[4];
  int *to = d->elements + 4 * PL_OCTET_TETS * (size_t)element;
  memcpy(octet, d->mesh->elements + 4 * (size_t)element, 4 * sizeof *octet);
  memcpy(octet + 4, d->middles + EDGES * (size_t)element, EDGES * sizeof *octet);
  for (int a = 0; a < 4; a++) {
    int m[3], count = 0, rank = 0;
    for (int b = 0; b < 4; b++) {
      if (b != a) m[count++] = middle_of(octet, a, b);
      rank += octet[b] < octet[a];
    }
    s[rank] = a;
    to = add_tet(d, to, octet[a], m[0], m[1], m[2]);
  }
  // around the diagonal of the octahedron
  choose_diagonal(d, octet, s);
  static const int around[5][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1}};
  int low = middle_of(octet, s[0], s[2]), high = middle_of(octet, s[1], s[3]);
  for (int i = 0; i < 4; i++)
    to = add_tet(d, to, low, high, middle_of(octet, s[around[i][0]], s[around[i][1]]),
                 middle_of(octet, s[around[i + 1][0]], s[around[i + 1][1]]));
}

/* Nodes on curved edges must leave the pieces at the corners on the same side as straight ones. */
static pl_status check_curved(const division *d, pl_error *error)
{
  for (int i = 0; i < 4 * d->mesh->element_count; i++) {
    const int *octet = d->octets + PL_OCTET_NODES * (size_t)(i / 4);
    int whole[4] = {octet[i % 4]}, piece[4] = {octet[i % 4]}, count = 1;
    for (int b = 0; b < 4; b++) {
      if (b == i % 4) continue;
      whole[count] = octet[b];
      piece[count++] = middle_of(octet, i % 4, b);
    }
    if (pl_element_volume(d->nodes, whole, 4) * pl_element_volume(d->nodes, piece, 4) > 0) continue;
    return pl_fail_entity(error, PL_E_MESH, i / 4,
                          "element %d is folded by the nodes on its edges; move these nearer to "
                          "the middles of straight edges",
                          i / 4);
  }
  return PL_OK;
}

/* Edges are sorted by their ends. */
static int compare(const int *a, const int *b)
{
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void mark_edge(division *d, int a, int b)
{
  const int key[2] = {a < b ? a : b, a < b ? b : a};
  int low = 0, high = d->edge_count - 1;
  while (low < high) {
    int at = low + (high - low) / 2;
    if (compare(d->ends + 2 * at, key) < 0)
      low = at + 1;
    else
      high = at;
  }
  d->outer[low] = 1;
}

static void mark_outer(division *d)
{
  for (int f = 0; f < d->mesh->face_count; f++) {
    const int *face = d->mesh->faces + 3 * f;
    for (int i = 0; i < 3; i++) mark_edge(d, face[i], face[(i + 1) % 3]);
  }
}

/* Adds a set's members to ids (NULL: only counts them); flags and border are per node. */
static int divide_nodes(const division *d, const pl_set *set, const unsigned char *border,
                        unsigned char *flags, int *ids)
{
  int count = set->count, only_border = 1;
  memset(flags, 0, (size_t)d->mesh->node_count);
  for (int i = 0; i < set->count; i++) {
    flags[set->ids[i]] = 1;
    only_border &= border[set->ids[i]];
    if (ids) ids[i] = set->ids[i];
  }
  for (int i = 0; i < d->edge_count; i++) {
    if (!flags[d->ends[2 * i]] || !flags[d->ends[2 * i + 1]] || (only_border && !d->outer[i]))
      continue;
    if (ids) ids[count] = d->mesh->node_count + i;
    count++;
  }
  return count;
}

static int divide_elements(const pl_set *set, int *ids)
{
  for (int i = 0; ids && i < PL_OCTET_TETS * set->count; i++)
    ids[i] = PL_OCTET_TETS * set->ids[i / PL_OCTET_TETS] + i % PL_OCTET_TETS;
  return PL_OCTET_TETS * set->count;
}

static pl_status divide_sets(division *d, pl_error *error)
{
  const pl_mesh *mesh = d->mesh;
  unsigned char *flags = pl_alloc(&d->allocator, 2 * (size_t)mesh->node_count, 1);
  if (!flags) return pl_fail_memory(error);
  unsigned char *border = flags + mesh->node_count;
  for (int i = 0; i < 3 * mesh->face_count; i++) border[mesh->faces[i]] = 1;
  size_t total = 0;
  for (int pass = 0; pass < 2; pass++) {
    int *ids = d->ids;
    for (int s = 0; s < mesh->set_count; s++) {
      const pl_set *from = &mesh->sets[s];
      int count = from->of_elements ? divide_elements(from, ids)
                                    : divide_nodes(d, from, border, flags, ids);
      d->sets[s] = (pl_set){from->name, from->of_elements, count, ids};
      if (ids) ids += count;
      total += (size_t)count;
    }
    if (!d->ids) d->ids = pl_alloc(&d->allocator, total, sizeof *d->ids);
    if (!d->ids) break;
  }
  pl_free(&d->allocator, flags);
  return d->ids ? PL_OK : pl_fail_memory(error);
}

static pl_status make_mesh(division *d, pl_mesh **out, pl_error *error)
{
  const pl_mesh_def def = {.node_count = d->mesh->node_count + d->edge_count,
                           .nodes = d->nodes,
                           .element_count = PL_OCTET_TETS * d->mesh->element_count,
                           .nodes_per_element = 4,
                           .elements = d->elements,
                           .set_count = d->mesh->set_count,
                           .sets = d->sets,
                           .allocator = &d->allocator};
  pl_status status = pl_mesh_create(&def, out, error);
  if (status) return status;
  size_t elements = (size_t)def.element_count;
  (*out)->element_octets = pl_alloc(&d->allocator, elements, sizeof(int));
  if (!(*out)->element_octets) return pl_fail_memory(error);
  for (int e = 0; e < def.element_count; e++) (*out)->element_octets[e] = e / PL_OCTET_TETS;
  status = pl_mesh_take_axes(*out, d->mesh->axes, (*out)->element_octets, error);
  if (status) return status;
  (*out)->octets = d->octets;
  (*out)->octet_count = d->mesh->element_count;
  (*out)->flipped_elements = d->mesh->flipped_elements;
  (*out)->dropped_nodes = d->mesh->dropped_nodes;
  d->octets = NULL;
  return PL_OK;
}

pl_status pl_mesh_divide(const pl_mesh *mesh, pl_division way, const pl_allocator *allocator,
                         pl_mesh **out, pl_error *error)
{
  if (!out) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_divide needs a place for the mesh");
  return pl_mesh_divide_by(mesh, way, NULL, NULL, allocator, out, error);
}

pl_status pl_mesh_divide_by(const pl_mesh *mesh, pl_division way, pl_middle_of *middle,
                            const double *values, const pl_allocator *allocator, pl_mesh **out,
                            pl_error *error)
{
  *out = NULL;
  if (mesh->nodes_per_element != 4)
    return pl_fail(error, PL_E_ARGUMENT,
                   "only tetrahedra can be divided into octets, and the mesh has %s; remove "
                   "element=\"...\", or make it of tetrahedra",
                   pl_mesh_shape_name(mesh));
  if (mesh->quadratic)
    return pl_fail(error, PL_E_ARGUMENT, "the mesh consists of quadratic tetrahedra already");
  if (mesh->element_count > PL_MOST_ELEMENTS / PL_OCTET_TETS)
    return pl_mesh_check_limits(0, (int64_t)PL_OCTET_TETS * mesh->element_count, error);
  division d = {.mesh = mesh,
                .middle = middle,
                .values = values,
                .allocator = pl_allocator_or_default(allocator)};
  pl_status status = allocate(&d, error);
  if (!status) sort_edges(&d);
  if (!status) status = number_middles(&d, error);
  if (!status) {
    place_nodes(&d);
    for (int e = 0; e < mesh->element_count; e++) divide_one(&d, e);
    mark_outer(&d);
    if (mesh->middles.count) status = check_curved(&d, error);
  }
  if (!status) status = divide_sets(&d, error);
  if (!status) status = make_mesh(&d, out, error);
  release(&d);
  if (!status) (*out)->quadratic = way == PL_DIVIDE_TET10;
  if (status) pl_mesh_destroy(*out);
  if (status) *out = NULL;
  return status;
}

pl_status pl_mesh_take_octets(pl_mesh *mesh, const pl_mesh *from, const int *node_number,
                              const int *element_number, pl_error *error)
{
  if (!from->octet_count) return PL_OK;
  size_t octets = (size_t)from->octet_count, elements = (size_t)mesh->element_count;
  mesh->octets = pl_alloc(&mesh->allocator, PL_OCTET_NODES * octets, sizeof *mesh->octets);
  mesh->element_octets = pl_alloc(&mesh->allocator, elements, sizeof *mesh->element_octets);
  int *place = pl_alloc(&mesh->allocator, octets, sizeof *place), count = 0;
  int ok = mesh->octets && mesh->element_octets && place;
  for (size_t e = 0; ok && e < elements; e++)
    mesh->element_octets[element_number ? element_number[e] : (int)e] = from->element_octets[e];
  // octets in the order of their first elements, so that neighbours stay near
  for (size_t e = 0; ok && e < elements; e++) {
    int *octet = &mesh->element_octets[e], old = *octet;
    if (!place[old]) place[old] = ++count;
    *octet = place[old] - 1;
    const int *nodes = from->octets + PL_OCTET_NODES * old;
    for (int i = 0; i < PL_OCTET_NODES; i++)
      mesh->octets[PL_OCTET_NODES * *octet + i] = node_number ? node_number[nodes[i]] : nodes[i];
  }
  pl_free(&mesh->allocator, place);
  if (!ok) return pl_fail_memory(error);
  mesh->octet_count = from->octet_count;
  mesh->quadratic = from->quadratic;
  return PL_OK;
}

void pl_mesh_mark_middles(const pl_mesh *mesh, unsigned char *middle)
{
  memset(middle, 0, (size_t)mesh->node_count);
  for (int i = 0; i < PL_OCTET_NODES * mesh->octet_count; i++) {
    if (i % PL_OCTET_NODES >= 4) middle[mesh->octets[i]] = 1;
  }
}
