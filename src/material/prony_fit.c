/* Fits of Prony series,
 *
 *   G(t) = m_0 + sum m_i exp(-t/tau_i)       M(w) = m_0 + sum m_i i w tau_i / (1 + i w tau_i)
 *
 * Start: times even in their logarithm over the range of the data, widened by 0, 1/4 and 1/2 of a
 * decade, and the moduli by non-negative least squares; the best of the three. Then Levenberg and
 * Marquardt in the logarithms of all constants, which keeps their signs. For the least largest
 * error the norm is raised in steps from the last solution.
 *
 * The creep function of the same material has an exponential for each zero of M: with s = -1/x,
 * M = m_0 - sum m_i tau_i / (x - tau_i) has one zero between each two times and one beyond, and
 * J(t) = 1/m_0 - sum c_k exp(-t/x_k), 1/c_k = x_k dM/dx (residues of 1/(s M)). */
#include "material/prony_fit.h"

#include "core/error.h"
#include "core/memory.h"
#include "material/least_squares.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

static double exponential(double x) { return pl_pow(2.71828182845904523536, x); }

double pl_maxwell_relaxation(const pl_maxwell *series, double t)
{
  double sum = series->lasting;
  for (int i = 0; i < series->terms; i++)
    sum += series->moduli[i] * exponential(-t / series->times[i]);
  return sum;
}

/* M at s = -1/x, and its slope by x. */
static double modulus_at(const pl_maxwell *series, double x, double *slope)
{
  double sum = series->lasting;
  *slope = 0;
  for (int i = 0; i < series->terms; i++) {
    double part = series->moduli[i] * series->times[i] / (x - series->times[i]);
    sum -= part;
    *slope += part / (x - series->times[i]);
  }
  return sum;
}

