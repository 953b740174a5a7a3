/* The state's room, and states as bytes: saving, loading, checking.
 *
 * A saved state is a head and the block of numbers. The head says what world it fits and carries a
 * checksum of everything behind it, so that a damaged one is refused. Byte order and the layout of
 * numbers are this machine's; the mark in front differs elsewhere. */
#include "world/state.h"

#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "ode/newton.h"
#include "sparse/passes.h"
#include "world/vectors.h"

#include <math.h>
#include <string.h>

/* ---- room ---- */

static pl_layout layout_of(const pl_world *world)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->set.integrator.member;
  pl_layout to = {.v = 3 * (size_t)world->bodies.blocks};
  to.integrator = 2 * to.v;
  to.couplings = to.integrator + pl_integrator_memory(ops, world->bodies.blocks);
  to.count = to.couplings;
  for (size_t i = 0; i < world->couplings.count; i++) {
    const pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->memory) to.count += coupling->ops->memory(coupling);
  }
  to.materials = to.count;
  for (size_t b = 0; b < world->bodies.count; b++)
    to.count += pl_model_memory(world->bodies.list[b].model);
  return to;
}

/* Is the state at the beginning of a substep asked for? */
static int needs_before(const pl_world *world)
{
  int needed = world->set.tolerance > 0 || pl_fallback_is_needed(world);
  for (size_t i = 0; i < world->couplings.count; i++) {
    const pl_coupling_ops *ops = world->couplings.list[i]->ops;
    needed |= ops->revise || ops->finish || ops->makes_pairs;
  }
  return needed;
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* Copies as much as both have room for. */
static void copy_memory(const double *from, size_t kept, size_t room, void *to)
{
  if (from) memcpy(to, from, min(kept, room) * sizeof *from);
}

/* Moves what couplings and laws remember to its new place. */
static void move_memory(pl_world *world, double *to)
{
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    size_t count = coupling->ops->memory ? coupling->ops->memory(coupling) : 0;
    copy_memory(coupling->memory, coupling->memory_count, count, to);
    coupling->memory = count ? to : NULL;
    coupling->memory_count = count;
    to += count;
  }
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    size_t count = pl_model_memory(body->model);
    copy_memory(body->memory, body->memory_count, count, to);
    body->memory = count ? to : NULL;
    body->memory_count = count;
    to += count;
  }
}

static void place(const pl_layout *layout, double *numbers, pl_state *state)
{
  state->numbers = state->q = numbers;
  state->v = numbers ? numbers + layout->v : NULL;
  state->materials = numbers ? numbers + layout->materials : NULL;
  state->is_packed = 0;
}

pl_status pl_world_resize(pl_world *world, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  pl_layout to = layout_of(world);
  double *fresh[3];
  pl_world_settle(world);
  int count = needs_before(world) ? 3 : 2, failed = 0;
  for (int i = 0; i < 3; i++) {
    fresh[i] = i < count ? pl_alloc(allocator, to.count, sizeof(double)) : NULL;
    failed |= i < count && !fresh[i];
  }
  for (int i = 0; i < 3 && failed; i++) pl_free(allocator, fresh[i]);
  if (failed) return pl_fail_memory(error);
  size_t kept = min(to.v, world->layout.v) * sizeof(double);
  if (world->state.numbers) {
    memcpy(fresh[0], world->state.q, kept);
    memcpy(fresh[0] + to.v, world->state.v, kept);
  }
  move_memory(world, fresh[0] + to.couplings);
  pl_state *states[] = {&world->state, &world->saved, &world->before};
  pl_world_free_numbers(world);
  for (int i = 0; i < 3; i++) {
    pl_free(allocator, states[i]->numbers);
    place(&to, fresh[i], states[i]);
  }
  world->layout = to;
  return PL_OK;
}

void pl_world_recall(pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    pl_model_begin(body->model, body->memory);
  }
}

void pl_world_settle(const pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++)
    pl_model_settle(world->bodies.list[b].model, world->pool);
}

/* Few numbers at once: they are not worth a job. */
static void copy_many(const pl_world *world, const double *from, double *to, size_t count)
{
  enum { FEW = 512 };
  size_t blocks = count / 3 <= INT32_MAX && count > FEW ? count / 3 : 0;
  pl_pass_copy(from, to, (int)blocks, 1, world->pool);
  memcpy(to + 3 * blocks, from + 3 * blocks, (count - 3 * blocks) * sizeof *to);
}

