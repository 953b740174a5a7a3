/* Bending "edge": see plate.h. Hinges are looked at four at once, triangles one after the other. */
#include "model/cloth/plate.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/cloth/items.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 32 }; /* triangles */

/* ---- creation ---- */

static pl_status make_arrays(const pl_allocator *allocator, pl_plate *p, pl_error *error)
{
  size_t triangles = (size_t)p->triangle_count;
  int chunks = pl_chunk_count(p->triangle_count, CHUNK);
  p->triangles = pl_alloc(allocator, triangles, sizeof *p->triangles);
  p->stencil = pl_alloc(allocator, PL_PLATE_BLOCKS * triangles, sizeof *p->stencil);
  p->places = pl_alloc(allocator, 81 * triangles, sizeof *p->places);
  p->looks =
      pl_alloc(allocator, (size_t)p->hinges.batches * PL_LANES * PL_HINGE_LOOK, sizeof *p->looks);
  p->moments = pl_alloc(allocator, (size_t)p->hinges.batches * PL_LANES, sizeof *p->moments);
  p->inertia = pl_alloc(allocator, (size_t)p->blocks, sizeof *p->inertia);
  p->starts = pl_alloc(allocator, (size_t)chunks + 1, sizeof *p->starts);
  p->sums = pl_alloc(allocator, (size_t)chunks + 1, sizeof *p->sums);
  int ok = p->triangles && p->stencil && p->places && p->looks && p->moments && p->inertia &&
           p->starts && p->sums;
  for (int c = 0; ok && c <= chunks; c++) p->starts[c] = c < chunks ? CHUNK * c : p->triangle_count;
  return ok ? PL_OK : pl_fail_memory(error);
}

void pl_plate_destroy(const pl_allocator *allocator, pl_plate *p)
{
  void *arrays[] = {p->triangles, p->stencil, p->places, p->looks,
                    p->moments,   p->inertia, p->starts, p->sums};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  pl_cloth_items_destroy(allocator, &p->hinges);
  pl_colours_destroy(allocator, &p->colours);
}

/* Which side of the triangle an edge is, and whether the triangle runs along it. */
static int side_of(const pl_sheet_triangle *t, const pl_cloth_edge *edge, int *along)
{
  for (int i = 0; i < 3; i++) {
    int from = t->nodes[i], to = t->nodes[(i + 1) % 3];
    *along = from == edge->nodes[0] && to == edge->nodes[1];
    if (*along || (from == edge->nodes[1] && to == edge->nodes[0])) return i;
  }
  return -1;
}

/* Why an edge does not do; its places, since the numbers here are not those of the mesh that was
 * read. */
static pl_status refuse_edge(const pl_cloth_edge *edge, const double *nodes, pl_error *error)
{
  const double *a = nodes + 3 * (size_t)edge->nodes[0], *b = nodes + 3 * (size_t)edge->nodes[1];
  if (edge->shared > 2)
    return pl_fail_entity(error, PL_E_MESH, edge->triangles[0],
                          "bending=\"edge\" needs surfaces, but %d triangles meet at the edge from "
                          "(%g, %g, %g) to (%g, %g, %g); take bending=\"hinge\", or separate them",
                          edge->shared, a[0], a[1], a[2], b[0], b[1], b[2]);
  return pl_fail_entity(error, PL_E_MESH, edge->triangles[0],
                        "two triangles run the same way along the edge from (%g, %g, %g) to (%g, "
                        "%g, %g), so that the sheet has no one upper side; turn one of them",
                        a[0], a[1], a[2], b[0], b[1], b[2]);
}

