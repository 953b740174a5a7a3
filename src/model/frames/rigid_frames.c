/* Rigid frames: a body moved by a handful of rotations and points, blended by dual quaternions or
 * linearly (Gilles, Bousquet, Faure, Pai 2011, "Frame-based elastic models").
 *
 * A frame has two blocks: its rotation vector and its point, which is the mean of the part of the
 * body that it moves. Then its mass, mass centre and moments of inertia are those of its part (the
 * row sums of the mass matrix along rigid motions; the diagonal that the paper keeps loses mass),
 * gravity acts on points only, and the inertial force is that of a rigid body, -w x I w.
 *
 * Forces are integrated over samples, or come from springs between pairs of frames whose stiffness
 * is that of the samples at rest (rigid_springs.c). */
#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/frames/rigid.h"

#include <math.h>
#include <string.h>

enum { STRAIN, BLENDING, FORCES, STIFFNESS, SHARED, PARAM_COUNT = SHARED + PL_FRAME_PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [STRAIN] = PL_STRAIN_PARAM(PL_STRAIN_COUNT - 1, PL_STRAIN_WORDS),
    [BLENDING] = {"blending", "1", "how the motions of frames are mixed", 0, 0, 1,
                  "dual-quaternion|linear", 1},
    [FORCES] = {"forces", "1",
                "integrated over the samples, or by springs between frames that are as stiff as "
                "the body at rest",
                0, 0, 1, "integrated|springs", 1},
    [STIFFNESS] = {"stiffness", "1",
                   "the exact derivative of the forces, or without the second derivatives of the "
                   "motion",
                   0, 0, 1, "exact|approximate", 1},
    PL_FRAME_PARAMS,
};

/* ---- where the frames are ---- */

static void pose_one(pl_rigid *rigid, int i, const double *q, const double *v)
{
  pl_pose *pose = &rigid->poses[i];
  pl_quat_of_vector(q + 6 * i, pose->s);
  pl_quat_matrix(pose->s, pose->R);
  pl_vec3_sub(q + 6 * i + 3, rigid->middle, pose->t);
  // the dual part is half the shift at the origin of the rest shape, times the real part
  double shift[4] = {0}, dual[4];
  pl_mat3_apply(pose->R, pose->C, shift);
  pl_vec3_sub(pose->t, shift, shift);
  pl_quat_multiply(shift, pose->s, dual);
  for (int k = 0; k < 4; k++) pose->s[4 + k] = 0.5 * dual[k];
  memset(pose->velocity, 0, sizeof pose->velocity);
  if (v) memcpy(pose->velocity, v + 6 * i, sizeof pose->velocity);
  pl_vec3_copy(pose->velocity, pose->twist);
  pl_vec3_cross(pose->t, pose->velocity, pose->twist + 3);
  pl_vec3_add(pose->twist + 3, pose->velocity + 3, pose->twist + 3);
}

void pl_rigid_pose(pl_rigid *rigid, const double *q, const double *v)
{
  int count = rigid->field.count;
  pl_vec3_set(rigid->middle, 0, 0, 0);
  for (int i = 0; i < count; i++) pl_vec3_add_scaled(1.0 / count, q + 6 * i + 3, rigid->middle);
  for (int i = 0; i < count; i++) pose_one(rigid, i, q, v);
}

static void update_mass(pl_model *self, const double *q)
{
  pl_rigid *rigid = self->state;
  for (int i = 0; i < rigid->field.count; i++) {
    double quat[4], R[9], half[9], *I = rigid->inertia + 9 * i;
    pl_quat_of_vector(q + 6 * i, quat);
    pl_quat_matrix(quat, R);
    pl_mat3_multiply(R, rigid->inertia_rest + 9 * i, half);
    pl_mat3_multiply_nt(half, R, I);
    pl_mat3_symmetric(I, I);
    pl_mat3_inverse(I, rigid->inertia_inverse + 9 * i);
  }
}

/* ---- creation ---- */

