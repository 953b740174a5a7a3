/* What laws remember, in every model that has points: frozen through a substep, moved on when it is
 * accepted; and several laws in one body. */
// label: long
#include "ode/integrator.h"

#include "bodies.h"

static const int few[3] = {2, 2, 2};

/* ---- substeps ---- */

/* Forces of the body at q, some time after the last begin. */
static void forces_after(test_body *body, double h, double *f)
{
  test_since = h;
  test_forces(body, body->q, NULL, f);
  test_since = 0;
}

/* At constant q the forces are linear in what the springs of all terms hold: from f0, which a
 * sudden move gives, they fade to those that last as sum g exp(-t/tau) does. */
static void check_relaxation(test_body *body)
{
  const double *g = test_numbers, *tau = test_numbers + 6;
  double *memory = test_vector((int)pl_model_memory(body->model)), *lasting = test_vector(body->n);
  double t = 0, shares = 0;
  for (int i = 0; i < 6; i++) shares += g[i];
  pl_model_begin(body->model, memory);
  forces_after(body, 0, body->f);
  forces_after(body, INFINITY, lasting);
  const pl_moment sudden = {.q = body->q};
  pl_model_commit(body->model, &sudden, memory, NULL);
  CHECK(test_distance(lasting, body->f, body->n) > 0.1);
  for (int step = 0; step < 8; step++) {
    const pl_moment at = {.q = body->q, .h = 0.01 * pow(2, step)};
    double left = 0;
    t += at.h;
    for (int i = 0; i < 6; i++) left += g[i] * exp(-t / tau[i]) / shares;
    for (int i = 0; i < body->n; i++) body->d[i] = lasting[i] + left * (body->f[i] - lasting[i]);
    forces_after(body, at.h, body->g);
    CHECK(test_distance(body->g, body->d, body->n) <= 1e-12);
    pl_model_commit(body->model, &at, memory, NULL);
    forces_after(body, 0, body->g);
    CHECK(test_distance(body->g, body->d, body->n) <= 1e-12);
  }
  // relaxed by a call
  pl_model_relax(body->model, body->q, memory, NULL);
  forces_after(body, 0, body->g);
  CHECK(test_distance(body->g, lasting, body->n) <= 1e-13);
  free(memory);
  free(lasting);
}

static const pl_law_ops *prony(void) { return pl_law_at(PL_LAW_hooke_prony); }

TEST(forces_relax_by_the_closed_form_in_every_model)
{
  test_every_body_of(prony(), few, 0.15, 1, check_relaxation);
}

/* A few accepted substeps from where q and memory stand; f: the forces then. */
static void go_on(test_body *body, double *memory, double *f, pl_pool *pool)
{
  pl_model_begin(body->model, memory);
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < body->n; i++) body->d[i] = 0.01 * sin(i + step);
    pl_model_retract(body->model, body->q, body->d, body->g);
    const pl_moment at = {.q = body->g, .h = 0.05};
    const pl_tangent tangent = {.kq = 1, .semidefinite = step % 2, .A = body->A};
    memset(f, 0, (size_t)body->n * sizeof *f);
    body->model->ops->evaluate(body->model, &at, f, &tangent, pool);
    pl_model_commit(body->model, &at, memory, pool);
  }
}

/* Memory is plain numbers: a copy of them is the whole of it. Evaluations change none, a substep
 * that is given up leaves none, and any number of threads gives the same. */
static void check_copies(test_body *body)
{
  size_t count = pl_model_memory(body->model), size = count * sizeof(double);
  pl_allocator allocator = pl_allocator_default();
  double *memory = test_live(body), *saved = test_vector((int)count),
         *end = test_vector((int)count);
  double *f = test_vector(body->n);
  memcpy(saved, memory, size);
  for (int k = 0; k < 5; k++) forces_after(body, 0.3 * k, f);
  CHECK(!memcmp(saved, memory, size));
  go_on(body, memory, body->f, NULL);
  memcpy(end, memory, size);
  CHECK(memcmp(saved, memory, size) != 0);
  for (int threads = 1; threads < 5; threads++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    memcpy(memory, saved, size);
    go_on(body, memory, f, pool);
    CHECK(!memcmp(end, memory, size));
    CHECK(!memcmp(f, body->f, (size_t)body->n * sizeof *f));
    pl_pool_destroy(pool);
  }
  free(memory);
  free(saved);
  free(end);
  free(f);
}

