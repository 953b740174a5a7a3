/* Inexact Newton with a fallback to semidefinite tangents and a line search on the slope. */
#include "ode/newton.h"

#include "core/clock.h"
#include "core/error.h"
#include "ode/share.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { USUAL_REFRESH = 10, LAG_REFRESH = 4 };

/* A kept matrix is recomputed where an increment is longer than this part of the one before, or
 * where a stage took more iterations than that (Hauth 2004, 3.3.4). */
static const double slow = 0.3;
enum { MANY_ITERATIONS = 5 };

/* A loop whose increments still fall this fast, and whose further ones are worth less than this
 * part of z, was only cut short by its number of iterations: halving the step would be no remedy.
 */
static const double fast = 0.1, harmless = 1e-3;

/* What is left of the residual in a pass that others will follow, over what is left in the last. */
static const double trial_ease = 1000;

/* What rounding leaves of forces that cancel: inertia and inner forces of a free flight, say. */
static const double rounding = 1e-12;

/* Whole increments that leave more than this part of the residual converge slowly. */
static const double steady = 0.1;

/* Exact increments of which less than this part is let through are no good. */
static const double much = 0.5;
enum { LONGEST_PAUSE = 8 };

/* How far a solve goes that looks for directions of negative curvature. */
static const double spectral = 1e-6;

/* An increment that moves nothing by more than this part of the largest coordinate is none. */
static const double immovable = 1e-14;

pl_status pl_newton_create(pl_newton *newton, pl_integrator *integrator, pl_error *error)
{
  const double *values = integrator->values;
  *newton = (pl_newton){.iterations = (int)values[PL_NEWTON_ITERATIONS],
                        .tolerance = values[PL_NEWTON_TOLERANCE],
                        .projection = values[PL_NEWTON_PROJECTION] == 0 ? 1 : 2,
                        .reuse = (int)values[PL_NEWTON_MATRIX],
                        .refresh = (int)values[PL_NEWTON_REFRESH],
                        .floor = values[PL_NEWTON_FORCE],
                        .forcing = values[PL_NEWTON_FORCING],
                        .min_step = values[PL_NEWTON_STEP]};
  if (values[PL_NEWTON_TANGENT] == 0) newton->semidefinite = newton->projection;
  // with one iteration there is no convergence to look at
  if (newton->iterations == 1 && newton->refresh == 0) newton->refresh = USUAL_REFRESH;
  double **vectors[] = {&newton->q,     &newton->v,    &newton->r,   &newton->dz,
                        &newton->trial, &newton->rest, &newton->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    pl_status status = pl_integrator_vector(integrator, vectors[i], error);
    if (status) return status;
  }
  return PL_OK;
}

void pl_newton_begin(pl_integrator *integrator)
{
  pl_newton *newton = integrator->state;
  newton->is_kept = newton->age = 0;
}

int pl_newton_keeps(const pl_integrator *integrator)
{
  return integrator->ops->begin == pl_newton_begin && integrator->values[PL_NEWTON_MATRIX] == 2;
}

void pl_newton_put(const pl_integrator *integrator, double numbers[PL_KEPT_NUMBERS])
{
  const pl_newton *newton = integrator->state;
  const double known[] = {newton->cm,      newton->cq,  newton->cv,
                          newton->is_kept, newton->age, newton->folded};
  memcpy(numbers, known, sizeof known);
}

void pl_newton_take(pl_integrator *integrator, const double numbers[PL_KEPT_NUMBERS])
{
  pl_newton *newton = integrator->state;
  newton->cm = numbers[0];
  newton->cq = numbers[1];
  newton->cv = numbers[2];
  newton->is_kept = numbers[3] > 0;
  newton->age = (int)numbers[4];
  newton->folded = numbers[5];
}

