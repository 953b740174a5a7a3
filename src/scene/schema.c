/* The tables of the scene: from the innermost element to the root. */
#include "io/format.h"
#include "material/material.h"
#include "mesh/fill.h"
#include "mesh/grid.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "ode/integrator.h"
#include "scene/planet.h"
#include "scene/schema_rows.h"
#include "sparse/solver.h"
#include "world/glyph.h"
#include "world/quantity.h"

#include <string.h>

/* ---- what stands in the root ---- */

static pl_status check_step(const pl_attribute *self, const char *text, pl_error *error)
{
  double dt;
  return strcmp(text, "auto") == 0 ? PL_OK : pl_param_parse(&self->param, text, &dt, error);
}

static const pl_element world = {
    .name = "world",
    .summary = "Time and gravity.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"dt", "s", "time step; auto: 1/60 s and substeps=\"auto\"", 0, 1e-9, 1e6,
                       NULL, 1},
             .required = 1,
             .check = check_step},
            {.param = {"duration", "s", "simulated time", 0, 0, 1e9, NULL, 1}, .required = 1},
            {.param = {"gravity", "m/s^2",
                       "acceleration of free bodies; or a planet, as in gravity=\"mars\", also "
                       "the sun, the moon and pluto: along -z",
                       0, -1e6, 1e6, NULL, 3},
             .preset = "0 0 -9.81",
             .check = pl_check_gravity},
            {.param = {"halvings", "count",
                       "how often a step that fails is tried again with half the step; 0 for real "
                       "time",
                       0, 0, 20, NULL, 1},
             .preset = "6"},
            {.param = {"budget", "count",
                       "most iterations of the linear solver in one step, for hard real time: when "
                       "they run out, the current iterate is accepted, and no step is retried; 0: "
                       "no limit",
                       0, 0, 1e6, NULL, 1},
             .preset = "0"},
            {.param = {"budget-ms", "ms",
                       "wall time that a step may take: iterations stop in time, then matrices are "
                       "kept over steps and less is refined; 0: no limit",
                       0, 0, 1e9, NULL, 1},
             .preset = "0"},
            {.param = {.name = "real-time",
                       .unit = "word",
                       .summary = "keep step with the clock, as pliant run --real-time does",
                       .words = "no|yes"},
             .preset = "no"},
            {.param = {"tolerance", "m",
                       "automatic step control: steps are divided so that each part's estimated "
                       "error of positions (RMS) stays below this; 0: they are not divided",
                       0, 0, 1e6, NULL, 1},
             .preset = "0"},
            {.param = {.name = "substeps",
                       .unit = "word",
                       .summary = "steps as they are, or of explicit methods divided into equal "
                                  "parts as the critical step of the deformed bodies asks for",
                       .words = "one|auto"},
             .preset = "one"},
            {.param = {.name = "unstable",
                       .unit = "word",
                       .summary = "of a step above the critical one of an explicit method: an "
                                  "error before the first step, or a warning",
                       .words = "refuse|warn"},
             .preset = "refuse"},
            TEXT("start", "path",
                 "a checkpoint or recording, relative to the scene's folder, whose last state the "
                 "scene begins with",
                 0, pl_check_text),
            END,
        },
    .min = 1,
    .max = 1,
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
    .max = 1,
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
    .max = 1,
};

static const pl_element orientation = {
    .name = "orientation",
    .summary = "How the axes of the material lie in the rest shape, for laws and fibres with "
               "directions: x, y and z unless said here.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "kind",
                       .unit = "word",
                       .summary =
                           "the same everywhere (first, second), away from a line, around "
                           "it and along it (point, axis), or as the mesh's file says for each "
                           "element",
                       .words = "axes|cylindrical|mesh"},
             .preset = "axes"},
            DIRECTION("first", "first axis", "1 0 0"),
            DIRECTION("second", "second axis; its part at a right angle to the first counts",
                      "0 1 0"),
            VECTOR("point", "m", "a point of the line", FAR, "0 0 0"),
            DIRECTION("axis", "direction of the line", "0 0 1"),
            END,
        },
    .max = 1,
};

