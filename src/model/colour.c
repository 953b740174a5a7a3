/* Greedy colouring: each chunk takes, of the colours that none of its nodes has seen, the one with
 * the fewest chunks, which keeps the colours of even size. */
#include "model/colour.h"

#include "core/error.h"
#include "core/memory.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

/* Colours that a node can remember; chunks that find none free get a colour of their own. */
enum { MOST_SHARED = 64 };

/* The free shared colour of the fewest chunks, a new one, or -1 if all are taken. */
static int pick_colour(uint64_t taken, const int *sizes, int shared)
{
  int best = -1;
  for (int c = 0; c < shared; c++) {
    if (!(taken >> c & 1) && (best < 0 || sizes[c] < sizes[best])) best = c;
  }
  if (best < 0 && shared < MOST_SHARED) best = shared;
  return best;
}

/* The element at a place, or -1. */
static int element_at(const pl_chunks *of, int place)
{
  return of->order ? of->order[place] : place < of->count ? place : -1;
}

/* All colours that nodes of a chunk have seen. */
static uint64_t seen_by(const pl_chunks *of, int chunk, const uint64_t *seen)
{
  uint64_t taken = 0;
  for (int place = of->starts[chunk]; place < of->starts[chunk + 1]; place++) {
    int element = element_at(of, place);
    const int *nodes = of->elements + (ptrdiff_t)of->size * element;
    for (int a = 0; element >= 0 && a < of->size; a++) taken |= seen[nodes[a]];
  }
  return taken;
}

/* Lets all nodes of a chunk see a colour. */
static void mark(const pl_chunks *of, int chunk, uint64_t colour, uint64_t *seen)
{
  for (int place = of->starts[chunk]; place < of->starts[chunk + 1]; place++) {
    int element = element_at(of, place);
    const int *nodes = of->elements + (ptrdiff_t)of->size * element;
    for (int a = 0; element >= 0 && a < of->size; a++) seen[nodes[a]] |= colour;
  }
}

/* Gives every chunk a colour and returns how many there are. Colours from MOST_SHARED on, of one
 * chunk each, are numbered down from -1 until all shared ones are known. */
static int colour_chunks(const pl_chunks *of, uint64_t *seen, int *colour)
{
  int sizes[MOST_SHARED] = {0}, shared = 0, alone = 0;
  for (int chunk = 0; chunk < of->chunks; chunk++) {
    int best = pick_colour(seen_by(of, chunk, seen), sizes, shared);
    if (best < 0) {
      colour[chunk] = -++alone;
      continue;
    }
    if (best == shared) shared++;
    sizes[best]++;
    mark(of, chunk, UINT64_C(1) << best, seen);
    colour[chunk] = best;
  }
  for (int chunk = 0; chunk < of->chunks; chunk++) {
    if (colour[chunk] < 0) colour[chunk] = shared - 1 - colour[chunk];
  }
  return shared + alone;
}

/* Sorts the chunks by colour: start[c + 2] counts, then start[c + 1] is where c's next one goes. */
static void sort_chunks(const int *colour, pl_colours *to)
{
  for (int i = 0; i < to->chunks; i++) to->start[colour[i] + 2]++;
  for (int c = 0; c < to->count; c++) to->start[c + 2] += to->start[c + 1];
  for (int i = 0; i < to->chunks; i++) to->list[to->start[colour[i] + 1]++] = i;
}

/* ---- what waits for what ---- */

/* For each node 1 + the chunk that is the last to add to it so far, and for each chunk 1 + the last
 * one that was found to wait for it. */
typedef struct trail {
  int *last1, *found1;
} trail;

/* The chunks that a chunk waits for go to `to`, if that is not NULL; how many. Who waits for the
 * last at a node waits for all there, since each has waited for the one before. */
static int follow(const pl_chunks *of, int chunk, const trail *t, int *to)
{
  int count = 0;
  for (int place = of->starts[chunk]; place < of->starts[chunk + 1]; place++) {
    int element = element_at(of, place);
    const int *nodes = of->elements + (ptrdiff_t)of->size * element;
    for (int a = 0; element >= 0 && a < of->size; a++) {
      int before = t->last1[nodes[a]] - 1;
      t->last1[nodes[a]] = chunk + 1;
      if (before < 0 || before == chunk || t->found1[before] == chunk + 1) continue;
      t->found1[before] = chunk + 1;
      if (to) to[count] = before;
      count++;
    }
  }
  return count;
}

/* Chunks in the order of colours: first how many each waits for, then which. */
static void follow_all(const pl_chunks *of, int node_count, pl_colours *c, const trail *t)
{
  for (int n = 0; n < node_count; n++) t->last1[n] = 0;
  for (int i = 0; i < c->chunks; i++) t->found1[i] = 0;
  for (int i = 0; i < c->chunks; i++) {
    int chunk = c->list[i], *to = c->before ? c->before + c->before_start[chunk] : NULL;
    int count = follow(of, chunk, t, to);
    if (!to) c->before_start[chunk + 1] = count;
  }
}

static int find_order(const pl_allocator *allocator, int node_count, const pl_chunks *of,
                      pl_colours *c)
{
  trail t = {pl_alloc(allocator, (size_t)node_count, sizeof *t.last1),
             pl_alloc(allocator, (size_t)c->chunks, sizeof *t.found1)};
  int ok = t.last1 && t.found1;
  if (ok) {
    follow_all(of, node_count, c, &t);
    for (int i = 0; i < c->chunks; i++) c->before_start[i + 1] += c->before_start[i];
    c->before = pl_alloc(allocator, (size_t)c->before_start[c->chunks] + 1, sizeof *c->before);
    ok = c->before != NULL;
  }
  if (ok) follow_all(of, node_count, c, &t);
  pl_free(allocator, t.last1);
  pl_free(allocator, t.found1);
  return ok;
}

