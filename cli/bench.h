/* What the parts of pliant bench share. */
#ifndef PL_CLI_BENCH_H
#define PL_CLI_BENCH_H

#include "core/text.h"
#include "pliant/world.h"

/* The middle one of some numbers, which are sorted by it. */
double cli_median(double *values, int count);

/* The standard bar of 4n x n x n cubes, 6 tets each; NULL: the preset preconditioner. */
pl_status cli_make_bar(int n, int threads, const char *solver, const char *preconditioner,
                       pl_world **world, pl_error *error);

/* A box of six tets a cell, of Hooke's material with nu = 0.3 and 1000 kg/m^3. */
typedef struct cli_block {
  double size[3], origin[3]; /* m */
  int cells[3];
  double young, damping; /* Pa; s, by stiffness */
} cli_block;

pl_status cli_add_block(pl_world *world, const cli_block *block, pl_body_id *body, pl_error *error);

/* Adds a plane z = 0 with friction. */
pl_status cli_add_plane(pl_world *world, double friction, pl_error *error);

/* Holds the nodes of a body at each of some places. */
pl_status cli_hold_places(pl_world *world, pl_body_id body, const double places[][3], int count,
                          pl_error *error);

/* pliant bench solvers, frames, kernels, contact, contact-solves, friction, hexes, materials,
 * cloth, grids and haptics: print a table, and add it to csv with its head; NULL: no csv is wanted.
 */
int cli_bench_solvers(int quick, pl_text *csv);
int cli_bench_frames(int quick, pl_text *csv);
int cli_bench_kernels(int quick, pl_text *csv);
int cli_bench_contact(int quick, pl_text *csv);
int cli_bench_contact_solves(int quick, pl_text *csv);
int cli_bench_friction(int quick, pl_text *csv);
int cli_bench_hexes(int quick, pl_text *csv);
int cli_bench_materials(int quick, pl_text *csv);
int cli_bench_cloth(int quick, pl_text *csv);
int cli_bench_grids(int quick, pl_text *csv);
int cli_bench_haptics(int quick, pl_text *csv);

#endif
