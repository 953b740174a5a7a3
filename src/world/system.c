/* What an integrator sees of the world: all bodies and couplings as one system. */
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/dependent.h"
#include "model/divided.h"
#include "model/quadrature.h"
#include "sparse/passes.h"
#include "world/world.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static pl_world *world_of(pl_system *system)
{
  return (pl_world *)((char *)system - offsetof(pl_world, system));
}

/* How far a time is in the substep; at its end its length, without the rounding of times. */
static double since_start(const pl_world *world, double t)
{
  const double start = world->substep.start, length = world->substep.length;
  return t == start + length ? length : fmax(t - start, 0);
}

/* In statics everything has had its time. */
static pl_moment moment_at(pl_system *system, double t, const double *q, const double *v)
{
  double h = system->is_static ? INFINITY : since_start(world_of(system), t);
  return (pl_moment){.t = t,
                     .h = h,
                     .q = q,
                     .v = v,
                     .load_scale = system->load_scale,
                     .stage = system->pass.stage,
                     .share = system->pass.share};
}

typedef struct evaluation {
  pl_system *system;
  const pl_moment *at;
  double *f;
  const pl_tangent *tangent;
} evaluation;

/* Force and matrix of one body by itself. */
static void evaluate_body(const evaluation *job, int b, pl_pool *pool)
{
  pl_system *system = job->system;
  const pl_body *body = &world_of(system)->bodies.list[b];
  const pl_tangent *tangent = job->tangent;
  int offset = 3 * body->offset;
  // iterations correct what the rigid motion is not damped; a single linear solve could not
  int lags = pl_body_spares_rigid_motion(body) && system->is_linear;
  double mass = tangent ? tangent->km + (lags ? 0 : tangent->kv * body->mass_damping) : 0;
  pl_moment own = *job->at;
  own.q += offset;
  own.v += offset;
  if (!system->relations || !body->model->ops->relations)
    body->model->ops->evaluate(body->model, &own, job->f ? job->f + offset : NULL, tangent, pool);
  if (mass != 0) body->model->ops->mass_matrix(body->model, mass, tangent->A, pool);
}

static void evaluate_alone(void *context, int b) { evaluate_body(context, b, NULL); }

/* May threads take a body each? Where none is a large part of all, and none waits for other
 * processes; with a matrix only, else there is less to do than that would cost. */
static int takes_bodies_each(const pl_world *world, const pl_tangent *tangent)
{
  enum { SHARES = 8 }; /* of all blocks, that no body has more than one of */
  if (!tangent || world->bodies.count < SHARES) return 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (SHARES * (int64_t)body->blocks > world->bodies.blocks) return 0;
    if (pl_model_owners(body->model)) return 0;
  }
  return 1;
}

/* Forces and matrix of all bodies by themselves. */
static void evaluate_bodies(pl_system *system, const pl_moment *at, double *f,
                            const pl_tangent *tangent)
{
  const pl_world *world = world_of(system);
  evaluation job = {system, at, f, tangent};
  if (f) pl_pass_clear(f, system->blocks, system->pool);
  int is_each = takes_bodies_each(world, tangent);
  if (is_each) pl_parallel(system->pool, (int)world->bodies.count, evaluate_alone, &job);
  for (int b = 0; b < (int)world->bodies.count && !is_each; b++) {
    const pl_body *body = &world->bodies.list[b];
    int gathers =
        pl_dependent_defers(body->model) && !tangent ? 0 : pl_pool_gather(system->pool, 0);
    evaluate_body(&job, b, system->pool);
    if (gathers) pl_pool_gather(system->pool, 1);
  }
}

static void evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                     const pl_tangent *tangent)
{
  pl_world *world = world_of(system);
  const pl_moment at = moment_at(system, t, q, v);
  int is_repeated = system->is_linear && f && tangent && world->substep.pass > 1;
  int may_repeat = system->is_linear && f && tangent && world->substep.pass == 1 &&
                   pl_pairs_exist(tangent->extra);
  if (tangent && tangent->extra) pl_pairs_clear(tangent->extra);
  if (!is_repeated ||
      !pl_answer_give(&world->answer, &at, system->blocks, f, tangent, system->pool))
    evaluate_bodies(system, &at, f, tangent);
  world->answer.is_there &= is_repeated;
  if (may_repeat)
    pl_answer_keep(&world->allocator, &world->answer, &at, system->blocks, f, tangent,
                   system->pool);
  for (int internal = 0; internal < 2; internal++)
    pl_couplings_evaluate(&world->couplings, &at, internal, f, tangent);
}

