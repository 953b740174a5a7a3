/* Least squares by Householder's QR: linear, non-negative (Lawson, Hanson 1974) and nonlinear
 * (Levenberg 1944; Marquardt 1963; Nielsen 1999, "Damping parameter in Marquardt's method"). */
#include "material/least_squares.h"

#include "core/error.h"
#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- linear ---- */

/* Reflects column k of A onto its axis, and the columns behind it and b along. */
static void reflect(double *A, double *b, int rows, int count, int k)
{
  double norm = 0, *at = A + (size_t)k * (size_t)count + k;
  for (int i = 0; i < rows - k; i++) norm += at[i * count] * at[i * count];
  norm = sqrt(norm);
  if (!(norm > 0)) return;
  const double alpha = *at > 0 ? -norm : norm, head = *at - alpha, scale = -1 / (alpha * head);
  for (int j = k + 1; j <= count; j++) {
    double sum = head * (j < count ? at[j - k] : b[k]);
    for (int i = 1; i < rows - k; i++)
      sum += at[i * count] * (j < count ? at[i * count + j - k] : b[k + i]);
    sum *= scale;
    for (int i = 0; i < rows - k; i++) {
      double part = sum * (i ? at[i * count] : head);
      if (j < count)
        at[i * count + j - k] -= part;
      else
        b[k + i] -= part;
    }
  }
  *at = alpha;
}

/* Solves R x = b with the upper triangle of A; unknowns without a slope are 0. */
static void substitute(const double *A, const double *b, int count, double *x, double *condition)
{
  double min = INFINITY, max = 0;
  for (int k = 0; k < count; k++) {
    double size = fabs(A[(size_t)k * (size_t)count + (size_t)k]);
    min = fmin(min, size);
    max = fmax(max, size);
  }
  if (condition) *condition = min > 1e-14 * max ? max / min : INFINITY;
  for (int k = count - 1; k >= 0; k--) {
    const double *row = A + (size_t)k * (size_t)count;
    double sum = b[k];
    for (int j = k + 1; j < count; j++) sum -= row[j] * x[j];
    x[k] = fabs(row[k]) > 1e-14 * max ? sum / row[k] : 0;
  }
}

/* Scales columns to length 1 and solves; A and b are spent, scale has count places. */
static void solve(double *A, double *b, int rows, int count, double *scale, double *x,
                  double *condition)
{
  for (int j = 0; j < count; j++) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += A[i * count + j] * A[i * count + j];
    scale[j] = sum > 0 ? 1 / sqrt(sum) : 0;
    for (int i = 0; i < rows; i++) A[i * count + j] *= scale[j];
  }
  for (int k = 0; k < count && k < rows; k++) reflect(A, b, rows, count, k);
  substitute(A, b, count, x, condition);
  for (int j = 0; j < count; j++) x[j] *= scale[j];
}

/* Room for rows of a matrix, a right side and count scales. */
static double *take(const pl_allocator *allocator, int rows, int count)
{
  size_t places = (size_t)rows * (size_t)(count + 1) + (size_t)count;
  return pl_alloc(allocator, places, sizeof(double));
}

pl_status pl_fit_linear(const pl_allocator *allocator, const pl_linear_fit *fit, double *x,
                        double *condition, pl_error *error)
{
  if (fit->rows < fit->count)
    return pl_fail(error, PL_E_ARGUMENT, "%d values are too few for %d constants", fit->rows,
                   fit->count);
  size_t entries = (size_t)fit->rows * (size_t)fit->count;
  double *A = take(allocator, fit->rows, fit->count);
  if (!A) return pl_fail_memory(error);
  double *b = A + entries, *scale = b + fit->rows;
  memcpy(A, fit->A, entries * sizeof *A);
  memcpy(b, fit->b, (size_t)fit->rows * sizeof *b);
  solve(A, b, fit->rows, fit->count, scale, x, condition);
  pl_free(allocator, A);
  return PL_OK;
}

/* ---- non-negative ---- */