/* Enters an edge into its triangle number side of two. */
static pl_status enter_edge(pl_plate *p, const double *nodes, int e, int side, int item,
                            pl_error *error)
{
  const pl_cloth_edge *edge = &p->sheet->edges[e];
  int number = edge->triangles[side], along;
  const pl_sheet_triangle *from = &p->sheet->triangles[number];
  int i = side_of(from, edge, &along), *stencil = p->stencil + PL_PLATE_BLOCKS * number;
  pl_plate_triangle *to = &p->triangles[number];
  if (edge->shared > 2 || along == side) return refuse_edge(edge, nodes, error);
  to->edges[i] = e;
  to->items[i] = item;
  to->signs[i] = side ? -1 : 1;
  stencil[6 + i] = p->first + e / 3;
  if (item < 0) return PL_OK;
  stencil[3 + i] = edge->nodes[3 - side];
  const int first[4] = {i, (i + 1) % 3, (i + 2) % 3, 3 + i};
  const int second[4] = {(i + 1) % 3, i, 3 + i, (i + 2) % 3};
  memcpy(to->slots[i], side ? second : first, sizeof first);
  return PL_OK;
}

/* Q of a triangle: each side's part of the curvature, 11 22 and twice 12. */
static void set_stiffness(pl_plate *p, int number)
{
  const pl_sheet_triangle *t = &p->sheet->triangles[number];
  pl_plate_triangle *to = &p->triangles[number];
  // D as C times t^2/12, or so that its first entry is the given stiffness
  double scale = t->bending > 0 ? t->bending : t->C[0] > 0 ? -t->bending / t->C[0] : 0;
  double k[3][3], M[3][3];
  for (int i = 0; i < 3; i++) {
    // the side's normal points against the gradient of the node opposite, whose length is |e|/2A
    const double *b = t->b + 2 * ((i + 2) % 3);
    double size = sqrt(b[0] * b[0] + b[1] * b[1]), warp = b[0] / size, weft = b[1] / size;
    k[i][0] = 2 * size * warp * warp;
    k[i][1] = 2 * size * weft * weft;
    k[i][2] = 2 * size * 2 * warp * weft;
    M[i][0] = t->C[0] * k[i][0] + t->C[1] * k[i][1];
    M[i][1] = t->C[1] * k[i][0] + t->C[2] * k[i][1];
    M[i][2] = t->C[3] * k[i][2];
  }
  for (int i = 0; i < 9; i++)
    to->Q[i / 3][i % 3] = t->area * scale * pl_vec3_dot(k[i / 3], M[i % 3]);
  to->viscous = t->viscous;
}

static pl_status set_triangles(pl_plate *p, const double *nodes, const unsigned char *rigid,
                               pl_error *error)
{
  pl_status status = PL_OK;
  const pl_sheet *sheet = p->sheet;
  for (int t = 0; t < p->triangle_count; t++) {
    int *stencil = p->stencil + PL_PLATE_BLOCKS * t;
    for (int k = 0; k < 6; k++) stencil[k] = sheet->triangles[t].nodes[k < 3 ? k : 0];
    for (int k = 6; k < 9; k++) stencil[k] = p->first;
    if (!rigid || !rigid[t]) set_stiffness(p, t);
  }
  for (int e = 0, item = 0; e < sheet->edge_count && !status; e++) {
    int hinged = sheet->edges[e].nodes[3] >= 0;
    for (int side = 0; side <= hinged && !status; side++)
      status = enter_edge(p, nodes, e, side, hinged ? item : -1, error);
    item += hinged;
  }
  return status;
}

static pl_status make_hinges(const pl_allocator *allocator, pl_plate *p, int node_count,
                             pl_error *error)
{
  int count = 0;
  for (int e = 0; e < p->sheet->edge_count; e++) count += p->sheet->edges[e].nodes[3] >= 0;
  pl_status status =
      pl_cloth_items_create(allocator, count, 4, PL_HINGE_LANES, 1, &p->hinges, error);
  if (status) return status;
  for (int e = 0, item = 0; e < p->sheet->edge_count; e++) {
    const double data[PL_HINGE_LANES] = {[PL_HINGE_REST] = p->sheet->bend[e]};
    if (p->sheet->edges[e].nodes[3] >= 0)
      pl_cloth_items_set(&p->hinges, item++, p->sheet->edges[e].nodes, data);
  }
  return pl_cloth_items_finish(allocator, node_count, 0, 0, &p->hinges, error);
}

