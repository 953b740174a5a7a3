/* What acts on the bodies of a scene: fixes, loads, pulls, rigid parts, attachments, contact. */
#include "core/error.h"
#include "core/family.h"
#include "couple/effect.h"
#include "couple/link.h"
#include "couple/load.h"
#include "mesh/mesh.h"
#include "mesh/select.h"
#include "pliant/world.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "scene/value.h"

#include <math.h>
#include <string.h>

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
const pl_selector *pl_reader_regions(pl_reader *reader, int index, int *count)
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
      pl_reader_failed(reader, inside, check_region(&regions[i].region, &error), &error);
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

static pl_status add_effect(pl_reader *reader, pl_world *world, pl_body_id body,
                            const pl_item *item, pl_error *error)
{
  pl_choice choice = pl_item_choice(reader, item, 0);
  if (reader->stopped || !body.index1) return PL_OK;
  return pl_world_add_effect(world, body, &choice, NULL, error);
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
  def.max_force = pl_item_number(item, "max-force");
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

/* Was it made together with the body? */
static int belongs_to_def(const pl_item *item)
{
  static const char *const names[] = {"frame",  "part",   "map",  "particle",
                                      "refine", "crease", "curve"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (pl_item_is(item, names[i])) return 1;
  }
  return 0;
}

/* Does it need another body, which may stand after its own? */
static int joins_bodies(const pl_item *item)
{
  return pl_item_is(item, "attach") || item->element->family == &pl_link_family;
}

/* Fixes and loads of a body, which is zero where it could not be built. */
void pl_reader_build_acts(pl_reader *reader, pl_world *world, int index, pl_body_id body,
                          const pl_mesh *mesh)
{
  const pl_item *items = reader->items;
  for (int i = index + 1; i < items[index].end && !reader->stopped; i = items[i].end) {
    int count = 0;
    pl_error error;
    pl_status status;
    if (belongs_to_def(&items[i]) || joins_bodies(&items[i])) continue;
    int is_effect = items[i].element->family == &pl_effect_family;
    if (is_effect || pl_item_is(&items[i], "pull")) {
      if (items[i].bad) continue;
      status = is_effect ? add_effect(reader, world, body, &items[i], &error)
                         : add_pull(reader, world, body, &items[i], mesh, &error);
      pl_reader_failed(reader, i, status, &error);
      continue;
    }
    const pl_selector *where = pl_reader_regions(reader, i, &count);
    if (!where) continue;
    if (!body.index1)
      status = try_regions(reader, &items[i], mesh, where, count, &error);
    else if (pl_item_is(&items[i], "rigid"))
      status = add_rigid(world, body, &items[i], where, count, &error);
    else if (items[i].element->family)
      status = add_load(reader, world, body, &items[i], where, count, &error);
    else
      status = add_fix(reader, world, body, &items[i], where, count, &error);
    pl_reader_failed(reader, i, status, &error);
  }
}

static void add_attachment(pl_reader *reader, pl_world *world, pl_body_id body, int index)
{
  const pl_item *item = &reader->items[index];
  const char *to = pl_item_text(item, "to"), *at = pl_item_text(item, "obstacle");
  int other = to ? pl_reader_find(reader, "body", to) : -1, count;
  int obstacle = at ? pl_reader_find(reader, "obstacle", at) : -1;
  const pl_selector *where = pl_reader_regions(reader, index, &count);
  if ((to && other < 0) || (at && obstacle < 0) || !where) return;
  pl_attachment_def def = pl_attachment_def_default();
  double frame = 0, to_frame = 0; // counted from 1
  pl_error error;
  if (!to && !at) {
    pl_reader_failed(
        reader, index,
        pl_fail(&error, PL_E_ARGUMENT, "attached to nothing; give to, another body, or obstacle"),
        &error);
    return;
  }
  pl_item_numbers(item, "frame", &frame);
  pl_item_numbers(item, "to-frame", &to_frame);
  pl_item_numbers(item, "arm", &def.arm);
  if (to) def.to = reader->items[other].body;
  if (at) def.obstacle = reader->items[obstacle].obstacle;
  def.slides = strcmp(pl_item_text(item, "slide"), "yes") == 0;
  def.where = where;
  def.where_count = count;
  def.frame = (int)frame - 1;
  def.to_frame = (int)to_frame - 1;
  def.stiffness = pl_item_number(item, "stiffness");
  def.damping = pl_item_number(item, "damping");
  def.breaking = pl_item_number(item, "breaking");
  def.exact = strcmp(pl_item_text(item, "exact"), "yes") == 0;
  if (body.index1 && (def.to.index1 || def.obstacle.index1))
    pl_reader_failed(reader, index, pl_world_add_attachment(world, body, &def, NULL, &error),
                     &error);
}

static void add_link(pl_reader *reader, pl_world *world, pl_body_id body, int index)
{
  const pl_item *item = &reader->items[index];
  int other = pl_reader_find(reader, "body", pl_item_text(item, "to"));
  pl_choice choice = pl_item_choice(reader, item, 0);
  pl_error error;
  if (other < 0 || reader->stopped || !body.index1 || !reader->items[other].body.index1) return;
  pl_reader_failed(reader, index,
                   pl_world_add_link(world, body, reader->items[other].body, &choice, NULL, &error),
                   &error);
}

/* What a body is attached or linked to may stand after it. */
void pl_reader_build_attachments(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *items = reader->items;
  for (int i = index + 1; i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!joins_bodies(&items[i]) || items[i].bad) continue;
    if (items[i].element->family)
      add_link(reader, scene->world, items[index].body, i);
    else
      add_attachment(reader, scene->world, items[index].body, i);
  }
}

void pl_reader_build_contact(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_contact_def def = pl_contact_def_default();
  pl_error error;
  def.between_bodies = strcmp(pl_item_text(item, "bodies"), "apart") == 0;
  def.friction = pl_item_number(item, "friction");
  def.range = pl_item_number(item, "range");
  def.stiffness = pl_item_number(item, "stiffness");
  def.passes = pl_item_number(item, "passes");
  def.response = pl_item_choice(reader, item, 0);
  pl_reader_failed(reader, index, pl_world_set_contact(scene->world, &def, &error), &error);
}
