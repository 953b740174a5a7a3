#include "sparse/coarse.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/bisect.h"
#include "sparse/factor.h"
#include "sparse/partition.h"

#include <math.h>
#include <string.h>

/* Nodes that a part should have, and the most parts over all ranks: the factor is everybody's. */
enum { NODES = 64, MOST_PARTS = 2048 };
enum { MODES = 6, BLOCK = MODES * MODES };

/* A pivot of a part's own block this much below its diagonal is what rounding left of a motion that
 * the part does not have: of nodes in a line, or held. */
static const double least_pivot = 1e-10;

struct pl_coarse {
  pl_allocator allocator;
  const pl_local_rows *local;
  const pl_partition *partition; /* NULL: there is one rank */
  int parts;
  int *first, *scaled;     /* of each rank's parts, and room for a multiple of that */
  int own_first, own;      /* this rank's parts */
  int *part;               /* of each place of the local matrix */
  int *order, *order_from; /* this rank's places, part after part */
  double *spots;           /* of each part: its centre and radius */
  int *start, *columns;    /* the coarse pattern, in parts */
  double *blocks;          /* 6x6 each, column by column */
  pl_bsr *A;               /* two rows for each part: translations, rotations */
  int *places;             /* in it, of the four 3x3 blocks of each of `blocks` */
  pl_factor *factor;
  pl_filter filter; /* leaves out motions that a part does not have */
  int *nodes;
  double *projections;
  double *r;
};

static int rank_count(const pl_coarse *self)
{
  return self->partition ? self->partition->ranks->count : 1;
}

/* Everybody gets `width` numbers for each item; rank r has those of [first[r], first[r + 1]). */
static void gather(const pl_coarse *self, double *all, const int *first, int width)
{
  if (!self->partition) return;
  for (int r = 0; r <= rank_count(self); r++) self->scaled[r] = width * first[r];
  self->partition->ranks->gather(self->partition->ranks, all, self->scaled);
}

/* ---- parts ---- */

/* How many parts each rank has follows from how many rows it has. */
static pl_status count_parts(pl_coarse *self, pl_error *error)
{
  int ranks = rank_count(self), rank = self->partition ? self->partition->ranks->rank : 0;
  self->first = pl_alloc(&self->allocator, (size_t)ranks + 1, sizeof *self->first);
  self->scaled = pl_alloc(&self->allocator, (size_t)ranks + 1, sizeof *self->scaled);
  if (!self->first || !self->scaled) return pl_fail_memory(error);
  int most = MOST_PARTS / ranks > 1 ? MOST_PARTS / ranks : 1;
  for (int r = 0; r < ranks; r++) {
    const int *first = self->partition ? self->partition->first + r : NULL;
    int rows = first ? first[1] - first[0] : self->local->layout->own,
        wanted = (rows + NODES / 2) / NODES;
    self->first[r + 1] = self->first[r] + (wanted < 1 ? 1 : wanted > most ? most : wanted);
  }
  self->parts = self->first[ranks];
  self->own_first = self->first[rank];
  self->own = self->first[rank + 1] - self->own_first;
  return PL_OK;
}

/* part_of: of the rank's rows, in their order, among its own parts. */
static pl_status cut(const pl_coarse *self, const pl_bsr *A, int *part_of, pl_error *error)
{
  const pl_local_rows *local = self->local;
  double *points = pl_alloc(&self->allocator, 3 * (size_t)local->layout->own, sizeof *points);
  if (!points) return pl_fail_memory(error);
  for (int i = 0; i < local->layout->own; i++)
    memcpy(points + 3 * (size_t)i,
           A->points + 3 * (size_t)local->layout->row[local->layout->own_at[i]],
           3 * sizeof *points);
  pl_status status =
      pl_bisect(&self->allocator, points, local->layout->own, self->own, part_of, error);
  pl_free(&self->allocator, points);
  return status;
}

