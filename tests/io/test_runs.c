/* Whole runs in few files, with all that they can hold: .xdmf with fields of every width, as raw
 * numbers and as HDF5, and .glb with pictures on bodies, apart and together. */
#include "core/memory.h"
#include "io/glb.h"
#include "io/hdf5.h"
#include "io/series.h"
#include "io/texture.h"
#include "memory.h"

#include <math.h>
#include <unistd.h>

#include "mesh/failing.h"

enum { FRAMES = 3, NODES = 12, CELLS = 2 };

static char folder[] = "/tmp/pliant-runs-XXXXXX";

static const char *place(const char *name)
{
  static char path[160];
  if (strstr(folder, "XXXXXX")) CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static pl_bytes take_file(const char *name)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes = {0};
  CHECK_OK(pl_file_read(&allocator, place(name), 0, &bytes, error));
  unlink(place(name));
  return bytes;
}

static pl_mesh *make_mesh(const char *element)
{
  pl_mesh *mesh = NULL;
  pl_setting settings[] = {{.name = "cells", .value = {2, 1, 1}},
                           {.name = "element", .word = element}};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 2}, NULL, &mesh, error));
  return mesh;
}

/* Numbers that are their own place. */
static double numbers[FRAMES][9 * NODES];

static pl_snapshot frame_of(const pl_mesh *mesh, int k, pl_field fields[5])
{
  static const int widths[5] = {1, 3, 6, 9, 6};
  static const char *const names[5] = {"a", "b & c", "d", "e", "f"};
  for (int i = 0; i < 9 * NODES; i++) numbers[k][i] = 1000 * k + i;
  for (int i = 0; i < 5; i++)
    fields[i] =
        (pl_field){.name = names[i], .width = widths[i], .of_elements = i > 2, .data = numbers[k]};
  return (pl_snapshot){.mesh = mesh, .fields = fields, .field_count = 5, .time = 0.1 * k};
}

static pl_status shoot(const pl_mesh *mesh, const char *encoding, const pl_allocator *allocator,
                       pl_error *error)
{
  pl_setting setting = {.name = "encoding", .word = encoding};
  pl_choice choice = {"xdmf", &setting, 1};
  pl_series *series = NULL;
  place("");
  pl_status status = pl_series_create(folder, "run", &choice, allocator, &series, error);
  for (int k = 0; k < FRAMES && !status; k++) {
    pl_field fields[5];
    pl_snapshot snapshot = frame_of(mesh, k, fields);
    status = pl_series_add(series, &snapshot, error);
  }
  if (!status) status = pl_series_finish(series, error);
  pl_series_destroy(series);
  return status;
}

static int count_words(const pl_bytes *text, const char *word)
{
  int count = 0;
  for (const char *at = text->data; (at = strstr(at, word)); at++) count++;
  return count;
}

/* The doubles of the item behind a word of the k-th frame. */
static const char *item_behind(const pl_bytes *text, int frame, const char *word,
                               const pl_bytes *raw)
{
  const char *at = text->data;
  for (int k = 0; k <= frame; k++) at = strstr(at + 1, "<Grid GridType=\"Uniform\"");
  at = at ? strstr(at, word) : NULL;
  at = at ? strstr(at, "Seek=\"") : NULL;
  return at ? raw->data + strtoull(at + 6, NULL, 10) : NULL;
}

/* Symmetric tensors stand in the other order there: xx xy xz yy yz zz. */
TEST(xdmf_holds_every_number)
{
  static const int turned[6] = {0, 3, 5, 1, 4, 2};
  pl_mesh *mesh = make_mesh("hex");
  if (!mesh) return;
  CHECK(pl_mesh_node_count(mesh) == NODES && pl_mesh_element_count(mesh) == CELLS);
  CHECK_OK(shoot(mesh, "raw", NULL, error));
  pl_bytes text = take_file("run.xdmf"), raw = take_file("run.bin");
  CHECK(count_words(&text, "<Time Value=") == FRAMES);
  CHECK(count_words(&text, "TopologyType=\"Hexahedron\"") == FRAMES);
  CHECK(count_words(&text, "AttributeType=\"Tensor6\"") == 2 * FRAMES);
  CHECK(count_words(&text, "Name=\"b &amp; c\" AttributeType=\"Vector\" Center=\"Node\"") ==
        FRAMES);
  for (int k = 0; k < FRAMES; k++) {
    const char *vector = item_behind(&text, k, "b &amp; c", &raw);
    const char *tensor = item_behind(&text, k, "Name=\"d\"", &raw);
    const char *whole = item_behind(&text, k, "Name=\"e\"", &raw);
    CHECK(vector && tensor && whole);
    if (!vector || !tensor || !whole) break;
    for (int i = 0; i < 3 * NODES; i++) CHECK(pl_load_double(vector + 8 * i, 0) == 1000 * k + i);
    for (int i = 0; i < 9 * CELLS; i++) CHECK(pl_load_double(whole + 8 * i, 0) == 1000 * k + i);
    for (int i = 0; i < 6 * NODES; i++)
      CHECK(pl_load_double(tensor + 8 * i, 0) == 1000 * k + i / 6 * 6 + turned[i % 6]);
  }
  free(text.data);
  free(raw.data);
  pl_mesh_destroy(mesh);
}

