/* What is special to frames: the map from control points to nodes, the mass of a frame, weights,
 * both instruction sets, bad places. */
#include "mesh/skin.h"
#include "mesh/solid.h"
#include "model/frames/frames.h"

#include "bodies.h"

static const int few[3] = {3, 2, 2};

static void check_frames(test_body *body, void (*check)(test_body *body))
{
  if (body->model->ops == &pl_model_frames) check(body);
}

#define FRAMES_TEST(name, check)                                                                   \
  static void only_##name(test_body *body) { check_frames(body, check); }                          \
  TEST(name) { test_every_body(few, 0.15, 1, only_##name); }

/* ---- the map ---- */

/* Control points at rest carry the nodes where they are, and so does any affine motion of both. */
static void check_affine(test_body *body)
{
  static const double G[9] = {1.1, 0.05, -0.02, 0.07, 0.95, 0.04, -0.03, 0.02, 1.05};
  int nodes = body->mesh->node_count, elements = body->mesh->element_count;
  double *x = test_vector(3 * nodes), *ratio = test_vector(elements);
  for (int i = 0; i < body->n; i++)
    body->q[i] = test_dot(G + 3 * (i % 3), body->model->rest + 3 * (i / 3), 3) + 0.5;
  body->model->ops->nodes(body->model, body->q, NULL, x);
  for (int i = 0; i < 3 * nodes; i++)
    CHECK_NEAR(x[i], test_dot(G + 3 * (i % 3), body->mesh->nodes + 3 * (i / 3), 3) + 0.5, 1e-13);
  // the volume ratio is then the same in all samples
  double det = G[0] * (G[4] * G[8] - G[5] * G[7]) + G[1] * (G[5] * G[6] - G[3] * G[8]) +
               G[2] * (G[3] * G[7] - G[4] * G[6]);
  body->model->ops->fields(body->model, body->q, NULL, ratio, NULL);
  for (int e = 0; e < elements; e++) CHECK_NEAR(ratio[e], det, 1e-12);
  free(x);
  free(ratio);
}
FRAMES_TEST(affine_motions_are_exact, check_affine)

/* Forces on nodes do the same work on the nodes and on the blocks. */
static void check_transposed(test_body *body)
{
  const pl_model_ops *ops = body->model->ops;
  int n = 3 * body->mesh->node_count;
  double *x = test_vector(n), *force = test_vector(n);
  test_fill(force, n, 1);
  ops->nodes(body->model, body->q, NULL, x);
  memset(body->f, 0, (size_t)body->n * sizeof *body->f);
  ops->spread(body->model, body->q, force, body->f);
  CHECK_NEAR(test_dot(body->f, body->q, body->n), test_dot(force, x, n), 1e-12 * n);
  for (int node = 0; node < body->mesh->node_count; node++) {
    const int *blocks;
    const double *weights;
    double at[3] = {0}, sum = 0;
    int count = ops->carriers(body->model, node, &blocks, &weights);
    for (int k = 0; k < count; k++) {
      sum += weights[k];
      for (int i = 0; i < 3; i++) at[i] += weights[k] * body->q[3 * blocks[k] + i];
    }
    CHECK_NEAR(sum, 1, 1e-14);
    for (int i = 0; i < 3; i++) CHECK_NEAR(at[i], x[3 * node + i], 1e-14);
  }
  free(x);
  free(force);
}
FRAMES_TEST(forces_go_the_way_back, check_transposed)

/* ---- mass ---- */

/* The points' masses have the body's mass centre and moments of inertia; the consistent mass is
 * that of the samples, so x^T M x of a linear field agrees with the sum over points. */
static void check_moments(test_body *body)
{
  const double *rest = body->model->rest, *m = body->model->lumped_mass;
  double *Mx = test_vector(body->n), mass = 0;
  body->model->ops->mass_add(body->model, 1, rest, Mx, NULL);
  for (int b = 0; b < body->model->blocks; b++) mass += m[b];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double points = 0, blended = 0;
      for (int b = 0; b < body->model->blocks; b++) {
        points += m[b] * rest[3 * b + i] * rest[3 * b + j];
        blended += Mx[3 * b + i] * rest[3 * b + j];
      }
      CHECK_NEAR(points, blended, 1e-12 * mass);
    }
  }
  free(Mx);
}
FRAMES_TEST(lumped_points_have_the_moments_of_inertia, check_moments)

