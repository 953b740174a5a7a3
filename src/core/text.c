/* Text out and numbers in, independent of the locale. */
#include "core/text.h"

#include "core/memory.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t enter_c_locale(void)
{
  pthread_once(&c_locale_once, make_c_locale);
  return c_locale ? uselocale(c_locale) : (locale_t)0;
}

static void leave_c_locale(locale_t before)
{
  if (before) uselocale(before);
}

pl_text pl_text_make(const pl_allocator *allocator)
{
  return (pl_text){.allocator = pl_allocator_or_default(allocator)};
}

void pl_text_release(pl_text *text)
{
  pl_free(&text->allocator, text->data);
  *text = pl_text_make(&text->allocator);
}

/* Room for size more bytes and a closing zero. */
static int make_room(pl_text *text, size_t size)
{
  if (text->failed) return 0;
  void *data = text->data;
  if (size > SIZE_MAX / 4 ||
      pl_reserve(&text->allocator, &data, &text->capacity, text->size + size + 1, 1)) {
    text->failed = 1;
    return 0;
  }
  text->data = data;
  return 1;
}

void pl_text_bytes(pl_text *text, const void *data, size_t size)
{
  if (!make_room(text, size)) return;
  if (size) memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = 0;
}

void pl_text_add(pl_text *text, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  locale_t before = enter_c_locale();
  char small[256];
  int length = vsnprintf(small, sizeof small, format, arguments);
  if (length < 0) {
    text->failed = 1;
  } else if ((size_t)length < sizeof small) {
    pl_text_bytes(text, small, (size_t)length);
  } else if (make_room(text, (size_t)length)) {
    vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
    text->size += (size_t)length;
  }
  leave_c_locale(before);
  va_end(again);
  va_end(arguments);
}

void pl_text_xml(pl_text *text, const char *word)
{
  for (; *word; word++) {
    switch (*word) {
    case '<':
      pl_text_add(text, "&lt;");
      break;
    case '>':
      pl_text_add(text, "&gt;");
      break;
    case '&':
      pl_text_add(text, "&amp;");
      break;
    case '"':
      pl_text_add(text, "&quot;");
      break;
    default:
      // XML has no way to write most control characters
      pl_text_bytes(text, (unsigned char)*word < 32 ? " " : word, 1);
    }
  }
}

void pl_text_json(pl_text *text, const char *word)
{
  for (; *word; word++) {
    if (*word == '"' || *word == '\\')
      pl_text_add(text, "\\%c", *word);
    else if ((unsigned char)*word < 32)
      pl_text_add(text, "\\u%04x", (unsigned)*word);
    else
      pl_text_bytes(text, word, 1);
  }
}

void pl_text_number(pl_text *text, double value)
{
  char buffer[40];
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    pl_print(buffer, sizeof buffer, "%.*g", digits, value);
    pl_read_double(buffer, &back);
    if (back == value || isnan(value)) break;
  }
  pl_text_add(text, "%s", buffer);
}

pl_status pl_text_ok(const pl_text *text, pl_error *error)
{
  return text->failed ? pl_fail_memory(error) : PL_OK;
}

int pl_print(char *buffer, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  locale_t before = enter_c_locale();
  int length = vsnprintf(buffer, size, format, arguments);
  leave_c_locale(before);
  va_end(arguments);
  return length;
}

const char *pl_read_double(const char *text, double *value)
{
  char *end;
  locale_t before = enter_c_locale();
  *value = strtod(text, &end);
  leave_c_locale(before);
  return end;
}

static int only_blanks(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  return *text == 0;
}

int pl_parse_double(const char *text, double *value)
{
  const char *end = pl_read_double(text, value);
  return end != text && only_blanks(end) && isfinite(*value);
}

int pl_parse_int(const char *text, int64_t *value)
{
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  *value = number;
  return end != text && only_blanks(end) && errno == 0;
}

/* Number of single-letter changes between two words (Levenshtein), at most 8 letters apart. */
static int word_distance(const char *a, const char *b)
{
  enum { MOST = 48 };
  size_t n = strlen(a), m = strlen(b);
  if (n > MOST || m > MOST) return MOST;
  int row[MOST + 1];
  for (size_t j = 0; j <= m; j++) row[j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int change =
          diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      diagonal = row[j];
      int min = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      row[j] = change < min ? change : min;
    }
  }
  return row[m];
}

const char *pl_nearest_word(const char *word, const char *const *words)
{
  const char *best = NULL;
  int min = 1 + (int)strlen(word) / 3;
  for (; *words; words++) {
    int distance = word_distance(word, *words);
    if (distance <= min && (!best || distance < min)) {
      best = *words;
      min = distance;
    }
  }
  return best;
}
