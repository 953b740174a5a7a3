/* Makes a scene's bodies ready to be drawn: one scaled list of nodes, one list of triangles.
 *
 * The normal of a corner is the area-weighted mean over the faces at its node, but only those
 * within 40 degrees of the corner's own face: so round things look round and boxes keep edges. */
#include "core/memory.h"
#include "picture/render_parts.h"

#include <string.h>

static const float CREASE = 0.766f; /* cos 40 degrees */

/* At a node of more faces than this, a corner takes its own face's normal. */
enum { MOST_NEIGHBOURS = 256 };

typedef struct face {
  pl_v3 area, normal;
  int nodes[4], count, body, number, visible;
  int first; /* the first node of its body */
} face;

static int finite_node(const double *p)
{
  return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

/* Centre and radius of what can be seen; numbers near the largest double do not overflow. */
static void measure(pl_render_stage *stage)
{
  double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
  const pl_render *scene = stage->scene;
  for (int b = 0; b < scene->body_count; b++) {
    const pl_render_body *body = &scene->bodies[b];
    for (int i = 0; i < body->node_count; i++) {
      const double *p = body->positions + 3 * (size_t)i;
      if (!finite_node(p)) continue;
      for (int k = 0; k < 3; k++) {
        min[k] = fmin(min[k], p[k]);
        max[k] = fmax(max[k], p[k]);
      }
    }
  }
  double square = 0;
  for (int k = 0; k < 3; k++) {
    int any = min[k] <= max[k];
    stage->centre[k] = any ? 0.5 * min[k] + 0.5 * max[k] : 0;
    double half = any ? 0.5 * max[k] - 0.5 * min[k] : 0;
    square = hypot(square, half);
  }
  stage->radius = square > 0 && isfinite(square) ? square : square > 0 ? 1e308 : 1;
}

static void scale_nodes(pl_render_stage *stage)
{
  pl_v3 *node = stage->nodes;
  for (int b = 0; b < stage->scene->body_count; b++) {
    const pl_render_body *body = &stage->scene->bodies[b];
    for (int i = 0; i < body->node_count; i++, node++) {
      const double *p = body->positions + 3 * (size_t)i;
      if (!finite_node(p)) {
        *node = (pl_v3){NAN, NAN, NAN};
        continue;
      }
      float q[3];
      for (int k = 0; k < 3; k++) {
        q[k] = (float)(p[k] / stage->radius - stage->centre[k] / stage->radius);
      }
      *node = (pl_v3){q[0], q[1], q[2]};
    }
  }
}

static void list_faces(const pl_render_stage *stage, face *faces)
{
  int first = 0;
  for (int b = 0; b < stage->scene->body_count; b++) {
    const pl_render_body *body = &stage->scene->bodies[b];
    for (int i = 0; i < body->face_count; i++, faces++) {
      *faces = (face){
          .count = body->nodes_per_face, .body = b, .number = i, .first = first, .visible = 1};
      pl_v3 corner[4];
      for (int k = 0; k < faces->count; k++) {
        faces->nodes[k] = first + body->faces[(size_t)i * (size_t)faces->count + (size_t)k];
        corner[k] = stage->nodes[faces->nodes[k]];
        if (isnan(corner[k].x)) faces->visible = 0;
      }
      if (!faces->visible) continue;
      // half the cross product of the diagonals, or of two sides
      int is_quad = faces->count == 4;
      pl_v3 along = pl_v3_sub(corner[is_quad ? 2 : 1], corner[0]);
      pl_v3 across = pl_v3_sub(corner[faces->count - 1], corner[is_quad ? 1 : 0]);
      faces->area = pl_v3_scale(0.5f, pl_v3_cross(along, across));
      faces->normal = pl_v3_unit(faces->area);
    }
    first += body->node_count;
  }
}

/* For every node the faces around it: around[start[node]] up to around[start[node + 1]]. */
static void list_neighbours(const pl_render_stage *stage, const face *faces, int face_count,
                            size_t *start, int *around)
{
  for (int f = 0; f < face_count; f++) {
    for (int k = 0; faces[f].visible && k < faces[f].count; k++) start[faces[f].nodes[k]]++;
  }
  for (int i = 0; i < stage->node_count; i++) start[i + 1] += start[i];
  // filled from behind, which turns ends into starts
  for (int f = face_count - 1; f >= 0; f--) {
    for (int k = 0; faces[f].visible && k < faces[f].count; k++) {
      around[--start[faces[f].nodes[k]]] = f;
    }
  }
}

static pl_v3 corner_normal(const face *faces, const face *own, const int *around, size_t count)
{
  pl_v3 sum = {0, 0, 0};
  if (count > MOST_NEIGHBOURS) return own->normal;
  for (size_t i = 0; i < count; i++) {
    const face *other = &faces[around[i]];
    if (pl_v3_dot(own->normal, other->normal) > CREASE) sum = pl_v3_add(sum, other->area);
  }
  pl_v3 normal = pl_v3_unit(sum);
  return pl_v3_dot(normal, normal) > 0 ? normal : own->normal;
}

static float corner_scalar(const pl_render_stage *stage, const face *from, int node)
{
  const pl_render_body *body = &stage->scene->bodies[from->body];
  if (!body->scalars) return NAN;
  double value = body->scalars[body->of_faces ? from->number : node - from->first];
  return isfinite(value) ? (float)pl_axis_place(&stage->scale, value) : NAN;
}

/* A triangle as it is, a quadrilateral as two that share its shorter diagonal. */
static void split(pl_render_stage *stage, const face *from, const pl_v3 *normals,
                  const float *scalars)
{
  static const int whole[3] = {0, 1, 2},
                   halves[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{1, 2, 3}, {1, 3, 0}}};
  static const int sides[2] = {5, 3}; // of each half, without the diagonal
  int choice = 0;
  if (from->count == 4) {
    pl_v3 a = pl_v3_sub(stage->nodes[from->nodes[2]], stage->nodes[from->nodes[0]]);
    pl_v3 b = pl_v3_sub(stage->nodes[from->nodes[3]], stage->nodes[from->nodes[1]]);
    choice = pl_v3_dot(b, b) < 0.999f * pl_v3_dot(a, a);
  }
  for (int h = 0; h < from->count - 2; h++) {
    const int *corners = from->count == 3 ? whole : halves[choice][h];
    pl_render_triangle *t = &stage->triangles[stage->triangle_count++];
    *t = (pl_render_triangle){.body = from->body, .edges = from->count == 3 ? 7 : sides[h]};
    for (int k = 0; k < 3; k++) {
      t->nodes[k] = from->nodes[corners[k]];
      t->normals[k] = normals[corners[k]];
      t->scalars[k] = scalars[corners[k]];
      const pl_render_body *body = &stage->scene->bodies[from->body];
      if (!body->picture) continue;
      const float *spot =
          body->spots + 2 * ((size_t)from->count * (size_t)from->number + (size_t)corners[k]);
      memcpy(t->spots[k], spot, sizeof t->spots[k]);
    }
  }
}

