/* Rods beyond what every model must keep: shapes, frames that are carried along, closed forms,
 * refusals. */
#include "math/vec3.h"

#include "statics.h"

#include "quotient.h"

static const double PI = 3.14159265358979323846;

static pl_mesh *make_rod(const char *shape, double length, int segments, double turns)
{
  const pl_setting settings[] = {{"shape", {0}, shape},
                                 {"length", {length}, NULL},
                                 {"segments", {segments}, NULL},
                                 {"turns", {turns}, NULL},
                                 {"radius", {0.04 * length}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"rod", settings, 5}, NULL, &mesh, error));
  return mesh;
}

static test_body make_body(pl_mesh *mesh, const pl_setting *settings, int count)
{
  return test_body_make(mesh, &(pl_choice){"rod", settings, count}, &test_material);
}

/* Every shape, at rest bent or straight, before and behind steps that carry the frames along. */
TEST(rods_of_every_shape_have_exact_slopes)
{
  static const char *const shapes[] = {"straight", "helix", "ring", "knot"};
  static const char *const rests[] = {"mesh", "straight"};
  for (int i = 0; i < 4 * 2 * 2; i++) {
    const pl_setting with[] = {{"rest-shape", {0}, rests[i / 4 % 2]}, {"thickness", {0.02}, NULL}};
    test_body body = make_body(make_rod(shapes[i % 4], 1, 11, 2), with, 2);
    double *memory = calloc(pl_model_memory(body.model), sizeof *memory);
    const pl_moment at = {.q = body.q, .h = 0.1};
    if (i / 8) pl_model_commit(body.model, &at, memory, NULL);
    for (int k = 0; i / 8 && k < body.n; k++) body.q[k] += 0.005 * test_uniform();
    test_slopes(&body, 1e-6);
    free(memory);
    test_body_release(&body);
  }
}

/* 1000 states: anywhere, some nearly in one point. */
TEST(the_semidefinite_matrix_has_no_negative_direction)
{
  const pl_setting with[] = {{"thickness", {0.02}, NULL}};
  const int states = TEST_SANITIZED ? 40 : 1000;
  double worst = 0;
  test_body body = make_body(make_rod("helix", 1, 11, 2), with, 1);
  for (int state = 0; state < states; state++) {
    test_fill(body.q, body.n, state % 4 ? 1 : 1e-3);
    pl_bsr_zero(body.A, NULL);
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 1, body.A, NULL);
    worst = fmin(worst, test_least_quotient(&body));
  }
  printf("    least quotient %.1e of the largest entry\n", worst);
  CHECK(worst >= -1e-10);
  test_body_release(&body);
}

/* Carrying the frames along changes neither energy nor forces. */
TEST(memory_moves_on_without_a_jump)
{
  const pl_setting with[] = {{"thickness", {0.02}, NULL}};
  test_body body = make_body(make_rod("helix", 1, 16, 2), with, 1);
  double *memory = calloc(pl_model_memory(body.model), sizeof *memory);
  const pl_moment at = {.q = body.q, .h = 0.1};
  double before = body.model->ops->energy(body.model, body.q, NULL);
  pl_model_commit(body.model, &at, memory, NULL);
  double after = body.model->ops->energy(body.model, body.q, NULL);
  CHECK_NEAR(after, before, 1e-11 * before);
  // frames forget nothing: back at rest they are as they were, but for what going around has turned
  const pl_moment back = {.q = body.model->rest, .h = 0.1};
  pl_model_commit(body.model, &back, memory, NULL);
  for (int e = 0; e < 16; e++) CHECK(pl_vec3_norm(memory + 7 * e) <= 1e-12);
  free(memory);
  test_body_release(&body);
}

/* A rod that is made elsewhere and turned has the same energy and turned forces, though its frames
 * start in other directions; and where they have just been carried along, forces and the moments
 * about edges carry no momentum. */
