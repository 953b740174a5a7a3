/* Dependent nodes: forces, stiffness, mass and motion of bodies with rigid parts and hanging nodes,
 * against differences and dense products. */
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/dependent.h"

#include "../mesh/failing.h"
#include "bodies.h"

static const int cells[3] = {4, 2, 2};

/* The cells with x >= 3 are rigid; nodes hang on free ones, on one another, and on the part. */
typedef struct tied {
  unsigned char *rigid;
  int part[64], parents[4][4];
  double weights[4][4];
  pl_rigid_part rigid_part;
  pl_hanging hanging[4];
  pl_ties ties;
} tied;

static int at(int x, int y, int z) { return test_node(cells, x, y, z); }

static void hang(tied *to, int h, int node, int a, int b, double weight)
{
  to->parents[h][0] = a;
  to->parents[h][1] = b;
  to->weights[h][0] = weight;
  to->weights[h][1] = 1 - weight;
  to->hanging[h] = (pl_hanging){node, 2, to->parents[h], to->weights[h]};
}

static void tie(const pl_mesh *mesh, int hinge, int hanging, tied *to)
{
  *to = (tied){0};
  to->rigid = calloc((size_t)mesh->element_count, 1);
  for (int e = 0; e < mesh->element_count; e++) {
    int inside = 1;
    for (int i = 0; i < mesh->nodes_per_element; i++)
      inside &= mesh->nodes[3 * mesh->elements[mesh->nodes_per_element * e + i]] > 0.29;
    to->rigid[e] = (unsigned char)inside;
  }
  for (int n = 0; n < mesh->node_count; n++) {
    if (mesh->nodes[3 * n] > 0.29) to->part[to->rigid_part.count++] = n;
  }
  to->rigid_part.nodes = to->part;
  to->rigid_part.hinged = hinge > 0;
  pl_vec3_set(to->rigid_part.centre, 0.32, 0.05, 0.14);
  if (hinge == 2) pl_vec3_set(to->rigid_part.axis, 0.6, 0, 0.8);
  // children are told before their parents
  hang(to, 0, at(1, 0, 0), at(0, 0, 0), at(2, 0, 0), 0.5);
  hang(to, 1, at(2, 0, 0), at(0, 0, 0), at(4, 0, 0), 0.5);
  hang(to, 2, at(1, 1, 1), at(0, 1, 1), at(3, 1, 1), 2.0 / 3);
  hang(to, 3, at(1, 2, 2), at(0, 2, 2), at(2, 2, 2), 0.5);
  to->ties = (pl_ties){.part_count = hinge >= 0,
                       .parts = &to->rigid_part,
                       .hanging_count = hanging,
                       .hanging = to->hanging};
}

static test_body make(int size, const char *strain, const char *mass, int hinge, int hanging,
                      double viscosity)
{
  pl_allocator memory = pl_allocator_default();
  pl_setting words[] = {{.name = "strain", .word = strain}, {.name = "mass", .word = mass}};
  pl_choice choice = {"fem", words, 2};
  pl_selection part;
  pl_material material = test_material;
  material.viscous_lambda *= viscosity;
  material.viscous_mu *= viscosity;
  test_body body = {.mesh = test_mesh(NULL, size, cells, 0, 0)};
  tied ties;
  pl_model *inner = NULL;
  tie(body.mesh, hinge, hanging, &ties);
  pl_model_def sites = {.rigid = hinge >= 0 ? ties.rigid : NULL};
  CHECK_OK(pl_choice_resolve(&pl_model_family, &choice, &part.member, part.values, error));
  CHECK_OK(pl_model_build(&memory, &part, body.mesh, &material, &sites, &inner, error));
  CHECK_OK(pl_dependent_create(&memory, inner, body.mesh->node_count, &ties.ties, NULL, &body.model,
                               error));
  free(ties.rigid);
  body.A = test_matrix(body.model, &memory, 0);
  CHECK_OK(pl_model_bind(body.model, body.A, 0, error));
  body.n = 3 * body.model->blocks;
  double **vectors[] = {&body.q, &body.v, &body.f, &body.g, &body.d};
  for (int i = 0; i < 5; i++) *vectors[i] = test_vector(body.n);
  test_seed = 4711;
  for (int b = 0; b < body.model->blocks; b++) {
    for (int k = 0; k < 3; k++) {
      double shake = test_uniform();
      body.q[3 * b + k] =
          body.model->rest[3 * b + k] +
          (pl_model_is_rotation(body.model, b) ? 0.4 * shake + 0.2 : 0.01 * shake + 0.3);
      body.v[3 * b + k] = test_uniform();
    }
  }
  return body;
}