/* ---- instruction sets ---- */

#define BASE(name) &pl_strain_##name##_base,
static const pl_strain_ops *const base_strains[] = {PL_STRAINS(BASE)};

static void check_variants(test_body *body)
{
  pl_frames *frames = body->model->state;
  int elements = body->mesh->element_count;
  size_t values = 9 * (size_t)body->A->start[body->A->rows];
  double *matrix = test_vector((int)values), *stress[2], energy[2];
  for (int side = 0; side < 2; side++) {
    double *f = side ? body->g : body->f;
    stress[side] = test_vector(elements);
    memset(f, 0, (size_t)body->n * sizeof *f);
    test_evaluate(body->model, body->q, body->v, f, 1, 0.1, 1, body->A, NULL);
    energy[side] = body->model->ops->energy(body->model, body->q, NULL);
    body->model->ops->fields(body->model, body->q, stress[side], NULL, NULL);
    if (side) break;
    memcpy(matrix, body->A->values, values * sizeof *matrix);
    for (int k = 0; k < (int)(sizeof base_strains / sizeof *base_strains); k++) {
      if (frames->field.groups.list->points != &pl_strain_at(k)->points) continue;
      frames->field.groups.list->points = &base_strains[k]->points;
      break;
    }
    frames->kernel = pl_frames_kernels_base;
  }
  CHECK(energy[0] == energy[1]);
  CHECK(!memcmp(body->f, body->g, (size_t)body->n * sizeof(double)));
  CHECK(!memcmp(matrix, body->A->values, values * sizeof(double)));
  CHECK(!memcmp(stress[0], stress[1], (size_t)elements * sizeof(double)));
  free(matrix);
  free(stress[0]);
  free(stress[1]);
}
FRAMES_TEST(both_instruction_sets_give_the_same_bits, check_variants)

/* ---- weights ---- */

/* Between two frames whose balls reach over the whole section, harmonic weights fall linearly. */
TEST(harmonic_weights_of_a_bar)
{
  enum { LENGTH = 10 };
  pl_allocator memory = pl_allocator_default();
  for (int size = 4; size <= 8; size += 4) {
    pl_mesh *mesh = test_mesh(NULL, size, (const int[3]){LENGTH, 1, 1}, 0, 0);
    // the balls hold the sections at x = 0 and x = 1, and no other
    const double origins[] = {0, 0.05, 0.05, 1, 0.05, 0.05};
    double *w = test_vector(2 * mesh->node_count);
    CHECK_OK(pl_frames_weigh(&memory, mesh, 2, origins,
                             &(pl_weighing){.kind = PL_WEIGHTS_HARMONIC, .seed = 0.075}, w, error));
    for (int n = 0; n < mesh->node_count; n++) {
      CHECK_NEAR(w[2 * n], 1 - mesh->nodes[3 * n], 1e-8);
      CHECK_NEAR(w[2 * n] + w[2 * n + 1], 1, 1e-14);
    }
    free(w);
    pl_mesh_destroy(mesh);
  }
}

TEST(weights_share_every_node)
{
  pl_allocator memory = pl_allocator_default();
  pl_mesh *mesh = test_mesh(NULL, 4, (const int[3]){6, 4, 3}, 0.2, 1);
  for (int kind = PL_WEIGHTS_HARMONIC; kind <= PL_WEIGHTS_GEODESIC; kind++) {
    enum { COUNT = 5 };
    double origins[3 * COUNT], *w = test_vector(COUNT * mesh->node_count);
    pl_frames_place(mesh, COUNT, kind, origins);
    CHECK_OK(
        pl_frames_weigh(&memory, mesh, COUNT, origins, &(pl_weighing){.kind = kind}, w, error));
    for (int n = 0; n < mesh->node_count; n++) {
      double sum = 0;
      for (int i = 0; i < COUNT; i++) {
        // cubics overshoot
        double below = kind == PL_WEIGHTS_SPLINE ? 0.25 : 0;
        CHECK(w[COUNT * n + i] >= -below && w[COUNT * n + i] <= 1 + below);
        sum += w[COUNT * n + i];
      }
      CHECK_NEAR(sum, 1, 1e-14);
    }
    free(w);
  }
  pl_mesh_destroy(mesh);
}

