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
#define OUT       1.0  /* m/s, at which what is deep inside comes out */
#define TURN      0.7  /* cosine between normals beyond which they are those of two surfaces */
enum { EARLY = 4 };    /* passes in which every node may still change its mind */
enum { LANDINGS = 6 }; /* passes in which feet are updated */

static void release(pl_contact *contact)
{
  const pl_allocator *allocator = contact->base.bodies->allocator;
  pl_free(allocator, contact->touches);
  pl_free(allocator, contact->touch_of1);
  pl_free(allocator, contact->is_point);
  pl_free(allocator, contact->touched);
  pl_free(allocator, contact->leaves);
  contact->touches = NULL;
  contact->touch_of1 = NULL;
  contact->is_point = contact->touched = contact->leaves = NULL;
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
  if (!contact->touches || !contact->touch_of1 || !contact->is_point || !contact->touched ||
      !contact->leaves)
    return pl_fail_memory(error);
  contact->blocks = (int)blocks;
  double size = 0;
  forget_layers(contact);
  if (contact->mode == PL_CONTACT_NONE) return PL_OK;
  for (size_t b = 0; b < self->bodies->count; b++) {
    pl_body *body = &self->bodies->list[b];
    int all = contact->mode == PL_CONTACT_LAYER;
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

/* Do others than contact leave the block no direction? */
static int is_held(const pl_contact *contact, const pl_rows *rows, int block)
{
  pl_span span = {0};
  for (int i = rows->start[block]; i < rows->start[block + 1]; i++) {
    const pl_row *row = &rows->list[rows->order[i]];
    if (row->source != contact->source) pl_span_add(&span, row);
  }
  return span.count == 3;
}

/* Adds what the block touches; the nearest ones where there are more than three. */
static void add_touched(pl_touch *touch, const struct pl_touched *at)
{
  int place = 0;
  if (touch->count < PL_MOST_TOUCHED) {
    touch->at[touch->count++] = *at;
    return;
  }
  for (int c = 1; c < PL_MOST_TOUCHED; c++) {
    if (touch->at[c].gap > touch->at[place].gap) place = c;
  }
  if (at->gap < touch->at[place].gap) touch->at[place] = *at;
}

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

/* ---- where nodes land ---- */

/* Does the node bounce rather than land, and how deep was it? */
static void look_back(const pl_contact *contact, const pl_obstacle *obstacle, const double x0[3],
                      const double v0[3], double h, struct pl_touched *at)
{
  double n[3], w[3], before = at->gap;
  if (obstacle->is_placed) before = pl_obstacle_gap_in(obstacle, &obstacle->start, x0, n, NULL);
  at->excess = fmax(-before - OUT * h, 0);
  pl_axes_velocity(&obstacle->end, x0, w);
  double in = pl_vec3_dot(at->normal, w) - pl_vec3_dot(at->normal, v0);
  at->rebound = 0;
  if (obstacle->restitution > 0 && before > -contact->slack && in > contact->slow)
    at->rebound = obstacle->restitution * in;
}

/* The tangent plane in which it is to end. */
static void set_foot(const double x0[3], const double foot[3], const double normal[3],
                     struct pl_touched *at)
{
  double away[3];
  pl_vec3_copy(foot, at->foot);
  pl_vec3_copy(normal, at->normal);
  pl_vec3_sub(x0, foot, away);
  at->gap = pl_vec3_dot(normal, away);
}

/* Would a node that goes from x0 to x enter the obstacle? Fills gap, normal and foot. */
static int enters(const pl_contact *contact, const pl_obstacle *obstacle, const double x0[3],
                  const double way[3], struct pl_touched *at)
{
  double x[3], foot[3], normal[3], slack = 0;
  if (contact->mode == PL_CONTACT_HELD) {
    // it lies there, and does not leave
    double gap = pl_obstacle_gap_in(obstacle, &obstacle->start, x0, normal, NULL);
    if (!(gap <= contact->slack) || pl_vec3_dot(normal, way) > 0) return 0;
    at->gap = pl_obstacle_gap(obstacle, x0, at->normal);
    pl_vec3_copy(x0, at->foot);
    pl_vec3_add_scaled(-at->gap, at->normal, at->foot);
    return 1;
  }
  if (pl_obstacle_is_flat(obstacle)) {
    at->gap = pl_obstacle_gap(obstacle, x0, at->normal);
    return at->gap + pl_vec3_dot(at->normal, way) < -slack;
  }
  pl_vec3_add(x0, way, x);
  if (!pl_obstacle_catches(obstacle, x0, x, slack, foot, normal)) return 0;
  set_foot(x0, foot, normal, at);
  return 1;
}

/* Takes the obstacles that the block would enter if it went that way. */
static void look_ahead(pl_contact *contact, int block, const pl_substep *step, const double way[3],
                       int bounces)
{
  const double *x = step->q + 3 * (size_t)block, *v = step->v + 3 * (size_t)block;
  pl_touch *touch = NULL;
  for (size_t o = 0; o < contact->count; o++) {
    struct pl_touched at = {.obstacle = (int)o};
    if (!enters(contact, &contact->obstacles[o], x, way, &at)) continue;
    look_back(contact, &contact->obstacles[o], x, v, step->h, &at);
    if (!bounces) at.rebound = 0;
    if (!touch) touch = pl_contact_touch(contact, block);
    add_touched(touch, &at);
  }
}

/* Does one of the body's blocks touch since the last substep? */
static int touched_before(const pl_contact *contact, const pl_body *body)
{
  const double *memory = contact->base.memory + PL_CONTACT_MEMORY * (size_t)body->offset;
  for (int i = 0; i < body->blocks; i++) {
    if (memory[PL_CONTACT_MEMORY * (size_t)i] > 0) return 1;
  }
  return 0;
}

/* Takes the blocks of a body that would enter something if they went on as they do, with what outer
 * forces give them. What is apart from the obstacles its body lies on is held up by the body. */
static void begin_body(pl_contact *contact, const pl_body *body, const pl_substep *step,
                       const double *rate)
{
  int lies = touched_before(contact, body);
  for (int i = body->offset; i < body->offset + body->blocks; i++) {
    const double *v = step->v + 3 * (size_t)i;
    const double *memory = contact->base.memory + PL_CONTACT_MEMORY * (size_t)i;
    double way[3], falls = lies && !(memory[0] > 0) ? 0 : step->h;
    if (!contact->is_point[i] || contact->mode == PL_CONTACT_MOVED) continue;
    for (int k = 0; k < 3; k++) way[k] = step->h * (v[k] + falls * rate[3 * (size_t)i + (size_t)k]);
    look_ahead(contact, i, step, way, !(memory[0] > 0));
    if (!contact->touch_of1[i]) continue;
    pl_touch *touch = &contact->touches[contact->touch_of1[i] - 1];
    if (is_held(contact, step->rows, i))
      drop_touch(contact, touch);
    else
      pl_friction_begin(contact, touch, step, memory);
  }
}

/* The largest acceleration of a node by outer forces. */
static double fastest(const pl_contact *contact, const double *rate)
{
  double max = 0;
  for (int i = 0; i < contact->blocks; i++) {
    const double *a = rate + 3 * (size_t)i;
    if (contact->is_point[i]) max = fmax(max, pl_vec3_dot(a, a));
  }
  return sqrt(max);
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  double *rate = step->work[0];
  pl_contact_begin(contact, step->t, step->t + step->h);
  step->system->ops->external(step->system, step->t + step->h, step->q, step->v, rate);
  step->system->ops->mass_inverse(step->system, rate, rate);
  contact->slow = 2 * step->h * fastest(contact, rate);
  contact->touch_count = 0;
  memset(contact->touch_of1, 0, (size_t)contact->blocks * sizeof *contact->touch_of1);
  for (size_t b = 0; b < self->bodies->count; b++)
    begin_body(contact, &self->bodies->list[b], step, rate);
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
  if (touch->count == 0) drop_touch(contact, touch);
  return 1;
}

static int touches(const pl_touch *touch, int obstacle)
{
  for (int c = 0; touch && c < touch->count; c++) {
    if (touch->at[c].obstacle == obstacle) return 1;
  }
  return 0;
}

/* Is the node, which began at x0, inside or behind the obstacle by more than the slack? */
static int has_entered(const pl_contact *contact, const pl_obstacle *obstacle, const double x0[3],
                       const double x[3], struct pl_touched *at)
{
  double foot[3], normal[3];
  if (pl_obstacle_is_flat(obstacle)) {
    if (!(pl_obstacle_gap(obstacle, x, at->normal) < -contact->slack)) return 0;
    at->gap = pl_obstacle_gap(obstacle, x0, at->normal);
    return 1;
  }
  if (!pl_obstacle_catches(obstacle, x0, x, contact->slack, foot, normal)) return 0;
  set_foot(x0, foot, normal, at);
  return 1;
}

/* Takes the obstacles that the block has entered. */
static int catch_up(pl_contact *contact, const pl_substep *step, int block)
{
  const double *x = step->q + 3 * (size_t)block, *x0 = step->q0 + 3 * (size_t)block;
  const double *memory = contact->base.memory + PL_CONTACT_MEMORY * (size_t)block;
  int caught = 0;
  for (size_t o = 0; o < contact->count; o++) {
    const pl_obstacle *obstacle = &contact->obstacles[o];
    int place1 = contact->touch_of1[block];
    pl_touch *touch = place1 ? &contact->touches[place1 - 1] : NULL;
    struct pl_touched at = {.obstacle = (int)o};
    if (touches(touch, (int)o)) continue;
    if (!has_entered(contact, obstacle, x0, x, &at)) continue;
    if (is_held(contact, step->rows, block)) continue;
    if (touch && touch->count == PL_MOST_TOUCHED) continue;
    look_back(contact, obstacle, x0, step->v0 + 3 * (size_t)block, step->h, &at);
    if (memory[0] > 0) at.rebound = 0;
    if (!touch) touch = pl_contact_touch(contact, block);
    touch->joined_late |= step->pass > EARLY;
    add_touched(touch, &at);
    pl_friction_begin(contact, touch, step, memory);
    caught = 1;
  }
  return caught;
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
  set_foot(x0, foot, n, &more);
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

static int revise(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
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
  for (int i = 0; i < contact->blocks && is_exact; i++)
    changed += contact->is_point[i] && catch_up(contact, step, i);
  // bounds are those of the right nodes only, or of almost all of them
  int rubs = changed <= FEW_WRONG * contact->touch_count && pl_friction_revise(contact, step);
  return changed > 0 || rubs;
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
    .per_block = PL_CONTACT_MEMORY,
    .size = sizeof(pl_contact),
    .destroy = destroy,
    .prepare = prepare,
    .row_count = row_count,
    .memory = memory,
    .begin = begin,
    .constrain = constrain,
    .velocity = velocity,
    .evaluate = evaluate,
    .revise = revise,
    .finish = finish,
    .contacts = contacts,
    .grips = grips,
};
