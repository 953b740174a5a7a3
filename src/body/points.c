/* Points that move with a body: its nodes, and what carries them. */
#include "body/body.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <string.h>

const double *pl_body_nodes(const pl_body *body, const double *q, const double *v)
{
  if (!body->model->ops->nodes) return v ? v : q;
  body->model->ops->nodes(body->model, q, v, body->nodal);
  return body->nodal;
}

int pl_body_jacobian(const pl_body *body, const double *q, const int *node, const int **blocks,
                     double *x, double *J)
{
  static const double whole = 1;
  const pl_model *model = body->model;
  const double *weights = &whole;
  double place[3] = {0};
  int count = 1;
  *blocks = node;
  if (model->ops->carriers) count = model->ops->carriers(model, *node, blocks, &weights);
  if (model->ops->jacobian) {
    model->ops->jacobian(model, q, *node, place, J);
  } else {
    for (int b = 0; b < count; b++) pl_vec3_add_scaled(weights[b], q + 3 * (*blocks)[b], place);
    for (int k = 0; k < 9 * count; k++) J[k] = k % 9 % 4 == 0 ? weights[k / 9] : 0;
  }
  if (x) pl_vec3_copy(place, x);
  return count;
}

void pl_add_carried(pl_bsr *A, int offset, int count, const int *blocks, const double *J,
                    const double D[9])
{
  for (int b = 0; b < count; b++) {
    double half[9], block[9];
    pl_mat3_multiply(D, J + 9 * b, half);
    for (int a = 0; a < count; a++) {
      int row = offset + blocks[a], place = pl_bsr_find(A, row, offset + blocks[b]);
      if (place < 0) place = A->diagonal[row];
      pl_mat3_multiply_tn(J + 9 * a, half, block);
      double *to = A->values + 9 * (size_t)place;
      for (int k = 0; k < 9; k++) to[3 * (k % 3) + k / 3] += block[k];
    }
  }
}

void pl_body_spread(const pl_body *body, const double *q, const double *nodal, double *f)
{
  if (body->model->ops->spread) {
    body->model->ops->spread(body->model, q, nodal, f);
    return;
  }
  for (int i = 0; i < 3 * body->blocks; i++) f[i] += nodal[i];
}

double pl_body_size(const pl_body *body)
{
  double low[3], high[3];
  pl_mesh_bounds(body->mesh, low, high);
  return pl_vec3_distance(low, high);
}

const pl_body *pl_bodies_owner(const pl_bodies *bodies, int block)
{
  size_t b = 0;
  while (b + 1 < bodies->count && block >= bodies->list[b + 1].offset) b++;
  return &bodies->list[b];
}

pl_status pl_body_select(const pl_bodies *bodies, const pl_body *body, const pl_selector *where,
                         int where_count, int as_blocks, int **list, int *count, pl_error *error)
{
  const int *anchors = as_blocks ? body->model->anchors : NULL;
  int room = anchors ? body->blocks : body->mesh->node_count, chosen_count = 0, used = 0;
  unsigned char *chosen = pl_alloc(bodies->allocator, (size_t)body->mesh->node_count, 1);
  *list = pl_alloc(bodies->allocator, (size_t)room, sizeof(int));
  *count = 0;
  pl_status status = chosen && *list ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_nodes(body->mesh, where, where_count, chosen, &chosen_count, error);
  if (!status && chosen_count == 0)
    status =
        pl_fail(error, PL_E_ARGUMENT, "the region holds no node of body \"%.80s\"", body->name);
  for (int i = 0; !status && i < room; i++) {
    if (chosen[body->order[anchors ? anchors[i] : i]]) (*list)[used++] = i;
  }
  if (!status && used == 0)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "the region holds no frame of body \"%.80s\"; put a frame there or make the "
                     "region larger",
                     body->name);
  pl_free(bodies->allocator, chosen);
  *count = used;
  return status;
}
