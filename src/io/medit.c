/* Medit's .mesh files: text, keywords with a count and that many rows. Frey, "MEDIT: an interactive
 * mesh visualization software", INRIA RT-0253, 2001.
 *
 *   MeshVersionFormatted 2   Dimension 3   Vertices N   x y z marker   Tetrahedra M   a b c d
 * region
 *
 * Nodes count from 1, '#' begins a comment, keywords may stand on one line with their counts. The
 * marker of a vertex gives the set "marker-N", the reference of a cell "region-N", that of a
 * triangle or quadrilateral the node set "surface-N", of an edge "edge-N"; 0 gives none. Of a
 * mesh's sets only the first two kinds are written. */
#include "io/numbered.h"

#include "core/memory.h"
#include "io/cells.h"

#include <string.h>

/* The keyword's rows: a shape, and how many of its nodes a row names. */
typedef struct section {
  const char *name;
  pl_cell_shape shape;
  int nodes;
} section;

static const section sections[] = {
    {"Tetrahedra", PL_TET, 4},       {"TetrahedraP2", PL_TET, 10},   {"Hexahedra", PL_HEX, 8},
    {"Prisms", PL_PRISM, 6},         {"Pyramids", PL_PYRAMID, 5},    {"Triangles", PL_TRIANGLE, 3},
    {"TrianglesP2", PL_TRIANGLE, 6}, {"Quadrilaterals", PL_QUAD, 4}, {"Edges", PL_LINE, 2},
};

/* The next word that is no comment. */
static pl_word next_word(pl_scan *scan)
{
  for (;;) {
    pl_word word = pl_scan_word(scan), rest;
    if (!word.size || word.at[0] != '#') return word;
    scan->at = word.at;
    pl_scan_line(scan, &rest);
  }
}

/* Goes to the next word that is no comment, for numbers. */
static void to_word(pl_scan *scan)
{
  pl_word word = next_word(scan);
  scan->at = word.at;
}

static pl_status read_whole(pl_scan *scan, const char *what, int64_t *value, pl_error *error)
{
  to_word(scan);
  return pl_scan_int(scan, what, value, error);
}

/* A reference as a group: 0, or a number that does not fit, is none. */
static int32_t group_of(int64_t reference)
{
  return reference >= -INT32_MAX && reference <= INT32_MAX ? (int32_t)reference : 0;
}

static pl_status read_vertices(pl_draft *draft, pl_scan *scan, pl_error *error)
{
  int64_t count = 0, reference = 0;
  pl_status status = read_whole(scan, "number of vertices", &count, error);
  if (!status && pl_draft_has_nodes(draft))
    status = pl_scan_fail(scan, error, PL_E_PARSE, "there are Vertices twice");
  if (!status) status = pl_scan_claim(scan, "vertices", count, PL_MOST_NODES, 8, error);
  if (!status) status = pl_draft_nodes(draft, scan, count, 1, error);
  for (int64_t i = 0; !status && i < count; i++) {
    double position[3];
    for (int k = 0; !status && k < 3; k++) {
      to_word(scan);
      status = pl_scan_double(scan, "coordinate of a vertex", &position[k], error);
    }
    if (!status) status = read_whole(scan, "reference of a vertex", &reference, error);
    if (!status) status = pl_draft_node(draft, scan, i + 1, position, error);
    int32_t group = group_of(reference);
    if (!status && group) status = pl_draft_join_node(draft, scan, group, (int)i, error);
  }
  return status ? status : pl_draft_nodes_end(draft, scan, error);
}

static pl_status read_cells(pl_draft *draft, pl_scan *scan, const section *of, pl_error *error)
{
  int64_t count = 0, reference = 0, tags[10];
  pl_status status = read_whole(scan, "number of elements", &count, error);
  if (!status && !pl_draft_has_nodes(draft))
    status = pl_scan_fail(scan, error, PL_E_PARSE, "%s must come behind Vertices", of->name);
  if (!status)
    status = pl_scan_claim(scan, of->name, count, PL_MOST_ELEMENTS, 2 * (size_t)of->nodes, error);
  for (int64_t i = 0; !status && i < count; i++) {
    for (int k = 0; !status && k < of->nodes; k++)
      status = read_whole(scan, "vertex of an element", &tags[k], error);
    if (!status) status = read_whole(scan, "reference of an element", &reference, error);
    int reduced = of->nodes > pl_shapes[of->shape].corners;
    if (!status) status = pl_draft_element(draft, scan, of->shape, i + 1, tags, reduced, error);
    int32_t group = group_of(reference);
    if (!status && group) status = pl_draft_join(draft, scan, group, error);
  }
  return status;
}

