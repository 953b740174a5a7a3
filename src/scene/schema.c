/* The tables of the scene: from the innermost element to the root. */
#include "scene/schema.h"

#include "body/map.h"
#include "couple/load.h"
#include "io/format.h"
#include "material/material.h"
#include "mesh/fill.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "model/model.h"
#include "ode/integrator.h"
#include "scene/value.h"
#include "shape/obstacle.h"
#include "sparse/solver.h"
#include "world/quantity.h"

#include <string.h>

#define FAR 1e9 /* the farthest place and the largest length, m */

// one row each; the text of a preset is what a user would write
#define NUMBER(NAME, UNIT, SUMMARY, LEAST, MOST, PRESET)                                           \
  {                                                                                                \
    .param = {NAME, UNIT, SUMMARY, 0, LEAST, MOST, NULL, 1}, .preset = PRESET                      \
  }
#define VECTOR(NAME, UNIT, SUMMARY, MOST, PRESET)                                                  \
  {                                                                                                \
    .param = {NAME, UNIT, SUMMARY, 0, -(MOST), MOST, NULL, 3}, .preset = PRESET                    \
  }
#define DIRECTION(NAME, SUMMARY, PRESET)                                                           \
  {                                                                                                \
    .param = {NAME, "1", SUMMARY, 0, -FAR, FAR, NULL, 3}, .preset = PRESET,                        \
    .check = pl_check_direction                                                                    \
  }
#define TEXT(NAME, FORM, SUMMARY, REQUIRED, CHECK)                                                 \
  {                                                                                                \
    .param = {.name = NAME, .unit = FORM, .summary = SUMMARY}, .required = REQUIRED,               \
    .check = CHECK                                                                                 \
  }
#define REFERENCE(NAME, SUMMARY, REQUIRED)                                                         \
  {                                                                                                \
    .param = {.name = NAME, .unit = "name", .summary = SUMMARY}, .required = REQUIRED,             \
    .check = pl_check_text, .refers = NAME                                                         \
  }
#define MEMBER(NAME, SUMMARY, FAMILY)                                                              \
  {                                                                                                \
    .param = {.name = NAME, .unit = "word", .summary = SUMMARY}, .check = pl_check_member,         \
    .family = &FAMILY, .adopts = 1                                                                 \
  }
#define END                                                                                        \
  {                                                                                                \
    .param = {.name = NULL }                                                                       \
  }

/* ---- regions ---- */

static const pl_element region = {
    .name = "region",
    .summary = "Nodes or faces of the rest shape; several regions are united.",
    .family = &pl_region_family,
    .attributes = (const pl_attribute[]){END},
};

static const pl_element set = {
    .name = "set",
    .summary = "A named set of the mesh.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "text", "of the set, as in the mesh", 1, pl_check_text),
            END,
        },
};

static const pl_element *const regions[] = {&region, &set, NULL};

/* ---- what holds and loads a body ---- */

#define HELD                                                                                       \
  {.param = {.name = "axes", .unit = "letters", .summary = "along which the nodes are held"},      \
   .preset = "xyz",                                                                                \
   .check = pl_check_axes},                                                                        \
      DIRECTION("normal", "in place of axes: held along this only, so that nodes stay in a plane", \
                NULL),                                                                             \
      DIRECTION("along", "in place of axes: free along this only, so that nodes stay on a rail",   \
                NULL)
#define RAMP                                                                                       \
  TEXT("ramp", "pairs",                                                                            \
       "times in s with factors, as in \"0 0, 0.5 1\": linear in between, constant outside; "      \
       "without it the factor is 1",                                                               \
       0, pl_check_ramp)

static const pl_element fix = {
    .name = "fix",
    .summary = "Holds the nodes of its regions where they are at rest. Of several fixes and moves "
               "of a node, the later takes over the directions that it holds.",
    .attributes = (const pl_attribute[]){HELD, END},
    .children = regions,
    .least_children = 1,
};

