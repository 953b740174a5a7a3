/* Rigid parts of bodies: bones with a skin of elements around them.
 *
 * At the beginning of a step a part with its nodes at x = c + r can move with velocities
 * V + w x r: six columns, made orthonormal by 1/sqrt(n) and, for w, by the eigenvectors of
 * J = sum |r|^2 I - r r^T over the roots of its eigenvalues; a hinge leaves out V, and an axis all
 * of w but one direction. The filter keeps what a step computes in that space and the solver sees
 * nothing else (sparse/condense.h). A step so made moves along tangents; at its end the part is
 * turned by the rotation of the same vector instead, exp(w), about its mass centre or hinge, and
 * spins so that its angular momentum is what the step gave it: w1 = I1^-1 I0 w. Mueller et al.
 * 2002, sections 4.3 and 4.4, where the skull follows no force of the skin; here it does. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/fix.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

pl_rigid_def pl_rigid_def_default(void)
{
  return (pl_rigid_def){.axis = {0, 0, 1}, .cookie = PL_COOKIE};
}

/* ---- making one ---- */

static pl_status check(const pl_rigid_def *def, const pl_body *body, pl_error *error)
{
  double length = pl_vec3_norm(def->axis), centre = pl_vec3_norm(def->centre);
  if (body->model->anchors)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "body \"%.80s\" has frames, which cannot be rigid in part; use model=\"fem\"",
                   body->name);
  if ((int)def->hinge < PL_HINGE_NONE || def->hinge > PL_HINGE_AXIS || !isfinite(centre))
    return pl_fail(error, PL_E_ARGUMENT, "a rigid part needs a known hinge and a finite centre");
  if (def->hinge == PL_HINGE_AXIS && (!(length > 0) || !isfinite(length + 1 / length)))
    return pl_fail(error, PL_E_ARGUMENT, "axis = %g %g %g has no direction", def->axis[0],
                   def->axis[1], def->axis[2]);
  return PL_OK;
}

/* Marks elements whose nodes are all chosen, and those nodes (2); returns how many elements. */
static int mark(const pl_body *body, unsigned char *chosen, unsigned char *rigid)
{
  const pl_mesh *mesh = body->inside;
  size_t n = (size_t)mesh->nodes_per_element;
  int count = 0;
  for (size_t e = 0; e < (size_t)mesh->element_count; e++) {
    int all = 1;
    for (size_t a = 0; a < n; a++) all &= chosen[body->order[mesh->elements[n * e + a]]] != 0;
    if (!all) continue;
    count++;
    rigid[e] = 1;
    for (size_t a = 0; a < n; a++) chosen[body->order[mesh->elements[n * e + a]]] = 2;
  }
  return count;
}

/* The part's blocks. */
static pl_status take_nodes(pl_world *world, const pl_body *body, const unsigned char *chosen,
                            pl_core *core, pl_error *error)
{
  for (int i = 0; i < body->blocks; i++) core->count += chosen[body->order[i]] == 2;
  core->nodes = pl_alloc(&world->allocator, (size_t)core->count, sizeof *core->nodes);
  core->basis = pl_alloc(&world->allocator, 18 * (size_t)core->count, sizeof *core->basis);
  if (!core->nodes || !core->basis) return pl_fail_memory(error);
  for (int i = 0, k = 0; i < body->blocks; i++) {
    if (chosen[body->order[i]] == 2) core->nodes[k++] = body->offset + i;
  }
  for (size_t c = 0; c < world->core_count; c++) {
    const pl_core *other = &world->cores[c];
    for (int i = 0, k = 0; i < core->count; i++) {
      while (k < other->count && other->nodes[k] < core->nodes[i]) k++;
      if (k < other->count && other->nodes[k] == core->nodes[i])
        return pl_fail(error, PL_E_ARGUMENT,
                       "two rigid parts of body \"%.80s\" share a node; unite them", body->name);
    }
  }
  return PL_OK;
}

