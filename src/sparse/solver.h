/* Linear solvers: find x with P (b - A x) = 0, where the constrained part (I - P) x is given.
 *
 * A stands for A + K where there are pairs (pairs.h): every product has both parts, and every
 * preconditioner, which is made for A alone, is corrected at the touched blocks (correction.h).
 *
 * x holds the prescribed values at constrained nodes and a first guess elsewhere. The solver stops
 * when |P (b - A x)| <= target, and reports the true residual, recomputed from b - A x. */
#ifndef PL_SPARSE_SOLVER_H
#define PL_SPARSE_SOLVER_H

#include "core/family.h"
#include "sparse/bsr.h"
#include "sparse/filter.h"
#include "sparse/pairs.h"

typedef struct pl_solve_report {
  int iterations, products;
  double residual;    /* |P (b - A x)|, true */
  const double *left; /* P (b - A x) itself, the solver's until it is used again; NULL: not known */
} pl_solve_report;

/* Preconditioners: z = B r with B near the inverse of P A P. A new one is a file that defines
 * pl_preconditioner_NAME and a line here. */
#define PL_PRECONDITIONERS(X)                                                                      \
  X(auto)                                                                                          \
  X(block_diagonal)                                                                                \
  X(multigrid)                                                                                     \
  X(ssor)                                                                                          \
  X(factor)                                                                                        \
  X(cholesky)                                                                                      \
  X(threshold)                                                                                     \
  X(hierarchical)                                                                                  \
  X(diagonal)                                                                                      \
  X(none)

typedef struct pl_preconditioner pl_preconditioner;

typedef struct pl_preconditioner_ops {
  pl_member info;
  size_t state_size; /* of the member's struct, which begins with a pl_preconditioner */
  pl_status (*create)(pl_preconditioner *self, const pl_bsr *A, const double *values,
                      pl_error *error);
  void (*destroy)(pl_preconditioner *self); /* also after a create that failed half way */
  /* New values in A (or a new filter). */
  pl_status (*prepare)(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                       pl_pool *pool, pl_error *error);
  /* z = B r; z is filtered if r is. */
  void (*apply)(pl_preconditioner *self, const double *r, double *z, pl_pool *pool);
  /* The inverse diagonal blocks (9 doubles each, column by column) if that is all there is to it,
   * so that a solver may fuse it with its vector work; NULL otherwise. */
  const double *(*blocks)(const pl_preconditioner *self);
  /* For a member that has the matrix in single precision (multigrid.h), so that a solver may
   * iterate on that; NULL where it has none, or where it should not. */
  const struct pl_single *(*single)(pl_preconditioner *self);
  /* For a member that chooses among others: the name of the one in use, and why; else NULL. */
  const char *(*choice)(const pl_preconditioner *self, const char **reason);
} pl_preconditioner_ops;

struct pl_preconditioner {
  const pl_preconditioner_ops *ops;
  pl_allocator allocator;
  int rows;
  int solves, iterations; /* since the last prepare */
  double effort;          /* of an application, in those of usual ones */
  int with_pairs;         /* were there any in these solves? They take more */
  const pl_pairs *pairs;  /* closed, beside A since the last prepare; NULL: there are none. What is
                             made without them is corrected (correction.h) */
  int refusals; /* solves in a row that met it not positive definite, or gained nothing: prepare has
                   to change more than it would otherwise */
  int64_t factorisations, constraint_solves; /* complete factors made, and back-substitutions for
                                            constraints that came; since the beginning */
};

/* The parameters of a complete factor, for all that have one. */
#define PL_FACTOR_PARAMS                                                                           \
  {"ordering",                                                                                     \
   "1",                                                                                            \
   "of the unknowns: approximate minimum degree, nested dissection, or the one of less work",      \
   0,                                                                                              \
   0,                                                                                              \
   2,                                                                                              \
   "least|degree|nested",                                                                          \
   0},                                                                                             \
      {"reuse", "1", "keep it over several matrices, or renew it for each", 0, 0, 1, "yes|no", 0}, \
      {"patience",                                                                                 \
       "1",                                                                                        \
       "it is kept until the iterations it costs are this many times a renewal, and a new one "    \
       "pays",                                                                                     \
       30,                                                                                         \
       0,                                                                                          \
       1e9,                                                                                        \
       NULL,                                                                                       \
       0},                                                                                         \
  {                                                                                                \
    "pivots", "1",                                                                                 \
        "positive: an indefinite matrix is named; any: it is solved as long as no pivot is small", \
        0, 0, 1, "positive|any", 0                                                                 \
  }
enum {
  PL_FACTOR_ORDERING,
  PL_FACTOR_REUSE,
  PL_FACTOR_PATIENCE,
  PL_FACTOR_PIVOTS,
  PL_FACTOR_PARAM_COUNT
};

#define X(name) extern const pl_preconditioner_ops pl_preconditioner_##name;
PL_PRECONDITIONERS(X)
#undef X

extern const pl_family pl_preconditioner_family;

/* On failure *out may be half made, and is to be destroyed all the same. */
pl_status pl_preconditioner_create(const pl_allocator *allocator, const pl_selection *part,
                                   const pl_bsr *A, pl_preconditioner **out, pl_error *error);
void pl_preconditioner_destroy(pl_preconditioner *self);

/* Solvers. A new one is a file that defines pl_solver_NAME and a line here. */
#define PL_SOLVERS(X)                                                                              \
  X(auto)                                                                                          \
  X(cg)                                                                                            \
  X(direct)                                                                                        \
  X(eisenstat)                                                                                     \
  X(minres)                                                                                        \
  X(bicgstab)                                                                                      \
  X(gmres)                                                                                         \
  X(nearly_symmetric)                                                                              \
  X(petsc)

