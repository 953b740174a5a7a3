/* Gmsh's .msh files, versions 2.2 and 4.1: header, physical names, and the way from section to
 * section. Geuzaine and Remacle, Gmsh reference manual, "MSH file format" (4.1, and 2 legacy).
 *
 * Physical groups become sets. Elements of higher order keep their corners. Sections that say
 * nothing about the mesh are passed over. */
#include "io/gmsh.h"

#include "core/memory.h"
#include "pliant/mesh.h"

#include <limits.h>
#include <string.h>

/* ---- numbers ---- */

pl_status pl_gmsh_int(pl_gmsh *gmsh, const char *what, int64_t *value, pl_error *error)
{
  return gmsh->binary ? pl_scan_int32(&gmsh->scan, what, value, error)
                      : pl_scan_int(&gmsh->scan, what, value, error);
}

pl_status pl_gmsh_size(pl_gmsh *gmsh, const char *what, int64_t *value, pl_error *error)
{
  return gmsh->binary ? pl_scan_int64(&gmsh->scan, what, value, error)
                      : pl_scan_int(&gmsh->scan, what, value, error);
}

pl_status pl_gmsh_double(pl_gmsh *gmsh, const char *what, double *value, pl_error *error)
{
  if (!gmsh->binary) return pl_scan_double(&gmsh->scan, what, value, error);
  const char *data = NULL;
  pl_status status = pl_scan_bytes(&gmsh->scan, what, sizeof *value, &data, error);
  if (!status) *value = pl_load_double(data, gmsh->scan.swap);
  return status;
}

pl_status pl_gmsh_claim(const pl_gmsh *gmsh, const char *what, int64_t count, int64_t limit,
                        size_t ints, size_t sizes, size_t doubles, pl_error *error)
{
  // as text a number takes a digit and a blank at least
  size_t bytes = gmsh->binary ? 4 * ints + 8 * (sizes + doubles) : 2 * (ints + sizes + doubles);
  return pl_scan_claim(&gmsh->scan, what, count, limit, bytes, error);
}

int pl_gmsh_type_of(pl_cell cell)
{
  int corners = cell.corners;
  if (cell.is_quad) return 3;
  return corners == 2 ? 1 : corners == 3 ? 2 : corners == 4 ? 4 : 5;
}

pl_status pl_gmsh_type_find(const pl_gmsh *gmsh, int64_t number, const pl_gmsh_type **type,
                            pl_error *error)
{
  static const pl_gmsh_type types[] = {
      {1, PL_LINE, 2},       {2, PL_TRIANGLE, 3},   {3, PL_QUAD, 4},       {4, PL_TET, 4},
      {5, PL_HEX, 8},        {6, PL_PRISM, 6},      {7, PL_PYRAMID, 5},    {8, PL_LINE, 3},
      {9, PL_TRIANGLE, 6},   {10, PL_QUAD, 9},      {11, PL_TET, 10},      {12, PL_HEX, 27},
      {13, PL_PRISM, 18},    {14, PL_PYRAMID, 14},  {15, PL_POINT, 1},     {16, PL_QUAD, 8},
      {17, PL_HEX, 20},      {18, PL_PRISM, 15},    {19, PL_PYRAMID, 13},  {20, PL_TRIANGLE, 9},
      {21, PL_TRIANGLE, 10}, {22, PL_TRIANGLE, 12}, {23, PL_TRIANGLE, 15}, {24, PL_TRIANGLE, 15},
      {25, PL_TRIANGLE, 21}, {26, PL_LINE, 4},      {27, PL_LINE, 5},      {28, PL_LINE, 6},
      {29, PL_TET, 20},      {30, PL_TET, 35},      {31, PL_TET, 56},      {92, PL_HEX, 64},
      {93, PL_HEX, 125},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    *type = &types[i];
    if (types[i].type == number) return PL_OK;
  }
  return pl_scan_fail(&gmsh->scan, error, PL_E_UNSUPPORTED,
                      "elements of type %lld are not known; save the mesh with tetrahedra or "
                      "hexahedra only",
                      (long long)number);
}

pl_status pl_gmsh_group(const pl_gmsh *gmsh, int64_t tag, int32_t *group, pl_error *error)
{
  if (tag < -INT32_MAX || tag > INT32_MAX)
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                        "the physical tag %lld must lie between 1 and %d", (long long)tag,
                        INT32_MAX);
  *group = (int32_t)(tag < 0 ? -tag : tag);
  return PL_OK;
}

/* ---- reading ---- */

