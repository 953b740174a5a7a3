/* Files through the C library and POSIX; every failure names the path and the reason. */
#include "core/file.h"

#include "core/error.h"
#include "core/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static pl_status fail_errno(pl_error *error, const char *path, const char *what)
{
  return pl_fail_at(error, PL_E_IO, path, 0, "%s: %s", what, strerror(errno));
}

static ssize_t read_some(int file, char *data, size_t size)
{
  ssize_t count;
  do count = read(file, data, size);
  while (count < 0 && errno == EINTR);
  return count;
}

/* Reads to the end of the file, whether or not its size was known in advance. */
static pl_status read_all(const pl_allocator *allocator, int file, const char *path, size_t limit,
                          size_t hint, pl_bytes *bytes, pl_error *error)
{
  void *data = NULL;
  size_t capacity = 0, size = 0;
  pl_status status = PL_OK;
  for (;;) {
    size_t wanted = size == 0 ? hint + 2 : size + 65536;
    if (wanted > capacity) status = pl_reserve(allocator, &data, &capacity, wanted, 1);
    if (status) {
      status = pl_fail_memory(error);
      break;
    }
    ssize_t count = read_some(file, (char *)data + size, capacity - size - 1);
    if (count < 0) status = fail_errno(error, path, "cannot be read");
    if (count <= 0) break;
    size += (size_t)count;
    if (size > limit) {
      status =
          pl_fail_at(error, PL_E_LIMIT, path, 0, "is larger than the limit of %zu bytes", limit);
      break;
    }
  }
  if (status) {
    pl_free(allocator, data);
    return status;
  }
  ((char *)data)[size] = 0;
  *bytes = (pl_bytes){data, size};
  return PL_OK;
}

/* The standard input and what a shell hands over may be pipes. */
static int may_be_pipe(const char *path)
{
  return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

pl_status pl_file_size(int file, const char *path, uint64_t *size, pl_error *error)
{
  struct stat facts;
  *size = 0;
  if (fstat(file, &facts)) return fail_errno(error, path, "cannot be read");
  // a folder opens but cannot be read
  if (S_ISDIR(facts.st_mode))
    return pl_fail_at(error, PL_E_IO, path, 0, "is a folder; a file is needed");
  if (!S_ISREG(facts.st_mode))
    return pl_fail_at(error, PL_E_IO, path, 0,
                      "is a pipe, a device or a socket; a file is needed (or -, /dev/stdin)");
  *size = (uint64_t)facts.st_size;
  return PL_OK;
}

pl_status pl_file_read(const pl_allocator *allocator, const char *path, size_t limit,
                       pl_bytes *bytes, pl_error *error)
{
  if (!limit) limit = (size_t)2 << (sizeof limit > 4 ? 31 : 30);
  *bytes = (pl_bytes){0};
  int is_pipe = may_be_pipe(path);
  // a named pipe must not let us wait for somebody who writes
  int file = open(path, O_RDONLY | O_CLOEXEC | (is_pipe ? 0 : O_NONBLOCK));
  if (file < 0) return fail_errno(error, path, "cannot be opened");

  // a size beyond the limit is refused before any memory is used; that of a pipe is not known
  uint64_t size = 0;
  pl_status status = is_pipe ? PL_OK : pl_file_size(file, path, &size, error);
  if (!status && size > limit)
    status = pl_fail_at(error, PL_E_LIMIT, path, 0, "is larger than the limit of %zu bytes", limit);
  if (!status) status = read_all(allocator, file, path, limit, (size_t)size, bytes, error);
  close(file);
  return status;
}

void pl_bytes_free(const pl_allocator *allocator, pl_bytes *bytes)
{
  pl_free(allocator, bytes->data);
  *bytes = (pl_bytes){0};
}

static int write_all(int file, const char *data, size_t size)
{
  while (size) {
    ssize_t count = write(file, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    data += count;
    size -= (size_t)count;
  }
  return 0;
}

pl_status pl_file_part(const char *path, char *part, size_t size, pl_error *error)
{
  // its own name for every program and every thread that is in here
  int length =
      snprintf(part, size, "%s.%ld-%" PRIxPTR ".part", path, (long)getpid(), (uintptr_t)part);
  if (length < 0 || (size_t)length >= size)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "the path is too long");
  return PL_OK;
}

static pl_status write_file(const char *path, const void *data, size_t size, int synced,
                            pl_error *error)
{
  char temporary[PATH_ROOM];
  pl_status status = pl_file_part(path, temporary, sizeof temporary, error);
  if (status) return status;
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return fail_errno(error, path, "cannot be written");
  if (write_all(file, data, size) || (synced && fsync(file)))
    status = fail_errno(error, path, "cannot be written");
  if (close(file) && !status) status = fail_errno(error, path, "cannot be written");
  if (!status && rename(temporary, path)) status = fail_errno(error, path, "cannot be written");
  if (status) unlink(temporary);
  return status;
}

pl_status pl_file_put(const char *path, uint64_t place, const void *data, size_t size,
                      pl_error *error)
{
  // a new file appears whole, however soon the process is killed
  if (place == 0) return write_file(path, data, size, 0, error);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return fail_errno(error, path, "cannot be written");
  pl_status status = PL_OK;
  if (lseek(file, (off_t)place, SEEK_SET) < 0 || write_all(file, data, size))
    status = fail_errno(error, path, "cannot be written");
  if (close(file) && !status) status = fail_errno(error, path, "cannot be written");
  return status;
}

void pl_file_cut(const char *path, uint64_t place)
{
  // what cannot be cut off stays, and does no more harm than it did
  if (truncate(path, (off_t)place)) return;
}

pl_status pl_file_write(const char *path, const void *data, size_t size, pl_error *error)
{
  return write_file(path, data, size, 1, error);
}

pl_status pl_file_write_frame(const char *path, const void *data, size_t size, pl_error *error)
{
  return write_file(path, data, size, 0, error);
}

pl_status pl_folder_make(const char *path, pl_error *error)
{
  char part[PATH_ROOM];
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof part)
    return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" is not a usable folder name", path);
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != 0) continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (mkdir(part, 0777) && errno != EEXIST) return fail_errno(error, path, "cannot be made");
  }
  struct stat facts;
  if (stat(path, &facts)) return fail_errno(error, path, "cannot be made");
  if (!S_ISDIR(facts.st_mode))
    return pl_fail_at(error, PL_E_IO, path, 0, "is a file; a folder is needed");
  return PL_OK;
}

