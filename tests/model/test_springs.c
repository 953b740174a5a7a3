/* What is special to springs: stiffness and damping rules, action and reaction of warped edges. */
#include "bodies.h"

static test_body body_of(int size, const int cells[3], const char *forces, const char *damping)
{
  pl_setting settings[2] = {{.name = "forces", .word = forces},
                            {.name = "damping", .word = damping}};
  pl_choice choice = {"springs", settings, 2};
  return test_body_make(test_mesh(NULL, size, cells, 0.1, 1), &choice, &test_material);
}

/* One tetrahedron with edges of 1, stretched alike: each of the six springs stores k e^2 / 2, with
 * k = E V / l0^2, van Gelder's rule. */
TEST(stiffness_is_van_gelders)
{
  double corners[12] = {0, 0, 0, 1, 0, 0, 0.5, sqrt(0.75), 0, 0.5, sqrt(1.0 / 12), sqrt(2.0 / 3)};
  test_body body = test_tetrahedron(corners, &(pl_choice){.name = "springs"});
  const double lambda = test_material.lambda, mu = test_material.mu, e = 0.01;
  double young = mu * (3 * lambda + 2 * mu) / (lambda + mu), volume = sqrt(2.0) / 12;
  for (int i = 0; i < 12; i++) body.q[i] = (1 + e) * corners[i];
  CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), 6 * young * volume * e * e / 2,
             1e-9 * young);
  test_body_release(&body);
}

/* Springs of all cells stretched alike store the same energy on hexahedra as on tetrahedra: 6/2 E
 * e^2 per volume. */
TEST(hexahedra_are_as_stiff_as_tetrahedra)
{
  const int cells[3] = {3, 2, 2};
  double energy[2];
  for (int k = 0; k < 2; k++) {
    test_body body = body_of(k ? 8 : 4, cells, "exact", "stiffness");
    for (int i = 0; i < body.n; i++) body.q[i] = 1.01 * body.mesh->nodes[i];
    energy[k] = body.model->ops->energy(body.model, body.q, NULL);
    test_body_release(&body);
  }
  // the bent faces of hexahedra hold a little more or less
  CHECK_NEAR(energy[0], energy[1], 0.01 * energy[0]);
}

/* A unit square: its sides have k = E t / 2, its diagonals k = E t / 4, so that shearing it one way
 * costs as much as the other; without its diagonals it can be made a rhombus for nothing. */
