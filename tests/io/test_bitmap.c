/* Images without compression: colours and the order of rows, and what is refused. */
#include "core/memory.h"
#include "io/bitmap.h"

#include "test.h"

/* 2 x 2 pixels: red and green in the upper row, blue and white below. */
static const unsigned char right[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};

static size_t make_tga(unsigned char *out, int bytes, int from_top)
{
  memset(out, 0, 18);
  out[0] = 3; // of a name
  out[2] = 2;
  out[12] = out[14] = 2;
  out[16] = (unsigned char)(8 * bytes);
  out[17] = (unsigned char)(from_top ? 32 : 0);
  unsigned char *to = out + 18 + 3;
  for (int i = 0; i < 4; i++) {
    const unsigned char *from = right + 3 * (from_top ? i : (i + 2) % 4);
    for (int k = 0; k < bytes; k++) *to++ = k < 3 ? from[2 - k] : 77;
  }
  return (size_t)(to - out);
}

static size_t make_bmp(unsigned char *out)
{
  memset(out, 0, 70);
  memcpy(out, "BM", 2);
  out[10] = 54;
  out[14] = 40;
  out[18] = out[22] = 2;
  out[26] = 1;
  out[28] = 24;
  for (int y = 0; y < 2; y++) {
    for (int i = 0; i < 6; i++) out[54 + 8 * y + i] = right[6 * (1 - y) + 3 * (i / 3) + 2 - i % 3];
  }
  return 70;
}

static void check_pixels(const unsigned char *file, size_t size)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bitmap bitmap;
  CHECK_OK(pl_bitmap_parse(&allocator, file, size, &bitmap, error));
  CHECK(bitmap.width == 2 && bitmap.height == 2);
  if (bitmap.pixels) CHECK(memcmp(bitmap.pixels, right, sizeof right) == 0);
  pl_bitmap_release(&allocator, &bitmap);
}

TEST(rows_come_from_the_top_in_red_green_blue)
{
  unsigned char file[128];
  for (int bytes = 3; bytes <= 4; bytes++) {
    check_pixels(file, make_tga(file, bytes, 1));
    check_pixels(file, make_tga(file, bytes, 0));
  }
  check_pixels(file, make_bmp(file));
}

/* Every beginning of a file, and every file with one byte changed, is read or refused. */
TEST(damaged_files_are_refused_with_a_sentence)
{
  pl_allocator allocator = pl_allocator_default();
  unsigned char file[128], broken[128];
  for (int kind = 0; kind < 2; kind++) {
    size_t size = kind ? make_bmp(file) : make_tga(file, 4, 1);
    for (size_t cut = 0; cut < size; cut++) {
      pl_error error = {0};
      pl_bitmap bitmap;
      // the last two bytes of a .bmp only fill up the row
      pl_status status = pl_bitmap_parse(&allocator, file, cut, &bitmap, &error);
      CHECK(status && error.message[0]);
      pl_bitmap_release(&allocator, &bitmap);
    }
    for (size_t at = 0; at < size; at++) {
      for (int value = 0; value < 256; value += 51) {
        pl_error error = {0};
        pl_bitmap bitmap;
        memcpy(broken, file, size);
        broken[at] = (unsigned char)value;
        if (pl_bitmap_parse(&allocator, broken, size, &bitmap, &error)) CHECK(error.message[0]);
        pl_bitmap_release(&allocator, &bitmap);
      }
    }
  }
}

TEST(names_say_which_files_these_are)
{
  CHECK(pl_bitmap_is("a/flag.tga") && pl_bitmap_is("FLAG.BMP") && pl_bitmap_is("x.dib"));
  CHECK(!pl_bitmap_is("flag.png") && !pl_bitmap_is("tga") && !pl_bitmap_is("a.tgax"));
}

TESTS(X(rows_come_from_the_top_in_red_green_blue) X(damaged_files_are_refused_with_a_sentence)
          X(names_say_which_files_these_are))
