/* Pictures on surfaces: coordinates are found whatever the order of triangles and corners, and what
 * is no image or has no coordinates is told. */
#include "core/memory.h"
#include "io/texture.h"

#include "mesh/failing.h"

#include <unistd.h>

static char folder[] = "/tmp/pliant-texture-XXXXXX";

static const char *write_file(const char *name, const void *data, size_t size)
{
  static char path[128];
  if (strstr(folder, "XXXXXX")) CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  CHECK_OK(pl_file_write(path, data, size, error));
  return path;
}

static const char *write_text(const char *name, const char *text)
{
  return write_file(name, text, strlen(text));
}

/* Two triangles of a square with the picture's own corners; the seam's corners have other places in
 * the second one. */
static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                             "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.25\n"
                             "f 1/1 2/2/7 3/3\nf -4/-1 3/3 4/4\n";
static const double points[] = {0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 5, 5, 5};
static const int triangles[] = {1, 0, 2, 3, 1, 2, 0, 1, 4};

static void check_square(const char *path, double seam_u, double seam_v)
{
  float spots[18];
  CHECK_OK(pl_texture_find(path, points, triangles, 3, NULL, spots, error));
  const double expected[18] = {1, 1, 0, 1, seam_u, seam_v, 1, 0, 1, 1, 0, 0};
  for (int i = 0; i < 18; i++) CHECK_NEAR((double)spots[i], expected[i], 1e-6);
}

TEST(coordinates_of_wavefront_files_are_found)
{
  check_square(write_text("a.obj", square), 0.5, 0.25);
}

/* The same square in glTF, whose pictures and axes are turned: y up, v downwards. */
TEST(coordinates_of_gltf_files_are_found)
{
  const char json[] =
      "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
      "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
      "\"TEXCOORD_0\":1}}]}],\"buffers\":[{\"byteLength\":120}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":72},"
      "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":48}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
      "{\"bufferView\":1,\"componentType\":5126,\"count\":6,\"type\":\"VEC2\"}]}";
  const float numbers[30] = {0, 0, 0,  1, 0, 0, 1, 0, -1, 0, 0, 0, 1, 0, -1,
                             0, 0, -1, 0, 1, 1, 1, 1, 0,  0, 1, 1, 0, 0, 0};
  char file[1024] = {0};
  size_t text = (sizeof json - 1 + 3) / 4 * 4;
  uint32_t head[5] = {0x46546c67, 2, (uint32_t)(28 + text + sizeof numbers), (uint32_t)text,
                      0x4e4f534a};
  uint32_t second[2] = {sizeof numbers, 0x004e4942};
  memcpy(file, head, sizeof head);
  memset(file + 20, ' ', text);
  memcpy(file + 20, json, sizeof json - 1);
  memcpy(file + 20 + text, second, sizeof second);
  memcpy(file + 28 + text, numbers, sizeof numbers);
  check_square(write_file("a.glb", file, 28 + text + sizeof numbers), 0, 0);
}

TEST(what_has_no_coordinates_is_told)
{
  float spots[18];
  CHECK_FAILS(pl_texture_find(write_text("b.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"), points,
                              triangles, 3, NULL, spots, error),
              PL_E_ARGUMENT, "has no texture coordinates; export it");
  CHECK_FAILS(pl_texture_find(write_text("c.obj", "v 0 0 9\nv 1 0 9\nv 1 1 9\nvt 0 0\nvt 1 1\n"
                                                  "f 1/1 2/2 3/9\n"),
                              points, triangles, 3, NULL, spots, error),
              PL_E_ARGUMENT, "has no triangle of the surface");
  CHECK_FAILS(pl_texture_find(write_text("d.obj", "v 0 0 9\nf 1 2 3\n"), points, triangles, 3, NULL,
                              spots, error),
              PL_E_PARSE, "names vertex 3");
  CHECK_FAILS(pl_texture_find(write_text("d.stl", "solid\nendsolid\n"), points, triangles, 3, NULL,
                              spots, error),
              PL_E_UNSUPPORTED, ".obj and .glb");
}

TEST(images_are_known_by_their_head)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  unsigned char png[33] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x20";
  unsigned char jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0,  4, 1, 2,    0xff, 0xc0, 0,   11,
                          8,    0,    16,   0,    32, 1, 1, 0x11, 0,    0xff, 0xd9};
  CHECK_OK(pl_image_file_read(&allocator, write_file("a.png", png, sizeof png), &bytes, error));
  CHECK(bytes.size == sizeof png);
  pl_bytes_free(&allocator, &bytes);
  CHECK_OK(pl_image_file_read(&allocator, write_file("a.jpg", jpeg, sizeof jpeg), &bytes, error));
  pl_bytes_free(&allocator, &bytes);
  png[18] = 0x7f; // 32 576 pixels wide
  CHECK_FAILS(pl_image_file_read(&allocator, write_file("b.png", png, sizeof png), &bytes, error),
              PL_E_LIMIT, "32576 x 32 pixels");
  for (size_t size = 0; size < 12; size++)
    CHECK_FAILS(pl_image_file_read(&allocator, write_file("c.jpg", jpeg, size), &bytes, error),
                PL_E_PARSE, "neither a PNG nor a JPEG");
}

static pl_status find(const pl_allocator *allocator, void *path)
{
  float spots[18];
  return pl_texture_find(path, points, triangles, 3, allocator, spots, NULL);
}

TEST(no_memory_is_reported)
{
  char path[128];
  snprintf(path, sizeof path, "%s", write_text("a.obj", square));
  fail_every_allocation(find, path);
}

TEST(nothing_is_left_over)
{
  static const char *const names[] = {"a.obj", "b.obj", "c.obj", "d.obj", "d.stl",
                                      "a.glb", "a.png", "a.jpg", "b.png", "c.jpg"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    CHECK(unlink(path) == 0);
  }
  CHECK(rmdir(folder) == 0);
}

TESTS(X(coordinates_of_wavefront_files_are_found) X(coordinates_of_gltf_files_are_found)
          X(what_has_no_coordinates_is_told) X(images_are_known_by_their_head)
              X(no_memory_is_reported) X(nothing_is_left_over))