static void external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  pl_world *world = world_of(system);
  const pl_moment at = moment_at(system, t, q, v);
  pl_pass_clear(f, system->blocks, system->pool);
  pl_couplings_evaluate(&world->couplings, &at, 0, f, NULL);
}

static void mass_add(pl_system *system, double a, const double *x, double *y)
{
  pl_world *world = world_of(system);
  int gathers = pl_pool_gather(system->pool, 0);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    int offset = 3 * body->offset;
    body->model->ops->mass_add(body->model, a, x + offset, y + offset, system->pool);
  }
  pl_pool_gather(system->pool, gathers);
}

static void mass_inverse(pl_system *system, const double *y, double *x)
{
  pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *from = y + 3 * body->offset;
    double *to = x + 3 * body->offset;
    if (body->model->ops->mass_inverse) {
      pl_settle(system->pool);
      body->model->ops->mass_inverse(body->model, from, to);
      continue;
    }
    pl_pass_divide(from, body->model->lumped_mass, to, body->blocks, system->pool);
  }
}

static void retract(pl_system *system, const double *q, const double *dq, double *out)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_model *model = world->bodies.list[b].model;
    int offset = 3 * world->bodies.list[b].offset;
    if (pl_model_has_rotations(model)) pl_settle(system->pool);
    if (pl_model_has_rotations(model))
      pl_model_retract(model, q + offset, dq + offset, out + offset);
    else
      pl_pass_move(q + offset, dq + offset, out + offset, model->blocks, system->pool);
  }
}

/* r = J^T r and A = J^T A J for the rotations of one body; J is the jacobian of dq. */
static void chart_body(const pl_body *body, const double *dq, double *r, pl_bsr *A, pl_pairs *pairs)
{
  for (int i = 0; i < body->blocks; i++) {
    if (!pl_model_is_rotation(body->model, i)) continue;
    int row = body->offset + i;
    double J[9], product[9], turned[3];
    pl_rotation_jacobian(dq + 3 * row, J);
    pl_mat3_apply_t(J, r + 3 * row, turned);
    pl_vec3_copy(turned, r + 3 * row);
    if (A && pl_pairs_exist(pairs)) pl_pairs_turn(pairs, row, J);
    for (int k = A ? A->start[row] : 0; A && k < A->start[row + 1]; k++) {
      double *block = A->values + 9 * (size_t)k;
      // blocks are stored by columns: J^T A is block times J
      pl_mat3_multiply(block, J, product);
      memcpy(block, product, sizeof product);
      // and the block across the diagonal, from the other side
      block = A->values + 9 * (size_t)pl_bsr_find(A, A->columns[k], row);
      pl_mat3_multiply_tn(J, block, product);
      memcpy(block, product, sizeof product);
    }
  }
}

static void chart(pl_system *system, const double *dq, double *r, pl_bsr *A)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (pl_model_has_rotations(body->model)) chart_body(body, dq, r, A, system->pairs);
  }
}

/* A block that carries the node. */
static int block_of(const pl_body *body, int node)
{
  const int *blocks = &node;
  const double *weights;
  if (body->model->ops->carriers) body->model->ops->carriers(body->model, node, &blocks, &weights);
  return blocks[0];
}

static int has_wall(const pl_body *body, int element)
{
  const pl_composition *composition = &body->composition;
  int part = composition->part_of ? composition->part_of[body->element_order[element]] : 0;
  const pl_selection *law = part ? &composition->parts[part - 1].law : &body->law;
  return ((const pl_law_ops *)(const void *)law->member)->has_wall;
}

/* Is the volume of an element, or at a point of a quadratic one, not positive? */
static int is_folded(const pl_mesh *mesh, const double *x, int element)
{
  int n = mesh->nodes_per_element;
  if (!mesh->quadratic) return pl_element_volume(x, mesh->elements + n * element, n) <= 0;
  const int *nodes = mesh->octets + PL_OCTET_NODES * mesh->element_octets[element];
  double J[3][3];
  for (int p = 0; p < pl_quadrature_points(PL_OCTET_NODES); p++) {
    pl_quadrature at = pl_quadrature_at(PL_OCTET_NODES, p);
    if (pl_quadrature_jacobian(&at, x, nodes, PL_OCTET_NODES, J) <= 0) return 1;
  }
  return 0;
}

