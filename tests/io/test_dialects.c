/* Files as other programs write them, and the sentences that damaged or unusual ones get. */
#include "dialects.h"

/* ---- Gmsh ---- */

#define MSH2   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES4                                                                                     \
  "$Nodes\n3 4 7 9000000000\n"                                                                     \
  "0 1 0 1\n7\n0 0 0\n2 1 1 2\n9000000000\n12\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n"                     \
  "3 1 0 1\n8\n0 0 1\n$EndNodes\n"

/* Where nothing fills space, triangles are the mesh, and quadrilaterals behind them, as two along
 * their shorter diagonal; what is in two groups is there once. */
TEST(flat_elements)
{
  const char *msh = MSH2 "$PhysicalNames\n1\n2 5 \"all\"\n$EndPhysicalNames\n"
                         "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 2 2 0\n4 0 1 0\n5 -1 0 0\n$EndNodes\n"
                         "$Elements\n4\n1 1 2 0 1 1 2\n2 3 2 5 1 1 2 3 4\n3 2 2 5 1 1 4 5\n"
                         "4 2 2 6 1 1 4 5\n$EndElements\n";
  pl_mesh *mesh = NULL;
  CHECK_OK(read_text("a.msh", msh, &mesh, error));
  if (mesh) {
    CHECK(pl_mesh_nodes_per_element(mesh) == 3 && pl_mesh_element_count(mesh) == 3);
    CHECK(memcmp(pl_mesh_elements(mesh), (int[]){0, 3, 4, 0, 1, 3, 1, 2, 3}, 9 * sizeof(int)) == 0);
    CHECK(pl_mesh_quad_count(mesh) == 1);
    CHECK(memcmp(pl_mesh_quads(mesh), (int[]){0, 1, 2, 3}, 4 * sizeof(int)) == 0);
    CHECK(set_is(mesh, "all", 0, 5, (int[]){0, 1, 2, 3, 4}));
  }
  pl_mesh_destroy(mesh);

  // lines, if there is nothing else
  mesh = NULL;
  CHECK_OK(read_text("a.msh",
                     MSH2 NODES2 "$Elements\n2\n1 1 2 0 1 1 2\n2 1 2 0 1 2 4\n$EndElements\n",
                     &mesh, error));
  if (mesh) CHECK(pl_mesh_nodes_per_element(mesh) == 2 && pl_mesh_element_count(mesh) == 2);
  pl_mesh_destroy(mesh);
}

TEST(gmsh_groups)
{
  // 2.2: an element in two groups is there twice; a triangle and a point make node sets
  const char *text = MSH2 "$PhysicalNames\n3\n3 1 \"body\"\n2 5 \"two words\"\n0 6 \"q\"\n"
                          "$EndPhysicalNames\n" NODES2 "$Elements\n4\n"
                          "1 15 2 6 1 4\n2 2 2 5 1 3 2 1\n3 4 2 1 1 1 2 3 4\n4 4 2 2 1 1 2 3 4\n"
                          "$EndElements\n";
  pl_mesh *mesh = check_tet("a.msh", text, strlen(text));
  if (mesh) {
    CHECK(pl_mesh_set_count(mesh) == 4);
    CHECK(set_is(mesh, "body", 1, 1, (int[]){0}) && set_is(mesh, "group-2", 1, 1, (int[]){0}));
    CHECK(set_is(mesh, "two words", 0, 3, (int[]){0, 1, 2}) && set_is(mesh, "q", 0, 1, (int[]){3}));
  }
  pl_mesh_destroy(mesh);

  // 4.1: sparse tags, parametric nodes, an entity in three groups, one name for two groups
  text = MSH4 "$PhysicalNames\n3\n2 1 \"skin\"\n1 1 \"skin\"\n3 9 \"a\"\n$EndPhysicalNames\n"
              "$Entities\n1 1 1 1\n1 0 0 0 0\n1 0 0 0 1 1 1 1 1 0\n1 0 0 0 1 1 1 1 -1 0\n"
              "1 0 0 0 1 1 1 3 9 8 7 0\n$EndEntities\n" NODES4
              "$Comments\nanything $Nodes\n$EndComments\n"
              "$Elements\n3 3 1 3\n1 1 1 1\n1 8 7\n2 1 2 1\n2 7 9000000000 12\n"
              "3 1 4 1\n3 7 9000000000 12 8\n$EndElements\n";
  mesh = check_tet("a.msh", text, strlen(text));
  if (mesh) {
    CHECK(pl_mesh_set_count(mesh) == 4);
    CHECK(set_is(mesh, "skin", 0, 4, (int[]){0, 1, 2, 3}));
    CHECK(set_is(mesh, "a", 1, 1, (int[]){0}) && set_is(mesh, "group-7", 1, 1, (int[]){0}));
  }
  pl_mesh_destroy(mesh);
}