/* The model without the forces of rigid elements. */
static pl_status rebuild(pl_world *world, pl_body *body, const unsigned char *rigid,
                         pl_model **model, pl_error *error)
{
  pl_material material;
  pl_status status = pl_material_make(&body->material, &body->law, &material, error);
  pl_sites sites = pl_body_sites(&world->bodies, body);
  sites.rigid = rigid;
  if (status) return status;
  return pl_body_build(&world->allocator, body, &body->material, &material, &sites, model, error);
}

static pl_status select_elements(pl_world *world, const pl_body *body, const pl_rigid_def *def,
                                 unsigned char *rigid, pl_core *core, int *elements,
                                 pl_error *error)
{
  unsigned char *chosen = pl_alloc(&world->allocator, (size_t)body->mesh->node_count, 1);
  pl_status status = chosen ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_nodes(body->mesh, def->where, def->where_count, chosen, NULL, error);
  if (!status) *elements = mark(body, chosen, rigid);
  if (!status && *elements == 0)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "the region holds no element of body \"%.80s\" as a whole", body->name);
  if (!status) status = take_nodes(world, body, chosen, core, error);
  pl_free(&world->allocator, chosen);
  return status;
}

pl_status pl_world_add_rigid(pl_world *world, pl_body_id id, const pl_rigid_def *def, int *elements,
                             pl_error *error)
{
  const pl_body *found;
  pl_core core = {0};
  int count = 0;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_rigid", error);
  if (!status) status = pl_world_find_body(world, id, &found, error);
  if (!status) status = check(def, found, error);
  if (!status)
    status = pl_world_one_more(world, &world->cores, world->core_count, &world->core_room,
                               sizeof core, error);
  if (status) return status;
  core.body = id.index1 - 1;
  core.hinge = def->hinge;
  pl_vec3_copy(def->centre, core.centre);
  if (core.hinge == PL_HINGE_AXIS) pl_vec3_scale(1 / pl_vec3_norm(def->axis), def->axis, core.axis);

  pl_body *body = &world->bodies.list[core.body];
  pl_model *model = NULL;
  unsigned char *rigid = pl_alloc(&world->allocator, (size_t)body->mesh->element_count, 1);
  if (!rigid) return pl_fail_memory(error);
  if (body->rigid) memcpy(rigid, body->rigid, (size_t)body->mesh->element_count);
  status = select_elements(world, body, def, rigid, &core, &count, error);
  if (!status) status = rebuild(world, body, rigid, &model, error);
  if (status) {
    pl_free(&world->allocator, rigid);
    pl_free(&world->allocator, core.nodes);
    pl_free(&world->allocator, core.basis);
    return status;
  }
  pl_world_unprepare(world);
  pl_model_destroy(body->model);
  pl_free(&world->allocator, body->rigid);
  body->model = model;
  body->rigid = rigid;
  world->cores[world->core_count++] = core;
  if (elements) *elements = count;
  return PL_OK;
}

pl_status pl_cores_prepare(pl_world *world, pl_error *error)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->set.integrator.member;
  if (!world->core_count) return PL_OK;
  if (!ops->is_implicit || ops->is_static || ops->only_nodes)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "integrator \"%s\" does not know of rigid parts; use an implicit one in time, "
                   "such as \"implicit-euler\"",
                   ops->info.name);
  world->rigids = pl_alloc(&world->allocator, world->core_count, sizeof *world->rigids);
  world->in_core = pl_alloc(&world->allocator, (size_t)world->bodies.blocks, 1);
  if (!world->rigids || !world->in_core) return pl_fail_memory(error);
  for (size_t c = 0; c < world->core_count; c++) {
    const pl_core *core = &world->cores[c];
    world->rigids[c] = (pl_rigid){core->count, core->nodes, core->basis};
    for (int i = 0; i < core->count; i++) world->in_core[core->nodes[i]] = 1;
  }
  for (const pl_coupling *at = NULL;
       (at = pl_couplings_next(&world->couplings, &pl_coupling_fix, at)) != NULL;) {
    const pl_fix *fix = (const pl_fix *)at;
    const pl_body *body = &world->bodies.list[at->acts_on[0]];
    for (int i = 0; i < fix->count; i++) {
      if (!world->in_core[body->offset + fix->nodes[i]]) continue;
      return pl_fail(
          error, PL_E_ARGUMENT,
          "node %d of body \"%.80s\" is held and part of something rigid; hold that by a "
          "hinge, or leave it to <move> alone",
          body->order[fix->nodes[i]], body->name);
    }
  }
  pl_cores_begin(world);
  return PL_OK;
}

