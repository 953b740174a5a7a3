/* Relaxation, creep, storage and loss moduli, and a constant quality factor: Prony series. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "fit.h"
#include "material/prony_fit.h"
#include "math/functions.h"
#include "picture/plot.h"
#include "pliant/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct series_job {
  fit_job *job;
  pl_maxwell_data data;
  double *room;
  pl_maxwell series;
} series_job;

static int column_of(const series_job *s, const char *name)
{
  return fit_table_column(&s->job->table, name);
}

/* Columns in ascending order of the first; all must be above 0 where they are moduli. */
static pl_status take_columns(series_job *s, const char *at, const char *value, const char *loss,
                              pl_error *error)
{
  const fit_table *table = &s->job->table;
  pl_allocator allocator = pl_allocator_default();
  const char *const names[] = {at, value, loss};
  int rows = table->rows;
  s->room = pl_alloc(&allocator, 3 * (size_t)rows, sizeof *s->room);
  if (!s->room) return pl_fail_memory(error);
  for (int k = 0; k < 3 && names[k]; k++) {
    int column = column_of(s, names[k]);
    pl_status status = fit_table_numbers(table, column, error);
    if (status) return status;
    for (int i = 0; i < rows; i++) {
      double x = fit_table_at(table, i, column), before = i ? s->room[i - 1] : 0;
      if (k > 0 ? !(x > 0) : (i > 0 && !(x > before)) || !(x >= 0))
        return pl_fail_at(error, PL_E_PARSE, table->path, table->lines[i],
                          k ? "%s = %g must be above 0"
                            : "%s = %g must be later than the row before",
                          names[k], x);
      s->room[k * rows + i] = x;
    }
  }
  s->data.rows = rows;
  s->data.at = s->room;
  s->data.values = s->room + rows;
  s->data.losses = s->room + 2 * rows;
  return PL_OK;
}

static pl_status take(series_job *s, pl_error *error)
{
  if (column_of(s, "frequency") >= 0) {
    s->data.kind = PL_MAXWELL_MODULUS;
    return take_columns(s, "frequency", "storage", "loss", error);
  }
  int relaxes = column_of(s, "modulus") >= 0;
  s->data.kind = relaxes ? PL_MAXWELL_RELAXATION : PL_MAXWELL_CREEP;
  return take_columns(s, "time", relaxes ? "modulus" : "compliance", NULL, error);
}

/* What the series has for a row: the value, or storage and loss. */
static void predict(const series_job *s, double at, double value[2])
{
  value[1] = 0;
  if (s->data.kind == PL_MAXWELL_MODULUS)
    pl_maxwell_modulus(&s->series, at, value);
  else
    value[0] = s->data.kind == PL_MAXWELL_RELAXATION ? pl_maxwell_relaxation(&s->series, at)
                                                     : pl_maxwell_creep(&s->series, at);
}

static void print_errors(const series_job *s)
{
  static const char *const titles[] = {"modulus over time", "compliance over time",
                                       "storage and loss over frequency"};
  int parts = s->data.kind == PL_MAXWELL_MODULUS ? 2 : 1;
  printf("%s, %d rows, %d terms\n\n  %-10s %12s %12s\n", titles[s->data.kind], s->data.rows,
         s->series.terms, "", "rms relative", "worst");
  for (int part = 0; part < parts; part++) {
    const double *values = part ? s->data.losses : s->data.values;
    double sum = 0, worst = 0;
    for (int i = 0; i < s->data.rows; i++) {
      double value[2];
      predict(s, s->data.at[i], value);
      double off = value[part] / values[i] - 1;
      sum += off * off;
      worst = fmax(worst, fabs(off));
    }
    printf("  %-10s %12.5f %12.5f\n",
           parts == 1 ? "value"
           : part     ? "loss"
                      : "storage",
           sqrt(sum / s->data.rows), worst);
  }
}

static void write_prony(const pl_maxwell *series, pl_text *out)
{
  double sum = series->lasting;
  char digits[64];
  for (int i = 0; i < series->terms; i++) sum += series->moduli[i];
  pl_text_add(out, "<memory prony=\"");
  for (int i = 0; i < series->terms; i++) {
    pl_print(digits, sizeof digits, "%s%.7g %.7g", i ? ", " : "", series->moduli[i] / sum,
             series->times[i]);
    pl_text_add(out, "%s", digits);
  }
  pl_text_add(out, "\"/>");
}