/* q, v and the vectors of the integrator by blocks, then what is left but the materials. */
static void copy_numbers(const pl_world *world, const double *from, double *to)
{
  const pl_layout *layout = &world->layout;
  int blocks = world->bodies.blocks, vectors = blocks ? (int)(layout->couplings / layout->v) : 0;
  size_t done = (size_t)vectors * layout->v;
  pl_pass_copy(from, to, blocks, vectors, world->pool);
  copy_many(world, from + done, to + done, layout->materials - done);
}

void pl_state_copy(pl_world *world, const pl_state *from, pl_state *to)
{
  const pl_state room = *to;
  if (room.is_packed)
    pl_vectors_pack(world, from->numbers, room.numbers);
  else if (from->is_packed)
    pl_vectors_unpack(world, from->numbers, room.numbers);
  else
    copy_numbers(world, from->numbers, room.numbers);
  *to = *from;
  to->is_packed = room.is_packed;
  to->numbers = room.numbers;
  to->shared = room.shared;
  to->q = room.q;
  to->v = room.v;
  if (to != &world->state || room.materials == from->materials) return;
  to->materials = room.materials;
  pl_world_take_room(world, from->materials);
  pl_world_recall(world);
}

double *pl_world_free_room(const pl_world *world)
{
  const double *saved = world->saved.materials, *before = world->before.materials;
  const pl_state *states[] = {&world->state, &world->saved, &world->before};
  double *room = world->state.materials;
  for (int i = 0; (room == saved || room == before) && i < 3; i++) {
    if (states[i]->numbers)
      room = states[i]->numbers +
             (states[i]->is_packed ? pl_vectors_packed(world) : world->layout.materials);
  }
  return room;
}

void pl_world_take_room(pl_world *world, double *room)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    if (body->memory) body->memory = room + (body->memory - world->state.materials);
  }
  world->state.materials = room;
}

/* ---- as bytes ---- */

enum { STATE_VERSION = 4 };

typedef struct head {
  uint64_t mark;
  uint64_t checksum; /* of all that follows */
  uint64_t version;
  uint64_t integrator, couplings; /* hashes of who remembers something */
  uint64_t blocks, couplings_at, count;
  uint64_t matrix; /* numbers behind those: the integrator's matrix, if it keeps one over steps */
  int64_t steps, epoch_steps;
  double time, epoch, dt;
} head;

_Static_assert(sizeof(head) <= PL_STATE_HEAD, "PL_STATE_HEAD is too small");

static const uint64_t mark = UINT64_C(0x506c69616e745333);

static uint64_t hash_text(uint64_t hash, const char *text)
{
  for (; *text; text++) {
    int64_t letter = *text;
    hash = pl_hash_words(hash, &letter, 1);
  }
  return hash;
}

/* The integrator with all its settings. */
static uint64_t integrator_hash(const pl_world *world)
{
  uint64_t hash = hash_text(PL_HASH_START, world->set.integrator.member->name);
  return pl_hash_words(hash, world->set.integrator.values, PL_MOST_VALUES);
}

/* What couplings and laws remember, one after the other. */
static uint64_t couplings_hash(const pl_world *world)
{
  uint64_t hash = PL_HASH_START;
  for (size_t i = 0; i < world->couplings.count; i++) {
    const pl_coupling *coupling = world->couplings.list[i];
    if (!coupling->ops->memory) continue;
    int64_t count = (int64_t)coupling->ops->memory(coupling);
    hash = pl_hash_words(hash_text(hash, coupling->ops->info.name), &count, 1);
  }
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    int64_t count = (int64_t)pl_model_memory(body->model);
    hash = pl_hash_words(hash_text(hash, body->law.member->name), &count, 1);
  }
  return hash;
}

/* Hashes from the word behind the checksum to the end. */
static uint64_t checksum_of(const char *bytes, size_t size)
{
  const size_t skipped = offsetof(head, version);
  return pl_hash_words(PL_HASH_START, bytes + skipped, (size - skipped) / 8);
}

static size_t bytes_of(uint64_t count) { return sizeof(head) + (size_t)count * sizeof(double); }

/* A matrix that is kept over steps belongs to the state as well: it was made from states that are
 * gone. It is not copied in every step, only where the state is saved. */
