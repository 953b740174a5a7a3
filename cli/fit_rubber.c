/* Stress over stretch, of one or several modes. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "fit.h"
#include "material/stress_fit.h"
#include "picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const laws[] = {"neo-hooke", "mooney-rivlin", "reduced-polynomial", "ogden",
                                   "arruda-boyce"};
enum { LAWS = sizeof laws / sizeof *laws, SHAPE_MODES = PL_TEST_VOLUMETRIC };

typedef struct rubber_job {
  fit_job *job;
  pl_test_row *rows;
  int count, in_mode[PL_TEST_MODES];
  double max[PL_TEST_MODES]; /* largest stretch of each */
  pl_rubber rubber;
  pl_rubber_quality quality;
} rubber_job;

/* ---- rows ---- */

static int mode_of(const char *word)
{
  for (int m = 0; m < PL_TEST_MODES; m++) {
    if (strcmp(pl_test_mode_name((pl_test_mode)m), word) == 0) return m;
  }
  return -1;
}

static pl_status take_row(rubber_job *r, int i, int mode_column, int stretch, int strain,
                          int stress, pl_error *error)
{
  const fit_table *table = &r->job->table;
  const char *word = mode_column < 0 ? r->job->mode : fit_table_word(table, i, mode_column);
  int mode = mode_of(word);
  double l = stretch >= 0 ? fit_table_at(table, i, stretch) : 1 + fit_table_at(table, i, strain);
  if (mode < 0)
    return pl_fail_at(error, PL_E_PARSE, table->path, table->lines[i],
                      "mode \"%.40s\" is not known; there is uniaxial, equibiaxial, planar, "
                      "simple-shear, volumetric and confined",
                      word);
  if (!(l > 0) && mode != PL_TEST_SHEAR)
    return pl_fail_at(error, PL_E_PARSE, table->path, table->lines[i],
                      "a stretch of %g; stretches are above 0 (1 at rest): name the column strain "
                      "if it is one",
                      l);
  r->rows[i] = (pl_test_row){(pl_test_mode)mode, l, fit_table_at(table, i, stress), 1};
  r->in_mode[mode]++;
  r->max[mode] = fmax(r->max[mode], l);
  return PL_OK;
}

/* Every law has no stress at rest: such rows say nothing. */
static int is_rest(const pl_test_row *row)
{
  return fabs(row->stretch - 1) < 1e-12 && row->stress == 0;
}

static void drop_rest(rubber_job *r)
{
  int kept = 0;
  for (int i = 0; i < r->count; i++) {
    if (is_rest(&r->rows[i]))
      r->in_mode[r->rows[i].mode]--;
    else
      r->rows[kept++] = r->rows[i];
  }
  r->count = kept;
}

/* Rows of a test share the weight 1; relative: over the square of the stress. */
static void weigh(rubber_job *r)
{
  const fit_table *table = &r->job->table;
  int test = fit_table_column(table, "test"), relative = strcmp(r->job->weights, "relative") == 0;
  for (int i = 0; i < r->count; i++) {
    int alike = 0;
    for (int k = 0; k < r->count; k++)
      alike +=
          r->rows[k].mode == r->rows[i].mode &&
          (test < 0 || strcmp(fit_table_word(table, i, test), fit_table_word(table, k, test)) == 0);
    r->rows[i].weight = alike ? 1.0 / alike : 1;
  }
  double max = 0;
  for (int i = 0; i < r->count; i++) max = fmax(max, fabs(r->rows[i].stress));
  for (int i = 0; i < r->count && relative; i++) {
    double size = fmax(fabs(r->rows[i].stress), 1e-3 * max);
    r->rows[i].weight /= size * size;
  }
}

static pl_status check_signs(const rubber_job *r, pl_error *error)
{
  for (int m = 0; m < PL_TEST_MODES; m++) {
    int tension = 0, wrong = 0, same = 1, first = -1;
    for (int i = 0; i < r->count; i++) {
      if ((int)r->rows[i].mode != m) continue;
      if (first < 0) first = i;
      same &= r->rows[i].stretch == r->rows[first].stretch;
      if (r->rows[i].stretch <= 1 || r->rows[i].stress == 0) continue;
      tension++;
      wrong += r->rows[i].stress < 0;
    }
    if (tension > 0 && wrong == tension)
      return pl_fail_at(error, PL_E_PARSE, r->job->table.path, 0,
                        "all stresses of %s tension are negative; stress is positive in tension: "
                        "change its sign",
                        pl_test_mode_name((pl_test_mode)m));
    if (r->in_mode[m] > 1 && same)
      return pl_fail_at(error, PL_E_PARSE, r->job->table.path, 0,
                        "all rows of %s have the stretch %g; measure at several",
                        pl_test_mode_name((pl_test_mode)m), r->rows[first].stretch);
  }
  return PL_OK;
}

