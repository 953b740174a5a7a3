/* Moorings: springs between nodes of a body and an obstacle.
 *
 * A node x that is held belongs to the place y(t) that coincides with it at rest and moves with the
 * obstacle; its gap is g = x - y. One that slides keeps its distance d from the surface: with the
 * signed distance s(x) and its gradient n, the gap is g = (s - d) n. The spring stores k |g|^2 / 2
 * and exerts -k g; a damper resists its rate against the obstacle, w, by -c w, or -c n n^T w where
 * it slides. -df/dx is k I, or k (n n^T + (s - d) H) with the Hessian H of the distance, whose part
 * is left out where a semidefinite matrix is wanted. Two moorings of a node that slide on two
 * surfaces keep it on the curve in which these meet.
 *
 * Nodes that are moored do not touch obstacles by constraint rows until their spring has broken. */
#include "couple/mooring.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const pl_obstacle *obstacle_of(const pl_mooring *mooring)
{
  const pl_obstacle *at = mooring->contact->obstacles;
  while (at->slot != mooring->obstacle) at++;
  return at;
}

/* What a spring is at some place. */
typedef struct strain {
  double x[3], gap[3], normal[3], H[9], off;
  pl_axes axes;
} strain;

static void look(pl_mooring *mooring, int point, double t, const double *q, strain *to)
{
  const pl_obstacle *obstacle = obstacle_of(mooring);
  const pl_body_point at = pl_point_of_node(mooring->is.base.acts_on[0], mooring->is.nodes[point]);
  double own[3], n[3], half[9];
  mooring->t = t;
  pl_vec3_set(to->x, 0, 0, 0);
  pl_jacobian_clear(&mooring->is.jacobian);
  pl_jacobian_add(&mooring->is.jacobian, &at, 1, q, to->x);
  pl_obstacle_axes(obstacle, t, &to->axes);
  if (!mooring->slides) {
    pl_axes_point(&to->axes, mooring->own + 3 * point, own);
    pl_vec3_sub(to->x, own, to->gap);
    return;
  }
  pl_axes_own(&to->axes, to->x, own);
  to->off = pl_shape_gap(obstacle->shape, own, n, to->H) - mooring->away[point];
  pl_mat3_apply(to->axes.place.R, n, to->normal);
  pl_mat3_multiply(to->axes.place.R, to->H, half);
  pl_mat3_multiply_nt(half, to->axes.place.R, to->H);
  pl_vec3_scale(to->off, to->normal, to->gap);
}

/* The velocity that the damper resists. */
static void find_rate(const pl_mooring *mooring, const strain *at, const double *v, double rate[3])
{
  double with[3];
  pl_jacobian_rate(&mooring->is.jacobian, v, rate);
  pl_axes_velocity(&at->axes, at->x, with);
  pl_vec3_sub(rate, with, rate);
  if (mooring->slides) pl_vec3_scale(pl_vec3_dot(at->normal, rate), at->normal, rate);
}

static void stiffen(const pl_mooring *mooring, const strain *at, const pl_tangent *tangent)
{
  double k = tangent->kq * mooring->is.stiffness, d = k + tangent->kv * mooring->is.damping, D[9];
  for (int e = 0; e < 9; e++) {
    D[e] = e % 4 == 0 ? d : 0;
    if (!mooring->slides) continue;
    D[e] = d * at->normal[e / 3] * at->normal[e % 3];
    if (!tangent->semidefinite) D[e] += k * at->off * at->H[e];
  }
  pl_jacobian_stiffen(&mooring->is.jacobian, D, tangent);
  if (!tangent->semidefinite) pl_attachment_curve(&mooring->is.jacobian, k, at->gap, tangent->A);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_mooring *mooring = (pl_mooring *)self;
  for (int p = 0; p < mooring->is.count; p++) {
    strain here;
    double rate[3];
    if (pl_attachment_is_broken(&mooring->is, p)) continue;
    look(mooring, p, at->t, at->q, &here);
    if (tangent) stiffen(mooring, &here, tangent);
    if (!f) continue;
    pl_jacobian_push(&mooring->is.jacobian, -mooring->is.stiffness, here.gap, f);
    if (mooring->is.damping == 0) continue;
    find_rate(mooring, &here, at->v, rate);
    pl_jacobian_push(&mooring->is.jacobian, -mooring->is.damping, rate, f);
  }
}

void pl_mooring_read(pl_mooring *mooring, int point, const pl_moment *at, double gap[3],
                     double force[3])
{
  strain here;
  double rate[3];
  look(mooring, point, at->t, at->q, &here);
  find_rate(mooring, &here, at->v, rate);
  pl_vec3_copy(here.gap, gap);
  pl_vec3_add_scaled(-mooring->is.stiffness, here.gap, force);
  pl_vec3_add_scaled(-mooring->is.damping, rate, force);
}