/* Appends numbers with the highest byte first. */
static void put_big(pl_text *text, uint64_t bits, int size)
{
  for (int i = size - 1; i >= 0; i--) {
    char byte = (char)(bits >> 8 * i);
    pl_text_bytes(text, &byte, 1);
  }
}

static void put_big_double(pl_text *text, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_big(text, bits, 8);
}

/* Binary files of a machine with the other byte order. */
TEST(gmsh_big_endian)
{
  for (int version = 2; version <= 4; version += 2) {
    pl_text text = pl_text_make(NULL);
    int word = version == 2 ? 4 : 8;
    pl_text_add(&text, "$MeshFormat\n%s 1 8\n", version == 2 ? "2.2" : "4.1");
    put_big(&text, 1, 4);
    pl_text_add(&text, "\n$EndMeshFormat\n$Nodes\n");
    if (version == 2) pl_text_add(&text, "4\n");
    const uint64_t head[] = {1, 4, 1, 4};
    for (int i = 0; version == 4 && i < 4; i++) put_big(&text, head[i], 8);
    for (int i = 0; version == 4 && i < 3; i++) put_big(&text, i < 2 ? 3 : 0, 4);
    if (version == 4) put_big(&text, 4, 8);
    for (uint64_t i = 1; version == 4 && i <= 4; i++) put_big(&text, i, 8);
    for (int i = 0; i < 4; i++) {
      if (version == 2) put_big(&text, (uint64_t)i + 1, 4);
      for (int k = 0; k < 3; k++) put_big_double(&text, i == k + 1);
    }
    pl_text_add(&text, "\n$EndNodes\n$Elements\n");
    if (version == 2) {
      pl_text_add(&text, "1\n");
      for (int i = 0; i < 3; i++) put_big(&text, i == 0 ? 4 : i == 1 ? 1 : 0, 4);
    } else {
      for (int i = 0; i < 4; i++) put_big(&text, 1, 8);
      for (int i = 0; i < 3; i++) put_big(&text, i == 0 ? 3 : i == 1 ? 1 : 4, 4);
      put_big(&text, 1, 8);
    }
    put_big(&text, 1, word);
    for (uint64_t i = 1; i <= 4; i++) put_big(&text, i, word);
    pl_text_add(&text, "\n$EndElements\n");
    pl_mesh_destroy(check_tet("a.msh", text.data, text.size));
    pl_text_release(&text);
  }
}

