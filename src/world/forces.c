/* Forces on the nodes of a body: inner ones, those from outside, those of fixes and of contact. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "world/world.h"

#include <string.h>

/* Forces on nodes are known only where every node is an unknown. */
static pl_status check_nodal(const pl_body *body, pl_error *error)
{
  if (!body->model->ops->nodes) return PL_OK;
  return pl_fail(
      error, PL_E_ARGUMENT,
      "body \"%.80s\" has frames, rigid parts or hanging nodes; forces on nodes are known only "
      "where every node is an unknown",
      body->name);
}

/* A body whose blocks are its nodes, in a world that is ready. */
static pl_status find_nodal(pl_world *world, pl_body_id id, const pl_body **body, pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (!status) status = check_nodal(*body, error);
  return status ? status : pl_world_prepare(world, error);
}

/* ---- of the body, and from outside ---- */

/* Forces from outside: what the step adds, without weight; where a block is held, what balances
 * the rest. */
static void fill_outer(pl_world *world, const pl_body *body, const double *inner, double *outer)
{
  const pl_moment at = {.t = world->state.time,
                        .q = world->state.q,
                        .v = world->state.v,
                        .load_scale = world->system.load_scale};
  memset(outer, 0, 3 * (size_t)world->bodies.blocks * sizeof *outer);
  for (int internal = 0; internal < 2; internal++)
    pl_couplings_evaluate(&world->couplings, &at, internal, outer, NULL);
  double *part = outer + 3 * body->offset;
  for (int i = 0; i < body->blocks; i++) {
    pl_span span;
    double *force = part + 3 * (size_t)i, held[3];
    pl_rows_span(&world->rows, body->offset + i, &span);
    pl_span_free(&span, force);
    for (int m = 0; m < span.count; m++)
      held[m] = -pl_vec3_dot(span.row[m]->direction, inner + 3 * (size_t)i);
    pl_span_fill(&span, held, force);
    pl_vec3_add_scaled(-body->model->lumped_mass[i], world->gravity, force);
  }
}

pl_status pl_world_get_forces(pl_world *world, pl_body_id id, double *inner, double *outer,
                              pl_error *error)
{
  const pl_body *body;
  pl_status status = find_nodal(world, id, &body, error);
  if (status) return status;
  size_t size = 3 * (size_t)body->blocks;
  double *room =
      pl_alloc(&world->allocator, size + 3 * (size_t)world->bodies.blocks, sizeof(double));
  if (!room) return pl_fail_memory(error);
  const double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  const pl_moment at = {.t = world->state.time, .q = q, .v = v};
  body->model->ops->evaluate(body->model, &at, room, NULL, world->pool);
  if (outer) fill_outer(world, body, room, room + size);
  if (inner) pl_body_to_mesh(body, room, inner);
  if (outer) pl_body_to_mesh(body, room + size + 3 * body->offset, outer);
  pl_free(&world->allocator, room);
  return PL_OK;
}

/* ---- of fixes and of contact ---- */

/* Splits the constraint force on a block into the shares of those that hold it. */
static void split_reaction(const pl_world *world, int block, double *fix, double *contact)
{
  pl_span span;
  double shares[3];
  pl_rows_span(&world->rows, block, &span);
  pl_span_split(&span, world->system.reaction + 3 * (size_t)block, shares);
  for (int m = 0; m < span.count; m++) {
    int source = span.row[m]->source;
    if (source == PL_ROW_OF_MODEL) continue;
    double *to = world->couplings.list[source]->ops->is_contact ? contact : fix;
    pl_vec3_add_scaled(shares[m], span.row[m]->direction, to + 3 * (size_t)block);
  }
}

/* What contact exerts beside constraint forces: friction, penalties, collisions of bodies. */
static void add_contact_forces(pl_world *world, double *contact)
{
  const pl_moment at = {.t = world->state.time,
                        .q = world->state.q,
                        .v = world->state.v,
                        .load_scale = world->system.load_scale};
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->is_contact && coupling->ops->evaluate)
      coupling->ops->evaluate(coupling, &at, contact, NULL);
  }
}

pl_status pl_world_get_reactions(pl_world *world, pl_body_id id, double *fix, double *contact,
                                 pl_error *error)
{
  const pl_body *body;
  pl_status status = find_nodal(world, id, &body, error);
  if (status) return status;
  size_t all = 3 * (size_t)world->bodies.blocks;
  double *room = pl_alloc(&world->allocator, 2 * all, sizeof(double));
  if (!room) return pl_fail_memory(error);
  memset(room, 0, 2 * all * sizeof(double));
  // what is known is of the last step; a state that was set or loaded has none
  for (int i = 0; i < world->rows.held_count && world->tally.knows_contacts; i++)
    split_reaction(world, world->rows.held[i], room, room + all);
  if (world->tally.knows_contacts) add_contact_forces(world, room + all);
  if (fix) pl_body_to_mesh(body, room + 3 * body->offset, fix);
  if (contact) pl_body_to_mesh(body, room + all + 3 * body->offset, contact);
  pl_free(&world->allocator, room);
  return PL_OK;
}
