/* What every model must keep, over the whole family, every combination of its words and both kinds
 * of element. */
#include "math/rotation.h"

#include "bodies.h"

static const int few[3] = {2, 2, 2}, more[3] = {4, 3, 3};

/* ---- energy, force and stiffness agree ---- */

/* Slope of the energy along random directions; steps of 1e-6 of the body's size leave a truncation
 * error near 1e-11 and a rounding error near 1e-9 of the slope. */
static void check_energy(test_body *body)
{
  const double h = 1e-6;
  if (!body->model->ops->energy || body->nearly) return;
  test_forces(body, body->q, NULL, body->f);
  for (int trial = 0; trial < 10; trial++) {
    test_fill(body->d, body->n, 1);
    double energy[2];
    for (int side = 0; side < 2; side++) {
      test_move(body, side ? h : -h, body->g);
      energy[side] = body->model->ops->energy(body->model, body->g, NULL);
    }
    double slope = (energy[1] - energy[0]) / (2 * h);
    double scale = test_length(body->f, body->n);
    CHECK_NEAR(slope, -test_dot(body->f, body->d, body->n), 1e-6 * scale);
  }
}

TEST(force_is_minus_the_slope_of_the_energy) { test_every_body(few, 0.15, 1, check_energy); }

/* (f(q - hd) - f(q + hd)) / 2h in d's place. */
static void force_slope(test_body *body, const double *v, double h)
{
  double *low = test_vector(body->n), *high = test_vector(body->n);
  test_move(body, -h, body->g);
  test_forces(body, body->g, v, low);
  test_move(body, h, body->g);
  test_forces(body, body->g, v, high);
  for (int i = 0; i < body->n; i++) body->g[i] = (low[i] - high[i]) / (2 * h);
  free(low);
  free(high);
}

static void turn(const double *x, double *y);

/* A matrix that holds rotations is exact where the body is at rest, if turned; with rotations at
 * both ends (the only symmetric one) it is not even there. */
static void check_stiffness(test_body *body)
{
  if (body->model->inexact && !body->model->unsymmetric) return;
  if (body->model->ops->is_rigid) return; // it has none
  for (int i = 0; body->model->inexact && i < body->n; i += 3)
    turn(body->mesh->nodes + i, body->q + i);
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 2.5, 0, 0, body->A, NULL);
  for (int trial = 0; trial < 3; trial++) {
    test_fill(body->d, body->n, 1);
    force_slope(body, NULL, 1e-6);
    // turns do not commute: the slope has the torque's half as an antisymmetric part
    test_forces(body, body->q, NULL, body->f);
    for (int b = 0; b < body->model->blocks; b++) {
      const double *torque = body->f + 3 * b, *d = body->d + 3 * b;
      for (int i = 0; pl_model_is_rotation(body->model, b) && i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        body->g[3 * b + i] -= 0.5 * (torque[j] * d[k] - torque[k] * d[j]);
      }
    }
    for (int i = 0; i < body->n; i++) body->g[i] *= 2.5;
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    CHECK(test_distance(body->g, body->f, body->n) <= 1e-5);
  }
}

TEST(stiffness_is_minus_the_slope_of_the_force) { test_every_body(few, 0.15, 1, check_stiffness); }

/* Laws of F in every model: forces and stiffness agree with the energy, at any time after what the
 * law remembers. */
static void check_law(test_body *body)
{
  static const double times[] = {0, 1e-3, 0.3, INFINITY};
  double *memory = test_live(body);
  for (int t = 0; t < (memory ? 4 : 1); t++) {
    test_since = times[t];
    check_energy(body);
    check_stiffness(body);
  }
  test_since = 0;
  free(memory);
}

TEST(every_law_in_every_model)
{
  for (int l = 0; pl_law_at(l); l++) {
    if (pl_law_at(l)->points.stress) test_every_body_of(pl_law_at(l), few, 0.15, 1, check_law);
  }
}

/* Energy densities over the elements sum to the energy; these all have the same volume. */
static void check_densities(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  int elements = body->mesh->element_count;
  if (!ops->strains || !ops->energy || body->nearly) return;
  double *strain = test_vector(elements), *density = test_vector(elements), sum = 0;
  double volume = 8e-3 / elements, max = 0;
  ops->strains(body->model, body->q, strain, density, NULL);
  for (int e = 0; e < elements; e++) sum += volume * density[e], max = fmax(max, strain[e]);
  double energy = ops->energy(body->model, body->q, NULL);
  CHECK_NEAR(sum, energy, 1e-12 * energy);
  CHECK(max > 0.01 && max < 5);
  free(strain);
  free(density);
}

