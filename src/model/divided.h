/* A model whose elements are divided over ranks: each computes those that touch its own nodes.
 *
 * Nodes belong to ranks by recursive bisection of the rest shape. All elements around an owned node
 * are here, so its force, its mass and its row of the matrix are complete; forces are then
 * gathered, so that everybody has all of them, and rows are not. Elements at a border are computed
 * by several ranks; energies and fields count them once, by the owner of their lowest node. */
#ifndef PL_MODEL_DIVIDED_H
#define PL_MODEL_DIVIDED_H

#include "core/ranks.h"
#include "model/model.h"

/* As pl_model_build, and divided where sites->ranks are several and the model can be: finite
 * elements with linear shape functions, whose points neither remember anything nor share something
 * with other elements, and with enough nodes. */
pl_status pl_divided_build(const pl_allocator *allocator, const pl_selection *part,
                           const pl_mesh *mesh, const pl_material *material,
                           const pl_model_def *sites, pl_model **out, pl_error *error);

/* The rank of each of its blocks; NULL: it is not divided. */
const int *pl_model_owners(const pl_model *model);

/* From now on forces of a divided model are left as they are: right at own nodes, not gathered. */
void pl_divided_leave(const pl_model *model, int leaves);

/* The elements of a divided model that are here; list: their numbers among all, ascending. NULL: it
 * is not divided. */
const pl_mesh *pl_model_share(const pl_model *model, const int **list);

/* Of a divided model's elements on all ranks: how many have no positive det F, and which has the
 * least. room: a number for each element that is here. */
typedef struct pl_inverted {
  int count, worst;
  double least;
} pl_inverted;
pl_inverted pl_divided_inverted(pl_model *model, const double *q, double *room, pl_pool *pool);

/* The largest of what the ranks of a divided model have. */
int pl_divided_max(const pl_model *model, int value);

#endif
