/* The return mapping of friction; friction.h says what is computed. */
#include "couple/friction.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define IMPLICIT 100.0 /* kappa where forces are implicit */
#define EXPLICIT 0.1   /* and where they are explicit */
#define SHIFT    2e4   /* 1/s: slip that is none, in slacks, which are 1e-6 of the size */
#define DAMPED   0.5   /* part of critical damping of the spring */
#define ABOUT    0.05  /* of the spring's stiffness: what predictions take for a node's own */
#define CLOSE    0.05  /* part of all bounds together by which bounds may still change */
#define RIGHT    0.01  /* and by which forces may be wrong; by twice that after the second pass */
#define BALANCED 1e-3  /* statics: part of their change in the step by which they may be wrong */
#define NOTHING  1e-8  /* and part of all bounds below which they do not change */
enum { FEW = 6 };      /* passes in which bounds are still corrected */
enum { ENOUGH = 8 };   /* passes in which forces are */

/* The part of x along the surface: at right angles to all normals. */
static void along_surface(const pl_touch *touch, double x[3])
{
  pl_row rows[PL_MOST_TOUCHED];
  pl_span span;
  const double *normal = touch->at[0].normal;
  if (touch->count == 1) {
    pl_vec3_add_scaled(-pl_vec3_dot(normal, x), normal, x);
    return;
  }
  span.count = 0;
  for (int c = 0; c < touch->count; c++) {
    pl_vec3_copy(touch->at[c].normal, rows[c].direction);
    pl_span_add(&span, &rows[c]);
  }
  pl_span_free(&span, x);
}

static double coefficient(const pl_contact *contact, const pl_touch *touch, int c)
{
  const pl_obstacle *obstacle = &contact->obstacles[touch->at[c].obstacle];
  return touch->friction.slides ? obstacle->friction : obstacle->static_friction;
}

/* The bound by the normal forces that the last pass found. */
static double bound_of(const pl_contact *contact, const pl_touch *touch)
{
  double bound = 0;
  for (int c = 0; c < touch->count; c++)
    bound += coefficient(contact, touch, c) * fmax(touch->at[c].force, 0);
  return bound;
}

/* The bound by those that would stop the node if it were alone and kept its velocity. */
static double expected_bound(const pl_contact *contact, const pl_touch *touch,
                             const pl_substep *step, double mass)
{
  const double *v = step->v0 + 3 * (size_t)touch->block;
  double bound = 0, h = step->h;
  for (int c = 0; c < touch->count; c++) {
    double deep = -touch->at[c].gap - h * pl_vec3_dot(touch->at[c].normal, v);
    bound += coefficient(contact, touch, c) * mass * fmax(deep, 0) / (h * h);
  }
  return bound;
}

/* How far what the node lies on moves in the substep: the mean of all that it touches. */
static void find_carried(const pl_contact *contact, const pl_touch *touch, const double x[3],
                         double carried[3])
{
  pl_vec3_set(carried, 0, 0, 0);
  for (int c = 0; c < touch->count; c++) {
    const pl_obstacle *obstacle = &contact->obstacles[touch->at[c].obstacle];
    double own[3], to[3];
    if (!obstacle->is_placed) continue;
    pl_axes_own(&obstacle->start, x, own);
    pl_axes_point(&obstacle->end, own, to);
    pl_vec3_sub(to, x, to);
    pl_vec3_add_scaled(1.0 / touch->count, to, carried);
  }
}

/* k and c; in statics there is no time to measure by. */
static void choose_stiffness(const pl_body *body, const pl_substep *step, double mass,
                             pl_friction *to)
{
  int is_implicit = step->system->A != NULL;
  double lambda = 0, mu = 0;
  to->stiffness = (is_implicit ? IMPLICIT : EXPLICIT) * mass / (step->h * step->h);
  to->damping = 2 * DAMPED * sqrt(to->stiffness * mass);
  if (!step->system->is_static) return;
  ((const pl_law_ops *)body->law.member)->lame(body->law.values, &lambda, &mu, NULL);
  to->stiffness = IMPLICIT * mu * pl_body_size(body) / sqrt((double)body->blocks);
  to->damping = 0;
}

/* ---- the law ---- */

