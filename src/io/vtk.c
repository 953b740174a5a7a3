/* Legacy VTK files (.vtk) with an unstructured grid: text or big-endian binary, cells as in version
 * 2 to 4.2 (counts between the nodes) or as in 5.1 (OFFSETS and CONNECTIVITY). Kitware, "VTK file
 * formats", legacy. Data arrays named "set:..." are read as sets, others are passed over. */
#include "io/vtk_grid.h"

#include "core/memory.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { NODES, CELLS, NOTHING };

typedef struct vtk_reader {
  const pl_source *source;
  pl_scan scan;
  pl_draft *draft;
  int binary;
  int64_t node_count;
  pl_vtk_cells cells;
  int has_cells;
  int *cell_of; /* once the cells are in the draft */
  int data_of;  /* what the data arrays at hand belong to */
  size_t data_count;
  int32_t sets;
} vtk_reader;

/* ---- arrays ---- */

/* Reads count numbers, right behind the line in binary files. */
static pl_status read_array(vtk_reader *r, const char *what, pl_number type, int64_t count,
                            pl_array *array, pl_error *error)
{
  const pl_allocator *allocator = r->source->allocator;
  if (!r->binary) return pl_array_scan(allocator, &r->scan, what, type, count, array, error);
  pl_word rest;
  pl_scan_line(&r->scan, &rest);
  *array = (pl_array){.type = type, .swap = pl_little_endian()};
  pl_status status = pl_scan_claim(&r->scan, what, count, INT64_MAX, pl_numbers[type].size, error);
  if (!status)
    status =
        pl_scan_bytes(&r->scan, what, (uint64_t)count * pl_numbers[type].size, &array->data, error);
  if (!status) array->count = (size_t)count;
  return status;
}

static pl_status read_type(vtk_reader *r, const char *what, pl_number *type, pl_error *error)
{
  pl_word word = pl_scan_word(&r->scan);
  *type = pl_number_find(word, 1);
  if (*type < PL_NUMBER_COUNT) return PL_OK;
  return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED, "the type \"%.*s\" of %s is not known",
                      word.size < 40 ? (int)word.size : 40, word.at, what);
}

/* ---- sections of the grid ---- */

static pl_status read_points(vtk_reader *r, pl_error *error)
{
  int64_t count;
  pl_number type;
  pl_array points = {0};
  if (pl_draft_has_nodes(r->draft))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "the file has a second POINTS section");
  pl_status status = pl_scan_int(&r->scan, "number of points", &count, error);
  if (!status) status = read_type(r, "points", &type, error);
  if (!status) status = pl_scan_claim(&r->scan, "points", count, PL_MOST_NODES, 3, error);
  if (!status) status = read_array(r, "coordinates of points", type, 3 * count, &points, error);
  if (!status) status = pl_vtk_add_points(r->draft, &r->scan, &points, error);
  if (!status) status = pl_draft_nodes_end(r->draft, &r->scan, error);
  pl_array_free(r->source->allocator, &points);
  r->node_count = count;
  return status;
}

/* "OFFSETS type", then "CONNECTIVITY type". */
static pl_status read_named(vtk_reader *r, const char *name, int64_t count, pl_array *array,
                            pl_error *error)
{
  pl_number type;
  if (!pl_word_like(pl_scan_word(&r->scan), name))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "%s should be here", name);
  pl_status status = read_type(r, name, &type, error);
  return status ? status : read_array(r, name, type, count, array, error);
}

static pl_status read_cells(vtk_reader *r, pl_error *error)
{
  int64_t count, size;
  if (r->has_cells)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "the file has a second CELLS section");
  pl_status status = pl_scan_int(&r->scan, "number of cells", &count, error);
  if (!status) status = pl_scan_int(&r->scan, "size of the cells", &size, error);
  if (!status) status = pl_scan_claim(&r->scan, "cells", count, PL_MOST_ELEMENTS, 2, error);
  if (status) return status;
  r->has_cells = 1;

  // version 5.1 counts one offset more than cells
  pl_scan ahead = r->scan;
  pl_array *offsets = &r->cells.offsets;
  if (!pl_word_like(pl_scan_word(&ahead), "OFFSETS")) {
    r->cells.count = (size_t)count;
    return read_array(r, "numbers of the cells", PL_INT32, size, &r->cells.connectivity, error);
  }
  status = read_named(r, "OFFSETS", count, offsets, error);
  if (!status) status = read_named(r, "CONNECTIVITY", size, &r->cells.connectivity, error);
  if (!status && offsets->count) {
    r->cells.count = --offsets->count;
    offsets->data += pl_numbers[offsets->type].size;
  }
  return status;
}

