/* Attachments of bodies to obstacles: nodes that stay at a place of an obstacle, or at a distance
 * from its surface, along which they slide. */
#ifndef PL_COUPLE_MOORING_H
#define PL_COUPLE_MOORING_H

#include "couple/attachment.h"
#include "couple/contact.h"

typedef struct pl_mooring {
  pl_attachment is;     /* nodes, springs, what has broken */
  pl_contact *contact;  /* owner of the obstacle, */
  int obstacle;         /* which has this slot */
  int slides;           /* along the surface */
  double *own;          /* per point: its place in the obstacle's axes */
  double *away;         /* per point: its distance at rest */
  unsigned char *spare; /* per point: contact has left it to this one */
  double t;             /* of the last moment that was looked at */
} pl_mooring;

/* Fills one that was made by pl_coupling_create and acts on a body that exists; t: the time now. */
pl_status pl_mooring_make(pl_mooring *mooring, const pl_attachment_def *def, pl_contact *contact,
                          double t, pl_error *error);

/* How far a point is off at time t, and the force on it. */
void pl_mooring_read(pl_mooring *mooring, int point, const pl_moment *at, double gap[3],
                     double force[3]);

#endif
