/* Dependent blocks: sums over links, and the matrix folded. */
#include "sparse/links.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <string.h>

void pl_block_pairs_release(pl_block_pairs *pairs)
{
  if (pairs->list) pl_free(&pairs->allocator, pairs->list);
  pairs->list = NULL;
  pairs->count = pairs->room = 0;
}

pl_status pl_block_pairs_add(pl_block_pairs *pairs, int row, int column, pl_error *error)
{
  void *memory = pairs->list;
  if (pl_reserve(&pairs->allocator, &memory, &pairs->room, 2 * pairs->count + 2,
                 sizeof *pairs->list))
    return pl_fail_memory(error);
  pairs->list = memory;
  pairs->list[2 * pairs->count] = row;
  pairs->list[2 * pairs->count + 1] = column;
  pairs->count++;
  return PL_OK;
}

/* Along other directions a block may depend on itself: what is read is copied first. */
static void move_on(const pl_links *links, double sign, double *x)
{
  for (int i = 0; links && i < links->count; i++) {
    double *to = x + 3 * (size_t)links->blocks[i];
    for (int k = links->start[i]; k < links->start[i + 1]; k++) {
      const double *L = links->L + 9 * (size_t)k;
      double from[3];
      pl_vec3_copy(x + 3 * (size_t)links->on[k], from);
      for (int r = 0; r < 3; r++)
        to[r] += sign * (L[3 * r] * from[0] + L[3 * r + 1] * from[1] + L[3 * r + 2] * from[2]);
    }
  }
}

static void move_back(const pl_links *links, double sign, double *r)
{
  for (int i = 0; links && i < links->count; i++) {
    double from[3];
    pl_vec3_copy(r + 3 * (size_t)links->blocks[i], from);
    for (int k = links->start[i]; k < links->start[i + 1]; k++) {
      const double *L = links->L + 9 * (size_t)k;
      double *to = r + 3 * (size_t)links->on[k];
      for (int c = 0; c < 3; c++)
        to[c] += sign * (L[c] * from[0] + L[3 + c] * from[1] + L[6 + c] * from[2]);
    }
  }
}

void pl_links_extend(const pl_links *links, double *x) { move_on(links, 1, x); }
void pl_links_strip(const pl_links *links, double *x) { move_on(links, -1, x); }
void pl_links_gather(const pl_links *links, double *r) { move_back(links, 1, r); }
void pl_links_scatter(const pl_links *links, double *r) { move_back(links, -1, r); }

/* ---- the matrix; its blocks are stored by columns, L by rows ---- */

/* to += B L. */
static void add_right(const double *B, const double *L, double *to)
{
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      to[3 * c + r] += B[r] * L[c] + B[3 + r] * L[3 + c] + B[6 + r] * L[6 + c];
  }
}

/* to += L^T B. */
static void add_left(const double *B, const double *L, double *to)
{
  for (int c = 0; c < 3; c++) {
    const double *column = B + 3 * c;
    for (int r = 0; r < 3; r++)
      to[3 * c + r] += L[r] * column[0] + L[3 + r] * column[1] + L[6 + r] * column[2];
  }
}

/* What happens to the blocks around dependent ones. */
typedef struct folding {
  const pl_links *links;
  const pl_bsr *A;
  double *values;     /* NULL: only look */
  pl_block_pairs *to; /* the missing ones; NULL: only count */
  int missing;
} folding;

/* Columns, row by row: A_nm += A_ns L_sm; rows likewise where the pattern is transposed. */
static pl_status fold_row(folding *now, int i, int of_columns, pl_error *error)
{
  const pl_links *links = now->links;
  const pl_bsr *A = now->A;
  int s = links->blocks[i];
  for (int e = A->start[s]; e < A->start[s + 1]; e++) {
    int n = A->columns[e], from = of_columns ? pl_bsr_find(A, n, s) : e;
    for (int k = links->start[i]; k < links->start[i + 1]; k++) {
      int m = links->on[k], at = of_columns ? pl_bsr_find(A, n, m) : pl_bsr_find(A, m, n);
      if (at < 0) {
        now->missing++;
        pl_status status = now->to ? pl_block_pairs_add(now->to, n, m, error) : PL_OK;
        if (status) return status;
      } else if (now->values) {
        const double *L = links->L + 9 * (size_t)k;
        double B[9];
        memcpy(B, now->values + 9 * (size_t)from, sizeof B);
        double *to = now->values + 9 * (size_t)at;
        of_columns ? add_right(B, L, to) : add_left(B, L, to);
      }
    }
  }
  return PL_OK;
}

static pl_status fold_all(folding *now, pl_error *error)
{
  pl_status status = PL_OK;
  for (int of_columns = 1; of_columns >= 0 && !status; of_columns--) {
    for (int i = 0; i < now->links->count && !status; i++)
      status = fold_row(now, i, of_columns, error);
  }
  return status;
}

int pl_links_fold(const pl_links *links, pl_bsr *A)
{
  folding now = {.links = links, .A = A, .values = A->values};
  if (pl_links_complete(links, A))
    now.missing = 1;
  else if (links)
    (void)fold_all(&now, NULL);
  return pl_links_most(links, A, now.missing);
}

pl_status pl_links_missing(const pl_links *links, const pl_bsr *A, pl_block_pairs *to,
                           pl_error *error)
{
  folding now = {.links = links, .A = A, .to = to};
  return links ? fold_all(&now, error) : PL_OK;
}