/* "dimension tag "name"" on a line each, also in binary files. */
static pl_status read_names(pl_gmsh *gmsh, pl_error *error)
{
  pl_scan *scan = &gmsh->scan;
  int64_t count, dimension, tag;
  pl_status status = pl_scan_int(scan, "number of physical names", &count, error);
  if (!status) status = pl_scan_claim(scan, "physical names", count, PL_MOST_SETS, 6, error);
  for (int64_t i = 0; !status && i < count; i++) {
    status = pl_scan_int(scan, "dimension of a physical group", &dimension, error);
    if (!status && (dimension < 0 || dimension > 3))
      status = pl_scan_fail(scan, error, PL_E_PARSE,
                            "the dimension %lld of a physical group must lie between 0 and 3",
                            (long long)dimension);
    if (!status) status = pl_scan_int(scan, "tag of a physical group", &tag, error);
    int32_t group = 0;
    if (!status) status = pl_gmsh_group(gmsh, tag, &group, error);
    if (status) break;

    // the name is what stands between the first and the last quote of the line
    pl_word line = {scan->at, 0};
    pl_scan_line(scan, &line);
    const char *open = line.size ? memchr(line.at, '"', line.size) : NULL;
    const char *close = line.at + line.size;
    while (open && close > open && close[-1] != '"') close--;
    if (!open || close - 1 <= open)
      return pl_scan_fail(scan, error, PL_E_PARSE, "the name of physical group %d must be quoted",
                          group);
    pl_word name = {open + 1, (size_t)(close - open - 2)};
    status = pl_draft_name(gmsh->draft, scan, (int)dimension, group, name, error);
  }
  return status;
}

/* "version type size", and in binary files the int 1, which shows the byte order. */
static pl_status read_header(pl_gmsh *gmsh, int *version, pl_error *error)
{
  pl_scan *scan = &gmsh->scan;
  double number;
  int64_t binary, size;
  pl_status status = pl_scan_double(scan, "version", &number, error);
  if (!status && !(number >= 2 && number < 3) && !(number > 4.05 && number < 5))
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED,
                        "version %g of the Gmsh format is not known; save as 4.1 or 2.2", number);
  if (!status) status = pl_scan_int(scan, "file type", &binary, error);
  if (!status) status = pl_scan_int(scan, "data size", &size, error);
  if (status) return status;
  if (binary != 0 && binary != 1)
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "the file type %lld must be 0 (text) or 1 (binary)", (long long)binary);
  if (size != 8)
    return pl_scan_fail(scan, error, PL_E_UNSUPPORTED, "the data size %lld must be 8",
                        (long long)size);
  *version = number < 3 ? 2 : 4;
  if (!binary) return PL_OK;

  pl_word rest;
  pl_scan_line(scan, &rest);
  gmsh->binary = 1;
  const char *one;
  status = pl_scan_bytes(scan, "byte order mark", 4, &one, error);
  if (status || pl_load_int32(one, 0) == 1) return status;
  scan->swap = 1;
  if (pl_load_int32(one, 1) == 1) return PL_OK;
  return pl_scan_fail(scan, error, PL_E_PARSE, "the number that shows the byte order must be 1");
}

/* Goes behind the line "$EndNAME"; in binary sections the bytes before it may be anything. */
static pl_status pass_end(pl_gmsh *gmsh, pl_word name, pl_error *error)
{
  pl_scan *scan = &gmsh->scan;
  for (const char *at = scan->at; (at = memchr(at, '$', (size_t)(scan->end - at))); at++) {
    size_t left = (size_t)(scan->end - at);
    if (left < name.size + 4 || memcmp(at, "$End", 4) != 0) continue;
    if (memcmp(at + 4, name.at, name.size) != 0) continue;
    scan->at = at + 4 + name.size;
    return PL_OK;
  }
  return pl_scan_fail(scan, error, PL_E_PARSE,
                      "$End%.*s is missing; the file is cut off or damaged",
                      name.size < 80 ? (int)name.size : 80, name.at);
}

typedef struct section {
  const char *name;
  int version; /* 0: every version */
  pl_status (*read)(pl_gmsh *gmsh, pl_error *error);
} section;

static pl_status pass_partitions(pl_gmsh *gmsh, pl_error *error)
{
  (void)error;
  pl_log_write(gmsh->source->log, PL_WARNING,
               "%s: the mesh is partitioned; its physical groups are not read", gmsh->source->path);
  return PL_OK;
}

/* Lines behind a count: strings, or numbers that nobody asks for. */
static pl_status read_lines(pl_gmsh *gmsh, const char *what, pl_word *first, pl_error *error)
{
  int64_t count;
  pl_word line = {0};
  pl_status status = pl_scan_int(&gmsh->scan, what, &count, error);
  if (!status) status = pl_scan_claim(&gmsh->scan, what, count, 1000, 1, error);
  if (!status) pl_scan_line(&gmsh->scan, &line);
  for (int64_t i = 0; i < count && !status; i++) {
    pl_scan_line(&gmsh->scan, &line);
    if (i == 0) *first = line;
  }
  return status;
}