static pl_status make_frames(pl_model *self, const pl_mesh *mesh, pl_rigid *rigid, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  size_t count = (size_t)rigid->field.count;
  rigid->poses = pl_alloc(allocator, count, sizeof *rigid->poses);
  rigid->rest_blocks = pl_alloc(allocator, count * 6, sizeof *rigid->rest_blocks);
  rigid->lumped = pl_alloc(allocator, count * 2, sizeof *rigid->lumped);
  rigid->kinds = pl_alloc(allocator, count * 2, sizeof *rigid->kinds);
  rigid->inertia_rest = pl_alloc(allocator, count * 9, sizeof(double));
  rigid->inertia = pl_alloc(allocator, count * 9, sizeof(double));
  rigid->inertia_inverse = pl_alloc(allocator, count * 9, sizeof(double));
  if (!rigid->poses || !rigid->rest_blocks || !rigid->lumped || !rigid->kinds ||
      !rigid->inertia_rest || !rigid->inertia || !rigid->inertia_inverse)
    return pl_fail_memory(error);
  self->rest = rigid->rest_blocks;
  self->lumped_mass = rigid->lumped;
  self->kinds = rigid->kinds;
  for (size_t i = 0; i < count; i++) rigid->kinds[2 * i] = PL_BLOCK_ROTATION;
  for (int i = 0; i < rigid->field.count; i++) {
    pl_frame_part part;
    pl_status status = pl_frame_part_of(&rigid->field, mesh, i, &part, error);
    if (status) return status;
    const double *V = part.variance, *at = rigid->field.origins + 3 * i;
    double mass = part.mass, trace = V[0] + V[4] + V[8];
    double *I = rigid->inertia_rest + 9 * i;
    for (int k = 0; k < 9; k++) I[k] = mass * ((k % 4 == 0 ? trace : 0) - V[k]);
    if (!(pl_mat3_det(I) > 1e-9 * pl_pow(mass * pl_cbrt(part.volume * part.volume), 3)))
      return pl_fail(error, PL_E_ARGUMENT,
                     "frame %d at (%g, %g, %g) moves too few samples to have moments of inertia; "
                     "move it or refine the mesh",
                     i + 1, at[0], at[1], at[2]);
    rigid->lumped[2 * i + 1] = mass;
    pl_vec3_copy(part.centre, rigid->rest_blocks + 6 * i + 3);
    pl_vec3_add_scaled(1.0 / rigid->field.count, part.centre, rigid->rest_middle);
  }
  for (int i = 0; i < rigid->field.count; i++)
    pl_vec3_sub(rigid->rest_blocks + 6 * i + 3, rigid->rest_middle, rigid->poses[i].C);
  update_mass(self, rigid->rest_blocks);
  return PL_OK;
}

enum { LEAST_BATCHES = 32 };

/* The frames that reach each chunk, and room for all of them. */
static pl_status make_chunks(pl_model *self, const pl_mesh *mesh, pl_rigid *rigid, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  pl_status status = pl_frame_field_cut(allocator, mesh, LEAST_BATCHES, &rigid->field, error);
  if (status) return status;
  size_t chunks = (size_t)rigid->field.chunk_count, count = (size_t)rigid->field.count;
  size_t rest = 0, sums = 0, pairs = 0, max = 0;
  rigid->chunks = pl_alloc(allocator, chunks, sizeof *rigid->chunks);
  rigid->chunk_frames = pl_alloc(allocator, chunks * count, sizeof *rigid->chunk_frames);
  if (!rigid->chunks || !rigid->chunk_frames) return pl_fail_memory(error);
  for (int c = 0; c < rigid->field.chunk_count; c++) {
    pl_rigid_chunk *chunk = &rigid->chunks[c];
    *chunk = (pl_rigid_chunk){.rest = rest, .sums = sums, .pairs = pairs};
    chunk->first = rigid->field.starts[c];
    chunk->last = rigid->field.starts[c + 1];
    chunk->frame = rigid->chunk_frames + (size_t)c * count;
    for (int i = 0; i < rigid->field.count; i++) {
      if (rigid->field.reached[c] >> i & 1) chunk->frame[chunk->frames++] = i;
    }
    chunk->moved = chunk->frames - rigid->balanced;
    rest += (size_t)(chunk->last - chunk->first) * (4 + 4 * (size_t)chunk->frames);
    sums += 6 * (size_t)chunk->moved + 36 * pl_pair(0, chunk->moved);
    pairs += 4 * pl_pair(0, chunk->frames);
    if (chunk->frames > (int)max) max = (size_t)chunk->frames;
  }
  rigid->rooms.size = pl_rigid_room((int)max);
  rigid->rooms.lanes = pl_alloc(allocator, rigid->rooms.size * chunks, sizeof *rigid->rooms.lanes);
  atomic_init(&rigid->rooms.free, UINT32_MAX);
  rigid->whole = pl_alloc(allocator, 6 * max + 36 * pl_pair(0, (int)max), sizeof *rigid->whole);
  rigid->rest = pl_alloc(allocator, rest, sizeof *rigid->rest);
  rigid->sums = pl_alloc(allocator, sums, sizeof *rigid->sums);
  rigid->places = pl_alloc(allocator, pairs, sizeof *rigid->places);
  rigid->mirror = pl_alloc(allocator, pairs, sizeof *rigid->mirror);
  int ok = rigid->rooms.lanes && rigid->rest && rigid->sums && rigid->whole && rigid->places &&
           rigid->mirror;
  return ok ? PL_OK : pl_fail_memory(error);
}

