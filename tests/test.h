/* The test runner: checks that print what they found, tests by name, one closing line.
 *
 *   TEST(name) { CHECK(condition); CHECK_NEAR(value, expected, tolerance); }
 *   TESTS(X(name) X(other))          at the end of the file
 *
 * A word on the command line runs only the tests whose names contain it. Those that take more than
 * a second say so, in processor time. */
#ifndef PL_TEST_H
#define PL_TEST_H

#include "pliant/base.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sanitizers make everything ten times slower: what only takes longer or is larger is made smaller
 * under them. They look at memory, and numbers are checked by all other builds. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

static int test_failures;

#define TEST(name) static void test_##name(void)

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("  %s:%d: %s\n", __FILE__, __LINE__, #condition);                                     \
      test_failures++;                                                                             \
    }                                                                                              \
  } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
  do {                                                                                             \
    double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);                     \
    if (!(fabs(value_ - expected_) <= tolerance_)) {                                               \
      printf("  %s:%d: %s = %.12g, expected %.12g within %.3g\n", __FILE__, __LINE__, #value,      \
             value_, expected_, tolerance_);                                                       \
      test_failures++;                                                                             \
    }                                                                                              \
  } while (0)

/* A call that must succeed; prints the error where it does not. */
#define CHECK_OK(call)                                                                             \
  do {                                                                                             \
    pl_error error_ = {0};                                                                         \
    pl_error *error = &error_;                                                                     \
    if ((call) != PL_OK) {                                                                         \
      printf("  %s:%d: %s: %s\n", __FILE__, __LINE__, #call, error_.message);                      \
      test_failures++;                                                                             \
    }                                                                                              \
    (void)error;                                                                                   \
  } while (0)

/* A call that must fail with this code and a message that contains this text. */
#define CHECK_FAILS(call, status, part)                                                            \
  do {                                                                                             \
    pl_error error_ = {0};                                                                         \
    pl_error *error = &error_;                                                                     \
    pl_status status_ = (call);                                                                    \
    char text_[1024];                                                                              \
    if (status_ != (status) || !strstr(pl_error_text(&error_, text_, sizeof text_), part)) {       \
      printf("  %s:%d: %s gave %d \"%s\", expected %d \"...%s...\"\n", __FILE__, __LINE__, #call,  \
             (int)status_, text_, (int)(status), part);                                            \
      test_failures++;                                                                             \
    }                                                                                              \
    (void)error;                                                                                   \
  } while (0)

/* Numbers that are the same in every run (xorshift64*). */
static uint64_t test_seed = 88172645463325252ull;

static inline uint64_t test_random(void)
{
  test_seed ^= test_seed >> 12;
  test_seed ^= test_seed << 25;
  test_seed ^= test_seed >> 27;
  return test_seed * 2685821657736338717ull;
}

/* Uniform in (-1, 1). */
static inline double test_uniform(void)
{
  return (double)(int64_t)(test_random() >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct test_case {
  const char *name;
  void (*run)(void);
} test_case;

static inline int test_main(const test_case *cases, int count, const char *only)
{
  int passed = 0, failed = 0;
  for (int i = 0; i < count; i++) {
    if (only && !strstr(cases[i].name, only)) continue;
    int before = test_failures;
    clock_t start = clock();
    cases[i].run();
    int ok = test_failures == before;
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s %s", ok ? "ok    " : "FAILED", cases[i].name);
    if (seconds >= 1) printf(" (%.1f s)", seconds);
    printf("\n");
    fflush(stdout);
    ok ? passed++ : failed++;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0 || passed == 0;
}

#define TESTS(list)                                                                                \
  int main(int count, char **arguments)                                                            \
  {                                                                                                \
    static const test_case cases[] = {list};                                                       \
    return test_main(cases, (int)(sizeof cases / sizeof *cases), count > 1 ? arguments[1] : NULL); \
  }
#define X(name) {#name, test_##name},

#endif
