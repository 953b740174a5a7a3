/* What is special to finite elements: both instruction sets, binding, fields, colours, bad shapes.
 */
#include "bodies.h"

static const int few[3] = {2, 2, 2};

#define BASE(name) &pl_strain_##name##_base,
static const pl_strain_ops *const base_strains[] = {PL_STRAINS(BASE)};

/* Forces and matrix of a body. */
static double *evaluate_all(test_body *body, int semidefinite, size_t *count)
{
  size_t blocks = 9 * (size_t)body->A->start[body->A->rows];
  *count = (size_t)body->n + blocks;
  double *out = calloc(*count, sizeof *out);
  test_evaluate(body->model, body->q, body->v, out, 1, 0.1, semidefinite, body->A, NULL);
  memcpy(out + body->n, body->A->values, blocks * sizeof *out);
  return out;
}

/* The table of the baseline's functions that matches the one in use. */
static void use_baseline(pl_fem *fem)
{
  for (int k = 0; k < (int)(sizeof base_strains / sizeof *base_strains); k++) {
    if (fem->groups.list->points == &pl_strain_at(k)->points) {
      fem->groups.list->points = &base_strains[k]->points;
      break;
    }
  }
  fem->warp.kernel = &pl_warp_kernel_base;
  fem->kernel = pl_fem_kernels_base + fem->kind;
  if (fem->hourglass.kernel) fem->hourglass.kernel = &pl_hourglass_kernel_base;
}

static void check_variants(test_body *body)
{
  if (strcmp(body->model->ops->info.name, "fem")) return;
  pl_fem *fem = body->model->state;
  const pl_point_ops *law = fem->groups.list->points;
  const pl_fem_kernel *kernel = fem->kernel;
  const pl_warp_kernel *warp = fem->warp.kernel;
  const pl_hourglass_kernel *control = fem->hourglass.kernel;
  int elements = fem->elements;
  double *stress[2], *det[2], energy[2];
  for (int trial = 0; trial < 4; trial++) {
    size_t count;
    fem->groups.list->viscous = trial / 2;
    pl_model_begin(body->model, NULL);
    double *wide = evaluate_all(body, trial % 2, &count);
    use_baseline(fem);
    pl_model_begin(body->model, NULL);
    double *base = evaluate_all(body, trial % 2, &count);
    CHECK(!memcmp(wide, base, count * sizeof *wide));
    free(wide);
    free(base);
    fem->groups.list->points = law;
    fem->kernel = kernel;
    fem->warp.kernel = warp;
    fem->hourglass.kernel = control;
  }
  for (int side = 0; side < 2; side++) {
    stress[side] = test_vector(elements);
    det[side] = test_vector(elements);
    if (side) use_baseline(fem);
    const pl_model_ops *ops = body->model->ops;
    energy[side] = ops->energy ? ops->energy(body->model, body->q, NULL) : 0;
    body->model->ops->fields(body->model, body->q, stress[side], det[side], NULL);
  }
  CHECK(energy[0] == energy[1]);
  CHECK(!memcmp(stress[0], stress[1], (size_t)elements * sizeof(double)));
  CHECK(!memcmp(det[0], det[1], (size_t)elements * sizeof(double)));
  for (int side = 0; side < 2; side++) {
    free(stress[side]);
    free(det[side]);
  }
}

TEST(both_instruction_sets_give_the_same_bits) { test_every_body(few, 0.15, 1, check_variants); }

static pl_tangent_shape always_whole(const pl_point *point, int semidefinite)
{
  (void)point;
  (void)semidefinite;
  return PL_TANGENT_WHOLE;
}

/* Forces have the same bits and stiffness is the same to rounding whether it comes from the law's
 * form or from its whole tangent; viscous and not, since the form depends on it. */
