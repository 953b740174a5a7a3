/* Making a mesh from arrays: everything is checked, elements are turned to positive volume, nodes
 * that no element uses are dropped, the boundary is found. */
#include "mesh/mesh.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/axes.h"
#include "mesh/element.h"
#include "mesh/grid.h"
#include "mesh/quads.h"
#include "mesh/surface.h"

#include <math.h>
#include <string.h>

/* An element is flat if its least height is below this part of its longest edge. */
static const double FLAT = 1e-12;

/* Beyond this, volumes would leave the range of a double. */
static const double FARTHEST = 1e100;

pl_status pl_mesh_check_limits(int64_t node_count, int64_t element_count, pl_error *error)
{
  if (node_count > PL_MOST_NODES)
    return pl_fail(error, PL_E_LIMIT,
                   "the mesh has %lld nodes, more than the limit of %d; take larger cells",
                   (long long)node_count, PL_MOST_NODES);
  if (element_count > PL_MOST_ELEMENTS)
    return pl_fail(error, PL_E_LIMIT,
                   "the mesh has %lld elements, more than the limit of %d; take larger cells",
                   (long long)element_count, PL_MOST_ELEMENTS);
  return PL_OK;
}

/* The elements of the mesh: those given, and two for each quadrilateral. */
static int64_t element_total(const pl_mesh_def *def)
{
  return def->element_count + 2 * (int64_t)def->quad_count;
}

static pl_status check_def(const pl_mesh_def *def, pl_error *error)
{
  if (!def) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_create needs a pl_mesh_def");
  int n = def->nodes_per_element;
  if (n != 2 && n != 3 && n != 4 && n != 8)
    return pl_fail(error, PL_E_ARGUMENT,
                   "nodes_per_element = %d must be 2 (segments), 3 (triangles), 4 (tetrahedra) or "
                   "8 (hexahedra)",
                   n);
  if (def->node_count < 0 || def->element_count < 0 || def->set_count < 0)
    return pl_fail(error, PL_E_ARGUMENT, "a mesh cannot have %d nodes, %d elements and %d sets",
                   def->node_count, def->element_count, def->set_count);
  pl_status status = pl_quads_check(def, error);
  if (status) return status;
  if (element_total(def) == 0) return pl_fail(error, PL_E_MESH, "the mesh has no elements");
  if (def->node_count == 0) return pl_fail(error, PL_E_MESH, "the mesh has no nodes");
  if (!def->nodes || (def->element_count && !def->elements) || (def->set_count && !def->sets))
    return pl_fail(error, PL_E_ARGUMENT, "the mesh's arrays of nodes, elements or sets are NULL");
  return pl_mesh_check_limits(def->node_count, element_total(def), error);
}

static pl_status check_nodes(const pl_mesh_def *def, pl_error *error)
{
  for (int i = 0; i < def->node_count; i++) {
    for (int k = 0; k < 3; k++) {
      double x = def->nodes[3 * (size_t)i + (size_t)k];
      if (!isfinite(x))
        return pl_fail_entity(error, PL_E_MESH, i, "node %d has the coordinate %c = %g", i,
                              "xyz"[k], x);
      if (fabs(x) > FARTHEST)
        return pl_fail_entity(error, PL_E_MESH, i,
                              "node %d has the coordinate %c = %g, beyond %g m", i, "xyz"[k], x,
                              FARTHEST);
    }
  }
  return PL_OK;
}

static pl_status check_numbers(const pl_mesh_def *def, int element, pl_error *error)
{
  int n = def->nodes_per_element;
  const int *nodes = def->elements + (size_t)n * (size_t)element;
  for (int i = 0; i < n; i++) {
    if (nodes[i] < 0 || nodes[i] >= def->node_count)
      return pl_fail_entity(error, PL_E_MESH, element,
                            "element %d refers to node %d, but the nodes are 0 to %d", element,
                            nodes[i], def->node_count - 1);
    for (int j = 0; j < i; j++) {
      if (nodes[i] == nodes[j])
        return pl_fail_entity(error, PL_E_MESH, element, "element %d uses node %d twice", element,
                              nodes[i]);
    }
  }
  return PL_OK;
}

