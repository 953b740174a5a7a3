/* PNG: 8 bytes of signature, then the chunk IHDR that begins with width and height, highest byte
 * first. JPEG: segments FF xx with a length; that of a frame (C0 to CF but for C4, C8, CC) has
 * height and width behind its precision. */
#include "io/texture.h"

#include "core/error.h"
#include "core/memory.h"
#include "io/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- images ---- */

static int number_at(const unsigned char *at, int bytes)
{
  int64_t value = 0;
  for (int i = 0; i < bytes; i++) value = 256 * value + at[i];
  return value > INT32_MAX ? INT32_MAX : (int)value;
}

static int find_png(const unsigned char *at, size_t size, int sides[2])
{
  if (size < 24 || memcmp(at, "\x89PNG\r\n\x1a\n", 8) != 0 || memcmp(at + 12, "IHDR", 4) != 0)
    return 0;
  sides[0] = number_at(at + 16, 4);
  sides[1] = number_at(at + 20, 4);
  return 1;
}

static int find_jpeg(const unsigned char *at, size_t size, int sides[2])
{
  if (size < 4 || at[0] != 0xff || at[1] != 0xd8) return 0;
  for (size_t i = 2; i + 9 < size && at[i] == 0xff;) {
    int kind = at[i + 1];
    if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc) {
      sides[0] = number_at(at + i + 7, 2);
      sides[1] = number_at(at + i + 5, 2);
      return 1;
    }
    i += 2 + (size_t)number_at(at + i + 2, 2);
  }
  return 0;
}

pl_status pl_image_file_read(const pl_allocator *allocator, const char *path, pl_bytes *bytes,
                             pl_error *error)
{
  int sides[2] = {0, 0};
  pl_status status = pl_file_read(allocator, path, PL_MOST_IMAGE_BYTES, bytes, error);
  if (status) return status;
  const unsigned char *data = (const unsigned char *)bytes->data;
  if (!find_png(data, bytes->size, sides) && !find_jpeg(data, bytes->size, sides))
    status = pl_fail_at(error, PL_E_PARSE, path, 0, "is neither a PNG nor a JPEG image");
  else if (sides[0] < 1 || sides[1] < 1 || sides[0] > PL_MOST_IMAGE_SIDE ||
           sides[1] > PL_MOST_IMAGE_SIDE)
    status = pl_fail_at(error, PL_E_LIMIT, path, 0,
                        "has %d x %d pixels; from 1 to %d along each side are possible", sides[0],
                        sides[1], PL_MOST_IMAGE_SIDE);
  if (status) pl_bytes_free(allocator, bytes);
  return status;
}

/* ---- coordinates ---- */

pl_status pl_texture_check(const char *path, pl_error *error)
{
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (format->read_painted) return PL_OK;
  return pl_fail_at(
      error, PL_E_UNSUPPORTED, path, 0,
      "has no texture coordinates; surfaces of .obj and .glb files can have a texture");
}

/* A triangle of the file, by the middle of its corners. */
typedef struct place {
  double middle[3];
  size_t triangle;
} place;

static int compare(const void *a, const void *b)
{
  double x = ((const place *)a)->middle[0], y = ((const place *)b)->middle[0];
  return (x > y) - (x < y);
}

static void find_middle(const double *points, const int *n, double middle[3])
{
  for (int k = 0; k < 3; k++)
    middle[k] = (points[3 * (size_t)n[0] + (size_t)k] + points[3 * (size_t)n[1] + (size_t)k] +
                 points[3 * (size_t)n[2] + (size_t)k]) /
                3;
}

/* The one whose middle is within reach, NULL for none. */
static const place *look_up(const place *places, size_t count, const double middle[3], double reach)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t half = (low + high) / 2;
    if (places[half].middle[0] < middle[0] - reach)
      low = half + 1;
    else
      high = half;
  }
  for (; low < count && places[low].middle[0] <= middle[0] + reach; low++) {
    if (fabs(places[low].middle[1] - middle[1]) <= reach &&
        fabs(places[low].middle[2] - middle[2]) <= reach)
      return &places[low];
  }
  return NULL;
}

/* Each corner takes what the nearest corner of the other triangle has. */
static void take_spots(const pl_hull *hull, size_t triangle, const double *points, const int *n,
                       float *spots)
{
  const int *m = hull->triangles + 3 * triangle;
  for (int a = 0; a < 3; a++) {
    double min = INFINITY;
    for (int b = 0; b < 3; b++) {
      double square = 0;
      for (int k = 0; k < 3; k++) {
        double part =
            points[3 * (size_t)n[a] + (size_t)k] - hull->points[3 * (size_t)m[b] + (size_t)k];
        square += part * part;
      }
      if (square >= min) continue;
      min = square;
      spots[2 * a] = (float)hull->spots[6 * triangle + 2 * (size_t)b];
      spots[2 * a + 1] = (float)hull->spots[6 * triangle + 2 * (size_t)b + 1];
    }
  }
}

static pl_status match(const pl_hull *hull, const double *points, const int *triangles, int count,
                       float *spots, int *found, pl_error *error)
{
  place *places = pl_alloc(&hull->allocator, hull->triangle_count, sizeof *places);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double extent = 0;
  if (!places) return pl_fail_memory(error);
  for (size_t t = 0; t < hull->triangle_count; t++) {
    places[t].triangle = t;
    find_middle(hull->points, hull->triangles + 3 * t, places[t].middle);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], places[t].middle[k]);
      high[k] = fmax(high[k], places[t].middle[k]);
      extent = fmax(extent, high[k] - low[k]);
    }
  }
  qsort(places, hull->triangle_count, sizeof *places, compare);
  *found = 0;
  for (int t = 0; t < count; t++) {
    double middle[3];
    find_middle(points, triangles + 3 * (size_t)t, middle);
    // points that were joined have moved by a ten millionth of the extent at most
    const place *one = look_up(places, hull->triangle_count, middle, 1e-6 * extent);
    memset(spots + 6 * (size_t)t, 0, 6 * sizeof *spots);
    if (!one) continue;
    take_spots(hull, one->triangle, points, triangles + 3 * (size_t)t, spots + 6 * (size_t)t);
    (*found)++;
  }
  pl_free(&hull->allocator, places);
  return PL_OK;
}

static int has_spots(const pl_hull *hull)
{
  for (size_t i = 0; i < 6 * hull->triangle_count; i++) {
    if (hull->spots[i] != hull->spots[i % 2]) return 1;
  }
  return 0;
}

pl_status pl_texture_find(const char *path, const double *points, const int *triangles, int count,
                          const pl_allocator *allocator, float *spots, pl_error *error)
{
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_source source = {.path = path, .allocator = &own};
  pl_hull hull;
  int found = 0;
  pl_status status = pl_texture_check(path, error);
  if (!status) status = pl_file_read(&own, path, 0, &source.file, error);
  if (status) return status;
  status = pl_format_of(path, NULL)->read_painted(&source, &hull, error);
  pl_bytes_free(&own, &source.file);
  if (status) return status;
  if (!has_spots(&hull))
    status = pl_fail_at(error, PL_E_ARGUMENT, path, 0,
                        "has no texture coordinates; export it with them");
  if (!status) status = match(&hull, points, triangles, count, spots, &found, error);
  if (!status && !found)
    status = pl_fail_at(error, PL_E_ARGUMENT, path, 0,
                        "has no triangle of the surface that the texture is for");
  pl_hull_free(&hull);
  return status;
}
