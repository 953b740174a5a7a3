/* The coupling of all links. With the gap g = x - y between both ends, its length l and its unit
 * vector n, the law's tension T(l, l') exerts -T n on x and T n on y: no net force and no torque.
 * Block b feels -J_b^T T n, where dg = sum J_b dq_b, and the matrix gets
 *
 *   kq J^T (T' n n^T + (T / l) (I - n n^T)) J + kv J^T (dT/dl') n n^T J
 *
 * and kq (T / l) g . d^2g/dq^2 of blocks that turn; a semidefinite matrix is made of the parts that
 * are not negative. That n and l' change where there is a viscous part is left out. */
#include "couple/link.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/attachment.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define OUTSIDE 0.05 /* of a body's size: how far outside a point may lie */

#define X(name) &pl_link_##name.info,
PL_FAMILY(link, "forces along the line between a point of a body and one of another", PL_LINKS(X));
#undef X

/* ---- where it is ---- */

static pl_status place_end(pl_link *link, int side, double at_rest[3], pl_error *error)
{
  const pl_coupling *self = &link->base.base;
  const pl_body *body = &self->bodies->list[self->acts_on[side]];
  const double *at = link->base.values + (side ? PL_LINK_TO_AT : PL_LINK_AT);
  pl_body_point *end = &link->ends[side];
  pl_anchor anchor;
  pl_status status = pl_mesh_locate(body->mesh, at, &anchor, error);
  if (status) return status;
  if (anchor.distance > OUTSIDE * pl_body_size(body))
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s = %g %g %g lies %.3g m outside body \"%.80s\"; give a point in it",
                   side ? "to-at" : "at", at[0], at[1], at[2], anchor.distance, body->name);
  *end = (pl_body_point){.body = self->acts_on[side], .count = anchor.count, .frame = -1};
  pl_vec3_set(at_rest, 0, 0, 0);
  for (int a = 0; a < anchor.count; a++) {
    end->nodes[a] = body->place[anchor.nodes[a]];
    end->weights[a] = anchor.weights[a];
    pl_vec3_add_scaled(anchor.weights[a], body->mesh->nodes + 3 * anchor.nodes[a], at_rest);
  }
  return PL_OK;
}

pl_status pl_link_place(pl_link *link, pl_error *error)
{
  double at[2][3];
  pl_status status = place_end(link, 0, at[0], error);
  if (!status) status = place_end(link, 1, at[1], error);
  if (!status) link->at_rest = pl_vec3_distance(at[0], at[1]);
  return status;
}

pl_status pl_link_make(pl_link *link, const pl_link_ops *law, pl_error *error)
{
  const pl_coupling *self = &link->base.base;
  link->law = law;
  if (self->acts_on[0] == self->acts_on[1])
    return pl_fail(error, PL_E_ARGUMENT,
                   "body \"%.80s\" cannot be linked to itself; name another body",
                   self->bodies->list[self->acts_on[0]].name);
  pl_status status = pl_link_place(link, error);
  return status ? status : pl_jacobian_create(self->bodies, 2, &link->jacobian, error);
}

static void destroy(pl_coupling *self) { pl_jacobian_release(&((pl_link *)self)->jacobian); }

static void follow(pl_coupling *self, const pl_renumbering *change)
{
  pl_link *link = (pl_link *)self;
  for (int side = 0; change->gone && side < 2; side++)
    link->ends[side].body -= link->ends[side].body > change->body;
}

/* ---- what it does ---- */

/* The way from the second end to the first; how it changes stands in the jacobian. */
static void find_gap(pl_link *link, const double *q, double gap[3])
{
  pl_jacobian_clear(&link->jacobian);
  pl_vec3_set(gap, 0, 0, 0);
  pl_jacobian_add(&link->jacobian, &link->ends[0], 1, q, gap);
  pl_jacobian_add(&link->jacobian, &link->ends[1], -1, q, gap);
}

