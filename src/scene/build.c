/* From checked items to a world: meshes, bodies with what holds and loads them, probes, outputs. */
#include "body/map.h"
#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "core/memory.h"
#include "couple/load.h"
#include "io/recording.h"
#include "io/stack.h"
#include "material/material.h"
#include "math/functions.h"
#include "mesh/mesh.h"
#include "mesh/select.h"
#include "model/frames.h"
#include "pliant/touch.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "scene/value.h"
#include "world/quantity.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Calls build for every item of a kind in the root. */
static void each(pl_reader *reader, pl_scene *scene, const char *kind,
                 void (*build)(pl_reader *reader, pl_scene *scene, int item))
{
  for (int i = 1; i < reader->items[0].end && !reader->stopped; i = reader->items[i].end) {
    if (strcmp(reader->items[i].element->name, kind) == 0) build(reader, scene, i);
  }
}

/* The only item of a kind, NULL if there is none or it has an error. */
static const pl_item *only(const pl_reader *reader, const char *kind)
{
  for (int i = 1; i < reader->items[0].end; i = reader->items[i].end) {
    const pl_item *item = &reader->items[i];
    if (!item->bad && strcmp(item->element->name, kind) == 0) return item;
  }
  return NULL;
}

static int report_if(pl_reader *reader, int item, pl_status status, const pl_error *error)
{
  if (status) pl_reader_report_at(reader, item, error);
  return status != PL_OK;
}

/* ---- the world ---- */

static void build_world(pl_reader *reader, pl_scene *scene)
{
  pl_world_def def = pl_world_def_default();
  def.allocator = reader->def->allocator;
  def.log = reader->def->log;
  def.threads = reader->def->threads;
  def.cache = reader->def->cache;

  // what has an error keeps its presets, so that the rest can be checked
  const pl_item *world = only(reader, "world");
  const pl_item *integrator = only(reader, "integrator"), *solver = only(reader, "solver");
  if (world) {
    def.dt = pl_item_number(world, "dt");
    scene->duration = pl_item_number(world, "duration");
    pl_item_numbers(world, "gravity", def.gravity);
    def.halvings = (int)pl_item_number(world, "halvings");
    def.budget = (int)pl_item_number(world, "budget");
    def.tolerance = pl_item_number(world, "tolerance");
    pl_error too_long;
    if (scene->duration > 0 && def.dt > scene->duration * (1 + 1e-9))
      report_if(reader, (int)(world - reader->items),
                pl_fail(&too_long, PL_E_ARGUMENT,
                        "dt = %g must not be longer than the duration of %g s", def.dt,
                        scene->duration),
                &too_long);
  }
  if (integrator) def.integrator = pl_item_choice(reader, integrator, 0);
  if (solver) {
    def.solver = pl_item_choice(reader, solver, 0);
    // without a name the world may take another
    if (!pl_item_text(solver, "method")) def.solver.name = NULL;
    def.preconditioner = pl_item_choice(reader, solver, 1);
  }
  pl_error error;
  if (reader->stopped) return;
  if (pl_world_create(&def, &scene->world, &error))
    pl_reader_report_at(reader, world ? (int)(world - reader->items) : 0, &error);
}

/* ---- materials ---- */

static void build_material(pl_reader *reader, pl_scene *scene, int index)
{
  (void)scene;
  if (reader->items[index].bad) return;
  pl_reader_warn_unused(reader, &reader->items[index]);
  pl_choice choice = pl_item_choice(reader, &reader->items[index], 0);
  const pl_member *member = NULL;
  double values[PL_MOST_VALUES], lambda, mu;
  pl_error error;
  if (reader->stopped) return;
  pl_status status = pl_choice_resolve(&pl_law_family, &choice, &member, values, &error);
  const pl_law_ops *law = (const void *)member;
  if (!status) status = law->lame(values, &lambda, &mu, &error);
  report_if(reader, index, status, &error);
}

/* ---- bodies ---- */

static pl_material_def material_of(pl_reader *reader, const pl_item *item)
{
  pl_material_def def = pl_material_def_default();
  def.law = pl_item_choice(reader, item, 0);
  def.density = pl_item_number(item, "density");
  def.viscous_lambda = pl_item_number(item, "viscous-lambda");
  def.viscous_mu = pl_item_number(item, "viscous-mu");
  def.stiffness_damping = pl_item_number(item, "stiffness-damping");
  def.mass_damping = pl_item_number(item, "mass-damping");
  return def;
}

