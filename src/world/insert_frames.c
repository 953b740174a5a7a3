/* Frames that come and go (Gilles, Bousquet, Faure, Pai 2011, 4.4).
 *
 * A frame is put in at a point of the deformed body, whose place at rest is found by Newton's
 * method: X <- X + F^-1 (p - x(X)). It weighs (1 - d^2/r^2)^2 at the distance d through the body,
 * and the others lose what it gains. Its motion starts where nodes move least in the sum of
 * squares (Gauss-Newton): so the shape hardly jumps. The model is replaced in place
 * (world/replace.h). */
#include "core/error.h"
#include "core/memory.h"
#include "couple/fix.h"
#include "couple/penalty.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/replace.h"

#include <math.h>
#include <string.h>

enum { MOST_INSERTED = 8, MOST_UNKNOWNS = 30, FIT_ITERATIONS = 6 };

#define PATIENCE   0.2  /* s without use before a frame is taken out */
#define LEAST_JUMP 0.01 /* part of its reach by which a frame that is taken out may move a node */

/* ---- from the deformed body to the rest shape ---- */

/* Where the point at X of the rest shape is now. */
static pl_status point_now(const pl_body *body, const double *nodes, const double X[3], double x[3],
                           double *outside, pl_error *error)
{
  pl_anchor anchor = {0};
  pl_status status = pl_mesh_locate(body->mesh, X, &anchor, error);
  pl_vec3_set(x, 0, 0, 0);
  for (int a = 0; a < anchor.count && !status; a++)
    pl_vec3_add_scaled(anchor.weights[a], nodes + 3 * body->place[anchor.nodes[a]], x);
  *outside = anchor.distance;
  return status;
}

