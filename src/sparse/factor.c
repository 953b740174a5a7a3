/* The numbers of a complete factor, panel by panel. */
#include "sparse/factor.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "sparse/elimination.h"
#include "sparse/factor_kernel.h"

#include <math.h>
#include <string.h>

/* A pivot below this part of the matrix' own diagonal is what rounding left of zero; one below the
 * second part of its row is too small to divide by where signs may change. */
#define LEAST_PIVOT 1e-13
#define SAFE_PIVOT  1e-8

/* Block rows of a tile: what a thread works on at once fits into its cache. */
enum { TILE = 42, TILE_ROWS = 3 * TILE + 2 };

/* Seconds after which ranges pause, so that the calling thread can ask whether to go on. */
#define PAUSE 0.02

/* Zeros that are stored, and indices, on top of the numbers. */
#define STORED 1.3

/* A thread's room. */
typedef struct workspace {
  int *map;               /* of each block row: its place in the panel in hand */
  double *packed, *block; /* for products */
  double *y;              /* rows below a panel */
  double *top;            /* what a range subtracts from columns of the top */
} workspace;

struct pl_factor {
  pl_allocator allocator;
  pl_elimination plan;
  const pl_factor_kernel *kernel;
  double *values, *pivots, *signs, *x;
  int *top_place, top_count; /* of columns of the top, among them; -1: it is not */
  double *projections;       /* 9 for each row; those of free rows are not set */
  char *held;                /* for each row */
  int is_nested;
  workspace rooms[PL_MOST_RANGES];
  // of the job in hand
  const pl_bsr *A;
  int panel, tiles_per_chunk;
  int next[PL_MOST_RANGES]; /* the panel that each range goes on with */
  double pause;             /* by pl_now() */
};

double pl_factor_bytes(double numbers) { return STORED * numbers * (double)sizeof(double); }

pl_status pl_factor_fits(double numbers, double memory, pl_error *error)
{
  double bytes = pl_factor_bytes(numbers);
  if (bytes < memory) return PL_OK;
  return pl_fail(
      error, PL_E_LIMIT,
      "the factor would have %.3g numbers and take %.1f GB, and the machine has %.1f GB; "
      "use solver \"cg\" with preconditioner \"multigrid\"",
      numbers, 1e-9 * bytes, 1e-9 * memory);
}

void pl_factor_destroy(pl_factor *factor)
{
  if (!factor) return;
  pl_allocator allocator = factor->allocator;
  for (int i = 0; i < PL_MOST_RANGES; i++) {
    workspace *room = &factor->rooms[i];
    void *arrays[] = {room->map, room->packed, room->block, room->y, room->top};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) pl_free(&allocator, arrays[k]);
  }
  void *arrays[] = {factor->values,    factor->pivots,      factor->signs, factor->x,
                    factor->top_place, factor->projections, factor->held};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) pl_free(&allocator, arrays[k]);
  pl_elimination_destroy(&factor->plan);
  pl_free(&allocator, factor);
}

/* ---- memory ---- */

static int make_room(const pl_factor *factor, workspace *room, size_t max_below)
{
  const pl_allocator *allocator = &factor->allocator;
  size_t width = PL_PANEL_WIDTH;
  room->map = pl_alloc(allocator, (size_t)factor->plan.blocks, sizeof(int));
  room->packed = pl_alloc(allocator, width * width, sizeof(double));
  room->block = pl_alloc(allocator, (size_t)TILE_ROWS * width, sizeof(double));
  room->y = pl_alloc(allocator, 3 * max_below + 4, sizeof(double));
  room->top = pl_alloc(allocator, 3 * (size_t)factor->top_count, sizeof(double));
  return room->map && room->packed && room->block && room->y && room->top;
}

