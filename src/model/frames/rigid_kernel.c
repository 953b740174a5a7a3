/* The sample loop of rigid frames, four samples at once: deformation, its derivative by the motion
 * of every frame, forces and stiffness (Gilles, Bousquet, Faure, Pai 2011, eqs. 7-12).
 *
 * A frame moves by a twist e = [turn, speed of the point at the origin], the same origin for all:
 * then one twist of all frames is a rigid motion, and what the last frame of a chunk feels follows
 * from the others (rigid_frames.c), unless the law sees rotations. With b = sum w_i s_i, c_i = s_i
 * b^-1, C_l = sum_i g_il c_i (g: gradient of w) and D(c) = 2 (vec dual c + vec real c x x)
 *
 *   R U e_l = R e_l + D(C_l)       R dU_ia e_l = D(e_a y_il / 2)       y_il = c_i (g_il - w_i C_l)
 *
 * Laws do not see the blended rotation R: stress and tangent are taken at U and then turned. For
 * the work P : dU_ia = m_i . e_a there is one dual covector m_i = sum_l p_l y_il~ per frame, p_l =
 * (x x P_l, P_l) and ~ the adjoint product; its vector part is the force, and the second
 * derivatives are
 *
 *   P : d2U_ia,jb = - (w_i m_j . (e_a c_i e_b) + w_j m_i . (e_b c_j e_a)) / 2
 *
 * and for i = j what the frame's own turning adds, - (e_a . e_b) m_i / 2. The paper's stiffness
 * leaves them out and, in terms of Green's strain, is sum V B_i^T H B_j.
 *
 * Linear blending: F = sum_i (w_i R_i + x_i g_i^T), everything in world axes. */
#include "math/lanes_parts.h"
#include "model/frames/rigid_spot.h"

/* What a few batches add to the stiffness, kept until all of them do: columns are [turns,
 * shifts][batch, component][axis]. Second derivatives are made of covectors m, of the blended
 * motion's inverse and of weights; those scaled by -V kq / 2. */
enum { TILE = PL_RIGID_TILE };
typedef struct tile {
  int count, components;
  pl_lanes H[TILE][81], inverse[TILE][8], G[TILE][32];
  // per moved frame, and per pair of them
  pl_lanes (*columns)[2][9 * TILE][3], (*m)[TILE][8], (*curved)[8];
} tile;

/* ---- forces and second derivatives ---- */

PL_INLINE void conjugate_of(const pl_lanes *a, pl_lanes *out)
{
  for (int k = 0; k < 3; k++) out[k] = -a[k];
  out[3] = a[3];
}

/* The covector m with m . z = p . (z c) for all z. */
PL_INLINE void adjoint(const pl_lanes *p, const pl_lanes *c, pl_lanes *m)
{
  pl_lanes real[4], dual[4], other[4];
  conjugate_of(c, real);
  conjugate_of(c + 4, dual);
  pl_lanes_quat_multiply(p, real, m);
  pl_lanes_quat_multiply(p + 4, dual, other);
  for (int k = 0; k < 4; k++) m[k] += other[k];
  pl_lanes_quat_multiply(p + 4, real, m + 4);
}

/* Of the stress a on some plane. */
PL_INLINE void covector(const spot *at, const pl_lanes *a, pl_lanes *p)
{
  pl_lanes_cross3(at->x, a, p);
  for (int k = 0; k < 3; k++) p[4 + k] = a[k];
  p[3] = p[7] = pl_lanes_all(0);
}

/* sums -= the work of the turned stress with each moved frame's twists. What the second derivatives
 * need is kept. */
