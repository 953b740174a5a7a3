/* An elastic ball on a rigid plane against Hertz, and pushed along it against Mindlin.
 *
 * The lower half of a ball of radius R, a quarter or a half of it with planes of symmetry, in
 * hexahedra that are fine where it touches and grow from there. Its equator stays plane and is
 * held; the floor comes up by delta. With E* = E / (1 - nu^2), G* = G / (2 - nu) (Johnson 1985, 4.2
 * and 7.2):
 *
 *   F = 4/3 E* sqrt(R) delta^1.5,  a = sqrt(R delta),
 *   Q = mu F (1 - (1 - s / s1)^1.5),  s1 = 3 mu F / (16 a G*). */
// label: long
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/probe.h"

#include "test.h"

#include <stdlib.h>

static const double R = 0.05, E = 1e6, NU = 0.3;

/* ---- the mesh ---- */

enum { MOST = 64 };

/* Widths that grow by a factor after the first `even` of them, to exactly `end`; how many. */
static int grade(double first, int even, double growth, double end, double at[MOST])
{
  int n = 0;
  double width = first;
  for (at[0] = 0; at[n] < end && n + 2 < MOST; n++) {
    if (n >= even) width *= growth;
    at[n + 1] = at[n] + width;
  }
  if (end - at[n - 1] < 0.4 * (at[n] - at[n - 1])) n--;
  at[n] = end;
  return n;
}

/* Where (u, v) in a square of half width c lies on the sphere, and going up from there to the
 * equator: by t of the way. */
static void place(double u, double v, double c, double t, double x[3])
{
  double a = u / c, b = v / c, p = u * sqrt(1 - 0.5 * b * b), q = v * sqrt(1 - 0.5 * a * a);
  double angle = sqrt(p * p + q * q), s = angle > 0 ? sin(angle) / angle : 1;
  const double foot[3] = {R * s * p, R * s * q, R - R * cos(angle)};
  const double top[3] = {0.92 * R * p / c, 0.92 * R * q / c, R};
  for (int k = 0; k < 3; k++) x[k] = foot[k] + t * (top[k] - foot[k]);
}

static void put_hex(int at, int row, int layer, int *e)
{
  const int hex[8] = {at,         at + 1,         at + 1 + row,         at + row,
                      at + layer, at + 1 + layer, at + 1 + row + layer, at + row + layer};
  memcpy(e, hex, sizeof hex);
}

/* n elements over the radius a of the contact; half: both sides of x = 0; capped: with one more
 * layer of elements above the equator. */
static pl_mesh *make_ball(double a, int n, int half, int capped)
{
  static const double c = 1.4;
  double side[MOST], up[MOST], across[2 * MOST];
  int m = grade(a / R / n, n + n / 2, 1.5, c, side), k = grade(a / R / n, n / 2, 1.5, 1, up);
  int count = 0, cells = 0, nodes_at = 0;
  if (capped) up[++k] = 1.1;
  for (int i = half ? -m : 0; i <= m; i++) across[count++] = i < 0 ? -side[-i] : side[i];
  double *nodes = calloc((size_t)count * (size_t)(m + 1) * (size_t)(k + 1), 3 * sizeof *nodes);
  int *elements = calloc((size_t)count * (size_t)m * (size_t)k, 8 * sizeof *elements);
  for (int l = 0; l <= k; l++) {
    for (int j = 0; j <= m; j++) {
      for (int i = 0; i < count; i++, nodes_at++) {
        place(across[i], side[j], c, up[l], nodes + 3 * nodes_at);
        if (l < k && j < m && i + 1 < count)
          put_hex(nodes_at, count, count * (m + 1), elements + 8 * cells++);
      }
    }
  }
  const pl_mesh_def def = {.nodes = nodes,
                           .node_count = nodes_at,
                           .elements = elements,
                           .element_count = cells,
                           .nodes_per_element = 8};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  free(nodes);
  free(elements);
  return mesh;
}

/* ---- the world ---- */

typedef struct ball {
  pl_world *world;
  pl_body_id body;
  pl_obstacle_id floor;
} ball;

/* Nodes in a box are held along some axes. */
static void hold(const ball *in, double x, double y, double z, const int is_free[3])
{
  const pl_setting where[] = {{.name = "min", .value = {-1, -1, z}},
                              {.name = "max", .value = {x, y, 1}}};
  const pl_selector selector = {.region = {"box", where, 2}};
  pl_fix_def def = pl_fix_def_default();
  def.where = &selector, def.where_count = 1;
  memcpy(def.free_axis, is_free, sizeof def.free_axis);
  CHECK_OK(pl_world_add_fix(in->world, in->body, &def, NULL, error));
}

