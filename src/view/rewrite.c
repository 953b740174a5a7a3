#include "view/rewrite.h"

#include "core/error.h"
#include "core/file.h"
#include "couple/fix.h"
#include "scene/reader.h"
#include "view/describe.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20, NAME_ROOM = 256 };

typedef struct writer {
  const pl_world *world;
  int first_fix;
  pl_text *out;
} writer;

/* ---- values as text ---- */

static void add_numbers(pl_text *out, const double *values, int count)
{
  for (int k = 0; k < count; k++) {
    if (k) pl_text_add(out, " ");
    pl_text_number(out, values[k]);
  }
}

static void add_value(pl_text *out, const pl_param *param, const double *value)
{
  const char *word = param->words;
  if (!word) {
    add_numbers(out, value, pl_param_width(param));
    return;
  }
  for (int k = 0; k < (int)value[0]; k++) word += strcspn(word, "|") + 1;
  pl_text_add(out, "%.*s", (int)strcspn(word, "|"), word);
}

/* ' name="value"' for each parameter that is not as preset. */
static void add_part(pl_text *out, const pl_part *part)
{
  double presets[PL_MOST_VALUES];
  pl_param_presets(part->member, presets);
  for (int i = 0; i < part->member->param_count; i++) {
    const pl_param *param = &part->member->params[i];
    int place = pl_param_place(part->member, i);
    size_t size = (size_t)pl_param_width(param) * sizeof(double);
    if (isnan(part->values[place])) continue;
    if (memcmp(part->values + place, presets + place, size) == 0) continue;
    pl_text_add(out, " %s=\"", param->name);
    add_value(out, param, part->values + place);
    pl_text_add(out, "\"");
  }
}

/* ---- materials ---- */

/* ' law="..." young="..." ...' of a body. */
static void add_material(pl_text *out, const pl_body *body)
{
  pl_material_def def = body->material;
  pl_text_add(out, " law=\"%s\"", body->law.member->name);
  add_part(out, &body->law);
  const pl_attribute *row = pl_element_child(&pl_scene_root, "material")->attributes;
  for (; row->param.name; row++) {
    const double *number = pl_material_number(&def, row->param.name);
    double preset;
    if (!number || (row->preset && pl_parse_double(row->preset, &preset) && preset == *number))
      continue;
    pl_text_add(out, " %s=\"", row->param.name);
    pl_text_number(out, *number);
    pl_text_add(out, "\"");
  }
}

static int is_same_material(const pl_body *a, const pl_body *b)
{
  pl_text texts[2] = {pl_text_make(NULL), pl_text_make(NULL)};
  add_material(&texts[0], a);
  add_material(&texts[1], b);
  int same = !texts[0].failed && !texts[1].failed && strcmp(texts[0].data, texts[1].data) == 0;
  for (int i = 0; i < 2; i++) pl_text_release(&texts[i]);
  return same;
}

static const pl_body *find_body(const pl_world *world, const char *name)
{
  for (size_t b = 0; name && b < world->bodies.count; b++) {
    if (strcmp(world->bodies.list[b].name, name) == 0) return &world->bodies.list[b];
  }
  return NULL;
}

/* The first body of a material. */
static const pl_body *owner_of(const writer *to, const pl_xml_node *root, const char *material)
{
  for (const pl_xml_node *node = pl_xml_child(root, "body"); node;
       node = pl_xml_next(node, "body")) {
    const char *name = pl_xml_attribute(node, "material");
    if (name && material && strcmp(name, material) == 0)
      return find_body(to->world, pl_xml_attribute(node, "name"));
  }
  return NULL;
}

/* Bodies that shared a material and were given other values get one of their own. */
static pl_status part_materials(const writer *to, pl_xml_node *root, pl_error *error)
{
  pl_status status = PL_OK;
  for (pl_xml_node *node = pl_xml_child(root, "body"); node && !status;
       node = pl_xml_next(node, "body")) {
    const char *material = pl_xml_attribute(node, "material");
    const pl_body *body = find_body(to->world, pl_xml_attribute(node, "name"));
    const pl_body *owner = owner_of(to, root, material);
    if (!body || !owner || body == owner || is_same_material(body, owner)) continue;
    char name[NAME_ROOM];
    pl_print(name, sizeof name, "%.120s-%.120s", material, body->name);
    pl_text_add(to->out, "  <material name=\"");
    pl_text_xml(to->out, name);
    pl_text_add(to->out, "\"");
    add_material(to->out, body);
    pl_text_add(to->out, "/>\n");
    status = pl_xml_set(node, "material", name, error);
  }
  return status;
}

/* ---- elements ---- */