TEST(memory_is_plain_numbers_that_a_copy_restores)
{
  for (int l = 0; pl_law_at(l); l++) {
    if (pl_law_at(l)->memory.count) test_every_body_of(pl_law_at(l), few, 0.15, 1, check_copies);
  }
}

TEST(models_without_points_refuse_laws_with_memory)
{
  pl_setting warped = {.name = "strain", .word = "warped"};
  pl_setting joints[] = {{.name = "forces", .word = "springs"}, {.name = "frames", .value = {2}}};
  const pl_choice choices[] = {
      {.name = "springs"}, {"fem", &warped, 1}, {"rigid-frames", joints, 2}};
  pl_material material = test_material;
  material.law = prony();
  memcpy(material.numbers, test_numbers, sizeof test_numbers);
  for (int k = 0; k < 3; k++) {
    pl_model *model = NULL;
    pl_mesh *mesh = test_mesh(NULL, 4, few, 0.1, 0);
    CHECK_FAILS(pl_model_create(NULL, &choices[k], mesh, &material, &model, error), PL_E_ARGUMENT,
                "law=\"hooke-prony\" has a memory, which needs the strain in points");
    pl_mesh_destroy(mesh);
  }
  // a body whose laws forget has no memory
  pl_choice plain = {.name = "fem"};
  test_body body = test_body_make(test_mesh(NULL, 4, few, 0.1, 0), &plain, &test_material);
  CHECK(pl_model_memory(body.model) == 0);
  pl_model_begin(body.model, NULL);
  const pl_moment at = {.q = body.q, .h = 1};
  pl_model_commit(body.model, &at, NULL, NULL);
  test_body_release(&body);
}

/* ---- several laws in one body ---- */

/* Element e has law e % laws of the family; alone: only elements of this law (-1: all) resist, and
 * all of them have it. */
static pl_material *make_materials(const pl_mesh *mesh, int laws, int alone)
{
  pl_material *each = malloc((size_t)mesh->element_count * sizeof *each);
  for (int e = 0; e < mesh->element_count; e++) {
    // runs of different lengths, so that batches would mix
    int law = (e + e / 5) % laws;
    each[e] = test_material;
    each[e].law = pl_law_at(alone < 0 ? law : alone);
    each[e].mu *= 1 + 0.1 * (e % 5);
    memcpy(each[e].numbers, test_numbers, sizeof test_numbers);
    if (alone < 0 || law == alone) continue;
    each[e].lambda = each[e].mu = each[e].viscous_lambda = each[e].viscous_mu = 0;
  }
  return each;
}

/* Forces, matrix, energy and stress of a body after some substeps. */
typedef struct parts {
  double *f, *values, *stress, *det, energy;
} parts;

static parts measure(test_body *body, double *memory, pl_pool *pool)
{
  size_t numbers = 9 * (size_t)body->A->start[body->A->rows];
  int elements = body->mesh->element_count;
  parts out = {.f = test_vector(body->n),
               .values = malloc(numbers * sizeof *out.values),
               .stress = test_vector(elements),
               .det = test_vector(elements)};
  pl_model_begin(body->model, memory);
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < body->n; i++) body->d[i] = 0.01 * sin(i + step);
    pl_model_retract(body->model, body->q, body->d, body->g);
    const pl_moment at = {.q = body->g, .h = 0.05};
    pl_model_commit(body->model, &at, memory, pool);
  }
  test_since = 0.1;
  pl_bsr_zero(body->A, NULL);
  // turning frames have inertial forces whatever their law, and viscous ones in two ways
  const double *v = pl_model_is_rotation(body->model, 0) ? NULL : body->v;
  test_evaluate(body->model, body->q, v, out.f, 1, 0.1, 0, body->A, pool);
  test_since = 0;
  memcpy(out.values, body->A->values, numbers * sizeof *out.values);
  out.energy = body->model->ops->energy(body->model, body->q, pool);
  body->model->ops->fields(body->model, body->q, out.stress, out.det, pool);
  return out;
}

static void release(parts *p)
{
  free(p->f);
  free(p->values);
  free(p->stress);
  free(p->det);
}

static test_body body_of(const pl_choice *choice, int size, int laws, int alone)
{
  static const int cells[3] = {4, 3, 3};
  pl_mesh *mesh = test_mesh(NULL, size, cells, 0.1, 0);
  pl_material *each = make_materials(mesh, laws, alone);
  pl_model_def sites = {.materials = each};
  test_body body = test_body_at(mesh, choice, &test_material, &sites);
  body.model->sites.materials = NULL;
  free(each);
  return body;
}

/* Forces, matrices and energies of the mixed body are the sums of those of bodies in which the
 * elements of one law resist alone; an element's stress is that of its own. */