static ball make(double a, int n, int half)
{
  ball to = {0};
  pl_world_def def = pl_world_def_default();
  const pl_setting hooke[] = {{.name = "young", .value = {E}}, {.name = "poisson", .value = {NU}}};
  const pl_setting linear = {.name = "strain", .word = "linear"};
  def.integrator.name = "static";
  def.dt = 0.05;
  def.threads = 1;
  def.gravity[2] = 0;
  CHECK_OK(pl_world_create(&def, &to.world, error));
  pl_body_def body = pl_body_def_default();
  pl_mesh *mesh = make_ball(a, n, half, 0);
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.model = (pl_choice){"fem", &linear, 1};
  CHECK_OK(pl_world_add_body(to.world, &body, &to.body, error));
  pl_mesh_destroy(mesh);
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", NULL, 0};
  CHECK_OK(pl_world_add_obstacle(to.world, &floor, &to.floor, error));
  if (!half) hold(&to, 1e-9, 1, -1, (int[3]){0, 1, 1});
  hold(&to, 1, 1e-9, -1, (int[3]){1, 0, 1});
  hold(&to, 1, 1, R - 1e-9, (int[3]){!half, !half, 0});
  return to;
}

static void raise_floor(const ball *in, double x, double z, double force[3])
{
  pl_obstacle_facts facts;
  CHECK_OK(
      pl_world_move_obstacle(in->world, in->floor, (double[3]){x, 0, z}, (double[3]){0}, error));
  CHECK_OK(pl_world_step(in->world, error));
  CHECK_OK(pl_world_read_obstacle(in->world, in->floor, &facts, error));
  pl_vec3_copy(facts.force, force);
}

/* ---- Hertz ---- */

static const double stiff = 1e6 / (1 - 0.3 * 0.3);             /* E* */
static const double shear = 1e6 / (2 * (1 + 0.3)) / (2 - 0.3); /* G* */

static double radius(double F) { return cbrt(3 * F * R / (4 * stiff)); }

/* How deep a ball is pressed that is held at its equator: it is no half space, and stiffer by what
 * the force on its other side does (Tatara 1991). */
static double finite_depth(double F)
{
  double a = radius(F), square = a * a + 4 * R * R, root = sqrt(square);
  double other = 2 * (1 + NU) * R * R / (square * root) + (1 - NU * NU) / root;
  return a * a / R - F * other / (M_PI * E);
}

static double finite_force(double depth)
{
  double low = 0, high = 1000;
  for (int i = 0; i < 100; i++) {
    double F = 0.5 * (low + high);
    if (finite_depth(F) < depth)
      low = F;
    else
      high = F;
  }
  return low;
}

/* Hertz' theory is that of a half space: right where the ball is pressed by little. */
TEST(a_ball_pressed_on_a_plane_resists_as_hertz_says)
{
  static const double depth[] = {2e-3, 0.5e-3, 0.1e-3};
  const int n = getenv("PLIANT_LONG") ? 12 : 6, count = TEST_SANITIZED ? 1 : 3;
  double force[3], F[3];
  for (int k = 0; k < count; k++) {
    ball in = make(sqrt(R * depth[k]), n, 0);
    double hertz = 4.0 / 3 * stiff * sqrt(R * depth[k]) * depth[k], finite = finite_force(depth[k]);
    raise_floor(&in, 0, depth[k], force);
    F[k] = 4 * force[2];
    printf("  %.1f mm: %.4f N, of a half space %.4f, of a ball %.4f\n", 1e3 * depth[k], F[k], hertz,
           finite);
    CHECK_NEAR(F[k], finite, 0.01 * finite);
    if (k == 2) CHECK_NEAR(F[k], hertz, 0.03 * hertz);
    pl_world_destroy(in.world);
  }
  if (count == 3) CHECK_NEAR(log(F[1] / F[2]) / log(depth[1] / depth[2]), 1.5, 0.03);
}

/* ---- impact ---- */

/* The volume of a quarter of the elements whose middle is above z, by 5 tets each. */
static double volume_above(const pl_mesh *mesh, double z)
{
  static const int tets[5][4] = {
      {0, 1, 3, 4}, {1, 2, 3, 6}, {1, 3, 4, 6}, {1, 6, 4, 5}, {3, 4, 6, 7}};
  double sum = 0;
  for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
    const int *v = pl_mesh_elements(mesh) + 8 * e;
    const double *nodes = pl_mesh_nodes(mesh);
    double middle = 0, volume = 0, d[3][3];
    for (int i = 0; i < 8; i++) middle += nodes[3 * v[i] + 2] / 8;
    for (int t = 0; t < 5; t++) {
      for (int i = 0; i < 3; i++)
        pl_vec3_sub(nodes + 3 * v[tets[t][i + 1]], nodes + 3 * v[tets[t][0]], d[i]);
      volume += fabs(pl_triple(d[0], d[1], d[2])) / 6;
    }
    if (middle > z) sum += volume;
  }
  return sum;
}

