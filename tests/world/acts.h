/* What tests do with a world again and again: steps, fixes, loads and rigid parts in boxes, and
 * reading back what came of them. */
#ifndef PL_TEST_ACTS_H
#define PL_TEST_ACTS_H

#include "ode/integrator.h"
#include "pliant/world.h"

#include "test.h"

/* Runs over all integrators that move bodies and are in this build. */
#define EACH_INTEGRATOR(ops)                                                                       \
  for (int m_ = 0; pl_integrator_family.members[m_]; m_++)                                         \
    for (const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[m_];            \
         ops && !ops->is_static && !ops->info.missing; ops = NULL)

static inline void run_steps(pl_world *world, int count)
{
  for (int i = 0; i < count; i++) CHECK_OK(pl_world_step(world, error));
}

/* A box from corner to corner, as a region; the corners are kept by the caller. */
static inline pl_selector box_between(const double min[3], const double max[3], pl_setting room[2])
{
  room[0] = (pl_setting){.name = "min", .value = {min[0], min[1], min[2]}};
  room[1] = (pl_setting){.name = "max", .value = {max[0], max[1], max[2]}};
  return (pl_selector){.region = {"box", room, 2}};
}

static inline pl_status fix_where(pl_world *world, pl_body_id body, const pl_selector *where,
                                  pl_error *error)
{
  pl_fix_def def = pl_fix_def_default();
  def.where = where;
  def.where_count = 1;
  return pl_world_add_fix(world, body, &def, NULL, error);
}

/* Holds the nodes of a set. */
static inline pl_status fix_set(pl_world *world, pl_body_id body, const char *set, pl_error *error)
{
  return fix_where(world, body, &(pl_selector){.set = set}, error);
}

/* A traction along an axis on all faces beyond `from` on it. */
static inline pl_status pull_side(pl_world *world, pl_body_id body, int axis, double from,
                                  double stress, pl_error *error)
{
  double low[3] = {-9, -9, -9}, value[3] = {0};
  low[axis] = from;
  value[axis] = stress;
  pl_setting corners[2], traction = {.name = "value", .value = {value[0], value[1], value[2]}};
  pl_selector where = box_between(low, (const double[3]){9, 9, 9}, corners);
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"traction", &traction, 1};
  load.where = &where;
  load.where_count = 1;
  return pl_world_add_load(world, body, &load, NULL, error);
}

/* Makes what lies in a box rigid. */
static inline pl_status make_rigid(pl_world *world, pl_body_id body, const double box[2][3],
                                   pl_hinge hinge, pl_rigid_id *part, pl_error *error)
{
  pl_setting corners[2];
  pl_selector where = box_between(box[0], box[1], corners);
  pl_rigid_def def = pl_rigid_def_default();
  def.where = &where;
  def.where_count = 1;
  def.hinge = hinge;
  return pl_world_add_rigid(world, body, &def, part, error);
}

/* Where the nodes are; the caller frees it. */
static inline double *positions_of(pl_world *world, pl_body_id body, int *count)
{
  *count = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *x = calloc(3 * (size_t)*count, sizeof *x);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  return x;
}

/* What all fixes of a body hold, until the next call. */
static inline const double *reaction_of(pl_world *world, pl_body_id body)
{
  static double sum[3], reactions[3 * 4000];
  int count = pl_mesh_node_count(pl_world_body_mesh(world, body));
  memset(sum, 0, sizeof sum);
  CHECK(count <= 4000);
  if (count > 4000) return sum;
  CHECK_OK(pl_world_get_reactions(world, body, reactions, NULL, error));
  for (int i = 0; i < 3 * count; i++) sum[i % 3] += reactions[i];
  return sum;
}

/* The root mean square of the distances between nodes of two states of a body. */
static inline double rms_distance(const double *a, const double *b, int numbers)
{
  double sum = 0;
  for (int i = 0; i < numbers; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(3 * sum / numbers);
}

/* A quantity of the whole world. */
static inline void read_vector(pl_world *world, const char *quantity, double out[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe;
  def.quantity = quantity;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, out, error));
}

/* Kinetic, elastic and gravity's energy. */
static inline double energy_of(pl_world *world)
{
  pl_world_facts facts = {0};
  CHECK_OK(pl_world_measure(world, &facts, error));
  return facts.kinetic_energy + facts.elastic_energy + facts.gravity_energy;
}

#endif
