/* Many worlds over some threads: a chunk is a world, so that who has finished its own helps with
 * those of others. */
#include "core/error.h"
#include "core/memory.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct batch {
  pl_world *const *worlds;
  int steps;
  pl_status *statuses;
  pl_error *errors;
} batch;

static void step_one(void *context, int chunk)
{
  const batch *b = context;
  b->statuses[chunk] = PL_OK;
  for (int i = 0; i < b->steps && !b->statuses[chunk]; i++)
    b->statuses[chunk] = pl_world_step(b->worlds[chunk], &b->errors[chunk]);
}

static int by_address(const void *a, const void *b)
{
  const uintptr_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Is every world there, and once? */
static pl_status check_list(const pl_allocator *allocator, pl_world *const *worlds, int count,
                            pl_error *error)
{
  uintptr_t *sorted = pl_alloc(allocator, (size_t)count, sizeof *sorted);
  pl_status status = sorted ? PL_OK : pl_fail_memory(error);
  for (int i = 0; i < count && !status; i++) {
    sorted[i] = (uintptr_t)worlds[i];
    if (!worlds[i]) status = pl_fail(error, PL_E_ARGUMENT, "world %d of the list is NULL", i);
  }
  if (!status) qsort(sorted, (size_t)count, sizeof *sorted, by_address);
  for (int i = 1; i < count && !status; i++) {
    if (sorted[i] == sorted[i - 1])
      status =
          pl_fail(error, PL_E_ARGUMENT, "a world is in the list a second time; name each once");
  }
  pl_free(allocator, sorted);
  return status;
}

static pl_status run(const pl_allocator *allocator, const batch *b, int count, int threads,
                     pl_error *error)
{
  pl_pool *pool = NULL;
  pl_status status = pl_pool_create(allocator, threads, &pool, error);
  if (status) return status;
  pl_parallel(pool, count, step_one, (void *)b);
  pl_pool_destroy(pool);
  int first = 0;
  while (first < count && !b->statuses[first]) first++;
  if (first < count && error) *error = b->errors[first];
  return first < count ? b->statuses[first] : PL_OK;
}

pl_status pl_worlds_step(pl_world *const *worlds, int count, int steps, int threads,
                         pl_status *statuses, pl_error *errors, pl_error *error)
{
  if (count < 0 || steps < 0 || threads < 0 || (count > 0 && !worlds))
    return pl_fail(error, PL_E_ARGUMENT,
                   "%d worlds, %d steps and %d threads: none may be negative, and there must be a "
                   "list",
                   count, steps, threads);
  const pl_allocator allocator = pl_allocator_default();
  pl_status status = check_list(&allocator, worlds, count, error);
  if (status || !count) return status;
  const size_t all = (size_t)count;
  pl_status *each = statuses ? statuses : pl_alloc(&allocator, all, sizeof *each);
  pl_error *why = errors ? errors : pl_alloc(&allocator, all, sizeof *why);
  const batch b = {worlds, steps, each, why};
  status = each && why ? run(&allocator, &b, count, threads, error) : pl_fail_memory(error);
  if (!statuses) pl_free(&allocator, each);
  if (!errors) pl_free(&allocator, why);
  return status;
}
