/* The loops over triangles and hinges of cloth, four at once; the formulas stand in cloth.h.
 *
 * Hinge. With e = x1 - x0, a = x2 - x0, b = x3 - x0, N1 = e x a and N2 = b x e:
 *
 *   psi = 2 (N1 x N2 . e/|e|) / (|N1| |N2| + N1 . N2)
 *   g2 = -|e| N1/N1^2,  g3 = -|e| N2/N2^2,  g1 = -t2 g2 - t3 g3,  g0 = -(g1 + g2 + g3)
 *
 * are the gradients of theta, with t2 = a . e/e^2 and t3 = b . e/e^2; psi' = 1 + psi^2/4. Second
 * derivatives follow by differentiating just these. The semidefinite matrix keeps c psi'^2 g g^T
 * (Gauss-Newton) only; that of the membrane leaves out what presses: it takes S without its
 * negative eigenvalues, and for "corotated" holds R and the plane. */
#include "model/cloth/cloth.h"

#include "math/lanes_mat3.h"
#include "model/cloth/cloth_lanes.h"

#include <math.h>

/* ---- membrane ---- */

/* Stress and moduli as functions of Green's strain, 11 22 and shear; energy. */
typedef struct law {
  pl_lanes S[3], D[6], W; /* D: 11 12 22 13 23 33 */
} law;

PL_INLINE void green_law(const pl_lanes *C, const pl_lanes *c, law *out)
{
  pl_lanes E[3] = {0.5 * (c[0] - 1), 0.5 * (c[1] - 1), c[2]};
  out->S[0] = C[0] * E[0] + C[1] * E[1];
  out->S[1] = C[1] * E[0] + C[2] * E[1];
  out->S[2] = C[3] * E[2];
  out->W = 0.5 * pl_lanes_dot3(out->S, E);
  const pl_lanes zero = pl_lanes_all(0), D[6] = {C[0], C[1], C[2], zero, zero, C[3]};
  memcpy(out->D, D, sizeof D);
}

/* J = sqrt(det c) and its derivatives by c11, c22, c12; second ones as 11 12 22 13 23 33. */
PL_INLINE pl_lanes area_ratio(const pl_lanes *c, pl_lanes *J1, pl_lanes *J2)
{
  pl_lanes min = 1e-12 * (c[0] * c[1]) + 1e-300, det = c[0] * c[1] - c[2] * c[2];
  pl_lanes J = pl_lanes_sqrt(pl_lanes_max(det, min));
  pl_lanes r = 1 / J, half = 0.5 * r, r3 = r * r * r;
  J1[0] = half * c[1];
  J1[1] = half * c[0];
  J1[2] = -r * c[2];
  J2[0] = -0.25 * r3 * c[1] * c[1];
  J2[1] = half - 0.25 * r3 * c[0] * c[1];
  J2[2] = -0.25 * r3 * c[0] * c[0];
  J2[3] = 0.5 * r3 * c[1] * c[2];
  J2[4] = 0.5 * r3 * c[0] * c[2];
  J2[5] = -r - r3 * c[2] * c[2];
  return J;
}

/* U as e = U - I (11, 22, twice 12), its first derivatives by c, and what the second ones need. */
typedef struct root {
  pl_lanes s, e[3], U[2], first[3][3]; /* first[k][i]: de_k/dc_i */
  pl_lanes s1[3], s2[6], J1[3], J2[6];
} root;

PL_INLINE void take_root(const pl_lanes *c, root *u)
{
  const pl_lanes J = area_ratio(c, u->J1, u->J2);
  u->s = pl_lanes_sqrt(c[0] + c[1] + 2 * J);
  const pl_lanes r = 1 / u->s;
  for (int k = 0; k < 2; k++) u->U[k] = (c[k] + J) * r;
  u->e[0] = u->U[0] - 1;
  u->e[1] = u->U[1] - 1;
  u->e[2] = 2 * c[2] * r;
  for (int i = 0; i < 3; i++) u->s1[i] = r * (u->J1[i] + (i < 2 ? 0.5 : 0));
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++)
      u->first[k][i] = r * (u->J1[i] + (i == k ? 1 : 0) - u->U[k] * u->s1[i]);
    u->first[2][i] = r * ((i == 2 ? 2 : 0) - u->e[2] * u->s1[i]);
  }
  for (int m = 0; m < 6; m++) {
    static const int I[6] = {0, 0, 1, 0, 1, 2}, K[6] = {0, 1, 1, 2, 2, 2};
    u->s2[m] = r * (u->J2[m] - u->s1[I[m]] * u->s1[K[m]]);
  }
}

