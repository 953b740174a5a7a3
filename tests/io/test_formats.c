/* What every format must keep. Runs over the whole family and every variant that a writer offers: a
 * format is tested the moment it is listed. */
#include "core/family.h"
#include "io/series.h"
#include "io/xml.h"
#include "memory.h"
#include "mesh/mesh.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MOST_VARIANTS = 8 };

static const pl_format_ops *format_at(int index)
{
  const pl_member *member = pl_format_family.members[index];
  return (const pl_format_ops *)(const void *)member;
}

/* ---- meshes ---- */

static int in_set(const pl_set *set, int id)
{
  for (int i = 0; i < set->count; i++) {
    if (set->ids[i] == id) return 1;
  }
  return 0;
}

/* A box whose nodes are moved a little, so that all bits of the coordinates matter, with sets that
 * overlap, cover everything, or are what TetGen can hold. */
static pl_mesh *make_mesh(const char *element, double nx, double ny, double nz)
{
  pl_mesh *box = NULL, *mesh = NULL;
  pl_setting settings[] = {{.name = "cells", .value = {nx, ny, nz}},
                           {.name = "element", .word = element}};
  pl_choice choice = {"box", settings, 2};
  CHECK_OK(pl_mesh_generate(&choice, NULL, &box, error));
  if (!box) return NULL;
  int nodes = pl_mesh_node_count(box), cells = pl_mesh_element_count(box);
  double *positions = malloc(3 * (size_t)nodes * sizeof *positions);
  int *ids = malloc(6 * (size_t)(nodes + cells) * sizeof *ids);
  for (int i = 0; i < 3 * nodes; i++)
    positions[i] = pl_mesh_nodes(box)[i] + 0.02 / fmax(nx, fmax(ny, nz)) * test_uniform();

  static const char *const names[] = {"all",       "every third",  "\xc3\xa4<&>", "region-7",
                                      "region--8", "corner nodes", "marker-2"};
  pl_set sets[7];
  int *at = ids;
  for (int s = 0; s < 7; s++) {
    sets[s] = (pl_set){.name = names[s], .of_elements = s < 5, .ids = at};
    for (int i = 0; i < (s < 5 ? cells : nodes); i++) {
      int member = s == 0   ? 1
                   : s == 1 ? i % 3 == 0
                   : s == 2 ? i % 2 == 0
                   : s == 3 ? i < cells / 3
                   : s == 4 ? i > cells / 2
                   : s == 5 ? i % 5 == 1
                            : i % 4 < 2;
      if (member) *at++ = i, sets[s].count++;
    }
  }
  pl_mesh_def def = {.node_count = nodes,
                     .nodes = positions,
                     .element_count = cells,
                     .nodes_per_element = pl_mesh_nodes_per_element(box),
                     .elements = pl_mesh_elements(box),
                     .set_count = 7,
                     .sets = sets};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_destroy(box);
  free(positions);
  free(ids);
  return mesh;
}

static int same_set(const pl_mesh *mesh, const pl_set *set)
{
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *other = pl_mesh_set(mesh, i);
    if (strcmp(set->name, other->name) != 0 || set->of_elements != other->of_elements) continue;
    if (set->count != other->count) return 0;
    for (int k = 0; k < set->count; k++) {
      if (!in_set(other, set->ids[k])) return 0;
    }
    return 1;
  }
  return 0;
}

/* Positions bit by bit, connectivity, and the sets that the format claims to keep, no others. */
static void check_same(const pl_format_ops *format, const pl_mesh *a, const pl_mesh *b)
{
  CHECK(pl_mesh_node_count(a) == pl_mesh_node_count(b));
  CHECK(pl_mesh_element_count(a) == pl_mesh_element_count(b));
  CHECK(pl_mesh_nodes_per_element(a) == pl_mesh_nodes_per_element(b));
  if (pl_mesh_node_count(a) != pl_mesh_node_count(b)) return;
  if (pl_mesh_element_count(a) != pl_mesh_element_count(b)) return;
  size_t bytes = 3 * (size_t)pl_mesh_node_count(a) * sizeof(double);
  CHECK(memcmp(pl_mesh_nodes(a), pl_mesh_nodes(b), bytes) == 0);
  bytes = (size_t)(pl_mesh_element_count(a) * pl_mesh_nodes_per_element(a)) * sizeof(int);
  CHECK(memcmp(pl_mesh_elements(a), pl_mesh_elements(b), bytes) == 0);
  CHECK(pl_mesh_quad_count(a) == pl_mesh_quad_count(b));
  if (pl_mesh_quad_count(a) && pl_mesh_quad_count(a) == pl_mesh_quad_count(b))
    CHECK(memcmp(pl_mesh_quads(a), pl_mesh_quads(b),
                 4 * (size_t)pl_mesh_quad_count(a) * sizeof(int)) == 0);
  int expected = 0;
  for (int i = 0; i < pl_mesh_set_count(a); i++) {
    const pl_set *set = pl_mesh_set(a, i);
    if (!pl_format_keeps(format, set)) continue;
    expected++;
    CHECK(same_set(b, set));
  }
  CHECK(pl_mesh_set_count(b) == expected);
}