void pl_newton_residual(pl_newton *newton, pl_system *system, const pl_stage *stage,
                        const double *z, pl_bsr *A, int semidefinite)
{
  double start = pl_now();
  int n = system->blocks;
  pl_combine(NULL, stage->cq, z, newton->work, n, system->pool);
  system->ops->retract(system, stage->q0, newton->work, newton->q);
  pl_combine(stage->v0, stage->cv, z, newton->v, n, system->pool);
  const pl_tangent tangent = {stage->cm, stage->cq, stage->cv, semidefinite, A, system->pairs};
  system->ops->evaluate(system, stage->t, newton->q, newton->v, newton->r, A ? &tangent : NULL);
  if (stage->loads) {
    system->ops->external(system, stage->t, newton->q, newton->v, newton->work);
    for (int i = 0; i < 3 * n; i++) newton->r[i] += stage->loads[i] - newton->work[i];
  }
  if (stage->cm != 0) {
    pl_combine(stage->w, stage->cm, z, newton->work, n, system->pool);
    system->ops->mass_add(system, -1, newton->work, newton->r);
  }
  if (system->ops->chart) {
    pl_combine(NULL, stage->cq, z, newton->work, n, system->pool);
    system->ops->chart(system, newton->work, newton->r, A);
  }
  if (A) pl_system_fold(system);
  pl_system_keep_residual(system, newton->r);
  system->clock.evaluate += pl_now() - start;
}

static double filtered_norm(pl_system *system, double *r)
{
  pl_filter_force(&system->filter, r);
  return pl_system_norm(system, r);
}

double pl_system_budget(const pl_system *system, const pl_step_report *report)
{
  if (!system->budget) return INFINITY;
  return system->budget > report->linear_iterations ? system->budget - report->linear_iterations
                                                    : 0;
}

static const pl_filter *filter_of_all(const pl_system *system)
{
  return system->share ? &system->share->whole->filter : &system->filter;
}

static pl_status prepare(pl_system *system, int fresh, pl_step_report *report, pl_error *error)
{
  double start = pl_now();
  // other constraints ask for another preparation, even of the same matrix
  int renew = fresh || system->solver->filter_version != system->filter.version ||
              system->solver->pairs_version != pl_pairs_version(system->pairs);
  if (fresh && !system->pass.patched) report->matrices++;
  if (!renew) return PL_OK;
  pl_status status = pl_solver_prepare(system->solver, system->A, system->pairs,
                                       filter_of_all(system), system->pool, error);
  system->clock.solve += pl_now() - start;
  return status;
}

pl_status pl_system_solve(pl_system *system, int fresh, const double *b, double *x, double scale,
                          double tolerance, pl_step_report *report, pl_error *error)
{
  pl_solve_report solved = {0};
  pl_status status = prepare(system, fresh, report, error);
  double start = pl_now();
  if (system->budget) pl_solver_limit(system->solver, pl_system_budget(system, report));
  pl_links_strip(system->filter.links, x);
  if (!status && system->share)
    status = pl_share_solve(system->share, b, x, tolerance * scale, &solved, error);
  else if (!status)
    status = pl_solver_solve(system->solver, system->A, &system->filter, b, x, tolerance * scale,
                             system->pool, &solved, error);
  pl_links_extend(system->filter.links, x);
  report->linear_iterations += solved.iterations;
  report->linear_residual = scale > 0 ? solved.residual / scale : 0;
  // what a refused matrix left is used by nobody
  int is_used = !status || status == PL_E_CONVERGENCE;
  if (is_used && report->linear_residual > report->worst_residual)
    report->worst_residual = report->linear_residual;
  if (status == PL_E_CONVERGENCE) {
    report->unfinished_solves++;
    status = PL_OK;
  }
  system->clock.solved_at = pl_now();
  system->clock.solve += system->clock.solved_at - start;
  return status;
}

/* dz = guess - z (NULL: 0), but for constrained nodes, which go where they must. */
static void expect(const pl_newton *newton, pl_system *system, const pl_stage *stage,
                   const double *guess, const double *z, double *dz)
{
  int n = system->blocks;
  if (guess)
    pl_combine(guess, -1, z, dz, n, system->pool);
  else
    memset(dz, 0, (size_t)n * 3 * sizeof *dz);
  pl_combine(stage->prescribed, -1, z, newton->work, n, system->pool);
  pl_filter_prescribe(&system->filter, newton->work, dz);
}

/* rest = P (r - rest), where rest is A dz: what this guess leaves to do. Returns its length. */
static double left_to_do(const pl_newton *newton, pl_system *system, double *rest)
{
  pl_combine(newton->r, -1, rest, rest, system->blocks, system->pool);
  return filtered_norm(system, rest);
}

