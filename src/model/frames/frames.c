/* Frames: a body moved by a handful of them (Gilles, Bousquet, Faure, Pai 2011, "Frame-based
 * elastic models"), here with affine or quadratic frames and linear blending, whose displacements
 * are linear in the unknowns: constant mass, exact stiffness, no inertial terms.
 *
 * The energy is the sum over samples of weight times W(F), the force minus its derivative. Samples
 * are the quadrature points of the mesh's elements, weights are interpolated from its nodes. */
#include "model/frames/frames.h"

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { STRAIN, MOTION, MASS, SHARED, PARAM_COUNT = SHARED + PL_FRAME_PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [STRAIN] = PL_STRAIN_PARAM(PL_STRAIN_COUNT - 1, PL_STRAIN_WORDS),
    [MOTION] = {"motion", "1", "what a frame can do: 12 or 30 unknowns", 0, 0, 1,
                "affine|quadratic", 1},
    [MASS] = {"mass", "1", "each frame's own, or as the frames blend", 0, 0, 1, "lumped|consistent",
              1},
    PL_FRAME_PARAMS,
};

/* Value and gradient of all shape functions of a frame at a sample, weight included. */
static int blend_at(const pl_frames *frames, const pl_sample *at, int frame, double *values,
                    double gradients[][3])
{
  double w, slope[3];
  int reached = pl_frame_weight_at(&frames->field, at, frame, &w, slope);
  pl_frame_monomials(&frames->frames[frame], frames->degree, at->X, values, gradients);
  for (int k = 0; k < frames->field.per; k++) {
    pl_vec3_scale(w, gradients[k], gradients[k]);
    pl_vec3_add_scaled(values[k], slope, gradients[k]);
    values[k] *= w;
  }
  return reached;
}

/* ---- creation ---- */

/* The tetrahedra from the moments of what each frame moves. */
static pl_status make_frames(pl_model *self, const pl_mesh *mesh, pl_frames *frames,
                             pl_error *error)
{
  frames->frames = pl_alloc(&self->allocator, (size_t)frames->field.count, sizeof *frames->frames);
  frames->rest_blocks =
      pl_alloc(&self->allocator, (size_t)self->blocks * 3, sizeof *frames->rest_blocks);
  if (!frames->frames || !frames->rest_blocks) return pl_fail_memory(error);
  self->rest = frames->rest_blocks;
  for (int i = 0; i < frames->field.count; i++) {
    pl_frame_part part;
    pl_status status = pl_frame_part_of(&frames->field, mesh, i, &part, error);
    if (status) return status;
    pl_frame_shape(&part, frames->degree, &frames->frames[i],
                   frames->rest_blocks + 3 * frames->field.per * i);
  }
  return PL_OK;
}

/* The blocks that carry each node. */
static pl_status make_carriers(pl_model *self, const pl_mesh *mesh, pl_frames *frames,
                               pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  size_t nodes = (size_t)mesh->node_count, room = 0;
  frames->nodes = mesh->node_count;
  for (size_t i = 0; i < nodes * (size_t)frames->field.count; i++)
    room += frames->field.weights[i] != 0;
  room *= (size_t)frames->field.per;
  if (room > INT32_MAX)
    return pl_fail(error, PL_E_LIMIT, "%d nodes and %d frames are more than fit", mesh->node_count,
                   frames->field.count);
  frames->start = pl_alloc(allocator, nodes + 1, sizeof *frames->start);
  frames->carrier = pl_alloc(allocator, room, sizeof *frames->carrier);
  frames->share = pl_alloc(allocator, room, sizeof *frames->share);
  if (!frames->start || !frames->carrier || !frames->share) return pl_fail_memory(error);
  int used = 0;
  for (int n = 0; n < mesh->node_count; n++) {
    for (int i = 0; i < frames->field.count; i++) {
      double w = frames->field.weights[(size_t)frames->field.count * (size_t)n + (size_t)i];
      double values[PL_MOST_MONOMIALS], slopes[PL_MOST_MONOMIALS][3];
      if (w == 0) continue;
      pl_frame_monomials(&frames->frames[i], frames->degree, mesh->nodes + 3 * n, values, slopes);
      for (int k = 0; k < frames->field.per; k++) {
        frames->carrier[used] = frames->field.per * i + k;
        frames->share[used++] = w * values[k];
      }
    }
    frames->start[n + 1] = used;
  }
  return PL_OK;
}

