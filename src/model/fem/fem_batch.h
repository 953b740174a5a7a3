/* Four elements at once: their nodes, gradients and the volumes that points share (volume.h). For
 * hot files, which are compiled per instruction set. */
#ifndef PL_MODEL_FEM_FEM_BATCH_H
#define PL_MODEL_FEM_FEM_BATCH_H

#include "math/lanes_mat3.h"
#include "model/fem/fem.h"
#include "model/fem/fem_lanes.h"

enum { MOST_EDGES = PL_ELEMENT_NODES - 1 };

/* What is added to the matrix: K_ab of the pairs a < b, entries in the order of memory. */
typedef pl_lanes blocks[PL_ELEMENT_NODES * (PL_ELEMENT_NODES - 1) / 2][9];

PL_INLINE const int *batch_nodes(const pl_fem *fem, int batch, const int count)
{
  return fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
}

PL_INLINE const pl_lanes *batch_rest(const pl_fem *fem, int batch, const int count,
                                     const int points)
{
  return fem->rest + (size_t)batch * pl_fem_rest_size(count, points);
}

/* The vectors from the last node to the others. */
PL_INLINE void gather_edges(const double *x, const int *nodes, const int count, pl_lanes *edges)
{
  pl_lanes origin[3];
  pl_fem_gather(x, nodes + PL_LANES * (count - 1), origin);
  for (int a = 0; a < count - 1; a++) {
    pl_fem_gather(x, nodes + PL_LANES * a, edges + 3 * a);
    for (int i = 0; i < 3; i++) edges[3 * a + i] -= origin[i];
  }
}

/* G = sum_a edge_a b_a^T: F from positions, its rate from velocities. */
PL_INLINE void gradient(const pl_lanes *edges, const pl_lanes *b, const int count, pl_lanes *G)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      pl_lanes sum = edges[i] * b[j];
      for (int a = 1; a < count - 1; a++) sum += edges[3 * a + i] * b[3 * a + j];
      G[3 * i + j] = sum;
    }
  }
}

/* The last node's vector: all sum to zero. */
PL_INLINE void close_vectors(const int count, pl_lanes *vectors)
{
  for (int i = 0; i < 3; i++) {
    pl_lanes sum = vectors[i];
    for (int a = 1; a < count - 1; a++) sum += vectors[3 * a + i];
    vectors[3 * (count - 1) + i] = -sum;
  }
}

/* One of the numbers of an element; a quadratic one is eight in the mesh. */
PL_INLINE void write_element(const pl_fem *fem, int element, int width, int k, double value,
                             double *to)
{
  const int *tets = fem->tets ? fem->tets + PL_OCTET_TETS * element : &element;
  for (int i = 0; i < (fem->tets ? PL_OCTET_TETS : 1); i++) to[width * tets[i] + k] = value;
}

/* ---- volumes that points share ---- */

/* What the points of a batch share: the sum of w dtheta/dF b of each node, the pressure and that of
 * the matrix, and theta of each point. */
typedef struct shared {
  pl_lanes r[3 * PL_ELEMENT_NODES], kappa, size, pressure, geometric;
  pl_lanes theta[PL_ELEMENT_POINTS];
} shared;

/* The mean theta of the batch, and what its nodes have of its slope. */
PL_INLINE pl_lanes mean_theta(const pl_group *group, const pl_lanes *edges, const pl_lanes *rest,
                              const int count, const int points, shared *s)
{
  pl_lanes sum = pl_lanes_all(0), F[9], slope[9];
  memset(s->r, 0, sizeof s->r);
  s->size = pl_lanes_all(0);
  for (int p = 0; p < points; p++) {
    const pl_lanes *b = rest + p * (3 * count - 2) + 1, weight = b[-1];
    gradient(edges, b, count, F);
    if (group->volume)
      group->volume(F, &s->theta[p], slope);
    else
      s->theta[p] = pl_lanes_mat3_cofactors(F, slope) - 1.0;
    s->size += weight;
    sum += weight * s->theta[p];
    for (int i = 0; i < 9; i++) slope[i] *= weight;
    for (int a = 0; a < count - 1; a++) {
      for (int i = 0; i < 3; i++) s->r[3 * a + i] += pl_lanes_dot3(slope + 3 * i, b + 3 * a);
    }
  }
  // copies that fill up a batch have no size
  s->size = pl_lanes_pick(s->size > 0.0, s->size, pl_lanes_all(1));
  return sum / s->size;
}

