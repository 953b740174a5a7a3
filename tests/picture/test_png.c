/* PNG files: read back by a decoder written from the standards (ISO/IEC 15948, RFC 1950, 1951),
 * they give the same pixels; checksums are recomputed bit by bit. */
#include "core/memory.h"
#include "mesh/failing.h"
#include "picture/png.h"
#include "picture/stroke_font.h"

/* ---- a small decoder ---- */

typedef struct bits {
  const unsigned char *data;
  size_t size, place; /* place counts bits */
  int failed;
} bits;

static unsigned take(bits *in, int count)
{
  unsigned value = 0;
  for (int i = 0; i < count; i++, in->place++) {
    if (in->place / 8 >= in->size) {
      in->failed = 1;
      return 0;
    }
    value |= (unsigned)(in->data[in->place / 8] >> (in->place % 8) & 1) << i;
  }
  return value;
}

/* Codes by their length: how many there are of each, and the symbols in order. */
typedef struct code {
  int counts[16], symbols[288];
} code;

static void make_code(code *to, const unsigned char *lengths, int count)
{
  int next[17] = {0};
  memset(to, 0, sizeof *to);
  for (int i = 0; i < count; i++) to->counts[lengths[i]]++;
  to->counts[0] = 0;
  for (int length = 1; length < 16; length++) next[length + 1] = next[length] + to->counts[length];
  for (int i = 0; i < count; i++) {
    if (lengths[i]) to->symbols[next[lengths[i]]++] = i;
  }
}

static int take_symbol(bits *in, const code *from)
{
  int word = 0, first = 0, index = 0;
  for (int length = 1; length < 16 && !in->failed; length++) {
    word |= (int)take(in, 1);
    if (word - first < from->counts[length]) return from->symbols[index + word - first];
    index += from->counts[length];
    first = (first + from->counts[length]) << 1;
    word <<= 1;
  }
  in->failed = 1;
  return 256;
}

