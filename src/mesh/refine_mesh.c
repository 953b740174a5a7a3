/* The leaves of a forest as a mesh, and the closure around hanging nodes.
 *
 * A leaf on whose edges nodes hang is cut so that its faces agree with what its neighbours make of
 * them: a face with one such node is halved, with two it is cut into a corner and a quadrilateral
 * (whose diagonal starts at the end with the lower number), with three into four. Where one face
 * has all hanging nodes, its parts are joined to the corner opposite; else all parts of all faces
 * to a new node in the middle. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/axes.h"
#include "mesh/element.h"
#include "mesh/fill.h"
#include "mesh/refine.h"

#include <string.h>

typedef struct harvest {
  const pl_forest *forest;
  pl_heap heap;
  int *numbers;  /* of the nodes in the mesh, -1: not there */
  int *elements; /* of the coarsest mesh, for each element   */
  size_t room;
} harvest;

static void add(harvest *h, int element, int a, int b, int c, int d)
{
  int nodes[4] = {a, b, c, d};
  if (h->heap.failed) return;
  if (pl_element_volume(h->heap.nodes, nodes, 4) < 0) {
    nodes[2] = d;
    nodes[3] = c;
  }
  void *elements = h->elements;
  if (pl_reserve(&h->heap.allocator, &elements, &h->room, h->heap.element_count + 1,
                 sizeof *h->elements)) {
    h->heap.failed = 1;
    return;
  }
  h->elements = elements;
  h->elements[h->heap.element_count] = element;
  pl_heap_element(&h->heap, nodes);
}

/* The triangles of a face with corners n[3] and the nodes m[i] between n[i] and n[i + 1], or -1. */
static int cut_face(const int n[3], const int m[3], int triangles[4][3])
{
  int hanging = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
  int first = 0; // the corner behind which the only hanging node, or the only whole edge, comes
  while (hanging % 3 && (m[first] >= 0) != (hanging == 1)) first++;
  int a = n[first], b = n[(first + 1) % 3], c = n[(first + 2) % 3];
  int ab = m[first], bc = m[(first + 1) % 3], ca = m[(first + 2) % 3];
  const int whole[][3] = {{a, b, c}};
  const int halves[][3] = {{a, ab, c}, {ab, b, c}};
  const int from_a[][3] = {{ca, bc, c}, {a, b, bc}, {a, bc, ca}};
  const int from_b[][3] = {{ca, bc, c}, {a, b, ca}, {b, bc, ca}};
  const int four[][3] = {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}};
  const int(*chosen)[3] = hanging == 0   ? whole
                          : hanging == 1 ? halves
                          : hanging == 3 ? four
                          : a < b        ? from_a
                                         : from_b;
  memcpy(triangles, chosen, (size_t)(hanging + 1) * sizeof *triangles);
  return hanging + 1;
}

/* The node that hangs on an edge of a leaf, in the mesh's numbers, or -1. */
static int hanging_at(const harvest *h, const pl_forest_tet *tet, int a, int b)
{
  for (int i = 0; i < 6; i++) {
    const int *ends = pl_tet_edges[i];
    if ((ends[0] != a || ends[1] != b) && (ends[0] != b || ends[1] != a)) continue;
    int middle = h->forest->edges[tet->edges[i]].middle;
    return middle >= 0 ? h->numbers[middle] : -1;
  }
  return -1;
}

/* Cuts a leaf with hanging nodes: from the corner opposite to the face that has them all, or from a
 * new node in the middle. */
static void add_cut(harvest *h, const pl_forest_tet *tet, int hanging)
{
  int nodes[4], triangles[4][4][3], counts[4], face = -1, apex;
  for (int i = 0; i < 4; i++) nodes[i] = h->numbers[tet->nodes[i]];
  for (int f = 0; f < 4; f++) {
    int n[3], m[3];
    for (int i = 0; i < 3; i++) {
      int a = pl_tet_faces[f][i], b = pl_tet_faces[f][(i + 1) % 3];
      n[i] = nodes[a];
      m[i] = hanging_at(h, tet, a, b);
    }
    counts[f] = cut_face(n, m, triangles[f]);
    if (counts[f] == hanging + 1) face = f;
  }
  if (face >= 0) {
    // the corners' places in the tetrahedron add up to 6
    const int *on = pl_tet_faces[face];
    apex = nodes[6 - on[0] - on[1] - on[2]];
  } else {
    double place[3] = {0};
    for (int i = 0; i < 4; i++)
      pl_vec3_add_scaled(0.25, h->forest->nodes[tet->nodes[i]].place, place);
    apex = pl_heap_node(&h->heap, place);
  }
  for (int f = 0; f < 4; f++) {
    for (int t = 0; t < counts[f] && (face < 0 || f == face); t++)
      add(h, tet->element, apex, triangles[f][t][0], triangles[f][t][1], triangles[f][t][2]);
  }
}

