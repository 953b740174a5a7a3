/* Gravity by the name of a planet. */
#ifndef PL_SCENE_PLANET_H
#define PL_SCENE_PLANET_H

/* Its gravity along z, which points up; 0 if the name is none of them. */
int pl_planet_gravity(const char *name, double gravity[3]);

/* "mercury, venus, ..." */
const char *pl_planet_names(void);

#endif
