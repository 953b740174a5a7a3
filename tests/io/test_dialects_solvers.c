/* Dialects of the files of other solvers: Abaqus, Medit, Vega. */
#include "dialects.h"

/* ---- Abaqus ---- */

TEST(abaqus_dialects)
{
  // as Abaqus/CAE writes it: parts, instances, ranges, sets of sets, other keywords
  const char *text =
      "*Heading\n** a comment\n*Preprint, echo=NO\n*Part, name=P\n*Node\n"
      "  1,  0.,  0.,  0.\n 2, 1., 0., 0.\n\n 3, 0, 1\n 40, 0., 0., 1.\n"
      "*Element, type=C3D4H\n7, 1, 2, 3, 40\n*Nset, nset=Set-1, generate\n 1, 3, 2\n"
      "*Elset, elset=\"two, words\", instance=P-1\n 7,\n*Nset, nset=both\n SET-1, 40\n"
      "*End Part\n*Material, name=a\n*Elastic\n1e6, 0.3\n";
  pl_mesh *mesh = check_tet("a.inp", text, strlen(text));
  if (mesh) {
    CHECK(pl_mesh_set_count(mesh) == 3);
    CHECK(set_is(mesh, "Set-1", 0, 2, (int[]){0, 2}) &&
          set_is(mesh, "both", 0, 3, (int[]){0, 2, 3}));
    CHECK(set_is(mesh, "two, words", 1, 1, (int[]){0}));
  }
  pl_mesh_destroy(mesh);

  // elements before nodes, second order on two lines, a keyword on two lines, a shell as node set
  text =
      "*ELEMENT, TYPE=C3D10,\n ELSET=body\n1, 1, 2, 3, 4, 5,\n6, 7, 8, 9, 10\n*NODE, NSET=all\n"
      "1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,9,0,0\n6,9,1,0\n7,9,0,1\n8,9,1,1\n9,9,2,0\n10,9,0,2\n"
      "*ELEMENT, TYPE=S3, ELSET=shell\n2, 1, 2, 3\n*ELSET, ELSET=mixed\nshell, BODY\n"
      "*ELSET, ELSET=Mixed\n2\n";
  mesh = check_tet("a.inp", text, strlen(text));
  if (mesh) {
    CHECK(set_is(mesh, "body", 1, 1, (int[]){0}) && set_is(mesh, "all", 0, 4, (int[]){0, 1, 2, 3}));
    CHECK(set_is(mesh, "shell", 0, 3, (int[]){0, 1, 2}) && pl_mesh_set_count(mesh) == 5);
    int found = 0;
    for (int i = 0; i < 5; i++) {
      const pl_set *set = pl_mesh_set(mesh, i);
      if (strcmp(set->name, "mixed") == 0) found += set->of_elements ? set->count : 10 * set->count;
    }
    CHECK(found == 31);
  }
  pl_mesh_destroy(mesh);
}

TEST(abaqus_refused)
{
  check_refused("a.inp", "*NODE\n1,0,x,0\n", PL_E_PARSE, "memory:2: the coordinate of a node");
  check_refused("a.inp", "*NODE\n1,0,0,0\n1,0,0,0\n", PL_E_PARSE, "node 1 is defined twice");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,9\n", PL_E_PARSE,
                "memory:7: element 1 uses node 9");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3\n", PL_E_PARSE,
                "element 1 has 3 nodes; a C3D4 needs 4");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n1,1,2,4,3\n", PL_E_PARSE,
                "element 1 is defined twice");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D17\n", PL_E_UNSUPPORTED, "type C3D17");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D6\n1,1,2,3,4,1,2\n", PL_E_UNSUPPORTED,
                "holds 1 prisms");
  check_refused("a.inp", INP_NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n*ELSET,ELSET=a\n2\n", PL_E_PARSE,
                "a set holds element 2");
  check_refused("a.inp", INP_NODES "*NSET,NSET=a\nother\n", PL_E_PARSE, "holds \"other\"");
  check_refused("a.inp", INP_NODES "*NSET,NSET=a,GENERATE\n1,4,0\n", PL_E_PARSE, "by 0");
  check_refused("a.inp", INP_NODES "*NSET\n1\n", PL_E_PARSE, "has no name");
  check_refused("a.inp", "*INCLUDE, INPUT=b.inp\n", PL_E_UNSUPPORTED, "copy it into this one");
  check_refused("a.inp", "*PART\n*PART\n", PL_E_UNSUPPORTED, "more than one part");
}

