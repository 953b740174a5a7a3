/* Reading .vtu files: an unstructured grid in XML (version 0.1 and 1.0 and later), its numbers as
 * text, in base 64 or as raw bytes behind the XML, compressed with zlib or not. Kitware, "VTK file
 * formats", XML; the layout of compressed blocks from vtkXMLDataReader.
 *
 * Raw bytes are no XML, so the document is cut before them. Several pieces become one mesh. Arrays
 * named "set:..." are read as sets. A compressed array is unfolded only if its size is one that
 * deflate could have reached (1032 to 1), so that no small file asks for much memory. */
#include "io/vtu.h"

#include "core/memory.h"
#include "io/base64.h"
#include "io/vtk_grid.h"
#include "io/xml.h"

#include <limits.h>
#include <string.h>
#ifdef PL_WITH_ZLIB
#include <zlib.h>
#endif

typedef struct vtu_reader {
  const pl_source *source;
  pl_draft *draft;
  pl_xml *document;
  const char *appended, *appended_end; /* NULL: none */
  int appended_raw, swap, compressed;
  size_t header_size; /* bytes of each number in front of an array: 4 or 8 */
  size_t taken;       /* of the appended bytes, by all arrays so far */
  int32_t sets;
} vtu_reader;

/* Where an element stands, for messages. */
static pl_scan place_of(const vtu_reader *r, const pl_xml_node *node)
{
  pl_scan scan = pl_scan_make(r->source->path, "", 0);
  scan.first_line = pl_xml_line(node);
  return scan;
}

/* An attribute that must be there. */
static pl_status need_attribute(const vtu_reader *r, const pl_xml_node *node, const char *name,
                                const char **value, pl_error *error)
{
  pl_scan place = place_of(r, node);
  *value = pl_xml_attribute(node, name);
  if (*value) return PL_OK;
  return pl_scan_fail(&place, error, PL_E_PARSE, "<%.40s> needs the attribute %s",
                      pl_xml_name(node), name);
}

static pl_status need_count(const vtu_reader *r, const pl_xml_node *node, const char *name,
                            int64_t *value, pl_error *error)
{
  const char *text;
  pl_status status = need_attribute(r, node, name, &text, error);
  pl_scan place = place_of(r, node);
  if (!status && (!pl_parse_int(text, value) || *value < 0))
    status = pl_scan_fail(&place, error, PL_E_PARSE,
                          "%s = \"%.40s\" must be a whole number from 0 on", name, text);
  return status;
}

/* ---- the bytes of an array ---- */

/* Bytes that may be in base 64. */
typedef struct stream {
  const char *at, *end;
  int base64;
} stream;

static uint64_t load_size(const vtu_reader *r, const char *data)
{
  return r->header_size == 4 ? (uint32_t)pl_load_int32(data, r->swap)
                             : (uint64_t)pl_load_int64(data, r->swap);
}

static pl_status cut_off(const pl_scan *place, pl_error *error)
{
  return pl_scan_fail(place, error, PL_E_PARSE,
                      "the array is longer than its data; the file is cut off or damaged");
}

/* The first size bytes of the stream; owned is what to free, if anything. */
static pl_status take_bytes(const vtu_reader *r, const pl_scan *place, const stream *from,
                            uint64_t size, const char **data, void **owned, pl_error *error)
{
  size_t max = (size_t)(from->end - from->at);
  *owned = NULL;
  *data = from->at;
  if (from->base64) max = max / 4 * 3 + 3;
  if (size > max) return cut_off(place, error);
  if (!from->base64) return PL_OK;
  char *bytes = *owned = pl_alloc(r->source->allocator, (size_t)size, 1);
  if (!bytes) return pl_fail_memory(error);
  *data = bytes;
  if (pl_base64_decode(from->at, from->end, bytes, (size_t)size) == size) return PL_OK;
  pl_free(r->source->allocator, bytes);
  *owned = NULL;
  return cut_off(place, error);
}

/* "size bytes...": gives the bytes. */
static pl_status take_plain(const vtu_reader *r, const pl_scan *place, const stream *from,
                            pl_array *array, size_t *size, size_t *used, pl_error *error)
{
  void *owned;
  const char *data = NULL;
  pl_status status = take_bytes(r, place, from, r->header_size, &data, &owned, error);
  if (status) return status;
  uint64_t bytes = load_size(r, data);
  pl_free(r->source->allocator, owned);
  if (bytes > UINT64_MAX - r->header_size) return cut_off(place, error);
  status = take_bytes(r, place, from, r->header_size + bytes, &data, &array->owned, error);
  array->data = data + r->header_size;
  *size = *used = (size_t)bytes;
  return status;
}