static pl_status take_rows(rubber_job *r, pl_error *error)
{
  const fit_table *table = &r->job->table;
  int mode = fit_table_column(table, "mode"), stretch = fit_table_column(table, "stretch");
  int strain = fit_table_column(table, "strain"), stress = fit_table_column(table, "stress");
  pl_allocator allocator = pl_allocator_default();
  pl_status status = fit_table_numbers(table, stretch >= 0 ? stretch : strain, error);
  if (!status) status = fit_table_numbers(table, stress, error);
  if (!status && table->rows < 3)
    status = pl_fail_at(error, PL_E_PARSE, table->path, 0,
                        "%d rows are too few for a fit; measure at least 3", table->rows);
  if (status) return status;
  r->count = table->rows;
  r->rows = pl_alloc(&allocator, (size_t)r->count, sizeof *r->rows);
  if (!r->rows) return pl_fail_memory(error);
  for (int i = 0; i < r->count && !status; i++)
    status = take_row(r, i, mode, stretch, strain, stress, error);
  if (!status) status = check_signs(r, error);
  if (!status) weigh(r);
  if (!status) drop_rest(r);
  return status;
}

/* ---- which law ---- */

static int modes_of_shape(const rubber_job *r)
{
  int modes = 0;
  for (int m = 0; m < SHAPE_MODES; m++) modes += r->in_mode[m] > 0;
  return modes;
}

static pl_status choose(rubber_job *r, pl_error *error)
{
  int kind = modes_of_shape(r) > 1 && r->count >= 8 ? PL_RUBBER_OGDEN : PL_RUBBER_POLYNOMIAL;
  const char *law = r->job->law;
  if (law && strcmp(law, "yeoh") == 0) law = "reduced-polynomial";
  for (int k = 0; k < LAWS && law; k++) {
    if (strcmp(laws[k], law) == 0) kind = k;
  }
  if (law && strcmp(laws[kind], law) != 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "--law %.40s cannot be fitted; take neo-hooke, mooney-rivlin, "
                   "reduced-polynomial, ogden or arruda-boyce",
                   law);
  int has_terms = kind == PL_RUBBER_OGDEN || kind == PL_RUBBER_POLYNOMIAL;
  int terms = !has_terms ? 1 : r->job->terms ? r->job->terms : 3;
  if (terms > PL_RUBBER_TERMS)
    return pl_fail(error, PL_E_ARGUMENT, "--terms %d: %s has at most %d", terms, laws[kind],
                   PL_RUBBER_TERMS);
  r->rubber = (pl_rubber){.kind = (pl_rubber_kind)kind, .terms = terms};
  return PL_OK;
}

/* ---- what came out ---- */

static void print_mode(const rubber_job *r, int m)
{
  double square = 0, relative = 0, mean = 0, spread = 0, worst = 0;
  int rows = r->in_mode[m], counted = 0;
  for (int i = 0; i < r->count; i++)
    mean += (int)r->rows[i].mode == m ? r->rows[i].stress / rows : 0;
  for (int i = 0; i < r->count; i++) {
    if ((int)r->rows[i].mode != m) continue;
    double off =
        pl_rubber_stress(&r->rubber, (pl_test_mode)m, r->rows[i].stretch) - r->rows[i].stress;
    square += off * off;
    spread += (r->rows[i].stress - mean) * (r->rows[i].stress - mean);
    worst = fmax(worst, fabs(off));
    if (r->rows[i].stress == 0) continue;
    relative += off * off / (r->rows[i].stress * r->rows[i].stress);
    counted++;
  }
  printf("  %-13s %5d %12.5g %12.4f %9.5f %12.5g\n", pl_test_mode_name((pl_test_mode)m), rows,
         sqrt(square / rows), counted ? sqrt(relative / counted) : 0.0, 1 - square / spread, worst);
}

/* The stretches around 1 at which the law is stable. */
static void stable_range(const rubber_job *r, pl_test_mode mode, double max, double range[2])
{
  range[0] = range[1] = 1;
  for (int side = 0; side < 2; side++) {
    double end = side ? 1.5 * max : 0.2;
    for (int i = 1; i <= 400; i++) {
      double l = 1 + (end - 1) * i / 400;
      if (!pl_rubber_is_stable(&r->rubber, mode, l)) break;
      range[side] = l;
    }
  }
}