static void add_leaves(harvest *h, int closed)
{
  const pl_forest *f = h->forest;
  for (size_t i = 0; i < f->node_count; i++)
    h->numbers[i] = f->nodes[i].uses > 0 ? pl_heap_node(&h->heap, f->nodes[i].place) : -1;
  for (int t = 0; t < (int)f->tet_count && !h->heap.failed; t++) {
    const pl_forest_tet *tet = &f->tets[t];
    if (!pl_forest_is_leaf(f, t)) continue;
    int hanging = 0;
    for (int i = 0; i < 6; i++) {
      int middle = f->edges[tet->edges[i]].middle;
      hanging += middle >= 0 && f->nodes[middle].uses > 0;
    }
    const int *n = tet->nodes;
    if (closed && hanging)
      add_cut(h, tet, hanging);
    else
      add(h, tet->element, h->numbers[n[0]], h->numbers[n[1]], h->numbers[n[2]], h->numbers[n[3]]);
  }
}

/* ---- sets ---- */

/* The nodes or elements of the new mesh that belong to a set of the old one; ids may be NULL to
 * count them. in has room for every node of the forest. */
static int follow_set(const harvest *h, const pl_set *set, unsigned char *in, int *ids)
{
  const pl_forest *f = h->forest;
  int count = 0;
  if (set->of_elements) {
    memset(in, 0, (size_t)f->mesh->element_count);
    for (int i = 0; i < set->count; i++) in[set->ids[i]] = 1;
    for (size_t e = 0; e < h->heap.element_count; e++) {
      if (!in[h->elements[e]]) continue;
      if (ids) ids[count] = (int)e;
      count++;
    }
    return count;
  }
  memset(in, 0, f->node_count);
  for (int i = 0; i < set->count; i++) in[set->ids[i]] = 1;
  for (size_t n = 0; n < f->node_count; n++) {
    const int *parents = f->nodes[n].parents;
    if (parents[0] >= 0) in[n] = in[parents[0]] && in[parents[1]];
    if (!in[n] || h->numbers[n] < 0) continue;
    if (ids) ids[count] = h->numbers[n];
    count++;
  }
  return count;
}

/* Makes the mesh with its sets; all that was taken is given back. */
static pl_status finish(harvest *h, pl_mesh **mesh, pl_error *error)
{
  const pl_mesh *coarse = h->forest->mesh;
  const pl_allocator *allocator = &h->heap.allocator;
  size_t things = h->forest->node_count + (size_t)coarse->element_count, total = 0, at = 0;
  unsigned char *in = pl_alloc(allocator, things, 1);
  pl_set *sets = pl_alloc(allocator, (size_t)coarse->set_count, sizeof *sets);
  pl_status status = in && sets && !h->heap.failed ? PL_OK : pl_fail_memory(error);
  for (int i = 0; !status && i < coarse->set_count; i++) {
    sets[i] = coarse->sets[i];
    sets[i].count = follow_set(h, &coarse->sets[i], in, NULL);
    total += (size_t)sets[i].count;
  }
  int *ids = status ? NULL : pl_alloc(allocator, total, sizeof *ids);
  if (!status && !ids) status = pl_fail_memory(error);
  for (int i = 0; !status && i < coarse->set_count; i++) {
    follow_set(h, &coarse->sets[i], in, ids + at);
    sets[i].ids = ids + at;
    at += (size_t)sets[i].count;
  }
  if (!status)
    status = pl_mesh_create(&(pl_mesh_def){.node_count = (int)h->heap.node_count,
                                           .nodes = h->heap.nodes,
                                           .element_count = (int)h->heap.element_count,
                                           .nodes_per_element = 4,
                                           .elements = h->heap.elements,
                                           .set_count = coarse->set_count,
                                           .sets = sets,
                                           .allocator = allocator},
                            mesh, error);
  if (!status) status = pl_mesh_add_axes(mesh, coarse->axes, h->elements, error);
  pl_free(allocator, in);
  pl_free(allocator, sets);
  pl_free(allocator, ids);
  return status;
}

pl_status pl_forest_mesh(const pl_forest *forest, int closed, int *numbers,
                         const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  harvest h = {.forest = forest,
               .heap = {.allocator = pl_allocator_or_default(allocator), .nodes_per_element = 4}};
  h.numbers = pl_alloc(&h.heap.allocator, forest->node_count, sizeof *h.numbers);
  pl_status status = h.numbers ? PL_OK : pl_fail_memory(error);
  if (!status) {
    add_leaves(&h, closed);
    status = finish(&h, mesh, error);
  }
  if (!status && numbers) memcpy(numbers, h.numbers, forest->node_count * sizeof *numbers);
  pl_free(&h.heap.allocator, h.numbers);
  pl_free(&h.heap.allocator, h.elements);
  pl_free(&h.heap.allocator, h.heap.nodes);
  pl_free(&h.heap.allocator, h.heap.elements);
  return status;
}
