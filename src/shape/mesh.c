/* Triangles.
 *
 * Closed: what they enclose. The nearest point p of the surface gives d = +-|x - p|; its sign is
 * that of (x - p) . m with m the normal of the triangle, or where p lies on an edge or a corner the
 * pseudonormal: the sum of both triangles' normals, or of all triangles' normals weighted by their
 * angles (J. A. Baerentzen, H. Aanaes, "Signed distance computation using the angle weighted
 * pseudonormal", 2005). H is 0 beside a triangle, (I - n n^T - e e^T) / d beside an edge along e,
 * (I - n n^T) / d beside a corner.
 *
 * Open: a shell, all that lies within half its thickness of a triangle, from either side. */
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/skin.h"
#include "shape/obstacle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_AT = PL_OWN_AT, KIND_AT, THICKNESS_AT, PARAM_COUNT = 6 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_ROTATION_PARAM,
    {"scale", "1", "times the mesh's own size", 1, 1e-9, 1e9, NULL, 1},
    {"kind", "1", "a solid, or a sheet that may have edges", 0, 0, 1, "closed|open", 1},
    PL_LENGTH_PARAM("thickness", "of a sheet; a hundredth of its size if not given", NAN, 1e-9),
};

typedef struct triangles {
  pl_skin *skin;
  double *corners; /* pseudonormals: 3 per point */
  double *edges;   /* and 9 per triangle, of its three edges */
  double *faces;   /* unit normals, 3 per triangle */
  double radius;   /* half the thickness; 0: closed */
} triangles;

static void destroy(pl_shape *self, const pl_allocator *allocator)
{
  triangles *data = self->data;
  if (!data) return;
  pl_skin_destroy(data->skin);
  pl_free(allocator, data->corners);
  pl_free(allocator, data->edges);
  pl_free(allocator, data->faces);
  pl_free(allocator, data);
  self->data = NULL;
}

/* ---- pseudonormals ---- */

static double angle_at(const double *a, const double *b, const double *c)
{
  double u[3], v[3], n[3];
  pl_vec3_sub(b, a, u);
  pl_vec3_sub(c, a, v);
  pl_vec3_cross(u, v, n);
  return pl_atan2(pl_vec3_norm(n), pl_vec3_dot(u, v));
}

static void add_corner_normals(const pl_skin *skin, int t, const double n[3], double *corners)
{
  const int *corner = skin->triangles + 3 * (size_t)t;
  for (int k = 0; k < 3; k++) {
    const double *a = skin->points + 3 * (size_t)corner[k],
                 *b = skin->points + 3 * (size_t)corner[(k + 1) % 3],
                 *c = skin->points + 3 * (size_t)corner[(k + 2) % 3];
    pl_vec3_add_scaled(angle_at(a, b, c), n, corners + 3 * (size_t)corner[k]);
  }
}

/* A side of a triangle, to be sorted by its ends. */
typedef struct side {
  int low, high, at; /* at: 3 triangle + edge */
} side;

static int compare(const void *a, const void *b)
{
  const side *one = a, *two = b;
  if (one->low != two->low) return one->low < two->low ? -1 : 1;
  if (one->high != two->high) return one->high < two->high ? -1 : 1;
  return (one->at > two->at) - (one->at < two->at);
}

/* Each edge gets the sum of the normals of the triangles that share it. */
static void add_edge_normals(const pl_skin *skin, const double *faces, side *sides, double *edges)
{
  int count = 3 * skin->triangle_count;
  for (int i = 0; i < count; i++) {
    int a = skin->triangles[i], b = skin->triangles[i - i % 3 + (i + 1) % 3];
    sides[i] = (side){a < b ? a : b, a < b ? b : a, i};
  }
  qsort(sides, (size_t)count, sizeof *sides, compare);
  for (int first = 0, end; first < count; first = end) {
    double sum[3] = {0};
    for (end = first;
         end < count && sides[end].low == sides[first].low && sides[end].high == sides[first].high;
         end++)
      pl_vec3_add(sum, faces + 3 * (size_t)(sides[end].at / 3), sum);
    for (int i = first; i < end; i++) pl_vec3_copy(sum, edges + 3 * (size_t)sides[i].at);
  }
}

