/* The sample loop of rigid frames, four samples at once: deformation, its derivative by the motion
 * of every frame, forces and stiffness (Gilles, Bousquet, Faure, Pai 2011, eqs. 7-12).
 *
 * With b = sum w_i s_i, c_i = b^-1 s_i and C_l = sum_i g_il c_i (g: gradient of w) the deformation
 * without the blended rotation is U e_l = e_l + D(C_l), D(c) = 2 (vec dual c + vec real c x X); a
 * twist e of frame i, seen in the blended frame, changes it by D(e c_i (g_il - w_i C_l) / 2). Laws
 * do not see rotations, so that stress and tangent are taken at U:
 *
 *   f_ia = - sum V P : dU_ia       K_ia,jb = sum V (dU_ia : H : dU_jb + P : d2U_ia,jb)
 *
 * The second derivatives are P : d2U_ia,jb = - w_j/2 n_i . X_jb X_ia - w_i/2 n_j . X_ia X_jb (and
 * for i = j what the frame's own turning adds), with X_ia = e c_i and covectors n_i of P. The
 * paper's stiffness leaves them out and, in terms of Green's strain, is sum V B_i^T H B_j.
 *
 * Linear blending: F = sum_i (w_i R_i + x_i g_i^T), everything in world axes. */
#include "model/lanes_stress.h"
#include "model/rigid.h"

#define PL_NUMBER     pl_lanes
#define PL_NAME(name) pl_lanes_quat_##name
#include "math/dual_any.h"

/* Four samples and what their frames make of them. */
typedef struct spot {
  const pl_rigid *rigid;
  const pl_rigid_chunk *chunk;
  int batch;
  pl_lanes volume, X[3];
  const pl_lanes *blend; /* w, g[3] per frame */
  pl_lanes F[9];         /* or U */
  // dual quaternions: the blended motion, b^-1 s_i, and their sums with the gradients
  pl_lanes R[9], t[3], c[PL_MOST_FRAMES][8], C[3][8];
} spot;

static const pl_pose *pose_of(const spot *at, int i)
{
  return &at->rigid->poses[at->chunk->frame[i]];
}

PL_INLINE void blend_dual(spot *at)
{
  pl_lanes b[8], inverse[8], s[8];
  for (int k = 0; k < 8; k++) b[k] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *from = pose_of(at, i)->s;
    for (int k = 0; k < 8; k++) b[k] += from[k] * at->blend[4 * i];
  }
  pl_lanes_quat_dual_inverse(b, inverse);
  pl_lanes_quat_dual_motion(b, at->R, at->t);
  for (int l = 0; l < 24; l++) at->C[l / 8][l % 8] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *from = pose_of(at, i)->s;
    for (int k = 0; k < 8; k++) s[k] = pl_lanes_all(from[k]);
    pl_lanes_quat_dual_multiply(inverse, s, at->c[i]);
    for (int l = 0; l < 3; l++) {
      pl_lanes g = at->blend[4 * i + 1 + l];
      for (int k = 0; k < 8; k++) at->C[l][k] += g * at->c[i][k];
    }
  }
  for (int l = 0; l < 3; l++) {
    pl_lanes turned[3];
    pl_lanes_cross3(at->C[l], at->X, turned);
    for (int r = 0; r < 3; r++)
      at->F[3 * r + l] = (double)(r == l) + 2.0 * (at->C[l][4 + r] + turned[r]);
  }
}

/* w R + (x - t) g^T of one frame; x - t in arm. */
PL_INLINE void lever(const spot *at, int i, pl_lanes *M, pl_lanes *arm)
{
  const pl_pose *pose = pose_of(at, i);
  const pl_lanes *blend = at->blend + 4 * i;
  for (int r = 0; r < 3; r++) {
    const double *R = pose->R + 3 * r;
    arm[r] = R[0] * (at->X[0] - pose->C[0]) + R[1] * (at->X[1] - pose->C[1]) +
             R[2] * (at->X[2] - pose->C[2]);
    for (int l = 0; l < 3; l++) M[3 * r + l] = R[l] * blend[0] + arm[r] * blend[1 + l];
  }
}

