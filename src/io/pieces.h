/* A mesh and what belongs to it in pieces, one for each process of a run. Each element is in one
 * piece; nodes between pieces are in several. Beside the fields a piece says which nodes and
 * elements of the whole its own are: GlobalNodeId and GlobalElementId, from 0. */
#ifndef PL_IO_PIECES_H
#define PL_IO_PIECES_H

#include "io/format.h"

typedef struct pl_piece pl_piece;

/* The piece number part of so many, compact and of equal size; a mesh has no more pieces than
 * elements. */
pl_status pl_piece_create(const pl_allocator *allocator, const pl_mesh *mesh, int part, int parts,
                          pl_piece **out, pl_error *error);
void pl_piece_destroy(pl_piece *self);

/* How many pieces a mesh has for so many processes. */
int pl_piece_count(const pl_mesh *mesh, int processes);

/* What the piece has of a snapshot of the whole; valid until the next call. */
pl_status pl_piece_take(pl_piece *self, const pl_snapshot *whole, pl_snapshot *out,
                        pl_error *error);

#endif
