/* Constraint forces: what integrators report of their own schemes. */
#include "ode/system.h"

#include "math/vec3.h"
#include "ode/share.h"
#include "sparse/partition.h"
#include "sparse/passes.h"

#include <math.h>
#include <string.h>

typedef struct reacting {
  const pl_system *system;
  double scale;
  const double *x;
} reacting;

static void react_range(void *context, int first, int last)
{
  const reacting *r = context;
  const pl_filter *filter = &r->system->filter;
  double *to = r->system->reaction;
  for (int i = pl_filter_from(filter, first); i < filter->count && filter->nodes[i] < last; i++) {
    size_t at = 3 * (size_t)filter->nodes[i];
    for (size_t k = at; k < at + 3; k++) to[k] += r->scale * r->x[k];
  }
}

void pl_system_react(pl_system *system, double scale, const double *x)
{
  reacting r = {system, scale, x};
  if (system->reaction && system->filter.count)
    pl_defer_range(system->blocks, react_range, &r, sizeof r, system->pool);
}

void pl_system_clear_reaction(pl_system *system)
{
  if (system->reaction) pl_pass_clear(system->reaction, system->blocks, system->pool);
}

void pl_system_keep_residual(pl_system *system, const double *r)
{
  for (int i = 0; system->unfiltered && i < system->filter.count; i++) {
    size_t at = 3 * (size_t)system->filter.nodes[i];
    memcpy(system->unfiltered + at, r + at, 3 * sizeof *r);
  }
}

/* x = 0 at all blocks that are not constrained. */
static void clear_free(const pl_system *system, double *x)
{
  int from = 0;
  for (int i = 0; i <= system->filter.count; i++) {
    int to = i < system->filter.count ? system->filter.nodes[i] : system->blocks;
    if (to > from) memset(x + 3 * (size_t)from, 0, 3 * (size_t)(to - from) * sizeof *x);
    from = to + 1;
  }
}

/* What prescribing changes: (v1 - v0) / h at constrained blocks; work holds v0 meanwhile. */
typedef struct change_of {
  const pl_filter *filter;
  double h, *work;
  const double *v;
  atomic_int *is_there;
} change_of;

static void before_range(void *context, int first, int last)
{
  const change_of *c = context;
  const int *nodes = c->filter->nodes;
  for (int i = pl_filter_from(c->filter, first); i < c->filter->count && nodes[i] < last; i++) {
    size_t at = 3 * (size_t)nodes[i];
    pl_vec3_copy(c->v + at, c->work + at);
  }
}

static void after_range(void *context, int first, int last)
{
  const change_of *c = context;
  const int *nodes = c->filter->nodes;
  int changes = 0;
  for (int i = pl_filter_from(c->filter, first); i < c->filter->count && nodes[i] < last; i++) {
    size_t at = 3 * (size_t)nodes[i];
    for (size_t k = at; k < at + 3; k++) {
      int is_new = !(c->work[k] == c->v[k]);
      c->work[k] = is_new ? -c->work[k] / c->h + c->v[k] / c->h : 0;
      changes |= is_new;
    }
  }
  if (changes) atomic_store_explicit(c->is_there, 1, memory_order_relaxed);
}

void pl_system_finish_prescribe(pl_system *system, pl_prescribed *from)
{
  // what is held at rest takes no force, and the pass over all blocks is spared
  if (!atomic_exchange_explicit(&from->changes, 0, memory_order_relaxed)) return;
  clear_free(system, from->work);
  system->ops->mass_add(system, 1, from->work, system->reaction);
}

void pl_system_defer_prescribe(pl_system *system, double t, double h, const double *q, double *v,
                               pl_prescribed *to)
{
  const pl_filter *filter = &system->filter;
  const change_of change = {filter, h, to->work, v, &to->changes};
  int counts = system->reaction && filter->count;
  atomic_store_explicit(&to->changes, 0, memory_order_relaxed);
  if (counts) pl_defer_range(system->blocks, before_range, &change, sizeof change, system->pool);
  system->ops->prescribe(system, t, h, q, v);
  if (counts) pl_defer_range(system->blocks, after_range, &change, sizeof change, system->pool);
  // rows over several blocks are not a matter of ranges, and their forces come next
  if (!filter->mpcs) return;
  pl_settle(system->pool);
  pl_system_finish_prescribe(system, to);
}

