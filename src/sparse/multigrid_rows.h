/* The loops of multigrid for rows of SIZE unknowns, which stand in vectors of the type WIDE. To be
 * included by multigrid_kernel.c once for each size. Columns of blocks are loaded wide: what
 * stands behind their end goes into lanes that are never read. */

PL_INLINE WIDE NAME(load)(const float *from)
{
  WIDE lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

PL_INLINE void NAME(store)(float *to, WIDE lanes) { memcpy(to, &lanes, sizeof lanes); }

PL_INLINE float *NAME(at)(const float *vector, int row)
{
  return (float *)vector + (sizeof(WIDE) / sizeof(float)) * (size_t)row;
}

/* block * x, column by column. */
PL_INLINE WIDE NAME(block_times)(const float *block, WIDE x)
{
  WIDE sum = NAME(load)(block) * x[0];
  for (int c = 1; c < SIZE; c++) sum += NAME(load)(block + SIZE * c) * x[c];
  return sum;
}

PL_INLINE WIDE NAME(row_product)(const pl_grid_level *level, int row, const float *x)
{
  WIDE sums[3] = {{0}, {0}, {0}};
  const int *column = level->columns + level->start[row];
  const int *end = level->columns + level->start[row + 1];
  const float *block = level->values + (size_t)(SIZE * SIZE) * (size_t)level->start[row];
  for (; column < end; column++, block += SIZE * SIZE) {
    const float *xj = NAME(at)(x, *column);
    for (int c = 0; c < SIZE; c++) sums[c % 3] += NAME(load)(block + SIZE * c) * xj[c];
  }
  return (sums[0] + sums[1]) + sums[2];
}

PL_INLINE const float *NAME(inverse)(const pl_grid_level *level, int row)
{
  return level->inverse + (size_t)(SIZE * SIZE) * (size_t)row;
}

static void NAME(start)(const pl_grid_level *level, int first, int last, float b, const float *r,
                        float *x)
{
  for (int row = first; row < last; row++)
    NAME(store)
    (NAME(at)(x, row),
     b * NAME(block_times)(NAME(inverse)(level, row), NAME(load)(NAME(at)(r, row))));
}

static void NAME(sweep)(const pl_grid_level *level, int first, int last, const pl_grid_sweep *sweep)
{
  for (int row = first; row < last; row++) {
    WIDE x = NAME(load)(NAME(at)(sweep->x, row)), way = x;
    WIDE t = NAME(load)(NAME(at)(sweep->r, row)) - NAME(row_product)(level, row, sweep->x);
    if (sweep->previous) way = x - NAME(load)(NAME(at)(sweep->previous, row));
    WIDE z = NAME(block_times)(NAME(inverse)(level, row), t);
    NAME(store)(NAME(at)(sweep->out, row), x + (sweep->a * way + sweep->b * z));
  }
}

static void NAME(residual)(const pl_grid_level *level, int first, int last, const float *r,
                           const float *x, float *t)
{
  for (int row = first; row < last; row++)
    NAME(store)(NAME(at)(t, row), NAME(load)(NAME(at)(r, row)) - NAME(row_product)(level, row, x));
}

static void NAME(prolong)(const pl_grid_level *level, int first, int last, const float *e, float *x)
{
  for (int row = first; row < last; row++) {
    octet sums[SIZE] = {{0}};
    for (int k = level->near_start[row]; k < level->near_start[row + 1]; k++) {
      octet from = octet_load(e + 8 * (size_t)level->near[k]);
      const float *block = level->prolong + (size_t)(SIZE * COARSE) * (size_t)k;
      for (int i = 0; i < SIZE; i++) sums[i] += octet_load(block + COARSE * i) * from;
    }
    float *to = NAME(at)(x, row);
    for (int i = 0; i < SIZE; i++)
      to[i] += ((sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3])) + (sums[i][4] + sums[i][5]);
  }
}

static void NAME(restrict_to)(const pl_grid_level *level, int first, int last, const float *t,
                              float *e)
{
  for (int group = first; group < last; group++) {
    octet sum = {0};
    for (int m = level->member_start[group]; m < level->member_start[group + 1]; m++) {
      const float *from = NAME(at)(t, level->member_row[m]);
      const float *block =
          level->prolong + (size_t)(SIZE * COARSE) * (size_t)level->member_place[m];
      for (int i = 0; i < SIZE; i++) sum += octet_load(block + COARSE * i) * from[i];
    }
    memcpy(e + 8 * (size_t)group, &sum, sizeof sum);
  }
}

/* ---- coarse matrices, in double precision ---- */

/* to += A block * rows, where rows has a row of 6 for each column of the block. */
PL_INLINE void NAME(add_product)(const double *block, const six *rows, six *to)
{
  for (int i = 0; i < SIZE; i++) {
    for (int c = 0; c < SIZE; c++) to[i] = six_add(to[i], six_scale(rows[c], block[SIZE * c + i]));
  }
}

/* Is the place of this group in the ascending list; the list has it. */
PL_INLINE const int *NAME(seek)(const int *list, int group)
{
  while (*list < group) list++;
  return list;
}

