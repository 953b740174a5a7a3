#include "view/describe.h"

#include "core/family.h"
#include "core/file.h"
#include "couple/contact.h"
#include "couple/response.h"
#include "haptic/haptic.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- pieces of JSON ---- */

static void begin(pl_text *out, const char *type)
{
  out->size = 0;
  out->failed = 0;
  pl_text_add(out, "{\"type\":\"%s\"", type);
}

static void add_number(pl_text *out, double value)
{
  if (isfinite(value))
    pl_text_number(out, value);
  else
    pl_text_add(out, "null");
}

static void add_string(pl_text *out, const char *text)
{
  pl_text_add(out, "\"");
  pl_text_json(out, text ? text : "");
  pl_text_add(out, "\"");
}

/* ,"key":"text" */
static void text_pair(pl_text *out, const char *key, const char *text)
{
  pl_text_add(out, ",\"%s\":", key);
  add_string(out, text);
}

static void number_pair(pl_text *out, const char *key, double value)
{
  pl_text_add(out, ",\"%s\":", key);
  add_number(out, value);
}

static void numbers_pair(pl_text *out, const char *key, const double *values, int count)
{
  pl_text_add(out, ",\"%s\":[", key);
  for (int i = 0; i < count; i++) {
    if (i) pl_text_add(out, ",");
    add_number(out, values[i]);
  }
  pl_text_add(out, "]");
}

/* ---- families ---- */

static void add_words(pl_text *out, const char *words)
{
  pl_text_add(out, ",\"words\":[");
  for (int i = 0; *words; i++) {
    size_t length = strcspn(words, "|");
    pl_text_add(out, "%s\"%.*s\"", i ? "," : "", (int)length, words);
    words += length + (words[length] == '|');
  }
  pl_text_add(out, "]");
}

static void add_param(pl_text *out, const pl_param *param, int is_first)
{
  pl_text_add(out, is_first ? "{\"name\":" : ",{\"name\":");
  add_string(out, param->name);
  text_pair(out, "unit", param->unit);
  text_pair(out, "summary", param->summary);
  number_pair(out, "preset", param->preset);
  number_pair(out, "min", param->min);
  number_pair(out, "max", param->max);
  number_pair(out, "width", pl_param_width(param));
  if (param->words) add_words(out, param->words);
  pl_text_add(out, "}");
}

static void add_family(pl_text *out, const pl_family *family, int is_first)
{
  pl_text_add(out, is_first ? "\"%s\":[" : ",\"%s\":[", family->name);
  for (int i = 0; family->members[i]; i++) {
    const pl_member *member = family->members[i];
    pl_text_add(out, i ? ",{\"name\":" : "{\"name\":");
    add_string(out, member->name);
    text_pair(out, "summary", member->summary);
    text_pair(out, "source", member->source);
    if (member->missing) text_pair(out, "missing", member->missing);
    pl_text_add(out, ",\"params\":[");
    for (int k = 0; k < member->param_count; k++) add_param(out, &member->params[k], k == 0);
    pl_text_add(out, "]}");
  }
  pl_text_add(out, "]");
}

/* The element's own attributes that are numbers. */
static void add_attributes(pl_text *out, const char *key, const char *element)
{
  const pl_attribute *row = pl_element_child(&pl_scene_root, element)->attributes;
  pl_text_add(out, ",\"%s\":[", key);
  for (int count = 0; row->param.name; row++) {
    if (row->family || row->refers || !(row->param.max > row->param.min)) continue;
    add_param(out, &row->param, count++ == 0);
  }
  pl_text_add(out, "]");
}

static void add_values(pl_text *out, const pl_selection *part)
{
  const pl_member *member = part->member;
  pl_text_add(out, "{\"name\":");
  add_string(out, member->name);
  pl_text_add(out, ",\"values\":{");
  for (int i = 0; i < member->param_count; i++) {
    const pl_param *param = &member->params[i];
    const double *value = part->values + pl_param_place(member, i);
    pl_text_add(out, i ? ",\"%s\":" : "\"%s\":", param->name);
    int width = pl_param_width(param);
    if (width > 1) pl_text_add(out, "[");
    for (int k = 0; k < width; k++) {
      if (k) pl_text_add(out, ",");
      add_number(out, value[k]);
    }
    if (width > 1) pl_text_add(out, "]");
  }
  pl_text_add(out, "}");
}

/* ---- the scene ---- */

