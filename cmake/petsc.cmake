# Finds PETSc with real numbers and the MPI that it was built for: sets PETSC_FOUND, and then
# PETSC_INCLUDE_DIRS and PETSC_LIBRARIES.
set(PETSC_FOUND)
set(PETSC_LIBRARIES)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PETSC_REAL QUIET PETSc)
  pkg_check_modules(PETSC_MPI QUIET mpi-c)
  if(PETSC_REAL_FOUND AND PETSC_MPI_FOUND)
    set(PETSC_FOUND ON)
    set(PETSC_INCLUDE_DIRS ${PETSC_REAL_INCLUDE_DIRS} ${PETSC_MPI_INCLUDE_DIRS})
    set(PETSC_LIBRARIES ${PETSC_REAL_LINK_LIBRARIES} ${PETSC_MPI_LINK_LIBRARIES})
  endif()
endif()
