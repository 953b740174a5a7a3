/* A fading memory around any law: it is that of the laws with one of their own, agrees with its
 * energy, and relaxes by the closed form. */
#include "bodies.h"

static double series[PL_PRONY_NUMBERS] = {0.3, 0.2, 0, 0, 0, 0, 0.05, 0.4, 1, 1, 1, 1};
static const int cells[3] = {2, 1, 1};

/* A body whose law has the series around it, or in its own numbers. */
static test_body make(const pl_law_ops *law, int own, pl_fading_part of, const char *strain,
                      int size)
{
  const pl_setting settings[] = {{.name = "strain", .word = strain},
                                 {.name = "volume", .word = "point"}};
  pl_material material = test_material;
  double *numbers = material.numbers + (own ? PL_PRONY_NUMBERS : 0);
  material.law = law;
  material.fades = !own;
  material.fading = of;
  memcpy(material.series, series, sizeof series);
  if (own) memcpy(material.numbers, series, sizeof series);
  numbers[0] = 0.3;
  if (!own) memcpy(numbers, test_numbers_of(law, numbers), PL_MOST_NUMBERS * sizeof *numbers);
  pl_mesh *mesh = test_mesh(NULL, size, cells, 0.15, 1);
  return test_body_make(mesh, &(pl_choice){"fem", settings, 2}, &material);
}

static void compare(const pl_law_ops *around, const pl_law_ops *with, const char *strain)
{
  static const double times[] = {0, 1e-3, 0.3, INFINITY};
  test_body a = make(around, 0, PL_FADING_SHAPE, strain, 8);
  test_body b = make(with, 1, PL_FADING_SHAPE, strain, 8);
  CHECK(pl_model_memory(a.model) == pl_model_memory(b.model));
  test_seed = 77;
  double *memory_a = test_live(&a);
  test_seed = 77;
  double *memory_b = test_live(&b);
  for (int t = 0; t < 4; t++) {
    test_since = times[t];
    test_forces(&a, a.q, NULL, a.f);
    test_forces(&b, b.q, NULL, b.f);
    CHECK(test_distance(a.f, b.f, a.n) <= 1e-12);
    double one = a.model->ops->energy(a.model, a.q, NULL);
    double other = b.model->ops->energy(b.model, b.q, NULL);
    CHECK_NEAR(one, other, 1e-12 * fabs(other));
  }
  test_since = 0;
  free(memory_a);
  free(memory_b);
  test_body_release(&a);
  test_body_release(&b);
}

TEST(a_memory_around_a_law_is_that_of_the_law_with_one)
{
  compare(pl_law_at(PL_LAW_hooke), pl_law_at(PL_LAW_hooke_prony), "corotated");
  compare(pl_law_at(PL_LAW_hooke), pl_law_at(PL_LAW_hooke_prony), "green");
  compare(pl_law_at(PL_LAW_mooney_rivlin), pl_law_at(PL_LAW_mooney_rivlin_prony), "green");
}

/* Laws that can have a memory around them, of this part. */
static int can_fade(const pl_law_ops *law, pl_fading_part of)
{
  if (law->memory.count) return 0;
  if (law->volume != PL_VOLUME_OWN) return 1;
  return of == PL_FADING_BOTH && (!law->uses_strain || law->points.conjugate);
}

static void each_law(void (*check)(test_body *body, const pl_law_ops *law, pl_fading_part of))
{
  for (int l = 0; pl_law_at(l); l++) {
    for (int of = 0; of < 3; of++) {
      if (!can_fade(pl_law_at(l), (pl_fading_part)of)) continue;
      test_body body = make(pl_law_at(l), 0, (pl_fading_part)of, "corotated", 4);
      int before = test_failures;
      check(&body, pl_law_at(l), (pl_fading_part)of);
      if (test_failures > before) printf("    with %s, part %d\n", pl_law_at(l)->info.name, of);
      test_body_release(&body);
    }
  }
}

static void check_slopes_in_time(test_body *body, const pl_law_ops *law, pl_fading_part of)
{
  static const double times[] = {0, 1e-3, 0.3, INFINITY};
  (void)law;
  (void)of;
  double *memory = test_live(body);
  for (int t = 0; t < 4; t++) {
    test_since = times[t];
    test_slopes(body, 5e-6);
  }
  test_since = 0;
  free(memory);
}

TEST(force_and_stiffness_are_slopes_with_every_law) { each_law(check_slopes_in_time); }

/* What a sudden deformation, held, leaves of its stress after t: the part that fades has the factor
 * 1 - sum g (1 - exp(-t/tau)). Any linear combination of moduli will do to find that part. */
