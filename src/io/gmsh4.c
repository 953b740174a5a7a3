/* Entities, nodes and elements of Gmsh 4.1. Nodes and elements come in blocks, each on one entity
 * of the geometry; an entity names the physical groups it is in. Every combination of sets that
 * occurs in a mesh is written as one entity. */
#include "io/gmsh.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>

static uint64_t entity_code(int64_t dimension, int64_t tag)
{
  return (uint64_t)dimension << 32 | (uint32_t)tag;
}

static int compare_links(const void *a, const void *b)
{
  const pl_gmsh_link *s = a, *t = b;
  if (s->entity != t->entity) return s->entity < t->entity ? -1 : 1;
  return (s->group > t->group) - (s->group < t->group);
}

/* ---- entities ---- */

static pl_status add_link(pl_gmsh *gmsh, uint64_t entity, int64_t tag, pl_error *error)
{
  int32_t group = 0;
  pl_status status = pl_gmsh_group(gmsh, tag, &group, error);
  if (status) return status;
  void *links = gmsh->links;
  if (pl_reserve(gmsh->source->allocator, &links, &gmsh->link_room, gmsh->link_count + 1,
                 sizeof *gmsh->links))
    return pl_fail_memory(error);
  gmsh->links = links;
  gmsh->links[gmsh->link_count++] = (pl_gmsh_link){entity, group};
  return PL_OK;
}

/* "tag box physical-count physicals boundary-count boundaries"; a point has a place and no
 * boundary. */
static pl_status read_entity(pl_gmsh *gmsh, int dimension, pl_error *error)
{
  int64_t tag, count, number;
  double place;
  pl_status status = pl_gmsh_int(gmsh, "tag of an entity", &tag, error);
  for (int i = 0; !status && i < (dimension ? 6 : 3); i++)
    status = pl_gmsh_double(gmsh, "place of an entity", &place, error);
  if (!status) status = pl_gmsh_size(gmsh, "number of physical tags", &count, error);
  for (int64_t i = 0; !status && i < count; i++) {
    status = pl_gmsh_int(gmsh, "physical tag", &number, error);
    if (!status) status = add_link(gmsh, entity_code(dimension, tag), number, error);
  }
  if (status || !dimension) return status;
  status = pl_gmsh_size(gmsh, "number of boundary entities", &count, error);
  for (int64_t i = 0; !status && i < count; i++)
    status = pl_gmsh_int(gmsh, "tag of a boundary entity", &number, error);
  return status;
}

pl_status pl_gmsh4_entities(pl_gmsh *gmsh, pl_error *error)
{
  if (gmsh->has_elements || gmsh->links)
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                        "$Entities must come once and before $Elements");
  int64_t counts[4];
  pl_status status = PL_OK;
  for (int d = 0; !status && d < 4; d++) {
    status = pl_gmsh_size(gmsh, "number of entities", &counts[d], error);
    if (!status)
      status = pl_gmsh_claim(gmsh, "entities", counts[d], INT_MAX, 1, 1, d ? 6 : 3, error);
  }
  for (int d = 0; !status && d < 4; d++) {
    for (int64_t i = 0; !status && i < counts[d]; i++) status = read_entity(gmsh, d, error);
  }
  if (!status && gmsh->link_count)
    qsort(gmsh->links, gmsh->link_count, sizeof *gmsh->links, compare_links);
  return status;
}

/* The links of an entity: first of them, and how many. */
static size_t find_links(const pl_gmsh *gmsh, uint64_t entity, const pl_gmsh_link **first)
{
  size_t low = 0, high = gmsh->link_count, count = 0;
  if (!high) return 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (gmsh->links[middle].entity < entity)
      low = middle + 1;
    else
      high = middle;
  }
  *first = gmsh->links + low;
  while (low + count < gmsh->link_count && gmsh->links[low + count].entity == entity) count++;
  return count;
}

/* ---- nodes ---- */

/* What opens a block: dimension and tag of its entity, a flag or an element type, a count. */
typedef struct block_head {
  int64_t dimension, tag, kind, count;
} block_head;

static pl_status read_head(pl_gmsh *gmsh, block_head *head, pl_error *error)
{
  pl_status status = pl_gmsh_int(gmsh, "dimension of a block", &head->dimension, error);
  if (!status) status = pl_gmsh_int(gmsh, "entity of a block", &head->tag, error);
  if (!status) status = pl_gmsh_int(gmsh, "kind of a block", &head->kind, error);
  if (!status) status = pl_gmsh_size(gmsh, "size of a block", &head->count, error);
  if (!status && (head->dimension < 0 || head->dimension > 3))
    status = pl_scan_fail(&gmsh->scan, error, PL_E_PARSE,
                          "the dimension %lld of a block must lie between 0 and 3",
                          (long long)head->dimension);
  return status;
}

