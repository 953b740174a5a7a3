/* Selecting nodes, boundary faces and elements: the union of what each selector takes. */
#include "mesh/select.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/grid.h"

#include <string.h>

enum { MOST_WORDS = 64 };

/* One selector, looked up: a region with its values, or a set's name. */
typedef struct pick {
  const pl_region_ops *region;
  double values[PL_MOST_VALUES], tolerance;
  const char *set;
  int particles, first[3], last[3]; /* of the grid, in place of a set */
} pick;

static pl_status unknown_set(const pl_mesh *mesh, const char *name, pl_error *error)
{
  const char *words[MOST_WORDS + 1] = {0};
  for (int i = 0; i < MOST_WORDS && i < mesh->set_count; i++) words[i] = mesh->sets[i].name;
  return pl_fail_unknown(error, "set", name, words);
}

/* How far outside a region a node may be and still count: a tiny part of the mesh's size. */
static double tolerance_of(const pl_mesh *mesh)
{
  double low[3], high[3], diagonal[3];
  pl_mesh_bounds(mesh, low, high);
  pl_vec3_sub(high, low, diagonal);
  return 1e-9 * pl_vec3_norm(diagonal);
}

static pl_status look_up(const pl_mesh *mesh, const pl_selector *selector, pick *out,
                         pl_error *error)
{
  *out = (pick){.set = selector->set, .tolerance = tolerance_of(mesh)};
  if (out->set && out->set[0] == '[' && mesh->grid) {
    out->particles = 1;
    return pl_grid_parse(mesh->grid, out->set, out->first, out->last, error);
  }
  if (out->set)
    return pl_mesh_find_set(mesh, out->set) ? PL_OK : unknown_set(mesh, out->set, error);
  if (!selector->region.name)
    return pl_fail(error, PL_E_ARGUMENT, "a selector needs a region or the name of a set");
  const pl_member *member;
  pl_status status =
      pl_choice_resolve(&pl_region_family, &selector->region, &member, out->values, error);
  if (status) return status;
  out->region = (const pl_region_ops *)member; // info comes first in it
  return out->region->check ? out->region->check(out->values, error) : PL_OK;
}

static pl_status check_list(const pl_selector *selectors, int count, pl_error *error)
{
  if (count >= 0 && (count == 0 || selectors)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "there are %d regions, but no list of them", count);
}

/* Does the region hold the middle of a boundary face? */
static int holds_face(const pl_mesh *mesh, const pick *by, int face)
{
  int width = mesh->nodes_per_face;
  const int *nodes = mesh->faces + (size_t)width * (size_t)face;
  double middle[3] = {0}, normal[3];
  for (int i = 0; i < width; i++) {
    for (int k = 0; k < 3; k++) middle[k] += mesh->nodes[3 * (size_t)nodes[i] + (size_t)k] / width;
  }
  pl_face_area(mesh->nodes, nodes, width, normal);
  double area = pl_vec3_norm(normal);
  for (int k = 0; k < 3; k++) normal[k] = area > 0 ? normal[k] / area : 0;
  return by->region->holds(by->values, middle, normal, by->tolerance);
}

static void add_region_nodes(const pl_mesh *mesh, const pick *by, unsigned char *chosen)
{
  static const double inside[3] = {0, 0, 0};
  if (!by->region->needs_normal) {
    for (int i = 0; i < mesh->node_count; i++)
      chosen[i] |=
          by->region->holds(by->values, mesh->nodes + 3 * (size_t)i, inside, by->tolerance) != 0;
    return;
  }
  int width = mesh->nodes_per_face;
  for (int f = 0; f < mesh->face_count; f++) {
    if (!holds_face(mesh, by, f)) continue;
    for (int i = 0; i < width; i++) chosen[mesh->faces[(size_t)width * (size_t)f + (size_t)i]] = 1;
  }
}

