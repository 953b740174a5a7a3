/* Fewer samples that are as stiff as all: cubature (An, Kim, James 2008, "Optimizing cubature for
 * efficient integration of subspace deformations") on clusters of samples.
 *
 * Samples are gathered in clusters by their weights and places (k-means, beginning with places far
 * apart); the sample nearest to the middle of its cluster stands for all of it. With K_r = B_r^T
 * B_r the stiffness at rest per volume at sample r and K that of the body, the volumes v of the
 * chosen samples minimise |L^-1 (sum_r v_r K_r) L^-T - 1|^2, K = L L^T, and are not negative: so
 * every motion counts by how much its own stiffness is wrong, be it soft or stiff. (K is made a
 * little larger on its diagonal, since rigid motions have no stiffness.) The sum of the volumes is
 * that of the body, so that a uniform strain costs what it did. Mass is that of all samples. */
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "model/frames/frames.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8, SWEEPS = 400, MOST_UNKNOWNS = 640 };

typedef struct reduction {
  const pl_mesh *mesh;
  const pl_frame_columns *from;
  pl_frame_field *field;
  int all, count, width; /* samples, clusters, numbers that describe a sample */
  double *features, *means, *volumes, *sums;
  int *cluster, *chosen;
  // unknowns x unknowns; 6 rows of unknowns for each chosen sample; count x count
  double *K, *B, *A, *b, *v;
} reduction;

static pl_status allocate(const pl_allocator *allocator, reduction *of, pl_error *error)
{
  size_t all = (size_t)of->all, count = (size_t)of->count, width = (size_t)of->width;
  size_t unknowns = (size_t)of->from->unknowns;
  const struct {
    double **to;
    size_t size;
  } arrays[] = {{&of->features, all * width},
                {&of->means, count * width},
                {&of->volumes, all},
                {&of->sums, count},
                {&of->K, unknowns * unknowns},
                {&of->B, 6 * count * unknowns},
                {&of->A, count * count},
                {&of->b, count},
                {&of->v, count}};
  int ok = 1;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i].to = pl_alloc(allocator, arrays[i].size, sizeof(double));
    ok &= *arrays[i].to != NULL;
  }
  of->cluster = pl_alloc(allocator, all, sizeof(int));
  of->chosen = pl_alloc(allocator, count, sizeof(int));
  return ok && of->cluster && of->chosen ? PL_OK : pl_fail_memory(error);
}

static void release(const pl_allocator *allocator, reduction *of)
{
  void *arrays[] = {of->features, of->means, of->volumes, of->sums,    of->K,     of->B,
                    of->A,        of->b,     of->v,       of->cluster, of->chosen};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

/* ---- clusters ---- */

static double *feature(const reduction *of, int s)
{
  return of->features + (size_t)(of->width * s);
}

static double gap(const reduction *of, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < of->width; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* Places in units of the distance of frames, and weights. */
static void describe(const reduction *of)
{
  const pl_frame_field *field = of->field;
  double whole = 0, slope[3];
  for (int s = 0; s < of->all; s++) {
    pl_sample at = pl_sample_at(of->mesh, field->points, s);
    whole += of->volumes[s] = at.volume;
    pl_vec3_copy(at.X, feature(of, s));
    for (int i = 0; i < field->count; i++)
      pl_frame_weight_at(field, &at, i, feature(of, s) + 3 + i, slope);
  }
  double unit = 1 / pl_cbrt(whole / field->count);
  for (int s = 0; s < of->all; s++) pl_vec3_scale(unit, feature(of, s), feature(of, s));
}

/* Each as far from those before it as possible; nearest: room for a number per sample. */
static void seed(const reduction *of, double *nearest)
{
  int next = 0;
  for (int s = 0; s < of->all; s++) nearest[s] = INFINITY;
  for (int c = 0; c < of->count; c++) {
    double *mean = of->means + (size_t)(of->width * c), max = -1;
    memcpy(mean, feature(of, next), (size_t)of->width * sizeof *mean);
    for (int s = 0; s < of->all; s++) {
      double d = gap(of, feature(of, s), mean);
      if (d < nearest[s]) {
        nearest[s] = d;
        of->cluster[s] = c;
      }
      if (nearest[s] > max) {
        max = nearest[s];
        next = s;
      }
    }
  }
}

static void assign(const reduction *of)
{
  for (int s = 0; s < of->all; s++) {
    double min = INFINITY;
    for (int c = 0; c < of->count; c++) {
      double d = gap(of, feature(of, s), of->means + (size_t)(of->width * c));
      if (d < min) {
        min = d;
        of->cluster[s] = c;
      }
    }
  }
}

/* The means of the clusters; an empty one stays where it is. */
static void centre(const reduction *of)
{
  memset(of->sums, 0, (size_t)of->count * sizeof *of->sums);
  for (int s = 0; s < of->all; s++) of->sums[of->cluster[s]] += of->volumes[s];
  for (int c = 0; c < of->count; c++) {
    if (of->sums[c] > 0)
      memset(of->means + (size_t)(of->width * c), 0, (size_t)of->width * sizeof *of->means);
  }
  for (int s = 0; s < of->all; s++) {
    int c = of->cluster[s];
    for (int k = 0; k < of->width; k++)
      of->means[of->width * c + k] += of->volumes[s] / of->sums[c] * feature(of, s)[k];
  }
}

/* Who stands for each cluster; empty ones are dropped. */
static void choose(reduction *of)
{
  int count = 0;
  for (int c = 0; c < of->count; c++) {
    double min = INFINITY;
    int best = -1;
    for (int s = 0; s < of->all; s++) {
      double d = of->cluster[s] == c ? gap(of, feature(of, s), of->means + (size_t)(of->width * c))
                                     : INFINITY;
      if (d < min) {
        min = d;
        best = s;
      }
    }
    if (best < 0) continue;
    for (int s = 0; s < of->all; s++) {
      if (of->cluster[s] == c) of->cluster[s] = count;
    }
    of->v[count] = of->sums[c];
    of->chosen[count++] = best;
  }
  of->count = count;
}

/* ---- volumes ---- */

/* K += the stiffness of a sample, lower triangle. */
static void add_stiffness(const reduction *of, const pl_frame_column *columns, int count, double v)
{
  int n = of->from->unknowns;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++) {
      int a = columns[i].unknown, b = columns[j].unknown;
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += columns[i].B[k] * columns[j].B[k];
      of->K[a > b ? n * a + b : n * b + a] += v * sum;
    }
  }
}