/* ---- Medit and Vega ---- */

TEST(medit_dialects)
{
  // keywords and counts on one line, comments, sections of no interest, second order
  const char *text =
      "MeshVersionFormatted 1 # text\nDimension 3 Vertices 5 0 0 0 0\n1 0 0 5\n0 1 0 0 # c\n"
      "0 0 1 -3\n9 9 9 1\nCorners 2 1 2\nTriangles\n1\n1 2 3 4\nEdges\n1\n1 2 7\n"
      "TetrahedraP2 1\n1 2 3 4 5 5 5 5 5 5 8\nRequiredVertices\n1\n1\nEnd\nanything";
  pl_mesh *mesh = check_tet("a.mesh", text, strlen(text));
  if (mesh) {
    CHECK(set_is(mesh, "marker-5", 0, 1, (int[]){1}) &&
          set_is(mesh, "marker--3", 0, 1, (int[]){3}));
    CHECK(set_is(mesh, "surface-4", 0, 3, (int[]){0, 1, 2}) &&
          set_is(mesh, "edge-7", 0, 2, (int[]){0, 1}));
    CHECK(set_is(mesh, "region-8", 1, 1, (int[]){0}));
  }
  pl_mesh_destroy(mesh);
  check_refused("a.mesh", "", PL_E_PARSE, "is it a Medit file");
  check_refused("a.mesh", "MeshVersionFormatted 2\nDimension\n2\n", PL_E_UNSUPPORTED,
                "memory:3: the dimension is 2");
  check_refused("a.mesh", MEDIT "Vertices\n-1\n", PL_E_PARSE, "number of vertices is -1");
  check_refused("a.mesh", MEDIT "Vertices\n99\n0 0 0 0\n", PL_E_PARSE, "99 vertices are announced");
  check_refused("a.mesh", MEDIT "Tetrahedra\n1\n1 2 3 4 0\n", PL_E_PARSE, "behind Vertices");
  check_refused("a.mesh", MEDIT "Vertices\n1\n0 0 0 0\n5 5\n", PL_E_PARSE, "a keyword");
  check_refused("a.mesh", MEDIT "Vertices\n1\n0 0 0 0\n", PL_E_PARSE, "it is cut off");
}

TEST(vega_dialects)
{
  const char *text =
      "# Vega mesh file\n*VERTICES\n4 3 0 0\n0 0 0 0\n1 1 0 0 # c\n2 0 1 0\n3 0 0 1\n"
      "*ELEMENTS\nTETS\n1 4 0\n0 0 1 2 3\n*MATERIAL a\nENU, 1000, 1e7, 0.45\n"
      "*SET part one \n0,\n*REGION\nallElements, a\n*SET none\n";
  pl_mesh *mesh = check_tet("a.veg", text, strlen(text));
  if (mesh) CHECK(pl_mesh_set_count(mesh) == 1 && set_is(mesh, "part one", 1, 1, (int[]){0}));
  pl_mesh_destroy(mesh);
  check_refused("a.veg", "", PL_E_PARSE, "has no *ELEMENTS");
  check_refused("a.veg", "nonsense\n", PL_E_PARSE, "is it a Vega file");
  check_refused("a.veg", "*VERTICES\n99 3 0 0\n", PL_E_PARSE, "99 vertices are announced");
  check_refused("a.veg", "*VERTICES\n*INCLUDE a.node\n", PL_E_UNSUPPORTED, "another file");
  check_refused("a.veg", VEG "*ELEMENTS\nTRIANGLE\n1 3 0\n", PL_E_PARSE, "TET or CUBIC");
  check_refused("a.veg", VEG "*ELEMENTS\nTET\n1 8 0\n", PL_E_PARSE, "it must be 4");
  check_refused("a.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 5\n", PL_E_PARSE, "uses node 5");
  check_refused("a.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*SET a\n1, 2\n", PL_E_PARSE,
                "holds element 2");
}

TESTS(X(abaqus_dialects) X(abaqus_refused) X(medit_dialects) X(vega_dialects))
