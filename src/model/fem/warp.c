/* Making warped stiffness, and its passes over the rows. */
#include "model/fem/warp.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* ---- frames ---- */

/* Returns the length. */
static double unit_edge(const double *X, int from, int to, double out[3])
{
  pl_vec3_sub(X + 3 * (size_t)to, X + 3 * (size_t)from, out);
  double length = pl_vec3_norm(out);
  if (length > 0) pl_vec3_scale(1 / length, out, out);
  return length;
}

/* The shortest edge of a row. */
static double shortest_edge(const pl_bsr *K, const double *X, int row)
{
  double min = INFINITY;
  for (int k = K->start[row]; k < K->start[row + 1]; k++) {
    double edge[3];
    pl_vec3_sub(X + 3 * (size_t)K->columns[k], X + 3 * (size_t)row, edge);
    if (K->columns[k] != row) min = fmin(min, pl_vec3_norm(edge));
  }
  return min;
}

/* Three edges that span space, the shortest first: each is the shortest of those that lie across
 * the ones before, or the one most across them where none does enough. */
static void choose_edges(const pl_bsr *K, const double *X, int row, int chosen[3])
{
  const double enough = 0.2;
  double edges[2][3] = {{0}}, normal[3] = {0}, shortest = shortest_edge(K, X, row);
  for (int e = 0; e < 3; e++) {
    double max = -1;
    chosen[e] = row;
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      double edge[3], across[3];
      if (K->columns[k] == row) continue;
      double length = unit_edge(X, row, K->columns[k], edge);
      pl_vec3_cross(edges[0], edge, across);
      double size = e == 0 ? 1 : e == 1 ? pl_vec3_norm(across) : fabs(pl_vec3_dot(normal, edge));
      if (size > enough && length > 0) size = 1 + shortest / length;
      if (size <= max + 1e-9) continue;
      max = size;
      chosen[e] = K->columns[k];
    }
    if (e < 2) unit_edge(X, row, chosen[e], edges[e]);
    if (e == 1) pl_vec3_cross(edges[0], edges[1], normal);
  }
}

/* The frame's rows at rest; a neighbourhood without three directions gets the identity, and its
 * rotations from the edges' correlation. */
static void make_frame(const pl_bsr *K, const double *X, int row, pl_warp_frame *frame)
{
  double mean[3] = {0}, min = 2;
  choose_edges(K, X, row, frame->nodes);
  for (int e = 0; e < 3; e++) {
    pl_vec3_sub(X + 3 * (size_t)frame->nodes[e], X + 3 * (size_t)row, frame->edges[e]);
    pl_vec3_add(mean, frame->edges[e], mean);
  }
  double length = pl_vec3_norm(mean), *e1 = frame->rest, *e2 = e1 + 3, *e3 = e1 + 6;
  memset(frame->rest, 0, sizeof frame->rest);
  for (int i = 0; i < 9; i += 4) frame->rest[i] = 1;
  for (int e = 0; e < 3; e++) {
    double size = pl_vec3_norm(frame->edges[e]) * length;
    double cosine = size > 0 ? fabs(pl_vec3_dot(frame->edges[e], mean)) / size : 1;
    if (cosine >= min - 1e-9) continue;
    min = cosine;
    frame->side = e;
  }
  if (!(min < 1 - 1e-12)) {
    frame->side = -1;
    return;
  }
  pl_vec3_scale(1 / length, mean, e1);
  pl_vec3_cross(e1, frame->edges[frame->side], e2);
  pl_vec3_scale(1 / pl_vec3_norm(e2), e2, e2);
  pl_vec3_cross(e1, e2, e3);
}

/* ---- creation ---- */

static void fill_lane(const pl_warp_def *def, int row, int k, pl_warp_batch *batch, int lane)
{
  int node = def->K->columns[k];
  batch->nodes[lane] = node;
  for (int i = 0; i < 9; i++) {
    // blocks are stored by columns, lanes by rows
    size_t entry = 9 * (size_t)k + (size_t)(3 * (i % 3) + i / 3);
    batch->K[i][lane] = def->K->values[entry];
    batch->D[i][lane] = def->D ? def->D[entry] : 0;
  }
  for (int i = 0; i < 3; i++) {
    batch->rest[i][lane] = def->X[3 * (size_t)node + (size_t)i] - def->X[3 * row + i];
    batch->weight[i][lane] =
        def->weights ? def->weights[3 * (size_t)k + (size_t)i] : batch->rest[i][lane];
  }
}

/* The neighbours of each row in batches; what fills up the last one is the row itself, without
 * stiffness. */
static void fill_batches(const pl_warp_def *def, pl_warp *warp)
{
  for (int row = 0; row < warp->rows; row++) {
    int count = 0;
    pl_warp_batch *batches = warp->batches + warp->start[row];
    int lanes = (warp->start[row + 1] - warp->start[row]) * PL_LANES;
    for (int i = 0; i < lanes; i++) {
      batches[i / PL_LANES].nodes[i % PL_LANES] = row;
      batches[i / PL_LANES].places[i % PL_LANES] = -1;
    }
    for (int k = def->K->start[row]; k < def->K->start[row + 1]; k++) {
      if (def->K->columns[k] == row) continue;
      fill_lane(def, row, k, &batches[count / PL_LANES], count % PL_LANES);
      count++;
    }
  }
}