static void push_dual(const spot *at, const pl_lanes *P, double kq, int t, tile *to, pl_lanes *sums)
{
  pl_lanes sum[8], p[8], part[8], scale = -0.5 * kq * at->volume;
  for (int k = 0; k < 8; k++) to->inverse[t][k] = scale * at->inverse[k];
  for (int k = 0; k < 8; k++) sum[k] = pl_lanes_all(0);
  for (int l = 0; l < 3; l++) {
    const pl_lanes plane[3] = {P[l], P[3 + l], P[6 + l]};
    covector(at, plane, p);
    adjoint(p, at->C[l], part);
    for (int k = 0; k < 8; k++) sum[k] += part[k];
  }
  for (int i = 0; i < at->chunk->moved; i++, sums += 6) {
    const pl_lanes *blend = at->blend + 4 * i;
    pl_lanes a[3], *m = to->m[i][t];
    pl_lanes_mat3_apply(P, blend + 1, a);
    covector(at, a, p);
    for (int k = 0; k < 8; k++) p[k] -= blend[0] * sum[k];
    adjoint(p, at->c[i], m);
    for (int k = 0; k < 3; k++) {
      sums[k] -= at->volume * m[k];
      sums[3 + k] -= at->volume * m[4 + k];
    }
  }
}

static void push_linear(const spot *at, const pl_lanes *P, pl_lanes *sums)
{
  for (int i = 0; i < at->chunk->moved; i++, sums += 6) {
    pl_lanes M[9], a[3];
    lever(at, i, M);
    pl_lanes_mat3_apply(P, at->blend + 4 * i + 1, a);
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      pl_lanes turn = pl_lanes_dot3(M + 3 * p, P + 3 * q) - pl_lanes_dot3(M + 3 * q, P + 3 * p);
      sums[k] -= at->volume * turn;
      sums[3 + k] -= at->volume * a[k];
    }
  }
}

/* The products of all components of b^-1 with all of m of a moved frame: real with real plus dual
 * with dual, then real with dual. */
PL_INLINE void multiply_out(tile *of, int j)
{
  for (int t = 0; t < of->count; t++) {
    const pl_lanes *m = of->m[j][t], *b = of->inverse[t];
    for (int k = 0; k < 16; k++) {
      of->G[t][k] = b[k / 4] * m[k % 4] + b[4 + k / 4] * m[4 + k % 4];
      of->G[t][16 + k] = b[k / 4] * m[4 + k % 4];
    }
  }
}

/* Adds these products, w_i times, to the sums of each moved frame i, whose lanes are the components
 * of m. */
static void add_curved(const spot *at, tile *of, int j)
{
  int moved = at->chunk->moved;
  size_t size = 4 + 4 * (size_t)at->chunk->frames;
  const pl_lanes *w = at->blend - size * (size_t)(of->count - 1);
  multiply_out(of, j);
  for (int i = 0; i < moved; i++, w += 4) {
    pl_lanes *to = of->curved[moved * i + j];
    for (int k = 0; k < 32; k += 8, to += 2) {
      pl_lanes sum[8], turned[4];
      for (int e = 0; e < 8; e++) sum[e] = w[0] * of->G[0][k + e];
      for (int t = 1; t < of->count; t++) {
        for (int e = 0; e < 8; e++) sum[e] += w[(size_t)t * size] * of->G[t][k + e];
      }
      for (int half = 0; half < 2; half++) {
        pl_lanes_transpose(sum + 4 * half, turned);
        to[half] += (turned[0] + turned[1]) + (turned[2] + turned[3]);
      }
    }
  }
}

/* One corner of K += N, or its transposed: N_ab = m . (e_a c e_b) from the products O of the
 * components of c with those of m, in their lanes. Any lane of K will do. */
PL_INLINE void add_corner(const pl_lanes *O, int transposed, pl_lanes *K)
{
  double d = O[0][0] + O[1][1] + O[2][2] - O[3][3];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    double s = O[a][b] + O[b][a], r = O[c][3] + O[3][c];
    K[7 * a][0] += d - 2.0 * O[a][a];
    K[6 * a + b][0] += transposed ? -(r + s) : r - s;
    K[6 * b + a][0] += transposed ? r - s : -(r + s);
  }
}

/* The second derivatives from their sums: w_i m_j . (e_a c_i e_b) with c_i = s_i b^-1, of all moved
 * frames i and j. */
