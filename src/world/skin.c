/* The elastic layer on the skin of bodies of frames. */
#include "world/skin.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define LAYER 0.02  /* thickness of the layer, as a part of the body's size */
#define CREEP 0.005 /* m/s: friction is weaker than Coulomb's below about this speed */

pl_status pl_skin_make(pl_world *world, pl_body *body, pl_error *error)
{
  if (body->skin || !body->model->ops->nodes) return PL_OK;
  const pl_mesh *mesh = body->mesh;
  double low[3], high[3], lambda, mu;
  pl_mesh_bounds(mesh, low, high);
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (status) return status;
  body->skin = pl_alloc(&world->allocator, (size_t)mesh->node_count, sizeof *body->skin);
  if (!body->skin) return pl_fail_memory(error);
  double per_area = (lambda + 2 * mu) / (LAYER * pl_vec3_distance(low, high));
  int n = mesh->nodes_per_face;
  for (int face = 0; face < mesh->face_count; face++) {
    double vector[3];
    pl_face_area(mesh->nodes, mesh->faces + n * face, n, vector);
    for (int a = 0; a < n; a++)
      body->skin[body->place[mesh->faces[n * face + a]]] += per_area * pl_vec3_norm(vector) / n;
  }
  return PL_OK;
}

/* One touching node. */
typedef struct touch {
  double normal[3], push, friction;
} touch;

static int touches(const pl_world *world, const pl_body *body, int node, const double x[3],
                   touch *to)
{
  double gap = pl_obstacles_nearest(world, x, &to->friction, to->normal);
  if (!(gap < 0)) return 0;
  to->push = -body->skin[node] * gap;
  return 1;
}

/* Its velocity, and how it moves with its blocks. */
static int reach(const pl_body *body, const double *q, const double *v, int node,
                 const int **blocks, double *J, double speed[3])
{
  int count = pl_body_jacobian(body, q, &node, blocks, NULL, J);
  pl_vec3_set(speed, 0, 0, 0);
  for (int b = 0; b < count; b++) {
    double part[3];
    pl_mat3_apply(J + 9 * b, v + 3 * (*blocks)[b], part);
    pl_vec3_add(speed, part, speed);
  }
  return count;
}

/* The friction's resistance per speed; along becomes the speed along the surface. */
static double resistance(const touch *at, const double speed[3], double along[3])
{
  pl_vec3_copy(speed, along);
  pl_vec3_add_scaled(-pl_vec3_dot(speed, at->normal), at->normal, along);
  return at->friction * at->push / sqrt(pl_vec3_dot(along, along) + CREEP * CREEP);
}

/* Calls for every touching node of every skin. */
typedef void each_touch(const pl_body *body, int node, const touch *at, const double *q,
                        const double *v, void *context);

static void visit(const pl_world *world, const double *q, const double *v, each_touch *call,
                  void *context)
{
  for (size_t b = 0; b < world->bodies.count && world->obstacle_count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (!body->skin) continue;
    const double *x = pl_body_nodes(body, q + 3 * body->offset, NULL);
    touch at;
    for (int n = 0; n < body->mesh->node_count; n++) {
      if (body->skin[n] > 0 && touches(world, body, n, x + 3 * (size_t)n, &at))
        call(body, n, &at, q + 3 * body->offset, v + 3 * body->offset, context);
    }
  }
}

static void push(const pl_body *body, int node, const touch *at, const double *q, const double *v,
                 void *context)
{
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], speed[3], along[3], force[3], part[3], *f = context;
  int count = reach(body, q, v, node, &blocks, J, speed);
  pl_vec3_scale(at->push, at->normal, force);
  double drag = resistance(at, speed, along);
  pl_vec3_add_scaled(-drag, along, force);
  for (int b = 0; b < count; b++) {
    pl_mat3_apply_t(J + 9 * b, force, part);
    double *to = f + 3 * (body->offset + blocks[b]);
    pl_vec3_add(to, part, to);
  }
}

void pl_skins_force(const pl_world *world, const double *q, const double *v, double *f)
{
  visit(world, q, v, push, f);
}

typedef struct stiffening {
  double kq, kv;
  pl_bsr *A;
} stiffening;

static void stiffen(const pl_body *body, int node, const touch *at, const double *q,
                    const double *v, void *context)
{
  const stiffening *with = context;
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], speed[3], along[3], D[9];
  int count = reach(body, q, v, node, &blocks, J, speed);
  double drag = with->kv * resistance(at, speed, along);
  for (int k = 0; k < 9; k++) {
    double across = at->normal[k / 3] * at->normal[k % 3];
    D[k] = with->kq * body->skin[node] * across + drag * ((k % 4 == 0) - across);
  }
  pl_add_carried(with->A, body->offset, count, blocks, J, D);
}

void pl_skins_stiffness(const pl_world *world, const double *q, const double *v, double kq,
                        double kv, pl_bsr *A)
{
  stiffening with = {kq, kv, A};
  visit(world, q, v, stiffen, &with);
}

int pl_skin_deepest(const pl_world *world, const pl_body *body, const double *q, double *depth)
{
  int deepest = -1;
  *depth = 0;
  if (!body->skin || !world->obstacle_count) return -1;
  const double *x = pl_body_nodes(body, q, NULL);
  for (int n = 0; n < body->mesh->node_count; n++) {
    double friction, normal[3];
    if (!(body->skin[n] > 0)) continue;
    double gap = pl_obstacles_nearest(world, x + 3 * (size_t)n, &friction, normal);
    if (!(-gap > *depth)) continue;
    *depth = -gap;
    deepest = body->order[n];
  }
  return deepest;
}
