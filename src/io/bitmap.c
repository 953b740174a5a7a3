/* BMP: "BM", the place of the pixels at byte 10, then a head of 40 bytes or more from byte 14 on
 * with width, height (negative: rows from the top), planes, bits and compression; rows end at
 * multiples of four bytes. TGA: 18 bytes with the length of a name, a kind (2: colours), width and
 * height at 12 and 14, bits at 16, and whether rows come from the top in bit 5 of byte 17. Colours
 * are blue, green, red, all numbers with the lowest byte first. */
#include "io/bitmap.h"

#include "core/error.h"
#include "core/memory.h"
#include "io/texture.h"

#include <string.h>

/* Where the pixels lie. */
typedef struct layout {
  size_t first, row;
  int64_t width, height;
  int bytes, from_top;
} layout;

static int64_t number(const unsigned char *at, int bytes)
{
  uint32_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
  return bytes == 4 ? (int64_t)(int32_t)value : (int64_t)value;
}

static pl_status find_bmp(const unsigned char *at, size_t size, layout *out, pl_error *error)
{
  if (size < 54 || number(at + 14, 4) < 40)
    return pl_fail(error, PL_E_PARSE, "the head of the .bmp image is cut off");
  *out = (layout){.first = (size_t)(uint32_t)number(at + 10, 4),
                  .width = number(at + 18, 4),
                  .height = number(at + 22, 4),
                  .bytes = 3};
  if (number(at + 28, 2) != 24 || number(at + 30, 4) != 0)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "the .bmp image has %d bits per pixel or is compressed; 24 bits without "
                   "compression are read",
                   (int)number(at + 28, 2));
  out->from_top = out->height < 0;
  if (out->from_top) out->height = -out->height;
  out->row = out->width > 0 ? (size_t)(3 * out->width + 3) / 4 * 4 : 0;
  return PL_OK;
}

static pl_status find_tga(const unsigned char *at, size_t size, layout *out, pl_error *error)
{
  if (size < 18 || at[1] != 0 || at[2] != 2 || (at[16] != 24 && at[16] != 32))
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "is neither a .bmp image of 24 bits nor a .tga image of 24 or 32 bits without "
                   "compression");
  *out = (layout){.first = 18 + (size_t)at[0],
                  .width = number(at + 12, 2),
                  .height = number(at + 14, 2),
                  .bytes = at[16] / 8,
                  .from_top = at[17] >> 5 & 1};
  out->row = (size_t)out->width * (size_t)out->bytes;
  return PL_OK;
}

static pl_status check(const layout *of, size_t size, pl_error *error)
{
  if (of->width < 1 || of->height < 1 || of->width > PL_MOST_IMAGE_SIDE ||
      of->height > PL_MOST_IMAGE_SIDE)
    return pl_fail(error, PL_E_LIMIT,
                   "has %lld x %lld pixels; from 1 to %d along each side are possible",
                   (long long)of->width, (long long)of->height, PL_MOST_IMAGE_SIDE);
  if (of->first > size || of->row * (size_t)of->height > size - of->first)
    return pl_fail(error, PL_E_PARSE, "ends before its last pixel");
  return PL_OK;
}

pl_status pl_bitmap_parse(const pl_allocator *allocator, const void *data, size_t size,
                          pl_bitmap *out, pl_error *error)
{
  const unsigned char *at = data;
  layout of = {0};
  *out = (pl_bitmap){0};
  int is_bmp = size >= 2 && at[0] == 'B' && at[1] == 'M';
  pl_status status = (is_bmp ? find_bmp : find_tga)(at, size, &of, error);
  if (!status) status = check(&of, size, error);
  if (status) return status;
  out->width = (int)of.width;
  out->height = (int)of.height;
  out->pixels = pl_alloc(allocator, (size_t)(of.width * of.height), 3);
  if (!out->pixels) return pl_fail_memory(error);
  unsigned char *to = out->pixels;
  for (int64_t y = 0; y < of.height; y++) {
    const unsigned char *from =
        at + of.first + of.row * (size_t)(of.from_top ? y : of.height - 1 - y);
    for (int64_t x = 0; x < of.width; x++, from += of.bytes) {
      for (int k = 0; k < 3; k++) *to++ = from[2 - k];
    }
  }
  return PL_OK;
}

int pl_bitmap_is(const char *path)
{
  const char *dot = strrchr(path, '.');
  static const char *const ends[] = {".bmp", ".dib", ".tga"};
  for (int i = 0; dot && i < 3; i++) {
    int same = strlen(dot) == 4;
    for (int k = 1; k < 4 && same; k++) same = (dot[k] | 32) == ends[i][k];
    if (same) return 1;
  }
  return 0;
}

pl_status pl_bitmap_read(const pl_allocator *allocator, const char *path, pl_bitmap *out,
                         pl_error *error)
{
  pl_bytes bytes;
  pl_error inner;
  *out = (pl_bitmap){0};
  pl_status status = pl_file_read(allocator, path, PL_MOST_IMAGE_BYTES, &bytes, error);
  if (status) return status;
  status = pl_bitmap_parse(allocator, bytes.data, bytes.size, out, &inner);
  if (status) pl_fail_at(error, status, path, 0, "%s", inner.message);
  pl_bytes_free(allocator, &bytes);
  return status;
}

void pl_bitmap_release(const pl_allocator *allocator, pl_bitmap *bitmap)
{
  pl_free(allocator, bitmap->pixels);
  bitmap->pixels = NULL;
}
