#include "picture/backdrop.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/contact.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>

enum { MOST_TRACES = 64, ROD_SIDES = 8 };
static const float grey[3] = {0.66f, 0.71f, 0.76f}, steel[3] = {0.30f, 0.34f, 0.40f};

/* A picture in the making. */
typedef struct sight {
  pl_backdrop *backdrop;
  pl_render *render;
  pl_render_body *bodies;
  double time;
  double body_low[3], body_high[3];
  double low[3], high[3]; /* of what is to be seen */
  double centre[3], size; /* of the bodies */
  double floor;           /* the lowest point of obstacles */
} sight;

static int is_finite3(const double x[3])
{
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* The box around all finite nodes; 0 where there is none. */
static int find_box(const pl_render *render, double low[3], double high[3])
{
  int some = 0;
  pl_vec3_set(low, INFINITY, INFINITY, INFINITY);
  pl_vec3_set(high, -INFINITY, -INFINITY, -INFINITY);
  for (int b = 0; b < render->body_count; b++) {
    const pl_render_body *body = &render->bodies[b];
    for (int i = 0; i < body->node_count; i++) {
      const double *x = body->positions + 3 * (size_t)i;
      if (!is_finite3(x)) continue;
      some = 1;
      for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], x[k]);
        high[k] = fmax(high[k], x[k]);
      }
    }
  }
  return some;
}

/* Hands the triangles over to the picture. */
static void show(sight *in, pl_drawing *drawing, const float colour[3])
{
  pl_backdrop *backdrop = in->backdrop;
  backdrop->points[backdrop->count] = drawing->points;
  backdrop->triangles[backdrop->count++] = drawing->triangles;
  in->bodies[in->render->body_count++] =
      (pl_render_body){.node_count = (int)drawing->point_count,
                       .face_count = (int)drawing->triangle_count,
                       .nodes_per_face = 3,
                       .positions = drawing->points,
                       .faces = drawing->triangles,
                       .colour = {colour[0], colour[1], colour[2]}};
  drawing->points = NULL;
  drawing->triangles = NULL;
}

/* ---- planes ---- */

/* 1: the plane is the ground, or cannot be seen. */
static int is_ground(sight *in, const pl_obstacle *obstacle, const pl_axes *axes, int *has_ground)
{
  pl_render *render = in->render;
  double normal[3], away = pl_obstacle_gap_in(obstacle, axes, in->centre, normal, NULL);
  if (!isfinite(away)) return 1;
  if (!(normal[render->up] > 0.98) || *has_ground)
    return pl_vec3_dot(normal, render->direction) < 0;
  *has_ground = 1;
  render->ground = in->centre[render->up] - away * normal[render->up];
  // what they fall on is seen with them, where it is not too far
  double *low = &in->low[render->up];
  *low = fmax(fmin(*low, render->ground), *low - 2 * in->size);
  return 1;
}

/* ---- other shapes ---- */

/* The triangle's middle against the bodies, and its normal. */
static void look(const pl_drawing *drawing, size_t triangle, const double centre[3], double to[3],
                 double normal[3])
{
  const int *corner = drawing->triangles + 3 * triangle;
  const double *x[3];
  double u[3], v[3];
  for (int k = 0; k < 3; k++) x[k] = drawing->points + 3 * (size_t)corner[k];
  for (int k = 0; k < 3; k++) to[k] = (x[0][k] + x[1][k] + x[2][k]) / 3 - centre[k];
  pl_vec3_sub(x[1], x[0], u);
  pl_vec3_sub(x[2], x[0], v);
  pl_vec3_cross(u, v, normal);
}

/* Takes out the triangles that would hide bodies inside, and their back sides. */
static void cut_away(const sight *in, pl_drawing *drawing)
{
  const double *eye = in->render->direction;
  size_t kept = 0;
  for (size_t t = 0; t < drawing->triangle_count; t++) {
    double to[3], normal[3];
    look(drawing, t, in->centre, to, normal);
    if (pl_vec3_dot(normal, eye) < 0) continue;
    if (pl_vec3_dot(to, eye) > 0 && pl_vec3_dot(to, normal) > 0) continue;
    for (size_t k = 0; k < 3; k++) drawing->triangles[3 * kept + k] = drawing->triangles[3 * t + k];
    kept++;
  }
  drawing->triangle_count = kept;
}

