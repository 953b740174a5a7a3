/* What holds a block: directions given by fixes, which need not be at right angles to each other.
 * Of directions that depend on each other the newest count. */
#ifndef PL_WORLD_GRIP_H
#define PL_WORLD_GRIP_H

typedef struct pl_world pl_world;

typedef struct pl_grip {
  int count;          /* 0 to 3 */
  int codes[3];       /* which of world->holders */
  double given[3][3]; /* directions of length 1, newest first */
  double basis[3][3]; /* of the same space, orthonormal: Gram & Schmidt's */
  double mix[3][3];   /* given[i] is the sum of mix[i][m] basis[m], m <= i */
} pl_grip;

/* Adds a direction unless it is in the space already. */
void pl_grip_add(pl_grip *grip, int code, const double direction[3]);

/* That of a block of the world. */
void pl_grip_find(const pl_world *world, int block, pl_grip *grip);

/* Takes the held part out of x. */
void pl_grip_free(const pl_grip *grip, double x[3]);

/* Adds to x the held vector whose dot products with the given directions are these. */
void pl_grip_fill(const pl_grip *grip, const double products[3], double x[3]);

/* How a force's held part is made of the given directions. */
void pl_grip_split(const pl_grip *grip, const double force[3], double shares[3]);

#endif
