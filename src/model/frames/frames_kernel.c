/* The sample loop of the frame-based model: four samples at once, all with the same list of blocks.
 *
 *   F = sum_b (q_b - q_last) g_b^T      f_b = - sum_samples w P(F) g_b
 *   K_ab = sum_samples w g_a . H . g_b  H = kq dP/dF + kv dP/d(dF/dt)
 *
 * (Gilles et al. 2011, eqs. 11 and 12, for displacements linear in the unknowns: exact.) A tile of
 * batches is worked on together, so that a block of K is summed in registers.
 *
 * Affine frames that all move alike strain a sample evenly. With the shape functions l_k = 1/4 +
 * s_k . (X - centre) of the last frame, and the places X_b at rest of the others' blocks,
 *
 *   g_k = s_k - sum_b l_k(X_b) g_b
 *
 * so that the last frame's part of K follows from that of the others and from sums of H and H g_b.
 */
#include "math/lanes_parts.h"
#include "model/frames/frames_point.h"

/* Batches and blocks that are worked on together. */
enum { TILE = 8, STRIP = 32, MOST_BLOCKS = PL_MOST_FRAMES * PL_MOST_MONOMIALS };

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
  for (int i = 0; i < 9 * PL_PARTS; i += PL_LANES_SUMS * PL_PARTS) {
    for (int part = 0; part < PL_PARTS; part++) {
      const pl_part *from = (const pl_part *)g + part;
      const double *edge = edges + i / PL_PARTS / 3;
      pl_part sum[PL_LANES_SUMS], *to = (pl_part *)G + i + part;
      for (int e = 0; e < PL_LANES_SUMS; e++) sum[e] = (pl_part){0};
      for (int b = 0; b < blocks - 1; b++, from += 3 * PL_PARTS, edge += 3) {
        for (int e = 0; e < PL_LANES_SUMS; e++) sum[e] += edge[e / 3] * from[PL_PARTS * (e % 3)];
      }
      for (int e = 0; e < PL_LANES_SUMS; e++) to[PL_PARTS * e] = sum[e];
    }
  }
}

/* A tile: its batches' rest data, and weighted stress and tangent; where the sums of H g_b and H
 * go, if these are wanted. */
typedef struct tile {
  int count;
  double *even;
  const pl_lanes *g[TILE];
  pl_lanes P[TILE][9], (*H)[81], (*T)[27];
} tile;

