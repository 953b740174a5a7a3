/* PLY (G. Turk, 1994): a text head that lists elements and their properties, then the data as text
 * or as binary numbers of either byte order. Points are the x, y, z of "vertex", polygons the list
 * "vertex_indices" of "face", or of "tristrips" strips of triangles that -1 ends (Stanford's
 * scans); all else is passed over. */
#include "core/memory.h"
#include "io/hull.h"
#include "mesh/mesh.h"

#include <string.h>

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };

typedef enum kind { I8, U8, I16, U16, I32, U32, F32, F64, KINDS } kind;

static const struct {
  const char *name, *other;
  int size;
} kinds[KINDS] = {{"char", "int8", 1},     {"uchar", "uint8", 1},   {"short", "int16", 2},
                  {"ushort", "uint16", 2}, {"int", "int32", 4},     {"uint", "uint32", 4},
                  {"float", "float32", 4}, {"double", "float64", 8}};

/* What a property's value is for. */
typedef enum role { NOTHING, X_PLACE, Y_PLACE, Z_PLACE, CORNERS, STRIPS } role;

typedef struct property {
  kind type, count_type;
  int is_list;
  role role;
} property;

typedef struct element {
  int64_t count;
  int is_vertex, is_face, is_strip, property_count;
  property properties[MOST_PROPERTIES];
} element;

typedef struct head {
  int is_text, element_count;
  element elements[MOST_ELEMENTS];
} head;

/* ---- the head ---- */

static pl_status read_kind(pl_scan *line, kind *type, pl_error *error)
{
  pl_word word = pl_scan_word(line);
  for (int k = 0; k < KINDS; k++) {
    if (!pl_word_is(word, kinds[k].name) && !pl_word_is(word, kinds[k].other)) continue;
    *type = (kind)k;
    return PL_OK;
  }
  return pl_scan_fail(line, error, PL_E_PARSE, "the type of a property is none of PLY's");
}

static pl_status read_property(pl_scan *line, head *h, pl_error *error)
{
  element *e = h->element_count ? &h->elements[h->element_count - 1] : NULL;
  if (!e || e->property_count == MOST_PROPERTIES)
    return pl_scan_fail(line, error, PL_E_PARSE,
                        "a property stands outside an element, or is one too many");
  property *p = &e->properties[e->property_count++];
  *p = (property){0};
  pl_scan ahead = *line;
  pl_status status = PL_OK;
  if (pl_word_is(pl_scan_word(&ahead), "list")) {
    *line = ahead;
    p->is_list = 1;
    status = read_kind(line, &p->count_type, error);
  }
  if (!status) status = read_kind(line, &p->type, error);
  pl_word name = pl_scan_word(line);
  if (e->is_vertex && !p->is_list && name.size == 1 && *name.at >= 'x' && *name.at <= 'z')
    p->role = (role)(X_PLACE + (*name.at - 'x'));
  if ((e->is_face || e->is_strip) && p->is_list &&
      (pl_word_is(name, "vertex_indices") || pl_word_is(name, "vertex_index")))
    p->role = e->is_strip ? STRIPS : CORNERS;
  return status;
}

static pl_status read_element(pl_scan *line, head *h, pl_error *error)
{
  if (h->element_count == MOST_ELEMENTS)
    return pl_scan_fail(line, error, PL_E_LIMIT, "more than %d elements are too many",
                        MOST_ELEMENTS);
  element *e = &h->elements[h->element_count++];
  *e = (element){0};
  pl_word name = pl_scan_word(line);
  e->is_vertex = pl_word_is(name, "vertex");
  e->is_face = pl_word_is(name, "face");
  e->is_strip = pl_word_is(name, "tristrips");
  return pl_scan_int(line, "number of elements", &e->count, error);
}

static pl_status read_head(pl_scan *scan, head *h, pl_error *error)
{
  int formats = 0, first = 1;
  for (pl_word text; pl_scan_line(scan, &text); first = 0) {
    pl_scan line = *scan;
    line.at = text.at;
    line.end = text.at + text.size;
    pl_word word = pl_scan_word(&line);
    pl_status status = PL_OK;
    if (first && !pl_word_is(word, "ply")) break;
    if (pl_word_is(word, "end_header")) {
      if (formats == 1) return PL_OK;
      break;
    }
    if (pl_word_is(word, "format")) {
      word = pl_scan_word(&line);
      int little = pl_word_is(word, "binary_little_endian");
      h->is_text = pl_word_is(word, "ascii");
      if (!h->is_text && !little && !pl_word_is(word, "binary_big_endian")) break;
      scan->swap = little != pl_little_endian();
      formats++;
    } else if (pl_word_is(word, "element")) {
      status = read_element(&line, h, error);
    } else if (pl_word_is(word, "property")) {
      status = read_property(&line, h, error);
    }
    if (status) return status;
  }
  return pl_scan_fail(scan, error, PL_E_PARSE,
                      "has no complete PLY head: \"ply\", a format, \"end_header\"");
}

/* ---- the data ---- */

