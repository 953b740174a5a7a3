/* The element loop: forces and stiffness of four elements at once.
 *
 *   F = sum_a (x_a - x_last) b_a^T       f_a = - sum_points w P(F) b_a
 *   K_ab = sum_points w b_a . H . b_b    H = kq dP/dF + kv dP/d(dF/dt)
 *
 * (Hauth 2004, C.2 and 3.1, with a general law.) f is the force on the nodes, K is minus its
 * derivative. H is symmetric, so K_ab and K_ba are each other's transpose and only one is computed;
 * what belongs to the last node follows from the others, since the gradients sum to zero. The same
 * source serves tetrahedra (4 nodes, 1 point; 10 nodes, 4 points) and hexahedra (8 nodes, 1, 8 or
 * 27 points): count and points are constants wherever these functions are inlined. Volumes that
 * points share: volume.h. */
#include "material/prony_point.h"
#include "model/fem/fem_stiffness.h"
#include "model/lanes_stress.h"

/* Fetches the blocks of the next batch while this one is computed: large matrices are not in the
 * caches, and which blocks come next is beyond what a processor guesses. */
PL_INLINE void fetch_blocks(const double *values, const int *places, const int count)
{
  for (int pair = 0; pair < count * (count - 1) / 2; pair++, places += PL_LANES) {
    for (int lane = 0; lane < PL_LANES; lane++) {
      const double *block = values + 9 * (size_t)places[lane];
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);
    }
  }
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

PL_INLINE void scatter_forces(double *f, const int *nodes, const int count, pl_lanes *forces)
{
  close_vectors(count, forces);
  for (int a = 0; a < count; a++) pl_fem_scatter(f, nodes + PL_LANES * a, forces + 3 * a);
}

/* The memory of a pass's points: eased (pl_group_is_eased), and moving on now. */
typedef struct moving {
  int eased, now;
  const pl_point_ops *law; /* the one below it where it is eased */
  pl_move to;
  pl_lanes decays[PL_MOST_DECAYS];
} moving;

/* The p-th points of a batch, with these moduli and numbers, as the law below the memory takes
 * them. Their memory moves on before, or within the law. */
PL_INLINE void ease(const pl_fem_job *job, const pl_group *group, int batch, int p,
                    const pl_lanes *moduli, const pl_lanes *numbers, moving *m, pl_point *point)
{
  point->lambda = moduli[0];
  point->mu = moduli[1];
  if (m->now) pl_group_move_at(&job->fem->groups, group, batch, p, job->memory, &m->to);
  if (m->now && !point->move) {
    point->move = &m->to;
    point->numbers = numbers;
    group->memory->move(point);
    point->move = NULL;
  }
  if (!point->move)
    pl_fade_moduli(group->fading.of, point->frozen[PL_PRONY_ALPHA], &point->lambda, &point->mu);
  point->prestress = point->frozen;
  point->numbers = numbers + PL_PRONY_NUMBERS;
}

/* What a pass wants: forces alone, or with the stiffness by a tangent of some shape. */
enum { FORCES_ONLY = PL_TANGENT_STRETCHED + 1, PASSES };

PL_INLINE int has_form(const int shape)
{
  return shape != FORCES_ONLY && shape != PL_TANGENT_WHOLE;
}