static const pl_element fibres = {
    .name = "fibres",
    .summary =
        "A family of fibres beside the law (Holzapfel, Gasser, Ogden) that stiffens exponentially "
        "with e = kappa (I1 - 3) + (1 - 3 kappa) (I4 - 1), where that is positive; up to four.",
    .attributes =
        (const pl_attribute[]){
            NUMBER("k1", "Pa", "stiffness", 0, 1e15, "1e4"),
            NUMBER("k2", "1", "how fast it grows with the stretch", 1e-9, 1e6, "1"),
            NUMBER("kappa", "1", "dispersion: 0 all along the direction, 1/3 in all directions", 0,
                   0.33333333333333337, "0"),
            DIRECTION("direction", "of the fibres, in the axes of the material", "1 0 0"),
            END,
        },
};

static const pl_element limit = {
    .name = "limit",
    .summary = "Stretches beyond which the material is stiffer than its law says.",
    .attributes =
        (const pl_attribute[]){
            NUMBER("most", "1", "largest stretch of the law alone", 1.0001, 1000, "1.5"),
            NUMBER("least", "1", "smallest one; 0: none", 0, 0.9999, "0"),
            NUMBER("factor", "1", "how many times Young's modulus a rod has beyond", 1.0001, 1e6,
                   "20"),
            END,
        },
    .max = 1,
};

static const pl_element memory = {
    .name = "memory",
    .summary = "A fading memory around the law: part of its resistance relaxes in time "
               "(viscoelasticity). Given by a Prony series, by a form with a share and a time, or "
               "by a quality factor that is the same over a band of frequencies.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "form",
                       .unit = "word",
                       .summary = "generalised: by prony or q; standard: a share that fades with "
                                  "tau; maxwell: all fades with tau, there is no rest shape; "
                                  "kelvin-voigt: nothing fades, a dashpot of the modulus times tau "
                                  "stands beside",
                       .words = "generalised|standard|maxwell|kelvin-voigt"},
             .preset = "generalised"},
            TEXT("prony", "pairs",
                 "of each term the share of the moduli that fades, and the time in s in which it "
                 "falls to 1/e: \"0.3 0.05, 0.2 1\"; at most six",
                 0, pl_check_prony),
            NUMBER("share", "1", "of the moduli, that fades (standard)", 0, 1e9, NULL),
            NUMBER("tau", "s", "time of the form", 1e-9, 1e12, NULL),
            NUMBER("q", "1", "quality factor: storage over loss modulus", 0.5, 1e6, NULL),
            {.param = {"band", "Hz", "lowest and highest frequency with that factor", 0, 1e-9, 1e9,
                       NULL, 2},
             .preset = "0.1 10000"},
            NUMBER("terms", "count",
                   "of the series that has it; 6 keep within 4.4 % of q over five "
                   "decades, 3 within 56 %",
                   1, PL_MAX_TERMS, "6"),
            {.param = {.name = "moduli",
                       .unit = "word",
                       .summary = "the law's are those of a sudden load, of which the shares fade, "
                                  "or those that last, beside which the shares fade",
                       .words = "instant|long"},
             .preset = "instant"},
            {.param = {.name = "rule",
                       .unit = "word",
                       .summary = "how stress changes within a step: linear, of second order; or "
                                  "hermite, by its rates at both ends, of fourth order, for "
                                  "integrators above order 2 (model fem)",
                       .words = "linear|hermite"},
             .preset = "linear"},
            {.param = {.name = "of",
                       .unit = "word",
                       .summary = "what fades: the resistance to shear, to a change of volume, or "
                                  "both",
                       .words = "shape|volume|both"},
             .preset = "shape"},
            END,
        },
    .max = 1,
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
            {.param = {.name = "mass-damping-of",
                       .unit = "1",
                       .summary = "what mass-damping acts on: all motion, or deformation only, so "
                                  "that bodies fall and spin freely",
                       .max = 1,
                       .words = "motion|deformation"},
             .preset = "motion"},
            END,
        },
    .children = (const pl_element *const[]){&orientation, &fibres, &limit, &memory, NULL},
};