static void check_form(test_body *body)
{
  if (body->model->ops != &pl_model_fem) return;
  pl_fem *fem = body->model->state;
  const pl_point_ops *law = fem->groups.list->points;
  pl_point_ops whole = *law;
  whole.shape = always_whole;
  for (int trial = 0; trial < 4; trial++) {
    size_t count;
    fem->groups.list->viscous = trial / 2;
    pl_model_begin(body->model, NULL);
    double *by_form = evaluate_all(body, trial % 2, &count);
    fem->groups.list->points = &whole;
    pl_model_begin(body->model, NULL);
    double *by_tangent = evaluate_all(body, trial % 2, &count);
    fem->groups.list->points = law;
    int n = body->n;
    CHECK(!memcmp(by_form, by_tangent, (size_t)n * sizeof *by_form));
    CHECK_NEAR(test_distance(by_form + n, by_tangent + n, (int)count - n), 0, 1e-14);
    free(by_form);
    free(by_tangent);
  }
}

TEST(forms_give_the_stiffness_of_the_whole_tangent) { test_every_body(few, 0.15, 1, check_form); }

/* ---- the matrix ---- */

static test_body plain_body(int size, const int cells[3], const char *strain)
{
  pl_setting setting = {.name = "strain", .word = strain};
  pl_choice choice = {"fem", &setting, 1};
  return test_body_make(test_mesh(NULL, size, cells, 0.1, 1), &choice, &test_material);
}

/* In a matrix with other rows before and behind and couplings to them, the model fills its own rows
 * with the same numbers, clears the couplings in them, and leaves other rows alone. */
static void check_offset(int size)
{
  enum { BEFORE = 5, BEHIND = 3 };
  pl_allocator memory = pl_allocator_default();
  test_body body = plain_body(size, few, "corotated");
  pl_model *model = body.model;
  int couplings[] = {0, BEFORE, 1, BEFORE + 7, BEFORE + model->blocks, BEFORE + 3};
  pl_cliques cliques[2] = {model->ops->cliques(model), {.count = 3, .size = 2, .nodes = couplings}};
  cliques[0].offset = BEFORE;
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(&memory, BEFORE + model->blocks + BEHIND, cliques, 2, &A, error));
  for (int k = 0; k < 9 * A->start[A->rows]; k++) A->values[k] = 7;
  test_evaluate(model, body.q, body.v, NULL, 1, 0.1, 1, body.A, NULL);
  CHECK_OK(pl_model_bind(model, A, BEFORE, error));
  test_evaluate(model, body.q, body.v, NULL, 1, 0.1, 1, A, NULL);
  for (int row = 0; row < A->rows; row++) {
    int own = row >= BEFORE && row < BEFORE + model->blocks;
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      int column = A->columns[k];
      int inside = own && column >= BEFORE && column < BEFORE + model->blocks;
      int place = inside ? pl_bsr_find(body.A, row - BEFORE, column - BEFORE) : -1;
      for (int e = 0; e < 9; e++) {
        double expected = !own ? 7 : place < 0 ? 0 : body.A->values[9 * place + e];
        CHECK(A->values[9 * k + e] == expected);
      }
    }
  }
  pl_bsr_destroy(A);
  test_body_release(&body);
}

TEST(fills_its_own_rows_of_a_larger_matrix)
{
  check_offset(4);
  check_offset(8);
}

TEST(refuses_a_matrix_that_does_not_fit)
{
  pl_allocator memory = pl_allocator_default();
  const char *const words[] = {"lumped", "consistent"};
  for (int mass = 0; mass < 2; mass++) {
    pl_setting setting = {.name = "mass", .word = words[mass]};
    pl_choice choice = {"fem", &setting, 1};
    pl_mesh *mesh = test_mesh(NULL, 4, few, 0.1, 1);
    test_body body = test_body_make(mesh, &choice, &test_material);
    pl_bsr *A = NULL;
    CHECK_OK(pl_bsr_create(&memory, body.model->blocks, NULL, 0, &A, error));
    CHECK_FAILS(pl_model_bind(body.model, A, 0, error), PL_E_ARGUMENT, "no block for nodes");
    CHECK_FAILS(pl_model_bind(body.model, A, 1, error), PL_E_ARGUMENT, "not in a matrix");
    CHECK_FAILS(pl_model_bind(body.model, A, -1, error), PL_E_ARGUMENT, "not in a matrix");
    // it still works with a matrix that fits
    CHECK_OK(pl_model_bind(body.model, body.A, 0, error));
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 1, body.A, NULL);
    pl_bsr_destroy(A);
    test_body_release(&body);
  }
}

