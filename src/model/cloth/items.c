/* Triangles and hinges in batches and chunks. */
#include "model/cloth/items.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

enum { CHUNK = 16 }; /* batches in a chunk */

/* Places of an item. */
static size_t place_count(const pl_cloth_items *items)
{
  const size_t n = (size_t)items->size;
  return items->whole ? n * n : n * (n - 1) / 2;
}

pl_status pl_cloth_items_create(const pl_allocator *allocator, int count, int size, int lanes,
                                int whole, pl_cloth_items *items, pl_error *error)
{
  int batches = pl_chunk_count(count, PL_LANES), chunks = pl_chunk_count(batches, CHUNK);
  size_t all = (size_t)batches * PL_LANES, n = (size_t)size;
  *items = (pl_cloth_items){
      .count = count, .size = size, .batches = batches, .lanes = lanes, .whole = whole};
  items->list = pl_alloc(allocator, all * n, sizeof *items->list);
  items->nodes = pl_alloc(allocator, all * n, sizeof *items->nodes);
  items->places = pl_alloc(allocator, all * place_count(items), sizeof *items->places);
  items->data = pl_alloc(allocator, (size_t)batches * (size_t)lanes, sizeof *items->data);
  items->starts = pl_alloc(allocator, (size_t)chunks + 1, sizeof *items->starts);
  items->sums = pl_alloc(allocator, (size_t)chunks + 1, sizeof *items->sums);
  int ok =
      items->list && items->nodes && items->places && items->data && items->starts && items->sums;
  for (int c = 0; c <= chunks && ok; c++) items->starts[c] = c < chunks ? CHUNK * c : batches;
  return ok ? PL_OK : pl_fail_memory(error);
}

void pl_cloth_items_destroy(const pl_allocator *allocator, pl_cloth_items *items)
{
  void *arrays[] = {items->list, items->nodes,  items->places,
                    items->data, items->starts, items->sums};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  pl_colours_destroy(allocator, &items->colours);
}

void pl_cloth_items_set(pl_cloth_items *items, int item, const int *nodes, const double *data)
{
  size_t batch = (size_t)(item / PL_LANES), n = (size_t)items->size;
  int lane = item % PL_LANES;
  memcpy(items->list + n * (size_t)item, nodes, n * sizeof *nodes);
  for (size_t a = 0; a < n; a++) items->nodes[(batch * n + a) * PL_LANES + (size_t)lane] = nodes[a];
  for (int i = 0; i < items->lanes; i++)
    items->data[batch * (size_t)items->lanes + (size_t)i][lane] = data[i];
}

/* The last item once more, without stiffness. */
static void fill_up(pl_cloth_items *items, int first, int count)
{
  for (int item = items->count; item < PL_LANES * items->batches; item++) {
    double data[32];
    int last = items->count - 1, nodes[4];
    memcpy(nodes, items->list + items->size * last, (size_t)items->size * sizeof *nodes);
    for (int i = 0; i < items->lanes; i++) {
      double value = items->data[last / PL_LANES * items->lanes + i][last % PL_LANES];
      data[i] = i >= first && i < first + count ? 0 : value;
    }
    pl_cloth_items_set(items, item, nodes, data);
  }
}

pl_status pl_cloth_items_finish(const pl_allocator *allocator, int node_count, int first, int count,
                                pl_cloth_items *items, pl_error *error)
{
  int chunks = pl_chunk_count(items->batches, CHUNK);
  int *starts = pl_alloc(allocator, (size_t)chunks + 1, sizeof *starts);
  if (!starts) return pl_fail_memory(error);
  fill_up(items, first, count);
  for (int c = 0; c <= chunks; c++) starts[c] = PL_LANES * items->starts[c];
  const pl_chunks of = {.elements = items->list,
                        .size = items->size,
                        .count = items->count,
                        .chunks = chunks,
                        .starts = starts};
  pl_status status = pl_colours_create(allocator, node_count, &of, &items->colours, error);
  pl_free(allocator, starts);
  return status;
}

/* The place of a pair of nodes, or of the pair that stands right of the diagonal. */
static pl_status find_place(const pl_cloth_items *items, const pl_bsr *A, int offset,
                            const int nodes[2], int *place, pl_error *error)
{
  const int across = !items->whole && nodes[0] > nodes[1];
  pl_status status = pl_bsr_place(A, offset, nodes[across], nodes[!across], place, error);
  if (across) *place = -1 - *place;
  return status;
}

pl_status pl_cloth_items_bind(pl_cloth_items *items, const pl_bsr *A, int offset, pl_error *error)
{
  const int n = items->size;
  int *place = items->places;
  for (int batch = 0; batch < items->batches; batch++) {
    const int *nodes = items->nodes + PL_LANES * n * batch;
    for (int pair = 0; pair < n * n; pair++) {
      const int a = pair / n, b = pair % n;
      for (int lane = 0; lane < PL_LANES && (items->whole || a < b); lane++) {
        const int ends[2] = {nodes[PL_LANES * a + lane], nodes[PL_LANES * b + lane]};
        pl_status status = find_place(items, A, offset, ends, place++, error);
        if (status) return status;
      }
    }
  }
  return PL_OK;
}

typedef struct sweep {
  pl_cloth_job *job;
  pl_cloth_pass *pass;
} sweep;

static void run_chunk(void *context, int chunk)
{
  const sweep *now = context;
  const pl_cloth_items *items = now->job->items;
  items->sums[chunk] = now->pass(now->job, items->starts[chunk], items->starts[chunk + 1]);
}

double pl_cloth_items_run(pl_cloth_job *job, const pl_cloth_items *items, pl_cloth_pass *pass,
                          pl_pool *pool)
{
  const pl_colours *colours = &items->colours;
  double sum = 0;
  job->items = items;
  sweep now = {job, pass};
  pl_colours_run(colours, pool, run_chunk, &now);
  for (int chunk = 0; chunk < colours->chunks && job->wants_energy; chunk++)
    sum += items->sums[chunk];
  return sum;
}
