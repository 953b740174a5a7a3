/* A joint of a rod: curvatures, twist, and their first and second derivatives (rod.h). */
#include "math/functions.h"
#include "math/vec3.h"
#include "model/rod/rod.h"

#include <math.h>
#include <string.h>

/* 1 + a . b of unit vectors, kept from 0 where they are opposite. */
static double openness(const double a[3], const double b[3])
{
  return fmax(1 + pl_vec3_dot(a, b), 1e-9);
}

void pl_rod_carry(const double a[3], const double b[3], const double v[3], double out[3])
{
  double part = -pl_vec3_dot(b, v) / openness(a, b);
  for (int k = 0; k < 3; k++) out[k] = v[k] + part * (a[k] + b[k]);
}

double pl_rod_angle(const double a[3], const double u[3], const double b[3], const double w[3])
{
  double carried[3], across[3];
  pl_rod_carry(a, b, u, carried);
  pl_vec3_cross(b, carried, across);
  return pl_atan2(pl_vec3_dot(across, w), pl_vec3_dot(carried, w));
}

/* The direction of an edge, half of the binormal to where it was, and its directors. */
static void look_at_edge(pl_rod_look *look, int i, double u[3])
{
  const pl_rod_base *base = &look->base[i];
  double *t = look->t[i], w[3], c = pl_cos(look->theta[i]), s = pl_sin(look->theta[i]);
  look->length[i] = pl_vec3_norm(look->e[i]);
  pl_vec3_scale(1 / look->length[i], look->e[i], t);
  pl_vec3_cross(t, base->direction, look->binormal[i]);
  pl_vec3_scale(1 / openness(base->direction, t), look->binormal[i], look->binormal[i]);
  pl_rod_carry(base->direction, t, base->frame, u);
  pl_vec3_cross(t, u, w);
  for (int k = 0; k < 3; k++) {
    look->frames[i][0][k] = c * u[k] + s * w[k];
    look->frames[i][1][k] = -s * u[k] + c * w[k];
  }
}

/* g by t becomes g by e: its part at right angles to t over the length. */
static void by_edge(const double t[3], double length, const double g[3], double out[3])
{
  double along = pl_vec3_dot(t, g);
  for (int k = 0; k < 3; k++) out[k] = (g[k] - along * t[k]) / length;
}

/* The gradient of kb . y with y held, by t_a and t_b. */
static void kb_slopes(const pl_rod_look *look, const double y[3], double by_a[3], double by_b[3])
{
  const double *a = look->t[0], *b = look->t[1];
  double along = pl_vec3_dot(look->kb, y);
  pl_vec3_cross(b, y, by_a);
  pl_vec3_cross(y, a, by_b);
  for (int k = 0; k < 3; k++) {
    by_a[k] = (2 * by_a[k] - along * b[k]) / look->chi;
    by_b[k] = (2 * by_b[k] - along * a[k]) / look->chi;
  }
}

/* The mean director that a curvature is measured along, with its sign; how fast it grows as the
 * directors of an edge spin. */
static void measure_along(const pl_rod_look *look, int strain, double y[3], double spins[2])
{
  int other = 1 - strain;
  double sign = strain ? -0.5 : 0.5;
  for (int k = 0; k < 3; k++) y[k] = sign * (look->frames[0][other][k] + look->frames[1][other][k]);
  for (int i = 0; i < 2; i++) spins[i] = -0.5 * pl_vec3_dot(look->kb, look->frames[i][strain]);
}

static void set_gradient(pl_rod_look *look, int strain)
{
  double by[2][3], y[3], spins[2] = {-1, 1}, *g = look->gradients[strain];
  if (strain < 2) {
    measure_along(look, strain, y, spins);
    kb_slopes(look, y, by[0], by[1]);
  } else {
    for (int i = 0; i < 2; i++) pl_vec3_scale(0.5, look->kb, by[i]);
  }
  for (int i = 0; i < 2; i++) {
    pl_vec3_add_scaled(spins[i], look->binormal[i], by[i]);
    by_edge(look->t[i], look->length[i], by[i], g + 3 * i);
    g[6 + i] = spins[i];
  }
}

void pl_rod_joint_look(pl_rod_look *look)
{
  double u[2][3], y[3], spins[2];
  for (int i = 0; i < 2; i++) look_at_edge(look, i, u[i]);
  const double *a = look->t[0], *b = look->t[1];
  look->chi = openness(a, b);
  pl_vec3_cross(a, b, look->kb);
  pl_vec3_scale(2 / look->chi, look->kb, look->kb);
  for (int strain = 0; strain < 2; strain++) {
    measure_along(look, strain, y, spins);
    look->strains[strain] = pl_vec3_dot(look->kb, y);
  }
  double turn = pl_rod_angle(a, u[0], b, u[1]);
  turn += 2 * PL_PI * floor((look->turn - turn) / (2 * PL_PI) + 0.5);
  look->strains[2] = look->theta[1] - look->theta[0] + turn;
  for (int strain = 0; strain < 3; strain++) set_gradient(look, strain);
}

/* ---- second derivatives: everything once more, along one unknown ---- */

typedef struct motion {
  double length[2], t[2][3], binormal[2][3], frames[2][2][3], kb[3], chi;
} motion;

