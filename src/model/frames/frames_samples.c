/* What all bodies of frames have in common: where their frames stand, what each weighs at the nodes
 * and at the samples, the part of the body that it moves, how samples are dealt out in chunks, and
 * fields of elements from them.
 *
 * Samples are the quadrature points of the mesh's elements, weights are interpolated from its
 * nodes. The gradient is that of the interpolation: in the middle of a voxel, the central
 * difference over half a voxel to both sides. Weights w_i that were not normalised count by their
 * ratios, w_i / S with S = sum w_j and the gradient (grad w_i - (w_i / S) grad S) / S: what dual
 * quaternions, which do not feel a common factor, would make of the w_i themselves, and what linear
 * blending needs to keep the rest shape. */
#include "model/frames/frames.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* ---- samples ---- */

/* The mean of a hexahedron's points is its centre. */
static pl_quadrature middle_shape(void)
{
  pl_quadrature middle = {.weight = 8};
  for (int p = 0; p < 8; p++) {
    pl_quadrature at = pl_quadrature_at(8, p);
    for (int a = 0; a < 8; a++) {
      middle.N[a] += at.N[a] / 8;
      pl_vec3_add_scaled(0.125, at.dN[a], middle.dN[a]);
    }
  }
  return middle;
}

pl_sample pl_sample_at(const pl_mesh *mesh, int points, int index)
{
  int count = mesh->nodes_per_element, middle = count == 8 && points == 1;
  pl_quadrature at = middle ? middle_shape() : pl_quadrature_at(count, index % points);
  pl_sample out = {.nodes = mesh->elements + (size_t)count * (size_t)(index / points),
                   .node_count = count};
  out.volume = pl_quadrature_gradients(&at, mesh->nodes, out.nodes, count, out.b);
  if (middle) out.volume = pl_element_volume(mesh->nodes, out.nodes, 8);
  memcpy(out.N, at.N, sizeof out.N);
  for (int a = 0; a < count; a++)
    pl_vec3_add_scaled(at.N[a], mesh->nodes + 3 * out.nodes[a], out.X);
  return out;
}

pl_status pl_sample_check(const pl_sample *at, int element, pl_error *error)
{
  if (at->volume > 0 && isfinite(1 / at->volume)) return PL_OK;
  return pl_fail_entity(error, PL_E_MESH, element,
                        "element %d has the volume %g m^3 at a quadrature point; it must be "
                        "positive: repair the mesh",
                        element, at->volume);
}

int pl_frame_weight_at(const pl_frame_field *field, const pl_sample *at, int frame, double *w,
                       double gradient[3])
{
  int reached = 0;
  double sum = 0, slope[3] = {0};
  *w = 0;
  pl_vec3_set(gradient, 0, 0, 0);
  for (int a = 0; a < at->node_count; a++) {
    double nodal = field->weights[(size_t)field->count * (size_t)at->nodes[a] + (size_t)frame];
    double scale = field->sums ? field->sums[at->nodes[a]] : 1;
    reached |= nodal != 0;
    *w += at->N[a] * scale * nodal;
    pl_vec3_add_scaled(scale * nodal, at->b[a], gradient);
    sum += at->N[a] * scale;
    pl_vec3_add_scaled(scale, at->b[a], slope);
  }
  if (!field->sums) return reached;
  // what interpolated weights share, which dual quaternions would not feel
  *w /= sum;
  pl_vec3_add_scaled(-*w, slope, gradient);
  pl_vec3_scale(1 / sum, gradient, gradient);
  return reached;
}

uint64_t pl_frames_reaching(const pl_frame_field *field, const pl_mesh *mesh, int first, int last)
{
  uint64_t reached = 0;
  int count = mesh->nodes_per_element;
  for (int place = first, before = -1; place < last; place++) {
    int element = pl_sample_number(field, place) / field->points;
    for (int a = 0; a < count && element != before; a++) {
      int node = mesh->elements[(size_t)count * (size_t)element + (size_t)a];
      const double *w = field->weights + (size_t)field->count * (size_t)node;
      for (int i = 0; i < field->count; i++) reached |= (uint64_t)(w[i] != 0) << i;
    }
    before = element;
  }
  return reached;
}