enum { LEAST_BATCHES = 16 };

/* The blocks of the frames that reach each chunk, and how much room all of them need. */
static pl_status make_chunks(pl_model *self, const pl_mesh *mesh, pl_frames *frames,
                             pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  pl_status status = pl_frame_field_cut(allocator, mesh, LEAST_BATCHES, &frames->field, error);
  if (status) return status;
  size_t chunks = (size_t)frames->field.chunk_count, rest = 0, sums = 0, pairs = 0;
  int per = frames->field.per;
  frames->chunks = pl_alloc(allocator, chunks, sizeof *frames->chunks);
  frames->chunk_blocks =
      pl_alloc(allocator, chunks * (size_t)self->blocks, sizeof *frames->chunk_blocks);
  if (!frames->chunks || !frames->chunk_blocks) return pl_fail_memory(error);
  for (int c = 0; c < frames->field.chunk_count; c++) {
    pl_frames_chunk *chunk = &frames->chunks[c];
    *chunk = (pl_frames_chunk){.rest = rest, .sums = sums, .pairs = pairs};
    chunk->first = frames->field.starts[c];
    chunk->last = frames->field.starts[c + 1];
    chunk->block = frames->chunk_blocks + (size_t)c * (size_t)self->blocks;
    for (int b = 0; b < self->blocks; b++) {
      if (frames->field.reached[c] >> (b / per) & 1) chunk->block[chunk->blocks++] = b;
    }
    chunk->moved = chunk->blocks - (frames->degree == 1 ? per : 0);
    rest += (size_t)(chunk->last - chunk->first) * (1 + 3 * (size_t)chunk->blocks);
    sums += 3 * (size_t)chunk->blocks + pl_frames_sums(chunk);
    pairs += pl_pair(0, chunk->blocks);
  }
  frames->rest = pl_alloc(allocator, rest, sizeof *frames->rest);
  frames->sums = pl_alloc(allocator, sums, sizeof *frames->sums);
  frames->mass = pl_alloc(allocator, pairs, sizeof *frames->mass);
  frames->places = pl_alloc(allocator, pairs, sizeof *frames->places);
  frames->mirror = pl_alloc(allocator, pairs, sizeof *frames->mirror);
  int ok = frames->rest && frames->sums && frames->mass && frames->places && frames->mirror;
  return ok ? PL_OK : pl_fail_memory(error);
}

/* The gradients of the sample at a place in its lane, and its consistent mass; the copies that fill
 * the last batch weigh nothing. */
static pl_status fill_sample(pl_frames *frames, const pl_mesh *mesh, const pl_frames_chunk *chunk,
                             int place, pl_error *error)
{
  const pl_frame_field *field = &frames->field;
  int index = pl_sample_number(field, place), lane = place % PL_LANES;
  pl_sample at = pl_sample_at(mesh, field->points, index);
  pl_status status = pl_sample_check(&at, index / field->points, error);
  if (status) return status;
  size_t size = 1 + 3 * (size_t)chunk->blocks;
  pl_lanes *rest = frames->rest + chunk->rest + size * (size_t)(place / PL_LANES - chunk->first);
  double values[PL_MOST_FRAMES * PL_MOST_MONOMIALS];
  rest[0][lane] = pl_sample_volume(field, place, at.volume);
  for (int b = 0; b < chunk->blocks; b += frames->field.per) {
    double gradients[PL_MOST_MONOMIALS][3];
    blend_at(frames, &at, chunk->block[b] / frames->field.per, values + b, gradients);
    for (int k = 0; k < 3 * frames->field.per; k++)
      rest[1 + 3 * b + k][lane] = gradients[k / 3][k % 3];
  }
  if (pl_groups_item(&field->groups, place) < 0 || frames->lumped) return PL_OK;
  double density = pl_sample_material(field, index)->density;
  for (int b = 0; b < chunk->blocks; b++) {
    double m = density * at.volume * values[b];
    for (int a = 0; a <= b; a++) frames->mass[chunk->pairs + pl_pair(a, b)] += m * values[a];
  }
  return PL_OK;
}

