/* Wavefront OBJ: lines "v x y z" and "f a b c ...", where a corner is "7", "7/2" or "7/2/5" and
 * negative numbers count from the last point backwards. All else is passed over. */
#include "core/memory.h"
#include "io/hull.h"

/* The corner's point, which ends at the first slash. */
static pl_status read_corner(pl_scan *line, size_t points, int64_t *point, pl_error *error)
{
  pl_scan rest = *line;
  pl_word word = pl_scan_word(&rest);
  size_t size = 0;
  while (size < word.size && word.at[size] != '/') size++;
  pl_scan number = *line;
  number.at = word.at;
  number.end = word.at + size;
  pl_status status = pl_scan_int(&number, "number of a face's point", point, error);
  line->at = word.at + word.size;
  if (*point < 0)
    *point += (int64_t)points;
  else
    (*point)--;
  return status;
}

static pl_status read_line(pl_hull *hull, pl_scan *line, pl_error *error)
{
  pl_word word = pl_scan_word(line);
  pl_status status = PL_OK;
  if (pl_word_is(word, "v")) {
    double position[3];
    for (int k = 0; k < 3 && !status; k++)
      status = pl_scan_double(line, "coordinate", &position[k], error);
    return status ? status : pl_hull_point(hull, line, position, error);
  }
  if (!pl_word_is(word, "f")) return PL_OK;
  pl_fan fan = {0};
  for (pl_scan ahead = *line; !status && pl_scan_word(&ahead).size; ahead = *line) {
    int64_t point = 0;
    status = read_corner(line, hull->point_count, &point, error);
    if (!status) status = pl_hull_corner(hull, &fan, line, point, error);
  }
  return status;
}

static pl_status read_lines(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  pl_status status = PL_OK;
  for (pl_word text; !status && pl_scan_line(scan, &text);) {
    pl_scan line = *scan;
    line.at = text.at;
    line.end = text.at + text.size;
    status = read_line(hull, &line, error);
  }
  return status;
}

static pl_status read_surface(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_lines, error);
}

static void print(const pl_hull *hull, const double *values, pl_text *text)
{
  (void)values;
  pl_text_add(text, "# the boundary of a mesh, in m\n");
  for (size_t i = 0; i < hull->point_count; i++) {
    pl_text_add(text, "v");
    for (int k = 0; k < 3; k++) {
      pl_text_add(text, " ");
      pl_text_number(text, hull->points[3 * i + (size_t)k]);
    }
    pl_text_add(text, "\n");
  }
  for (size_t i = 0; i < hull->triangle_count; i++) {
    const int *n = hull->triangles + 3 * i;
    pl_text_add(text, "f %d %d %d\n", n[0] + 1, n[1] + 1, n[2] + 1);
  }
}

static pl_status write(const pl_snapshot *snapshot, const char *path, const double *values,
                       pl_error *error)
{
  return pl_hull_write(snapshot, path, values, print, error);
}

const pl_format_ops pl_format_obj = {
    .info = {"obj", "Wavefront surfaces", "", NULL, 0},
    .extensions = "obj",
    .read_surface = read_surface,
    .write = write,
};
