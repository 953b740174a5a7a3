/* An upper bound of the frequencies of finite elements in any state, for the step of explicit
 * methods.
 *
 * The largest eigenvalue of the whole is at most that of any single element (Irons & Treharne
 * 1971). An element has K = sum_p w_p B^T H B with the tangent H = dP/dF of its points, so that
 * K <= h sum_p w_p b_a . b_b with the largest eigenvalue h of H over the points, and
 *
 *   w^2 <= h g / m,    g: the largest eigenvalue of sum_p w_p b_a . b_b,  m: its least nodal mass.
 *
 * For a cube at rest this is 4 (3 lambda + 2 mu) / (rho d^2), which is exact (uniform dilation). It
 * holds for every law and in every state, since H has all of them: stretch 2 of St.Venant-Kirchhoff
 * needs 0.56 of the step at rest. h is bounded by the least of two: the largest sum of a row's
 * magnitudes (exact at rest) and (tr H^4)^(1/4) (which rotations leave as it is). Hourglass control
 * has at most the stiffness 16/3 mu or 4/3 E times the largest square stretch. */
#include "model/fem/bound.h"
#include "model/fem/fem.h"
#include "model/fem/fem_lanes.h"

/* The largest sum of the magnitudes in a row. */
PL_INLINE pl_lanes row_bound(const pl_lanes *A, const int n)
{
  pl_lanes max = pl_lanes_all(0);
  for (int i = 0; i < n; i++) {
    pl_lanes sum = pl_lanes_all(0);
    for (int j = 0; j < n; j++) sum += pl_lanes_abs(A[n * i + j]);
    max = pl_lanes_max(sum, max);
  }
  return max;
}

/* At most so large is an eigenvalue of the symmetric H[81]. */
static void eigenvalue_bound(const pl_lanes *H, pl_lanes *out)
{
  pl_lanes sum = pl_lanes_all(0);
  for (int i = 0; i < 9; i++) {
    for (int j = i; j < 9; j++) {
      pl_lanes entry = pl_lanes_all(0);
      for (int k = 0; k < 9; k++) entry += H[9 * i + k] * H[9 * j + k];
      sum += entry * entry * (i == j ? 1.0 : 2.0);
    }
  }
  *out = pl_lanes_min(row_bound(H, 9), pl_lanes_sqrt(pl_lanes_sqrt(sum)));
}

PL_INLINE void gradient_at(const double *x, const int *nodes, int count, const pl_lanes *b,
                           pl_lanes *G)
{
  pl_lanes origin[3], node[3];
  for (int i = 0; i < 9; i++) G[i] = pl_lanes_all(0);
  pl_fem_gather(x, nodes + PL_LANES * (count - 1), origin);
  for (int a = 0; a < count - 1; a++) {
    pl_fem_gather(x, nodes + PL_LANES * a, node);
    for (int i = 0; i < 9; i++) G[i] += (node[i / 3] - origin[i / 3]) * b[3 * a + i % 3];
  }
}

/* What hourglass control adds at most. */
PL_INLINE pl_lanes control_bound(const pl_fem *fem, const pl_point *point)
{
  pl_lanes C[9];
  pl_lanes_mat3_multiply_tn(point->F, point->F, C);
  const pl_lanes square = pl_lanes_max(row_bound(C, 3), pl_lanes_all(1));
  const pl_lanes young = point->mu * 3.0;
  return fem->hourglass.factor / 3 * square * pl_lanes_max(young, 4.0 * point->mu);
}

/* Of a batch: the largest eigenvalues of the elastic and of the viscous tangent. */
static void bound_batch(const pl_fem_job *job, const pl_group *group, int batch, pl_point *point,
                        pl_lanes *elastic, pl_lanes *viscous)
{
  const pl_fem *fem = job->fem;
  int count = fem->nodes_per_element;
  const int *nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
  const pl_lanes *rest = fem->rest + (size_t)batch * pl_fem_rest_size(count, fem->points);
  pl_lanes H[81], bound;
  *elastic = *viscous = pl_lanes_all(0);
  pl_point_take(group, batch, point);
  for (int p = 0; p < fem->points; p++) {
    const pl_lanes *b = rest + p * (3 * count - 2) + 1;
    gradient_at(job->q, nodes, count, b, point->F);
    if (point->viscous) gradient_at(job->v, nodes, count, b, point->rate);
    pl_point_recall(group, fem->points, batch, p, point);
    group->points->tangent(point, 1, 0, 0, NULL, H);
    eigenvalue_bound(H, &bound);
    *elastic = pl_lanes_max(bound, *elastic);
    if (fem->hourglass.kernel) *elastic = pl_lanes_max(control_bound(fem, point), *elastic);
    if (!point->viscous) continue;
    group->points->tangent(point, 0, 1, 0, NULL, H);
    eigenvalue_bound(H, &bound);
    *viscous = pl_lanes_max(bound, *viscous);
  }
}

void PL_VARIANT(pl_fem_bound)(const pl_fem_job *job, int first, int last, double bounds[2])
{
  const pl_fem *fem = job->fem;
  const pl_group *group = pl_group_at(&fem->groups, first);
  pl_point point = pl_point_of(group, job->v != NULL);
  bounds[0] = bounds[1] = 0;
  for (int batch = first; batch < last; batch++) {
    pl_lanes elastic, viscous;
    bound_batch(job, group, batch, &point, &elastic, &viscous);
    for (int lane = 0; lane < PL_LANES; lane++) {
      int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
      if (element < 0) continue;
      const double shape = fem->bound.shapes[element];
      const double both[2] = {shape * elastic[lane], shape * viscous[lane]};
      for (int i = 0; i < 2; i++) bounds[i] = both[i] > bounds[i] ? both[i] : bounds[i];
      if (job->squares) job->squares[element] = both[0];
    }
  }
}
