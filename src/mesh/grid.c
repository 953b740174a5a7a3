/* Arrays of particles and the meshes made from them. */
#include "mesh/grid.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <stdlib.h>
#include <string.h>

int pl_grid_node(const pl_grid *grid, const int at[3])
{
  int index = 0;
  for (int k = 2; k >= 0; k--) {
    int n = grid->size[k], i = at[k];
    if (grid->wraps[k]) i = ((i % n) + n) % n;
    if (i < 0 || i >= n) return -1;
    index = index * n + i;
  }
  return grid->nodes[index];
}

void pl_grid_place(const pl_grid *grid, int index, int at[3])
{
  at[0] = index % grid->size[0];
  at[1] = index / grid->size[0] % grid->size[1];
  at[2] = index / grid->size[0] / grid->size[1];
}

pl_status pl_grid_check(const pl_grid *grid, pl_error *error)
{
  double count = 1;
  for (int k = 0; k < grid->axes; k++) {
    int min = grid->wraps[k] ? 3 : 2;
    if (grid->size[k] < min || grid->size[k] > PL_MOST_ALONG)
      return pl_fail(error, PL_E_ARGUMENT,
                     "%d particles along axis %d of a grid are too %s; give %d to %d%s",
                     grid->size[k], k + 1, grid->size[k] < min ? "few" : "many", min, PL_MOST_ALONG,
                     grid->wraps[k] ? " where it goes around" : "");
    count *= grid->size[k];
  }
  if (count <= PL_MOST_PARTICLES) return PL_OK;
  return pl_fail(error, PL_E_LIMIT, "the grid has %.0f particles, more than the limit of %d", count,
                 PL_MOST_PARTICLES);
}

/* ---- the mesh ---- */

typedef struct maker {
  const pl_grid *grid;
  const double *positions;
  int *elements, count;
} maker;

/* Cells where the lines of a grid meet, such as the poles of an ellipsoid, have one triangle. */
static void add_triangle(maker *self, int a, int b, int c)
{
  double corners[3][3];
  int nodes[3] = {a, b, c}, worst;
  pl_element_corners(self->positions, nodes, 3, corners);
  if (pl_corners_shape(corners, 3, &worst) < 1e-9) return;
  memcpy(self->elements + 3 * (size_t)self->count++, nodes, sizeof nodes);
}

