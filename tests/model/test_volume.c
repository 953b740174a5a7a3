/* Volumes that points share, and quadratic tetrahedra: energy, force and stiffness agree for every
 * grouping, strain and law; rigid motions stay free; what cannot share says so. */
#include "math/rotation.h"

#include "bodies.h"
#include "eigen.h"

/* A mesh, what its points share, and how the mesh is made. */
typedef struct sharing {
  int size, way; /* nodes per element; -1: not divided */
  const char *volume;
} sharing;

static const sharing ways[] = {{4, -1, "node"},
                               {4, PL_DIVIDE_OCTETS, "patch"},
                               {4, PL_DIVIDE_OCTETS, "node"},
                               {4, PL_DIVIDE_TET10, "point"},
                               {4, PL_DIVIDE_TET10, "element"},
                               {8, -1, "element"}};

static pl_mesh *shared_mesh(const sharing *way, const int cells[3], double jitter)
{
  pl_mesh *mesh = test_mesh(NULL, way->size, cells, jitter, jitter > 0), *divided = NULL;
  if (way->way < 0) return mesh;
  CHECK_OK(pl_mesh_divide(mesh, (pl_division)way->way, NULL, &divided, error));
  pl_mesh_destroy(mesh);
  return divided;
}

static test_body shared_body(const sharing *way, const int cells[3], double jitter,
                             const char *strain, const pl_law_ops *law, double mix)
{
  const pl_setting settings[] = {{.name = "volume", .word = way->volume},
                                 {.name = "strain", .word = strain},
                                 {.name = "mix", .value = {mix}}};
  const pl_choice choice = {"fem", settings, 3};
  pl_material material = test_material;
  material.lambda = 60 * material.mu;
  material.law = law;
  memcpy(material.numbers, test_numbers, sizeof test_numbers);
  return test_body_make(shared_mesh(way, cells, jitter), &choice, &material);
}

static void check_sums(test_body *body)
{
  double sum[3] = {0}, size = 0;
  test_forces(body, body->q, NULL, body->f);
  for (int i = 0; i < body->n; i++) sum[i % 3] += body->f[i], size += fabs(body->f[i]);
  for (int k = 0; k < 3; k++) CHECK(fabs(sum[k]) <= 1e-12 * size);
}

TEST(force_and_stiffness_are_slopes_in_every_grouping)
{
  static const int cells[3] = {2, 1, 1};
  static const char *const strains[] = {"linear", "corotated", "green"};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    for (int l = 0; l < 3 + PL_LAW_COUNT; l++) {
      const pl_law_ops *law = l < 3 ? NULL : pl_law_at(l - 3);
      if (law && (law->volume == PL_VOLUME_OWN || law->memory.count)) continue;
      test_body body = shared_body(&ways[w], cells, 0.15, strains[l % 3], law, w == 4 ? 10 : 0);
      int before = test_failures;
      test_slopes(&body, 2e-6);
      check_sums(&body);
      if (test_failures > before)
        printf("    with volume=%s on %d, %s\n", ways[w].volume, ways[w].way,
               law ? law->info.name : strains[l % 3]);
      test_body_release(&body);
    }
  }
}

/* With a prediction the matrix is another, the forces are not; a new substep has none. */
TEST(only_the_matrix_sees_the_predicted_pressure)
{
  static const int cells[3] = {2, 1, 1};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    test_body body = shared_body(&ways[w], cells, 0.1, "green", NULL, 0);
    size_t size = (size_t)body.n * sizeof *body.f;
    double *first = test_vector(body.n), *second = test_vector(body.n);
    if (w != 3) CHECK(body.model->predicts);
    pl_model_begin(body.model, NULL);
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 0, body.A, NULL);
    test_fill(body.d, body.n, 1);
    pl_bsr_multiply(body.A, body.d, first, NULL);
    // from elsewhere the same place has another prediction
    test_move(&body, 0.02, body.g);
    test_evaluate(body.model, body.g, NULL, NULL, 1, 0, 0, body.A, NULL);
    memset(body.f, 0, size);
    test_evaluate(body.model, body.q, NULL, body.f, 1, 0, 0, body.A, NULL);
    pl_bsr_multiply(body.A, body.d, second, NULL);
    if (w != 3) CHECK(test_distance(second, first, body.n) > 1e-6);
    test_forces(&body, body.q, NULL, body.g);
    CHECK(test_distance(body.f, body.g, body.n) <= 1e-11);
    pl_model_begin(body.model, NULL);
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 0, body.A, NULL);
    pl_bsr_multiply(body.A, body.d, second, NULL);
    CHECK(!memcmp(first, second, size));
    free(first);
    free(second);
    test_body_release(&body);
  }
}

/* A free body has six motions without force, and no others. */
TEST(only_rigid_motions_are_free)
{
  static const int cells[3] = {1, 1, 1}, two[3] = {2, 2, 1};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    test_body body = shared_body(&ways[w], ways[w].way < 0 ? two : cells, 0.1, "linear", NULL, 0);
    double *dense = test_vector(body.n * body.n), max = 0;
    test_evaluate(body.model, body.model->rest, NULL, NULL, 1, 0, 0, body.A, NULL);
    for (int i = 0; i < body.n; i++) {
      memset(body.d, 0, (size_t)body.n * sizeof *body.d);
      body.d[i] = 1;
      pl_bsr_multiply(body.A, body.d, dense + i * body.n, NULL);
    }
    test_eigenvalues(dense, body.n);
    int free_ones = 0;
    for (int i = 0; i < body.n; i++) max = fmax(max, dense[(body.n + 1) * i]);
    for (int i = 0; i < body.n; i++) free_ones += dense[(body.n + 1) * i] < 1e-9 * max;
    CHECK(free_ones == 6);
    free(dense);
    test_body_release(&body);
  }
}

