/* Reading .glb files: glTF 2.0 (Khronos), the triangles of all nodes of the scene, each moved as
 * its node says. Of an animated file this is the mesh without its animation. glTF has y upwards,
 * here z is up: (x, y, z) becomes (x, -z, y).
 *
 * Counts and offsets are checked against the bytes that they speak of. A mesh can be named by many
 * nodes, so what comes out is bounded by the size of the file as a whole. */
#include "io/glb.h"

#include "core/memory.h"
#include "io/hull.h"
#include "io/json.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
enum { BYTE_TYPE = 5121, SHORT_TYPE = 5123, INT_TYPE = 5125, FLOAT_TYPE = 5126 };
enum { TRIANGLES = 4, STRIP = 5, FAN = 6, MOST_DEPTH = 64 };

/* The values of one of glTF's lists by number. */
typedef struct list {
  int *items;
  size_t count;
} list;

typedef struct reader {
  pl_scan *scan;
  pl_hull *hull;
  pl_json json;
  const char *numbers;
  size_t number_size, budget; /* budget: points and triangles that may still come */
  list nodes, meshes, accessors, views;
  char *visited; /* nodes */
} reader;

/* Twelve numbers: a point p goes to m[0..2] x + m[3..5] y + m[6..8] z + m[9..11]. */
typedef struct motion {
  double m[12];
} motion;

/* Where the numbers of an accessor lie. */
typedef struct numbers {
  const char *data;
  int64_t count;
  size_t stride;
  int type;
} numbers;

/* ---- the file and its lists ---- */

static pl_status read_chunks(reader *r, pl_scan *json, pl_error *error)
{
  int64_t magic = 0, version = 0, total = 0, size = 0, kind = 0;
  const char *data = NULL;
  pl_scan *scan = r->scan;
  scan->swap = !pl_little_endian();
  pl_status status = pl_scan_int32(scan, "head", &magic, error);
  if (!status && magic != MAGIC)
    return pl_scan_fail(scan, error, PL_E_PARSE, "begins with no \"glTF\"; is it a .glb file?");
  if (!status) status = pl_scan_int32(scan, "version", &version, error);
  if (!status && version != 2)
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED, "is of version %lld; it must be 2",
                        (long long)version);
  if (!status) status = pl_scan_int32(scan, "size", &total, error);
  if (!status) status = pl_scan_int32(scan, "size of the JSON", &size, error);
  if (!status) status = pl_scan_int32(scan, "kind of the JSON", &kind, error);
  if (!status && kind != JSON_CHUNK)
    return pl_scan_fail(scan, error, PL_E_PARSE, "the first part is not JSON");
  if (!status) status = pl_scan_bytes(scan, "JSON", (uint32_t)size, &data, error);
  if (status) return status;
  *json = pl_scan_make(scan->path, data, (uint32_t)size);
  r->numbers = scan->at;
  if (pl_scan_left(scan) < 8) return PL_OK;
  status = pl_scan_int32(scan, "size of the numbers", &size, error);
  if (!status) status = pl_scan_int32(scan, "kind of the numbers", &kind, error);
  if (status || kind != BINARY_CHUNK) return status;
  r->number_size = (uint32_t)size;
  return pl_scan_bytes(scan, "numbers", (uint32_t)size, &r->numbers, error);
}

static pl_status find_list(const reader *r, const char *name, list *out, pl_error *error)
{
  int array = pl_json_member(&r->json, 0, name);
  for (int i = pl_json_first(&r->json, array); i >= 0; i = pl_json_next(&r->json, array, i))
    out->count++;
  out->items = pl_alloc(&r->hull->allocator, out->count, sizeof *out->items);
  if (!out->items) return pl_fail_memory(error);
  size_t count = 0;
  for (int i = pl_json_first(&r->json, array); i >= 0; i = pl_json_next(&r->json, array, i))
    out->items[count++] = i;
  return PL_OK;
}

/* A whole number that is a member of the object; preset if there is none. */
static pl_status read_whole(const reader *r, int object, const char *name, int64_t preset,
                            int64_t *value, pl_error *error)
{
  double number = (double)preset;
  *value = preset;
  int token = pl_json_member(&r->json, object, name);
  if (token >= 0 && !pl_json_number(&r->json, token, &number)) number = -1;
  if (token >= 0 && !(number >= 0 && number < 4294967296.0 && number == floor(number)))
    return pl_scan_fail(r->scan, error, PL_E_PARSE, "\"%s\" must be a whole number from 0 on",
                        name);
  *value = (int64_t)number;
  return PL_OK;
}

