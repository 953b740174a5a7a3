/* Figures that show rotations, stress, strain, fibres, forces and fixes, on a bar that is stretched
 * by 1.2 along x and then turned by 90 degrees about z: its old x points along y. */
#include "bar.h"
#include "world/glyph.h"

#include <stdlib.h>

enum { MOST = 500, MOST_NODES = 200 };

static void make(pl_world **world, pl_body_id *body)
{
  const pl_setting moduli[] = {{.name = "young", .value = {1e6}}, {.name = "poisson"}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", moduli, 2};
  like.material.fibre_count = 1;
  like.material.fibres[0] = (pl_fibres){.k1 = 1, .k2 = 1, .direction = {0, 3, 0}};
  like.material.orientation =
      (pl_orientation){.kind = PL_ORIENTATION_AXES, .first = {0, 1, 0}, .second = {1, 0, 0}};
  CHECK_OK(bar_make(&(bar_def){.n = 1, .like = &like}, world, body, error));
  double x[3 * MOST_NODES];
  int count = pl_mesh_node_count(pl_world_body_mesh(*world, *body));
  CHECK(count <= MOST_NODES);
  CHECK_OK(pl_world_get_positions(*world, *body, x, error));
  for (int i = 0; i < count; i++) {
    double along = 1.2 * x[3 * i];
    x[3 * i] = -x[3 * i + 1];
    x[3 * i + 1] = along;
  }
  CHECK_OK(pl_world_set_positions(*world, *body, x, error));
}

static int read(pl_world *world, pl_body_id body, pl_glyph_kind kind, pl_glyph *list)
{
  int count = 0;
  CHECK_OK(pl_world_glyphs(world, body, kind, MOST, list, &count, error));
  return count;
}

/* Of each glyph: one axis has this length along y, the others this across. */
static void check_axes(const pl_glyph *list, int count, double along, double across)
{
  for (int i = 0; i < count; i++) {
    int found = 0;
    for (int k = 0; k < 3; k++) {
      const double *a = list[i].axes[k], length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
      int is_long = fabs(fabs(a[1]) - along) < 1e-9 * along && length < along * (1 + 1e-9);
      found += is_long;
      if (!is_long) CHECK_NEAR(length, across, 1e-6 * along);
    }
    CHECK(found == 1);
  }
}

TEST(tensors_show_their_principal_values)
{
  static pl_glyph list[MOST];
  pl_world *world = NULL;
  pl_body_id body = {0};
  make(&world, &body);
  if (!world) return;
  int count = read(world, body, PL_GLYPHS_STRAIN, list);
  CHECK(count == 24);
  check_axes(list, count, 1.2, 1);
  // E times the strain on an area that has not changed, and 2 k1 e exp(k2 e^2) s with e = s^2 - 1
  count = read(world, body, PL_GLYPHS_STRESS, list);
  CHECK(count == 24);
  check_axes(list, count, 0.2e6 + 2 * 0.44 * exp(0.44 * 0.44) * 1.2, 0);
  pl_world_destroy(world);
}

TEST(directions_move_with_the_body)
{
  static pl_glyph list[MOST];
  pl_world *world = NULL;
  pl_body_id body = {0};
  make(&world, &body);
  if (!world) return;
  int count = read(world, body, PL_GLYPHS_FRAMES, list);
  CHECK(count == 24);
  for (int i = 0; i < count; i++) {
    CHECK_NEAR(list[i].axes[0][1], 1, 1e-12);
    CHECK_NEAR(list[i].axes[1][0], -1, 1e-12);
    CHECK_NEAR(list[i].axes[2][2], 1, 1e-12);
  }
  // along the material's second axis, which is the bar's
  count = read(world, body, PL_GLYPHS_FIBRES, list);
  CHECK(count == 24);
  for (int i = 0; i < count; i++) {
    CHECK_NEAR(fabs(list[i].axes[0][1]), 1.2, 1e-12);
    CHECK(list[i].axes[1][0] == 0 && list[i].axes[2][2] == 0);
  }
  pl_world_destroy(world);
}

TEST(nodes_show_what_holds_and_pulls_them)
{
  static pl_glyph list[MOST];
  pl_world *world = NULL;
  pl_body_id body = {0};
  CHECK_OK(bar_make(&(bar_def){.n = 1}, &world, &body, error));
  if (!world) return;
  CHECK(read(world, body, PL_GLYPHS_FIXES, list) == 4);
  for (int k = 0; k < 3; k++) CHECK(list[0].axes[k][k] == 1);
  CHECK(read(world, body, PL_GLYPHS_FORCES, list) == 0);
  CHECK_OK(bar_pull(world, body, 800, error));
  double sum = 0;
  int count = read(world, body, PL_GLYPHS_FORCES, list);
  for (int i = 0; i < count; i++) sum += list[i].axes[0][0];
  CHECK(count == 4);
  CHECK_NEAR(sum, 50, 1e-9);
  pl_world_destroy(world);
}

TEST(a_few_are_taken_evenly)
{
  static pl_glyph list[MOST];
  pl_world *world = NULL;
  pl_body_id body = {0};
  int count = 0;
  make(&world, &body);
  if (!world) return;
  CHECK_OK(pl_world_glyphs(world, body, PL_GLYPHS_STRAIN, 5, list, &count, error));
  CHECK(count == 5);
  CHECK(list[0].at[1] < 0.3 && list[4].at[1] > 0.6);
  CHECK_OK(pl_world_glyphs(world, body, PL_GLYPHS_NONE, 5, list, &count, error));
  CHECK(count == 0);
  CHECK(pl_glyph_kind_of("fibres") == PL_GLYPHS_FIBRES && pl_glyph_kind_of("fib") == 0);
  pl_world_destroy(world);
}

TESTS(X(tensors_show_their_principal_values) X(directions_move_with_the_body)
          X(nodes_show_what_holds_and_pulls_them) X(a_few_are_taken_evenly))
