/* XDMF: an XML file that says what lies where, and beside it one file of numbers for the whole run,
 * as raw bytes (.bin) or as HDF5 (.h5). XDMF 3 (xdmf.org, "XDMF Model and Format").
 *
 * While the run goes on the numbers are appended to the .bin file, and then the XML grows
 * (io/growing.h): whenever the program is killed, it names whole frames only.
 * With encoding="hdf5" the numbers move into the .h5 file at the end of the run; HDF5's own files
 * are damaged if a program is killed as it adds to them. The elements stand there once. */
#include "core/error.h"
#include "core/memory.h"
#include "io/growing.h"
#include "io/hdf5.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ENCODING, PARAM_COUNT };
enum { RAW, HDF5 };
enum { PATH_ROOM = 4096 };

/* An array in the file of numbers. */
typedef struct item {
  pl_number type;
  size_t rows, width;
  uint64_t start; /* bytes */
} item;

typedef struct xdmf {
  pl_text bytes;       /* of the frame in hand */
  pl_text raw, packed; /* XML: of the frame in hand; of all frames, as it is with HDF5 */
  uint64_t size;       /* of the .bin file */
  pl_growing file;     /* of the XML */
  item *items;
  size_t count, room;
  const pl_mesh *mesh;       /* whose elements and sets stand there */
  size_t elements, set_item; /* numbers of items; sets follow each other */
} xdmf;

static const char tail[] = "</Grid></Domain></Xdmf>\n";

/* The file beside path with another extension. */
static pl_status beside(const char *path, const char *extension, char out[PATH_ROOM],
                        pl_error *error)
{
  size_t stem = strlen(path) - strlen(pl_path_extension(path));
  if (stem + strlen(extension) + 1 > PATH_ROOM)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "the path is too long");
  memcpy(out, path, stem);
  memcpy(out + stem, extension, strlen(extension) + 1);
  return PL_OK;
}

/* ---- items ---- */

static size_t item_bytes(const item *it)
{
  return it->rows * it->width * pl_numbers[it->type].size;
}

/* Keeps the numbers of a new item for the file; returns its number. */
static size_t keep_item(xdmf *x, pl_number type, size_t rows, size_t width, const void *data,
                        pl_status *status)
{
  void *items = x->items;
  if (pl_reserve(&x->bytes.allocator, &items, &x->room, x->count + 1, sizeof *x->items))
    *status = PL_E_MEMORY;
  x->items = items;
  if (*status) return 0;
  x->items[x->count] = (item){type, rows, width, x->size + x->bytes.size};
  pl_text_bytes(&x->bytes, data, rows * width * pl_numbers[type].size);
  return x->count++;
}

static void put_shape(pl_text *text, const item *i)
{
  pl_text_add(text, "<DataItem Dimensions=\"%zu", i->rows);
  if (i->width > 1) pl_text_add(text, " %zu", i->width);
  pl_text_add(text, "\" NumberType=\"%s\" Precision=\"%zu\" ",
              i->type == PL_FLOAT64 ? "Float"
              : i->type == PL_INT32 ? "Int"
                                    : "UChar",
              pl_numbers[i->type].size);
}

/* The name of a sibling without its folder, with another extension. */
static void put_sibling(pl_text *text, const char *path, const char *extension)
{
  char file[PATH_ROOM];
  if (beside(pl_path_name(path), extension, file, NULL)) return;
  pl_text_xml(text, file);
}

static void put_item(xdmf *x, const char *path, size_t number)
{
  const item *i = &x->items[number];
  put_shape(&x->raw, i);
  pl_text_add(&x->raw, "Format=\"Binary\" Endian=\"%s\" Seek=\"%llu\">",
              pl_little_endian() ? "Little" : "Big", (unsigned long long)i->start);
  put_sibling(&x->raw, path, "bin");
  pl_text_add(&x->raw, "</DataItem>");
  put_shape(&x->packed, i);
  pl_text_add(&x->packed, "Format=\"HDF\">");
  put_sibling(&x->packed, path, "h5");
  pl_text_add(&x->packed, ":/a%zu</DataItem>", number);
}

/* The same text for both. */
static void put(xdmf *x, const char *text)
{
  pl_text_bytes(&x->raw, text, strlen(text));
  pl_text_bytes(&x->packed, text, strlen(text));
}

static void put_name(xdmf *x, const char *name)
{
  pl_text_xml(&x->raw, name);
  pl_text_xml(&x->packed, name);
}

/* ---- a frame ---- */

/* The elements and sets, unless those of the frame before are the same. */
static pl_status keep_mesh(xdmf *x, const pl_mesh *mesh, pl_error *error)
{
  pl_status status = PL_OK;
  if (x->mesh == mesh) return PL_OK;
  x->elements = keep_item(x, PL_INT32, (size_t)pl_mesh_element_count(mesh),
                          (size_t)pl_mesh_nodes_per_element(mesh), pl_mesh_elements(mesh), &status);
  x->set_item = x->count;
  for (int i = 0; i < pl_mesh_set_count(mesh) && !status; i++) {
    unsigned char *bytes;
    size_t rows;
    status =
        pl_vtk_set_bytes(&x->bytes.allocator, mesh, pl_mesh_set(mesh, i), &bytes, &rows, error);
    if (status) return status;
    keep_item(x, PL_UINT8, rows, 1, bytes, &status);
    pl_free(&x->bytes.allocator, bytes);
  }
  x->mesh = mesh;
  return status ? pl_fail_memory(error) : PL_OK;
}