static void add_set_nodes(const pl_mesh *mesh, const pl_set *set, unsigned char *chosen)
{
  int n = mesh->nodes_per_element;
  for (int i = 0; i < set->count; i++) {
    if (!set->of_elements)
      chosen[set->ids[i]] = 1;
    else
      for (int k = 0; k < n; k++)
        chosen[mesh->elements[(size_t)n * (size_t)set->ids[i] + (size_t)k]] = 1;
  }
}

/* Nodes of the particles that were named by their place. */
static void add_particles(const pl_mesh *mesh, const pick *by, unsigned char *chosen)
{
  int at[3];
  for (at[2] = by->first[2]; by->particles && at[2] <= by->last[2]; at[2]++) {
    for (at[1] = by->first[1]; at[1] <= by->last[1]; at[1]++) {
      for (at[0] = by->first[0]; at[0] <= by->last[0]; at[0]++)
        chosen[pl_grid_node(mesh->grid, at)] = 1;
    }
  }
}

/* Elements (or faces) of which all nodes are such; marks are 0 before and after. */
static void add_between(const pl_mesh *mesh, const pick *by, int faces, unsigned char *marks,
                        unsigned char *chosen)
{
  int width = faces ? mesh->nodes_per_face : mesh->nodes_per_element;
  const int *nodes = faces ? mesh->faces : mesh->elements;
  if (!by->particles) return;
  add_particles(mesh, by, marks);
  for (int e = 0; e < (faces ? mesh->face_count : mesh->element_count); e++, nodes += width) {
    int all = 1;
    for (int i = 0; i < width; i++) all &= marks[nodes[i]];
    chosen[e] |= (unsigned char)all;
  }
  memset(marks, 0, (size_t)mesh->node_count);
}

/* marks: 1 for each node or element in the set. */
static void add_set_faces(const pl_mesh *mesh, const pl_set *set, unsigned char *marks,
                          unsigned char *chosen)
{
  int width = mesh->nodes_per_face;
  for (int i = 0; i < set->count; i++) marks[set->ids[i]] = 1;
  for (int f = 0; f < mesh->face_count; f++) {
    const int *nodes = mesh->faces + (size_t)width * (size_t)f;
    int all = 1;
    if (set->of_elements)
      all = marks[mesh->face_elements[f]];
    else
      for (int i = 0; i < width; i++) all &= marks[nodes[i]];
    chosen[f] |= (unsigned char)all;
  }
  for (int i = 0; i < set->count; i++) marks[set->ids[i]] = 0;
}

static int count_chosen(const unsigned char *chosen, int count)
{
  int sum = 0;
  for (int i = 0; i < count; i++) sum += chosen[i];
  return sum;
}

pl_status pl_mesh_select_nodes(const pl_mesh *mesh, const pl_selector *selectors, int count,
                               unsigned char *chosen, int *chosen_count, pl_error *error)
{
  memset(chosen, 0, (size_t)mesh->node_count);
  pl_status status = check_list(selectors, count, error);
  if (status) return status;
  for (int s = 0; s < count; s++) {
    pick by;
    status = look_up(mesh, &selectors[s], &by, error);
    if (status) return status;
    if (by.region) add_region_nodes(mesh, &by, chosen);
    add_particles(mesh, &by, chosen);
    for (int i = 0; by.set && i < mesh->set_count; i++) {
      if (strcmp(mesh->sets[i].name, by.set) == 0) add_set_nodes(mesh, &mesh->sets[i], chosen);
    }
  }
  if (chosen_count) *chosen_count = count_chosen(chosen, mesh->node_count);
  return PL_OK;
}

static pl_status add_faces(const pl_mesh *mesh, const pl_selector *selector, unsigned char *marks,
                           unsigned char *chosen, pl_error *error)
{
  pick by;
  pl_status status = look_up(mesh, selector, &by, error);
  if (status) return status;
  for (int f = 0; by.region && f < mesh->face_count; f++)
    chosen[f] |= holds_face(mesh, &by, f) != 0;
  add_between(mesh, &by, 1, marks, chosen);
  for (int i = 0; by.set && i < mesh->set_count; i++) {
    if (strcmp(mesh->sets[i].name, by.set) == 0) add_set_faces(mesh, &mesh->sets[i], marks, chosen);
  }
  return PL_OK;
}