TEST(turning_the_rod_turns_its_forces)
{
  static const double R[9] = {2 / 7.0,  -6 / 7.0, 3 / 7.0, 3 / 7.0, -2 / 7.0,
                              -6 / 7.0, 6 / 7.0,  3 / 7.0, 2 / 7.0};
  const pl_setting with[] = {{"thickness", {0.02}, NULL}};
  pl_mesh *mesh = make_rod("helix", 1, 12, 2), *other = make_rod("helix", 1, 12, 2);
  for (int i = 0; i < 39; i++)
    other->nodes[i] = test_dot(R + i % 3 * 3, mesh->nodes + i / 3 * 3, 3);
  test_body one = make_body(mesh, with, 1), two = make_body(other, with, 1);
  for (int i = 0; i < one.n; i++) {
    two.q[i] = i < 39 ? test_dot(R + i % 3 * 3, one.q + i / 3 * 3, 3) : one.q[i];
    two.v[i] = i < 39 ? test_dot(R + i % 3 * 3, one.v + i / 3 * 3, 3) : one.v[i];
  }
  double energy = one.model->ops->energy(one.model, one.q, NULL), torque[3] = {0}, scale = 0;
  CHECK_NEAR(two.model->ops->energy(two.model, two.q, NULL), energy, 1e-12 * energy);
  test_forces(&one, one.q, one.v, one.f);
  test_forces(&two, two.q, two.v, two.f);
  for (int i = 0; i < one.n; i++)
    one.g[i] = i < 39 ? test_dot(R + i % 3 * 3, one.f + i / 3 * 3, 3) : one.f[i];
  CHECK(test_distance(two.f, one.g, one.n) <= 1e-12);
  double *memory = calloc(pl_model_memory(one.model), sizeof *memory);
  const pl_moment at = {.q = one.q, .h = 0.1};
  pl_model_commit(one.model, &at, memory, NULL);
  test_forces(&one, one.q, one.v, one.f);
  double edge = pl_vec3_distance(mesh->nodes, mesh->nodes + 3);
  for (int i = 0; i < 13; i++) {
    double moment[3], t[3];
    pl_vec3_cross(one.q + 3 * i, one.f + 3 * i, moment);
    pl_vec3_add(torque, moment, torque);
    scale += pl_vec3_norm(moment);
    if (i == 12) break;
    pl_vec3_sub(one.q + 3 * i + 3, one.q + 3 * i, t);
    pl_vec3_add_scaled(one.f[39 + i] * edge / pl_vec3_norm(t), t, torque);
  }
  CHECK(pl_vec3_norm(torque) <= 1e-12 * scale);
  free(memory);
  test_body_release(&one);
  test_body_release(&two);
}

/* A ring of a straight rod, twisted by phi: how many of its ways to move make it lose energy. */
static int falling_ways(test_body *body)
{
  int n = body->n, count = 0;
  double *K = calloc((size_t)(n * n), sizeof *K), max = 0;
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->model->rest, NULL, NULL, 1, 0, 0, body->A, NULL);
  for (int i = 0; i < body->A->rows; i++) {
    for (int k = body->A->start[i]; k < body->A->start[i + 1]; k++) {
      for (int e = 0; e < 9; e++)
        K[n * (3 * i + e % 3) + 3 * body->A->columns[k] + e / 3] = body->A->values[9 * k + e];
    }
  }
  // Sylvester: as many as pivots of K, moved up by a little, are negative
  for (int i = 0; i < n; i++) max = fmax(max, K[n * i + i]);
  for (int i = 0; i < n; i++) K[n * i + i] += 1e-9 * max;
  for (int i = 0; i < n; i++) {
    count += K[n * i + i] < 0;
    for (int r = i + 1; r < n; r++) {
      double part = K[n * r + i] / K[n * i + i];
      for (int c = i; c < n && part != 0; c++) K[n * r + c] -= part * K[n * i + c];
    }
  }
  free(K);
  return count;
}

static double critical_twist(int segments, double ratio)
{
  double low = 0.5 * 10.883 * ratio, high = 2 * 10.883 * ratio;
  for (int round = 0; round < 14; round++) {
    double middle = (low + high) / 2;
    const pl_setting with[] = {{"rest-shape", {0}, "straight"},
                               {"stretch-stiffness", {3e4}, NULL},
                               {"bending-stiffness", {1}, NULL},
                               {"twist-stiffness", {1 / ratio}, NULL},
                               {"rest-twist", {middle}, NULL}};
    test_body body = make_body(make_rod("ring", 1, segments, 1), with, 5);
    if (falling_ways(&body))
      high = middle;
    else
      low = middle;
    test_body_release(&body);
  }
  return high;
}

