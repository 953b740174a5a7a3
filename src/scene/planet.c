/* Table 3.1 of "Implementation of Deformable Objects": gravity at the surface, m/s^2. */
#include "scene/planet.h"

#include "core/error.h"
#include "core/family.h"

#include <string.h>

#define PLANETS(X)                                                                                 \
  X(mercury, 3.70)                                                                                 \
  X(venus, 8.87)                                                                                   \
  X(earth, 9.798)                                                                                  \
  X(moon, 1.62)                                                                                    \
  X(mars, 3.71)                                                                                    \
  X(pluto, 0.58)                                                                                   \
  X(sun, 274.00)                                                                                   \
  X(jupiter, 24.79)                                                                                \
  X(saturn, 10.44)                                                                                 \
  X(uranus, 8.87)                                                                                  \
  X(neptune, 11.15)

static const struct planet {
  const char *name;
  double gravity;
} planets[] = {
#define X(name, value) {#name, value},
    PLANETS(X)
#undef X
};

int pl_planet_gravity(const char *name, double gravity[3])
{
  for (size_t i = 0; i < sizeof planets / sizeof *planets; i++) {
    if (strcmp(name, planets[i].name) != 0) continue;
    gravity[0] = gravity[1] = 0;
    gravity[2] = -planets[i].gravity;
    return 1;
  }
  return 0;
}

/* "mercury, venus, ..." */
static const char *names(void)
{
#define X(name, value) #name ", "
  static const char all[] = PLANETS(X);
#undef X
  return all;
}

pl_status pl_check_gravity(const pl_attribute *self, const char *text, pl_error *error)
{
  double gravity[3];
  if (pl_planet_gravity(text, gravity)) return PL_OK;
  if (text[0] >= 'a' && text[0] <= 'z')
    return pl_fail(error, PL_E_ARGUMENT,
                   "gravity=\"%.40s\" is neither three numbers nor one of %sas their surfaces have "
                   "it, along -z",
                   text, names());
  return pl_param_parse(&self->param, text, gravity, error);
}