static pl_word trim(pl_word name)
{
  const char *out = "\"\r\n\t ";
  while (name.size && strchr(out, name.at[0])) name.at++, name.size--;
  while (name.size && strchr(out, name.at[name.size - 1])) name.size--;
  return name;
}

/* $ElementData: names, times, and the integers step, width and count, each behind their number;
 * then the number of each element and its values. Axes of the material are taken. */
static pl_status read_data(pl_gmsh *gmsh, pl_error *error)
{
  pl_word name = {0}, time;
  int64_t integers, step, width = 0, count = 0, number;
  pl_scan *scan = &gmsh->scan;
  pl_status status = read_lines(gmsh, "number of names", &name, error);
  if (!status) status = read_lines(gmsh, "number of times", &time, error);
  if (!status) status = pl_scan_int(scan, "number of integers", &integers, error);
  if (!status) status = pl_scan_int(scan, "time step", &step, error);
  if (!status) status = pl_scan_int(scan, "number of components", &width, error);
  if (!status) status = pl_scan_int(scan, "number of values", &count, error);
  int which = pl_draft_axis_named(trim(name));
  if (status || integers < 3 || width != 3 || which < 0) return status;
  for (int64_t i = 3; i < integers && !status; i++)
    status = pl_scan_int(scan, "integer", &step, error);
  if (!status) status = pl_gmsh_claim(gmsh, "values", count, PL_MOST_ELEMENTS, 1, 0, 3, error);
  if (!status && !gmsh->has_elements)
    status = pl_scan_fail(scan, error, PL_E_PARSE, "$ElementData must come behind $Elements");
  if (!status && gmsh->binary && scan->at < scan->end) scan->at++;
  for (int64_t i = 0; i < count && !status; i++) {
    double axis[3] = {0};
    status = pl_gmsh_int(gmsh, "number of an element", &number, error);
    for (int k = 0; k < 3 && !status; k++)
      status = pl_gmsh_double(gmsh, "axis of the material", &axis[k], error);
    if (!status) status = pl_draft_axis_number(gmsh->draft, scan, number, which, axis, error);
  }
  return status;
}

static const section sections[] = {
    {"PhysicalNames", 0, read_names},
    {"Entities", 4, pl_gmsh4_entities},
    {"PartitionedEntities", 4, pass_partitions},
    {"Nodes", 2, pl_gmsh2_nodes},
    {"Nodes", 4, pl_gmsh4_nodes},
    {"Elements", 2, pl_gmsh2_elements},
    {"Elements", 4, pl_gmsh4_elements},
    {"ElementData", 0, read_data},
};

static pl_status read_section(pl_gmsh *gmsh, pl_word name, int version, pl_error *error)
{
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const section *s = &sections[i];
    if ((s->version && s->version != version) || !pl_word_is(name, s->name)) continue;
    // in binary files the data begins right behind the line
    if (gmsh->binary) {
      pl_word rest;
      pl_scan_line(&gmsh->scan, &rest);
    }
    pl_status status = s->read(gmsh, error);
    if (!status && gmsh->has_elements && !gmsh->is_numbered) {
      gmsh->is_numbered = 1;
      if (gmsh->has_axes) status = pl_draft_elements_end(gmsh->draft, &gmsh->scan, error);
    }
    if (status) return status;
  }
  return pass_end(gmsh, name, error);
}

static pl_status read_sections(pl_gmsh *gmsh, pl_error *error)
{
  int version = 0;
  for (;;) {
    pl_word word = pl_scan_word(&gmsh->scan);
    if (!word.size) break;
    if (!version && !pl_word_is(word, "$MeshFormat"))
      return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                          "a Gmsh file of version 4.1 or 2.2 begins with $MeshFormat");
    if (word.at[0] != '$')
      return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                          "a section ($Nodes, $Elements, ...) should begin here");
    pl_word name = {word.at + 1, word.size - 1};
    pl_status status = PL_OK;
    if (!version) status = read_header(gmsh, &version, error);
    if (!status) status = read_section(gmsh, name, version, error);
    if (status) return status;
  }
  if (!version)
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                        "the file is empty; $MeshFormat is missing");
  if (!gmsh->has_elements)
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE, "the file has no $Elements");
  return PL_OK;
}

/* Has the file axes of the material? Then elements must be found by their numbers. */
static int has_axes(const pl_scan *scan)
{
  static const char name[] = "$ElementData";
  size_t size = sizeof name - 1;
  for (const char *at = scan->start; (at = memchr(at, '$', (size_t)(scan->end - at))); at++) {
    if ((size_t)(scan->end - at) < size || memcmp(at, name, size) != 0) continue;
    pl_gmsh ahead = {.scan = *scan};
    pl_word first = {0};
    ahead.scan.at = at + size;
    if (!read_lines(&ahead, "number of names", &first, NULL) &&
        pl_draft_axis_named(trim(first)) >= 0)
      return 1;
  }
  return 0;
}