static void add_cell(maker *self, const int at[3])
{
  int nodes[8];
  for (int c = 0; c < 8; c++) {
    const int step[3] = {c % 4 == 1 || c % 4 == 2, c % 4 >= 2, c / 4};
    const int to[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
    if (c < 2 || (c < 4 && self->grid->axes == 2) || self->grid->axes == 3)
      nodes[c] = pl_grid_node(self->grid, to);
  }
  if (self->grid->axes != 2) {
    int size = self->grid->axes == 3 ? 8 : 2;
    memcpy(self->elements + (size_t)size * (size_t)self->count++, nodes,
           (size_t)size * sizeof *nodes);
    return;
  }
  add_triangle(self, nodes[0], nodes[1], nodes[2]);
  add_triangle(self, nodes[0], nodes[2], nodes[3]);
}

/* The ends of the axes as sets of nodes. */
static void list_ends(const pl_grid *grid, int *ids, pl_set sets[6], int *set_count)
{
  static const char *const all[6] = {"l0", "l1", "m0", "m1", "n0", "n1"};
  const char *const *names = grid->axes == 3 ? all : all + 2;
  for (int s = 0; s < 2 * grid->axes; s++) {
    pl_set *set = &sets[*set_count];
    int at[3], last = s % 2 ? grid->size[s / 2] - 1 : 0;
    if (grid->wraps[s / 2]) continue;
    *set = (pl_set){.name = names[s], .ids = ids};
    for (int i = 0; i < pl_grid_count(grid); i++) {
      pl_grid_place(grid, i, at);
      if (at[s / 2] == last) *ids++ = i;
    }
    set->count = (int)(ids - set->ids);
    ++*set_count;
  }
}

/* Triangles of a surface that goes around face outwards. */
static void turn_outwards(maker *self)
{
  double volume = 0;
  if (self->grid->axes != 2 || (!self->grid->wraps[0] && !self->grid->wraps[1])) return;
  const double *origin = self->positions;
  for (int e = 0; e < self->count; e++) {
    double to[3][3];
    for (int a = 0; a < 3; a++)
      pl_vec3_sub(self->positions + 3 * (size_t)self->elements[3 * e + a], origin, to[a]);
    volume += pl_triple(to[0], to[1], to[2]);
  }
  for (int e = 0; e < self->count && volume < 0; e++) {
    int *nodes = self->elements + 3 * e, old = nodes[1];
    nodes[1] = nodes[2];
    nodes[2] = old;
  }
}

static pl_status finish(maker *self, int *ids, const pl_allocator *allocator, pl_mesh **mesh,
                        pl_error *error)
{
  pl_set sets[6];
  int set_count = 0;
  list_ends(self->grid, ids, sets, &set_count);
  pl_mesh_def def = {.node_count = pl_grid_count(self->grid),
                     .nodes = self->positions,
                     .element_count = self->count,
                     .nodes_per_element = self->grid->axes == 3 ? 8 : self->grid->axes + 1,
                     .elements = self->elements,
                     .set_count = set_count,
                     .sets = sets,
                     .allocator = allocator};
  pl_status status = pl_mesh_create(&def, mesh, error);
  if (status) return status;
  if ((*mesh)->node_count < def.node_count)
    status =
        pl_fail(error, PL_E_MESH,
                "%d of the grid's %d particles belong to no cell with an area; move them apart",
                def.node_count - (*mesh)->node_count, def.node_count);
  const pl_mesh from = {.grid = (pl_grid *)self->grid};
  if (!status) status = pl_mesh_take_grid(*mesh, &from, NULL, error);
  if (!status) return PL_OK;
  pl_mesh_destroy(*mesh);
  *mesh = NULL;
  return status;
}

static pl_status make(const pl_grid *grid, const double *positions, const pl_allocator *allocator,
                      pl_mesh **mesh, pl_error *error)
{
  static const int max[3] = {2, 6, 8}; // nodes of a cell's elements
  int cells[3], per_cell = max[grid->axes - 1];
  for (int k = 0; k < 3; k++) cells[k] = pl_grid_cells_along(grid, k);
  size_t count = (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2];
  maker self = {.grid = grid, .positions = positions};
  self.elements = pl_alloc(allocator, count * (size_t)per_cell, sizeof *self.elements);
  int *ids = pl_alloc(allocator, 6 * (size_t)pl_grid_count(grid), sizeof *ids);
  pl_status status = self.elements && ids ? PL_OK : pl_fail_memory(error);
  int at[3];
  for (at[2] = 0; !status && at[2] < cells[2]; at[2]++) {
    for (at[1] = 0; at[1] < cells[1]; at[1]++) {
      for (at[0] = 0; at[0] < cells[0]; at[0]++) add_cell(&self, at);
    }
  }
  if (!status) turn_outwards(&self);
  if (!status) status = finish(&self, ids, allocator, mesh, error);
  pl_free(allocator, self.elements);
  pl_free(allocator, ids);
  return status;
}

pl_status pl_grid_mesh(const pl_grid *grid, const double *positions, const pl_allocator *allocator,
                       pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  pl_status status = pl_grid_check(grid, error);
  if (status) return status;
  pl_allocator chosen = pl_allocator_or_default(allocator);
  pl_grid own = *grid;
  int count = pl_grid_count(grid);
  own.nodes = pl_alloc(&chosen, (size_t)count, sizeof *own.nodes);
  if (!own.nodes) return pl_fail_memory(error);
  for (int i = 0; i < count; i++) own.nodes[i] = i;
  status = make(&own, positions, &chosen, mesh, error);
  pl_free(&chosen, own.nodes);
  return status;
}

pl_status pl_mesh_set_grid(pl_mesh *mesh, const pl_grid *grid, pl_error *error)
{
  pl_grid own = *grid;
  own.nodes = pl_alloc(&mesh->allocator, (size_t)mesh->node_count, sizeof *own.nodes);
  if (!own.nodes) return pl_fail_memory(error);
  for (int i = 0; i < mesh->node_count; i++) own.nodes[i] = i;
  const pl_mesh from = {.grid = &own};
  pl_status status = pl_mesh_take_grid(mesh, &from, NULL, error);
  pl_free(&mesh->allocator, own.nodes);
  return status;
}

pl_status pl_mesh_take_grid(pl_mesh *mesh, const pl_mesh *from, const int *number, pl_error *error)
{
  if (!from->grid) return PL_OK;
  int count = pl_grid_count(from->grid);
  pl_grid *grid = pl_alloc(&mesh->allocator, 1, sizeof *grid);
  int *nodes = pl_alloc(&mesh->allocator, (size_t)count, sizeof *nodes);
  if (!grid || !nodes) {
    pl_free(&mesh->allocator, grid);
    pl_free(&mesh->allocator, nodes);
    return pl_fail_memory(error);
  }
  *grid = *from->grid;
  grid->nodes = nodes;
  for (int i = 0; i < count; i++)
    nodes[i] = number ? number[from->grid->nodes[i]] : from->grid->nodes[i];
  mesh->grid = grid;
  return PL_OK;
}

void pl_mesh_free_grid(pl_mesh *mesh)
{
  if (mesh->grid) pl_free(&mesh->allocator, mesh->grid->nodes);
  pl_free(&mesh->allocator, mesh->grid);
  mesh->grid = NULL;
}

/* ---- names of particles ---- */

static const char *skip(const char *text)
{
  while (*text == ' ' || *text == '\t') text++;
  return text;
}

static pl_status refuse(const pl_grid *grid, const char *text, pl_error *error)
{
  return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" names no particles: give %s, each a number or *",
                 text,
                 grid->axes == 3   ? "[l,m,n]"
                 : grid->axes == 2 ? "[m,n]"
                                   : "[m]");
}

