/* The reader of OBJ surfaces. */
#include "surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_surface("a.obj", data, size);
}