static const pl_element move = {
    .name = "move",
    .summary =
        "Moves the nodes of its regions: by the factor s of the ramp and that of offset-ramp, a "
        "node "
        "at rest at X is carried to centre + turn(axis, s angle) (X + s2 offset - centre) + s "
        "translation.",
    .attributes =
        (const pl_attribute[]){
            VECTOR("translation", "m", "of the whole motion", FAR, "0 0 0"),
            DIRECTION("axis", "of the turn, through the centre", "0 0 1"),
            NUMBER("angle", "degrees", "of the whole turn", -1e6, 1e6, "0"),
            VECTOR("centre", "m", "a point on the axis", FAR, "0 0 0"),
            VECTOR("offset", "m", "before the turn, and turned with it", FAR, "0 0 0"),
            RAMP,
            TEXT("offset-ramp", "pairs", "the same for the offset", 0, pl_check_ramp),
            HELD,
            END,
        },
    .children = regions,
    .least_children = 1,
};

static const pl_element rigid = {
    .name = "rigid",
    .summary = "A rigid part: the elements whose nodes all lie in its regions move as one body; "
               "the rest is attached to it as a skin. To move it as told, use <move> instead.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "hinge",
                       .unit = "word",
                       .summary = "what stays where it is in space",
                       .words = "none|point|axis"},
             .preset = "none"},
            VECTOR("centre", "m", "the point, or one on the axis", FAR, "0 0 0"),
            DIRECTION("axis", "of the hinge", "0 0 1"),
            END,
        },
    .children = regions,
    .least_children = 1,
};

static const pl_element load = {
    .name = "load",
    .summary = "Pushes the nodes or faces of its regions.",
    .family = &pl_load_family,
    .attributes = (const pl_attribute[]){RAMP, END},
    .children = regions,
    .least_children = 1,
};

static const pl_element pull = {
    .name = "pull",
    .summary =
        "A spring between a point of the body and a target that moves from that point by the "
        "ramp's factor times the translation: a hand that holds and moves it.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"at", "m", "a point of the body at rest", 0, -FAR, FAR, NULL, 3},
             .required = 1},
            VECTOR("translation", "m", "of the target", FAR, "0 0 0"),
            RAMP,
            NUMBER("stiffness", "N/m", "of the spring", 0, 1e15, "1000"),
            NUMBER("damping", "N s/m", "on the point's velocity", 0, 1e15, "0"),
            NUMBER("most-force", "N", "the spring pulls no harder; 0: there is no limit", 0, 1e15,
                   "0"),
            NUMBER("until", "s", "when it lets go", 0, 1e9, "1e9"),
            END,
        },
};

static const pl_element attach = {
    .name = "attach",
    .summary = "Attaches the nodes of its regions, or one of the body's frames, to another body by "
               "springs "
               "between points that coincide at rest. They push both bodies alike.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "to", .unit = "name", .summary = "the other body"},
             .required = 1,
             .check = pl_check_text,
             .refers = "body"},
            NUMBER("frame", "count",
                   "the frame that is attached as a whole, counted from 1 in the order of the "
                   "body's frames",
                   1, 64, NULL),
            NUMBER("to-frame", "count",
                   "the other body's frame that holds them; without it, its nodes around them do",
                   1, 64, NULL),
            NUMBER("stiffness", "N/m",
                   "of all springs together; 0: 30 times the shear modulus times the size of the "
                   "body",
                   0, 1e15, "0"),
            NUMBER("damping", "N s/m",
                   "of all springs together, on the rate at which their points part", 0, 1e15, "0"),
            NUMBER("arm", "m",
                   "how far from its place a frame is held at six points, which resist a turn by "
                   "2/3 stiffness arm^2; 0: at its place only, so that it may turn; a tenth of the "
                   "body's size if not given",
                   0, 1e9, NULL),
            END,
        },
    .children = regions,
};

