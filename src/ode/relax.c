/* Relaxation of relations: sticks (Verlet steps and sweeps over rigid sticks, T. Jakobsen 2001) and
 * XPBD (M. Macklin, M. Mueller, N. Chentanez 2016; small steps: Macklin et al. 2019).
 *
 * A substep of length h moves by all forces but those of relations,
 *
 *   v <- v + h/2 M^-1 f(t, q, v),   x = q + h v,
 *
 * sweeps over the relations, C = |x_a - x_b| - rest with the unit gradients +-n,
 *
 *   dl = (-C - A l - g n.(dx_a - dx_b)) / ((1 + g) w + A),   x_a += w_a P_a n dl, x_b -= ...,
 *   A = compliance / h^2,   g = compliance damping / h,   w = n.(w_a P_a + w_b P_b) n,
 *
 * where w_a are inverse masses, P_a what constraints leave free, dx how far a block has moved in
 * the substep and l the sum of dl; takes v = (x - q) / h, and adds the other half of the forces at
 * the end. Sticks have A = g = 0. The sweep goes by colours, so that results do not depend on the
 * number of threads, or in the order given.
 *
 * Bodies without relations have their forces in f: for them this is Stoermer-Verlet (verlet.c).
 * Where sweeps are few, relations are softer than their compliance. */
#include "core/clock.h"
#include "math/vec3.h"
#include "ode/integrator.h"
#include "ode/relation.h"

#include <math.h>
#include <string.h>

enum { SWEEPS, ORDER, SUBSTEPS };
enum { CHUNK = 256 };

typedef struct relax {
  double *f, *x, *dq;
  double *weight; /* per block: its inverse mass, and 1 + its place in the filter */
} relax;

static const pl_param sticks_params[] = {
    {"sweeps", "count", "over all sticks in a step", 10, 1, 1e6, NULL, 1},
    {"order", "1", "of the sticks in a sweep: by colours, or as they were made, which turns bodies",
     0, 0, 1, "colours|natural", 1},
};
static const pl_param xpbd_params[] = {
    {"sweeps", "count", "over all relations in a substep", 10, 1, 1e6, NULL, 1},
    {"order", "1", "of the relations in a sweep: by colours, or as they were made", 0, 0, 1,
     "colours|natural", 1},
    {"substeps", "count",
     "equal parts of a step; many of them with one sweep each are better than many sweeps", 1, 1,
     1e6, NULL, 1},
};

static pl_status create(pl_integrator *self, pl_error *error)
{
  relax *state = self->state;
  double **vectors[] = {&state->f, &state->x, &state->dq, &state->weight};
  for (int i = 0; i < 4; i++) {
    pl_status status = pl_integrator_vector(self, vectors[i], error);
    if (status) return status;
  }
  return PL_OK;
}

/* ---- one relation ---- */

typedef struct sweep {
  const relax *state;
  const pl_system *system;
  const pl_relation_list *relations;
  const double *q;
  double h;
  int rigid, first, last;
} sweep;

/* out = w P n of a block. */
static void push(const sweep *now, int block, const double n[3], double out[3])
{
  const double *weight = now->state->weight + 3 * (size_t)block;
  int held = (int)weight[1];
  pl_vec3_scale(weight[0], n, out);
  if (!held) return;
  const double *P = now->system->filter.projections + 9 * (size_t)(held - 1);
  for (int i = 0; i < 3; i++) out[i] = weight[0] * pl_vec3_dot(P + 3 * i, n);
}

static void satisfy(const sweep *now, int index)
{
  const pl_relation *r = &now->relations->list[index];
  size_t a = 3 * (size_t)r->blocks[0], b = 3 * (size_t)r->blocks[1];
  double *x = now->state->x, n[3], to_a[3], to_b[3], h = now->h;
  pl_vec3_sub(x + a, x + b, n);
  double length = pl_vec3_norm(n);
  if (!(length > 0)) return;
  pl_vec3_scale(1 / length, n, n);
  push(now, r->blocks[0], n, to_a);
  push(now, r->blocks[1], n, to_b);
  double A = now->rigid ? 0 : r->compliance / (h * h);
  double g = now->rigid ? 0 : r->compliance * r->damping / h, moved = 0;
  for (int k = 0; k < 3 && g > 0; k++)
    moved += n[k] *
             (x[a + (size_t)k] - now->q[a + (size_t)k] - x[b + (size_t)k] + now->q[b + (size_t)k]);
  double w = (1 + g) * (pl_vec3_dot(n, to_a) + pl_vec3_dot(n, to_b)) + A;
  if (!(w > 0)) return;
  double change = (r->rest - length - A * now->relations->force[index] - g * moved) / w;
  now->relations->force[index] += change;
  pl_vec3_add_scaled(change, to_a, x + a);
  pl_vec3_add_scaled(-change, to_b, x + b);
}

static void satisfy_chunk(void *context, int chunk)
{
  const sweep *now = context;
  int first = now->first + chunk * CHUNK, last = first + CHUNK;
  for (int i = first; i < last && i < now->last; i++) satisfy(now, i);
}

