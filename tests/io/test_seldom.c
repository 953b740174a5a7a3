/* What readers and writers meet seldom: odd types of numbers, partitioned meshes, more sets or
 * references than there is room for, numbers in other files, states whose size varies. */
#include "core/file.h"
#include "dialects.h"
#include "io/bitmap.h"
#include "io/glb.h"
#include "io/paint.h"
#include "io/recording.h"
#include "io/scan.h"
#include "io/series.h"
#include "pliant/scene.h"

#include <unistd.h>

/* A file of this test. */
static const char *place(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "/tmp/pliant-seldom-%d-%s", (int)getpid(), name);
  return path;
}

static void clean(const char *name) { unlink(place(name)); }

/* ---- meshes ---- */

/* A tetrahedron whose corners 0, 1, 2, 3 are bytes of that type behind the XML. */
static pl_text vtu_of(const char *type, const void *corners, size_t size, int is_big_endian)
{
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text,
              "<VTKFile type=\"UnstructuredGrid\" byte_order=\"%s\"><UnstructuredGrid>"
              "<Piece NumberOfPoints='4' NumberOfCells='1'><Points><DataArray type='Float32' "
              "NumberOfComponents='3'>0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells>"
              "<DataArray type='%s' Name='connectivity' format='appended' offset='0'/>"
              "<DataArray type='Int32' Name='offsets'>4</DataArray>"
              "<DataArray type='UInt8' Name='types'>10</DataArray></Cells></Piece>"
              "</UnstructuredGrid><AppendedData encoding=\"raw\">_",
              is_big_endian ? "BigEndian" : "LittleEndian", type);
  unsigned char head[4] = {0};
  head[is_big_endian ? 3 : 0] = (unsigned char)size;
  pl_text_bytes(&text, head, sizeof head);
  pl_text_bytes(&text, corners, size);
  pl_text_add(&text, "</AppendedData></VTKFile>");
  return text;
}

/* Corners in every type that VTK knows, in either order of bytes. */
TEST(vtu_corners_have_any_type)
{
  static const struct {
    const char *name;
    size_t size;
  } types[] = {{"Int8", 1},  {"UInt8", 1},  {"Int16", 2}, {"UInt16", 2},
               {"Int32", 4}, {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}};
  for (int i = 0; i < 16; i++) {
    size_t size = types[i / 2].size;
    unsigned char corners[32] = {0};
    for (size_t k = 0; k < 4; k++) corners[size * k + (i % 2 ? size - 1 : 0)] = (unsigned char)k;
    pl_text text = vtu_of(types[i / 2].name, corners, 4 * size, i % 2);
    pl_mesh_destroy(check_tet("a.vtu", text.data, text.size));
    pl_text_release(&text);
  }
  const double places[4] = {0, 1, 2, 3}, broken[4] = {0, 1, 2, 2.5};
  const uint64_t huge[4] = {0, 1, 2, UINT64_MAX};
  pl_text text = vtu_of("Float64", places, sizeof places, !pl_little_endian());
  pl_mesh_destroy(check_tet("a.vtu", text.data, text.size));
  pl_text_release(&text);
  for (int i = 0; i < 2; i++) {
    pl_allocator allocator = pl_allocator_default();
    pl_mesh *mesh;
    text =
        vtu_of(i ? "UInt64" : "Float64", i ? (const void *)huge : broken, 32, !pl_little_endian());
    CHECK_FAILS(
        read_memory(pl_format_of("a.vtu", NULL), text.data, text.size, &allocator, &mesh, error),
        PL_E_PARSE, "");
    pl_text_release(&text);
  }
}

