/* What legacy VTK files and .vtu files share: typed arrays, cell types, and sets as arrays of zeros
 * and ones whose names begin with "set:". */
#ifndef PL_IO_VTK_GRID_H
#define PL_IO_VTK_GRID_H

#include "io/cells.h"
#include "io/draft.h"

/* Number types: id, bytes, name in .vtu, names in legacy files. */
#define PL_NUMBERS(X)                                                                              \
  X(PL_INT8, 1, "Int8", "char", "signed_char")                                                     \
  X(PL_UINT8, 1, "UInt8", "unsigned_char", "unsigned_char")                                        \
  X(PL_INT16, 2, "Int16", "short", "vtktypeint16")                                                 \
  X(PL_UINT16, 2, "UInt16", "unsigned_short", "vtktypeuint16")                                     \
  X(PL_INT32, 4, "Int32", "int", "vtkIdType")                                                      \
  X(PL_UINT32, 4, "UInt32", "unsigned_int", "vtktypeuint32")                                       \
  X(PL_INT64, 8, "Int64", "vtktypeint64", "long")                                                  \
  X(PL_UINT64, 8, "UInt64", "vtktypeuint64", "unsigned_long")                                      \
  X(PL_FLOAT32, 4, "Float32", "float", "float")                                                    \
  X(PL_FLOAT64, 8, "Float64", "double", "double")

typedef enum pl_number {
#define X(id, size, name, legacy, other) id,
  PL_NUMBERS(X)
#undef X
      PL_NUMBER_COUNT
} pl_number;

typedef struct pl_number_facts {
  size_t size;
  const char *name, *legacy, *other;
} pl_number_facts;

extern const pl_number_facts pl_numbers[PL_NUMBER_COUNT];

/* The type of that name in .vtu or (whatever the case of the letters) legacy files, else
 * PL_NUMBER_COUNT. */
pl_number pl_number_find(pl_word name, int legacy);

/* Numbers of one type. */
typedef struct pl_array {
  pl_number type;
  int swap;
  size_t count;
  const char *data;
  void *owned; /* data lies here, or elsewhere if NULL */
} pl_array;

void pl_array_free(const pl_allocator *allocator, pl_array *array);
int64_t pl_array_int(const pl_array *array, size_t index);
double pl_array_double(const pl_array *array, size_t index);

/* Reads count numbers of text as Int64 or Float64, whichever holds type. */
pl_status pl_array_scan(const pl_allocator *allocator, pl_scan *scan, const char *what,
                        pl_number type, int64_t count, pl_array *array, pl_error *error);

/* Cells of a grid. offsets[i] is the end of cell i in connectivity; without offsets the number of
 * its nodes stands in front of each cell there. */
typedef struct pl_vtk_cells {
  size_t count;
  pl_array types, offsets, connectivity;
} pl_vtk_cells;

/* Adds points, or fills cell_of[count] with the draft's number of each cell (-1: left out). base is
 * the number of the grid's first node. Cells that do not fill space are left out. */
pl_status pl_vtk_add_points(pl_draft *draft, const pl_scan *scan, const pl_array *points,
                            pl_error *error);
pl_status pl_vtk_add_cells(pl_draft *draft, const pl_scan *scan, const pl_vtk_cells *cells,
                           int64_t base, int *cell_of, pl_error *error);

/* Does the array's name say that it is a set? If so, set is its name. */
int pl_vtk_is_set(pl_word name, pl_word *set);
/* A set of nodes (cell_of NULL) or cells from zeros and ones; number differs from set to set. */
pl_status pl_vtk_add_set(pl_draft *draft, const pl_scan *scan, pl_word name, int32_t number,
                         const pl_array *array, int64_t base, const int *cell_of, pl_error *error);

/* Axes of the material in cells, from an array of three numbers for each. */
pl_status pl_vtk_add_axes(pl_draft *draft, const pl_scan *scan, int which, const pl_array *array,
                          const int *cell_of, pl_error *error);

/* The names of the axes of the material, and the numbers of one of them, 3 per element. */
extern const char *const pl_vtk_axes[2];
pl_status pl_vtk_axis_numbers(const pl_allocator *allocator, const pl_mesh *mesh, int which,
                              double **numbers, pl_error *error);

/* For writers: the VTK type of the mesh's cells, and a set as zeros and ones in bytes. */
int pl_vtk_type_of(pl_cell cell);
pl_status pl_vtk_set_bytes(const pl_allocator *allocator, const pl_mesh *mesh, const pl_set *set,
                           unsigned char **bytes, size_t *count, pl_error *error);

#endif