/* Calls check for tetrahedra and hexahedra, strains, masses, hinges and ties. */
static void every(double viscosity, void (*check)(test_body *body))
{
  static const char *const strains[] = {"corotated", "green", "linear"};
  static const char *const masses[] = {"lumped", "consistent"};
  for (int k = 0; k < 2 * 3 * 4 * 2; k++) {
    int size = k % 2 ? 8 : 4, hinge = k / 6 % 4 - 1, hanging = k / 24 ? 4 : 0;
    if (hinge < 0 && !hanging) continue;
    test_body body = make(size, strains[k / 2 % 3], masses[k / 2 % 2], hinge, hanging, viscosity);
    int before = test_failures;
    check(&body);
    if (test_failures > before)
      printf("    %d nodes, %s, %s, hinge %d, %d hanging\n", size, strains[k / 2 % 3],
             masses[k / 2 % 2], hinge, hanging);
    test_body_release(&body);
  }
}

/* ---- nodes ---- */

static void nodes_at(const test_body *body, double h, const double *v, double *out)
{
  double *moved = test_vector(body->n);
  test_move(body, h, moved);
  body->model->ops->nodes(body->model, moved, v, out);
  free(moved);
}

/* Without rigid parts a node is where its carriers are by their weights, to the bit, and moves with
 * them. */
static void relate(const test_body *body, int node, const double at[3], double x[3], double *J)
{
  const pl_model_ops *ops = body->model->ops;
  const int *blocks;
  const double *weights;
  CHECK(!ops->jacobian == !body->model->kinds);
  if (ops->jacobian) {
    ops->jacobian(body->model, body->q, node, x, J);
    return;
  }
  int count = ops->carriers(body->model, node, &blocks, &weights);
  memset(J, 0, 9 * (size_t)count * sizeof *J);
  pl_vec3_set(x, 0, 0, 0);
  for (int b = 0; b < count; b++) {
    pl_vec3_add_scaled(weights[b], body->q + 3 * blocks[b], x);
    J[9 * b] = J[9 * b + 4] = J[9 * b + 8] = weights[b];
  }
  for (int k = 0; k < 3; k++) CHECK(x[k] == at[k]);
}

static void check_motion(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  int nodes = body->mesh->node_count, n = 3 * nodes;
  double *low = test_vector(n), *high = test_vector(n), *speed = test_vector(n);
  const double h = 1e-5;
  test_fill(body->d, body->n, 1);
  nodes_at(body, -h, NULL, low);
  nodes_at(body, h, NULL, high);
  ops->nodes(body->model, body->q, body->d, speed);
  for (int i = 0; i < n; i++) CHECK_NEAR((high[i] - low[i]) / (2 * h), speed[i], 1e-8);
  // forces on blocks do the work of forces on nodes
  test_fill(low, n, 1);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  ops->spread(body->model, body->q, low, body->f);
  CHECK_NEAR(test_dot(body->f, body->d, body->n), test_dot(low, speed, n), 1e-12);
  // node by node
  ops->nodes(body->model, body->q, NULL, high);
  for (int node = 0; node < nodes; node++) {
    const int *blocks;
    const double *weights;
    double J[9 * PL_MOST_DEPENDENT_CARRIERS], x[3], sum = 0, with[3] = {0};
    int count = ops->carriers(body->model, node, &blocks, &weights);
    relate(body, node, high + 3 * node, x, J);
    for (int b = 0; b < count; b++) {
      double part[3];
      sum += weights[b];
      pl_mat3_apply(J + 9 * b, body->d + 3 * blocks[b], part);
      pl_vec3_add(with, part, with);
    }
    CHECK_NEAR(sum, 1, 1e-14);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(x[k], high[3 * node + k], 1e-14);
      CHECK_NEAR(with[k], speed[3 * node + k], 1e-13);
    }
    int own = pl_model_node_block(body->model, node);
    CHECK(own < 0 || (count == 1 && blocks[0] == own && body->model->anchors[own] == node));
  }
  free(low);
  free(high);
  free(speed);
}

