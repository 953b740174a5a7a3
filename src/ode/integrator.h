/* Integrators: one step of any system. */
#ifndef PL_ODE_INTEGRATOR_H
#define PL_ODE_INTEGRATOR_H

#include "core/family.h"
#include "ode/system.h"

typedef struct pl_integrator pl_integrator;

#define PL_INTEGRATORS(X)                                                                          \
  X(implicit_euler)                                                                                \
  X(explicit_euler)                                                                                \
  X(static)

typedef struct pl_integrator_ops {
  pl_member info;
  int is_implicit;   /* needs system->A and system->solver */
  int is_static;     /* looks for equilibrium; velocities stay zero */
  int order;         /* of accuracy, 0 where that means nothing */
  size_t state_size; /* of the member's own state */
  pl_status (*create)(pl_integrator *self, pl_error *error);
  /* From (q, v) at t to t + h, in place. On failure q and v may hold anything. */
  pl_status (*step)(pl_integrator *self, pl_system *system, double t, double h, double *q,
                    double *v, pl_step_report *report, pl_error *error);
} pl_integrator_ops;

/* A member's workspace: vectors of the system's size, all taken at creation. */
enum { PL_MOST_VECTORS = 16 };

struct pl_integrator {
  const pl_integrator_ops *ops;
  pl_allocator allocator;
  const double *values; /* the part's */
  int blocks;
  void *state;
  double *vectors[PL_MOST_VECTORS];
  int vector_count;
};

#define X(name) extern const pl_integrator_ops pl_integrator_##name;
PL_INTEGRATORS(X)
#undef X

extern const pl_family pl_integrator_family;

pl_status pl_integrator_create(const pl_allocator *allocator, const pl_part *part, int blocks,
                               pl_integrator **out, pl_error *error);
void pl_integrator_destroy(pl_integrator *integrator);

/* For members' create functions: the next free vector of the workspace. */
pl_status pl_integrator_vector(pl_integrator *self, double **vector, pl_error *error);

#endif
