/* Pulls: springs between a point of a body and a target in space.
 *
 * The point x moves with its blocks by dx = sum J_a dq_a (J_a = w_a I where they are nodes). Its
 * spring gives F = k (target - x), cut to most_force where that is longer, and its damper -c dx/dt;
 * block a feels J_a^T (F - c dx/dt). With d = target - x the stiffness -dF/dx is k I, or
 * (most_force / |d|) (I - d d^T / |d|^2) where the force is cut: never indefinite. The mouse spring
 * of Mueller et al. 2002, made implicit. */
#include "world/pull.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

pl_pull_def pl_pull_def_default(void)
{
  return (pl_pull_def){.stiffness = 1000, .until = INFINITY, .cookie = PL_COOKIE};
}

/* ---- the forces ---- */

/* Where the point is, and how it moves with its blocks. */
static void at_point(const pl_world *world, const pl_pull *pull, const double *q, double out[3])
{
  const pl_body *body = &world->bodies.list[pull->body];
  memset(out, 0, 3 * sizeof *out);
  memset(pull->J, 0, (size_t)pull->count * 9 * sizeof *pull->J);
  for (int s = 0; s < pull->spot_count; s++) {
    const int *blocks;
    double x[3];
    int count =
        pl_body_jacobian(body, q + 3 * body->offset, &pull->nodes[s], &blocks, x, pull->room);
    pl_vec3_add_scaled(pull->spot_weights[s], x, out);
    for (int i = 0; i < 9 * count; i++) {
      int at = 0;
      while (pull->blocks[at] != body->offset + blocks[i / 9]) at++;
      pull->J[9 * at + i % 9] += pull->spot_weights[s] * pull->room[i];
    }
  }
}

static void velocity_of(const pl_pull *pull, const double *v, double out[3])
{
  memset(out, 0, 3 * sizeof *out);
  for (int a = 0; a < pull->count; a++) {
    double part[3];
    pl_mat3_apply(pull->J + 9 * a, v + 3 * pull->blocks[a], part);
    pl_vec3_add(out, part, out);
  }
}

static void target_at(const pl_pull *pull, double t, double target[3])
{
  pl_vec3_copy(pull->target, target);
  pl_vec3_add_scaled(pl_ramp_at(&pull->ramp, t), pull->translation, target);
}

static int holds(const pl_pull *pull, double t) { return pull->used && t <= pull->until; }

/* The way to the target, and the spring's force per way: k, or less where the force is cut. */
static double spring(const pl_world *world, const pl_pull *pull, double t, const double *q,
                     double way[3], int *cut)
{
  double x[3];
  at_point(world, pull, q, x);
  target_at(pull, t, way);
  for (int k = 0; k < 3; k++) way[k] -= x[k];
  double length = pl_vec3_norm(way);
  *cut = pull->most_force > 0 && pull->stiffness * length > pull->most_force;
  return *cut ? pull->most_force / length : pull->stiffness;
}

static void force_of(const pl_world *world, const pl_pull *pull, double t, const double *q,
                     const double *v, double force[3])
{
  double way[3], velocity[3];
  int cut;
  double stiffness = spring(world, pull, t, q, way, &cut);
  velocity_of(pull, v, velocity);
  for (int k = 0; k < 3; k++) force[k] = stiffness * way[k] - pull->damping * velocity[k];
}

void pl_pulls_force(const pl_world *world, double scale, double t, const double *q, const double *v,
                    double *f)
{
  for (size_t i = 0; i < world->pull_count; i++) {
    const pl_pull *pull = &world->pulls[i];
    double force[3];
    if (!holds(pull, t)) continue;
    force_of(world, pull, t, q, v, force);
    for (int a = 0; a < pull->count; a++) {
      double part[3];
      pl_mat3_apply_t(pull->J + 9 * a, force, part);
      pl_vec3_add_scaled(scale, part, f + 3 * pull->blocks[a]);
    }
  }
}

