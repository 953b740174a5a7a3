/* What stands behind the numbers of a saved state: the forests of refined meshes, for each such
 * body the step of its last change and a bit for each tetrahedron, refined or not; then the state
 * of the guide. Their number does not change while it runs. */
#include "core/error.h"
#include "core/memory.h"
#include "world/guide.h"

#include <string.h>

/* Without a matrix that the guide keeps, whose size would change with the first step. */
static size_t guide_words(const pl_world *world)
{
  return world->set.guide ? pl_world_bare_size(world->set.guide->world) / 8 : 0;
}

static size_t words_of(const pl_body *body)
{
  return body->refinement ? 1 + (body->refinement->forest->tet_count + 63) / 64 : 0;
}

size_t pl_world_tree_words(const pl_world *world)
{
  size_t sum = 0;
  for (size_t b = 0; b < world->bodies.count; b++) sum += words_of(&world->bodies.list[b]);
  return sum + guide_words(world);
}

void pl_world_put_trees(const pl_world *world, char *to)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_refinement *it = world->bodies.list[b].refinement;
    if (!it) continue;
    memcpy(to, &it->changed_at, 8);
    unsigned char *bits = (unsigned char *)to + 8;
    for (size_t t = 0; t < it->forest->tet_count; t++)
      bits[t / 8] |= (unsigned char)((it->forest->tets[t].refined != 0) << t % 8);
    to += 8 * words_of(&world->bodies.list[b]);
  }
  if (world->set.guide)
    (void)pl_world_save_bare(world->set.guide->world, to, 8 * guide_words(world), NULL);
}

/* The body with the forest of these bits. */
static pl_status take(pl_world *world, int index, const char *from, pl_error *error)
{
  pl_refinement *it = world->bodies.list[index].refinement;
  size_t count = it->forest->tet_count, differ = 0;
  const unsigned char *bits = (const unsigned char *)from + 8;
  unsigned char *flags = pl_alloc(&world->allocator, count, 1);
  double loss = it->kinetic_loss;
  if (!flags) return pl_fail_memory(error);
  for (size_t t = 0; t < count; t++) {
    flags[t] = bits[t / 8] >> t % 8 & 1;
    differ += flags[t] != (it->forest->tets[t].refined != 0);
  }
  pl_status status = differ ? pl_forest_set(it->forest, flags, error) : PL_OK;
  if (differ && !status) status = pl_world_remesh(world, index, 0, error);
  pl_free(&world->allocator, flags);
  it->kinetic_loss = loss;
  memcpy(&it->changed_at, from, 8);
  return status;
}

pl_status pl_world_take_trees(pl_world *world, const char *from, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    if (!world->bodies.list[b].refinement) continue;
    status = take(world, (int)b, from, error);
    from += 8 * words_of(&world->bodies.list[b]);
  }
  if (!status && world->set.guide)
    status = pl_world_load_state(world->set.guide->world, from, 8 * guide_words(world), error);
  return status;
}