static void finish_curved(const spot *at, const tile *of, pl_lanes *K)
{
  int moved = at->chunk->moved;
  for (int ij = 0; ij < moved * moved; ij++) {
    int i = ij / moved, j = ij % moved;
    const pl_lanes *G = of->curved[ij];
    pl_lanes s[8], turns[4], other[4], mixed[4];
    for (int k = 0; k < 8; k++) s[k] = pl_lanes_all(pose_of(at, i)->s[k]);
    pl_lanes_quat_multiply(s, G, turns);
    pl_lanes_quat_multiply(s + 4, G + 4, other);
    pl_lanes_quat_multiply(s, G + 4, mixed);
    for (int k = 0; k < 4; k++) turns[k] += other[k];
    for (int across = i > j; across <= (i >= j); across++) {
      pl_lanes *to = K + 36 * (across ? pl_pair(j, i) : pl_pair(i, j));
      add_corner(turns, across, to);
      add_corner(mixed, across, to + 3);
      add_corner(mixed, across, to + 18);
    }
  }
}

/* Two turns of a frame about the same axis, and a turn with a shift along it. */
static void add_own(const spot *at, double kq, int t, const tile *of, pl_lanes *K)
{
  pl_lanes scale = -0.5 * kq * at->volume;
  for (int i = 0; i < at->chunk->moved; i++) {
    const pl_lanes *m = of->m[i][t];
    pl_lanes *own = K + 36 * pl_pair(i, i);
    for (int a = 0; a < 3; a++) {
      own[7 * a] += scale * m[3];
      own[7 * a + 3] += scale * m[7];
      own[7 * a + 18] += scale * m[7];
    }
  }
}

/* Linear blending: only motions of the same frame have a second derivative. */
static void add_curved_linear(const spot *at, double kq, const pl_lanes *P, pl_lanes *K)
{
  pl_lanes scale = kq * at->volume;
  for (int i = 0; i < at->chunk->moved; i++) {
    pl_lanes M[9], S[9], a[3], *own = K + 36 * pl_pair(i, i);
    lever(at, i, M);
    pl_lanes_mat3_multiply_nt(P, M, S);
    pl_lanes_mat3_apply(P, at->blend + 4 * i + 1, a);
    pl_lanes trace = S[0] + S[4] + S[8];
    for (int p = 0; p < 3; p++) {
      int q = (p + 1) % 3, r = (p + 2) % 3;
      for (int b = 0; b < 3; b++)
        own[6 * p + b] += scale * (0.5 * (S[3 * p + b] + S[3 * b + p]) - (double)(b == p) * trace);
      // half (e_p x e_b) . a for a turn and a shift
      pl_lanes half = 0.5 * scale * a[r];
      own[6 * p + 3 + q] += half;
      own[6 * q + 3 + p] -= half;
      own[6 * (3 + q) + p] += half;
      own[6 * (3 + p) + q] -= half;
    }
  }
}

/* ---- stiffness ---- */

/* K += factor left . right for three rows of each, of n numbers. */
PL_INLINE void add_nine(pl_lanes left[][3], pl_lanes right[][3], int n, double factor, pl_lanes *K)
{
  for (int part = 0; part < PL_PARTS; part++) {
    const pl_part *a = (const pl_part *)left[0] + part, *b = (const pl_part *)right[0] + part;
    pl_part sum[9], *to = (pl_part *)K + part;
    for (int k = 0; k < 9; k++) sum[k] = a[PL_PARTS * (k / 3)] * b[PL_PARTS * (k % 3)];
    for (int e = 1; e < n; e++) {
      a += 3 * PL_PARTS, b += 3 * PL_PARTS;
      pl_part x = a[0], y = a[PL_PARTS], z = a[2 * PL_PARTS];
      for (int k = 0; k < 3; k++) {
        sum[k] += x * b[PL_PARTS * k];
        sum[3 + k] += y * b[PL_PARTS * k];
        sum[6 + k] += z * b[PL_PARTS * k];
      }
    }
    for (int k = 0; k < 9; k++) to[PL_PARTS * (6 * (k / 3) + k % 3)] += factor * sum[k];
  }
}

