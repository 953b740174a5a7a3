/* Rigid parts of a dependent model: their mass and inertia, where they are, and the motion that is
 * nearest to that of their nodes.
 *
 * The inertia about P is I = sum m (|a|^2 1 - a a^T) over the arms a of nodes; a hanging node that
 * a part carries with the weight w and the weighted arm a counts as w m at a / w. It turns with the
 * part: I = R I0 R^T. What a hinge holds is left out of the inverse, so that explicit methods see
 * the inertia about the hinge.
 *
 * The nearest rotation is the polar factor of sum m (x - c) (X - C)^T (Horn, Hilden, Negahdaripour
 * 1988); about an axis n it is the angle whose tangent is
 * sum m n . (A x a) / sum m (A . a - (n . A)(n . a)) with arms A at rest and a now. The nearest
 * motion has the same momenta: w = I^-1 sum m r x v. */
#include "core/error.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/dependent.h"

#include <math.h>
#include <string.h>

#define LEAST_INERTIA 1e-12 /* of the largest moment: below it a part cannot be turned */

static int part_of(const pl_dependent *at, int block) { return (block - at->free) / 2; }

/* Calls for every entry of a rotation: its node and its number. */
typedef void each_arm(pl_dependent *at, int node, int entry, void *context);

static void visit_arms(const pl_dependent *at, each_arm *call, void *context)
{
  for (int i = 0; i < at->other_count; i++) {
    int node = at->others[i];
    for (int k = at->carried.start[node]; k < at->carried.start[node + 1]; k++) {
      if (pl_dependent_turns(at, k)) call((pl_dependent *)at, node, k, context);
    }
  }
}

/* ---- where the arms are ---- */

static void turn_arm(pl_dependent *at, int node, int entry, void *context)
{
  double *arms = context;
  (void)node;
  pl_mat3_apply(at->R + 9 * part_of(at, at->carried.blocks[entry]),
                at->carried.arms + 3 * (size_t)entry, arms + 3 * (size_t)entry);
}

void pl_dependent_turn(const pl_dependent *at, const double *q, double *arms)
{
  for (int p = 0; p < at->part_count; p++) {
    double quat[4];
    pl_quat_of_vector(q + 3 * (at->free + 2 * p), quat);
    pl_quat_matrix(quat, at->R + 9 * p);
  }
  if (at->part_count) visit_arms(at, turn_arm, arms);
}

void pl_dependent_settle(pl_model *self, const double *q)
{
  pl_dependent *at = self->state;
  pl_dependent_turn(at, q, at->arms);
  for (int p = 0; p < at->part_count; p++) {
    pl_part_body *part = &at->parts[p];
    double half[9];
    pl_mat3_multiply(at->R + 9 * p, part->rest_inverse, half);
    pl_mat3_multiply_nt(half, at->R + 9 * p, part->inverse);
    pl_mat3_symmetric(part->inverse, part->inverse);
  }
}

/* ---- mass ---- */

static void add_moment(pl_dependent *at, int node, int entry, void *context)
{
  double *moments = context, m = at->inner->lumped_mass[node];
  pl_vec3_add_scaled(m, at->carried.arms + 3 * (size_t)entry,
                     moments + 3 * part_of(at, at->carried.blocks[entry]));
}

/* From arms that are counted from the part's first node to those from P. */
static void shift_arm(pl_dependent *at, int node, int entry, void *context)
{
  const double *shifts = context;
  (void)node;
  pl_vec3_add_scaled(-at->carried.weights[entry + 1],
                     shifts + 3 * part_of(at, at->carried.blocks[entry]),
                     at->carried.arms + 3 * (size_t)entry);
}

static void add_inertia(pl_dependent *at, int node, int entry, void *context)
{
  const double *a = at->carried.arms + 3 * (size_t)entry;
  double w = at->carried.weights[entry + 1], m = at->inner->lumped_mass[node];
  double *I = at->parts[part_of(at, at->carried.blocks[entry])].inertia;
  (void)context;
  if (w == 0) return;
  for (int k = 0; k < 9; k++)
    I[k] += m / w * ((k % 4 == 0 ? pl_vec3_dot(a, a) : 0) - a[k / 3] * a[k % 3]);
}

/* The mass of blocks. */
static pl_status lump_blocks(pl_dependent *to, const int *names, pl_error *error)
{
  const pl_carried *by = &to->carried;
  for (int n = 0; n < to->nodes; n++) {
    for (int k = by->start[n]; k < by->start[n + 1]; k++)
      to->lumped[by->blocks[k]] += by->weights[k] * to->inner->lumped_mass[n];
  }
  for (int n = 0; n < to->nodes; n++) {
    int block = to->node_block[n], name = names ? names[n] : n;
    if (block >= 0 && !(to->lumped[block] > 0))
      return pl_fail_entity(error, PL_E_ARGUMENT, name,
                            "what hangs on node %d by negative weights leaves it a mass of %g kg; "
                            "use weights that are not negative",
                            name, to->lumped[block]);
  }
  return PL_OK;
}