/* The least squares of the unknowns in the set; the others are 0. */
static void solve_set(const pl_linear_fit *fit, const int *set, double *room, double *x)
{
  int count = fit->count, used = 0, places[64];
  for (int j = 0; j < count && used < 64; j++) {
    if (set[j]) places[used++] = j;
  }
  double *A = room, *b = A + (size_t)fit->rows * (size_t)count, *scale = b + fit->rows, y[64];
  for (int i = 0; i < fit->rows; i++) {
    for (int k = 0; k < used; k++) A[i * used + k] = fit->A[i * count + places[k]];
    b[i] = fit->b[i];
  }
  solve(A, b, fit->rows, used, scale, y, NULL);
  memset(x, 0, (size_t)count * sizeof *x);
  for (int k = 0; k < used; k++) x[places[k]] = y[k];
}

/* The unknown outside the set along which |A x - b|^2 falls fastest; -1: none. */
static int steepest(const pl_linear_fit *fit, const int *set, const double *x)
{
  int best = -1;
  double max = 1e-12;
  for (int j = 0; j < fit->count; j++) {
    double slope = 0, size = 0, length = 0;
    for (int i = 0; i < fit->rows && !set[j]; i++) {
      double left = fit->b[i];
      for (int k = 0; k < fit->count; k++) left -= fit->A[i * fit->count + k] * x[k];
      slope += fit->A[i * fit->count + j] * left;
      size += fit->b[i] * fit->b[i];
      length += fit->A[i * fit->count + j] * fit->A[i * fit->count + j];
    }
    slope /= sqrt(size * length) + DBL_MIN;
    if (slope > max) max = slope, best = j;
  }
  return best;
}

/* Goes from x towards y as far as nothing is negative; what got to 0 leaves the set. Returns
 * whether y was reached. */
static int approach(int count, const double *y, int *set, double *x)
{
  double share = 1;
  for (int j = 0; j < count; j++) {
    if (set[j] && y[j] <= 0) share = fmin(share, x[j] / (x[j] - y[j]));
  }
  for (int j = 0; j < count; j++) {
    x[j] += share * (y[j] - x[j]);
    if (set[j] && share < 1 && x[j] <= 1e-14) set[j] = 0, x[j] = 0;
  }
  return share >= 1;
}

pl_status pl_fit_nonnegative(const pl_allocator *allocator, const pl_linear_fit *fit, double *x,
                             pl_error *error)
{
  int set[64] = {0}, count = fit->count;
  double y[64];
  if (count > 64)
    return pl_fail(error, PL_E_LIMIT, "%d constants are too many; take at most 64", count);
  double *room = take(allocator, fit->rows, count);
  if (!room) return pl_fail_memory(error);
  memset(x, 0, (size_t)count * sizeof *x);
  for (int round = 0; round < 3 * count; round++) {
    int next = steepest(fit, set, x);
    if (next < 0) break;
    set[next] = 1;
    for (int inner = 0; inner <= count; inner++) {
      solve_set(fit, set, room, y);
      if (approach(count, y, set, x)) break;
    }
  }
  pl_free(allocator, room);
  return PL_OK;
}

/* ---- nonlinear ---- */

typedef struct search {
  const pl_nonlinear_fit *fit;
  double *J, *r, *A, *b, *scale; /* slopes; residuals; both again with the damping below */
  double *above, *below, *x, *dx;
} search;

static double square(const double *r, int rows)
{
  double sum = 0;
  for (int i = 0; i < rows; i++) sum += r[i] * r[i];
  return isfinite(sum) ? sum : INFINITY;
}

static void find_slopes(search *at, const double *x)
{
  const pl_nonlinear_fit *fit = at->fit;
  if (fit->slopes) {
    fit->slopes(fit->context, x, at->J);
    return;
  }
  memcpy(at->x, x, (size_t)fit->count * sizeof *x);
  for (int j = 0; j < fit->count; j++) {
    double h = (fit->step > 0 ? fit->step : 1e-6) * fmax(1, fabs(x[j]));
    at->x[j] = x[j] + h;
    fit->residuals(fit->context, at->x, at->above);
    at->x[j] = x[j] - h;
    fit->residuals(fit->context, at->x, at->below);
    at->x[j] = x[j];
    for (int i = 0; i < fit->rows; i++) {
      double slope = (at->above[i] - at->below[i]) / (2 * h);
      at->J[i * fit->count + j] = isfinite(slope) ? slope : 0;
    }
  }
}

