/* Attachments: bodies that hold each other by springs between points that coincide at rest.
 *
 * A point x of the first body and its partner y of the second move with their blocks by
 * dx = sum J_a dq_a; g = x - y changes by J dq, with the second body's J taken negative. The spring
 * of length 0 stores E = k |g|^2 / 2, so that block a feels -k J_a^T g. The forces on both bodies
 * are opposite and act along the line between the points: together they exert no force and no
 * torque. -df/dq is k J^T J + k g . d^2x/dq^2. The first part is never indefinite; the second is
 * that of turning blocks, where r is what J turns: k ((g r^T + r g^T) / 2 - (g . r) I). It is exact
 * but for blended dual quaternions, and left out where a semidefinite matrix is wanted.
 *
 * A damper beside the spring resists the gap's rate J v by -c J_a^T J v, so that it takes the power
 * c |J v|^2; -df/dv is c J^T J, and that J changes with q is left out.
 *
 * A node of a body, a point inside its elements, and a point that a single frame carries (as if it
 * were rigid, or affine) are the three kinds of point; three points or more that do not lie on a
 * line hold the orientation as well. */
#include "couple/attachment.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

#define STIFF   30.0 /* times the shear modulus and size of the body, unless set */
#define ARM     0.1  /* of the body's size: points of a frame, unless set */
#define OUTSIDE 0.05 /* of the other body's size: how far outside a point may lie */

/* ---- forces ---- */

/* One end of a pair. */
static pl_body_point end_of(const pl_attachment *from, int side, int point)
{
  pl_body_point at = {.body = from->base.acts_on[side], .frame = from->frames[side]};
  pl_vec3_copy(from->points + 3 * point, at.at_rest);
  if (from->frames[side] >= 0) return at;
  if (side == 0) return pl_point_of_node(at.body, from->nodes[point]);
  at.count = from->embed->width;
  for (int a = 0; a < at.count; a++) {
    size_t place = (size_t)point * (size_t)at.count + (size_t)a;
    at.nodes[a] = from->embed->nodes[place];
    at.weights[a] = from->embed->weights[place];
  }
  return at;
}

void pl_attachment_gap(pl_attachment *from, int point, const double *q, double gap[3])
{
  pl_jacobian_clear(&from->jacobian);
  pl_vec3_set(gap, 0, 0, 0);
  for (int side = 0; side < 2; side++) {
    const pl_body_point at = end_of(from, side, point);
    pl_jacobian_add(&from->jacobian, &at, side ? -1 : 1, q, gap);
  }
}

/* Points that have broken are marked in the state. */
int pl_attachment_is_broken(const pl_attachment *from, int point)
{
  return from->base.memory && from->base.memory_count && from->base.memory[point] > 0;
}

int pl_attachment_may_break(const pl_coupling *coupling)
{
  return coupling->ops == &pl_coupling_attachment &&
         ((const pl_attachment *)coupling)->breaking > 0;
}

int pl_attachments_glue(const pl_couplings *all, const int bodies[2])
{
  for (size_t i = 0; i < all->count; i++) {
    const int *ends = all->list[i]->acts_on;
    const pl_attachment *glue = (const pl_attachment *)all->list[i];
    int is_theirs = (ends[0] == bodies[0] && ends[1] == bodies[1]) ||
                    (ends[1] == bodies[0] && ends[0] == bodies[1]);
    if (!is_theirs || !pl_attachment_may_break(all->list[i])) continue;
    for (int p = 0; p < glue->count; p++) {
      if (!pl_attachment_is_broken(glue, p)) return 1;
    }
  }
  return 0;
}

size_t pl_attachment_memory(const pl_coupling *self)
{
  const pl_attachment *from = (const pl_attachment *)self;
  return from->breaking > 0 ? (size_t)from->count : 0;
}

/* What pulled too hard at the end of a substep is released. */
static void finish(pl_coupling *self, const pl_substep *step)
{
  pl_attachment *from = (pl_attachment *)self;
  for (int p = 0; p < from->count && from->breaking > 0; p++) {
    double gap[3];
    pl_attachment_gap(from, p, step->q, gap);
    if (from->stiffness * pl_vec3_norm(gap) > from->breaking) self->memory[p] = 1;
  }
}

