/* What the reader, the writer and the time series of .vtu files share. */
#ifndef PL_IO_VTU_H
#define PL_IO_VTU_H

#include "io/format.h"

/* How numbers are written. */
typedef enum pl_vtu_encoding { PL_VTU_BASE64, PL_VTU_RAW, PL_VTU_ASCII } pl_vtu_encoding;

/* Field data of the grid: pairs of a hanging node and a parent, and the parents' weights. */
#define PL_VTU_HANGING "hanging-nodes"
#define PL_VTU_WEIGHTS "hanging-weights"

/* Adds the file's content to text. */
pl_status pl_vtu_print(const pl_snapshot *snapshot, pl_vtu_encoding encoding, pl_text *text,
                       pl_error *error);

/* Adds the content of a .pvtu file: which arrays all pieces have, as this one does, and where they
 * are: NAME_0.vtu and so on, beside it. */
pl_status pl_vtu_print_list(const pl_snapshot *piece, const char *name, int pieces, pl_text *text,
                            pl_error *error);

#endif
