/* The model "rod": the formulas stand in rod.h. Behind the nodes' blocks stand the edges' angles,
 * three in a block, times a length that all rods of the body share, so that they are m as well. */
#include "model/rod/rod.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/colour.h"
#include "model/scalars.h"

#include <math.h>
#include <string.h>

enum { THICKNESS, LINE_DENSITY, STRETCH, BEND, TWIST, SHAPE, REST_TWIST, PARAM_COUNT };
enum { CHUNK = 32 }; /* edges or joints */
enum { MEMORY = 7 }; /* per edge: T and U less those at rest, and m of its joint */

static const pl_param params[PARAM_COUNT] = {
    [THICKNESS] = {"thickness", "m", "diameter of the rod: for its stiffness, mass and contact",
                   1e-2, 1e-9, 1e3, NULL, 1},
    [LINE_DENSITY] = {"line-density", "kg/m", "mass per length; without it that of a round section",
                      NAN, 1e-12, 1e9, NULL, 1},
    [STRETCH] = {"stretch-stiffness", "N", "force per strain; without it E pi r^2", NAN, 0, 1e15,
                 NULL, 1},
    [BEND] =
        {"bending-stiffness", "N m^2",
         "moment per curvature; without it E pi r^4/4, which is far too much for ropes of many "
         "threads",
         NAN, 0, 1e15, NULL, 1},
    [TWIST] = {"twist-stiffness", "N m^2", "moment per twist; without it G pi r^4/2", NAN, 0, 1e15,
               NULL, 1},
    [SHAPE] = {"rest-shape", "1", "in which the rod rests: bent as the mesh is, or straight", 0, 0,
               1, "mesh|straight", 1},
    [REST_TWIST] = {"rest-twist", "rad/m", "by which it is twisted at rest", 0, -1e9, 1e9, NULL, 1},
};

typedef struct rod {
  pl_rod_chains chains;
  int nodes, scalars, offset;      /* blocks of points; blocks of angles; where they stand in A */
  double length;                   /* of which angles are counted in */
  double *rest, *lumped, *inertia; /* per block; inertia: per scalar */
  unsigned char *kinds;
  pl_block_hold padding;
  int *stencils; /* PL_JOINT_BLOCKS blocks per joint, then as many per edge */
  int *places;   /* PL_JOINT_BLOCKS^2 per joint; then 4 per edge */
  int *starts;   /* of chunks of joints, then of edges */
  double *sums;  /* energies, of joints and edges */
  pl_colours joint_colours, edge_colours;
  pl_rod_base *base; /* per edge, at the beginning of the substep */
  double *turn;      /* per joint */
} rod;

/* ---- creation ---- */

static int block_of(const rod *self, int edge) { return self->nodes + edge / 3; }

static void fill_stencils(rod *self)
{
  int joints = self->chains.joint_count;
  for (int j = 0; j < joints; j++) {
    const pl_rod_joint *joint = &self->chains.joints[j];
    const pl_rod_edge *a = &self->chains.edges[joint->edges[0]];
    const pl_rod_edge *b = &self->chains.edges[joint->edges[1]];
    const int blocks[PL_JOINT_BLOCKS] = {a->nodes[0], a->nodes[1], b->nodes[1],
                                         block_of(self, joint->edges[0]),
                                         block_of(self, joint->edges[1])};
    memcpy(self->stencils + PL_JOINT_BLOCKS * j, blocks, sizeof blocks);
  }
  for (int e = 0; e < self->chains.edge_count; e++) {
    const int *ends = self->chains.edges[e].nodes;
    const int blocks[PL_JOINT_BLOCKS] = {ends[0], ends[1], ends[0], ends[1], block_of(self, e)};
    memcpy(self->stencils + PL_JOINT_BLOCKS * (joints + e), blocks, sizeof blocks);
  }
}