void pl_system_prescribe(pl_system *system, double t, double h, const double *q, double *v,
                         double *work)
{
  pl_prescribed change = {.work = work};
  int gathers = pl_pool_gather(system->pool, 1);
  pl_system_defer_prescribe(system, t, h, q, v, &change);
  pl_settle(system->pool);
  pl_pool_gather(system->pool, gathers);
  pl_system_finish_prescribe(system, &change);
}

/* ---- accelerations ---- */

/* reaction -= share (I - P) f at blocks under rows over one block. */
static void oppose_singles(pl_system *system, double share, const double *f)
{
  const pl_mpcs *mpcs = system->filter.mpcs;
  for (int i = 0; i < mpcs->single_count; i++) {
    const double *P = mpcs->projections + 9 * (size_t)i;
    size_t at = 3 * (size_t)mpcs->single[i];
    const double *x = f + at;
    for (size_t k = 0; k < 3; k++)
      system->reaction[at + k] -=
          share * (x[k] - (P[k] * x[0] + P[3 + k] * x[1] + P[6 + k] * x[2]));
  }
}

void pl_system_oppose(pl_system *system, double share, const double *f)
{
  if (!system->filter.mpcs) {
    pl_system_react(system, -share, f);
  } else if (system->reaction) {
    pl_settle(system->pool);
    oppose_singles(system, share, f);
  }
}

static void weigh(void *user, const double *f, double *w)
{
  pl_system *system = user;
  system->ops->mass_inverse(system, f, w);
}

/* What rounding leaves of J x. */
static double rounding_of(const pl_mpcs *mpcs, const double *x)
{
  double max = 0;
  for (int i = 0; i < mpcs->entries; i++) {
    const pl_mpc_entry *entry = &mpcs->entry[i];
    double size = pl_vec3_dot(entry->c, entry->c);
    const double *at = x + 3 * (size_t)entry->block;
    max = fmax(max, size * pl_vec3_dot(at, at));
  }
  return 1e-16 * sqrt(max);
}

/* rho holds what is missing; x += P M^-1 P J^T lambda, which makes it good. */
static const double *make_good(pl_system *system, double share, double *x)
{
  pl_mpcs *mpcs = system->filter.mpcs;
  int n = 3 * system->blocks, gathers = pl_pool_gather(system->pool, 0);
  const double *lambda = pl_mpcs_solve(mpcs, rounding_of(mpcs, x), weigh, system);
  double *f = mpcs->work[0], *w = mpcs->work[1];
  memset(f, 0, (size_t)n * sizeof *f);
  pl_mpcs_push(mpcs, lambda, f);
  if (system->reaction && share != 0) {
    for (int i = 0; i < n; i++) system->reaction[i] += share * f[i];
    oppose_singles(system, share, f);
  }
  pl_mpcs_free(mpcs, f);
  weigh(system, f, w);
  pl_mpcs_free(mpcs, w);
  for (int i = 0; i < n; i++) x[i] += w[i];
  pl_pool_gather(system->pool, gathers);
  return lambda;
}

void pl_system_free(pl_system *system, double share, double *a)
{
  pl_mpcs *mpcs = system->filter.mpcs;
  if (!mpcs) {
    pl_filter_apply(&system->filter, a);
    return;
  }
  pl_mpcs_free(mpcs, a);
  pl_mpcs_measure(mpcs, a, mpcs->rho);
  for (int i = 0; i < mpcs->count; i++) mpcs->rho[i] = -mpcs->rho[i];
  (void)make_good(system, share, a);
}

void pl_system_meet(pl_system *system, const double *u, double *v)
{
  pl_mpcs *mpcs = system->filter.mpcs;
  pl_mpcs_measure(mpcs, v, mpcs->rho);
  for (int i = 0; i < mpcs->count; i++)
    mpcs->rho[i] = mpcs->list[i].is_active ? (u ? u[i] : 0) - mpcs->rho[i] : 0;
  (void)make_good(system, 0, v);
}

