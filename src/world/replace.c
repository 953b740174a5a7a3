/* Another model in the place of a body's. */
#include "world/replace.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

void pl_replace_begin(const pl_world *world, int body, pl_replacement *to)
{
  *to = (pl_replacement){.body = body, .after = world->bodies.list[body]};
  to->after.model = NULL;
  // what laws remember of points that are no more
  to->after.memory_count = 0;
}

static pl_status make_model(const pl_world *world, pl_replacement *to, pl_error *error)
{
  pl_body *body = &to->after;
  pl_material material;
  const pl_model_def sites = pl_body_sites(&world->bodies, body);
  pl_status status = pl_material_make(&body->material, &body->law, &material, error);
  if (!status)
    status = pl_body_build(&world->allocator, body, &body->material, &material, &sites,
                           &body->model, error);
  if (status) return status;
  to->shift = body->model->blocks - body->blocks;
  body->blocks = body->model->blocks;
  if (body->nodal || !body->model->ops->nodes) return PL_OK;
  body->nodal = pl_alloc(&world->allocator, (size_t)body->mesh->node_count * 9, sizeof(double));
  return body->nodal ? PL_OK : pl_fail_memory(error);
}

static pl_status make_vectors(const pl_world *world, pl_replacement *to, pl_error *error)
{
  size_t numbers = (size_t)(world->bodies.blocks + to->shift) * 3;
  size_t nodes = (size_t)to->after.mesh->node_count * 3;
  double **vectors[] = {&to->q, &to->v, &to->x, &to->speed};
  for (int i = 0; i < 4; i++) {
    *vectors[i] = pl_alloc(&world->allocator, i < 2 ? numbers : nodes, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  return PL_OK;
}

static void copy_state(const pl_world *world, const pl_replacement *to)
{
  const pl_body *body = &world->bodies.list[to->body];
  const double *from[2] = {world->state.q, world->state.v};
  double *into[2] = {to->q, to->v};
  int end = body->offset + body->blocks;
  for (int k = 0; k < 2; k++) {
    memcpy(into[k], from[k], (size_t)body->offset * 3 * sizeof(double));
    memcpy(into[k] + 3 * (end + to->shift), from[k] + 3 * end,
           (size_t)(world->bodies.blocks - end) * 3 * sizeof(double));
  }
  const double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  size_t size = (size_t)body->mesh->node_count * 3 * sizeof(double);
  memcpy(to->x, pl_body_nodes(body, q, NULL), size);
  memcpy(to->speed, pl_body_nodes(body, q, v), size);
}

pl_status pl_replace_build(pl_world *world, pl_replacement *to, pl_error *error)
{
  pl_status status = make_model(world, to, error);
  const pl_renumbering change = {.body = to->body,
                                 .shift = to->shift,
                                 .before = &world->bodies.list[to->body],
                                 .after = &to->after};
  if (!status) status = pl_couplings_can_follow(&world->couplings, &change, error);
  if (!status) status = make_vectors(world, to, error);
  if (!status) copy_state(world, to);
  return status;
}

pl_status pl_replace_commit(pl_world *world, pl_replacement *what, pl_error *error)
{
  pl_body *body = &world->bodies.list[what->body], before = *body;
  world->bodies.blocks += what->shift;
  pl_status status = pl_world_resize(world, error);
  if (status) {
    world->bodies.blocks -= what->shift;
    return status;
  }
  pl_world_unprepare(world);
  memcpy(world->state.q, what->q, world->layout.v * sizeof(double));
  memcpy(world->state.v, what->v, world->layout.v * sizeof(double));
  *body = what->after;
  for (size_t b = (size_t)what->body + 1; b < world->bodies.count; b++)
    world->bodies.list[b].offset += what->shift;
  const pl_renumbering moved = {
      .body = what->body, .shift = what->shift, .before = &before, .after = body};
  pl_couplings_follow(&world->couplings, &moved);
  what->after = before;
  return PL_OK;
}

void pl_replace_drop(const pl_world *world, pl_replacement *what)
{
  const pl_allocator *allocator = &world->allocator;
  const pl_body *kept = &world->bodies.list[what->body];
  pl_body *gone = &what->after;
  if (gone->model != kept->model) pl_model_destroy(gone->model);
  if (gone->ties.parts != kept->ties.parts) pl_ties_release(allocator, &gone->ties);
  void *pairs[][2] = {{gone->sites.at, kept->sites.at},     {gone->sites.reach, kept->sites.reach},
                      {gone->sites.idle, kept->sites.idle}, {gone->rigid, kept->rigid},
                      {gone->nodal, kept->nodal},           {gone->penalty, kept->penalty}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i][0] != pairs[i][1]) pl_free(allocator, pairs[i][0]);
  }
  void *arrays[] = {what->q, what->v, what->x, what->speed};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}