static pl_status find_normals(triangles *data, const pl_allocator *allocator, pl_error *error)
{
  const pl_skin *skin = data->skin;
  size_t count = (size_t)skin->triangle_count;
  data->corners = pl_alloc(allocator, 3 * (size_t)skin->point_count, sizeof(double));
  data->edges = pl_alloc(allocator, 9 * count, sizeof(double));
  data->faces = pl_alloc(allocator, 3 * count, sizeof(double));
  side *sides = pl_alloc(allocator, 3 * count, sizeof *sides);
  if (data->corners && data->edges && data->faces && sides) {
    for (int t = 0; t < skin->triangle_count; t++) {
      double *n = data->faces + 3 * (size_t)t;
      pl_face_area(skin->points, skin->triangles + 3 * (size_t)t, 3, n);
      double length = pl_vec3_norm(n);
      if (length > 0) pl_vec3_scale(1 / length, n, n);
      add_corner_normals(skin, t, n, data->corners);
    }
    add_edge_normals(skin, data->faces, sides, data->edges);
    pl_free(allocator, sides);
    return PL_OK;
  }
  pl_free(allocator, sides);
  return pl_fail_memory(error);
}

/* ---- making ---- */

/* Points that a boundary needs, in the order of their first use, scaled. */
typedef struct boundary {
  double *points;
  int *triangles, *number1; /* per node: 1 + its point; 0: none */
  int point_count, triangle_count;
} boundary;

static int point_of(boundary *to, const pl_mesh *mesh, double scale, int node)
{
  if (!to->number1[node]) {
    double *x = to->points + 3 * (size_t)to->point_count;
    pl_vec3_scale(scale, mesh->nodes + 3 * (size_t)node, x);
    to->number1[node] = ++to->point_count;
  }
  return to->number1[node] - 1;
}

/* The mesh's triangles, or the faces of its elements in triangles. */
static void collect(boundary *to, const pl_mesh *mesh, double scale)
{
  int is_surface = mesh->nodes_per_element == 3, per_face = is_surface ? 3 : mesh->nodes_per_face;
  int faces = is_surface ? mesh->element_count : mesh->face_count;
  const int *node = is_surface ? mesh->elements : mesh->faces;
  for (int f = 0; f < faces; f++, node += per_face) {
    for (int k = 0; k + 2 < per_face; k++) {
      int *corner = to->triangles + 3 * (size_t)to->triangle_count++;
      corner[0] = point_of(to, mesh, scale, node[0]);
      corner[1] = point_of(to, mesh, scale, node[k + 1]);
      corner[2] = point_of(to, mesh, scale, node[k + 2]);
    }
  }
}

static pl_status make_skin(const pl_mesh *mesh, double scale, int is_open,
                           const pl_allocator *allocator, pl_skin **skin, pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count;
  size_t faces = (size_t)(mesh->nodes_per_element == 3 ? mesh->element_count : mesh->face_count);
  boundary to = {.points = pl_alloc(allocator, 3 * nodes, sizeof(double)),
                 .triangles = pl_alloc(allocator, 6 * faces, sizeof(int)),
                 .number1 = pl_alloc(allocator, nodes, sizeof(int))};
  pl_status status = to.points && to.triangles && to.number1 ? PL_OK : pl_fail_memory(error);
  if (!status) {
    collect(&to, mesh, scale);
    status = pl_skin_create(&(pl_skin_def){.point_count = to.point_count,
                                           .points = to.points,
                                           .triangle_count = to.triangle_count,
                                           .triangles = to.triangles,
                                           .max_hole = -1,
                                           .weld = is_open ? -1 : 0,
                                           .allocator = allocator},
                            skin, error);
  }
  pl_free(allocator, to.points);
  pl_free(allocator, to.triangles);
  pl_free(allocator, to.number1);
  return status;
}

static pl_status check_closed(const pl_skin_facts *facts, pl_error *error)
{
  if (facts->open_edges)
    return pl_fail(error, PL_E_MESH,
                   "the surface has %d open edges, so it encloses nothing; close its holes, or use "
                   "kind=\"open\" with a thickness",
                   facts->open_edges);
  if (facts->crowded_edges)
    return pl_fail(error, PL_E_MESH,
                   "%d edges of the surface belong to more than two triangles, so its inside is "
                   "not clear; repair it, or use kind=\"open\" with a thickness",
                   facts->crowded_edges);
  return PL_OK;
}