/* What a region says of its values together. */
static pl_status check_region(const pl_choice *choice, pl_error *error)
{
  const pl_member *member = NULL;
  double values[PL_MOST_VALUES];
  pl_status status = pl_choice_resolve(&pl_region_family, choice, &member, values, error);
  if (status) return status;
  const pl_region_ops *region = (const void *)member;
  return region->check ? region->check(values, error) : PL_OK;
}

/* The regions inside an item; NULL if one of them has an error or there is no memory. */
static const pl_selector *regions_of(pl_reader *reader, int index, int *count)
{
  const pl_item *items = reader->items;
  *count = items[index].end - index - 1;
  pl_selector *regions = pl_reader_alloc(reader, (size_t)*count, sizeof *regions);
  int bad = items[index].bad;
  for (int i = 0; i < *count && regions && !reader->stopped; i++) {
    int inside = index + 1 + i;
    pl_error error;
    if (!items[inside].bad && items[inside].element->family) {
      regions[i].region = pl_item_choice(reader, &items[inside], 0);
      if (reader->stopped) break;
      report_if(reader, inside, check_region(&regions[i].region, &error), &error);
    } else if (!items[inside].bad) {
      regions[i].set = pl_item_text(&items[inside], "name");
    }
    bad |= items[inside].bad;
  }
  return bad || reader->stopped ? NULL : regions;
}

static pl_ramp ramp_of(pl_reader *reader, const pl_item *item, const char *name)
{
  pl_ramp ramp = {0};
  const char *text = pl_item_text(item, name);
  if (!text) return ramp;
  int count = 0;
  pl_parse_ramp(text, 0, NULL, NULL, &count, NULL);
  double *values = pl_reader_alloc(reader, (size_t)count, 2 * sizeof *values);
  if (!values) return ramp;
  pl_parse_ramp(text, count, values, values + count, &count, NULL);
  return (pl_ramp){count, values, values + count};
}

/* <fix> has no motion, so that its numbers stay zero. */
static pl_status add_fix(pl_reader *reader, pl_world *world, pl_body_id body, const pl_item *item,
                         const pl_selector *where, int where_count, pl_error *error)
{
  pl_fix_def def = pl_fix_def_default();
  def.where = where;
  def.where_count = where_count;
  int held[3] = {1, 1, 1};
  pl_parse_axes(pl_item_text(item, "axes"), held, NULL);
  for (int i = 0; i < 3; i++) def.free_axis[i] = !held[i];
  pl_item_numbers(item, "normal", def.normal);
  pl_item_numbers(item, "along", def.along);
  pl_item_numbers(item, "translation", def.translation);
  pl_item_numbers(item, "centre", def.centre);
  pl_item_numbers(item, "axis", def.axis);
  pl_item_numbers(item, "angle", &def.angle);
  pl_item_numbers(item, "offset", def.offset);
  def.offset_ramp = ramp_of(reader, item, "offset-ramp");
  def.ramp = ramp_of(reader, item, "ramp");
  if (reader->stopped) return PL_OK;
  return pl_world_add_fix(world, body, &def, NULL, error);
}

static pl_status add_load(pl_reader *reader, pl_world *world, pl_body_id body, const pl_item *item,
                          const pl_selector *where, int where_count, pl_error *error)
{
  pl_load_def def = pl_load_def_default();
  def.load = pl_item_choice(reader, item, 0);
  def.where = where;
  def.where_count = where_count;
  def.ramp = ramp_of(reader, item, "ramp");
  if (reader->stopped) return PL_OK;
  return pl_world_add_load(world, body, &def, NULL, error);
}

/* A point at the rim may lie outside of the elements by rounding; much more is a mistake. */
static pl_status check_spot(const pl_mesh *mesh, const double at[3], pl_error *error)
{
  pl_anchor anchor;
  double low[3], high[3], size = 0;
  pl_status status = pl_mesh_locate(mesh, at, &anchor, error);
  if (status) return status;
  pl_mesh_bounds(mesh, low, high);
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  if (anchor.distance <= 0.05 * size) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "at = %g %g %g lies %.3g m outside the body", at[0], at[1],
                 at[2], anchor.distance);
}

