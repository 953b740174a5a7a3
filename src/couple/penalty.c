/* The elastic layer on bodies whose nodes are carried by other blocks. */
#include "couple/penalty.h"

#include "body/points.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define LAYER 0.02  /* thickness of the layer, as a part of the body's size */
#define CREEP 0.005 /* m/s: friction is weaker than Coulomb's below about this speed */

/* Segments are as wide as they are thick. */
static void share_segments(pl_body *body, double per_area, int all)
{
  const pl_mesh *mesh = body->mesh;
  for (int i = 0; mesh->nodes_per_element == 2 && i < 2 * mesh->element_count; i++) {
    const int *ends = mesh->elements + i / 2 * 2;
    double length = pl_element_volume(mesh->nodes, ends, 2);
    int node = body->place[mesh->elements[i]];
    if (!all && pl_model_node_block(body->model, node) >= 0) continue;
    body->penalty[node] += per_area * length * body->model->thickness / 2;
  }
}

pl_status pl_penalty_make(const pl_bodies *bodies, pl_body *body, int all, pl_error *error)
{
  if (body->model->ops->is_rigid) return PL_OK; // couple/collision.h
  if (body->penalty || (!all && !body->model->ops->nodes)) return PL_OK;
  const pl_mesh *mesh = body->mesh;
  double lambda, mu;
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (status) return status;
  body->penalty = pl_alloc(bodies->allocator, (size_t)mesh->node_count, sizeof *body->penalty);
  if (!body->penalty) return pl_fail_memory(error);
  double per_area = (lambda + 2 * mu) / (LAYER * pl_body_size(body));
  share_segments(body, per_area, all);
  int n = mesh->nodes_per_face;
  for (int face = 0; face < mesh->face_count; face++) {
    double vector[3];
    pl_face_area(mesh->nodes, mesh->faces + n * face, n, vector);
    for (int a = 0; a < n; a++) {
      int node = body->place[mesh->faces[n * face + a]];
      // nodes that are blocks touch by themselves
      if (!all && pl_model_node_block(body->model, node) >= 0) continue;
      body->penalty[node] += per_area * pl_vec3_norm(vector) / n;
    }
  }
  return PL_OK;
}

/* A touching node. */
typedef struct touch {
  int obstacle;
  double x[3], gap;
  double normal[3], push, slope, friction; /* slope: -d push / d gap, N/m */
  double velocity[3];                      /* of the obstacle there */
  double bend[9]; /* stiffness by the surface's curvature, N/m: of hollow sides only */
} touch;

/* Its velocity, and how it moves with its blocks; *blocks may become node. */
static int relate(const pl_body *body, const double *q, const double *v, const int *node,
                  const int **blocks, double *J, double speed[3])
{
  int count = pl_body_jacobian(body, q, node, blocks, NULL, J);
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
  pl_vec3_sub(speed, at->velocity, along);
  pl_vec3_add_scaled(-pl_vec3_dot(along, at->normal), at->normal, along);
  return at->friction * at->push / sqrt(pl_vec3_dot(along, along) + CREEP * CREEP);
}

/* Calls for every obstacle that a node is inside of. */
typedef void each_touch(const pl_body *body, int node, const touch *at, const double *q,
                        const double *v, void *context);
typedef void each_node(const pl_contact *contact, const pl_body *body, int node, const double x[3],
                       const double *q, const double *v, each_touch *call, void *context);

/* -dF/dx of F = -k gap n has the part k gap H beside k n n^T: with gap < 0 it is positive where the
 * surface is hollow, H < 0, and is left out where it is not. */
static void find_bend(double k_gap, const double *hessian, double bend[9])
{
  double trace = hessian[0] + hessian[4] + hessian[8], squares = 0;
  for (int k = 0; k < 9; k++) squares += hessian[k] * hessian[k];
  // two curvatures of the same sign: their product is not negative
  int hollow = trace < 0 && trace * trace >= squares;
  for (int k = 0; k < 9; k++) bend[k] = hollow ? k_gap * hessian[k] : 0;
}

