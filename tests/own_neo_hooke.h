/* The law neo-hooke as a function of a program: W = mu/2 (I1 - 3) - mu ln J + lambda/2 (J - 1)^2
 * (material/law_neo_hooke.c), where J > 0.1. */
#ifndef PL_TEST_OWN_NEO_HOOKE_H
#define PL_TEST_OWN_NEO_HOOKE_H

#include <math.h>

typedef struct own_moduli {
  double lambda, mu;
  int calls;
} own_moduli;

static inline double own_cofactors(const double F[9], double G[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      G[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
    }
  }
  return F[0] * G[0] + F[1] * G[1] + F[2] * G[2];
}

/* dG_ij/dF_kl: the entry of F that is left, with the sign of the permutation. */
static inline double own_bend(const double F[9], int ij, int kl)
{
  int i = ij / 3, j = ij % 3, k = kl / 3, l = kl % 3;
  if (i == k || j == l) return 0;
  double left = F[3 * (3 - i - k) + 3 - j - l];
  return ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1) ? left : -left;
}

static inline void own_neo_hooke(void *context, const double F[9], double *W, double *P, double *H)
{
  own_moduli *m = context;
  double G[9], square = 0, J = own_cofactors(F, G);
  double slope = m->lambda * (J - 1) - m->mu / J, bend = m->lambda + m->mu / (J * J);
  m->calls++;
  for (int e = 0; e < 9; e++) square += F[e] * F[e];
  if (W) *W = 0.5 * m->mu * (square - 3) - m->mu * log(J) + 0.5 * m->lambda * (J - 1) * (J - 1);
  for (int e = 0; P && e < 9; e++) P[e] = m->mu * F[e] + slope * G[e];
  for (int e = 0; H && e < 81; e++)
    H[e] = (e / 9 == e % 9 ? m->mu : 0) + bend * G[e / 9] * G[e % 9] +
           slope * own_bend(F, e / 9, e % 9);
}

#endif