static void fill_blocks(pl_model *model, rod *self, const pl_mesh *mesh, double thickness)
{
  size_t nodes = (size_t)self->nodes;
  const pl_rod_chains *chains = &self->chains;
  memcpy(self->rest, mesh->nodes, 3 * nodes * sizeof *self->rest);
  for (int e = 0; e < chains->edge_count; e++) self->length += chains->edges[e].length;
  self->length /= chains->edge_count;
  for (int e = 0; e < 3 * self->scalars; e++) {
    const pl_rod_edge *edge = &chains->edges[e < chains->edge_count ? e : 0];
    double mass = edge->density * edge->length, r = thickness / (2 * self->length);
    self->inertia[e] = mass * r * r / 2;
    for (int k = 0; k < 2 && e < chains->edge_count; k++) self->lumped[edge->nodes[k]] += mass / 2;
  }
  model->rest = self->rest;
  model->lumped_mass = self->lumped;
  pl_model_add_scalars(model, self->nodes, chains->edge_count, self->kinds, &self->padding);
  model->memory = MEMORY * (size_t)chains->edge_count;
}

static pl_status make_arrays(pl_model *model, rod *self, const pl_mesh *mesh, pl_error *error)
{
  const pl_allocator *allocator = &model->allocator;
  size_t edges = (size_t)self->chains.edge_count, joints = (size_t)self->chains.joint_count;
  self->nodes = mesh->node_count;
  self->scalars = pl_chunk_count(self->chains.edge_count, 3);
  size_t blocks = (size_t)self->nodes + (size_t)self->scalars, n = PL_JOINT_BLOCKS;
  self->rest = pl_alloc(allocator, 3 * blocks, sizeof *self->rest);
  self->lumped = pl_alloc(allocator, blocks, sizeof *self->lumped);
  self->inertia = pl_alloc(allocator, 3 * (size_t)self->scalars, sizeof *self->inertia);
  self->kinds = pl_alloc(allocator, blocks, 1);
  self->stencils = pl_alloc(allocator, n * (edges + joints), sizeof *self->stencils);
  self->places = pl_alloc(allocator, n * n * joints + 4 * edges, sizeof *self->places);
  self->starts = pl_alloc(allocator, (edges + joints) / CHUNK + 4, sizeof *self->starts);
  self->sums = pl_alloc(allocator, edges + joints, sizeof *self->sums);
  self->base = pl_alloc(allocator, edges, sizeof *self->base);
  self->turn = pl_alloc(allocator, joints + 1, sizeof *self->turn);
  int ok = self->rest && self->lumped && self->inertia && self->kinds && self->stencils &&
           self->places && self->starts && self->sums && self->base && self->turn;
  return ok ? PL_OK : pl_fail_memory(error);
}

/* Chunks of joints that share no block may be summed at once, and so may chunks of edges. */
static pl_status colour(pl_model *model, rod *self, int first, int count, int *starts,
                        pl_colours *colours, pl_error *error)
{
  int chunks = pl_chunk_count(count, CHUNK);
  for (int c = 0; c <= chunks; c++) starts[c] = c < chunks ? CHUNK * c : count;
  const pl_chunks of = {.elements = self->stencils + PL_JOINT_BLOCKS * first,
                        .size = PL_JOINT_BLOCKS,
                        .count = count,
                        .chunks = chunks,
                        .starts = starts};
  return pl_colours_create(&model->allocator, model->blocks, &of, colours, error);
}

/* T, U and m as they were when the substep began: memory NULL, at rest. */
static void begin(pl_model *model, const double *memory)
{
  rod *self = model->state;
  for (int e = 0; e < self->chains.edge_count; e++) {
    const pl_rod_edge *edge = &self->chains.edges[e];
    static const double none[MEMORY] = {0};
    const double *of = memory ? memory + MEMORY * e : none;
    pl_vec3_add(edge->direction, of, self->base[e].direction);
    pl_vec3_add(edge->frame, of + 3, self->base[e].frame);
  }
  for (int j = 0; j < self->chains.joint_count; j++) {
    const pl_rod_joint *joint = &self->chains.joints[j];
    self->turn[j] = joint->turn + (memory ? memory[MEMORY * joint->edges[0] + 6] : 0);
  }
}