/* What the unknowns strain at a sample at rest: u + w x (X - C), times the frame's weight. What the
 * weight multiplies is a rotation and strains nothing. */
typedef struct source {
  const pl_rigid *rigid;
  const pl_mesh *mesh;
} source;

static int columns_at(const void *model, int sample, pl_frame_column *columns)
{
  const source *from = model;
  const pl_frame_field *field = &from->rigid->field;
  const pl_material *material = pl_sample_material(field, sample);
  pl_sample at = pl_sample_at(from->mesh, field->points, sample);
  int count = 0;
  for (int i = 0; i < field->count; i++) {
    double w, slope[3], arm[3];
    if (!pl_frame_weight_at(field, &at, i, &w, slope)) continue;
    pl_vec3_sub(at.X, from->rigid->rest_blocks + 6 * i + 3, arm);
    for (int k = 0; k < 6; k++) {
      double move[3] = {k == 3, k == 4, k == 5}, axis[3] = {k == 0, k == 1, k == 2}, G[9];
      if (k < 3) pl_vec3_cross(axis, arm, move);
      for (int e = 0; e < 9; e++) G[e] = move[e / 3] * slope[e % 3];
      columns[count++] = pl_frame_column_of(material, 6 * i + k, G);
    }
  }
  return count;
}

/* The samples that are evaluated. */
static pl_status choose_samples(pl_model *self, const pl_mesh *mesh, pl_rigid *rigid, int count,
                                pl_error *error)
{
  const source from = {rigid, mesh};
  const pl_frame_columns columns = {6 * rigid->field.count, columns_at, &from};
  pl_status status =
      pl_frame_field_reduce(&self->allocator, mesh, count, &columns, &rigid->field, error);
  return status ? status : pl_frame_field_group(self, &rigid->field, error);
}

/* Rest data of all samples; the copies that fill the last batch weigh nothing. */
static pl_status fill_samples(const pl_mesh *mesh, pl_rigid *rigid, pl_error *error)
{
  for (int c = 0; c < rigid->field.chunk_count; c++) {
    const pl_rigid_chunk *chunk = &rigid->chunks[c];
    size_t size = 4 + 4 * (size_t)chunk->frames;
    for (int p = PL_LANES * chunk->first; p < PL_LANES * chunk->last; p++) {
      int index = pl_sample_number(&rigid->field, p), lane = p % PL_LANES;
      pl_sample at = pl_sample_at(mesh, rigid->field.points, index);
      pl_status status = pl_sample_check(&at, index / rigid->field.points, error);
      if (status) return status;
      pl_lanes *rest = rigid->rest + chunk->rest + size * (size_t)(p / PL_LANES - chunk->first);
      rest[0][lane] = pl_sample_volume(&rigid->field, p, at.volume);
      for (int k = 0; k < 3; k++) rest[1 + k][lane] = at.X[k] - rigid->rest_middle[k];
      for (int i = 0; i < chunk->frames; i++) {
        double w, slope[3];
        pl_frame_weight_at(&rigid->field, &at, chunk->frame[i], &w, slope);
        rest[4 + 4 * i][lane] = w;
        for (int k = 0; k < 3; k++) rest[5 + 4 * i + k][lane] = slope[k];
      }
    }
  }
  return PL_OK;
}

