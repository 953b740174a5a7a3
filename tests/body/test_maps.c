/* Every map with random values: positive, continuous, the same when all is moved, and what an
 * element takes lies between the least and the largest value in it. */
#include "body/map.h"
#include "test.h"

enum { TRIALS = 100, MOST = 10, SIDE = 3 };

static double grey[SIDE * SIDE * SIDE];

static pl_voxels make_image(double shift)
{
  return (pl_voxels){.size = {SIDE, SIDE, SIDE},
                     .values = grey,
                     .full = 1,
                     .origin = {shift, shift, shift},
                     .voxel = {0.25, 0.375, 0.5}};
}

/* Places around the unit cube, factors around 1; those of an image keep their presets. */
static pl_status draw(const pl_map_ops *ops, pl_setting *settings, double *values)
{
  const pl_member *member;
  for (int i = 0; i < ops->info.param_count; i++) {
    const pl_param *param = &ops->info.params[i];
    settings[i] = (pl_setting){.name = param->name};
    for (int k = 0; k < pl_param_width(param); k++)
      settings[i].value[k] = param->width == 3 ? 0.5 + test_uniform() : 0.75 + 0.7 * test_uniform();
  }
  int count = ops->needs_image ? 0 : ops->info.param_count;
  CHECK_OK(pl_choice_resolve(&pl_map_family, &(pl_choice){ops->info.name, settings, count}, &member,
                             values, error));
  return ops->check ? ops->check(values, NULL) : PL_OK;
}

static void draw_checked(const pl_map_ops *ops, pl_setting *settings, double *values)
{
  pl_status status = PL_E_ARGUMENT;
  for (int i = 0; i < 1000 && status; i++) status = draw(ops, settings, values);
  CHECK(!status);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) grey[i] = 0.5 + 0.5 * test_uniform();
}

static void check_values(const pl_map_ops *ops)
{
  for (int trial = 0; trial < TRIALS; trial++) {
    pl_setting settings[MOST];
    double values[PL_MOST_VALUES], moved[PL_MOST_VALUES], x[3], y[3], z[3];
    draw_checked(ops, settings, values);
    memcpy(moved, values, sizeof moved);
    for (int i = 0; i < ops->info.param_count; i++) {
      const pl_param *param = &ops->info.params[i];
      int is_place = strcmp(param->unit, "m") == 0 && param->width == 3;
      for (int k = 0; k < 3 && is_place; k++) moved[pl_param_place(&ops->info, i) + k] += 4;
    }
    for (int k = 0; k < 3; k++) {
      x[k] = 0.5 + test_uniform();
      y[k] = x[k] + 1e-9 * test_uniform();
      z[k] = x[k] + 4;
    }
    const pl_voxels here = make_image(0), there = make_image(4);
    double factor = ops->at(values, &here, x);
    CHECK(factor > 0 && isfinite(factor));
    CHECK_NEAR(ops->at(values, &here, y), factor, 1e-5);
    CHECK_NEAR(ops->at(moved, &there, z), factor, 1e-9);
  }
}

static void check_elements(const pl_map_ops *ops)
{
  pl_setting cells = {.name = "cells", .value = {3, 3, 3}}, settings[MOST];
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", &cells, 1}, NULL, &mesh, error));
  double values[PL_MOST_VALUES], *factors = malloc((size_t)mesh->element_count * sizeof *factors);
  for (int trial = 0; trial < 5; trial++) {
    draw_checked(ops, settings, values);
    const pl_voxels image = make_image(0);
    int count = ops->needs_image ? 0 : ops->info.param_count;
    pl_map_def def = {.map = {ops->info.name, settings, count}, .image = &image};
    for (int e = 0; e < mesh->element_count; e++) factors[e] = 1;
    CHECK_OK(pl_map_apply(&def, mesh, factors, error));
    for (int e = 0; e < mesh->element_count; e++) {
      double min = INFINITY, max = 0;
      // points in the element, and its corners
      for (int i = 0; i < 200; i++) {
        double x[3] = {0}, sum = 0;
        for (int a = 0; a < mesh->nodes_per_element; a++) {
          double w = i < mesh->nodes_per_element ? i == a : 1 + test_uniform();
          for (int k = 0; k < 3; k++)
            x[k] += w * mesh->nodes[3 * mesh->elements[mesh->nodes_per_element * e + a] + k];
          sum += w;
        }
        for (int k = 0; k < 3; k++) x[k] /= sum;
        min = fmin(min, ops->at(values, &image, x));
        max = fmax(max, ops->at(values, &image, x));
      }
      CHECK(factors[e] > 0.98 * min - 0.02 && factors[e] < 1.02 * max + 0.02);
    }
  }
  free(factors);
  pl_mesh_destroy(mesh);
}

static void every_map(void (*check)(const pl_map_ops *))
{
  for (int m = 0; pl_map_family.members[m]; m++) {
    int before = test_failures;
    CHECK(pl_map_family.members[m]->param_count <= MOST);
    check((const pl_map_ops *)(const void *)pl_map_family.members[m]);
    if (test_failures > before) printf("  with %s\n", pl_map_family.members[m]->name);
  }
}

TEST(factors_are_positive_continuous_and_move_along) { every_map(check_values); }
TEST(elements_take_a_mean) { every_map(check_elements); }

TESTS(X(factors_are_positive_continuous_and_move_along) X(elements_take_a_mean))
