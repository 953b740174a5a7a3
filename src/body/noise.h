/* What rounding alone makes of a body without load: less than this is shown as none. */
#ifndef PL_BODY_NOISE_H
#define PL_BODY_NOISE_H

#include "body/body.h"

/* A strain: positions are rounded to 1e-16 of their size, and elements are smaller by less than
 * 1e5. One millimetre of steel is strained by 4e-10 under its own weight. */
#define PL_STRAIN_NOISE 1e-11

/* The stress that such a strain causes, Pa. */
double pl_body_stress_noise(const pl_body *body);

#endif
