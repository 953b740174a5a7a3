/* What the session posts on the board. */
#include "core/clock.h"
#include "core/error.h"
#include "couple/contact.h"
#include "math/vec3.h"
#include "view/describe.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OBSTACLES = 256 };

// positions go out with every frame; what costs more, less often, and never for more than a
// fiftieth of the time
static const double tint_seconds = 1.0 / 25, gauge_seconds = 0.1, most_share = 0.02;

/* When something that has begun then and takes until now is done again. */
static double again(double begun, double seconds)
{
  double cost = pl_now() - begun;
  return begun + fmax(seconds, cost / most_share);
}

static pl_text *fresh(pl_session *session)
{
  session->text.size = 0;
  session->text.failed = 0;
  return &session->text;
}

void pl_session_post(pl_session *session, pl_slot slot)
{
  if (!session->text.failed)
    pl_board_post(session->board, slot, session->text.data, session->text.size);
}

/* ---- notices ---- */

void pl_session_notice(pl_session *session, int is_error, const char *format, ...)
{
  pl_notice *notice = &session->notices[session->notice_count++ % PL_MOST_NOTICES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(notice->text, sizeof notice->text, format, arguments);
  va_end(arguments);
  notice->number = session->notice_count;
  notice->is_error = is_error;
  // the session's own text may be half written
  pl_text text = pl_text_make(&session->allocator);
  pl_describe_notices(&text, session);
  if (!text.failed) pl_board_post(session->board, PL_SLOT_NOTICES, text.data, text.size);
  pl_text_release(&text);
}

void pl_session_notice_error(pl_session *session, const pl_error *error)
{
  char text[1024];
  pl_session_notice(session, 1, "%s", pl_error_text(error, text, sizeof text));
}

/* ---- the scene ---- */

void pl_session_tell_scene(pl_session *session)
{
  pl_describe_scene(&session->text, session);
  pl_session_post(session, PL_SLOT_SCENE);
  pl_session_tell_textures(session);

  // the bodies at rest, by which the page finds creases
  const pl_surface *surface = &session->surface;
  for (int p = 0; p < surface->part_count; p++) {
    const pl_surface_part *part = &surface->parts[p];
    const double *rest = pl_mesh_nodes(pl_surface_mesh(session->world, part->body));
    for (int i = part->first_vertex; i < part->first_vertex + part->vertices; i++) {
      for (int k = 0; k < 3; k++)
        session->positions[3 * i + k] = (float)rest[3 * (size_t)surface->nodes[i] + (size_t)k];
    }
  }
  pl_write_geometry(fresh(session), session->scene_number, surface, session->positions);
  pl_session_post(session, PL_SLOT_GEOMETRY);
}

void pl_session_tell_held(pl_session *session)
{
  if (pl_surface_held(&session->surface, session->world, session->held, NULL)) return;
  pl_write_held(fresh(session), session->scene_number, &session->surface, session->held);
  pl_session_post(session, PL_SLOT_HELD);
}

void pl_session_tell_state(pl_session *session)
{
  if (!session->world) return;
  pl_describe_state(&session->text, session);
  pl_session_post(session, PL_SLOT_STATE);
  session->dirty = 1;
}

/* ---- gauges ---- */

static double whole(pl_world *world, const char *quantity)
{
  const pl_probe probe = {.body = -1};
  double value[3];
  const pl_member *member = pl_member_find(&pl_quantity_family, quantity);
  ((const pl_quantity_ops *)(const void *)member)->read(world, &probe, value);
  return value[0];
}

/* In the order of PL_GAUGES, then the probes'. */
static pl_status gauge(pl_session *session, pl_error *error)
{
  pl_world_facts now, *before = &session->gauged;
  pl_status status = pl_world_measure(session->world, &now, error);
  if (status) return status;
  double steps = (double)(now.steps - before->steps);
  double per_step = steps > 0 && !session->replaying ? 1 / steps : NAN, ms = 1e3 * per_step;
  double evaluate = now.seconds_evaluate - before->seconds_evaluate;
  double solve = now.seconds_solve - before->seconds_solve;
  double other = now.seconds - before->seconds - evaluate - solve;
  const double values[PL_GAUGE_COUNT] = {
      now.kinetic_energy,
      now.elastic_energy,
      now.gravity_energy,
      now.kinetic_energy + now.elastic_energy + now.gravity_energy,
      whole(session->world, "volume"),
      now.min_volume_ratio,
      ms * evaluate,
      ms * solve,
      ms * other,
      per_step * (double)(now.newton_iterations - before->newton_iterations),
      per_step * (double)(now.linear_iterations - before->linear_iterations)};
  int count = 0;
  for (; count < PL_GAUGE_COUNT; count++) session->gauges[count] = (float)values[count];
  for (int i = 0; i < pl_world_probe_count(session->world); i++) {
    pl_probe_id probe = pl_world_probe_at(session->world, i);
    double value[3];
    status = pl_world_read_probe(session->world, probe, value, error);
    if (status) return status;
    for (int k = 0; k < pl_world_probe_width(session->world, probe) && count < PL_MOST_GAUGES; k++)
      session->gauges[count++] = (float)value[k];
  }
  session->gauge_count = count;
  session->gauged = now;
  return PL_OK;
}

/* ---- frames ---- */

static void fill_clock(const pl_session *session, pl_view_frame *frame)
{
  frame->flags |= session->playing ? PL_FRAME_PLAYING : 0;
  frame->flags |= session->playing && session->behind ? PL_FRAME_BEHIND : 0;
  frame->flags |= session->stepped ? PL_FRAME_STEPPED : 0;
  frame->history_place = session->history.here;
  frame->history_count = session->history.count;
  frame->real_time_factor = session->playing ? session->real_time_factor : 0;
  frame->step_seconds = session->step_seconds;
}

/* Ellipsoids or fibres of the bodies, in the numbers of local frames: the middle, then three axes.
 */
static pl_status read_figures(pl_session *session, pl_error *error)
{
  int bodies = pl_world_body_count(session->world);
  pl_status status = PL_OK;
  session->local_count = 0;
  for (int b = 0; b < bodies && !status; b++) {
    int count = 0, share = (PL_MOST_LOCALS - session->local_count) / (bodies - b);
    float *to = session->local_room + PL_LOCAL_FLOATS * session->local_count;
    status = pl_world_glyphs(session->world, pl_world_body_at(session->world, b), session->glyphs,
                             share, session->glyph_room, &count, error);
    for (int i = 0; i < count; i++) {
      const pl_glyph *glyph = &session->glyph_room[i];
      for (int k = 0; k < 3; k++) *to++ = (float)glyph->at[k];
      for (int k = 0; k < 9; k++) *to++ = (float)glyph->axes[k / 3][k % 3];
    }
    session->local_count += count;
  }
  return status;
}

static pl_status read_glyphs(pl_session *session, pl_error *error)
{
  session->local_count = session->glyphs == PL_GLYPHS_FRAMES ? session->locals.count : 0;
  if (session->glyphs == PL_GLYPHS_NONE) return PL_OK;
  if (session->glyphs != PL_GLYPHS_FRAMES) return read_figures(session, error);
  return pl_locals_read(&session->locals, session->world, session->surface.room,
                        session->local_room, error);
}

/* Where bodies touch something, and with which force. */
static pl_status read_contacts(pl_session *session, pl_view_frame *frame, pl_error *error)
{
  int count;
  float *to = session->contact_room;
  pl_status status =
      pl_world_contacts(session->world, PL_MOST_CONTACTS, session->contacts, &count, error);
  if (status) return status;
  frame->contact_count = count < PL_MOST_CONTACTS ? count : PL_MOST_CONTACTS;
  for (int i = 0; i < frame->contact_count; i++) {
    for (int k = 0; k < 3; k++) *to++ = (float)session->contacts[i].point[k];
    for (int k = 0; k < 3; k++) *to++ = (float)session->contacts[i].force[k];
  }
  return PL_OK;
}

/* A point is drawn as a ball of a fiftieth of the largest body. */
static double ball_radius(const pl_world *world)
{
  double size = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    double low[3], high[3], way[3];
    pl_mesh_bounds(world->bodies.list[b].mesh, low, high);
    pl_vec3_sub(high, low, way);
    size = fmax(size, pl_vec3_norm(way));
  }
  return size / 50;
}

