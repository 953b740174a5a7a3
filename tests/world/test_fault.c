/* The error of a failed step names the element that is inside out or crushed most. */
#include "pliant/world.h"
#include "world/bar.h"

#include "test.h"

/* A bar of a law that knows no inverted elements, with one node pushed through its neighbours. */
static pl_world *make(const char *integrator, double push, pl_body_id *body)
{
  pl_setting moduli[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"neo-hooke", moduli, 2};
  bar_def bar = {.like = &like, .integrator = integrator, .never_halve = 1, .unstable = 1, .n = 2};
  pl_world *world = NULL;
  static double x[3 * 200];
  CHECK_OK(bar_make(&bar, &world, body, error));
  CHECK_OK(pl_world_get_positions(world, *body, x, error));
  int count = pl_mesh_node_count(pl_world_body_mesh(world, *body));
  CHECK(count <= 200);
  for (int i = 0; i < count; i++) {
    if (fabs(x[3 * i] - 1) < 1e-9) x[3 * i] -= push;
  }
  CHECK_OK(pl_world_set_positions(world, *body, x, error));
  return world;
}

/* The number behind "element " in a text; -1: there is none. */
static int element_in(const char *text)
{
  const char *at = strstr(text, "element ");
  int number = -1;
  return at && sscanf(at, "element %d of body", &number) == 1 ? number : -1;
}

TEST(an_element_that_is_inside_out_is_named)
{
  pl_body_id body;
  pl_world *world = make("rk4", 0.3, &body); // far above its critical step
  static double ratio[2000];
  pl_error fault = {0};
  pl_status status = PL_OK;
  for (int i = 0; i < 50 && !status; i++) {
    CHECK_OK(pl_world_get_stress(world, body, NULL, ratio, error));
    status = pl_world_step(world, &fault);
  }
  CHECK(status == PL_E_DIVERGED);
  int number = element_in(fault.message);
  CHECK(strstr(fault.message, "is inside out when the step begins (det F = -"));
  CHECK(number >= 0);
  for (int e = 0; e < pl_mesh_element_count(pl_world_body_mesh(world, body)); e++)
    CHECK(number < 0 || ratio[e] >= ratio[number] - 1e-9);
  if (!strstr(fault.message, "inside out")) printf("%s\n", fault.message);
  pl_world_destroy(world);
}

TEST(a_step_that_fails_without_crushed_elements_names_none)
{
  pl_body_id body;
  pl_error fault = {0};
  pl_setting one[] = {{.name = "newton", .value = {2}},
                      {.name = "newton-tolerance", .value = {1e-14}}};
  bar_def bar = {.integrator = "implicit-euler", .gravity = {0, 0, -1e4}, .halve_once = 1};
  pl_world *world = NULL;
  CHECK_OK(bar_make(&bar, &world, &body, error));
  CHECK_OK(pl_world_set_integrator(world, &(pl_choice){"implicit-euler", one, 2}, error));
  CHECK(pl_world_step(world, &fault) != PL_OK);
  CHECK(element_in(fault.message) == -1 && fault.message[0]);
  pl_world_destroy(world);
}

TESTS(X(an_element_that_is_inside_out_is_named)
          X(a_step_that_fails_without_crushed_elements_names_none))
