/* Writing .vtu files: XML around arrays of numbers, which stand inside the elements in base 64 or
 * as text, or behind the XML as raw bytes. Every array of bytes is preceded by its size in 64 bits.
 * The byte order is the machine's and is named. Kitware, "VTK file formats", XML. */
#include "io/vtu.h"

#include "core/memory.h"
#include "io/base64.h"
#include "io/vtk_grid.h"

#include <math.h>
#include <string.h>

typedef struct vtu_writer {
  pl_text *text;
  pl_text raw; /* what comes behind the XML */
  pl_vtu_encoding encoding;
  int counts; /* arrays say how many tuples they have */
  const pl_snapshot *snapshot;
} vtu_writer;

static void put_numbers(pl_text *text, const pl_array *array, size_t width)
{
  int real = array->type == PL_FLOAT64;
  for (size_t i = 0; i < array->count; i++) {
    if (real)
      pl_text_number(text, pl_array_double(array, i));
    else
      pl_text_add(text, "%lld", (long long)pl_array_int(array, i));
    pl_text_add(text, "%c", (i + 1) % width && i + 1 < array->count ? ' ' : '\n');
  }
}

/* One DataArray; prefix and name make up its name. */
static void put_array(vtu_writer *w, const char *prefix, const char *name, pl_number type,
                      size_t count, size_t width, const void *data)
{
  pl_text *text = w->text;
  pl_array array = {.type = type, .count = count, .data = data};
  uint64_t bytes = (uint64_t)count * pl_numbers[type].size;
  pl_text_add(text, "<DataArray type=\"%s\" Name=\"%s", pl_numbers[type].name, prefix);
  pl_text_xml(text, name);
  pl_text_add(text, "\" NumberOfComponents=\"%zu\" ", width);
  if (w->counts) pl_text_add(text, "NumberOfTuples=\"%zu\" ", count / width);
  switch (w->encoding) {
  case PL_VTU_ASCII:
    pl_text_add(text, "format=\"ascii\">\n");
    put_numbers(text, &array, width > 1 ? width : 16);
    pl_text_add(text, "</DataArray>\n");
    break;
  case PL_VTU_RAW:
    pl_text_add(text, "format=\"appended\" offset=\"%zu\"/>\n", w->raw.size);
    pl_text_bytes(&w->raw, &bytes, sizeof bytes);
    pl_text_bytes(&w->raw, data, (size_t)bytes);
    break;
  case PL_VTU_BASE64: {
    // the size and the first byte of data share a group of letters
    char head[9] = {0};
    size_t first = bytes ? 1 : 0;
    memcpy(head, &bytes, sizeof bytes);
    if (first) memcpy(head + 8, data, 1);
    pl_text_add(text, "format=\"binary\">\n");
    pl_base64_encode(text, head, 8 + first);
    pl_base64_encode(text, (const char *)data + first, (size_t)bytes - first);
    pl_text_add(text, "\n</DataArray>\n");
  }
  }
}

static pl_status put_cells(vtu_writer *w, pl_error *error)
{
  pl_cells cells = pl_cells_of(w->snapshot);
  size_t count = (size_t)cells.plain + (size_t)cells.quads,
         corners = (size_t)pl_cells_corners(&cells);
  int32_t *offsets = pl_alloc(&w->text->allocator, count, sizeof *offsets);
  int32_t *nodes = pl_alloc(&w->text->allocator, corners, sizeof *nodes), end = 0;
  unsigned char *types = pl_alloc(&w->text->allocator, count, 1);
  pl_status status = offsets && nodes && types ? PL_OK : pl_fail_memory(error);
  if (!status) {
    for (size_t i = 0; i < count; i++) {
      pl_cell cell = pl_cell_at(&cells, (int)i);
      memcpy(nodes + end, cell.nodes, (size_t)cell.corners * sizeof *nodes);
      offsets[i] = end += cell.corners;
      types[i] = (unsigned char)pl_vtk_type_of(cell);
    }
    pl_text_add(w->text, "<Cells>\n");
    put_array(w, "", "connectivity", PL_INT32, corners, 1, nodes);
    put_array(w, "", "offsets", PL_INT32, count, 1, offsets);
    put_array(w, "", "types", PL_UINT8, count, 1, types);
    pl_text_add(w->text, "</Cells>\n");
  }
  pl_free(&w->text->allocator, offsets);
  pl_free(&w->text->allocator, nodes);
  pl_free(&w->text->allocator, types);
  return status;
}