static void swap(int *a, int *b)
{
  int old = *a;
  *a = *b;
  *b = old;
}

/* Mirrors the order of an element's nodes: a hexahedron's top becomes its bottom. */
static void mirror(int *nodes, int nodes_per_element)
{
  if (nodes_per_element == 4) {
    swap(&nodes[2], &nodes[3]);
  } else {
    for (int i = 0; i < 4; i++) swap(&nodes[i], &nodes[i + 4]);
  }
}

/* Refuses a flat or folded element and turns an inverted one. */
static pl_status orient(const pl_mesh_def *def, int element, int *nodes, int *flipped,
                        pl_error *error)
{
  int n = def->nodes_per_element, corner;
  double corners[8][3];
  pl_element_corners(def->nodes, nodes, n, corners);
  double shape = pl_corners_shape(corners, n, &corner);
  if (shape < 0) {
    mirror(nodes, n);
    ++*flipped;
  }
  if (fabs(shape) > FLAT) return PL_OK;
  if (n == 8)
    return pl_fail_entity(error, PL_E_MESH, element,
                          "element %d is flat or folded at its corner %d (node %d); a "
                          "hexahedron's nodes go around its bottom, then above them",
                          element, corner, nodes[corner]);
  if (n == 2)
    return pl_fail_entity(error, PL_E_MESH, element,
                          "element %d has no length: its nodes stand in one place", element);
  if (n == 3)
    return pl_fail_entity(error, PL_E_MESH, element,
                          "element %d has no area: its nodes lie on a line", element);
  return pl_fail_entity(error, PL_E_MESH, element,
                        "element %d has no volume: its nodes lie in a plane", element);
}

static pl_status copy_elements(pl_mesh *mesh, const pl_mesh_def *def, pl_error *error)
{
  size_t n = (size_t)def->nodes_per_element, count = (size_t)def->element_count;
  mesh->elements = pl_alloc(&mesh->allocator, (size_t)mesh->element_count * n, sizeof(int));
  if (!mesh->elements) return pl_fail_memory(error);
  if (count) memcpy(mesh->elements, def->elements, count * n * sizeof *mesh->elements);
  for (int i = 0; i < def->element_count; i++) {
    pl_status status = check_numbers(def, i, error);
    if (!status)
      status = orient(def, i, mesh->elements + n * (size_t)i, &mesh->flipped_elements, error);
    if (status) return status;
  }
  return pl_quads_cut(mesh, def, error);
}

/* Numbers the nodes that elements use in their old order: number[old] = new, or -1. */
static void number_nodes(pl_mesh *mesh, const pl_mesh_def *def, int *number)
{
  size_t total = (size_t)mesh->element_count * (size_t)mesh->nodes_per_element;
  for (size_t i = 0; i < total; i++) number[mesh->elements[i]] = 1;
  for (int i = 0; i < def->node_count; i++) number[i] = number[i] ? mesh->node_count++ : -1;
  for (size_t i = 0; i < total; i++) mesh->elements[i] = number[mesh->elements[i]];
  for (int i = 0; i < 4 * mesh->quad_count; i++) mesh->quads[i] = number[mesh->quads[i]];
  mesh->dropped_nodes = def->node_count - mesh->node_count;
}

static pl_status copy_nodes(pl_mesh *mesh, const pl_mesh_def *def, const int *number,
                            pl_error *error)
{
  mesh->nodes = pl_alloc(&mesh->allocator, (size_t)mesh->node_count, 3 * sizeof *mesh->nodes);
  if (!mesh->nodes) return pl_fail_memory(error);
  for (int i = 0; i < def->node_count; i++) {
    if (number[i] >= 0)
      memcpy(mesh->nodes + 3 * (size_t)number[i], def->nodes + 3 * (size_t)i,
             3 * sizeof *mesh->nodes);
  }
  return PL_OK;
}

