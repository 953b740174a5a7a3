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
 * number of threads, forwards and backwards in turns; or in the order given.
 *
 * Bodies without relations have their forces in f: for them this is Stoermer-Verlet (verlet.c).
 * Where sweeps are few, relations are softer than their compliance. */
#include "ode/relax.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "math/vec3.h"
#include "ode/integrator.h"

#include <math.h>
#include <string.h>

enum { SWEEPS, ORDER, SUBSTEPS };
enum { CHUNK = 128, BLOCKS = 1024 }; /* CHUNK: batches */

typedef struct relax {
  double *f, *x, *dq;
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
  double **vectors[] = {&state->f, &state->x, &state->dq};
  for (int i = 0; i < 3; i++) {
    pl_status status = pl_integrator_vector(self, vectors[i], error);
    if (status) return status;
  }
  return PL_OK;
}

/* ---- one relation ---- */

/* out = w P n of a block. */
static void push(const pl_sweep *now, int block, const double n[3], double out[3])
{
  const double weight = now->relations->x[4 * (size_t)block + 3];
  const double *free = now->relations->free + 12 * (size_t)block;
  pl_vec3_scale(weight, n, out);
  for (int i = 0; i < 3 && weight < 0; i++) out[i] = pl_vec3_dot(free + 4 * i, n);
}

void pl_relax_one(const pl_sweep *now, int index)
{
  const pl_relation *r = &now->relations->list[index];
  double *a = now->relations->x + 4 * (size_t)r->blocks[0], n[3], to_a[3], to_b[3], h = now->h;
  double *b = now->relations->x + 4 * (size_t)r->blocks[1];
  pl_vec3_sub(a, b, n);
  double length = pl_vec3_norm(n);
  if (!(length > 0)) return;
  pl_vec3_scale(1 / length, n, n);
  push(now, r->blocks[0], n, to_a);
  push(now, r->blocks[1], n, to_b);
  double A = now->rigid ? 0 : r->compliance / (h * h);
  double g = now->damped ? r->compliance * r->damping / h : 0, moved = 0;
  const double *before = now->relations->before;
  for (int k = 0; k < 3 && g > 0; k++)
    moved += n[k] * (a[k] - before[4 * (size_t)r->blocks[0] + (size_t)k] - b[k] +
                     before[4 * (size_t)r->blocks[1] + (size_t)k]);
  double w = (1 + g) * (pl_vec3_dot(n, to_a) + pl_vec3_dot(n, to_b)) + A;
  if (!(w > 0)) return;
  double change = (r->rest - length - A * now->relations->force[index] - g * moved) / w;
  now->relations->force[index] += change;
  pl_vec3_add_scaled(change, to_a, a);
  pl_vec3_add_scaled(-change, to_b, b);
}

/* ---- sweeps ---- */

static void satisfy_chunk(void *context, int chunk)
{
  const pl_sweep *now = context;
  int first = now->first + chunk * CHUNK, last = first + CHUNK;
  PL_PICK_VARIANT(pl_relax_batches)(now, first, last < now->last ? last : now->last);
}

static void sweep_colour(pl_sweep *now, int colour)
{
  now->first = now->relations->start[colour] / PL_LANES;
  now->last = now->relations->start[colour + 1] / PL_LANES;
  pl_parallel(now->system->pool, pl_chunk_count(now->last - now->first, CHUNK), satisfy_chunk, now);
}

/* Those without a colour come last, or first on the way back. */
static void sweep_all(pl_sweep *now, int natural, int back)
{
  const pl_relation_list *all = now->relations;
  int first = all->start[PL_RELATION_COLOURS];
  for (int i = 0; i < all->given && natural; i++) pl_relax_one(now, all->natural[i]);
  if (natural) return;
  for (int i = all->count - 1; i >= first && back; i--) pl_relax_one(now, i);
  for (int c = 0; c < all->colours; c++) sweep_colour(now, back ? all->colours - 1 - c : c);
  for (int i = first; i < all->count && !back; i++) pl_relax_one(now, i);
}

/* ---- a substep ---- */

/* w P as three rows of 4; P NULL: the identity. */
static void set_free(double w, const double *P, double *free)
{
  for (int i = 0; i < 9; i++) free[4 * (i / 3) + i % 3] = w * (P ? P[i] : i % 4 == 0);
}