PL_INLINE void blend_linear(spot *at)
{
  for (int k = 0; k < 9; k++) at->F[k] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *t = pose_of(at, i)->t;
    pl_lanes M[9], arm[3];
    lever(at, i, M, arm);
    for (int k = 0; k < 9; k++) at->F[k] += M[k] + t[k / 3] * at->blend[4 * i + 1 + k % 3];
  }
}

static void look_at(spot *at, int batch)
{
  size_t size = 4 + 4 * (size_t)at->chunk->frames;
  const pl_lanes *rest =
      at->rigid->rest + at->chunk->rest + size * (size_t)(batch - at->chunk->first);
  at->batch = batch;
  at->volume = rest[0];
  for (int k = 0; k < 3; k++) at->X[k] = rest[1 + k];
  at->blend = rest + 4;
  if (at->rigid->blend == PL_BLEND_DUAL)
    blend_dual(at);
  else
    blend_linear(at);
}

/* ---- derivatives ---- */

/* Components of the strain xx yy zz 2xy 2yz 2zx for a change d of F. */
PL_INLINE void strain_of(const pl_lanes *F, const pl_lanes *d, pl_lanes *out)
{
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    out[a] = F[a] * d[a] + F[3 + a] * d[3 + a] + F[6 + a] * d[6 + a];
    out[3 + a] = F[a] * d[b] + F[3 + a] * d[3 + b] + F[6 + a] * d[6 + b] + F[b] * d[a] +
                 F[3 + b] * d[3 + a] + F[6 + b] * d[6 + a];
  }
}

/* vec(e_k y) of a quaternion y. */
PL_INLINE void unit_times(int k, const pl_lanes *y, pl_lanes *out)
{
  int a = (k + 1) % 3, b = (k + 2) % 3;
  out[k] = y[3];
  out[a] = -y[b];
  out[b] = y[a];
}

/* Changes of U by the frame's six motions in the blended frame's axes. */
PL_INLINE void columns_inside(const spot *at, int i, pl_lanes local[6][9])
{
  const pl_lanes *blend = at->blend + 4 * i;
  for (int l = 0; l < 3; l++) {
    pl_lanes half[8], y[8];
    for (int k = 0; k < 8; k++) half[k] = -blend[0] * at->C[l][k];
    half[3] += blend[1 + l];
    pl_lanes_quat_dual_multiply(at->c[i], half, y);
    for (int k = 0; k < 3; k++) {
      pl_lanes shift[3], turn[3], across[3];
      unit_times(k, y, shift);
      unit_times(k, y + 4, turn);
      pl_lanes_cross3(shift, at->X, across);
      for (int r = 0; r < 3; r++) {
        local[k][3 * r + l] = turn[r] + across[r];
        local[3 + k][3 * r + l] = shift[r];
      }
    }
  }
}

/* From motions in the blended frame's axes to [turn, shift] of the frame in world axes. */
PL_INLINE void turn_columns(const spot *at, int i, int m, pl_lanes local[6][9], pl_lanes out[6][9])
{
  const double *t = pose_of(at, i)->t;
  pl_lanes r[3] = {at->t[0] - t[0], at->t[1] - t[1], at->t[2] - t[2]};
  for (int k = 0; k < 3; k++) {
    const pl_lanes *R = at->R + 3 * k;
    for (int e = 0; e < m; e++)
      out[3 + k][e] = R[0] * local[3][e] + R[1] * local[4][e] + R[2] * local[5][e];
  }
  for (int k = 0; k < 3; k++) {
    const pl_lanes *R = at->R + 3 * k;
    int a = (k + 1) % 3, b = (k + 2) % 3;
    for (int e = 0; e < m; e++)
      out[k][e] = R[0] * local[0][e] + R[1] * local[1][e] + R[2] * local[2][e] -
                  r[b] * out[3 + a][e] + r[a] * out[3 + b][e];
  }
}

PL_INLINE void columns_linear(const spot *at, int i, pl_lanes out[6][9])
{
  pl_lanes M[9], arm[3];
  lever(at, i, M, arm);
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    for (int l = 0; l < 3; l++) {
      out[k][3 * k + l] = pl_lanes_all(0);
      out[k][3 * a + l] = -M[3 * b + l];
      out[k][3 * b + l] = M[3 * a + l];
      out[3 + k][3 * k + l] = at->blend[4 * i + 1 + l];
      out[3 + k][3 * a + l] = out[3 + k][3 * b + l] = pl_lanes_all(0);
    }
  }
}