#ifdef PL_WITH_ZLIB

/* The numbers in front of compressed blocks: "blocks size last-size packed-sizes...". */
typedef struct block_list {
  uint64_t count, size, last;
  uint64_t packed, unpacked; /* bytes in all */
  const char *data;          /* the packed sizes */
} block_list;

static uint64_t packed_size(const vtu_reader *r, const block_list *blocks, uint64_t block)
{
  return load_size(r, blocks->data + block * r->header_size);
}

static uint64_t unpacked_size(const block_list *blocks, uint64_t block)
{
  return block + 1 == blocks->count && blocks->last ? blocks->last : blocks->size;
}

static pl_status add_up_blocks(const vtu_reader *r, const pl_scan *place, block_list *blocks,
                               size_t available, pl_error *error)
{
  for (uint64_t i = 0; i < blocks->count; i++) {
    uint64_t packed = packed_size(r, blocks, i), unpacked = unpacked_size(blocks, i);
    if (packed > available || (blocks->packed += packed) > available) return cut_off(place, error);
    if (unpacked > 1032 * packed + 64)
      return pl_scan_fail(place, error, PL_E_PARSE,
                          "a compressed block of %llu bytes cannot hold %llu; the file is damaged",
                          (unsigned long long)packed, (unsigned long long)unpacked);
    blocks->unpacked += unpacked;
  }
  return PL_OK;
}

static pl_status unfold(const vtu_reader *r, const pl_scan *place, const block_list *blocks,
                        const char *packed, pl_array *array, pl_error *error)
{
  char *out = array->owned = pl_alloc(r->source->allocator, (size_t)blocks->unpacked, 1);
  if (!out) return pl_fail_memory(error);
  array->data = out;
  for (uint64_t i = 0; i < blocks->count; i++) {
    uLong size = (uLong)packed_size(r, blocks, i);
    uLongf room = (uLongf)unpacked_size(blocks, i), expected = room;
    int code = uncompress((Bytef *)out, &room, (const Bytef *)packed, size);
    if (code == Z_MEM_ERROR) return pl_fail_memory(error);
    if (code != Z_OK || room != expected)
      return pl_scan_fail(place, error, PL_E_PARSE, "a compressed block is damaged (zlib code %d)",
                          code);
    out += expected;
    packed += size;
  }
  return PL_OK;
}

static pl_status take_packed(const vtu_reader *r, const pl_scan *place, const stream *from,
                             pl_array *array, size_t *size, size_t *used, pl_error *error)
{
  const size_t h = r->header_size;
  size_t available = (size_t)(from->end - from->at);
  void *owned;
  const char *data = NULL;
  block_list blocks = {0};

  // three numbers, then one per block, then the blocks
  pl_status status = take_bytes(r, place, from, 3 * h, &data, &owned, error);
  if (status) return status;
  blocks.count = load_size(r, data);
  blocks.size = load_size(r, data + h);
  blocks.last = load_size(r, data + 2 * h);
  pl_free(r->source->allocator, owned);
  if (blocks.count > available / h) return cut_off(place, error);
  uint64_t head = (3 + blocks.count) * h;
  status = take_bytes(r, place, from, head, &data, &owned, error);
  if (status) return status;
  blocks.data = data + 3 * h;
  status = add_up_blocks(r, place, &blocks, available, error);
  pl_free(r->source->allocator, owned);
  if (!status) status = take_bytes(r, place, from, head + blocks.packed, &data, &owned, error);
  if (status) return status;
  blocks.data = data + 3 * h;
  status = unfold(r, place, &blocks, data + head, array, error);
  pl_free(r->source->allocator, owned);
  *size = (size_t)blocks.unpacked;
  *used = (size_t)blocks.packed;
  return status;
}

#else

static pl_status take_packed(const vtu_reader *r, const pl_scan *place, const stream *from,
                             pl_array *array, size_t *size, size_t *used, pl_error *error)
{
  (void)r, (void)from, (void)array, (void)size, (void)used;
  return pl_scan_fail(place, error, PL_E_UNSUPPORTED,
                      "the data is compressed and this build has no zlib; build with "
                      "-DPLIANT_WITH_ZLIB=ON");
}

