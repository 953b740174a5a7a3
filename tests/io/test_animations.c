/* Files that hold a whole run: every number in them is that of the frames, in single precision; and
 * a surface that follows a body is written instead of its boundary. */
#include "io/glb.h"
#include "io/hull.h"
#include "io/json.h"
#include "io/series.h"
#include "memory.h"

#include <math.h>
#include <unistd.h>

#include "test.h"

enum { FRAMES = 5 };

/* A box that is bent more and more; positions of the frames one behind the other. */
typedef struct film {
  pl_mesh *mesh;
  double *positions;
  pl_hull hulls[FRAMES];
  char folder[256];
} film;

static double time_of(int frame) { return 0.04 * frame + (frame == 3 ? 0.01 : 0); }

static pl_snapshot frame_of(const film *f, int frame)
{
  size_t count = 3 * (size_t)pl_mesh_node_count(f->mesh);
  return (pl_snapshot){
      .mesh = f->mesh, .positions = f->positions + (size_t)frame * count, .time = time_of(frame)};
}

static int make_film(film *f, const char *element)
{
  *f = (film){0};
  pl_setting settings[] = {{.name = "cells", .value = {4, 2, 2}},
                           {.name = "element", .word = element}};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 2}, NULL, &f->mesh, error));
  if (!f->mesh) return 0;
  size_t nodes = (size_t)pl_mesh_node_count(f->mesh);
  f->positions = malloc(FRAMES * 3 * nodes * sizeof *f->positions);
  for (size_t i = 0; i < FRAMES * nodes; i++) {
    const double *x = pl_mesh_nodes(f->mesh) + 3 * (i % nodes);
    double *to = f->positions + 3 * i, bend = 0.1 * (double)(i / nodes) * x[0] * x[0];
    to[0] = x[0] / 3, to[1] = x[1] + 0.01 * bend, to[2] = x[2] - bend;
  }
  snprintf(f->folder, sizeof f->folder, "/tmp/pliant-film-%ld", (long)getpid());
  for (int k = 0; k < FRAMES; k++) {
    pl_snapshot snapshot = frame_of(f, k);
    CHECK_OK(pl_hull_of(&snapshot, NULL, &f->hulls[k], error));
  }
  return 1;
}

static void free_film(film *f)
{
  for (int k = 0; k < FRAMES; k++) pl_hull_free(&f->hulls[k]);
  pl_mesh_destroy(f->mesh);
  free(f->positions);
  rmdir(f->folder);
}

/* Runs the film through a series and returns the file's bytes. */
static pl_bytes shoot(const film *f, const char *format, const char *name, const char *word)
{
  pl_series *series = NULL;
  pl_bytes bytes = {0};
  pl_setting setting = {.name = name, .word = word};
  pl_choice choice = {format, &setting, name != NULL};
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_series_create(f->folder, "film", &choice, NULL, &series, error));
  if (!series) return bytes;
  for (int k = 0; k < FRAMES; k++) {
    pl_snapshot snapshot = frame_of(f, k);
    CHECK_OK(pl_series_add(series, &snapshot, error));
  }
  CHECK_OK(pl_series_finish(series, error));
  CHECK(pl_series_count(series) == FRAMES);
  CHECK_OK(pl_file_read(&allocator, pl_series_path(series), 0, &bytes, error));
  unlink(pl_series_path(series));
  pl_series_destroy(series);
  return bytes;
}

/* The mesh beside a cache has the points of the first frame in the same order. */
static void check_obj(const film *f)
{
  char path[512];
  snprintf(path, sizeof path, "%s/film.obj", f->folder);
  pl_skin *skin = NULL;
  CHECK_OK(pl_skin_read(path, NULL, NULL, &skin, error));
  unlink(path);
  if (!skin) return;
  const pl_hull *hull = &f->hulls[0];
  CHECK(skin->point_count == (int)hull->point_count);
  CHECK(skin->triangle_count == (int)hull->triangle_count);
  for (int i = 0; i < 3 * skin->point_count; i++)
    CHECK((float)skin->points[i] == (float)hull->points[i]);
  pl_skin_destroy(skin);
}

static float big_float(const char *data) { return pl_load_float(data, pl_little_endian()); }
static float little_float(const char *data) { return pl_load_float(data, !pl_little_endian()); }

