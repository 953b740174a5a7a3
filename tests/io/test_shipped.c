/* Every example file that we ship, cut off at every byte (large ones at 2000 places) and with its
 * numbers replaced by what no count may be trusted with: a mesh or a sentence, no crash, all memory
 * freed and never more than 64 times the file's size and 1 MiB. How long the slowest one took is
 * printed. */
#include "core/clock.h"
#include "memory.h"

#include <dirent.h>
#include <stdlib.h>

#include "test.h"

enum { MOST_CUTS = 2000, MOST_NUMBERS = 300 };

typedef struct tally {
  int files, reads;
  double slowest; /* s */
  char slowest_file[128];
} tally;

static tally all;

/* One reading of data as a file of that format. */
static void check_harmless(const pl_format_ops *format, const char *name, const char *data,
                           size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_skin *skin = NULL;
  double start = pl_now();
  pl_status status = format->read_surface
                         ? read_surface_memory(format, data, size, &allocator, &skin, &error)
                         : read_memory(format, data, size, &allocator, &mesh, &error);
  double seconds = pl_now() - start;
  int before = test_failures;
  CHECK((status == PL_OK) == (mesh || skin));
  CHECK(status == PL_OK || (error.message[0] && error.code == status));
  pl_mesh_destroy(mesh);
  pl_skin_destroy(skin);
  CHECK(c.blocks == 0);
  CHECK(c.peak <= memory_bound(format, size));
  if (test_failures != before) printf("  in %s, %zu bytes, peak %zu\n", name, size, c.peak);
  all.reads++;
  if (seconds <= all.slowest) return;
  all.slowest = seconds;
  snprintf(all.slowest_file, sizeof all.slowest_file, "%s", name);
}

static void check_cuts(const pl_format_ops *format, const char *name, const pl_bytes *bytes)
{
  size_t step = bytes->size / MOST_CUTS + 1;
  for (size_t size = 0; size <= bytes->size; size += step)
    check_harmless(format, name, bytes->data, size);
}

/* Replaces size bytes at place. */
static void check_replaced(const pl_format_ops *format, const char *name, const pl_bytes *bytes,
                           size_t place, size_t size, const char *text, size_t length)
{
  char *copy = malloc(bytes->size + length);
  memcpy(copy, bytes->data, place);
  memcpy(copy + place, text, length);
  memcpy(copy + place + length, bytes->data + place + size, bytes->size - place - size);
  check_harmless(format, name, copy, bytes->size - size + length);
  free(copy);
}

static void check_numbers(const pl_format_ops *format, const char *name, const pl_bytes *bytes)
{
  static const char *const texts[] = {"-1", "0", "2147483648", "9223372036854775808"};
  static const char blocks[][8] = {{-1, -1, -1, -1, -1, -1, -1, -1},
                                   {0},
                                   {0, 0, 0, -128, 0, 0, 0, 0},
                                   {0, 0, 0, 0, 0, 0, 0, -128}};
  // words of digits, from the front, where counts stand
  int words = 0;
  for (size_t i = 0; i < bytes->size && words < MOST_NUMBERS; i++) {
    size_t size = 0;
    while (i + size < bytes->size && memchr("0123456789.-", bytes->data[i + size], 12)) size++;
    for (size_t k = 0; size && k < 4; k++)
      check_replaced(format, name, bytes, i, size, texts[k], strlen(texts[k]));
    words += size > 0;
    i += size;
  }
  // and the same as bytes
  size_t step = bytes->size / MOST_NUMBERS + 1;
  for (size_t i = 0; i + 8 <= bytes->size; i += step) {
    for (size_t k = 0; k < 4; k++) check_replaced(format, name, bytes, i, 8, blocks[k], 8);
  }
}

static void check_folder(const char *folder, const char *as)
{
  char path[4096];
  pl_allocator allocator = pl_allocator_default();
  DIR *list = opendir(folder);
  CHECK(list);
  for (struct dirent *entry; list && (entry = readdir(list));) {
    const pl_format_ops *format = pl_format_of(as ? as : entry->d_name, NULL);
    pl_bytes bytes;
    if (entry->d_name[0] == '.' || !format) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
    check_cuts(format, entry->d_name, &bytes);
    check_numbers(format, entry->d_name, &bytes);
    all.files++;
    pl_bytes_free(&allocator, &bytes);
  }
  if (list) closedir(list);
}

TEST(shipped_files)
{
  char folder[4096];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(folder, sizeof folder, "%s/tests/io/data", source ? source : ".");
  check_folder(folder, NULL);
  // seeds are in folders of their target's name
  for (int i = 0; pl_format_family.members[i]; i++) {
    const pl_format_ops *format = (const void *)pl_format_family.members[i];
    int length = (int)strcspn(format->extensions, "|");
    char name[32];
    if (!format->read && !format->read_surface) continue;
    snprintf(name, sizeof name, "a.%.*s", length, format->extensions);
    const char *target = strcmp(format->info.name, "tetgen") ? name + 2 : format->info.name;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", source ? source : ".", target);
    check_folder(folder, name);
  }
  printf("  %d files, %d readings, the slowest (%s) %.3f s\n", all.files, all.reads,
         all.slowest_file, all.slowest);
  CHECK(all.files > 100);
}

TESTS(X(shipped_files))
