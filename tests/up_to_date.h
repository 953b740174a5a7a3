/* Pages that are made by a test and stand in the source tree. */
#ifndef PL_TESTS_UP_TO_DATE_H
#define PL_TESTS_UP_TO_DATE_H

#include "core/file.h"
#include "core/text.h"

#include "test.h"

/* The text is what the file of the source tree holds; with PLIANT_UPDATE it becomes that. */
static inline void test_up_to_date(const char *name, const pl_text *text, const char *test)
{
  const char *source = getenv("PLIANT_SOURCE");
  char path[1024];
  CHECK_OK(pl_text_ok(text, error));
  CHECK_OK(pl_path_join(path, sizeof path, source ? source : ".", name, error));
  if (getenv("PLIANT_UPDATE")) CHECK_OK(pl_file_write(path, text->data, text->size, error));
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
  int same = bytes.data && bytes.size == text->size && !memcmp(bytes.data, text->data, bytes.size);
  if (!same)
    printf("  %s is out of date; run: PLIANT_UPDATE=1 ctest --test-dir build/release -R %s\n", name,
           test);
  CHECK(same);
  pl_bytes_free(&allocator, &bytes);
}

#endif
