/* Wind: the resistance of a surface to the air that streams against it.
 *
 * With u the air's velocity against the face's own (the mean of its nodes'), n its unit normal, A
 * its area now and u_t = u - (u . n) n,
 *
 *   F = A rho/2 (cn |u . n| (u . n) n + ct |u| u_t),      each of its nodes gets an equal share.
 *
 * Both sides of a surface feel it alike, as cloth does. In still air (velocity 0) it is drag. The
 * matrix gets -dF/dv = A rho/2 (2 cn |u . n| n n^T + ct (|u| (I - n n^T) + u_t u^T / |u|)), whose
 * last term is symmetrised and cut to u_t u_t^T / |u|: never indefinite. The change with x is
 * lagged. Methods that solve linear systems only see |u . n| and |u| as they were at the beginning
 * of the substep, which makes the force linear in v. Terzopoulos et al. 1987 have c (n . u) n
 * instead (Implementation of Deformable Objects, 3.5.2). */
#include "couple/load.h"

#include "math/vec3.h"
#include "mesh/mesh.h"

#include <math.h>

enum { VELOCITY, DENSITY = 3, NORMAL, ALONG };

/* One face in the stream. */
typedef struct stream {
  double n[3], area, along[3], across;
  double size, speed; /* |u . n| and |u| */
} stream;

/* The air's velocity against the face's. */
static void blow(const pl_load_at *at, const double *v, const int *nodes, int count, double u[3])
{
  pl_vec3_copy(at->values + VELOCITY, u);
  for (int a = 0; a < count; a++) pl_vec3_add_scaled(-1.0 / count, v + 3 * nodes[a], u);
}

static int look(const pl_load_at *at, const int *nodes, int count, stream *to)
{
  double vector[3];
  pl_face_area(at->x, nodes, count, vector);
  to->area = pl_vec3_norm(vector);
  if (!(to->area > 0)) return 0;
  pl_vec3_scale(1 / to->area, vector, to->n);
  blow(at, at->v, nodes, count, to->along);
  to->across = pl_vec3_dot(to->along, to->n);
  double u[3];
  blow(at, at->v0 ? at->v0 : at->v, nodes, count, u);
  to->size = fabs(pl_vec3_dot(u, to->n));
  to->speed = pl_vec3_norm(u);
  pl_vec3_add_scaled(-to->across, to->n, to->along);
  return 1;
}

static void add(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    stream s;
    if (!look(at, nodes, n, &s)) continue;
    double scale = 0.5 * at->factor * at->values[DENSITY] * s.area / n;
    for (int a = 0; a < n; a++) {
      double *to = f + 3 * nodes[a];
      pl_vec3_add_scaled(scale * at->values[NORMAL] * s.size * s.across, s.n, to);
      pl_vec3_add_scaled(scale * at->values[ALONG] * s.speed, s.along, to);
    }
  }
}

static void stiffen(const pl_load_at *at, const pl_load_blocks *to)
{
  const pl_load_shape *shape = at->shape;
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    stream s;
    if (!look(at, nodes, n, &s) || s.speed == 0) continue;
    double scale = 0.5 * to->kv * at->factor * at->values[DENSITY] * s.area / (n * n), D[9];
    for (int k = 0; k < 9; k++) {
      double nn = s.n[k / 3] * s.n[k % 3], tt = s.along[k / 3] * s.along[k % 3];
      D[k] = scale * ((at->v0 ? 1 : 2) * at->values[NORMAL] * s.size * nn +
                      at->values[ALONG] * s.speed * ((k % 4 == 0) - nn));
      if (!at->v0) D[k] += scale * at->values[ALONG] * tt / s.speed;
    }
    for (int i = 0; i < n * n; i++) pl_load_block(to, nodes[i / n], nodes[i % n], D);
  }
}

static const pl_param params[] = {
    {.name = "velocity",
     .unit = "m/s",
     .summary = "of the air",
     .preset = 0,
     .min = -1e6,
     .max = 1e6,
     .width = 3},
    {.name = "density",
     .unit = "kg/m^3",
     .summary = "of the air",
     .preset = 1.2,
     .min = 0,
     .max = 1e6},
    {.name = "normal",
     .unit = "1",
     .summary = "coefficient of resistance at right angles to the surface",
     .preset = 1.2,
     .min = 0,
     .max = 1e6},
    {.name = "along",
     .unit = "1",
     .summary = "coefficient of friction along the surface",
     .preset = 0.02,
     .min = 0,
     .max = 1e6},
};

const pl_load_ops pl_load_wind = {
    .info = {"wind", "the air's resistance to a surface, in wind or at rest", "", params, 4, NULL},
    .on_faces = 1,
    .is_viscous = 1,
    .add = add,
    .stiffen = stiffen,
};
