/* The part of a surface that a tool touches, and that a tool held in a dent does not shake. */
#include "haptic/patch.h"
#include "math/vec3.h"
#include "pliant/haptic.h"
#include "test.h"
#include "world/acts.h"
#include "world/bar.h"

/* On a flat side the patch is the nearest point with the side's normal, wherever it lies among the
 * triangles. 2 % of the radius: pieces of triangles a quarter of it long. */
TEST(a_patch_of_a_flat_side_is_its_nearest_point)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_hit hit;
  CHECK_OK(bar_make(&(bar_def){.n = 3}, &world, &body, error));
  pl_patch patch = {.allocator = &world->allocator};
  for (int i = 0; i < 20; i++) {
    const double radius = 0.04,
                 x[3] = {0.3 + 0.017 * i, 0.1 + 0.003 * i, 0.25 + radius * (1 - 0.04 * i)};
    double p[3] = {0};
    CHECK_OK(pl_world_nearest(world, x, &hit, error));
    CHECK_OK(pl_patch_spread(&patch, world, NULL, radius, x, &hit, error));
    const double *nodes = pl_mesh_nodes(pl_world_body_mesh(world, body));
    for (int a = 0; a < hit.spot.count; a++)
      pl_vec3_add_scaled(hit.spot.weights[a], nodes + 3 * hit.spot.nodes[a], p);
    CHECK(hit.spot.count >= 3);
    CHECK_NEAR(p[0], x[0], 0.02 * radius);
    CHECK_NEAR(p[1], x[1], 0.02 * radius);
    CHECK_NEAR(p[2], 0.25, 1e-12);
    CHECK_NEAR(hit.normal[2], 1, 1e-3);
  }
  pl_patch_release(&patch);
  pl_world_destroy(world);
}

/* More nodes than an element has: a spot with all of them, pulled as one point. */
TEST(a_patch_of_many_triangles_is_pulled_as_one_point)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_hit hit;
  pl_pull_id pull;
  pl_pull_facts facts;
  const double x[3] = {0.5, 0.11, 0.32};
  CHECK_OK(
      bar_make(&(bar_def){.n = 8, .stiffness_damping = 0.3, .solver = 1e-9}, &world, &body, error));
  pl_patch patch = {.allocator = &world->allocator};
  CHECK_OK(pl_world_nearest(world, x, &hit, error));
  CHECK_OK(pl_patch_spread(&patch, world, NULL, 0.08, x, &hit, error));
  CHECK(hit.spot.count > 16 && hit.spot.count <= 32);
  pl_pull_def def = pl_pull_def_default();
  def.at = hit.spot;
  memcpy(def.target, (const double[]){0.5, 0.11, 0.2}, sizeof def.target);
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  CHECK_NEAR(facts.position[0], x[0], 0.02 * 0.08);
  CHECK_NEAR(facts.position[1], x[1], 0.02 * 0.08);
  for (int i = 0; i < (TEST_SANITIZED ? 5 : 100); i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  CHECK(facts.force[2] < -10);
  if (!TEST_SANITIZED) // nearly at rest
    CHECK_NEAR(reaction_of(world, body)[2], -facts.force[2], 0.005 * -facts.force[2]);
  pl_patch_release(&patch);
  pl_world_destroy(world);
}

/* The normal of the patch around the nearest point of a tool at x. */
static void normal_at(pl_patch *patch, const pl_world *world, const pl_shape *tool, double size,
                      const double x[3], const pl_hit *from, double normal[3])
{
  pl_hit hit;
  if (tool)
    CHECK_OK(pl_world_nearest_to_shape(world, tool, x, &hit, error));
  else
    CHECK_OK(pl_world_nearest(world, x, &hit, error));
  if (from) hit.distance = from->distance;
  CHECK_OK(pl_patch_spread(patch, world, tool, size, x, &hit, error));
  memcpy(normal, hit.normal, sizeof hit.normal);
}

/* Compares both at an edge, where the normal turns most; returns the largest number. The least
 * distance grows along the normal of the patch, as where it is used, not along that of the nearest
 * point. */
