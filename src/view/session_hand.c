/* What a hand does: pulls with a spring, pins points, pushes with a sphere. It pulls as every hand
 * does, by a device (haptic/device_mouse.c). Where the scene's own hand has that device, the
 * pointer is it: it pulls by that hand's grip and pushes with its tool. */
#include "core/error.h"
#include "haptic/haptic.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- pulls ---- */

/* A spring that moves the body as a whole and still dents it where it is held: a part of its shear
 * modulus times its size, but enough to lift it within its own size. */
static double suitable_stiffness(const pl_world *world, const pl_body *body, double mass)
{
  double low[3], high[3], size = 0, lambda = 0, mu = 0;
  pl_mesh_bounds(body->mesh, low, high);
  size = pl_vec3_distance(low, high);
  const pl_law_ops *law = (const pl_law_ops *)(const void *)body->law.member;
  if (law->lame(body->law.values, &lambda, &mu, NULL)) mu = 0;
  return fmax(0.03 * mu * size, 4 * mass * pl_vec3_norm(world->gravity) / size);
}

pl_haptic *pl_session_pointed(const pl_session *session)
{
  pl_haptic *hand = pl_scene_hand(session->scene);
  return pl_haptic_is_placed(hand) ? hand : NULL;
}

/* The scene's hand lets go, and goes. */
static void leave(pl_haptic *hand)
{
  pl_haptic_grip(hand, NULL, NULL);
  pl_haptic_place(hand, NULL, NULL);
}

void pl_session_drop(pl_session *session)
{
  pl_haptic *mouse = session->hand.mouse;
  session->hand.mouse = NULL;
  if (mouse && mouse == pl_session_pointed(session))
    leave(mouse);
  else
    pl_haptic_destroy(mouse);
}

/* A hand whose device is the pointer, with a spring that suits the body. */
static pl_status make_mouse(pl_session *session, pl_body_id id, pl_error *error)
{
  const pl_body *body = pl_world_body(session->world, id);
  pl_haptic_def def = pl_haptic_def_default();
  double mass = 0;
  for (int i = 0; i < body->blocks; i++) mass += body->model->lumped_mass[i];
  def.device.name = "mouse";
  def.stiffness = session->hand.strength * suitable_stiffness(session->world, body, mass);
  def.damping = 0.1 * sqrt(def.stiffness * mass);
  def.max_force = 1e15; // no limit
  return pl_haptic_create(session->world, &def, &session->hand.mouse, error);
}

pl_status pl_session_drag(pl_session *session, const double to[3], pl_error *error)
{
  if (!session->hand.mouse) return PL_OK;
  pl_vec3_copy(to, session->hand.mouse_at);
  return pl_haptic_place(session->hand.mouse, to, error);
}

pl_status pl_session_grab(pl_session *session, const pl_command *command, pl_error *error)
{
  pl_spot spot;
  pl_haptic_facts facts;
  pl_status status = pl_surface_spot(&session->surface, session->world, (int)command->numbers[0],
                                     command->numbers[1], command->numbers[2], &spot, error);
  if (status) return status;
  pl_session_drop(session);
  session->hand.pulled = spot.body;
  session->hand.mouse = pl_session_pointed(session);
  if (session->hand.mouse) pl_session_lift(session);
  if (!session->hand.mouse) status = make_mouse(session, spot.body, error);
  if (!status) status = pl_haptic_grip(session->hand.mouse, &spot, error);
  if (status) return status;
  pl_haptic_read(session->hand.mouse, &facts);
  return pl_session_drag(session, facts.proxy, error);
}

pl_status pl_session_simulate(pl_session *session, pl_error *error)
{
  pl_haptic *mouse = session->hand.mouse;
  if (mouse == pl_scene_hand(session->scene)) mouse = NULL; // it is stepped with its scene
  pl_status status = mouse ? pl_haptic_begin(mouse, error) : PL_OK;
  if (!status) status = pl_scene_step(session->scene, error);
  return status || !mouse ? status : pl_haptic_end(mouse, error);
}

/* The node of the spot with the largest weight. */
static pl_status nearest_node(pl_session *session, const pl_command *command, pl_spot *spot,
                              int *node, pl_error *error)
{
  pl_status status = pl_surface_spot(&session->surface, session->world, (int)command->numbers[0],
                                     command->numbers[1], command->numbers[2], spot, error);
  int best = 0;
  if (status) return status;
  for (int a = 1; a < spot->count; a++) {
    if (spot->weights[a] > spot->weights[best]) best = a;
  }
  *node = spot->nodes[best];
  return PL_OK;
}

/* ---- pins ---- */

pl_status pl_session_hold(pl_session *session, const pl_command *command, pl_error *error)
{
  pl_spot spot;
  int node;
  pl_status status = nearest_node(session, command, &spot, &node, error);
  if (status) return status;
  // a node is held once
  status = pl_world_release_node(session->world, spot.body, node, NULL, error);
  if (!status && command->kind == PL_COMMAND_pin)
    status = pl_world_pin_node(session->world, spot.body, node, error);
  pl_session_tell_held(session);
  return status;
}

/* ---- the tool ---- */

/* As stiff as the stiffest body is around a node: shear modulus times the distance of nodes. */
static double tool_stiffness(const pl_world *world)
{
  double max = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    double low[3], high[3], lambda, mu, volume = 1;
    const pl_law_ops *law = (const pl_law_ops *)(const void *)body->law.member;
    if (law->lame(body->law.values, &lambda, &mu, NULL)) continue;
    pl_mesh_bounds(body->mesh, low, high);
    for (int k = 0; k < 3; k++) volume *= high[k] - low[k];
    max = fmax(max, mu * pl_cbrt(volume / body->mesh->node_count));
  }
  return max;
}

/* Brings the sphere, or the tool of the scene's hand, to where the session has it. */
static pl_status set_tool(pl_session *session, const pl_tool_def *def, pl_error *error)
{
  pl_haptic *hand = pl_session_pointed(session);
  return hand ? pl_haptic_place(hand, def->centre, error)
              : pl_world_set_tool(session->world, def, error);
}

pl_status pl_session_push(pl_session *session, const double *numbers, pl_error *error)
{
  pl_tool_def def = session->hand.tool;
  pl_haptic *hand = pl_session_pointed(session);
  if (hand && hand == session->hand.mouse) pl_session_drop(session);
  if (!session->hand.has_tool) {
    def = pl_tool_def_default();
    memcpy(def.centre, numbers, sizeof def.centre);
    def.stiffness = session->hand.strength * tool_stiffness(session->world);
  }
  def.radius = hand ? pl_haptic_drawn_radius(hand) : numbers[3];
  pl_status status = set_tool(session, &def, error);
  if (status) return status;
  session->hand.tool = def;
  session->hand.has_tool = 1;
  memcpy(session->hand.target, numbers, sizeof session->hand.target);
  if (!session->run.playing) pl_session_follow(session);
  return PL_OK;
}

void pl_session_lift(pl_session *session)
{
  if (pl_session_pointed(session))
    leave(pl_session_pointed(session));
  else
    pl_world_set_tool(session->world, NULL, NULL);
  session->hand.has_tool = 0;
}

void pl_session_follow(pl_session *session)
{
  double way[3], length;
  if (!session->hand.has_tool) return;
  pl_vec3_sub(session->hand.target, session->hand.tool.centre, way);
  length = pl_vec3_norm(way);
  double part =
      length > 0.4 * session->hand.tool.radius ? 0.4 * session->hand.tool.radius / length : 1;
  pl_vec3_add_scaled(part, way, session->hand.tool.centre);
  set_tool(session, &session->hand.tool, NULL);
}
