/* The coupling "load": where a load acts, over time, on bodies of any model. */
#include "couple/load.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_load_##name.info,
PL_FAMILY(load, "what pushes a body", PL_LOADS(X));
#undef X

/* ---- making one ---- */

/* Equal shares of the chosen nodes. */
static pl_status share_nodes(const pl_bodies *bodies, const pl_body *body, const pl_load_def *def,
                             pl_load_shape *shape, pl_error *error)
{
  pl_status status = pl_body_select(bodies, body, def->where, def->where_count, 0, &shape->nodes,
                                    &shape->node_count, error);
  if (status) return status;
  shape->weights = pl_alloc(bodies->allocator, (size_t)shape->node_count, sizeof(double));
  if (!shape->weights) return pl_fail_memory(error);
  for (int i = 0; i < shape->node_count; i++) shape->weights[i] = 1.0 / shape->node_count;
  return PL_OK;
}

/* Shares by which a load on faces of quadratic elements is exact where it is even: a face of four
 * triangles loads its midpoints by a third each and its corners not at all. */
static pl_status share_middles(const pl_bodies *bodies, const pl_mesh *mesh,
                               const unsigned char *chosen, int count, pl_load_shape *shape,
                               pl_error *error)
{
  unsigned char *middle = pl_alloc(bodies->allocator, (size_t)mesh->node_count, 1);
  shape->shares = pl_alloc(bodies->allocator, 3 * (size_t)count, sizeof *shape->shares);
  if (middle && shape->shares) pl_mesh_mark_middles(mesh, middle);
  for (int face = 0, k = 0; middle && shape->shares && face < mesh->face_count; face++) {
    const int *nodes = mesh->faces + 3 * face;
    int middles = middle[nodes[0]] + middle[nodes[1]] + middle[nodes[2]];
    for (int a = 0; chosen[face] && a < 3; a++)
      shape->shares[k++] = middle[nodes[a]] ? 1.0 / middles : 0;
  }
  pl_free(bodies->allocator, middle);
  return middle && shape->shares ? PL_OK : pl_fail_memory(error);
}

/* The chosen faces, and every node's share of their rest area. area is scratch per node. */
static pl_status gather_faces(const pl_bodies *bodies, const pl_body *body,
                              const unsigned char *chosen, int count, double *area,
                              pl_load_shape *shape, pl_error *error)
{
  const pl_mesh *mesh = body->mesh;
  int n = mesh->nodes_per_face;
  shape->faces = pl_alloc(bodies->allocator, (size_t)count * (size_t)n, sizeof(int));
  if (!shape->faces) return pl_fail_memory(error);
  shape->nodes_per_face = n;
  if (mesh->quadratic) {
    pl_status status = share_middles(bodies, mesh, chosen, count, shape, error);
    if (status) return status;
  }
  for (int face = 0; face < mesh->face_count; face++) {
    if (!chosen[face]) continue;
    int at = shape->face_count++, *nodes = shape->faces + n * at;
    double vector[3];
    for (int a = 0; a < n; a++) nodes[a] = body->place[mesh->faces[n * face + a]];
    pl_face_area(body->rest, nodes, n, vector);
    double size = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    for (int a = 0; a < n; a++)
      area[nodes[a]] += shape->shares ? size * shape->shares[n * at + a] : size / n;
  }
  for (int i = 0; i < body->mesh->node_count; i++) shape->node_count += area[i] > 0;
  shape->nodes = pl_alloc(bodies->allocator, (size_t)shape->node_count, sizeof(int));
  shape->weights = pl_alloc(bodies->allocator, (size_t)shape->node_count, sizeof(double));
  if (!shape->nodes || !shape->weights) return pl_fail_memory(error);
  for (int i = 0, k = 0; i < body->mesh->node_count; i++) {
    if (!(area[i] > 0)) continue;
    shape->nodes[k] = i;
    shape->weights[k++] = area[i];
  }
  return PL_OK;
}

