/* Attachments of bodies to each other. */
#ifndef PL_COUPLE_ATTACHMENT_H
#define PL_COUPLE_ATTACHMENT_H

#include "body/points.h"
#include "couple/coupling.h"
#include "mesh/embed.h"

typedef struct pl_attachment {
  pl_coupling base;
  int frames[2];        /* what carries the points alone; -1: the nodes do */
  int count;            /* of points */
  double *points;       /* at rest, 3 numbers each */
  int *nodes;           /* of the first body, inside numbers; NULL where a frame is attached */
  pl_embed *embed;      /* in the other's inside mesh; NULL where one of its frames holds */
  double stiffness;     /* N/m, of each point's spring */
  double damping;       /* N s/m, of each point's damper */
  double breaking;      /* N, at which a point's spring breaks; 0: never */
  int parted;           /* it has broken, and its bodies are apart: barriers act between them */
  pl_jacobian jacobian; /* of one pair's gap */
  // of ties only
  double *shift;     /* 3 per pair, m/s: what blocks that turn ask for beyond the gap's closing */
  pl_mpc_entry *row; /* room for one */
} pl_attachment;

/* The gap of a pair; how it changes stands in the jacobian. */
void pl_attachment_gap(pl_attachment *from, int point, const double *q, double gap[3]);

/* Has the spring of the point broken? */
int pl_attachment_is_broken(const pl_attachment *from, int point);

/* Is it glue, which may break? Does glue hold two bodies together, at one point at least? */
int pl_attachment_may_break(const pl_coupling *coupling);
int pl_attachments_glue(const pl_couplings *all, const int bodies[2]);

/* What ties share with springs. */
void pl_attachment_destroy(pl_coupling *self);
int pl_attachment_grips(const pl_coupling *self, int body);
pl_status pl_attachment_cliques(pl_coupling *self, const double *q, pl_cliques **sets, int *count,
                                pl_error *error);

size_t pl_attachment_memory(const pl_coupling *self);
/* A += k g . d^2x/dq^2 of the blocks that turn, where the gap g is the jacobian's. */
void pl_attachment_curve(const pl_jacobian *with, double k, const double gap[3], pl_bsr *A);
/* What an attachment to an obstacle needs: nodes, springs, a jacobian. */
pl_status pl_attachment_take(pl_attachment *to, const pl_attachment_def *def, pl_error *error);

/* Fills an attachment that was made by pl_coupling_create and acts on two bodies that exist. */
pl_status pl_attachment_make(pl_attachment *attachment, const pl_attachment_def *def,
                             pl_error *error);

#endif
