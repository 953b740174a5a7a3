/* The octree and its points. Cells are kept in blocks: far from the surface one number describes
 * all of a block, elsewhere a byte about each of its finest cells. */
#include "mesh/lattice.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1 << PL_LATTICE_LEVELS };

/* Within this many sizes of the surface all leaves are finest: a moved point lies at most 0.345
 * sizes from it, and the middle of a leaf that has it among its tetrahedra at most one more. */
static const double NEARNESS = 1.5;

void pl_lattice_place(const pl_lattice *l, const int at[3], double place[3])
{
  for (int k = 0; k < 3; k++) place[k] = l->origin[k] + l->half * at[k];
}

/* ---- leaves ---- */

static size_t block_of(const pl_lattice *l, const int cell[3])
{
  size_t x = (size_t)(cell[0] / BLOCK), y = (size_t)(cell[1] / BLOCK),
         z = (size_t)(cell[2] / BLOCK);
  return x + (size_t)l->blocks[0] * (y + (size_t)l->blocks[1] * z);
}

static size_t cell_of(const int cell[3])
{
  return (size_t)(cell[0] % BLOCK + BLOCK * (cell[1] % BLOCK + BLOCK * (cell[2] % BLOCK)));
}

int pl_lattice_code(const pl_lattice *l, const int cell[3])
{
  for (int k = 0; k < 3; k++) {
    if (cell[k] < 0 || cell[k] >= BLOCK * l->blocks[k]) return PL_LEAF_OUTSIDE;
  }
  int map = l->maps[block_of(l, cell)];
  return map <= 0 ? -map : l->codes[map - 1][cell_of(cell)];
}

/* Writes the code of all finest cells of a cube within a block. */
static void paint(unsigned char *codes, const int cell[3], int width, int code)
{
  int at[3];
  for (at[2] = cell[2]; at[2] < cell[2] + width; at[2]++) {
    for (at[1] = cell[1]; at[1] < cell[1] + width; at[1]++)
      memset(codes + cell_of((int[]){cell[0], at[1], at[2]}), code, (size_t)width);
  }
}

/* Is the surface so far from all finest cells of a cube that none of them is near? Then the code
 * that says where it lies, else 0. */
static int far_code(const pl_lattice *l, const int cell[3], int level)
{
  double middle[3], width = 1 << level;
  for (int k = 0; k < 3; k++) middle[k] = l->origin[k] + l->half * (2 * cell[k] + width);
  double value = pl_volume_value(l->volume, middle);
  if (fabs(value) <= 2 * l->half * (0.5 * sqrt(3) * (width - 1) + NEARNESS)) return 0;
  if (value > 0) return PL_LEAF_OUTSIDE;
  return PL_LEAF_INSIDE | (level < l->levels ? level : l->levels);
}

static void classify(const pl_lattice *l, unsigned char *codes, const int cell[3], int level)
{
  int code = far_code(l, cell, level), half = 1 << level >> 1;
  if (!code && level > 0) {
    for (int c = 0; c < 8; c++) {
      int at[3] = {cell[0] + (c & 1) * half, cell[1] + (c >> 1 & 1) * half,
                   cell[2] + (c >> 2) * half};
      classify(l, codes, at, level - 1);
    }
  } else {
    paint(codes, cell, 1 << level, code ? code : PL_LEAF_NEAR);
  }
}

/* Gives a block a byte for each of its cells. */
static pl_status add_map(pl_lattice *l, size_t block, int code, pl_error *error)
{
  void *codes = l->codes;
  if (pl_reserve(&l->allocator, &codes, &l->map_room, l->map_count + 1, sizeof *l->codes))
    return pl_fail_memory(error);
  l->codes = codes;
  memset(l->codes[l->map_count], code, sizeof *l->codes);
  l->maps[block] = (int)++l->map_count;
  return PL_OK;
}

/* Calls visit with the first cell of every block. */
static pl_status each_block(const pl_lattice *l, pl_lattice_visit *visit, void *context)
{
  pl_status status = PL_OK;
  int at[3];
  for (at[2] = 0; at[2] < BLOCK * l->blocks[2]; at[2] += BLOCK) {
    for (at[1] = 0; at[1] < BLOCK * l->blocks[1]; at[1] += BLOCK) {
      for (at[0] = 0; !status && at[0] < BLOCK * l->blocks[0]; at[0] += BLOCK)
        status = visit(context, at, 0);
    }
  }
  return status;
}

