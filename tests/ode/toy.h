/* Small systems with known answers: every block is a mass on a spring. And how tests run over all
 * integrators. */
#ifndef TEST_ODE_TOY_H
#define TEST_ODE_TOY_H

#include "ode/integrator.h"

#include "core/memory.h"
#include "test.h"

typedef struct toy {
  pl_system system;
  double mass, stiffness, cubic, damping, length, gravity;
  double soft;  /* m; the force of a spring is k soft atan(d / soft) instead of k d; 0: it is k d */
  double shake; /* a force shake * sin(3 t) along z, N */
  double target; /* where a held block goes at time t: target * t along z */
  double evaluations;
} toy;

/* Block i hangs from the origin by a spring along z; with a cubic part it is nonlinear. */
static inline void toy_evaluate(pl_system *system, double t, const double *q, const double *v,
                                double *f, const pl_tangent *tangent)
{
  toy *self = (toy *)system;
  const pl_tangent none = {0}, *to = tangent ? tangent : &none;
  pl_bsr *A = to->A;
  double load = (self->mass * self->gravity + self->shake * sin(3 * t)) * system->load_scale;
  self->evaluations++;
  if (A) memset(A->values, 0, (size_t)A->start[A->rows] * 9 * sizeof(double));
  for (int i = 0; i < system->blocks; i++) {
    for (int k = 0; k < 3; k++) {
      double d = q[3 * i + k] - (k == 2 ? self->length : 0);
      double x = self->soft > 0 ? d / self->soft : 0;
      double stretch = self->soft > 0 ? self->soft * atan(x) : d;
      if (f)
        f[3 * i + k] = -self->stiffness * stretch - self->cubic * d * d * d -
                       self->damping * v[3 * i + k] + (k == 2 ? load : 0);
      if (A)
        A->values[9 * A->diagonal[i] + 4 * k] =
            to->km * self->mass +
            to->kq * (self->stiffness / (1 + x * x) + 3 * self->cubic * d * d) +
            to->kv * self->damping;
    }
  }
}

static inline void toy_external(pl_system *system, double t, const double *q, const double *v,
                                double *f)
{
  const toy *self = (const toy *)system;
  (void)q, (void)v;
  for (int i = 0; i < 3 * system->blocks; i++)
    f[i] = i % 3 == 2 ? self->mass * self->gravity + self->shake * sin(3 * t) : 0;
}

static inline void toy_mass_add(pl_system *system, double a, const double *x, double *y)
{
  for (int i = 0; i < 3 * system->blocks; i++) y[i] += a * ((toy *)system)->mass * x[i];
}

static inline void toy_mass_inverse(pl_system *system, const double *y, double *x)
{
  for (int i = 0; i < 3 * system->blocks; i++) x[i] = y[i] / ((toy *)system)->mass;
}

static inline void toy_retract(pl_system *system, const double *q, const double *dq, double *out)
{
  for (int i = 0; i < 3 * system->blocks; i++) out[i] = q[i] + dq[i];
}

static inline void toy_prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  for (int i = 0; i < system->filter.count; i++) {
    int z = 3 * system->filter.nodes[i] + 2;
    v[z - 2] = (0 - q[z - 2]) / h;
    v[z - 1] = (0 - q[z - 1]) / h;
    v[z] = (((toy *)system)->target * (t + h) - q[z]) / h;
  }
}

static const pl_system_ops toy_ops = {.evaluate = toy_evaluate,
                                      .external = toy_external,
                                      .mass_add = toy_mass_add,
                                      .mass_inverse = toy_mass_inverse,
                                      .retract = toy_retract,
                                      .prescribe = toy_prescribe};

static pl_allocator allocator;

static inline void toy_open(toy *self, int blocks)
{
  int nodes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_cliques cliques = {.count = blocks, .size = 1, .nodes = nodes};
  allocator = pl_allocator_default();
  self->system = (pl_system){.ops = &toy_ops, .blocks = blocks, .load_scale = 1};
  pl_selection solver = {0}, preconditioner = {0};
  pl_setting tight = {.name = "tolerance", .value = {1e-13}};
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){"cg", &tight, 1}, &solver.member,
                             solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){0}, &preconditioner.member,
                             preconditioner.values, error));
  CHECK_OK(pl_bsr_create(&allocator, blocks, &cliques, 1, &self->system.A, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &preconditioner, self->system.A,
                            &self->system.solver, error));
}

static inline void toy_close(toy *self)
{
  pl_solver_destroy(self->system.solver);
  pl_bsr_destroy(self->system.A);
}

/* How many sets of coefficients a member has; which of them the next integrator takes. */
static int flavour, flavour_count;

static inline const char *flavours(const pl_integrator_ops *ops)
{
  int param = pl_param_find(&ops->info, "flavour");
  return param < 0 ? "" : ops->info.params[param].words;
}

static inline void count_flavours(const pl_integrator_ops *ops)
{
  flavour_count = 1;
  for (const char *c = flavours(ops); *c; c++) flavour_count += *c == '|';
}

static inline const char *flavour_word(const pl_integrator_ops *ops)
{
  static char word[32];
  const char *from = flavours(ops);
  for (int i = 0; i < flavour; i++) from = strchr(from, '|') + 1;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(from, "|"), from);
  return word;
}

/* A member with Newton driven to convergence where it has one. */
static inline pl_integrator *open_integrator(const pl_integrator_ops *ops, int blocks,
                                             pl_selection *part)
{
  pl_integrator *integrator = NULL;
  pl_setting strict[] = {{.name = "newton", .value = {30}},
                         {.name = "newton-tolerance", .value = {1e-12}}};
  pl_setting one = {.name = "flavour"};
  pl_choice choice = {.name = ops->info.name};
  if (pl_param_find(&ops->info, "newton") >= 0) choice = (pl_choice){ops->info.name, strict, 2};
  if (pl_param_find(&ops->info, "flavour") >= 0) {
    one.word = flavour_word(ops);
    choice = (pl_choice){ops->info.name, &one, 1};
  }
  CHECK_OK(pl_choice_resolve(&pl_integrator_family, &choice, &part->member, part->values, error));
  CHECK_OK(pl_integrator_create(&allocator, part, blocks, NULL, &integrator, error));
  return integrator;
}

static inline void advance(toy *self, pl_integrator *integrator, double h, int steps, double *q,
                           double *v)
{
  for (int i = 0; i < steps; i++) {
    pl_step_report report = {0};
    CHECK_OK(integrator->ops->step(integrator, &self->system, i * h, h, q, v, &report, error));
  }
}

/* Runs over those of the family that are in this build, and over all flavours of each member. */
#define EACH_INTEGRATOR(ops)                                                                       \
  for (int m_ = 0; pl_integrator_family.members[m_]; m_++)                                         \
    if (((const pl_integrator_ops *)(const void *)pl_integrator_family.members[m_])->info.missing) \
      continue;                                                                                    \
    else                                                                                           \
      for (const pl_integrator_ops *ops =                                                          \
               (count_flavours((const void *)pl_integrator_family.members[m_]),                    \
                flavour = 0, (const void *)pl_integrator_family.members[m_]);                      \
           flavour < flavour_count; flavour++)

#endif
