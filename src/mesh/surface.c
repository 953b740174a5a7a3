/* The boundary: faces that belong to one element only.
 *
 * All faces of all elements are sorted by their node numbers: dealt out by the lowest of them, then
 * sorted within (by a heap where there are many, so that no mesh can make it slow); equal ones then
 * stand side by side. The numbers themselves are not kept, since of all that is made with a mesh
 * this takes most memory. Two elements at a face must lie on its two sides: they list its nodes in
 * opposite directions. */
#include "mesh/surface.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

typedef struct face_list {
  const pl_mesh *mesh;
  int per_element, width; /* faces of an element, nodes of a face */
  int count;
  int *order;            /* the faces in sorted order */
  int *starts;           /* work of the sort */
  unsigned char *shared; /* 1: the face has two elements, 2: it lies on or under others */
} face_list;

void pl_sort_pass(int count, const int *keys, int stride, int buckets, int *starts, const int *from,
                  int *to)
{
  memset(starts, 0, ((size_t)buckets + 1) * sizeof *starts);
  for (int i = 0; i < count; i++) starts[keys[(size_t)stride * (size_t)i] + 1]++;
  for (int i = 0; i < buckets; i++) starts[i + 1] += starts[i];
  for (int i = 0; i < count; i++) {
    int item = from[i];
    to[starts[keys[(size_t)stride * (size_t)item]]++] = item;
  }
}

/* The node numbers of a face, turned outwards. */
static void face_nodes(const face_list *list, int face, int *nodes)
{
  int element = face / list->per_element, local = face % list->per_element;
  const int *corners =
      list->mesh->elements + (size_t)element * (size_t)list->mesh->nodes_per_element;
  const int *which = list->width == 3 ? pl_tet_faces[local] : pl_hex_faces[local];
  for (int i = 0; i < list->width; i++) nodes[i] = corners[which[i]];
}

static void sort_few(int *numbers, int count)
{
  for (int i = 1; i < count; i++) {
    int number = numbers[i], j = i;
    for (; j > 0 && numbers[j - 1] > number; j--) numbers[j] = numbers[j - 1];
    numbers[j] = number;
  }
}

/* Its nodes, ascending. */
static void key_of(const face_list *list, int face, int *key)
{
  face_nodes(list, face, key);
  sort_few(key, list->width);
}

static int compare_keys(const int *a, const int *b, int width)
{
  for (int k = 0; k < width; k++) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}

typedef struct keyed {
  int key[4], face;
} keyed;

/* By their nodes, equal ones by their numbers. */
static int is_before(const face_list *list, const keyed *a, const keyed *b)
{
  int order = compare_keys(a->key, b->key, list->width);
  return order ? order < 0 : a->face < b->face;
}

static keyed keyed_face(const face_list *list, int face)
{
  keyed out = {.face = face};
  key_of(list, face, out.key);
  return out;
}

enum { FEW = 64 };

static void insert_few(const face_list *list, int *faces, int count)
{
  keyed sorted[FEW];
  for (int i = 0; i < count; i++) {
    keyed own = keyed_face(list, faces[i]);
    int j = i;
    for (; j > 0 && is_before(list, &own, &sorted[j - 1]); j--) sorted[j] = sorted[j - 1];
    sorted[j] = own;
  }
  for (int i = 0; i < count; i++) faces[i] = sorted[i].face;
}

/* Lets the face at a place of a heap sink to where it belongs. */
static void sink(const face_list *list, int *faces, int place, int count)
{
  const keyed own = keyed_face(list, faces[place]);
  for (int child = 2 * place + 1; child < count; child = 2 * place + 1) {
    keyed first = keyed_face(list, faces[child]);
    if (child + 1 < count) {
      keyed second = keyed_face(list, faces[child + 1]);
      if (is_before(list, &first, &second)) {
        first = second;
        child++;
      }
    }
    if (!is_before(list, &own, &first)) break;
    faces[place] = first.face;
    place = child;
  }
  faces[place] = own.face;
}

static void sort_faces(const face_list *list, int *faces, int count)
{
  if (count <= FEW) {
    insert_few(list, faces, count);
    return;
  }
  for (int i = count / 2; i-- > 0;) sink(list, faces, i, count);
  for (int last = count - 1; last > 0; last--) {
    int largest = faces[0];
    faces[0] = faces[last];
    faces[last] = largest;
    sink(list, faces, 0, last);
  }
}

static int lowest_node(const face_list *list, int face)
{
  int nodes[4];
  face_nodes(list, face, nodes);
  for (int i = 1; i < list->width; i++) nodes[0] = nodes[i] < nodes[0] ? nodes[i] : nodes[0];
  return nodes[0];
}

