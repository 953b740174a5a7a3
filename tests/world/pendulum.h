/* A pendulum that is let go at 90 degrees and a top that spins freely, for tests of what turns:
 * what every integrator must keep of angle, momentum and energy. */
#ifndef PL_TEST_PENDULUM_H
#define PL_TEST_PENDULUM_H

#include "acts.h"

/* The angle of a pendulum with frequency^2 w2 that is let go at 90 degrees: a'' = -w2 cos a, by the
 * classical Runge-Kutta method in small steps. */
static inline double exact_angle(double w2, double time)
{
  int steps = (int)(time / 1e-4 + 0.5);
  double a = 0, v = 0, h = time / steps;
  for (int i = 0; i < steps; i++) {
    double k1 = -w2 * cos(a), l1 = v;
    double k2 = -w2 * cos(a + 0.5 * h * l1), l2 = v + 0.5 * h * k1;
    double k3 = -w2 * cos(a + 0.5 * h * l2), l3 = v + 0.5 * h * k2;
    double k4 = -w2 * cos(a + h * l3), l4 = v + h * k3;
    a += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return a;
}

/* swing returns the error of the angle after some time, and the worst of the energy in parts of m g
 * d. Every method keeps its order, and those of order 2 the energy to 1e-3 of m g d at 4 ms. */
static inline void check_pendulums(double time, double (*swing)(const char *integrator, double dt,
                                                                double time, double *energy_error))
{
  EACH_INTEGRATOR(ops)
  {
    double energy;
    int before = test_failures;
    // methods of first order are looked at before their error is as large as the swing
    double span = ops->order == 1 ? 0.8 : time;
    double wide = swing(ops->info.name, 0.008, span, &energy);
    double half = swing(ops->info.name, 0.004, span, &energy);
    double min = ops->order >= 2 ? 3.5 : ops->order == 1 ? 1.8 : 0;
    CHECK(half <= (ops->order == 1 ? 0.05 : 1e-3));
    CHECK(wide >= min * half || half < 1e-7);
    CHECK(energy <= (ops->order == 1 ? 0.05 : 1e-3));
    if (test_failures > before)
      printf("    %s: %.3g, then %.3g; energy %.3g\n", ops->info.name, wide, half, energy);
  }
}

/* Lets a free top of two blocks turn for a second: by how much of itself its angular momentum
 * changes, and the same of its energy. */
static inline double turn_top(pl_world *world, double dt, double *energy_lost)
{
  double before[3], after[3], energy[3], later[3];
  CHECK(world->bodies.blocks == 2);
  read_vector(world, "angular-momentum", before);
  read_vector(world, "kinetic-energy", energy);
  run_steps(world, (int)(1 / dt + 0.5));
  read_vector(world, "angular-momentum", after);
  read_vector(world, "kinetic-energy", later);
  *energy_lost = fabs(later[0] - energy[0]) / energy[0];
  return pl_vec3_distance(before, after) / pl_vec3_norm(before);
}

/* lost_spin returns by how much of itself the angular momentum of a free top has changed, and the
 * same of its energy: both fall with the order of the method, which for methods that treat velocity
 * otherwise is that of damping, as inertial forces depend on velocity. What corrects momenta keeps
 * them to rounding. */
static inline void check_tops(double (*lost_spin)(const char *integrator, double dt, int kept,
                                                  double *energy_lost))
{
  EACH_INTEGRATOR(ops)
  {
    double energy;
    int before = test_failures, order = ops->damped_order ? ops->damped_order : ops->order;
    double wide = lost_spin(ops->info.name, 0.02, 0, &energy);
    double half = lost_spin(ops->info.name, 0.01, 0, &energy);
    double min = order >= 2 ? 3.2 : order == 1 ? 1.7 : 0;
    CHECK(half <= (order >= 2 ? 2e-3 : order == 1 ? 0.05 : 1e-4));
    CHECK(wide >= min * half || half < 1e-8);
    CHECK(energy <= (order == 1 ? 0.1 : 4e-3));
    if (test_failures > before)
      printf("    %s: %.3g, then %.3g; energy %.3g\n", ops->info.name, wide, half, energy);
  }
  double energy;
  CHECK_NEAR(lost_spin("implicit-euler", 0.01, 1, &energy), 0, 1e-11);
}

#endif
