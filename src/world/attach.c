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
#include "world/attach.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define STIFF       30.0  /* times the shear modulus and size of the body, unless told */
#define ARM         0.1   /* of the body's size: points of a frame, unless told */
#define OUTSIDE     0.05  /* of the other body's size: how far outside a point may lie */
#define LEAST_SHARE 1e-12 /* of a point: nodes with less of it do not carry it */

struct pl_coupling {
  int count, blocks[2 * PL_MOST_CARRIERS]; /* the first body's, then the second's */
  double J[2 * PL_MOST_CARRIERS][9], one[PL_MOST_CARRIERS][9];
};

pl_attachment_def pl_attachment_def_default(void)
{
  return (pl_attachment_def){.frame = -1, .to_frame = -1, .arm = -1, .cookie = PL_COOKIE};
}

/* ---- pairs of points ---- */

/* Adds a share of the point that moves with a block by J. */
static void add_block(pl_coupling *to, int first, int block, double share, const double J[9])
{
  int at = first;
  while (at < to->count && to->blocks[at] != block) at++;
  if (at == to->count) {
    to->blocks[to->count++] = block;
    memset(to->J[at], 0, sizeof to->J[at]);
  }
  for (int k = 0; k < 9; k++) to->J[at][k] += share * J[k];
}

static void add_node(const pl_body *body, int node, double share, const double *q, int first,
                     pl_coupling *to, double gap[3])
{
  const int *blocks;
  double x[3];
  int count = pl_body_jacobian(body, q + 3 * body->offset, &node, &blocks, x, to->one[0]);
  pl_vec3_add_scaled(share, x, gap);
  for (int b = 0; b < count; b++) add_block(to, first, body->offset + blocks[b], share, to->one[b]);
}

/* Adds one body's point, the second's with the sign turned. */
static void add_end(const pl_world *world, const pl_attachment *from, int side, int point,
                    const double *q, double gap[3])
{
  const pl_body *body = &world->bodies.list[from->bodies[side]];
  pl_coupling *to = world->coupling;
  double sign = side ? -1 : 1, x[3];
  int first = to->count, frame = from->frames[side];
  if (frame >= 0) {
    int per = body->blocks / body->model->frame_count, block = body->offset + per * frame;
    body->model->ops->ride(body->model, q + 3 * body->offset, frame, from->points + 3 * point, x,
                           to->one[0]);
    pl_vec3_add_scaled(sign, x, gap);
    for (int b = 0; b < per; b++) add_block(to, first, block + b, sign, to->one[b]);
  } else if (side == 0) {
    add_node(body, from->nodes[point], sign, q, first, to, gap);
  } else {
    for (int a = 0; a < from->embed->width; a++) {
      size_t at = (size_t)point * (size_t)from->embed->width + (size_t)a;
      double share = from->embed->weights[at];
      if (fabs(share) > LEAST_SHARE)
        add_node(body, from->embed->nodes[at], sign * share, q, first, to, gap);
    }
  }
}

/* The gap of a pair; how it changes stands in the world's coupling. */
static void couple(const pl_world *world, const pl_attachment *from, int point, const double *q,
                   double gap[3])
{
  world->coupling->count = 0;
  pl_vec3_set(gap, 0, 0, 0);
  add_end(world, from, 0, point, q, gap);
  add_end(world, from, 1, point, q, gap);
}

/* ---- forces ---- */

/* f += J^T of a force on the gap. */
static void push_apart(const pl_coupling *with, double scale, const double force[3], double *f)
{
  for (int b = 0; b < with->count; b++) {
    double part[3];
    pl_mat3_apply_t(with->J[b], force, part);
    pl_vec3_add_scaled(scale, part, f + 3 * with->blocks[b]);
  }
}

/* How fast the gap opens. */
static void rate_of(const pl_coupling *with, const double *v, double rate[3])
{
  pl_vec3_set(rate, 0, 0, 0);
  for (int b = 0; b < with->count; b++) {
    double part[3];
    pl_mat3_apply(with->J[b], v + 3 * with->blocks[b], part);
    pl_vec3_add(rate, part, rate);
  }
}

void pl_attachments_force(const pl_world *world, const double *q, const double *v, double *f)
{
  const pl_coupling *with = world->coupling;
  for (size_t i = 0; i < world->attachment_count; i++) {
    const pl_attachment *from = &world->attachments[i];
    for (int p = 0; p < from->count; p++) {
      double gap[3], rate[3];
      couple(world, from, p, q, gap);
      push_apart(with, -from->stiffness, gap, f);
      if (from->damping == 0) continue;
      rate_of(with, v, rate);
      push_apart(with, -from->damping, rate, f);
    }
  }
}

