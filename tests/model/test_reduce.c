/* Fewer samples: what they keep of the body, and what is refused. */
// label: long
#include "bodies.h"
#include "model/frames/frames.h"
#include "model/frames/rigid.h"

static const int cells[3] = {12, 4, 4};

static const struct {
  const char *model, *motion;
} kinds[] = {{"frames", "affine"},
             {"frames", "quadratic"},
             {"rigid-frames", "dual-quaternion"},
             {"rigid-frames", "linear"}};

static pl_status build(int kind, int clusters, pl_mesh *mesh, const pl_model_def *sites,
                       const pl_allocator *allocator, pl_model **model, pl_error *error)
{
  int rigid = !strcmp(kinds[kind].model, "rigid-frames");
  pl_setting settings[] = {{.name = "strain", .word = "green"},
                           {.name = rigid ? "blending" : "motion", .word = kinds[kind].motion},
                           {.name = "frames", .value = {4}},
                           {.name = "clusters", .value = {clusters}}};
  pl_choice choice = {kinds[kind].model, settings, 4};
  pl_selection part;
  *model = NULL;
  pl_status status = pl_choice_resolve(&pl_model_family, &choice, &part.member, part.values, error);
  if (status) return status;
  return pl_model_build(allocator, &part, mesh, &test_material, sites, model, error);
}

static const pl_frame_field *field_of(const pl_model *model)
{
  if (model->ops == &pl_model_frames) return &((const pl_frames *)model->state)->field;
  return &((const pl_rigid *)model->state)->field;
}

/* Mass does not depend on how many samples give forces: to the last bit. */
TEST(mass_is_kept)
{
  for (int kind = 0; kind < 4; kind++) {
    pl_mesh *mesh = test_mesh(NULL, 8, cells, 0.1, 1);
    pl_model *all, *few;
    CHECK_OK(build(kind, 0, mesh, NULL, NULL, &all, error));
    CHECK_OK(build(kind, 80, mesh, NULL, NULL, &few, error));
    CHECK(field_of(few)->samples > 20 && field_of(few)->samples <= 80);
    CHECK(!memcmp(all->lumped_mass, few->lumped_mass, (size_t)all->blocks * sizeof(double)));
    double volume = 0, whole = 0;
    for (int s = 0; s < field_of(few)->samples; s++) volume += field_of(few)->volumes[s];
    for (int e = 0; e < mesh->element_count; e++)
      whole += pl_element_volume(mesh->nodes, mesh->elements + 8 * e, 8);
    CHECK_NEAR(volume, whole, 1e-12 * whole);
    pl_model_destroy(all);
    pl_model_destroy(few);
    pl_mesh_destroy(mesh);
  }
}

/* A uniform strain costs the same: the volumes sum to that of the body. */
TEST(uniform_strain_is_kept)
{
  static const double G[9] = {1.1, 0.05, -0.02, 0.07, 0.95, 0.04, -0.03, 0.02, 1.05};
  pl_mesh *mesh = test_mesh(NULL, 8, cells, 0.1, 1);
  double energy[2];
  for (int side = 0; side < 2; side++) {
    pl_model *model;
    CHECK_OK(build(0, side ? 40 : 0, mesh, NULL, NULL, &model, error));
    double *q = test_vector(3 * model->blocks);
    for (int i = 0; i < 3 * model->blocks; i++)
      q[i] = test_dot(G + 3 * (i % 3), model->rest + 3 * (i / 3), 3);
    energy[side] = model->ops->energy(model, q, NULL);
    free(q);
    pl_model_destroy(model);
  }
  CHECK_NEAR(energy[1], energy[0], 1e-11 * energy[0]);
  pl_mesh_destroy(mesh);
}

/* d.K d of few samples over that of all, in random directions at rest: the mean and the farthest
 * from 1. */
