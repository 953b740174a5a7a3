/* Small deflections of a body in tests: K u = f at rest, with blocks held along axes. */
#ifndef PL_TEST_STATICS_H
#define PL_TEST_STATICS_H

#include "sparse/filter.h"
#include "sparse/solver.h"

#include "bodies.h"

/* held: per block three bits, x 1, y 2, z 4. The solution comes in body->g. */
static inline void test_deflect(test_body *body, const unsigned char *held)
{
  int n = body->model->blocks, count = 0;
  pl_allocator memory = pl_allocator_default();
  int *nodes = calloc((size_t)n, sizeof *nodes);
  double *projections = calloc((size_t)n, 9 * sizeof *projections);
  for (int i = 0; i < n; i++) {
    if (!held[i]) continue;
    for (int k = 0; k < 3; k++) projections[9 * count + 4 * k] = !(held[i] >> k & 1);
    nodes[count++] = i;
  }
  pl_filter filter = {.count = count, .nodes = nodes, .projections = projections, .version = 1};
  pl_selection solver = {0}, preconditioner = {0};
  pl_solver *direct = NULL;
  pl_solve_report report;
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){"direct", NULL, 0}, &solver.member,
                             solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){"none", NULL, 0},
                             &preconditioner.member, preconditioner.values, error));
  memcpy(body->q, body->model->rest, (size_t)body->n * sizeof *body->q);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 0, body->A, NULL);
  memset(body->g, 0, (size_t)body->n * sizeof *body->g);
  pl_filter_apply(&filter, body->f);
  CHECK_OK(pl_solver_create(&memory, &solver, &preconditioner, body->A, &direct, error));
  CHECK_OK(pl_solver_prepare(direct, body->A, NULL, &filter, NULL, error));
  double target = 1e-10 * test_length(body->f, body->n);
  CHECK_OK(
      pl_solver_solve(direct, body->A, &filter, body->f, body->g, target, NULL, &report, error));
  pl_solver_destroy(direct);
  free(nodes);
  free(projections);
}

#endif