static pl_status add_pull(pl_reader *reader, pl_world *world, pl_body_id body, const pl_item *item,
                          const pl_mesh *mesh, pl_error *error)
{
  pl_pull_def def = pl_pull_def_default();
  double at[3];
  pl_item_numbers(item, "at", at);
  pl_item_numbers(item, "translation", def.translation);
  def.stiffness = pl_item_number(item, "stiffness");
  def.damping = pl_item_number(item, "damping");
  def.most_force = pl_item_number(item, "most-force");
  def.until = pl_item_number(item, "until");
  def.ramp = ramp_of(reader, item, "ramp");
  if (reader->stopped) return PL_OK;
  pl_status status = check_spot(mesh, at, error);
  if (status || !body.index1) return status;
  memcpy(def.target, at, sizeof at);
  status = pl_world_find_spot(world, body, at, &def.at, error);
  return status ? status : pl_world_add_pull(world, &def, NULL, error);
}

static pl_status add_rigid(pl_world *world, pl_body_id body, const pl_item *item,
                           const pl_selector *where, int where_count, pl_error *error)
{
  const char *hinge = pl_item_text(item, "hinge");
  pl_rigid_def def = pl_rigid_def_default();
  def.where = where;
  def.where_count = where_count;
  def.hinge = strcmp(hinge, "axis") == 0    ? PL_HINGE_AXIS
              : strcmp(hinge, "point") == 0 ? PL_HINGE_POINT
                                            : PL_HINGE_NONE;
  pl_item_numbers(item, "centre", def.centre);
  pl_item_numbers(item, "axis", def.axis);
  return pl_world_add_rigid(world, body, &def, NULL, error);
}

/* Where the body itself has an error, its regions can be tried on the mesh alone. */
static pl_status try_regions(pl_reader *reader, const pl_item *item, const pl_mesh *mesh,
                             const pl_selector *where, int where_count, pl_error *error)
{
  const pl_family *family = item->element->family;
  const pl_member *member = family ? pl_member_find(family, pl_xml_name(item->node)) : NULL;
  int on_faces = member && ((const pl_load_ops *)(const void *)member)->on_faces;
  int room = on_faces ? mesh->face_count : mesh->node_count, count = 0;
  unsigned char *chosen = pl_reader_alloc(reader, (size_t)room, 1);
  if (!chosen) return PL_OK;
  pl_status status = on_faces
                         ? pl_mesh_select_faces(mesh, where, where_count, chosen, &count, error)
                         : pl_mesh_select_nodes(mesh, where, where_count, chosen, &count, error);
  if (status || count) return status;
  return pl_fail(error, PL_E_ARGUMENT, "the region holds no %s of the mesh",
                 on_faces ? "face" : "node");
}

static int is_a(const pl_item *item, const char *kind)
{
  return strcmp(item->element->name, kind) == 0;
}

/* Tells what is wrong with a body's frames at the frame itself; 1 if nothing is. */
static int check_frames(pl_reader *reader, int index, const pl_body_def *def)
{
  const pl_item *items = reader->items;
  pl_error error;
  int wrong;
  if (!pl_frames_check(def->mesh, def->site_count, def->sites, 1, &wrong, &error)) return 1;
  int at = index + 1;
  for (; !is_a(&items[at], "frame") || wrong-- > 0; at = items[at].end) continue;
  pl_reader_report_at(reader, at, &error);
  return 0;
}

/* The places of the body's frames; 1 if all can be used. */
static int frames_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  double *at = pl_reader_alloc(reader, (size_t)room, 3 * sizeof *at);
  pl_site_region *alone = pl_reader_alloc(reader, (size_t)room, sizeof *alone);
  for (int i = index + 1; at && alone && i < items[index].end; i = items[i].end) {
    if (!is_a(&items[i], "frame")) continue;
    bad |= items[i].bad;
    if (items[i].bad) continue;
    pl_site_region *region = &alone[def->site_count];
    pl_item_numbers(&items[i], "at", at + (size_t)(3 * def->site_count++));
    if (items[i].end == i + 1) continue;
    region->where = regions_of(reader, i, &region->count);
    bad |= !region->where;
    def->site_regions = alone;
  }
  def->sites = at;
  return at && alone && !bad && check_frames(reader, index, def);
}

/* Where the body is made of something else; 1 if all can be used. */
static int parts_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  pl_body_part *parts = pl_reader_alloc(reader, (size_t)room, sizeof *parts);
  for (int i = index + 1; parts && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!is_a(&items[i], "part")) continue;
    const char *name = pl_item_text(&items[i], "material");
    int material = name ? pl_reader_find(reader, "material", name) : -1;
    pl_body_part *part = &parts[def->part_count];
    part->where = regions_of(reader, i, &part->where_count);
    if (!part->where || material < 0 || items[material].bad) {
      bad = 1;
      continue;
    }
    part->material = material_of(reader, &items[material]);
    def->part_count++;
  }
  def->parts = parts;
  return parts && !bad;
}