TEST(energy_densities_sum_to_the_energy) { test_every_body(few, 0, 0, check_densities); }

/* The mean of the elements' tensors at a state. */
static void mean_tensors(test_body *body, double F[9], double stress[9])
{
  int elements = body->mesh->element_count;
  double *all = test_vector(18 * elements);
  body->model->ops->tensors(body->model, body->q, all, all + 9 * elements, NULL);
  for (int k = 0; k < 9; k++) {
    F[k] = stress[k] = 0;
    for (int e = 0; e < elements; e++) {
      F[k] += all[9 * e + k] / elements;
      stress[k] += all[9 * (elements + e) + k] / elements;
    }
  }
  free(all);
}

/* All blocks where a linear map takes them. */
static void deform(test_body *body, const double G[9])
{
  for (int i = 0; i < body->n; i++)
    body->q[i] = test_dot(G + 3 * (i % 3), body->model->rest + i / 3 * 3, 3);
}

/* Under a linear map F is that map, and the stress follows from the slope of the energy density:
 * sigma = (dW/dF) F^T / det F. */
static void check_tensors(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  CHECK(!ops->tensors == !ops->strains);
  if (!ops->tensors || !ops->energy || body->model->kinds || body->nearly) return;
  static const double G[9] = {1.1, 0.05, -0.02, 0.07, 0.95, 0.04, -0.03, 0.02, 1.05};
  double F[9], stress[9], P[9], H[9], h = 1e-6, volume = 8e-3, size = 0;
  for (int k = 0; k < 9; k++) {
    double energies[2];
    for (int side = 0; side < 2; side++) {
      memcpy(H, G, sizeof H);
      H[k] += side ? h : -h;
      deform(body, H);
      energies[side] = ops->energy(body->model, body->q, NULL);
    }
    P[k] = (energies[1] - energies[0]) / (2 * h * volume);
  }
  deform(body, G);
  mean_tensors(body, F, stress);
  double J = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
             G[2] * (G[3] * G[7] - G[4] * G[6]);
  for (int k = 0; k < 9; k++) size = fmax(size, fabs(stress[k]));
  for (int k = 0; k < 9; k++) {
    double there = test_dot(P + k / 3 * 3, G + k % 3 * 3, 3);
    double back = test_dot(P + k % 3 * 3, G + k / 3 * 3, 3);
    CHECK_NEAR(F[k], G[k], 1e-12);
    CHECK_NEAR(stress[k], 0.5 * (there + back) / J, 1e-6 * size);
  }
}

TEST(tensors_are_those_of_a_linear_map) { test_every_body(few, 0, 0, check_tensors); }

/* The viscous force is linear in v, so its slope is exact up to rounding; it never adds energy. */
static void check_viscosity(test_body *body)
{
  if (body->model->ops->is_rigid) return;
  int n = body->n;
  double *low = test_vector(n), *high = test_vector(n);
  // the inertial force of turning frames is even in v
  if (pl_model_has_rotations(body->model)) memset(body->v, 0, (size_t)n * sizeof *body->v);
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, body->v, NULL, 0, 0.5, 0, body->A, NULL);
  for (int trial = 0; trial < 3; trial++) {
    test_fill(body->d, n, 1);
    for (int i = 0; i < n; i++) body->g[i] = body->v[i] - body->d[i];
    test_forces(body, body->q, body->g, low);
    for (int i = 0; i < n; i++) body->g[i] = body->v[i] + body->d[i];
    test_forces(body, body->q, body->g, high);
    for (int i = 0; i < n; i++) body->g[i] = 0.5 * (low[i] - high[i]) / 2;
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    CHECK(test_distance(body->g, body->f, n) <= 1e-10);
    CHECK(test_dot(body->d, body->f, n) > 0);
  }
  free(low);
  free(high);
}

TEST(damping_is_minus_the_slope_by_velocity) { test_every_body(few, 0.15, 1, check_viscosity); }

/* Largest difference between a block and the transposed one across the diagonal. */
static double asymmetry(const pl_bsr *A)
{
  double worst = 0, largest = 0;
  for (int i = 0; i < A->rows; i++) {
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
      const double *a = A->values + 9 * k;
      const double *b = A->values + 9 * pl_bsr_find(A, A->columns[k], i);
      for (int e = 0; e < 9; e++) {
        worst = fmax(worst, fabs(a[e] - b[3 * (e % 3) + e / 3]));
        largest = fmax(largest, fabs(a[e]));
      }
    }
  }
  return worst / largest;
}

