#include "view/rewrite.h"

#include "core/error.h"
#include "core/file.h"
#include "couple/contact.h"
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
static void add_part(pl_text *out, const pl_selection *part)
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

/* ---- models, obstacles, contact ---- */

static int is_of_models(const char *name)
{
  if (strcmp(name, "model") == 0) return 1;
  for (int i = 0; pl_model_family.members[i]; i++) {
    if (pl_param_find(pl_model_family.members[i], name) >= 0) return 1;
  }
  return 0;
}

/* The element's attributes but for those that are written with their present values. */
static void keep_attributes(const pl_xml_node *node, int (*is_written)(const char *), pl_text *out)
{
  for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair)) {
    if (is_written(pl_xml_pair_name(pair))) continue;
    pl_text_add(out, " %s=\"", pl_xml_pair_name(pair));
    pl_text_xml(out, pl_xml_pair_value(pair));
    pl_text_add(out, "\"");
  }
}

static void add_body_attributes(const pl_xml_node *node, const pl_body *body, pl_text *out)
{
  keep_attributes(node, is_of_models, out);
  pl_text_add(out, " model=\"%s\"", body->model_part.member->name);
  add_part(out, &body->model_part);
}

static const char *const surface_names[] = {"friction", "static-friction", "restitution"};

static int is_of_surface(const char *name)
{
  for (int i = 0; i < 3; i++) {
    if (strcmp(surface_names[i], name) == 0) return 1;
  }
  return 0;
}

static void add_obstacle_attributes(const pl_xml_node *node, const pl_obstacle *obstacle,
                                    pl_text *out)
{
  pl_obstacle of = *obstacle;
  keep_attributes(node, is_of_surface, out);
  for (int i = 0; i < 3; i++) {
    pl_text_add(out, " %s=\"", surface_names[i]);
    pl_text_number(out, *pl_obstacle_number(&of, surface_names[i]));
    pl_text_add(out, "\"");
  }
}

/* The obstacle that this element stands for: they are made in the file's order. */
static const pl_obstacle *find_obstacle(const writer *to, const pl_xml_node *root,
                                        const pl_xml_node *node)
{
  const pl_contact *contact = pl_world_contact(to->world);
  size_t index = 0;
  if (strcmp(pl_xml_name(node), "obstacle") != 0) return NULL;
  for (const pl_xml_node *at = pl_xml_child(root, "obstacle"); at && at != node;
       at = pl_xml_next(at, "obstacle"))
    index++;
  return contact && index < contact->count ? &contact->obstacles[index] : NULL;
}

static void add_contact(const writer *to)
{
  static const char *const names[] = {"friction", "range", "stiffness", "passes"};
  pl_contact_def def = to->world->contact;
  pl_text_add(to->out, "  <contact bodies=\"%s\" response=\"%s\"",
              def.between_bodies ? "apart" : "through", to->world->response.member->name);
  add_part(to->out, &to->world->response);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    pl_text_add(to->out, " %s=\"", names[i]);
    pl_text_number(to->out, *pl_contact_number(&def, names[i]));
    pl_text_add(to->out, "\"");
  }
  pl_text_add(to->out, "/>\n");
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
  add_contact(to);
}

/* What stands in the root: materials, bodies and obstacles as they are now, all else as it was. */
static void add_element(const writer *to, const pl_xml_node *root, const pl_xml_node *node)
{
  const char *name = pl_xml_name(node), *own = pl_xml_attribute(node, "name");
  const pl_body *body = strcmp(name, "body") == 0 ? find_body(to->world, own) : NULL;
  const pl_body *owner = strcmp(name, "material") == 0 ? owner_of(to, root, own) : NULL;
  const pl_obstacle *obstacle = find_obstacle(to, root, node);
  const pl_xml_node *child = pl_xml_child(node, NULL);
  if (!body && !owner && !obstacle) {
    pl_xml_print(node, 1, to->out);
    return;
  }
  pl_text_add(to->out, "  <%s", name);
  if (owner) {
    pl_text_add(to->out, " name=\"");
    pl_text_xml(to->out, own);
    pl_text_add(to->out, "\"");
    add_material(to->out, owner);
  } else if (body) {
    add_body_attributes(node, body, to->out);
  } else {
    add_obstacle_attributes(node, obstacle, to->out);
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
    const char *name = pl_xml_name(node);
    int is_method = strcmp(name, "integrator") == 0 || strcmp(name, "solver") == 0 ||
                    strcmp(name, "contact") == 0;
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
  status = pl_xml_parse(bytes.data, bytes.size, def->path, &allocator, &document, error);
  if (!status) status = write_document(&to, def, pl_xml_root(document), start, error);
  pl_xml_destroy(document);
  pl_bytes_free(&allocator, &bytes);
  return status;
}
