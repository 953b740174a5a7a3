/* What is wrong with a mesh is repaired and counted, each kind by itself and all at once. */
#include "mesh/repair.h"
#include "pliant/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { MOST = 64 };

/* A mesh in the making, to be spoilt. */
typedef struct draft {
  double nodes[3 * MOST];
  int elements[8 * MOST];
  int node_count, element_count, width;
} draft;

static draft make(const char *element)
{
  draft d = {0};
  pl_mesh *mesh = NULL;
  pl_setting settings[] = {{.name = "cells", .value = {2, 1, 1}},
                           {.name = "element", .word = element}};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 2}, NULL, &mesh, error));
  d.node_count = pl_mesh_node_count(mesh);
  d.element_count = pl_mesh_element_count(mesh);
  d.width = pl_mesh_nodes_per_element(mesh);
  memcpy(d.nodes, pl_mesh_nodes(mesh), 3 * (size_t)d.node_count * sizeof *d.nodes);
  memcpy(d.elements, pl_mesh_elements(mesh),
         (size_t)(d.width * d.element_count) * sizeof *d.elements);
  pl_mesh_destroy(mesh);
  return d;
}

static int add_node(draft *d, const double *position)
{
  memcpy(d->nodes + 3 * d->node_count, position, 3 * sizeof *position);
  return d->node_count++;
}

static void add_element(draft *d, const int *nodes)
{
  memcpy(d->elements + d->width * d->element_count++, nodes, (size_t)d->width * sizeof *nodes);
}

static void swap(int *a, int *b)
{
  int old = *a;
  *a = *b;
  *b = old;
}

/* Repairs the draft; it must become the box of volume 1 with the given counts. */
static pl_mesh_repairs mend(const draft *d, int nodes, int elements, const pl_set *sets, int count,
                            pl_mesh **out)
{
  pl_mesh_def def = {.node_count = d->node_count,
                     .nodes = d->nodes,
                     .element_count = d->element_count,
                     .nodes_per_element = d->width,
                     .elements = d->elements,
                     .set_count = count,
                     .sets = sets};
  pl_mesh_repairs told = {0};
  pl_mesh *mesh = NULL;
  pl_mesh_facts facts = {0};
  CHECK_OK(pl_mesh_repair(&def, &told, &mesh, error));
  if (mesh) {
    CHECK(pl_mesh_node_count(mesh) == nodes && pl_mesh_element_count(mesh) == elements);
    CHECK_OK(pl_mesh_measure(mesh, &facts, error));
    CHECK_NEAR(facts.volume, 1, 1e-14);
    CHECK(facts.min_volume > 0 && facts.pieces == 1 && facts.boundary_pieces == 1);
  }
  if (out)
    *out = mesh;
  else
    pl_mesh_destroy(mesh);
  return told;
}

static int total(const pl_mesh_repairs *told)
{
  return told->merged_nodes + told->unused_nodes + told->turned_elements + told->rewound_elements +
         told->flat_elements + told->double_elements;
}

TEST(a_sound_mesh_stays)
{
  draft tets = make("tet"), hexes = make("hex");
  pl_mesh_repairs told = mend(&tets, 12, 12, NULL, 0, NULL);
  CHECK(total(&told) == 0);
  told = mend(&hexes, 12, 2, NULL, 0, NULL);
  CHECK(total(&told) == 0);
}

