/* Matrices whose blocks stand beyond what 9 * k in an int could reach: a small matrix whose places
 * begin at 300 million, in memory that is reserved and never touched below them. */
#define _DEFAULT_SOURCE /* memory that is reserved only */
#include "bodies.h"
#include "sparse/rounding.h"

#include <sys/mman.h>

enum { FAR = 300000000 }; /* 9 * FAR > INT_MAX */

static void *reserve(size_t bytes)
{
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* All that is as long as the blocks. */
typedef struct far_memory {
  size_t columns, values;
} far_memory;

static int move_far(const pl_bsr *A, pl_bsr *out, far_memory *size)
{
  size_t blocks = (size_t)A->start[A->rows];
  *size = (far_memory){(FAR + blocks) * sizeof(int), (9 * (FAR + blocks) + 4) * sizeof(double)};
  *out = *A;
  out->columns = reserve(size->columns);
  out->values = reserve(size->values);
  out->start = malloc(((size_t)A->rows + 1) * sizeof(int));
  out->diagonal = malloc((size_t)A->rows * sizeof(int));
  for (int i = 0; i <= A->rows; i++) out->start[i] = A->start[i] + FAR;
  for (int i = 0; i < A->rows; i++) out->diagonal[i] = A->diagonal[i] + FAR;
  if (out->columns) memcpy(out->columns + FAR, A->columns, blocks * sizeof(int));
  return out->columns && out->values;
}

static void release_far(pl_bsr *A, const far_memory *size)
{
  if (A->columns) munmap(A->columns, size->columns);
  if (A->values) munmap(A->values, size->values);
  free(A->start);
  free(A->diagonal);
}

static void check_products(const test_body *body, const pl_bsr *far)
{
  double *near = test_vector(body->n), *other = test_vector(body->n);
  size_t size = (size_t)body->n * sizeof *near;
  pl_bsr_multiply(body->A, body->q, near, NULL);
  pl_bsr_multiply(far, body->q, other, NULL);
  CHECK(!memcmp(near, other, size));
  pl_absolute_product(body->A, NULL, body->q, near);
  pl_absolute_product(far, NULL, body->q, other);
  CHECK(!memcmp(near, other, size));
  free(near);
  free(other);
}

static void check_far(test_body *body)
{
  pl_bsr far;
  far_memory size;
  size_t values = 9 * (size_t)body->A->start[body->A->rows] * sizeof(double);
  pl_model_begin(body->model, NULL);
  test_evaluate(body->model, body->q, body->v, NULL, 1, 0.1, 1, body->A, NULL);
  body->model->ops->mass_matrix(body->model, 2, body->A, NULL);
  CHECK(move_far(body->A, &far, &size));
  if (far.columns && far.values) {
    CHECK_OK(pl_model_bind(body->model, &far, 0, error));
    pl_model_begin(body->model, NULL);
    test_evaluate(body->model, body->q, body->v, NULL, 1, 0.1, 1, &far, NULL);
    body->model->ops->mass_matrix(body->model, 2, &far, NULL);
    CHECK(!memcmp(body->A->values, far.values + 9 * (size_t)FAR, values));
    check_products(body, &far);
    CHECK_OK(pl_model_bind(body->model, body->A, 0, error));
  }
  release_far(&far, &size);
}

TEST(models_and_products_reach_blocks_behind_the_300_millionth)
{
  static const int few[3] = {2, 2, 2};
  test_every_body(few, 0.15, 1, check_far);
}

TESTS(X(models_and_products_reach_blocks_behind_the_300_millionth))
