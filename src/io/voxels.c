/* Readers of image stacks.
 *
 * PGM (netpbm, "P5" and "P2"): width, height and the greatest grey value as text, then the rows
 * from top to bottom, one or two bytes (the high one first) or a word per value. A file may hold
 * several images; each is a slice, the first the lowest. Rows are turned round, so that y points
 * upwards in a slice.
 *
 * NRRD (teem.sourceforge.net/nrrd/format.html): lines "field: value" up to an empty one, then the
 * numbers. Raw data in the same file, three dimensions, x first. */
#include "io/voxels.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/scan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_SIDE = 1 << 20 };

void pl_voxels_release(const pl_allocator *allocator, pl_voxels *image)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_free(&memory, (void *)(uintptr_t)image->values);
  *image = (pl_voxels){0};
}

/* ---- PGM ---- */

/* The next word of the header; comments run from # to the end of the line. */
static pl_status pgm_number(pl_scan *scan, const char *what, int64_t min, int64_t max,
                            int64_t *value, pl_error *error)
{
  for (;;) {
    while (scan->at < scan->end && strchr(" \t\r\n\v\f", *scan->at)) scan->at++;
    if (scan->at == scan->end || *scan->at != '#') break;
    while (scan->at < scan->end && *scan->at != '\n') scan->at++;
  }
  pl_status status = pl_scan_int(scan, what, value, error);
  if (status) return status;
  if (*value >= min && *value <= max) return PL_OK;
  return pl_scan_fail(scan, error, PL_E_PARSE, "%s = %lld must lie between %lld and %lld", what,
                      (long long)*value, (long long)min, (long long)max);
}

typedef struct slice {
  int64_t width, height, max;
  int binary;
  const char *rows; /* where its numbers begin */
} slice;

static pl_status pgm_head(pl_scan *scan, slice *out, pl_error *error)
{
  if (pl_scan_left(scan) < 2 || scan->at[0] != 'P' || (scan->at[1] != '5' && scan->at[1] != '2'))
    return pl_scan_fail(scan, error, PL_E_PARSE, "a slice must begin with P5 or P2");
  out->binary = scan->at[1] == '5';
  scan->at += 2;
  pl_status status = pgm_number(scan, "width", 1, MOST_SIDE, &out->width, error);
  if (!status) status = pgm_number(scan, "height", 1, MOST_SIDE, &out->height, error);
  if (!status) status = pgm_number(scan, "greatest value", 1, 65535, &out->max, error);
  if (status) return status;
  // one blank ends the header
  if (out->binary && scan->at < scan->end) scan->at++;
  out->rows = scan->at;
  return pl_scan_claim(scan, "grey values", out->width * out->height, INT32_MAX,
                       out->binary && out->max > 255 ? 2 : 1, error);
}

/* One slice's numbers; to may be NULL. */
static pl_status pgm_rows(pl_scan *scan, const slice *of, double *to, pl_error *error)
{
  size_t bytes = of->max > 255 ? 2 : 1, width = (size_t)of->width, height = (size_t)of->height;
  const unsigned char *from = (const unsigned char *)scan->at;
  for (size_t i = 0; i < width * height; i++) {
    int64_t value = 0;
    if (of->binary) {
      value = bytes == 2 ? 256 * from[2 * i] + from[2 * i + 1] : from[i];
    } else {
      pl_status status = pgm_number(scan, "grey value", 0, of->max, &value, error);
      if (status) return status;
    }
    if (to) to[(height - 1 - i / width) * width + i % width] = (double)value;
  }
  if (of->binary) scan->at += bytes * width * height;
  return PL_OK;
}

static void skip_blanks(pl_scan *scan)
{
  while (scan->at < scan->end && strchr(" \t\r\n", *scan->at)) scan->at++;
}

static pl_status read_pgm(pl_scan scan, const pl_allocator *allocator, pl_voxels *image,
                          pl_error *error)
{
  slice first = {0}, next;
  int count = 0;
  // once to count the slices, once to read them
  double *values = NULL;
  for (int pass = 0; pass < 2; pass++) {
    pl_scan at = scan;
    for (int s = 0; pass == 0 ? at.at < at.end : s < count; s++) {
      pl_status status = pgm_head(&at, &next, error);
      if (status) return status;
      if (s == 0) first = next;
      if (next.width != first.width || next.height != first.height || next.max != first.max)
        return pl_scan_fail(&at, error, PL_E_PARSE,
                            "slice %d is %lld x %lld up to %lld, but the first is %lld x %lld up "
                            "to %lld; all must be alike",
                            s + 1, (long long)next.width, (long long)next.height,
                            (long long)next.max, (long long)first.width, (long long)first.height,
                            (long long)first.max);
      size_t area = (size_t)(first.width * first.height);
      status = pgm_rows(&at, &next, values ? values + (size_t)s * area : NULL, error);
      if (status) return status;
      skip_blanks(&at);
      if (pass == 0) count = s + 1;
    }
    if (pass) break;
    values =
        pl_alloc(allocator, (size_t)count * (size_t)(first.width * first.height), sizeof *values);
    if (!values) return pl_fail_memory(error);
    image->values = values;
  }
  image->size[0] = (int)first.width;
  image->size[1] = (int)first.height;
  image->size[2] = count;
  image->full = (double)first.max;
  return PL_OK;
}

