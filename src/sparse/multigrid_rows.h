/* The loops of multigrid for rows of SIZE unknowns, which stand in vectors of the type WIDE, with
 * UPPER_ROW(half, rows, row, x) for a row of the upper triangle; A P is summed in SUMs of ENTRYs by
 * ADD_TO_SUM, in single precision where A is the finest matrix, as a cycle reads it. To be included
 * by multigrid_kernel.c once for each size. Columns of blocks are loaded wide: what stands behind
 * their end goes into lanes that are never read. */

#define PLUS          PASTE(WIDE, plus)
#define MINUS         PASTE(WIDE, minus)
#define TIMES         PASTE(WIDE, times)
#define ALL           PASTE(WIDE, all)
#define LANE          PASTE(WIDE, lane)
#define wide_load     PASTE(WIDE, load)
#define wide_store    PASTE(WIDE, store)
#define row_at        NAME(row_at)
#define block_times   NAME(block_times)
#define inverse_of    NAME(inverse_of)
#define start_rows    NAME(start_rows)
#define product_rows  NAME(product_rows)
#define late_rows     NAME(late_rows)
#define sweep_row     NAME(sweep_row)
#define sweep_rows    NAME(sweep_rows)
#define residual_row  NAME(residual_row)
#define residual_rows NAME(residual_rows)
#define finishing     NAME(finishing)
#define prolong_rows  NAME(prolong_rows)
#define restrict_rows NAME(restrict_rows)
#define add_product   NAME(add_product)
#define seek          NAME(seek)
#define smooth_rows   NAME(smooth_rows)
#define add_octet     NAME(add_octet)
#define add_six       NAME(add_six)
#define lower_row     NAME(lower_row)
#define lower_rows    NAME(lower_rows)
#define keep_row      NAME(keep_row)
#define multiply_rows NAME(multiply_rows)
#define add_gathered  NAME(add_gathered)
#define gather_rows   NAME(gather_rows)

PL_INLINE float *row_at(const float *vector, int row)
{
  return (float *)vector + (sizeof(WIDE) / sizeof(float)) * (size_t)row;
}

/* block * x, column by column. */
PL_INLINE WIDE block_times(const float *block, WIDE x)
{
  WIDE sum = TIMES(wide_load(block), ALL(LANE(x, 0)));
  PL_UNROLL
  for (int c = 1; c < SIZE; c++)
    sum = PLUS(sum, TIMES(wide_load(block + SIZE * c), ALL(LANE(x, c))));
  return sum;
}

PL_INLINE const float *inverse_of(const pl_multigrid_level *level, int row)
{
  return level->inverse + (size_t)(SIZE * SIZE) * (size_t)row;
}

static void start_rows(const pl_multigrid_level *level, int first, int last, float b,
                       const float *r, float *x)
{
  for (int row = first; row < last; row++)
    wide_store(row_at(x, row),
               TIMES(ALL(b), block_times(inverse_of(level, row), wide_load(row_at(r, row)))));
}

/* What is done with a row of A x once it is complete. */
typedef void finishing(const pl_multigrid_level *level, int row, WIDE product, void *job);

/* A x in the rows of a chunk, each finished unless it is late. */
PL_INLINE void product_rows(const pl_multigrid_level *level, int chunk, const float *x,
                            finishing *finish, void *job)
{
  // a copy: stores to sums might change what the level points to, as far as a compiler knows
  const pl_multigrid_half half = level->half;
  const int *late = half.late_row + half.late_first[chunk];
  int rows = level->rows, last = pl_multigrid_last(level, chunk);
  for (int row = chunk * level->chunk; row < last; row++) {
    float *sum = row_at(half.sums, row);
    WIDE own = UPPER_ROW(&half, rows, row, x), product = PLUS(own, wide_load(sum));
    if (row == *late) {
      wide_store(sum, product);
      late++;
    } else {
      wide_store(sum, ALL(0));
      finish(level, row, product, job);
    }
  }
}

