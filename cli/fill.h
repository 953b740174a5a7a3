/* Filling surfaces and solids, for the commands that do. */
#ifndef PL_CLI_FILL_H
#define PL_CLI_FILL_H

#include "cli.h"
#include "mesh/skin.h"
#include "mesh/solid.h"
#include "pliant/mesh.h"

/* Prints notes and warnings. */
extern const pl_log cli_notes;

/* The mesh of a file, or of a ready-made solid of that name and length (NULL: its own). */
pl_status cli_fill(const char *what, const char *length, const pl_choice *filler, pl_mesh **mesh,
                   pl_error *error);

/* A surface file or a ready-made solid, as something to be filled or surrounded. */
typedef struct cli_shape {
  pl_solid *solid;
  pl_skin *skin;
  pl_volume volume;
} cli_shape;

pl_status cli_shape_open(const char *what, const char *length, cli_shape *shape, pl_error *error);
void cli_shape_close(cli_shape *shape);

/* The size that makes so many cells along the longest side. */
double cli_shape_size(const cli_shape *shape, double across);

/* Lets gmsh or tetgen fill a closed surface with tetrahedra of about this size. */
pl_status cli_mesh_with(const char *program, const pl_skin *skin, double size, pl_mesh **mesh,
                        pl_error *error);

int cli_mesh_fill(int count, char **words);
int cli_mesh_surface(int count, char **words);
int cli_mesh_refine(int count, char **words);

/* Prints what there is to say about a mesh. */
int cli_mesh_tell(const char *path, const pl_mesh *mesh);

/* Writes a mesh, reports on it, and destroys it. */
int cli_mesh_leave(const char *path, pl_mesh *mesh);

/* Of commands that make a mesh: is there one word, which is `what`, and a file to write to? */
int cli_mesh_words(const char *command, const cli_words *words, const char *what,
                   const char *output);

#endif
