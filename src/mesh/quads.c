/* Quadrilaterals as pairs of triangles. */
#include "mesh/quads.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/element.h"
#include "mesh/skin.h"

#include <string.h>

/* A half is flat if its least height is below this part of its longest edge. */
static const double FLAT = 1e-12;

static double diagonal(const double *positions, const int quad[4], int from)
{
  return pl_vec3_distance(positions + 3 * (size_t)quad[from],
                          positions + 3 * (size_t)quad[from + 2]);
}

/* Is the triangle of some extent, and on the side that the area vector of the whole points to? */
static int is_half(const double *positions, const int nodes[3], const double whole[3])
{
  double corners[3][3], area[3];
  int worst;
  pl_element_corners(positions, nodes, 3, corners);
  pl_face_area(positions, nodes, 3, area);
  return pl_corners_shape(corners, 3, &worst) > FLAT && pl_vec3_dot(area, whole) > 0;
}

int pl_quad_cut(const double *positions, const int quad[4], int triangles[6])
{
  static const int orders[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
  double whole[3];
  pl_face_area(positions, quad, 4, whole);
  int way = diagonal(positions, quad, 1) < diagonal(positions, quad, 0);
  for (int tried = 0; tried < 2; tried++, way = !way) {
    for (int i = 0; i < 6; i++) triangles[i] = quad[orders[way][i]];
    if (is_half(positions, triangles, whole) && is_half(positions, triangles + 3, whole)) return 1;
  }
  return 0;
}

pl_status pl_quads_check(const pl_mesh_def *def, pl_error *error)
{
  if (def->quad_count < 0)
    return pl_fail(error, PL_E_ARGUMENT, "a mesh cannot have %d quadrilaterals", def->quad_count);
  if (def->quad_count && !def->quads)
    return pl_fail(error, PL_E_ARGUMENT, "the mesh's array of quadrilaterals is NULL");
  if (def->quad_count && def->nodes_per_element != 3)
    return pl_fail(error, PL_E_ARGUMENT,
                   "quadrilaterals stand beside triangles only: set nodes_per_element to 3, not %d",
                   def->nodes_per_element);
  return PL_OK;
}

static pl_status check_numbers(const pl_mesh_def *def, int index, pl_error *error)
{
  const int *quad = def->quads + 4 * (size_t)index;
  for (int i = 0; i < 4; i++) {
    if (quad[i] < 0 || quad[i] >= def->node_count)
      return pl_fail_entity(error, PL_E_MESH, index,
                            "quadrilateral %d refers to node %d, but the nodes are 0 to %d", index,
                            quad[i], def->node_count - 1);
    for (int j = 0; j < i; j++) {
      if (quad[i] == quad[j])
        return pl_fail_entity(error, PL_E_MESH, index,
                              "quadrilateral %d uses node %d twice; make it a triangle", index,
                              quad[i]);
    }
  }
  return PL_OK;
}

static pl_status take_room(pl_mesh *mesh, int count, pl_error *error)
{
  mesh->quads = pl_alloc(&mesh->allocator, 4 * (size_t)count, sizeof *mesh->quads);
  mesh->quad_elements = pl_alloc(&mesh->allocator, 2 * (size_t)count, sizeof *mesh->quad_elements);
  if (!mesh->quads || !mesh->quad_elements) return pl_fail_memory(error);
  mesh->quad_count = count;
  return PL_OK;
}

pl_status pl_quads_cut(pl_mesh *mesh, const pl_mesh_def *def, pl_error *error)
{
  if (!def->quad_count) return PL_OK;
  pl_status status = take_room(mesh, def->quad_count, error);
  if (status) return status;
  memcpy(mesh->quads, def->quads, 4 * (size_t)def->quad_count * sizeof *mesh->quads);
  for (int i = 0; i < def->quad_count; i++) {
    int first = def->element_count + 2 * i;
    status = check_numbers(def, i, error);
    if (status) return status;
    if (!pl_quad_cut(def->nodes, def->quads + 4 * (size_t)i, mesh->elements + 3 * (size_t)first))
      return pl_fail_entity(error, PL_E_MESH, i,
                            "quadrilateral %d is flat or folded; its nodes go around it", i);
    mesh->quad_elements[2 * i] = first;
    mesh->quad_elements[2 * i + 1] = first + 1;
  }
  return PL_OK;
}

pl_status pl_mesh_take_quads(pl_mesh *mesh, const pl_mesh *from, const int *node_number,
                             const int *element_number, pl_error *error)
{
  if (!from->quad_count) return PL_OK;
  pl_status status = take_room(mesh, from->quad_count, error);
  if (status) return status;
  for (int i = 0; i < 4 * from->quad_count; i++)
    mesh->quads[i] = node_number ? node_number[from->quads[i]] : from->quads[i];
  for (int i = 0; i < 2 * from->quad_count; i++) {
    int element = from->quad_elements[i];
    mesh->quad_elements[i] = element_number ? element_number[element] : element;
  }
  return PL_OK;
}

/* ---- of a surface from a file ---- */

/* Was triangle t, with the next one and no other, cut from a quadrilateral? Its nodes, around it.
 */
static int join(const pl_skin *skin, const pl_mesh *mesh, int t, int quad[4])
{
  const int *polygons = skin->polygons, *n = mesh->elements + 3 * (size_t)t, *m = n + 3;
  int own = -1, other = -1, shared = 0, halves[6];
  if (t + 1 >= skin->polygon_count || polygons[t] != polygons[t + 1]) return 0;
  if (t > 0 && polygons[t - 1] == polygons[t]) return 0;
  if (t + 2 < skin->polygon_count && polygons[t + 2] == polygons[t]) return 0;
  for (int i = 0; i < 3; i++) {
    int in_other = n[i] == m[0] || n[i] == m[1] || n[i] == m[2];
    shared += in_other;
    if (!in_other) own = i;
    if (m[i] != n[0] && m[i] != n[1] && m[i] != n[2]) other = m[i];
  }
  if (shared != 2) return 0;
  const int around[4] = {n[own], n[(own + 1) % 3], other, n[(own + 2) % 3]};
  memcpy(quad, around, sizeof around);
  return pl_quad_cut(mesh->nodes, quad, halves);
}

/* The triangles stay as the file's faces were cut, since textures are found by them. */
static pl_status find_quads(const pl_skin *skin, pl_mesh *mesh, pl_error *error)
{
  int quad[4], count = 0;
  for (int t = 0; t < skin->polygon_count; t++) count += join(skin, mesh, t, quad);
  if (!count) return PL_OK;
  pl_status status = take_room(mesh, count, error);
  if (status) return status;
  for (int t = 0, j = 0; j < count; t++) {
    if (!join(skin, mesh, t, mesh->quads + 4 * (size_t)j)) continue;
    mesh->quad_elements[2 * j] = t;
    mesh->quad_elements[2 * j++ + 1] = t + 1;
  }
  return PL_OK;
}

pl_status pl_skin_mesh(const pl_skin *skin, const pl_allocator *allocator, pl_mesh **mesh,
                       pl_error *error)
{
  pl_status status = pl_mesh_create(&(pl_mesh_def){.node_count = skin->point_count,
                                                   .nodes = skin->points,
                                                   .element_count = skin->triangle_count,
                                                   .nodes_per_element = 3,
                                                   .elements = skin->triangles,
                                                   .allocator = allocator},
                                    mesh, error);
  if (status) return status;
  status = find_quads(skin, *mesh, error);
  if (!status) return PL_OK;
  pl_mesh_destroy(*mesh);
  *mesh = NULL;
  return status;
}
