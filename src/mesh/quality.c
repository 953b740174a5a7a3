/* Size and quality of a mesh in numbers. */
#include "math/functions.h"
#include "mesh/element.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

static const double DEGREES = 57.2957795130823208768; /* 180 / pi */

void pl_mesh_bounds(const pl_mesh *mesh, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = high[k] = mesh->nodes[k];
    for (int i = 1; i < mesh->node_count; i++) {
      low[k] = fmin(low[k], mesh->nodes[3 * (size_t)i + (size_t)k]);
      high[k] = fmax(high[k], mesh->nodes[3 * (size_t)i + (size_t)k]);
    }
  }
}

/* The root of a node's tree, whose paths are halved on the way. */
static int root_of(int *parent, int node)
{
  while (parent[node] != node) {
    parent[node] = parent[parent[node]];
    node = parent[node];
  }
  return node;
}

/* Joins the nodes of every group of n, elements or faces, and counts what stays apart. */
static int count_pieces(const int *groups, int n, int count, int *parent, int node_count)
{
  int pieces = 0;
  for (int i = 0; i < node_count; i++) parent[i] = -1;
  for (int i = 0; i < n * count; i++) {
    pieces += parent[groups[i]] < 0;
    parent[groups[i]] = groups[i];
  }
  for (int e = 0; e < count; e++) {
    const int *nodes = groups + (size_t)n * (size_t)e;
    for (int i = 1; i < n; i++) {
      int a = root_of(parent, nodes[0]), b = root_of(parent, nodes[i]);
      if (a == b) continue;
      parent[a > b ? a : b] = a < b ? a : b;
      pieces--;
    }
  }
  return pieces;
}

/* The edges of one element: least, most and sum. */
typedef struct edge_lengths {
  double min, max, sum;
} edge_lengths;

static edge_lengths measure_edges(double corners[][3], int nodes_per_element)
{
  int count;
  const int(*edges)[2] = pl_element_edges(nodes_per_element, &count);
  edge_lengths lengths = {.min = INFINITY};
  for (int i = 0; i < count; i++) {
    double edge[3];
    pl_vec3_sub(corners[edges[i][1]], corners[edges[i][0]], edge);
    double length = pl_vec3_norm(edge);
    lengths.min = fmin(lengths.min, length);
    lengths.max = fmax(lengths.max, length);
    lengths.sum += length;
  }
  return lengths;
}

/* The angle between the half-planes from corner along its edge to "along" through the other two. */
static double dihedral(double corners[][3], int corner, int along, int left, int right)
{
  double e[3], a[3], b[3], over[3], under[3];
  pl_vec3_sub(corners[along], corners[corner], e);
  pl_vec3_sub(corners[left], corners[corner], a);
  pl_vec3_sub(corners[right], corners[corner], b);
  pl_vec3_cross(e, a, over);
  pl_vec3_cross(e, b, under);
  return DEGREES * pl_atan2(pl_vec3_norm(e) * fabs(pl_triple(e, a, b)), pl_vec3_dot(over, under));
}

/* The angle of a triangle at a corner. */
static double corner_angle(double corners[][3], int corner)
{
  double a[3], b[3], across[3];
  pl_vec3_sub(corners[(corner + 1) % 3], corners[corner], a);
  pl_vec3_sub(corners[(corner + 2) % 3], corners[corner], b);
  pl_vec3_cross(a, b, across);
  return DEGREES * pl_atan2(pl_vec3_norm(across), pl_vec3_dot(a, b));
}

/* The six angles of a tetrahedron, none of a segment; those of a hexahedron's edges at both of
 * their ends; those of a triangle. */