TEST(gmsh_refused)
{
  check_refused("a.msh", "", PL_E_PARSE, "memory:1: the file is empty");
  check_refused("a.msh", "$NOD\n1", PL_E_PARSE, "begins with $MeshFormat");
  check_refused("a.msh", "$MeshFormat\n4 0 8\n", PL_E_UNSUPPORTED,
                "memory:2: version 4 of the Gmsh");
  check_refused("a.msh", "$MeshFormat\n2.2 0 4\n", PL_E_UNSUPPORTED, "data size 4 must be 8");
  check_refused("a.msh", "$MeshFormat\n2.2 7 8\n", PL_E_PARSE, "file type 7");
  check_refused("a.msh", "$MeshFormat\n2.2 1 8\nabcd", PL_E_PARSE, "byte order must be 1");
  check_refused("a.msh", "$MeshFormat\n2.2 0 8\n", PL_E_PARSE, "$EndMeshFormat is missing");
  check_refused("a.msh", MSH2, PL_E_PARSE, "no $Elements");
  check_refused("a.msh", MSH2 "oops", PL_E_PARSE, "memory:4: a section");
  check_refused("a.msh", MSH2 "$Elements\n0\n", PL_E_PARSE, "must come behind $Nodes");
  check_refused("a.msh", MSH2 "$Nodes\n-1\n", PL_E_PARSE, "number of nodes is -1");
  check_refused("a.msh", MSH2 "$Nodes\n4294967296\n1 0 0 0\n", PL_E_PARSE,
                "memory:5: 4294967296 nodes are announced but only 9 bytes follow");
  check_refused("a.msh", MSH2 "$Nodes\n1\n1 0 nan 0\n", PL_E_PARSE, "memory:6: the coordinate");
  check_refused("a.msh", MSH2 "$Nodes\n2\n1 0 0 0\n1 1 1 1\n$EndNodes", PL_E_PARSE,
                "node 1 is defined twice");
  check_refused("a.msh", MSH2 NODES2 "$Elements\n0\n$EndElements", PL_E_MESH,
                "memory: holds no tetrahedra or hexahedra (4 nodes");
  check_refused("a.msh", MSH2 NODES2 "$Elements\n1\n1 4 2 0 0 1 2 3 5\n$EndElements", PL_E_PARSE,
                "memory:13: element 1 uses node 5, which the file does not define");
  check_refused("a.msh", MSH2 NODES2 "$Elements\n1\n9 4 2 0 0 1 2 3 3\n$EndElements", PL_E_MESH,
                "memory: element 0 uses node 2 twice; in the file its nodes are 1, 2, 3, 3");
  check_refused("a.msh",
                MSH2 "$Nodes\n2\n7 0 0 0\n9 1e200 0 0\n$EndNodes\n$Elements\n1\n1 4 2 0 0 7 9 7 9\n"
                     "$EndElements",
                PL_E_MESH, "beyond 1e+100 m; in the file it is node 9");
  check_refused("a.msh", MSH2 NODES2 "$Elements\n1\n1 34 2 0 0 1 2 3 5\n$EndElements",
                PL_E_UNSUPPORTED, "elements of type 34");
  check_refused("a.msh", MSH2 NODES2 "$Elements\n1\n1 7 2 0 0 1 2 3 4 1\n$EndElements",
                PL_E_UNSUPPORTED, "holds 1 pyramids");
  check_refused("a.msh",
                MSH2 NODES2 "$Elements\n3\n1 4 2 0 0 1 2 3 4\n2 5 2 0 0 1 2 3 4 1 2 3 4\n"
                            "3 5 2 0 0 1 2 3 4 1 2 4 3\n$EndElements",
                PL_E_UNSUPPORTED, "mixes 1 tetrahedra and 2 hexahedra");
  check_refused("a.msh", MSH4 "$Nodes\n1 2 1 2\n0 1 0 1\n1\n0 0 0\n$EndNodes\n", PL_E_PARSE,
                "2 nodes were announced but 1 follow");
  check_refused("a.msh", MSH4 "$Nodes\n1 1 1 2\n5 1 0 1\n1\n0 0 0\n", PL_E_PARSE, "dimension 5");
  check_refused("a.msh", MSH2 "$PhysicalNames\n1\n3 1 body\n", PL_E_PARSE, "must be quoted");
}

/* One line puts a whole block into many groups: the product is bounded by the file's size. */
TEST(gmsh_many_groups)
{
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, MSH4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 3000");
  for (int i = 1; i <= 3000; i++) pl_text_add(&text, " %d", i);
  pl_text_add(&text, " 0\n$EndEntities\n" NODES4 "$Elements\n1 3000 1 3000\n3 1 4 3000\n");
  for (int i = 1; i <= 3000; i++)
    pl_text_add(&text, "%d %s\n", i, i % 2 ? "7 9000000000 12 8" : "7 12 9000000000 8");
  pl_text_add(&text, "$EndElements\n");
  check_refused("a.msh", text.data, PL_E_LIMIT, "put each entity into fewer groups");
  pl_text_release(&text);
}

/* ---- TetGen ---- */

TEST(tetgen_dialects)
{
  // from 0, with comments, attributes, markers and regions
  const char *text = "# nodes\n\n4 3 2 1 # x y z\n0 0 0 0 9 9 5\n  1 1 0 0 9 9 0\n# between\n"
                     "2 0 1 0 9 9 5\n3 0 0 1 9 9 -1\n# end\1"
                     "1 4 2\n0 0 1 2 3 1.5 7\n";
  pl_mesh *mesh = check_tet("a.node", text, strlen(text));
  if (mesh) {
    CHECK(set_is(mesh, "marker-5", 0, 2, (int[]){0, 2}) &&
          set_is(mesh, "region-7", 1, 1, (int[]){0}));
    CHECK(set_is(mesh, "marker--1", 0, 1, (int[]){3}) && pl_mesh_set_count(mesh) == 3);
  }
  pl_mesh_destroy(mesh);
  check_tet_text("a.ele", "4 3\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n\1"
                          "1 4 0\r\n1 1 2 3 4");
}