static void add_forces(const tile *at, int blocks, double *sums)
{
  for (int b = 0; b < blocks - 1; b++) {
    pl_lanes f[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
    for (int t = 0; t < at->count; t++) {
      for (int i = 0; i < 3; i++) f[i] -= pl_lanes_dot3(at->P[t] + 3 * i, at->g[t] + 3 * b);
    }
    for (int i = 0; i < 3; i++) sums[3 * b + i] += pl_lanes_sum(f[i]);
  }
}

/* T[9 c + 3 r + j] = sum_l H_(rj)(cl) g_l of one block, in all batches. */
PL_INLINE void prepare_column(tile *at, int b)
{
  for (int t = 0; t < at->count; t++) {
    // a copy that stores to T cannot reach
    const pl_lanes *from = at->g[t] + 3 * b, g[3] = {from[0], from[1], from[2]};
    for (int rj = 0; rj < 9; rj++) {
      const pl_lanes *H = at->H[t] + 9 * rj;
      for (int c = 0; c < 3; c++) at->T[t][9 * c + rj] = pl_lanes_dot3(H + 3 * c, g);
    }
  }
}

/* sums += those of size numbers over the batches. */
PL_INLINE void add_even(const pl_lanes *from, const int size, int count, double *sums)
{
  for (int first = 0; first < size; first += 9) {
    pl_lanes sum[9];
    memcpy(sum, from + first, sizeof sum);
    for (int t = 1; t < count; t++) {
      for (int e = 0; e < 9; e++) sum[e] += from[t * size + first + e];
    }
    pl_lanes_add_sums(sum, 9, sums + first);
  }
}

/* K_a += part of the prepared column of batch t times g_a, for count blocks from the first on; what
 * all are multiplied by stays in registers. */
PL_INLINE void add_column(const tile *at, int t, int part, int first, int count, pl_lanes *K)
{
  for (int row = 0; row < 9; row += 3) {
    const pl_part *from = (const pl_part *)(at->T[t] + 3 * row) + part;
    const pl_part *g = (const pl_part *)(at->g[t] + 3 * first) + part;
    pl_part *to = (pl_part *)(K + row) + part, T[9];
    for (int e = 0; e < 9; e++) T[e] = from[PL_PARTS * e];
    for (int a = 0; a < count; a++, g += 3 * PL_PARTS, to += 9 * PL_PARTS) {
      pl_part g0 = g[0], g1 = g[PL_PARTS], g2 = g[2 * PL_PARTS];
      for (int e = 0; e < 3; e++)
        to[PL_PARTS * e] = to[PL_PARTS * e] + g0 * T[3 * e] + g1 * T[3 * e + 1] + g2 * T[3 * e + 2];
    }
  }
}

static void add_stiffness(tile *at, int blocks, double *sums)
{
  pl_lanes K[9 * STRIP];
  for (int b = 0; b < blocks; b++) {
    prepare_column(at, b);
    for (int first = 0; first <= b; first += STRIP) {
      int count = b + 1 - first < STRIP ? b + 1 - first : STRIP;
      memset(K, 0, 9 * (size_t)count * sizeof *K);
      for (int t = 0; t < at->count; t++) {
        for (int part = 0; part < PL_PARTS; part++) add_column(at, t, part, first, count, K);
      }
      for (int a = 0; a < count; a++, sums += 9) pl_lanes_add_sums(K + 9 * a, 9, sums);
    }
    if (at->even) add_even(at->T[0], 27, at->count, at->even + 27 * b);
  }
  if (at->even) add_even(at->H[0], 81, at->count, at->even + 27 * blocks);
}

/* The last frame's part of the stiffness: the pairs from the moved blocks on. Lanes are its four
 * blocks. */
static void complete(const pl_frames *frames, const pl_frames_chunk *chunk, double *K)
{
  int moved = chunk->moved;
  const double *even = K + 9 * pl_pair(0, chunk->blocks), *H = even + 27 * moved;
  const pl_frame *last = &frames->frames[chunk->block[moved] / PL_LANES];
  pl_lanes own[4][9], s[3], share[4 * PL_MOST_FRAMES];
  for (int j = 0; j < 12; j++) s[j / 4][j % 4] = last->slope[j % 4][j / 4];
  for (int b = 0; b < moved; b++) {
    const double *X = frames->rest_blocks + 3 * chunk->block[b];
    share[b] = pl_lanes_all(0.25);
    for (int j = 0; j < 3; j++) share[b] += (X[j] - last->centre[j]) * s[j];
  }
  for (int k = 0; k < 4; k++) {
    const double *n = last->slope[k];
    for (int e = 0; e < 9; e++) {
      // row 3 r + j, column 3 c + l of H, for the entry 3 c + r
      int c = e / 3, r = e % 3;
      own[k][e] = pl_lanes_all(0);
      for (int jl = 0; jl < 9; jl++)
        own[k][e] += n[jl / 3] * H[9 * (3 * r + jl / 3) + 3 * c + jl % 3] * s[jl % 3];
    }
  }
  for (int a = 0; a < moved; a++, even += 27) {
    pl_lanes across[9];
    for (int e = 0; e < 9; e++) {
      const double *from = even + 9 * (e % 3) + 3 * (e / 3);
      across[e] = from[0] * s[0] + from[1] * s[1] + from[2] * s[2];
    }
    for (int b = 0; b < moved; b++) {
      const double *pair = K + 9 * (a <= b ? pl_pair(a, b) : pl_pair(b, a));
      for (int e = 0; e < 9; e++) across[e] -= share[b] * pair[a <= b ? e : 3 * (e % 3) + e / 3];
    }
    for (int k = 0; k < 4; k++) {
      const double *n = last->slope[k];
      for (int e = 0; e < 9; e++) {
        double evenly = n[0] * even[3 * e] + n[1] * even[3 * e + 1] + n[2] * even[3 * e + 2];
        own[k][e] -= share[a] * evenly + share[a][k] * across[e];
        K[9 * pl_pair(a, moved + k) + (size_t)e] = across[e][k];
      }
    }
  }
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 9 * (k + 1); i++)
      K[9 * pl_pair(0, moved + k) + 9 * (size_t)moved + (size_t)i] = own[i / 9][i % 9][k];
  }
}