/* The types come last: now the cells can be added. */
static pl_status read_types(vtk_reader *r, pl_error *error)
{
  int64_t count;
  if (!r->has_cells || !pl_draft_has_nodes(r->draft) || r->cell_of)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE,
                        "CELL_TYPES must come once and behind POINTS and CELLS");
  pl_status status = pl_scan_int(&r->scan, "number of cell types", &count, error);
  if (!status) status = pl_scan_claim(&r->scan, "cell types", count, PL_MOST_ELEMENTS, 2, error);
  if (!status) status = read_array(r, "cell types", PL_INT32, count, &r->cells.types, error);
  if (status) return status;
  r->cell_of = pl_alloc(r->source->allocator, r->cells.count, sizeof *r->cell_of);
  if (!r->cell_of) return pl_fail_memory(error);
  return pl_vtk_add_cells(r->draft, &r->scan, &r->cells, 0, r->cell_of, error);
}

/* ---- data ---- */

/* Names stand with blanks and the like as %20. */
static size_t decode_name(pl_word word, char *buffer, size_t room)
{
  size_t used = 0;
  for (size_t i = 0; i < word.size && used < room; i++) {
    char c = word.at[i];
    if (c == '%' && i + 2 < word.size && isxdigit((unsigned char)word.at[i + 1]) &&
        isxdigit((unsigned char)word.at[i + 2])) {
      int value = 0;
      for (size_t k = 1; k <= 2; k++) {
        int digit = word.at[i + k];
        value = 16 * value + (digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
      }
      c = value ? (char)value : ' ';
      i += 2;
    }
    buffer[used++] = c;
  }
  return used;
}

/* One array of count tuples; it is a set, or axes of the material, if its name says so and it fits.
 */
static pl_status read_data(vtk_reader *r, pl_word name, pl_number type, int64_t width,
                           int64_t tuples, pl_error *error)
{
  char buffer[512];
  pl_array array = {0};
  pl_word set, decoded = {buffer, decode_name(name, buffer, sizeof buffer)};
  pl_status status = pl_scan_claim(&r->scan, "components", width, 10000, 1, error);
  if (!status) status = pl_scan_claim(&r->scan, "tuples", tuples, INT_MAX, 1, error);
  if (!status) status = read_array(r, "data", type, width * tuples, &array, error);
  if (!status && width == 1 && r->data_of != NOTHING && array.count == r->data_count &&
      pl_vtk_is_set(decoded, &set))
    status = pl_vtk_add_set(r->draft, &r->scan, set, ++r->sets, &array, 0,
                            r->data_of == CELLS ? r->cell_of : NULL, error);
  int which = pl_draft_axis_named(decoded);
  if (!status && width == 3 && which >= 0 && r->data_of == CELLS &&
      array.count == 3 * r->data_count)
    status = pl_vtk_add_axes(r->draft, &r->scan, which, &array, r->cell_of, error);
  pl_array_free(r->source->allocator, &array);
  return status;
}

/* "SCALARS name type [width]" and on the next line "LOOKUP_TABLE name". */
static pl_status read_scalars(vtk_reader *r, pl_error *error)
{
  int64_t width = 1;
  pl_number type;
  pl_word rest = {r->scan.at, 0}, name = pl_scan_word(&r->scan);
  pl_status status = read_type(r, "an array", &type, error);
  if (status) return status;
  pl_scan line = r->scan;
  pl_scan_line(&r->scan, &rest);
  line.end = r->scan.at;
  pl_scan ahead = line;
  if (pl_scan_word(&ahead).size) status = pl_scan_int(&line, "number of components", &width, error);
  if (status) return status;
  if (!pl_word_is(pl_scan_word(&r->scan), "LOOKUP_TABLE"))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "LOOKUP_TABLE should be here");
  pl_scan_word(&r->scan);
  return read_data(r, name, type, width, (int64_t)r->data_count, error);
}