/* Half a ball without a mass of its own falls on the plane, with a heavy and stiff layer above its
 * equator: what it weighs is mass. It touches as it begins. */
static ball throw(double depth, int n, double mass, double speed, double dt)
{
  ball to = {0};
  pl_world_def def = pl_world_def_default();
  const pl_setting hooke[] = {{.name = "young", .value = {E}}, {.name = "poisson", .value = {NU}}};
  const pl_setting hard[] = {{.name = "young", .value = {1e3 * E}},
                             {.name = "poisson", .value = {NU}}};
  const pl_setting linear = {.name = "strain", .word = "linear"};
  const pl_setting where[] = {{.name = "min", .value = {-1, -1, R}},
                              {.name = "max", .value = {1, 1, 1}}};
  const pl_selector selector = {.region = {"box", where, 2}};
  pl_mesh *mesh = make_ball(sqrt(R * depth), n, 0, 1);
  pl_body_part top = {&selector, 1, pl_material_def_default()};
  top.material.law = (pl_choice){"hooke", hard, 2};
  top.material.density = mass / 4 / volume_above(mesh, R);
  def.integrator.name = "bdf2";
  def.dt = dt;
  def.threads = 1;
  def.gravity[2] = 0;
  CHECK_OK(pl_world_create(&def, &to.world, error));
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.material.density = 1;
  body.parts = &top, body.part_count = 1;
  body.model = (pl_choice){"fem", &linear, 1};
  body.velocity[2] = -speed;
  CHECK_OK(pl_world_add_body(to.world, &body, &to.body, error));
  pl_mesh_destroy(mesh);
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", NULL, 0};
  CHECK_OK(pl_world_add_obstacle(to.world, &floor, &to.floor, error));
  hold(&to, 1e-9, 1, -1, (int[3]){0, 1, 1});
  hold(&to, 1, 1e-9, -1, (int[3]){1, 0, 1});
  return to;
}

typedef struct impact {
  double time, depth, speed; /* s in contact; deepest, m; with which it leaves, m/s */
} impact;

/* A point mass with the force of a ball, by Verlet's method. */
static impact predict(double mass, double speed, double dt)
{
  impact of = {0};
  double x = 0, v = speed, f = 0;
  for (; x >= 0; of.time += dt) {
    v -= 0.5 * dt * f / mass;
    x += dt * v;
    f = x > 0 ? finite_force(x) : 0;
    v -= 0.5 * dt * f / mass;
    of.depth = fmax(of.depth, x);
  }
  of.speed = -v;
  return of;
}

/* Of the last node, which is in the layer. */
static double height(const ball *in)
{
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(in->world, &facts, error));
  int count = facts.nodes;
  double *x = malloc(3 * (size_t)count * sizeof *x), z;
  CHECK_OK(pl_world_get_positions(in->world, in->body, x, error));
  z = x[3 * count - 1];
  free(x);
  return z;
}

static impact meet(double depth, int n, double mass, double speed, double dt)
{
  ball in = throw(depth, n, mass, speed, dt);
  impact of = {0};
  pl_obstacle_facts facts;
  double start = height(&in), last = start;
  for (int i = 0, touched = 0; i < 1000; i++) {
    CHECK_OK(pl_world_step(in.world, error));
    CHECK_OK(pl_world_read_obstacle(in.world, in.floor, &facts, error));
    double z = height(&in);
    of.speed = (z - last) / dt;
    last = z;
    of.depth = fmax(of.depth, start - z);
    touched |= facts.force[2] > 0;
    if (touched && !(facts.force[2] > 0)) break;
    of.time += dt;
  }
  pl_world_destroy(in.world);
  return of;
}

/* Hertz' impact of a half space (Johnson 1985, 11.4) is that of the ball where it is slow. */
TEST(a_ball_that_falls_on_a_plane_rebounds_as_hertz_says)
{
  static const double speeds[] = {1, 0.02}, mass = 0.5;
  const int is_long = getenv("PLIANT_LONG") != NULL;
  if (TEST_SANITIZED) return;
  for (int i = !is_long; i < 2; i++) {
    double v = speeds[i], depth = pow(15 * mass * v * v / (16 * sqrt(R) * stiff), 0.4);
    double time = 2.868 * pow(mass * mass / (R * stiff * stiff * v), 0.2),
           dt = time / (is_long ? 150 : 50);
    impact of = meet(depth, is_long ? 5 : 3, mass, v, dt), wanted = predict(mass, v, dt / 10);
    printf("  %g m/s: %.3f ms, %.4f mm, leaves with %.3f; of a half space %.3f, %.4f, of a ball "
           "%.3f, %.4f\n",
           v, 1e3 * of.time, 1e3 * of.depth, of.speed / v, 1e3 * time, 1e3 * depth,
           1e3 * wanted.time, 1e3 * wanted.depth);
    CHECK_NEAR(of.time, wanted.time, 0.05 * wanted.time);
    CHECK_NEAR(of.depth, wanted.depth, 0.05 * wanted.depth);
    CHECK(of.speed > 0.95 * v && of.speed < 1.01 * v); // the layer rings
    if (i == 1) CHECK_NEAR(of.time, time, 0.05 * time);
    if (i == 1) CHECK_NEAR(of.depth, depth, 0.05 * depth);
  }
}