/* Second derivative of e_k by c_i and c_j; m: its place among 11 12 22 13 23 33. */
PL_INLINE pl_lanes second(const root *u, int k, int i, int j, int m)
{
  const pl_lanes r = 1 / u->s, whole = k < 2 ? u->U[k] : u->e[2];
  const pl_lanes top = k < 2 ? u->J1[i] + (i == k ? 1 : 0) : pl_lanes_all(i == 2 ? 2 : 0);
  pl_lanes sum = (k < 2 ? u->J2[m] : pl_lanes_all(0)) - r * top * u->s1[j];
  sum -= u->first[k][j] * u->s1[i] + whole * u->s2[m];
  return r * (sum + r * whole * u->s1[i] * u->s1[j]);
}

PL_INLINE void corotated_law(const pl_lanes *C, const pl_lanes *c, int moduli, law *out)
{
  static const int I[6] = {0, 0, 1, 0, 1, 2}, K[6] = {0, 1, 1, 2, 2, 2};
  static const double twice[3] = {2, 2, 1};
  root u;
  take_root(c, &u);
  const pl_lanes T[3] = {C[0] * u.e[0] + C[1] * u.e[1], C[1] * u.e[0] + C[2] * u.e[1],
                         C[3] * u.e[2]};
  out->W = 0.5 * pl_lanes_dot3(T, u.e);
  for (int i = 0; i < 3; i++)
    out->S[i] = twice[i] * (T[0] * u.first[0][i] + T[1] * u.first[1][i] + T[2] * u.first[2][i]);
  for (int m = 0; m < 6 && moduli; m++) {
    const int i = I[m], j = K[m];
    pl_lanes sum = C[0] * u.first[0][i] * u.first[0][j] + C[2] * u.first[1][i] * u.first[1][j] +
                   C[1] * (u.first[0][i] * u.first[1][j] + u.first[1][i] * u.first[0][j]) +
                   C[3] * u.first[2][i] * u.first[2][j];
    for (int k = 0; k < 3; k++) sum += T[k] * second(&u, k, i, j, m);
    out->D[m] = twice[i] * twice[j] * sum;
  }
}

/* Stiffness behind the limit, in parts of C. */
static const double STIFFENING = 100;

/* Adds what a limit of stretches along warp and weft does. */
PL_INLINE void add_limit(const pl_lanes *C, const pl_lanes *c, double limit, law *out)
{
  for (int k = 0; k < 2; k++) {
    pl_lanes l = pl_lanes_sqrt(c[k]), over = pl_lanes_max(l - limit, pl_lanes_all(0));
    pl_lanes stiff = STIFFENING * C[2 * k];
    out->W += 0.5 * stiff * over * over;
    out->S[k] += stiff * over / pl_lanes_max(l, pl_lanes_all(limit));
    out->D[2 * k] += pl_lanes_pick(over > 0, stiff * limit / (l * c[k]), pl_lanes_all(0));
  }
}

/* What curve number k of an item remembers, of so many for each item. */
PL_INLINE const double *past_of(const pl_cloth_job *job, int item, int k, int each)
{
  return job->memory ? job->memory + PL_CURVE_MEMORY * ((size_t)item * (size_t)each + (size_t)k)
                     : NULL;
}

/* Adds measured curves: S_11 = F/l, D_1111 = F'/l^2 - F/l^3, likewise 22; in shear S_12 = F, its
 * slope. The semidefinite matrix takes D_iiii where it is positive. */
