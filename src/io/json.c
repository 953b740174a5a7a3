/* JSON as tokens. The memory is a fixed number of bytes per token, and each takes two bytes of the
 * text at least. */
#include "io/json.h"

#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

/* What is nested deeper, or has more members, is not meant for us. */
enum { MOST_DEPTH = 64, MOST_MEMBERS = 256, MOST_TOKENS = 1 << 28 };

static void skip_blanks(pl_scan *scan)
{
  while (scan->at < scan->end && *scan->at && strchr(" \t\r\n", *scan->at)) scan->at++;
}

/* The next letter that is no blank, 0 at the end. */
static char peek(pl_scan *scan)
{
  skip_blanks(scan);
  return scan->at < scan->end ? *scan->at : 0;
}

static pl_status add_token(pl_json *json, const pl_scan *scan, pl_json_kind kind, pl_error *error)
{
  void *tokens = json->tokens;
  if (json->count >= MOST_TOKENS)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "the JSON text has too many parts");
  if (pl_reserve(&json->allocator, &tokens, &json->room, json->count + 1, sizeof *json->tokens))
    return pl_fail_memory(error);
  json->tokens = tokens;
  json->tokens[json->count++] = (pl_json_token){.at = scan->at, .kind = kind};
  return PL_OK;
}

/* Text in quotes; the token is what stands between them. */
static pl_status parse_text(pl_json *json, pl_scan *scan, pl_error *error)
{
  scan->at++;
  pl_status status = add_token(json, scan, PL_JSON_TEXT, error);
  if (status) return status;
  pl_json_token *token = &json->tokens[json->count - 1];
  while (scan->at < scan->end && *scan->at != '"') {
    if (*scan->at == '\\') scan->at++;
    scan->at++;
  }
  if (scan->at >= scan->end) {
    scan->at = scan->end;
    return pl_scan_fail(scan, error, PL_E_PARSE, "a text in the JSON is not closed");
  }
  token->size = (int)(scan->at - token->at);
  token->after = (int)json->count;
  scan->at++;
  return PL_OK;
}

/* A number, true, false or null; which one is found out when it is asked for. */
static pl_status parse_word(pl_json *json, pl_scan *scan, pl_error *error)
{
  pl_status status = add_token(json, scan, PL_JSON_WORD, error);
  if (status) return status;
  pl_json_token *token = &json->tokens[json->count - 1];
  while (scan->at < scan->end && *scan->at && !strchr(" \t\r\n,:[]{}\"", *scan->at)) scan->at++;
  token->size = (int)(scan->at - token->at);
  token->after = (int)json->count;
  if (token->size) return PL_OK;
  return pl_scan_fail(scan, error, PL_E_PARSE, "a value is missing in the JSON");
}

static pl_status parse_value(pl_json *json, pl_scan *scan, int depth, pl_error *error);

/* An object or array, up to its closing bracket. */
static pl_status parse_group(pl_json *json, pl_scan *scan, int depth, pl_error *error)
{
  int is_object = *scan->at == '{';
  char close = is_object ? '}' : ']';
  size_t self = json->count;
  if (depth > MOST_DEPTH)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "the JSON is nested deeper than %d", MOST_DEPTH);
  pl_status status = add_token(json, scan, is_object ? PL_JSON_OBJECT : PL_JSON_ARRAY, error);
  scan->at++;
  if (!status && peek(scan) == close)
    scan->at++;
  else {
    for (char c = ','; !status && c == ',';) {
      if (is_object && peek(scan) != '"')
        return pl_scan_fail(scan, error, PL_E_PARSE, "a name is missing in the JSON");
      if (is_object) status = parse_text(json, scan, error);
      if (!status && is_object && peek(scan) != ':')
        return pl_scan_fail(scan, error, PL_E_PARSE, "a ':' is missing in the JSON");
      if (is_object) scan->at++;
      if (!status) status = parse_value(json, scan, depth + 1, error);
      if (status) break;
      c = peek(scan);
      if (c != ',' && c != close)
        return pl_scan_fail(scan, error, PL_E_PARSE,
                            "a ',' or '%c' is missing in the JSON; the file is cut off or damaged",
                            close);
      scan->at++;
    }
  }
  if (!status) json->tokens[self].after = (int)json->count;
  return status;
}

static pl_status parse_value(pl_json *json, pl_scan *scan, int depth, pl_error *error)
{
  char c = peek(scan);
  if (c == '{' || c == '[') return parse_group(json, scan, depth, error);
  return c == '"' ? parse_text(json, scan, error) : parse_word(json, scan, error);
}

pl_status pl_json_parse(const pl_allocator *allocator, pl_scan *scan, pl_json *json,
                        pl_error *error)
{
  *json = (pl_json){.allocator = *allocator};
  if (pl_scan_left(scan) >= MOST_TOKENS)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "the JSON text is too long");
  pl_status status = parse_value(json, scan, 0, error);
  if (!status && peek(scan))
    status = pl_scan_fail(scan, error, PL_E_PARSE, "something follows behind the JSON");
  if (status) pl_json_free(json);
  return status;
}

void pl_json_free(pl_json *json)
{
  pl_free(&json->allocator, json->tokens);
  *json = (pl_json){0};
}

int pl_json_is(const pl_json *json, int token, const char *text)
{
  if (token < 0 || json->tokens[token].kind < PL_JSON_TEXT) return 0;
  pl_word word = {json->tokens[token].at, (size_t)json->tokens[token].size};
  return pl_word_is(word, text);
}

int pl_json_member(const pl_json *json, int object, const char *name)
{
  if (object < 0 || json->tokens[object].kind != PL_JSON_OBJECT) return -1;
  int end = json->tokens[object].after, count = 0;
  for (int i = object + 1; i < end && count < MOST_MEMBERS;
       i = json->tokens[i + 1].after, count++) {
    if (pl_json_is(json, i, name)) return i + 1;
  }
  return -1;
}

int pl_json_first(const pl_json *json, int array)
{
  if (array < 0 || json->tokens[array].kind != PL_JSON_ARRAY) return -1;
  return array + 1 < json->tokens[array].after ? array + 1 : -1;
}

int pl_json_next(const pl_json *json, int array, int value)
{
  int next = json->tokens[value].after;
  return next < json->tokens[array].after ? next : -1;
}

int pl_json_number(const pl_json *json, int token, double *value)
{
  if (token < 0 || json->tokens[token].kind != PL_JSON_WORD) return 0;
  const char *at = json->tokens[token].at;
  if (*at != '-' && (*at < '0' || *at > '9')) return 0;
  return pl_read_double(at, value) == at + json->tokens[token].size && isfinite(*value);
}
