/* Filling in pl_error. */
#ifndef PL_CORE_ERROR_H
#define PL_CORE_ERROR_H

#include "pliant/base.h"

#if defined(__GNUC__)
#define PL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PL_PRINTF(text, first)
#endif

/* Fill error (may be NULL) and return code, so that a failing function ends in one statement. */
pl_status pl_fail(pl_error *error, pl_status code, const char *format, ...) PL_PRINTF(3, 4);
pl_status pl_fail_at(pl_error *error, pl_status code, const char *source, int line,
                     const char *format, ...) PL_PRINTF(5, 6);
pl_status pl_fail_entity(pl_error *error, pl_status code, int64_t entity, const char *format, ...)
    PL_PRINTF(4, 5);
pl_status pl_fail_memory(pl_error *error);

/* Adds where it happened to an error that does not say so yet. Returns error's code. */
pl_status pl_error_locate(pl_error *error, pl_status code, const char *source, int line);

void pl_log_write(const pl_log *log, pl_level level, const char *format, ...) PL_PRINTF(3, 4);

#endif
