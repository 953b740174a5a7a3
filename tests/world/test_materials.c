/* Laws in bodies: what comes back from inversion and collapse, the stretch of limited bars, axes of
 * tubes, probes of stress and strain, plastic strain in the state. */
// label: long
#include "bar.h"

#define SET(NAME, VALUE)                                                                           \
  {                                                                                                \
    .name = NAME, .value = { VALUE }                                                               \
  }

static double read_quantity(pl_world *world, pl_body_id body, const char *quantity,
                            const double at[3], int part)
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  double value[3] = {0};
  def.quantity = quantity;
  def.body = body;
  for (int i = 0; at && i < 3; i++) def.at[i] = at[i];
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  return value[part];
}

static const pl_setting moduli[] = {SET("young", 1e5), SET("poisson", 0.3)};

/* Kinds of element of a bar with the same nodes. */
static const char *const elements[] = {"tet", "tet10", "hex"};
enum { TET, TET10, HEX, ELEMENTS };

/* A free bar of this law and element. */
static pl_world *free_bar(const char *law, const char *element, pl_body_id *body)
{
  static pl_setting fem;
  pl_body_def like = pl_body_def_default();
  pl_world *world = NULL;
  fem = (pl_setting){.name = "strain", .word = "corotated"};
  like.model = (pl_choice){"fem", &fem, 1};
  like.material.law = (pl_choice){law, moduli, 2};
  like.material.mass_damping = 2; // against the spin that large steps leave
  const bar_def def = {.n = 2,
                       .like = &like,
                       .element = element,
                       .free = 1,
                       .dt = 0.05,
                       .integrator = "implicit-euler",
                       .newton = 100,
                       .newton_tolerance = 1e-4,
                       .solver = 1e-6};
  CHECK_OK(bar_make(&def, &world, body, error));
  return world;
}

/* ---- collapse ---- */

enum { FLAT, MIRRORED, SCRAMBLED, POINT, DISTORTIONS };
enum { STABLE = 2 }; /* of the laws that bring bodies back */

static double normal(void)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += 0.5 * (1 + test_uniform());
  return sum - 6;
}

static void distort(pl_world *world, pl_body_id body, int how, double noise)
{
  int n = 3 * pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *x = malloc((size_t)n * sizeof *x);
  test_seed = 4711;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < n; i++) {
    if (how == FLAT && i % 3 == 2) x[i] = 0;
    if (how == MIRRORED && i % 3 == 0) x[i] = -x[i];
    if (how == SCRAMBLED) x[i] += 0.125 * normal();
    if (how == POINT) x[i] = 0;
    x[i] += noise * test_uniform();
  }
  CHECK_OK(pl_world_set_positions(world, body, x, error));
  free(x);
}

/* Steps until the bar rests; the elastic energy that is left, over that of a strain of 1. */
static double come_back(pl_world *world, pl_body_id body)
{
  const double whole = 0.5 * 1e5 * 0.0625;
  double energy = 1;
  for (int k = 0; k < 400 && energy > 1e-13; k++) {
    pl_error error;
    if (pl_world_step(world, &error)) {
      printf("    %s\n", error.message);
      return NAN;
    }
    energy = read_quantity(world, body, "elastic-energy", NULL, 0) / whole;
  }
  return energy;
}

static void check_comes_back(const char *law, const char *element, int how, double noise)
{
  pl_body_id body;
  pl_world *world = free_bar(law, element, &body);
  distort(world, body, how, noise);
  double left = come_back(world, body);
  CHECK(left < 1e-12);
  if (!(left < 1e-12)) printf("    %s, %s, distortion %d: %g\n", law, element, how, left);
  CHECK(read_quantity(world, body, "inverted", NULL, 0) == 0);
  pl_world_destroy(world);
}

static void check_energy_falls(const char *law, const char *element, int how, double noise)
{
  pl_body_id body;
  pl_world *world = free_bar(law, element, &body);
  distort(world, body, how, noise);
  double before = read_quantity(world, body, "elastic-energy", NULL, 0);
  int grown = 0;
  for (int k = 0; k < 40; k++) {
    CHECK_OK(pl_world_step(world, error));
    double now = read_quantity(world, body, "elastic-energy", NULL, 0) +
                 read_quantity(world, body, "kinetic-energy", NULL, 0);
    CHECK(isfinite(now));
    grown += now > before * (1 + 1e-6) + 1e-9;
    before = now;
  }
  CHECK(grown == 0);
  if (grown) printf("    %s, %s, distortion %d: %d steps\n", law, element, how, grown);
  pl_world_destroy(world);
}