/* The parts of copies are their owners' to say. */
static pl_status exchange_parts(pl_coarse *self, pl_error *error)
{
  const pl_block_layout *layout = self->local->layout;
  if (!self->partition) return PL_OK;
  double *x = pl_alloc(&self->allocator, 3 * (size_t)self->local->A->rows, sizeof *x);
  if (!x) return pl_fail_memory(error);
  for (int i = 0; i < layout->own; i++)
    x[3 * (size_t)layout->own_at[i]] = self->part[layout->own_at[i]];
  pl_layout_update(layout, x);
  for (int i = 0; i < layout->copies; i++)
    self->part[layout->copy_at[i]] = (int)x[3 * (size_t)layout->copy_at[i]];
  pl_free(&self->allocator, x);
  return PL_OK;
}

static pl_status make_parts(pl_coarse *self, const pl_bsr *A, pl_error *error)
{
  const pl_local_rows *local = self->local;
  const pl_allocator *memory = &self->allocator;
  pl_status status = count_parts(self, error);
  if (status) return status;
  self->part =
      pl_alloc(memory, (size_t)local->layout->own + (size_t)local->layout->copies, sizeof(int));
  self->order = pl_alloc(memory, (size_t)local->layout->own, sizeof(int));
  self->order_from = pl_alloc(memory, (size_t)self->own + 2, sizeof(int));
  int *part_of = pl_alloc(memory, (size_t)local->layout->own, sizeof *part_of);
  status = self->part && self->order && self->order_from && part_of ? cut(self, A, part_of, error)
                                                                    : pl_fail_memory(error);
  for (int i = 0; i < local->layout->own && !status; i++) {
    self->part[local->layout->own_at[i]] = self->own_first + part_of[i];
    self->order_from[part_of[i] + 2]++;
  }
  for (int p = 0; p < self->own && !status; p++) self->order_from[p + 2] += self->order_from[p + 1];
  for (int i = 0; i < local->layout->own && !status; i++)
    self->order[self->order_from[part_of[i] + 1]++] = local->layout->own_at[i];
  pl_free(memory, part_of);
  return status ? status : exchange_parts(self, error);
}

/* ---- the coarse pattern ---- */

/* The parts that part p of this rank is coupled with, ascending; returns how many. seen has a place
 * for each part, and holds numbers below p + 1 before. */
static int list_neighbours(const pl_coarse *self, int p, int *seen, double *list)
{
  const pl_bsr *A = self->local->A;
  int count = 0;
  for (int i = self->order_from[p]; i < self->order_from[p + 1]; i++) {
    for (int k = A->start[self->order[i]]; k < A->start[self->order[i] + 1]; k++) {
      int q = self->part[A->columns[k]], at = count;
      if (seen[q] == p + 1) continue;
      seen[q] = p + 1;
      for (; at > 0 && list[at - 1] > q; at--) list[at] = list[at - 1];
      list[at] = q;
      count++;
    }
  }
  return count;
}

/* start and columns of all parts; numbers travel as doubles. */
static pl_status gather_pattern(pl_coarse *self, double *counts, double *list, int *seen,
                                pl_error *error)
{
  size_t parts = (size_t)self->parts, own = 0;
  for (int p = 0; p < self->own; p++)
    counts[self->own_first + p] = list_neighbours(self, p, seen, list);
  gather(self, counts, self->first, 1);
  for (size_t p = 0; p < parts; p++) self->start[p + 1] = self->start[p] + (int)counts[p];
  size_t total = (size_t)self->start[parts];
  double *all = pl_alloc(&self->allocator, total, sizeof *all);
  int *first = pl_alloc(&self->allocator, (size_t)rank_count(self) + 1, sizeof *first);
  self->columns = pl_alloc(&self->allocator, total, sizeof *self->columns);
  pl_status status = all && first && self->columns ? PL_OK : pl_fail_memory(error);
  memset(seen, 0, parts * sizeof *seen);
  for (int p = 0; p < self->own && !status; p++)
    own += (size_t)list_neighbours(self, p, seen, all + self->start[self->own_first] + own);
  for (int r = 0; r <= rank_count(self) && !status; r++) first[r] = self->start[self->first[r]];
  if (!status) gather(self, all, first, 1);
  for (size_t k = 0; k < total && !status; k++) self->columns[k] = (int)all[k];
  pl_free(&self->allocator, first);
  pl_free(&self->allocator, all);
  return status;
}

