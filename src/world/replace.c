/* Another model in the place of a body's. */
#include "world/replace.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

void pl_replace_begin(const pl_world *world, int body, pl_replacement *to)
{
  *to = (pl_replacement){.body = body, .after = world->bodies.list[body]};
  to->after.model = NULL;
}

static pl_status make_model(const pl_world *world, pl_replacement *to, pl_error *error)
{
  pl_body *body = &to->after;
  pl_material material;
  const pl_sites sites = pl_body_sites(&world->bodies, body);
  pl_status status = pl_material_make(&body->material, &body->law, &material, error);
  if (!status)
    status = pl_body_build(&world->allocator, body, &body->material, &material, &sites,
                           &body->model, error);
  if (status) return status;
  to->shift = body->model->blocks - body->blocks;
  body->blocks = body->model->blocks;
  if (body->nodal || !body->model->ops->nodes) return PL_OK;
  body->nodal = pl_alloc(&world->allocator, (size_t)body->mesh->node_count * 6, sizeof(double));
  return body->nodal ? PL_OK : pl_fail_memory(error);
}

static pl_status make_vectors(const pl_world *world, pl_replacement *to, pl_error *error)
{
  size_t numbers = (size_t)(world->bodies.blocks + to->shift) * 3;
  size_t nodes = (size_t)to->after.mesh->node_count * 3;
  double **vectors[] = {&to->state.q, &to->state.v, &to->saved.q, &to->saved.v, &to->x, &to->speed};
  for (int i = 0; i < 6; i++) {
    *vectors[i] = pl_alloc(&world->allocator, i < 4 ? numbers : nodes, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  return PL_OK;
}

/* The blocks that the body's fixes will hold. */
static pl_status follow_fixes(const pl_world *world, pl_replacement *to, pl_error *error)
{
  const pl_body *body = &world->bodies.list[to->body];
  size_t total = 0, used = 0, nodes = (size_t)body->mesh->node_count;
  for (size_t f = 0; f < world->fix_count; f++)
    total += world->fixes[f].body == to->body ? (size_t)world->fixes[f].count : 0;
  to->held = pl_alloc(&world->allocator, total, sizeof(int));
  to->held_counts = pl_alloc(&world->allocator, world->fix_count, sizeof(int));
  unsigned char *chosen = pl_alloc(&world->allocator, nodes, 1);
  pl_status status = to->held && to->held_counts && chosen ? PL_OK : pl_fail_memory(error);
  for (size_t f = 0; f < world->fix_count && !status; f++) {
    const pl_fix *fix = &world->fixes[f];
    int *held = to->held + used, *count = &to->held_counts[f];
    *count = fix->count;
    if (fix->body != to->body) continue;
    memcpy(held, fix->nodes, (size_t)fix->count * sizeof *held);
    used += (size_t)fix->count;
    // frames that are held keep their numbers
    if (to->after.model->frame_count) continue;
    memset(chosen, 0, nodes);
    for (int i = 0; i < fix->count; i++) chosen[pl_body_anchor(body, fix->nodes[i])] = 1;
    status = pl_body_held_blocks(&to->after, chosen, held, count, error);
  }
  pl_free(&world->allocator, chosen);
  return status;
}

static void copy_state(const pl_world *world, const pl_replacement *to)
{
  const pl_body *body = &world->bodies.list[to->body];
  const double *from[2] = {world->state.q, world->state.v};
  double *into[2] = {to->state.q, to->state.v};
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
  if (!status) status = make_vectors(world, to, error);
  if (!status) status = follow_fixes(world, to, error);
  if (!status) status = pl_pulls_reserve(world, to->body, error);
  if (!status) copy_state(world, to);
  return status;
}

void pl_replace_commit(pl_world *world, pl_replacement *what)
{
  pl_body *body = &world->bodies.list[what->body];
  pl_body before = *body;
  pl_world_unprepare(world);
  *body = what->after;
  what->after = before;
  for (size_t b = (size_t)what->body + 1; b < world->bodies.count; b++)
    world->bodies.list[b].offset += what->shift;
  double **vectors[] = {&world->state.q, &world->state.v, &world->saved.q, &world->saved.v};
  double **fresh[] = {&what->state.q, &what->state.v, &what->saved.q, &what->saved.v};
  for (int i = 0; i < 4; i++) {
    double *old = *vectors[i];
    *vectors[i] = *fresh[i];
    *fresh[i] = old;
  }
  world->bodies.blocks += what->shift;
  const int *held = what->held;
  for (size_t f = 0; f < world->fix_count; f++) {
    pl_fix *fix = &world->fixes[f];
    if (fix->body != what->body) continue;
    memcpy(fix->nodes, held, (size_t)fix->count * sizeof *held);
    held += fix->count;
    fix->count = what->held_counts[f];
  }
  pl_pulls_follow(world, what->body, what->shift);
}

void pl_replace_drop(const pl_world *world, pl_replacement *what)
{
  const pl_allocator *allocator = &world->allocator;
  const pl_body *kept = &world->bodies.list[what->body];
  pl_body *gone = &what->after;
  if (gone->model != kept->model) pl_model_destroy(gone->model);
  if (gone->ties.parts != kept->ties.parts) pl_ties_release(allocator, &gone->ties);
  void *pairs[][2] = {{gone->sites, kept->sites}, {gone->reach, kept->reach},
                      {gone->idle, kept->idle},   {gone->rigid, kept->rigid},
                      {gone->nodal, kept->nodal}, {gone->skin, kept->skin}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i][0] != pairs[i][1]) pl_free(allocator, pairs[i][0]);
  }
  void *arrays[] = {what->state.q, what->state.v, what->saved.q, what->saved.v,
                    what->x,       what->speed,   what->held,    what->held_counts};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}
