/* Every family of exchangeable parts in this build. */
#include "body/map.h"
#include "couple/coupling.h"
#include "couple/effect.h"
#include "couple/link.h"
#include "couple/load.h"
#include "couple/response.h"
#include "haptic/device.h"
#include "io/format.h"
#include "material/material.h"
#include "mesh/fill.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "model/model.h"
#include "ode/integrator.h"
#include "pliant/scene.h"
#include "shape/motion.h"
#include "sparse/solver.h"
#include "world/indicator.h"
#include "world/quantity.h"

#include <string.h>

static const pl_family *const families[] = {
    &pl_model_family,
    &pl_strain_family,
    &pl_law_family,
    &pl_integrator_family,
    &pl_solver_family,
    &pl_preconditioner_family,
    &pl_generator_family,
    &pl_solid_family,
    &pl_filler_family,
    &pl_region_family,
    &pl_coupling_family,
    &pl_load_family,
    &pl_effect_family,
    &pl_link_family,
    &pl_obstacle_family,
    &pl_motion_family,
    &pl_map_family,
    &pl_response_family,
    &pl_device_family,
    &pl_indicator_family,
    &pl_quantity_family,
    &pl_format_family,
    NULL,
};

const pl_family *const *pl_families(void) { return families; }

const pl_family *pl_family_find(const char *name)
{
  for (int i = 0; name && families[i]; i++) {
    if (strcmp(families[i]->name, name) == 0) return families[i];
  }
  return NULL;
}

/* the checksum comes from CMake */
const char *pl_declarations(void) { return PL_DECLARATIONS; }