pl_status pl_warp_create(const pl_allocator *allocator, const pl_warp_def *def, pl_warp *warp,
                         pl_error *error)
{
  const pl_bsr *K = def->K;
  size_t rows = (size_t)K->rows;
  *warp = (pl_warp){.rows = K->rows,
                    .blocks = K->start[rows],
                    .both = def->both,
                    .global = def->global,
                    .viscous = def->D != NULL,
                    .kernel = PL_PICK_VARIANT(&pl_warp_kernel)};
  warp->start = pl_alloc(allocator, rows + 1, sizeof *warp->start);
  warp->R = pl_alloc(allocator, rows * 9, sizeof *warp->R);
  if (def->frames) warp->frames = pl_alloc(allocator, rows, sizeof *warp->frames);
  int ok = warp->start && warp->R && (warp->frames || !def->frames);
  for (int row = 0; ok && row < K->rows; row++) {
    int neighbours = K->start[row + 1] - K->start[row] - 1;
    warp->start[row + 1] = warp->start[row] + pl_chunk_count(neighbours, PL_LANES);
    if (def->frames) make_frame(K, def->X, row, &warp->frames[row]);
  }
  if (ok) warp->batches = pl_alloc(allocator, (size_t)warp->start[K->rows], sizeof *warp->batches);
  if (!ok || !warp->batches) {
    pl_warp_destroy(allocator, warp);
    return pl_fail_memory(error);
  }
  fill_batches(def, warp);
  return PL_OK;
}

void pl_warp_destroy(const pl_allocator *allocator, pl_warp *warp)
{
  pl_free(allocator, warp->start);
  pl_free(allocator, warp->R);
  pl_free(allocator, warp->frames);
  pl_free(allocator, warp->batches);
  *warp = (pl_warp){0};
}

pl_status pl_warp_bind(pl_warp *warp, const pl_bsr *A, int offset, pl_error *error)
{
  warp->offset = offset;
  warp->crowded = A->start[offset + warp->rows] - A->start[offset] != warp->blocks;
  for (int row = 0; row < warp->rows; row++) {
    for (int b = warp->start[row]; b < warp->start[row + 1]; b++) {
      for (int lane = 0; lane < PL_LANES; lane++) {
        int node = warp->batches[b].nodes[lane];
        if (node == row) continue;
        int found;
        pl_status status = pl_bsr_place(A, offset, row, node, &found, error);
        if (status) return status;
        warp->batches[b].places[lane] = found;
      }
    }
  }
  return PL_OK;
}

/* ---- passes ---- */

enum { ROWS_PER_CHUNK = 256 };

static int last_row(const pl_warp *warp, int chunk)
{
  int last = (chunk + 1) * ROWS_PER_CHUNK;
  return last < warp->rows ? last : warp->rows;
}

static void rotate_chunk(void *context, int chunk)
{
  const pl_warp_job *job = context;
  const pl_warp *warp = job->warp;
  int first = chunk * ROWS_PER_CHUNK, last = last_row(warp, chunk);
  if (warp->global)
    warp->kernel->sums(job, first, last);
  else
    (warp->frames ? warp->kernel->frames : warp->kernel->nearest)(job, first, last);
}

/* One rotation for all rows, from their sums. */
static void rotate_whole(pl_warp *warp)
{
  double G[9] = {0}, R[9], S[9];
  for (size_t i = 0; i < 9 * (size_t)warp->rows; i++) G[i % 9] += warp->R[i];
  pl_polar(G, R, S);
  for (size_t i = 0; i < 9 * (size_t)warp->rows; i++) warp->R[i] = R[i % 9];
}

static void rows_chunk(void *context, int chunk)
{
  const pl_warp_job *job = context;
  job->warp->kernel->rows(job, chunk * ROWS_PER_CHUNK, last_row(job->warp, chunk));
}

void pl_warp_rotations(pl_warp *warp, const double *q, pl_pool *pool)
{
  pl_warp_job job = {.warp = warp, .q = q};
  pl_parallel(pool, pl_chunk_count(warp->rows, ROWS_PER_CHUNK), rotate_chunk, &job);
  if (warp->global) rotate_whole(warp);
}

void pl_warp_evaluate(pl_warp *warp, const pl_moment *at, double *f, const pl_tangent *tangent,
                      pl_pool *pool)
{
  pl_warp_job job = {.warp = warp, .q = at->q, .v = at->v, .f = f};
  if (tangent) job.A = tangent->A, job.kq = tangent->kq, job.kv = tangent->kv;
  pl_warp_rotations(warp, at->q, pool);
  pl_parallel(pool, pl_chunk_count(warp->rows, ROWS_PER_CHUNK), rows_chunk, &job);
}