/* L, and the rotary inertia of each block: the mean of its scalars. */
static void set_inertia(pl_plate *p, const double *nodes)
{
  const pl_sheet *sheet = p->sheet;
  double t2 = sheet->thickness * sheet->thickness / 12;
  for (int e = 0; e < sheet->edge_count; e++) {
    const int *ends = sheet->edges[e].nodes;
    p->length += pl_vec3_distance(nodes + 3 * (size_t)ends[0], nodes + 3 * (size_t)ends[1]) /
                 sheet->edge_count;
  }
  for (int e = 0; e < sheet->edge_count; e++) {
    for (int side = 0; side < 2; side++) {
      int t = sheet->edges[e].triangles[side], in = e / 3 * 3 + 3;
      if (t < 0) continue;
      double share = 1.0 / (in > sheet->edge_count ? sheet->edge_count - (in - 3) : 3);
      p->inertia[e / 3] += share * t2 * sheet->triangles[t].density * sheet->triangles[t].area /
                           (3 * p->length * p->length);
    }
  }
}

pl_status pl_plate_create(const pl_allocator *allocator, const pl_sheet *sheet, const pl_mesh *mesh,
                          const unsigned char *rigid, pl_plate *p, pl_error *error)
{
  *p = (pl_plate){.sheet = sheet,
                  .first = mesh->node_count,
                  .blocks = (sheet->edge_count + 2) / 3,
                  .triangle_count = sheet->triangle_count};
  pl_status status = make_hinges(allocator, p, mesh->node_count, error);
  if (!status) status = make_arrays(allocator, p, error);
  if (!status) status = set_triangles(p, mesh->nodes, rigid, error);
  if (status) return status;
  set_inertia(p, mesh->nodes);
  const pl_chunks of = {.elements = p->stencil,
                        .size = PL_PLATE_BLOCKS,
                        .count = p->triangle_count,
                        .chunks = pl_chunk_count(p->triangle_count, CHUNK),
                        .starts = p->starts};
  return pl_colours_create(allocator, p->first + p->blocks, &of, &p->colours, error);
}

pl_status pl_plate_bind(pl_plate *p, const pl_bsr *A, int offset, pl_error *error)
{
  for (int i = 0; i < 81 * p->triangle_count; i++) {
    const int *stencil = p->stencil + PL_PLATE_BLOCKS * (i / 81);
    int a = stencil[i % 81 / 9], b = stencil[i % 9];
    pl_status status = pl_bsr_place(A, offset, a, b, &p->places[i], error);
    if (status) return status;
  }
  return pl_cloth_items_bind(&p->hinges, A, offset, error);
}

/* ---- triangles ---- */

typedef struct plate_job {
  pl_plate *plate;
  const pl_cloth_job *job;
} plate_job;

static double scalar_of(const pl_plate *p, const double *of, int e)
{
  return of[3 * (size_t)(p->first + e / 3) + (size_t)(e % 3)];
}

/* How the sides are bent, and the rates of that; returns the elastic energy. */
static double bend(const pl_plate *p, const pl_cloth_job *job, const pl_plate_triangle *t,
                   double elastic[3], double all[3])
{
  double a[3], rate[3] = {0}, sum = 0;
  for (int i = 0; i < 3; i++) {
    const double *look = t->items[i] < 0 ? NULL : p->looks + PL_HINGE_LOOK * t->items[i];
    double turn = t->signs[i] / p->length;
    a[i] = turn * scalar_of(p, job->q, t->edges[i]) + (look ? 0.5 * look[PL_LOOK_OFF] : 0);
    if (!job->v) continue;
    rate[i] = turn * scalar_of(p, job->v, t->edges[i]) + (look ? 0.5 * look[PL_LOOK_RATE] : 0);
  }
  for (int i = 0; i < 3; i++) {
    elastic[i] = pl_vec3_dot(t->Q[i], a);
    all[i] = elastic[i] + t->viscous * pl_vec3_dot(t->Q[i], rate);
    sum += 0.5 * elastic[i] * a[i];
  }
  return sum;
}