/* Fields of nodes and elements stand beside the sets, as text and as bytes. */
TEST(legacy_vtk_files_hold_fields)
{
  static const char *const words[] = {"ascii", "binary"};
  pl_mesh *mesh = check_tet("a.inp", INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n",
                            strlen(INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n"));
  static const double numbers[12] = {0.5, 0.25, 0.125};
  const pl_field fields[] = {{"velocity", 0, 3, numbers}, {"energy", 1, 1, numbers}};
  pl_snapshot snapshot = {.mesh = mesh, .field_count = 2, .fields = fields};
  for (int i = 0; mesh && i < 2; i++) {
    pl_setting setting = {.name = "encoding", .word = words[i]};
    pl_bytes bytes;
    pl_mesh *back = NULL;
    CHECK_OK(pl_snapshot_write(&snapshot, place("f.vtk"), &setting, 1, error));
    pl_allocator allocator = pl_allocator_default();
    CHECK_OK(pl_file_read(&allocator, place("f.vtk"), 1 << 20, &bytes, error));
    if (i == 0) {
      CHECK(strstr(bytes.data, "POINT_DATA 4\nFIELD FieldData 1\nvelocity 3 4 double\n0.5 0.25 "));
      CHECK(strstr(bytes.data, "CELL_DATA 1\nFIELD FieldData 1\nenergy 1 1 double\n0.5"));
    }
    pl_bytes_free(&allocator, &bytes);
    CHECK_OK(pl_mesh_read(place("f.vtk"), NULL, &back, error));
    if (back) CHECK(pl_mesh_element_count(back) == 1);
    pl_mesh_destroy(back);
  }
  pl_mesh_destroy(mesh);
  clean("f.vtk");
}

static void hear(void *context, pl_level level, const char *text)
{
  (void)level;
  snprintf(context, 512, "%s", text);
}

/* What stands behind the mesh and is not known is passed over with a note. */
TEST(legacy_vtk_files_may_end_with_anything)
{
  char heard[512] = "";
  pl_log log = {hear, heard};
  pl_mesh *mesh = NULL;
  const char *text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                     "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n"
                     "10\nVERTEX_DATA 3\n1 2 3\n";
  CHECK_OK(pl_file_write(place("t.vtk"), text, strlen(text), error));
  CHECK_OK(pl_mesh_read_logged(place("t.vtk"), &log, NULL, &mesh, error));
  CHECK(mesh && strstr(heard, "the data from \"VERTEX_DATA\" on was not read"));
  pl_mesh_destroy(mesh);
  clean("t.vtk");
}

#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH4_MESH                                                                                  \
  "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"                  \
  "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"

TEST(gmsh_files_in_parts)
{
  char heard[512] = "";
  pl_log log = {hear, heard};
  pl_mesh *mesh = NULL;
  const char *text =
      MSH4 "$PartitionedEntities\n2\n0\n0 0 0 0\n$EndPartitionedEntities\n" MSH4_MESH;
  CHECK_OK(pl_file_write(place("p.msh"), text, strlen(text), error));
  CHECK_OK(pl_mesh_read_logged(place("p.msh"), &log, NULL, &mesh, error));
  CHECK(mesh && strstr(heard, "the mesh is partitioned; its physical groups are not read"));
  pl_mesh_destroy(mesh);
  clean("p.msh");
  check_refused("a.msh", MSH4 MSH4_MESH "$Entities\n0 0 0 0\n$EndEntities\n", PL_E_PARSE,
                "$Entities must come once and before $Elements");
}

/* ---- too many ---- */

TEST(more_groups_than_sets)
{
  enum { GROUPS = 4097 };
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n");
  for (int i = 0; i < GROUPS; i++) pl_text_add(&text, "*NSET,NSET=g%d\n1\n", i);
  check_refused("a.inp", text.data, PL_E_LIMIT, "more than 4096 groups; merge some");
  // and without names
  pl_text_release(&text);
  pl_text_add(&text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", GROUPS + 3);
  pl_text_add(&text, "1 0 0 0\n2 1 0 0\n3 0 1 0\n");
  for (int i = 0; i < GROUPS; i++) pl_text_add(&text, "%d 0 0 %d\n", i + 4, i + 1);
  pl_text_add(&text, "$EndNodes\n$Elements\n%d\n", GROUPS);
  for (int i = 1; i <= GROUPS; i++) pl_text_add(&text, "%d 4 2 %d 1 1 2 3 %d\n", i, i, i + 3);
  pl_text_add(&text, "$EndElements\n");
  check_refused("a.msh", text.data, PL_E_LIMIT, "has 4097 groups; at most 4096 can be sets");
  pl_text_release(&text);
}

TEST(sets_of_sets_end_somewhere)
{
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=A\n1\n*NSET,NSET=B\n");
  for (int i = 0; i < 66000; i++) pl_text_add(&text, "A\n");
  check_refused("a.inp", text.data, PL_E_LIMIT, "sets name other sets more than 65536 times");
  pl_text_release(&text);
}

TEST(paths_that_are_too_long)
{
  static char name[5000];
  pl_series *series = NULL;
  memset(name, 'a', sizeof name - 1);
  CHECK_FAILS(pl_series_create("/tmp", name, &(pl_choice){"vtu", NULL, 0}, NULL, &series, error),
              PL_E_LIMIT, "the path is too long");
}

TEST(more_elements_than_a_ply_header_may_have)
{
  pl_text text = pl_text_make(NULL);
  pl_allocator allocator = pl_allocator_default();
  pl_skin *skin = NULL;
  pl_text_add(&text, "ply\nformat ascii 1.0\n");
  for (int i = 0; i < 17; i++) pl_text_add(&text, "element e%d 1\nproperty int x\n", i);
  pl_text_add(&text, "end_header\n");
  CHECK_FAILS(read_surface_memory(pl_format_of("a.ply", NULL), text.data, text.size, &allocator,
                                  &skin, error),
              PL_E_LIMIT, "more than 16 elements");
  pl_text_release(&text);
}

/* ---- surfaces ---- */

/* A .glb file of a triangle; its JSON is the caller's. */
static pl_text glb_of(const char *json)
{
  pl_text text = pl_text_make(NULL);
  int size = (int)(strlen(json) + 3) / 4 * 4;
  pl_text_int32s(&text, (int[]){0x46546c67, 2, size + 64, size, 0x4e4f534a}, 5);
  pl_text_bytes(&text, json, strlen(json));
  for (size_t i = strlen(json); i % 4; i++) pl_text_bytes(&text, " ", 1);
  pl_text_int32s(&text, (int[]){36, 0x4e4942}, 2);
  pl_text_floats(&text, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
  return text;
}

#define GLB(type, indices, buffer)                                                                 \
  "{\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}" indices "}]}],"                 \
  "\"accessors\":[{\"bufferView\":0,\"componentType\":" type ",\"count\":3,\"type\":\"VEC3\"},"    \
  "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}],"                    \
  "\"bufferViews\":[{\"byteLength\":36" buffer "}],\"materials\":[{\"pbrMetallicRoughness\":{"     \
  "\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],"                           \
  "\"images\":[{\"bufferView\":0}]}"

TEST(glb_files_that_are_not_taken)
{
  static const char *const files[][2] = {
      {GLB("5126", "", ",\"buffer\":1"), "numbers in another file; export it as one .glb"},
      {GLB("5123", "", ""), "places that are no floats; export it without compression"},
      {GLB("5126", ",\"indices\":1", ""), "the corners of triangles are no whole numbers"},
  };
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < 3; i++) {
    pl_skin *skin = NULL;
    pl_text text = glb_of(files[i][0]);
    CHECK_FAILS(read_surface_memory(pl_format_of("a.glb", NULL), text.data, text.size, &allocator,
                                    &skin, error),
                i == 2 ? PL_E_PARSE : PL_E_UNSUPPORTED, files[i][1]);
    pl_text_release(&text);
  }
  // an image that would begin behind the end
  pl_text text = glb_of(GLB("5126", "", ",\"byteOffset\":8"));
  pl_source source = {.file = {text.data, text.size}, .path = "memory", .allocator = &allocator};
  const char *data;
  size_t size;
  CHECK_FAILS(pl_glb_image(&source, &data, &size, error), PL_E_PARSE,
              "an image lies outside of the file");
  pl_text_release(&text);
}

/* Repairs are reported; faces that name points which are not there are refused. */
TEST(surfaces_that_need_repair)
{
  const char *inside_out =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
  char heard[512] = "";
  pl_log log = {hear, heard};
  pl_skin *skin = NULL;
  CHECK_OK(pl_file_write(place("i.obj"), inside_out, strlen(inside_out), error));
  CHECK_OK(pl_skin_read(place("i.obj"), &log, NULL, &skin, error));
  CHECK(strstr(heard, "obj: 4 triangles were turned outwards"));
  pl_skin_destroy(skin);
  clean("i.obj");
  const char *file = "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\n"
                     "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                     "end_header\n3 0 1 2\n0 0 0\n";
  pl_allocator allocator = pl_allocator_default();
  const pl_format_ops *formats[] = {pl_format_of("a.ply", NULL), pl_format_of("a.obj", NULL)};
  const char *const texts[] = {file, "v 0 0 0\nvt 0 0\nf 1/1 2/1 3/1\n"};
  for (int i = 0; i < 2; i++) {
    pl_hull hull;
    pl_source source = {.file = {(char *)(uintptr_t)texts[i], strlen(texts[i])},
                        .path = "memory",
                        .allocator = &allocator};
    if (!formats[i]->read_painted) continue;
    CHECK_FAILS(formats[i]->read_painted(&source, &hull, error), PL_E_PARSE, "there are 1");
  }
}

/* An element with a node twice is refused, or dropped where that is asked for. */
TEST(meshes_are_read_and_repaired)
{
  const char *text = INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n2,1,1,2,3\n";
  pl_mesh *mesh = NULL;
  pl_mesh_repairs done = {0};
  CHECK_OK(pl_file_write(place("r.inp"), text, strlen(text), error));
  CHECK(pl_mesh_read(place("r.inp"), NULL, &mesh, NULL) != PL_OK);
  CHECK_OK(pl_mesh_read_repaired(place("r.inp"), NULL, &done, &mesh, error));
  CHECK(done.flat_elements == 1 && mesh && pl_mesh_element_count(mesh) == 1);
  pl_mesh_destroy(mesh);
  clean("r.inp");
}

/* ---- pictures and recordings ---- */

TEST(bitmaps_come_from_files)
{
  static const unsigned char tga[] = {0, 0, 2, 0, 0,  0, 0, 0, 0, 0, 0, 0,
                                      2, 0, 1, 0, 24, 0, 9, 8, 7, 6, 5, 4};
  static const unsigned char pixels[] = {7, 8, 9, 4, 5, 6};
  pl_allocator allocator = pl_allocator_default();
  pl_bitmap bitmap;
  CHECK_OK(pl_file_write(place("p.tga"), tga, sizeof tga, error));
  CHECK_OK(pl_bitmap_read(&allocator, place("p.tga"), &bitmap, error));
  CHECK(bitmap.width == 2 && bitmap.height == 1 && !memcmp(bitmap.pixels, pixels, 6));
  pl_bitmap_release(&allocator, &bitmap);
  CHECK_OK(pl_file_write(place("p.tga"), tga, sizeof tga - 1, error));
  CHECK_FAILS(pl_bitmap_read(&allocator, place("p.tga"), &bitmap, error), PL_E_PARSE,
              "ends before its last pixel");
  clean("p.tga");
  CHECK_FAILS(pl_bitmap_read(&allocator, place("p.tga"), &bitmap, error), PL_E_IO, "");
}

/* States of a body that is refined on the way have different sizes. */
TEST(states_of_different_sizes_are_recorded)
{
  static const char text[] =
      "<pliant><world dt=\"0.01\" duration=\"1\" gravity=\"0 0 -9.81\"/>"
      "<material name=\"m\" young=\"1e4\" poisson=\"0.3\" density=\"1000\"/>"
      "<mesh name=\"b\"><box size=\"1 0.25 0.25\" cells=\"4 1 1\" element=\"tet\"/></mesh>"
      "<body name=\"bar\" mesh=\"b\" material=\"m\"><fix><set name=\"x-min\"/></fix>"
      "<refine levels=\"1\" wait=\"1\" indicator=\"energy-error\" above=\"1e-12\" below=\"0\"/>"
      "</body></pliant>";
  enum { STATES = 4 };
  pl_scene_def def = pl_scene_def_default();
  pl_scene *scene = NULL;
  pl_text out = pl_text_make(NULL);
  uint64_t hashes[STATES];
  size_t sizes[STATES + 1] = {0};
  CHECK_OK(pl_file_write(place("s.xml"), text, sizeof text - 1, error));
  def.path = place("s.xml");
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (!scene) return;
  pl_recording_begin(&out, pl_scene_world(scene), "note");
  for (int i = 0; i < STATES; i++) {
    sizes[i] = out.size;
    CHECK_OK(pl_recording_add(&out, pl_scene_world(scene), error));
    hashes[i] = pl_world_state_hash(pl_scene_world(scene));
    CHECK_OK(pl_scene_step(scene, error));
  }
  sizes[STATES] = out.size;
  CHECK(sizes[STATES] - sizes[STATES - 1] > sizes[1] - sizes[0]);
  // the last one was only begun
  for (int cut = 0; cut < 2; cut++) {
    pl_recording *recording;
    CHECK_OK(pl_file_write(place("s.plr"), out.data, out.size - 7 * (size_t)cut, error));
    CHECK_OK(pl_recording_open(place("s.plr"), NULL, &recording, error));
    CHECK(pl_recording_count(recording) == STATES - cut);
    for (int i = STATES - 1 - cut; i >= 0; i--) {
      CHECK_OK(pl_recording_load(recording, i, pl_scene_world(scene), error));
      CHECK(pl_world_state_hash(pl_scene_world(scene)) == hashes[i]);
    }
    pl_recording_close(recording);
  }
  // without memory
  for (long k = 1, open = 0; !open; k++) {
    counter c = {.fail_at = k};
    pl_allocator allocator = counter_allocator(&c);
    pl_recording *recording;
    pl_status status = pl_recording_open(place("s.plr"), &allocator, &recording, NULL);
    if (!status) {
      status = pl_recording_load(recording, 0, pl_scene_world(scene), NULL);
      open = !status;
      pl_recording_close(recording);
    }
    CHECK(c.blocks == 0 && (open || status == PL_E_MEMORY) && k < 100);
    if (k == 100) break;
  }
  pl_text_release(&out);
  pl_scene_destroy(scene);
  clean("s.xml");
  clean("s.plr");
}

/* ---- memory ---- */

typedef pl_status attempt(const pl_allocator *allocator);

static pl_status attempt_glb(const pl_allocator *allocator)
{
  pl_skin *skin;
  pl_text text = glb_of(GLB("5126", "", ""));
  pl_status status = read_surface_memory(pl_format_of("a.glb", NULL), text.data, text.size,
                                         allocator, &skin, NULL);
  pl_skin_destroy(skin);
  pl_text_release(&text);
  return status;
}

static const int corners[3] = {0, 1, 2};

static pl_status attempt_paint(const pl_allocator *allocator)
{
  static const float spots[6] = {0};
  pl_paint paint;
  pl_status status = pl_paint_split(allocator, 3, corners, 1, spots, &paint, NULL);
  if (!status) pl_paint_free(allocator, &paint);
  return status;
}

static pl_status attempt_facets(const pl_allocator *allocator)
{
  static const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  pl_facets facets = {3, 1, points, corners};
  pl_snapshot snapshot = {.facets = &facets};
  pl_hull hull;
  pl_status status = pl_hull_of(&snapshot, allocator, &hull, NULL);
  if (!status) pl_hull_free(&hull);
  return status;
}

/* The k-th allocation fails: an error, and nothing is left. */
TEST(failing_allocations)
{
  attempt *const attempts[] = {attempt_glb, attempt_paint, attempt_facets};
  for (int i = 0; i < 3; i++) {
    counter c = {0};
    pl_allocator allocator = counter_allocator(&c);
    CHECK(attempts[i](&allocator) == PL_OK && c.blocks == 0);
    long calls = c.calls;
    CHECK(calls > 1);
    for (long k = 1; k <= calls; k++) {
      c = (counter){.fail_at = k};
      CHECK(attempts[i](&allocator) == PL_E_MEMORY && c.blocks == 0);
    }
  }
}

TESTS(X(failing_allocations) X(vtu_corners_have_any_type) X(legacy_vtk_files_hold_fields)
          X(legacy_vtk_files_may_end_with_anything) X(gmsh_files_in_parts) X(more_groups_than_sets)
              X(sets_of_sets_end_somewhere) X(paths_that_are_too_long)
                  X(more_elements_than_a_ply_header_may_have) X(glb_files_that_are_not_taken)
                      X(surfaces_that_need_repair) X(meshes_are_read_and_repaired)
                          X(bitmaps_come_from_files) X(states_of_different_sizes_are_recorded))