/* ---- variants ---- */

static int word_count(const char *words)
{
  int count = 1;
  for (; *words; words++) count += *words == '|';
  return count;
}

/* Fills values with the variant of that number; 0 if there are fewer. */
static int take_variant(const pl_format_ops *format, int variant, double *values)
{
  pl_param_presets(&format->info, values);
  for (int i = 0; i < format->info.param_count; i++) {
    int words = word_count(format->info.params[i].words);
    values[i] = variant % words;
    variant /= words;
  }
  return variant == 0;
}

static const char *temporary_path(const pl_format_ops *format, char buffer[256])
{
  const char *folder = getenv("TMPDIR");
  snprintf(buffer, 256, "%s/pliant-formats-%ld.%.*s", folder ? folder : "/tmp", (long)getpid(),
           (int)strcspn(format->extensions, "|"), format->extensions);
  return buffer;
}

static pl_bytes read_file(const char *path)
{
  pl_bytes bytes = {0};
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
  return bytes;
}

/* The bytes of one variant as read_memory takes them; data is NULL if the format cannot hold it. */
static pl_bytes variant_bytes(const pl_format_ops *format, const pl_mesh *mesh, int variant)
{
  char path[256], other[256];
  double values[PL_MOST_VALUES];
  pl_snapshot snapshot = {.mesh = mesh, .time = 0.5};
  pl_bytes bytes = {0};
  if (!take_variant(format, variant, values)) return bytes;
  if (format->write(&snapshot, temporary_path(format, path), values, NULL)) return bytes;
  bytes = read_file(path);
  unlink(path);
  if (strcmp(format->info.name, "tetgen") != 0) return bytes;
  snprintf(other, sizeof other, "%.*sele", (int)strlen(path) - 4, path);
  pl_bytes tets = read_file(other);
  unlink(other);
  char *both = malloc(bytes.size + tets.size + 2);
  memcpy(both, bytes.data, bytes.size);
  both[bytes.size] = TETGEN_BREAK;
  memcpy(both + bytes.size + 1, tets.data, tets.size + 1);
  pl_bytes result = {both, bytes.size + tets.size + 1};
  free(bytes.data);
  free(tets.data);
  return result;
}

/* Calls run for every variant of every format that can be written and read. */
static void for_variants(const pl_mesh *mesh,
                         void (*run)(const pl_format_ops *format, const pl_mesh *mesh,
                                     const pl_bytes *bytes))
{
  for (int i = 0; pl_format_family.members[i]; i++) {
    const pl_format_ops *format = format_at(i);
    if (!format->read) continue;
    for (int v = 0; v < MOST_VARIANTS; v++) {
      pl_bytes bytes = variant_bytes(format, mesh, v);
      int before = test_failures;
      if (bytes.data) run(format, mesh, &bytes);
      if (test_failures != before) printf("  in variant %d of %s\n", v, format->info.name);
      free(bytes.data);
    }
  }
}

/* ---- round trip ---- */

static void round_trip(const pl_format_ops *format, const pl_mesh *mesh, const pl_bytes *bytes)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_mesh *back = NULL;
  CHECK_OK(read_memory(format, bytes->data, bytes->size, &allocator, &back, error));
  if (back) check_same(format, mesh, back);
  pl_mesh_destroy(back);
  CHECK(c.blocks == 0);
  CHECK(c.peak <= 64 * bytes->size + (1 << 20));
}

