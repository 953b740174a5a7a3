/* What may stand in a body of a scene. */
#include "body/map.h"
#include "couple/effect.h"
#include "couple/link.h"
#include "couple/load.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "scene/schema_rows.h"
#include "world/indicator.h"

/* ---- regions ---- */

static const pl_element region = {
    .name = "region",
    .summary = "Nodes or faces of the rest shape; several regions are united.",
    .family = &pl_region_family,
    .attributes = (const pl_attribute[]){END},
};

static const pl_element set = {
    .name = "set",
    .summary = "A named set of the mesh; of a grid also particles by their places, \"[m,n]\" or "
               "\"[l,m,n]\" "
               "from 0 on, negative from the end; * is all.",
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
    .min_children = 1,
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
    .min_children = 1,
};

static const pl_element rigid = {
    .name = "rigid",
    .summary = "A rigid part: the elements whose nodes all lie in its regions move as one body; "
               "the rest is attached to it as a skin. To prescribe its motion, use <move> instead.",
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
    .min_children = 1,
};

static const pl_element load = {
    .name = "load",
    .summary = "Pushes the nodes or faces of its regions.",
    .family = &pl_load_family,
    .attributes = (const pl_attribute[]){RAMP, END},
    .children = regions,
    .min_children = 1,
};

static const pl_element effect = {
    .name = "effect",
    .summary = "Acts on the whole body.",
    .family = &pl_effect_family,
    .attributes = (const pl_attribute[]){END},
};

static const pl_element link = {
    .name = "link",
    .summary = "Pulls at a point of the body and a point of another, along the line between them.",
    .family = &pl_link_family,
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "to", .unit = "name", .summary = "the other body"},
             .check = pl_check_text,
             .refers = "body",
             .required = 1},
            END,
        },
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
            NUMBER("max-force", "N", "the spring pulls no harder; 0: there is no limit", 0, 1e15,
                   "0"),
            NUMBER("until", "s", "when it lets go", 0, 1e9, "1e9"),
            END,
        },
};

static const pl_element attach = {
    .name = "attach",
    .summary =
        "Attaches the nodes of its regions, or one of the body's frames, to another body (or nodes "
        "to an obstacle) by springs "
        "between points that coincide at rest, or exactly. They push both bodies alike. One "
        "node that is held exactly is a ball joint, two are a hinge.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "to", .unit = "name", .summary = "the other body"},
             .check = pl_check_text,
             .refers = "body"},
            {.param = {.name = "obstacle",
                       .unit = "name",
                       .summary = "what the nodes are attached to in place of a body, by springs: "
                                  "they stay at their places of it, which move with it"},
             .check = pl_check_text,
             .refers = "obstacle"},
            {.param = {.name = "slide",
                       .unit = "word",
                       .summary = "yes: the nodes slide along the obstacle's surface, at the "
                                  "distance that they have at rest; on two surfaces at once: along "
                                  "the curve in which these meet",
                       .words = "no|yes"},
             .preset = "no"},
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
            NUMBER("breaking", "N",
                   "of all springs together: a point whose spring pulls by more than its share is "
                   "released for good; 0: never. When all are, the bodies touch",
                   0, 1e15, "0"),
            NUMBER("arm", "m",
                   "how far from its place a frame is held at six points, which resist a turn by "
                   "2/3 stiffness arm^2; 0: at its place only, so that it may turn; a tenth of the "
                   "body's size if not given",
                   0, 1e9, NULL),
            {.param = {.name = "exact",
                       .unit = "word",
                       .summary =
                           "yes: the points stay together exactly, by constraints in place of "
                           "springs; the body with the finer mesh should be the attached one",
                       .words = "no|yes"},
             .preset = "no"},
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
    .min_children = 1,
};

static const pl_element particle = {
    .name = "particle",
    .summary = "Particles of a body of model=\"grid\" that differ from the others; later ones win. "
               "Without a number they are as the others.",
    .attributes =
        (const pl_attribute[]){
            TEXT("at", "place",
                 "\"[m,n]\" or \"[l,m,n]\" from 0 on, negative from the end; * is all", 1,
                 pl_check_text),
            NUMBER("mass", "kg", "of each", 1e-15, 1e15, NULL),
            NUMBER("damping", "kg/s", "of each", 0, 1e15, NULL),
            {.param = {"tension", "N/m^3", "along the axes", 0, 0, 1e15, NULL, 3}},
            {.param = {"shear", "N/m^3", "between the axes: 12, 13, 23", 0, 0, 1e15, NULL, 3}},
            {.param = {"rigidity", "N/m", "along the axes", 0, 0, 1e15, NULL, 3}},
            NUMBER("twist", "N/m", "between the axes", 0, 1e15, NULL),
            END,
        },
};

static const pl_element crease = {
    .name = "crease",
    .summary = "A line of a body of model=\"cloth\" that is folded at rest: the edges whose ends "
               "are both in its regions. Later ones win.",
    .attributes =
        (const pl_attribute[]){
            {.param =
                 {"angle", "degrees",
                  "by which it is folded at rest, 0 is flat; above 0 the upper side is outside", 0,
                  -179, 179, NULL, 1},
             .required = 1},
            END,
        },
    .children = regions,
    .min_children = 1,
};

