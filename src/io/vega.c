/* Vega FEM's .veg files: text, sections that begin with '*'. Sin, Schroeder, Barbic, "Vega:
 * non-linear FEM deformable object simulator", 2013; its user's manual, "Simulation mesh formats".
 *
 *   *VERTICES    count 3 0 0              then  number x y z
 *   *ELEMENTS    TET or CUBIC (or TETS)   count nodes 0     then  number nodes...
 *   *SET name    element numbers, separated by commas
 *
 * '#' begins a comment. Numbering starts where the file starts it (0 or 1). Materials and regions
 * are passed over: bodies get their material from the scene. Sets hold elements; those of nodes
 * cannot be written. */
#include "io/draft.h"

#include <string.h>

typedef struct reader {
  pl_draft *draft;
  pl_scan scan;
  int32_t sets;
  int has_elements;
} reader;

static pl_status read_vertices(reader *r, pl_error *error)
{
  int64_t count = 0, tag = 0;
  pl_scan line;
  pl_scan_telling_line(&r->scan, &line);
  pl_scan ahead = line;
  if (pl_word_like(pl_scan_word(&ahead), "*INCLUDE"))
    return pl_scan_fail(&line, error, PL_E_UNSUPPORTED,
                        "the vertices lie in another file; copy them into this one");
  pl_status status = pl_scan_int(&line, "number of vertices", &count, error);
  if (!status && pl_draft_has_nodes(r->draft))
    status = pl_scan_fail(&line, error, PL_E_PARSE, "there are *VERTICES twice");
  if (!status) status = pl_scan_claim(&r->scan, "vertices", count, PL_MOST_NODES, 8, error);
  if (!status) status = pl_draft_nodes(r->draft, &line, count, 1, error);
  for (int64_t i = 0; !status && i < count; i++) {
    double position[3];
    pl_scan_telling_line(&r->scan, &line);
    status = pl_scan_int(&line, "number of a vertex", &tag, error);
    for (int k = 0; !status && k < 3; k++)
      status = pl_scan_double(&line, "coordinate of a vertex", &position[k], error);
    if (!status) status = pl_draft_node(r->draft, &line, tag, position, error);
  }
  return status ? status : pl_draft_nodes_end(r->draft, &line, error);
}

static pl_status read_elements(reader *r, pl_error *error)
{
  int64_t count = 0, corners = 0, number = 0, tags[8];
  pl_scan line;
  pl_scan_telling_line(&r->scan, &line);
  pl_word kind = pl_scan_word(&line);
  int hex = pl_word_like(kind, "CUBIC");
  if (!hex && !pl_word_like(kind, "TET") && !pl_word_like(kind, "TETS"))
    return pl_scan_fail(&line, error, PL_E_PARSE, "the kind of elements must be TET or CUBIC");
  if (!pl_draft_has_nodes(r->draft) || r->has_elements)
    return pl_scan_fail(&line, error, PL_E_PARSE, "*ELEMENTS must come once, behind *VERTICES");
  pl_scan_telling_line(&r->scan, &line);
  pl_status status = pl_scan_int(&line, "number of elements", &count, error);
  if (!status) status = pl_scan_int(&line, "number of nodes per element", &corners, error);
  if (!status && corners != (hex ? 8 : 4))
    return pl_scan_fail(&line, error, PL_E_PARSE,
                        "the number of nodes per element is %lld; it must be %d",
                        (long long)corners, hex ? 8 : 4);
  if (!status) status = pl_scan_claim(&r->scan, "elements", count, PL_MOST_ELEMENTS, 10, error);
  for (int64_t i = 0; !status && i < count; i++) {
    pl_scan_telling_line(&r->scan, &line);
    status = pl_scan_int(&line, "number of an element", &number, error);
    for (int k = 0; !status && k < (int)corners; k++)
      status = pl_scan_int(&line, "node of an element", &tags[k], error);
    if (!status)
      status = pl_draft_element(r->draft, &line, hex ? PL_HEX : PL_TET, number, tags, 0, error);
  }
  r->has_elements = 1;
  return status ? status : pl_draft_elements_end(r->draft, &line, error);
}

/* Element numbers with commas between them, up to the next section. */
static pl_status read_set(reader *r, pl_word name, pl_error *error)
{
  pl_scan line;
  int32_t group = ++r->sets;
  if (!r->has_elements)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "*SET must come behind *ELEMENTS");
  pl_status status = pl_draft_name(r->draft, &r->scan, 3, group, name, error);
  for (pl_scan before = r->scan; !status && pl_scan_telling_line(&r->scan, &line);
       before = r->scan) {
    pl_scan ahead = line;
    if (*pl_scan_word(&ahead).at == '*') {
      r->scan = before;
      break;
    }
    while (!status && line.at < line.end) {
      // one number up to the next comma or blank
      if (strchr(", \t\r", *line.at)) {
        line.at++;
        continue;
      }
      pl_scan word = line;
      while (line.at < line.end && !strchr(", \t\r", *line.at)) line.at++;
      word.end = line.at;
      int64_t number;
      status = pl_scan_int(&word, "number of an element", &number, error);
      if (!status) status = pl_draft_join_number(r->draft, &line, 3, group, number, error);
    }
  }
  return status;
}

