/* TetGen's .node and .ele files: text, two files of one name. Si, TetGen user's manual,
 * section 5.2.
 *
 *   .node   count dimension attributes markers     then  number x y z attributes... marker
 *   .ele    count nodes-per-tet attributes         then  number nodes... attributes...
 *
 * '#' begins a comment. Numbering starts where the file starts it (0 or 1). The last attribute of a
 * tetrahedron is its region and gives the set "region-N", the marker of a node "marker-N"; 0 gives
 * none. Of a mesh's sets only those with such names are written, and where two share a node or
 * tetrahedron, the first. */
#include "io/tetgen.h"

#include "core/memory.h"
#include "io/numbered.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 1000, ORDER_2_NODES = 10, PATH_ROOM = 4096 };

/* ---- reading ---- */

static int more_on_line(pl_scan *scan)
{
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
    scan->at++;
  return scan->at < scan->end && *scan->at != '\n' && *scan->at != '#';
}

/* Goes to the next line that holds something else than a comment. */
static void to_content(pl_scan *scan)
{
  pl_word rest;
  while (!more_on_line(scan) && pl_scan_line(scan, &rest)) continue;
}

/* A number of the first line; those missing at its end are 0. */
static pl_status read_layout(pl_scan *scan, const char *what, int64_t max, int64_t *value,
                             pl_error *error)
{
  *value = 0;
  if (!more_on_line(scan)) return PL_OK;
  pl_status status = pl_scan_int(scan, what, value, error);
  if (!status && (*value < 0 || *value > max))
    status = pl_scan_fail(scan, error, PL_E_PARSE, "the %s is %lld; it must lie between 0 and %lld",
                          what, (long long)*value, (long long)max);
  return status;
}

/* The last of count numbers, as a group; 0 where it is none. */
static pl_status read_group(pl_scan *scan, const char *what, int64_t count, int32_t *group,
                            pl_error *error)
{
  double value = 0;
  pl_status status = PL_OK;
  for (int64_t i = 0; !status && i < count; i++) status = pl_scan_double(scan, what, &value, error);
  int whole = fabs(value) <= INT32_MAX && value == floor(value);
  *group = !status && whole ? (int32_t)value : 0;
  return status;
}

static pl_status read_nodes(pl_draft *draft, pl_scan *scan, pl_error *error)
{
  int64_t count, dimension, attributes, markers, tag;
  to_content(scan);
  pl_status status = pl_scan_int(scan, "number of nodes", &count, error);
  if (!status) status = read_layout(scan, "dimension", 3, &dimension, error);
  if (!status)
    status = read_layout(scan, "number of attributes", MOST_ATTRIBUTES, &attributes, error);
  if (!status) status = read_layout(scan, "number of markers", 1, &markers, error);
  if (!status && dimension != 3)
    status = pl_scan_fail(scan, error, PL_E_PARSE, "the dimension is %lld; it must be 3",
                          (long long)dimension);
  if (!status) status = pl_scan_claim(scan, "nodes", count, PL_MOST_NODES, 8, error);
  if (!status) status = pl_draft_nodes(draft, scan, count, 1, error);
  for (int64_t i = 0; !status && i < count; i++) {
    double position[3];
    int32_t group = 0;
    to_content(scan);
    status = pl_scan_int(scan, "number of a node", &tag, error);
    for (int k = 0; !status && k < 3; k++)
      status = pl_scan_double(scan, "coordinate of a node", &position[k], error);
    if (!status) status = read_group(scan, "attribute of a node", attributes, &group, error);
    if (!status) status = read_group(scan, "marker of a node", markers, &group, error);
    if (!status) status = pl_draft_node(draft, scan, tag, position, error);
    if (!status && group) status = pl_draft_join_node(draft, scan, group, (int)i, error);
  }
  return status ? status : pl_draft_nodes_end(draft, scan, error);
}

static pl_status read_tets(pl_draft *draft, pl_scan *scan, pl_error *error)
{
  int64_t count, corners, attributes, number, tags[ORDER_2_NODES];
  to_content(scan);
  pl_status status = pl_scan_int(scan, "number of tetrahedra", &count, error);
  if (!status) status = read_layout(scan, "number of nodes per tetrahedron", 10, &corners, error);
  if (!status)
    status = read_layout(scan, "number of attributes", MOST_ATTRIBUTES, &attributes, error);
  if (!status && corners != 4 && corners != ORDER_2_NODES)
    status = pl_scan_fail(scan, error, PL_E_PARSE,
                          "the number of nodes per tetrahedron is %lld; it must be 4 or 10",
                          (long long)corners);
  if (!status) status = pl_scan_claim(scan, "tetrahedra", count, PL_MOST_ELEMENTS, 10, error);
  for (int64_t i = 0; !status && i < count; i++) {
    int32_t group = 0;
    to_content(scan);
    status = pl_scan_int(scan, "number of a tetrahedron", &number, error);
    for (int64_t k = 0; !status && k < corners; k++)
      status = pl_scan_int(scan, "node of a tetrahedron", &tags[k], error);
    if (!status) status = read_group(scan, "attribute of a tetrahedron", attributes, &group, error);
    if (!status) status = pl_draft_element(draft, scan, PL_TET, number, tags, corners > 4, error);
    if (!status && group) status = pl_draft_join(draft, scan, group, error);
  }
  return status;
}

