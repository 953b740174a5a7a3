/* A torque about an axis as a traction on faces that grows with the distance from the axis:
 *
 *   t = value n x (X - c),    |t| = value r,    n: the axis' unit vector
 *
 * per area at rest; the torque is value times the area's polar moment. Dead: as at rest. Live: of
 * the same size, along n x (x - c) where the surface is now, so that the torque stays what it is
 * when the body turns. The dependence on x is left out of the stiffness: it is not symmetric. */
#include "couple/load.h"
#include "math/vec3.h"

enum { VALUE, CENTRE, AXIS = 4, LIVE };

static const pl_param params[] = {
    {"value", "Pa/m", "force per rest area and distance from the axis", 0, -1e15, 1e15, NULL, 1},
    {"centre", "m", "a point of the axis", 0, -1e9, 1e9, NULL, 3},
    {"axis", "1", "direction of the axis", 2, 0, 2, "x|y|z", 1},
    {"live", "1", "the traction turns with the surface", 0, 0, 1, "no|yes", 1},
};

/* n x (x - c). */
static void around(const double *values, const double axis[3], const double *x, double out[3])
{
  double arm[3];
  pl_vec3_sub(x, values + CENTRE, arm);
  pl_vec3_cross(axis, arm, out);
}

static void add_torque(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  double axis[3] = {0};
  axis[(int)at->values[AXIS]] = 1;
  for (int i = 0; i < shape->node_count; i++) {
    double t[3], now[3], size = at->factor * shape->weights[i] * at->values[VALUE];
    size_t node = 3 * (size_t)shape->nodes[i];
    around(at->values, axis, shape->rest + node, t);
    around(at->values, axis, at->x + node, now);
    double wanted = pl_vec3_norm(t), is = pl_vec3_norm(now);
    if (at->values[LIVE] > 0 && is > 0) pl_vec3_scale(wanted / is, now, t);
    pl_vec3_add_scaled(size, t, f + node);
  }
}

const pl_load_ops pl_load_torque = {
    .info = {"torque", "a traction around an axis that grows with the distance from it",
             "Zhuang & Canny 2000, figure 1", params, sizeof params / sizeof *params, NULL},
    .on_faces = 1,
    .add = add_torque,
};
