/* Coulomb friction as modes of touching nodes; contact.h says what they are. */
#include "couple/friction.h"

#include "math/vec3.h"

#include <math.h>

#define CLOSE  0.1  /* part of all bounds together by which they may still change */
#define OVER   1e-3 /* part of its bound by which a force may exceed it */
#define STRONG 2.0  /* times its bound: more than this a node may not hold even for one substep */
#define SLOW   1e-3 /* part of what friction could stop: slower nodes have no direction of their own */
enum { FEW = 3 };     /* passes in which bounds are still corrected */
enum { ENOUGH = 10 }; /* passes in which modes are still corrected */

/* The part of x along the surface: at right angles to all normals. */
static void along_surface(const pl_touch *touch, double x[3])
{
  pl_row rows[PL_MOST_TOUCHED];
  pl_span span = {0};
  for (int c = 0; c < touch->count; c++) {
    pl_vec3_copy(touch->at[c].normal, rows[c].direction);
    pl_span_add(&span, &rows[c]);
  }
  pl_span_free(&span, x);
}

static double friction_at(const pl_contact *contact, const pl_touch *touch, int c)
{
  return pl_obstacle_friction(&contact->obstacles[touch->at[c].obstacle]);
}

static int has_friction(const pl_contact *contact, const pl_touch *touch)
{
  for (int c = 0; c < touch->count; c++) {
    if (friction_at(contact, touch, c) > 0) return 1;
  }
  return 0;
}

/* The bound by the normal forces that the last pass found. */
static double bound_of(const pl_contact *contact, const pl_touch *touch)
{
  double bound = 0;
  for (int c = 0; c < touch->count; c++)
    bound += friction_at(contact, touch, c) * fmax(touch->at[c].force, 0);
  return bound;
}

/* The bound by those that would stop the node if it were alone. */
static double expected_bound(const pl_contact *contact, const pl_touch *touch, double mass,
                             double h, const double way[3])
{
  double bound = 0;
  for (int c = 0; c < touch->count; c++) {
    double deep = -touch->at[c].gap - pl_vec3_dot(touch->at[c].normal, way);
    bound += friction_at(contact, touch, c) * mass * fmax(deep, 0) / (h * h);
  }
  return bound;
}

void pl_friction_begin(const pl_contact *contact, pl_touch *touch, const pl_substep *step,
                       const double *memory, const double way[3])
{
  const pl_body *body = pl_bodies_owner(contact->base.bodies, touch->block);
  double u[3], mass = body->model->lumped_mass[touch->block - body->offset];
  pl_touch_mode before = (pl_touch_mode)(int)memory[0];
  touch->mode = touch->next_mode = PL_SLIDES;
  if (!has_friction(contact, touch)) return;
  pl_vec3_copy(step->v + 3 * (size_t)touch->block, u);
  along_surface(touch, u);
  touch->bound = before == PL_APART ? expected_bound(contact, touch, mass, step->h, way) : memory[1];
  touch->next_bound = touch->bound;
  double speed = pl_vec3_norm(u), stopped = step->h * touch->bound / mass;
  if (before == PL_STICKS || (before == PL_APART && speed <= stopped))
    touch->mode = touch->next_mode = PL_STICKS;
  if (speed > SLOW * stopped)
    pl_vec3_scale(1 / speed, u, touch->slip);
  else
    pl_vec3_copy(memory + 2, touch->slip);
}

void pl_friction_evaluate(const pl_touch *touch, double *f)
{
  if (touch->mode == PL_SLIDES && touch->bound > 0)
    pl_vec3_add_scaled(-touch->bound, touch->slip, f + 3 * (size_t)touch->block);
}

/* ---- after a pass ---- */

/* Sticking may take no more than the bound. */
static int revise_sticking(pl_touch *touch, int at_once)
{
  double size = pl_vec3_norm(touch->along);
  touch->next_mode = PL_STICKS;
  if (size <= (1 + OVER) * touch->next_bound || size == 0) return 0;
  touch->next_mode = PL_SLIDES;
  pl_vec3_scale(-1 / size, touch->along, touch->slip);
  return at_once || size > STRONG * touch->next_bound;
}

/* Sliding may not turn around. */
static int revise_sliding(pl_touch *touch, const double u[3], int at_once)
{
  double speed = pl_vec3_norm(u);
  touch->next_mode = PL_SLIDES;
  if (speed > 0 && pl_vec3_dot(u, touch->slip) >= 0) {
    pl_vec3_scale(1 / speed, u, touch->slip);
    return 0;
  }
  touch->next_mode = PL_STICKS;
  return at_once && speed > 0;
}

static int revise_mode(pl_touch *touch, const pl_substep *step)
{
  double u[3];
  int at_once = step->system->is_static;
  for (int k = 0; k < 3; k++) {
    size_t i = 3 * (size_t)touch->block + (size_t)k;
    u[k] = at_once ? (step->q[i] - step->q0[i]) / step->h : step->v[i];
  }
  along_surface(touch, u);
  return touch->mode == PL_STICKS ? revise_sticking(touch, at_once)
                                  : revise_sliding(touch, u, at_once);
}

int pl_friction_revise(pl_contact *contact, const pl_substep *step)
{
  int changed = 0;
  double change = 0, all = 0;
  for (int i = 0; i < contact->touch_count; i++) {
    pl_touch *touch = &contact->touches[i];
    if (!has_friction(contact, touch)) continue;
    touch->next_bound = bound_of(contact, touch);
    all += touch->next_bound;
    if (touch->mode == PL_SLIDES) change += fabs(touch->next_bound - touch->bound);
    int again = revise_mode(touch, step);
    if (again && step->pass <= ENOUGH) touch->mode = touch->next_mode;
    changed += again;
  }
  if (step->pass > ENOUGH) changed = 0;
  return changed + (step->pass <= FEW && change > CLOSE * all);
}

void pl_friction_adopt(pl_contact *contact)
{
  for (int i = 0; i < contact->touch_count; i++)
    contact->touches[i].bound = contact->touches[i].next_bound;
}
