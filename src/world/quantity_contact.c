/* What touches, as quantities: forces, gaps, slip, and what friction turns into heat. */
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

typedef struct sums {
  int body; /* whose contacts; -1: all */
  double force[3], min, fastest, power;
} sums;

/* The force on a body, or on all together; friction takes the power -F . u along the surface,
 * half of it from each of two bodies. */
static void add(void *context, const pl_meeting *meeting)
{
  sums *to = context;
  const pl_contact_point *at = &meeting->at;
  int of_first = meeting->body == to->body, of_second = meeting->other == to->body;
  double sign = to->body < 0 ? meeting->obstacle >= 0 : of_first - of_second;
  double share = to->body < 0 || meeting->obstacle >= 0 ? 1 : 0.5 * (of_first + of_second);
  if (to->body >= 0 && !of_first && !(meeting->other >= 0 && of_second)) return;
  pl_vec3_add_scaled(sign, at->force, to->force);
  to->min = fmin(to->min, at->gap);
  to->fastest = fmax(to->fastest, pl_vec3_norm(at->slip));
  to->power -= share * pl_vec3_dot(at->force, at->slip);
}

static sums gather(pl_world *world, int body)
{
  sums to = {.body = body, .min = INFINITY};
  if (!pl_world_prepare(world, NULL)) pl_world_meetings(world, &(pl_meeting_sink){add, &to});
  return to;
}

static void read_force(pl_world *world, const pl_probe *probe, double *value)
{
  sums of = gather(world, probe->body);
  pl_vec3_copy(of.force, value);
}

static void read_gap(pl_world *world, const pl_probe *probe, double *value)
{
  double min = gather(world, probe->body).min;
  *value = isfinite(min) ? min : 0;
}

static void read_slip(pl_world *world, const pl_probe *probe, double *value)
{
  *value = gather(world, probe->body).fastest;
}

static void read_power(pl_world *world, const pl_probe *probe, double *value)
{
  *value = gather(world, probe->body).power;
}

static void read_sum(pl_world *world, const pl_probe *probe, double *value)
{
  (void)world;
  *value = probe->sum;
}

PL_QUANTITY(contact_force, "contact-force",
            "sum of what contact exerts on the body, normal forces and friction", "N", 3, 0,
            read_force);
PL_QUANTITY(contact_gap, "contact-gap",
            "least gap of all contacts, negative inside; 0 where nothing touches", "m", 1, 0,
            read_gap);
PL_QUANTITY(slip, "slip", "fastest slip along a surface that is touched", "m/s", 1, 0, read_slip);
PL_QUANTITY(friction_power, "friction-power", "what friction turns into heat", "W", 1, 0,
            read_power);
PL_QUANTITY(friction_heat, "friction-heat",
            "what friction has turned into heat since the probe was added; not restored with a "
            "state",
            "J", 1, 0, read_sum);

PL_QUANTITY(penetration, "penetration",
            "deepest that a contact has been inside since the probe was added; not restored with a "
            "state",
            "m", 1, 0, read_sum);

void pl_world_sum_probes(pl_world *world)
{
  for (size_t i = 0; i < world->probes.count; i++) {
    pl_probe *probe = &world->probes.list[i];
    if (probe->ops == &pl_quantity_friction_heat)
      probe->sum += world->set.dt * gather(world, probe->body).power;
    if (probe->ops == &pl_quantity_penetration)
      probe->sum = fmax(probe->sum, -gather(world, probe->body).min);
  }
}
