/* Passes over the finite elements: forces, stiffness, energy, fields, memory. */
#include "model/fem/fem.h"

#include <math.h>

/* One point with hourglass control has forces of its own; stiffness is that of the point and of
 * control. */
static void evaluate_one_point(const pl_fem_job *job, int first, int last)
{
  const pl_hourglass_kernel *control = job->fem->hourglass.kernel;
  if (job->f) control->forces(job, first, last);
  if (!job->tangent.A) return;
  pl_fem_job matrix = *job;
  matrix.f = NULL;
  job->fem->kernel->evaluate(&matrix, first, last);
  control->stiffness(&matrix, first, last);
}

void pl_fem_evaluate_batches(const pl_fem_job *job, int first, int last)
{
  if (job->fem->hourglass.kernel)
    evaluate_one_point(job, first, last);
  else
    job->fem->kernel->evaluate(job, first, last);
}

static void evaluate_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  pl_fem_evaluate_batches(job, job->fem->starts[chunk], job->fem->starts[chunk + 1]);
}

int pl_fem_postpones(const pl_model *self, const pl_moment *at)
{
  const pl_fem *fem = self->state;
  int can = at->h == fem->groups.h && at->h > 0 && at->h < INFINITY && !fem->hourglass.kernel &&
            fem->volume.kind == PL_VOLUME_POINT;
  for (int g = 0; g < fem->groups.count; g++)
    can &= !fem->groups.list[g].memory || pl_group_is_eased(&fem->groups.list[g]);
  return can;
}

/* The pass moves points on as it comes to them. */
static void start_move(pl_model *self, const pl_moment *at, pl_fem_job *job)
{
  pl_fem *fem = self->state;
  job->memory = self->postponed.to;
  job->h = at->h;
  self->postponed.to = NULL;
  pl_groups_move(&fem->groups, self->postponed.from, at->h);
}

void pl_fem_evaluate(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = at->q, .v = at->v, .f = f};
  if (tangent) job.tangent = *tangent;
  if (pl_model_is_postponed(self, at)) start_move(self, at, &job);
  pl_model_settle(self, pool);
  if (!job.memory) pl_groups_freeze(&fem->groups, at->h, pool);
  pl_volume_share(fem, &job, pool);
  if (tangent) pl_upper_clear(&fem->upper, tangent->A, pool);
  pl_colours_run(&fem->chunks, pool, evaluate_chunk, &job);
  if (tangent) pl_volume_couple(fem, &job);
  if (tangent) pl_upper_finish(&fem->upper, tangent->A, pool);
  if (!job.memory) return;
  pl_groups_moved(&fem->groups, job.memory);
  pl_groups_freeze(&fem->groups, at->h, pool);
}

static void energy_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  const pl_hourglass_kernel *control = job->fem->hourglass.kernel;
  job->sums[chunk] = job->fem->kernel->energy(job, start[0], start[1]);
  if (control) job->sums[chunk] += control->energy(job, start[0], start[1]);
}

double pl_fem_energy(pl_model *self, const double *q, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .sums = fem->chunk_sums};
  pl_model_settle(self, pool);
  pl_groups_freeze_all(&fem->groups, pool);
  pl_volume_share(fem, &job, pool);
  return pl_model_sum(pool, fem->chunks.chunks, energy_chunk, &job, fem->chunk_sums);
}

static void hourglass_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->sums[chunk] = job->fem->hourglass.kernel->energy(job, start[0], start[1]);
}

double pl_fem_hourglass(pl_model *self, const double *q, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .sums = fem->chunk_sums};
  if (!fem->hourglass.kernel) return 0;
  return pl_model_sum(pool, fem->chunks.chunks, hourglass_chunk, &job, fem->chunk_sums);
}

static void fields_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->fields(job, start[0], start[1]);
}

void pl_fem_fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .von_mises = von_mises, .det_f = det_f};
  pl_model_settle(self, pool);
  pl_groups_freeze_all(&fem->groups, pool);
  pl_volume_share(fem, &job, pool);
  pl_parallel(pool, fem->chunks.chunks, fields_chunk, &job);
}

static void strains_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  const pl_hourglass_kernel *control = job->fem->hourglass.kernel;
  job->fem->kernel->strains(job, start[0], start[1]);
  if (control && job->density) control->densities(job, start[0], start[1]);
}

void pl_fem_strains(pl_model *self, const double *q, double *strain, double *energy, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .strain = strain, .density = energy};
  pl_model_settle(self, pool);
  pl_groups_freeze_all(&fem->groups, pool);
  pl_volume_share(fem, &job, pool);
  pl_parallel(pool, fem->chunks.chunks, strains_chunk, &job);
}

static void tensors_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->tensors(job, start[0], start[1]);
}

void pl_fem_tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = q, .F = F, .stress = stress};
  pl_model_settle(self, pool);
  pl_groups_freeze_all(&fem->groups, pool);
  pl_volume_share(fem, &job, pool);
  pl_parallel(pool, fem->chunks.chunks, tensors_chunk, &job);
}

static void advance_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->advance(job, start[0], start[1]);
}

void pl_fem_advance(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_fem_job job = {.fem = fem, .q = at->q, .v = at->v, .h = at->h, .memory = memory};
  pl_parallel(pool, fem->chunks.chunks, advance_chunk, &job);
}