static pl_status create(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  pl_rigid *rigid = pl_alloc(&self->allocator, 1, sizeof *rigid);
  if (!rigid) return pl_fail_memory(error);
  self->state = rigid;
  rigid->blend = (int)values[BLENDING];
  rigid->springs = values[FORCES] == 1;
  rigid->approximate = values[STIFFNESS] == 1;
  rigid->kernel = PL_PICK_VARIANT(pl_rigid_kernels);
  self->inexact = rigid->approximate || rigid->springs;
  int strain = (int)values[STRAIN], clusters = (int)values[SHARED + PL_FRAME_CLUSTERS];
  pl_status status =
      pl_frame_field_make(self, mesh, material, strain, 2, values + SHARED, &rigid->field, error);
  if (!status) status = make_frames(self, mesh, rigid, error);
  if (!status) status = pl_rigid_make_carriers(self, mesh, error);
  if (!status) status = choose_samples(self, mesh, rigid, clusters, error);
  if (status) return status;
  // the fast way of Green's strain is Hooke's
  const pl_groups *groups = &rigid->field.groups;
  rigid->green = strain == PL_STRAIN_green && groups->count == 1 &&
                 groups->list->points == groups->list->strain;
  rigid->balanced = rigid->green || rigid->blend == PL_BLEND_DUAL;
  // joint springs have the samples' stiffness at rest, and nothing of their memory
  if (rigid->springs) self->groups = NULL;
  status = make_chunks(self, mesh, rigid, error);
  if (!status) status = fill_samples(mesh, rigid, error);
  if (!status && rigid->springs) status = pl_rigid_make_joints(&self->allocator, rigid, error);
  return status;
}

static void destroy(pl_model *self)
{
  pl_rigid *rigid = self->state;
  if (!rigid) return;
  pl_frame_field_release(&self->allocator, &rigid->field);
  void *arrays[] = {rigid->rest_blocks,
                    rigid->lumped,
                    rigid->poses,
                    rigid->inertia_rest,
                    rigid->inertia,
                    rigid->inertia_inverse,
                    rigid->carried.start,
                    rigid->carried.carrier,
                    rigid->carried.share,
                    rigid->carried.pair_carrier,
                    rigid->carried.pair_share,
                    rigid->carried.rest,
                    rigid->chunks,
                    rigid->chunk_frames,
                    rigid->rest,
                    rigid->sums,
                    rigid->rooms.lanes,
                    rigid->whole,
                    rigid->places,
                    rigid->mirror,
                    rigid->joints,
                    rigid->kinds,
                    rigid};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

/* ---- the matrix ---- */

static pl_cliques cliques(const pl_model *self)
{
  const pl_rigid *rigid = self->state;
  return pl_frame_field_cliques(&rigid->field);
}

static pl_status bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_rigid *rigid = self->state;
  pl_status status = PL_OK;
  rigid->offset = offset;
  for (int c = 0; c < rigid->field.chunk_count; c++) {
    const pl_rigid_chunk *chunk = &rigid->chunks[c];
    size_t at = chunk->pairs;
    for (int j = 0; j < chunk->frames; j++) {
      for (int k = 0; k < 4 * (j + 1) && !status; k++, at++) {
        int row = 2 * chunk->frame[k / 4] + k / 2 % 2, column = 2 * chunk->frame[j] + k % 2;
        status = pl_frame_find_pair(A, offset, row, column, &rigid->places[at], &rigid->mirror[at],
                                    error);
      }
    }
  }
  return status ? status : pl_rigid_bind_joints(rigid, A, error);
}

void pl_rigid_add_block(const double *K, const int *places, double factor, pl_bsr *A)
{
  for (int e = 0; e < 36; e++) {
    int row = e / 6, column = e % 6;
    double *block = A->values + 9 * (size_t)places[2 * (row / 3) + column / 3];
    block[3 * (column % 3) + row % 3] += factor * K[e];
  }
}

