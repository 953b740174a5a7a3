/* The bound over all elements, and the largest eigenvalue of sum_p w_p b_a . b_b of each by power
 * iteration, once; equal elements in a row are asked once. */
#include "model/fem/bound.h"

#include "core/cpu.h"
#include "math/vec3.h"
#include "model/fem/fem.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200, MOST_ENTRIES = PL_ELEMENT_NODES * PL_ELEMENT_NODES };

static const double enough = 1e-9, alike = 1e-10;

/* G_ab = sum_p w_p b_a . b_b of one lane; returns its trace. */
static double gradient_matrix(const pl_fem *fem, int place, double G[MOST_ENTRIES])
{
  int count = fem->nodes_per_element, lane = place % PL_LANES;
  const pl_lanes *rest =
      fem->rest + (size_t)(place / PL_LANES) * pl_fem_rest_size(count, fem->points);
  double trace = 0;
  memset(G, 0, MOST_ENTRIES * sizeof *G);
  for (int p = 0; p < fem->points; p++, rest += 3 * count - 2) {
    double b[PL_ELEMENT_NODES][3] = {{0}};
    for (int a = 0; a < count - 1; a++) {
      for (int i = 0; i < 3; i++) {
        b[a][i] = rest[1 + 3 * a + i][lane];
        b[count - 1][i] -= b[a][i];
      }
    }
    for (int ab = 0; ab < count * count; ab++)
      G[ab] += rest[0][lane] * pl_vec3_dot(b[ab / count], b[ab % count]);
  }
  for (int a = 0; a < count; a++) trace += G[(count + 1) * a];
  return trace;
}

static double largest_eigenvalue(const double *G, int n)
{
  double x[PL_ELEMENT_NODES], y[PL_ELEMENT_NODES], value = 0;
  for (int a = 0; a < n; a++) x[a] = (a % 2 ? -1 : 1) * (1 + (a * 7 % 13) / 13.0);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double length = 0, before = value;
    for (int a = 0; a < n; a++) {
      y[a] = 0;
      for (int b = 0; b < n; b++) y[a] += G[n * a + b] * x[b];
      length += y[a] * y[a];
    }
    value = sqrt(length);
    if (!(value > 0)) return 0;
    for (int a = 0; a < n; a++) x[a] = y[a] / value;
    if (fabs(value - before) <= enough * value) break;
  }
  return value;
}

/* From least masses to g / m. */
static void find_shapes(pl_fem *fem)
{
  double known[MOST_ENTRIES] = {0}, value = 0, of = -1;
  for (int place = 0; place < fem->groups.batches * PL_LANES; place++) {
    int element = pl_groups_item(&fem->groups, place), n = fem->nodes_per_element;
    double G[MOST_ENTRIES], off = 0, trace = element < 0 ? 0 : gradient_matrix(fem, place, G);
    if (element < 0) continue;
    for (int i = 0; i < n * n; i++) off = fmax(off, fabs(G[i] - known[i]));
    if (!(of > 0 && off <= alike * trace)) {
      value = largest_eigenvalue(G, n);
      memcpy(known, G, sizeof known);
      of = trace;
    }
    fem->bound.shapes[element] = value / fem->bound.shapes[element];
  }
  fem->bound.found = 1;
}

static void bound_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  PL_PICK_VARIANT(pl_fem_bound)(job, start[0], start[1], job->fem->bound.sums + 2 * chunk);
}

void pl_fem_bounds(pl_model *self, const pl_moment *at, double bounds[2], pl_pool *pool)
{
  pl_fem_job job = {.fem = self->state, .q = at->q, .v = at->v};
  pl_model_settle(self, pool);
  pl_fem_bound_all(self->state, &job, at->h, bounds, pool);
}

void pl_fem_bound_all(pl_fem *fem, pl_fem_job *job, double h, double bounds[2], pl_pool *pool)
{
  if (!fem->bound.found) find_shapes(fem);
  pl_groups_freeze(&fem->groups, h, pool);
  pl_parallel(pool, fem->chunks.chunks, bound_chunk, job);
  bounds[0] = bounds[1] = 0;
  for (int i = 0; i < 2 * fem->chunks.chunks; i++)
    bounds[i % 2] = fmax(bounds[i % 2], fem->bound.sums[i]);
}