/* kq times the spring's stiffness plus kv times the damper's, a symmetric 3x3 matrix. */
static void tangent(const pl_world *world, const pl_pull *pull, double t, const double *q,
                    double kq, double kv, double D[9])
{
  double way[3];
  int cut;
  double stiffness = kq * spring(world, pull, t, q, way, &cut), square = pl_vec3_dot(way, way);
  for (int k = 0; k < 9; k++) {
    D[k] = k % 4 == 0 ? stiffness + kv * pull->damping : 0;
    if (cut) D[k] -= stiffness * way[k / 3] * way[k % 3] / square;
  }
}

void pl_pulls_stiffness(const pl_world *world, double scale, double t, const double *q, double kq,
                        double kv, pl_bsr *A)
{
  for (size_t i = 0; i < world->pull_count; i++) {
    const pl_pull *pull = &world->pulls[i];
    double D[9];
    if (!holds(pull, t)) continue;
    tangent(world, pull, t, q, scale * kq, scale * kv, D);
    pl_add_carried(A, 0, pull->count, pull->blocks, pull->J, D);
  }
}

/* ---- adding and moving ---- */

static pl_status check_numbers(const pl_pull_def *def, pl_error *error)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = {
      {"stiffness", def->stiffness}, {"damping", def->damping}, {"most_force", def->most_force}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= 1e15))
      return pl_fail(error, PL_E_ARGUMENT, "the %s of a pull = %g must lie between 0 and 1e+15",
                     numbers[i].name, numbers[i].value);
  }
  return PL_OK;
}

static pl_status check_target(const double target[3], pl_error *error)
{
  if (target && isfinite(target[0]) && isfinite(target[1]) && isfinite(target[2])) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "the target of a pull must be three finite numbers");
}

static pl_status check_spot(const pl_world *world, const pl_spot *spot, pl_error *error)
{
  const pl_body *body;
  double sum = 0;
  pl_status status = pl_world_find_body(world, spot->body, &body, error);
  if (status) return status;
  if (spot->count < 1 || spot->count > 8)
    return pl_fail(error, PL_E_ARGUMENT, "a spot of %d nodes; it must have 1 to 8", spot->count);
  for (int a = 0; a < spot->count; a++) {
    int node = spot->nodes[a];
    if (node < 0 || node >= body->mesh->node_count)
      return pl_fail_entity(error, PL_E_ARGUMENT, node, "body \"%.80s\" has no node %d", body->name,
                            node);
    sum += spot->weights[a] >= 0 ? spot->weights[a] : NAN;
  }
  if (!(fabs(sum - 1) < 1e-6))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the weights of a spot must be positive and add up to 1 (they give %g)", sum);
  return PL_OK;
}

pl_status pl_world_find_spot(const pl_world *world, pl_body_id id, const double at[3],
                             pl_spot *spot, pl_error *error)
{
  const pl_body *body;
  pl_anchor anchor;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && (!at || !spot))
    status =
        pl_fail(error, PL_E_ARGUMENT, "pl_world_find_spot needs a point and a place for the spot");
  if (!status) status = pl_mesh_locate(body->mesh, at, &anchor, error);
  if (status) return status;
  *spot = (pl_spot){.body = id, .count = anchor.count};
  for (int a = 0; a < anchor.count; a++) {
    spot->nodes[a] = anchor.nodes[a];
    spot->weights[a] = fmax(anchor.weights[a], 0); // rounding at the border
  }
  return PL_OK;
}

/* The pulled blocks; nodes may share them. */
static void find_blocks(const pl_world *world, pl_pull *pull)
{
  const pl_body *body = &world->bodies.list[pull->body];
  pull->count = 0;
  for (int a = 0; a < pull->spot_count; a++) {
    const int *blocks = &pull->nodes[a];
    const double *weights;
    int count = 1;
    if (body->model->ops->carriers)
      count = body->model->ops->carriers(body->model, pull->nodes[a], &blocks, &weights);
    for (int i = 0; i < count; i++) {
      int at = 0, block = body->offset + blocks[i];
      while (at < pull->count && pull->blocks[at] != block) at++;
      if (at == pull->count) pull->blocks[pull->count++] = block;
    }
  }
}