#endif

/* Where the array's bytes are: inside the element or behind the XML. */
static pl_status find_stream(const vtu_reader *r, const pl_xml_node *node, const char *format,
                             stream *from, pl_error *error)
{
  pl_scan place = place_of(r, node);
  if (strcmp(format, "binary") == 0) {
    const char *text = pl_xml_text(node);
    *from = (stream){text, text + strlen(text), 1};
    return PL_OK;
  }
  if (strcmp(format, "appended") != 0)
    return pl_scan_fail(&place, error, PL_E_PARSE,
                        "format = \"%.40s\" must be ascii, binary or appended", format);
  int64_t offset;
  pl_status status = need_count(r, node, "offset", &offset, error);
  if (status) return status;
  if (!r->appended || offset > r->appended_end - r->appended) return cut_off(&place, error);
  *from = (stream){r->appended + offset, r->appended_end, !r->appended_raw};
  return PL_OK;
}

/* Reads a DataArray of exactly count numbers; what serves messages. */
static pl_status read_array(vtu_reader *r, const pl_xml_node *node, const char *what,
                            uint64_t count, pl_array *array, pl_error *error)
{
  pl_scan place = place_of(r, node);
  const char *type_name, *format = pl_xml_attribute(node, "format");
  *array = (pl_array){0};
  pl_status status = need_attribute(r, node, "type", &type_name, error);
  if (status) return status;
  pl_number type = pl_number_find((pl_word){type_name, strlen(type_name)}, 0);
  if (type == PL_NUMBER_COUNT)
    return pl_scan_fail(&place, error, PL_E_UNSUPPORTED, "the type \"%.40s\" is not known",
                        type_name);
  if (count > INT64_MAX / 16) return cut_off(&place, error);
  if (!format || strcmp(format, "ascii") == 0) {
    const char *text = pl_xml_text(node);
    pl_scan scan = pl_scan_make(r->source->path, text, strlen(text));
    scan.first_line = place.first_line;
    return pl_array_scan(r->source->allocator, &scan, what, type, (int64_t)count, array, error);
  }
  stream from = {0};
  size_t size = 0, used = 0;
  array->type = type;
  array->swap = r->swap;
  status = find_stream(r, node, format, &from, error);
  if (!status)
    status = r->compressed ? take_packed(r, &place, &from, array, &size, &used, error)
                           : take_plain(r, &place, &from, array, &size, &used, error);
  // arrays that share bytes would make much out of little
  if (!status && r->appended && strcmp(format, "appended") == 0) {
    r->taken += used;
    if (r->taken > (size_t)(r->appended_end - r->appended))
      status = pl_scan_fail(&place, error, PL_E_PARSE, "the arrays overlap in the appended data");
  }
  if (!status && size != count * pl_numbers[type].size)
    status = pl_scan_fail(&place, error, PL_E_PARSE,
                          "the %s take %zu bytes; %llu of type %s would be right", what, size,
                          (unsigned long long)count * pl_numbers[type].size, type_name);
  array->count = (size_t)count;
  return status;
}

/* ---- the grid ---- */

/* The DataArray of that name in an element; a NULL name takes the first. */
static const pl_xml_node *find_array(const pl_xml_node *node, const char *name)
{
  const pl_xml_node *array = pl_xml_child(node, "DataArray");
  for (; array && name; array = pl_xml_next(array, "DataArray")) {
    const char *own = pl_xml_attribute(array, "Name");
    if (own && strcmp(own, name) == 0) break;
  }
  return array;
}

/* Reads the DataArray of that name in the piece's child (Points or Cells). */
static pl_status read_named(vtu_reader *r, const pl_xml_node *piece, const char *child,
                            const char *name, uint64_t count, pl_array *array, pl_error *error)
{
  const pl_xml_node *parent = pl_xml_child(piece, child);
  const pl_xml_node *node = parent ? find_array(parent, name) : NULL;
  if (node) return read_array(r, node, name ? name : "coordinates", count, array, error);
  pl_scan place = place_of(r, piece);
  return pl_scan_fail(&place, error, PL_E_PARSE, "the piece has no %s%s%s", child,
                      name ? " array " : "", name ? name : "");
}

