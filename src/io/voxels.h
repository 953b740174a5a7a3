/* Stacks of grey slices: NRRD files with raw data, and PGM files with one slice after the other. */
#ifndef PL_IO_VOXELS_H
#define PL_IO_VOXELS_H

#include "pliant/world.h"

#include <stddef.h>

/* By the file's first bytes. Where the file lacks the voxel's size or the origin, they are
 * 0. To be released. */
pl_status pl_voxels_read(const char *path, const pl_allocator *allocator, pl_voxels *image,
                         pl_error *error);
/* The same from memory; a zero byte follows the data. */
pl_status pl_voxels_parse(const char *path, const char *data, size_t size,
                          const pl_allocator *allocator, pl_voxels *image, pl_error *error);
void pl_voxels_release(const pl_allocator *allocator, pl_voxels *image);

#endif