/* All tags of the block come before all positions: a second cursor walks along the tags. */
static pl_status read_node_block(pl_gmsh *gmsh, pl_error *error)
{
  block_head head;
  int64_t tag;
  double position[3], parameter;
  pl_status status = read_head(gmsh, &head, error);
  if (status) return status;
  int parameters = head.kind ? (int)head.dimension : 0;
  status =
      pl_gmsh_claim(gmsh, "nodes", head.count, PL_MOST_NODES, 0, 1, 3 + (size_t)parameters, error);
  pl_gmsh tags = *gmsh;
  for (int64_t i = 0; !status && i < head.count; i++)
    status = pl_gmsh_size(gmsh, "tag of a node", &tag, error);
  for (int64_t i = 0; !status && i < head.count; i++) {
    status = pl_gmsh_size(&tags, "tag of a node", &tag, error);
    for (int k = 0; !status && k < 3; k++)
      status = pl_gmsh_double(gmsh, "coordinate of a node", &position[k], error);
    for (int k = 0; !status && k < parameters; k++)
      status = pl_gmsh_double(gmsh, "parameter of a node", &parameter, error);
    if (!status) status = pl_draft_node(gmsh->draft, &gmsh->scan, tag, position, error);
  }
  return status;
}

/* "blocks total least-tag largest-tag" */
static pl_status read_totals(pl_gmsh *gmsh, int64_t *blocks, int64_t *total, pl_error *error)
{
  int64_t tag;
  pl_status status = pl_gmsh_size(gmsh, "number of blocks", blocks, error);
  if (!status) status = pl_gmsh_size(gmsh, "total of the blocks", total, error);
  if (!status) status = pl_gmsh_size(gmsh, "least tag", &tag, error);
  if (!status) status = pl_gmsh_size(gmsh, "largest tag", &tag, error);
  if (!status) status = pl_gmsh_claim(gmsh, "blocks", *blocks, INT64_MAX, 3, 1, 0, error);
  return status;
}

pl_status pl_gmsh4_nodes(pl_gmsh *gmsh, pl_error *error)
{
  int64_t blocks, total;
  if (pl_draft_has_nodes(gmsh->draft))
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE, "the file has a second $Nodes section");
  pl_status status = read_totals(gmsh, &blocks, &total, error);
  if (!status) status = pl_gmsh_claim(gmsh, "nodes", total, PL_MOST_NODES, 0, 1, 3, error);
  if (!status) status = pl_draft_nodes(gmsh->draft, &gmsh->scan, total, 1, error);
  for (int64_t i = 0; !status && i < blocks; i++) status = read_node_block(gmsh, error);
  return status ? status : pl_draft_nodes_end(gmsh->draft, &gmsh->scan, error);
}

/* ---- elements ---- */

static pl_status read_element_block(pl_gmsh *gmsh, pl_error *error)
{
  block_head head;
  const pl_gmsh_type *type = NULL;
  const pl_gmsh_link *links = NULL;
  pl_status status = read_head(gmsh, &head, error);
  if (!status) status = pl_gmsh_type_find(gmsh, head.kind, &type, error);
  if (!status)
    status = pl_gmsh_claim(gmsh, "elements", head.count, PL_MOST_ELEMENTS, 0,
                           1 + (size_t)type->nodes, 0, error);
  if (status) return status;
  size_t link_count = find_links(gmsh, entity_code(head.dimension, head.tag), &links);
  size_t mark = pl_draft_mark(gmsh->draft);
  for (int64_t i = 0; !status && i < head.count; i++) {
    int64_t number, nodes[PL_GMSH_MOST_NODES];
    status = pl_gmsh_size(gmsh, "tag of an element", &number, error);
    for (int k = 0; !status && k < type->nodes; k++)
      status = pl_gmsh_size(gmsh, "node of an element", &nodes[k], error);
    if (!status)
      status = pl_draft_element(gmsh->draft, &gmsh->scan, type->shape, number, nodes,
                                type->nodes > pl_shapes[type->shape].corners, error);
    if (!status && type->shape == PL_TET && type->nodes == 10)
      status = pl_draft_middles(gmsh->draft, nodes + 4, pl_gmsh_edges, error);
    if (!status && link_count)
      status = pl_draft_join(gmsh->draft, &gmsh->scan, links[0].group, error);
  }
  // what is in the first group of the entity is in the others too
  size_t joined = pl_draft_mark(gmsh->draft) - mark;
  for (size_t i = 1; !status && i < link_count; i++)
    status = pl_draft_join_copy(gmsh->draft, &gmsh->scan, mark, joined,
                                pl_shapes[type->shape].dimension, links[i].group, error);
  return status;
}

