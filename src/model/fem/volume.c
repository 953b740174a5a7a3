/* Volumes that points share: which do, and the pressures of groups of several elements. */
#include "model/fem/volume.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/fem/fem.h"

#include <math.h>
#include <string.h>

/* ---- the modulus that is shared ---- */

/* Strain measures that mix others have no trace of their own. */
static int has_theta(const pl_group *group)
{
  return !group->fading.by_strain || group->strain->volume;
}

/* Of the elements of a batch. */
static pl_lanes batch_modulus(const pl_group *group, int batch, int only_above, double mix)
{
  pl_point point = pl_point_of(group, 0);
  pl_lanes out = pl_lanes_all(0);
  if (!has_theta(group)) return out;
  pl_point_take(group, batch, &point);
  for (int lane = 0; lane < PL_LANES; lane++) {
    pl_material at = group->material;
    at.lambda = point.lambda[lane];
    at.mu = point.mu[lane];
    if (only_above && pl_material_poisson(&at) <= PL_VOLUME_LIMIT) continue;
    double kappa = pl_material_volume(&at) - mix * at.mu;
    out[lane] = kappa > 0 ? kappa : 0;
  }
  return out;
}

static pl_status check_law(const pl_groups *groups, pl_error *error)
{
  for (int g = 0; g < groups->count; g++) {
    const pl_law_ops *law = groups->list[g].material.law;
    if (!has_theta(&groups->list[g]))
      return pl_fail(error, PL_E_ARGUMENT,
                     "strain=\"hybrid\" has no change of volume that points could share; take "
                     "strain=\"corotated\" or \"green\"");
    if (law && law->volume == PL_VOLUME_OWN)
      return pl_fail(error, PL_E_ARGUMENT,
                     "law=\"%s\" has no term of volume that points could share; leave out volume "
                     "or take another law",
                     law->info.name);
  }
  return PL_OK;
}

static pl_status check_kind(const pl_fem *fem, int kind, pl_error *error)
{
  if (kind >= PL_VOLUME_PATCH && fem->nodes_per_element != 4)
    return pl_fail(error, PL_E_ARGUMENT,
                   "volume=\"%s\" is for linear tetrahedra; take volume=\"element\"",
                   kind == PL_VOLUME_PATCH ? "patch" : "node");
  if (kind == PL_VOLUME_PATCH && !fem->mesh->octet_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "volume=\"patch\" needs a mesh whose tetrahedra know the larger ones that they "
                   "are eighths of; give <mesh> element=\"octets\", or take volume=\"node\"");
  return kind == PL_VOLUME_AUTO ? PL_OK : check_law(&fem->groups, error);
}

/* Finds all moduli; returns whether any is shared. */
static int find_moduli(const pl_fem *fem, int only_above, double mix, pl_lanes *kappa)
{
  int any = 0;
  for (int batch = 0; batch < fem->groups.batches; batch++) {
    kappa[batch] = batch_modulus(pl_group_at(&fem->groups, batch), batch, only_above, mix);
    for (int lane = 0; lane < PL_LANES; lane++) any |= kappa[batch][lane] > 0;
  }
  return any;
}

/* ---- groups of several elements ---- */

static const int *place_nodes(const pl_fem *fem, int place, int node)
{
  return fem->nodes + (size_t)(place / PL_LANES) * (4 * PL_LANES) + PL_LANES * node +
         place % PL_LANES;
}

static double place_weight(const pl_fem *fem, int place)
{
  return fem->rest[(size_t)(place / PL_LANES) * pl_fem_rest_size(4, 1)][place % PL_LANES];
}

static double place_modulus(const pl_fem *fem, int place)
{
  return fem->volume.kappa[place / PL_LANES][place % PL_LANES];
}

/* The groups that the element at a place is in; returns how many. */
static int groups_of(const pl_fem *fem, int place, int groups[4])
{
  int item = pl_groups_item(&fem->groups, place);
  if (item < 0 || !(place_modulus(fem, place) > 0)) return 0;
  if (fem->volume.kind == PL_VOLUME_PATCH) {
    groups[0] = fem->mesh->element_octets[item];
    return 1;
  }
  for (int a = 0; a < 4; a++) groups[a] = *place_nodes(fem, place, a) / 3;
  return 4;
}