/* ---- the step ---- */

static double node_mass(const pl_world *world, const pl_core *core, int i)
{
  const pl_body *body = &world->bodies.list[core->body];
  return body->model->lumped_mass[core->nodes[i] - body->offset];
}

/* The mean of the nodes, by number or by mass. */
static void middle(const pl_world *world, const pl_core *core, const double *q, int by_mass,
                   double out[3])
{
  double sum = 0;
  memset(out, 0, 3 * sizeof *out);
  for (int i = 0; i < core->count; i++) {
    double weight = by_mass ? node_mass(world, core, i) : 1;
    pl_vec3_add_scaled(weight, q + 3 * (size_t)core->nodes[i], out);
    sum += weight;
  }
  pl_vec3_scale(1 / sum, out, out);
}

/* J about a centre: sum of weight (|r|^2 I - r r^T). */
static void inertia(const pl_world *world, const pl_core *core, const double *q,
                    const double centre[3], int by_mass, double J[9])
{
  memset(J, 0, 9 * sizeof *J);
  for (int i = 0; i < core->count; i++) {
    double r[3], weight = by_mass ? node_mass(world, core, i) : 1;
    pl_vec3_sub(q + 3 * (size_t)core->nodes[i], centre, r);
    for (int k = 0; k < 9; k++)
      J[k] += weight * ((k % 4 == 0 ? pl_vec3_dot(r, r) : 0) - r[k / 3] * r[k % 3]);
  }
}

/* The directions of w that are in use, scaled; zero the others. */
static void directions(const pl_core *core, const double J[9], double d[3][3])
{
  double values[3], Q[9], along[3];
  memset(d, 0, 9 * sizeof(double));
  if (core->hinge == PL_HINGE_AXIS) {
    pl_mat3_apply(J, core->axis, along);
    double size = pl_vec3_dot(along, core->axis);
    if (size > 0) pl_vec3_scale(1 / sqrt(size), core->axis, d[0]);
    return;
  }
  pl_eigen(J, values, Q);
  for (int a = 0; a < 3; a++) {
    double v[3] = {Q[a], Q[3 + a], Q[6 + a]};
    // nodes on a line cannot turn about it
    if (values[a] > 1e-12 * values[0]) pl_vec3_scale(1 / sqrt(values[a]), v, d[a]);
  }
}

static void begin(const pl_world *world, pl_core *core)
{
  const double *q = world->state.q;
  double c[3], J[9], d[3][3];
  pl_vec3_copy(core->centre, c);
  if (core->hinge == PL_HINGE_NONE) middle(world, core, q, 0, c);
  inertia(world, core, q, c, 0, J);
  directions(core, J, d);
  for (int i = 0; i < core->count; i++) {
    double *T = core->basis + 18 * (size_t)i, r[3], turn[3];
    pl_vec3_sub(q + 3 * (size_t)core->nodes[i], c, r);
    for (int k = 0; k < 9; k++)
      T[6 * (k / 3) + k % 3] =
          k % 4 == 0 && core->hinge == PL_HINGE_NONE ? 1 / sqrt(core->count) : 0;
    for (int a = 0; a < 3; a++) {
      pl_vec3_cross(d[a], r, turn);
      for (int k = 0; k < 3; k++) T[6 * k + 3 + a] = turn[k];
    }
  }
}

void pl_cores_begin(pl_world *world)
{
  for (size_t c = 0; c < world->core_count; c++) begin(world, &world->cores[c]);
}

