/* Arrays from the caller's allocator: aligned for SIMD, zeroed, sizes checked for overflow. */
#ifndef PL_CORE_MEMORY_H
#define PL_CORE_MEMORY_H

#include "pliant/base.h"

enum { PL_ALIGNMENT = 64 };

/* count elements of size bytes, zeroed; NULL if that overflows or there is no memory.
 * A count of zero gives a valid pointer. */
void *pl_alloc(const pl_allocator *allocator, size_t count, size_t size);
void pl_free(const pl_allocator *allocator, void *memory);

/* Makes room for at least needed elements in a growing array; *array and *capacity are left
 * as they were on failure. */
pl_status pl_reserve(const pl_allocator *allocator, void **array, size_t *capacity, size_t needed,
                     size_t size);

/* The allocator to use where the caller may pass NULL. */
pl_allocator pl_allocator_or_default(const pl_allocator *allocator);

/* Bytes of memory that the machine has; infinite where that is unknown. */
double pl_machine_memory(void);

/* A copy of text from the allocator, NULL if there is no memory. */
char *pl_strdup(const pl_allocator *allocator, const char *text);

#endif