pl_status pl_gmsh4_elements(pl_gmsh *gmsh, pl_error *error)
{
  int64_t blocks, total;
  if (!pl_draft_has_nodes(gmsh->draft))
    return pl_scan_fail(&gmsh->scan, error, PL_E_PARSE, "$Elements must come behind $Nodes");
  gmsh->has_elements = 1;
  pl_status status = read_totals(gmsh, &blocks, &total, error);
  if (!status) status = pl_gmsh_claim(gmsh, "elements", total, PL_MOST_ELEMENTS, 0, 2, 0, error);
  for (int64_t i = 0; !status && i < blocks; i++) status = read_element_block(gmsh, error);
  return status;
}

/* ---- writing ---- */

/* One combination of sets: that of another class, and one set more. Class 0 is in no set. */
typedef struct set_class {
  int parent, set, child; /* child: where members go that are also in the set at hand */
  int members, entity;    /* entity: its tag in the file */
} set_class;

typedef struct classes {
  int *of; /* the class of every node or element */
  int item_count, count, entity_count;
  set_class *list;
} classes;

/* Splits the items by the sets they are in: the members of each set leave their class for a new one
 * that remembers where they come from. */
static pl_status classify(const pl_mesh *mesh, const pl_allocator *allocator, int of_elements,
                          classes *made, pl_error *error)
{
  pl_cells cells = pl_cells_of_mesh(mesh);
  made->item_count = of_elements ? cells.plain + cells.quads : pl_mesh_node_count(mesh);
  made->of = pl_alloc(allocator, (size_t)made->item_count, sizeof *made->of);
  size_t room = 0;
  void *list = NULL;
  if (!made->of || pl_reserve(allocator, &list, &room, 1, sizeof *made->list))
    return pl_fail_memory(error);
  made->list = list;
  made->list[0] = (set_class){.parent = -1, .members = made->item_count};
  made->count = 1;
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    int before = made->count;
    for (int i = 0; set->of_elements == of_elements && i < set->count; i++) {
      int item = set->ids[i], old = made->of[item];
      int child = made->list[old].child;
      if (child < before) {
        if (pl_reserve(allocator, &list, &room, (size_t)made->count + 1, sizeof *made->list))
          return pl_fail_memory(error);
        made->list = list;
        child = made->list[old].child = made->count++;
        made->list[child] = (set_class){.parent = old, .set = s};
      }
      made->of[item] = child;
      made->list[old].members--;
      made->list[child].members++;
    }
  }
  // elements need an entity in any case, nodes only where they are in a set
  for (int c = of_elements ? 0 : 1; c < made->count; c++) {
    if (made->list[c].members) made->list[c].entity = ++made->entity_count;
  }
  return PL_OK;
}

static void put_groups(pl_gmsh_out *out, const classes *made, int c)
{
  int count = 0;
  for (int p = c; made->list[p].parent >= 0; p = made->list[p].parent) count++;
  pl_gmsh_put_size(out, (uint64_t)count);
  for (int p = c; made->list[p].parent >= 0; p = made->list[p].parent)
    pl_gmsh_put_int(out, made->list[p].set + 1);
}

static void put_entities(pl_gmsh_out *out, const classes *nodes, const classes *cells)
{
  // the box around everything stands for the place of each entity
  double box[6] = {0};
  for (int i = 0; i < pl_mesh_node_count(out->mesh); i++) {
    for (int k = 0; k < 3; k++) {
      double x = out->positions[3 * (size_t)i + (size_t)k];
      if (i == 0 || x < box[k]) box[k] = x;
      if (i == 0 || x > box[3 + k]) box[3 + k] = x;
    }
  }
  pl_text_add(&out->text, "$Entities\n");
  pl_gmsh_put_size(out, (uint64_t)nodes->entity_count);
  pl_gmsh_put_size(out, 0);
  pl_gmsh_put_size(out, 0);
  pl_gmsh_put_size(out, (uint64_t)cells->entity_count);
  pl_gmsh_put_line(out);
  for (int dimension = 0; dimension <= 3; dimension += 3) {
    const classes *made = dimension ? cells : nodes;
    for (int c = 0; c < made->count; c++) {
      if (!made->list[c].entity) continue;
      pl_gmsh_put_int(out, made->list[c].entity);
      pl_gmsh_put_doubles(out, box, dimension ? 6 : 3);
      put_groups(out, made, c);
      if (dimension) pl_gmsh_put_size(out, 0);
      pl_gmsh_put_line(out);
    }
  }
  pl_text_add(&out->text, "%s$EndEntities\n", out->binary ? "\n" : "");
}