/* The fields and sets of the nodes or of the elements. */
static pl_status put_data(vtu_writer *w, int of_elements, pl_error *error)
{
  const pl_snapshot *snapshot = w->snapshot;
  const pl_mesh *mesh = snapshot->mesh;
  size_t items = (size_t)(of_elements ? pl_mesh_element_count(mesh) : pl_mesh_node_count(mesh));
  const char *tag = of_elements ? "CellData" : "PointData";
  pl_text_add(w->text, "<%s>\n", tag);
  for (int i = 0; i < snapshot->field_count; i++) {
    const pl_field *field = &snapshot->fields[i];
    size_t width = (size_t)field->width;
    if (field->of_elements == of_elements)
      put_array(w, "", field->name, PL_FLOAT64, items * width, width, field->data);
  }
  for (int k = 0; of_elements && pl_mesh_axes(mesh) && k < 2; k++) {
    double *axis;
    pl_status status = pl_vtk_axis_numbers(&w->text->allocator, mesh, k, &axis, error);
    if (status) return status;
    put_array(w, "", pl_vtk_axes[k], PL_FLOAT64, 3 * items, 3, axis);
    pl_free(&w->text->allocator, axis);
  }
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    unsigned char *bytes;
    if (set->of_elements != of_elements) continue;
    pl_status status = pl_vtk_set_bytes(&w->text->allocator, mesh, set, &bytes, &items, error);
    if (status) return status;
    put_array(w, "set:", set->name, PL_UINT8, items, 1, bytes);
    pl_free(&w->text->allocator, bytes);
  }
  pl_text_add(w->text, "</%s>\n", tag);
  return PL_OK;
}

/* Hanging nodes with their parents and weights, one entry each, as data of the whole grid. */
static pl_status put_hanging(vtu_writer *w, pl_error *error)
{
  const pl_mesh *mesh = w->snapshot->mesh;
  size_t count = 0, at = 0;
  for (int h = 0; h < pl_mesh_hanging_count(mesh); h++)
    count += (size_t)pl_mesh_hanging(mesh, h)->count;
  int32_t *nodes = pl_alloc(&w->text->allocator, 2 * count, sizeof *nodes);
  double *weights = pl_alloc(&w->text->allocator, count, sizeof *weights);
  pl_status status = nodes && weights ? PL_OK : pl_fail_memory(error);
  for (int h = 0; h < pl_mesh_hanging_count(mesh) && !status; h++) {
    const pl_hanging_node *hanging = pl_mesh_hanging(mesh, h);
    for (int j = 0; j < hanging->count; j++, at++) {
      nodes[2 * at] = hanging->node;
      nodes[2 * at + 1] = hanging->parents[j];
      weights[at] = hanging->weights[j];
    }
  }
  w->counts = 1;
  if (!status) put_array(w, "", PL_VTU_HANGING, PL_INT32, 2 * count, 2, nodes);
  if (!status) put_array(w, "", PL_VTU_WEIGHTS, PL_FLOAT64, count, 1, weights);
  w->counts = 0;
  pl_free(&w->text->allocator, nodes);
  pl_free(&w->text->allocator, weights);
  return status;
}

/* What belongs to no node or element: the time, and which nodes hang. */
static pl_status put_whole(vtu_writer *w, pl_error *error)
{
  const pl_snapshot *snapshot = w->snapshot;
  int hangs = pl_mesh_hanging_count(snapshot->mesh) > 0;
  pl_status status = PL_OK;
  if (isnan(snapshot->time) && !hangs) return PL_OK;
  pl_text_add(w->text, "<FieldData>\n");
  if (!isnan(snapshot->time)) {
    pl_text_add(w->text, "<DataArray type=\"Float64\" Name=\"TimeValue\" "
                         "NumberOfTuples=\"1\" format=\"ascii\">");
    pl_text_number(w->text, snapshot->time);
    pl_text_add(w->text, "</DataArray>\n");
  }
  if (hangs) status = put_hanging(w, error);
  pl_text_add(w->text, "</FieldData>\n");
  return status;
}