static pl_status list_faces(face_list *list, pl_error *error)
{
  const pl_allocator *allocator = &list->mesh->allocator;
  size_t count = (size_t)list->count;
  int nodes = list->mesh->node_count, *starts, from = 0;
  list->order = pl_alloc(allocator, count, sizeof *list->order);
  list->starts = starts = pl_alloc(allocator, (size_t)nodes + 1, sizeof *starts);
  list->shared = pl_alloc(allocator, count, sizeof *list->shared);
  if (!list->order || !starts || !list->shared) return pl_fail_memory(error);
  for (int i = 0; i < list->count; i++) starts[lowest_node(list, i) + 1]++;
  for (int i = 0; i < nodes; i++) starts[i + 1] += starts[i];
  for (int i = 0; i < list->count; i++) list->order[starts[lowest_node(list, i)]++] = i;
  // each start has become the end
  for (int i = 0; i < nodes; from = starts[i++])
    sort_faces(list, list->order + from, starts[i] - from);
  return PL_OK;
}

static int same_key(const face_list *list, int a, int b)
{
  int first[4], second[4];
  key_of(list, a, first);
  key_of(list, b, second);
  return compare_keys(first, second, list->width) == 0;
}

/* 1 if the two faces go around the same nodes in the same direction, -1 in opposite directions, 0
 * if their nodes are joined in another order. */
static int compare_turn(const face_list *list, int a, int b)
{
  int first[4], second[4], at = 0, same = 1, opposite = 1, width = list->width;
  face_nodes(list, a, first);
  face_nodes(list, b, second);
  while (second[at] != first[0]) at++;
  for (int i = 0; i < width; i++) {
    same &= first[i] == second[(at + i) % width];
    opposite &= first[i] == second[(at + width - i) % width];
  }
  return same ? 1 : opposite ? -1 : 0;
}

/* Looks at the faces from order[start] on that have equal nodes; returns where the next ones start.
 */
static pl_status join(face_list *list, int start, int *end, pl_error *error)
{
  const int *order = list->order;
  int stop = start + 1;
  while (stop < list->count && same_key(list, order[start], order[stop])) stop++;
  *end = stop;
  if (stop - start == 1) return PL_OK;

  int a = order[start] / list->per_element, b = order[start + 1] / list->per_element;
  if (stop - start > 2)
    return pl_fail_entity(error, PL_E_MESH, a,
                          "the elements %d, %d and %d share one face; only two can", a, b,
                          order[start + 2] / list->per_element);
  int turn = compare_turn(list, order[start], order[start + 1]);
  if (turn > 0)
    return pl_fail_entity(error, PL_E_MESH, a,
                          "the elements %d and %d overlap: they lie on the same side of the face "
                          "they share",
                          a, b);
  if (turn == 0)
    return pl_fail_entity(error, PL_E_MESH, a,
                          "the elements %d and %d join the nodes of their common face in "
                          "different order",
                          a, b);
  list->shared[order[start]] = list->shared[order[start + 1]] = 1;
  return PL_OK;
}

/* ---- small faces on large ones ---- */

/* The corners of the face that a face's hanging nodes span, ascending; 0 if there are not just four
 * of them, or no node hangs. parents: of each node 1 + its place in the mesh's list, or 0. */
static int spanned_face(const face_list *list, const int *parents, int face, int key[4])
{
  int nodes[4], count = 0, hangs = 0;
  key_of(list, face, nodes);
  for (int i = 0; i < 4; i++) {
    const pl_hanging_node *hanging =
        parents[nodes[i]] ? &list->mesh->hanging[parents[nodes[i]] - 1] : NULL;
    hangs |= hanging != NULL;
    for (int j = 0; j < (hanging ? hanging->count : 1); j++) {
      int node = hanging ? hanging->parents[j] : nodes[i], k = 0;
      while (k < count && key[k] != node) k++;
      if (k < count) continue;
      if (count == 4) return 0;
      key[count++] = node;
    }
  }
  sort_few(key, count);
  return hangs && count == 4;
}