/* The nodes that were pinned by hand, each where it is held. */
static void add_pins(const writer *to, const pl_body *body)
{
  const pl_world *world = to->world;
  int number = 0;
  for (const pl_coupling *at = NULL;
       (at = pl_couplings_next(&world->couplings, &pl_coupling_fix, at)) != NULL;) {
    const pl_fix *fix = (const pl_fix *)at;
    if (number++ < to->first_fix || &world->bodies.list[at->acts_on[0]] != body) continue;
    for (int i = 0; i < fix->count; i++) {
      const double *rest = body->rest + 3 * (size_t)pl_body_anchor(body, fix->nodes[i]);
      double target[3];
      pl_fix_target(fix, rest, world->state.time, target);
      for (int k = 0; k < 3; k++) target[k] -= rest[k];
      pl_text_add(to->out, "    <move translation=\"");
      add_numbers(to->out, target, 3);
      pl_text_add(to->out, "\"><sphere centre=\"");
      add_numbers(to->out, rest, 3);
      pl_text_add(to->out, "\" radius=\"0\"/></move>\n");
    }
  }
}

static void add_methods(const writer *to)
{
  const pl_world *world = to->world;
  pl_text_add(to->out, "  <integrator method=\"%s\"", world->set.integrator.member->name);
  add_part(to->out, &world->set.integrator);
  pl_text_add(to->out, "/>\n  <solver method=\"%s\" preconditioner=\"%s\"",
              world->set.solver.member->name, world->set.preconditioner.member->name);
  add_part(to->out, &world->set.solver);
  add_part(to->out, &world->set.preconditioner);
  pl_text_add(to->out, "/>\n");
}

/* What stands in the root: materials and bodies as they are now, all else as it was. */
static void add_element(const writer *to, const pl_xml_node *root, const pl_xml_node *node)
{
  const char *name = pl_xml_name(node), *own = pl_xml_attribute(node, "name");
  const pl_body *body = strcmp(name, "body") == 0 ? find_body(to->world, own) : NULL;
  const pl_body *owner = strcmp(name, "material") == 0 ? owner_of(to, root, own) : NULL;
  const pl_xml_node *child = pl_xml_child(node, NULL);
  if (!body && !owner) {
    pl_xml_print(node, 1, to->out);
    return;
  }
  pl_text_add(to->out, "  <%s", name);
  if (owner) {
    pl_text_add(to->out, " name=\"");
    pl_text_xml(to->out, own);
    pl_text_add(to->out, "\"");
    add_material(to->out, owner);
  } else {
    pl_xml_print_attributes(node, to->out);
  }
  pl_text_add(to->out, ">\n");
  for (; child; child = pl_xml_next(child, NULL)) pl_xml_print(child, 2, to->out);
  if (body) add_pins(to, body);
  pl_text_add(to->out, "  </%s>\n", name);
}

static pl_status set_numbers(pl_xml_node *node, const char *name, const double *values, int count,
                             pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  add_numbers(&text, values, count);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_xml_set(node, name, text.data, error);
  pl_text_release(&text);
  return status;
}

static pl_status set_world(const writer *to, pl_xml_node *root, const char *start, pl_error *error)
{
  pl_xml_node *node = pl_xml_child(root, "world");
  double budget = to->world->set.budget, halvings = to->world->set.halvings;
  pl_status status = set_numbers(node, "dt", &to->world->set.dt, 1, error);
  if (!status) status = set_numbers(node, "gravity", to->world->gravity, 3, error);
  if (!status) status = set_numbers(node, "budget", &budget, 1, error);
  if (!status) status = set_numbers(node, "halvings", &halvings, 1, error);
  if (!status) status = set_numbers(node, "tolerance", &to->world->set.tolerance, 1, error);
  return status ? status : pl_xml_set(node, "start", start, error);
}

static pl_status write_document(const writer *to, const pl_scene_def *def, pl_xml_node *root,
                                const char *start, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < def->change_count && !status; i++)
    status = pl_scene_change(root, def->changes[i], error);
  if (!status && !pl_xml_child(root, "world"))
    status = pl_fail(error, PL_E_ARGUMENT, "the scene's file has changed and has no <world>");
  if (!status) status = set_world(to, root, start, error);
  if (status) return status;
  pl_text_add(to->out, "<%s", pl_xml_name(root));
  pl_xml_print_attributes(root, to->out);
  pl_text_add(to->out, ">\n");
  status = part_materials(to, root, error);
  for (const pl_xml_node *node = pl_xml_child(root, NULL); node; node = pl_xml_next(node, NULL)) {
    int is_method =
        strcmp(pl_xml_name(node), "integrator") == 0 || strcmp(pl_xml_name(node), "solver") == 0;
    if (!is_method) add_element(to, root, node);
    if (strcmp(pl_xml_name(node), "world") == 0) add_methods(to);
  }
  pl_text_add(to->out, "</%s>\n", pl_xml_name(root));
  return status ? status : pl_text_ok(to->out, error);
}

pl_status pl_rewrite_scene(const pl_scene_def *def, const pl_world *world, int first_fix,
                           const char *start, pl_text *out, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  pl_xml *document = NULL;
  pl_status status = pl_file_read(&allocator, def->path, MOST_BYTES, &bytes, error);
  if (status) return status;
  writer to = {world, first_fix, out};
  status = pl_xml_parse(bytes.data, bytes.size, def->path, &document, error);
  if (!status) status = write_document(&to, def, pl_xml_root(document), start, error);
  pl_xml_destroy(document);
  pl_bytes_free(&allocator, &bytes);
  return status;
}
