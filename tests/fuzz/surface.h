/* The body of every surface reader's fuzz target: no crash, no leak, no more memory than the input
 * justifies, and what is accepted can be asked where its inside is. */
#ifndef PL_FUZZ_SURFACE_H
#define PL_FUZZ_SURFACE_H

#include "../io/memory.h"

static inline int fuzz_surface(const char *path, const uint8_t *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  const pl_format_ops *format = pl_format_of(path, NULL);
  pl_skin *skin;
  pl_error error = {0};
  pl_status status =
      read_surface_memory(format, (const char *)data, size, &allocator, &skin, &error);
  if (!status) {
    for (int i = 0; i < 3 * skin->triangle_count; i++) {
      if (skin->triangles[i] < 0 || skin->triangles[i] >= skin->point_count) abort();
    }
    pl_skin_value(skin, (double[]){0.1, 0.2, 0.3});
    pl_skin_crossings(skin);
    pl_skin_destroy(skin);
  } else if (!error.message[0] || skin) {
    abort();
  }
  if (c.blocks || c.peak > memory_bound(format, size)) abort();
  return 0;
}

#endif