static pl_status create(pl_model *model, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  rod *self = pl_alloc(&model->allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  model->state = self;
  model->thickness = values[THICKNESS];
  const pl_rod_def def = {.mesh = mesh,
                          .material = material,
                          .model = &model->sites,
                          .thickness = values[THICKNESS],
                          .line_density = values[LINE_DENSITY],
                          .stretch = values[STRETCH],
                          .bend = values[BEND],
                          .twist = values[TWIST],
                          .rest_twist = values[REST_TWIST],
                          .is_straight = (int)values[SHAPE] == 1};
  pl_status status = pl_rod_chains_create(&model->allocator, &def, &self->chains, error);
  if (!status) status = make_arrays(model, self, mesh, error);
  if (status) return status;
  int joints = self->chains.joint_count, after = pl_chunk_count(joints, CHUNK) + 1;
  fill_blocks(model, self, mesh, def.thickness);
  fill_stencils(self);
  begin(model, NULL);
  status = colour(model, self, 0, joints, self->starts, &self->joint_colours, error);
  if (status) return status;
  return colour(model, self, joints, self->chains.edge_count, self->starts + after,
                &self->edge_colours, error);
}

static void destroy(pl_model *model)
{
  rod *self = model->state;
  if (!self) return;
  void *arrays[] = {self->rest,   self->lumped, self->inertia, self->kinds, self->stencils,
                    self->places, self->starts, self->sums,    self->base,  self->turn};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&model->allocator, arrays[i]);
  pl_colours_destroy(&model->allocator, &self->joint_colours);
  pl_colours_destroy(&model->allocator, &self->edge_colours);
  pl_rod_chains_destroy(&model->allocator, &self->chains);
  pl_free(&model->allocator, self);
}

static pl_cliques cliques(const pl_model *model)
{
  const rod *self = model->state;
  return (pl_cliques){.count = self->chains.joint_count + self->chains.edge_count,
                      .size = PL_JOINT_BLOCKS,
                      .nodes = self->stencils};
}

/* The places of all pairs of so many blocks. */
static pl_status find_places(const pl_bsr *A, int offset, const int *blocks, int count, int *places,
                             pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < count * count && !status; i++)
    status = pl_bsr_place(A, offset, blocks[i / count], blocks[i % count], &places[i], error);
  return status;
}

static pl_status bind(pl_model *model, const pl_bsr *A, int offset, pl_error *error)
{
  rod *self = model->state;
  int n = PL_JOINT_BLOCKS, joints = self->chains.joint_count, *places = self->places;
  pl_status status = PL_OK;
  self->offset = offset;
  for (int j = 0; j < joints && !status; j++, places += n * n)
    status = find_places(A, offset, self->stencils + n * j, n, places, error);
  for (int e = 0; e < self->chains.edge_count && !status; e++, places += 4)
    status = find_places(A, offset, self->chains.edges[e].nodes, 2, places, error);
  return status;
}

/* ---- forces ---- */

typedef struct job {
  rod *self;
  const double *q, *v;
  double *f, *values;
  double kq, kv;
  int semidefinite;
  const int *starts; /* where each chunk begins */
  void (*pass)(const struct job *job, int item);
} job;

static double angle_of(const rod *self, const double *of, int edge)
{
  return of[3 * (size_t)self->nodes + (size_t)edge] / self->length;
}

/* e_a, e_b, theta_a and theta_b of positions, or of velocities. */
static void gather(const rod *self, const pl_rod_joint *joint, const double *of, double z[8])
{
  for (int i = 0; i < 2; i++) {
    const int *ends = self->chains.edges[joint->edges[i]].nodes;
    pl_vec3_sub(of + 3 * (size_t)ends[1], of + 3 * (size_t)ends[0], z + 3 * i);
    z[6 + i] = angle_of(self, of, joint->edges[i]);
  }
}

/* What the blocks of the stencil, numbers 0 to 14, are to the unknowns of the joint: at most two
 * entries each. */
static double share(const rod *self, const pl_rod_joint *joint, int number, int unknown)
{
  int block = number / 3, k = number % 3;
  if (unknown < 3) return k != unknown || block > 1 ? 0 : block == 0 ? -1 : 1;
  if (unknown < 6) return k != unknown - 3 || block == 0 || block > 2 ? 0 : block == 1 ? -1 : 1;
  int i = unknown - 6;
  return block == 3 + i && k == joint->edges[i] % 3 ? 1 / self->length : 0;
}

