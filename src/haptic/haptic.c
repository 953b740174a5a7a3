/* A hand at a world: the proxy, the plane through it, and the force on the bodies.
 *
 * After a step the proxy is the surface point nearest to the device (Hauth 2004, 5.4.3: the virtual
 * proxy), and the plane through it is normal to the way between both, not to the triangle, so that
 * it does not jump from face to face. Before a step the impulse of all ticks since the last one,
 * divided by the step, becomes the force on the proxy's triangle, shared by barycentric weights: a
 * pull without a spring. The plane is published as soon as it is known; one that is a step old
 * makes 20 ms steps vibrate. */
#include "pliant/haptic.h"

#include "core/error.h"
#include "core/memory.h"
#include "haptic/servo.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

struct pl_haptic {
  pl_allocator allocator;
  pl_world *world;
  pl_servo servo;
  pl_pull_id pull; /* zero: none yet */
  pl_hit proxy;    /* body zero: none */
  double impulse[3], proxy_point[3];
  pl_haptic_touch touch;
};

pl_haptic_def pl_haptic_def_default(void)
{
  return (pl_haptic_def){.stiffness = 300, .max_force = 20, .cookie = PL_COOKIE};
}

/* ---- making ---- */

static pl_status check(const pl_haptic_def *def, pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_haptic", error);
  if (status) return status;
  const struct {
    const char *name;
    double value, most;
  } numbers[] = {{"stiffness", def->stiffness, 1e6},
                 {"damping", def->damping, 1e4},
                 {"friction", def->friction, 100},
                 {"radius", def->radius, 10},
                 {"max_force", def->max_force, 1e6}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most))
      return pl_fail(error, PL_E_ARGUMENT, "the %s of a hand = %g must lie between 0 and %g",
                     numbers[i].name, numbers[i].value, numbers[i].most);
  }
  if ((int)def->plane < 0 || def->plane > PL_HAPTIC_STANDS)
    return pl_fail(error, PL_E_ARGUMENT, "there is no plane number %d", (int)def->plane);
  return PL_OK;
}

pl_status pl_haptic_create(pl_world *world, const pl_haptic_def *def, pl_haptic **haptic,
                           pl_error *error)
{
  pl_device *device = NULL;
  if (!world || !haptic)
    return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_create needs a world and a place for the hand");
  *haptic = NULL;
  pl_allocator allocator = world->allocator;
  pl_status status = check(def, error);
  if (!status)
    status =
        pl_device_create(&allocator, &def->device, def->samples, def->sample_count, &device, error);
  if (status) return status;
  pl_haptic *self = pl_alloc(&allocator, 1, sizeof *self);
  if (!self) {
    pl_device_destroy(device);
    return pl_fail_memory(error);
  }
  *self = (pl_haptic){.allocator = allocator, .world = world};
  pl_plane_spring spring = {def->stiffness, def->damping, def->friction, def->radius,
                            def->max_force};
  pl_servo_init(&self->servo, device, &spring, def->plane);
  *haptic = self;
  return PL_OK;
}

void pl_haptic_destroy(pl_haptic *haptic)
{
  if (!haptic) return;
  pl_servo_release(&haptic->servo);
  if (haptic->pull.index1) pl_world_remove_pull(haptic->world, haptic->pull, NULL);
  pl_free(&haptic->allocator, haptic);
}

int pl_haptic_is_live(const pl_haptic *haptic)
{
  return haptic && haptic->servo.device->ops->is_live;
}

pl_status pl_haptic_start(pl_haptic *haptic, pl_error *error)
{
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_start needs a hand");
  return pl_servo_start(&haptic->servo, error);
}

void pl_haptic_stop(pl_haptic *haptic)
{
  if (haptic) pl_servo_stop(&haptic->servo);
}

/* ---- a step ---- */

/* A pull without a spring at the touch: made once, then changed. */
static pl_status press(pl_haptic *self, const pl_haptic_touch *touch, pl_error *error)
{
  pl_pull_def def = pl_pull_def_default();
  def.stiffness = 0;
  def.at = touch->spot;
  pl_vec3_copy(touch->force, def.force);
  self->touch = *touch;
  if (self->pull.index1 && !touch->spot.body.index1) {
    pl_pull_id gone = self->pull;
    self->pull = (pl_pull_id){0};
    return pl_world_remove_pull(self->world, gone, error);
  }
  if (!touch->spot.body.index1) return PL_OK;
  return self->pull.index1 ? pl_world_change_pull(self->world, self->pull, &def, error)
                           : pl_world_add_pull(self->world, &def, &self->pull, error);
}

