/* Adding, reading, changing and removing what acts on bodies: the public functions around the
 * couplings. A failing call leaves the world as it was. */
#include "core/error.h"
#include "couple/attachment.h"
#include "couple/contact.h"
#include "couple/fix.h"
#include "couple/gravity.h"
#include "couple/load.h"
#include "couple/momentum.h"
#include "couple/mooring.h"
#include "couple/own_force.h"
#include "couple/pull.h"
#include "couple/tool.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

pl_fix_def pl_fix_def_default(void) { return (pl_fix_def){.axis = {0, 0, 1}, .cookie = PL_COOKIE}; }

pl_load_def pl_load_def_default(void) { return (pl_load_def){.cookie = PL_COOKIE}; }

pl_pull_def pl_pull_def_default(void)
{
  return (pl_pull_def){.stiffness = 1000, .until = INFINITY, .cookie = PL_COOKIE};
}

pl_tool_def pl_tool_def_default(void)
{
  return (pl_tool_def){.radius = 0.1, .stiffness = 1000, .cookie = PL_COOKIE};
}

pl_attachment_def pl_attachment_def_default(void)
{
  return (pl_attachment_def){.frame = -1, .to_frame = -1, .arm = -1, .cookie = PL_COOKIE};
}

/* ---- what all of them share ---- */

/* A coupling of this kind on a body. */
static pl_status create(pl_world *world, const pl_coupling_ops *ops, pl_body_id body,
                        pl_coupling **out, pl_error *error)
{
  const pl_body *found;
  *out = NULL;
  pl_status status = pl_world_find_body(world, body, &found, error);
  if (!status) status = pl_coupling_create(&world->bodies, ops, out, error);
  if (!status) (*out)->acts_on[0] = (int)(found - world->bodies.list);
  return status;
}

pl_status pl_world_take(pl_world *world, pl_status status, pl_coupling *coupling, pl_error *error)
{
  if (status) {
    pl_coupling_destroy(coupling);
    return status;
  }
  const pl_coupling_ops *ops = coupling->ops;
  status = pl_couplings_add(&world->couplings, coupling, error);
  if (!status && (ops->constrain || ops->memory || ops->cliques || ops->finish || ops->prepare))
    pl_world_unprepare(world);
  // rows know couplings by their place
  if (!status && world->ready) status = pl_world_constrain(world, error);
  return status;
}

/* Removes the one with this id. */
static pl_status drop(pl_world *world, const pl_coupling_ops *ops, int32_t index1,
                      uint32_t generation, pl_error *error)
{
  pl_coupling *coupling;
  pl_status status =
      pl_couplings_find(&world->couplings, ops, index1, generation, &coupling, error);
  if (status) return status;
  pl_world_unprepare(world);
  pl_couplings_remove(&world->couplings, coupling);
  return PL_OK;
}

/* ---- what every world has ---- */

pl_status pl_world_add_own(pl_world *world, pl_error *error)
{
  pl_coupling *made;
  pl_status status = pl_coupling_create(&world->bodies, &pl_coupling_gravity, &made, error);
  if (status) return status;
  ((pl_gravity *)made)->g = world->gravity;
  status = pl_couplings_add(&world->couplings, made, error);
  if (!status) status = pl_coupling_create(&world->bodies, &pl_coupling_drag, &made, error);
  return status ? status : pl_couplings_add(&world->couplings, made, error);
}

pl_status pl_world_keep_momentum(pl_world *world, int body, pl_error *error)
{
  pl_coupling *made;
  pl_status status = pl_coupling_create(&world->bodies, &pl_coupling_momentum, &made, error);
  if (status) return status;
  made->acts_on[0] = body;
  return pl_world_take(world, PL_OK, made, error);
}

/* ---- fixes ---- */

pl_status pl_world_add_fix(pl_world *world, pl_body_id body, const pl_fix_def *def, pl_fix_id *id,
                           pl_error *error)
{
  pl_coupling *made = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_fix", error);
  if (!status) status = create(world, &pl_coupling_fix, body, &made, error);
  if (!status) status = pl_fix_make((pl_fix *)made, def, error);
  status = pl_world_take(world, status, made, error);
  if (!status && id) *id = (pl_fix_id){made->slot + 1, made->generation};
  return status;
}

pl_status pl_world_remove_fix(pl_world *world, pl_fix_id id, pl_error *error)
{
  return drop(world, &pl_coupling_fix, id.index1, id.generation, error);
}

