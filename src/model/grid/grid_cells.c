/* Stretch and shear of a grid: products of differences at the corners of its cells. */
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/grid/grid.h"

#include <math.h>
#include <string.h>

/* The axes of a pair of differences. */
static const int pairs2[3][2] = {{0, 0}, {1, 1}, {0, 1}};
static const int pairs3[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

int pl_grid_cell_nodes(const pl_grid *grid, int *nodes)
{
  int cells[3], at[3], count = 0, corners = 1 << grid->axes;
  for (int k = 0; k < 3; k++) cells[k] = pl_grid_cells_along(grid, k);
  if (!nodes) return cells[0] * cells[1] * cells[2];
  for (at[2] = 0; at[2] < cells[2]; at[2]++) {
    for (at[1] = 0; at[1] < cells[1]; at[1]++) {
      for (at[0] = 0; at[0] < cells[0]; at[0]++, count++) {
        for (int c = 0; c < corners; c++) {
          const int to[3] = {at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)};
          *nodes++ = pl_grid_node(grid, to);
        }
      }
    }
  }
  return count;
}

/* The differences at a corner of a cell, all along the axes. */
static void differences(const pl_grid_cells *cells, const int *nodes, int corner, const double *x,
                        double d[3][3])
{
  for (int i = 0; i < cells->axes; i++) {
    int low = corner & ~(1 << i), high = corner | 1 << i;
    pl_vec3_sub(x + 3 * (size_t)nodes[high], x + 3 * (size_t)nodes[low], d[i]);
    pl_vec3_scale(1 / cells->spacing[i], d[i], d[i]);
  }
}

/* Curves take the first of the surfaces'. */
static const int (*pairs_of(int axes))[2] { return axes == 3 ? pairs3 : pairs2; }

/* ---- stiffness from the material ---- */

/* The contravariant metric at rest and its volume; 0 where the lines of the grid meet. */
static double raise(int axes, const double *G0, double raised[9])
{
  double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, size = 1;
  const int(*pairs)[2] = pairs_of(axes);
  for (int p = 0; p < axes * (axes + 1) / 2; p++)
    G[3 * pairs[p][0] + pairs[p][1]] = G[3 * pairs[p][1] + pairs[p][0]] = G0[p];
  for (int i = 0; i < axes; i++) size *= G[4 * i];
  double det = pl_mat3_inverse(G, raised);
  return det > 1e-12 * size ? sqrt(det) : 0;
}

/* C of the isotropic law W = lambda/2 tr(E)^2 + mu E:E with E = g/2 in curved coordinates. */
static void isotropic(int axes, const double *raised, double lambda, double mu, double factor,
                      double *C)
{
  const int(*pairs)[2] = pairs_of(axes);
  int count = axes * (axes + 1) / 2;
  for (int p = 0; p < count; p++) {
    for (int q = 0; q < count; q++) {
      int i = pairs[p][0], j = pairs[p][1], k = pairs[q][0], l = pairs[q][1];
      double both = (i == j ? 1 : 2) * (k == l ? 1 : 2) * factor / 4;
      C[count * p + q] =
          both *
          (lambda * raised[3 * i + j] * raised[3 * k + l] +
           mu * (raised[3 * i + k] * raised[3 * j + l] + raised[3 * i + l] * raised[3 * j + k]));
    }
  }
}

/* Surfaces are thin: no stress across them. */
static double in_plane(double lambda, double mu)
{
  return lambda + 2 * mu > 0 ? 2 * lambda * mu / (lambda + 2 * mu) : 0;
}

static void from_material(const pl_grid_source *from, pl_grid_cells *cells, int cell, size_t corner)
{
  int axes = cells->axes, count = cells->pairs, element = from->cell_element[cell];
  const pl_material *material = pl_model_def_material(from->sites, from->material, element);
  double raised[9], volume = raise(axes, cells->G0 + (size_t)count * corner, raised);
  double lambda = material->lambda, mu = material->mu, part = volume / cells->corners;
  if (from->sites->rigid && from->sites->rigid[element]) return;
  if (!(volume > 0)) return;
  for (int i = 0; i < axes; i++) part *= cells->spacing[i];
  if (axes == 2) part *= from->values[PL_GRID_THICKNESS];
  if (axes == 3) {
    // what the volume term adds for small strains is taken from lambda
    double extra = from->values[PL_GRID_VOLUME];
    extra = isnan(extra) ? 0.1 * mu : extra;
    lambda -= extra;
    cells->kappa[corner] = extra * part / (volume * volume);
  }
  size_t at = (size_t)(count * count) * corner;
  isotropic(axes, raised, axes == 2 ? in_plane(lambda, mu) : lambda, mu, part, cells->C + at);
  if (!cells->C_rate) return;
  lambda = material->viscous_lambda;
  mu = material->viscous_mu;
  isotropic(axes, raised, axes == 2 ? in_plane(lambda, mu) : lambda, mu, part, cells->C_rate + at);
}

