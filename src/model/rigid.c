/* A rigid body: a rotation R and a point p carry all nodes, x = p + R (X - P). P is the hinge, or
 * the mass centre where there is none. With r = R (C - P) the way to the mass centre, m the mass
 * and I = R I0 R^T the inertia about P,
 *
 *   M = [ I     m [r] ]      I w' + m r x p'' = torque - w x I w
 *       [ -m [r]  m 1 ]      m p'' + m w' x r = force - m w x (w x r),
 *
 * [r] e = r x e (Goldstein, Classical Mechanics, 5.5; sign: v = p' + w x (x - p)). A force F on a
 * node at the arm a is (a x F, F), and turns with the body: its second derivative is
 * (F . a) 1 - (F a^T + a F^T) / 2 at the rotation. The slope of the inertial forces, which is not
 * symmetric, is left out of the matrix: Newton's method takes them as they are.
 *
 * Moduli of the material serve contact only: they say how hard the surface is. */
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/moments.h"
#include "model/nearest.h"

#include <math.h>
#include <string.h>

#define LEAST_INERTIA 1e-12 /* of the largest moment: below it a body cannot be turned */

enum { HINGE, CENTRE, AXIS, THICKNESS, PARAM_COUNT };
enum { HINGE_AT = 0, CENTRE_AT = 1, AXIS_AT = 4, THICKNESS_AT = 7 }; /* places of the values */
enum { TURN, POINT };                                                /* the two blocks */

static const pl_param params[PARAM_COUNT] = {
    [HINGE] = {"hinge", "1",
               "what holds the body: nothing; a point, about which it turns; or an axis",
               PL_PART_FREE, 0, 2, "none|ball|axis", 1},
    [CENTRE] = {"hinge-at", "m", "a point of the rest shape, about which a hinged body turns", 0,
                -1e9, 1e9, NULL, 3},
    [AXIS] = {"hinge-axis", "1", "direction of hinge=\"axis\"; not given: z", NAN, -1e9, 1e9, NULL,
              3},
    [THICKNESS] = {"thickness", "m",
                   "of a mesh of triangles, which is a shell then; 0: it is solid inside, and must "
                   "be closed",
                   0, 0, 1e3, NULL, 1},
};

typedef struct rigid {
  int nodes, elements, is_solid; /* of the mesh */
  pl_part_hinge hinge;
  double P[3], axis[3], mass, arm[3]; /* arm: of the mass centre at rest */
  double inertia[9], inverse[9];      /* about P at rest; along what is free */
  // as settled
  double R[9], I[9], free[9], r[3];
  double *arms, *node_mass; /* of nodes at rest, 3 each; kg, see pl_moments_of_mesh */
  const double *positions;  /* of the mesh */
  double rest[6], lumped[2];
  int anchors[2], *node_block, clique[2];
  pl_block_hold holds[2];
  int offset;
} rigid;

static const unsigned char kinds[2] = {PL_BLOCK_ROTATION, PL_BLOCK_POINT};

static void rotation_at(const double *q, double R[9])
{
  double quat[4];
  pl_quat_of_vector(q + 3 * TURN, quat);
  pl_quat_matrix(quat, R);
}

/* out = R A R^T. */
static void turn_tensor(const double R[9], const double A[9], double out[9])
{
  double half[9];
  pl_mat3_multiply(R, A, half);
  pl_mat3_multiply_nt(half, R, out);
  pl_mat3_symmetric(out, out);
}

static void update_mass(pl_model *self, const double *q)
{
  rigid *at = self->state;
  rotation_at(q, at->R);
  turn_tensor(at->R, at->inertia, at->I);
  turn_tensor(at->R, at->inverse, at->free);
  pl_mat3_apply(at->R, at->arm, at->r);
}

/* ---- force, matrix and mass ---- */