/* The value of a list that the member of an object names; -1 if there is no such member. */
static pl_status follow(const reader *r, int object, const char *name, const list *of, int *value,
                        pl_error *error)
{
  int64_t index;
  *value = -1;
  pl_status status = read_whole(r, object, name, -1, &index, error);
  if (status || index < 0) return status;
  if ((uint64_t)index >= of->count)
    return pl_scan_fail(r->scan, error, PL_E_PARSE, "\"%s\" names number %lld, but there are %zu",
                        name, (long long)index, of->count);
  *value = of->items[index];
  return PL_OK;
}

/* ---- numbers ---- */

static size_t size_of(int64_t type)
{
  if (type == BYTE_TYPE) return 1;
  if (type == SHORT_TYPE) return 2;
  return type == INT_TYPE || type == FLOAT_TYPE ? 4 : 0;
}

/* The numbers of an accessor with width values of one type each, all inside their part of the file.
 */
static pl_status read_accessor(const reader *r, int accessor, const char *kind, size_t width,
                               numbers *out, pl_error *error)
{
  int view;
  int64_t type, start, stride, offset, length, buffer;
  const pl_scan *scan = r->scan;
  pl_status status = follow(r, accessor, "bufferView", &r->views, &view, error);
  if (!status && (view < 0 || pl_json_member(&r->json, accessor, "sparse") >= 0))
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED,
                        "has sparse or compressed numbers; export it without");
  if (!status && !pl_json_is(&r->json, pl_json_member(&r->json, accessor, "type"), kind))
    return pl_scan_fail(scan, error, PL_E_PARSE, "an accessor is not of type %s", kind);
  if (!status) status = read_whole(r, accessor, "componentType", 0, &type, error);
  if (!status) status = read_whole(r, accessor, "count", 0, &out->count, error);
  if (!status) status = read_whole(r, accessor, "byteOffset", 0, &start, error);
  if (!status) status = read_whole(r, view, "byteOffset", 0, &offset, error);
  if (!status) status = read_whole(r, view, "byteLength", 0, &length, error);
  if (!status) status = read_whole(r, view, "byteStride", 0, &stride, error);
  if (!status) status = read_whole(r, view, "buffer", 0, &buffer, error);
  if (status) return status;
  size_t each = width * size_of(type);
  if (!each)
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED, "numbers of type %lld are not known",
                        (long long)type);
  if (buffer != 0)
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED,
                        "has numbers in another file; export it as one .glb");
  out->type = (int)type;
  out->stride = stride ? (size_t)stride : each;
  // all terms are below 2^32, and a stride below the size of what it passes would read twice
  uint64_t end = out->count ? (uint64_t)(out->count - 1) * out->stride + each : 0;
  if (out->stride < each || (uint64_t)start + end > (uint64_t)length ||
      (uint64_t)offset + (uint64_t)length > r->number_size)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "%lld numbers of %zu bytes do not fit into their part of the file; it is "
                        "cut off or damaged",
                        (long long)out->count, each);
  out->data = r->numbers + offset + start;
  return PL_OK;
}

static int64_t index_at(const numbers *from, int64_t i, int swap)
{
  const char *at = from->data + (size_t)i * from->stride;
  unsigned char bytes[2];
  memcpy(bytes, at, 1);
  if (from->type == BYTE_TYPE) return bytes[0];
  memcpy(bytes, at, 2);
  if (from->type == SHORT_TYPE) return bytes[0] + 256 * bytes[1];
  return (uint32_t)pl_load_int32(at, swap);
}

/* ---- meshes ---- */

static pl_status spend(reader *r, int64_t points, int64_t corners, pl_error *error)
{
  uint64_t amount = (uint64_t)points + (uint64_t)corners;
  if (amount > r->budget)
    return pl_scan_fail(r->scan, error, PL_E_LIMIT,
                        "uses its meshes too many times for a file of this size; "
                        "join them before you export");
  r->budget -= (size_t)amount;
  return PL_OK;
}

