/* Every public function with wrong arguments: NULL, numbers that are not finite, lists without
 * members, ids of nothing. What is wrong is refused by a sentence, and the world stays as it was.
 * tests/tree/test_symbols.sh sees to it that no function is left out. */
#include "pliant/mesh.h"
#include "pliant/scene.h"
#include "pliant/touch.h"
#include "pliant/world.h"

#include "world/bar.h"

#include "test.h"

#include <stddef.h>

/* A bar of finite elements that is held, with a surface, and one of frames in the same place. */
typedef struct stage {
  pl_world *world;
  pl_body_id bar, frames;
  pl_mesh *mesh;
} stage;

static const pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                                   {.name = "poisson", .value = {0.3}}};
static const pl_selector left = {.set = "x-min"}, right = {.set = "x-max"};
static const double site[3] = {0.5, 0.125, 0.125};

static pl_body_def body_def(const pl_mesh *mesh)
{
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  return def;
}

static stage set_up(void)
{
  const pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                            {.name = "cells", .value = {4, 1, 1}}};
  stage on = {0};
  pl_mesh *surface = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &on.mesh, error));
  CHECK_OK(pl_mesh_boundary(on.mesh, NULL, &surface, error));
  pl_body_def like = body_def(on.mesh);
  like.surface = surface;
  CHECK_OK(bar_make(&(bar_def){.n = 1, .like = &like}, &on.world, &on.bar, error));
  pl_body_def frames = body_def(on.mesh);
  frames.model.name = "frames";
  frames.sites = site;
  frames.site_count = 1;
  CHECK_OK(pl_world_add_body(on.world, &frames, &on.frames, error));
  pl_mesh_destroy(surface);
  return on;
}

static void tear_down(stage *on)
{
  pl_world_destroy(on->world);
  pl_mesh_destroy(on->mesh);
}

/* ---- def structs ---- */

/* A def struct: a good one, the function that takes it, its numbers and its lists. */
typedef struct kind {
  const char *name;
  void (*fill)(const stage *on, void *def);
  pl_status (*take)(const stage *on, const void *def, pl_error *error);
  struct {
    const char *name;
    size_t at, bytes;
  } numbers[10];
  struct {
    const char *name;
    size_t list, count;
  } lists[8];
} kind;

#define NUMBERS(def, field)                                                                        \
  {                                                                                                \
#field, offsetof(def, field), sizeof(((def *)0)->field)                                        \
  }
#define LIST(def, list, count)                                                                     \
  {                                                                                                \
#list, offsetof(def, list), offsetof(def, count)                                               \
  }

static void fill_world(const stage *on, void *def)
{
  (void)on;
  *(pl_world_def *)def = pl_world_def_default();
}

static pl_status take_world(const stage *on, const void *def, pl_error *error)
{
  (void)on;
  pl_world *world = NULL;
  pl_status status = pl_world_create(def, &world, error);
  pl_world_destroy(world);
  return status;
}

static void fill_material(const stage *on, void *def)
{
  (void)on;
  *(pl_material_def *)def = pl_material_def_default();
  ((pl_material_def *)def)->law = (pl_choice){"hooke", hooke, 2};
}

static pl_status take_material(const stage *on, const void *def, pl_error *error)
{
  return pl_world_set_material(on->world, on->bar, def, error);
}

static void fill_body(const stage *on, void *def)
{
  *(pl_body_def *)def = body_def(on->mesh);
  ((pl_body_def *)def)->name = NULL;
}

static pl_status take_body(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_body(on->world, def, NULL, error);
}

static void fill_fix(const stage *on, void *def)
{
  (void)on;
  pl_fix_def *to = def;
  *to = pl_fix_def_default();
  to->where = &right;
  to->where_count = 1;
}

static pl_status take_fix(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_fix(on->world, on->bar, def, NULL, error);
}

static void fill_rigid(const stage *on, void *def)
{
  (void)on;
  // the ends are held
  static const pl_setting corners[] = {{.name = "min", .value = {0.2, -1, -1}},
                                       {.name = "max", .value = {0.8, 1, 1}}};
  static const pl_selector middle = {.region = {"box", corners, 2}};
  pl_rigid_def *to = def;
  *to = pl_rigid_def_default();
  to->where = &middle;
  to->where_count = 1;
  to->hinge = PL_HINGE_AXIS;
  to->axis[0] = 1;
}