/* The process in a name of write_file, NAME.PROCESS-HEX.part; 0: it is another kind of name. */
static long writer_of(const char *name)
{
  const char *end = strrchr(name, '.'), *at = end;
  if (!end || strcmp(end, ".part") != 0) return 0;
  while (at > name && isxdigit((unsigned char)at[-1])) at--;
  if (at == end || at == name || at[-1] != '-') return 0;
  const char *dash = --at;
  while (at > name && isdigit((unsigned char)at[-1])) at--;
  if (at == dash || at == name || at[-1] != '.' || dash - at > 9) return 0;
  return strtol(at, NULL, 10);
}

void pl_folder_tidy(const char *path)
{
  DIR *list = opendir(path);
  for (const struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
    long writer = writer_of(entry->d_name);
    char name[PATH_ROOM];
    if (writer <= 0 || kill((pid_t)writer, 0) == 0 || errno != ESRCH) continue;
    if (!pl_path_join(name, sizeof name, path, entry->d_name, NULL)) unlink(name);
  }
  if (list) closedir(list);
}

pl_status pl_path_join(char *buffer, size_t size, const char *folder, const char *name,
                       pl_error *error)
{
  int alone = name[0] == '/' || !folder || !folder[0];
  int length =
      alone ? snprintf(buffer, size, "%s", name) : snprintf(buffer, size, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= size)
    return pl_fail_at(error, PL_E_LIMIT, name, 0, "the path is too long");
  return PL_OK;
}

pl_status pl_path_folder(char *buffer, size_t size, const char *path, pl_error *error)
{
  // what comes through a pipe lies where the program was called
  const char *slash = may_be_pipe(path) ? NULL : strrchr(path, '/');
  size_t length = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  if (length >= size) return pl_fail_at(error, PL_E_LIMIT, path, 0, "the path is too long");
  memcpy(buffer, slash ? path : ".", length);
  buffer[length] = 0;
  return PL_OK;
}

const char *pl_path_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *pl_path_extension(const char *path)
{
  const char *dot = strrchr(pl_path_name(path), '.');
  return dot ? dot + 1 : "";
}
