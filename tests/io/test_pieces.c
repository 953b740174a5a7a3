/* A mesh in pieces: each element once, nodes and sets as in the whole; lists of them in files. */
#include "../counter.h"
#include "core/memory.h"
#include "io/pieces.h"
#include "io/series.h"
#include "mesh/generator.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static pl_mesh *make_bar(void)
{
  pl_mesh *mesh = NULL;
  pl_setting size = {.name = "size", .value = {1, 0.25, 0.25}},
             cells = {.name = "cells", .value = {8, 2, 2}}, both[] = {size, cells};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", both, 2}, NULL, &mesh, error));
  return mesh;
}

/* The numbers of the whole that a piece says its nodes or elements are. */
static const double *numbers_of(const pl_snapshot *piece, const char *name)
{
  for (int i = 0; i < piece->field_count; i++) {
    if (strcmp(piece->fields[i].name, name) == 0) return piece->fields[i].data;
  }
  return NULL;
}

static void check_sets(const pl_mesh *mesh, const pl_mesh *part, const double *node)
{
  CHECK(pl_mesh_set_count(part) == pl_mesh_set_count(mesh));
  for (int s = 0; s < pl_mesh_set_count(part); s++) {
    const pl_set *own = pl_mesh_set(part, s), *all = pl_mesh_find_set(mesh, own->name);
    int found = 0, wanted = 0;
    for (int k = 0; k < own->count; k++) {
      for (int i = 0; i < all->count; i++) found += all->ids[i] == (int)node[own->ids[k]];
    }
    for (int i = 0; i < all->count; i++) {
      for (int k = 0; k < pl_mesh_node_count(part); k++) wanted += all->ids[i] == (int)node[k];
    }
    CHECK(found == own->count && found == wanted);
  }
}

/* Marks the elements of a piece; corners, positions and fields are those of the whole. */
static void check_piece(const pl_snapshot *whole, const pl_snapshot *piece, int *times)
{
  const double *node = numbers_of(piece, "GlobalNodeId"),
               *element = numbers_of(piece, "GlobalElementId"), *twice = numbers_of(piece, "twice"),
               *thrice = numbers_of(piece, "thrice");
  for (int e = 0; e < pl_mesh_element_count(piece->mesh); e++) {
    int of = (int)element[e];
    times[of]++;
    for (int a = 0; a < 4; a++)
      CHECK((int)node[pl_mesh_elements(piece->mesh)[4 * e + a]] ==
            pl_mesh_elements(whole->mesh)[4 * of + a]);
    CHECK(thrice[e] == 3 * of);
  }
  for (int i = 0; i < 3 * pl_mesh_node_count(piece->mesh); i++) {
    int of = 3 * (int)node[i / 3] + i % 3;
    CHECK(pl_mesh_nodes(piece->mesh)[i] == pl_mesh_nodes(whole->mesh)[of]);
    CHECK(piece->positions[i] == whole->positions[of] && twice[i] == 2 * of);
  }
  check_sets(whole->mesh, piece->mesh, node);
}

/* A bar that has moved, with a field of its nodes and one of its elements. */
typedef struct stage {
  pl_mesh *mesh;
  double *x, *twice, *thrice;
  pl_field fields[2];
  pl_snapshot whole;
} stage;

static void make_stage(stage *at)
{
  *at = (stage){.mesh = make_bar()};
  int nodes = pl_mesh_node_count(at->mesh), elements = pl_mesh_element_count(at->mesh);
  at->x = malloc(3 * (size_t)nodes * sizeof(double));
  at->twice = malloc(3 * (size_t)nodes * sizeof(double));
  at->thrice = malloc((size_t)elements * sizeof(double));
  for (int i = 0; i < 3 * nodes; i++) {
    at->x[i] = 2 * pl_mesh_nodes(at->mesh)[i];
    at->twice[i] = 2 * i;
  }
  for (int e = 0; e < elements; e++) at->thrice[e] = 3 * e;
  at->fields[0] = (pl_field){.name = "twice", .width = 3, .data = at->twice};
  at->fields[1] = (pl_field){.name = "thrice", .of_elements = 1, .width = 1, .data = at->thrice};
  at->whole = (pl_snapshot){
      .mesh = at->mesh, .positions = at->x, .time = 0.5, .field_count = 2, .fields = at->fields};
}

static void free_stage(stage *at)
{
  pl_mesh_destroy(at->mesh);
  free(at->x);
  free(at->twice);
  free(at->thrice);
}

