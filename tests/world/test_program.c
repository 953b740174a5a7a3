/* What programs ask of the library beside stepping: own forces on nodes, and vertices to draw. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "bar.h"

enum { MOST = 600 };

static double sum_along_x(pl_world *world)
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe;
  double value[3] = {NAN};
  def.quantity = "momentum";
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  CHECK_OK(pl_world_remove_probe(world, probe, error));
  return value[0];
}

/* The momentum after a time t is F t, with every model; without them it stays. */
TEST(own_forces_give_their_momentum)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    pl_world *world;
    pl_body_id body;
    if (((const pl_model_ops *)(const void *)pl_model_family.members[m])->meshes == PL_ON_SEGMENTS)
      continue; // the bar is solid
    double forces[MOST] = {0};
    pl_body_def like = pl_body_def_default();
    like.model.name = pl_model_family.members[m]->name;
    bar_def def = {.n = 1, .free = 1, .like = &like, .dt = 0.01};
    CHECK_OK(bar_make(&def, &world, &body, error));
    int count = pl_mesh_node_count(pl_world_body_mesh(world, body));
    for (int i = 0; i < count; i++) forces[3 * i] = 10;
    CHECK_OK(pl_world_set_forces(world, body, forces, error));
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    double expected = 10 * count * 0.1;
    CHECK_NEAR(sum_along_x(world), expected, 1e-5 * expected);
    // half of them, on a running world
    for (int i = 0; i < count; i++) forces[3 * i] = 5;
    CHECK_OK(pl_world_set_forces(world, body, forces, error));
    CHECK(world->ready);
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_NEAR(sum_along_x(world), 1.5 * expected, 1e-5 * expected);
    CHECK_OK(pl_world_set_forces(world, body, NULL, error));
    CHECK_OK(pl_world_set_forces(world, body, NULL, error));
    CHECK(world->ready);
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_NEAR(sum_along_x(world), 1.5 * expected, 1e-5 * expected);
    forces[4] = NAN;
    CHECK_FAILS(pl_world_set_forces(world, body, forces, error), PL_E_ARGUMENT, "force on node 1");
    pl_world_destroy(world);
  }
}

/* A ball's normals point away from its middle, interleaved as a renderer has them. */
static void check_ball(pl_world *world, pl_body_id body, const pl_mesh *drawn, double roughly)
{
  enum { STRIDE = 8 };
  int count = pl_mesh_node_count(drawn), outside = 0;
  float *buffer = calloc(STRIDE * (size_t)count, sizeof *buffer);
  buffer[6] = 7;
  CHECK_OK(pl_world_get_vertices(world, body, STRIDE, buffer, buffer + 3, error));
  CHECK(buffer[6] == 7);
  for (int i = 0; i < count; i++) {
    const float *v = buffer + STRIDE * i;
    double x[3] = {(double)v[0], (double)v[1], (double)v[2]};
    double n[3] = {(double)v[3], (double)v[4], (double)v[5]};
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], pl_mesh_nodes(drawn)[3 * i + k], 1e-6);
    if (pl_vec3_norm(n) == 0) continue;
    outside++;
    CHECK_NEAR(pl_vec3_norm(n), 1, 1e-6);
    CHECK(pl_vec3_dot(n, x) > roughly * pl_vec3_norm(x));
  }
  CHECK(outside > 20);
  free(buffer);
}

TEST(vertices_and_normals_are_those_of_what_is_drawn)
{
  static const char *const elements[] = {"tet", "hex"};
  for (int surface = 0; surface < 2; surface++) {
    for (int e = 0; e < 2; e++) {
      pl_setting sphere[] = {{.name = "radius", .value = {0.5}},
                             {.name = "element", .word = elements[e]}};
      pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
      pl_mesh *mesh = NULL, *skin = NULL;
      pl_world *world = NULL;
      pl_body_id body;
      pl_world_def def = pl_world_def_default();
      pl_body_def like = pl_body_def_default();
      CHECK_OK(pl_mesh_generate(&(pl_choice){"sphere", sphere, 2}, NULL, &mesh, error));
      CHECK_OK(pl_mesh_boundary(mesh, NULL, &skin, error));
      CHECK_OK(pl_world_create(&def, &world, error));
      like.mesh = mesh;
      like.surface = surface ? skin : NULL;
      like.material.law = (pl_choice){"hooke", hooke, 2};
      CHECK_OK(pl_world_add_body(world, &like, &body, error));
      check_ball(world, body, surface ? pl_world_body_surface(world, body) : mesh, 0.8);
      pl_world_destroy(world);
      pl_mesh_destroy(mesh), pl_mesh_destroy(skin);
    }
  }
}

TESTS(X(own_forces_give_their_momentum) X(vertices_and_normals_are_those_of_what_is_drawn))
