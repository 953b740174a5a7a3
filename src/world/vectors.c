#include "world/vectors.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/divided.h"
#include "ode/share.h"

#include <string.h>

static const pl_integrator_ops *method(const pl_world *world)
{
  return (const pl_integrator_ops *)world->set.integrator.member;
}

/* ---- which worlds ---- */

/* Do forces of a coupling at a block depend on others? */
static int reaches(const pl_world *world, const pl_coupling *coupling)
{
  if (!coupling->ops->evaluate || coupling->ops == &pl_coupling_gravity) return 0;
  if (coupling->ops != &pl_coupling_drag) return 1;
  int spares = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    spares |= pl_body_spares_rigid_motion(&world->bodies.list[b]);
  return spares;
}

static int needs_all(const pl_world *world)
{
  int all = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    all |= pl_model_owners(world->bodies.list[b].model) == NULL;
  for (size_t i = 0; i < world->couplings.count; i++)
    all |= reaches(world, world->couplings.list[i]);
  return all;
}

/* What ode/share.h does not serve, if it is there; cvode has vectors of its own. */
static const char *obstacle(const pl_world *world)
{
  const pl_system *system = &world->system;
  const pl_integrator_ops *ops = method(world);
  return !ops->is_implicit              ? "the method is explicit"
         : ops == &pl_integrator_cvode  ? "cvode has vectors of its own"
         : system->ops->chart           ? "blocks rotate (frames, rigid parts)"
         : system->filter.mpcs          ? "exact attachments reach over ranks"
         : system->safe                 ? "response=\"barrier\" follows the ways of all nodes"
         : system->strikes              ? "response=\"impulse\" changes velocities of all nodes"
         : pl_fallback_is_needed(world) ? "a budget has a second integrator"
                                        : NULL;
}

static int suits(const pl_world *world)
{
  int is_divided = 0;
  if (!world->bodies.ranks) return 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    is_divided |= pl_model_owners(world->bodies.list[b].model) != NULL;
  const char *why = is_divided ? obstacle(world) : NULL;
  if (why) pl_log_write(&world->log, PL_NOTE, "every rank holds all vectors, since %s", why);
  return is_divided && !why;
}

/* ---- the saved state ---- */

static size_t past_numbers(const pl_world *world) { return pl_integrator_memory(method(world), 0); }

static size_t numbers_here(const pl_world *world) { return 3 * (size_t)pl_vectors_blocks(world); }

/* Where the k-th vector of a state begins: q, v, what the integrator remembers. */
static size_t vector_at(const pl_world *world, int k, size_t length)
{
  return (size_t)k * length + (k > 1 ? past_numbers(world) : 0);
}

static int vector_count(const pl_world *world) { return 2 + method(world)->history; }

/* Where what is no vector begins, behind the last of them. */
static size_t tail_at(const pl_world *world, size_t length)
{
  return (size_t)vector_count(world) * length + past_numbers(world);
}

size_t pl_vectors_packed(const pl_world *world)
{
  return tail_at(world, numbers_here(world)) + world->layout.materials - world->layout.couplings;
}

static void copy_others(const pl_world *world, const double *from, size_t from_length, double *to,
                        size_t to_length)
{
  size_t tail = world->layout.materials - world->layout.couplings;
  memcpy(to + 2 * to_length, from + 2 * from_length, past_numbers(world) * sizeof *to);
  memcpy(to + tail_at(world, to_length), from + tail_at(world, from_length), tail * sizeof *to);
}

void pl_vectors_pack(const pl_world *world, const double *all, double *packed)
{
  size_t here = numbers_here(world), length = world->layout.v;
  for (int k = 0; k < vector_count(world); k++)
    pl_layout_take(world->vectors.share->layout, all + vector_at(world, k, length),
                   packed + vector_at(world, k, here));
  copy_others(world, all, length, packed, here);
}

void pl_vectors_unpack(const pl_world *world, const double *packed, double *all)
{
  size_t here = numbers_here(world), length = world->layout.v;
  for (int k = 0; k < vector_count(world); k++) {
    double *to = all + vector_at(world, k, length);
    pl_layout_put(world->vectors.share->layout, packed + vector_at(world, k, here), to);
    pl_partition_complete(world->partition, to);
  }
  copy_others(world, packed, here, all, length);
}

/* In place of room for all blocks. */
static pl_status make_saved(pl_world *world, pl_error *error)
{
  pl_state *saved = &world->saved;
  size_t front = pl_vectors_packed(world);
  double *numbers = pl_alloc(&world->allocator,
                             front + world->layout.count - world->layout.materials, sizeof(double));
  if (!numbers) return pl_fail_memory(error);
  pl_free(&world->allocator, saved->numbers);
  *saved = (pl_state){.numbers = numbers, .materials = numbers + front, .is_packed = 1};
  return PL_OK;
}

/* ---- making it ---- */

pl_status pl_vectors_prepare(pl_world *world, pl_error *error)
{
  if (!suits(world)) return PL_OK;
  pl_share **share = &world->vectors.share;
  pl_status status =
      pl_share_create(&world->allocator, &world->system, world->bodies.ranks, share, error);
  if (status) return status;
  (*share)->needs_all = needs_all(world);
  (*share)->dual = world->vectors.scratch;
  (*share)->primal = world->vectors.work;
  // residuals are kept by the share alone
  pl_free(&world->allocator, world->system.unfiltered);
  world->system.unfiltered = NULL;
  return make_saved(world, error);
}

pl_status pl_vectors_connect(pl_world *world, pl_error *error)
{
  if (!world->vectors.share) return PL_OK;
  pl_status status = pl_layout_connect(world->vectors.share->layout, error);
  return world->bodies.ranks->agree(world->bodies.ranks, status, error);
}

void pl_vectors_release(pl_world *world)
{
  pl_share_destroy(world->vectors.share);
  world->vectors.share = NULL;
}

int pl_vectors_blocks(const pl_world *world)
{
  const pl_share *share = world->vectors.share;
  return share ? pl_share_blocks(share) : world->bodies.blocks;
}

/* ---- a step ---- */

static void leave_forces(const pl_world *world, int leaves)
{
  for (size_t b = 0; b < world->bodies.count; b++)
    pl_divided_leave(world->bodies.list[b].model, leaves);
}

pl_status pl_vectors_step(pl_world *world, const pl_substep *step, pl_step_report *report,
                          pl_error *error)
{
  pl_share *share = world->vectors.share;
  double *memory = world->state.numbers + world->layout.integrator;
  share->q = step->q;
  share->v = step->v;
  leave_forces(world, 1);
  pl_status status =
      pl_share_step(share, world->integrator, step->t, step->h,
                    memory + pl_integrator_memory(world->integrator->ops, 0), report, error);
  leave_forces(world, 0);
  return status;
}
