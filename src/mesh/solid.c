/* The table of solids and the tree made from rows. */
#include "mesh/solid.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_solid_##name.info,
PL_FAMILY(solid, "solids by formula, and what combines them", PL_SOLIDS(X));
#undef X

struct pl_solid {
  pl_allocator allocator;
  int count;
  pl_solid_node *nodes; /* the first one unites all others */
};

void pl_solid_destroy(pl_solid *solid)
{
  if (!solid) return;
  pl_allocator allocator = solid->allocator;
  pl_free(&allocator, solid->nodes);
  pl_free(&allocator, solid);
}

/* Fills one node; the row's place among the user's is the entity of an error. */
static pl_status make_node(const pl_solid_row *row, pl_solid_node *node, pl_error *error)
{
  const pl_member *member;
  double values[PL_MOST_VALUES];
  pl_status status = pl_choice_resolve(&pl_solid_family, &row->solid, &member, values, error);
  if (status) return status;
  node->ops = (const pl_solid_ops *)(const void *)member; // info comes first in it
  memcpy(node->values, values, sizeof node->values);
  return node->ops->prepare ? node->ops->prepare(node->values, error) : PL_OK;
}

/* Adds the lines of a ready-made body behind its node. */
static pl_status add_lines(pl_solid *solid, const pl_solid_ops *ops, pl_error *error)
{
  int first = solid->count;
  for (int i = 0; i < ops->line_count; i++) {
    const pl_solid_line *line = &ops->lines[i];
    int end = i + 1;
    while (end < ops->line_count && ops->lines[end].depth > line->depth) end++;
    pl_solid_node *node = &solid->nodes[solid->count++];
    *node = (pl_solid_node){.ops = line->ops, .end = first + end};
    memcpy(node->values, line->values, sizeof line->values);
    pl_status status = line->ops->prepare ? line->ops->prepare(node->values, error) : PL_OK;
    if (status) return status;
  }
  return PL_OK;
}

/* Adds a row and all that stands deeper behind it; *at is the next row. */
static pl_status add_row(pl_solid *solid, const pl_solid_row *rows, int count, int *at,
                         pl_error *error)
{
  int row = (*at)++, index = solid->count++;
  if (error) error->entity = row;
  if (rows[row].depth >= PL_MOST_SOLID_DEPTH)
    return pl_fail_entity(error, PL_E_LIMIT, row, "solids are nested more than %d deep",
                          PL_MOST_SOLID_DEPTH);
  pl_status status = make_node(&rows[row], &solid->nodes[index], error);
  int inside = 0;
  for (; !status && *at < count && rows[*at].depth > rows[row].depth; inside++)
    status = add_row(solid, rows, count, at, error);
  if (status) return status;
  const pl_solid_ops *ops = solid->nodes[index].ops;
  if (inside > 0 && (ops->max == 0 || ops->lines))
    status = pl_fail(error, PL_E_ARGUMENT, "nothing can stand inside <%s>", ops->info.name);
  else if (!ops->lines && (inside < ops->min || (ops->max > 0 && inside > ops->max)))
    status = pl_fail(error, PL_E_ARGUMENT, "<%s> needs %d solid%s inside; it has %d",
                     ops->info.name, ops->min, ops->max < 0 ? " or more" : "", inside);
  else
    status = add_lines(solid, ops, error);
  solid->nodes[index].end = solid->count;
  if (status && error) error->entity = row;
  return status;
}

/* The number of nodes that the rows make, with those of ready-made bodies. */
static int count_nodes(const pl_solid_row *rows, int count)
{
  int total = count + 1;
  for (int i = 0; i < count && total < PL_MOST_SOLIDS; i++) {
    const pl_member *member =
        rows[i].solid.name ? pl_member_find(&pl_solid_family, rows[i].solid.name) : NULL;
    if (member) total += ((const pl_solid_ops *)(const void *)member)->line_count;
  }
  return total;
}

pl_status pl_solid_create(const pl_solid_row *rows, int count, const pl_allocator *allocator,
                          pl_solid **out, pl_error *error)
{
  *out = NULL;
  if (count < 1)
    return pl_fail(error, PL_E_ARGUMENT, "the shape is empty; put a solid such as <%s/> into it",
                   pl_solid_family.members[0]->name);
  int total = count_nodes(rows, count);
  if (total >= PL_MOST_SOLIDS)
    return pl_fail(error, PL_E_LIMIT, "more than %d solids in one shape are too many",
                   PL_MOST_SOLIDS);
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_solid *solid = pl_alloc(&own, 1, sizeof *solid);
  if (!solid) return pl_fail_memory(error);
  solid->allocator = own;
  solid->nodes = pl_alloc(&own, (size_t)total, sizeof *solid->nodes);
  pl_status status = solid->nodes ? PL_OK : pl_fail_memory(error);

  // the root unites what stands outermost
  solid->count = 1;
  for (int at = 0; !status && at < count;) status = add_row(solid, rows, count, &at, error);
  if (!status) {
    solid->nodes[0] = (pl_solid_node){.ops = &pl_solid_union, .end = solid->count};
    *out = solid;
  } else {
    pl_solid_destroy(solid);
  }
  return status;
}

static double value_of(const void *context, const double point[3])
{
  const pl_solid *solid = context;
  return pl_solid_value(solid->nodes, 0, point);
}

pl_volume pl_solid_volume(const pl_solid *solid)
{
  pl_volume volume = {.value = value_of, .context = solid};
  pl_solid_bounds(solid->nodes, 0, volume.low, volume.high);
  return volume;
}
