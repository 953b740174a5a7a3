/* The coupling "contact": obstacles, and which nodes touch them. Friction stands in friction.c. */
#include "couple/contact.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/friction.h"
#include "couple/penalty.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SLACK 1e-6   /* part of a body's size that a node may be inside an obstacle */
#define PULL  1e-3   /* part of the mean normal force with which a constraint may pull */
enum { EARLY = 4 };  /* passes in which every node may still change its mind */
enum { MEMORY = 5 }; /* numbers per block: does it touch, and what friction remembers */

/* ---- obstacles ---- */

double pl_obstacle_gap(const pl_obstacle *obstacle, const double x[3], double normal[3])
{
  const pl_obstacle_ops *ops = (const pl_obstacle_ops *)obstacle->part.member;
  return ops->gap(obstacle->part.values, x, normal);
}

double pl_obstacle_friction(const pl_obstacle *obstacle) { return obstacle->part.values[0]; }

double pl_contact_nearest(const pl_contact *contact, const double x[3], double normal[3])
{
  double least = INFINITY;
  for (size_t i = 0; i < contact->count; i++) {
    double n[3], gap = pl_obstacle_gap(&contact->obstacles[i], x, n);
    if (gap >= least) continue;
    least = gap;
    pl_vec3_copy(n, normal);
  }
  return least;
}

/* A free number for its id, or one more. */
static pl_status take_slot(pl_contact *contact, pl_obstacle *obstacle, pl_error *error)
{
  size_t slot = 0;
  for (size_t i = 0; i < contact->count; i++) {
    if (contact->obstacles[i].slot == (int)slot) slot++, i = (size_t)-1;
  }
  if (slot == contact->slot_count) {
    void *memory = contact->generations;
    if (pl_reserve(contact->base.bodies->allocator, &memory, &contact->slot_room, slot + 1,
                   sizeof *contact->generations))
      return pl_fail_memory(error);
    contact->generations = memory;
    contact->generations[contact->slot_count++] = 0;
  }
  obstacle->slot = (int)slot;
  obstacle->generation = ++contact->generations[slot];
  return PL_OK;
}

pl_status pl_contact_add(pl_contact *contact, const pl_obstacle_def *def, pl_error *error)
{
  const pl_allocator *allocator = contact->base.bodies->allocator;
  pl_obstacle made = {0};
  void *memory = contact->obstacles;
  pl_status status = pl_choice_resolve(&pl_obstacle_family, &def->shape, &made.part.member,
                                       made.part.values, error);
  if (status) return status;
  status = ((const pl_obstacle_ops *)made.part.member)->settle(made.part.values, error);
  if (!status && pl_reserve(allocator, &memory, &contact->room, contact->count + 1, sizeof made))
    status = pl_fail_memory(error);
  contact->obstacles = memory;
  if (!status) status = take_slot(contact, &made, error);
  if (status) return status;
  made.name = pl_strdup(allocator, def->name ? def->name : "obstacle");
  if (!made.name) return pl_fail_memory(error);
  contact->obstacles[contact->count++] = made;
  return PL_OK;
}

void pl_contact_remove(pl_contact *contact, size_t obstacle)
{
  pl_obstacle *from = contact->obstacles + obstacle;
  pl_free(contact->base.bodies->allocator, from->name);
  memmove(from, from + 1, (--contact->count - obstacle) * sizeof *from);
}

static void release(pl_contact *contact)
{
  const pl_allocator *allocator = contact->base.bodies->allocator;
  pl_free(allocator, contact->touches);
  pl_free(allocator, contact->touch_of1);
  pl_free(allocator, contact->is_point);
  pl_free(allocator, contact->touched);
  contact->touches = NULL;
  contact->touch_of1 = NULL;
  contact->is_point = contact->touched = NULL;
  contact->touch_count = contact->blocks = 0;
}