static void put_attribute(xdmf *x, const char *path, const char *prefix, const char *name,
                          const char *type, int of_elements, size_t number)
{
  put(x, "<Attribute Name=\"");
  put(x, prefix);
  put_name(x, name);
  put(x, "\" AttributeType=\"");
  put(x, type);
  put(x, of_elements ? "\" Center=\"Cell\">" : "\" Center=\"Node\">");
  put_item(x, path, number);
  put(x, "</Attribute>\n");
}

/* xx xy xz yy yz zz, XDMF's order, of xx yy zz xy yz xz. */
static pl_status keep_tensors(xdmf *x, size_t rows, const double *data, size_t *number,
                              pl_error *error)
{
  static const int places[6] = {0, 3, 5, 1, 4, 2};
  pl_status status = PL_OK;
  double *turned = pl_alloc(&x->bytes.allocator, 6 * rows, sizeof *turned);
  if (!turned) return pl_fail_memory(error);
  for (size_t i = 0; i < 6 * rows; i++) turned[i] = data[i / 6 * 6 + (size_t)places[i % 6]];
  *number = keep_item(x, PL_FLOAT64, rows, 6, turned, &status);
  pl_free(&x->bytes.allocator, turned);
  return status ? pl_fail_memory(error) : PL_OK;
}

static pl_status put_field(xdmf *x, const char *path, const pl_field *field, const pl_mesh *mesh,
                           pl_error *error)
{
  size_t rows =
      (size_t)(field->of_elements ? pl_mesh_element_count(mesh) : pl_mesh_node_count(mesh));
  size_t width = (size_t)field->width, number = 0;
  const char *type = width == 9   ? "Tensor"
                     : width == 6 ? "Tensor6"
                     : width == 3 ? "Vector"
                                  : "Scalar";
  pl_status status = PL_OK;
  if (width == 6)
    status = keep_tensors(x, rows, field->data, &number, error);
  else
    number = keep_item(x, PL_FLOAT64, rows, width, field->data, &status);
  if (status) return pl_fail_memory(error);
  put_attribute(x, path, "", field->name, type, field->of_elements, number);
  return PL_OK;
}

static pl_status put_frame(xdmf *x, const char *path, const pl_snapshot *snapshot, pl_error *error)
{
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  int corners = pl_mesh_nodes_per_element(mesh);
  pl_status status = keep_mesh(x, mesh, error);
  if (status) return status;
  size_t points = keep_item(x, PL_FLOAT64, (size_t)pl_mesh_node_count(mesh), 3, positions, &status);
  if (status) return pl_fail_memory(error);
  put(x, "<Grid GridType=\"Uniform\"><Time Value=\"");
  pl_text_number(&x->raw, snapshot->time);
  pl_text_number(&x->packed, snapshot->time);
  put(x, "\"/>\n<Topology TopologyType=\"");
  put(x, corners == 8   ? "Hexahedron"
         : corners == 4 ? "Tetrahedron"
         : corners == 3 ? "Triangle"
                        : "Polyline\" NodesPerElement=\"2");
  put(x, "\">");
  put_item(x, path, x->elements);
  put(x, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
  put_item(x, path, points);
  put(x, "</Geometry>\n");
  for (int i = 0; i < snapshot->field_count && !status; i++)
    status = put_field(x, path, &snapshot->fields[i], mesh, error);
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    put_attribute(x, path, "set:", set->name, "Scalar", set->of_elements, x->set_item + (size_t)i);
  }
  put(x, "</Grid>\n");
  return status;
}

/* ---- the files ---- */

