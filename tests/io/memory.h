/* Shared by the tests of formats and the fuzz targets: reading from memory. */
#ifndef PL_TEST_IO_MEMORY_H
#define PL_TEST_IO_MEMORY_H

#include "../counter.h"
#include "io/format.h"
#include "io/hull.h"
#include "io/tetgen.h"

#include <stdlib.h>
#include <string.h>

/* The two files of TetGen are one behind the other here, with this byte between them. */
enum { TETGEN_BREAK = 1 };

static inline pl_status read_memory(const pl_format_ops *format, const char *data, size_t size,
                                    const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  // a copy of exactly this size and the zero byte behind it, so that reading past it is caught
  *mesh = NULL;
  char *copy = malloc(size + 1), *rest = NULL;
  if (!copy) return PL_E_MEMORY;
  if (size) memcpy(copy, data, size);
  copy[size] = 0;
  pl_source source = {.file = {copy, size}, .path = "memory", .allocator = allocator};
  pl_status status;
  if (strcmp(format->info.name, "tetgen") == 0) {
    char *cut = memchr(copy, TETGEN_BREAK, size);
    size_t first = cut ? (size_t)(cut - copy) : size, second = cut ? size - first - 1 : 0;
    rest = malloc(second + 1);
    if (!rest) return free(copy), PL_E_MEMORY;
    memcpy(rest, copy + size - second, second);
    rest[second] = 0;
    copy[first] = 0;
    source.file.size = first;
    pl_source other = {.file = {rest, second}, .path = "memory", .allocator = allocator};
    status = pl_tetgen_parse(&source, &other, mesh, error);
  } else {
    status = format->read(&source, mesh, error);
  }
  free(copy);
  free(rest);
  return status;
}

static inline pl_status read_surface_memory(const pl_format_ops *format, const char *data,
                                            size_t size, const pl_allocator *allocator,
                                            pl_skin **skin, pl_error *error)
{
  *skin = NULL;
  char *copy = malloc(size + 1);
  if (!copy) return PL_E_MEMORY;
  if (size) memcpy(copy, data, size);
  copy[size] = 0;
  pl_source source = {.file = {copy, size}, .path = "memory", .allocator = allocator};
  pl_status status = format->read_surface(&source, skin, error);
  // the same file with its texture coordinates, where there can be some
  pl_allocator plain = pl_allocator_default();
  pl_hull hull;
  source.allocator = &plain;
  if (format->read_painted && !format->read_painted(&source, &hull, NULL)) {
    for (size_t i = 0; i < 3 * hull.triangle_count; i++) {
      if (hull.triangles[i] < 0 || (size_t)hull.triangles[i] >= hull.point_count) abort();
    }
    pl_hull_free(&hull);
  }
  free(copy);
  return status;
}

/* Does this build read compressed .vtu files? */
static inline int build_has_zlib(void)
{
  // a grid whose first array is compressed
  static const char text[] =
      "<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'><UnstructuredGrid>"
      "<Piece NumberOfPoints='1'><Points><DataArray type='Int8' format='binary'/></Points></Piece>"
      "</UnstructuredGrid></VTKFile>";
  pl_allocator allocator = pl_allocator_default();
  pl_error error = {0};
  pl_mesh *mesh;
  read_memory(pl_format_of("a.vtu", NULL), text, sizeof text - 1, &allocator, &mesh, &error);
  return error.code != PL_E_UNSUPPORTED || !strstr(error.message, "no zlib");
}

/* The most memory that a file may make its reader use. What zlib unfolds counts as if it stood in
 * the file: at most 1032 times its size. */
static inline size_t memory_bound(const pl_format_ops *format, size_t size)
{
  size_t factor = strcmp(format->info.name, "vtu") == 0 ? 64 * 1032 : 64;
  return factor * size + ((size_t)1 << 20);
}

#endif
