/* What the session posts on the board. */
#include "core/clock.h"
#include "core/error.h"
#include "couple/contact.h"
#include "haptic/haptic.h"
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
static const double tint_seconds = 1.0 / 25, gauge_seconds = 0.1, max_share = 0.02;

/* When something that has begun then and takes until now is done again. */
static double again(double begun, double seconds)
{
  double cost = pl_now() - begun;
  return begun + fmax(seconds, cost / max_share);
}

static pl_text *fresh(pl_session *session)
{
  session->room.text.size = 0;
  session->room.text.failed = 0;
  return &session->room.text;
}

void pl_session_post(pl_session *session, pl_slot slot)
{
  if (!session->room.text.failed)
    pl_board_post(session->board, slot, session->room.text.data, session->room.text.size);
}

/* ---- notices ---- */

void pl_session_notice(pl_session *session, int is_error, const char *format, ...)
{
  pl_notice *notice = &session->notices.list[session->notices.count++ % PL_MOST_NOTICES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(notice->text, sizeof notice->text, format, arguments);
  va_end(arguments);
  notice->number = session->notices.count;
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
  pl_describe_scene(&session->room.text, session);
  pl_session_post(session, PL_SLOT_SCENE);
  pl_session_tell_textures(session);

  // the bodies at rest, by which the page finds creases
  const pl_surface *surface = &session->surface;
  for (int p = 0; p < surface->part_count; p++) {
    const pl_surface_part *part = &surface->parts[p];
    const double *rest = pl_mesh_nodes(pl_surface_mesh(session->world, part->body));
    for (int i = part->first_vertex; i < part->first_vertex + part->vertices; i++) {
      for (int k = 0; k < 3; k++)
        session->room.positions[3 * i + k] = (float)rest[3 * (size_t)surface->nodes[i] + (size_t)k];
    }
  }
  pl_write_geometry(fresh(session), session->scene_number, surface, session->room.positions);
  pl_session_post(session, PL_SLOT_GEOMETRY);
}

void pl_session_tell_held(pl_session *session)
{
  if (pl_surface_held(&session->surface, session->world, session->room.held, NULL)) return;
  pl_write_held(fresh(session), session->scene_number, &session->surface, session->room.held);
  pl_session_post(session, PL_SLOT_HELD);
}

void pl_session_tell_state(pl_session *session)
{
  if (!session->world) return;
  pl_describe_state(&session->room.text, session);
  pl_session_post(session, PL_SLOT_STATE);
  session->run.dirty = 1;
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
  pl_world_facts now, *before = &session->gauges.of;
  pl_status status = pl_world_measure(session->world, &now, error);
  if (status) return status;
  double steps = (double)(now.steps - before->steps);
  double per_step = steps > 0 && !session->file.replaying ? 1 / steps : NAN, ms = 1e3 * per_step;
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
      per_step * (double)(now.linear_iterations - before->linear_iterations),
      session->file.replaying ? NAN : (double)session->pace.missed};
  int count = 0;
  for (; count < PL_GAUGE_COUNT; count++) session->gauges.list[count] = (float)values[count];
  for (int i = 0; i < pl_world_probe_count(session->world); i++) {
    pl_probe_id probe = pl_world_probe_at(session->world, i);
    double value[3];
    status = pl_world_read_probe(session->world, probe, value, error);
    if (status) return status;
    for (int k = 0; k < pl_world_probe_width(session->world, probe) && count < PL_MOST_GAUGES; k++)
      session->gauges.list[count++] = (float)value[k];
  }
  session->gauges.count = count;
  session->gauges.of = now;
  return PL_OK;
}

/* ---- frames ---- */

static void fill_clock(const pl_session *session, pl_view_frame *frame)
{
  frame->flags |= session->run.playing ? PL_FRAME_PLAYING : 0;
  frame->flags |= session->run.playing && session->pace.behind ? PL_FRAME_BEHIND : 0;
  frame->flags |= session->run.stepped ? PL_FRAME_STEPPED : 0;
  frame->history_place = session->history.here;
  frame->history_count = session->history.count;
  frame->real_time_factor = session->run.playing ? session->pace.real_time_factor : 0;
  frame->step_seconds = session->pace.step_seconds;
}

/* Ellipsoids or fibres of the bodies, in the numbers of local frames: the middle, then three axes.
 */
static pl_status read_figures(pl_session *session, pl_error *error)
{
  int bodies = pl_world_body_count(session->world);
  pl_status status = PL_OK;
  session->show.local_count = 0;
  for (int b = 0; b < bodies && !status; b++) {
    int count = 0, share = (PL_MOST_LOCALS - session->show.local_count) / (bodies - b);
    float *to = session->room.locals + PL_LOCAL_FLOATS * session->show.local_count;
    status = pl_world_glyphs(session->world, pl_world_body_at(session->world, b),
                             session->show.glyphs, share, session->room.glyphs, &count, error);
    for (int i = 0; i < count; i++) {
      const pl_glyph *glyph = &session->room.glyphs[i];
      for (int k = 0; k < 3; k++) *to++ = (float)glyph->at[k];
      for (int k = 0; k < 9; k++) *to++ = (float)glyph->axes[k / 3][k % 3];
    }
    session->show.local_count += count;
  }
  return status;
}

static pl_status read_glyphs(pl_session *session, pl_error *error)
{
  session->show.local_count =
      session->show.glyphs == PL_GLYPHS_FRAMES ? session->show.locals.count : 0;
  if (session->show.glyphs == PL_GLYPHS_NONE) return PL_OK;
  if (session->show.glyphs != PL_GLYPHS_FRAMES) return read_figures(session, error);
  return pl_locals_read(&session->show.locals, session->world, session->surface.room,
                        session->room.locals, error);
}

