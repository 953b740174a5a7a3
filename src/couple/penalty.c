/* The elastic layer on bodies whose nodes are carried by other blocks. */
#include "couple/penalty.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define LAYER 0.02  /* thickness of the layer, as a part of the body's size */
#define CREEP 0.005 /* m/s: friction is weaker than Coulomb's below about this speed */

pl_status pl_penalty_make(const pl_bodies *bodies, pl_body *body, pl_error *error)
{
  if (body->penalty || !body->model->ops->nodes) return PL_OK;
  const pl_mesh *mesh = body->mesh;
  double lambda, mu;
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (status) return status;
  body->penalty = pl_alloc(bodies->allocator, (size_t)mesh->node_count, sizeof *body->penalty);
  if (!body->penalty) return pl_fail_memory(error);
  double per_area = (lambda + 2 * mu) / (LAYER * pl_body_size(body));
  int n = mesh->nodes_per_face;
  for (int face = 0; face < mesh->face_count; face++) {
    double vector[3];
    pl_face_area(mesh->nodes, mesh->faces + n * face, n, vector);
    for (int a = 0; a < n; a++) {
      int node = body->place[mesh->faces[n * face + a]];
      // nodes that are blocks touch by themselves
      if (pl_model_node_block(body->model, node) >= 0) continue;
      body->penalty[node] += per_area * pl_vec3_norm(vector) / n;
    }
  }
  return PL_OK;
}

/* A touching node. */
typedef struct touch {
  double normal[3], push, friction;
} touch;

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

/* Calls for every obstacle that a node is inside of. */
typedef void each_touch(const pl_body *body, int node, const touch *at, const double *q,
                        const double *v, void *context);

static void visit_node(const pl_contact *contact, const pl_body *body, int node, const double x[3],
                       const double *q, const double *v, each_touch *call, void *context)
{
  for (size_t o = 0; o < contact->count; o++) {
    touch at = {.friction = pl_obstacle_friction(&contact->obstacles[o])};
    double gap = pl_obstacle_gap(&contact->obstacles[o], x, at.normal);
    if (!(gap < 0)) continue;
    at.push = -body->penalty[node] * gap;
    call(body, node, &at, q, v, context);
  }
}

static void visit(const pl_contact *contact, const double *q, const double *v, each_touch *call,
                  void *context)
{
  const pl_bodies *bodies = contact->base.bodies;
  for (size_t b = 0; b < bodies->count; b++) {
    const pl_body *body = &bodies->list[b];
    if (!body->penalty) continue;
    const double *own = q + 3 * body->offset, *x = pl_body_nodes(body, own, NULL);
    for (int n = 0; n < body->mesh->node_count; n++) {
      if (body->penalty[n] > 0)
        visit_node(contact, body, n, x + 3 * (size_t)n, own, v + 3 * body->offset, call, context);
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
    D[k] = with->kq * body->penalty[node] * across + drag * ((k % 4 == 0) - across);
  }
  pl_add_carried(with->A, body->offset, count, blocks, J, D);
}

void pl_penalty_evaluate(const pl_contact *contact, const pl_moment *at, double *f,
                         const pl_tangent *tangent)
{
  if (f) visit(contact, at->q, at->v, push, f);
  if (!tangent) return;
  stiffening with = {tangent->kq, tangent->kv, tangent->A};
  visit(contact, at->q, at->v, stiffen, &with);
}

void pl_penalty_mark(pl_contact *contact, const double *q, int fresh)
{
  const pl_bodies *bodies = contact->base.bodies;
  if (fresh) memset(contact->touched, 0, bodies->count);
  for (size_t b = 0; b < bodies->count; b++) {
    double depth;
    const pl_body *body = &bodies->list[b];
    if (pl_penalty_deepest(contact, body, q + 3 * body->offset, &depth) >= 0)
      contact->touched[b] = 1;
  }
}

int pl_penalty_deepest(const pl_contact *contact, const pl_body *body, const double *q,
                       double *depth)
{
  int deepest = -1;
  *depth = 0;
  if (!body->penalty || !contact->count) return -1;
  const double *x = pl_body_nodes(body, q, NULL);
  for (int n = 0; n < body->mesh->node_count; n++) {
    double normal[3];
    if (!(body->penalty[n] > 0)) continue;
    double gap = pl_contact_nearest(contact, x + 3 * (size_t)n, normal);
    if (!(-gap > *depth)) continue;
    *depth = -gap;
    deepest = body->order[n];
  }
  return deepest;
}