static pl_status to_rest(const pl_body *body, const double *nodes, const double point[3],
                         double X[3], pl_error *error)
{
  double low[3], high[3], min = INFINITY, x[3], outside;
  pl_mesh_bounds(body->mesh, low, high);
  double size = pl_vec3_distance(low, high), h = 1e-4 * size;
  for (int n = 0; n < body->mesh->node_count; n++) {
    double gap = pl_vec3_distance(nodes + 3 * n, point);
    if (gap >= min) continue;
    min = gap;
    pl_vec3_copy(body->rest + 3 * n, X);
  }
  for (int i = 0; i < 20; i++) {
    pl_status status = point_now(body, nodes, X, x, &outside, error);
    if (status) return status;
    double way[3], F[9], inverse[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, step[3];
    pl_vec3_sub(point, x, way);
    if (pl_vec3_norm(way) < 1e-6 * size && outside < 1e-6 * size) return PL_OK;
    for (int k = 0; k < 3; k++) {
      double moved[3] = {X[0], X[1], X[2]}, there[3];
      // towards the middle, so as to stay inside
      double d = X[k] > 0.5 * (low[k] + high[k]) ? -h : h;
      moved[k] += d;
      status = point_now(body, nodes, moved, there, &outside, error);
      if (status) return status;
      for (int r = 0; r < 3; r++) F[3 * r + k] = (there[r] - x[r]) / d;
    }
    pl_mat3_inverse(F, inverse);
    pl_mat3_apply(inverse, way, step);
    double length = pl_vec3_norm(step);
    pl_vec3_add_scaled(length > 0.2 * size ? 0.2 * size / length : 1, step, X);
  }
  return pl_fail(
      error, PL_E_ARGUMENT,
      "the point (%g, %g, %g) is not in body \"%.80s\" as it stands now; take one inside", point[0],
      point[1], point[2], body->name);
}

/* ---- the best motion of a new frame ---- */

/* Solves the n x n system A x = b by Cholesky; A is made a little larger on the diagonal. */
static void solve(int n, double *A, double *b)
{
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, A[n * i + i]);
  for (int j = 0; j < n; j++) {
    A[n * j + j] += 1e-10 * max + 1e-300;
    for (int i = j; i < n; i++) {
      for (int k = 0; k < j; k++) A[n * i + j] -= A[n * i + k] * A[n * j + k];
      A[n * i + j] = i == j ? sqrt(fmax(A[n * i + j], 1e-300)) : A[n * i + j] / A[n * j + j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= A[n * i + k] * b[k];
    b[i] /= A[n * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= A[n * k + i] * b[k];
    b[i] /= A[n * i + i];
  }
}

/* The change of the blocks from first on that takes nodes from now nearest to wanted. */
static void best_change(const pl_body *body, int first, int unknowns, const double *q,
                        const double *now, const double *wanted, double *change)
{
  double A[MOST_UNKNOWNS * MOST_UNKNOWNS] = {0}, J[9 * PL_MOST_CARRIERS];
  memset(change, 0, (size_t)unknowns * sizeof *change);
  for (int n = 0; n < body->mesh->node_count; n++) {
    const int *blocks;
    int count = pl_body_jacobian(body, q, &n, &blocks, NULL, J);
    double rows[3][MOST_UNKNOWNS] = {{0}};
    int any = 0;
    for (int b = 0; b < count; b++) {
      int at = 3 * (blocks[b] - first);
      for (int k = 0; at >= 0 && k < 9; k++) rows[k / 3][at + k % 3] = J[9 * b + k];
      any |= at >= 0;
    }
    for (int r = 0; r < 3 && any; r++) {
      double gap = wanted[3 * n + r] - now[3 * n + r];
      for (int i = 0; i < unknowns; i++) {
        change[i] += rows[r][i] * gap;
        for (int j = 0; j <= i; j++) A[unknowns * i + j] += rows[r][i] * rows[r][j];
      }
    }
  }
  solve(unknowns, A, change);
}

/* Places the last frame of the body so that nodes are nearest to x and move nearest to v. room: 3
 * numbers per node, step and zero: a vector of the body each. */
static void fit_frame(const pl_body *body, double *q, double *v, const double *x,
                      const double *speed, double *step, double *room)
{
  int per = body->blocks / body->model->frame_count, first = body->blocks - per;
  double change[MOST_UNKNOWNS];
  for (int i = 0; i < FIT_ITERATIONS; i++) {
    body->model->ops->nodes(body->model, q, NULL, room);
    best_change(body, first, 3 * per, q, room, x, change);
    memset(step, 0, (size_t)body->blocks * 3 * sizeof *step);
    memcpy(step + 3 * first, change, (size_t)per * 3 * sizeof *step);
    pl_model_retract(body->model, q, step, q);
  }
  memset(v + 3 * first, 0, (size_t)per * 3 * sizeof *v);
  body->model->ops->nodes(body->model, q, v, room);
  best_change(body, first, 3 * per, q, room, speed, v + 3 * first);
}

/* A first guess: the blocks of the last frame as its neighbourhood at X has moved. */
static void guess_frame(const pl_body *before, const pl_body *body, const double *nodes,
                        const double X[3], double *q)
{
  int per = body->blocks / body->model->frame_count, first = body->blocks - per, near = 0;
  for (int n = 0; n < body->mesh->node_count; n++) {
    if (pl_vec3_distance(body->rest + 3 * n, X) < pl_vec3_distance(body->rest + 3 * near, X))
      near = n;
  }
  // a rotation like that of the frame that carries the place most
  const int *blocks;
  const double *weights;
  int count = before->model->ops->carriers(before->model, near, &blocks, &weights), best = 0;
  for (int b = 0; b < count; b++) best = weights[b] > weights[best] ? b : best;
  for (int b = first; b < body->blocks; b++) {
    if (pl_model_is_rotation(body->model, b)) {
      memcpy(q + 3 * b, q + 3 * (blocks[best] - 1), 3 * sizeof *q);
      continue;
    }
    for (int k = 0; k < 3; k++)
      q[3 * b + k] = body->model->rest[3 * b + k] + nodes[3 * near + k] - body->rest[3 * near + k];
  }
}

/* ---- another model in the place of the old one ---- */

/* A copy of the body with room for count frames, the last of them inserted ones. */
static pl_status begin(const pl_world *world, int index, int count, int inserted,
                       pl_replacement *to, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  pl_replace_begin(world, index, to);
  to->after.sites.inserted = inserted;
  to->after.sites.count = count;
  to->after.sites.at = pl_alloc(allocator, (size_t)count * 3, sizeof(double));
  to->after.sites.reach = pl_alloc(allocator, (size_t)inserted, sizeof(double));
  to->after.sites.idle = pl_alloc(allocator, (size_t)inserted, sizeof(double));
  return to->after.sites.at && to->after.sites.reach && to->after.sites.idle
             ? PL_OK
             : pl_fail_memory(error);
}

/* Frames move as before, whatever has become of their parts of the body; the frame number gone (or
 * none: -1) is left out, a new one comes after all others. */
static void adopt_frames(const pl_world *world, const pl_replacement *what, int gone)
{
  const pl_body *body = &world->bodies.list[what->body];
  const pl_model *model = body->model;
  int count = model->frame_count, per = body->blocks / count;
  for (int i = 0, next = 0; i < count; i++) {
    int old = 3 * (body->offset + per * i), new = 3 * (body->offset + per * next);
    if (i == gone) continue;
    model->ops->frame.adopt(what->after.model, next++, model, i, world->state.q + old,
                            world->state.v + old, what->q + new, what->v + new);
  }
}

static pl_status find_frames(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (!status && !(*body)->model->frame_count)
    status = pl_fail(error, PL_E_ARGUMENT, "body \"%.80s\" is not made of frames", (*body)->name);
  return status;
}

int pl_world_frame_count(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->model->frame_count : 0;
}

/* What the new frame does, from what the nodes do. */
static pl_status place_frame(const pl_world *world, pl_replacement *what, const double X[3],
                             pl_error *error)
{
  const pl_body *body = &world->bodies.list[what->body];
  size_t blocks = 3 * (size_t)what->after.blocks, nodes = 3 * (size_t)body->mesh->node_count;
  double *room = pl_alloc(&world->allocator, blocks + nodes, sizeof(double));
  double *q = what->q + 3 * body->offset, *v = what->v + 3 * body->offset;
  if (!room) return pl_fail_memory(error);
  adopt_frames(world, what, -1);
  guess_frame(body, &what->after, what->x, X, q);
  fit_frame(&what->after, q, v, what->x, what->speed, room, room + blocks);
  pl_free(&world->allocator, room);
  return PL_OK;
}

/* Puts a frame in at the place X of the rest shape. */
static pl_status insert_at(pl_world *world, int index, const double X[3], double reach,
                           pl_error *error)
{
  const pl_body *body = &world->bodies.list[index];
  int count = body->model->frame_count, inserted = body->sites.inserted;
  pl_replacement what;
  pl_status status = begin(world, index, count + 1, inserted + 1, &what, error);
  if (!status) {
    memcpy(what.after.sites.at, body->model->frames_at, (size_t)count * 3 * sizeof(double));
    pl_vec3_copy(X, what.after.sites.at + 3 * count);
    if (inserted) {
      memcpy(what.after.sites.reach, body->sites.reach, (size_t)inserted * sizeof(double));
      memcpy(what.after.sites.idle, body->sites.idle, (size_t)inserted * sizeof(double));
    }
    what.after.sites.reach[inserted] = reach;
    what.after.sites.idle[inserted] = world->state.time;
    status = pl_replace_build(world, &what, error);
  }
  if (!status) status = place_frame(world, &what, X, error);
  if (!status) status = pl_replace_commit(world, &what, error);
  pl_replace_drop(world, &what);
  return status;
}

pl_status pl_world_insert_frame(pl_world *world, pl_body_id id, const double point[3], double reach,
                                int *frame, pl_error *error)
{
  const pl_body *body;
  double X[3];
  pl_status status = find_frames(world, id, &body, error);
  if (status) return status;
  if (!(reach > 0) || !isfinite(reach))
    return pl_fail(error, PL_E_ARGUMENT, "the reach of a frame = %g m must be positive", reach);
  if (!point || !isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]))
    return pl_fail(error, PL_E_ARGUMENT, "the place of a frame must be three finite numbers");
  const double *nodes = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  status = to_rest(body, nodes, point, X, error);
  if (!status) status = insert_at(world, (int)(body - world->bodies.list), X, reach, error);
  if (!status && frame) *frame = body->model->frame_count - 1;
  return status;
}

/* Takes a frame out, unless that moved a node by more than most. */
static pl_status remove_at(pl_world *world, int index, int frame, double max, double *jump,
                           pl_error *error)
{
  const pl_body *body = &world->bodies.list[index];
  int count = body->model->frame_count, gone = frame - (count - body->sites.inserted);
  pl_replacement what;
  *jump = 0;
  pl_status status = begin(world, index, count - 1, body->sites.inserted - 1, &what, error);
  if (!status) {
    for (int i = 0, k = 0; i < count; i++) {
      if (i != frame) pl_vec3_copy(body->model->frames_at + 3 * i, what.after.sites.at + 3 * k++);
    }
    for (int i = 0, k = 0; i < body->sites.inserted; i++) {
      if (i == gone) continue;
      what.after.sites.reach[k] = body->sites.reach[i];
      what.after.sites.idle[k++] = body->sites.idle[i];
    }
    status = pl_replace_build(world, &what, error);
  }
  if (!status) {
    adopt_frames(world, &what, frame);
    // speeds are not asked for: there is room for the nodes as they would be
    what.after.model->ops->nodes(what.after.model, what.q + 3 * body->offset, NULL, what.speed);
    for (int n = 0; n < 3 * body->mesh->node_count; n += 3)
      *jump = fmax(*jump, pl_vec3_distance(what.x + n, what.speed + n));
    if (*jump <= max) status = pl_replace_commit(world, &what, error);
  }
  pl_replace_drop(world, &what);
  return status;
}

pl_status pl_world_remove_frame(pl_world *world, pl_body_id id, int frame, double *jump,
                                pl_error *error)
{
  const pl_body *body;
  double moved;
  pl_status status = find_frames(world, id, &body, error);
  if (status) return status;
  int count = body->model->frame_count;
  if (frame < count - body->sites.inserted || frame >= count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "frame %d of body \"%.80s\" was not put in later, so it cannot be taken out",
                   frame, body->name);
  for (const pl_coupling *at = NULL;
       (at = pl_couplings_next(&world->couplings, &pl_coupling_fix, at)) != NULL;) {
    const pl_fix *fix = (const pl_fix *)at;
    if (&world->bodies.list[at->acts_on[0]] == body &&
        fix->nodes[fix->count - 1] >= frame * body->blocks / count)
      return pl_fail(error, PL_E_ARGUMENT,
                     "frame %d of body \"%.80s\" or one after it is held; release it first", frame,
                     body->name);
  }
  status = remove_at(world, (int)(body - world->bodies.list), frame, INFINITY, &moved, error);
  if (!status && jump) *jump = moved;
  return status;
}

/* ---- by itself ---- */

/* Frames near which something touches are in use. Returns whether any node touches. */
static int mark_used(const pl_world *world, const pl_contact *contact, pl_body *body)
{
  const double *x = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  int first = body->model->frame_count - body->sites.inserted, any = 0;
  for (int n = 0; n < body->mesh->node_count; n++) {
    double normal[3];
    if (!(body->penalty[n] > 0) || !(pl_contact_nearest(contact, x + 3 * (size_t)n, normal) < 0))
      continue;
    any = 1;
    for (int i = 0; i < body->sites.inserted; i++) {
      const double *at = body->model->frames_at + 3 * (first + i);
      if (pl_vec3_distance(at, body->rest + 3 * n) < body->sites.reach[i])
        body->sites.idle[i] = world->state.time;
    }
  }
  return any;
}

static pl_status insert_or_remove(pl_world *world, int index, pl_error *error)
{
  pl_body *body = &world->bodies.list[index];
  double depth, nearest = INFINITY, jump, reach = body->sites.insert_reach;
  const pl_contact *contact = pl_world_contact(world);
  pl_status status = pl_penalty_make(&world->bodies, body, 0, error);
  if (status) return status;
  int touching = mark_used(world, contact, body),
      first = body->model->frame_count - body->sites.inserted;
  for (int i = 0; i < body->sites.inserted; i++) {
    if (world->state.time - body->sites.idle[i] < PATIENCE) continue;
    body->sites.idle[i] = world->state.time;
    return remove_at(world, index, first + i, LEAST_JUMP * body->sites.reach[i], &jump, error);
  }
  if (!touching || body->sites.inserted >= MOST_INSERTED ||
      body->model->frame_count >= PL_MOST_SITES)
    return PL_OK;
  int node = pl_penalty_deepest(contact, body, world->state.q + 3 * body->offset, &depth);
  if (node < 0) return PL_OK;
  const double *X = body->rest + 3 * body->place[node];
  for (int i = 0; i < body->model->frame_count; i++)
    nearest = fmin(nearest, pl_vec3_distance(X, body->model->frames_at + 3 * i));
  if (nearest < 0.5 * reach) return PL_OK;
  pl_error reason = {0};
  status = insert_at(world, index, X, reach, &reason);
  if (status != PL_E_ARGUMENT) {
    if (status && error) *error = reason;
    return status;
  }
  // the mesh is too coarse for so small a reach
  world->bodies.list[index].sites.insert_reach = 0;
  pl_log_write(&world->log, PL_WARNING, "body \"%.80s\" gets no more frames (%.300s)", body->name,
               reason.message);
  return PL_OK;
}

pl_status pl_world_update_models(pl_world *world, pl_error *error)
{
  pl_status status = PL_OK;
  pl_contact *contact = pl_world_contact(world);
  if (contact) pl_contact_begin(contact, world->state.time, world->state.time);
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (body->refinement)
      status = pl_world_refine_by_indicator(world, (int)b, error);
    else if (contact && body->sites.insert_reach > 0 && body->model->frame_count)
      status = insert_or_remove(world, (int)b, error);
  }
  return status;
}
