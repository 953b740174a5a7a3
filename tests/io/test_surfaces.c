/* What every surface format must keep: a boundary that is written reads back, cut files and wrong
 * counts are refused with a sentence, and memory stays within its bound. */
#include "io/hull.h"
#include "memory.h"
#include "mesh/mesh.h"

#include <math.h>
#include <unistd.h>

#include "test.h"

static const pl_format_ops *surface_format(int index)
{
  const void *member = pl_format_family.members[index];
  const pl_format_ops *format = member;
  return format->read_surface ? format : NULL;
}

static pl_bytes written(const pl_format_ops *format, const char *element)
{
  pl_mesh *mesh = NULL;
  pl_setting settings[] = {{.name = "cells", .value = {3, 2, 2}},
                           {.name = "element", .word = element}};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 2}, NULL, &mesh, error));
  const char *folder = getenv("TMPDIR");
  char path[256];
  snprintf(path, sizeof path, "%s/pliant-surfaces-%ld.%s", folder ? folder : "/tmp", (long)getpid(),
           format->extensions);
  CHECK_OK(pl_mesh_write(mesh, path, error));
  pl_bytes bytes = {0};
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
  unlink(path);
  pl_mesh_destroy(mesh);
  return bytes;
}

static pl_status read_counted(const pl_format_ops *format, const char *data, size_t size,
                              pl_skin **skin)
{
  static counter c; // what was read asks for it when it is destroyed
  c = (counter){0};
  pl_allocator allocator = counter_allocator(&c);
  pl_error error = {0};
  pl_status status = read_surface_memory(format, data, size, &allocator, skin, &error);
  CHECK(!status == !error.message[0]);
  CHECK(c.peak <= memory_bound(format, size));
  if (status) CHECK(c.blocks == 0);
  return status;
}

TEST(round_trips)
{
  for (int i = 0; pl_format_family.members[i]; i++) {
    const pl_format_ops *format = surface_format(i);
    for (int hex = 0; format && hex < 2; hex++) {
      pl_bytes bytes = written(format, hex ? "hex" : "tet");
      pl_skin *skin = NULL;
      pl_error why = {0};
      pl_allocator allocator = pl_allocator_default();
      CHECK(!read_surface_memory(format, bytes.data, bytes.size, &allocator, &skin, &why));
      if (!skin) printf("  %s: %s\n", format->info.name, why.message);
      // a box of 3 x 2 x 2 cells has 34 points and 64 triangles on its faces
      CHECK(skin && skin->point_count == 34 && skin->triangle_count == 64);
      CHECK(skin && skin->facts.pieces == 1 && !skin->facts.open_edges);
      CHECK(skin && !skin->facts.turned_triangles && !skin->facts.crowded_edges);
      if (skin) CHECK_NEAR(pl_skin_winding(skin, (double[]){0.3, 0.4, 0.5}), 1, 0.05);
      pl_skin_destroy(skin);
      free(bytes.data);
    }
  }
}

/* A cut file is refused, or, where text ends between two lines, a surface with holes. */
TEST(truncated_files)
{
  for (int i = 0; pl_format_family.members[i]; i++) {
    const pl_format_ops *format = surface_format(i);
    if (!format) continue;
    pl_bytes bytes = written(format, "tet");
    int accepted = 0;
    for (size_t size = 0; size < bytes.size; size++) {
      counter c = {0};
      pl_allocator allocator = counter_allocator(&c);
      pl_skin *skin = NULL;
      pl_error why = {0};
      pl_status status = read_surface_memory(format, bytes.data, size, &allocator, &skin, &why);
      CHECK(!status == !why.message[0]);
      accepted += !status;
      pl_skin_destroy(skin);
      CHECK(c.blocks == 0 && c.peak <= memory_bound(format, size));
    }
    // only OBJ has no count that could tell
    if (strcmp(format->info.name, "obj") != 0) CHECK(accepted <= 4);
    free(bytes.data);
  }
}

