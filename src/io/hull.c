/* Surfaces on their way in and out. */
#include "io/hull.h"

#include "core/memory.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

pl_status pl_hull_point(pl_hull *hull, const pl_scan *scan, const double position[3],
                        pl_error *error)
{
  void *points = hull->points;
  for (int k = 0; k < 3; k++) {
    if (!isfinite(position[k]))
      return pl_scan_fail(scan, error, PL_E_PARSE, "a coordinate is %g; it must be finite",
                          position[k]);
  }
  if (hull->point_count >= PL_MOST_NODES)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "more than %d points are too many", PL_MOST_NODES);
  if (pl_reserve(&hull->allocator, &points, &hull->point_room, hull->point_count + 1,
                 3 * sizeof *hull->points))
    return pl_fail_memory(error);
  hull->points = points;
  memcpy(hull->points + 3 * hull->point_count++, position, 3 * sizeof *position);
  return PL_OK;
}

/* Where the last triangle's corners lie in a picture. */
static pl_status add_spots(pl_hull *hull, const pl_fan *fan, pl_error *error)
{
  void *spots = hull->spots;
  size_t count = hull->triangle_count, size = sizeof hull->spot;
  if (!hull->painted) return PL_OK;
  if (pl_reserve(&hull->allocator, &spots, &hull->spot_room, count, 6 * sizeof *hull->spots))
    return pl_fail_memory(error);
  hull->spots = spots;
  double *to = hull->spots + 6 * (count - 1);
  memcpy(to, fan->first_spot, size);
  memcpy(to + 2, fan->last_spot, size);
  memcpy(to + 4, hull->spot, size);
  return PL_OK;
}

pl_status pl_hull_corner(pl_hull *hull, pl_fan *fan, const pl_scan *scan, int64_t point,
                         pl_error *error)
{
  if (point < 0 || point >= PL_MOST_NODES)
    return pl_scan_fail(scan, error, PL_E_PARSE, "a face names point %lld, which there is not",
                        (long long)point);
  if (fan->count++ == 0) {
    hull->polygon_count++;
    fan->first = (int)point;
    memcpy(fan->first_spot, hull->spot, sizeof hull->spot);
  }
  if (fan->count > 2) {
    void *triangles = hull->triangles, *polygons = hull->polygons;
    if (hull->triangle_count >= PL_MOST_NODES)
      return pl_scan_fail(scan, error, PL_E_LIMIT, "more than %d triangles are too many",
                          PL_MOST_NODES);
    if (pl_reserve(&hull->allocator, &triangles, &hull->triangle_room, hull->triangle_count + 1,
                   3 * sizeof *hull->triangles))
      return pl_fail_memory(error);
    hull->triangles = triangles;
    if (pl_reserve(&hull->allocator, &polygons, &hull->polygon_room, hull->triangle_count + 1,
                   sizeof *hull->polygons))
      return pl_fail_memory(error);
    hull->polygons = polygons;
    hull->polygons[hull->triangle_count] = hull->polygon_count;
    int *n = hull->triangles + 3 * hull->triangle_count++;
    n[0] = fan->first;
    n[1] = fan->last;
    n[2] = (int)point;
    pl_status status = add_spots(hull, fan, error);
    if (status) return status;
  }
  fan->last = (int)point;
  memcpy(fan->last_spot, hull->spot, sizeof hull->spot);
  return PL_OK;
}

void pl_hull_free(pl_hull *hull)
{
  pl_free(&hull->allocator, hull->points);
  pl_free(&hull->allocator, hull->triangles);
  pl_free(&hull->allocator, hull->spots);
  pl_free(&hull->allocator, hull->polygons);
  hull->polygons = NULL;
  hull->points = hull->spots = NULL;
  hull->triangles = NULL;
}

/* Says what was found wrong with a surface, in one sentence each. */
static void log_repairs(const pl_source *source, const pl_skin_facts *facts)
{
  const struct {
    int count;
    pl_level level;
    const char *one, *many;
  } rows[] = {
      {facts->dropped_triangles, PL_NOTE, "triangle of no extent or double was dropped",
       "triangles of no extent or double were dropped"},
      {facts->turned_triangles, PL_NOTE, "triangle was turned outwards",
       "triangles were turned outwards"},
      {facts->closed_holes, PL_NOTE, "small hole was closed", "small holes were closed"},
      {source->keeps_holes ? 0 : facts->open_edges, PL_WARNING,
       "edge is open; holes are filled as the rest suggests",
       "edges are open; holes are filled as the rest suggests"},
      {facts->crowded_edges, PL_WARNING, "edge belongs to more than two triangles",
       "edges belong to more than two triangles"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].count)
      pl_log_write(source->log, rows[i].level, "%s: %d %s", source->path, rows[i].count,
                   rows[i].count == 1 ? rows[i].one : rows[i].many);
  }
}

/* Makes the skin and logs what was repaired. */
static pl_status make_skin(const pl_hull *hull, const pl_source *source, pl_skin **skin,
                           pl_error *error)
{
  if (!hull->triangle_count)
    return pl_fail_at(error, PL_E_PARSE, source->path, 0, "holds no triangles");
  pl_status status = pl_skin_create(&(pl_skin_def){.max_hole = source->keeps_holes ? -1 : 0,
                                                   .point_count = (int)hull->point_count,
                                                   .points = hull->points,
                                                   .triangle_count = (int)hull->triangle_count,
                                                   .triangles = hull->triangles,
                                                   .polygons = hull->polygons,
                                                   .allocator = source->allocator},
                                    skin, error);
  if (status) return pl_error_locate(error, status, source->path, 0);
  if (source->log) log_repairs(source, &(*skin)->facts);
  return PL_OK;
}

