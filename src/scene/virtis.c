/* Reading scripts of the thesis: a script sets values and says <?simulate?> when they are complete.
 *
 *   <FEMesh>     MeshFile, lambda, mu, dlambda, dmu                      (Pa and Pa s; density
 * here) <Solver>     integrator, timestep (a list), starttime, endtime, linearSolver <Simulator>
 * writeEndMesh, perEndFileTags, statusOut
 *   <?simulate?>, <?loadReference file?>
 *
 * Each value is an attribute, or an element inside with the value as text. What acts on the mesh is
 * known by the names of its classes only (5.4: BodyLoad, GravityForce; SurfacePointImmobilizer,
 * SurfaceFaceImmobilizer with BoundingBox, HalfSpace, Normal); their attributes are those of our
 * scenes. A document with several runs becomes the scene of the first. */
#include "scene/virtis.h"

#include "core/error.h"
#include "scene/edm.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Values that an element may have. */
static const char *const mesh_values[] = {"MeshFile", "lambda",  "mu", "dlambda",
                                          "dmu",      "density", NULL};
static const char *const solver_values[] = {"integrator", "timestep",     "starttime",
                                            "endtime",    "linearSolver", NULL};
static const char *const simulator_values[] = {"writeEndMesh", "perEndFileTags", "statusOut", NULL};

/* What the thesis calls them (in small letters and digits) and what we do. */
typedef struct word {
  const char *theirs, *ours;
} word;

static const word integrators[] = {{"forwardeuler", "explicit-euler"},
                                   {"expliciteuler", "explicit-euler"},
                                   {"midpoint", "explicit-midpoint"},
                                   {"explicitmidpoint", "explicit-midpoint"},
                                   {"rk4", "rk4"},
                                   {"rk38", "rk38"},
                                   {"dopri5", "dormand-prince"},
                                   {"dopri853", "dopri853"},
                                   {"rock", "rock2"},
                                   {"rock2", "rock2"},
                                   {"verlet", "verlet"},
                                   {"leapfrog", "verlet"},
                                   {"stoermerverlet", "verlet"},
                                   {"backwardeuler", "implicit-euler"},
                                   {"impliciteuler", "implicit-euler"},
                                   {"implicitmidpoint", "implicit-midpoint"},
                                   {"bdf2", "bdf2"},
                                   {"bdf3", "bdf3"},
                                   {"bdf4", "bdf4"},
                                   {"bdf5", "bdf5"},
                                   {"bdf6", "bdf6"},
                                   {"rosenbrock2", "ros2w"},
                                   {"rosenbrock32", "ros3w"},
                                   {"amfrk32", "ros3w"},
                                   {"rosenbrock4", "rosenbrock4"},
                                   {NULL, NULL}};
static const word solvers[] = {
    {"sparselu", "direct"},  {"umfpack", "direct"},  {"superlu", "direct"},
    {"superlumt", "direct"}, {"pcg", "cg"},          {"cg", "cg"},
    {"eis", "eisenstat"},    {"cgeis", "eisenstat"}, {NULL, NULL}};

typedef struct script {
  pl_edm edm; /* for its sentences and numbers */
  pl_xml_node *root;
  int end; /* the line of the first <?simulate?> */
} script;

static void warn(const script *s, int line, const char *text)
{
  pl_log_write(&s->edm.reader->def->log, PL_WARNING, "%s:%d: %s", s->edm.reader->def->path, line,
               text);
}

/* ---- processing instructions ---- */

/* Behind what begins at at: a comment, a section of text, or nothing of the kind. */
static const char *behind_quoted(const char *at, const char *end)
{
  static const char *const pairs[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}};
  for (int i = 0; i < 2; i++) {
    size_t open = strlen(pairs[i][0]), close = strlen(pairs[i][1]);
    if ((size_t)(end - at) < open || memcmp(at, pairs[i][0], open) != 0) continue;
    for (at += open; (size_t)(end - at) >= close; at++)
      if (memcmp(at, pairs[i][1], close) == 0) return at + close;
    return end;
  }
  return at;
}

/* An instruction: its words and its line. */
typedef struct instruction {
  const char *at, *end;
  int line, count;
} instruction;

static int is_instruction(const instruction *found, const char *name)
{
  size_t length = strlen(name);
  return (size_t)(found->end - found->at) >= length && memcmp(found->at, name, length) == 0 &&
         (found->at + length == found->end || isspace((unsigned char)found->at[length]));
}