static void evaluate(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  int blocks = chunk->blocks;
  double edges[3 * MOST_BLOCKS], rates[3 * MOST_BLOCKS];
  double *forces = frames->sums + chunk->sums, *stiffness = forces + 3 * blocks;
  const pl_group *group = pl_group_at(&frames->field.groups, chunk->first);
  pl_point point = pl_point_of(group, job->v != NULL);
  const int matrix = job->tangent.A != NULL, semidefinite = job->tangent.semidefinite;
  memset(forces, 0, (size_t)(3 * blocks) * sizeof *forces);
  if (matrix) memset(stiffness, 0, pl_frames_sums(chunk) * sizeof *stiffness);
  gather_edges(chunk, job->q, edges);
  if (point.viscous) gather_edges(chunk, job->v, rates);

  tile at;
  pl_lanes H[TILE][81], T[TILE][27];
  at.H = H, at.T = T;
  at.even = chunk->moved < blocks ? stiffness + 9 * pl_pair(0, blocks) : NULL;
  for (int first = chunk->first; first < chunk->last; first += TILE) {
    at.count = chunk->last - first < TILE ? chunk->last - first : TILE;
    for (int t = 0; t < at.count; t++) {
      const pl_lanes *rest = batch_rest(frames, chunk, first + t), weight = rest[0];
      at.g[t] = rest + 1;
      pl_point_take(group, first + t, &point);
      pl_point_recall(group, 1, first + t, 0, &point);
      gradient(edges, at.g[t], blocks, point.F);
      if (point.viscous) gradient(rates, at.g[t], blocks, point.rate);
      if (matrix)
        group->points->tangent(&point, job->tangent.kq, job->tangent.kv, semidefinite, at.P[t],
                               at.H[t]);
      else
        group->points->stress(&point, at.P[t], NULL);
      for (int i = 0; i < 9; i++) at.P[t][i] *= weight;
      for (int i = 0; matrix && i < 81; i++) at.H[t][i] *= weight;
    }
    add_forces(&at, blocks, forces);
    if (matrix) add_stiffness(&at, chunk->moved, stiffness);
  }
  if (matrix && at.even) complete(frames, chunk, stiffness);
}

static double energy(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  double edges[3 * MOST_BLOCKS];
  pl_lanes sum = pl_lanes_all(0), W;
  const pl_group *group = pl_group_at(&frames->field.groups, chunk->first);
  pl_point point = pl_point_of(group, 0);
  gather_edges(chunk, job->q, edges);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    const pl_lanes *rest = batch_rest(frames, chunk, batch);
    gradient(edges, rest + 1, chunk->blocks, point.F);
    pl_point_take(group, batch, &point);
    pl_point_recall(group, 1, batch, 0, &point);
    group->points->stress(&point, NULL, &W);
    sum += rest[0] * W;
  }
  return pl_lanes_sum(sum);
}

/* Von Mises stress and det F of each sample, or strain and energy density. */
static void fields(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  double edges[3 * MOST_BLOCKS];
  const pl_group *group = pl_group_at(&frames->field.groups, chunk->first);
  pl_point point = pl_point_of(group, 0);
  gather_edges(chunk, job->q, edges);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    gradient(edges, batch_rest(frames, chunk, batch) + 1, chunk->blocks, point.F);
    pl_sample_tell(&frames->field, group, batch, job->stress, job->strains, job->component, &point);
  }
}

/* Moves the memory of all samples on to where they are now. */
static void advance(const pl_frames_job *job, const pl_frames_chunk *chunk)
{
  const pl_frames *frames = job->frames;
  double edges[3 * MOST_BLOCKS];
  const pl_group *group = pl_group_at(&frames->field.groups, chunk->first);
  pl_point point = pl_point_of(group, 0);
  if (!group->memory) return;
  gather_edges(chunk, job->q, edges);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    gradient(edges, batch_rest(frames, chunk, batch) + 1, chunk->blocks, point.F);
    pl_point_take(group, batch, &point);
    pl_group_advance(&frames->field.groups, group, batch, 0, job->h, &point, job->memory);
  }
}

const pl_frames_kernel PL_VARIANT(pl_frames_kernels) = {evaluate, energy, fields, advance};