static void add_bodies(pl_text *out, const pl_session *session)
{
  pl_text_add(out, ",\"bodies\":[");
  for (int i = 0; i < session->surface.part_count; i++) {
    const pl_surface_part *part = &session->surface.parts[i];
    const pl_mesh *mesh = pl_world_body_mesh(session->world, part->body);
    pl_text_add(out, i ? ",{\"name\":" : "{\"name\":");
    add_string(out, pl_world_body_name(session->world, part->body));
    pl_text_add(out, ",\"vertices\":[%d,%d],\"triangles\":[%d,%d],\"edges\":[%d,%d]",
                part->first_vertex, part->vertices, part->first_triangle, part->triangles,
                part->first_edge, part->edges);
    const double *colour = pl_scene_colour_of(session->scene, part->body);
    if (colour) numbers_pair(out, "colour", colour, 3);
    pl_text_add(out, ",\"nodes\":%d,\"elements\":%d,\"shape\":\"%s\"}", pl_mesh_node_count(mesh),
                pl_mesh_element_count(mesh), pl_mesh_shape_name(mesh));
  }
  pl_text_add(out, "]");
}

static void add_gauge(pl_text *out, const char *chart, const char *name, const char *unit)
{
  pl_text_add(out, out->data[out->size - 1] == '[' ? "{\"chart\":" : ",{\"chart\":");
  add_string(out, chart);
  text_pair(out, "name", name);
  text_pair(out, "unit", unit);
  pl_text_add(out, "}");
}

/* In the order of pl_session_gauge. */
static void add_gauges(pl_text *out, const pl_session *session)
{
  static const char *const axes[] = {" x", " y", " z"};
  pl_text_add(out, ",\"gauges\":[");
#define X(chart, name, unit) add_gauge(out, chart, name, unit);
  PL_GAUGES(X)
#undef X
  int count = PL_GAUGE_COUNT;
  for (int i = 0; i < pl_world_probe_count(session->world); i++) {
    pl_probe_id probe = pl_world_probe_at(session->world, i);
    int width = pl_world_probe_width(session->world, probe);
    for (int k = 0; k < width && count < PL_MOST_GAUGES; k++, count++) {
      char name[160];
      pl_print(name, sizeof name, "%.150s%s", pl_world_probe_name(session->world, probe),
               width > 1 ? axes[k] : "");
      add_gauge(out, pl_world_probe_name(session->world, probe), name,
                pl_world_probe_unit(session->world, probe));
    }
  }
  pl_text_add(out, "]");
}