/* How F (or the strain) changes with the frame. */
PL_INLINE void columns_of(const spot *at, int i, int strain, pl_lanes out[6][9])
{
  pl_lanes local[6][9];
  if (at->rigid->blend == PL_BLEND_LINEAR) {
    columns_linear(at, i, local);
    for (int k = 0; k < 6; k++) {
      if (strain)
        strain_of(at->F, local[k], out[k]);
      else
        memcpy(out[k], local[k], sizeof local[k]);
    }
    return;
  }
  columns_inside(at, i, local);
  for (int k = 0; strain && k < 6; k++) {
    pl_lanes d[9];
    memcpy(d, local[k], sizeof d);
    strain_of(at->F, d, local[k]);
  }
  if (strain)
    turn_columns(at, i, 6, local, out);
  else
    turn_columns(at, i, 9, local, out);
}

/* ---- second derivatives ---- */

/* For dual quaternions: X_ia, and n_i. */
typedef struct curve {
  pl_lanes X[PL_MOST_FRAMES][6][8], n[PL_MOST_FRAMES][8];
} curve;

PL_INLINE void conjugate_of(const pl_lanes *a, pl_lanes *out)
{
  for (int k = 0; k < 3; k++) out[k] = -a[k];
  out[3] = a[3];
}

/* l of one frame: P : dU = sum_j l_j . dc_j. */
PL_INLINE void covector(const spot *at, int i, const pl_lanes *P, pl_lanes *out)
{
  pl_lanes a[3];
  pl_lanes_mat3_apply(P, at->blend + 4 * i + 1, a);
  pl_lanes_cross3(at->X, a, out);
  for (int k = 0; k < 3; k++) {
    out[k] = 2.0 * out[k];
    out[4 + k] = 2.0 * a[k];
  }
  out[3] = out[7] = pl_lanes_all(0);
}

static void curve_at(const spot *at, const pl_lanes *P, curve *to)
{
  pl_lanes sum[8], other[4], bar[8];
  for (int k = 0; k < 8; k++) sum[k] = pl_lanes_all(0);
  // what a common factor does: sum_j l_j . (Z c_j) = sum . Z
  for (int i = 0; i < at->chunk->frames; i++) {
    pl_lanes *l = to->n[i], part[4];
    covector(at, i, P, l);
    conjugate_of(at->c[i], bar);
    conjugate_of(at->c[i] + 4, bar + 4);
    pl_lanes_quat_multiply(l, bar, part);
    pl_lanes_quat_multiply(l + 4, bar + 4, other);
    for (int k = 0; k < 4; k++) sum[k] += part[k] + other[k];
    pl_lanes_quat_multiply(l + 4, bar, part);
    for (int k = 0; k < 4; k++) sum[4 + k] += part[k];
  }
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *t = pose_of(at, i)->t;
    pl_lanes r[3] = {at->t[0] - t[0], at->t[1] - t[1], at->t[2] - t[2]}, twist[8], *n = to->n[i];
    for (int k = 0; k < 8; k++) n[k] = 0.5 * (n[k] - at->blend[4 * i] * sum[k]);
    twist[3] = twist[7] = pl_lanes_all(0);
    for (int k = 0; k < 6; k++) {
      pl_lanes speed[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
      int a = (k + 1) % 3, b = (k + 2) % 3;
      for (int e = 0; e < 3; e++) twist[e] = k < 3 ? at->R[3 * k + e] : pl_lanes_all(0);
      if (k < 3) {
        speed[a] = -r[b];
        speed[b] = r[a];
      } else {
        speed[k - 3] = pl_lanes_all(1);
      }
      pl_lanes_mat3_apply_t(at->R, speed, twist + 4);
      pl_lanes_quat_dual_multiply(twist, at->c[i], to->X[i][k]);
    }
  }
}