static pl_status put_grid(vtu_writer *w, pl_error *error)
{
  const pl_snapshot *snapshot = w->snapshot;
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  size_t count = (size_t)pl_mesh_node_count(mesh);
  pl_text_add(w->text,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
              "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
              pl_little_endian() ? "LittleEndian" : "BigEndian");
  pl_status status = put_whole(w, error);
  pl_cells cells = pl_cells_of(w->snapshot);
  pl_text_add(w->text, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%d\">\n<Points>\n", count,
              cells.plain + cells.quads);
  put_array(w, "", "Points", PL_FLOAT64, 3 * count, 3, positions);
  pl_text_add(w->text, "</Points>\n");
  if (!status) status = put_cells(w, error);
  if (!status) status = put_data(w, 0, error);
  if (!status) status = put_data(w, 1, error);
  pl_text_add(w->text, "</Piece>\n</UnstructuredGrid>\n");
  return status;
}

pl_status pl_vtu_print(const pl_snapshot *snapshot, pl_vtu_encoding encoding, pl_text *text,
                       pl_error *error)
{
  vtu_writer w = {.text = text,
                  .raw = pl_text_make(&text->allocator),
                  .encoding = encoding,
                  .snapshot = snapshot};
  pl_status status = put_grid(&w, error);
  if (w.raw.size) {
    pl_text_add(text, "<AppendedData encoding=\"raw\">\n_");
    pl_text_bytes(text, w.raw.data, w.raw.size);
    pl_text_add(text, "\n</AppendedData>\n");
  }
  pl_text_add(text, "</VTKFile>\n");
  if (!status) status = pl_text_ok(&w.raw, error);
  if (!status) status = pl_text_ok(text, error);
  pl_text_release(&w.raw);
  return status;
}

/* ---- lists of pieces ---- */

static void list_array(pl_text *text, const char *type, const char *prefix, const char *name,
                       int width)
{
  pl_text_add(text, "<PDataArray type=\"%s\" Name=\"%s", type, prefix);
  pl_text_xml(text, name);
  pl_text_add(text, "\" NumberOfComponents=\"%d\"/>\n", width);
}

/* In the order of put_data. */
static void list_data(pl_text *text, const pl_snapshot *piece, int of_elements)
{
  const char *tag = of_elements ? "PCellData" : "PPointData";
  pl_text_add(text, "<%s>\n", tag);
  for (int i = 0; i < piece->field_count; i++) {
    const pl_field *field = &piece->fields[i];
    if (field->of_elements == of_elements)
      list_array(text, "Float64", "", field->name, field->width);
  }
  for (int k = 0; of_elements && pl_mesh_axes(piece->mesh) && k < 2; k++)
    list_array(text, "Float64", "", pl_vtk_axes[k], 3);
  for (int i = 0; i < pl_mesh_set_count(piece->mesh); i++) {
    const pl_set *set = pl_mesh_set(piece->mesh, i);
    if (set->of_elements == of_elements) list_array(text, "UInt8", "set:", set->name, 1);
  }
  pl_text_add(text, "</%s>\n", tag);
}

pl_status pl_vtu_print_list(const pl_snapshot *piece, const char *name, int pieces, pl_text *text,
                            pl_error *error)
{
  pl_text_add(text,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" "
              "byte_order=\"%s\" header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n",
              pl_little_endian() ? "LittleEndian" : "BigEndian");
  pl_text_add(text, "<PPoints>\n");
  list_array(text, "Float64", "", "Points", 3);
  pl_text_add(text, "</PPoints>\n");
  list_data(text, piece, 0);
  list_data(text, piece, 1);
  for (int i = 0; i < pieces; i++) {
    pl_text_add(text, "<Piece Source=\"");
    pl_text_xml(text, name);
    pl_text_add(text, "_%d.vtu\"/>\n", i);
  }
  pl_text_add(text, "</PUnstructuredGrid>\n</VTKFile>\n");
  return pl_text_ok(text, error);
}