PL_INLINE void add_measured(const pl_cloth_job *job, int batch, const pl_lanes *c, law *out)
{
  static const int place[3] = {0, 2, 5};
  for (int i = 0; i < 3 * PL_LANES; i++) {
    const int k = i / PL_LANES, lane = i % PL_LANES, item = PL_LANES * batch + lane;
    const pl_curve *curve = &job->measured->curves[k];
    if (!curve->count || item >= job->items->count) continue;
    const double l = k < 2 ? sqrt(c[k][lane]) : 1, r = 1 / (l > 1e-9 ? l : 1e-9);
    const pl_curve_point at =
        pl_curve_at(curve, past_of(job, item, k, 3), k < 2 ? l - 1 : c[2][lane]);
    double D = k < 2 ? (at.slope - at.force * r) * r * r : at.slope;
    out->W[lane] += at.energy;
    out->S[k][lane] += at.force * r;
    out->D[place[k]][lane] += job->semidefinite && D < 0 ? 0 : D;
  }
}

/* Leaves out the negative eigenvalue(s) of a symmetric 2x2 matrix 11 22 12. */
PL_INLINE void keep_tension(pl_lanes *S)
{
  pl_lanes mean = 0.5 * (S[0] + S[1]), half = 0.5 * (S[0] - S[1]);
  pl_lanes radius = pl_lanes_sqrt(half * half + S[2] * S[2]);
  pl_lanes zero = pl_lanes_all(0), high = pl_lanes_max(mean + radius, zero);
  pl_lanes low = pl_lanes_max(mean - radius, zero);
  pl_lanes scale = pl_lanes_pick(radius > 0, 0.5 * (high - low) / radius, zero);
  mean = 0.5 * (high + low);
  S[0] = mean + scale * half;
  S[1] = mean - scale * half;
  S[2] *= scale;
}

/* What K_ab is made of: columns f1, f2 (of F, or of R), D, S for the term (b_a . S b_b) G. */
typedef struct tangent {
  pl_lanes f[2][3], D[6], S[3], G[9];
} tangent;

PL_INLINE void turn_columns(const pl_lanes *c, pl_lanes (*f)[3])
{
  pl_lanes J1[3], J2[6], J = area_ratio(c, J1, J2), s = pl_lanes_sqrt(c[0] + c[1] + 2 * J);
  // R = F U^-1, U^-1 = ((tr U) I - U) / det U
  pl_lanes U[3] = {(c[0] + J) / s, (c[1] + J) / s, c[2] / s}, r = 1 / J;
  for (int i = 0; i < 3; i++) {
    pl_lanes one = f[0][i], two = f[1][i];
    f[0][i] = r * (one * U[1] - two * U[2]);
    f[1][i] = r * (two * U[0] - one * U[2]);
  }
}

/* The semidefinite matrix. */
PL_INLINE void cut_tangent(const pl_cloth_job *job, const pl_lanes *C, const pl_lanes *c,
                           tangent *t)
{
  keep_tension(t->S);
  if (job->strain != PL_CLOTH_COROTATED) return;
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes D[6] = {C[0], C[1], C[2], zero, zero, C[3]};
  for (int k = 0; k < 2 && job->limit > 0; k++)
    D[2 * k] += pl_lanes_pick(c[k] > job->limit * job->limit, STIFFENING * C[2 * k], zero);
  pl_lanes n[3];
  turn_columns(c, t->f);
  memcpy(t->D, D, sizeof D);
  pl_lanes_cross3(t->f[0], t->f[1], n);
  for (int i = 0; i < 9; i++) t->G[i] = n[i / 3] * n[i % 3];
}

