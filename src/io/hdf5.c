#include "io/hdf5.h"

#include "core/error.h"

#ifdef PL_WITH_HDF5

#include <hdf5.h>

pl_status pl_hdf5_check(pl_error *error)
{
  (void)error;
  return PL_OK;
}

static pl_status fail(pl_error *error, const char *what)
{
  return pl_fail(error, PL_E_IO, "HDF5 cannot write %s; is the disk full?", what);
}

pl_status pl_hdf5_create(const char *path, pl_hdf5 *out, pl_error *error)
{
  // errors are ours to report
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  out->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  return out->file < 0 ? fail(error, path) : PL_OK;
}

pl_status pl_hdf5_add(pl_hdf5 *to, const char *name, pl_number type, size_t rows, size_t width,
                      const void *data, pl_error *error)
{
  hid_t kind = type == PL_FLOAT64 ? H5T_NATIVE_DOUBLE
               : type == PL_INT32 ? H5T_NATIVE_INT32
               : type == PL_UINT8 ? H5T_NATIVE_UINT8
                                  : -1;
  if (kind < 0) return pl_fail(error, PL_E_UNSUPPORTED, "HDF5: numbers of another type");
  hsize_t sizes[2] = {rows, width};
  hid_t space = H5Screate_simple(width > 1 ? 2 : 1, sizes, NULL);
  hid_t set = H5Dcreate2((hid_t)to->file, name, kind, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int ok = set >= 0 && H5Dwrite(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) ok &= H5Dclose(set) >= 0;
  if (space >= 0) H5Sclose(space);
  return ok ? PL_OK : fail(error, name);
}

pl_status pl_hdf5_close(pl_hdf5 *to, pl_error *error)
{
  return H5Fclose((hid_t)to->file) < 0 ? fail(error, "the end of a file") : PL_OK;
}

#else

pl_status pl_hdf5_check(pl_error *error)
{
  return pl_fail(error, PL_E_UNSUPPORTED,
                 "this build has no HDF5: install libhdf5-dev and build again, or choose "
                 "encoding=\"raw\", which needs no library");
}

pl_status pl_hdf5_create(const char *path, pl_hdf5 *out, pl_error *error)
{
  (void)path, (void)out;
  return pl_hdf5_check(error);
}

pl_status pl_hdf5_add(pl_hdf5 *to, const char *name, pl_number type, size_t rows, size_t width,
                      const void *data, pl_error *error)
{
  (void)to, (void)name, (void)type, (void)rows, (void)width, (void)data;
  return pl_hdf5_check(error);
}

pl_status pl_hdf5_close(pl_hdf5 *to, pl_error *error)
{
  (void)to;
  return pl_hdf5_check(error);
}

#endif