/* ---- bad places ---- */

static pl_status make(const pl_mesh *mesh, const char *weights, int count, const double *at,
                      pl_error *error)
{
  pl_selection part = {&pl_model_frames.info, {0}};
  pl_setting setting = {.name = "weights", .word = weights};
  pl_choice choice = {"frames", &setting, 1};
  pl_model *model = NULL;
  pl_model_def sites = {.count = count, .at = at};
  pl_status status = pl_choice_resolve(&pl_model_family, &choice, &part.member, part.values, error);
  if (!status) status = pl_model_build(NULL, &part, mesh, &test_material, &sites, &model, error);
  pl_model_destroy(model);
  return status;
}

/* A few frames of a bar stand on its axis, whose ends they hold as a whole; those of a cube in its
 * corners. */
TEST(a_bar_has_its_frames_on_the_axis)
{
  pl_mesh *bar = test_mesh(NULL, 8, (const int[3]){8, 2, 2}, 0, 0);
  pl_mesh *cube = test_mesh(NULL, 8, (const int[3]){3, 3, 3}, 0, 0);
  double at[3 * PL_MOST_FRAMES];
  pl_frames_place(bar, 5, PL_WEIGHTS_HARMONIC, at);
  for (int i = 0; i < 5; i++) {
    CHECK_NEAR(at[3 * i], 0.2 * i, 1e-15);
    CHECK_NEAR(at[3 * i + 1], 0.1, 1e-15);
  }
  // more than the axis has room for go to the surface
  pl_frames_place(bar, 20, PL_WEIGHTS_HARMONIC, at);
  CHECK(at[1] == 0 || fabs(at[1] - 0.2) < 1e-15);
  pl_frames_place(cube, 2, PL_WEIGHTS_GEODESIC, at);
  for (int k = 0; k < 6; k++) CHECK(at[k] == 0 || fabs(at[k] - 0.3) < 1e-15);
  pl_mesh_destroy(bar);
  pl_mesh_destroy(cube);
}

/* Weights that are not normalised count by their ratios: these are those of the weights themselves
 * (inverse squared distances here), the sum is 1 and has no slope, and a shift is felt by nobody.
 */
static void check_raw(const char *name)
{
  pl_mesh *mesh = test_mesh(NULL, 8, few, 0.15, 0);
  const double sites[] = {0, 0, 0, 0.3, 0.2, 0.2, 0.1, 0.2, 0};
  pl_setting settings[] = {{.name = "weights", .word = "euclidean"},
                           {.name = "normalise", .value = {0}}};
  pl_selection part = {0};
  pl_model *model = NULL;
  CHECK_OK(pl_choice_resolve(&pl_model_family, &(pl_choice){name, settings, 2}, &part.member,
                             part.values, error));
  const pl_allocator memory = pl_allocator_default();
  CHECK_OK(pl_model_build(&memory, &part, mesh, &test_material,
                          &(pl_model_def){.count = 3, .at = sites}, &model, error));
  const pl_frame_field *field = model->state; // comes first in both
  CHECK(field->sums != NULL);
  for (int s = 0; s < field->samples; s++) {
    pl_sample at = pl_sample_at(mesh, field->points, s);
    double sum = 0, slope[3] = {0}, w[3], g[3], raw[3] = {0};
    for (int i = 0; i < 3; i++) {
      pl_frame_weight_at(field, &at, i, &w[i], g);
      sum += w[i];
      for (int k = 0; k < 3; k++) slope[k] += g[k];
      for (int a = 0; a < at.node_count; a++)
        raw[i] += at.N[a] * field->sums[at.nodes[a]] * field->weights[3 * at.nodes[a] + i];
    }
    CHECK_NEAR(sum, 1, 1e-14);
    for (int k = 0; k < 3; k++) CHECK_NEAR(slope[k], 0, 1e-12);
    for (int i = 1; i < 3; i++) CHECK_NEAR(w[i] * raw[0], w[0] * raw[i], 1e-14);
  }
  int n = 3 * model->blocks, turns = pl_model_has_rotations(model);
  double *q = test_vector(n), *f = test_vector(n);
  for (int i = 0; i < n; i++)
    q[i] = model->rest[i] + (turns && i / 3 % 2 == 0 ? 0 : 0.1 + 0.2 * (i % 3));
  memset(f, 0, (size_t)n * sizeof *f);
  test_evaluate(model, q, NULL, f, 0, 0, 0, NULL, NULL);
  for (int i = 0; i < n; i++) CHECK_NEAR(f[i], 0, 1e-9);
  free(q);
  free(f);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
}