/* The first of that name and how many there are; count 0: none. */
static instruction find_instruction(const char *source, size_t size, const char *name)
{
  instruction first = {0};
  const char *end = source + size;
  int line = 1;
  for (const char *at = source; at < end;) {
    const char *next = behind_quoted(at, end);
    if (next == at) next = at + 1;
    if (end - at > 3 && at[0] == '<' && at[1] == '?') {
      instruction found = {at + 2, at + 2, line, first.count + 1};
      while (found.end + 1 < end && !(found.end[0] == '?' && found.end[1] == '>')) found.end++;
      next = found.end;
      if (is_instruction(&found, name) && first.count++ == 0) first = found;
    }
    for (; at < next; at++) line += *at == '\n';
  }
  return first;
}

/* ---- elements and values ---- */

/* The last element of a name before the run; scripts set values again. */
static pl_xml_node *find_state(const script *s, const char *name)
{
  pl_xml_node *found = NULL;
  for (pl_xml_node *at = pl_xml_child(s->root, name); at; at = pl_xml_next(at, name))
    if (pl_xml_line(at) <= s->end) found = at;
  return found;
}

static const char *value_of(const pl_xml_node *node, const char *name)
{
  const char *text = pl_xml_attribute(node, name);
  const pl_xml_node *inside = text ? NULL : pl_xml_child(node, name);
  return inside ? pl_xml_text(inside) : text;
}

static int is_listed(const char *name, const char *const *list)
{
  for (; *list; list++)
    if (strcmp(*list, name) == 0) return 1;
  return 0;
}

/* Refuses attributes and elements that are none of these values. */
static void check_values(script *s, const pl_xml_node *node, const char *const *list)
{
  for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair))
    if (!is_listed(pl_xml_pair_name(pair), list))
      pl_edm_refuse(&s->edm, node, "does not know %s", pl_xml_pair_name(pair), "");
  for (const pl_xml_node *in = pl_xml_child(node, NULL); in; in = pl_xml_next(in, NULL))
    if (!is_listed(pl_xml_name(in), list))
      pl_edm_refuse(&s->edm, node, "does not know <%s>", pl_xml_name(in), "");
}

/* A number, or what is taken where there is none; NAN: it is needed. */
static double number_of(script *s, const pl_xml_node *node, const char *name, double preset)
{
  const char *text = value_of(node, name);
  double value = preset;
  if (!text && isnan(preset)) pl_edm_refuse(&s->edm, node, "needs %s", name, "");
  if (text && !pl_parse_double(text, &value))
    pl_edm_refuse(&s->edm, node, "%s=\"%s\" must be a finite number", name, text);
  return value;
}

/* Our word for theirs, which may have other letters' sizes and signs between, as in BDF(3). */
static const char *word_of(script *s, const pl_xml_node *node, const char *name, const word *known,
                           const char *preset, const char *choice)
{
  const char *text = value_of(node, name);
  char plain[32];
  size_t length = 0;
  if (!text) return preset;
  for (const char *at = text; *at && length + 1 < sizeof plain; at++)
    if (isalnum((unsigned char)*at)) plain[length++] = (char)tolower((unsigned char)*at);
  plain[length] = 0;
  for (; known->theirs; known++)
    if (strcmp(known->theirs, plain) == 0) return known->ours;
  pl_edm_refuse(&s->edm, node, choice, name, text);
  return preset;
}

/* ---- the parts of the scene ---- */

/* The first of a list of steps; the others are for a study. */
static double first_step(script *s, const pl_xml_node *solver)
{
  const char *text = value_of(solver, "timestep"), *at = text;
  double first = NAN;
  if (!text) pl_edm_refuse(&s->edm, solver, "needs timestep", "", "");
  for (int count = 0; at && *at; count++) {
    double step;
    at += strspn(at, " \t\r\n,;");
    const char *end = pl_read_double(at, &step);
    if (*at && (end == at || !(step > 0) || !isfinite(step))) {
      pl_edm_refuse(&s->edm, solver, "timestep=\"%s\" must be steps in s above 0", text, "");
      return NAN;
    }
    if (*at && count == 0) first = step;
    if (*at && count == 1)
      warn(s, pl_xml_line(solver),
           "timestep has several values; the scene takes the first, a study varies them: "
           "<vary name=\"dt\" path=\"world.dt\" values=\"...\"/>");
    at = end;
  }
  if (text && isnan(first))
    pl_edm_refuse(&s->edm, solver, "timestep=\"%s\" must be steps in s above 0", text, "");
  return first;
}

static void write_number(script *s, const char *name, double value)
{
  pl_edm_write(s->edm.out, name, &value, 1);
}

