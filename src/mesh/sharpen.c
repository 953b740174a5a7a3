/* Sharp features after the fact: L. P. Kobbelt, M. Botsch, U. Schwanecke, H.-P. Seidel, "Feature
 * sensitive surface extraction from volume data", SIGGRAPH 2001.
 *
 * Around a boundary node, the surface is seen as a few planes: one through a point of the surface
 * near the middle of every boundary face at the node, across the gradient of the volume's value
 * there. Where the normals differ by more than BEND, the node belongs to an edge (two directions)
 * or a corner (three) of the shape, and its place is the point nearest to it that minimises the sum
 * of squared distances to the planes:
 *
 *     x = p + A^+ b,   A = sum n n^T,   b = sum n (n . (s - p)),
 *
 * with the pseudo-inverse A^+ from the eigenvalues of A above RANK times the largest. */
#include "mesh/sharpen.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <math.h>

static const double BEND = 0.8;  /* cosine between normals: 37 degrees */
static const double RANK = 0.05; /* of the largest eigenvalue          */
static const double LEAST_ANGLE = 8, MOST_ANGLE = 168, FARTHEST = 0.5;

typedef struct plane {
  double point[3], normal[3];
} plane;

typedef struct sharpening {
  pl_mesh *mesh;
  const pl_volume *volume;
  double size;
  plane *planes;    /* one for each boundary face */
  int *face_starts; /* boundary faces at each node */
  int *node_faces;
  int *tet_starts; /* elements at each node */
  int *node_tets;
} sharpening;

/* Where a point of a face lies on the surface, and the normal there. */
static void find_plane(const sharpening *s, const int *face, plane *p)
{
  double middle[3] = {0}, step = 1e-4 * s->size, length = 0;
  for (int i = 0; i < 3; i++)
    pl_vec3_add_scaled(1.0 / 3, s->mesh->nodes + 3 * (size_t)face[i], middle);
  // a few steps of Newton along the gradient
  for (int round = 0; round < 4; round++) {
    double value = s->volume->value(s->volume->context, middle);
    for (int k = 0; k < 3; k++) {
      double ahead[3], behind[3];
      pl_vec3_copy(middle, ahead);
      pl_vec3_copy(middle, behind);
      ahead[k] += step;
      behind[k] -= step;
      p->normal[k] = (s->volume->value(s->volume->context, ahead) -
                      s->volume->value(s->volume->context, behind)) /
                     (2 * step);
    }
    length = pl_vec3_norm(p->normal);
    if (!(length > 1e-3)) break;
    double move = fmin(fmax(value / (length * length), -0.2 * s->size), 0.2 * s->size);
    pl_vec3_add_scaled(-move, p->normal, middle);
  }
  pl_vec3_copy(middle, p->point);
  pl_vec3_scale(length > 1e-3 ? 1 / length : 0, p->normal, p->normal);
}

/* Lists, for every node, the faces or elements that it is a corner of. */
static pl_status list_users(const pl_mesh *mesh, int count, int width, const int *corners,
                            int **starts, int **users, pl_error *error)
{
  *starts = pl_alloc(&mesh->allocator, (size_t)mesh->node_count + 2, sizeof **starts);
  *users = pl_alloc(&mesh->allocator, (size_t)count * (size_t)width, sizeof **users);
  if (!*starts || !*users) return pl_fail_memory(error);
  size_t total = (size_t)count * (size_t)width;
  for (size_t i = 0; i < total; i++) (*starts)[corners[i] + 2]++;
  for (int n = 0; n < mesh->node_count; n++) (*starts)[n + 2] += (*starts)[n + 1];
  for (size_t i = 0; i < total; i++)
    (*users)[(*starts)[corners[i] + 1]++] = (int)(i / (size_t)width);
  return PL_OK;
}

