/* Friction of nodes that touch obstacles: Coulomb's law with an elastic limit.
 *
 * Along the surface a node is held by a spring and a damper, whose force is cut to the bound mu N.
 * With d the displacement along the surface since the beginning of the substep, u the velocity and
 * t0 the friction force at the beginning,
 *
 *   t = t0 - k d - c u     where that is shorter than mu N, else that direction with length mu N
 *
 * (a return mapping, as in plasticity). So a node below the bound comes to rest and does not creep,
 * none is held by more than its bound, and a body slides where all of its nodes do. The stiffness
 * is k = kappa m / h^2 of the node's mass and the substep: far above what moves it in one substep
 * where forces are implicit, far below what an explicit method bears. -dt/dd is k P below the bound
 * and k (mu N / |t|) (P - t t^T / |t|^2) above it, P the projection on the surface: never
 * indefinite.
 *
 * mu is the static coefficient until a node whose force is cut slips by more than 0.02 of the
 * body's size a second, and again once it does not: so nodes that shift while the load spreads
 * among them are still held.
 *
 * N is the constraint force of the pass or substep before. Implicit methods see the law linearised
 * about the displacement that the last pass has found, since Newton's method may swing for ever
 * between both sides of a kink; the substep is repeated where the law itself gives another force
 * there, with the secant's stiffness once a node has swung. */
#ifndef PL_COUPLE_FRICTION_H
#define PL_COUPLE_FRICTION_H

#include "couple/contact.h"

/* At the beginning of the substep; memory: the four numbers that finish has left, zero for a node
 * that did not touch. */
void pl_friction_begin(const pl_contact *contact, pl_touch *touch, const pl_substep *step,
                       const double *memory);

/* f += its friction, and the matrix += its derivative. */
void pl_friction_evaluate(pl_touch *touch, const pl_moment *at, double *f,
                          const pl_tangent *tangent);

/* After a pass with the right nodes: bounds by the new normal forces, and linearisation about the
 * new displacements. Returns whether that asks for another pass. */
int pl_friction_revise(pl_contact *contact, const pl_substep *step);

/* At the end: what to remember. */
void pl_friction_finish(const pl_contact *contact, const pl_touch *touch, const pl_substep *step,
                        double *memory);

#endif