/* K = the block of gradients u and w. */
PL_INLINE void membrane_block(const tangent *t, const pl_lanes *u, const pl_lanes *w, pl_lanes *K)
{
  const pl_lanes *D = t->D, *S = t->S;
  pl_lanes straight = u[0] * w[0], across = u[1] * w[1], up = u[0] * w[1], down = u[1] * w[0];
  pl_lanes shear = D[3] * straight + D[4] * across;
  pl_lanes p11 = D[0] * straight + D[5] * across + D[3] * (up + down);
  pl_lanes p22 = D[2] * across + D[5] * straight + D[4] * (up + down);
  pl_lanes p12 = D[1] * up + D[5] * down + shear, p21 = D[1] * down + D[5] * up + shear;
  pl_lanes s = S[0] * straight + S[1] * across + S[2] * (up + down);
  for (int j = 0; j < 3; j++) {
    pl_lanes one = p11 * t->f[0][j] + p12 * t->f[1][j], two = p21 * t->f[0][j] + p22 * t->f[1][j];
    for (int i = 0; i < 3; i++)
      K[3 * i + j] = t->f[0][i] * one + t->f[1][i] * two + s * t->G[3 * i + j];
  }
}

PL_INLINE void membrane_matrix(const pl_cloth_job *job, const pl_lanes *data, const int *places,
                               const pl_lanes *c, const law *at, pl_lanes (*f)[3])
{
  const pl_lanes *C = data + PL_MEMBRANE_C, *V = data + PL_MEMBRANE_VISCOUS;
  const pl_lanes area = data[PL_MEMBRANE_AREA];
  const pl_lanes kq = job->kq * area, kv = job->v ? job->kv * area : pl_lanes_all(0);
  tangent elastic, viscous;
  memcpy(elastic.f, f, sizeof elastic.f);
  memcpy(elastic.D, at->D, sizeof elastic.D);
  memcpy(elastic.S, at->S, sizeof elastic.S);
  pl_lanes_mat3_identity(elastic.G);
  viscous = elastic;
  if (job->semidefinite) cut_tangent(job, C, c, &elastic);
  for (int i = 0; i < 6; i++) elastic.D[i] *= kq;
  for (int i = 0; i < 3; i++) elastic.S[i] *= kq, viscous.S[i] = pl_lanes_all(0);
  const pl_lanes D[6] = {kv * V[0], kv * V[1], kv * V[2], viscous.S[0], viscous.S[0], kv * V[3]};
  memcpy(viscous.D, D, sizeof D);
  const int moving = job->v && pl_lanes_any(V[3] > 0);
  for (int a = 0; a < 3; a++) {
    for (int b = a + 1; b < 3; b++, places += PL_LANES) {
      pl_lanes K[9], more[9];
      membrane_block(&elastic, data + 2 * a, data + 2 * b, K);
      if (moving) membrane_block(&viscous, data + 2 * a, data + 2 * b, more);
      for (int i = 0; i < 9 && moving; i++) K[i] += more[i];
      add_upper(job->values, places, K);
    }
  }
}

/* F's columns, or their rates. */
PL_INLINE void columns(const double *x, const int *nodes, const pl_lanes *b, pl_lanes (*f)[3])
{
  pl_lanes first[3], other[3];
  gather(x, nodes, first);
  for (int i = 0; i < 3; i++) f[0][i] = f[1][i] = pl_lanes_all(0);
  for (int a = 1; a < 3; a++) {
    gather(x, nodes + PL_LANES * a, other);
    for (int i = 0; i < 3; i++) {
      pl_lanes d = other[i] - first[i];
      f[0][i] += b[2 * a] * d;
      f[1][i] += b[2 * a + 1] * d;
    }
  }
}

PL_INLINE void add_viscous(const pl_cloth_job *job, const int *nodes, const pl_lanes *data,
                           pl_lanes (*f)[3], pl_lanes *S)
{
  const pl_lanes *V = data + PL_MEMBRANE_VISCOUS;
  pl_lanes g[2][3];
  columns(job->v, nodes, data, g);
  pl_lanes rate[2] = {pl_lanes_dot3(f[0], g[0]), pl_lanes_dot3(f[1], g[1])};
  S[0] += V[0] * rate[0] + V[1] * rate[1];
  S[1] += V[1] * rate[0] + V[2] * rate[1];
  S[2] += V[3] * (pl_lanes_dot3(f[0], g[1]) + pl_lanes_dot3(f[1], g[0]));
}