static int reach_of(const pl_colours *c)
{
  int reach = 0;
  for (int chunk = 0; chunk < c->chunks; chunk++) {
    for (int k = c->before_start[chunk]; k < c->before_start[chunk + 1]; k++) {
      int distance = abs(chunk - c->before[k]);
      if (distance > reach) reach = distance;
    }
  }
  return reach;
}

/* Who takes which chunks, for so many threads: those of one thread stand together. */
struct pl_colour_runs {
  int threads;
  unsigned round;
  int order[];
};

pl_status pl_colours_create(const pl_allocator *allocator, int node_count, const pl_chunks *of,
                            pl_colours *colours, pl_error *error)
{
  size_t chunks = (size_t)of->chunks;
  *colours = (pl_colours){.chunks = of->chunks};
  uint64_t *seen = pl_alloc(allocator, (size_t)node_count, sizeof *seen);
  colours->colour = pl_alloc(allocator, chunks, sizeof *colours->colour);
  colours->start = pl_alloc(allocator, chunks + 2, sizeof *colours->start);
  colours->list = pl_alloc(allocator, chunks, sizeof *colours->list);
  colours->before_start = pl_alloc(allocator, chunks + 1, sizeof *colours->before_start);
  colours->done = pl_alloc(allocator, chunks + 1, sizeof *colours->done);
  colours->runs =
      pl_alloc(allocator, 1, sizeof *colours->runs + chunks * sizeof *colours->runs->order);
  int ok = seen && colours->colour && colours->start && colours->list && colours->before_start &&
           colours->done && colours->runs;
  if (ok) {
    colours->count = colour_chunks(of, seen, colours->colour);
    sort_chunks(colours->colour, colours);
    ok = find_order(allocator, node_count, of, colours);
  }
  if (ok) colours->reach = reach_of(colours);
  pl_free(allocator, seen);
  if (ok) return PL_OK;
  pl_colours_destroy(allocator, colours);
  return pl_fail_memory(error);
}

void pl_colours_destroy(const pl_allocator *allocator, pl_colours *colours)
{
  pl_free(allocator, colours->start);
  pl_free(allocator, colours->list);
  pl_free(allocator, colours->colour);
  pl_free(allocator, colours->before_start);
  pl_free(allocator, colours->before);
  pl_free(allocator, colours->done);
  pl_free(allocator, colours->runs);
  *colours = (pl_colours){0};
}

/* ---- a round over all chunks ---- */

/* The chunks of a thread, [first, last): chunk i of colour c has its turn at g(i) + reach c, where
 * g counts the chunks from the first on, or, for every second thread, from the last on. Chunks that
 * wait for each other differ by one colour at least and by reach in g at most, across the border
 * between two threads as well: so turns, and at the same turn colours, are an order in which no
 * chunk comes before one that it waits for, and that all threads go by. On both sides of a border
 * the turn comes at the same time. A reach beyond the run makes it the order of colours. */
static int *deal_run(const pl_colours *of, int first, int last, int backwards, int reach, int *to)
{
  int count = last - first, turns = count + reach * (of->count - 1);
  for (int turn = 0; turn < turns; turn++) {
    for (int c = 0; c < of->count && reach * c <= turn; c++) {
      int g = turn - reach * c, chunk = backwards ? last - 1 - g : first + g;
      if (g < count && of->colour[chunk] == c) *to++ = chunk;
    }
  }
  return to;
}

/* As the pool deals chunks out to threads. */
static void deal(const pl_colours *of, int threads)
{
  int *to = of->runs->order, longest = pl_chunk_count(of->chunks, threads);
  int reach = of->reach < longest ? of->reach : longest;
  for (int t = 0; t < threads; t++) {
    int first = (int)((int64_t)of->chunks * t / threads);
    int last = (int)((int64_t)of->chunks * (t + 1) / threads);
    to = deal_run(of, first, last, t % 2, reach, to);
  }
  of->runs->threads = threads;
}

typedef struct round_job {
  const pl_colours *of;
  void (*work)(void *context, int chunk);
  void *context;
  unsigned round;
} round_job;

/* Rounds of waiting, with a pause of some nanoseconds each: longer than a chunk takes. */
enum { SPINS = 1000 };

/* The first chunk in the order of turns that is not done waits for none, and the thread that has it
 * comes to it: chunks before it in its run are before it in that order. */
static void wait_for(const atomic_uint *done, unsigned round)
{
  for (int spins = 0; atomic_load_explicit(done, memory_order_acquire) != round; spins++) {
    if (spins < SPINS)
      pl_pause();
    else
      sched_yield();
  }
}

static void run_chunk(void *context, int place)
{
  const round_job *job = context;
  const pl_colours *of = job->of;
  int chunk = of->runs->order[place];
  for (int k = of->before_start[chunk]; k < of->before_start[chunk + 1]; k++)
    wait_for(&of->done[of->before[k]], job->round);
  job->work(job->context, chunk);
  atomic_store_explicit(&of->done[chunk], job->round, memory_order_release);
}

void pl_colours_run(const pl_colours *colours, pl_pool *pool,
                    void (*work)(void *context, int chunk), void *context)
{
  if (colours->runs->threads != pl_pool_threads(pool)) deal(colours, pl_pool_threads(pool));
  round_job job = {colours, work, context, ++colours->runs->round};
  pl_parallel(pool, colours->chunks, run_chunk, &job);
}