/* ---- fields ---- */

/* A bar stretched by 1.2 along x under the corotated law: P = diag(2 mu e + lambda e, lambda e,
 * lambda e) with e = 0.2, so the Cauchy stresses are (2 mu + lambda) e and lambda e / 1.2. */
TEST(fields_of_a_stretched_bar)
{
  for (int size = 4; size <= 8; size += 4) {
    test_body body = plain_body(size, few, "corotated");
    const double mu = test_material.mu, lambda = test_material.lambda, e = 0.2;
    int elements = body.mesh->element_count;
    double *stress = test_vector(elements), *det = test_vector(elements);
    double expected = (2 * mu + lambda) * e - lambda * e / 1.2;
    for (int i = 0; i < body.n; i++)
      body.q[i] = body.mesh->nodes[i] * (i % 3 == 0 ? 1.2 : 1) + i % 3;
    body.model->ops->fields(body.model, body.q, stress, det, NULL);
    for (int k = 0; k < elements; k++) {
      CHECK_NEAR(stress[k], expected, 1e-10 * expected);
      CHECK_NEAR(det[k], 1.2, 1e-12);
    }

    // turned inside out along x; either field alone
    for (int i = 0; i < body.n; i += 3) body.q[i] = -0.5 * body.mesh->nodes[i];
    body.model->ops->fields(body.model, body.q, NULL, det, NULL);
    for (int k = 0; k < elements; k++) CHECK_NEAR(det[k], -0.5, 1e-12);
    for (int i = 0; i < body.n; i++) body.q[i] = 0;
    body.model->ops->fields(body.model, body.q, stress, NULL, NULL);
    for (int k = 0; k < elements; k++) CHECK(isfinite(stress[k]));
    free(stress);
    free(det);
    test_body_release(&body);
  }
}

/* ---- shapes ---- */

/* The mesh room refuses such elements; a mesh that comes from elsewhere is caught all the same. */
TEST(bad_rest_shapes_are_refused)
{
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  double turned[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1};
  double broken[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
  double *const shapes[] = {flat, turned, broken};
  int corners[4] = {0, 1, 2, 3};
  pl_choice choice = {.name = "fem"};
  for (int k = 0; k < 3; k++) {
    pl_mesh mesh = {.node_count = 4,
                    .element_count = 1,
                    .nodes_per_element = 4,
                    .nodes = shapes[k],
                    .elements = corners};
    pl_model *model = NULL;
    CHECK_FAILS(pl_model_create(NULL, &choice, &mesh, &test_material, &model, error), PL_E_MESH,
                "element 0");
    CHECK(!model);
  }
}

TEST(unknown_words_are_refused)
{
  pl_mesh *mesh = test_mesh(NULL, 4, few, 0, 0);
  pl_model *model = NULL;
  pl_setting strain = {.name = "strain", .word = "gren"}, other = {.name = "strainn", .word = "x"};
  pl_choice choices[] = {{.name = "fen"}, {"fem", &strain, 1}, {"fem", &other, 1}};
  const char *const hints[] = {"fem", "green", "strain"};
  for (int k = 0; k < 3; k++)
    CHECK_FAILS(pl_model_create(NULL, &choices[k], mesh, &test_material, &model, error),
                PL_E_ARGUMENT, hints[k]);
  pl_mesh_destroy(mesh);
}

/* ---- colours ---- */

/* What chunks do to nodes, such that their order shows. */
typedef struct marks {
  const pl_chunks *of;
  uint32_t *of_node;
} marks;

static void mark_chunk(void *context, int chunk)
{
  const marks *to = context;
  const pl_chunks *of = to->of;
  for (int e = of->starts[chunk]; e < of->starts[chunk + 1] && e < of->count; e++) {
    for (int a = 0; a < of->size; a++) {
      uint32_t *mark = &to->of_node[of->elements[e * of->size + a]];
      *mark = 31 * *mark + (uint32_t)chunk + 1;
    }
  }
}

static void check_runs(const pl_colours *colours, const pl_chunks *of, int nodes)
{
  pl_allocator memory = pl_allocator_default();
  uint32_t *first = calloc((size_t)nodes, sizeof *first), *now = malloc((size_t)nodes * 4);
  for (int i = 0; i < colours->chunks; i++) mark_chunk(&(marks){of, first}, colours->list[i]);
  for (int threads = 1; threads <= 5; threads++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&memory, threads, &pool, error));
    for (int round = 0; round < 20; round++) {
      memset(now, 0, (size_t)nodes * sizeof *now);
      pl_colours_run(colours, pool, mark_chunk, &(marks){of, now});
      CHECK(memcmp(first, now, (size_t)nodes * sizeof *now) == 0);
    }
    pl_pool_destroy(pool);
  }
  free(first);
  free(now);
}