pl_status pl_hull_read(const pl_source *source, pl_skin **skin,
                       pl_status (*fill)(pl_scan *scan, pl_hull *hull, pl_error *error),
                       pl_error *error)
{
  *skin = NULL;
  pl_hull hull = {.allocator = *source->allocator};
  pl_scan scan = pl_scan_make(source->path, source->file.data, source->file.size);
  pl_status status = source->file.size
                         ? fill(&scan, &hull, error)
                         : pl_fail_at(error, PL_E_PARSE, source->path, 0, "the file is empty");
  if (!status) status = make_skin(&hull, source, skin, error);
  pl_hull_free(&hull);
  return status;
}

/* Corners may name points that the file does not hold. */
static pl_status check_corners(const pl_hull *hull, const pl_source *source, pl_error *error)
{
  for (size_t i = 0; i < 3 * hull->triangle_count; i++) {
    if ((size_t)hull->triangles[i] >= hull->point_count)
      return pl_fail_at(error, PL_E_PARSE, source->path, 0,
                        "a face names point %d, but there are %zu", hull->triangles[i],
                        hull->point_count);
  }
  return PL_OK;
}

pl_status pl_hull_read_painted(const pl_source *source, pl_hull *hull,
                               pl_status (*fill)(pl_scan *scan, pl_hull *hull, pl_error *error),
                               pl_error *error)
{
  *hull = (pl_hull){.allocator = *source->allocator, .painted = 1};
  pl_scan scan = pl_scan_make(source->path, source->file.data, source->file.size);
  pl_status status = fill(&scan, hull, error);
  if (!status) status = check_corners(hull, source, error);
  if (status) pl_hull_free(hull);
  return status;
}

static pl_status copy_facets(const pl_facets *facets, pl_hull *hull, pl_error *error)
{
  size_t points = (size_t)facets->point_count, triangles = (size_t)facets->triangle_count;
  hull->points = pl_alloc(&hull->allocator, points, 3 * sizeof *hull->points);
  hull->triangles = pl_alloc(&hull->allocator, triangles, 3 * sizeof *hull->triangles);
  if (!hull->points || !hull->triangles) {
    pl_hull_free(hull);
    return pl_fail_memory(error);
  }
  memcpy(hull->points, facets->points, 3 * points * sizeof *hull->points);
  memcpy(hull->triangles, facets->triangles, 3 * triangles * sizeof *hull->triangles);
  hull->point_count = points;
  hull->triangle_count = triangles;
  return PL_OK;
}

pl_status pl_hull_of(const pl_snapshot *snapshot, const pl_allocator *allocator, pl_hull *hull,
                     pl_error *error)
{
  const pl_mesh *mesh = snapshot->mesh;
  *hull = (pl_hull){.allocator = pl_allocator_or_default(allocator)};
  if (snapshot->facets) return copy_facets(snapshot->facets, hull, error);
  const double *positions = snapshot->positions ? snapshot->positions : mesh->nodes;
  int width = mesh->nodes_per_face;
  size_t faces = (size_t)mesh->face_count, nodes = (size_t)mesh->node_count;
  int *number = pl_alloc(&hull->allocator, nodes, sizeof *number);
  hull->points = pl_alloc(&hull->allocator, nodes, 3 * sizeof *hull->points);
  hull->triangles = pl_alloc(&hull->allocator, faces * (size_t)(width - 2), 3 * sizeof(int));
  if (!number || !hull->points || !hull->triangles) {
    pl_free(&hull->allocator, number);
    pl_hull_free(hull);
    return pl_fail_memory(error);
  }
  // points in the order of the nodes
  for (size_t i = 0; i < faces * (size_t)width; i++) number[mesh->faces[i]] = 1;
  for (size_t n = 0; n < nodes; n++) {
    if (!number[n]) continue;
    number[n] = (int)hull->point_count;
    memcpy(hull->points + 3 * hull->point_count++, positions + 3 * n, 3 * sizeof *positions);
  }
  for (size_t f = 0; f < faces; f++) {
    for (int k = 2; k < width; k++) {
      const int *face = mesh->faces + f * (size_t)width;
      int *to = hull->triangles + 3 * hull->triangle_count++;
      to[0] = number[face[0]];
      to[1] = number[face[k - 1]];
      to[2] = number[face[k]];
    }
  }
  pl_free(&hull->allocator, number);
  return PL_OK;
}

pl_status pl_hull_write(const pl_snapshot *snapshot, const char *path, const double *values,
                        void (*print)(const pl_hull *hull, const double *values, pl_text *text),
                        pl_error *error)
{
  pl_hull hull;
  pl_status status = pl_hull_of(snapshot, NULL, &hull, error);
  if (status) return status;
  pl_text text = pl_text_make(NULL);
  print(&hull, values, &text);
  status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  pl_hull_free(&hull);
  return status;
}

/* Adds a 32-bit word, lowest byte first. */
static void add_word(pl_text *text, uint32_t word)
{
  unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                            (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
  pl_text_bytes(text, bytes, sizeof bytes);
}

void pl_text_float(pl_text *text, float value)
{
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  add_word(text, word);
}

void pl_text_floats(pl_text *text, const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) pl_text_float(text, pl_hull_single(values[i]));
}

void pl_text_int32s(pl_text *text, const int *values, size_t count)
{
  for (size_t i = 0; i < count; i++) add_word(text, (uint32_t)values[i]);
}