static pl_status share_faces(const pl_bodies *bodies, const pl_body *body, const pl_load_def *def,
                             pl_load_shape *shape, pl_error *error)
{
  const pl_allocator *allocator = bodies->allocator;
  unsigned char *chosen = pl_alloc(allocator, (size_t)body->mesh->face_count, 1);
  double *area = pl_alloc(allocator, (size_t)body->mesh->node_count, sizeof(double));
  int count = 0;
  pl_status status = chosen && area ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_faces(body->mesh, def->where, def->where_count, chosen, &count, error);
  if (!status && count == 0) status = pl_body_refuse_region(body, "face", def->where_count, error);
  if (!status) status = gather_faces(bodies, body, chosen, count, area, shape, error);
  pl_free(allocator, chosen);
  pl_free(allocator, area);
  return status;
}

pl_status pl_load_make(pl_load *load, const pl_load_def *def, pl_error *error)
{
  const pl_bodies *bodies = load->base.bodies;
  const pl_body *body = &bodies->list[load->base.acts_on[0]];
  const pl_member *member = NULL;
  pl_status status = pl_choice_resolve(&pl_load_family, &def->load, &member, load->values, error);
  if (status) return status;
  load->ops = (const pl_load_ops *)member;
  load->shape.rest = body->rest;
  status = load->ops->on_faces ? share_faces(bodies, body, def, &load->shape, error)
                               : share_nodes(bodies, body, def, &load->shape, error);
  if (status || !load->ops->is_viscous)
    return status ? status : pl_ramp_copy(bodies->allocator, &def->ramp, &load->ramp, error);
  load->v0 = pl_alloc(bodies->allocator, 3 * (size_t)body->mesh->node_count, sizeof *load->v0);
  if (!load->v0) return pl_fail_memory(error);
  return pl_ramp_copy(bodies->allocator, &def->ramp, &load->ramp, error);
}

static void destroy(pl_coupling *self)
{
  pl_load *load = (pl_load *)self;
  const pl_allocator *allocator = self->bodies->allocator;
  pl_free(allocator, load->shape.nodes);
  pl_free(allocator, load->shape.weights);
  pl_free(allocator, load->shape.faces);
  pl_free(allocator, load->shape.shares);
  pl_free(allocator, load->v0);
  pl_ramp_release(allocator, &load->ramp);
}

/* ---- forces ---- */

void pl_load_block(const pl_load_blocks *to, int a, int b, const double D[9])
{
  const int *rows, *columns;
  double left[9 * PL_MOST_CARRIERS], right[9 * PL_MOST_CARRIERS];
  int height = pl_body_jacobian(to->body, to->q, &a, &rows, NULL, left);
  int width = pl_body_jacobian(to->body, to->q, &b, &columns, NULL, right);
  for (int j = 0; j < width; j++) {
    double half[9], block[9];
    pl_mat3_multiply(D, right + 9 * j, half);
    for (int i = 0; i < height; i++) {
      int row = to->body->offset + rows[i];
      int place = pl_bsr_find(to->A, row, to->body->offset + columns[j]);
      pl_mat3_multiply_tn(left + 9 * i, half, block);
      double *values = to->A->values + 9 * (size_t)place;
      for (int k = 0; k < 9; k++) values[3 * (k % 3) + k / 3] += block[k];
    }
  }
}

/* Are all nodes that the load reads and pushes blocks of the same number? So it is on graded
 * meshes, whose hanging nodes are the last and mostly inside. */
static int is_on_blocks(const pl_body *body, const pl_load_shape *shape)
{
  const pl_model *model = body->model;
  if (!model->ops->nodes) return 1;
  if (!model->node_block) return 0;
  int corners = shape->face_count * shape->nodes_per_face, same = 1;
  for (int i = 0; i < shape->node_count && same; i++)
    same = model->node_block[shape->nodes[i]] == shape->nodes[i];
  for (int i = 0; i < corners && same; i++)
    same = model->node_block[shape->faces[i]] == shape->faces[i];
  return same;
}

/* f += the load, and the matrix += how it turns with blocks that rotate; how it changes with its
 * nodes is the load's own to say. */
