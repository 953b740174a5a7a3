/* The list of generators and the builder behind them.
 *
 * A cell is cut into six tetrahedra that share the corner with the least number; each of the three
 * faces opposite to it is cut from its own least corner. Neighbours so cut a common face alike,
 * whatever the mesh of cells looks like, and a regular grid numbered in order becomes the Kuhn
 * (Freudenthal) triangulation. The idea: Dompierre, Labbe, Vallet, Camarero, "How to subdivide
 * pyramids, prisms and hexahedra into tetrahedra", 1999. */
#include "mesh/generator.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"

#include <string.h>

#define X(name) &pl_generator_##name.info,
PL_FAMILY(generator, "simple bodies, cut into cells", PL_GENERATORS(X));
#undef X

pl_status pl_mesh_generate(const pl_choice *generator, const pl_allocator *allocator,
                           pl_mesh **mesh, pl_error *error)
{
  if (!mesh) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_generate needs a place for the mesh");
  *mesh = NULL;
  const pl_member *member;
  double values[PL_MOST_VALUES];
  pl_status status = pl_choice_resolve(&pl_generator_family, generator, &member, values, error);
  if (status) return status;
  const pl_generator_ops *ops = (const pl_generator_ops *)member; // info comes first in it
  pl_allocator chosen = pl_allocator_or_default(allocator);
  return ops->generate(values, &chosen, mesh, error);
}

int pl_builder_node(pl_builder *builder, const double position[3], unsigned sets)
{
  memcpy(builder->nodes + 3 * (size_t)builder->node_count, position, 3 * sizeof *position);
  builder->marks[builder->node_count] = (unsigned char)sets;
  return builder->node_count++;
}

void pl_builder_tet(pl_builder *builder, int a, int b, int c, int d)
{
  int *nodes = builder->elements + 4 * (size_t)builder->element_count++;
  nodes[0] = a;
  nodes[1] = b;
  nodes[2] = c;
  nodes[3] = d;
}

/* The place of the least of count numbers. */
static int min(const int *numbers, int count)
{
  int at = 0;
  for (int i = 1; i < count; i++) {
    if (numbers[i] < numbers[at]) at = i;
  }
  return at;
}

void pl_builder_cell(pl_builder *builder, const int nodes[8])
{
  if (builder->nodes_per_element == 8) {
    memcpy(builder->elements + 8 * (size_t)builder->element_count++, nodes, 8 * sizeof *nodes);
    return;
  }
  int apex = nodes[min(nodes, 8)];
  for (int f = 0; f < 6; f++) {
    int face[4];
    for (int i = 0; i < 4; i++) face[i] = nodes[pl_hex_faces[f][i]];
    int at = min(face, 4);
    if (face[at] == apex) continue;
    int b = face[(at + 1) % 4], c = face[(at + 2) % 4], d = face[(at + 3) % 4];
    pl_builder_tet(builder, apex, face[at], b, c);
    pl_builder_tet(builder, apex, face[at], c, d);
  }
}

static pl_status start(pl_builder *builder, const pl_build_plan *plan,
                       const pl_allocator *allocator, pl_error *error)
{
  *builder = (pl_builder){.allocator = *allocator,
                          .nodes_per_element = plan->elements_per_cell == 1 ? 8 : 4};
  if (plan->nodes_per_element) builder->nodes_per_element = plan->nodes_per_element;
  int64_t elements = plan->cell_count * plan->elements_per_cell;
  pl_status status = pl_mesh_check_limits(plan->node_count, elements, error);
  if (status) return status;
  size_t numbers = (size_t)elements * (size_t)builder->nodes_per_element;
  builder->nodes = pl_alloc(allocator, (size_t)plan->node_count, 3 * sizeof *builder->nodes);
  builder->marks = pl_alloc(allocator, (size_t)plan->node_count, sizeof *builder->marks);
  builder->elements = pl_alloc(allocator, numbers, sizeof *builder->elements);
  return builder->nodes && builder->marks && builder->elements ? PL_OK : pl_fail_memory(error);
}

/* Lists the members of each set, one set behind the other, and makes the mesh. */
static pl_status finish(const pl_builder *builder, const pl_build_plan *plan, pl_mesh **mesh,
                        pl_error *error)
{
  pl_set sets[8];
  size_t total = 0;
  for (int i = 0; i < builder->node_count; i++) {
    for (int s = 0; s < plan->set_count; s++) total += builder->marks[i] >> s & 1;
  }
  int *ids = pl_alloc(&builder->allocator, total, sizeof *ids);
  if (!ids) return pl_fail_memory(error);
  int *next = ids;
  for (int s = 0; s < plan->set_count; s++) {
    sets[s] = (pl_set){.name = plan->set_names[s], .ids = next};
    for (int i = 0; i < builder->node_count; i++) {
      if (builder->marks[i] >> s & 1) *next++ = i;
    }
    sets[s].count = (int)(next - sets[s].ids);
  }
  pl_status status = pl_mesh_create(&(pl_mesh_def){.node_count = builder->node_count,
                                                   .nodes = builder->nodes,
                                                   .element_count = builder->element_count,
                                                   .nodes_per_element = builder->nodes_per_element,
                                                   .elements = builder->elements,
                                                   .set_count = plan->set_count,
                                                   .sets = sets,
                                                   .allocator = &builder->allocator},
                                    mesh, error);
  pl_free(&builder->allocator, ids);
  return status;
}

void pl_build_count(pl_build_plan *plan, const double cells[3])
{
  plan->node_count = plan->cell_count = 1;
  for (int k = 0; k < 3; k++) {
    plan->node_count *= (int)cells[k] + 1;
    plan->cell_count *= (int)cells[k];
  }
}

pl_status pl_build(const pl_build_plan *plan, const double *values, const pl_allocator *allocator,
                   pl_mesh **mesh, pl_error *error)
{
  pl_builder builder;
  pl_status status = start(&builder, plan, allocator, error);
  if (!status) {
    plan->fill(&builder, values);
    status = finish(&builder, plan, mesh, error);
  }
  pl_free(allocator, builder.nodes);
  pl_free(allocator, builder.marks);
  pl_free(allocator, builder.elements);
  return status;
}

void pl_along_axis(int axis, const double origin[3], const double local[3], double position[3])
{
  for (int i = 0; i < 3; i++) {
    int to = (axis + 1 + i) % 3;
    position[to] = origin[to] + local[i];
  }
}