/* K += columns_i . T_j. Of a symmetric block one corner is left out, and the opposite one doubled;
 * the sums are made symmetric later. */
static void add_pair(pl_lanes columns[2][9 * TILE][3], pl_lanes T[2][9 * TILE][3], int n,
                     int symmetric, pl_lanes *K)
{
  add_nine(columns[0], T[0], n, 1, K);
  add_nine(columns[0], T[1], n, symmetric ? 2 : 1, K + 3);
  if (!symmetric) add_nine(columns[1], T[0], n, 1, K + 18);
  add_nine(columns[1], T[1], n, 1, K + 21);
}

/* Stress and tangent from the axes of U to those of the world: P = R P, H = R H R^T. */
static void turn_law(const pl_lanes *R, pl_lanes *P, pl_lanes *H)
{
  pl_lanes flat[9];
  pl_lanes_mat3_multiply(R, P, flat);
  memcpy(P, flat, sizeof flat);
  for (int side = 0; H && side < 2; side++) {
    // rows, then columns: entry (r l) is at 3 r + l
    int across = side ? 1 : 9, along = side ? 9 : 1;
    for (int l = 0; l < 3; l++) {
      for (int e = 0; e < 9; e++) {
        pl_lanes *at = H + across * l + along * e;
        pl_lanes v[3] = {at[0], at[3 * across], at[6 * across]};
        for (int r = 0; r < 3; r++) at[3 * across * r] = pl_lanes_dot3(R + 3 * r, v);
      }
    }
  }
}

/* Three rows of H times three columns of one frame. */
PL_INLINE void apply_rows(const pl_part *H, const pl_part *x, int components, pl_part *T)
{
  pl_part sum[9];
  for (int k = 0; k < 9; k++) sum[k] = H[PL_PARTS * (k / 3)] * x[PL_PARTS * (k % 3)];
  for (int e = 1; e < components; e++) {
    H += 9 * PL_PARTS, x += 3 * PL_PARTS;
    for (int k = 0; k < 3; k++) {
      sum[k] += H[0] * x[PL_PARTS * k];
      sum[3 + k] += H[PL_PARTS] * x[PL_PARTS * k];
      sum[6 + k] += H[2 * PL_PARTS] * x[PL_PARTS * k];
    }
  }
  for (int k = 0; k < 9; k++) T[PL_PARTS * k] = sum[k];
}

/* The columns of one frame times H. */
static void apply_law(const tile *of, pl_lanes columns[2][9 * TILE][3], pl_lanes T[2][9 * TILE][3])
{
  for (int t = 0; t < of->count; t++) {
    for (int i = 0; i < 2 * PL_PARTS; i++) {
      int shifts = i / PL_PARTS, part = i % PL_PARTS;
      const pl_part *x = (const pl_part *)columns[shifts][9 * t] + part;
      pl_part *to = (pl_part *)T[shifts][9 * t] + part;
      for (int r = 0; r < 9; r += 3)
        apply_rows((const pl_part *)(of->H[t] + r) + part, x, of->components,
                   to + PL_PARTS * 3 * r);
    }
  }
}

static void add_stiffness(const spot *at, tile *of, int curved, pl_lanes *K)
{
  pl_lanes T[2][9 * TILE][3];
  for (int j = 0; j < at->chunk->moved; j++) {
    apply_law(of, of->columns[j], T);
    for (int i = 0; i <= j; i++, K += 36)
      add_pair(of->columns[i], T, of->components * of->count, i == j, K);
    if (curved) add_curved(at, of, j);
  }
}

