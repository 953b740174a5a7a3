/* Words and numbers from memory.
 *
 * A decimal with at most 2^53 as its digits and a power of ten within 10^22 is one exact product or
 * quotient of two doubles, so it is rounded once, as strtod would (Clinger 1990, the fast case);
 * all others go to strtod. */
#include "io/scan.h"

#include "core/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pl_scan pl_scan_make(const char *path, const char *data, size_t size)
{
  return (pl_scan){.path = path, .start = data, .at = data, .end = data + size, .first_line = 1};
}

/* Lines are counted only when an error needs them. */
static int line_number(const pl_scan *scan)
{
  int64_t line = scan->first_line;
  const char *at = scan->start;
  while (at < scan->at && (at = memchr(at, '\n', (size_t)(scan->at - at)))) {
    line++;
    at++;
  }
  return line < INT_MAX ? (int)line : INT_MAX;
}

pl_status pl_scan_fail(const pl_scan *scan, pl_error *error, pl_status code, const char *format,
                       ...)
{
  char text[480];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (scan->binary)
    return pl_fail_at(error, code, scan->path, 0, "at byte %zu: %s",
                      (size_t)(scan->at - scan->start), text);
  return pl_fail_at(error, code, scan->path, line_number(scan), "%s", text);
}

static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

pl_word pl_scan_word(pl_scan *scan)
{
  while (scan->at < scan->end && is_blank(*scan->at)) scan->at++;
  const char *at = scan->at, *end = at;
  while (end < scan->end && !is_blank(*end)) end++;
  scan->at = end;
  return (pl_word){at, (size_t)(end - at)};
}

int pl_scan_line(pl_scan *scan, pl_word *line)
{
  if (scan->at >= scan->end) return 0;
  const char *stop = memchr(scan->at, '\n', pl_scan_left(scan));
  const char *end = stop ? stop : scan->end;
  *line = (pl_word){scan->at, (size_t)(end - scan->at)};
  if (line->size && line->at[line->size - 1] == '\r') line->size--;
  scan->at = stop ? stop + 1 : end;
  return 1;
}

int pl_scan_telling_line(pl_scan *scan, pl_scan *line)
{
  for (pl_word text; pl_scan_line(scan, &text);) {
    size_t size = 0;
    while (size < text.size && text.at[size] != '#') size++;
    *line = *scan;
    line->at = text.at;
    line->end = text.at + size;
    pl_scan ahead = *line;
    if (pl_scan_word(&ahead).size) return 1;
  }
  *line = *scan;
  return 0;
}

int pl_word_is(pl_word word, const char *text)
{
  return strlen(text) == word.size && memcmp(word.at, text, word.size) == 0;
}

int pl_word_like(pl_word word, const char *text)
{
  if (strlen(text) != word.size) return 0;
  for (size_t i = 0; i < word.size; i++) {
    char c = word.at[i], capital = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    char t = text[i], wanted = t >= 'a' && t <= 'z' ? (char)(t - 'a' + 'A') : t;
    if (capital != wanted) return 0;
  }
  return 1;
}

/* Says that word is not what was expected, with the cursor on the word's line. */
static pl_status unexpected(const pl_scan *scan, pl_word word, const char *what, const char *kind,
                            pl_error *error)
{
  pl_scan place = *scan;
  place.at = word.at;
  if (!word.size)
    return pl_scan_fail(&place, error, PL_E_PARSE, "the file ends where the %s should be", what);
  char shown[41];
  size_t size = word.size < sizeof shown ? word.size : sizeof shown - 1;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)word.at[i];
    shown[i] = c < 32 || c > 126 ? '?' : (char)c;
  }
  shown[size] = 0;
  return pl_scan_fail(&place, error, PL_E_PARSE, "the %s is \"%s\"; it must be %s", what, shown,
                      kind);
}

pl_status pl_scan_int(pl_scan *scan, const char *what, int64_t *value, pl_error *error)
{
  pl_word word = pl_scan_word(scan);
  const char *at = word.at, *end = at + word.size;
  int negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  uint64_t number = 0;
  int bad = at == end;
  for (; at < end && !bad; at++) {
    uint64_t digit = (uint64_t)(*at - '0');
    bad = !is_digit(*at) || number > ((uint64_t)INT64_MAX - digit) / 10;
    if (!bad) number = 10 * number + digit;
  }
  if (bad) return unexpected(scan, word, what, "a whole number", error);
  *value = negative ? -(int64_t)number : (int64_t)number;
  return PL_OK;
}

/* Digits, point and exponent of a decimal: digits * 10^power if exact is set. */
typedef struct decimal {
  uint64_t digits;
  int64_t power;
  int negative, exact;
} decimal;