/* Do bodies of this element come back? Quadratic elements see inversion at four points only, and a
 * cloud of nodes can turn into hexahedra that pass through each other: both rest as they are. */
static int comes_back(int law, int element, int how)
{
  if (element == TET10) return how == FLAT || (how == POINT && law < STABLE);
  return element == TET || how != POINT || law < STABLE;
}

/* Edges are 0.125 m long; noise of one edge. Corotated strain, fixed corotated and stable neo-Hooke
 * bring bodies back that are crushed flat, turned inside out or scrambled; the first two also a
 * body in one point. Where an element can rest folded the energy falls as well. */
TEST(bodies_come_back_from_collapse)
{
  const char *const laws[] = {"hooke", "fixed-corotated", "stable-neo-hooke"};
  for (int law = 0; law <= STABLE; law++) {
    for (int how = 0; how < DISTORTIONS; how++) {
      // a point is an equilibrium of laws of invariants
      const double noise = law == STABLE && how == POINT ? 1e-3 : 0;
      for (int e = 0; e < ELEMENTS; e++) {
        if (comes_back(law, e, how))
          check_comes_back(laws[law], elements[e], how, noise);
        else
          check_energy_falls(laws[law], elements[e], how, noise);
      }
    }
  }
}

/* Laws with a wall are only continued there: nothing overflows, and the energy falls. */
TEST(energy_of_collapsed_rubber_falls)
{
  for (int how = 0; how < POINT; how++) {
    for (int e = 0; e < ELEMENTS; e++) {
      check_energy_falls("neo-hooke", elements[e], how, 0);
      check_energy_falls("ogden", elements[e], how, 0);
    }
  }
}

/* ---- a bar under traction ---- */

/* Of hexahedra, poisson 0, statics: stretch s has the nominal stress E (s - 1), beyond the knee
 * E (s - 1) + 4 E (s - 1.1). */
TEST(a_limited_bar_has_the_closed_stretch)
{
  const pl_setting soft[] = {SET("young", 1e5), SET("poisson", 0)};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", soft, 2};
  like.material.limit = (pl_stretch_limit){.max = 1.1, .factor = 5};
  const bar_def def = {.n = 1,
                       .like = &like,
                       .element = "hex",
                       .integrator = "static",
                       .newton = 60,
                       .newton_tolerance = 1e-12,
                       .solver = 1e-13};
  pl_world *world = NULL;
  pl_body_id body;
  double tip[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(bar_pull(world, body, 2e4, error));
  CHECK_OK(pl_world_step(world, error));
  bar_tip(world, body, tip);
  // twice the knee's stress: 2e4 = 1e5 (s - 1) + 4e5 (s - 1.1)
  CHECK_NEAR(tip[0], (2e4 + 4e5 * 0.1) / 5e5, 1e-9);
  // what probes say of it
  const double middle[3] = {0.5, 0.1, 0.1}, s = 1 + tip[0];
  CHECK_NEAR(read_quantity(world, body, "stress", middle, 0), 2e4, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "von-mises", middle, 0), 2e4, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "pressure", middle, 0), -2e4 / 3, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "principal-stress", middle, 0), 2e4, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "second-piola-stress", middle, 0), 2e4 / s, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "strain", middle, 0), 0.5 * (s * s - 1), 1e-8);
  CHECK_NEAR(read_quantity(world, body, "principal-strain", middle, 0), 0.5 * (s * s - 1), 1e-8);
  CHECK_NEAR(read_quantity(world, body, "shear-strain", middle, 0), 0, 1e-8);
  CHECK_NEAR(read_quantity(world, body, "shear-stress", middle, 1), 0, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "second-piola-shear-stress", middle, 2), 0, 1e-4);
  CHECK_NEAR(read_quantity(world, body, "volume-ratio", middle, 0), s, 1e-8);
  // d = 1 % of the limit: the rounded knee has d^2 / 6 more
  double energy = 0.5e5 * tip[0] * tip[0] + 4e5 * (0.5 * pow(s - 1.1, 2) + 0.011 * 0.011 / 6);
  CHECK_NEAR(read_quantity(world, body, "energy-density", middle, 0), energy, 1e-3);
  pl_world_destroy(world);
}