TEST(pc2)
{
  film f;
  if (!make_film(&f, "tet")) return;
  pl_bytes b = shoot(&f, "pc2", NULL, NULL);
  size_t points = f.hulls[0].point_count;
  int swap = !pl_little_endian();
  CHECK(b.size == 32 + FRAMES * points * 12);
  if (b.size == 32 + FRAMES * points * 12) {
    CHECK(memcmp(b.data, "POINTCACHE2", 12) == 0);
    CHECK(pl_load_int32(b.data + 12, swap) == 1);
    CHECK(pl_load_int32(b.data + 16, swap) == (int)points);
    CHECK(little_float(b.data + 20) == 0 && little_float(b.data + 24) == 1);
    CHECK(pl_load_int32(b.data + 28, swap) == FRAMES);
    for (size_t i = 0; i < FRAMES * 3 * points; i++) {
      double exact = f.hulls[i / (3 * points)].points[i % (3 * points)];
      CHECK(little_float(b.data + 32 + 4 * i) == (float)exact);
    }
  }
  check_obj(&f);
  free(b.data);
  free_film(&f);
}

TEST(mdd)
{
  film f;
  if (!make_film(&f, "hex")) return;
  pl_bytes b = shoot(&f, "mdd", NULL, NULL);
  size_t points = f.hulls[0].point_count;
  int swap = pl_little_endian();
  CHECK(b.size == 8 + 4 * FRAMES + FRAMES * points * 12);
  if (b.size == 8 + 4 * FRAMES + FRAMES * points * 12) {
    CHECK(pl_load_int32(b.data, swap) == FRAMES && pl_load_int32(b.data + 4, swap) == (int)points);
    for (int k = 0; k < FRAMES; k++) CHECK(big_float(b.data + 8 + 4 * k) == (float)time_of(k));
    for (size_t i = 0; i < FRAMES * 3 * points; i++) {
      double exact = f.hulls[i / (3 * points)].points[i % (3 * points)];
      CHECK(big_float(b.data + 8 + 4 * FRAMES + 4 * i) == (float)exact);
    }
  }
  check_obj(&f);
  free(b.data);
  free_film(&f);
}

/* ---- glb ---- */

typedef struct glb {
  pl_json json;
  const char *numbers;
} glb;

static int member_int(const glb *g, int object, const char *name)
{
  double value = -1;
  pl_json_number(&g->json, pl_json_member(&g->json, object, name), &value);
  return (int)value;
}

static int item(const glb *g, int array, int index)
{
  int i = pl_json_first(&g->json, array);
  while (i >= 0 && index-- > 0) i = pl_json_next(&g->json, array, i);
  return i;
}

/* The floats of an accessor, as an offset from its start. */
static const char *floats_of(const glb *g, int accessor)
{
  int a = item(g, pl_json_member(&g->json, 0, "accessors"), accessor);
  int views = pl_json_member(&g->json, 0, "bufferViews");
  int view = item(g, views, member_int(g, a, "bufferView"));
  return g->numbers + member_int(g, view, "byteOffset") + member_int(g, a, "byteOffset");
}

/* Base plus the weighted targets, as a viewer would, at every key. */
static void check_morphs(const film *f, const glb *g, int turned)
{
  int mesh = item(g, pl_json_member(&g->json, 0, "meshes"), 0);
  int primitive = item(g, pl_json_member(&g->json, mesh, "primitives"), 0);
  int attributes = pl_json_member(&g->json, primitive, "attributes");
  int targets = pl_json_member(&g->json, primitive, "targets");
  int animation = item(g, pl_json_member(&g->json, 0, "animations"), 0);
  int sampler = item(g, pl_json_member(&g->json, animation, "samplers"), 0);
  const char *times = floats_of(g, member_int(g, sampler, "input"));
  const char *weights = floats_of(g, member_int(g, sampler, "output"));
  const char *base = floats_of(g, member_int(g, attributes, "POSITION"));
  for (int k = 0; k < FRAMES; k++) {
    CHECK(little_float(times + 4 * k) == (float)time_of(k));
    for (size_t i = 0; i < f->hulls[0].point_count; i++) {
      double p[3] = {0}, exact[3];
      for (int c = 0; c < 3; c++) {
        p[c] = (double)little_float(base + 12 * i + 4 * (size_t)c);
        for (int t = 0; t + 1 < FRAMES; t++) {
          const char *change = floats_of(g, member_int(g, item(g, targets, t), "POSITION"));
          p[c] += (double)little_float(weights + 4 * ((FRAMES - 1) * k + t)) *
                  (double)little_float(change + 12 * i + 4 * (size_t)c);
        }
      }
      memcpy(exact, f->hulls[k].points + 3 * i, sizeof exact);
      // base and change are rounded to 24 bits each; coordinates are below 1
      CHECK_NEAR(p[0], exact[0], 2e-7);
      CHECK_NEAR(turned ? -p[2] : p[1], exact[1], 2e-7);
      CHECK_NEAR(turned ? p[1] : p[2], exact[2], 2e-7);
    }
  }
}