/* The law at the gap, whose unit vector is n; 0 where both ends meet and no direction is. */
static pl_link_state look(pl_link *link, const double *q, const double *v, double n[3],
                          pl_tension *out)
{
  pl_link_state state = {.at_rest = link->at_rest};
  double rate[3];
  find_gap(link, q, n);
  state.length = pl_vec3_norm(n);
  pl_vec3_scale(state.length > 0 ? 1 / state.length : 0, n, n);
  if (v) {
    pl_jacobian_rate(&link->jacobian, v, rate);
    state.rate = pl_vec3_dot(n, rate);
  }
  *out = (pl_tension){0};
  link->law->pull(link->base.values + PL_LINK_OWN, &state, out);
  return state;
}

static void stiffen(const pl_link *link, const pl_link_state *state, const double n[3],
                    const pl_tension *T, const pl_tangent *to)
{
  // where both ends meet, the limit of T / l; without a force there is none
  double across = state->length > 0 ? T->force / state->length : T->force == 0 ? T->slope : 0;
  double along = T->slope, gap[3], D[9];
  if (to->semidefinite) {
    across = fmax(across, 0);
    along = fmax(along, 0);
  }
  double more = to->kq * (along - across) + to->kv * T->viscous;
  for (int e = 0; e < 9; e++)
    D[e] = (e % 4 == 0 ? to->kq * across : 0) + more * n[e / 3] * n[e % 3];
  pl_jacobian_stiffen(&link->jacobian, D, to);
  pl_vec3_scale(state->length, n, gap);
  if (!to->semidefinite) pl_attachment_curve(&link->jacobian, to->kq * across, gap, to->A);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_link *link = (pl_link *)self;
  double n[3];
  pl_tension T;
  pl_link_state state = look(link, at->q, at->v, n, &T);
  if (f) pl_jacobian_push(&link->jacobian, -T.force, n, f);
  if (tangent) stiffen(link, &state, n, &T, tangent);
}

/* Half of it is the one body's, half the other's. */
static double energy(pl_coupling *self, const double *q, int body)
{
  double n[3];
  pl_tension T;
  if (self->acts_on[0] != body && self->acts_on[1] != body) return 0;
  look((pl_link *)self, q, NULL, n, &T);
  return 0.5 * T.energy;
}

void pl_link_read(pl_link *link, const double *q, const double *v, double ends[2][3],
                  pl_link_state *state, pl_tension *tension)
{
  double n[3];
  for (int side = 0; side < 2; side++) {
    pl_jacobian_clear(&link->jacobian);
    pl_vec3_set(ends[side], 0, 0, 0);
    pl_jacobian_add(&link->jacobian, &link->ends[side], 1, q, ends[side]);
  }
  *state = look(link, q, v, n, tension);
}

/* Bodies may have got other nodes since. */
static pl_status cliques(pl_coupling *self, const double *q, pl_cliques **sets, int *count,
                         pl_error *error)
{
  pl_link *link = (pl_link *)self;
  double gap[3];
  pl_status status = pl_link_place(link, error);
  if (status) return status;
  find_gap(link, q, gap);
  // the numbers stand behind the set
  size_t own = (size_t)link->jacobian.count;
  *sets = pl_alloc(self->bodies->allocator, 1, sizeof **sets + own * sizeof(int));
  if (!*sets) return pl_fail_memory(error);
  int *nodes = (int *)(*sets + 1);
  memcpy(nodes, link->jacobian.blocks, own * sizeof *nodes);
  **sets = (pl_cliques){.count = 1, .size = link->jacobian.count, .nodes = nodes};
  *count = 1;
  return PL_OK;
}

const pl_coupling_ops pl_coupling_link = {
    .info = {"link", "a force along the line between two points of two bodies", "", NULL, 0, NULL},
    .is_internal = 1,
    .size = sizeof(pl_link),
    .destroy = destroy,
    .follow = follow,
    .cliques = cliques,
    .evaluate = evaluate,
    .energy = energy,
    .grips = pl_attachment_grips,
};
