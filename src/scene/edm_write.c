/* Bodies of an EDMConfig as bodies of our scenes, with what is bound to them. */
#include "core/error.h"
#include "mesh/grid.h"
#include "scene/edm.h"

#include <math.h>
#include <string.h>

/* Springs from every particle to one point are written one by one. */
enum { MOST_SPRINGS = 4096 };

/* The node of a particle in the natural (0) or initial (1) shape. */
static const double *position(const pl_edm_body *body, int which, const int at[3])
{
  const pl_mesh *mesh = body->meshes[which] ? body->meshes[which] : body->meshes[0];
  return mesh->nodes + 3 * (size_t)pl_grid_node(mesh->grid, at);
}

static void write_name(pl_text *out, const char *id, const char *suffix)
{
  pl_text_xml(out, id ? id : "body");
  pl_text_add(out, "%s", suffix);
}

/* "[m,n]" */
static void write_place(pl_text *out, const pl_edm_body *body, const int at[3])
{
  for (int k = 0; k < body->axes; k++) pl_text_add(out, "%c%d", k ? ',' : '[', at[k]);
  pl_text_add(out, "]");
}

static void write_mesh(pl_edm *edm, const pl_edm_body *body, int which)
{
  pl_text *out = edm->out;
  const double *p = body->points[which];
  const int *size = body->size;
  pl_text_add(out, "  <mesh name=\"");
  write_name(out, body->id, which ? "-initial" : "-natural");
  pl_text_add(out, "\">\n    ");
  if (body->ellipsoid) {
    double extent[3] = {2 * p[0], 2 * p[1], 2 * p[2]};
    if (body->axes == 3)
      pl_text_add(out, "<lattice shape=\"ball\" l=\"%d\" m=\"%d\" n=\"%d\"", size[0], size[1],
                  size[2]);
    else
      pl_text_add(out, "<lattice shape=\"ellipsoid\" m=\"%d\" n=\"%d\"", size[0], size[1]);
    pl_edm_write(out, "size", extent, 3);
    pl_edm_write(out, "origin", p + 3, 3);
    pl_text_add(out, "/>\n  </mesh>\n");
    return;
  }
  pl_text_add(out, "<bezier order=\"%d\" particles=\"%d", body->order, size[0]);
  for (int k = 1; k < body->axes; k++) pl_text_add(out, " %d", size[k]);
  if (body->wraps[0] || body->wraps[1] || body->wraps[2]) pl_text_add(out, "\" around=\"");
  for (int k = 0; k < body->axes; k++)
    if (body->wraps[k]) pl_text_add(out, "%c", "lmn"[(body->axes < 3) + k]);
  pl_text_add(out, "\">\n");
  for (int i = 0; i < pl_bezier_points(body->axes, body->order); i++) {
    pl_text_add(out, "      <point");
    pl_edm_write(out, "at", p + 3 * i, 3);
    pl_text_add(out, "/>\n");
  }
  pl_text_add(out, "    </bezier>\n  </mesh>\n");
}

/* Numbers of all particles, or of one: those that are not given are left out. */
static void write_numbers(pl_text *out, const pl_edm_body *body, const pl_edm_particle *of)
{
  const double *eta = of->tension, *xi = of->rigidity;
  // what does not exist is as large as the first, so that it is no least one
  double tension[3] = {eta[0], eta[1], body->axes == 3 ? eta[2] : eta[0]};
  double shear[3] = {eta[3], body->axes == 3 ? eta[4] : eta[3], body->axes == 3 ? eta[5] : eta[3]};
  double rigidity[3] = {xi[0], xi[1], xi[0]};
  if (!isnan(of->mass)) pl_edm_write(out, "mass", &of->mass, 1);
  if (!isnan(of->damping)) pl_edm_write(out, "damping", &of->damping, 1);
  if (body->axes == 1) {
    const double only[3] = {eta[0], eta[0], eta[0]}, bend[3] = {xi[0], xi[0], xi[0]};
    if (!isnan(eta[0])) pl_edm_write(out, "tension", only, 3);
    if (!isnan(xi[0])) pl_edm_write(out, "rigidity", bend, 3);
    return;
  }
  if (!isnan(eta[0])) pl_edm_write(out, "tension", tension, 3);
  if (!isnan(eta[0])) pl_edm_write(out, "shear", shear, 3);
  if (body->axes == 3 || isnan(xi[0])) return;
  pl_edm_write(out, "rigidity", rigidity, 3);
  pl_edm_write(out, "twist", &xi[2], 1);
}

/* ---- held particles ---- */

/* A held particle stays where it starts: 1 if that is not where it is at rest. */
static int way_of(const pl_edm_body *body, const int at[3], double way[3])
{
  const double *from = position(body, 0, at), *to = position(body, 1, at);
  for (int k = 0; k < 3; k++) way[k] = to[k] - from[k];
  return way[0] != 0 || way[1] != 0 || way[2] != 0;
}