/* ---- stiffness from tensors ---- */

/* The share of a corner in the energy of a pair. Symmetric: all corners alike. The report: lengths
 * of every edge once, which cells at the upper ends have more of, products of two differences at
 * the lower corner. */
static double share(int stencil, int axes, int corner, const int *pair, unsigned last)
{
  if (stencil == PL_STENCIL_SYMMETRIC) return 1.0 / (1 << axes);
  if (pair[0] != pair[1]) return corner == 0;
  int others = corner & ~(1 << pair[0]);
  return others == corner && (others & ~(int)last) == 0;
}

static void from_tensors(const pl_grid_source *from, pl_grid_cells *cells, int stencil, int cell,
                         int c, unsigned last)
{
  const int(*pairs)[2] = pairs_of(cells->axes);
  int count = cells->pairs, corners = cells->corners;
  size_t corner = (size_t)cell * (size_t)corners + (size_t)c;
  // the report takes the tensors of the particle that a forward difference starts at
  const double *eta = from->tension + 6 * (size_t)cells->list.nodes[corner];
  double *C = cells->C + (size_t)(count * count) * corner;
  for (int p = 0; p < count; p++) {
    double part = share(stencil, cells->axes, c, pairs[p], last);
    int diagonal = pairs[p][0] == pairs[p][1];
    int place = diagonal ? pairs[p][0] : cells->axes == 2 ? 3 : p;
    C[(count + 1) * p] = part * eta[place] * (diagonal ? 0.5 : 1);
  }
  if (cells->axes < 3) return;
  double kappa = from->values[PL_GRID_VOLUME], mean = (eta[0] + eta[1] + eta[2]) / 3;
  double all = stencil == PL_STENCIL_SYMMETRIC ? 1.0 / corners : c == 0;
  cells->kappa[corner] = all * (!isnan(kappa)                     ? kappa
                                : stencil == PL_STENCIL_SYMMETRIC ? 0.1 * mean
                                                                  : 0);
}

/* ---- making them ---- */

static void fill_rest(pl_grid_cells *cells, const double *X)
{
  const int(*pairs)[2] = pairs_of(cells->axes);
  for (int corner = 0; corner < cells->list.count * cells->corners; corner++) {
    double d[3][3], *G0 = cells->G0 + (size_t)cells->pairs * (size_t)corner;
    const int *nodes = cells->list.nodes + corner / cells->corners * cells->corners;
    differences(cells, nodes, corner % cells->corners, X, d);
    for (int p = 0; p < cells->pairs; p++) G0[p] = pl_vec3_dot(d[pairs[p][0]], d[pairs[p][1]]);
    if (cells->axes == 3) {
      double normal[3];
      pl_vec3_cross(d[1], d[2], normal);
      cells->J0[corner] = pl_vec3_dot(d[0], normal);
    }
  }
}

static void fill_stiffness(const pl_grid_source *from, int stencil, pl_grid_cells *cells)
{
  int along[3];
  for (int k = 0; k < 3; k++) along[k] = pl_grid_cells_along(from->grid, k);
  for (int cell = 0; cell < cells->list.count; cell++) {
    const int at[3] = {cell % along[0], cell / along[0] % along[1], cell / along[0] / along[1]};
    unsigned last = 0;
    for (int k = 0; k < cells->axes; k++)
      last |= (unsigned)(!from->grid->wraps[k] && at[k] == along[k] - 1) << k;
    for (int c = 0; c < cells->corners; c++) {
      size_t corner = (size_t)cell * (size_t)cells->corners + (size_t)c;
      if (from->tension)
        from_tensors(from, cells, stencil, cell, c, last);
      else
        from_material(from, cells, cell, corner);
    }
  }
}

/* Does any element resist the rate of strain? */
static int is_viscous(const pl_grid_source *from)
{
  for (int e = 0; e < from->mesh->element_count && !from->tension; e++) {
    const pl_material *material = pl_model_def_material(from->sites, from->material, e);
    if (material->viscous_lambda != 0 || material->viscous_mu != 0) return 1;
    if (!from->sites->materials) break;
  }
  return 0;
}

