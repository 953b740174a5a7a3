/* The body of every mesh reader's fuzz target: no crash, no leak, no more memory than the input
 * justifies, and what is accepted is a mesh that can be walked. */
#ifndef PL_FUZZ_READER_H
#define PL_FUZZ_READER_H

#include "../io/memory.h"

static inline int fuzz_reader(const char *path, const uint8_t *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  const pl_format_ops *format = pl_format_of(path, NULL);
  pl_mesh *mesh;
  pl_error error = {0};
  pl_status status = read_memory(format, (const char *)data, size, &allocator, &mesh, &error);
  if (!status) {
    int total = pl_mesh_element_count(mesh) * pl_mesh_nodes_per_element(mesh);
    for (int i = 0; i < total; i++) {
      int node = pl_mesh_elements(mesh)[i];
      if (node < 0 || node >= pl_mesh_node_count(mesh)) abort();
    }
    pl_mesh_destroy(mesh);
  } else if (!error.message[0] || mesh) {
    abort();
  }
  if (c.blocks || c.peak > memory_bound(format, size)) abort();
  return 0;
}

#endif
