/* Bodies of an EDMConfig: their shapes and particles. */
#include "core/error.h"
#include "core/family.h"
#include "mesh/grid.h"
#include "scene/edm.h"

#include <math.h>
#include <string.h>

static const struct body_kind {
  const char *model, *type;
  int axes, order, ellipsoid; /* order 0: it says which */
} body_kinds[] = {
    {"Surface", "QuadraticBezierPatch", 2, 2, 0},
    {"Surface", "GenericBezierPatch", 2, 0, 0},
    {"Surface", "EllipsoidPatch", 2, 1, 1},
    {"Solid", "LinearBezierSolid", 3, 1, 0},
    {"Solid", "GenericBezierSolid", 3, 0, 0},
    {"Solid", "EllipsoidSolid", 3, 1, 1},
    {"Curve", "BezierCurve", 1, 0, 0}, // the report has the model and no type
};

static const struct body_kind *kind_of(pl_edm *edm, const pl_xml_node *node)
{
  const char *model = pl_edm_need(edm, node, "model"), *type = pl_edm_need(edm, node, "type");
  for (size_t i = 0; model && type && i < sizeof body_kinds / sizeof *body_kinds; i++) {
    if (strcmp(model, body_kinds[i].model) == 0 && strcmp(type, body_kinds[i].type) == 0)
      return &body_kinds[i];
  }
  if (model && type)
    pl_edm_refuse(edm, node,
                  "model=\"%s\" with type=\"%s\" is unknown; surfaces are QuadraticBezierPatch, "
                  "GenericBezierPatch and EllipsoidPatch, solids LinearBezierSolid, "
                  "GenericBezierSolid and EllipsoidSolid, curves BezierCurve",
                  model, type);
  return NULL;
}

/* Control points by their index, each once. */
static double *read_nodes(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *shape)
{
  int count = body->ellipsoid ? 2 : pl_bezier_points(body->axes, body->order), seen = 0;
  double *points = pl_reader_alloc(edm->reader, (size_t)count, 3 * sizeof *points);
  unsigned char *given = pl_reader_alloc(edm->reader, (size_t)count, 1);
  pl_xml_node *node = pl_xml_child(shape, "Node");
  for (; points && given && node && !edm->reader->stopped; node = pl_xml_next(node, "Node")) {
    const char *text = pl_edm_need(edm, node, "index");
    int64_t index = -1;
    if (!text) return NULL;
    if (!pl_parse_int(text, &index) || index < 0 || index >= count) {
      pl_edm_refuse(edm, node, "index=\"%s\" is none of this shape's control points", text, "");
      return NULL;
    }
    if (given[index]++) {
      pl_edm_refuse(edm, node, "index=\"%s\" stands there twice", text, "");
      return NULL;
    }
    if (!pl_edm_vector(edm, node, "pos", 3, points + 3 * index)) return NULL;
    seen++;
  }
  if (points && given && seen == count) return points;
  if (!edm->reader->stopped)
    pl_edm_refuse(edm, shape,
                  "lacks some of its control points: (order + 1)^%s, or 2 of an ellipsoid",
                  body->axes == 3   ? "3"
                  : body->axes == 2 ? "2"
                                    : "1",
                  "");
  return NULL;
}

static int read_grid(pl_edm *edm, pl_edm_body *body, const pl_xml_node *particles)
{
  double size[3] = {1, 1, 1};
  if (!pl_edm_vector(edm, particles, "grid", body->axes, size)) return 0;
  for (int k = 0; k < body->axes; k++) {
    double min = body->wraps[k] ? 3 : 2;
    if (!(size[k] >= min && size[k] <= PL_MOST_ALONG) || size[k] != floor(size[k])) {
      pl_edm_refuse(edm, particles,
                    "grid=\"%s\" must be whole numbers from 2 (3 on a continued axis) to 4096",
                    pl_xml_attribute(particles, "grid"), "");
      return 0;
    }
    body->size[k] = (int)size[k];
  }
  return 1;
}

/* Timestep, order and continued axes. */
static int read_properties(pl_edm *edm, pl_edm_body *body)
{
  static const char *const names[] = {"lcont", "mcont", "ncont"};
  const pl_xml_node *own = pl_edm_properties(edm, body->node);
  if (!own || !pl_edm_number(edm, own, "timestep", &body->timestep)) return 0;
  if (!(body->timestep > 0)) {
    pl_edm_refuse(edm, own, "timestep=\"%s\" must be above 0", pl_xml_attribute(own, "timestep"),
                  "");
    return 0;
  }
  double order = 1;
  if (!body->order) {
    if (!pl_edm_number(edm, own, "order", &order)) return 0;
    if (!(order >= 1 && order <= PL_MOST_ORDER) || order != floor(order)) {
      pl_edm_refuse(edm, own, "order=\"%s\" must be a whole number from 1 to 32",
                    pl_xml_attribute(own, "order"), "");
      return 0;
    }
    body->order = (int)order;
  }
  for (int k = 0; k < body->axes; k++)
    body->wraps[k] = pl_edm_flag(edm, own, names[(body->axes < 3) + k], 0);
  // an ellipsoid's angle goes around by itself, and its other axes end
  for (int k = 0; k < body->axes && body->ellipsoid; k++) body->wraps[k] = k == body->axes - 2;
  return 1;
}