void pl_system_reflect(pl_system *system, double share, double *v)
{
  pl_mpcs *mpcs = system->filter.mpcs;
  pl_mpcs_measure(mpcs, v, mpcs->rho);
  for (int i = 0; i < mpcs->count; i++) mpcs->rho[i] *= -2;
  const double *lambda = make_good(system, 0, v);
  for (int i = 0; i < mpcs->count; i++) mpcs->list[i].force = share * lambda[i];
  if (!system->reaction || share <= 0) return;
  memset(mpcs->work[0], 0, 3 * (size_t)system->blocks * sizeof *v);
  pl_mpcs_push(mpcs, lambda, mpcs->work[0]);
  oppose_singles(system, share, mpcs->work[0]);
}

/* ---- the matrix ---- */

enum { ROWS_AT_ONCE = 256 }; /* of a product at some rows; ranks exchange them together */

void pl_system_fold(pl_system *system)
{
  system->missing += pl_links_fold(system->filter.links, system->A);
}

/* Are some rows of the matrix complete on other ranks only? */
static int is_divided(const pl_system *system)
{
  return system->A->partition && system->A->partition->is_divided;
}

void pl_system_multiply(const pl_system *system, const double *x, double *y)
{
  const pl_links *links = system->filter.links;
  if (system->share) {
    pl_share_multiply(system->share, x, y);
    return;
  }
  if (links) {
    // a folded matrix times what x has beyond its links is (I + L)^T A x
    double *own = system->filter.mpcs->work[0];
    memcpy(own, x, 3 * (size_t)system->blocks * sizeof *own);
    pl_links_strip(links, own);
    x = own;
  }
  pl_bsr_multiply(system->A, x, y, system->pool);
  if (is_divided(system)) pl_partition_complete(system->A->partition, y);
  pl_pairs_multiply(system->pairs, x, y, system->pool);
  pl_links_scatter(links, y);
}

void pl_system_multiply_two(const pl_system *system, const double *x, double *y,
                            const double *other_x, double *other_y)
{
  if (system->filter.links || is_divided(system) || system->share) {
    pl_system_multiply(system, x, y);
    pl_system_multiply(system, other_x, other_y);
    return;
  }
  pl_solver_multiply_two(system->solver, system->A, x, y, other_x, other_y, system->pool);
  pl_pairs_multiply(system->pairs, x, y, system->pool);
  pl_pairs_multiply(system->pairs, other_x, other_y, system->pool);
}

/* y = A x and what the pairs add, at some rows. */
static void multiply_rows(const pl_system *system, const int *rows, int count, const double *x,
                          double *y)
{
  for (int i = 0; i < count; i++) pl_bsr_multiply_row(system->A, rows[i], x, y + 3 * (size_t)i);
  if (is_divided(system)) pl_partition_complete_at(system->A->partition, rows, count, y);
  for (int i = 0; i < count; i++)
    pl_pairs_multiply_row(system->pairs, rows[i], x, y + 3 * (size_t)i);
}

static void leave_rows(pl_system *system, const int *rows, int count, const double *products)
{
  for (int i = 0; i < 3 * count; i++)
    system->unfiltered[3 * (size_t)rows[i / 3] + (size_t)(i % 3)] -= products[i];
}

/* Links reach beyond the rows, so that all of the product is needed. */
static void leave_linked(pl_system *system, const double *x)
{
  const double *all = system->filter.mpcs->work[1];
  pl_system_multiply(system, x, system->filter.mpcs->work[1]);
  for (int i = 0; i < system->filter.count; i++)
    leave_rows(system, system->filter.nodes + i, 1, all + 3 * (size_t)system->filter.nodes[i]);
}

void pl_system_leave(pl_system *system, const double *x)
{
  double products[3 * ROWS_AT_ONCE];
  const pl_filter *filter = &system->filter;
  if (!system->unfiltered) return;
  if (system->share) {
    pl_share_leave(system->share, x);
    return;
  }
  if (filter->links) {
    leave_linked(system, x);
    return;
  }
  for (int from = 0; from < filter->count; from += ROWS_AT_ONCE) {
    int left = filter->count - from, count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
    multiply_rows(system, filter->nodes + from, count, x, products);
    leave_rows(system, filter->nodes + from, count, products);
  }
}