/* 1 + a block of the body's first folded element of those that are here. */
static int folded_here1(const pl_body *body, const double *x)
{
  const int *list = NULL;
  const pl_mesh *share = pl_model_share(body->model, &list), *mesh = share ? share : body->inside;
  for (int e = 0; e < mesh->element_count; e++) {
    if (has_wall(body, list ? list[e] : e) && is_folded(mesh, x, e))
      return 1 + body->offset + block_of(body, mesh->elements[mesh->nodes_per_element * e]);
  }
  return 0;
}

/* Elements of laws that have no state inside out; of a hexahedron by its volume as a whole. */
static int folded1(pl_system *system, const double *q)
{
  const pl_world *world = world_of(system);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    // the law acts in the elements only where these are what is deformed, and have strain
    const pl_model *model = body->model;
    if (model->frame_count || !model->ops->strains) continue;
    int found = folded_here1(body, pl_body_nodes(body, q + 3 * body->offset, NULL));
    if (pl_model_owners(model)) found = pl_divided_max(model, found);
    if (found) return found;
  }
  return 0;
}

static void prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  pl_world_prescribe(world_of(system), t, h, q, v);
}

static pl_status limit(pl_system *system, double t, const double *q, const double *dq, double *part,
                       int *worst1, pl_error *error)
{
  pl_world *world = world_of(system);
  double *to = world->vectors.scratch;
  pl_status status = PL_OK;
  retract(system, q, dq, to);
  *part = 1;
  for (size_t i = 0; i < world->couplings.count && !status; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->guard)
      status = coupling->ops->guard->limit(coupling, t, q, to, part, worst1, error);
  }
  return status;
}

static void go(pl_system *system, double part)
{
  const pl_world *world = world_of(system);
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->guard) coupling->ops->guard->go(coupling, part);
  }
}

static void strike(pl_system *system, int at_end, double t, double h, const double *q, double *v)
{
  const pl_world *world = world_of(system);
  const pl_strike at = {.system = system, .at_end = at_end, .t = t, .h = h, .q = q, .v = v};
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->strike) coupling->ops->strike(coupling, &at);
  }
}

/* ---- smaller steps by region ---- */

static pl_status mark_fast(pl_system *system, double h, double frequency, unsigned char *marks,
                           double largest[2], pl_error *error)
{
  const pl_world *world = world_of(system);
  largest[0] = largest[1] = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    double bounds[2];
    if (!body->model->ops->stability.mark_fast) continue;
    pl_status status = body->model->ops->stability.mark_fast(body->model, h, frequency * frequency,
                                                             marks + body->offset, bounds, error);
    if (status) return status;
    largest[0] = fmax(largest[0], sqrt(bounds[0]));
    largest[1] = fmax(largest[1], bounds[1]);
  }
  return PL_OK;
}

static pl_status select_fast(pl_system *system, unsigned char *marks, pl_error *error)
{
  const pl_world *world = world_of(system);
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (body->model->ops->stability.mark_fast)
      status = body->model->ops->stability.select(body->model, marks + body->offset, error);
  }
  return status;
}

static void evaluate_selected(pl_system *system, double t, const double *q, const double *v,
                              double *f)
{
  const pl_world *world = world_of(system);
  const pl_moment at = moment_at(system, t, q, v);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    int offset = 3 * body->offset;
    pl_moment own = at;
    own.q += offset;
    own.v += offset;
    if (body->model->ops->stability.mark_fast)
      body->model->ops->stability.evaluate_selected(body->model, &own, f + offset, system->pool);
  }
}

/* Where no block rotates there is nothing to chart. */
#define OPS(chart)                                                                                 \
  {                                                                                                \
    evaluate, external, mass_add, mass_inverse, retract, prescribe, chart, folded1, limit, go,     \
        strike, mark_fast, select_fast, evaluate_selected                                          \
  }
static const pl_system_ops plain_ops = OPS(NULL), turning_ops = OPS(chart);

const pl_system_ops *pl_world_system_ops(const pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (pl_model_has_rotations(world->bodies.list[b].model)) return &turning_ops;
  }
  return &plain_ops;
}
