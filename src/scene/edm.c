/* Reading EDMConfig: containers, references, numbers; and objects, which become obstacles.
 *
 * Vectors are "[x,y,z]", tensors "[[a,b],[c,d]]", blanks may stand anywhere in them. Collisions are
 * answered by our contact, not by the report's penalty: epsilon and scale are checked and not used.
 */
#include "scene/edm.h"

#include "core/error.h"
#include "io/bitmap.h"
#include "io/texture.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const container_names[] = {"MaterialContainer", "ExternalForces", "RigidObjects",
                                              "DeformableBodies"};
static const char *const entry_names[] = {"Material", "Force", "Object", "Body"};

void pl_edm_refuse(pl_edm *edm, const pl_xml_node *node, const char *format, const char *a,
                   const char *b)
{
  pl_text text = pl_text_make(&edm->reader->def->allocator);
  pl_error error;
  pl_text_add(&text, "<%.40s", pl_xml_name(node));
  const char *id = pl_xml_attribute(node, "id");
  if (id) pl_text_add(&text, " id=\"%.40s\"", id);
  pl_text_add(&text, ">: ");
  // the two words stand where the format has "%s"
  for (const char *at = format, *words[2] = {a, b}, **word = words; *at; at++) {
    if (at[0] == '%' && at[1] == 's') {
      pl_text_add(&text, "%.80s", *word++);
      at++;
    } else {
      pl_text_bytes(&text, at, 1);
    }
  }
  pl_text_bytes(&text, "", 1);
  if (pl_text_ok(&text, &error))
    pl_reader_report_memory(edm->reader);
  else if (!edm->reader->stopped) {
    pl_fail_at(&error, PL_E_PARSE, edm->reader->def->path, pl_xml_line(node), "%s", text.data);
    pl_reader_report(edm->reader, &error);
  }
  pl_text_release(&text);
}

const char *pl_edm_need(pl_edm *edm, const pl_xml_node *node, const char *name)
{
  const char *text = pl_xml_attribute(node, name);
  if (!text || !*text) pl_edm_refuse(edm, node, "needs %s=\"...\"", name, "");
  return text && *text ? text : NULL;
}

/* ---- numbers ---- */

static const char *skip(const char *text)
{
  while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') text++;
  return text;
}

/* "[a,b,...]" of count numbers; NULL if it is not that. */
static const char *read_row(const char *text, int count, double *values)
{
  text = skip(text);
  for (int i = 0; i < count; i++) {
    if (*text != (i ? ',' : '[')) return NULL;
    const char *start = skip(text + 1);
    text = pl_read_double(start, &values[i]);
    if (text == start || !isfinite(values[i])) return NULL;
    text = skip(text);
  }
  return *text == ']' ? skip(text + 1) : NULL;
}

int pl_edm_vector(pl_edm *edm, const pl_xml_node *node, const char *name, int count, double *values)
{
  const char *text = pl_edm_need(edm, node, name),
             *end = text ? read_row(text, count, values) : NULL;
  if (text && (!end || *end))
    pl_edm_refuse(edm, node,
                  count == 3   ? "%s=\"%s\" must be three finite numbers, \"[x,y,z]\""
                  : count == 2 ? "%s=\"%s\" must be two finite numbers, \"[m,n]\""
                               : "%s=\"%s\" must be a finite number, \"[m]\"",
                  name, text);
  return end && !*end;
}

int pl_edm_number(pl_edm *edm, const pl_xml_node *node, const char *name, double *value)
{
  const char *text = pl_edm_need(edm, node, name);
  if (!text) return 0;
  if (pl_parse_double(text, value)) return 1;
  pl_edm_refuse(edm, node, "%s=\"%s\" must be a finite number", name, text);
  return 0;
}

/* A tensor of side x side, made symmetric: its diagonal and then what stands beside it. */
int pl_edm_tensor(pl_edm *edm, const pl_xml_node *node, const char *name, int side,
                  double *diagonal, double *others)
{
  double T[3][3];
  const char *text = pl_xml_attribute(node, name), *at = text;
  if (!text) return 0;
  for (int i = 0; i < side && at; i++) {
    at = skip(at);
    at = *at == (i ? ',' : '[') ? read_row(at + 1, side, T[i]) : NULL;
  }
  if (!at || *at != ']' || *skip(at + 1)) {
    pl_edm_refuse(edm, node,
                  side == 2   ? "%s=\"%s\" must be a tensor of 2 x 2 numbers, \"[[a,b],[b,c]]\""
                  : side == 3 ? "%s=\"%s\" must be a tensor of 3 x 3 numbers"
                              : "%s=\"%s\" must be one number of a curve, \"[[a]]\"",
                  name, text);
    return 0;
  }
  for (int i = 0, k = 0; i < side; i++) {
    diagonal[i] = T[i][i];
    for (int j = i + 1; j < side; j++) {
      if (T[i][j] != T[j][i])
        pl_log_write(&edm->reader->def->log, PL_WARNING,
                     "%s:%d: %s is not symmetric; the mean of both sides is taken",
                     edm->reader->def->path, pl_xml_line(node), name);
      others[k++] = 0.5 * (T[i][j] + T[j][i]);
    }
  }
  return 1;
}