/* d(2 a x b / (1 + a . b)) where a stays or moves; half of it for binormals. */
static void move_binormal(const double a[3], const double da[3], const double b[3],
                          const double db[3], const double now[3], double two, double out[3])
{
  double x[3], y[3], chi = openness(a, b), dchi = pl_vec3_dot(da, b) + pl_vec3_dot(a, db);
  pl_vec3_cross(da, b, x);
  pl_vec3_cross(a, db, y);
  for (int k = 0; k < 3; k++) out[k] = (two * (x[k] + y[k]) - dchi * now[k]) / chi;
}

static void move_edge(const pl_rod_look *look, int i, const double de[3], double dtheta, motion *m)
{
  static const double still[3] = {0, 0, 0};
  const double *t = look->t[i], *T = look->base[i].direction;
  m->length[i] = pl_vec3_dot(t, de);
  by_edge(t, look->length[i], de, m->t[i]);
  move_binormal(t, m->t[i], T, still, look->binormal[i], 1, m->binormal[i]);
  double spin = dtheta + pl_vec3_dot(look->binormal[i], m->t[i]);
  for (int d = 0; d < 2; d++) {
    const double *now = look->frames[i][d], *other = look->frames[i][1 - d];
    double along = -pl_vec3_dot(now, m->t[i]), turn = d ? -spin : spin;
    for (int k = 0; k < 3; k++) m->frames[i][d][k] = along * t[k] + turn * other[k];
  }
}

static motion move_along(const pl_rod_look *look, int unknown)
{
  motion m;
  double d[PL_JOINT_UNKNOWNS] = {0};
  d[unknown] = 1;
  for (int i = 0; i < 2; i++) move_edge(look, i, d + 3 * i, d[6 + i], &m);
  m.chi = pl_vec3_dot(m.t[0], look->t[1]) + pl_vec3_dot(look->t[0], m.t[1]);
  move_binormal(look->t[0], m.t[0], look->t[1], m.t[1], look->kb, 2, m.kb);
  return m;
}

/* d of the slopes of kb . y, with the change of y. */
static void move_slopes(const pl_rod_look *look, const motion *m, const double y[3],
                        const double dy[3], double by[2][3], double dby[2][3])
{
  double along = pl_vec3_dot(look->kb, y), x[3], z[3];
  double dalong = pl_vec3_dot(m->kb, y) + pl_vec3_dot(look->kb, dy);
  kb_slopes(look, y, by[0], by[1]);
  for (int i = 0; i < 2; i++) {
    const double *t = look->t[1 - i], *dt = m->t[1 - i], sign = i ? -2 : 2;
    pl_vec3_cross(dt, y, x);
    pl_vec3_cross(t, dy, z);
    for (int k = 0; k < 3; k++)
      dby[i][k] =
          (sign * (x[k] + z[k]) - dalong * t[k] - along * dt[k] - m->chi * by[i][k]) / look->chi;
  }
}

/* d of a gradient by t that by_edge turned into one by e. */
static void move_by_edge(const pl_rod_look *look, const motion *m, int i, const double by[3],
                         const double dby[3], double out[3])
{
  const double *t = look->t[i], *dt = m->t[i];
  double along = pl_vec3_dot(t, by), g[3];
  double dalong = pl_vec3_dot(dt, by) + pl_vec3_dot(t, dby);
  by_edge(t, look->length[i], by, g);
  for (int k = 0; k < 3; k++)
    out[k] = (dby[k] - dalong * t[k] - along * dt[k] - m->length[i] * g[k]) / look->length[i];
}

static void move_gradient(const pl_rod_look *look, const motion *m, int strain,
                          double out[PL_JOINT_UNKNOWNS])
{
  double by[2][3], dby[2][3], y[3], dy[3], spins[2] = {-1, 1}, dspins[2] = {0, 0};
  if (strain < 2) {
    double sign = strain ? -0.5 : 0.5;
    measure_along(look, strain, y, spins);
    for (int k = 0; k < 3; k++)
      dy[k] = sign * (m->frames[0][1 - strain][k] + m->frames[1][1 - strain][k]);
    move_slopes(look, m, y, dy, by, dby);
    for (int i = 0; i < 2; i++)
      dspins[i] = -0.5 * (pl_vec3_dot(m->kb, look->frames[i][strain]) +
                          pl_vec3_dot(look->kb, m->frames[i][strain]));
  }
  for (int i = 0; i < 2; i++) {
    if (strain == 2) {
      pl_vec3_scale(0.5, look->kb, by[i]);
      pl_vec3_scale(0.5, m->kb, dby[i]);
    }
    pl_vec3_add_scaled(spins[i], look->binormal[i], by[i]);
    pl_vec3_add_scaled(spins[i], m->binormal[i], dby[i]);
    pl_vec3_add_scaled(dspins[i], look->binormal[i], dby[i]);
    move_by_edge(look, m, i, by[i], dby[i], out + 3 * i);
    out[6 + i] = dspins[i];
  }
}

void pl_rod_joint_curve(const pl_rod_look *look, const double moments[3],
                        double H[PL_JOINT_UNKNOWNS][PL_JOINT_UNKNOWNS])
{
  double column[PL_JOINT_UNKNOWNS];
  memset(H, 0, PL_JOINT_UNKNOWNS * PL_JOINT_UNKNOWNS * sizeof **H);
  for (int j = 0; j < PL_JOINT_UNKNOWNS; j++) {
    motion m = move_along(look, j);
    for (int strain = 0; strain < 3; strain++) {
      if (moments[strain] == 0) continue;
      move_gradient(look, &m, strain, column);
      for (int i = 0; i < PL_JOINT_UNKNOWNS; i++) H[i][j] += moments[strain] * column[i];
    }
  }
}