/* The first guess of dz, and in rest what it leaves to do: the better of the stage's two guesses in
 * the first iteration, else zero; constrained nodes go where they must. Returns the length of what
 * the first of them leaves to do: the measure of all tolerances. */
static double start_increment(pl_newton *newton, pl_system *system, const pl_stage *stage,
                              const double *z, int first)
{
  const size_t size = (size_t)system->blocks * 3 * sizeof(double);
  double *dz = newton->dz, *rest = newton->rest, *other = newton->trial, *other_rest = newton->v;
  expect(newton, system, stage, first ? stage->guess : NULL, z, dz);
  if (!first || !stage->other_guess) {
    pl_system_multiply(system, dz, rest);
    return left_to_do(newton, system, rest);
  }
  expect(newton, system, stage, stage->other_guess, z, other);
  pl_system_multiply_two(system, dz, rest, other, other_rest);
  double scale = left_to_do(newton, system, rest);
  if (left_to_do(newton, system, other_rest) < scale) {
    memcpy(dz, other, size);
    memcpy(rest, other_rest, size);
  }
  return scale;
}

/* Can the matrix of an earlier iteration or stage serve? If not, it is this stage's from now on. */
static int is_usable(pl_newton *newton, const pl_system *system, const pl_stage *stage, int first)
{
  // a folded matrix belongs to its constraints; 53 bits of their version are a double
  double folded = system->filter.links ? (double)(system->filter.version >> 11) : 0;
  int same = newton->cm == stage->cm && newton->cq == stage->cq && newton->cv == stage->cv;
  same = same && newton->folded == folded;
  newton->age += first;
  int reuse = system->lags ? 2 : newton->reuse;
  int refresh = system->lags && newton->reuse < 2 ? LAG_REFRESH : newton->refresh;
  int old = (refresh > 0 && newton->age >= refresh) || system->is_changing;
  if (same && newton->is_kept && stage->keeps) return 1;
  if (same && newton->is_kept && reuse >= (first ? 2 : 1) && !(first && old)) return 1;
  newton->age = 0;
  newton->folded = folded;
  newton->cm = stage->cm;
  newton->cq = stage->cq;
  newton->cv = stage->cv;
  return 0;
}

/* Improves the guess in dz by solving A trial = rest; the solver is not asked to multiply the
 * guess again. */
static pl_status improve(pl_newton *newton, pl_system *system, double scale, double tolerance,
                         pl_step_report *report, pl_error *error)
{
  memset(newton->trial, 0, (size_t)system->blocks * 3 * sizeof(double));
  pl_status status =
      pl_system_solve(system, 0, newton->rest, newton->trial, scale, tolerance, report, error);
  pl_axpy(1, newton->trial, newton->dz, system->blocks, system->pool);
  return status;
}

/* Where blocks depend on others, or processes share the matrix, a solver's residual is another. */
static int knows_left(const pl_system *system)
{
  return system->solver->left && !system->filter.links && !system->A->partition;
}

/* P (rest - A trial): the solver's own where it has it. */
static const double *left_by_solver(const pl_newton *newton, pl_system *system)
{
  double *left = newton->v;
  if (knows_left(system)) return system->solver->left;
  pl_system_multiply(system, newton->trial, left);
  pl_combine(newton->rest, -1, left, left, system->blocks, system->pool);
  return left;
}

/* Is u = cv dz? */
static int is_increment(const pl_newton *newton, const pl_system *system, const pl_stage *stage,
                        const double *u)
{
  for (int i = 0; i < 3 * system->blocks; i++) {
    if (u[i] != stage->cv * newton->dz[i]) return 0;
  }
  return 1;
}

/* u . A u. Where the stage began at rest and carries nothing, P A dz = P r - left is known. */
static double stiffness_along(const pl_newton *newton, pl_system *system, const pl_stage *stage,
                              const double *z, const double *u, const double *left)
{
  if (knows_left(system) && pl_system_largest(system, z) == 0 &&
      is_increment(newton, system, stage, u))
    return stage->cv * (pl_system_dot(system, u, newton->r) - pl_system_dot(system, u, left));
  double *product = newton->v;
  pl_system_multiply(system, u, product);
  return pl_system_dot(system, u, product);
}