/* Any law. */
static void add_batch(const pl_rigid_job *job, const spot *at, int t, tile *to, pl_lanes *sums,
                      pl_lanes *K)
{
  const pl_rigid *rigid = at->rigid;
  const pl_group *group = at->group;
  pl_point point = pl_point_of(group, job->moving);
  pl_lanes P[9], *H = job->matrix ? to->H[t] : NULL;
  int part = job->semidefinite ? job->semidefinite : rigid->approximate;
  int dual = rigid->blend == PL_BLEND_DUAL;
  // a law that does not see rotations may as well be asked in the axes of the world
  if (dual && rigid->green)
    pl_lanes_mat3_multiply(at->R, at->F, point.F);
  else
    memcpy(point.F, at->F, sizeof point.F);
  pl_point_take(group, at->batch, &point);
  pl_point_recall(group, 1, at->batch, 0, &point);
  if (point.viscous) rate_of(at, dual && !rigid->green, point.rate);
  if (job->matrix)
    group->points->tangent(&point, job->kq, job->kv, part, P, H);
  else
    group->points->stress(&point, P, NULL);
  if (dual) {
    if (!rigid->green) turn_law(at->R, P, H);
    push_dual(at, P, job->kq, t, to, sums);
  } else {
    push_linear(at, P, sums);
  }
  if (!job->matrix) return;
  for (int k = 0; k < 81; k++) H[k] *= at->volume;
  for (int i = 0; i < at->chunk->moved; i++)
    columns_of(at, i, (places){27 * TILE, 1, 3}, to->columns[i][0][9 * t]);
  if (!part && dual) add_own(at, job->kq, t, to, K);
  if (!part && !dual) add_curved_linear(at, job->kq, P, K);
}

/* Green's strain with the paper's stiffness: six components instead of nine. */
static void add_green(const pl_rigid_job *job, const spot *at, int t, tile *to, pl_lanes *sums)
{
  const pl_rigid *rigid = at->rigid;
  const pl_group *group = at->group;
  pl_point point = pl_point_of(group, job->moving);
  pl_lanes E[6], S[6], F[9];
  pl_point_take(group, at->batch, &point);
  strain_of(at->F, at->F, E);
  for (int k = 0; k < 3; k++) E[k] = 0.5 * (E[k] - 1.0), E[3 + k] = 0.5 * E[3 + k];
  if (rigid->blend == PL_BLEND_DUAL)
    pl_lanes_mat3_multiply(at->R, at->F, F);
  else
    memcpy(F, at->F, sizeof F);
  pl_lanes trace = point.lambda * (E[0] + E[1] + E[2]);
  for (int k = 0; k < 3; k++) S[k] = trace + 2 * point.mu * E[k], S[3 + k] = point.mu * E[3 + k];
  if (point.viscous) {
    pl_lanes D[6], rate[9];
    rate_of(at, 0, rate);
    strain_of(F, rate, D);
    trace = point.viscous_lambda * (D[0] + D[1] + D[2]);
    for (int k = 0; k < 3; k++) {
      S[k] += trace + 2 * point.viscous_mu * D[k];
      S[3 + k] += point.viscous_mu * D[3 + k];
    }
  }
  double kv = point.viscous ? job->kv : 0;
  pl_lanes lambda = (job->kq * point.lambda + kv * point.viscous_lambda) * at->volume;
  pl_lanes mu = (job->kq * point.mu + kv * point.viscous_mu) * at->volume;
  // H = Q Q with Q = sqrt(2 mu) 1 + c (1 1^T) on the normal components: B^T H B = (Q B)^T (Q B)
  pl_lanes shear = pl_lanes_sqrt(mu), normal = pl_lanes_sqrt(2.0 * mu);
  pl_lanes c = (pl_lanes_sqrt(2.0 * mu + 3.0 * lambda) - normal) / 3.0;
  for (int i = 0; i < at->chunk->moved; i++) {
    pl_lanes columns[6][9];
    columns_of(at, i, (places){27, 9, 1}, columns[0]);
    for (int a = 0; a < 6; a++, sums++) {
      // E holds 2 xy where the strain's tensor has xy; S likewise is the tensor's stress
      pl_lanes B[6], *out = to->columns[i][a / 3][6 * t] + a % 3;
      strain_of(F, columns[a], B);
      *sums -= at->volume *
               (S[0] * B[0] + S[1] * B[1] + S[2] * B[2] + S[3] * B[3] + S[4] * B[4] + S[5] * B[5]);
      trace = c * (B[0] + B[1] + B[2]);
      for (int k = 0; k < 3; k++) {
        out[3 * k] = trace + normal * B[k];
        out[9 + 3 * k] = shear * B[3 + k];
      }
    }
  }
}

