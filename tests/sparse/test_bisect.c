/* Parts of equal size, compact, and the same every time. */
#include "mesh/generator.h"
#include "sparse/bisect.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static pl_mesh *make_bar(void)
{
  pl_mesh *mesh = NULL;
  pl_setting size = {.name = "size", .value = {1, 0.25, 0.25}},
             cells = {.name = "cells", .value = {24, 6, 6}}, both[] = {size, cells};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", both, 2}, NULL, &mesh, error));
  return mesh;
}

/* Nodes of elements that touch a part, beyond its own. */
static int count_copies(const pl_mesh *mesh, const int *part, int which)
{
  int copies = 0, n = mesh->nodes_per_element;
  char *is_here = calloc((size_t)mesh->node_count, 1);
  for (int e = 0; e < mesh->element_count; e++) {
    int touches = 0;
    for (int a = 0; a < n; a++) touches |= part[mesh->elements[n * e + a]] == which;
    for (int a = 0; touches && a < n; a++) is_here[mesh->elements[n * e + a]] = 1;
  }
  for (int i = 0; i < mesh->node_count; i++) copies += is_here[i] && part[i] != which;
  free(is_here);
  return copies;
}

TEST(parts_are_equal_and_compact)
{
  pl_mesh *mesh = make_bar();
  size_t nodes = (size_t)mesh->node_count;
  int *part = malloc(nodes * sizeof *part), *again = malloc(nodes * sizeof *again);
  for (int parts = 1; parts <= 16; parts++) {
    int size[16] = {0}, copies = 0;
    CHECK_OK(pl_bisect(&mesh->allocator, mesh->nodes, mesh->node_count, parts, part, error));
    CHECK_OK(pl_bisect(&mesh->allocator, mesh->nodes, mesh->node_count, parts, again, error));
    CHECK(!memcmp(part, again, nodes * sizeof *part));
    for (size_t i = 0; i < nodes; i++) size[part[i]]++;
    for (int p = 0; p < parts; p++) {
      CHECK(size[p] == (int)nodes / parts || size[p] == (int)nodes / parts + 1);
      copies += count_copies(mesh, part, p);
    }
    // a cut through a layer of 49 nodes has the whole of one layer on one side and two on the other
    if (parts == 2) CHECK(copies <= 3 * 49);
    CHECK(copies <= 60 * 2 * (parts - 1));
  }
  free(part);
  free(again);
  pl_mesh_destroy(mesh);
}

TESTS(X(parts_are_equal_and_compact))
