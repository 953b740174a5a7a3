/* Typed arrays and cell types of VTK. Schroeder, Martin, Lorensen, VTK file formats (user's guide);
 * numbers of the cell types as in vtkCellType.h. */
#include "io/vtk_grid.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

const pl_number_facts pl_numbers[PL_NUMBER_COUNT] = {
#define X(id, size, name, legacy, other) [id] = {size, name, legacy, other},
    PL_NUMBERS(X)
#undef X
};

pl_number pl_number_find(pl_word name, int legacy)
{
  int type = 0;
  for (; type < PL_NUMBER_COUNT; type++) {
    const pl_number_facts *facts = &pl_numbers[type];
    if (!legacy && pl_word_is(name, facts->name)) break;
    if (legacy && (pl_word_like(name, facts->legacy) || pl_word_like(name, facts->other))) break;
  }
  return (pl_number)type;
}

/* ---- arrays ---- */

void pl_array_free(const pl_allocator *allocator, pl_array *array)
{
  pl_free(allocator, array->owned);
  *array = (pl_array){0};
}

int64_t pl_array_int(const pl_array *array, size_t index)
{
  const char *at = array->data + index * pl_numbers[array->type].size;
  unsigned char low = (unsigned char)at[0];
  switch (array->type) {
  case PL_INT8:
    return (signed char)low;
  case PL_UINT8:
    return low;
  case PL_INT16:
  case PL_UINT16: {
    uint16_t both;
    memcpy(&both, at, 2);
    if (array->swap) both = (uint16_t)(both >> 8 | both << 8);
    return array->type == PL_UINT16 ? both : (int16_t)both;
  }
  case PL_INT32:
    return pl_load_int32(at, array->swap);
  case PL_UINT32:
    return (uint32_t)pl_load_int32(at, array->swap);
  case PL_INT64:
    return pl_load_int64(at, array->swap);
  case PL_UINT64: {
    // what does not fit is out of range for every use
    int64_t value = pl_load_int64(at, array->swap);
    return value < 0 ? INT64_MAX : value;
  }
  default:
    break;
  }
  double value = pl_array_double(array, index);
  return value >= -9e15 && value <= 9e15 && value == (double)(int64_t)value ? (int64_t)value
                                                                            : INT64_MIN;
}

double pl_array_double(const pl_array *array, size_t index)
{
  const char *at = array->data + index * pl_numbers[array->type].size;
  if (array->type == PL_FLOAT64) return pl_load_double(at, array->swap);
  if (array->type == PL_FLOAT32) return (double)pl_load_float(at, array->swap);
  return (double)pl_array_int(array, index);
}

pl_status pl_array_scan(const pl_allocator *allocator, pl_scan *scan, const char *what,
                        pl_number type, int64_t count, pl_array *array, pl_error *error)
{
  int real = type == PL_FLOAT32 || type == PL_FLOAT64;
  pl_status status = pl_scan_claim(scan, what, count, INT64_MAX, 2, error);
  if (status) return status;
  *array = (pl_array){.type = real ? PL_FLOAT64 : PL_INT64, .count = (size_t)count};
  array->owned = pl_alloc(allocator, (size_t)count, 8);
  if (!array->owned) return pl_fail_memory(error);
  array->data = array->owned;
  double *numbers = array->owned;
  int64_t *integers = array->owned;
  for (int64_t i = 0; !status && i < count; i++)
    status = real ? pl_scan_double(scan, what, &numbers[i], error)
                  : pl_scan_int(scan, what, &integers[i], error);
  return status;
}

/* ---- cells ---- */

typedef struct cell_type {
  int type;
  const char *name;
  pl_cell_shape shape;
  int nodes, max; /* how many nodes it may have */
} cell_type;

enum { VOXEL = 11, TET10 = 24, MANY = 1000000 };

