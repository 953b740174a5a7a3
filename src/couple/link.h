/* Links: a point of one body and a point of another that pull at each other along the line between
 * them, by a law of their distance and its rate.
 *
 * A law is one file and one name in the list below. All else is the family's: where the points are,
 * forces on whatever blocks carry them, the matrix, energy, the element <NAME> in bodies,
 * pl_world_add_link, the list, the reference, the viewer's lines and the generic tests. */
#ifndef PL_COUPLE_LINK_H
#define PL_COUPLE_LINK_H

#include "body/points.h"
#include "couple/effect.h"

#define PL_LINKS(X)                                                                                \
  X(spring)                                                                                        \
  X(magnet)

/* The parameters of every law begin with these; its own values begin with PL_LINK_OWN. */
#define PL_LINK_ENDS                                                                               \
  {"at", "m", "the point of the body, at rest", 0, -1e9, 1e9, NULL, 3},                            \
  {                                                                                                \
    "to-at", "m", "the point of the other body, at rest", 0, -1e9, 1e9, NULL, 3                    \
  }
enum { PL_LINK_AT, PL_LINK_TO_AT = 3, PL_LINK_OWN = 6 };

/* What a law sees. */
typedef struct pl_link_state {
  double length, rate; /* of the way between the points, m and m/s */
  double at_rest;      /* its length between both bodies at rest, m */
} pl_link_state;

/* What it answers. */
typedef struct pl_tension {
  double force;   /* N, positive: draws the points together */
  double slope;   /* its derivative by the length, N/m */
  double viscous; /* and by the rate, N s/m, not negative */
  double energy;  /* whose derivative by the length is the force at rate 0, J */
} pl_tension;

typedef struct pl_link_ops {
  pl_member info;
  void (*pull)(const double *own, const pl_link_state *at, pl_tension *out);
} pl_link_ops;

#define X(name) extern const pl_link_ops pl_link_##name;
PL_LINKS(X)
#undef X

extern const pl_family pl_link_family;

typedef struct pl_link {
  pl_effect base; /* read, changed and removed as effects are */
  const pl_link_ops *law;
  pl_body_point ends[2];
  pl_jacobian jacobian; /* of the first end less the second, at the last look */
  double at_rest;       /* m */
} pl_link;

/* Finds the points that the values name in both bodies: again whenever values or bodies are other
 * ones. A point may lie outside of its body by a little. */
pl_status pl_link_place(pl_link *link, pl_error *error);

/* Takes the law and its values; both bodies are known. */
pl_status pl_link_make(pl_link *link, const pl_link_ops *law, pl_error *error);

/* Where both ends are, and what the law says. */
void pl_link_read(pl_link *link, const double *q, const double *v, double ends[2][3],
                  pl_link_state *state, pl_tension *tension);

#endif