int pl_edm_flag(pl_edm *edm, const pl_xml_node *node, const char *name, int preset)
{
  const char *text = pl_xml_attribute(node, name);
  if (!text) return preset;
  int yes = (text[0] | 32) == 'y' && (text[1] | 32) == 'e' && (text[2] | 32) == 's' && !text[3];
  int no = (text[0] | 32) == 'n' && (text[1] | 32) == 'o' && !text[2];
  if (!yes && !no) pl_edm_refuse(edm, node, "%s=\"%s\" must be Yes or No", name, text);
  return yes;
}

/* ---- structure ---- */

pl_xml_node *pl_edm_find(pl_xml_node *root)
{
  if (!root || strcmp(pl_xml_name(root), "EDMConfig") == 0) return root;
  return pl_xml_child(root, "EDMConfig");
}

pl_xml_node *pl_edm_properties(pl_edm *edm, const pl_xml_node *node)
{
  pl_xml_node *found = pl_xml_child(node, "Properties");
  if (!found) pl_edm_refuse(edm, node, "needs <Properties .../>", "", "");
  if (found && pl_xml_next(found, "Properties"))
    pl_log_write(&edm->reader->def->log, PL_WARNING,
                 "%s:%d: only the first <Properties> of an element counts", edm->reader->def->path,
                 pl_xml_line(pl_xml_next(found, "Properties")));
  return found;
}

static pl_xml_node *find_entry(const pl_edm *edm, int container, const char *id)
{
  pl_xml_node *node = pl_xml_child(edm->containers[container], entry_names[container]);
  for (; node; node = pl_xml_next(node, entry_names[container])) {
    const char *own = pl_xml_attribute(node, "id");
    if (own && strcmp(own, id) == 0) return node;
  }
  return NULL;
}

pl_xml_node *pl_edm_bound(pl_edm *edm, const pl_xml_node *bind, int container)
{
  const char *ref = pl_edm_need(edm, bind, "ref");
  pl_xml_node *found = ref ? find_entry(edm, container, ref) : NULL;
  for (int c = 0; c < PL_EDM_CONTAINERS && ref && !found; c++) {
    if (!find_entry(edm, c, ref)) continue;
    pl_edm_refuse(edm, bind, "ref=\"%s\" is not a %s", ref, entry_names[container]);
    return NULL;
  }
  if (ref && !found)
    pl_edm_refuse(edm, bind, "ref=\"%s\": there is no %s of that id", ref, entry_names[container]);
  return found;
}

/* Every container once, with entries of unique ids in it. */
static void check_containers(pl_edm *edm, const pl_xml_node *config)
{
  for (int c = 0; c < PL_EDM_CONTAINERS; c++) {
    pl_xml_node *found = pl_xml_child(config, container_names[c]);
    pl_xml_node *again = found ? pl_xml_next(found, container_names[c]) : NULL;
    if (!found) pl_edm_refuse(edm, config, "has no <%s>", container_names[c], "");
    if (again) pl_edm_refuse(edm, again, "stands there twice; keep one of them", "", "");
    edm->containers[c] = found;
  }
  for (int c = 0; c < PL_EDM_CONTAINERS && !edm->reader->error_count; c++) {
    pl_xml_node *node = pl_xml_child(edm->containers[c], NULL);
    for (; node && !edm->reader->stopped; node = pl_xml_next(node, NULL)) {
      if (strcmp(pl_xml_name(node), entry_names[c]) != 0) {
        pl_edm_refuse(edm, node, "is no part of <%s>; there is <%s>", container_names[c],
                      entry_names[c]);
        continue;
      }
      const char *id = pl_edm_need(edm, node, "id");
      if (id && find_entry(edm, c, id) != node)
        pl_edm_refuse(edm, node, "the id \"%s\" is taken already; give it another", id, "");
    }
  }
}

