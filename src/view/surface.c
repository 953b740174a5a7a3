#include "view/surface.h"

#include "body/noise.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/tensor.h"
#include "mesh/wire.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define X(id, name, unit, summary) name,
const char *const pl_tint_names[PL_TINT_COUNT] = {PL_TINTS(X)};
const char *const pl_arrows_names[PL_ARROWS_COUNT] = {PL_ARROWS(X)};
#undef X

int pl_word_find(const char *const *names, int count, const char *word)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], word) == 0) return i;
  }
  return -1;
}

/* ---- making it ---- */

void pl_surface_release(pl_surface *surface)
{
  void *arrays[] = {surface->nodes, surface->triangles, surface->elements, surface->edges,
                    surface->parts, surface->room,      surface->points};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    pl_free(&surface->allocator, arrays[i]);
  *surface = (pl_surface){.allocator = surface->allocator};
}

const pl_mesh *pl_surface_mesh(const pl_world *world, pl_body_id body)
{
  const pl_mesh *finer = pl_world_body_surface(world, body);
  return finer ? finer : pl_world_body_mesh(world, body);
}

static int are_wires(const pl_mesh *mesh) { return pl_mesh_nodes_per_element(mesh) == 2; }

/* Upper bounds of all lists. */
static pl_status make_room(pl_world *world, pl_surface *surface, pl_error *error)
{
  size_t corners = 0, triangles = 0, room = 0, points = 0;
  int bodies = pl_world_body_count(world);
  for (int b = 0; b < bodies; b++) {
    const pl_mesh *mesh = pl_world_body_mesh(world, pl_world_body_at(world, b));
    const pl_mesh *shown = pl_surface_mesh(world, pl_world_body_at(world, b));
    size_t faces = (size_t)pl_mesh_face_count(shown), n = (size_t)pl_mesh_nodes_per_face(shown);
    size_t needed = 3 * (size_t)pl_mesh_node_count(mesh) + 10 * (size_t)pl_mesh_element_count(mesh);
    size_t followers = 3 * (size_t)pl_mesh_node_count(shown);
    size_t wires = are_wires(shown) ? (size_t)pl_mesh_element_count(shown) : 0;
    corners += n * faces + PL_WIRE_VERTICES * wires;
    triangles += (n - 2) * faces + PL_WIRE_TRIANGLES * wires;
    if (wires) followers = 3 * PL_WIRE_VERTICES * wires;
    if (needed > room) room = needed;
    if ((shown != mesh || wires) && followers > points) points = followers;
  }
  if (triangles > INT32_MAX / 3 || corners > INT32_MAX / 2)
    return pl_fail(error, PL_E_LIMIT, "%zu triangles are too many to show", triangles);
  surface->nodes = pl_alloc(&surface->allocator, corners, sizeof(int));
  surface->triangles = pl_alloc(&surface->allocator, 3 * triangles, sizeof(int));
  surface->elements = pl_alloc(&surface->allocator, triangles, sizeof(int));
  surface->edges = pl_alloc(&surface->allocator, 2 * corners, sizeof(int));
  surface->parts = pl_alloc(&surface->allocator, (size_t)bodies, sizeof *surface->parts);
  surface->room = pl_alloc(&surface->allocator, room, sizeof(double));
  surface->points = pl_alloc(&surface->allocator, points, sizeof(double));
  int ok = surface->nodes && surface->triangles && surface->edges && surface->parts &&
           surface->elements && surface->room && surface->points;
  return ok ? PL_OK : pl_fail_memory(error);
}

