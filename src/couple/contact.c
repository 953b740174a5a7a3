/* The coupling "contact": obstacles, and which nodes touch them. Friction stands in friction.c. */
#include "couple/contact.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/friction.h"
#include "couple/penalty.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SLACK     1e-6 /* part of a body's size that a node may be inside an obstacle */
#define FEW_WRONG 0.05 /* part of all nodes that may join or part while friction is corrected */
#define PULL      1e-3 /* part of the mean normal force with which a constraint may pull */
#define TURN      0.7  /* cosine between normals beyond which they are those of two surfaces */
enum { LANDINGS = 6 }; /* passes in which feet are updated */

static void release(pl_contact *contact)
{
  const pl_allocator *allocator = contact->base.bodies->allocator;
  pl_free(allocator, contact->touches);
  pl_free(allocator, contact->touch_of1);
  pl_free(allocator, contact->is_point);
  pl_free(allocator, contact->touched);
  pl_free(allocator, contact->leaves);
  pl_free(allocator, contact->entered);
  contact->touches = NULL;
  contact->touch_of1 = NULL;
  contact->is_point = contact->touched = contact->leaves = contact->entered = NULL;
  contact->touch_count = contact->blocks = 0;
}

static void destroy(pl_coupling *self)
{
  pl_contact *contact = (pl_contact *)self;
  release(contact);
  while (contact->count) pl_contact_remove(contact, contact->count - 1);
  pl_free(self->bodies->allocator, contact->obstacles);
}

/* ---- preparation ---- */

/* Layers are those of a mode. */
static void forget_layers(pl_contact *contact)
{
  const pl_bodies *bodies = contact->base.bodies;
  for (size_t b = 0; b < bodies->count && contact->mode != contact->prepared; b++) {
    pl_free(bodies->allocator, bodies->list[b].penalty);
    bodies->list[b].penalty = NULL;
  }
  contact->prepared = contact->mode;
}

static pl_status prepare(pl_coupling *self, pl_error *error)
{
  pl_contact *contact = (pl_contact *)self;
  const pl_allocator *allocator = self->bodies->allocator;
  size_t blocks = (size_t)self->bodies->blocks, nodes = 0;
  release(contact);
  for (size_t b = 0; b < self->bodies->count; b++)
    nodes += (size_t)self->bodies->list[b].mesh->node_count;
  contact->touches = pl_alloc(allocator, blocks, sizeof *contact->touches);
  contact->touch_of1 = pl_alloc(allocator, blocks, sizeof *contact->touch_of1);
  contact->is_point = pl_alloc(allocator, blocks, 1);
  contact->touched = pl_alloc(allocator, self->bodies->count, 1);
  contact->leaves = pl_alloc(allocator, nodes, 1);
  contact->entered = pl_alloc(allocator, blocks, 1);
  if (!contact->touches || !contact->touch_of1 || !contact->is_point || !contact->touched ||
      !contact->leaves || !contact->entered)
    return pl_fail_memory(error);
  contact->blocks = (int)blocks;
  double size = 0;
  forget_layers(contact);
  if (contact->mode == PL_CONTACT_NONE) return PL_OK;
  for (size_t b = 0; b < self->bodies->count; b++) {
    pl_body *body = &self->bodies->list[b];
    int all = contact->mode == PL_CONTACT_LAYER;
    if (pl_contact_follows(contact, body)) continue;
    pl_status status = pl_penalty_make(self->bodies, body, all, error);
    if (status) return status;
    size = fmax(size, pl_body_size(body));
    // nodes that are blocks of their own
    for (int n = 0; n < body->mesh->node_count && !all; n++) {
      int block = pl_model_node_block(body->model, n);
      if (block >= 0) contact->is_point[body->offset + block] = 1;
    }
  }
  contact->slack = SLACK * size;
  return PL_OK;
}

static int row_count(const pl_coupling *self)
{
  const pl_contact *contact = (const pl_contact *)self;
  int has_rows = contact->mode == PL_CONTACT_ROWS || contact->mode == PL_CONTACT_HELD;
  return has_rows ? PL_MOST_TOUCHED * self->bodies->blocks : 0;
}

static size_t memory(const pl_coupling *self)
{
  return PL_CONTACT_MEMORY * (size_t)self->bodies->blocks;
}

