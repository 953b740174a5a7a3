/* The reader of TetGen files: .node, the byte 1, .ele. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_reader("a.node", data, size);
}
