/* Studies, as files. Of the scene that they name the bytes are hashed, if it is there. */
#include "place.h"

#include "../counter.h"
#include "scene/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[40];
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  int file = fuzz_place(data, size, path);
  pl_study *study = NULL;
  pl_error error = {0};
  pl_status status = pl_study_load(&allocator, path, 0, &study, &error);
  if ((status == PL_OK) != (study != NULL) || (status && !error.message[0])) abort();
  if (study) {
    int options[PL_MOST_AXES], cases = pl_study_cases(study);
    if (cases < 1 || cases > PL_MOST_CASES) abort();
    pl_study_case(study, cases - 1, options);
    for (int a = 0; a < study->axis_count; a++) {
      if (options[a] != study->axes[a].option_count - 1) abort();
    }
    pl_study_destroy(study);
  }
  if (c.blocks) abort();
  close(file);
  return 0;
}