TEST(tetgen_refused)
{
  static const char nodes[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\1";
  char text[256];
  check_refused("a.node", "", PL_E_PARSE, "the file ends where the number of nodes");
  check_refused("a.node", "4 2 0 0\n", PL_E_PARSE, "dimension is 2; it must be 3");
  check_refused("a.node", "4 3 -1 0\n", PL_E_PARSE, "number of attributes is -1");
  check_refused("a.node", "99 3 0 0\n", PL_E_PARSE, "99 nodes are announced");
  check_refused("a.node", "1 3 0 0\n1 0 x 0\n", PL_E_PARSE,
                "memory:2: the coordinate of a node is \"x\"");
  static const struct {
    const char *ele;
    pl_status status;
    const char *part;
  } cases[] = {
      {"1 5 0\n", PL_E_PARSE, "must be 4 or 10"},
      {"1 4 0\n1 1 2 3 9\n", PL_E_PARSE, "memory:2: element 1 uses node 9"},
      {"-2 4 0\n", PL_E_PARSE, "number of tetrahedra is -2"},
      {"9 4 0\n1 1 2 3 4\n", PL_E_PARSE, "9 tetrahedra are announced"},
      {"0 4 0\n", PL_E_MESH, "holds no tetrahedra"},
      {"1 4 0\n1 1 2 3\n", PL_E_PARSE, "the file ends where the node of a tetrahedron"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(text, sizeof text, "%s%s", nodes, cases[i].ele);
    check_refused("a.node", text, cases[i].status, cases[i].part);
  }
}

/* ---- legacy VTK ---- */

#define VTK_HEAD(version)                                                                          \
  "# vtk DataFile Version " version "\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS "POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n"

TEST(vtk_dialects)
{
  check_tet_text("a.vtk", VTK_HEAD("2.0") VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10");
  check_tet_text("a.vtk",
                 VTK_HEAD("5.1") "FIELD FieldData 1\nTIME 1 1 double\n0.5\nMETADATA\n"
                                 "INFORMATION 0\n\n" VTK_POINTS "METADATA\nINFORMATION 0\n\n"
                                 "CELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\n"
                                 "CONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3\n"
                                 "CELL_TYPES 2\n5\n10\n");
  // data of all kinds behind the grid; a set in SCALARS; a triangle before the tetrahedron
  const char *text = VTK_HEAD("3.0") VTK_POINTS
      "CELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5 10\nCELL_DATA 2\nSCALARS set:a%20b int 1\n"
      "LOOKUP_TABLE default\n0 1\nVECTORS v double\n1 2 3 4 5 6\nPOINT_DATA 4\n"
      "SCALARS set:p unsigned_char\nLOOKUP_TABLE default\n0 1 1 0\nTENSORS t float\n1 2 3";
  pl_mesh *mesh = check_tet("a.vtk", text, strlen(text));
  if (mesh) {
    CHECK(pl_mesh_set_count(mesh) == 2);
    CHECK(set_is(mesh, "a b", 1, 1, (int[]){0}) && set_is(mesh, "p", 0, 2, (int[]){1, 2}));
  }
  pl_mesh_destroy(mesh);

  // a voxel counts its corners line by line
  mesh = NULL;
  CHECK_OK(
      read_text("a.vtk",
                VTK_HEAD("3.0") "POINTS 8 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n"
                                "CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n",
                &mesh, error));
  if (mesh) CHECK(memcmp(pl_mesh_elements(mesh), (int[]){0, 1, 3, 2, 4, 5, 7, 6}, 32) == 0);
  pl_mesh_destroy(mesh);
}

TEST(vtk_refused)
{
#define CELLS_ONE "CELLS 1 5\n4 0 1 2 3\n"
  check_refused("a.vtk", "", PL_E_PARSE, "begins with \"# vtk DataFile");
  check_refused("a.vtk", "# vtk DataFile Version 3.0\na\nTEXT\n", PL_E_PARSE, "ASCII or BINARY");
  check_refused("a.vtk", "# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\n",
                PL_E_UNSUPPORTED, "the dataset is POLYDATA");
  check_refused("a.vtk", VTK_HEAD("3.0"), PL_E_PARSE, "the file ends before its POINTS");
  check_refused("a.vtk", VTK_HEAD("3.0") "HELLO", PL_E_PARSE, "\"HELLO\" is not known");
  check_refused("a.vtk", VTK_HEAD("3.0") "POINTS 4 quad\n", PL_E_UNSUPPORTED, "\"quad\"");
  check_refused("a.vtk", VTK_HEAD("3.0") "POINTS -4 float\n", PL_E_PARSE,
                "memory:5: the number of points");
  check_refused("a.vtk", VTK_HEAD("3.0") "POINTS 4 float\n0 0", PL_E_PARSE,
                "4 points are announced");
  check_refused("a.vtk", VTK_HEAD("3.0") "POINTS 1 float\n0 0 inf", PL_E_PARSE, "\"inf\"");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS "CELL_TYPES 1\n10\n", PL_E_PARSE,
                "must come once");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS CELLS_ONE "CELL_TYPES 1\n42\n",
                PL_E_UNSUPPORTED, "cell 0 has the type 42");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS CELLS_ONE "CELL_TYPES 1\n12\n", PL_E_PARSE,
                "cell 0 is a hexahedron of 4 nodes; it must have 8");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
                PL_E_PARSE, "element 0 uses node 4");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS "CELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n10\n",
                PL_E_PARSE, "cell 0 ends outside the connectivity of 5 numbers");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS CELLS_ONE "CELL_TYPES 0\n", PL_E_PARSE,
                "1 cells are announced but 0 types");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS CELLS_ONE "CELL_TYPES 1\n10\nCELL_DATA 2\n",
                PL_E_PARSE, "2 data follow for 1 cells");
}