/* Each run of digits in turn becomes a number that no count may be trusted with. */
TEST(replaced_numbers)
{
  static const char *const numbers[] = {"-1", "0", "2147483648", "9223372036854775808"};
  for (int i = 0; pl_format_family.members[i]; i++) {
    const pl_format_ops *format = surface_format(i);
    if (!format) continue;
    pl_bytes bytes = written(format, "tet");
    char *changed = malloc(bytes.size + 32);
    for (size_t at = 0; at < bytes.size && at < 1500; at++) {
      size_t end = at;
      while (end < bytes.size && bytes.data[end] >= '0' && bytes.data[end] <= '9') end++;
      if (end == at) continue;
      for (int n = 0; n < 4; n++) {
        size_t length = strlen(numbers[n]);
        memcpy(changed, bytes.data, at);
        memcpy(changed + at, numbers[n], length);
        memcpy(changed + at + length, bytes.data + end, bytes.size - end);
        counter c = {0};
        pl_allocator allocator = counter_allocator(&c);
        pl_skin *skin = NULL;
        pl_error why = {0};
        size_t size = at + length + bytes.size - end;
        pl_status status = read_surface_memory(format, changed, size, &allocator, &skin, &why);
        CHECK(!status == !why.message[0]);
        pl_skin_destroy(skin);
        CHECK(c.blocks == 0 && c.peak <= memory_bound(format, size));
      }
      at = end;
    }
    free(changed);
    free(bytes.data);
  }
}

/* The largest surface that the reader of .glb files lets a file of its size make: triangles of
 * three bytes each, or points that many nodes share. Memory keeps within the bound. */
TEST(dense_glb)
{
  enum { BYTES = 400000, POINTS = 200 };
  const pl_format_ops *format = pl_format_of("a.glb", NULL);
  for (int shared = 0; shared < 2; shared++) {
    pl_text json = pl_text_make(NULL), text = pl_text_make(NULL);
    int triangles = shared ? 50 : BYTES / 4 - 2 * POINTS, copies = shared ? 390 : 1;
    pl_text_add(&json, "{\"scenes\":[{\"nodes\":[0");
    for (int i = 1; i < copies; i++) pl_text_add(&json, ",%d", i);
    pl_text_add(&json, "]}],\"nodes\":[{\"mesh\":0}");
    for (int i = 1; i < copies; i++)
      pl_text_add(&json, ",{\"mesh\":0,\"translation\":[%d,0,0]}", 3 * i);
    pl_text_add(&json,
                "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
                "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":"
                "\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":%d,\"type\":"
                "\"SCALAR\"}],\"bufferViews\":[{\"byteLength\":%d},{\"byteOffset\":%d,"
                "\"byteLength\":%d}]}",
                POINTS, 3 * triangles, 12 * POINTS, 12 * POINTS, 3 * triangles);
    while (json.size % 4) pl_text_add(&json, " ");
    int rest = BYTES - (int)json.size - 28;
    pl_text_int32s(&text, (int[]){0x46546c67, 2, BYTES, (int)json.size, 0x4e4f534a}, 5);
    pl_text_bytes(&text, json.data, json.size);
    pl_text_int32s(&text, (int[]){rest, 0x4e4942}, 2);
    for (int i = 0; i < 3 * POINTS; i++) pl_text_float(&text, (float)test_uniform());
    while (text.size < BYTES) {
      char byte = (char)((unsigned)(test_uniform() * 1e6 + 1e6) % POINTS);
      pl_text_bytes(&text, &byte, 1);
    }
    pl_skin *skin = NULL;
    counter c = {0};
    pl_allocator allocator = counter_allocator(&c);
    CHECK_OK(read_surface_memory(format, text.data, text.size, &allocator, &skin, error));
    CHECK(skin && skin->triangle_count > 15000);
    pl_skin_destroy(skin);
    CHECK(c.blocks == 0 && c.peak <= memory_bound(format, text.size));
    pl_text_release(&json);
    pl_text_release(&text);
  }
}

/* A tetrahedron of strips: one that -1 ends, and one that goes over a corner given twice. */
TEST(ply_strips)
{
  static const char text[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
                             "property float y\nproperty float z\nelement tristrips 1\n"
                             "property list int int vertex_indices\nend_header\n"
                             "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  static const struct {
    const char *strips;
    int triangles;
  } cases[] = {{"4 0 2 1 3\n", 2},
               {"8 0 2 1 3 -1 0 1 3\n", 3},
               {"9 1 3 0 2 2 1 1 2 3\n", 3},
               {"2 0 1\n", 0},
               {"3 0 -2 1\n", -1}};
  const pl_format_ops *ply = pl_format_of("a.ply", NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char file[512];
    pl_skin *skin = NULL;
    snprintf(file, sizeof file, "%s%s", text, cases[i].strips);
    pl_status status = read_counted(ply, file, strlen(file), &skin);
    CHECK(cases[i].triangles <= 0 ? status == PL_E_PARSE : status == PL_OK);
    // one side was open and could be closed: at least those that were given, facing outwards
    if (!status) CHECK(skin->triangle_count >= cases[i].triangles);
    if (!status) CHECK(skin->facts.turned_triangles == 0 && skin->facts.pieces == 1);
    pl_skin_destroy(skin);
  }
}

