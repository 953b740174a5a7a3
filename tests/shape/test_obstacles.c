/* Every shape of obstacles: its gap is a distance, its gradient and Hessian are the gap's
 * derivatives, everything inside lies in its box, its drawing lies on it; and what has no size or
 * does not fit is refused. */
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/skin.h"
#include "pliant/mesh.h"
#include "shape/obstacle.h"
#include "test.h"

typedef struct sample {
  const char *name;
  pl_shape *shape;
  double size; /* points are taken within this of the origin */
  int rough;   /* no distance where parts overlap or blend */
} sample;

enum { MOST_SAMPLES = 40, SIDE = 9 };

static pl_mesh *ball(void)
{
  pl_setting settings[] = {{.name = "radius", .value = {0.5}}, {.name = "cells", .value = {4}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"sphere", settings, 2}, NULL, &mesh, error));
  return mesh;
}

/* A sheet of two triangles, with edges. */
static pl_mesh *sheet(void)
{
  const double nodes[] = {-0.5, -0.5, 0, 0.5, -0.5, 0.1, 0.5, 0.5, 0, -0.5, 0.5, 0.2};
  const int triangles[] = {0, 1, 2, 0, 2, 3};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&(pl_mesh_def){.node_count = 4,
                                         .nodes = nodes,
                                         .element_count = 2,
                                         .nodes_per_element = 3,
                                         .elements = triangles},
                          &mesh, error));
  return mesh;
}

#define ROWS(...)                                                                                  \
  (const pl_shape_row[]){__VA_ARGS__},                                                             \
      (int)(sizeof((pl_shape_row[]){__VA_ARGS__}) / sizeof(pl_shape_row))
#define SET(...)                                                                                   \
  (const pl_setting[]){__VA_ARGS__}, (int)(sizeof((pl_setting[]){__VA_ARGS__}) / sizeof(pl_setting))

static sample make(const char *name, const pl_shape_row *rows, int count, double size, int rough)
{
  sample made = {name, NULL, size, rough};
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_shape_create(rows, count, &allocator, &made.shape, error));
  return made;
}

static int is_among(const sample *samples, int count, const pl_member *member)
{
  for (int i = 0; i < count; i++) {
    if (samples[i].shape && samples[i].shape->part.member == member) return 1;
  }
  return 0;
}

/* Shapes of which there is none yet, as they are without any values. */
static int add_presets(sample *to, int count)
{
  for (int m = 0; pl_obstacle_family.members[m] && count < MOST_SAMPLES; m++) {
    const pl_member *member = pl_obstacle_family.members[m];
    if (!is_among(to, count, member))
      to[count++] = make(member->name, ROWS({{member->name, NULL, 0}, {0}, 0}), 1.2, 0);
  }
  return count;
}