/* f -= inertial forces of turning. */
static void add_gyroscopic(const rigid *at, const double *v, double *f)
{
  const double *w = v + 3 * TURN;
  double L[3], torque[3], speed[3], inward[3];
  pl_mat3_apply(at->I, w, L);
  pl_vec3_cross(w, L, torque);
  pl_vec3_add_scaled(-1, torque, f + 3 * TURN);
  pl_vec3_cross(w, at->r, speed);
  pl_vec3_cross(w, speed, inward);
  pl_vec3_add_scaled(-at->mass, inward, f + 3 * POINT);
}

static void evaluate(pl_model *self, const pl_moment *moment, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  const rigid *at = self->state;
  (void)pool;
  update_mass(self, moment->q);
  if (tangent && tangent->A) {
    pl_bsr *A = tangent->A;
    int first = A->start[at->offset], last = A->start[at->offset + 2];
    memset(A->values + 9 * (size_t)first, 0, 9 * (size_t)(last - first) * sizeof *A->values);
  }
  if (f && moment->v) add_gyroscopic(at, moment->v, f);
}

static void mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  const rigid *at = self->state;
  const double *w = x + 3 * TURN, *p = x + 3 * POINT;
  double L[3], lever[3], speed[3];
  (void)pool;
  pl_mat3_apply(at->I, w, L);
  pl_vec3_cross(at->r, p, lever);
  pl_vec3_cross(w, at->r, speed);
  pl_vec3_add_scaled(a, L, f + 3 * TURN);
  pl_vec3_add_scaled(a * at->mass, lever, f + 3 * TURN);
  pl_vec3_add_scaled(a * at->mass, p, f + 3 * POINT);
  pl_vec3_add_scaled(a * at->mass, speed, f + 3 * POINT);
}

static void add_block(pl_bsr *A, int row, int column, double a, const double B[9])
{
  double *to = A->values + 9 * (size_t)pl_bsr_find(A, row, column);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) to[3 * j + i] += a * B[3 * i + j]; // stored by columns
  }
}

static void mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  const rigid *at = self->state;
  const double *r = at->r, m = at->mass, whole[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
  const double across[9] = {0, -m * r[2], m * r[1], m * r[2], 0, -m * r[0], -m * r[1], m * r[0], 0};
  int turn = at->offset + TURN, point = at->offset + POINT;
  (void)pool;
  add_block(A, turn, turn, a, at->I);
  add_block(A, point, point, a, whole);
  if (at->hinge == PL_PART_FREE) return;
  add_block(A, turn, point, a, across);
  add_block(A, point, turn, -a, across);
}

static void mass_inverse(const pl_model *self, const double *y, double *x)
{
  const rigid *at = self->state;
  double spin[3];
  pl_mat3_apply(at->free, y + 3 * TURN, spin);
  pl_vec3_copy(spin, x + 3 * TURN);
  pl_vec3_scale(at->hinge == PL_PART_FREE ? 1 / at->mass : 0, y + 3 * POINT, x + 3 * POINT);
}

static pl_cliques cliques(const pl_model *self)
{
  const rigid *at = self->state;
  return (pl_cliques){.count = 1, .size = 2, .nodes = at->clique};
}

static pl_status bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  rigid *at = self->state;
  at->offset = offset;
  if (pl_bsr_find(A, offset + TURN, offset + POINT) >= 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the matrix has no block for a rigid body's rotation and place; build it from the "
                 "model's cliques");
}

/* Nothing is strained. */
static void fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  const rigid *at = self->state;
  (void)q, (void)pool;
  for (int e = 0; e < at->elements; e++) {
    if (von_mises) von_mises[e] = 0;
    if (det_f) det_f[e] = 1;
  }
}

/* ---- nodes ---- */

static void nodes(const pl_model *self, const double *q, const double *v, double *out)
{
  const rigid *at = self->state;
  double R[9], arm[3];
  rotation_at(q, R);
  for (int n = 0; n < at->nodes; n++) {
    double *to = out + 3 * (size_t)n;
    pl_mat3_apply(R, at->arms + 3 * (size_t)n, arm);
    if (v) {
      pl_vec3_cross(v + 3 * TURN, arm, to);
      pl_vec3_add(to, v + 3 * POINT, to);
    } else {
      pl_vec3_add(q + 3 * POINT, arm, to);
    }
  }
}