static pl_status read_points(vtu_reader *r, const pl_xml_node *piece, pl_error *error)
{
  int64_t count;
  pl_array points = {0};
  pl_scan place = place_of(r, piece);
  pl_status status = need_count(r, piece, "NumberOfPoints", &count, error);
  if (!status && count > PL_MOST_NODES)
    status = pl_scan_fail(&place, error, PL_E_LIMIT, "%lld points are more than the limit of %d",
                          (long long)count, PL_MOST_NODES);
  if (!status && count)
    status = read_named(r, piece, "Points", NULL, 3 * (uint64_t)count, &points, error);
  if (!status) status = pl_vtk_add_points(r->draft, &place, &points, error);
  pl_array_free(r->source->allocator, &points);
  return status;
}

/* Offsets, then as much connectivity as the last of them says, then types. */
static pl_status read_cell_arrays(vtu_reader *r, const pl_xml_node *piece, pl_vtk_cells *cells,
                                  pl_error *error)
{
  pl_scan place = place_of(r, piece);
  pl_status status = read_named(r, piece, "Cells", "offsets", cells->count, &cells->offsets, error);
  if (status) return status;
  int64_t total = pl_array_int(&cells->offsets, cells->count - 1);
  if (total < 0)
    return pl_scan_fail(&place, error, PL_E_PARSE, "the last offset of the cells is negative");
  status =
      read_named(r, piece, "Cells", "connectivity", (uint64_t)total, &cells->connectivity, error);
  if (!status) status = read_named(r, piece, "Cells", "types", cells->count, &cells->types, error);
  return status;
}

/* The sets among the arrays of the piece's nodes (cell_of NULL) or cells. */
static pl_status read_sets(vtu_reader *r, const pl_xml_node *piece, uint64_t count, int64_t base,
                           const int *cell_of, pl_error *error)
{
  const pl_xml_node *data = pl_xml_child(piece, cell_of ? "CellData" : "PointData");
  const pl_xml_node *node = data ? pl_xml_child(data, "DataArray") : NULL;
  pl_status status = PL_OK;
  for (; !status && node; node = pl_xml_next(node, "DataArray")) {
    const char *name = pl_xml_attribute(node, "Name");
    pl_word set;
    pl_array array;
    if (!name || !pl_vtk_is_set((pl_word){name, strlen(name)}, &set)) continue;
    pl_scan place = place_of(r, node);
    status = read_array(r, node, "members", count, &array, error);
    if (!status)
      status = pl_vtk_add_set(r->draft, &place, set, ++r->sets, &array, base, cell_of, error);
    pl_array_free(r->source->allocator, &array);
  }
  return status;
}

/* Axes of the material among the arrays of the piece's cells. */
static pl_status read_axes(vtu_reader *r, const pl_xml_node *piece, uint64_t count,
                           const int *cell_of, pl_error *error)
{
  const pl_xml_node *data = pl_xml_child(piece, "CellData");
  const pl_xml_node *node = data ? pl_xml_child(data, "DataArray") : NULL;
  pl_status status = PL_OK;
  for (; !status && node; node = pl_xml_next(node, "DataArray")) {
    const char *name = pl_xml_attribute(node, "Name");
    const char *width = pl_xml_attribute(node, "NumberOfComponents");
    int which = name ? pl_draft_axis_named((pl_word){name, strlen(name)}) : -1;
    pl_array array;
    if (which < 0 || !width || strcmp(width, "3") != 0) continue;
    pl_scan place = place_of(r, node);
    status = read_array(r, node, "axes", 3 * count, &array, error);
    if (!status) status = pl_vtk_add_axes(r->draft, &place, which, &array, cell_of, error);
    pl_array_free(r->source->allocator, &array);
  }
  return status;
}

/* base is the number of the piece's first node and moves on to the next piece's. */
static pl_status read_cells(vtu_reader *r, const pl_xml_node *piece, int64_t *base, pl_error *error)
{
  int64_t points, count;
  pl_scan place = place_of(r, piece);
  pl_vtk_cells cells = {0};
  pl_status status = need_count(r, piece, "NumberOfPoints", &points, error);
  if (!status) status = need_count(r, piece, "NumberOfCells", &count, error);
  if (!status && count > PL_MOST_ELEMENTS)
    status = pl_scan_fail(&place, error, PL_E_LIMIT, "%lld cells are more than the limit of %d",
                          (long long)count, PL_MOST_ELEMENTS);
  if (status) return status;
  cells.count = (size_t)count;
  int *cell_of = NULL;
  if (count) status = read_cell_arrays(r, piece, &cells, error);
  if (!status) {
    cell_of = pl_alloc(r->source->allocator, cells.count, sizeof *cell_of);
    status = cell_of ? pl_vtk_add_cells(r->draft, &place, &cells, *base, cell_of, error)
                     : pl_fail_memory(error);
  }
  if (!status) status = read_sets(r, piece, (uint64_t)points, *base, NULL, error);
  if (!status) status = read_sets(r, piece, cells.count, 0, cell_of, error);
  if (!status) status = read_axes(r, piece, cells.count, cell_of, error);
  pl_array_free(r->source->allocator, &cells.offsets);
  pl_array_free(r->source->allocator, &cells.connectivity);
  pl_array_free(r->source->allocator, &cells.types);
  pl_free(r->source->allocator, cell_of);
  *base += points;
  return status;
}

