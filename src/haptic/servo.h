/* The servo loop: reads a device, feels the plane, hands the force to the device, 1000 times a
 * second.
 *
 * It knows no world. Planes come in and reports go out by triple buffers, so neither side waits for
 * the other; the impulse is a running sum, so that whoever reads it twice or seldom counts
 * every tick once. The loop watches its own passivity: the energy that it takes from the hand,
 * -sum F . dx, must not fall below -1 mJ, or the plane stops moving (Hannaford & Ryu 2002 for the
 * observer). */
#ifndef PL_HAPTIC_SERVO_H
#define PL_HAPTIC_SERVO_H

#include "haptic/device.h"
#include "haptic/exchange.h"
#include "haptic/plane.h"

#include <pthread.h>

#define PL_SERVO_RATE 1000 /* Hz */

/* What the loop publishes in every tick. */
typedef struct pl_servo_report {
  int is_present, is_moving, is_gripping;
  double time; /* s, the end of the last tick */
  double position[3], velocity[3], force[3], impulse[3], energy, longest;
  int64_t ticks, late, refused;
} pl_servo_report;

typedef struct pl_servo {
  pl_device *device; /* its own */
  pl_plane_spring spring;
  pl_haptic_motion motion;
  pl_exchange planes, reports;
  pl_plane plane[3];
  pl_servo_report report[3];
  pl_servo_report now; /* the loop's own */
  pl_plane_grip grip;
  pthread_t thread;
  atomic_int goes_on; /* the thread */
  int has_thread;
  double origin; /* s, of the thread's clock */
  double spin; /* s, how long before a tick the thread stops sleeping; set before pl_servo_start */
} pl_servo;

/* The loop takes the device over. */
void pl_servo_init(pl_servo *self, pl_device *device, const pl_plane_spring *spring,
                   pl_haptic_motion motion);
void pl_servo_release(pl_servo *self);

/* One tick at time t that lasts dt. */
void pl_servo_tick(pl_servo *self, double t, double dt);

/* For the simulation: a new plane, and the newest report. */
void pl_servo_publish(pl_servo *self, const pl_plane *plane);
const pl_servo_report *pl_servo_read(pl_servo *self);

/* Ticks by the machine's clock in a thread of its own. */
pl_status pl_servo_start(pl_servo *self, pl_error *error);
void pl_servo_stop(pl_servo *self);
/* The time of that clock, s. */
double pl_servo_time(const pl_servo *self);

#endif