static void check_mixture(const pl_choice *choice, int size)
{
  int laws = PL_LAW_COUNT;
  test_body mixed = body_of(choice, size, laws, -1);
  size_t blocks = (size_t)mixed.A->start[mixed.A->rows], count = pl_model_memory(mixed.model);
  double *memory = test_vector((int)count), *end = test_vector((int)count), energy = 0;
  double *f = test_vector(mixed.n), *values = calloc(9 * blocks, sizeof *values);
  parts whole = measure(&mixed, memory, NULL);
  CHECK(count > 0);
  for (int l = 0; l < laws; l++) {
    test_body own = body_of(choice, size, laws, l);
    double *kept = test_vector((int)pl_model_memory(own.model));
    parts part = measure(&own, kept, NULL);
    for (int i = 0; i < own.n; i++) f[i] += part.f[i];
    for (size_t i = 0; i < 9 * blocks; i++) values[i] += part.values[i];
    energy += part.energy;
    for (int e = 0; e < own.mesh->element_count; e++) {
      if ((e + e / 5) % laws == l) CHECK_NEAR(whole.stress[e], part.stress[e], 1e-9 * 2e4);
      CHECK_NEAR(whole.det[e], part.det[e], 1e-14);
    }
    release(&part);
    free(kept);
    test_body_release(&own);
  }
  CHECK(test_distance(whole.f, f, mixed.n) <= 1e-12);
  CHECK(test_distance(whole.values, values, (int)(9 * blocks)) <= 1e-12);
  CHECK_NEAR(whole.energy, energy, 1e-12 * energy);
  memcpy(end, memory, count * sizeof *end);
  for (int threads = 2; threads < 4; threads++) {
    pl_allocator allocator = pl_allocator_default();
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    memset(memory, 0, count * sizeof *memory);
    parts again = measure(&mixed, memory, pool);
    CHECK(!memcmp(again.f, whole.f, (size_t)mixed.n * sizeof *again.f));
    CHECK(!memcmp(again.values, whole.values, 9 * blocks * sizeof *again.values));
    CHECK(!memcmp(memory, end, count * sizeof *end) && again.energy == whole.energy);
    release(&again);
    pl_pool_destroy(pool);
  }
  release(&whole);
  free(memory);
  free(end);
  free(f);
  free(values);
  test_body_release(&mixed);
}

TEST(several_laws_in_a_body_are_the_sum_of_bodies_of_one_law)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    const pl_member *member = pl_model_family.members[m];
    test_words words;
    for (int c = 0; test_combine(member, c, &words); c++) {
      if (!((const pl_model_ops *)(const void *)member)->memory.advance) continue;
      if (!test_matters(&words) || !test_is_plain(&words, 1)) continue;
      // a law with memory cannot be in hybrid strain
      if (!test_serves(&words, (const void *)member, prony())) continue;
      // one of the laws keeps its volume for itself
      if (!test_can_share(&words, pl_law_at(PL_LAW_hooke_volume), 4)) continue;
      pl_choice choice = {member->name, words.settings, words.count};
      int before = test_failures;
      check_mixture(&choice, 4);
      check_mixture(&choice, 8);
      if (test_failures == before) continue;
      printf("    in %s:", member->name);
      for (int k = 0; k < words.count; k++) printf(" %s", words.settings[k].word);
      printf("\n");
    }
  }
}

/* Only the elements' laws and their order decide where each is computed. */
TEST(batches_have_one_law)
{
  pl_choice choice = {.name = "fem"};
  test_body body = body_of(&choice, 4, PL_LAW_COUNT, -1);
  const pl_fem *fem = body.model->state;
  const pl_groups *groups = &fem->groups;
  int *seen = calloc((size_t)fem->elements, sizeof *seen), batch = 0;
  // Hooke's law and none at all are one
  CHECK(groups->count == PL_LAW_COUNT);
  for (int g = 0; g < groups->count; g++) {
    CHECK(groups->list[g].first == batch);
    for (; batch < groups->list[g].last; batch++) {
      for (int lane = 0; lane < PL_LANES; lane++) {
        int item = pl_groups_item(groups, PL_LANES * batch + lane);
        int element = item < 0 ? -1 - item : item;
        const pl_law_ops *law = pl_law_at((element + element / 5) % PL_LAW_COUNT);
        CHECK(groups->list[g].points ==
              (law->points.stress ? &law->points : fem->groups.list->strain));
        if (item < 0) continue;
        seen[item]++;
        CHECK(pl_groups_place(groups, item) == PL_LANES * batch + lane);
      }
    }
  }
  CHECK(batch == groups->batches);
  for (int e = 0; e < fem->elements; e++) CHECK(seen[e] == 1);
  free(seen);
  test_body_release(&body);
}

