/* Points that move with a body: its nodes, and what carries them. */
#include "body/points.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

#define IN_LINE 1e-6 /* of the square of a body's size: three nodes span no more than that */

const double *pl_body_nodes(const pl_body *body, const double *q, const double *v)
{
  if (!body->model->ops->nodes) return v ? v : q;
  body->model->ops->nodes(body->model, q, v, body->nodal);
  return body->nodal;
}

pl_node_reader pl_node_reader_at(const pl_body *body, const double *q)
{
  const pl_model_ops *ops = body->model->ops;
  int by_weights = ops->carriers && !ops->jacobian;
  return (pl_node_reader){
      .model = body->model, .q = q, .all = by_weights ? NULL : pl_body_nodes(body, q, NULL)};
}

void pl_node_read(const pl_node_reader *reader, int node, double x[3])
{
  const int *blocks;
  const double *weights;
  pl_vec3_set(x, 0, 0, 0);
  if (reader->all) {
    pl_vec3_copy(reader->all + 3 * (size_t)node, x);
    return;
  }
  int count = reader->model->ops->carriers(reader->model, node, &blocks, &weights);
  for (int b = 0; b < count; b++)
    pl_vec3_add_scaled(weights[b], reader->q + 3 * (size_t)blocks[b], x);
}

void pl_body_to_mesh(const pl_body *body, const double *inside, double *out)
{
  for (int i = 0; i < body->mesh->node_count; i++)
    memcpy(out + 3 * body->order[i], inside + 3 * i, 3 * sizeof *out);
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

void pl_add_carried(const pl_tangent *to, int offset, int count, const int *blocks, const double *J,
                    const double D[9])
{
  int all[PL_MOST_CARRIERS];
  for (int b = 0; b < count; b++) all[b] = offset + blocks[b];
  const pl_stencil stencil = {.count = count, .blocks = all, .C = J, .D = D};
  (void)pl_stencil_put(to->A, to->extra, &stencil); // one that is refused makes the step repeat
}

double pl_body_size(const pl_body *body)
{
  double low[3], high[3];
  // a refined mesh has many nodes, and its corners are those of the coarse one
  pl_mesh_bounds(body->refinement ? body->refinement->coarse : body->mesh, low, high);
  return pl_vec3_distance(low, high);
}

const pl_body *pl_bodies_owner(const pl_bodies *bodies, int block)
{
  size_t b = 0;
  while (b + 1 < bodies->count && block >= bodies->list[b + 1].offset) b++;
  return &bodies->list[b];
}

/* Why a node that is no block cannot be held, or PL_OK where its carriers are. */
static pl_status check_carried(const pl_body *body, const unsigned char *chosen, int node,
                               pl_error *error)
{
  const int *blocks;
  const double *weights;
  int count = body->model->ops->carriers(body->model, node, &blocks, &weights);
  for (int b = 0; b < count; b++) {
    int parent = body->model->anchors[blocks[b]];
    if (pl_model_node_block(body->model, parent) < 0)
      return pl_fail_entity(error, PL_E_ARGUMENT, body->order[node],
                            "node %d of body \"%.80s\" is held and part of something rigid; hold "
                            "that by a hinge, or leave it to <move> alone",
                            body->order[node], body->name);
    if (!chosen[parent])
      return pl_fail_entity(error, PL_E_ARGUMENT, body->order[node],
                            "node %d of body \"%.80s\" hangs on node %d, which is not held with "
                            "it; hold both or neither",
                            body->order[node], body->name, body->order[parent]);
  }
  return PL_OK;
}

pl_status pl_body_held_blocks(const pl_body *body, const unsigned char *chosen, int *list,
                              int *count, pl_error *error)
{
  int used = 0;
  for (int n = 0; n < body->mesh->node_count; n++) {
    if (!chosen[n]) continue;
    int block = pl_model_node_block(body->model, n);
    if (block >= 0) {
      list[used++] = block;
      continue;
    }
    pl_status status = check_carried(body, chosen, n, error);
    if (status) return status;
  }
  *count = used;
  return PL_OK;
}

/* The blocks of frames that are held with the chosen nodes, which are in the mesh's numbering. */
static pl_status held_frames(const pl_body *body, const unsigned char *chosen, int *list,
                             int *count, pl_error *error)
{
  for (int i = 0; i < body->blocks; i++) {
    if (chosen[body->order[body->model->anchors[i]]]) list[(*count)++] = i;
  }
  if (*count) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the region holds no frame of body \"%.80s\"; put a frame there or make the "
                 "region larger",
                 body->name);
}

