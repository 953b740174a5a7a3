/* A hand at a world: the proxy, the plane through it, and the force on the bodies.
 *
 * After a step the proxy is the part of the surface nearest to the device (Hauth 2004, 5.4.3: the
 * virtual proxy, there a point; patch.h says why it is spread), and the plane is the one at which
 * the tool, moved along the normal by its signed distance, would just touch. It is published as
 * soon as it is known; one that is a step old makes 20 ms steps vibrate.
 *
 * Before a step the impulse of all ticks since the last one, divided by the step, becomes the force
 * F on the proxy (account.h: of a simulation that is late, the mean force). The ticks felt a plane
 * that moved on with its velocity v, so the body feels F - K h (v' - v), v' the velocity in the
 * step, which is F where it does what the ticks expected: an inertia of K h^2 at the proxy, whose
 * impulse comes back when the surface is at rest. K is how stiff the plane was felt: k along the
 * normal, and across it |F| |dn/dx|, which in a narrow dent is more. Without that inertia a hand
 * that is stiffer than the surface vibrates.
 *
 * A hand that grips holds the point that it touched. Then the body is pulled to the device by the
 * hand's spring, which stands in the matrix and so is stable for any stiffness, and the hand feels
 * the same spring to the moving point. */
#include "haptic/haptic.h"

#include "core/error.h"
#include "core/memory.h"
#include "haptic/account.h"
#include "haptic/patch.h"
#include "haptic/servo.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

struct pl_haptic {
  pl_allocator allocator;
  pl_world *world;
  pl_servo servo;
  pl_pull_id pull;             /* zero: none yet */
  pl_shape *tool;              /* NULL: a sphere or a point */
  pl_hit proxy;                /* body zero: none */
  pl_patch patch;              /* around it, that feels the force */
  int grips, must_grip;        /* it holds the proxy; because a program said so */
  double impulse[3], shown[3]; /* N s, of the ticks so far; m, where the tool is drawn */
  int64_t ticks;               /* so far */
  pl_account account;          /* of both, what bodies have not yet felt */
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
    double value, max;
  } numbers[] = {{"stiffness", def->stiffness, 1e12}, {"damping", def->damping, 1e12},
                 {"friction", def->friction, 100},    {"radius", def->radius, 10},
                 {"max_force", def->max_force, 1e15}, {"spin", def->spin, 1.0 / PL_SERVO_RATE}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].max))
      return pl_fail(error, PL_E_ARGUMENT, "the %s of a hand = %g must lie between 0 and %g",
                     numbers[i].name, numbers[i].value, numbers[i].max);
  }
  if ((int)def->plane < 0 || def->plane > PL_HAPTIC_STANDS)
    return pl_fail(error, PL_E_ARGUMENT, "there is no plane number %d", (int)def->plane);
  return PL_OK;
}

/* The shape of the tool; the first row is the outermost. */
static pl_status make_tool(pl_haptic *self, const pl_haptic_def *def, pl_error *error)
{
  if (!def->tool_count) return PL_OK;
  if (def->tool_count < 0 || !def->tool)
    return pl_fail(error, PL_E_ARGUMENT, "the tool of a hand has %d shapes, but no list of them",
                   def->tool_count);
  if (def->radius > 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a hand has either a radius (%g m) or a tool with a shape of its own",
                   def->radius);
  pl_shape_row *rows = pl_alloc(&self->allocator, (size_t)def->tool_count, sizeof *rows);
  if (!rows) return pl_fail_memory(error);
  for (int i = 0; i < def->tool_count; i++) {
    const pl_part_def *part = &def->tool[i];
    rows[i] = (pl_shape_row){part->shape, {.mesh = part->mesh}, part->depth - def->tool->depth};
  }
  pl_status status = pl_shape_create(rows, def->tool_count, &self->allocator, &self->tool, error);
  pl_free(&self->allocator, rows);
  return status;
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
  self->patch.allocator = &self->allocator;
  pl_plane_spring spring = {def->stiffness, def->damping, def->friction, def->radius,
                            def->max_force};
  pl_servo_init(&self->servo, device, &spring, def->plane);
  self->servo.spin = def->spin;
  status = make_tool(self, def, error);
  if (status)
    pl_haptic_destroy(self);
  else
    *haptic = self;
  return status;
}