TEST(weights_that_are_not_normalised)
{
  check_raw("frames");
  check_raw("rigid-frames");
}

/* Slopes of weights in the middle of a voxel are central differences over half a voxel to both
 * sides: of w = x^3 they are 3 x^2 + h^2 / 4, a quarter of the error h^2 of those over a whole
 * voxel to both sides, from the middles of its neighbours. */
TEST(slopes_are_central_differences)
{
  pl_mesh *mesh = test_mesh(NULL, 8, (const int[3]){6, 1, 1}, 0, 0);
  double *weights = test_vector(mesh->node_count), h = 0.1;
  for (int n = 0; n < mesh->node_count; n++) weights[n] = pow(mesh->nodes[3 * n], 3);
  const pl_frame_field field = {.count = 1, .points = 1, .weights = weights};
  for (int e = 0; e < 6; e++) {
    pl_sample at = pl_sample_at(mesh, 1, e);
    double w, g[3], x = at.X[0], far = (pow(x + h, 3) - pow(x - h, 3)) / (2 * h);
    pl_frame_weight_at(&field, &at, 0, &w, g);
    CHECK_NEAR(g[0] - 3 * x * x, h * h / 4, 1e-14);
    CHECK_NEAR(far - 3 * x * x, h * h, 1e-14);
    CHECK_NEAR(g[1], 0, 1e-14);
  }
  free(weights);
  pl_mesh_destroy(mesh);
}

TEST(bad_places_are_refused)
{
  pl_mesh *mesh = test_mesh(NULL, 4, few, 0, 0);
  const double twice[] = {0.1, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1};
  const double outside[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.5};
  const double aside[] = {0, 0.1, 0.1, 0.15, 0, 0.1, 0.15, 0.2, 0.1, 0.3, 0.1, 0.1};
  CHECK_FAILS(make(mesh, "harmonic", 3, twice, error), PL_E_ARGUMENT,
              "frames 1 and 3 both stand at (0.1, 0.1, 0.1)");
  CHECK_FAILS(make(mesh, "harmonic", 2, outside, error), PL_E_ARGUMENT,
              "frame 2 at (0.1, 0.1, 0.5) lies 0.3 m outside");
  CHECK_FAILS(make(mesh, "linear", 4, aside, error), PL_E_ARGUMENT, "stand side by side");
  CHECK_OK(make(mesh, "harmonic", 4, aside, error));
  double *many = test_vector(3 * (PL_MOST_FRAMES + 1));
  CHECK_FAILS(make(mesh, "harmonic", PL_MOST_FRAMES + 1, many, error), PL_E_LIMIT, "at most 64");
  free(many);
  pl_mesh_destroy(mesh);
}

/* Two cubes apart, frames in one of them only. */
TEST(a_part_that_no_frame_reaches)
{
  double nodes[16 * 3];
  int elements[2][8];
  for (int n = 0; n < 16; n++) {
    int c = n % 8;
    nodes[3 * n] = (c % 4 == 1 || c % 4 == 2) + 3 * (n / 8);
    nodes[3 * n + 1] = c % 4 > 1;
    nodes[3 * n + 2] = c / 4;
    elements[n / 8][c] = n;
  }
  pl_mesh_def def = {.node_count = 16,
                     .nodes = nodes,
                     .element_count = 2,
                     .nodes_per_element = 8,
                     .elements = elements[0]};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  const double at[] = {0, 0, 0, 1, 1, 1};
  CHECK_FAILS(make(mesh, "harmonic", 2, at, error), PL_E_ARGUMENT, "is reached by no frame");
  CHECK_OK(make(mesh, "euclidean", 2, at, error));
  pl_mesh_destroy(mesh);
}

