/* Errors, memory, text, files, families and the thread pool. */
#include "../counter.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/thread.h"
#include "test.h"

#include <locale.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TEST(error_text_names_the_place)
{
  pl_error error = {0};
  char text[600];
  pl_fail_at(&error, PL_E_PARSE, "bar.xml", 12, "poisson = %g", 0.7);
  CHECK(strcmp(pl_error_text(&error, text, sizeof text), "bar.xml:12: poisson = 0.7") == 0);
  CHECK(error.code == PL_E_PARSE && error.line == 12 && isnan(error.time));
  pl_fail(&error, PL_E_MEMORY, "none");
  pl_error_locate(&error, PL_E_MEMORY, "a.msh", 0);
  CHECK(strcmp(pl_error_text(&error, text, sizeof text), "a.msh: none") == 0);
  CHECK(pl_fail(NULL, PL_E_IO, "no one listens") == PL_E_IO);
  for (int i = 0; i < PL_STATUS_COUNT; i++) CHECK(strlen(pl_status_text((pl_status)i)) > 3);
}

TEST(memory_is_aligned_zeroed_and_checked)
{
  pl_allocator allocator = pl_allocator_default();
  unsigned char *memory = pl_alloc(&allocator, 1000, 3);
  CHECK((uintptr_t)memory % PL_ALIGNMENT == 0);
  for (int i = 0; i < 3000; i++) CHECK(memory[i] == 0);
  pl_free(&allocator, memory);
  CHECK(pl_alloc(&allocator, SIZE_MAX / 2, 3) == NULL);

  void *array = NULL;
  size_t capacity = 0;
  for (size_t i = 0; i < 1000; i++) {
    CHECK(pl_reserve(&allocator, &array, &capacity, i + 1, sizeof(int)) == PL_OK);
    ((int *)array)[i] = (int)i;
  }
  for (int i = 0; i < 1000; i++) CHECK(((int *)array)[i] == i);
  pl_free(&allocator, array);
}

/* Two things that take turns: each gets the same places again, and no more is asked for. */
TEST(what_takes_turns_shares_a_shelf)
{
  static const size_t sizes[2][5] = {{5000, 100, 64, 1, 300}, {700, 4000, 1000, 2, 900}};
  counter memory = {0};
  pl_arena arena = {.source = counter_allocator(&memory)};
  pl_allocator allocator = pl_arena_allocator(&arena);
  char *first[2][5] = {{0}};
  long calls = 0;
  for (int turn = 0; turn < 6; turn++) {
    char *pieces[5];
    for (int i = 0; i < 5; i++) {
      pieces[i] = pl_alloc(&allocator, sizes[turn % 2][i], 1);
      CHECK(pieces[i] && (uintptr_t)pieces[i] % PL_ALIGNMENT == 0 && pieces[i][0] == 0);
      memset(pieces[i], 1 + i, sizes[turn % 2][i]);
      if (turn < 2) first[turn][i] = pieces[i];
      CHECK(pieces[i] == first[turn % 2][i]);
      // what was taken last comes back at once
      pl_free(&allocator, pl_alloc(&allocator, 3000, 1));
    }
    for (int i = 0; i < 5; i++) {
      CHECK(pieces[i][0] == 1 + i && pieces[i][sizes[turn % 2][i] - 1] == 1 + i);
      pl_free(&allocator, pieces[i]);
    }
    if (turn == 1) calls = memory.calls;
    CHECK(turn < 2 || memory.calls == calls);
  }
  memory.fail_at = memory.calls + 1;
  CHECK(pl_alloc(&allocator, 100000, 1) == NULL);
  CHECK(pl_alloc(&allocator, SIZE_MAX / 2, 1) == NULL);
  pl_arena_destroy(&arena);
  CHECK(memory.blocks == 0);
}

TEST(numbers_read_back_in_any_locale)
{
  setlocale(LC_ALL, "de_DE.UTF-8"); // has no effect where the locale is missing
  const double numbers[] = {0, 1, -1.5, 0.1, 1e300, 5e-324, 123456789.123456789, 1.0 / 3};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    pl_text text = pl_text_make(NULL);
    pl_text_number(&text, numbers[i]);
    double back;
    CHECK(pl_parse_double(text.data, &back) && back == numbers[i]);
    pl_text_release(&text);
  }
  double value;
  CHECK(!pl_parse_double("1.5x", &value) && !pl_parse_double("", &value));
  CHECK(!pl_parse_double("nan", &value) && !pl_parse_double("1e999", &value));
  int64_t number;
  CHECK(pl_parse_int(" 42 ", &number) && number == 42);
  CHECK(!pl_parse_int("99999999999999999999", &number) && !pl_parse_int("4.2", &number));
}