static void check_colours(const int *elements, int count, int size, int nodes, int chunk_size)
{
  pl_allocator memory = pl_allocator_default();
  pl_colours colours;
  int chunks = pl_chunk_count(count, chunk_size);
  int *starts = malloc(((size_t)chunks + 1) * sizeof *starts);
  for (int c = 0; c <= chunks; c++) starts[c] = c * chunk_size;
  const pl_chunks of = {elements, size, count, chunks, starts, NULL};
  CHECK_OK(pl_colours_create(&memory, nodes, &of, &colours, error));
  check_runs(&colours, &of, nodes);
  free(starts);
  int *owner = malloc((size_t)nodes * sizeof *owner), *seen = calloc((size_t)count, sizeof *seen);
  for (int c = 0; c < colours.count; c++) {
    for (int i = 0; i < nodes; i++) owner[i] = -1;
    for (int k = colours.start[c]; k < colours.start[c + 1]; k++) {
      int chunk = colours.list[k], last = (chunk + 1) * chunk_size;
      seen[chunk]++;
      for (int i = chunk * chunk_size * size; i < (last < count ? last : count) * size; i++) {
        CHECK(owner[elements[i]] < 0 || owner[elements[i]] == chunk);
        owner[elements[i]] = chunk;
      }
    }
  }
  CHECK(colours.start[0] == 0 && colours.start[colours.count] == colours.chunks);
  for (int chunk = 0; chunk < colours.chunks; chunk++) CHECK(seen[chunk] == 1);
  free(owner);
  free(seen);
  pl_colours_destroy(&memory, &colours);
}

TEST(chunks_of_one_colour_share_no_node)
{
  for (int size = 4; size <= 8; size += 4) {
    pl_mesh *mesh = test_mesh(NULL, size, (const int[3]){9, 8, 7}, 0, 0);
    for (int chunk_size = 1; chunk_size < 3000; chunk_size = 3 * chunk_size + 1)
      check_colours(mesh->elements, mesh->element_count, size, mesh->node_count, chunk_size);
    pl_mesh_destroy(mesh);
  }
  // more chunks around one node than there are shared colours, then chunks that are free again
  enum { SPOKES = 200 };
  int elements[4 * SPOKES];
  for (int e = 0; e < SPOKES; e++) {
    for (int k = 0; k < 4; k++) elements[4 * e + k] = e < 150 && k == 0 ? 0 : 4 * e + k;
  }
  check_colours(elements, SPOKES, 4, 4 * SPOKES, 1);
}

TESTS(X(both_instruction_sets_give_the_same_bits) X(forms_give_the_stiffness_of_the_whole_tangent)
          X(fills_its_own_rows_of_a_larger_matrix) X(refuses_a_matrix_that_does_not_fit)
              X(fields_of_a_stretched_bar) X(bad_rest_shapes_are_refused)
                  X(unknown_words_are_refused) X(chunks_of_one_colour_share_no_node))