static pl_status build(pl_shape *self, const pl_shape_source *source, const pl_allocator *allocator,
                       pl_error *error)
{
  const double *values = self->part.values;
  int is_open = values[KIND_AT] > 0;
  if (!source->mesh)
    return pl_fail(error, PL_E_ARGUMENT, "a shape of triangles needs mesh=\"...\"");
  triangles *data = self->data = pl_alloc(allocator, 1, sizeof *data);
  if (!data) return pl_fail_memory(error);
  pl_status status =
      make_skin(source->mesh, values[SCALE_AT], is_open, allocator, &data->skin, error);
  if (!status && !is_open) status = check_closed(&data->skin->facts, error);
  if (!status) status = find_normals(data, allocator, error);
  if (status || !is_open) return status;
  double size = pl_vec3_distance(data->skin->low, data->skin->high);
  data->radius = 0.5 * (isnan(values[THICKNESS_AT]) ? size / 100 : values[THICKNESS_AT]);
  return PL_OK;
}

/* ---- asking ---- */

static const double *pseudonormal(const triangles *data, const pl_skin_place *at)
{
  size_t t = (size_t)at->triangle;
  if (at->feature == 0) return data->faces + 3 * t;
  if (at->feature < 4) return data->edges + 9 * t + 3 * (size_t)(at->feature - 1);
  return data->corners + 3 * (size_t)data->skin->triangles[3 * t + (size_t)(at->feature - 4)];
}

/* Curvature at the signed distance d with the gradient n. */
static void bend(const triangles *data, const pl_skin_place *at, double d, const double n[3],
                 double *hessian)
{
  int sharp = at->feature && (d < 0 || d > 0);
  pl_shape_round(sharp ? 1 / d : 0, n, hessian);
  if (!sharp || at->feature > 3) return;
  const pl_skin *skin = data->skin;
  const int *corner = skin->triangles + 3 * (size_t)at->triangle;
  double e[3];
  pl_vec3_sub(skin->points + 3 * (size_t)corner[at->feature % 3],
              skin->points + 3 * (size_t)corner[at->feature - 1], e);
  double square = pl_vec3_dot(e, e);
  for (int k = 0; k < 9; k++) hessian[k] -= e[k / 3] * e[k % 3] / (square * d);
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  const triangles *data = self->data;
  pl_skin_place at;
  double away[3];
  pl_skin_nearest(data->skin, x, &at);
  pl_vec3_sub(x, at.point, away);
  const double *m = pseudonormal(data, &at);
  int behind = pl_vec3_dot(away, m) < 0;
  double sign = behind && !(data->radius > 0) ? -1 : 1, d = sign * at.distance;
  double length = pl_vec3_norm(m);
  // on the surface the direction is lost, beside a triangle it is known
  if (at.feature == 0)
    pl_vec3_scale(behind && data->radius > 0 ? -1 : 1, m, normal);
  else if (at.distance > 1e-12 * (pl_vec3_norm(at.point) + at.distance))
    pl_vec3_scale(1 / d, away, normal);
  else if (length > 0)
    pl_vec3_scale(1 / length, m, normal);
  else
    pl_vec3_set(normal, 0, 0, 1);
  if (hessian) bend(data, &at, d, normal, hessian);
  return d - data->radius;
}

static void bounds(const pl_shape *self, double low[3], double high[3])
{
  const triangles *data = self->data;
  for (int k = 0; k < 3; k++) {
    low[k] = data->skin->low[k] - data->radius;
    high[k] = data->skin->high[k] + data->radius;
  }
}

/* A sheet is drawn twice, so that both sides lie where bodies touch them. */
static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  const triangles *data = self->data;
  const pl_skin *skin = data->skin;
  (void)view, (void)error;
  for (int pass = 0; pass < (data->radius > 0 ? 2 : 1); pass++) {
    int first = (int)drawing->point_count;
    for (int i = 0; i < skin->point_count; i++) {
      const double *m = data->corners + 3 * (size_t)i;
      double length = pl_vec3_norm(m), x[3];
      pl_vec3_copy(skin->points + 3 * (size_t)i, x);
      if (length > 0) pl_vec3_add_scaled((pass ? -1 : 1) * data->radius / length, m, x);
      pl_drawing_point(drawing, x);
    }
    for (int i = 0; i < skin->triangle_count; i++) {
      const int *t = skin->triangles + 3 * (size_t)i;
      pl_drawing_triangle(drawing, first + t[0], first + t[pass ? 2 : 1], first + t[pass ? 1 : 2]);
    }
  }
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_mesh = {
    .info = {"mesh", "triangles: what they enclose, or a sheet of them",
             "Baerentzen & Aanaes 2005 (sign)", params, PARAM_COUNT, NULL},
    .has_sides = 1,
    .place = pl_shape_place_rotation,
    .build = build,
    .destroy = destroy,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
