/* Dead loads: forces of fixed direction and size on nodes or faces. */
#include "couple/load.h"

/* A dead load: the same vector per weight at every node. */
static void add_dead(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  for (int i = 0; i < shape->node_count; i++) {
    double *node = f + 3 * shape->nodes[i], share = at->factor * shape->weights[i];
    for (int k = 0; k < 3; k++) node[k] += share * at->values[k];
  }
}

static const pl_param force_params[] = {{.name = "value",
                                         .unit = "N",
                                         .summary = "total force, shared equally by the nodes",
                                         .preset = 0,
                                         .min = -1e15,
                                         .max = 1e15,
                                         .width = 3}};
static const pl_param traction_params[] = {{.name = "value",
                                            .unit = "Pa",
                                            .summary = "force per area of the rest surface",
                                            .preset = 0,
                                            .min = -1e15,
                                            .max = 1e15,
                                            .width = 3}};

const pl_load_ops pl_load_force = {
    .info = {"force", "a force of fixed direction on the nodes of a region", "Hauth 2004, 5.4.1",
             force_params, 1, NULL},
    .add = add_dead,
};
const pl_load_ops pl_load_traction = {
    .info = {"traction", "a force per rest area of fixed direction on faces (dead load)",
             "Hauth 2004, 2.4", traction_params, 1, NULL},
    .on_faces = 1,
    .add = add_dead,
};