/* K = L L^T in place. */
static void factorise(double *K, int n)
{
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, K[(n + 1) * i]);
  for (int i = 0; i < n; i++) K[(n + 1) * i] += 1e-6 * K[(n + 1) * i] + 1e-12 * max;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) K[(n + 1) * j] -= K[n * j + k] * K[n * j + k];
    K[(n + 1) * j] = sqrt(fmax(K[(n + 1) * j], 1e-14 * max));
    for (int i = j + 1; i < n; i++) {
      double sum = K[n * i + j];
      for (int k = 0; k < j; k++) sum -= K[n * i + k] * K[n * j + k];
      K[n * i + j] = sum / K[(n + 1) * j];
    }
  }
}

/* b = L^-1 b */
static void forward(const double *L, int n, double *b)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= L[n * i + k] * b[k];
    b[i] /= L[(n + 1) * i];
  }
}

/* A_rs = |B_r B_s^T|^2 and b_r = |B_r|^2 of the chosen samples, in the body's own measure. */
static void make_system(const reduction *of)
{
  int n = of->from->unknowns;
  for (int r = 0; r < of->count; r++) {
    for (int s = 0; s <= r; s++) {
      double sum = 0;
      for (int k = 0; k < 36; k++) {
        const double *x = of->B + (size_t)n * (size_t)(6 * r + k / 6);
        const double *y = of->B + (size_t)n * (size_t)(6 * s + k % 6);
        double dot = 0;
        for (int i = 0; i < n; i++) dot += x[i] * y[i];
        sum += dot * dot;
        if (r == s && k % 7 == 0) of->b[r] += dot;
      }
      of->A[of->count * r + s] = of->A[of->count * s + r] = sum;
    }
  }
}

/* The least of v.Av/2 - b.v for v >= 0, with the sum of v held by a penalty and made exact at the
 * end: coordinate by coordinate. */
static void solve(const reduction *of)
{
  int n = of->count;
  double whole = 0, penalty = 0;
  for (int r = 0; r < n; r++) {
    whole += of->v[r];
    penalty = fmax(penalty, of->A[(n + 1) * r]);
  }
  for (int k = 0; k < n * n; k++) of->A[k] += penalty;
  for (int r = 0; r < n; r++) of->b[r] += penalty * whole;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int r = 0; r < n; r++) {
      double slope = -of->b[r];
      for (int s = 0; s < n; s++) slope += of->A[n * r + s] * of->v[s];
      of->v[r] = fmax(0, of->v[r] - slope / of->A[(n + 1) * r]);
    }
  }
  double sum = 0;
  for (int r = 0; r < n; r++) sum += of->v[r];
  for (int r = 0; r < n; r++) of->v[r] *= whole / sum;
}