TEST(nodes_move_as_their_carriers_say) { every(1, check_motion); }

/* Rigid parts keep their shape, and hanging nodes hang. */
static void check_shape(test_body *body)
{
  const double *X = body->mesh->nodes;
  int nodes = body->mesh->node_count;
  double *x = test_vector(3 * nodes);
  const pl_dependent *state = body->model->state;
  body->model->ops->nodes(body->model, body->q, NULL, x);
  for (int p = 0; p < state->ties.part_count; p++) {
    const pl_rigid_part *part = &state->ties.parts[p];
    for (int i = 1; i < part->count; i++) {
      int a = 3 * part->nodes[0], b = 3 * part->nodes[i];
      CHECK_NEAR(pl_vec3_distance(x + a, x + b), pl_vec3_distance(X + a, X + b), 1e-14);
    }
  }
  for (int h = 0; h < state->ties.hanging_count; h++) {
    const pl_hanging *hanging = &state->ties.hanging[h];
    double mean[3] = {0};
    for (int j = 0; j < hanging->count; j++)
      pl_vec3_add_scaled(hanging->weights[j], x + 3 * hanging->parents[j], mean);
    CHECK_NEAR(pl_vec3_distance(mean, x + 3 * hanging->node), 0, 1e-14);
  }
  free(x);
}

TEST(parts_are_rigid_and_nodes_hang) { every(1, check_shape); }

/* Takes out of q and v what the hinge holds. */
static void respect_hinge(test_body *body)
{
  for (int i = 0; i < body->model->hold_count; i++) {
    const pl_block_hold *hold = &body->model->holds[i];
    double *q = body->q + 3 * hold->block, *v = body->v + 3 * hold->block, way[3];
    for (int k = 0; k < hold->count; k++) {
      const double *along = hold->directions[k];
      pl_vec3_sub(q, body->model->rest + 3 * hold->block, way);
      pl_vec3_add_scaled(-pl_vec3_dot(along, way), along, q);
      pl_vec3_add_scaled(-pl_vec3_dot(along, v), along, v);
    }
  }
}

/* What nodes do is what blocks are found for; a hinge stays where it is. */
static void check_fit(test_body *body)
{
  int n = 3 * body->mesh->node_count;
  double *x = test_vector(n), *speed = test_vector(n), *y = test_vector(n);
  respect_hinge(body);
  body->model->ops->nodes(body->model, body->q, NULL, x);
  body->model->ops->nodes(body->model, body->q, body->v, speed);
  body->model->ops->fit(body->model, x, speed, body->f, body->g);
  for (int i = 0; i < body->n; i++) {
    CHECK_NEAR(body->f[i], body->q[i], 1e-13);
    CHECK_NEAR(body->g[i], body->v[i], 1e-12);
  }
  // at rest nothing is rounded
  memset(speed, 0, (size_t)n * sizeof *speed);
  body->model->ops->fit(body->model, body->mesh->nodes, speed, body->f, body->g);
  CHECK(!memcmp(body->f, body->model->rest, (size_t)body->n * sizeof(double)));
  body->model->ops->nodes(body->model, body->f, NULL, y);
  for (int i = 0; i < n; i++) CHECK_NEAR(y[i], body->mesh->nodes[i], 1e-15);
  free(x);
  free(speed);
  free(y);
}

TEST(blocks_are_found_from_nodes) { every(1, check_fit); }

/* ---- energy, force and stiffness ---- */

static void check_energy(test_body *body)
{
  const double h = 1e-6;
  test_forces(body, body->q, NULL, body->f);
  for (int trial = 0; trial < 5; trial++) {
    test_fill(body->d, body->n, 1);
    double energy[2];
    for (int side = 0; side < 2; side++) {
      test_move(body, side ? h : -h, body->g);
      energy[side] = body->model->ops->energy(body->model, body->g, NULL);
    }
    CHECK_NEAR((energy[1] - energy[0]) / (2 * h), -test_dot(body->f, body->d, body->n),
               1e-6 * test_length(body->f, body->n));
  }
}

