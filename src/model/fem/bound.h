/* The bound of an element's frequencies; bound_kernel.c has the formulas. */
#ifndef PL_MODEL_FEM_BOUND_H
#define PL_MODEL_FEM_BOUND_H

#include "model/model.h"

struct pl_fem;
struct pl_fem_job;

/* g / m of each element, 1/(m^2 kg/m^3): found when first asked for; before that the least nodal
 * mass, kg, from which it is made. */
typedef struct pl_fem_shapes {
  double *shapes, *sums; /* sums: two numbers per chunk */
  int found;
} pl_fem_shapes;

/* Largest of all elements; job->squares: w^2 of each as well, NULL: not. */
void pl_fem_bound_all(struct pl_fem *fem, struct pl_fem_job *job, double h, double bounds[2],
                      pl_pool *pool);

/* The largest bounds among the elements of these batches: w^2 in 1/s^2, damping in 1/s. */
void pl_fem_bound_base(const struct pl_fem_job *job, int first, int last, double bounds[2]);
void pl_fem_bound_avx2(const struct pl_fem_job *job, int first, int last, double bounds[2]);

/* As in pl_model_ops. */
void pl_fem_bounds(pl_model *self, const pl_moment *at, double bounds[2], pl_pool *pool);

#endif