/* The ends of the colours: given, or those of all finite scalars. */
static void measure_scalars(pl_render_stage *stage)
{
  const pl_render *scene = stage->scene;
  double min = INFINITY, max = -INFINITY;
  for (int b = 0; b < scene->body_count; b++) {
    const pl_render_body *body = &scene->bodies[b];
    if (!body->scalars) continue;
    stage->has_scalars = 1;
    int count = body->of_faces ? body->face_count : body->node_count;
    for (int i = 0; i < count; i++) {
      if (!isfinite(body->scalars[i])) continue;
      min = fmin(min, body->scalars[i]);
      max = fmax(max, body->scalars[i]);
    }
  }
  if (!isnan(scene->scalar_min)) min = scene->scalar_min;
  if (!isnan(scene->scalar_max)) max = scene->scalar_max;
  pl_axis_set(&stage->scale, min, max, 0, 0);
  pl_axis_ticks(&stage->scale, 5);
}

static void fill_triangles(pl_render_stage *stage, face *faces, int face_count, size_t *start,
                           int *around)
{
  list_faces(stage, faces);
  list_neighbours(stage, faces, face_count, start, around);
  for (int f = 0; f < face_count; f++) {
    if (!faces[f].visible) continue;
    pl_v3 normals[4];
    float scalars[4];
    for (int k = 0; k < faces[f].count; k++) {
      int node = faces[f].nodes[k];
      size_t from = start[node], count = start[node + 1] - from;
      normals[k] = corner_normal(faces, &faces[f], around + from, count);
      scalars[k] = corner_scalar(stage, &faces[f], node);
    }
    split(stage, &faces[f], normals, scalars);
  }
}

pl_status pl_stage_build(pl_render_stage *stage, pl_error *error)
{
  const pl_render *scene = stage->scene;
  size_t face_count = 0, corner_count = 0, node_count = 0;
  for (int b = 0; b < scene->body_count; b++) {
    const pl_render_body *body = &scene->bodies[b];
    face_count += (size_t)body->face_count;
    corner_count += (size_t)body->face_count * (size_t)body->nodes_per_face;
    node_count += (size_t)body->node_count;
  }
  if (face_count > INT32_MAX / 4 || node_count > INT32_MAX / 4) {
    return pl_fail(error, PL_E_LIMIT, "%zu faces with %zu nodes are more than a picture can show",
                   face_count, node_count);
  }
  measure(stage);
  measure_scalars(stage);
  stage->node_count = (int)node_count;
  const pl_allocator *allocator = &stage->allocator;
  stage->nodes = pl_alloc(allocator, node_count, sizeof *stage->nodes);
  stage->triangles = pl_alloc(allocator, 2 * face_count, sizeof *stage->triangles);
  face *faces = pl_alloc(allocator, face_count, sizeof *faces);
  size_t *start = pl_alloc(allocator, node_count + 1, sizeof *start);
  int *around = pl_alloc(allocator, corner_count, sizeof *around);
  int ok = stage->nodes && stage->triangles && faces && start && around;
  if (ok) {
    scale_nodes(stage);
    fill_triangles(stage, faces, (int)face_count, start, around);
  }
  pl_free(allocator, around);
  pl_free(allocator, start);
  pl_free(allocator, faces);
  return ok ? PL_OK : pl_fail_memory(error);
}