static pl_status take_blocks(const pl_world *world, const pl_spot *spot, pl_pull *pull,
                             pl_error *error)
{
  const pl_body *body = pl_world_body(world, spot->body);
  // frames may be put in later
  size_t room = body->model->ops->carriers ? PL_MOST_CARRIERS : 8;
  pull->blocks = pl_alloc(&world->allocator, room, sizeof *pull->blocks);
  pull->J = pl_alloc(&world->allocator, room * 9, sizeof *pull->J);
  pull->room = pl_alloc(&world->allocator, room * 9, sizeof *pull->room);
  if (!pull->blocks || !pull->J || !pull->room) return pl_fail_memory(error);
  pull->spot_count = spot->count;
  for (int a = 0; a < spot->count; a++) {
    pull->nodes[a] = body->place[spot->nodes[a]];
    pull->spot_weights[a] = spot->weights[a];
  }
  find_blocks(world, pull);
  return PL_OK;
}

void pl_pulls_follow(pl_world *world, int body, int shift)
{
  for (size_t i = 0; i < world->pull_count; i++) {
    pl_pull *pull = &world->pulls[i];
    if (!pull->used) continue;
    for (int b = 0; b < pull->count && pull->body > body; b++) pull->blocks[b] += shift;
    if (pull->body == body) find_blocks(world, pull);
  }
}

void pl_pull_release(const pl_allocator *allocator, pl_pull *pull)
{
  pl_free(allocator, pull->blocks);
  pl_free(allocator, pull->J);
  pl_free(allocator, pull->room);
  pl_ramp_release(allocator, &pull->ramp);
  *pull = (pl_pull){0};
}

pl_status pl_world_add_pull(pl_world *world, const pl_pull_def *def, pl_pull_id *id,
                            pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_pull", error);
  if (!status) status = check_numbers(def, error);
  if (!status) status = check_target(def->target, error);
  if (!status) status = check_target(def->translation, error);
  if (!status && isnan(def->until))
    status = pl_fail(error, PL_E_ARGUMENT, "until, when a pull lets go, is not a number");
  if (!status) status = check_spot(world, &def->at, error);
  if (status) return status;
  pl_pull pull = {.used = 1,
                  .body = def->at.body.index1 - 1,
                  .until = def->until,
                  .stiffness = def->stiffness,
                  .damping = def->damping,
                  .most_force = def->most_force};
  memcpy(pull.target, def->target, sizeof pull.target);
  memcpy(pull.translation, def->translation, sizeof pull.translation);

  // a place that was given up, or one more
  size_t place = 0;
  while (place < world->pull_count && world->pulls[place].used) place++;
  if (place == world->pull_count) {
    status = pl_world_one_more(world, &world->pulls, place, &world->pull_room, sizeof pull, error);
    if (status) return status;
  }
  status = take_blocks(world, &def->at, &pull, error);
  if (!status) status = pl_ramp_copy(&world->allocator, &def->ramp, &pull.ramp, error);
  if (status) {
    pl_pull_release(&world->allocator, &pull);
    return status;
  }
  if (place == world->pull_count) world->pull_count++;
  world->pulls[place] = pull;
  if (id) id->index1 = (int32_t)place + 1;
  return PL_OK;
}

static pl_status find_pull(const pl_world *world, pl_pull_id id, pl_pull **pull, pl_error *error)
{
  int known = id.index1 >= 1 && (size_t)id.index1 <= world->pull_count;
  *pull = known ? &world->pulls[id.index1 - 1] : NULL;
  if (known && (*pull)->used) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "there is no pull number %d", (int)id.index1);
}

pl_status pl_world_move_pull(pl_world *world, pl_pull_id id, const double target[3],
                             pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status) status = check_target(target, error);
  if (!status) memcpy(pull->target, target, sizeof pull->target);
  return status;
}

pl_status pl_world_remove_pull(pl_world *world, pl_pull_id id, pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status) pl_pull_release(&world->allocator, pull);
  return status;
}

pl_status pl_world_read_pull(const pl_world *world, pl_pull_id id, pl_pull_facts *facts,
                             pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_pull needs a place for the facts");
  if (status) return status;
  at_point(world, pull, world->state.q, facts->position);
  target_at(pull, world->state.time, facts->target);
  memset(facts->force, 0, sizeof facts->force);
  if (holds(pull, world->state.time))
    force_of(world, pull, world->state.time, world->state.q, world->state.v, facts->force);
  return PL_OK;
}