/* K += factor n_i . (X_jb X_ia) for all a and b; turned: K_ba. */
static void add_products(const curve *of, int i, int j, pl_lanes factor, int turned, pl_lanes *K)
{
  const pl_lanes *n = of->n[i];
  for (int b = 0; b < 6; b++) {
    pl_lanes bar[8], m[8], other[4];
    conjugate_of(of->X[j][b], bar);
    conjugate_of(of->X[j][b] + 4, bar + 4);
    pl_lanes_quat_multiply(bar, n, m);
    pl_lanes_quat_multiply(bar + 4, n + 4, other);
    for (int k = 0; k < 4; k++) m[k] += other[k];
    pl_lanes_quat_multiply(bar, n + 4, m + 4);
    for (int a = 0; a < 6; a++) {
      const pl_lanes *X = of->X[i][a];
      pl_lanes dot = m[0] * X[0] + m[1] * X[1] + m[2] * X[2] + m[3] * X[3] + m[4] * X[4] +
                     m[5] * X[5] + m[6] * X[6] + m[7] * X[7];
      K[turned ? 6 * b + a : 6 * a + b] += factor * dot;
    }
  }
}

/* What the turning of the frame itself adds. */
static void add_own(const spot *at, const curve *of, int i, pl_lanes scale, pl_lanes *K)
{
  const pl_lanes *n = of->n[i], *c = at->c[i];
  pl_lanes both = pl_lanes_all(0), real = pl_lanes_all(0), bar[4], product[4], y[3];
  for (int k = 0; k < 8; k++) both += n[k] * c[k];
  for (int k = 0; k < 4; k++) real += n[4 + k] * c[k];
  conjugate_of(c, bar);
  pl_lanes_quat_multiply(n + 4, bar, product);
  pl_lanes_mat3_apply(at->R, product, y);
  for (int a = 0; a < 3; a++) {
    int p = (a + 1) % 3, q = (a + 2) % 3;
    // two turns about the same axis
    K[7 * a] -= 0.5 * scale * both;
    // a turn e_a and a shift e_b: half (e_b x e_a) . y, and the dual scalar product e_a . e_b
    K[6 * a + 3 + a] -= 0.5 * scale * real;
    K[6 * a + 3 + p] -= 0.5 * scale * y[q];
    K[6 * a + 3 + q] += 0.5 * scale * y[p];
    K[6 * (3 + a) + a] -= 0.5 * scale * real;
    K[6 * (3 + p) + a] -= 0.5 * scale * y[q];
    K[6 * (3 + q) + a] += 0.5 * scale * y[p];
  }
}

/* Linear blending: only turns of the same frame have a second derivative. */
static void add_linear(const spot *at, int i, const pl_lanes *P, pl_lanes scale, pl_lanes *K)
{
  pl_lanes M[9], arm[3], S[9];
  lever(at, i, M, arm);
  pl_lanes_mat3_multiply_nt(P, M, S);
  pl_lanes trace = S[0] + S[4] + S[8];
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++)
      K[6 * a + b] += scale * (0.5 * (S[3 * a + b] + S[3 * b + a]) - (double)(a == b) * trace);
  }
}

static void add_curvature(const spot *at, const pl_lanes *P, double kq, pl_lanes *K)
{
  pl_lanes scale = kq * at->volume;
  int frames = at->chunk->frames;
  if (at->rigid->blend == PL_BLEND_LINEAR) {
    for (int i = 0; i < frames; i++) add_linear(at, i, P, scale, K + 36 * pl_pair(i, i));
    return;
  }
  curve of;
  curve_at(at, P, &of);
  for (int j = 0; j < frames; j++) {
    for (int i = 0; i <= j; i++) {
      pl_lanes *block = K + 36 * pl_pair(i, j);
      add_products(&of, i, j, -0.5 * scale * at->blend[4 * j], 0, block);
      add_products(&of, j, i, -0.5 * scale * at->blend[4 * i], 1, block);
    }
    add_own(at, &of, j, scale, K + 36 * pl_pair(j, j));
  }
}

/* ---- forces and stiffness ---- */

PL_INLINE void rate_of(const spot *at, pl_lanes columns[][6][9], int m, pl_lanes *rate)
{
  for (int e = 0; e < m; e++) rate[e] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *velocity = pose_of(at, i)->velocity;
    for (int k = 0; k < 6; k++) {
      for (int e = 0; e < m; e++) rate[e] += velocity[k] * columns[i][k][e];
    }
  }
}