static pl_status list_members(const pl_allocator *allocator, pl_fem *fem, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  int places = PL_LANES * fem->groups.batches, in[4];
  size_t count = (size_t)volume->groups, max = 4 * (size_t)places;
  volume->share = volume->kind == PL_VOLUME_PATCH ? 1 : 0.25;
  volume->starts = pl_alloc(allocator, count + 2, sizeof *volume->starts);
  volume->members = pl_alloc(allocator, max, sizeof *volume->members);
  volume->sizes = pl_alloc(allocator, count, sizeof *volume->sizes);
  volume->moduli = pl_alloc(allocator, count, sizeof *volume->moduli);
  if (!volume->starts || !volume->members || !volume->sizes || !volume->moduli)
    return pl_fail_memory(error);
  // starts[g + 2] counts, then starts[g + 1] is where g's next member goes
  for (int place = 0; place < places; place++) {
    for (int k = groups_of(fem, place, in) - 1; k >= 0; k--) volume->starts[in[k] + 2]++;
  }
  for (int g = 0; g < volume->groups; g++) volume->starts[g + 2] += volume->starts[g + 1];
  for (int place = 0; place < places; place++) {
    double size = volume->share * place_weight(fem, place);
    for (int k = groups_of(fem, place, in) - 1; k >= 0; k--) {
      volume->members[volume->starts[in[k] + 1]++] = place;
      volume->sizes[in[k]] += size;
      volume->moduli[in[k]] += size * place_modulus(fem, place);
    }
  }
  for (int g = 0; g < volume->groups; g++) {
    if (volume->sizes[g] > 0) volume->moduli[g] /= volume->sizes[g];
  }
  return PL_OK;
}

/* Puts a number into a sorted list unless it is there; returns the list's length. */
static int insert(int *list, int count, int number)
{
  int at = count;
  while (at > 0 && list[at - 1] > number) at--;
  if (at > 0 && list[at - 1] == number) return count;
  memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
  list[at] = number;
  return count + 1;
}

static int find(const int *list, int number)
{
  int at = 0;
  while (list[at] != number) at++;
  return at;
}

/* The nodes of every group, and where those of its members are among them. */
static pl_status list_nodes(const pl_allocator *allocator, pl_fem *fem, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  size_t members = (size_t)volume->starts[volume->groups];
  volume->nodes = pl_alloc(allocator, 4 * members, sizeof *volume->nodes);
  volume->locals = pl_alloc(allocator, 4 * members, sizeof *volume->locals);
  volume->node_starts = pl_alloc(allocator, (size_t)volume->groups + 1, sizeof(int));
  if (!volume->nodes || !volume->locals || !volume->node_starts) return pl_fail_memory(error);
  for (int g = 0; g < volume->groups; g++) {
    int *nodes = volume->nodes + volume->node_starts[g], count = 0;
    for (int k = 4 * volume->starts[g]; k < 4 * volume->starts[g + 1]; k++)
      count = insert(nodes, count, *place_nodes(fem, volume->members[k / 4], k % 4) / 3);
    for (int k = 4 * volume->starts[g]; k < 4 * volume->starts[g + 1]; k++)
      volume->locals[k] = find(nodes, *place_nodes(fem, volume->members[k / 4], k % 4) / 3);
    volume->node_starts[g + 1] = volume->node_starts[g] + count;
    if (count > volume->max_nodes) volume->max_nodes = count;
  }
  volume->work = pl_alloc(allocator, 3 * (size_t)volume->max_nodes + 3, sizeof *volume->work);
  return volume->work ? PL_OK : pl_fail_memory(error);
}

/* All pairs of nodes that elements or groups couple, as cliques of two. */
static pl_status list_pairs(const pl_allocator *allocator, pl_fem *fem, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  size_t total = 6 * (size_t)fem->elements;
  for (int g = 0; g < volume->groups; g++) {
    size_t n = (size_t)(volume->node_starts[g + 1] - volume->node_starts[g]);
    if (n > 1) total += n * (n - 1) / 2;
  }
  volume->pairs = pl_alloc(allocator, 2 * total, sizeof *volume->pairs);
  if (!volume->pairs) return pl_fail_memory(error);
  int *to = volume->pairs;
  for (int ab = 0; ab < 16 * fem->elements; ab++) {
    const int *nodes = fem->element_nodes + 4 * (ab / 16);
    if (ab % 4 <= ab / 4 % 4) continue;
    *to++ = nodes[ab / 4 % 4];
    *to++ = nodes[ab % 4];
  }
  for (int g = 0; g < volume->groups; g++) {
    for (int a = volume->node_starts[g]; a < volume->node_starts[g + 1]; a++) {
      for (int b = a + 1; b < volume->node_starts[g + 1]; b++) {
        *to++ = volume->nodes[a];
        *to++ = volume->nodes[b];
      }
    }
  }
  volume->pair_count = (int)total;
  return PL_OK;
}

