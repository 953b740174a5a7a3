/* What the two versions of the Gmsh format share. Text and binary files hold the same numbers in
 * the same order, so one reader and one writer per version serve both. */
#ifndef PL_IO_GMSH_H
#define PL_IO_GMSH_H

#include "io/cells.h"
#include "io/draft.h"

/* An element type: number in the file, shape, how many nodes it has. */
typedef struct pl_gmsh_type {
  int type;
  pl_cell_shape shape;
  int nodes;
} pl_gmsh_type;

enum { PL_GMSH_MOST_NODES = 125 };

/* ---- reading ---- */

/* An entity (a piece of the geometry) is in a physical group. */
typedef struct pl_gmsh_link {
  uint64_t entity; /* dimension and tag */
  int32_t group;
} pl_gmsh_link;

typedef struct pl_gmsh {
  const pl_source *source;
  pl_scan scan;
  pl_draft *draft;
  int binary;
  pl_gmsh_link *links; /* sorted by entity; version 4.1 only */
  size_t link_count, link_room;
  int has_elements;
  int has_axes, is_numbered; /* $ElementData names elements by number; they can be found */
} pl_gmsh;

/* The next number: a C int, a size_t or a double of the binary format. */
pl_status pl_gmsh_int(pl_gmsh *gmsh, const char *what, int64_t *value, pl_error *error);
pl_status pl_gmsh_size(pl_gmsh *gmsh, const char *what, int64_t *value, pl_error *error);
pl_status pl_gmsh_double(pl_gmsh *gmsh, const char *what, double *value, pl_error *error);

/* Checks a count of things that consist of so many ints, sizes and doubles. */
pl_status pl_gmsh_claim(const pl_gmsh *gmsh, const char *what, int64_t count, int64_t limit,
                        size_t ints, size_t sizes, size_t doubles, pl_error *error);

/* An element type by its number; fails for those that do not exist. */
pl_status pl_gmsh_type_find(const pl_gmsh *gmsh, int64_t number, const pl_gmsh_type **type,
                            pl_error *error);
/* A physical tag as a group number: its sign is only an orientation. */
pl_status pl_gmsh_group(const pl_gmsh *gmsh, int64_t tag, int32_t *group, pl_error *error);

/* The sections of each version, between the line with their name and the one that ends them. */
pl_status pl_gmsh2_nodes(pl_gmsh *gmsh, pl_error *error);
pl_status pl_gmsh2_elements(pl_gmsh *gmsh, pl_error *error);
pl_status pl_gmsh4_entities(pl_gmsh *gmsh, pl_error *error);
pl_status pl_gmsh4_nodes(pl_gmsh *gmsh, pl_error *error);
pl_status pl_gmsh4_elements(pl_gmsh *gmsh, pl_error *error);

/* ---- writing ---- */

typedef struct pl_gmsh_out {
  pl_text text;
  const pl_mesh *mesh;
  const double *positions;
  int binary;
} pl_gmsh_out;

void pl_gmsh_put_int(pl_gmsh_out *out, int value);
void pl_gmsh_put_size(pl_gmsh_out *out, uint64_t value);
void pl_gmsh_put_doubles(pl_gmsh_out *out, const double *values, int count);
/* Ends a line of text; nothing in binary. */
void pl_gmsh_put_line(pl_gmsh_out *out);

/* The number of the cell's type in the format. */
int pl_gmsh_type_of(pl_cell cell);

/* Both write $Nodes and $Elements (4.1: and $Entities). The groups are those of
 * $PhysicalNames: set i has the number i + 1, dimension 3 for elements and 0 for nodes. */
pl_status pl_gmsh2_write(pl_gmsh_out *out, pl_error *error);
pl_status pl_gmsh4_write(pl_gmsh_out *out, pl_error *error);

#endif
