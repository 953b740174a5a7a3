/* Three bytes are four letters of six bits each. */
#include "io/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pl_base64_encode(pl_text *text, const void *data, size_t size)
{
  enum { CHUNK = 3 * 256 };
  const unsigned char *bytes = data;
  char out[CHUNK / 3 * 4];
  for (size_t done = 0; done < size;) {
    size_t end = size - done < CHUNK ? size : done + CHUNK, used = 0;
    for (; done < end; done += 3) {
      size_t left = size - done < 3 ? size - done : 3;
      uint32_t bits = (uint32_t)bytes[done] << 16;
      if (left > 1) bits |= (uint32_t)bytes[done + 1] << 8;
      if (left > 2) bits |= bytes[done + 2];
      for (size_t k = 0; k < 4; k++)
        out[used++] = k <= left ? letters[bits >> (18 - 6 * k) & 63] : '=';
    }
    pl_text_bytes(text, out, used);
  }
}

/* The six bits of a letter, or -1. */
static int letter_value(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t pl_base64_decode(const char *at, const char *end, char *bytes, size_t max)
{
  uint32_t bits = 0;
  int count = 0, padding = 0;
  size_t used = 0;
  for (; at < end && used < max; at++) {
    if (*at == ' ' || (*at >= '\t' && *at <= '\r')) continue;
    int value = letter_value(*at);
    if (value < 0 && *at != '=') break;
    bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
    padding += value < 0;
    if (++count < 4) continue;
    for (int k = 0; k < 3 - padding && used < max; k++)
      bytes[used++] = (char)(bits >> (16 - 8 * k) & 255);
    bits = 0;
    count = padding = 0;
  }
  return used;
}