TEST(each_fault)
{
  // the second cell has nodes of its own where the cells touch
  draft d = make("hex");
  for (int k = 0; k < 8; k++) {
    int *node = &d.elements[8 + k];
    int shared = 0;
    for (int i = 0; i < 8; i++) shared |= d.elements[i] == *node;
    if (shared) *node = add_node(&d, d.nodes + 3 * *node);
  }
  pl_mesh_repairs told = mend(&d, 12, 2, NULL, 0, NULL);
  CHECK(told.merged_nodes == 4 && total(&told) == 4);

  // nodes that nothing uses
  d = make("tet");
  add_node(&d, (double[]){5, 5, 5});
  add_node(&d, (double[]){6, 5, 5});
  told = mend(&d, 12, 12, NULL, 0, NULL);
  CHECK(told.unused_nodes == 2 && total(&told) == 2);

  // inside out
  d = make("tet");
  for (int e = 0; e < 5; e++) swap(&d.elements[4 * e], &d.elements[4 * e + 1]);
  told = mend(&d, 12, 12, NULL, 0, NULL);
  CHECK(told.turned_elements == 5 && total(&told) == 5);

  // no volume: in a plane, and with a node twice
  d = make("tet");
  int *n = d.elements;
  int middle = add_node(&d, (double[]){(d.nodes[3 * n[0]] + d.nodes[3 * n[1]]) / 2,
                                       (d.nodes[3 * n[0] + 1] + d.nodes[3 * n[1] + 1]) / 2,
                                       (d.nodes[3 * n[0] + 2] + d.nodes[3 * n[1] + 2]) / 2});
  add_element(&d, (int[]){n[0], n[1], n[2], middle});
  add_element(&d, (int[]){n[0], n[1], n[2], n[2]});
  told = mend(&d, 12, 12, NULL, 0, NULL);
  CHECK(told.flat_elements == 2 && told.unused_nodes == 1 && total(&told) == 3);

  // twice, in another order
  d = make("tet");
  add_element(&d, (int[]){n[3], n[1], n[0], n[2]});
  told = mend(&d, 12, 12, NULL, 0, NULL);
  CHECK(told.double_elements == 1 && total(&told) == 1);

  // hexahedra whose nodes are told row by row, and upside down
  d = make("hex");
  for (int e = 0; e < 2; e++) {
    swap(&d.elements[8 * e + 2], &d.elements[8 * e + 3]);
    swap(&d.elements[8 * e + 6], &d.elements[8 * e + 7]);
  }
  for (int k = 0; k < 4; k++) swap(&d.elements[8 + k], &d.elements[12 + k]);
  told = mend(&d, 12, 2, NULL, 0, NULL);
  CHECK(told.rewound_elements == 2 && told.turned_elements == 1 && total(&told) == 3);
}

/* Sets keep what is left of them, under the new numbers. */
TEST(sets_follow)
{
  draft d = make("tet");
  int twin = add_node(&d, d.nodes + 3 * 5), *n = d.elements;
  add_element(&d, (int[]){n[0], n[1], n[2], n[2]});
  int flat = d.element_count - 1;
  add_element(&d, (int[]){n[0], n[1], n[2], n[3]});
  int nodes[] = {twin, 2}, elements[] = {11, flat, flat + 1};
  pl_set sets[] = {{"nodes", 0, 2, nodes}, {"elements", 1, 3, elements}};
  pl_mesh *mesh = NULL;
  pl_mesh_repairs told = mend(&d, 12, 12, sets, 2, &mesh);
  CHECK(told.merged_nodes == 1 && told.flat_elements == 1 && told.double_elements == 1);
  if (mesh) {
    const pl_set *set = pl_mesh_find_set(mesh, "nodes");
    CHECK(set && set->count == 2 && set->ids[0] == 5 && set->ids[1] == 2);
    set = pl_mesh_find_set(mesh, "elements");
    CHECK(set && set->count == 1 && set->ids[0] == 11);
  }
  pl_mesh_destroy(mesh);
}

TEST(refused)
{
  draft d = make("tet");
  pl_mesh_repairs told = {0};
  pl_mesh *mesh;
  pl_mesh_def def = {.node_count = d.node_count,
                     .nodes = d.nodes,
                     .element_count = 1,
                     .nodes_per_element = 4,
                     .elements = (int[]){0, 1, 2, 99}};
  CHECK_FAILS(pl_mesh_repair(&def, &told, &mesh, error), PL_E_MESH, "refers to node 99");
  def.elements = (int[]){0, 1, 1, 1};
  CHECK_FAILS(pl_mesh_repair(&def, &told, &mesh, error), PL_E_MESH, "no elements");
  d.nodes[4] = NAN;
  CHECK_FAILS(pl_mesh_repair(&def, &told, &mesh, error), PL_E_MESH, "node 1 has a coordinate");
}

TESTS(X(a_sound_mesh_stays) X(each_fault) X(sets_follow) X(refused))