/* Later ones win, attribute by attribute. */
static void write_singles(pl_edm *edm, const pl_edm_body *body, unsigned char *fixed)
{
  const pl_xml_node *particles = pl_xml_child(body->node, "Particles");
  pl_xml_node *node = pl_xml_child(particles, "Single");
  for (; node && !edm->reader->stopped; node = pl_xml_next(node, "Single")) {
    int at[3];
    if (!pl_edm_place(edm, body, node, at)) continue;
    pl_edm_particle one = pl_edm_particle_of(edm, body, node);
    int place = at[0] + body->size[0] * (at[1] + body->size[1] * at[2]);
    if (one.fixed >= 0) fixed[place] = (unsigned char)one.fixed;
    if (isnan(one.mass) && isnan(one.damping) && isnan(one.tension[0]) && isnan(one.rigidity[0]))
      continue;
    pl_text_add(edm->out, "    <particle at=\"");
    write_place(edm->out, body, at);
    pl_text_add(edm->out, "\"");
    write_numbers(edm->out, body, &one);
    pl_text_add(edm->out, "/>\n");
  }
}

static void write_fixed(pl_edm *edm, const pl_edm_body *body, const unsigned char *fixed)
{
  int count = body->size[0] * body->size[1] * body->size[2], at[3], rest = 0;
  double way[3];
  for (int moved = 1; moved >= 0; moved--) {
    for (int i = 0; i < count; i++) {
      pl_grid_place(body->meshes[0]->grid, i, at);
      if (!fixed[i] || way_of(body, at, way) != moved) continue;
      if (moved) pl_text_add(edm->out, "    <move ramp=\"0 1, 1 1\"");
      if (moved) pl_edm_write(edm->out, "translation", way, 3);
      // all that stay where they are at rest are one fix
      pl_text_add(edm->out, moved ? ">" : rest++ ? "" : "    <fix>");
      pl_text_add(edm->out, "<set name=\"");
      write_place(edm->out, body, at);
      pl_text_add(edm->out, moved ? "\"/></move>\n" : "\"/>");
    }
  }
  if (rest) pl_text_add(edm->out, "</fix>\n");
}

/* ---- forces ---- */

static void write_spring(pl_edm *edm, const pl_edm_body *body, const int at[3], double k,
                         const double r0[3])
{
  const double *from = position(body, 0, at);
  double way[3];
  for (int i = 0; i < 3; i++) way[i] = r0[i] - from[i];
  pl_text_add(edm->out, "    <pull");
  pl_edm_write(edm->out, "at", from, 3);
  pl_edm_write(edm->out, "translation", way, 3);
  pl_edm_write(edm->out, "stiffness", &k, 1);
  pl_text_add(edm->out, "/>\n");
}

static void write_springs(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *bind,
                          const pl_xml_node *own)
{
  double k = 0, r0[3] = {0};
  int at[3], count = body->size[0] * body->size[1] * body->size[2];
  if (!pl_edm_number(edm, own, "k", &k) || !pl_edm_vector(edm, own, "r0", 3, r0)) return;
  if (!(k >= 0)) {
    pl_edm_refuse(edm, own, "k=\"%s\" must not be negative", pl_xml_attribute(own, "k"), "");
    return;
  }
  if (pl_xml_attribute(bind, "particle")) {
    if (pl_edm_place(edm, body, bind, at)) write_spring(edm, body, at, k, r0);
    return;
  }
  if (count > MOST_SPRINGS) {
    pl_edm_refuse(edm, bind, "a spring at each of more than 4096 particles is too much; name one",
                  "", "");
    return;
  }
  for (int i = 0; i < count; i++) {
    pl_grid_place(body->meshes[0]->grid, i, at);
    write_spring(edm, body, at, k, r0);
  }
}

/* Gravity of one particle, or of bodies that differ in it: mass times g. */
static void write_weight(pl_edm *edm, const pl_edm_body *body, const int *at, const double g[3],
                         double mass)
{
  double force[3];
  for (int k = 0; k < 3; k++) force[k] = mass * g[k];
  if (!(mass != 0)) return;
  pl_text_add(edm->out, "    <force");
  pl_edm_write(edm->out, "value", force, 3);
  pl_text_add(edm->out, "><set name=\"");
  if (at)
    write_place(edm->out, body, at);
  else
    pl_text_add(edm->out, "%s", body->axes == 3 ? "[*,*,*]" : body->axes == 2 ? "[*,*]" : "[*]");
  pl_text_add(edm->out, "\"/></force>\n");
}

/* The mass of a particle: the last Single that has one, or that of all. */
static double mass_at(pl_edm *edm, const pl_edm_body *body, const int at[3])
{
  double mass = body->all.mass;
  pl_xml_node *node = pl_xml_child(pl_xml_child(body->node, "Particles"), "Single");
  for (; node; node = pl_xml_next(node, "Single")) {
    int place[3];
    double own;
    const char *text = pl_xml_attribute(node, "mass");
    if (!text || !pl_parse_double(text, &own) || !pl_edm_place(edm, body, node, place)) continue;
    if (memcmp(place, at, sizeof place) == 0) mass = own;
  }
  return mass;
}

