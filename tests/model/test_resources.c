/* What every model takes of the machine: the same bits for any number of threads and in every
 * variant, memory that is checked, and none of it once a model is bound. */
#include "bodies.h"

static const int few[3] = {2, 2, 2};

typedef struct result {
  double *f, *values, *stress, *det, energy;
  size_t blocks;
} result;

static result evaluate_all(test_body *body, pl_pool *pool)
{
  const pl_model_ops *ops = body->model->ops;
  int elements = body->mesh->element_count;
  result out = {.f = test_vector(body->n),
                .stress = test_vector(elements),
                .det = test_vector(elements),
                .blocks = (size_t)body->A->start[body->A->rows]};
  pl_bsr_zero(body->A, pool);
  pl_model_begin(body->model, NULL);
  test_evaluate(body->model, body->q, body->v, out.f, 1, 0.1, 1, body->A, pool);
  test_evaluate(body->model, body->q, body->v, out.f, 1, 0.1, 0, body->A, pool);
  ops->mass_matrix(body->model, 3, body->A, pool);
  ops->mass_add(body->model, 3, body->v, out.f, pool);
  out.energy = ops->energy ? ops->energy(body->model, body->q, pool) : 0;
  ops->fields(body->model, body->q, out.stress, out.det, pool);
  out.values = malloc(out.blocks * 9 * sizeof(double));
  memcpy(out.values, body->A->values, out.blocks * 9 * sizeof(double));
  return out;
}

static void release(result *r)
{
  free(r->f);
  free(r->values);
  free(r->stress);
  free(r->det);
}

static int same_bits(const test_body *body, const result *a, const result *b)
{
  size_t elements = (size_t)body->mesh->element_count * sizeof(double);
  return !memcmp(a->f, b->f, (size_t)body->n * sizeof(double)) &&
         !memcmp(a->values, b->values, a->blocks * 9 * sizeof(double)) &&
         !memcmp(a->stress, b->stress, elements) && !memcmp(a->det, b->det, elements) &&
         !memcmp(&a->energy, &b->energy, sizeof(double));
}

static void check_threads(test_body *body)
{
  static const int threads[] = {3, 1, 2, 8};
  pl_allocator memory = pl_allocator_default();
  result one = evaluate_all(body, NULL);
  CHECK(test_length(one.f, body->n) > 0);
  for (int t = 0; t < (TEST_SANITIZED ? 1 : 4); t++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&memory, threads[t], &pool, error));
    result many = evaluate_all(body, pool);
    CHECK(same_bits(body, &one, &many));
    release(&many);
    pl_pool_destroy(pool);
  }
  release(&one);
}

TEST(same_bits_for_any_number_of_threads)
{
  static const int whole[3] = {5, 6, 6}, smaller[3] = {5, 4, 4};
  test_every_body(TEST_SANITIZED ? smaller : whole, 0.2, 1, check_threads);
}

/* ---- memory ---- */

typedef struct counter {
  int left, alive, calls; /* left: allocations that still succeed */
} counter;

static void *count_alloc(void *context, size_t size, size_t align)
{
  counter *count = context;
  count->calls++;
  if (count->left-- <= 0) return NULL;
  count->alive++;
  pl_allocator memory = pl_allocator_default();
  return memory.alloc(memory.context, size, align);
}

static void count_free(void *context, void *block)
{
  counter *count = context;
  count->alive--;
  pl_allocator memory = pl_allocator_default();
  memory.free(memory.context, block);
}

/* Lets the k-th allocation of create and bind fail, for every k. */
static void check_failures(const pl_choice *choice, const pl_mesh *mesh)
{
  pl_allocator plain = pl_allocator_default();
  pl_status status = PL_E_MEMORY;
  for (int k = 0; status == PL_E_MEMORY && k < 1000; k++) {
    counter count = {.left = k};
    pl_allocator memory = {count_alloc, count_free, &count};
    pl_model *model = NULL;
    pl_error error = {0};
    status = pl_model_create(&memory, choice, mesh, &test_material, &model, &error);
    CHECK(status == PL_OK || (status == PL_E_MEMORY && !model));
    if (!status) {
      pl_bsr *A = test_matrix(model, &plain, 0);
      status = pl_model_bind(model, A, 0, &error);
      CHECK(status == PL_OK || status == PL_E_MEMORY);
      pl_bsr_destroy(A);
    }
    CHECK(status == PL_OK || strstr(error.message, "memory"));
    pl_model_destroy(model);
    CHECK(count.alive == 0);
  }
  CHECK(status == PL_OK);
}

TEST(failing_allocations_are_reported)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    test_words words;
    for (int c = 0; test_combine(pl_model_family.members[m], c, &words); c++) {
      if (!test_matters(&words)) continue;
      pl_choice choice = {pl_model_family.members[m]->name, words.settings, words.count};
      int size = c % 2 ? 4 : 8;
      if (!test_can_share(&words, NULL, size)) size = 12 - size;
      if (!test_can_share(&words, NULL, size)) continue;
      pl_mesh *mesh = test_mesh(NULL, size, few, 0.1, 1), *triangles = NULL;
      const pl_model_ops *ops = (const void *)pl_model_family.members[m];
      if (ops->meshes == PL_ON_TRIANGLES) CHECK_OK(pl_mesh_boundary(mesh, NULL, &triangles, error));
      if (ops->meshes == PL_ON_SEGMENTS) triangles = test_net(NULL, few, 0.1, 1);
      check_failures(&choice, triangles ? triangles : mesh);
      pl_mesh_destroy(triangles);
      pl_mesh_destroy(mesh);
    }
  }
}

/* A small mesh that the model can do with. */
static pl_mesh *mesh_for(const pl_member *member)
{
  const pl_model_ops *ops = (const void *)member;
  if (ops->meshes == PL_ON_SEGMENTS) return test_net(NULL, few, 0.1, 1);
  pl_mesh *mesh = test_mesh(NULL, 4, few, 0.1, 1), *triangles = NULL;
  if (ops->meshes != PL_ON_TRIANGLES) return mesh;
  CHECK_OK(pl_mesh_boundary(mesh, NULL, &triangles, error));
  pl_mesh_destroy(mesh);
  return triangles;
}

TEST(a_bound_model_allocates_nothing)
{
  counter count = {.left = 1000000};
  pl_allocator memory = {count_alloc, count_free, &count};
  for (int m = 0; pl_model_family.members[m]; m++) {
    pl_choice choice = {.name = pl_model_family.members[m]->name};
    test_body body = test_body_make(mesh_for(pl_model_family.members[m]), &choice, &test_material);
    pl_model *model = NULL;
    CHECK_OK(pl_model_create(&memory, &choice, body.mesh, &test_material, &model, error));
    CHECK_OK(pl_model_bind(model, body.A, 0, error));
    pl_model *other = body.model;
    body.model = model;
    int calls = count.calls;
    for (int round = 0; round < 3; round++) {
      result r = evaluate_all(&body, NULL);
      release(&r);
    }
    CHECK(count.calls == calls);
    body.model = other;
    pl_model_destroy(model);
    test_body_release(&body);
  }
  CHECK(count.alive == 0);
}

TESTS(X(same_bits_for_any_number_of_threads) X(failing_allocations_are_reported)
          X(a_bound_model_allocates_nothing))