/* "VECTORS name type". */
static pl_status read_vectors(vtk_reader *r, pl_error *error)
{
  pl_number type;
  pl_word name = pl_scan_word(&r->scan);
  pl_status status = read_type(r, "an array", &type, error);
  return status ? status : read_data(r, name, type, 3, (int64_t)r->data_count, error);
}

/* Remarks about what stands before them, up to an empty line. */
static pl_status pass_metadata(vtk_reader *r, pl_error *error)
{
  (void)error;
  pl_word line = {NULL, 1};
  pl_scan_line(&r->scan, &line);
  while (pl_scan_line(&r->scan, &line) && line.size) continue;
  return PL_OK;
}

/* "FIELD name count", then "name width tuples type" and the numbers of each array. */
static pl_status read_field(vtk_reader *r, pl_error *error)
{
  int64_t count, width, tuples;
  pl_number type;
  pl_scan_word(&r->scan);
  pl_status status = pl_scan_int(&r->scan, "number of arrays", &count, error);
  for (int64_t i = 0; !status && i < count; i++) {
    pl_word name = pl_scan_word(&r->scan);
    if (pl_word_is(name, "METADATA")) {
      pass_metadata(r, error);
      name = pl_scan_word(&r->scan);
    }
    status = pl_scan_int(&r->scan, "number of components", &width, error);
    if (!status) status = pl_scan_int(&r->scan, "number of tuples", &tuples, error);
    if (!status) status = read_type(r, "an array", &type, error);
    if (!status) status = read_data(r, name, type, width, tuples, error);
  }
  return status;
}

static pl_status begin_data(vtk_reader *r, int data_of, int64_t expected, const char *what,
                            pl_error *error)
{
  int64_t count;
  if (!r->cell_of)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "data must come behind CELL_TYPES");
  pl_status status = pl_scan_int(&r->scan, "number of data", &count, error);
  if (!status && count != expected)
    status = pl_scan_fail(&r->scan, error, PL_E_PARSE, "%lld data follow for %lld %s",
                          (long long)count, (long long)expected, what);
  r->data_of = data_of;
  r->data_count = (size_t)expected;
  return status;
}

static pl_status begin_point_data(vtk_reader *r, pl_error *error)
{
  return begin_data(r, NODES, r->node_count, "points", error);
}

static pl_status begin_cell_data(vtk_reader *r, pl_error *error)
{
  return begin_data(r, CELLS, (int64_t)r->cells.count, "cells", error);
}

/* ---- the file ---- */

static const struct section {
  const char *name;
  pl_status (*read)(vtk_reader *r, pl_error *error);
} sections[] = {
    {"POINTS", read_points},          {"CELLS", read_cells},
    {"CELL_TYPES", read_types},       {"FIELD", read_field},
    {"POINT_DATA", begin_point_data}, {"CELL_DATA", begin_cell_data},
    {"SCALARS", read_scalars},        {"VECTORS", read_vectors},
    {"NORMALS", read_vectors},        {"METADATA", pass_metadata},
};

/* Two lines, "ASCII" or "BINARY", "DATASET UNSTRUCTURED_GRID". */
static pl_status read_header(vtk_reader *r, pl_error *error)
{
  static const char magic[] = "# vtk DataFile Version";
  pl_word line = {r->scan.at, 0};
  pl_scan_line(&r->scan, &line);
  if (line.size < sizeof magic - 1 || memcmp(line.at, magic, sizeof magic - 1) != 0)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "a VTK file begins with \"%s\"", magic);
  pl_scan_line(&r->scan, &line);
  pl_word word = pl_scan_word(&r->scan);
  r->binary = pl_word_like(word, "BINARY");
  if (!r->binary && !pl_word_like(word, "ASCII"))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "the third line must be ASCII or BINARY");
  r->scan.binary = r->binary;
  if (!pl_word_like(pl_scan_word(&r->scan), "DATASET"))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "DATASET should be here");
  word = pl_scan_word(&r->scan);
  if (pl_word_like(word, "UNSTRUCTURED_GRID")) return PL_OK;
  return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED,
                      "the dataset is %.*s; only UNSTRUCTURED_GRID can be read",
                      word.size < 40 ? (int)word.size : 40, word.at);
}

