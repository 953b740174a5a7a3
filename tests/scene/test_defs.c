/* The structs that describe what is to be made: presets, numbers that are not finite, lists that
 * are not there. */
#include "stage.h"

#include <stddef.h>

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

static pl_status take_world(const stage *on, const void *def, pl_error *error)
{
  (void)on;
  pl_world *world = NULL;
  pl_status status = pl_world_create(def, &world, error);
  pl_world_destroy(world);
  return status;
}

static pl_status take_material(const stage *on, const void *def, pl_error *error)
{
  return pl_world_set_material(on->world, on->bar, def, error);
}

static pl_status take_body(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_body(on->world, def, NULL, error);
}

static pl_status take_fix(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_fix(on->world, on->bar, def, NULL, error);
}

static pl_status take_rigid(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_rigid(on->world, on->bar, def, NULL, error);
}

static pl_status take_attachment(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_attachment(on->world, on->bar, def, NULL, error);
}

static pl_status take_load(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_load(on->world, on->bar, def, NULL, error);
}

static pl_status take_obstacle(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_obstacle(on->world, def, NULL, error);
}

static pl_status take_probe(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_probe(on->world, def, NULL, error);
}

static pl_status take_pull(const stage *on, const void *def, pl_error *error)
{
  return pl_world_add_pull(on->world, def, NULL, error);
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
     {LIST(pl_obstacle_def, shape.settings, shape.setting_count),
      LIST(pl_obstacle_def, parts, part_count), LIST(pl_obstacle_def, motions, motion_count)}},
    {"pl_probe", fill_probe, take_probe, {NUMBERS(pl_probe_def, at)}, {{0}}},
    {"pl_pull",
     fill_pull,
     take_pull,
     {NUMBERS(pl_pull_def, target), NUMBERS(pl_pull_def, translation),
      NUMBERS(pl_pull_def, stiffness), NUMBERS(pl_pull_def, damping),
      NUMBERS(pl_pull_def, max_force), NUMBERS(pl_pull_def, at.weights[0])},
     {LIST(pl_pull_def, ramp.factors, ramp.count)}},
    {"pl_scene", fill_scene, take_scene, {{0}}, {LIST(pl_scene_def, changes, change_count)}},
};

enum { KINDS = sizeof kinds / sizeof *kinds, NUMBER_COUNT = 10, LIST_COUNT = 8 };

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
  CHECK_FAILS(pl_world_set_contact(on.world, NULL, error), PL_E_ARGUMENT, "_default()");
  CHECK_FAILS(pl_world_set_contact(on.world, &(pl_contact_def){0}, error), PL_E_ARGUMENT,
              "_default()");
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
  for (int i = 0; i < 3; i++) {
    pl_contact_def contact = pl_contact_def_default();
    *(i == 0 ? &contact.friction : i == 1 ? &contact.range : &contact.stiffness) = NAN;
    CHECK_FAILS(pl_world_set_contact(on.world, &contact, error), PL_E_ARGUMENT, "of contact");
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

TESTS(X(def_structs_are_made_by_default) X(numbers_of_defs_are_finite)
          X(lists_have_what_they_count))