/* A few samples of several laws stand for all: forces are still the slope of the energy. */
TEST(reduced_samples_may_have_several_laws)
{
  pl_setting settings[] = {{.name = "strain", .word = "green"},
                           {.name = "clusters", .value = {30}}};
  static const char *const kinds[] = {"frames", "rigid-frames"};
  for (int k = 0; k < 2; k++) {
    pl_choice choice = {kinds[k], settings, 2};
    test_body body = body_of(&choice, 8, PL_LAW_COUNT, -1);
    double *memory = test_live(&body), energy[2], h = 1e-6;
    CHECK(body.model->groups->count > 2 && body.model->groups->items <= 30);
    CHECK(memory != NULL);
    test_since = 0.1;
    test_forces(&body, body.q, NULL, body.f);
    test_since = 0;
    test_fill(body.d, body.n, 1);
    for (int side = 0; side < 2; side++) {
      test_move(&body, side ? h : -h, body.g);
      energy[side] = body.model->ops->energy(body.model, body.g, NULL);
    }
    CHECK_NEAR((energy[1] - energy[0]) / (2 * h), -test_dot(body.f, body.d, body.n),
               1e-6 * test_length(body.f, body.n));
    free(memory);
    test_body_release(&body);
  }
}

/* Elements of rigid parts have no moduli; their memory stays finite, and they exert no force. */
TEST(rigid_elements_remember_nothing_that_hurts)
{
  pl_choice choice = {.name = "fem"};
  for (int l = 0; pl_law_at(l); l++) {
    if (!pl_law_at(l)->memory.count) continue;
    pl_material material = test_material;
    pl_mesh *mesh = test_mesh(NULL, 4, few, 0.1, 1);
    unsigned char *rigid = malloc((size_t)mesh->element_count);
    memset(rigid, 1, (size_t)mesh->element_count);
    pl_model_def sites = {.rigid = rigid};
    material.law = pl_law_at(l);
    memcpy(material.numbers, test_numbers, sizeof test_numbers);
    test_body body = test_body_at(mesh, &choice, &material, &sites);
    double *memory = test_live(&body);
    for (size_t i = 0; i < pl_model_memory(body.model); i++) CHECK(isfinite(memory[i]));
    test_forces(&body, body.q, NULL, body.f);
    CHECK(test_length(body.f, body.n) == 0);
    free(memory);
    free(rigid);
    test_body_release(&body);
  }
}

/* ---- the order of integrators ---- */

/* A body as a system whose law remembers. */
typedef struct carried {
  pl_system system;
  test_body body;
  double began, *memory;
} carried;

static void evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                     const pl_tangent *tangent)
{
  carried *self = (carried *)system;
  pl_model *model = self->body.model;
  const pl_moment at = {.t = t, .h = t - self->began, .q = q, .v = v, .load_scale = 1};
  if (f) memset(f, 0, (size_t)self->body.n * sizeof *f);
  model->ops->evaluate(model, &at, f, tangent, NULL);
  if (tangent && tangent->km != 0) model->ops->mass_matrix(model, tangent->km, tangent->A, NULL);
}

static void external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  (void)t, (void)q, (void)v;
  memset(f, 0, (size_t)((carried *)system)->body.n * sizeof *f);
}

static void mass_add(pl_system *system, double a, const double *x, double *y)
{
  pl_model *model = ((carried *)system)->body.model;
  model->ops->mass_add(model, a, x, y, NULL);
}

static void mass_inverse(pl_system *system, const double *y, double *x)
{
  const test_body *body = &((carried *)system)->body;
  for (int i = 0; i < body->n; i++) x[i] = y[i] / body->model->lumped_mass[i / 3];
}

static void retract(pl_system *system, const double *q, const double *dq, double *out)
{
  pl_model_retract(((carried *)system)->body.model, q, dq, out);
}

static void prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  (void)system, (void)t, (void)h, (void)q, (void)v;
}

static const pl_system_ops carried_ops = {.evaluate = evaluate,
                                          .external = external,
                                          .mass_add = mass_add,
                                          .mass_inverse = mass_inverse,
                                          .retract = retract,
                                          .prescribe = prescribe};