PL_INLINE void evaluate_batch(const pl_fem_job *job, const pl_group *group, int batch,
                              const int count, const int points, const int shape, moving *memory,
                              pl_point *point)
{
  const pl_fem *fem = job->fem;
  const pl_point_ops *law = memory->law;
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
  shared volume;
  const int shares = fem->volume.kind != PL_VOLUME_POINT;
  if (shape != FORCES_ONLY) {
    const size_t size = (size_t)(count * (count - 1) / 2 * PL_LANES);
    places = fem->places + (size_t)batch * size;
  }
  const int viscous = point->viscous;
  pl_point_take(group, batch, point);
  if (memory->now && group->moduli)
    pl_group_move(group, point, job->h, memory->decays, &memory->to);
  gather_edges(job->q, nodes, count, edges);
  if (viscous) gather_edges(job->v, nodes, count, edge_rates);
  if (shares) share_volume(job, group, batch, edges, rest, count, points, point, &volume);
  if (points > 1) {
    memset(forces, 0, sizeof forces);
    if (shape == PL_TANGENT_WHOLE) memset(by_direction, 0, sizeof by_direction);
    if (has_form(shape)) memset(K, 0, sizeof K);
  }

  const pl_lanes moduli[] = {point->lambda, point->mu}, *numbers = point->numbers;
  for (int p = 0; p < points; p++) {
    const pl_lanes *b = rest + p * (3 * count - 2) + 1, weight = b[-1];
    gradient(edges, b, count, point->F);
    if (viscous) gradient(edge_rates, b, count, point->rate);
    pl_point_recall(group, points, batch, p, point);
    if (memory->eased) ease(job, group, batch, p, moduli, numbers, memory, point);
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
    if (shares && p == points - 1) add_shared_forces(&volume, count, forces);
    if (job->f && p == points - 1) scatter_forces(job->f, nodes, count, forces);
    if (shape == PL_TANGENT_WHOLE) add_directions(H, b, weight, count, points, by_direction);
    if (shape == PL_TANGENT_STRETCHED)
      add_stretches(&form, b, count, values, places);
    else if (shape == PL_TANGENT_INVARIANT)
      add_invariants(&form, b, count, points, values, places, K);
    else if (has_form(shape))
      add_form(&form, shape, b, count, points, values, places, K);
  }

  point->lambda = moduli[0];
  point->mu = moduli[1];
  point->numbers = numbers;
  if (shape == PL_TANGENT_WHOLE) close_directions(count, by_direction, K);
  if (points > 1 && shares && shape != FORCES_ONLY) add_shared_blocks(&volume, kq, count, K);
  if (shape == PL_TANGENT_WHOLE || (shape != FORCES_ONLY && points > 1))
    scatter_stiffness(values, places, count, K);
}

PL_INLINE void evaluate_batches(const pl_fem_job *job, const pl_group *group, int first, int last,
                                const int count, const int points, const int shape)
{
  pl_point point = pl_point_of(group, job->v != NULL);
  const pl_lanes lambda = point.lambda;
  moving memory;
  memory.eased = pl_group_is_eased(group);
  memory.now = memory.eased && job->memory;
  memory.law = memory.eased ? group->fading.law : group->points;
  if (memory.now && has_form(shape) && memory.law->moves) point.move = &memory.to;
  if (memory.now) pl_group_move(group, &point, job->h, memory.decays, &memory.to);
  for (int batch = first; batch < last; batch++) {
    point.lambda = lambda; // which shared volumes change
    evaluate_batch(job, group, batch, count, points, shape, &memory, &point);
  }
}

/* Which pass over the batches of this group there is to be. */
static int pass_of(const pl_fem_job *job, const pl_group *group)
{
  const pl_point any = {
      .strain = group->strain, .fading = &group->fading, .viscous = group->viscous && job->v};
  if (!job->tangent.A) return FORCES_ONLY;
  return (int)group->points->shape(&any, job->tangent.semidefinite);
}

/* Sum of w W; the lanes are added last. */
PL_INLINE double energy_of(const pl_fem_job *job, int first, int last, const int count,
                           const int points)
{
  const pl_fem *fem = job->fem;
  const pl_group *group = pl_group_at(&fem->groups, first);
  pl_lanes sum = pl_lanes_all(0);
  pl_point point = pl_point_of(group, 0);
  const pl_lanes lambda = point.lambda;
  const int shares = fem->volume.kind != PL_VOLUME_POINT;
  shared volume;
  for (int batch = first; batch < last; batch++) {
    const pl_lanes *rest = batch_rest(fem, batch, count, points);
    pl_lanes edges[3 * MOST_EDGES], W;
    point.lambda = lambda;
    pl_point_take(group, batch, &point);
    gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
    if (shares) share_volume(job, group, batch, edges, rest, count, points, &point, &volume);
    for (int p = 0; p < points; p++) {
      const pl_lanes *b = rest + p * (3 * count - 2) + 1;
      gradient(edges, b, count, point.F);
      pl_point_recall(group, points, batch, p, &point);
      group->points->stress(&point, NULL, &W);
      if (shares) W -= 0.5 * volume.pressure * volume.theta[p];
      sum += b[-1] * W;
    }
  }
  return pl_lanes_sum(sum);
}