TEST(force_is_minus_the_slope_of_the_energy) { every(1, check_energy); }

typedef void force_at(const test_body *body, const double *q, const double *with, double *f);

/* minus the slope along d of a force, in slope; turns do not commute, and the slope has half of the
 * torque as an antisymmetric part, which is taken out. */
static void slope_of(const test_body *body, force_at *force, const double *with, double *slope)
{
  const double h = 1e-6;
  double *moved = test_vector(body->n), *low = test_vector(body->n), *here = test_vector(body->n);
  test_move(body, -h, moved);
  force(body, moved, with, low);
  test_move(body, h, moved);
  force(body, moved, with, slope);
  force(body, body->q, with, here);
  for (int i = 0; i < body->n; i++) slope[i] = (low[i] - slope[i]) / (2 * h);
  for (int b = 0; b < body->model->blocks; b++) {
    double half[3];
    if (!pl_model_is_rotation(body->model, b)) continue;
    pl_vec3_cross(here + 3 * b, body->d + 3 * b, half);
    pl_vec3_add_scaled(-0.5, half, slope + 3 * b);
  }
  free(moved);
  free(low);
  free(here);
}

static void inner_force(const test_body *body, const double *q, const double *with, double *f)
{
  test_forces((test_body *)body, q, with, f);
}

static void spread_force(const test_body *body, const double *q, const double *with, double *f)
{
  memset(f, 0, (size_t)body->n * sizeof *f);
  body->model->ops->spread(body->model, q, with, f);
}

static void check_stiffness(test_body *body)
{
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 0, body->A, NULL);
  for (int trial = 0; trial < 3; trial++) {
    test_fill(body->d, body->n, 1);
    slope_of(body, inner_force, NULL, body->g);
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    CHECK(test_distance(body->g, body->f, body->n) <= 1e-5);
  }
}

TEST(stiffness_is_minus_the_slope_of_the_force) { every(1, check_stiffness); }

/* Forces on nodes that do not turn with the body. */
static void check_curvature(test_body *body)
{
  double *nodal = test_vector(3 * body->mesh->node_count);
  test_fill(nodal, 3 * body->mesh->node_count, 1);
  pl_bsr_zero(body->A, NULL);
  body->model->ops->curvature(body->model, body->q, nodal, 1, body->A);
  test_fill(body->d, body->n, 1);
  slope_of(body, spread_force, nodal, body->g);
  pl_bsr_multiply(body->A, body->d, body->f, NULL);
  for (int i = 0; i < body->n; i++) CHECK_NEAR(body->f[i], body->g[i], 1e-8);
  CHECK((test_length(body->f, body->n) > 1e-4) == pl_model_has_rotations(body->model));
  free(nodal);
}

TEST(curvature_is_how_given_forces_turn) { every(1, check_curvature); }

/* Without the second derivatives no eigenvalue is negative. */
static void check_semidefinite(test_body *body)
{
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 1, body->A, NULL);
  for (int trial = 0; trial < 30; trial++) {
    test_fill(body->d, body->n, 1);
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    CHECK(test_dot(body->d, body->f, body->n) >= 0);
  }
}

TEST(a_semidefinite_matrix_can_be_had) { every(1, check_semidefinite); }

/* The viscous force is linear in v; the inertial one of turning parts is even in v. */
static void check_viscosity(test_body *body)
{
  double *low = test_vector(body->n), *high = test_vector(body->n);
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, body->v, NULL, 0, 1, 0, body->A, NULL);
  test_fill(body->d, body->n, 1);
  for (int i = 0; i < body->n; i++) body->g[i] = -body->d[i];
  test_forces(body, body->q, body->g, low);
  test_forces(body, body->q, body->d, high);
  for (int i = 0; i < body->n; i++) body->g[i] = 0.5 * (low[i] - high[i]);
  pl_bsr_multiply(body->A, body->d, body->f, NULL);
  CHECK(test_distance(body->g, body->f, body->n) <= 1e-10);
  CHECK(test_dot(body->d, body->f, body->n) > 0);
  free(low);
  free(high);
}

TEST(viscosity_is_the_slope_of_the_force_over_velocity) { every(1, check_viscosity); }