/* Where P is. room: 3 numbers per part of zeros. */
static void place_parts(pl_dependent *to, double *room)
{
  visit_arms(to, add_moment, room);
  for (int p = 0; p < to->part_count; p++) {
    const pl_rigid_part *from = &to->ties.parts[p];
    const double *first = to->inner->rest + 3 * from->nodes[0];
    pl_part_body *part = &to->parts[p];
    double *shift = room + 3 * p;
    part->mass = to->lumped[to->free + 2 * p + 1];
    pl_vec3_copy(from->axis, part->axis);
    part->hinge = !from->hinged                  ? PL_PART_FREE
                  : pl_vec3_norm(from->axis) > 0 ? PL_PART_AXIS
                                                 : PL_PART_BALL;
    pl_vec3_scale(1 / part->mass, shift, shift);
    if (from->hinged) pl_vec3_sub(from->centre, first, shift);
    pl_vec3_add(first, shift, part->P);
    if (from->hinged) pl_vec3_copy(from->centre, part->P);
  }
  visit_arms(to, shift_arm, room);
}

/* The inverse of the inertia along what is free. */
static int invert_inertia(pl_part_body *part)
{
  double values[3], Q[9], along[3];
  if (part->hinge == PL_PART_AXIS) {
    pl_mat3_apply(part->inertia, part->axis, along);
    double about = pl_vec3_dot(along, part->axis), size = pl_vec3_norm(along);
    for (int k = 0; k < 9; k++)
      part->rest_inverse[k] = part->axis[k / 3] * part->axis[k % 3] / about;
    return about > LEAST_INERTIA * size;
  }
  pl_eigen(part->inertia, values, Q);
  pl_mat3_inverse(part->inertia, part->rest_inverse);
  return values[2] > LEAST_INERTIA * values[0];
}

pl_status pl_dependent_lump(pl_dependent *to, const int *names, pl_error *error)
{
  pl_status status = lump_blocks(to, names, error);
  if (status) return status;
  memset(to->R, 0, 9 * (size_t)to->part_count * sizeof *to->R);
  place_parts(to, to->R);
  visit_arms(to, add_inertia, NULL);
  for (int p = 0; p < to->part_count; p++) {
    if (to->parts[p].mass > 0 && invert_inertia(&to->parts[p])) continue;
    int node = to->ties.parts[p].nodes[0];
    return pl_fail_entity(
        error, PL_E_ARGUMENT, names ? names[node] : node,
        "the rigid part at node %d has no inertia about some axis; make it larger "
        "or move its hinge",
        names ? names[node] : node);
  }
  return PL_OK;
}

void pl_dependent_mass_inverse(const pl_model *self, const double *y, double *x)
{
  const pl_dependent *at = self->state;
  for (int i = 0; i < 3 * at->free; i++) x[i] = y[i] / at->lumped[i / 3];
  for (int p = 0; p < at->part_count; p++) {
    const pl_part_body *part = &at->parts[p];
    size_t turn = 3 * (size_t)(at->free + 2 * p), point = turn + 3;
    double spin[3];
    pl_mat3_apply(part->inverse, y + turn, spin);
    pl_vec3_copy(spin, x + turn);
    pl_vec3_scale(part->hinge == PL_PART_FREE ? 1 / part->mass : 0, y + point, x + point);
  }
}

/* ---- the nearest motion ---- */

/* Sums over the nodes of parts; those that only hang on one are left out. */
typedef struct sums {
  int at_rest;                   /* no node has moved */
  double m, c[3], C[3];          /* mass, and means of arms now and at rest */
  double S[9], V[3], L[3], I[9]; /* sum m a A^T, m v, m a x v, inertia */
} sums;

