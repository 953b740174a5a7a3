/* The order in which cycles pass over a level's chunks. */
#include "sparse/multigrid.h"

#include "system.h"
#include "test.h"

/* What every cycle of the test begins with. */
static void set_residual(pl_multigrid_level *level)
{
  for (size_t i = 0; i < 4 * (size_t)level->rows; i++)
    level->r[i] = i % 4 < 3 ? (float)((i * 7919) % 1000) - 500 : 0;
}

static void load(pl_multigrid *grid, const pl_bsr *A)
{
  double *inverse = calloc(9 * (size_t)A->rows, sizeof *inverse);
  for (int i = 0; i < 3 * A->rows; i++) {
    const int at = 9 * (i / 3) + 4 * (i % 3);
    inverse[at] = 1 / A->values[9 * A->diagonal[i / 3] + 4 * (i % 3)];
  }
  pl_multigrid_load(grid, A, inverse, 1, NULL);
  pl_multigrid_refresh(grid, &(pl_multigrid_source){.A = A}, 1, NULL);
  free(inverse);
}

/* Batches of chunks, and passes one behind the other, change no bit of a cycle. */
TEST(cycles_pass_over_levels_in_batches)
{
  static const int degrees[] = {1, 2, 10};
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = test_laplacian(60, 61);
  pl_multigrid grid = {0};
  CHECK_OK(pl_multigrid_create(&allocator, A, &grid, error));
  load(&grid, A);
  pl_multigrid_level *finest = grid.level;
  float *found = calloc(4 * (size_t)A->rows, sizeof *found);
  CHECK(grid.levels > 2 && finest->half.reach >= 1);
  CHECK(finest->half.batch == pl_chunk_count(finest->rows, finest->chunk));
  for (int run = 0; run < 3 * 5; run++) {
    // without a pool a batch has two chunks at least
    for (int i = 0; i < grid.levels; i++)
      grid.level[i].half.batch = run % 5 ? run % 5 + 1 : 1 << 20;
    set_residual(finest);
    pl_multigrid_cycle(&grid, NULL, degrees[run / 5], NULL);
    if (run % 5 == 0) memcpy(found, finest->x, 4 * (size_t)A->rows * sizeof *found);
    for (int i = 0; i < 4 * A->rows; i++) CHECK(i % 4 == 3 || found[i] == finest->x[i]);
  }
  CHECK(found[0] != 0);
  pl_multigrid_destroy(&grid);
  free(found);
  pl_bsr_destroy(A);
}

TESTS(X(cycles_pass_over_levels_in_batches))