/* The face of one element with these nodes, -1 if there is none. */
static int find_face(const face_list *list, const int key[4])
{
  int low = 0, high = list->count;
  while (low < high) {
    int middle = low + (high - low) / 2, at[4];
    key_of(list, list->order[middle], at);
    int order = compare_keys(at, key, 4);
    if (!order) return list->shared[list->order[middle]] == 1 ? -1 : list->order[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

/* Faces that lie on a larger one across hanging nodes belong to the inside, as does that one. */
static pl_status cover(face_list *list, pl_error *error)
{
  const pl_mesh *mesh = list->mesh;
  int *parents = pl_alloc(&mesh->allocator, (size_t)mesh->node_count, sizeof *parents);
  if (!parents) return pl_fail_memory(error);
  for (int h = 0; h < mesh->hanging_count; h++) parents[mesh->hanging[h].node] = h + 1;
  for (int i = 0; i < list->count; i++) {
    int key[4];
    if (list->shared[i] == 1 || !spanned_face(list, parents, i, key)) continue;
    int large = find_face(list, key);
    if (large >= 0 && large != i) list->shared[i] = list->shared[large] = 2;
  }
  pl_free(&mesh->allocator, parents);
  return PL_OK;
}

/* Keeps the faces of one element, in the order of the elements. */
static pl_status keep_boundary(const face_list *list, pl_mesh *mesh, pl_error *error)
{
  int count = 0;
  for (int i = 0; i < list->count; i++) count += !list->shared[i];
  size_t width = (size_t)list->width;
  mesh->faces = pl_alloc(&mesh->allocator, (size_t)count * width, sizeof *mesh->faces);
  mesh->face_elements = pl_alloc(&mesh->allocator, (size_t)count, sizeof *mesh->face_elements);
  if (!mesh->faces || !mesh->face_elements) return pl_fail_memory(error);
  mesh->nodes_per_face = list->width;
  for (int i = 0; i < list->count; i++) {
    if (list->shared[i]) continue;
    face_nodes(list, i, mesh->faces + width * (size_t)mesh->face_count);
    mesh->face_elements[mesh->face_count++] = i / list->per_element;
  }
  return PL_OK;
}

pl_status pl_mesh_boundary(const pl_mesh *mesh, const pl_allocator *allocator, pl_mesh **out,
                           pl_error *error)
{
  if (!out)
    return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_boundary needs a place for the triangles");
  *out = NULL;
  if (!mesh->face_count)
    return pl_fail(error, PL_E_ARGUMENT, "a mesh of %s has no surface", pl_mesh_shape_name(mesh));
  pl_allocator own = pl_allocator_or_default(allocator);
  int width = mesh->nodes_per_face, pieces = width - 2;
  size_t count = (size_t)mesh->face_count * (size_t)pieces;
  int *triangles = pl_alloc(&own, 3 * count, sizeof *triangles);
  if (!triangles) return pl_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    const int *face = mesh->faces + (size_t)width * (i / (size_t)pieces);
    int k = 1 + (int)(i % (size_t)pieces), corners[3] = {face[0], face[k], face[k + 1]};
    memcpy(triangles + 3 * i, corners, sizeof corners);
  }
  pl_status status = pl_mesh_create(&(pl_mesh_def){.node_count = mesh->node_count,
                                                   .nodes = mesh->nodes,
                                                   .element_count = (int)count,
                                                   .nodes_per_element = 3,
                                                   .elements = triangles,
                                                   .allocator = &own},
                                    out, error);
  pl_free(&own, triangles);
  return status;
}

/* Triangles are their own surface. */
static pl_status copy_triangles(pl_mesh *mesh, pl_error *error)
{
  size_t count = (size_t)mesh->element_count;
  mesh->faces = pl_alloc(&mesh->allocator, 3 * count, sizeof *mesh->faces);
  mesh->face_elements = pl_alloc(&mesh->allocator, count, sizeof *mesh->face_elements);
  if (!mesh->faces || !mesh->face_elements) return pl_fail_memory(error);
  mesh->face_count = mesh->element_count;
  memcpy(mesh->faces, mesh->elements, 3 * count * sizeof *mesh->faces);
  for (int i = 0; i < mesh->element_count; i++) mesh->face_elements[i] = i;
  return PL_OK;
}

pl_status pl_mesh_find_surface(pl_mesh *mesh, pl_error *error)
{
  mesh->nodes_per_face = 3;
  if (mesh->nodes_per_element == 2) return PL_OK; // segments have no surface
  if (mesh->nodes_per_element == 3) return copy_triangles(mesh, error);
  int hex = mesh->nodes_per_element == 8;
  face_list list = {.mesh = mesh, .per_element = hex ? 6 : 4, .width = hex ? 4 : 3};
  list.count = mesh->element_count * list.per_element;
  pl_status status = list_faces(&list, error);
  for (int i = 0; !status && i < list.count;) status = join(&list, i, &i, error);
  if (!status && hex && mesh->hanging_count) status = cover(&list, error);
  if (!status) status = keep_boundary(&list, mesh, error);
  pl_free(&mesh->allocator, list.order);
  pl_free(&mesh->allocator, list.starts);
  pl_free(&mesh->allocator, list.shared);
  return status;
}