static pl_status find_pattern(pl_coarse *self, pl_error *error)
{
  const pl_allocator *memory = &self->allocator;
  size_t parts = (size_t)self->parts;
  double *counts = pl_alloc(memory, 2 * parts, sizeof *counts);
  int *seen = pl_alloc(memory, parts, sizeof *seen);
  self->start = pl_alloc(memory, parts + 1, sizeof *self->start);
  pl_status status = counts && seen && self->start
                         ? gather_pattern(self, counts, counts + parts, seen, error)
                         : pl_fail_memory(error);
  pl_free(memory, counts);
  pl_free(memory, seen);
  return status;
}

/* Rows 2p and 2p + 1 of the coarse matrix are the translations and rotations of part p. */
static pl_status make_matrix(pl_coarse *self, pl_error *error)
{
  const pl_allocator *memory = &self->allocator;
  int total = self->start[self->parts];
  int *list = pl_alloc(memory, 4 * (size_t)total, sizeof *list);
  self->places = pl_alloc(memory, 4 * (size_t)total, sizeof *self->places);
  self->blocks = pl_alloc(memory, BLOCK * (size_t)total, sizeof(double));
  if (!list || !self->places || !self->blocks) {
    pl_free(memory, list);
    return pl_fail_memory(error);
  }
  for (int p = 0; p < self->parts; p++) {
    for (int k = self->start[p]; k < self->start[p + 1]; k++) {
      const int q = self->columns[k], four[4] = {2 * p, 2 * p + 1, 2 * q, 2 * q + 1};
      memcpy(list + 4 * (size_t)k, four, sizeof four);
    }
  }
  const pl_cliques cliques = {.count = total, .size = 4, .nodes = list};
  pl_status status = pl_bsr_create(memory, 2 * self->parts, &cliques, 1, &self->A, error);
  for (int k = 0; k < 4 * total && !status; k++)
    self->places[k] =
        pl_bsr_find(self->A, list[k - k % 4 + k % 4 / 2], list[k - k % 4 + 2 + k % 2]);
  pl_free(memory, list);
  return status;
}

pl_status pl_coarse_create(const pl_allocator *allocator, const pl_local_rows *local,
                           const pl_bsr *A, pl_coarse **out, pl_error *error)
{
  pl_coarse *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->local = local;
  self->partition = A->partition;
  pl_status status = make_parts(self, A, error);
  if (!status) status = find_pattern(self, error);
  if (!status) status = make_matrix(self, error);
  if (status) return status;
  size_t parts = (size_t)self->parts;
  self->spots = pl_alloc(allocator, 4 * parts, sizeof(double));
  self->r = pl_alloc(allocator, MODES * parts, sizeof(double));
  self->nodes = pl_alloc(allocator, 2 * parts, sizeof(int));
  self->projections = pl_alloc(allocator, 18 * parts, sizeof(double));
  if (!self->spots || !self->r || !self->nodes || !self->projections) return pl_fail_memory(error);
  return pl_factor_create(allocator, self->A, PL_ORDER_NESTED, &self->factor, error);
}

void pl_coarse_destroy(pl_coarse *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  if (self->A) pl_bsr_destroy(self->A);
  pl_factor_destroy(self->factor);
  void *arrays[] = {self->first,   self->scaled,      self->part,  self->order,  self->order_from,
                    self->spots,   self->start,       self->r,     self->blocks, self->places,
                    self->columns, self->projections, self->nodes, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&memory, arrays[i]);
}

/* ---- numbers ---- */

