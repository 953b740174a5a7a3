/* Two poles that attract each other, or repel, by the inverse square of their distance, rounded off
 * within a radius r around them:
 *
 *   T = s l / (l^2 + r^2)^(3/2),   E = -s / sqrt(l^2 + r^2).
 *
 * At l = r / sqrt(2) the force is at its most, 0.385 s / r^2. */
#include "couple/link.h"

#include <math.h>

enum { STRENGTH, RADIUS };

static const pl_param params[] = {
    PL_LINK_ENDS,
    {"strength", "N m^2", "the force at 1 m; negative: they repel each other", 0.1, -1e15, 1e15,
     NULL, 1},
    {"radius", "m", "of the poles, within which the force is rounded off", 0.05, 1e-9, 1e9, NULL,
     1},
};

static void pull(const double *own, const pl_link_state *at, pl_tension *out)
{
  double s = own[STRENGTH], r2 = own[RADIUS] * own[RADIUS], l2 = at->length * at->length;
  double square = l2 + r2, reach = sqrt(square), cube = square * reach;
  out->force = s * at->length / cube;
  out->slope = s * (r2 - 2 * l2) / (square * cube);
  out->energy = -s / reach;
}

const pl_link_ops pl_link_magnet = {
    .info = PL_INFO("magnet", "two poles that attract or repel each other by the inverse square",
                    "Coulomb 1785", params),
    .pull = pull,
};