static const pl_element frame = {
    .name = "frame",
    .summary = "Where a body of frames has one; without any it places them itself. What lies in "
               "regions inside is moved by this frame alone and stays rigid.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"at", "m", "a point of the body at rest", 0, -FAR, FAR, NULL, 3},
             .required = 1},
            END,
        },
    .children = regions,
};

static const pl_element part = {
    .name = "part",
    .summary = "Elements of the body that are made of something else: those whose middle lies in "
               "its regions, or that are in its sets. Later parts win.",
    .attributes =
        (const pl_attribute[]){
            REFERENCE("material", "what it is made of, of any law", 1),
            END,
        },
    .children = regions,
    .least_children = 1,
};

static const pl_element map = {
    .name = "map",
    .summary = "Density or stiffness that changes through the body: the material's times a factor. "
               "An element takes the factor's mean; several maps are multiplied.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "of",
                       .unit = "word",
                       .summary = "what is multiplied: all moduli, the density, or both",
                       .words = "stiffness|density|both"},
             .preset = "stiffness"},
            MEMBER("by", "where the factor comes from", pl_map_family),
            TEXT("file", "path",
                 "for by=\"image\": a stack of slices (.nrrd, or .pgm with one slice after the "
                 "other), relative to the scene's folder",
                 0, pl_check_text),
            END,
        },
};

/* ---- what stands in the root ---- */

static const pl_element world = {
    .name = "world",
    .summary = "Time and gravity.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"dt", "s", "time step", 0, 1e-9, 1e6, NULL, 1}, .required = 1},
            {.param = {"duration", "s", "simulated time", 0, 0, 1e9, NULL, 1}, .required = 1},
            VECTOR("gravity", "m/s^2", "acceleration of free bodies", 1e6, "0 0 -9.81"),
            {.param = {"halvings", "count",
                       "how often a step that fails is tried again with half the step; 0 for real "
                       "time",
                       0, 0, 20, NULL, 1},
             .preset = "6"},
            {.param = {"budget", "count",
                       "most iterations of the linear solver in one step, for hard real time: what "
                       "it has then counts, and no step is tried again; 0: no limit",
                       0, 0, 1e6, NULL, 1},
             .preset = "0"},
            {.param = {"tolerance", "m",
                       "automatic step control: steps are divided so that each part's estimated "
                       "error of positions (RMS) stays below this; 0: they are not divided",
                       0, 0, 1e6, NULL, 1},
             .preset = "0"},
            TEXT("start", "path",
                 "a checkpoint or recording, relative to the scene's folder, whose last state the "
                 "scene begins with",
                 0, pl_check_text),
            END,
        },
    .least = 1,
    .most = 1,
    .missing = "there is no <world>; add <world dt=\"0.01\" duration=\"1\"/>",
};

static const pl_element integrator = {
    .name = "integrator",
    .summary = "How a step is made.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("method", "the integrator", pl_integrator_family),
            END,
        },
    .most = 1,
};

static const pl_element solver = {
    .name = "solver",
    .summary = "How the linear systems of a step are solved.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("method", "the solver", pl_solver_family),
            MEMBER("preconditioner", "what speeds it up", pl_preconditioner_family),
            END,
        },
    .most = 1,
};

static const pl_element material = {
    .name = "material",
    .summary = "What bodies are made of.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "that bodies call it by", 1, pl_check_name),
            MEMBER("law", "stress from strain", pl_law_family),
            NUMBER("density", "kg/m^3", "mass per volume at rest", 1e-6, 1e9, "1000"),
            NUMBER("viscous-lambda", "Pa s", "modulus of the rate of volume change", 0, 1e15, "0"),
            NUMBER("viscous-mu", "Pa s", "modulus of the rate of strain", 0, 1e15, "0"),
            NUMBER("stiffness-damping", "s", "adds this times lambda and mu to the viscous moduli",
                   0, 1e6, "0"),
            NUMBER("mass-damping", "1/s", "drags every node, rigid motion as well", 0, 1e6, "0"),
            END,
        },
};

