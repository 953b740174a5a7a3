/* Damping belongs to each body: bodies of one world that differ in nothing else, under every
 * integrator. */
// label: long
#include "math/vec3.h"
#include "world/world.h"

#include "test.h"

enum { BODIES = 3 };

/* Free cubes side by side that fly along y, stretched along z. */
static pl_world *make(const char *integrator, double dt, const double *alpha, const double *beta,
                      double stretch)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e4}}, {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.integrator.name = integrator;
  def.dt = dt;
  def.threads = 1;
  memset(def.gravity, 0, sizeof def.gravity);
  CHECK_OK(pl_world_create(&def, &world, error));
  for (int b = 0; b < BODIES; b++) {
    pl_setting box[] = {{.name = "size", .value = {0.5, 0.5, 0.5}},
                        {.name = "origin", .value = {2.0 * b, 0, 0}},
                        {.name = "cells", .value = {1, 1, 1}}};
    pl_mesh *mesh = NULL;
    pl_body_def body = pl_body_def_default();
    CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
    body.mesh = mesh;
    body.material.law = (pl_choice){"hooke", hooke, 2};
    body.material.mass_damping = alpha[b];
    body.material.stiffness_damping = beta[b];
    body.velocity[1] = 1;
    body.stretch[2] = stretch;
    CHECK_OK(pl_world_add_body(world, &body, NULL, error));
    pl_mesh_destroy(mesh);
  }
  return world;
}

/* Mean velocity along y, and the kinetic energy of what goes beyond it. */
static void read_body(const pl_world *world, int b, double *speed, double *energy)
{
  const pl_body *body = &world->bodies.list[b];
  double momentum[3] = {0}, mass = 0;
  for (int i = 0; i < body->blocks; i++) {
    pl_vec3_add_scaled(body->model->lumped_mass[i], world->state.v + 3 * (body->offset + i),
                       momentum);
    mass += body->model->lumped_mass[i];
  }
  *energy = 0;
  for (int i = 0; i < body->blocks; i++) {
    double d[3];
    pl_vec3_copy(world->state.v + 3 * (body->offset + i), d);
    pl_vec3_add_scaled(-1 / mass, momentum, d);
    *energy += 0.5 * body->model->lumped_mass[i] * pl_vec3_dot(d, d);
  }
  *speed = momentum[1] / mass;
}

/* v' = -alpha v. */
TEST(mass_damping_slows_every_body_by_its_own)
{
  const double alpha[BODIES] = {0, 1, 5}, beta[BODIES] = {0.001, 0.001, 0.001};
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    pl_world *world = make(ops->info.name, 5e-4, alpha, beta, 1);
    for (int i = 0; i < 200; i++) CHECK_OK(pl_world_step(world, error));
    for (int b = 0; b < BODIES; b++) {
      double speed, energy, expected = exp(-0.1 * alpha[b]);
      read_body(world, b, &speed, &energy);
      CHECK_NEAR(speed, expected, 2e-3);
      if (fabs(speed - expected) > 2e-3)
        printf("  %s, %g/s: %g of %g m/s\n", ops->info.name, alpha[b], speed, expected);
    }
    pl_world_destroy(world);
  }
}

/* The vibrations' energy summed over the second half of 0.2 s, and the last body's speed. */
static double vibrate(const char *integrator, const double *beta, double sum[BODIES])
{
  const double alpha[BODIES] = {0};
  pl_world *world = make(integrator, 5e-4, alpha, beta, 1.05);
  double speed = 0, energy;
  for (int b = 0; b < BODIES; b++) sum[b] = 0;
  for (int i = 0; i < 400; i++) {
    CHECK_OK(pl_world_step(world, error));
    for (int b = 0; b < BODIES; b++) {
      read_body(world, b, &speed, &energy);
      if (i >= 200) sum[b] += energy;
    }
  }
  pl_world_destroy(world);
  return speed;
}

/* Stiffness damping takes the vibration of each body by its own, as a reference does, and leaves
 * its flight alone. */
TEST(stiffness_damping_calms_every_body_by_its_own)
{
  const double beta[BODIES] = {0.0005, 0.005, 0.02};
  double right[BODIES], sum[BODIES];
  CHECK_NEAR(vibrate("rk4", beta, right), 1, 1e-9);
  CHECK(right[1] < 0.9 * right[0] && right[2] < 0.7 * right[1]);
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    CHECK_NEAR(vibrate(ops->info.name, beta, sum), 1, 3e-4);
    for (int b = 0; b < BODIES; b++) {
      CHECK_NEAR(sum[b], right[b], 0.04 * right[b]);
      if (fabs(sum[b] - right[b]) > 0.04 * right[b])
        printf("  %s, %g s: %g of %g J\n", ops->info.name, beta[b], sum[b], right[b]);
    }
  }
}

TESTS(X(mass_damping_slows_every_body_by_its_own) X(stiffness_damping_calms_every_body_by_its_own))
