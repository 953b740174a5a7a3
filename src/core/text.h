/* A growing piece of text or bytes that writers fill, numbers read and written the same in every
 * locale, and suggestions for misspelt words. */
#ifndef PL_CORE_TEXT_H
#define PL_CORE_TEXT_H

#include "core/error.h"
#include "pliant/base.h"

/* After a failed allocation a text swallows what is added; see pl_text_ok. */
typedef struct pl_text {
  pl_allocator allocator;
  char *data; /* always ends with a zero byte once something was added */
  size_t size, capacity;
  int failed;
} pl_text;

pl_text pl_text_make(const pl_allocator *allocator);
void pl_text_release(pl_text *text);
void pl_text_add(pl_text *text, const char *format, ...) PL_PRINTF(2, 3);
void pl_text_bytes(pl_text *text, const void *data, size_t size);
/* Adds a word as it must stand inside XML text and attributes, or between quotes in JSON. */
void pl_text_xml(pl_text *text, const char *word);
void pl_text_json(pl_text *text, const char *word);
/* The shortest decimal that reads back as the same double. */
void pl_text_number(pl_text *text, double value);
pl_status pl_text_ok(const pl_text *text, pl_error *error);

/* snprintf and strtod in the C locale, whatever the program has set. pl_read_double returns the
 * end of the number, or text itself where there is none. */
int pl_print(char *buffer, size_t size, const char *format, ...) PL_PRINTF(3, 4);
const char *pl_read_double(const char *text, double *value);

/* The whole of text is one finite number (surrounding blanks allowed). */
int pl_parse_double(const char *text, double *value);
int pl_parse_int(const char *text, int64_t *value);

/* The word of a NULL-terminated list that is nearest to word, or NULL if none is near. */
const char *pl_nearest_word(const char *word, const char *const *words);

#endif
