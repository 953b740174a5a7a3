/* What every integrator must keep, on small systems with known answers. Runs over the family. */
#include "ode/integrator.h"

#include "core/memory.h"
#include "test.h"

/* ---- small systems: every block is a mass on a spring ---- */

typedef struct toy {
  pl_system system;
  double mass, stiffness, cubic, damping, length, gravity;
  double target; /* where a held block goes at time t: target * t along z */
  double evaluations;
} toy;

/* Block i hangs from the origin by a spring along z; with a cubic part it is nonlinear. */
static void toy_evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                         double km, double kq, double kv, int semidefinite, pl_bsr *A)
{
  toy *self = (toy *)system;
  (void)t, (void)semidefinite;
  self->evaluations++;
  if (A) memset(A->values, 0, (size_t)A->start[A->rows] * 9 * sizeof(double));
  for (int i = 0; i < system->blocks; i++) {
    for (int k = 0; k < 3; k++) {
      double d = q[3 * i + k] - (k == 2 ? self->length : 0);
      if (f)
        f[3 * i + k] = -self->stiffness * d - self->cubic * d * d * d -
                       self->damping * v[3 * i + k] +
                       (k == 2 ? self->mass * self->gravity * system->load_scale : 0);
      if (A)
        A->values[9 * A->diagonal[i] + 4 * k] =
            km * self->mass + kq * (self->stiffness + 3 * self->cubic * d * d) + kv * self->damping;
    }
  }
}

static void toy_external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  (void)t, (void)q, (void)v;
  for (int i = 0; i < 3 * system->blocks; i++)
    f[i] = i % 3 == 2 ? ((toy *)system)->mass * ((toy *)system)->gravity : 0;
}

static void toy_mass(pl_system *system, const double *x, double *y)
{
  for (int i = 0; i < 3 * system->blocks; i++) y[i] = ((toy *)system)->mass * x[i];
}

static void toy_mass_inverse(pl_system *system, const double *y, double *x)
{
  for (int i = 0; i < 3 * system->blocks; i++) x[i] = y[i] / ((toy *)system)->mass;
}

static void toy_retract(pl_system *system, const double *q, const double *dq, double *out)
{
  for (int i = 0; i < 3 * system->blocks; i++) out[i] = q[i] + dq[i];
}

static void toy_prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  for (int i = 0; i < system->filter.count; i++) {
    int z = 3 * system->filter.nodes[i] + 2;
    v[z - 2] = (0 - q[z - 2]) / h;
    v[z - 1] = (0 - q[z - 1]) / h;
    v[z] = (((toy *)system)->target * (t + h) - q[z]) / h;
  }
}

static const pl_system_ops toy_ops = {toy_evaluate,     toy_external, toy_mass,
                                      toy_mass_inverse, toy_retract,  toy_prescribe};

static pl_allocator allocator;

static void toy_open(toy *self, int blocks)
{
  int nodes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_cliques cliques = {.count = blocks, .size = 1, .nodes = nodes};
  allocator = pl_allocator_default();
  self->system = (pl_system){.ops = &toy_ops, .blocks = blocks, .load_scale = 1};
  pl_part solver = {0}, preconditioner = {0};
  pl_setting tight = {.name = "tolerance", .value = {1e-13}};
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){"cg", &tight, 1}, &solver.member,
                             solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){0}, &preconditioner.member,
                             preconditioner.values, error));
  CHECK_OK(pl_bsr_create(&allocator, blocks, &cliques, 1, &self->system.A, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &preconditioner, self->system.A,
                            &self->system.solver, error));
}

static void toy_close(toy *self)
{
  pl_solver_destroy(self->system.solver);
  pl_bsr_destroy(self->system.A);
}

/* A member with Newton driven to convergence where it has one. */
static pl_integrator *open_integrator(const pl_integrator_ops *ops, int blocks, pl_part *part)
{
  pl_integrator *integrator = NULL;
  pl_setting strict[] = {{.name = "newton", .value = {30}},
                         {.name = "newton-tolerance", .value = {1e-12}}};
  pl_choice choice = {ops->info.name, strict, ops->is_implicit ? 2 : 0};
  CHECK_OK(pl_choice_resolve(&pl_integrator_family, &choice, &part->member, part->values, error));
  CHECK_OK(pl_integrator_create(&allocator, part, blocks, &integrator, error));
  return integrator;
}

static void advance(toy *self, pl_integrator *integrator, double h, int steps, double *q, double *v)
{
  for (int i = 0; i < steps; i++) {
    pl_step_report report = {0};
    CHECK_OK(integrator->ops->step(integrator, &self->system, i * h, h, q, v, &report, error));
  }
}

#define EACH_INTEGRATOR(ops)                                                                       \
  for (int m_ = 0; pl_integrator_family.members[m_]; m_++)                                         \
    for (const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[m_]; ops;       \
         ops = NULL)

/* Hauth's toy oscillator, 3.2.2, with its closed solution. */
static double oscillator_exact(double t)
{
  double w = 5 * sqrt(39.0);
  return exp(-5 * t) * (-33 * sqrt(39.0) / 1300 * sin(w * t) + 0.01 * cos(w * t)) - 1.01;
}

