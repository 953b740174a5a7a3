/* Multi-point constraints: the rows and their products. */
#include "sparse/mpc.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

pl_status pl_mpcs_create(const pl_allocator *allocator, int blocks, int rows, int entries,
                         int singles, pl_mpcs **out, pl_error *error)
{
  size_t count = (size_t)rows, all = (size_t)blocks, some = (size_t)singles + 1;
  pl_mpcs *self = pl_alloc(allocator, 1, sizeof *self);
  if ((*out = self) == NULL) return pl_fail_memory(error);
  *self = (pl_mpcs){.allocator = *allocator, .blocks = blocks, .room = rows, .entry_room = entries};
  self->list = pl_alloc(allocator, count, sizeof *self->list);
  self->entry = pl_alloc(allocator, (size_t)entries, sizeof *self->entry);
  self->pivots = pl_alloc(allocator, count, sizeof *self->pivots);
  self->links.blocks = pl_alloc(allocator, count, sizeof(int));
  self->links.start = pl_alloc(allocator, count + 1, sizeof(int));
  self->single = pl_alloc(allocator, some, sizeof(int));
  self->projections = pl_alloc(allocator, 9 * some, sizeof(double));
  int **of_blocks[] = {&self->pivot_of, &self->place, &self->touched, &self->links.link_of};
  double **of_rows[] = {&self->u, &self->rho, &self->direction, &self->product};
  double **vectors[] = {&self->sum, &self->work[0], &self->work[1]};
  int good = self->list && self->entry && self->pivots && self->links.blocks && self->links.start &&
             self->single && self->projections;
  for (int i = 0; i < 4; i++)
    good &= (*of_blocks[i] = pl_alloc(allocator, all, sizeof(int))) != NULL;
  for (int i = 0; i < 4; i++) // and lambda behind
    good &= (*of_rows[i] = pl_alloc(allocator, 2 * count, sizeof(double))) != NULL;
  for (int i = 0; i < 3; i++)
    good &= (*vectors[i] = pl_alloc(allocator, 3 * all, sizeof(double))) != NULL;
  if (good) return PL_OK;
  pl_mpcs_destroy(self);
  *out = NULL;
  return pl_fail_memory(error);
}

void pl_mpcs_destroy(pl_mpcs *self)
{
  if (!self) return;
  pl_allocator allocator = self->allocator;
  void *arrays[] = {self->list,       self->entry,       self->pivots,        self->links.blocks,
                    self->pivot_of,   self->links.start, self->links.link_of, self->links.on,
                    self->links.L,    self->pool,        self->sum,           self->place,
                    self->touched,    self->u,           self->rho,           self->direction,
                    self->product,    self->work[0],     self->work[1],       self->single,
                    self->projections};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_free(&allocator, self);
}

void pl_mpcs_clear(pl_mpcs *mpcs) { mpcs->count = mpcs->entries = 0; }

void pl_mpcs_add(pl_mpcs *mpcs, int source, int tag, int count, const pl_mpc_entry *entries)
{
  if (mpcs->count >= mpcs->room || mpcs->entries + count > mpcs->entry_room) return;
  mpcs->list[mpcs->count++] =
      (pl_mpc){.first = mpcs->entries, .count = count, .source = source, .tag = tag};
  memcpy(mpcs->entry + mpcs->entries, entries, (size_t)count * sizeof *entries);
  mpcs->entries += count;
}

/* ---- products ---- */

void pl_mpcs_measure(const pl_mpcs *mpcs, const double *v, double *out)
{
  for (int i = 0; i < mpcs->count; i++) {
    const pl_mpc *row = &mpcs->list[i];
    out[i] = 0;
    for (int k = row->first; row->is_active && k < row->first + row->count; k++)
      out[i] += pl_vec3_dot(mpcs->entry[k].c, v + 3 * (size_t)mpcs->entry[k].block);
  }
}

void pl_mpcs_push(const pl_mpcs *mpcs, const double *lambda, double *f)
{
  for (int i = 0; i < mpcs->count; i++) {
    const pl_mpc *row = &mpcs->list[i];
    for (int k = row->first; row->is_active && k < row->first + row->count; k++)
      pl_vec3_add_scaled(lambda[i], mpcs->entry[k].c, f + 3 * (size_t)mpcs->entry[k].block);
  }
}

void pl_mpcs_free(const pl_mpcs *mpcs, double *x)
{
  for (int i = 0; i < mpcs->single_count; i++) {
    const double *P = mpcs->projections + 9 * (size_t)i;
    double *at = x + 3 * (size_t)mpcs->single[i], d[3];
    for (int k = 0; k < 3; k++) d[k] = P[k] * at[0] + P[3 + k] * at[1] + P[6 + k] * at[2];
    pl_vec3_copy(d, at);
  }
}

/* ---- conjugate gradients over the rows ---- */

static double dot(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* product = S direction; w = P W P J^T direction is left in work[1]. */
static void multiply(pl_mpcs *self, pl_mpc_weigh *weigh, void *user)
{
  memset(self->work[0], 0, 3 * (size_t)self->blocks * sizeof(double));
  pl_mpcs_push(self, self->direction, self->work[0]);
  pl_mpcs_free(self, self->work[0]);
  weigh(user, self->work[0], self->work[1]);
  pl_mpcs_free(self, self->work[1]);
  pl_mpcs_measure(self, self->work[1], self->product);
}

static const double exact = 1e-30; /* of |rho|^2 */

const double *pl_mpcs_solve(pl_mpcs *self, double scale, pl_mpc_weigh *weigh, void *user)
{
  int n = self->count;
  double *lambda = self->direction + self->room, *rho = self->rho;
  memset(lambda, 0, (size_t)n * sizeof *lambda);
  memcpy(self->direction, rho, (size_t)n * sizeof *rho);
  double size = dot(rho, rho, n), goal = fmax(exact * size, scale * scale);
  for (int k = 0; k < 4 * n + 20 && size > goal; k++) {
    multiply(self, weigh, user);
    double curvature = dot(self->direction, self->product, n), last = size;
    if (!(curvature > 0)) break;
    double step = size / curvature;
    for (int i = 0; i < n; i++) lambda[i] += step * self->direction[i];
    for (int i = 0; i < n; i++) rho[i] -= step * self->product[i];
    size = dot(rho, rho, n);
    for (int i = 0; i < n; i++) self->direction[i] = rho[i] + size / last * self->direction[i];
  }
  return lambda;
}

static void weigh_evenly(void *user, const double *f, double *w)
{
  const pl_mpcs *self = user;
  memcpy(w, f, 3 * (size_t)self->blocks * sizeof *f);
}

void pl_mpcs_split(pl_mpcs *self, double *reaction)
{
  size_t size = 3 * (size_t)self->blocks * sizeof *reaction;
  memcpy(self->work[0], reaction, size);
  pl_mpcs_free(self, self->work[0]);
  pl_mpcs_measure(self, self->work[0], self->rho);
  const double *lambda = pl_mpcs_solve(self, 0, weigh_evenly, self);
  memset(self->work[0], 0, size);
  pl_mpcs_push(self, lambda, self->work[0]);
  for (int i = 0; i < 3 * self->blocks; i++) reaction[i] -= self->work[0][i];
  for (int i = 0; i < self->count; i++) self->list[i].force = lambda[i];
}
