/* Writing .glb files: glTF 2.0 (Khronos) in one binary file, a JSON text and the numbers it speaks
 * of. An animation is one mesh per body with a morph target for every frame behind the first, whose
 * weights go from 0 to 1 and back, one after the other: in between, every viewer shows the straight
 * way from frame to frame.
 *
 * glTF has y upwards; where z is up in the scene, (x, y, z) becomes (x, z, -y). */
#include "io/glb.h"

#include "core/memory.h"
#include "io/hull.h"
#include "io/paint.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
enum { INT_TYPE = 5125, FLOAT_TYPE = 5126, INDEX_TARGET = 34963, POINT_TARGET = 34962 };
enum { MATERIALS = 6 };

/* A body's share of the file: where its accessors and views begin, and its numbers end. */
typedef struct part {
  const pl_reel *reel;
  int accessor, view;
  size_t start, points_start, times_start, end;
  // a picture on it: its vertices, texture coordinates, and the bytes of the image
  pl_paint paint;
  int spots_accessor, material;
  size_t spots_start, image_start, image_end;
} part;

/* Vertices are points, or more where a picture has seams. */
static size_t vertex_count(const part *p)
{
  return (size_t)(p->paint.count ? p->paint.count : p->reel->point_count);
}

typedef struct writer {
  const pl_reel *reel; /* of the part in hand */
  part *parts, *part;
  int part_count, smooth, turned;
  pl_text numbers, accessors;
  int accessor_count;
  float *base, *frame; /* place and normal of every point in the first frame and in the current */
} writer;

/* Names count things of the buffer's view from start on, with their bounds. */
static int add_accessor(writer *w, int view, size_t start, int type, size_t count, int width,
                        const float *bounds)
{
  pl_text *text = &w->accessors;
  pl_text_add(text,
              "%s{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%zu,"
              "\"type\":\"%s\"",
              w->accessor_count ? "," : "", w->part->view + view, start, type, count,
              width == 3   ? "VEC3"
              : width == 2 ? "VEC2"
                           : "SCALAR");
  for (int side = 0; bounds && side < 2; side++) {
    pl_text_add(text, side ? ",\"max\":[" : ",\"min\":[");
    for (int k = 0; k < width; k++) {
      pl_text_add(text, "%s", k ? "," : "");
      pl_text_number(text, (double)bounds[side * width + k]);
    }
    pl_text_add(text, "]");
  }
  pl_text_add(text, "}");
  return w->accessor_count++;
}

/* The places of a frame in glTF's axes, and behind them the normals: the mean of the triangles
 * around, weighed by their area. */
static void take_frame(const writer *w, int frame, float *out)
{
  const pl_reel *reel = w->reel;
  size_t count = 3 * (size_t)reel->point_count;
  const float *from = reel->positions + (size_t)frame * count;
  for (size_t i = 0; i < count; i += 3) {
    out[i] = from[i];
    out[i + 1] = w->turned ? from[i + 2] : from[i + 1];
    out[i + 2] = w->turned ? -from[i + 1] : from[i + 2];
  }
  if (!w->smooth) return;
  float *normals = out + count;
  memset(normals, 0, count * sizeof *normals);
  for (int t = 0; t < reel->triangle_count; t++) {
    const int *n = reel->triangles + 3 * (size_t)t;
    double a[3], b[3], area[3];
    for (int k = 0; k < 3; k++) {
      const float *p = out + k;
      a[k] = (double)p[3 * n[1]] - (double)p[3 * n[0]];
      b[k] = (double)p[3 * n[2]] - (double)p[3 * n[0]];
    }
    pl_vec3_cross(a, b, area);
    for (int k = 0; k < 9; k++) normals[3 * n[k / 3] + k % 3] += (float)area[k % 3];
  }
  for (size_t i = 0; i < count; i += 3) {
    double n[3] = {(double)normals[i], (double)normals[i + 1], (double)normals[i + 2]};
    double length = pl_vec3_norm(n);
    for (size_t k = 0; k < 3; k++)
      normals[i + k] = length > 0 ? (float)(n[k] / length) : (float)(k == 1);
  }
}