/* The late rows of a chunk, when all chunks have done theirs. */
PL_INLINE void late_rows(const pl_multigrid_level *level, int chunk, finishing *finish, void *job)
{
  const pl_multigrid_half *half = &level->half;
  for (int k = half->late_first[chunk]; k < half->late_first[chunk + 1]; k++) {
    int row = half->late_row[k];
    float *sum = row_at(half->sums, row);
    WIDE product = wide_load(sum);
    wide_store(sum, ALL(0));
    for (int slot = half->late_start[k]; slot < half->late_start[k + 1]; slot++) {
      sum = row_at(half->sums, level->rows + slot);
      product = PLUS(product, wide_load(sum));
      wide_store(sum, ALL(0));
    }
    finish(level, row, product, job);
  }
}

PL_INLINE void sweep_row(const pl_multigrid_level *level, int row, WIDE product, void *job)
{
  const pl_multigrid_sweep *sweep = job;
  WIDE x = wide_load(row_at(sweep->x, row)), way = x;
  if (sweep->previous) way = MINUS(x, wide_load(row_at(sweep->previous, row)));
  WIDE z = block_times(inverse_of(level, row), MINUS(wide_load(row_at(sweep->r, row)), product));
  way = PLUS(TIMES(ALL(sweep->a), way), TIMES(ALL(sweep->b), z));
  wide_store(row_at(sweep->out, row), PLUS(x, way));
}

static void sweep_rows(const pl_multigrid_level *level, int chunk, int late,
                       const pl_multigrid_sweep *sweep)
{
  pl_multigrid_sweep job = *sweep;
  if (late)
    late_rows(level, chunk, sweep_row, &job);
  else
    product_rows(level, chunk, job.x, sweep_row, &job);
}

PL_INLINE void residual_row(const pl_multigrid_level *level, int row, WIDE product, void *job)
{
  const pl_multigrid_sweep *sweep = job;
  (void)level;
  wide_store(row_at(sweep->out, row), MINUS(wide_load(row_at(sweep->r, row)), product));
}

static void residual_rows(const pl_multigrid_level *level, int chunk, int late,
                          const pl_multigrid_sweep *sweep)
{
  pl_multigrid_sweep job = *sweep;
  if (late)
    late_rows(level, chunk, residual_row, &job);
  else
    product_rows(level, chunk, job.x, residual_row, &job);
}

static void prolong_rows(const pl_multigrid_level *level, int first, int last, const float *e,
                         float *x)
{
  for (int row = first; row < last; row++) {
    octet sums[SIZE];
    PL_UNROLL
    for (int i = 0; i < SIZE; i++) sums[i] = octet_all(0);
    for (int k = level->near_start[row]; k < level->near_start[row + 1]; k++) {
      octet from = octet_load(e + 8 * (size_t)level->near[k]);
      const float *block = level->prolong + (size_t)(SIZE * COARSE) * (size_t)k;
      PL_UNROLL
      for (int i = 0; i < SIZE; i++) octet_add(&sums[i], octet_load(block + COARSE * i), from);
    }
    float *to = row_at(x, row);
    PL_UNROLL
    for (int i = 0; i < SIZE; i += 3) {
      quartet three = octet_sums(sums[i], sums[i + 1], sums[i + 2], sums[i + 2]);
      for (int k = 0; k < 3; k++) to[i + k] += three[k];
    }
  }
}

static void restrict_rows(const pl_multigrid_level *level, int first, int last, const float *t,
                          float *e)
{
  for (int group = first; group < last; group++) {
    octet sum = octet_all(0);
    int m = level->members.start[group], end = level->members.start[group + 1];
    const float *block = level->gathered + (size_t)(SIZE * COARSE) * (size_t)m;
    for (; m < end; m++, block += SIZE * COARSE) {
      const float *from = row_at(t, level->members.row[m]);
      PL_UNROLL
      for (int i = 0; i < SIZE; i++)
        octet_add(&sum, octet_load(block + COARSE * i), octet_all(from[i]));
    }
    octet_store(e + 8 * (size_t)group, sum);
  }
}

/* ---- coarse matrices, in double precision ---- */

/* to += A block * rows, where rows has a row of 6 for each column of the block. */
PL_INLINE void add_product(const double *block, const six *rows, six *to)
{
  for (int i = 0; i < SIZE; i++) {
    for (int c = 0; c < SIZE; c++) to[i] = six_add(to[i], six_scale(rows[c], block[SIZE * c + i]));
  }
}

/* Is the place of this group in the ascending list; the list has it. */
PL_INLINE const int *seek(const int *list, int group)
{
  while (*list < group) list++;
  return list;
}

