/* In how many pieces a surface falls. */
#ifndef PL_MESH_PIECES_H
#define PL_MESH_PIECES_H

#include "mesh/skin.h"

/* bodies: pieces in which the inside hangs together, those that reach into others (a handle that
 * ends in a pot) counted as one. apart: those of them that are left where boxes that meet make one,
 * since a cavity and what surrounds it belong together. Of more than 2000 pieces all are apart = 1.
 */
pl_status pl_skin_count_pieces(const pl_skin *skin, int *bodies, int *apart, pl_error *error);

#endif
