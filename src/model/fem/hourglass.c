/* Rest data of hexahedra with one point; the formulas stand in hourglass.h. */
#include "model/fem/hourglass.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/vec3.h"
#include "model/quadrature.h"

#include <math.h>

const double pl_hex_modes[7][8] = {{-1, 1, 1, -1, -1, 1, 1, -1}, {-1, -1, 1, 1, -1, -1, 1, 1},
                                   {-1, -1, -1, -1, 1, 1, 1, 1}, {1, 1, -1, -1, -1, -1, 1, 1},
                                   {1, -1, -1, 1, -1, 1, 1, -1}, {1, -1, 1, -1, 1, -1, 1, -1},
                                   {-1, 1, -1, 1, 1, -1, 1, -1}};

/* Relative to the edges: what counts as rounding of positions. */
static const double rounding = 1e-12;

pl_status pl_hourglass_create(const pl_allocator *allocator, int batches, double factor,
                              pl_hourglass *to, pl_error *error)
{
  size_t count = (size_t)batches;
  to->factor = factor;
  to->kernel = PL_PICK_VARIANT(&pl_hourglass_kernel);
#if PL_HAS_AVX2_VARIANT
  if (pl_cpu_has_avx512()) to->kernel = &pl_hourglass_kernel_avx512;
#endif
  to->nodes = pl_alloc(allocator, count * 8 * PL_LANES, sizeof *to->nodes);
  to->corners = pl_alloc(allocator, count * 8 * PL_LANES, sizeof *to->corners);
  to->is_skew = pl_alloc(allocator, count, sizeof *to->is_skew);
  to->rest = pl_alloc(allocator, count * PL_HEX_REST, sizeof *to->rest);
  return to->nodes && to->corners && to->is_skew && to->rest ? PL_OK : pl_fail_memory(error);
}

void pl_hourglass_release(const pl_allocator *allocator, pl_hourglass *hourglass)
{
  pl_free(allocator, hourglass->nodes);
  pl_free(allocator, hourglass->corners);
  pl_free(allocator, hourglass->is_skew);
  pl_free(allocator, hourglass->rest);
  *hourglass = (pl_hourglass){0};
}

/* The mean of the gradients over the volume, by 2x2x2 points, which is exact. */
static double mean_gradients(const pl_mesh *mesh, const int *nodes, double b[8][3])
{
  double volume = 0;
  for (int a = 0; a < 8; a++) pl_vec3_set(b[a], 0, 0, 0);
  for (int p = 0; p < 8; p++) {
    double at_point[PL_ELEMENT_NODES][3];
    pl_quadrature at = pl_quadrature_at(8, p);
    double weight = pl_quadrature_gradients(&at, mesh->nodes, nodes, 8, at_point);
    if (!(weight > 0) || !isfinite(1 / weight)) return weight;
    volume += weight;
    for (int a = 0; a < 8; a++) pl_vec3_add_scaled(weight, at_point[a], b[a]);
  }
  for (int a = 0; a < 8; a++) pl_vec3_scale(1 / volume, b[a], b[a]);
  return volume;
}

/* sum_a sign_a value_a. */
static void mode_of(const double *signs, double values[8][3], double scale, double out[3])
{
  pl_vec3_set(out, 0, 0, 0);
  for (int a = 0; a < 8; a++) pl_vec3_add_scaled(scale * signs[a], values[a], out);
}

static void put(pl_lanes *to, int lane, const double *values, int count)
{
  for (int i = 0; i < count; i++) to[i][lane] = values[i];
}

/* An orthonormal frame e_i nearest to the edges, and 1 / a_i. */
static void find_frame(double edges[3][3], double frame[9], double lengths[3])
{
  double columns[9], R[9], S[9];
  for (int i = 0; i < 3; i++) {
    double length = pl_vec3_norm(edges[i]);
    for (int k = 0; k < 3; k++) columns[3 * k + i] = edges[i][k] / length;
  }
  pl_polar(columns, R, S);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) frame[3 * i + k] = R[3 * k + i];
    lengths[i] = 1 / pl_vec3_norm(edges[i]);
  }
}

/* Is the element a box along the axes, to rounding? */
static int is_box(double edges[3][3], double offsets[4][3])
{
  double size = 0, off = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      if (i == k) size = fmax(size, edges[i][k]);
      if (i != k) off = fmax(off, fabs(edges[i][k]));
    }
    if (!(edges[i][i] > 0)) return 0;
  }
  for (int m = 0; m < 4; m++) off = fmax(off, pl_vec3_norm(offsets[m]) / 8);
  return off <= rounding * size;
}

static void fill_rest(pl_hourglass *to, double X[8][3], double b[8][3], int place)
{
  int lane = place % PL_LANES, batch = place / PL_LANES;
  pl_lanes *rest = to->rest + (size_t)batch * PL_HEX_REST;
  double edges[3][3], offsets[4][3], frame[9], lengths[3], gradient[3];
  for (int i = 0; i < 3; i++) mode_of(pl_hex_modes[i], X, 0.125, edges[i]);
  for (int m = 0; m < 4; m++) mode_of(pl_hex_modes[3 + m], X, 1, offsets[m]);
  find_frame(edges, frame, lengths);
  if (!is_box(edges, offsets)) to->is_skew[batch] = 1;
  put(rest + PL_HEX_LENGTHS, lane, lengths, 3);
  put(rest + PL_HEX_FRAME, lane, frame, 9);
  for (int k = 0; k < 7; k++) {
    mode_of(pl_hex_modes[k], b, 0.125, gradient);
    put(rest + (k < 3 ? PL_HEX_LINEAR + 3 * k : PL_HEX_SKEW + 3 * (k - 3)), lane, gradient, 3);
  }
  for (int m = 0; m < 4; m++) put(rest + PL_HEX_OFFSETS + 3 * m, lane, offsets[m], 3);
}

double pl_hourglass_fill(pl_hourglass *to, const pl_mesh *mesh, int element, const int *order,
                         int place, int is_copy, double b[8][3])
{
  int lane = place % PL_LANES, batch = place / PL_LANES;
  const int *nodes = mesh->elements + 8 * (size_t)element;
  double X[8][3], volume = mean_gradients(mesh, nodes, b);
  size_t first = 8 * (size_t)PL_LANES * (size_t)batch;
  if (!(volume > 0)) return volume;
  for (int a = 0; a < 8; a++) {
    // counted from the element's own place, so that equal elements have equal numbers
    pl_vec3_sub(mesh->nodes + 3 * (size_t)nodes[a], mesh->nodes + 3 * (size_t)nodes[0], X[a]);
    to->nodes[first + (size_t)(PL_LANES * a + lane)] = 3 * nodes[a];
    to->corners[first + (size_t)(PL_LANES * a + lane)] = (unsigned char)order[a];
  }
  fill_rest(to, X, b, place);
  to->rest[(size_t)batch * PL_HEX_REST + PL_HEX_VOLUME][lane] = is_copy ? 0 : volume;
  return volume;
}