/* Those that fill space, and the simple ones that do not; the others are left out. */
static const cell_type cell_types[] = {
    {3, "line", PL_LINE, 2, 2},
    {5, "triangle", PL_TRIANGLE, 3, 3},
    {9, "quadrilateral", PL_QUAD, 4, 4},
    {10, "tetrahedron", PL_TET, 4, 4},
    {VOXEL, "voxel", PL_HEX, 8, 8},
    {12, "hexahedron", PL_HEX, 8, 8},
    {13, "wedge", PL_PRISM, 6, 6},
    {14, "pyramid", PL_PYRAMID, 5, 5},
    {TET10, "quadratic tetrahedron", PL_TET, 10, 10},
    {25, "quadratic hexahedron", PL_HEX, 20, 20},
    {26, "quadratic wedge", PL_PRISM, 15, 15},
    {27, "quadratic pyramid", PL_PYRAMID, 13, 13},
    {29, "triquadratic hexahedron", PL_HEX, 27, 27},
    {31, "quadratic-linear wedge", PL_PRISM, 12, 12},
    {32, "biquadratic wedge", PL_PRISM, 18, 18},
    {33, "biquadratic hexahedron", PL_HEX, 24, 24},
    {37, "triquadratic pyramid", PL_PYRAMID, 19, 19},
    {71, "Lagrange tetrahedron", PL_TET, 4, MANY},
    {72, "Lagrange hexahedron", PL_HEX, 8, MANY},
    {78, "Bezier tetrahedron", PL_TET, 4, MANY},
    {79, "Bezier hexahedron", PL_HEX, 8, MANY},
};

/* Cells of no fixed shape, and those whose numbers are not in use; they cannot be passed over,
 * since they may fill space. */
static int is_flat(int64_t type)
{
  static const unsigned char flat[] = {0,  1,  2,  4,  6,  7,  8,  21, 22, 23, 28,
                                       30, 34, 35, 36, 68, 69, 70, 75, 76, 77};
  for (size_t i = 0; i < sizeof flat; i++) {
    if (flat[i] == type) return 1;
  }
  return 0;
}

static const cell_type *find_type(int64_t type)
{
  for (size_t i = 0; i < sizeof cell_types / sizeof *cell_types; i++) {
    if (cell_types[i].type == type) return &cell_types[i];
  }
  return NULL;
}

/* Where the nodes of the next cell begin and end in the connectivity; at moves behind them. */
static pl_status next_cell(const pl_scan *scan, const pl_vtk_cells *cells, size_t cell, size_t *at,
                           size_t *count, pl_error *error)
{
  size_t left = cells->connectivity.count - *at;
  int64_t nodes;
  if (cells->offsets.data) {
    int64_t end = pl_array_int(&cells->offsets, cell);
    nodes = end < 0 || (uint64_t)end > cells->connectivity.count ? -1 : end - (int64_t)*at;
  } else {
    nodes = left ? pl_array_int(&cells->connectivity, (*at)++) : -1;
    left -= left > 0;
  }
  if (nodes < 0 || (uint64_t)nodes > left)
    return pl_scan_fail(
        scan, error, PL_E_PARSE,
        "cell %zu ends outside the connectivity of %zu numbers; the file is damaged", cell,
        cells->connectivity.count);
  *count = (size_t)nodes;
  return PL_OK;
}

static pl_status add_cell(pl_draft *draft, const pl_scan *scan, const pl_vtk_cells *cells,
                          size_t cell, size_t first, size_t count, int64_t base, pl_error *error)
{
  // a voxel counts along x, then y, then z; a hexahedron goes around
  static const int voxel[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  int64_t number = pl_array_int(&cells->types, cell), tags[10];
  const cell_type *type = find_type(number);
  if (!type)
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED,
                        "cell %zu has the type %lld; only tetrahedra or hexahedra can be simulated",
                        cell, (long long)number);
  if (count < (size_t)type->nodes || count > (size_t)type->max)
    return pl_scan_fail(scan, error, PL_E_PARSE, "cell %zu is a %s of %zu nodes; it must have %d",
                        cell, type->name, count, type->nodes);
  int corners = pl_shapes[type->shape].corners, is_tet10 = type->type == TET10;
  for (int i = 0; i < (is_tet10 ? 10 : corners); i++) {
    int place = type->type == VOXEL ? voxel[i] : i;
    tags[i] = pl_array_int(&cells->connectivity, first + (size_t)place);
    // numbers of another piece are out of range, not neighbours
    tags[i] = tags[i] < 0 || tags[i] > PL_MOST_NODES ? -1 : tags[i] + base;
  }
  pl_status status = pl_draft_element(draft, scan, type->shape, (int64_t)cell, tags,
                                      count > (size_t)corners, error);
  return status || !is_tet10 ? status : pl_draft_middles(draft, tags + 4, pl_vtk_edges, error);
}