static pl_status read_sections(vtk_reader *r, pl_error *error)
{
  pl_status status = read_header(r, error);
  while (!status) {
    pl_word word = pl_scan_word(&r->scan);
    if (!word.size) break;
    size_t i = 0, count = sizeof sections / sizeof *sections;
    while (i < count && !pl_word_like(word, sections[i].name)) i++;
    if (i < count) {
      status = sections[i].read(r, error);
    } else if (r->cell_of) {
      // the mesh is complete; data that is not known is not needed
      int shown = word.size < 40 ? (int)word.size : 40;
      pl_log_write(r->source->log, PL_NOTE, "%s: the data from \"%.*s\" on was not read",
                   r->source->path, shown, word.at);
      return PL_OK;
    } else {
      status = pl_scan_fail(&r->scan, error, PL_E_PARSE,
                            "\"%.*s\" is not known; POINTS, CELLS or CELL_TYPES should be here",
                            word.size < 40 ? (int)word.size : 40, word.at);
    }
  }
  if (!status && !r->cell_of)
    status = pl_scan_fail(&r->scan, error, PL_E_PARSE,
                          "the file ends before its POINTS, CELLS and CELL_TYPES");
  return status;
}

static pl_status vtk_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  vtk_reader r = {.source = source,
                  .scan = pl_scan_make(source->path, source->file.data, source->file.size),
                  .data_of = NOTHING};
  pl_status status = pl_draft_create(source, source->file.size, &r.draft, error);
  if (!status) status = read_sections(&r, error);
  pl_array_free(source->allocator, &r.cells.types);
  pl_array_free(source->allocator, &r.cells.offsets);
  pl_array_free(source->allocator, &r.cells.connectivity);
  pl_free(source->allocator, r.cell_of);
  if (!status) return pl_draft_finish(r.draft, mesh, error);
  pl_draft_destroy(r.draft);
  return status;
}

/* ---- writing ---- */

typedef struct vtk_writer {
  pl_text text;
  const pl_snapshot *snapshot;
  int binary;
} vtk_writer;

/* Lowest byte last, as VTK wants it. */
static void put_bytes(pl_text *text, uint64_t bits, int size)
{
  char bytes[8];
  for (int i = 0; i < size; i++) bytes[i] = (char)(bits >> 8 * (size - 1 - i));
  pl_text_bytes(text, bytes, (size_t)size);
}

static void put_int(vtk_writer *w, int value, int last)
{
  if (w->binary)
    put_bytes(&w->text, (uint32_t)value, 4);
  else
    pl_text_add(&w->text, "%d%c", value, last ? '\n' : ' ');
}

static void put_doubles(vtk_writer *w, const double *values, size_t count, size_t width)
{
  for (size_t i = 0; i < count * width; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    if (w->binary) {
      put_bytes(&w->text, bits, 8);
    } else {
      pl_text_number(&w->text, values[i]);
      pl_text_add(&w->text, "%c", (i + 1) % width ? ' ' : '\n');
    }
  }
}

static void put_name(pl_text *text, const char *name)
{
  for (; *name; name++) {
    if (*name > 32 && *name < 127 && *name != '%' && *name != '"')
      pl_text_bytes(text, name, 1);
    else
      pl_text_add(text, "%%%02X", (unsigned)(unsigned char)*name);
  }
}

static void put_grid(vtk_writer *w)
{
  const pl_mesh *mesh = w->snapshot->mesh;
  const double *positions = w->snapshot->positions;
  pl_cells cells = pl_cells_of(w->snapshot);
  int count = cells.plain + cells.quads;
  size_t points = (size_t)pl_mesh_node_count(mesh);
  pl_text_add(&w->text, "# vtk DataFile Version 3.0\nPliant mesh\n%s\nDATASET UNSTRUCTURED_GRID\n",
              w->binary ? "BINARY" : "ASCII");
  pl_text_add(&w->text, "POINTS %zu double\n", points);
  put_doubles(w, positions ? positions : pl_mesh_nodes(mesh), points, 3);
  pl_text_add(&w->text, "%sCELLS %d %lld\n", w->binary ? "\n" : "", count,
              count + (long long)pl_cells_corners(&cells));
  for (int i = 0; i < count; i++) {
    pl_cell cell = pl_cell_at(&cells, i);
    put_int(w, cell.corners, 0);
    for (int k = 0; k < cell.corners; k++) put_int(w, cell.nodes[k], k + 1 == cell.corners);
  }
  pl_text_add(&w->text, "%sCELL_TYPES %d\n", w->binary ? "\n" : "", count);
  for (int i = 0; i < count; i++) put_int(w, pl_vtk_type_of(pl_cell_at(&cells, i)), 1);
}