pl_status pl_frame_part_of(const pl_frame_field *field, const pl_mesh *mesh, int frame,
                           pl_frame_part *part, pl_error *error)
{
  const double *origin = field->origins + 3 * frame;
  double first[3] = {0}, slope[3], w;
  *part = (pl_frame_part){0};
  for (int s = 0; s < field->elements * field->points; s++) {
    pl_sample at = pl_sample_at(mesh, field->points, s);
    if (!pl_frame_weight_at(field, &at, frame, &w, slope)) continue;
    double r[3], share = w * at.volume * pl_sample_material(field, s)->density;
    pl_vec3_sub(at.X, origin, r);
    part->volume += w * at.volume;
    part->mass += share;
    pl_vec3_add_scaled(share, r, first);
    for (int k = 0; k < 9; k++) part->variance[k] += share * r[k / 3] * r[k % 3];
  }
  if (!(part->volume > 0) || !(part->mass > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "frame %d at (%g, %g, %g) moves no sample of the body; move it or refine the "
                   "mesh",
                   frame + 1, origin[0], origin[1], origin[2]);
  for (int k = 0; k < 3; k++) {
    first[k] /= part->mass;
    part->centre[k] = origin[k] + first[k];
  }
  for (int k = 0; k < 9; k++)
    part->variance[k] = part->variance[k] / part->mass - first[k / 3] * first[k % 3];
  return PL_OK;
}

/* ---- frames and their weights ---- */

pl_status pl_frames_check(const pl_mesh *mesh, int count, const double *origins, int given,
                          int *wrong, pl_error *error)
{
  double low[3], high[3], size[3];
  pl_mesh_bounds(mesh, low, high);
  pl_vec3_sub(high, low, size);
  double near = 1e-6 * pl_vec3_norm(size);
  for (*wrong = 0; *wrong < count; ++*wrong) {
    int i = *wrong;
    const double *at = origins + 3 * i;
    pl_anchor anchor = {0};
    pl_status status = given ? pl_mesh_locate(mesh, at, &anchor, error) : PL_OK;
    if (status) return status;
    if (anchor.distance > near)
      return pl_fail(error, PL_E_ARGUMENT,
                     "frame %d at (%g, %g, %g) lies %.3g m outside the body; put it inside", i + 1,
                     at[0], at[1], at[2], anchor.distance);
    for (int j = 0; j < i; j++) {
      if (pl_vec3_distance(at, origins + 3 * j) <= near)
        return pl_fail(error, PL_E_ARGUMENT,
                       "frames %d and %d both stand at (%g, %g, %g); remove one or take fewer",
                       j + 1, i + 1, at[0], at[1], at[2]);
    }
  }
  return PL_OK;
}

/* A frame's blocks are held with the node nearest to it. */
static void find_anchors(const pl_mesh *mesh, pl_frame_field *field)
{
  for (int i = 0; i < field->count; i++) {
    double min = INFINITY;
    for (int n = 0; n < mesh->node_count; n++) {
      double gap = pl_vec3_distance(mesh->nodes + 3 * n, field->origins + 3 * i);
      if (!(gap < min)) continue;
      min = gap;
      for (int b = 0; b < field->per; b++) field->anchors[field->per * i + b] = n;
    }
  }
}

/* The weights of the frames that were there first, then those put in later one by one. */
static pl_status weigh(const pl_allocator *allocator, const pl_mesh *mesh,
                       const pl_model_def *sites, const pl_weighing *how, pl_frame_field *field,
                       pl_error *error)
{
  int first = field->count - sites->inserted;
  if (sites->inserted == 0)
    return pl_frames_weigh(allocator, mesh, field->count, field->origins, how, field->weights,
                           error);
  size_t nodes = (size_t)mesh->node_count, size = (size_t)field->count * nodes;
  double *room = pl_alloc(allocator, size, sizeof *room);
  if (!room) return pl_fail_memory(error);
  pl_status status = pl_frames_weigh(allocator, mesh, first, field->origins, how, room, error);
  // the sums stay, behind more weights
  if (how->raw && !status)
    memcpy(field->weights + size, room + (size_t)first * nodes, nodes * sizeof *room);
  for (int i = first; i < field->count && !status; i++) {
    status = pl_frames_insert(allocator, mesh, i, field->origins + 3 * i, sites->reach[i - first],
                              room, field->weights, error);
    if (i + 1 < field->count) memcpy(room, field->weights, size * sizeof *room);
  }
  pl_free(allocator, room);
  return status;
}

pl_frame_column pl_frame_column_of(const pl_material *material, int unknown,
                                   const double gradient[9])
{
  // the root of Hooke's matrix: sqrt(2 mu) 1 + c (1 1^T) on the normal components
  double normal = sqrt(2 * material->mu), shear = sqrt(material->mu);
  double c = (sqrt(2 * material->mu + 3 * material->lambda) - normal) / 3;
  double trace = c * (gradient[0] + gradient[4] + gradient[8]);
  pl_frame_column out = {.unknown = unknown};
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3;
    out.B[k] = trace + normal * gradient[4 * k];
    out.B[3 + k] = shear * (gradient[3 * k + next] + gradient[3 * next + k]);
  }
  return out;
}