static size_t matrix_count(const pl_world *world)
{
  const pl_bsr *A = world->system.A;
  if (!world->ready || !A || !pl_newton_keeps(world->integrator)) return 0;
  return PL_KEPT_NUMBERS + 9 * (size_t)A->start[A->rows];
}

static void put_matrix(const pl_world *world, char *to)
{
  const pl_bsr *A = world->system.A;
  double known[PL_KEPT_NUMBERS];
  pl_newton_put(world->integrator, known);
  // what is not in force need not be finite
  if (known[3] == 0) return;
  memcpy(to, known, sizeof known);
  memcpy(to + sizeof known, A->values, 9 * (size_t)A->start[A->rows] * sizeof(double));
}

static void take_matrix(pl_world *world, const char *from)
{
  const pl_bsr *A = world->system.A;
  double known[PL_KEPT_NUMBERS];
  memcpy(known, from, sizeof known);
  pl_newton_take(world->integrator, known);
  memcpy(A->values, from + sizeof known, 9 * (size_t)A->start[A->rows] * sizeof(double));
  pl_solver_forget(world->system.solver);
}

/* The numbers as they are; those of couplings and an integrator that have not been prepared yet are
 * zero. */
static void put(const pl_world *world, const pl_layout *layout, char *to)
{
  size_t size = sizeof(double);
  if (!world->state.numbers) return;
  // where a body was removed, v does not follow q until the next step
  memcpy(to, world->state.q, layout->v * size);
  memcpy(to + layout->v * size, world->state.v, layout->v * size);
  if (world->ready)
    memcpy(to + layout->integrator * size, world->state.numbers + layout->integrator,
           (layout->couplings - layout->integrator) * size);
  to += layout->couplings * size;
  for (size_t i = 0; i < world->couplings.count; i++) {
    const pl_coupling *coupling = world->couplings.list[i];
    size_t count = coupling->ops->memory ? coupling->ops->memory(coupling) : 0;
    copy_memory(coupling->memory, coupling->memory_count, count, to);
    to += count * size;
  }
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    size_t count = pl_model_memory(body->model);
    copy_memory(body->memory, body->memory_count, count, to);
    to += count * size;
  }
}

size_t pl_world_bare_size(const pl_world *world)
{
  return bytes_of(layout_of(world).count + pl_world_tree_words(world));
}

size_t pl_world_saved_size(const char bytes[PL_STATE_HEAD], size_t tree_words)
{
  head first;
  memcpy(&first, bytes, sizeof first);
  if (first.mark != mark || first.version != STATE_VERSION || first.count > SIZE_MAX / 32) return 0;
  return bytes_of(first.count + tree_words);
}

size_t pl_world_state_size(const pl_world *world)
{
  return pl_world_bare_size(world) + matrix_count(world) * sizeof(double);
}

static pl_status save(const pl_world *world, size_t matrix, void *memory, size_t size,
                      pl_error *error)
{
  pl_layout layout = layout_of(world);
  size_t wanted = bytes_of(layout.count + matrix + pl_world_tree_words(world));
  if (!memory || size != wanted)
    return pl_fail(error, PL_E_ARGUMENT, "the state of this world takes %zu bytes, not %zu%s",
                   wanted, size, memory ? "" : " at NULL");
  head first = {.mark = mark,
                .version = STATE_VERSION,
                .integrator = integrator_hash(world),
                .couplings = couplings_hash(world),
                .blocks = (uint64_t)world->bodies.blocks,
                .couplings_at = layout.couplings,
                .count = layout.count,
                .matrix = matrix,
                .steps = world->state.steps,
                .epoch_steps = world->state.epoch_steps,
                .time = world->state.time,
                .epoch = world->state.epoch,
                .dt = world->set.dt};
  char *to = memory;
  pl_world_settle(world);
  memset(to, 0, size);
  memcpy(to, &first, sizeof first);
  put(world, &layout, to + sizeof first);
  if (matrix) put_matrix(world, to + bytes_of(layout.count));
  pl_world_put_trees(world, to + bytes_of(layout.count + matrix));
  first.checksum = checksum_of(to, size);
  memcpy(to, &first, sizeof first);
  return PL_OK;
}

pl_status pl_world_save_state(const pl_world *world, void *memory, size_t size, pl_error *error)
{
  return save(world, matrix_count(world), memory, size, error);
}