/* The push tool; or the tool of a hand that feels the bodies, which never sinks in. */
static void read_tool(pl_session *session, pl_view_frame *frame)
{
  pl_haptic_facts facts;
  if (session->has_tool) {
    frame->has_tool = 1;
    frame->tool_radius = session->tool.radius;
    memcpy(frame->tool_centre, session->tool.centre, sizeof frame->tool_centre);
    pl_world_read_tool(session->world, frame->tool_force, NULL);
  } else if (pl_scene_hand(session->scene)) {
    pl_haptic_read(pl_scene_hand(session->scene), &facts);
    frame->has_tool = facts.is_present;
    frame->tool_radius = facts.radius > 0 ? facts.radius : ball_radius(session->world);
    memcpy(frame->tool_centre, facts.proxy, sizeof frame->tool_centre);
    memcpy(frame->tool_force, facts.touch.force, sizeof frame->tool_force);
  }
}

/* Colours, arrows and local frames, contacts, and the tool. */
static pl_status tell_extras(pl_session *session, pl_view_frame *frame, double now, pl_error *error)
{
  pl_world *world = session->world;
  pl_status status = PL_OK;
  int is_time = now >= session->next_tint || !session->playing;
  double begun = pl_now();
  if (is_time && frame->tint != PL_TINT_none)
    status = pl_surface_tint(&session->surface, world, frame->tint, session->values, error);
  if (!status && is_time && frame->arrows != PL_ARROWS_none)
    status = pl_surface_arrows(&session->surface, world, frame->arrows, session->vectors, error);
  if (is_time) session->next_tint = again(begun, tint_seconds);
  if (!status && is_time) status = read_glyphs(session, error);
  frame->local_count = session->local_count;
  if (!status && session->show_contacts) status = read_contacts(session, frame, error);
  read_tool(session, frame);
  return status;
}