/* The place of the feature that a node belongs to; 0 if there is none near. */
static int find_feature(const sharpening *s, int node, double place[3])
{
  const double *at = s->mesh->nodes + 3 * (size_t)node;
  double a[9] = {0}, b[3] = {0}, bend = 1;
  int first = s->face_starts[node], stop = s->face_starts[node + 1];
  for (int i = first; i < stop; i++) {
    const plane *p = &s->planes[s->node_faces[i]];
    double to[3];
    pl_vec3_sub(p->point, at, to);
    double distance = pl_vec3_dot(p->normal, to);
    for (int k = 0; k < 9; k++) a[k] += p->normal[k / 3] * p->normal[k % 3];
    pl_vec3_add_scaled(distance, p->normal, b);
    for (int j = first; j < i; j++)
      bend = fmin(bend, pl_vec3_dot(p->normal, s->planes[s->node_faces[j]].normal));
  }
  if (bend > BEND) return 0;
  double values[3], vectors[9], move[3] = {0};
  pl_eigen(a, values, vectors);
  double max = fmax(values[0], fmax(values[1], values[2]));
  for (int e = 0; e < 3; e++) {
    double axis[3] = {vectors[e], vectors[3 + e], vectors[6 + e]};
    if (values[e] > RANK * max) pl_vec3_add_scaled(pl_vec3_dot(axis, b) / values[e], axis, move);
  }
  double length = pl_vec3_norm(move);
  if (!(length > 1e-9 * s->size && length < FARTHEST * s->size)) return 0;
  pl_vec3_copy(at, place);
  pl_vec3_add(place, move, place);
  return 1;
}

/* Moves the node, unless that spoils an element around it. */
static int try_move(sharpening *s, int node, const double place[3])
{
  double *at = s->mesh->nodes + 3 * (size_t)node, old[3];
  pl_vec3_copy(at, old);
  pl_vec3_copy(place, at);
  for (int i = s->tet_starts[node]; i < s->tet_starts[node + 1]; i++) {
    const int *nodes = s->mesh->elements + 4 * (size_t)s->node_tets[i];
    double min, max;
    pl_tet_angles(s->mesh->nodes, nodes, &min, &max);
    if (min >= LEAST_ANGLE && max <= MOST_ANGLE && pl_element_volume(s->mesh->nodes, nodes, 4) > 0)
      continue;
    pl_vec3_copy(old, at);
    return 0;
  }
  return 1;
}

static pl_status prepare(sharpening *s, pl_error *error)
{
  const pl_mesh *mesh = s->mesh;
  s->planes = pl_alloc(&mesh->allocator, (size_t)mesh->face_count, sizeof *s->planes);
  if (!s->planes) return pl_fail_memory(error);
  pl_status status =
      list_users(mesh, mesh->face_count, 3, mesh->faces, &s->face_starts, &s->node_faces, error);
  if (!status)
    status = list_users(mesh, mesh->element_count, 4, mesh->elements, &s->tet_starts, &s->node_tets,
                        error);
  return status;
}

pl_status pl_mesh_sharpen(pl_mesh *mesh, const pl_volume *volume, double size, pl_error *error)
{
  sharpening s = {.mesh = mesh, .volume = volume, .size = size};
  pl_status status = prepare(&s, error);
  // corners and edges attract; what has moved changes the faces around it
  for (int round = 0, moved = 1; !status && moved && round < 3; round++) {
    for (int f = 0; f < mesh->face_count; f++)
      find_plane(&s, mesh->faces + 3 * (size_t)f, &s.planes[f]);
    moved = 0;
    for (int n = 0; n < mesh->node_count; n++) {
      double place[3];
      if (s.face_starts[n] < s.face_starts[n + 1] && find_feature(&s, n, place))
        moved += try_move(&s, n, place);
    }
  }
  pl_free(&mesh->allocator, s.planes);
  pl_free(&mesh->allocator, s.face_starts);
  pl_free(&mesh->allocator, s.node_faces);
  pl_free(&mesh->allocator, s.tet_starts);
  pl_free(&mesh->allocator, s.node_tets);
  return status;
}