static void NAME(smooth)(pl_grid_level *level, int first, int last, double omega)
{
  for (int row = first; row < last; row++) {
    int near = level->near_start[row], near_end = level->near_start[row + 1];
    for (int k = near; k < near_end; k++) {
      int group = level->near[k];
      six sums[SIZE], rows[SIZE];
      for (int i = 0; i < SIZE; i++) sums[i] = six_zero();

      // A T in this group's columns
      for (int m = level->start[row]; m < level->start[row + 1]; m++) {
        int column = level->columns[m];
        if (level->group[column] != group) continue;
        const double *T = level->tentative + (size_t)(SIZE * COARSE) * (size_t)column;
        for (int i = 0; i < SIZE; i++) rows[i] = six_load(T + COARSE * i);
        NAME(add_product)(level->precise + (size_t)(SIZE * SIZE) * (size_t)m, rows, sums);
      }

      // T - omega D^-1 A T
      const float *inverse = NAME(inverse)(level, row);
      const double *T = level->tentative + (size_t)(SIZE * COARSE) * (size_t)row;
      float *to = level->prolong + (size_t)(SIZE * COARSE) * (size_t)k;
      for (int i = 0; i < SIZE; i++) {
        six sum = level->group[row] == group ? six_load(T + COARSE * i) : six_zero();
        for (int c = 0; c < SIZE; c++)
          sum = six_add(sum, six_scale(sums[c], -omega * (double)inverse[SIZE * c + i]));
        six_store_single(to + COARSE * i, sum);
      }
    }
  }
}

static void NAME(multiply)(pl_grid_level *level, int first, int last, double scale)
{
  for (int row = first; row < last; row++) {
    double *out = level->product + (size_t)(SIZE * COARSE) * (size_t)level->wide_start[row];
    size_t count = (size_t)(level->wide_start[row + 1] - level->wide_start[row]);
    memset(out, 0, (size_t)(SIZE * COARSE) * count * sizeof *out);
    for (int m = level->start[row]; m < level->start[row + 1]; m++) {
      int column = level->columns[m];
      double block[SIZE * SIZE];
      const double *values = level->precise + (size_t)(SIZE * SIZE) * (size_t)m;
      for (int i = 0; i < SIZE * SIZE; i++) block[i] = scale * values[i];
      const int *wide = level->wide + level->wide_start[row];
      for (int k = level->near_start[column]; k < level->near_start[column + 1]; k++) {
        wide = NAME(seek)(wide, level->near[k]);
        six rows[SIZE], sums[SIZE];
        double *to = level->product + (size_t)(SIZE * COARSE) * (size_t)(wide - level->wide);
        for (int i = 0; i < SIZE; i++) {
          rows[i] = six_load_single(level->prolong + (size_t)COARSE * (size_t)(SIZE * k + i));
          sums[i] = six_load(to + COARSE * i);
        }
        NAME(add_product)(block, rows, sums);
        for (int i = 0; i < SIZE; i++) six_store(to + COARSE * i, sums[i]);
      }
    }
  }
}

/* to (6x6, column by column) += P_block^T product_block. */
PL_INLINE void NAME(add_gathered)(const six *P, const double *product, double *to)
{
  for (int c = 0; c < COARSE; c++) {
    six sum = six_load(to + COARSE * c);
    for (int i = 0; i < SIZE; i++) sum = six_add(sum, six_scale(P[i], product[COARSE * i + c]));
    six_store(to + COARSE * c, sum);
  }
}

static void NAME(gather)(const pl_grid_level *level, int first, int last, pl_grid_level *coarse)
{
  for (int group = first; group < last; group++) {
    size_t begin = (size_t)coarse->start[group], end = (size_t)coarse->start[group + 1];
    memset(coarse->precise + 36 * begin, 0, 36 * (end - begin) * sizeof(double));
    for (int m = level->member_start[group]; m < level->member_start[group + 1]; m++) {
      int row = level->member_row[m];
      six P[SIZE];
      const float *block =
          level->prolong + (size_t)(SIZE * COARSE) * (size_t)level->member_place[m];
      for (int i = 0; i < SIZE; i++) P[i] = six_load_single(block + COARSE * i);
      const int *column = coarse->columns + coarse->diagonal[group];
      for (int k = level->wide_start[row]; k < level->wide_start[row + 1]; k++) {
        if (level->wide[k] < group) continue;
        column = NAME(seek)(column, level->wide[k]);
        NAME(add_gathered)
        (P, level->product + (size_t)(SIZE * COARSE) * (size_t)k,
         coarse->precise + 36 * (size_t)(column - coarse->columns));
      }
    }
  }
}

const pl_grid_kernel VARIANT(NAME(pl_grid_kernel)) = {
    .start = NAME(start),
    .sweep = NAME(sweep),
    .residual = NAME(residual),
    .prolong = NAME(prolong),
    .restrict_to = NAME(restrict_to),
    .smooth = NAME(smooth),
    .multiply = NAME(multiply),
    .gather = NAME(gather),
};