static double oscillator_error(const pl_integrator_ops *ops, int steps)
{
  toy self = {.mass = 0.1, .stiffness = 100, .damping = 1, .length = -1, .gravity = -10};
  double q[3] = {0, 0, -1}, v[3] = {0, 0, -5}, end = 0.2;
  toy_open(&self, 1);
  pl_part part;
  pl_integrator *integrator = open_integrator(ops, 1, &part);
  advance(&self, integrator, end / steps, steps, q, v);
  pl_integrator_destroy(integrator);
  toy_close(&self);
  return fabs(q[2] - oscillator_exact(end));
}

TEST(order_on_the_toy_oscillator)
{
  EACH_INTEGRATOR(ops)
  {
    if (ops->order == 0) continue;
    double coarse = oscillator_error(ops, 4000), fine = oscillator_error(ops, 8000);
    printf("  %-16s order %.3f (theory %d), error %.1e\n", ops->info.name, log2(coarse / fine),
           ops->order, fine);
    CHECK_NEAR(log2(coarse / fine), ops->order, 0.1);
  }
}

/* The same number of steps twice as fine, three times: order from the differences (no exact
 * solution is needed), on a spring that stiffens. */
static double duffing_end(const pl_integrator_ops *ops, int steps)
{
  toy self = {.mass = 1, .stiffness = 4, .cubic = 3, .damping = 0.3, .gravity = -2};
  double q[6] = {0.3, -0.2, 0.8, 0, 0.1, -0.5}, v[6] = {0, 1, 0, -1, 0.2, 0};
  toy_open(&self, 2);
  pl_part part;
  pl_integrator *integrator = open_integrator(ops, 2, &part);
  advance(&self, integrator, 1.0 / steps, steps, q, v);
  pl_integrator_destroy(integrator);
  toy_close(&self);
  return q[2] + q[4];
}

TEST(order_on_a_nonlinear_spring)
{
  EACH_INTEGRATOR(ops)
  {
    if (ops->order == 0) continue;
    double a = duffing_end(ops, 400), b = duffing_end(ops, 800), c = duffing_end(ops, 1600);
    CHECK_NEAR(log2(fabs(a - b) / fabs(b - c)), ops->order, 0.1);
  }
}

TEST(rest_stays_at_rest)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 2, .stiffness = 10, .length = 0.5};
    double q[6] = {0, 0, 0.5, 0, 0, 0.5}, v[6] = {0};
    toy_open(&self, 2);
    pl_part part;
    pl_integrator *integrator = open_integrator(ops, 2, &part);
    advance(&self, integrator, 0.01, 10, q, v);
    for (int i = 0; i < 6; i++) CHECK(v[i] == 0 && q[i] == (i % 3 == 2 ? 0.5 : 0));
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TEST(held_blocks_go_where_they_must)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 1, .stiffness = 10, .damping = 1, .gravity = -1, .target = 0.7};
    double q[6] = {0}, v[6] = {0}, projection[9] = {0};
    int held = 1;
    toy_open(&self, 2);
    self.system.filter = (pl_filter){1, &held, projection};
    pl_part part;
    pl_integrator *integrator = open_integrator(ops, 2, &part);
    advance(&self, integrator, 0.01, 50, q, v);
    CHECK_NEAR(q[5], 0.7 * 0.5, 1e-12);
    CHECK(q[3] == 0 && q[4] == 0);
    CHECK(q[2] < 0);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TEST(statics_finds_the_equilibrium)
{
  // -k d - c d^3 + m g = 0 has the root d = -1 for k = 2, c = 3, m g = -5
  toy self = {.mass = 1, .stiffness = 2, .cubic = 3, .gravity = -5};
  double q[3] = {0}, v[3] = {0};
  toy_open(&self, 1);
  pl_part part;
  pl_integrator *integrator = open_integrator(&pl_integrator_static, 1, &part);
  advance(&self, integrator, 1, 1, q, v);
  CHECK_NEAR(q[2], -1, 1e-11);
  CHECK(v[2] == 0);
  // a second step has nothing to do
  double evaluations = self.evaluations;
  advance(&self, integrator, 1, 1, q, v);
  CHECK(self.evaluations - evaluations <= 4);
  pl_integrator_destroy(integrator);
  toy_close(&self);
}

TEST(implicit_euler_only_loses_energy)
{
  toy self = {.mass = 1, .stiffness = 400, .cubic = 100};
  double q[3] = {0, 0, 0.5}, v[3] = {0}, before = 1e9;
  toy_open(&self, 1);
  pl_part part;
  pl_integrator *integrator = open_integrator(&pl_integrator_implicit_euler, 1, &part);
  for (int i = 0; i < 200; i++) {
    advance(&self, integrator, 0.04, 1, q, v);
    double energy = 0.5 * v[2] * v[2] + 200 * q[2] * q[2] + 25 * pow(q[2], 4);
    CHECK(energy <= before);
    before = energy;
  }
  pl_integrator_destroy(integrator);
  toy_close(&self);
}

TESTS(X(order_on_the_toy_oscillator) X(order_on_a_nonlinear_spring) X(rest_stays_at_rest)
          X(held_blocks_go_where_they_must) X(statics_finds_the_equilibrium)
              X(implicit_euler_only_loses_energy))