/* "0 0 -1", "(0,0,-1)": three numbers. */
static int read_vector(const char *text, double out[3])
{
  const char *const between = " \t\r\n,;()[]";
  for (int k = 0; k < 3; k++) {
    text += strspn(text, between);
    const char *end = pl_read_double(text, &out[k]);
    if (end == text || !isfinite(out[k])) return 0;
    text = end;
  }
  return !text[strspn(text, between)];
}

/* The sum of all body loads: accelerations, for the density multiplies them. */
static void find_gravity(script *s, double gravity[3])
{
  static const char *const names[] = {"BodyLoad", "GravityForce", "GravityLoad"};
  for (int i = 0; i < 3; i++) {
    for (pl_xml_node *at = pl_xml_child(s->root, names[i]); at; at = pl_xml_next(at, names[i])) {
      const char *text = value_of(at, "dir");
      double dir[3];
      if (!text || !read_vector(text, dir))
        pl_edm_refuse(&s->edm, at, "needs dir=\"x y z\", an acceleration in m/s^2", "", "");
      else if (pl_xml_line(at) <= s->end)
        for (int k = 0; k < 3; k++) gravity[k] += dir[k];
    }
  }
}

static void write_world(script *s, const pl_xml_node *solver)
{
  double gravity[3] = {0}, step = first_step(s, solver);
  double start = number_of(s, solver, "starttime", 0), end = number_of(s, solver, "endtime", NAN);
  const char *method =
      word_of(s, solver, "integrator", integrators, "bdf3",
              "%s=\"%s\" is unknown; there is ForwardEuler, Midpoint, RK4, DOPRI5, "
              "DOPRI853, ROCK2, Verlet, BackwardEuler, ImplicitMidpoint, BDF(2) to "
              "BDF(6), Rosenbrock2, Rosenbrock32 and Rosenbrock4");
  const char *linear = word_of(s, solver, "linearSolver", solvers, "direct",
                               "%s=\"%s\" is unknown; there is SparseLU, UMFPACK, SuperLU, Pcg and "
                               "Eis");
  if (end <= start) pl_edm_refuse(&s->edm, solver, "endtime must be above starttime", "", "");
  find_gravity(s, gravity);
  pl_text_add(s->edm.out, "  <world");
  write_number(s, "dt", step);
  write_number(s, "duration", end - start);
  pl_edm_write(s->edm.out, "gravity", gravity, 3);
  pl_text_add(s->edm.out, "/>\n  <integrator method=\"%s\"/>\n  <solver method=\"%s\"%s/>\n",
              method, linear,
              strcmp(linear, "cg") == 0 ? " preconditioner=\"block-diagonal\"" : "");
}

static void write_material(script *s, const pl_xml_node *mesh)
{
  static const char *const names[][2] = {{"lambda", "lambda"},
                                         {"mu", "mu"},
                                         {"dlambda", "viscous-lambda"},
                                         {"dmu", "viscous-mu"},
                                         {"density", "density"}};
  static const double presets[] = {NAN, NAN, 0, 0, 1000};
  pl_text_add(s->edm.out, "  <material name=\"tissue\" law=\"hooke\"");
  for (int i = 0; i < 5; i++)
    write_number(s, names[i][1], number_of(s, mesh, names[i][0], presets[i]));
  pl_text_add(s->edm.out, "/>\n");
}

static int ends_with(const char *text, const char *end)
{
  size_t all = strlen(text), length = strlen(end);
  return all >= length && strcmp(text + all - length, end) == 0;
}

static void write_mesh(script *s, const pl_xml_node *mesh)
{
  const char *file = value_of(mesh, "MeshFile");
  if (!file || !*file) pl_edm_refuse(&s->edm, mesh, "needs MeshFile", "", "");
  if (file && ends_with(file, ".volmesh"))
    pl_edm_refuse(&s->edm, mesh,
                  "MeshFile=\"%s\": the format .volmesh was never published; name the mesh in one "
                  "that pliant list format has, such as .msh or .vtk",
                  file, "");
  pl_text_add(s->edm.out, "  <mesh name=\"mesh\" file=\"");
  pl_text_xml(s->edm.out, file ? file : "");
  pl_text_add(s->edm.out, "\"/>\n");
}

