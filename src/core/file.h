/* Files: read whole, written whole or not at all. */
#ifndef PL_CORE_FILE_H
#define PL_CORE_FILE_H

#include "pliant/base.h"

#include <stdint.h>

/* A file's content, followed by a zero byte that size does not count. */
typedef struct pl_bytes {
  char *data;
  size_t size;
} pl_bytes;

/* Reads all of path, refusing more than limit bytes (0: 4 GiB). */
pl_status pl_file_read(const pl_allocator *allocator, const char *path, size_t limit,
                       pl_bytes *bytes, pl_error *error);
void pl_bytes_free(const pl_allocator *allocator, pl_bytes *bytes);

/* The size of an open file; folders, pipes, devices and sockets are refused. */
pl_status pl_file_size(int file, const char *path, uint64_t *size, pl_error *error);

/* Writes path through a temporary file beside it, so that path holds the old content or the new
 * one, never a part. */
pl_status pl_file_write(const char *path, const void *data, size_t size, pl_error *error);

/* The same without waiting for the disk: one of many files that a run writes. A program that ends
 * in any way leaves whole files; a machine that loses its power may leave the last ones empty. */
pl_status pl_file_write_frame(const char *path, const void *data, size_t size, pl_error *error);

/* Writes into a file from a place on; place 0 replaces it by a new one, as above. A program that is
 * killed has made the write or not if it lies within one page of 4096 bytes, else maybe a part. */
pl_status pl_file_put(const char *path, uint64_t place, const void *data, size_t size,
                      pl_error *error);
/* Cuts off what stands from a place on, if that can be done. */
void pl_file_cut(const char *path, uint64_t place);

/* A name beside path for a file that is to be renamed to path when it is whole. */
pl_status pl_file_part(const char *path, char *part, size_t size, pl_error *error);

/* Makes a folder and those above it; an existing one is fine. */
pl_status pl_folder_make(const char *path, pl_error *error);

/* Removes the temporary files in a folder that programs left behind which were killed as they
 * wrote: those of pl_file_write whose process is no more on this machine. */
void pl_folder_tidy(const char *path);

/* Joins folder and name into buffer (name alone if it is absolute or folder is empty). */
pl_status pl_path_join(char *buffer, size_t size, const char *folder, const char *name,
                       pl_error *error);
/* The folder part of path, "." if it has none. */
pl_status pl_path_folder(char *buffer, size_t size, const char *path, pl_error *error);
/* The part behind the last dot of the last component, "" if there is none. */
const char *pl_path_extension(const char *path);
/* The last component. */
const char *pl_path_name(const char *path);

#endif