static void print_stability(const rubber_job *r)
{
  double max = 2;
  for (int m = 0; m < SHAPE_MODES; m++) max = fmax(max, r->max[m]);
  printf("\nstable (Drucker), looked at from 0.2 to %.3g:\n", 1.5 * max);
  for (int m = 0; m < PL_TEST_SHEAR; m++) {
    double range[2];
    stable_range(r, (pl_test_mode)m, max, range);
    printf("  %-13s stretches %.3g to %.3g%s\n", pl_test_mode_name((pl_test_mode)m), range[0],
           range[1], r->in_mode[m] && range[1] < r->max[m] ? "  (less than the data!)" : "");
  }
}

static void warn_one_mode(const rubber_job *r)
{
  int only = 0;
  while (only < SHAPE_MODES && !r->in_mode[only]) only++;
  if (modes_of_shape(r) != 1) return;
  double l = r->max[only] > 1.01 ? r->max[only] : 1.5;
  fprintf(
      stderr,
      "%swarning:%s all rows are %s; other modes are a guess. At a stretch of %.3g this law has",
      cli_paint(CLI_YELLOW), cli_paint(CLI_PLAIN), pl_test_mode_name((pl_test_mode)only), l);
  for (int m = 0; m < PL_TEST_SHEAR; m++)
    fprintf(stderr, "%s %.4g Pa %s", m ? "," : "", pl_rubber_stress(&r->rubber, (pl_test_mode)m, l),
            pl_test_mode_name((pl_test_mode)m));
  fprintf(stderr, ".%s\n",
          r->rubber.kind == PL_RUBBER_OGDEN && r->rubber.terms > 1
              ? " Ogden's law of several terms is known to go wrong there by factors of hundreds: "
                "measure a second mode, or take --law reduced-polynomial"
              : " Measure a second mode if the body is not loaded like the specimen");
}

static void write_element(rubber_job *r)
{
  const pl_rubber *rubber = &r->rubber;
  pl_text *out = &r->job->element;
  const double *c = rubber->c, mu = pl_rubber_shear(rubber);
  char digits[32];
#define NUMBER(NAME, VALUE)                                                                        \
  (pl_print(digits, sizeof digits, "%.9g", VALUE), pl_text_add(out, " %s=\"%s\"", NAME, digits))
  pl_text_add(out, "<material name=\"");
  pl_text_xml(out, r->job->name);
  pl_text_add(out, "\" law=\"%s\"", laws[rubber->kind]);
  if (rubber->kind == PL_RUBBER_NEO_HOOKE) {
    NUMBER("lambda", rubber->bulk - 2.0 / 3 * mu);
    NUMBER("mu", mu);
  }
  if (rubber->kind == PL_RUBBER_MOONEY) {
    NUMBER("c10", c[0]);
    NUMBER("c01", c[1]);
  }
  if (rubber->kind == PL_RUBBER_ARRUDA) {
    NUMBER("mu-a", c[0]);
    NUMBER("locking-stretch", c[1]);
  }
  for (int p = 0; p < rubber->terms; p++) {
    char name[16];
    if (rubber->kind == PL_RUBBER_POLYNOMIAL) {
      pl_print(name, sizeof name, "c%d", p + 1);
      NUMBER(name, c[p]);
    } else if (rubber->kind == PL_RUBBER_OGDEN) {
      pl_print(name, sizeof name, "mu%d", p + 1);
      NUMBER(name, c[p]);
      pl_print(name, sizeof name, "alpha%d", p + 1);
      NUMBER(name, c[rubber->terms + p]);
    }
  }
  if (rubber->kind != PL_RUBBER_NEO_HOOKE) NUMBER("bulk", rubber->bulk);
#undef NUMBER
  pl_text_add(out, "/>\n");
}

/* ---- the plot ---- */

enum { CURVE = 200 };

typedef struct rubber_curves {
  pl_plot_series series[2 * PL_TEST_MODES];
  double x[PL_TEST_MODES][CURVE], y[PL_TEST_MODES][CURVE];
  int count;
} rubber_curves;

