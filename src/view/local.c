/* The deformation gradient of a tetrahedron is F = Ds Dm^-1 with the three edges at its first
 * corner as columns, now (Ds) and at rest (Dm); that of a hexahedron is taken in its middle, where
 * the edges are the means of the four in each direction. Its rotation is the polar factor. */
#include "view/local.h"

#include "math/decompose.h"
#include "math/mat3.h"

#include <string.h>

/* Three edges as columns, and the middle. */
static void edges_of(const pl_local *local, const double *x, double edges[9], double middle[3])
{
  // per corner of a hexahedron: where it lies along the three directions
  static const signed char sides[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  memset(edges, 0, 9 * sizeof *edges);
  memset(middle, 0, 3 * sizeof *middle);
  for (int a = 0; a < local->count; a++) {
    const double *corner = x + 3 * (size_t)local->nodes[a];
    for (int i = 0; i < 3; i++) {
      middle[i] += corner[i] / local->count;
      for (int j = 0; j < 3; j++) {
        if (local->count == 8) edges[3 * i + j] += sides[a][j] * corner[i] / 4;
        if (local->count == 4) edges[3 * i + j] += (a == j + 1 ? 1 : a == 0 ? -1 : 0) * corner[i];
      }
    }
  }
}

static void choose_of(pl_locals *locals, const pl_world *world, pl_body_id body, int wanted)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  int elements = pl_mesh_element_count(mesh), count = pl_mesh_nodes_per_element(mesh);
  if (wanted > elements) wanted = elements;
  for (int k = 0; k < wanted && locals->count < PL_MOST_LOCALS; k++) {
    int element = (int)((2 * (int64_t)k + 1) * elements / (2 * (int64_t)wanted));
    pl_local *local = &locals->items[locals->count];
    double edges[9], middle[3];
    *local = (pl_local){.body = body, .count = count};
    for (int a = 0; a < count; a++)
      local->nodes[a] = pl_mesh_elements(mesh)[(size_t)element * (size_t)count + (size_t)a];
    edges_of(local, pl_mesh_nodes(mesh), edges, middle);
    if (pl_mat3_inverse(edges, local->inverse) != 0) locals->count++;
  }
}

void pl_locals_choose(pl_locals *locals, const pl_world *world)
{
  int bodies = pl_world_body_count(world);
  double elements = 0;
  locals->count = 0;
  for (int b = 0; b < bodies; b++)
    elements += pl_mesh_element_count(pl_world_body_mesh(world, pl_world_body_at(world, b)));
  for (int b = 0; b < bodies; b++) {
    pl_body_id body = pl_world_body_at(world, b);
    double share = pl_mesh_element_count(pl_world_body_mesh(world, body)) / elements;
    choose_of(locals, world, body, 1 + (int)(share * (PL_MOST_LOCALS - bodies)));
  }
}

pl_status pl_locals_read(const pl_locals *locals, const pl_world *world, double *room, float *out,
                         pl_error *error)
{
  int body = 0;
  for (int k = 0; k < locals->count; k++, out += PL_LOCAL_FLOATS) {
    const pl_local *local = &locals->items[k];
    double edges[9], middle[3], F[9], R[9], S[9];
    if (local->body.index1 != body) {
      pl_status status = pl_world_get_positions(world, local->body, room, error);
      if (status) return status;
      body = local->body.index1;
    }
    edges_of(local, room, edges, middle);
    pl_mat3_multiply(edges, local->inverse, F);
    pl_polar(F, R, S);
    for (int i = 0; i < 3; i++) {
      out[i] = (float)middle[i];
      for (int j = 0; j < 3; j++) out[3 + 3 * j + i] = (float)R[3 * i + j];
    }
  }
  return PL_OK;
}
