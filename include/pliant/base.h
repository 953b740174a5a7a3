/* What every other header needs: status codes, errors, memory, and the families of
 * exchangeable parts with their parameters. */
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PL_API __attribute__((visibility("default")))
#else
#define PL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

/* "0.1.0" of the library that runs (the macros above are of the one you compiled against). */
PL_API const char *pl_version(void);

/* ---- arguments ---- */

/* A pointer to a world, a mesh or a scene is one that was made and not destroyed yet; to destroy
 * NULL does nothing. Every other pointer that is NULL, and every number, count, name or id that
 * means nothing, is refused with a sentence (and PL_E_ARGUMENT, or PL_E_MESH where the mesh is at
 * fault), unless a comment says what it means. Functions that return no status answer them with
 * NULL, 0 or none. Where a function makes something, the place for its id may be NULL. Lists have
 * as many members as their counts say, arrays as many numbers as the function's comment says. Ids
 * belong to the world that gave them; another world cannot distinguish them from its own. */

/* ---- status and errors ---- */

/* Every status with its meaning. Zero is success. */
#define PL_STATUSES(X)                                                                             \
  X(PL_OK, "success")                                                                              \
  X(PL_E_ARGUMENT, "invalid argument")                                                             \
  X(PL_E_MEMORY, "out of memory")                                                                  \
  X(PL_E_IO, "input or output failed")                                                             \
  X(PL_E_PARSE, "malformed input")                                                                 \
  X(PL_E_LIMIT, "a limit is exceeded")                                                             \
  X(PL_E_MESH, "the mesh cannot be used")                                                          \
  X(PL_E_SINGULAR, "the linear system is singular")                                                \
  X(PL_E_INDEFINITE, "the linear system is indefinite")                                            \
  X(PL_E_CONVERGENCE, "an iteration did not converge")                                             \
  X(PL_E_DIVERGED, "the state became non-finite")                                                  \
  X(PL_E_UNSUPPORTED, "not in this build")                                                         \
  X(PL_E_CANCELLED, "cancelled by the caller")

typedef enum pl_status {
#define X(name, text) name,
  PL_STATUSES(X)
#undef X
      PL_STATUS_COUNT
} pl_status;

PL_API const char *pl_status_text(pl_status status);

/* Where and why something failed. Functions fill it only on failure; NULL is welcome. */
typedef struct pl_error {
  pl_status code;
  int line;         /* line in the source file, 0 where there is none        */
  int64_t entity;   /* number of the node or element concerned, -1 for none  */
  double time;      /* simulated time in s, NaN where it does not apply      */
  char source[256]; /* file name, "" where there is none                     */
  char message[512];
} pl_error;

/* Writes "file:line: message" (cut to size; nothing where error is NULL) and returns buffer. */
PL_API char *pl_error_text(const pl_error *error, char *buffer, size_t size);

/* ---- memory ---- */

/* Where memory comes from. alloc returns size bytes aligned to align (a power of two), or NULL.
 * Without alloc it stands for the C library's; with it, free must be there too.
 * Both functions may be called from the thread that creates or steps the object only. */
typedef struct pl_allocator {
  void *(*alloc)(void *context, size_t size, size_t align);
  void (*free)(void *context, void *memory);
  void *context;
} pl_allocator;

/* The C library's allocator. */
PL_API pl_allocator pl_allocator_default(void);

/* ---- families ---- */

/* One parameter that a user sets. The unit is "1" for a pure number and "count" for a whole one.
 * A preset of NaN means: not given. A word parameter lists its words, separated by '|', and its
 * value is the index of the chosen one. A vector has width 3 and takes three places. */
typedef struct pl_param {
  const char *name, *unit, *summary;
  double preset, min, max;
  const char *words;
  int width; /* 0 and 1: one number */
} pl_param;

/* One exchangeable part: a material law, an integrator, a file format ... */
typedef struct pl_member {
  const char *name, *summary, *source;
  const pl_param *params;
  int param_count;
  const char *missing; /* what this build lacks for it: it cannot be chosen; NULL: nothing */
} pl_member;

/* All parts that can stand in one place; members ends with NULL. */
typedef struct pl_family {
  const char *name, *summary;
  const pl_member *const *members;
} pl_family;

/* Every family of this build, ending with NULL. */
PL_API const pl_family *const *pl_families(void);
PL_API const pl_family *pl_family_find(const char *name);
PL_API const pl_member *pl_member_find(const pl_family *family, const char *name);

/* One parameter's value: one or three numbers, or a word where the parameter has words. */
typedef struct pl_setting {
  const char *name;
  double value[3];
  const char *word; /* used if not NULL */
} pl_setting;

/* A member by name, and what differs from its presets. */
typedef struct pl_choice {
  const char *name; /* NULL: the family's first */
  const pl_setting *settings;
  int setting_count;
} pl_choice;

/* Bodies and what acts on them; see world.h. */
typedef struct pl_world pl_world;

/* ---- log ---- */

typedef enum pl_level { PL_NOTE, PL_WARNING } pl_level;

/* Receives notes and warnings, text is a sentence; without write nobody does. */
typedef struct pl_log {
  void (*write)(void *context, pl_level level, const char *text);
  void *context;
} pl_log;

/* ---- watching ---- */

/* Asked now and then during a step, in the calling thread: at every substep, every iteration of
 * Newton's method or a linear solver and within factorisations. It receives the simulated time that
 * the step has got to, s; another answer than 0 cancels. Without ask nobody is asked. pause: so
 * many seconds of wall time pass between two questions, for askers that take long; 0: none. */
typedef struct pl_watcher {
  int (*ask)(void *context, double time);
  void *context;
  double pause;
} pl_watcher;

/* ---- who owns what ----
 *
 * In: defs, names, choices, arrays and meshes are read while the function runs, and copied; the
 * caller may free them at once. Three things are kept and must live as long as the object they are
 * given to: what the context of an allocator, of a log and of a watcher points to.
 *
 * Out: what a function puts into a "pl_x **" is the caller's, who ends it with pl_x_destroy (NULL
 * is welcome there). What it returns as a const pointer (names, meshes, sets, arrays of a mesh)
 * belongs to the object and holds until that is changed or ended. Arrays to be filled are the
 * caller's, with room for as many numbers as the function's comment says. */

#ifdef __cplusplus
}
#endif
#endif