TEST(every_element_is_in_one_piece)
{
  stage at;
  make_stage(&at);
  int elements = pl_mesh_element_count(at.mesh);
  for (int parts = 1; parts <= 5; parts++) {
    int *times = calloc((size_t)elements, sizeof *times);
    for (int part = 0; part < parts; part++) {
      pl_piece *piece = NULL;
      pl_snapshot own;
      CHECK_OK(pl_piece_create(NULL, at.mesh, part, parts, &piece, error));
      CHECK_OK(pl_piece_take(piece, &at.whole, &own, error));
      CHECK(own.time == 0.5 && own.field_count == 4);
      check_piece(&at.whole, &own, times);
      pl_piece_destroy(piece);
    }
    for (int e = 0; e < elements; e++) CHECK(times[e] == 1);
    free(times);
  }
  CHECK(pl_piece_count(at.mesh, 3) == 3 && pl_piece_count(at.mesh, 10000) == elements);
  free_stage(&at);
}

static pl_status make(const pl_allocator *allocator, const pl_snapshot *whole, pl_error *error)
{
  pl_piece *piece = NULL;
  pl_snapshot own;
  pl_status status = pl_piece_create(allocator, whole->mesh, 1, 2, &piece, error);
  if (!status) status = pl_piece_take(piece, whole, &own, error);
  pl_piece_destroy(piece);
  return status;
}

TEST(failing_allocations_leave_nothing)
{
  stage at;
  pl_error error = {0};
  make_stage(&at);
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  CHECK(make(&allocator, &at.whole, &error) == PL_OK && memory.blocks == 0);
  for (long k = 1, calls = memory.calls; k <= calls; k++) {
    memory = (counter){.fail_at = k};
    CHECK(make(&allocator, &at.whole, &error) == PL_E_MEMORY && memory.blocks == 0);
  }
  free_stage(&at);
}

static int exists(const char *folder, const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* A frame of two pieces by two series, as two processes have them. */
static void write_frame(const char *folder, const pl_snapshot *whole)
{
  const pl_setting ranks = {.name = "pieces", .word = "ranks"};
  const pl_choice format = {"vtu", &ranks, 1};
  pl_series *series[2];
  pl_piece *pieces[2];
  pl_snapshot own[2];
  for (int i = 0; i < 2; i++) {
    CHECK_OK(pl_series_create(folder, "bar", &format, NULL, &series[i], error));
    CHECK_OK(pl_piece_create(NULL, whole->mesh, i, 2, &pieces[i], error));
    CHECK_OK(pl_piece_take(pieces[i], whole, &own[i], error));
  }
  CHECK(pl_series_is_divided(series[0]));
  for (int i = 0; i < 2; i++) CHECK_OK(pl_series_add_piece(series[i], &own[i], i, error));
  CHECK(!exists(folder, "bar.pvd") && !exists(folder, "bar_000000.pvtu"));
  for (int i = 0; i < 2; i++) CHECK_OK(pl_series_add_list(series[i], &own[i], i, 2, error));
  CHECK(pl_series_count(series[0]) == 1 && pl_series_count(series[1]) == 1);
  for (int i = 0; i < 2; i++) {
    pl_piece_destroy(pieces[i]);
    pl_series_destroy(series[i]);
  }
}

TEST(lists_come_when_all_pieces_are_there_and_later_series_remove_them)
{
  static const char *const files[] = {"bar.pvd", "bar_000000.pvtu", "bar_000000_0.vtu",
                                      "bar_000000_1.vtu"};
  char folder[] = "/tmp/pliant-pieces-XXXXXX", path[512];
  stage at;
  make_stage(&at);
  CHECK(mkdtemp(folder) != NULL);
  write_frame(folder, &at.whole);
  for (int i = 0; i < 4; i++) CHECK(exists(folder, files[i]));
  pl_mesh *read = NULL;
  snprintf(path, sizeof path, "%s/bar_000000_1.vtu", folder);
  CHECK_OK(pl_mesh_read(path, NULL, &read, error));
  CHECK(pl_mesh_element_count(read) == pl_mesh_element_count(at.mesh) / 2);
  pl_mesh_destroy(read);
  pl_series *plain = NULL;
  CHECK_OK(pl_series_create(folder, "bar", &(pl_choice){"vtu", NULL, 0}, NULL, &plain, error));
  CHECK(!pl_series_is_divided(plain));
  for (int i = 0; i < 4; i++) CHECK(!exists(folder, files[i]));
  pl_series_destroy(plain);
  rmdir(folder);
  free_stage(&at);
}

TESTS(X(every_element_is_in_one_piece) X(failing_allocations_leave_nothing)
          X(lists_come_when_all_pieces_are_there_and_later_series_remove_them))