static const pl_element curve = {
    .name = "curve",
    .summary = "What was measured of a body of model=\"cloth\", in place of its moduli: force per "
               "width over strain, or moment per width over curvature; linear between points and "
               "beyond the last, odd if there are no negative strains.",
    .attributes =
        (const pl_attribute[]){
            {.param = {.name = "of",
                       .unit = "word",
                       .summary = "along warp or weft (over the stretch minus 1), in shear (over "
                                  "the sine of the angle between the yarns and its rest), or in "
                                  "bending (over the curvature in 1/m)",
                       .words = "warp|weft|shear|bending"},
             .required = 1},
            TEXT("points", "pairs", "strain and N/m (bending: 1/m and N), as in \"0 0, 0.05 20\"",
                 1, pl_check_ramp),
            NUMBER(
                "friction", "N/m",
                "force (bending: N) that hysteresis adds or takes at most: loading and unloading "
                "lie twice that apart; 0: none",
                0, 1e12, "0"),
            NUMBER("turn", "1",
                   "strain (bending: 1/m) within which friction turns around (Dahl's law)", 1e-12,
                   1e12, "0.005"),
            END,
        },
};

static const pl_element refine = {
    .name = "refine",
    .summary = "The mesh is refined and coarsened in places while the body moves: where the "
               "indicator is above its upper threshold tetrahedra are cut into eight, where it is "
               "below the lower one they are taken back. What is drawn, touched and held is the "
               "finest mesh; nodes that are not in use follow the others. Linear tetrahedra of "
               "model=\"fem\".",
    .attributes =
        (const pl_attribute[]){
            NUMBER("levels", "count",
                   "how often a tetrahedron may be cut; 0: never, as without refine", 0, 6, "2"),
            NUMBER("start", "count", "the level that all of the body starts with", 0, 6, "0"),
            NUMBER("wait", "count", "steps from one look to the next", 1, 1e6, "5"),
            MEMBER("indicator", "where it is refined", pl_indicator_family),
            END,
        },
    .max = 1,
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

const pl_element pl_schema_body = {
    .name = "body",
    .summary = "A body, deformable or rigid.",
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
                 "an image that is shown on the body, PNG or JPEG, or BMP or TGA without "
                 "compression; on a grid along its last two axes, else by the texture coordinates "
                 "of the .obj or .glb file that its surface comes from",
                 0, pl_check_text),
            {.param = {"colour", "1", "red, green and blue that it is shown in", 0, 0, 1, NULL, 3}},
            VECTOR("translation", "m",
                   "of the mesh before anything else; regions mean the body there", FAR, "0 0 0"),
            VECTOR(
                "rotation", "degrees",
                "of the mesh about the origin, before the translation: about this vector, by its "
                "length",
                1e6, "0 0 0"),
            {.param = {.name = "start",
                       .unit = "name",
                       .summary = "a mesh of the same elements that it starts as; without it, it "
                                  "starts at rest"},
             .check = pl_check_text,
             .refers = "mesh"},
            VECTOR("stretch", "1",
                   "factors along x, y, z by which it is stretched at the start, about its mass "
                   "centre",
                   1e3, "1 1 1"),
            VECTOR("velocity", "m/s", "at the start", 1e6, "0 0 0"),
            VECTOR("spin", "rad/s", "angular velocity about its mass centre at the start", 1e6,
                   "0 0 0"),
            {.param = {.name = "hanging",
                       .unit = "word",
                       .summary = "nodes where small elements meet large ones: their forces and "
                                  "mass go to what they hang on, or are lost, as printed in Zhuang "
                                  "& Canny 2000 (a baseline that loses momentum)",
                       .words = "carried|averaged"},
             .preset = "carried"},
            {.param = {.name = "momentum",
                       .unit = "word",
                       .summary = "as the step computed it, or kept: of a body that nothing holds "
                                  "only external forces change it (use it with strain=\"warped\")",
                       .words = "computed|kept"},
             .preset = "computed"},
            {.param = {.name = "self-contact",
                       .unit = "word",
                       .summary = "do parts of its surface keep apart from each other?",
                       .words = "no|yes"},
             .preset = "no"},
            {.param = {.name = "warp",
                       .unit = "word",
                       .summary = "direction of the warp of model=\"cloth\": the first of the "
                                  "material's axes, or up in the texture coordinates of the mesh's "
                                  ".obj or .glb file",
                       .words = "axes|texture"},
             .preset = "axes"},
            NUMBER("insert", "m",
                   "where a body of frames touches something, further frames are put in that act "
                   "within this distance, and taken out when no longer needed; 0: none",
                   0, 1e9, "0"),
            END,
        },
    .children =
        (const pl_element *const[]){&part, &map, &fix, &move, &rigid, &load, &effect, &link, &pull,
                                    &attach, &frame, &particle, &crease, &curve, &refine, NULL},
    .min = 1,
    .missing = "there is nothing to simulate; add a <body>",
};