static void write_gravity(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *bind,
                          const pl_xml_node *own)
{
  double g[3];
  int at[3], count = body->size[0] * body->size[1] * body->size[2];
  if (!pl_edm_vector(edm, own, "g", 3, g)) return;
  if (pl_xml_attribute(bind, "particle")) {
    if (pl_edm_place(edm, body, bind, at)) write_weight(edm, body, at, g, mass_at(edm, body, at));
    return;
  }
  if (edm->same_gravity) return; // the world's
  write_weight(edm, body, NULL, g, body->all.mass * count);
  pl_xml_node *node = pl_xml_child(pl_xml_child(body->node, "Particles"), "Single");
  double before = body->all.mass, now;
  for (; node; node = pl_xml_next(node, "Single")) {
    const char *text = pl_xml_attribute(node, "mass");
    if (!text || !pl_parse_double(text, &now) || !pl_edm_place(edm, body, node, at)) continue;
    write_weight(edm, body, at, g, now - before);
  }
}

static void write_viscous(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *bind,
                          const pl_xml_node *own)
{
  double c = 0, u[3] = {0};
  if (body->axes == 1) {
    pl_edm_refuse(edm, bind, "a viscous force acts on a surface, which a curve has not", "", "");
    return;
  }
  if (!pl_edm_number(edm, own, "c", &c) || !pl_edm_vector(edm, own, "u", 3, u)) return;
  if (!(c >= 0)) {
    pl_edm_refuse(edm, own, "c=\"%s\" must not be negative", pl_xml_attribute(own, "c"), "");
    return;
  }
  if (pl_xml_attribute(bind, "particle")) {
    pl_edm_refuse(edm, bind, "a viscous force acts on a surface; bind it to the whole body", "",
                  "");
    return;
  }
  pl_text_add(edm->out, "    <viscous");
  pl_edm_write(edm->out, "coefficient", &c, 1);
  pl_edm_write(edm->out, "velocity", u, 3);
  pl_text_add(edm->out, "><surface/></viscous>\n");
}

static void write_force(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *bind)
{
  pl_xml_node *force = pl_edm_bound(edm, bind, PL_EDM_FORCES);
  const char *type = force ? pl_xml_attribute(force, "type") : NULL;
  const pl_xml_node *own = force ? pl_xml_child(force, "Properties") : NULL;
  if (!type || !own) return;
  if (strcmp(type, "Gravity") == 0) write_gravity(edm, body, bind, own);
  if (strcmp(type, "Spring") == 0) write_springs(edm, body, bind, own);
  if (strcmp(type, "Viscous") == 0) write_viscous(edm, body, bind, own);
}

static void write_binds(pl_edm *edm, const pl_edm_body *body)
{
  pl_xml_node *bind = pl_xml_child(body->node, "Bind");
  for (; bind && !edm->reader->stopped; bind = pl_xml_next(bind, "Bind")) {
    const char *type = pl_edm_need(edm, bind, "type");
    if (!type) continue;
    if (pl_xml_attribute(bind, "particle") && strcmp(type, "Force") != 0)
      pl_edm_refuse(edm, bind, "particle=\"%s\" is for forces only",
                    pl_xml_attribute(bind, "particle"), "");
    else if (strcmp(type, "Force") == 0)
      write_force(edm, body, bind);
    else if (strcmp(type, "Material") == 0)
      continue; // stands in the body itself
    else if (strcmp(type, "Collision") == 0)
      pl_edm_bound(edm, bind, PL_EDM_OBJECTS);
    else
      pl_edm_refuse(edm, bind, "type=\"%s\" is unknown; there is Material, Force and Collision",
                    type, "");
  }
}

/* The first material counts. */
static void write_look(pl_edm *edm, const pl_edm_body *body)
{
  pl_xml_node *bind = pl_xml_child(body->node, "Bind");
  for (int seen = 0; bind; bind = pl_xml_next(bind, "Bind")) {
    const char *type = pl_xml_attribute(bind, "type");
    if (!type || strcmp(type, "Material") != 0) continue;
    if (seen++) pl_edm_bound(edm, bind, PL_EDM_MATERIALS);
    if (seen == 1) pl_edm_write_look(edm, bind);
  }
}

void pl_edm_write_body(pl_edm *edm, pl_edm_body *body)
{
  pl_text *out = edm->out;
  size_t count = (size_t)pl_grid_count(body->meshes[0]->grid);
  unsigned char *fixed = pl_reader_alloc(edm->reader, count, 1);
  if (!fixed) return;
  memset(fixed, body->all.fixed, count);
  write_mesh(edm, body, 0);
  if (body->points[1]) write_mesh(edm, body, 1);
  pl_text_add(out, "  <body name=\"");
  write_name(out, body->id, "");
  pl_text_add(out, "\" mesh=\"");
  write_name(out, body->id, "-natural");
  if (body->points[1]) {
    pl_text_add(out, "\" start=\"");
    write_name(out, body->id, "-initial");
  }
  pl_text_add(out, "\" material=\"grid\" model=\"grid\"");
  write_numbers(out, body, &body->all);
  write_look(edm, body);
  pl_text_add(out, ">\n");
  write_singles(edm, body, fixed);
  write_fixed(edm, body, fixed);
  write_binds(edm, body);
  pl_text_add(out, "  </body>\n");
}