/* A frame that reaches 0.05 m in a bar of 1.2 m. */
TEST(a_sample_beyond_all_cutoffs)
{
  pl_mesh *mesh = test_mesh(NULL, 8, (const int[3]){12, 1, 1}, 0, 0);
  const double at[] = {0, 0, 0};
  pl_allocator memory = pl_allocator_default();
  double *w = test_vector(mesh->node_count);
  for (int kind = PL_WEIGHTS_HARMONIC; kind <= PL_WEIGHTS_GEODESIC; kind++)
    CHECK_FAILS(pl_frames_weigh(&memory, mesh, 1, at, &(pl_weighing){.kind = kind, .cutoff = 0.05},
                                w, error),
                PL_E_ARGUMENT, "is reached by no frame");
  free(w);
  pl_mesh_destroy(mesh);
}

static pl_status fill_voxels(const pl_volume *volume, double size, pl_mesh **mesh, pl_error *error)
{
  pl_setting setting = {.name = "size", .value = {size}};
  return pl_fill(volume, &(pl_choice){"voxels", &setting, 1}, NULL, mesh, error);
}

/* A ball of 0.4 m lies between the middles of 2 x 2 x 2 voxels of 0.3 m. */
TEST(an_empty_voxelisation_is_refused)
{
  pl_setting radius = {.name = "radius", .value = {0.2}};
  pl_solid_row row = {{"sphere", &radius, 1}, 0};
  pl_solid *solid = NULL;
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_solid_create(&row, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  CHECK_FAILS(fill_voxels(&volume, 0.3, &mesh, error), PL_E_ARGUMENT,
              "no element fits into the shape with a size of 0.3 m; make it smaller");
  CHECK_OK(fill_voxels(&volume, 0.05, &mesh, error));
  pl_mesh_destroy(mesh);
  pl_solid_destroy(solid);
}

/* A surface whose triangles all face inwards is turned, and gives the same samples. */
TEST(a_flipped_surface_is_turned)
{
  pl_mesh *body = test_mesh(NULL, 4, few, 0, 0), *hull = NULL, *filled[2] = {NULL, NULL};
  CHECK_OK(pl_mesh_boundary(body, NULL, &hull, error));
  for (int flip = 0; flip < 2; flip++) {
    pl_skin *skin = NULL;
    for (int t = 0; flip && t < hull->element_count; t++) {
      int *n = hull->elements + 3 * t, first = n[0];
      n[0] = n[1];
      n[1] = first;
    }
    CHECK_OK(pl_skin_create(&(pl_skin_def){.point_count = hull->node_count,
                                           .points = hull->nodes,
                                           .triangle_count = hull->element_count,
                                           .triangles = hull->elements},
                            &skin, error));
    CHECK(skin->facts.turned_triangles == (flip ? hull->element_count : 0));
    pl_volume volume = pl_skin_volume(skin);
    CHECK_OK(fill_voxels(&volume, 0.05, &filled[flip], error));
    pl_skin_destroy(skin);
  }
  CHECK(filled[0]->element_count == 6 * 4 * 4);
  CHECK(filled[0]->element_count == filled[1]->element_count);
  const double at[] = {0.05, 0.1, 0.1, 0.25, 0.1, 0.1};
  CHECK_OK(make(filled[1], "harmonic", 2, at, error));
  pl_mesh_destroy(filled[0]);
  pl_mesh_destroy(filled[1]);
  pl_mesh_destroy(hull);
  pl_mesh_destroy(body);
}

TESTS(X(affine_motions_are_exact) X(forces_go_the_way_back)
          X(lumped_points_have_the_moments_of_inertia) X(both_instruction_sets_give_the_same_bits)
              X(harmonic_weights_of_a_bar) X(weights_share_every_node)
                  X(a_bar_has_its_frames_on_the_axis) X(weights_that_are_not_normalised)
                      X(slopes_are_central_differences) X(bad_places_are_refused)
                          X(a_part_that_no_frame_reaches) X(a_sample_beyond_all_cutoffs)
                              X(an_empty_voxelisation_is_refused) X(a_flipped_surface_is_turned))