/* The force of spring and damper at displacement d and velocity u. */
static void uncut_force(const pl_friction *law, const double d[3], const double u[3], double t[3])
{
  pl_vec3_copy(law->force, t);
  pl_vec3_add_scaled(-law->stiffness, d, t);
  pl_vec3_add_scaled(-law->damping, u, t);
}

/* Cuts it to the bound; returns the share that is left, and the direction if that is not all. */
static double cut_force(double bound, double t[3], double direction[3])
{
  double size = pl_vec3_norm(t);
  pl_vec3_set(direction, 0, 0, 0);
  if (size <= bound || size == 0) return 1;
  pl_vec3_scale(1 / size, t, direction);
  pl_vec3_scale(bound, direction, t);
  return bound / size;
}

/* The uncut force about which the law is linearised next, from the force t that acted and the uncut
 * one where that has led to; friction.h. */
static void predict(pl_friction *law, const double t[3], const double uncut[3])
{
  double direction[3], *to = law->about;
  for (int k = 0; k < 3; k++) to[k] = t[k] + ABOUT * (uncut[k] - t[k]);
  double over = pl_vec3_norm(to) - law->bound;
  if (cut_force(law->bound, to, direction) < 1) pl_vec3_add_scaled(over / ABOUT, direction, to);
}

/* The slip of a node that has not touched before, if it kept its velocity, a second. */
static void expected_slip(const pl_substep *step, int block, const double carried[3], double u[3])
{
  pl_vec3_copy(step->v0 + 3 * (size_t)block, u);
  if (!step->system->is_static) pl_vec3_add_scaled(-1 / step->h, carried, u);
}

void pl_friction_begin(const pl_contact *contact, pl_touch *touch, const pl_substep *step,
                       const double *memory)
{
  const pl_body *body = pl_bodies_owner(contact->base.bodies, touch->block);
  double mass = body->model->lumped_mass[touch->block - body->offset];
  const double *x = step->q0 + 3 * (size_t)touch->block;
  pl_friction *to = &touch->friction;
  *to = (pl_friction){.is_linear = step->system->A != NULL, .t0 = step->t, .h = step->h};
  if (step->system->freezes_time) to->t0 -= step->h; // as if it were at its end already
  to->slides = memory[0] > 1;
  find_carried(contact, touch, x, to->carried);
  to->bound = memory[0] > 0 ? memory[1] : expected_bound(contact, touch, step, mass);
  to->next_bound = to->bound;
  pl_vec3_copy(memory + 2, to->force);
  along_surface(touch, to->force);
  pl_vec3_copy(x, to->x0);
  choose_stiffness(body, step, mass, to);
  double u[3], d[3], uncut[3];
  if (memory[0] > 0)
    pl_vec3_copy(memory + 5, u);
  else
    expected_slip(step, touch->block, to->carried, u);
  along_surface(touch, u);
  pl_vec3_scale(step->h, u, d);
  uncut_force(to, d, u, uncut);
  predict(to, to->force, uncut);
}

/* M = scale share (P - direction direction^T) on the surface, applied to x. */
static void apply(const pl_touch *touch, double scale, const double direction[3], double x[3])
{
  along_surface(touch, x);
  pl_vec3_add_scaled(-pl_vec3_dot(direction, x), direction, x);
  pl_vec3_scale(scale, x, x);
}

/* Displacement and velocity along the surface, against the obstacle at time t. */
static void look(const pl_touch *touch, double t, const double *q, const double *v, double d[3],
                 double u[3])
{
  const pl_friction *law = &touch->friction;
  double share = fmin(fmax((t - law->t0) / law->h, 0), 1);
  pl_vec3_sub(q + 3 * (size_t)touch->block, law->x0, d);
  pl_vec3_copy(v + 3 * (size_t)touch->block, u);
  pl_vec3_add_scaled(-share, law->carried, d);
  pl_vec3_add_scaled(-1 / law->h, law->carried, u);
  along_surface(touch, d);
  along_surface(touch, u);
}

