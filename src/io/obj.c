/* Wavefront OBJ: lines "v x y z", "vt u v" and "f a b c ...", where a corner is "7", "7/2" or
 * "7/2/5" (a point, and its place in a picture) and negative numbers count from the last one
 * backwards. All else is passed over. */
#include "core/memory.h"
#include "io/hull.h"

#include <string.h>

/* The places in a picture that "vt" lines give, and the largest number of a point in a face. */
typedef struct places {
  double *spots; /* 2 each */
  size_t count, room;
  int64_t max;
  pl_scan max_line;
} places;

static pl_status read_place(pl_hull *hull, places *all, pl_scan *line, pl_error *error)
{
  void *spots = all->spots;
  if (!hull->painted) return PL_OK;
  if (pl_reserve(&hull->allocator, &spots, &all->room, all->count + 1, 2 * sizeof *all->spots))
    return pl_fail_memory(error);
  all->spots = spots;
  double *to = all->spots + 2 * all->count++;
  pl_status status = pl_scan_double(line, "texture coordinate", &to[0], error);
  return status ? status : pl_scan_double(line, "texture coordinate", &to[1], error);
}

/* What follows a corner's first slash: the number of its place, if there is one. */
static void find_place(pl_hull *hull, const places *all, const pl_scan *line, pl_word rest)
{
  int64_t place = 0;
  size_t size = 1;
  while (size < rest.size && rest.at[size] != '/') size++;
  pl_scan number = *line;
  number.at = rest.at + (rest.size ? 1 : 0);
  number.end = rest.at + (rest.size ? size : 0);
  hull->spot[0] = hull->spot[1] = 0;
  if (number.at == number.end || pl_scan_int(&number, "number", &place, NULL)) return;
  place = place < 0 ? place + (int64_t)all->count : place - 1;
  if (place >= 0 && place < (int64_t)all->count)
    memcpy(hull->spot, all->spots + 2 * place, sizeof hull->spot);
}

/* The corner's point, which ends at the first slash. */
static pl_status read_corner(pl_scan *line, pl_hull *hull, const places *all, int64_t *point,
                             pl_error *error)
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
  if (hull->painted) find_place(hull, all, line, (pl_word){word.at + size, word.size - size});
  if (*point < 0)
    *point += (int64_t)hull->point_count;
  else
    (*point)--;
  return status;
}

static pl_status read_line(pl_hull *hull, places *all, pl_scan *line, pl_error *error)
{
  pl_word word = pl_scan_word(line);
  pl_status status = PL_OK;
  if (pl_word_is(word, "v")) {
    double position[3];
    for (int k = 0; k < 3 && !status; k++)
      status = pl_scan_double(line, "coordinate", &position[k], error);
    return status ? status : pl_hull_point(hull, line, position, error);
  }
  if (pl_word_is(word, "vt")) return read_place(hull, all, line, error);
  if (!pl_word_is(word, "f")) return PL_OK;
  pl_fan fan = {0};
  for (pl_scan ahead = *line; !status && pl_scan_word(&ahead).size; ahead = *line) {
    int64_t point = 0;
    status = read_corner(line, hull, all, &point, error);
    if (point > all->max) {
      all->max = point;
      all->max_line = *line;
    }
    if (!status) status = pl_hull_corner(hull, &fan, line, point, error);
  }
  return status;
}

static pl_status read_lines(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  pl_status status = PL_OK;
  places all = {0};
  for (pl_word text; !status && pl_scan_line(scan, &text);) {
    pl_scan line = *scan;
    line.at = text.at;
    line.end = text.at + text.size;
    status = read_line(hull, &all, &line, error);
  }
  if (!status && all.max >= (int64_t)hull->point_count && hull->triangle_count)
    status = pl_scan_fail(&all.max_line, error, PL_E_PARSE,
                          "a face names vertex %lld, but there are %zu; they are counted from 1",
                          (long long)all.max + 1, hull->point_count);
  pl_free(&hull->allocator, all.spots);
  return status;
}

static pl_status read_surface(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_lines, error);
}

static pl_status read_painted(const pl_source *source, pl_hull *hull, pl_error *error)
{
  return pl_hull_read_painted(source, hull, read_lines, error);
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
    .info = {"obj", "Wavefront surfaces", "", NULL, 0, NULL},
    .extensions = "obj",
    .read_surface = read_surface,
    .read_painted = read_painted,
    .write = write,
};