static void add_force(const pl_body *body, const pl_load *load, pl_load_at *at, const double *q,
                      double *f, const pl_tangent *curved)
{
  if (at->x == q) {
    if (f) load->ops->add(at, f);
    return;
  }
  size_t numbers = (size_t)body->mesh->node_count * 3;
  double *nodal = body->nodal + 2 * numbers;
  memset(nodal, 0, numbers * sizeof *nodal);
  load->ops->add(at, nodal);
  if (f) body->model->ops->spread(body->model, q, nodal, f);
  if (curved) body->model->ops->curvature(body->model, q, nodal, curved->kq, curved->A);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const pl_load *load = (const pl_load *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  double factor = at->load_scale * pl_ramp_at(&load->ramp, at->t);
  int stiffens = tangent && load->ops->stiffen;
  const pl_tangent *curved = NULL;
  if (tangent && !tangent->semidefinite && body->model->ops->curvature) curved = tangent;
  if (factor == 0 || (!f && !stiffens && !curved)) return;
  const double *q = at->q + 3 * body->offset, *v = at->v + 3 * body->offset;
  pl_load_at here = {.values = load->values,
                     .shape = &load->shape,
                     .factor = factor,
                     .x = q,
                     .v = v,
                     .v0 = load->lags ? load->v0 : NULL};
  if (!is_on_blocks(body, &load->shape)) {
    // velocities behind positions
    size_t numbers = (size_t)body->mesh->node_count * 3;
    body->model->ops->nodes(body->model, q, NULL, body->nodal);
    body->model->ops->nodes(body->model, q, v, body->nodal + numbers);
    here.x = body->nodal;
    here.v = body->nodal + numbers;
  }
  if (f || curved) add_force(body, load, &here, q, f ? f + 3 * body->offset : NULL, curved);
  if (!stiffens) return;
  const pl_load_blocks to = {tangent->kq, tangent->kv, body, q, tangent->A};
  load->ops->stiffen(&here, &to);
}

/* The blocks that carry the nodes of a face, each once; their number. */
static int list_carriers(const pl_body *body, const int *face, int n, int *list, int room)
{
  int count = 0;
  for (int a = 0; a < n; a++) {
    const int *blocks = &face[a];
    const double *weights;
    int carriers = 1;
    if (body->model->ops->carriers)
      carriers = body->model->ops->carriers(body->model, face[a], &blocks, &weights);
    for (int b = 0; b < carriers; b++) {
      int seen = 0;
      while (seen < count && list[seen] != blocks[b]) seen++;
      if (seen == count && count < room) list[count++] = blocks[b];
    }
  }
  return count;
}

/* Faces whose derivative couples blocks that the model may not couple: what carries nodes, or nodes
 * that no spring or relation joins. */
static pl_status cliques(pl_coupling *self, const double *q, pl_cliques **sets, int *count,
                         pl_error *error)
{
  const pl_load *load = (const pl_load *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  int n = load->shape.nodes_per_face, faces = load->shape.face_count, *list;
  size_t room = (size_t)n * PL_MOST_CARRIERS, used = 0;
  (void)q;
  if (!load->ops->stiffen || !faces) return PL_OK;
  list = pl_alloc(self->bodies->allocator, room, sizeof *list);
  if (!list) return pl_fail_memory(error);
  for (int i = 0; i < faces; i++)
    used += (size_t)list_carriers(body, load->shape.faces + n * i, n, list, (int)room);
  pl_free(self->bodies->allocator, list);
  // the numbers stand behind the sets
  *sets = pl_alloc(self->bodies->allocator, 1, (size_t)faces * sizeof **sets + used * sizeof *list);
  if (!*sets) return pl_fail_memory(error);
  list = (int *)(*sets + faces);
  for (int i = 0; i < faces; i++) {
    int own = list_carriers(body, load->shape.faces + n * i, n, list, (int)room);
    (*sets)[i] = (pl_cliques){.count = 1, .size = own, .nodes = list, .offset = body->offset};
    list += own;
  }
  *count = faces;
  return PL_OK;
}

/* Methods that solve linear systems only see viscous loads about the velocity they start with. */
static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_load *load = (pl_load *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  load->lags = load->v0 && step->system->is_linear;
  if (!load->lags) return;
  const double *v = pl_body_nodes(body, step->q + 3 * body->offset, step->v + 3 * body->offset);
  memcpy(load->v0, v, 3 * (size_t)body->mesh->node_count * sizeof *v);
}

const pl_coupling_ops pl_coupling_load = {
    .info = {"load", "a force, traction, pressure, shear or wind on nodes or faces of a body",
             "Hauth 2004, 2.4", NULL, 0, NULL},
    .size = sizeof(pl_load),
    .destroy = destroy,
    .cliques = cliques,
    .begin = begin,
    .evaluate = evaluate,
};
