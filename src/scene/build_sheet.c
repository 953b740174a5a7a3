/* Creases, measured curves and the warp of bodies that are sheets. */
#include "core/error.h"
#include "io/texture.h"
#include "math/vec3.h"
#include "scene/reader.h"
#include "scene/value.h"

#include <limits.h>
#include <string.h>

static int creases_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index;
  pl_crease *creases = pl_reader_alloc(reader, (size_t)room, sizeof *creases);
  for (int i = index + 1; creases && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!pl_item_is(&items[i], "crease")) continue;
    pl_crease *crease = &creases[def->tailoring.crease_count++];
    crease->where = pl_reader_regions(reader, i, &crease->where_count);
    bad |= items[i].bad || !crease->where;
    if (!items[i].bad) pl_item_numbers(&items[i], "angle", &crease->angle);
  }
  def->tailoring.creases = creases;
  return creases && !bad;
}

static pl_curve_def curve_of(pl_reader *reader, const pl_item *item)
{
  static const char *const names[PL_CURVE_KINDS] = {"warp", "weft", "shear", "bending"};
  const char *text = pl_item_text(item, "points"), *of = pl_item_text(item, "of");
  pl_curve_def curve = {0};
  for (int i = 0; i < PL_CURVE_KINDS; i++) {
    if (strcmp(of, names[i]) == 0) curve.of = (pl_curve_of)i;
  }
  pl_parse_ramp(text, 0, NULL, NULL, &curve.count, NULL);
  double *values = pl_reader_alloc(reader, (size_t)curve.count, 2 * sizeof *values);
  if (values) pl_parse_ramp(text, curve.count, values, values + curve.count, &curve.count, NULL);
  curve.strains = values;
  curve.forces = values ? values + curve.count : NULL;
  pl_item_numbers(item, "friction", &curve.friction);
  pl_item_numbers(item, "turn", &curve.turn);
  return curve;
}

static int curves_of(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  int bad = 0, room = items[index].end - index;
  pl_curve_def *curves = pl_reader_alloc(reader, (size_t)room, sizeof *curves);
  for (int i = index + 1; curves && i < items[index].end && !reader->stopped; i = items[i].end) {
    if (!pl_item_is(&items[i], "curve")) continue;
    bad |= items[i].bad;
    if (!items[i].bad) curves[def->tailoring.curve_count++] = curve_of(reader, &items[i]);
  }
  def->tailoring.curves = curves;
  return curves && !bad;
}

/* The direction in which a triangle's texture goes up; zero if it spans no area. */
static void go_up(const pl_mesh *mesh, int t, const float *spots, double out[3])
{
  const int *n = mesh->elements + 3 * (size_t)t;
  double e[2][3], u[2], v[2];
  for (int i = 0; i < 2; i++) {
    pl_vec3_sub(mesh->nodes + 3 * (size_t)n[i + 1], mesh->nodes + 3 * (size_t)n[0], e[i]);
    u[i] = (double)spots[2 * i + 2] - (double)spots[0];
    v[i] = (double)spots[2 * i + 3] - (double)spots[1];
  }
  double det = u[0] * v[1] - u[1] * v[0];
  pl_vec3_set(out, 0, 0, 0);
  pl_vec3_add_scaled(det < 0 ? -u[0] : u[0], e[1], out);
  pl_vec3_add_scaled(det < 0 ? u[1] : -u[1], e[0], out);
  double length = pl_vec3_norm(out);
  if (det != 0 && length > 0)
    pl_vec3_scale(1 / length, out, out);
  else
    pl_vec3_set(out, 0, 0, 0);
}

static pl_status find_warp(pl_reader *reader, const pl_item *from, pl_body_def *def,
                           pl_error *error)
{
  const pl_mesh *mesh = def->mesh;
  const char *file = mesh->nodes_per_element == 3 ? pl_item_text(from, "file") : NULL;
  char path[PATH_MAX];
  if (!file)
    return pl_fail(error, PL_E_ARGUMENT,
                   "warp=\"texture\" needs a mesh of kind=\"sheet\" from an .obj or .glb file with "
                   "texture coordinates");
  size_t count = (size_t)mesh->element_count;
  float *spots = pl_reader_alloc(reader, count, 6 * sizeof *spots);
  double *warp = pl_reader_alloc(reader, count, 3 * sizeof *warp);
  if (!spots || !warp) return PL_OK;
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, error);
  if (!status)
    status = pl_texture_find(path, mesh->nodes, mesh->elements, mesh->element_count,
                             &reader->def->allocator, spots, error);
  for (size_t t = 0; t < count && !status; t++) go_up(mesh, (int)t, spots + 6 * t, warp + 3 * t);
  def->tailoring.warp = warp;
  return status;
}

int pl_reader_tailoring(pl_reader *reader, int index, int mesh, pl_body_def *def)
{
  if (!creases_of(reader, index, def) || !curves_of(reader, index, def)) return 0;
  if (strcmp(pl_item_text(&reader->items[index], "warp"), "texture") != 0) return 1;
  pl_error error;
  pl_status status = find_warp(reader, &reader->items[mesh], def, &error);
  return !pl_reader_failed(reader, index, status, &error) && !reader->stopped;
}