/* One number, as text or binary; whole ones are exact in a double. */
static pl_status read_value(pl_scan *scan, const head *h, kind type, double *value, pl_error *error)
{
  if (h->is_text) return pl_scan_double(scan, "value", value, error);
  const char *d = NULL;
  pl_status status = pl_scan_bytes(scan, "value", (uint64_t)kinds[type].size, &d, error);
  if (status) return status;
  unsigned char low, high;
  memcpy(&low, d, 1);
  memcpy(&high, d + (kinds[type].size > 1), 1);
  unsigned two = scan->swap == pl_little_endian() ? low * 256u + high : high * 256u + low;
  switch (type) {
  case I8:
    *value = low < 128 ? low : low - 256;
    break;
  case U8:
    *value = low;
    break;
  case I16:
    *value = two < 32768 ? two : (double)two - 65536;
    break;
  case U16:
    *value = two;
    break;
  case I32:
    *value = pl_load_int32(d, scan->swap);
    break;
  case U32:
    *value = (uint32_t)pl_load_int32(d, scan->swap);
    break;
  case F32:
    *value = (double)pl_load_float(d, scan->swap);
    break;
  default:
    *value = pl_load_double(d, scan->swap);
    break;
  }
  return PL_OK;
}

/* A strip of triangles on its way: every second one is turned. */
typedef struct strip {
  int64_t points[2];
  int count;
} strip;

static pl_status add_to_strip(pl_scan *scan, strip *s, double value, pl_hull *hull, pl_error *error)
{
  int64_t point = value >= 0 && value < 1e10 ? (int64_t)value : -1;
  if (value == -1) {
    s->count = 0;
    return PL_OK;
  }
  pl_fan fan = {0};
  int turned = s->count % 2;
  const int64_t corners[3] = {s->points[turned], s->points[1 - turned], point};
  pl_status status = PL_OK;
  // a triangle with a corner twice leads on to the next strip
  int is_real =
      s->count > 1 && corners[0] != corners[1] && corners[0] != point && corners[1] != point;
  for (int k = 0; k < 3 && !status && is_real; k++)
    status = pl_hull_corner(hull, &fan, scan, corners[k], error);
  if (!status && point < 0)
    status =
        pl_scan_fail(scan, error, PL_E_PARSE, "a strip names point %g, which there is not", value);
  if (s->count < 2) {
    s->points[s->count] = point;
  } else {
    s->points[0] = s->points[1];
    s->points[1] = point;
  }
  s->count++;
  return status;
}

/* One property of one element; a list's numbers are each counted against what follows by reading
 * them. */
static pl_status read_item(pl_scan *scan, const head *h, const property *p, pl_hull *hull,
                           double place[3], pl_error *error)
{
  double count = 1, value = 0;
  pl_status status = PL_OK;
  pl_fan fan = {0};
  strip triangles = {0};
  if (p->is_list) status = read_value(scan, h, p->count_type, &count, error);
  if (!status && !(count >= 0 && count < 1e9))
    status = pl_scan_fail(scan, error, PL_E_PARSE, "a list has %g entries", count);
  for (int64_t i = 0; !status && i < (int64_t)count; i++) {
    status = read_value(scan, h, p->type, &value, error);
    if (status) break;
    if (p->role >= X_PLACE && p->role <= Z_PLACE) place[p->role - X_PLACE] = value;
    if (p->role == STRIPS) status = add_to_strip(scan, &triangles, value, hull, error);
    if (p->role == CORNERS)
      status =
          pl_hull_corner(hull, &fan, scan, value >= 0 && value < 1e10 ? (int64_t)value : -1, error);
  }
  return status;
}

static pl_status read_data(pl_scan *scan, const head *h, pl_hull *hull, pl_error *error)
{
  pl_status status = PL_OK;
  for (int e = 0; e < h->element_count && !status; e++) {
    const element *of = &h->elements[e];
    if (!of->property_count) continue;
    status = pl_scan_claim(scan, "elements", of->count, INT64_MAX, 1, error);
    for (int64_t i = 0; i < of->count && !status; i++) {
      double place[3] = {0};
      for (int p = 0; p < of->property_count && !status; p++)
        status = read_item(scan, h, &of->properties[p], hull, place, error);
      if (!status && of->is_vertex) status = pl_hull_point(hull, scan, place, error);
    }
  }
  return status;
}

static pl_status read_all(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  head *h = pl_alloc(&hull->allocator, 1, sizeof *h);
  pl_status status = h ? read_head(scan, h, error) : pl_fail_memory(error);
  if (!status) status = read_data(scan, h, hull, error);
  pl_free(&hull->allocator, h);
  return status;
}

static pl_status read_surface(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_all, error);
}

static void print(const pl_hull *hull, const double *values, pl_text *text)
{
  (void)values;
  pl_text_add(text,
              "ply\nformat binary_little_endian 1.0\ncomment the boundary of a mesh, in m\n"
              "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
              "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
              hull->point_count, hull->triangle_count);
  pl_text_floats(text, hull->points, 3 * hull->point_count);
  for (size_t i = 0; i < hull->triangle_count; i++) {
    pl_text_bytes(text, "\3", 1);
    pl_text_int32s(text, hull->triangles + 3 * i, 3);
  }
}

static pl_status write(const pl_snapshot *snapshot, const char *path, const double *values,
                       pl_error *error)
{
  return pl_hull_write(snapshot, path, values, print, error);
}

const pl_format_ops pl_format_ply = {
    .info = {"ply", "surfaces from scanners", "Turk 1994", NULL, 0, NULL},
    .extensions = "ply",
    .read_surface = read_surface,
    .write = write,
};