/* Where bodies touch something, and with which force. */
static pl_status read_contacts(pl_session *session, pl_view_frame *frame, pl_error *error)
{
  int count;
  float *to = session->room.contact_floats;
  pl_status status =
      pl_world_contacts(session->world, PL_MOST_CONTACTS, session->room.contacts, &count, error);
  if (status) return status;
  frame->contact_count = count < PL_MOST_CONTACTS ? count : PL_MOST_CONTACTS;
  for (int i = 0; i < frame->contact_count; i++) {
    for (int k = 0; k < 3; k++) *to++ = (float)session->room.contacts[i].point[k];
    for (int k = 0; k < 3; k++) *to++ = (float)session->room.contacts[i].force[k];
  }
  return PL_OK;
}

/* The push tool; or the tool of a hand that feels the bodies, which never sinks in. */
static void read_tool(pl_session *session, pl_view_frame *frame)
{
  pl_haptic_facts facts;
  if (session->hand.has_tool && !pl_session_pointed(session)) {
    frame->has_tool = 1;
    frame->tool_radius = session->hand.tool.radius;
    memcpy(frame->tool_centre, session->hand.tool.centre, sizeof frame->tool_centre);
    pl_world_read_tool(session->world, frame->tool_force, NULL);
  } else if (pl_scene_hand(session->scene)) {
    pl_haptic_read(pl_scene_hand(session->scene), &facts);
    frame->has_tool = facts.is_present;
    if (facts.refused && !session->hand.refused)
      pl_session_notice(session, 0,
                        "positions of the device are refused: malformed, not finite or "
                        "out of reach");
    session->hand.refused = facts.refused;
    // 0: it has a shape of its own
    int is_shaped = pl_haptic_tool(pl_scene_hand(session->scene)) != NULL;
    frame->tool_radius = is_shaped ? 0 : pl_haptic_drawn_radius(pl_scene_hand(session->scene));
    memcpy(frame->tool_centre, facts.proxy, sizeof frame->tool_centre);
    memcpy(frame->tool_force, facts.touch.force, sizeof frame->tool_force);
  }
}

/* What the pointer pulls. */
static void read_mouse(pl_session *session, pl_view_frame *frame)
{
  pl_haptic_facts facts;
  if (!session->hand.mouse) return;
  pl_haptic_read(session->hand.mouse, &facts);
  frame->flags |= PL_FRAME_HELD;
  pl_pull_facts *pull = &frame->pulls[frame->pull_count++];
  pl_vec3_copy(facts.proxy, pull->position);
  pl_vec3_copy(session->hand.mouse_at, pull->target);
  pl_vec3_copy(facts.touch.force, pull->force);
}

/* Links, each from end to end with its force on the first. */
static void read_links(const pl_session *session, pl_view_frame *frame)
{
  pl_link_facts facts;
  for (int i = 0; frame->pull_count < PL_MOST_PULLS; i++) {
    pl_effect_id link = pl_world_link_at(session->world, i);
    if (!link.index1 || pl_world_read_link(session->world, link, &facts, NULL)) return;
    pl_pull_facts *pull = &frame->pulls[frame->pull_count++];
    pl_vec3_copy(facts.ends[0], pull->position);
    pl_vec3_copy(facts.ends[1], pull->target);
    pl_vec3_sub(facts.ends[1], facts.ends[0], pull->force);
    pl_vec3_scale(facts.length > 0 ? facts.tension / facts.length : 0, pull->force, pull->force);
  }
}

/* Colours, arrows and local frames, contacts, and the tool. */
static pl_status tell_extras(pl_session *session, pl_view_frame *frame, double now, pl_error *error)
{
  pl_world *world = session->world;
  pl_status status = PL_OK;
  int is_time = now >= session->clock.next_tint || !session->run.playing;
  double begun = pl_now();
  if (is_time && frame->tint != PL_TINT_none)
    status = pl_surface_tint(&session->surface, world, frame->tint, session->room.values, error);
  if (!status && is_time && frame->arrows != PL_ARROWS_none)
    status =
        pl_surface_arrows(&session->surface, world, frame->arrows, session->room.vectors, error);
  if (is_time) session->clock.next_tint = again(begun, tint_seconds);
  if (!status && is_time) status = read_glyphs(session, error);
  frame->local_count = session->show.local_count;
  if (!status && session->show.contacts) status = read_contacts(session, frame, error);
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
                         .positions = session->room.positions,
                         .tint = session->show.tint,
                         .values = session->room.values,
                         .arrows = session->show.arrows,
                         .vectors = session->room.vectors,
                         .locals = session->room.locals,
                         .contacts = session->room.contact_floats};
  pl_status status =
      pl_surface_positions(&session->surface, session->world, session->room.positions, &error);
  if (!status) status = tell_extras(session, &frame, now, &error);
  if (!status) {
    read_mouse(session, &frame);
    read_links(session, &frame);
  }
  if (!status && (now >= session->clock.next_gauge || !session->run.playing)) {
    double begun = pl_now();
    status = gauge(session, &error);
    session->clock.next_gauge = again(begun, gauge_seconds);
    frame.flags |= PL_FRAME_GAUGED;
  }
  session->run.dirty = 0;
  if (status) {
    pl_session_notice_error(session, &error);
    return;
  }
  fill_clock(session, &frame);
  float obstacles[PL_AXES_FLOATS * MOST_OBSTACLES];
  frame.obstacle_count = read_obstacles(session, obstacles);
  frame.obstacles = obstacles;
  frame.gauge_count = session->gauges.count;
  memcpy(frame.gauges, session->gauges.list, (size_t)session->gauges.count * sizeof(float));
  pl_write_frame(fresh(session), &frame);
  pl_session_post(session, PL_SLOT_FRAME);
  session->run.stepped = 0;
}