static void check_symmetry(test_body *body)
{
  if (body->model->unsymmetric || body->model->ops->is_rigid) return;
  for (int semidefinite = 0; semidefinite < 2; semidefinite++) {
    pl_bsr_zero(body->A, NULL);
    test_evaluate(body->model, body->q, body->v, body->f, 1, 0.1, semidefinite, body->A, NULL);
    CHECK(asymmetry(body->A) <= 1e-12);
  }
}

TEST(stiffness_is_symmetric) { test_every_body(more, 0.2, 1, check_symmetry); }

/* Pressed flat and turned inside out, the semidefinite matrix still has no negative direction; the
 * direction tried is the one that the exact matrix bends most, found by a few power steps. */
static void check_semidefinite(test_body *body)
{
  int n = body->n;
  if (body->model->unsymmetric || body->model->ops->is_rigid) return;
  for (int i = 0; i < n; i++) body->q[i] *= i % 3 == 1 ? -0.4 : 0.5;
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 1, body->A, NULL);
  double bound = 0;
  for (int i = 0; i < body->A->rows; i++) {
    double sum = 0;
    for (int k = 9 * body->A->start[i]; k < 9 * body->A->start[i + 1]; k++)
      sum += fabs(body->A->values[k]);
    bound = fmax(bound, sum);
  }
  // power steps with bound - A lead to the least eigenvalue
  test_fill(body->d, n, 1);
  for (int step = 0; step < 400; step++) {
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    for (int i = 0; i < n; i++) body->d[i] -= body->f[i] / bound;
    double length = test_length(body->d, n);
    for (int i = 0; i < n; i++) body->d[i] /= length;
  }
  pl_bsr_multiply(body->A, body->d, body->f, NULL);
  CHECK(test_dot(body->d, body->f, n) >= -1e-12 * bound);
}

TEST(semidefinite_has_no_negative_direction) { test_every_body(few, 0.15, 1, check_semidefinite); }

/* The force that comes with the matrix is the force alone. */
static void check_fused(test_body *body)
{
  for (int semidefinite = 0; semidefinite < 2; semidefinite++) {
    test_forces(body, body->q, body->v, body->f);
    memset(body->g, 0, (size_t)body->n * sizeof *body->g);
    test_evaluate(body->model, body->q, body->v, body->g, 1, 0.1, semidefinite, body->A, NULL);
    CHECK(test_distance(body->g, body->f, body->n) <= 1e-12);
  }
}

TEST(force_is_the_same_with_and_without_matrix) { test_every_body(few, 0.15, 1, check_fused); }

/* ---- symmetries of space ---- */

/* f = the elastic forces, or the viscous ones: those odd in v, which leaves out inertial forces. */
static void part_of_forces(test_body *body, int viscous)
{
  test_forces(body, body->q, viscous ? body->v : NULL, body->f);
  if (!viscous) return;
  for (int i = 0; i < body->n; i++) body->d[i] = -body->v[i];
  test_forces(body, body->q, body->d, body->g);
  for (int i = 0; i < body->n; i++) body->f[i] = 0.5 * (body->f[i] - body->g[i]);
}

/* Sums of forces and torques, relative to the sums of their sizes. */
static void check_balance(test_body *body)
{
  if (body->model->unbalanced || body->model->ops->is_rigid) return;
  static const char *const parts[] = {"elastic", "viscous"};
  for (int part = 0; part < 2; part++) {
    part_of_forces(body, part);
    double force[3] = {0}, torque[3] = {0}, scale = 0;
    for (int a = 0; a < body->model->blocks; a++) {
      const double *x = body->q + 3 * a, *f = body->f + 3 * a;
      for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        int turns = pl_model_is_rotation(body->model, a);
        if (!turns && !pl_model_is_point(body->model, a)) continue;
        force[i] += turns ? 0 : f[i];
        torque[i] += turns ? f[i] : x[j] * f[k] - x[k] * f[j];
        scale += fabs(f[i]);
      }
    }
    CHECK(scale > 0);
    int before = test_failures;
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(force[i], 0, 1e-13 * scale);
      if (body->invariant) CHECK_NEAR(torque[i], 0, 1e-13 * scale);
    }
    if (test_failures > before) printf("    %s part\n", parts[part]);
  }
}