/* V at the point and w of the rigid motion in x, a vector of the world (minus another, or NULL). */
static void read_motion(const pl_world *world, const pl_core *core, const double *x,
                        const double *minus, const double point[3], double V[3], double w[3])
{
  const double *q = world->before.q;
  double c[3], J[9], inverse[9] = {0}, moment[3] = {0}, r[3], m[3], arm[3], turn[3];
  memset(V, 0, 3 * sizeof *V);
  memset(w, 0, 3 * sizeof *w);
  pl_vec3_copy(core->centre, c);
  if (core->hinge == PL_HINGE_NONE) middle(world, core, q, 0, c);
  inertia(world, core, q, c, 0, J);
  for (int i = 0; i < core->count; i++) {
    size_t at = 3 * (size_t)core->nodes[i];
    double way[3];
    pl_vec3_copy(x + at, way);
    if (minus) pl_vec3_sub(x + at, minus + at, way);
    pl_vec3_sub(q + at, c, r);
    pl_vec3_cross(r, way, m);
    pl_vec3_add(moment, m, moment);
    if (core->hinge == PL_HINGE_NONE) pl_vec3_add_scaled(1.0 / core->count, way, V);
  }
  if (core->hinge == PL_HINGE_AXIS) {
    pl_mat3_apply(J, core->axis, m);
    pl_vec3_scale(pl_vec3_dot(moment, core->axis) / pl_vec3_dot(m, core->axis), core->axis, w);
  } else {
    pl_mat3_inverse(J, inverse);
    pl_mat3_apply(inverse, moment, w);
  }
  pl_vec3_sub(point, c, arm);
  pl_vec3_cross(w, arm, turn);
  pl_vec3_add(V, turn, V);
}

/* out = exp(w) r, by Rodrigues' formula. */
static void turn_by(const double w[3], const double r[3], double out[3])
{
  double angle = pl_vec3_norm(w), once[3], twice[3];
  double s = angle > 1e-4 ? sin(angle) / angle : 1 - angle * angle / 6;
  double half = 0.5 * angle, t = half > 1e-4 ? sin(half) / half : 1 - half * half / 6;
  pl_vec3_cross(w, r, once);
  pl_vec3_cross(w, once, twice);
  pl_vec3_copy(r, out);
  pl_vec3_add_scaled(s, once, out);
  pl_vec3_add_scaled(0.5 * t * t, twice, out);
}

static void finish(pl_world *world, const pl_core *core)
{
  const double *q0 = world->before.q;
  double *q = world->state.q, *v = world->state.v;
  double c[3], way[3], turn[3], V[3], w[3], I0[9], I1[9], inverse[9] = {0}, L[3], r[3];
  pl_vec3_copy(core->centre, c);
  if (core->hinge == PL_HINGE_NONE) middle(world, core, q0, 1, c);
  read_motion(world, core, q, q0, c, way, turn);
  read_motion(world, core, v, NULL, c, V, w);
  inertia(world, core, q0, c, 1, I0);

  // where the nodes are now
  for (int i = 0; i < core->count; i++) {
    double *at = q + 3 * (size_t)core->nodes[i], turned[3];
    pl_vec3_sub(q0 + 3 * (size_t)core->nodes[i], c, r);
    turn_by(turn, r, turned);
    pl_vec3_add(c, turned, at);
    pl_vec3_add(at, way, at);
  }
  pl_vec3_add(c, way, c);

  // the same angular momentum with the turned inertia
  if (core->hinge != PL_HINGE_AXIS) {
    inertia(world, core, q, c, 1, I1);
    pl_mat3_apply(I0, w, L);
    pl_mat3_inverse(I1, inverse);
    pl_mat3_apply(inverse, L, w);
  }
  for (int i = 0; i < core->count; i++) {
    double *speed = v + 3 * (size_t)core->nodes[i];
    pl_vec3_sub(q + 3 * (size_t)core->nodes[i], c, r);
    pl_vec3_cross(w, r, speed);
    pl_vec3_add(speed, V, speed);
  }
}

void pl_cores_finish(pl_world *world)
{
  for (size_t c = 0; c < world->core_count; c++) finish(world, &world->cores[c]);
}