/* The paper's stiffness of a tile. */
static void add_squares(const spot *at, tile *of, pl_lanes *K)
{
  for (int j = 0; j < at->chunk->moved; j++) {
    for (int i = 0; i <= j; i++, K += 36)
      add_pair(of->columns[i], of->columns[j], of->components * of->count, i == j, K);
  }
}

/* The parts of pl_rigid_room; sums begin at zero. */
static tile tile_in(pl_lanes *room, int moved)
{
  tile some;
  size_t columns = 6 * 9 * TILE * (size_t)moved, covectors = 8 * TILE * (size_t)moved;
  some.columns = (pl_lanes(*)[2][9 * TILE][3]) room;
  some.m = (pl_lanes(*)[TILE][8])(room + columns);
  some.curved = (pl_lanes(*)[8])(room + columns + covectors);
  memset(some.curved, 0, (size_t)(moved * moved) * sizeof *some.curved);
  return some;
}

static void evaluate(const pl_rigid_job *job, const pl_rigid_chunk *chunk, pl_lanes *room)
{
  const pl_rigid *rigid = job->rigid;
  int green = rigid->green && rigid->approximate;
  int curved = !job->semidefinite && !rigid->approximate && rigid->blend == PL_BLEND_DUAL;
  spot at = spot_in(rigid, chunk);
  tile some = tile_in(room, chunk->moved);
  some.components = green ? 6 : 9;
  size_t forces = 6 * (size_t)chunk->moved, stiffness = 36 * pl_pair(0, chunk->moved);
  pl_lanes *sums = rigid->sums + chunk->sums, *K = sums + forces;
  memset(sums, 0, (forces + (job->matrix ? stiffness : 0)) * sizeof *sums);
  for (int first = chunk->first; first < chunk->last; first += TILE) {
    some.count = chunk->last - first < TILE ? chunk->last - first : TILE;
    for (int t = 0; t < some.count; t++) {
      look_at(&at, first + t);
      if (green)
        add_green(job, &at, t, &some, sums);
      else
        add_batch(job, &at, t, &some, sums, K);
    }
    if (!job->matrix) continue;
    if (green)
      add_squares(&at, &some, K);
    else
      add_stiffness(&at, &some, curved, K);
  }
  if (job->matrix && curved) finish_curved(&at, &some, K);
}

static double energy(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  spot at = spot_in(job->rigid, chunk);
  pl_lanes sum = pl_lanes_all(0), W;
  pl_point point = pl_point_of(at.group, 0);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    look_at(&at, batch);
    memcpy(point.F, at.F, sizeof point.F);
    pl_point_take(at.group, batch, &point);
    pl_point_recall(at.group, 1, batch, 0, &point);
    at.group->points->stress(&point, NULL, &W);
    sum += at.volume * W;
  }
  return pl_lanes_sum(sum);
}

/* Von Mises stress and det F of each sample, or strain and energy density. */
static void fields(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  const pl_rigid *rigid = job->rigid;
  spot at = spot_in(rigid, chunk);
  pl_point point = pl_point_of(at.group, 0);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    look_at(&at, batch);
    memcpy(point.F, at.F, sizeof point.F);
    pl_sample_tell(&rigid->field, at.group, batch, job->stress, job->strains, job->component,
                   &point);
  }
}

/* Moves the memory of all samples on to where they are now. */
static void advance(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  spot at = spot_in(job->rigid, chunk);
  pl_point point = pl_point_of(at.group, 0);
  for (int batch = chunk->first; batch < chunk->last && at.group->memory; batch++) {
    look_at(&at, batch);
    memcpy(point.F, at.F, sizeof point.F);
    pl_point_take(at.group, batch, &point);
    pl_group_advance(&job->rigid->field.groups, at.group, batch, 0, job->h, &point, job->memory);
  }
}

const pl_rigid_kernel PL_VARIANT(pl_rigid_kernels) = {evaluate, energy, fields, advance};