TEST(quadrilaterals_have_both_diagonals)
{
  static const char *const edges[] = {"all", "sides"};
  const double nodes[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, e = 0.01, t = 1e-3;
  const double lambda = test_material.lambda, mu = test_material.mu;
  double young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  for (int sides = 0; sides < 2; sides++) {
    pl_mesh *mesh = NULL;
    pl_mesh_def def = {.node_count = 4,
                       .nodes = nodes,
                       .nodes_per_element = 3,
                       .quad_count = 1,
                       .quads = (const int[]){0, 1, 2, 3}};
    CHECK_OK(pl_mesh_create(&def, &mesh, error));
    pl_setting setting = {.name = "edges", .word = edges[sides]};
    test_body body = test_body_make(mesh, &(pl_choice){"springs", &setting, 1}, &test_material);
    double energy[2];
    for (int i = 0; i < 12; i++) body.q[i] = (1 + e) * nodes[i];
    double stretched = body.model->ops->energy(body.model, body.q, NULL);
    CHECK_NEAR(stretched, (sides ? 1 : 1.5) * young * t * e * e, 1e-9 * young * t * e * e);
    for (int way = 0; way < 2; way++) {
      for (int i = 0; i < 12; i++) body.q[i] = nodes[i];
      body.q[6] = 1 + (body.q[9] = way ? -0.6 : 0.6);
      body.q[7] = body.q[10] = 0.8;
      energy[way] = body.model->ops->energy(body.model, body.q, NULL);
    }
    CHECK_NEAR(energy[0], energy[1], 1e-12 * young * t);
    CHECK(sides ? energy[0] < 1e-20 : energy[0] > 0.01 * young * t);
    test_body_release(&body);
  }
}

/* The work that dampers do per time, by rule: all take energy away. */
TEST(damping_rules)
{
  const char *const rules[] = {"stiffness", "constant", "quality"};
  double power[3];
  for (int r = 0; r < 3; r++) {
    test_body body = body_of(4, (const int[3]){2, 2, 2}, "exact", rules[r]);
    for (int i = 0; i < body.n; i++) body.q[i] = body.mesh->nodes[i];
    test_forces(&body, body.q, body.v, body.f);
    power[r] = -test_dot(body.f, body.v, body.n);
    CHECK(power[r] > 0);
    test_body_release(&body);
  }
  CHECK(power[0] != power[1] && power[1] != power[2]);
}

/* Two nodes of mass m/4 on a spring of a lone tetrahedron: with quality Q the amplitude falls by
 * the factor exp(-pi f / (Q f)) per cycle; here only c is checked, for large Q sqrt(k m) / Q. */
TEST(quality_of_a_spring)
{
  double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  pl_setting settings[2] = {{.name = "damping", .word = "quality"},
                            {.name = "quality", .value = {1000}}};
  test_body body = test_tetrahedron(corners, &(pl_choice){"springs", settings, 2});
  const double lambda = test_material.lambda, mu = test_material.mu;
  double young = mu * (3 * lambda + 2 * mu) / (lambda + mu), k = young / 6;
  double m = body.model->lumped_mass[0] / 2;
  for (int i = 0; i < 12; i++) {
    body.q[i] = corners[i];
    body.v[i] =
        i == 3; // the end of the spring along x, whose other springs are across or at 45 deg
  }
  test_forces(&body, body.q, body.v, body.f);
  CHECK_NEAR(body.f[0], sqrt(k * m) / 1000, 1e-3 * sqrt(k * m) / 1000);
  test_body_release(&body);
}

/* Springs turned by edges push and pull alike at both ends; turned by nodes they do not. */
TEST(warped_edges_have_no_ghost_force)
{
  const char *const forces[] = {"warped", "edge", "exact"};
  for (int f = 0; f < 3; f++) {
    test_body body = body_of(4, (const int[3]){6, 2, 2}, forces[f], "stiffness");
    for (int a = 0; a < body.n; a += 3) {
      const double *X = body.mesh->nodes + a;
      body.q[a] = (1 - X[2]) * sin(X[0]);
      body.q[a + 1] = X[1];
      body.q[a + 2] = 1 - (1 - X[2]) * cos(X[0]);
    }
    test_forces(&body, body.q, NULL, body.f);
    double total[3] = {0}, sizes = 0;
    for (int i = 0; i < body.n; i++) total[i % 3] += body.f[i];
    for (int a = 0; a < body.n; a += 3) sizes += test_length(body.f + a, 3);
    double part = test_length(total, 3) / sizes;
    printf("  %-6s %.2e of the forces left over\n", forces[f], part);
    CHECK(f == 0 ? part > 1e-3 && part < 0.3 : part < 1e-14);
    test_body_release(&body);
  }
}

/* Nodes in one place: no direction, but a force that is finite. */
TEST(collapsed_springs_stay_finite)
{
  const char *const forces[] = {"exact", "linear", "warped", "edge"};
  for (int f = 0; f < 4; f++) {
    test_body body = body_of(4, (const int[3]){2, 2, 2}, forces[f], "quality");
    for (int i = 0; i < body.n; i++) body.q[i] = 0;
    test_evaluate(body.model, body.q, body.v, body.f, 1, 0.1, 0, body.A, NULL);
    for (int i = 0; i < body.n; i++) CHECK(isfinite(body.f[i]));
    for (int i = 0; i < 9 * body.A->start[body.A->rows]; i++) CHECK(isfinite(body.A->values[i]));
    test_body_release(&body);
  }
}

TESTS(X(stiffness_is_van_gelders) X(hexahedra_are_as_stiff_as_tetrahedra)
          X(quadrilaterals_have_both_diagonals) X(damping_rules) X(quality_of_a_spring)
              X(warped_edges_have_no_ghost_force) X(collapsed_springs_stay_finite))
