/* A pendulum that is let go at 90 degrees, for tests of what swings about an axis: its angle at a
 * time, its energy, and what every integrator must keep of both. */
#ifndef PL_TEST_PENDULUM_H
#define PL_TEST_PENDULUM_H

#include "ode/integrator.h"
#include "pliant/world.h"

#include "test.h"

static inline double energy_of(pl_world *world)
{
  pl_world_facts facts = {0};
  CHECK_OK(pl_world_measure(world, &facts, error));
  return facts.kinetic_energy + facts.elastic_energy + facts.gravity_energy;
}

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
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_member *member = pl_integrator_family.members[m];
    const pl_integrator_ops *ops = (const pl_integrator_ops *)member;
    double energy;
    if (ops->is_static || ops->info.missing) continue;
    int before = test_failures;
    // methods of first order are looked at before their error is as large as the swing
    double span = ops->order == 1 ? 0.8 : time;
    double wide = swing(member->name, 0.008, span, &energy);
    double half = swing(member->name, 0.004, span, &energy);
    double min = ops->order >= 2 ? 3.5 : ops->order == 1 ? 1.8 : 0;
    CHECK(half <= (ops->order == 1 ? 0.05 : 1e-3));
    CHECK(wide >= min * half || half < 1e-7);
    CHECK(energy <= (ops->order == 1 ? 0.05 : 1e-3));
    if (test_failures > before)
      printf("    %s: %.3g, then %.3g; energy %.3g\n", member->name, wide, half, energy);
  }
}

#endif