/* ---- who touches ---- */

pl_touch *pl_contact_touch(pl_contact *contact, int block)
{
  pl_touch *touch = &contact->touches[contact->touch_count++];
  *touch = (pl_touch){.block = block};
  contact->touch_of1[block] = contact->touch_count;
  return touch;
}

/* The last touch takes the place of one that is gone. */
static void drop_touch(pl_contact *contact, pl_touch *touch)
{
  pl_touch *last = &contact->touches[--contact->touch_count];
  contact->touch_of1[touch->block] = 0;
  if (last == touch) return;
  *touch = *last;
  contact->touch_of1[touch->block] = 1 + (int)(touch - contact->touches);
}

/* The largest acceleration of a node by outer forces; of any block where another coupling answers.
 */
static double fastest(const pl_contact *contact, const double *rate)
{
  int all = contact->mode == PL_CONTACT_NONE;
  double max = 0;
  for (int i = 0; i < contact->blocks; i++) {
    const double *a = rate + 3 * (size_t)i;
    if (all || contact->is_point[i]) max = fmax(max, pl_vec3_dot(a, a));
  }
  return sqrt(max);
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  double *rate = step->work[0];
  contact->made.A = NULL;
  pl_contact_begin(contact, step->t, step->t + step->h);
  step->system->ops->external(step->system, step->t + step->h, step->q, step->v, rate);
  step->system->ops->mass_inverse(step->system, rate, rate);
  contact->slow = 2 * step->h * fastest(contact, rate);
  pl_contact_search(contact, step, rate);
  for (int i = 0; i < contact->touch_count; i++)
    step->system->pass.is_trial |= contact->touches[i].friction.bound > 0;
  pl_penalty_mark(contact, step->q, 1);
  pl_penalty_leave(contact, step->q, step->v);
}

/* ---- rows ---- */

static void constrain(pl_coupling *self, int source, const double *q, pl_rows *rows)
{
  (void)q;
  pl_contact *contact = (pl_contact *)self;
  contact->source = source;
  for (int i = 0; i < contact->touch_count; i++) {
    const pl_touch *touch = &contact->touches[i];
    pl_row row = {.block = touch->block, .source = source, .transient = 1};
    for (int c = 0; c < touch->count; c++) {
      row.tag = PL_MOST_TOUCHED * i + c;
      pl_vec3_copy(touch->at[c].normal, row.direction);
      pl_rows_add(rows, &row);
    }
  }
}

/* What carries the node to the surface, or away from it. */
static double velocity(const pl_coupling *self, const pl_moment *at, const pl_row *row)
{
  const pl_contact *contact = (const pl_contact *)self;
  const pl_touch *touch = &contact->touches[row->tag / PL_MOST_TOUCHED];
  const struct pl_touched *here = &touch->at[row->tag % PL_MOST_TOUCHED];
  const pl_obstacle *obstacle = &contact->obstacles[here->obstacle];
  const double *x = at->q + 3 * (size_t)touch->block;
  double n[3], w[3];
  if (here->rebound > 0) {
    pl_axes_velocity(&obstacle->end, x, w);
    return here->rebound + pl_vec3_dot(here->normal, w);
  }
  pl_vec3_sub(x, here->foot, w);
  double gap = pl_obstacle_is_flat(obstacle) ? pl_obstacle_gap(obstacle, x, n)
                                             : pl_vec3_dot(here->normal, w);
  return -(gap + here->excess) / at->h;
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_contact *contact = (pl_contact *)self;
  if (tangent) contact->made = *tangent;
  for (int i = 0; i < contact->touch_count; i++)
    pl_friction_evaluate(&contact->touches[i], at, f, tangent);
  pl_penalty_evaluate(contact, at, f, tangent);
}

/* ---- after a pass ---- */

