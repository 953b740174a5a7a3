/* States of a world from memory, as checkpoints bring them: whatever does not fit is refused and
 * leaves the world as it was. */
#include "small.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pl_world *world = fuzz_world();
  uint64_t before = pl_world_state_hash(world);
  pl_error error = {0};
  // the state's place must be aligned as the world's own
  void *copy = aligned_alloc(64, (size + 64) / 64 * 64);
  if (!copy) abort();
  if (size) memcpy(copy, data, size);
  pl_status status = pl_world_load_state(world, copy, size, &error);
  if (status && (!error.message[0] || pl_world_state_hash(world) != before)) abort();
  if (!status) fuzz_step(world);
  free(copy);
  pl_world_destroy(world);
  return 0;
}