/* The zero of M beyond times[k]: it rises from minus infinity there. */
static double zero_behind(const pl_maxwell *series, int k)
{
  double low = series->times[k], high = k + 1 < series->terms ? series->times[k + 1] : 0, slope;
  if (high == 0) {
    double all = 0;
    for (int i = 0; i < series->terms; i++) all += series->moduli[i];
    high = low * (1 + all / series->lasting) * (1 + 1e-12);
  }
  for (int i = 0; i < 100 && high > low * (1 + 1e-15); i++) {
    double middle = 0.5 * (low + high);
    if (modulus_at(series, middle, &slope) < 0)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

double pl_maxwell_creep(const pl_maxwell *series, double t)
{
  double sum = 1 / series->lasting;
  for (int k = 0; k < series->terms; k++) {
    double slope, x = zero_behind(series, k);
    modulus_at(series, x, &slope);
    sum -= exponential(-t / x) / (x * slope);
  }
  return sum;
}

void pl_maxwell_modulus(const pl_maxwell *series, double frequency, double modulus[2])
{
  modulus[0] = series->lasting;
  modulus[1] = 0;
  for (int i = 0; i < series->terms; i++) {
    double z = 2 * PL_PI * frequency * series->times[i], part = series->moduli[i] / (1 + z * z);
    modulus[0] += part * z * z;
    modulus[1] += part * z;
  }
}

double pl_maxwell_quality(const pl_maxwell *series, double frequency)
{
  double modulus[2];
  pl_maxwell_modulus(series, frequency, modulus);
  return modulus[0] / modulus[1];
}

/* ---- residuals ---- */

typedef struct problem {
  const pl_maxwell_data *data;
  int terms;
  double power; /* residuals are raised to this, for norms above the second */
} problem;

static int rows_of(const pl_maxwell_data *data)
{
  return data->kind == PL_MAXWELL_MODULUS ? 2 * data->rows : data->rows;
}

/* Logarithms of m_0, all m_i and all tau_i. */
static void unpack(int terms, const double *x, pl_maxwell *series)
{
  series->terms = terms;
  series->lasting = exponential(x[0]);
  for (int i = 0; i < terms; i++) {
    series->moduli[i] = exponential(x[1 + i]);
    series->times[i] = exponential(x[1 + terms + i]);
  }
}

static void swap(double *a, double *b)
{
  double kept = *a;
  *a = *b;
  *b = kept;
}

static void sort_times(pl_maxwell *series)
{
  for (int i = 1; i < series->terms; i++) {
    for (int k = i; k > 0 && series->times[k] < series->times[k - 1]; k--) {
      swap(&series->times[k], &series->times[k - 1]);
      swap(&series->moduli[k], &series->moduli[k - 1]);
    }
  }
}

static double raised(double r, double power)
{
  double size = power > 1 ? pl_pow(fabs(r), power) : fabs(r);
  return r < 0 ? -size : size;
}

/* The two residuals of a frequency. */
static void compare_moduli(const problem *of, const pl_maxwell *series, int row, double *r)
{
  const pl_maxwell_data *data = of->data;
  const double a = data->values[row], b = data->losses[row];
  double M[2];
  pl_maxwell_modulus(series, data->at[row], M);
  if (data->aim == PL_MAXWELL_RELATIVE) {
    double size = pl_hypot(a, b);
    r[0] = (M[0] - a) / size;
    r[1] = (M[1] - b) / size;
  } else if (data->aim == PL_MAXWELL_COMPLIANCE) {
    double square = M[0] * M[0] + M[1] * M[1];
    r[0] = (a * M[0] + b * M[1]) / square - 1;
    r[1] = (b * M[0] - a * M[1]) / square;
  } else {
    double weight = data->aim == PL_MAXWELL_QUALITY ? 0.3 : 0.2;
    r[0] = raised(pl_ln(M[0] * b / (M[1] * a)), of->power);
    r[1] = raised(weight * pl_ln(pl_hypot(M[0], M[1]) / pl_hypot(a, b)), of->power);
  }
}

static void residuals(void *context, const double *x, double *r)
{
  const problem *of = context;
  const pl_maxwell_data *data = of->data;
  pl_maxwell series;
  unpack(of->terms, x, &series);
  if (data->kind == PL_MAXWELL_CREEP) sort_times(&series);
  for (int row = 0; row < data->rows; row++) {
    if (data->kind == PL_MAXWELL_MODULUS)
      compare_moduli(of, &series, row, r + 2 * row);
    else if (data->kind == PL_MAXWELL_RELAXATION)
      r[row] = pl_maxwell_relaxation(&series, data->at[row]) / data->values[row] - 1;
    else
      r[row] = pl_maxwell_creep(&series, data->at[row]) / data->values[row] - 1;
  }
}

/* How the two residuals r of a frequency change with storage and loss modulus: D[2][2]. */
static void compare_slopes(const problem *of, int row, const double M[2], double D[4])
{
  const pl_maxwell_data *data = of->data;
  const double a = data->values[row], b = data->losses[row];
  const double square = M[0] * M[0] + M[1] * M[1];
  memset(D, 0, 4 * sizeof *D);
  if (data->aim == PL_MAXWELL_RELATIVE) {
    D[0] = D[3] = 1 / pl_hypot(a, b);
  } else if (data->aim == PL_MAXWELL_COMPLIANCE) {
    // r = (a + i b) / M - 1, a holomorphic function of M
    double re = M[0] * M[0] - M[1] * M[1], im = 2 * M[0] * M[1], size = square * square;
    D[0] = D[3] = -(a * re + b * im) / size;
    D[2] = -(b * re - a * im) / size;
    D[1] = -D[2];
  } else {
    double weight = data->aim == PL_MAXWELL_QUALITY ? 0.3 : 0.2, r[2], p = of->power;
    r[0] = pl_ln(M[0] * b / (M[1] * a));
    r[1] = weight * 0.5 * pl_ln(square / (a * a + b * b));
    double first = p > 1 ? p * pl_pow(fabs(r[0]), p - 1) : 1;
    double second = p > 1 ? p * pl_pow(fabs(r[1]), p - 1) : 1;
    D[0] = first / M[0];
    D[1] = -first / M[1];
    D[2] = second * weight * M[0] / square;
    D[3] = second * weight * M[1] / square;
  }
}

/* J of PL_MAXWELL_MODULUS, by the logarithms of all constants. */
static void slopes(void *context, const double *x, double *J)
{
  const problem *of = context;
  const int n = of->terms, count = 1 + 2 * n;
  pl_maxwell series;
  unpack(n, x, &series);
  for (int row = 0; row < of->data->rows; row++) {
    double M[2], D[4], *at = J + 2 * row * count;
    pl_maxwell_modulus(&series, of->data->at[row], M);
    compare_slopes(of, row, M, D);
    for (int k = 0; k < count; k++) {
      double change[2] = {series.lasting, 0};
      if (k > 0) {
        int i = (k - 1) % n;
        double z = 2 * PL_PI * of->data->at[row] * series.times[i], one = 1 / (1 + z * z);
        double part = series.moduli[i] * one;
        change[0] = k <= n ? part * z * z : 2 * part * one * z * z;
        change[1] = k <= n ? part * z : part * one * z * (1 - z * z);
      }
      at[k] = D[0] * change[0] + D[1] * change[1];
      at[count + k] = D[2] * change[0] + D[3] * change[1];
    }
  }
}

/* ---- the start ---- */

/* Row by row the shares of m_0 and all m_i in what was measured, relative to it. */
static void start_rows(const pl_maxwell_data *data, int terms, const double *times, int row,
                       double *A, double *b)
{
  int count = terms + 1;
  if (data->kind == PL_MAXWELL_MODULUS) {
    double size = pl_hypot(data->values[row], data->losses[row]);
    for (int k = 0; k < count; k++) {
      double z = k ? 2 * PL_PI * data->at[row] * times[k - 1] : 0, part = 1 / (1 + z * z) / size;
      A[2 * row * count + k] = k ? part * z * z : 1 / size;
      A[(2 * row + 1) * count + k] = part * z;
    }
    b[2 * row] = data->values[row] / size;
    b[2 * row + 1] = data->losses[row] / size;
    return;
  }
  // of creep: the modulus is about 1 / strain
  double value = data->kind == PL_MAXWELL_CREEP ? 1 / data->values[row] : data->values[row];
  for (int k = 0; k < count; k++)
    A[row * count + k] = (k ? exponential(-data->at[row] / times[k - 1]) : 1) / value;
  b[row] = 1;
}

/* The range of times that the data speak of. */
static void range_of(const pl_maxwell_data *data, double range[2])
{
  int first = 0, last = data->rows - 1;
  while (first < last && !(data->at[first] > 0)) first++;
  range[0] = data->at[first];
  range[1] = data->at[last];
  if (data->kind != PL_MAXWELL_MODULUS) return;
  double low = range[0];
  range[0] = 1 / (2 * PL_PI * range[1]);
  range[1] = 1 / (2 * PL_PI * low);
}

static pl_status start(const pl_allocator *allocator, const pl_maxwell_data *data, int terms,
                       double widened, double *x, pl_error *error)
{
  double range[2], times[PL_MAXWELL_TERMS], moduli[PL_MAXWELL_TERMS + 1], all = 0;
  int rows = rows_of(data), count = terms + 1;
  range_of(data, range);
  double low = pl_ln(range[0]) - widened * 2.302585, high = pl_ln(range[1]) + widened * 2.302585;
  double *A = pl_alloc(allocator, (size_t)rows * ((size_t)count + 1), sizeof *A);
  if (!A) return pl_fail_memory(error);
  double *b = A + rows * count;
  for (int i = 0; i < terms; i++) times[i] = exponential(low + (i + 0.5) * (high - low) / terms);
  for (int row = 0; row < data->rows; row++) start_rows(data, terms, times, row, A, b);
  const pl_linear_fit fit = {rows, count, A, b};
  pl_status status = pl_fit_nonnegative(allocator, &fit, moduli, error);
  pl_free(allocator, A);
  if (status) return status;
  for (int k = 0; k < count; k++) all += moduli[k];
  for (int k = 0; k < count; k++) x[k] = pl_ln(fmax(moduli[k], 1e-3 * all / count));
  for (int i = 0; i < terms; i++) x[count + i] = pl_ln(times[i]);
  return PL_OK;
}

/* ---- the fit ---- */

static pl_status descend(const pl_allocator *allocator, problem *of, int steps, double *x,
                         double *sum, pl_error *error)
{
  const pl_nonlinear_fit fit = {.rows = rows_of(of->data),
                                .count = 1 + 2 * of->terms,
                                .min_fall = 1e-8,
                                .context = of,
                                .residuals = residuals,
                                .slopes = of->data->kind == PL_MAXWELL_MODULUS ? slopes : NULL};
  return pl_fit_nonlinear(allocator, &fit, steps, x, NULL, sum, error);
}

/* From each start to its minimum; the best. */
static pl_status best_of_starts(const pl_allocator *allocator, problem *of, double *x,
                                pl_error *error)
{
  static const double widths[] = {0, 0.25, 0.5};
  double min = INFINITY, sum, trial[1 + 2 * PL_MAXWELL_TERMS];
  pl_status status = PL_OK;
  for (int k = 0; k < 3 && !status; k++) {
    status = start(allocator, of->data, of->terms, widths[k], trial, error);
    if (!status) status = descend(allocator, of, 100, trial, &sum, error);
    if (status || !(sum < min)) continue;
    min = sum;
    memcpy(x, trial, (size_t)(1 + 2 * of->terms) * sizeof *x);
  }
  return status;
}

static void drop_small(pl_maxwell *series)
{
  double all = series->lasting;
  int kept = 0;
  for (int i = 0; i < series->terms; i++) all += series->moduli[i];
  for (int i = 0; i < series->terms; i++) {
    if (series->moduli[i] < 1e-4 * all) continue;
    series->moduli[kept] = series->moduli[i];
    series->times[kept++] = series->times[i];
  }
  series->terms = kept;
}

pl_status pl_maxwell_fit(const pl_allocator *allocator, const pl_maxwell_data *data, int terms,
                         pl_maxwell *series, pl_error *error)
{
  static const double powers[] = {1.5, 3, 6};
  const int is_minimax = data->aim == PL_MAXWELL_MINIMAX;
  pl_maxwell_data first = *data;
  if (is_minimax) first.aim = PL_MAXWELL_COMPLIANCE;
  problem of = {&first, terms, 1};
  double x[1 + 2 * PL_MAXWELL_TERMS], sum;
  if (terms < 1 || terms > PL_MAXWELL_TERMS)
    return pl_fail(error, PL_E_ARGUMENT, "a series of %d terms; give 1 to %d", terms,
                   PL_MAXWELL_TERMS);
  if (rows_of(data) < 1 + 2 * terms)
    return pl_fail(error, PL_E_ARGUMENT,
                   "%d values are too few for the %d constants of %d terms; take fewer terms",
                   rows_of(data), 1 + 2 * terms, terms);
  pl_status status = best_of_starts(allocator, &of, x, error);
  of.data = data;
  for (int k = 0; k < 3 && is_minimax && !status; k++) {
    of.power = powers[k];
    status = descend(allocator, &of, 20, x, &sum, error);
  }
  if (status) return status;
  unpack(terms, x, series);
  sort_times(series);
  drop_small(series);
  return PL_OK;
}

pl_status pl_maxwell_constant_q(const pl_allocator *allocator, const pl_constant_q *of,
                                pl_maxwell *series, pl_error *error)
{
  enum { ROWS = 201 };
  double at[ROWS], storage[ROWS], loss[ROWS];
  const double power = 2 * pl_atan2(1, of->q) / PL_PI;
  const double middle = sqrt(of->band[0]) * sqrt(of->band[1]);
  const double reference = of->reference > 0 ? of->reference : middle;
  for (int i = 0; i < ROWS; i++) {
    at[i] = of->band[0] * pl_pow(of->band[1] / of->band[0], i / (ROWS - 1.0));
    double size = pl_pow(at[i] / reference, power);
    storage[i] = size * pl_cos(power * PL_PI / 2);
    loss[i] = size * pl_sin(power * PL_PI / 2);
  }
  const pl_maxwell_data data = {.kind = PL_MAXWELL_MODULUS,
                                .aim = of->aim,
                                .rows = ROWS,
                                .at = at,
                                .values = storage,
                                .losses = loss};
  pl_status status = pl_maxwell_fit(allocator, &data, of->terms, series, error);
  double M[2];
  if (status) return status;
  pl_maxwell_modulus(series, reference, M);
  const double scale = 1 / pl_hypot(M[0], M[1]);
  if (of->aim != PL_MAXWELL_MINIMAX) return PL_OK;
  series->lasting *= scale;
  for (int i = 0; i < series->terms; i++) series->moduli[i] *= scale;
  return PL_OK;
}