/* Inverse masses: 0 where a block is held, negative where constraints leave a part free. */
static void weigh(relax *state, pl_system *system)
{
  double *x = system->relations->x, *free = system->relations->free;
  const pl_filter *filter = &system->filter;
  for (int i = 0; i < 3 * system->blocks; i++) state->f[i] = 1;
  system->ops->mass_inverse(system, state->f, state->f);
  for (int i = 0; i < system->blocks; i++) {
    x[4 * (size_t)i + 3] = state->f[3 * (size_t)i];
    if (filter->count) set_free(state->f[3 * (size_t)i], NULL, free + 12 * (size_t)i);
  }
  for (int k = 0; k < filter->count; k++) {
    const double *P = filter->projections + 9 * (size_t)k;
    double *weight = &x[4 * (size_t)filter->nodes[k] + 3];
    set_free(*weight, P, free + 12 * (size_t)filter->nodes[k]);
    *weight = pl_vec3_dot(P, P) + pl_vec3_dot(P + 3, P + 3) + pl_vec3_dot(P + 6, P + 6) > 0
                  ? -*weight
                  : 0;
  }
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

/* Work on blocks between vectors and rooms of the relations. */
typedef struct passage {
  const pl_relation_list *relations;
  const double *q, *x; /* q: where the substep began, NULL if nobody asks */
  double *v, rate;     /* rate: 1/h */
} passage;

static int end_of(const passage *now, int chunk)
{
  int last = (chunk + 1) * BLOCKS;
  return last < now->relations->blocks ? last : now->relations->blocks;
}

static void put_chunk(void *context, int chunk)
{
  const passage *now = context;
  const pl_relation_list *to = now->relations;
  for (int i = chunk * BLOCKS; i < end_of(now, chunk); i++) {
    memcpy(to->x + 4 * (size_t)i, now->x + 3 * (size_t)i, 3 * sizeof *to->x);
    if (now->q) memcpy(to->before + 4 * (size_t)i, now->q + 3 * (size_t)i, 3 * sizeof *to->x);
  }
}

/* What moves places moves the velocity as well. */
static void take_chunk(void *context, int chunk)
{
  const passage *now = context;
  for (int i = chunk * BLOCKS; i < end_of(now, chunk); i++) {
    const double *to = now->relations->x + 4 * (size_t)i, *from = now->x + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) now->v[3 * (size_t)i + (size_t)k] += (to[k] - from[k]) * now->rate;
  }
}

/* Sweeps over the relations from where x has moved. back: starts with a sweep backwards. */
static void relate(pl_integrator *self, pl_system *system, double h, int back, const double *q,
                   double *v)
{
  relax *state = self->state;
  pl_relation_list *relations = system->relations;
  int sweeps = (int)self->values[SWEEPS], natural = (int)self->values[ORDER];
  int chunks = pl_chunk_count(relations->blocks, BLOCKS);
  pl_sweep now = {.system = system, .relations = relations, .h = h};
  now.rigid = self->ops->table != NULL;
  now.damped = relations->damped && !now.rigid;
  now.sums = sweeps > 1 || natural || now.damped;
  passage between = {relations, now.damped ? q : NULL, state->x, v, 1 / h};
  if (now.sums) memset(relations->force, 0, (size_t)relations->count * sizeof *relations->force);
  pl_parallel(system->pool, chunks, put_chunk, &between);
  for (int s = 0; s < sweeps; s++) sweep_all(&now, natural, (s + back) % 2);
  pl_parallel(system->pool, chunks, take_chunk, &between);
}

static void substep(pl_integrator *self, pl_system *system, double t, double h, int part,
                    double share, double *q, double *v)
{
  relax *state = self->state;
  const pl_relation_list *relations = system->relations;
  int n = 3 * system->blocks;
  pl_system_prescribe(system, t, h, q, v, state->dq);
  kick(state, system, t, h, share, q, v);
  for (int i = 0; i < n; i++) state->dq[i] = h * v[i];
  system->ops->retract(system, q, state->dq, state->x);
  if (relations && relations->given) relate(self, system, h, part, q, v);
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
  if (system->relations) weigh(self->state, system);
  for (int i = 0; i < parts; i++) substep(self, system, t + i * part, part, i, 1.0 / parts, q, v);
  if (parts > 1) report->inner_steps += parts;
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

/* A substep without relations multiplies (q, h v) by a matrix of determinant a^2 and trace
 * 1 + a^2 - (1 + a) W/2, a = 1 - h d / 2, W = h^2 w^2, whose eigenvalues are in the unit circle for
 * W (1 + a) <= 4 (1 + a^2) and h d <= 4. */
static int is_stable(double h, double frequency, double damping)
{
  double a = 1 - h * damping / 2, W = h * h * frequency * frequency;
  return a >= -1 && W * (1 + a) <= 4 * (1 + a * a);
}

/* Where that ends first. */
static double critical(double frequency, double damping)
{
  enum { HALVINGS = 40 };
  double stride = 0.05 * fmin(4 / damping, 2 / frequency), inside = 0, outside = stride;
  while (is_stable(outside, frequency, damping)) {
    inside = outside;
    outside += stride;
  }
  for (int k = 0; k < HALVINGS; k++) {
    double middle = (inside + outside) / 2;
    *(is_stable(middle, frequency, damping) ? &inside : &outside) = middle;
  }
  return inside;
}

static const int rigid = 1;

const pl_integrator_ops pl_integrator_sticks = {
    .info = PL_INFO("sticks",
                    "Verlet steps and relaxation of sticks, which count as rigid: cheap, and as "
                    "stiff as the sweeps allow; Verlet for bodies without relations",
                    "Jakobsen 2001", sticks_params),
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
    .info = PL_INFO("xpbd",
                    "position-based dynamics of relations with compliance, in small steps; "
                    "Verlet for bodies without relations",
                    "Macklin et al. 2016, 2019", xpbd_params),
    .order = 2,
    .damped_order = 1,
    .relaxes = 1,
    .critical = critical,
    .state_size = sizeof(relax),
    .create = create,
    .step = step,
};