pl_status pl_world_read_fix(const pl_world *world, pl_fix_id id, pl_fix_facts *facts,
                            pl_error *error)
{
  pl_coupling *found;
  pl_status status = pl_couplings_find(&world->couplings, &pl_coupling_fix, id.index1,
                                       id.generation, &found, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_fix needs a place for the facts");
  if (status) return status;
  *facts = (pl_fix_facts){.nodes = ((const pl_fix *)found)->count};
  for (int i = 0; world->ready && i < world->rows.held_count; i++) {
    pl_span span;
    double shares[3];
    int block = world->rows.held[i];
    const pl_body *owner = pl_bodies_owner(&world->bodies, block);
    // what holds angles is no force
    if (!pl_model_is_point(owner->model, block - owner->offset)) continue;
    pl_rows_span(&world->rows, block, &span);
    pl_span_split(&span, world->system.reaction + 3 * (size_t)block, shares);
    for (int m = 0; m < span.count; m++) {
      int source = span.row[m]->source;
      if (source != PL_ROW_OF_MODEL && world->couplings.list[source] == found)
        pl_vec3_add_scaled(shares[m], span.row[m]->direction, facts->force);
    }
  }
  return PL_OK;
}

static pl_status find_node(const pl_world *world, pl_body_id id, int node, const pl_body **body,
                           pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (status || (node >= 0 && node < (*body)->mesh->node_count)) return status;
  return pl_fail_entity(error, PL_E_ARGUMENT, node, "body \"%.80s\" has no node %d", (*body)->name,
                        node);
}

static pl_status cannot_pin(const pl_body *body, int node, pl_error *error)
{
  if (body->model->frame_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "no node of body \"%.80s\" can be pinned: its nodes follow its frames; pull it, "
                   "or fix a region that holds a frame",
                   body->name);
  return pl_fail_entity(error, PL_E_ARGUMENT, node,
                        "node %d of body \"%.80s\" cannot be pinned: it follows a rigid part or "
                        "other nodes; pull it instead",
                        node, body->name);
}

pl_status pl_world_pin_node(pl_world *world, pl_body_id id, int node, pl_error *error)
{
  const pl_body *body;
  pl_coupling *made = NULL;
  pl_status status = find_node(world, id, node, &body, error);
  if (!status && pl_model_node_block(body->model, body->place[node]) < 0)
    status = cannot_pin(body, node, error);
  if (!status) status = create(world, &pl_coupling_fix, id, &made, error);
  if (!status) {
    int block = pl_model_node_block(body->model, body->place[node]);
    status = pl_fix_pin((pl_fix *)made, block, world->state.q + 3 * (body->offset + block), error);
  }
  return pl_world_take(world, status, made, error);
}

pl_status pl_world_release_node(pl_world *world, pl_body_id id, int node, int *released,
                                pl_error *error)
{
  const pl_body *body;
  int found = 0;
  pl_status status = find_node(world, id, node, &body, error);
  if (status) return status;
  pl_coupling *at = pl_couplings_next(&world->couplings, &pl_coupling_fix, NULL), *next;
  for (; at; at = next) {
    pl_fix *fix = (pl_fix *)at;
    next = pl_couplings_next(&world->couplings, &pl_coupling_fix, at);
    if (&world->bodies.list[at->acts_on[0]] != body) continue;
    if (!pl_fix_take_out(fix, pl_model_node_block(body->model, body->place[node]))) continue;
    found = 1;
    if (!fix->count) pl_couplings_remove(&world->couplings, at);
  }
  if (found) pl_world_unprepare(world);
  if (released) *released = found;
  return PL_OK;
}

pl_status pl_world_get_held(const pl_world *world, pl_body_id id, unsigned char *held,
                            pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && !held)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_get_held needs a place for %d bytes",
                     body->mesh->node_count);
  if (status) return status;
  memset(held, 0, (size_t)body->mesh->node_count);
  for (const pl_coupling *at = NULL;
       (at = pl_couplings_next(&world->couplings, &pl_coupling_fix, at)) != NULL;) {
    const pl_fix *fix = (const pl_fix *)at;
    if (&world->bodies.list[at->acts_on[0]] != body) continue;
    for (int k = 0; k < 3 * fix->hold_count * fix->count; k++) {
      int node = fix->nodes[k / (3 * fix->hold_count)], d = k / 3 % fix->hold_count;
      if (fix->hold[d][k % 3] != 0)
        held[body->order[pl_body_anchor(body, node)]] |= (unsigned char)(1 << k % 3);
    }
  }
  return PL_OK;
}

