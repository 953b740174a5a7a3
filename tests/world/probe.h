/* Looking into a world from its tests: couplings by kind and number, their forces and matrices. */
#ifndef PL_TEST_PROBE_H
#define PL_TEST_PROBE_H

#include "couple/attachment.h"
#include "couple/contact.h"
#include "couple/fix.h"
#include "couple/load.h"
#include "couple/pull.h"
#include "couple/tool.h"
#include "world/world.h"

/* The n-th coupling of a kind, NULL where there are not so many. */
static inline pl_coupling *probe_coupling(const pl_world *world, const pl_coupling_ops *ops, int n)
{
  pl_coupling *at = pl_couplings_next(&world->couplings, ops, NULL);
  while (at && n-- > 0) at = pl_couplings_next(&world->couplings, ops, at);
  return at;
}

static inline int probe_count(const pl_world *world, const pl_coupling_ops *ops)
{
  return (int)pl_couplings_count(&world->couplings, ops);
}

/* f += scale times the forces of all couplings of a kind. */
static inline void probe_force(const pl_world *world, const pl_coupling_ops *ops, double t,
                               const double *q, const double *v, double *f)
{
  const pl_moment at = {.t = t, .q = q, .v = v, .load_scale = 1};
  for (pl_coupling *c = NULL; (c = pl_couplings_next(&world->couplings, ops, c)) != NULL;)
    ops->evaluate(c, &at, f, NULL);
}

/* A += kq (-df/dq) + kv (-df/dv) of them. */
static inline void probe_matrix(const pl_world *world, const pl_coupling_ops *ops, double t,
                                const double *q, const double *v, double kq, double kv,
                                int semidefinite, pl_bsr *A)
{
  const pl_moment at = {.t = t, .q = q, .v = v, .load_scale = 1};
  const pl_tangent tangent = {.kq = kq, .kv = kv, .semidefinite = semidefinite, .A = A};
  for (pl_coupling *c = NULL; (c = pl_couplings_next(&world->couplings, ops, c)) != NULL;)
    ops->evaluate(c, &at, NULL, &tangent);
}

/* Holds a body that begins at 0 on its side across an axis: there in that direction only, or in
 * all. */
static inline pl_status probe_fix_side(pl_world *world, pl_body_id body, int axis, int all,
                                       pl_error *error)
{
  double high[3] = {9, 9, 9};
  high[axis] = 1e-3;
  pl_setting corners[] = {{.name = "min", .value = {-9, -9, -9}},
                          {.name = "max", .value = {high[0], high[1], high[2]}}};
  pl_selector where = {.region = {"box", corners, 2}};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &where;
  fix.where_count = 1;
  for (int k = 0; k < 3; k++) fix.free_axis[k] = !all && k != axis;
  return pl_world_add_fix(world, body, &fix, NULL, error);
}

#endif
