/* The parameters of the solver "petsc", which a build without it documents as well. */
#ifndef PL_DIST_PETSC_H
#define PL_DIST_PETSC_H

#include "sparse/krylov.h"

enum { PL_PETSC_PRESET = PL_KRYLOV_PARAM_COUNT, PL_PETSC_REPRODUCIBLE, PL_PETSC_PARAM_COUNT };
enum { PL_PETSC_GAMG, PL_PETSC_GRID, PL_PETSC_JACOBI };

#define PL_PETSC_PARAMS                                                                            \
  {                                                                                                \
    PL_KRYLOV_PARAMS,                                                                              \
        {"preset",                                                                                 \
         "1",                                                                                      \
         "gamg: algebraic multigrid by aggregates that know the rigid motions; grid: multigrid "   \
         "of this library within each process, rigid motions of parts above; jacobi: incomplete "  \
         "Cholesky within each process, for small or well conditioned systems",                    \
         PL_PETSC_GAMG,                                                                            \
         0,                                                                                        \
         2,                                                                                        \
         "gamg|grid|jacobi",                                                                       \
         0},                                                                                       \
    {                                                                                              \
      "reproducible", "1",                                                                         \
          "the same bits from run to run on the same number of processes, or sums in the order "   \
          "of "                                                                                    \
          "arrival",                                                                               \
          0, 0, 1, "yes|no", 0                                                                     \
    }                                                                                              \
  }

#define PL_PETSC_INFO                                                                              \
  .name = "petsc",                                                                                 \
  .summary = "conjugate gradients over several processes (mpirun), preconditioned by PETSc",       \
  .source = "Balay et al., PETSc/TAO users manual; Adams, Bayraktar, Keaveny & Papadopoulos 2004"

#endif