/* ---- NRRD ---- */

enum { UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT, DOUBLE, TYPES };

static const struct {
  const char *names[6];
  size_t bytes;
  double full;
} types[TYPES] = {
    [UINT8] = {{"uchar", "unsigned char", "uint8", "uint8_t", NULL}, 1, 255},
    [INT8] = {{"signed char", "int8", "int8_t", NULL}, 1, 127},
    [UINT16] = {{"ushort", "unsigned short", "uint16", "uint16_t", NULL}, 2, 65535},
    [INT16] = {{"short", "signed short", "int16", "int16_t", NULL}, 2, 32767},
    [UINT32] = {{"uint", "unsigned int", "uint32", "uint32_t", NULL}, 4, 4294967295.0},
    [INT32] = {{"int", "signed int", "int32", "int32_t", NULL}, 4, 2147483647.0},
    [FLOAT] = {{"float", NULL}, 4, 1},
    [DOUBLE] = {{"double", NULL}, 8, 1},
};

typedef struct nrrd {
  int type, dimension, big, raw;
  int64_t size[3];
  double voxel[3], origin[3];
} nrrd;

/* Numbers between any of blanks, commas and parentheses; returns how many there are. */
static int numbers_in(pl_word text, double *values, int max)
{
  int count = 0;
  const char *at = text.at, *end = text.at + text.size;
  while (at < end && count < max) {
    while (at < end && strchr(" \t,()\r", *at)) at++;
    if (at == end) break;
    double value;
    const char *after = pl_read_double(at, &value);
    if (after == at || after > end) break;
    values[count++] = value;
    at = after;
  }
  return count;
}

static int type_of(pl_word text)
{
  for (int t = 0; t < TYPES; t++) {
    for (int n = 0; types[t].names[n]; n++) {
      if (pl_word_is(text, types[t].names[n])) return t;
    }
  }
  return -1;
}

static pl_status nrrd_sizes(const pl_scan *scan, pl_word value, nrrd *head, pl_error *error)
{
  double sizes[4];
  if (numbers_in(value, sizes, 4) != 3)
    return pl_scan_fail(scan, error, PL_E_PARSE, "sizes must be three numbers");
  for (int k = 0; k < 3; k++) {
    if (!(sizes[k] >= 1 && sizes[k] <= MOST_SIDE) || sizes[k] != floor(sizes[k]))
      return pl_scan_fail(scan, error, PL_E_PARSE, "sizes = %g must lie between 1 and %d", sizes[k],
                          MOST_SIDE);
    head->size[k] = (int64_t)sizes[k];
  }
  return PL_OK;
}

/* Directions must be those of the axes. */
static pl_status nrrd_directions(const pl_scan *scan, pl_word value, nrrd *head, pl_error *error)
{
  double d[10];
  int ok = numbers_in(value, d, 10) == 9;
  for (int k = 0; k < 9 && ok; k++) ok = k % 4 == 0 ? d[k] > 0 : d[k] == 0;
  if (!ok)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "space directions must be along x, y and z; resample the image so");
  for (int k = 0; k < 3; k++) head->voxel[k] = d[4 * k];
  return PL_OK;
}

static pl_status nrrd_field(const pl_scan *scan, pl_word name, pl_word value, nrrd *head,
                            pl_error *error)
{
  double numbers[4];
  if (pl_word_is(name, "type")) {
    head->type = type_of(value);
    if (head->type < 0)
      return pl_scan_fail(scan, error, PL_E_PARSE, "type = %.*s is not one of numbers",
                          (int)(value.size < 40 ? value.size : 40), value.at);
  } else if (pl_word_is(name, "dimension")) {
    head->dimension = numbers_in(value, numbers, 1) == 1 ? (int)fmin(numbers[0], 99) : 0;
    if (head->dimension != 3)
      return pl_scan_fail(scan, error, PL_E_PARSE, "dimension = %d must be 3", head->dimension);
  } else if (pl_word_is(name, "sizes")) {
    return nrrd_sizes(scan, value, head, error);
  } else if (pl_word_is(name, "spacings")) {
    if (numbers_in(value, numbers, 4) == 3) memcpy(head->voxel, numbers, sizeof head->voxel);
  } else if (pl_word_is(name, "space directions")) {
    return nrrd_directions(scan, value, head, error);
  } else if (pl_word_is(name, "space origin")) {
    if (numbers_in(value, numbers, 4) == 3) memcpy(head->origin, numbers, sizeof head->origin);
  } else if (pl_word_is(name, "endian")) {
    head->big = pl_word_is(value, "big");
  } else if (pl_word_is(name, "encoding")) {
    head->raw = pl_word_is(value, "raw");
    if (!head->raw)
      return pl_scan_fail(scan, error, PL_E_PARSE, "encoding = %.*s; save the image raw",
                          (int)(value.size < 40 ? value.size : 40), value.at);
  } else if (pl_word_is(name, "data file") || pl_word_is(name, "datafile")) {
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "the numbers are in another file; save both in one .nrrd file");
  }
  return PL_OK;
}