static pl_status take_memory(pl_factor *factor, pl_error *error)
{
  const pl_elimination *plan = &factor->plan;
  const pl_allocator *allocator = &factor->allocator;
  size_t rows = (size_t)plan->blocks, max_below = 0;
  factor->values = pl_alloc(allocator, plan->value_start[plan->count], sizeof(double));
  factor->pivots = pl_alloc(allocator, 3 * rows, sizeof(double));
  factor->signs = pl_alloc(allocator, 3 * rows, sizeof(double));
  factor->x = pl_alloc(allocator, 3 * rows, sizeof(double));
  factor->top_place = pl_alloc(allocator, rows, sizeof(int));
  factor->projections = pl_alloc(allocator, 9 * rows, sizeof(double));
  factor->held = pl_alloc(allocator, rows, 1);
  int have = factor->values && factor->pivots && factor->signs && factor->x && factor->top_place &&
             factor->projections && factor->held;
  for (int s = 0; s < plan->count && have; s++) {
    size_t below = plan->row_end[s] - plan->row_start[s];
    if (below > max_below) max_below = below;
    for (int j = plan->first[s]; j < plan->first[s + 1]; j++)
      factor->top_place[j] = plan->is_top[s] ? factor->top_count++ : -1;
  }
  for (int i = 0; i < PL_MOST_RANGES && have; i++)
    have = make_room(factor, &factor->rooms[i], max_below);
  return have ? PL_OK : pl_fail_memory(error);
}

pl_status pl_factor_create(const pl_allocator *allocator, const pl_bsr *A, pl_ordering ordering,
                           pl_factor **out, pl_error *error)
{
  *out = NULL;
  pl_factor *factor = pl_alloc(allocator, 1, sizeof *factor);
  if (!factor) return pl_fail_memory(error);
  factor->allocator = factor->plan.allocator = *allocator;
  factor->kernel = pl_factor_kernel_pick();
  pl_status status =
      pl_factor_plan(allocator, A, ordering, &factor->plan, &factor->is_nested, error);
  if (!status) status = take_memory(factor, error);
  if (status)
    pl_factor_destroy(factor);
  else
    *out = factor;
  return status;
}

/* ---- the matrix ---- */

/* M = P M Q, where NULL is the identity; column by column. */
static void restrict_block(const double *P, const double *Q, double *M)
{
  double left[9];
  for (int i = 0; P && i < 9; i++) {
    const double *column = M + 3 * (i / 3);
    left[i] = P[i % 3] * column[0] + P[3 + i % 3] * column[1] + P[6 + i % 3] * column[2];
  }
  if (P) memcpy(M, left, sizeof left);
  for (int i = 0; Q && i < 9; i++) {
    const double *q = Q + 3 * (i / 3);
    left[i] = M[i % 3] * q[0] + M[3 + i % 3] * q[1] + M[6 + i % 3] * q[2];
  }
  if (Q) memcpy(M, left, sizeof left);
}

static void mark_held(pl_factor *factor, const pl_filter *filter, const char *chosen)
{
  memset(factor->held, 0, (size_t)factor->plan.blocks);
  for (int i = 0; filter && i < filter->count; i++) {
    if (chosen && !chosen[i]) continue;
    int node = filter->nodes[i];
    factor->held[node] = 1;
    memcpy(factor->projections + 9 * (size_t)node, filter->projections + 9 * (size_t)i,
           9 * sizeof(double));
  }
}

/* P A P + s (I - P) at place k of A's row. */
static void take_block(const pl_factor *factor, int row, int k, double *M)
{
  const pl_bsr *A = factor->A;
  int column = A->columns[k];
  const double *P = factor->held[row] ? factor->projections + 9 * (size_t)row : NULL;
  const double *Q = factor->held[column] ? factor->projections + 9 * (size_t)column : NULL;
  const double *block = A->values + 9 * (size_t)k;
  memcpy(M, block, 9 * sizeof *M);
  if (P || Q) restrict_block(P, Q, M);
  if (row != column || !P) return;
  double size = fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
  if (size == 0) size = 1;
  for (int i = 0; i < 9; i++) M[i] += size * ((i % 4 == 0) - P[i]);
}

/* ---- one panel ---- */

static double *values_of(const pl_factor *factor, int s)
{
  return factor->values + factor->plan.value_start[s];
}

