/* The quantities: of a point that moves with a body, and of a body or the whole world. */
#include "body/points.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* The weighted sum of a vector over the body's nodes at the probe's anchor. */
static void at_anchor(const pl_body *body, const pl_probe *probe, const double *nodal,
                      double *value)
{
  memset(value, 0, 3 * sizeof *value);
  for (int a = 0; a < probe->anchor.count; a++) {
    const double *node = nodal + 3 * body->place[probe->anchor.nodes[a]];
    for (int k = 0; k < 3; k++) value[k] += probe->anchor.weights[a] * node[k];
  }
}

static void read_position(pl_world *world, const pl_probe *probe, double *value)
{
  const pl_body *body = &world->bodies.list[probe->body];
  const pl_node_reader nodes = pl_node_reader_at(body, world->state.q + 3 * body->offset);
  memset(value, 0, 3 * sizeof *value);
  for (int a = 0; a < probe->anchor.count; a++) {
    double x[3];
    pl_node_read(&nodes, body->place[probe->anchor.nodes[a]], x);
    for (int k = 0; k < 3; k++) value[k] += probe->anchor.weights[a] * x[k];
  }
}

static void read_displacement(pl_world *world, const pl_probe *probe, double *value)
{
  const pl_body *body = &world->bodies.list[probe->body];
  double rest[3];
  at_anchor(body, probe, body->rest, rest);
  read_position(world, probe, value);
  for (int k = 0; k < 3; k++) value[k] -= rest[k];
}

static void read_velocity(pl_world *world, const pl_probe *probe, double *value)
{
  const pl_body *body = &world->bodies.list[probe->body];
  const double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  at_anchor(body, probe, pl_body_nodes(body, q, v), value);
}

/* The body's inner forces. */
static const double *inner_forces(pl_world *world, const pl_body *body, const double *v)
{
  double *f = world->vectors.scratch + 3 * body->offset;
  memset(f, 0, (size_t)body->blocks * 3 * sizeof *f);
  const pl_moment at = {.t = world->state.time, .q = world->state.q + 3 * body->offset, .v = v};
  body->model->ops->evaluate(body->model, &at, f, NULL, world->pool);
  return f;
}

/* The force of the fix that holds the node nearest to the point, in the last step. */
static void read_reaction(pl_world *world, const pl_probe *probe, double *value)
{
  const pl_body *body = &world->bodies.list[probe->body];
  const pl_rows *rows = &world->rows;
  pl_span own;
  int best = 0;
  for (int a = 1; a < probe->anchor.count; a++) {
    if (probe->anchor.weights[a] > probe->anchor.weights[best]) best = a;
  }
  memset(value, 0, 3 * sizeof *value);
  int block = pl_model_node_block(body->model, body->place[probe->anchor.nodes[best]]);
  if (block < 0) return;
  pl_rows_span(rows, body->offset + block, &own);
  for (int i = 0; i < rows->held_count; i++) {
    pl_span span;
    double shares[3];
    pl_rows_span(rows, rows->held[i], &span);
    pl_span_split(&span, world->system.reaction + 3 * (size_t)rows->held[i], shares);
    for (int k = 0; k < span.count * own.count; k++) {
      const pl_row *row = span.row[k / own.count], *at = own.row[k % own.count];
      if (row->source == at->source && row->tag == at->tag)
        pl_vec3_add_scaled(shares[k / own.count], row->direction, value);
    }
  }
}

/* Calls for each body that the probe watches. */
static void each_body(pl_world *world, const pl_probe *probe, double *value,
                      void (*add)(pl_world *world, const pl_body *body, double *value))
{
  for (size_t i = 0; i < world->bodies.count; i++) {
    if (probe->body < 0 || probe->body == (int)i) add(world, &world->bodies.list[i], value);
  }
}

/* Each block's part of M v. */
static const double *block_momentum(pl_world *world, const pl_body *body, double factor)
{
  double *momentum = world->vectors.scratch + 3 * body->offset;
  memset(momentum, 0, (size_t)body->blocks * 3 * sizeof *momentum);
  pl_body_update_mass(body, world->state.q + 3 * body->offset);
  body->model->ops->mass_add(body->model, factor, world->state.v + 3 * body->offset, momentum,
                             world->pool);
  return momentum;
}

static void add_kinetic(pl_world *world, const pl_body *body, double *value)
{
  const double *v = world->state.v + 3 * body->offset, *p = block_momentum(world, body, 0.5);
  for (int i = 0; i < 3 * body->blocks; i++) *value += v[i] * p[i];
}

static void add_elastic(pl_world *world, const pl_body *body, double *value)
{
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->energy)
      *value += coupling->ops->energy(coupling, world->state.q, (int)(body - world->bodies.list));
  }
  if (!body->model->ops->energy) return;
  *value += body->model->ops->energy(body->model, world->state.q + 3 * body->offset, world->pool);
}

static void add_gravity(pl_world *world, const pl_body *body, double *value)
{
  const double *q = world->state.q + 3 * body->offset, *g = world->gravity;
  const double *mass = body->model->node_mass;
  int count = mass ? body->mesh->node_count : body->blocks;
  if (mass)
    q = pl_body_nodes(body, q, NULL);
  else
    mass = body->model->lumped_mass;
  for (int i = 0; i < count; i++) {
    const double *x = q + 3 * i;
    *value -= mass[i] * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
  }
}