/* Adds H of the unknowns to the blocks of the matrix. */
static void add_matrix(const job *now, int number, double H[8][8])
{
  enum { N = 3 * PL_JOINT_BLOCKS };
  const rod *self = now->self;
  const pl_rod_joint *joint = &self->chains.joints[number];
  double B[8][N], HB[8][N] = {{0}}, K[N][N] = {{0}};
  for (int i = 0; i < 8 * N; i++) B[i / N][i % N] = share(self, joint, i % N, i / N);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      for (int c = 0; c < N && H[i][j] != 0; c++) HB[i][c] += H[i][j] * B[j][c];
    }
  }
  for (int i = 0; i < 8; i++) {
    for (int r = 0; r < N; r++) {
      for (int c = 0; c < N && B[i][r] != 0; c++) K[r][c] += B[i][r] * HB[i][c];
    }
  }
  const int *places = self->places + (size_t)(PL_JOINT_BLOCKS * PL_JOINT_BLOCKS) * (size_t)number;
  for (int ab = 0; ab < PL_JOINT_BLOCKS * PL_JOINT_BLOCKS; ab++) {
    double *to = now->values + 9 * (size_t)places[ab];
    int row = ab / PL_JOINT_BLOCKS * 3, column = ab % PL_JOINT_BLOCKS * 3;
    // blocks are stored column after column
    for (int k = 0; k < 9; k++) to[k] += K[row + k % 3][column + k / 3];
  }
}

/* kq and kv times minus the slopes of the joint's forces; how viscous ones change with q is left
 * out. */
static void joint_matrix(const job *now, int number, const pl_rod_look *look, const double c[3],
                         const double elastic[3])
{
  const pl_rod_joint *joint = look->joint;
  double H[8][8], curve[8][8], moments[3];
  memset(H, 0, sizeof H);
  for (int s = 0; s < 3; s++) {
    double scale = c[s] * (now->kq + (now->v ? now->kv * joint->viscous : 0));
    for (int ij = 0; ij < 64; ij++)
      H[ij / 8][ij % 8] += scale * look->gradients[s][ij / 8] * look->gradients[s][ij % 8];
    moments[s] = now->kq * elastic[s];
  }
  if (!now->semidefinite && now->kq != 0) {
    pl_rod_joint_curve(look, moments, curve);
    for (int ij = 0; ij < 64; ij++) H[ij / 8][ij % 8] += curve[ij / 8][ij % 8];
  }
  add_matrix(now, number, H);
}

static void joint_pass(const job *now, int number)
{
  rod *self = now->self;
  const pl_rod_joint *joint = &self->chains.joints[number];
  double z[8], rate[8], elastic[3], viscous[3] = {0};
  const double c[3] = {joint->bend, joint->bend, joint->twist};
  pl_rod_look look = {.joint = joint,
                      .base = {self->base[joint->edges[0]], self->base[joint->edges[1]]},
                      .turn = self->turn[number]};
  gather(self, joint, now->q, z);
  memcpy(look.e, z, sizeof look.e);
  memcpy(look.theta, z + 6, sizeof look.theta);
  pl_rod_joint_look(&look);
  if (now->v) gather(self, joint, now->v, rate);
  double sum = 0;
  for (int s = 0; s < 3; s++) {
    double off = look.strains[s] - joint->rest[s], speed = 0;
    elastic[s] = c[s] * off;
    sum += elastic[s] * off / 2;
    for (int i = 0; now->v && i < 8; i++) speed += look.gradients[s][i] * rate[i];
    viscous[s] = joint->viscous * c[s] * speed;
  }
  self->sums[number] = sum;
  for (int n = 0; n < 3 * PL_JOINT_BLOCKS && now->f; n++) {
    double force = 0;
    for (int i = 0; i < 8; i++) {
      double part = share(self, joint, n, i);
      for (int s = 0; s < 3 && part != 0; s++)
        force -= part * look.gradients[s][i] * (elastic[s] + viscous[s]);
    }
    now->f[3 * self->stencils[PL_JOINT_BLOCKS * number + n / 3] + n % 3] += force;
  }
  if (now->values) joint_matrix(now, number, &look, c, elastic);
}

/* The stretching of an edge: S (|e| - L) / L along t, and viscous S times the rate of the strain.
 */