/* Puts A's blocks into the panel, and the places of its rows into the map. */
static void load_panel(const pl_factor *factor, int s, int *map)
{
  const pl_elimination *plan = &factor->plan;
  const pl_bsr *A = factor->A;
  int first = plan->first[s], width = plan->first[s + 1] - first;
  size_t stride = (size_t)pl_panel_stride(plan, s);
  double *panel = values_of(factor, s);
  memset(panel, 0, stride * 3 * (size_t)width * sizeof *panel);
  for (int j = 0; j < width; j++) map[first + j] = j;
  for (size_t k = plan->row_start[s]; k < plan->row_end[s]; k++)
    map[plan->rows[k]] = width + (int)(k - plan->row_start[s]);
  for (int j = first; j < first + width; j++) {
    int node = plan->order[j];
    double *column = panel + 3 * (size_t)(j - first) * stride;
    for (int k = A->start[node]; k < A->start[node + 1]; k++) {
      int row = plan->place[A->columns[k]];
      if (row < j) continue;
      // block (row, j) of the lower half is the transpose of block (j, row)
      double M[9];
      take_block(factor, node, k, M);
      double *to = column + 3 * map[row];
      for (int i = 0; i < 9; i++) {
        int across = 3 * (i % 3) + i / 3;
        to[(size_t)(i / 3) * stride + (size_t)(i % 3)] =
            row == j ? 0.5 * (M[i] + M[across]) : M[across];
      }
    }
  }
}