/* Row sums of the mass, over all samples. */
static void fill_row_mass(const pl_mesh *mesh, pl_frames *frames)
{
  const pl_frame_field *field = &frames->field;
  for (int s = 0; s < field->elements * field->points; s++) {
    pl_sample at = pl_sample_at(mesh, field->points, s);
    double m = pl_sample_material(field, s)->density * at.volume;
    for (int i = 0; i < field->count; i++) {
      double values[PL_MOST_MONOMIALS], gradients[PL_MOST_MONOMIALS][3];
      if (!blend_at(frames, &at, i, values, gradients)) continue;
      for (int k = 0; k < frames->field.per; k++)
        frames->row_mass[frames->field.per * i + k] += m * values[k];
    }
  }
}

static pl_status fill_samples(pl_model *self, const pl_mesh *mesh, pl_frames *frames,
                              pl_error *error)
{
  pl_status status = PL_OK;
  frames->row_mass = pl_alloc(&self->allocator, (size_t)self->blocks, sizeof *frames->row_mass);
  if (!frames->row_mass) return pl_fail_memory(error);
  for (int c = 0; c < frames->field.chunk_count; c++) {
    const pl_frames_chunk *chunk = &frames->chunks[c];
    for (int p = PL_LANES * chunk->first; p < PL_LANES * chunk->last && !status; p++)
      status = fill_sample(frames, mesh, chunk, p, error);
  }
  fill_row_mass(mesh, frames);
  for (int b = 0; b < self->blocks && !status; b++) {
    const double *at = frames->field.origins + 3 * (b / frames->field.per);
    if (!(frames->row_mass[b] > 0))
      status =
          pl_fail(error, PL_E_ARGUMENT,
                  "frame %d at (%g, %g, %g) moves too few samples; move it, refine the mesh or "
                  "take motion=\"affine\"",
                  b / frames->field.per + 1, at[0], at[1], at[2]);
  }
  self->lumped_mass = frames->row_mass;
  return status;
}

/* What the unknowns strain at a sample at rest. */
typedef struct source {
  const pl_frames *frames;
  const pl_mesh *mesh;
} source;

static int columns_at(const void *model, int sample, pl_frame_column *columns)
{
  const source *from = model;
  const pl_frames *frames = from->frames;
  const pl_material *material = pl_sample_material(&frames->field, sample);
  pl_sample at = pl_sample_at(from->mesh, frames->field.points, sample);
  int count = 0;
  for (int i = 0; i < frames->field.count; i++) {
    double values[PL_MOST_MONOMIALS], gradients[PL_MOST_MONOMIALS][3];
    if (!blend_at(frames, &at, i, values, gradients)) continue;
    for (int k = 0; k < 3 * frames->field.per; k++) {
      double G[9] = {0};
      memcpy(G + 3 * (k % 3), gradients[k / 3], 3 * sizeof *G);
      columns[count++] = pl_frame_column_of(material, 3 * frames->field.per * i + k, G);
    }
  }
  return count;
}

/* The samples that are evaluated. */
static pl_status choose_samples(pl_model *self, const pl_mesh *mesh, pl_frames *frames, int count,
                                pl_error *error)
{
  if (count > 0 && !frames->lumped)
    return pl_fail(error, PL_E_ARGUMENT,
                   "clusters = %d need mass=\"lumped\", which is that of all samples", count);
  const source from = {frames, mesh};
  const pl_frame_columns columns = {3 * self->blocks, columns_at, &from};
  pl_status status =
      pl_frame_field_reduce(&self->allocator, mesh, count, &columns, &frames->field, error);
  return status ? status : pl_frame_field_group(self, &frames->field, error);
}