static double energy(pl_coupling *self, const double *q, int body)
{
  pl_mooring *mooring = (pl_mooring *)self;
  double sum = 0;
  for (int p = 0; p < mooring->is.count && self->acts_on[0] == body; p++) {
    strain here;
    if (pl_attachment_is_broken(&mooring->is, p)) continue;
    look(mooring, p, mooring->t, q, &here);
    sum += 0.5 * mooring->is.stiffness * pl_vec3_dot(here.gap, here.gap);
  }
  return sum;
}

/* ---- a substep ---- */

static pl_status prepare(pl_coupling *self, pl_error *error)
{
  pl_mooring *mooring = (pl_mooring *)self;
  (void)error;
  memset(mooring->spare, 0, (size_t)mooring->is.count);
  return PL_OK;
}

/* Contact, which comes after, leaves out the nodes that are moored. */
static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_mooring *mooring = (pl_mooring *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  mooring->t = step->t + step->h;
  for (int p = 0; p < mooring->is.count; p++) {
    int block = pl_model_node_block(body->model, mooring->is.nodes[p]);
    int broken = pl_attachment_is_broken(&mooring->is, p);
    if (block < 0 || mooring->spare[p] == !broken) continue;
    unsigned char *touches = &mooring->contact->is_point[body->offset + block];
    if (!broken && !*touches) continue;
    *touches = (unsigned char)broken;
    mooring->spare[p] = (unsigned char)!broken;
  }
}

static void finish(pl_coupling *self, const pl_substep *step)
{
  pl_mooring *mooring = (pl_mooring *)self;
  for (int p = 0; p < mooring->is.count && mooring->is.breaking > 0; p++) {
    strain here;
    look(mooring, p, step->t + step->h, step->q, &here);
    if (mooring->is.stiffness * pl_vec3_norm(here.gap) > mooring->is.breaking) self->memory[p] = 1;
  }
}

static int grips(const pl_coupling *self, int body) { return self->acts_on[0] == body; }

/* ---- making one ---- */

static pl_status check(const pl_attachment_def *def, const pl_body *body, pl_error *error)
{
  if (def->to.index1)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" is attached to a body and an obstacle at once; name one of them",
                   body->name);
  if (def->exact)
    return pl_fail(error, PL_E_ARGUMENT,
                   "an attachment to an obstacle has springs; leave out exact, or fix the nodes");
  if (def->frame >= 0 || def->to_frame >= 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "nodes are attached to obstacles, not frames; give a region of nodes");
  return PL_OK;
}

/* Where each node belongs. */
static pl_status place(pl_mooring *mooring, double t, pl_error *error)
{
  const pl_allocator *allocator = mooring->is.base.bodies->allocator;
  const pl_obstacle *obstacle = obstacle_of(mooring);
  size_t count = (size_t)mooring->is.count;
  double normal[3];
  pl_axes axes;
  mooring->own = pl_alloc(allocator, 3 * count, sizeof *mooring->own);
  mooring->away = pl_alloc(allocator, count, sizeof *mooring->away);
  mooring->spare = pl_alloc(allocator, count, 1);
  if (!mooring->own || !mooring->away || !mooring->spare) return pl_fail_memory(error);
  pl_obstacle_axes(obstacle, t, &axes);
  for (size_t p = 0; p < count; p++) {
    pl_axes_own(&axes, mooring->is.points + 3 * p, mooring->own + 3 * p);
    mooring->away[p] = pl_shape_gap(obstacle->shape, mooring->own + 3 * p, normal, NULL);
    if (mooring->slides && !isfinite(mooring->away[p]))
      return pl_fail(
          error, PL_E_ARGUMENT,
          "a node that is to slide along obstacle \"%.80s\" has no distance to it; choose "
          "nodes beside it",
          obstacle->name);
  }
  return PL_OK;
}

pl_status pl_mooring_make(pl_mooring *mooring, const pl_attachment_def *def, pl_contact *contact,
                          double t, pl_error *error)
{
  const pl_body *body = &mooring->is.base.bodies->list[mooring->is.base.acts_on[0]];
  mooring->contact = contact;
  mooring->obstacle = def->obstacle.index1 - 1;
  mooring->slides = def->slides;
  mooring->t = t;
  pl_status status = check(def, body, error);
  if (!status) status = pl_attachment_take(&mooring->is, def, error);
  return status ? status : place(mooring, t, error);
}

static void destroy(pl_coupling *self)
{
  pl_mooring *mooring = (pl_mooring *)self;
  pl_free(self->bodies->allocator, mooring->own);
  pl_free(self->bodies->allocator, mooring->away);
  pl_free(self->bodies->allocator, mooring->spare);
  pl_attachment_destroy(self);
}

const pl_coupling_ops pl_coupling_mooring = {
    .info = {"mooring", "springs that hold nodes of a body at an obstacle, or along its surface",
             "", NULL, 0, NULL},
    .is_internal = 1,
    .makes_pairs = 1,
    .size = sizeof(pl_mooring),
    .destroy = destroy,
    .prepare = prepare,
    .memory = pl_attachment_memory,
    .begin = begin,
    .evaluate = evaluate,
    .finish = finish,
    .energy = energy,
    .grips = grips,
};