/* A += k g . d^2x/dq^2 of the blocks that turn. */
static void add_curvature(const pl_world *world, double k, const double gap[3], pl_bsr *A)
{
  const pl_coupling *with = world->coupling;
  for (int b = 0; b < with->count; b++) {
    const pl_body *body = pl_bodies_owner(&world->bodies, with->blocks[b]);
    if (!pl_model_is_rotation(body->model, with->blocks[b] - body->offset)) continue;
    const double *J = with->J[b];
    const double r[3] = {0.5 * (J[5] - J[7]), 0.5 * (J[6] - J[2]), 0.5 * (J[1] - J[3])};
    double along = pl_vec3_dot(gap, r), *to = A->values + 9 * (size_t)A->diagonal[with->blocks[b]];
    for (int e = 0; e < 9; e++) {
      double both = gap[e / 3] * r[e % 3] + r[e / 3] * gap[e % 3];
      to[e] += k * (0.5 * both - (e % 4 == 0 ? along : 0));
    }
  }
}

void pl_attachments_stiffness(const pl_world *world, const double *q, double kq, double kv,
                              int semidefinite, pl_bsr *A)
{
  const pl_coupling *with = world->coupling;
  for (size_t i = 0; i < world->attachment_count; i++) {
    const pl_attachment *from = &world->attachments[i];
    double k = kq * from->stiffness, d = k + kv * from->damping;
    const double D[9] = {d, 0, 0, 0, d, 0, 0, 0, d};
    for (int p = 0; p < from->count; p++) {
      double gap[3];
      couple(world, from, p, q, gap);
      pl_add_carried(A, 0, with->count, with->blocks, with->J[0], D);
      if (!semidefinite) add_curvature(world, k, gap, A);
    }
  }
}

double pl_attachments_energy(const pl_world *world, int body)
{
  double sum = 0;
  for (size_t i = 0; i < world->attachment_count; i++) {
    const pl_attachment *from = &world->attachments[i];
    if (from->bodies[0] != body && from->bodies[1] != body) continue;
    for (int p = 0; p < from->count; p++) {
      double gap[3];
      couple(world, from, p, world->state.q, gap);
      sum += 0.25 * from->stiffness * pl_vec3_dot(gap, gap);
    }
  }
  return sum;
}

/* ---- what the matrix must have room for ---- */

int pl_attachments_pairs(const pl_world *world)
{
  int count = 0;
  for (size_t i = 0; i < world->attachment_count; i++) count += world->attachments[i].count;
  return count;
}

pl_status pl_attachments_cliques(const pl_world *world, pl_cliques *cliques, int **memory,
                                 pl_error *error)
{
  *memory = NULL;
  if (!world->attachment_count) return PL_OK;
  // counted first, then filled
  for (int fill = 0; fill < 2; fill++) {
    size_t used = 0;
    int pair = 0;
    for (size_t i = 0; i < world->attachment_count; i++) {
      const pl_attachment *from = &world->attachments[i];
      for (int p = 0; p < from->count; p++, pair++) {
        double gap[3];
        couple(world, from, p, world->state.q, gap);
        size_t count = (size_t)world->coupling->count;
        if (fill) memcpy(*memory + used, world->coupling->blocks, count * sizeof(int));
        cliques[pair] = (pl_cliques){
            .count = 1, .size = (int)count, .nodes = fill ? *memory + used : NULL, .offset = 0};
        used += count;
      }
    }
    if (!fill) *memory = pl_alloc(&world->allocator, used, sizeof(int));
    if (!*memory) return pl_fail_memory(error);
  }
  return PL_OK;
}

int pl_world_is_attached(const pl_world *world, int body)
{
  for (size_t i = 0; i < world->attachment_count; i++) {
    const pl_attachment *at = &world->attachments[i];
    if (at->bodies[0] == body || at->bodies[1] == body) return 1;
  }
  return 0;
}

/* ---- making one ---- */

static double size_of(const pl_body *body)
{
  double low[3], high[3];
  pl_mesh_bounds(body->mesh, low, high);
  return pl_vec3_distance(low, high);
}

static pl_status check_frame(const pl_body *body, int frame, pl_error *error)
{
  int count = body->model->frame_count - body->inserted;
  if (frame == -1) return PL_OK;
  if (body->model->frame_count == 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" is not made of frames, so it has no frame %d", body->name,
                   frame + 1);
  if (frame >= 0 && frame < count) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "body \"%.80s\" has no frame %d; its frames are 1 to %d",
                 body->name, frame + 1, count);
}

