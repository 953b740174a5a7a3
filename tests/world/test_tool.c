/* The tool that pushes, and what can be asked of forces and strains. */
#include "pliant/world.h"
#include "probe.h"

#include "world/bar.h"

#include "test.h"

#include <string.h>

static pl_tool_def tool_at(double x, double y, double z)
{
  pl_tool_def def = pl_tool_def_default();
  def.centre[0] = x;
  def.centre[1] = y;
  def.centre[2] = z;
  def.radius = 0.1;
  def.stiffness = 500;
  return def;
}

static pl_world *make(const bar_def *bar, pl_body_id *body)
{
  pl_world *world = NULL;
  CHECK_OK(bar_make(bar, &world, body, error));
  return world;
}

/* Without gravity a free bar gets the tool's impulse, and nothing else moves it. */
TEST(a_push_gives_momentum)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.free = 1, .dt = 1e-3, .element = "hex"}, &body);
  pl_tool_def tool = tool_at(0.5, 0.125, 0.33);
  double force[3], impulse = 0, momentum = 0;
  int touched;
  CHECK_OK(pl_world_set_tool(world, &tool, error));
  pl_world_read_tool(world, force, &touched);
  CHECK(touched > 0 && force[2] < -1);
  CHECK_NEAR(force[1], 0, 1e-9 * fabs(force[2])); // the bar is symmetric about the tool
  for (int i = 0; i < 100; i++) {
    CHECK_OK(pl_world_step(world, error));
    pl_world_read_tool(world, force, NULL);
    impulse += 1e-3 * force[2]; // implicit Euler takes the force at the end of the step
  }
  const pl_body *inside = pl_world_body(world, body);
  for (int i = 0; i < inside->blocks; i++)
    momentum += inside->model->lumped_mass[i] * world->state.v[3 * i + 2];
  CHECK(impulse < -0.1);
  // the solver's tolerance is 1e-6 of each step's right side
  CHECK_NEAR(momentum, impulse, 1e-3 * fabs(impulse));
  CHECK_OK(pl_world_set_tool(world, NULL, error));
  pl_world_read_tool(world, force, &touched);
  CHECK(touched == 0 && force[2] == 0);
  pl_world_destroy(world);
}

/* Pushing the free end of the held bar down comes to rest; away from the bar nothing happens. */
TEST(it_pushes_what_it_touches)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.integrator = "static"}, &body);
  double force[3], moved = 0;
  pl_tool_def tool = tool_at(1, 0.125, 0.6);
  CHECK_OK(pl_world_set_tool(world, &tool, error));
  uint64_t before = pl_world_state_hash(world);
  CHECK_OK(pl_world_step(world, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  int nodes = pl_mesh_node_count(mesh);
  double *x = malloc((size_t)nodes * 6 * sizeof *x), *outer = x + 3 * nodes;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < 3 * nodes; i++) moved = fmax(moved, fabs(x[i] - pl_mesh_nodes(mesh)[i]));
  CHECK(moved < 1e-12 && before != 0);
  tool.centre[2] = 0.32;
  CHECK_OK(pl_world_set_tool(world, &tool, error));
  CHECK_OK(pl_world_step(world, error));
  pl_world_read_tool(world, force, NULL);
  CHECK(force[2] < -1);

  // all forces from outside balance: those of the tool and those at the held end
  double sum[3] = {0}, max = 0;
  CHECK_OK(pl_world_get_forces(world, body, NULL, outer, error));
  for (int i = 0; i < 3 * nodes; i++) sum[i % 3] += outer[i];
  for (int i = 0; i < 3 * nodes; i++) max = fmax(max, fabs(outer[i]));
  for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-3 * max);
  free(x);
  pl_world_destroy(world);
}

TEST(bad_tools_are_refused)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  pl_tool_def tool = tool_at(0, 0, 0), zero = {0};
  pl_error error;
  CHECK(pl_world_set_tool(world, &zero, &error) == PL_E_ARGUMENT);
  tool.radius = 0;
  CHECK(pl_world_set_tool(world, &tool, &error) == PL_E_ARGUMENT &&
        strstr(error.message, "radius"));
  tool = tool_at(NAN, 0, 0);
  CHECK(pl_world_set_tool(world, &tool, &error) == PL_E_ARGUMENT &&
        strstr(error.message, "centre"));
  tool = tool_at(0, 0, 0);
  tool.stiffness = -1;
  CHECK(pl_world_set_tool(world, &tool, &error) == PL_E_ARGUMENT &&
        strstr(error.message, "stiffness"));
  CHECK(probe_count(world, &pl_coupling_tool) == 0);
  pl_world_destroy(world);
}

