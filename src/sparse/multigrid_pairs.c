/* Pairs on the coarse levels of a hierarchy.
 *
 * What couples bodies has to be known where their motions as a whole are found, otherwise each
 * coarse correction moves them apart, and the contact-node correction (correction.h) has to move
 * them back: twice to three times the iterations. Stiff pairs K cannot be in a coarse matrix as
 * they are, though. Groups on both sides of a contact do not lie opposite each other, so that only
 * few coarse motions keep a stiff contact closed: the coarse levels would be locked. They get
 *
 *   K' = sum over stencils of C^T D' C,    D'^-1 = D^-1 + (1 / softness) sum_i m_i C_i A_ii^-1
 * C_i^T,
 *
 * a contact in series with the nodes that it touches (block i by m_i stencils): never stiffer than
 * the elements beside it, and K where that is soft. The exact solve over touched blocks around the
 * cycle has the rest: with S and S' for what A + K and A + K' leave of the other nodes when touched
 * ones are eliminated, S' <= S <= (1 + const) S', however stiff the pairs are and however fine the
 * mesh, since a gap that S' leaves open can be closed by the touched nodes alone at about the price
 * that K' took for it. The finest level does without: its smoother knows no smooth motions. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/multigrid.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_GROUPS = 64 /* of a stencil */,
  MOST_GROWTH = 2 /* of the pattern, times its own size */
};

/* Of the nodes beside a contact, as it is in D'. */
static const double softness = 10;

/* C P of a stencil: three rows of 6 for each group. */
typedef struct reach {
  int count, groups[MOST_GROUPS];
  double rows[MOST_GROUPS][3 * PL_MULTIGRID_COARSE];
} reach;

static void coefficient(const pl_pairs *pairs, int stencil, int entry, double C[9])
{
  for (int i = 0; i < 9; i++)
    C[i] = pairs->is_scalar[stencil] ? pairs->weight[entry] * (i % 4 == 0)
                                     : pairs->C[9 * (size_t)entry + (size_t)i];
}

static int place_of(reach *made, int group)
{
  for (int g = 0; g < made->count; g++) {
    if (made->groups[g] == group) return g;
  }
  if (made->count == MOST_GROUPS) return -1;
  made->groups[made->count] = group;
  memset(made->rows[made->count], 0, sizeof made->rows[0]);
  return made->count++;
}

/* The groups that a stencil reaches; 0 if there are too many. */
static int find_groups(const pl_multigrid_level *level, const pl_pairs *pairs, int stencil,
                       reach *made)
{
  made->count = 0;
  for (int e = pairs->first[stencil]; e < pairs->first[stencil + 1]; e++) {
    int row = pairs->block[e];
    for (int k = level->near_start[row]; k < level->near_start[row + 1]; k++) {
      if (place_of(made, level->near[k]) < 0) return 0;
    }
  }
  return 1;
}

/* C P of all its groups, which are found. */
static void find_rows(const pl_multigrid_level *level, const pl_pairs *pairs, int stencil,
                      reach *made)
{
  for (int e = pairs->first[stencil]; e < pairs->first[stencil + 1]; e++) {
    int row = pairs->block[e];
    double C[9];
    coefficient(pairs, stencil, e, C);
    for (int k = level->near_start[row]; k < level->near_start[row + 1]; k++) {
      const float *P = level->prolong + 3 * PL_MULTIGRID_COARSE * (size_t)k;
      double *to = made->rows[place_of(made, level->near[k])];
      for (int i = 0; i < 9; i++) {
        for (int c = 0; c < PL_MULTIGRID_COARSE; c++)
          to[PL_MULTIGRID_COARSE * (i / 3) + c] +=
              C[i] * (double)P[PL_MULTIGRID_COARSE * (i % 3) + c];
      }
    }
  }
}

/* ---- the pattern ---- */

static int64_t key_of(int row, int column) { return (int64_t)row << 32 | column; }

