/* Laws of rubber from measured stresses. With the energy W of the stretches s at constant volume,
 *
 *   P = dW/ds_1 - (s_3 / s_1) dW/ds_3
 *
 * is the nominal stress of tension, biaxial and planar tension. Simple shear by g has the stretches
 * (l, 1, 1/l) with g = l - 1/l, and the stress dW/dg = P_planar(l) / (1 + 1/l^2). Volumetric and
 * confined tests have K (J - 1) beside the energy of J^(-1/3) s.
 *
 * Laws that are linear in their constants are solved at once. Ogden's: the exponents from a grid,
 * with moduli of the same signs by non-negative least squares at each of its points (so that each
 * mu_p alpha_p > 0), and the best three refined (Ogden, Saccomandi, Sgura 2004, "Fitting
 * hyperelastic models to experimental data"). Arruda and Boyce's: refined from a start. */
#include "material/stress_fit.h"

#include "core/error.h"
#include "core/memory.h"
#include "material/least_squares.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

static const char *const mode_names[] = {"uniaxial",     "equibiaxial", "planar",
                                         "simple-shear", "volumetric",  "confined"};

const char *pl_test_mode_name(pl_test_mode mode) { return mode_names[mode]; }

int pl_rubber_constants(pl_rubber_kind kind, int terms)
{
  if (kind == PL_RUBBER_NEO_HOOKE) return 1;
  if (kind == PL_RUBBER_MOONEY || kind == PL_RUBBER_ARRUDA) return 2;
  return kind == PL_RUBBER_OGDEN ? 2 * terms : terms;
}

/* ---- stress ---- */

/* Arruda and Boyce's series, with i times the factor of Ib1^i. */
static double arruda_slope(const pl_rubber *rubber, double I1)
{
  static const double k[] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
  double sum = 0, by = I1 / (rubber->c[1] * rubber->c[1]), power = 1;
  for (int i = 0; i < 5; i++, power *= by) sum += (i + 1) * k[i] * power;
  return rubber->c[0] * sum;
}

/* dW/dI1 of laws of the first invariant. */
static double first_slope(const pl_rubber *rubber, double I1)
{
  double sum = 0, power = 1;
  if (rubber->kind == PL_RUBBER_ARRUDA) return arruda_slope(rubber, I1);
  if (rubber->kind != PL_RUBBER_POLYNOMIAL) return rubber->c[0];
  for (int i = 0; i < rubber->terms; i++, power *= I1 - 3) sum += (i + 1) * rubber->c[i] * power;
  return sum;
}

/* d = dW/ds. */
static void slopes_of(const pl_rubber *rubber, const double s[3], double d[3])
{
  double I1 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  for (int i = 0; i < 3; i++) {
    d[i] = 0;
    for (int p = 0; p < rubber->terms && rubber->kind == PL_RUBBER_OGDEN; p++)
      d[i] += rubber->c[p] * pl_pow(s[i], rubber->c[rubber->terms + p] - 1);
    if (rubber->kind == PL_RUBBER_OGDEN) continue;
    double second = rubber->kind == PL_RUBBER_MOONEY ? rubber->c[1] : 0;
    d[i] = 2 * s[i] * (first_slope(rubber, I1) + second * (I1 - s[i] * s[i]));
  }
}

double pl_rubber_shear(const pl_rubber *rubber)
{
  double sum = 0;
  if (rubber->kind != PL_RUBBER_OGDEN)
    return 2 * (first_slope(rubber, 3) + (rubber->kind == PL_RUBBER_MOONEY ? rubber->c[1] : 0));
  for (int p = 0; p < rubber->terms; p++) sum += rubber->c[p] * rubber->c[rubber->terms + p] / 2;
  return sum;
}

static void stretches_of(pl_test_mode mode, double l, double s[3])
{
  s[0] = l;
  s[1] = mode == PL_TEST_UNIAXIAL ? 1 / sqrt(l) : mode == PL_TEST_EQUIBIAXIAL ? l : 1;
  s[2] = 1 / (s[0] * s[1]);
}