/* Up to the empty line. */
static pl_status nrrd_head(pl_scan *scan, nrrd *head, pl_error *error)
{
  pl_word line;
  while (pl_scan_line(scan, &line)) {
    while (line.size && line.at[line.size - 1] == '\r') line.size--;
    if (line.size == 0) return PL_OK;
    const char *colon = memchr(line.at, ':', line.size);
    if (line.at[0] == '#' || !colon || colon[1] == '=') continue;
    pl_word name = {line.at, (size_t)(colon - line.at)};
    pl_word value = {colon + 1, line.size - name.size - 1};
    while (value.size && value.at[0] == ' ') value.at++, value.size--;
    pl_status status = nrrd_field(scan, name, value, head, error);
    if (status) return status;
  }
  return pl_scan_fail(scan, error, PL_E_PARSE, "there is no empty line behind the header");
}

static double number_at(const char *data, int type, int swap)
{
  unsigned char low = (unsigned char)data[0],
                high = types[type].bytes > 1 ? (unsigned char)data[1] : 0;
  int pair = swap == pl_little_endian() ? 256 * low + high : 256 * high + low;
  switch (type) {
  case UINT8:
    return low;
  case INT8:
    return low > 127 ? low - 256 : low;
  case UINT16:
    return pair;
  case INT16:
    return pair > 32767 ? pair - 65536 : pair;
  case UINT32:
    return (double)(uint32_t)pl_load_int32(data, swap);
  case INT32:
    return (double)pl_load_int32(data, swap);
  case FLOAT:
    return (double)pl_load_float(data, swap);
  default:
    return pl_load_double(data, swap);
  }
}

static pl_status read_nrrd(pl_scan scan, const pl_allocator *allocator, pl_voxels *image,
                           pl_error *error)
{
  nrrd head = {.type = -1};
  pl_word line;
  pl_scan_line(&scan, &line);
  pl_status status = nrrd_head(&scan, &head, error);
  if (status) return status;
  if (head.type < 0 || head.dimension != 3 || head.size[0] == 0 || !head.raw)
    return pl_scan_fail(&scan, error, PL_E_PARSE,
                        "the header needs type, dimension, sizes and encoding");
  int64_t area = head.size[0] * head.size[1];
  size_t bytes = types[head.type].bytes;
  if (area > INT32_MAX || area * head.size[2] > INT32_MAX)
    return pl_scan_fail(&scan, error, PL_E_LIMIT, "the image has more than %d voxels", INT32_MAX);
  const char *data;
  scan.binary = 1;
  size_t count = (size_t)(area * head.size[2]);
  status = pl_scan_bytes(&scan, "voxels", count * bytes, &data, error);
  if (status) return status;
  double *values = pl_alloc(allocator, count, sizeof *values);
  if (!values) return pl_fail_memory(error);
  image->values = values;
  int swap = head.big == pl_little_endian();
  for (size_t i = 0; i < count; i++) {
    values[i] = number_at(data + i * bytes, head.type, swap);
    if (!isfinite(values[i]))
      return pl_scan_fail(&scan, error, PL_E_PARSE, "voxel %zu is not a finite number", i);
  }
  for (int k = 0; k < 3; k++) {
    image->size[k] = (int)head.size[k];
    image->voxel[k] = isfinite(head.voxel[k]) ? head.voxel[k] : 0;
    // the file has the middle of the first voxel
    image->origin[k] = isfinite(head.origin[k]) ? head.origin[k] - 0.5 * image->voxel[k] : 0;
  }
  image->full = types[head.type].full;
  return PL_OK;
}

pl_status pl_voxels_parse(const char *path, const char *data, size_t size,
                          const pl_allocator *allocator, pl_voxels *image, pl_error *error)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_scan scan = pl_scan_make(path, data, size);
  pl_status status;
  *image = (pl_voxels){0};
  if (size >= 4 && memcmp(data, "NRRD", 4) == 0)
    status = read_nrrd(scan, &memory, image, error);
  else if (size >= 2 && data[0] == 'P' && (data[1] == '2' || data[1] == '5'))
    status = read_pgm(scan, &memory, image, error);
  else
    status = pl_scan_fail(&scan, error, PL_E_PARSE,
                          "is no stack of slices; give a .nrrd file with raw data or a .pgm file");
  if (status) pl_voxels_release(&memory, image);
  return status;
}

pl_status pl_voxels_read(const char *path, const pl_allocator *allocator, pl_voxels *image,
                         pl_error *error)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_bytes bytes;
  *image = (pl_voxels){0};
  pl_status status = pl_file_read(&memory, path, 0, &bytes, error);
  if (status) return status;
  status = pl_voxels_parse(path, bytes.data, bytes.size, &memory, image, error);
  pl_bytes_free(&memory, &bytes);
  return status;
}
