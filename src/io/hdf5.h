/* HDF5 files of plain arrays, by The HDF Group's library: a door that may be closed in a build. */
#ifndef PL_IO_HDF5_H
#define PL_IO_HDF5_H

#include "io/vtk_grid.h"

typedef struct pl_hdf5 {
  int64_t file;
} pl_hdf5;

/* Fails with a sentence about what is missing where the build has no HDF5. */
pl_status pl_hdf5_check(pl_error *error);

pl_status pl_hdf5_create(const char *path, pl_hdf5 *out, pl_error *error);
/* Adds the array /NAME of so many rows; one number wide: of one dimension. Types that are not
 * UInt8, Int32 or Float64 are refused. */
pl_status pl_hdf5_add(pl_hdf5 *to, const char *name, pl_number type, size_t rows, size_t width,
                      const void *data, pl_error *error);
pl_status pl_hdf5_close(pl_hdf5 *to, pl_error *error);

#endif
