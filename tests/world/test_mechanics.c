/* Closed forms of mechanics with contact: a ball that slides until it rolls. */
// label: long
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

#include <stdlib.h>

static pl_world *make_world(double dt)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.dt = dt;
  def.threads = 1;
  def.gravity[2] = -9.81;
  CHECK_OK(pl_world_create(&def, &world, error));
  return world;
}

static void add_floor(pl_world *world, double friction)
{
  pl_setting surface = {.name = "friction", .value = {friction}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", &surface, 1};
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
}

static const double R = 0.05;

/* ---- a ball ---- */

typedef struct geodesic {
  double *nodes;
  int (*faces)[3], node_count, face_count;
} geodesic;

/* A node between two others, on the sphere. */
static int add_node(geodesic *ball, const double a[3], const double b[3])
{
  double *to = ball->nodes + 3 * ball->node_count;
  pl_vec3_add(a, b, to);
  pl_vec3_scale(R / pl_vec3_norm(to), to, to);
  return ball->node_count++;
}

typedef struct edge {
  int low, high, middle;
} edge;

/* The middle of an edge, which two triangles ask for. */
static int find_middle(geodesic *ball, edge *known, int room, int a, int b)
{
  int low = a < b ? a : b, high = a + b - low, at = (31 * low + 17 * high) % room;
  for (; known[at].middle; at = (at + 1) % room) {
    if (known[at].low == low && known[at].high == high) return known[at].middle;
  }
  const double *x = ball->nodes;
  known[at] = (edge){low, high, add_node(ball, x + 3 * a, x + 3 * b)};
  return known[at].middle;
}

/* Four triangles in place of each. */
static void divide(geodesic *ball)
{
  int room = 8 * ball->face_count, count = ball->face_count;
  edge *known = calloc((size_t)room, sizeof *known);
  for (int f = 0; f < count; f++) {
    int v[3], m[3];
    memcpy(v, ball->faces[f], sizeof v);
    for (int k = 0; k < 3; k++) m[k] = find_middle(ball, known, room, v[k], v[(k + 1) % 3]);
    memcpy(ball->faces[f], m, sizeof m);
    for (int k = 0; k < 3; k++) {
      int *to = ball->faces[ball->face_count++];
      to[0] = v[k], to[1] = m[k], to[2] = m[(k + 2) % 3];
    }
  }
  free(known);
}

/* Tetrahedra between the middle, which is node 0, and an icosahedron divided `times` times. */
static pl_mesh *make_ball(int times)
{
  static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                   {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                   {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                   {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double g = 0.5 * (1 + sqrt(5)),
               corners[12][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                 {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                 {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  size_t most = 20;
  for (int i = 0; i < times; i++) most *= 4;
  geodesic ball = {calloc(most, 3 * sizeof(double)), calloc(most, sizeof *ball.faces), 1, 0};
  int *tets = calloc(most, 4 * sizeof *tets);
  for (int i = 0; i < 12; i++) (void)add_node(&ball, corners[i], corners[i]);
  for (; ball.face_count < 20; ball.face_count++) {
    for (int k = 0; k < 3; k++) ball.faces[ball.face_count][k] = 1 + faces[ball.face_count][k];
  }
  for (int i = 0; i < times; i++) divide(&ball);
  for (int i = 0; i < ball.face_count; i++)
    memcpy(tets + 4 * i + 1, ball.faces[i], 3 * sizeof(int));
  const pl_mesh_def def = {.nodes = ball.nodes,
                           .node_count = ball.node_count,
                           .elements = tets,
                           .element_count = ball.face_count,
                           .nodes_per_element = 4};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  free(ball.nodes);
  free(ball.faces);
  free(tets);
  return mesh;
}

/* ---- rolling ---- */

typedef struct rolling {
  double v, spin, x; /* after 0.4 s: m/s; R w / v; m */
  double friction;   /* over the normal force, in the mean of the first 0.2 s */
} rolling;

static pl_world *throw(int times, double dt)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e9}}, {.name = "poisson", .value = {0.3}}};
  pl_body_def def = pl_body_def_default();
  pl_world *world = make_world(dt);
  pl_mesh *mesh = make_ball(times);
  def.model.name = "rigid";
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.velocity[0] = 2;
  def.translation[2] = R + 1e-4; // where it rests
  CHECK_OK(pl_world_add_body(world, &def, NULL, error));
  pl_mesh_destroy(mesh);
  add_floor(world, 0.2);
  return world;
}

static rolling roll(int times, double dt)
{
  pl_world *world = throw(times, dt);
  pl_probe_def probe = pl_probe_def_default();
  pl_probe_id force;
  double sum[3] = {0}, value[3];
  probe.quantity = "contact-force";
  CHECK_OK(pl_world_add_probe(world, &probe, &force, error));
  for (int i = 0; i < (int)(0.4 / dt + 0.5); i++) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_read_probe(world, force, value, error));
    for (int k = 0; k < 3 && i * dt < 0.2; k++) sum[k] += value[k];
  }
  const double *x = world->state.q + 3, *v = world->state.v + 3, *w = world->state.v;
  rolling of = {v[0], R * w[1] / v[0], x[0], -sum[0] / sum[2]};
  pl_world_destroy(world);
  return of;
}

/* v0 = 2 m/s, mu = 0.2: it rolls with 5/7 v0 = 1.4286 m/s from t = 2 v0 / (7 mu g) = 0.2912 s on,
 * after 12 v0^2 / (49 mu g) = 0.4993 m. The ball is a polyhedron, which loses speed at its corners:
 * with edges of 7, 3.5, 1.75 and 0.9 mm 7.4, 2.5, 1.0 and 0.3 per cent, with steps in proportion (a
 * corner must last some of them). So the long form holds what the finest ones tend to against the
 * sphere, by the rate at which they do; here what is missing must fall by half. */
TEST(a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_speed)
{
  const int count = TEST_SANITIZED ? 1 : getenv("PLIANT_LONG") ? 4 : 2;
  const double v = 10.0 / 7, x = 0.4993 + (0.4 - 0.2912) * v;
  double off[4];
  for (int i = 0; i < count; i++) {
    rolling of = roll(3 + i, 2.5e-4 / (1 << i));
    off[i] = v - of.v;
    printf("  divided %d times: %.4f m/s of %.4f, spin %.4f, %.4f m of %.4f, friction %.4f\n",
           3 + i, of.v, v, of.spin, of.x, x, of.friction);
    CHECK_NEAR(of.friction, 0.2, 0.002);
    CHECK_NEAR(of.spin, 1, 0.01);
    CHECK_NEAR(of.x, x, 0.01 * x);
    if (i > 0) CHECK(off[i] < 0.5 * off[i - 1]);
    if (i < 2) continue;
    double last = off[i - 1] - off[i], before = off[i - 2] - off[i - 1];
    double limit = v - off[i] + last * last / (before - last); // Aitken's
    printf("  tends to %.4f\n", limit);
    CHECK_NEAR(limit, v, 0.01 * v);
    if (i == 3) CHECK_NEAR(off[i], 0, 0.01 * v);
  }
}

TESTS(X(a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_speed))
