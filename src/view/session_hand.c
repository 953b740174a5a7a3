/* What a hand does: pulls with a spring, pins points, pushes with a sphere. */
#include "core/error.h"
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

void pl_session_drop(pl_session *session)
{
  if (session->pull.index1) pl_world_remove_pull(session->world, session->pull, NULL);
  session->pull = (pl_pull_id){0};
}

pl_status pl_session_grab(pl_session *session, const pl_command *command, pl_error *error)
{
  pl_pull_def def = pl_pull_def_default();
  pl_pull_facts facts;
  pl_status status = pl_surface_spot(&session->surface, session->world, (int)command->numbers[0],
                                     command->numbers[1], command->numbers[2], &def.at, error);
  if (status) return status;
  pl_session_drop(session);
  const pl_body *body = pl_world_body(session->world, def.at.body);
  double mass = 0;
  for (int i = 0; i < body->blocks; i++) mass += body->model->lumped_mass[i];
  def.stiffness = session->strength * suitable_stiffness(session->world, body, mass);
  session->pulled = def.at.body;
  def.damping = 0.1 * sqrt(def.stiffness * mass);
  status = pl_world_add_pull(session->world, &def, &session->pull, error);
  if (!status) status = pl_world_read_pull(session->world, session->pull, &facts, error);
  if (!status) status = pl_world_move_pull(session->world, session->pull, facts.position, error);
  return status;
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
  double most = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    double low[3], high[3], lambda, mu, volume = 1;
    const pl_law_ops *law = (const pl_law_ops *)(const void *)body->law.member;
    if (law->lame(body->law.values, &lambda, &mu, NULL)) continue;
    pl_mesh_bounds(body->mesh, low, high);
    for (int k = 0; k < 3; k++) volume *= high[k] - low[k];
    most = fmax(most, mu * cbrt(volume / body->mesh->node_count));
  }
  return most;
}

pl_status pl_session_push(pl_session *session, const double *numbers, pl_error *error)
{
  pl_tool_def def = session->tool;
  if (!session->has_tool) {
    def = pl_tool_def_default();
    memcpy(def.centre, numbers, sizeof def.centre);
    def.stiffness = session->strength * tool_stiffness(session->world);
  }
  def.radius = numbers[3];
  pl_status status = pl_world_set_tool(session->world, &def, error);
  if (status) return status;
  session->tool = def;
  session->has_tool = 1;
  memcpy(session->tool_target, numbers, sizeof session->tool_target);
  if (!session->playing) pl_session_follow(session);
  return PL_OK;
}

void pl_session_lift(pl_session *session)
{
  pl_world_set_tool(session->world, NULL, NULL);
  session->has_tool = 0;
}

void pl_session_follow(pl_session *session)
{
  double way[3], length;
  if (!session->has_tool) return;
  pl_vec3_sub(session->tool_target, session->tool.centre, way);
  length = pl_vec3_norm(way);
  double part = length > 0.4 * session->tool.radius ? 0.4 * session->tool.radius / length : 1;
  pl_vec3_add_scaled(part, way, session->tool.centre);
  pl_world_set_tool(session->world, &session->tool, NULL);
}