pl_status pl_world_save_bare(const pl_world *world, void *memory, size_t size, pl_error *error)
{
  return save(world, 0, memory, size, error);
}

/* Of doubles that may stand anywhere. */
static int are_finite(const char *from, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    double value;
    memcpy(&value, from + i * sizeof value, sizeof value);
    if (!isfinite(value)) return 0;
  }
  return 1;
}

/* Are the bytes whole? */
static pl_status check_bytes(const pl_world *world, const head *first, const char *bytes,
                             size_t size, pl_error *error)
{
  if (first->mark != mark || first->version != STATE_VERSION)
    return pl_fail(error, PL_E_ARGUMENT,
                   "these bytes are not a state of this version of pliant, or of another machine");
  if (first->count > SIZE_MAX / 32 || first->matrix > SIZE_MAX / 32 ||
      size != bytes_of(first->count + first->matrix + pl_world_tree_words(world)))
    return pl_fail(error, PL_E_ARGUMENT, "a state of %zu bytes was cut or is damaged", size);
  if (first->checksum != checksum_of(bytes, size))
    return pl_fail(error, PL_E_ARGUMENT, "these bytes are damaged: their checksum is wrong");
  return PL_OK;
}

/* Is it a state of this world, with its forests as they are now? */
static pl_status check(const pl_world *world, const head *first, const char *bytes, pl_error *error)
{
  if (first->blocks != (uint64_t)world->bodies.blocks || first->couplings_at > first->count ||
      first->couplings_at < 6 * first->blocks || !isfinite(first->time + first->epoch) ||
      !are_finite(bytes + sizeof *first, (size_t)(first->count + first->matrix)))
    return pl_fail(error, PL_E_ARGUMENT, "these bytes are not a state of this world");
  return PL_OK;
}

/* Takes numbers over where this world has room for the same. */
static void take(pl_world *world, const head *first, const char *numbers)
{
  const pl_layout *layout = &world->layout;
  const pl_state *state = &world->state;
  size_t size = sizeof(double), ends = (size_t)first->count - (size_t)first->couplings_at;
  size_t couplings = layout->materials - layout->couplings;
  size_t materials = layout->count - layout->materials;
  memcpy(state->numbers, numbers, 2 * layout->v * size);
  // what was remembered means something to the same integrator and couplings only
  memset(state->numbers + layout->integrator, 0, (layout->materials - layout->integrator) * size);
  if (materials) memset(state->materials, 0, materials * size);
  pl_integrator_begin(world->integrator);
  if (first->integrator == integrator_hash(world) && first->couplings_at == layout->couplings)
    memcpy(state->numbers + layout->integrator, numbers + layout->integrator * size,
           (layout->couplings - layout->integrator) * size);
  if (first->integrator == integrator_hash(world) && first->matrix &&
      first->matrix == matrix_count(world))
    take_matrix(world, numbers + (size_t)first->count * size);
  if (first->couplings != couplings_hash(world) || ends != couplings + materials) return;
  numbers += (size_t)first->couplings_at * size;
  memcpy(state->numbers + layout->couplings, numbers, couplings * size);
  if (materials) memcpy(state->materials, numbers + couplings * size, materials * size);
}

pl_status pl_world_load_state(pl_world *world, const void *memory, size_t size, pl_error *error)
{
  head first;
  if (!memory || size < sizeof first)
    return pl_fail(error, PL_E_ARGUMENT, "a state of this world takes %zu bytes, not %zu%s",
                   pl_world_state_size(world), size, memory ? "" : " at NULL");
  memcpy(&first, memory, sizeof first);
  pl_status status = check_bytes(world, &first, memory, size, error);
  if (!status)
    status = pl_world_take_trees(world, (const char *)memory + bytes_of(first.count + first.matrix),
                                 error);
  if (!status) status = check(world, &first, memory, error);
  if (!status) status = pl_world_prepare(world, error);
  if (status) return status;
  pl_world_settle(world);
  take(world, &first, (const char *)memory + sizeof first);
  world->tally.knows_contacts = 0;
  pl_world_recall(world);

  // with another dt than then, time is counted from here
  int same = first.dt == world->set.dt;
  world->state.time = first.time;
  world->state.steps = first.steps;
  world->state.epoch = same ? first.epoch : first.time;
  world->state.epoch_steps = same ? first.epoch_steps : first.steps;
  return PL_OK;
}
