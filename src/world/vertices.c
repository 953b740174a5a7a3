/* What a renderer draws of a body: positions and normals as floats, written where it wants them. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "world/world.h"

/* Where all points of the drawn mesh are, 3 numbers each, and room for as many normals behind them;
 * the caller frees it. */
static pl_status find_points(const pl_world *world, const pl_body *body, const pl_mesh *drawn,
                             double **points, pl_error *error)
{
  size_t count = 3 * (size_t)drawn->node_count, nodes = 3 * (size_t)body->mesh->node_count;
  double *room = pl_alloc(&world->allocator, 2 * count + nodes, sizeof *room);
  if (!room) return pl_fail_memory(error);
  const double *x = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  double *ordered = body->surface ? room + 2 * count : room;
  for (int i = 0; i < body->mesh->node_count; i++)
    pl_vec3_copy(x + 3 * body->place[i], ordered + 3 * i);
  if (body->surface) pl_embed_carry(body->embed, 3, ordered, room);
  *points = room;
  return PL_OK;
}

/* Adds the area vector of a face, half the cross product of its diagonals or edges, to its points.
 */
static void add_face(const double *points, const int *face, int corners, double *normals)
{
  double a[3], b[3], area[3];
  int last = corners == 4 ? 3 : 2, first = corners == 4 ? 1 : 0;
  pl_vec3_sub(points + 3 * face[corners == 4 ? 2 : 1], points + 3 * face[0], a);
  pl_vec3_sub(points + 3 * face[last], points + 3 * face[first], b);
  pl_vec3_cross(a, b, area);
  for (int k = 0; k < corners; k++) pl_vec3_add_scaled(0.5, area, normals + 3 * face[k]);
}

static void find_normals(const pl_mesh *drawn, const double *points, double *normals)
{
  for (int f = 0; f < drawn->face_count; f++)
    add_face(points, drawn->faces + (size_t)f * (size_t)drawn->nodes_per_face,
             drawn->nodes_per_face, normals);
  for (int i = 0; i < drawn->node_count; i++) {
    double length = pl_vec3_norm(normals + 3 * i);
    if (length > 0) pl_vec3_scale(1 / length, normals + 3 * i, normals + 3 * i);
  }
}

static void put(const double *from, int count, int stride, float *to)
{
  for (int i = 0; to && i < count; i++) {
    for (int k = 0; k < 3; k++) to[(size_t)stride * (size_t)i + (size_t)k] = (float)from[3 * i + k];
  }
}

pl_status pl_world_get_vertices(const pl_world *world, pl_body_id id, int stride, float *positions,
                                float *normals, pl_error *error)
{
  const pl_body *body;
  double *points = NULL;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && stride != 0 && stride < 3)
    status =
        pl_fail(error, PL_E_ARGUMENT,
                "stride = %d must be 0 or at least 3 floats from one vertex to the next", stride);
  if (status) return status;
  const pl_mesh *drawn = body->surface ? body->surface : body->mesh;
  status = find_points(world, body, drawn, &points, error);
  if (status) return status;
  double *directions = points + 3 * (size_t)drawn->node_count;
  if (normals) find_normals(drawn, points, directions);
  put(points, drawn->node_count, stride ? stride : 3, positions);
  put(directions, drawn->node_count, stride ? stride : 3, normals);
  pl_free(&world->allocator, points);
  return PL_OK;
}