/* Both blocks of a rigid body, if the chosen nodes leave no axis that it could turn about. */
static pl_status held_whole(const pl_body *body, const unsigned char *chosen, int *list, int *count,
                            pl_error *error)
{
  const double *first = NULL, *last = NULL, *X = body->mesh->nodes;
  double axis[3], across[3], way[3], area = 0, size = pl_body_size(body);
  for (int n = 0; n < body->mesh->node_count; n++) {
    if (!chosen[n]) continue;
    if (!first) first = X + 3 * (size_t)n;
    if (!last || pl_vec3_distance(X + 3 * (size_t)n, first) > pl_vec3_distance(last, first))
      last = X + 3 * (size_t)n;
  }
  for (int n = 0; n < body->mesh->node_count && first; n++) {
    if (!chosen[n]) continue;
    pl_vec3_sub(last, first, axis);
    pl_vec3_sub(X + 3 * (size_t)n, first, way);
    pl_vec3_cross(axis, way, across);
    area = fmax(area, pl_vec3_norm(across));
  }
  if (!(area > IN_LINE * size * size))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the region holds nodes of the rigid body \"%.80s\" that lie in a line or a "
                   "point, about which it could still turn; use hinge=\"axis\" or \"ball\" of its "
                   "model, or a larger region",
                   body->name);
  for (int i = 0; i < body->blocks; i++) list[(*count)++] = i;
  return PL_OK;
}

/* Nodes in the mesh's numbering become inside ones, ascending; inside: room for marks. */
static pl_status list_chosen(const pl_body *body, const unsigned char *chosen,
                             unsigned char *inside, int as_blocks, int *list, int *count,
                             pl_error *error)
{
  if (as_blocks && body->model->ops->is_rigid) return held_whole(body, chosen, list, count, error);
  if (as_blocks && body->model->frame_count) return held_frames(body, chosen, list, count, error);
  for (int n = 0; n < body->mesh->node_count; n++) {
    inside[n] = chosen[body->order[n]];
    if (inside[n] && !as_blocks) list[(*count)++] = n;
  }
  return as_blocks ? pl_body_held_blocks(body, inside, list, count, error) : PL_OK;
}

pl_status pl_body_refuse_region(const pl_body *body, const char *what, int where_count,
                                pl_error *error)
{
  if (where_count)
    return pl_fail(error, PL_E_ARGUMENT, "the region holds no %s of body \"%.80s\"", what,
                   body->name);
  return pl_fail(error, PL_E_ARGUMENT,
                 "no region of body \"%.80s\" is given; name a set of its mesh or a region, "
                 "\"all\" for all of it",
                 body->name);
}

pl_status pl_body_select(const pl_bodies *bodies, const pl_body *body, const pl_selector *where,
                         int where_count, int as_blocks, int **list, int *count, pl_error *error)
{
  size_t nodes = (size_t)body->mesh->node_count;
  size_t room = as_blocks && body->model->frame_count ? (size_t)body->blocks : nodes;
  int chosen_count = 0;
  unsigned char *chosen = pl_alloc(bodies->allocator, 2 * nodes, 1);
  *list = pl_alloc(bodies->allocator, room, sizeof(int));
  *count = 0;
  pl_status status = chosen && *list ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_nodes(body->mesh, where, where_count, chosen, &chosen_count, error);
  if (!status && chosen_count == 0)
    status = pl_body_refuse_region(body, "node", where_count, error);
  if (!status) status = list_chosen(body, chosen, chosen + nodes, as_blocks, *list, count, error);
  pl_free(bodies->allocator, chosen);
  return status;
}