static void put_head(xdmf *x, const char *path)
{
  put(x, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain><Grid Name=\"");
  put_name(x, pl_path_name(path));
  put(x, "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
}

/* Numbers first, then the XML that names them. */
static pl_status put_files(xdmf *x, const char *path, pl_error *error)
{
  char numbers[PATH_ROOM];
  pl_status status = pl_text_ok(&x->bytes, error);
  if (!status) status = pl_text_ok(&x->raw, error);
  if (!status) status = pl_text_ok(&x->packed, error);
  if (!status) status = beside(path, "bin", numbers, error);
  if (!status) status = pl_file_put(numbers, x->size, x->bytes.data, x->bytes.size, error);
  if (!status) status = pl_growing_add(&x->file, path, x->raw.data, x->raw.size, error);
  if (status) return status;
  x->size += x->bytes.size;
  x->bytes.size = x->raw.size = 0;
  return PL_OK;
}

static void release(pl_stream *stream)
{
  xdmf *x = stream->own;
  if (!x) return;
  pl_text_release(&x->bytes);
  pl_text_release(&x->raw);
  pl_text_release(&x->packed);
  pl_growing_release(&x->file);
  pl_free(stream->allocator, x->items);
  pl_free(stream->allocator, x);
  stream->own = NULL;
}

static pl_status start(pl_stream *stream, pl_error *error)
{
  char other[PATH_ROOM];
  pl_status status = stream->values[ENCODING] == HDF5 ? pl_hdf5_check(error) : PL_OK;
  if (!status) status = beside(stream->path, "h5", other, error);
  if (status) return status;
  unlink(other); // of an earlier run
  xdmf *x = pl_alloc(stream->allocator, 1, sizeof *x);
  if (!x) return pl_fail_memory(error);
  x->bytes = pl_text_make(stream->allocator);
  x->raw = pl_text_make(stream->allocator);
  x->packed = pl_text_make(stream->allocator);
  x->file = pl_growing_make(tail, stream->allocator);
  stream->own = x;
  put_head(x, stream->path);
  return PL_OK;
}

static pl_status append(pl_stream *stream, const pl_snapshot *snapshot, pl_error *error)
{
  pl_status status = stream->own ? PL_OK : start(stream, error);
  if (status) return status;
  xdmf *x = stream->own;
  size_t packed = x->packed.size, count = x->count;
  const pl_mesh *mesh = x->mesh;
  status = put_frame(x, stream->path, snapshot, error);
  if (!status) status = put_files(x, stream->path, error);
  if (!status) return PL_OK;
  // as if it had not been tried
  x->packed.size = packed;
  x->count = count;
  x->mesh = mesh;
  x->bytes.size = x->raw.size = 0;
  x->bytes.failed = x->raw.failed = x->packed.failed = 0;
  return status;
}

/* Copies every item from the .bin file. */
static pl_status copy_items(const xdmf *x, int from, char *room, pl_hdf5 *to, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < x->count && !status; i++) {
    const item *it = &x->items[i];
    size_t bytes = item_bytes(it);
    char name[32];
    pl_print(name, sizeof name, "a%zu", i);
    if (pread(from, room, bytes, (off_t)it->start) != (ssize_t)bytes)
      return pl_fail(error, PL_E_IO, "the numbers of the run cannot be read again");
    status = pl_hdf5_add(to, name, it->type, it->rows, it->width, room, error);
  }
  return status;
}

static pl_status pack(const xdmf *x, const char *numbers, const char *path, pl_error *error)
{
  size_t max = 0;
  for (size_t i = 0; i < x->count; i++)
    max = item_bytes(&x->items[i]) > max ? item_bytes(&x->items[i]) : max;
  char *room = pl_alloc(&x->bytes.allocator, max, 1);
  if (!room) return pl_fail_memory(error);
  int from = open(numbers, O_RDONLY | O_CLOEXEC);
  pl_hdf5 file;
  pl_status status = from < 0 ? pl_fail_at(error, PL_E_IO, numbers, 0, "cannot be read again")
                              : pl_hdf5_create(path, &file, error);
  if (!status) {
    status = copy_items(x, from, room, &file, error);
    pl_status closed = pl_hdf5_close(&file, status ? NULL : error);
    if (!status) status = closed;
  }
  if (from >= 0) close(from);
  pl_free(&x->bytes.allocator, room);
  return status;
}

/* Moves the numbers into an HDF5 file: whole under another name first, then the XML that names it.
 */
static pl_status complete(pl_stream *stream, pl_error *error)
{
  char numbers[PATH_ROOM], part[PATH_ROOM], final[PATH_ROOM];
  xdmf *x = stream->own;
  if (!x || stream->values[ENCODING] != HDF5) return PL_OK;
  pl_status status = beside(stream->path, "bin", numbers, error);
  if (!status) status = beside(stream->path, "h5", final, error);
  if (!status) status = pl_file_part(final, part, sizeof part, error);
  if (status) return status;
  status = pack(x, numbers, part, error);
  if (!status && rename(part, final))
    status = pl_fail_at(error, PL_E_IO, final, 0, "cannot be written");
  pl_text_bytes(&x->packed, tail, sizeof tail - 1);
  if (!status) status = pl_text_ok(&x->packed, error);
  if (!status) status = pl_file_write(stream->path, x->packed.data, x->packed.size, error);
  unlink(status ? part : numbers);
  return status;
}

static const pl_param params[PARAM_COUNT] = {
    [ENCODING] = {"encoding", "1",
                  "numbers as raw bytes (.bin), or in the end as HDF5 (.h5), which more programs "
                  "read",
                  RAW, 0, 1, .words = "raw|hdf5"},
};

const pl_format_ops pl_format_xdmf = {
    .info = PL_INFO("xdmf", "all frames of a body in two files, for ParaView: XML and numbers",
                    "XDMF 3, xdmf.org", params),
    .extensions = "xdmf",
    .append = append,
    .complete = complete,
    .release = release,
};