/* What a sample of those that are evaluated is made of. */
static pl_material material_of(const void *context, int item)
{
  const pl_frame_field *field = context;
  return *pl_sample_material(field, field->list ? field->list[item] : item);
}

pl_status pl_frame_field_group(pl_model *self, pl_frame_field *field, pl_error *error)
{
  pl_groups_def def = {.items = field->samples,
                       .points = 1,
                       .strain = field->strain,
                       .all = &field->material,
                       .context = field};
  if (field->sites->materials) def.of = material_of;
  self->groups = &field->groups;
  return pl_groups_create(&self->allocator, &def, &field->groups, error);
}

/* Frames at the sites, or at count places, and what they weigh. */
static pl_status place_frames(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                              const pl_weighing *how, pl_frame_field *field, pl_error *error)
{
  const pl_model_def *sites = field->sites;
  if (sites->count > PL_MOST_FRAMES)
    return pl_fail(error, PL_E_LIMIT, "%d frames are given; at most %d are possible", sites->count,
                   PL_MOST_FRAMES);
  field->count = sites->count ? sites->count : count;
  size_t frames = (size_t)field->count, nodes = (size_t)mesh->node_count;
  field->origins = pl_alloc(allocator, frames * 3, sizeof *field->origins);
  field->weights = pl_alloc(allocator, (frames + (how->raw != 0)) * nodes, sizeof *field->weights);
  field->anchors = pl_alloc(allocator, frames * (size_t)field->per, sizeof *field->anchors);
  if (!field->origins || !field->weights || !field->anchors) return pl_fail_memory(error);
  if (sites->count)
    memcpy(field->origins, sites->at, frames * 3 * sizeof *field->origins);
  else
    pl_frames_place(mesh, field->count, how->kind, field->origins);
  int wrong;
  pl_status status =
      pl_frames_check(mesh, field->count, field->origins, sites->count > 0, &wrong, error);
  if (!status) status = weigh(allocator, mesh, sites, how, field, error);
  if (how->raw) field->sums = field->weights + frames * nodes;
  find_anchors(mesh, field);
  return status;
}