/* Where a budget cut the solve short: takes so much of the velocity u = v0 + cv z back that
 * u . (rest - A trial) <= 0. With that (the Galerkin condition of u itself) a stage of implicit
 * Euler gains no energy however few iterations it had: u . (M (u - v) + h grad E) <= 0 gives
 * T(u) + E(q + h u) <= T(v) + E(q) for a convex quadratic E. A solve that begins at rest has it
 * from the start; one that begins at the last velocity, which is nearer to the solution, has not.
 */
static void hold_back(pl_newton *newton, pl_system *system, const pl_stage *stage, const double *z)
{
  int n = system->blocks;
  double *u = newton->work;
  if (stage->cv == 0 || stage->cm == 0) return;
  const double *left = left_by_solver(newton, system);
  pl_combine(z, 1, newton->dz, u, n, system->pool);
  pl_combine(stage->v0, stage->cv, u, u, n, system->pool);
  pl_filter_motion(&system->filter, u);
  double push = pl_system_dot(system, u, left);
  if (push >= 0) return;
  double back = -push / stiffness_along(newton, system, stage, z, u, left);
  if (back > 0) pl_axpy(-fmin(back, 1 / stage->cv), u, newton->dz, n, system->pool);
}

/* How far a linear solve goes. What a pass changes in the one before is small: one solve does. */
static double linear_tolerance(const pl_newton *newton, const pl_system *system, int is_last,
                               double scale)
{
  double least = pl_solver_tolerance(system->solver);
  if (newton->iterations == 1) return least;
  double rest = is_last && scale > 0 ? newton->tolerance * newton->reference / scale : 1;
  return fmax(least, fmin(rest, newton->forcing));
}

/* Guarded: semidefinite tangents are too stiff where much is bent, compressed or pressed together;
 * they converge by a factor per iteration, often by 0.9 only. Where whole increments have come to
 * that the exact ones follow. One that is indefinite is replaced, and the next is not tried. After
 * one that had to be cut (second derivatives jump where the nearest features change, and increments
 * would go to and fro there) semidefinite ones follow, each time twice as many up to a bound. */
static int first_tangent(const pl_newton *newton, const pl_system *system)
{
  return system->safe && newton->exact.is_next ? 0 : newton->semidefinite;
}

static void give_up_exact(pl_newton *newton, int rest)
{
  newton->exact.is_next = 0;
  newton->exact.rest = rest;
}

static void choose_tangent(pl_newton *newton, double part, double size, double before)
{
  if (newton->exact.is_next && part < much) {
    give_up_exact(newton, newton->exact.pause);
    if (newton->exact.pause < LONGEST_PAUSE) newton->exact.pause *= 2;
  } else if (newton->exact.is_next && part == 1) {
    newton->exact.pause = 1;
  }
  if (newton->exact.rest > 0)
    newton->exact.rest--;
  else if (part == 1 && size > steady * before)
    newton->exact.is_next = 1;
}

/* One direction: with the wanted tangent, or with the semidefinite one where that is indefinite. */
static pl_status direction(pl_newton *newton, pl_system *system, const pl_stage *stage,
                           const double *z, int first, pl_step_report *report, pl_error *error)
{
  // contact that comes and goes leaves no matrix as it was
  int fresh = !is_usable(newton, system, stage, first) || system->safe;
  if (fresh) system->pass.patched = 0;
  for (int semidefinite = first_tangent(newton, system);; semidefinite = newton->projection) {
    // where the last increment has ended r is known
    if (first || fresh)
      pl_newton_residual(newton, system, stage, z, fresh ? system->A : NULL, semidefinite);
    if (system->safe && system->pairs && pl_pairs_is_short(system->pairs))
      return pl_fail(error, PL_E_LIMIT, "there is no room for all pairs of blocks in contact");
    pl_status status = prepare(system, fresh || system->pass.patched, report, error);
    system->pass.patched = 0;
    double scale = status ? 0 : start_increment(newton, system, stage, z, first && !system->safe);
    if (first && !status) {
      double size = filtered_norm(system, newton->r);
      // guarded, the guess is zero, and scale what carries the constrained nodes
      newton->reference =
          system->safe ? fmax(fmax(size, scale), newton->reference) : fmax(scale, stage->reference);
      newton->cancelling = rounding * size;
    }
    double tolerance = linear_tolerance(newton, system, first && stage->reference > 0, scale);
    int64_t unfinished = report->unfinished_solves;
    if (!status) status = improve(newton, system, scale, tolerance, report, error);
    newton->is_kept = !status;
    int is_cut = report->unfinished_solves > unfinished;
    if (is_cut && (system->budget || pl_watch_late(system->watch)))
      hold_back(newton, system, stage, z);
    int is_flat = system->safe && status == PL_E_SINGULAR;
    if (semidefinite || !(status == PL_E_INDEFINITE || is_flat)) return status;
    report->semidefinite_fallbacks++;
    give_up_exact(newton, 1);
    fresh = 1;
  }
}

