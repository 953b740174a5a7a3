/* The guide of a scene: the row of its table. */
#include "scene/schema_rows.h"

const pl_element pl_schema_guide = {
    .name = "guide",
    .summary =
        "A coarse world that lends its rotations: the same scene with some values set otherwise, "
        "such as a coarser mesh and law=\"hooke\" with strain=\"green\". It is stepped with the "
        "scene, ahead of it, and bodies of law=\"hooke-lagged\" take their frames from its bodies "
        "of the same names.",
    .attributes =
        (const pl_attribute[]){
            TEXT("set", "text",
                 "what is otherwise there, as \"mesh.box.cells=2 2 3; body.strain=green\"", 0,
                 pl_check_text),
            NUMBER("update", "s", "frames are taken over that often; 0: there is no guide", 0, 1e9,
                   "0.1"),
            {.param = {.name = "moves",
                       .unit = "word",
                       .summary = "in each step from where the scene's bodies are, or by itself: "
                                  "then it bends less than they do, as coarse meshes are stiffer",
                       .words = "on|alone"},
             .preset = "on"},
            END,
        },
    .max = 1,
};