/* ---- loads ---- */

pl_status pl_world_add_load(pl_world *world, pl_body_id body, const pl_load_def *def,
                            pl_load_id *id, pl_error *error)
{
  pl_coupling *made = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_load", error);
  if (!status) status = create(world, &pl_coupling_load, body, &made, error);
  if (!status) status = pl_load_make((pl_load *)made, def, error);
  status = pl_world_take(world, status, made, error);
  if (!status && id) *id = (pl_load_id){made->slot + 1, made->generation};
  return status;
}

pl_status pl_world_remove_load(pl_world *world, pl_load_id id, pl_error *error)
{
  return drop(world, &pl_coupling_load, id.index1, id.generation, error);
}

/* ---- a program's own forces ---- */

static pl_coupling *own_force_of(const pl_world *world, const pl_body *body)
{
  pl_coupling *at = NULL;
  while ((at = pl_couplings_next(&world->couplings, &pl_coupling_own_force, at)) != NULL) {
    if (&world->bodies.list[at->acts_on[0]] == body) return at;
  }
  return NULL;
}

/* The body's coupling, made where there is none yet. They change nothing that was prepared. */
static pl_status own_force_for(pl_world *world, pl_body_id id, pl_own_force **own, pl_error *error)
{
  const pl_body *body;
  pl_coupling *made = NULL;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  *own = (pl_own_force *)own_force_of(world, body);
  if (*own) return PL_OK;
  status = create(world, &pl_coupling_own_force, id, &made, error);
  if (!status) status = pl_own_force_make((pl_own_force *)made, error);
  status = pl_world_take(world, status, made, error);
  *own = (pl_own_force *)made;
  return status;
}

/* Takes it out where it does nothing any more. */
static pl_status drop_idle_force(pl_world *world, pl_own_force *own, pl_error *error)
{
  if (pl_own_force_acts(own)) return PL_OK;
  pl_couplings_remove(&world->couplings, &own->base);
  // rows know couplings by their place
  return world->ready ? pl_world_constrain(world, error) : PL_OK;
}

pl_status pl_world_set_forces(pl_world *world, pl_body_id id, const double *forces, pl_error *error)
{
  pl_own_force *own;
  pl_status status = own_force_for(world, id, &own, error);
  if (status) return status;
  pl_status set = pl_own_force_set(own, forces, error);
  status = drop_idle_force(world, own, set ? NULL : error);
  return set ? set : status;
}

pl_status pl_world_set_force_field(pl_world *world, pl_body_id id, const pl_force_field *field,
                                   pl_error *error)
{
  pl_own_force *own;
  if (field && !field->evaluate)
    return pl_fail(error, PL_E_ARGUMENT, "a field of forces needs a function; NULL ends one");
  pl_status status = own_force_for(world, id, &own, error);
  if (status) return status;
  pl_status set = pl_own_force_set_field(own, field, error);
  status = drop_idle_force(world, own, set ? NULL : error);
  return set ? set : status;
}

/* ---- attachments ---- */

static pl_status make_attachment(pl_world *world, const pl_attachment_def *def, pl_coupling *made,
                                 pl_error *error)
{
  const pl_body *other;
  pl_status status = pl_world_find_body(world, def->to, &other, error);
  if (status) return status;
  made->acts_on[1] = (int)(other - world->bodies.list);
  return pl_attachment_make((pl_attachment *)made, def, error);
}

static pl_status make_mooring(pl_world *world, const pl_attachment_def *def, pl_coupling *made,
                              pl_error *error)
{
  pl_status status = pl_slots_check(&world->ids.obstacles, "obstacle", def->obstacle.index1,
                                    def->obstacle.generation, error);
  return status ? status
                : pl_mooring_make((pl_mooring *)made, def, pl_world_contact(world),
                                  world->state.time, error);
}

pl_status pl_world_add_attachment(pl_world *world, pl_body_id body, const pl_attachment_def *def,
                                  pl_attachment_id *id, pl_error *error)
{
  pl_coupling *made = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_attachment", error);
  int moors = def && def->obstacle.index1 != 0;
  const pl_coupling_ops *ops = moors               ? &pl_coupling_mooring
                               : def && def->exact ? &pl_coupling_tie
                                                   : &pl_coupling_attachment;
  if (!status) status = create(world, ops, body, &made, error);
  if (!status)
    status =
        moors ? make_mooring(world, def, made, error) : make_attachment(world, def, made, error);
  status = pl_world_take(world, status, made, error);
  if (!status && id) *id = (pl_attachment_id){made->slot + 1, made->generation};
  return status;
}