/* ---- Mindlin ---- */

/* Pressed without friction; the floor goes up by a little more, then along x. While nothing slips
 * the region that touches is a punch: 1/k_n = 1/(2 a E*) + C_n and 1/k_t = 1/(8 a G*) + C, where C
 * is what the half ball gives way as a whole. */
typedef struct punch {
  ball in;
  double depth, F;
  double normal, along; /* 1/k, m/N */
} punch;

static void press(double depth, int n, double mu, punch *to)
{
  double force[3], more[3], s = 1e-3 * depth;
  to->in = make(sqrt(R * depth), n, 1);
  to->depth = depth + s;
  raise_floor(&to->in, 0, depth, force);
  raise_floor(&to->in, 0, to->depth, more);
  to->F = 2 * more[2];
  to->normal = s / (2 * more[2] - 2 * force[2]);
  CHECK_OK(pl_world_set_friction(to->in.world, to->in.floor, mu, mu, 0, error));
}

static punch push(double depth, int n)
{
  punch of;
  double force[3], s = 1e-3 * depth;
  press(depth, n, 100, &of);
  raise_floor(&of.in, s, of.depth, force);
  of.along = s / (2 * force[0]);
  pl_world_destroy(of.in.world);
  return of;
}

/* What a punch gives way less than one in a half space: Tatara's term, of a force in its middle. */
static const double finite_size = -((1 + 0.3) / 4 + (1 - 0.3 * 0.3) / 2) / (M_PI * 1e6 * 0.05);

static double touching(const punch *of) { return 1 / (2 * stiff * (of->normal - finite_size)); }

/* Two depths tell the ratio of the stiffnesses without C_n and C. The radius that touches, of nodes
 * that do or do not, is not needed. Found: 0.8132, 0.8101, 0.8097 and 0.8017 with 4, 5, 6 and 8
 * elements over it, and 0.8283 with 4 at a quarter of the depth: a is no longer small against R
 * here, 0.09 of it, and what the half ball gives way as a whole is not quite the same at both
 * depths. */
static double check_stiffness(double depth, int n)
{
  punch shallow = push(depth / 4, n), deep = push(depth, n);
  double ratio = (shallow.normal - deep.normal) / (shallow.along - deep.along);
  printf("  %d elements: k_t / k_n %.4f of %.4f\n", n, ratio, 4 * shear / stiff);
  CHECK_NEAR(ratio, 4 * shear / stiff, 0.03 * 4 * shear / stiff);
  return deep.along - 1 / (8 * touching(&deep) * shear);
}

/* The floor goes on beyond full slip. */
static void check_slip(double depth, int n, double C, int parts)
{
  const double mu = 0.4;
  punch of;
  press(depth, n, mu, &of);
  double most = mu * of.F, s1 = 3 * most / (16 * radius(of.F) * shear);
  for (int i = 1; i <= parts + 1; i++) {
    double way = (s1 + C * most) * i / parts, force[3];
    raise_floor(&of.in, way, of.depth, force);
    double Q = 2 * force[0] / most, y = fmin((way - C * most * Q) / s1, 1);
    double wanted = 1 - (1 - y) * sqrt(1 - y);
    printf("  s / s1 %.4f: Q / (mu F) %.4f of %.4f\n", y, Q, wanted);
    CHECK_NEAR(Q, wanted, 0.02 * wanted);
  }
  pl_world_destroy(of.in.world);
}

TEST(a_ball_pushed_along_a_plane_slips_from_the_rim_inwards)
{
  static const int elements[] = {4, 5, 6, 8};
  const int count = getenv("PLIANT_LONG") ? 4 : 1;
  if (TEST_SANITIZED) return;
  for (int i = 0; i < count; i++) {
    double depth = 0.4e-3, C = check_stiffness(depth, elements[i]);
    check_slip(depth, elements[i], C, i < 3 ? 4 : 12);
  }
}

TESTS(X(a_ball_pressed_on_a_plane_resists_as_hertz_says)
          X(a_ball_that_falls_on_a_plane_rebounds_as_hertz_says)
              X(a_ball_pushed_along_a_plane_slips_from_the_rim_inwards))