/* The place of a block, -1 if the pattern has none. */
static int find_block(const pl_multigrid_level *coarse, int row, int column)
{
  int low = coarse->start[row], high = coarse->start[row + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (coarse->columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < coarse->start[row + 1] && coarse->columns[low] == column ? low : -1;
}

static pl_status add_key(pl_multigrid *grid, int64_t key, pl_error *error)
{
  pl_multigrid_joints *joints = &grid->joints;
  if (pl_reserve(&grid->allocator, (void **)&joints->keys, &joints->room, joints->count + 1,
                 sizeof *joints->keys))
    return pl_fail_memory(error);
  joints->keys[joints->count++] = key;
  return PL_OK;
}

static int by_key(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void sort_keys(pl_multigrid_joints *joints)
{
  size_t kept = 0;
  if (joints->count > 0) qsort(joints->keys, joints->count, sizeof *joints->keys, by_key);
  for (size_t k = 0; k < joints->count; k++) {
    if (kept == 0 || joints->keys[kept - 1] != joints->keys[k])
      joints->keys[kept++] = joints->keys[k];
  }
  joints->count = kept;
}

/* Notes the couplings of groups that the pattern lacks; all: those that it has as well. */
static pl_status note_joints(pl_multigrid *grid, const pl_pairs *pairs, int all, pl_error *error)
{
  reach made;
  pl_status status = PL_OK;
  for (int s = 0; s < pairs->count; s++) {
    if (!find_groups(grid->level, pairs, s, &made)) continue;
    for (int k = 0; k < made.count * made.count && !status; k++) {
      int row = made.groups[k / made.count], column = made.groups[k % made.count];
      if (row == column || (!all && find_block(grid->level + 1, row, column) >= 0)) continue;
      status = add_key(grid, key_of(row, column), error);
    }
  }
  return status;
}

pl_status pl_multigrid_couple(pl_multigrid *grid, const pl_pairs *pairs, pl_error *error)
{
  pl_multigrid_joints *joints = &grid->joints;
  if (grid->levels < 2) return PL_OK;
  size_t known = joints->count;
  const pl_multigrid_level *coarse = grid->level + 1;
  pl_status status = PL_OK;
  if (!joints->is_broken && pairs) {
    status = note_joints(grid, pairs, 0, error);
    if (!status && joints->count == known) return PL_OK;
    // couplings of long ago are forgotten when there are too many of them
    if (!status && joints->count > MOST_GROWTH * (size_t)coarse->start[coarse->rows]) {
      joints->count = 0;
      status = note_joints(grid, pairs, 1, error);
    }
    sort_keys(joints);
  }
  if (!pairs && !joints->is_broken) return PL_OK;
  joints->is_broken = 1;
  if (!status) status = pl_multigrid_rebuild(grid, error);
  joints->is_broken = status != PL_OK;
  return status;
}

/* ---- the values ---- */

/* out = A B, row-major. */
static void multiply(const double A[9], const double B[9], double out[9])
{
  for (int i = 0; i < 9; i++)
    out[i] =
        A[i - i % 3] * B[i % 3] + A[i - i % 3 + 1] * B[3 + i % 3] + A[i - i % 3 + 2] * B[6 + i % 3];
}

/* to += m C inverse C^T. */
static void add_softness(const double C[9], const double inverse[9], double m, double to[9])
{
  double turned[9], half[9], full[9];
  for (int i = 0; i < 9; i++) turned[i] = C[3 * (i % 3) + i / 3];
  multiply(inverse, turned, half);
  multiply(C, half, full);
  for (int i = 0; i < 9; i++) to[i] += m * full[i];
}

static void invert(const double M[9], double out[9])
{
  for (int i = 0; i < 9; i++) {
    int r = i % 3, c = i / 3; // the adjugate has the cofactor of the turned place
    const double *a = M + 3 * ((r + 1) % 3), *b = M + 3 * ((r + 2) % 3);
    out[i] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  }
  double determinant = M[0] * out[0] + M[1] * out[3] + M[2] * out[6];
  for (int i = 0; i < 9; i++) out[i] /= determinant;
}

/* D' = D (I + G D)^-1, symmetric as D and G are; D may be singular. */
static void soften(const pl_pairs *pairs, int stencil, const double *inverse, double out[9])
{
  const double *D = pairs->D + 9 * (size_t)stencil;
  double G[9] = {0}, C[9], sum[9], back[9], full[9];
  for (int e = pairs->first[stencil]; e < pairs->first[stencil + 1]; e++) {
    int place = pairs->local[pairs->block[e]];
    double times = pairs->list_start[place + 1] - pairs->list_start[place];
    coefficient(pairs, stencil, e, C);
    add_softness(C, inverse + 9 * (size_t)pairs->block[e], times / softness, G);
  }
  multiply(G, D, sum);
  for (int i = 0; i < 9; i += 4) sum[i] += 1;
  invert(sum, back);
  multiply(D, back, full);
  for (int i = 0; i < 9; i++) out[i] = 0.5 * (full[i] + full[3 * (i % 3) + i / 3]);
}

/* to (6x6, column by column) += scale a^T D b. */
static void add_block(const double *a, const double D[9], const double *b, double scale, double *to)
{
  double Db[3 * PL_MULTIGRID_COARSE];
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < PL_MULTIGRID_COARSE; c++)
      Db[PL_MULTIGRID_COARSE * i + c] =
          scale * (D[3 * i] * b[c] + D[3 * i + 1] * b[PL_MULTIGRID_COARSE + c] +
                   D[3 * i + 2] * b[2 * PL_MULTIGRID_COARSE + c]);
  }
  for (int c = 0; c < PL_MULTIGRID_COARSE; c++) {
    for (int r = 0; r < PL_MULTIGRID_COARSE; r++) {
      for (int i = 0; i < 3; i++)
        to[PL_MULTIGRID_COARSE * c + r] +=
            a[PL_MULTIGRID_COARSE * i + r] * Db[PL_MULTIGRID_COARSE * i + c];
    }
  }
}

void pl_multigrid_add_pairs(pl_multigrid *grid, const pl_pairs *pairs, const double *inverse,
                            double scale)
{
  pl_multigrid_level *coarse = grid->level + 1;
  reach made;
  double D[9];
  for (int s = 0; s < pairs->count; s++) {
    if (!find_groups(grid->level, pairs, s, &made)) continue;
    find_rows(grid->level, pairs, s, &made);
    soften(pairs, s, inverse, D);
    for (int k = 0; k < made.count * made.count; k++) {
      int a = k / made.count, b = k % made.count;
      if (made.groups[a] > made.groups[b]) continue;
      int block = find_block(coarse, made.groups[a], made.groups[b]);
      add_block(made.rows[a], D, made.rows[b], scale, coarse->precise + 36 * (size_t)block);
    }
  }
}

void pl_multigrid_rest(pl_multigrid *grid, const pl_pairs *pairs)
{
  for (int t = 0; t < pairs->touched_count; t++)
    memset(grid->level->inverse + 9 * (size_t)pairs->touched[t], 0, 9 * sizeof(float));
}