/* One index; *end is what stands behind it. */
static pl_status parse_index(const pl_grid *grid, const char *text, int axis, int range[2],
                             const char **end, pl_error *error)
{
  int size = grid->size[axis];
  text = skip(text);
  range[0] = 0;
  range[1] = size - 1;
  *end = text + 1;
  if (*text == '*') return PL_OK;
  char *behind;
  long index = strtol(text, &behind, 10);
  *end = behind;
  if (behind == text) return refuse(grid, text, error);
  if (index < -size || index >= size)
    return pl_fail(error, PL_E_ARGUMENT,
                   "particle %ld is outside the grid, which has %d along this axis", index, size);
  range[0] = range[1] = (int)(index < 0 ? index + size : index);
  return PL_OK;
}

pl_status pl_grid_parse(const pl_grid *grid, const char *text, int first[3], int last[3],
                        pl_error *error)
{
  const char *at = skip(text);
  for (int i = 1; i < 3; i++) first[i] = last[i] = 0;
  for (int i = 0; i < grid->axes; i++) {
    int range[2];
    if (*at != (i ? ',' : '[')) return refuse(grid, text, error);
    pl_status status = parse_index(grid, at + 1, i, range, &at, error);
    if (status) return status;
    first[i] = range[0];
    last[i] = range[1];
    at = skip(at);
  }
  return *at == ']' && !*skip(at + 1) ? PL_OK : refuse(grid, text, error);
}

/* ---- pictures ---- */

/* How far along an axis the corners of a face are, from 0 to 1; returns how far it extends. */
static double along_face(const pl_grid *grid, int axis, const int *places, int size, double *out)
{
  int low = grid->size[axis], high = 0, cells = pl_grid_cells_along(grid, axis), at[3];
  int numbers[4];
  for (int c = 0; c < size; c++) {
    pl_grid_place(grid, places[c], at);
    numbers[c] = at[axis];
    low = at[axis] < low ? at[axis] : low;
    high = at[axis] > high ? at[axis] : high;
  }
  // across the seam the first particle comes behind the last
  int seam = grid->wraps[axis] && high - low > 1;
  for (int c = 0; c < size; c++)
    out[c] = (double)(numbers[c] + (seam && numbers[c] == 0 ? grid->size[axis] : 0)) / cells;
  return high - low;
}

static void spots_of_face(const pl_grid *grid, const int *places, int size, float *spots)
{
  double along[3][4];
  int used = 0;
  for (int axis = 0; axis < grid->axes && used < 2; axis++) {
    double extent = along_face(grid, axis, places, size, along[used]);
    // the last axes must do where a face has no extent
    if (extent > 0 || grid->axes - axis <= 2 - used) used++;
  }
  for (int c = 0; c < size; c++) {
    for (int k = 0; k < 2; k++) spots[2 * c + k] = k < used ? (float)along[k][c] : 0;
  }
}

pl_status pl_grid_spots(const pl_mesh *mesh, const int *faces, int size, int count,
                        const pl_allocator *allocator, float *spots, pl_error *error)
{
  const pl_grid *grid = mesh->grid;
  int *place = pl_alloc(allocator, (size_t)mesh->node_count, sizeof *place);
  if (!place) return pl_fail_memory(error);
  for (int i = 0; i < pl_grid_count(grid); i++) place[grid->nodes[i]] = i;
  for (int f = 0; f < count; f++) {
    int places[4];
    for (int c = 0; c < size; c++) places[c] = place[faces[size * f + c]];
    spots_of_face(grid, places, size, spots + 2 * size * f);
  }
  pl_free(allocator, place);
  return PL_OK;
}