TEST(round_trips)
{
  static const char *const elements[] = {"tet", "tet5", "hex"};
  for (int i = 0; i < 3; i++) {
    pl_mesh *mesh = make_mesh(elements[i], 3, 2, 2);
    if (mesh) for_variants(mesh, round_trip);
    pl_mesh_destroy(mesh);
  }
}

/* Quadrilaterals stay what they are, alone and beside triangles. */
TEST(round_trips_of_quadrilaterals)
{
  enum { N = 4 };
  double nodes[3 * (N + 1) * (N + 1)];
  int quads[4 * N * N], corner[2] = {0, N};
  for (int i = 0; i < 3 * (N + 1) * (N + 1); i++) {
    int place = i / 3, k = i % 3;
    nodes[i] = 0.05 * test_uniform() + (k == 0 ? place % (N + 1) : k == 1 ? place / (N + 1) : 0);
  }
  for (int i = 0; i < N * N; i++) {
    int a = i % N + (N + 1) * (i / N), around[4] = {a, a + 1, a + N + 2, a + N + 1};
    memcpy(quads + 4 * i, around, sizeof around);
  }
  pl_set ends = {.name = "marker-2", .count = 2, .ids = corner};
  for (int triangles = 0; triangles < 2; triangles++) {
    const int first[6] = {quads[0], quads[1], quads[2], quads[0], quads[2], quads[3]};
    pl_mesh_def def = {.node_count = (N + 1) * (N + 1),
                       .nodes = nodes,
                       .nodes_per_element = 3,
                       .element_count = 2 * triangles,
                       .elements = first,
                       .quad_count = N * N - triangles,
                       .quads = quads + 4 * triangles,
                       .set_count = 1,
                       .sets = &ends};
    pl_mesh *mesh = NULL;
    CHECK_OK(pl_mesh_create(&def, &mesh, error));
    if (mesh) for_variants(mesh, round_trip);
    pl_mesh_destroy(mesh);
  }
}

/* Memory stays in proportion to the file where the first MiB does not hide it. */
TEST(larger_round_trips)
{
  for (int hex = 0; hex < 2; hex++) {
    double across = TEST_SANITIZED ? 10 : 20;
    pl_mesh *mesh = make_mesh(hex ? "hex" : "tet", across, across, hex ? 30 : 8);
    if (mesh) for_variants(mesh, round_trip);
    pl_mesh_destroy(mesh);
  }
}

/* By file name, through the public functions. */
TEST(by_name)
{
  pl_mesh *mesh = make_mesh("tet", 2, 1, 1), *back = NULL;
  for (int i = 0; pl_format_family.members[i]; i++) {
    char path[256];
    const pl_format_ops *format = format_at(i);
    if (!format->read) continue;
    CHECK_OK(pl_mesh_write(mesh, temporary_path(format, path), error));
    CHECK_OK(pl_mesh_read(path, NULL, &back, error));
    if (back) check_same(format, mesh, back);
    pl_mesh_destroy(back);
    unlink(path);
    if (strcmp(format->info.name, "tetgen") == 0) {
      CHECK_FAILS(pl_mesh_read(path, NULL, &back, error), PL_E_IO, "cannot be opened");
      memcpy(path + strlen(path) - 4, "ele", 4);
      CHECK_FAILS(pl_mesh_read(path, NULL, &back, error), PL_E_IO, ".node: cannot be opened");
      unlink(path);
    }
  }
  CHECK_FAILS(pl_mesh_read("/nowhere/a.msh", NULL, &back, error), PL_E_IO,
              "/nowhere/a.msh: cannot");
  CHECK_FAILS(pl_mesh_read("a.xyz", NULL, &back, error), PL_E_ARGUMENT,
              "a.xyz: is of no known format; name it with one of: .vtu, .msh, .node, .ele, .vtk");
  CHECK_FAILS(pl_mesh_read("msh", NULL, &back, error), PL_E_ARGUMENT, "no known format");
  CHECK_FAILS(pl_mesh_read("a.no", NULL, &back, error), PL_E_ARGUMENT, "no known format");
  CHECK_FAILS(pl_mesh_read("/tmp/.msh/", NULL, &back, error), PL_E_ARGUMENT, "no known format");
  CHECK_FAILS(pl_mesh_write(mesh, "/nowhere/a.msh", error), PL_E_IO, "/nowhere/a.msh: cannot");
  CHECK_FAILS(pl_mesh_write(NULL, "a.msh", error), PL_E_ARGUMENT, "needs a mesh");
  pl_mesh_destroy(mesh);
}