static void add_tints(pl_text *out)
{
  pl_text_add(out, ",\"tints\":[");
#define X(id, name, unit, summary)                                                                 \
  pl_text_add(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"summary\":\"%s\"}",                       \
              PL_TINT_##id ? "," : "", name, unit, summary);
  PL_TINTS(X)
#undef X
  pl_text_add(out, "]");
}

static void add_arrows(pl_text *out)
{
  pl_text_add(out, ",\"arrows\":[");
#define X(id, name, unit, summary)                                                                 \
  pl_text_add(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"summary\":\"%s\"}",                       \
              PL_ARROWS_##id ? "," : "", name, unit, summary);
  PL_ARROWS(X)
#undef X
  pl_text_add(out, "]");
}

/* The triangles of a shape in its own axes; a plane is drawn by the page. */
static void add_surface(pl_text *out, const pl_shape *shape)
{
  const pl_drawing_view view = {.reach = 1000};
  pl_drawing drawing = pl_drawing_make(&out->allocator);
  if (!shape->ops->is_flat && !pl_shape_draw(shape, &view, &drawing, NULL)) {
    pl_text_add(out, ",\"points\":[");
    for (size_t i = 0; i < 3 * drawing.point_count; i++)
      pl_text_add(out, "%s%.6g", i ? "," : "", drawing.points[i]);
    pl_text_add(out, "],\"triangles\":[");
    for (size_t i = 0; i < 3 * drawing.triangle_count; i++)
      pl_text_add(out, "%s%d", i ? "," : "", drawing.triangles[i]);
    pl_text_add(out, "]");
  }
  pl_drawing_release(&drawing);
}

/* The tool of the scene's hand where it has a shape of its own. */
static void add_tool(pl_text *out, const pl_shape *shape)
{
  if (!shape) return;
  pl_text_add(out, ",\"tool\":{\"shape\":\"%s\"", shape->ops->info.name);
  add_surface(out, shape);
  pl_text_add(out, "}");
}

/* Where the pointer is the device of the scene's hand: how large its tool is, and is drawn, m. */
static void add_pointed(pl_text *out, pl_haptic *hand)
{
  pl_haptic_facts facts;
  if (!hand) return;
  pl_haptic_read(hand, &facts);
  pl_text_add(out, ",\"pointed\":{\"radius\":%.6g,\"drawn\":%.6g}", facts.radius,
              pl_haptic_drawn_radius(hand));
}

/* Each with its shape's values. */
static void add_obstacles(pl_text *out, const pl_world *world)
{
  pl_text_add(out, ",\"obstacles\":[");
  const pl_contact *contact = pl_world_contact(world);
  for (size_t i = 0; contact && i < contact->count; i++) {
    if (i) pl_text_add(out, ",");
    add_values(out, &contact->obstacles[i].shape->part);
    text_pair(out, "label", contact->obstacles[i].name);
    add_surface(out, contact->obstacles[i].shape);
    pl_text_add(out, "}");
  }
  pl_text_add(out, "]");
}

void pl_describe_scene(pl_text *out, const pl_session *session)
{
  const pl_view *view = pl_scene_view(session->scene);
  begin(out, "scene");
  number_pair(out, "number", session->scene_number);
  number_pair(out, "entry", session->file.entry);
  text_pair(out, "title", pl_scene_title(session->scene));
  text_pair(out, "file", pl_path_name(pl_gallery_path(session->gallery, session->file.entry)));
  text_pair(out, "version", pl_version());
  number_pair(out, "duration", pl_scene_duration(session->scene));
  numbers_pair(out, "direction", view->direction, 3);
  numbers_pair(out, "up", view->up, 3);
  add_bodies(out, session);
  add_gauges(out, session);
  add_tints(out);
  add_arrows(out);
  add_obstacles(out, session->world);
  add_tool(out, pl_haptic_tool(pl_scene_hand(session->scene)));
  add_pointed(out, pl_session_pointed(session));
  pl_text_add(out, ",\"families\":{");
  const pl_family *families[] = {&pl_integrator_family,     &pl_solver_family,
                                 &pl_preconditioner_family, &pl_law_family,
                                 &pl_model_family,          &pl_response_family};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    add_family(out, families[i], i == 0);
  pl_text_add(out, "}");
  add_attributes(out, "world", "world");
  add_attributes(out, "material", "material");
  add_attributes(out, "contact", "contact");
  add_attributes(out, "obstacle", "obstacle");
  pl_text_add(out, "}");
}

/* ---- the state ---- */

double *pl_material_number(pl_material_def *def, const char *name)
{
  const struct {
    const char *name;
    double *number;
  } rows[] = {{"density", &def->density},
              {"viscous-lambda", &def->viscous_lambda},
              {"viscous-mu", &def->viscous_mu},
              {"stiffness-damping", &def->stiffness_damping},
              {"mass-damping", &def->mass_damping}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, name) == 0) return rows[i].number;
  }
  return NULL;
}

double *pl_contact_number(pl_contact_def *def, const char *name)
{
  const struct {
    const char *name;
    double *number;
  } rows[] = {{"friction", &def->friction},
              {"range", &def->range},
              {"stiffness", &def->stiffness},
              {"passes", &def->passes}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, name) == 0) return rows[i].number;
  }
  return NULL;
}

double *pl_obstacle_number(pl_obstacle *of, const char *name)
{
  if (strcmp(name, "friction") == 0) return &of->friction;
  if (strcmp(name, "static-friction") == 0) return &of->static_friction;
  return strcmp(name, "restitution") == 0 ? &of->restitution : NULL;
}

/* How bodies touch: what was chosen, and what all obstacles' surfaces have. */
static void add_contact(pl_text *out, const pl_world *world)
{
  const pl_contact *contact = pl_world_contact(world);
  pl_text_add(out, ",\"contact\":");
  add_values(out, &world->response);
  pl_text_add(out, ",\"numbers\":{\"friction\":");
  add_number(out, world->contact.friction);
  number_pair(out, "range", world->contact.range);
  number_pair(out, "stiffness", world->contact.stiffness);
  number_pair(out, "passes", world->contact.passes);
  pl_text_add(out, "}},\"obstacles\":[");
  for (size_t i = 0; contact && i < contact->count; i++) {
    const pl_obstacle *of = &contact->obstacles[i];
    pl_text_add(out, "%s{\"friction\":", i ? "," : "");
    add_number(out, of->friction);
    number_pair(out, "static-friction", of->static_friction);
    number_pair(out, "restitution", of->restitution);
    pl_text_add(out, "}");
  }
  pl_text_add(out, "]");
}