/* ---- .vtu ---- */

#define VTU(attributes, body)                                                                      \
  "<VTKFile type=\"UnstructuredGrid\" " attributes "><UnstructuredGrid>" body                      \
  "</UnstructuredGrid></VTKFile>"
#define VTU_POINTS                                                                                 \
  "<Points><DataArray type='Float32' NumberOfComponents='3'>0 0 0 1 0 0 0 1 0 0 0 1"               \
  "<InformationKey name='x'/></DataArray></Points>"
#define VTU_CELLS                                                                                  \
  "<Cells><DataArray type='Int64' Name='connectivity'>0 1 2 3</DataArray>"                         \
  "<DataArray type='Int64' Name='offsets'>4</DataArray>"                                           \
  "<DataArray type='UInt8' Name='types'>10</DataArray></Cells>"
#define PIECE(points, cells, body)                                                                 \
  "<Piece NumberOfPoints='" points "' NumberOfCells='" cells "'>" body "</Piece>"

TEST(vtu_dialects)
{
  if (!build_has_zlib()) return;
  check_tet_text("a.vtu", VTU("", PIECE("4", "1", VTU_POINTS VTU_CELLS)));
  // compressed, as meshio 5 writes it; header and data are encoded apart
  check_tet_text("a.vtu",
                 VTU("byte_order='LittleEndian' compressor='vtkZLibDataCompressor'",
                     PIECE("4", "1",
                           "<Points><DataArray type='Float64' format='binary'>\n"
                           "AQAAAACAAABgAAAAEgAAAA==eJxjYMAHPtjjlSZCHgB4XQOO\n</DataArray></Points>"
                           "<Cells><DataArray type='Int64' Name='connectivity' format='binary'>"
                           "AQAAAACAAAAgAAAAEwAAAA==eJxjYIAARijNBKWZoTQAAHAABw==</DataArray>"
                           "<DataArray type='Int64' Name='offsets' format='binary'>"
                           "AQAAAACAAAAIAAAACwAAAA==eJxjYYAAAAAoAAU=</DataArray>"
                           "<DataArray type='Int64' Name='types' format='binary'>"
                           "AQAAAACAAAAIAAAACwAAAA==eJzjYoAAAABYAAs=</DataArray></Cells>")));
  // appended in base 64, the types one array behind the offsets (UInt32 headers)
  check_tet_text(
      "a.vtu",
      "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><UnstructuredGrid>" PIECE(
          "4", "1",
          VTU_POINTS "<Cells><DataArray type='Int32' Name='connectivity'>0 1 2 3</DataArray>"
                     "<DataArray type='Int32' Name='offsets' format='appended' offset='0'/>"
                     "<DataArray type='UInt8' Name='types' format='appended' offset='12'/>"
                     "</Cells>") "</UnstructuredGrid><AppendedData encoding='base64'>\n"
                                 "_BAAAAAQAAAA=AQAAAAo=\n</AppendedData></VTKFile>");

  // two pieces become one mesh; a set that is in both
#define SET "<PointData><DataArray type='Int8' Name='set:s'>0 1 0 0</DataArray></PointData>"
  pl_mesh *mesh = NULL;
  CHECK_OK(read_text("a.vtu",
                     VTU("", PIECE("4", "1", SET VTU_POINTS VTU_CELLS)
                                 PIECE("4", "1", VTU_POINTS VTU_CELLS SET) PIECE("0", "0", "")),
                     &mesh, error));
  if (mesh) {
    CHECK(pl_mesh_node_count(mesh) == 8 && pl_mesh_elements(mesh)[7] == 7);
    CHECK(set_is(mesh, "s", 0, 2, (int[]){1, 5}));
  }
  pl_mesh_destroy(mesh);
}