int pl_edm_place(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *node, int at[3])
{
  double place[3] = {0};
  at[1] = at[2] = 0;
  if (!pl_edm_vector(edm, node, "particle", body->axes, place)) return 0;
  for (int k = 0; k < body->axes; k++) {
    if (!(place[k] >= 0 && place[k] < body->size[k]) || place[k] != floor(place[k])) {
      pl_edm_refuse(edm, node, "particle=\"%s\" is outside the grid",
                    pl_xml_attribute(node, "particle"), "");
      return 0;
    }
    at[k] = (int)place[k];
  }
  return 1;
}

pl_edm_particle pl_edm_particle_of(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *node)
{
  pl_edm_particle one = {NAN, NAN, {NAN, NAN, NAN, NAN, NAN, NAN}, {NAN, NAN, NAN}, -1};
  if (pl_xml_attribute(node, "mass") && pl_edm_number(edm, node, "mass", &one.mass) &&
      !(one.mass > 0))
    pl_edm_refuse(edm, node, "mass=\"%s\" must be above 0", pl_xml_attribute(node, "mass"), "");
  if (pl_xml_attribute(node, "damping") && pl_edm_number(edm, node, "damping", &one.damping) &&
      !(one.damping >= 0))
    pl_edm_refuse(edm, node, "damping=\"%s\" must not be negative",
                  pl_xml_attribute(node, "damping"), "");
  pl_edm_tensor(edm, node, "tension", body->axes, one.tension, one.tension + 3);
  if (body->axes == 3 && pl_xml_attribute(node, "rigidity"))
    pl_edm_refuse(edm, node, "solids have no rigidity; remove it", "", "");
  else
    pl_edm_tensor(edm, node, "rigidity", body->axes, one.rigidity, one.rigidity + 2);
  for (int k = 0; k < 9; k++) {
    if ((k < 6 ? one.tension[k] : one.rigidity[k - 6]) < 0) {
      pl_edm_refuse(edm, node, "%s must not have negative numbers", k < 6 ? "tension" : "rigidity",
                    "");
      break;
    }
  }
  if (pl_xml_attribute(node, "fixed")) one.fixed = pl_edm_flag(edm, node, "fixed", 0);
  return one;
}

/* The natural or initial shape as a mesh, to know where particles are. */
static int make_mesh(pl_edm *edm, pl_edm_body *body, int which)
{
  const double *p = body->points[which];
  pl_error error;
  pl_status status;
  if (!p) return 1;
  if (body->ellipsoid) {
    int solid = body->axes == 3;
    pl_setting settings[] = {
        {"shape", {0}, solid ? "ball" : "ellipsoid"},
        {"m", {body->size[solid]}, NULL},
        {"n", {body->size[solid + 1]}, NULL},
        {"size", {2 * p[0], 2 * p[1], 2 * p[2]}, NULL},
        {"origin", {p[3], p[4], p[5]}, NULL},
        {"l", {body->size[0]}, NULL},
    };
    status = pl_mesh_generate(&(pl_choice){"lattice", settings, solid ? 6 : 5},
                              &edm->reader->def->allocator, &body->meshes[which], &error);
  } else {
    pl_bezier_def def = {body->axes, body->order, {0}, {0}, p};
    memcpy(def.particles, body->size, sizeof def.particles);
    memcpy(def.wraps, body->wraps, sizeof def.wraps);
    status = pl_mesh_bezier(&def, &edm->reader->def->allocator, &body->meshes[which], &error);
  }
  if (!status) return 1;
  if (status == PL_E_MEMORY)
    pl_reader_report_memory(edm->reader);
  else
    pl_edm_refuse(edm, body->node, "%s", error.message, "");
  return 0;
}

int pl_edm_body_of(pl_edm *edm, pl_xml_node *node, pl_edm_body *body)
{
  const struct body_kind *kind = kind_of(edm, node);
  *body = (pl_edm_body){.node = node, .id = pl_xml_attribute(node, "id"), .size = {1, 1, 1}};
  if (!kind) return 0;
  body->axes = kind->axes;
  body->order = kind->order;
  body->ellipsoid = kind->ellipsoid;
  pl_xml_node *natural = pl_xml_child(node, "NaturalShape");
  pl_xml_node *initial = pl_xml_child(node, "InitialShape");
  pl_xml_node *particles = pl_xml_child(node, "Particles"), *all;
  if (!natural) pl_edm_refuse(edm, node, "needs a <NaturalShape>", "", "");
  if (!particles) pl_edm_refuse(edm, node, "needs <Particles grid=\"...\">", "", "");
  if (!natural || !particles || !read_properties(edm, body)) return 0;
  if (!read_grid(edm, body, particles)) return 0;
  body->points[0] = read_nodes(edm, body, natural);
  if (!body->points[0]) return 0;
  if (initial) body->points[1] = read_nodes(edm, body, initial);
  if (initial && !body->points[1]) return 0;
  all = pl_xml_child(particles, "All");
  body->all = (pl_edm_particle){1, 0, {0}, {0}, 0};
  if (all) {
    pl_edm_particle given = pl_edm_particle_of(edm, body, all);
    if (!isnan(given.mass)) body->all.mass = given.mass;
    if (!isnan(given.damping)) body->all.damping = given.damping;
    for (int k = 0; k < 6; k++)
      if (!isnan(given.tension[k])) body->all.tension[k] = given.tension[k];
    for (int k = 0; k < 3; k++)
      if (!isnan(given.rigidity[k])) body->all.rigidity[k] = given.rigidity[k];
    if (given.fixed >= 0) body->all.fixed = given.fixed;
  }
  return make_mesh(edm, body, 0) && make_mesh(edm, body, 1);
}
