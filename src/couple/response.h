/* Responses: what keeps bodies out of obstacles, and apart from each other and themselves.
 *
 * A response says what the coupling "contact" does at obstacles, which it always owns, and names
 * the coupling that does the rest: forces, impulses or constraints between bodies, and at obstacles
 * where "contact" leaves them to it. That coupling's struct begins with a pl_responder.
 *
 * A member is one file, couple/response_NAME.c, and one name in the list. `auto`, the first, stands
 * for another one, which depends on the integrator and on what may meet. */
#ifndef PL_COUPLE_RESPONSE_H
#define PL_COUPLE_RESPONSE_H

#include "couple/contact.h"
#include "ode/integrator.h"

#define PL_RESPONSES(X)                                                                            \
  X(auto)                                                                                          \
  X(constraint)                                                                                    \
  X(penalty)                                                                                       \
  X(barrier)                                                                                       \
  X(impulse)                                                                                       \
  X(zhuang_canny)                                                                                  \
  X(exponential)                                                                                   \
  X(quadratic)                                                                                     \
  X(projection)                                                                                    \
  X(relocation)

typedef struct pl_response_ops pl_response_ops;

/* What may meet in a world. */
typedef struct pl_encounter {
  int bodies; /* bodies meet each other or themselves */
  int folds;  /* a sheet may touch itself */
  int bound;  /* blocks rotate or depend on others: frames, rigid bodies, hanging nodes, ties */
  int follow; /* finer surfaces follow bodies */
} pl_encounter;

struct pl_response_ops {
  pl_member info;
  pl_contact_mode at_obstacles;    /* what the coupling "contact" does there */
  const pl_contact_rule *rule;     /* and how; NULL: as that mode does by itself */
  const pl_coupling_ops *coupling; /* what does the rest; NULL: nothing does */
  /* The member that this one stands for there, and why; NULL: itself. */
  const pl_response_ops *(*stands_for)(const pl_selection *integrator, const pl_encounter *what,
                                       const char **why);
  /* Why it cannot work with that integrator, as the end of a sentence with a remedy; returns NULL
   * if it can. NULL: it works with all. */
  const char *(*refuses)(const pl_selection *integrator);
  /* What to expect of it with that integrator, as a sentence with a remedy; NULL: nothing. */
  const char *(*warns)(const pl_selection *integrator);
};

/* What every coupling of a response begins with. */
typedef struct pl_responder {
  pl_coupling base;
  const pl_contact_def *set;  /* the world's */
  const double *values;       /* of the response's parameters */
  const pl_couplings *others; /* the world's: bodies that are attached do not meet */
} pl_responder;

#define X(name) extern const pl_response_ops pl_response_##name;
PL_RESPONSES(X)
#undef X

extern const pl_family pl_response_family;

/* The member that acts with this integrator where these meet, and why another than was asked for
 * (NULL: it is that one); or an error that says why there is none. */
pl_status pl_response_choose(const pl_selection *response, const pl_selection *integrator,
                             const pl_encounter *what, const pl_response_ops **out,
                             const char **why, pl_error *error);

/* Why responses that move nodes after a step refuse statics; NULL for other integrators. */
const char *pl_response_refuses_statics(const pl_selection *integrator);

/* Is this coupling one that a response has brought? */
int pl_response_owns(const pl_coupling_ops *coupling);

#endif