static void put_four(pl_gmsh_out *out, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  const uint64_t values[4] = {a, b, c, d};
  for (int i = 0; i < 4; i++) pl_gmsh_put_size(out, values[i]);
  pl_gmsh_put_line(out);
}

static void put_head(pl_gmsh_out *out, int dimension, int tag, int kind, int count)
{
  pl_gmsh_put_int(out, dimension);
  pl_gmsh_put_int(out, tag);
  pl_gmsh_put_int(out, kind);
  pl_gmsh_put_size(out, (uint64_t)count);
  pl_gmsh_put_line(out);
}

/* All nodes in one block on the first volume. */
static void put_nodes(pl_gmsh_out *out)
{
  int count = pl_mesh_node_count(out->mesh);
  pl_text_add(&out->text, "$Nodes\n");
  put_four(out, 1, (uint64_t)count, 1, (uint64_t)count);
  put_head(out, 3, 1, 0, count);
  for (int i = 1; i <= count; i++) {
    pl_gmsh_put_size(out, (uint64_t)i);
    pl_gmsh_put_line(out);
  }
  for (int i = 0; i < count; i++) {
    pl_gmsh_put_doubles(out, out->positions + 3 * (size_t)i, 3);
    pl_gmsh_put_line(out);
  }
  pl_text_add(&out->text, "%s$EndNodes\n", out->binary ? "\n" : "");
}

/* The end of the run of items from first on that have the same class; none goes past a stop. */
static int run_end(const classes *made, int first, int stop)
{
  int end = first + 1;
  while (end < made->item_count && end != stop && made->of[end] == made->of[first]) end++;
  return end;
}

/* Items in their order: a block for every run of one class. Items without an entity are left out;
 * only_count writes nothing. Returns the number of blocks and adds the number of items to total. */
static int put_blocks(pl_gmsh_out *out, const classes *made, int dimension, int only_count,
                      uint64_t *total)
{
  pl_cells cells = pl_cells_of_mesh(out->mesh);
  int blocks = 0;
  for (int first = 0, end; first < made->item_count; first = end) {
    end = run_end(made, first, dimension ? cells.plain : -1);
    int type = dimension ? pl_gmsh_type_of(pl_cell_at(&cells, first)) : 15;
    int entity = made->list[made->of[first]].entity;
    if (!entity) continue;
    blocks++;
    if (!only_count) put_head(out, dimension, entity, type, end - first);
    for (int i = first; i < end; i++) {
      ++*total;
      if (only_count) continue;
      pl_gmsh_put_size(out, *total);
      pl_cell cell = dimension ? pl_cell_at(&cells, i) : (pl_cell){1, &i, 0};
      for (int k = 0; k < cell.corners; k++) pl_gmsh_put_size(out, (uint64_t)cell.nodes[k] + 1);
      pl_gmsh_put_line(out);
    }
  }
  return blocks;
}

static void put_elements(pl_gmsh_out *out, const classes *nodes, const classes *cells)
{
  uint64_t total = 0;
  int blocks = put_blocks(out, nodes, 0, 1, &total) + put_blocks(out, cells, 3, 1, &total);
  pl_text_add(&out->text, "$Elements\n");
  put_four(out, (uint64_t)blocks, total, 1, total);
  total = 0;
  put_blocks(out, nodes, 0, 0, &total);
  put_blocks(out, cells, 3, 0, &total);
  pl_text_add(&out->text, "%s$EndElements\n", out->binary ? "\n" : "");
}

pl_status pl_gmsh4_write(pl_gmsh_out *out, pl_error *error)
{
  const pl_allocator *allocator = &out->text.allocator;
  classes nodes = {0}, cells = {0};
  pl_status status = classify(out->mesh, allocator, 0, &nodes, error);
  if (!status) status = classify(out->mesh, allocator, 1, &cells, error);
  if (!status) {
    put_entities(out, &nodes, &cells);
    put_nodes(out);
    put_elements(out, &nodes, &cells);
  }
  pl_free(allocator, cells.list);
  pl_free(allocator, cells.of);
  pl_free(allocator, nodes.list);
  pl_free(allocator, nodes.of);
  return status;
}