/* The force of all ticks since the last step, as a mean over the step. */
static void collect(pl_haptic *self, const pl_servo_report *report, pl_haptic_touch *touch)
{
  double step[3], h = pl_world_dt(self->world);
  *touch = (pl_haptic_touch){.spot = self->proxy.spot};
  pl_vec3_sub(report->impulse, self->impulse, step);
  pl_vec3_copy(report->impulse, self->impulse);
  pl_vec3_scale(-1 / h, step, touch->force);
}

/* The plane through the proxy, normal to the way to the device. */
static void make_plane(const pl_haptic *self, const pl_pull_facts *facts, const double x[3],
                       double time, pl_plane *plane)
{
  double away[3];
  *plane = (pl_plane){.is_there = 1, .time = time};
  pl_vec3_sub(x, facts->position, away);
  double length = pl_vec3_norm(away);
  pl_vec3_copy(facts->position, plane->point);
  pl_vec3_copy(facts->velocity, plane->velocity);
  pl_vec3_copy(self->proxy.normal, plane->normal);
  if (length > 1e-9)
    pl_vec3_scale((self->proxy.distance < 0 ? -1 : 1) / length, away, plane->normal);
}

/* Looks for the proxy and publishes the plane. */
static pl_status look(pl_haptic *self, pl_error *error)
{
  const pl_servo_report *report = pl_servo_read(&self->servo);
  pl_plane plane = {0};
  pl_pull_facts facts;
  self->proxy = (pl_hit){.face = -1};
  pl_status status = PL_OK;
  if (report->is_present)
    status = pl_world_nearest(self->world, report->position, &self->proxy, error);
  // the force is renewed before it acts; until then it can be read
  pl_haptic_touch touch = self->touch;
  touch.spot = self->proxy.spot;
  if (!status) status = press(self, &touch, error);
  if (!status && self->pull.index1) {
    status = pl_world_read_pull(self->world, self->pull, &facts, error);
    double time = self->servo.has_thread ? pl_servo_time(&self->servo) : report->time;
    if (!status) make_plane(self, &facts, report->position, time, &plane);
  }
  pl_vec3_copy(plane.point, self->proxy_point);
  pl_servo_publish(&self->servo, &plane);
  return status;
}

/* The world moves on with a touch; what it read stays readable. */
static pl_status step(pl_haptic *self, const pl_haptic_touch *touch, pl_error *error)
{
  pl_status status = press(self, touch, error);
  if (!status) status = pl_world_step(self->world, error);
  if (!status) status = look(self, error);
  self->touch = *touch;
  return status;
}

/* The ticks of one step in simulated time. */
static void tick(pl_haptic *self)
{
  double h = pl_world_dt(self->world), t = pl_world_time(self->world);
  int count = (int)fmax(1, floor(h * PL_SERVO_RATE + 0.5));
  for (int i = 0; i < count; i++) pl_servo_tick(&self->servo, t + i * (h / count), h / count);
}

pl_status pl_haptic_step(pl_haptic *haptic, pl_error *error)
{
  pl_haptic_touch touch;
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_step needs a hand");
  if (!haptic->servo.has_thread) tick(haptic);
  collect(haptic, pl_servo_read(&haptic->servo), &touch);
  return step(haptic, &touch, error);
}

pl_status pl_haptic_repeat(pl_haptic *haptic, const pl_haptic_touch *touch, pl_error *error)
{
  if (!haptic || !touch)
    return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_repeat needs a hand and a touch");
  return step(haptic, touch, error);
}

/* The tool is drawn at the proxy while it presses, else where the device is. */
void pl_haptic_read(pl_haptic *haptic, pl_haptic_facts *facts)
{
  if (!haptic || !facts) return;
  const pl_servo_report *report = pl_servo_read(&haptic->servo);
  *facts = (pl_haptic_facts){.is_present = report->is_present,
                             .is_moving = report->is_moving,
                             .energy = report->energy,
                             .ticks = report->ticks,
                             .late = report->late,
                             .refused = report->refused,
                             .longest = report->longest,
                             .radius = haptic->servo.spring.radius,
                             .touch = haptic->touch};
  pl_vec3_copy(report->position, facts->position);
  pl_vec3_copy(report->velocity, facts->velocity);
  pl_vec3_copy(report->force, facts->force);
  pl_vec3_copy(report->impulse, facts->impulse);
  pl_vec3_copy(haptic->proxy.distance < 0 ? haptic->proxy_point : report->position, facts->proxy);
}