/* The constraint's forces along each normal. */
static void measure(const pl_contact *contact, const pl_substep *step, pl_touch *touch)
{
  const pl_rows *rows = step->rows;
  const double *R = step->reaction + 3 * (size_t)touch->block;
  pl_row normals[PL_MOST_TOUCHED];
  pl_span span = {0};
  double shares[3];
  // what others constrain comes first, as in the filter
  for (int i = rows->start[touch->block]; i < rows->start[touch->block + 1]; i++) {
    const pl_row *row = &rows->list[rows->order[i]];
    if (row->source != contact->source) pl_span_add(&span, row);
  }
  for (int c = 0; c < touch->count; c++) {
    normals[c] = (pl_row){.source = contact->source, .tag = c};
    pl_vec3_copy(touch->at[c].normal, normals[c].direction);
    pl_span_add(&span, &normals[c]);
    touch->at[c].force = 0;
  }
  pl_span_split(&span, R, shares);
  for (int m = 0; m < span.count; m++) {
    if (span.row[m]->source == contact->source) touch->at[span.row[m]->tag].force = shares[m];
  }
}

/* Lets go of the obstacle that would have to pull most. */
static int let_go(pl_contact *contact, pl_touch *touch, double max_pull)
{
  int worst = 0;
  if (touch->joined_late) return 0;
  for (int c = 1; c < touch->count; c++) {
    if (touch->at[c].force < touch->at[worst].force) worst = c;
  }
  if (touch->at[worst].force >= -max_pull) return 0;
  touch->at[worst] = touch->at[--touch->count];
  if (touch->count > 0) return 1;
  if (contact->made.A) pl_friction_patch(touch, 0, 0, contact->made.A);
  drop_touch(contact, touch);
  return 1;
}

/* Updates the foot from where the node came to; 1: it ended off the surface. A surface that
 * faces elsewhere is another one, which is touched as well, or instead once the node is off the
 * first. */
static int land_again(pl_contact *contact, const pl_substep *step, pl_touch *touch, int c)
{
  struct pl_touched *at = &touch->at[c], more = *at;
  const pl_obstacle *obstacle = &contact->obstacles[at->obstacle];
  const double *x = step->q + 3 * (size_t)touch->block, *x0 = step->q0 + 3 * (size_t)touch->block;
  double n[3], foot[3];
  if (pl_obstacle_is_flat(obstacle) || at->rebound > 0 || at->excess > 0) return 0;
  double gap = pl_obstacle_gap(obstacle, x, n);
  if (!(fabs(gap) > contact->slack) || !isfinite(gap)) return 0;
  pl_vec3_copy(x, foot);
  pl_vec3_add_scaled(-gap, n, foot);
  pl_contact_foot(x0, foot, n, &more);
  int other = pl_vec3_dot(n, at->normal) < TURN && gap < 0;
  for (int k = 0; other && k < touch->count; k++) {
    // that one is there already
    if (k != c && touch->at[k].obstacle == at->obstacle &&
        pl_vec3_dot(n, touch->at[k].normal) >= TURN)
      return 0;
  }
  if (other && touch->count == PL_MOST_TOUCHED) return 0;
  if (other)
    touch->at[touch->count++] = more;
  else
    *at = more;
  return 1;
}

static int land_all(pl_contact *contact, const pl_substep *step, pl_touch *touch)
{
  int count = touch->count, changed = 0;
  for (int c = 0; c < count && step->pass <= LANDINGS; c++)
    changed += land_again(contact, step, touch, c);
  return changed;
}

/* Who touches, and their friction; 1: that has changed. */
static int revise_touches(pl_contact *contact, const pl_substep *step)
{
  int changed = 0, is_exact = contact->mode == PL_CONTACT_ROWS;
  double sum = 0;
  for (int i = 0; i < contact->touch_count; i++) {
    pl_touch *touch = &contact->touches[i];
    measure(contact, step, touch);
    for (int c = 0; c < touch->count; c++) sum += fmax(touch->at[c].force, 0);
  }
  double max_pull = contact->touch_count ? PULL * sum / contact->touch_count : 0;
  max_pull *= pl_substep_leniency(step);
  // from the last, since one that is dropped is replaced by the last
  for (int i = contact->touch_count - 1; i >= 0; i--) {
    int gone = let_go(contact, &contact->touches[i], max_pull);
    changed += gone;
    if (!gone && is_exact) changed += land_all(contact, step, &contact->touches[i]);
  }
  if (is_exact) changed += pl_contact_catch(contact, step);
  // bounds are those of the right nodes only, or of almost all of them, unless they are a guess
  if (changed > FEW_WRONG * contact->touch_count && !step->system->pass.is_cut) return 1;
  return pl_friction_revise(contact, step, changed > 0);
}

