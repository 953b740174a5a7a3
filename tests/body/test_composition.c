/* Bodies that are not the same everywhere: parts of other materials, maps of density and stiffness;
 * and laws beyond Hooke's in whole bodies. */
#include "world/world.h"

#include "../io/memory.h"
#include "world/bar.h"

/* A bar of 2 x 0.5 x 0.5 m along x. */
typedef struct plan {
  const char *model, *motion, *element, *law, *strain, *integrator;
  pl_setting moduli[3];
  int moduli_count, cells, frames;
  double density, dt, gravity, speed, stiffness_damping;
  const pl_body_part *parts;
  const pl_map_def *maps;
  int part_count, map_count, loose, symmetric; /* symmetric: x-min, y-min and z-min slide */
  const pl_allocator *allocator;
} plan;

static pl_status hold(pl_world *world, pl_body_id body, const plan *in, pl_error *error)
{
  static const char *const faces[] = {"x-min", "y-min", "z-min"};
  pl_status status = PL_OK;
  for (int k = 0; k < (in->symmetric ? 3 : 1) && !status && !in->loose; k++) {
    pl_selector where = {.set = faces[k]};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &where;
    fix.where_count = 1;
    for (int i = 0; i < 3; i++) fix.free_axis[i] = in->symmetric && i != k;
    status = pl_world_add_fix(world, body, &fix, NULL, error);
  }
  return status;
}

static pl_status make(const plan *in, pl_world **world, pl_body_id *body, pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting model[4] = {{.name = "strain", .word = in->strain ? in->strain : "green"},
                         {.name = "weights", .word = "linear"},
                         {.name = "frames", .value = {in->frames ? in->frames : 5}},
                         {.name = "motion", .word = in->motion ? in->motion : "affine"}};
  static const struct {
    const char *name;
    int settings;
  } known[] = {{"fem", 1}, {"springs", 0}, {"rigid-frames", 3}, {"frames", 4}};
  pl_body_def like = pl_body_def_default();
  for (int k = 0; k < 4; k++) {
    if (!strcmp(in->model ? in->model : "fem", known[k].name))
      like.model = (pl_choice){known[k].name, model, known[k].settings};
  }
  like.material.law = (pl_choice){"hooke", hooke, 2};
  if (in->moduli_count)
    like.material.law = (pl_choice){in->law ? in->law : "hooke", in->moduli, in->moduli_count};
  if (in->density > 0) like.material.density = in->density;
  like.material.stiffness_damping = in->stiffness_damping;
  like.parts = in->parts;
  like.part_count = in->part_count;
  like.maps = in->maps;
  like.map_count = in->map_count;
  like.velocity[0] = in->speed;
  bar_def def = {.length = 2,
                 .n = in->cells,
                 .element = in->element ? in->element : "hex",
                 .integrator = in->integrator ? in->integrator : "static",
                 .newton_tolerance = 1e-10,
                 .solver = 1e-12,
                 .dt = in->dt > 0 ? in->dt : 1,
                 .gravity = {0, 0, in->gravity},
                 .free = 1,
                 .allocator = in->allocator,
                 .like = &like};
  pl_status status = bar_make(&def, world, body, error);
  if (!status) status = hold(*world, *body, in, error);
  if (!status) return PL_OK;
  pl_world_destroy(*world);
  *world = NULL;
  return status;
}

static void tip_of(pl_world *world, pl_body_id body, double tip[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  def.at[0] = 2;
  def.at[1] = def.at[2] = 0.25;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, tip, error));
}

static void solve(const plan *in, double tip[3])
{
  pl_world *world = NULL;
  pl_body_id body;
  CHECK_OK(make(in, &world, &body, error));
  if (!world) return;
  CHECK_OK(pl_world_step(world, error));
  tip_of(world, body, tip);
  pl_world_destroy(world);
}

/* ---- density ---- */

/* A body that moves at 1 m/s has half its mass as kinetic energy. */
static double mass_of(const plan *in)
{
  plan moving = *in;
  pl_world *world = NULL;
  pl_body_id body;
  pl_world_facts facts = {0};
  moving.speed = 1;
  moving.loose = 1;
  moving.integrator = "implicit-euler";
  CHECK_OK(make(&moving, &world, &body, error));
  if (!world) return 0;
  CHECK_OK(pl_world_measure(world, &facts, error));
  pl_world_destroy(world);
  return 2 * facts.kinetic_energy;
}