static const pl_element generator = {
    .name = "generator",
    .summary = "A simple shape.",
    .family = &pl_generator_family,
    .attributes = (const pl_attribute[]){END},
    .max = 1,
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
    .max = 1,
};

static const pl_element point = {
    .name = "point",
    .summary = "A control point; the first index runs fastest.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"at", "m", "where it is", 0, -FAR, FAR, NULL, 3}, .required = 1},
            END,
        },
};

static const pl_element bezier = {
    .name = "bezier",
    .summary = "A grid of particles on a Bezier patch, or in a Bezier solid, for model=\"grid\": "
               "(order + 1)^2 control points, or (order + 1)^3.",
    .attributes =
        (const pl_attribute[]){
            NUMBER("order", "1", "of the polynomials", 1, PL_MOST_ORDER, "1"),
            TEXT("particles", "counts", "along the axes: \"9 9\" of a patch, \"5 5 5\" of a solid",
                 1, pl_check_text),
            TEXT("around", "letters",
                 "axes that go around, as in \"m\": behind the last particle comes the first; a "
                 "patch has m and n, a solid l, m and n",
                 0, pl_check_text),
            END,
        },
    .children = (const pl_element *const[]){&point, NULL},
    .max = 1,
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
                                  "file or the boundary of the shape; a sheet is a surface whose "
                                  "holes are not closed",
                       .words = "solid|surface|sheet"},
             .preset = "solid"},
            {.param = {.name = "element",
                       .unit = "word",
                       .summary =
                           "as made; tet10: quadratic tetrahedra with the midpoints of edges "
                           "as nodes (model fem); octets: eight linear tetrahedra of each, "
                           "which can share their volume (volume=\"patch\")",
                       .words = "made|tet10|octets"},
             .preset = "made"},
            END,
        },
    .children = (const pl_element *const[]){&generator, &shape, &bezier, NULL},
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
                       .summary =
                           "of elements: the usual ones, or also F, strain, stress, "
                           "principal values, pressure and energy density, and at nodes mean "
                           "stress and the forces of fixes and of contact",
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
                       .words = "none|von-mises|displacement|volume-ratio|level"},
             .preset = "von-mises"},
            {.param = {.name = "glyphs",
                       .unit = "word",
                       .summary =
                           "figures inside the bodies, which are cut open: rotations of elements, "
                           "ellipsoids of stress or strain, fibres, forces, fixed nodes",
                       .words = PL_GLYPH_WORDS},
             .preset = "none"},
            END,
        },
    .max = 1,
};

const pl_element pl_scene_root = {
    .name = "pliant",
    .summary = "The scene.",
    .attributes =
        (const pl_attribute[]){TEXT("title", "text", "of plots and pictures", 0, pl_check_text),
                               END},
    .min = 1,
    .max = 1,
    .children =
        (const pl_element *const[]){&world, &integrator, &solver, &material, &mesh, &pl_schema_body,
                                    &pl_schema_obstacle, &pl_schema_contact, &pl_schema_hand,
                                    &pl_schema_guide, &probe, &output, &view, NULL},
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

int pl_child_words(const pl_element *element, const char **words, int max)
{
  int count = 0;
  for (int i = 0; element->children && element->children[i]; i++) {
    const pl_element *child = element->children[i];
    if (!child->family && count < max) words[count++] = child->name;
    for (int k = 0; child->family && child->family->members[k] && count < max; k++)
      words[count++] = child->family->members[k]->name;
  }
  return count;
}
