/* The largest frequency w and damping d of the modes q'' + d q' + w^2 q = 0.
 *
 * Power iteration: x <- J x / |J x| with J the derivative of the acceleration, J x taken as the
 * difference of two accelerations; |J x| tends to the largest |eigenvalue|, w^2 or d.
 *
 * For a free cube of one hexahedron with edge h, w^2 = 4 (3 lambda + 2 mu) / (rho h^2) exactly. */
#include "ode/stability.h"

#include "core/error.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

void pl_power_start(double *mode, int blocks)
{
  for (int i = 0; i < 3 * blocks; i++) mode[i] = (i % 2 ? -1 : 1) * (1 + (i * 7 % 13) / 13.0);
}

void pl_accelerate(pl_system *system, double t, const double *q, const double *v, double *a)
{
  system->ops->evaluate(system, t, q, v, a, NULL);
  system->ops->mass_inverse(system, a, a);
  pl_system_free(system, 0, a);
}

double pl_largest_eigenvalue(const pl_power *room, pl_system *system, double t, const double *q,
                             const double *v, int of_velocity, int iterations)
{
  int n = system->blocks;
  double *mode = room->mode, eigenvalue = 0;
  const double *at = of_velocity ? v : q;
  double size = 1e-7 * fmax(pl_norm(at, n, system->pool), 1e-3);
  for (int k = 0; k < iterations; k++) {
    pl_system_free(system, 0, mode);
    double length = pl_norm(mode, n, system->pool);
    if (!(length > 0)) return 0;
    for (int i = 0; i < 3 * n; i++) room->dq[i] = size / length * mode[i];
    if (of_velocity) {
      for (int i = 0; i < 3 * n; i++) room->next[i] = v[i] + room->dq[i];
      pl_accelerate(system, t, q, room->next, room->a);
    } else {
      system->ops->retract(system, q, room->dq, room->next);
      pl_accelerate(system, t, room->next, v, room->a);
    }
    for (int i = 0; i < 3 * n; i++) room->a[i] -= room->a0[i];
    eigenvalue = pl_norm(room->a, n, system->pool) / size;
    // differences of forces that do not depend on it are rounding
    if (!(eigenvalue > 0) || !isfinite(eigenvalue)) return eigenvalue;
    memcpy(mode, room->a, (size_t)n * 3 * sizeof *mode);
  }
  return eigenvalue;
}

double pl_spectral_radius(const pl_power *room, double *mode_v, pl_system *system, double t,
                          const double *q, const double *v, int iterations)
{
  const double safety = 1.1;
  pl_power other = *room;
  double stiffness = pl_largest_eigenvalue(room, system, t, q, v, 0, iterations);
  other.mode = mode_v;
  double damping = pl_largest_eigenvalue(&other, system, t, q, v, 1, iterations);
  return safety * fmax(sqrt(stiffness), damping);
}

enum { FIRST_ITERATIONS = 30, LATER_ITERATIONS = 3 };

pl_status pl_stages_create(pl_integrator *self, pl_error *error)
{
  pl_stages *state = self->state;
  pl_status status = pl_integrator_history(self, &state->mode_q, error);
  return status ? status : pl_integrator_history(self, &state->mode_v, error);
}

void pl_stages_begin(pl_integrator *self)
{
  pl_stages *state = self->state;
  pl_power_start(state->mode_q, self->blocks);
  pl_power_start(state->mode_v, self->blocks);
}

int pl_stages_are_due(const pl_integrator *self)
{
  return fmod(self->past->own[PL_STAGES_AGE], floor(self->values[PL_STAGES_EVERY])) == 0;
}

void pl_stages_estimate(pl_integrator *self, pl_power room, pl_system *system, double t,
                        const double *q, const double *v)
{
  const pl_stages *state = self->state;
  int iterations = self->past->own[PL_STAGES_AGE] > 0 ? LATER_ITERATIONS : FIRST_ITERATIONS;
  room.mode = state->mode_q;
  self->past->own[PL_STAGES_RADIUS] =
      pl_spectral_radius(&room, state->mode_v, system, t, q, v, iterations);
}

pl_status pl_fail_stages(double h, double radius, double stages, pl_error *error)
{
  return pl_fail(error, PL_E_DIVERGED,
                 "a step of %g s with a spectral radius of %.3g /s would take %.3g stages; take "
                 "smaller steps or allow more stages",
                 h, radius, stages);
}