/* The raw numbers give way to one file, as long as all of them. */
TEST(xdmf_becomes_hdf5)
{
  if (pl_hdf5_check(NULL)) return;
  pl_mesh *mesh = make_mesh("tet");
  if (!mesh) return;
  CHECK_OK(shoot(mesh, "hdf5", NULL, error));
  CHECK(access(place("run.bin"), F_OK) != 0);
  pl_bytes text = take_file("run.xdmf"), packed = take_file("run.h5");
  CHECK(count_words(&text, "Format=\"Binary\"") == 0);
  CHECK(count_words(&text, "run.h5:/a") > 6 * FRAMES);
  CHECK(count_words(&text, "TopologyType=\"Tetrahedron\"") == FRAMES);
  CHECK(packed.size > 4 && memcmp(packed.data, "\x89HDF", 4) == 0);
  free(text.data);
  free(packed.data);
  pl_mesh_destroy(mesh);
  // where nothing can be written
  pl_hdf5 file;
  CHECK_FAILS(pl_hdf5_create("/nowhere/a.h5", &file, error), PL_E_IO, "cannot write /nowhere");
}

static pl_status attempt_xdmf(const pl_allocator *allocator, void *mesh)
{
  return shoot(mesh, "raw", allocator, NULL);
}

TEST(failing_allocations_of_an_xdmf)
{
  pl_mesh *mesh = make_mesh("hex");
  if (!mesh) return;
  fail_every_allocation(attempt_xdmf, mesh);
  unlink(place("run.xdmf"));
  unlink(place("run.bin"));
  pl_mesh_destroy(mesh);
}

/* ---- pictures ---- */

/* The beach ball, whose file has texture coordinates, as a sheet of triangles. */
typedef struct ball {
  char surface[256], image[256];
  pl_skin *skin;
  pl_mesh *mesh;
} ball;

static int make_ball(ball *b)
{
  *b = (ball){0};
  snprintf(b->surface, sizeof b->surface, "%s/scenes/ball.obj", getenv("PLIANT_SOURCE"));
  snprintf(b->image, sizeof b->image, "%s/scenes/ball.png", getenv("PLIANT_SOURCE"));
  CHECK_OK(pl_sheet_read(b->surface, NULL, NULL, &b->skin, error));
  if (!b->skin) return 0;
  pl_mesh_def def = {.node_count = b->skin->point_count,
                     .nodes = b->skin->points,
                     .element_count = b->skin->triangle_count,
                     .nodes_per_element = 3,
                     .elements = b->skin->triangles};
  CHECK_OK(pl_mesh_create(&def, &b->mesh, error));
  return b->mesh != NULL;
}

static void free_ball(ball *b)
{
  pl_mesh_destroy(b->mesh);
  pl_skin_destroy(b->skin);
}

/* A series of two frames of the ball with its picture. */
static pl_status film_ball(const ball *b, const char *name, const char *bodies,
                           const pl_allocator *allocator, pl_series **series, pl_error *error)
{
  pl_setting setting = {.name = "bodies", .word = bodies};
  place("");
  pl_status status =
      pl_series_create(folder, name, &(pl_choice){"glb", &setting, 1}, allocator, series, error);
  if (!status) status = pl_series_set_picture(*series, b->image, b->surface, error);
  for (int k = 0; k < 2 && !status; k++) {
    pl_snapshot snapshot = {.mesh = b->mesh, .time = 0.1 * k};
    status = pl_series_add(*series, &snapshot, error);
  }
  return status;
}

/* The image comes back byte by byte, and the corners have the places that the .obj gave them. */
static void check_picture(const ball *b, const char *path)
{
  pl_allocator allocator = pl_allocator_default();
  pl_source source = {.path = path, .allocator = &allocator};
  pl_bytes image = {0};
  const char *data = NULL;
  size_t size = 0, corners = 3 * (size_t)b->skin->triangle_count;
  CHECK_OK(pl_file_read(&allocator, path, 0, &source.file, error));
  CHECK_OK(pl_file_read(&allocator, b->image, 0, &image, error));
  CHECK_OK(pl_glb_image(&source, &data, &size, error));
  CHECK(data && size == image.size && memcmp(data, image.data, size) == 0);
  float *wanted = malloc(2 * corners * sizeof *wanted),
        *found = malloc(2 * corners * sizeof *found);
  const double *points = b->skin->points;
  CHECK_OK(pl_texture_find(b->surface, points, b->skin->triangles, b->skin->triangle_count, NULL,
                           wanted, error));
  CHECK_OK(pl_texture_find(path, points, b->skin->triangles, b->skin->triangle_count, NULL, found,
                           error));
  for (size_t i = 0; i < 2 * corners; i++) CHECK_NEAR((double)found[i], (double)wanted[i], 1e-6);
  free(wanted);
  free(found);
  pl_bytes_free(&allocator, &image);
  pl_bytes_free(&allocator, &source.file);
}

