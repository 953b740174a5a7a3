/* Ready-made bodies, as tables of simpler solids: about one unit long, standing on z = 0, looking
 * along x, with the same left and right. A body scales them to its length. */
#include "mesh/solid.h"

#define FAR         1e9
#define COUNT(list) sizeof list / sizeof *list

static const pl_param params[] = {{"length", "m",
                                   "of the whole, about; it stands on z = 0 and looks along x", 1,
                                   1e-9, FAR, NULL, 0}};

static double value(const pl_solid_node *nodes, int index, const double point[3])
{
  double length = nodes[index].values[0];
  double place[3] = {point[0] / length, point[1] / length, point[2] / length};
  return length * pl_solid_value(nodes, index + 1, place);
}

static void bounds(const pl_solid_node *nodes, int index, double low[3], double high[3])
{
  pl_solid_bounds(nodes, index + 1, low, high);
  for (int k = 0; k < 3; k++) {
    low[k] *= nodes[index].values[0];
    high[k] *= nodes[index].values[0];
  }
}

// lines: a group with its number, or a solid with its values
#define UNION(DEPTH, SMOOTH)                                                                       \
  {                                                                                                \
    DEPTH, &pl_solid_union, { SMOOTH }                                                             \
  }
#define INTERSECTION(DEPTH, SMOOTH)                                                                \
  {                                                                                                \
    DEPTH, &pl_solid_intersection, { SMOOTH }                                                      \
  }
#define DIFFERENCE(DEPTH, SMOOTH)                                                                  \
  {                                                                                                \
    DEPTH, &pl_solid_difference, { SMOOTH }                                                        \
  }
#define MIRROR(DEPTH)                                                                              \
  {                                                                                                \
    DEPTH, &pl_solid_mirror, { 1, 0 }                                                              \
  }
#define NOISE(DEPTH, AMPLITUDE, WAVE, SEED)                                                        \
  {                                                                                                \
    DEPTH, &pl_solid_noise, { AMPLITUDE, WAVE, SEED }                                              \
  }
/* turned about an axis through the origin, then moved */
#define MOVE(DEPTH, X, Y, Z, AX, AY, AZ, ANGLE)                                                    \
  {                                                                                                \
    DEPTH, &pl_solid_move, { X, Y, Z, AX, AY, AZ, ANGLE, 1 }                                       \
  }
#define SPHERE(DEPTH, X, Y, Z, R)                                                                  \
  {                                                                                                \
    DEPTH, &pl_solid_sphere, { R, X, Y, Z }                                                        \
  }
#define ELLIPSOID(DEPTH, X, Y, Z, A, B, C)                                                         \
  {                                                                                                \
    DEPTH, &pl_solid_ellipsoid, { A, B, C, X, Y, Z }                                               \
  }
#define BOX(DEPTH, X, Y, Z, A, B, C, ROUND)                                                        \
  {                                                                                                \
    DEPTH, &pl_solid_box, { A, B, C, X, Y, Z, ROUND }                                              \
  }
#define CAPSULE(DEPTH, X, Y, Z, R, U, V, W, S)                                                     \
  {                                                                                                \
    DEPTH, &pl_solid_capsule, { X, Y, Z, U, V, W, R, S }                                           \
  }
#define CYLINDER(DEPTH, X, Y, Z, U, V, W, R, ROUND)                                                \
  {                                                                                                \
    DEPTH, &pl_solid_cylinder, { X, Y, Z, U, V, W, R, ROUND }                                      \
  }
#define FLOOR(DEPTH)                                                                               \
  {                                                                                                \
    DEPTH, &pl_solid_half_space, { 0, 0, 0, 0, 0, -1 }                                             \
  }

static const pl_solid_line bunny[] = {
    INTERSECTION(0, 0),
    FLOOR(1),
    UNION(1, 0.07),
    ELLIPSOID(2, -0.06, 0, 0.29, 0.32, 0.25, 0.29),
    ELLIPSOID(2, 0.12, 0, 0.36, 0.19, 0.19, 0.26),
    ELLIPSOID(2, 0.25, 0, 0.68, 0.20, 0.165, 0.165),
    ELLIPSOID(2, 0.39, 0, 0.635, 0.10, 0.095, 0.085),
    SPHERE(2, -0.36, 0, 0.22, 0.09),
    MIRROR(2),
    UNION(3, 0.05),
    ELLIPSOID(4, -0.10, 0.19, 0.21, 0.20, 0.10, 0.19),
    CAPSULE(4, -0.05, 0.20, 0.05, 0.06, 0.20, 0.20, 0.045, 0.05),
    CAPSULE(4, 0.22, 0.10, 0.30, 0.06, 0.30, 0.095, 0.05, 0.05),
    MIRROR(2),
    MOVE(3, 0.10, 0.10, 0.97, 1, 0, 0, -12),
    MOVE(4, 0, 0, 0, 0, 1, 0, -18),
    ELLIPSOID(5, 0, 0, 0, 0.06, 0.075, 0.24),
};

