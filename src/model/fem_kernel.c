/* The element loop: forces and stiffness of four elements at once.
 *
 *   F = sum_a (x_a - x_last) b_a^T       f_a = - sum_points w P(F) b_a
 *   K_ab = sum_points w b_a . H . b_b    H = kq dP/dF + kv dP/d(dF/dt)
 *
 * (Hauth 2004, C.2 and 3.1, with a general law.) f is the force on the nodes, K is minus its
 * derivative. H is symmetric, so K_ab and K_ba are each other's transpose and only one is computed;
 * what belongs to the last node follows from the others, since the gradients sum to zero. The same
 * source serves tetrahedra (4 nodes, 1 point) and hexahedra (8 nodes, 8 points): count and points
 * are constants wherever these functions are inlined. */
#include "math/lanes_mat3.h"
#include "model/fem.h"
#include "model/lanes_stress.h"

enum { MOST_EDGES = PL_ELEMENT_NODES - 1, MOST_PAIRS = PL_ELEMENT_NODES * PL_ELEMENT_NODES };

/* The stiffness of an element from a whole H: entry (i,k) of K_ab, i <= k, for all a and b; where
 * i = k the part b >= a is used. The other half follows by symmetry. */
enum { XX, XY, XZ, YY, YZ, ZZ, DIRECTIONS };
typedef pl_lanes pairs[DIRECTIONS][MOST_PAIRS];

/* What is added to the matrix: K_ab of the pairs a < b, entries in the order of memory. */
typedef pl_lanes blocks[PL_ELEMENT_NODES * (PL_ELEMENT_NODES - 1) / 2][9];

PL_INLINE const int *batch_nodes(const pl_fem *fem, int batch, const int count)
{
  return fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
}

PL_INLINE const pl_lanes *batch_rest(const pl_fem *fem, int batch, const int count,
                                     const int points)
{
  return fem->rest + (size_t)batch * pl_fem_rest_size(count, points);
}

/* Two doubles of a node in memory. */
typedef double two __attribute__((vector_size(16)));

PL_INLINE two load_two(const double *from)
{
  two pair;
  memcpy(&pair, from, sizeof pair);
  return pair;
}

/* The position of a node of each lane. */
PL_INLINE void gather(const double *x, const int *nodes, pl_lanes *to)
{
  const double *at[PL_LANES];
  for (int lane = 0; lane < PL_LANES; lane++) at[lane] = x + nodes[lane];
  const pl_lanes even = __builtin_shufflevector(load_two(at[0]), load_two(at[2]), 0, 1, 2, 3);
  const pl_lanes odd = __builtin_shufflevector(load_two(at[1]), load_two(at[3]), 0, 1, 2, 3);
  to[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  to[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  to[2] = (pl_lanes){at[0][2], at[1][2], at[2][2], at[3][2]};
}

/* The vectors from the last node to the others. */
PL_INLINE void gather_edges(const double *x, const int *nodes, const int count, pl_lanes *edges)
{
  pl_lanes origin[3];
  gather(x, nodes + PL_LANES * (count - 1), origin);
  for (int a = 0; a < count - 1; a++) {
    gather(x, nodes + PL_LANES * a, edges + 3 * a);
    for (int i = 0; i < 3; i++) edges[3 * a + i] -= origin[i];
  }
}

/* G = sum_a edge_a b_a^T: F from positions, its rate from velocities. */
PL_INLINE void gradient(const pl_lanes *edges, const pl_lanes *b, const int count, pl_lanes *G)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      pl_lanes sum = edges[i] * b[j];
      for (int a = 1; a < count - 1; a++) sum += edges[3 * a + i] * b[3 * a + j];
      G[3 * i + j] = sum;
    }
  }
}

/* The only point's value is set, that of many is added. */
PL_INLINE void put(pl_lanes *to, pl_lanes value, const int points)
{
  *to = points == 1 ? value : *to + value;
}

/* Entry (i,k) of K_ab of all nodes but the last, from one point: h is the part of H that couples
 * these directions, (j,l) at h[9 j + l], and wb holds the weighted gradients. */
PL_INLINE void add_direction(const pl_lanes *h, const pl_lanes *b, const pl_lanes *wb,
                             const int count, const int points, const int same, pl_lanes *K)
{
  for (int n = 0; n < count - 1; n++) {
    pl_lanes t[3];
    for (int j = 0; j < 3; j++) t[j] = pl_lanes_dot3(h + 9 * j, wb + 3 * n);
    for (int m = 0; m < (same ? n + 1 : count - 1); m++)
      put(&K[count * m + n], pl_lanes_dot3(b + 3 * m, t), points);
  }
}

