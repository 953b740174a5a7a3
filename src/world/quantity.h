/* What a probe can watch. */
#ifndef PL_WORLD_QUANTITY_H
#define PL_WORLD_QUANTITY_H

#include "pliant/world.h"

typedef struct pl_probe pl_probe;

typedef struct pl_quantity_ops {
  pl_member info;
  const char *unit;
  int width;    /* 1 or 3 */
  int of_point; /* needs a body and a point in it */
  void (*read)(pl_world *world, const pl_probe *probe, double *value);
} pl_quantity_ops;

/* The members; one is defined by PL_QUANTITY in any file of this room. */
#define PL_QUANTITIES(X)                                                                           \
  X(displacement)                                                                                  \
  X(position)                                                                                      \
  X(velocity)                                                                                      \
  X(kinetic)                                                                                       \
  X(elastic)                                                                                       \
  X(gravity)                                                                                       \
  X(energy)                                                                                        \
  X(volume)                                                                                        \
  X(inverted)                                                                                      \
  X(elements)                                                                                      \
  X(momentum)                                                                                      \
  X(angular)                                                                                       \
  X(net)                                                                                           \
  X(reaction)                                                                                      \
  X(pull_force)                                                                                    \
  X(von_mises)                                                                                     \
  X(pressure)                                                                                      \
  X(volume_ratio)                                                                                  \
  X(energy_density)                                                                                \
  X(stress)                                                                                        \
  X(shear_stress)                                                                                  \
  X(principal_stress)                                                                              \
  X(second_piola)                                                                                  \
  X(shear_piola)                                                                                   \
  X(strain)                                                                                        \
  X(shear_strain)                                                                                  \
  X(principal_strain)                                                                              \
  X(contact_force)                                                                                 \
  X(contact_gap)                                                                                   \
  X(slip)                                                                                          \
  X(friction_power)                                                                                \
  X(friction_heat)                                                                                 \
  X(penetration)                                                                                   \
  X(intersections)
#define X(name) extern const pl_quantity_ops pl_quantity_##name;
PL_QUANTITIES(X)
#undef X

#define PL_QUANTITY(id, words, text, unit_text, how_many, needs_point, function)                   \
  const pl_quantity_ops pl_quantity_##id = {                                                       \
      .info = {.name = words, .summary = text, .source = ""},                                      \
      .unit = unit_text,                                                                           \
      .width = how_many,                                                                           \
      .of_point = needs_point,                                                                     \
      .read = function}

extern const pl_family pl_quantity_family;

#endif