TEST(internal_forces_carry_no_momentum) { test_every_body(more, 0.2, 1, check_balance); }

/* A turn by about 100 degrees around an oblique axis. */
static void turn(const double *x, double *y)
{
  static const double a[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
  double c = cos(1.8), s = sin(1.8), along = test_dot(a, x, 3);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    y[i] = c * x[i] + s * (a[j] * x[k] - a[k] * x[j]) + (1 - c) * along * a[i];
  }
}

/* Vectors at the blocks; scalars stay. */
static void turn_all(const test_body *body, const double *x, double *y, int n)
{
  for (int i = 0; i < n; i += 3) {
    int kind = body->model->kinds ? body->model->kinds[i / 3] : PL_BLOCK_POINT;
    if (kind == PL_BLOCK_SCALARS)
      memcpy(y + i, x + i, 3 * sizeof *y);
    else
      turn(x + i, y + i);
  }
}

/* The same turn of a state, where some blocks may be rotations. */
static void turn_block(const test_body *body, int block, const double *x, double *y)
{
  static const double by[3] = {1.8 * 2 / 7, 1.8 * 3 / 7, 1.8 * 6 / 7};
  if (pl_model_is_rotation(body->model, block))
    pl_rotation_turn(x, by, y);
  else if (!pl_model_is_point(body->model, block))
    memcpy(y, x, 3 * sizeof *y);
  else
    turn(x, y);
}

static void check_turned(test_body *body)
{
  int n = body->n;
  if (!body->invariant) return;
  double *speed = test_vector(n);
  test_forces(body, body->q, body->v, body->f);
  turn_all(body, body->f, body->g, n);
  for (int i = 0; i < n; i += 3) turn_block(body, i / 3, body->q + i, body->d + i);
  turn_all(body, body->v, speed, n);
  test_forces(body, body->d, speed, body->f);
  CHECK(test_distance(body->f, body->g, n) <= 1e-12);
  free(speed);
}

TEST(turning_the_body_turns_the_forces) { test_every_body(few, 0.15, 1, check_turned); }

/* A moved (and turned) body, moving rigidly, feels nothing; forces are measured against modulus
 * times the area of an element's face, 0.01 m^2. */
static void check_rigid(test_body *body)
{
  double scale = test_material.mu * 0.01;
  const double shift[3] = {3, -2, 5}, spin[3] = {0.3, 2, -1};
  for (int a = 0; a < body->model->blocks; a++) {
    const double *X = body->model->rest + 3 * a;
    double *x = body->q + 3 * a, *v = body->v + 3 * a;
    for (int i = 0; i < 3; i++) x[i] = X[i];
    if (body->invariant) turn_block(body, a, X, x);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      v[i] = shift[i] + (body->invariant ? spin[j] * x[k] - spin[k] * x[j] : 0);
    }
    if (pl_model_is_rotation(body->model, a)) {
      for (int i = 0; i < 3; i++) v[i] = body->invariant ? spin[i] : 0;
      continue;
    }
    for (int i = 0; i < 3; i++) {
      int is_point = pl_model_is_point(body->model, a);
      x[i] = is_point ? x[i] + shift[i] : 0;
      if (!is_point) v[i] = 0;
    }
  }
  for (int part = 0; part < 2; part++) {
    part_of_forces(body, part);
    for (int i = 0; i < body->n; i++) CHECK_NEAR(body->f[i], 0, 1e-12 * scale);
  }
}

TEST(rigid_motion_gives_no_force) { test_every_body(few, 0.15, 1, check_rigid); }

/* ---- the patch test ---- */

/* A linear field of displacements and velocities strains all elements alike, whatever their shape:
 * forces at inner nodes cancel. */