static pl_status read_sections(reader *r, pl_error *error)
{
  pl_scan line;
  pl_status status = PL_OK;
  while (!status && pl_scan_telling_line(&r->scan, &line)) {
    pl_word word = pl_scan_word(&line), name = pl_scan_word(&line);
    if (name.size) {
      // all of the line, without blanks at its end
      const char *end = line.end;
      while (end > name.at && strchr(" \t\r", end[-1])) end--;
      name.size = (size_t)(end - name.at);
    }
    if (pl_word_like(word, "*VERTICES"))
      status = read_vertices(r, error);
    else if (pl_word_like(word, "*ELEMENTS"))
      status = read_elements(r, error);
    else if (pl_word_like(word, "*SET"))
      status = read_set(r, name, error);
    else if (pl_word_like(word, "*INCLUDE"))
      return pl_scan_fail(&line, error, PL_E_UNSUPPORTED,
                          "another file is included; copy it into this one");
    else if (!pl_draft_has_nodes(r->draft) && *word.at != '*')
      return pl_scan_fail(&line, error, PL_E_PARSE,
                          "begins with no section such as *VERTICES; is it a Vega file?");
  }
  if (!status && !r->has_elements)
    status = pl_scan_fail(&r->scan, error, PL_E_PARSE, "has no *ELEMENTS; it is cut off");
  return status;
}

static pl_status vega_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  reader r = {.scan = pl_scan_make(source->path, source->file.data, source->file.size)};
  pl_status status = pl_draft_create(source, source->file.size, &r.draft, error);
  if (status) return status;
  pl_draft_number_elements(r.draft);
  status = read_sections(&r, error);
  if (!status) return pl_draft_finish(r.draft, mesh, error);
  pl_draft_destroy(r.draft);
  return status;
}

/* ---- writing ---- */

static void put_mesh(pl_text *text, const pl_snapshot *snapshot)
{
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  const int *nodes = pl_mesh_elements(mesh);
  int corners = pl_mesh_nodes_per_element(mesh);
  pl_text_add(text, "# in m\n*VERTICES\n%d 3 0 0\n", pl_mesh_node_count(mesh));
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    pl_text_add(text, "%d", i + 1);
    for (int k = 0; k < 3; k++) {
      pl_text_add(text, " ");
      pl_text_number(text, positions[3 * (size_t)i + (size_t)k]);
    }
    pl_text_add(text, "\n");
  }
  pl_text_add(text, "\n*ELEMENTS\n%s\n%d %d 0\n", corners == 4 ? "TET" : "CUBIC",
              pl_mesh_element_count(mesh), corners);
  for (int i = 0; i < pl_mesh_element_count(mesh); i++) {
    pl_text_add(text, "%d", i + 1);
    for (int k = 0; k < corners; k++) pl_text_add(text, " %d", *nodes++ + 1);
    pl_text_add(text, "\n");
  }
}

static void put_sets(pl_text *text, const pl_mesh *mesh)
{
  // Vega wants a material for every element
  pl_text_add(text, "\n*MATERIAL body\nENU, 1000, 1e6, 0.45\n\n*REGION\nallElements, body\n");
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    if (!set->of_elements) continue;
    pl_text_add(text, "\n*SET %s\n", set->name);
    for (int i = 0; i < set->count; i++)
      pl_text_add(text, "%d%s", set->ids[i] + 1,
                  i + 1 == set->count ? "\n"
                  : i % 8 == 7        ? ",\n"
                                      : ", ");
  }
}

static pl_status vega_write(const pl_snapshot *snapshot, const char *path, const double *values,
                            pl_error *error)
{
  (void)values;
  if (pl_mesh_nodes_per_element(snapshot->mesh) <= 3)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                      "Vega files hold tetrahedra or hexahedra, no %s; use .vtu or .obj",
                      pl_mesh_shape_name(snapshot->mesh));
  pl_text text = pl_text_make(NULL);
  put_mesh(&text, snapshot);
  put_sets(&text, snapshot->mesh);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

static int keeps(const pl_set *set) { return set->of_elements; }

const pl_format_ops pl_format_vega = {
    .info = {.name = "vega",
             .summary = "Vega FEM meshes (.veg) with sets of elements",
             .source = "Vega FEM user's manual"},
    .extensions = "veg",
    .read = vega_read,
    .write = vega_write,
    .keeps = keeps,
};
