/* The parts of the Abaqus format that stand in files of their own. */
#ifndef PL_IO_ABAQUS_H
#define PL_IO_ABAQUS_H

#include "io/format.h"
#include "io/scan.h"

/* One *ORIENTATION; abaqus.c says what its points mean. */
typedef struct pl_abaqus_system {
  pl_word name, table; /* table: the distribution that has its points; of size 0: none */
  int is_round;        /* cylindrical */
  double a[3], b[3], c[3];
  int about;    /* the axis of its own, 1 to 3, that it is turned about */
  double angle; /* by so many degrees */
} pl_abaqus_system;

/* The first and second axis at a place; zeros where its points give none. */
void pl_abaqus_axes(const pl_abaqus_system *system, const double at[3], double axes[6]);

pl_status pl_abaqus_write(const pl_snapshot *snapshot, const char *path, const double *values,
                          pl_error *error);

#endif