static pl_status classify_block(void *context, const int cell[3], int unused)
{
  (void)unused;
  pl_lattice *l = context;
  size_t block = block_of(l, cell);
  int code = far_code(l, cell, PL_LATTICE_LEVELS);
  l->maps[block] = -code;
  if (code) return PL_OK;
  pl_status status = add_map(l, block, 0, NULL);
  if (!status) classify(l, l->codes[l->map_count - 1], cell, PL_LATTICE_LEVELS);
  return status;
}

typedef struct leaf_walk {
  const pl_lattice *lattice;
  pl_lattice_visit *visit;
  void *context;
} leaf_walk;

static pl_status each_leaf_of(const leaf_walk *walk, const int cell[3], int level)
{
  int code = pl_lattice_code(walk->lattice, cell), half = 1 << level >> 1;
  // a block that is outside as a whole has no map
  if (code == PL_LEAF_OUTSIDE &&
      (level == 0 || walk->lattice->maps[block_of(walk->lattice, cell)] <= 0))
    return PL_OK;
  if (level == (code & PL_LEAF_LEVEL) && code != PL_LEAF_OUTSIDE)
    return walk->visit(walk->context, cell, code);
  pl_status status = PL_OK;
  for (int c = 0; !status && c < 8; c++) {
    int at[3] = {cell[0] + (c & 1) * half, cell[1] + (c >> 1 & 1) * half,
                 cell[2] + (c >> 2) * half};
    status = each_leaf_of(walk, at, level - 1);
  }
  return status;
}

static pl_status each_leaf_of_block(void *context, const int cell[3], int unused)
{
  (void)unused;
  return each_leaf_of(context, cell, PL_LATTICE_LEVELS);
}

pl_status pl_lattice_each(const pl_lattice *l, pl_lattice_visit *visit, void *context)
{
  return each_block(l, each_leaf_of_block, &(leaf_walk){l, visit, context});
}

/* ---- balance ---- */

typedef struct balance {
  pl_lattice *lattice;
  int level;
} balance;

/* Halves the leaf that holds a cell. */
static pl_status split(pl_lattice *l, const int cell[3], int code)
{
  int width = 1 << (code & PL_LEAF_LEVEL), first[3];
  size_t block = block_of(l, cell);
  if (l->maps[block] <= 0) {
    pl_status status = add_map(l, block, code, NULL);
    if (status) return status;
  }
  for (int k = 0; k < 3; k++) first[k] = cell[k] / width * width;
  paint(l->codes[l->maps[block] - 1], first, width, code - 1);
  return PL_OK;
}