static pl_status check_set(const pl_mesh_def *def, const pl_set *set, pl_error *error)
{
  if (!set->name || !set->name[0])
    return pl_fail(error, PL_E_ARGUMENT, "set %d has no name", (int)(set - def->sets));
  if (set->count < 0 || (set->count && !set->ids))
    return pl_fail(error, PL_E_ARGUMENT, "the set \"%.80s\" cannot have %d members", set->name,
                   set->count);
  int max = set->of_elements ? (int)element_total(def) : def->node_count;
  for (int i = 0; i < set->count; i++) {
    if (set->ids[i] < 0 || set->ids[i] >= max)
      return pl_fail_entity(error, PL_E_MESH, set->ids[i],
                            "the set \"%.80s\" refers to %s %d, but they are 0 to %d", set->name,
                            set->of_elements ? "element" : "node", set->ids[i], max - 1);
  }
  return PL_OK;
}

/* Copies the sets without dropped nodes and repetitions; seen has room for every node and element.
 */
static void copy_sets(pl_mesh *mesh, const pl_mesh_def *def, const int *number, int *seen)
{
  int *ids = mesh->set_ids;
  char *names = mesh->set_names;
  for (int s = 0; s < def->set_count; s++) {
    const pl_set *from = &def->sets[s];
    size_t length = strlen(from->name) + 1;
    memcpy(names, from->name, length);
    mesh->sets[s] = (pl_set){names, from->of_elements != 0, 0, ids};
    names += length;
    int *mark = from->of_elements ? seen + def->node_count : seen;
    for (int i = 0; i < from->count; i++) {
      int id = from->of_elements ? from->ids[i] : number[from->ids[i]];
      if (id < 0 || mark[id] == s + 1) continue;
      mark[id] = s + 1;
      ids[mesh->sets[s].count++] = id;
    }
    ids += mesh->sets[s].count;
  }
}

static pl_status make_sets(pl_mesh *mesh, const pl_mesh_def *def, const int *number,
                           pl_error *error)
{
  size_t ids = 0, names = 0;
  for (int i = 0; i < def->set_count; i++) {
    pl_status status = check_set(def, &def->sets[i], error);
    if (status) return status;
    ids += (size_t)def->sets[i].count;
    names += strlen(def->sets[i].name) + 1;
  }
  size_t things = (size_t)def->node_count + (size_t)element_total(def);
  int *seen = pl_alloc(&mesh->allocator, things, sizeof *seen);
  mesh->sets = pl_alloc(&mesh->allocator, (size_t)def->set_count, sizeof *mesh->sets);
  mesh->set_ids = pl_alloc(&mesh->allocator, ids, sizeof *mesh->set_ids);
  mesh->set_names = pl_alloc(&mesh->allocator, names, 1);
  int ok = seen && mesh->sets && mesh->set_ids && mesh->set_names;
  if (ok) {
    mesh->set_count = def->set_count;
    copy_sets(mesh, def, number, seen);
  }
  pl_free(&mesh->allocator, seen);
  return ok ? PL_OK : pl_fail_memory(error);
}

static pl_status fill(pl_mesh *mesh, const pl_mesh_def *def, pl_error *error)
{
  pl_status status = check_nodes(def, error);
  if (!status) status = copy_elements(mesh, def, error);
  if (status) return status;

  int *number = pl_alloc(&mesh->allocator, (size_t)def->node_count, sizeof *number);
  if (!number) return pl_fail_memory(error);
  number_nodes(mesh, def, number);
  status = copy_nodes(mesh, def, number, error);
  if (!status) status = make_sets(mesh, def, number, error);
  if (!status) status = pl_mesh_copy_hanging(mesh, def, number, error);
  if (!status && !def->quad_count) status = pl_mesh_take_axes(mesh, def->axes, NULL, error);
  pl_free(&mesh->allocator, number);
  return status ? status : pl_mesh_find_surface(mesh, error);
}