static int compare_edges(const void *a, const void *b)
{
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Sorts the edges from first on and drops those that came twice. */
static void unite_edges(pl_surface *surface, int first)
{
  int *edges = surface->edges, kept = first;
  qsort(edges + 2 * first, (size_t)(surface->edge_count - first), 2 * sizeof(int), compare_edges);
  for (int i = first; i < surface->edge_count; i++) {
    if (kept > first && compare_edges(edges + 2 * i, edges + 2 * (kept - 1)) == 0) continue;
    memmove(edges + 2 * kept++, edges + 2 * i, 2 * sizeof(int));
  }
  surface->edge_count = kept;
}

/* vertex[node] is the vertex + 1 of a node of this body, 0 where it has none yet. */
static void add_faces(pl_surface *surface, const pl_mesh *mesh, int follows, int *vertex)
{
  int n = pl_mesh_nodes_per_face(mesh);
  const int *faces = pl_mesh_faces(mesh), *behind = follows ? NULL : mesh->face_elements;
  for (int f = 0; f < pl_mesh_face_count(mesh); f++, faces += n) {
    int corner[4];
    for (int a = 0; a < n; a++) {
      if (!vertex[faces[a]]) {
        surface->nodes[surface->vertex_count] = faces[a];
        vertex[faces[a]] = ++surface->vertex_count;
      }
      corner[a] = vertex[faces[a]] - 1;
    }
    for (int part = 0; part < n - 2; part++) {
      int *triangle = surface->triangles + 3 * surface->triangle_count;
      surface->elements[surface->triangle_count++] = behind ? behind[f] + 1 : 0;
      triangle[0] = corner[0];
      triangle[1] = corner[part + 1];
      triangle[2] = corner[part + 2];
    }
    for (int a = 0; a < n; a++) {
      int from = corner[a], to = corner[(a + 1) % n], *edge;
      edge = surface->edges + 2 * surface->edge_count++;
      edge[0] = from < to ? from : to;
      edge[1] = from < to ? to : from;
    }
  }
}

/* The tubes around the segments of a body; their edges run along them. */
static void add_wires(pl_surface *surface, const pl_mesh *mesh)
{
  int first = surface->vertex_count, before = surface->triangle_count;
  pl_wire_triangles(mesh, surface->triangles + 3 * (size_t)before);
  surface->triangle_count += PL_WIRE_TRIANGLES * mesh->element_count;
  surface->vertex_count += PL_WIRE_VERTICES * mesh->element_count;
  for (int t = before; t < surface->triangle_count; t++) {
    for (int k = 0; k < 3; k++) surface->triangles[3 * t + k] += first;
    surface->elements[t] = 1 + (t - before) / PL_WIRE_TRIANGLES;
  }
  for (int v = 0; v < PL_WIRE_VERTICES * mesh->element_count; v++) {
    surface->nodes[first + v] = pl_wire_node(mesh, v);
    if (v % PL_WIRE_VERTICES >= PL_WIRE_SIDES) continue;
    int *edge = surface->edges + 2 * surface->edge_count++;
    edge[0] = first + v;
    edge[1] = first + v + PL_WIRE_SIDES;
  }
}

static pl_status add_body(pl_surface *surface, pl_world *world, pl_body_id body, pl_error *error)
{
  const pl_mesh *mesh = pl_surface_mesh(world, body);
  int *vertex = pl_alloc(&surface->allocator, (size_t)pl_mesh_node_count(mesh), sizeof(int));
  if (!vertex) return pl_fail_memory(error);
  pl_surface_part *part = &surface->parts[surface->part_count++];
  *part = (pl_surface_part){.body = body,
                            .first_vertex = surface->vertex_count,
                            .first_triangle = surface->triangle_count,
                            .first_edge = surface->edge_count};
  if (are_wires(mesh))
    add_wires(surface, mesh);
  else
    add_faces(surface, mesh, pl_world_body_surface(world, body) != NULL, vertex);
  unite_edges(surface, part->first_edge);
  part->vertices = surface->vertex_count - part->first_vertex;
  part->triangles = surface->triangle_count - part->first_triangle;
  part->edges = surface->edge_count - part->first_edge;
  pl_free(&surface->allocator, vertex);
  return PL_OK;
}

pl_status pl_surface_create(pl_world *world, const pl_allocator *allocator, pl_surface *surface,
                            pl_error *error)
{
  *surface = (pl_surface){.allocator = pl_allocator_or_default(allocator)};
  pl_status status = make_room(world, surface, error);
  for (int b = 0; !status && b < pl_world_body_count(world); b++)
    status = add_body(surface, world, pl_world_body_at(world, b), error);
  if (status) pl_surface_release(surface);
  return status;
}

/* ---- what is drawn ---- */

/* What stands in the room for a body's nodes, some numbers each, for those of its shown mesh. */
static pl_status follow(const pl_surface *surface, const pl_world *world, pl_body_id body,
                        int numbers, const double **shown, pl_error *error)
{
  *shown = surface->room;
  if (!pl_world_body_surface(world, body)) return PL_OK;
  *shown = surface->points;
  return pl_world_follow(world, body, numbers, surface->room, surface->points, error);
}

/* Where the vertices of tubes are, from the positions of the nodes in the room. */
static void put_wires(const pl_surface *surface, const pl_world *world, const pl_surface_part *part,
                      float *positions)
{
  const pl_body *body = pl_world_body(world, part->body);
  pl_wire_place(body->mesh, surface->room, body->model->thickness / 2,
                surface->room + 3 * (size_t)body->mesh->node_count, surface->points);
  for (int i = 0; i < 3 * part->vertices; i++)
    positions[3 * part->first_vertex + i] = (float)surface->points[i];
}

pl_status pl_surface_positions(pl_surface *surface, const pl_world *world, float *positions,
                               pl_error *error)
{
  pl_status status = PL_OK;
  for (int p = 0; p < surface->part_count && !status; p++) {
    const pl_surface_part *part = &surface->parts[p];
    const double *x = NULL;
    status = pl_world_get_positions(world, part->body, surface->room, error);
    if (!status && are_wires(pl_surface_mesh(world, part->body))) {
      put_wires(surface, world, part, positions);
      continue;
    }
    if (!status) status = follow(surface, world, part->body, 3, &x, error);
    for (int i = part->first_vertex; !status && i < part->first_vertex + part->vertices; i++) {
      for (int k = 0; k < 3; k++)
        positions[3 * i + k] = (float)x[3 * (size_t)surface->nodes[i] + (size_t)k];
    }
  }
  return status;
}

/* A number of each element that colours show; room for 9 more of each stands behind. */
static pl_status element_values(pl_world *world, pl_body_id body, pl_tint tint, int count,
                                double *values, pl_error *error)
{
  double *stress = values + count;
  if (tint == PL_TINT_von_mises) return pl_world_get_stress(world, body, values, NULL, error);
  if (tint == PL_TINT_volume_ratio) return pl_world_get_stress(world, body, NULL, values, error);
  if (tint == PL_TINT_strain) return pl_world_get_strain(world, body, values, NULL, error);
  if (tint == PL_TINT_energy_density) return pl_world_get_strain(world, body, NULL, values, error);
  if (tint == PL_TINT_level) return pl_world_get_levels(world, body, values, error);
  pl_status status = pl_world_get_tensors(world, body, NULL, stress, error);
  for (int e = 0; e < count && !status; e++) {
    double principal[3] = {0}, Q[9];
    if (tint == PL_TINT_principal_stress) pl_eigen(stress + 9 * (size_t)e, principal, Q);
    values[e] = tint == PL_TINT_pressure ? pl_pressure(stress + 9 * (size_t)e) : principal[0];
  }
  return status;
}

/* Below this the numbers of elements are those of a body without any load. */
static double noise_of(const pl_body *body, pl_tint tint)
{
  switch (tint) {
  case PL_TINT_von_mises:
  case PL_TINT_pressure:
  case PL_TINT_principal_stress:
    return pl_body_stress_noise(body);
  case PL_TINT_strain:
    return PL_STRAIN_NOISE;
  case PL_TINT_energy_density:
    return PL_STRAIN_NOISE * pl_body_stress_noise(body);
  default:
    return 0;
  }
}

/* The mean over the elements around each node of a body. */
static pl_status element_means(pl_surface *surface, pl_world *world, pl_body_id body, pl_tint tint,
                               double *means, pl_error *error)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  size_t nodes = (size_t)pl_mesh_node_count(mesh), n = (size_t)pl_mesh_nodes_per_element(mesh);
  double *counts = surface->room + nodes, *values = surface->room + 3 * nodes;
  const int *elements = pl_mesh_elements(mesh);
  pl_status status = element_values(world, body, tint, pl_mesh_element_count(mesh), values, error);
  if (status) return status;
  memset(means, 0, 2 * nodes * sizeof *means); // the counts stand behind the means
  for (size_t i = 0; i < n * (size_t)pl_mesh_element_count(mesh); i++) {
    means[elements[i]] += values[i / n];
    counts[elements[i]] += 1;
  }
  double noise = noise_of(pl_world_body(world, body), tint);
  for (size_t i = 0; i < nodes; i++) {
    means[i] /= counts[i];
    if (fabs(means[i]) < noise) means[i] = 0;
  }
  return PL_OK;
}