pl_status pl_vtk_add_cells(pl_draft *draft, const pl_scan *scan, const pl_vtk_cells *cells,
                           int64_t base, int *cell_of, pl_error *error)
{
  if (cells->types.count < cells->count ||
      (cells->offsets.data && cells->offsets.count < cells->count))
    return pl_scan_fail(scan, error, PL_E_PARSE, "%zu cells are announced but %zu types follow",
                        cells->count, cells->types.count);
  size_t at = 0, count = 0;
  for (size_t i = 0; i < cells->count; i++) {
    pl_status status = next_cell(scan, cells, i, &at, &count, error);
    if (status) return status;
    cell_of[i] = -1;
    if (!is_flat(pl_array_int(&cells->types, i))) {
      status = add_cell(draft, scan, cells, i, at, count, base, error);
      if (status) return status;
      cell_of[i] = pl_draft_cell(draft);
    }
    at += count;
  }
  return PL_OK;
}

pl_status pl_vtk_add_points(pl_draft *draft, const pl_scan *scan, const pl_array *points,
                            pl_error *error)
{
  size_t count = points->count / 3;
  pl_status status = pl_draft_nodes(draft, scan, (int64_t)count, 0, error);
  for (size_t i = 0; !status && i < count; i++) {
    double position[3];
    for (size_t k = 0; k < 3; k++) position[k] = pl_array_double(points, 3 * i + k);
    status = pl_draft_node(draft, scan, (int64_t)i, position, error);
  }
  return status;
}

/* ---- sets ---- */

static const char set_prefix[] = "set:";

int pl_vtk_is_set(pl_word name, pl_word *set)
{
  size_t length = sizeof set_prefix - 1;
  if (name.size <= length || memcmp(name.at, set_prefix, length) != 0) return 0;
  *set = (pl_word){name.at + length, name.size - length};
  return 1;
}

pl_status pl_vtk_add_set(pl_draft *draft, const pl_scan *scan, pl_word name, int32_t number,
                         const pl_array *array, int64_t base, const int *cell_of, pl_error *error)
{
  pl_status status = pl_draft_name(draft, scan, cell_of ? 3 : 0, number, name, error);
  for (size_t i = 0; !status && i < array->count; i++) {
    if (pl_array_int(array, i) == 0) continue;
    status = cell_of ? pl_draft_join_cell(draft, scan, number, cell_of[i], error)
                     : pl_draft_join_node(draft, scan, number, (int)(base + (int64_t)i), error);
  }
  return status;
}

pl_status pl_vtk_add_axes(pl_draft *draft, const pl_scan *scan, int which, const pl_array *array,
                          const int *cell_of, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t i = 0; !status && i < array->count / 3; i++) {
    double axis[3];
    for (size_t k = 0; k < 3; k++) axis[k] = pl_array_double(array, 3 * i + k);
    if (!isfinite(axis[0]) || !isfinite(axis[1]) || !isfinite(axis[2]))
      return pl_scan_fail(scan, error, PL_E_PARSE,
                          "an axis of the material of cell %zu is not finite", i);
    status = pl_draft_axis(draft, cell_of[i], which, axis, error);
  }
  return status;
}

const char *const pl_vtk_axes[2] = {"first_axis", "second_axis"};

pl_status pl_vtk_axis_numbers(const pl_allocator *allocator, const pl_mesh *mesh, int which,
                              double **numbers, pl_error *error)
{
  size_t count = (size_t)pl_mesh_element_count(mesh);
  *numbers = pl_alloc(allocator, 3 * count, sizeof **numbers);
  if (!*numbers) return pl_fail_memory(error);
  for (size_t e = 0; e < count; e++)
    memcpy(*numbers + 3 * e, pl_mesh_axes(mesh) + 6 * e + 3 * which, 3 * sizeof **numbers);
  return PL_OK;
}

int pl_vtk_type_of(pl_cell cell)
{
  int corners = cell.corners;
  if (cell.is_quad) return 9;
  return corners == 2 ? 3 : corners == 3 ? 5 : corners == 4 ? 10 : 12;
}

pl_status pl_vtk_set_bytes(const pl_allocator *allocator, const pl_mesh *mesh, const pl_set *set,
                           unsigned char **bytes, size_t *count, pl_error *error)
{
  *count = (size_t)(set->of_elements ? pl_mesh_element_count(mesh) : pl_mesh_node_count(mesh));
  *bytes = pl_alloc(allocator, *count, 1);
  if (!*bytes) return pl_fail_memory(error);
  for (int i = 0; i < set->count; i++) (*bytes)[set->ids[i]] = 1;
  return PL_OK;
}
