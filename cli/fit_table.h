/* Tables of measurements: CSV with a header line that names the columns in any order, units in
 * brackets ("stress [MPa]"), # for comments. */
#ifndef PL_CLI_FIT_TABLE_H
#define PL_CLI_FIT_TABLE_H

#include "pliant/base.h"

enum { FIT_COLUMNS = 16, FIT_NAME = 32 };

typedef struct fit_table {
  const char *path;
  int columns, rows, room;
  char names[FIT_COLUMNS][FIT_NAME];
  double scale[FIT_COLUMNS]; /* from the column's unit to SI */
  double *values;            /* rows x FIT_COLUMNS, in SI; NaN where a word stands */
  char (*words)[FIT_NAME];   /* the same places as text */
  int *lines;                /* of each row in the file */
} fit_table;

/* Adds the rows of a file in which the columns named by "column=word" say so; NULL: all of them. A
 * second file must have the same columns. */
pl_status fit_table_read(fit_table *table, const char *path, const char *where, pl_error *error);
void fit_table_release(fit_table *table);

/* The place of a column, -1 if there is none. */
int fit_table_column(const fit_table *table, const char *name);
/* Fails where a row has no number in that column. */
pl_status fit_table_numbers(const fit_table *table, int column, pl_error *error);

static inline double fit_table_at(const fit_table *table, int row, int column)
{
  return table->values[row * FIT_COLUMNS + column];
}

static inline const char *fit_table_word(const fit_table *table, int row, int column)
{
  return table->words[row * FIT_COLUMNS + column];
}

#endif
