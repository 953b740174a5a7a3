/* Every solver with every preconditioner. */
#ifndef TEST_SPARSE_COMBINATIONS_H
#define TEST_SPARSE_COMBINATIONS_H

#include "system.h"

typedef struct pair {
  pl_choice solver, preconditioner;
} pair;

static inline pl_status create(const pl_allocator *allocator, const pair *names, const pl_bsr *A,
                               pl_solver **out, pl_error *error)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  pl_selection solver, preconditioner;
  pl_status status =
      pl_choice_resolve(&pl_solver_family, &names->solver, &solver.member, solver.values, error);
  if (!status)
    status = pl_choice_resolve(&pl_preconditioner_family, &names->preconditioner,
                               &preconditioner.member, preconditioner.values, error);
  return status ? status : pl_solver_create(&source, &solver, &preconditioner, A, out, error);
}

/* Does it have the complete factor, which needs a regular matrix and only one iteration? */
static inline int is_complete(const pair *names)
{
  return strcmp(names->preconditioner.name, "factor") == 0 ||
         strcmp(names->solver.name, "direct") == 0;
}

/* Calls check for every solver with every preconditioner that it can be told to take; one that
 * chooses among others hands on what it is told. */
static inline void for_all_pairs(void (*check)(const pair *))
{
  for (int s = 0; pl_solver_family.members[s]; s++) {
    if (pl_solver_family.members[s]->missing) continue;
    const pl_solver_ops *ops = (const pl_solver_ops *)pl_solver_family.members[s];
    int alone = ops->companion && !ops->choice;
    for (int p = 0; pl_preconditioner_family.members[p] && p < (alone ? 1 : 99); p++) {
      pair names = {{pl_solver_family.members[s]->name, NULL, 0},
                    {pl_preconditioner_family.members[p]->name, NULL, 0}};
      int before = test_failures;
      check(&names);
      if (test_failures > before)
        printf("  with %s and %s\n", names.solver.name, names.preconditioner.name);
    }
  }
}

/* Does the solver solve symmetric indefinite systems, instead of naming them? */
static inline int takes_indefinite(const pair *names)
{
  const pl_member *member = pl_member_find(&pl_solver_family, names->solver.name);
  return ((const pl_solver_ops *)member)->indefinite;
}

/* And any matrix? */
static inline int takes_unsymmetric(const pair *names)
{
  return ((const pl_solver_ops *)pl_member_find(&pl_solver_family, names->solver.name))
      ->unsymmetric;
}

static inline pl_solver *make_solver(const pair *names, const pl_bsr *A)
{
  pl_solver *solver = NULL;
  CHECK_OK(create(NULL, names, A, &solver, error));
  return solver;
}

/* Solves to the relative accuracy tolerance; x is a guess and the prescribed values. */
static inline pl_status solve(const pair *names, const pl_bsr *A, const pl_filter *filter,
                              const double *b, double *x, double tolerance, pl_pool *pool,
                              pl_solve_report *report, pl_error *error)
{
  pl_solver *solver = make_solver(names, A);
  pl_status status = pl_solver_prepare(solver, A, NULL, filter, pool, error);
  if (!status)
    status = pl_solver_solve(solver, A, filter, b, x, tolerance * test_length(b, A->rows), pool,
                             report, error);
  pl_solver_destroy(solver);
  return status;
}

#endif