static pl_status create(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                        const double *values, pl_error *error)
{
  pl_frames *frames = pl_alloc(&self->allocator, 1, sizeof *frames);
  if (!frames) return pl_fail_memory(error);
  self->state = frames;
  frames->degree = values[MOTION] == 0 ? 1 : 2;
  frames->lumped = values[MASS] == 0;
  frames->kernel = PL_PICK_VARIANT(pl_frames_kernels);
  int per = frames->degree == 1 ? 4 : 10, clusters = (int)values[SHARED + PL_FRAME_CLUSTERS];
  pl_status status = pl_frame_field_make(self, mesh, material, (int)values[STRAIN], per,
                                         values + SHARED, &frames->field, error);
  if (!status) status = make_frames(self, mesh, frames, error);
  if (!status) status = make_carriers(self, mesh, frames, error);
  if (!status) status = choose_samples(self, mesh, frames, clusters, error);
  if (!status) status = make_chunks(self, mesh, frames, error);
  if (!status) status = fill_samples(self, mesh, frames, error);
  return status;
}

static void destroy(pl_model *self)
{
  pl_frames *frames = self->state;
  if (!frames) return;
  pl_frame_field_release(&self->allocator, &frames->field);
  void *arrays[] = {
      frames->frames, frames->rest_blocks,  frames->start,    frames->carrier, frames->share,
      frames->chunks, frames->chunk_blocks, frames->rest,     frames->sums,    frames->places,
      frames->mirror, frames->mass,         frames->row_mass, frames};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

/* ---- the matrix ---- */

static pl_cliques cliques(const pl_model *self)
{
  const pl_frames *frames = self->state;
  return pl_frame_field_cliques(&frames->field);
}

static pl_status bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_frames *frames = self->state;
  pl_status status = PL_OK;
  frames->offset = offset;
  for (int c = 0; c < frames->field.chunk_count; c++) {
    const pl_frames_chunk *chunk = &frames->chunks[c];
    for (int b = 0; b < chunk->blocks; b++) {
      for (int a = 0; a <= b && !status; a++) {
        size_t pair = chunk->pairs + pl_pair(a, b);
        status = pl_frame_find_pair(A, offset, chunk->block[a], chunk->block[b],
                                    &frames->places[pair], &frames->mirror[pair], error);
      }
    }
  }
  return status;
}

/* Adds a chunk's forces and stiffness to those of the body; forces inside a chunk balance. */
static void gather_chunk(const pl_frames *frames, const pl_frames_chunk *chunk, double *f,
                         pl_bsr *A)
{
  const double *sums = frames->sums + chunk->sums;
  double *last = f ? f + 3 * chunk->block[chunk->blocks - 1] : NULL;
  for (int b = 0; f && b < chunk->blocks - 1; b++) {
    for (int i = 0; i < 3; i++) {
      f[3 * chunk->block[b] + i] += sums[3 * b + i];
      last[i] -= sums[3 * b + i];
    }
  }
  if (!A) return;
  sums += 3 * chunk->blocks;
  for (int b = 0; b < chunk->blocks; b++) {
    for (int a = 0; a <= b; a++, sums += 9) {
      size_t pair = chunk->pairs + pl_pair(a, b);
      double *block = A->values + 9 * (size_t)frames->places[pair];
      double *across = A->values + 9 * (size_t)frames->mirror[pair];
      for (int e = 0; e < 9; e++) {
        int turned = 3 * (e % 3) + e / 3;
        if (a == b) {
          block[e] += 0.5 * (sums[e] + sums[turned]);
        } else {
          block[e] += sums[e];
          across[turned] += sums[e];
        }
      }
    }
  }
}