static void open_system(carried *self)
{
  static const int cube[3] = {1, 1, 1};
  pl_setting strain = {.name = "strain", .word = "green"};
  pl_setting tight = {.name = "tolerance", .value = {1e-13}};
  pl_choice choice = {"fem", &strain, 1};
  pl_allocator allocator = pl_allocator_default();
  pl_material material = test_material;
  pl_selection solver = {0}, preconditioner = {0};
  material.law = prony();
  material.viscous_lambda = material.viscous_mu = 0;
  memcpy(material.numbers, test_numbers, sizeof test_numbers);
  material.numbers[6] = 0.01;
  self->body = test_body_make(test_mesh(NULL, 8, cube, 0.1, 1), &choice, &material);
  self->system = (pl_system){.ops = &carried_ops,
                             .blocks = self->body.model->blocks,
                             .A = self->body.A,
                             .remembers = 1,
                             .load_scale = 1};
  self->memory = test_vector((int)pl_model_memory(self->body.model));
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){"cg", &tight, 1}, &solver.member,
                             solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){0}, &preconditioner.member,
                             preconditioner.values, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &preconditioner, self->system.A,
                            &self->system.solver, error));
}

/* Stretched and sheared, let go: the positions after 0.04 s. */
static void run(const char *name, int steps, double *end)
{
  carried self = {0};
  pl_allocator allocator = pl_allocator_default();
  pl_integrator *integrator = NULL;
  pl_selection part;
  pl_setting strict[] = {{.name = "newton", .value = {30}},
                         {.name = "newton-tolerance", .value = {1e-12}}};
  open_system(&self);
  test_body *body = &self.body;
  double *q = body->q, *v = body->v, h = 0.04 / steps;
  memcpy(q, body->model->rest, (size_t)body->n * sizeof *q);
  for (int i = 0; i < body->n; i += 3) q[i] = 1.15 * q[i] + 0.1 * q[i + 1];
  memset(v, 0, (size_t)body->n * sizeof *v);
  const pl_member *member = pl_member_find(&pl_integrator_family, name);
  pl_choice choice = {name, strict, pl_param_find(member, "newton") < 0 ? 0 : 2};
  CHECK_OK(pl_integrator_resolve(&choice, &part, error));
  CHECK_OK(pl_integrator_create(&allocator, &part, body->model->blocks, NULL, &integrator, error));
  // it has come there suddenly
  const pl_moment start = {.q = q};
  pl_model_commit(body->model, &start, self.memory, NULL);
  for (int step = 0; step < steps; step++) {
    pl_step_report report = {0};
    self.began = step * h;
    CHECK_OK(integrator->ops->step(integrator, &self.system, step * h, h, q, v, &report, error));
    const pl_moment at = {.t = step * h + h, .h = h, .q = q, .v = v};
    pl_model_commit(body->model, &at, self.memory, NULL);
  }
  memcpy(end, q, (size_t)body->n * sizeof *end);
  pl_integrator_destroy(integrator);
  pl_solver_destroy(self.system.solver);
  free(self.memory);
  test_body_release(body);
}

static double apart(const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < 24; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* Strain is taken as even over a substep, which is right to second order: so far integrators keep
 * their own. */
TEST(integrators_keep_their_order_up_to_two)
{
  static const struct {
    const char *name;
    int order, steps;
  } list[] = {{"implicit-euler", 1, 1600},
              {"implicit-midpoint", 2, 100},
              {"sdirk2", 2, 100},
              {"bdf2", 2, 400},
              {"newmark", 2, 100},
              {"verlet", 2, 100},
              {"explicit-midpoint", 2, 200},
              {"rk4", 2, 200},
              {"rosenbrock4", 2, 200},
              {"ros2w", 2, 200}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    double end[3][24];
    for (int level = 0; level < 3; level++) run(list[k].name, list[k].steps << level, end[level]);
    double fine = apart(end[1], end[2]), order = log2(apart(end[0], end[1]) / fine);
    printf("  %-18s order %.3f, error %.1e m with %d steps\n", list[k].name, order, fine,
           4 * list[k].steps);
    CHECK_NEAR(order, list[k].order, 0.15);
  }
}

TESTS(X(forces_relax_by_the_closed_form_in_every_model)
          X(memory_is_plain_numbers_that_a_copy_restores)
              X(models_without_points_refuse_laws_with_memory)
                  X(several_laws_in_a_body_are_the_sum_of_bodies_of_one_law) X(batches_have_one_law)
                      X(reduced_samples_may_have_several_laws)
                          X(rigid_elements_remember_nothing_that_hurts)
                              X(integrators_keep_their_order_up_to_two))
