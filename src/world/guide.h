/* A guide: a coarse world that moves in step with a fine one and lends it its rotations.
 *
 * The guide is an ordinary world with bodies of the same names, of coarser meshes and mostly of
 * Green's strain, solved by Newton's method. The bodies of the fine world have a law that lags
 * (hooke-lagged): between two renewals their forces are linear, so a step is one linear solve. At
 * a renewal the nodes of a fine body are put where the guide's body carries them, which has one
 * deformation gradient in each coarse tetrahedron, and its polar rotation becomes the frame of
 * every fine element there. So what is nonlinear is solved where it is cheap, and frames do not
 * come from the linear solution that they are meant for.
 *
 * The coarse mesh is stiffer than the fine one. By itself (alone) it bends less and its frames lag
 * behind; so before each step its nodes are put where the fine bodies have these points, and the
 * guide only says how they go on from there.
 *
 * In each step the guide goes first: frames are those of the end of the step. Renewals are counted
 * in steps, so that they need no memory; the guide's state stands behind the fine world's.
 *
 * Source: M. Hauth, "Visual simulation of deformable models", 2004, 3.1.3 and 5.3.5 (examples 8
 * and 9). There fine meshes are octasections; here any mesh is embedded in the coarse one. */
#ifndef PL_WORLD_GUIDE_H
#define PL_WORLD_GUIDE_H

#include "mesh/embed.h"
#include "world/world.h"

/* A body and the one that leads it. */
typedef struct pl_led {
  pl_body_id body, leader;
  pl_embed *embed; /* the body's nodes in the leader's mesh */
  pl_embed *back;  /* the leader's in the body's */
} pl_led;

typedef struct pl_guide {
  pl_world *world; /* its own */
  double update;   /* s between renewals */
  int alone;       /* it moves by itself */
  pl_led *list;
  int count;
  double *room; /* positions: of the largest leader, and twice of the largest body */
  size_t leader_room, body_room;
} pl_guide;

void pl_guide_destroy(const pl_allocator *allocator, pl_guide *guide);

/* At the beginning of a step: takes the guide to its end, and frames over where that is due. */
pl_status pl_world_follow_guide(pl_world *world, pl_error *error);

#endif