/* The factors of its density and stiffness; 1 if all can be used. images are room for as many
 * images as there are items. */
static int maps_of(pl_reader *reader, int index, pl_body_def *def, pl_stack *images)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index - 1;
  pl_map_def *maps = pl_reader_alloc(reader, (size_t)room, sizeof *maps);
  for (int i = index + 1; maps && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!is_a(&items[i], "map")) continue;
    bad |= items[i].bad;
    if (items[i].bad) continue;
    const char *of = pl_item_text(&items[i], "of"), *file = pl_item_text(&items[i], "file");
    pl_map_def *map = &maps[def->map_count];
    pl_stack *image = &images[def->map_count];
    map->of = strcmp(of, "density") == 0 ? PL_MAPPED_DENSITY
              : strcmp(of, "both") == 0  ? PL_MAPPED_BOTH
                                         : PL_MAPPED_STIFFNESS;
    map->map = pl_item_choice(reader, &items[i], 0);
    if (reader->stopped) break;
    pl_error error;
    pl_status status = PL_OK;
    if (file) {
      char path[PATH_MAX];
      status = pl_scene_path(reader->def, file, path, sizeof path, &error);
      if (!status) status = pl_stack_read(path, &reader->def->allocator, image, &error);
      map->image = image;
    }
    if (!status) status = pl_map_check(map, &error);
    bad |= report_if(reader, i, status, &error);
    def->map_count++;
  }
  def->maps = maps;
  return maps && !bad;
}

/* Fixes and loads of a body, which is zero where it could not be built. */
static void build_inside(pl_reader *reader, pl_world *world, int index, pl_body_id body,
                         const pl_mesh *mesh)
{
  const pl_item *items = reader->items;
  for (int i = index + 1; i < items[index].end && !reader->stopped; i = items[i].end) {
    int count = 0;
    pl_error error;
    pl_status status;
    if (is_a(&items[i], "frame") || is_a(&items[i], "part") || is_a(&items[i], "map") ||
        is_a(&items[i], "attach"))
      continue;
    if (is_a(&items[i], "pull")) {
      if (items[i].bad) continue;
      status = add_pull(reader, world, body, &items[i], mesh, &error);
      report_if(reader, i, status, &error);
      continue;
    }
    const pl_selector *where = regions_of(reader, i, &count);
    if (!where) continue;
    if (!body.index1)
      status = try_regions(reader, &items[i], mesh, where, count, &error);
    else if (is_a(&items[i], "rigid"))
      status = add_rigid(world, body, &items[i], where, count, &error);
    else if (items[i].element->family)
      status = add_load(reader, world, body, &items[i], where, count, &error);
    else
      status = add_fix(reader, world, body, &items[i], where, count, &error);
    report_if(reader, i, status, &error);
  }
}

static void build_body(pl_reader *reader, pl_scene *scene, int index)
{
  reader->only_body = reader->body_count++ ? -1 : index;
  pl_item *item = &reader->items[index];
  const char *mesh_name = pl_item_text(item, "mesh"),
             *material_name = pl_item_text(item, "material");
  int mesh = mesh_name ? pl_reader_find(reader, "mesh", mesh_name) : -1;
  int material = material_name ? pl_reader_find(reader, "material", material_name) : -1;
  const char *surface_name = pl_item_text(item, "surface");
  int surface = surface_name ? pl_reader_find(reader, "mesh", surface_name) : -1;
  if (mesh < 0 || !reader->items[mesh].mesh) return;
  if (surface >= 0 && !reader->items[surface].mesh) item->bad = 1;

  if (!item->bad && material >= 0 && !reader->items[material].bad) {
    pl_body_def def = pl_body_def_default();
    def.name = pl_item_name(item);
    def.mesh = reader->items[mesh].mesh;
    def.material = material_of(reader, &reader->items[material]);
    def.model = pl_item_choice(reader, item, 0);
    def.surface = surface >= 0 ? reader->items[surface].mesh : NULL;
    pl_item_numbers(item, "velocity", def.velocity);
    pl_item_numbers(item, "spin", def.spin);
    pl_item_numbers(item, "insert", &def.insert_reach);
    def.keep_momentum = strcmp(pl_item_text(item, "momentum"), "kept") == 0;
    pl_error error;
    size_t room = (size_t)(item->end - index);
    pl_stack *images = pl_reader_alloc(reader, room, sizeof *images);
    int ok = images && frames_of(reader, index, &def) && parts_of(reader, index, &def);
    if (ok && maps_of(reader, index, &def, images) && !reader->stopped)
      report_if(reader, index, pl_world_add_body(scene->world, &def, &item->body, &error), &error);
    for (size_t i = 0; images && i < room; i++)
      pl_stack_release(&reader->def->allocator, &images[i]);
    if (reader->stopped) return;
    pl_reader_build_texture(reader, scene, index, surface >= 0 ? surface : mesh);
  }
  build_inside(reader, scene->world, index, item->body, reader->items[mesh].mesh);
}