static void edge_pass(const job *now, int number)
{
  rod *self = now->self;
  const pl_rod_edge *edge = &self->chains.edges[number];
  const int *ends = edge->nodes;
  double e[3], t[3], rate[3] = {0}, c = edge->stretch / edge->length;
  pl_vec3_sub(now->q + 3 * (size_t)ends[1], now->q + 3 * (size_t)ends[0], e);
  double length = pl_vec3_norm(e), off = length - edge->length;
  for (int k = 0; k < 3; k++) t[k] = length > 0 ? e[k] / length : edge->direction[k];
  if (now->v) pl_vec3_sub(now->v + 3 * (size_t)ends[1], now->v + 3 * (size_t)ends[0], rate);
  double force = c * off + c * edge->viscous * pl_vec3_dot(t, rate);
  self->sums[self->chains.joint_count + number] = c * off * off / 2;
  if (now->f) {
    pl_vec3_add_scaled(force, t, now->f + 3 * (size_t)ends[0]);
    pl_vec3_add_scaled(-force, t, now->f + 3 * (size_t)ends[1]);
  }
  if (!now->values) return;
  double along = c * (now->kq + (now->v ? now->kv * edge->viscous : 0)), K[9];
  double across = length > 0 ? now->kq * c * off / length : 0;
  if (now->semidefinite) across = fmax(across, 0);
  for (int k = 0; k < 9; k++) {
    double tt = t[k / 3] * t[k % 3];
    K[k] = (along - across) * tt + (k % 4 == 0 ? across : 0);
  }
  const int *places = self->places +
                      PL_JOINT_BLOCKS * PL_JOINT_BLOCKS * (size_t)self->chains.joint_count +
                      4 * (size_t)number;
  for (int k = 0; k < 36; k++)
    now->values[9 * (size_t)places[k / 9] + (size_t)(k % 9)] +=
        (k / 9 == 0 || k / 9 == 3 ? 1 : -1) * K[k % 9];
}

static void run_chunk(void *context, int chunk)
{
  const job *now = context;
  for (int i = now->starts[chunk]; i < now->starts[chunk + 1]; i++) now->pass(now, i);
}

static void run(job *now, pl_pool *pool)
{
  rod *self = now->self;
  now->pass = joint_pass;
  now->starts = self->starts;
  if (self->chains.joint_count) pl_colours_run(&self->joint_colours, pool, run_chunk, now);
  now->pass = edge_pass;
  now->starts = self->starts + pl_chunk_count(self->chains.joint_count, CHUNK) + 1;
  pl_colours_run(&self->edge_colours, pool, run_chunk, now);
}

static void evaluate(pl_model *model, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  rod *self = model->state;
  job now = {.self = self, .q = at->q, .v = at->v, .f = f};
  if (tangent) {
    const pl_bsr *A = tangent->A;
    size_t from = (size_t)A->start[self->offset];
    size_t to = (size_t)A->start[self->offset + model->blocks];
    memset(tangent->A->values + 9 * from, 0, 9 * (to - from) * sizeof *A->values);
    now.values = tangent->A->values;
    now.kq = tangent->kq;
    now.kv = tangent->kv;
    now.semidefinite = tangent->semidefinite;
  }
  run(&now, pool);
}

static double energy(pl_model *model, const double *q, pl_pool *pool)
{
  rod *self = model->state;
  job now = {.self = self, .q = q};
  double sum = 0;
  run(&now, pool);
  for (int i = 0; i < self->chains.joint_count + self->chains.edge_count; i++) sum += self->sums[i];
  return sum;
}

/* ---- memory: the frames are carried on to where the substep ended ---- */

static void carry_edge(const rod *self, int e, const double *q, pl_rod_base *base)
{
  const int *ends = self->chains.edges[e].nodes;
  double t[3], u[3];
  pl_vec3_sub(q + 3 * (size_t)ends[1], q + 3 * (size_t)ends[0], t);
  double length = pl_vec3_norm(t);
  if (!(length > 0)) return;
  pl_vec3_scale(1 / length, t, t);
  pl_rod_carry(base->direction, t, base->frame, u);
  // rounding must not add up
  pl_vec3_add_scaled(-pl_vec3_dot(t, u), t, u);
  pl_vec3_scale(1 / pl_vec3_norm(u), u, base->frame);
  pl_vec3_copy(t, base->direction);
}

static void advance(pl_model *model, const pl_moment *at, double *memory, pl_pool *pool)
{
  rod *self = model->state;
  (void)pool;
  begin(model, memory);
  for (int e = 0; e < self->chains.edge_count; e++) {
    const pl_rod_edge *edge = &self->chains.edges[e];
    carry_edge(self, e, at->q, &self->base[e]);
    pl_vec3_sub(self->base[e].direction, edge->direction, memory + MEMORY * e);
    pl_vec3_sub(self->base[e].frame, edge->frame, memory + MEMORY * e + 3);
  }
  for (int j = 0; j < self->chains.joint_count; j++) {
    const pl_rod_joint *joint = &self->chains.joints[j];
    const pl_rod_base *a = &self->base[joint->edges[0]], *b = &self->base[joint->edges[1]];
    double turn = pl_rod_angle(a->direction, a->frame, b->direction, b->frame);
    turn += 2 * PL_PI * floor((self->turn[j] - turn) / (2 * PL_PI) + 0.5);
    memory[MEMORY * joint->edges[0] + 6] = turn - joint->turn;
  }
}

