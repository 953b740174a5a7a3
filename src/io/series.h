/* The frames of a moving body in files: one file for all (.glb, .pc2, .mdd, .xdmf), or one for
 * each, and for ParaView a .pvd file that lists them with their times. Each file is replaced whole,
 * frame before list, so that a list names only complete frames, whenever the program ends. */
#ifndef PL_IO_SERIES_H
#define PL_IO_SERIES_H

#include "io/format.h"

typedef struct pl_series pl_series;

/* Frames go to FOLDER/NAME_000000.EXTENSION and so on, a list to FOLDER/NAME.pvd, an animation to
 * FOLDER/NAME.EXTENSION; the folder is made, and what an earlier series of that name
 * left there is removed. Nothing is written before the first frame. */
pl_status pl_series_create(const char *folder, const char *name, const pl_choice *format,
                           const pl_allocator *allocator, pl_series **series, pl_error *error);
void pl_series_destroy(pl_series *series);

/* A picture (PNG or JPEG) on the surface of an animation, and the .obj or .glb file whose texture
 * coordinates say where; before the first frame. Formats that hold none leave it out. */
pl_status pl_series_set_picture(pl_series *series, const char *image, const char *surface,
                                pl_error *error);

/* Does the format's setting ask for a piece of each process of a run? Then each process has such a
 * series of its own and adds its piece of a frame (io/pieces.h), and when all have done so they go
 * on by naming how many pieces there are; the first one lists them. */
int pl_series_is_divided(const pl_series *series);
pl_status pl_series_add_piece(pl_series *series, const pl_snapshot *piece, int part,
                              pl_error *error);
pl_status pl_series_add_list(pl_series *series, const pl_snapshot *piece, int part, int parts,
                             pl_error *error);

/* The snapshot needs a time, later than that of the frame before. */
pl_status pl_series_add(pl_series *series, const pl_snapshot *snapshot, pl_error *error);
/* Writes what waits for the last frame. Nothing may be added behind it. */
pl_status pl_series_finish(pl_series *series, pl_error *error);

/* Does the format's setting ask for one file of all bodies? That one is written instead, of series
 * of one format and setting. */
int pl_series_is_together(const pl_series *series);
pl_status pl_series_finish_together(pl_series *const *series, int count, const char *path,
                                    pl_error *error);

int pl_series_count(const pl_series *series);
/* The file to open, or FOLDER/NAME_*.EXTENSION. */
const char *pl_series_path(const pl_series *series);

#endif
