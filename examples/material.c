/* A material of one's own: the compressible neo-Hookean energy
 *
 *   W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2        (Bonet, Wood 2008, 6.4.3)
 *
 * as a function that the library calls at every point, with its stress and its tangent. A bar of it
 * sags beside one of the built-in law hooke with the same moduli at rest.
 *
 *   cc material.c -o material $(pkg-config --cflags --libs pliant) -lm && ./material */
#include "pliant/world.h"

#include <math.h>
#include <stdio.h>

typedef struct moduli {
  double lambda, mu; /* Pa */
} moduli;

/* cof F = J F^-T, and J = det F. */
static double cofactors(const double F[9], double G[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      G[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
    }
  }
  return F[0] * G[0] + F[1] * G[1] + F[2] * G[2];
}

/* P = mu (F - A) + lambda ln J A, A = F^-T; H = mu I + lambda A A + (mu - lambda ln J) A_il A_kj.
 * Where J is not positive W has no value: NAN makes the library repeat the step in smaller parts.
 */
static void neo_hooke(void *context, const double F[9], double *W, double *P, double *H)
{
  const moduli *m = context;
  double A[9], square = 0, J = cofactors(F, A), log_J = log(J);
  for (int e = 0; e < 9; e++) A[e] /= J;
  for (int e = 0; e < 9; e++) square += F[e] * F[e];
  if (W) *W = 0.5 * m->mu * (square - 3) - m->mu * log_J + 0.5 * m->lambda * log_J * log_J;
  for (int e = 0; P && e < 9; e++) P[e] = m->mu * (F[e] - A[e]) + m->lambda * log_J * A[e];
  for (int e = 0; H && e < 81; e++) {
    int ij = e / 9, kl = e % 9, i = ij / 3, j = ij % 3, k = kl / 3, l = kl % 3;
    H[e] = (ij == kl ? m->mu : 0) + m->lambda * A[ij] * A[kl] +
           (m->mu - m->lambda * log_J) * A[3 * i + l] * A[3 * k + j];
  }
}

static pl_status add_bar(pl_world *world, double y, const pl_own_law *own, pl_probe_id *tip,
                         pl_error *error)
{
  const pl_setting shape[] = {{.name = "size", .value = {1, 0.2, 0.2}},
                              {.name = "cells", .value = {10, 2, 2}},
                              {.name = "element", .word = "hex"}};
  const pl_setting young[] = {{.name = "young", .value = {1e6}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_choice box = {"box", shape, 3};
  pl_mesh *mesh = NULL;
  pl_body_id body;
  pl_status status = pl_mesh_generate(&box, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.translation[1] = y;
  def.material.law = (pl_choice){"hooke", young, 2}; // the moduli at rest
  if (own) def.material.own = *own;
  if (!status) status = pl_world_add_body(world, &def, &body, error);
  pl_mesh_destroy(mesh);

  const pl_selector root = {.set = "x-min"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &root;
  fix.where_count = 1;
  if (!status) status = pl_world_add_fix(world, body, &fix, NULL, error);
  pl_probe_def probe = pl_probe_def_default();
  probe.body = body;
  probe.at[0] = 1, probe.at[1] = y + 0.1, probe.at[2] = 0.1;
  probe.quantity = "displacement";
  return status ? status : pl_world_add_probe(world, &probe, tip, error);
}

int main(void)
{
  pl_error error = {0};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_probe_id own_tip, hooke_tip;
  moduli rubber = {1e6 * 0.3 / (1.3 * 0.4), 1e6 / 2.6};
  const pl_own_law own = {neo_hooke, &rubber};
  def.integrator.name = "static";
  pl_status status = pl_world_create(&def, &world, &error);
  if (!status) status = add_bar(world, 0, &own, &own_tip, &error);
  if (!status) status = add_bar(world, 1, NULL, &hooke_tip, &error);
  if (!status) status = pl_world_step(world, &error);
  double a[3], b[3];
  if (!status) status = pl_world_read_probe(world, own_tip, a, &error);
  if (!status) status = pl_world_read_probe(world, hooke_tip, b, &error);
  if (!status) printf("the tips sag by %.4f m (own law) and %.4f m (hooke)\n", -a[2], -b[2]);

  char text[1024];
  if (status) fprintf(stderr, "%s\n", pl_error_text(&error, text, sizeof text));
  pl_world_destroy(world);
  return status != PL_OK;
}
