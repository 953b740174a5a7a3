/* What bodies touch: obstacles, contact and hands, as rows of the scene's tables. */
#include "couple/response.h"
#include "haptic/device.h"
#include "scene/schema_rows.h"
#include "shape/motion.h"
#include "shape/obstacle.h"

static const pl_element shape_part = {
    .name = "part of a union",
    .summary = "A shape that a union, or a part that is a union, is made of.",
    .family = &pl_obstacle_family,
    .attributes =
        (const pl_attribute[]){
            REFERENCE("mesh", "of a <mesh>: its triangles, or the boundary of its elements", 0),
            END,
        },
    .children = (const pl_element *const[]){&shape_part, NULL},
};

static const pl_element key = {
    .name = "key",
    .summary = "Where the obstacle is at a time, against where it was made.",
    .attributes =
        (const pl_attribute[]){
            {.param = {"time", "s", "when it is there", 0, -1e9, 1e9, NULL, 1}, .required = 1},
            VECTOR("translation", "m", "how far", FAR, "0 0 0"),
            VECTOR("rotation", "degrees", "turned about this vector by its length", 1e6, "0 0 0"),
            END,
        },
};

static const pl_element motion = {
    .name = "motion",
    .summary = "How the obstacle moves; several act one after the other.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("by", "its kind", pl_motion_family),
            END,
        },
    .children = (const pl_element *const[]){&key, NULL},
};

const pl_element pl_schema_obstacle = {
    .name = "obstacle",
    .summary = "Something rigid that bodies touch, at rest or moving. Unions have their shapes "
               "inside.",
    .attributes =
        (const pl_attribute[]){
            TEXT("name", "name", "of the obstacle", 1, pl_check_name),
            MEMBER("shape", "its kind", pl_obstacle_family),
            NUMBER("friction", "1",
                   "Coulomb's coefficient: what the tangential force may be of the normal one", 0,
                   100, "0"),
            NUMBER("static-friction", "1",
                   "the same while a node sticks; without it, as while it slides", 0, 100, NULL),
            NUMBER("restitution", "1",
                   "part of its normal velocity with which a node bounces that was apart", 0, 1,
                   "0"),
            NUMBER("margin", "m",
                   "distance that nodes keep from it: cloth between nodes may then bulge into it "
                   "without being seen inside",
                   0, 1e9, "0"),
            REFERENCE("mesh", "for shape=\"mesh\": its triangles, or the boundary of its elements",
                      0),
            TEXT("file", "path",
                 "for shape=\"heightfield\": a grey picture (.pgm or .nrrd), relative to the "
                 "scene's folder, white is height 1",
                 0, pl_check_text),
            END,
        },
    .children = (const pl_element *const[]){&motion, &shape_part, NULL},
};

const pl_element pl_schema_contact = {
    .name = "contact",
    .summary = "How bodies touch obstacles and each other; without it they do, as its presets say.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("response", "what keeps them apart", pl_response_family),
            {.param = {.name = "bodies",
                       .unit = "word",
                       .summary = "do bodies keep apart from each other?",
                       .words = "apart|through"},
             .preset = "apart"},
            NUMBER("friction", "1", "coefficient between bodies; obstacles have their own", 0, 1e3,
                   "0.3"),
            NUMBER(
                "range", "m",
                "distance at which the force begins; 0: 1/1000 of the scene's size, or a quarter "
                "of the surfaces' mean edge, if that is less",
                0, 1e9, "0"),
            NUMBER("stiffness", "1", "factor on that of the force, which follows from the bodies",
                   1e-9, 1e9, "1"),
            NUMBER("passes", "count",
                   "most passes over the contacts of a substep: few are quick, and friction and "
                   "who touches may lag behind; 0: until they are right",
                   0, 24, "0"),
            END,
        },
    .max = 1,
};

const pl_element pl_schema_hand = {
    .name = "hand",
    .summary =
        "A hand that feels the bodies through a device; its servo loop runs at 1 kHz, in "
        "simulated time unless the run is in real time. A shape inside is its tool, with its "
        "origin at the device.",
    .attributes =
        (const pl_attribute[]){
            MEMBER("device", "what it holds", pl_device_family),
            NUMBER("stiffness", "N/m", "of the spring between device and surface", 0, 1e6, "300"),
            NUMBER("damping", "N s/m", "of a damper beside it", 0, 1e4, "0"),
            NUMBER("friction", "1", "Coulomb's coefficient at the surface", 0, 100, "0"),
            NUMBER("radius", "m", "of the tool; 0 is a point", 0, 10, "0"),
            NUMBER("max-force", "N", "the device exerts no more", 0, 1e6, "20"),
            NUMBER("spin", "s",
                   "how long before each tick the servo thread waits without sleeping: steadier "
                   "ticks at the price of that share of a core; 0.0009 where a real device has "
                   "late ticks and a core can be spared",
                   0, 1e-3, "0"),
            {.param = {.name = "plane",
                       .unit = "word",
                       .summary = "what is felt between two steps: a plane that moves on with the "
                                  "surface, which is crisp, or one that stands, which is stable at "
                                  "larger steps; auto: moves until the loop gives out energy",
                       .words = "auto|moves|stands"},
             .preset = "auto"},
            TEXT("file", "path",
                 "for device=\"record\": a table of time, x, y, z, such as hand.csv of an earlier "
                 "run, relative to the scene's folder",
                 0, pl_check_text),
            END,
        },
    .children = (const pl_element *const[]){&shape_part, NULL},
    .max = 1,
};