static void spread(const pl_model *self, const double *q, const double *nodal, double *f)
{
  const rigid *at = self->state;
  double R[9], arm[3], torque[3];
  rotation_at(q, R);
  for (int n = 0; n < at->nodes; n++) {
    const double *F = nodal + 3 * (size_t)n;
    pl_mat3_apply(R, at->arms + 3 * (size_t)n, arm);
    pl_vec3_cross(arm, F, torque);
    pl_vec3_add(f + 3 * TURN, torque, f + 3 * TURN);
    pl_vec3_add(f + 3 * POINT, F, f + 3 * POINT);
  }
}

static void curvature(const pl_model *self, const double *q, const double *nodal, double k,
                      pl_bsr *A)
{
  const rigid *at = self->state;
  double R[9], a[3], *to = A->values + 9 * (size_t)A->diagonal[at->offset + TURN];
  rotation_at(q, R);
  for (int n = 0; n < at->nodes; n++) {
    const double *F = nodal + 3 * (size_t)n;
    pl_mat3_apply(R, at->arms + 3 * (size_t)n, a);
    double along = pl_vec3_dot(F, a);
    for (int e = 0; e < 9; e++)
      to[e] += k * ((e % 4 == 0 ? along : 0) - 0.5 * (F[e / 3] * a[e % 3] + a[e / 3] * F[e % 3]));
  }
}

static int carriers(const pl_model *self, int node, const int **blocks, const double **weights)
{
  static const int both[2] = {TURN, POINT};
  static const double shares[2] = {0, 1};
  (void)self, (void)node;
  *blocks = both;
  *weights = shares;
  return 2;
}

static void jacobian(const pl_model *self, const double *q, int node, double x[3], double *J)
{
  const rigid *at = self->state;
  double R[9], r[3];
  rotation_at(q, R);
  pl_mat3_apply(R, at->arms + 3 * (size_t)node, r);
  pl_vec3_add(q + 3 * POINT, r, x);
  memset(J, 0, 18 * sizeof *J);
  J[1] = r[2], J[2] = -r[1], J[3] = -r[2], J[5] = r[0], J[6] = r[1], J[7] = -r[0];
  J[9] = J[13] = J[17] = 1;
}

static void fit(const pl_model *self, const double *x, const double *speed, double *q, double *v)
{
  const rigid *at = self->state;
  const pl_cloud cloud = {.count = at->nodes, .rest = at->positions, .x = x, .speed = speed};
  pl_nearest_motion(at->hinge, at->P, at->axis, &cloud, q, v);
}

/* ---- creation ---- */

/* P, arms, and inertia about P. */
static pl_status measure(rigid *at, const pl_moments *from, const double *values, pl_error *error)
{
  double centre[3], axis[3], principal[3], Q[9];
  pl_moments_centre(from, centre);
  at->mass = from->mass;
  pl_vec3_copy(at->hinge == PL_PART_FREE ? centre : values + CENTRE_AT, at->P);
  pl_vec3_sub(centre, at->P, at->arm);
  pl_moments_inertia(from, at->P, at->inertia);
  pl_eigen(at->inertia, principal, Q);
  if (!(principal[2] > LEAST_INERTIA * principal[0]))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a rigid body has no inertia about some axis; give it a volume");
  if (at->hinge != PL_PART_AXIS) {
    pl_mat3_inverse(at->inertia, at->inverse);
    return PL_OK;
  }
  pl_mat3_apply(at->inertia, at->axis, axis);
  for (int k = 0; k < 9; k++)
    at->inverse[k] = at->axis[k / 3] * at->axis[k % 3] / pl_vec3_dot(axis, at->axis);
  return PL_OK;
}