static const pl_solid_line duck[] = {
    INTERSECTION(0, 0.02),
    FLOOR(1),
    UNION(1, 0.01),
    UNION(2, 0.08),
    ELLIPSOID(3, 0, 0, 0.24, 0.44, 0.31, 0.27),
    CAPSULE(3, -0.28, 0, 0.33, 0.16, -0.50, 0, 0.52, 0.035),
    CAPSULE(3, 0.20, 0, 0.40, 0.17, 0.24, 0, 0.60, 0.15),
    SPHERE(3, 0.25, 0, 0.70, 0.215),
    UNION(2, 0.025),
    ELLIPSOID(3, 0.475, 0, 0.69, 0.13, 0.11, 0.05),
    ELLIPSOID(3, 0.455, 0, 0.625, 0.105, 0.09, 0.04),
    MIRROR(2),
    UNION(3, 0.02),
    SPHERE(4, 0.395, 0.115, 0.775, 0.042),
    MOVE(4, -0.07, 0.285, 0.31, 0, 1, 0, 14),
    ELLIPSOID(5, 0, 0, 0, 0.25, 0.07, 0.13),
};

static const pl_solid_line liver[] = {
    MOVE(0, 0.5, 0, 0.26, 0, 0, 1, 0),
    NOISE(1, 0.012, 0.16, 4),
    DIFFERENCE(2, 0.09),
    UNION(3, 0.16),
    ELLIPSOID(4, -0.20, 0, 0, 0.29, 0.26, 0.25),
    ELLIPSOID(4, 0.02, 0.03, 0.05, 0.30, 0.22, 0.17),
    MOVE(4, 0.25, 0.05, 0.08, 0, 1, 0, 8),
    ELLIPSOID(5, 0, 0, 0, 0.27, 0.16, 0.085),
    ELLIPSOID(3, 0.10, -0.06, -0.30, 0.34, 0.30, 0.22),
    ELLIPSOID(3, 0.0, -0.28, -0.10, 0.09, 0.14, 0.10),
};

static const pl_solid_line turtle[] = {
    UNION(0, 0.03),
    // the shell: a dome with scutes and a rim
    UNION(1, 0.02),
    INTERSECTION(2, 0.02),
    UNION(3, 0.035),
    ELLIPSOID(4, 0, 0, 0.14, 0.39, 0.32, 0.24),
    ELLIPSOID(4, 0, 0, 0.345, 0.12, 0.10, 0.065),
    ELLIPSOID(4, 0.21, 0, 0.29, 0.10, 0.09, 0.07),
    ELLIPSOID(4, -0.21, 0, 0.29, 0.10, 0.09, 0.07),
    MIRROR(4),
    UNION(5, 0),
    ELLIPSOID(6, 0.11, 0.175, 0.28, 0.09, 0.075, 0.07),
    ELLIPSOID(6, -0.11, 0.175, 0.28, 0.09, 0.075, 0.07),
    ELLIPSOID(6, 0.26, 0.14, 0.215, 0.07, 0.07, 0.06),
    ELLIPSOID(6, -0.26, 0.14, 0.215, 0.07, 0.07, 0.06),
    {3, &pl_solid_half_space, {0, 0, 0.13, 0, 0, -1}},
    ELLIPSOID(2, 0, 0, 0.14, 0.45, 0.38, 0.075),
    ELLIPSOID(1, 0, 0, 0.11, 0.38, 0.30, 0.07),
    CAPSULE(1, 0.32, 0, 0.14, 0.085, 0.50, 0, 0.235, 0.07),
    ELLIPSOID(1, 0.56, 0, 0.27, 0.115, 0.095, 0.09),
    CAPSULE(1, -0.36, 0, 0.11, 0.05, -0.54, 0, 0.06, 0.015),
    MIRROR(1),
    UNION(2, 0),
    CAPSULE(3, 0.24, 0.22, 0.11, 0.085, 0.37, 0.40, 0.075, 0.07),
    CAPSULE(3, -0.25, 0.20, 0.11, 0.08, -0.38, 0.34, 0.07, 0.065),
    SPHERE(3, 0.62, 0.075, 0.305, 0.028),
};

