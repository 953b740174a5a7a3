/* Views: the library's own memory, which stays while a view holds it; and forces and stress in it.
 */
#include "world/world.h"

#include "bar.h"

static pl_view *view_of(pl_world *world, pl_body_id body, pl_view_arrays *arrays)
{
  pl_view *view = NULL;
  CHECK_OK(pl_world_view_body(world, body, &view, error));
  pl_view_read(view, arrays);
  return view;
}

/* Rows of a view against an array in the mesh's order. */
static void check_rows(const pl_view_arrays *at, const double *rows, const double *mesh, double tol)
{
  for (int i = 0; i < 3 * at->node_count; i++)
    CHECK_NEAR(rows[i], mesh[3 * at->order[i / 3] + i % 3], tol);
}

TEST(a_view_is_the_state_itself_and_follows_every_step)
{
  static const char *const integrators[] = {"implicit-euler", "bdf2", "rk4", "static"};
  for (int k = 0; k < 4; k++) {
    pl_world *world;
    pl_body_id body;
    pl_view_arrays at;
    bar_def def = {.n = 1, .gravity = {0, 0, -9.81}, .integrator = integrators[k], .dt = 1e-4};
    CHECK_OK(bar_make(&def, &world, &body, error));
    pl_view *view = view_of(world, body, &at);
    CHECK(at.is_live && at.positions == world->state.q && at.velocities == world->state.v);
    double *rows = calloc(9 * (size_t)(at.node_count + at.element_count), sizeof *rows);
    for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(pl_view_holds(view, world) && at.positions == world->state.q);
    CHECK_OK(pl_world_get_positions(world, body, rows, error));
    check_rows(&at, at.positions, rows, 0);
    CHECK_OK(pl_world_get_velocities(world, body, rows, error));
    check_rows(&at, at.velocities, rows, 0);
    CHECK_OK(pl_world_refresh_view(world, view, error));
    CHECK_OK(pl_world_get_forces(world, body, rows, NULL, error));
    check_rows(&at, at.forces, rows, 0);
    CHECK_OK(pl_world_get_tensors(world, body, NULL, rows, error));
    CHECK(memcmp(at.stress, rows, 9 * (size_t)at.element_count * sizeof *rows) == 0);
    free(rows);
    pl_view_destroy(view);
    pl_world_destroy(world);
  }
}

/* With every model. */
TEST(every_model_has_views)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    if (((const pl_model_ops *)(const void *)pl_model_family.members[m])->meshes == PL_ON_SEGMENTS)
      continue;
    pl_world *world;
    pl_body_id body;
    pl_view_arrays at;
    pl_body_def like = pl_body_def_default();
    like.model.name = pl_model_family.members[m]->name;
    bar_def def = {.n = 1, .free = 1, .like = &like, .gravity = {0, 0, -9.81}};
    CHECK_OK(bar_make(&def, &world, &body, error));
    pl_view *view = view_of(world, body, &at);
    double *rows = calloc(3 * (size_t)at.node_count, sizeof *rows);
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_refresh_view(world, view, error));
    CHECK_OK(pl_world_get_positions(world, body, rows, error));
    check_rows(&at, at.positions, rows, 0);
    CHECK_OK(pl_world_get_velocities(world, body, rows, error));
    check_rows(&at, at.velocities, rows, 0);
    CHECK(at.is_live == (at.forces != NULL));
    free(rows);
    pl_view_destroy(view);
    pl_world_destroy(world);
  }
}

TEST(memory_stays_while_a_view_holds_it)
{
  pl_world *world;
  pl_body_id body, other;
  pl_view_arrays at;
  bar_def def = {.n = 1, .gravity = {0, 0, -9.81}};
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_view *view = view_of(world, body, &at), *second = view_of(world, body, &at);
  CHECK_OK(pl_world_step(world, error));
  double first = at.positions[2];
  // another body: the state has other room
  pl_body_def more = pl_body_def_default();
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  more.mesh = pl_world_body_mesh(world, body);
  more.material.law = (pl_choice){"hooke", hooke, 2};
  more.translation[1] = 2;
  CHECK_OK(pl_world_add_body(world, &more, &other, error));
  CHECK(!pl_view_holds(view, world));
  CHECK_FAILS(pl_world_refresh_view(world, view, error), PL_E_ARGUMENT, "make it again");
  CHECK_OK(pl_world_step(world, error));
  CHECK(at.positions[2] == first);
  pl_view_destroy(view);
  CHECK(at.positions[2] == first);
  // the body is gone, and then the world
  pl_view *third = view_of(world, body, &at);
  CHECK_OK(pl_world_remove_body(world, body, error));
  CHECK(!pl_view_holds(third, world));
  CHECK_FAILS(pl_world_refresh_view(world, third, error), PL_E_ARGUMENT, "");
  CHECK_FAILS(pl_world_view_body(world, body, &view, error), PL_E_ARGUMENT, "");
  CHECK_FAILS(pl_world_view_body(world, other, NULL, error), PL_E_ARGUMENT, "place");
  CHECK_FAILS(pl_world_refresh_view(world, NULL, error), PL_E_ARGUMENT, "NULL");
  pl_world_destroy(world);
  double sum = 0;
  for (int i = 0; i < 3 * at.node_count; i++) sum += at.positions[i];
  CHECK(isfinite(sum));
  pl_view_destroy(second);
  pl_view_destroy(third);
  pl_view_destroy(NULL);
}

TEST(a_state_saved_right_after_a_removal_is_the_state)
{
  pl_world *world;
  pl_body_id body, other;
  bar_def def = {.n = 1, .gravity = {0, 0, -9.81}, .integrator = "bdf2"};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_body_def more = pl_body_def_default();
  more.mesh = pl_world_body_mesh(world, body);
  more.material.law = (pl_choice){"hooke", hooke, 2};
  more.translation[1] = 2;
  CHECK_OK(pl_world_add_body(world, &more, &other, error));
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_remove_body(world, body, error));
  uint64_t hash = pl_world_state_hash(world);
  size_t size = pl_world_state_size(world);
  void *state = malloc(size);
  CHECK_OK(pl_world_save_state(world, state, size, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_load_state(world, state, size, error));
  CHECK(pl_world_state_hash(world) == hash);
  free(state);
  pl_world_destroy(world);
}

TESTS(X(a_view_is_the_state_itself_and_follows_every_step) X(every_model_has_views)
          X(memory_stays_while_a_view_holds_it) X(a_state_saved_right_after_a_removal_is_the_state))