static void sweep_all(sweep *now, int natural)
{
  const pl_relation_list *all = now->relations;
  for (int i = 0; i < all->count && natural; i++) satisfy(now, all->natural[i]);
  for (int c = 0; c < all->colours && !natural; c++) {
    now->first = all->start[c];
    now->last = all->start[c + 1];
    pl_parallel(now->system->pool, pl_chunk_count(now->last - now->first, CHUNK), satisfy_chunk,
                now);
  }
  for (int i = all->start[PL_RELATION_COLOURS]; i < all->count && !natural; i++) satisfy(now, i);
}

/* ---- a substep ---- */

/* Inverse masses, and where the filter has something to say. */
static void weigh(relax *state, pl_system *system)
{
  int n = 3 * system->blocks;
  for (int i = 0; i < n; i++) state->f[i] = i % 3 == 0;
  system->ops->mass_inverse(system, state->f, state->weight);
  for (int i = 0; i < n; i++)
    if (i % 3) state->weight[i] = 0;
  for (int k = 0; k < system->filter.count; k++)
    state->weight[3 * (size_t)system->filter.nodes[k] + 1] = k + 1;
}

/* v += h/2 a with the forces of what has no relations. */
static void kick(relax *state, pl_system *system, double t, double h, double share, const double *q,
                 double *v)
{
  system->ops->evaluate(system, t, q, v, state->f, NULL);
  pl_system_oppose(system, 0.5 * share, state->f);
  system->ops->mass_inverse(system, state->f, state->f);
  pl_system_free(system, 0.5 * share, state->f);
  for (int i = 0; i < 3 * system->blocks; i++) v[i] += 0.5 * h * state->f[i];
}

/* Sweeps over the relations from where x has moved; what they move moves the velocity as well. */
static void relate(pl_integrator *self, pl_system *system, double h, const double *q, double *v)
{
  relax *state = self->state;
  const pl_relation_list *relations = system->relations;
  int n = 3 * system->blocks;
  memset(relations->force, 0, (size_t)relations->count * sizeof *relations->force);
  sweep now = {.state = state, .system = system, .relations = relations, .q = q, .h = h};
  now.rigid = self->ops->table != NULL;
  weigh(state, system);
  memcpy(state->f, state->x, (size_t)n * sizeof *state->f);
  for (int s = 0; s < (int)self->values[SWEEPS]; s++) sweep_all(&now, (int)self->values[ORDER]);
  for (int i = 0; i < n; i++) v[i] += (state->x[i] - state->f[i]) / h;
}

static void substep(pl_integrator *self, pl_system *system, double t, double h, double share,
                    double *q, double *v)
{
  relax *state = self->state;
  const pl_relation_list *relations = system->relations;
  int n = 3 * system->blocks;
  pl_system_prescribe(system, t, h, q, v, state->dq);
  kick(state, system, t, h, share, q, v);
  for (int i = 0; i < n; i++) state->dq[i] = h * v[i];
  system->ops->retract(system, q, state->dq, state->x);
  if (relations && relations->count) relate(self, system, h, q, v);
  for (int i = 0; i < n; i++) state->dq[i] = h * v[i];
  system->ops->retract(system, q, state->dq, q);
  kick(state, system, t + h, h, share, q, v);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  int parts = self->ops->table ? 1 : (int)self->values[SUBSTEPS];
  double start = pl_now(), part = h / parts;
  for (int i = 0; i < parts; i++) substep(self, system, t + i * part, part, 1.0 / parts, q, v);
  if (parts > 1) report->inner_steps += parts;
  system->seconds_evaluate += pl_now() - start;
  return PL_OK;
}

static double critical(double frequency, double damping)
{
  double square = frequency * frequency;
  return (sqrt(damping * damping + 4 * square) - damping) / square;
}

static const int rigid = 1;

const pl_integrator_ops pl_integrator_sticks = {
    .info = {.name = "sticks",
             .summary =
                 "Verlet steps and relaxation of sticks, which count as rigid: cheap, and as "
                 "stiff as the sweeps allow; Verlet for bodies without relations",
             .source = "Jakobsen 2001",
             .params = sticks_params,
             .param_count = 2},
    .order = 2,
    .damped_order = 1,
    .relaxes = 1,
    .critical = critical,
    .state_size = sizeof(relax),
    .table = &rigid,
    .create = create,
    .step = step,
};

const pl_integrator_ops pl_integrator_xpbd = {
    .info = {.name = "xpbd",
             .summary = "position-based dynamics of relations with compliance, in small steps; "
                        "Verlet for bodies without relations",
             .source = "Macklin et al. 2016, 2019",
             .params = xpbd_params,
             .param_count = 3},
    .order = 2,
    .damped_order = 1,
    .relaxes = 1,
    .critical = critical,
    .state_size = sizeof(relax),
    .create = create,
    .step = step,
};