TEST(vtu_refused)
{
  if (!build_has_zlib()) return;
  check_refused("a.vtu", "", PL_E_PARSE, "memory");
  check_refused("a.vtu", "<a/>", PL_E_PARSE, "memory:1: the file is <a>");
  check_refused("a.vtu", "<VTKFile type='PolyData'/>", PL_E_UNSUPPORTED, "type \"PolyData\"");
  check_refused("a.vtu", "<VTKFile type='UnstructuredGrid'/>", PL_E_PARSE, "no <UnstructuredGrid>");
  check_refused("a.vtu", VTU("", ""), PL_E_PARSE, "no <Piece>");
  check_refused("a.vtu", VTU("compressor='vtkLZ4DataCompressor'", ""), PL_E_UNSUPPORTED,
                "vtkLZ4DataCompressor is not known");
  check_refused("a.vtu", VTU("", "<Piece/>"), PL_E_PARSE, "needs the attribute NumberOfPoints");
  check_refused("a.vtu", VTU("", PIECE("-4", "1", "")), PL_E_PARSE, "NumberOfPoints = \"-4\"");
  check_refused("a.vtu", VTU("", PIECE("99999999999999999999", "1", "")), PL_E_PARSE,
                "whole number");
  check_refused("a.vtu", VTU("", PIECE("60000000", "1", "")), PL_E_LIMIT, "60000000 points");
  check_refused("a.vtu", VTU("", PIECE("4", "1", "")), PL_E_PARSE, "the piece has no Points");
  check_refused("a.vtu", VTU("", PIECE("4", "1", VTU_POINTS)), PL_E_PARSE,
                "no Cells array offsets");
  check_refused("a.vtu", VTU("", PIECE("40", "1", VTU_POINTS VTU_CELLS)), PL_E_PARSE,
                "120 coordinates are announced");
  check_refused("a.vtu", VTU("", PIECE("4", "2", VTU_POINTS VTU_CELLS)), PL_E_PARSE, "offsets");
  check_refused("a.vtu", VTU("", PIECE("4", "0", VTU_POINTS)), PL_E_MESH, "holds no tetrahedra");
  check_refused("a.vtu",
                VTU("", PIECE("4", "1",
                              "<Points><DataArray type='Float64' format='appended' "
                              "offset='3'/></Points>")),
                PL_E_PARSE, "memory:1: the array is longer than its data");
  check_refused("a.vtu",
                VTU("", PIECE("4", "1",
                              "<Points><DataArray type='Float64' format='binary'>"
                              "/////w==</DataArray></Points>")),
                PL_E_PARSE, "the array is longer than its data");
  check_refused("a.vtu",
                VTU("", PIECE("4", "1", "<Points><DataArray type='String'>a</DataArray></Points>")),
                PL_E_UNSUPPORTED, "type \"String\"");
  // the same bytes for four arrays
#define SHARED "<DataArray type='Int8' format='appended' offset='0' Name='set:x'/>"
  check_refused(
      "a.vtu",
      "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><UnstructuredGrid>" PIECE(
          "4", "1",
          VTU_POINTS VTU_CELLS
          "<PointData>" SHARED SHARED SHARED SHARED
          "</PointData>") "</UnstructuredGrid><AppendedData encoding='base64'>_BAAAAAEAAQA=",
      PL_E_PARSE, "the arrays overlap");
  // 2^31 blocks; one block of 2 GB in 4 bytes
  check_refused("a.vtu",
                VTU("byte_order='LittleEndian' compressor='vtkZLibDataCompressor'",
                    PIECE("4", "1",
                          "<Points><DataArray type='Float64' format='binary'>"
                          "AAAAgAAAAIAAAACA</DataArray></Points>")),
                PL_E_PARSE, "longer than its data");
  check_refused("a.vtu",
                VTU("byte_order='LittleEndian' compressor='vtkZLibDataCompressor'",
                    PIECE("4", "1",
                          "<Points><DataArray type='Float64' format='binary'>"
                          "AQAAAAAAAIAAAAAABAAAAAAAAAA=</DataArray></Points>")),
                PL_E_PARSE, "a compressed block of 4 bytes cannot hold 2147483648");
}