/* ---- damaged files ---- */

/* Reading gives a mesh or an error with a sentence, frees everything, and uses no more memory than
 * the file justifies. */
static void check_harmless(const pl_format_ops *format, const char *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_mesh *mesh;
  pl_error error = {0};
  pl_status status = read_memory(format, data, size, &allocator, &mesh, &error);
  CHECK((status == PL_OK) == (mesh != NULL));
  CHECK(status == PL_OK || (error.message[0] && error.code == status));
  if (status != PL_OK && strncmp(error.source, "memory", 6) != 0) {
    printf("  no file in: %s\n", error.message);
    test_failures++;
  }
  pl_mesh_destroy(mesh);
  CHECK(c.blocks == 0 && c.peak <= memory_bound(format, size));
}

static void truncate_everywhere(const pl_format_ops *format, const pl_mesh *mesh,
                                const pl_bytes *bytes)
{
  (void)mesh;
  for (size_t size = 0; size < bytes->size; size++) check_harmless(format, bytes->data, size);
}

TEST(truncated_files)
{
  pl_mesh *mesh = make_mesh("tet5", 1, 1, 1);
  if (mesh) for_variants(mesh, truncate_everywhere);
  pl_mesh_destroy(mesh);
}

/* Replaces size bytes at place by text. */
static void check_replaced(const pl_format_ops *format, const pl_bytes *bytes, size_t place,
                           size_t size, const char *text, size_t length)
{
  char *copy = malloc(bytes->size + length);
  memcpy(copy, bytes->data, place);
  memcpy(copy + place, text, length);
  memcpy(copy + place + length, bytes->data + place + size, bytes->size - place - size);
  check_harmless(format, copy, bytes->size - size + length);
  free(copy);
}

static void replace_numbers(const pl_format_ops *format, const pl_mesh *mesh, const pl_bytes *bytes)
{
  static const char *const texts[] = {"-1",  "0",   "2147483648", "9223372036854775807",
                                      "1e9", "nan", "",           "99999999999999999999"};
  static const char blocks[][8] = {{-1, -1, -1, -1, -1, -1, -1, -1},
                                   {0},
                                   {0, 0, 0, -128, 0, 0, 0, -128},
                                   {0, 0, 0, 0, 0, 0, -16, 127}};
  (void)mesh;
  // words of digits, and then any eight bytes
  for (size_t i = 0; i < bytes->size; i++) {
    size_t size = 0;
    while (i + size < bytes->size && memchr("0123456789.-", bytes->data[i + size], 12)) size++;
    for (size_t k = 0; size && k < sizeof texts / sizeof *texts; k++)
      check_replaced(format, bytes, i, size, texts[k], strlen(texts[k]));
    i += size;
  }
  for (size_t i = 0; i + 8 <= bytes->size; i++) {
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
      check_replaced(format, bytes, i, 8, blocks[k], 8);
    char flipped = (char)(bytes->data[i] ^ (1 << i % 8));
    check_replaced(format, bytes, i, 1, &flipped, 1);
  }
}

TEST(replaced_numbers)
{
  pl_mesh *mesh = make_mesh("tet5", 1, 1, 1);
  if (mesh) for_variants(mesh, replace_numbers);
  pl_mesh_destroy(mesh);
}

/* ---- memory ---- */

static void fail_allocations(const pl_format_ops *format, const pl_mesh *mesh,
                             const pl_bytes *bytes)
{
  (void)mesh;
  pl_status status = PL_E_MEMORY;
  for (long k = 1; status && k < 1000; k++) {
    counter c = {.fail_at = k};
    pl_allocator allocator = counter_allocator(&c);
    pl_mesh *back = NULL;
    status = read_memory(format, bytes->data, bytes->size, &allocator, &back, NULL);
    CHECK(status == PL_OK || status == PL_E_MEMORY);
    CHECK((status == PL_OK) == (c.calls < k));
    pl_mesh_destroy(back);
    CHECK(c.blocks == 0);
  }
  CHECK(status == PL_OK);
}

TEST(failing_allocations)
{
  pl_mesh *mesh = make_mesh("tet", 2, 1, 1);
  if (mesh) for_variants(mesh, fail_allocations);
  pl_mesh_destroy(mesh);
}

/* ---- series ---- */