static pl_status make_groups(const pl_allocator *allocator, pl_model *self, pl_fem *fem,
                             pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  volume->groups = volume->kind == PL_VOLUME_PATCH ? fem->mesh->octet_count : self->blocks;
  pl_status status = list_members(allocator, fem, error);
  if (!status) status = list_nodes(allocator, fem, error);
  if (!status && volume->kind == PL_VOLUME_NODE) status = list_pairs(allocator, fem, error);
  return status;
}

static pl_status allocate(const pl_allocator *allocator, pl_fem *fem, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  size_t batches = (size_t)fem->groups.batches, width = (size_t)(3 * fem->nodes_per_element - 2);
  volume->linear = pl_alloc(allocator, batches * width, sizeof *volume->linear);
  int ok = volume->linear != NULL;
  pl_lanes **more[] = {&volume->theta, &volume->predicted, &volume->pressure, &volume->geometric};
  for (int i = 0; i < 4 && volume->kind >= PL_VOLUME_PATCH; i++) {
    *more[i] = pl_alloc(allocator, batches, sizeof **more[i]);
    ok = ok && *more[i];
  }
  return ok ? PL_OK : pl_fail_memory(error);
}

/* Warns where elements of one point each will lock, unless volume="point" says that this is meant.
 */
static void look_for_locking(pl_model *self, const pl_fem *fem)
{
  // one point with hourglass control does not lock
  if (fem->kind == PL_FEM_HEX1) return;
  double max = 0;
  for (int batch = 0; batch < fem->groups.batches; batch++) {
    const pl_group *group = pl_group_at(&fem->groups, batch);
    pl_point point = pl_point_of(group, 0);
    pl_point_take(group, batch, &point);
    for (int lane = 0; lane < PL_LANES; lane++) {
      pl_material at = {.lambda = point.lambda[lane], .mu = point.mu[lane]};
      max = fmax(max, pl_material_poisson(&at));
    }
    if (!group->moduli) batch = group->last - 1;
  }
  if (max <= PL_VOLUME_LIMIT + 1e-9) return;
  self->locking.from = max;
  self->locking.cure = "volume=\"node\", or element=\"tet10\" for its mesh";
}

pl_status pl_volume_create(pl_model *self, pl_fem *fem, int kind, double mix, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  const pl_allocator *allocator = &self->allocator;
  volume->kind = PL_VOLUME_POINT;
  int alone = kind == PL_VOLUME_POINT || (fem->points == 1 && kind < PL_VOLUME_PATCH);
  if (alone && kind == PL_VOLUME_AUTO) look_for_locking(self, fem);
  if (alone) return PL_OK;
  pl_status status = check_kind(fem, kind, error);
  if (status) return status;
  volume->kappa = pl_alloc(allocator, (size_t)fem->groups.batches, sizeof *volume->kappa);
  if (!volume->kappa) return pl_fail_memory(error);
  if (!find_moduli(fem, kind == PL_VOLUME_AUTO, mix, volume->kappa)) return PL_OK;
  volume->kind = kind == PL_VOLUME_AUTO ? PL_VOLUME_ELEMENT : (pl_volume_kind)kind;
  self->predicts = 1;
  status = allocate(allocator, fem, error);
  if (!status && volume->kind >= PL_VOLUME_PATCH) status = make_groups(allocator, self, fem, error);
  return status;
}

void pl_volume_destroy(const pl_allocator *allocator, pl_fem_volume *volume)
{
  void *all[] = {volume->kappa,    volume->linear,    volume->theta,        volume->predicted,
                 volume->pressure, volume->geometric, volume->starts,       volume->members,
                 volume->sizes,    volume->moduli,    volume->node_starts,  volume->nodes,
                 volume->locals,   volume->pairs,     volume->place_starts, volume->places,
                 volume->work};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(allocator, all[i]);
  *volume = (pl_fem_volume){0};
}

/* ---- the matrix ---- */

static pl_status find_places(pl_fem *fem, const pl_bsr *A, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  for (int g = 0; g < volume->groups; g++) {
    int *to = volume->places + volume->place_starts[g];
    for (int a = volume->node_starts[g]; a < volume->node_starts[g + 1]; a++) {
      for (int b = a + 1; b < volume->node_starts[g + 1]; b++) {
        int found;
        pl_status status =
            pl_bsr_place(A, fem->offset, volume->nodes[a], volume->nodes[b], &found, error);
        if (status) return status;
        *to++ = found;
      }
    }
  }
  return PL_OK;
}