static double check_turn(const pl_shape *tool, double size, double beside, double height)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_hit hit;
  const double x[3] = {1 + beside, 0.13, 0.25 + height}, e = 1e-6 * size;
  CHECK_OK(bar_make(&(bar_def){.n = 5}, &world, &body, error));
  pl_patch patch = {.allocator = &world->allocator};
  if (tool)
    CHECK_OK(pl_world_nearest_to_shape(world, tool, x, &hit, error));
  else
    CHECK_OK(pl_world_nearest(world, x, &hit, error));
  double distance = hit.distance, turn[9], largest = 0;
  CHECK_OK(pl_patch_spread(&patch, world, tool, size, x, &hit, error));
  memcpy(turn, patch.turn, sizeof turn);
  for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(turn[k]));
  for (int a = 0; a < 3; a++) {
    double at[3], side[2][3];
    for (int s = 0; s < 2; s++) {
      memcpy(at, x, sizeof at);
      at[a] += s ? e : -e;
      const pl_hit there = {.distance = distance + (s ? e : -e) * hit.normal[a]};
      normal_at(&patch, world, tool, size, at, &there, side[s]);
    }
    for (int k = 0; k < 3; k++)
      CHECK_NEAR((side[1][k] - side[0][k]) / (2 * e), turn[3 * k + a], 1e-6 / size);
  }
  pl_patch_release(&patch);
  pl_world_destroy(world);
  return size * largest;
}

TEST(the_turn_of_a_normal_is_its_derivative)
{
  const pl_setting tip[] = {{.name = "radius", .value = {0.04}},
                            {.name = "length", .value = {0.2}},
                            {.name = "centre", .value = {0, 0, 0.1}}};
  const pl_shape_row row = {.shape = {"capsule", tip, 3}};
  const pl_allocator allocator = pl_allocator_default();
  pl_shape *capsule = NULL;
  CHECK_OK(pl_shape_create(&row, 1, &allocator, &capsule, error));
  for (double height = -0.01; height < 0.05; height += 0.0137) {
    double turn = check_turn(NULL, 0.04, 0.007, height);
    printf("  %g m above: %.3g of 1 / radius\n", height, turn);
    CHECK(turn > 0.1);
  }
  CHECK(check_turn(NULL, 0.04, -0.019, -0.01) > 0.1); // inside
  CHECK(check_turn(capsule, 0.04, 0.007, 0.03) > 0.1);
  pl_shape_destroy(&allocator, capsule);
}

/* The nodes of a steadied pull exert -s (v - v0) on it together, and stand on the diagonal. */
TEST(a_steadied_pull_resists_changes_of_velocity_without_pairs)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_hit hit;
  pl_pull_id pull;
  pl_pull_facts facts;
  const double x[3] = {0.5, 0.11, 0.32}, s = 300, h = 0.01;
  double before[3], after[3], velocity = 0;
  CHECK_OK(bar_make(&(bar_def){.n = 6, .free = 1, .solver = 1e-12, .integrator = "implicit-euler"},
                    &world, &body, error));
  pl_patch patch = {.allocator = &world->allocator};
  CHECK_OK(pl_world_nearest(world, x, &hit, error));
  CHECK_OK(pl_patch_spread(&patch, world, NULL, 0.08, x, &hit, error));
  pl_pull_def def = pl_pull_def_default();
  def.at = hit.spot;
  def.stiffness = 0;
  def.force[2] = -50;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  CHECK_OK(pl_world_steady_pull(world, pull, s, error));
  CHECK_FAILS(pl_world_steady_pull(world, pull, NAN, error), PL_E_ARGUMENT, "nan");
  for (int i = 0; i < 3; i++) {
    read_vector(world, "momentum", before);
    CHECK_OK(pl_world_step(world, error));
    read_vector(world, "momentum", after);
    CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
    CHECK(hit.spot.count > 16 && !pl_pairs_exist(world->system.pairs));
    CHECK_NEAR(after[2] - before[2], h * (-50 - s * (facts.velocity[2] - velocity)), 1e-9);
    CHECK(i > 0 || s * fabs(facts.velocity[2]) > 5);
    velocity = facts.velocity[2];
  }
  pl_patch_release(&patch);
  pl_world_destroy(world);
}

/* How much the force changes from step to step while a hand holds a tool as deep in a block as its
 * cells are large: half of the second difference, RMS over 80 steps and all directions, as a part
 * of the force. n: cells across. */