static pl_status find_attachment(const pl_world *world, pl_attachment_id id, pl_attachment **out,
                                 pl_error *error)
{
  static const pl_coupling_ops *const kinds[] = {&pl_coupling_tie, &pl_coupling_mooring,
                                                 &pl_coupling_attachment};
  pl_coupling *found = NULL;
  pl_status status = PL_E_ARGUMENT;
  for (int k = 0; k < 3 && status; k++)
    status = pl_couplings_find(&world->couplings, kinds[k], id.index1, id.generation, &found,
                               k < 2 ? NULL : error);
  *out = status ? NULL : (pl_attachment *)found;
  return status;
}

pl_status pl_world_remove_attachment(pl_world *world, pl_attachment_id id, pl_error *error)
{
  pl_attachment *found;
  pl_status status = find_attachment(world, id, &found, error);
  return status ? status : drop(world, found->base.ops, id.index1, id.generation, error);
}

/* The rows' forces; those of the springs and dampers as they are now. */
static void read_point(const pl_world *world, pl_attachment *from, int point, double gap[3],
                       double force[3])
{
  if (from->base.ops == &pl_coupling_mooring) {
    const pl_moment now = {.t = world->state.time, .q = world->state.q, .v = world->state.v};
    pl_mooring_read((pl_mooring *)from, point, &now, gap, force);
    return;
  }
  pl_attachment_gap(from, point, world->state.q, gap);
  if (from->base.ops == &pl_coupling_attachment) {
    double rate[3];
    pl_jacobian_rate(&from->jacobian, world->state.v, rate);
    pl_vec3_add_scaled(-from->stiffness, gap, force);
    pl_vec3_add_scaled(-from->damping, rate, force);
    return;
  }
  const pl_mpcs *mpcs = world->ready ? world->rows.mpcs : NULL;
  for (int i = 0; mpcs && i < mpcs->count; i++) {
    const pl_mpc *row = &mpcs->list[i];
    if (world->couplings.list[row->source] == &from->base && row->tag / 3 == point)
      force[row->tag % 3] += row->force;
  }
}

pl_status pl_world_read_attachment(const pl_world *world, pl_attachment_id id,
                                   pl_attachment_facts *facts, pl_error *error)
{
  pl_attachment *from;
  pl_status status = find_attachment(world, id, &from, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_attachment needs a place for the facts");
  if (status) return status;
  *facts = (pl_attachment_facts){.points = from->count};
  for (int p = 0; p < from->count; p++) {
    double gap[3];
    if (pl_attachment_is_broken(from, p)) {
      facts->broken++;
      continue;
    }
    read_point(world, from, p, gap, facts->force);
    facts->gap = fmax(facts->gap, pl_vec3_norm(gap));
  }
  return PL_OK;
}

/* ---- pulls ---- */

pl_status pl_world_add_pull(pl_world *world, const pl_pull_def *def, pl_pull_id *id,
                            pl_error *error)
{
  pl_coupling *made = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_pull", error);
  if (!status) status = create(world, &pl_coupling_pull, def->at.body, &made, error);
  if (!status) status = pl_pull_make((pl_pull *)made, def, error);
  status = pl_world_take(world, status, made, error);
  if (!status && id) *id = (pl_pull_id){made->slot + 1, made->generation};
  return status;
}

pl_status pl_world_find_spot(const pl_world *world, pl_body_id id, const double at[3],
                             pl_spot *spot, pl_error *error)
{
  const pl_body *body;
  pl_anchor anchor;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && (!at || !spot))
    status =
        pl_fail(error, PL_E_ARGUMENT, "pl_world_find_spot needs a point and a place for the spot");
  if (!status) status = pl_mesh_locate(body->mesh, at, &anchor, error);
  if (status) return status;
  *spot = (pl_spot){.body = id, .count = anchor.count};
  for (int a = 0; a < anchor.count; a++) {
    spot->nodes[a] = anchor.nodes[a];
    spot->weights[a] = fmax(anchor.weights[a], 0); // rounding at the border
  }
  return PL_OK;
}

