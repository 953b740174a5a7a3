/* PNG: a signature and chunks with checksums around rows of filtered pixels in a zlib stream
 * (ISO/IEC 15948; RFC 1950 and 1951). Without zlib the stream holds stored blocks: correct, but
 * not small. */
#include "picture/png.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef PL_WITH_ZLIB
#include <zlib.h>
#endif

void pl_image_free(const pl_allocator *allocator, pl_image *image)
{
  pl_free(allocator, image->pixels);
  *image = (pl_image){0};
}

static void put_u32(unsigned char *bytes, uint32_t value)
{
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* CRC-32 of a chunk's type and data, a nibble at a time. */
static uint32_t checksum(const unsigned char *data, size_t size)
{
  static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                     0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                     0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; i++) {
    crc = table[(crc ^ data[i]) & 15] ^ (crc >> 4);
    crc = table[(crc ^ (data[i] >> 4)) & 15] ^ (crc >> 4);
  }
  return ~crc;
}

static void put_chunk(pl_text *out, const char *type, const unsigned char *data, size_t size)
{
  unsigned char number[4];
  put_u32(number, (uint32_t)size);
  pl_text_bytes(out, number, 4);
  size_t start = out->size;
  pl_text_bytes(out, type, 4);
  pl_text_bytes(out, data, size);
  if (out->failed) return;
  put_u32(number, checksum((const unsigned char *)out->data + start, size + 4));
  pl_text_bytes(out, number, 4);
}

#ifdef PL_WITH_ZLIB

/* The neighbour (left, above, above left) nearest to left + above - above left. */
static int paeth(int left, int above, int corner)
{
  int guess = left + above - corner;
  int a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/* Writes the filter's number and the row's differences; returns the sum of their sizes. */
static long filter_row(int filter, const unsigned char *row, const unsigned char *above, int bytes,
                       int channels, unsigned char *out)
{
  long sum = 0;
  *out++ = (unsigned char)filter;
  for (int i = 0; i < bytes; i++) {
    int left = i >= channels ? row[i - channels] : 0;
    int up = above ? above[i] : 0;
    int corner = above && i >= channels ? above[i - channels] : 0;
    int guess = filter == 1 ? left : filter == 2 ? up : filter == 4 ? paeth(left, up, corner) : 0;
    out[i] = (unsigned char)(row[i] - guess);
    sum += abs((signed char)out[i]);
  }
  return sum;
}

/* Filters every row with whichever of none, left, up and Paeth gives the smallest differences. */
static void filter_rows(const pl_image *image, unsigned char *lines, unsigned char *trial)
{
  static const int filters[] = {0, 1, 2, 4};
  int bytes = image->width * image->channels;
  const unsigned char *above = NULL;
  for (int y = 0; y < image->height; y++) {
    const unsigned char *row = image->pixels + (size_t)y * (size_t)bytes;
    unsigned char *line = lines + (size_t)y * (size_t)(bytes + 1);
    long best = -1;
    for (int k = 0; k < 4; k++) {
      long sum = filter_row(filters[k], row, above, bytes, image->channels, trial);
      if (best >= 0 && sum >= best) continue;
      best = sum;
      memcpy(line, trial, (size_t)bytes + 1);
    }
    above = row;
  }
}

static void *zlib_alloc(void *context, unsigned count, unsigned size)
{
  return pl_alloc(context, count, size);
}

static void zlib_free(void *context, void *memory) { pl_free(context, memory); }

/* Compresses lines into packed, which has room for the bound; 0 if there is no memory. */
static size_t deflate_lines(const pl_allocator *allocator, unsigned char *lines, size_t size,
                            unsigned char **packed)
{
  z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = (void *)allocator};
  if (deflateInit(&stream, 6) != Z_OK) return 0;
  uLong bound = deflateBound(&stream, (uLong)size);
  size_t result = 0;
  *packed = pl_alloc(allocator, bound, 1);
  if (*packed) {
    stream.next_in = lines;
    stream.avail_in = (uInt)size;
    stream.next_out = *packed;
    stream.avail_out = (uInt)bound;
    if (deflate(&stream, Z_FINISH) == Z_STREAM_END) result = stream.total_out;
  }
  deflateEnd(&stream);
  return result;
}