static void add_attachment(pl_reader *reader, pl_world *world, pl_body_id body, int index)
{
  const pl_item *item = &reader->items[index];
  int other = pl_reader_find(reader, "body", pl_item_text(item, "to")), count;
  const pl_selector *where = regions_of(reader, index, &count);
  if (other < 0 || !where) return;
  pl_attachment_def def = pl_attachment_def_default();
  double frame = 0, to_frame = 0; // counted from 1
  pl_error error;
  pl_item_numbers(item, "frame", &frame);
  pl_item_numbers(item, "to-frame", &to_frame);
  pl_item_numbers(item, "arm", &def.arm);
  def.to = reader->items[other].body;
  def.where = where;
  def.where_count = count;
  def.frame = (int)frame - 1;
  def.to_frame = (int)to_frame - 1;
  def.stiffness = pl_item_number(item, "stiffness");
  def.damping = pl_item_number(item, "damping");
  if (body.index1 && def.to.index1)
    report_if(reader, index, pl_world_add_attachment(world, body, &def, NULL, &error), &error);
}

/* What a body is attached to may stand after it. */
static void build_attachments(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *items = reader->items;
  for (int i = index + 1; i < items[index].end && !reader->stopped; i = items[i].end) {
    if (is_a(&items[i], "attach") && !items[i].bad)
      add_attachment(reader, scene->world, items[index].body, i);
  }
}

static void build_obstacle(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_obstacle_def def = pl_obstacle_def_default();
  def.name = pl_item_name(item);
  def.shape = pl_item_choice(reader, item, 0);
  pl_error error;
  if (reader->stopped) return;
  report_if(reader, index, pl_world_add_obstacle(scene->world, &def, NULL, &error), &error);
}

/* ---- what is watched and written ---- */

static void build_probe(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_probe_def def = pl_probe_def_default();
  def.name = pl_item_name(item);
  def.quantity = pl_item_text(item, "quantity");
  pl_item_numbers(item, "at", def.at);
  const pl_quantity_ops *quantity = (const void *)pl_member_find(&pl_quantity_family, def.quantity);

  // what is not measured at a point can be that of the whole world
  pl_error error;
  pl_status status = PL_OK;
  const char *name = pl_item_text(item, "body");
  int body = name ? pl_reader_find(reader, "body", name) : reader->only_body;
  if (quantity->of_point && !pl_item_text(item, "at"))
    status = pl_fail(&error, PL_E_ARGUMENT,
                     "at is missing; add at=\"x y z\", a point of the body at rest");
  else if (quantity->of_point && body < 0 && reader->body_count > 1)
    status = pl_fail(&error, PL_E_ARGUMENT, "body is missing; there are %d bodies to choose from",
                     reader->body_count);
  if (report_if(reader, index, status, &error)) return;
  if (body >= 0) def.body = reader->items[body].body;
  if ((body >= 0 || quantity->of_point) && !def.body.index1) return;
  pl_probe_id probe;
  report_if(reader, index, pl_world_add_probe(scene->world, &def, &probe, &error), &error);
}

/* The format's settings, in one piece of memory with their words behind them: they outlive the
 * document. */
static void copy_settings(pl_reader *reader, pl_scene *scene, const pl_item *item,
                          const pl_member *format, pl_output *output)
{
  pl_choice choice = pl_item_choice(reader, item, 0);
  size_t count = (size_t)choice.setting_count, bytes = count * sizeof(pl_setting);
  for (size_t i = 0; i < count; i++) bytes += strlen(choice.settings[i].word) + 1;
  if (reader->stopped) return;
  pl_setting *settings = pl_alloc(&scene->allocator, bytes, 1);
  if (!settings) {
    pl_reader_report_memory(reader);
    return;
  }
  char *words = (char *)(settings + count);
  for (size_t i = 0; i < count; i++) {
    int param = pl_param_find(format, choice.settings[i].name);
    settings[i] = (pl_setting){.name = format->params[param].name, .word = words};
    words = strcpy(words, choice.settings[i].word) + strlen(choice.settings[i].word) + 1;
  }
  output->settings = settings;
  output->setting_count = (int)count;
}