PL_INLINE void add_directions(const pl_lanes *H, const pl_lanes *b, pl_lanes weight,
                              const int count, const int points, pairs K)
{
  pl_lanes wb[3 * MOST_EDGES];
  for (int i = 0; i < 3 * (count - 1); i++) wb[i] = weight * b[i];
  add_direction(H, b, wb, count, points, 1, K[XX]);
  add_direction(H + 3, b, wb, count, points, 0, K[XY]);
  add_direction(H + 6, b, wb, count, points, 0, K[XZ]);
  add_direction(H + 30, b, wb, count, points, 1, K[YY]);
  add_direction(H + 33, b, wb, count, points, 0, K[YZ]);
  add_direction(H + 60, b, wb, count, points, 1, K[ZZ]);
}

/* The last node's entries off the diagonal: rows and columns sum to zero. */
PL_INLINE void close_direction(const int count, const int same, pl_lanes *K)
{
  const int last = count - 1;
  for (int a = 0; a < last; a++) {
    pl_lanes row = -K[count * a + a], column = row;
    for (int b = 0; b < last; b++) {
      if (b == a) continue;
      row -= K[same && b < a ? count * b + a : count * a + b];
      if (!same) column -= K[count * b + a];
    }
    K[count * a + last] = row;
    if (!same) K[count * last + a] = column;
  }
}

PL_INLINE void close_directions(const int count, pairs K, blocks out)
{
  for (int d = 0; d < DIRECTIONS; d++) close_direction(count, d == XX || d == YY || d == ZZ, K[d]);
  for (int a = 0; a < count; a++) {
    for (int b = a + 1; b < count; b++, out++) {
      int ab = count * a + b, ba = count * b + a;
      const pl_lanes columns[9] = {K[XX][ab], K[XY][ba], K[XZ][ba], K[XY][ab], K[YY][ab],
                                   K[YZ][ba], K[XZ][ab], K[YZ][ab], K[ZZ][ab]};
      for (int i = 0; i < 9; i++) (*out)[i] = columns[i];
    }
  }
}

/* Adds each lane's block, its entries in the order of memory. A thread owns nothing behind it. */
PL_INLINE void scatter_block(double *values, const int *places, const pl_lanes *entries)
{
  pl_lanes low[PL_LANES], high[PL_LANES];
  pl_lanes_transpose(entries, low);
  pl_lanes_transpose(entries + 4, high);
  for (int lane = 0; lane < PL_LANES; lane++) {
    double *to = values + places[lane];
    pl_lanes_store(to, pl_lanes_load(to) + low[lane]);
    pl_lanes_store(to + 4, pl_lanes_load(to + 4) + high[lane]);
    to[8] += entries[8][lane];
  }
}

/* Fetches the blocks of the next batch while this one is computed: large matrices are not in the
 * caches, and which blocks come next is beyond what a processor guesses. */
PL_INLINE void fetch_blocks(const double *values, const int *places, const int count)
{
  for (int pair = 0; pair < count * (count - 1) / 2; pair++, places += PL_LANES) {
    for (int lane = 0; lane < PL_LANES; lane++) {
      const double *block = values + places[lane];
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);
    }
  }
}

/* What the first node of a pair brings to its block by a form, weighted: its gradient (times mu
 * where N is mu I), the gradient times A and a modulus (both: their sum), and times S. */
typedef struct side {
  pl_lanes b[3], lambda_g[3], mu_g[3], both_g[3], Sb[3];
} side;

PL_INLINE side first_side(const pl_tangent_form *form, const int shape, pl_lanes weight,
                          const pl_lanes *b, const pl_lanes *g)
{
  side s;
  const pl_lanes lambda = weight * form->lambda, mu = weight * form->mu;
  for (int i = 0; i < 3; i++) {
    s.b[i] = (shape == PL_TANGENT_STRESSED ? weight : mu) * b[i];
    s.lambda_g[i] = lambda * g[i];
    s.mu_g[i] = mu * g[i];
    s.both_g[i] = s.lambda_g[i] + s.mu_g[i];
  }
  if (shape == PL_TANGENT_STRESSED) pl_lanes_mat3_apply(form->S, s.b, s.Sb);
  return s;
}

