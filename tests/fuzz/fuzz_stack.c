/* The readers of image stacks. */
#include "../io/memory.h"
#include "io/voxels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_voxels image;
  pl_error error = {0};
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  pl_status status = pl_voxels_parse("a.nrrd", text, size, &allocator, &image, &error);
  if (!status) {
    size_t count = (size_t)image.size[0] * (size_t)image.size[1] * (size_t)image.size[2];
    for (size_t i = 0; i < count; i++) {
      if (image.values[i] != image.values[i]) abort();
    }
    // a value takes at least a byte of the file
    if (c.peak > 16 * size + 1024) abort();
    pl_voxels_release(&allocator, &image);
  } else if (!error.message[0] || image.values) {
    abort();
  }
  if (c.blocks) abort();
  free(text);
  return 0;
}
