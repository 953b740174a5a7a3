/* Recordings, as files: the head is held against the size, states that do not fit are refused. */
#include "place.h"

#include "io/recording.h"
#include "small.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[40];
  int file = fuzz_place(data, size, path);
  pl_recording *recording;
  pl_error error = {0};
  pl_status status = pl_recording_open(path, NULL, &recording, &error);
  if ((status == PL_OK) != (recording != NULL) || (status && !error.message[0])) abort();
  if (!status) {
    pl_world *world = fuzz_world();
    int count = pl_recording_count(recording);
    if (strlen(pl_recording_note(recording)) > size) abort();
    for (int i = 0; i < count && i < 4; i++) {
      error = (pl_error){0};
      status = pl_recording_load(recording, i, world, &error);
      if (status && !error.message[0]) abort();
      if (!status) fuzz_step(world);
    }
    pl_world_destroy(world);
    pl_recording_close(recording);
  }
  close(file);
  return 0;
}