static const pl_element generator = {
    .name = "generator",
    .summary = "A simple shape.",
    .family = &pl_generator_family,
    .attributes = (const pl_attribute[]){END},
    .most = 1,
};

static const pl_element solid = {
    .name = "solid",
    .summary = "A solid by formula; groups hold others, and several in one place are united.",
    .family = &pl_solid_family,
    .attributes = (const pl_attribute[]){END},
    .children = (const pl_element *const[]){&solid, NULL},
};

static const pl_element shape = {
    .name = "shape",
    .summary = "The solids inside, filled with elements.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("method", "how it is filled", pl_filler_family),
            END,
        },
    .children = (const pl_element *const[]){&solid, NULL},
    .most = 1,
};

static const pl_element mesh = {
    .name = "mesh",
    .summary = "A mesh from a file, or of the one simple shape or the solids inside. A file that "
               "holds a surface is filled by the method.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "that bodies call it by", 1, pl_check_name),
            TEXT("file", "path", "mesh or surface file, relative to the scene's folder", 0,
                 pl_check_text),
            MEMBER("method", "how a surface is filled", pl_filler_family),
            {.param = {.name = "kind",
                       .unit = "word",
                       .summary = "elements that fill the shape, or triangles: the surface in the "
                                  "file or the boundary of the shape",
                       .words = "solid|surface"},
             .preset = "solid"},
            END,
        },
    .children = (const pl_element *const[]){&generator, &shape, NULL},
};

static const pl_element body = {
    .name = "body",
    .summary = "A deformable body.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "that probes call it by", 1, pl_check_name),
            MEMBER("model", "how it deforms", pl_model_family),
            REFERENCE("mesh", "its shape at rest", 1),
            REFERENCE("material", "what it is made of", 1),
            {.param = {.name = "surface",
                       .unit = "name",
                       .summary = "a finer mesh whose boundary follows the body and is shown and "
                                  "written in its place"},
             .check = pl_check_text,
             .refers = "mesh"},
            TEXT("texture", "path",
                 "a PNG or JPEG image that the viewer shows on the body; the triangles it follows "
                 "by come from an .obj or .glb file with texture coordinates",
                 0, pl_check_text),
            VECTOR("velocity", "m/s", "at the start", 1e6, "0 0 0"),
            VECTOR("spin", "rad/s", "angular velocity about its mass centre at the start", 1e6,
                   "0 0 0"),
            {.param = {.name = "momentum",
                       .unit = "word",
                       .summary = "as the step computed it, or kept: of a body that nothing holds "
                                  "only external forces change it (use it with strain=\"warped\")",
                       .words = "computed|kept"},
             .preset = "computed"},
            NUMBER("insert", "m",
                   "where a body of frames touches something, further frames are put in that act "
                   "within this distance, and taken out when no longer needed; 0: none",
                   0, 1e9, "0"),
            END,
        },
    .children = (const pl_element *const[]){&part, &map, &fix, &move, &rigid, &load, &pull, &attach,
                                            &frame, NULL},
    .least = 1,
    .missing = "there is nothing to simulate; add a <body>",
};

static const pl_element obstacle = {
    .name = "obstacle",
    .summary = "Something rigid that bodies touch.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "of the obstacle", 1, pl_check_name),
            MEMBER("shape", "its kind", pl_obstacle_family),
            END,
        },
};

static const pl_element probe = {
    .name = "probe",
    .summary = "A quantity that is written down after every step.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "of the column in probes.csv", 1, pl_check_name),
            REFERENCE("body", "the only one if not given; energies and the like: all of them", 0),
            VECTOR("at", "m", "a point of the body at rest, for quantities of a point", FAR, NULL),
            {.param = {.name = "quantity", .unit = "word", .summary = "what is measured"},
             .preset = "displacement",
             .check = pl_check_member,
             .family = &pl_quantity_family},
            END,
        },
};