/* The layer's law: linear unless the response has its own. */
static void press(const pl_contact *contact, const pl_body *body, int node, int leaves, touch *at)
{
  double k = body->penalty[node];
  const pl_contact_rule *rule = contact->rule;
  const pl_contact_node here = {
      .gap = at->gap, .stiffness = k, .size = pl_body_size(body), .leaves = leaves};
  at->push = -k * at->gap;
  at->slope = k;
  if (rule && rule->push) at->push = rule->push(contact->values, &here, &at->slope);
}

static double reach_of(const pl_contact *contact, const pl_body *body)
{
  const pl_contact_rule *rule = contact->rule;
  return rule && rule->reach ? rule->reach(contact->values, pl_body_size(body)) : 0;
}

/* Where the nodes of a body begin among those of all. */
static size_t first_node(const pl_contact *contact, const pl_body *body)
{
  size_t sum = 0;
  for (const pl_body *at = contact->base.bodies->list; at < body; at++)
    sum += (size_t)at->mesh->node_count;
  return sum;
}

static void visit_node(const pl_contact *contact, const pl_body *body, int node, const double x[3],
                       const double *q, const double *v, each_touch *call, void *context)
{
  double reach = reach_of(contact, body);
  int leaves = contact->leaves[first_node(contact, body) + (size_t)node];
  for (size_t o = 0; o < contact->count; o++) {
    const pl_obstacle *obstacle = &contact->obstacles[o];
    touch at = {.obstacle = (int)o, .friction = pl_obstacle_friction(obstacle)};
    double hessian[9];
    double gap = pl_obstacle_gap_in(obstacle, &obstacle->mid, x, at.normal, hessian);
    if (!(gap < reach)) continue;
    at.gap = gap;
    pl_vec3_copy(x, at.x);
    press(contact, body, node, leaves, &at);
    pl_axes_velocity(&obstacle->mid, x, at.velocity);
    find_bend(-at.push, hessian, at.bend);
    call(body, node, &at, q, v, context);
  }
}

/* Calls for every node of the layer; q and v begin at its body's blocks. */
static void visit_layer(const pl_contact *contact, const double *q, const double *v,
                        each_node *visit, each_touch *call, void *context)
{
  const pl_bodies *bodies = contact->base.bodies;
  for (size_t b = 0; b < bodies->count; b++) {
    const pl_body *body = &bodies->list[b];
    if (!body->penalty) continue;
    const double *own = q + 3 * body->offset;
    const pl_node_reader nodes = pl_node_reader_at(body, own);
    for (int n = 0; n < body->mesh->node_count; n++) {
      double x[3];
      if (!(body->penalty[n] > 0)) continue;
      pl_node_read(&nodes, n, x);
      visit(contact, body, n, x, own, v + 3 * body->offset, call, context);
    }
  }
}

static void visit(const pl_contact *contact, const double *q, const double *v, each_touch *call,
                  void *context)
{
  visit_layer(contact, q, v, visit_node, call, context);
}

/* Normal force and friction. */
static void find_force(const touch *at, const double speed[3], double force[3])
{
  double along[3];
  pl_vec3_scale(at->push, at->normal, force);
  double drag = resistance(at, speed, along);
  pl_vec3_add_scaled(-drag, along, force);
}

/* How a touching node moves with its blocks. */
typedef struct relation {
  int count;
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], speed[3];
} relation;

static void push(const pl_body *body, const touch *at, const relation *by, double *f)
{
  double force[3], part[3];
  find_force(at, by->speed, force);
  for (int b = 0; b < by->count; b++) {
    pl_mat3_apply_t(by->J + 9 * b, force, part);
    double *to = f + 3 * (body->offset + by->blocks[b]);
    pl_vec3_add(to, part, to);
  }
}

static void stiffen(const pl_body *body, const touch *at, const relation *by, const pl_tangent *to)
{
  double along[3], D[9];
  double drag = to->kv * resistance(at, by->speed, along);
  for (int k = 0; k < 9; k++) {
    double across = at->normal[k / 3] * at->normal[k % 3];
    D[k] = to->kq * at->slope * across + to->kq * at->bend[k] + drag * ((k % 4 == 0) - across);
  }
  pl_add_carried(to, body->offset, by->count, by->blocks, by->J, D);
}

