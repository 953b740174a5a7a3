/* Curves of a grid: stretch, curvature and torsion.
 *
 * With differences along the only axis, of spacing h, and L = D2 less the part of the curve at rest
 * that lies along it,
 *
 *   E = sum over cells      eta/4 (d . d - G0)^2,       d = (x_1 - x_0) / h
 *     + sum over particles  xi/2 (|L x| - k0)^2
 *     + sum over cells      zeta/2 (T - T0)^2,          T = det(D x, D2 x, D3 x)
 *
 * The last are cells that have a neighbour on both sides; D2 is the mean of both ends'. T stands
 * for the torsion of Terzopoulos et al. 1987, which is not defined where a curve is straight: for a
 * curve of curvature k, torsion t and speed v it is k^2 t v^6. Each sum is a function of up to
 * three vectors y_s = sum u_sa x_a of four particles; where these have the slopes g_s and the
 * second derivatives H_st,
 *
 *   f_a = -sum_s u_sa g_s,     K_ab = sum_st u_sa u_tb H_st.
 *
 * Semidefinite: what compresses is left out, what bends a curve less than at rest is kept along L x
 * only, and torsion is Gauss-Newton's. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/grid/grid.h"

#include <math.h>
#include <string.h>

/* One sum in the present state. */
typedef struct local {
  double y[3][3], g[3][3], H[3][3][9], energy;
  int count; /* vectors */
} local;

static void take_vectors(const pl_grid_arc *arc, const int *nodes, const double *x, local *now)
{
  const double *first = x + 3 * (size_t)nodes[0];
  now->count = arc->kind == PL_ARC_TORSION ? 3 : 1;
  for (int s = 0; s < now->count; s++) {
    pl_vec3_set(now->y[s], 0, 0, 0);
    for (int a = 1; a < PL_ARC_NODES; a++) {
      for (int k = 0; k < 3; k++)
        now->y[s][k] += arc->u[s][a] * (x[3 * (size_t)nodes[a] + (size_t)k] - first[k]);
    }
  }
}

/* a I + b n n^T */
static void put(double a, double b, const double n[3], double H[9])
{
  for (int i = 0; i < 9; i++) H[i] = b * n[i / 3] * n[i % 3] + (i % 4 == 0 ? a : 0);
}

static void stretch(const pl_grid_arc *arc, int semidefinite, local *now)
{
  const double *d = now->y[0];
  double change = pl_vec3_dot(d, d) - arc->rest, across = arc->weight * change;
  now->energy = 0.25 * arc->weight * change * change;
  pl_vec3_scale(across, d, now->g[0]);
  if (semidefinite && across < 0) across = semidefinite == 2 ? -across : 0;
  put(across, 2 * arc->weight, d, now->H[0][0]);
}

static void curve(const pl_grid_arc *arc, int semidefinite, local *now)
{
  double length = pl_vec3_norm(now->y[0]), n[3], change = length - arc->rest;
  pl_vec3_scale(length > 0 ? 1 / length : 0, now->y[0], n);
  double across = length > 0 ? 1 - arc->rest / length : arc->rest > 0 ? 0 : 1;
  now->energy = 0.5 * arc->weight * change * change;
  pl_vec3_scale(arc->weight * change, n, now->g[0]);
  if (semidefinite && across < 0) across = semidefinite == 2 ? -across : 0;
  put(arc->weight * across, arc->weight * (1 - across), n, now->H[0][0]);
}

/* The matrix of the product with a, times factor, added. */
static void add_skew(double factor, const double a[3], double H[9])
{
  const double all[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 9; i++) H[i] += factor * all[i];
}

static void torsion(const pl_grid_arc *arc, int semidefinite, local *now)
{
  double slope[3][3];
  for (int s = 0; s < 3; s++) pl_vec3_cross(now->y[(s + 1) % 3], now->y[(s + 2) % 3], slope[s]);
  double change = pl_vec3_dot(now->y[0], slope[0]) - arc->rest, w = arc->weight;
  now->energy = 0.5 * w * change * change;
  for (int s = 0; s < 3; s++) {
    pl_vec3_scale(w * change, slope[s], now->g[s]);
    for (int t = 0; t < 3; t++) {
      for (int i = 0; i < 9; i++) now->H[s][t][i] = w * slope[s][i / 3] * slope[t][i % 3];
    }
  }
  // the slope by y_s is y_s+1 x y_s+2: by y_s+1 it changes as -[y_s+2], by y_s+2 as [y_s+1]
  for (int s = 0; s < 3 && !semidefinite; s++) {
    add_skew(-w * change, now->y[(s + 2) % 3], now->H[s][(s + 1) % 3]);
    add_skew(w * change, now->y[(s + 1) % 3], now->H[s][(s + 2) % 3]);
  }
}