static void add_forces(const pl_plate *p, const pl_cloth_job *job, int number, const double m[3])
{
  const pl_plate_triangle *t = &p->triangles[number];
  const int *stencil = p->stencil + PL_PLATE_BLOCKS * number;
  for (int i = 0; i < 3; i++) {
    int e = t->edges[i];
    job->f[3 * (size_t)(p->first + e / 3) + (size_t)(e % 3)] -= t->signs[i] * m[i] / p->length;
    if (t->items[i] < 0) continue;
    const double *g = p->looks + PL_HINGE_LOOK * t->items[i] + PL_LOOK_G;
    for (int k = 0; k < 4; k++)
      pl_vec3_add_scaled(-0.5 * m[i], g + 3 * k, job->f + 3 * (size_t)stencil[t->slots[i][k]]);
  }
}

/* K = sum_ij Q_ij B_i B_j^T, where B_i is the gradient of a_i. */
static void add_matrix(const pl_plate *p, const pl_cloth_job *job, int number)
{
  const pl_plate_triangle *t = &p->triangles[number];
  double B[3][27] = {{0}}, C[3][27] = {{0}};
  double scale = job->kq + (job->v ? job->kv * t->viscous : 0);
  for (int i = 0; i < 3; i++) {
    B[i][18 + 3 * i + t->edges[i] % 3] = t->signs[i] / p->length;
    if (t->items[i] < 0) continue;
    const double *g = p->looks + PL_HINGE_LOOK * t->items[i] + PL_LOOK_G;
    for (int k = 0; k < 12; k++) B[i][3 * t->slots[i][k / 3] + k % 3] = 0.5 * g[k];
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 27; k++)
      C[i][k] = scale * (t->Q[i][0] * B[0][k] + t->Q[i][1] * B[1][k] + t->Q[i][2] * B[2][k]);
  }
  const int *places = p->places + 81 * (size_t)number;
  for (int ab = 0; ab < 81; ab++) {
    double *to = job->values + 9 * (size_t)places[ab];
    int row = ab / 9 * 3, column = ab % 9 * 3;
    for (int k = 0; k < 9; k++) {
      int r = row + k % 3, c = column + k / 3;
      to[k] += B[0][r] * C[0][c] + B[1][r] * C[1][c] + B[2][r] * C[2][c];
    }
  }
}

static void run_chunk(void *context, int chunk)
{
  const plate_job *now = context;
  pl_plate *p = now->plate;
  const pl_cloth_job *job = now->job;
  double sum = 0;
  for (int t = p->starts[chunk]; t < p->starts[chunk + 1]; t++) {
    double elastic[3], all[3];
    const pl_plate_triangle *at = &p->triangles[t];
    sum += bend(p, job, at, elastic, all);
    for (int i = 0; i < 3; i++) {
      if (at->items[i] >= 0) p->moments[at->items[i]] += 0.5 * elastic[i];
    }
    if (job->f) add_forces(p, job, t, all);
    if (job->values) add_matrix(p, job, t);
  }
  p->sums[chunk] = sum;
}

double pl_plate_run(pl_plate *p, pl_cloth_job *job, pl_pool *pool)
{
  double sum = 0;
  job->looks = p->looks;
  job->moments = p->moments;
  (void)pl_cloth_items_run(job, &p->hinges, PL_PICK_VARIANT(pl_cloth_look), pool);
  memset(p->moments, 0, (size_t)p->hinges.batches * PL_LANES * sizeof *p->moments);
  plate_job now = {p, job};
  pl_colours_run(&p->colours, pool, run_chunk, &now);
  for (int chunk = 0; chunk < p->colours.chunks && job->wants_energy; chunk++)
    sum += p->sums[chunk];
  if (job->values && !job->semidefinite && job->kq != 0)
    (void)pl_cloth_items_run(job, &p->hinges, PL_PICK_VARIANT(pl_cloth_moments), pool);
  return sum;
}