/* The block of a pair; the second node has the gradient b, and g = A b. */
PL_INLINE void couple(const pl_tangent_form *form, const int shape, const side *s,
                      const pl_lanes *b, const pl_lanes *g, pl_lanes *block)
{
  const pl_lanes product = pl_lanes_dot3(s->b, b);
  const pl_lanes same = shape == PL_TANGENT_STRESSED ? pl_lanes_dot3(s->Sb, b) : product;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      pl_lanes entry =
          i == k ? s->both_g[i] * g[i] + same : s->lambda_g[i] * g[k] + s->mu_g[k] * g[i];
      if (shape == PL_TANGENT_STRESSED) entry += product * form->N[i < k ? 3 * i + k : 3 * k + i];
      block[3 * k + i] = entry;
    }
  }
}

/* The last node's vector: all sum to zero. */
PL_INLINE void close_vectors(const int count, pl_lanes *vectors)
{
  for (int i = 0; i < 3; i++) {
    pl_lanes sum = vectors[i];
    for (int a = 1; a < count - 1; a++) sum += vectors[3 * a + i];
    vectors[3 * (count - 1) + i] = -sum;
  }
}

/* The stiffness from one point by a form. The only point's blocks go straight to the matrix, those
 * of many are summed in K first. */
PL_INLINE void add_form(const pl_tangent_form *given, const int shape, const pl_lanes *rest,
                        const int count, const int points, double *values, const int *places,
                        blocks K)
{
  // a copy that stores to the matrix cannot reach
  const pl_tangent_form form = *given;
  pl_lanes b[3 * PL_ELEMENT_NODES], g[3 * PL_ELEMENT_NODES];
  for (int a = 0; a < count - 1; a++) {
    for (int i = 0; i < 3; i++) b[3 * a + i] = rest[3 * a + i];
    pl_lanes_mat3_apply(form.A, b + 3 * a, g + 3 * a);
  }
  close_vectors(count, b);
  close_vectors(count, g);
  for (int m = 0, pair = 0; m < count - 1; m++) {
    const side s = first_side(&form, shape, rest[-1], b + 3 * m, g + 3 * m);
    for (int n = m + 1; n < count; n++, pair++) {
      pl_lanes block[9];
      couple(&form, shape, &s, b + 3 * n, g + 3 * n, block);
      if (points == 1)
        scatter_block(values, places + PL_LANES * pair, block);
      else
        for (int i = 0; i < 9; i++) K[pair][i] += block[i];
    }
  }
}

PL_INLINE void scatter_stiffness(double *values, const int *places, const int count, blocks K)
{
  for (int pair = 0; pair < count * (count - 1) / 2; pair++)
    scatter_block(values, places + PL_LANES * pair, K[pair]);
}

/* f_a -= w P b_a of one point. */
PL_INLINE void add_forces(const pl_lanes *P, const pl_lanes *b, pl_lanes weight, const int count,
                          const int points, pl_lanes *forces)
{
  pl_lanes minus[9];
  for (int i = 0; i < 9; i++) minus[i] = -weight * P[i];
  for (int a = 0; a < count - 1; a++) {
    for (int i = 0; i < 3; i++)
      put(&forces[3 * a + i], pl_lanes_dot3(minus + 3 * i, b + 3 * a), points);
  }
}

PL_INLINE void add_to_node(double *to, two xy, double z)
{
  two sum = load_two(to) + xy;
  memcpy(to, &sum, sizeof sum);
  to[2] += z;
}

PL_INLINE void scatter_forces(double *f, const int *nodes, const int count, pl_lanes *forces)
{
  close_vectors(count, forces);
  for (int a = 0; a < count; a++) {
    const pl_lanes x = forces[3 * a], y = forces[3 * a + 1], z = forces[3 * a + 2];
    const int *lane = nodes + PL_LANES * a;
    add_to_node(f + lane[0], __builtin_shufflevector(x, y, 0, 4), z[0]);
    add_to_node(f + lane[1], __builtin_shufflevector(x, y, 1, 5), z[1]);
    add_to_node(f + lane[2], __builtin_shufflevector(x, y, 2, 6), z[2]);
    add_to_node(f + lane[3], __builtin_shufflevector(x, y, 3, 7), z[3]);
  }
}

/* What a pass wants: forces alone, or with the stiffness by a tangent of some shape. */
enum { FORCES_ONLY = -1 };