/* Where obstacles are, if one of them moves; as many as there is room for. */
static int read_obstacles(const pl_session *session, float *to)
{
  const pl_contact *contact = pl_world_contact(session->world);
  int count = 0, moves = 0;
  for (size_t o = 0; contact && o < contact->count && count < MOST_OBSTACLES; o++, count++) {
    const pl_obstacle *obstacle = &contact->obstacles[o];
    pl_axes axes;
    moves |= obstacle->motion_count || pl_placement_exists(obstacle->placement);
    pl_obstacle_axes(obstacle, pl_world_time(session->world), &axes);
    for (int k = 0; k < 3; k++) *to++ = (float)axes.place.origin[k];
    for (int k = 0; k < 9; k++) *to++ = (float)axes.place.R[k];
  }
  return moves ? count : 0;
}

void pl_session_tell_frame(pl_session *session, double now)
{
  pl_error error = {0};
  pl_view_frame frame = {.scene = session->scene_number,
                         .number = ++session->frame_number,
                         .time = pl_world_time(session->world),
                         .vertex_count = session->surface.vertex_count,
                         .positions = session->positions,
                         .tint = session->tint,
                         .values = session->values,
                         .arrows = session->arrows,
                         .vectors = session->vectors,
                         .locals = session->local_room,
                         .contacts = session->contact_room};
  pl_status status =
      pl_surface_positions(&session->surface, session->world, session->positions, &error);
  if (!status) status = tell_extras(session, &frame, now, &error);
  if (!status && session->pull.index1 &&
      !pl_world_read_pull(session->world, session->pull, &frame.pulls[0], NULL))
    frame.pull_count = 1;
  if (!status && (now >= session->next_gauge || !session->playing)) {
    double begun = pl_now();
    status = gauge(session, &error);
    session->next_gauge = again(begun, gauge_seconds);
    frame.flags |= PL_FRAME_GAUGED;
  }
  session->dirty = 0;
  if (status) {
    pl_session_notice_error(session, &error);
    return;
  }
  fill_clock(session, &frame);
  float obstacles[PL_AXES_FLOATS * MOST_OBSTACLES];
  frame.obstacle_count = read_obstacles(session, obstacles);
  frame.obstacles = obstacles;
  frame.gauge_count = session->gauge_count;
  memcpy(frame.gauges, session->gauges, (size_t)session->gauge_count * sizeof(float));
  pl_write_frame(fresh(session), &frame);
  pl_session_post(session, PL_SLOT_FRAME);
  session->stepped = 0;
}