static pl_status take_axis(const double *given, double axis[3], pl_error *error)
{
  double length = pl_vec3_norm(given);
  pl_vec3_set(axis, 0, 0, 1);
  if (isnan(given[0]) && isnan(given[1]) && isnan(given[2])) return PL_OK;
  if (!(length > 0) || !isfinite(1 / length))
    return pl_fail(error, PL_E_ARGUMENT, "hinge-axis = %g %g %g has no direction", given[0],
                   given[1], given[2]);
  pl_vec3_scale(1 / length, given, axis);
  return PL_OK;
}

static void hold(pl_model *self, rigid *at)
{
  if (at->hinge == PL_PART_AXIS) {
    at->holds[self->hold_count].block = TURN;
    pl_hold_turns(at->axis, &at->holds[self->hold_count++]);
  }
  if (at->hinge != PL_PART_FREE)
    at->holds[self->hold_count++] = (pl_block_hold){POINT, 3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static void publish(pl_model *self, rigid *at)
{
  pl_vec3_copy(at->P, at->rest + 3 * POINT);
  at->lumped[POINT] = at->mass;
  at->clique[1] = 1;
  hold(self, at);
  self->blocks = 2;
  self->rest = at->rest;
  self->lumped_mass = at->lumped;
  self->kinds = kinds;
  self->anchors = at->anchors;
  self->node_block = at->node_block;
  if (at->hinge != PL_PART_FREE) self->node_mass = at->node_mass;
  self->holds = at->holds;
  self->is_solid = at->is_solid;
}

static pl_status create(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  size_t count = (size_t)mesh->node_count;
  rigid *at = self->state = pl_alloc(&self->allocator, 1, sizeof *at);
  pl_moments moments;
  if (!at) return pl_fail_memory(error);
  at->nodes = mesh->node_count;
  at->elements = mesh->element_count;
  at->is_solid = !(values[THICKNESS_AT] > 0);
  at->positions = mesh->nodes;
  at->hinge = (pl_part_hinge)values[HINGE_AT];
  at->arms = pl_alloc(&self->allocator, 3 * count, sizeof *at->arms);
  at->node_mass = pl_alloc(&self->allocator, count, sizeof *at->node_mass);
  at->node_block = pl_alloc(&self->allocator, count, sizeof *at->node_block);
  if (!at->arms || !at->node_mass || !at->node_block) return pl_fail_memory(error);
  pl_status status = take_axis(values + AXIS_AT, at->axis, error);
  if (!status)
    status = pl_moments_of_mesh(mesh, &self->sites, material, values[THICKNESS_AT],
                                &self->allocator, &moments, at->node_mass, error);
  if (!status) status = measure(at, &moments, values, error);
  if (status) return status;
  for (size_t n = 0; n < count; n++) {
    pl_vec3_sub(mesh->nodes + 3 * n, at->P, at->arms + 3 * n);
    at->node_block[n] = -1;
  }
  publish(self, at);
  update_mass(self, at->rest);
  return PL_OK;
}

static void destroy(pl_model *self)
{
  rigid *at = self->state;
  if (!at) return;
  pl_free(&self->allocator, at->arms);
  pl_free(&self->allocator, at->node_mass);
  pl_free(&self->allocator, at->node_block);
  pl_free(&self->allocator, at);
}

const pl_model_ops pl_model_rigid = {
    .info = {"rigid",
             "moves as one, with the mass and inertia of its mesh; hinged or free. The material's "
             "moduli make its surface hard or soft in contact",
             "Goldstein 1980, 5.5; Mirtich 1996", params, PARAM_COUNT, NULL},
    .meshes = PL_ON_SOLIDS | PL_ON_TRIANGLES,
    .is_rigid = 1,
    .create = create,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .update_mass = update_mass,
    .mass_inverse = mass_inverse,
    .fields = fields,
    .nodes = nodes,
    .spread = spread,
    .carriers = carriers,
    .jacobian = jacobian,
    .curvature = curvature,
    .fit = fit,
};
