/* Bodies whose nodes are carried by other blocks (frames) against obstacles, and all bodies where
 * contact is met by the response "penalty": a thin elastic layer on their surface, so a penalty
 * force.
 *
 * A node of the surface that is inside an obstacle by d is pushed out by k d, with k its share of
 * the surface times the modulus lambda + 2 mu of the body over a layer of 1/50 of its size.
 * Friction is Coulomb's, -friction k d v/|v| along the surface, rounded off below a speed at which
 * it would creep unseen. Forces reach the blocks by the transposed jacobian; their stiffness is
 * exact but for the change of the normal force in the friction and the curvature of surfaces that
 * are not hollow, and never indefinite. */
#ifndef PL_COUPLE_PENALTY_H
#define PL_COUPLE_PENALTY_H

#include "couple/contact.h"

/* The layer of a body, body->penalty; nothing where nodes are blocks themselves, unless it is to
 * cover all of them. */
pl_status pl_penalty_make(const pl_bodies *bodies, pl_body *body, int all, pl_error *error);

/* f += what all layers feel, and the matrix += its derivatives. */
void pl_penalty_evaluate(const pl_contact *contact, const pl_moment *at, double *f,
                         const pl_tangent *tangent);

/* Hands over the nodes that touch, with their forces. */
void pl_penalty_contacts(const pl_contact *contact, const pl_moment *at, const pl_meeting_sink *to);

/* Marks the bodies whose layer touches something at q; fresh: all others are unmarked first. */
void pl_penalty_mark(pl_contact *contact, const double *q, int fresh);

/* Notes which nodes are about to leave an obstacle as a substep begins, for laws that ask. */
void pl_penalty_leave(const pl_contact *contact, const double *q, const double *v);

/* The first node (in the mesh's numbering) that is deepest inside an obstacle at q, and how deep,
 * m; -1: none touches. q starts at the body's first block. */
int pl_penalty_deepest(const pl_contact *contact, const pl_body *body, const double *q,
                       double *depth);

#endif