static void add_models(pl_text *out, const pl_world *world)
{
  pl_text_add(out, ",\"models\":[");
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (b) pl_text_add(out, ",");
    add_values(out, &world->bodies.list[b].model_part);
    pl_text_add(out, "}");
  }
  pl_text_add(out, "]");
}

static void add_materials(pl_text *out, const pl_world *world)
{
  const pl_attribute *rows = pl_element_child(&pl_scene_root, "material")->attributes;
  pl_text_add(out, ",\"materials\":[");
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    pl_material_def def = body->material;
    if (b) pl_text_add(out, ",");
    add_values(out, &body->law);
    text_pair(out, "body", body->name);
    pl_text_add(out, ",\"numbers\":{");
    for (int i = 0, count = 0; rows[i].param.name; i++) {
      const double *number = pl_material_number(&def, rows[i].param.name);
      if (!number) continue;
      pl_text_add(out, count++ ? ",\"%s\":" : "\"%s\":", rows[i].param.name);
      add_number(out, *number);
    }
    pl_text_add(out, "}}");
  }
  pl_text_add(out, "]");
}

static const char *const glyph_names[PL_GLYPHS_COUNT] = {"none",   "frames", "stress", "strain",
                                                         "fibres", "forces", "fixes"};

void pl_describe_state(pl_text *out, const pl_session *session)
{
  const pl_world *world = session->world;
  begin(out, "state");
  number_pair(out, "scene", session->scene_number);
  pl_text_add(out, ",\"playing\":%s", session->run.playing ? "true" : "false");
  number_pair(out, "speed", session->run.speed);
  text_pair(out, "pace", session->run.free_pace ? "free" : "real");
  text_pair(out, "tint", pl_tint_names[session->show.tint]);
  text_pair(out, "arrows", pl_arrows_names[session->show.arrows]);
  pl_text_add(out, ",\"locals\":%s", session->show.glyphs == PL_GLYPHS_FRAMES ? "true" : "false");
  text_pair(out, "glyphs", glyph_names[session->show.glyphs]);
  pl_text_add(out, ",\"contacts\":%s", session->show.contacts ? "true" : "false");
  pl_text_add(out, ",\"replaying\":%s", session->file.replaying ? "true" : "false");
  number_pair(out, "strength", session->hand.strength);
  pl_text_add(out, ",\"world\":{\"dt\":");
  add_number(out, world->set.dt);
  numbers_pair(out, "gravity", world->gravity, 3);
  number_pair(out, "budget", world->set.budget);
  number_pair(out, "halvings", world->set.halvings);
  number_pair(out, "tolerance", world->set.tolerance);
  number_pair(out, "duration", pl_scene_duration(session->scene));
  pl_text_add(out, "},\"integrator\":");
  add_values(out, &world->set.integrator);
  pl_text_add(out, "},\"solver\":");
  add_values(out, &world->set.solver);
  pl_text_add(out, "},\"preconditioner\":");
  add_values(out, &world->set.preconditioner);
  pl_text_add(out, "}");
  add_models(out, world);
  add_materials(out, world);
  add_contact(out, world);
  pl_text_add(out, "}");
}

/* ---- what went wrong ---- */

void pl_describe_notices(pl_text *out, const pl_session *session)
{
  begin(out, "notices");
  pl_text_add(out, ",\"run\":%lld,\"notices\":[", (long long)session->notices.started);
  uint32_t count = session->notices.count;
  uint32_t first = count > PL_MOST_NOTICES ? count - PL_MOST_NOTICES : 0;
  for (uint32_t i = first; i < count; i++) {
    const pl_notice *notice = &session->notices.list[i % PL_MOST_NOTICES];
    pl_text_add(out, "%s{\"number\":%u,\"error\":%s", i > first ? "," : "", notice->number,
                notice->is_error ? "true" : "false");
    text_pair(out, "text", notice->text);
    pl_text_add(out, "}");
  }
  pl_text_add(out, "]}");
}

void pl_describe_begin_errors(pl_text *out, uint32_t number, const char *file)
{
  begin(out, "broken");
  number_pair(out, "number", number);
  text_pair(out, "file", file);
  pl_text_add(out, ",\"errors\":[");
}

void pl_describe_error(pl_text *out, int before, const pl_error *error)
{
  pl_text_add(out, before ? ",{\"line\":%d" : "{\"line\":%d", error->line);
  text_pair(out, "file", error->source);
  text_pair(out, "message", error->message);
  pl_text_add(out, "}");
}

void pl_describe_end_errors(pl_text *out) { pl_text_add(out, "]}"); }