static pl_status take_rigid(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_rigid(on->world, on->bar, def, NULL, error);
}

static void fill_attachment(const stage *on, void *def)
{
  pl_attachment_def *to = def;
  *to = pl_attachment_def_default();
  to->to = on->frames;
  to->where = &left;
  to->where_count = 1;
}

static pl_status take_attachment(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_attachment(on->world, on->bar, def, NULL, error);
}

static void fill_load(const stage *on, void *def)
{
  (void)on;
  pl_load_def *to = def;
  *to = pl_load_def_default();
  to->where = &right;
  to->where_count = 1;
}

static pl_status take_load(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_load(on->world, on->bar, def, NULL, error);
}

static void fill_obstacle(const stage *on, void *def)
{
  (void)on;
  *(pl_obstacle_def *)def = pl_obstacle_def_default();
  ((pl_obstacle_def *)def)->name = NULL;
}

static pl_status take_obstacle(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_obstacle(on->world, def, NULL, error);
}

static void fill_probe(const stage *on, void *def)
{
  pl_probe_def *to = def;
  *to = pl_probe_def_default();
  to->name = NULL;
  to->body = on->bar;
  to->at[2] = -1; // outside: that is told with the name
}

static pl_status take_probe(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_probe(on->world, def, NULL, error);
}

static void fill_pull(const stage *on, void *def)
{
  pl_pull_def *to = def;
  *to = pl_pull_def_default();
  to->until = 1;
  to->at = (pl_spot){.body = on->bar, .count = 1, .weights = {1}};
}

static pl_status take_pull(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_pull(on->world, def, NULL, error);
}

static void fill_scene(const stage *on, void *def)
{
  (void)on;
  static char path[1024];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(path, sizeof path, "%s/scenes/demo.xml", source ? source : ".");
  *(pl_scene_def *)def = pl_scene_def_default();
  ((pl_scene_def *)def)->path = path;
}

static pl_status take_scene(const stage *on, const void *def, pl_error *error)
{
  (void)on;
  pl_scene *scene = NULL;
  pl_status status = pl_scene_load(def, &scene, error);
  pl_scene_destroy(scene);
  return status;
}

static const kind kinds[] = {
    {"pl_world",
     fill_world,
     take_world,
     {NUMBERS(pl_world_def, dt), NUMBERS(pl_world_def, gravity), NUMBERS(pl_world_def, tolerance)},
     {LIST(pl_world_def, integrator.settings, integrator.setting_count),
      LIST(pl_world_def, solver.settings, solver.setting_count),
      LIST(pl_world_def, preconditioner.settings, preconditioner.setting_count)}},
    {"pl_material",
     fill_material,
     take_material,
     {NUMBERS(pl_material_def, density), NUMBERS(pl_material_def, viscous_lambda),
      NUMBERS(pl_material_def, viscous_mu), NUMBERS(pl_material_def, stiffness_damping),
      NUMBERS(pl_material_def, mass_damping)},
     {LIST(pl_material_def, law.settings, law.setting_count)}},
    {"pl_body",
     fill_body,
     take_body,
     {NUMBERS(pl_body_def, velocity), NUMBERS(pl_body_def, spin),
      NUMBERS(pl_body_def, insert_reach)},
     {LIST(pl_body_def, material.law.settings, material.law.setting_count),
      LIST(pl_body_def, model.settings, model.setting_count), LIST(pl_body_def, parts, part_count),
      LIST(pl_body_def, maps, map_count), LIST(pl_body_def, sites, site_count),
      LIST(pl_body_def, hanging, hanging_count)}},
    {"pl_fix",
     fill_fix,
     take_fix,
     {NUMBERS(pl_fix_def, normal), NUMBERS(pl_fix_def, along), NUMBERS(pl_fix_def, translation),
      NUMBERS(pl_fix_def, centre), NUMBERS(pl_fix_def, axis), NUMBERS(pl_fix_def, angle),
      NUMBERS(pl_fix_def, offset)},
     {LIST(pl_fix_def, where, where_count), LIST(pl_fix_def, ramp.times, ramp.count),
      LIST(pl_fix_def, offset_ramp.factors, offset_ramp.count)}},
    {"pl_rigid",
     fill_rigid,
     take_rigid,
     {NUMBERS(pl_rigid_def, centre), NUMBERS(pl_rigid_def, axis)},
     {LIST(pl_rigid_def, where, where_count)}},
    {"pl_attachment",
     fill_attachment,
     take_attachment,
     {NUMBERS(pl_attachment_def, arm), NUMBERS(pl_attachment_def, stiffness),
      NUMBERS(pl_attachment_def, damping)},
     {LIST(pl_attachment_def, where, where_count)}},
    {"pl_load",
     fill_load,
     take_load,
     {{0}},
     {LIST(pl_load_def, load.settings, load.setting_count), LIST(pl_load_def, where, where_count),
      LIST(pl_load_def, ramp.times, ramp.count)}},
    {"pl_obstacle",
     fill_obstacle,
     take_obstacle,
     {{0}},
     {LIST(pl_obstacle_def, shape.settings, shape.setting_count)}},
    {"pl_probe", fill_probe, take_probe, {NUMBERS(pl_probe_def, at)}, {{0}}},
    {"pl_pull",
     fill_pull,
     take_pull,
     {NUMBERS(pl_pull_def, target), NUMBERS(pl_pull_def, translation),
      NUMBERS(pl_pull_def, stiffness), NUMBERS(pl_pull_def, damping),
      NUMBERS(pl_pull_def, most_force), NUMBERS(pl_pull_def, at.weights[0])},
     {LIST(pl_pull_def, ramp.factors, ramp.count)}},
    {"pl_scene", fill_scene, take_scene, {{0}}, {LIST(pl_scene_def, changes, change_count)}},
};

