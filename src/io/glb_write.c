/* Writing .glb files: glTF 2.0 (Khronos) in one binary file, a JSON text and the numbers it speaks
 * of. An animation is one mesh with a morph target for every frame behind the first, whose weights
 * go from 0 to 1 and back, one after the other: in between, every viewer shows the straight way
 * from frame to frame.
 *
 * glTF has y upwards; where z is up in the scene, (x, y, z) becomes (x, z, -y). */
#include "io/glb.h"

#include "core/memory.h"
#include "io/hull.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
enum { INT_TYPE = 5125, FLOAT_TYPE = 5126, INDEX_TARGET = 34963, POINT_TARGET = 34962 };

typedef struct writer {
  const pl_reel *reel;
  int smooth, turned;
  pl_text numbers, accessors;
  int accessor_count;
  size_t points_start, times_start;
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
              w->accessor_count ? "," : "", view, start, type, count,
              width == 3 ? "VEC3" : "SCALAR");
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
  size_t start = w->numbers.size, count = 3 * (size_t)w->reel->point_count;
  for (size_t i = 0; i < count; i++) {
    float value = base ? values[i] - base[i] : values[i];
    pl_text_float(&w->numbers, value);
    bounds[i % 3] = fminf(bounds[i % 3], value);
    bounds[3 + i % 3] = fmaxf(bounds[3 + i % 3], value);
  }
  add_accessor(w, 1, start - w->points_start, FLOAT_TYPE, count / 3, 3,
               with_bounds ? bounds : NULL);
}

/* Accessor 0: the triangles. Then for each frame its places, and normals if they are smooth. At the
 * end, of an animation, times and weights. */
static void add_numbers(writer *w)
{
  const pl_reel *reel = w->reel;
  size_t normals = 3 * (size_t)reel->point_count, corners = 3 * (size_t)reel->triangle_count;
  pl_text_int32s(&w->numbers, reel->triangles, corners);
  add_accessor(w, 0, 0, INT_TYPE, corners, 1, NULL);
  w->points_start = w->numbers.size;
  for (int f = 0; f < reel->frame_count; f++) {
    float *now = f ? w->frame : w->base;
    take_frame(w, f, now);
    add_vectors(w, now, f ? w->base : NULL, 1);
    if (w->smooth) add_vectors(w, now + normals, f ? w->base + normals : NULL, 0);
  }
  w->times_start = w->numbers.size;
  if (reel->frame_count == 1) return;
  float ends[2] = {(float)reel->times[0], (float)reel->times[reel->frame_count - 1]};
  size_t frames = (size_t)reel->frame_count;
  pl_text_floats(&w->numbers, reel->times, frames);
  add_accessor(w, 2, 0, FLOAT_TYPE, frames, 1, ends);
  add_accessor(w, 2, 4 * frames, FLOAT_TYPE, frames * (frames - 1), 1, NULL);
  for (size_t i = 0; i < frames * (frames - 1); i++)
    pl_text_float(&w->numbers, i / (frames - 1) == i % (frames - 1) + 1 ? 1 : 0);
}

/* The accessors of a frame as the attributes of the mesh or of a target. */
static void put_attributes(const writer *w, int frame, pl_text *text)
{
  int first = 1 + frame * (w->smooth ? 2 : 1);
  pl_text_add(text, "{\"POSITION\":%d", first);
  if (w->smooth) pl_text_add(text, ",\"NORMAL\":%d", first + 1);
  pl_text_add(text, "}");
}

static void put_mesh(const writer *w, pl_text *text)
{
  int frames = w->reel->frame_count;
  pl_text_add(text, ",\"meshes\":[{\"primitives\":[{\"attributes\":");
  put_attributes(w, 0, text);
  pl_text_add(text, ",\"indices\":0,\"material\":0");
  for (int f = 1; f < frames; f++) {
    pl_text_add(text, f == 1 ? ",\"targets\":[" : ",");
    put_attributes(w, f, text);
  }
  pl_text_add(text, frames > 1 ? "]}]" : "}]");
  for (int f = 1; f < frames; f++) pl_text_add(text, f == 1 ? ",\"weights\":[0" : ",0");
  pl_text_add(text, frames > 1 ? "]}]" : "}]");
}

static void put_views(const writer *w, pl_text *text)
{
  size_t size = w->numbers.size;
  pl_text_add(
      text,
      ",\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%zu,\"target\":%d},"
      "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":12,\"target\":%d}",
      w->points_start, INDEX_TARGET, w->points_start, w->times_start - w->points_start,
      POINT_TARGET);
  if (size > w->times_start)
    pl_text_add(text, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", w->times_start,
                size - w->times_start);
  pl_text_add(text, "],\"buffers\":[{\"byteLength\":%zu}]", size);
}

static void put_json(const writer *w, pl_text *text)
{
  pl_text_add(text,
              "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %d.%d.%d\"},\"scene\":0,"
              "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"name\":\"",
              PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
  pl_text_json(text, w->reel->name);
  pl_text_add(text, "\"}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":"
                    "[0.8,0.36,0.2,1],\"metallicFactor\":0,\"roughnessFactor\":0.6}}]");
  put_mesh(w, text);
  if (w->reel->frame_count > 1)
    pl_text_add(text,
                ",\"animations\":[{\"name\":\"run\",\"samplers\":[{\"input\":%d,\"output\":%d}],"
                "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}]",
                w->accessor_count - 2, w->accessor_count - 1);
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

pl_status pl_glb_print(const pl_reel *reel, int smooth, int turned, pl_text *text, pl_error *error)
{
  size_t room = 6 * (size_t)reel->point_count, frames = (size_t)reel->frame_count;
  uint64_t bytes = 12 * (uint64_t)reel->triangle_count +
                   (uint64_t)frames * (smooth ? 24u : 12u) * (uint64_t)reel->point_count +
                   4 * (uint64_t)frames * frames;
  if (bytes + 1000 * (uint64_t)frames > INT32_MAX)
    return pl_fail(
        error, PL_E_LIMIT,
        "%zu frames of %d points are too much for a glb file; write fewer frames, or vtu", frames,
        reel->point_count);
  writer w = {.reel = reel,
              .smooth = smooth,
              .turned = turned,
              .numbers = pl_text_make(&text->allocator),
              .accessors = pl_text_make(&text->allocator)};
  pl_text json = pl_text_make(&text->allocator);
  w.base = pl_alloc(&text->allocator, room, sizeof *w.base);
  w.frame = pl_alloc(&text->allocator, room, sizeof *w.frame);
  pl_status status = w.base && w.frame ? PL_OK : pl_fail_memory(error);
  if (!status) {
    add_numbers(&w);
    put_json(&w, &json);
    put_file(&w, &json, text);
    status = pl_text_ok(&w.numbers, error);
  }
  if (!status) status = pl_text_ok(&w.accessors, error);
  if (!status) status = pl_text_ok(&json, error);
  if (!status) status = pl_text_ok(text, error);
  pl_free(&text->allocator, w.base);
  pl_free(&text->allocator, w.frame);
  pl_text_release(&json);
  pl_text_release(&w.numbers);
  pl_text_release(&w.accessors);
  return status;
}
