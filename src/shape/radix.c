/* Radix sort from the least digit of 8 bits on; digits that are equal in all keys are skipped. */
#include "shape/radix.h"

#include <string.h>

enum { DIGITS = 8, VALUES = 256 };

/* One pass over a digit; totals become the places where each value begins. */
static void pass(const uint64_t *keys, const uint32_t *values, uint64_t *to_keys,
                 uint32_t *to_values, size_t count, int shift, size_t *totals)
{
  size_t place = 0;
  for (int v = 0; v < VALUES; v++) {
    size_t here = totals[v];
    totals[v] = place;
    place += here;
  }
  for (size_t i = 0; i < count; i++) {
    size_t to = totals[keys[i] >> shift & (VALUES - 1)]++;
    to_keys[to] = keys[i];
    if (values) to_values[to] = values[i];
  }
}

void pl_radix_sort(uint64_t *keys, uint32_t *values, uint64_t *spare_keys, uint32_t *spare_values,
                   size_t count)
{
  size_t totals[DIGITS][VALUES] = {{0}};
  uint64_t *from = keys, *to = spare_keys;
  uint32_t *from_values = values, *to_values = spare_values;
  for (size_t i = 0; i < count; i++) {
    for (int d = 0; d < DIGITS; d++) totals[d][keys[i] >> (8 * d) & (VALUES - 1)]++;
  }
  for (int d = 0; d < DIGITS && count; d++) {
    if (totals[d][keys[0] >> (8 * d) & (VALUES - 1)] == count) continue;
    pass(from, from_values, to, to_values, count, 8 * d, totals[d]);
    uint64_t *k = from;
    uint32_t *v = from_values;
    from = to, from_values = to_values;
    to = k, to_values = v;
  }
  if (from == keys) return;
  memcpy(keys, from, count * sizeof *keys);
  if (values) memcpy(values, from_values, count * sizeof *values);
}