/* Michell 1889, Zajac 1962: a ring stays flat up to a twist of 2 pi sqrt(3) B / C. */
TEST(a_twisted_ring_stays_flat_up_to_its_critical_twist)
{
  double right = 2 * PI * sqrt(3), coarse = critical_twist(30, 1) / right - 1;
  double fine = critical_twist(60, 1) / right - 1;
  printf("    ring: %+.2f %% with 30 edges, %+.2f %% with 60\n", 100 * coarse, 100 * fine);
  CHECK(fabs(fine) <= 0.015);
  CHECK_NEAR(coarse / fine, 4, 0.4);
  CHECK_NEAR(critical_twist(30, 2) / (2 * right) - 1, coarse, 2e-3);
}

static void refuses(const pl_mesh_def *def, const char *part)
{
  pl_error error = {0};
  pl_model *model = NULL;
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_create(def, &mesh, &error);
  if (!status)
    status =
        pl_model_create(NULL, &(pl_choice){"rod", NULL, 0}, mesh, &test_material, &model, &error);
  CHECK(status != PL_OK);
  CHECK(strstr(error.message, part) != NULL);
  if (!strstr(error.message, part)) printf("    %s\n", error.message);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
}

TEST(bad_rods_are_refused_with_a_sentence)
{
  static const double x[] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0, 1, 0, 0};
  static const int twice[] = {0, 1, 1, 0}, folded[] = {0, 1, 1, 2}, point[] = {1, 3};
  refuses(&(pl_mesh_def){.node_count = 4,
                         .nodes = x,
                         .element_count = 2,
                         .nodes_per_element = 2,
                         .elements = twice},
          "a closed rod needs at least three segments");
  refuses(&(pl_mesh_def){.node_count = 4,
                         .nodes = x,
                         .element_count = 2,
                         .nodes_per_element = 2,
                         .elements = folded},
          "lie folded onto each other at (");
  refuses(&(pl_mesh_def){.node_count = 4,
                         .nodes = x,
                         .element_count = 1,
                         .nodes_per_element = 2,
                         .elements = point},
          "has no length");
  pl_mesh *mesh = make_rod("straight", 1, 4, 1);
  pl_model *model = NULL;
  pl_error error;
  CHECK(
      pl_model_create(NULL, &(pl_choice){"cloth", NULL, 0}, mesh, &test_material, &model, &error));
  CHECK(strstr(error.message, "segments") != NULL);
  pl_mesh_destroy(mesh);
}

/* Mass of the nodes, and of the spinning about the axis. */
TEST(mass_is_that_of_a_round_section)
{
  const pl_setting with[] = {{"thickness", {0.02}, NULL}};
  test_body body = make_body(make_rod("straight", 1, 8, 1), with, 1);
  double sum = 0, spin = 0;
  for (int i = 0; i < 9; i++) sum += body.model->lumped_mass[i];
  CHECK_NEAR(sum, 1000 * PI * 1e-4, 1e-12);
  memset(body.f, 0, (size_t)body.n * sizeof *body.f);
  // angles are counted in lengths of 1/8 m
  for (int i = 27; i < body.n; i++) body.d[i] = i < 27 + 8 ? 0.125 : 0;
  body.model->ops->mass_add(body.model, 1, body.d, body.f, NULL);
  for (int i = 27; i < body.n; i++) spin += body.f[i] * body.d[i];
  CHECK_NEAR(spin, sum * 1e-4 / 2, 1e-15);
  test_body_release(&body);
}

TESTS(X(rods_of_every_shape_have_exact_slopes) X(the_semidefinite_matrix_has_no_negative_direction)
          X(memory_moves_on_without_a_jump) X(turning_the_rod_turns_its_forces)
              X(a_twisted_ring_stays_flat_up_to_its_critical_twist)
                  X(bad_rods_are_refused_with_a_sentence) X(mass_is_that_of_a_round_section))