pl_status pl_volume_bind(pl_model *self, pl_fem *fem, const pl_bsr *A, pl_error *error)
{
  pl_fem_volume *volume = &fem->volume;
  if (volume->kind < PL_VOLUME_PATCH) return PL_OK;
  if (!volume->places) {
    volume->place_starts = pl_alloc(&self->allocator, (size_t)volume->groups + 1, sizeof(int));
    if (!volume->place_starts) return pl_fail_memory(error);
    for (int g = 0; g < volume->groups; g++) {
      int n = volume->node_starts[g + 1] - volume->node_starts[g];
      volume->place_starts[g + 1] = volume->place_starts[g] + n * (n - 1) / 2;
    }
    size_t total = (size_t)volume->place_starts[volume->groups];
    volume->places = pl_alloc(&self->allocator, total, sizeof *volume->places);
  }
  return volume->places ? find_places(fem, A, error) : pl_fail_memory(error);
}

/* ---- a pass ---- */

static void volumes_chunk(void *context, int chunk)
{
  const pl_fem_job *job = context;
  const int *start = job->fem->starts + chunk;
  job->fem->kernel->volumes(job, start[0], start[1]);
}

/* The pressures of elements from their theta. */
static void distribute(const pl_fem *fem, const pl_lanes *theta, pl_lanes *pressure)
{
  const pl_fem_volume *volume = &fem->volume;
  memset(pressure, 0, (size_t)fem->groups.batches * sizeof *pressure);
  for (int g = 0; g < volume->groups; g++) {
    double sum = 0;
    for (int k = volume->starts[g]; k < volume->starts[g + 1]; k++) {
      int place = volume->members[k];
      sum += place_weight(fem, place) * theta[place / PL_LANES][place % PL_LANES];
    }
    if (!(volume->sizes[g] > 0)) continue;
    double p = volume->moduli[g] * volume->share * sum / volume->sizes[g];
    for (int k = volume->starts[g]; k < volume->starts[g + 1]; k++) {
      int place = volume->members[k];
      pressure[place / PL_LANES][place % PL_LANES] += volume->share * p;
    }
  }
}

void pl_volume_share(pl_fem *fem, pl_fem_job *job, pl_pool *pool)
{
  pl_fem_volume *volume = &fem->volume;
  if (volume->kind == PL_VOLUME_POINT) return;
  if (job->tangent.A && volume->begun != fem->groups.begun) {
    volume->predicts = 0;
    volume->begun = fem->groups.begun;
  }
  if (volume->kind == PL_VOLUME_ELEMENT) return;
  pl_parallel(pool, fem->chunks.chunks, volumes_chunk, job);
  distribute(fem, volume->theta, volume->pressure);
  if (job->tangent.A) distribute(fem, volume->predicted, volume->geometric);
}

/* r of a group at its nodes. */
static void gather_slopes(const pl_fem *fem, int group, double *r)
{
  const pl_fem_volume *volume = &fem->volume;
  int nodes = volume->node_starts[group + 1] - volume->node_starts[group];
  memset(r, 0, 3 * (size_t)nodes * sizeof *r);
  for (int k = volume->starts[group]; k < volume->starts[group + 1]; k++) {
    int place = volume->members[k], lane = place % PL_LANES;
    const int *local = volume->locals + 4 * k;
    const pl_lanes *slope = volume->linear + (size_t)(place / PL_LANES) * 10 + 1;
    double weight = volume->share * place_weight(fem, place);
    for (int i = 0; i < 9; i++) {
      r[3 * local[i / 3] + i % 3] += weight * slope[i][lane];
      r[3 * local[3] + i % 3] -= weight * slope[i][lane];
    }
  }
}

void pl_volume_couple(pl_fem *fem, const pl_fem_job *job)
{
  pl_fem_volume *volume = &fem->volume;
  volume->predicts = 1;
  if (volume->kind < PL_VOLUME_PATCH) return;
  double *values = job->tangent.A->values;
  for (int g = 0; g < volume->groups; g++) {
    int n = volume->node_starts[g + 1] - volume->node_starts[g];
    const int *place = volume->places + volume->place_starts[g];
    double *r = volume->work, scale = job->tangent.kq * volume->moduli[g] / volume->sizes[g];
    if (n == 0) continue;
    gather_slopes(fem, g, r);
    for (int a = 0; a < n; a++) {
      for (int b = a + 1; b < n; b++, place++) {
        for (int e = 0; e < 9; e++)
          values[9 * (size_t)*place + (size_t)e] += scale * r[3 * a + e % 3] * r[3 * b + e / 3];
      }
    }
  }
}