/* ---- materials and forces ---- */

/* "r,g,b"; 1 if it is that. */
static int read_colour(const char *text, double rgb[3])
{
  const char *at = text;
  for (int i = 0; i < 3 && at; i++) {
    const char *start = skip(i ? (*at == ',' ? at + 1 : "") : at);
    at = pl_read_double(start, &rgb[i]);
    at = at == start || !(rgb[i] >= 0 && rgb[i] <= 1) ? NULL : skip(at);
  }
  return at && !*at;
}

static void check_material(pl_edm *edm, const pl_xml_node *node)
{
  const char *type = pl_edm_need(edm, node, "type");
  const pl_xml_node *own = type ? pl_edm_properties(edm, node) : NULL;
  if (!own) return;
  if (strcmp(type, "Texture") == 0) {
    pl_edm_need(edm, own, "file");
  } else if (strcmp(type, "Color") == 0) {
    const char *text = pl_edm_need(edm, own, "rgb");
    double rgb[3] = {0};
    if (text && !read_colour(text, rgb))
      pl_edm_refuse(edm, own, "rgb=\"%s\" must be three numbers from 0 to 1, \"r,g,b\"", text, "");
  } else {
    pl_edm_refuse(edm, node, "type=\"%s\" is unknown; there is Color and Texture", type, "");
  }
}

/* Can the image be shown? Else a sentence says why not. */
static int image_is_good(pl_edm *edm, const pl_xml_node *own, const char *file)
{
  char path[PATH_MAX];
  const pl_allocator *allocator = &edm->reader->def->allocator;
  pl_error error;
  pl_bytes bytes = {0};
  pl_bitmap bitmap = {0};
  pl_status status = pl_scene_path(edm->reader->def, file, path, sizeof path, &error);
  if (!status)
    status = pl_bitmap_is(path) ? pl_bitmap_read(allocator, path, &bitmap, &error)
                                : pl_image_file_read(allocator, path, &bytes, &error);
  if (!status && bytes.data) pl_bytes_free(allocator, &bytes);
  pl_bitmap_release(allocator, &bitmap);
  if (status)
    pl_log_write(&edm->reader->def->log, PL_WARNING,
                 "%s:%d: the texture \"%.120s\" cannot be shown, the body is grey: %s",
                 edm->reader->def->path, pl_xml_line(own), file, error.message);
  return !status;
}

void pl_edm_write_look(pl_edm *edm, const pl_xml_node *bind)
{
  static const double grey[3] = {0.6, 0.6, 0.6};
  pl_xml_node *material = pl_edm_bound(edm, bind, PL_EDM_MATERIALS);
  const pl_xml_node *own = material ? pl_xml_child(material, "Properties") : NULL;
  const char *rgb = own ? pl_xml_attribute(own, "rgb") : NULL;
  const char *file = own ? pl_xml_attribute(own, "file") : NULL;
  double colour[3];
  if (rgb && read_colour(rgb, colour)) {
    pl_edm_write(edm->out, "colour", colour, 3);
  } else if (file && image_is_good(edm, own, file)) {
    pl_text_add(edm->out, " texture=\"");
    pl_text_xml(edm->out, file);
    pl_text_add(edm->out, "\"");
  } else if (file) {
    pl_edm_write(edm->out, "colour", grey, 3);
  }
}

static void check_force(pl_edm *edm, const pl_xml_node *node)
{
  const char *type = pl_edm_need(edm, node, "type");
  const pl_xml_node *own = type ? pl_edm_properties(edm, node) : NULL;
  double value[3];
  if (!own) return;
  if (strcmp(type, "Gravity") == 0) {
    pl_edm_vector(edm, own, "g", 3, value);
  } else if (strcmp(type, "Spring") == 0) {
    pl_edm_number(edm, own, "k", value);
    pl_edm_vector(edm, own, "r0", 3, value);
  } else if (strcmp(type, "Viscous") == 0) {
    pl_edm_number(edm, own, "c", value);
    pl_edm_vector(edm, own, "u", 3, value);
  } else {
    pl_edm_refuse(edm, node, "type=\"%s\" is unknown; there is Gravity, Spring and Viscous", type,
                  "");
  }
}

/* ---- objects ---- */

