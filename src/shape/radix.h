/* Sorting of 64-bit keys by counting, digit after digit: stable, linear, no comparisons. */
#ifndef PL_SHAPE_RADIX_H
#define PL_SHAPE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* Sorts keys (and values along with them, if there are any); spare arrays are as long. */
void pl_radix_sort(uint64_t *keys, uint32_t *values, uint64_t *spare_keys, uint32_t *spare_values,
                   size_t count);

#endif
