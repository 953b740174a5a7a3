/* The scenes to choose from, with small pictures that are made in a thread of their own once
 * somebody asks. */
#ifndef PL_VIEW_GALLERY_H
#define PL_VIEW_GALLERY_H

#include "view/board.h"

typedef struct pl_gallery pl_gallery;

/* The first is path, the others are the .xml files of the folder (NULL: there are none). The list
 * of all is posted; the first PL_MOST_THUMBS get pictures, the others are chosen by name. cache: as
 * in pl_scene_def; it must outlive the gallery. */
pl_status pl_gallery_create(const char *path, const char *folder, const char *cache,
                            pl_board *board, pl_gallery **gallery, pl_error *error);
void pl_gallery_destroy(pl_gallery *gallery);

/* NULL if there is no such one. */
const char *pl_gallery_path(const pl_gallery *gallery, int index);

/* Makes titles and pictures at once, and posts them; for callers without threads. */
void pl_gallery_make(pl_gallery *gallery);
/* Begins to make titles and pictures, and to post them; only the first call does something. */
void pl_gallery_begin(pl_gallery *gallery);

#endif