static pl_status add_points(const reader *r, const numbers *from, const motion *to, pl_error *error)
{
  pl_status status = PL_OK;
  for (int64_t i = 0; i < from->count && !status; i++) {
    const char *at = from->data + (size_t)i * from->stride;
    double p[3], q[3];
    for (int k = 0; k < 3; k++) p[k] = (double)pl_load_float(at + 4 * k, r->scan->swap);
    for (int k = 0; k < 3; k++)
      q[k] = to->m[k] * p[0] + to->m[3 + k] * p[1] + to->m[6 + k] * p[2] + to->m[9 + k];
    status = pl_hull_point(r->hull, r->scan, (double[]){q[0], 0 - q[2], q[1]}, error);
  }
  return status;
}

/* Where a corner lies in a picture; glTF counts from the upper left. */
static void read_spot(const reader *r, const numbers *spots, int64_t point)
{
  const char *at = spots->data + (size_t)point * spots->stride;
  r->hull->spot[0] = (double)pl_load_float(at, r->scan->swap);
  r->hull->spot[1] = 1 - (double)pl_load_float(at + 4, r->scan->swap);
}

/* The texture coordinates of a primitive; 0: it has none that can be used. */
static int find_spots(const reader *r, int attributes, int64_t points, numbers *spots)
{
  int accessor;
  r->hull->spot[0] = r->hull->spot[1] = 0;
  if (!r->hull->painted || follow(r, attributes, "TEXCOORD_0", &r->accessors, &accessor, NULL) ||
      accessor < 0)
    return 0;
  return !read_accessor(r, accessor, "VEC2", 2, spots, NULL) && spots->type == FLOAT_TYPE &&
         spots->count >= points;
}

/* The corners' triangles: each three, or, in strips and fans, each with two of those before. */
static pl_status add_triangles(const reader *r, const numbers *indices, int64_t corners, int mode,
                               int64_t points, const numbers *spots, pl_error *error)
{
  int64_t base = (int64_t)r->hull->point_count - points, step = mode == TRIANGLES ? 3 : 1;
  pl_status status = PL_OK;
  for (int64_t i = 0; i + 2 < corners && !status; i += step) {
    pl_fan fan = {0};
    for (int k = 0; k < 3 && !status; k++) {
      int64_t place = mode == FAN && k == 0 ? 0 : i + k;
      if (mode == STRIP && i % 2 && k) place = i + 3 - k;
      int64_t point = indices ? index_at(indices, place, r->scan->swap) : place;
      if (point >= points)
        return pl_scan_fail(r->scan, error, PL_E_PARSE,
                            "a triangle names point %lld, but there are %lld", (long long)point,
                            (long long)points);
      if (spots) read_spot(r, spots, point);
      status = pl_hull_corner(r->hull, &fan, r->scan, base + point, error);
    }
  }
  return status;
}

static pl_status read_primitive(reader *r, int primitive, const motion *to, pl_error *error)
{
  int64_t mode;
  int points, corners;
  numbers places, spots, indices = {0};
  pl_status status = read_whole(r, primitive, "mode", TRIANGLES, &mode, error);
  int attributes = pl_json_member(&r->json, primitive, "attributes");
  if (!status) status = follow(r, attributes, "POSITION", &r->accessors, &points, error);
  if (!status) status = follow(r, primitive, "indices", &r->accessors, &corners, error);
  if (!status) status = spend(r, 4, 0, error);
  if (status || points < 0 || mode < TRIANGLES || mode > FAN) return status;
  status = read_accessor(r, points, "VEC3", 3, &places, error);
  if (!status && places.type != FLOAT_TYPE)
    return pl_scan_fail(r->scan, error, PL_E_UNSUPPORTED,
                        "has places that are no floats; export it without compression");
  if (!status && corners >= 0) status = read_accessor(r, corners, "SCALAR", 1, &indices, error);
  if (!status && indices.type == FLOAT_TYPE)
    return pl_scan_fail(r->scan, error, PL_E_PARSE,
                        "the corners of triangles are no whole numbers");
  int64_t count = corners >= 0 ? indices.count : places.count;
  if (!status) status = spend(r, places.count, mode == TRIANGLES ? count / 3 : count, error);
  if (!status) status = add_points(r, &places, to, error);
  if (!status)
    status = add_triangles(r, corners >= 0 ? &indices : NULL, count, (int)mode, places.count,
                           find_spots(r, attributes, places.count, &spots) ? &spots : NULL, error);
  return status;
}