/* ---- mass ---- */

/* T as a dense matrix: 3 rows per node. */
static double *dense_motion(const test_body *body)
{
  int rows = 3 * body->mesh->node_count;
  double *T = test_vector(rows * body->n), *column = test_vector(rows), *e = test_vector(body->n);
  for (int c = 0; c < body->n; c++) {
    e[c] = 1;
    body->model->ops->nodes(body->model, body->q, e, column);
    e[c] = 0;
    for (int r = 0; r < rows; r++) T[body->n * r + c] = column[r];
  }
  free(column);
  free(e);
  return T;
}

/* f = T^T M (of the nodes) x. */
static void dense_force(const test_body *body, const double *T, const double *x, double *f)
{
  const pl_model *inner = ((const pl_dependent *)body->model->state)->inner;
  int rows = 3 * body->mesh->node_count;
  double *y = test_vector(rows);
  inner->ops->mass_add((pl_model *)inner, 1, x, y, NULL);
  memset(f, 0, (size_t)body->n * sizeof *f);
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < body->n; c++) f[c] += T[body->n * r + c] * y[r];
  }
  free(y);
}

static void check_mass(test_body *body)
{
  int rows = 3 * body->mesh->node_count;
  double *T = dense_motion(body), *x = test_vector(rows);
  body->model->ops->update_mass(body->model, body->q);
  pl_bsr_zero(body->A, NULL);
  body->model->ops->mass_matrix(body->model, 1, body->A, NULL);
  for (int trial = 0; trial < 3; trial++) {
    test_fill(body->d, body->n, 1);
    body->model->ops->nodes(body->model, body->q, body->d, x);
    dense_force(body, T, x, body->g);
    memset(body->f, 0, (size_t)body->n * sizeof *body->f);
    body->model->ops->mass_add(body->model, 1, body->d, body->f, NULL);
    CHECK(test_distance(body->f, body->g, body->n) <= 1e-13);
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    CHECK(test_distance(body->f, body->g, body->n) <= 1e-13);
  }
  free(T);
  free(x);
}

TEST(mass_is_that_of_the_nodes_carried_over) { every(1, check_mass); }

/* The whole mass is kept; where nothing hangs and mass is lumped the inverse is that of a part
 * about its hinge. */
static void check_lumped(test_body *body)
{
  double mass = 0, whole = 0;
  const pl_dependent *state = body->model->state;
  for (int b = 0; b < body->model->blocks; b++) mass += body->model->lumped_mass[b];
  for (int n = 0; n < body->mesh->node_count; n++) whole += body->model->node_mass[n];
  CHECK_NEAR(mass, whole, 1e-13 * whole);
  CHECK_NEAR(whole, 1000 * 0.4 * 0.2 * 0.2, 1e-12 * whole);
  if (!state->lumped_only || state->ties.hanging_count) return;
  respect_hinge(body);
  body->model->ops->update_mass(body->model, body->q);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  body->model->ops->mass_add(body->model, 1, body->v, body->f, NULL);
  body->model->ops->mass_inverse(body->model, body->f, body->g);
  CHECK(test_distance(body->g, body->v, body->n) <= 1e-12);
}

TEST(lumped_mass_keeps_the_whole) { every(1, check_lumped); }

/* Without viscosity what velocity adds to the force is T^T M times the acceleration of nodes whose
 * blocks move on with v: found by differences of T v. */
static void check_inertia(test_body *body)
{
  const double h = 1e-5;
  int rows = 3 * body->mesh->node_count;
  double *T = dense_motion(body), *low = test_vector(rows), *high = test_vector(rows);
  memcpy(body->d, body->v, (size_t)body->n * sizeof *body->d);
  nodes_at(body, -h, body->v, low);
  nodes_at(body, h, body->v, high);
  for (int i = 0; i < rows; i++) high[i] = (high[i] - low[i]) / (2 * h);
  dense_force(body, T, high, body->g);
  double *moving = test_vector(body->n);
  test_forces(body, body->q, body->v, moving);
  test_forces(body, body->q, NULL, body->f);
  for (int i = 0; i < body->n; i++)
    CHECK_NEAR(body->f[i] - moving[i], body->g[i], 1e-8 * (1 + test_length(body->f, body->n)));
  CHECK((test_length(body->g, body->n) > 1e-4) == pl_model_has_rotations(body->model));
  free(moving);
  free(T);
  free(low);
  free(high);
}