static void write_element(const series_job *s)
{
  const fit_job *job = s->job;
  pl_text *out = &s->job->element;
  double sum = s->series.lasting, nu = job->poisson;
  char digits[64];
  for (int i = 0; i < s->series.terms; i++) sum += s->series.moduli[i];
  double young = strcmp(job->modulus, "young") == 0 ? sum : 2 * (1 + nu) * sum;
  pl_text_add(out, "<material name=\"");
  pl_text_xml(out, job->name);
  pl_print(digits, sizeof digits, "young=\"%.7g\" poisson=\"%.6g\"", young, nu);
  pl_text_add(out, "\" law=\"hooke\" %s>\n  ", digits);
  write_prony(&s->series, out);
  pl_text_add(out, "\n</material>\n");
}

enum { CURVE = 200 };

static pl_status draw(const series_job *s, pl_error *error)
{
  static double x[CURVE], y[2][CURVE];
  static const char *const names[] = {"modulus", "compliance", "storage"};
  int is_modulus = s->data.kind == PL_MAXWELL_MODULUS, first = s->data.at[0] > 0 ? 0 : 1;
  double low = s->data.at[first], high = s->data.at[s->data.rows - 1];
  for (int k = 0; k < CURVE; k++) {
    double value[2];
    x[k] = low * pl_pow(high / low, k / (CURVE - 1.0));
    predict(s, x[k], value);
    y[0][k] = value[0];
    y[1][k] = value[1];
  }
  size_t rows = (size_t)s->data.rows;
  const pl_plot_series list[] = {{.name = names[s->data.kind],
                                  .count = rows,
                                  .x = s->data.at,
                                  .y = s->data.values,
                                  .style = PL_PLOT_POINTS},
                                 {.count = CURVE, .x = x, .y = y[0], .style = PL_PLOT_GUIDE},
                                 {.name = "loss",
                                  .count = rows,
                                  .x = s->data.at,
                                  .y = s->data.losses,
                                  .style = PL_PLOT_POINTS},
                                 {.count = CURVE, .x = x, .y = y[1], .style = PL_PLOT_GUIDE}};
  pl_plot plot = pl_plot_default();
  pl_text svg = pl_text_make(NULL);
  plot.title = "Prony series";
  plot.x = (pl_plot_axis){.label = is_modulus ? "frequency" : "time",
                          .unit = is_modulus ? "Hz" : "s",
                          .log = 1,
                          .min = NAN,
                          .max = NAN};
  plot.y.label = names[s->data.kind];
  plot.y.unit = s->data.kind == PL_MAXWELL_CREEP ? "1/Pa" : "Pa";
  plot.y.log = 1;
  plot.series = list;
  plot.series_count = is_modulus ? 4 : 2;
  pl_status status = pl_plot_svg(&plot, &svg, error);
  if (!status) status = pl_file_write(s->job->plot, svg.data, svg.size, error);
  pl_text_release(&svg);
  return status;
}

int fit_series(fit_job *job)
{
  series_job s = {.job = job};
  pl_allocator allocator = pl_allocator_default();
  pl_error error = {0};
  pl_status status = take(&s, &error);
  if (!status)
    status = pl_maxwell_fit(&allocator, &s.data, job->terms ? job->terms : 3, &s.series, &error);
  pl_error_locate(&error, status, job->table.path, 0);
  if (!status) {
    print_errors(&s);
    write_element(&s);
    if (s.series.terms > PL_MAX_TERMS)
      fprintf(stderr, "%swarning:%s a scene takes %d terms\n", cli_paint(CLI_YELLOW),
              cli_paint(CLI_PLAIN), PL_MAX_TERMS);
    if (job->plot) status = draw(&s, &error);
  }
  pl_free(&allocator, s.room);
  return status ? cli_fail_error(&error) : CLI_OK;
}

int fit_constant_q(fit_job *job)
{
  const pl_constant_q of = {.q = job->q,
                            .band = {job->band[0], job->band[1]},
                            .terms = job->terms ? job->terms : 6,
                            .aim = PL_MAXWELL_MINIMAX};
  pl_allocator allocator = pl_allocator_default();
  pl_maxwell series;
  pl_error error = {0};
  double worst = 0;
  if (!(of.q >= 0.5 && of.q <= 1e6))
    return cli_fail(CLI_USAGE, "--q %g: a number from 0.5 to 1e6 is needed", of.q);
  if (pl_maxwell_constant_q(&allocator, &of, &series, &error)) return cli_fail_error(&error);
  for (int i = 0; i <= 400; i++) {
    double f = of.band[0] * pl_pow(of.band[1] / of.band[0], i / 400.0);
    worst = fmax(worst, fabs(pl_maxwell_quality(&series, f) / of.q - 1));
  }
  printf("Q = %g from %g to %g Hz, %d terms: within %.2f %%\n", of.q, of.band[0], of.band[1],
         series.terms, 100 * worst);
  write_prony(&series, &job->element);
  pl_text_add(&job->element, "\n");
  return CLI_OK;
}
