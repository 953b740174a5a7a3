/* Patterns and memory of the hierarchy: groups, the prolongator's pattern (a row belongs to the
 * groups of its neighbours), the pattern of A P, of the coarse matrix, and of upper triangles. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/aggregate.h"
#include "sparse/multigrid.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_DENSE = 420,   /* unknowns of a last level that is inverted */
  WANTED_CHUNKS = 16, /* of a level; the fewer, the fewer rows are late */
  LEAST_CHUNK = 24,   /* rows */
  MOST_CHUNK = 4096,
  SLACK = 8 /* floats behind the end of an array */
};

/* Bytes that stay in a cache which the threads share while some passes go over them. */
static const double near_bytes = 4e6;

/* A level on which fewer groups than this part of its rows cannot be found is the last one. */
static const double min_reduction = 0.7;

/* Lists of different numbers, one for each row, ascending. */
typedef struct lists {
  const pl_allocator *allocator;
  int rows, range; /* the numbers are below range */
  int *start, *entries;
  int *seen, *found; /* seen[n] == row + 1: n is in found already */
  int count;
  const pl_multigrid_joints *joints; /* NULL: none */
  size_t next_joint;
} lists;

static void note(lists *made, int row, int number)
{
  if (number < 0 || made->seen[number] == row + 1) return;
  made->seen[number] = row + 1;
  made->found[made->count++] = number;
}

