/* The servo loop; see servo.h. */
#include "haptic/servo.h"

#include "core/clock.h"
#include "core/error.h"
#include "math/vec3.h"

#include <math.h>
#include <sched.h>
#include <string.h>

static const double MOST_GIVEN = 1e-3; /* J, before the plane stops moving */
static const double FAR = 1e3;         /* m, where no device is */
static const double LATE = 1.2e-3;     /* s, a longer period counts as late */

void pl_servo_init(pl_servo *self, pl_device *device, const pl_plane_spring *spring,
                   pl_haptic_motion motion)
{
  *self = (pl_servo){.device = device, .spring = *spring, .motion = motion};
  self->now.is_moving = motion != PL_HAPTIC_STANDS;
  pl_exchange_init(&self->planes);
  pl_exchange_init(&self->reports);
  atomic_init(&self->goes_on, 0);
}

void pl_servo_release(pl_servo *self)
{
  pl_servo_stop(self);
  pl_device_destroy(self->device);
  self->device = NULL;
}

/* ---- a tick ---- */

/* Where the device is, and whether it grips: 0 where there is none, or none that can be. */
static int sense(pl_servo *self, double t, double x[3], double v[3])
{
  const pl_device_ops *ops = self->device->ops;
  int is = ops->sense ? ops->sense(self->device, t, x, v) : 0;
  if (!is) return 0;
  for (int k = 0; k < 3; k++) {
    if (fabs(x[k]) <= FAR && isfinite(v[k])) continue;
    self->device->refused++;
    return 0;
  }
  return is;
}

/* Counts what the last force has done on the way since then. */
static void watch_energy(pl_servo *self, const double x[3])
{
  double way[3];
  if (!self->now.is_present) return;
  pl_vec3_sub(x, self->now.position, way);
  self->now.energy -= pl_vec3_dot(self->now.force, way);
  if (self->motion == PL_HAPTIC_AUTO && self->now.energy < -MOST_GIVEN) self->now.is_moving = 0;
}

void pl_servo_tick(pl_servo *self, double t, double dt)
{
  pl_servo_report *now = &self->now;
  double x[3] = {0}, v[3] = {0};
  pl_exchange_take(&self->planes);
  int is = sense(self, t, x, v), is_present = is != 0;
  if (is_present) watch_energy(self, x);
  pl_vec3_set(now->force, 0, 0, 0);
  if (is_present) {
    pl_plane_force(&self->plane[self->planes.front], &self->spring, now->is_moving, t, dt, x, v,
                   &self->grip, now->force);
    pl_vec3_copy(x, now->position);
    pl_vec3_copy(v, now->velocity);
  }
  now->is_present = is_present;
  now->is_gripping = (is & PL_DEVICE_GRIPS) != 0;
  pl_vec3_add_scaled(dt, now->force, now->impulse);
  if (self->device->ops->act) self->device->ops->act(self->device, t, dt, now->force);
  now->ticks++;
  now->time = t + dt;
  now->refused = self->device->refused;
  self->report[self->reports.back] = *now;
  pl_exchange_publish(&self->reports);
}

/* ---- the simulation's side ---- */

void pl_servo_publish(pl_servo *self, const pl_plane *plane)
{
  self->plane[self->planes.back] = *plane;
  pl_exchange_publish(&self->planes);
}

const pl_servo_report *pl_servo_read(pl_servo *self)
{
  pl_exchange_take(&self->reports);
  return &self->report[self->reports.front];
}

/* ---- the thread ---- */

double pl_servo_time(const pl_servo *self) { return pl_now() - self->origin; }

static void sleep_until(double time)
{
  struct timespec until;
  until.tv_sec = (time_t)floor(time);
  until.tv_nsec = (long)(1e9 * (time - floor(time)));
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

/* Sleeps until `spin` before a tick and waits for the rest without sleeping: a sleeping processor
 * takes tenths of a millisecond to come back, more on a virtual machine. */
static void wait_until(double time, double spin)
{
  sleep_until(time - spin);
  while (spin > 0 && pl_now() < time) {
  }
}

/* After a delay of more than ten ticks those that were missed are left out. */
static void *run(void *context)
{
  pl_servo *self = context;
  const double dt = 1.0 / PL_SERVO_RATE;
  double due = self->now.time, last = due;
  while (atomic_load_explicit(&self->goes_on, memory_order_relaxed)) {
    wait_until(self->origin + due, self->spin);
    double t = pl_servo_time(self);
    self->now.late += t - last > LATE;
    if (t - last > self->now.longest) self->now.longest = t - last;
    pl_servo_tick(self, due, dt);
    last = t;
    due += dt;
    if (t > due + 10 * dt) due = t;
  }
  return NULL;
}

pl_status pl_servo_start(pl_servo *self, pl_error *error)
{
  if (self->has_thread) return PL_OK;
  const pl_device_ops *ops = self->device->ops;
  pl_status status = ops->start ? ops->start(self->device, error) : PL_OK;
  if (status) return status;
  self->origin = pl_now() - self->now.time;
  atomic_store(&self->goes_on, 1);
  if (pthread_create(&self->thread, NULL, run, self) != 0)
    return pl_fail(error, PL_E_LIMIT, "no thread for the servo loop");
  self->has_thread = 1;
  // at the head of the queue where that is allowed; late ticks are counted in any case
#ifndef __EMSCRIPTEN__ // which has no priorities
  struct sched_param first = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  (void)pthread_setschedparam(self->thread, SCHED_FIFO, &first);
#endif
  return PL_OK;
}

void pl_servo_stop(pl_servo *self)
{
  if (!self->has_thread) return;
  atomic_store(&self->goes_on, 0);
  pthread_join(self->thread, NULL);
  self->has_thread = 0;
}
