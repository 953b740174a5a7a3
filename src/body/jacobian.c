/* Sums of points that move with bodies; points.h says what is computed. */
#include "body/points.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double min_share = 1e-12; /* of a point: nodes with less of it do not carry it */

pl_status pl_jacobian_create(const pl_bodies *bodies, int points, pl_jacobian *to, pl_error *error)
{
  size_t room = (size_t)points * PL_MOST_CARRIERS;
  *to = (pl_jacobian){.bodies = bodies, .room = (int)room};
  to->blocks = pl_alloc(bodies->allocator, room, sizeof *to->blocks);
  to->J = pl_alloc(bodies->allocator, 9 * room, sizeof *to->J);
  to->one = pl_alloc(bodies->allocator, 9 * PL_MOST_CARRIERS, sizeof *to->one);
  if (to->blocks && to->J && to->one) return PL_OK;
  pl_jacobian_release(to);
  return pl_fail_memory(error);
}

void pl_jacobian_release(pl_jacobian *jacobian)
{
  if (!jacobian->bodies) return;
  const pl_allocator *allocator = jacobian->bodies->allocator;
  pl_free(allocator, jacobian->blocks);
  pl_free(allocator, jacobian->J);
  pl_free(allocator, jacobian->one);
  *jacobian = (pl_jacobian){0};
}

void pl_jacobian_clear(pl_jacobian *to) { to->count = 0; }

/* Adds a share of the point that moves with a block by J. */
static void add_block(pl_jacobian *to, int block, double share, const double J[9])
{
  double turned[9];
  int at = 0;
  if (to->turn) pl_mat3_multiply(to->turn, J, turned);
  while (at < to->count && to->blocks[at] != block) at++;
  if (at == to->count) {
    to->blocks[to->count++] = block;
    memset(to->J + 9 * (size_t)at, 0, 9 * sizeof *J);
  }
  for (int k = 0; k < 9; k++)
    to->J[9 * (size_t)at + (size_t)k] += share * (to->turn ? turned : J)[k];
}

static void add_node(pl_jacobian *to, const pl_body *body, int node, double share, const double *q,
                     double x[3])
{
  const int *blocks;
  double at[3];
  int count = pl_body_jacobian(body, q + 3 * body->offset, &node, &blocks, at, to->one);
  pl_vec3_add_scaled(share, at, x);
  for (int b = 0; b < count; b++) add_block(to, body->offset + blocks[b], share, to->one + 9 * b);
}

static void add_frame(pl_jacobian *to, const pl_body *body, const pl_body_point *point, double sign,
                      const double *q, double x[3])
{
  int per = body->blocks / body->model->frame_count, block = body->offset + per * point->frame;
  double at[3];
  body->model->ops->frame.ride(body->model, q + 3 * body->offset, point->frame, point->at_rest, at,
                               to->one);
  pl_vec3_add_scaled(sign, at, x);
  for (int b = 0; b < per; b++) add_block(to, block + b, sign, to->one + 9 * b);
}

void pl_jacobian_add(pl_jacobian *to, const pl_body_point *point, double sign, const double *q,
                     double x[3])
{
  const pl_body *body = &to->bodies->list[point->body];
  if (!point->count) add_frame(to, body, point, sign, q, x);
  for (int a = 0; a < point->count; a++) {
    if (fabs(point->weights[a]) > min_share)
      add_node(to, body, point->nodes[a], sign * point->weights[a], q, x);
  }
}

void pl_jacobian_add_turned(pl_jacobian *to, const pl_body_point *point, const double turn[9],
                            const double *q)
{
  double ignored[3] = {0};
  to->turn = turn;
  pl_jacobian_add(to, point, 1, q, ignored);
  to->turn = NULL;
}

void pl_jacobian_rate(const pl_jacobian *jacobian, const double *v, double rate[3])
{
  pl_vec3_set(rate, 0, 0, 0);
  for (int b = 0; b < jacobian->count; b++) {
    double part[3];
    pl_mat3_apply(jacobian->J + 9 * b, v + 3 * jacobian->blocks[b], part);
    pl_vec3_add(rate, part, rate);
  }
}

void pl_jacobian_push(const pl_jacobian *jacobian, double scale, const double force[3], double *f)
{
  for (int b = 0; b < jacobian->count; b++) {
    double part[3];
    pl_mat3_apply_t(jacobian->J + 9 * b, force, part);
    pl_vec3_add_scaled(scale, part, f + 3 * jacobian->blocks[b]);
  }
}

void pl_jacobian_stiffen(const pl_jacobian *jacobian, const double D[9], const pl_tangent *to)
{
  const pl_stencil stencil = {
      .count = jacobian->count, .blocks = jacobian->blocks, .C = jacobian->J, .D = D};
  (void)pl_stencil_put(to->A, to->extra, &stencil); // one that is refused makes the step repeat
}

pl_body_point pl_point_of_node(int body, int node)
{
  return (pl_body_point){.body = body, .count = 1, .nodes = {node}, .weights = {1}};
}