pl_status pl_frame_field_make(pl_model *self, const pl_mesh *mesh, const pl_material *material,
                              int strain, int per, const double *values, pl_frame_field *field,
                              pl_error *error)
{
  const pl_weighing how = {.kind = (int)values[PL_FRAME_WEIGHTS],
                           .seed = values[PL_FRAME_SEED],
                           .cutoff = values[PL_FRAME_CUTOFF],
                           .raw = values[PL_FRAME_NORMALISE] == 0,
                           .owner = self->sites.owner,
                           .pool = self->sites.pool,
                           .store = self->sites.store};
  *field = (pl_frame_field){.per = per, .sites = &self->sites, .material = *material};
  field->strain = pl_strain_at(strain);
  field->points = mesh->nodes_per_element == 8 && values[PL_FRAME_SAMPLES] == 2 ? 8 : 1;
  field->elements = mesh->element_count;
  if (mesh->element_count > INT32_MAX / (16 * field->points))
    return pl_fail(error, PL_E_LIMIT, "%d elements are more samples than fit", field->elements);
  field->samples = mesh->element_count * field->points;
  pl_status status =
      place_frames(&self->allocator, mesh, (int)values[PL_FRAME_COUNT], &how, field, error);
  self->blocks = field->count * per;
  self->frame_count = field->count;
  self->frames_at = field->origins;
  self->anchors = field->anchors;
  return status;
}

