/* The reader of .glb surfaces, and of the picture that a file carries. */
#include "surface.h"

#include "io/glb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes of the picture lie inside the file. */
static void find_picture(const uint8_t *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  char *copy = malloc(size + 1);
  const char *image;
  size_t bytes;
  pl_error error = {0};
  if (!copy) return;
  memcpy(copy, data, size);
  copy[size] = 0;
  pl_source source = {.file = {copy, size}, .path = "a.glb", .allocator = &allocator};
  pl_status status = pl_glb_image(&source, &image, &bytes, &error);
  if (status && !error.message[0]) abort();
  if (!status && bytes && (image < copy || image + bytes > copy + size)) abort();
  free(copy);
  if (c.blocks) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  find_picture(data, size);
  return fuzz_surface("a.glb", data, size);
}