static int by_value(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Makes the lists from a function that notes the numbers of a row. */
static pl_status make_lists(lists *made, void (*list)(const pl_multigrid_level *, int, lists *),
                            const pl_multigrid_level *level, pl_error *error)
{
  pl_status status = PL_OK;
  made->start = pl_alloc(made->allocator, (size_t)made->rows + 1, sizeof(int));
  made->seen = pl_alloc(made->allocator, (size_t)made->range, sizeof(int));
  made->found = pl_alloc(made->allocator, (size_t)made->range, sizeof(int));
  if (!made->start || !made->seen || !made->found) status = pl_fail_memory(error);

  // count, then fill
  for (int round = 0; round < 2 && !status; round++) {
    memset(made->seen, 0, (size_t)made->range * sizeof(int));
    made->next_joint = 0;
    int64_t total = 0;
    for (int row = 0; row < made->rows && total < INT32_MAX; row++) {
      made->count = 0;
      list(level, row, made);
      if (round == 1) {
        qsort(made->found, (size_t)made->count, sizeof(int), by_value);
        memcpy(made->entries + made->start[row], made->found, (size_t)made->count * sizeof(int));
      }
      total += made->count;
      made->start[row + 1] = (int)total;
    }
    if (total >= INT32_MAX)
      status = pl_fail(error, PL_E_LIMIT, "the matrix is too large for multigrid");
    else if (round == 0 && !(made->entries = pl_alloc(made->allocator, (size_t)total, sizeof(int))))
      status = pl_fail_memory(error);
  }
  pl_free(made->allocator, made->seen);
  pl_free(made->allocator, made->found);
  return status;
}

static void list_near(const pl_multigrid_level *level, int row, lists *made)
{
  if (level->group[row] < 0) return;
  for (int k = level->start[row]; k < level->start[row + 1]; k++)
    note(made, row, level->group[level->columns[k]]);
}

static void list_wide(const pl_multigrid_level *level, int row, lists *made)
{
  for (int k = level->start[row]; k < level->start[row + 1]; k++) {
    int column = level->columns[k];
    for (int m = level->near_start[column]; m < level->near_start[column + 1]; m++)
      note(made, row, level->near[m]);
  }
}

static void list_coarse(const pl_multigrid_level *level, int group, lists *made)
{
  note(made, group, group);
  const pl_multigrid_joints *joints = made->joints;
  for (size_t *k = &made->next_joint; joints && *k < joints->count; (*k)++) {
    if (joints->keys[*k] >> 32 > group) break;
    note(made, group, (int)(joints->keys[*k] & INT32_MAX));
  }
  for (int m = level->members.start[group]; m < level->members.start[group + 1]; m++) {
    int row = level->members.row[m];
    for (int k = level->wide_start[row]; k < level->wide_start[row + 1]; k++)
      note(made, group, level->wide[k]);
  }
}

/* For every group the rows that belong to it. */
static pl_status list_members(const pl_allocator *allocator, pl_multigrid_level *level,
                              pl_error *error)
{
  size_t entries = (size_t)level->near_start[level->rows];
  level->members.start = pl_alloc(allocator, (size_t)level->groups + 2, sizeof(int));
  level->members.row = pl_alloc(allocator, entries, sizeof(int));
  level->members.place = pl_alloc(allocator, entries, sizeof(int));
  if (!level->members.start || !level->members.row || !level->members.place)
    return pl_fail_memory(error);

  // members.start[g + 1] runs through the places of group g
  int *next = level->members.start + 1;
  for (size_t k = 0; k < entries; k++) next[level->near[k] + 1]++;
  for (int group = 0; group < level->groups; group++) next[group + 1] += next[group];
  for (int row = 0; row < level->rows; row++) {
    for (int k = level->near_start[row]; k < level->near_start[row + 1]; k++) {
      int place = next[level->near[k]]++;
      level->members.row[place] = row;
      level->members.place[place] = k;
    }
  }
  return PL_OK;
}

/* Late rows and their slots, from the number of slots that each row has, in place of which comes
 * the row's first slot. */
static void list_late(const pl_multigrid_level *level, int *counts, pl_multigrid_half *half)
{
  int slots = 0, late = 0;
  for (int row = 0; row < level->rows; row++) {
    int count = counts[row];
    if (row % level->chunk == 0) half->late_first[row / level->chunk] = late;
    counts[row] = slots;
    if (count == 0) continue;
    half->late_row[late] = row;
    half->late_start[late++] = slots;
    while (count-- > 0) half->slot_row[slots++] = row;
  }
  half->late_row[late] = -1;
  half->late_start[late] = slots;
  half->late_first[pl_chunk_count(level->rows, level->chunk)] = late;
}

/* The columns of the upper triangle: chunks in their order take the next slot of a row once; seen
 * is zero. */
static void list_columns(const pl_multigrid_level *level, int *next, int *seen,
                         pl_multigrid_half *half)
{
  for (int row = 0, k = 0; row < level->rows; row++) {
    int chunk = row / level->chunk, last = pl_multigrid_last(level, chunk);
    half->leaving[row] = half->start[row + 1];
    for (int m = level->diagonal[row]; m < level->start[row + 1]; m++, k++) {
      int column = half->columns[k] = level->columns[m];
      if (column < last) continue;
      if (column / level->chunk - chunk > half->reach) half->reach = column / level->chunk - chunk;
      if (k < half->leaving[row]) half->leaving[row] = k;
      if (seen[column] != chunk + 1) next[column]++;
      seen[column] = chunk + 1;
      half->columns[k] = level->rows + next[column] - 1;
    }
  }
}

/* Memory for slots and late rows; counts has how many slots each row has. */
static pl_status take_slots(const pl_allocator *allocator, const pl_multigrid_level *level,
                            const int *counts, pl_multigrid_half *half, pl_error *error)
{
  size_t chunks = (size_t)pl_chunk_count(level->rows, level->chunk), slots = 0, late = 0;
  size_t width = level->size == 3 ? 4 : 8;
  for (int row = 0; row < level->rows; row++) {
    slots += (size_t)counts[row];
    late += counts[row] > 0;
  }
  half->slot_row = pl_alloc(allocator, slots + 1, sizeof(int));
  half->late_row = pl_alloc(allocator, late + 1, sizeof(int));
  half->late_start = pl_alloc(allocator, late + 1, sizeof(int));
  half->late_first = pl_alloc(allocator, chunks + 1, sizeof(int));
  half->sums = pl_alloc(allocator, width * ((size_t)level->rows + slots), sizeof(float));
  int complete =
      half->slot_row && half->late_row && half->late_start && half->late_first && half->sums;
  return complete ? PL_OK : pl_fail_memory(error);
}

/* The upper triangle of a level with a known pattern. */
static pl_status make_half(const pl_allocator *allocator, const pl_multigrid_level *level,
                           pl_multigrid_half *half, pl_error *error)
{
  size_t rows = (size_t)level->rows, area = (size_t)level->size * (size_t)level->size, blocks = 0;
  half->start = pl_alloc(allocator, rows + 1, sizeof(int));
  half->leaving = pl_alloc(allocator, rows, sizeof(int));
  int *counts = pl_alloc(allocator, rows, sizeof(int));
  int *seen = pl_alloc(allocator, rows, sizeof(int));
  pl_status status = PL_OK;
  if (!half->start || !half->leaving || !counts || !seen) status = pl_fail_memory(error);
  for (int row = 0; !status && row < level->rows; row++) {
    int chunk = row / level->chunk, last = pl_multigrid_last(level, chunk);
    for (int k = level->diagonal[row]; k < level->start[row + 1]; k++) {
      int column = level->columns[k];
      if (column < last || seen[column] == chunk + 1) continue;
      seen[column] = chunk + 1;
      counts[column]++;
    }
    blocks += (size_t)(level->start[row + 1] - level->diagonal[row]);
    half->start[row + 1] = (int)blocks;
  }
  if (!status) {
    half->columns = pl_alloc(allocator, blocks, sizeof(int));
    half->values = pl_alloc(allocator, area * blocks + SLACK, sizeof(float));
    if (!half->columns || !half->values) status = pl_fail_memory(error);
  }
  if (!status) status = take_slots(allocator, level, counts, half, error);
  if (!status) {
    list_late(level, counts, half);
    memset(seen, 0, rows * sizeof *seen);
    list_columns(level, counts, seen, half);
  }
  pl_free(allocator, counts);
  pl_free(allocator, seen);
  return status;
}

/* As many chunks as have their blocks in near_bytes. */
static void set_batch(pl_multigrid_level *level)
{
  const double area = (double)level->size * level->size;
  const double blocks = (double)(level->start[level->rows] + level->rows) / 2;
  const double all = blocks * (area * sizeof(float) + sizeof(int));
  const int chunks = pl_chunk_count(level->rows, level->chunk);
  level->half.batch = all > near_bytes ? (int)(chunks * (near_bytes / all)) : chunks;
}

/* Arrays of a level with a known pattern. */
static pl_status take_memory(const pl_allocator *allocator, pl_multigrid_level *level,
                             pl_error *error)
{
  size_t rows = (size_t)level->rows, size = (size_t)level->size, width = size == 3 ? 4 : 8;
  float **vectors[] = {&level->r, &level->x, &level->y, &level->t, &level->mode};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = pl_alloc(allocator, width * rows + SLACK, sizeof(float));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  level->inverse = pl_alloc(allocator, size * size * rows + SLACK, sizeof(float));
  level->sums =
      pl_alloc(allocator, (size_t)pl_chunk_count(level->rows, level->chunk) + 1, sizeof(double));
  if (!level->inverse || !level->sums) return pl_fail_memory(error);
  pl_status status = make_half(allocator, level, &level->half, error);
  set_batch(level);
  return status;
}

static void set_chunk(pl_multigrid_level *level)
{
  level->chunk = pl_chunk_count(level->rows, WANTED_CHUNKS);
  if (level->chunk > MOST_CHUNK) level->chunk = MOST_CHUNK;
  if (level->chunk < LEAST_CHUNK) level->chunk = LEAST_CHUNK;
}

/* The patterns between a level and the next. */
static pl_status connect(const pl_allocator *allocator, pl_multigrid_level *level, pl_error *error)
{
  lists near = {.allocator = allocator, .rows = level->rows, .range = level->groups};
  pl_status status = make_lists(&near, list_near, level, error);
  level->near_start = near.start;
  level->near = near.entries;
  if (status) return status;

  lists wide = {.allocator = allocator, .rows = level->rows, .range = level->groups};
  status = make_lists(&wide, list_wide, level, error);
  level->wide_start = wide.start;
  level->wide = wide.entries;
  if (!status) status = list_members(allocator, level, error);
  if (status) return status;

  size_t size = (size_t)level->size * PL_MULTIGRID_COARSE;
  level->tentative = pl_alloc(allocator, size * (size_t)level->rows, sizeof(double));
  size_t entries = size * (size_t)level->near_start[level->rows];
  level->prolong = pl_alloc(allocator, entries + SLACK, sizeof(float));
  level->gathered = pl_alloc(allocator, entries + SLACK, sizeof(float));
  level->product =
      pl_alloc(allocator, size * (size_t)level->wide_start[level->rows] + SLACK, sizeof(float));
  int complete = level->tentative && level->prolong && level->gathered && level->product;
  return complete ? PL_OK : pl_fail_memory(error);
}

/* The level of a level's groups. */
static pl_status make_coarse(const pl_allocator *allocator, const pl_multigrid_level *level,
                             const pl_multigrid_joints *joints, pl_multigrid_level *coarse,
                             pl_error *error)
{
  coarse->rows = level->groups;
  coarse->size = PL_MULTIGRID_COARSE;
  set_chunk(coarse);
  lists columns = {
      .allocator = allocator, .rows = coarse->rows, .range = coarse->rows, .joints = joints};
  pl_status status = make_lists(&columns, list_coarse, level, error);
  coarse->start = columns.start;
  coarse->columns = columns.entries;
  if (status) return status;

  size_t rows = (size_t)coarse->rows, blocks = (size_t)coarse->start[coarse->rows];
  coarse->diagonal = pl_alloc(allocator, rows, sizeof(int));
  coarse->precise = pl_alloc(allocator, 36 * blocks, sizeof(double));
  coarse->places = pl_alloc(allocator, 3 * rows, sizeof(double));
  coarse->radius = pl_alloc(allocator, rows, sizeof(double));
  coarse->counts = pl_alloc(allocator, rows, sizeof(int));
  if (!coarse->counts || !coarse->diagonal || !coarse->precise || !coarse->places ||
      !coarse->radius)
    return pl_fail_memory(error);
  for (int row = 0; row < coarse->rows; row++) {
    int k = coarse->start[row];
    while (coarse->columns[k] < row) k++;
    coarse->diagonal[row] = k;
  }
  return take_memory(allocator, coarse, error);
}

/* Groups of a level, and how many; 0 if there is no use in a coarser level. */
static pl_status group_rows(const pl_allocator *allocator, pl_multigrid_level *level,
                            pl_error *error)
{
  level->group = pl_alloc(allocator, (size_t)level->rows, sizeof(int));
  if (!level->group) return pl_fail_memory(error);
  int groups = pl_aggregate(allocator, level->rows, level->start, level->columns, level->group);
  if (groups < 0) return pl_fail_memory(error);
  level->groups = groups <= min_reduction * level->rows ? groups : 0;
  return PL_OK;
}

static pl_status make_dense(const pl_allocator *allocator, const pl_multigrid_level *last,
                            pl_multigrid_dense *dense, pl_error *error)
{
  size_t count = (size_t)last->rows * (size_t)last->size;
  dense->count = (int)count;
  dense->factor = pl_alloc(allocator, count * count, sizeof(double));
  dense->row = pl_alloc(allocator, count, sizeof(double));
  dense->values = pl_alloc(allocator, count * count, sizeof(float));
  dense->in = pl_alloc(allocator, count, sizeof(float));
  dense->out = pl_alloc(allocator, count, sizeof(float));
  int complete = dense->factor && dense->row && dense->values && dense->in && dense->out;
  return complete ? PL_OK : pl_fail_memory(error);
}

pl_status pl_multigrid_create_finest(const pl_allocator *allocator, const pl_bsr *A,
                                     pl_multigrid *grid, pl_error *error)
{
  grid->allocator = *allocator;
  grid->levels = 1;
  grid->caution = 1;
  grid->lowering = 1;
  pl_multigrid_level *level = grid->level;
  level->rows = A->rows;
  level->size = 3;
  level->start = A->start;
  level->columns = A->columns;
  level->diagonal = A->diagonal;
  set_chunk(level);
  return take_memory(allocator, level, error);
}

pl_status pl_multigrid_create(const pl_allocator *allocator, const pl_bsr *A, pl_multigrid *grid,
                              pl_error *error)
{
  pl_multigrid_level *level = grid->level;
  pl_status status = pl_multigrid_create_finest(allocator, A, grid, error);
  while (!status && level->rows * level->size > MOST_DENSE &&
         grid->levels < PL_MULTIGRID_MOST_LEVELS) {
    status = group_rows(allocator, level, error);
    if (status || level->groups == 0) break;
    status = connect(allocator, level, error);
    if (!status) status = make_coarse(allocator, level, NULL, level + 1, error);
    level++;
    grid->levels++;
  }
  if (!status && level->rows * level->size <= MOST_DENSE)
    status = make_dense(allocator, level, &grid->dense, error);
  return status;
}

static void free_arrays(const pl_allocator *allocator, void *const *arrays, size_t count)
{
  for (size_t k = 0; k < count; k++) pl_free(allocator, arrays[k]);
}

/* All of a level but its groups; the finest one's pattern, values and places are the matrix's. */
static void free_level(const pl_allocator *allocator, pl_multigrid_level *level, int is_finest)
{
  void *shared[] = {level->start, level->columns, level->diagonal, level->precise, level->places};
  const pl_multigrid_half *half = &level->half;
  void *own[] = {half->start,
                 half->leaving,
                 half->columns,
                 half->values,
                 half->slot_row,
                 half->late_row,
                 half->late_start,
                 half->late_first,
                 half->sums,
                 level->inverse,
                 level->sums,
                 level->radius,
                 level->counts,
                 level->tentative,
                 level->near_start,
                 level->near,
                 level->prolong,
                 level->gathered,
                 level->wide_start,
                 level->wide,
                 level->product,
                 level->members.row,
                 level->members.place,
                 level->members.start,
                 level->r,
                 level->x,
                 level->y,
                 level->t,
                 level->mode};
  if (!is_finest) free_arrays(allocator, shared, sizeof shared / sizeof *shared);
  free_arrays(allocator, own, sizeof own / sizeof *own);
}

/* Groups stay: what is coupled by pairs only is not to move as one. */
pl_status pl_multigrid_rebuild(pl_multigrid *grid, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 1; i < grid->levels; i++) {
    pl_multigrid_level *level = &grid->level[i];
    free_level(&grid->allocator, level, 0);
    *level = (pl_multigrid_level){.groups = level->groups, .group = level->group};
  }
  for (int i = 1; i < grid->levels && !status; i++) {
    pl_multigrid_level *level = &grid->level[i];
    status = make_coarse(&grid->allocator, level - 1, i == 1 ? &grid->joints : NULL, level, error);
    if (!status && level->groups > 0) status = connect(&grid->allocator, level, error);
  }
  return status;
}

void pl_multigrid_destroy(pl_multigrid *grid)
{
  for (int i = 0; i < grid->levels; i++) {
    free_level(&grid->allocator, &grid->level[i], i == 0);
    pl_free(&grid->allocator, grid->level[i].group);
  }
  const pl_multigrid_dense *dense = &grid->dense;
  void *arrays[] = {dense->factor, dense->row,        dense->values,      dense->in,
                    dense->out,    grid->joints.keys, grid->turns.former, grid->turns.R};
  free_arrays(&grid->allocator, arrays, sizeof arrays / sizeof *arrays);
}