/* The digits at the cursor; those that no longer fit make the decimal inexact. Returns how many. */
static int64_t take_digits(const char **at, const char *end, decimal *number)
{
  const char *start = *at;
  for (; *at < end && is_digit(**at); (*at)++) {
    if (number->digits > (UINT64_MAX - 9) / 10)
      number->exact = 0;
    else
      number->digits = 10 * number->digits + (uint64_t)(**at - '0');
  }
  return *at - start;
}

/* Splits a word; 0 if it is not a decimal number. */
static int split_decimal(pl_word word, decimal *number)
{
  const char *at = word.at, *end = at + word.size;
  *number = (decimal){.exact = 1};
  if (at < end && (*at == '-' || *at == '+')) number->negative = *at++ == '-';
  int64_t whole = take_digits(&at, end, number), behind = 0;
  if (at < end && *at == '.') {
    at++;
    behind = take_digits(&at, end, number);
  }
  if (whole + behind == 0) return 0;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    int down = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return 0;
    for (; at < end && is_digit(*at); at++) {
      if (number->power < 100000) number->power = 10 * number->power + (*at - '0');
    }
    if (down) number->power = -number->power;
  }
  number->power -= behind;
  return at == end;
}

pl_status pl_scan_double(pl_scan *scan, const char *what, double *value, pl_error *error)
{
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  pl_word word = pl_scan_word(scan);
  decimal number;
  if (!split_decimal(word, &number)) return unexpected(scan, word, what, "a finite number", error);
  if (number.exact && number.digits <= (UINT64_C(1) << 53) && number.power >= -22 &&
      number.power <= 22) {
    double digits = (double)number.digits;
    digits = number.power < 0 ? digits / tens[-number.power] : digits * tens[number.power];
    *value = number.negative ? -digits : digits;
    return PL_OK;
  }
  pl_read_double(word.at, value);
  if (!isfinite(*value)) return unexpected(scan, word, what, "a finite number", error);
  return PL_OK;
}

pl_status pl_scan_bytes(pl_scan *scan, const char *what, uint64_t size, const char **data,
                        pl_error *error)
{
  scan->binary = 1;
  if (size > pl_scan_left(scan))
    return pl_scan_fail(
        scan, error, PL_E_PARSE,
        "the %s takes %llu bytes but only %zu follow; the file is cut off or damaged", what,
        (unsigned long long)size, pl_scan_left(scan));
  *data = scan->at;
  scan->at += size;
  return PL_OK;
}

pl_status pl_scan_int32(pl_scan *scan, const char *what, int64_t *value, pl_error *error)
{
  const char *data = NULL;
  pl_status status = pl_scan_bytes(scan, what, 4, &data, error);
  if (!status) *value = pl_load_int32(data, scan->swap);
  return status;
}

pl_status pl_scan_int64(pl_scan *scan, const char *what, int64_t *value, pl_error *error)
{
  const char *data = NULL;
  pl_status status = pl_scan_bytes(scan, what, 8, &data, error);
  if (!status) *value = pl_load_int64(data, scan->swap);
  return status;
}

pl_status pl_scan_claim(const pl_scan *scan, const char *what, int64_t count, int64_t limit,
                        size_t bytes_each, pl_error *error)
{
  if (count < 0)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "the number of %s is %lld; it must not be negative", what,
                        (long long)count);
  // the last one needs no blank behind it
  if ((uint64_t)count > pl_scan_left(scan) / bytes_each + 1)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "%lld %s are announced but only %zu bytes follow; the file is cut off or "
                        "damaged",
                        (long long)count, what, pl_scan_left(scan));
  if (count > limit)
    return pl_scan_fail(scan, error, PL_E_LIMIT, "%lld %s are more than the limit of %lld",
                        (long long)count, what, (long long)limit);
  return PL_OK;
}

static uint32_t load32(const char *data, int swap)
{
  uint32_t v;
  memcpy(&v, data, 4);
  if (swap) v = v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) << 8 | v << 24;
  return v;
}

static uint64_t load64(const char *data, int swap)
{
  uint64_t v;
  memcpy(&v, data, 8);
  if (!swap) return v;
  v = (v >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (v & UINT64_C(0x00ff00ff00ff00ff)) << 8;
  v = (v >> 16 & UINT64_C(0x0000ffff0000ffff)) | (v & UINT64_C(0x0000ffff0000ffff)) << 16;
  return v >> 32 | v << 32;
}

int32_t pl_load_int32(const char *data, int swap) { return (int32_t)load32(data, swap); }
int64_t pl_load_int64(const char *data, int swap) { return (int64_t)load64(data, swap); }

float pl_load_float(const char *data, int swap)
{
  uint32_t bits = load32(data, swap);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

double pl_load_double(const char *data, int swap)
{
  uint64_t bits = load64(data, swap);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

int pl_little_endian(void)
{
  const uint16_t one = 1;
  char first;
  memcpy(&first, &one, 1);
  return first;
}