static double cubic(void *context, const double X[3])
{
  (void)context;
  return 1 + X[0] * X[0] * X[1] + 3 * X[2] * X[2];
}

static const char *const models[] = {"fem", "frames", "rigid-frames", "springs"};
static const char *const elements[] = {"tet", "hex"};

/* The integral over the bar is 1000 (0.5 + 2^3/3 0.5^2/2 0.5 + 3 2 0.5 0.5^3/3). The rule is exact
 * for cubic functions, and every model's mass is the sum over elements. */
TEST(mass_is_the_integral_of_the_density)
{
  const pl_map_def map = {.of = PL_MAPPED_DENSITY, .at = cubic};
  const double whole = 1000 * (0.5 + 8.0 / 3 * 0.125 * 0.5 + 3 * 2 * 0.5 * 0.125 / 3);
  for (int k = 0; k < 8; k++) {
    plan in = {.model = models[k / 2], .element = elements[k % 2], .maps = &map, .map_count = 1};
    CHECK_NEAR(mass_of(&in), whole, 1e-9 * whole);
  }
}

TEST(ramps_and_radial_maps)
{
  pl_setting ramp[] = {{.name = "from", .value = {0.5, 0, 0}},
                       {.name = "to", .value = {1.5, 0, 0}},
                       {.name = "first", .value = {2}},
                       {.name = "last", .value = {6}}};
  pl_setting radial[] = {{.name = "axis", .value = {1, 0, 0}},
                         {.name = "outer", .value = {1}},
                         {.name = "inside", .value = {3}},
                         {.name = "outside", .value = {3}}};
  const pl_map_def maps[] = {{.of = PL_MAPPED_DENSITY, .map = {"ramp", ramp, 4}},
                             {.of = PL_MAPPED_BOTH, .map = {"radial", radial, 4}}};
  plan in = {.maps = maps, .map_count = 2};
  // the ramp's mean is 4, cells end where it bends
  CHECK_NEAR(mass_of(&in), 1000 * 0.5 * 4 * 3, 1e-6);
}

/* An image of two voxels along x: linear between their middles, constant beyond. */
TEST(image_of_two_voxels)
{
  const double values[] = {50, 250};
  const pl_voxels image = {
      .size = {2, 1, 1}, .values = values, .full = 250, .voxel = {1, 0.5, 0.5}};
  pl_setting black = {.name = "black", .value = {0.5}};
  const pl_map_def map = {.of = PL_MAPPED_DENSITY, .map = {"image", &black, 1}, .image = &image};
  plan in = {.maps = &map, .map_count = 1};
  // grey 0.2 and 1 give 0.6 and 1
  CHECK_NEAR(mass_of(&in), 1000 * 0.5 * 0.8, 1e-6);
  pl_setting moved[] = {{.name = "origin", .value = {-10, 0, 0}},
                        {.name = "voxel", .value = {1, 1, 1}},
                        {.name = "full", .value = {500}},
                        {.name = "white", .value = {2}}};
  const pl_map_def far = {.of = PL_MAPPED_DENSITY, .map = {"image", moved, 4}, .image = &image};
  in.maps = &far;
  CHECK_NEAR(mass_of(&in), 1000 * 0.5 * (1e-3 + (2 - 1e-3) * 0.5), 1e-6);
}

/* ---- stiffness ---- */

static const pl_setting stiff[] = {{.name = "young", .value = {4e5}},
                                   {.name = "poisson", .value = {0.3}}};

static pl_material_def material_of(const pl_setting *moduli, double density)
{
  pl_material_def def = pl_material_def_default();
  def.law = (pl_choice){"hooke", moduli, 2};
  def.density = density;
  return def;
}

static double four(void *context, const double X[3])
{
  (void)context;
  (void)X;
  return 4;
}

/* A factor of 4 everywhere, or a part that is everything, is the same as another material: to
 * rounding, in every model, in motion and with damping. */
