/* Memory comes from the allocator that the caller handed in. */
#define _DEFAULT_SOURCE // madvise
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arrays of many megabytes stand on pages of 2 MiB where the system has them: a stream then finds
 * the next page at once, and blocks all over a matrix are reached without a walk through tables. */
static const size_t large_page = (size_t)1 << 21;

static void *large_alloc(size_t size)
{
  if (size > SIZE_MAX - large_page) return NULL;
  size_t whole = (size + large_page - 1) / large_page * large_page;
  void *memory = aligned_alloc(large_page, whole);
#ifdef MADV_HUGEPAGE
  if (memory) madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

static void *default_alloc(void *context, size_t size, size_t align)
{
  (void)context;
  if (size >= 2 * large_page && align <= large_page) return large_alloc(size);
  if (size > SIZE_MAX - align) return NULL;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void default_free(void *context, void *memory)
{
  (void)context;
  free(memory);
}

pl_allocator pl_allocator_default(void)
{
  return (pl_allocator){.alloc = default_alloc, .free = default_free};
}

pl_allocator pl_allocator_or_default(const pl_allocator *allocator)
{
  return allocator && allocator->alloc ? *allocator : pl_allocator_default();
}

void *pl_alloc(const pl_allocator *allocator, size_t count, size_t size)
{
  if (size && count > SIZE_MAX / 2 / size) return NULL;
  size_t bytes = count * size;
  if (bytes == 0) bytes = 1;
  void *memory = allocator->alloc(allocator->context, bytes, PL_ALIGNMENT);
  if (memory) memset(memory, 0, bytes);
  return memory;
}

void pl_free(const pl_allocator *allocator, void *memory)
{
  if (memory) allocator->free(allocator->context, memory);
}

pl_status pl_reserve(const pl_allocator *allocator, void **array, size_t *capacity, size_t needed,
                     size_t size)
{
  if (needed <= *capacity) return PL_OK;
  size_t room = *capacity + *capacity / 2 + 16;
  if (room < needed) room = needed;
  void *larger = pl_alloc(allocator, room, size);
  if (!larger) return PL_E_MEMORY;
  if (*array) memcpy(larger, *array, *capacity * size);
  pl_free(allocator, *array);
  *array = larger;
  *capacity = room;
  return PL_OK;
}

char *pl_strdup(const pl_allocator *allocator, const char *text)
{
  size_t length = strlen(text) + 1;
  char *copy = pl_alloc(allocator, length, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

double pl_machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return (double)pages * (double)size;
#endif
  return INFINITY;
}