pl_status pl_grid_cells_make(const pl_grid_source *from, int stencil, pl_grid_cells *cells,
                             pl_error *error)
{
  const pl_grid *grid = from->grid;
  cells->axes = grid->axes;
  cells->corners = 1 << grid->axes;
  cells->pairs = grid->axes * (grid->axes + 1) / 2;
  for (int k = 0; k < 3; k++) cells->spacing[k] = 1.0 / pl_grid_cells_along(grid, k);
  cells->list.count = pl_grid_cell_nodes(grid, NULL);
  cells->list.size = cells->corners;
  size_t corners = (size_t)cells->list.count * (size_t)cells->corners, pairs = (size_t)cells->pairs;
  cells->list.nodes = pl_alloc(from->allocator, corners, sizeof *cells->list.nodes);
  cells->G0 = pl_alloc(from->allocator, corners * pairs, sizeof *cells->G0);
  cells->C = pl_alloc(from->allocator, corners * pairs * pairs, sizeof *cells->C);
  size_t solid = grid->axes == 3 ? corners : 0;
  int viscous = is_viscous(from);
  cells->J0 = pl_alloc(from->allocator, solid, sizeof *cells->J0);
  cells->kappa = pl_alloc(from->allocator, solid, sizeof *cells->kappa);
  if (viscous)
    cells->C_rate = pl_alloc(from->allocator, corners * pairs * pairs, sizeof *cells->C_rate);
  if (!cells->list.nodes || !cells->G0 || !cells->C || !cells->J0 || !cells->kappa ||
      (viscous && !cells->C_rate))
    return pl_fail_memory(error);
  pl_grid_cell_nodes(grid, cells->list.nodes);
  fill_rest(cells, from->mesh->nodes);
  fill_stiffness(from, stencil, cells);
  return pl_grid_list_make(from->allocator, from->mesh->node_count, &cells->list, error);
}

void pl_grid_cells_release(const pl_allocator *allocator, pl_grid_cells *cells)
{
  void *arrays[] = {cells->G0, cells->C, cells->C_rate, cells->J0, cells->kappa};
  pl_grid_list_release(allocator, &cells->list);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

/* ---- the cells of surfaces by fours ---- */

/* Corner c of a cell as lanes: products of differences in place of derivatives. */
static void pack_corner(const pl_grid_cells *cells, size_t corner, int lanes, double *out)
{
  static const int entry[6] = {0, 1, 2, 4, 5, 8};
  double h[2] = {cells->spacing[0], cells->spacing[1]};
  const double unit[3] = {h[0] * h[0], h[1] * h[1], h[0] * h[1]};
  for (int p = 0; p < 3; p++) out[p] = cells->G0[3 * corner + (size_t)p] * unit[p];
  for (int k = 0; k < lanes - 3; k++) {
    int at = entry[k % 6];
    const double *C = k < 6 ? cells->C : cells->C_rate;
    out[3 + k] = C[9 * corner + (size_t)at] / (unit[at / 3] * unit[at % 3]);
  }
}

/* Cells behind the last are the last once more, without stiffness. */
static void pack(const pl_grid_cells *cells, pl_grid_quads *quads)
{
  for (int i = 0; i < PL_LANES * quads->batches; i++) {
    int batch = i / PL_LANES, lane = i % PL_LANES, beyond = i >= cells->list.count;
    int cell = beyond ? cells->list.count - 1 : i;
    for (int c = 0; c < 4; c++) {
      double numbers[15] = {0};
      size_t corner = 4 * (size_t)cell + (size_t)c;
      pack_corner(cells, corner, quads->lanes, numbers);
      quads->nodes[(4 * batch + c) * PL_LANES + lane] = 3 * cells->list.nodes[corner];
      for (int k = 0; k < quads->lanes; k++)
        quads->data[(4 * batch + c) * quads->lanes + k][lane] = beyond && k >= 3 ? 0 : numbers[k];
    }
  }
}

pl_status pl_grid_quads_make(const pl_allocator *allocator, pl_grid_cells *cells,
                             pl_grid_quads *quads, pl_error *error)
{
  quads->batches = pl_chunk_count(cells->list.count, PL_LANES);
  quads->rates = cells->C_rate != NULL;
  quads->lanes = quads->rates ? 15 : 9;
  size_t lanes = (size_t)quads->batches * PL_LANES;
  quads->nodes = pl_alloc(allocator, 4 * lanes, sizeof *quads->nodes);
  quads->places = pl_alloc(allocator, 16 * lanes, sizeof *quads->places);
  quads->data =
      pl_alloc(allocator, (size_t)quads->batches * 4 * (size_t)quads->lanes, sizeof *quads->data);
  if (!quads->nodes || !quads->places || !quads->data) return pl_fail_memory(error);
  pack(cells, quads);
  void *arrays[] = {cells->G0, cells->C, cells->C_rate};
  for (size_t i = 0; i < 3; i++) pl_free(allocator, arrays[i]);
  cells->G0 = cells->C = cells->C_rate = NULL;
  return PL_OK;
}

void pl_grid_quads_bind(const int *places, const pl_grid_list *cells, pl_grid_quads *quads)
{
  for (int i = 0; i < PL_LANES * quads->batches; i++) {
    int cell = i < cells->count ? i : cells->count - 1;
    for (int ab = 0; ab < 16; ab++)
      quads->places[(16 * (i / PL_LANES) + ab) * PL_LANES + i % PL_LANES] =
          places[cells->blocks[16 * (size_t)cell + (size_t)ab]];
  }
}

void pl_grid_quads_release(const pl_allocator *allocator, pl_grid_quads *quads)
{
  pl_free(allocator, quads->nodes);
  pl_free(allocator, quads->places);
  pl_free(allocator, quads->data);
}