static int is_bound(const pl_edm *edm, const char *id)
{
  pl_xml_node *body = pl_xml_child(edm->containers[PL_EDM_BODIES], "Body");
  for (; body; body = pl_xml_next(body, "Body")) {
    pl_xml_node *bind = pl_xml_child(body, "Bind");
    for (; bind; bind = pl_xml_next(bind, "Bind")) {
      const char *type = pl_xml_attribute(bind, "type"), *ref = pl_xml_attribute(bind, "ref");
      if (type && ref && strcmp(type, "Collision") == 0 && strcmp(ref, id) == 0) return 1;
    }
  }
  return 0;
}

void pl_edm_write(pl_text *out, const char *name, const double *values, int count)
{
  pl_text_add(out, " %s=\"", name);
  for (int i = 0; i < count; i++) {
    if (i) pl_text_add(out, " ");
    pl_text_number(out, values[i]);
  }
  pl_text_add(out, "\"");
}

/* What each type needs, and what that is called here. */
static const struct object_kind {
  const char *type, *shape, *extra;
  const char *numbers[2], *ours[2], *vectors[2], *our_vectors[2];
} object_kinds[] = {
    {"Cylinder",
     "cylinder",
     " axis=\"0 0 1\"",
     {"r", "h"},
     {"radius", "length"},
     {"c"},
     {"centre"}},
    {"Plane", "plane", "", {0}, {0}, {"n", "x0"}, {"normal", "point"}},
    {"Sphere", "sphere", "", {"r"}, {"radius"}, {"c"}, {"centre"}},
    {"Torus", "torus", " axis=\"0 0 1\"", {"a", "r"}, {"tube", "radius"}, {"c"}, {"centre"}},
};

static void write_object(pl_edm *edm, const pl_xml_node *node, const struct object_kind *kind)
{
  const pl_xml_node *own = pl_edm_properties(edm, node);
  const char *id = pl_xml_attribute(node, "id");
  double value[3];
  pl_text ignored = pl_text_make(&edm->reader->def->allocator);
  pl_text *out = id && is_bound(edm, id) ? edm->out : &ignored;
  pl_text_add(out, "  <obstacle name=\"");
  pl_text_xml(out, id ? id : "");
  pl_text_add(out, "\" shape=\"%s\"%s", kind->shape, kind->extra);
  for (int i = 0; own && i < 2 && kind->numbers[i]; i++) {
    if (pl_edm_number(edm, own, kind->numbers[i], value) && !(value[0] > 0))
      pl_edm_refuse(edm, own, "%s must be above 0", kind->numbers[i], "");
    pl_edm_write(out, kind->ours[i], value, 1);
  }
  for (int i = 0; own && i < 2 && kind->vectors[i]; i++) {
    pl_edm_vector(edm, own, kind->vectors[i], 3, value);
    pl_edm_write(out, kind->our_vectors[i], value, 3);
  }
  pl_text_add(out, "/>\n");
  if (out == &ignored && id)
    pl_log_write(&edm->reader->def->log, PL_WARNING,
                 "%s:%d: no body is bound to the object \"%.80s\", which is left out",
                 edm->reader->def->path, pl_xml_line(node), id);
  pl_text_release(&ignored);
}

static void convert_object(pl_edm *edm, const pl_xml_node *node)
{
  const char *type = pl_edm_need(edm, node, "type");
  double value;
  if (!type) return;
  if (pl_xml_attribute(node, "epsilon")) pl_edm_number(edm, node, "epsilon", &value);
  if (pl_xml_attribute(node, "scale")) pl_edm_number(edm, node, "scale", &value);
  pl_edm_flag(edm, node, "visible", 1);
  pl_xml_node *bind = pl_xml_child(node, "Bind");
  if (bind) pl_edm_bound(edm, bind, PL_EDM_MATERIALS);
  for (size_t i = 0; i < sizeof object_kinds / sizeof *object_kinds; i++) {
    if (strcmp(type, object_kinds[i].type) == 0) {
      write_object(edm, node, &object_kinds[i]);
      return;
    }
  }
  pl_edm_refuse(edm, node, "type=\"%s\" is unknown; there is Cylinder, Plane, Sphere and Torus",
                type, "");
}

/* ---- the whole ---- */

/* The sum of the gravity that is bound to a body. */
static void gravity_of(pl_edm *edm, const pl_xml_node *body, double sum[3])
{
  sum[0] = sum[1] = sum[2] = 0;
  pl_xml_node *bind = pl_xml_child(body, "Bind");
  for (; bind; bind = pl_xml_next(bind, "Bind")) {
    const char *type = pl_xml_attribute(bind, "type"), *ref = pl_xml_attribute(bind, "ref");
    pl_xml_node *force =
        type && ref && strcmp(type, "Force") == 0 ? find_entry(edm, PL_EDM_FORCES, ref) : NULL;
    const char *kind = force ? pl_xml_attribute(force, "type") : NULL;
    double g[3];
    if (!kind || strcmp(kind, "Gravity") != 0 || pl_xml_attribute(bind, "particle")) continue;
    pl_edm_vector(edm, pl_edm_properties(edm, force), "g", 3, g);
    for (int k = 0; k < 3; k++) sum[k] += g[k];
  }
}