static double ripple(const pl_part_def *tool, int n, double stiffness)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  pl_haptic_facts facts;
  const pl_haptic_sample at[] = {{0, {0.52, 0.12, 0.35}}, {0.2, {0.52, 0.12, 0.25}}};
  double force[80][3], sum = 0;
  CHECK_OK(
      bar_make(&(bar_def){.n = n, .free = 1, .stiffness_damping = 0.01}, &world, &body, error));
  CHECK_OK(fix_set(world, body, "z-min", error));
  pl_haptic_def def = pl_haptic_def_default();
  def.device.name = "record";
  def.samples = at, def.sample_count = 2;
  def.stiffness = stiffness;
  def.max_force = 1e6;
  def.radius = tool ? 0 : 0.07;
  def.tool = tool, def.tool_count = tool != NULL;
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  for (int i = 0; i < 80; i++) CHECK_OK(pl_haptic_step(hand, error));
  for (int i = 0; i < 80; i++) {
    CHECK_OK(pl_haptic_step(hand, error));
    pl_haptic_read(hand, &facts);
    memcpy(force[i], facts.force, sizeof force[i]);
    for (int k = 0; i > 1 && k < 3; k++)
      sum += pow(0.5 * (force[i][k] - 2 * force[i - 1][k] + force[i - 2][k]), 2);
  }
  CHECK(facts.force[2] > 0);
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
  return sqrt(sum / 78) / facts.force[2];
}

/* The nearest point of a sphere in a dent changes from side to side: with it alone the force shook
 * here by 0.3 to 60 times
 * itself. Springs softer and stiffer than the surface, which has some 1.5e5 N/m under
 * this sphere. */
TEST(a_tool_that_is_held_in_a_dent_does_not_shake)
{
  const pl_setting tip[] = {{.name = "radius", .value = {0.07}},
                            {.name = "length", .value = {0.2}},
                            {.name = "centre", .value = {0, 0, 0.1}}};
  const pl_part_def capsule = {.shape = {"capsule", tip, 3}};
  for (int n = 2; n <= (TEST_SANITIZED ? 2 : 4); n++) {
    for (double stiffness = 4e4; stiffness < 5e5; stiffness *= 10) {
      double sphere = ripple(NULL, n, stiffness), shape = ripple(&capsule, n, stiffness);
      printf("  n = %d, %g N/m: %.2g, %.2g of the force\n", n, stiffness, sphere, shape);
      CHECK(sphere < 1e-8 && shape < 1e-8);
    }
  }
}

/* A simulated hand, free to move to the sides, holds a soft block with memory for a second: the
 * largest change of its force in a step, as a part of the force. */
static double hold_softly(double dt, double radius)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  pl_haptic_facts facts = {0};
  const pl_setting place[] = {{.name = "start", .value = {0.52, 0.12, 0.35}},
                              {.name = "goal", .value = {0.52, 0.12, 0.15}},
                              {.name = "speed", .value = {0.5}}};
  const pl_setting hooke[] = {{.name = "young", .value = {4000}},
                              {.name = "poisson", .value = {0.3}}};
  double last[3], worst = 0;
  pl_body_def soft = pl_body_def_default();
  soft.material.law = (pl_choice){"hooke", hooke, 2};
  soft.material.density = 30;
  soft.material.stiffness_damping = 0.01;
  CHECK_OK(bar_make(&(bar_def){.n = 3, .free = 1, .dt = dt, .like = &soft}, &world, &body, error));
  CHECK_OK(fix_set(world, body, "z-min", error));
  pl_haptic_def def = pl_haptic_def_default();
  def.device = (pl_choice){"simulated", place, 3};
  def.radius = radius;
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  while (pl_world_time(world) < 2.5) {
    memcpy(last, facts.force, sizeof last);
    CHECK_OK(pl_haptic_step(hand, error));
    pl_haptic_read(hand, &facts);
    if (pl_world_time(world) > 1.5) worst = fmax(worst, pl_vec3_distance(last, facts.force));
  }
  CHECK(facts.force[2] > 1);
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
  return worst / facts.force[2];
}

/* The sphere is pressed in as deep as its radius. With a plane that does not turn it shook by 0.28
 * of the force at 20 ms, and by 0.11 to 0.74 at 40 ms where the surface's inertia did not know how
 * stiff a plane is that turns. */
TEST(a_hand_that_is_free_to_move_is_at_rest_in_a_dent)
{
  for (double dt = 0.01; dt < 0.05; dt *= 2) {
    double point = hold_softly(dt, 0), sphere = hold_softly(dt, 0.05);
    printf("  %g ms: a point %.2g, a sphere %.2g of the force\n", 1e3 * dt, point, sphere);
    CHECK(point < 1e-3 && sphere < 1e-3);
  }
}

TESTS(X(a_patch_of_a_flat_side_is_its_nearest_point)
          X(a_patch_of_many_triangles_is_pulled_as_one_point)
              X(the_turn_of_a_normal_is_its_derivative)
                  X(a_steadied_pull_resists_changes_of_velocity_without_pairs)
                      X(a_tool_that_is_held_in_a_dent_does_not_shake)
                          X(a_hand_that_is_free_to_move_is_at_rest_in_a_dent))