/* Makes the picture show the obstacle, as far as it is not too far away. */
static void widen(sight *in, const pl_drawing *drawing)
{
  for (int k = 0; k < 3; k++) {
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < drawing->point_count; i++) {
      min = fmin(min, drawing->points[3 * i + (size_t)k]);
      max = fmax(max, drawing->points[3 * i + (size_t)k]);
    }
    if (k == in->render->up) in->floor = fmin(in->floor, min);
    in->low[k] = fmin(in->low[k], fmax(min, in->body_low[k] - 2 * in->size));
    in->high[k] = fmax(in->high[k], fmin(max, in->body_high[k] + 2 * in->size));
  }
}

/* Is the way from the bodies to the eye barred? */
static int hides(const sight *in, const pl_shape *shape, const pl_axes *axes)
{
  double own[3], eye[3], normal[3], way = 0;
  double length = pl_vec3_norm(in->render->direction);
  pl_axes_own(axes, in->centre, own);
  pl_mat3_apply_t(axes->place.R, in->render->direction, eye);
  for (int i = 0; i < MOST_TRACES && length > 0 && way < 20 * in->size; i++) {
    double gap = pl_shape_gap(shape, own, normal, NULL);
    if (!isfinite(gap) || (i == 0 && gap <= 0)) return 0;
    if (gap < 1e-4 * in->size) return 1;
    pl_vec3_add_scaled(gap / length, eye, own);
    way += gap;
  }
  return 0;
}

static pl_status draw(const sight *in, const pl_shape *shape, const pl_axes *axes,
                      pl_drawing *drawing, pl_error *error)
{
  pl_drawing_view view = {.reach = (shape->ops->is_flat ? 0.8 : 20) * in->size};
  pl_axes_own(axes, in->centre, view.centre);
  pl_status status = pl_shape_draw(shape, &view, drawing, error);
  for (size_t i = 0; !status && i < drawing->point_count; i++) {
    double x[3];
    pl_axes_point(axes, drawing->points + 3 * i, x);
    pl_vec3_copy(x, drawing->points + 3 * i);
  }
  return status;
}

static pl_status add_shape(sight *in, const pl_shape *shape, const pl_axes *axes, pl_error *error)
{
  pl_status status = PL_OK;
  if (shape->ops == &pl_obstacle_union) { // each part may hide something
    for (int i = 1; i < shape->span && !status; i += shape[i].span)
      status = add_shape(in, &shape[i], axes, error);
    return status;
  }
  if (in->backdrop->count == PL_MOST_SHEETS) return PL_OK;
  pl_drawing drawing = pl_drawing_make(&in->backdrop->allocator);
  status = draw(in, shape, axes, &drawing, error);
  if (!status && !shape->ops->is_flat) widen(in, &drawing);
  if (!status && !shape->ops->is_flat && hides(in, shape, axes)) cut_away(in, &drawing);
  if (!status && drawing.triangle_count) show(in, &drawing, grey);
  pl_drawing_release(&drawing);
  return status;
}

static pl_status add_one(sight *in, const pl_obstacle *obstacle, int *has_ground, pl_error *error)
{
  pl_axes axes;
  pl_obstacle_axes(obstacle, in->time, &axes);
  if (pl_obstacle_is_flat(obstacle) && is_ground(in, obstacle, &axes, has_ground)) return PL_OK;
  return add_shape(in, obstacle->shape, &axes, error);
}