static void check_glb(const film *f, const char *name, const char *word, int turned)
{
  pl_bytes b = shoot(f, "glb", name, word);
  pl_allocator allocator = pl_allocator_default();
  glb g = {0};
  if (!b.data) return;
  size_t size = (size_t)pl_load_int32(b.data + 12, !pl_little_endian());
  pl_scan scan = pl_scan_make("film.glb", b.data + 20, size);
  g.numbers = b.data + 28 + size;
  CHECK((size_t)pl_load_int32(b.data + 8, !pl_little_endian()) == b.size);
  CHECK_OK(pl_json_parse(&allocator, &scan, &g.json, error));
  if (g.json.count) check_morphs(f, &g, turned);
  pl_json_free(&g.json);
  free(b.data);
}

TEST(glb)
{
  film f;
  if (!make_film(&f, "tet")) return;
  check_glb(&f, NULL, NULL, 1);
  check_glb(&f, "shading", "flat", 1);
  check_glb(&f, "up", "y", 0);
  free_film(&f);
}

/* A body that diverged leaves a file that can be read: the frames before are what is looked for. */
TEST(far_away)
{
  film f;
  if (!make_film(&f, "tet")) return;
  size_t count = 3 * (size_t)pl_mesh_node_count(f.mesh);
  for (size_t i = 0; i < count; i++)
    f.positions[(FRAMES - 1) * count + i] *= i % 2 ? 1e300 : -1e200;
  pl_bytes bytes = shoot(&f, "glb", NULL, NULL);
  uint32_t length;
  CHECK(bytes.size > 20);
  memcpy(&length, bytes.data + 12, sizeof length);
  pl_allocator allocator = pl_allocator_default();
  CHECK(!strstr(bytes.data + 20, "inf") && !strstr(bytes.data + 20, "nan"));
  for (size_t i = 20 + length + 8; i + 4 <= bytes.size; i += 4)
    CHECK(isfinite(little_float(bytes.data + i)));
  pl_bytes_free(&allocator, &bytes);
  free_film(&f);
}

/* ---- what is written ---- */

/* A finer surface takes the place of the boundary in all formats of surfaces. */
TEST(facets)
{
  static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  pl_facets facets = {4, 4, points, triangles};
  pl_mesh *mesh = NULL;
  pl_skin *skin = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", NULL, 0}, NULL, &mesh, error));
  for (int with_mesh = 0; with_mesh < 2; with_mesh++) {
    for (int i = 0; pl_format_family.members[i]; i++) {
      const pl_format_ops *format = (const void *)pl_format_family.members[i];
      char path[256];
      if (!format->read_surface) continue;
      snprintf(path, sizeof path, "/tmp/pliant-facets-%ld.%s", (long)getpid(), format->extensions);
      pl_snapshot snapshot = {.mesh = with_mesh ? mesh : NULL, .time = NAN, .facets = &facets};
      CHECK_OK(pl_snapshot_write(&snapshot, path, NULL, 0, error));
      CHECK_OK(pl_skin_read(path, NULL, NULL, &skin, error));
      CHECK(skin && skin->point_count == 4 && skin->triangle_count == 4);
      // STL has no points of its own
      if (strcmp(format->info.name, "stl") != 0)
        CHECK(skin && memcmp(skin->points, points, sizeof points) == 0);
      pl_skin_destroy(skin);
      unlink(path);
    }
  }
  pl_snapshot snapshot = {.time = NAN, .facets = &facets};
  CHECK_FAILS(pl_snapshot_write(&snapshot, "/tmp/a.msh", NULL, 0, error), PL_E_UNSUPPORTED,
              "fill it first");
  pl_mesh_destroy(mesh);
}