/* The force as the integrator sees it, and the tangent's share and direction. */
static double force_at(const pl_touch *touch, const double d[3], const double u[3], double t[3],
                       double direction[3])
{
  const pl_friction *law = &touch->friction;
  double change[3];
  uncut_force(law, d, u, t);
  if (!law->is_linear) return cut_force(law->bound, t, direction);
  pl_vec3_sub(t, law->about, change);
  pl_vec3_copy(law->about, t);
  double left = cut_force(law->bound, t, direction);
  apply(touch, left, direction, change);
  pl_vec3_add(t, change, t);
  return left;
}

/* Keeps what was seen last in a stage that is over. */
static void count_stage(pl_friction *law, const pl_moment *at)
{
  if (at->stage == law->stage) return;
  for (int i = 0; i < 2; i++) {
    if (at->stage > 1)
      pl_vec3_add_scaled(law->share, law->seen[i], law->sum[i]);
    else
      pl_vec3_set(law->sum[i], 0, 0, 0);
  }
  law->stage = at->stage;
  law->share = at->share;
}

/* After a pass: seen becomes the mean of its stages. */
static void take_mean(pl_friction *law)
{
  for (int i = 0; i < 2 && law->stage > 0; i++) {
    pl_vec3_scale(law->share, law->seen[i], law->seen[i]);
    pl_vec3_add(law->sum[i], law->seen[i], law->seen[i]);
  }
  law->stage = 0;
}

/* The derivative of the linearised force. */
static void slope(const pl_touch *touch, double kq, double kv, double left,
                  const double direction[3], double block[9])
{
  const pl_friction *law = &touch->friction;
  double scale = left * (kq * law->stiffness + kv * law->damping);
  for (int k = 0; k < 3; k++) {
    double *e = block + 3 * k;
    pl_vec3_set(e, k == 0, k == 1, k == 2);
    apply(touch, scale, direction, e);
  }
}

void pl_friction_evaluate(pl_touch *touch, const pl_moment *at, double *f,
                          const pl_tangent *tangent)
{
  pl_friction *law = &touch->friction;
  double t[3], direction[3];
  if (tangent) memset(touch->put, 0, sizeof touch->put);
  if (law->bound == 0) return;
  count_stage(law, at);
  look(touch, at->t, at->q, at->v, law->seen[0], law->seen[1]);
  double left = force_at(touch, law->seen[0], law->seen[1], t, direction);
  if (f) pl_vec3_add(f + 3 * (size_t)touch->block, t, f + 3 * (size_t)touch->block);
  if (!tangent) return;
  slope(touch, tangent->kq, tangent->kv, left, direction, touch->put);
  int place = tangent->A->diagonal[touch->block];
  for (int k = 0; k < 9 && place >= 0; k++)
    tangent->A->values[9 * (size_t)place + (size_t)k] += touch->put[k];
}

void pl_friction_patch(pl_touch *touch, double kq, double kv, pl_bsr *A)
{
  const pl_friction *law = &touch->friction;
  int place = A->diagonal[touch->block];
  double t[3], direction[3], block[9] = {0};
  pl_vec3_copy(law->about, t);
  double left = cut_force(law->bound, t, direction);
  if (touch->count > 0 && law->bound > 0) slope(touch, kq, kv, left, direction, block);
  for (int k = 0; k < 9; k++) {
    if (place >= 0) A->values[9 * (size_t)place + (size_t)k] += block[k] - touch->put[k];
    touch->put[k] = block[k];
  }
}

/* ---- after a pass ---- */

/* How far the linearised force is from the law's where the integrator has taken it. Methods that
 * solve linear systems only have asked before they solved. */
static double error_of(pl_touch *touch, const pl_substep *step)
{
  pl_friction *law = &touch->friction;
  double used[3], right[3], direction[3];
  if (!law->is_linear || law->bound == 0) return 0;
  if (step->system->is_linear)
    look(touch, step->t + step->h, step->q, step->v, law->seen[0], law->seen[1]);
  force_at(touch, law->seen[0], law->seen[1], used, direction);
  uncut_force(law, law->seen[0], law->seen[1], right);
  cut_force(law->bound, right, direction);
  return pl_vec3_distance(used, right);
}