static pl_status add_tool(sight *in, const pl_backdrop_tool *tool, pl_error *error)
{
  pl_axes axes = {.place = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  pl_vec3_copy(tool->at, axes.place.origin);
  return add_shape(in, tool->shape, &axes, error);
}

/* ---- links ---- */

/* A rod from end to end. */
static void draw_rod(pl_drawing *drawing, double ends[2][3], double radius)
{
  double way[3], a[3], b[3], unit[3] = {0};
  int points[2][ROD_SIDES];
  pl_vec3_sub(ends[1], ends[0], way);
  double length = pl_vec3_norm(way);
  if (!(length > 0 && isfinite(length))) return;
  pl_vec3_scale(1 / length, way, way);
  unit[fabs(way[0]) < 0.6 ? 0 : 1] = 1;
  pl_vec3_cross(way, unit, a);
  pl_vec3_scale(1 / pl_vec3_norm(a), a, a);
  pl_vec3_cross(way, a, b);
  for (int i = 0; i < 2 * ROD_SIDES; i++) {
    double angle = 6.283185307179586 * (i % ROD_SIDES) / ROD_SIDES, x[3];
    pl_vec3_copy(ends[i / ROD_SIDES], x);
    pl_vec3_add_scaled(radius * cos(angle), a, x);
    pl_vec3_add_scaled(radius * sin(angle), b, x);
    points[i / ROD_SIDES][i % ROD_SIDES] = pl_drawing_point(drawing, x);
  }
  for (int i = 0; i < ROD_SIDES; i++) {
    int next = (i + 1) % ROD_SIDES;
    pl_drawing_quad(drawing, points[0][i], points[0][next], points[1][next], points[1][i]);
  }
}

static pl_status add_links(sight *in, const pl_world *world, pl_error *error)
{
  pl_drawing drawing = pl_drawing_make(&in->backdrop->allocator);
  pl_link_facts facts;
  pl_effect_id link;
  pl_status status = PL_OK;
  for (int i = 0; !status && (link = pl_world_link_at(world, i)).index1; i++) {
    status = pl_world_read_link(world, link, &facts, error);
    if (!status) draw_rod(&drawing, facts.ends, 0.004 * in->size);
  }
  if (!status && drawing.failed) status = pl_fail_memory(error);
  if (!status && drawing.triangle_count && in->backdrop->count < PL_MOST_SHEETS)
    show(in, &drawing, steel);
  pl_drawing_release(&drawing);
  return status;
}

pl_status pl_backdrop_add(pl_backdrop *backdrop, const pl_world *world,
                          const pl_backdrop_tool *tool, pl_render_body *bodies, pl_render *render,
                          pl_error *error)
{
  sight in = {.backdrop = backdrop,
              .render = render,
              .bodies = bodies,
              .time = world->state.time,
              .floor = INFINITY};
  double *low = in.body_low, *high = in.body_high;
  int has_ground = 0;
  const pl_contact *contact = pl_world_contact(world);
  *backdrop = (pl_backdrop){.allocator = pl_allocator_default()};
  int has_tool = tool && tool->shape;
  int has_links = pl_world_link_at(world, 0).index1 != 0;
  if ((!contact && !has_tool && !has_links) || !find_box(render, low, high)) return PL_OK;
  pl_vec3_copy(low, in.low);
  pl_vec3_copy(high, in.high);
  for (int k = 0; k < 3; k++) in.centre[k] = 0.5 * (low[k] + high[k]);
  in.size = pl_vec3_distance(low, high);
  pl_status status = PL_OK;
  for (size_t i = 0; contact && i < contact->count && !status; i++)
    status = add_one(&in, &contact->obstacles[i], &has_ground, error);
  double floor = in.floor;
  if (!status && has_tool) status = add_tool(&in, tool, error);
  if (!status) status = add_links(&in, world, error);
  // what stands there stands on the ground; a tool does not
  in.floor = floor;
  if (!has_ground && isfinite(in.floor)) {
    render->ground = fmin(in.floor, low[render->up]);
    render->ground = fmax(render->ground, in.low[render->up]);
  }
  pl_vec3_copy(in.low, render->min);
  pl_vec3_copy(in.high, render->max);
  return status;
}

void pl_backdrop_release(pl_backdrop *backdrop)
{
  for (int i = 0; i < backdrop->count; i++) {
    pl_free(&backdrop->allocator, backdrop->points[i]);
    pl_free(&backdrop->allocator, backdrop->triangles[i]);
  }
  backdrop->count = 0;
}