/* A box from gmsh 4.8 in 27 node blocks (data/box.geo), in four encodings: one mesh. */
TEST(gmsh_box)
{
  static const char *const names[] = {"box41a", "box41b", "box22a", "box22b"};
  const char *source = getenv("PLIANT_SOURCE");
  pl_mesh *meshes[4] = {0};
  for (int i = 0; source && i < 4; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/io/data/%s.msh", source, names[i]);
    CHECK_OK(pl_mesh_read(path, NULL, &meshes[i], error));
    if (!meshes[i]) break;
    pl_mesh *mesh = meshes[i];
    CHECK(pl_mesh_node_count(mesh) == 45 && pl_mesh_element_count(mesh) == 100);
    CHECK(pl_mesh_set_count(mesh) == 5 && pl_mesh_find_set(mesh, "body")->count == 100);
    CHECK(set_is(mesh, "corner", 0, 1, (int[]){0}) && set_is(mesh, "edge", 0, 3, (int[]){0, 1, 8}));
    CHECK(pl_mesh_find_set(mesh, "bottom")->count == 12 && pl_mesh_find_set(mesh, "group-21"));
    CHECK(memcmp(pl_mesh_elements(mesh), pl_mesh_elements(meshes[0]), 1600) == 0);
    // text has 16 digits, so only the binary files are exact
    for (int k = 0; k < 135; k++)
      CHECK_NEAR(pl_mesh_nodes(mesh)[k], pl_mesh_nodes(meshes[0])[k], 1e-15);
  }
  for (int i = 0; i < 4; i++) pl_mesh_destroy(meshes[i]);
}

static void count_notes(void *context, pl_level level, const char *text)
{
  if (level == PL_NOTE && strstr(text, "8 elements of higher order were reduced"))
    ++*(int *)context;
}

/* Second order is reduced, and said so. */
TEST(gmsh_order_2)
{
  const char *source = getenv("PLIANT_SOURCE");
  char path[1024];
  int notes = 0;
  pl_log log = {count_notes, &notes};
  pl_mesh *mesh = NULL;
  if (!source) return;
  snprintf(path, sizeof path, "%s/tests/io/data/hex41o2.msh", source);
  CHECK_OK(pl_mesh_read_logged(path, &log, NULL, &mesh, error));
  if (mesh) CHECK(pl_mesh_node_count(mesh) == 27 && pl_mesh_element_count(mesh) == 8);
  CHECK(notes == 1);
  pl_mesh_destroy(mesh);
}

/* ---- glTF ---- */

/* Reads a seed of the fuzz targets. */
static pl_skin *read_seed(const char *name)
{
  const char *source = getenv("PLIANT_SOURCE");
  char path[1024];
  pl_skin *skin = NULL;
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/glb/%s.glb", source ? source : ".", name);
  CHECK_OK(pl_skin_read(path, NULL, NULL, &skin, error));
  return skin;
}

/* A tetrahedron in two nodes: scaled by 2, turned by 90 degrees about z and moved by (1, 2, 3); and
 * moved by (5, 6, 7) by a matrix. Then y becomes z. */
TEST(glb_nodes)
{
  static const char *const names[] = {"bytes", "shorts"};
  static const double expected[8][3] = {{1, -3, 2}, {1, -3, 4}, {-1, -3, 2}, {1, -5, 2},
                                        {5, -7, 6}, {6, -7, 6}, {5, -7, 7},  {5, -8, 6}};
  for (int i = 0; i < 2; i++) {
    pl_skin *skin = read_seed(names[i]);
    CHECK(skin && skin->point_count == 8 && skin->triangle_count == 8);
    for (int k = 0; skin && k < 24; k++) CHECK_NEAR(skin->points[k], expected[k / 3][k % 3], 1e-6);
    pl_skin_destroy(skin);
  }
  // without a scene the mesh is taken as it is
  pl_skin *skin = read_seed("no-scene");
  CHECK(skin && skin->point_count == 4 && skin->facts.pieces == 1);
  pl_skin_destroy(skin);
}

