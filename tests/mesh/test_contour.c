/* Marching cubes: closed surfaces of any volume, convergence, and broken surfaces made whole. */
#include "math/vec3.h"
#include "mesh/contour.h"
#include "mesh/element.h"
#include "mesh/solid.h"

#include "failing.h"
#include "solids.h"

/* Closed, every edge twice, turned outwards without any help. */
static void check_closed(const pl_skin *skin)
{
  CHECK(skin->facts.open_edges == 0 && skin->facts.crowded_edges == 0);
  CHECK(skin->facts.dropped_triangles == 0);
}

static double volume_of(const pl_skin *skin)
{
  double sum = 0;
  for (int t = 0; t < skin->triangle_count; t++) {
    const int *n = skin->triangles + 3 * t;
    sum += pl_triple(skin->points + 3 * n[0], skin->points + 3 * n[1], skin->points + 3 * n[2]);
  }
  return sum / 6;
}

/* The volume inside the triangles converges with the second order, and every point lies on the
 * surface. */
TEST(ball_converges)
{
  pl_solid *solid = one_solid("sphere");
  pl_volume volume = pl_solid_volume(solid);
  double wrong[3];
  for (int i = 0; i < 3; i++) {
    pl_skin *skin = NULL;
    CHECK_OK(pl_contour(&volume, 0.11 / (1 << i), NULL, &skin, error));
    check_closed(skin);
    CHECK(skin->facts.turned_triangles == 0 && skin->facts.pieces == 1);
    for (int n = 0; n < skin->point_count; n++)
      CHECK_NEAR(pl_vec3_norm(skin->points + 3 * n), 0.5, 1e-3 * 0.11);
    wrong[i] = fabs(volume_of(skin) - acos(-1) / 6);
    // Euler: corners - edges + triangles = 2
    CHECK(skin->point_count - skin->triangle_count / 2 == 2);
    pl_skin_destroy(skin);
  }
  CHECK(wrong[0] < 0.02 && wrong[1] < wrong[0] / 3 && wrong[2] < wrong[1] / 3);
  pl_solid_destroy(solid);
}

TEST(bodies)
{
  int place = 0;
  for (pl_solid *solid; (solid = next_solid(&place)) != NULL;) {
    pl_volume volume = pl_solid_volume(solid);
    pl_skin *skin = NULL;
    CHECK_OK(pl_contour(&volume, 0.04, NULL, &skin, error));
    check_closed(skin);
    CHECK(skin->facts.turned_triangles == 0 && skin->facts.pieces == 1);
    CHECK(skin->triangle_count > 2000);
    pl_skin_destroy(skin);
    pl_solid_destroy(solid);
  }
}

/* Values without any order: all 256 cases, with every neighbour. */
static double noise(const void *context, const double point[3])
{
  const uint64_t *seed = context;
  uint64_t h = *seed;
  for (int k = 0; k < 3; k++)
    h = (h ^ (uint64_t)llround(8 * point[k])) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
  return ((double)(h >> 40) / (1 << 24) - 0.5) * 0.01;
}

TEST(noise_is_closed)
{
  for (uint64_t seed = 1; seed < 4; seed++) {
    pl_volume volume = {.value = noise, .context = &seed, .low = {0, 0, 0}, .high = {3, 2.5, 2}};
    pl_skin *skin = NULL;
    CHECK_OK(pl_contour(&volume, 0.125, NULL, &skin, error));
    check_closed(skin);
    CHECK(skin->triangle_count > 10000);
    pl_skin_destroy(skin);
  }
}

/* A ball with a large hole and turned triangles comes out whole. */
TEST(broken_surface_is_made_whole)
{
  pl_solid *solid = one_solid("sphere");
  pl_volume volume = pl_solid_volume(solid);
  pl_skin *skin = NULL, *broken = NULL, *whole = NULL;
  CHECK_OK(pl_contour(&volume, 0.08, NULL, &skin, error));
  for (int t = 0; t < skin->triangle_count; t += 5) {
    int first = skin->triangles[3 * t];
    skin->triangles[3 * t] = skin->triangles[3 * t + 1];
    skin->triangles[3 * t + 1] = first;
  }
  pl_skin_def def = {.point_count = skin->point_count,
                     .triangle_count = skin->triangle_count - 60,
                     .points = skin->points,
                     .triangles = skin->triangles,
                     .max_hole = -1};
  CHECK_OK(pl_skin_create(&def, &broken, error));
  CHECK(broken->facts.open_edges > 0);
  pl_volume inside = pl_skin_volume(broken);
  CHECK_OK(pl_contour(&inside, 0.08, NULL, &whole, error));
  check_closed(whole);
  CHECK_NEAR(volume_of(whole), acos(-1) / 6, 0.06);
  pl_skin_destroy(whole);
  pl_skin_destroy(broken);
  pl_skin_destroy(skin);
  pl_solid_destroy(solid);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_skin *skin;
  pl_status status = pl_contour(context, 0.2, allocator, &skin, &(pl_error){0});
  pl_skin_destroy(skin);
  return status;
}

TEST(no_memory_and_refusals)
{
  pl_solid *solid = one_solid("sphere"), *half = one_solid("half-space");
  pl_volume volume = pl_solid_volume(solid), endless = pl_solid_volume(half);
  pl_skin *skin;
  fail_every_allocation(attempt, &volume);
  CHECK_FAILS(pl_contour(&volume, 1e-9, NULL, &skin, error), PL_E_LIMIT, "enlarge");
  CHECK_FAILS(pl_contour(&volume, 0, NULL, &skin, error), PL_E_ARGUMENT, "above 0");
  CHECK_FAILS(pl_contour(&endless, 0.1, NULL, &skin, error), PL_E_ARGUMENT, "no end");
  pl_solid_destroy(solid);
  pl_solid_destroy(half);
}

TESTS(X(ball_converges) X(bodies) X(noise_is_closed) X(broken_surface_is_made_whole)
          X(no_memory_and_refusals))