static void evaluate_chunk(void *context, int index)
{
  const pl_frames_job *job = context;
  job->frames->kernel.evaluate(job, &job->frames->chunks[index]);
}

static void evaluate(pl_model *self, const pl_moment *at, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  pl_frames *frames = self->state;
  pl_frames_job job = {.frames = frames, .q = at->q, .v = at->v};
  pl_groups_freeze(&frames->field.groups, at->h, pool);
  if (tangent) job.tangent = *tangent;
  pl_bsr *A = job.tangent.A;
  pl_parallel(pool, frames->field.chunk_count, evaluate_chunk, &job);
  if (A) pl_frame_clear_rows(&frames->field, frames->offset, A);
  for (int c = 0; c < frames->field.chunk_count; c++)
    gather_chunk(frames, &frames->chunks[c], f, A);
}

/* ---- mass ---- */

static void mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  const pl_frames *frames = self->state;
  (void)pool;
  for (int i = 0; frames->lumped && i < 3 * self->blocks; i++)
    f[i] += a * frames->row_mass[i / 3] * x[i];
  for (int c = 0; c < frames->field.chunk_count && !frames->lumped; c++) {
    const pl_frames_chunk *chunk = &frames->chunks[c];
    const double *mass = frames->mass + chunk->pairs;
    for (int j = 0; j < chunk->blocks; j++) {
      for (int i = 0; i <= j; i++) {
        double m = a * *mass++;
        int to = 3 * chunk->block[i], from = 3 * chunk->block[j];
        pl_vec3_add_scaled(m, x + from, f + to);
        if (i != j) pl_vec3_add_scaled(m, x + to, f + from);
      }
    }
  }
}

static void add_diagonal(double *block, double m)
{
  for (int k = 0; k < 9; k += 4) block[k] += m;
}

static void mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  const pl_frames *frames = self->state;
  (void)pool;
  for (int i = 0; frames->lumped && i < self->blocks; i++)
    add_diagonal(A->values + 9 * (size_t)A->diagonal[frames->offset + i], a * frames->row_mass[i]);
  for (int c = 0; c < frames->field.chunk_count && !frames->lumped; c++) {
    const pl_frames_chunk *chunk = &frames->chunks[c];
    size_t pair = chunk->pairs;
    for (int j = 0; j < chunk->blocks; j++) {
      for (int i = 0; i <= j; i++, pair++) {
        add_diagonal(A->values + 9 * (size_t)frames->places[pair], a * frames->mass[pair]);
        if (i != j)
          add_diagonal(A->values + 9 * (size_t)frames->mirror[pair], a * frames->mass[pair]);
      }
    }
  }
}

/* ---- energy and fields ---- */

static void energy_chunk(void *context, int index)
{
  const pl_frames_job *job = context;
  job->frames->field.chunk_sums[index] =
      job->frames->kernel.energy(job, &job->frames->chunks[index]);
}

static double energy(pl_model *self, const double *q, pl_pool *pool)
{
  pl_frames *frames = self->state;
  pl_frames_job job = {.frames = frames, .q = q};
  return pl_frame_field_energy(&frames->field, energy_chunk, &job, pool);
}

static void fields_chunk(void *context, int index)
{
  const pl_frames_job *job = context;
  job->frames->kernel.fields(job, &job->frames->chunks[index]);
}

static void fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  pl_frames *frames = self->state;
  pl_frames_job job = {.frames = frames, .q = q, .stress = von_mises != NULL};
  pl_frame_field_stress(&frames->field, fields_chunk, &job, pool, von_mises, det_f);
}

static void strains(pl_model *self, const double *q, double *strain, double *energies,
                    pl_pool *pool)
{
  pl_frames *frames = self->state;
  pl_frames_job job = {.frames = frames, .q = q, .strains = 1};
  pl_frame_field_strain(&frames->field, fields_chunk, &job, pool, strain, energies);
}

