/* Devices: what a hand holds. A servo loop asks one for its place in every tick and hands it the
 * force that it is to exert on the hand. Hardware stays outside: a program of its vendor speaks to
 * the device "udp". */
#ifndef PL_HAPTIC_DEVICE_H
#define PL_HAPTIC_DEVICE_H

#include "core/family.h"
#include "pliant/haptic.h"

#define PL_DEVICES(X)                                                                              \
  X(simulated)                                                                                     \
  X(record)                                                                                        \
  X(udp)                                                                                           \
  X(mouse)                                                                                         \
  X(none)

typedef struct pl_device pl_device;

/* What a device says of itself. */
enum { PL_DEVICE_PRESENT = 1, PL_DEVICE_GRIPS = 2 };

typedef struct pl_device_ops {
  pl_member info;
  int has_samples;
  int is_live; /* follows the machine's clock: in simulated time it means nothing */
  size_t size; /* of the member's struct */
  /* NULL: nothing to do. The part is filled in. */
  pl_status (*open)(pl_device *self, pl_error *error);
  void (*close)(pl_device *self);
  /* Before the servo loop gets its thread, perhaps more than once: what others must not have at the
   * same time is taken only now, so that a scene can be read, checked and drawn beside a run. */
  pl_status (*start)(pl_device *self, pl_error *error);
  /* Where it is at time t, and how fast: PL_DEVICE_PRESENT, with PL_DEVICE_GRIPS while it is to
   * hold what it touches; 0 where there is none. */
  int (*sense)(pl_device *self, double t, double x[3], double v[3]);
  /* Exerts the force for the time dt from t on. */
  void (*act)(pl_device *self, double t, double dt, const double force[3]);
  /* A program says where it is, NULL: away; from any one thread. NULL: it knows itself. */
  void (*place)(pl_device *self, const double *x);
} pl_device_ops;

struct pl_device {
  const pl_device_ops *ops;
  pl_allocator allocator;
  double values[PL_MOST_VALUES];
  pl_haptic_sample *samples; /* its own */
  int sample_count;
  long refused; /* positions that were not taken: malformed, not finite, out of reach */
};

#define X(name) extern const pl_device_ops pl_device_##name;
PL_DEVICES(X)
#undef X

extern const pl_family pl_device_family;

pl_status pl_device_create(const pl_allocator *allocator, const pl_choice *choice,
                           const pl_haptic_sample *samples, int count, pl_device **device,
                           pl_error *error);
void pl_device_destroy(pl_device *device); /* NULL is fine */

#endif
