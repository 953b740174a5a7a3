/* Stages over velocities. Held nodes get what lets them move at their constant velocity u:
 * displacement reach u, velocity u, acceleration (u - v) / h. */
#include "ode/stepper.h"

#include <string.h>

pl_status pl_stepper_create(pl_integrator *integrator, pl_error *error)
{
  pl_stepper *stepper = integrator->state;
  pl_status status = pl_newton_create(&stepper->newton, integrator, error);
  double **vectors[] = {&stepper->z, &stepper->move, &stepper->drift,
                        &stepper->w, &stepper->held, &stepper->start};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !status; i++)
    status = pl_integrator_vector(integrator, vectors[i], error);
  if (stepper->stages == 0) stepper->stages = 1;
  for (int i = 0; i < stepper->stages && !status; i++)
    status = pl_integrator_vector(integrator, &stepper->found[i], error);
  return status ? status : pl_integrator_history(integrator, &stepper->rate, error);
}

void pl_stepper_begin(pl_stepper *stepper, pl_system *system, double t, double h, const double *q,
                      const double *v)
{
  if (!system->pass.expected) stepper->is_known = 0;
  stepper->stage = 0;
  memcpy(stepper->held, v, (size_t)system->blocks * 3 * sizeof *v);
  system->ops->prescribe(system, t, h, q, stepper->held);
}

void pl_stepper_expect(pl_stepper *stepper, const pl_integrator *integrator, pl_system *system,
                       double reach, const double *v)
{
  double ahead = integrator->past->steps > 0 ? reach : 0;
  for (int i = 0; i < 3 * system->blocks; i++) stepper->z[i] = v[i] + ahead * stepper->rate[i];
  pl_filter_prescribe(&system->filter, stepper->held, stepper->z);
}

/* x = (I - P) scale * u + P x. */
static void hold(pl_stepper *stepper, pl_system *system, double scale, double *x)
{
  double *wanted = stepper->newton.work;
  for (int i = 0; i < system->filter.count; i++) {
    int node = 3 * system->filter.nodes[i];
    for (int k = node; k < node + 3; k++) wanted[k] = scale * stepper->held[k];
  }
  pl_filter_prescribe(&system->filter, wanted, x);
}

/* Does this pass repeat one with the same forces but for friction, whose part of A is corrected?
 * What else asks for passes may change between stages. */
static int repeats(const pl_stepper *stepper, const pl_system *system)
{
  return stepper->is_known && system->pass.is_same;
}

/* A stage begins where an earlier pass has left it, and is measured as there; see pl_stage. */
static double recall(pl_stepper *stepper, pl_system *system)
{
  int stage = stepper->stage;
  if (!repeats(stepper, system) || stage >= stepper->stages || stepper->newton.iterations == 1)
    return 0;
  memcpy(stepper->z, stepper->found[stage], 3 * (size_t)system->blocks * sizeof(double));
  pl_filter_prescribe(&system->filter, stepper->held, stepper->z);
  return stepper->measure[stage];
}

static void record(pl_stepper *stepper, const pl_system *system)
{
  int stage = stepper->stage++;
  if (stage >= stepper->stages) return;
  memcpy(stepper->found[stage], stepper->z, 3 * (size_t)system->blocks * sizeof(double));
  stepper->measure[stage] = stepper->newton.reference;
}

pl_status pl_stepper_solve(pl_stepper *stepper, pl_system *system, const pl_velocity_stage *stage,
                           double h, const double *q, const double *v, pl_step_report *report,
                           pl_error *error)
{
  // what the base must be so that z = u gives held nodes their motion
  hold(stepper, system, stage->reach - stage->cq, stepper->move);
  hold(stepper, system, 1 - stage->cv, stepper->drift);
  double *rate = stepper->newton.work;
  for (int i = 0; i < 3 * system->blocks; i++)
    rate[i] = (stepper->held[i] - v[i]) / h - stage->cm * stepper->held[i];
  pl_filter_prescribe(&system->filter, rate, stepper->w);

  system->ops->retract(system, q, stepper->move, stepper->start);
  pl_stage newton_stage = {.t = stage->t,
                           .cq = stage->cq,
                           .cv = stage->cv,
                           .cm = stage->cm,
                           .q0 = stepper->start,
                           .v0 = stepper->drift,
                           .w = stepper->w,
                           .prescribed = stepper->held,
                           .loads = stage->loads,
                           .reference = recall(stepper, system),
                           .is_trial = system->pass.is_trial,
                           .keeps = repeats(stepper, system)};
  system->pass.stage = stage->share != 0 ? stepper->stage + 1 : 0;
  system->pass.share = stage->share;
  pl_status status =
      pl_newton_solve(&stepper->newton, system, &newton_stage, stepper->z, report, error);
  system->pass.stage = 0;
  if (status) return status;
  pl_newton_react(system, stage->share != 0 ? stage->share : 1);
  record(stepper, system);
  return PL_OK;
}

double pl_stepper_bend(const pl_stepper *stepper, const pl_integrator *integrator,
                       const pl_system *system, double h, const double *v1, const double *v)
{
  const pl_past *past = integrator->past;
  double *change = stepper->newton.work;
  for (int i = 0; i < 3 * system->blocks; i++) {
    change[i] = (v1[i] - v[i]) / h;
    if (past->steps > 0) change[i] -= stepper->rate[i];
  }
  return pl_rms(system, past->steps > 0 ? 2 / (h + past->h[0]) : 1 / h, change, NULL);
}

void pl_stepper_end(pl_stepper *stepper, pl_integrator *integrator, pl_system *system, double h,
                    double *dq, const double *v1, double *q, double *v)
{
  hold(stepper, system, h, dq);
  system->ops->retract(system, q, dq, q);
  for (int i = 0; i < 3 * system->blocks; i++) {
    stepper->rate[i] = (v1[i] - v[i]) / h;
    v[i] = v1[i];
  }
  hold(stepper, system, 1, v);
  stepper->is_known = 1;
  pl_integrator_remember(integrator, h);
}