static pl_status find_pull(const pl_world *world, pl_pull_id id, pl_pull **pull, pl_error *error)
{
  pl_coupling *found;
  pl_status status = pl_couplings_find(&world->couplings, &pl_coupling_pull, id.index1,
                                       id.generation, &found, error);
  *pull = (pl_pull *)found;
  return status;
}

pl_status pl_world_move_pull(pl_world *world, pl_pull_id id, const double target[3],
                             pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status) status = pl_pull_check_target(target, error);
  if (!status) memcpy(pull->target, target, sizeof pull->target);
  return status;
}

pl_status pl_world_change_pull(pl_world *world, pl_pull_id id, const pl_pull_def *def,
                               pl_error *error)
{
  pl_pull *pull;
  const pl_body *body;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_pull", error);
  if (!status) status = find_pull(world, id, &pull, error);
  if (!status) status = pl_world_find_body(world, def->at.body, &body, error);
  return status ? status : pl_pull_set(pull, (int)(body - world->bodies.list), def, error);
}

pl_status pl_world_steady_pull(pl_world *world, pl_pull_id id, double damping, pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  return status ? status : pl_pull_steady(pull, damping, error);
}

/* A pull changes nothing that was prepared. */
pl_status pl_world_remove_pull(pl_world *world, pl_pull_id id, pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status) pl_couplings_remove(&world->couplings, &pull->base);
  if (!status && world->ready) status = pl_world_constrain(world, error);
  return status;
}

pl_status pl_world_read_pull(const pl_world *world, pl_pull_id id, pl_pull_facts *facts,
                             pl_error *error)
{
  pl_pull *pull;
  pl_status status = find_pull(world, id, &pull, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_pull needs a place for the facts");
  if (!status) pl_pull_read(pull, world->state.time, world->state.q, world->state.v, facts);
  return status;
}

/* ---- the tool ---- */

static pl_tool *tool_of(const pl_world *world)
{
  return (pl_tool *)pl_couplings_next(&world->couplings, &pl_coupling_tool, NULL);
}

pl_status pl_world_set_tool(pl_world *world, const pl_tool_def *def, pl_error *error)
{
  pl_tool *tool = tool_of(world);
  pl_status status = def ? pl_tool_check(def, error) : PL_OK;
  if (status) return status;
  if (!def && tool) pl_couplings_remove(&world->couplings, &tool->base);
  if (def && !tool) {
    pl_coupling *made;
    status = pl_coupling_create(&world->bodies, &pl_coupling_tool, &made, error);
    if (!status) status = pl_couplings_add(&world->couplings, made, error);
    tool = (pl_tool *)made;
  }
  if (!status && def) tool->def = *def;
  // rows know couplings by their place
  if (!status && world->ready) status = pl_world_constrain(world, error);
  return status;
}

void pl_world_read_tool(const pl_world *world, double force[3], int *touched)
{
  const pl_tool *tool = tool_of(world);
  int count = 0;
  double sum[3] = {0};
  if (tool) pl_tool_read(tool, world->state.q, sum, &count);
  if (force) pl_vec3_copy(sum, force);
  if (touched) *touched = count;
}

/* ---- throwing ---- */

static int is_held(const pl_world *world, int body)
{
  if (world->bodies.list[body].model->hold_count) return 1;
  for (size_t i = 0; i < world->couplings.count; i++) {
    const pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->is_ground && coupling->acts_on[0] == body) return 1;
  }
  return 0;
}

pl_status pl_world_throw(pl_world *world, pl_body_id id, const double velocity[3], pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  for (int k = 0; k < 3; k++) {
    if (!velocity || !isfinite(velocity[k]))
      return pl_fail(error, PL_E_ARGUMENT, "the velocity of a throw must be three finite numbers");
  }
  if (is_held(world, (int)(body - world->bodies.list))) return PL_OK;
  double momentum[3] = {0}, mass = 0, *v = world->state.v + 3 * body->offset;
  for (int i = 0; i < body->blocks; i++) {
    mass += body->model->lumped_mass[i];
    pl_vec3_add_scaled(body->model->lumped_mass[i], v + 3 * i, momentum);
  }
  for (int i = 0; i < body->blocks; i++) {
    if (!pl_model_is_point(body->model, i)) continue;
    pl_vec3_add_scaled(1, velocity, v + 3 * i);
    pl_vec3_add_scaled(-1 / mass, momentum, v + 3 * i);
  }
  pl_integrator_forget(world->integrator);
  return PL_OK;
}