static pl_status read_mesh(reader *r, int mesh, const motion *to, pl_error *error)
{
  int array = pl_json_member(&r->json, mesh, "primitives");
  pl_status status = PL_OK;
  for (int i = pl_json_first(&r->json, array); i >= 0 && !status;
       i = pl_json_next(&r->json, array, i))
    status = read_primitive(r, i, to, error);
  return status;
}

/* ---- nodes ---- */

/* Count numbers that are a member of the node; 0 if it has none. */
static int read_numbers(const reader *r, int node, const char *name, int count, double *values)
{
  int array = pl_json_member(&r->json, node, name), i = pl_json_first(&r->json, array);
  for (int k = 0; k < count; k++) {
    if (i < 0 || !pl_json_number(&r->json, i, &values[k])) return 0;
    i = pl_json_next(&r->json, array, i);
  }
  return 1;
}

/* The node's own motion: a 4x4 matrix by columns, or scale, turn (a quaternion) and shift. */
static motion motion_of(const reader *r, int node)
{
  double matrix[16], s[3] = {1, 1, 1}, q[4] = {0, 0, 0, 1}, t[3] = {0};
  if (read_numbers(r, node, "matrix", 16, matrix)) {
    motion given;
    for (int i = 0; i < 12; i++) given.m[i] = matrix[4 * (i / 3) + i % 3];
    return given;
  }
  if (!read_numbers(r, node, "scale", 3, s)) s[0] = s[1] = s[2] = 1;
  if (!read_numbers(r, node, "rotation", 4, q)) q[0] = q[1] = q[2] = 0, q[3] = 1;
  if (!read_numbers(r, node, "translation", 3, t)) t[0] = t[1] = t[2] = 0;
  double x = q[0], y = q[1], z = q[2], w = q[3];
  return (motion){{s[0] * (1 - 2 * (y * y + z * z)), s[0] * 2 * (x * y + z * w),
                   s[0] * 2 * (x * z - y * w), s[1] * 2 * (x * y - z * w),
                   s[1] * (1 - 2 * (x * x + z * z)), s[1] * 2 * (y * z + x * w),
                   s[2] * 2 * (x * z + y * w), s[2] * 2 * (y * z - x * w),
                   s[2] * (1 - 2 * (x * x + y * y)), t[0], t[1], t[2]}};
}

/* First inner, then outer. */
static motion compose(const motion *outer, const motion *inner)
{
  motion both;
  for (int c = 0; c < 4; c++) {
    for (int k = 0; k < 3; k++) {
      both.m[3 * c + k] = c == 3 ? outer->m[9 + k] : 0;
      for (int j = 0; j < 3; j++) both.m[3 * c + k] += outer->m[3 * j + k] * inner->m[3 * c + j];
    }
  }
  return both;
}

static pl_status read_node(reader *r, int64_t index, const motion *outer, int depth,
                           pl_error *error);

/* The nodes that a member of the object lists. */
static pl_status read_nodes(reader *r, int object, const char *name, const motion *outer, int depth,
                            pl_error *error)
{
  int array = pl_json_member(&r->json, object, name);
  pl_status status = PL_OK;
  for (int i = pl_json_first(&r->json, array); i >= 0 && !status;
       i = pl_json_next(&r->json, array, i)) {
    double number = -1;
    pl_json_number(&r->json, i, &number);
    if (!(number >= 0 && number < (double)r->nodes.count))
      return pl_scan_fail(r->scan, error, PL_E_PARSE, "a node is named that there is not");
    status = read_node(r, (int64_t)number, outer, depth + 1, error);
  }
  return status;
}

static pl_status read_node(reader *r, int64_t index, const motion *outer, int depth,
                           pl_error *error)
{
  int mesh;
  if (depth > MOST_DEPTH || r->visited[index])
    return pl_scan_fail(r->scan, error, PL_E_PARSE,
                        "node %lld lies deeper than %d below others, or below two of them",
                        (long long)index, MOST_DEPTH);
  r->visited[index] = 1;
  int node = r->nodes.items[index];
  motion own = motion_of(r, node), both = compose(outer, &own);
  pl_status status = follow(r, node, "mesh", &r->meshes, &mesh, error);
  if (!status && mesh >= 0) status = read_mesh(r, mesh, &both, error);
  return status ? status : read_nodes(r, node, "children", &both, depth, error);
}

