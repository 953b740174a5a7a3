/* Gravity by the name of a planet. */
#ifndef PL_SCENE_PLANET_H
#define PL_SCENE_PLANET_H

#include "scene/schema.h"

/* Its gravity along z, which points up; 0 if the name is none of them. */
int pl_planet_gravity(const char *name, double gravity[3]);

/* Three numbers or a planet. */
pl_status pl_check_gravity(const pl_attribute *self, const char *text, pl_error *error);

#endif
