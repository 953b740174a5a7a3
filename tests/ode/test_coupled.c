/* Couplings beside the matrix: every integrator moves a system whose springs are pairs as it moves
 * the same system with these springs in the matrix. */
#include "ode/integrator.h"

#include "core/memory.h"
#include "sparse/pairs.h"
#include "test.h"

enum { BLOCKS = 6, SPRINGS = 3 };

/* Six masses on springs to their places; three further springs couple block i and block i + 3. */
typedef struct coupled {
  pl_system system;
  int is_beside; /* these three are pairs */
  double mass, stiffness, coupling, damping;
} coupled;

static const double springs_apart[] = {1, -1};

static void add_spring(coupled *self, double t, int i, const double *q, const double *v, double *f,
                       double kq, double kv, int with_matrix)
{
  int nodes[] = {i, i + 3};
  double d[3], rate[3], D[9] = {0};
  (void)t;
  for (int k = 0; k < 3; k++) {
    d[k] = q[3 * i + k] - q[3 * (i + 3) + k];
    rate[k] = v[3 * i + k] - v[3 * (i + 3) + k];
    // stiffer the longer it is, so that the matrix changes
    double force = self->coupling * (d[k] + d[k] * d[k] * d[k]) + self->damping * rate[k];
    if (f) f[3 * i + k] -= force, f[3 * (i + 3) + k] += force;
    D[4 * k] = kq * self->coupling * (1 + 3 * d[k] * d[k]) + kv * self->damping;
  }
  pl_stencil stencil = {2, nodes, springs_apart, NULL, D};
  if (!with_matrix) return;
  CHECK(pl_stencil_put(self->system.A, self->system.pairs, &stencil));
  CHECK(self->is_beside == (self->system.pairs->count > 0));
}

static void evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                     const pl_tangent *tangent)
{
  coupled *self = (coupled *)system;
  const pl_tangent none = {0}, *to = tangent ? tangent : &none;
  pl_bsr *A = to->A;
  if (A) pl_bsr_zero(A, NULL), pl_pairs_clear(system->pairs);
  for (int i = 0; i < 3 * BLOCKS; i++) {
    double rest = 0.3 * i * system->load_scale;
    if (f) f[i] = -self->stiffness * (q[i] - rest);
    if (A)
      A->values[9 * A->diagonal[i / 3] + 4 * (i % 3)] =
          to->km * self->mass + to->kq * self->stiffness;
  }
  for (int i = 0; i < SPRINGS; i++) add_spring(self, t, i, q, v, f, to->kq, to->kv, A != NULL);
}

static void external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  (void)t, (void)q, (void)v;
  for (int i = 0; i < 3 * system->blocks; i++) f[i] = 0;
}

static void mass_add(pl_system *system, double a, const double *x, double *y)
{
  for (int i = 0; i < 3 * BLOCKS; i++) y[i] += a * ((coupled *)system)->mass * x[i];
}

static void mass_inverse(pl_system *system, const double *y, double *x)
{
  for (int i = 0; i < 3 * BLOCKS; i++) x[i] = y[i] / ((coupled *)system)->mass;
}

static void retract(pl_system *system, const double *q, const double *dq, double *out)
{
  (void)system;
  for (int i = 0; i < 3 * BLOCKS; i++) out[i] = q[i] + dq[i];
}

static void prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  (void)system, (void)t, (void)h, (void)q, (void)v;
}

static const pl_system_ops ops = {.evaluate = evaluate,
                                  .external = external,
                                  .mass_add = mass_add,
                                  .mass_inverse = mass_inverse,
                                  .retract = retract,
                                  .prescribe = prescribe};