/* The same for the transposed block, whose places are those of the block itself, mirrored. */
static void add_mirror(const double *K, const int *mirror, double factor, pl_bsr *A)
{
  const int places[4] = {mirror[0], mirror[2], mirror[1], mirror[3]};
  pl_rigid_add_block(K, places, factor, A);
}

/* Adds a chunk's forces and stiffness to those of the body. */
static void gather_chunk(const pl_rigid *rigid, const pl_rigid_job *job,
                         const pl_rigid_chunk *chunk, double *f, pl_bsr *A)
{
  const double *sums = rigid->whole;
  pl_rigid_complete(rigid, job, chunk);
  for (int i = 0; f && i < 6 * chunk->frames; i++) f[6 * chunk->frame[i / 6] + i % 6] += sums[i];
  sums += 6 * chunk->frames;
  size_t at = chunk->pairs;
  for (int j = 0; A && j < chunk->frames; j++) {
    for (int i = 0; i <= j; i++, sums += 36, at += 4) {
      double turned[36];
      for (int e = 0; e < 36; e++) turned[6 * (e % 6) + e / 6] = sums[e];
      pl_rigid_add_block(sums, rigid->places + at, 1, A);
      if (i != j) add_mirror(turned, rigid->mirror + at, 1, A);
    }
  }
}

/* The first room that is free: as many are in use, and in the cache, as threads are at work. */
static int take_room(pl_rigid *rigid)
{
  uint32_t free = atomic_load(&rigid->rooms.free);
  for (;;) {
    int first = 0;
    while (!(free >> first & 1)) first++;
    if (atomic_compare_exchange_weak(&rigid->rooms.free, &free, free & ~((uint32_t)1 << first)))
      return first;
  }
}

static void evaluate_chunk(void *context, int index)
{
  const pl_rigid_job *job = context;
  pl_rigid *rigid = (pl_rigid *)job->rigid;
  int room = take_room(rigid);
  rigid->kernel.evaluate(job, &rigid->chunks[index],
                         rigid->rooms.lanes + rigid->rooms.size * (size_t)room);
  atomic_fetch_or(&rigid->rooms.free, (uint32_t)1 << room);
}

/* The inertial force of turning frames. */
static void add_inertial(const pl_rigid *rigid, const double *v, double *f)
{
  for (int i = 0; i < rigid->field.count; i++) {
    double spin[3], torque[3];
    pl_mat3_apply(rigid->inertia + 9 * i, v + 6 * i, spin);
    pl_vec3_cross(spin, v + 6 * i, torque);
    pl_vec3_add(f + 6 * i, torque, f + 6 * i);
  }
}

static void evaluate(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  const double *q = at->q, *v = at->v;
  pl_bsr *A = tangent ? tangent->A : NULL;
  pl_rigid_job job = {.rigid = rigid, .matrix = A != NULL};
  if (tangent) job.kq = tangent->kq, job.kv = tangent->kv;
  job.semidefinite = tangent ? tangent->semidefinite : 0;
  job.moving = v != NULL;
  pl_groups_freeze(&rigid->field.groups, at->h, pool);
  pl_rigid_pose(rigid, q, v);
  update_mass(self, q);
  if (A) pl_frame_clear_rows(&rigid->field, rigid->offset, A);
  if (rigid->springs) {
    pl_rigid_spring(rigid, &job, f, A);
  } else {
    pl_parallel(pool, rigid->field.chunk_count, evaluate_chunk, &job);
    for (int c = 0; c < rigid->field.chunk_count; c++)
      gather_chunk(rigid, &job, &rigid->chunks[c], f, A);
  }
  if (f && v) add_inertial(rigid, v, f);
}

/* ---- mass ---- */

static void mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  const pl_rigid *rigid = self->state;
  (void)pool;
  for (int i = 0; i < rigid->field.count; i++) {
    double spin[3];
    pl_mat3_apply(rigid->inertia + 9 * i, x + 6 * i, spin);
    pl_vec3_add_scaled(a, spin, f + 6 * i);
    pl_vec3_add_scaled(a * rigid->lumped[2 * i + 1], x + 6 * i + 3, f + 6 * i + 3);
  }
}

