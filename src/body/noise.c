#include "body/noise.h"

#include <math.h>

double pl_body_stress_noise(const pl_body *body)
{
  pl_material material;
  if (pl_material_make(&body->material, &body->law, &material, NULL)) return 0;
  return PL_STRAIN_NOISE * (fmax(material.lambda, 0) + 2 * material.mu);
}