typedef struct pl_solver pl_solver;

typedef struct pl_solver_ops {
  pl_member info;  /* the first parameters: relative tolerance, most iterations in a solve */
  int unsymmetric; /* also solves systems whose matrix is not symmetric, or indefinite */
  int indefinite;  /* also solves systems whose matrix is symmetric and indefinite */
  int indefinite_on_demand; /* such systems, where pl_solver_expect_indefinite asks for it */
  size_t state_size;        /* of the member's struct, which begins with a pl_solver */
  /* It asks no other preconditioner than this one, whose values stand among the solver's own from
   * a place on; NULL: it takes the one that was chosen. */
  const pl_preconditioner_ops *companion;
  int companion_values;
  pl_status (*create)(pl_solver *self, const pl_bsr *A, const double *values, pl_error *error);
  void (*destroy)(pl_solver *self); /* also after a create that failed half way */
  pl_status (*prepare)(pl_solver *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                       pl_error *error);
  pl_status (*solve)(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                     double *x, double target, pl_pool *pool, pl_solve_report *report,
                     pl_error *error);
  /* For a member that chooses among others: the one in use, and why; else NULL. */
  const pl_solver *(*choice)(const pl_solver *self, const char **reason);
} pl_solver_ops;

struct pl_solver {
  const pl_solver_ops *ops;
  pl_allocator allocator;
  int rows;
  double values[PL_MOST_VALUES];
  double
      effort; /* of an iteration since the last prepare, in those of other times; 1 without pairs */
  double iterations;          /* the most that the user allows in one solve */
  const pl_selection *chosen; /* the preconditioner that the user chose; for create only */
  int expects_indefinite;     /* see pl_solver_expect_indefinite */
  pl_pairs *pairs;            /* of the last prepare; NULL: there are none */
  uint64_t filter_version, pairs_version; /* of the last prepare */
  pl_preconditioner *preconditioner; /* the member prepares and applies it if it has a use for it */
  const double *left;                /* P (b - A x) of the last solve; NULL: not known */
};

#define X(name) extern const pl_solver_ops pl_solver_##name;
PL_SOLVERS(X)
#undef X

extern const pl_family pl_solver_family;

/* A solver for matrices of A's pattern. All memory is taken here: prepare and solve take none. */
pl_status pl_solver_create(const pl_allocator *allocator, const pl_selection *solver,
                           const pl_selection *preconditioner, const pl_bsr *A, pl_solver **out,
                           pl_error *error);
void pl_solver_destroy(pl_solver *solver);

/* The solver in use, which is another one where a member chooses among others, and why. */
const pl_solver *pl_solver_in_use(const pl_solver *solver, const char **reason);

/* The relative tolerance that the user set. */
double pl_solver_tolerance(const pl_solver *solver);

/* Allows no more than this many iterations (0 or more) in each solve from now on, and no more than
 * the user does. */
void pl_solver_limit(pl_solver *solver, double max);

/* To be called when the values of A, the pairs or the filter have changed. pairs may be NULL; if
 * there are any, they stay as they are until the last solve.
 * PL_E_INDEFINITE, PL_E_SINGULAR: a diagonal block is that, and so is the matrix. */
pl_status pl_solver_prepare(pl_solver *solver, const pl_bsr *A, pl_pairs *pairs,
                            const pl_filter *filter, pl_pool *pool, pl_error *error);

/* y = A x for two vectors, with the A of the last prepare, by the copy that was made of it if there
 * is one that reads less. */
void pl_solver_multiply_two(const pl_solver *solver, const pl_bsr *A, const double *x, double *y,
                            const double *other_x, double *other_y, pl_pool *pool);

/* The matrix is another one than at the last prepare: who asks by versions prepares again. */
void pl_solver_forget(pl_solver *solver);

/* Whether matrices from now on may be indefinite, and are to be solved all the same: a member that
 * chooses among others takes one that can. */
void pl_solver_expect_indefinite(pl_solver *solver, int expects);

/* For members that iterate: prepares the correction of a preconditioner, and z = B r with it. One
 * test each where there are no pairs. */
pl_status pl_solver_correct(pl_solver *solver, const pl_bsr *A, const pl_filter *filter,
                            pl_pool *pool, pl_error *error);
void pl_solver_precondition(const pl_solver *solver, pl_preconditioner *base, const double *r,
                            double *z, pl_pool *pool);
/* The bands of the A of the last prepare (bands.h), NULL: there are none. */
struct pl_bands *pl_solver_bands(const pl_solver *solver);
/* The inverse diagonal blocks if they are all there is to z = B r; else NULL. */
const double *pl_solver_blocks(const pl_solver *solver);

/* A, filter and pairs are those of the last prepare. A residual that lies above the target, but
 * cannot be distinguished from rounding errors, counts as success. Otherwise x is the best so far,
 * and PL_E_INDEFINITE: a direction of negative curvature was met; PL_E_SINGULAR: a direction
 * without curvature was met; PL_E_CONVERGENCE: the most iterations allowed were done;
 * PL_E_CANCELLED: the matrix's watch ended it;
 * PL_E_DIVERGED: something became infinite or not a number (so may be x). */
pl_status pl_solver_solve(pl_solver *solver, const pl_bsr *A, const pl_filter *filter,
                          const double *b, double *x, double target, pl_pool *pool,
                          pl_solve_report *report, pl_error *error);

#endif