static void compare(int kind, int clusters, const pl_model_def *sites, double *mean, double *worst)
{
  enum { DIRECTIONS = 40 };
  pl_mesh *mesh = test_mesh(NULL, 8, cells, 0.1, 1);
  double works[2][DIRECTIONS];
  for (int side = 0; side < 2; side++) {
    pl_model *model;
    CHECK_OK(build(kind, side ? clusters : 0, mesh, sites, NULL, &model, error));
    pl_bsr *A = test_matrix(model, NULL, 0);
    CHECK_OK(model->ops->bind(model, A, 0, error));
    int n = 3 * model->blocks;
    double *d = test_vector(n), *Ad = test_vector(n);
    test_evaluate(model, model->rest, NULL, NULL, 1, 0, 0, A, NULL);
    test_seed = 4711;
    for (int k = 0; k < DIRECTIONS; k++) {
      test_fill(d, n, 1);
      pl_bsr_multiply(A, d, Ad, NULL);
      works[side][k] = test_dot(d, Ad, n);
    }
    free(d);
    free(Ad);
    pl_bsr_destroy(A);
    pl_model_destroy(model);
  }
  *mean = *worst = 0;
  for (int k = 0; k < DIRECTIONS; k++) {
    double ratio = works[1][k] / works[0][k];
    *mean += ratio / DIRECTIONS;
    *worst = fmax(*worst, fabs(ratio - 1));
  }
  pl_mesh_destroy(mesh);
}

/* Of 1536 samples: with 100 the stiffness is kept to 13 % in any of these directions (quadratic
 * frames, 120 unknowns; 8 % with fewer unknowns), with 300 to 2.2 %. */
TEST(stiffness_at_rest_is_kept)
{
  for (int kind = 0; kind < 4; kind++) {
    static const int counts[3] = {50, 100, 300};
    static const double far[3] = {0.3, 0.15, 0.03}, off[3] = {0.2, 0.1, 0.005};
    for (int c = 0; c < 3; c++) {
      double mean, worst;
      compare(kind, counts[c], NULL, &mean, &worst);
      printf("  %-12s %-15s %3d samples: mean %.4f, worst %.4f\n", kinds[kind].model,
             kinds[kind].motion, counts[c], mean, worst);
      CHECK(worst < far[c]);
      CHECK_NEAR(mean, 1, off[c]);
    }
  }
}

/* Also where every second layer is ten times as stiff. */
TEST(stiffness_of_layers_is_kept)
{
  pl_material each[12 * 4 * 4];
  for (int e = 0; e < 12 * 4 * 4; e++) {
    each[e] = test_material;
    if (e / 12 % 2) each[e].lambda *= 10, each[e].mu *= 10;
  }
  const pl_model_def sites = {.materials = each};
  for (int kind = 0; kind < 4; kind++) {
    double mean, worst;
    compare(kind, 200, &sites, &mean, &worst);
    printf("  %-12s %-15s: mean %.4f, worst %.4f\n", kinds[kind].model, kinds[kind].motion, mean,
           worst);
    CHECK(worst < 0.1);
  }
}

TEST(bad_counts_are_refused)
{
  pl_mesh *mesh = test_mesh(NULL, 8, cells, 0, 0);
  pl_model *model;
  CHECK_FAILS(build(1, 10, mesh, NULL, NULL, &model, error), PL_E_ARGUMENT,
              "clusters = 10 are too few for 120 unknowns");
  // more than there are: all of them
  CHECK_OK(build(0, 5000, mesh, NULL, NULL, &model, error));
  CHECK(field_of(model)->samples == 8 * 192 && !field_of(model)->list);
  pl_model_destroy(model);
  pl_setting settings[] = {{.name = "mass", .word = "consistent"},
                           {.name = "clusters", .value = {100}}};
  CHECK_FAILS(pl_model_create(NULL, &(pl_choice){"frames", settings, 2}, mesh, &test_material,
                              &model, error),
              PL_E_ARGUMENT, "need mass=\"lumped\"");
  pl_setting many[] = {{.name = "frames", .value = {60}}, {.name = "clusters", .value = {1000}}};
  CHECK_FAILS(
      pl_model_create(NULL, &(pl_choice){"frames", many, 2}, mesh, &test_material, &model, error),
      PL_E_LIMIT, "at most 640 unknowns");
  pl_mesh_destroy(mesh);
}

TESTS(X(mass_is_kept) X(uniform_strain_is_kept) X(stiffness_at_rest_is_kept)
          X(stiffness_of_layers_is_kept) X(bad_counts_are_refused))