static void smooth_rows(pl_multigrid_level *level, int first, int last, double omega)
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
        add_product(level->precise + (size_t)(SIZE * SIZE) * (size_t)m, rows, sums);
      }

      // T - omega D^-1 A T
      const float *inverse = inverse_of(level, row);
      const double *T = level->tentative + (size_t)(SIZE * COARSE) * (size_t)row;
      float *to = level->prolong + (size_t)(SIZE * COARSE) * (size_t)k;
      for (int i = 0; i < SIZE; i++) {
        six sum = level->group[row] == group ? six_load(T + COARSE * i) : six_zero();
        for (int c = 0; c < SIZE; c++)
          sum = six_add(sum, six_scale(sums[c], -omega * (double)inverse[SIZE * c + i]));
        six_store_6(to + COARSE * i, sum);
      }
    }
  }
}

/* sums += A block * a block of P; the block of A column by column. */
PL_INLINE void add_octet(const float *block, const float *P, octet *sums)
{
  octet rows[SIZE];
  PL_UNROLL
  for (int c = 0; c < SIZE; c++) rows[c] = octet_load(P + COARSE * c);
  PL_UNROLL
  for (int i = 0; i < SIZE; i++) {
    for (int c = 0; c < SIZE; c++) octet_add(&sums[i], octet_all(block[SIZE * c + i]), rows[c]);
  }
}

/* The same in double precision. */
PL_INLINE void add_six(const double *block, const float *P, six *sums)
{
  six rows[SIZE];
  for (int i = 0; i < SIZE; i++) rows[i] = six_load_single(P + COARSE * i);
  add_product(block, rows, sums);
}

/* sums += A P in a row's groups [begin, end). */
PL_INLINE void lower_row(const pl_multigrid_level *level, int row, const int *begin, const int *end,
                         double scale, octet (*sums)[SIZE])
{
  for (int m = level->start[row]; m < level->start[row + 1]; m++) {
    const double *values = level->precise + (size_t)(SIZE * SIZE) * (size_t)m;
    float block[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) block[i] = (float)(scale * values[i]);
    const int column = level->columns[m], stop = level->near_start[column + 1];
    const int *near = begin;
    for (int k = level->near_start[column]; k < stop; k++) {
      while (near < end && *near < level->near[k]) near++;
      if (near == end) break;
      if (*near == level->near[k])
        add_octet(block, level->prolong + (size_t)(SIZE * COARSE) * (size_t)k, sums[near - begin]);
    }
  }
}

static void lower_rows(const pl_multigrid_level *level, int first, int last, double scale,
                       float *out)
{
  octet sums[PL_MULTIGRID_MOST_NEAR][SIZE];
  for (int row = first; row < last; row++) {
    const int *begin = level->near + level->near_start[row];
    const int *end = level->near + level->near_start[row + 1];
    float *to = out + (size_t)(SIZE * COARSE) * (size_t)level->near_start[row];
    const int count = (int)(end - begin);
    if (count > PL_MULTIGRID_MOST_NEAR) {
      memset(to, 0, (size_t)(SIZE * COARSE) * (size_t)count * sizeof *to);
      continue;
    }
    for (int i = 0; i < SIZE * count; i++) sums[i / SIZE][i % SIZE] = octet_all(0);
    lower_row(level, row, begin, end, scale, sums);
    const float *inverse = inverse_of(level, row);
    for (int k = 0; k < count; k++) {
      PL_UNROLL
      for (int i = 0; i < SIZE; i++, to += COARSE) {
        octet sum = octet_all(0);
        for (int c = 0; c < SIZE; c++)
          octet_add(&sum, octet_all(inverse[SIZE * c + i]), sums[k][c]);
        octet_store_6(to, sum);
      }
    }
  }
}

static void keep_row(const pl_multigrid_motions *motions, float *X)
{
  for (int line = 0; line < SIZE; line++)
    keep_motions(motions, X + COARSE * line, (size_t)(SIZE * COARSE));
}