/* Splits what is too large around a leaf of this level, over faces and edges. */
static pl_status balance_leaf(void *context, const int cell[3], int code)
{
  balance *b = context;
  if ((code & PL_LEAF_LEVEL) != b->level) return PL_OK;
  for (int n = 0; n < 27; n++) {
    int to[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, at[3];
    if (to[0] && to[1] && to[2]) continue;
    for (int k = 0; k < 3; k++) at[k] = cell[k] + to[k] * (1 << b->level);
    int other = pl_lattice_code(b->lattice, at);
    while (other & PL_LEAF_INSIDE && (other & PL_LEAF_LEVEL) > b->level + 1) {
      pl_status status = split(b->lattice, at, other);
      if (status) return status;
      other--;
    }
  }
  return PL_OK;
}

/* ---- points ---- */

static uint64_t hash_of(const int at[3])
{
  uint64_t h = (uint64_t)at[0] + ((uint64_t)at[1] << 21) + ((uint64_t)at[2] << 42);
  h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

int pl_lattice_find(const pl_lattice *l, const int at[3])
{
  for (uint64_t i = hash_of(at);; i++) {
    int point = l->table[i & l->mask] - 1;
    if (point < 0) return -1;
    const int *there = l->points[point].at;
    if (there[0] == at[0] && there[1] == at[1] && there[2] == at[2]) return point;
  }
}

static void enter(pl_lattice *l, int point)
{
  uint64_t i = hash_of(l->points[point].at);
  while (l->table[i & l->mask]) i++;
  l->table[i & l->mask] = point + 1;
}

/* Twice the room for the table. */
static pl_status grow_table(pl_lattice *l)
{
  uint64_t room = l->table ? 2 * (l->mask + 1) : 1024;
  int *table = pl_alloc(&l->allocator, (size_t)room, sizeof *table);
  if (!table) return PL_E_MEMORY;
  pl_free(&l->allocator, l->table);
  l->table = table;
  l->mask = room - 1;
  for (size_t i = 0; i < l->point_count; i++) enter(l, (int)i);
  return PL_OK;
}

/* Adds the point, unless it is there; near the surface it gets its own value. */
static pl_status add_point(pl_lattice *l, const int at[3], int code)
{
  int known = pl_lattice_find(l, at);
  if (known >= 0) return PL_OK;
  void *points = l->points;
  if (l->point_count >= PL_MOST_NODES ||
      pl_reserve(&l->allocator, &points, &l->point_room, l->point_count + 1, sizeof *l->points))
    return PL_E_MEMORY;
  l->points = points;
  if (2 * l->point_count > l->mask && grow_table(l)) return PL_E_MEMORY;
  pl_lattice_point *p = &l->points[l->point_count];
  *p = (pl_lattice_point){.at = {at[0], at[1], at[2]}, .value = -1};
  if (code & PL_LEAF_NEAR) {
    double place[3];
    pl_lattice_place(l, at, place);
    p->value = pl_volume_value(l->volume, place);
  }
  p->side = p->value < 0 ? 1 : -1;
  enter(l, (int)l->point_count++);
  return PL_OK;
}

static pl_status add_points(void *context, const int cell[3], int code)
{
  int width = 1 << (code & PL_LEAF_LEVEL), at[3];
  for (int k = 0; k < 3; k++) at[k] = 2 * cell[k] + width;
  pl_status status = add_point(context, at, code);
  for (int c = 0; !status && c < 8; c++) {
    for (int k = 0; k < 3; k++) at[k] = 2 * (cell[k] + (c >> k & 1) * width);
    status = add_point(context, at, code);
  }
  return status;
}

/* ---- the whole ---- */

static pl_status place_blocks(pl_lattice *l, double size, pl_error *error)
{
  double blocks = 1;
  for (int k = 0; k < 3; k++) {
    // at least two cells on each side
    double extent = l->volume->high[k] - l->volume->low[k];
    l->blocks[k] = (int)ceil((extent / size + 4) / BLOCK);
    l->origin[k] = l->volume->low[k] + 0.5 * (extent - size * BLOCK * l->blocks[k]);
    blocks *= l->blocks[k];
  }
  if (blocks > 2e7)
    return pl_fail(error, PL_E_LIMIT, "a size of %g m makes a lattice of %.2g cells; enlarge it",
                   size, blocks * BLOCK * BLOCK * BLOCK);
  l->maps = pl_alloc(&l->allocator, (size_t)blocks, sizeof *l->maps);
  return l->maps && !grow_table(l) ? PL_OK : pl_fail_memory(error);
}

pl_status pl_lattice_create(pl_lattice *l, const pl_volume *volume, double size, int levels,
                            const pl_allocator *allocator, pl_error *error)
{
  *l =
      (pl_lattice){.allocator = *allocator, .volume = volume, .half = 0.5 * size, .levels = levels};
  pl_status status = place_blocks(l, size, error);
  if (status) return status;
  status = each_block(l, classify_block, l);
  // what a level asks for only makes leaves of higher levels
  for (int level = 0; !status && level + 1 < levels; level++)
    status = pl_lattice_each(l, balance_leaf, &(balance){l, level});
  if (!status) status = pl_lattice_each(l, add_points, l);
  if (l->point_count >= PL_MOST_NODES)
    return pl_mesh_check_limits((int64_t)l->point_count + 1, 1, error);
  return status ? pl_fail_memory(error) : PL_OK;
}

void pl_lattice_free(pl_lattice *l)
{
  pl_free(&l->allocator, l->maps);
  pl_free(&l->allocator, l->codes);
  pl_free(&l->allocator, l->points);
  pl_free(&l->allocator, l->table);
}