/* The force that acted in the pass. */
static void find_used(pl_touch *touch, const pl_substep *step, double used[3])
{
  pl_friction *law = &touch->friction;
  double direction[3];
  pl_vec3_set(used, 0, 0, 0);
  if (law->bound > 0)
    force_at(touch, law->seen[0], law->seen[1], used, direction);
  else // nobody has asked
    look(touch, step->t + step->h, step->q, step->v, law->seen[0], law->seen[1]);
}

/* Linearises again, with the bound that the pass has found. */
static void relinearise(pl_touch *touch, const pl_substep *step)
{
  pl_friction *law = &touch->friction;
  double used[3], uncut[3];
  find_used(touch, step, used);
  uncut_force(law, law->seen[0], law->seen[1], uncut);
  law->bound = law->next_bound;
  predict(law, used, uncut);
  // from one side of the bound to the other it would have to stick on the way
  if (pl_vec3_dot(law->about, used) < 0) pl_vec3_set(law->about, 0, 0, 0);
}

/* Is the force cut, and faster than nodes shift that settle? */
static int has_slipped(const pl_contact *contact, const pl_friction *law, double bound,
                       const double d[3], const double u[3])
{
  double t[3], direction[3];
  uncut_force(law, d, u, t);
  return cut_force(bound, t, direction) < 1 && pl_vec3_norm(d) > SHIFT * contact->slack * law->h;
}

/* A node that static friction cannot hold slides from here on. */
static void start_sliding(const pl_contact *contact, pl_touch *touch)
{
  pl_friction *law = &touch->friction;
  law->next_bound = bound_of(contact, touch);
  if (law->slides) return;
  law->slides = has_slipped(contact, law, law->next_bound, law->seen[0], law->seen[1]);
  if (law->slides) law->next_bound = bound_of(contact, touch);
}

/* In equilibrium forces are held against the law with the bounds that the pass has found, and
 * measured by what has changed since the step began: bounds of nodes that stick may be many times
 * larger. */
static int is_unbalanced(pl_contact *contact, const pl_substep *step)
{
  double wrong = 0, change = 0, all = 0;
  for (int i = 0; i < contact->touch_count; i++) {
    pl_friction *law = &contact->touches[i].friction;
    double used[3], right[3], direction[3];
    find_used(&contact->touches[i], step, used);
    uncut_force(law, law->seen[0], law->seen[1], right);
    cut_force(law->next_bound, right, direction);
    wrong += pl_vec3_distance(used, right);
    change += pl_vec3_distance(right, law->force);
    all += law->next_bound;
  }
  return wrong > fmax(BALANCED * change, NOTHING * all);
}

int pl_friction_revise(pl_contact *contact, const pl_substep *step, int is_repeated)
{
  double change = 0, wrong = 0, all = 0;
  for (int i = 0; i < contact->touch_count; i++) {
    pl_friction *law = &contact->touches[i].friction;
    take_mean(law);
    start_sliding(contact, &contact->touches[i]);
    all += law->next_bound;
    change += fabs(law->next_bound - law->bound);
    wrong += error_of(&contact->touches[i], step);
  }
  all *= sqrt(pl_substep_leniency(step));
  double right = step->pass > 1 ? 2 * RIGHT : RIGHT;
  int again = is_repeated || (step->pass <= FEW && change > CLOSE * all) ||
              (step->pass <= ENOUGH && wrong > right * all);
  if (step->system->is_static) again = is_repeated || is_unbalanced(contact, step);
  for (int i = 0; i < contact->touch_count && again; i++) relinearise(&contact->touches[i], step);
  return again;
}

void pl_friction_finish(const pl_contact *contact, const pl_touch *touch, const pl_substep *step,
                        double *memory)
{
  const pl_friction *law = &touch->friction;
  double d[3], u[3], direction[3];
  look(touch, step->t + step->h, step->q, step->v, d, u);
  // the mean: the velocity at the end may swing from step to step with the midpoint rule
  pl_vec3_scale(1 / law->h, d, memory + 5);
  // the damper's force is no part of what is remembered
  pl_vec3_set(u, 0, 0, 0);
  memory[1] = law->next_bound;
  memory[0] = has_slipped(contact, law, law->next_bound, d, u) ? 2 : 1;
  uncut_force(law, d, u, memory + 2);
  cut_force(law->next_bound, memory + 2, direction);
}