PL_INLINE void evaluate_batch(const pl_fem_job *job, const pl_group *group, int batch,
                              const int count, const int points, const int shape, pl_point *point)
{
  const pl_fem *fem = job->fem;
  const pl_point_ops *law = group->points;
  const int *nodes = batch_nodes(fem, batch, count);
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  double *values = job->tangent.A ? job->tangent.A->values : NULL;
  const double kq = job->tangent.kq, kv = job->tangent.kv;
  const int semidefinite = job->tangent.semidefinite;
  const int *places = NULL;
  pl_lanes edges[3 * MOST_EDGES], edge_rates[3 * MOST_EDGES];
  pl_lanes forces[3 * PL_ELEMENT_NODES], P[9], H[81];
  pl_tangent_form form;
  pairs by_direction;
  blocks K;
  if (shape != FORCES_ONLY) {
    const size_t size = (size_t)(count * (count - 1) / 2 * PL_LANES);
    places = fem->places + (size_t)batch * size;
  }
  const int viscous = point->viscous;
  pl_point_take(group, batch, point);
  gather_edges(job->q, nodes, count, edges);
  if (viscous) gather_edges(job->v, nodes, count, edge_rates);
  if (points > 1) {
    memset(forces, 0, sizeof forces);
    if (shape == PL_TANGENT_WHOLE) memset(by_direction, 0, sizeof by_direction);
    if (shape > PL_TANGENT_WHOLE) memset(K, 0, sizeof K);
  }

  for (int p = 0; p < points; p++) {
    const pl_lanes *b = rest + p * (3 * count - 2) + 1, weight = b[-1];
    gradient(edges, b, count, point->F);
    if (viscous) gradient(edge_rates, b, count, point->rate);
    pl_point_recall(group, points, batch, p, point);
    if (shape == FORCES_ONLY)
      law->stress(point, P, NULL);
    else if (shape == PL_TANGENT_WHOLE)
      law->tangent(point, kq, kv, semidefinite, P, H);
    else
      law->form(point, kq, kv, semidefinite, P, &form);

    // in the shadow of the law's long chain of operations
    if (shape != FORCES_ONLY && p == points - 1 && batch + 1 < fem->groups.batches)
      fetch_blocks(values, places + count * (count - 1) / 2 * PL_LANES, count);
    add_forces(P, b, weight, count, points, forces);
    if (job->f && p == points - 1) scatter_forces(job->f, nodes, count, forces);
    if (shape == PL_TANGENT_WHOLE) add_directions(H, b, weight, count, points, by_direction);
    if (shape > PL_TANGENT_WHOLE) add_form(&form, shape, b, count, points, values, places, K);
  }

  if (shape == PL_TANGENT_WHOLE) close_directions(count, by_direction, K);
  if (shape == PL_TANGENT_WHOLE || (shape != FORCES_ONLY && points > 1))
    scatter_stiffness(values, places, count, K);
}

PL_INLINE void evaluate_batches(const pl_fem_job *job, const pl_group *group, int first, int last,
                                const int count, const int points, const int shape)
{
  pl_point point = pl_point_of(group, job->v != NULL);
  for (int batch = first; batch < last; batch++)
    evaluate_batch(job, group, batch, count, points, shape, &point);
}

PL_INLINE void evaluate_of(const pl_fem_job *job, int first, int last, const int count,
                           const int points)
{
  const pl_group *group = pl_group_at(&job->fem->groups, first);
  const pl_point any = {.strain = group->strain, .viscous = group->viscous && job->v};
  const int shape =
      job->tangent.A ? (int)group->points->shape(&any, job->tangent.semidefinite) : FORCES_ONLY;
  if (shape == FORCES_ONLY)
    evaluate_batches(job, group, first, last, count, points, FORCES_ONLY);
  else if (shape == PL_TANGENT_TURNED)
    evaluate_batches(job, group, first, last, count, points, PL_TANGENT_TURNED);
  else if (shape == PL_TANGENT_STRESSED)
    evaluate_batches(job, group, first, last, count, points, PL_TANGENT_STRESSED);
  else
    evaluate_batches(job, group, first, last, count, points, PL_TANGENT_WHOLE);
}

