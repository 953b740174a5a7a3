/* JSON (RFC 8259) as a list of tokens over its text: enough to look things up in it. Text in quotes
 * is compared as it stands, escapes are not resolved. */
#ifndef PL_IO_JSON_H
#define PL_IO_JSON_H

#include "io/scan.h"

typedef enum pl_json_kind {
  PL_JSON_OBJECT,
  PL_JSON_ARRAY,
  PL_JSON_TEXT,
  PL_JSON_WORD
} pl_json_kind;

/* A value, or the name in front of one in an object. after is the number of the first token that
 * does not belong to it. */
typedef struct pl_json_token {
  const char *at;
  int size, after;
  pl_json_kind kind;
} pl_json_token;

typedef struct pl_json {
  pl_allocator allocator;
  pl_json_token *tokens; /* 0 is the whole */
  size_t count, room;
} pl_json;

/* scan covers the text; it must be followed by something that is no part of a number. */
pl_status pl_json_parse(const pl_allocator *allocator, pl_scan *scan, pl_json *json,
                        pl_error *error);
void pl_json_free(pl_json *json);

/* Tokens are named by their number, -1 for none, which all of these take and give. */
int pl_json_member(const pl_json *json, int object, const char *name);
/* The first of an array's values, and the next in the same array. */
int pl_json_first(const pl_json *json, int array);
int pl_json_next(const pl_json *json, int array, int value);
/* 0: it is no number, or not that text. */
int pl_json_number(const pl_json *json, int token, double *value);
int pl_json_is(const pl_json *json, int token, const char *text);

#endif