/* The lengths of displacements or velocities, in place of the vectors. */
static pl_status lengths(pl_surface *surface, pl_world *world, pl_body_id body, pl_tint tint,
                         pl_error *error)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  const double *rest = tint == PL_TINT_displacement ? pl_mesh_nodes(mesh) : NULL;
  double *x = surface->room;
  pl_status status = rest ? pl_world_get_positions(world, body, x, error)
                          : pl_world_get_velocities(world, body, x, error);
  for (int i = 0; !status && i < pl_mesh_node_count(mesh); i++) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
      double part = x[3 * i + k] - (rest ? rest[3 * i + k] : 0);
      square += part * part;
    }
    x[i] = sqrt(square);
  }
  return status;
}

pl_status pl_surface_tint(pl_surface *surface, pl_world *world, pl_tint tint, float *values,
                          pl_error *error)
{
  pl_status status = PL_OK;
  for (int p = 0; p < surface->part_count && !status; p++) {
    const pl_surface_part *part = &surface->parts[p];
    const double *shown = NULL;
    if (tint == PL_TINT_displacement || tint == PL_TINT_velocity)
      status = lengths(surface, world, part->body, tint, error);
    else
      status = element_means(surface, world, part->body, tint, surface->room, error);
    if (!status) status = follow(surface, world, part->body, 1, &shown, error);
    for (int i = part->first_vertex; !status && i < part->first_vertex + part->vertices; i++)
      values[i] = (float)shown[surface->nodes[i]];
  }
  return status;
}