/* ---- sections that come twice or too early ---- */

TEST(sections_out_of_place_are_refused)
{
  check_refused("a.msh", MSH2 NODES2 NODES2, PL_E_PARSE, "a second $Nodes section");
  check_refused("a.msh", MSH4 NODES4 NODES4, PL_E_PARSE, "a second $Nodes section");
  check_refused("a.msh", MSH4 "$Elements\n0 0 0 0\n", PL_E_PARSE, "must come behind $Nodes");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS VTK_POINTS, PL_E_PARSE, "a second POINTS");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELLS 1 5\n", PL_E_PARSE,
                "a second CELLS");
  check_refused("a.vtk", VTK_HEAD("3.0") VTK_POINTS "POINT_DATA 4\n", PL_E_PARSE,
                "data must come behind CELL_TYPES");
}

/* ---- any order ---- */

/* One tetrahedron whose nodes are named in the given order; counts from 1. */
static const struct {
  const char *name, *head, *row, *tail;
  int from;
} orders[] = {
    {"a.msh", MSH2 NODES2 "$Elements\n1\n1 4 2 0 0", " %d", "\n$EndElements\n", 1},
    {"a.node",
     "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\1"
     "1 4 0\n1",
     " %d", "\n", 1},
    {"a.vtk", VTK_HEAD("3.0") VTK_POINTS "CELLS 1 5\n4", " %d", "\nCELL_TYPES 1\n10\n", 0},
    {"a.inp", INP_NODES "*ELEMENT, TYPE=C3D4\n1", ",%d", "\n", 1},
    {"a.mesh", MEDIT "Vertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n", "%d ",
     "0\nEnd\n", 1},
    {"a.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1", " %d", "\n", 1},
};

/* All 24 orders of the nodes, in every text format, are the same body: the same nodes, a positive
 * volume, and faces that look outwards. */
TEST(node_orders)
{
  int read = 0;
  for (size_t f = 0; f < sizeof orders / sizeof *orders; f++) {
    for (int code = 0; code < 256; code++) {
      int order[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}, seen = 0;
      for (int k = 0; k < 4; k++) seen |= 1 << order[k];
      if (seen != 15) continue;
      char text[512];
      int used = snprintf(text, sizeof text, "%s", orders[f].head);
      for (int k = 0; k < 4; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, orders[f].row,
                         order[k] + orders[f].from);
      snprintf(text + used, sizeof text - (size_t)used, "%s", orders[f].tail);
      pl_mesh *mesh = NULL;
      CHECK_OK(read_text(orders[f].name, text, &mesh, error));
      if (!mesh) continue;
      read++;
      static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
      CHECK(memcmp(pl_mesh_nodes(mesh), corners, sizeof corners) == 0);
      const int *n = pl_mesh_elements(mesh);
      CHECK_NEAR(pl_element_volume(corners, n, 4), 1.0 / 6, 1e-15);
      double total[3] = {0}, moment = 0;
      for (int i = 0; i < 4; i++) {
        double area[3];
        const int *face = pl_mesh_faces(mesh) + 3 * i;
        pl_face_area(corners, face, 3, area);
        for (int k = 0; k < 3; k++) {
          total[k] += area[k];
          moment += area[k] * corners[3 * face[0] + k] / 3;
        }
      }
      // the areas of a closed surface sum to nothing, their moments to the volume
      for (int k = 0; k < 3; k++) CHECK_NEAR(total[k], 0, 1e-15);
      CHECK_NEAR(moment, 1.0 / 6, 1e-15);
      pl_mesh_destroy(mesh);
    }
  }
  CHECK(read == 6 * 24);
}

TESTS(X(gmsh_box) X(gmsh_order_2) X(flat_elements) X(gmsh_groups) X(gmsh_big_endian) X(gmsh_refused)
          X(gmsh_many_groups) X(tetgen_dialects) X(tetgen_refused) X(vtk_dialects) X(vtk_refused)
              X(vtu_dialects) X(vtu_refused) X(glb_nodes) X(node_orders)
                  X(sections_out_of_place_are_refused))