/* Does an extension leave triangles as they are? */
static int is_harmless(const pl_json_token *name)
{
  static const char *const beginnings[] = {"KHR_texture_",
                                           "KHR_materials_",
                                           "KHR_lights_",
                                           "KHR_xmp",
                                           "KHR_audio",
                                           "KHR_animation_",
                                           "EXT_texture_",
                                           "EXT_lights_",
                                           "EXT_mesh_features",
                                           "EXT_structural_",
                                           "EXT_instance_features",
                                           "MSFT_texture_",
                                           "MSFT_packing_",
                                           "ADOBE_materials_",
                                           "AGI_"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
    size_t length = strlen(beginnings[i]);
    if ((size_t)name->size >= length && strncmp(name->at, beginnings[i], length) == 0) return 1;
  }
  return 0;
}

/* Those that the triangles cannot be read without. */
static pl_status check_extensions(reader *r, pl_error *error)
{
  int needed = pl_json_member(&r->json, 0, "extensionsRequired");
  for (int i = pl_json_first(&r->json, needed); i >= 0; i = pl_json_next(&r->json, needed, i)) {
    const pl_json_token *name = &r->json.tokens[i];
    if (!is_harmless(name))
      return pl_scan_fail(
          r->scan, error, PL_E_UNSUPPORTED,
          "needs the extension %.*s, which changes how triangles are stored; export "
          "it without (compression, quantisation and instancing switched off)",
          name->size > 60 ? 60 : (int)name->size, name->at);
  }
  return PL_OK;
}

/* What the file's scene shows; all meshes where there is none. */
static pl_status read_scene(reader *r, pl_error *error)
{
  static const motion stay = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
  list scenes = {0};
  int scene;
  pl_status status = check_extensions(r, error);
  if (!status) status = find_list(r, "scenes", &scenes, error);
  if (!status) status = follow(r, 0, "scene", &scenes, &scene, error);
  if (!status && scene < 0 && scenes.count) scene = scenes.items[0];
  if (!status && scene >= 0) status = read_nodes(r, scene, "nodes", &stay, 0, error);
  for (size_t i = 0; i < r->meshes.count && !status && scene < 0; i++)
    status = read_mesh(r, r->meshes.items[i], &stay, error);
  pl_free(&r->hull->allocator, scenes.items);
  return status;
}

static pl_status read_all(pl_scan *scan, pl_hull *hull, pl_error *error)
{
  reader r = {.scan = scan, .hull = hull, .budget = pl_scan_left(scan) / 4 + 1000};
  pl_scan text;
  const pl_allocator *allocator = &hull->allocator;
  pl_status status = read_chunks(&r, &text, error);
  if (!status) status = pl_json_parse(allocator, &text, &r.json, error);
  if (status) return status;
  // from here on errors have no place in the file
  scan->binary = scan->first_line = 0;
  scan->at = scan->start;
  status = find_list(&r, "nodes", &r.nodes, error);
  if (!status) status = find_list(&r, "meshes", &r.meshes, error);
  if (!status) status = find_list(&r, "accessors", &r.accessors, error);
  if (!status) status = find_list(&r, "bufferViews", &r.views, error);
  if (!status) r.visited = pl_alloc(allocator, r.nodes.count, 1);
  if (!status && !r.visited) status = pl_fail_memory(error);
  if (!status) status = read_scene(&r, error);
  pl_free(allocator, r.visited);
  pl_free(allocator, r.nodes.items);
  pl_free(allocator, r.meshes.items);
  pl_free(allocator, r.accessors.items);
  pl_free(allocator, r.views.items);
  pl_json_free(&r.json);
  return status;
}

static pl_status glb_read_painted(const pl_source *source, pl_hull *hull, pl_error *error)
{
  return pl_hull_read_painted(source, hull, read_all, error);
}

static pl_status glb_read(const pl_source *source, pl_skin **skin, pl_error *error)
{
  return pl_hull_read(source, skin, read_all, error);
}

/* ---- the picture on it ---- */

/* The value that a chain of lists leads to: the member of an object names a number in a list. */
static pl_status follow_list(const reader *r, int object, const char *name, const char *in,
                             int *value, pl_error *error)
{
  list all = {0};
  pl_status status = find_list(r, in, &all, error);
  if (!status) status = follow(r, object, name, &all, value, error);
  pl_free(&r->hull->allocator, all.items);
  return status;
}