static void check_patch(test_body *body)
{
  // springs make no continuum
  if (pl_param_find(&body->model->ops->info, "strain") < 0) return;
  if (body->model->unbalanced) return;
  static const double G[9] = {1.1, 0.05, -0.02, 0.07, 0.95, 0.04, -0.03, 0.02, 1.05};
  static const double D[9] = {0.3, -0.2, 0.1, 0.4, 0.2, -0.5, 0.1, 0.6, -0.3};
  // control points have no neighbours to cancel with
  if (body->model->anchors) return;
  for (int a = 0; a < body->model->blocks; a++) {
    for (int i = 0; i < 3; i++) {
      body->q[3 * a + i] = test_dot(G + 3 * i, body->mesh->nodes + 3 * a, 3);
      body->v[3 * a + i] = test_dot(D + 3 * i, body->mesh->nodes + 3 * a, 3);
    }
  }
  test_forces(body, body->q, body->v, body->f);
  int inner = 0;
  double largest = 0, worst = 0;
  char *outer = calloc((size_t)body->model->blocks, 1);
  for (int i = 0; i < body->mesh->face_count * body->mesh->nodes_per_face; i++)
    outer[body->mesh->faces[i]] = 1;
  for (int a = 0; a < body->model->blocks; a++) {
    double force = test_length(body->f + 3 * a, 3);
    largest = fmax(largest, force);
    if (!outer[a]) worst = fmax(worst, force);
    inner += !outer[a];
  }
  CHECK(inner >= 8);
  CHECK(worst <= 1e-10 * largest);
  free(outer);
}

TEST(patch_test) { test_every_body((const int[3]){3, 3, 3}, 0.25, 0, check_patch); }

/* ---- mass ---- */

/* A third of x . n over the surface. */
static double volume_inside(const pl_mesh *mesh)
{
  double sum = 0;
  for (int f = 0; f < mesh->face_count; f++) {
    double area[3];
    pl_face_area(mesh->nodes, mesh->faces + 3 * f, 3, area);
    sum += test_dot(area, mesh->nodes + 3 * mesh->faces[3 * f], 3) / 3;
  }
  return sum;
}

static void check_mass(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  double volume = 0, lumped = 0, scale = 0;
  for (int e = 0; e < body->mesh->element_count; e++)
    volume += pl_element_volume(body->mesh->nodes,
                                body->mesh->elements + e * body->mesh->nodes_per_element,
                                body->mesh->nodes_per_element);
  for (int a = 0; a < body->model->blocks; a++) {
    CHECK((body->model->lumped_mass[a] > 0) == pl_model_is_point(body->model, a));
    lumped += body->model->lumped_mass[a];
  }
  // triangles are 1 mm thick unless told otherwise, or closed around something rigid
  if (body->mesh->nodes_per_element == 3) volume *= 1e-3;
  // and segments 1 cm
  if (body->mesh->nodes_per_element == 2) volume *= 0.25e-4 * 3.14159265358979323846;
  if (body->mesh->nodes_per_element == 3 && ops->is_rigid) volume = volume_inside(body->mesh);
  double mass = test_material.density * volume;
  CHECK_NEAR(lumped, mass, 1e-12 * mass);

  // M times a translation is the lumped mass
  for (int i = 0; i < body->n; i++) body->d[i] = pl_model_is_point(body->model, i / 3);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  ops->mass_add(body->model, 2, body->d, body->f, NULL);
  for (int i = 0; i < body->n; i++) {
    if (pl_model_is_point(body->model, i / 3))
      CHECK_NEAR(body->f[i], 2 * body->model->lumped_mass[i / 3], 1e-13 * mass);
  }

  // the matrix and the product agree, and M is positive
  test_fill(body->d, body->n, 1);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  ops->mass_add(body->model, -1.5, body->d, body->f, NULL);
  pl_bsr_zero(body->A, NULL);
  ops->mass_matrix(body->model, -1.5, body->A, NULL);
  pl_bsr_multiply(body->A, body->d, body->g, NULL);
  for (int i = 0; i < body->n; i++) scale = fmax(scale, fabs(body->g[i]));
  CHECK(test_distance(body->f, body->g, body->n) <= 1e-13);
  CHECK(test_dot(body->f, body->d, body->n) < 0);
}

TEST(mass_is_density_times_volume) { test_every_body(more, 0.2, 1, check_mass); }

TESTS(X(force_is_minus_the_slope_of_the_energy) X(tensors_are_those_of_a_linear_map)
          X(stiffness_is_minus_the_slope_of_the_force) X(every_law_in_every_model)
              X(energy_densities_sum_to_the_energy) X(damping_is_minus_the_slope_by_velocity)
                  X(stiffness_is_symmetric) X(semidefinite_has_no_negative_direction)
                      X(force_is_the_same_with_and_without_matrix)
                          X(internal_forces_carry_no_momentum) X(turning_the_body_turns_the_forces)
                              X(rigid_motion_gives_no_force) X(patch_test)
                                  X(mass_is_density_times_volume))