/* The stress of shape of a confined specimen: that of J^(-1/3) s with s = (l, 1, 1). */
static double confined_stress(const pl_rubber *rubber, double l)
{
  const double root = pl_cbrt(l), s[3] = {root * root, 1 / root, 1 / root};
  double d[3];
  slopes_of(rubber, s, d);
  return 2.0 / 3 * (d[0] / root - d[1] / (l * root));
}

double pl_rubber_stress(const pl_rubber *rubber, pl_test_mode mode, double l)
{
  double s[3], d[3];
  if (mode == PL_TEST_VOLUMETRIC) return rubber->bulk * (l * l * l - 1) * l * l;
  if (mode == PL_TEST_CONFINED) return confined_stress(rubber, l) + rubber->bulk * (l - 1);
  double g = l - 1, at = mode == PL_TEST_SHEAR ? 0.5 * (g + sqrt(g * g + 4)) : l;
  stretches_of(mode == PL_TEST_SHEAR ? PL_TEST_PLANAR : mode, at, s);
  slopes_of(rubber, s, d);
  double P = d[0] - s[2] / s[0] * d[2];
  // both loaded directions of biaxial tension are alike: the stress of one
  return mode == PL_TEST_SHEAR ? P / (1 + 1 / (at * at)) : P;
}

/* dW/de of the first two logarithmic stretches at constant volume. */
static void log_slopes(const pl_rubber *rubber, const double e[2], double g[2])
{
  const double s[3] = {pl_pow(2.71828182845904523536, e[0]), pl_pow(2.71828182845904523536, e[1]),
                       pl_pow(2.71828182845904523536, -e[0] - e[1])};
  double d[3];
  slopes_of(rubber, s, d);
  for (int i = 0; i < 2; i++) g[i] = s[i] * d[i] - s[2] * d[2];
}

int pl_rubber_is_stable(const pl_rubber *rubber, pl_test_mode mode, double stretch)
{
  const double h = 1e-5;
  double s[3], H[2][2], e[2];
  stretches_of(mode, stretch, s);
  for (int i = 0; i < 2; i++) e[i] = pl_ln(s[i]);
  for (int k = 0; k < 2; k++) {
    double at[2] = {e[0], e[1]}, above[2], below[2];
    at[k] = e[k] + h;
    log_slopes(rubber, at, above);
    at[k] = e[k] - h;
    log_slopes(rubber, at, below);
    for (int i = 0; i < 2; i++) H[i][k] = (above[i] - below[i]) / (2 * h);
  }
  return H[0][0] > 0 && H[0][0] * H[1][1] - H[0][1] * H[1][0] > 0;
}

/* ---- fits ---- */

typedef struct task {
  const pl_test_row *rows;
  int count; /* of rows that speak of the shape */
  pl_rubber *rubber;
  double sign[PL_RUBBER_TERMS]; /* of Ogden's moduli */
} task;

static int is_of_shape(const pl_test_row *row)
{
  return row->mode != PL_TEST_VOLUMETRIC && row->mode != PL_TEST_CONFINED;
}

/* Row after row, times the root of its weight, the stress of unit constants. */
static void fill_columns(const task *of, int columns, const double *signs, double *A, double *b)
{
  pl_rubber unit = *of->rubber;
  for (int i = 0; i < of->count; i++) {
    const pl_test_row *row = &of->rows[i];
    double root = sqrt(row->weight);
    for (int k = 0; k < columns; k++) {
      for (int j = 0; j < columns; j++) unit.c[j] = j == k ? (signs ? signs[k] : 1) : 0;
      A[i * columns + k] = root * pl_rubber_stress(&unit, row->mode, row->stretch);
    }
    b[i] = root * row->stress;
  }
}

/* Constants in which the stress is linear; signs: they must have these. sum: what is left. */
static pl_status fit_columns(const pl_allocator *allocator, const task *of, int columns,
                             const double *signs, double *condition, double *sum, pl_error *error)
{
  double *A = pl_alloc(allocator, (size_t)of->count * ((size_t)columns + 1), sizeof *A);
  double x[2 * PL_RUBBER_TERMS] = {0};
  if (!A) return pl_fail_memory(error);
  double *b = A + of->count * columns;
  fill_columns(of, columns, signs, A, b);
  const pl_linear_fit fit = {of->count, columns, A, b};
  pl_status status = signs ? pl_fit_nonnegative(allocator, &fit, x, error)
                           : pl_fit_linear(allocator, &fit, x, condition, error);
  *sum = 0;
  for (int i = 0; i < of->count; i++) {
    double left = -b[i];
    for (int k = 0; k < columns; k++) left += A[i * columns + k] * x[k];
    *sum += left * left;
  }
  for (int k = 0; k < columns && !status; k++) of->rubber->c[k] = signs ? signs[k] * x[k] : x[k];
  pl_free(allocator, A);
  return status;
}

