/* Surfaces: repairs, inside and outside, and that broken ones are filled or refused, never more. */
#include "math/vec3.h"
#include "mesh/skin.h"
#include "mesh/solid.h"

#include "failing.h"

/* A surface that tests can spoil. */
typedef struct soup {
  int points, triangles;
  double *place;
  int *corner;
} soup;

static soup soup_of(const char *solid_name, double size)
{
  pl_solid *solid = NULL;
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_solid_create(&(pl_solid_row){{solid_name, NULL, 0}, 0}, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  pl_setting setting = {.name = "size", .value = {size}};
  CHECK_OK(pl_fill(&volume, &(pl_choice){"stuffing", &setting, 1}, NULL, &mesh, error));
  soup s = {mesh->node_count, mesh->face_count, NULL, NULL};
  // room for twice as much
  s.place = malloc(6 * (size_t)s.points * sizeof *s.place);
  s.corner = malloc(6 * (size_t)s.triangles * sizeof *s.corner);
  memcpy(s.place, mesh->nodes, 3 * (size_t)s.points * sizeof *s.place);
  memcpy(s.corner, mesh->faces, 3 * (size_t)s.triangles * sizeof *s.corner);
  pl_mesh_destroy(mesh);
  pl_solid_destroy(solid);
  return s;
}

static void soup_free(soup *s)
{
  free(s->place);
  free(s->corner);
}

static pl_status make(const soup *s, pl_skin **skin, pl_error *error)
{
  pl_skin_def def = {.point_count = s->points,
                     .points = s->place,
                     .triangle_count = s->triangles,
                     .triangles = s->corner};
  return pl_skin_create(&def, skin, error);
}

TEST(inside_and_outside)
{
  soup s = soup_of("sphere", 0.06);
  pl_skin *skin = NULL;
  CHECK_OK(make(&s, &skin, error));
  CHECK(skin->facts.pieces == 1 && !skin->facts.open_edges && !skin->facts.crowded_edges);
  CHECK(!skin->facts.turned_triangles && !skin->facts.closed_holes);
  CHECK(pl_skin_crossings(skin) == 0);
  // the faceted ball lies at most a facet's sagitta inside the ball of radius 0.5
  for (int i = 0; i < 2000; i++) {
    double p[3] = {test_uniform(), test_uniform(), test_uniform()};
    double r = pl_vec3_norm(p);
    CHECK_NEAR(pl_skin_distance(skin, p, NULL), fabs(r - 0.5), 0.003);
    if (fabs(r - 0.5) > 0.01) CHECK_NEAR(pl_skin_winding(skin, p), r < 0.5, 0.03);
  }
  pl_skin_destroy(skin);
  soup_free(&s);
}

/* Far groups as dipoles against the sum over all triangles. */
TEST(fast_winding_is_near_the_sum)
{
  soup s = soup_of("duck", 0.08);
  pl_skin *skin = NULL;
  s.triangles -= 40; // with a hole
  CHECK_OK(make(&s, &skin, error));
  double worst = 0;
  for (int i = 0; i < 300; i++) {
    double p[3] = {0.6 * test_uniform(), 0.4 * test_uniform(), 0.4 + 0.5 * test_uniform()};
    double sum = 0;
    for (int t = 0; t < skin->triangle_count; t++) {
      double e[3][3], l[3];
      for (int k = 0; k < 3; k++) {
        pl_vec3_sub(skin->points + 3 * skin->triangles[3 * t + k], p, e[k]);
        l[k] = pl_vec3_norm(e[k]);
      }
      double n[3];
      pl_vec3_cross(e[1], e[2], n);
      sum += atan2(pl_vec3_dot(e[0], n), l[0] * l[1] * l[2] + pl_vec3_dot(e[0], e[1]) * l[2] +
                                             pl_vec3_dot(e[1], e[2]) * l[0] +
                                             pl_vec3_dot(e[2], e[0]) * l[1]);
    }
    worst = fmax(worst, fabs(sum / (2 * acos(-1)) - pl_skin_winding(skin, p)));
  }
  // first-order expansion beyond 2.5 radii
  CHECK(worst < 0.05);
  pl_skin_destroy(skin);
  soup_free(&s);
}

TEST(repairs)
{
  soup s = soup_of("sphere", 0.12);
  pl_skin *skin = NULL;
  int whole = s.triangles;

  // some turned around, one twice, one of no extent, one missing
  for (int t = 0; t < whole; t += 7) {
    int first = s.corner[3 * t];
    s.corner[3 * t] = s.corner[3 * t + 1];
    s.corner[3 * t + 1] = first;
  }
  memcpy(s.corner + 3 * whole, s.corner + 30, 3 * sizeof(int));
  for (int k = 0; k < 3; k++) s.corner[3 * (whole + 1) + k] = s.corner[0];
  s.triangles = whole + 2;
  memcpy(s.corner, s.corner + 3 * (s.triangles - 1), 3 * sizeof(int));
  s.triangles--;
  CHECK_OK(make(&s, &skin, error));
  CHECK(skin->facts.dropped_triangles == 2);
  CHECK(skin->facts.turned_triangles >= whole / 7 - 2 &&
        skin->facts.turned_triangles <= whole / 7 + 1);
  CHECK(skin->facts.closed_holes == 1 && skin->facts.open_edges == 0 && skin->facts.pieces == 1);
  CHECK(skin->triangle_count == whole);
  CHECK_NEAR(pl_skin_winding(skin, (double[]){0.01, 0.02, 0}), 1, 0.03);
  pl_skin_destroy(skin);

  // all turned inwards
  for (int t = 0; t < s.triangles; t++) {
    int first = s.corner[3 * t];
    s.corner[3 * t] = s.corner[3 * t + 1];
    s.corner[3 * t + 1] = first;
  }
  CHECK_OK(make(&s, &skin, error));
  CHECK_NEAR(pl_skin_winding(skin, (double[]){0.01, 0.02, 0}), 1, 0.03);
  pl_skin_destroy(skin);
  soup_free(&s);
}

/* Spoils a surface in the way of that number. */
static void spoil(soup *s, int way)
{
  int whole = s->triangles;
  for (int t = 0; t < whole; t++) {
    int *n = s->corner + 3 * t, roll = (int)(1000 * fabs(test_uniform()));
    if (way % 10 == 0 && roll < 50) memcpy(n, s->corner + 3 * --whole, 3 * sizeof *n);
    if (way % 10 == 1 && roll < 300) n[0] ^= n[1], n[1] ^= n[0], n[0] ^= n[1];
    if (way % 10 == 2 && roll < 200) memcpy(s->corner + 3 * s->triangles++, n, 3 * sizeof *n);
    if (way % 10 == 3 && roll < 100) n[1] = n[0];
  }
  if (way % 10 == 0) s->triangles = whole;
  for (int i = 0; i < 3 * s->points; i++) {
    if (way % 10 == 4) s->place[i] += 0.05 * test_uniform(); // many crossings
    if (way % 10 == 5) s->place[i] *= 1e-9;
    if (way % 10 == 6) s->place[i] *= 1e6;
    if (way % 10 == 7) s->place[i] += i % 3 == 0 ? 1000 : 0;
    if (way % 10 == 8 && i % 3 == 2) s->place[i] = 0; // a flat sheet, twice
  }
  if (way % 10 == 9) s->triangles = whole / 2; // open
}

/* 50 broken surfaces (20 where PLIANT_LONG is not set): filled or refused with a sentence, both
 * ways. */
TEST(broken_surfaces)
{
  static const char *const solids[] = {"sphere", "bunny", "tube", "torus", "dog"};
  int filled = 0, caged = 0, count = getenv("PLIANT_LONG") ? 50 : TEST_SANITIZED ? 10 : 20;
  double min = 180, max = 0;
  for (int i = 0; i < count; i++) {
    soup s = soup_of(solids[i / 10], 0.13);
    spoil(&s, i);
    pl_skin *skin = NULL;
    pl_error why = {0};
    if (make(&s, &skin, &why)) {
      CHECK(why.message[0]);
    } else {
      pl_volume volume = pl_skin_volume(skin);
      double extent = 0;
      for (int k = 0; k < 3; k++) extent = fmax(extent, skin->high[k] - skin->low[k]);
      pl_setting setting = {.name = "size", .value = {extent / 12}};
      pl_mesh *mesh = NULL, *cage = NULL;
      pl_mesh_facts facts;
      if (pl_fill(&volume, &(pl_choice){"stuffing", &setting, 1}, NULL, &mesh, &why)) {
        CHECK(why.message[0] && !mesh);
      } else {
        CHECK_OK(pl_mesh_measure(mesh, &facts, error));
        min = fmin(min, facts.min_angle);
        max = fmax(max, facts.max_angle);
        filled++;
      }
      caged += !pl_fill(&volume, &(pl_choice){"cage", &setting, 1}, NULL, &cage, &why);
      CHECK(cage || why.message[0]);
      pl_mesh_destroy(mesh);
      pl_mesh_destroy(cage);
    }
    pl_skin_destroy(skin);
    soup_free(&s);
  }
  printf("  of %d: %d filled, %d in a cage, angles %.2f to %.2f\n", count, filled, caged, min, max);
  CHECK(min > 10.7 && max < 164.8);
  // flat sheets have no inside
  CHECK(filled >= count - count / 10 && caged == count);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  const soup *s = context;
  pl_skin *skin;
  pl_error error;
  pl_skin_def def = {.point_count = s->points,
                     .points = s->place,
                     .triangle_count = s->triangles,
                     .triangles = s->corner,
                     .allocator = allocator};
  pl_status status = pl_skin_create(&def, &skin, &error);
  pl_skin_destroy(skin);
  return status;
}

TEST(no_memory)
{
  soup s = soup_of("sphere", 0.3);
  s.triangles -= 3;
  fail_every_allocation(attempt, &s);
  soup_free(&s);
}

TEST(refusals)
{
  double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int corners[] = {0, 1, 3};
  soup s = {3, 1, points, corners};
  pl_skin *skin;
  CHECK_FAILS(make(&s, &skin, error), PL_E_MESH, "names point 3");
  corners[2] = 1;
  CHECK_FAILS(make(&s, &skin, error), PL_E_MESH, "no triangle");
  corners[2] = 2;
  points[4] = NAN;
  CHECK_FAILS(make(&s, &skin, error), PL_E_MESH, "point 1");
}

TESTS(X(inside_and_outside) X(fast_winding_is_near_the_sum) X(repairs) X(broken_surfaces)
          X(no_memory) X(refusals))
