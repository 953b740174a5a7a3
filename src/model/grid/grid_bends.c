/* Where surfaces of a grid bend: second differences along the axes at particles that have both
 * neighbours, mixed ones in cells; and what they are at rest. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/grid/grid.h"

#include <math.h>
#include <string.h>

/* Differences at one place before its rest shape is known. */
typedef struct place {
  int nodes[PL_BEND_NODES];
  double l[2][PL_BEND_NODES]; /* second differences: along one axis or two, or mixed */
  double u[PL_BEND_NODES], t[PL_BEND_NODES];
} place;

/* The rest shape there. */
typedef struct rest {
  double a[2][3], n[3], area; /* first differences, unit normal, |a1 x a2| */
} rest;

static void apply(const double *weights, const int *nodes, const double *X, double out[3])
{
  pl_vec3_set(out, 0, 0, 0);
  for (int a = 0; a < PL_BEND_NODES; a++)
    pl_vec3_add_scaled(weights[a], X + 3 * (size_t)nodes[a], out);
}

static rest look(const place *at, const double *X)
{
  rest now;
  apply(at->u, at->nodes, X, now.a[0]);
  apply(at->t, at->nodes, X, now.a[1]);
  pl_vec3_cross(now.a[0], now.a[1], now.n);
  now.area = pl_vec3_norm(now.n);
  double size = pl_vec3_norm(now.a[0]) * pl_vec3_norm(now.a[1]);
  if (!(now.area > 1e-9 * size)) now.area = 0;
  pl_vec3_scale(now.area > 0 ? 1 / now.area : 0, now.n, now.n);
  return now;
}

/* Takes what the grid's lines do within the surface out of a second difference (the Christoffel
 * symbols at rest), which leaves the part along n: B0. scale: of lengths there, below 1e-9 of which
 * nothing counts. */
static double straighten(const place *at, const rest *now, const double *X, double scale, double *l)
{
  double y[3], G[3], b[2];
  apply(l, at->nodes, X, y);
  for (int i = 0; i < 2; i++) b[i] = pl_vec3_dot(now->a[i], y);
  G[0] = pl_vec3_dot(now->a[0], now->a[0]);
  G[1] = pl_vec3_dot(now->a[1], now->a[1]);
  G[2] = pl_vec3_dot(now->a[0], now->a[1]);
  double det = G[0] * G[1] - G[2] * G[2];
  double first = (G[1] * b[0] - G[2] * b[1]) / det, other = (G[0] * b[1] - G[2] * b[0]) / det;
  if (fabs(first) * sqrt(G[0]) + fabs(other) * sqrt(G[1]) > 1e-9 * scale) {
    for (int a = 0; a < PL_BEND_NODES; a++) l[a] -= first * at->u[a] + other * at->t[a];
  }
  double along = pl_vec3_dot(now->n, y);
  return fabs(along) > 1e-9 * scale ? along : 0;
}

/* ---- building the list ---- */

typedef struct builder {
  const pl_grid_source *from;
  pl_grid_bends *to;
  double h[2];
} builder;

static void add(builder *self, const place *at, const double *l, double B0, double weight)
{
  pl_grid_list *list = &self->to->list;
  pl_grid_bend *bend = &self->to->bends[list->count];
  if (!(weight > 0)) return;
  memcpy(list->nodes + (size_t)PL_BEND_NODES * (size_t)list->count, at->nodes, sizeof at->nodes);
  memcpy(bend->l, l, sizeof bend->l);
  memcpy(bend->u, at->u, sizeof bend->u);
  memcpy(bend->t, at->t, sizeof bend->t);
  bend->B0 = B0;
  bend->weight = weight;
  list->count++;
}

/* Bending stiffness D and Poisson's ratio of the material around a place. */
static double plate(const builder *self, int cell, double *poisson)
{
  int element = self->from->cell_element[cell];
  const pl_material *material =
      pl_model_def_material(self->from->sites, self->from->material, element);
  double lambda = material->lambda, mu = material->mu, t = self->from->values[PL_GRID_THICKNESS];
  *poisson = lambda + mu > 0 ? lambda / (2 * (lambda + mu)) : 0;
  if (self->from->sites->rigid && self->from->sites->rigid[element]) return 0;
  return 2 * mu * (1 + *poisson) * t * t * t / (12 * (1 - *poisson * *poisson));
}

/* The cell whose lower corner is nearest to a particle. */
static int cell_at(const pl_grid *grid, const int at[3])
{
  int along[2], to[2];
  for (int k = 0; k < 2; k++) {
    along[k] = pl_grid_cells_along(grid, k);
    to[k] = at[k] < along[k] ? at[k] : along[k] - 1;
  }
  return to[0] + along[0] * to[1];
}

/* Bending along the axes at a particle. In physical units both together, D (k1^2 + k2^2 + 2 nu k1
 * k2) by completing the square; where there is only one, the other way is free. */