/* dx = the damped step; damping: as a share of the columns' lengths. */
static void find_step(search *at, double damping)
{
  int rows = at->fit->rows, count = at->fit->count;
  memcpy(at->A, at->J, (size_t)(rows * count) * sizeof *at->A);
  memset(at->A + (size_t)rows * (size_t)count, 0, (size_t)(count * count) * sizeof *at->A);
  for (int i = 0; i < rows; i++) at->b[i] = -at->r[i];
  for (int j = 0; j < count; j++) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += at->J[i * count + j] * at->J[i * count + j];
    at->A[(rows + j) * count + j] = sqrt(damping * sum) + 1e-150;
    at->b[rows + j] = 0;
  }
  solve(at->A, at->b, rows + count, count, at->scale, at->dx, NULL);
}

/* sqrt of the diagonal of |r|^2 / (rows - count) (J^T J)^-1, whose factor stands in A after an
 * undamped step: rows of R^-1. */
static void find_deviations(search *at, double sum, double *deviation)
{
  int rows = at->fit->rows, count = at->fit->count;
  find_step(at, 0);
  for (int j = 0; j < count; j++) deviation[j] = 0;
  for (int k = 0; k < count; k++) {
    // column k of R^-1
    for (int i = 0; i < count; i++) at->b[i] = i == k;
    substitute(at->A, at->b, count, at->dx, NULL);
    for (int j = 0; j < count; j++) deviation[j] += at->dx[j] * at->dx[j];
  }
  for (int j = 0; j < count; j++)
    deviation[j] = rows > count ? sqrt(deviation[j] * sum / (rows - count)) * at->scale[j] : 0;
}

/* Tries steps with growing damping until |r|^2 falls; returns by how much of itself. */
static double descend(search *at, double *damping, double *x, double *sum)
{
  const pl_nonlinear_fit *fit = at->fit;
  for (int tries = 0; tries < 30; tries++) {
    find_step(at, *damping);
    for (int j = 0; j < fit->count; j++) at->x[j] = x[j] + at->dx[j];
    fit->residuals(fit->context, at->x, at->above);
    double next = square(at->above, fit->rows);
    if (next < *sum) {
      double fall = 1 - next / *sum;
      memcpy(x, at->x, (size_t)fit->count * sizeof *x);
      memcpy(at->r, at->above, (size_t)fit->rows * sizeof *at->r);
      *sum = next;
      *damping = fmax(*damping / 5, 1e-14);
      return fall;
    }
    *damping = fmin(*damping * 4, 1e12);
  }
  return 0;
}

pl_status pl_fit_nonlinear(const pl_allocator *allocator, const pl_nonlinear_fit *fit, int steps,
                           double *x, double *deviation, double *sum, pl_error *error)
{
  size_t rows = (size_t)fit->rows, count = (size_t)fit->count;
  size_t places = rows * count + (rows + count) * count + 4 * rows + 5 * count;
  double *room = pl_alloc(allocator, places, sizeof *room), damping = 1e-3;
  if (!room) return pl_fail_memory(error);
  search at = {.fit = fit, .J = room, .A = room + rows * count};
  at.r = at.A + (rows + count) * count;
  at.above = at.r + rows;
  at.below = at.above + rows;
  at.b = at.below + rows;
  at.scale = at.b + rows + count;
  at.x = at.scale + count;
  at.dx = at.x + count;
  fit->residuals(fit->context, x, at.r);
  double min = square(at.r, fit->rows);
  for (int step = 0; step < steps && min > 0; step++) {
    find_slopes(&at, x);
    if (descend(&at, &damping, x, &min) < fit->min_fall) break;
  }
  find_slopes(&at, x);
  if (deviation) find_deviations(&at, min, deviation);
  if (sum) *sum = min;
  pl_free(allocator, room);
  return isfinite(min)
             ? PL_OK
             : pl_fail(error, PL_E_CONVERGENCE, "the fit has no finite residual; look at the data");
}