/* The share of a point in the mean over an element: Gauss's weights. */
PL_INLINE double share_of(const int points, int p)
{
  if (points != 27) return 1.0 / points;
  const int middles = (p % 3 == 1) + (p / 3 % 3 == 1) + (p / 9 == 1);
  static const double shares[] = {125.0 / 5832, 200.0 / 5832, 320.0 / 5832, 512.0 / 5832};
  return shares[middles];
}

/* A batch whose points are looked at one after the other, at rest. */
typedef struct survey {
  const pl_group *group;
  const pl_lanes *rest;
  int batch, shares;
  pl_lanes edges[3 * MOST_EDGES];
  shared volume;
  pl_point point;
} survey;

PL_INLINE void survey_batch(const pl_fem_job *job, int batch, const int count, const int points,
                            survey *of)
{
  const pl_fem *fem = job->fem;
  of->batch = batch;
  of->group = pl_group_at(&fem->groups, batch);
  of->rest = batch_rest(fem, batch, count, points);
  of->shares = fem->volume.kind != PL_VOLUME_POINT;
  of->point = pl_point_of(of->group, 0);
  pl_point_take(of->group, batch, &of->point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, of->edges);
  if (of->shares)
    share_volume(job, of->group, batch, of->edges, of->rest, count, points, &of->point,
                 &of->volume);
}

/* The deformation at a point, and what the law remembers there. */
PL_INLINE void survey_point(survey *of, int p, const int count, const int points)
{
  gradient(of->edges, of->rest + p * (3 * count - 2) + 1, count, of->point.F);
  pl_point_recall(of->group, points, of->batch, p, &of->point);
}

/* The values of a batch's elements, width numbers each; to: NULL for none. */
PL_INLINE void write_batch(const pl_fem *fem, int batch, const int width, const pl_lanes *values,
                           double *to)
{
  for (int lane = 0; lane < PL_LANES && to; lane++) {
    int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
    for (int k = 0; k < width && element >= 0; k++)
      write_element(fem, element, width, k, values[k][lane], to);
  }
}

/* Mean von Mises stress and least det F over the points of each element. */
PL_INLINE void fields_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  survey of;
  pl_lanes P[9], mean = pl_lanes_all(0), min = pl_lanes_all(0);
  survey_batch(job, batch, count, points, &of);
  for (int p = 0; p < points; p++) {
    survey_point(&of, p, count, points);
    pl_lanes J = pl_lanes_det(of.point.F);
    min = p == 0 ? J : pl_lanes_min(J, min);
    if (!job->von_mises) continue;
    of.group->points->stress(&of.point, P, NULL);
    mean += pl_lanes_von_mises(of.point.F, P, J) * share_of(points, p);
  }
  write_batch(job->fem, batch, 1, &mean, job->von_mises);
  write_batch(job->fem, batch, 1, &min, job->det_f);
}

/* Mean strain and energy density over the points of each element. */
PL_INLINE void strains_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  survey of;
  pl_lanes W, strain = pl_lanes_all(0), density = pl_lanes_all(0);
  survey_batch(job, batch, count, points, &of);
  for (int p = 0; p < points; p++) {
    survey_point(&of, p, count, points);
    strain += pl_lanes_equivalent_strain(of.point.F) * share_of(points, p);
    if (!job->density) continue;
    of.group->points->stress(&of.point, NULL, &W);
    if (of.shares) W -= 0.5 * of.volume.pressure * of.volume.theta[p];
    density += W * share_of(points, p);
  }
  write_batch(job->fem, batch, 1, &strain, job->strain);
  write_batch(job->fem, batch, 1, &density, job->density);
}

/* Mean deformation gradient and Cauchy stress over the points of each element. */
PL_INLINE void tensors_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  survey of;
  pl_lanes P[9], sigma[9], F[9] = {0}, stress[9] = {0};
  survey_batch(job, batch, count, points, &of);
  for (int p = 0; p < points; p++) {
    survey_point(&of, p, count, points);
    of.group->points->stress(&of.point, P, NULL);
    pl_lanes_cauchy(of.point.F, P, sigma);
    for (int k = 0; k < 9; k++) F[k] += of.point.F[k] * share_of(points, p);
    for (int k = 0; k < 9; k++) stress[k] += sigma[k] * share_of(points, p);
  }
  write_batch(job->fem, batch, 9, F, job->F);
  write_batch(job->fem, batch, 9, stress, job->stress);
}