static void destroy(pl_coupling *self)
{
  pl_contact *contact = (pl_contact *)self;
  release(contact);
  while (contact->count) pl_contact_remove(contact, contact->count - 1);
  pl_free(self->bodies->allocator, contact->obstacles);
  pl_free(self->bodies->allocator, contact->generations);
}

/* ---- preparation ---- */

static pl_status prepare(pl_coupling *self, pl_error *error)
{
  pl_contact *contact = (pl_contact *)self;
  const pl_allocator *allocator = self->bodies->allocator;
  size_t blocks = (size_t)self->bodies->blocks;
  release(contact);
  contact->touches = pl_alloc(allocator, blocks, sizeof *contact->touches);
  contact->touch_of1 = pl_alloc(allocator, blocks, sizeof *contact->touch_of1);
  contact->is_point = pl_alloc(allocator, blocks, 1);
  contact->touched = pl_alloc(allocator, self->bodies->count, 1);
  if (!contact->touches || !contact->touch_of1 || !contact->is_point || !contact->touched)
    return pl_fail_memory(error);
  contact->blocks = (int)blocks;
  double size = 0;
  for (size_t b = 0; b < self->bodies->count; b++) {
    pl_body *body = &self->bodies->list[b];
    pl_status status = pl_penalty_make(self->bodies, body, error);
    if (status) return status;
    size = fmax(size, pl_body_size(body));
    // nodes that are blocks of their own
    for (int n = 0; n < body->mesh->node_count; n++) {
      int block = pl_model_node_block(body->model, n);
      if (block >= 0) contact->is_point[body->offset + block] = 1;
    }
  }
  contact->slack = SLACK * size;
  return PL_OK;
}

static int row_count(const pl_coupling *self) { return PL_MOST_TOUCHED * self->bodies->blocks; }
static size_t memory(const pl_coupling *self) { return MEMORY * (size_t)self->bodies->blocks; }

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

static pl_touch *new_touch(pl_contact *contact, int block)
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

/* Takes the obstacles that the block would enter if it went that way. */
static void look_ahead(pl_contact *contact, int block, const double x[3], const double way[3])
{
  pl_touch *touch = NULL;
  for (size_t o = 0; o < contact->count; o++) {
    struct pl_touched at = {.obstacle = (int)o};
    at.gap = pl_obstacle_gap(&contact->obstacles[o], x, at.normal);
    if (!(at.gap + pl_vec3_dot(at.normal, way) < 0)) continue;
    if (!touch) touch = new_touch(contact, block);
    add_touched(touch, &at);
  }
}

/* Does one of the body's blocks touch since the last substep? */
static int touched_before(const pl_contact *contact, const pl_body *body)
{
  const double *memory = contact->base.memory + MEMORY * (size_t)body->offset;
  for (int i = 0; i < body->blocks; i++) {
    if (memory[MEMORY * (size_t)i] > 0) return 1;
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
    const double *x = step->q + 3 * (size_t)i, *v = step->v + 3 * (size_t)i;
    const double *memory = contact->base.memory + MEMORY * (size_t)i;
    double way[3], falls = lies && !(memory[0] > 0) ? 0 : step->h;
    if (!contact->is_point[i]) continue;
    for (int k = 0; k < 3; k++) way[k] = step->h * (v[k] + falls * rate[3 * (size_t)i + (size_t)k]);
    look_ahead(contact, i, x, way);
    if (!contact->touch_of1[i]) continue;
    pl_touch *touch = &contact->touches[contact->touch_of1[i] - 1];
    if (is_held(contact, step->rows, i))
      drop_touch(contact, touch);
    else
      pl_friction_begin(contact, touch, step, memory);
  }
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  double *rate = step->work[0];
  step->system->ops->external(step->system, step->t + step->h, step->q, step->v, rate);
  step->system->ops->mass_inverse(step->system, rate, rate);
  contact->touch_count = 0;
  memset(contact->touch_of1, 0, (size_t)contact->blocks * sizeof *contact->touch_of1);
  for (size_t b = 0; b < self->bodies->count; b++)
    begin_body(contact, &self->bodies->list[b], step, rate);
  pl_penalty_mark(contact, step->q, 1);
}