static void put_pixels(const pl_image *image, pl_text *out)
{
  size_t bytes = (size_t)image->width * (size_t)image->channels + 1;
  size_t size = bytes * (size_t)image->height;
  unsigned char *lines = pl_alloc(&out->allocator, size, 1), *packed = NULL;
  unsigned char *trial = pl_alloc(&out->allocator, bytes, 1);
  size_t packed_size = 0;
  if (lines && trial) {
    filter_rows(image, lines, trial);
    packed_size = deflate_lines(&out->allocator, lines, size, &packed);
  }
  if (packed_size)
    put_chunk(out, "IDAT", packed, packed_size);
  else
    out->failed = 1;
  pl_free(&out->allocator, packed);
  pl_free(&out->allocator, trial);
  pl_free(&out->allocator, lines);
}

#else

/* A zlib stream of stored blocks, each one row without filter or a part of it. */
static void put_pixels(const pl_image *image, pl_text *out)
{
  enum { MOST_STORED = 65535 };
  size_t bytes = (size_t)image->width * (size_t)image->channels;
  pl_text stream = pl_text_make(&out->allocator);
  pl_text_bytes(&stream, "\x78\x01", 2);
  uint32_t a = 1, b = 0; // Adler-32
  for (int y = 0; y < image->height; y++) {
    const unsigned char *row = image->pixels + (size_t)y * bytes;
    b = (b + a) % 65521; // the filter's zero
    for (size_t i = 0; i < bytes; i++) {
      a = (a + row[i]) % 65521;
      b = (b + a) % 65521;
    }
    for (size_t start = 0; start <= bytes;) {
      size_t left = bytes + 1 - start, size = left < MOST_STORED ? left : MOST_STORED;
      int last = y == image->height - 1 && size == left;
      unsigned char head[5] = {(unsigned char)last, size & 255, (size >> 8) & 255, ~size & 255,
                               (~size >> 8) & 255};
      pl_text_bytes(&stream, head, 5);
      if (start == 0) pl_text_bytes(&stream, "", 1);
      pl_text_bytes(&stream, row + (start ? start - 1 : 0), start ? size : size - 1);
      start += size;
    }
  }
  unsigned char sum[4];
  put_u32(sum, b << 16 | a);
  pl_text_bytes(&stream, sum, 4);
  if (stream.failed)
    out->failed = 1;
  else
    put_chunk(out, "IDAT", (const unsigned char *)stream.data, stream.size);
  pl_text_release(&stream);
}

#endif

pl_status pl_png_write(const pl_image *image, pl_text *out, pl_error *error)
{
  if (image->width < 1 || image->height < 1 || image->width > PL_MOST_PIXELS ||
      image->height > PL_MOST_PIXELS) {
    return pl_fail(error, PL_E_ARGUMENT, "a picture of %d x %d pixels must have 1 to %d per side",
                   image->width, image->height, PL_MOST_PIXELS);
  }
  if ((image->channels != 3 && image->channels != 4) || !image->pixels) {
    return pl_fail(error, PL_E_ARGUMENT, "a picture needs pixels of 3 or 4 channels, not %d",
                   image->pixels ? image->channels : 0);
  }
  size_t start = out->size;
  unsigned char header[13] = {[8] = 8, [9] = image->channels == 3 ? 2 : 6};
  put_u32(header, (uint32_t)image->width);
  put_u32(header + 4, (uint32_t)image->height);
  pl_text_bytes(out, "\x89PNG\r\n\x1a\n", 8);
  put_chunk(out, "IHDR", header, sizeof header);
  put_pixels(image, out);
  put_chunk(out, "IEND", NULL, 0);
  if (out->failed) out->size = start;
  return pl_text_ok(out, error);
}
