/* Ties where blocks turn: hinges of rigid parts, blocks that depend on each other and on
 * themselves. */
// label: long
#include "tied.h"

static pl_status make_pendulum(const setup *with, int fixed, pair *p, pl_error *error)
{
  pl_selector all = {.region = {"all", NULL, 0}}, corner;
  pl_setting near[] = {{.name = "min", .value = {0.49, -0.01, -0.01}},
                       {.name = "max", .value = {0.51, 0.51, 0.01}}};
  pl_attachment_def def = pl_attachment_def_default();
  corner = (pl_selector){.region = {"box", near, 2}};
  pl_rigid_def rigid = pl_rigid_def_default();
  rigid.where = &all, rigid.where_count = 1;
  *p = (pair){0};
  pl_status status = make_world(with, &p->world, error);
  if (!status) status = add_bar(p->world, with, 0, 2, 2, &p->left, error);
  if (!status) status = add_bar(p->world, with, 0.5, 2, 2, &p->right, error);
  if (!status) status = fix_set(p->world, p->left, "x-min", error);
  if (!status && fixed) status = fix_set(p->world, p->left, "x-max", error);
  if (!status) status = pl_world_add_rigid(p->world, p->right, &rigid, NULL, error);
  def.to = p->left, def.exact = 1;
  def.where = &corner, def.where_count = 1;
  return status ? status : pl_world_add_attachment(p->world, p->right, &def, &p->tie, error);
}

typedef struct swung {
  double height; /* of the far upper edge of the cube, m */
  double force;  /* of the hinge, upwards, N */
  double gap;
} swung;

/* A rigid cube after it swung for 0.4 s on a hinge of three nodes. */
static swung swing(const char *integrator, double dt)
{
  setup with = {.integrator = integrator, .dt = dt, .gravity = 9.81};
  pair p;
  pl_attachment_facts facts = {0};
  double x[3 * 27];
  CHECK_OK(make_pendulum(&with, 1, &p, error));
  for (int i = 0; i < (int)(0.4 / dt + 0.5); i++) CHECK_OK(pl_world_step(p.world, error));
  CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
  CHECK_OK(pl_world_get_positions(p.world, p.right, x, error));
  pl_world_destroy(p.world);
  return (swung){x[3 * 26 + 2], facts.force[2], facts.gap};
}

/* A cube of edge a = 0.5 m whose mass is in its 27 nodes, 1/4, 1/2, 1/4 along each axis, swings
 * about one of its edges: (3/4) m a^2 w' = -m g r cos(angle), with the centre at r = a / sqrt(2).
 * By leapfrog with small steps. */
static swung swing_exactly(void)
{
  double angle = 0.25 * 3.14159265358979323846, rate = 0, h = 1e-5, a = 0.5, arm = sqrt(0.5) * a;
  double turn = 9.81 * arm / (0.75 * a * a);
  for (int i = 0; i < 40000; i++) {
    rate -= 0.5 * h * turn * cos(angle);
    angle += h * rate;
    rate -= 0.5 * h * turn * cos(angle);
  }
  double lift = -turn * cos(angle) * arm * cos(angle) - rate * rate * arm * sin(angle);
  return (swung){.height = sqrt(2) * a * sin(angle), .force = 125 * (9.81 + lift)};
}

/* One-step methods keep their order, those that remember more than q and v are of order 1 here. */
TEST(a_rigid_cube_swings_on_a_hinge_of_tied_nodes)
{
  static const struct {
    const char *integrator;
    double off, ratio;
  } cases[] = {{"implicit-midpoint", 2e-6, 0.3},
               {"sdirk2", 1e-4, 0.35},
               {"verlet", 2e-6, 0.3},
               {"rk4", 2e-6, 0.3},
               {"ros2w", 2e-6, 0.3},
               {"newmark", 1e-3, 0.6},
               {"bdf2", 1e-3, 0.6},
               {"implicit-euler", 6e-3, 0.6}};
  swung right = swing_exactly();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    swung coarse = swing(cases[i].integrator, 0.004), fine = swing(cases[i].integrator, 0.002);
    double off[2] = {coarse.height - right.height, fine.height - right.height};
    int good = fabs(off[1]) < cases[i].off && fabs(off[1]) < cases[i].ratio * fabs(off[0]);
    CHECK(good);
    CHECK(coarse.gap < 1e-9 && fine.gap < 1e-9);
    CHECK_NEAR(fine.force, right.force, 0.02 * right.force);
    if (!good || fabs(fine.force - right.force) > 0.02 * right.force)
      printf("  %s: off by %g and %g m, %g of %g N\n", cases[i].integrator, off[0], off[1],
             fine.force, right.force);
  }
}

static double largest_difference(const double *a, const double *b, int count)
{
  double max = 0;
  for (int i = 0; i < count; i++) max = fmax(max, fabs(a[i] - b[i]));
  return max;
}

/* A rigid cube on three nodes of a soft bar, which is tied to another: blocks that depend on each
 * other along different directions, and on themselves. E E = E, J E = 0, and the folded matrix is
 * E^T A E. */
TEST(links_and_the_folded_matrix_are_those_of_the_rows)
{
  setup with = {.integrator = "implicit-euler", .dt = 0.005, .gravity = 9.81};
  pair p;
  pl_body_id third;
  CHECK_OK(make_pendulum(&with, 0, &p, error));
  CHECK_OK(add_bar(p.world, &with, -0.5, 2, 2, &third, error));
  CHECK_OK(tie(p.world, p.left, "x-min", third, NULL, error));
  CHECK_OK(tie(p.world, third, "x-max", p.left, NULL, error));
  CHECK_OK(pl_world_prepare(p.world, error));
  pl_world *world = p.world;
  pl_system *system = &world->system;
  const pl_filter *filter = &system->filter;
  size_t n = 3 * (size_t)world->bodies.blocks;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  for (size_t i = 0; i < n; i++) x[i] = test_uniform();
  pl_filter_motion(filter, x);
  memcpy(y, x, n * sizeof *y);
  pl_filter_motion(filter, y);
  CHECK_NEAR(largest_difference(x, y, (int)n), 0, 1e-13);
  pl_mpcs_measure(filter->mpcs, x, y);
  for (int i = 0; i < filter->mpcs->count; i++) CHECK_NEAR(y[i], 0, 1e-13);
  const pl_tangent tangent = {200, 0.005, 1, 0, system->A, system->pairs};
  system->ops->evaluate(system, 0, world->state.q, world->state.v, y, &tangent);
  pl_bsr_multiply(system->A, x, y, NULL);
  double size = largest_difference(y, z, (int)n);
  pl_system_fold(system);
  CHECK(system->missing == 0 && filter->links->count > 5);
  pl_system_multiply(system, x, z);
  CHECK_NEAR(largest_difference(y, z, (int)n) / size, 0, 1e-13);
  // the free rows of the folded matrix
  pl_filter_force(filter, y);
  pl_links_strip(filter->links, x);
  pl_bsr_multiply(system->A, x, z, NULL);
  pl_filter_apply(filter, z);
  CHECK_NEAR(largest_difference(y, z, (int)n) / size, 0, 1e-13);
  free(x), free(y), free(z);
  pl_world_destroy(world);
}

TESTS(X(links_and_the_folded_matrix_are_those_of_the_rows)
          X(a_rigid_cube_swings_on_a_hinge_of_tied_nodes))
