/* Filling surfaces and solids, for the commands that do. */
#ifndef PL_CLI_FILL_H
#define PL_CLI_FILL_H

#include "pliant/mesh.h"

/* The mesh of a file, or of a ready-made solid of that name and length (NULL: its own). */
pl_status cli_fill(const char *what, const char *length, const pl_choice *filler, pl_mesh **mesh,
                   pl_error *error);

int cli_mesh_fill(int count, char **words);
int cli_mesh_refine(int count, char **words);

/* Prints what there is to say about a mesh. */
int cli_mesh_tell(const char *path, const pl_mesh *mesh);

#endif
