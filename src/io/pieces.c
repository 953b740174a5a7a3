#include "io/pieces.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/bisect.h"

#include <string.h>

enum { MOST_FIELDS = 32 };

struct pl_piece {
  pl_allocator allocator;
  pl_mesh *mesh;
  int nodes, elements;
  int *node, *element; /* of the whole, ascending */
  double *room;        /* what was taken last */
  size_t size;
  pl_field fields[MOST_FIELDS];
};

int pl_piece_count(const pl_mesh *mesh, int processes)
{
  int elements = pl_mesh_element_count(mesh);
  return processes < elements ? processes : elements;
}

/* The piece of each element, by the middles of elements. */
static pl_status deal(const pl_allocator *allocator, const pl_mesh *mesh, int parts, int *part_of,
                      pl_error *error)
{
  int count = pl_mesh_element_count(mesh), n = pl_mesh_nodes_per_element(mesh);
  double *middles = pl_alloc(allocator, 3 * (size_t)count, sizeof *middles);
  if (!middles) return pl_fail_memory(error);
  for (size_t e = 0; e < (size_t)count; e++) {
    for (int a = 0; a < n; a++) {
      const double *x =
          pl_mesh_nodes(mesh) + 3 * (size_t)pl_mesh_elements(mesh)[(size_t)n * e + (size_t)a];
      for (size_t k = 0; k < 3; k++) middles[3 * e + k] += x[k] / n;
    }
  }
  pl_status status = pl_bisect(allocator, middles, count, parts, part_of, error);
  pl_free(allocator, middles);
  return status;
}

/* Lists the elements of the piece and their nodes. place: of each node and element of the whole in
 * the piece, -1: not here. */
static pl_status list_own(pl_piece *self, const pl_mesh *mesh, int part, const int *part_of,
                          int *node_place, int *element_place, pl_error *error)
{
  int n = pl_mesh_nodes_per_element(mesh);
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) node_place[i] = -1;
  for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
    element_place[e] = part_of[e] == part ? self->elements++ : -1;
    for (int a = 0; a < n && part_of[e] == part; a++)
      node_place[pl_mesh_elements(mesh)[(size_t)n * (size_t)e + (size_t)a]] = 0;
  }
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    if (node_place[i] == 0) node_place[i] = self->nodes++;
  }
  self->node = pl_alloc(&self->allocator, (size_t)self->nodes, sizeof *self->node);
  self->element = pl_alloc(&self->allocator, (size_t)self->elements, sizeof *self->element);
  if (!self->node || !self->element) return pl_fail_memory(error);
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    if (node_place[i] >= 0) self->node[node_place[i]] = i;
  }
  for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
    if (element_place[e] >= 0) self->element[element_place[e]] = e;
  }
  return PL_OK;
}

/* ---- its mesh ---- */

/* Sets of the whole as far as they are here; ids is room for all of them. */
static void cut_sets(const pl_mesh *mesh, const int *node_place, const int *element_place,
                     pl_set *sets, int *ids)
{
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    const int *place = set->of_elements ? element_place : node_place;
    int count = 0;
    for (int k = 0; k < set->count; k++) {
      if (place[set->ids[k]] >= 0) ids[count++] = place[set->ids[k]];
    }
    sets[i] = (pl_set){set->name, set->of_elements, count, ids};
    ids += count;
  }
}

/* The arrays that a piece's mesh is made from. */
typedef struct arrays {
  double *nodes, *axes;
  int *elements, *ids;
  pl_set *sets;
} arrays;

static pl_status fill_mesh(pl_piece *self, const pl_mesh *mesh, const int *node_place,
                           const int *element_place, const arrays *at, pl_error *error)
{
  size_t n = (size_t)pl_mesh_nodes_per_element(mesh);
  for (int i = 0; i < self->nodes; i++)
    memcpy(at->nodes + 3 * (size_t)i, pl_mesh_nodes(mesh) + 3 * (size_t)self->node[i],
           3 * sizeof *at->nodes);
  for (size_t e = 0; e < (size_t)self->elements; e++) {
    const int *from = pl_mesh_elements(mesh) + n * (size_t)self->element[e];
    for (size_t a = 0; a < n; a++) at->elements[n * e + a] = node_place[from[a]];
    if (pl_mesh_axes(mesh))
      memcpy(at->axes + 6 * e, pl_mesh_axes(mesh) + 6 * (size_t)self->element[e],
             6 * sizeof *at->axes);
  }
  cut_sets(mesh, node_place, element_place, at->sets, at->ids);
  const pl_mesh_def def = {.node_count = self->nodes,
                           .nodes = at->nodes,
                           .element_count = self->elements,
                           .nodes_per_element = (int)n,
                           .elements = at->elements,
                           .set_count = pl_mesh_set_count(mesh),
                           .sets = at->sets,
                           .allocator = &self->allocator,
                           .axes = pl_mesh_axes(mesh) ? at->axes : NULL};
  return pl_mesh_create(&def, &self->mesh, error);
}