static void find_volumes(reduction *of)
{
  pl_frame_column columns[PL_MOST_COLUMNS];
  int n = of->from->unknowns;
  for (int s = 0; s < of->all; s++) {
    int count = of->from->at(of->from->model, s, columns);
    add_stiffness(of, columns, count, of->volumes[s]);
  }
  factorise(of->K, n);
  for (int r = 0; r < of->count; r++) {
    int count = of->from->at(of->from->model, of->chosen[r], columns);
    for (int k = 0; k < 6; k++) {
      double *row = of->B + (size_t)n * (size_t)(6 * r + k);
      for (int i = 0; i < count; i++) row[columns[i].unknown] = columns[i].B[k];
      forward(of->K, n, row);
    }
  }
  make_system(of);
  solve(of);
}

/* ---- the field's list ---- */

/* Sorts the chosen samples by the frames that reach them, so that neighbours share theirs, and
 * leaves out those without a volume. */
static void sort_chosen(reduction *of)
{
  int count = 0;
  for (int r = 0; r < of->count; r++) {
    int sample = of->chosen[r], at = count;
    double v = of->v[r];
    uint64_t mask = pl_frames_reaching(of->field, of->mesh, sample, sample + 1);
    if (!(v > 0)) continue;
    for (; at > 0; at--) {
      int before = of->chosen[at - 1];
      if (pl_frames_reaching(of->field, of->mesh, before, before + 1) <= mask) break;
      of->chosen[at] = before;
      of->v[at] = of->v[at - 1];
    }
    of->chosen[at] = sample;
    of->v[at] = v;
    count++;
  }
  of->count = count;
}

static pl_status hand_over(const pl_allocator *allocator, reduction *of, pl_error *error)
{
  pl_frame_field *field = of->field;
  sort_chosen(of);
  for (int r = 0; r < of->count; r++)
    memcpy(of->means + (size_t)(of->width * r), feature(of, of->chosen[r]),
           (size_t)of->width * sizeof *of->means);
  assign(of);
  field->list = pl_alloc(allocator, (size_t)of->count, sizeof *field->list);
  field->volumes = pl_alloc(allocator, (size_t)of->count, sizeof *field->volumes);
  field->cluster = pl_alloc(allocator, (size_t)of->all, sizeof *field->cluster);
  if (!field->list || !field->volumes || !field->cluster) return pl_fail_memory(error);
  memcpy(field->list, of->chosen, (size_t)of->count * sizeof *field->list);
  memcpy(field->volumes, of->v, (size_t)of->count * sizeof *field->volumes);
  memcpy(field->cluster, of->cluster, (size_t)of->all * sizeof *field->cluster);
  field->samples = of->count;
  return PL_OK;
}

pl_status pl_frame_field_reduce(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                                const pl_frame_columns *from, pl_frame_field *field,
                                pl_error *error)
{
  if (count == 0 || count >= field->samples) return PL_OK;
  if (from->unknowns > MOST_UNKNOWNS)
    return pl_fail(error, PL_E_LIMIT,
                   "clusters = %d are for at most %d unknowns, and the frames have %d; take fewer "
                   "frames or clusters=\"0\"",
                   count, MOST_UNKNOWNS, from->unknowns);
  if (6 * count < from->unknowns)
    return pl_fail(error, PL_E_ARGUMENT,
                   "clusters = %d are too few for %d unknowns: a sample resists six strains, so "
                   "that %d are needed at the least",
                   count, from->unknowns, (from->unknowns + 5) / 6);
  reduction of = {.mesh = mesh,
                  .from = from,
                  .field = field,
                  .all = field->samples,
                  .count = count,
                  .width = 3 + field->count};
  pl_status status = allocate(allocator, &of, error);
  double *nearest = pl_alloc(allocator, (size_t)of.all, sizeof *nearest);
  if (!status && !nearest) status = pl_fail_memory(error);
  if (!status) {
    describe(&of);
    seed(&of, nearest);
    for (int round = 0; round < ROUNDS; round++) {
      centre(&of);
      assign(&of);
    }
    centre(&of);
    choose(&of);
    find_volumes(&of);
    status = hand_over(allocator, &of, error);
  }
  pl_free(allocator, nearest);
  release(allocator, &of);
  return status;
}