TEST(maps_and_parts_are_materials)
{
  const pl_map_def map = {.of = PL_MAPPED_BOTH, .at = four};
  const pl_selector all = {.region = {.name = "all"}};
  pl_body_part part = {&all, 1, material_of(stiff, 4000)};
  part.material.stiffness_damping = 0.01;
  for (int k = 0; k < 4; k++) {
    plan in = {.model = models[k],
               .integrator = "implicit-euler",
               .dt = 0.02,
               .gravity = -5,
               .stiffness_damping = 0.01,
               .frames = 3};
    double tips[3][3];
    plan mapped = in, parted = in, plain = in;
    mapped.maps = &map;
    mapped.map_count = 1;
    parted.parts = &part;
    parted.part_count = 1;
    memcpy(plain.moduli, stiff, sizeof stiff);
    plain.moduli_count = 2;
    plain.density = 4000;
    solve(&plain, tips[0]);
    solve(&mapped, tips[1]);
    solve(&parted, tips[2]);
    CHECK(tips[0][2] < -1e-4);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(tips[1][i], tips[0][i], 1e-12);
      CHECK_NEAR(tips[2][i], tips[0][i], 1e-12);
    }
  }
}

/* The half at the clamp is four times as stiff: by beam theory the bar then sinks by
 * (1 - 1/16) / 4 + 1/16 = 0.297 of what it did. Frames see the same part by the same words; they
 * are too stiff by what they are on a bar of one material (affine ones by 22 % with nu = 0.3). */
TEST(two_materials_bend_as_finite_elements_do)
{
  pl_setting half[] = {{.name = "min", .value = {-1, -1, -1}}, {.name = "max", .value = {1, 1, 1}}};
  const pl_selector where = {.region = {"box", half, 2}};
  const pl_body_part part = {&where, 1, material_of(stiff, 1000)};
  static const struct {
    const char *motion;
    double tolerance;
  } kinds[] = {{"affine", 0.25}, {"quadratic", 0.04}};
  plan in = {.gravity = -0.3, .cells = 4, .strain = "corotated"};
  double plain[3], mixed[3], other[3], shared[3];
  solve(&in, plain);
  in.parts = &part;
  in.part_count = 1;
  solve(&in, mixed);
  printf("  fem: tip at %.4f m, with a stiff half %.4f m\n", plain[2], mixed[2]);
  CHECK_NEAR(mixed[2] / plain[2], 0.297, 0.02);
  for (int k = 0; k < 2; k++) {
    plan frames = in;
    frames.model = "frames";
    frames.motion = kinds[k].motion;
    solve(&frames, shared);
    frames.part_count = 0;
    solve(&frames, other);
    printf("  %-9s: tip at %.4f m, with a stiff half %.4f m\n", kinds[k].motion, other[2],
           shared[2]);
    CHECK_NEAR(shared[2], mixed[2], kinds[k].tolerance * fabs(mixed[2]));
    CHECK_NEAR(shared[2] / other[2], mixed[2] / plain[2], 0.005);
  }
}

/* ---- what is refused ---- */

static double negative(void *context, const double X[3])
{
  (void)context;
  return X[0] > 1 ? -0.5 : 1;
}

/* At small strain all laws are Hooke's: a bar of two sinks as one of either does, and the half that
 * is softer decides. */
