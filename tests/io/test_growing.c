/* XML files that grow: after any part of any of their writes they can be read, and hold the texts
 * of before or all of them. */
#include "core/file.h"
#include "core/memory.h"
#include "io/growing.h"
#include "io/xml.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tail[] = "</Frames>\n</Root>\n";

/* How many <F n="..."> there are, one after the other from 0 on; -1: not to be read, -2: others. */
static int frames_of(const char *data, size_t size)
{
  pl_xml *document = NULL;
  pl_error error;
  int count = 0;
  if (pl_xml_parse(data, size, "growing", NULL, &document, &error)) return -1;
  const pl_xml_node *node = pl_xml_child(pl_xml_child(pl_xml_root(document), "Frames"), NULL);
  for (; node && count >= 0; node = pl_xml_next(node, NULL)) {
    const char *n = pl_xml_attribute(node, "n");
    count = n && atoi(n) == count ? count + 1 : -2;
  }
  pl_xml_destroy(document);
  return count;
}

/* A frame of about so many bytes, the first with the head of the file. */
static void make_text(pl_text *text, int number, int size)
{
  text->size = 0;
  if (number == 0) pl_text_add(text, "<?xml version=\"1.0\"?>\n<Root>\n<Frames>\n");
  pl_text_add(text, "<F n=\"%d\" of=\"", number);
  for (int i = 0; i < size; i++) pl_text_add(text, "x");
  pl_text_add(text, "\"/>\n");
}

/* The content of a file in memory. */
typedef struct image {
  char data[1 << 18];
  size_t size;
} image;

static void put(image *to, const pl_growing_write *w, size_t size)
{
  memcpy(to->data + w->place, w->data, size);
  if (w->place + size > to->size) to->size = w->place + size;
}

/* A write as the system may cut it: at the end of every page that it lies in. Writes within a page
 * are made or not. */
static void check_cuts(image *file, const pl_growing_write *w, int frames)
{
  uint64_t page = w->place / PL_GROWING_PAGE, last = (w->place + w->size - 1) / PL_GROWING_PAGE;
  static image cut;
  for (page++; page <= last; page++) {
    memcpy(cut.data, file->data, file->size);
    cut.size = file->size;
    put(&cut, w, (size_t)(page * PL_GROWING_PAGE - w->place));
    int seen = frames_of(cut.data, cut.size);
    CHECK(seen == frames);
  }
}

static void grow(int sizes_from, int sizes_by, int count)
{
  static image file;
  pl_growing growing = pl_growing_make(tail, NULL);
  pl_text text = pl_text_make(NULL);
  file.size = 0;
  for (int n = 0; n < count; n++) {
    make_text(&text, n, (sizes_from + n * sizes_by) % 9000);
    CHECK_OK(pl_growing_plan(&growing, text.data, text.size, error));
    CHECK(growing.write_count == (n ? PL_GROWING_WRITES : 1));
    for (int i = 0; i < growing.write_count; i++) {
      const pl_growing_write *w = &growing.writes[i];
      if (n) check_cuts(&file, w, n);
      put(&file, w, w->size);
      CHECK(frames_of(file.data, file.size) == n + (i == growing.write_count - 1));
    }
    growing.end = growing.next_end;
  }
  pl_text_release(&text);
  pl_growing_release(&growing);
}

TEST(readable_after_any_part_of_any_write)
{
  for (int size = 0; size < 40; size++) grow(size, 97 + size, 12);
  grow(4096, 0, 12);
  grow(8100, 0, 12);
  // closing tags at every place around the end of a page
  for (int size = 3900; size < 4100; size++) grow(size, 1, 3);
}

static int frames_in(const char *path)
{
  const pl_allocator allocator = pl_allocator_or_default(NULL);
  pl_bytes bytes;
  pl_error error;
  if (pl_file_read(&allocator, path, 0, &bytes, &error)) return -3;
  int count = frames_of(bytes.data, bytes.size);
  pl_bytes_free(&allocator, &bytes);
  return count;
}

/* As when a disk is full: files may not be larger than this. */
static void limit_files(rlim_t size)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size;
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(a_text_that_cannot_be_written_is_not_there_and_the_next_one_is)
{
  char path[256];
  snprintf(path, sizeof path, "/tmp/pliant-growing-%ld.xml", (long)getpid());
  pl_growing growing = pl_growing_make(tail, NULL);
  pl_text text = pl_text_make(NULL);
  struct stat before, after;
  signal(SIGXFSZ, SIG_IGN);
  for (int n = 0; n < 8; n++) {
    make_text(&text, n, 700 * n);
    if (n) {
      CHECK(stat(path, &before) == 0);
      limit_files((rlim_t)before.st_size + 90 * (rlim_t)n);
      CHECK_FAILS(pl_growing_add(&growing, path, text.data, text.size, error), PL_E_IO, path);
      CHECK(frames_in(path) == n);
      CHECK(stat(path, &after) == 0 && after.st_size == before.st_size);
      limit_files(RLIM_INFINITY);
    }
    CHECK_OK(pl_growing_add(&growing, path, text.data, text.size, error));
    CHECK(frames_in(path) == n + 1);
  }
  signal(SIGXFSZ, SIG_DFL);
  pl_text_release(&text);
  pl_growing_release(&growing);
  unlink(path);
}

TESTS(X(readable_after_any_part_of_any_write)
          X(a_text_that_cannot_be_written_is_not_there_and_the_next_one_is))
