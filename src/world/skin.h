/* Bodies whose nodes are carried by something else (frames) against obstacles: a thin elastic layer
 * on their skin.
 *
 * A node of the surface that is inside an obstacle by d is pushed out by k d, with k its share of
 * the surface times the modulus lambda + 2 mu of the body over a layer of 1/50 of its size.
 * Friction is Coulomb's, -friction k d v/|v| along the surface, rounded off below a speed at which
 * it would creep unseen. Forces reach the blocks by the transposed jacobian; their stiffness is
 * exact but for the change of the normal force in the friction, and never indefinite. */
#ifndef PL_WORLD_SKIN_H
#define PL_WORLD_SKIN_H

#include "pliant/world.h"
#include "sparse/bsr.h"

struct pl_body;

/* The layer of a body; nothing where nodes are unknowns themselves. */
pl_status pl_skin_make(pl_world *world, struct pl_body *body, pl_error *error);

/* f += what all skins feel at (q, v), and A += their kq (-df/dq) + kv (-df/dv). */
void pl_skins_force(const pl_world *world, const double *q, const double *v, double *f);
void pl_skins_stiffness(const pl_world *world, const double *q, const double *v, double kq,
                        double kv, pl_bsr *A);

/* The first node (in the mesh's numbering) whose skin is deepest inside an obstacle at q, and how
 * deep, m; -1: none touches. */
int pl_skin_deepest(const pl_world *world, const struct pl_body *body, const double *q,
                    double *depth);

#endif