/* The least step of all bodies, of which those of the others must be multiples; and their gravity.
 */
static double survey(pl_edm *edm)
{
  double min = INFINITY, step, other[3];
  pl_xml_node *first = pl_xml_child(edm->containers[PL_EDM_BODIES], "Body"), *body;
  edm->same_gravity = 1;
  if (first) gravity_of(edm, first, edm->gravity);
  for (body = first; body; body = pl_xml_next(body, "Body")) {
    const pl_xml_node *own = pl_xml_child(body, "Properties");
    const char *text = own ? pl_xml_attribute(own, "timestep") : NULL;
    if (text && pl_parse_double(text, &step) && step > 0) min = fmin(min, step);
    gravity_of(edm, body, other);
    edm->same_gravity &= memcmp(other, edm->gravity, sizeof other) == 0;
  }
  for (body = first; body; body = pl_xml_next(body, "Body")) {
    const pl_xml_node *own = pl_xml_child(body, "Properties");
    const char *text = own ? pl_xml_attribute(own, "timestep") : NULL;
    if (!text || !pl_parse_double(text, &step) || !(step > 0)) continue;
    if (fabs(step / min - floor(step / min + 0.5)) > 1e-9 * step / min)
      pl_edm_refuse(edm, own, "timestep=\"%s\" is no multiple of the least one", text, "");
  }
  return min;
}

static void write_head(pl_edm *edm, const pl_xml_node *config, double step)
{
  static const double none[3] = {0, 0, 0};
  double duration = fmax(10, step);
  pl_text_add(edm->out, "<pliant title=\"");
  pl_text_xml(edm->out, pl_xml_attribute(config, "id") ? pl_xml_attribute(config, "id") : "");
  pl_text_add(edm->out, "\">\n  <world");
  pl_edm_write(edm->out, "dt", &step, 1);
  pl_edm_write(edm->out, "duration", &duration, 1);
  pl_edm_write(edm->out, "gravity", edm->same_gravity ? edm->gravity : none, 3);
  // the report's step is one linear system
  pl_text_add(edm->out,
              " halvings=\"0\"/>\n  <integrator method=\"implicit-euler\" newton=\"1\"/>\n"
              "  <material name=\"grid\" young=\"1\" poisson=\"0\"/>\n");
}

void pl_edm_convert(pl_reader *reader, pl_xml_node *config, pl_text *out)
{
  pl_edm edm = {.reader = reader, .out = out};
  pl_edm_need(&edm, config, "id");
  check_containers(&edm, config);
  if (reader->error_count || reader->stopped) return;
  pl_xml_node *node = pl_xml_child(edm.containers[PL_EDM_MATERIALS], NULL);
  for (; node && !reader->stopped; node = pl_xml_next(node, NULL)) check_material(&edm, node);
  node = pl_xml_child(edm.containers[PL_EDM_FORCES], NULL);
  for (; node && !reader->stopped; node = pl_xml_next(node, NULL)) check_force(&edm, node);
  if (reader->error_count || reader->stopped) return;
  double step = survey(&edm);
  if (!isfinite(step)) step = 0.01;
  write_head(&edm, config, step);
  node = pl_xml_child(edm.containers[PL_EDM_BODIES], NULL);
  if (!node) pl_edm_refuse(&edm, edm.containers[PL_EDM_BODIES], "has no <Body>", "", "");
  for (; node && !reader->stopped; node = pl_xml_next(node, NULL)) {
    pl_edm_body body;
    if (pl_edm_body_of(&edm, node, &body)) pl_edm_write_body(&edm, &body);
    pl_mesh_destroy(body.meshes[0]);
    pl_mesh_destroy(body.meshes[1]);
  }
  node = pl_xml_child(edm.containers[PL_EDM_OBJECTS], NULL);
  for (; node && !reader->stopped; node = pl_xml_next(node, NULL)) convert_object(&edm, node);
  // 25 frames per second
  pl_text_add(out,
              "  <output every=\"0.04\" format=\"vtu\"/>\n  <view colour=\"none\"/>\n</pliant>\n");
}