static void measure_angles(double corners[][3], int nodes_per_element, double *min, double *max)
{
  // each edge of a tetrahedron, and the other two nodes
  static const int tet[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  int hex = nodes_per_element == 8;
  if (nodes_per_element == 2) *min = *max = 0;
  if (nodes_per_element == 2) return;
  for (int i = 0; i < (hex ? 24 : nodes_per_element == 4 ? 6 : 3); i++) {
    double angle;
    if (nodes_per_element == 3) {
      angle = corner_angle(corners, i);
    } else if (hex) {
      const int *to = pl_hex_corners[i / 3];
      angle = dihedral(corners, i / 3, to[i % 3], to[(i + 1) % 3], to[(i + 2) % 3]);
    } else {
      angle = dihedral(corners, tet[i][0], tet[i][1], tet[i][2], tet[i][3]);
    }
    *min = fmin(*min, angle);
    *max = fmax(*max, angle);
  }
}

void pl_tet_angles(const double *positions, const int nodes[4], double *min, double *max)
{
  double corners[4][3];
  pl_element_corners(positions, nodes, 4, corners);
  *min = 180;
  *max = 0;
  measure_angles(corners, 4, min, max);
}

/* Puts the element among the worst ones, if it is. */
static void rank(pl_mesh_facts *facts, int element, double aspect)
{
  enum { MOST = sizeof facts->worst_elements / sizeof *facts->worst_elements };
  int place = facts->worst_count;
  if (place == MOST && !(aspect > facts->worst_aspects[MOST - 1])) return;
  if (place == MOST)
    place--;
  else
    facts->worst_count++;
  for (; place > 0 && aspect > facts->worst_aspects[place - 1]; place--) {
    facts->worst_aspects[place] = facts->worst_aspects[place - 1];
    facts->worst_elements[place] = facts->worst_elements[place - 1];
  }
  facts->worst_aspects[place] = aspect;
  facts->worst_elements[place] = element;
}

static void measure_element(const pl_mesh *mesh, int element, pl_mesh_facts *facts)
{
  int n = mesh->nodes_per_element, corner;
  double corners[8][3];
  pl_element_corners(mesh->nodes, mesh->elements + (size_t)n * (size_t)element, n, corners);

  double volume = pl_corners_volume(corners, n);
  facts->volume += volume;
  facts->min_volume = fmin(facts->min_volume, volume);
  facts->max_volume = fmax(facts->max_volume, volume);

  edge_lengths edges = measure_edges(corners, n);
  facts->min_edge = fmin(facts->min_edge, edges.min);
  facts->max_edge = fmax(facts->max_edge, edges.max);
  facts->mean_edge += edges.sum;

  // the shape of a tetrahedron or triangle is its least height over its longest edge
  double aspect = n != 8 ? 1 / pl_corners_shape(corners, n, &corner) : edges.max / edges.min;
  facts->mean_aspect += aspect;
  rank(facts, element, aspect);
  measure_angles(corners, n, &facts->min_angle, &facts->max_angle);
}

pl_status pl_mesh_measure(const pl_mesh *mesh, pl_mesh_facts *facts, pl_error *error)
{
  if (!facts) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_measure needs a place for the facts");
  int *parent = pl_alloc(&mesh->allocator, (size_t)mesh->node_count, sizeof *parent);
  if (!parent) return pl_fail_memory(error);
  *facts = (pl_mesh_facts){.node_count = mesh->node_count,
                           .element_count = mesh->element_count,
                           .face_count = mesh->face_count,
                           .set_count = mesh->set_count,
                           .flipped_elements = mesh->flipped_elements,
                           .dropped_nodes = mesh->dropped_nodes,
                           .min_volume = INFINITY,
                           .min_edge = INFINITY,
                           .min_angle = INFINITY};
  facts->pieces = count_pieces(mesh->elements, mesh->nodes_per_element, mesh->element_count, parent,
                               mesh->node_count);
  facts->boundary_pieces =
      count_pieces(mesh->faces, mesh->nodes_per_face, mesh->face_count, parent, mesh->node_count);
  pl_free(&mesh->allocator, parent);
  pl_mesh_bounds(mesh, facts->low, facts->high);

  for (int e = 0; e < mesh->element_count; e++) measure_element(mesh, e, facts);
  int edges;
  pl_element_edges(mesh->nodes_per_element, &edges);
  facts->mean_edge /= (double)mesh->element_count * edges;
  facts->mean_aspect /= mesh->element_count;
  facts->worst_aspect = facts->worst_aspects[0];
  facts->worst_element = facts->worst_elements[0];

  for (int f = 0; f < mesh->face_count; f++) {
    double area[3];
    pl_face_area(mesh->nodes, mesh->faces + (size_t)mesh->nodes_per_face * (size_t)f,
                 mesh->nodes_per_face, area);
    facts->surface += pl_vec3_norm(area);
  }
  return PL_OK;
}