/* Adds count vectors, as they are or as differences from those of the base. */
static void add_vectors(writer *w, const float *values, const float *base, int with_bounds)
{
  float bounds[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  size_t start = w->numbers.size, count = 3 * vertex_count(w->part);
  const int *point = w->part->paint.point;
  for (size_t i = 0; i < count; i++) {
    size_t from = point ? 3 * (size_t)point[i / 3] + i % 3 : i;
    float value = base ? values[from] - base[from] : values[from];
    pl_text_float(&w->numbers, value);
    bounds[i % 3] = fminf(bounds[i % 3], value);
    bounds[3 + i % 3] = fmaxf(bounds[3 + i % 3], value);
  }
  add_accessor(w, 1, start - w->part->points_start, FLOAT_TYPE, count / 3, 3,
               with_bounds ? bounds : NULL);
}

/* The first accessor: the triangles. Then for each frame its places, and normals if they are
 * smooth. At the end, of an animation, times and weights. */
static void add_numbers(writer *w)
{
  const pl_reel *reel = w->reel;
  size_t normals = 3 * (size_t)reel->point_count, corners = 3 * (size_t)reel->triangle_count;
  w->part->start = w->numbers.size;
  w->part->accessor = w->accessor_count;
  pl_text_int32s(&w->numbers, w->part->paint.count ? w->part->paint.triangles : reel->triangles,
                 corners);
  add_accessor(w, 0, 0, INT_TYPE, corners, 1, NULL);
  w->part->points_start = w->numbers.size;
  for (int f = 0; f < reel->frame_count; f++) {
    float *now = f ? w->frame : w->base;
    take_frame(w, f, now);
    add_vectors(w, now, f ? w->base : NULL, 1);
    if (w->smooth) add_vectors(w, now + normals, f ? w->base + normals : NULL, 0);
  }
  w->part->times_start = w->part->end = w->numbers.size;
  if (reel->frame_count == 1) return;
  float ends[2] = {(float)reel->times[0], (float)reel->times[reel->frame_count - 1]};
  size_t frames = (size_t)reel->frame_count;
  pl_text_floats(&w->numbers, reel->times, frames);
  add_accessor(w, 2, 0, FLOAT_TYPE, frames, 1, ends);
  add_accessor(w, 2, 4 * frames, FLOAT_TYPE, frames * (frames - 1), 1, NULL);
  for (size_t i = 0; i < frames * (frames - 1); i++)
    pl_text_float(&w->numbers, i / (frames - 1) == i % (frames - 1) + 1 ? 1 : 0);
  w->part->end = w->numbers.size;
}

/* Texture coordinates and image, behind the numbers; views follow those of the numbers. */
static void add_picture(writer *w, int view)
{
  part *p = w->part;
  size_t count = vertex_count(p);
  p->spots_start = w->numbers.size;
  for (size_t i = 0; i < 2 * count; i++) pl_text_float(&w->numbers, p->paint.spots[i]);
  p->spots_accessor = add_accessor(w, view, 0, FLOAT_TYPE, count, 2, NULL);
  p->image_start = w->numbers.size;
  pl_text_bytes(&w->numbers, p->reel->image->data, p->reel->image->size);
  p->image_end = w->numbers.size;
  while (w->numbers.size % 4) pl_text_bytes(&w->numbers, "", 1);
}

static void add_parts(writer *w)
{
  int view = 0;
  for (int i = 0; i < w->part_count; i++) {
    w->part = &w->parts[i];
    w->reel = w->part->reel;
    w->part->view = view;
    add_numbers(w);
    int views = w->reel->frame_count > 1 ? 3 : 2;
    if (w->part->paint.count) add_picture(w, views);
    view += views + (w->part->paint.count ? 2 : 0);
  }
}

/* The accessors of a frame as the attributes of the mesh or of a target. */
static void put_attributes(const writer *w, const part *p, int frame, pl_text *text)
{
  int first = p->accessor + 1 + frame * (w->smooth ? 2 : 1);
  pl_text_add(text, "{\"POSITION\":%d", first);
  if (w->smooth) pl_text_add(text, ",\"NORMAL\":%d", first + 1);
  if (p->paint.count && !frame) pl_text_add(text, ",\"TEXCOORD_0\":%d", p->spots_accessor);
  pl_text_add(text, "}");
}

static void put_mesh(const writer *w, int number, pl_text *text)
{
  const part *p = &w->parts[number];
  int frames = p->reel->frame_count;
  pl_text_add(text, "%s{\"primitives\":[{\"attributes\":", number ? "," : ",\"meshes\":[");
  put_attributes(w, p, 0, text);
  pl_text_add(text, ",\"indices\":%d,\"material\":%d", p->accessor,
              p->paint.count ? p->material : number % MATERIALS);
  for (int f = 1; f < frames; f++) {
    pl_text_add(text, f == 1 ? ",\"targets\":[" : ",");
    put_attributes(w, p, f, text);
  }
  pl_text_add(text, frames > 1 ? "]}]" : "}]");
  for (int f = 1; f < frames; f++) pl_text_add(text, f == 1 ? ",\"weights\":[0" : ",0");
  pl_text_add(text, frames > 1 ? "]}" : "}");
  if (number + 1 == w->part_count) pl_text_add(text, "]");
}

static void put_views(const writer *w, pl_text *text)
{
  for (int i = 0; i < w->part_count; i++) {
    const part *p = &w->parts[i];
    pl_text_add(
        text,
        "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":12,\"target\":%d}",
        i ? "," : ",\"bufferViews\":[", p->start, p->points_start - p->start, INDEX_TARGET,
        p->points_start, p->times_start - p->points_start, POINT_TARGET);
    if (p->end > p->times_start)
      pl_text_add(text, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", p->times_start,
                  p->end - p->times_start);
    if (p->paint.count)
      pl_text_add(text,
                  ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":8,"
                  "\"target\":%d},{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
                  p->spots_start, p->image_start - p->spots_start, POINT_TARGET, p->image_start,
                  p->image_end - p->image_start);
  }
  pl_text_add(text, "],\"buffers\":[{\"byteLength\":%zu}]", w->numbers.size);
}

static void put_materials(const writer *w, pl_text *text)
{
  static const char *const colours[MATERIALS] = {"0.8,0.36,0.2",  "0.05,0.33,0.31",
                                                 "0.66,0.14,0.1", "0.2,0.28,0.67",
                                                 "0.33,0.48,0.1", "0.53,0.21,0.48"};
  for (int i = 0; i < w->part_count && i < MATERIALS; i++)
    pl_text_add(text,
                "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s,1],\"metallicFactor\":0,"
                "\"roughnessFactor\":0.6}}",
                i ? "," : ",\"materials\":[", colours[i]);
  for (int i = 0, texture = 0; i < w->part_count; i++) {
    if (!w->parts[i].paint.count) continue;
    pl_text_add(text,
                ",{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d},"
                "\"metallicFactor\":0,\"roughnessFactor\":0.8}}",
                texture++);
  }
  pl_text_add(text, "]");
}

/* One texture and one image for each body that has a picture. */
static void put_images(const writer *w, pl_text *text)
{
  int count = 0;
  for (int i = 0; i < w->part_count; i++) {
    const part *p = &w->parts[i];
    if (!p->paint.count) continue;
    int is_png = p->reel->image->size > 0 && p->reel->image->data[0] == '\x89';
    pl_text_add(text, "%s{\"bufferView\":%d,\"mimeType\":\"image/%s\"}",
                count++ ? "," : ",\"images\":[", p->view + (p->reel->frame_count > 1 ? 4 : 3),
                is_png ? "png" : "jpeg");
  }
  for (int i = 0; i < count; i++)
    pl_text_add(text, "%s{\"source\":%d}", i ? "," : "],\"textures\":[", i);
  if (count) pl_text_add(text, "]");
}

/* A sampler and a channel for each body that moves; times and weights are its last accessors. */
static void put_animation(const writer *w, pl_text *text)
{
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    for (int i = 0; i < w->part_count; i++) {
      if (w->parts[i].reel->frame_count == 1) continue;
      int after = i + 1 < w->part_count ? w->parts[i + 1].accessor : w->accessor_count;
      if (w->parts[i].paint.count) after--; // its texture coordinates come last
      pl_text_add(text, "%s",
                  count  ? ","
                  : pass ? "],\"channels\":["
                         : ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
      if (pass)
        pl_text_add(text, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"weights\"}}", count,
                    i);
      else
        pl_text_add(text, "{\"input\":%d,\"output\":%d}", after - 2, after - 1);
      count++;
    }
    if (pass && count) pl_text_add(text, "]}]");
  }
}

static void put_json(const writer *w, pl_text *text)
{
  pl_text_add(text,
              "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %d.%d.%d\"},\"scene\":0,"
              "\"scenes\":[{\"nodes\":[0",
              PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
  for (int i = 1; i < w->part_count; i++) pl_text_add(text, ",%d", i);
  pl_text_add(text, "]}]");
  for (int i = 0; i < w->part_count; i++) {
    pl_text_add(text, "%s{\"mesh\":%d,\"name\":\"", i ? "," : ",\"nodes\":[", i);
    pl_text_json(text, w->parts[i].reel->name);
    pl_text_add(text, "\"}");
  }
  pl_text_add(text, "]");
  put_materials(w, text);
  put_images(w, text);
  for (int i = 0; i < w->part_count; i++) put_mesh(w, i, text);
  put_animation(w, text);
  pl_text_add(text, ",\"accessors\":[");
  pl_text_bytes(text, w->accessors.data, w->accessors.size);
  pl_text_add(text, "]");
  put_views(w, text);
  pl_text_add(text, "}");
  while (text->size % 4) pl_text_add(text, " ");
}

/* Head, JSON and numbers, each with its size. */
static void put_file(const writer *w, const pl_text *json, pl_text *text)
{
  int total = (int)(12 + 8 + json->size + 8 + w->numbers.size);
  pl_text_int32s(text, (int[]){MAGIC, 2, total, (int)json->size, JSON_CHUNK}, 5);
  pl_text_bytes(text, json->data, json->size);
  pl_text_int32s(text, (int[]){(int)w->numbers.size, BINARY_CHUNK}, 2);
  pl_text_bytes(text, w->numbers.data, w->numbers.size);
}

/* How many bodies there are, the room that the largest needs, and whether the file can hold them.
 */
static pl_status count_parts(const pl_reel *reel, int smooth, int *count, size_t *room,
                             pl_error *error)
{
  uint64_t bytes = 0;
  for (*count = 0, *room = 0; reel; reel = reel->next, ++*count) {
    uint64_t frames = (uint64_t)reel->frame_count, points = (uint64_t)reel->point_count;
    if (6 * points > *room) *room = (size_t)(6 * points);
    bytes += 12 * (uint64_t)reel->triangle_count + frames * (smooth ? 24u : 12u) * points +
             4 * frames * frames + 1000 * frames;
    if (reel->image) {
      // at worst no corner shares its vertex
      bytes += 8 * points + reel->image->size +
               3 * (uint64_t)reel->triangle_count * (8 + frames * (smooth ? 24u : 12u));
    }
    if (bytes > INT32_MAX)
      return pl_fail(
          error, PL_E_LIMIT,
          "%d frames of %d points are too much for a glb file; write fewer frames, or vtu",
          reel->frame_count, reel->point_count);
  }
  return PL_OK;
}

static pl_status print_parts(writer *w, pl_text *text, pl_error *error)
{
  pl_text json = pl_text_make(&text->allocator);
  add_parts(w);
  put_json(w, &json);
  put_file(w, &json, text);
  pl_status status = pl_text_ok(&w->numbers, error);
  if (!status) status = pl_text_ok(&w->accessors, error);
  if (!status) status = pl_text_ok(&json, error);
  if (!status) status = pl_text_ok(text, error);
  pl_text_release(&json);
  return status;
}

/* Splits the points of bodies that have a picture. */
static pl_status split_points(writer *w, const pl_allocator *allocator, pl_error *error)
{
  int material = w->part_count < MATERIALS ? w->part_count : MATERIALS;
  pl_status status = PL_OK;
  for (int i = 0; i < w->part_count && !status; i++) {
    const pl_reel *reel = w->parts[i].reel;
    if (!reel->image || !reel->spots) continue;
    w->parts[i].material = material++;
    status = pl_paint_split(allocator, reel->point_count, reel->triangles, reel->triangle_count,
                            reel->spots, &w->parts[i].paint, error);
  }
  return status;
}

pl_status pl_glb_print(const pl_reel *reel, int smooth, int turned, pl_text *text, pl_error *error)
{
  size_t room;
  int count, i = 0;
  pl_status status = count_parts(reel, smooth, &count, &room, error);
  if (status) return status;
  writer w = {.part_count = count,
              .smooth = smooth,
              .turned = turned,
              .numbers = pl_text_make(&text->allocator),
              .accessors = pl_text_make(&text->allocator)};
  w.parts = pl_alloc(&text->allocator, (size_t)count, sizeof *w.parts);
  w.base = pl_alloc(&text->allocator, room, sizeof *w.base);
  w.frame = pl_alloc(&text->allocator, room, sizeof *w.frame);
  for (; w.parts && reel; reel = reel->next) w.parts[i++].reel = reel;
  status = w.parts && w.base && w.frame ? split_points(&w, &text->allocator, error)
                                        : pl_fail_memory(error);
  if (!status) status = print_parts(&w, text, error);
  for (i = 0; w.parts && i < count; i++) pl_paint_free(&text->allocator, &w.parts[i].paint);
  pl_free(&text->allocator, w.parts);
  pl_free(&text->allocator, w.base);
  pl_free(&text->allocator, w.frame);
  pl_text_release(&w.numbers);
  pl_text_release(&w.accessors);
  return status;
}
