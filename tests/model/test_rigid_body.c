/* The model "rigid": mass and inertia of known solids from every kind of mesh, its motion against
 * that of its nodes, and what it refuses. */
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/moments.h"

#include "bodies.h"

static const int cells[3] = {3, 2, 4};

/* A straight box of 0.3 x 0.2 x 0.4 m, whose inner nodes are moved about. */
static pl_mesh *box_of(int size)
{
  pl_mesh *mesh = test_mesh(NULL, size == 3 ? 4 : size, cells, 0.2, 0), *triangles = NULL;
  if (size != 3) return mesh;
  CHECK_OK(pl_mesh_boundary(mesh, NULL, &triangles, error));
  pl_mesh_destroy(mesh);
  return triangles;
}

static const pl_model_def none = {.count = 0};

TEST(a_box_has_the_inertia_of_a_box)
{
  static const int sizes[] = {3, 4, 8};
  const double m = 24, I[3] = {m / 12 * 0.2, m / 12 * 0.25, m / 12 * 0.13};
  for (int s = 0; s < 3; s++) {
    pl_mesh *mesh = box_of(sizes[s]);
    pl_allocator memory = pl_allocator_default();
    pl_moments moments;
    double centre[3], inertia[9], sum = 0, first[3] = {0};
    double *masses = test_vector(mesh->node_count);
    CHECK_OK(pl_moments_of_mesh(mesh, &none, &test_material, 0, &memory, &moments, masses, error));
    pl_moments_centre(&moments, centre);
    pl_moments_inertia(&moments, centre, inertia);
    CHECK_NEAR(moments.mass, m, 1e-12 * m);
    CHECK(pl_vec3_distance(centre, (const double[3]){0.15, 0.1, 0.2}) < 1e-14);
    for (int k = 0; k < 9; k++) CHECK_NEAR(inertia[k], k % 4 ? 0 : I[k / 4], 1e-13 * m);
    // what gravity sees: the same mass at the same place
    for (int n = 0; n < mesh->node_count; n++) {
      sum += masses[n];
      pl_vec3_add_scaled(masses[n] / m, mesh->nodes + 3 * n, first);
    }
    CHECK_NEAR(sum, m, 1e-12 * m);
    CHECK(pl_vec3_distance(centre, first) < 1e-13);
    free(masses);
    pl_mesh_destroy(mesh);
  }
}

/* Far from the origin nothing is lost by cancellation but what the nodes themselves lose. */
TEST(inertia_does_not_depend_on_the_origin)
{
  pl_mesh *mesh = box_of(4);
  double inertia[2][9];
  pl_allocator memory = pl_allocator_default();
  for (int round = 0; round < 2; round++) {
    pl_moments moments;
    double centre[3];
    for (int i = 0; round && i < 3 * mesh->node_count; i++) mesh->nodes[i] += 1e6;
    CHECK_OK(pl_moments_of_mesh(mesh, &none, &test_material, 0, &memory, &moments, NULL, error));
    pl_moments_centre(&moments, centre);
    pl_moments_inertia(&moments, centre, inertia[round]);
  }
  for (int k = 0; k < 9; k++) CHECK_NEAR(inertia[1][k], inertia[0][k], 1e-7 * inertia[0][0]);
  pl_mesh_destroy(mesh);
}

/* A shell of a box: six plates. */
TEST(triangles_with_a_thickness_are_a_shell)
{
  pl_mesh *mesh = box_of(3);
  pl_moments moments;
  pl_allocator memory = pl_allocator_default();
  double area = 2 * (0.3 * 0.2 + 0.2 * 0.4 + 0.4 * 0.3);
  CHECK_OK(pl_moments_of_mesh(mesh, &none, &test_material, 0.01, &memory, &moments, NULL, error));
  CHECK_NEAR(moments.mass, 10 * area, 1e-12);
  pl_mesh_destroy(mesh);
}