/* ---- rows ---- */

static void constrain(pl_coupling *self, int source, pl_rows *rows)
{
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

/* What carries the node to the surface. */
static double velocity(const pl_coupling *self, const pl_moment *at, const pl_row *row)
{
  const pl_contact *contact = (const pl_contact *)self;
  const pl_touch *touch = &contact->touches[row->tag / PL_MOST_TOUCHED];
  const double *x = at->q + 3 * (size_t)touch->block;
  double n[3];
  int obstacle = touch->at[row->tag % PL_MOST_TOUCHED].obstacle;
  return -pl_obstacle_gap(&contact->obstacles[obstacle], x, n) / at->h;
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
static int let_go(pl_contact *contact, pl_touch *touch, double most_pull)
{
  int worst = 0;
  if (touch->joined_late) return 0;
  for (int c = 1; c < touch->count; c++) {
    if (touch->at[c].force < touch->at[worst].force) worst = c;
  }
  if (touch->at[worst].force >= -most_pull) return 0;
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

/* Takes the obstacles that the block has entered. */
static int catch_up(pl_contact *contact, const pl_substep *step, int block)
{
  const double *x = step->q + 3 * (size_t)block, *x0 = step->q0 + 3 * (size_t)block;
  int caught = 0;
  for (size_t o = 0; o < contact->count; o++) {
    int place1 = contact->touch_of1[block];
    pl_touch *touch = place1 ? &contact->touches[place1 - 1] : NULL;
    struct pl_touched at = {.obstacle = (int)o};
    if (!(pl_obstacle_gap(&contact->obstacles[o], x, at.normal) < -contact->slack)) continue;
    if (touches(touch, (int)o) || is_held(contact, step->rows, block)) continue;
    if (touch && touch->count == PL_MOST_TOUCHED) continue;
    at.gap = pl_obstacle_gap(&contact->obstacles[o], x0, at.normal);
    if (!touch) touch = new_touch(contact, block);
    touch->joined_late |= step->pass > EARLY;
    add_touched(touch, &at);
    pl_friction_begin(contact, touch, step, contact->base.memory + MEMORY * (size_t)block);
    caught = 1;
  }
  return caught;
}

static int revise(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  int changed = 0;
  double sum = 0;
  for (int i = 0; i < contact->touch_count; i++) {
    pl_touch *touch = &contact->touches[i];
    measure(contact, step, touch);
    for (int c = 0; c < touch->count; c++) sum += fmax(touch->at[c].force, 0);
  }
  double most_pull = contact->touch_count ? PULL * sum / contact->touch_count : 0;
  // from the last, since one that is dropped is replaced by the last
  for (int i = contact->touch_count - 1; i >= 0; i--)
    changed += let_go(contact, &contact->touches[i], most_pull);
  for (int i = 0; i < contact->blocks; i++)
    changed += contact->is_point[i] && catch_up(contact, step, i);
  // bounds are those of the right nodes only
  return changed > 0 || pl_friction_revise(contact, step);
}

static void finish(pl_coupling *self, const pl_substep *step)
{
  pl_contact *contact = (pl_contact *)self;
  pl_penalty_mark(contact, step->q, 0);
  memset(self->memory, 0, memory(self) * sizeof *self->memory);
  for (int i = 0; i < contact->touch_count; i++) {
    const pl_touch *touch = &contact->touches[i];
    double *kept = self->memory + MEMORY * (size_t)touch->block;
    pl_friction_finish(touch, step, kept);
    const pl_body *body = pl_bodies_owner(self->bodies, touch->block);
    contact->touched[body - self->bodies->list] = 1;
  }
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
             0},
    .is_internal = 1, // friction is stiff
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
    .grips = grips,
};