TEST(inertial_forces_are_those_of_turning_nodes) { every(0, check_inertia); }

/* ---- mistakes ---- */

static pl_status attempt_with(const pl_allocator *allocator, void (*change)(tied *ties),
                              pl_error *error)
{
  pl_mesh *mesh = test_mesh(NULL, 4, cells, 0, 0);
  tied ties;
  pl_selection part;
  pl_model *inner = NULL, *model = NULL;
  tie(mesh, 0, 4, &ties);
  if (change) change(&ties);
  pl_status status =
      pl_choice_resolve(&pl_model_family, &(pl_choice){0}, &part.member, part.values, error);
  if (!status) status = pl_model_build(allocator, &part, mesh, &test_material, NULL, &inner, error);
  if (!status)
    status =
        pl_dependent_create(allocator, inner, mesh->node_count, &ties.ties, NULL, &model, error);
  pl_bsr *A = NULL;
  if (!status) {
    pl_cliques cliques = model->ops->cliques(model);
    status = pl_bsr_create(allocator, model->blocks, &cliques, 1, &A, error);
    if (!status) status = pl_model_bind(model, A, 0, error);
  }
  pl_bsr_destroy(A);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  free(ties.rigid);
  return status;
}

static void circle(tied *ties)
{
  hang(ties, 0, at(1, 0, 0), at(2, 0, 0), at(3, 0, 0), 2);
  hang(ties, 1, at(2, 0, 0), at(1, 0, 0), at(3, 0, 0), 0.5);
}
static void heavy(tied *ties) { ties->weights[0][1] = 0.6; }
static void unknown(tied *ties) { ties->weights[0][1] = NAN; }
static void off(tied *ties) { ties->parents[0][0] = at(0, 1, 0); }
static void itself(tied *ties) { ties->parents[0][0] = at(1, 0, 0); }
static void twice(tied *ties) { hang(ties, 1, at(1, 0, 0), at(0, 0, 0), at(2, 0, 0), 0.5); }
static void alone(tied *ties) { ties->hanging[2].count = 0; }
static void halves(tied *ties) { hang(ties, 2, at(3, 0, 0), at(2, 0, 0), at(4, 0, 0), 0.5); }
static void light(tied *ties) { hang(ties, 3, at(2, 2, 2), at(1, 2, 2), at(0, 2, 2), 2); }
static void again(tied *ties)
{
  static pl_rigid_part parts[2];
  parts[0] = parts[1] = ties->rigid_part;
  ties->ties.parts = parts;
  ties->ties.part_count = 2;
}

TEST(mistakes_are_refused)
{
  static const struct {
    void (*change)(tied *ties);
    const char *says;
  } cases[] = {{circle, "break the circle"},     {heavy, "sum to 1.1"},
               {unknown, "must sum to 1"},       {off, "from the mean of its parents"},
               {itself, "hangs on itself"},      {twice, "hanging node twice"},
               {alone, "has no parents"},        {halves, "which is not"},
               {again, "two rigid parts share"}, {light, "negative weights"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_FAILS(attempt_with(NULL, cases[i].change, error), PL_E_ARGUMENT, cases[i].says);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  return attempt_with(allocator, NULL, NULL);
}

TEST(memory_may_run_out) { fail_every_allocation(attempt, NULL); }

TESTS(X(nodes_move_as_their_carriers_say) X(parts_are_rigid_and_nodes_hang)
          X(blocks_are_found_from_nodes) X(force_is_minus_the_slope_of_the_energy)
              X(stiffness_is_minus_the_slope_of_the_force) X(curvature_is_how_given_forces_turn)
                  X(a_semidefinite_matrix_can_be_had)
                      X(viscosity_is_the_slope_of_the_force_over_velocity)
                          X(mass_is_that_of_the_nodes_carried_over) X(lumped_mass_keeps_the_whole)
                              X(inertial_forces_are_those_of_turning_nodes) X(mistakes_are_refused)
                                  X(memory_may_run_out))