static void add_curve(const rubber_job *r, int m, double *data, rubber_curves *curves)
{
  double min = 1, max = 1;
  size_t rows = 0;
  for (int i = 0; i < r->count; i++) {
    if ((int)r->rows[i].mode != m) continue;
    data[2 * rows] = r->rows[i].stretch;
    data[2 * rows++ + 1] = r->rows[i].stress;
    min = fmin(min, r->rows[i].stretch);
    max = fmax(max, r->rows[i].stretch);
  }
  for (int k = 0; k < CURVE; k++) {
    double l = min + (max - min) * k / (CURVE - 1);
    curves->x[m][k] = l;
    curves->y[m][k] = pl_rubber_stress(&r->rubber, (pl_test_mode)m, l);
  }
  curves->series[curves->count++] = (pl_plot_series){.name = pl_test_mode_name((pl_test_mode)m),
                                                     .count = rows,
                                                     .x = data,
                                                     .y = data + 1,
                                                     .x_stride = 2,
                                                     .y_stride = 2,
                                                     .style = PL_PLOT_POINTS};
  curves->series[curves->count++] = (pl_plot_series){
      .count = CURVE, .x = curves->x[m], .y = curves->y[m], .style = PL_PLOT_GUIDE};
}

static pl_status draw(const rubber_job *r, pl_error *error)
{
  static rubber_curves curves;
  pl_allocator allocator = pl_allocator_default();
  double *data = pl_alloc(&allocator, 2 * (size_t)r->count, sizeof *data), *at = data;
  if (!data) return pl_fail_memory(error);
  curves.count = 0;
  for (int m = 0; m < PL_TEST_MODES; m++) {
    if (!r->in_mode[m]) continue;
    add_curve(r, m, at, &curves);
    at += 2 * r->in_mode[m];
  }
  pl_plot plot = pl_plot_default();
  pl_text svg = pl_text_make(NULL);
  plot.title = laws[r->rubber.kind];
  plot.x.label = "stretch";
  plot.y.label = "nominal stress";
  plot.y.unit = "Pa";
  plot.series = curves.series;
  plot.series_count = curves.count;
  pl_status status = pl_plot_svg(&plot, &svg, error);
  if (!status) status = pl_file_write(r->job->plot, svg.data, svg.size, error);
  pl_text_release(&svg);
  pl_free(&allocator, data);
  return status;
}

static void print_table(const rubber_job *r)
{
  int constants = pl_rubber_constants(r->rubber.kind, r->rubber.terms);
  printf("%s, %d rows, %s errors least, shear modulus at rest %.6g Pa, bulk modulus %.6g Pa (%s)\n",
         laws[r->rubber.kind], r->count, r->job->weights, pl_rubber_shear(&r->rubber),
         r->rubber.bulk, r->quality.has_bulk ? "measured" : "by --poisson");
  if (r->quality.condition > 0) printf("condition number %.3g\n", r->quality.condition);
  for (int k = 0; k < constants && r->quality.deviations[0] > 0; k++)
    printf("%s%.6g +- %.2g", k ? ", " : "constants ", r->rubber.c[k], r->quality.deviations[k]);
  printf("%s\n  %-13s %5s %12s %12s %9s %12s\n", r->quality.deviations[0] > 0 ? "\n" : "", "mode",
         "rows", "rms Pa", "rms relative", "R^2", "worst Pa");
  for (int m = 0; m < PL_TEST_MODES; m++) {
    if (r->in_mode[m]) print_mode(r, m);
  }
  print_stability(r);
}

static pl_status fit(rubber_job *r, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_status status = take_rows(r, error);
  if (!status) status = choose(r, error);
  if (!status)
    status = pl_rubber_fit(&allocator, r->rows, r->count, &r->rubber, &r->quality, error);
  if (status) return status;
  double mu = pl_rubber_shear(&r->rubber), nu = r->job->poisson;
  if (!(mu > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the fit has a shear modulus of %g Pa at rest, which no material has; look at "
                   "the signs of the data or take fewer terms",
                   mu);
  if (!r->quality.has_bulk) r->rubber.bulk = 2 * mu * (1 + nu) / (3 * (1 - 2 * nu));
  return PL_OK;
}

int fit_rubber(fit_job *job)
{
  static rubber_job r;
  pl_error error = {0};
  pl_allocator allocator = pl_allocator_default();
  r = (rubber_job){.job = job};
  pl_status status = fit(&r, &error);
  if (!status) {
    print_table(&r);
    warn_one_mode(&r);
    write_element(&r);
    if (job->plot) status = draw(&r, &error);
  }
  pl_free(&allocator, r.rows);
  return status ? cli_fail_error(&error) : CLI_OK;
}
