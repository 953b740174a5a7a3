/* A cursor over the bytes of a file: words, numbers and lines of text, and binary numbers of either
 * byte order. Every read is checked against the end, and every error says where it happened: with
 * the line in text, with the byte in binary data. */
#ifndef PL_IO_SCAN_H
#define PL_IO_SCAN_H

#include "core/error.h"
#include "pliant/base.h"

#include <stddef.h>
#include <stdint.h>

/* The bytes must be followed by a zero byte (see pl_bytes). */
typedef struct pl_scan {
  const char *path; /* for messages */
  const char *start, *at, *end;
  int first_line; /* the line of start, 1 for a whole file */
  int binary;     /* the data at hand is binary: errors name the byte */
  int swap;       /* its byte order is not this machine's */
} pl_scan;

/* A piece of the file, not ended by a zero byte. */
typedef struct pl_word {
  const char *at;
  size_t size;
} pl_word;

pl_scan pl_scan_make(const char *path, const char *data, size_t size);
static inline size_t pl_scan_left(const pl_scan *scan) { return (size_t)(scan->end - scan->at); }

/* Fills error with the cursor's place and returns code. */
pl_status pl_scan_fail(const pl_scan *scan, pl_error *error, pl_status code, const char *format,
                       ...) PL_PRINTF(4, 5);

/* The next word between blanks; size 0 at the end. The rest of the line; 0 at the end. */
pl_word pl_scan_word(pl_scan *scan);
int pl_scan_line(pl_scan *scan, pl_word *line);
/* The next line that has words, up to a '#' in it; 0 at the end. */
int pl_scan_telling_line(pl_scan *scan, pl_scan *line);
int pl_word_is(pl_word word, const char *text);
/* The same, whether small or capital letters. */
int pl_word_like(pl_word word, const char *text);

/* The next word as a number; what ("number of nodes") serves messages. */
pl_status pl_scan_int(pl_scan *scan, const char *what, int64_t *value, pl_error *error);
pl_status pl_scan_double(pl_scan *scan, const char *what, double *value, pl_error *error);

/* Passes over size bytes of binary data. */
pl_status pl_scan_bytes(pl_scan *scan, const char *what, uint64_t size, const char **data,
                        pl_error *error);
pl_status pl_scan_int32(pl_scan *scan, const char *what, int64_t *value, pl_error *error);
pl_status pl_scan_int64(pl_scan *scan, const char *what, int64_t *value, pl_error *error);

/* Checks a count that the file claims: not negative, at most limit, and small enough for the bytes
 * that follow if each takes at least bytes_each. */
pl_status pl_scan_claim(const pl_scan *scan, const char *what, int64_t count, int64_t limit,
                        size_t bytes_each, pl_error *error);

/* One number of binary data. */
int32_t pl_load_int32(const char *data, int swap);
int64_t pl_load_int64(const char *data, int swap);
float pl_load_float(const char *data, int swap);
double pl_load_double(const char *data, int swap);

/* 1 if this machine stores the lowest byte first. */
int pl_little_endian(void);

#endif