void pl_attachment_curve(const pl_jacobian *with, double k, const double gap[3], pl_bsr *A)
{
  for (int b = 0; b < with->count; b++) {
    const pl_body *body = pl_bodies_owner(with->bodies, with->blocks[b]);
    if (!pl_model_is_rotation(body->model, with->blocks[b] - body->offset)) continue;
    const double *J = with->J + 9 * b;
    const double r[3] = {0.5 * (J[5] - J[7]), 0.5 * (J[6] - J[2]), 0.5 * (J[1] - J[3])};
    double along = pl_vec3_dot(gap, r), *to = A->values + 9 * (size_t)A->diagonal[with->blocks[b]];
    for (int e = 0; e < 9; e++) {
      double both = gap[e / 3] * r[e % 3] + r[e / 3] * gap[e % 3];
      to[e] += k * (0.5 * both - (e % 4 == 0 ? along : 0));
    }
  }
}

static void stiffen(const pl_attachment *from, const double gap[3], const pl_tangent *tangent)
{
  double k = tangent->kq * from->stiffness, d = k + tangent->kv * from->damping;
  const double D[9] = {d, 0, 0, 0, d, 0, 0, 0, d};
  pl_jacobian_stiffen(&from->jacobian, D, tangent);
  if (!tangent->semidefinite) pl_attachment_curve(&from->jacobian, k, gap, tangent->A);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_attachment *from = (pl_attachment *)self;
  for (int p = 0; p < from->count; p++) {
    double gap[3], rate[3];
    if (pl_attachment_is_broken(from, p)) continue;
    pl_attachment_gap(from, p, at->q, gap);
    if (tangent) stiffen(from, gap, tangent);
    if (!f) continue;
    pl_jacobian_push(&from->jacobian, -from->stiffness, gap, f);
    if (from->damping == 0) continue;
    pl_jacobian_rate(&from->jacobian, at->v, rate);
    pl_jacobian_push(&from->jacobian, -from->damping, rate, f);
  }
}

/* Half of a spring's energy is the one body's, half the other's. */
static double energy(pl_coupling *self, const double *q, int body)
{
  pl_attachment *from = (pl_attachment *)self;
  double sum = 0;
  if (self->acts_on[0] != body && self->acts_on[1] != body) return 0;
  for (int p = 0; p < from->count; p++) {
    double gap[3];
    if (pl_attachment_is_broken(from, p)) continue;
    pl_attachment_gap(from, p, q, gap);
    sum += 0.25 * from->stiffness * pl_vec3_dot(gap, gap);
  }
  return sum;
}

int pl_attachment_grips(const pl_coupling *self, int body)
{
  return self->acts_on[0] == body || self->acts_on[1] == body;
}

/* ---- what the matrix must have room for ---- */

pl_status pl_attachment_cliques(pl_coupling *self, const double *q, pl_cliques **sets, int *count,
                                pl_error *error)
{
  pl_attachment *from = (pl_attachment *)self;
  size_t pairs = (size_t)from->count, used = 0;
  double gap[3];
  for (int p = 0; p < from->count; p++) {
    pl_attachment_gap(from, p, q, gap);
    used += (size_t)from->jacobian.count;
  }
  // the numbers stand behind the sets
  *sets = pl_alloc(self->bodies->allocator, 1, pairs * sizeof **sets + used * sizeof(int));
  if (!*sets) return pl_fail_memory(error);
  int *nodes = (int *)(*sets + pairs);
  for (int p = 0; p < from->count; p++) {
    pl_attachment_gap(from, p, q, gap);
    int own = from->jacobian.count;
    memcpy(nodes, from->jacobian.blocks, (size_t)own * sizeof *nodes);
    (*sets)[p] = (pl_cliques){.count = 1, .size = own, .nodes = nodes, .offset = 0};
    nodes += own;
  }
  *count = from->count;
  return PL_OK;
}

/* ---- making one ---- */

static pl_status check_frame(const pl_body *body, int frame, pl_error *error)
{
  int count = body->model->frame_count - body->sites.inserted;
  if (frame == -1) return PL_OK;
  if (body->model->frame_count == 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" is not made of frames, so it has no frame %d", body->name,
                   frame + 1);
  if (frame >= 0 && frame < count) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "body \"%.80s\" has no frame %d; its frames are 1 to %d",
                 body->name, frame + 1, count);
}