/* Can the matrix be corrected? It is A alone, as it was evaluated. */
static int can_patch(const pl_contact *contact, const pl_system *system)
{
  int is_alone = !system->filter.links && !system->ops->chart && !pl_pairs_exist(system->pairs);
  return contact->made.A && is_alone && !system->is_linear;
}

static int revise(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  if (!can_patch(contact, step->system)) contact->made.A = NULL;
  int again = revise_touches(contact, step);
  if (!again || !contact->made.A) return again;
  for (int i = 0; i < contact->touch_count; i++)
    pl_friction_patch(&contact->touches[i], contact->made.kq, contact->made.kv, contact->made.A);
  step->system->pass.patched++;
  return 1;
}
/* What the obstacles exert on the node, for those who ask. */
static void tell_force(pl_contact *contact, const pl_touch *touch, const double friction[3])
{
  for (int c = 0; c < touch->count; c++) {
    pl_obstacle *obstacle = &contact->obstacles[touch->at[c].obstacle];
    pl_vec3_add_scaled(touch->at[c].force, touch->at[c].normal, obstacle->force);
    pl_vec3_add_scaled(1.0 / touch->count, friction, obstacle->force);
    obstacle->nodes++;
  }
}

static void finish(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  for (size_t o = 0; o < contact->count; o++) {
    pl_vec3_set(contact->obstacles[o].force, 0, 0, 0);
    contact->obstacles[o].nodes = 0;
  }
  pl_penalty_mark(contact, step->q, 0);
  memset(self->memory, 0, memory(self) * sizeof *self->memory);
  for (int i = 0; i < contact->touch_count; i++) {
    const pl_touch *touch = &contact->touches[i];
    double *kept = self->memory + PL_CONTACT_MEMORY * (size_t)touch->block;
    pl_friction_finish(contact, touch, step, kept);
    tell_force(contact, touch, kept + 2);
    const pl_body *body = pl_bodies_owner(self->bodies, touch->block);
    contact->touched[body - self->bodies->list] = 1;
  }
  if (contact->mode == PL_CONTACT_MOVED || contact->mode == PL_CONTACT_HELD)
    pl_contact_move(contact, step);
}

static void contacts(pl_coupling *self, const pl_moment *at, const pl_meeting_sink *to)
{
  pl_contact *contact = (pl_contact *)self;
  for (int i = 0; i < contact->touch_count; i++) {
    const pl_touch *touch = &contact->touches[i];
    for (int c = 0; c < touch->count; c++) pl_contact_list(contact, touch, c, at, to);
  }
  pl_penalty_contacts(contact, at, to);
}

/* Of penalty layers it is known only where forces are evaluated who touches. */
static int is_changing(const pl_coupling *self)
{
  const pl_contact *contact = (const pl_contact *)self;
  int has_layers = 0;
  for (size_t b = 0; b < self->bodies->count; b++)
    has_layers |= self->bodies->list[b].penalty != NULL;
  return contact->touch_count > 0 || (contact->count > 0 && has_layers);
}

static int grips(const pl_coupling *self, int body)
{
  const pl_contact *contact = (const pl_contact *)self;
  if (!contact->touched) return 0;
  for (int i = 0; i < contact->touch_count; i++) {
    const pl_body *of = pl_bodies_owner(self->bodies, contact->touches[i].block);
    if (of - self->bodies->list == body) return 1;
  }
  return contact->touched[body];
}

const pl_coupling_ops pl_coupling_contact = {
    .info = {"contact", "keeps all bodies out of the obstacles, with Coulomb's friction", "", NULL,
             0, NULL},
    .is_internal = 1, // friction is stiff
    .is_contact = 1,
    .remembers.per_block = PL_CONTACT_MEMORY,
    .size = sizeof(pl_contact),
    .destroy = destroy,
    .prepare = prepare,
    .row_count = row_count,
    .memory = memory,
    .begin = begin,
    .constrain = constrain,
    .velocity = velocity,
    .evaluate = evaluate,
    .is_changing = is_changing,
    .revise = revise,
    .finish = finish,
    .contacts = contacts,
    .grips = grips,
};
