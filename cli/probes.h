/* What the probes saw: probes.csv row by row, and plots at the end. */
#ifndef PL_CLI_PROBES_H
#define PL_CLI_PROBES_H

#include "picture/plot.h"
#include "pliant/world.h"

typedef struct cli_record {
  int file; /* of probes.csv, -1: none */
  char path[4096];
  int columns;  /* time and the probes' numbers */
  double *rows; /* all rows so far, for the plots */
  size_t count, room;
} cli_record;

pl_status cli_record_open(cli_record *record, pl_world *world, const char *folder, pl_error *error);
/* Adds the state of now: one whole row, or nothing. */
pl_status cli_record_add(cli_record *record, pl_world *world, pl_error *error);
/* One SVG per unit: probes.svg, or probes-UNIT.svg where there are several. */
pl_status cli_record_plot(cli_record *record, pl_world *world, const char *folder,
                          const char *title, pl_error *error);
void cli_record_close(cli_record *record);

/* Curves over time in one plot, as an SVG file. */
typedef struct cli_curves {
  const pl_plot_series *series;
  int count;
  const char *label, *unit, *title; /* of the values; of the plot */
} cli_curves;

pl_status cli_plot_curves(const cli_curves *of, const char *path, pl_error *error);

#endif