TEST(an_open_surface_is_refused)
{
  pl_mesh *mesh = box_of(3);
  pl_choice choice = {.name = "rigid"};
  pl_model *model = NULL;
  pl_error error = {0};
  mesh->element_count--;
  CHECK(pl_model_create(NULL, &choice, mesh, &test_material, &model, &error) == PL_E_ARGUMENT);
  CHECK(strstr(error.message, "3 open edges"));
  mesh->element_count++;
  for (int e = 0; e < mesh->element_count; e++) {
    int *nodes = mesh->elements + 3 * e, first = nodes[0];
    nodes[0] = nodes[1];
    nodes[1] = first;
  }
  CHECK(pl_model_create(NULL, &choice, mesh, &test_material, &model, &error) == PL_E_ARGUMENT);
  CHECK(strstr(error.message, "outwards"));
  pl_mesh_destroy(mesh);
}

/* ---- motion ---- */

static const double hinge_at[3] = {0.1, -0.2, 0.3}, axis[3] = {1, 2, -2};

static test_body hinged(const char *hinge, int size)
{
  pl_setting settings[] = {{.name = "hinge", .word = hinge},
                           {.name = "hinge-at", .value = {0.1, -0.2, 0.3}},
                           {.name = "hinge-axis", .value = {1, 2, -2}}};
  pl_choice choice = {"rigid", settings, 3};
  return test_body_make(box_of(size), &choice, &test_material);
}

/* Kinetic energy and momenta are those of fine pieces: here of a consistent mass on the nodes. */
TEST(mass_is_that_of_the_moving_nodes)
{
  static const char *const hinges[] = {"none", "ball", "axis"};
  pl_choice fem = {"fem", (const pl_setting[]){{.name = "mass", .word = "consistent"}}, 1};
  for (int h = 0; h < 3; h++) {
    test_body body = hinged(hinges[h], 4);
    test_body parts = test_body_make(box_of(4), &fem, &test_material);
    body.model->ops->update_mass(body.model, body.q);
    for (int trial = 0; trial < 5; trial++) {
      double lever[3], P[3] = {0}, L[3] = {0};
      test_fill(body.v, body.n, 1);
      memset(body.f, 0, (size_t)body.n * sizeof *body.f);
      memset(parts.f, 0, (size_t)parts.n * sizeof *parts.f);
      body.model->ops->mass_add(body.model, 1, body.v, body.f, NULL);
      body.model->ops->nodes(body.model, body.q, NULL, parts.q);
      body.model->ops->nodes(body.model, body.q, body.v, parts.v);
      parts.model->ops->mass_add(parts.model, 1, parts.v, parts.f, NULL);
      for (int i = 0; i < parts.n; i += 3) {
        pl_vec3_add(P, parts.f + i, P);
        pl_vec3_sub(parts.q + i, body.q + 3, lever);
        double moment[3];
        pl_vec3_cross(lever, parts.f + i, moment);
        pl_vec3_add(L, moment, L);
      }
      double energy = test_dot(parts.v, parts.f, parts.n);
      CHECK_NEAR(test_dot(body.v, body.f, body.n), energy, 1e-12 * energy);
      CHECK(pl_vec3_distance(body.f, L) < 1e-12 * energy);
      CHECK(pl_vec3_distance(body.f + 3, P) < 1e-12 * energy);
    }
    test_body_release(&parts);
    test_body_release(&body);
  }
}

/* d(M v)/dt along the motion minus the inertial force: M v' = f keeps momenta, so f is minus the
 * change of M by time, times v, but for the centre's own motion; by differences. */
TEST(inertial_forces_are_the_change_of_momentum)
{
  test_body body = hinged("ball", 4);
  double h = 1e-6, momenta[2][6], dq[6], q[6];
  test_fill(body.v, 3, 1);
  memset(body.v + 3, 0, 3 * sizeof *body.v); // the hinge stays
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 6; i++) dq[i] = (side ? h : -h) * body.v[i];
    pl_model_retract(body.model, body.q, dq, q);
    body.model->ops->update_mass(body.model, q);
    memset(momenta[side], 0, sizeof momenta[side]);
    body.model->ops->mass_add(body.model, 1, body.v, momenta[side], NULL);
  }
  test_forces(&body, body.q, body.v, body.f);
  for (int i = 0; i < 6; i++)
    CHECK_NEAR(body.f[i], -(momenta[1][i] - momenta[0][i]) / (2 * h), 1e-7);
  test_body_release(&body);
}