static int make_all(sample *to)
{
  static double heights[SIDE * SIDE];
  int count = 0;
  for (int i = 0; i < SIDE * SIDE; i++)
    heights[i] = 0.2 * sin(0.7 * (i % SIDE)) * cos(0.5 * (i / SIDE));
  pl_mesh *closed = ball(), *open = sheet();
  const pl_setting tilt = {.name = "axis", .value = {1, 2, 3}},
                   turned = {.name = "rotation", .value = {20, 30, -10}},
                   away = {.name = "centre", .value = {0.1, -0.2, 0.3}},
                   hollow = {.name = "side", .word = "inside"},
                   half = {.name = "radius", .value = {0.5}};
  to[count++] = make("plane", ROWS({{"plane", SET({"normal", {1, 2, 3}, NULL})}, {0}, 0}), 2, 0);
  to[count++] = make("sphere", ROWS({{"sphere", SET(away, half)}, {0}, 0}), 1.2, 0);
  to[count++] = make("hollow sphere", ROWS({{"sphere", SET(away, half, hollow)}, {0}, 0}), 1, 0);
  to[count++] =
      make("box", ROWS({{"box", SET(away, turned, {"size", {1, 0.7, 0.5}, NULL})}, {0}, 0}), 1, 0);
  to[count++] = make(
      "rounded box",
      ROWS(
          {{"box", SET(turned, {"size", {1, 0.7, 0.5}, NULL}, {"rounding", {0.2}, NULL})}, {0}, 0}),
      1, 0);
  to[count++] = make("capsule", ROWS({{"capsule", SET(tilt, away)}, {0}, 0}), 1.2, 0);
  to[count++] = make("hollow capsule", ROWS({{"capsule", SET(tilt, hollow)}, {0}, 0}), 1, 0);
  to[count++] = make("cylinder", ROWS({{"cylinder", SET(tilt, away)}, {0}, 0}), 1.2, 0);
  to[count++] = make("rounded cylinder",
                     ROWS({{"cylinder", SET(tilt, {"rounding", {0.2}, NULL})}, {0}, 0}), 1, 0);
  to[count++] = make(
      "tube",
      ROWS({{"cylinder", SET(tilt, {"ends", {0}, "open"}, {"thickness", {0.1}, NULL})}, {0}, 0}), 1,
      0);
  to[count++] = make("cone", ROWS({{"cone", SET(tilt, away)}, {0}, 0}), 1.2, 0);
  to[count++] = make("cut cone", ROWS({{"cone", SET({"top-radius", {0.2}, NULL})}, {0}, 0}), 1, 0);
  to[count++] = make("funnel",
                     ROWS({{"cone", SET(tilt, {"ends", {0}, "open"}, {"top-radius", {0.9}, NULL},
                                        {"thickness", {0.1}, NULL})},
                           {0},
                           0}),
                     1, 0);
  to[count++] = make("torus", ROWS({{"torus", SET(tilt, away)}, {0}, 0}), 1.2, 0);
  to[count++] = make("heightfield",
                     ROWS({{"heightfield", SET(away, turned, {"size", {3, 3, 1}, NULL})},
                           {.columns = SIDE, .rows = SIDE, .heights = heights},
                           0}),
                     0.4, 0);
  to[count++] = make("closed mesh", ROWS({{"mesh", SET(away, turned)}, {.mesh = closed}, 0}), 1, 0);
  to[count++] = make("hollow mesh", ROWS({{"mesh", SET(hollow)}, {.mesh = closed}, 0}), 1, 0);
  to[count++] =
      make("sheet",
           ROWS({{"mesh", SET(turned, {"kind", {0}, "open"}, {"thickness", {0.05}, NULL})},
                 {.mesh = open},
                 0}),
           1, 0);
  to[count++] = make("union",
                     ROWS({{"union", NULL, 0}, {0}, 0}, {{"sphere", SET(half)}, {0}, 1},
                          {{"capsule", SET(tilt, away)}, {0}, 1}),
                     1.2, 1);
  to[count++] = make("rounded union",
                     ROWS({{"rounded-union", SET({"width", {0.2}, NULL})}, {0}, 0},
                          {{"sphere", SET(half)}, {0}, 1}, {{"capsule", SET(tilt, away)}, {0}, 1}),
                     1.2, 1);
  pl_mesh_destroy(closed);
  pl_mesh_destroy(open);
  return add_presets(to, count);
}

static void destroy_all(sample *samples, int count)
{
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < count; i++) pl_shape_destroy(&allocator, samples[i].shape);
}

/* A new shape is there with its presets; one with a mesh or heights wants a line above. */
TEST(every_shape_is_among_them)
{
  sample samples[MOST_SAMPLES];
  int count = make_all(samples);
  for (int m = 0; pl_obstacle_family.members[m]; m++)
    CHECK(is_among(samples, count, pl_obstacle_family.members[m]));
  destroy_all(samples, count);
}

static void random_point(double size, double x[3])
{
  for (int k = 0; k < 3; k++) x[k] = size * (2 * test_uniform() - 1);
}