enum { KINDS = sizeof kinds / sizeof *kinds, NUMBER_COUNT = 10, LIST_COUNT = 8 };

/* Room for any of them. */
typedef union any_def {
  pl_world_def world;
  pl_material_def material;
  pl_body_def body;
  pl_fix_def fix;
  pl_rigid_def rigid;
  pl_attachment_def attachment;
  pl_load_def load;
  pl_obstacle_def obstacle;
  pl_probe_def probe;
  pl_pull_def pull;
  pl_scene_def scene;
} any_def;

/* Must be refused, and be told where and why. */
static void refused(const kind *of, const stage *on, const void *def, const char *what,
                    const char *sentence)
{
  pl_error error = {0};
  uint64_t before = pl_world_state_hash(on->world);
  pl_status status = of->take(on, def, &error);
  if (status != PL_E_ARGUMENT || !strstr(error.message, sentence) || !error.message[0]) {
    printf("  %s_def, %s: %d \"%s\"\n", of->name, what, (int)status, error.message);
    test_failures++;
  }
  CHECK(pl_world_state_hash(on->world) == before);
}

TEST(def_structs_are_made_by_default)
{
  stage on = set_up();
  for (const kind *of = kinds; of < kinds + KINDS; of++) {
    any_def def = {0};
    refused(of, &on, NULL, "NULL", "is NULL or was not made by");
    refused(of, &on, &def, "zeros", "is NULL or was not made by");
    of->fill(&on, &def);
    CHECK_OK(of->take(&on, &def, error));
  }
  CHECK_FAILS(pl_world_set_tool(on.world, &(pl_tool_def){0}, error), PL_E_ARGUMENT, "_default()");
  tear_down(&on);
}

TEST(numbers_of_defs_are_finite)
{
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  stage on = set_up();
  for (const kind *of = kinds; of < kinds + KINDS; of++) {
    for (int n = 0; n < NUMBER_COUNT && of->numbers[n].name; n++) {
      for (size_t i = 0; i < 3 * of->numbers[n].bytes / sizeof(double); i++) {
        any_def def = {0};
        of->fill(&on, &def);
        memcpy((char *)&def + of->numbers[n].at + i / 3 * sizeof(double), &wrong[i % 3],
               sizeof(double));
        refused(of, &on, &def, of->numbers[n].name, "");
      }
    }
  }
  pl_tool_def tools[5];
  for (int i = 0; i < 5; i++) {
    tools[i] = pl_tool_def_default();
    *(i < 3 ? &tools[i].centre[i] : i < 4 ? &tools[i].radius : &tools[i].stiffness) = NAN;
    CHECK_FAILS(pl_world_set_tool(on.world, &tools[i], error), PL_E_ARGUMENT, "tool");
  }
  tear_down(&on);
}

