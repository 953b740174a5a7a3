/* The nodes that would enter an obstacle in a substep, and those that have. Threads share the
 * blocks of a body; the list of touches is in the order of the blocks, whatever their number. */
#include "core/thread.h"
#include "couple/contact.h"
#include "couple/friction.h"
#include "math/vec3.h"

#include <math.h>

#define OUT 1.0       /* m/s, at which what is deep inside comes out */
enum { EARLY = 2 };   /* passes in which every node may still change its mind */
enum { CHUNK = 128 }; /* blocks that a thread looks at in one go */

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

void pl_contact_foot(const double x0[3], const double foot[3], const double normal[3],
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
  pl_contact_foot(x0, foot, normal, at);
  return 1;
}

/* Takes the obstacles that the block would enter if it went that way. */
static void look_ahead(const pl_contact *contact, const pl_substep *step, const double way[3],
                       int bounces, pl_touch *touch)
{
  const size_t at3 = 3 * (size_t)touch->block;
  for (size_t o = 0; o < contact->count; o++) {
    struct pl_touched at = {.obstacle = (int)o};
    if (!enters(contact, &contact->obstacles[o], step->q + at3, way, &at)) continue;
    look_back(contact, &contact->obstacles[o], step->q + at3, step->v + at3, step->h, &at);
    if (!bounces) at.rebound = 0;
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

/* A search over the blocks of a body; threads share them. */
typedef struct search {
  pl_contact *contact;
  const pl_body *body;
  const pl_substep *step;
  const double *rate; /* what outer forces add to the velocity, 1/s */
  int lies;           /* the body lies on something */
} search;

static void run_search(search *job, void (*work)(void *, int))
{
  pl_parallel(job->step->system->pool, (job->body->blocks + CHUNK - 1) / CHUNK, work, job);
}

static int chunk_end(const search *job, int chunk)
{
  int end = (chunk + 1) * CHUNK;
  return job->body->offset + (end < job->body->blocks ? end : job->body->blocks);
}

/* Takes the block, at its own place of the list, if it would enter something if it went on as it
 * does, with what outer forces give it. What is apart from the obstacles its body lies on is held
 * up by the body. */
static void begin_block(const search *job, int i)
{
  pl_contact *contact = job->contact;
  const pl_substep *step = job->step;
  const double *v = step->v + 3 * (size_t)i;
  const double *memory = contact->base.memory + PL_CONTACT_MEMORY * (size_t)i;
  double way[3], falls = job->lies && !(memory[0] > 0) ? 0 : step->h;
  pl_touch *touch = &contact->touches[i];
  touch->block = i;
  touch->count = touch->joined_late = 0;
  if (!contact->is_point[i] || contact->mode == PL_CONTACT_MOVED) return;
  for (int k = 0; k < 3; k++)
    way[k] = step->h * (v[k] + falls * job->rate[3 * (size_t)i + (size_t)k]);
  look_ahead(contact, step, way, !(memory[0] > 0), touch);
  if (touch->count == 0) return;
  if (is_held(contact, step->rows, i))
    touch->count = 0;
  else
    pl_friction_begin(contact, touch, step, memory);
}

static void begin_chunk(void *context, int chunk)
{
  const search *job = context;
  for (int i = job->body->offset + chunk * CHUNK; i < chunk_end(job, chunk); i++)
    begin_block(job, i);
}

/* Touches move up to the front of the list. */
static void collect(pl_contact *contact)
{
  contact->touch_count = 0;
  for (int i = 0; i < contact->blocks; i++) {
    contact->touch_of1[i] = 0;
    if (contact->touches[i].count == 0) continue;
    if (contact->touch_count < i) contact->touches[contact->touch_count] = contact->touches[i];
    contact->touch_of1[i] = ++contact->touch_count;
  }
}

void pl_contact_search(pl_contact *contact, const pl_substep *step, const double *rate)
{
  const pl_bodies *bodies = contact->base.bodies;
  for (size_t b = 0; b < bodies->count; b++) {
    const pl_body *body = &bodies->list[b];
    search job = {contact, body, step, rate, touched_before(contact, body)};
    run_search(&job, begin_chunk);
  }
  collect(contact);
}

/* ---- after a pass ---- */

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
  pl_contact_foot(x0, foot, normal, at);
  return 1;
}

/* The block's touch; NULL: it is apart. */
static pl_touch *touch_of(const pl_contact *contact, int block)
{
  int place1 = contact->touch_of1[block];
  return place1 ? &contact->touches[place1 - 1] : NULL;
}

/* Has the block entered an obstacle that it does not touch? Those that have are few. */
static void entered_chunk(void *context, int chunk)
{
  const search *job = context;
  const pl_contact *contact = job->contact;
  for (int i = job->body->offset + chunk * CHUNK; i < chunk_end(job, chunk); i++) {
    const double *x = job->step->q + 3 * (size_t)i, *x0 = job->step->q0 + 3 * (size_t)i;
    struct pl_touched at;
    contact->entered[i] = 0;
    for (size_t o = 0; o < contact->count && contact->is_point[i] && !contact->entered[i]; o++)
      contact->entered[i] = !touches(touch_of(contact, i), (int)o) &&
                            has_entered(contact, &contact->obstacles[o], x0, x, &at);
  }
}

/* Takes the obstacles that the block has entered. */
static int catch_up(pl_contact *contact, const pl_substep *step, int block)
{
  const double *x = step->q + 3 * (size_t)block, *x0 = step->q0 + 3 * (size_t)block;
  const double *memory = contact->base.memory + PL_CONTACT_MEMORY * (size_t)block;
  int caught = 0;
  for (size_t o = 0; o < contact->count; o++) {
    const pl_obstacle *obstacle = &contact->obstacles[o];
    pl_touch *touch = touch_of(contact, block);
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

int pl_contact_catch(pl_contact *contact, const pl_substep *step)
{
  const pl_bodies *bodies = contact->base.bodies;
  int changed = 0;
  for (size_t b = 0; b < bodies->count; b++) {
    search job = {.contact = contact, .body = &bodies->list[b], .step = step};
    run_search(&job, entered_chunk);
  }
  for (int i = 0; i < contact->blocks; i++)
    changed += contact->entered[i] && catch_up(contact, step, i);
  return changed;
}
