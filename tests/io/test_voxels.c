/* Stacks of slices: what is read, what is refused, and files that are cut off or falsified. */
#include "io/voxels.h"
#include "memory.h"

#include "test.h"

static pl_status parse(const char *data, size_t size, pl_voxels *stack, pl_error *error)
{
  return pl_voxels_parse("a.nrrd", data, size, NULL, stack, error);
}

#define PARSE(text, stack) parse(text, sizeof text - 1, stack, error)

/* The last row of a slice is the lowest, the first slice as well. */
TEST(slices_of_a_pgm)
{
  static const double rows[12] = {'D', 'E', 'F', 'A', 'B', 'C', 'J', 'K', 'L', 'G', 'H', 'I'};
  pl_voxels stack;
  CHECK_OK(PARSE("P5\n# a slice\n3 2 255\nABCDEFP5 3 2 255 GHIJKL", &stack));
  CHECK(stack.size[0] == 3 && stack.size[1] == 2 && stack.size[2] == 2);
  CHECK(stack.full == 255 && stack.voxel[0] == 0);
  for (int i = 0; i < 12; i++) CHECK(stack.values[i] == rows[i]);
  pl_voxels_release(NULL, &stack);

  CHECK_OK(PARSE("P2 2 1 7 3 # dark\n 7", &stack));
  CHECK(stack.values[0] == 3 && stack.values[1] == 7 && stack.full == 7);
  pl_voxels_release(NULL, &stack);
  CHECK_OK(PARSE("P5 1 1 256 \1\0", &stack));
  CHECK(stack.values[0] == 256);
  pl_voxels_release(NULL, &stack);
}

#define HEAD "NRRD0004\r\n# x\r\ndimension: 3\nkey:=value\n"

TEST(numbers_of_a_nrrd)
{
  pl_voxels stack;
  CHECK_OK(PARSE(HEAD "type: short\nsizes: 2 1 1\nspace directions: (1,0,0) (0,2,0) (0,0,3)\n"
                      "space origin: (1, 1, 1)\nencoding: raw\nendian: big\n\n\377\376\1\54",
                 &stack));
  CHECK(stack.values[0] == -2 && stack.values[1] == 300 && stack.full == 32767);
  // the origin is the middle of the first voxel there, its corner here
  CHECK(stack.voxel[2] == 3 && stack.origin[0] == 0.5 && stack.origin[2] == -0.5);
  pl_voxels_release(NULL, &stack);
  CHECK_OK(PARSE(HEAD "type: int\nsizes: 2 1 1\nencoding: raw\nendian: little\n\n"
                      "\376\377\377\377\1\1\0\0",
                 &stack));
  CHECK(stack.values[0] == -2 && stack.values[1] == 257);
  pl_voxels_release(NULL, &stack);
  CHECK_OK(PARSE(HEAD "type: unsigned int\nsizes: 2 1 1\nencoding: raw\nendian: big\n\n"
                      "\377\377\377\376\0\0\1\1",
                 &stack));
  CHECK(stack.values[0] == 4294967294.0 && stack.values[1] == 257);
  pl_voxels_release(NULL, &stack);
  CHECK_OK(PARSE(HEAD "type: float\nsizes: 1 1 2\nspacings: 1 2 3\nencoding: raw\n"
                      "endian: little\n\n\0\0\200\76\0\0\300\77",
                 &stack));
  CHECK(stack.values[0] == 0.25 && stack.values[1] == 1.5 && stack.full == 1);
  CHECK(stack.voxel[1] == 2);
  pl_voxels_release(NULL, &stack);
}

TEST(bad_stacks_are_refused)
{
  pl_voxels stack;
  CHECK_FAILS(PARSE("BM", &stack), PL_E_PARSE, "is no stack of slices");
  CHECK_FAILS(PARSE("P5 3 2 255\nABC", &stack), PL_E_PARSE, "grey values");
  CHECK_FAILS(PARSE("P5 3 0 255\nABC", &stack), PL_E_PARSE, "height = 0");
  CHECK_FAILS(PARSE("P2 1 1 7 8", &stack), PL_E_PARSE, "grey value = 8");
  CHECK_FAILS(PARSE("P2 1 1 7 3 P2 2 1 7 3 3", &stack), PL_E_PARSE, "all must be alike");
  CHECK_FAILS(PARSE(HEAD "type: block\n\n", &stack), PL_E_PARSE, "type = block");
  CHECK_FAILS(PARSE(HEAD "type: float\nsizes: 1 1\n\n", &stack), PL_E_PARSE, "three numbers");
  CHECK_FAILS(PARSE(HEAD "sizes: 1 1 -1\n\n", &stack), PL_E_PARSE, "sizes = -1");
  CHECK_FAILS(PARSE("NRRD0004\ndimension: 4\n\n", &stack), PL_E_PARSE, "dimension = 4");
  CHECK_FAILS(PARSE(HEAD "encoding: gzip\n\n", &stack), PL_E_PARSE, "save the image raw");
  CHECK_FAILS(PARSE(HEAD "data file: a.raw\n\n", &stack), PL_E_PARSE, "in another file");
  CHECK_FAILS(PARSE(HEAD "space directions: (0,1,0) (1,0,0) (0,0,1)\n\n", &stack), PL_E_PARSE,
              "along x, y and z");
  CHECK_FAILS(PARSE(HEAD "type: float", &stack), PL_E_PARSE, "no empty line");
  CHECK_FAILS(PARSE(HEAD "type: float\n\n", &stack), PL_E_PARSE, "needs type, dimension");
  CHECK_FAILS(PARSE(HEAD "type: float\nsizes: 1000000 1000000 9\nencoding: raw\n\n", &stack),
              PL_E_LIMIT, "more than");
  CHECK_FAILS(PARSE(HEAD "type: float\nsizes: 1 1 1\nencoding: raw\n\n\377\377\377\377", &stack),
              PL_E_PARSE, "not a finite number");
  CHECK_FAILS(pl_voxels_read("/nowhere/a.nrrd", NULL, &stack, error), PL_E_IO, "nowhere");
}

/* Every beginning of a file, and every file with a byte changed, is read or refused with a reason,
 * and no failing allocation is missed. */
TEST(cut_and_falsified_stacks)
{
  static const char pgm[] = "P5\n# a slice\n3 2 255\nABCDEFP5 3 2 255 GHIJKL";
  static const char nrrd[] = HEAD "type: uint8\nsizes: 2 2 2\nencoding: raw\n\nABCDEFGH";
  const char *const files[] = {pgm, nrrd};
  const size_t sizes[] = {sizeof pgm - 1, sizeof nrrd - 1};
  for (int f = 0; f < 2; f++) {
    for (size_t cut = 0; cut < 256 * sizes[f]; cut++) {
      char copy[256];
      counter memory = {.fail_at = (long)(cut % 3)};
      pl_allocator allocator = counter_allocator(&memory);
      size_t size = cut < sizes[f] ? cut : sizes[f];
      memcpy(copy, files[f], sizes[f]);
      copy[size] = 0;
      if (cut >= sizes[f]) copy[cut % sizes[f]] = (char)(cut / sizes[f]);
      pl_voxels stack;
      pl_error error = {0};
      pl_status status = pl_voxels_parse("a", copy, size, &allocator, &stack, &error);
      CHECK(!status || (error.message[0] && !stack.values));
      pl_voxels_release(&allocator, &stack);
      CHECK(memory.blocks == 0);
    }
  }
}

TESTS(X(slices_of_a_pgm) X(numbers_of_a_nrrd) X(bad_stacks_are_refused) X(cut_and_falsified_stacks))
