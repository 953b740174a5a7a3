/* Bodies that are linked, twisted and knotted under barriers: nothing intersects, by the exact test
 * after every step. With PLIANT_LONG=1 they are larger and go on for longer. */
// label: long
#include "couple/fence.h"
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/probe.h"

#include "test.h"

#include <stdlib.h>

static int is_long(void) { return getenv("PLIANT_LONG") != NULL; }

static pl_world *make_world(double dt, double gravity, double friction)
{
  pl_world_def def = pl_world_def_default();
  pl_contact_def contact = pl_contact_def_default();
  pl_setting max = {.name = "newton", .value = {100}};
  pl_world *world = NULL;
  def.dt = dt;
  def.threads = 1;
  def.gravity[2] = -gravity;
  def.integrator = (pl_choice){"implicit-euler", &max, 1};
  CHECK_OK(pl_world_create(&def, &world, error));
  contact.friction = friction;
  contact.response.name = "barrier";
  CHECK_OK(pl_world_set_contact(world, &contact, error));
  return world;
}

typedef struct kind {
  double young, poisson, density;
  int self;
} kind;

static pl_body_id add_body(pl_world *world, pl_mesh *mesh, const kind *of)
{
  pl_setting hooke[] = {{.name = "young", .value = {of->young}},
                        {.name = "poisson", .value = {of->poisson}}};
  pl_body_def def = pl_body_def_default();
  pl_body_id body = {0};
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.01;
  if (of->density > 0) def.material.density = of->density;
  def.self_contact = of->self;
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  pl_mesh_destroy(mesh);
  return body;
}

/* Steps, and judges after each. */
static void run(pl_world *world, int steps)
{
  for (int i = 0; i < steps && !test_failures; i++) {
    int64_t count = -1;
    CHECK_OK(pl_world_step(world, error));
    pl_fence *fence = (pl_fence *)probe_coupling(world, &pl_coupling_barrier, 0);
    pl_collision_place(&fence->is, world->state.q, NULL);
    CHECK_OK(pl_finder_intersections(fence->swept, fence->is.x, NULL, &count, error));
    CHECK(count == 0);
    if (is_long() && i % 10 == 9) {
      printf("  step %d: Newton %.1f per step, %.1f s\n", i + 1,
             (double)world->tally.newton_iterations / (i + 1), (double)clock() / CLOCKS_PER_SEC);
      fflush(stdout);
    }
  }
  double newton = (double)world->tally.newton_iterations / steps;
  printf("  0 intersections in %d steps, Newton %.1f per step\n", steps, newton);
  CHECK(newton < 100);
}

/* Holds nodes of the set, and carries them along a path in a second. */
static void hold(pl_world *world, pl_body_id body, const char *set, const pl_fix_def *along)
{
  static const double times[] = {0, 1000}, factors[] = {0, 1000};
  pl_selector nodes = {.set = set};
  pl_fix_def fix = along ? *along : pl_fix_def_default();
  fix.where = &nodes, fix.where_count = 1;
  if (along) fix.ramp = (pl_ramp){2, times, factors};
  CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
}

/* ---- tubes ---- */

enum { MOST = 200 };

/* A tube of square cross-section of half width `half` along a curve of hexahedra; closed: its end
 * is its beginning. `across` is about at right angles to it at the start. Sets "all", "first" and
 * "last". */
static pl_mesh *make_tube(const double *curve, int count, int closed, double half,
                          const double across[3])
{
  static double nodes[12 * MOST];
  static int elements[8 * MOST], all[4 * MOST];
  double *x = nodes, side[3];
  int *e = elements, cells = closed ? count : count - 1;
  pl_vec3_copy(across, side);
  for (int i = 0; i < count; i++) {
    const double *before = curve + 3 * (i ? i - 1 : closed ? count - 1 : 0);
    const double *after = curve + 3 * (i + 1 < count ? i + 1 : closed ? 0 : i);
    double along[3], up[3];
    pl_vec3_sub(after, before, along);
    pl_vec3_scale(1 / pl_vec3_norm(along), along, along);
    pl_vec3_add_scaled(-pl_vec3_dot(side, along), along, side);
    pl_vec3_scale(1 / pl_vec3_norm(side), side, side);
    pl_vec3_cross(along, side, up);
    for (int k = 0; k < 4; k++, x += 3) {
      pl_vec3_copy(curve + 3 * i, x);
      pl_vec3_add_scaled(k == 1 || k == 2 ? half : -half, side, x);
      pl_vec3_add_scaled(k < 2 ? -half : half, up, x);
    }
  }
  for (int i = 0; i < cells; i++, e += 8) {
    for (int k = 0; k < 4; k++) e[k] = 4 * i + k, e[4 + k] = 4 * ((i + 1) % count) + k;
  }
  for (int i = 0; i < 4 * count; i++) all[i] = i;
  const pl_set sets[] = {{.name = "all", .count = 4 * count, .ids = all},
                         {.name = "first", .count = 4, .ids = all},
                         {.name = "last", .count = 4, .ids = all + 4 * (count - 1)}};
  const pl_mesh_def def = {.nodes = nodes,
                           .sets = sets,
                           .set_count = 3,
                           .node_count = 4 * count,
                           .elements = elements,
                           .element_count = cells,
                           .nodes_per_element = 8};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  return mesh;
}