TEST(text_escapes_for_xml_and_json)
{
  pl_text text = pl_text_make(NULL);
  pl_text_xml(&text, "a<b & \"c\"");
  CHECK(strcmp(text.data, "a&lt;b &amp; &quot;c&quot;") == 0);
  pl_text_release(&text);
  pl_text_json(&text, "a\"b\\\n");
  CHECK(strcmp(text.data, "a\\\"b\\\\\\u000a") == 0);
  pl_text_release(&text);
}

TEST(near_words_are_suggested)
{
  const char *const words[] = {"corotated", "linear", "green", NULL};
  CHECK(strcmp(pl_nearest_word("corrotated", words), "corotated") == 0);
  CHECK(strcmp(pl_nearest_word("Linear", words), "linear") == 0);
  CHECK(pl_nearest_word("neo-hooke", words) == NULL);
}

TEST(files_are_written_whole)
{
  char folder[] = "/tmp/pliant-core-XXXXXX", path[256], deep[256];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(deep, sizeof deep, "%s/a/b", folder);
  snprintf(path, sizeof path, "%s/a/b/file", folder);
  CHECK_OK(pl_folder_make(deep, error));
  CHECK_OK(pl_file_write(path, "hello", 5, error));
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
  CHECK(bytes.size == 5 && strcmp(bytes.data, "hello") == 0);
  pl_bytes_free(&allocator, &bytes);
  CHECK_FAILS(pl_file_read(&allocator, path, 4, &bytes, error), PL_E_LIMIT, "limit of 4 bytes");
  CHECK_FAILS(pl_file_read(&allocator, deep, 0, &bytes, error), PL_E_IO, "is a folder");
  CHECK_FAILS(pl_file_read(&allocator, "/nowhere/x", 0, &bytes, error), PL_E_IO, "/nowhere/x: ");
  CHECK_FAILS(pl_file_write("/nowhere/x", "", 0, error), PL_E_IO, "cannot be written");
  CHECK_FAILS(pl_folder_make(path, error), PL_E_IO, "is a file");
  unlink(path);
  rmdir(deep);
  *strrchr(deep, '/') = 0;
  rmdir(deep);
  rmdir(folder);
}

/* Of the temporary files in a folder those of processes that are no more. */
TEST(what_killed_programs_left_is_removed)
{
  char folder[] = "/tmp/pliant-core-XXXXXX", path[5][256];
  CHECK(mkdtemp(folder) != NULL);
  pid_t child = fork();
  if (child == 0) _exit(0);
  CHECK(waitpid(child, NULL, 0) == child);
  const char *names[] = {"a.part", "bar.vtu.12345x-7f.part", "bar.vtu.12-xyz.part"};
  for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
  snprintf(path[3], sizeof path[3], "%s/bar.vtu.%ld-7ffe12ab.part", folder, (long)getpid());
  snprintf(path[4], sizeof path[4], "%s/bar.vtu.%ld-7ffe12ab.part", folder, (long)child);
  for (int i = 0; i < 5; i++) CHECK_OK(pl_file_write(path[i], "x", 1, error));
  pl_folder_tidy(folder);
  for (int i = 0; i < 5; i++) CHECK(access(path[i], F_OK) == (i < 4 ? 0 : -1));
  pl_folder_tidy("/nowhere");
  for (int i = 0; i < 4; i++) unlink(path[i]);
  CHECK(rmdir(folder) == 0);
}

static const pl_param example_params[] = {
    {"young", "Pa", "stiffness", 1e5, 1, 1e12, NULL, 0},
    {"size", "m", "edges", 1, 1e-6, 1e6, NULL, 3},
    {"steps", "count", "how many", 1, 1, 100, NULL, 0},
    {"mass", "1", "kind", 0, 0, 0, "lumped|consistent", 0},
};
static const pl_member example = {"example", "for tests", "", example_params, 4, NULL};
static const pl_member lacking = {"other", "for tests", "", NULL, 0, "libother"};
static const pl_member *const members[] = {&example, &lacking, NULL};
static const pl_family family = {"gadget", "for tests", members};

