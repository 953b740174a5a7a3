/* The local model of a haptic display: one plane instead of the body.
 *
 * A servo loop at 1 kHz cannot wait for the simulation. Between two steps it feels the plane
 * through the proxy, the surface point nearest to the device, which moves on with the velocity that
 * it had: p(t) = p0 + v (t - t0), up to the end of the step that comes; there it waits for a
 * simulation that is late. A tool of radius r at x is pressed out by
 *
 *   F_n = k d + c d',   d = r - (x - p(t)) . n,   F = max(F_n, 0) n
 *
 * In a dent or on an edge the normal turns with the tool's way w along the surface, n + C w, and
 * the depth changes by -w C w / 2: without C a hand that is held in a dent feels the force across
 * the normal a step too late, and vibrates at 20 ms.
 *
 * It is held by friction: a spring of stiffness k from a point of the plane to the tool, cut to
 * mu F_n (the point is dragged along where it is cut). Hauth 2004, 5.4.3. A plane that does not
 * move is felt as less crisp, but stays passive at larger steps. A tool that grips the point is
 * pulled to it by F = k (p(t) - x) + c (v - x'). */
#ifndef PL_HAPTIC_PLANE_H
#define PL_HAPTIC_PLANE_H

typedef struct pl_plane {
  int is_there;                            /* 0: no body is near */
  double point[3], normal[3], velocity[3]; /* m; outwards, of length 1; m/s */
  double time, lasts;                      /* s, when they held; how long it moves on */
  double place[3], turn[9]; /* m, of the tool then; 1/m, how the normal turns with its way */
  int is_gripped;           /* the tool holds the point: it is pulled to it in every direction */
} pl_plane;

typedef struct pl_plane_spring {
  double stiffness, damping; /* N/m, N s/m */
  double friction;           /* Coulomb's coefficient */
  double radius;             /* m, of the tool */
  double max_force;          /* N, what a device can exert */
} pl_plane_spring;

/* What friction remembers from tick to tick. */
typedef struct pl_plane_grip {
  int holds;
  double anchor[3]; /* m */
} pl_plane_grip;

/* The force on a tool at x that moves with v, at time t, dt after the last tick. */
void pl_plane_force(const pl_plane *plane, const pl_plane_spring *spring, int is_moving, double t,
                    double dt, const double x[3], const double v[3], pl_plane_grip *grip,
                    double force[3]);

#endif
