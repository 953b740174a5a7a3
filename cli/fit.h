/* pliant fit: constants of materials from measurements. */
#ifndef PL_CLI_FIT_H
#define PL_CLI_FIT_H

#include "cli.h"
#include "core/text.h"
#include "fit_table.h"

typedef struct fit_job {
  fit_table table;
  const char *law, *mode, *weights, *name, *modulus, *where;
  const char *plot, *output, *scene, *force, *displacement;
  cli_words parameters;
  int terms, allow_path;
  double poisson, q, band[2];
  pl_text element; /* what comes out */
} fit_job;

/* Each prints its table, fills the element and writes the plot; returns the exit code. */
int fit_rubber(fit_job *job);
int fit_series(fit_job *job);
int fit_constant_q(fit_job *job);
int fit_scene(fit_job *job);

#endif
