/* Nodes and elements of Gmsh 2.2. Text: every element is "number type tag-count tags nodes", where
 * the first tag is its physical group, 0 for none. Binary: elements come in blocks of one type and
 * tag count. An element in several groups is there several times, one copy behind the other. */
#include "io/gmsh.h"

#include "core/memory.h"

#include <limits.h>

pl_status pl_gmsh2_nodes(pl_gmsh *gmsh, pl_error *error)
{
  int64_t count, tag;
  double position[3];
  pl_word rest;
  if (pl_draft_has_nodes(gmsh->draft))
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE, "the file has a second $Nodes section");
  pl_status status = pl_scan_int(&gmsh->scan, "number of nodes", &count, error);
  if (!status && gmsh->binary) pl_scan_line(&gmsh->scan, &rest);
  if (!status) status = pl_gmsh_claim(gmsh, "nodes", count, PL_MOST_NODES, 1, 0, 3, error);
  if (!status) status = pl_draft_nodes(gmsh->draft, &gmsh->scan, count, 1, error);
  for (int64_t i = 0; !status && i < count; i++) {
    status = pl_gmsh_int(gmsh, "number of a node", &tag, error);
    for (int k = 0; !status && k < 3; k++)
      status = pl_gmsh_double(gmsh, "coordinate of a node", &position[k], error);
    if (!status) status = pl_draft_node(gmsh->draft, &gmsh->scan, tag, position, error);
  }
  return status ? status : pl_draft_nodes_end(gmsh->draft, &gmsh->scan, error);
}

/* The tags and nodes that close an element. */
static pl_status read_element(pl_gmsh *gmsh, const pl_gmsh_type *type, int64_t number,
                              int64_t tag_count, pl_error *error)
{
  int64_t physical = 0, tag, nodes[PL_GMSH_MOST_NODES];
  int32_t group = 0;
  pl_status status = PL_OK;
  for (int64_t i = 0; !status && i < tag_count; i++) {
    status = pl_gmsh_int(gmsh, "tag of an element", &tag, error);
    if (i == 0) physical = tag;
  }
  for (int i = 0; !status && i < type->nodes; i++)
    status = pl_gmsh_int(gmsh, "node of an element", &nodes[i], error);
  if (!status) status = pl_gmsh_group(gmsh, physical, &group, error);
  if (!status)
    status = pl_draft_element(gmsh->draft, &gmsh->scan, type->shape, number, nodes,
                              type->nodes > pl_shapes[type->shape].corners, error);
  if (!status && type->shape == PL_TET && type->nodes == 10)
    status = pl_draft_middles(gmsh->draft, nodes + 4, pl_gmsh_edges, error);
  return status || !group ? status : pl_draft_join(gmsh->draft, &gmsh->scan, group, error);
}

/* One block of a binary file or one line of a text: how many elements it held goes to count. */
static pl_status read_block(pl_gmsh *gmsh, int64_t max, int64_t *count, pl_error *error)
{
  int64_t number = 0, type_number, tag_count;
  const pl_gmsh_type *type;
  pl_status status = PL_OK;
  *count = 1;
  if (!gmsh->binary) status = pl_gmsh_int(gmsh, "number of an element", &number, error);
  if (!status) status = pl_gmsh_int(gmsh, "type of an element", &type_number, error);
  if (!status && gmsh->binary) status = pl_gmsh_int(gmsh, "size of a block", count, error);
  if (!status) status = pl_gmsh_int(gmsh, "number of tags", &tag_count, error);
  if (!status) status = pl_gmsh_type_find(gmsh, type_number, &type, error);
  if (!status) status = pl_gmsh_claim(gmsh, "tags", tag_count, INT_MAX, 1, 0, 0, error);
  if (!status && (*count < 1 || *count > max))
    status = pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                          "a block has %lld elements; between 1 and %lld are left to come",
                          (long long)*count, (long long)max);
  for (int64_t i = 0; !status && i < *count; i++) {
    if (gmsh->binary) status = pl_gmsh_int(gmsh, "number of an element", &number, error);
    if (!status) status = read_element(gmsh, type, number, tag_count, error);
  }
  return status;
}

pl_status pl_gmsh2_elements(pl_gmsh *gmsh, pl_error *error)
{
  int64_t count, done = 0, block;
  pl_word rest;
  if (!pl_draft_has_nodes(gmsh->draft))
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE, "$Elements must come behind $Nodes");
  gmsh->has_elements = 1;
  pl_status status = pl_scan_int(&gmsh->scan, "number of elements", &count, error);
  if (!status && gmsh->binary) pl_scan_line(&gmsh->scan, &rest);
  // the least element is a point: number and node (and, as text, type and tag count)
  if (!status)
    status =
        pl_gmsh_claim(gmsh, "elements", count, PL_MOST_ELEMENTS, gmsh->binary ? 2 : 4, 0, 0, error);
  for (; !status && done < count; done += block)
    status = read_block(gmsh, count - done, &block, error);
  return status;
}