/* Which nodes hang on which, in the data of the whole grid. */
static pl_status read_hanging(vtu_reader *r, const pl_xml_node *grid, pl_error *error)
{
  const pl_xml_node *data = pl_xml_child(grid, "FieldData");
  const pl_xml_node *nodes = data ? find_array(data, PL_VTU_HANGING) : NULL;
  const pl_xml_node *weights = data ? find_array(data, PL_VTU_WEIGHTS) : NULL;
  pl_array pairs = {0}, shares = {0};
  int64_t count;
  if (!nodes) return PL_OK;
  pl_scan place = place_of(r, nodes);
  if (!weights)
    return pl_scan_fail(&place, error, PL_E_PARSE,
                        "the hanging nodes have no array " PL_VTU_WEIGHTS);
  pl_status status = need_count(r, nodes, "NumberOfTuples", &count, error);
  if (!status && count > PL_MOST_NODES)
    status = pl_scan_fail(&place, error, PL_E_LIMIT,
                          "%lld parents of hanging nodes are more than the limit of %d",
                          (long long)count, PL_MOST_NODES);
  if (!status) status = read_array(r, nodes, "hanging nodes", 2 * (uint64_t)count, &pairs, error);
  if (!status) status = read_array(r, weights, "weights", (uint64_t)count, &shares, error);
  for (size_t i = 0; !status && i < (size_t)count; i++)
    status = pl_draft_hang(r->draft, &place, pl_array_int(&pairs, 2 * i),
                           pl_array_int(&pairs, 2 * i + 1), pl_array_double(&shares, i), error);
  pl_array_free(r->source->allocator, &pairs);
  pl_array_free(r->source->allocator, &shares);
  return status;
}

/* All points first, so that cells can name them. */
static pl_status read_pieces(vtu_reader *r, const pl_xml_node *grid, pl_error *error)
{
  pl_status status = PL_OK;
  pl_scan place = place_of(r, grid);
  int pieces = 0;
  int64_t base = 0;
  const pl_xml_node *piece = pl_xml_child(grid, "Piece");
  for (; !status && piece; piece = pl_xml_next(piece, "Piece"), pieces++)
    status = read_points(r, piece, error);
  if (!status && !pieces)
    status = pl_scan_fail(&place, error, PL_E_PARSE, "the grid has no <Piece>");
  if (!status) status = pl_draft_nodes_end(r->draft, &place, error);
  for (piece = pl_xml_child(grid, "Piece"); !status && piece; piece = pl_xml_next(piece, "Piece"))
    status = read_cells(r, piece, &base, error);
  // numbers of hanging nodes are those of a single piece
  if (!status && pieces == 1) status = read_hanging(r, grid, error);
  if (!status && pieces > 1)
    pl_log_write(r->source->log, PL_WARNING,
                 "%s: %d pieces were put together; nodes at the same place stay apart",
                 r->source->path, pieces);
  return status;
}

/* ---- the file ---- */

