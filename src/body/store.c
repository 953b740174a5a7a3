/* Numbers on disk, one file per key. A file is
 *
 *   the mark, the key (2 words), the count, count doubles, a hash of these: words of 8 bytes
 *
 * and is taken only if all of it is as it must be; another computers order of bytes changes the
 * mark. Files are written whole or not at all, so that several programs may use one folder; what
 * cannot be read or written is as if it were not there. */
#include "body/store.h"

#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH_ROOM = 4096, HEAD = 4 };

static const uint64_t MARK = UINT64_C(0x3130687374676577);

static int path_of(const pl_store *self, const uint64_t key[2], char path[PATH_ROOM])
{
  int length = snprintf(path, PATH_ROOM, "%s/weights-%016" PRIx64 "%016" PRIx64, self->folder,
                        key[0], key[1]);
  return length > 0 && length < PATH_ROOM;
}

static int load(const pl_store *self, const uint64_t key[2], size_t count, double *out)
{
  char path[PATH_ROOM];
  pl_bytes bytes;
  pl_error error;
  size_t size = 8 * (HEAD + count + 1);
  if (!path_of(self, key, path)) return 0;
  if (pl_file_read(self->allocator, path, size, &bytes, &error)) return 0;
  const uint64_t head[HEAD] = {MARK, key[0], key[1], count};
  const char *numbers = bytes.data + sizeof head;
  uint64_t hash = PL_HASH_START;
  int whole = bytes.size == size && memcmp(bytes.data, head, sizeof head) == 0;
  if (whole) hash = pl_hash_words(hash, numbers, count);
  whole = whole && memcmp(numbers + 8 * count, &hash, 8) == 0;
  if (whole) memcpy(out, numbers, 8 * count);
  pl_bytes_free(self->allocator, &bytes);
  return whole;
}

static void save(const pl_store *self, const uint64_t key[2], size_t count, const double *numbers)
{
  char path[PATH_ROOM];
  pl_error error;
  const uint64_t head[HEAD] = {MARK, key[0], key[1], count};
  uint64_t hash = pl_hash_words(PL_HASH_START, numbers, count);
  char *data = pl_alloc(self->allocator, HEAD + count + 1, 8);
  if (!data) return;
  memcpy(data, head, sizeof head);
  memcpy(data + sizeof head, numbers, 8 * count);
  memcpy(data + sizeof head + 8 * count, &hash, 8);
  if (path_of(self, key, path) && !pl_folder_make(self->folder, &error))
    (void)pl_file_write(path, data, 8 * (HEAD + count + 1), &error);
  pl_free(self->allocator, data);
}

pl_store pl_store_make(const pl_allocator *allocator, const char *folder)
{
  return (pl_store){load, save, allocator, folder};
}