enum { AROUND = 12 };

/* A ring about the axis x, y or z, with corners in the plane z = 0 and above it. */
static pl_mesh *make_ring(double radius, double half, const double centre[3], int axis)
{
  double curve[3 * AROUND], across[3] = {0, 0, 0};
  for (int i = 0; i < AROUND; i++) {
    double a = 2 * M_PI * i / AROUND, *x = curve + 3 * i;
    x[axis] = 0;
    x[(axis + 1) % 3] = radius * cos(a);
    x[(axis + 2) % 3] = radius * sin(a);
    pl_vec3_add(x, centre, x);
  }
  across[axis] = 1;
  return make_tube(curve, AROUND, 1, half, across);
}

static void middle(const pl_world *world, int b, double x[3])
{
  const pl_body *body = &world->bodies.list[b];
  pl_vec3_set(x, 0, 0, 0);
  for (int i = 0; i < body->blocks; i++)
    pl_vec3_add_scaled(1.0 / body->blocks, world->state.q + 3 * (body->offset + i), x);
}

/* ---- rings ---- */

/* Linked rings fall until the held one carries them all. Tubes of width 2 a, whose axes are
 * polygons with a corner where they hang, meet at their edges: the pitch is 2 (R - a) - 2 a
 * tan(pi/12). */
TEST(a_chain_of_rings_hangs_without_an_intersection)
{
  const double R = 0.03, half = 0.005, pitch = 2 * (R - half) - 2 * half * tan(M_PI / 12);
  const int rings = is_long() ? 5 : 3;
  const kind rubber = {1e6, 0.3, 0, 0};
  pl_world *world = make_world(5e-3, 9.81, 0.5);
  for (int i = 0; i < rings; i++) {
    const double centre[3] = {0, 0, -(pitch - 0.002) * i};
    pl_body_id body = add_body(world, make_ring(R, half, centre, i % 2), &rubber);
    if (!i) hold(world, body, "all", NULL);
  }
  run(world, is_long() ? 200 : 30);
  // the lowest is where its links hold it, within 2 per cent of the chain
  double x[3], wanted = -(rings - 1) * pitch;
  middle(world, rings - 1, x);
  printf("  lowest ring at %.5f m (%.5f)\n", x[2], wanted);
  CHECK_NEAR(x[2], wanted, 0.02 * (fabs(wanted) + 2 * R));
  pl_world_destroy(world);
}

/* Rings that lie in a grid, and upright ones that link each to its neighbours. Those at the corners
 * are held; the others sag. */
