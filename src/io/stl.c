/* STL: triangles without shared points. Binary: 80 bytes, a count, and 50 bytes each (normal, three
 * corners as floats, two bytes more), lowest byte first. Text: of the words only "vertex x y z"
 * counts. A binary file may begin with "solid" as well, so the size decides. */
#include "core/memory.h"
#include "io/hull.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <string.h>

enum { HEAD = 80, EACH = 50 };

static pl_status add_corner(pl_hull *hull, pl_fan *fan, const pl_scan *scan,
                            const double position[3], pl_error *error)
{
  pl_status status = pl_hull_point(hull, scan, position, error);
  if (!status) status = pl_hull_corner(hull, fan, scan, (int64_t)hull->point_count - 1, error);
  if (fan->count == 3) fan->count = 0;
  return status;
}

static pl_status read_binary(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  const char *data = NULL;
  int64_t count = 0;
  pl_fan fan = {0};
  scan->swap = !pl_little_endian();
  pl_status status = pl_scan_bytes(scan, "head", HEAD, &data, error);
  if (!status) status = pl_scan_int32(scan, "number of triangles", &count, error);
  count &= 0xffffffff;
  if (!status && (uint64_t)count > pl_scan_left(scan) / EACH)
    status = pl_scan_fail(scan, error, PL_E_PARSE,
                          "%lld triangles are announced but only %zu bytes follow; the file is cut "
                          "off or damaged",
                          (long long)count, pl_scan_left(scan));
  for (int64_t i = 0; i < count && !status; i++) {
    status = pl_scan_bytes(scan, "triangle", EACH, &data, error);
    for (int c = 0; c < 3 && !status; c++) {
      double position[3];
      for (int k = 0; k < 3; k++)
        position[k] = (double)pl_load_float(data + 12 + 12 * c + 4 * k, scan->swap);
      status = add_corner(hull, &fan, scan, position, error);
    }
  }
  return status;
}

static pl_status read_text(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  pl_status status = PL_OK;
  pl_fan fan = {0};
  int ended = 0;
  for (pl_word word; !status && (word = pl_scan_word(scan)).size;) {
    ended = pl_word_like(word, "endsolid") || (ended && !pl_word_like(word, "facet"));
    if (!pl_word_like(word, "vertex")) continue;
    double position[3];
    for (int k = 0; k < 3 && !status; k++)
      status = pl_scan_double(scan, "coordinate", &position[k], error);
    if (!status) status = add_corner(hull, &fan, scan, position, error);
  }
  if (!status && !ended)
    status = pl_scan_fail(scan, error, PL_E_PARSE, "ends without \"endsolid\"; it is cut off");
  return status;
}

/* Is it binary? The count fits, or the text does not begin as it must. */
static int is_binary(const pl_scan *scan)
{
  size_t size = pl_scan_left(scan);
  if (size < HEAD + 4) return 0;
  uint64_t count = (uint32_t)pl_load_int32(scan->at + HEAD, !pl_little_endian());
  if (HEAD + 4 + EACH * count == size) return 1;
  return strncmp(scan->at, "solid", 5) != 0;
}

static pl_status read_all(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  return is_binary(scan) ? read_binary(scan, hull, error) : read_text(scan, hull, error);
}

static pl_status read_surface(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_all, error);
}

static void print(const pl_hull *hull, const double *values, pl_text *text)
{
  (void)values;
  char head[HEAD] = "the boundary of a mesh, in m";
  int count = (int)hull->triangle_count;
  pl_text_bytes(text, head, sizeof head);
  pl_text_int32s(text, &count, 1);
  for (int i = 0; i < count; i++) {
    const int *n = hull->triangles + 3 * (size_t)i;
    double area[3];
    pl_face_area(hull->points, n, 3, area);
    double length = pl_vec3_norm(area);
    pl_vec3_scale(length > 0 ? 1 / length : 0, area, area);
    pl_text_floats(text, area, 3);
    for (int k = 0; k < 3; k++) pl_text_floats(text, hull->points + 3 * (size_t)n[k], 3);
    pl_text_bytes(text, "\0\0", 2);
  }
}

static pl_status write(const pl_snapshot *snapshot, const char *path, const double *values,
                       pl_error *error)
{
  return pl_hull_write(snapshot, path, values, print, error);
}

const pl_format_ops pl_format_stl = {
    .info = {"stl", "surfaces for printing", "", NULL, 0, NULL},
    .extensions = "stl",
    .read_surface = read_surface,
    .write = write,
};