/* The times and files that a .pvd lists. */
static int count_frames(const char *folder, double *last_time)
{
  char path[512];
  snprintf(path, sizeof path, "%s/bar.pvd", folder);
  pl_bytes bytes = read_file(path);
  pl_xml *list = NULL;
  int frames = 0;
  CHECK_OK(pl_xml_parse(bytes.data, bytes.size, path, NULL, &list, error));
  if (list) {
    pl_xml_node *set = pl_xml_child(pl_xml_child(pl_xml_root(list), "Collection"), "DataSet");
    for (; set; set = pl_xml_next(set, NULL), frames++) {
      pl_mesh *mesh = NULL;
      CHECK(pl_parse_double(pl_xml_attribute(set, "timestep"), last_time));
      snprintf(path, sizeof path, "%s/%s", folder, pl_xml_attribute(set, "file"));
      CHECK_OK(pl_mesh_read(path, NULL, &mesh, error));
      pl_mesh_destroy(mesh);
    }
  }
  pl_xml_destroy(list);
  free(bytes.data);
  return frames;
}

TEST(series)
{
  char folder[256], path[512];
  snprintf(folder, sizeof folder, "/tmp/pliant-series-%ld/inner", (long)getpid());
  pl_mesh *mesh = make_mesh("tet", 1, 1, 1), *back = NULL;
  pl_series *series = NULL;
  double last = -1, moved[24];
  struct stat list = {0};
  ino_t first = 0;
  const pl_choice vtu = {"vtu", NULL, 0};
  CHECK_OK(pl_series_create(folder, "bar", &vtu, NULL, &series, error));
  if (!series || !mesh) return;
  pl_field fields[] = {{"velocity", 0, 3, moved}, {"energy", 1, 1, moved}};
  pl_snapshot snapshot = {
      .mesh = mesh, .positions = moved, .time = NAN, .field_count = 2, .fields = fields};
  CHECK(pl_mesh_node_count(mesh) == 8);
  CHECK_FAILS(pl_series_add(series, &snapshot, error), PL_E_ARGUMENT, "needs a time");
  for (int frame = 0; frame < 3; frame++) {
    for (int i = 0; i < 24; i++) moved[i] = pl_mesh_nodes(mesh)[i] + frame;
    snapshot.time = 0.1 * frame;
    CHECK_OK(pl_series_add(series, &snapshot, error));
    CHECK_FAILS(pl_series_add(series, &snapshot, error), PL_E_ARGUMENT, "behind that of");
    // readable after every frame
    CHECK(count_frames(folder, &last) == frame + 1 && last == 0.1 * frame);
    // and not replaced, which some file systems answer by writing to the disk
    snprintf(path, sizeof path, "%s/bar.pvd", folder);
    CHECK(stat(path, &list) == 0 && (frame == 0 || list.st_ino == first));
    first = list.st_ino;
  }
  snprintf(path, sizeof path, "%s/bar_000002.vtu", folder);
  CHECK_OK(pl_mesh_read(path, NULL, &back, error));
  if (back) CHECK(memcmp(pl_mesh_nodes(back), moved, sizeof moved) == 0);
  pl_bytes bytes = read_file(path);
  CHECK(strstr(bytes.data, "Name=\"velocity\" NumberOfComponents=\"3\""));
  CHECK(strstr(bytes.data, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.2<"));
  free(bytes.data);
  CHECK(pl_series_count(series) == 3);
  CHECK_OK(pl_series_finish(series, error));
  pl_series_destroy(series);
  pl_mesh_destroy(back);
  pl_mesh_destroy(mesh);
  CHECK_FAILS(pl_series_create(folder, "a/b", &vtu, NULL, &series, error), PL_E_ARGUMENT, "a/b");
  CHECK_FAILS(pl_series_create("/proc/no", "a", &vtu, NULL, &series, error), PL_E_IO, "/proc/no");

  // tidy up
  for (int frame = 0; frame < 3; frame++) {
    snprintf(path, sizeof path, "%s/bar_%06d.vtu", folder, frame);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/bar.pvd", folder);
  unlink(path);
  rmdir(folder);
  *strrchr(folder, '/') = 0;
  rmdir(folder);
}

TESTS(X(round_trips) X(round_trips_of_quadrilaterals) X(larger_round_trips) X(by_name)
          X(truncated_files) X(replaced_numbers) X(failing_allocations) X(series))
