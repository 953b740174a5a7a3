/* Links over ranks: a dependent row is folded into rows that other ranks may own, so that all of
 * them need it. Its pattern and its values are its owner's. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/links.h"
#include "sparse/partition.h"

#include <string.h>

enum { AT_ONCE = 448 }; /* blocks that are exchanged at a time */

static int is_divided(const pl_bsr *A) { return A->partition && A->partition->is_divided; }

static int length_of(const pl_bsr *A, int row) { return A->start[row + 1] - A->start[row]; }

int pl_links_most(const pl_links *links, const pl_bsr *A, int count)
{
  double most = count;
  if (links && is_divided(A)) A->partition->ranks->max(A->partition->ranks, &most, 1);
  return (int)most;
}

/* ---- patterns ---- */

/* counts[i], zero before: how many blocks the owner of the i-th dependent row has in it. */
static void count_blocks(const pl_links *links, const pl_bsr *A, int from, int count,
                         double *counts)
{
  for (int i = 0; i < count; i++) {
    int row = links->blocks[from + i];
    counts[i] = pl_partition_is_own(A->partition, row) ? length_of(A, row) : 0;
  }
  A->partition->ranks->sum(A->partition->ranks, counts, count);
}

/* The columns of all dependent rows, one row after the other. */
static void share_columns(const pl_links *links, const pl_bsr *A, const double *counts, int total,
                          double *columns)
{
  size_t first = 0;
  for (int i = 0; i < links->count; first += (size_t)counts[i++]) {
    int row = links->blocks[i];
    for (int k = 0; pl_partition_is_own(A->partition, row) && k < length_of(A, row); k++)
      columns[first + (size_t)k] = A->columns[A->start[row] + k];
  }
  A->partition->ranks->sum(A->partition->ranks, columns, total);
}

static pl_status note_columns(const pl_links *links, const pl_bsr *A, const double *counts,
                              const double *columns, pl_block_pairs *to, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < links->count; i++) {
    for (int k = 0; k < (int)counts[i] && !status; k++) {
      int column = (int)*columns++;
      if (pl_bsr_find(A, links->blocks[i], column) < 0)
        status = pl_block_pairs_add(to, links->blocks[i], column, error);
    }
  }
  return status;
}

pl_status pl_links_share(const pl_links *links, const pl_bsr *A, pl_ranks *ranks,
                         pl_block_pairs *to, pl_error *error)
{
  if (!links || !is_divided(A)) return PL_OK;
  const pl_allocator *memory = &to->allocator;
  double *counts = pl_alloc(memory, (size_t)links->count, sizeof *counts), *columns = NULL;
  int total = 0;
  pl_status status = ranks->agree(ranks, counts ? PL_OK : pl_fail_memory(error), error);
  if (!status) {
    count_blocks(links, A, 0, links->count, counts);
    for (int i = 0; i < links->count; i++) total += (int)counts[i];
    columns = pl_alloc(memory, (size_t)total, sizeof *columns);
    status = ranks->agree(ranks, columns ? PL_OK : pl_fail_memory(error), error);
  }
  if (!status) {
    share_columns(links, A, counts, total, columns);
    status = note_columns(links, A, counts, columns, to, error);
    status = ranks->agree(ranks, status, error);
  }
  pl_free(memory, counts);
  pl_free(memory, columns);
  return status;
}

/* ---- values ---- */

/* Has this rank all blocks of the dependent rows that their owners have? */
static int is_short(const pl_links *links, const pl_bsr *A)
{
  double counts[AT_ONCE];
  int result = 0;
  for (int from = 0; from < links->count; from += AT_ONCE) {
    int left = links->count - from, count = left < AT_ONCE ? left : AT_ONCE;
    count_blocks(links, A, from, count, counts);
    for (int i = 0; i < count; i++)
      result |= (int)counts[i] != length_of(A, links->blocks[from + i]);
  }
  return result;
}

/* Blocks become their owners', who are alone in having something else than 0 here. */
static void exchange(pl_bsr *A, double *blocks, const int *at, int count)
{
  A->partition->ranks->sum(A->partition->ranks, blocks, 9 * count);
  for (int i = 0; i < count; i++)
    memcpy(A->values + 9 * (size_t)at[i], blocks + 9 * (size_t)i, 9 * sizeof *blocks);
}

int pl_links_complete(const pl_links *links, pl_bsr *A)
{
  double blocks[9 * AT_ONCE] = {0};
  int at[AT_ONCE], count = 0;
  if (!links || !is_divided(A)) return 0;
  if (pl_links_most(links, A, is_short(links, A))) return 1;
  for (int i = 0; i < links->count; i++) {
    int row = links->blocks[i], is_own = pl_partition_is_own(A->partition, row);
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      double *block = blocks + 9 * (size_t)count;
      at[count++] = k;
      memset(block, 0, 9 * sizeof *block);
      if (is_own) memcpy(block, A->values + 9 * (size_t)k, 9 * sizeof *block);
      if (count < AT_ONCE) continue;
      exchange(A, blocks, at, count);
      count = 0;
    }
  }
  exchange(A, blocks, at, count);
  return 0;
}