static int is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* One keyword with what belongs to it; rows of unknown ones are passed over. ended: it was End. */
static pl_status read_section(pl_draft *draft, pl_scan *scan, pl_word word, int *ended,
                              pl_error *error)
{
  int64_t value = 0;
  *ended = pl_word_is(word, "End");
  if (*ended) return PL_OK;
  if (pl_word_is(word, "Vertices")) return read_vertices(draft, scan, error);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    if (pl_word_is(word, sections[i].name)) return read_cells(draft, scan, &sections[i], error);
  }
  if (pl_word_is(word, "Dimension")) {
    pl_status status = read_whole(scan, "dimension", &value, error);
    if (!status && value != 3)
      status = pl_scan_fail(scan, error, PL_E_UNSUPPORTED, "the dimension is %lld; it must be 3",
                            (long long)value);
    return status;
  }
  if (!is_letter(word.at[0]))
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "a keyword such as Vertices is expected; the count before is wrong?");
  for (pl_word next = next_word(scan); next.size; next = next_word(scan)) {
    if (!is_letter(next.at[0])) continue;
    scan->at = next.at;
    break;
  }
  return PL_OK;
}

static pl_status read_sections(pl_draft *draft, pl_scan *scan, pl_error *error)
{
  int ended = 0;
  pl_word word = next_word(scan);
  if (!pl_word_is(word, "MeshVersionFormatted"))
    return pl_scan_fail(scan, error, PL_E_PARSE,
                        "begins with no \"MeshVersionFormatted\"; is it a Medit file?");
  pl_status status = PL_OK;
  for (; !status && word.size && !ended; word = ended ? word : next_word(scan))
    status = read_section(draft, scan, word, &ended, error);
  if (!status && !ended)
    status = pl_scan_fail(scan, error, PL_E_PARSE, "ends without \"End\"; it is cut off");
  return status;
}

static pl_status medit_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  pl_draft *draft;
  pl_scan scan = pl_scan_make(source->path, source->file.data, source->file.size);
  pl_status status = pl_draft_create(source, source->file.size, &draft, error);
  if (status) return status;
  pl_numbered_prefixes(draft);
  pl_draft_prefix(draft, 1, "edge");
  pl_draft_prefix(draft, 2, "surface");
  status = read_sections(draft, &scan, error);
  if (!status) return pl_draft_finish(draft, mesh, error);
  pl_draft_destroy(draft);
  return status;
}

/* ---- writing ---- */

static void put_vertices(pl_text *text, const pl_snapshot *snapshot, const int *markers)
{
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  pl_text_add(text, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n",
              pl_mesh_node_count(mesh));
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    for (int k = 0; k < 3; k++) {
      pl_text_number(text, positions[3 * (size_t)i + (size_t)k]);
      pl_text_add(text, " ");
    }
    pl_text_add(text, "%d\n", markers ? markers[i] : 0);
  }
}

/* Cells of one kind, the first of them at a place in the list. */
static void put_kind(pl_text *text, const pl_cells *cells, const char *name, int first, int count,
                     const int *regions)
{
  if (count) pl_text_add(text, "%s\n%d\n", name, count);
  for (int i = first; i < first + count; i++) {
    pl_cell cell = pl_cell_at(cells, i);
    for (int k = 0; k < cell.corners; k++) pl_text_add(text, "%d ", cell.nodes[k] + 1);
    pl_text_add(text, "%d\n", regions ? regions[i] : 0);
  }
}

static void put_cells(pl_text *text, const pl_mesh *mesh, const int *regions)
{
  int corners = pl_mesh_nodes_per_element(mesh);
  pl_cells cells = pl_cells_of_mesh(mesh);
  const char *name = corners == 2   ? "Edges"
                     : corners == 3 ? "Triangles"
                     : corners == 4 ? "Tetrahedra"
                                    : "Hexahedra";
  put_kind(text, &cells, name, 0, cells.plain, regions);
  put_kind(text, &cells, "Quadrilaterals", cells.plain, cells.quads, regions);
  pl_text_add(text, "End\n");
}

static pl_status medit_write(const pl_snapshot *snapshot, const char *path, const double *values,
                             pl_error *error)
{
  (void)values;
  pl_text text = pl_text_make(NULL);
  int *markers = NULL, *regions = NULL;
  pl_status status = pl_numbered_items(snapshot->mesh, &text.allocator, 0, &markers, error);
  if (!status) status = pl_numbered_items(snapshot->mesh, &text.allocator, 1, &regions, error);
  if (!status) {
    put_vertices(&text, snapshot, markers);
    put_cells(&text, snapshot->mesh, regions);
    status = pl_text_ok(&text, error);
  }
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_free(&text.allocator, markers);
  pl_free(&text.allocator, regions);
  pl_text_release(&text);
  return status;
}

const pl_format_ops pl_format_medit = {
    .info = {.name = "medit",
             .summary = "Medit meshes (.mesh), references as sets",
             .source = "Frey, INRIA RT-0253, 2001"},
    .extensions = "mesh",
    .read = medit_read,
    .write = medit_write,
    .keeps = pl_numbered_keeps,
};
