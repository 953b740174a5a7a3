/* Hanging nodes in .vtu files: written, read, refused where they are wrong. */
#include "core/memory.h"
#include "io/format.h"
#include "mesh/mesh.h"
#include "pliant/mesh.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pl_mesh *graded(void)
{
  pl_setting settings[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                           {.name = "cells", .value = {6, 6, 6}},
                           {.name = "levels", .value = {2}}};
  pl_choice choice = {"graded-box", settings, 3};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&choice, NULL, &mesh, error));
  return mesh;
}

static void write_as(const pl_mesh *mesh, const char *encoding, const char *path)
{
  const pl_snapshot snapshot = {.mesh = mesh, .time = 0.5};
  const pl_setting setting = {.name = "encoding", .word = encoding};
  CHECK_OK(pl_snapshot_write(&snapshot, path, &setting, 1, error));
}

TEST(vtu_files_keep_hanging_nodes)
{
  static const char *const encodings[] = {"base64", "raw", "ascii"};
  const char *path = "hanging-test.vtu";
  pl_mesh *mesh = graded();
  CHECK(pl_mesh_hanging_count(mesh) == 72);
  for (int e = 0; e < 3; e++) {
    pl_mesh *back = NULL;
    write_as(mesh, encodings[e], path);
    CHECK_OK(pl_mesh_read(path, NULL, &back, error));
    CHECK(pl_mesh_hanging_count(back) == 72);
    for (int h = 0; h < 72; h++) {
      const pl_hanging_node *a = pl_mesh_hanging(mesh, h), *b = pl_mesh_hanging(back, h);
      size_t count = (size_t)a->count;
      CHECK(a->node == b->node && a->count == b->count);
      CHECK(memcmp(a->parents, b->parents, count * sizeof *a->parents) == 0);
      CHECK(memcmp(a->weights, b->weights, count * sizeof *a->weights) == 0);
    }
    pl_mesh_destroy(back);
  }
  remove(path);
  pl_mesh_destroy(mesh);
}

/* Replaces a word of a text file. */
static void change_file(const char *path, const char *word, const char *by)
{
  static char text[1 << 20];
  FILE *file = fopen(path, "rb");
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  char *at = strstr(text, word);
  CHECK(at != NULL);
  memcpy(at, by, strlen(by));
  file = fopen(path, "wb");
  fwrite(text, 1, size, file);
  fclose(file);
}

TEST(wrong_hanging_nodes_are_refused)
{
  const char *path = "hanging-test.vtu";
  static const char *const changes[][3] = {
      {"hanging-weights", "hanging-weighty", "no array hanging-weights"},
      {"NumberOfTuples=\"1", "NumberOfTuples=\"-", "NumberOfTuples"},
  };
  pl_mesh *mesh = graded(), *back = NULL;
  for (int i = 0; i < 2; i++) {
    pl_error error = {0};
    const pl_snapshot snapshot = {.mesh = mesh, .time = NAN};
    const pl_setting ascii = {.name = "encoding", .word = "ascii"};
    CHECK(!pl_snapshot_write(&snapshot, path, &ascii, 1, &error));
    change_file(path, changes[i][0], changes[i][1]);
    CHECK(pl_mesh_read(path, NULL, &back, &error));
    CHECK(strstr(error.message, changes[i][2]));
  }
  remove(path);
  pl_mesh_destroy(mesh);
}

TESTS(X(vtu_files_keep_hanging_nodes) X(wrong_hanging_nodes_are_refused))