static void check_relaxation(test_body *body, const pl_law_ops *law, pl_fading_part of)
{
  static const double times[] = {1e-3, 0.07, 0.5, 3};
  double *memory = calloc(pl_model_memory(body->model), sizeof *memory);
  double *sudden = test_vector(body->n), *late = test_vector(body->n);
  const pl_moment at = {.q = body->q};
  (void)law;
  (void)of;
  pl_model_begin(body->model, memory);
  pl_model_commit(body->model, &at, memory, NULL);
  test_forces(body, body->q, NULL, sudden);
  test_since = INFINITY;
  test_forces(body, body->q, NULL, late);
  for (int t = 0; t < 4; t++) {
    double left = 1;
    for (int i = 0; i < 2; i++) left -= series[i] * (1 - exp(-times[t] / series[6 + i]));
    double share = (left - 0.5) / 0.5; // of what fades in the end
    test_since = times[t];
    test_forces(body, body->q, NULL, body->f);
    for (int i = 0; i < body->n; i++) body->g[i] = late[i] + share * (sudden[i] - late[i]);
    CHECK(test_distance(body->f, body->g, body->n) <= 1e-10);
  }
  CHECK(test_distance(late, sudden, body->n) > 1e-3);
  test_since = 0;
  free(memory);
  free(sudden);
  free(late);
}

TEST(held_deformations_relax_by_the_closed_form_with_every_law) { each_law(check_relaxation); }

/* Forces alone, or with an exact or a semidefinite matrix. */
enum { FORCES, EXACT, SEMIDEFINITE, KINDS };
static void evaluate(test_body *body, int kind, const double *q, double *f)
{
  const pl_moment at = {.h = test_since, .q = q};
  const pl_tangent tangent = {.kq = 1, .semidefinite = kind == SEMIDEFINITE, .A = body->A};
  memset(f, 0, (size_t)body->n * sizeof *f);
  memset(body->A->values, 0, 9 * (size_t)body->A->start[body->A->rows] * sizeof(double));
  body->model->ops->evaluate(body->model, &at, f, kind == FORCES ? NULL : &tangent, NULL);
}

/* Steps of a body that moves its memory from room to room: at once, or when it is evaluated next.
 * Before that it is evaluated at the same q, or at another, or asked for its energy. */
static void live(test_body *body, int at_once, int between, int kind, double *rooms[2], double *f)
{
  memset(rooms[0], 0, pl_model_memory(body->model) * sizeof(double));
  pl_model_begin(body->model, rooms[0]);
  test_since = 0.05;
  for (int step = 0; step < 4; step++) {
    double *from = rooms[step % 2], *to = rooms[(step + 1) % 2];
    for (int i = 0; i < body->n; i++) body->g[i] = body->q[i] + 0.01 * sin(i + step);
    const pl_moment at = {.q = body->g, .h = test_since};
    test_forces(body, body->g, NULL, f);
    pl_model_move(body->model, &at, from, to, NULL);
    if (at_once) pl_model_settle(body->model, NULL);
    if (between == 1) evaluate(body, kind, body->q, f);
    if (between == 2) f[0] = body->model->ops->energy(body->model, body->q, NULL);
    if (between < 2) evaluate(body, kind, body->g, f);
  }
  test_since = 0;
  pl_model_settle(body->model, NULL);
}

static void check_postponed(test_body *body, const pl_law_ops *law, pl_fading_part of)
{
  size_t count = pl_model_memory(body->model), size = (size_t)body->n * sizeof(double);
  size_t blocks = 9 * (size_t)body->A->start[body->A->rows] * sizeof(double);
  double *rooms[2][2], *f[2], *values = malloc(blocks);
  (void)law;
  (void)of;
  for (int i = 0; i < 2; i++) {
    f[i] = test_vector(body->n);
    for (int k = 0; k < 2; k++) rooms[i][k] = test_vector((int)count);
  }
  for (int run = 0; run < 3 * KINDS; run++) {
    for (int i = 0; i < 2; i++) {
      live(body, i, run / KINDS, run % KINDS, rooms[i], f[i]);
      if (!i) memcpy(values, body->A->values, blocks);
    }
    CHECK(!memcmp(f[0], f[1], size));
    CHECK(!memcmp(values, body->A->values, blocks));
    CHECK(!memcmp(rooms[0][0], rooms[1][0], count * sizeof(double)));
  }
  free(values);
  for (int i = 0; i < 2; i++) {
    free(f[i]);
    for (int k = 0; k < 2; k++) free(rooms[i][k]);
  }
}

TEST(a_move_that_is_postponed_gives_the_same_bits)
{
  const double second = series[1];
  each_law(check_postponed);
  series[1] = 0;
  each_law(check_postponed);
  series[1] = second;
}

TESTS(X(a_memory_around_a_law_is_that_of_the_law_with_one)
          X(force_and_stiffness_are_slopes_with_every_law)
              X(held_deformations_relax_by_the_closed_form_with_every_law)
                  X(a_move_that_is_postponed_gives_the_same_bits))