static void look(const pl_grid_arc *arc, const int *nodes, const double *x, int semidefinite,
                 local *now)
{
  take_vectors(arc, nodes, x, now);
  if (arc->kind == PL_ARC_STRETCH) stretch(arc, semidefinite, now);
  if (arc->kind == PL_ARC_CURVE) curve(arc, semidefinite, now);
  if (arc->kind == PL_ARC_TORSION) torsion(arc, semidefinite, now);
}

static void add_blocks(const pl_grid_arc *arc, const local *now, double factor, double *blocks)
{
  memset(blocks, 0, 9 * PL_ARC_NODES * PL_ARC_NODES * sizeof *blocks);
  for (int ab = 0; ab < PL_ARC_NODES * PL_ARC_NODES; ab++) {
    int a = ab / PL_ARC_NODES, b = ab % PL_ARC_NODES;
    for (int s = 0; s < now->count && b >= a; s++) {
      for (int t = 0; t < now->count; t++) {
        double both = factor * arc->u[s][a] * arc->u[t][b];
        for (int i = 0; i < 9; i++) blocks[9 * ab + i] += both * now->H[s][t][i];
      }
    }
  }
}

void pl_grid_arcs_chunk(const pl_grid_job *job, int chunk)
{
  const pl_grid_arcs *arcs = &job->self->arcs;
  double blocks[9 * PL_ARC_NODES * PL_ARC_NODES];
  for (int i = arcs->list.starts[chunk]; i < arcs->list.starts[chunk + 1]; i++) {
    const pl_grid_arc *arc = &arcs->arcs[i];
    const int *nodes = arcs->list.nodes + (size_t)PL_ARC_NODES * (size_t)i;
    local now;
    look(arc, nodes, job->q, job->semidefinite, &now);
    for (int a = 0; a < PL_ARC_NODES && job->f; a++) {
      for (int s = 0; s < now.count; s++)
        pl_vec3_add_scaled(-arc->u[s][a], now.g[s], job->f + 3 * (size_t)nodes[a]);
    }
    if (!job->A) continue;
    add_blocks(arc, &now, job->kq, blocks);
    pl_grid_scatter(&arcs->list, i, blocks, job->A);
  }
}

double pl_grid_arcs_energy(const pl_grid_model *self, const double *q, int chunk)
{
  const pl_grid_arcs *arcs = &self->arcs;
  double sum = 0;
  for (int i = arcs->list.starts[chunk]; i < arcs->list.starts[chunk + 1]; i++) {
    local now;
    look(&arcs->arcs[i], arcs->list.nodes + (size_t)PL_ARC_NODES * (size_t)i, q, 0, &now);
    sum += now.energy;
  }
  return sum;
}

/* ---- making them ---- */

typedef struct builder {
  const pl_grid_source *from;
  pl_grid_arcs *to;
  double h;
} builder;

/* Up to four particles from a place on; those beyond the ends are the first, without weight. */
static pl_grid_arc *add(builder *self, int kind, int place, int count, double weight)
{
  pl_grid_list *list = &self->to->list;
  int *nodes = list->nodes + (size_t)PL_ARC_NODES * (size_t)list->count;
  if (!(weight > 0)) return NULL;
  for (int a = 0; a < PL_ARC_NODES; a++) {
    const int at[3] = {place + (a < count ? a : 0), 0, 0};
    nodes[a] = pl_grid_node(self->from->grid, at);
    if (nodes[a] < 0) return NULL;
  }
  pl_grid_arc *arc = &self->to->arcs[list->count++];
  arc->kind = kind;
  arc->weight = weight;
  return arc;
}

static const int *last_nodes(const builder *self)
{
  return self->to->list.nodes + (size_t)PL_ARC_NODES * (size_t)(self->to->list.count - 1);
}

static double at_rest(const builder *self, const double *u, double out[3])
{
  const double *X = self->from->mesh->nodes;
  pl_vec3_set(out, 0, 0, 0);
  for (int a = 0; a < PL_ARC_NODES; a++)
    pl_vec3_add_scaled(u[a], X + 3 * (size_t)last_nodes(self)[a], out);
  return pl_vec3_norm(out);
}

static double mean(const double *numbers, int stride, const int *nodes, int count)
{
  double sum = 0;
  for (int a = 0; a < count; a++) sum += numbers[stride * nodes[a]] / count;
  return sum;
}

static const pl_material *material_at(const builder *self, int cell)
{
  return pl_model_def_material(self->from->sites, self->from->material,
                               self->from->cell_element[cell]);
}

static double young_of(const pl_material *of)
{
  double sum = of->lambda + of->mu;
  return sum > 0 ? of->mu * (3 * of->lambda + 2 * of->mu) / sum : 0;
}

