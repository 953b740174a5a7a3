/* A time series for ParaView: one .vtu file per frame and a .pvd file that lists them with their
 * times. Each file is replaced whole, frame first, so that the list names only complete frames,
 * whenever the program ends. */
#ifndef PL_IO_SERIES_H
#define PL_IO_SERIES_H

#include "io/format.h"

typedef struct pl_series pl_series;

/* Frames go to FOLDER/NAME_000000.vtu and so on, the list to FOLDER/NAME.pvd; the folder is made.
 * Nothing is written before the first frame. */
pl_status pl_series_create(const char *folder, const char *name, const pl_allocator *allocator,
                           pl_series **series, pl_error *error);
void pl_series_destroy(pl_series *series);

/* The snapshot needs a time. */
pl_status pl_series_add(pl_series *series, const pl_snapshot *snapshot, pl_error *error);
int pl_series_count(const pl_series *series);

#endif