/* The area of a body of triangles. */
static void add_volume(pl_world *world, const pl_body *body, double *value)
{
  const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  int n = body->mesh->nodes_per_element, room[8];
  for (int e = 0; e < body->mesh->element_count; e++)
    *value += pl_element_volume(q, pl_body_element(body, e, room), n);
}

/* Elements turned inside out; of a hexahedron by its volume as a whole. */
static void add_inverted(pl_world *world, const pl_body *body, double *value)
{
  const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  int n = body->mesh->nodes_per_element, room[8];
  for (int e = 0; e < body->mesh->element_count; e++)
    *value += pl_element_volume(q, pl_body_element(body, e, room), n) <= 0;
}

static void add_momentum(pl_world *world, const pl_body *body, double *value)
{
  const double *v = world->state.v + 3 * body->offset;
  if (!body->model->node_mass) {
    for (int i = 0; i < 3 * body->blocks; i++)
      value[i % 3] += body->model->lumped_mass[i / 3] * v[i];
    return;
  }
  const double *p = block_momentum(world, body, 1);
  for (int i = 0; i < 3 * body->blocks; i++)
    value[i % 3] += pl_model_is_point(body->model, i / 3) ? p[i] : 0;
}

/* Zero where action is reaction. */
static void add_net(pl_world *world, const pl_body *body, double *value)
{
  const double *f = inner_forces(world, body, NULL);
  for (int i = 0; i < 3 * body->blocks; i++)
    value[i % 3] += pl_model_is_point(body->model, i / 3) ? f[i] : 0;
}

/* About the origin. */
static void add_angular(pl_world *world, const pl_body *body, double *value)
{
  const double *q = world->state.q + 3 * body->offset, *p = block_momentum(world, body, 1);
  for (int i = 0; i < 3 * body->blocks; i += 3) {
    int spins = pl_model_is_rotation(body->model, i / 3);
    if (!spins && !pl_model_is_point(body->model, i / 3)) continue;
    for (int k = 0; k < 3; k++) {
      int a = i + (k + 1) % 3, b = i + (k + 2) % 3;
      value[k] += spins ? p[i + k] : q[a] * p[b] - q[b] * p[a];
    }
  }
}

static void add_elements(pl_world *world, const pl_body *body, double *value)
{
  (void)world;
  *value += pl_body_elements(body);
}

#define OF_BODIES(name)                                                                            \
  static void read_##name(pl_world *world, const pl_probe *probe, double *value)                   \
  {                                                                                                \
    memset(value, 0, 3 * sizeof *value);                                                           \
    each_body(world, probe, value, add_##name);                                                    \
  }
OF_BODIES(kinetic)
OF_BODIES(elastic)
OF_BODIES(gravity)
OF_BODIES(volume)
OF_BODIES(inverted)
OF_BODIES(momentum)
OF_BODIES(angular)
OF_BODIES(net)
OF_BODIES(elements)

static void read_energy(pl_world *world, const pl_probe *probe, double *value)
{
  memset(value, 0, 3 * sizeof *value);
  each_body(world, probe, value, add_kinetic);
  each_body(world, probe, value, add_elastic);
  each_body(world, probe, value, add_gravity);
}

PL_QUANTITY(displacement, "displacement", "of a point of the body from its place at rest", "m", 3,
            1, read_displacement);
PL_QUANTITY(position, "position", "of a point of the body", "m", 3, 1, read_position);
PL_QUANTITY(velocity, "velocity", "of a point of the body", "m/s", 3, 1, read_velocity);
PL_QUANTITY(kinetic, "kinetic-energy", "of a body, or of the world", "J", 1, 0, read_kinetic);
PL_QUANTITY(elastic, "elastic-energy", "stored in a body, or in the world", "J", 1, 0,
            read_elastic);
PL_QUANTITY(gravity, "gravity-energy", "in the world's gravity, zero at the origin", "J", 1, 0,
            read_gravity);
PL_QUANTITY(energy, "energy", "kinetic, elastic and gravity energy together", "J", 1, 0,
            read_energy);
PL_QUANTITY(volume, "volume", "of a body, or of the world", "m^3", 1, 0, read_volume);
PL_QUANTITY(inverted, "inverted", "how many elements are turned inside out", "1", 1, 0,
            read_inverted);
PL_QUANTITY(elements, "elements", "how many elements are in use, of a mesh that is refined", "1", 1,
            0, read_elements);
PL_QUANTITY(momentum, "momentum", "of a body, or of the world", "kg m/s", 3, 0, read_momentum);
PL_QUANTITY(net, "net-force", "sum of the elastic forces: zero, but for vertex warping", "N", 3, 0,
            read_net);
PL_QUANTITY(reaction, "reaction",
            "force of the fix or move that holds the body at a point, but for loads and inertia",
            "N", 3, 1, read_reaction);
PL_QUANTITY(angular, "angular-momentum", "about the origin", "kg m^2/s", 3, 0, read_angular);

#define X(name) &pl_quantity_##name.info,
PL_FAMILY(quantity, "what a probe watches", PL_QUANTITIES(X));
#undef X
