/* Pressure on the surface as it is now (positive pushes inwards): a face with the area vector S
 * gives each of its n nodes f_a = -p S s_a, s_a = 1/n (on quadratic elements see share_middles).
 *
 * The area vector is half the sum of x_b x x_(b+1) around the face, so that
 * -df_a/dx_b = p s_a/2 [x_(b-1) - x_(b+1)]x, with [w]x y = w x y. That matrix is not symmetric;
 * what pressure on a closed surface does is, in the sum over all faces. tangent = symmetric adds
 * the symmetric part (K_ab + K_ba^T) / 2 to the matrix, lagged leaves the dependence on x out of
 * it. */
#include "couple/load.h"

#include "mesh/mesh.h"

enum { VALUE, TANGENT, PARAM_COUNT };

static void add(const pl_load_at *at, double *f)
{
  const pl_load_shape *shape = at->shape;
  int n = shape->nodes_per_face;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    double area[3];
    pl_face_area(at->x, nodes, n, area);
    for (int a = 0; a < n; a++) {
      for (int k = 0; k < 3; k++)
        f[3 * nodes[a] + k] -=
            shape->shares ? at->factor * at->values[VALUE] * area[k] * pl_load_share(shape, face, a)
                          : at->factor * at->values[VALUE] * area[k] / n;
    }
  }
}

/* C += s [w]x, w = x_(b-1) - x_(b+1) around the face. */
static void add_cross(const pl_load_at *at, const int *nodes, int n, int b, double s, double C[9])
{
  const double *last = at->x + 3 * nodes[(b + n - 1) % n], *next = at->x + 3 * nodes[(b + 1) % n];
  double w[3] = {last[0] - next[0], last[1] - next[1], last[2] - next[2]};
  C[1] -= s * w[2];
  C[2] += s * w[1];
  C[3] += s * w[2];
  C[5] -= s * w[0];
  C[6] -= s * w[1];
  C[7] += s * w[0];
}

static void stiffen(const pl_load_at *at, const pl_load_blocks *to)
{
  const pl_load_shape *shape = at->shape;
  int n = shape->nodes_per_face;
  if (at->values[TANGENT] == 0) return;
  double s = to->kq * at->factor * at->values[VALUE] / (4 * n);
  double whole = to->kq * at->factor * at->values[VALUE] / 4;
  for (int face = 0; face < shape->face_count; face++) {
    const int *nodes = shape->faces + n * face;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        // [w]x turns its sign when transposed
        double D[9] = {0};
        add_cross(at, nodes, n, b, shape->shares ? whole * pl_load_share(shape, face, a) : s, D);
        add_cross(at, nodes, n, a, shape->shares ? -whole * pl_load_share(shape, face, b) : -s, D);
        pl_load_block(to, nodes[a], nodes[b], D);
      }
    }
  }
}

static const pl_param params[PARAM_COUNT] = {
    [VALUE] = {.name = "value",
               .unit = "Pa",
               .summary = "pressure; positive pushes inwards",
               .preset = 0,
               .min = -1e15,
               .max = 1e15},
    [TANGENT] = {.name = "tangent",
                 .unit = "1",
                 .summary = "lagged: its change with the surface is left out of the matrix; "
                            "symmetric: the symmetric part of it is in",
                 .preset = 0,
                 .words = "lagged|symmetric"},
};

const pl_load_ops pl_load_pressure = {
    .info = {"pressure", "pressure on faces, following the surface (live load)", "Hauth 2004, 2.4",
             params, PARAM_COUNT, NULL},
    .on_faces = 1,
    .add = add,
    .stiffen = stiffen,
};
