/* Bytes as a file that has a path and no place on the disk. */
#ifndef PL_FUZZ_PLACE_H
#define PL_FUZZ_PLACE_H

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Fills path[40]; returns what is to be closed. */
static inline int fuzz_place(const uint8_t *data, size_t size, char *path)
{
  int file = memfd_create("fuzz", 0);
  if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
  snprintf(path, 40, "/proc/self/fd/%d", file);
  return file;
}

#endif