/* ---- what is held and turned ---- */

static int held_scalars(const pl_model *model, const unsigned char *nodes, int *list)
{
  const rod *self = model->state;
  int count = 0;
  for (int e = 0; e < self->chains.edge_count; e++) {
    const int *ends = self->chains.edges[e].nodes;
    if (!nodes[ends[0]] || !nodes[ends[1]]) continue;
    if (list) list[count] = 3 * self->nodes + e;
    count++;
  }
  return count;
}

/* out = v turned by a unit quaternion. */
static void rotate(const double by[4], const double v[3], double out[3])
{
  double once[3], twice[3];
  pl_vec3_cross(by, v, once);
  pl_vec3_cross(by, once, twice);
  for (int k = 0; k < 3; k++) out[k] = v[k] + 2 * (by[3] * once[k] + twice[k]);
}

static double turned_scalar(const pl_model *model, int scalar, const double turn[3], double now)
{
  const rod *self = model->state;
  int e = scalar - 3 * self->nodes;
  double by[4], t[3], u[3], m[3], w[3];
  pl_quat_of_vector(turn, by);
  rotate(by, self->chains.edges[e].direction, t);
  rotate(by, self->chains.edges[e].frame, m);
  pl_rod_carry(self->base[e].direction, t, self->base[e].frame, u);
  pl_vec3_cross(t, u, w);
  double angle = pl_atan2(pl_vec3_dot(w, m), pl_vec3_dot(u, m)), old = now / self->length;
  return self->length * (angle + 2 * PL_PI * floor((old - angle) / (2 * PL_PI) + 0.5));
}

/* ---- mass ---- */

static double mass_of(const pl_model *model, int i)
{
  const rod *self = model->state;
  int points = 3 * self->nodes;
  return i < points ? self->lumped[i / 3] : self->inertia[i - points];
}

static void mass_add(pl_model *model, double a, const double *x, double *f, pl_pool *pool)
{
  (void)pool;
  for (int i = 0; i < 3 * model->blocks; i++) f[i] += a * mass_of(model, i) * x[i];
}

static void mass_matrix(pl_model *model, double a, pl_bsr *A, pl_pool *pool)
{
  const rod *self = model->state;
  (void)pool;
  for (int i = 0; i < 3 * model->blocks; i++)
    A->values[9 * (size_t)A->diagonal[self->offset + i / 3] + 4 * (size_t)(i % 3)] +=
        a * mass_of(model, i);
}

static void mass_inverse(const pl_model *model, const double *y, double *x)
{
  for (int i = 0; i < 3 * model->blocks; i++) x[i] = y[i] / mass_of(model, i);
}

/* The stress of stretching, and the stretch. */
static void fields(pl_model *model, const double *q, double *von_mises, double *det_f,
                   pl_pool *pool)
{
  const rod *self = model->state;
  double area = PL_PI * model->thickness * model->thickness / 4;
  (void)pool;
  for (int e = 0; e < self->chains.edge_count; e++) {
    const pl_rod_edge *edge = &self->chains.edges[e];
    double length =
        pl_vec3_distance(q + 3 * (size_t)edge->nodes[0], q + 3 * (size_t)edge->nodes[1]);
    double stretch = length / edge->length;
    if (det_f) det_f[e] = stretch;
    if (von_mises) von_mises[e] = fabs(edge->stretch * (stretch - 1)) / area;
  }
}

const pl_model_ops pl_model_rod = {
    .info =
        PL_INFO("rod", "threads, ropes and rods: segments that stretch, joints that bend and twist",
                "Bergou et al. 2008, 2010", params),
    .meshes = PL_ON_SEGMENTS,
    .create = create,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .memory = {.advance = advance, .begin = begin},
    .scalars = {.held = held_scalars, .turned = turned_scalar},
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .mass_inverse = mass_inverse,
    .energy = energy,
    .fields = fields,
};
