/* An allocator that counts, refuses and knows what is still in use. */
#ifndef PL_TEST_COUNTER_H
#define PL_TEST_COUNTER_H

#include "pliant/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
  size_t live, peak;           /* bytes */
  long calls, blocks, fail_at; /* fail_at: the number of the call that fails, 0 for none */
} counter;

static void *counter_alloc(void *context, size_t size, size_t align)
{
  counter *c = context;
  if (++c->calls == c->fail_at) return NULL;
  if (size >> 38) return NULL; // where the C library would refuse, a sanitizer ends the program
  // the size is kept in front of the memory
  char *block = aligned_alloc(align, align + (size + align - 1) / align * align);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  c->live += size;
  c->blocks++;
  if (c->live > c->peak) c->peak = c->live;
  return block + align;
}

static void counter_free(void *context, void *memory)
{
  enum { ALIGN = 64 };
  counter *c = context;
  char *block = (char *)memory - ALIGN;
  size_t size;
  memcpy(&size, block, sizeof size);
  c->live -= size;
  c->blocks--;
  free(block);
}

static inline pl_allocator counter_allocator(counter *c)
{
  return (pl_allocator){counter_alloc, counter_free, c};
}

#endif