/* The first of d's rows from a place on that stand at the tile's first row or below. */
static size_t row_from(const pl_elimination *plan, int d, size_t from, int row)
{
  size_t low = from, high = plan->row_end[d];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (plan->rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The row that stands at a place of panel s; behind its last one: none is below. */
static int row_at(const pl_elimination *plan, int s, int place)
{
  int width = plan->first[s + 1] - plan->first[s];
  if (place < width) return plan->first[s] + place;
  size_t k = plan->row_start[s] + (size_t)(place - width);
  return k < plan->row_end[s] ? plan->rows[k] : plan->blocks;
}

/* Subtracts a block of products, column after column, at the rows where they belong. */
static void scatter(const pl_factor *factor, int s, const int *columns, int count, const int *rows,
                    int blocks, const int *map, const double *from, double *panel)
{
  const pl_elimination *plan = &factor->plan;
  size_t stride = (size_t)pl_panel_stride(plan, s);
  for (int first = 0, end; first < blocks; first = end) {
    // neighbours stay neighbours
    for (end = first + 1; end < blocks && map[rows[end]] == map[rows[end - 1]] + 1;) end++;
    for (int j = 0; j < count; j++) {
      double *to =
          panel + 3 * (size_t)(columns[j] - plan->first[s]) * stride + 3 * map[rows[first]];
      const double *take = from + 3 * (size_t)j * TILE_ROWS + 3 * first;
      for (int c = 0; c < 3; c++, to += stride, take += TILE_ROWS) {
        for (int i = 0; i < 3 * (end - first); i++) to[i] -= take[i];
      }
    }
  }
}

/* Takes out of rows [first, last) of panel s what update u stands for. */
static void apply_update(const pl_factor *factor, int s, size_t u, int first, int last,
                         const int *map, const workspace *room)
{
  const pl_elimination *plan = &factor->plan;
  int d = plan->from[u], width = pl_panel_width(plan, d), count = 0;
  size_t at = plan->at[u], stride = (size_t)pl_panel_stride(plan, d);
  size_t low = row_from(plan, d, at, row_at(plan, s, first));
  size_t high = row_from(plan, d, low, row_at(plan, s, last));
  if (low == high) return;
  while (at + (size_t)count < plan->row_end[d] &&
         plan->rows[at + (size_t)count] < plan->first[s + 1])
    count++;
  const double *below = values_of(factor, d) + width - 3 * (ptrdiff_t)plan->row_start[d];
  const pl_factor_kernel *kernel = factor->kernel;
  kernel->pack(3 * count, width, below + 3 * at, stride, factor->signs + 3 * plan->first[d],
               room->packed);
  kernel->product(3 * (int)(high - low), 3 * count, width, below + 3 * low, stride, room->packed,
                  room->block, TILE_ROWS);
  scatter(factor, s, plan->rows + at, count, plan->rows + low, (int)(high - low), map, room->block,
          values_of(factor, s));
}

static int height_of(const pl_elimination *plan, int s) { return pl_panel_height(plan, s) / 3; }

/* All updates of one tile of panel s. */
static void update_tile(const pl_factor *factor, int s, int tile, const int *map,
                        const workspace *room)
{
  const pl_elimination *plan = &factor->plan;
  int first = tile * TILE, height = height_of(plan, s);
  int last = first + TILE < height ? first + TILE : height;
  for (size_t u = plan->update_start[s]; u < plan->update_start[s + 1]; u++)
    apply_update(factor, s, u, first, last, map, room);
}

static void pivot_panel(const pl_factor *factor, int s)
{
  const pl_elimination *plan = &factor->plan;
  size_t place = 3 * (size_t)plan->first[s];
  factor->kernel->factorise(values_of(factor, s), (size_t)pl_panel_stride(plan, s),
                            pl_panel_width(plan, s), factor->pivots + place, factor->signs + place);
}

/* The rows of a tile below the panel's own; a tile begins a multiple of 8 rows behind them. */
static void finish_tile(const pl_factor *factor, int s, int tile)
{
  const pl_elimination *plan = &factor->plan;
  int width = pl_panel_width(plan, s), height = pl_panel_height(plan, s), rows = 120;
  int first = width + tile * rows, last = first + rows < height ? first + rows : height;
  if (first < last)
    factor->kernel->finish(values_of(factor, s), (size_t)pl_panel_stride(plan, s), width,
                           factor->signs + 3 * plan->first[s], first, last);
}

static int tile_count(const pl_factor *factor, int s)
{
  // as many as finish needs
  return height_of(&factor->plan, s) / 40 + 1;
}

/* ---- all panels ---- */

static void factor_panel(const pl_factor *factor, int s, const workspace *room)
{
  int tiles = tile_count(factor, s);
  load_panel(factor, s, room->map);
  for (int i = 0; i < tiles; i++) update_tile(factor, s, i, room->map, room);
  pivot_panel(factor, s);
  for (int i = 0; i < tiles; i++) finish_tile(factor, s, i);
}

/* Panels of one range that are not of the top, one at least, until it is time for a pause. */
static void factor_range(void *context, int range)
{
  pl_factor *factor = context;
  int s = factor->next[range], end = factor->plan.range[range + 1];
  while (s < end) {
    if (!factor->plan.is_top[s]) factor_panel(factor, s, &factor->rooms[range]);
    s++;
    if (pl_now() > factor->pause) break;
  }
  factor->next[range] = s;
}

/* All ranges. Only the calling thread may ask whether to go on, so they pause for it; each goes on
 * where it was, and the result does not depend on when. */
static pl_status factor_ranges(pl_factor *factor, pl_pool *pool, pl_error *error)
{
  const pl_elimination *plan = &factor->plan;
  pl_watch *watch = factor->A->watch;
  pl_status status = PL_OK;
  memcpy(factor->next, plan->range, (size_t)plan->ranges * sizeof *factor->next);
  for (int left = 1; left && !status;) {
    factor->pause = watch && watch->by.ask ? pl_now() + PAUSE : INFINITY;
    pl_parallel(pool, plan->ranges, factor_range, factor);
    left = 0;
    for (int i = 0; i < plan->ranges; i++) left |= factor->next[i] < plan->range[i + 1];
    if (left) status = pl_watch_check(watch, error);
  }
  return status;
}

static void update_chunk(void *context, int chunk)
{
  const pl_factor *factor = context;
  int first = chunk * factor->tiles_per_chunk;
  for (int i = first; i < first + factor->tiles_per_chunk; i++)
    update_tile(factor, factor->panel, i, factor->rooms[0].map, &factor->rooms[chunk]);
}

static void finish_chunk(void *context, int chunk)
{
  const pl_factor *factor = context;
  int first = chunk * factor->tiles_per_chunk;
  for (int i = first; i < first + factor->tiles_per_chunk; i++)
    finish_tile(factor, factor->panel, i);
}

/* A panel of the top: its rows are shared out. */
static void factor_top(pl_factor *factor, int s, pl_pool *pool)
{
  int tiles = tile_count(factor, s);
  factor->panel = s;
  factor->tiles_per_chunk = pl_chunk_count(tiles, PL_MOST_RANGES);
  int chunks = pl_chunk_count(tiles, factor->tiles_per_chunk);
  load_panel(factor, s, factor->rooms[0].map);
  pl_parallel(pool, chunks, update_chunk, factor);
  pivot_panel(factor, s);
  pl_parallel(pool, chunks, finish_chunk, factor);
}

static pl_status fail_singular(int row, pl_error *error)
{
  return pl_fail_entity(error, PL_E_SINGULAR, row,
                        "the matrix is singular: nothing resists a motion of row %d; fix enough "
                        "nodes or give the bodies mass",
                        row);
}

static pl_status fail_indefinite(int negative, int row, pl_error *error)
{
  return pl_fail_entity(error, PL_E_INDEFINITE, row,
                        "the matrix is indefinite: its factor has %d negative pivots, the first "
                        "in row %d; use a smaller time step, a tangent without negative "
                        "eigenvalues, or solver \"minres\"",
                        negative, row);
}

/* The largest number in a row of A; part: which of the block row's three. */
static double row_size(const pl_bsr *A, int row, int part)
{
  double size = 0;
  for (int k = 3 * A->start[row]; k < 3 * A->start[row + 1]; k++)
    size = fmax(size, fabs(A->values[3 * (size_t)k + (size_t)part]));
  return size;
}

/* A pivot that is small beside its row makes the factor grow, and rounding errors with it. */
static pl_status check_growth(const pl_factor *factor, pl_error *error)
{
  for (int i = 0; i < 3 * factor->A->rows; i++) {
    int row = factor->plan.order[i / 3];
    double pivot = fabs(factor->pivots[i]), size = row_size(factor->A, row, i % 3);
    if (factor->held[row] || pivot >= SAFE_PIVOT * size) continue;
    return pl_fail_entity(error, PL_E_INDEFINITE, row,
                          "the matrix is indefinite, and the pivot of row %d is %.2g of its row: "
                          "too small for a factor without exchanges; use solver \"minres\"",
                          row, pivot / size);
  }
  return PL_OK;
}

/* Looks at the pivots: their signs are those of the matrix' eigenvalues (Sylvester's law of
 * inertia). */
static pl_status check_pivots(const pl_factor *factor, int may_be_indefinite, pl_error *error)
{
  const pl_bsr *A = factor->A;
  int negative = 0, worst = -1, flat = -1;
  for (int i = 0; i < 3 * A->rows; i++) {
    int row = factor->plan.order[i / 3];
    double pivot = factor->pivots[i];
    double size = fabs(A->values[9 * (size_t)A->diagonal[row] + 4 * (size_t)(i % 3)]);
    if (!isfinite(pivot))
      return pl_fail_entity(error, PL_E_DIVERGED, row,
                            "row %d of the matrix is not finite; use a smaller time step", row);
    if (fabs(pivot) <= LEAST_PIVOT * size && flat < 0) flat = row;
    if (pivot >= -LEAST_PIVOT * size) continue;
    if (negative++ == 0) worst = row;
  }
  if (negative && !may_be_indefinite) return fail_indefinite(negative, worst, error);
  if (negative) return check_growth(factor, error);
  return flat >= 0 ? fail_singular(flat, error) : PL_OK;
}

pl_status pl_factor_compute(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                            const char *chosen, int may_be_indefinite, pl_pool *pool,
                            pl_error *error)
{
  const pl_elimination *plan = &factor->plan;
  factor->A = A;
  mark_held(factor, filter, chosen);
  pl_status status = factor_ranges(factor, pool, error);
  for (int s = 0; s < plan->count && !status; s++) {
    if (!plan->is_top[s]) continue;
    // most of the work is in the top
    status = pl_watch_check(A->watch, error);
    if (!status) factor_top(factor, s, pool);
  }
  return status ? status : check_pivots(factor, may_be_indefinite, error);
}

/* ---- back-substitution ---- */

static int is_zero(const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    if (x[i] < 0 || x[i] > 0) return 0;
  }
  return 1;
}

/* One panel forward; what it means for the top goes to top if there is one. */
static void forward_panel(const pl_factor *factor, int s, double *y, double *top)
{
  const pl_elimination *plan = &factor->plan;
  double *x = factor->x, *own = x + 3 * (size_t)plan->first[s];
  int width = pl_panel_width(plan, s);
  if (is_zero(own, width)) return;
  factor->kernel->forward(values_of(factor, s), (size_t)pl_panel_stride(plan, s), width,
                          pl_panel_height(plan, s), own, y);
  for (size_t k = plan->row_start[s]; k < plan->row_end[s]; k++, y += 3) {
    int row = plan->rows[k], place = factor->top_place[row];
    double *to = top && place >= 0 ? top + 3 * place : x + 3 * (size_t)row;
    for (int i = 0; i < 3; i++) to[i] -= y[i];
  }
}

static void backward_panel(const pl_factor *factor, int s, double *y)
{
  const pl_elimination *plan = &factor->plan;
  double *x = factor->x, *own = x + 3 * (size_t)plan->first[s], *to = y;
  const double *signs = factor->signs + 3 * (size_t)plan->first[s];
  int width = pl_panel_width(plan, s);
  for (size_t k = plan->row_start[s]; k < plan->row_end[s]; k++, to += 3)
    memcpy(to, x + 3 * (size_t)plan->rows[k], 3 * sizeof *to);
  for (int i = 0; i < 4; i++) to[i] = 0;
  for (int i = 0; i < width; i++) own[i] *= signs[i];
  factor->kernel->backward(values_of(factor, s), (size_t)pl_panel_stride(plan, s), width,
                           pl_panel_height(plan, s), own, y);
}

static void forward_range(void *context, int range)
{
  const pl_factor *factor = context;
  const workspace *room = &factor->rooms[range];
  memset(room->top, 0, 3 * (size_t)factor->top_count * sizeof(double));
  for (int s = factor->plan.range[range]; s < factor->plan.range[range + 1]; s++) {
    if (!factor->plan.is_top[s]) forward_panel(factor, s, room->y, room->top);
  }
}

static void backward_range(void *context, int range)
{
  const pl_factor *factor = context;
  for (int s = factor->plan.range[range + 1] - 1; s >= factor->plan.range[range]; s--) {
    if (!factor->plan.is_top[s]) backward_panel(factor, s, factor->rooms[range].y);
  }
}

/* Adds up what the ranges mean for the top, in their order. */
static void gather_top(const pl_factor *factor)
{
  const pl_elimination *plan = &factor->plan;
  for (int j = 0; j < plan->blocks; j++) {
    int place = factor->top_place[j];
    for (int r = 0; place >= 0 && r < plan->ranges; r++) {
      for (int i = 0; i < 3; i++)
        factor->x[3 * (size_t)j + (size_t)i] += factor->rooms[r].top[3 * place + i];
    }
  }
}

void pl_factor_solve(pl_factor *factor, const double *b, double *x, pl_pool *pool)
{
  const pl_elimination *plan = &factor->plan;
  for (int k = 0; k < plan->blocks; k++)
    memcpy(factor->x + 3 * (size_t)k, b + 3 * (size_t)plan->order[k], 3 * sizeof *b);
  pl_parallel(pool, plan->ranges, forward_range, factor);
  gather_top(factor);
  for (int s = 0; s < plan->count; s++) {
    if (plan->is_top[s]) forward_panel(factor, s, factor->rooms[0].y, NULL);
  }
  for (int s = plan->count - 1; s >= 0; s--) {
    if (plan->is_top[s]) backward_panel(factor, s, factor->rooms[0].y);
  }
  pl_parallel(pool, plan->ranges, backward_range, factor);
  for (int k = 0; k < plan->blocks; k++)
    memcpy(x + 3 * (size_t)plan->order[k], factor->x + 3 * (size_t)k, 3 * sizeof *x);
}

double pl_factor_fill(const pl_factor *factor) { return factor->plan.fill; }
double pl_factor_flops(const pl_factor *factor) { return factor->plan.flops; }
int pl_factor_is_nested(const pl_factor *factor) { return factor->is_nested; }

double pl_factor_cost(const pl_factor *factor)
{
  // dense products run at about four times the speed of a back-substitution
  return factor->plan.fill > 0 ? factor->plan.flops / (16 * factor->plan.fill) : 1;
}