static void read_codes(bits *in, int kind, code *literals, code *distances)
{
  static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned char lengths[320] = {0};
  if (kind == 1) {
    for (int i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(literals, lengths, 288);
    memset(lengths, 5, 30);
    make_code(distances, lengths, 30);
    return;
  }
  int literal_count = (int)take(in, 5) + 257, distance_count = (int)take(in, 5) + 1;
  int length_count = (int)take(in, 4) + 4, filled = 0;
  for (int i = 0; i < length_count; i++) lengths[order[i]] = (unsigned char)take(in, 3);
  code packing;
  make_code(&packing, lengths, 19);
  memset(lengths, 0, sizeof lengths);
  while (filled < literal_count + distance_count && !in->failed) {
    int symbol = take_symbol(in, &packing), repeat = 1;
    unsigned char value = (unsigned char)symbol;
    if (symbol == 16) value = filled ? lengths[filled - 1] : 0, repeat = 3 + (int)take(in, 2);
    if (symbol == 17) value = 0, repeat = 3 + (int)take(in, 3);
    if (symbol == 18) value = 0, repeat = 11 + (int)take(in, 7);
    while (repeat-- && filled < 320) lengths[filled++] = value;
  }
  make_code(literals, lengths, literal_count);
  make_code(distances, lengths + literal_count, distance_count);
}

static void put(pl_text *out, unsigned char byte) { pl_text_bytes(out, &byte, 1); }

static void inflate_block(bits *in, int kind, pl_text *out)
{
  static const int bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                              31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const int extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  code literals, distances;
  read_codes(in, kind, &literals, &distances);
  while (!in->failed) {
    int symbol = take_symbol(in, &literals);
    if (symbol == 256) return;
    if (symbol < 256) {
      put(out, (unsigned char)symbol);
      continue;
    }
    int length = bases[symbol - 257] + (int)take(in, extras[symbol - 257]);
    int far = take_symbol(in, &distances), extra = far < 4 ? 0 : far / 2 - 1;
    size_t back =
        far < 4 ? (size_t)far + 1 : ((size_t)(2 + far % 2) << extra) + take(in, extra) + 1;
    if (back > out->size) in->failed = 1;
    while (length-- && !in->failed) put(out, (unsigned char)out->data[out->size - back]);
  }
}

static uint32_t read_u32(const unsigned char *p)
{
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The content of a zlib stream; checks its Adler-32. */
static int inflate_stream(const unsigned char *data, size_t size, pl_text *out)
{
  bits in = {.data = data, .size = size, .place = 16};
  if (size < 6 || (data[0] & 15) != 8 || (data[0] * 256 + data[1]) % 31 != 0) return 0;
  unsigned last = 0;
  while (!last && !in.failed) {
    last = take(&in, 1);
    int kind = (int)take(&in, 2);
    if (kind == 0) {
      in.place = (in.place + 7) / 8 * 8;
      unsigned count = take(&in, 16);
      if (take(&in, 16) != (count ^ 0xffff)) return 0;
      while (count-- && !in.failed) put(out, (unsigned char)take(&in, 8));
    } else {
      inflate_block(&in, kind, out);
    }
  }
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < out->size; i++) {
    a = (a + (unsigned char)out->data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return !in.failed && (in.place + 7) / 8 == size - 4 && (b << 16 | a) == read_u32(data + size - 4);
}

static uint32_t crc_bit_by_bit(const unsigned char *data, size_t size)
{
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

static int undo_filter(int filter, int left, int up, int corner)
{
  int guess = left + up - corner;
  int a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
  int nearest = a <= b && a <= c ? left : b <= c ? up : corner;
  return filter == 1   ? left
         : filter == 2 ? up
         : filter == 3 ? (left + up) / 2
         : filter == 4 ? nearest
                       : 0;
}

/* Decodes a file of one IDAT chunk and compares it with the picture. */
static int decodes_to(const pl_text *file, const pl_image *image)
{
  const unsigned char *p = (const unsigned char *)file->data, *end = p + file->size;
  pl_text lines = pl_text_make(NULL);
  int chunks = 0, ok = file->size > 8 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0;
  static const char *const types[] = {"IHDR", "IDAT", "IEND"};
  for (p += 8; ok && p + 12 <= end; chunks++) {
    size_t size = read_u32(p);
    ok = chunks < 3 && p + 12 + size <= end && memcmp(p + 4, types[chunks], 4) == 0 &&
         crc_bit_by_bit(p + 4, size + 4) == read_u32(p + 8 + size);
    if (ok && chunks == 0) {
      ok = size == 13 && (int)read_u32(p + 8) == image->width &&
           (int)read_u32(p + 12) == image->height && p[16] == 8 &&
           p[17] == (image->channels == 3 ? 2 : 6) && !p[18] && !p[19] && !p[20];
    }
    if (ok && chunks == 1) ok = inflate_stream(p + 8, size, &lines);
    p += 12 + size;
  }
  size_t row = (size_t)image->width * (size_t)image->channels, n = (size_t)image->channels;
  ok = ok && chunks == 3 && p == end && lines.size == (row + 1) * (size_t)image->height;
  for (size_t y = 0; ok && y < (size_t)image->height; y++) {
    unsigned char *line = (unsigned char *)lines.data + y * (row + 1);
    for (size_t i = 0; ok && i < row; i++) {
      int left = i >= n ? line[i - n + 1] : 0, up = y ? line[i + 1 - row - 1] : 0;
      int corner = y && i >= n ? line[i + 1 - n - row - 1] : 0;
      line[i + 1] = (unsigned char)(line[i + 1] + undo_filter(line[0], left, up, corner));
      ok = line[i + 1] == image->pixels[y * row + i];
    }
  }
  pl_text_release(&lines);
  return ok;
}

/* ---- the tests ---- */

static pl_image noisy_image(int width, int height, int channels)
{
  pl_allocator allocator = pl_allocator_default();
  pl_image image = {width, height, channels, NULL};
  size_t count = (size_t)width * (size_t)height * (size_t)channels;
  image.pixels = pl_alloc(&allocator, count, 1);
  for (size_t i = 0; i < count; i++) {
    // smooth in the left half, noise in the right one
    size_t x = i / (size_t)channels % (size_t)width;
    image.pixels[i] = (unsigned char)(2 * x < (size_t)width ? x + i % 7 : test_random());
  }
  return image;
}

TEST(pictures_read_back)
{
  static const int sizes[][3] = {{1, 1, 3},   {1, 9, 4},   {7, 1, 3},
                                 {64, 48, 3}, {33, 70, 4}, {30000 / 4, 3, 4}};
  pl_allocator allocator = pl_allocator_default();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    pl_image image = noisy_image(sizes[i][0], sizes[i][1], sizes[i][2]);
    pl_text file = pl_text_make(NULL);
    CHECK_OK(pl_png_write(&image, &file, error));
    CHECK(decodes_to(&file, &image));
    image.pixels[0] ^= 1; // the comparison can fail
    CHECK(!decodes_to(&file, &image));
    pl_text_release(&file);
    pl_image_free(&allocator, &image);
    CHECK(image.pixels == NULL);
  }
}

TEST(what_is_no_picture_is_refused)
{
  unsigned char pixels[16] = {0};
  pl_text out = pl_text_make(NULL);
  pl_text_add(&out, "before");
  pl_image none = {0, 4, 3, pixels}, wide = {1 << 20, 1, 3, pixels}, grey = {2, 2, 1, pixels};
  pl_image empty = {2, 2, 3, NULL};
  CHECK_FAILS(pl_png_write(&none, &out, error), PL_E_ARGUMENT, "0 x 4");
  CHECK_FAILS(pl_png_write(&wide, &out, error), PL_E_ARGUMENT, "1048576 x 1");
  CHECK_FAILS(pl_png_write(&grey, &out, error), PL_E_ARGUMENT, "3 or 4 channels, not 1");
  CHECK_FAILS(pl_png_write(&empty, &out, error), PL_E_ARGUMENT, "needs pixels");
  CHECK(strcmp(out.data, "before") == 0);
  pl_text_release(&out);
}

static pl_status write_small(const pl_allocator *allocator, void *context)
{
  pl_text out = pl_text_make(allocator);
  pl_error error;
  pl_status status = pl_png_write(context, &out, &error);
  CHECK(status == PL_OK || (out.size == 0 && error.code == PL_E_MEMORY));
  pl_text_release(&out);
  return status;
}

TEST(no_memory_is_reported)
{
  pl_allocator allocator = pl_allocator_default();
  pl_image image = noisy_image(90, 40, 3);
  fail_every_allocation(write_small, &image);
  pl_image_free(&allocator, &image);
}

/* Ink in a white picture after writing text into it: the sum, and how many columns it spans. */
static long ink_of(const char *text, double x, double y, double size, int *columns)
{
  enum { WIDTH = 200, HEIGHT = 60 };
  static unsigned char pixels[3 * WIDTH * HEIGHT];
  pl_image image = {WIDTH, HEIGHT, 3, pixels};
  static const unsigned char black[3] = {0, 0, 0};
  memset(pixels, 255, sizeof pixels);
  pl_stroke_font_draw(&image, text, x, y, size, black);
  long sum = 0;
  int first = WIDTH, last = -1;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    if (pixels[3 * i] == 255) continue;
    sum += 255 - pixels[3 * i];
    if (i % WIDTH < first) first = i % WIDTH;
    if (i % WIDTH > last) last = i % WIDTH;
  }
  *columns = last - first + 1;
  return sum;
}

TEST(letters_leave_ink_where_they_should)
{
  int columns, other;
  // every letter of ASCII but the blank can be seen, and no two capitals look alike
  for (char c = '!'; c < 127; c++) CHECK(ink_of((char[2]){c, 0}, 20, 40, 20, &columns) > 500);
  CHECK(ink_of(" ", 20, 40, 20, &columns) == 0);
  CHECK(ink_of("O", 20, 40, 20, &columns) != ink_of("Q", 20, 40, 20, &columns));

  // as wide as announced, within the thickness of a stroke
  ink_of("HMH", 20, 40, 20, &columns);
  CHECK_NEAR(columns, pl_stroke_font_width("HMH", 20), 5);
  // an exponent is smaller than the digit on the line, and '^' itself is not drawn
  CHECK(pl_stroke_font_width("10^3", 20) < pl_stroke_font_width("103", 20));
  long raised = ink_of("^3", 20, 40, 20, &columns), plain = ink_of("3", 20, 40, 20, &other);
  CHECK(raised < plain && columns < other);
  CHECK(ink_of("a^b", 20, 40, 20, &columns) > ink_of("ab", 20, 40, 20, &columns));

  // signs of units, unknown letters, broken bytes, places outside: all are harmless
  CHECK(ink_of("\xc2\xb0\xc2\xb5\xc2\xb7\xe2\x82\xac\xff\xc3", 20, 40, 20, &columns) > 1000);
  CHECK(ink_of("text", -1000, 40, 20, &columns) == 0 &&
        ink_of("text", 20, 4000, 20, &columns) == 0);
  CHECK(ink_of("text", NAN, 40, 20, &columns) == 0 && ink_of("text", 20, 40, -1, &columns) == 0);
  CHECK(ink_of("text", -10, 10, 20, &columns) > 0 && ink_of("", 20, 40, 20, &columns) == 0);
}

TESTS(X(pictures_read_back) X(what_is_no_picture_is_refused) X(no_memory_is_reported)
          X(letters_leave_ink_where_they_should))
