/* Local time steps; the formulas stand in local.h. */
#include "ode/local.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/passes.h"

#include <math.h>
#include <string.h>

static const double safety = 0.9, stabilisation = 0.05;

enum { CARRY, FACTOR, MEAN, NUMBERS };

pl_status pl_local_steps_create(pl_integrator *self, pl_local_steps *local, int most,
                                pl_error *error)
{
  double **vectors[] = {&local->x,     &local->z,      &local->before, &local->inverse,
                        &local->first, &local->forces, &local->a,      &local->start};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !status; i++)
    status = pl_integrator_vector(self, vectors[i], error);
  if (status) return status;
  size_t blocks = (size_t)self->blocks;
  local->marks = pl_alloc(&self->allocator, blocks, sizeof *local->marks);
  local->fast = pl_alloc(&self->allocator, blocks, sizeof *local->fast);
  local->near = pl_alloc(&self->allocator, blocks, sizeof *local->near);
  local->numbers = pl_alloc(&self->allocator, NUMBERS * (size_t)most, sizeof *local->numbers);
  return local->marks && local->fast && local->near && local->numbers ? PL_OK
                                                                      : pl_fail_memory(error);
}

void pl_local_steps_destroy(pl_integrator *self, pl_local_steps *local)
{
  pl_free(&self->allocator, local->marks);
  pl_free(&self->allocator, local->fast);
  pl_free(&self->allocator, local->near);
  pl_free(&self->allocator, local->numbers);
}

/* ---- regions ---- */

static pl_status check_damping(double h, double damping, pl_error *error)
{
  double most = 2 * (1 - safety * safety);
  if (!(h * damping > most)) return PL_OK;
  return pl_fail(error, PL_E_DIVERGED,
                 "local-verlet: a step of %g s is too long for a damping of %.3g /s, which takes "
                 "part in whole steps only; take at most %.3g s or less damping",
                 h, damping, most / damping);
}

static pl_status count_parts(pl_local_steps *local, double h, double frequency, int most,
                             pl_error *error)
{
  double parts = ceil(h * frequency / (2 * safety));
  if (parts > most)
    return pl_fail(error, PL_E_DIVERGED,
                   "local-verlet: a step of %g s would take %.4g parts for the fastest elements "
                   "(%.3g /s), above parts = %d; take a smaller step or allow more",
                   h, parts, frequency, most);
  local->parts = parts > 1 ? (int)parts : 1;
  return PL_OK;
}

/* The numbers of all smaller steps. T_k and its slope come from T_{k+1} = 2 n T_k - T_{k-1}; the
 * mean from going back over the steps: what z_p becomes by a change of z_k. */
static void make_numbers(pl_local_steps *local)
{
  int parts = local->parts;
  double n = 1 + stabilisation / ((double)parts * parts);
  double T[3] = {0, 1, n}, slope[2] = {0, 1}, by[2] = {1, 0};
  double(*numbers)[NUMBERS] = (double(*)[NUMBERS])(void *)local->numbers;
  for (int k = 0; k < parts; k++) {
    // T holds those of k - 1, k and k + 1; the first step has no step before it
    numbers[k][CARRY] = k ? T[0] / T[2] : 0;
    numbers[k][FACTOR] = (k ? 2 : 1) * T[1] / T[2];
    double next = 2 * n * T[2] - T[1], next_slope = 2 * T[2] + 2 * n * slope[1] - slope[0];
    if (k == parts - 1) break;
    T[0] = T[1], T[1] = T[2], T[2] = next;
    slope[0] = slope[1], slope[1] = next_slope;
  }
  double width = 2 * slope[1] / T[2];
  for (int k = parts - 1; k >= 0; k--) {
    double carry = numbers[k][CARRY], before = (1 + carry) * by[0];
    if (k < parts - 1) before -= numbers[k + 1][CARRY] * by[1];
    numbers[k][MEAN] = 2 * by[0] * numbers[k][FACTOR] / width;
    numbers[k][FACTOR] *= local->h * local->h / width;
    by[1] = by[0], by[0] = before;
  }
}