/* With arms a = x - origin and A = X - rest_origin; the inertia is that at rest. */
static void add_up(const pl_dependent *at, int part, const double *x, const double *speed,
                   const double origin[3], const double rest_origin[3], sums *to)
{
  const pl_rigid_part *from = &at->ties.parts[part];
  memset(to, 0, sizeof *to);
  to->at_rest = 1;
  for (int i = 0; i < from->count; i++) {
    int n = from->nodes[i];
    double m = at->inner->lumped_mass[n], a[3], A[3], spin[3];
    pl_vec3_sub(x + 3 * n, origin, a);
    pl_vec3_sub(at->inner->rest + 3 * n, rest_origin, A);
    pl_vec3_cross(a, speed + 3 * n, spin);
    to->at_rest &= !memcmp(x + 3 * n, at->inner->rest + 3 * n, 3 * sizeof *x);
    to->m += m;
    pl_vec3_add_scaled(m, a, to->c);
    pl_vec3_add_scaled(m, A, to->C);
    pl_vec3_add_scaled(m, speed + 3 * n, to->V);
    pl_vec3_add_scaled(m, spin, to->L);
    for (int k = 0; k < 9; k++) {
      to->S[k] += m * a[k / 3] * A[k % 3];
      to->I[k] += m * ((k % 4 == 0 ? pl_vec3_dot(A, A) : 0) - A[k / 3] * A[k % 3]);
    }
  }
  pl_vec3_scale(1 / to->m, to->c, to->c);
  pl_vec3_scale(1 / to->m, to->C, to->C);
}

/* The rotation vector of the nearest turn. */
static void nearest_turn(const pl_part_body *part, const sums *from, double turn[3])
{
  const double *n = part->axis, *S = from->S;
  pl_vec3_set(turn, 0, 0, 0);
  if (from->at_rest) return;
  if (part->hinge == PL_PART_AXIS) {
    // A x a and what is not along the axis, from sum m a A^T
    const double cross[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
    double sine = pl_vec3_dot(n, cross), Sn[3];
    pl_mat3_apply(S, n, Sn);
    double cosine = S[0] + S[4] + S[8] - pl_vec3_dot(n, Sn);
    pl_vec3_scale(atan2(sine, cosine), n, turn);
    return;
  }
  double F[9], R[9], stretch[9], quat[4];
  for (int k = 0; k < 9; k++)
    F[k] = S[k] - (part->hinge == PL_PART_FREE ? from->m * from->c[k / 3] * from->C[k % 3] : 0);
  pl_polar(F, R, stretch);
  pl_quat_of_matrix(R, quat);
  pl_vector_of_quat(quat, turn);
}

/* w = R I^-1 R^T L, or about the axis. */
static void nearest_spin(const pl_part_body *part, const sums *from, const double R[9],
                         double spin[3])
{
  double inverse[9] = {0}, inside[3], turned[3];
  if (part->hinge == PL_PART_AXIS) {
    pl_mat3_apply(from->I, part->axis, turned);
    double about = pl_vec3_dot(turned, part->axis);
    pl_vec3_scale(pl_vec3_dot(from->L, part->axis) / about, part->axis, spin);
    return;
  }
  pl_mat3_inverse(from->I, inverse);
  pl_mat3_apply_t(R, from->L, inside);
  pl_mat3_apply(inverse, inside, turned);
  pl_mat3_apply(R, turned, spin);
}

static void fit_part(const pl_dependent *at, int p, const double *x, const double *speed, double *q,
                     double *v)
{
  const pl_part_body *part = &at->parts[p];
  double *turn = q + 3 * (at->free + 2 * p), *point = turn + 3;
  double *spin = v + 3 * (at->free + 2 * p), *velocity = spin + 3;
  double R[9], quat[4], arm[3], centre[3], rest_centre[3], turning[3];
  sums to;
  add_up(at, p, x, speed, part->P, part->P, &to);
  nearest_turn(part, &to, turn);
  pl_quat_of_vector(turn, quat);
  pl_quat_matrix(quat, R);
  pl_vec3_copy(part->P, point);
  pl_vec3_set(velocity, 0, 0, 0);
  if (part->hinge != PL_PART_FREE) {
    nearest_spin(part, &to, R, spin);
    return;
  }
  // the mass centre stays where it is and moves on, and the part turns about it
  pl_mat3_apply(R, to.C, arm);
  pl_vec3_add(part->P, to.c, centre);
  pl_vec3_add(part->P, to.C, rest_centre);
  if (!to.at_rest) pl_vec3_sub(centre, arm, point);
  add_up(at, p, x, speed, centre, rest_centre, &to);
  nearest_spin(part, &to, R, spin);
  pl_vec3_cross(spin, arm, turning);
  pl_vec3_scale(1 / to.m, to.V, velocity);
  pl_vec3_sub(velocity, turning, velocity);
}

void pl_dependent_fit(const pl_model *self, const double *x, const double *speed, double *q,
                      double *v)
{
  const pl_dependent *at = self->state;
  for (int n = 0; n < at->nodes; n++) {
    int block = at->node_block[n];
    if (block < 0) continue;
    pl_vec3_copy(x + 3 * (size_t)n, q + 3 * (size_t)block);
    pl_vec3_copy(speed + 3 * (size_t)n, v + 3 * (size_t)block);
  }
  for (int p = 0; p < at->part_count; p++) fit_part(at, p, x, speed, q, v);
}
