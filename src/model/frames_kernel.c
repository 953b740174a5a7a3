/* The sample loop of the frame-based model: four samples at once, all with the same list of blocks.
 *
 *   F = sum_b (q_b - q_last) g_b^T      f_b = - sum_samples w P(F) g_b
 *   K_ab = sum_samples w g_a . H . g_b  H = kq dP/dF + kv dP/d(dF/dt)
 *
 * (Gilles et al. 2011, eqs. 11 and 12, for displacements linear in the unknowns: exact.) A tile of
 * batches is worked on together, so that a block of K is summed in registers. */
#include "model/frames.h"
#include "model/lanes_stress.h"

enum { TILE = 8, MOST_BLOCKS = PL_MOST_FRAMES * PL_MOST_MONOMIALS };

PL_INLINE const pl_lanes *batch_rest(const pl_frames *frames, const pl_frames_chunk *chunk,
                                     int batch)
{
  size_t size = 1 + 3 * (size_t)chunk->blocks;
  return frames->rest + chunk->rest + size * (size_t)(batch - chunk->first);
}

/* The vectors from the chunk's last block to the others. */
static void gather_edges(const pl_frames_chunk *chunk, const double *x, double *edges)
{
  const double *origin = x + 3 * chunk->block[chunk->blocks - 1];
  for (int b = 0; b < chunk->blocks - 1; b++) {
    for (int i = 0; i < 3; i++) edges[3 * b + i] = x[3 * chunk->block[b] + i] - origin[i];
  }
}

PL_INLINE void gradient(const double *edges, const pl_lanes *g, int blocks, pl_lanes *G)
{
  for (int i = 0; i < 9; i++) G[i] = pl_lanes_all(0);
  for (int b = 0; b < blocks - 1; b++) {
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) G[3 * i + j] += edges[3 * b + i] * g[3 * b + j];
    }
  }
}

PL_INLINE pl_point start_point(const pl_frames *frames, int viscous)
{
  pl_point point;
  point.lambda = pl_lanes_all(frames->lambda);
  point.mu = pl_lanes_all(frames->mu);
  point.ratio = pl_lanes_all(frames->ratio);
  point.strain = frames->strain;
  point.viscous = viscous;
  point.viscous_lambda = pl_lanes_all(frames->viscous_lambda);
  point.viscous_mu = pl_lanes_all(frames->viscous_mu);
  return point;
}

PL_INLINE double sum_of(pl_lanes a) { return (a[0] + a[1]) + (a[2] + a[3]); }

/* A tile: its batches' rest data, and weighted stress and tangent. */
typedef struct tile {
  int count;
  const pl_lanes *g[TILE];
  pl_lanes P[TILE][9], H[TILE][81], T[TILE][27];
} tile;

