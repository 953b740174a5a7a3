/* The reader of .glb surfaces. */
#include "surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_surface("a.glb", data, size);
}