static void open_system(coupled *self, int is_beside, const char *solver_name)
{
  pl_allocator allocator = pl_allocator_default();
  int nodes[2 * BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    nodes[2 * i] = i;
    nodes[2 * i + 1] = is_beside ? (i + 1) % 3 + i / 3 * 3 : (i + 3) % BLOCKS;
  }
  pl_cliques cliques = {.count = BLOCKS, .size = 2, .nodes = nodes};
  *self = (coupled){.system = {.ops = &ops, .blocks = BLOCKS, .load_scale = 1},
                    .is_beside = is_beside,
                    .mass = 1,
                    .stiffness = 50,
                    .coupling = 2000,
                    .damping = 0.5};
  pl_selection solver = {0}, preconditioner = {0};
  pl_setting tight = {.name = "tolerance", .value = {1e-13}};
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){solver_name, &tight, 1},
                             &solver.member, solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){0}, &preconditioner.member,
                             preconditioner.values, error));
  CHECK_OK(pl_bsr_create(&allocator, BLOCKS, &cliques, 1, &self->system.A, error));
  CHECK_OK(pl_pairs_create(&allocator, BLOCKS, &self->system.pairs, error));
  CHECK_OK(pl_pairs_reserve(self->system.pairs, SPRINGS, 2 * SPRINGS, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &preconditioner, self->system.A,
                            &self->system.solver, error));
}

static void close_system(coupled *self)
{
  pl_solver_destroy(self->system.solver);
  pl_pairs_destroy(self->system.pairs);
  pl_bsr_destroy(self->system.A);
}

/* Some steps from a start that is no rest. */
static void run(const char *integrator_name, const char *matrix, int is_beside, const char *solver,
                double *q, double *v)
{
  pl_allocator allocator = pl_allocator_default();
  coupled self;
  open_system(&self, is_beside, solver);
  pl_selection part = {.member = pl_member_find(&pl_integrator_family, integrator_name)};
  pl_setting settings[] = {{.name = "newton", .value = {30}},
                           {.name = "newton-tolerance", .value = {1e-12}},
                           {.name = "matrix", .word = matrix}};
  int has_newton = pl_param_find(part.member, "newton") >= 0;
  pl_choice choice = {integrator_name, settings, has_newton ? matrix ? 3 : 2 : 0};
  pl_integrator *integrator = NULL;
  CHECK_OK(pl_choice_resolve(&pl_integrator_family, &choice, &part.member, part.values, error));
  CHECK_OK(pl_integrator_create(&allocator, &part, BLOCKS, NULL, &integrator, error));
  for (int i = 0; i < 3 * BLOCKS; i++) q[i] = 0.3 * i + 0.1 * (i % 4), v[i] = 0.2 * (i % 5) - 0.4;
  for (int i = 0; i < 20; i++) {
    pl_step_report report = {0};
    CHECK_OK(
        integrator->ops->step(integrator, &self.system, 0.005 * i, 0.005, q, v, &report, error));
  }
  pl_integrator_destroy(integrator);
  close_system(&self);
}

TEST(pairs_move_as_the_same_springs_in_the_matrix)
{
  static const char *const matrices[] = {NULL, "every-stage", "kept"};
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *member = (const void *)pl_integrator_family.members[m];
    if (member->info.missing) continue;
    // rounding grows where nothing damps the springs' fast motion
    int grows = member->needs_damping && member->is_implicit && member->order > 4;
    double same = strcmp(member->info.name, "cvode") == 0 ? 1e-5 : grows ? 1e-6 : 1e-9;
    for (int k = 0; k < (pl_param_find(&member->info, "matrix") >= 0 ? 3 : 1); k++) {
      double q[2][3 * BLOCKS], v[2][3 * BLOCKS], max = 0;
      for (int beside = 0; beside < 2; beside++)
        run(member->info.name, matrices[k], beside, "cg", q[beside], v[beside]);
      for (int i = 0; i < 3 * BLOCKS; i++)
        max = fmax(max, fmax(fabs(q[0][i] - q[1][i]), fabs(v[0][i] - v[1][i]) / 50));
      if (!(max < same))
        printf("  %s, matrix %s: %g\n", member->info.name, matrices[k] ? matrices[k] : "", max);
      CHECK(max < same);
    }
  }
}

TEST(the_solver_does_not_matter)
{
  double q[2][3 * BLOCKS], v[2][3 * BLOCKS];
  run("implicit-euler", NULL, 1, "cg", q[0], v[0]);
  for (int s = 0; pl_solver_family.members[s]; s++) {
    const char *name = pl_solver_family.members[s]->name;
    if (pl_solver_family.members[s]->missing) continue;
    run("implicit-euler", NULL, 1, name, q[1], v[1]);
    for (int i = 0; i < 3 * BLOCKS; i++) CHECK_NEAR(q[1][i], q[0][i], 1e-9);
  }
}

TESTS(X(pairs_move_as_the_same_springs_in_the_matrix) X(the_solver_does_not_matter))