void pl_haptic_destroy(pl_haptic *haptic)
{
  if (!haptic) return;
  pl_servo_release(&haptic->servo);
  if (haptic->pull.index1) pl_world_remove_pull(haptic->world, haptic->pull, NULL);
  pl_shape_destroy(&haptic->allocator, haptic->tool);
  pl_patch_release(&haptic->patch);
  pl_free(&haptic->allocator, haptic);
}

int pl_haptic_is_live(const pl_haptic *haptic)
{
  return haptic && haptic->servo.device->ops->is_live;
}

int pl_haptic_is_placed(const pl_haptic *haptic)
{
  return haptic && haptic->servo.device->ops->place;
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

const pl_shape *pl_haptic_tool(const pl_haptic *haptic) { return haptic ? haptic->tool : NULL; }

double pl_haptic_drawn_radius(const pl_haptic *haptic)
{
  double size = 0;
  if (haptic->servo.spring.radius > 0) return haptic->servo.spring.radius;
  for (int b = 0; b < pl_world_body_count(haptic->world); b++) {
    double low[3], high[3];
    pl_body_id id = pl_world_body_at(haptic->world, b);
    pl_mesh_bounds(pl_world_body_mesh(haptic->world, id), low, high);
    size = fmax(size, pl_vec3_distance(low, high));
  }
  return size / 50;
}

/* ---- a step ---- */

/* A pull at the touch, made once, then changed. Where the hand grips it is a spring to the device,
 * else a force and what steadies the spot. */
static pl_status press(pl_haptic *self, const pl_haptic_touch *touch, pl_error *error)
{
  pl_pull_def def = pl_pull_def_default();
  const pl_plane_spring *spring = &self->servo.spring;
  def.at = touch->spot;
  def.stiffness = touch->is_gripped ? spring->stiffness : 0;
  def.damping = touch->is_gripped ? spring->damping : 0;
  def.max_force = touch->is_gripped ? spring->max_force : 0;
  pl_vec3_copy(touch->target, def.target);
  if (!touch->is_gripped) pl_vec3_copy(touch->force, def.force);
  pl_pull_facts facts;
  self->touch = *touch;
  // a body that was removed took its pull along
  if (self->pull.index1 && pl_world_read_pull(self->world, self->pull, &facts, NULL))
    self->pull = (pl_pull_id){0};
  if (self->pull.index1 && !touch->spot.body.index1) {
    pl_pull_id gone = self->pull;
    self->pull = (pl_pull_id){0};
    return pl_world_remove_pull(self->world, gone, error);
  }
  if (!touch->spot.body.index1) return PL_OK;
  pl_status status = self->pull.index1 ? pl_world_change_pull(self->world, self->pull, &def, error)
                                       : pl_world_add_pull(self->world, &def, &self->pull, error);
  return status ? status : pl_world_steady_pull(self->world, self->pull, touch->steadying, error);
}

/* How stiff the plane is that the ticks felt: along the normal, and across it where it turns, N/m.
 */
static double stiffness_of(const pl_haptic *self, double force)
{
  double square = 0;
  for (int k = 0; k < 9; k++) square += self->patch.turn[k] * self->patch.turn[k];
  return self->servo.spring.stiffness + force * sqrt(square);
}

/* The force of the ticks since the last step; or where the device is that grips. */
static void collect(pl_haptic *self, const pl_servo_report *report, pl_haptic_touch *touch)
{
  double step[3], h = pl_world_dt(self->world);
  if (!pl_world_body_mesh(self->world, self->proxy.spot.body)) { // it has been removed
    self->proxy = (pl_hit){.face = -1};
    self->grips = 0;
  }
  *touch = (pl_haptic_touch){.spot = self->proxy.spot, .is_gripped = self->grips};
  pl_vec3_copy(report->position, touch->target);
  pl_vec3_sub(self->impulse, report->impulse, step);
  pl_vec3_copy(report->impulse, self->impulse);
  double seconds = (double)(report->ticks - self->ticks) / PL_SERVO_RATE;
  self->ticks = report->ticks;
  pl_account_add(&self->account, step, self->servo.has_thread ? seconds : h);
  pl_account_take(&self->account, h, touch->force);
  if (self->grips) {
    self->account = (pl_account){0};
    pl_vec3_set(touch->force, 0, 0, 0);
    return;
  }
  double force = pl_vec3_norm(touch->force);
  if (force > 0) touch->steadying = h * stiffness_of(self, force);
}

static double size_of(const pl_haptic *self)
{
  return self->tool ? pl_patch_size(self->tool) : pl_haptic_drawn_radius(self);
}

/* The point that is held, or the plane to which the tool has to go by its distance. */
static void make_plane(pl_haptic *self, const pl_pull_facts *facts, const double x[3], double time,
                       pl_plane *plane)
{
  double radius = self->servo.spring.radius;
  *plane = (pl_plane){.is_there = 1, .time = time, .is_gripped = self->grips};
  plane->lasts = pl_world_dt(self->world);
  pl_vec3_copy(facts->velocity, plane->velocity);
  pl_vec3_copy(self->proxy.normal, plane->normal);
  pl_vec3_copy(x, plane->place);
  pl_vec3_copy(self->grips ? facts->position : x, plane->point);
  if (!self->grips) pl_vec3_add_scaled(-self->proxy.distance, plane->normal, plane->point);
  memcpy(plane->turn, self->patch.turn, sizeof plane->turn);
  if (self->grips || self->proxy.distance < radius) {
    pl_vec3_copy(plane->point, self->shown);
    if (!self->grips) pl_vec3_add_scaled(radius, plane->normal, self->shown);
  }
}

/* Takes hold of what it touches, or lets go. */
static void grip(pl_haptic *self, const pl_servo_report *report)
{
  int wants = report->is_gripping || self->must_grip;
  int touches = self->proxy.spot.body.index1 && self->proxy.distance <= self->servo.spring.radius;
  self->grips = report->is_present && wants && (self->grips || touches);
}

/* Is it so far away that it will touch nothing in the next step? */
static int is_far(const pl_haptic *self)
{
  return self->proxy.distance > self->servo.spring.radius + size_of(self);
}

/* What the tool touches first; a point that is held stays. */
static pl_status find_proxy(pl_haptic *self, const double x[3], pl_error *error)
{
  if (self->grips && pl_world_body_mesh(self->world, self->proxy.spot.body)) return PL_OK;
  self->grips = 0;
  pl_patch_forget(&self->patch);
  pl_status status =
      self->tool ? pl_world_nearest_to_shape(self->world, self->tool, x, &self->proxy, error)
                 : pl_world_nearest(self->world, x, &self->proxy, error);
  if (status || is_far(self)) return status;
  return pl_patch_spread(&self->patch, self->world, self->tool, size_of(self), x, &self->proxy,
                         error);
}

/* Looks for the proxy and publishes the plane. */
static pl_status look(pl_haptic *self, pl_error *error)
{
  const pl_servo_report *report = pl_servo_read(&self->servo);
  pl_plane plane = {0};
  pl_pull_facts facts;
  pl_status status = PL_OK;
  pl_vec3_copy(report->position, self->shown);
  if (report->is_present)
    status = find_proxy(self, report->position, error);
  else
    self->proxy = (pl_hit){.face = -1};
  grip(self, report);
  // the force is renewed before it acts; until then it can be read
  pl_haptic_touch touch = self->touch;
  touch.spot = self->proxy.spot;
  touch.is_gripped = self->grips;
  if (!status) status = press(self, &touch, error);
  if (!status && self->pull.index1) {
    status = pl_world_read_pull(self->world, self->pull, &facts, error);
    double time = self->servo.has_thread ? pl_servo_time(&self->servo) : report->time;
    if (!status) make_plane(self, &facts, report->position, time, &plane);
  }
  pl_servo_publish(&self->servo, &plane);
  return status;
}

/* The ticks of one step in simulated time. */
static void tick(pl_haptic *self)
{
  double h = pl_world_dt(self->world), t = pl_world_time(self->world);
  int count = (int)fmax(1, floor(h * PL_SERVO_RATE + 0.5));
  for (int i = 0; i < count; i++) pl_servo_tick(&self->servo, t + i * (h / count), h / count);
}

pl_status pl_haptic_begin(pl_haptic *haptic, pl_error *error)
{
  pl_haptic_touch touch;
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_begin needs a hand");
  if (!haptic->servo.has_thread) tick(haptic);
  collect(haptic, pl_servo_read(&haptic->servo), &touch);
  return press(haptic, &touch, error);
}

/* What acted in the step stays readable: of a grip, the force of its spring at the end. */
pl_status pl_haptic_end(pl_haptic *haptic, pl_error *error)
{
  pl_pull_facts facts;
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_end needs a hand");
  pl_haptic_touch touch = haptic->touch;
  if (touch.is_gripped && !pl_world_read_pull(haptic->world, haptic->pull, &facts, NULL))
    pl_vec3_copy(facts.force, touch.force);
  pl_status status = look(haptic, error);
  haptic->touch = touch;
  return status;
}

pl_status pl_haptic_step(pl_haptic *haptic, pl_error *error)
{
  pl_status status = pl_haptic_begin(haptic, error);
  if (!status) status = pl_world_step(haptic->world, error);
  return status ? status : pl_haptic_end(haptic, error);
}

pl_status pl_haptic_repeat(pl_haptic *haptic, const pl_haptic_touch *touch, pl_error *error)
{
  if (!haptic || !touch)
    return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_repeat needs a hand and a touch");
  pl_status status = press(haptic, touch, error);
  if (!status) status = pl_world_step(haptic->world, error);
  return status ? status : pl_haptic_end(haptic, error);
}

/* ---- by a program ---- */

pl_status pl_haptic_place(pl_haptic *haptic, const double position[3], pl_error *error)
{
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_place needs a hand");
  pl_device *device = haptic->servo.device;
  if (!device->ops->place)
    return pl_fail(error, PL_E_ARGUMENT, "the device \"%s\" knows its place; use mouse",
                   device->ops->info.name);
  if (position && !isfinite(pl_vec3_norm(position)))
    return pl_fail(error, PL_E_ARGUMENT, "a place needs three finite numbers");
  device->ops->place(device, position);
  return PL_OK;
}

pl_status pl_haptic_grip(pl_haptic *haptic, const pl_spot *spot, pl_error *error)
{
  if (!haptic) return pl_fail(error, PL_E_ARGUMENT, "pl_haptic_grip needs a hand");
  haptic->grips = haptic->must_grip = 0;
  haptic->proxy = (pl_hit){.face = -1};
  haptic->touch = (pl_haptic_touch){0};
  pl_servo_publish(&haptic->servo, &(pl_plane){0}); // what was felt until now is no more
  if (!spot) return press(haptic, &haptic->touch, error);
  pl_pull_facts facts;
  pl_haptic_touch touch = {.spot = *spot}; // nothing acts before the next step
  pl_status status = press(haptic, &touch, error);
  if (!status) status = pl_world_read_pull(haptic->world, haptic->pull, &facts, error);
  if (status) return status;
  haptic->grips = haptic->must_grip = 1;
  haptic->proxy.spot = *spot;
  pl_vec3_copy(facts.position, haptic->shown);
  return PL_OK;
}

void pl_haptic_read(pl_haptic *haptic, pl_haptic_facts *facts)
{
  if (!haptic || !facts) return;
  const pl_servo_report *report = pl_servo_read(&haptic->servo);
  *facts = (pl_haptic_facts){.is_present = report->is_present,
                             .is_moving = report->is_moving,
                             .is_gripping = haptic->grips,
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
  pl_vec3_copy(haptic->shown, facts->proxy);
}