/* A mesh of triangles: every format writes it, or says that it cannot. */
TEST(triangles)
{
  pl_mesh *mesh = NULL;
  pl_mesh_def def = {.node_count = 4,
                     .nodes = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                     .element_count = 4,
                     .nodes_per_element = 3,
                     .elements = (int[]){0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  for (int i = 0; mesh && pl_format_family.members[i]; i++) {
    const pl_format_ops *format = (const void *)pl_format_family.members[i];
    const char *name = format->info.name, *word = NULL;
    pl_allocator allocator = pl_allocator_default();
    pl_bytes bytes = {0};
    char path[256];
    if (!format->write) continue;
    snprintf(path, sizeof path, "/tmp/pliant-triangles-%ld.%.*s", (long)getpid(),
             (int)strcspn(format->extensions, "|"), format->extensions);
    if (strcmp(name, "vega") == 0 || strcmp(name, "tetgen") == 0) {
      CHECK_FAILS(pl_mesh_write(mesh, path, error), PL_E_UNSUPPORTED, "use .vtu");
      continue;
    }
    CHECK_OK(pl_mesh_write(mesh, path, error));
    CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
    if (strcmp(name, "abaqus") == 0) word = "TYPE=S3\n1, 1, 3, 2\n";
    if (strcmp(name, "medit") == 0) word = "Triangles\n4\n1 3 2 0\n";
    if (strcmp(name, "obj") == 0) word = "f 1 3 2\n";
    if (word) CHECK(bytes.data && strstr(bytes.data, word));
    pl_bytes_free(&allocator, &bytes);
    unlink(path);
  }
  pl_mesh_destroy(mesh);
}

TEST(csv)
{
  film f;
  if (!make_film(&f, "tet")) return;
  char path[256];
  snprintf(path, sizeof path, "/tmp/pliant-%ld.csv", (long)getpid());
  pl_field fields[] = {{"velocity", 0, 3, f.positions}, {"energy", 1, 1, f.positions}};
  pl_snapshot snapshot = frame_of(&f, 2);
  snapshot.fields = fields;
  snapshot.field_count = 2;
  CHECK_OK(pl_snapshot_write(&snapshot, path, NULL, 0, error));
  FILE *file = fopen(path, "r");
  char line[512];
  CHECK(file && fgets(line, sizeof line, file) &&
        strcmp(line, "time,node,x,y,z,velocity_x,velocity_y,velocity_z\n") == 0);
  for (int i = 0; file && i < pl_mesh_node_count(f.mesh); i++) {
    double t = 0, x[3] = {0}, v[3] = {0};
    int node = -1;
    CHECK(fgets(line, sizeof line, file) && sscanf(line, "%lf,%d,%lf,%lf,%lf,%lf,%lf,%lf", &t,
                                                   &node, x, x + 1, x + 2, v, v + 1, v + 2) == 8);
    CHECK(t == time_of(2) && node == i);
    CHECK(memcmp(x, snapshot.positions + 3 * i, sizeof x) == 0);
    CHECK(memcmp(v, f.positions + 3 * i, sizeof v) == 0);
  }
  if (file) fclose(file);
  unlink(path);
  free_film(&f);
}

TEST(refused)
{
  film f;
  pl_series *series = NULL;
  if (!make_film(&f, "tet")) return;
  pl_setting wrong = {.name = "shading", .word = "soft"};
  CHECK_FAILS(pl_series_create(f.folder, "a", &(pl_choice){"glb", &wrong, 1}, NULL, &series, error),
              PL_E_ARGUMENT, "unknown shading \"soft\"");
  CHECK_FAILS(pl_series_create(f.folder, "a", &(pl_choice){"glbs", NULL, 0}, NULL, &series, error),
              PL_E_ARGUMENT, "did you mean \"glb\"");
  CHECK_FAILS(pl_mesh_write(f.mesh, "/tmp/a.pc2", error), PL_E_UNSUPPORTED, "hold animations");
  pl_mesh *mesh;
  CHECK_FAILS(pl_mesh_read("/tmp/a.csv", NULL, &mesh, error), PL_E_UNSUPPORTED, "only written");

  // a surface that changes its number of points
  static const double points[12] = {0};
  static const int triangles[12] = {0};
  pl_facets facets = {4, 4, points, triangles};
  CHECK_OK(pl_series_create(f.folder, "a", &(pl_choice){"pc2", NULL, 0}, NULL, &series, error));
  pl_snapshot first = frame_of(&f, 0), second = frame_of(&f, 1);
  second.facets = &facets;
  CHECK_OK(pl_series_add(series, &first, error));
  CHECK_FAILS(pl_series_add(series, &second, error), PL_E_UNSUPPORTED, "write vtu");
  pl_series_destroy(series);
  free_film(&f);
}

/* The k-th allocation fails: an error, nothing is lost. */
TEST(failing_allocations)
{
  film f;
  if (!make_film(&f, "tet")) return;
  static const char *const formats[] = {"glb", "pc2", "vtu"};
  for (size_t n = 0; n < sizeof formats / sizeof *formats; n++) {
    pl_status status = PL_E_MEMORY;
    for (long k = 1; status && k < 100; k++) {
      counter c = {.fail_at = k};
      pl_allocator allocator = counter_allocator(&c);
      pl_series *series = NULL;
      pl_choice choice = {formats[n], NULL, 0};
      status = pl_series_create(f.folder, "a", &choice, &allocator, &series, NULL);
      for (int i = 0; i < FRAMES && !status; i++) {
        pl_snapshot snapshot = frame_of(&f, i);
        status = pl_series_add(series, &snapshot, NULL);
      }
      CHECK(!status || status == PL_E_MEMORY);
      pl_series_destroy(series);
      CHECK(c.blocks == 0);
    }
    CHECK(!status);
  }
  for (int i = 0; i < FRAMES; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/a_%06d.vtu", f.folder, i);
    unlink(path);
  }
  char list[512];
  snprintf(list, sizeof list, "%s/a.pvd", f.folder);
  unlink(list);
  free_film(&f);
}

TESTS(X(pc2) X(mdd) X(glb) X(far_away) X(facets) X(triangles) X(csv) X(refused)
          X(failing_allocations))
