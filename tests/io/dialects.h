/* Small meshes as text in the dialects of other programs. */
#ifndef PL_TEST_DIALECTS_H
#define PL_TEST_DIALECTS_H

#include "memory.h"
#include "mesh/mesh.h"
#include "test.h"

/* Heads of files with the nodes of a tetrahedron. */
#define INP_NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
#define MEDIT     "MeshVersionFormatted 2\nDimension\n3\n"
#define VEG       "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

/* Reads text as a file of that name. */
static inline pl_status read_text(const char *name, const char *text, pl_mesh **mesh,
                                  pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  return read_memory(pl_format_of(name, NULL), text, strlen(text), &allocator, mesh, error);
}

static inline void check_refused(const char *name, const char *text, pl_status status,
                                 const char *part)
{
  pl_mesh *mesh;
  CHECK_FAILS(read_text(name, text, &mesh, error), status, part);
  CHECK(!mesh);
}

/* The file is one tetrahedron with the corners 000, 100, 010, 001, in that order. */
static inline pl_mesh *check_tet(const char *name, const char *data, size_t size)
{
  static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  pl_mesh *mesh = NULL;
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(read_memory(pl_format_of(name, NULL), data, size, &allocator, &mesh, error));
  if (!mesh) return NULL;
  CHECK(pl_mesh_node_count(mesh) == 4 && pl_mesh_element_count(mesh) == 1);
  if (pl_mesh_node_count(mesh) != 4) return mesh;
  CHECK(memcmp(pl_mesh_nodes(mesh), corners, sizeof corners) == 0);
  for (int i = 0; i < 4; i++) CHECK(pl_mesh_elements(mesh)[i] == i);
  return mesh;
}

static inline void check_tet_text(const char *name, const char *text)
{
  pl_mesh_destroy(check_tet(name, text, strlen(text)));
}

static inline int set_is(const pl_mesh *mesh, const char *name, int of_elements, int count,
                         const int *ids)
{
  const pl_set *set = pl_mesh_find_set(mesh, name);
  return set && set->of_elements == of_elements && set->count == count &&
         memcmp(set->ids, ids, (size_t)count * sizeof *ids) == 0;
}

#endif