static int can_be_written(const pl_member *member)
{
  return pl_format_is_written((const pl_format_ops *)(const void *)member);
}

static const pl_element output = {
    .name = "output",
    .summary = "A time series of frames.",
    .attributes =
        (const pl_attribute[]){
            NUMBER("every", "s", "time between frames", 1e-9, 1e9, "0.04"),
            {.param = {.name = "format", .unit = "word", .summary = "of the frames' files"},
             .preset = "vtu",
             .check = pl_check_member,
             .family = &pl_format_family,
             .accepts = can_be_written,
             .also = "none",
             .adopts = 1},
            {.param = {.name = "of",
                       .unit = "word",
                       .summary = "of a body with a surface that follows: its elements, that "
                                  "surface, or all that the format holds",
                       .words = "all|elements|surface"},
             .preset = "all"},
            {.param = {.name = "fields",
                       .unit = "word",
                       .summary = "of elements: the usual ones, or also F, strain, stress, "
                                  "principal stresses and energy density",
                       .words = "usual|all"},
             .preset = "usual"},
            END,
        },
};

static const pl_element view = {
    .name = "view",
    .summary = "How the picture of the last frame looks.",
    .attributes =
        (const pl_attribute[]){
            DIRECTION("direction", "from the bodies towards the eye", "1 -2 0.8"),
            DIRECTION("up", "what points upwards in the picture", "0 0 1"),
            {.param = {.name = "colour",
                       .unit = "word",
                       .summary = "the quantity shown",
                       .words = "none|von-mises|displacement|volume-ratio"},
             .preset = "von-mises"},
            END,
        },
    .most = 1,
};

const pl_element pl_scene_root = {
    .name = "pliant",
    .summary = "The scene.",
    .attributes =
        (const pl_attribute[]){TEXT("title", "text", "of plots and pictures", 0, pl_check_text),
                               END},
    .least = 1,
    .most = 1,
    .children = (const pl_element *const[]){&world, &integrator, &solver, &material, &mesh, &body,
                                            &obstacle, &probe, &output, &view, NULL},
};

/* ---- looking things up ---- */

static int is_named(const pl_element *element, const char *name)
{
  if (element->family) return pl_member_find(element->family, name) != NULL;
  return strcmp(element->name, name) == 0;
}

const pl_element *pl_element_child(const pl_element *element, const char *name)
{
  for (int i = 0; element->children && element->children[i]; i++) {
    if (is_named(element->children[i], name)) return element->children[i];
  }
  return NULL;
}

const pl_element *pl_element_parent_of(const pl_element *root, const char *name)
{
  if (pl_element_child(root, name)) return root;
  for (int i = 0; root->children && root->children[i]; i++) {
    if (root->children[i] == root) continue; // solids stand in solids
    const pl_element *found = pl_element_parent_of(root->children[i], name);
    if (found) return found;
  }
  return NULL;
}

const pl_attribute *pl_attribute_find(const pl_element *element, const char *name)
{
  for (const pl_attribute *row = element->attributes; row->param.name; row++) {
    if (strcmp(row->param.name, name) == 0) return row;
  }
  return NULL;
}

const pl_member *pl_attribute_member(const pl_attribute *attribute, const char *text)
{
  if (!text) text = attribute->preset ? attribute->preset : attribute->family->members[0]->name;
  const pl_member *member = pl_member_find(attribute->family, text);
  return member && (!attribute->accepts || attribute->accepts(member)) ? member : NULL;
}

int pl_child_words(const pl_element *element, const char **words, int most)
{
  int count = 0;
  for (int i = 0; element->children && element->children[i]; i++) {
    const pl_element *child = element->children[i];
    if (!child->family && count < most) words[count++] = child->name;
    for (int k = 0; child->family && child->family->members[k] && count < most; k++)
      words[count++] = child->family->members[k]->name;
  }
  return count;
}