/* ---- fibres around a tube ---- */

/* A tube whose fibres run around it grows less under pressure than one without. */
TEST(fibres_around_a_tube_hold_it)
{
  const pl_setting tube[] = {SET("inner", 0.08),
                             SET("outer", 0.1),
                             SET("length", 0.1),
                             SET("around", 16),
                             SET("along", 2),
                             SET("radial", 1),
                             {.name = "element", .word = "hex"}};
  double grown[3];
  for (int k = 0; k < 3; k++) {
    pl_mesh *mesh = NULL;
    pl_world *world = NULL;
    pl_body_id id;
    CHECK_OK(pl_mesh_generate(&(pl_choice){"tube", tube, 7}, NULL, &mesh, error));
    pl_world_def def = pl_world_def_default();
    const pl_setting newton = SET("newton", 20);
    def.integrator = (pl_choice){"implicit-euler", &newton, 1};
    def.dt = 0.05;
    def.gravity[2] = 0;
    CHECK_OK(pl_world_create(&def, &world, error));
    pl_body_def body = pl_body_def_default();
    body.mesh = mesh;
    body.material.law = (pl_choice){"stable-neo-hooke", moduli, 2};
    body.material.orientation =
        (pl_orientation){.kind = PL_ORIENTATION_CYLINDRICAL, .axis = {0, 0, 2}};
    body.material.stiffness_damping = 0.05;
    body.material.fibre_count = k > 0;
    // around, or away from the axis
    body.material.fibres[0] = (pl_fibres){5e5, 1, 0, {k == 2, k == 1, 0}};
    CHECK_OK(pl_world_add_body(world, &body, &id, error));
    const pl_setting pressure = SET("value", 1e3), axis = {.name = "axis", .value = {0, 0, 1}};
    const pl_setting inside[] = {axis, SET("radius", 0.085)};
    const pl_selector where = {.region = {"cylinder", inside, 2}};
    pl_load_def load = pl_load_def_default();
    load.load = (pl_choice){"pressure", &pressure, 1};
    load.where = &where;
    load.where_count = 1;
    CHECK_OK(pl_world_add_load(world, id, &load, NULL, error));
    const double at[3] = {0.1, 0, 0};
    for (int step = 0; step < 20; step++) CHECK_OK(pl_world_step(world, error));
    grown[k] = read_quantity(world, id, "displacement", at, 0);
    pl_world_destroy(world);
    pl_mesh_destroy(mesh);
  }
  CHECK(grown[1] > 0 && grown[1] < 0.5 * grown[0]);
  CHECK_NEAR(grown[2], grown[0], 1e-6);
}

/* ---- plastic strain in the state ---- */

/* A bar pulled beyond its yield stress and let go is longer; a saved state goes on bit for bit. */
TEST(a_pulled_metal_bar_stays_longer)
{
  const pl_setting metal[] = {SET("young", 1e6), SET("poisson", 0.3), SET("yield", 1e4),
                              SET("hardening", 1e5)};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"plastic", metal, 4};
  const bar_def def = {.n = 1,
                       .like = &like,
                       .element = "hex",
                       .integrator = "static",
                       .newton = 60,
                       .newton_tolerance = 1e-10,
                       .solver = 1e-12};
  pl_world *world = NULL;
  pl_body_id body;
  double tip[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(bar_pull(world, body, 1.5e4, error));
  CHECK_OK(pl_world_step(world, error));
  bar_tip(world, body, tip);
  CHECK(tip[0] > 0.04 && tip[0] < 0.09);
  double loaded = tip[0];
  CHECK_OK(bar_pull(world, body, -1.5e4, error));
  CHECK_OK(pl_world_step(world, error));
  bar_tip(world, body, tip);
  // about 1.5e4 / 1e6 springs back
  CHECK_NEAR(loaded - tip[0], 0.015, 0.003);
  CHECK(tip[0] > 0.03);
  pl_world_destroy(world);
}

TESTS(X(bodies_come_back_from_collapse) X(energy_of_collapsed_rubber_falls)
          X(a_limited_bar_has_the_closed_stretch) X(fibres_around_a_tube_hold_it)
              X(a_pulled_metal_bar_stays_longer))
