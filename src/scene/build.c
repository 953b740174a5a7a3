/* From checked items to a world: meshes, bodies with what holds and loads them, probes, outputs. */
#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "scene/value.h"
#include "world/load.h"
#include "world/quantity.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Calls step for every item of a kind in the root that has no error. */
static void each(pl_reader *reader, pl_scene *scene, const char *kind,
                 void (*step)(pl_reader *reader, pl_scene *scene, int item))
{
  for (int i = 1; i < reader->items[0].end && !reader->stopped; i = reader->items[i].end) {
    const pl_item *item = &reader->items[i];
    if (!item->bad && strcmp(item->element->name, kind) == 0) step(reader, scene, i);
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

  // what has an error keeps its presets, so that the rest can be checked
  const pl_item *world = only(reader, "world");
  const pl_item *integrator = only(reader, "integrator"), *solver = only(reader, "solver");
  if (world) {
    def.dt = pl_item_number(world, "dt");
    scene->duration = pl_item_number(world, "duration");
    pl_item_numbers(world, "gravity", def.gravity);
    if (def.dt > scene->duration)
      pl_log_write(&def.log, PL_WARNING,
                   "%s:%d: world: dt = %g s is longer than the duration of %g s", reader->def->path,
                   pl_xml_line(world->node), def.dt, scene->duration);
  }
  if (integrator) def.integrator = pl_item_choice(reader, integrator, 0);
  if (solver) {
    def.solver = pl_item_choice(reader, solver, 0);
    def.preconditioner = pl_item_choice(reader, solver, 1);
  }
  pl_error error;
  if (reader->stopped) return;
  if (pl_world_create(&def, &scene->world, &error))
    pl_reader_report_at(reader, world ? (int)(world - reader->items) : 0, &error);
}

/* ---- meshes and materials ---- */

static void build_mesh(pl_reader *reader, pl_scene *scene, int index)
{
  (void)scene;
  pl_item *item = &reader->items[index];
  const char *file = pl_item_text(item, "file");
  const pl_item *generator = item->end > index + 1 ? item + 1 : NULL;
  pl_error error;
  pl_status status;
  if (!file == !generator) {
    status = pl_fail(&error, PL_E_ARGUMENT, "needs %s a file=\"...\" or a shape such as <%s/>",
                     file ? "either" : "", pl_generator_family.members[0]->name);
  } else if (file) {
    char path[PATH_MAX];
    status = pl_scene_path(reader->def, file, path, sizeof path, &error);
    if (!status) status = pl_mesh_read(path, &reader->def->allocator, &item->mesh, &error);
  } else if (generator->bad) {
    item->bad = 1;
    return;
  } else {
    pl_choice choice = pl_item_choice(reader, generator, 0);
    if (reader->stopped) return;
    status = pl_mesh_generate(&choice, &reader->def->allocator, &item->mesh, &error);
  }
  report_if(reader, index, status, &error);
}

static void build_material(pl_reader *reader, pl_scene *scene, int index)
{
  (void)scene;
  pl_choice choice = pl_item_choice(reader, &reader->items[index], 0);
  const pl_member *member;
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

/* The regions inside an item; NULL if one of them has an error or there is no memory. */
static const pl_selector *regions_of(pl_reader *reader, int index, int *count)
{
  const pl_item *items = reader->items;
  int inside = items[index].end - index - 1;
  pl_selector *regions = pl_reader_alloc(reader, (size_t)inside, sizeof *regions);
  for (int i = 0; i < inside && regions; i++) {
    const pl_item *item = &items[index + 1 + i];
    if (item->bad) return NULL;
    if (item->element->family)
      regions[i].region = pl_item_choice(reader, item, 0);
    else
      regions[i].set = pl_item_text(item, "name");
  }
  *count = inside;
  return reader->stopped ? NULL : regions;
}

static pl_ramp ramp_of(pl_reader *reader, const pl_item *item)
{
  pl_ramp ramp = {0};
  const char *text = pl_item_text(item, "ramp");
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
  pl_item_numbers(item, "translation", def.translation);
  pl_item_numbers(item, "centre", def.centre);
  pl_item_numbers(item, "axis", def.axis);
  pl_item_numbers(item, "angle", &def.angle);
  def.ramp = ramp_of(reader, item);
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
  def.ramp = ramp_of(reader, item);
  if (reader->stopped) return PL_OK;
  return pl_world_add_load(world, body, &def, error);
}

static void build_holds_and_loads(pl_reader *reader, pl_world *world, int body)
{
  const pl_item *items = reader->items;
  for (int i = body + 1; i < items[body].end && !reader->stopped; i = items[i].end) {
    int count = 0;
    const pl_selector *where = items[i].bad ? NULL : regions_of(reader, i, &count);
    if (!where) continue;
    pl_error error;
    pl_status status =
        items[i].element->family
            ? add_load(reader, world, items[body].body, &items[i], where, count, &error)
            : add_fix(reader, world, items[body].body, &items[i], where, count, &error);
    report_if(reader, i, status, &error);
  }
}

static void build_body(pl_reader *reader, pl_scene *scene, int index)
{
  pl_item *item = &reader->items[index];
  int mesh = pl_reader_find(reader, "mesh", pl_item_text(item, "mesh"));
  int material = pl_reader_find(reader, "material", pl_item_text(item, "material"));
  if (mesh < 0 || !reader->items[mesh].mesh || material < 0 || reader->items[material].bad) return;

  pl_body_def def = pl_body_def_default();
  def.name = pl_item_name(item);
  def.mesh = reader->items[mesh].mesh;
  def.material = material_of(reader, &reader->items[material]);
  def.model = pl_item_choice(reader, item, 0);
  pl_item_numbers(item, "velocity", def.velocity);
  pl_item_numbers(item, "spin", def.spin);
  pl_error error;
  if (reader->stopped) return;
  pl_status status = pl_world_add_body(scene->world, &def, &item->body, &error);
  if (report_if(reader, index, status, &error)) return;
  build_holds_and_loads(reader, scene->world, index);
}

/* ---- what is watched and written ---- */

/* The body that a probe names, or the only one; -1 with an error if that is not clear. */
static int body_of(pl_reader *reader, int probe)
{
  const char *name = pl_item_text(&reader->items[probe], "body");
  if (name) return pl_reader_find(reader, "body", name);
  int found = -1, count = 0;
  for (int i = 1; i < reader->items[0].end; i = reader->items[i].end) {
    if (strcmp(reader->items[i].element->name, "body") != 0) continue;
    found = i;
    count++;
  }
  if (count <= 1) return found;
  pl_error error;
  pl_fail(&error, PL_E_ARGUMENT, "there are %d bodies; say which one with body=\"...\"", count);
  pl_reader_report_at(reader, probe, &error);
  return -1;
}

static void build_probe(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  pl_error error;
  int body = body_of(reader, index);
  if (body < 0 || !reader->items[body].body.index1) return;
  pl_probe_def def = pl_probe_def_default();
  def.name = pl_item_name(item);
  def.body = reader->items[body].body;
  def.quantity = pl_item_text(item, "quantity");
  pl_item_numbers(item, "at", def.at);
  pl_probe_id probe;
  report_if(reader, index, pl_world_add_probe(scene->world, &def, &probe, &error), &error);
}

static void build_output(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  const pl_attribute *row = pl_attribute_find(item->element, "format");
  const pl_member *format = pl_attribute_member(row, pl_item_text(item, "format"));
  scene->outputs[scene->output_count++] =
      (pl_output){pl_item_number(item, "every"), format ? format->name : ""};
}

static void build_outputs(pl_reader *reader, pl_scene *scene)
{
  scene->outputs =
      pl_alloc(&scene->allocator, (size_t)reader->item_count, sizeof *scene->outputs);
  if (scene->outputs) {
    each(reader, scene, "output", build_output);
    return;
  }
  pl_error error;
  pl_fail_memory(&error);
  pl_reader_report(reader, &error);
}

static int are_parallel(const double a[3], const double b[3])
{
  double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double ab = hypot(hypot(a[0], a[1]), a[2]) * hypot(hypot(b[0], b[1]), b[2]);
  return hypot(hypot(c[0], c[1]), c[2]) < 1e-6 * ab;
}

static void build_view(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  pl_item_numbers(item, "direction", scene->view.direction);
  pl_item_numbers(item, "up", scene->view.up);
  if (are_parallel(scene->view.direction, scene->view.up)) {
    pl_error error;
    pl_fail(&error, PL_E_ARGUMENT, "direction and up are parallel; turn one of them");
    pl_reader_report_at(reader, index, &error);
  }
}