void pl_frame_field_release(const pl_allocator *allocator, pl_frame_field *field)
{
  pl_groups_destroy(allocator, &field->groups);
  void *arrays[] = {field->origins, field->weights,    field->anchors,       field->starts,
                    field->list,    field->cluster,    field->volumes,       field->reached,
                    field->cliques, field->chunk_sums, field->sample_stress, field->sample_ratio};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

/* ---- chunks ---- */

enum { FEW_BATCHES = 4 };

/* Do these two frames reach the same chunk? */
static int are_coupled(const pl_frame_field *field, int i, int j)
{
  uint64_t both = (uint64_t)1 << i | (uint64_t)1 << j;
  for (int c = 0; c < field->chunk_count; c++) {
    if ((field->reached[c] & both) == both) return 1;
  }
  return 0;
}

static pl_status make_cliques(const pl_allocator *allocator, pl_frame_field *field, pl_error *error)
{
  int per = field->per;
  for (int i = 0; i < field->count; i++) {
    for (int j = 0; j <= i; j++) field->clique_count += are_coupled(field, i, j);
  }
  field->cliques =
      pl_alloc(allocator, (size_t)(field->clique_count * 2 * per), sizeof *field->cliques);
  if (!field->cliques) return pl_fail_memory(error);
  int *to = field->cliques;
  for (int i = 0; i < field->count; i++) {
    for (int j = 0; j <= i; j++) {
      if (!are_coupled(field, i, j)) continue;
      for (int b = 0; b < 2 * per; b++) *to++ = per * (b < per ? i : j) + b % per;
    }
  }
  return PL_OK;
}

pl_status pl_frame_field_cut(const pl_allocator *allocator, const pl_mesh *mesh, int min,
                             pl_frame_field *field, pl_error *error)
{
  // each law may leave a chunk that is not full
  int max = PL_MOST_FRAME_CHUNKS - (field->groups.count > 1 ? field->groups.count : 0);
  int batches = field->groups.batches, size = batches / max + 1;
  if (field->list) min = FEW_BATCHES;
  if (size < min) size = min;
  field->chunk_count = pl_groups_cut(&field->groups, size, NULL);
  size_t chunks = (size_t)field->chunk_count, samples = (size_t)batches * PL_LANES;
  field->starts = pl_alloc(allocator, chunks + 1, sizeof *field->starts);
  field->reached = pl_alloc(allocator, chunks, sizeof *field->reached);
  field->chunk_sums = pl_alloc(allocator, chunks, sizeof *field->chunk_sums);
  field->sample_stress = pl_alloc(allocator, samples, sizeof *field->sample_stress);
  field->sample_ratio = pl_alloc(allocator, samples, sizeof *field->sample_ratio);
  if (!field->reached || !field->chunk_sums || !field->sample_stress || !field->sample_ratio ||
      !field->starts)
    return pl_fail_memory(error);
  pl_groups_cut(&field->groups, size, field->starts);
  for (int c = 0; c < field->chunk_count; c++)
    field->reached[c] = pl_frames_reaching(field, mesh, PL_LANES * field->starts[c],
                                           PL_LANES * field->starts[c + 1]);
  return make_cliques(allocator, field, error);
}

pl_cliques pl_frame_field_cliques(const pl_frame_field *field)
{
  return (pl_cliques){
      .count = field->clique_count, .size = 2 * field->per, .nodes = field->cliques};
}

pl_status pl_frame_find_pair(const pl_bsr *A, int offset, int row, int column, int *place,
                             int *mirror, pl_error *error)
{
  pl_status status = pl_bsr_place(A, offset, row, column, place, error);
  return status ? status : pl_bsr_place(A, offset, column, row, mirror, error);
}

void pl_frame_clear_rows(const pl_frame_field *field, int offset, pl_bsr *A)
{
  int first = A->start[offset], last = A->start[offset + field->count * field->per];
  memset(A->values + 9 * (size_t)first, 0, 9 * (size_t)(last - first) * sizeof *A->values);
}

/* ---- fields of elements ---- */

/* The place of an element's sample among those that are evaluated. */
static int place_of(const pl_frame_field *field, int element, int s)
{
  int index = field->points * element + s;
  return pl_groups_place(&field->groups, field->list ? field->cluster[index] : index);
}

static void take_means(const pl_frame_field *field, const double *samples, double *out)
{
  for (int e = 0; out && e < field->elements; e++) {
    out[e] = 0;
    for (int s = 0; s < field->points; s++)
      out[e] += samples[place_of(field, e, s)] / field->points;
  }
}

static void take_min(const pl_frame_field *field, const double *samples, double *out)
{
  for (int e = 0; out && e < field->elements; e++) {
    out[e] = samples[place_of(field, e, 0)];
    for (int s = 1; s < field->points; s++) out[e] = fmin(out[e], samples[place_of(field, e, s)]);
  }
}

double pl_frame_field_energy(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool)
{
  double sum = 0;
  pl_groups_freeze_all(&field->groups, pool);
  pl_parallel(pool, field->chunk_count, work, job);
  for (int c = 0; c < field->chunk_count; c++) sum += field->chunk_sums[c];
  return sum;
}

void pl_frame_field_stress(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           double *von_mises, double *det_f)
{
  pl_groups_freeze_all(&field->groups, pool);
  pl_parallel(pool, field->chunk_count, work, job);
  take_means(field, field->sample_stress, von_mises);
  take_min(field, field->sample_ratio, det_f);
}

void pl_frame_field_strain(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           double *strain, double *energies)
{
  pl_groups_freeze_all(&field->groups, pool);
  pl_parallel(pool, field->chunk_count, work, job);
  take_means(field, field->sample_stress, strain);
  take_means(field, field->sample_ratio, energies);
}

void pl_frame_field_tensor(pl_frame_field *field, pl_chunk_work *work, void *job, pl_pool *pool,
                           int component, double *F, double *stress)
{
  pl_groups_freeze_all(&field->groups, pool);
  pl_parallel(pool, field->chunk_count, work, job);
  const double *from[] = {field->sample_ratio, field->sample_stress};
  double *to[] = {F, stress};
  for (int t = 0; t < 2; t++) {
    for (int e = 0; to[t] && e < field->elements; e++) {
      double mean = 0;
      for (int s = 0; s < field->points; s++)
        mean += from[t][place_of(field, e, s)] / field->points;
      to[t][9 * (size_t)e + (size_t)component] = mean;
    }
  }
}