TEST(a_glb_keeps_the_picture_and_its_coordinates)
{
  ball b;
  if (!make_ball(&b)) return;
  pl_series *series = NULL;
  CHECK_OK(film_ball(&b, "ball", "apart", NULL, &series, error));
  CHECK(series && !pl_series_is_together(series));
  CHECK_OK(pl_series_finish(series, error));
  check_picture(&b, place("ball.glb"));
  unlink(place("ball.glb"));
  pl_series_destroy(series);
  free_ball(&b);
}

TEST(one_glb_of_two_bodies)
{
  ball b;
  if (!make_ball(&b)) return;
  pl_series *both[3] = {NULL};
  CHECK_OK(film_ball(&b, "one", "together", NULL, &both[0], error));
  CHECK_OK(film_ball(&b, "two", "together", NULL, &both[1], error));
  pl_setting setting = {.name = "bodies", .word = "together"};
  CHECK_OK(
      pl_series_create(folder, "empty", &(pl_choice){"glb", &setting, 1}, NULL, &both[2], error));
  CHECK(pl_series_is_together(both[0]));
  CHECK_OK(pl_series_finish_together(both, 0, place("all.glb"), error));
  CHECK(access(place("all.glb"), F_OK) != 0);
  CHECK_OK(pl_series_finish_together(both, 3, place("all.glb"), error));
  pl_bytes bytes = take_file("all.glb");
  int names = 0, coordinates = 0;
  for (size_t i = 0; i + 12 < bytes.size; i++) {
    names += memcmp(bytes.data + i, "\"name\":\"one\"", 12) == 0 ||
             memcmp(bytes.data + i, "\"name\":\"two\"", 12) == 0;
    coordinates += memcmp(bytes.data + i, "TEXCOORD_0", 10) == 0;
  }
  CHECK(names >= 2 && coordinates == 2);
  free(bytes.data);
  for (int i = 0; i < 3; i++) pl_series_destroy(both[i]);
  free_ball(&b);
}

static pl_status attempt_picture(const pl_allocator *allocator, void *context)
{
  pl_series *series = NULL;
  pl_status status = film_ball(context, "fails", "apart", allocator, &series, NULL);
  if (!status) status = pl_series_finish(series, NULL);
  pl_series_destroy(series);
  return status;
}

TEST(failing_allocations_of_a_picture)
{
  ball b;
  if (!make_ball(&b)) return;
  fail_every_allocation(attempt_picture, &b);
  unlink(place("fails.glb"));
  free_ball(&b);
}

/* ---- surfaces ---- */

/* A surface comes back from every format that holds one; others are named. */
TEST(surfaces_are_written_and_read)
{
  ball b;
  pl_skin *again = NULL;
  pl_mesh *mesh = NULL;
  if (!make_ball(&b)) return;
  static const char *const names[] = {"a.obj", "a.stl", "a.ply", "a.off"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CHECK_OK(pl_skin_write(b.skin, place(names[i]), error));
    CHECK_OK(pl_skin_read(place(names[i]), NULL, NULL, &again, error));
    CHECK(again && again->triangle_count == b.skin->triangle_count);
    pl_skin_destroy(again);
    unlink(place(names[i]));
  }
  CHECK_FAILS(pl_skin_write(b.skin, place("a.vtu"), error), PL_E_UNSUPPORTED, "hold no surface");
  CHECK_FAILS(pl_skin_write(b.skin, place("a.xyz"), error), PL_E_ARGUMENT, "xyz");
  CHECK_FAILS(pl_skin_read(place("a.vtu"), NULL, NULL, &again, error), PL_E_UNSUPPORTED,
              "hold no surface");
  CHECK_FAILS(pl_mesh_read(NULL, NULL, &mesh, error), PL_E_ARGUMENT, "needs a path");
  free_ball(&b);
  rmdir(folder);
}

TESTS(X(xdmf_holds_every_number) X(xdmf_becomes_hdf5) X(failing_allocations_of_an_xdmf)
          X(a_glb_keeps_the_picture_and_its_coordinates) X(one_glb_of_two_bodies)
              X(failing_allocations_of_a_picture) X(surfaces_are_written_and_read))