pl_status pl_surface_arrows(pl_surface *surface, pl_world *world, pl_arrows arrows, float *vectors,
                            pl_error *error)
{
  for (int p = 0; p < surface->part_count; p++) {
    const pl_surface_part *part = &surface->parts[p];
    double *x = surface->room;
    const double *shown = x;
    pl_status status =
        arrows == PL_ARROWS_velocity
            ? pl_world_get_velocities(world, part->body, x, error)
            : pl_world_get_forces(world, part->body, arrows == PL_ARROWS_inner ? x : NULL,
                                  arrows == PL_ARROWS_outer ? x : NULL, error);
    if (!status) status = follow(surface, world, part->body, 3, &shown, error);
    if (status && status != PL_E_ARGUMENT) return status;
    for (int i = part->first_vertex; i < part->first_vertex + part->vertices; i++) {
      for (int k = 0; k < 3; k++)
        vectors[3 * i + k] = status ? 0 : (float)shown[3 * (size_t)surface->nodes[i] + (size_t)k];
    }
  }
  return PL_OK;
}

/* Of a surface that follows, no point is a node. Held are the points that held nodes carry for the
 * most part, and for each held node the point that it carries most: of nodes that carry some point
 * as much as others do, or of all where none does, as when held nodes lie deep inside. */