TEST(chain_mail_sags_without_an_intersection)
{
  const double R = 0.03, half = 0.004, s = 0.08;
  const int n = is_long() ? 4 : 2;
  const kind steel = {1e6, 0.3, 0, 0};
  pl_world *world = make_world(5e-3, 9.81, 0.2);
  int flat[16], links[24][3], link_count = 0;
  for (int i = 0; i < n * n; i++) {
    int a = i % n, b = i / n, corner = (a == 0 || a == n - 1) && (b == 0 || b == n - 1);
    pl_body_id body = add_body(world, make_ring(R, half, (double[3]){s * a, s * b, 0}, 2), &steel);
    flat[i] = (int)world->bodies.count - 1;
    if (corner && (n > 2 || i != 3)) hold(world, body, "all", NULL);
  }
  for (int i = 0; i < n * n; i++) {
    int a = i % n, b = i / n;
    for (int k = 0; k < 2; k++) {
      if ((k ? b : a) == n - 1) continue;
      const double centre[3] = {s * (a + (k ? 0 : 0.5)), s * (b + (k ? 0.5 : 0)), 0};
      (void)add_body(world, make_ring(R, half, centre, k ? 0 : 1), &steel);
      const int link[3] = {(int)world->bodies.count - 1, flat[i], flat[k ? i + n : i + 1]};
      memcpy(links[link_count++], link, sizeof link);
    }
  }
  run(world, is_long() ? 100 : 20);
  // a link holds both of its rings: their middles are not farther than it is long
  double most = 0, x[3], y[3];
  for (int i = 0; i < link_count; i++) {
    for (int k = 1; k < 3; k++) {
      middle(world, links[i][0], x);
      middle(world, links[i][k], y);
      most = fmax(most, pl_vec3_distance(x, y));
    }
  }
  middle(world, n > 2 ? flat[5] : flat[3], x);
  printf("  %d rings, farthest of a link %.4f m of %.4f, sags to %.4f\n", (int)world->bodies.count,
         most, 2 * (R - half), x[2]);
  CHECK(most < 2 * (R + half));
  CHECK(x[2] < -0.001);
  pl_world_destroy(world);
}

/* ---- a knot ---- */

/* A curve with an overhand knot (t^3 - 3 t, t^4 - 4 t^2, (t^5 - 10 t) / 3), walked at even speed.
 */
static void place_knot(double *curve, int count)
{
  const double end = 2.2, scale = 0.05;
  double t = -end, done = 0, length = 0;
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    double rate = 0;
    for (t = -end, done = 0; t <= end; done += rate * 1e-4, t += 1e-4) {
      const double d[3] = {3 * t * t - 3, 4 * t * t * t - 8 * t, (5 * t * t * t * t - 10) / 3};
      rate = pl_vec3_norm(d);
      if (!pass || done < at * length / (count - 1) || at >= count) continue;
      pl_vec3_set(curve + 3 * at++, scale * (t * t * t - 3 * t),
                  scale * (t * t * t * t - 4 * t * t), scale * (t * t * t * t * t - 10 * t) / 3);
    }
    length = 0.999 * done;
  }
}

TEST(a_knot_is_pulled_tight_without_an_intersection)
{
  enum { COUNT = 65 };
  const kind rope = {1e5, 0.3, 900, 1};
  double curve[3 * COUNT];
  pl_world *world = make_world(0.01, 0, 0.15);
  place_knot(curve, COUNT);
  pl_body_id body = add_body(world, make_tube(curve, COUNT, 0, 0.005, (double[3]){0, 1, 0}), &rope);
  for (int k = 0; k < 2; k++) {
    pl_fix_def pull = pl_fix_def_default();
    pl_vec3_scale(2, curve + 3 * (k ? COUNT - 1 : 0), pull.translation);
    pull.translation[1] = 0;
    hold(world, body, k ? "last" : "first", &pull);
  }
  run(world, is_long() ? 120 : 25);
  pl_world_destroy(world);
}

/* ---- rods ---- */

/* Four rods side by side, both ends turned against each other about their common axis. */
TEST(four_rods_are_twisted_without_an_intersection)
{
  const int cells = is_long() ? 40 : 16, steps = is_long() ? 200 : 16;
  const double length = 0.4, d = 0.03;
  const kind soft = {1e4, 0.4, 1000, 1};
  pl_world *world = make_world(0.025, 0, 0);
  double curve[3 * MOST];
  for (int r = 0; r < 4; r++) {
    for (int i = 0; i <= cells; i++)
      pl_vec3_set(curve + 3 * i, length * i / cells, r % 2 ? d : -d, r / 2 ? d : -d);
    pl_body_id body =
        add_body(world, make_tube(curve, cells + 1, 0, 0.01, (double[3]){0, 1, 0}), &soft);
    for (int k = 0; k < 2; k++) {
      pl_fix_def turn = pl_fix_def_default();
      pl_vec3_set(turn.axis, 1, 0, 0);
      turn.angle = k ? -360 : 360;
      hold(world, body, k ? "first" : "last", &turn);
    }
  }
  run(world, steps);
  pl_world_destroy(world);
}

TESTS(X(a_chain_of_rings_hangs_without_an_intersection) X(chain_mail_sags_without_an_intersection)
          X(a_knot_is_pulled_tight_without_an_intersection)
              X(four_rods_are_twisted_without_an_intersection))