int pl_newton_is_indefinite(pl_newton *newton, pl_system *system, const pl_stage *stage,
                            const double *z, pl_step_report *report)
{
  int n = 3 * system->blocks;
  pl_newton_residual(newton, system, stage, z, system->A, 0);
  // the golden ratio's multiples are spread evenly, without a period
  for (int i = 0; i < n; i++) {
    double multiple = 0.6180339887498949 * (i + 1);
    newton->rest[i] = multiple - floor(multiple) - 0.5;
  }
  memset(newton->dz, 0, (size_t)n * sizeof *newton->dz);
  double size = filtered_norm(system, newton->rest);
  newton->is_kept = 0;
  return pl_system_solve(system, 1, newton->rest, newton->dz, size, spectral, report, NULL) ==
         PL_E_INDEFINITE;
}

int pl_system_folded1(pl_system *system, const double *q)
{
  return system->ops->folded1 ? system->ops->folded1(system, q) : 0;
}

/* The same where blocks depend on others: is d = prescribed - z other than E d, beyond rounding? */
static int leaves_links(const pl_newton *newton, const pl_system *system, const pl_stage *stage,
                        const double *z)
{
  int n = system->blocks;
  double *d = newton->work, *own = newton->trial, max = 0;
  pl_combine(stage->prescribed, -1, z, d, n, system->pool);
  memcpy(own, d, 3 * (size_t)n * sizeof *d);
  pl_filter_motion(&system->filter, own);
  for (int i = 0; i < 3 * n; i++) max = fmax(max, fabs(d[i]));
  for (int i = 0; i < 3 * n; i++) {
    if (fabs(d[i] - own[i]) > rounding * max) return 1;
  }
  return 0;
}

/* Does the increment carry constrained nodes that are here? */
static int moves_here(const pl_newton *newton, const pl_system *system, const pl_stage *stage,
                      const double *z)
{
  for (int i = 0; i < system->filter.count; i++) {
    int node = system->filter.nodes[i];
    for (int k = 3 * node; k < 3 * node + 3; k++) newton->work[k] = stage->prescribed[k] - z[k];
    const double *P = system->filter.projections + 9 * i, *d = newton->work + 3 * node;
    if (system->filter.links) continue; // the motion of others has to be known first
    for (int k = 0; k < 3; k++) {
      if (d[k] - (P[k] * d[0] + P[3 + k] * d[1] + P[6 + k] * d[2]) != 0) return 1;
    }
  }
  return system->filter.links ? leaves_links(newton, system, stage, z) : 0;
}

/* The same anywhere: then the slope over the free ones says little. */
static int moves_constrained(const pl_newton *newton, const pl_system *system,
                             const pl_stage *stage, const double *z)
{
  return pl_system_any(system, moves_here(newton, system, stage, z));
}

static pl_status not_converged(const pl_newton *newton, double size, pl_error *error)
{
  return pl_fail(
      error, PL_E_CONVERGENCE,
      "Newton's method left a residual of %.3g N after %d iterations (%.3g N wanted); take "
      "smaller steps or more iterations",
      size, newton->iterations, newton->tolerance * newton->reference);
}

/* The end of a loop that has converged. */
static pl_status end_well(const pl_newton *newton, pl_system *system)
{
  if (system->safe) memcpy(system->safe, newton->q, 3 * (size_t)system->blocks * sizeof(double));
  return PL_OK;
}

/* The end of a loop that has used up its iterations. */
static pl_status end_early(const pl_newton *newton, pl_system *system, const pl_stage *stage,
                           double contraction, double rest, const double *z, pl_step_report *report,
                           pl_error *error)
{
  // equilibria have to be found; in motion what is left is made good by the next step
  int only_short = contraction < fast && rest < harmless * pl_system_norm(system, z);
  if (stage->cm == 0 || !(system->never_rejects || only_short))
    return not_converged(newton, report->newton_residual, error);
  report->unconverged++;
  return end_well(newton, system);
}