/* Central differences of gap and gradient. */
static void differences(const pl_shape *shape, const double x[3], double h, double slope[3],
                        double turn[9])
{
  for (int k = 0; k < 3; k++) {
    double up[3], down[3], n_up[3], n_down[3];
    pl_vec3_copy(x, up);
    pl_vec3_copy(x, down);
    up[k] += h;
    down[k] -= h;
    slope[k] =
        (pl_shape_gap(shape, up, n_up, NULL) - pl_shape_gap(shape, down, n_down, NULL)) / (2 * h);
    for (int i = 0; i < 3; i++) turn[3 * i + k] = (n_up[i] - n_down[i]) / (2 * h);
  }
}

static double distance9(const double a[9], const double b[9])
{
  double sum = 0;
  for (int k = 0; k < 9; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

/* Derivatives are right but where a kink is between the points of the difference: there they are
 * one-sided, so few points may fail, and none that is away from kinks. */
TEST(gradients_and_hessians_are_derivatives)
{
  sample samples[MOST_SAMPLES];
  int count = make_all(samples);
  for (int s = 0; s < count; s++) {
    double worst[2] = {0};
    int kinks = 0;
    const int trials = 600;
    for (int t = 0; t < trials; t++) {
      double x[3], n[3], H[9], slope[3], turn[9];
      random_point(samples[s].size, x);
      double gap = pl_shape_gap(samples[s].shape, x, n, H);
      CHECK_NEAR(pl_vec3_norm(n), 1, 1e-12);
      if (!isfinite(gap)) continue;
      if (samples[s].rough) { // on the surface
        for (int i = 0; i < 20; i++) {
          gap = pl_shape_gap(samples[s].shape, x, n, H);
          pl_vec3_add_scaled(-gap, n, x);
        }
        if (fabs(pl_shape_gap(samples[s].shape, x, n, H)) > 1e-12) continue;
      }
      differences(samples[s].shape, x, 1e-6, slope, turn);
      double off[2] = {pl_vec3_distance(slope, n), distance9(turn, H)};
      double curve = sqrt(distance9(H, (double[9]){0}) + 1);
      if (samples[s].rough) { // along the surface only: beside it d is no distance
        double half[9], P[9];
        pl_shape_round(1, n, P);
        pl_mat3_multiply(turn, P, half);
        off[1] = distance9(half, H);
      }
      if (off[0] > 1e-5 * curve || off[1] > 1e-4 * curve * curve * curve) {
        kinks++;
        continue;
      }
      for (int i = 0; i < 2; i++) worst[i] = fmax(worst[i], off[i]);
    }
    printf("  %-16s gradient %.1e, Hessian %.1e, %d of %d at kinks\n", samples[s].name, worst[0],
           worst[1], kinks, trials);
    CHECK(kinks <= trials / 100);
  }
  destroy_all(samples, count);
}

/* From any point the surface is as far as the gap says: a step back by gap along the normal ends on
 * it. */
TEST(gaps_are_distances)
{
  sample samples[MOST_SAMPLES];
  int count = make_all(samples);
  for (int s = 0; s < count; s++) {
    double worst = 0;
    for (int t = 0; t < 400 && !samples[s].rough; t++) {
      double x[3], n[3];
      random_point(samples[s].size, x);
      double gap = pl_shape_gap(samples[s].shape, x, n, NULL);
      // far from rough ground the nearest point is not looked for everywhere
      int is_ground = samples[s].shape->ops == &pl_obstacle_heightfield;
      if (!isfinite(gap) || (is_ground && fabs(gap) > 0.1)) continue;
      pl_vec3_add_scaled(-gap, n, x);
      worst = fmax(worst, fabs(pl_shape_gap(samples[s].shape, x, n, NULL)));
    }
    printf("  %-16s %.1e m\n", samples[s].name, worst);
    CHECK(worst < 1e-12);
  }
  destroy_all(samples, count);
}

TEST(all_that_is_inside_lies_in_the_box)
{
  sample samples[MOST_SAMPLES];
  int count = make_all(samples);
  for (int s = 0; s < count; s++) {
    double low[3], high[3];
    int inside = 0;
    pl_shape_bounds(samples[s].shape, low, high);
    for (int t = 0; t < 4000; t++) {
      double x[3], n[3];
      random_point(samples[s].size, x);
      if (!(pl_shape_gap(samples[s].shape, x, n, NULL) < 0)) continue;
      inside++;
      for (int k = 0; k < 3; k++) CHECK(x[k] >= low[k] - 1e-12 && x[k] <= high[k] + 1e-12);
    }
    CHECK(inside > 0);
  }
  destroy_all(samples, count);
}

/* Corners of triangles on the surface, middles near it, normals outwards; a closed one is closed.
 */
TEST(drawings_lie_on_the_surface)
{
  sample samples[MOST_SAMPLES];
  int count = make_all(samples);
  const pl_drawing_view view = {{0}, 3};
  for (int s = 0; s < count; s++) {
    pl_drawing drawing = pl_drawing_make(NULL);
    CHECK_OK(pl_shape_draw(samples[s].shape, &view, &drawing, error));
    double corner = 0, middle = 0, n[3];
    int inwards = 0;
    for (size_t i = 0; i < drawing.point_count; i++) {
      double gap = pl_shape_gap(samples[s].shape, drawing.points + 3 * i, n, NULL);
      // what lies inside another part of a union is hidden
      if (isfinite(gap)) corner = fmax(corner, samples[s].rough ? gap : fabs(gap));
    }
    for (size_t t = 0; t < drawing.triangle_count; t++) {
      double area[3], x[3] = {0};
      pl_face_area(drawing.points, drawing.triangles + 3 * t, 3, area);
      for (int k = 0; k < 3; k++)
        pl_vec3_add_scaled(1.0 / 3, drawing.points + 3 * drawing.triangles[3 * t + (size_t)k], x);
      double gap = pl_shape_gap(samples[s].shape, x, n, NULL);
      if (!isfinite(gap)) continue;
      middle = fmax(middle, samples[s].rough ? gap : fabs(gap));
      inwards += pl_vec3_dot(n, area) < -1e-9 && !samples[s].rough;
    }
    printf("  %-16s %5zu triangles, corners %.1e, middles %.1e m\n", samples[s].name,
           drawing.triangle_count, corner, middle);
    int bent = strcmp(samples[s].name, "sheet") == 0; // offset corners of a bent sheet
    CHECK(drawing.triangle_count >= 2);
    CHECK(corner < (bent ? 2e-3 : samples[s].rough ? 2e-3 : 1e-9));
    CHECK(middle < 0.02 && inwards == 0);
    pl_drawing_release(&drawing);
  }
  destroy_all(samples, count);
}

/* The sign of a mesh: against the exact sphere it is close to, and by the winding number. */
TEST(a_mesh_knows_its_inside)
{
  pl_mesh *mesh = ball();
  pl_allocator allocator = pl_allocator_default();
  pl_shape *shape = NULL;
  const pl_shape_row row = {.shape = {"mesh", NULL, 0}, .source = {.mesh = mesh}};
  CHECK_OK(pl_shape_create(&row, 1, &allocator, &shape, error));
  for (int t = 0; t < 2000; t++) {
    double x[3], n[3];
    random_point(0.8, x);
    double gap = pl_shape_gap(shape, x, n, NULL), exact = pl_vec3_norm(x) - 0.5;
    if (fabs(exact) > 0.05) CHECK((gap < 0) == (exact < 0));
    CHECK_NEAR(gap, exact, 0.05);
  }
  pl_shape_destroy(&allocator, shape);
  pl_mesh_destroy(mesh);
}

static void refused(const pl_shape_row *rows, int count, pl_status code, const char *sentence)
{
  pl_shape *shape = NULL;
  pl_allocator allocator = pl_allocator_default();
  CHECK_FAILS(pl_shape_create(rows, count, &allocator, &shape, error), code, sentence);
  CHECK(!shape);
}

TEST(shapes_that_are_none_are_refused)
{
  pl_mesh *open = sheet();
  const double bad[] = {0, 0, NAN, 0};
  const pl_setting nowhere = {"axis", {0, 0, 0}, NULL};
  refused(ROWS({{"sphere", SET({"radius", {0}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "radius = 0");
  refused(ROWS({{"sphere", SET({"radius", {NAN}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "radius");
  refused(ROWS({{"box", SET({"size", {1, 0, 1}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "size = 0");
  refused(ROWS({{"box", SET({"rounding", {0.6}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "rounding");
  refused(ROWS({{"capsule", SET(nowhere)}, {0}, 0}), PL_E_ARGUMENT, "no direction");
  refused(ROWS({{"cylinder", SET({"thickness", {0.6}, NULL})}, {0}, 0}), PL_E_ARGUMENT,
          "thickness");
  refused(ROWS({{"cone", SET({"radius", {0}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "both 0");
  refused(ROWS({{"torus", SET({"tube", {0.6}, NULL})}, {0}, 0}), PL_E_ARGUMENT, "no hole");
  refused(ROWS({{"mesh", NULL, 0}, {0}, 0}), PL_E_ARGUMENT, "needs mesh");
  refused(ROWS({{"mesh", NULL, 0}, {.mesh = open}, 0}), PL_E_MESH, "4 open edges");
  refused(ROWS({{"heightfield", NULL, 0}, {0}, 0}), PL_E_ARGUMENT, "at least 2 x 2");
  refused(ROWS({{"heightfield", NULL, 0}, {.columns = 2, .rows = 2, .heights = bad}, 0}),
          PL_E_ARGUMENT, "height 2");
  refused(ROWS({{"union", NULL, 0}, {0}, 0}), PL_E_ARGUMENT, "at least 1");
  refused(ROWS({{"sphere", NULL, 0}, {0}, 0}, {{"box", NULL, 0}, {0}, 1}), PL_E_ARGUMENT,
          "has no parts");
  refused(ROWS({{"union", NULL, 0}, {0}, 0}, {{"box", NULL, 0}, {0}, 2}), PL_E_ARGUMENT, "depth 2");
  pl_mesh_destroy(open);
}

/* Each allocation fails once; nothing leaks and the next try works. */
static int left;
static void *alloc(void *context, size_t size, size_t align)
{
  (void)context;
  return left-- > 0 ? aligned_alloc(align, (size + align - 1) / align * align) : NULL;
}
static void release(void *context, void *memory)
{
  (void)context;
  free(memory);
}

TEST(failing_allocations_leave_nothing)
{
  pl_mesh *mesh = ball();
  const pl_allocator allocator = {alloc, release, NULL};
  const pl_shape_row rows[] = {{{"union", NULL, 0}, {0}, 0},
                               {{"sphere", NULL, 0}, {0}, 1},
                               {{"mesh", NULL, 0}, {.mesh = mesh}, 1}};
  pl_status status = PL_E_MEMORY;
  int tries = 0;
  for (; status && tries < 200; tries++) {
    pl_shape *shape;
    left = tries;
    status = pl_shape_create(rows, 3, &allocator, &shape, NULL);
    CHECK(status == PL_OK || status == PL_E_MEMORY);
    pl_shape_destroy(&allocator, shape);
  }
  CHECK(tries > 5 && !status);
  pl_mesh_destroy(mesh);
}

TESTS(X(every_shape_is_among_them) X(gradients_and_hessians_are_derivatives) X(gaps_are_distances)
          X(all_that_is_inside_lies_in_the_box) X(drawings_lie_on_the_surface)
              X(a_mesh_knows_its_inside) X(shapes_that_are_none_are_refused)
                  X(failing_allocations_leave_nothing))