static pl_status check(const pl_attachment_def *def, const pl_body *body, const pl_body *other,
                       pl_error *error)
{
  if (body == other)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" cannot be attached to itself; name another body", body->name);
  if (!(def->stiffness >= 0 && def->stiffness <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the stiffness of an attachment = %g must lie between 0 and 1e+15",
                   def->stiffness);
  if (!(def->damping >= 0 && def->damping <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the damping of an attachment = %g must lie between 0 and 1e+15", def->damping);
  if (!(def->arm == -1 || (def->arm >= 0 && def->arm <= 1e9)))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the arm of an attachment = %g must lie between 0 and 1e+09", def->arm);
  if (def->frame >= 0 && def->where_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a frame is attached as a whole; leave out its regions, or the frame");
  if (def->frame < 0 && !def->where_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "nothing of body \"%.80s\" is attached; give a region of nodes or a frame",
                   body->name);
  if (other->mesh->nodes_per_element == 3)
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" is of triangles and has no inside; attach its nodes to body "
                   "\"%.80s\" instead",
                   other->name, body->name);
  pl_status status = check_frame(body, def->frame, error);
  return status ? status : check_frame(other, def->to_frame, error);
}

/* The nodes in the regions. */
static pl_status take_nodes(const pl_world *world, const pl_body *body,
                            const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  int count = 0;
  unsigned char *chosen = pl_alloc(&world->allocator, (size_t)body->mesh->node_count, 1);
  if (!chosen) return pl_fail_memory(error);
  pl_status status =
      pl_mesh_select_nodes(body->mesh, def->where, def->where_count, chosen, &count, error);
  if (!status && !count)
    status =
        pl_fail(error, PL_E_ARGUMENT, "the region holds no node of body \"%.80s\"", body->name);
  if (!status) {
    to->nodes = pl_alloc(&world->allocator, (size_t)count, sizeof *to->nodes);
    to->points = pl_alloc(&world->allocator, (size_t)count * 3, sizeof *to->points);
    if (!to->nodes || !to->points) status = pl_fail_memory(error);
  }
  for (int i = 0; !status && i < body->mesh->node_count; i++) {
    if (!chosen[body->order[i]]) continue;
    pl_vec3_copy(body->rest + 3 * i, to->points + 3 * to->count);
    to->nodes[to->count++] = i;
  }
  pl_free(&world->allocator, chosen);
  return status;
}

/* Six points around a frame, or the frame's own place. */
static pl_status take_frame(const pl_world *world, const pl_body *body,
                            const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  double arm = def->arm >= 0 ? def->arm : ARM * size_of(body);
  to->count = arm > 0 ? 6 : 1;
  to->points = pl_alloc(&world->allocator, (size_t)to->count * 3, sizeof *to->points);
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
  double most = OUTSIDE * size_of(other);
  pl_anchor anchor;
  if (def->frame >= 0) {
    const double *at = body->model->frames_at + 3 * def->frame;
    pl_status status = pl_mesh_locate(other->mesh, at, &anchor, error);
    if (!status && anchor.distance > most)
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
    } else if (anchor.distance > most) {
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

/* Each point's share; stiff against the body unless told. */
static pl_status choose_stiffness(const pl_body *body, const pl_attachment_def *def,
                                  pl_attachment *to, pl_error *error)
{
  double lambda, mu, whole = def->stiffness;
  pl_status status =
      ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, error);
  if (status) return status;
  if (whole == 0) whole = STIFF * mu * size_of(body);
  to->stiffness = whole / to->count;
  to->damping = def->damping / to->count;
  return PL_OK;
}

void pl_attachment_release(const pl_allocator *allocator, pl_attachment *attachment)
{
  pl_free(allocator, attachment->points);
  pl_free(allocator, attachment->nodes);
  pl_embed_destroy(attachment->embed);
}

static pl_status fill(pl_world *world, const pl_body *body, const pl_body *other,
                      const pl_attachment_def *def, pl_attachment *to, pl_error *error)
{
  pl_status status = def->frame >= 0 ? take_frame(world, body, def, to, error)
                                     : take_nodes(world, body, def, to, error);
  if (!status && def->to_frame < 0) {
    status = meet(body, other, def, to, error);
    if (!status)
      status = pl_embed_create(other->inside, to->count, to->points, &world->allocator, &to->embed,
                               error);
  }
  if (!status) status = choose_stiffness(body, def, to, error);
  if (!status && !world->coupling) {
    world->coupling = pl_alloc(&world->allocator, 1, sizeof *world->coupling);
    if (!world->coupling) status = pl_fail_memory(error);
  }
  return status;
}

pl_status pl_world_add_attachment(pl_world *world, pl_body_id id, const pl_attachment_def *def,
                                  pl_error *error)
{
  const pl_body *body, *other;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_attachment", error);
  if (!status) status = pl_world_find_body(world, id, &body, error);
  if (!status) status = pl_world_find_body(world, def->to, &other, error);
  if (!status) status = check(def, body, other, error);
  if (!status)
    status = pl_world_one_more(world, &world->attachments, world->attachment_count,
                               &world->attachment_room, sizeof(pl_attachment), error);
  if (status) return status;
  pl_attachment made = {.bodies = {id.index1 - 1, def->to.index1 - 1},
                        .frames = {def->frame, def->to_frame}};
  status = fill(world, body, other, def, &made, error);
  if (status) {
    pl_attachment_release(&world->allocator, &made);
    return status;
  }
  pl_world_unprepare(world);
  world->attachments[world->attachment_count++] = made;
  return PL_OK;
}