/* A tetrahedron whose coordinates are whole numbers of one byte, two and four, with and without a
 * sign, in both orders of bytes. */
TEST(ply_whole_numbers)
{
  static const long corners[4][3] = {
      {-5, 0, 0}, {100, 1, 3000000000L}, {0, 50000, 2}, {1, 3, 4000000000L}};
  for (int big = 0; big < 2; big++) {
    pl_text text = pl_text_make(NULL);
    pl_text_add(&text,
                "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty char x\n"
                "property ushort y\nproperty uint z\nelement face 4\n"
                "property list uchar uchar vertex_indices\nend_header\n",
                big ? "big" : "little");
    for (int n = 0; n < 4; n++) {
      static const int sizes[] = {1, 2, 4};
      for (int k = 0; k < 3; k++) {
        for (int b = 0; b < sizes[k]; b++) {
          int shift = 8 * (big ? sizes[k] - 1 - b : b);
          pl_text_bytes(&text, &(unsigned char){(unsigned char)(corners[n][k] >> shift)}, 1);
        }
      }
    }
    pl_text_bytes(&text, "\3\0\2\1\3\0\1\3\3\0\3\2\3\1\2\3", 16);
    pl_skin *skin = NULL;
    CHECK_OK(read_counted(pl_format_of("a.ply", NULL), text.data, text.size, &skin));
    CHECK(skin && skin->point_count == 4 && skin->triangle_count == 4);
    for (int i = 0; skin && i < 12; i++) CHECK(skin->points[i] == (double)corners[i / 3][i % 3]);
    pl_skin_destroy(skin);
    pl_text_release(&text);
  }
}

/* A triangle in a .glb file that needs an extension. */
static pl_status read_extended(const char *extension, pl_error *error)
{
  const pl_format_ops *format = pl_format_of("a.glb", NULL);
  pl_text json = pl_text_make(NULL), text = pl_text_make(NULL);
  pl_skin *skin = NULL;
  pl_text_add(&json,
              "{\"extensionsRequired\":[\"KHR_materials_unlit\",\"%s\"],\"meshes\":[{"
              "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView"
              "\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{"
              "\"byteLength\":36}]}",
              extension);
  while (json.size % 4) pl_text_add(&json, " ");
  pl_text_int32s(&text, (int[]){0x46546c67, 2, (int)json.size + 64, (int)json.size, 0x4e4f534a}, 5);
  pl_text_bytes(&text, json.data, json.size);
  pl_text_int32s(&text, (int[]){36, 0x4e4942}, 2);
  pl_text_floats(&text, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
  pl_allocator allocator = pl_allocator_default();
  pl_status status = read_surface_memory(format, text.data, text.size, &allocator, &skin, error);
  pl_skin_destroy(skin);
  pl_text_release(&json);
  pl_text_release(&text);
  return status;
}

TEST(glb_extensions)
{
  static const char *const harmless[] = {"KHR_texture_transform", "KHR_materials_transmission",
                                         "EXT_texture_webp", "KHR_lights_punctual"};
  static const char *const needed[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression",
                                       "KHR_mesh_quantization", "EXT_mesh_gpu_instancing",
                                       "KHR_texture"};
  for (int i = 0; i < 4; i++) CHECK_OK(read_extended(harmless[i], error));
  for (int i = 0; i < 5; i++)
    CHECK_FAILS(read_extended(needed[i], error), PL_E_UNSUPPORTED, needed[i]);
}

TEST(errors_say_where)
{
  pl_skin *skin;
  const pl_format_ops *obj = pl_format_of("a.obj", NULL);
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 x 0\n";
  pl_allocator allocator = pl_allocator_default();
  CHECK_FAILS(read_surface_memory(obj, text, strlen(text), &allocator, &skin, error), PL_E_PARSE,
              "memory:3: the coordinate is \"x\"");
  CHECK(read_counted(obj, "", 0, &skin) == PL_E_PARSE);
  pl_mesh *mesh;
  CHECK_FAILS(pl_mesh_read("a.obj", NULL, &mesh, error), PL_E_UNSUPPORTED, "surface only");
}

TESTS(X(round_trips) X(truncated_files) X(replaced_numbers) X(dense_glb) X(ply_strips)
          X(ply_whole_numbers) X(glb_extensions) X(errors_say_where))