static pl_status gmsh_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  pl_gmsh gmsh = {.source = source,
                  .scan = pl_scan_make(source->path, source->file.data, source->file.size)};
  pl_status status = pl_draft_create(source, source->file.size, &gmsh.draft, error);
  gmsh.has_axes = has_axes(&gmsh.scan);
  if (!status && gmsh.has_axes) pl_draft_number_elements(gmsh.draft);
  if (!status) status = read_sections(&gmsh, error);
  pl_free(source->allocator, gmsh.links);
  if (!status) return pl_draft_finish(gmsh.draft, mesh, error);
  pl_draft_destroy(gmsh.draft);
  return status;
}

/* ---- writing ---- */

void pl_gmsh_put_int(pl_gmsh_out *out, int value)
{
  int32_t number = value;
  if (out->binary)
    pl_text_bytes(&out->text, &number, sizeof number);
  else
    pl_text_add(&out->text, "%d ", value);
}

void pl_gmsh_put_size(pl_gmsh_out *out, uint64_t value)
{
  if (out->binary)
    pl_text_bytes(&out->text, &value, sizeof value);
  else
    pl_text_add(&out->text, "%llu ", (unsigned long long)value);
}

void pl_gmsh_put_doubles(pl_gmsh_out *out, const double *values, int count)
{
  if (out->binary) pl_text_bytes(&out->text, values, (size_t)count * sizeof *values);
  for (int i = 0; i < count && !out->binary; i++) {
    pl_text_number(&out->text, values[i]);
    pl_text_add(&out->text, " ");
  }
}

void pl_gmsh_put_line(pl_gmsh_out *out)
{
  if (out->binary) return;
  // the blank behind the last number becomes the line end
  if (!out->text.failed && out->text.size) out->text.data[out->text.size - 1] = '\n';
}

/* A name as it can stand between quotes on one line. */
static void put_name(pl_text *text, const char *name)
{
  for (; *name; name++) {
    char c = *name == '"' ? '\'' : (unsigned char)*name < 32 ? ' ' : *name;
    pl_text_bytes(text, &c, 1);
  }
}

static void put_header(pl_gmsh_out *out, const char *version)
{
  pl_text_add(&out->text, "$MeshFormat\n%s %d 8\n", version, out->binary);
  int32_t one = 1;
  if (out->binary) {
    pl_text_bytes(&out->text, &one, sizeof one);
    pl_text_add(&out->text, "\n");
  }
  pl_text_add(&out->text, "$EndMeshFormat\n");
  int count = pl_mesh_set_count(out->mesh);
  if (!count) return;
  pl_text_add(&out->text, "$PhysicalNames\n%d\n", count);
  for (int i = 0; i < count; i++) {
    const pl_set *set = pl_mesh_set(out->mesh, i);
    pl_text_add(&out->text, "%d %d \"", set->of_elements ? 3 : 0, i + 1);
    put_name(&out->text, set->name);
    pl_text_add(&out->text, "\"\n");
  }
  pl_text_add(&out->text, "$EndPhysicalNames\n");
}

enum { VERSION, ENCODING, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [VERSION] = {"version", "1", "version of the format", 0, 0, 1, .words = "4.1|2.2"},
    [ENCODING] = {"encoding", "1", "numbers as text or as bytes", 0, 0, 1, .words = "ascii|binary"},
};

static pl_status gmsh_write(const pl_snapshot *snapshot, const char *path, const double *values,
                            pl_error *error)
{
  int old = values[VERSION] > 0;
  const double *positions = snapshot->positions;
  pl_gmsh_out out = {.text = pl_text_make(NULL),
                     .mesh = snapshot->mesh,
                     .positions = positions ? positions : pl_mesh_nodes(snapshot->mesh),
                     .binary = values[ENCODING] > 0};
  put_header(&out, old ? "2.2" : "4.1");
  pl_status status = old ? pl_gmsh2_write(&out, error) : pl_gmsh4_write(&out, error);
  if (!status) status = pl_text_ok(&out.text, error);
  if (!status) status = pl_file_write_frame(path, out.text.data, out.text.size, error);
  pl_text_release(&out.text);
  return status;
}

const pl_format_ops pl_format_gmsh = {
    .info = PL_INFO("gmsh", "Gmsh meshes (.msh 2.2 and 4.1), physical groups as sets",
                    "Gmsh reference manual, MSH file format", params),
    .extensions = "msh",
    .read = gmsh_read,
    .write = gmsh_write,
};