TEST(lists_have_what_they_count)
{
  stage on = set_up();
  for (const kind *of = kinds; of < kinds + KINDS; of++) {
    for (int n = 0; n < LIST_COUNT && of->lists[n].name; n++) {
      for (int count = -1; count < 3; count++) {
        any_def def = {0};
        void *none = NULL;
        of->fill(&on, &def);
        if (count == 0) continue;
        memcpy((char *)&def + of->lists[n].list, &none, sizeof none);
        memcpy((char *)&def + of->lists[n].count, &count, sizeof count);
        refused(of, &on, &def, of->lists[n].name, "");
      }
    }
  }
  // lists in lists
  pl_body_def body = body_def(on.mesh);
  body.parts = &(pl_body_part){.where_count = 1, .material = body.material};
  body.part_count = 1;
  CHECK_FAILS(pl_world_add_body(on.world, &body, NULL, error), PL_E_ARGUMENT, "1 regions, but no");
  body = body_def(on.mesh);
  body.maps = &(pl_map_def){.map = {.name = "image"}};
  body.map_count = 1;
  CHECK_FAILS(pl_world_add_body(on.world, &body, NULL, error), PL_E_ARGUMENT, "needs an image");
  body.maps = &(pl_map_def){.of = (pl_mapped)7};
  CHECK_FAILS(pl_world_add_body(on.world, &body, NULL, error), PL_E_ARGUMENT, "a map of 7");
  body = body_def(on.mesh);
  body.model.name = "frames";
  body.sites = site;
  body.site_count = 1;
  body.site_regions = &(pl_site_region){.count = 1};
  CHECK_FAILS(pl_world_add_body(on.world, &body, NULL, error), PL_E_ARGUMENT, "1 regions, but no");
  pl_scene_def scene = pl_scene_def_default();
  scene.path = "none.xml";
  scene.changes = (const char *const[]){NULL};
  scene.change_count = 1;
  CHECK_FAILS(pl_scene_load(&scene, &(pl_scene *){0}, error), PL_E_ARGUMENT, "change 0");
  tear_down(&on);
}

/* ---- ids ---- */

