/* The weight of all bodies. */
#ifndef PL_COUPLE_GRAVITY_H
#define PL_COUPLE_GRAVITY_H

#include "couple/coupling.h"

typedef struct pl_gravity {
  pl_coupling base;
  const double *g; /* m/s^2, the world's */
} pl_gravity;

#endif
