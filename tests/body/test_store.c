/* Weights that are kept on disk: found again with the same bits, made anew where the file is not
 * what it must be, the same with any number of threads. */
#include "core/file.h"
#include "core/memory.h"
#include "pliant/world.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static char folder[256], path[600];

static void make_folder(void)
{
  snprintf(folder, sizeof folder, "/tmp/pliant-store-%ld", (long)getpid());
}

/* The only file of the folder, its name in path; returns how many there are. */
static int find_file(void)
{
  DIR *listing = opendir(folder);
  int count = 0;
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%.255s/%.300s", folder, entry->d_name);
    count++;
  }
  if (listing) closedir(listing);
  return count;
}

static void remove_folder(void)
{
  while (find_file()) unlink(path);
  rmdir(folder);
}

/* The state of a body of frames after some steps. */
static uint64_t run(const char *cache, int threads, const char *weights, double seed)
{
  const pl_setting box[] = {{.name = "size", .value = {2, 1, 1}},
                            {.name = "cells", .value = {12, 6, 6}},
                            {.name = "element", .word = "hex"}};
  const pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_setting model[] = {{.name = "weights", .word = weights},
                              {.name = "seed", .value = {seed}},
                              {.name = "frames", .value = {5}}};
  pl_world_def def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_world *world;
  pl_mesh *mesh;
  pl_body_id id;
  def.cache = cache;
  def.threads = threads;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  CHECK_OK(pl_world_create(&def, &world, error));
  body.mesh = mesh;
  body.model = (pl_choice){"frames", model, 3};
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.spin[0] = 3;
  CHECK_OK(pl_world_add_body(world, &body, &id, error));
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
  uint64_t hash = pl_world_state_hash(world);
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
  return hash;
}

TEST(kept_weights_are_the_same)
{
  make_folder();
  for (int kind = 0; kind < 2; kind++) {
    const char *weights = kind ? "geodesic" : "harmonic";
    uint64_t without = run(NULL, 1, weights, 0);
    CHECK(find_file() == 0);
    CHECK(run(folder, 1, weights, 0) == without);
    CHECK(find_file() == 1);
    struct stat before, after;
    CHECK(stat(path, &before) == 0);
    // found again, and not written again
    CHECK(run(folder, 1, weights, 0) == without);
    CHECK(stat(path, &after) == 0 && after.st_ino == before.st_ino);
    remove_folder();
  }
}

TEST(threads_change_no_weight)
{
  CHECK(run(NULL, 1, "harmonic", 0) == run(NULL, 3, "harmonic", 0));
  CHECK(run(NULL, 1, "geodesic", 0) == run(NULL, 3, "geodesic", 0));
}

TEST(other_weights_have_another_file)
{
  make_folder();
  CHECK(run(folder, 1, "harmonic", 0) != run(folder, 1, "harmonic", 0.4));
  CHECK(find_file() == 2);
  run(folder, 1, "geodesic", 0);
  CHECK(find_file() == 3);
  // what is made faster than read is not kept
  run(folder, 1, "euclidean", 0);
  run(folder, 1, "linear", 0);
  CHECK(find_file() == 3);
  remove_folder();
}

/* Cut short, emptied, too long, with any single byte changed, a folder in its place. */
TEST(a_bad_file_is_made_anew)
{
  const pl_allocator memory = pl_allocator_default();
  pl_bytes good, now;
  make_folder();
  uint64_t right = run(folder, 1, "harmonic", 0);
  CHECK(find_file() == 1);
  CHECK_OK(pl_file_read(&memory, path, 0, &good, error));
  for (int kind = 0; kind < 8; kind++) {
    char *bad = malloc(good.size + 8);
    size_t size = good.size;
    memcpy(bad, good.data, size);
    memset(bad + size, 0, 8);
    if (kind == 0) size = 0;
    if (kind == 1) size -= 8;
    if (kind == 2) size += 8;
    if (kind == 3) bad[0] ^= 1;
    if (kind == 4) bad[9] ^= 1;
    if (kind == 5) bad[24] ^= 1;
    if (kind == 6) bad[size / 2] ^= 1;
    if (kind == 7) bad[size - 1] ^= 1;
    CHECK_OK(pl_file_write(path, bad, size, error));
    CHECK(run(folder, 1, "harmonic", 0) == right);
    CHECK_OK(pl_file_read(&memory, path, 0, &now, error));
    CHECK(now.size == good.size && memcmp(now.data, good.data, good.size) == 0);
    pl_bytes_free(&memory, &now);
    free(bad);
  }
  unlink(path);
  CHECK(mkdir(path, 0777) == 0);
  CHECK(run(folder, 1, "harmonic", 0) == right);
  rmdir(path);
  pl_bytes_free(&memory, &good);
  remove_folder();
}

static void *run_often(void *context)
{
  uint64_t *right = context, all = *right;
  for (int i = 0; i < 4; i++) {
    if (run(folder, 1, "harmonic", 0) != *right) all = 0;
  }
  *right = all;
  return NULL;
}

/* Two other programs and two threads of this one want the same weights at the same time, while the
 * file is taken away again and again: all get them, and one whole file is left. */
TEST(several_at_the_same_time_do_no_harm)
{
  const pl_allocator memory = pl_allocator_default();
  pl_bytes good, now;
  pthread_t threads[2];
  pid_t programs[2];
  make_folder();
  uint64_t right = run(folder, 1, "harmonic", 0), seen[2] = {right, right};
  CHECK(find_file() == 1);
  CHECK_OK(pl_file_read(&memory, path, 0, &good, error));
  unlink(path);
  for (int i = 0; i < 2; i++) {
    programs[i] = fork();
    if (programs[i] == 0) {
      run_often(&seen[i]);
      _exit(seen[i] == right && !test_failures ? 0 : 1);
    }
  }
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, run_often, &seen[i]) == 0);
  for (int i = 0; i < 200; i++) {
    unlink(path);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  for (int i = 0; i < 2; i++) {
    int end = -1;
    pthread_join(threads[i], NULL);
    CHECK(seen[i] == right);
    CHECK(waitpid(programs[i], &end, 0) == programs[i] && WIFEXITED(end) && WEXITSTATUS(end) == 0);
  }
  CHECK(run(folder, 1, "harmonic", 0) == right);
  CHECK(find_file() == 1);
  CHECK_OK(pl_file_read(&memory, path, 0, &now, error));
  CHECK(now.size == good.size && memcmp(now.data, good.data, good.size) == 0);
  pl_bytes_free(&memory, &now);
  pl_bytes_free(&memory, &good);
  remove_folder();
}

/* A folder that cannot be made is as none. */
TEST(no_folder_does_no_harm)
{
  CHECK(run("/dev/null/pliant", 1, "harmonic", 0) == run(NULL, 1, "harmonic", 0));
}

TESTS(X(kept_weights_are_the_same) X(threads_change_no_weight) X(other_weights_have_another_file)
          X(a_bad_file_is_made_anew) X(several_at_the_same_time_do_no_harm)
              X(no_folder_does_no_harm))
