/* Rigid parts of a dependent model: their mass and inertia, and where they are.
 *
 * The inertia about P is I = sum m (|a|^2 1 - a a^T) over the arms a of nodes; a hanging node that
 * a part carries with the weight w and the weighted arm a counts as w m at a / w. It turns with the
 * part: I = R I0 R^T. What a hinge holds is left out of the inverse, so that explicit methods see
 * the inertia about the hinge. */
#include "core/error.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/dependent.h"
#include "sparse/passes.h"

#include <math.h>
#include <string.h>

#define LEAST_INERTIA 1e-12 /* of the largest moment: below it a part cannot be turned */

static int part_of(const pl_dependent *at, int block) { return (block - at->free) / 2; }

/* Calls for every entry of a rotation: its node and its number. */
typedef void each_arm(pl_dependent *at, int node, int entry, void *context);

static void visit_arms(const pl_dependent *at, each_arm *call, void *context)
{
  for (int i = 0; i < at->others.count; i++) {
    int node = at->others.list[i];
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

void pl_dependent_update_mass(pl_model *self, const double *q)
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
    if (to->ties.averaged && to->node_block[n] < 0) continue;
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
  pl_pass_divide(y, at->lumped, x, at->free, NULL);
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

static void fit_part(const pl_dependent *at, int p, const double *x, const double *speed, double *q,
                     double *v)
{
  const pl_part_body *part = &at->parts[p];
  const pl_rigid_part *from = &at->ties.parts[p];
  const pl_cloud cloud = {.count = from->count,
                          .nodes = from->nodes,
                          .mass = at->inner->lumped_mass,
                          .rest = at->inner->rest,
                          .x = x,
                          .speed = speed};
  size_t turn = 3 * (size_t)(at->free + 2 * p);
  pl_nearest_motion(part->hinge, part->P, part->axis, &cloud, q + turn, v + turn);
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