static const pl_solid_line dog[] = {
    INTERSECTION(0, 0),
    FLOOR(1),
    DIFFERENCE(1, 0.02),
    UNION(2, 0.05),
    ELLIPSOID(3, 0, 0, 0.62, 0.25, 0.225, 0.225),
    CAPSULE(3, 0.12, 0, 0.56, 0.155, 0.40, 0, 0.535, 0.105),
    CAPSULE(3, 0.10, 0, 0.46, 0.12, 0.36, 0, 0.455, 0.075),
    CAPSULE(3, -0.08, 0, 0.50, 0.20, -0.16, 0, 0.0, 0.26),
    SPHERE(3, 0.50, 0, 0.60, 0.055),
    MIRROR(3),
    UNION(4, 0.04),
    SPHERE(5, 0.205, 0.105, 0.70, 0.048),
    ELLIPSOID(5, 0.36, 0.055, 0.50, 0.11, 0.07, 0.075),
    MOVE(3, 0, 0, 0, 0, 0, 1, 0),
    MIRROR(4),
    MOVE(5, -0.04, 0.255, 0.575, 1, 0, 0, 14),
    ELLIPSOID(6, 0, 0, 0, 0.11, 0.05, 0.23),
    BOX(2, 0.42, 0, 0.462, 0.24, 0.4, 0.03, 0.01),
};

static const pl_solid_line tee[] = {
    UNION(0, 0.06),
    BOX(1, 0, 0, 0.36, 0.26, 0.26, 0.72, 0.03),
    BOX(1, 0, 0, 0.80, 1.0, 0.26, 0.26, 0.03),
};

static const pl_solid_line tube[] = {
    DIFFERENCE(0, 0.02),
    CYLINDER(1, 0, 0, 0, 0, 0, 1, 0.25, 0.02),
    CYLINDER(1, 0, 0, -0.1, 0, 0, 1.1, 0.15, 0),
};

static const pl_solid_line blob[] = {
    INTERSECTION(0, 0),
    FLOOR(1),
    NOISE(1, 0.012, 0.07, 7),
    UNION(2, 0.08),
    ELLIPSOID(3, -0.02, 0, 0.46, 0.18, 0.20, 0.26),
    ELLIPSOID(3, 0.06, 0, 0.80, 0.14, 0.125, 0.135),
    CAPSULE(3, 0.12, 0, 0.79, 0.07, 0.27, 0, 0.75, 0.045),
    CAPSULE(3, -0.14, 0, 0.32, 0.10, -0.42, 0, 0.05, 0.035),
    MIRROR(3),
    UNION(4, 0.05),
    CAPSULE(5, 0, 0.17, 0.60, 0.075, 0.10, 0.36, 0.66, 0.06),
    CAPSULE(5, 0.10, 0.36, 0.66, 0.06, 0.20, 0.40, 0.84, 0.055),
    CAPSULE(5, 0, 0.12, 0.30, 0.11, 0.03, 0.19, 0.08, 0.075),
    CAPSULE(5, 0.03, 0.19, 0.05, 0.065, 0.17, 0.22, 0.04, 0.05),
    CAPSULE(5, 0.02, 0.09, 0.88, 0.035, -0.01, 0.14, 1.02, 0.035),
};

#define BODY(NAME, SUMMARY)                                                                        \
  const pl_solid_ops pl_solid_##NAME = {                                                           \
      .info = {#NAME, SUMMARY, "", params, COUNT(params), NULL},                                   \
      .value = value,                                                                              \
      .bounds = bounds,                                                                            \
      .lines = NAME,                                                                               \
      .line_count = COUNT(NAME),                                                                   \
  };

BODY(bunny, "ready-made: a sitting rabbit")
BODY(duck, "ready-made: a bath duck")
BODY(liver, "ready-made: a liver with two lobes")
BODY(turtle, "ready-made: a turtle with its shell")
BODY(dog, "ready-made: a dog's head on its neck")
BODY(tee, "ready-made: a T of square bars")
BODY(tube, "ready-made: a thick tube")
BODY(blob, "ready-made: an armoured beast on two legs, with bumps")