/* How nodes move with the blocks, and the second derivative, by differences. */
TEST(nodes_move_as_their_jacobian_says)
{
  test_body body = hinged("ball", 8);
  int nodes = body.mesh->node_count, n = 3 * nodes;
  double *low = test_vector(n), *high = test_vector(n), *force = test_vector(n), x[3], J[18];
  test_fill(body.d, body.n, 1);
  test_fill(force, n, 1);
  for (int side = 0; side < 2; side++) {
    test_move(&body, side ? 1e-6 : -1e-6, body.g);
    body.model->ops->nodes(body.model, body.g, NULL, side ? high : low);
  }
  for (int node = 0; node < nodes; node++) {
    body.model->ops->jacobian(body.model, body.q, node, x, J);
    for (int i = 0; i < 3; i++) {
      double rate = test_dot(J + 3 * i, body.d, 3) + test_dot(J + 9 + 3 * i, body.d + 3, 3);
      CHECK_NEAR((high[3 * node + i] - low[3 * node + i]) / 2e-6, rate, 1e-8);
    }
  }
  // forces that stay: the slope of what they exert
  double pushed[2][6] = {{0}}, torque[3];
  for (int side = 0; side < 2; side++) {
    test_move(&body, side ? 1e-6 : -1e-6, body.g);
    body.model->ops->spread(body.model, body.g, force, pushed[side]);
  }
  memset(body.f, 0, (size_t)body.n * sizeof *body.f);
  body.model->ops->spread(body.model, body.q, force, body.f);
  pl_bsr_zero(body.A, NULL);
  body.model->ops->curvature(body.model, body.q, force, 1, body.A);
  pl_bsr_multiply(body.A, body.d, body.g, NULL);
  pl_vec3_cross(body.f, body.d, torque);
  for (int i = 0; i < 3; i++)
    CHECK_NEAR((pushed[0][i] - pushed[1][i]) / 2e-6 - 0.5 * torque[i], body.g[i], 1e-7);
  free(low);
  free(high);
  free(force);
  test_body_release(&body);
}

TEST(a_fit_finds_the_motion_of_the_nodes)
{
  static const char *const hinges[] = {"none", "ball", "axis"};
  for (int h = 0; h < 3; h++) {
    test_body body = hinged(hinges[h], 4);
    int n = 3 * body.mesh->node_count;
    double *x = test_vector(n), *speed = test_vector(n), q[6], v[6], way[3];
    if (h) {
      pl_vec3_copy(hinge_at, body.q + 3);
      pl_vec3_set(body.v + 3, 0, 0, 0);
    }
    if (h == 2) {
      pl_vec3_scale(0.4, axis, body.q);
      pl_vec3_scale(-0.7, axis, body.v);
    }
    body.model->ops->nodes(body.model, body.q, NULL, x);
    body.model->ops->nodes(body.model, body.q, body.v, speed);
    body.model->ops->fit(body.model, x, speed, q, v);
    pl_rotation_between(q, body.q, way);
    CHECK(pl_vec3_norm(way) < 1e-12);
    CHECK(pl_vec3_distance(q + 3, body.q + 3) < 1e-12);
    CHECK(test_distance(v, body.v, 6) < 1e-12);
    free(x);
    free(speed);
    test_body_release(&body);
  }
}

TESTS(X(a_box_has_the_inertia_of_a_box) X(inertia_does_not_depend_on_the_origin)
          X(triangles_with_a_thickness_are_a_shell) X(an_open_surface_is_refused)
              X(mass_is_that_of_the_moving_nodes) X(inertial_forces_are_the_change_of_momentum)
                  X(nodes_move_as_their_jacobian_says) X(a_fit_finds_the_motion_of_the_nodes))