/* sums += forces; K += columns_i . T_j for all pairs, with T = H columns. */
PL_INLINE void add_forces(const spot *at, pl_lanes columns[][6][9], int m, const pl_lanes *P,
                          pl_lanes *sums)
{
  for (int i = 0; i < at->chunk->frames; i++) {
    for (int k = 0; k < 6; k++) {
      pl_lanes work = P[0] * columns[i][k][0];
      for (int e = 1; e < m; e++) work += P[e] * columns[i][k][e];
      sums[6 * i + k] -= at->volume * work;
    }
  }
}

PL_INLINE void add_pair(pl_lanes columns[6][9], pl_lanes T[6][9], int m, pl_lanes *K)
{
  for (int a = 0; a < 6; a++) {
    for (int b = 0; b < 6; b++) {
      pl_lanes sum = columns[a][0] * T[b][0];
      for (int e = 1; e < m; e++) sum += columns[a][e] * T[b][e];
      K[6 * a + b] += sum;
    }
  }
}

/* The same with itself: the upper triangle, doubled off the diagonal; the sums are made symmetric
 * later. */
PL_INLINE void add_square(pl_lanes columns[6][9], int m, pl_lanes *K)
{
  for (int a = 0; a < 6; a++) {
    for (int b = a; b < 6; b++) {
      pl_lanes sum = columns[a][0] * columns[b][0];
      for (int e = 1; e < m; e++) sum += columns[a][e] * columns[b][e];
      K[6 * a + b] += a == b ? sum : 2.0 * sum;
    }
  }
}

PL_INLINE pl_point start_point(const pl_rigid *rigid, int viscous)
{
  pl_point point;
  point.lambda = pl_lanes_all(rigid->lambda);
  point.mu = pl_lanes_all(rigid->mu);
  point.ratio = pl_lanes_all(rigid->ratio);
  point.strain = rigid->strain;
  point.viscous = viscous;
  point.viscous_lambda = pl_lanes_all(rigid->viscous_lambda);
  point.viscous_mu = pl_lanes_all(rigid->viscous_mu);
  return point;
}

/* Any law. */
static void add_batch(const pl_rigid_job *job, const spot *at, pl_lanes columns[][6][9],
                      pl_lanes *sums, pl_lanes *K)
{
  const pl_rigid *rigid = at->rigid;
  pl_point point = start_point(rigid, job->viscous);
  pl_lanes P[9], H[81], T[6][9];
  memcpy(point.F, at->F, sizeof point.F);
  pl_sample_moduli(&rigid->field, at->batch, &point);
  for (int i = 0; i < at->chunk->frames; i++) columns_of(at, i, 0, columns[i]);
  if (job->viscous) rate_of(at, columns, 9, point.rate);
  if (!job->matrix) {
    rigid->law->stress(&point, P, NULL);
    add_forces(at, columns, 9, P, sums);
    return;
  }
  int part = job->semidefinite || rigid->approximate;
  rigid->law->tangent(&point, job->kq, job->kv, part, P, H);
  add_forces(at, columns, 9, P, sums);
  for (int j = 0; j < at->chunk->frames; j++) {
    for (int b = 0; b < 6; b++) {
      for (int r = 0; r < 9; r++) {
        pl_lanes sum = H[9 * r] * columns[j][b][0];
        for (int e = 1; e < 9; e++) sum += H[9 * r + e] * columns[j][b][e];
        T[b][r] = at->volume * sum;
      }
    }
    for (int i = 0; i <= j; i++) add_pair(columns[i], T, 9, K + 36 * pl_pair(i, j));
  }
  if (!part) add_curvature(at, P, job->kq, K);
}