/* Sum of w W; the lanes are added last. */
PL_INLINE double energy_of(const pl_fem_job *job, int first, int last, const int count,
                           const int points)
{
  const pl_fem *fem = job->fem;
  const pl_group *group = pl_group_at(&fem->groups, first);
  pl_lanes sum = pl_lanes_all(0);
  pl_point point = pl_point_of(group, 0);
  for (int batch = first; batch < last; batch++) {
    const pl_lanes *rest = batch_rest(fem, batch, count, points);
    pl_lanes edges[3 * MOST_EDGES], W;
    pl_point_take(group, batch, &point);
    gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
    for (int p = 0; p < points; p++) {
      const pl_lanes *b = rest + p * (3 * count - 2) + 1;
      gradient(edges, b, count, point.F);
      pl_point_recall(group, points, batch, p, &point);
      group->points->stress(&point, NULL, &W);
      sum += b[-1] * W;
    }
  }
  return pl_lanes_sum(sum);
}

/* Mean von Mises stress and least det F over the points of each element. */
PL_INLINE void fields_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  const pl_fem *fem = job->fem;
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  pl_lanes edges[3 * MOST_EDGES], P[9], mean = pl_lanes_all(0), least = pl_lanes_all(0);
  const pl_group *group = pl_group_at(&fem->groups, batch);
  pl_point point = pl_point_of(group, 0);
  pl_point_take(group, batch, &point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  for (int p = 0; p < points; p++) {
    const pl_lanes *b = rest + p * (3 * count - 2) + 1;
    gradient(edges, b, count, point.F);
    pl_lanes J = pl_lanes_det(point.F);
    least = p == 0 ? J : pl_lanes_min(J, least);
    if (!job->von_mises) continue;
    pl_point_recall(group, points, batch, p, &point);
    group->points->stress(&point, P, NULL);
    mean += pl_lanes_von_mises(point.F, P, J) / (double)points;
  }
  for (int lane = 0; lane < PL_LANES; lane++) {
    int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
    if (element >= 0 && job->von_mises) job->von_mises[element] = mean[lane];
    if (element >= 0 && job->det_f) job->det_f[element] = least[lane];
  }
}

/* Mean strain and energy density over the points of each element. */
PL_INLINE void strains_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  const pl_fem *fem = job->fem;
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  pl_lanes edges[3 * MOST_EDGES], W, strain = pl_lanes_all(0), density = pl_lanes_all(0);
  const pl_group *group = pl_group_at(&fem->groups, batch);
  pl_point point = pl_point_of(group, 0);
  pl_point_take(group, batch, &point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  for (int p = 0; p < points; p++) {
    gradient(edges, rest + p * (3 * count - 2) + 1, count, point.F);
    strain += pl_lanes_equivalent_strain(point.F) / (double)points;
    if (!job->density) continue;
    pl_point_recall(group, points, batch, p, &point);
    group->points->stress(&point, NULL, &W);
    density += W / (double)points;
  }
  for (int lane = 0; lane < PL_LANES; lane++) {
    int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
    if (element >= 0 && job->strain) job->strain[element] = strain[lane];
    if (element >= 0 && job->density) job->density[element] = density[lane];
  }
}

/* Mean deformation gradient and Cauchy stress over the points of each element. */
PL_INLINE void tensors_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  const pl_fem *fem = job->fem;
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  pl_lanes edges[3 * MOST_EDGES], P[9], sigma[9], F[9] = {0}, stress[9] = {0};
  const pl_group *group = pl_group_at(&fem->groups, batch);
  pl_point point = pl_point_of(group, 0);
  pl_point_take(group, batch, &point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  for (int p = 0; p < points; p++) {
    gradient(edges, rest + p * (3 * count - 2) + 1, count, point.F);
    pl_point_recall(group, points, batch, p, &point);
    group->points->stress(&point, P, NULL);
    pl_lanes_cauchy(point.F, P, sigma);
    for (int k = 0; k < 9; k++) F[k] += point.F[k] / (double)points;
    for (int k = 0; k < 9; k++) stress[k] += sigma[k] / (double)points;
  }
  for (int lane = 0; lane < PL_LANES; lane++) {
    int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
    for (int k = 0; k < 9 && element >= 0 && job->F; k++) job->F[9 * element + k] = F[k][lane];
    for (int k = 0; k < 9 && element >= 0 && job->stress; k++)
      job->stress[9 * element + k] = stress[k][lane];
  }
}

