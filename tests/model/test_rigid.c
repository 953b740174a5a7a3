/* What is special to rigid frames: how nodes move with them, springs that equal the body at rest,
 * both instruction sets, the sign of quaternions. */
#include "math/rotation.h"
#include "model/frames/rigid.h"

#include "bodies.h"

static const int few[3] = {3, 2, 2};

static void check_rigid(test_body *body, void (*check)(test_body *body))
{
  if (body->model->ops == &pl_model_rigid_frames) check(body);
}

#define RIGID_TEST(name, check)                                                                    \
  static void only_##name(test_body *body) { check_rigid(body, check); }                           \
  TEST(name) { test_every_body(few, 0.15, 1, only_##name); }

/* ---- the map ---- */

/* Velocities of nodes are the slope of their positions (central differences of 1e-6 leave about
 * 1e-9); jacobian, spread and nodes say the same. */
static void check_map(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  const pl_model *model = body->model;
  int nodes = body->mesh->node_count, n = 3 * nodes;
  double *low = test_vector(n), *high = test_vector(n), *speed = test_vector(n), h = 1e-6;
  double *force = test_vector(n), *x = test_vector(n);
  test_fill(body->d, body->n, 1);
  test_move(body, -h, body->g);
  ops->nodes(model, body->g, NULL, low);
  test_move(body, h, body->g);
  ops->nodes(model, body->g, NULL, high);
  ops->nodes(model, body->q, body->d, speed);
  ops->nodes(model, body->q, NULL, x);
  for (int i = 0; i < n; i++) high[i] = (high[i] - low[i]) / (2 * h);
  CHECK(test_distance(high, speed, n) <= 1e-8);
  test_fill(force, n, 1);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  ops->spread(model, body->q, force, body->f);
  CHECK_NEAR(test_dot(body->f, body->d, body->n), test_dot(force, speed, n), 1e-12 * n);
  for (int node = 0; node < nodes; node++) {
    const int *blocks;
    const double *weights;
    double J[18 * PL_MOST_FRAMES], at[3], moved[3] = {0};
    int count = ops->carriers(model, node, &blocks, &weights);
    ops->jacobian(model, body->q, node, at, J);
    for (int k = 0; k < 3 * count; k++)
      moved[k % 3] += test_dot(J + 9 * (k / 3) + 3 * (k % 3), body->d + 3 * blocks[k / 3], 3);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(at[i], x[3 * node + i], 1e-14);
      CHECK_NEAR(moved[i], speed[3 * node + i], 1e-12);
    }
  }
  free(low);
  free(high);
  free(speed);
  free(force);
  free(x);
}
RIGID_TEST(nodes_move_with_their_frames, check_map)

/* A rigid motion of all frames is one of all nodes, and at rest nodes are where they are. */
static void check_motion(test_body *body)
{
  static const double by[3] = {0.4, -1.1, 2.0};
  int nodes = body->mesh->node_count;
  double *x = test_vector(3 * nodes), quat[4], R[9];
  pl_quat_of_vector(by, quat);
  pl_quat_matrix(quat, R);
  for (int a = 0; a < body->model->blocks; a++) {
    const double *X = body->model->rest + 3 * a;
    for (int i = 0; i < 3; i++) body->q[3 * a + i] = a % 2 ? test_dot(R + 3 * i, X, 3) + 5 : by[i];
  }
  body->model->ops->nodes(body->model, body->q, NULL, x);
  for (int i = 0; i < 3 * nodes; i++)
    CHECK_NEAR(x[i], test_dot(R + 3 * (i % 3), body->mesh->nodes + 3 * (i / 3), 3) + 5, 1e-13);
  free(x);
}
RIGID_TEST(rigid_motions_are_exact, check_motion)

/* ---- rotations ---- */

/* Many small turns about a changing axis lead through more than two whole turns without a jump of
 * the quaternion's sign; the vector never is longer than 2 pi. */
TEST(turning_keeps_the_sign)
{
  double r[3] = {0}, quat[4] = {0, 0, 0, 1};
  for (int step = 0; step < 2000; step++) {
    double by[3] = {0.01, 0.004 * cos(0.003 * step), -0.002}, before[4], turn[4], now[4];
    memcpy(before, quat, sizeof before);
    pl_quat_of_vector(by, turn);
    pl_quat_multiply(turn, before, quat);
    pl_rotation_turn(r, by, r);
    pl_quat_of_vector(r, now);
    CHECK(test_length(r, 3) <= 6.2832);
    for (int k = 0; k < 4; k++) CHECK_NEAR(now[k], quat[k], 1e-11);
  }
}

/* r + dr is r followed by J dr; differences of 1e-6 leave about 1e-9. */
TEST(jacobian_of_a_turn)
{
  for (int trial = 0; trial < 20; trial++) {
    double r[3], d[3], J[9], low[3], high[3], turn[3], size = trial < 5 ? 1e-5 : 2;
    test_fill(r, 3, size);
    test_fill(d, 3, 1);
    pl_rotation_jacobian(r, J);
    for (int k = 0; k < 3; k++) low[k] = r[k] - 1e-6 * d[k], high[k] = r[k] + 1e-6 * d[k];
    pl_rotation_between(low, high, turn);
    for (int k = 0; k < 3; k++) CHECK_NEAR(turn[k] / 2e-6, test_dot(J + 3 * k, d, 3), 1e-8);
  }
}

/* ---- springs ---- */

static double *matrix_at_rest(const char *forces, int frames, const double *at,
                              const char *blending)
{
  pl_setting settings[] = {{.name = "forces", .word = forces},
                           {.name = "strain", .word = "green"},
                           {.name = "weights", .word = at ? "euclidean" : "linear"},
                           {.name = "blending", .word = blending}};
  pl_choice choice = {"rigid-frames", settings, 4};
  pl_selection part = {&pl_model_rigid_frames.info, {0}};
  pl_mesh *mesh = test_mesh(NULL, 8, (const int[3]){8, 2, 2}, 0, 0);
  pl_allocator memory = pl_allocator_default();
  pl_model *model = NULL;
  const double line[] = {0, 0.1, 0.1, 0.4, 0.1, 0.1, 0.8, 0.1, 0.1};
  pl_model_def sites = {.count = frames, .at = at ? at : line};
  CHECK_OK(pl_choice_resolve(&pl_model_family, &choice, &part.member, part.values, error));
  CHECK_OK(pl_model_build(&memory, &part, mesh, &test_material, &sites, &model, error));
  pl_bsr *A = test_matrix(model, &memory, 0);
  CHECK_OK(pl_model_bind(model, A, 0, error));
  test_evaluate(model, model->rest, NULL, NULL, 1, 0, 0, A, NULL);
  int n = 3 * model->blocks;
  double *dense = test_vector(n * n), *x = test_vector(n);
  for (int k = 0; k < n; k++) {
    memset(x, 0, (size_t)n * sizeof *x);
    x[k] = 1;
    pl_bsr_multiply(A, x, dense + n * k, NULL);
  }
  free(x);
  pl_bsr_destroy(A);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return dense;
}

/* Springs are as stiff as the integrals at rest (Gilles et al. 2011, eqs. 18-23): exactly where the
 * joints' stiffness is symmetric, as for frames in a line; nearly (the antisymmetric part is left
 * out) for scattered ones. */
TEST(springs_are_the_body_at_rest)
{
  static const double scattered[] = {0.1,  0.15, 0.05, 0.3, 0.02, 0.18,
                                     0.55, 0.1,  0.02, 0.7, 0.18, 0.15};
  static const char *const blendings[] = {"dual-quaternion", "linear"};
  for (int k = 0; k < 4; k++) {
    int frames = k < 2 ? 3 : 4, n = 36 * frames * frames;
    const double *at = k < 2 ? NULL : scattered;
    double *full = matrix_at_rest("integrated", frames, at, blendings[k % 2]);
    double *springs = matrix_at_rest("springs", frames, at, blendings[k % 2]);
    CHECK(test_distance(springs, full, n) <= (k < 2 ? 1e-12 : 0.1));
    CHECK(k < 2 || test_distance(springs, full, n) > 1e-9);
    free(full);
    free(springs);
  }
}

/* ---- instruction sets ---- */

#define BASE(name) &pl_strain_##name##_base,
static const pl_strain_ops *const base_strains[] = {PL_STRAINS(BASE)};

static void check_variants(test_body *body)
{
  pl_rigid *rigid = body->model->state;
  size_t values = 9 * (size_t)body->A->start[body->A->rows];
  double *matrix = test_vector((int)values), energy[2];
  for (int side = 0; side < 2; side++) {
    double *f = side ? body->g : body->f;
    memset(f, 0, (size_t)body->n * sizeof *f);
    test_evaluate(body->model, body->q, body->v, f, 1, 0.1, 0, body->A, NULL);
    energy[side] = body->model->ops->energy(body->model, body->q, NULL);
    if (side) break;
    memcpy(matrix, body->A->values, values * sizeof *matrix);
    for (int k = 0; k < (int)(sizeof base_strains / sizeof *base_strains); k++) {
      if (rigid->field.groups.list->points != &pl_strain_at(k)->points) continue;
      rigid->field.groups.list->points = &base_strains[k]->points;
      break;
    }
    rigid->kernel = pl_rigid_kernels_base;
  }
  CHECK(energy[0] == energy[1]);
  CHECK(!memcmp(body->f, body->g, (size_t)body->n * sizeof(double)));
  CHECK(!memcmp(matrix, body->A->values, values * sizeof(double)));
  free(matrix);
}
RIGID_TEST(both_instruction_sets_give_the_same_bits, check_variants)

/* Dual quaternions do not see a common factor s(X) of all weights (1.9 of the checked paper), so
 * weights need not sum to 1: forces and stiffness keep all but the last digits. */
static void check_factor(test_body *body)
{
  pl_rigid *rigid = body->model->state;
  size_t values = 9 * (size_t)body->A->start[body->A->rows];
  double *matrix = test_vector((int)values), max = 0, off = 0;
  if (rigid->blend != PL_BLEND_DUAL || rigid->springs) {
    free(matrix);
    return;
  }
  for (int side = 0; side < 2; side++) {
    double *f = side ? body->g : body->f;
    memset(f, 0, (size_t)body->n * sizeof *f);
    test_evaluate(body->model, body->q, body->v, f, 1, 0.1, 0, body->A, NULL);
    if (side) break;
    memcpy(matrix, body->A->values, values * sizeof *matrix);
    for (int c = 0; c < rigid->field.chunk_count; c++) {
      const pl_rigid_chunk *chunk = &rigid->chunks[c];
      pl_lanes *rest = rigid->rest + chunk->rest;
      for (int b = chunk->first; b < chunk->last; b++, rest += 4 + 4 * chunk->frames) {
        // s = 2 + X + Y / 2
        pl_lanes factor = 2 + rest[1] + 0.5 * rest[2];
        for (int i = 0; i < chunk->frames; i++) {
          pl_lanes *w = rest + 4 + 4 * i;
          for (int k = 1; k < 4; k++) w[k] *= factor;
          w[1] += w[0];
          w[2] += 0.5 * w[0];
          w[0] *= factor;
        }
      }
    }
  }
  for (size_t i = 0; i < values; i++) {
    max = fmax(max, fabs(matrix[i]));
    off = fmax(off, fabs(matrix[i] - body->A->values[i]));
  }
  CHECK(off <= 1e-11 * max);
  CHECK(test_distance(body->f, body->g, body->n) <= 1e-11 * (1 + max));
  free(matrix);
}
RIGID_TEST(a_common_factor_of_weights_is_not_seen, check_factor)

TESTS(X(nodes_move_with_their_frames) X(rigid_motions_are_exact) X(turning_keeps_the_sign)
          X(jacobian_of_a_turn) X(springs_are_the_body_at_rest)
              X(both_instruction_sets_give_the_same_bits) X(a_common_factor_of_weights_is_not_seen))
