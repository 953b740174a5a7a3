/* Derivatives of energy and stress against their differences. */
#ifndef MATERIAL_SLOPES_H
#define MATERIAL_SLOPES_H

#include "points.h"

/* Largest errors of P against differences of the energy and of H against those of P, relative. */
typedef struct slopes {
  double P, H;
} slopes;

typedef double (*stress_function)(const pl_strain_ops *ops, const double F[9], double *P);

static inline slopes check_slopes(const pl_strain_ops *ops, stress_function at, const double F[9],
                                  const double *H)
{
  const double h = 1e-5;
  double f[9], P[9], above[9], below[9], worst = 0, apart = 0;
  memcpy(f, F, sizeof f);
  at(ops, F, P);
  for (int k = 0; k < 9; k++) {
    f[k] = F[k] + h;
    double high = at(ops, f, above);
    f[k] = F[k] - h;
    double low = at(ops, f, below);
    f[k] = F[k];
    worst = fmax(worst, fabs((high - low) / (2 * h) - P[k]));
    for (int i = 0; i < 9; i++)
      apart = fmax(apart, fabs((above[i] - below[i]) / (2 * h) - H[9 * i + k]));
  }
  return (slopes){worst / fmax(1, largest(P, 9)), apart / fmax(1, largest(H, 81))};
}

#endif
