/* How the nodes of a sheet have turned since the coarse levels were made.
 *
 * A sheet resists stretching a thousand times more than bending, so its coarse matrices are of no
 * use once it has turned by a few degrees. But in axes that turn along they hardly change: with the
 * rotation R_i of each node, P^T and P become P^T R^T and R P, which keeps the cycle symmetric and
 * definite. R_i fits the neighbours' places best: it maximises sum (x_j - x_i) . R (X_j - X_i), and
 * is found by turning on from where it was before (Mueller, Bender, Chentanez & Macklin 2016, "A
 * robust method to extract the rotational part of deformations"), which needs no normal. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/multigrid_kernel.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 8 };

/* Rotations are right to about this, in radians: what they are off costs iterations, no more. */
static const double good_enough = 1e-3;

pl_status pl_multigrid_follow(pl_multigrid *grid, const pl_bsr *A, pl_error *error)
{
  pl_multigrid_turns *turns = &grid->turns;
  if (!A->is_sheet || grid->levels < 2) return PL_OK;
  turns->former = pl_alloc(&grid->allocator, 3 * (size_t)A->rows, sizeof *turns->former);
  turns->R = pl_alloc(&grid->allocator, 9 * (size_t)A->rows + 1, sizeof *turns->R);
  return turns->former && turns->R ? PL_OK : pl_fail_memory(error);
}

static void set_identity(float *R)
{
  for (int k = 0; k < 9; k++) R[k] = k % 4 == 0 ? 1 : 0;
}

void pl_multigrid_remember(pl_multigrid *grid, const pl_bsr *A)
{
  pl_multigrid_turns *turns = &grid->turns;
  turns->active = 0;
  if (!turns->former || !A->points) return;
  memcpy(turns->former, A->points, 3 * (size_t)A->rows * sizeof *turns->former);
  for (int row = 0; row < A->rows; row++) set_identity(turns->R + 9 * (size_t)row);
}

/* Turns the columns of R by twice the angle whose tangent is half as long as w. */
static void turn_columns(const double w[3], double R[3][3])
{
  double r = 1 / sqrt(1 + 0.25 * pl_vec3_dot(w, w)), axis[3];
  pl_vec3_scale(0.5 * r, w, axis);
  for (int k = 0; k < 3; k++) {
    double once[3], twice[3];
    pl_vec3_cross(axis, R[k], once);
    pl_vec3_cross(axis, once, twice);
    pl_vec3_add_scaled(2 * r, once, R[k]);
    pl_vec3_add_scaled(2, twice, R[k]);
  }
}

/* R's columns stand one after the other. */
static void fit(double H[3][3], float *out)
{
  double R[3][3], off = 1;
  for (int k = 0; k < 9; k++) R[k / 3][k % 3] = (double)out[k];
  for (int round = 0; round < MOST_TURNS && off > good_enough * good_enough; round++) {
    double w[3] = {0}, sum = 0;
    for (int k = 0; k < 3; k++) {
      double moment[3];
      pl_vec3_cross(R[k], H[k], moment);
      pl_vec3_add_scaled(1, moment, w);
      sum += pl_vec3_dot(R[k], H[k]);
    }
    if (!(fabs(sum) > 0)) break;
    pl_vec3_scale(1 / fabs(sum), w, w);
    off = pl_vec3_dot(w, w);
    turn_columns(w, R);
  }
  for (int k = 0; k < 9; k++) out[k] = (float)R[k / 3][k % 3];
  if (!isfinite(off)) set_identity(out);
}

typedef struct job {
  const pl_multigrid *grid;
  const pl_bsr *A;
  void (*moments)(const pl_bsr *, const double *, int, double[3][3]);
} job;

static void turn_chunk(void *context, int chunk)
{
  const job *now = context;
  const pl_multigrid_level *level = now->grid->level;
  for (int row = chunk * level->chunk; row < pl_multigrid_last(level, chunk); row++) {
    double H[3][3];
    now->moments(now->A, now->grid->turns.former, row, H);
    fit(H, now->grid->turns.R + 9 * (size_t)row);
  }
}

void pl_multigrid_turn(pl_multigrid *grid, const pl_bsr *A, pl_pool *pool)
{
  const pl_multigrid_level *level = grid->level;
  if (!grid->turns.former || !A->points) return;
  job now = {grid, A, pl_multigrid_turning_pick()->moments};
  pl_parallel(pool, pl_chunk_count(level->rows, level->chunk), turn_chunk, &now);
  grid->turns.active = 1;
}