/* Centre and radius of the rank's parts. */
static void place_parts(pl_coarse *self)
{
  const double *points = self->local->A->points;
  for (int p = 0; p < self->own; p++) {
    double *spot = self->spots + 4 * (size_t)(self->own_first + p), square = 0;
    int from = self->order_from[p], to = self->order_from[p + 1];
    memset(spot, 0, 4 * sizeof *spot);
    for (int i = from; i < to; i++) pl_vec3_add(spot, points + 3 * (size_t)self->order[i], spot);
    pl_vec3_scale(1.0 / (to - from), spot, spot);
    for (int i = from; i < to; i++) {
      double away = pl_vec3_distance(points + 3 * (size_t)self->order[i], spot);
      square += away * away;
    }
    spot[3] = square > 0 ? sqrt(square / (to - from)) : 1;
  }
  gather(self, self->spots, self->first, 4);
}

/* Where a node stands in its part, in radii of that. */
static void arm_of(const pl_coarse *self, int place, double d[3])
{
  const double *spot = self->spots + 4 * (size_t)self->part[place];
  pl_vec3_sub(self->local->A->points + 3 * (size_t)place, spot, d);
  pl_vec3_scale(1 / spot[3], d, d);
}

/* M += R_i^T B R_j, where R = [1, w x d] of both nodes; B is 3x3, M is 6x6. */
static void add_block(const double *B, const double di[3], const double dj[3], double *M)
{
  double W[18], turned[3];
  memcpy(W, B, 9 * sizeof *W);
  for (int k = 0; k < 3; k++) {
    W[9 + k] = dj[1] * B[6 + k] - dj[2] * B[3 + k];
    W[12 + k] = dj[2] * B[k] - dj[0] * B[6 + k];
    W[15 + k] = dj[0] * B[3 + k] - dj[1] * B[k];
  }
  for (int c = 0; c < MODES; c++) {
    double *column = M + (size_t)(MODES * c);
    pl_vec3_cross(di, W + 3 * c, turned);
    for (int k = 0; k < 3; k++) {
      column[k] += W[3 * c + k];
      column[3 + k] += turned[k];
    }
  }
}

/* out = P B Q, by columns; NULL is the unit matrix. */
static void project(const double *P, const double *Q, const double *B, double out[9])
{
  double half[9];
  memcpy(half, B, sizeof half);
  for (int i = 0; P && i < 9; i++) {
    const double *column = B + 3 * (i / 3);
    half[i] = P[i % 3] * column[0] + P[3 + i % 3] * column[1] + P[6 + i % 3] * column[2];
  }
  memcpy(out, half, sizeof half);
  for (int i = 0; Q && i < 9; i++) {
    const double *column = Q + 3 * (i / 3);
    out[i] = half[i % 3] * column[0] + half[3 + i % 3] * column[1] + half[6 + i % 3] * column[2];
  }
}

/* The rows of one of the rank's parts. */
static void sum_part(void *context, int p)
{
  const pl_coarse *self = context;
  const pl_local_rows *local = self->local;
  const pl_bsr *A = local->A;
  const int *first = self->columns + self->start[self->own_first + p];
  double *blocks = self->blocks + BLOCK * (size_t)self->start[self->own_first + p];
  size_t count = (size_t)(self->start[self->own_first + p + 1] - self->start[self->own_first + p]);
  memset(blocks, 0, BLOCK * count * sizeof *blocks);
  for (int at = self->order_from[p]; at < self->order_from[p + 1]; at++) {
    int i = self->order[at];
    double di[3], dj[3], room[9];
    arm_of(self, i, di);
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
      int j = A->columns[k], slot = 0;
      const double *B = A->values + 9 * (size_t)k;
      while (first[slot] != self->part[j]) slot++;
      arm_of(self, j, dj);
      if (local->at[i] || local->at[j]) {
        project(local->at[i], local->at[j], B, room);
        B = room;
      }
      add_block(B, di, dj, blocks + (size_t)(BLOCK * slot));
    }
  }
}

/* Which of a part's motions exist, by the pivots of its own block M: what[i] is 0 where one depends
 * on those before it. */