static pl_status put_set(vtk_writer *w, const pl_set *set, pl_error *error)
{
  unsigned char *bytes;
  size_t count;
  pl_status status =
      pl_vtk_set_bytes(&w->text.allocator, w->snapshot->mesh, set, &bytes, &count, error);
  if (status) return status;
  pl_text_add(&w->text, "set:");
  put_name(&w->text, set->name);
  pl_text_add(&w->text, " 1 %zu unsigned_char\n", count);
  if (w->binary) pl_text_bytes(&w->text, bytes, count);
  for (size_t i = 0; !w->binary && i < count; i++)
    pl_text_add(&w->text, "%d%c", bytes[i], (i + 1) % 32 && i + 1 < count ? ' ' : '\n');
  if (w->binary) pl_text_add(&w->text, "\n");
  pl_free(&w->text.allocator, bytes);
  return PL_OK;
}

static void put_field(vtk_writer *w, const char *name, int items, int width, const double *data)
{
  put_name(&w->text, name);
  pl_text_add(&w->text, " %d %d double\n", width, items);
  put_doubles(w, data, (size_t)items, (size_t)width);
  if (w->binary) pl_text_add(&w->text, "\n");
}

/* The fields and sets of the nodes or of the elements. */
static pl_status put_data(vtk_writer *w, int of_elements, pl_error *error)
{
  const pl_snapshot *snapshot = w->snapshot;
  const pl_mesh *mesh = snapshot->mesh;
  int items = of_elements ? pl_mesh_element_count(mesh) : pl_mesh_node_count(mesh);
  int axes = of_elements && pl_mesh_axes(mesh) ? 2 : 0, arrays = axes;
  for (int i = 0; i < snapshot->field_count; i++)
    arrays += snapshot->fields[i].of_elements == of_elements;
  for (int i = 0; i < pl_mesh_set_count(mesh); i++)
    arrays += pl_mesh_set(mesh, i)->of_elements == of_elements;
  if (!arrays) return PL_OK;
  pl_text_add(&w->text, "%s%s %d\nFIELD FieldData %d\n", w->binary ? "\n" : "",
              of_elements ? "CELL_DATA" : "POINT_DATA", items, arrays);
  for (int i = 0; i < snapshot->field_count; i++) {
    const pl_field *field = &snapshot->fields[i];
    if (field->of_elements == of_elements)
      put_field(w, field->name, items, field->width, field->data);
  }
  pl_status status = PL_OK;
  for (int k = 0; !status && k < axes; k++) {
    double *axis = NULL;
    status = pl_vtk_axis_numbers(&w->text.allocator, mesh, k, &axis, error);
    if (!status) put_field(w, pl_vtk_axes[k], items, 3, axis);
    pl_free(&w->text.allocator, axis);
  }
  for (int i = 0; !status && i < pl_mesh_set_count(mesh); i++) {
    if (pl_mesh_set(mesh, i)->of_elements == of_elements)
      status = put_set(w, pl_mesh_set(mesh, i), error);
  }
  return status;
}

enum { ENCODING, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [ENCODING] = {"encoding", "1", "numbers as text or as bytes", 0, 0, 1, .words = "ascii|binary"},
};

static pl_status vtk_write(const pl_snapshot *snapshot, const char *path, const double *values,
                           pl_error *error)
{
  vtk_writer w = {pl_text_make(NULL), snapshot, values[ENCODING] > 0};
  put_grid(&w);
  pl_status status = put_data(&w, 0, error);
  if (!status) status = put_data(&w, 1, error);
  if (!status) status = pl_text_ok(&w.text, error);
  if (!status) status = pl_file_write_frame(path, w.text.data, w.text.size, error);
  pl_text_release(&w.text);
  return status;
}

const pl_format_ops pl_format_vtk = {
    .info = PL_INFO("vtk", "legacy VTK files, sets as data arrays named set:NAME",
                    "Kitware, VTK file formats, legacy", params),
    .extensions = "vtk",
    .read = vtk_read,
    .write = vtk_write,
};