TEST(a_body_may_have_several_laws)
{
  static const char *const kinds[] = {"fem", "frames", "rigid-frames"};
  pl_setting half[] = {{.name = "min", .value = {-1, -1, -1}}, {.name = "max", .value = {1, 1, 1}}};
  pl_setting same[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting soft[] = {{.name = "c10", .value = {0.25e4}}, {.name = "bulk", .value = {1e4}}};
  const pl_selector where = {.region = {"box", half, 2}};
  pl_body_part part = {&where, 1, pl_material_def_default()};
  for (int m = 0; m < 3; m++) {
    double plain[3], mixed[3], other[3];
    plan in = {.model = kinds[m], .cells = 8, .gravity = -1e-3, .strain = "green"};
    solve(&in, plain);
    in.parts = &part;
    in.part_count = 1;
    part.material.law = (pl_choice){"neo-hooke", same, 2};
    solve(&in, mixed);
    CHECK_NEAR(mixed[2], plain[2], 1e-4 * fabs(plain[2]));
    CHECK(mixed[2] != plain[2]);
    part.material.law = (pl_choice){"mooney-rivlin", soft, 2};
    solve(&in, other);
    CHECK(other[2] < 3 * plain[2]);
  }
}

TEST(bad_fillings_are_refused)
{
  pl_world *world = NULL;
  pl_body_id body;
  pl_setting far[] = {{.name = "centre", .value = {9, 9, 9}}, {.name = "radius", .value = {1}}};
  const pl_selector nowhere = {.region = {"sphere", far, 2}},
                    skin = {.region = {.name = "surface"}}, all = {.region = {.name = "all"}},
                    set = {.set = "bone"};
  pl_body_part part = {&nowhere, 1, material_of(stiff, 1000)};
  plan in = {.parts = &part, .part_count = 1};
  CHECK_FAILS(make(&in, &world, &body, error), PL_E_ARGUMENT,
              "part 1 of the body holds no element");
  part.where = &skin;
  CHECK_FAILS(make(&in, &world, &body, error), PL_E_ARGUMENT, "\"surface\" is one of the surface");
  part.where = &set;
  CHECK_FAILS(make(&in, &world, &body, error), PL_E_ARGUMENT, "unknown set \"bone\"");
  part.where = &all;
  part.material.law.name = "orthotropic";
  CHECK_FAILS(make(&in, &world, &body, error), PL_E_ARGUMENT, "unknown parameter of orthotropic");
  part.material = material_of(stiff, -1);
  CHECK_FAILS(make(&in, &world, &body, error), PL_E_ARGUMENT, "density = -1");

  pl_map_def map = {.at = negative};
  plan mapped = {.maps = &map, .map_count = 1};
  CHECK_FAILS(make(&mapped, &world, &body, error), PL_E_ARGUMENT, "the map is -0.5 at (");
  map = (pl_map_def){.map = {.name = "image"}};
  CHECK_FAILS(make(&mapped, &world, &body, error), PL_E_ARGUMENT, "needs an image");
  const double value = 1;
  pl_voxels image = {.size = {1, 1, 1}, .values = &value, .full = 1};
  map.image = &image;
  CHECK_FAILS(make(&mapped, &world, &body, error), PL_E_ARGUMENT, "add voxel=");
  map = (pl_map_def){.map = {.name = "ramp"}};
  CHECK_FAILS(make(&mapped, &world, &body, error), PL_E_ARGUMENT, "a ramp needs from and to");
  map = (pl_map_def){.map = {.name = "radial"}};
  CHECK_FAILS(make(&mapped, &world, &body, error), PL_E_ARGUMENT, "outer is missing");
}

TEST(failing_allocations_are_reported)
{
  const pl_map_def map = {.of = PL_MAPPED_BOTH, .at = four};
  const pl_selector all = {.region = {.name = "all"}};
  const pl_body_part part = {&all, 1, material_of(stiff, 4000)};
  static const char *const two[] = {"fem", "rigid-frames"};
  for (int k = 0; k < 2; k++) {
    for (int fail = 1, done = 0; !done; fail++) {
      counter memory = {.fail_at = fail};
      pl_allocator allocator = counter_allocator(&memory);
      plan in = {.model = two[k],
                 .cells = 1,
                 .frames = 2,
                 .maps = &map,
                 .map_count = 1,
                 .parts = &part,
                 .part_count = 1,
                 .allocator = &allocator};
      pl_world *world = NULL;
      pl_body_id body;
      pl_error error = {0};
      done = make(&in, &world, &body, &error) == PL_OK;
      if (!done) CHECK(error.code == PL_E_MEMORY);
      pl_world_destroy(world);
      CHECK(memory.blocks == 0);
    }
  }
}

/* ---- laws ---- */

/* The energy density of a bar stretched by s along and t across. */
typedef struct law_plan {
  const char *law;
  pl_setting moduli[3];
  int count;
  double (*energy)(double s, double t);
} law_plan;

enum { LAMBDA = 40000, MU = 30000, C10 = 9000, C01 = 6000, BULK = 80000, VOLUME = 50000 };

static double neo_hooke(double s, double t)
{
  double J = s * t * t;
  return MU / 2.0 * (s * s + 2 * t * t - 3 - 2 * log(J)) + LAMBDA / 2.0 * (J - 1) * (J - 1);
}

/* Without lambda, and not thinned. */
static double neo_hooke_rod(double s) { return MU / 2.0 * (s * s - 1 - 2 * log(s)); }

static double mooney_rivlin(double s, double t)
{
  double J = s * t * t, I1 = s * s + 2 * t * t, I2 = 2 * s * s * t * t + t * t * t * t;
  return C10 * (I1 / cbrt(J * J) - 3) + C01 * (I2 / cbrt(J * J * J * J) - 3) +
         BULK / 2.0 * (J - 1) * (J - 1);
}

static double hooke_volume(double s, double t)
{
  double J = s * t * t, e = (s * s - 1) / 2, d = (t * t - 1) / 2, trace = e + 2 * d;
  return LAMBDA / 2.0 * trace * trace + MU * (e * e + 2 * d * d) + VOLUME / 2.0 * (J - 1) * (J - 1);
}

static const law_plan laws[] = {
    {"neo-hooke",
     {{.name = "lambda", .value = {LAMBDA}}, {.name = "mu", .value = {MU}}},
     2,
     neo_hooke},
    {"mooney-rivlin",
     {{.name = "c10", .value = {C10}},
      {.name = "c01", .value = {C01}},
      {.name = "bulk", .value = {BULK}}},
     3,
     mooney_rivlin},
    {"hooke-volume",
     {{.name = "lambda", .value = {LAMBDA}},
      {.name = "mu", .value = {MU}},
      {.name = "volume", .value = {VOLUME}}},
     3,
     hooke_volume},
};

/* The stretch across of a bar that is free there, and its nominal stress, by differences. */
static double bar_stress(const law_plan *law, double s, double *t)
{
  const double h = 1e-5;
  *t = 1;
  for (int i = 0; i < 60; i++) {
    double up = law->energy(s, *t + h), down = law->energy(s, *t - h), at = law->energy(s, *t);
    *t -= (up - down) * h / (2 * (up - 2 * at + down));
  }
  return (law->energy(s + h, *t) - law->energy(s - h, *t)) / (2 * h);
}

/* Differences of energies are good to 1e-8, Newton's method stops at 1e-10. */
TEST(bars_are_stretched_as_the_law_says)
{
  static const double stretches[] = {0.7, 1.5};
  for (int k = 0; k < 12; k++) {
    const law_plan *law = &laws[k / 4];
    double s = stretches[k / 2 % 2], t, stress = bar_stress(law, s, &t), tip[3];
    plan in = {
        .element = elements[k % 2], .law = law->law, .moduli_count = law->count, .symmetric = 1};
    memcpy(in.moduli, law->moduli, sizeof in.moduli);
    pl_world *world = NULL;
    pl_body_id body;
    CHECK_OK(make(&in, &world, &body, error));
    CHECK_OK(bar_pull(world, body, stress, error));
    CHECK_OK(pl_world_step(world, error));
    tip_of(world, body, tip);
    CHECK_NEAR(tip[0], 2 * (s - 1), 1e-6);
    CHECK_NEAR(tip[1], 0.25 * (t - 1), 1e-6);
    pl_world_destroy(world);
  }
}

/* The closed form of the neo-Hookean bar without lateral stiffness (lambda = 0): it does not thin,
 * P = mu (s - 1/s), and all frames can stretch as it does. Drawn out by its end frame it stores
 * mu/2 (s^2 - 1 - 2 ln s) per volume; pulled by the stress at its end it stretches by s (forces on
 * nodes are not uniform to quadratic frames). */
TEST(frames_stretch_a_neo_hookean_bar)
{
  static const struct {
    const char *model, *motion;
  } kinds[] = {{"frames", "affine"}, {"rigid-frames", NULL}, {"frames", "quadratic"}};
  for (int k = 0; k < 12; k++) {
    int pulled = k % 2, kind = k / 4;
    double s = k / 2 % 2 ? 1.6 : 0.8, tip[3];
    if (pulled && kind == 2) continue;
    plan in = {.model = kinds[kind].model,
               .motion = kinds[kind].motion,
               .law = "neo-hooke",
               .moduli = {{.name = "lambda", .value = {0}}, {.name = "mu", .value = {MU}}},
               .moduli_count = 2,
               .frames = 3,
               .cells = 4};
    pl_world *world = NULL;
    pl_body_id body;
    pl_world_facts facts = {0};
    CHECK_OK(make(&in, &world, &body, error));
    pl_selector end = {.set = "x-max"};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &end;
    fix.where_count = 1;
    fix.translation[0] = 2 * (s - 1);
    if (pulled)
      CHECK_OK(bar_pull(world, body, MU * (s - 1 / s), error));
    else
      CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
    CHECK_OK(pl_world_step(world, error));
    tip_of(world, body, tip);
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK_NEAR(tip[0], 2 * (s - 1), 1e-6);
    CHECK_NEAR(facts.elastic_energy, 0.5 * neo_hooke_rod(s), 1e-6 * MU);
    pl_world_destroy(world);
  }
}

/* A bar that is pressed through itself comes back out: below J = 0.1 the law goes on. */
TEST(inverted_rubber_comes_back)
{
  for (int k = 0; k < 3; k++) {
    plan in = {.element = "tet",
               .law = laws[k].law,
               .moduli_count = laws[k].count,
               .integrator = "implicit-euler",
               .dt = 0.01,
               .cells = 1};
    memcpy(in.moduli, laws[k].moduli, sizeof in.moduli);
    in.stiffness_damping = 0.05;
    pl_world *world = NULL;
    pl_body_id body;
    pl_world_facts facts = {0};
    CHECK_OK(make(&in, &world, &body, error));
    if (!world) continue;
    // all nodes beyond the middle are mirrored at it
    int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
    double *x = calloc((size_t)(3 * nodes), sizeof *x);
    CHECK_OK(pl_world_get_positions(world, body, x, error));
    for (int n = 0; n < nodes; n++) {
      if (x[3 * n] > 0.9) x[3 * n] = 1 - 0.5 * x[3 * n];
    }
    CHECK_OK(pl_world_set_positions(world, body, x, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK(facts.min_volume_ratio < -0.1);
    for (int i = 0; i < 300; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK(facts.min_volume_ratio > 0.5);
    free(x);
    pl_world_destroy(world);
  }
}

/* What bodies over several ranks do: elements are found by the mesh as given, and come back. */
TEST(elements_can_be_dropped_and_recalled)
{
  static const char *const kinds[] = {"tet", "hex"};
  for (int i = 0; i < 2; i++) {
    pl_world *world = NULL;
    pl_body_id id;
    CHECK_OK(make(&(plan){.element = kinds[i], .cells = 3, .dt = 0.01}, &world, &id, error));
    const pl_body *body = &world->bodies.list[0];
    const pl_mesh *inside = body->inside;
    size_t n = (size_t)inside->nodes_per_element, count = n * (size_t)inside->element_count;
    int *before = malloc(count * sizeof *before), room[8];
    memcpy(before, inside->elements, count * sizeof *before);
    pl_body_drop_elements(body);
    CHECK(!inside->elements);
    for (int e = 0; e < inside->element_count; e++)
      CHECK(!memcmp(pl_body_element(body, e, room), before + n * (size_t)e, n * sizeof *before));
    CHECK_OK(pl_body_recall_elements(body, error));
    CHECK(!memcmp(inside->elements, before, count * sizeof *before));
    free(before);
    pl_world_destroy(world);
  }
}

TESTS(X(elements_can_be_dropped_and_recalled) X(mass_is_the_integral_of_the_density)
          X(ramps_and_radial_maps) X(image_of_two_voxels) X(maps_and_parts_are_materials)
              X(two_materials_bend_as_finite_elements_do) X(a_body_may_have_several_laws)
                  X(bad_fillings_are_refused) X(failing_allocations_are_reported)
                      X(bars_are_stretched_as_the_law_says) X(frames_stretch_a_neo_hookean_bar)
                          X(inverted_rubber_comes_back))
