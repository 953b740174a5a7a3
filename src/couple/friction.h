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
 * about a prediction, since Newton's method may swing for ever between both sides of a kink; the
 * substep is repeated where the law itself gives another force at the displacement that was found.
 * With t the force that acted in the last pass (at first that of the last substep) and T the uncut
 * force t0 - k d - c u where it has led to, t - T is k times the slip that the spring does not
 * explain. A spring as soft as the node itself, r k, shows by that slip what the force should be,
 *
 *   t + r (T - t),   and where that is longer than mu N by w it is cut, and T becomes mu N + w / r
 *
 * in its direction. Right is where T = t, or where t is cut and has the direction of T, for every
 * r > 0; the node's own stiffness is the one with which few nodes are on the wrong side of the
 * bound next time (an active set of a semi-smooth Newton method; with r = 1, the law itself, nodes
 * swing). Alart & Curnier 1991; Hueber, Stadler & Wohlmuth 2008.
 *
 * Motions are right to some per cent of all bounds, since the next step corrects them. Equilibria
 * are states of their own: there the forces are those of the law, with the bounds of the same pass,
 * to a thousandth of what has changed in the step. */
#ifndef PL_COUPLE_FRICTION_H
#define PL_COUPLE_FRICTION_H

#include "couple/contact.h"

/* At the beginning of the substep; memory: the numbers that finish has left, zero for a node
 * that did not touch. */
void pl_friction_begin(const pl_contact *contact, pl_touch *touch, const pl_substep *step,
                       const double *memory);

/* f += its friction, and the matrix += its derivative. */
void pl_friction_evaluate(pl_touch *touch, const pl_moment *at, double *f,
                          const pl_tangent *tangent);

/* Corrects the matrix, which was made with the factors kq and kv, for what has changed since. */
void pl_friction_patch(pl_touch *touch, double kq, double kv, pl_bsr *A);

/* After a pass with the right nodes, or almost: bounds by the new normal forces, and a new
 * linearisation, if there is another pass. Returns whether there is: it is_repeated anyway, or
 * bounds and forces ask for it. */
int pl_friction_revise(pl_contact *contact, const pl_substep *step, int is_repeated);

/* At the end: what to remember. */
void pl_friction_finish(const pl_contact *contact, const pl_touch *touch, const pl_substep *step,
                        double *memory);

#endif