PL_INLINE void membrane_forces(const pl_cloth_job *job, const int *nodes, const pl_lanes *data,
                               const pl_lanes *S, pl_lanes (*f)[3])
{
  const pl_lanes area = data[PL_MEMBRANE_AREA];
  pl_lanes sum[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  for (int a = 1; a < 3; a++) {
    const pl_lanes *b = data + 2 * a;
    pl_lanes one = area * (S[0] * b[0] + S[2] * b[1]), two = area * (S[2] * b[0] + S[1] * b[1]);
    pl_lanes force[3];
    for (int i = 0; i < 3; i++) {
      force[i] = -(one * f[0][i] + two * f[1][i]);
      sum[i] -= force[i];
    }
    scatter(job->f, nodes + PL_LANES * a, force);
  }
  scatter(job->f, nodes, sum);
}

double PL_VARIANT(pl_cloth_membrane)(const pl_cloth_job *job, int first, int last)
{
  const pl_cloth_items *items = job->items;
  pl_lanes energy = pl_lanes_all(0);
  for (int batch = first; batch < last; batch++) {
    const int *nodes = items->nodes + 3 * PL_LANES * (size_t)batch;
    const pl_lanes *data = items->data + PL_MEMBRANE_LANES * (size_t)batch;
    pl_lanes f[2][3];
    law at;
    columns(job->q, nodes, data, f);
    const pl_lanes c[3] = {pl_lanes_dot3(f[0], f[0]), pl_lanes_dot3(f[1], f[1]),
                           pl_lanes_dot3(f[0], f[1])};
    if (job->strain == PL_CLOTH_COROTATED)
      corotated_law(data + PL_MEMBRANE_C, c, job->values && !job->semidefinite, &at);
    else
      green_law(data + PL_MEMBRANE_C, c, &at);
    if (job->limit > 0) add_limit(data + PL_MEMBRANE_C, c, job->limit, &at);
    if (job->measured) add_measured(job, batch, c, &at);
    energy += data[PL_MEMBRANE_AREA] * at.W;
    if (job->values)
      membrane_matrix(job, data, items->places + 3 * PL_LANES * (size_t)batch, c, &at, f);
    if (!job->f) continue;
    if (job->v) add_viscous(job, nodes, data, f, at.S);
    membrane_forces(job, nodes, data, at.S, f);
  }
  return job->wants_energy ? pl_lanes_sum(energy) : 0;
}

/* ---- hinges ---- */

/* One side of a hinge: N = sign (e x a), g of the far node, and its place along the edge. */
typedef struct wing {
  pl_lanes a[3], N[3], square, g[3], t;
} wing;

typedef struct hinge {
  pl_lanes e[3], square, length, psi;
  wing wings[2];
  pl_lanes g[4][3];
} hinge;

PL_INLINE void spread_wing(const hinge *h, const double sign, wing *w)
{
  pl_lanes_cross3(h->e, w->a, w->N);
  for (int i = 0; i < 3; i++) w->N[i] *= sign;
  // a collapsed triangle has no normal: its height counts as 1e-6 of the edge
  w->square = pl_lanes_max(pl_lanes_dot3(w->N, w->N), 1e-12 * h->square * h->square + 1e-300);
  w->t = pl_lanes_dot3(w->a, h->e) / h->square;
  for (int i = 0; i < 3; i++) w->g[i] = -h->length / w->square * w->N[i];
}

PL_INLINE void look_at_hinge(const double *q, const int *nodes, hinge *h)
{
  pl_lanes x[4][3], normal[3];
  for (int k = 0; k < 4; k++) gather(q, nodes + PL_LANES * k, x[k]);
  for (int i = 0; i < 3; i++) {
    h->e[i] = x[1][i] - x[0][i];
    h->wings[0].a[i] = x[2][i] - x[0][i];
    h->wings[1].a[i] = x[3][i] - x[0][i];
  }
  h->square = pl_lanes_max(pl_lanes_dot3(h->e, h->e), pl_lanes_all(1e-300));
  h->length = pl_lanes_sqrt(h->square);
  spread_wing(h, 1, &h->wings[0]);
  spread_wing(h, -1, &h->wings[1]);
  const wing *one = &h->wings[0], *two = &h->wings[1];
  pl_lanes_cross3(one->N, two->N, normal);
  pl_lanes r = pl_lanes_sqrt(one->square) * pl_lanes_sqrt(two->square);
  pl_lanes open = pl_lanes_max(r + pl_lanes_dot3(one->N, two->N), 1e-12 * r);
  h->psi = 2 * pl_lanes_dot3(normal, h->e) / (h->length * open);
  for (int i = 0; i < 3; i++) {
    h->g[2][i] = one->g[i];
    h->g[3][i] = two->g[i];
    h->g[1][i] = -(one->t * one->g[i] + two->t * two->g[i]);
    h->g[0][i] = -(h->g[1][i] + h->g[2][i] + h->g[3][i]);
  }
}

/* Derivatives of a far node's gradient by itself (aa) and by the edge (ae), and what the wing adds
 * to that of the edge's gradient by the edge (ee); all row by row. */
PL_INLINE void bend_wing(const hinge *h, const wing *w, const double sign, pl_lanes *aa,
                         pl_lanes *ae, pl_lanes *ee)
{
  const pl_lanes r = 1 / w->square;
  for (int j = 0; j < 3; j++) {
    // columns of the cross products: dN = sign (e x da - a x de)
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    pl_lanes by_a[3], by_e[3];
    by_a[j] = by_e[j] = pl_lanes_all(0);
    by_a[k] = sign * h->e[l];
    by_a[l] = -sign * h->e[k];
    by_e[k] = -sign * w->a[l];
    by_e[l] = sign * w->a[k];
    const pl_lanes turn_a = 2 * r * pl_lanes_dot3(w->N, by_a);
    const pl_lanes turn_e = 2 * r * pl_lanes_dot3(w->N, by_e) - h->e[j] / h->square;
    const pl_lanes dt = (w->a[j] - 2 * w->t * h->e[j]) / h->square;
    for (int i = 0; i < 3; i++) {
      aa[3 * i + j] = -h->length * r * (by_a[i] - turn_a * w->N[i]);
      ae[3 * i + j] = -h->length * r * (by_e[i] - turn_e * w->N[i]);
      ee[3 * i + j] -= w->g[i] * dt + w->t * ae[3 * i + j];
    }
  }
}

/* H[a][b] of theta for a <= b over the four nodes. */
typedef struct curvature {
  pl_lanes block[4][4][9];
} curvature;

PL_INLINE void bend_hinge(const hinge *h, curvature *H)
{
  pl_lanes ae[2][9];
  for (int i = 0; i < 9; i++) {
    H->block[1][1][i] = H->block[2][3][i] = pl_lanes_all(0);
  }
  bend_wing(h, &h->wings[0], 1, H->block[2][2], ae[0], H->block[1][1]);
  bend_wing(h, &h->wings[1], -1, H->block[3][3], ae[1], H->block[1][1]);
  for (int i = 0; i < 9; i++) {
    const int turned = 3 * (i % 3) + i / 3;
    H->block[1][2][i] = ae[0][turned];
    H->block[1][3][i] = ae[1][turned];
  }
  // rows sum to zero
  for (int i = 0; i < 9; i++) {
    const int turned = 3 * (i % 3) + i / 3;
    H->block[0][1][i] = -(H->block[1][1][i] + H->block[1][2][turned] + H->block[1][3][turned]);
    H->block[0][2][i] = -(H->block[1][2][i] + H->block[2][2][i]);
    H->block[0][3][i] = -(H->block[1][3][i] + H->block[3][3][i]);
  }
  for (int i = 0; i < 9; i++) {
    const int turned = 3 * (i % 3) + i / 3;
    H->block[0][0][i] = -(H->block[0][1][turned] + H->block[0][2][turned] + H->block[0][3][turned]);
  }
}

/* Adds along g g^T + bend H: all of it, or what stands right of the diagonal. */
PL_INLINE void hinge_matrix(const pl_cloth_job *job, const hinge *h, const int *places,
                            pl_lanes along, pl_lanes bend, const int whole)
{
  curvature H;
  const int exact = !job->semidefinite && job->kq != 0;
  if (exact) bend_hinge(h, &H);
  for (int a = 0; a < 4; a++) {
    for (int b = whole ? a : a + 1; b < 4; b++) {
      pl_lanes K[9];
      for (int i = 0; i < 9; i++) {
        K[i] = along * h->g[a][i / 3] * h->g[b][i % 3];
        if (exact) K[i] += bend * H.block[a][b][i];
      }
      if (whole)
        add_block(job->values, places + PL_LANES * (4 * a + b),
                  a == b ? NULL : places + PL_LANES * (4 * b + a), K);
      else
        add_upper(job->values, places, K);
      if (!whole) places += PL_LANES;
    }
  }
}

PL_INLINE pl_lanes turning_rate(const pl_cloth_job *job, const int *nodes, const hinge *h)
{
  pl_lanes rate = pl_lanes_all(0), v[3];
  for (int k = 0; k < 4; k++) {
    gather(job->v, nodes + PL_LANES * k, v);
    rate += pl_lanes_dot3(h->g[k], v);
  }
  return rate;
}

/* dW/dpsi of a hinge, its slope, and its energy. */
typedef struct bent {
  pl_lanes moment, stiffness, energy;
} bent;

PL_INLINE void bend_measured(const pl_cloth_job *job, int batch, const pl_lanes *data, pl_lanes off,
                             bent *out)
{
  for (int lane = 0; lane < PL_LANES; lane++) {
    const int item = PL_LANES * batch + lane;
    if (item >= job->items->count) continue;
    const double area = data[PL_HINGE_AREA][lane], ratio = data[PL_HINGE_K][lane];
    const pl_curve_point at = pl_curve_at(&job->measured->curves[PL_CURVE_BENDING],
                                          past_of(job, item, 0, 1), ratio * off[lane]);
    out->energy[lane] += area * at.energy;
    out->moment[lane] += area * ratio * at.force;
    out->stiffness[lane] += area * ratio * ratio * at.slope;
  }
}

double PL_VARIANT(pl_cloth_hinge)(const pl_cloth_job *job, int first, int last)
{
  const pl_cloth_items *items = job->items;
  pl_lanes energy = pl_lanes_all(0);
  for (int batch = first; batch < last; batch++) {
    const int *nodes = items->nodes + 4 * PL_LANES * (size_t)batch;
    const pl_lanes *data = items->data + PL_HINGE_LANES * (size_t)batch;
    hinge h;
    look_at_hinge(job->q, nodes, &h);
    const pl_lanes off = h.psi - data[PL_HINGE_REST], slope = 1 + 0.25 * h.psi * h.psi;
    const pl_lanes c = data[PL_HINGE_C], viscous = data[PL_HINGE_VISCOUS];
    bent at = {c * off, c, 0.5 * c * off * off};
    if (job->measured && job->measured->curves[PL_CURVE_BENDING].count)
      bend_measured(job, batch, data, off, &at);
    energy += at.energy;
    if (job->values) {
      pl_lanes along = job->kq * at.stiffness * slope * slope;
      if (!job->semidefinite) along += job->kq * 0.5 * at.moment * h.psi * slope;
      if (job->v) along += job->kv * viscous * slope * slope;
      hinge_matrix(job, &h, items->places + 6 * PL_LANES * (size_t)batch, along,
                   job->kq * at.moment * slope, 0);
    }
    if (!job->f) continue;
    pl_lanes moment = at.moment * slope;
    if (job->v) moment += viscous * slope * slope * turning_rate(job, nodes, &h);
    for (int k = 0; k < 4; k++) {
      pl_lanes force[3];
      for (int i = 0; i < 3; i++) force[i] = -moment * h.g[k][i];
      scatter(job->f, nodes + PL_LANES * k, force);
    }
  }
  return job->wants_energy ? pl_lanes_sum(energy) : 0;
}

double PL_VARIANT(pl_cloth_look)(const pl_cloth_job *job, int first, int last)
{
  const pl_cloth_items *items = job->items;
  for (int batch = first; batch < last; batch++) {
    const int *nodes = items->nodes + 4 * PL_LANES * (size_t)batch;
    const pl_lanes *data = items->data + PL_HINGE_LANES * (size_t)batch;
    hinge h;
    look_at_hinge(job->q, nodes, &h);
    const pl_lanes slope = 1 + 0.25 * h.psi * h.psi, off = h.psi - data[PL_HINGE_REST];
    const pl_lanes rate = job->v ? slope * turning_rate(job, nodes, &h) : pl_lanes_all(0);
    for (int lane = 0; lane < PL_LANES; lane++) {
      double *to = job->looks + PL_HINGE_LOOK * (PL_LANES * (size_t)batch + (size_t)lane);
      to[PL_LOOK_OFF] = off[lane];
      to[PL_LOOK_RATE] = rate[lane];
      for (int k = 0; k < 12; k++) to[PL_LOOK_G + k] = slope[lane] * h.g[k / 3][k % 3][lane];
    }
  }
  return 0;
}

double PL_VARIANT(pl_cloth_moments)(const pl_cloth_job *job, int first, int last)
{
  const pl_cloth_items *items = job->items;
  for (int batch = first; batch < last; batch++) {
    const int *nodes = items->nodes + 4 * PL_LANES * (size_t)batch;
    const pl_lanes moment = job->kq * pl_lanes_load(job->moments + PL_LANES * (size_t)batch);
    hinge h;
    look_at_hinge(job->q, nodes, &h);
    const pl_lanes slope = 1 + 0.25 * h.psi * h.psi;
    hinge_matrix(job, &h, items->places + 16 * PL_LANES * (size_t)batch,
                 0.5 * moment * h.psi * slope, moment * slope, 1);
  }
  return 0;
}

/* ---- quadratic bending ---- */

PL_INLINE void curve_of(const double *x, const int *nodes, const pl_lanes *k, pl_lanes *out)
{
  pl_lanes first[3], at[3];
  gather(x, nodes, first);
  for (int i = 0; i < 3; i++) out[i] = pl_lanes_all(0);
  for (int a = 1; a < 4; a++) {
    gather(x, nodes + PL_LANES * a, at);
    for (int i = 0; i < 3; i++) out[i] += k[a] * (at[i] - first[i]);
  }
}

double PL_VARIANT(pl_cloth_quadratic)(const pl_cloth_job *job, int first, int last)
{
  const pl_cloth_items *items = job->items;
  pl_lanes energy = pl_lanes_all(0);
  for (int batch = first; batch < last; batch++) {
    const int *nodes = items->nodes + 4 * PL_LANES * (size_t)batch;
    const int *places = items->places + 6 * PL_LANES * (size_t)batch;
    const pl_lanes *data = items->data + PL_HINGE_LANES * (size_t)batch, *k = data + PL_HINGE_K;
    const pl_lanes c = data[PL_HINGE_C];
    pl_lanes s[3];
    curve_of(job->q, nodes, k, s);
    energy += 0.5 * c * pl_lanes_dot3(s, s);
    for (int ab = 0; ab < 16 && job->values; ab++) {
      if (ab / 4 >= ab % 4) continue;
      pl_lanes entry = job->kq * c * k[ab / 4] * k[ab % 4];
      for (int lane = 0; lane < PL_LANES; lane++, places++) {
        double *to = upper_block(job->values, *places);
        for (int i = 0; i < 9; i += 4) to[i] += entry[lane];
      }
    }
    for (int a = 0; a < 4 && job->f; a++) {
      pl_lanes force[3];
      for (int i = 0; i < 3; i++) force[i] = -k[a] * c * s[i];
      scatter(job->f, nodes + PL_LANES * a, force);
    }
  }
  return job->wants_energy ? pl_lanes_sum(energy) : 0;
}