static void build_output(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  const pl_attribute *row = pl_attribute_find(item->element, "format");
  const pl_member *format = pl_attribute_member(row, pl_item_text(item, "format"));
  pl_output *output = &scene->outputs[scene->output_count++];
  const char *of = pl_item_text(item, "of");
  *output = (pl_output){.every = pl_item_number(item, "every"),
                        .format = format ? format->name : "",
                        .leaves_elements = strcmp(of, "surface") == 0,
                        .leaves_surface = strcmp(of, "elements") == 0,
                        .has_tensors = strcmp(pl_item_text(item, "fields"), "all") == 0};
  if (format) copy_settings(reader, scene, item, format, output);
}

static int are_parallel(const double a[3], const double b[3])
{
  double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double lengths = pl_hypot(pl_hypot(a[0], a[1]), a[2]) * pl_hypot(pl_hypot(b[0], b[1]), b[2]);
  return pl_hypot(pl_hypot(c[0], c[1]), c[2]) < 1e-6 * lengths;
}

static void build_view(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_item_numbers(item, "direction", scene->view.direction);
  pl_item_numbers(item, "up", scene->view.up);
  scene->view.colour = pl_item_text(item, "colour");
  if (!are_parallel(scene->view.direction, scene->view.up)) return;
  pl_error error;
  pl_fail(&error, PL_E_ARGUMENT, "direction and up are parallel; turn one of them");
  pl_reader_report_at(reader, index, &error);
}

/* The view where the scene has none: the table's presets. */
static void preset_view(pl_view *view)
{
  const pl_element *element = pl_element_child(&pl_scene_root, "view");
  const pl_attribute *direction = pl_attribute_find(element, "direction");
  const pl_attribute *up = pl_attribute_find(element, "up");
  pl_param_parse(&direction->param, direction->preset, view->direction, NULL);
  pl_param_parse(&up->param, up->preset, view->up, NULL);
  view->colour = pl_attribute_find(element, "colour")->preset;
}

/* Texts and outputs that outlive the document. */
static void build_rest(pl_reader *reader, pl_scene *scene)
{
  const pl_allocator *allocator = &scene->allocator;
  const char *title = pl_item_text(&reader->items[0], "title");
  preset_view(&scene->view);
  each(reader, scene, "view", build_view);
  scene->title = pl_strdup(allocator, title ? title : pl_path_name(reader->def->path));
  scene->colour = pl_strdup(allocator, scene->view.colour);
  scene->outputs = pl_alloc(allocator, (size_t)reader->item_count, sizeof *scene->outputs);
  scene->view.colour = scene->colour;
  if (!scene->title || !scene->colour || !scene->outputs) {
    pl_reader_report_memory(reader);
    return;
  }
  each(reader, scene, "output", build_output);
}

/* Puts the finished world into the state that it is to begin with. */
static void build_start(pl_reader *reader, pl_scene *scene)
{
  const pl_item *world = only(reader, "world");
  const char *file = world && !world->bad ? pl_item_text(world, "start") : NULL;
  if (!file || reader->error_count || reader->stopped) return;
  char path[PATH_MAX];
  pl_error error;
  pl_recording *recording = NULL;
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, &error);
  if (!status) status = pl_recording_open(path, &scene->allocator, &recording, &error);
  if (!status)
    status = pl_recording_load(recording, pl_recording_count(recording) - 1, scene->world, &error);
  if (status) pl_reader_report_at(reader, (int)(world - reader->items), &error);
  pl_recording_close(recording);
}

void pl_reader_build(pl_reader *reader, pl_scene *scene)
{
  reader->only_body = -1;
  build_world(reader, scene);
  if (!scene->world) return;
  each(reader, scene, "mesh", pl_reader_build_mesh);
  each(reader, scene, "material", build_material);
  each(reader, scene, "body", build_body);
  each(reader, scene, "body", build_attachments);
  each(reader, scene, "obstacle", build_obstacle);
  each(reader, scene, "probe", build_probe);
  build_rest(reader, scene);
  build_start(reader, scene);
}