static double bounded_exp(double x)
{
  return pl_pow(2.71828182845904523536, fmin(fmax(x, -600), 600));
}

/* Logarithms of moduli and the exponents, or of mu_a and the locking stretch above 1. */
static void unpack(const task *of, const double *x, pl_rubber *rubber)
{
  if (rubber->kind == PL_RUBBER_ARRUDA) {
    rubber->c[0] = bounded_exp(x[0]);
    rubber->c[1] = 1 + bounded_exp(x[1]);
    return;
  }
  for (int p = 0; p < rubber->terms; p++) {
    rubber->c[p] = of->sign[p] * bounded_exp(x[p]);
    rubber->c[rubber->terms + p] = x[rubber->terms + p];
  }
}

static void pack(const pl_rubber *rubber, double *x)
{
  if (rubber->kind == PL_RUBBER_ARRUDA) {
    x[0] = pl_ln(rubber->c[0]);
    x[1] = pl_ln(rubber->c[1] - 1);
    return;
  }
  for (int p = 0; p < rubber->terms; p++) {
    x[p] = pl_ln(fabs(rubber->c[p]));
    x[rubber->terms + p] = rubber->c[rubber->terms + p];
  }
}

static void residuals(void *context, const double *x, double *r)
{
  const task *of = context;
  pl_rubber trial = *of->rubber;
  unpack(of, x, &trial);
  for (int i = 0; i < of->count; i++) {
    const pl_test_row *row = &of->rows[i];
    r[i] = sqrt(row->weight) * (pl_rubber_stress(&trial, row->mode, row->stretch) - row->stress);
  }
}

static pl_status refine(const pl_allocator *allocator, task *of, pl_rubber_quality *quality,
                        double *sum, pl_error *error)
{
  double x[2 * PL_RUBBER_TERMS], deviations[2 * PL_RUBBER_TERMS];
  pl_rubber *rubber = of->rubber;
  int count = pl_rubber_constants(rubber->kind, rubber->terms);
  const pl_nonlinear_fit fit = {
      .rows = of->count, .count = count, .min_fall = 1e-10, .context = of, .residuals = residuals};
  pack(rubber, x);
  pl_status status = pl_fit_nonlinear(allocator, &fit, 400, x, deviations, sum, error);
  if (status) return status;
  unpack(of, x, rubber);
  for (int k = 0; k < count; k++) {
    int is_log = rubber->kind == PL_RUBBER_ARRUDA || k < rubber->terms;
    double size = rubber->kind == PL_RUBBER_ARRUDA && k ? rubber->c[k] - 1 : rubber->c[k];
    quality->deviations[k] = deviations[k] * (is_log ? fabs(size) : 1);
  }
  return PL_OK;
}

/* So many of six exponents, by the bits of a number; 0: it has another number of bits. */
static int grid_point(int bits, pl_rubber *rubber, double *signs)
{
  static const double choices[] = {1.3, 2, 5, 8, -2, -4};
  int used = 0;
  for (int k = 0; k < 6; k++) {
    if (!(bits >> k & 1)) continue;
    if (used == rubber->terms) return 0;
    rubber->c[rubber->terms + used] = choices[k];
    signs[used++] = choices[k] > 0 ? 1 : -1;
  }
  return used == rubber->terms;
}