pl_status pl_tetgen_parse(const pl_source *nodes, const pl_source *elements, pl_mesh **mesh,
                          pl_error *error)
{
  pl_draft *draft;
  pl_scan scan = pl_scan_make(nodes->path, nodes->file.data, nodes->file.size);
  pl_status status =
      pl_draft_create(elements, nodes->file.size + elements->file.size, &draft, error);
  if (status) return status;
  pl_numbered_prefixes(draft);
  status = read_nodes(draft, &scan, error);
  scan = pl_scan_make(elements->path, elements->file.data, elements->file.size);
  if (!status) status = read_tets(draft, &scan, error);
  if (!status) return pl_draft_finish(draft, mesh, error);
  pl_draft_destroy(draft);
  return status;
}

/* The path with another ending. */
static pl_status sibling_path(const char *path, const char *extension, char buffer[PATH_ROOM],
                              pl_error *error)
{
  size_t stem = strlen(path) - strlen(pl_path_extension(path));
  if (stem + strlen(extension) >= PATH_ROOM)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "the path is too long");
  memcpy(buffer, path, stem);
  memcpy(buffer + stem, extension, strlen(extension) + 1);
  return PL_OK;
}

static pl_status tetgen_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  char path[PATH_ROOM];
  int given_nodes = strcmp(pl_path_extension(source->path), "node") == 0;
  pl_status status = sibling_path(source->path, given_nodes ? "ele" : "node", path, error);
  if (status) return status;
  pl_source other = {.path = path, .allocator = source->allocator, .log = source->log};
  status = pl_file_read(other.allocator, path, 0, &other.file, error);
  if (!status)
    status = given_nodes ? pl_tetgen_parse(source, &other, mesh, error)
                         : pl_tetgen_parse(&other, source, mesh, error);
  pl_bytes_free(other.allocator, &other.file);
  return status;
}

/* ---- writing ---- */

static void put_nodes(pl_text *text, const pl_snapshot *snapshot, const int *markers)
{
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  pl_text_add(text, "%d 3 0 %d\n", pl_mesh_node_count(mesh), markers != NULL);
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    pl_text_add(text, "%d", i + 1);
    for (int k = 0; k < 3; k++) {
      pl_text_add(text, " ");
      pl_text_number(text, positions[3 * (size_t)i + (size_t)k]);
    }
    if (markers) pl_text_add(text, " %d", markers[i]);
    pl_text_add(text, "\n");
  }
}

static void put_tets(pl_text *text, const pl_mesh *mesh, const int *regions)
{
  const int *nodes = pl_mesh_elements(mesh);
  pl_text_add(text, "%d 4 %d\n", pl_mesh_element_count(mesh), regions != NULL);
  for (int i = 0; i < pl_mesh_element_count(mesh); i++, nodes += 4) {
    pl_text_add(text, "%d %d %d %d %d", i + 1, nodes[0] + 1, nodes[1] + 1, nodes[2] + 1,
                nodes[3] + 1);
    if (regions) pl_text_add(text, " %d", regions[i]);
    pl_text_add(text, "\n");
  }
}

static pl_status write_text(const pl_text *text, const char *path, const char *extension,
                            pl_error *error)
{
  char name[PATH_ROOM];
  pl_status status = pl_text_ok(text, error);
  if (!status) status = sibling_path(path, extension, name, error);
  return status ? status : pl_file_write_frame(name, text->data, text->size, error);
}

static pl_status tetgen_write(const pl_snapshot *snapshot, const char *path, const double *values,
                              pl_error *error)
{
  (void)values;
  const pl_mesh *mesh = snapshot->mesh;
  if (pl_mesh_nodes_per_element(mesh) != 4)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                      "TetGen files hold nothing but tetrahedra; use .vtu or .msh");
  pl_text nodes = pl_text_make(NULL), tets = pl_text_make(NULL);
  int *markers = NULL, *regions = NULL;
  pl_status status = pl_numbered_items(mesh, &nodes.allocator, 0, &markers, error);
  if (!status) status = pl_numbered_items(mesh, &nodes.allocator, 1, &regions, error);
  if (!status) {
    put_nodes(&nodes, snapshot, markers);
    put_tets(&tets, mesh, regions);
    status = write_text(&nodes, path, "node", error);
  }
  if (!status) status = write_text(&tets, path, "ele", error);
  pl_free(&nodes.allocator, markers);
  pl_free(&nodes.allocator, regions);
  pl_text_release(&nodes);
  pl_text_release(&tets);
  return status;
}

const pl_format_ops pl_format_tetgen = {
    .info = {.name = "tetgen",
             .summary = "TetGen meshes (.node and .ele), regions and markers as sets",
             .source = "TetGen user's manual, 5.2"},
    .extensions = "node|ele",
    .read = tetgen_read,
    .write = tetgen_write,
    .keeps = pl_numbered_keeps,
};