/* What the last linearisation says of theta, and the next one from here. */
PL_INLINE pl_lanes predict(pl_lanes *linear, const pl_lanes *edges, const int count)
{
  pl_lanes sum = linear[0];
  for (int i = 0; i < 3 * (count - 1); i++) sum += linear[1 + i] * edges[i];
  return sum;
}

PL_INLINE void linearise(const shared *s, pl_lanes theta, const pl_lanes *edges, const int count,
                         pl_lanes *linear)
{
  linear[0] = theta;
  for (int i = 0; i < 3 * (count - 1); i++) {
    linear[1 + i] = s->r[i] / s->size;
    linear[0] -= linear[1 + i] * edges[i];
  }
}

PL_INLINE pl_lanes *batch_linear(const pl_fem *fem, int batch, const int count)
{
  return fem->volume.linear + (size_t)batch * (size_t)(3 * count - 2);
}

/* Takes the shared part out of the point's law and finds the pressure in its place. */
PL_INLINE void share_volume(const pl_fem_job *job, const pl_group *group, int batch,
                            const pl_lanes *edges, const pl_lanes *rest, const int count,
                            const int points, pl_point *point, shared *s)
{
  const pl_fem_volume *volume = &job->fem->volume;
  const int wants_matrix = job->tangent.A != NULL;
  pl_lanes theta = mean_theta(group, edges, rest, count, points, s);
  s->kappa = volume->kappa[batch];
  if (volume->kind == PL_VOLUME_ELEMENT) {
    pl_lanes *linear = batch_linear(job->fem, batch, count), guess = theta;
    if (wants_matrix && volume->predicts) guess = predict(linear, edges, count);
    if (wants_matrix) linearise(s, theta, edges, count, linear);
    s->pressure = s->kappa * theta;
    s->geometric = wants_matrix ? s->kappa * guess : s->pressure;
  } else {
    s->pressure = volume->pressure[batch];
    s->geometric = wants_matrix ? volume->geometric[batch] : s->pressure;
  }
  point->lambda -= s->kappa;
  point->pressure = &s->geometric;
}

/* What forces have beyond those with the pressure of the matrix. */
PL_INLINE void add_shared_forces(const shared *s, const int count, pl_lanes *forces)
{
  const pl_lanes more = s->pressure - s->geometric;
  for (int i = 0; i < 3 * (count - 1); i++) forces[i] -= more * s->r[i];
}

/* The part kappa/V r r^T of the blocks. */
PL_INLINE void add_shared_blocks(shared *s, double kq, const int count, blocks K)
{
  const pl_lanes scale = kq * s->kappa / s->size;
  close_vectors(count, s->r);
  for (int m = 0, pair = 0; m < count - 1; m++) {
    for (int n = m + 1; n < count; n++, pair++) {
      for (int e = 0; e < 9; e++) K[pair][e] += scale * s->r[3 * m + e % 3] * s->r[3 * n + e / 3];
    }
  }
}

/* Mean theta of every element, and by the last linearisation, for groups of several elements. */
PL_INLINE void volumes_of(const pl_fem_job *job, int batch, const int count, const int points)
{
  const pl_fem *fem = job->fem;
  const pl_fem_volume *volume = &fem->volume;
  pl_lanes edges[3 * MOST_EDGES], *linear = batch_linear(fem, batch, count);
  shared s;
  gather_edges(job->q, batch_nodes(fem, batch, count), count, edges);
  pl_lanes theta = mean_theta(pl_group_at(&fem->groups, batch), edges,
                              batch_rest(fem, batch, count, points), count, points, &s);
  volume->theta[batch] = volume->predicted[batch] = theta;
  if (!job->tangent.A) return;
  if (volume->predicts) volume->predicted[batch] = predict(linear, edges, count);
  linearise(&s, theta, edges, count, linear);
}

#endif