/* Moves the memory of all points on to where they are now. */
PL_INLINE void advance_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  const pl_fem *fem = job->fem;
  const pl_group *group = pl_group_at(&fem->groups, batch);
  if (!group->memory) return;
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  pl_lanes edges[3 * MOST_EDGES];
  pl_point point = pl_point_of(group, 0);
  pl_point_take(group, batch, &point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  for (int p = 0; p < points; p++) {
    gradient(edges, rest + p * (3 * count - 2) + 1, count, point.F);
    pl_group_advance(&fem->groups, group, batch, p, job->h, &point, job->memory);
  }
}

/* Zeros above the diagonal; the rest of a row is overwritten when it is finished. */
static void clear_rows(const pl_fem_job *job, int first, int last)
{
  const pl_bsr *A = job->tangent.A;
  for (int row = first; row < last; row++) {
    int after = A->diagonal[row] + 1;
    memset(A->values + 9 * after, 0, (size_t)(A->start[row + 1] - after) * 9 * sizeof *A->values);
  }
}

/* A block as it stands in memory: two vectors and the last entry. */
typedef struct block {
  pl_lanes low, high;
  double last;
} block;

PL_INLINE block load_block(const double *from)
{
  return (block){pl_lanes_load(from), pl_lanes_load(from + 4), from[8]};
}

PL_INLINE void store_block(double *to, block b)
{
  pl_lanes_store(to, b.low);
  pl_lanes_store(to + 4, b.high);
  to[8] = b.last;
}

PL_INLINE block transposed(block b)
{
  return (block){__builtin_shufflevector(b.low, b.high, 0, 3, 6, 1),
                 __builtin_shufflevector(b.low, b.high, 4, 7, 2, 5), b.last};
}

PL_INLINE block sum_of(block a, block b)
{
  return (block){a.low + b.low, a.high + b.high, a.last + b.last};
}

static void finish_rows(const pl_fem_job *job, int first, int last)
{
  const pl_bsr *A = job->tangent.A;
  const int *mirror = job->fem->mirror - A->start[job->fem->offset];
  const block zero = {pl_lanes_all(0), pl_lanes_all(0), 0};
  for (int row = first; row < last; row++) {
    block sum = zero;
    for (int k = A->start[row]; k < A->diagonal[row]; k++) {
      block b = mirror[k] < 0 ? zero : transposed(load_block(A->values + mirror[k]));
      store_block(A->values + 9 * k, b);
      sum = sum_of(sum, b);
    }
    for (int k = A->diagonal[row] + 1; k < A->start[row + 1]; k++)
      sum = sum_of(sum, load_block(A->values + 9 * k));

    // symmetric to the last bit
    block twice = sum_of(sum, transposed(sum));
    store_block(A->values + 9 * A->diagonal[row],
                (block){-0.5 * twice.low, -0.5 * twice.high, -0.5 * twice.last});
  }
}

/* The two kinds of element. */
#define KIND(name, count, points)                                                                  \
  static void evaluate_##name(const pl_fem_job *job, int first, int last)                          \
  {                                                                                                \
    evaluate_of(job, first, last, count, points);                                                  \
  }                                                                                                \
  static double energy_##name(const pl_fem_job *job, int first, int last)                          \
  {                                                                                                \
    return energy_of(job, first, last, count, points);                                             \
  }                                                                                                \
  static void fields_##name(const pl_fem_job *job, int first, int last)                            \
  {                                                                                                \
    for (int batch = first; batch < last; batch++) fields_of(job, batch, count, points);           \
  }                                                                                                \
  static void strains_##name(const pl_fem_job *job, int first, int last)                           \
  {                                                                                                \
    for (int batch = first; batch < last; batch++) strains_of(job, batch, count, points);          \
  }                                                                                                \
  static void tensors_##name(const pl_fem_job *job, int first, int last)                           \
  {                                                                                                \
    for (int batch = first; batch < last; batch++) tensors_of(job, batch, count, points);          \
  }                                                                                                \
  static void advance_##name(const pl_fem_job *job, int first, int last)                           \
  {                                                                                                \
    for (int batch = first; batch < last; batch++) advance_of(job, batch, count, points);          \
  }

KIND(tet, 4, 1)
KIND(hex, 8, 8)

const pl_fem_kernel PL_VARIANT(pl_fem_kernels)[PL_FEM_KINDS] = {
    [PL_FEM_TET] = {evaluate_tet, energy_tet, fields_tet, strains_tet, tensors_tet, advance_tet,
                    clear_rows, finish_rows},
    [PL_FEM_HEX] = {evaluate_hex, energy_hex, fields_hex, strains_hex, tensors_hex, advance_hex,
                    clear_rows, finish_rows},
};