static pl_status fit_ogden(const pl_allocator *allocator, task *of, pl_rubber_quality *quality,
                           pl_error *error)
{
  enum { KEPT = 3 };
  pl_rubber starts[KEPT] = {{.kind = PL_RUBBER_OGDEN}}, *rubber = of->rubber, best = *rubber;
  double sums[KEPT] = {INFINITY, INFINITY, INFINITY}, min = INFINITY, sum;
  pl_status status = PL_OK;
  for (int bits = 1; bits < 1 << 6 && !status; bits++) {
    if (!grid_point(bits, rubber, of->sign)) continue;
    status = fit_columns(allocator, of, rubber->terms, of->sign, NULL, &sum, error);
    for (int k = 0; k < KEPT && !status; k++) {
      if (!(sum < sums[k])) continue;
      for (int j = KEPT - 1; j > k; j--) sums[j] = sums[j - 1], starts[j] = starts[j - 1];
      sums[k] = sum;
      starts[k] = *rubber;
      break;
    }
  }
  for (int k = 0; k < KEPT && !status && sums[k] < INFINITY; k++) {
    pl_rubber_quality found = *quality;
    double all = 0;
    *rubber = starts[k];
    for (int p = 0; p < rubber->terms; p++) all += fabs(rubber->c[p]);
    for (int p = 0; p < rubber->terms; p++) {
      of->sign[p] = rubber->c[rubber->terms + p] > 0 ? 1 : -1;
      if (fabs(rubber->c[p]) < 1e-7 * all) rubber->c[p] = 1e-7 * all * of->sign[p];
    }
    status = refine(allocator, of, &found, &sum, error);
    if (!status && sum < min) min = sum, best = *rubber, *quality = found;
  }
  *rubber = best;
  return status;
}

/* K by least squares from what volumetric and confined rows have beyond the shape. */
static void fit_bulk(const pl_test_row *rows, int count, pl_rubber *rubber,
                     pl_rubber_quality *quality)
{
  double above = 0, below = 0;
  pl_rubber none = *rubber, unit = *rubber;
  none.bulk = 0;
  unit.bulk = 1;
  for (int i = 0; i < count; i++) {
    if (is_of_shape(&rows[i])) continue;
    double shape = pl_rubber_stress(&none, rows[i].mode, rows[i].stretch);
    double slope = pl_rubber_stress(&unit, rows[i].mode, rows[i].stretch) - shape;
    above += rows[i].weight * slope * (rows[i].stress - shape);
    below += rows[i].weight * slope * slope;
    quality->has_bulk = 1;
  }
  if (below > 0) rubber->bulk = above / below;
}

static pl_status fit_shape(const pl_allocator *allocator, task *of, pl_rubber_quality *quality,
                           pl_error *error)
{
  double sum;
  pl_rubber *rubber = of->rubber;
  if (rubber->kind == PL_RUBBER_OGDEN) return fit_ogden(allocator, of, quality, error);
  if (rubber->kind != PL_RUBBER_ARRUDA)
    return fit_columns(allocator, of, pl_rubber_constants(rubber->kind, rubber->terms), NULL,
                       &quality->condition, &sum, error);
  pl_rubber neo = {.kind = PL_RUBBER_NEO_HOOKE, .terms = 1};
  task start = *of;
  start.rubber = &neo;
  pl_status status = fit_columns(allocator, &start, 1, NULL, NULL, &sum, error);
  rubber->c[0] = fmax(2 * neo.c[0], 1e-9);
  rubber->c[1] = 5;
  return status ? status : refine(allocator, of, quality, &sum, error);
}

pl_status pl_rubber_fit(const pl_allocator *allocator, const pl_test_row *rows, int count,
                        pl_rubber *rubber, pl_rubber_quality *quality, pl_error *error)
{
  int constants = pl_rubber_constants(rubber->kind, rubber->terms), used = 0;
  pl_test_row *shape = pl_alloc(allocator, (size_t)count, sizeof *shape);
  if (!shape) return pl_fail_memory(error);
  for (int i = 0; i < count; i++) {
    if (is_of_shape(&rows[i]) && fabs(rows[i].stretch - 1) > 1e-12) shape[used++] = rows[i];
  }
  *quality = (pl_rubber_quality){0};
  task of = {.rows = shape, .count = used, .rubber = rubber};
  pl_status status =
      used < constants
          ? pl_fail(error, PL_E_ARGUMENT,
                    "%d rows of tension or shear are too few for %d constants; measure more, or "
                    "take fewer terms",
                    used, constants)
          : fit_shape(allocator, &of, quality, error);
  if (!status) fit_bulk(rows, count, rubber, quality);
  pl_free(allocator, shape);
  return status;
}