/* Green's strain with the paper's stiffness: six components instead of nine. */
static void add_green(const pl_rigid_job *job, const spot *at, pl_lanes columns[][6][9],
                      pl_lanes *sums, pl_lanes *K)
{
  const pl_rigid *rigid = at->rigid;
  pl_point point = start_point(rigid, job->viscous);
  pl_lanes E[6], rate[6], S[6];
  pl_sample_moduli(&rigid->field, at->batch, &point);
  strain_of(at->F, at->F, E);
  for (int k = 0; k < 3; k++) E[k] = 0.5 * (E[k] - 1.0), E[3 + k] = 0.5 * E[3 + k];
  for (int i = 0; i < at->chunk->frames; i++) columns_of(at, i, 1, columns[i]);
  pl_lanes trace = point.lambda * (E[0] + E[1] + E[2]);
  for (int k = 0; k < 3; k++) S[k] = trace + 2 * point.mu * E[k], S[3 + k] = point.mu * E[3 + k];
  if (job->viscous) {
    rate_of(at, columns, 6, rate);
    trace = point.viscous_lambda * (rate[0] + rate[1] + rate[2]);
    for (int k = 0; k < 3; k++) {
      S[k] += trace + 2 * point.viscous_mu * rate[k];
      S[3 + k] += point.viscous_mu * rate[3 + k];
    }
  }
  // E holds 2 xy where the strain's tensor has xy; S likewise is the tensor's stress
  add_forces(at, columns, 6, S, sums);
  if (!job->matrix) return;
  double kv = job->viscous ? job->kv : 0;
  pl_lanes lambda = (job->kq * point.lambda + kv * point.viscous_lambda) * at->volume;
  pl_lanes mu = (job->kq * point.mu + kv * point.viscous_mu) * at->volume;
  // H = Q Q with Q = sqrt(2 mu) 1 + c (1 1^T) on the normal components: B^T H B = (Q B)^T (Q B)
  pl_lanes shear = pl_lanes_sqrt(mu), normal = pl_lanes_sqrt(2.0 * mu);
  pl_lanes c = (pl_lanes_sqrt(2.0 * mu + 3.0 * lambda) - normal) / 3.0;
  for (int j = 0; j < at->chunk->frames; j++) {
    for (int b = 0; b < 6; b++) {
      pl_lanes *B = columns[j][b];
      trace = c * (B[0] + B[1] + B[2]);
      for (int k = 0; k < 3; k++) {
        B[k] = trace + normal * B[k];
        B[3 + k] *= shear;
      }
    }
    for (int i = 0; i < j; i++) add_pair(columns[i], columns[j], 6, K + 36 * pl_pair(i, j));
    add_square(columns[j], 6, K + 36 * pl_pair(j, j));
  }
}

static void evaluate(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  const pl_rigid *rigid = job->rigid;
  spot at = {.rigid = rigid, .chunk = chunk};
  pl_lanes columns[PL_MOST_FRAMES][6][9];
  size_t forces = 6 * (size_t)chunk->frames, stiffness = 36 * pl_pair(0, chunk->frames);
  pl_lanes *sums = rigid->sums + chunk->sums, *K = sums + forces;
  memset(sums, 0, (forces + (job->matrix ? stiffness : 0)) * sizeof *sums);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    look_at(&at, batch);
    if (rigid->green && rigid->approximate)
      add_green(job, &at, columns, sums, K);
    else
      add_batch(job, &at, columns, sums, K);
  }
}

static double energy(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  spot at = {.rigid = job->rigid, .chunk = chunk};
  pl_lanes sum = pl_lanes_all(0), W;
  pl_point point = start_point(job->rigid, 0);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    look_at(&at, batch);
    memcpy(point.F, at.F, sizeof point.F);
    pl_sample_moduli(&at.rigid->field, batch, &point);
    job->rigid->law->stress(&point, NULL, &W);
    sum += at.volume * W;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Von Mises stress and det F of each sample, or strain and energy density. */
static void fields(const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  const pl_rigid *rigid = job->rigid;
  spot at = {.rigid = rigid, .chunk = chunk};
  pl_point point = start_point(rigid, 0);
  for (int batch = chunk->first; batch < chunk->last; batch++) {
    pl_lanes P[9], stress = pl_lanes_all(0);
    look_at(&at, batch);
    memcpy(point.F, at.F, sizeof point.F);
    pl_sample_moduli(&at.rigid->field, batch, &point);
    pl_lanes J = pl_lanes_det(point.F);
    if (job->stress) {
      rigid->law->stress(&point, P, NULL);
      stress = pl_lanes_von_mises(point.F, P, J);
    }
    if (job->strains) {
      stress = pl_lanes_equivalent_strain(point.F);
      rigid->law->stress(&point, NULL, &J);
    }
    for (int lane = 0; lane < PL_LANES && PL_LANES * batch + lane < rigid->field.samples; lane++) {
      rigid->sample_stress[PL_LANES * batch + lane] = stress[lane];
      rigid->sample_ratio[PL_LANES * batch + lane] = J[lane];
    }
  }
}

const pl_rigid_kernel PL_VARIANT(pl_rigid_kernels) = {evaluate, energy, fields};
