/* Recordings: what was written comes back bit for bit; files that are none are refused. */
#include "core/file.h"
#include "io/recording.h"

#include "world/bar.h"

#include <unistd.h>

#include "test.h"

static char path[64];

static pl_world *make(int n)
{
  pl_body_id body;
  pl_world *world = NULL;
  CHECK_OK(bar_make(&(bar_def){.n = n, .gravity = {0, 0, -9.81}}, &world, &body, error));
  return world;
}

static void write_bytes(const void *data, size_t size)
{
  if (!path[0]) snprintf(path, sizeof path, "/tmp/pliant-recording-%d.plr", (int)getpid());
  CHECK_OK(pl_file_write(path, data, size, error));
}

TEST(states_come_back_bit_for_bit)
{
  pl_world *world = make(1);
  pl_text text = pl_text_make(NULL);
  uint64_t hashes[5];
  pl_recording_begin(&text, world, "scene.xml\n");
  for (int i = 0; i < 5; i++) {
    CHECK_OK(pl_recording_add(&text, world, error));
    hashes[i] = pl_world_state_hash(world);
    CHECK_OK(pl_world_step(world, error));
  }
  write_bytes(text.data, text.size);
  pl_recording *recording;
  CHECK_OK(pl_recording_open(path, NULL, &recording, error));
  CHECK(pl_recording_count(recording) == 5);
  CHECK(strcmp(pl_recording_note(recording), "scene.xml\n") == 0);
  for (int i = 4; i >= 0; i--) {
    CHECK_OK(pl_recording_load(recording, i, world, error));
    CHECK(pl_world_state_hash(world) == hashes[i]);
  }
  CHECK_FAILS(pl_recording_load(recording, 5, world, error), PL_E_ARGUMENT, "has no state 5");
  CHECK_FAILS(pl_recording_load(recording, -1, world, error), PL_E_ARGUMENT, "has no state -1");
  pl_world *other = make(2);
  CHECK_FAILS(pl_recording_load(recording, 0, other, error), PL_E_ARGUMENT, "other bodies");
  pl_recording_close(recording);
  pl_world_destroy(other);
  pl_world_destroy(world);
  pl_text_release(&text);
  unlink(path);
}

/* Every byte of the head damaged, every length cut: refused or read, never more. */
TEST(damaged_files_do_no_harm)
{
  pl_world *world = make(1);
  pl_text text = pl_text_make(NULL);
  pl_recording_begin(&text, world, "note");
  CHECK_OK(pl_recording_add(&text, world, error));
  uint64_t before = pl_world_state_hash(world);
  // any byte of the head and of the state; those of the note are text
  size_t note = 32, state = note + 4;
  for (size_t i = 0; i < text.size; i += i < 300 ? 1 : 7) {
    char old = text.data[i];
    pl_recording *recording = NULL;
    text.data[i] = (char)(old ^ 0x81);
    write_bytes(text.data, text.size);
    pl_status status = pl_recording_open(path, NULL, &recording, NULL);
    if (!status) status = pl_recording_load(recording, 0, world, NULL);
    if (i < note || i >= state) CHECK(status != PL_OK && pl_world_state_hash(world) == before);
    pl_recording_close(recording);
    text.data[i] = old;
  }
  // numbers that are none leave the world as it is
  pl_recording *recording = NULL;
  CHECK_OK(pl_world_step(world, error));
  before = pl_world_state_hash(world);
  double nothing = NAN;
  memcpy(text.data + text.size - sizeof nothing, &nothing, sizeof nothing);
  write_bytes(text.data, text.size);
  CHECK_OK(pl_recording_open(path, NULL, &recording, error));
  CHECK_FAILS(pl_recording_load(recording, 0, world, error), PL_E_ARGUMENT, "checksum");
  CHECK(pl_world_state_hash(world) == before);
  pl_recording_close(recording);
  for (size_t size = 0; size < 100; size++) {
    write_bytes(text.data, size);
    if (pl_recording_open(path, NULL, &recording, NULL)) continue;
    CHECK(pl_recording_count(recording) == 0);
    pl_recording_close(recording);
  }
  unlink(path);
  CHECK_FAILS(pl_recording_open(path, NULL, &recording, error), PL_E_IO, "cannot be read");
  CHECK_FAILS(pl_recording_open("/", NULL, &recording, error), PL_E_IO, "is a folder");
  pl_text_release(&text);
  pl_world_destroy(world);
}

TESTS(X(states_come_back_bit_for_bit) X(damaged_files_do_no_harm))
