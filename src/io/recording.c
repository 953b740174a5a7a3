#include "io/recording.h"

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"
#include "world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTE = 1 << 20 };

typedef struct head {
  char magic[8];
  uint64_t shape, note_size, state_size;
} head;

static const char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'R', '2'};

struct pl_recording {
  pl_allocator allocator;
  int file, count;
  head head;
  char *note, *path;
  void *room; /* for a state */
  size_t room_size;
  uint64_t *places; /* of states whose size varies, one more than there are; else NULL */
  size_t place_room;
};

/* The bodies' shapes at rest: a state fits no others. */
static uint64_t shape_of(const pl_world *world)
{
  uint64_t hash = PL_HASH_START;
  for (int b = 0; b < pl_world_body_count(world); b++) {
    const pl_mesh *mesh = pl_world_body_mesh(world, pl_world_body_at(world, b));
    hash = pl_hash_words(hash, pl_mesh_nodes(mesh), 3 * (size_t)pl_mesh_node_count(mesh));
  }
  return hash;
}

/* In place of the size of states where that changes: this and the number of tree words. */
#define VARIES (UINT64_C(1) << 63)

/* ---- writing ---- */

void pl_recording_begin(pl_text *out, const pl_world *world, const char *note)
{
  size_t words = pl_world_tree_words(world);
  head first = {.shape = shape_of(world),
                .note_size = strlen(note),
                .state_size = words ? VARIES | words : pl_world_bare_size(world)};
  memcpy(first.magic, magic, sizeof magic);
  pl_text_bytes(out, &first, sizeof first);
  pl_text_bytes(out, note, strlen(note));
}

pl_status pl_recording_add(pl_text *out, const pl_world *world, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  size_t size = pl_world_bare_size(world);
  void *state = pl_alloc(&allocator, 1, size);
  pl_status status = state ? pl_world_save_bare(world, state, size, error) : pl_fail_memory(error);
  if (!status) pl_text_bytes(out, state, size);
  pl_free(&allocator, state);
  return status ? status : pl_text_ok(out, error);
}

/* ---- reading ---- */

static pl_status fail_read(const pl_recording *recording, pl_error *error)
{
  return pl_fail_at(error, PL_E_IO, recording->path, 0, "cannot be read: %s",
                    errno ? strerror(errno) : "it ends too early");
}

static int read_at(const pl_recording *recording, void *to, size_t size, uint64_t place)
{
  errno = 0;
  for (size_t got = 0; got < size;) {
    ssize_t now = pread(recording->file, (char *)to + got, size - got, (off_t)(place + got));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return 0;
    got += (size_t)now;
  }
  return 1;
}

/* Goes from state to state as far as they are whole. */
static pl_status find_places(pl_recording *recording, uint64_t size, pl_error *error)
{
  uint64_t at = sizeof(head) + recording->head.note_size,
           words = recording->head.state_size ^ VARIES;
  char first[PL_STATE_HEAD];
  for (recording->count = 0; recording->count < INT32_MAX; recording->count++) {
    void *places = recording->places;
    if (pl_reserve(&recording->allocator, &places, &recording->place_room,
                   (size_t)recording->count + 1, sizeof *recording->places))
      return pl_fail_memory(error);
    recording->places = places;
    recording->places[recording->count] = at;
    if (words > size || at + sizeof first > size || !read_at(recording, first, sizeof first, at))
      break;
    uint64_t next = pl_world_saved_size(first, (size_t)words);
    if (next == 0 || next > size - at) break;
    at += next;
  }
  return PL_OK;
}

/* Reads the head and holds its numbers against the size of the file. */
static pl_status read_head(pl_recording *recording, pl_error *error)
{
  uint64_t size;
  head *first = &recording->head;
  pl_status status = pl_file_size(recording->file, recording->path, &size, error);
  if (status) return status;
  if (!read_at(recording, first, sizeof *first, 0)) return fail_read(recording, error);
  if (memcmp(first->magic, magic, sizeof magic) != 0)
    return pl_fail_at(error, PL_E_PARSE, recording->path, 0,
                      "is not a recording of this version of pliant, or of another machine");
  if (first->note_size > MOST_NOTE || sizeof *first + first->note_size > size ||
      first->state_size == 0)
    return pl_fail_at(error, PL_E_PARSE, recording->path, 0, "its head is damaged");
  if (first->state_size & VARIES) {
    status = find_places(recording, size, error);
    if (status) return status;
  } else {
    uint64_t count = (size - sizeof *first - first->note_size) / first->state_size;
    recording->count = count > INT32_MAX ? INT32_MAX : (int)count;
  }
  recording->note = pl_alloc(&recording->allocator, 1, (size_t)first->note_size + 1);
  if (!recording->note) return pl_fail_memory(error);
  if (!read_at(recording, recording->note, (size_t)first->note_size, sizeof *first))
    return fail_read(recording, error);
  return PL_OK;
}

pl_status pl_recording_open(const char *path, const pl_allocator *given, pl_recording **out,
                            pl_error *error)
{
  pl_allocator allocator = pl_allocator_or_default(given);
  pl_recording *recording = pl_alloc(&allocator, 1, sizeof *recording);
  *out = NULL;
  if (!recording) return pl_fail_memory(error);
  *recording = (pl_recording){.allocator = allocator, .file = -1};
  recording->path = pl_strdup(&allocator, path);
  pl_status status = recording->path ? PL_OK : pl_fail_memory(error);
  if (!status) {
    recording->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    status = recording->file < 0 ? fail_read(recording, error) : read_head(recording, error);
  }
  if (status) {
    pl_recording_close(recording);
    return status;
  }
  *out = recording;
  return PL_OK;
}

void pl_recording_close(pl_recording *recording)
{
  if (!recording) return;
  pl_allocator allocator = recording->allocator;
  if (recording->file >= 0) close(recording->file);
  pl_free(&allocator, recording->note);
  pl_free(&allocator, recording->path);
  pl_free(&allocator, recording->room);
  pl_free(&allocator, recording->places);
  pl_free(&allocator, recording);
}

const char *pl_recording_note(const pl_recording *recording) { return recording->note; }
int pl_recording_count(const pl_recording *recording) { return recording->count; }

pl_status pl_recording_load(pl_recording *recording, int index, pl_world *world, pl_error *error)
{
  const head *first = &recording->head;
  if (index < 0 || index >= recording->count)
    return pl_fail_at(error, PL_E_ARGUMENT, recording->path, 0, "has no state %d; it has %d", index,
                      recording->count);
  if (first->shape != shape_of(world))
    return pl_fail_at(error, PL_E_ARGUMENT, recording->path, 0,
                      "holds the states of other bodies than the scene has now");
  uint64_t place = sizeof *first + first->note_size + (uint64_t)index * first->state_size;
  size_t size = (size_t)first->state_size;
  if (recording->places) {
    place = recording->places[index];
    size = (size_t)(recording->places[index + 1] - place);
  }
  if (pl_reserve(&recording->allocator, &recording->room, &recording->room_size, size, 1))
    return pl_fail_memory(error);
  if (!read_at(recording, recording->room, size, place)) return fail_read(recording, error);
  pl_status status = pl_world_load_state(world, recording->room, size, error);
  if (status && error) pl_error_locate(error, status, recording->path, 0);
  return status;
}