/* A row of A P is summed in room for MOST_WIDE entries, in several goes where there are more. */
static void multiply_rows(pl_multigrid_level *level, int first, int last, double scale)
{
  enum { MOST_WIDE = 64 };
  SUM sums[MOST_WIDE][SIZE];
  for (int row = first; row < last; row++) {
    const int *end = level->wide + level->wide_start[row + 1];
    for (const int *begin = level->wide + level->wide_start[row]; begin < end; begin += MOST_WIDE) {
      const int *stop = end - begin < MOST_WIDE ? end : begin + MOST_WIDE;
      for (int i = 0; i < SIZE * (int)(stop - begin); i++)
        sums[i / SIZE][i % SIZE] = PASTE(SUM, zero)();
      for (int m = level->start[row]; m < level->start[row + 1]; m++) {
        int column = level->columns[m];
        ENTRY block[SIZE * SIZE];
        const double *values = level->precise + (size_t)(SIZE * SIZE) * (size_t)m;
        for (int i = 0; i < SIZE * SIZE; i++) block[i] = (ENTRY)(scale * values[i]);
        const int *wide = begin;
        for (int k = level->near_start[column]; k < level->near_start[column + 1]; k++) {
          while (wide < stop && *wide < level->near[k]) wide++;
          if (wide == stop || *wide != level->near[k]) continue;
          ADD_TO_SUM(block, level->prolong + (size_t)(SIZE * COARSE) * (size_t)k,
                     sums[wide - begin]);
        }
      }
      float *to = level->product + (size_t)(SIZE * COARSE) * (size_t)(begin - level->wide);
      for (int i = 0; i < SIZE * (int)(stop - begin); i++, to += COARSE)
        PASTE(SUM, store_6)(to, sums[i / SIZE][i % SIZE]);
    }
  }
}

/* to (6x6, column by column) += P_block^T product_block. */
PL_INLINE void add_gathered(const six *P, const float *product, double *to)
{
  for (int c = 0; c < COARSE; c++) {
    six sum = six_load(to + COARSE * c);
    for (int i = 0; i < SIZE; i++)
      sum = six_add(sum, six_scale(P[i], (double)product[COARSE * i + c]));
    six_store(to + COARSE * c, sum);
  }
}

static void gather_rows(const pl_multigrid_level *level, int first, int last,
                        pl_multigrid_level *coarse)
{
  for (int group = first; group < last; group++) {
    size_t begin = (size_t)coarse->start[group], end = (size_t)coarse->start[group + 1];
    memset(coarse->precise + 36 * begin, 0, 36 * (end - begin) * sizeof(double));
    for (int m = level->members.start[group]; m < level->members.start[group + 1]; m++) {
      int row = level->members.row[m];
      six P[SIZE];
      const float *block =
          level->prolong + (size_t)(SIZE * COARSE) * (size_t)level->members.place[m];
      memcpy(level->gathered + (size_t)(SIZE * COARSE) * (size_t)m, block,
             SIZE * COARSE * sizeof *block);
      for (int i = 0; i < SIZE; i++) P[i] = six_load_single(block + COARSE * i);
      const int *column = coarse->columns + coarse->diagonal[group];
      for (int k = level->wide_start[row]; k < level->wide_start[row + 1]; k++) {
        if (level->wide[k] < group) continue;
        column = seek(column, level->wide[k]);
        add_gathered(P, level->product + (size_t)(SIZE * COARSE) * (size_t)k,
                     coarse->precise + 36 * (size_t)(column - coarse->columns));
      }
    }
  }
}

const pl_multigrid_kernel VARIANT(NAME(pl_multigrid_kernel)) = {
    .start = start_rows,
    .sweep = sweep_rows,
    .residual = residual_rows,
    .prolong = prolong_rows,
    .restrict_to = restrict_rows,
    .smooth = smooth_rows,
    .lower = lower_rows,
    .keep = keep_row,
    .multiply = multiply_rows,
    .gather = gather_rows,
};

#undef PLUS
#undef MINUS
#undef TIMES
#undef ALL
#undef LANE
#undef wide_load
#undef wide_store
#undef row_at
#undef block_times
#undef inverse_of
#undef start_rows
#undef product_rows
#undef late_rows
#undef sweep_row
#undef sweep_rows
#undef residual_row
#undef residual_rows
#undef finishing
#undef prolong_rows
#undef restrict_rows
#undef add_product
#undef seek
#undef smooth_rows
#undef add_octet
#undef add_six
#undef lower_row
#undef lower_rows
#undef keep_row
#undef multiply_rows
#undef add_gathered
#undef gather_rows