pl_status pl_mesh_select_faces(const pl_mesh *mesh, const pl_selector *selectors, int count,
                               unsigned char *chosen, int *chosen_count, pl_error *error)
{
  memset(chosen, 0, (size_t)mesh->face_count);
  int max = mesh->node_count > mesh->element_count ? mesh->node_count : mesh->element_count;
  unsigned char *marks = pl_alloc(&mesh->allocator, (size_t)max, 1);
  pl_status status = marks ? check_list(selectors, count, error) : pl_fail_memory(error);
  for (int s = 0; s < count && !status; s++)
    status = add_faces(mesh, &selectors[s], marks, chosen, error);
  pl_free(&mesh->allocator, marks);
  if (!status && chosen_count) *chosen_count = count_chosen(chosen, mesh->face_count);
  return status;
}

static pl_status add_region_elements(const pl_mesh *mesh, const pick *by, unsigned char *chosen,
                                     pl_error *error)
{
  static const double inside[3] = {0, 0, 0};
  int n = mesh->nodes_per_element;
  if (by->region->needs_normal)
    return pl_fail(error, PL_E_ARGUMENT,
                   "the region \"%s\" is one of the surface and holds no element; take a box or "
                   "another region of space",
                   by->region->info.name);
  for (int e = 0; e < mesh->element_count; e++) {
    double middle[3] = {0};
    for (int a = 0; a < n; a++)
      pl_vec3_add_scaled(
          1.0 / n, mesh->nodes + 3 * (size_t)mesh->elements[(size_t)n * (size_t)e + (size_t)a],
          middle);
    chosen[e] |= by->region->holds(by->values, middle, inside, by->tolerance) != 0;
  }
  return PL_OK;
}

/* marks are room for one byte per node, all 0 before and after. */
static void add_set_elements(const pl_mesh *mesh, const pl_set *set, unsigned char *marks,
                             unsigned char *chosen)
{
  int n = mesh->nodes_per_element;
  for (int i = 0; i < set->count; i++) (set->of_elements ? chosen : marks)[set->ids[i]] = 1;
  if (set->of_elements) return;
  for (int e = 0; e < mesh->element_count; e++) {
    int all = 1;
    for (int a = 0; a < n; a++) all &= marks[mesh->elements[(size_t)n * (size_t)e + (size_t)a]];
    chosen[e] |= (unsigned char)all;
  }
  for (int i = 0; i < set->count; i++) marks[set->ids[i]] = 0;
}

pl_status pl_mesh_select_elements(const pl_mesh *mesh, const pl_selector *selectors, int count,
                                  unsigned char *chosen, int *chosen_count, pl_error *error)
{
  memset(chosen, 0, (size_t)mesh->element_count);
  unsigned char *marks = pl_alloc(&mesh->allocator, (size_t)mesh->node_count, 1);
  pl_status status = marks ? check_list(selectors, count, error) : pl_fail_memory(error);
  for (int s = 0; s < count && !status; s++) {
    pick by;
    status = look_up(mesh, &selectors[s], &by, error);
    if (status) break;
    if (by.region) status = add_region_elements(mesh, &by, chosen, error);
    add_between(mesh, &by, 0, marks, chosen);
    for (int i = 0; by.set && i < mesh->set_count; i++) {
      if (strcmp(mesh->sets[i].name, by.set) == 0)
        add_set_elements(mesh, &mesh->sets[i], marks, chosen);
    }
  }
  pl_free(&mesh->allocator, marks);
  if (!status && chosen_count) *chosen_count = count_chosen(chosen, mesh->element_count);
  return status;
}