static void add_along(builder *self, const int at[3], const place *here, const int has[2])
{
  const double *X = self->from->mesh->nodes;
  rest now = look(here, X);
  double l[2][PL_BEND_NODES], B0[2] = {0}, weight[2] = {0}, edge = 1, nu = 0, D = 0;
  if (!(now.area > 0)) return;
  memcpy(l, here->l, sizeof l);
  for (int i = 0; i < 2; i++) {
    double size = pl_vec3_norm(now.a[i]);
    if (has[i]) B0[i] = straighten(here, &now, X, size / self->h[i], l[i]);
    if (self->from->rigidity)
      weight[i] = has[i] ? self->from->rigidity[3 * (size_t)here->nodes[0] + (size_t)i] : 0;
    edge *= has[i] ? self->h[i] : 0.5 * self->h[i];
  }
  if (!self->from->rigidity) {
    D = plate(self, cell_at(self->from->grid, at), &nu);
    int both = has[0] && has[1];
    double L[2] = {pl_vec3_dot(now.a[0], now.a[0]), pl_vec3_dot(now.a[1], now.a[1])};
    for (int i = 0; i < 2; i++)
      weight[i] =
          has[i] ? D * (both && i == 0 ? 1 : 1 - nu * nu) * edge * now.area / (L[i] * L[i]) : 0;
    for (int a = 0; a < PL_BEND_NODES && both; a++) l[0][a] += nu * L[0] / L[1] * l[1][a];
    if (both) B0[0] += nu * L[0] / L[1] * B0[1];
  }
  for (int i = 0; i < 2; i++) add(self, here, l[i], B0[i], weight[i]);
}

/* First and second differences around a particle; one-sided first ones at the ends of an axis. */
static void add_particle(builder *self, const int at[3])
{
  const pl_grid *grid = self->from->grid;
  place here = {{0}, {{0}, {0}}, {0}, {0}};
  int has[2], centre = pl_grid_node(grid, at);
  for (int a = 0; a < PL_BEND_NODES; a++) here.nodes[a] = centre;
  for (int i = 0; i < 2; i++) {
    double h = self->h[i], *first = i ? here.t : here.u;
    int low[3] = {at[0], at[1], 0}, high[3] = {at[0], at[1], 0};
    low[i]--;
    high[i]++;
    int below = pl_grid_node(grid, low), above = pl_grid_node(grid, high);
    has[i] = below >= 0 && above >= 0;
    double step = has[i] ? 2 * h : h;
    here.nodes[1 + 2 * i] = below >= 0 ? below : centre;
    here.nodes[2 + 2 * i] = above >= 0 ? above : centre;
    first[below >= 0 ? 1 + 2 * i : 0] -= 1 / step;
    first[above >= 0 ? 2 + 2 * i : 0] += 1 / step;
    if (!has[i]) continue;
    here.l[i][0] = -2 / (h * h);
    here.l[i][1 + 2 * i] = here.l[i][2 + 2 * i] = 1 / (h * h);
  }
  add_along(self, at, &here, has);
}

static void add_cell(builder *self, int cell, const int *nodes)
{
  const double *X = self->from->mesh->nodes;
  double h0 = self->h[0], h1 = self->h[1], weight = 0;
  place here = {{nodes[0], nodes[1], nodes[2], nodes[3], nodes[0]},
                {{1 / (h0 * h1), -1 / (h0 * h1), -1 / (h0 * h1), 1 / (h0 * h1)}, {0}},
                {-0.5 / h0, 0.5 / h0, -0.5 / h0, 0.5 / h0},
                {-0.5 / h1, -0.5 / h1, 0.5 / h1, 0.5 / h1}};
  rest now = look(&here, X);
  if (!(now.area > 0)) return;
  double L[2] = {pl_vec3_dot(now.a[0], now.a[0]), pl_vec3_dot(now.a[1], now.a[1])}, nu;
  double scale = fmin(sqrt(L[0]) / h0, sqrt(L[1]) / h1);
  double B0 = straighten(&here, &now, X, scale, here.l[0]);
  if (self->from->rigidity) {
    for (int c = 0; c < 4; c++) weight += 2 * 0.25 * self->from->rigidity[3 * (size_t)nodes[c] + 2];
  } else {
    double D = plate(self, cell, &nu);
    weight = 2 * D * (1 - nu) * h0 * h1 * now.area / (L[0] * L[1]);
  }
  add(self, &here, here.l[0], B0, weight);
}

pl_status pl_grid_bends_make(const pl_grid_source *from, pl_grid_bends *bends, pl_error *error)
{
  const pl_grid *grid = from->grid;
  bends->list.size = PL_BEND_NODES;
  if (grid->axes != 2) return PL_OK;
  int cells = pl_grid_cell_nodes(grid, NULL), at[3];
  size_t room = 2 * (size_t)pl_grid_count(grid) + (size_t)cells;
  int *nodes = pl_alloc(from->allocator, 4 * (size_t)cells, sizeof *nodes);
  bends->list.nodes = pl_alloc(from->allocator, room * PL_BEND_NODES, sizeof *bends->list.nodes);
  bends->bends = pl_alloc(from->allocator, room, sizeof *bends->bends);
  if (nodes && bends->list.nodes && bends->bends) {
    builder self = {
        from, bends, {1.0 / pl_grid_cells_along(grid, 0), 1.0 / pl_grid_cells_along(grid, 1)}};
    pl_grid_cell_nodes(grid, nodes);
    for (int i = 0; i < pl_grid_count(grid); i++) {
      pl_grid_place(grid, i, at);
      add_particle(&self, at);
    }
    for (int i = 0; i < cells; i++) add_cell(&self, i, nodes + 4 * i);
  }
  pl_free(from->allocator, nodes);
  return nodes && bends->list.nodes && bends->bends ? PL_OK : pl_fail_memory(error);
}

void pl_grid_bends_release(const pl_allocator *allocator, pl_grid_bends *bends)
{
  pl_grid_list_release(allocator, &bends->list);
  pl_free(allocator, bends->bends);
}