/* ---- writing ---- */

/* The groups of every element, one list behind the other. */
typedef struct group_lists {
  int *starts; /* element_count + 1 */
  int *groups;
} group_lists;

static pl_status list_groups(const pl_mesh *mesh, const pl_allocator *allocator, group_lists *lists,
                             pl_error *error)
{
  int count = pl_mesh_element_count(mesh);
  int64_t total = 0;
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) total += pl_mesh_set(mesh, s)->count;
  if (total > INT_MAX - 1 - count)
    return pl_fail(error, PL_E_LIMIT, "the sets have %lld members; Gmsh 2.2 cannot hold them",
                   (long long)total);
  lists->starts = pl_alloc(allocator, (size_t)count + 2, sizeof *lists->starts);
  lists->groups = pl_alloc(allocator, (size_t)total, sizeof *lists->groups);
  if (!lists->starts || !lists->groups) return pl_fail_memory(error);
  int *next = lists->starts + 1;
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    for (int i = 0; set->of_elements && i < set->count; i++) next[set->ids[i] + 1]++;
  }
  for (int e = 0; e < count; e++) next[e + 1] += next[e];
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    for (int i = 0; set->of_elements && i < set->count; i++)
      lists->groups[next[set->ids[i]]++] = s + 1;
  }
  return PL_OK;
}

static void put_element(pl_gmsh_out *out, int *number, int type, int group, const int *nodes,
                        int node_count)
{
  pl_gmsh_put_int(out, ++*number);
  if (!out->binary) pl_gmsh_put_int(out, type);
  if (!out->binary) pl_gmsh_put_int(out, 2);
  // an entity of the geometry for every group, since Gmsh gives all of an entity to its groups
  pl_gmsh_put_int(out, group);
  pl_gmsh_put_int(out, group ? group : pl_mesh_set_count(out->mesh) + 1);
  for (int i = 0; i < node_count; i++) pl_gmsh_put_int(out, nodes[i] + 1);
  pl_gmsh_put_line(out);
}

static void put_block(pl_gmsh_out *out, int type, int count)
{
  if (!out->binary || !count) return;
  pl_gmsh_put_int(out, type);
  pl_gmsh_put_int(out, count);
  pl_gmsh_put_int(out, 2);
}

/* Nodes of the node sets as points, then the elements, once for every set they are in. */
static void put_elements(pl_gmsh_out *out, const group_lists *lists)
{
  const pl_mesh *mesh = out->mesh;
  pl_cells cells = pl_cells_of_mesh(mesh);
  int points = 0, copies = 0, number = 0;
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    if (!pl_mesh_set(mesh, s)->of_elements) points += pl_mesh_set(mesh, s)->count;
  }
  for (int e = 0; e < cells.plain; e++) {
    int groups = lists->starts[e + 1] - lists->starts[e];
    copies += groups ? groups : 1;
  }
  pl_text_add(&out->text, "$Elements\n%d\n", points + copies + cells.quads);
  put_block(out, 15, points);
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    for (int i = 0; !set->of_elements && i < set->count; i++)
      put_element(out, &number, 15, s + 1, &set->ids[i], 1);
  }
  for (int e = 0; e < cells.plain + cells.quads; e++) {
    pl_cell cell = pl_cell_at(&cells, e);
    int first = lists->starts[e], end = lists->starts[e + 1], type = pl_gmsh_type_of(cell);
    if (e == 0 || e == cells.plain) put_block(out, type, cell.is_quad ? cells.quads : copies);
    if (first == end) put_element(out, &number, type, 0, cell.nodes, cell.corners);
    for (int i = first; i < end; i++)
      put_element(out, &number, type, lists->groups[i], cell.nodes, cell.corners);
  }
  pl_text_add(&out->text, "%s$EndElements\n", out->binary ? "\n" : "");
}

pl_status pl_gmsh2_write(pl_gmsh_out *out, pl_error *error)
{
  int count = pl_mesh_node_count(out->mesh);
  pl_text_add(&out->text, "$Nodes\n%d\n", count);
  for (int i = 0; i < count; i++) {
    pl_gmsh_put_int(out, i + 1);
    pl_gmsh_put_doubles(out, out->positions + 3 * (size_t)i, 3);
    pl_gmsh_put_line(out);
  }
  pl_text_add(&out->text, "%s$EndNodes\n", out->binary ? "\n" : "");

  group_lists lists = {0};
  pl_status status = list_groups(out->mesh, &out->text.allocator, &lists, error);
  if (!status) put_elements(out, &lists);
  pl_free(&out->text.allocator, lists.groups);
  pl_free(&out->text.allocator, lists.starts);
  return status;
}