/* What a touching node adds to; either may be NULL. */
typedef struct sums {
  double *f;
  const pl_tangent *tangent;
} sums;

static void react(const pl_body *body, int node, const touch *at, const double *q, const double *v,
                  void *context)
{
  const sums *to = context;
  relation by;
  by.count = relate(body, q, v, &node, &by.blocks, by.J, by.speed);
  if (to->f) push(body, at, &by, to->f);
  if (to->tangent) stiffen(body, at, &by, to->tangent);
}

static void place_obstacles(const pl_contact *contact, double t)
{
  for (size_t o = 0; o < contact->count; o++) {
    pl_obstacle *obstacle = &contact->obstacles[o];
    if (obstacle->is_placed) pl_obstacle_axes(obstacle, t, &obstacle->mid);
  }
}

void pl_penalty_evaluate(const pl_contact *contact, const pl_moment *at, double *f,
                         const pl_tangent *tangent)
{
  place_obstacles(contact, at->t);
  sums to = {f, tangent};
  visit(contact, at->q, at->v, react, &to);
}

typedef struct listing {
  const pl_contact *contact;
  const pl_meeting_sink *to;
} listing;

static void list_node(const pl_body *body, int node, const touch *at, const double *q,
                      const double *v, void *context)
{
  const listing *all = context;
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], speed[3];
  pl_meeting meeting = {.body = (int)(body - all->contact->base.bodies->list),
                        .other = -1,
                        .obstacle = at->obstacle,
                        .at = {.gap = at->gap}};
  (void)relate(body, q, v, &node, &blocks, J, speed);
  pl_vec3_copy(at->normal, meeting.at.normal);
  find_force(at, speed, meeting.at.force);
  pl_meeting_place(&meeting, at->x, speed, &all->contact->obstacles[at->obstacle].mid);
  all->to->take(all->to->context, &meeting);
}

void pl_penalty_contacts(const pl_contact *contact, const pl_moment *at, const pl_meeting_sink *to)
{
  listing all = {contact, to};
  place_obstacles(contact, at->t);
  visit(contact, at->q, at->v, list_node, &all);
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

static void leave_node(const pl_contact *contact, const pl_body *body, int node, const double x[3],
                       const double *q, const double *v, each_touch *call, void *context)
{
  (void)call, (void)context;
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], speed[3], normal[3], w[3];
  unsigned char *leaves = contact->leaves + first_node(contact, body) + node;
  *leaves = 0;
  for (size_t o = 0; o < contact->count; o++) {
    const pl_obstacle *obstacle = &contact->obstacles[o];
    if (!(pl_obstacle_gap_in(obstacle, &obstacle->start, x, normal, NULL) < 0)) continue;
    (void)relate(body, q, v, &node, &blocks, J, speed);
    pl_axes_velocity(&obstacle->start, x, w);
    pl_vec3_sub(speed, w, w);
    *leaves |= pl_vec3_dot(normal, w) > 0;
  }
}

void pl_penalty_leave(const pl_contact *contact, const double *q, const double *v)
{
  if (contact->rule && contact->rule->push) visit_layer(contact, q, v, leave_node, NULL, NULL);
}

int pl_penalty_deepest(const pl_contact *contact, const pl_body *body, const double *q,
                       double *depth)
{
  int deepest = -1;
  *depth = 0;
  if (!body->penalty || !contact->count) return -1;
  const pl_node_reader nodes = pl_node_reader_at(body, q);
  for (int n = 0; n < body->mesh->node_count; n++) {
    double x[3], normal[3];
    if (!(body->penalty[n] > 0)) continue;
    pl_node_read(&nodes, n, x);
    double gap = pl_contact_nearest(contact, x, normal);
    if (!(-gap > *depth)) continue;
    *depth = -gap;
    deepest = body->order[n];
  }
  return deepest;
}