/* A pass for each component: this is for files, not for steps. */
static void tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  pl_frames *frames = self->state;
  for (int k = 0; k < 9; k++) {
    pl_frames_job job = {.frames = frames, .q = q, .component = k + 1};
    pl_frame_field_tensor(&frames->field, fields_chunk, &job, pool, k, F, stress);
  }
}

static void advance_chunk(void *context, int index)
{
  const pl_frames_job *job = context;
  job->frames->kernel.advance(job, &job->frames->chunks[index]);
}

static void advance(pl_model *self, const pl_moment *at, double *memory, pl_pool *pool)
{
  pl_frames *frames = self->state;
  pl_frames_job job = {.frames = frames, .q = at->q, .h = at->h, .memory = memory};
  pl_parallel(pool, frames->field.chunk_count, advance_chunk, &job);
}

/* ---- nodes ---- */

static void nodes(const pl_model *self, const double *q, const double *v, double *out)
{
  const double *blocks = v ? v : q;
  const pl_frames *frames = self->state;
  for (int n = 0; n < frames->nodes; n++) {
    double x[3] = {0};
    for (int k = frames->start[n]; k < frames->start[n + 1]; k++)
      pl_vec3_add_scaled(frames->share[k], blocks + 3 * frames->carrier[k], x);
    pl_vec3_copy(x, out + 3 * (size_t)n);
  }
}

static void spread(const pl_model *self, const double *q, const double *nodal, double *f)
{
  (void)q;
  const pl_frames *frames = self->state;
  for (int n = 0; n < frames->nodes; n++) {
    for (int k = frames->start[n]; k < frames->start[n + 1]; k++)
      pl_vec3_add_scaled(frames->share[k], nodal + 3 * (size_t)n, f + 3 * frames->carrier[k]);
  }
}

static int carriers(const pl_model *self, int node, const int **blocks, const double **weights)
{
  const pl_frames *frames = self->state;
  *blocks = frames->carrier + frames->start[node];
  *weights = frames->share + frames->start[node];
  return frames->start[node + 1] - frames->start[node];
}

static void ride(const pl_model *self, const double *q, int frame, const double X[3], double x[3],
                 double *J)
{
  const pl_frames *frames = self->state;
  double values[PL_MOST_MONOMIALS], slopes[PL_MOST_MONOMIALS][3];
  pl_frame_monomials(&frames->frames[frame], frames->degree, X, values, slopes);
  pl_vec3_set(x, 0, 0, 0);
  for (int k = 0; k < frames->field.per; k++) {
    pl_vec3_add_scaled(values[k], q + 3 * (frames->field.per * frame + k), x);
    for (int i = 0; i < 9; i++) J[9 * k + i] = i % 4 == 0 ? values[k] : 0;
  }
}

static void adopt(const pl_model *self, int frame, const pl_model *from, int frame_from,
                  const double *q_from, const double *v_from, double *q, double *v)
{
  const pl_frames *frames = self->state, *old = from->state;
  double values[PL_MOST_MONOMIALS], slopes[PL_MOST_MONOMIALS][3];
  for (int k = 0; k < frames->field.per; k++) {
    const double *X = frames->rest_blocks + 3 * (frames->field.per * frame + k);
    pl_frame_monomials(&old->frames[frame_from], frames->degree, X, values, slopes);
    pl_vec3_set(q + 3 * k, 0, 0, 0);
    pl_vec3_set(v + 3 * k, 0, 0, 0);
    for (int m = 0; m < frames->field.per; m++) {
      pl_vec3_add_scaled(values[m], q_from + 3 * m, q + 3 * k);
      pl_vec3_add_scaled(values[m], v_from + 3 * m, v + 3 * k);
    }
  }
}

const pl_model_ops pl_model_frames = {
    .info = PL_INFO("frames", "a handful of frames whose affine or quadratic motions are blended",
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
    .energy = energy,
    .fields = fields,
    .strains = strains,
    .tensors = tensors,
    .nodes = nodes,
    .spread = spread,
    .carriers = carriers,
    .frame = {.ride = ride, .adopt = adopt},
};
