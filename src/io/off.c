/* OFF: the word OFF, three counts, points, and polygons as "3 a b c". The fourth and further
 * numbers of a line (colours) are passed over, and so is what stands behind '#'. */
#include "core/memory.h"
#include "io/hull.h"
#include "mesh/mesh.h"

static pl_status read_all(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  pl_scan line;
  pl_scan_telling_line(scan, &line);
  pl_word word = pl_scan_word(&line);
  if (!pl_word_is(word, "OFF") && !pl_word_is(word, "COFF") && !pl_word_is(word, "NOFF"))
    return pl_scan_fail(&line, error, PL_E_PARSE, "begins with no \"OFF\"; is it of that format?");
  pl_scan ahead = line;
  if (!pl_scan_word(&ahead).size) pl_scan_telling_line(scan, &line);
  int64_t points = 0, faces = 0;
  pl_status status = pl_scan_int(&line, "number of points", &points, error);
  if (!status) status = pl_scan_int(&line, "number of faces", &faces, error);
  if (!status) status = pl_scan_claim(scan, "points", points, PL_MOST_NODES, 6, error);
  if (!status) status = pl_scan_claim(scan, "faces", faces, PL_MOST_NODES, 2, error);
  for (int64_t i = 0; i < points && !status; i++) {
    double position[3];
    pl_scan_telling_line(scan, &line);
    for (int k = 0; k < 3 && !status; k++)
      status = pl_scan_double(&line, "coordinate", &position[k], error);
    if (!status) status = pl_hull_point(hull, &line, position, error);
  }
  for (int64_t i = 0; i < faces && !status; i++) {
    int64_t corners = 0, point = 0;
    pl_fan fan = {0};
    pl_scan_telling_line(scan, &line);
    status = pl_scan_int(&line, "number of corners", &corners, error);
    for (int64_t k = 0; k < corners && !status; k++) {
      status = pl_scan_int(&line, "number of a face's point", &point, error);
      if (!status) status = pl_hull_corner(hull, &fan, &line, point, error);
    }
  }
  return status;
}

static pl_status read_surface(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_all, error);
}

static void print(const pl_hull *hull, const double *values, pl_text *text)
{
  (void)values;
  pl_text_add(text, "OFF\n%zu %zu 0\n", hull->point_count, hull->triangle_count);
  for (size_t i = 0; i < 3 * hull->point_count; i++) {
    pl_text_number(text, hull->points[i]);
    pl_text_add(text, i % 3 == 2 ? "\n" : " ");
  }
  for (size_t i = 0; i < hull->triangle_count; i++) {
    const int *n = hull->triangles + 3 * i;
    pl_text_add(text, "3 %d %d %d\n", n[0], n[1], n[2]);
  }
}

static pl_status write(const pl_snapshot *snapshot, const char *path, const double *values,
                       pl_error *error)
{
  return pl_hull_write(snapshot, path, values, print, error);
}

const pl_format_ops pl_format_off = {
    .info = {"off", "Geomview surfaces", "", NULL, 0, NULL},
    .extensions = "off",
    .read_surface = read_surface,
    .write = write,
};