/* Byte order, size of the headers, compression. */
static pl_status read_root(vtu_reader *r, const pl_xml_node *root, pl_error *error)
{
  pl_scan place = place_of(r, root);
  const char *type = pl_xml_attribute(root, "type");
  const char *order = pl_xml_attribute(root, "byte_order");
  const char *header = pl_xml_attribute(root, "header_type");
  const char *compressor = pl_xml_attribute(root, "compressor");
  if (strcmp(pl_xml_name(root), "VTKFile") != 0)
    return pl_scan_fail(&place, error, PL_E_PARSE, "the file is <%.40s>; a .vtu file is <VTKFile>",
                        pl_xml_name(root));
  if (!type || strcmp(type, "UnstructuredGrid") != 0)
    return pl_scan_fail(&place, error, PL_E_UNSUPPORTED,
                        "the file holds type \"%.40s\"; only UnstructuredGrid can be read",
                        type ? type : "");
  int big = order && strcmp(order, "BigEndian") == 0;
  r->swap = big == pl_little_endian();
  r->header_size = header && strcmp(header, "UInt64") == 0 ? 8 : 4;
  r->compressed = compressor && compressor[0];
  if (r->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
    return pl_scan_fail(
        &place, error, PL_E_UNSUPPORTED,
        "the compressor %.40s is not known; save with vtkZLibDataCompressor or none", compressor);
  return PL_OK;
}

/* Parses the XML; appended data is cut off behind its start tag, which is made to end the file. */
static pl_status parse(vtu_reader *r, pl_error *error)
{
  static const char tag[] = "<AppendedData", close[] = "/></VTKFile>";
  const char *data = r->source->file.data, *end = data + r->source->file.size;
  const char *at = data;
  while ((at = memchr(at, '<', (size_t)(end - at))) &&
         ((size_t)(end - at) < sizeof tag || memcmp(at, tag, sizeof tag - 1) != 0))
    at++;
  const char *tag_end = at ? memchr(at, '>', (size_t)(end - at)) : NULL;
  if (!tag_end)
    return pl_xml_parse(data, r->source->file.size, r->source->path, r->source->allocator,
                        &r->document, error);
  const char *mark = memchr(tag_end, '_', (size_t)(end - tag_end));
  r->appended = mark ? mark + 1 : end;
  r->appended_end = end;
  size_t size = (size_t)(tag_end - data);
  char *head = pl_alloc(r->source->allocator, size + sizeof close, 1);
  if (!head) return pl_fail_memory(error);
  memcpy(head, data, size);
  memcpy(head + size, close, sizeof close);
  pl_status status = pl_xml_parse(head, size + sizeof close - 1, r->source->path,
                                  r->source->allocator, &r->document, error);
  pl_free(r->source->allocator, head);
  return status;
}

static pl_status read_document(vtu_reader *r, pl_error *error)
{
  const pl_xml_node *root = pl_xml_root(r->document);
  const pl_xml_node *grid = pl_xml_child(root, "UnstructuredGrid");
  const pl_xml_node *appended = pl_xml_child(root, "AppendedData");
  pl_scan place = place_of(r, root);
  const char *encoding = appended ? pl_xml_attribute(appended, "encoding") : NULL;
  r->appended_raw = encoding && strcmp(encoding, "raw") == 0;
  pl_status status = read_root(r, root, error);
  if (!status && !grid)
    status = pl_scan_fail(&place, error, PL_E_PARSE, "the file has no <UnstructuredGrid>");
  return status ? status : read_pieces(r, grid, error);
}

static pl_status vtu_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  vtu_reader r = {.source = source};
  pl_status status = parse(&r, error);
  if (status) return status;
  status = pl_draft_create(source, source->file.size, &r.draft, error);
  if (!status) status = read_document(&r, error);
  pl_xml_destroy(r.document);
  if (!status) return pl_draft_finish(r.draft, mesh, error);
  pl_draft_destroy(r.draft);
  return status;
}

enum { ENCODING, PIECES, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [ENCODING] = {"encoding", "1", "numbers in base 64, as bytes behind the XML, or as text",
                  PL_VTU_BASE64, 0, 2, .words = "base64|raw|ascii"},
    [PIECES] = {"pieces", "1",
                "of a run on several processes: a frame is one file of the first process, or one "
                "of each process and a .pvtu file that lists them",
                0, 0, 1, .words = "one|ranks"},
};

static pl_status vtu_write(const pl_snapshot *snapshot, const char *path, const double *values,
                           pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  pl_status status = pl_vtu_print(snapshot, (pl_vtu_encoding)(int)values[ENCODING], &text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

const pl_format_ops pl_format_vtu = {
    .info = PL_INFO(
        "vtu",
        "VTK unstructured grids in XML, for ParaView; sets as arrays named set:NAME, hanging "
        "nodes as field data",
        "Kitware, VTK file formats, XML", params),
    .extensions = "vtu",
    .read = vtu_read,
    .write = vtu_write,
    .keeps_hanging = 1,
    .pieces = PIECES + 1,
    .list = "pvd",
};
