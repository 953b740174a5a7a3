/* The surface of a body that touches others. */
#include "body/boundary.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/weld.h"

#include <string.h>

#define IN_ONE_PLACE 1e-9 /* of the extent: how far particles at a pole may be apart */

void pl_boundary_release(const pl_allocator *allocator, pl_boundary *boundary)
{
  pl_free(allocator, boundary->nodes);
  pl_free(allocator, boundary->triangles);
  pl_free(allocator, boundary->area);
  *boundary = (pl_boundary){0};
}

/* Segments as triangles with two equal corners, see shape/finder.h. */
static void take_segments(const pl_mesh *mesh, int *triangles)
{
  for (int e = 0; e < mesh->element_count; e++) {
    for (int k = 0; k < 3; k++) triangles[3 * e + k] = mesh->elements[2 * e + (k > 0)];
  }
}

/* The triangles of all faces, in nodes of the mesh. */
static void split_faces(const pl_mesh *mesh, int *triangles)
{
  int n = mesh->nodes_per_face, count = 0;
  for (int face = 0; face < mesh->face_count; face++) {
    const int *corners = mesh->faces + n * face;
    for (int k = 2; k < n; k++) {
      int *to = triangles + 3 * count++;
      to[0] = corners[0];
      to[1] = corners[k - 1];
      to[2] = corners[k];
    }
  }
}

/* The particles of a grid that stand in one place, at the poles of an ellipsoid, are not joined.
 * Where the grid may touch itself the first of them stands for all, so that the triangles around a
 * pole have it in common and do not touch each other. */
static pl_status join_poles(const pl_bodies *bodies, const pl_body *body, pl_boundary *to,
                            pl_error *error)
{
  const pl_mesh *mesh = body->mesh;
  int kept, count = mesh->node_count;
  if (!body->contact.itself || !mesh->grid || body->surface) return PL_OK;
  int *number = pl_alloc(bodies->allocator, 2 * (size_t)count, sizeof *number);
  if (!number) return pl_fail_memory(error);
  pl_status status =
      pl_weld(mesh->nodes, count, IN_ONE_PLACE, bodies->allocator, number, &kept, error);
  if (!status) {
    int *first = number + count;
    for (int n = count - 1; n >= 0; n--) first[number[n]] = n;
    for (int i = 0; i < 3 * to->triangle_count; i++)
      to->triangles[i] = first[number[to->triangles[i]]];
  }
  pl_free(bodies->allocator, number);
  return status;
}

/* Numbers the nodes that triangles have, in their order; renumbers the triangles. */
static pl_status number_points(const pl_bodies *bodies, const pl_body *body, pl_boundary *to,
                               pl_error *error)
{
  int nodes = body->mesh->node_count;
  int *number1 = pl_alloc(bodies->allocator, (size_t)nodes, sizeof *number1);
  to->nodes = pl_alloc(bodies->allocator, (size_t)nodes, sizeof *to->nodes);
  if (number1 && to->nodes) {
    for (int i = 0; i < 3 * to->triangle_count; i++) number1[to->triangles[i]] = 1;
    for (int n = 0; n < nodes; n++) {
      if (!number1[n]) continue;
      to->nodes[to->point_count++] = body->place[n];
      number1[n] = to->point_count;
    }
    for (int i = 0; i < 3 * to->triangle_count; i++)
      to->triangles[i] = number1[to->triangles[i]] - 1;
  }
  int failed = !number1 || !to->nodes;
  pl_free(bodies->allocator, number1);
  return failed ? pl_fail_memory(error) : PL_OK;
}

const double *pl_boundary_rest(const pl_boundary *from, const pl_body *body, int point)
{
  return from->nodes ? body->rest + 3 * (size_t)from->nodes[point]
                     : body->surface->nodes + 3 * (size_t)point;
}

/* Half of what segments are long and thick is their ends'; and the mean length. */
static void measure_segments(pl_boundary *to, const pl_body *body)
{
  for (int t = 0; t < to->triangle_count; t++) {
    const int *ends = to->triangles + 3 * t;
    double length =
        pl_vec3_distance(pl_boundary_rest(to, body, ends[0]), pl_boundary_rest(to, body, ends[1]));
    for (int k = 0; k < 2; k++) to->area[ends[k]] += length * body->model->thickness / 2;
    to->edge += length / to->triangle_count;
  }
}