TEST(choices_are_checked)
{
  double values[PL_MOST_VALUES];
  const pl_member *member;
  pl_setting good[] = {{"size", {1, 2, 3}, NULL}, {"mass", {0}, "consistent"}};
  CHECK_OK(pl_choice_resolve(&family, &(pl_choice){"example", good, 2}, &member, values, error));
  CHECK(values[0] == 1e5 && values[1] == 1 && values[3] == 3 && values[4] == 1 && values[5] == 1);

#define RESOLVE(...)                                                                               \
  pl_choice_resolve(&family, &(pl_choice){"example", (pl_setting[]){__VA_ARGS__}, 1}, &member,     \
                    values, error)
  CHECK_FAILS(RESOLVE({"young", {-1}, NULL}), PL_E_ARGUMENT, "young = -1 must lie between 1 and");
  CHECK_FAILS(RESOLVE({"yuong", {1}, NULL}), PL_E_ARGUMENT, "did you mean \"young\"");
  CHECK_FAILS(RESOLVE({"mass", {0}, "lumpy"}), PL_E_ARGUMENT, "unknown mass \"lumpy\"");
  CHECK_FAILS(RESOLVE({"steps", {1.5}, NULL}), PL_E_ARGUMENT, "whole number");
  CHECK_FAILS(RESOLVE({"size", {0}, "1 2"}), PL_E_ARGUMENT, "three numbers");
  CHECK_FAILS(RESOLVE({"young", {NAN}, NULL}), PL_E_ARGUMENT, "nan");
  CHECK_FAILS(pl_choice_resolve(&family, &(pl_choice){"exampel", NULL, 0}, &member, values, error),
              PL_E_ARGUMENT, "unknown gadget \"exampel\"; did you mean \"example\"");
  CHECK_FAILS(pl_choice_resolve(&family, &(pl_choice){"other", NULL, 0}, &member, values, error),
              PL_E_UNSUPPORTED, "gadget \"other\" needs libother, which this build lacks");
}

typedef struct counted {
  int hits[1000];
} counted;

static void hit(void *context, int chunk) { ((counted *)context)->hits[chunk]++; }

TEST(threads_do_every_chunk_once)
{
  pl_allocator allocator = pl_allocator_default();
  for (int threads = 1; threads <= 8; threads *= 2) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    for (int round = 0; round < 300; round++) {
      counted work = {0};
      int chunks = 1 + round * 3;
      pl_parallel(pool, chunks, hit, &work);
      for (int i = 0; i < 1000; i++) CHECK(work.hits[i] == (i < chunks));
      if (round % 100 == 50)
        nanosleep(&(struct timespec){0, 2000000}, NULL); // let the threads fall asleep
    }
    pl_pool_destroy(pool);
  }
  pl_pool *pool;
  CHECK_FAILS(pl_pool_create(&allocator, -1, &pool, error), PL_E_ARGUMENT, "threads = -1");
}

/* Writes its number behind those of the jobs before it. */
typedef struct noted {
  int number, (*notes)[8], *counts;
} noted;

static void note(void *context, int chunk)
{
  const noted *self = context;
  self->notes[chunk][self->counts[chunk]++] = self->number;
}

/* Deferred jobs are done when something asks for them, in their order in every chunk. */
TEST(gathered_jobs_keep_their_order_in_each_chunk)
{
  enum { CHUNKS = 50 };
  pl_allocator allocator = pl_allocator_default();
  for (int threads = 1; threads <= 4; threads *= 2) {
    pl_pool *pool = NULL;
    int notes[CHUNKS][8] = {{0}}, counts[CHUNKS] = {0};
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    CHECK(pl_pool_gather(pool, 1) == 0);
    for (int number = 1; number <= 4; number++) {
      noted job = {number, notes, counts};
      pl_defer(pool, 100, CHUNKS, note, &job, sizeof job);
      CHECK(counts[7] == 0);
    }
    noted other = {5, notes, counts};
    pl_defer(pool, 101, CHUNKS, note, &other, sizeof other); // over other items: after the first
    CHECK(counts[0] == 4 && counts[CHUNKS - 1] == 4);
    CHECK(pl_pool_gather(pool, 0) == 1 && counts[7] == 5);
    other.number = 6;
    pl_defer(pool, 100, CHUNKS, note, &other, sizeof other); // at once
    for (int i = 0; i < CHUNKS; i++) {
      for (int k = 0; k < 6; k++) CHECK(notes[i][k] == k + 1);
    }
    pl_pool_destroy(pool);
  }
}

TESTS(X(error_text_names_the_place) X(memory_is_aligned_zeroed_and_checked)
          X(what_takes_turns_shares_a_shelf) X(numbers_read_back_in_any_locale)
              X(text_escapes_for_xml_and_json) X(near_words_are_suggested)
                  X(files_are_written_whole) X(what_killed_programs_left_is_removed)
                      X(choices_are_checked) X(threads_do_every_chunk_once)
                          X(gathered_jobs_keep_their_order_in_each_chunk))