/* A linear map is an equilibrium of the inner nodes, and all elements have the same stress. */
TEST(patch_test_in_every_grouping)
{
  static const int cells[3] = {3, 2, 2};
  static const double G[9] = {1.05, 0.1, 0, -0.02, 0.97, 0.05, 0.03, 0, 1.02};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    test_body body = shared_body(&ways[w], cells, 0, "green", NULL, 0);
    int elements = body.mesh->element_count;
    double *stress = test_vector(9 * elements), size = 0;
    for (int i = 0; i < body.n; i++)
      body.q[i] = test_dot(G + 3 * (i % 3), body.model->rest + i / 3 * 3, 3);
    test_forces(&body, body.q, NULL, body.f);
    unsigned char *outer = calloc((size_t)body.mesh->node_count, 1);
    for (int i = 0; i < body.mesh->nodes_per_face * body.mesh->face_count; i++)
      outer[body.mesh->faces[i]] = 1;
    for (int i = 0; i < body.n; i++) size = fmax(size, fabs(body.f[i]));
    for (int i = 0; i < body.n; i++) CHECK(outer[i / 3] || fabs(body.f[i]) <= 1e-10 * size);
    body.model->ops->tensors(body.model, body.q, NULL, stress, NULL);
    for (int i = 9; i < 9 * elements; i++)
      CHECK_NEAR(stress[i], stress[i % 9], 1e-9 * fabs(stress[0]));
    free(stress);
    free(outer);
    test_body_release(&body);
  }
}

/* Mass: HRZ at the nodes, consistent with -1/20 and 1/5 of a straight element as its weight. */
TEST(quadratic_elements_have_positive_masses)
{
  static const int cells[3] = {1, 1, 1};
  for (int consistent = 0; consistent < 2; consistent++) {
    const pl_setting set = {.name = "mass", .word = consistent ? "consistent" : "lumped"};
    const pl_choice choice = {"fem", &set, 1};
    test_body body = test_body_make(shared_mesh(&ways[3], cells, 0), &choice, &test_material);
    double sum = 0, weight = 0;
    for (int i = 0; i < body.model->blocks; i++) {
      CHECK(body.model->lumped_mass[i] > 0);
      sum += body.model->lumped_mass[i];
      weight += body.model->weight[i];
    }
    CHECK_NEAR(sum, 1, 1e-13);
    CHECK_NEAR(weight, 1, 1e-13);
    CHECK(body.model->weight_in_statics == !consistent);
    test_body_release(&body);
  }
}

static pl_status build(const sharing *way, const char *strain, const pl_law_ops *law,
                       pl_model **model, pl_error *error)
{
  static const int cells[3] = {1, 1, 1};
  const pl_setting settings[] = {{.name = "volume", .word = way->volume},
                                 {.name = "strain", .word = strain}};
  pl_material material = test_material;
  material.law = law;
  pl_mesh *mesh = shared_mesh(way, cells, 0);
  pl_status status =
      pl_model_create(NULL, &(pl_choice){"fem", settings, 2}, mesh, &material, model, error);
  pl_model_destroy(*model);
  pl_mesh_destroy(mesh);
  return status;
}

TEST(what_cannot_share_says_so)
{
  const sharing patch = {4, -1, "patch"}, hex = {8, -1, "node"};
  const sharing own = {8, -1, "element"}, warped = {4, PL_DIVIDE_TET10, "auto"};
  pl_model *model = NULL;
  CHECK_FAILS(build(&patch, "green", NULL, &model, error), PL_E_ARGUMENT, "element=\"octets\"");
  CHECK_FAILS(build(&hex, "green", NULL, &model, error), PL_E_ARGUMENT, "linear tetrahedra");
  CHECK_FAILS(build(&own, "green", pl_law_at(PL_LAW_hooke_volume), &model, error), PL_E_ARGUMENT,
              "no term of volume");
  CHECK_FAILS(build(&warped, "warped", NULL, &model, error), PL_E_ARGUMENT, "linear elements");
}

/* Elements that will lock are known, with the cure. */
TEST(plain_elements_near_a_half_are_told)
{
  static const int cells[3] = {1, 1, 1};
  static const struct {
    int size;
    const char *volume;
    int locks;
  } cases[] = {{4, "auto", 1}, {4, "node", 0}, {8, "auto", 0}, {4, "point", 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const sharing way = {cases[c].size, -1, cases[c].volume};
    test_body body = shared_body(&way, cells, 0, "corotated", NULL, 0);
    CHECK((body.model->locking.from > 0.49) == cases[c].locks);
    CHECK((body.model->locking.cure != NULL) == cases[c].locks);
    test_body_release(&body);
  }
}

TESTS(X(force_and_stiffness_are_slopes_in_every_grouping)
          X(only_the_matrix_sees_the_predicted_pressure) X(only_rigid_motions_are_free)
              X(patch_test_in_every_grouping) X(quadratic_elements_have_positive_masses)
                  X(what_cannot_share_says_so) X(plain_elements_near_a_half_are_told))
