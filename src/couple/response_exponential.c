/* The potential c exp(-d / eps) of Terzopoulos et al. (1987, eq. 14) around obstacles, as a layer
 * of all nodes: the force k eps exp(-d / eps) along the normal, with k the stiffness of the layer
 * (couple/penalty.h). The report on their deformable objects prints (3.6.3) with the sign that
 * pulls in and corrects it in (3.6.7), which is this. Below -2 eps, where the exponential would
 * run away, it goes on along its tangent. */
#include "couple/response.h"
#include "math/functions.h"

#include <math.h>

#define THIN  0.002 /* of the body's size: eps unless set */
#define FAR   20.0  /* eps: beyond, nothing is felt */
#define DEEP  2.0   /* eps */
#define EULER 2.718281828459045

static const pl_param params[] = {
    {.name = "epsilon",
     .unit = "m",
     .summary = "the distance over which the force falls by e; 0: 1/500 of the body's size",
     .max = 1e9},
    {.name = "strength", .unit = "1", .summary = "a factor on the force", .preset = 1, .max = 1e9},
};

static double scale(const double *values, double size)
{
  return values[0] > 0 ? values[0] : THIN * size;
}

static double push(const double *values, const pl_contact_node *at, double *slope)
{
  double eps = scale(values, at->size), k = values[1] * at->stiffness, y = at->gap / eps;
  double growth = pl_pow(EULER, -fmax(y, -DEEP)), beyond = fmax(-DEEP - y, 0);
  *slope = k * growth;
  return k * eps * growth * (1 + beyond);
}

static double reach(const double *values, double size) { return FAR * scale(values, size); }

static const pl_contact_rule rule = {.push = push, .reach = reach};

const pl_response_ops pl_response_exponential = {
    .info = PL_INFO("exponential",
                    "a force that falls exponentially with the distance to obstacles, felt "
                    "before they are touched; a penalty force between bodies",
                    "Terzopoulos et al. 1987", params),
    .at_obstacles = PL_CONTACT_LAYER,
    .rule = &rule,
    .coupling = &pl_coupling_collision,
};