static void add_forces(const tile *at, int blocks, double *sums)
{
  for (int b = 0; b < blocks - 1; b++) {
    pl_lanes f[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
    for (int t = 0; t < at->count; t++) {
      for (int i = 0; i < 3; i++) f[i] -= pl_lanes_dot3(at->P[t] + 3 * i, at->g[t] + 3 * b);
    }
    for (int i = 0; i < 3; i++) sums[3 * b + i] += sum_of(f[i]);
  }
}

/* T[9 c + 3 r + j] = sum_l H_(rj)(cl) g_l of one block, in all batches. */
PL_INLINE void prepare_column(tile *at, int b)
{
  for (int t = 0; t < at->count; t++) {
    const pl_lanes *g = at->g[t] + 3 * b, *H = at->H[t];
    for (int c = 0; c < 3; c++) {
      for (int rj = 0; rj < 9; rj++) at->T[t][9 * c + rj] = pl_lanes_dot3(H + 9 * rj + 3 * c, g);
    }
  }
}

static void add_stiffness(tile *at, int blocks, double *sums)
{
  for (int b = 0; b < blocks; b++) {
    prepare_column(at, b);
    for (int a = 0; a <= b; a++, sums += 9) {
      pl_lanes K[9];
      for (int e = 0; e < 9; e++) K[e] = pl_lanes_all(0);
      for (int t = 0; t < at->count; t++) {
        const pl_lanes *g = at->g[t] + 3 * a, *T = at->T[t];
        pl_lanes g0 = g[0], g1 = g[1], g2 = g[2];
        for (int e = 0; e < 9; e++) K[e] += g0 * T[3 * e] + g1 * T[3 * e + 1] + g2 * T[3 * e + 2];
      }
      for (int e = 0; e < 9; e++) sums[e] += sum_of(K[e]);
    }
  }
}

static void evaluate(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  int blocks = chunk->blocks;
  double edges[3 * MOST_BLOCKS], rates[3 * MOST_BLOCKS];
  double *forces = frames->sums + chunk->sums, *stiffness = forces + 3 * blocks;
  pl_point point = start_point(frames, frames->viscous && job->v);
  memset(forces, 0, (size_t)(3 * blocks) * sizeof *forces);
  if (job->matrix) memset(stiffness, 0, 9 * pl_pair(0, blocks) * sizeof *stiffness);
  gather_edges(chunk, job->q, edges);
  if (point.viscous) gather_edges(chunk, job->v, rates);

  tile at;
  for (int first = chunk->first; first < chunk->last; first += TILE) {
    at.count = chunk->last - first < TILE ? chunk->last - first : TILE;
    for (int t = 0; t < at.count; t++) {
      const pl_lanes *rest = batch_rest(frames, chunk, first + t);
      at.g[t] = rest + 1;
      pl_sample_moduli(&frames->field, first + t, &point);
      gradient(edges, at.g[t], blocks, point.F);
      if (point.viscous) gradient(rates, at.g[t], blocks, point.rate);
      if (job->matrix)
        frames->law->tangent(&point, job->kq, job->kv, job->semidefinite, at.P[t], at.H[t]);
      else
        frames->law->stress(&point, at.P[t], NULL);
      for (int i = 0; i < 9; i++) at.P[t][i] *= rest[0];
      for (int i = 0; job->matrix && i < 81; i++) at.H[t][i] *= rest[0];
    }
    add_forces(&at, blocks, forces);
    if (job->matrix) add_stiffness(&at, blocks, stiffness);
  }
}

static double energy(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  double edges[3 * MOST_BLOCKS];
  pl_lanes sum = pl_lanes_all(0), W;
  pl_point point = start_point(frames, 0);
  gather_edges(chunk, job->q, edges);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    const pl_lanes *rest = batch_rest(frames, chunk, batch);
    gradient(edges, rest + 1, chunk->blocks, point.F);
    pl_sample_moduli(&frames->field, batch, &point);
    frames->law->stress(&point, NULL, &W);
    sum += rest[0] * W;
  }
  return sum_of(sum);
}

/* Von Mises stress and det F of each sample, or strain and energy density. */
static void fields(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  double edges[3 * MOST_BLOCKS];
  pl_point point = start_point(frames, 0);
  gather_edges(chunk, job->q, edges);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    pl_lanes P[9], stress = pl_lanes_all(0);
    gradient(edges, batch_rest(frames, chunk, batch) + 1, chunk->blocks, point.F);
    pl_sample_moduli(&frames->field, batch, &point);
    pl_lanes J = pl_lanes_det(point.F);
    if (job->stress) {
      frames->law->stress(&point, P, NULL);
      stress = pl_lanes_von_mises(point.F, P, J);
    }
    if (job->strains) {
      stress = pl_lanes_equivalent_strain(point.F);
      frames->law->stress(&point, NULL, &J);
    }
    for (int lane = 0; lane < PL_LANES && PL_LANES * batch + lane < frames->field.samples; lane++) {
      frames->sample_stress[PL_LANES * batch + lane] = stress[lane];
      frames->sample_ratio[PL_LANES * batch + lane] = J[lane];
    }
  }
}

const pl_frames_kernel PL_VARIANT(pl_frames_kernels) = {evaluate, energy, fields};
