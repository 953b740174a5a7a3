/* What becomes of nodes that have ended a substep inside an obstacle, where the response moves
 * them; and contacts for those who ask. */
#include "couple/contact.h"
#include "math/vec3.h"

#include <math.h>

void pl_contact_list(const pl_contact *contact, const pl_touch *touch, int c, const pl_moment *at,
                     const pl_meeting_sink *to)
{
  const struct pl_touched *here = &touch->at[c];
  const pl_obstacle *obstacle = &contact->obstacles[here->obstacle];
  const double *x = at->q + 3 * (size_t)touch->block, *v = at->v + 3 * (size_t)touch->block;
  const double *friction = contact->base.memory + PL_CONTACT_MEMORY * (size_t)touch->block + 2;
  const pl_body *body = pl_bodies_owner(contact->base.bodies, touch->block);
  pl_meeting meeting = {
      .body = (int)(body - contact->base.bodies->list), .other = -1, .obstacle = here->obstacle};
  pl_contact_point *point = &meeting.at;
  double ignored[3];
  pl_vec3_copy(here->normal, point->normal);
  point->gap = pl_obstacle_gap(obstacle, x, ignored);
  pl_vec3_scale(here->force, here->normal, point->force);
  pl_vec3_add_scaled(1.0 / touch->count, friction, point->force);
  pl_meeting_place(&meeting, x, v, &obstacle->end);
  to->take(to->context, &meeting);
}

/* What others than contact leave free of a motion of the block. */
static void keep_free(const pl_contact *contact, const pl_rows *rows, int block, double x[3])
{
  pl_span span = {0};
  for (int i = rows->start[block]; i < rows->start[block + 1]; i++) {
    const pl_row *row = &rows->list[rows->order[i]];
    if (row->source != contact->source) pl_span_add(&span, row);
  }
  pl_span_free(&span, x);
}

/* Notes what the obstacle has exerted, as a mean force over the substep. */
static void charge(pl_contact *contact, int block, int o, const double n[3], double force)
{
  pl_obstacle *obstacle = &contact->obstacles[o];
  const pl_body *body = pl_bodies_owner(contact->base.bodies, block);
  contact->touched[body - contact->base.bodies->list] = 1;
  if (!(force > 0) || contact->touch_of1[block]) return;
  pl_touch *touch = pl_contact_touch(contact, block);
  touch->count = 1;
  touch->at[0] = (struct pl_touched){.obstacle = o, .force = force};
  pl_vec3_copy(n, touch->at[0].normal);
  pl_vec3_add_scaled(force, n, obstacle->force);
  obstacle->nodes++;
}

static void move_block(pl_contact *contact, const pl_substep *step, int block, int o)
{
  const pl_obstacle *obstacle = &contact->obstacles[o];
  const pl_body *body = pl_bodies_owner(contact->base.bodies, block);
  double *x = step->q + 3 * (size_t)block, *v = step->v + 3 * (size_t)block;
  double n[3], w[3], way[3], speed = 0, mass = body->model->lumped_mass[block - body->offset];
  pl_contact_node at = {.gap = pl_obstacle_gap(obstacle, x, n), .size = pl_body_size(body)};
  if (!(at.gap < 0)) return;
  pl_axes_velocity(&obstacle->end, x, w);
  pl_vec3_sub(v, w, w);
  at.rate = pl_vec3_dot(n, w);
  pl_vec3_scale(contact->rule->move(contact->values, &at, step->h, &speed), n, way);
  keep_free(contact, step->rows, block, way);
  pl_vec3_add(x, way, x);
  charge(contact, block, o, n, mass * speed / step->h);
  pl_vec3_scale(speed, n, way);
  keep_free(contact, step->rows, block, way);
  pl_vec3_add(v, way, v);
  *step->moved = 1;
}

void pl_contact_move(pl_contact *contact, const pl_substep *step)
{
  for (int i = 0; i < contact->blocks; i++) {
    for (size_t o = 0; contact->is_point[i] && o < contact->count; o++)
      move_block(contact, step, i, (int)o);
  }
}