/* Points or faces that are held: regions by our attributes. */
static void write_fixes(script *s, const char *name)
{
  static const char *const regions[][2] = {
      {"BoundingBox", "box"}, {"HalfSpace", "half-space"}, {"Normal", "normal"}};
  for (pl_xml_node *at = pl_xml_child(s->root, name); at; at = pl_xml_next(at, name)) {
    if (pl_xml_line(at) > s->end) continue;
    int count = 0;
    pl_text_add(s->edm.out, "    <fix>");
    for (int i = 0; i < 3; i++) {
      pl_xml_node *in = pl_xml_child(at, regions[i][0]);
      for (; in; in = pl_xml_next(in, regions[i][0]), count++) {
        pl_text_add(s->edm.out, "<%s", regions[i][1]);
        pl_xml_print_attributes(in, s->edm.out);
        pl_text_add(s->edm.out, "/>");
      }
    }
    pl_text_add(s->edm.out, "</fix>\n");
    if (!count)
      pl_edm_refuse(&s->edm, at, "needs <BoundingBox>, <HalfSpace> or <Normal> inside", "", "");
  }
}

static void write_output(script *s, double duration, const pl_xml_node *simulator)
{
  const char *text = simulator ? value_of(simulator, "writeEndMesh") : NULL;
  int writes =
      text && *text && strcmp(text, "0") != 0 && (text[0] | 32) != 'n' && (text[0] | 32) != 'f';
  pl_text_add(s->edm.out, "  <output");
  write_number(s, "every", duration);
  pl_text_add(s->edm.out, " format=\"%s\"/>\n", writes ? "vtu" : "none");
  if (simulator && value_of(simulator, "perEndFileTags"))
    warn(s, pl_xml_line(simulator), "perEndFileTags is not used: frames are numbered");
}

/* ---- the whole ---- */

pl_xml_node *pl_virtis_find(pl_xml_node *root)
{
  if (!root || strcmp(pl_xml_name(root), "pliant") == 0) return NULL;
  return pl_xml_child(root, "FEMesh") ? root : NULL;
}

/* What no part of the converter reads. */
static void check_elements(script *s)
{
  static const char *const known[] = {"FEMesh",
                                      "Solver",
                                      "Simulator",
                                      "BodyLoad",
                                      "GravityForce",
                                      "GravityLoad",
                                      "SurfacePointImmobilizer",
                                      "SurfaceFaceImmobilizer",
                                      NULL};
  for (pl_xml_node *at = pl_xml_child(s->root, NULL); at; at = pl_xml_next(at, NULL)) {
    if (!is_listed(pl_xml_name(at), known))
      pl_edm_refuse(&s->edm, at,
                    "is unknown; there is FEMesh, Solver, Simulator, BodyLoad, GravityForce, "
                    "SurfacePointImmobilizer and SurfaceFaceImmobilizer",
                    "", "");
  }
}

/* The end of the first run. */
static void find_run(script *s, const char *source, size_t size)
{
  instruction run = find_instruction(source, size, "simulate");
  instruction reference = find_instruction(source, size, "loadReference");
  s->end = run.line;
  if (!run.count)
    pl_edm_refuse(&s->edm, s->root, "has no <?simulate?>: nothing is to be run", "", "");
  if (run.count > 1)
    warn(s, run.line, "only the first <?simulate?> becomes a scene; a study runs several");
  if (reference.count)
    warn(s, reference.line,
         "loadReference is left out; a study compares: <reference file=\"...\"/>");
}

void pl_virtis_convert(pl_reader *reader, pl_xml_node *root, const char *source, size_t size,
                       pl_text *out)
{
  script s = {.edm = {.reader = reader, .out = out}, .root = root};
  find_run(&s, source, size);
  check_elements(&s);
  if (reader->error_count || reader->stopped) return;
  pl_xml_node *mesh = find_state(&s, "FEMesh"), *solver = find_state(&s, "Solver");
  pl_xml_node *simulator = find_state(&s, "Simulator");
  if (!mesh || !solver) {
    pl_edm_refuse(&s.edm, root, "has no <%s> before the first <?simulate?>",
                  mesh ? "Solver" : "FEMesh", "");
    return;
  }
  check_values(&s, mesh, mesh_values);
  check_values(&s, solver, solver_values);
  if (simulator) check_values(&s, simulator, simulator_values);
  pl_text_add(out, "<pliant title=\"%s\">\n", "script of the thesis");
  write_world(&s, solver);
  write_material(&s, mesh);
  write_mesh(&s, mesh);
  pl_text_add(out, "  <body name=\"body\" model=\"fem\" mesh=\"mesh\" material=\"tissue\" "
                   "strain=\"green\" mass=\"consistent\">\n");
  write_fixes(&s, "SurfacePointImmobilizer");
  write_fixes(&s, "SurfaceFaceImmobilizer");
  pl_text_add(out, "  </body>\n");
  write_output(&s, number_of(&s, solver, "endtime", 1) - number_of(&s, solver, "starttime", 0),
               simulator);
  pl_text_add(out, "</pliant>\n");
}