static void held_followers(const pl_surface *surface, const pl_surface_part *part,
                           const pl_body *body, const unsigned char *nodes, unsigned char *held)
{
  const pl_embed *embed = body->embed;
  int count = body->mesh->node_count, end = part->first_vertex + part->vertices;
  double *max = surface->room + count, *vertex = max + count; // behind the nodes' bits
  for (int n = 0; n < count; n++) max[n] = 0;
  for (int i = part->first_vertex; i < end; i++) {
    size_t first = (size_t)surface->nodes[i] * (size_t)embed->width;
    double carried[3] = {0};
    for (size_t a = first; a < first + (size_t)embed->width; a++) {
      int n = embed->nodes[a];
      for (int k = 0; k < 3; k++) carried[k] += nodes[n] >> k & 1 ? embed->weights[a] : 0;
      if (embed->weights[a] <= max[n]) continue;
      max[n] = embed->weights[a];
      vertex[n] = i;
    }
    held[i] = 0;
    for (int k = 0; k < 3; k++) held[i] |= (unsigned char)(carried[k] > 0.5 ? 1 << k : 0);
  }
  int some = 0;
  for (int i = part->first_vertex; i < end; i++) some |= held[i];
  for (int all = 0; all < 2 && !(all && some); all++) {
    for (int n = 0; n < count; n++) {
      if (!nodes[n] || !(max[n] > (all ? 0 : 0.99 / embed->width))) continue;
      held[(int)vertex[n]] |= nodes[n];
      some = 1;
    }
  }
}

pl_status pl_surface_held(pl_surface *surface, const pl_world *world, unsigned char *held,
                          pl_error *error)
{
  pl_status status = PL_OK;
  for (int p = 0; p < surface->part_count && !status; p++) {
    const pl_surface_part *part = &surface->parts[p];
    unsigned char *nodes = (unsigned char *)surface->room;
    const pl_body *body = pl_world_body(world, part->body);
    status = pl_world_get_held(world, part->body, nodes, error);
    if (!status && body->embed) {
      held_followers(surface, part, body, nodes, held);
      continue;
    }
    for (int i = part->first_vertex; !status && i < part->first_vertex + part->vertices; i++)
      held[i] = nodes[surface->nodes[i]];
  }
  return status;
}

/* Of a surface that follows: where its point is carried by the body. */
static pl_status followed_spot(const pl_surface *surface, const pl_world *world, pl_body_id body,
                               const int *triangle, const double weights[3], pl_spot *spot,
                               pl_error *error)
{
  const double *rest = pl_mesh_nodes(pl_surface_mesh(world, body));
  double at[3] = {0};
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < 3; k++) at[k] += weights[a] * rest[3 * surface->nodes[triangle[a]] + k];
  }
  return pl_world_find_spot(world, body, at, spot, error);
}

pl_status pl_surface_spot(const pl_surface *surface, const pl_world *world, int triangle, double u,
                          double v, pl_spot *spot, pl_error *error)
{
  if (triangle < 0 || triangle >= surface->triangle_count)
    return pl_fail(error, PL_E_ARGUMENT, "there is no triangle %d; there are %d", triangle,
                   surface->triangle_count);
  if (!(u >= 0 && v >= 0 && u + v <= 1 + 1e-6))
    return pl_fail(error, PL_E_ARGUMENT, "the weights %g and %g are not inside a triangle", u, v);
  int p = 0;
  while (p + 1 < surface->part_count && triangle >= surface->parts[p + 1].first_triangle) p++;
  const double weights[3] = {1 - u - v > 0 ? 1 - u - v : 0, u, v};
  pl_body_id body = surface->parts[p].body;
  if (pl_world_body_surface(world, body))
    return followed_spot(surface, world, body, surface->triangles + 3 * triangle, weights, spot,
                         error);
  *spot = (pl_spot){.body = body, .count = 3};
  for (int a = 0; a < 3; a++) {
    spot->nodes[a] = surface->nodes[surface->triangles[3 * triangle + a]];
    spot->weights[a] = weights[a];
  }
  return PL_OK;
}