void pl_newton_react(pl_system *system, double share)
{
  // G = M a - f is what the constraints exert
  if (system->unfiltered) pl_system_react(system, -share, system->unfiltered);
}

/* Guarded: z at which q(z) is safe, and what forces are worth. */
static void start_safely(pl_newton *newton, pl_system *system, const pl_stage *stage, double *z)
{
  int n = 3 * system->blocks;
  newton->stuck = 0;
  newton->exact.is_next = newton->exact.rest = 0;
  newton->exact.pause = 1;
  if (!system->safe) return;
  system->ops->external(system, stage->t, system->safe, stage->v0 ? stage->v0 : z, newton->work);
  newton->reference = filtered_norm(system, newton->work);
  for (int i = 0; i < n && stage->cq > 0; i++) z[i] = (system->safe[i] - stage->q0[i]) / stage->cq;
}

pl_status pl_newton_solve(pl_newton *newton, pl_system *system, const pl_stage *stage, double *z,
                          pl_step_report *report, pl_error *error)
{
  int n = system->blocks;
  start_safely(newton, system, stage, z);
  double step = INFINITY, contraction = INFINITY, rest = INFINITY, residue = INFINITY;
  int arrived = !system->safe; // all that moves by itself
  for (int iteration = 0; iteration < newton->iterations; iteration++) {
    int carries = moves_constrained(newton, system, stage, z);
    pl_status status = pl_watch_check(system->watch, error);
    if (!status) status = direction(newton, system, stage, z, iteration == 0, report, error);
    if (status) return status;
    report->newton_iterations++;

    // linearly implicit: the increment is the answer
    if (newton->iterations == 1) {
      pl_system_leave(system, newton->dz);
      pl_axpy(1, newton->dz, z, n, system->pool);
      return PL_OK;
    }

    pl_filter_force(&system->filter, newton->r);
    double slope = carries ? 0 : pl_system_dot(system, newton->dz, newton->r);
    double max = 1;
    status = pl_newton_limit(newton, system, stage, &max, report, error);
    if (status) return status;
    double part = pl_newton_search(newton, system, stage, z, slope, max);
    if (system->safe)
      status = pl_newton_go_on(newton, system, stage, slope, z, &part, report, error);
    if (status) return status;

    double size = filtered_norm(system, newton->r);
    report->newton_residual = size;
    if (!isfinite(size) || iteration + 1 == newton->iterations)
      report->worst_block1 = pl_system_worst1(system, newton->r);
    if (!isfinite(size))
      return pl_fail(error, PL_E_DIVERGED, "the forces are not finite; take smaller steps");
    // in motion the first increment may already be worth more than the guess was wrong by
    if (iteration == 0 && stage->cm != 0 && !system->safe)
      newton->reference = fmax(newton->reference, size);
    double goal = fmax(newton->tolerance * newton->reference, newton->floor);
    int whole = !system->safe || part == 1;
    arrived |= whole;
    if (arrived && size <= fmax(goal, newton->cancelling)) return end_well(newton, system);
    if (whole && stage->cq * pl_system_largest(system, newton->dz) <=
                     immovable * pl_system_largest(system, newton->q))
      return end_well(newton, system);
    if (stage->is_trial && size <= trial_ease * goal) {
      system->pass.is_cut = 1;
      return end_well(newton, system);
    }
    // the convergence monitor: is the increment small enough, is the matrix still good?
    double before = step;
    step = pl_system_norm(system, newton->dz);
    contraction = iteration > 0 ? step / before : INFINITY;
    rest = contraction < 1 ? contraction / (1 - contraction) * step : INFINITY;
    if (whole && fmin(step, rest) < newton->min_step) return end_well(newton, system);
    if (pl_system_budget(system, report) == 0 || pl_watch_late(system->watch)) break;
    choose_tangent(newton, part, size, residue);
    residue = size;
    if (step > slow * before || iteration >= MANY_ITERATIONS) newton->is_kept = 0;
  }
  return end_early(newton, system, stage, contraction, rest, z, report, error);
}