/* A uniform stretch: the strain's and the energy's values are known. */
TEST(strain_and_energy_of_a_stretch)
{
  const char *elements[] = {"tet", "hex"};
  for (int i = 0; i < 2; i++) {
    pl_body_id body;
    pl_world *world = make(&(bar_def){.element = elements[i], .strain = "green"}, &body);
    const pl_mesh *mesh = pl_world_body_mesh(world, body);
    int nodes = pl_mesh_node_count(mesh), count = pl_mesh_element_count(mesh);
    double *x = malloc(((size_t)nodes * 3 + 2 * (size_t)count) * sizeof *x);
    double *strain = x + 3 * nodes, *density = strain + count;
    const double stretch = 1.2, E = (stretch * stretch - 1) / 2;
    for (int n = 0; n < 3 * nodes; n++) x[n] = pl_mesh_nodes(mesh)[n] * (n % 3 == 0 ? stretch : 1);
    CHECK_OK(pl_world_set_positions(world, body, x, error));
    CHECK_OK(pl_world_get_strain(world, body, strain, density, error));
    double lambda = 1e6 * 0.3 / (1.3 * 0.4), mu = 1e6 / 2.6;
    for (int e = 0; e < count; e++) {
      CHECK_NEAR(strain[e], 2 * E / 3, 1e-12); // of the deviator (2/3, -1/3, -1/3) E
      CHECK_NEAR(density[e], (0.5 * lambda + mu) * E * E, 1e-6);
    }
    free(x);
    pl_world_destroy(world);
  }
}

/* At rest under its weight: at free nodes elastic forces carry the weight. */
TEST(inner_forces_carry_the_weight)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.integrator = "static", .gravity = {0, 0, -1}}, &body);
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  int nodes = pl_mesh_node_count(mesh);
  double *inner = malloc((size_t)nodes * 6 * sizeof *inner), *outer = inner + 3 * nodes, lift = 0;
  CHECK_OK(pl_world_get_forces(world, body, inner, outer, error));
  const pl_body *inside = pl_world_body(world, body);
  for (int i = 0; i < nodes; i++) {
    double weight = inside->model->lumped_mass[inside->place[i]];
    if (pl_mesh_nodes(mesh)[3 * i] > 1e-9) CHECK_NEAR(inner[3 * i + 2], weight, 1e-3 * 62.5);
    if (pl_mesh_nodes(mesh)[3 * i] > 1e-9) CHECK_NEAR(outer[3 * i + 2], 0, 1e-9);
    lift += outer[3 * i + 2];
  }
  CHECK_NEAR(lift, 62.5, 1e-2 * 62.5); // the whole weight, 62.5 kg times 1 m/s^2, at the held end
  free(inner);
  pl_world_destroy(world);
}

/* A thrown body flies off at that speed and spins on as before; one that is held stays. */
TEST(a_throw_moves_free_bodies)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.free = 1, .spin = {0, 0, 2}}, &body);
  const double velocity[3] = {3, 0, 1};
  const pl_body *inside = pl_world_body(world, body);
  double spread[3] = {world->state.v[0] - world->state.v[30],
                      world->state.v[1] - world->state.v[31],
                      world->state.v[2] - world->state.v[32]};
  CHECK_OK(pl_world_throw(world, body, velocity, error));
  double sum[3] = {0}, mass = 0;
  for (int i = 0; i < inside->blocks; i++) {
    mass += inside->model->lumped_mass[i];
    for (int k = 0; k < 3; k++) sum[k] += inside->model->lumped_mass[i] * world->state.v[3 * i + k];
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k] / mass, velocity[k], 1e-12);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(world->state.v[k] - world->state.v[30 + k], spread[k], 1e-12);
  pl_error error;
  CHECK(pl_world_throw(world, body, (const double[3]){NAN, 0, 0}, &error) == PL_E_ARGUMENT);
  pl_world_destroy(world);

  world = make(&(bar_def){0}, &body);
  uint64_t before = pl_world_state_hash(world);
  CHECK(pl_world_throw(world, body, velocity, &error) == PL_OK);
  CHECK(pl_world_state_hash(world) == before);
  pl_world_destroy(world);
}

TESTS(X(a_throw_moves_free_bodies) X(a_push_gives_momentum) X(it_pushes_what_it_touches)
          X(bad_tools_are_refused) X(strain_and_energy_of_a_stretch)
              X(inner_forces_carry_the_weight))