static pl_status make_mesh(pl_piece *self, const pl_mesh *mesh, const int *node_place,
                           const int *element_place, pl_error *error)
{
  const pl_allocator *memory = &self->allocator;
  size_t nodes = (size_t)self->nodes, elements = (size_t)self->elements, ids = 0;
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) ids += (size_t)pl_mesh_set(mesh, i)->count;
  arrays at = {
      .nodes = pl_alloc(memory, 3 * nodes, sizeof(double)),
      .axes = pl_alloc(memory, pl_mesh_axes(mesh) ? 6 * elements : 0, sizeof(double)),
      .elements = pl_alloc(memory, (size_t)pl_mesh_nodes_per_element(mesh) * elements, sizeof(int)),
      .ids = pl_alloc(memory, ids, sizeof(int)),
      .sets = pl_alloc(memory, (size_t)pl_mesh_set_count(mesh), sizeof(pl_set))};
  pl_status status = at.nodes && at.axes && at.elements && at.ids && at.sets
                         ? fill_mesh(self, mesh, node_place, element_place, &at, error)
                         : pl_fail_memory(error);
  void *all[] = {at.nodes, at.axes, at.elements, at.ids, at.sets};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(memory, all[i]);
  return status;
}

pl_status pl_piece_create(const pl_allocator *allocator, const pl_mesh *mesh, int part, int parts,
                          pl_piece **out, pl_error *error)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_piece *self = *out = pl_alloc(&memory, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = memory;
  size_t nodes = (size_t)pl_mesh_node_count(mesh), elements = (size_t)pl_mesh_element_count(mesh);
  int *part_of = pl_alloc(&memory, elements, sizeof *part_of);
  int *places = pl_alloc(&memory, nodes + elements, sizeof *places);
  pl_status status =
      part_of && places ? deal(&memory, mesh, parts, part_of, error) : pl_fail_memory(error);
  if (!status) status = list_own(self, mesh, part, part_of, places, places + nodes, error);
  if (!status) status = make_mesh(self, mesh, places, places + nodes, error);
  pl_free(&memory, part_of);
  pl_free(&memory, places);
  if (!status) return PL_OK;
  pl_piece_destroy(self);
  *out = NULL;
  return status;
}

void pl_piece_destroy(pl_piece *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  pl_mesh_destroy(self->mesh);
  pl_free(&memory, self->node);
  pl_free(&memory, self->element);
  pl_free(&memory, self->room);
  pl_free(&memory, self);
}

/* ---- its numbers ---- */

/* Copies `width` numbers of each item that is here; returns what follows them. */
static double *pick(const double *from, int width, const int *item, int count, double *to)
{
  for (int i = 0; i < count; i++)
    memcpy(to + (size_t)width * (size_t)i, from + (size_t)width * (size_t)item[i],
           (size_t)width * sizeof *to);
  return to + (size_t)width * (size_t)count;
}

static double *number(const int *item, int count, double *to)
{
  for (int i = 0; i < count; i++) to[i] = item[i];
  return to + count;
}

static pl_status reserve(pl_piece *self, const pl_snapshot *whole, pl_error *error)
{
  size_t of_nodes = 3 + 1, of_elements = 1;
  for (int i = 0; i < whole->field_count; i++) {
    const pl_field *field = &whole->fields[i];
    *(field->of_elements ? &of_elements : &of_nodes) += (size_t)field->width;
  }
  void *memory = self->room;
  pl_status status = pl_reserve(
      &self->allocator, &memory, &self->size,
      of_nodes * (size_t)self->nodes + of_elements * (size_t)self->elements, sizeof *self->room);
  self->room = memory;
  return status ? pl_fail_memory(error) : PL_OK;
}

pl_status pl_piece_take(pl_piece *self, const pl_snapshot *whole, pl_snapshot *out, pl_error *error)
{
  if (whole->field_count > MOST_FIELDS - 2)
    return pl_fail(error, PL_E_LIMIT, "a piece has at most %d fields", MOST_FIELDS - 2);
  pl_status status = reserve(self, whole, error);
  if (status) return status;
  const double *positions = whole->positions ? whole->positions : pl_mesh_nodes(whole->mesh);
  double *at = pick(positions, 3, self->node, self->nodes, self->room);
  for (int i = 0; i < whole->field_count; i++) {
    const pl_field *field = &whole->fields[i];
    self->fields[i] = *field;
    self->fields[i].data = at;
    at = pick(field->data, field->width, field->of_elements ? self->element : self->node,
              field->of_elements ? self->elements : self->nodes, at);
  }
  pl_field *more = self->fields + whole->field_count;
  more[0] = (pl_field){.name = "GlobalNodeId", .width = 1, .data = at};
  at = number(self->node, self->nodes, at);
  more[1] = (pl_field){.name = "GlobalElementId", .of_elements = 1, .width = 1, .data = at};
  (void)number(self->element, self->elements, at);
  *out = *whole;
  out->mesh = self->mesh;
  out->positions = self->room;
  out->fields = self->fields;
  out->field_count = whole->field_count + 2;
  out->facets = NULL;
  return PL_OK;
}