/* A round section of this diameter. */
static const double PI = 3.14159265358979323846;

static void add_stretch(builder *self, int cell)
{
  double speed, d[3], t = self->from->values[PL_GRID_THICKNESS];
  pl_grid_arc *arc = add(self, PL_ARC_STRETCH, cell, 2, 1);
  if (!arc) return;
  arc->u[0][0] = -1 / self->h;
  arc->u[0][1] = 1 / self->h;
  speed = at_rest(self, arc->u[0], d);
  arc->rest = speed * speed;
  // E A/2 e^2 |X'| h with Green's strain e = (d.d - G0) / (2 G0)
  arc->weight = self->from->tension ? mean(self->from->tension, 6, last_nodes(self), 2)
                                    : young_of(material_at(self, cell)) * PI / 4 * t * t * self->h *
                                          speed / (2 * arc->rest * arc->rest);
}

static void add_curve(builder *self, int place, int cell)
{
  double h = self->h, first[PL_ARC_NODES] = {-0.5 / h, 0, 0.5 / h}, a[3], y[3];
  double t = self->from->values[PL_GRID_THICKNESS];
  pl_grid_arc *arc = add(self, PL_ARC_CURVE, place, 3, 1);
  if (!arc) return;
  const double second[PL_ARC_NODES] = {1 / (h * h), -2 / (h * h), 1 / (h * h)};
  double speed = at_rest(self, first, a);
  at_rest(self, second, y);
  double along = speed > 0 ? pl_vec3_dot(a, y) / (speed * speed) : 0;
  if (fabs(along) < 1e-9 / h) along = 0;
  for (int k = 0; k < PL_ARC_NODES; k++) arc->u[0][k] = second[k] - along * first[k];
  arc->rest = at_rest(self, arc->u[0], y);
  if (arc->rest < 1e-9 * speed / h) arc->rest = 0;
  // E I/2 (k - k0)^2 |X'| h with k = |L x| / |X'|^2
  arc->weight = self->from->tension ? self->from->rigidity[3 * last_nodes(self)[1]]
                                    : young_of(material_at(self, cell)) * PI / 64 * t * t * t * t *
                                          h / (speed * speed * speed);
  if (!(arc->weight > 0)) self->to->list.count--;
}

static void add_torsion(builder *self, int place)
{
  double h = self->h, h2 = h * h, h3 = h2 * h, y[3][3], normal[3];
  if (!self->from->tension) return;
  pl_grid_arc *arc = add(self, PL_ARC_TORSION, place, 4, 1);
  if (!arc) return;
  const double u[3][PL_ARC_NODES] = {{0, -1 / h, 1 / h, 0},
                                     {0.5 / h2, -0.5 / h2, -0.5 / h2, 0.5 / h2},
                                     {-1 / h3, 3 / h3, -3 / h3, 1 / h3}};
  memcpy(arc->u, u, sizeof u);
  for (int s = 0; s < 3; s++) at_rest(self, arc->u[s], y[s]);
  pl_vec3_cross(y[1], y[2], normal);
  arc->rest = pl_vec3_dot(y[0], normal);
  arc->weight = 0.5 * (self->from->rigidity[3 * last_nodes(self)[1] + 2] +
                       self->from->rigidity[3 * last_nodes(self)[2] + 2]);
  if (!(arc->weight > 0)) self->to->list.count--;
}

pl_status pl_grid_arcs_make(const pl_grid_source *from, pl_grid_arcs *arcs, pl_error *error)
{
  const pl_grid *grid = from->grid;
  arcs->list.size = PL_ARC_NODES;
  if (grid->axes != 1) return PL_OK;
  int cells = pl_grid_cells_along(grid, 0);
  arcs->list.nodes =
      pl_alloc(from->allocator, 3 * PL_ARC_NODES * ((size_t)cells + 1), sizeof *arcs->list.nodes);
  arcs->arcs = pl_alloc(from->allocator, 3 * ((size_t)cells + 1), sizeof *arcs->arcs);
  if (!arcs->list.nodes || !arcs->arcs) return pl_fail_memory(error);
  builder self = {from, arcs, 1.0 / cells};
  for (int i = 0; i < cells; i++) add_stretch(&self, i);
  for (int i = 0; i < cells; i++) add_curve(&self, i, i);
  for (int i = 0; i < cells; i++) add_torsion(&self, i);
  return pl_grid_list_make(from->allocator, from->mesh->node_count, &arcs->list, error);
}

void pl_grid_arcs_release(const pl_allocator *allocator, pl_grid_arcs *arcs)
{
  pl_grid_list_release(allocator, &arcs->list);
  pl_free(allocator, arcs->arcs);
}