/* Areas of points, and the mean side. */
static void measure(pl_boundary *to, const pl_body *body)
{
  double sum = 0;
  for (int t = 0; t < to->triangle_count; t++) {
    const int *corners = to->triangles + 3 * t;
    const double *x[3];
    double a[3], b[3], normal[3];
    for (int k = 0; k < 3; k++) x[k] = pl_boundary_rest(to, body, corners[k]);
    pl_vec3_sub(x[1], x[0], a);
    pl_vec3_sub(x[2], x[0], b);
    pl_vec3_cross(a, b, normal);
    for (int k = 0; k < 3; k++) {
      to->area[corners[k]] += pl_vec3_norm(normal) / 6;
      sum += pl_vec3_distance(x[k], x[(k + 1) % 3]);
    }
  }
  if (to->triangle_count) to->edge = sum / (3 * to->triangle_count);
}

/* A closed surface has two triangles for each of its nodes. */
static double mean_area(const pl_mesh *mesh)
{
  double sum = 0, area[3];
  int n = mesh->nodes_per_face, count = mesh->face_count * (n - 2);
  for (int face = 0; face < mesh->face_count; face++) {
    pl_face_area(mesh->nodes, mesh->faces + n * face, n, area);
    sum += pl_vec3_norm(area);
  }
  return count > 0 ? 2 * sum / count : 0;
}

pl_status pl_boundary_make(const pl_bodies *bodies, const pl_body *body, pl_boundary *out,
                           pl_error *error)
{
  const pl_mesh *mesh = body->surface ? body->surface : body->mesh;
  int are_segments = mesh->nodes_per_element == 2;
  pl_boundary to = {.triangle_count = are_segments ? mesh->element_count
                                                   : mesh->face_count * (mesh->nodes_per_face - 2)};
  to.triangles = pl_alloc(bodies->allocator, 3 * (size_t)to.triangle_count, sizeof *to.triangles);
  if (!to.triangles) return pl_fail_memory(error);
  if (are_segments)
    take_segments(mesh, to.triangles);
  else
    split_faces(mesh, to.triangles);
  pl_status status = join_poles(bodies, body, &to, error);
  if (body->surface)
    to.point_count = mesh->node_count;
  else if (!status)
    status = number_points(bodies, body, &to, error);
  if (!status) to.area = pl_alloc(bodies->allocator, (size_t)to.point_count, sizeof *to.area);
  if (!status && !to.area) status = pl_fail_memory(error);
  if (status) {
    pl_boundary_release(bodies->allocator, &to);
    return status;
  }
  if (are_segments)
    measure_segments(&to, body);
  else
    measure(&to, body);
  if (body->surface) to.support = mean_area(body->mesh);
  *out = to;
  return PL_OK;
}

/* The sum of what a following point's nodes have. */
static void follow(const pl_body *body, int point, const double *values, double out[3])
{
  const pl_embed *embed = body->embed;
  pl_vec3_set(out, 0, 0, 0);
  for (int a = 0; a < embed->width; a++) {
    size_t at = (size_t)point * (size_t)embed->width + (size_t)a;
    pl_vec3_add_scaled(embed->weights[at], values + 3 * (size_t)body->place[embed->nodes[at]], out);
  }
}

void pl_boundary_place(const pl_boundary *boundary, const pl_body *body, const double *q,
                       const double *v, double *x)
{
  size_t first = 3 * (size_t)body->offset;
  const double *nodal = pl_body_nodes(body, q + first, v ? v + first : NULL);
  for (int p = 0; p < boundary->point_count; p++) {
    if (boundary->nodes)
      pl_vec3_copy(nodal + 3 * (size_t)boundary->nodes[p], x + 3 * (size_t)p);
    else
      follow(body, p, nodal, x + 3 * (size_t)p);
  }
}

pl_body_point pl_boundary_point(const pl_boundary *boundary, const pl_body *body, int number,
                                int point)
{
  if (boundary->nodes) return pl_point_of_node(number, boundary->nodes[point]);
  const pl_embed *embed = body->embed;
  pl_body_point at = {.body = number, .count = embed->width};
  for (int a = 0; a < embed->width; a++) {
    size_t from = (size_t)point * (size_t)embed->width + (size_t)a;
    at.nodes[a] = body->place[embed->nodes[from]];
    at.weights[a] = embed->weights[from];
  }
  return at;
}

int pl_boundary_block(const pl_boundary *boundary, const pl_body *body, int point)
{
  if (!boundary->nodes) return -1;
  int block = pl_model_node_block(body->model, boundary->nodes[point]);
  return block < 0 ? -1 : body->offset + block;
}