TEST(ids_of_nothing_are_refused)
{
  const int32_t wrong[] = {0, -1, 3, 1000, INT32_MIN, INT32_MAX};
  stage on = set_up();
  double numbers[300] = {0};
  unsigned char held[100];
  any_def def = {0};
  pl_spot spot;
  uint64_t before = pl_world_state_hash(on.world);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    pl_world *world = on.world;
    pl_body_id id = {wrong[i]};
    pl_pull_id pull = {wrong[i], 77};
    pl_probe_id probe = {wrong[i]};
    const char *no = "there is no body number";
    CHECK(!pl_world_body_name(world, id) && !pl_world_body_mesh(world, id) &&
          !pl_world_body_surface(world, id) && pl_world_frame_count(world, id) == 0);
    CHECK(!pl_world_probe_name(world, probe) && !pl_world_probe_quantity(world, probe) &&
          !pl_world_probe_unit(world, probe) && pl_world_probe_width(world, probe) == 0);
    CHECK_FAILS(pl_world_read_probe(world, probe, numbers, error), PL_E_ARGUMENT, "no probe");
    CHECK_FAILS(pl_world_move_pull(world, pull, numbers, error), PL_E_ARGUMENT, "no pull");
    pl_fix_facts facts_of_fix;
    CHECK_FAILS(pl_world_remove_fix(world, (pl_fix_id){wrong[i], 77}, error), PL_E_ARGUMENT,
                "no fix");
    CHECK_FAILS(pl_world_read_fix(world, (pl_fix_id){wrong[i], 77}, &facts_of_fix, error),
                PL_E_ARGUMENT, "no fix");
    CHECK_FAILS(pl_world_remove_load(world, (pl_load_id){wrong[i], 77}, error), PL_E_ARGUMENT,
                "no load");
    CHECK_FAILS(pl_world_remove_attachment(world, (pl_attachment_id){wrong[i], 77}, error),
                PL_E_ARGUMENT, "no attachment");
    CHECK_FAILS(pl_world_remove_obstacle(world, (pl_obstacle_id){wrong[i], 77}, error),
                PL_E_ARGUMENT, "no obstacle");
    CHECK_FAILS(pl_world_remove_pull(world, pull, error), PL_E_ARGUMENT, "no pull");
    CHECK_FAILS(pl_world_read_pull(world, pull, &(pl_pull_facts){0}, error), PL_E_ARGUMENT,
                "no pull");
    fill_fix(&on, &def);
    CHECK_FAILS(pl_world_add_fix(world, id, &def.fix, NULL, error), PL_E_ARGUMENT, no);
    fill_rigid(&on, &def);
    CHECK_FAILS(pl_world_add_rigid(world, id, &def.rigid, NULL, error), PL_E_ARGUMENT, no);
    fill_attachment(&on, &def);
    CHECK_FAILS(pl_world_add_attachment(world, id, &def.attachment, NULL, error), PL_E_ARGUMENT,
                no);
    def.attachment.to = id;
    CHECK_FAILS(pl_world_add_attachment(world, on.bar, &def.attachment, NULL, error), PL_E_ARGUMENT,
                no);
    fill_load(&on, &def);
    CHECK_FAILS(pl_world_add_load(world, id, &def.load, NULL, error), PL_E_ARGUMENT, no);
    fill_probe(&on, &def);
    def.probe.body = id;
    CHECK_FAILS(pl_world_add_probe(world, &def.probe, NULL, error), PL_E_ARGUMENT, no);
    fill_pull(&on, &def);
    def.pull.at.body = id;
    CHECK_FAILS(pl_world_add_pull(world, &def.pull, NULL, error), PL_E_ARGUMENT, no);
    fill_material(&on, &def);
    CHECK_FAILS(pl_world_set_material(world, id, &def.material, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_positions(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_velocities(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_set_positions(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_set_velocities(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_follow(world, id, 1, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_stress(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_strain(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_tensors(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_forces(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_find_spot(world, id, numbers, &spot, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_throw(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_pin_node(world, id, 0, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_release_node(world, id, 0, NULL, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_held(world, id, held, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_insert_frame(world, id, site, 0.3, NULL, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_remove_frame(world, id, 0, NULL, error), PL_E_ARGUMENT, no);
    // numbers of nodes, frames and places in lists
    int node = wrong[i] == 0 || wrong[i] == 3 ? -2 : wrong[i];
    CHECK_FAILS(pl_world_pin_node(world, on.bar, node, error), PL_E_ARGUMENT, "no node");
    CHECK_FAILS(pl_world_release_node(world, on.bar, node, NULL, error), PL_E_ARGUMENT, "no node");
    CHECK_FAILS(pl_world_remove_frame(world, on.frames, node, NULL, error), PL_E_ARGUMENT,
                "was not put in");
    CHECK(pl_world_body_at(world, node).index1 == 0 && pl_world_probe_at(world, node).index1 == 0);
    CHECK(!pl_mesh_set(on.mesh, node));
  }
  CHECK(pl_world_body_count(on.world) == 2 && pl_world_probe_count(on.world) == 0);
  CHECK(pl_world_state_hash(on.world) == before);
  tear_down(&on);
}

/* ---- what is read and filled in ---- */

TEST(nothing_is_read_from_or_written_to_nowhere)
{
  const double nowhere[3] = {0, NAN, 0};
  stage on = set_up();
  pl_world *world = on.world;
  const pl_choice cg = {.name = "cg"}, none = {0};
  double numbers[300] = {0};
  size_t size = pl_world_state_size(world);
  pl_spot spot;
  pl_hit hit;
  pl_pull_id pull;
  pl_probe_id probe;
  any_def def = {0};
  fill_pull(&on, &def);
  CHECK_OK(pl_world_add_pull(world, &def.pull, &pull, error));
  fill_probe(&on, &def);
  CHECK_OK(pl_world_add_probe(world, &def.probe, &probe, error));
  uint64_t before = pl_world_state_hash(world);

  CHECK_FAILS(pl_world_create(&(pl_world_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_scene_load(&(pl_scene_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_measure(world, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_read_probe(world, probe, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_read_pull(world, pull, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_move_pull(world, pull, NULL, error), PL_E_ARGUMENT, "target");
  CHECK_FAILS(pl_world_move_pull(world, pull, nowhere, error), PL_E_ARGUMENT, "target");
  CHECK_FAILS(pl_world_get_positions(world, on.bar, NULL, error), PL_E_ARGUMENT, "position");
  CHECK_FAILS(pl_world_get_velocities(world, on.bar, NULL, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_set_positions(world, on.bar, NULL, error), PL_E_ARGUMENT, "position");
  CHECK_FAILS(pl_world_set_velocities(world, on.bar, NULL, error), PL_E_ARGUMENT, "velocity");
  numbers[4] = NAN;
  CHECK_FAILS(pl_world_set_positions(world, on.bar, numbers, error), PL_E_ARGUMENT, "node 1");
  CHECK_FAILS(pl_world_set_velocities(world, on.bar, numbers, error), PL_E_ARGUMENT, "node 1");
  CHECK_FAILS(pl_world_follow(world, on.bar, 0, numbers, numbers, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_follow(world, on.bar, -2, numbers, numbers, error), PL_E_ARGUMENT, "not -2");
  CHECK_FAILS(pl_world_follow(world, on.bar, 1, NULL, numbers, error), PL_E_ARGUMENT, "NULL");
  CHECK_FAILS(pl_world_follow(world, on.bar, 3, numbers, NULL, error), PL_E_ARGUMENT, "NULL");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, NULL, &spot, error), PL_E_ARGUMENT, "a point");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, site, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, nowhere, &spot, error), PL_E_ARGUMENT, "y = nan");
  CHECK_FAILS(pl_world_pick(world, NULL, site, &hit, error), PL_E_ARGUMENT, "an origin");
  CHECK_FAILS(pl_world_pick(world, site, NULL, &hit, error), PL_E_ARGUMENT, "a direction");
  CHECK_FAILS(pl_world_pick(world, site, site, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_pick(world, nowhere, site, &hit, error), PL_E_ARGUMENT, "finite");
  CHECK_FAILS(pl_world_throw(world, on.frames, NULL, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_throw(world, on.frames, nowhere, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_get_held(world, on.bar, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_set_dt(world, NAN, error), PL_E_ARGUMENT, "dt");
  CHECK_FAILS(pl_world_set_gravity(world, NULL, error), PL_E_ARGUMENT, "gravity");
  CHECK_FAILS(pl_world_set_gravity(world, nowhere, error), PL_E_ARGUMENT, "gravity");
  CHECK_FAILS(pl_world_set_control(world, -1, 0, 0, error), PL_E_ARGUMENT, "budget");
  CHECK_FAILS(pl_world_set_control(world, 0, -1, 0, error), PL_E_ARGUMENT, "halvings");
  CHECK_FAILS(pl_world_set_control(world, 0, 0, NAN, error), PL_E_ARGUMENT, "tolerance");
  CHECK_FAILS(pl_world_set_integrator(world, NULL, error), PL_E_ARGUMENT, "no integrator");
  CHECK_FAILS(pl_world_set_solver(world, NULL, &none, error), PL_E_ARGUMENT, "no solver");
  CHECK_FAILS(pl_world_set_solver(world, &cg, NULL, error), PL_E_ARGUMENT, "no preconditioner");
  CHECK_FAILS(pl_world_set_solver(world, NULL, NULL, error), PL_E_ARGUMENT, "no solver");
  CHECK_FAILS(pl_world_save_state(world, NULL, size, error), PL_E_ARGUMENT, "at NULL");
  CHECK_FAILS(pl_world_save_state(world, numbers, 0, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_load_state(world, NULL, size, error), PL_E_ARGUMENT, "at NULL");
  CHECK_FAILS(pl_world_load_state(world, numbers, 0, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_load_state(world, numbers, size, error), PL_E_ARGUMENT, "not a state");
  CHECK_FAILS(pl_world_insert_frame(world, on.frames, NULL, 0.3, NULL, error), PL_E_ARGUMENT,
              "the place");
  CHECK_FAILS(pl_world_insert_frame(world, on.frames, site, NAN, NULL, error), PL_E_ARGUMENT,
              "reach");
  CHECK(pl_world_state_hash(world) == before);

  // what may be NULL: everything that only tells more
  CHECK_OK(pl_world_get_stress(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_strain(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_tensors(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_forces(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_set_tool(world, NULL, error));
  pl_world_read_tool(world, NULL, NULL);
  pl_world_set_watcher(world, NULL);
  CHECK_OK(pl_world_step(world, NULL));
  CHECK(pl_world_solver_choice(world, NULL) && pl_world_solver_name(world));
  CHECK(pl_world_preconditioner_choice(world, NULL));
  CHECK(pl_world_preconditioner_name(world) && pl_world_integrator_name(world));
  CHECK(pl_world_time(world) == pl_world_dt(world));
  CHECK(pl_world_create(NULL, &(pl_world *){0}, NULL) == PL_E_ARGUMENT);
  pl_world_destroy(NULL);
  pl_mesh_destroy(NULL);
  pl_scene_destroy(NULL);
  tear_down(&on);
}

/* ---- meshes, scenes, families ---- */

TEST(meshes_are_made_of_something)
{
  pl_mesh *mesh = NULL;
  stage on = set_up();
  CHECK_FAILS(pl_mesh_create(NULL, &mesh, error), PL_E_ARGUMENT, "pl_mesh_def");
  CHECK_FAILS(pl_mesh_create(&(pl_mesh_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_create(&(pl_mesh_def){0}, &mesh, error), PL_E_ARGUMENT, "per_element = 0");
  pl_mesh_def def = {.node_count = 4, .element_count = 1, .nodes_per_element = 4};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "NULL");
  def.node_count = -4;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "-4 nodes");
  CHECK_FAILS(pl_mesh_generate(NULL, NULL, &mesh, error), PL_E_ARGUMENT, "no generator");
  CHECK_FAILS(pl_mesh_fill(&(pl_surface_def){0}, &mesh, error), PL_E_ARGUMENT, "needs points");
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){0}, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){"box", NULL, 2}, NULL, &mesh, error), PL_E_ARGUMENT,
              "2 settings, but no list");
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){"box", &(pl_setting){0}, 1}, NULL, &mesh, error),
              PL_E_ARGUMENT, "unknown parameter");
  CHECK_FAILS(pl_mesh_boundary(on.mesh, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_read(NULL, NULL, &mesh, error), PL_E_ARGUMENT, "a path");
  CHECK_FAILS(pl_mesh_read("a.msh", NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_write(on.mesh, NULL, error), PL_E_ARGUMENT, "a path");
  CHECK_FAILS(pl_mesh_measure(on.mesh, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK(!mesh && !pl_mesh_find_set(on.mesh, NULL));
  CHECK(pl_mesh_node_count(on.mesh) == 20 && pl_mesh_nodes(on.mesh));
  CHECK(pl_mesh_element_count(on.mesh) > 0 && pl_mesh_elements(on.mesh));
  CHECK(pl_mesh_nodes_per_element(on.mesh) == 4 && pl_mesh_shape_name(on.mesh));
  CHECK(pl_mesh_face_count(on.mesh) > 0 && pl_mesh_faces(on.mesh));
  CHECK(pl_mesh_nodes_per_face(on.mesh) == 3 && pl_mesh_face_elements(on.mesh));
  CHECK(pl_mesh_set_count(on.mesh) > 0);
  tear_down(&on);
}

TEST(scenes_and_families_answer_with_none)
{
  any_def def;
  pl_scene *scene = NULL;
  fill_scene(NULL, &def);
  CHECK_OK(pl_scene_load(&def.scene, &scene, error));
  if (!scene) return;
  CHECK(!pl_scene_output(scene, -1) && !pl_scene_output(scene, pl_scene_output_count(scene)));
  CHECK(pl_scene_world(scene) && pl_scene_title(scene) && pl_scene_view(scene));
  CHECK(pl_scene_duration(scene) > 0);
  pl_scene_destroy(scene);

  char text[8] = "before";
  CHECK(pl_error_text(NULL, text, sizeof text) == text && text[0] == 0);
  CHECK(!pl_error_text(&(pl_error){0}, NULL, sizeof text));
  CHECK(pl_status_text((pl_status)-1) && pl_status_text(PL_STATUS_COUNT) && pl_version());
  CHECK(!pl_family_find(NULL) && !pl_family_find("nothing") && pl_families()[0]);
  CHECK(!pl_member_find(NULL, "cg") && !pl_member_find(pl_families()[0], NULL));
  CHECK(pl_allocator_default().alloc && pl_allocator_default().free);
}

TESTS(X(def_structs_are_made_by_default) X(numbers_of_defs_are_finite) X(lists_have_what_they_count)
          X(ids_of_nothing_are_refused) X(nothing_is_read_from_or_written_to_nowhere)
              X(meshes_are_made_of_something) X(scenes_and_families_answer_with_none))