/* Moves the memory of all points on to where they are now. */
PL_INLINE void advance_batch(const pl_fem_job *job, const pl_group *group, int batch,
                             const int count, const int points, pl_point *point)
{
  const pl_fem *fem = job->fem;
  const pl_lanes *rest = batch_rest(fem, batch, count, points);
  pl_lanes edges[3 * MOST_EDGES], rates[3 * MOST_EDGES];
  pl_point_take(group, batch, point);
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  if (point->viscous) gather_edges(job->v, batch_nodes(fem, batch, count), count, rates);
  for (int p = 0; p < points; p++) {
    gradient(edges, rest + p * (3 * count - 2) + 1, count, point->F);
    if (point->viscous) gradient(rates, rest + p * (3 * count - 2) + 1, count, point->rate);
    pl_group_advance(&fem->groups, group, batch, p, job->h, point, job->memory);
  }
}

PL_INLINE void advance_of(const pl_fem_job *job, int first, int last, const int count,
                          const int points)
{
  const pl_group *group = pl_group_at(&job->fem->groups, first);
  pl_point point = pl_point_of(group, job->v && group->fading.hermite);
  for (int batch = first; batch < last && group->memory; batch++)
    advance_batch(job, group, batch, count, points, &point);
}

/* Every pass is a function of its own: compilers of WebAssembly in browsers give the numbers of a
 * function to registers with care only up to some 8000 of them. */
typedef void pass(const pl_fem_job *job, const pl_group *group, int first, int last);
#define PASS(name, count, points, shape)                                                           \
  static void name(const pl_fem_job *job, const pl_group *group, int first, int last)              \
  {                                                                                                \
    evaluate_batches(job, group, first, last, count, points, shape);                               \
  }

/* The kinds of element; hourglass control is added to hex1 elsewhere. stretched: the pass for
 * tangents by singular values, which many points take as a whole. */
#define KIND(name, count, points, stretched)                                                       \
  PASS(name##_forces, count, points, FORCES_ONLY)                                                  \
  PASS(name##_whole, count, points, PL_TANGENT_WHOLE)                                              \
  PASS(name##_turned, count, points, PL_TANGENT_TURNED)                                            \
  PASS(name##_stressed, count, points, PL_TANGENT_STRESSED)                                        \
  PASS(name##_invariant, count, points, PL_TANGENT_INVARIANT)                                      \
  static pass *const name##_passes[PASSES] = {                                                     \
      [FORCES_ONLY] = name##_forces,                                                               \
      [PL_TANGENT_WHOLE] = name##_whole,                                                           \
      [PL_TANGENT_TURNED] = name##_turned,                                                         \
      [PL_TANGENT_STRESSED] = name##_stressed,                                                     \
      [PL_TANGENT_INVARIANT] = name##_invariant,                                                   \
      [PL_TANGENT_STRETCHED] = stretched,                                                          \
  };                                                                                               \
  static void evaluate_##name(const pl_fem_job *job, int first, int last)                          \
  {                                                                                                \
    const pl_group *group = pl_group_at(&job->fem->groups, first);                                 \
    name##_passes[pass_of(job, group)](job, group, first, last);                                   \
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
    advance_of(job, first, last, count, points);                                                   \
  }                                                                                                \
  static void volumes_##name(const pl_fem_job *job, int first, int last)                           \
  {                                                                                                \
    for (int batch = first; batch < last; batch++) volumes_of(job, batch, count, points);          \
  }

PASS(tet_stretched, 4, 1, PL_TANGENT_STRETCHED)
PASS(hex1_stretched, 8, 1, PL_TANGENT_STRETCHED)
KIND(tet, 4, 1, tet_stretched)
KIND(tet10, 10, 4, tet10_whole)
KIND(hex, 8, 8, hex_whole)
KIND(hex1, 8, 1, hex1_stretched)
KIND(hex27, 8, 27, hex27_whole)

#define TABLE(name)                                                                                \
  {                                                                                                \
    evaluate_##name, energy_##name, fields_##name, strains_##name, tensors_##name, advance_##name, \
        volumes_##name                                                                             \
  }

const pl_fem_kernel PL_VARIANT(pl_fem_kernels)[PL_FEM_KINDS] = {
    [PL_FEM_TET] = TABLE(tet),   [PL_FEM_TET10] = TABLE(tet10), [PL_FEM_HEX] = TABLE(hex),
    [PL_FEM_HEX1] = TABLE(hex1), [PL_FEM_HEX27] = TABLE(hex27),
};
