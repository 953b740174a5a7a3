/* Pulls: springs between a point of a body and a target in space.
 *
 * The point x moves with its blocks by dx = sum J_a dq_a (J_a = w_a I where they are nodes). Its
 * spring gives F = k (target - x), cut to max_force where that is longer, and its damper -c dx/dt;
 * block a feels J_a^T (F - c dx/dt + own force). With d = target - x the stiffness -dF/dx is k I,
 * or (max_force / |d|) (I - d d^T / |d|^2) where the force is cut: never indefinite. The mouse
 * spring of Mueller et al. 2002, made implicit.
 *
 * A pull may be steadied: node i of the point, which has the weight w_i in it, feels
 * -s w_i (v_i - v_i0), v_i0 its velocity when the substep began. All of them together exert
 * -s (v - v0) on the point, as one damper there would, but their matrix couples no nodes: it stands
 * on the diagonal, where that of a point of many nodes would take pairs (sparse/pairs.h). */
#include "couple/pull.h"

#include "core/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* ---- forces ---- */

static void target_at(const pl_pull *pull, double t, double target[3])
{
  pl_vec3_copy(pull->target, target);
  pl_vec3_add_scaled(pl_ramp_at(&pull->ramp, t), pull->translation, target);
}

/* The way to the target, and the spring's force per way: k, or less where the force is cut. The
 * point's place and how it moves are left in x and the jacobian. */
static double spring(pl_pull *pull, double t, const double *q, double x[3], double way[3], int *cut)
{
  pl_vec3_set(x, 0, 0, 0);
  pl_jacobian_clear(&pull->jacobian);
  for (int i = 0; i < pull->part_count; i++)
    pl_jacobian_add(&pull->jacobian, &pull->parts[i], 1, q, x);
  target_at(pull, t, way);
  for (int k = 0; k < 3; k++) way[k] -= x[k];
  double length = pl_vec3_norm(way);
  *cut = pull->max_force > 0 && pull->stiffness * length > pull->max_force;
  return *cut ? pull->max_force / length : pull->stiffness;
}

/* The velocity of one of its nodes; how it moves is left in the jacobian. */
static void node_rate(pl_pull *pull, int node, const double *q, const double *v, double rate[3])
{
  double x[3] = {0};
  const pl_body_point *part = &pull->parts[node / 8];
  const pl_body_point alone = pl_point_of_node(part->body, part->nodes[node % 8]);
  pl_jacobian_clear(&pull->jacobian);
  pl_jacobian_add(&pull->jacobian, &alone, 1, q, x);
  pl_jacobian_rate(&pull->jacobian, v, rate);
}

static int node_count(const pl_pull *pull)
{
  return 8 * (pull->part_count - 1) + pull->parts[pull->part_count - 1].count;
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_pull *pull = (pl_pull *)self;
  if (!(pull->steadying > 0)) return;
  for (int i = 0; i < node_count(pull); i++) node_rate(pull, i, step->q, step->v, pull->begun[i]);
}

static void steady(pl_pull *pull, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  for (int i = 0; i < node_count(pull); i++) {
    double rate[3], D[9] = {0};
    double damping = pull->steadying * pull->parts[i / 8].weights[i % 8];
    node_rate(pull, i, at->q, at->v, rate);
    pl_vec3_sub(pull->begun[i], rate, rate);
    if (f) pl_jacobian_push(&pull->jacobian, at->load_scale * damping, rate, f);
    D[0] = D[4] = D[8] = tangent ? at->load_scale * tangent->kv * damping : 0;
    if (tangent) pl_jacobian_stiffen(&pull->jacobian, D, tangent);
  }
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_pull *pull = (pl_pull *)self;
  double x[3], way[3], rate[3], force[3], D[9];
  int cut;
  if (at->t > pull->until) return;
  if (pull->steadying > 0) steady(pull, at, f, tangent);
  double stiffness = spring(pull, at->t, at->q, x, way, &cut);
  if (f) {
    pl_jacobian_rate(&pull->jacobian, at->v, rate);
    for (int k = 0; k < 3; k++)
      force[k] = stiffness * way[k] - pull->damping * rate[k] + pull->force[k];
    pl_jacobian_push(&pull->jacobian, at->load_scale, force, f);
  }
  if (!tangent || !(stiffness > 0 || pull->damping > 0)) return;
  double kq = at->load_scale * tangent->kq * stiffness, square = pl_vec3_dot(way, way);
  for (int k = 0; k < 9; k++) {
    D[k] = k % 4 == 0 ? kq + at->load_scale * tangent->kv * pull->damping : 0;
    if (cut) D[k] -= kq * way[k / 3] * way[k % 3] / square;
  }
  pl_jacobian_stiffen(&pull->jacobian, D, tangent);
}