/* The image of the first material that has one, as it lies in the file. */
static pl_status find_image(const reader *r, const char **data, size_t *size, pl_error *error)
{
  int materials = pl_json_member(&r->json, 0, "materials"), texture = -1, image = -1, view = -1;
  int64_t start = 0, length = 0;
  pl_status status = PL_OK;
  for (int m = pl_json_first(&r->json, materials); m >= 0 && texture < 0 && !status;
       m = pl_json_next(&r->json, materials, m)) {
    int looks = pl_json_member(&r->json, m, "pbrMetallicRoughness");
    int colour = pl_json_member(&r->json, looks, "baseColorTexture");
    if (colour >= 0) status = follow_list(r, colour, "index", "textures", &texture, error);
  }
  if (!status && texture >= 0) status = follow_list(r, texture, "source", "images", &image, error);
  if (!status && image >= 0)
    status = follow_list(r, image, "bufferView", "bufferViews", &view, error);
  if (status || view < 0) return status;
  status = read_whole(r, view, "byteOffset", 0, &start, error);
  if (!status) status = read_whole(r, view, "byteLength", 0, &length, error);
  if (!status && (uint64_t)start + (uint64_t)length > r->number_size)
    status = pl_scan_fail(r->scan, error, PL_E_PARSE, "an image lies outside of the file");
  if (status) return status;
  *data = r->numbers + start;
  *size = (size_t)length;
  return PL_OK;
}

pl_status pl_glb_image(const pl_source *source, const char **data, size_t *size, pl_error *error)
{
  pl_scan scan = pl_scan_make(source->path, source->file.data, source->file.size), text;
  pl_hull hull = {.allocator = *source->allocator};
  reader r = {.scan = &scan, .hull = &hull};
  *data = NULL;
  *size = 0;
  pl_status status = read_chunks(&r, &text, error);
  if (!status) status = pl_json_parse(source->allocator, &text, &r.json, error);
  if (status) return status;
  scan.binary = scan.first_line = 0;
  scan.at = scan.start;
  status = find_image(&r, data, size, error);
  pl_json_free(&r.json);
  return status;
}

/* ---- writing ---- */

enum { SHADING, UP, BODIES, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [SHADING] = {"shading", "1", "with normals, or flat triangles in a file of half the size", 0, 0,
                 1, .words = "smooth|flat"},
    [UP] = {"up", "1", "what points upwards in the scene", 0, 0, 1, .words = "z|y"},
    [BODIES] = {"bodies", "1", "in a run, each in a file of its own, or all in bodies.glb", 0, 0, 1,
                .words = "apart|together"},
};

static pl_status glb_animate(const pl_reel *reel, const char *path, const double *values,
                             pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  pl_status status = pl_glb_print(reel, values[SHADING] < 1, values[UP] < 1, &text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

/* A mesh that does not move is an animation of one frame. */
static pl_status glb_write(const pl_snapshot *snapshot, const char *path, const double *values,
                           pl_error *error)
{
  pl_hull hull;
  pl_status status = pl_hull_of(snapshot, NULL, &hull, error);
  if (status) return status;
  size_t count = 3 * hull.point_count;
  float *positions = pl_alloc(&hull.allocator, count, sizeof *positions);
  for (size_t i = 0; positions && i < count; i++) positions[i] = pl_hull_single(hull.points[i]);
  pl_reel reel = {.name = pl_path_name(path),
                  .point_count = (int)hull.point_count,
                  .triangle_count = (int)hull.triangle_count,
                  .frame_count = 1,
                  .triangles = hull.triangles,
                  .times = &(double){0},
                  .positions = positions};
  status = positions ? glb_animate(&reel, path, values, error) : pl_fail_memory(error);
  pl_free(&hull.allocator, positions);
  pl_hull_free(&hull);
  return status;
}

const pl_format_ops pl_format_glb = {
    .info = PL_INFO("glb", "glTF surfaces, and runs as animations that Blender and browsers play",
                    "Khronos, glTF 2.0", params),
    .extensions = "glb",
    .read_surface = glb_read,
    .read_painted = glb_read_painted,
    .write = glb_write,
    .animate = glb_animate,
    .together = BODIES + 1,
};