static void find_motions(const double *M, int what[MODES])
{
  double L[MODES][MODES] = {{0}};
  for (int i = 0; i < MODES; i++) {
    double pivot = M[(MODES + 1) * i];
    for (int j = 0; j < i; j++) {
      double sum = M[MODES * j + i];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = L[j][j] > 0 ? sum / L[j][j] : 0;
      pivot -= L[i][j] * L[i][j];
    }
    what[i] = pivot > least_pivot * M[(MODES + 1) * i];
    L[i][i] = what[i] ? sqrt(pivot) : 0;
  }
}

/* Everybody has all blocks: the matrix, and the filter of motions that do not exist. */
static void fill(pl_coarse *self)
{
  int held = 0;
  for (int k = 0; k < 4 * self->start[self->parts]; k++) {
    const double *M = self->blocks + BLOCK * (size_t)(k / 4);
    double *to = self->A->values + 9 * (size_t)self->places[k];
    int row = 3 * (k % 4 / 2), column = 3 * (k % 2);
    for (int e = 0; e < 9; e++) to[e] = M[MODES * (column + e / 3) + row + e % 3];
  }
  for (int p = 0; p < self->parts; p++) {
    int what[MODES], k = self->start[p];
    while (self->columns[k] != p) k++;
    find_motions(self->blocks + BLOCK * (size_t)k, what);
    for (int half = 0; half < 2; half++) {
      const int *own = what + 3 * half;
      if (own[0] && own[1] && own[2]) continue;
      for (int e = 0; e < 9; e++) self->projections[9 * held + e] = e % 4 == 0 && own[e / 4];
      self->nodes[held++] = 2 * p + half;
    }
  }
  self->filter = (pl_filter){.count = held, .nodes = self->nodes, .projections = self->projections};
}

pl_status pl_coarse_prepare(pl_coarse *self, pl_pool *pool, pl_error *error)
{
  place_parts(self);
  pl_parallel(pool, self->own, sum_part, self);
  // rank r has the blocks from start[first[r]] on
  if (self->partition) {
    for (int r = 0; r <= rank_count(self); r++)
      self->scaled[r] = BLOCK * self->start[self->first[r]];
    self->partition->ranks->gather(self->partition->ranks, self->blocks, self->scaled);
  }
  fill(self);
  return pl_factor_compute(self->factor, self->A, &self->filter, NULL, 0, pool, error);
}

/* ---- the correction ---- */

static void restrict_part(void *context, int p)
{
  const pl_coarse *self = ((const void *const *)context)[0];
  const double *t = ((const void *const *)context)[1];
  double *sum = self->r + MODES * (size_t)(self->own_first + p), d[3], moment[3];
  memset(sum, 0, MODES * sizeof *sum);
  for (int at = self->order_from[p]; at < self->order_from[p + 1]; at++) {
    const double *force = t + 3 * (size_t)self->order[at];
    arm_of(self, self->order[at], d);
    pl_vec3_cross(d, force, moment);
    pl_vec3_add(sum, force, sum);
    pl_vec3_add(sum + 3, moment, sum + 3);
  }
}

static void prolong(const pl_coarse *self, double *z)
{
  for (int at = 0; at < self->local->layout->own; at++) {
    int i = self->order[at];
    const double *motion = self->r + MODES * (size_t)self->part[i], *P = self->local->at[i];
    double d[3], x[3];
    arm_of(self, i, d);
    pl_vec3_cross(motion + 3, d, x);
    pl_vec3_add(x, motion, x);
    for (int k = 0; k < 3; k++)
      z[3 * (size_t)i + (size_t)k] += P ? P[k] * x[0] + P[3 + k] * x[1] + P[6 + k] * x[2] : x[k];
  }
}

void pl_coarse_correct(pl_coarse *self, const double *t, double *z, pl_pool *pool)
{
  const void *job[] = {self, t};
  pl_parallel(pool, self->own, restrict_part, job);
  gather(self, self->r, self->first, MODES);
  pl_filter_apply(&self->filter, self->r);
  pl_factor_solve(self->factor, self->r, self->r, pool);
  prolong(self, z);
}

int pl_coarse_parts(const pl_coarse *self) { return self->parts; }
