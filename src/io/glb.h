/* What the reader and the writer of .glb files share. */
#ifndef PL_IO_GLB_H
#define PL_IO_GLB_H

#include "io/format.h"

/* Adds the file's content to text. smooth: with normals; turned: z is up. */
pl_status pl_glb_print(const pl_reel *reel, int smooth, int turned, pl_text *text, pl_error *error);

/* The base colour image that the file carries, as bytes of the source; size 0: none. */
pl_status pl_glb_image(const pl_source *source, const char **data, size_t *size, pl_error *error);

#endif
