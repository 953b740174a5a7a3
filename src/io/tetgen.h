/* TetGen's pair of files from memory. */
#ifndef PL_IO_TETGEN_H
#define PL_IO_TETGEN_H

#include "io/format.h"

/* The sources are a .node and an .ele file. */
pl_status pl_tetgen_parse(const pl_source *nodes, const pl_source *elements, pl_mesh **mesh,
                          pl_error *error);

#endif