static void make_lists(pl_local_steps *local, pl_system *system)
{
  local->fast_count = local->near_count = 0;
  for (int b = 0; b < system->blocks; b++) {
    if (local->marks[b]) local->near[local->near_count++] = b;
    if (local->marks[b] == PL_FAST_BLOCK) local->fast[local->fast_count++] = b;
  }
  for (int i = 0; i < 3 * system->blocks; i++) local->z[i] = 1;
  system->ops->mass_inverse(system, local->z, local->inverse);
}

pl_status pl_local_steps_choose(pl_integrator *self, pl_local_steps *local, pl_system *system,
                                double h, int most, pl_error *error)
{
  double largest[2] = {0};
  if (local->h == h) return PL_OK;
  local->h = 0;
  local->parts = 1;
  if (!system->ops->mark_fast) return PL_OK;
  memset(local->marks, 0, (size_t)self->blocks);
  pl_status status =
      system->ops->mark_fast(system, h, 2 * safety / h, local->marks, largest, error);
  if (!status) status = check_damping(h, largest[1], error);
  if (!status) status = count_parts(local, h, largest[0], most, error);
  // a layer of slow elements around the fast ones
  if (!status && local->parts > 1) status = system->ops->select(system, local->marks, error);
  for (int b = 0; b < self->blocks; b++) {
    if (local->marks[b]) local->marks[b] = PL_FAST_BLOCK;
  }
  if (!status && local->parts > 1) status = system->ops->select(system, local->marks, error);
  if (status) return status;
  local->h = h;
  if (local->parts == 1) return PL_OK;
  make_lists(local, system);
  make_numbers(local);
  return PL_OK;
}

/* ---- the mean ---- */

/* The forces of the selected elements at x, as far as there are any. */
static void evaluate(pl_local_steps *local, pl_system *system, double t, const double *v,
                     double *forces)
{
  for (int i = 0; i < local->near_count; i++)
    memset(forces + 3 * (size_t)local->near[i], 0, 3 * sizeof *forces);
  system->ops->evaluate_selected(system, t, local->x, v, forces);
}

/* The k-th smaller step of fast blocks, and x = q + z. */
static void move(pl_local_steps *local, int k, const double *q)
{
  const double carry = local->numbers[NUMBERS * k + CARRY];
  const double factor = local->numbers[NUMBERS * k + FACTOR];
  for (int i = 0; i < local->fast_count; i++) {
    size_t at = 3 * (size_t)local->fast[i];
    for (size_t j = at; j < at + 3; j++) {
      double z = local->z[j], next = z + carry * (z - local->before[j]) + factor * local->a[j];
      local->before[j] = z;
      local->z[j] = next;
      local->x[j] = q[j] + next;
    }
  }
}

/* a = P M^-1 (start + change) where the change of forces is felt, and f += weight change. */
static void take_forces(pl_local_steps *local, pl_system *system, double weight, double *f)
{
  for (int i = 0; i < local->near_count; i++) {
    size_t at = 3 * (size_t)local->near[i];
    for (size_t k = at; k < at + 3; k++) {
      double change = local->forces[k] - local->first[k];
      f[k] += weight * change;
      local->a[k] = local->inverse[k] * (local->start[k] + change);
    }
  }
  pl_system_free(system, 0, local->a);
}

void pl_local_steps_mean(pl_local_steps *local, pl_system *system, double t, const double *q,
                         const double *v, double *f)
{
  int blocks = system->blocks;
  pl_pass_copy(q, local->x, blocks, 1, system->pool);
  pl_pass_copy(f, local->start, blocks, 1, system->pool);
  pl_pass_clear(local->z, blocks, system->pool);
  pl_pass_clear(local->before, blocks, system->pool);
  evaluate(local, system, t, v, local->first);

  system->ops->mass_inverse(system, f, local->a);
  pl_system_free(system, 0, local->a);
  move(local, 0, q);
  for (int k = 1; k < local->parts; k++) {
    evaluate(local, system, t, v, local->forces);
    take_forces(local, system, local->numbers[NUMBERS * k + MEAN], f);
    move(local, k, q);
  }
}
