# Finds HDF5's C library, serial: sets HDF5_LIBRARIES, empty if something is missing, and
# HDF5_INCLUDE_DIRS. Debian keeps it beside variants for MPI.
find_path(HDF5_INCLUDE_DIRS hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARIES NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
if(NOT HDF5_INCLUDE_DIRS OR NOT HDF5_LIBRARIES)
  set(HDF5_LIBRARIES)
  message(STATUS "HDF5 was not found (libhdf5-dev): <output format=\"xdmf\"> writes raw bytes only")
endif()