pl_status pl_mesh_create(const pl_mesh_def *def, pl_mesh **out, pl_error *error)
{
  if (!out) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_create needs a place for the mesh");
  *out = NULL;
  pl_status status = check_def(def, error);
  if (status) return status;
  pl_allocator allocator = pl_allocator_or_default(def->allocator);
  pl_mesh *mesh = pl_alloc(&allocator, 1, sizeof *mesh);
  if (!mesh) return pl_fail_memory(error);
  mesh->allocator = allocator;
  mesh->element_count = (int)element_total(def);
  mesh->nodes_per_element = def->nodes_per_element;
  status = fill(mesh, def, error);
  if (status) {
    pl_mesh_destroy(mesh);
    return status;
  }
  *out = mesh;
  return PL_OK;
}

void pl_mesh_destroy(pl_mesh *mesh)
{
  if (!mesh) return;
  pl_allocator allocator = mesh->allocator;
  pl_free(&allocator, mesh->nodes);
  pl_free(&allocator, mesh->elements);
  pl_free(&allocator, mesh->faces);
  pl_free(&allocator, mesh->face_elements);
  pl_free(&allocator, mesh->octets);
  pl_free(&allocator, mesh->element_octets);
  pl_free(&allocator, mesh->quads);
  pl_free(&allocator, mesh->quad_elements);
  pl_free(&allocator, mesh->middles.ends);
  pl_free(&allocator, mesh->middles.positions);
  pl_free(&allocator, mesh->axes);
  pl_free(&allocator, mesh->sets);
  pl_free(&allocator, mesh->set_ids);
  pl_free(&allocator, mesh->set_names);
  pl_mesh_free_hanging(mesh);
  pl_mesh_free_grid(mesh);
  pl_free(&allocator, mesh);
}

const char *pl_mesh_shape_name(const pl_mesh *mesh)
{
  int n = mesh->nodes_per_element;
  if (mesh->quadratic) return "quadratic tetrahedra";
  if (n == 2) return "segments";
  return n == 3 ? "triangles" : n == 4 ? "tetrahedra" : "hexahedra";
}

int pl_mesh_node_count(const pl_mesh *mesh) { return mesh->node_count; }
const double *pl_mesh_nodes(const pl_mesh *mesh) { return mesh->nodes; }
int pl_mesh_element_count(const pl_mesh *mesh) { return mesh->element_count; }
int pl_mesh_nodes_per_element(const pl_mesh *mesh) { return mesh->nodes_per_element; }
const int *pl_mesh_elements(const pl_mesh *mesh) { return mesh->elements; }
int pl_mesh_quad_count(const pl_mesh *mesh) { return mesh->quad_count; }
const int *pl_mesh_quads(const pl_mesh *mesh) { return mesh->quads; }
const int *pl_mesh_quad_elements(const pl_mesh *mesh) { return mesh->quad_elements; }
int pl_mesh_set_count(const pl_mesh *mesh) { return mesh->set_count; }
int pl_mesh_face_count(const pl_mesh *mesh) { return mesh->face_count; }
int pl_mesh_nodes_per_face(const pl_mesh *mesh) { return mesh->nodes_per_face; }
const int *pl_mesh_faces(const pl_mesh *mesh) { return mesh->faces; }
const int *pl_mesh_face_elements(const pl_mesh *mesh) { return mesh->face_elements; }

const pl_set *pl_mesh_set(const pl_mesh *mesh, int index)
{
  return index >= 0 && index < mesh->set_count ? &mesh->sets[index] : NULL;
}

const pl_set *pl_mesh_find_set(const pl_mesh *mesh, const char *name)
{
  for (int i = 0; name && i < mesh->set_count; i++) {
    if (strcmp(mesh->sets[i].name, name) == 0) return &mesh->sets[i];
  }
  return NULL;
}