static pl_status check_numbers(const pl_attachment_def *def, pl_error *error)
{
  if (!(def->stiffness >= 0 && def->stiffness <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the stiffness of an attachment = %g must lie between 0 and 1e+15",
                   def->stiffness);
  if (!(def->damping >= 0 && def->damping <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the damping of an attachment = %g must lie between 0 and 1e+15", def->damping);
  if (!(def->breaking >= 0 && def->breaking <= 1e15) || (def->exact && def->breaking > 0))
    return pl_fail(
        error, PL_E_ARGUMENT,
        "the breaking force of an attachment = %g must lie between 0 and 1e+15, and be 0 "
        "of exact ones, which do not break",
        def->breaking);
  return PL_OK;
}

static pl_status check(const pl_attachment_def *def, const pl_body *body, const pl_body *other,
                       pl_error *error)
{
  pl_status status = check_numbers(def, error);
  if (status) return status;
  if (body == other)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" cannot be attached to itself; name another body", body->name);
  if (!(def->arm == -1 || (def->arm >= 0 && def->arm <= 1e9)))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the arm of an attachment = %g must lie between 0 and 1e+09", def->arm);
  if (def->exact && (def->stiffness != 0 || def->damping != 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "an exact attachment has no stiffness or damping; leave out stiffness = %g and "
                   "damping = %g, or exact",
                   def->stiffness, def->damping);
  if (def->frame >= 0 && def->where_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a frame is attached as a whole; leave out its regions, or the frame");
  if (def->frame < 0 && !def->where_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "nothing of body \"%.80s\" is attached; give a region of nodes or a frame",
                   body->name);
  // sheets hold what lies on them; a surface around something does not
  if (other->mesh->nodes_per_element == 3 && !(other->model->thickness > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" is of triangles and has no inside; attach its nodes to body "
                   "\"%.80s\" instead",
                   other->name, body->name);
  status = check_frame(body, def->frame, error);
  return status ? status : check_frame(other, def->to_frame, error);
}

/* The nodes in the regions. */
static pl_status take_nodes(const pl_allocator *allocator, const pl_body *body,
                            const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  int count = 0;
  unsigned char *chosen = pl_alloc(allocator, (size_t)body->mesh->node_count, 1);
  if (!chosen) return pl_fail_memory(error);
  pl_status status =
      pl_mesh_select_nodes(body->mesh, def->where, def->where_count, chosen, &count, error);
  if (!status && !count) status = pl_body_refuse_region(body, "node", def->where_count, error);
  if (!status) {
    to->nodes = pl_alloc(allocator, (size_t)count, sizeof *to->nodes);
    to->points = pl_alloc(allocator, (size_t)count * 3, sizeof *to->points);
    if (!to->nodes || !to->points) status = pl_fail_memory(error);
  }
  for (int i = 0; !status && i < body->mesh->node_count; i++) {
    if (!chosen[body->order[i]]) continue;
    pl_vec3_copy(body->rest + 3 * i, to->points + 3 * to->count);
    to->nodes[to->count++] = i;
  }
  pl_free(allocator, chosen);
  return status;
}

/* Six points around a frame, or the frame's own place. */
static pl_status take_frame(const pl_allocator *allocator, const pl_body *body,
                            const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  double arm = def->arm >= 0 ? def->arm : ARM * pl_body_size(body);
  to->count = arm > 0 ? 6 : 1;
  to->points = pl_alloc(allocator, (size_t)to->count * 3, sizeof *to->points);
  if (!to->points) return pl_fail_memory(error);
  for (int i = 0; i < to->count; i++) {
    pl_vec3_copy(body->model->frames_at + 3 * def->frame, to->points + 3 * i);
    to->points[3 * i + i / 2] += i % 2 ? -arm : arm;
  }
  return PL_OK;
}

/* The other body must be where the points are; those of a frame are moved into it, the frame's own
 * place may not lie outside. */
static pl_status meet(const pl_body *body, const pl_body *other, const pl_attachment_def *def,
                      pl_attachment *to, pl_error *error)
{
  double max = OUTSIDE * pl_body_size(other);
  pl_anchor anchor;
  if (def->frame >= 0) {
    const double *at = body->model->frames_at + 3 * def->frame;
    pl_status status = pl_mesh_locate(other->mesh, at, &anchor, error);
    if (!status && anchor.distance > max)
      status =
          pl_fail(error, PL_E_ARGUMENT,
                  "frame %d of body \"%.80s\", at (%g, %g, %g), lies %.3g m outside body "
                  "\"%.80s\"; move it into that, or attach it to one of its frames",
                  def->frame + 1, body->name, at[0], at[1], at[2], anchor.distance, other->name);
    if (status) return status;
  }
  for (int i = 0; i < to->count; i++) {
    double *at = to->points + 3 * i;
    pl_status status = pl_mesh_locate(other->mesh, at, &anchor, error);
    if (status) return status;
    if (def->frame >= 0) {
      pl_vec3_set(at, 0, 0, 0);
      for (int a = 0; a < anchor.count; a++)
        pl_vec3_add_scaled(anchor.weights[a], other->mesh->nodes + 3 * anchor.nodes[a], at);
    } else if (anchor.distance > max) {
      return pl_fail_entity(error, PL_E_ARGUMENT, body->order[to->nodes[i]],
                            "node %d of body \"%.80s\", at (%g, %g, %g), lies %.3g m outside body "
                            "\"%.80s\"; attach only nodes that lie in it, or attach to one of its "
                            "frames",
                            body->order[to->nodes[i]], body->name, at[0], at[1], at[2],
                            anchor.distance, other->name);
    }
  }
  return PL_OK;
}

/* Each point's share; stiff against the body unless set. */
static pl_status choose_stiffness(const pl_body *body, const pl_attachment_def *def,
                                  pl_attachment *to, pl_error *error)
{
  double lambda, mu, whole = def->stiffness;
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (status) return status;
  if (whole == 0) whole = STIFF * mu * pl_body_size(body);
  to->stiffness = whole / to->count;
  to->damping = def->damping / to->count;
  to->breaking = def->breaking / to->count;
  return PL_OK;
}

/* Where the points are in the other body's elements. */
static pl_status embed(const pl_bodies *bodies, const pl_body *other, pl_attachment *to,
                       pl_error *error)
{
  int is_dropped = !other->inside->elements;
  pl_status status = pl_body_recall_elements(other, error);
  if (!status)
    status =
        pl_embed_create(other->inside, to->count, to->points, bodies->allocator, &to->embed, error);
  if (is_dropped) pl_body_drop_elements(other);
  return status;
}

static pl_status fill(const pl_bodies *bodies, const pl_body *body, const pl_body *other,
                      const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  pl_status status = def->frame >= 0 ? take_frame(bodies->allocator, body, def, to, error)
                                     : take_nodes(bodies->allocator, body, def, to, error);
  if (!status && def->to_frame < 0) {
    status = meet(body, other, def, to, error);
    if (!status) status = embed(bodies, other, to, error);
  }
  if (!status && !def->exact) status = choose_stiffness(body, def, to, error);
  return status ? status : pl_jacobian_create(bodies, 2, &to->jacobian, error);
}

pl_status pl_attachment_take(pl_attachment *to, const pl_attachment_def *def, pl_error *error)
{
  const pl_bodies *bodies = to->base.bodies;
  const pl_body *body = &bodies->list[to->base.acts_on[0]];
  pl_status status = check_numbers(def, error);
  to->frames[0] = to->frames[1] = -1;
  if (!status) status = take_nodes(bodies->allocator, body, def, to, error);
  if (!status) status = choose_stiffness(body, def, to, error);
  return status ? status : pl_jacobian_create(bodies, 1, &to->jacobian, error);
}

pl_status pl_attachment_make(pl_attachment *attachment, const pl_attachment_def *def,
                             pl_error *error)
{
  const pl_bodies *bodies = attachment->base.bodies;
  const pl_body *body = &bodies->list[attachment->base.acts_on[0]];
  const pl_body *other = &bodies->list[attachment->base.acts_on[1]];
  pl_status status = check(def, body, other, error);
  if (status) return status;
  attachment->frames[0] = def->frame;
  attachment->frames[1] = def->to_frame;
  return fill(bodies, body, other, def, attachment, error);
}

void pl_attachment_destroy(pl_coupling *self)
{
  pl_attachment *attachment = (pl_attachment *)self;
  pl_free(self->bodies->allocator, attachment->points);
  pl_free(self->bodies->allocator, attachment->nodes);
  pl_free(self->bodies->allocator, attachment->shift);
  pl_free(self->bodies->allocator, attachment->row);
  pl_embed_destroy(attachment->embed);
  pl_jacobian_release(&attachment->jacobian);
}

const pl_coupling_ops pl_coupling_attachment = {
    .info = {"attachment", "springs that hold two bodies together at points", "", NULL, 0, NULL},
    .is_internal = 1,
    .size = sizeof(pl_attachment),
    .destroy = pl_attachment_destroy,
    .cliques = pl_attachment_cliques,
    .memory = pl_attachment_memory,
    .evaluate = evaluate,
    .finish = finish,
    .energy = energy,
    .grips = pl_attachment_grips,
};