void pl_pull_read(pl_pull *pull, double t, const double *q, const double *v, pl_pull_facts *facts)
{
  double way[3];
  int cut;
  double stiffness = spring(pull, t, q, facts->position, way, &cut);
  target_at(pull, t, facts->target);
  pl_jacobian_rate(&pull->jacobian, v, facts->velocity);
  for (int k = 0; k < 3; k++) {
    double force = stiffness * way[k] - pull->damping * facts->velocity[k] + pull->force[k];
    facts->force[k] = t > pull->until ? 0 : force;
  }
}

/* ---- making one ---- */

static pl_status check_numbers(const pl_pull_def *def, pl_error *error)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = {
      {"stiffness", def->stiffness}, {"damping", def->damping}, {"max_force", def->max_force}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= 1e15))
      return pl_fail(error, PL_E_ARGUMENT, "the %s of a pull = %g must lie between 0 and 1e+15",
                     numbers[i].name, numbers[i].value);
  }
  if (isnan(def->until))
    return pl_fail(error, PL_E_ARGUMENT, "until, when a pull lets go, is not a number");
  return PL_OK;
}

static pl_status check_vector(const double *vector, const char *name, pl_error *error)
{
  if (vector && isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2])) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "the %s of a pull must be three finite numbers", name);
}

pl_status pl_pull_check_target(const double target[3], pl_error *error)
{
  return check_vector(target, "target", error);
}

static pl_status check_spot(const pl_body *body, const pl_spot *spot, pl_error *error)
{
  double sum = 0;
  if (spot->count < 1 || spot->count > 8 * PL_PULL_PARTS)
    return pl_fail(error, PL_E_ARGUMENT, "a spot of %d nodes; it must have 1 to %d", spot->count,
                   8 * PL_PULL_PARTS);
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

static pl_status check(const pl_body *body, const pl_pull_def *def, pl_error *error)
{
  pl_status status = check_numbers(def, error);
  if (!status) status = check_vector(def->target, "target", error);
  if (!status) status = check_vector(def->translation, "translation", error);
  if (!status) status = check_vector(def->force, "force", error);
  return status ? status : check_spot(body, &def->at, error);
}

/* Eight nodes of a spot make a point. */
static void take_spot(pl_pull *pull, int index, const pl_spot *spot)
{
  const pl_body *body = &pull->base.bodies->list[index];
  pull->part_count = (spot->count + 7) / 8;
  for (int i = 0; i < pull->part_count; i++) pull->parts[i] = (pl_body_point){.body = index};
  for (int a = 0; a < spot->count; a++) {
    pl_body_point *part = &pull->parts[a / 8];
    part->nodes[part->count] = body->place[spot->nodes[a]];
    part->weights[part->count++] = spot->weights[a];
  }
}

pl_status pl_pull_set(pl_pull *pull, int index, const pl_pull_def *def, pl_error *error)
{
  const pl_body *body = &pull->base.bodies->list[index];
  pl_own_ramp ramp = {0};
  pl_status status = check(body, def, error);
  if (!status) status = pl_ramp_copy(pull->base.bodies->allocator, &def->ramp, &ramp, error);
  if (status) return status;
  pl_ramp_release(pull->base.bodies->allocator, &pull->ramp);
  pull->ramp = ramp;
  pull->base.acts_on[0] = index;
  pull->until = def->until;
  pull->stiffness = def->stiffness;
  pull->damping = def->damping;
  pull->steadying = 0;
  pull->max_force = def->max_force;
  memcpy(pull->target, def->target, sizeof pull->target);
  memcpy(pull->translation, def->translation, sizeof pull->translation);
  memcpy(pull->force, def->force, sizeof pull->force);
  take_spot(pull, index, &def->at);
  return PL_OK;
}

pl_status pl_pull_steady(pl_pull *pull, double damping, pl_error *error)
{
  if (!(damping >= 0 && damping <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the steadying of a touch = %g must lie between 0 and 1e+15", damping);
  pull->steadying = damping;
  return PL_OK;
}

pl_status pl_pull_make(pl_pull *pull, const pl_pull_def *def, pl_error *error)
{
  pl_status status = pl_pull_set(pull, pull->base.acts_on[0], def, error);
  return status ? status
                : pl_jacobian_create(pull->base.bodies, PL_PULL_PARTS, &pull->jacobian, error);
}

static void destroy(pl_coupling *self)
{
  pl_pull *pull = (pl_pull *)self;
  pl_jacobian_release(&pull->jacobian);
  pl_ramp_release(self->bodies->allocator, &pull->ramp);
}

static void follow(pl_coupling *self, const pl_renumbering *change)
{
  pl_pull *pull = (pl_pull *)self;
  for (int i = 0; i < pull->part_count && change->gone; i++)
    pull->parts[i].body -= pull->parts[i].body > change->body;
}

const pl_coupling_ops pl_coupling_pull = {
    .info = {"pull", "a spring between a point of a body and a target in space",
             "Mueller et al. 2002, 4.3", NULL, 0, NULL},
    .makes_pairs = 1,
    .size = sizeof(pl_pull),
    .destroy = destroy,
    .follow = follow,
    .begin = begin,
    .evaluate = evaluate,
};