static void mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  const pl_rigid *rigid = self->state;
  (void)pool;
  for (int i = 0; i < rigid->field.count; i++) {
    const int *diagonal = A->diagonal + rigid->offset + 2 * i;
    double *turn = A->values + 9 * (size_t)diagonal[0],
           *shift = A->values + 9 * (size_t)diagonal[1];
    for (int k = 0; k < 9; k++) turn[k] += a * rigid->inertia[9 * i + k];
    for (int k = 0; k < 9; k += 4) shift[k] += a * rigid->lumped[2 * i + 1];
  }
}

static void mass_inverse(const pl_model *self, const double *y, double *x)
{
  const pl_rigid *rigid = self->state;
  for (int i = 0; i < rigid->field.count; i++) {
    double spin[3];
    pl_mat3_apply(rigid->inertia_inverse + 9 * i, y + 6 * i, spin);
    pl_vec3_copy(spin, x + 6 * i);
    pl_vec3_scale(1 / rigid->lumped[2 * i + 1], y + 6 * i + 3, x + 6 * i + 3);
  }
}

/* ---- energy and fields ---- */

static void energy_chunk(void *context, int index)
{
  const pl_rigid_job *job = context;
  job->rigid->field.chunk_sums[index] = job->rigid->kernel.energy(job, &job->rigid->chunks[index]);
}

static double energy(pl_model *self, const double *q, pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  pl_rigid_job job = {.rigid = rigid};
  pl_rigid_pose(rigid, q, NULL);
  if (rigid->springs) return pl_rigid_spring_energy(rigid);
  return pl_frame_field_energy(&rigid->field, energy_chunk, &job, pool);
}

static void fields_chunk(void *context, int index)
{
  const pl_rigid_job *job = context;
  job->rigid->kernel.fields(job, &job->rigid->chunks[index]);
}

static void fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  pl_rigid_job job = {.rigid = rigid, .stress = von_mises != NULL};
  pl_rigid_pose(rigid, q, NULL);
  pl_frame_field_stress(&rigid->field, fields_chunk, &job, pool, von_mises, det_f);
}

static void strains(pl_model *self, const double *q, double *strain, double *energies,
                    pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  pl_rigid_job job = {.rigid = rigid, .strains = 1};
  pl_rigid_pose(rigid, q, NULL);
  pl_frame_field_strain(&rigid->field, fields_chunk, &job, pool, strain, energies);
}

static void tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  pl_rigid_pose(rigid, q, NULL);
  for (int k = 0; k < 9; k++) {
    pl_rigid_job job = {.rigid = rigid, .component = k + 1};
    pl_frame_field_tensor(&rigid->field, fields_chunk, &job, pool, k, F, stress);
  }
}

static void advance_chunk(void *context, int index)
{
  const pl_rigid_job *job = context;
  job->rigid->kernel.advance(job, &job->rigid->chunks[index]);
}

static void advance(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool)
{
  pl_rigid *rigid = self->state;
  pl_rigid_job job = {.rigid = rigid, .h = at->h, .memory = memory};
  pl_rigid_pose(rigid, at->q, NULL);
  pl_parallel(pool, rigid->field.chunk_count, advance_chunk, &job);
}

const pl_model_ops pl_model_rigid_frames = {
    .info =
        PL_INFO("rigid-frames", "a handful of rigid frames whose blended motions deform the body",
                "Gilles, Bousquet, Faure, Pai 2011", params),
    .meshes = PL_ON_SOLIDS,
    .create = create,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .memory.advance = advance,
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .update_mass = update_mass,
    .mass_inverse = mass_inverse,
    .energy = energy,
    .fields = fields,
    .strains = strains,
    .tensors = tensors,
    .nodes = pl_rigid_nodes,
    .spread = pl_rigid_spread,
    .carriers = pl_rigid_carriers,
    .jacobian = pl_rigid_jacobian,
    .frame = {.ride = pl_rigid_ride, .adopt = pl_rigid_adopt},
};
